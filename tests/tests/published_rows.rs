//! The table of published facts in `tests/published/rows.md`: every row has a state, and a command
//! that exists.
use std::{fs, path::Path};
use warpwise::counters::metrics;
use warpwise_compiler::lint::LINTS;

/// The number of rows.
const ROWS: usize = 93;
/// The permitted states of a row.
const STATES: [&str; 2] = ["works", "time model"];

struct Row {
    number: usize,
    state: String,
    command: String,
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn rows() -> Vec<Row> {
    let text = fs::read_to_string(root().join("tests/published/rows.md")).unwrap();
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let row = |line: &str| {
        let cells = cells(line);
        let [_, number, _, state, command, _] = &cells[..] else { return None };
        let (state, command) = (state.clone(), command.trim_matches('`').to_owned());
        Some(Row { number: number.parse().ok()?, state, command })
    };
    text.lines().filter_map(row).collect()
}

#[test]
fn every_row_has_a_state() {
    let rows = rows();
    let numbers: Vec<usize> = rows.iter().map(|row| row.number).collect();
    assert_eq!(numbers, (1..=ROWS).collect::<Vec<_>>());
    for Row { number, state, .. } in &rows {
        assert!(STATES.contains(&state.as_str()), "row {number}: {state}");
    }
}

#[test]
fn every_command_names_what_exists() {
    for Row { number, command, .. } in rows() {
        let exists = exists(&command);
        assert!(exists, "row {number}: nothing is named by `{command}`");
    }
}

/// Returns true if the example, test, metric, lint or program of a command exists.
fn exists(command: &str) -> bool {
    let words: Vec<&str> = command.split(' ').collect();
    let after = |option: &str| {
        let at = words.iter().position(|word| *word == option)?;
        words.get(at + 1).copied()
    };
    if let Some(name) = after("--example") {
        let metrics = after("--metrics").into_iter().flat_map(|names| names.split(','));
        let mut metrics = metrics.map(metrics::find);
        return root().join(format!("examples/{name}.rs")).is_file()
            && metrics.all(|found| found.is_some());
    }
    if let Some(subject) = after("explain") {
        return LINTS.iter().any(|lint| lint.name == subject) || metrics::find(subject).is_some();
    }
    let filter = after("--");
    match (after("-p"), after("--test")) {
        (Some("warpwise-tests"), Some(test)) => {
            let has_test = root().join(format!("tests/tests/{test}.rs")).is_file();
            let folder = if test == "filetests" { "tests/filetests" } else { "tests/run" };
            has_test && filter.is_some_and(|filter| mentions(&root().join(folder), filter))
        }
        (Some(package), Some(test)) => {
            let folder = package.trim_start_matches("warpwise-");
            root().join(format!("{folder}/tests/{test}.rs")).is_file()
        }
        (Some(package), None) => {
            let folder = root().join(package.trim_start_matches("warpwise-")).join("src");
            let last = filter.and_then(|filter| filter.rsplit("::").next());
            folder.is_dir() && last.is_none_or(|last| mentions(&folder, last))
        }
        (None, _) => root().join(words[0]).is_file(),
    }
}

/// Returns true if a file below `folder` has `word` in its path or text.
fn mentions(folder: &Path, word: &str) -> bool {
    fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        path.to_string_lossy().contains(word)
            || if path.is_dir() {
                mentions(&path, word)
            } else {
                fs::read_to_string(&path).is_ok_and(|text| text.contains(word))
            }
    })
}
