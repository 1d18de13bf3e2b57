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
        let reference = run(&random, &engines[0].device).expect("the interpreter runs anything");
        for engine in &engines[1..] {
            let left = run(&random, &engine.device);
            let difference = match left {
                Ok(left) => left.difference(&reference),
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
