//! Settings of a whole build beyond the source: lint levels and the back end.
//!
//! - `[package.metadata.warpwise.lints]` in the package's `Cargo.toml` sets the levels of lints and
//!   lint groups without a level in the source.
//! - The environment overrides all of that: `WARPWISE_LINTS=off` hides lints, `warn` turns errors
//!   into warnings and `deny` warnings into errors.
//! - In a dependency a lint never fails the build, since its user cannot change the code.
//! - `backend = "llvm"` in `[package.metadata.warpwise]` sets the back end of kernels that name
//!   none; `WARPWISE_BACKEND` overrides every other setting.
#[cfg(test)]
mod tests;

use crate::{
    attr::{
        backend,
        lint_attr::unknown_lint_message,
        manifest::{self, ManifestEntry},
    },
    syntax::suggest::unknown_word_message,
};
use std::{
    env, fs,
    path::{Path, PathBuf},
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};
use warpwise_compiler::{
    back::Backend,
    diag::Level,
    lint::{self, GROUPS, LINTS, Levels, Setting},
};

/// The environment variable with the record file's path. `cargo warpwise` sets it, to one file per
/// crate.
pub(crate) const RECORD_FILE: &str = "WARPWISE_RECORD";

/// The effect of a build on the lint levels of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    /// Keep the levels.
    AsWritten,
    /// Hide all lints.
    Off,
    /// Turn errors into warnings.
    Warn,
    /// Turn warnings into errors.
    Deny,
}

impl Policy {
    /// Parses the value of `WARPWISE_LINTS`; a dependency never gets errors.
    fn new(variable: &str, is_dependency: bool) -> Result<Self, String> {
        match (variable, is_dependency) {
            ("off", _) => Ok(Self::Off),
            ("warn", _) | ("deny" | "", true) => Ok(Self::Warn),
            ("deny", false) => Ok(Self::Deny),
            ("", false) => Ok(Self::AsWritten),
            (other, _) => {
                Err(unknown_word_message("`WARPWISE_LINTS`", other, &["off", "warn", "deny"]))
            }
        }
    }

    fn apply(self, level: Level) -> Level {
        match (self, level) {
            (Self::AsWritten, level) => level,
            (Self::Off, _) => Level::Allow,
            (Self::Warn, level) => level.min(Level::Warn),
            (Self::Deny, Level::Warn) => Level::Deny,
            (Self::Deny, level @ (Level::Allow | Level::Deny)) => level,
        }
    }

    /// Returns the levels of the `package` and the `written` ones, with the policy applied.
    fn apply_to_all(self, package: &[Setting], written: &Levels) -> Levels {
        let own = LINTS.iter().filter_map(|lint| {
            let package_setting = package.iter().rev().find(|setting| setting.lint == lint.name);
            let level = self.apply(package_setting.map_or(lint.level, |setting| setting.level));
            (level != lint.level).then(|| Setting::everywhere(lint.name, level))
        });
        let written = written
            .settings
            .iter()
            .map(|setting| Setting { level: self.apply(setting.level), ..setting.clone() });
        Levels { settings: own.chain(written).collect() }
    }
}

/// The settings for all kernels of a build.
#[derive(Debug)]
pub(crate) struct Build {
    policy: Policy,
    /// Levels from `Cargo.toml`, general ones before specific ones.
    package: Vec<Setting>,
    /// The back end from the environment, for every kernel.
    forced_backend: Option<Backend>,
    /// The back end from `Cargo.toml`.
    package_backend: Option<Backend>,
    /// Errors in `Cargo.toml` and in the environment.
    errors: Vec<String>,
    /// True if the package is only a dependency of the packages that the user builds.
    is_dependency: bool,
    /// True if there is a `Cargo.toml`.
    pub(crate) has_manifest: bool,
}

impl Build {
    /// Returns levels that hide every lint.
    pub(crate) fn silent_levels() -> Levels {
        Policy::Off.apply_to_all(&[], &Levels::default())
    }

