//! Search for a project's kernels: runs `cargo check` and reads the macro's records.
use crate::{
    args::Build,
    error::CommandError,
    records::{self, Header, KernelRecord, Level, RecordedPlace},
    sources::{Place, Sources},
    workspace::{Package, Workspace, cargo},
    wrapper,
};
use serde::Deserialize;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{BufRead as _, BufReader, IsTerminal as _},
    path::{Path, PathBuf},
    process::{self, Command, Stdio},
    time::{SystemTime, UNIX_EPOCH},
};
use warpwise_compiler::back::Backend;

/// The kernels of a project.
#[derive(Debug)]
pub(crate) struct Project {
    /// Kernels of the crates in [`Scope`].
    pub(crate) kernels: Vec<Kernel>,
    /// Source files of the kernels.
    pub(crate) sources: Sources,
    /// Names of the selected packages.
    pub(crate) packages: Vec<String>,
    /// False if a crate did not compile. The kernels of the other crates are still listed.
    pub(crate) built: bool,
}

/// Messages of cargo about a check.
#[derive(Debug, Default)]
pub(crate) struct CargoMessages {
    /// One line of JSON each, but for the end of the build.
    pub(crate) lines: Vec<String>,
    /// Targets that cargo built, or failed to build.
    targets: Vec<BuiltTarget>,
}

/// Target of a package, as cargo describes it in its messages.
#[derive(Clone, Debug)]
pub(crate) struct BuiltTarget {
    /// Folder of the package's manifest.
    pub(crate) folder: PathBuf,
    /// Id of the package.
    pub(crate) package_id: Value,
    /// The target.
    pub(crate) target: Value,
}

impl BuiltTarget {
    /// Returns the name of the crate.
    fn crate_name(&self) -> String {
        self.target["name"].as_str().unwrap_or_default().replace('-', "_")
    }
}

/// Crates whose kernels are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Members of the workspace. Dependencies are shared with the project's own builds, since cargo
    /// stores what a wrapper of members compiles beside what rustc compiles.
    Workspace,
    /// Dependencies, too. They are compiled once more, in a target folder of their own.
    Dependencies,
}

/// Messages of rustc that are printed as they arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Printed {
    /// Errors.
    Errors,
    /// Errors and warnings.
    All,
    /// None: the caller has them in [`CargoMessages`].
    Nothing,
}

/// Kernel as seen by one compilation of its crate.
#[derive(Debug)]
pub(crate) struct Kernel {
    /// Name.
    pub(crate) name: String,
    /// Package.
    pub(crate) package: String,
    /// Crate.
    pub(crate) krate: String,
    /// True if its package is selected.
    pub(crate) selected: bool,
    /// Folder of the package's manifest.
    pub(crate) manifest: PathBuf,
    /// Value of `debug_assertions` in that compilation, if the kernel depends on it.
    pub(crate) debug_assertions: Option<bool>,
    /// The instance of `instances(..)`, as it is written there.
    pub(crate) instance: Option<String>,
    /// Back end that the build selects.
    pub(crate) backend: Backend,
    /// Bindings of the instances whose code the build embeds.
    pub(crate) precompiled: Vec<String>,
    /// Place of the name.
    pub(crate) name_place: Place,
    /// Places of the IR's spans.
    pub(crate) spans: Vec<Place>,
    /// IR in text form.
    pub(crate) ir: String,
    /// Findings of all lints, at any level.
    pub(crate) findings: Vec<Finding>,
}

/// Finding of a lint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// Name of the lint.
    pub(crate) code: String,
    /// Severity.
    pub(crate) level: Level,
    /// Statement of the fact.
    pub(crate) message: String,
    /// Place of the effect.
    pub(crate) place: Place,
    /// Place of the kernel's name.
    pub(crate) kernel_place: Place,
    /// Further places, from the effect to its cause.
    pub(crate) labels: Vec<(Place, String)>,
    /// Further facts that the finding rests on.
    pub(crate) notes: Vec<String>,
    /// Advice.
    pub(crate) help: Option<String>,
}

