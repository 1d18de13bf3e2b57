//! What the macros and rustc say of kernels that are wrong: one file a case in `tests/ui`, with
//! the messages beside it.
//!
//! `TRYBUILD=overwrite cargo test -p warpwise-tests --test ui` rewrites the messages; look at
//! what changed before committing it. The texts are those of the toolchain in
//! `rust-toolchain.toml`. One case: `cargo test -p warpwise-tests --test ui -- ui trybuild=block`.
use warpwise_compiler::lint;

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    // First, and so always under the same number: rustc shows a name with a hash of the crate's.
    cases.compile_fail("ui/devices/private*.rs");
    cases.compile_fail("ui/*/*.rs");
    cases.pass("ui/*/silent/*.rs");
}

/// rustc shows lines of std's sources where the component `rust-src` is installed and only their
/// place where it is not, so a message that points there depends on the machine.
#[test]
fn no_expected_message_points_into_the_sources_of_std() {
    let mut messages = 0;
    for folder in std::fs::read_dir("ui").unwrap() {
        for file in std::fs::read_dir(folder.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "stderr") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let outside = text.lines().find(|line| line.contains("$RUST/"));
            assert_eq!(outside, None, "{} depends on `rust-src`", path.display());
            messages += 1;
        }
    }
    assert!(messages > 0);
}

/// That every lint which a build shows is in a message, and named by a case that it is silent about.
#[test]
fn every_lint_fires_in_a_case_and_is_silent_in_another() {
    let read = |folder: &str, extension: &str| {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let texts = entries.filter(|path| path.extension().is_some_and(|found| found == extension));
        texts.map(|path| std::fs::read_to_string(path).unwrap()).collect::<String>()
    };
    let fires = read("ui/lints", "stderr");
    let silent = read("ui/lints/silent", "rs");
    for lint in lint::names().filter(|lint| !OF_LAUNCHES.contains(lint)) {
        assert!(
            fires.contains(&format!("#[allow({lint})]")),
            "{lint} fires in no case of ui/lints"
        );
        assert!(silent.contains(lint), "{lint} is silent in no case of ui/lints/silent");
    }
}

/// Lints that only a launch shows; `compiler/src/lint/launch.rs` and `tests/corpus/src/launches.rs` have both kinds of cases.
const OF_LAUNCHES: [&str; 3] = ["gpu_small_grids", "gpu_tail_waves", "gpu_tiny_launches"];
