//! `cargo warpwise doctor`: checks of the machine's equipment for kernels.
use crate::{
    args::{Build, When},
    color::Paint,
    pages, sass, tools,
    workspace::cargo,
};
use annotate_snippets::renderer::AnsiColor;
use std::{
    env, fs,
    io::{self, Write as _},
    process::{Command, ExitCode, Stdio},
};
use warpwise::{Device, Error, check::Checks};
use warpwise_compiler::back::Backend;
use warpwise_llvm::Llvm;

/// Line of the output.
#[derive(Debug, PartialEq, Eq)]
struct ReportLine {
    status: Status,
    subject: &'static str,
    text: String,
    /// Advice.
    help: Option<String>,
}

/// Status of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    /// Nothing is missing.
    Ok,
    /// Something optional is missing.
    Note,
    /// Something is wrong.
    Warn,
}

impl ReportLine {
    fn new(status: Status, subject: &'static str, text: impl Into<String>) -> Self {
        Self { status, subject, text: text.into(), help: None }
    }

    fn with_help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

/// Runs the command.
pub(crate) fn run(color: When) -> ExitCode {
    let paint = Paint::for_stream(color, &io::stdout());
    let mut lines = check_toolchain();
    lines.extend(check_devices());
    lines.push(check_engine(env::var("WARPWISE_DEVICE").ok().as_deref()));
    lines.push(check_llvm());
    lines.push(check_program("ptxas", sass::PTXAS_PACKAGE));
    lines.push(check_program("nvdisasm", sass::NVDISASM_PACKAGE));
    lines.extend(check_variables(env::vars_os().map(|(name, value)| {
        (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned())
    })));
    let mut text: String = lines.iter().map(|line| format_line(line, paint)).collect();
    text.push_str(&next_step(&lines));
    // A closed stdout leaves nobody to report the error to.
    let _ = io::stdout().write_all(text.as_bytes());
    ExitCode::from(u8::from(lines.iter().any(|line| line.status == Status::Warn)))
}

/// Returns the line that says what to do next.
fn next_step(lines: &[ReportLine]) -> String {
    let is_warned = lines.iter().any(|line| line.status == Status::Warn);
    let has_project = lines
        .iter()
        .any(|line| line.subject == "warpwise" && matches!(line.status, Status::Ok | Status::Warn));
    let step = match (is_warned, has_project) {
        (true, _) => "follow the help below each `warn`, and run `cargo warpwise doctor` again",
        (false, true) => {
            "`cargo warpwise lint` reports defects of kernels, `cargo warpwise init` shows them in editors"
        }
        (false, false) => "`cargo warpwise new blur` creates a package with a kernel and its test",
    };
    format!("next: {step}\n")
}

fn format_line(line: &ReportLine, paint: Paint) -> String {
    let (color, mark) = match line.status {
        Status::Ok => (AnsiColor::BrightGreen, "ok  "),
        Status::Note => (AnsiColor::BrightBlue, "note"),
        Status::Warn => (AnsiColor::BrightYellow, "warn"),
    };
    let help = line.help.iter().map(|help| format!("      {:10}help: {help}\n", ""));
    let help: String = help.collect();
    format!("{}  {:10}{}\n{help}", paint.bold(color, mark), line.subject, line.text)
}

/// Checks the compiler and the version of Warpwise.
fn check_toolchain() -> Vec<ReportLine> {
    let mut lines = vec![check_rustc()];
    let ours = env!("CARGO_PKG_VERSION");
    match project_version() {
        Some(theirs) if theirs != ours => lines.push(
            ReportLine::new(
                Status::Warn,
                "warpwise",
                format!("this is cargo-warpwise {ours}, and the project uses warpwise {theirs}"),
            )
            .with_help(format!("install cargo-warpwise {theirs}")),
        ),
        Some(_) => lines.push(ReportLine::new(
            Status::Ok,
            "warpwise",
            format!("cargo-warpwise {ours}, as the project's warpwise"),
        )),
        None => lines.push(ReportLine::new(
            Status::Note,
            "warpwise",
            format!("cargo-warpwise {ours}; there is no project here that uses warpwise"),
        )),
    }
    lines
}

fn check_rustc() -> ReportLine {
    let needed = env!("CARGO_PKG_RUST_VERSION");
    let program = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(program).arg("--version").output();
    let Ok(output) = output else {
        return ReportLine::new(Status::Warn, "rust", "there is no `rustc` here")
            .with_help(format!("install Rust {needed} or newer: https://rustup.rs"));
    };
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    match text
        .split_whitespace()
        .nth(1)
        .map(|version| (version_numbers(version), version_numbers(needed)))
    {
        Some((found, needed)) if found >= needed => ReportLine::new(Status::Ok, "rust", text),
        _ => {
            ReportLine::new(Status::Warn, "rust", format!("`{text}`, and warpwise needs {needed}"))
                .with_help("`rustup update stable`")
        }
    }
}

/// Checks the LLVM library of the LLVM back end.
fn check_llvm() -> ReportLine {
    match Llvm::find() {
        Ok(llvm) => {
            ReportLine::new(Status::Ok, "llvm", format!("{llvm}, `{}`", llvm.path().display()))
        }
        Err(error) => ReportLine::new(Status::Note, "llvm", error.to_string()).with_help(
            "the built-in back end makes the PTX of all kernels; rustup's toolchains have LLVM",
        ),
    }
}

/// Returns the numbers of a version such as `1.95.0-nightly`.
fn version_numbers(version: &str) -> Vec<u32> {
    let plain = version.split('-').next().unwrap_or_default();
    plain.split('.').map_while(|number| number.parse().ok()).collect()
}

/// Returns the version of warpwise that the project in this folder uses.
fn project_version() -> Option<String> {
    let mut command = cargo();
    command.args(["pkgid", "--offline", "warpwise"]).args(Build::default().metadata_options());
    let output = command.stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (_, version) = text.trim().rsplit_once(['@', '#'])?;
    Some(version.to_owned())
}

/// Checks the driver, and every GPU that it lists.
fn check_devices() -> Vec<ReportLine> {
    let mut lines = Vec::new();
    for ordinal in 0.. {
        match Device::cuda(ordinal) {
            Ok(device) => {
                if ordinal == 0 {
                    lines.push(describe_driver(&device));
                }
                lines.push(ReportLine::new(Status::Ok, "gpu", describe_device(&device)));
            }
            Err(Error::NoDevice { .. }) if ordinal > 0 => break,
            Err(error) => {
                // An old GPU may be followed by a newer one; other errors concern all GPUs.
                let goes_on = matches!(error, Error::DeviceTooOld { .. });
                lines.push(describe_device_error(&error));
                if !goes_on {
                    break;
                }
            }
        }
    }
    lines
}

fn describe_driver(device: &Device) -> ReportLine {
    let version = device.info().cuda.map_or("of an unknown version".to_owned(), |version| {
        format!("for CUDA {}.{}", version / 1000, version % 1000 / 10)
    });
    let module = fs::read_to_string("/proc/driver/nvidia/version").unwrap_or_default();
    let own = kernel_module_version(&module).map_or(String::new(), |own| format!(" {own}"));
    ReportLine::new(Status::Ok, "driver", format!("NVIDIA's{own}, {version}"))
}

/// Returns the version of the driver in the text that its kernel module shows.
fn kernel_module_version(text: &str) -> Option<&str> {
    let is_version =
        |word: &&str| word.contains('.') && word.split('.').all(|part| part.parse::<u32>().is_ok());
    text.lines().next()?.split_whitespace().find(is_version)
}

fn describe_device(device: &Device) -> String {
    let info = device.info();
    let sm = info.sm.map_or(String::new(), |sm| {
        format!(", compute capability {}.{} (sm_{sm})", sm / 10, sm % 10)
    });
    let memory = info.memory.map_or(String::new(), |bytes| format!(", {} MiB", bytes >> 20));
    format!("{device}{sm}, {} multiprocessors{memory}", info.multiprocessors)
}

/// Describes a GPU, or all GPUs, that cannot be used.
fn describe_device_error(error: &Error) -> ReportLine {
    match error {
        Error::NoDriver { tried } if !tried.iter().any(|text| text.contains("is there")) => {
            ReportLine::new(Status::Note, "driver", format!("{error}")).with_help(
                "kernels run on the SIMT interpreter; for a GPU, install NVIDIA's driver (no CUDA \
                 toolkit is needed)",
            )
        }
        Error::NoDriver { .. } => ReportLine::new(Status::Warn, "driver", format!("{error}")).with_help(
            "the driver is installed and does not start: `nvidia-smi` may say why; in a container, \
             run it with access to the GPU (`--gpus all`)",
        ),
        Error::NoDevice { .. } => ReportLine::new(Status::Note, "gpu", format!("{error}"))
            .with_help("`CUDA_VISIBLE_DEVICES` may hide it; `nvidia-smi -L` lists what there is"),
        Error::DeviceTooOld { .. } => ReportLine::new(Status::Note, "gpu", format!("{error}"))
            .with_help("kernels run on another GPU, or on the SIMT interpreter"),
        other => ReportLine::new(Status::Warn, "gpu", format!("{other}"))
            .with_help("`nvidia-smi` may say more; other programs may hold the GPU or its memory"),
    }
}

/// Reports the choice of `Device::auto()` for this value of `WARPWISE_DEVICE`.
fn check_engine(variable: Option<&str>) -> ReportLine {
    let opened = match variable {
        // `Device::auto()` itself would print a note to stderr that repeats this line.
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
            ReportLine::new(Status::Ok, "engine", format!("`Device::auto()` takes {device}"))
        }
        Ok(device) => {
            let cores = device.info().multiprocessors;
            let text = format!("`Device::auto()` takes the {}, on {cores} cores", device.name());
            ReportLine::new(Status::Ok, "engine", text)
        }
        Err(error) => {
            ReportLine::new(Status::Warn, "engine", format!("`Device::auto()` fails: {error}"))
                .with_help("unset `WARPWISE_DEVICE`, or set it to `cpu`")
        }
    }
}

