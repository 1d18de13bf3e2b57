//! Random kernels on the interpreter: their writes and faults depend neither on optimization nor on
//! the number of blocks that run at once. No other engine takes part, so that long searches are
//! fast: `WARPWISE_SEED=0 WARPWISE_SEEDS=100000`, in release.
use std::{fmt::Write as _, num::NonZeroUsize};
use warpwise_compiler::{
    ir::Kernel,
    optimize::{optimize, optimize_and_coarsen, optimize_for_launches},
};
use warpwise_simt::{
    Arg, CheckedProgram, Checks, CountingProgram, Launch, Memory, Outcome, Problem, Program,
    Requests,
};
use warpwise_tests::random_ir::{
    ArgData, RandomKernel, affine_kernel, cluster_kernel, divergent_kernel, float_index_kernel,
    guarded_kernel, random_kernel, ring_kernel, seeds, straight_kernel, stride_kernel,
    volume_kernel,
};

/// Enough for every kernel that the generator makes; one that needs more does not end.
const STEPS: u64 = 200_000_000;

/// Runs `kernel` in the launch of `random`, and returns the arguments afterwards and the outcome.
fn run(random: &RandomKernel, kernel: &Kernel, workers: usize) -> (Vec<ArgData>, Outcome) {
    launch(random, workers, |launch| Program::new(kernel).run(launch))
}

