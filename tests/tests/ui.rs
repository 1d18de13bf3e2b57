//! Messages of the macros and rustc for wrong kernels: one file per case in `tests/ui`, with the
//! messages beside it.
//!
//! `TRYBUILD=overwrite cargo test -p warpwise-tests --test ui` rewrites the messages; review the
//! changes before committing them. The texts are those of the toolchain in `rust-toolchain.toml`.
//! One case: `cargo test -p warpwise-tests --test ui -- ui trybuild=block`.
use std::{collections::BTreeMap, fs, path::Path};
use warpwise_compiler::lint;

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    // First, and so always under the same number: rustc shows a name with a hash of the crate's.
    cases.compile_fail("ui/devices/private*.rs");
    cases.compile_fail("ui/*/*.rs");
    cases.pass("ui/*/silent/*.rs");
}

/// If the component `rust-src` is installed, rustc shows lines of std's sources, and otherwise only
/// their place, so a message that points there depends on the machine.
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

/// Checks that every lint that a build can show has a message, and a case for which it is silent.
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

/// Lints that only a launch shows; `compiler/src/lint/launch.rs` and `tests/corpus/src/launches.rs`
/// have both kinds of cases.
const OF_LAUNCHES: [&str; 3] = ["gpu_small_grids", "gpu_tail_waves", "gpu_tiny_launches"];

/// A typical mistake in `ui/mistakes`.
struct Mistake {
    /// The name of its file, and its own.
    name: (String, String),
    /// The first line of its kernel or module.
    line: usize,
}

/// Returns the mistakes in a file: its kernels and modules at the root.
fn mistakes_in(path: &Path) -> Vec<Mistake> {
    let file = path.file_name().unwrap().to_str().unwrap().to_owned();
    let text = fs::read_to_string(path).unwrap();
    let named = text.lines().enumerate().filter_map(|(index, line)| {
        let rest = line.strip_prefix("mod ").or_else(|| line.strip_prefix("fn "))?;
        let name = rest.split(|char: char| !char.is_alphanumeric() && char != '_').next()?;
        (name != "main").then(|| Mistake { name: (file.clone(), name.to_owned()), line: index + 1 })
    });
    named.collect()
}

#[test]
fn mistakes_are_answered_as_their_table_says() {
    let folder = Path::new("ui/mistakes");
    let table = fs::read_to_string(folder.join("grades.md")).unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| `")).map(|line| {
        let cells: Vec<&str> = line.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        assert!(["good", "fair"].contains(&cells[4]), "{line}");
        ((cells[2].to_owned(), cells[1].to_owned()), cells[4] == "good")
    });
    let mut grades: BTreeMap<(String, String), bool> = rows.collect();
    assert!(grades.len() >= 150);
    assert!(grades.values().filter(|good| **good).count() * 10 >= grades.len() * 8);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let mistakes = mistakes_in(&path);
        let answers = fs::read_to_string(path.with_extension("stderr")).unwrap();
        for internal in ["__private", "__warpwise"] {
            assert!(!answers.contains(internal), "{} has {internal}", path.display());
        }
        let mut counts: BTreeMap<&(String, String), usize> = BTreeMap::new();
        for place in answers.split("\nerror").filter_map(|error| error.split_once(".rs:")) {
            let line: usize = place.1.split(':').next().unwrap().parse().unwrap();
            // An attribute precedes its function.
            let of_line = |mistake: &&Mistake| mistake.line <= line + 4;
            let around = mistakes.iter().rfind(|mistake| mistake.line <= line);
            let found = around.or_else(|| mistakes.iter().find(of_line)).unwrap();
            *counts.entry(&found.name).or_default() += 1;
        }
        for Mistake { name, .. } in &mistakes {
            let is_good = grades.remove(name).unwrap_or_else(|| panic!("no row for {name:?}"));
            let count = counts.get(name).copied().unwrap_or_default();
            assert!(count > 0 && (count == 1 || !is_good), "{count} errors for {name:?}");
        }
    }
    assert!(grades.is_empty(), "no code for {grades:?}");
}
