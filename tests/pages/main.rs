//! Runs every program of `README.md` and `docs`, and checks that every row of their tables is
//! part of one.
//!
//! A page's `rust` blocks are whole programs; [`rows`] says what the tables must hold. Programs
//! run on `Device::auto()`, and so on a GPU where there is one: this test is a program without
//! needs of its own, which `WARPWISE_DEVICE=cuda` keeps to that.
//!
//! `cargo test -p warpwise-pages -- language` runs one page's.
mod rows;

use libtest_mimic::{Arguments, Failed, Trial};
use std::process::ExitCode;

/// A page, the line of a program in it, and the program's `main`.
type Program = (&'static str, usize, fn() -> Result<(), String>);

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // A device reports a fault to whoever waits for it next, so programs must not share it.
    arguments.test_threads = Some(1);
    let programs = PROGRAMS.iter().map(|&(page, line, run)| {
        Trial::test(format!("{page}:{line}"), move || run().map_err(Failed::from))
    });
    let tables = PAGES.iter().map(|page| {
        Trial::test(format!("{page}: rows"), move || {
            let wrong = rows::wrong(page);
            if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
        })
    });
    let checker = Trial::test("rows that no program has are found", || {
        if rows::finds_what_is_missing() { Ok(()) } else { Err("they are not".into()) }
    });
    libtest_mimic::run(&arguments, programs.chain(tables).chain([checker]).collect()).exit_code()
}
