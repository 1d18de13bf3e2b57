//! The interpreter, compared with a second, naive implementation of the IR on random kernels: the
//! same bytes and the same fault, with one worker and with several, on unoptimized and optimized
//! IR.
use std::num::NonZeroUsize;
use warpwise_compiler::{
    id::Id,
    ir::{InstId, Kernel},
    optimize::{optimize, optimize_and_coarsen},
};
use warpwise_simt::{Arg, Launch, Memory, Program, Stopped};
use warpwise_tests::{
    random_ir::{ArgData, RandomKernel, coarse_kernel, random_kernel, seeds},
    reference::{self, Left},
};

/// Runs `kernel`, which has the meaning of `random`, on the interpreter.
fn interpreted(random: &RandomKernel, kernel: &Kernel, workers: usize) -> Left {
    let (left, stopped) = launched(random, kernel, workers, None);
    assert_eq!(stopped, None);
    left
}

/// Runs `kernel` on the arguments of `random`.
fn launched(
    random: &RandomKernel,
    kernel: &Kernel,
    workers: usize,
    steps: Option<u64>,
) -> (Left, Option<Stopped>) {
    let memory = |arg: &ArgData| match arg {
        ArgData::Scalar { .. } => Memory::zeroed(0),
        ArgData::Slice { bytes, .. } => Memory::from_bytes(bytes),
    };
    let memories: Vec<_> = random.args.iter().map(memory).collect();
    let arg = |(arg, memory)| match arg {
        &ArgData::Scalar { bits, .. } => Arg::Scalar(bits),
        ArgData::Slice { elem, bytes, .. } => Arg::Slice {
            memory,
            offset: 0,
            len: bytes.len() as u64 / u64::from(elem.size().unwrap()),
        },
    };
    let args: Vec<_> = random.args.iter().zip(&memories).map(arg).collect();
    let outcome = Program::new(kernel).run(&Launch {
        grid: random.shape.grid,
        block: random.shape.block,
        args: &args,
        workers: NonZeroUsize::new(workers),
        steps,
    });
    let mut args = random.args.clone();
    for (arg, memory) in args.iter_mut().zip(&memories) {
        if let ArgData::Slice { bytes, .. } = arg {
            memory.read_into(0, bytes);
        }
    }
    (Left { args, fault: outcome.fault, printed: outcome.printed }, outcome.stopped)
}

#[test]
fn random_kernels_mean_what_the_reference_says() {
    let (mut wrong, mut faults) = (Vec::new(), 0);
    for seed in seeds(300) {
        let random = random_kernel(seed);
        let expected = reference::run(&random);
        faults += usize::from(expected.fault.is_some());
        let optimized = optimize(random.kernel.clone());
        let launches = [(&random.kernel, 1), (&random.kernel, 3), (&optimized, 1)];
        for (number, (kernel, workers)) in launches.into_iter().enumerate() {
            let left = interpreted(&random, kernel, workers);
            if !reference::same(&left, &expected) {
                println!(
                    "seed {seed}, launch {number}: faults {:?} for {:?}",
                    left.fault, expected.fault
                );
                wrong.push(seed);
            }
        }
    }
    println!("{faults} kernels fault");
    assert!(wrong.is_empty(), "wrong: {wrong:?}");
}

#[test]
fn coarsened_random_kernels_mean_what_the_reference_says() {
    let (mut wrong, mut coarsened, mut faults) = (Vec::new(), 0, 0);
    for seed in seeds(300) {
        for random in [coarse_kernel(seed), random_kernel(seed)] {
            let coarsened_kernel = optimize_and_coarsen(random.for_gpu()).coarsened;
            let Some(kernel) = coarsened_kernel else { continue };
            coarsened += 1;
            let expected = reference::run(&random);
            faults += usize::from(expected.fault.is_some());
            let side_by_side = reference::run(&RandomKernel { kernel, ..random });
            if !reference::same(&side_by_side, &expected) {
                println!("seed {seed}: faults {:?} for {:?}", side_by_side.fault, expected.fault);
                wrong.push(seed);
            }
        }
    }
    println!("{coarsened} kernels are coarsened, {faults} of them fault");
    assert!(coarsened > 0 && faults > 0, "nothing was tested");
    assert!(wrong.is_empty(), "wrong: {wrong:?}");
}

/// Exchanges types and operands, as a wrong pass might.
fn damage(kernel: &mut Kernel, seed: u64) {
    let mut random = seed;
    let mut draw = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) as usize % below
    };
    let len = kernel.insts.len();
    for _ in 0..3 {
        let [a, b] = [InstId::new(draw(len)), InstId::new(draw(len))];
        if draw(2) == 0 {
            kernel.insts[a].ty = kernel.insts[b].ty;
        } else {
            // Never in a cycle: addresses are followed to their roots.
            let before = InstId::new(b.index() % a.index().max(1));
            kernel.insts[a].op.operands_mut().for_each(|operand| *operand = before);
        }
    }
}

#[test]
fn malformed_kernels_do_no_harm() {
    let mut refused = 0;
    for seed in seeds(300) {
        let random = random_kernel(seed);
        let mut kernel = random.kernel.clone();
        damage(&mut kernel, seed);
        let (_, stopped) = launched(&random, &kernel, 1, Some(1 << 20));
        if let Some(Stopped::Malformed { message, .. }) = stopped {
            assert!(!message.contains("panicked"), "seed {seed}");
            refused += 1;
        }
    }
    assert!(refused > 0, "nothing was damaged");
}
