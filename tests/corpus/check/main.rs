//! Lints the corpus and the examples of the lints' pages, and compares the findings with their
//! labels.
//!
//! There is one trial for each kernel, and one for `docs/lints/evidence.md`, the table of findings
//! and misses: precision is the share of true findings among all findings, recall the share of
//! found facts among all facts. `cargo test -p warpwise-corpus -- bank` runs the trials with `bank`
//! in their names.
mod branches;
mod checked;
mod counted;
mod expected;
mod found;
mod launched;
mod table;

use expected::{Expected, expected};
use found::{Found, found};
use libtest_mimic::{Arguments, Failed, Trial};
use std::{path::Path, process::ExitCode};
use table::Table;
use warpwise::__private::Source;
use warpwise_compiler::lint;
use warpwise_corpus::{HELD_OUT, LAUNCHES, MODULES, PAGES, Page, UNLAUNCHABLE};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    let mut table = Table::default();
    for &(file, kernels) in MODULES {
        let labels = labels(file, kernels);
        trials.push(listed(file, &labels));
        for (&source, expected) in kernels.iter().zip(labels.kernels) {
            let found = found(source);
            table.add(&expected, &found);
            trials.push(Trial::test(format!("{file}: {}", source.name), move || {
                compare(&expected, &found)
            }));
        }
    }
    let mut held_out = Table::default();
    for &(file, kernels) in HELD_OUT {
        let labels = labels(file, kernels);
        trials.push(listed(file, &labels));
        for (&source, expected) in kernels.iter().zip(&labels.kernels) {
            held_out.add_held_out(source.name, expected, &found(source));
        }
    }
    for (number, of) in LAUNCHES.iter().enumerate() {
        let said = launched::said(of);
        table.add_launch(of.lints, &said);
        trials.push(Trial::test(format!("launch {number} of `{}`", of.kernel.name), move || {
            launched::compare(of, &said)
        }));
    }
    for &(text, is_bad) in UNLAUNCHABLE {
        let expected: &[&str] = if is_bad { &["gpu_unlaunchable_kernels"] } else { &[] };
        let said = found::in_text(text);
        table.add_text(expected, &said);
        trials.push(Trial::test(text, move || {
            if said == expected { Ok(()) } else { Err(format!("{said:?}").into()) }
        }));
    }
    trials.extend(PAGES.iter().map(page));
    trials.push(Trial::test("accesses cost what is counted", || {
        counted::compare(MODULES.iter().flat_map(|(_, kernels)| kernels.iter().copied()))
    }));
    trials.push(Trial::test("branches are those of an H200", branches::compare));
    trials.push(Trial::test("races are found where labels say so", || {
        checked::compare(MODULES.iter().flat_map(|&(file, kernels)| {
            kernels.iter().copied().zip(labels(file, kernels).kernels)
        }))
    }));
    trials.push(Trial::test("every lint has a page, and every label a lint", names));
    trials.push(Trial::test("docs/lints/evidence.md", move || table.check(&held_out)));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Checks that a module lists all kernels of its file.
fn listed(file: &str, labels: &Labels) -> Trial {
    let unlisted = labels.unlisted.clone();
    Trial::test(format!("{file}: lists its kernels"), move || {
        if unlisted.is_empty() { Ok(()) } else { Err(unlisted.join(", ").into()) }
    })
}

/// Checks that every label names a lint, and that every lint has a page.
fn names() -> Result<(), Failed> {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/lints");
    let without = lint::names().filter(|name| !pages.join(format!("{name}.md")).exists());
    let modules = MODULES.iter().chain(HELD_OUT);
    let labels = modules.flat_map(|(file, kernels)| labels(file, kernels).kernels);
    let unknown = labels.flatten().filter(|label| !lint::names().any(|name| name == label.lint));
    let wrong: Vec<_> = without
        .map(|name| format!("{name} has no page"))
        .chain(unknown.map(|label| format!("{} is no lint", label.lint)))
        .collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// The labels in a module's file.
struct Labels {
    /// The labels of its kernels, in the order of their list.
    kernels: Vec<Vec<Expected>>,
    /// Kernels that are in the file but not in the list.
    unlisted: Vec<String>,
}

fn labels(file: &str, kernels: &[&Source]) -> Labels {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = std::fs::read_to_string(path).expect("the module is there");
    let written = expected(&text);
    let of = |source: &&Source| {
        let kernel = written.iter().find(|(name, _)| name == source.name);
        kernel.map(|(_, labels)| labels.clone()).expect("a kernel is where it is listed")
    };
    let unlisted = written
        .iter()
        .map(|(name, _)| name)
        .filter(|name| kernels.iter().all(|source| source.name != name.as_str()));
    Labels { kernels: kernels.iter().map(of).collect(), unlisted: unlisted.cloned().collect() }
}

/// Checks that the findings are the expected ones, except those that are known to be missed.
fn compare(expected: &[Expected], found: &[Found]) -> Result<(), Failed> {
    let is_found = |label: &Expected| found.iter().any(|found| label.is(found));
    let wrong = found.iter().filter(|found| !expected.iter().any(|label| label.is(found)));
    let wrong = wrong.map(|found| format!("found, but not expected: {found}"));
    let labels = expected.iter().filter_map(|label| match (is_found(label), label.is_missed) {
        (true, false) | (false, true) => None,
        (false, false) => Some(format!("not found: {label}")),
        (true, true) => Some(format!("found, though it says `?`: {label}")),
    });
    let all: Vec<_> = labels.chain(wrong).collect();
    if all.is_empty() { Ok(()) } else { Err(all.join("\n").into()) }
}

/// Checks that an example of a page has the findings that the page states.
fn page(page: &'static Page) -> Trial {
    let Page { lint, line, is_bad, kernels } = *page;
    Trial::test(format!("docs/lints/{lint}.md:{line}"), move || {
        let found: Vec<_> = kernels.iter().flat_map(|source| found(source)).collect();
        let others: Vec<_> = found
            .iter()
            .filter(|found| !is_bad || found.lint != lint)
            .map(Found::to_string)
            .collect();
        if kernels.is_empty() {
            Err("it has no kernel".into())
        } else if !others.is_empty() {
            Err(others.join("\n").into())
        } else if is_bad && found.is_empty() {
            Err("nothing is found".into())
        } else {
            Ok(())
        }
    })
}
