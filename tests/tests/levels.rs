//! Levels of lints in every place where they can be written, and their effects: the table of
//! `docs/lints/README.md`.
//!
//! Each row is a crate of its own, which rustc compiles with the arguments of cargo and the
//! libraries that cargo built for these tests.
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

/// A crate, and its compilation.
#[derive(Clone, Copy, Default)]
struct Crate {
    /// Text at its beginning: `#![..]`.
    root: &'static str,
    /// Attributes of the module around the kernel.
    module: &'static str,
    /// Text above `#[kernel]`.
    above: &'static str,
    /// The arguments of `#[kernel]`.
    arguments: &'static str,
    /// Text below `#[kernel]`.
    below: &'static str,
    /// Attributes of the statement.
    statement: &'static str,
    /// The statement.
    code: &'static str,
    /// Further items of the module.
    more: &'static str,
    /// Lines of `[package.metadata.warpwise.lints]`.
    package: &'static str,
    /// Environment variables.
    env: &'static [(&'static str, &'static str)],
    /// Arguments of rustc.
    rustc: &'static [&'static str],
    /// True if it is a dependency of the package that is built.
    dependency: bool,
}

/// The numbers of warnings and errors that rustc reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Said {
    warnings: usize,
    errors: usize,
}

const SILENT: Said = Said { warnings: 0, errors: 0 };
const WARNS: Said = Said { warnings: 1, errors: 0 };
const FAILS: Said = Said { warnings: 0, errors: 1 };

/// A crate with a finding of `gpu_barriers_after_divergent_returns`, which warns.
const WARNING: Crate = Crate {
    root: "",
    module: "",
    above: "",
    arguments: "",
    below: "",
    statement: "",
    code: "sync_threads();",
    more: "",
    package: "",
    env: &[],
    rustc: &[],
    dependency: false,
};

/// A crate with a finding of `gpu_barriers_in_divergent_flow`, which is an error.
const ERROR: Crate =
    Crate { code: "if x[0] < 1.0 && thread_idx_x() < 9 { sync_threads(); }", ..WARNING };

/// A crate without findings.
const CLEAN: Crate = Crate { code: "let _ = x[0];", ..WARNING };

/// Returns the runtime that cargo built for these tests, which lies beside them. If there are
/// several, which differ only in features, any that was built from these sources will do, and the
/// newest one was.
fn runtime() -> &'static Path {
    static RUNTIME: OnceLock<PathBuf> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        let tests = env::current_exe().unwrap();
        let entries = fs::read_dir(tests.parent().unwrap()).unwrap().map(Result::unwrap);
        let libraries = entries.filter(|entry| {
            let name = entry.file_name().into_string().unwrap();
            name.starts_with("libwarpwise-") && name.ends_with(".rlib")
        });
        let newest = libraries.max_by_key(|entry| entry.metadata().unwrap().modified().unwrap());
        newest.expect("these tests depend on it").path()
    })
}

impl Crate {
    fn text(&self) -> String {
        let Self { root, module, above, arguments, below, statement, code, more, .. } = self;
        format!(
            "{root}\n{module}\npub mod kernels {{\nuse warpwise::prelude::*;\n\
             {above}\n#[kernel(block = 64, {arguments})]\n{below}\npub fn k(x: &[f32]) {{\n\
             if global_idx_x() >= x.len() {{\nreturn;\n}}\n{statement}\n{code}\n}}\n{more}\n}}\n"
        )
    }

    /// Returns rustc's output, and the text of its dependency file.
    fn build(&self, name: &str) -> (String, String) {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("levels").join(name);
        fs::create_dir_all(&folder).unwrap();
        let table = "[package.metadata.warpwise.lints]";
        let manifest = format!("[package]\nname = \"k\"\n\n{table}\n{}\n", self.package);
        fs::write(folder.join("Cargo.toml"), manifest).unwrap();
        fs::write(folder.join("lib.rs"), self.text()).unwrap();
        let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        rustc.current_dir(&folder).args(["lib.rs", "--edition=2024", "--crate-type=lib"]);
        rustc.args(["--crate-name=k", "--error-format=short", "--emit=metadata,dep-info"]);
        rustc.arg(format!("--extern=warpwise={}", runtime().display()));
        rustc.arg(format!("-Ldependency={}", runtime().parent().unwrap().display()));
        rustc.args(self.rustc);
        rustc.env_remove("WARPWISE_LINTS").env_remove("RUSTFLAGS");
        rustc.env_remove("CARGO_PRIMARY_PACKAGE").env("CARGO_MANIFEST_DIR", &folder);
        if !self.dependency {
            rustc.env("CARGO_PRIMARY_PACKAGE", "1");
        }
        rustc.envs(self.env.iter().copied());
        let output = rustc.output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        (said, fs::read_to_string(folder.join("k.d")).unwrap_or_default())
    }

