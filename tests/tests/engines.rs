//! Random kernels mean the same on every engine: same bits in memory, same fault.
use warpwise_tests::{
    engines::{engines, run},
    random_ir::{random_kernel, seeds},
};

#[test]
fn engines_agree_on_random_kernels() {
    let (engines, no_gpu) = engines();
    if let Some(reason) = no_gpu {
        println!("skipped on a GPU: {reason}");
    }
    let (mut count, mut faults, mut wrong) = (0, 0, Vec::new());
    for seed in seeds(500) {
        let random = random_kernel(seed);
        let left: Vec<_> = engines
            .iter()
            .map(|engine| {
                run(&random, &engine.device)
                    .unwrap_or_else(|error| panic!("seed {seed}, {}: {error}", engine.name))
            })
            .collect();
        for (engine, other) in engines.iter().zip(&left).skip(1) {
            if !other.agrees(&left[0]) {
                wrong.push(seed);
                println!(
                    "seed {seed}: {} disagrees with {}; faults {:?} and {:?}",
                    engine.name, engines[0].name, other.fault, left[0].fault
                );
            }
        }
        count += 1;
        faults += usize::from(left[0].fault.is_some());
    }
    println!("{count} kernels on {} engines, {faults} ended with a fault", engines.len());
    assert!(wrong.is_empty(), "engines disagree on {} of {count} kernels: {wrong:?}", wrong.len());
}
