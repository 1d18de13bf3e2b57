//! `cargo-warpwise` in the place of rustc: what tells the macro where to record.
//!
//! Cargo runs `cargo-warpwise rustc ..` for every crate, because `RUSTC_WRAPPER` says so. That
//! begins a new record of the crate, in the place of the one of its last compilation, and then is rustc.
use crate::records;
use std::{
    env,
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

/// The environment variable that names the folder of the records, and makes this program a
/// wrapper.
pub(crate) const FOLDER: &str = "CARGO_WARPWISE_RECORDS";
/// The environment variable that tells this run from all others.
pub(crate) const RUN: &str = "CARGO_WARPWISE_RUN";

/// What is to be compiled.
#[derive(Debug)]
pub(crate) struct Compilation {
    folder: PathBuf,
    compiler: OsString,
    arguments: Vec<OsString>,
}

/// What this program is to compile in the place of rustc; `None` if it is what a user started.
pub(crate) fn asked_for() -> Option<Compilation> {
    let folder = env::var_os(FOLDER)?;
    let mut words = env::args_os().skip(1);
    let compiler = words.next()?;
    // A build script may run `cargo warpwise` itself.
    let is_compiler = Path::new(&compiler).is_absolute() || compiler == "rustc";
    is_compiler.then(|| Compilation { folder: folder.into(), compiler, arguments: words.collect() })
}

/// Compiles.
pub(crate) fn run(compilation: &Compilation) -> ExitCode {
    let Compilation { folder, compiler, arguments } = compilation;
    let mut command = Command::new(compiler);
    command.args(arguments).env_remove(FOLDER).env_remove(RUN).env_remove("RUSTC_WRAPPER");
    if let Some(stem) = stem(arguments) {
        let begun = records::begin(folder, &stem, &env::var(RUN).unwrap_or_default());
        match begun {
            Ok(path) => command.env(records::FILE, path),
            Err(error) => {
                eprintln!("error: cannot write to {}: {error}", folder.display());
                return ExitCode::FAILURE;
            }
        };
    }
    let error = become_it(command);
    eprintln!("error: cannot run {}: {error}", compiler.display());
    ExitCode::FAILURE
}

/// The name of what rustc writes, without `lib` and without an extension: the crate's name, and
/// what tells this compilation of it from others. `None` if rustc is only asked something.
fn stem(arguments: &[OsString]) -> Option<String> {
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    let after = |word: &str| {
        let index = words.iter().position(|known| *known == word)?;
        words.get(index + 1).copied()
    };
    let name = after("--crate-name").filter(|name| *name != "___")?;
    let extra = words.iter().find_map(|word| {
        word.strip_prefix("-Cextra-filename=").or_else(|| word.strip_prefix("extra-filename="))
    });
    Some(format!("{name}{}", extra?))
}

/// Runs `command` in the place of this process; returns only if that fails.
#[cfg(unix)]
fn become_it(mut command: Command) -> io::Error {
    std::os::unix::process::CommandExt::exec(&mut command)
}

/// Runs `command`, and ends as it does; returns only if that fails.
#[cfg(not(unix))]
fn become_it(mut command: Command) -> io::Error {
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}

/// Sets `command`, a cargo, up to use this program as the wrapper.
pub(crate) fn wrap(command: &mut Command, folder: &OsStr, run: &str) -> io::Result<()> {
    command.env("RUSTC_WRAPPER", env::current_exe()?).env(FOLDER, folder).env(RUN, run);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stem_of(line: &str) -> Option<String> {
        stem(&line.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn a_compilation_is_known_by_what_it_writes() {
        let line =
            "--crate-name demo --edition=2024 src/lib.rs -C metadata=1a -C extra-filename=-2b";
        assert_eq!(stem_of(line).as_deref(), Some("demo-2b"));
        assert_eq!(stem_of("--crate-name demo -Cextra-filename=-2b").as_deref(), Some("demo-2b"));
    }

    #[test]
    fn questions_are_no_compilations() {
        assert_eq!(stem_of("-vV"), None);
        assert_eq!(stem_of("- --crate-name ___ --print=file-names"), None);
        assert_eq!(stem_of("--crate-name probe src/lib.rs"), None);
    }
}
