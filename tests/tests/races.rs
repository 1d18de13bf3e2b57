//! What is said of races, held against random kernels: none of them races.
use warpwise_compiler::analysis::{Analyses, races::Verdict};
use warpwise_tests::random_ir::{
    RandomKernel, dense_kernel, divergent_kernel, random_kernel, seeds,
};

#[test]
fn kernels_without_races_are_not_called_racy() {
    let (mut free, mut unknown) = (0, 0);
    for make in [random_kernel, dense_kernel, divergent_kernel] {
        for seed in seeds(100) {
            let RandomKernel { kernel, .. } = make(seed);
            let races = Analyses::of(&kernel).races;
            for memory in &races.memory {
                assert!(memory.races.is_empty(), "seed {seed}: {:?}\n{kernel}", memory.races);
            }
            match races.verdict() {
                Verdict::RaceFree => free += 1,
                Verdict::CannotTell => unknown += 1,
                Verdict::Racy => unreachable!("no array or buffer is"),
            }
        }
    }
    println!("{free} proved race-free, {unknown} cannot tell");
    assert!(free > 0);
}
