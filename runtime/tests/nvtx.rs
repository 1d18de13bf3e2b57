//! NVTX ranges, as a profiler's library (`fake_driver/nvtx.c`) sees them.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "tests fail and log loudly")]
mod fake_driver;
mod kernels;
mod process;

use kernels::increment;
use process::stderr_text;
use std::path::PathBuf;
use warpwise::{Device, LaunchConfig};

/// Writes warnings to standard error.
struct Logger;

impl log::Log for Logger {
    fn enabled(&self, of: &log::Metadata<'_>) -> bool {
        of.level() == log::Level::Warn && of.target().contains("nvtx")
    }
    fn log(&self, record: &log::Record<'_>) {
        if self.enabled(record.metadata()) {
            eprintln!("logged {}", record.args());
        }
    }
    fn flush(&self) {}
}

fn work() {
    static LOGGER: Logger = Logger;
    log::set_logger(&LOGGER).unwrap();
    log::set_max_level(log::LevelFilter::Warn);
    let device = Device::cpu();
    let mut y = device.upload(&[1u32, 2, 3]).unwrap();
    for _ in 0..2 {
        increment(&device, LaunchConfig::cover(3), &mut y).unwrap();
    }
    device.synchronize().unwrap();
    assert_eq!(y.to_vec().unwrap(), [3, 4, 5]);
}

/// Returns the library.
fn profiler() -> PathBuf {
    fake_driver::library("nvtx", Some("nvtx.c"), &[]).join("libcuda.so.1")
}

/// Runs the work with these variables; returns ranges and warnings.
fn seen(name: &str, env: &[(&str, &str)]) -> Option<Vec<String>> {
    let said = stderr_text(&process::run(name, env, work)?);
    let wanted = |line: &&str| line.starts_with("range ") || line.starts_with("logged ");
    Some(said.lines().filter(wanted).map(str::to_owned).collect())
}

#[test]
fn a_profiler_sees_launches_copies_and_waits() {
    let name = "a_profiler_sees_launches_copies_and_waits";
    let profiler = profiler();
    let env = [("WARPWISE_NVTX", "1"), ("NVTX_INJECTION64_PATH", profiler.to_str().unwrap())];
    let Some(seen) = seen(name, &env) else { return };
    let expected = [
        "range 0 copy host_to_device, 12 bytes",
        "range 0 increment",
        "range 1 translate increment",
        "range 0 increment",
        "range 0 wait",
        "range 0 copy device_to_host, 12 bytes",
    ];
    assert_eq!(seen, expected);
}

#[test]
fn there_are_no_ranges_unless_they_are_asked_for() {
    let name = "there_are_no_ranges_unless_they_are_asked_for";
    let profiler = profiler();
    for value in ["", "0"] {
        let env = [("WARPWISE_NVTX", value), ("NVTX_INJECTION64_PATH", profiler.to_str().unwrap())];
        let Some(seen) = seen(name, &env) else { return };
        assert!(seen.is_empty(), "{seen:?}");
    }
}

#[test]
fn a_profiler_that_is_missing_or_broken_is_logged_once() {
    let name = "a_profiler_that_is_missing_or_broken_is_logged_once";
    let profiler = profiler();
    let refused = format!("`InitializeInjectionNvtx2` of {} returned 0", profiler.display());
    for (variable, value, reason) in [
        ("FAKE", "", "NVTX_INJECTION64_PATH is not set, so no profiler watches"),
        ("NVTX_INJECTION64_PATH", "/none.so", "/none.so: cannot open shared object file"),
        ("NVTX_INJECTION64_PATH", profiler.to_str().unwrap(), &*refused),
    ] {
        let env = [("WARPWISE_NVTX", "1"), ("FAKE_NVTX", "refuses"), (variable, value)];
        let Some(seen) = seen(name, &env) else { return };
        let expected = format!("logged no NVTX ranges, which WARPWISE_NVTX asks for: {reason}");
        assert!(seen.len() == 1 && seen[0].starts_with(&expected), "{seen:?}");
    }
}
