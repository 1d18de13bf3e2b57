//! Random Rust kernels are accepted, and compute the results of rustc's own copy: the same bits and
//! the same faults, on every available engine.
//!
//! The kernels contain every language feature that the generator can draw, or are `WARPWISE_SEEDS`
//! many from `WARPWISE_SEED` on. `cargo run --release -p warpwise-tests --bin fuzz` runs more, and
//! reduces failing ones.
use std::ops::Range;
use warpwise_tests::{
    random_ir::seeds,
    random_rust::{
        Kernel,
        batch::{Plan, Toolchain, compile, fuzz, run},
        coverage::covering,
        shrink::shrink,
    },
};

/// The number of kernels that fit into the time of a test.
const BUDGET: u64 = 60;

#[test]
fn engines_agree_with_rustc_on_random_kernels() {
    let seeds = match seeds(BUDGET) {
        Range { start: 0, end: BUDGET } => {
            covering(BUDGET as usize).unwrap_or_else(|never| panic!("never drawn: {never:?}"))
        }
        asked => asked.collect(),
    };
    let plan = Plan { seeds, batch: 30, release: false, shrink: 0 };
    let report = fuzz(&plan).expect("programs of random kernels compile and run");
    assert!(report.is_clean(), "{report}");
    println!("{report}");
}

/// A kernel with fused products, which rustc's copy does not fuse: the results differ, as in no
/// generated kernel.
const DIFFERS: &str = "\
use super::support::*;
use warpwise::prelude::*;
#[device]
fn f1(a0: u8) -> u8 {
    a0.wrapping_add(1)
}
#[kernel]
pub(crate) fn kernel(r_f32: &[f32], w_f32: &mut [f32], p_f32: f32, out: &mut [u64]) {
    let i = global_idx_x();
    let mut sum = 0u64;
    let v1: u8 = f1((i as u8).rotate_left(3));
    if v1 > 3u8 {
        sum = mix(sum, v1 as u64);
    }
    for v2 in 0..3 {
        let x = (i + 1) as f32 / 7.0;
        sum = mix(sum, bits_f32(x * x - 0.3f32) as u64);
    }
    out[i] = sum;
}
crate::driver::case! { kernel [] host true blocks 2 both { f32: f32, } read { } one { } atomic { } }
";

#[test]
fn a_kernel_that_differs_is_made_smaller_and_still_differs() {
    let toolchain = Toolchain::new(false).expect("the library builds");
    let kernel = Kernel { seed: 5, source: DIFFERS.into(), checked: false };
    let folder = toolchain.folder("differs");
    let about = |kernel: &Kernel| {
        let kernels = std::slice::from_ref(kernel);
        let (program, rejected) = compile(&toolchain, &folder, kernels).expect("rustc is here");
        assert!(rejected.is_empty(), "{rejected:?}");
        run(&program).expect("the program starts").about(0)
    };
    let said = about(&kernel);
    assert!(said.contains("and the host has"), "{said}");
    let smaller =
        shrink(&toolchain, &kernel, &said).expect("programs of its parts compile and run");
    let said = about(&smaller);
    assert!(said.contains("and the host has"), "{said}\n{}", smaller.source);
    let (lines, before) = (smaller.source.lines().count(), DIFFERS.lines().count());
    assert!(lines + 8 <= before, "{lines} of {before} lines are left:\n{}", smaller.source);
    assert!(!smaller.source.contains("f1") && smaller.source.contains(" * "), "{}", smaller.source);
}
