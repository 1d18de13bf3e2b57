//! The claims of the analyses hold in every step of random kernels.
use warpwise_compiler::{
    analysis::{
        checks::{self, Verdict},
        range::{self, Ranges},
        uniformity::{self, Uniformity, Varying},
    },
    ir::{InstId, Kernel, Op, Space, Ty, evaluate},
};
use warpwise_tests::{
    oracle::{self, At, Step},
    random_ir::{
        RandomKernel, dense_kernel, divergent_kernel, float_index_kernel, guarded_kernel,
        random_kernel, seeds,
    },
};

#[test]
fn what_is_uniform_is_the_same_in_all_threads() {
    let mut tally = Tally::default();
    for make in [random_kernel, dense_kernel, divergent_kernel] {
        for seed in seeds(60) {
            let RandomKernel { kernel, shape, mut args, .. } = make(seed);
            let facts = uniformity::analyze(&kernel);
            let mut seen = kernel.insts.facts([true; 2]);
            let mut wrong = Vec::new();
            let ran = oracle::run(&kernel, &shape, &mut args, &mut |step| {
                wrong.extend(contradictions(&kernel, &facts, step));
                for (same, size) in seen[step.id].iter_mut().zip(SIZES) {
                    *same &= groups(step, size).all(|group| agrees(step, &group));
                }
            });
            assert!(ran.is_ok(), "seed {seed} does not end\n{kernel}");
            assert!(wrong.is_empty(), "seed {seed}: {wrong:?}\n{kernel}");
            for id in kernel.insts.ids() {
                tally.add(&kernel, id, seen[id], [&facts.warp, &facts.block]);
            }
        }
    }
    println!("{tally:?}");
}

#[test]
fn ranges_hold_every_value() {
    for make in [random_kernel, dense_kernel, guarded_kernel, float_index_kernel] {
        for seed in seeds(60) {
            let RandomKernel { kernel, shape, mut args, .. } = make(seed);
            let ranges = range::analyze(&kernel);
            let mut wrong = Vec::new();
            let ran = oracle::run(&kernel, &shape, &mut args, &mut |step| {
                wrong.extend(outside(&kernel, &ranges, step));
            });
            assert!(ran.is_ok(), "seed {seed} does not end\n{kernel}");
            assert!(wrong.is_empty(), "seed {seed}: {wrong:?}\n{kernel}");
        }
    }
}

#[test]
fn what_is_proved_never_fails() {
    let [mut checked, mut failed, mut proved, mut related] = [0; 4];
    for make in [guarded_kernel, dense_kernel] {
        for seed in seeds(150) {
            let RandomKernel { kernel, shape, mut args, .. } = make(seed);
            let mut safe = kernel.insts.facts(false);
            for check in checks::analyze(&kernel) {
                checked += 1;
                if let Verdict::Proved(causes) = check.verdict {
                    proved += 1;
                    related += u32::from(!causes.is_empty());
                    safe[failing(&kernel, check.inst)] = true;
                }
            }
            let mut wrong = Vec::new();
            let ran = oracle::run(&kernel, &shape, &mut args, &mut |step| {
                let faulted =
                    |&thread: &usize| step.active[thread] && step.threads[thread] == At::Faulted;
                if (0..step.active.len()).any(|thread| faulted(&thread)) {
                    failed += 1;
                    if safe[step.id] {
                        wrong.push(kernel.inst_text(step.id).to_string());
                    }
                }
            });
            assert!(ran.is_ok(), "seed {seed} does not end\n{kernel}");
            assert!(wrong.is_empty(), "seed {seed}: {wrong:?}\n{kernel}");
        }
    }
    println!(
        "{checked} checks, {failed} failures, {proved} proved, {related} of them by relations"
    );
    assert!(failed > 150 && related > 150, "the kernels say little");
}

/// Returns the instruction that ends threads where a check fails.
fn failing(kernel: &Kernel, check: InstId) -> InstId {
    let arm = |body: &warpwise_compiler::ir::Body| body.0.last().copied();
    match &kernel.insts[check].op {
        Op::If { then, other, .. } => arm(then).or(arm(other)).unwrap_or(check),
        _ => check,
    }
}

