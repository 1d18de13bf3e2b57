//! Verdicts of `explain`, good and bad, hold in launches of random kernels. `WARPWISE_SEEDS=10000`
//! for a long run.
use warpwise_tests::{
    explain_check::{Tally, contradictions},
    random_ir::{
        RandomKernel, dense_kernel, divergent_kernel, guarded_kernel, index_kernel, racy_kernel,
        random_kernel, seeds, stride_kernel, with_contracts,
    },
};

/// Compares verdicts about the kernels of `make` with their launches.
fn check(name: &str, make: impl Fn(u64) -> RandomKernel) {
    let mut tally = Tally::default();
    let mut found = Vec::new();
    for seed in seeds(4) {
        let random = make(seed);
        let wrong = contradictions(&random, &mut tally);
        if !wrong.is_empty() {
            found.push(format!("seed {seed}: {wrong:#?}\n{}", random.kernel));
        }
    }
    println!("{name}: {tally:?}");
    let first = found.first().map_or("", String::as_str);
    assert!(
        found.is_empty(),
        "{name}: {} kernels are not as they are explained, as {first}",
        found.len()
    );
}

#[test]
fn loops_are_as_they_are_explained() {
    check("loops", |seed| index_kernel(seed, true));
}

#[test]
fn expressions_are_as_they_are_explained() {
    check("expressions", |seed| index_kernel(seed, false));
}

#[test]
fn divergent_control_is_as_it_is_explained() {
    check("divergent", divergent_kernel);
}

#[test]
fn checks_are_as_they_are_explained() {
    check("guarded", guarded_kernel);
    check("strides", stride_kernel);
}

#[test]
fn kernels_over_the_whole_ir_are_as_they_are_explained() {
    check("random", random_kernel);
    check("dense", dense_kernel);
    check("racy", |seed| racy_kernel(seed, 0));
}

#[test]
fn lanes_in_different_iterations_of_an_unrolled_loop_are_as_they_are_explained() {
    let random = with_contracts(racy_kernel(29, 0), 29);
    assert_eq!(contradictions(&random, &mut Tally::default()), <Vec<String>>::new());
}

#[test]
fn kernels_with_contracts_are_as_they_are_explained() {
    check("contracts of strides", |seed| with_contracts(stride_kernel(seed), seed));
    check("contracts of indices", |seed| with_contracts(index_kernel(seed, true), seed));
    check("contracts of races", |seed| with_contracts(racy_kernel(seed, 0), seed));
}