/// Calls `run` with a launch, and returns the arguments afterwards and the result.
fn launch<T>(
    random: &RandomKernel,
    workers: usize,
    run: impl FnOnce(&Launch<'_>) -> T,
) -> (Vec<ArgData>, T) {
    let memories: Vec<Option<Memory>> = random
        .args
        .iter()
        .map(|arg| match arg {
            ArgData::Slice { bytes, .. } => Some(Memory::from_bytes(bytes)),
            ArgData::Scalar { .. } => None,
        })
        .collect();
    let args: Vec<Arg<'_>> = random
        .args
        .iter()
        .zip(&memories)
        .map(|(arg, memory)| match (arg, memory) {
            (ArgData::Slice { elem, .. }, Some(memory)) => {
                let size = elem.size().expect("arguments have concrete types") as usize;
                Arg::Slice { memory, offset: 0, len: (memory.len() / size) as u64 }
            }
            (ArgData::Scalar { bits, .. }, _) => Arg::Scalar(*bits),
            (ArgData::Slice { .. }, None) => unreachable!("every slice got a memory"),
        })
        .collect();
    let outcome = run(&Launch {
        grid: random.shape.grid,
        block: random.shape.block,
        args: &args,
        workers: NonZeroUsize::new(workers),
        steps: Some(STEPS),
    });
    let after =
        random.args.iter().zip(&memories).map(|(arg, memory)| read_back(arg, memory.as_ref()));
    (after.collect(), outcome)
}

fn read_back(arg: &ArgData, memory: Option<&Memory>) -> ArgData {
    match (arg, memory) {
        (ArgData::Slice { elem, access, .. }, Some(memory)) => {
            let mut bytes = vec![0; memory.len()];
            memory.read_into(0, &mut bytes);
            ArgData::Slice { elem: *elem, access: *access, bytes }
        }
        (ArgData::Scalar { .. } | ArgData::Slice { .. }, _) => arg.clone(),
    }
}

/// Returns a number of workers with the same effects as one. Where a block cannot end, several
/// workers may have run blocks after it.
const fn several(outcome: &Outcome) -> usize {
    if outcome.stopped.is_some() { 1 } else { 3 }
}

/// Returns how two runs differ; empty if they do not.
fn difference(a: &(Vec<ArgData>, Outcome), b: &(Vec<ArgData>, Outcome)) -> String {
    let mut text = String::new();
    for (index, (a, b)) in a.0.iter().zip(&b.0).enumerate() {
        if !a.same_values(b) {
            writeln!(text, "arg{index}:\n  {a:?}\n  {b:?}").expect("a string takes any text");
        }
    }
    if a.1 != b.1 {
        writeln!(text, "outcome:\n  {:?}\n  {:?}", a.1, b.1).expect("a string takes any text");
    }
    text
}

#[test]
fn the_optimizer_changes_nothing_that_they_do() {
    let (mut wrote, mut faulted, mut versioned) = (0, 0, 0);
    let kernels = seeds(300).flat_map(|seed| {
        let (random, straight) = (random_kernel(seed), straight_kernel(seed));
        [
            random,
            straight,
            affine_kernel(seed),
            ring_kernel(seed),
            cluster_kernel(seed),
            float_index_kernel(seed),
        ]
        .map(|made| (seed, made))
    });
    for (seed, random) in kernels {
        let optimized = optimize(random.kernel.clone());
        let kernels = optimize_and_coarsen(random.for_gpu());
        let for_gpu = &kernels.plain;
        versioned += usize::from(*for_gpu != optimized);
        let plain = run(&random, &random.kernel, 1);
        let RandomKernel { kernel, shape, .. } = &random;
        assert_eq!(plain.1.stopped, None, "seed {seed}: {shape:?}\n{kernel}");
        wrote += usize::from(plain.0 != random.args);
        faulted += usize::from(plain.1.fault.is_some());
        let launches = [
            ("again on two workers", kernel, 2),
            ("optimized", &optimized, 1),
            ("for a GPU", for_gpu, 1),
        ];
        let coarsened = kernels.coarsened.iter().map(|kernel| ("coarsened", kernel, 1));
        for (what, kernel, workers) in launches.into_iter().chain(coarsened) {
            let difference = difference(&plain, &run(&random, kernel, workers));
            assert!(
                difference.is_empty(),
                "seed {seed}, {what}: {shape:?}\n{difference}\n{}\noptimized to\n{kernel}",
                random.kernel
            );
        }
    }
    assert!(wrote > 0, "no kernel wrote anything");
    assert!(faulted > 0, "no kernel faulted");
    assert!(versioned > 0, "no loop has two versions");
}

#[test]
fn contracts_drop_only_checks_that_cannot_fail() {
    type Make = fn(u64) -> RandomKernel;
    let makers: [(&str, Make); 7] = [
        ("floats", float_index_kernel),
        ("guarded", guarded_kernel),
        ("volumes", volume_kernel),
        ("straight", straight_kernel),
        ("affine", affine_kernel),
        ("rings", ring_kernel),
        ("any", random_kernel),
    ];
    let mut fulfilled = 0;
    for (name, make) in makers {
        let (mut by_kind, mut faulted) = (0, 0);
        for seed in seeds(200) {
            let random = make(seed);
            let codes = optimize_for_launches(random.for_gpu());
            let Some((contract, assumed)) = &codes.assumed else { continue };
            if !random.fulfils(contract) {
                continue;
            }
            by_kind += 1;
            let plain = run(&random, &random.kernel, 1);
            faulted += usize::from(plain.1.fault.is_some());
            for kernel in [assumed].into_iter().chain(&codes.coarsened) {
                let difference = difference(&plain, &run(&random, kernel, 1));
                assert!(
                    difference.is_empty(),
                    "{name}, seed {seed}, `{contract}`: {:?}\n{difference}\n{}\noptimized to\n{kernel}",
                    random.shape,
                    random.kernel
                );
            }
        }
        println!("{name}: {by_kind} launches fulfil a contract, {faulted} of them fault");
        fulfilled += by_kind;
    }
    assert!(fulfilled > 0, "no launch fulfils a contract");
}

/// Kernels that end in a deadlock, in which the lanes that wait at one instruction have diverged in
/// a counting run, and are together in a plain one.
const DEADLOCKS: [u64; 2] = [1145, 806_951];

#[test]
fn counting_changes_nothing_and_sees_what_addresses_say() {
    let mut requests = 0;
    for seed in seeds(150).chain(DEADLOCKS) {
        for random in [random_kernel(seed), divergent_kernel(seed), cluster_kernel(seed)] {
            for kernel in [random.kernel.clone(), optimize(random.kernel.clone())] {
                let plain = run(&random, &kernel, 1);
                let program = CountingProgram::new(&kernel, Requests::Vectors);
                let workers = several(&plain.1);
                let (left, (ended, counters)) =
                    launch(&random, workers, |launch| program.run(launch));
                let difference = difference(&plain, &(left, ended));
                assert!(difference.is_empty(), "seed {seed}: {difference}\n{kernel}");
                let (_, (_, slowly)) =
                    launch(&random, 1, |launch| program.run_without_patterns(launch));
                assert_eq!(counters, slowly, "seed {seed}: {:?}\n{kernel}", random.shape);
                let as_written = CountingProgram::as_written(&kernel, Requests::Vectors);
                let (_, (_, written)) = launch(&random, 1, |launch| as_written.run(launch));
                assert_eq!(counters, written, "seed {seed}: {:?}\n{kernel}", random.shape);
                for (id, counts) in counters.iter() {
                    let active = counters.active_threads(id);
                    let sums = (active.instructions(), active.thread_instructions());
                    let counted = (counts.warp_instructions, counts.thread_instructions);
                    assert_eq!(sums, counted, "seed {seed}: {id:?}\n{kernel}");
                }
                requests += counters.total().global().requests + counters.total().shared().requests;
            }
        }
    }
    assert!(requests > 1000, "{requests} requests only");
}

#[test]
fn threads_that_stride_over_memory_are_seen_as_written() {
    let (mut found, mut atomics) = (0, 0);
    for seed in seeds(150) {
        let random = stride_kernel(seed);
        for kernel in [random.kernel.clone(), optimize(random.kernel.clone())] {
            let plain = run(&random, &kernel, 1);
            let program = CountingProgram::new(&kernel, Requests::Vectors);
            let (left, (ended, counters)) =
                launch(&random, several(&plain.1), |launch| program.run(launch));
            let difference = difference(&plain, &(left, ended));
            assert!(difference.is_empty(), "seed {seed}: {difference}\n{kernel}");
            let as_written = CountingProgram::as_written(&kernel, Requests::Vectors);
            let (_, (_, written)) = launch(&random, 1, |launch| as_written.run(launch));
            assert_eq!(counters, written, "seed {seed}: {:?}\n{kernel}", random.shape);
            let (_, (_, slowly)) =
                launch(&random, 1, |launch| program.run_without_patterns(launch));
            assert_eq!(counters, slowly, "seed {seed}: {:?}\n{kernel}", random.shape);
            let [checked, written] = [CheckedProgram::new, CheckedProgram::as_written]
                .map(|of| launch(&random, 1, |launch| of(&kernel).run(launch, Checks::ALL)));
            assert_eq!(checked, written, "seed {seed}: {:?}\n{kernel}", random.shape);
            found += checked.1.1.len();
            atomics += counters.total().global().requests;
        }
    }
    assert!(found > 0 && atomics > 10_000, "{found} findings, {atomics} requests");
}

#[test]
fn checking_changes_nothing_and_finds_no_race() {
    for seed in seeds(60) {
        for random in [random_kernel(seed), divergent_kernel(seed), cluster_kernel(seed)] {
            for kernel in [random.kernel.clone(), optimize(random.kernel.clone())] {
                let plain = run(&random, &kernel, 1);
                let program = CheckedProgram::new(&kernel);
                let all = Checks::ALL | Checks::STRICT | Checks::UNUSED;
                let (left, (ended, found)) = launch(&random, 1, |launch| program.run(launch, all));
                let difference = difference(&plain, &(left, ended));
                assert!(difference.is_empty(), "seed {seed}: {difference}\n{kernel}");
                let is_race = |problem: &Problem| matches!(problem, Problem::Race(_));
                let race = found.iter().find(|finding| is_race(&finding.problem));
                assert_eq!(race, None, "seed {seed}: {:?}\n{kernel}", random.shape);
                let (_, (_, again)) =
                    launch(&random, several(&plain.1), |launch| program.run(launch, all));
                assert_eq!(found, again, "seed {seed}: {kernel}");
                let (_, (_, slowly)) =
                    launch(&random, 1, |launch| program.run_one_by_one(launch, all));
                assert_eq!(found, slowly, "seed {seed}: {kernel}");
                let as_written = CheckedProgram::as_written(&kernel);
                let (_, (_, written)) = launch(&random, 1, |launch| as_written.run(launch, all));
                assert_eq!(found, written, "seed {seed}: {kernel}");
            }
        }
    }
}