    /// Returns the settings of this build. Unit tests of this crate run without settings.
    pub(crate) fn current() -> &'static Self {
        static CURRENT: OnceLock<Build> = OnceLock::new();
        CURRENT.get_or_init(|| {
            if !proc_macro::is_available() {
                return Self::new(Variables::default(), None, false);
            }
            // Without cargo, the crate at hand is the user's own.
            let is_set = |name| env::var_os(name).is_some();
            // Builds of other packages also read the records.
            let is_dependency =
                is_set("CARGO") && !is_set("CARGO_PRIMARY_PACKAGE") && !is_set(RECORD_FILE);
            let variable =
                |name| env::var_os(name).unwrap_or_default().to_string_lossy().into_owned();
            let variables = Variables {
                lints: variable("WARPWISE_LINTS"),
                backend: variable("WARPWISE_BACKEND"),
            };
            let manifest = env::var_os("CARGO_MANIFEST_DIR").and_then(|folder| {
                let path = PathBuf::from(folder).join("Cargo.toml");
                let text = fs::read_to_string(&path).ok()?;
                Some((path, text))
            });
            let manifest = manifest.as_ref().map(|(path, text)| (path.as_path(), text.as_str()));
            Self::new(variables, manifest, is_dependency)
        })
    }

    /// Returns true if a crate of this name may be a dependency: unless the package has a
    /// `Cargo.toml` that does not mention it.
    pub(crate) fn may_be_dependency(name: &str) -> bool {
        static MANIFEST: OnceLock<Option<String>> = OnceLock::new();
        let manifest = MANIFEST.get_or_init(|| {
            let folder = env::var_os("CARGO_MANIFEST_DIR")?;
            fs::read_to_string(PathBuf::from(folder).join("Cargo.toml")).ok()
        });
        let is_name = |char: char| char.is_alphanumeric() || char == '_';
        let mentions = |text: &String| {
            text.replace('-', "_").split(|char| !is_name(char)).any(|word| word == name)
        };
        manifest.as_ref().is_none_or(mentions)
    }

    fn new(variables: Variables, manifest: Option<(&Path, &str)>, is_dependency: bool) -> Self {
        let mut errors = Vec::new();
        let policy = Policy::new(&variables.lints, is_dependency).unwrap_or_else(|error| {
            errors.push(error);
            if is_dependency { Policy::Warn } else { Policy::AsWritten }
        });
        let forced_backend = match variables.backend.as_str() {
            "" => None,
            name => backend::find_backend("`WARPWISE_BACKEND`", name)
                .map_err(|error| errors.push(error))
                .ok(),
        };
        let (mut package, mut package_backend) = (Vec::new(), None);
        for entry in manifest.map(|(_, text)| manifest::read_entries(text)).into_iter().flatten() {
            match parse_setting(&entry) {
                Ok(PackageSetting::Lints(rank, settings)) => package.push((rank, settings)),
                Ok(PackageSetting::Backend(backend)) => package_backend = Some(backend),
                Err(error) => {
                    let path = manifest.map(|(path, _)| display_path(path)).unwrap_or_default();
                    let (line, table) = (entry.line, entry.table_header());
                    errors.push(format!("{error}\n= note: in `{table}` ({path}:{line})"));
                }
            }
        }
        // A TOML table is unordered: a lint overrides its group, and a group overrides `all`.
        package.sort_by_key(|settings| std::cmp::Reverse(settings.0));
        let package = package.into_iter().flat_map(|(_, settings)| settings).collect();
        let has_manifest = manifest.is_some();
        Self {
            policy,
            package,
            forced_backend,
            package_backend,
            errors,
            is_dependency,
            has_manifest,
        }
    }

    /// Returns the back end of a kernel that names `named`; `None` without any setting.
    pub(crate) fn backend_for(&self, named: Option<Backend>) -> Option<Backend> {
        self.forced_backend.or(named).or(self.package_backend)
    }

    /// Returns the `written` levels together with the package's, as this build applies them.
    pub(crate) fn levels_with(&self, written: &Levels) -> Levels {
        self.policy.apply_to_all(&self.package, written)
    }

    /// Returns true unless the build hides all lints.
    pub(crate) fn shows_lints(&self) -> bool {
        self.policy != Policy::Off
    }

    /// Returns the errors in the settings with their severity, on the first call only.
    pub(crate) fn take_errors(&self) -> impl Iterator<Item = (&str, Level)> {
        static REPORTED: AtomicBool = AtomicBool::new(false);
        let level = if self.is_dependency { Level::Warn } else { Level::Deny };
        let errors = if self.errors.is_empty() || REPORTED.swap(true, Ordering::Relaxed) {
            &[]
        } else {
            &self.errors[..]
        };
        errors.iter().map(move |text| (text.as_str(), level))
    }
}

/// The values of the environment variables; empty if not set.
#[derive(Debug, Default)]
struct Variables {
    /// `WARPWISE_LINTS`
    lints: String,
    /// `WARPWISE_BACKEND`
    backend: String,
}

/// The effect of one line of `Cargo.toml`.
enum PackageSetting {
    /// Lint levels, after the rank of the lint name: the more lints it covers, the higher.
    Lints(usize, Vec<Setting>),
    Backend(Backend),
}

fn parse_setting(entry: &ManifestEntry) -> Result<PackageSetting, String> {
    let ManifestEntry { keys, value, .. } = entry;
    let (table, below) = keys.split_first().ok_or("a setting has a name")?;
    match (table.as_str(), value) {
        ("lints", _) if below.is_empty() => Err("`lints` is a table".to_owned()),
        ("lints", value) => parse_lint_levels(below, value.as_deref())
            .map(|(rank, lints)| PackageSetting::Lints(rank, lints)),
        ("backend", Some(name)) if below.is_empty() => {
            backend::find_backend("`backend`", name).map(PackageSetting::Backend)
        }
        ("backend", _) => Err("`backend` is a string: `backend = \"llvm\"`".to_owned()),
        (other, _) => Err(unknown_word_message("a setting", other, &["lints", "backend"])),
    }
}

/// Returns the levels that a line sets, after the rank of its lint name.
fn parse_lint_levels(
    keys: &[String],
    value: Option<&str>,
) -> Result<(usize, Vec<Setting>), String> {
    let (name, below) = keys.split_first().ok_or("a lint has a name")?;
    let mut lints = lint::lints_named(name).ok_or_else(|| unknown_lint_message(name))?;
    if let Some(key) = below.iter().find(|key| *key != "level").or(below.get(1)) {
        return Err(format!("`{name}` has a `level` and no `{key}`"));
    }
    let form = || format!("the level of `{name}` is a string: `{name} = \"warn\"`");
    let level = match value.ok_or_else(form)? {
        "allow" => Level::Allow,
        "warn" => Level::Warn,
        "deny" => Level::Deny,
        other => {
            let what = format!("the level of `{name}`");
            return Err(unknown_word_message(&what, other, &["allow", "warn", "deny"]));
        }
    };
    let rank = match GROUPS.iter().find(|(group, _)| group == name) {
        Some((_, None)) => 2,
        Some((_, Some(_))) => 1,
        None => 0,
    };
    let settings = lints.drain(..).map(|lint| Setting::everywhere(lint, level));
    Ok((rank, settings.collect()))
}

/// Returns the path as rustc displays it.
fn display_path(path: &Path) -> String {
    let here = env::current_dir().ok();
    let within = here.and_then(|here| path.strip_prefix(here).ok());
    within.unwrap_or(path).display().to_string()
}
