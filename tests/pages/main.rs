//! Runs every program of `README.md` and `docs`, and checks that every row of their tables is part
//! of one, that every [link](links) has a target, and that the [kernels] with times in a page are
//! measured.
//!
//! The `rust` blocks of a page are whole programs; [`rows`] states the rules for tables. Programs
//! run on `Device::auto()`, and so on a GPU if there is one; `WARPWISE_DEVICE=cuda` makes a missing
//! one an error.
//!
//! `cargo test -p warpwise-pages -- language` runs those of one page.
mod kernels;
mod links;
mod rows;

use libtest_mimic::{Arguments, Failed, Trial};
use std::{path::Path, process::ExitCode};

/// A page, the line of a program in it, and the program's `main`.
type Program = (&'static str, usize, fn() -> Result<(), String>);

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // A device reports a fault to the next caller that waits for it, so programs must not share it.
    arguments.test_threads = Some(1);
    let programs = PROGRAMS.iter().map(|&(page, line, run)| {
        Trial::test(format!("{page}:{line}"), move || run().map_err(Failed::from))
    });
    let tables = PAGES
        .iter()
        .map(|page| Trial::test(format!("{page}: rows"), move || outcome(rows::wrong(page))));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let links = [
        Trial::test("links lead somewhere", {
            let root = root.clone();
            move || outcome(links::broken(&root))
        }),
        Trial::test("kernels are those that are measured", {
            let root = root.clone();
            move || outcome(kernels::unmeasured(&root))
        }),
        Trial::test("the summary has every page", move || {
            outcome(links::missing_in_summary(&root))
        }),
        Trial::test("broken links are found", || {
            if links::finds_broken_links() { Ok(()) } else { Err("they are not".into()) }
        }),
    ];
    let checker = Trial::test("rows that no program has are found", || {
        if rows::finds_what_is_missing() { Ok(()) } else { Err("they are not".into()) }
    });
    libtest_mimic::run(&arguments, programs.chain(tables).chain([checker]).chain(links).collect())
        .exit_code()
}

/// Returns the outcome of a trial that found these problems.
fn outcome(problems: Vec<String>) -> Result<(), Failed> {
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n").into()) }
}