/// Counts of the instructions that were uniform in a group each time they ran, and of those that
/// the analysis knows to be, for warps and for blocks.
#[derive(Debug, Default)]
struct Tally {
    observed: [u32; 2],
    proved: [u32; 2],
}

impl Tally {
    fn add(&mut self, kernel: &Kernel, id: InstId, same: [bool; 2], groups: [&Varying; 2]) {
        let yields = kernel.insts[id].ty != Ty::Unit;
        for (i, group) in groups.into_iter().enumerate() {
            self.observed[i] += u32::from(yields && same[i]);
            self.proved[i] += u32::from(yields && same[i] && group.value[id].is_uniform());
        }
    }
}

/// The number of threads in a warp, and the largest one in a block.
const SIZES: [usize; 2] = [32, 1024];

/// Returns the threads of each warp or block.
fn groups(step: &Step<'_>, size: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    let count = step.active.len();
    (0..count).step_by(size).map(move |first| first..count.min(first + size))
}

/// Returns the claims of `facts` that this step contradicts.
fn contradictions(kernel: &Kernel, facts: &Uniformity, step: &Step<'_>) -> Vec<String> {
    let mut wrong = Vec::new();
    for (varying, size) in [&facts.warp, &facts.block].into_iter().zip(SIZES) {
        for group in groups(step, size) {
            let together = varying.control[step.id].is_uniform();
            let all_left = together && varying.ended[step.id].is_uniform();
            // An address in a thread's own memory is the same for all threads, but not in the
            // oracle.
            let own = kernel.insts[step.id].ty == Ty::Ptr(Space::Local);
            let same = own || agrees(step, &group);
            let kinds = [
                ("value", varying.value[step.id].is_uniform() && !same),
                ("control", together && parted(step, &group)),
                ("ended", all_left && some_returned(step, &group)),
            ];
            for (kind, _) in kinds.into_iter().filter(|(_, is_wrong)| *is_wrong) {
                wrong.push(format!("{kind} of {} in {group:?}", kernel.inst_text(step.id)));
            }
        }
    }
    wrong
}

type Group = std::ops::Range<usize>;

/// Returns true if all threads that run the step get the same value.
fn agrees(step: &Step<'_>, group: &Group) -> bool {
    let on = |thread: &usize| step.active[*thread] && step.threads[*thread] == At::Here;
    let mut values = group.clone().filter(on).filter_map(|thread| step.values.get(thread));
    let Some(first) = values.next() else { return true };
    values.all(|value| value == first)
}

/// Returns true if some threads run the step and others, which have not ended, do not. A `for` that
/// takes its next value is excepted, since only the threads still in it run that step.
fn parted(step: &Step<'_>, group: &Group) -> bool {
    let runs = group.clone().any(|thread| step.active[thread]);
    let waits =
        group.clone().any(|thread| !step.active[thread] && !has_ended(step.threads[thread]));
    !step.repeats && runs && waits
}

fn has_ended(at: At) -> bool {
    matches!(at, At::Returned | At::Faulted)
}

/// Returns true if some threads run the step and others have returned.
fn some_returned(step: &Step<'_>, group: &Group) -> bool {
    let runs = group.clone().any(|thread| step.active[thread]);
    !step.repeats && runs && group.clone().any(|thread| step.threads[thread] == At::Returned)
}

/// Returns the values of this step that are outside their range.
fn outside(kernel: &Kernel, ranges: &Ranges, step: &Step<'_>) -> Vec<String> {
    let (Some(range), Ty::Scalar(ty)) = (ranges.get(kernel, step.id), kernel.insts[step.id].ty)
    else {
        return Vec::new();
    };
    let on = |thread: &usize| step.active[*thread] && step.threads[*thread] == At::Here;
    let values = (0..step.values.len()).filter(on).map(|thread| step.values[thread]);
    let values = values.filter_map(|bits| evaluate::integer(ty, bits));
    let outside = values.filter(|&value| value < range.min || range.max < value);
    outside.map(|value| format!("{value} in {range:?} of {}", kernel.inst_text(step.id))).collect()
}
