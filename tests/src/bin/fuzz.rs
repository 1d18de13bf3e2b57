//! Random Rust kernels, for as long as one likes:
//! `cargo run --release -p warpwise-tests --bin fuzz -- --seed 0 --kernels 1000`.
//!
//! Prints what engines disagree on, `--shrink N` of the kernels made smaller. `--batch N` kernels make a program (100 if it is not said), which
//! stays in `target/fuzz`, so that it can be run elsewhere, too: with `WARPWISE_DEVICE=cuda` on a
//! machine with a GPU.
use std::process::ExitCode;
use warpwise_tests::random_rust::batch::{Plan, fuzz};

fn main() -> ExitCode {
    let mut plan =
        Plan { seed: 0, kernels: 1000, batch: 100, shrink: 0, release: !cfg!(debug_assertions) };
    let mut args = std::env::args().skip(1);
    while let Some(name) = args.next() {
        let value = args.next().and_then(|value| value.parse().ok());
        match (name.as_str(), value) {
            ("--seed", Some(value)) => plan.seed = value,
            ("--kernels", Some(value)) => plan.kernels = value,
            ("--batch", Some(value)) => plan.batch = value,
            ("--shrink", Some(value)) => plan.shrink = value as usize,
            _ => {
                eprintln!("fuzz [--seed S] [--kernels N] [--batch N] [--shrink N]");
                return ExitCode::FAILURE;
            }
        }
    }
    match fuzz(&plan) {
        Ok(report) => {
            println!("{report}");
            if report.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