    fn said(&self, name: &str) -> (Said, String) {
        let (text, _) = self.build(name);
        let at_a_place = || text.lines().filter(|line| line.starts_with("lib.rs:"));
        let warnings = at_a_place().filter(|line| line.contains(": warning: ")).count();
        let errors = at_a_place().filter(|line| line.contains(": error")).count();
        (Said { warnings, errors }, text)
    }
}

/// Checks a part of the table.
fn check(part: &str, rows: &[(&str, Crate, Said)]) {
    let mut wrong = String::new();
    for (index, (name, row, expected)) in rows.iter().enumerate() {
        let (said, text) = row.said(&format!("{part}{index}"));
        if said != *expected {
            wrong += &format!("{name}: {said:?}, not {expected:?}\n{}\n{text}\n", row.text());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

const ALLOW: &str = "#[allow(gpu_barriers_after_divergent_returns)]";
const DENY: &str = "#[deny(gpu_barriers_after_divergent_returns)]";
const EXPECT: &str = "#[expect(gpu_barriers_after_divergent_returns)]";

const DEVICE_ALLOW: &str = "#[warpwise::device]\n#[allow(gpu_barriers_after_divergent_returns)]";
const DEVICE_DENY: &str = "#[warpwise::device]\n#[deny(gpu_barriers_after_divergent_returns)]";

#[test]
fn attributes_in_a_kernel() {
    check(
        "kernel",
        &[
            ("by default", WARNING, WARNS),
            ("an error by default", ERROR, FAILS),
            ("clean", CLEAN, SILENT),
            ("allowed above", Crate { above: ALLOW, ..WARNING }, SILENT),
            ("allowed below", Crate { below: ALLOW, ..WARNING }, SILENT),
            (
                "allowed in the arguments",
                Crate { arguments: "allow(gpu_barriers_after_divergent_returns)", ..WARNING },
                SILENT,
            ),
            ("allowed on the statement", Crate { statement: ALLOW, ..WARNING }, SILENT),
            (
                "allowed on a block",
                Crate { statement: ALLOW, code: "{ let _ = x[0]; sync_threads(); }", ..WARNING },
                SILENT,
            ),
            ("allowed as a group", Crate { below: "#[allow(gpu_correctness)]", ..ERROR }, SILENT),
            ("denied above", Crate { above: DENY, ..WARNING }, FAILS),
            ("denied on the statement", Crate { statement: DENY, ..WARNING }, FAILS),
            (
                "the statement wins over the kernel",
                Crate { above: DENY, statement: ALLOW, ..WARNING },
                SILENT,
            ),
            (
                "an error turned down",
                Crate { above: "#[warn(gpu_barriers_in_divergent_flow)]", ..ERROR },
                WARNS,
            ),
            ("expected", Crate { above: EXPECT, ..WARNING }, SILENT),
            ("expected on the statement", Crate { statement: EXPECT, ..WARNING }, SILENT),
            ("expected in vain", Crate { above: EXPECT, ..CLEAN }, WARNS),
            ("as what rustc knows", Crate { above: "#[allow(deprecated)]", ..WARNING }, SILENT),
            (
                "but the function does not fulfil it",
                Crate { above: "#[expect(deprecated)]", ..WARNING },
                WARNS,
            ),
            (
                "an error is none of rustc's",
                Crate { above: "#[allow(deprecated)]", ..ERROR },
                FAILS,
            ),
        ],
    );
}

#[test]
fn attributes_around_kernels() {
    // rustc does not know a lint of this name, and reports that.
    let unknown = Said { warnings: 2, errors: 0 };
    let twice = Crate { more: "#[device]\npub fn wait() { sync_threads(); }", ..WARNING };
    check(
        "around",
        &[
            ("on a module rustc reads it", Crate { module: ALLOW, ..WARNING }, unknown),
            ("on a device module we do", Crate { module: DEVICE_ALLOW, ..WARNING }, SILENT),
            ("and deny", Crate { module: DEVICE_DENY, ..WARNING }, FAILS),
            ("at the root", Crate { root: "#![allow(gpu_all)]", ..WARNING }, unknown),
            ("deprecated on a module", Crate { module: "#[allow(deprecated)]", ..WARNING }, SILENT),
            ("deprecated at the root", Crate { root: "#![allow(deprecated)]", ..WARNING }, SILENT),
            ("warnings at the root", Crate { root: "#![allow(warnings)]", ..WARNING }, SILENT),
            ("no error goes by that", Crate { root: "#![allow(warnings)]", ..ERROR }, FAILS),
            ("denied at the root", Crate { root: "#![deny(deprecated)]", ..WARNING }, FAILS),
            ("denied with all", Crate { root: "#![deny(warnings)]", ..WARNING }, FAILS),
            ("denied by -D", Crate { rustc: &["-Dwarnings"], ..WARNING }, FAILS),
            (
                "allowed, and denied by -D",
                Crate { above: ALLOW, rustc: &["-Dwarnings"], ..WARNING },
                SILENT,
            ),
            ("capped", Crate { rustc: &["--cap-lints=allow"], ..WARNING }, SILENT),
            (
                "once for two variants",
                Crate { code: "debug_assert!(x[0] > 0.0); sync_threads();", ..WARNING },
                WARNS,
            ),
            ("once for two calls", Crate { code: "wait(); wait();", ..twice }, WARNS),
        ],
    );
    let forbidden = Crate { root: "#![forbid(deprecated)]", ..WARNING }.said("forbidden").0;
    assert!(forbidden.errors > 0, "{forbidden:?}");
}

#[test]
fn the_package_and_the_environment() {
    const ALLOWS: &str = "gpu_barriers_after_divergent_returns = \"allow\"";
    const DENIES: &str = "gpu_barriers_after_divergent_returns = { level = \"deny\" }";
    const OFF: &[(&str, &str)] = &[("WARPWISE_LINTS", "off")];
    const WARN: &[(&str, &str)] = &[("WARPWISE_LINTS", "warn")];
    const DENY_ALL: &[(&str, &str)] = &[("WARPWISE_LINTS", "deny")];
    check(
        "package",
        &[
            ("allowed", Crate { package: ALLOWS, ..WARNING }, SILENT),
            ("denied", Crate { package: DENIES, ..WARNING }, FAILS),
            ("a group", Crate { package: "gpu_correctness = 'warn'", ..ERROR }, WARNS),
            ("all", Crate { package: "gpu_all = 'allow'", ..ERROR }, SILENT),
            ("the kernel wins", Crate { package: DENIES, above: ALLOW, ..WARNING }, SILENT),
            (
                "and so does a statement",
                Crate { package: ALLOWS, statement: DENY, ..WARNING },
                FAILS,
            ),
            ("expected beside it", Crate { package: DENIES, above: EXPECT, ..WARNING }, SILENT),
            ("off", Crate { env: OFF, ..ERROR }, SILENT),
            ("off, expected in vain", Crate { env: OFF, above: EXPECT, ..CLEAN }, SILENT),
            ("warn", Crate { env: WARN, ..ERROR }, WARNS),
            ("warn over the source", Crate { env: WARN, above: DENY, ..WARNING }, WARNS),
            ("deny", Crate { env: DENY_ALL, ..WARNING }, FAILS),
            (
                "deny leaves what is allowed",
                Crate { env: DENY_ALL, above: ALLOW, ..WARNING },
                SILENT,
            ),
            (
                "deny over the package",
                Crate {
                    env: DENY_ALL,
                    package: "gpu_all = 'warn'",
                    arguments: "block = 64",
                    ..ERROR
                },
                FAILS,
            ),
            ("a dependency only warns", Crate { dependency: true, ..ERROR }, WARNS),
            (
                "however it is set",
                Crate { dependency: true, package: DENIES, env: DENY_ALL, ..WARNING },
                WARNS,
            ),
            (
                "which cargo hides",
                Crate { dependency: true, rustc: &["--cap-lints=allow"], ..ERROR },
                SILENT,
            ),
            (
                "rust-analyzer is left alone",
                Crate { env: &[("RUST_ANALYZER_INTERNALS_DO_NOT_USE", "1")], ..ERROR },
                SILENT,
            ),
        ],
    );
}

#[test]
fn wrong_settings_are_said_once() {
    let two = Crate {
        more: "#[kernel]\npub fn second() {}",
        package: "gpu_barrier_in_divergent_flow = \"warn\"\ngpu_all = 'dney'",
        env: &[("WARPWISE_LINTS", "wran")],
        ..CLEAN
    };
    let (said, text) = two.said("wrong");
    assert_eq!(said, Said { warnings: 0, errors: 3 }, "{text}");
    for part in [
        "`WARPWISE_LINTS` is `wran`; did you mean `warn`?",
        "unknown lint `gpu_barrier_in_divergent_flow`; did you mean `gpu_barriers_in_divergent_flow`?",
        "in `[package.metadata.warpwise.lints]` (Cargo.toml:5)",
        "the level of `gpu_all` is `dney`; did you mean `deny`?",
        "(Cargo.toml:6)",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let (said, text) = Crate { dependency: true, ..two }.said("wrong_dependency");
    assert_eq!(said, Said { warnings: 3, errors: 0 }, "{text}");
}

#[test]
fn cargo_builds_again_what_settings_change() {
    let (said, depends) = CLEAN.build("depends");
    assert_eq!(said, "");
    let manifest = depends.lines().any(|line| line.ends_with("Cargo.toml:"));
    assert!(manifest, "{depends}");
    for variable in ["WARPWISE_LINTS", "CARGO_MANIFEST_DIR"] {
        assert!(depends.contains(&format!("# env-dep:{variable}")), "{depends}");
    }
}
