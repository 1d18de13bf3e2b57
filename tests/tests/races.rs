//! Race verdicts, compared with random kernels: some without races, and some of which most race.
//! `WARPWISE_SEEDS=10000` for a long run.
use warpwise_compiler::{
    analysis::{Analyses, races::Verdict},
    ir::{Kernel, Op, Root},
    verify,
};
use warpwise_tests::{
    race_check::{self, Tally},
    random_ir::{RandomKernel, dense_kernel, divergent_kernel, racy_kernel, random_kernel, seeds},
    trace_check,
};

/// The number of launches of each kernel that may race.
const LAUNCHES: u64 = 3;

#[test]
fn kernels_without_races_are_not_called_racy() {
    let (mut free, mut unknown) = (0, 0);
    for make in [random_kernel, dense_kernel, divergent_kernel] {
        for seed in seeds(100) {
            let RandomKernel { kernel, .. } = make(seed);
            let races = Analyses::for_kernel(&kernel).races;
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

#[test]
fn what_is_proved_of_races_holds_in_every_launch() {
    let (mut tally, mut traced) = (Tally::default(), trace_check::Tally::default());
    let mut endless = 0;
    for seed in seeds(40) {
        let kernel = racy_kernel(seed, 0).kernel;
        assert_eq!(verify::verify(&kernel), Ok(()), "seed {seed}\n{kernel}");
        let analyses = Analyses::for_kernel(&kernel);
        let written =
            analyses.races.memory.iter().filter(|memory| is_written(&kernel, memory.root));
        for memory in written {
            let verdict = match memory.verdict() {
                Verdict::RaceFree => 0,
                Verdict::Racy => 1,
                Verdict::CannotTell => 2,
            };
            tally.memory[verdict] += 1;
            tally.races[0] += u32::try_from(memory.races.len()).unwrap();
        }
        for run in 0..LAUNCHES {
            let random = racy_kernel(seed, run);
            let Ok(mut wrong) = race_check::contradictions(&random, &analyses, &mut tally) else {
                endless += 1;
                continue;
            };
            wrong.extend(trace_check::contradictions(&random, &mut traced));
            assert!(wrong.is_empty(), "seed {seed}, launch {run}: {wrong:#?}\n{kernel}");
        }
    }
    println!("{tally:?}, {endless} launches too long");
    assert!(endless * 100 < tally.launches, "{endless} of {}", tally.launches);
    assert!(tally.memory.iter().all(|&count| count > 0) && tally.races[1] > 0, "{tally:?}");
}

/// Returns true if a thread may write to an array or buffer.
fn is_written(kernel: &Kernel, root: Root) -> bool {
    kernel.insts.iter().any(|(_, inst)| {
        let (Op::Store { ptr, .. } | Op::Atomic { ptr, .. }) = inst.op else { return false };
        kernel.root(ptr) == Some(root)
    })
}