/// Checks a program that `cargo warpwise sass` runs.
fn check_program(name: &'static str, package: &str) -> ReportLine {
    match tools::find_program(name) {
        Some(path) => match tools::tool_version(&path) {
            Some(version) => {
                ReportLine::new(Status::Ok, name, format!("{version}, {}", path.display()))
            }
            None => {
                let text = format!("{} does not say its version", path.display());
                ReportLine::new(Status::Warn, name, text)
                    .with_help(tools::installation_help(name, package))
            }
        },
        None => {
            ReportLine::new(Status::Note, name, "not here; only `cargo warpwise sass` needs it")
                .with_help(tools::installation_help(name, package))
        }
    }
}

/// Environment variables that Warpwise reads, each with its permitted values.
const VARIABLES: &[(&str, &str)] = &[
    ("WARPWISE_BACKEND", "`builtin` or `llvm`"),
    ("WARPWISE_CACHE_DIR", "a folder"),
    ("WARPWISE_CHECK", "`all`, `deny`, and names of checks, with commas between"),
    ("WARPWISE_DEVICE", "`auto`, `cpu`, `cuda` or `cuda:N`"),
    ("WARPWISE_LINEINFO", "`0` or `1`"),
    ("WARPWISE_LINTS", "`off`, `warn` or `deny`"),
    ("WARPWISE_NVTX", "`0` or `1`"),
    ("WARPWISE_PROFILE", "a folder"),
    ("WARPWISE_PROFILE_UNOPTIMIZED", "`0` or `1`"),
];

