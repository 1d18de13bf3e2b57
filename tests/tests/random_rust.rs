//! Random Rust kernels are accepted, and mean what rustc's own copy of them computes: the same
//! bits and the same faults, on every engine that is here.
//!
//! `WARPWISE_SEEDS` kernels from `WARPWISE_SEED` up; more of them, and smaller ones where something
//! is wrong, by `cargo run --release -p warpwise-tests --bin fuzz`.
use warpwise_tests::{
    random_ir::seeds,
    random_rust::batch::{Plan, fuzz},
};

#[test]
fn engines_agree_with_rustc_on_random_kernels() {
    let seeds = seeds(60);
    let kernels = seeds.end - seeds.start;
    let plan = Plan { seed: seeds.start, kernels, batch: 30, release: false, shrink: 0 };
    let report = fuzz(&plan).expect("programs of random kernels compile and run");
    assert!(report.is_clean(), "{report}");
    println!("{report}");
}
