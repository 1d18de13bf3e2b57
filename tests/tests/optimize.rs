//! Optimizing changes nothing that a kernel computes.
use warpwise_compiler::{
    ir::Kernel,
    optimize::{optimize, optimize_for_gpu},
    verify::verify,
};
use warpwise_tests::{
    oracle,
    random_ir::{
        RandomKernel, affine_kernel, dense_kernel, guarded_kernel, random_kernel, seeds,
        straight_kernel,
    },
};

#[test]
fn random_kernels_compute_the_same_before_and_after() {
    computes_the_same(random_kernel);
}

#[test]
fn dense_kernels_compute_the_same_before_and_after() {
    computes_the_same(dense_kernel);
}

#[test]
fn guarded_kernels_fail_the_same_checks_before_and_after() {
    computes_the_same(guarded_kernel);
}

#[test]
fn loops_with_two_versions_fail_the_same_checks_before_and_after() {
    computes_the_same(affine_kernel);
}

#[test]
fn straight_pieces_fail_the_same_checks_before_and_after() {
    computes_the_same(straight_kernel);
}

fn computes_the_same(make: fn(u64) -> RandomKernel) {
    for seed in seeds(300) {
        let random = make(seed);
        if let Err(errors) = verify(&random.kernel) {
            panic!("seed {seed}: {errors}\n{}", random.kernel);
        }
        for optimize in [optimize, optimize_for_gpu] {
            computes_the_same_by(optimize, seed, &random);
        }
    }
}

fn computes_the_same_by(optimize: fn(Kernel) -> Kernel, seed: u64, random: &RandomKernel) {
    let RandomKernel { kernel, shape, args, .. } = random;
    let optimized = optimize(kernel.clone());
    let text = || format!("seed {seed}\n{kernel}\n{optimized}");
    if let Err(errors) = verify(&optimized) {
        panic!("made malformed: {errors}\n{}", text());
    }
    let [mut before, mut after] = [args.clone(), args.clone()];
    let expected = oracle::run(kernel, shape, &mut before, &mut |_| {});
    let found = oracle::run(&optimized, shape, &mut after, &mut |_| {});
    assert_eq!(found, expected, "{}", text());
    let same = before.iter().zip(&after).all(|(before, after)| before.same_values(after));
    assert!(same, "{before:?}\n{after:?}\n{}", text());
}
