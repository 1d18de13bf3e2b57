//! Tests that need a process of their own: the test runs itself again, with `WARPWISE_TEST_CHILD` set
//! to its name, and there does what it is about.
#![allow(dead_code, unreachable_pub, reason = "each test uses some of it")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
use std::{
    env,
    process::{Command, Output},
};

const CHILD: &str = "WARPWISE_TEST_CHILD";

/// Returns true in a process that [`run`] started.
pub fn is_child() -> bool {
    env::var_os(CHILD).is_some()
}

/// Runs `body` in a process of its own that has `env` set and no `WARPWISE_DEVICE` otherwise, for the
/// test called `name`. Returns what it wrote; `None` in that process itself, once `body` is done.
///
/// # Panics
/// If it failed, or anything in it panicked.
pub fn run(name: &str, env: &[(&str, &str)], body: impl FnOnce()) -> Option<Output> {
    if env::var_os(CHILD).is_some_and(|child| child == name) {
        body();
        return None;
    }
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture", "--test-threads=1"])
        .env_remove("WARPWISE_DEVICE")
        .env("RUST_BACKTRACE", "0")
        .env(CHILD, name)
        .envs(env.iter().copied())
        .output()
        .unwrap();
    let said = stderr_text(&output);
    let ran = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{name} failed:\n{said}\n{ran}");
    assert!(ran.contains("1 passed"), "{name} is not the name of a test:\n{ran}");
    assert!(!said.contains("panicked at"), "{name} panicked:\n{said}");
    Some(output)
}

/// Returns the text that a process wrote to its standard error.
pub fn stderr_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