/// Checks the targets that `build` selects, and prints rustc's errors.
pub(crate) fn check_project(build: &Build, scope: Scope) -> Result<Project, CommandError> {
    check_and_print(build, scope, Printed::Errors).map(|(project, _)| project)
}

/// Checks the targets that `build` selects.
pub(crate) fn check_and_print(
    build: &Build,
    scope: Scope,
    printed: Printed,
) -> Result<(Project, CargoMessages), CommandError> {
    let workspace = Workspace::load(build)?;
    let selected = workspace.selected_packages(build)?;
    let own_folder = workspace.target_directory.join("warpwise");
    let (target, records) = match scope {
        Scope::Workspace => (workspace.target_directory.clone(), own_folder.join("records")),
        Scope::Dependencies => {
            let target = own_folder.join("dependencies");
            (target.clone(), target.join("records"))
        }
    };
    fs::create_dir_all(&records).map_err(|error| {
        CommandError::new(format!("cannot make the folder {}: {error}", records.display()))
    })?;
    let run = unique_run_id();
    let check = CargoCheck { build, scope, target: &target, records: &records, run, printed };
    let mut done = check.run()?;
    // A crate that cargo finds fresh is not compiled again, so its lost record can only be restored
    // by cleaning its package.
    let lost = done.packages_without_records(&selected, &records);
    if !lost.is_empty() {
        check.clean_packages(&lost)?;
        done = check.run()?;
        if let Some(name) = done.packages_without_records(&selected, &records).first() {
            let text = format!("cargo did not compile package `{name}` by way of this program");
            return Err(CommandError::new(text));
        }
    }
    let mut project = Project {
        kernels: Vec::new(),
        sources: Sources::new(&workspace.workspace_root),
        packages: selected.iter().map(|package| package.name.clone()).collect(),
        built: done.success,
    };
    for path in check.record_files(&done)? {
        let (header, lines) =
            records::read_record(&path).map_err(|error| unreadable_record(&path, &error))?;
        let is_selected = selected.iter().any(|package| package.folder() == header.manifest);
        for line in lines {
            project.add_kernel(&header, line, is_selected)?;
        }
    }
    Ok((project, done.messages))
}

/// Returns an id that no other run has.
fn unique_run_id() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}-{}", process::id(), now.as_nanos())
}

fn unreadable_record(path: &Path, error: &std::io::Error) -> CommandError {
    CommandError::new(format!("cannot read {}: {error}", path.display()))
        .with_help("remove the folder `warpwise` in the target folder")
}

impl CargoMessages {
    /// Returns the target of a kernel, or another one of its package if cargo named none.
    pub(crate) fn target_of(&self, kernel: &Kernel) -> Option<&BuiltTarget> {
        let of_package = || self.targets.iter().filter(|target| target.folder == kernel.manifest);
        of_package()
            .find(|target| target.crate_name() == kernel.krate)
            .or_else(|| of_package().next())
    }
}

impl Project {
    fn add_kernel(
        &mut self,
        header: &Header,
        line: KernelRecord,
        selected: bool,
    ) -> Result<(), CommandError> {
        let ours = env!("CARGO_PKG_VERSION");
        if line.warpwise != ours {
            let theirs = &line.warpwise;
            let text = format!(
                "package `{}` uses warpwise {theirs}, and this is cargo-warpwise {ours}",
                header.package
            );
            let help = format!("install cargo-warpwise {theirs}");
            return Err(CommandError::new(text).with_help(help));
        }
        let sources = &mut self.sources;
        let mut place = |RecordedPlace(file, line_number, column, end_line, end_column)| {
            let file = line.files.get(file).map_or("", String::as_str);
            let path = header.folder.join(file);
            sources.add_place(path, (line_number, column), (end_line, end_column))
        };
        let kernel_place = place(line.at);
        let findings = line.diagnostics.iter().map(|found| Finding {
            kernel_place,
            code: found.code.clone(),
            // Users cannot change a dependency, so its findings are never errors.
            level: if selected { found.level } else { found.level.min(Level::Warn) },
            message: found.message.clone(),
            place: place(found.at),
            labels: found
                .labels
                .iter()
                .map(|label| (place(label.at), label.text.clone()))
                .collect(),
            notes: found.notes.clone(),
            help: found.help.clone(),
        });
        let findings = findings.collect();
        self.kernels.push(Kernel {
            name: line.kernel,
            package: header.package.clone(),
            krate: header.krate.clone(),
            manifest: header.manifest.clone(),
            selected,
            debug_assertions: line.debug_assertions,
            instance: line.instance.clone(),
            backend: line.backend,
            precompiled: line.precompiled,
            name_place: kernel_place,
            spans: line.spans.iter().map(|at| place(*at)).collect(),
            ir: line.ir,
            findings,
        });
        Ok(())
    }
}

