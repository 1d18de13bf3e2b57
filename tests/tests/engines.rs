//! Random kernels mean the same on every engine: same bits in memory, same fault.
use warpwise::Error;
use warpwise_tests::{
    engines::{engines, run},
    random_ir::{RandomKernel, cluster_kernel, random_kernel, random_kernel_within, seeds},
};

/// Kernels that a GPU once ran wrong, with the maximum number of their statements:
/// `docs/testing.md` gives the reason.
const ONCE_WRONG: [(u64, u32); 9] = [
    (9_300_679, u32::MAX),
    (27_002_523, u32::MAX),
    (28_004_493, u32::MAX),
    (405_536, u32::MAX),
    (303_894, u32::MAX),
    (201_621_578, 12),
    (300_081_239, 25),
    (300_094_871, 25),
    (300_056_199, 25),
];

#[test]
fn engines_agree_on_kernels_that_were_once_miscompiled() {
    let (engines, _) = engines();
    for (seed, max_statements) in ONCE_WRONG {
        let random = random_kernel_within(seed, max_statements);
        let reference = run(&random, &engines[0].device).expect("the interpreter runs anything");
        for engine in &engines[1..] {
            let left = run(&random, &engine.device);
            let left = left.unwrap_or_else(|error| panic!("seed {seed}: {}: {error}", engine.name));
            let difference = left.difference(&reference);
            assert_eq!(difference, None, "seed {seed}: {}", engine.name);
        }
    }
}

#[test]
fn engines_agree_on_random_kernels() {
    engines_agree(500, random_kernel, |_| false);
}

#[test]
fn engines_agree_on_random_clusters() {
    // A GPU before compute capability 9.0 has no clusters.
    let is_too_old = |error: &Error| error.to_string().contains("sm_90");
    engines_agree(300, cluster_kernel, is_too_old);
}

/// Compares engines on random kernels, but for errors that `is_allowed` allows.
fn engines_agree(
    default_seeds: u64,
    make: fn(u64) -> RandomKernel,
    is_allowed: fn(&Error) -> bool,
) {
    let (engines, no_gpu) = engines();
    if let Some(reason) = no_gpu {
        println!("skipped on a GPU: {reason}");
    }
    let (mut count, mut faults, mut wrong) = (0, 0, Vec::new());
    for seed in seeds(default_seeds) {
        let random = make(seed);
        let reference = run(&random, &engines[0].device).expect("the interpreter runs anything");
        for engine in &engines[1..] {
            let left = run(&random, &engine.device);
            let difference = match left {
                Ok(left) => left.difference(&reference),
                Err(error) if is_allowed(&error) => None,
                Err(error) => Some(error.to_string()),
            };
            let Some(difference) = difference else { continue };
            wrong.push(seed);
            println!("seed {seed}: {}: {difference}", engine.name);
        }
        count += 1;
        faults += usize::from(reference.fault.is_some());
    }
    println!("{count} kernels on {} engines, {faults} ended with a fault", engines.len());
    assert!(wrong.is_empty(), "engines disagree on {} of {count} kernels: {wrong:?}", wrong.len());
}
