//! Packages of a workspace, and their selection.
use crate::{args::Build, error::CommandError};
use serde::Deserialize;
use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Output of `cargo metadata`.
#[derive(Debug, Deserialize)]
pub(crate) struct Workspace {
    /// Root folder.
    pub(crate) workspace_root: PathBuf,
    /// Target folder.
    pub(crate) target_directory: PathBuf,
    packages: Vec<Package>,
    #[serde(default)]
    workspace_default_members: Vec<String>,
}

/// Member of the workspace.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    id: String,
    /// Name.
    pub(crate) name: String,
    version: String,
    manifest_path: PathBuf,
}

/// Returns the cargo that runs this program, or the one on the `PATH`.
pub(crate) fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")))
}

impl Workspace {
    /// Loads the workspace that `build` refers to.
    pub(crate) fn load(build: &Build) -> Result<Self, CommandError> {
        let mut command = cargo();
        command
            .args(["metadata", "--no-deps", "--format-version=1"])
            .args(build.metadata_options());
        let output = command.stderr(Stdio::inherit()).output();
        let output =
            output.map_err(|error| CommandError::new(format!("cannot run cargo: {error}")))?;
        if !output.status.success() {
            return Err(CommandError::new("`cargo metadata` failed"));
        }
        serde_json::from_slice(&output.stdout).map_err(|error| {
            CommandError::new(format!("cannot read what `cargo metadata` says: {error}"))
        })
    }

    /// Returns the members that `build` selects, by the rules of `cargo check`.
    pub(crate) fn selected_packages(&self, build: &Build) -> Result<Vec<&Package>, CommandError> {
        let members = self.packages.iter();
        if !build.package.is_empty() {
            return self.packages_named(&build.package);
        }
        if build.workspace {
            let excluded =
                |package: &Package| build.exclude.iter().any(|spec| package.matches_spec(spec));
            return Ok(members.filter(|package| !excluded(package)).collect());
        }
        let manifest =
            find_manifest(build).map_err(|error| CommandError::new(error.to_string()))?;
        let root = self.workspace_root.join("Cargo.toml");
        // The manifest of a workspace root selects the default members.
        let here = manifest.filter(|path| *path != root);
        let here = here.and_then(|path| members.clone().find(|found| found.manifest_path == path));
        Ok(match here {
            Some(package) => vec![package],
            None => members
                .filter(|package| self.workspace_default_members.contains(&package.id))
                .collect(),
        })
    }

    fn packages_named(&self, specs: &[String]) -> Result<Vec<&Package>, CommandError> {
        let mut found = Vec::new();
        for spec in specs {
            let before = found.len();
            found.extend(self.packages.iter().filter(|package| package.matches_spec(spec)));
            if found.len() == before {
                let text = format!("package `{spec}` is no member of this workspace");
                return Err(
                    CommandError::new(text).with_help("`--deps` looks at dependencies, too")
                );
            }
        }
        Ok(found)
    }
}

impl Package {
    /// Returns the folder of the manifest.
    pub(crate) fn folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(&self.manifest_path)
    }

    /// Returns true if `spec` names the package: `name`, `name@version`, an id, or a pattern with
    /// `*` and `?`.
    fn matches_spec(&self, spec: &str) -> bool {
        let versioned = format!("{}@{}", self.name, self.version);
        spec == self.id || matches_pattern(spec, &self.name) || spec == versioned
    }
}

/// Returns true if `text` matches `pattern`, with `*` for any characters and `?` for one.
fn matches_pattern(pattern: &str, text: &str) -> bool {
    match pattern.chars().next() {
        None => text.is_empty(),
        Some('*') => {
            let starts = text.char_indices().map(|(start, _)| start).chain([text.len()]);
            starts.into_iter().any(|start| matches_pattern(&pattern[1..], &text[start..]))
        }
        Some(wanted) => text.chars().next().is_some_and(|found| {
            (wanted == '?' || wanted == found)
                && matches_pattern(&pattern[wanted.len_utf8()..], &text[found.len_utf8()..])
        }),
    }
}

/// Returns the manifest that cargo would use.
fn find_manifest(build: &Build) -> std::io::Result<Option<PathBuf>> {
    if let Some(path) = &build.manifest_path {
        return path.canonicalize().map(Some);
    }
    let here = env::current_dir()?;
    let manifests = here.ancestors().map(|folder| folder.join("Cargo.toml"));
    Ok(manifests.into_iter().find(|path| path.is_file()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_have_several_names() {
        let package = Package {
            id: "path+file:///w/image-kernels#0.3.0".into(),
            name: "image-kernels".into(),
            version: "0.3.0".into(),
            manifest_path: "/w/image-kernels/Cargo.toml".into(),
        };
        let names = ["image-kernels", "image-kernels@0.3.0", "image-*", "*", "image?kernels"];
        for name in names.into_iter().chain([package.id.as_str()]) {
            assert!(package.matches_spec(name), "{name}");
        }
        for name in ["image", "image-kernels@0.2.0", "image-*s?", ""] {
            assert!(!package.matches_spec(name), "{name}");
        }
        assert_eq!(package.folder(), Path::new("/w/image-kernels"));
    }
}