/// Settings of a `cargo check` run.
struct CargoCheck<'a> {
    build: &'a Build,
    scope: Scope,
    target: &'a Path,
    records: &'a Path,
    run: String,
    printed: Printed,
}

/// Results of a `cargo check` run.
#[derive(Default)]
struct CheckResult {
    /// File stems of the build's artifacts, each with the folder of its package.
    artifacts: BTreeMap<String, PathBuf>,
    success: bool,
    messages: CargoMessages,
}

/// Message of cargo: one line of JSON.
#[derive(Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
enum CargoMessage {
    CompilerArtifact {
        #[serde(default)]
        package_id: Value,
        manifest_path: PathBuf,
        #[serde(default)]
        target: Value,
        filenames: Vec<PathBuf>,
    },
    CompilerMessage {
        #[serde(default)]
        package_id: Value,
        #[serde(default)]
        manifest_path: PathBuf,
        #[serde(default)]
        target: Value,
        message: RustcMessage,
    },
    BuildFinished {
        success: bool,
    },
    #[serde(other)]
    Other,
}

/// Message of rustc.
#[derive(Deserialize)]
struct RustcMessage {
    level: String,
    rendered: Option<String>,
}

impl CargoCheck<'_> {
    /// Runs the check, and prints rustc's errors as they arrive.
    fn run(&self) -> Result<CheckResult, CommandError> {
        let ansi = std::io::stderr().is_terminal() && self.printed != Printed::Nothing;
        let format = if ansi { "json-diagnostic-rendered-ansi" } else { "json" };
        let mut command = self.cargo_command("check");
        // `--keep-going` finds the kernels of all crates that compile.
        command.arg(format!("--message-format={format}")).arg("--keep-going");
        command.args(self.build.check_options()).stdout(Stdio::piped());
        let records = self.records.as_os_str();
        let wrapped = wrapper::set_wrapper(&mut command, self.scope, records, &self.run);
        let failed =
            |error: std::io::Error| CommandError::new(format!("cannot run cargo: {error}"));
        wrapped.map_err(failed)?;
        let mut child = command.spawn().map_err(failed)?;
        let mut done = CheckResult::default();
        if let Some(stdout) = child.stdout.take() {
            for line in BufReader::new(stdout).lines() {
                done.read_message(&line.map_err(failed)?, self.printed);
            }
        }
        let status = child.wait().map_err(failed)?;
        done.success &= status.success();
        Ok(done)
    }

    /// Removes the artifacts of `packages`, so that cargo compiles them again.
    fn clean_packages(&self, packages: &BTreeSet<&str>) -> Result<(), CommandError> {
        let mut command = self.cargo_command("clean");
        command.arg("--quiet").args(packages.iter().map(|name| format!("--package={name}")));
        command.args(
            self.build
                .manifest_path
                .iter()
                .map(|path| format!("--manifest-path={}", path.display())),
        );
        match command.status() {
            Ok(status) if status.success() => Ok(()),
            _ => Err(CommandError::new("`cargo clean` failed")),
        }
    }

    fn cargo_command(&self, command: &str) -> Command {
        let mut cargo = cargo();
        cargo.arg(command).arg("--target-dir").arg(self.target);
        cargo
    }

    /// Returns the record files of everything that belongs to the build.
    fn record_files(&self, done: &CheckResult) -> Result<Vec<PathBuf>, CommandError> {
        let listed = done.artifacts.keys().map(|stem| records::record_path(self.records, stem));
        let mut files: BTreeSet<PathBuf> = listed.filter(|path| path.is_file()).collect();
        // A failed crate has no artifact, but its record belongs to this run.
        if !done.success {
            let failed = |error: std::io::Error| unreadable_record(self.records, &error);
            for entry in fs::read_dir(self.records).map_err(failed)? {
                let path = entry.map_err(failed)?.path();
                // A record that another run has just begun may be empty.
                if records::read_header(&path).is_ok_and(|header| header.run == self.run) {
                    files.insert(path);
                }
            }
        }
        Ok(files.into_iter().collect())
    }
}

