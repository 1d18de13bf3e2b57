//! `cargo warpwise new` and `init`: a package to begin with, and the settings that show lints in
//! editors, on GitHub and before each commit.
use crate::{
    args::{Init, New},
    error::CommandError,
    workspace::cargo,
};
use serde_json::{Map, Value, json};
use std::{fs, path::Path, process::ExitCode};

const MAIN: &str = include_str!("../template/main.rs");
const LIBRARY: &str = include_str!("../template/lib.rs");
const WORKFLOW: &str = include_str!("../template/github.yml");
const HOOK: &str = include_str!("../template/pre-commit.yaml");

/// The setting of rust-analyzer that makes it run `cargo warpwise check`.
const OVERRIDE_KEY: &str = "rust-analyzer.check.overrideCommand";
const OVERRIDE_COMMAND: [&str; 6] =
    ["cargo", "warpwise", "check", "--workspace", "--all-targets", "--message-format=json"];

/// Runs `cargo warpwise new`.
pub(crate) fn create_package(command: &New) -> Result<ExitCode, CommandError> {
    let folder = &command.folder;
    let status = cargo().args(["new", "--quiet"]).arg(folder).status();
    match status {
        Ok(status) if status.success() => {}
        Ok(_) => return Err(CommandError::new("`cargo new` failed")),
        Err(error) => return Err(CommandError::new(format!("cannot run cargo: {error}"))),
    }
    let manifest = folder.join("Cargo.toml");
    let mut text = read_file(&manifest)?;
    let dependency = dependency(command.path.as_deref())?;
    if !text.contains("[dependencies]") {
        text.push_str("\n[dependencies]\n");
    }
    text = text.replacen("[dependencies]\n", &format!("[dependencies]\n{dependency}"), 1);
    write_file(&manifest, &text)?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy().replace('-', "_");
    write_file(&folder.join("src/main.rs"), &MAIN.replace("PACKAGE", &name))?;
    write_file(&folder.join("src/lib.rs"), LIBRARY)?;
    write_editor_settings(folder)?;
    println!(
        "created {0}; next:\n  cd {0}\n  cargo test            # the kernel, on the interpreter\n  cargo run             # on a GPU if there is one\n  cargo warpwise lint   # what is wrong or slow",
        folder.display()
    );
    Ok(ExitCode::SUCCESS)
}

/// Returns the line of a manifest for the dependency on `warpwise`: the crate at a path; without
/// one, that of the checkout that this program was built from, or the published one.
pub(crate) fn dependency(path: Option<&Path>) -> Result<String, CommandError> {
    dependency_or(path, option_env!("WARPWISE_RUNTIME").map(Path::new))
}

fn dependency_or(path: Option<&Path>, checkout: Option<&Path>) -> Result<String, CommandError> {
    let checkout = checkout.filter(|folder| folder.join("Cargo.toml").is_file());
    let Some(path) = path.or(checkout) else {
        return Ok(format!("warpwise = \"{}\"\n", env!("CARGO_PKG_VERSION")));
    };
    let path = path.canonicalize().map_err(|error| file_fault("find", path, &error))?;
    Ok(format!("warpwise = {{ path = {:?} }}\n", path.display().to_string()))
}

/// Runs `cargo warpwise init`.
pub(crate) fn write_settings(command: &Init) -> Result<ExitCode, CommandError> {
    let folder = &command.folder;
    write_editor_settings(folder)?;
    if command.github {
        write_new(&folder.join(".github/workflows/warpwise.yml"), WORKFLOW)?;
    }
    if command.pre_commit {
        write_new(&folder.join(".pre-commit-config.yaml"), HOOK)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Adds the setting of rust-analyzer to those of VS Code.
fn write_editor_settings(folder: &Path) -> Result<(), CommandError> {
    let path = folder.join(".vscode/settings.json");
    let known = if path.exists() { read_file(&path)? } else { "{}".to_owned() };
    let setting = json!(OVERRIDE_COMMAND);
    let Ok(Value::Object(mut settings)) = serde_json::from_str::<Value>(&known) else {
        // With comments, which would be lost.
        println!("add to {}:\n  \"{OVERRIDE_KEY}\": {setting}", path.display());
        return Ok(());
    };
    if settings.get(OVERRIDE_KEY) == Some(&setting) {
        println!("{} shows lints already", path.display());
        return Ok(());
    }
    if settings.contains_key(OVERRIDE_KEY) {
        println!("replace in {}:\n  \"{OVERRIDE_KEY}\": {setting}", path.display());
        return Ok(());
    }
    settings.insert(OVERRIDE_KEY.to_owned(), setting);
    write_file(&path, &to_pretty_json(settings))?;
    println!("wrote {}", path.display());
    Ok(())
}

fn to_pretty_json(settings: Map<String, Value>) -> String {
    format!("{:#}\n", Value::Object(settings))
}

/// Writes a file that does not exist; prints its content otherwise.
fn write_new(path: &Path, text: &str) -> Result<(), CommandError> {
    if path.exists() {
        println!("{} exists; add to it:\n{text}", path.display());
        return Ok(());
    }
    write_file(path, text)?;
    println!("wrote {}", path.display());
    Ok(())
}

fn read_file(path: &Path) -> Result<String, CommandError> {
    fs::read_to_string(path).map_err(|error| file_fault("read", path, &error))
}

/// Writes a file, and creates its folder.
pub(crate) fn write_file(path: &Path, text: &str) -> Result<(), CommandError> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).map_err(|error| file_fault("create", folder, &error))?;
    fs::write(path, text).map_err(|error| file_fault("write", path, &error))
}

fn file_fault(what: &str, path: &Path, error: &std::io::Error) -> CommandError {
    CommandError::new(format!("cannot {what} {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_is_a_path_where_there_is_one() {
        let version = format!("warpwise = \"{}\"\n", env!("CARGO_PKG_VERSION"));
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let found = |path, checkout| dependency_or(path, checkout).expect("the folders exist");
        assert_eq!(found(None, None), version);
        let (removed, sources) = (here.join("removed"), here.join("src"));
        assert_eq!(found(None, Some(&removed)), version);
        assert!(found(None, Some(here)).starts_with("warpwise = { path = "));
        assert!(found(Some(&sources), Some(here)).ends_with("src\" }\n"));
        assert!(dependency_or(Some(&removed), None).is_err());
    }
}
