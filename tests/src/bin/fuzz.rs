//! Fuzzer of random Rust kernels, which runs for as long as you like:
//! `cargo run --release -p warpwise-tests --bin fuzz -- --seed 0 --kernels 1000`.
//!
//! Prints the kernels on which engines disagree, and reduces the first `--shrink N` of them.
//! `--batch N` (100 by default) is the number of kernels in a program. Programs stay in
//! `target/fuzz`, so that they can also run elsewhere: with `WARPWISE_DEVICE=cuda` on a machine
//! with a GPU. `--coverage 1` only prints how many of the kernels contain each language feature.
use std::process::ExitCode;
use warpwise_tests::random_rust::{
    batch::{Plan, fuzz},
    coverage::drawn,
    kernel,
};

fn main() -> ExitCode {
    let release = !cfg!(debug_assertions);
    let mut plan = Plan { seeds: Vec::new(), batch: 100, shrink: 0, release };
    let (mut seed, mut kernels, mut coverage) = (0, 1000, false);
    let mut args = std::env::args().skip(1);
    while let Some(name) = args.next() {
        let value = args.next().and_then(|value| value.parse().ok());
        match (name.as_str(), value) {
            ("--seed", Some(value)) => seed = value,
            ("--kernels", Some(value)) => kernels = value,
            ("--batch", Some(value)) => plan.batch = value,
            ("--coverage", Some(value)) => coverage = value != 0,
            ("--shrink", Some(value)) => plan.shrink = value as usize,
            _ => {
                eprintln!("fuzz [--seed S] [--kernels N] [--batch N] [--shrink N] [--coverage 1]");
                return ExitCode::FAILURE;
            }
        }
    }
    plan.seeds = (seed..seed + kernels).collect();
    if coverage {
        let kernels: Vec<_> = plan.seeds.into_iter().map(kernel).collect();
        for (kind, count) in drawn(&kernels) {
            println!("{count:7} {kind}");
        }
        return ExitCode::SUCCESS;
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