impl CheckResult {
    fn read_message(&mut self, line: &str, printed: Printed) {
        let message = serde_json::from_str(line);
        if message.is_ok() && !matches!(message, Ok(CargoMessage::BuildFinished { .. })) {
            self.messages.lines.push(line.to_owned());
        }
        // Lines that are no messages of cargo are output of build scripts.
        match message {
            Ok(CargoMessage::CompilerArtifact { package_id, manifest_path, target, filenames }) => {
                let folder = manifest_path.parent().unwrap_or(&manifest_path);
                self.messages.targets.push(BuiltTarget {
                    folder: folder.to_owned(),
                    package_id,
                    target,
                });
                for stem in filenames.iter().filter_map(|path| path.file_stem()?.to_str()) {
                    let stem = stem.strip_prefix("lib").unwrap_or(stem);
                    self.artifacts.insert(stem.to_owned(), folder.to_owned());
                }
            }
            Ok(CargoMessage::CompilerMessage { package_id, manifest_path, target, message }) => {
                let is_printed = match printed {
                    Printed::Errors => message.level.starts_with("error"),
                    Printed::All => true,
                    Printed::Nothing => false,
                };
                if is_printed {
                    eprint!("{}", message.rendered.unwrap_or_default());
                }
                let folder = manifest_path.parent().unwrap_or(&manifest_path).to_owned();
                self.messages.targets.push(BuiltTarget { folder, package_id, target });
            }
            Ok(CargoMessage::BuildFinished { success }) => self.success = success,
            Ok(CargoMessage::Other) | Err(_) => {}
        }
    }

    /// Returns the packages with fresh artifacts but without records, which a user must have
    /// removed.
    fn packages_without_records<'p>(
        &self,
        selected: &[&'p Package],
        records: &Path,
    ) -> BTreeSet<&'p str> {
        let lost = self.artifacts.iter().filter_map(|(stem, folder)| {
            let package = selected.iter().find(|package| package.folder() == folder)?;
            let is_script = stem.starts_with("build-script") || stem.starts_with("build_script");
            let gone = !is_script && !records::record_path(records, stem).is_file();
            gone.then_some(package.name.as_str())
        });
        lost.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_cargo_are_read() {
        let mut done = CheckResult::default();
        for line in [
            r#"{"reason":"compiler-artifact","manifest_path":"/w/a/Cargo.toml","fresh":true,
                "filenames":["/w/target/debug/deps/liba-12.rmeta"]}"#,
            r#"{"reason":"compiler-message","message":{"level":"warning","rendered":"w"}}"#,
            r#"{"reason":"build-script-executed","package_id":"x"}"#,
            "hello from a build script",
            r#"{"reason":"build-finished","success":true}"#,
        ] {
            done.read_message(line, Printed::Nothing);
        }
        assert!(done.success);
        assert_eq!(done.artifacts, BTreeMap::from([("a-12".into(), PathBuf::from("/w/a"))]));
    }
}