/// Checks the environment variables that are set.
fn check_variables(set: impl Iterator<Item = (String, String)>) -> Vec<ReportLine> {
    let mut ours: Vec<_> = set.filter(|(name, _)| name.starts_with("WARPWISE_")).collect();
    ours.sort();
    let line = |(name, value): (String, String)| {
        let text = format!("{name}={value}");
        let Some((_, values)) = VARIABLES.iter().find(|(known, _)| *known == name) else {
            let near = pages::similar_names(&name, VARIABLES.iter().map(|(known, _)| *known));
            let line =
                ReportLine::new(Status::Warn, "variable", format!("{text} is read by nobody"));
            let help = format!("did you mean {}?", pages::quote_list(&near));
            return if near.is_empty() { line } else { line.with_help(help) };
        };
        if is_valid(&name, &value) {
            return ReportLine::new(Status::Ok, "variable", text);
        }
        ReportLine::new(Status::Warn, "variable", format!("{text} means nothing"))
            .with_help(format!("{name} takes {values}"))
    };
    ours.into_iter().map(line).collect()
}

fn is_valid(name: &str, value: &str) -> bool {
    match name {
        "WARPWISE_BACKEND" => value.is_empty() || Backend::named(value).is_some(),
        "WARPWISE_CHECK" => value.is_empty() || value.parse::<Checks>().is_ok(),
        "WARPWISE_LINTS" => matches!(value, "" | "off" | "warn" | "deny"),
        "WARPWISE_LINEINFO" | "WARPWISE_NVTX" | "WARPWISE_PROFILE_UNOPTIMIZED" => {
            matches!(value, "" | "0" | "1")
        }
        "WARPWISE_CACHE_DIR" | "WARPWISE_PROFILE" => true,
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
    fn the_version_of_the_driver_is_found() {
        let text = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5\nGCC version: 12.3.0";
        assert_eq!(kernel_module_version(text), Some("550.54.15"));
        assert_eq!(kernel_module_version(""), None);
    }

    #[test]
    fn variables_are_checked() {
        let lines = |name: &str, value: &str| {
            let found = check_variables([(name.to_owned(), value.to_owned())].into_iter());
            found.into_iter().map(|line| (line.status, line.help)).next()
        };
        assert_eq!(lines("WARPWISE_LINTS", "deny"), Some((Status::Ok, None)));
        for (name, value) in [
            ("WARPWISE_DEVICE", "cuda:1"),
            ("WARPWISE_CHECK", "all,deny"),
            ("WARPWISE_BACKEND", "llvm"),
            ("WARPWISE_NVTX", "1"),
            ("WARPWISE_CACHE_DIR", "/tmp"),
        ] {
            assert_eq!(lines(name, value), Some((Status::Ok, None)), "{name}={value}");
        }
        for (name, value) in
            [("WARPWISE_LINTS", "loud"), ("WARPWISE_DEVICE", "cuda:"), ("WARPWISE_CHECK", "al")]
        {
            let (mark, help) = lines(name, value).unwrap();
            assert!(mark == Status::Warn && help.unwrap().contains("takes"), "{name}={value}");
        }
        let (mark, help) = lines("WARPWISE_LINT", "deny").unwrap();
        let expected = "did you mean `WARPWISE_LINTS` or `WARPWISE_LINEINFO`?";
        assert_eq!((mark, &*help.unwrap()), (Status::Warn, expected));
        assert_eq!(lines("PATH", "/bin"), None);
    }

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(version_numbers("1.100.0") > version_numbers("1.95"));
        assert!(version_numbers("1.95.0-nightly") >= version_numbers("1.95"));
        assert!(version_numbers("1.9.0") < version_numbers("1.95"));
    }

    #[test]
    fn no_driver_is_no_fault_and_a_broken_one_is() {
        let none = Error::NoDriver { tried: vec!["libcuda.so.1: cannot open".into()] };
        assert_eq!(describe_device_error(&none).status, Status::Note);
        let broken = Error::NoDriver { tried: vec!["`libcuda.so.1` is there, but ..".into()] };
        assert_eq!(describe_device_error(&broken).status, Status::Warn);
    }
}
