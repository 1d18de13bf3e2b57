//! The driver without a GPU that is in `libcuda.c`, built for tests and loaded in their processes.
#![allow(dead_code, unreachable_pub, reason = "each test uses some of it")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
use crate::process::{self, stderr_text};
use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::OnceLock,
};

/// Calls [`process::run`], with the driver that is in `libraries`.
pub fn in_process(
    name: &str,
    libraries: &Path,
    env: &[(&str, &str)],
    body: impl FnOnce(),
) -> Option<Output> {
    let mut env = env.to_vec();
    env.push(("LD_LIBRARY_PATH", libraries.to_str().unwrap()));
    process::run(name, &env, body)
}

/// Returns a folder with a `libcuda.so.1`, compiled from `file`; empty without one.
pub fn library(name: &str, file: Option<&str>, flags: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if process::is_child() {
        return folder;
    }
    std::fs::create_dir_all(&folder).unwrap();
    if let Some(file) = file {
        build(&folder, file, flags, "libcuda.so.1");
    }
    // Under its other name too, which on a machine with a driver would be that one's.
    let _ = std::os::unix::fs::symlink("libcuda.so.1", folder.join("libcuda.so"));
    folder
}

/// Returns a folder with the fake driver and a fake `libnvrtc.so`.
pub fn with_nvrtc() -> PathBuf {
    let folder = library("nvrtc", Some("libcuda.c"), &[]);
    if !process::is_child() {
        build(&folder, "libnvrtc.c", &[], "libnvrtc.so");
    }
    folder
}

/// Builds a library in a folder.
fn build(folder: &Path, file: &str, flags: &[&str], name: &str) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake_driver").join(file);
    // Made elsewhere and moved into place, where another test may be loading it.
    let made = folder.join(format!("{:?}.so", std::thread::current().id()));
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-Werror=implicit-function-declaration", "-o"])
        .arg(&made)
        .arg(source)
        .args(flags)
        .status()
        .expect("rustc needs a C compiler to link, so there is one");
    assert!(built.success());
    std::fs::rename(made, folder.join(name)).unwrap();
}

pub fn fake() -> &'static Path {
    static FAKE: OnceLock<PathBuf> = OnceLock::new();
    FAKE.get_or_init(|| library("fake", Some("libcuda.c"), &[]))
}

/// Returns the fake driver's report of the objects that a process has not released at its end.
pub fn driver_report(output: Option<Output>) -> Option<String> {
    let said = stderr_text(&output?);
    let line = said.lines().find(|line| line.starts_with("fake driver:"));
    Some(line.unwrap_or_else(|| panic!("no report: {said}")).to_owned())
}
