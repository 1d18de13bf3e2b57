//! Finds the kernels of a project: runs `cargo check` and reads what the macro recorded.
use crate::{
    args::Build,
    fault::Fault,
    records::{self, At, Header, Level, Line},
    sources::{Place, Sources},
    workspace::{Package, Workspace, cargo},
    wrapper,
};
use serde::Deserialize;
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
    /// Of the packages that are meant, and of all that they depend on.
    pub(crate) kernels: Vec<Kernel>,
    /// What they are written in.
    pub(crate) sources: Sources,
    /// Names of the packages that are meant.
    pub(crate) packages: Vec<String>,
    /// False if something did not compile. What did is there.
    pub(crate) built: bool,
}

/// A kernel, as one compilation of its crate saw it.
#[derive(Debug)]
pub(crate) struct Kernel {
    /// Its name.
    pub(crate) name: String,
    /// The package it is in.
    pub(crate) package: String,
    /// The crate it is in.
    pub(crate) krate: String,
    /// True if its package is one of those that are meant.
    pub(crate) selected: bool,
    /// For which value of it this is, if the kernel depends on it.
    pub(crate) debug_assertions: Option<bool>,
    /// The back end that the build wants.
    pub(crate) backend: Backend,
    /// Where its name is.
    pub(crate) at: Place,
    /// Where the IR's spans are.
    pub(crate) spans: Vec<Place>,
    /// Its IR.
    pub(crate) ir: String,
    /// What lints found, at any level.
    pub(crate) findings: Vec<Finding>,
}

/// What a lint found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// The lint.
    pub(crate) code: String,
    /// How serious it is.
    pub(crate) level: Level,
    /// The fact.
    pub(crate) message: String,
    /// Where it goes wrong.
    pub(crate) at: Place,
    /// Other places, from the effect to its cause.
    pub(crate) labels: Vec<(Place, String)>,
    /// What else it rests on.
    pub(crate) notes: Vec<String>,
    /// What to do.
    pub(crate) help: Option<String>,
}

/// Checks what `build` says.
pub(crate) fn project(build: &Build) -> Result<Project, Fault> {
    let workspace = Workspace::of(build)?;
    let selected = workspace.selected(build)?;
    let target = workspace.target_directory.join("warpwise");
    let records = target.join("records");
    fs::create_dir_all(&records).map_err(|error| {
        Fault::new(format!("cannot make the folder {}: {error}", records.display()))
    })?;
    let check = Check { build, target: &target, records: &records, run: run_id() };
    let mut done = check.run()?;
    let lost = done.lost(&selected, &records);
    if !lost.is_empty() {
        check.forget(&lost)?;
        done = check.run()?;
        if let Some(name) = done.lost(&selected, &records).first() {
            let text = format!("cargo did not compile package `{name}` by way of this program");
            return Err(Fault::new(text));
        }
    }
    let mut project = Project {
        kernels: Vec::new(),
        sources: Sources::new(&workspace.workspace_root),
        packages: selected.iter().map(|package| package.name.clone()).collect(),
        built: done.success,
    };
    for path in check.files(&done)? {
        let (header, lines) = records::read(&path).map_err(|error| unreadable(&path, &error))?;
        let is_selected = selected.iter().any(|package| package.folder() == header.manifest);
        for line in lines {
            project.add(&header, line, is_selected)?;
        }
    }
    Ok(project)
}

/// What no other run has.
fn run_id() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}-{}", process::id(), now.as_nanos())
}

fn unreadable(path: &Path, error: &std::io::Error) -> Fault {
    Fault::new(format!("cannot read {}: {error}", path.display()))
        .help("remove the folder `warpwise` in the target folder")
}

impl Project {
    fn add(&mut self, header: &Header, line: Line, selected: bool) -> Result<(), Fault> {
        let ours = env!("CARGO_PKG_VERSION");
        if line.warpwise != ours {
            let theirs = &line.warpwise;
            let text = format!(
                "package `{}` uses warpwise {theirs}, and this is cargo-warpwise {ours}",
                header.package
            );
            let help = format!("install cargo-warpwise {theirs}");
            return Err(Fault::new(text).help(help));
        }
        let sources = &mut self.sources;
        let mut place = |At(file, line_number, column, end_line, end_column)| {
            let file = line.files.get(file).map_or("", String::as_str);
            let path = header.folder.join(file);
            sources.place(path, (line_number, column), (end_line, end_column))
        };
        let findings = line.diagnostics.iter().map(|found| Finding {
            code: found.code.clone(),
            // Whoever builds a dependency cannot change it.
            level: if selected { found.level } else { found.level.min(Level::Warn) },
            message: found.message.clone(),
            at: place(found.at),
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
            selected,
            debug_assertions: line.debug_assertions,
            backend: line.backend,
            at: place(line.at),
            spans: line.spans.iter().map(|at| place(*at)).collect(),
            ir: line.ir,
            findings,
        });
        Ok(())
    }
}

/// How to run `cargo check`.
struct Check<'a> {
    build: &'a Build,
    target: &'a Path,
    records: &'a Path,
    run: String,
}

