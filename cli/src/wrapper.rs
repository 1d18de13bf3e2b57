//! `cargo-warpwise` as the rustc wrapper: passes the record's path to the macro.
//!
//! Cargo runs `cargo-warpwise rustc ..` for every member of the workspace, because
//! `RUSTC_WORKSPACE_WRAPPER` says so, or for every crate, because `RUSTC_WRAPPER` does. The
//! wrapper begins a new record of the crate, which replaces that of its last compilation, and then
//! becomes rustc.
use crate::{project::Scope, records};
use std::{
    env,
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

/// Environment variable with the folder of the records; its presence makes this program a wrapper.
pub(crate) const RECORDS_VARIABLE: &str = "CARGO_WARPWISE_RECORDS";
/// Environment variable with the id of the run.
pub(crate) const RUN_VARIABLE: &str = "CARGO_WARPWISE_RUN";

/// Compilation to run.
#[derive(Debug)]
pub(crate) struct Compilation {
    folder: PathBuf,
    compiler: OsString,
    arguments: Vec<OsString>,
}

/// Returns the compilation that this process is to run in place of rustc; `None` if a user started
/// it.
pub(crate) fn compilation_from_env() -> Option<Compilation> {
    let folder = env::var_os(RECORDS_VARIABLE)?;
    let mut words = env::args_os().skip(1);
    let compiler = words.next()?;
    // A build script may run `cargo warpwise` itself.
    let is_compiler = Path::new(&compiler).is_absolute() || compiler == "rustc";
    is_compiler.then(|| Compilation { folder: folder.into(), compiler, arguments: words.collect() })
}

/// Runs the compilation.
pub(crate) fn run_compilation(compilation: &Compilation) -> ExitCode {
    let Compilation { folder, compiler, arguments } = compilation;
    let mut command = Command::new(compiler);
    // Programs that the compilation starts must not act as wrappers themselves.
    command
        .args(arguments)
        .env_remove(RECORDS_VARIABLE)
        .env_remove(RUN_VARIABLE)
        .env_remove("RUSTC_WRAPPER")
        .env_remove("RUSTC_WORKSPACE_WRAPPER");
    if let Some(stem) = output_stem(arguments) {
        let begun =
            records::begin_record(folder, &stem, &env::var(RUN_VARIABLE).unwrap_or_default());
        match begun {
            Ok(path) => command.env(records::RECORD_VARIABLE, path),
            Err(error) => {
                eprintln!("error: cannot write to {}: {error}", folder.display());
                return ExitCode::FAILURE;
            }
        };
    }
    let error = replace_process(command);
    eprintln!("error: cannot run {}: {error}", compiler.display());
    ExitCode::FAILURE
}

/// Returns the stem of rustc's output files, without `lib` and extension: the crate's name, and a
/// suffix that is unique to the compilation. `None` if rustc only answers a query.
fn output_stem(arguments: &[OsString]) -> Option<String> {
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

/// Replaces this process by `command`; returns only on failure.
#[cfg(unix)]
fn replace_process(mut command: Command) -> io::Error {
    std::os::unix::process::CommandExt::exec(&mut command)
}

/// Runs `command`, and exits with its status; returns only on failure.
#[cfg(not(unix))]
fn replace_process(mut command: Command) -> io::Error {
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}

/// Sets up the cargo `command` to use this program as its only wrapper, for the crates in `scope`.
pub(crate) fn set_wrapper(
    command: &mut Command,
    scope: Scope,
    folder: &OsStr,
    run: &str,
) -> io::Result<()> {
    let program = env::current_exe()?.into_os_string();
    // An empty variable overrides a wrapper in cargo's configuration.
    let (all, members) = match scope {
        Scope::Workspace => (OsString::new(), program),
        Scope::Dependencies => (program, OsString::new()),
    };
    command
        .env("RUSTC_WRAPPER", all)
        .env("RUSTC_WORKSPACE_WRAPPER", members)
        .env(RECORDS_VARIABLE, folder)
        .env(RUN_VARIABLE, run);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stem_of(line: &str) -> Option<String> {
        output_stem(&line.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn a_compilation_is_identified_by_its_output() {
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
