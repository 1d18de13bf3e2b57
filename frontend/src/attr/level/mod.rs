//! What is set for a whole build, beyond what the source says: levels of lints, and the back end.
//!
//! - `[package.metadata.warpwise.lints]` in the package's `Cargo.toml` gives levels to lints and
//!   groups of them, where nothing in the source does.
//! - Over all that stands the environment: `WARPWISE_LINTS=off` shows none, `warn` makes errors
//!   warnings and `deny` warnings errors.
//! - In a dependency a lint never stops the build: whoever builds it cannot change it.
//! - `backend = "llvm"` in `[package.metadata.warpwise]` is the back end of kernels that name none, and over all that
//!   stands `WARPWISE_BACKEND`.
#[cfg(test)]
mod tests;

use crate::{
    attr::{
        backend,
        lint_attr::unknown,
        manifest::{self, Entry},
    },
    syntax::suggest::wrong_word,
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

/// The environment variable that names the file. Set by `cargo warpwise`, for one crate each.
pub(crate) const RECORD_FILE: &str = "WARPWISE_RECORD";

/// How a build changes what the source says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    /// Not at all.
    AsWritten,
    /// No lints.
    Off,
    /// No errors.
    Warn,
    /// No warnings: errors.
    Deny,
}

impl Policy {
    /// What a value of `WARPWISE_LINTS` stands for, in a dependency or not.
    fn new(variable: &str, dependency: bool) -> Result<Self, String> {
        match (variable, dependency) {
            ("off", _) => Ok(Self::Off),
            ("warn", _) | ("deny" | "", true) => Ok(Self::Warn),
            ("deny", false) => Ok(Self::Deny),
            ("", false) => Ok(Self::AsWritten),
            (other, _) => Err(wrong_word("`WARPWISE_LINTS`", other, &["off", "warn", "deny"])),
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

    /// The levels that lints have by `package` and by what is `written`, changed.
    fn levels(self, package: &[Setting], written: &Levels) -> Levels {
        let own = LINTS.iter().filter_map(|lint| {
            let given = package.iter().rev().find(|setting| setting.lint == lint.name);
            let level = self.apply(given.map_or(lint.level, |setting| setting.level));
            (level != lint.level).then(|| Setting::everywhere(lint.name, level))
        });
        let written = written
            .settings
            .iter()
            .map(|setting| Setting { level: self.apply(setting.level), ..setting.clone() });
        Levels { settings: own.chain(written).collect() }
    }
}

/// What is set for all kernels of a build.
#[derive(Debug)]
pub(crate) struct Build {
    policy: Policy,
    /// What `Cargo.toml` says, the more general first.
    package: Vec<Setting>,
    /// The back end that the environment names, for every kernel.
    forced_backend: Option<Backend>,
    /// The one that `Cargo.toml` names.
    package_backend: Option<Backend>,
    /// What is wrong with it, or with the environment.
    wrong: Vec<String>,
    /// Whether the package is a dependency of what is worked on.
    dependency: bool,
    /// Whether there is a `Cargo.toml`.
    pub(crate) has_manifest: bool,
}

impl Build {
    /// This one, but without any lints.
    pub(crate) fn silent() -> Levels {
        Policy::Off.levels(&[], &Levels::default())
    }

    /// This one. In a test of this crate nothing is set.
    pub(crate) fn current() -> &'static Self {
        static CURRENT: OnceLock<Build> = OnceLock::new();
        CURRENT.get_or_init(|| {
            if !proc_macro::is_available() {
                return Self::new(Variables::default(), None, false);
            }
            // Without cargo, what is compiled is what is worked on.
            let is_set = |name| env::var_os(name).is_some();
            // What is recorded is read by builds of other packages, too.
            let dependency =
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
            Self::new(variables, manifest, dependency)
        })
    }

    fn new(variables: Variables, manifest: Option<(&Path, &str)>, dependency: bool) -> Self {
        let mut wrong = Vec::new();
        let policy = Policy::new(&variables.lints, dependency).unwrap_or_else(|error| {
            wrong.push(error);
            if dependency { Policy::Warn } else { Policy::AsWritten }
        });
        let forced_backend = match variables.backend.as_str() {
            "" => None,
            name => {
                backend::named("`WARPWISE_BACKEND`", name).map_err(|error| wrong.push(error)).ok()
            }
        };
        let (mut package, mut package_backend) = (Vec::new(), None);
        for entry in manifest.map(|(_, text)| manifest::entries(text)).into_iter().flatten() {
            match setting(&entry) {
                Ok(InPackage::Lints(rank, settings)) => package.push((rank, settings)),
                Ok(InPackage::Backend(backend)) => package_backend = Some(backend),
                Err(error) => {
                    let path = manifest.map(|(path, _)| shown(path)).unwrap_or_default();
                    let (line, table) = (entry.line, entry.table());
                    wrong.push(format!("{error}\n= note: in `{table}` ({path}:{line})"));
                }
            }
        }
        // A table has no order: a lint is over its group, and that over all.
        package.sort_by_key(|settings| std::cmp::Reverse(settings.0));
        let package = package.into_iter().flat_map(|(_, settings)| settings).collect();
        let has_manifest = manifest.is_some();
        Self { policy, package, forced_backend, package_backend, wrong, dependency, has_manifest }
    }

    /// The back end of a kernel that may name one; `None` if nothing does.
    pub(crate) fn backend(&self, named: Option<Backend>) -> Option<Backend> {
        self.forced_backend.or(named).or(self.package_backend)
    }

    /// `written`, and what holds beside it.
    pub(crate) fn levels(&self, written: &Levels) -> Levels {
        self.policy.levels(&self.package, written)
    }

    /// Whether lints are shown at all.
    pub(crate) fn shows_lints(&self) -> bool {
        self.policy != Policy::Off
    }

    /// What is wrong with the settings, and whether that stops the build; once.
    pub(crate) fn complaints(&self) -> impl Iterator<Item = (&str, Level)> {
        static SAID: AtomicBool = AtomicBool::new(false);
        let level = if self.dependency { Level::Warn } else { Level::Deny };
        let wrong = if self.wrong.is_empty() || SAID.swap(true, Ordering::Relaxed) {
            &[]
        } else {
            &self.wrong[..]
        };
        wrong.iter().map(move |text| (text.as_str(), level))
    }
}

/// The environment variables of a build, empty if they are not set.
#[derive(Debug, Default)]
struct Variables {
    /// `WARPWISE_LINTS`
    lints: String,
    /// `WARPWISE_BACKEND`
    backend: String,
}

/// What a line of `Cargo.toml` sets.
enum InPackage {
    /// Levels, behind how many lints the line stands for.
    Lints(usize, Vec<Setting>),
    Backend(Backend),
}

fn setting(entry: &Entry) -> Result<InPackage, String> {
    let Entry { keys, value, .. } = entry;
    let (table, below) = keys.split_first().ok_or("a setting has a name")?;
    match (table.as_str(), value) {
        ("lints", _) if below.is_empty() => Err("`lints` is a table".to_owned()),
        ("lints", value) => {
            lint_levels(below, value.as_deref()).map(|(rank, lints)| InPackage::Lints(rank, lints))
        }
        ("backend", Some(name)) if below.is_empty() => {
            backend::named("`backend`", name).map(InPackage::Backend)
        }
        ("backend", _) => Err("`backend` is a string: `backend = \"llvm\"`".to_owned()),
        (other, _) => Err(wrong_word("a setting", other, &["lints", "backend"])),
    }
}

/// The levels that a line gives to lints, behind how many it stands for.
fn lint_levels(keys: &[String], value: Option<&str>) -> Result<(usize, Vec<Setting>), String> {
    let (name, below) = keys.split_first().ok_or("a lint has a name")?;
    let mut lints = lint::lints_named(name).ok_or_else(|| unknown(name))?;
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
            return Err(wrong_word(&what, other, &["allow", "warn", "deny"]));
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

/// A file as rustc would name it.
fn shown(path: &Path) -> String {
    let here = env::current_dir().ok();
    let within = here.and_then(|here| path.strip_prefix(here).ok());
    within.unwrap_or(path).display().to_string()
}
