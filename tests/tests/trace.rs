//! Claims of traces hold in every step of random kernels. `WARPWISE_SEEDS=10000` for a long run.
use warpwise_tests::{
    random_ir::{
        RandomKernel, dense_kernel, divergent_kernel, guarded_kernel, index_kernel, random_kernel,
        seeds, stride_kernel, with_contracts,
    },
    trace_check::{Tally, contradictions},
};

fn check(make: impl Fn(u64) -> RandomKernel) {
    let mut tally = Tally::default();
    for seed in seeds(40) {
        let random = make(seed);
        let wrong = contradictions(&random, &mut tally);
        assert!(wrong.is_empty(), "seed {seed}: {wrong:?}\n{}", random.kernel);
    }
    println!("{tally:?}");
}

#[test]
fn expressions_are_what_the_trace_says() {
    check(|seed| index_kernel(seed, false));
}

#[test]
fn loops_are_what_the_trace_says() {
    check(|seed| index_kernel(seed, true));
}

#[test]
fn divergent_control_is_what_the_trace_says() {
    check(divergent_kernel);
}

#[test]
fn kernels_over_the_whole_ir_are_what_the_trace_says() {
    check(random_kernel);
    check(dense_kernel);
}

#[test]
fn what_contracts_say_is_what_the_trace_says() {
    check(guarded_kernel);
    check(|seed| with_contracts(index_kernel(seed, seed % 2 == 0), seed));
    check(|seed| with_contracts(stride_kernel(seed), seed));
    check(|seed| with_contracts(random_kernel(seed), seed));
}
