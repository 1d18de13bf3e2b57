//! `cargo warpwise doctor`: what this machine has of what kernels need.
use crate::{
    args::{Build, When},
    color::Paint,
    pages, sass, tools,
    workspace::cargo,
};
use annotate_snippets::renderer::AnsiColor;
use std::{
    env,
    io::{self, Write as _},
    process::{Command, ExitCode, Stdio},
};
use warpwise::{Device, Error, check::Checks};
use warpwise_compiler::back::Backend;
use warpwise_llvm::Llvm;

/// A line of what is said.
#[derive(Debug, PartialEq, Eq)]
struct Line {
    mark: Mark,
    subject: &'static str,
    text: String,
    /// What to do.
    help: Option<String>,
}

/// How it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// As it should be.
    Ok,
    /// Something is not there that kernels do without.
    Note,
    /// Something is wrong.
    Warn,
}

impl Line {
    fn new(mark: Mark, subject: &'static str, text: impl Into<String>) -> Self {
        Self { mark, subject, text: text.into(), help: None }
    }

    fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

/// Runs the command.
pub(crate) fn run(color: When) -> ExitCode {
    let paint = Paint::of(color, &io::stdout());
    let mut lines = toolchain();
    lines.extend(devices());
    lines.push(engine(env::var("WARPWISE_DEVICE").ok().as_deref()));
    lines.push(llvm());
    lines.push(program("ptxas", sass::PTXAS_PACKAGE));
    lines.push(program("nvdisasm", sass::NVDISASM_PACKAGE));
    lines.extend(variables(env::vars_os().map(|(name, value)| {
        (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned())
    })));
    let text: String = lines.iter().map(|line| shown(line, paint)).collect();
    // Nobody is there to be told that nobody reads this.
    let _ = io::stdout().write_all(text.as_bytes());
    ExitCode::from(u8::from(lines.iter().any(|line| line.mark == Mark::Warn)))
}

fn shown(line: &Line, paint: Paint) -> String {
    let (color, mark) = match line.mark {
        Mark::Ok => (AnsiColor::BrightGreen, "ok  "),
        Mark::Note => (AnsiColor::BrightBlue, "note"),
        Mark::Warn => (AnsiColor::BrightYellow, "warn"),
    };
    let help = line.help.iter().map(|help| format!("      {:10}help: {help}\n", ""));
    let help: String = help.collect();
    format!("{}  {:10}{}\n{help}", paint.bold(color, mark), line.subject, line.text)
}

/// The compiler, and the version of Warpwise.
fn toolchain() -> Vec<Line> {
    let mut lines = vec![rustc()];
    let ours = env!("CARGO_PKG_VERSION");
    match project_version() {
        Some(theirs) if theirs != ours => lines.push(
            Line::new(
                Mark::Warn,
                "warpwise",
                format!("this is cargo-warpwise {ours}, and the project uses warpwise {theirs}"),
            )
            .help(format!("install cargo-warpwise {theirs}")),
        ),
        Some(_) => lines.push(Line::new(
            Mark::Ok,
            "warpwise",
            format!("cargo-warpwise {ours}, as the project's warpwise"),
        )),
        None => lines.push(Line::new(
            Mark::Note,
            "warpwise",
            format!("cargo-warpwise {ours}; there is no project here that uses warpwise"),
        )),
    }
    lines
}

fn rustc() -> Line {
    let needed = env!("CARGO_PKG_RUST_VERSION");
    let program = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(program).arg("--version").output();
    let Ok(output) = output else {
        return Line::new(Mark::Warn, "rust", "there is no `rustc` here")
            .help(format!("install Rust {needed} or newer: https://rustup.rs"));
    };
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    match text.split_whitespace().nth(1).map(|version| (numbers(version), numbers(needed))) {
        Some((found, needed)) if found >= needed => Line::new(Mark::Ok, "rust", text),
        _ => Line::new(Mark::Warn, "rust", format!("`{text}`, and warpwise needs {needed}"))
            .help("`rustup update stable`"),
    }
}

/// What the LLVM back end compiles with.
fn llvm() -> Line {
    match Llvm::find() {
        Ok(llvm) => Line::new(Mark::Ok, "llvm", format!("{llvm}, `{}`", llvm.path().display())),
        Err(error) => Line::new(Mark::Note, "llvm", error.to_string()).help(
            "the built-in back end makes the PTX of all kernels; rustup's toolchains have LLVM",
        ),
    }
}

/// The numbers of a version such as `1.95.0-nightly`.
fn numbers(version: &str) -> Vec<u32> {
    let plain = version.split('-').next().unwrap_or_default();
    plain.split('.').map_while(|number| number.parse().ok()).collect()
}

/// The version of warpwise that the project in this folder uses.
fn project_version() -> Option<String> {
    let mut command = cargo();
    command.args(["pkgid", "--offline", "warpwise"]).args(Build::default().metadata());
    let output = command.stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (_, version) = text.trim().rsplit_once(['@', '#'])?;
    Some(version.to_owned())
}

/// The driver, and every GPU that it shows.
fn devices() -> Vec<Line> {
    let mut lines = Vec::new();
    for ordinal in 0.. {
        match Device::cuda(ordinal) {
            Ok(device) => {
                if ordinal == 0 {
                    lines.push(driver(&device));
                }
                lines.push(Line::new(Mark::Ok, "gpu", described(&device)));
            }
            Err(Error::NoDevice { .. }) if ordinal > 0 => break,
            Err(error) => {
                let goes_on = matches!(error, Error::DeviceTooOld { .. });
                lines.push(trouble(&error));
                if !goes_on {
                    break;
                }
            }
        }
    }
    lines
}

fn driver(device: &Device) -> Line {
    let version = device.info().cuda.map_or("of an unknown version".to_owned(), |version| {
        format!("for CUDA {}.{}", version / 1000, version % 1000 / 10)
    });
    Line::new(Mark::Ok, "driver", format!("NVIDIA's, {version}"))
}

fn described(device: &Device) -> String {
    let info = device.info();
    let sm = info.sm.map_or(String::new(), |sm| {
        format!(", compute capability {}.{} (sm_{sm})", sm / 10, sm % 10)
    });
    let memory = info.memory.map_or(String::new(), |bytes| format!(", {} MiB", bytes >> 20));
    format!("{device}{sm}, {} multiprocessors{memory}", info.multiprocessors)
}

/// A GPU, or all of them, that cannot be used.
fn trouble(error: &Error) -> Line {
    match error {
        Error::NoDriver { tried } if !tried.iter().any(|text| text.contains("is there")) => {
            Line::new(Mark::Note, "driver", format!("{error}")).help(
                "kernels run on the SIMT interpreter; for a GPU, install NVIDIA's driver (no CUDA \
                 toolkit is needed)",
            )
        }
        Error::NoDriver { .. } => Line::new(Mark::Warn, "driver", format!("{error}")).help(
            "the driver is installed and does not start: `nvidia-smi` may say why; in a container, \
             run it with access to the GPU (`--gpus all`)",
        ),
        Error::NoDevice { .. } => Line::new(Mark::Note, "gpu", format!("{error}"))
            .help("`CUDA_VISIBLE_DEVICES` may hide it; `nvidia-smi -L` lists what there is"),
        Error::DeviceTooOld { .. } => Line::new(Mark::Note, "gpu", format!("{error}"))
            .help("kernels run on another GPU, or on the SIMT interpreter"),
        other => Line::new(Mark::Warn, "gpu", format!("{other}"))
            .help("`nvidia-smi` may say more; other programs may hold the GPU or its memory"),
    }
}

/// What `Device::auto()` takes, with this value of `WARPWISE_DEVICE`.
fn engine(variable: Option<&str>) -> Line {
    let opened = match variable {
        // Which would say on stderr what is said here.
        None | Some("" | "auto") => Device::cuda(0).or_else(|error| match error {
            Error::NoDriver { .. } | Error::NoDevice { .. } | Error::DeviceTooOld { .. } => {
                Ok(Device::cpu())
            }
            other => Err(other),
        }),
        Some(_) => Device::auto(),
    };
    match opened {
        Ok(device) if device.is_gpu() => {
            Line::new(Mark::Ok, "engine", format!("`Device::auto()` takes {device}"))
        }
        Ok(device) => {
            let cores = device.info().multiprocessors;
            let text = format!("`Device::auto()` takes the {}, on {cores} cores", device.name());
            Line::new(Mark::Ok, "engine", text)
        }
        Err(error) => Line::new(Mark::Warn, "engine", format!("`Device::auto()` fails: {error}"))
            .help("unset `WARPWISE_DEVICE`, or set it to `cpu`"),
    }
}

/// A program that `cargo warpwise sass` runs.
fn program(name: &'static str, package: &str) -> Line {
    match tools::find(name) {
        Some(path) => match tools::version(&path) {
            Some(version) => Line::new(Mark::Ok, name, format!("{version}, {}", path.display())),
            None => {
                let text = format!("{} does not say its version", path.display());
                Line::new(Mark::Warn, name, text).help(tools::how_to_get(name, package))
            }
        },
        None => Line::new(Mark::Note, name, "not here; only `cargo warpwise sass` needs it")
            .help(tools::how_to_get(name, package)),
    }
}

/// Variables of the environment that Warpwise reads, each with what it may be.
const VARIABLES: &[(&str, &str)] = &[
    ("WARPWISE_BACKEND", "`builtin` or `llvm`"),
    ("WARPWISE_CHECK", "`all`, `deny`, and names of checks, with commas between"),
    ("WARPWISE_DEVICE", "`auto`, `cpu`, `cuda` or `cuda:N`"),
    ("WARPWISE_LINTS", "`off`, `warn` or `deny`"),
    ("WARPWISE_PROFILE", "a folder"),
];

/// What is set in the environment.
fn variables(set: impl Iterator<Item = (String, String)>) -> Vec<Line> {
    let mut ours: Vec<_> = set.filter(|(name, _)| name.starts_with("WARPWISE_")).collect();
    ours.sort();
    let line = |(name, value): (String, String)| {
        let text = format!("{name}={value}");
        let Some((_, values)) = VARIABLES.iter().find(|(known, _)| *known == name) else {
            let near = pages::near(&name, VARIABLES.iter().map(|(known, _)| *known));
            let line = Line::new(Mark::Warn, "variable", format!("{text} is read by nobody"));
            let help = format!("did you mean {}?", pages::listed(&near));
            return if near.is_empty() { line } else { line.help(help) };
        };
        if is_valid(&name, &value) {
            return Line::new(Mark::Ok, "variable", text);
        }
        Line::new(Mark::Warn, "variable", format!("{text} means nothing"))
            .help(format!("{name} takes {values}"))
    };
    ours.into_iter().map(line).collect()
}

fn is_valid(name: &str, value: &str) -> bool {
    match name {
        "WARPWISE_BACKEND" => value.is_empty() || Backend::named(value).is_some(),
        "WARPWISE_CHECK" => value.is_empty() || value.parse::<Checks>().is_ok(),
        "WARPWISE_LINTS" => matches!(value, "" | "off" | "warn" | "deny"),
        "WARPWISE_PROFILE" => true,
        _ => {
            let is_number =
                |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            matches!(value, "" | "auto" | "cpu" | "cuda")
                || value.strip_prefix("cuda:").is_some_and(is_number)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_checked() {
        let lines = |name: &str, value: &str| {
            let found = variables([(name.to_owned(), value.to_owned())].into_iter());
            found.into_iter().map(|line| (line.mark, line.help)).next()
        };
        assert_eq!(lines("WARPWISE_LINTS", "deny"), Some((Mark::Ok, None)));
        for (name, value) in [
            ("WARPWISE_DEVICE", "cuda:1"),
            ("WARPWISE_CHECK", "all,deny"),
            ("WARPWISE_BACKEND", "llvm"),
        ] {
            assert_eq!(lines(name, value), Some((Mark::Ok, None)), "{name}={value}");
        }
        for (name, value) in
            [("WARPWISE_LINTS", "loud"), ("WARPWISE_DEVICE", "cuda:"), ("WARPWISE_CHECK", "al")]
        {
            let (mark, help) = lines(name, value).unwrap();
            assert!(mark == Mark::Warn && help.unwrap().contains("takes"), "{name}={value}");
        }
        let (mark, help) = lines("WARPWISE_LINT", "deny").unwrap();
        assert_eq!((mark, &*help.unwrap()), (Mark::Warn, "did you mean `WARPWISE_LINTS`?"));
        assert_eq!(lines("PATH", "/bin"), None);
    }

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(numbers("1.100.0") > numbers("1.95"));
        assert!(numbers("1.95.0-nightly") >= numbers("1.95"));
        assert!(numbers("1.9.0") < numbers("1.95"));
    }

    #[test]
    fn no_driver_is_no_fault_and_a_broken_one_is() {
        let none = Error::NoDriver { tried: vec!["libcuda.so.1: cannot open".into()] };
        assert_eq!(trouble(&none).mark, Mark::Note);
        let broken = Error::NoDriver { tried: vec!["`libcuda.so.1` is there, but ..".into()] };
        assert_eq!(trouble(&broken).mark, Mark::Warn);
    }
}