/// What a run of it said.
#[derive(Default)]
struct Done {
    /// Stems of what the build consists of, each with the folder of its package.
    artifacts: BTreeMap<String, PathBuf>,
    success: bool,
}

/// A line of what cargo says.
#[derive(Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
enum Message {
    CompilerArtifact {
        manifest_path: PathBuf,
        filenames: Vec<PathBuf>,
    },
    #[serde(rename = "compiler-message")]
    Said {
        message: Rendered,
    },
    BuildFinished {
        success: bool,
    },
    #[serde(other)]
    Other,
}

/// A message of rustc.
#[derive(Deserialize)]
struct Rendered {
    level: String,
    rendered: Option<String>,
}

impl Check<'_> {
    /// Checks, and prints the errors of rustc as they come.
    fn run(&self) -> Result<Done, Fault> {
        let ansi = std::io::stderr().is_terminal();
        let format = if ansi { "json-diagnostic-rendered-ansi" } else { "json" };
        let mut command = self.cargo("check");
        command.arg(format!("--message-format={format}")).arg("--keep-going");
        command.args(self.build.check()).stdout(Stdio::piped());
        let wrapped = wrapper::wrap(&mut command, self.records.as_os_str(), &self.run);
        let failed = |error: std::io::Error| Fault::new(format!("cannot run cargo: {error}"));
        wrapped.map_err(failed)?;
        let mut child = command.spawn().map_err(failed)?;
        let mut done = Done::default();
        if let Some(stdout) = child.stdout.take() {
            for line in BufReader::new(stdout).lines() {
                done.take(&line.map_err(failed)?);
            }
        }
        let status = child.wait().map_err(failed)?;
        done.success &= status.success();
        Ok(done)
    }

    /// Makes cargo compile `packages` again.
    fn forget(&self, packages: &BTreeSet<&str>) -> Result<(), Fault> {
        let mut command = self.cargo("clean");
        command.arg("--quiet").args(packages.iter().map(|name| format!("--package={name}")));
        command.args(
            self.build
                .manifest_path
                .iter()
                .map(|path| format!("--manifest-path={}", path.display())),
        );
        match command.status() {
            Ok(status) if status.success() => Ok(()),
            _ => Err(Fault::new("`cargo clean` failed")),
        }
    }

    fn cargo(&self, command: &str) -> Command {
        let mut cargo = cargo();
        cargo.arg(command).arg("--target-dir").arg(self.target);
        cargo
    }

    /// The records of everything that belongs to the build.
    fn files(&self, done: &Done) -> Result<Vec<PathBuf>, Fault> {
        let listed = done.artifacts.keys().map(|stem| records::path(self.records, stem));
        let mut files: BTreeSet<PathBuf> = listed.filter(|path| path.is_file()).collect();
        if !done.success {
            let failed = |error: std::io::Error| unreadable(self.records, &error);
            for entry in fs::read_dir(self.records).map_err(failed)? {
                let path = entry.map_err(failed)?.path();
                // One that another run has just begun may be empty.
                if records::read_header(&path).is_ok_and(|header| header.run == self.run) {
                    files.insert(path);
                }
            }
        }
        Ok(files.into_iter().collect())
    }
}

impl Done {
    fn take(&mut self, line: &str) {
        // What is no message of cargo's is what a build script printed.
        match serde_json::from_str(line) {
            Ok(Message::CompilerArtifact { manifest_path, filenames }) => {
                let folder = manifest_path.parent().unwrap_or(&manifest_path);
                for stem in filenames.iter().filter_map(|path| path.file_stem()?.to_str()) {
                    let stem = stem.strip_prefix("lib").unwrap_or(stem);
                    self.artifacts.insert(stem.to_owned(), folder.to_owned());
                }
            }
            Ok(Message::Said { message }) if message.level.starts_with("error") => {
                eprint!("{}", message.rendered.unwrap_or_default());
            }
            Ok(Message::BuildFinished { success }) => self.success = success,
            Ok(Message::Said { .. } | Message::Other) | Err(_) => {}
        }
    }

    /// The packages of which something is fresh and its record is gone: somebody removed it.
    fn lost<'p>(&self, selected: &[&'p Package], records: &Path) -> BTreeSet<&'p str> {
        let lost = self.artifacts.iter().filter_map(|(stem, folder)| {
            let package = selected.iter().find(|package| package.folder() == folder)?;
            let is_script = stem.starts_with("build-script") || stem.starts_with("build_script");
            let gone = !is_script && !records::path(records, stem).is_file();
            gone.then_some(package.name.as_str())
        });
        lost.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cargo_says_is_understood() {
        let mut done = Done::default();
        for line in [
            r#"{"reason":"compiler-artifact","manifest_path":"/w/a/Cargo.toml","fresh":true,
                "filenames":["/w/target/debug/deps/liba-12.rmeta"]}"#,
            r#"{"reason":"compiler-message","message":{"level":"warning","rendered":"w"}}"#,
            r#"{"reason":"build-script-executed","package_id":"x"}"#,
            "hello from a build script",
            r#"{"reason":"build-finished","success":true}"#,
        ] {
            done.take(line);
        }
        assert!(done.success);
        assert_eq!(done.artifacts, BTreeMap::from([("a-12".into(), PathBuf::from("/w/a"))]));
    }
}
