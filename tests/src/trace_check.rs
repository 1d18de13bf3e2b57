//! Check of the claims of a trace against the steps of threads.
//!
//! [`contradictions`] runs a launch in lock step (the [oracle]) and compares each step with the
//! events of its instruction: the active threads, the differences between addresses and stored
//! values, their exact numbers, the splits of conditions, uniformity, and which steps have a
//! barrier between them. A step must agree with at least one event of its instruction.
use crate::{
    oracle::{self, At, Step},
    random_ir::RandomKernel,
};
use warpwise_compiler::{
    analysis::{
        range,
        symbolic::{
            self, AccessKind, Coverage, Event, EventKind, Shape, Split, SymbolicSum, ThreadSet,
            Trace,
        },
        uniformity::{self, Group},
    },
    id::Id,
    ir::{CopyOp, InstId, Kernel, Op, Scalar, Space, SyncOp, Ty, VoteOp, WarpOp, evaluate},
};

/// The number of claims, and of opportunities to make one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Instructions that yielded the same value throughout each warp, and throughout each block,
    /// whenever they ran.
    pub uniform: [u32; 2],
    /// Of these, the number that the trace knows to be uniform.
    pub proved: [u32; 2],
    /// Accesses that ran.
    pub accesses: u32,
    /// Of these, the number for which all differences between threads are known, without and with
    /// an assumption.
    pub known: [u32; 2],
    /// Stored integers, and the number of them for which all differences are known.
    pub stored: [u32; 2],
}

/// Returns the claims of the trace that the launch of `random` contradicts.
///
/// # Panics
/// Panics if the kernel does not end.
pub fn contradictions(random: &RandomKernel, tally: &mut Tally) -> Vec<String> {
    let RandomKernel { kernel, shape, args, .. } = random;
    let facts = uniformity::analyze(kernel);
    let block = Shape { dims: shape.block, declared: kernel.block.is_some() };
    let trace = symbolic::analyze_in(kernel, &facts, &range::analyze(kernel), block);
    let mut events: Vec<Vec<&Event>> = vec![Vec::new(); kernel.insts.len()];
    for event in &trace.events {
        events[event.inst.index()].push(event);
    }
    let count = block.thread_count();
    let mut check = Check {
        kernel,
        trace: &trace,
        events,
        last: vec![vec![0; count]; kernel.insts.len()],
        barriers: vec![0; count],
        met: Vec::new(),
        uniform: vec![[true; 2]; kernel.insts.len()],
        has_ballots: kernel
            .insts
            .iter()
            .any(|(_, inst)| matches!(inst.op, Op::Warp(WarpOp::Vote { op: VoteOp::Ballot, .. }))),
        ran: vec![false; kernel.insts.len()],
        wrong: Vec::new(),
        tally,
    };
    let ran = oracle::run(kernel, shape, &mut args.clone(), &mut |step| check.step(step));
    assert!(ran.is_ok(), "the kernel does not end\n{kernel}");
    check.finish()
}

struct Check<'c> {
    kernel: &'c Kernel,
    trace: &'c Trace,
    events: Vec<Vec<&'c Event>>,
    /// Per instruction and thread, its last value.
    last: Vec<Vec<u64>>,
    /// The number of barriers that each thread of this block has passed.
    barriers: Vec<u32>,
    /// The events that ran in this block, with their threads and the barriers that each had passed.
    met: Vec<(&'c Event, Vec<(usize, u32)>)>,
    uniform: Vec<[bool; 2]>,
    has_ballots: bool,
    ran: Vec<bool>,
    wrong: Vec<String>,
    tally: &'c mut Tally,
}

impl<'c> Check<'c> {
    fn step(&mut self, step: &Step<'_>) {
        if !step.repeats && self.kernel.body.0.first() == Some(&step.id) {
            self.barriers.fill(0);
            self.met.clear();
        }
        if !step.values.is_empty() {
            self.last[step.id.index()].copy_from_slice(step.values);
            self.same(step);
        }
        if step.repeats {
            return;
        }
        if !self.trace.complete {
            return;
        }
        let events = self.events[step.id.index()].clone();
        let op = &self.kernel.insts[step.id].op;
        let is_event = matches!(
            op,
            Op::If { .. }
                | Op::Return
                | Op::Sync(SyncOp::Barrier { .. })
                | Op::Load { .. }
                | Op::Store { .. }
                | Op::AtomicLoad { .. }
                | Op::AtomicStore { .. }
                | Op::Atomic { .. }
                | Op::CompareExchange { .. }
                | Op::Copy(
                    CopyOp::AsyncCopy { .. }
                        | CopyOp::BulkCopy { .. }
                        | CopyOp::TensorCopy { .. }
                        | CopyOp::TensorStore { .. }
                        | CopyOp::BulkStore { .. }
                )
                | Op::Warp(WarpOp::Vote { .. } | WarpOp::Shuffle { .. })
        );
        if !is_event {
            self.out_of_bounds(&events, step);
            return;
        }
        let reasons: Vec<_> = events.iter().map(|event| self.mismatch(event, step)).collect();
        if !reasons.iter().any(Option::is_none) {
            let texts: Vec<_> = events
                .iter()
                .zip(&reasons)
                .map(|(event, reason)| {
                    let text = self.trace.event_text(self.kernel, event);
                    format!("{text}: {}", reason.as_deref().unwrap_or(""))
                })
                .collect();
            self.wrong
                .push(format!("{} is in no event of {texts:?}", self.kernel.inst_text(step.id)));
        }
        if let ([event], None) = (&events[..], reasons.first().cloned().flatten()) {
            self.claimed(event, step);
            self.between(event, step);
        }
        if let Op::Sync(SyncOp::Barrier { .. }) = op {
            for (count, _) in self.barriers.iter_mut().zip(step.active).filter(|(_, on)| **on) {
                *count += 1;
            }
        }
    }

    /// Reports threads that continue although the trace claims that their index is out of bounds.
    fn out_of_bounds(&mut self, events: &[&Event], step: &Step<'_>) {
        for event in events.iter().filter(|event| event.loops.is_empty()) {
            let EventKind::OutOfBounds { threads, .. } = &event.kind else { continue };
            let goes_on = |thread: &usize| {
                step.active[*thread]
                    && step.threads[*thread] == At::Here
                    && threads.contains(*thread)
            };
            if let Some(thread) = (0..step.active.len()).find(goes_on) {
                self.wrong.push(format!("thread {thread} is in bounds at {}", step.id));
            }
        }
    }

    /// Checks whether the threads of a warp or block got the same value.
    fn same(&mut self, step: &Step<'_>) {
        if self.kernel.insts[step.id].ty == Ty::Ptr(Space::Local)
            || self.kernel.insts[step.id].ty == Ty::Unit
        {
            return;
        }
        self.ran[step.id.index()] = true;
        // The trace has no threads that fault, and the others' ballots lack their lanes.
        let lacks_lanes = self.has_ballots && step.threads.contains(&At::Faulted);
        for (index, (size, group)) in
            [(32, Group::Warp), (1024, Group::Block)].into_iter().enumerate()
        {
            let values: Vec<(usize, u64)> = (0..step.active.len())
                .filter(|&thread| step.active[thread] && step.threads[thread] == At::Here)
                .map(|thread| (thread / size, step.values[thread]))
                .collect();
            let same =
                values.windows(2).all(|pair| pair[0].0 != pair[1].0 || pair[0].1 == pair[1].1);
            self.uniform[step.id.index()][index] &= same;
            if !same && !lacks_lanes && self.trace.complete && self.trace.is_uniform(step.id, group)
            {
                self.wrong.push(format!(
                    "{} is not uniform in a {group:?}",
                    self.kernel.inst_text(step.id)
                ));
            }
        }
    }

    /// Returns how this step contradicts `event`, if it does.
    fn mismatch(&self, event: &Event, step: &Step<'_>) -> Option<String> {
        let active = &event.active;
        let all = &active.threads;
        let faulted = |thread: usize| step.threads[thread] == At::Faulted;
        let before = |thread: usize| step.active[thread];
        if let Some(thread) =
            (0..step.active.len()).find(|&thread| before(thread) && !all.contains(thread))
        {
            return Some(format!("thread {thread} is not active"));
        }
        let missing = |thread: &usize| !before(*thread) && !faulted(*thread);
        match active.coverage {
            Coverage::All => {
                if let Some(thread) = all.iter().find(missing) {
                    return Some(format!("thread {thread} is missing"));
                }
            }
            Coverage::Warps => {
                for warp in 0..all.warp_count() {
                    let some = all.iter_warp(warp).any(before);
                    if some && all.iter_warp(warp).any(|thread| missing(&thread)) {
                        return Some(format!("warp {warp} is not whole"));
                    }
                }
            }
            Coverage::One => {
                if (0..step.active.len()).filter(|&thread| before(thread)).count() > 1 {
                    return Some("more than one thread".to_owned());
                }
            }
            Coverage::Guarded | Coverage::Some => {}
        }
        let threads: Vec<usize> = (0..step.active.len()).filter(|&thread| before(thread)).collect();
        match &event.kind {
            EventKind::Access(access) => {
                let (ptr, stored) = match (&self.kernel.insts[step.id].op, &access.kind) {
                    (Op::Copy(CopyOp::AsyncCopy { to, .. }), AccessKind::Store(_)) => (*to, None),
                    (Op::Copy(CopyOp::AsyncCopy { from, .. }), _) => (*from, None),
                    (op, _) => pointer(op)?,
                };
                let offset = access.offset.as_ref().filter(|_| !access.assumed);
                let address =
                    |thread: usize| i128::from(self.last[ptr.index()][thread] & ((1 << 40) - 1));
                let wrong = offset.and_then(|value| apart(value, &threads, address));
                if let Some(wrong) = wrong {
                    return Some(format!("address: {wrong}"));
                }
                let (AccessKind::Store(Some(value)), Some(stored)) = (&access.kind, stored) else {
                    return None;
                };
                let Ty::Scalar(scalar) = self.kernel.insts[stored].ty else { return None };
                let number = |thread: usize| number(scalar, self.last[stored.index()][thread]);
                apart(value, &threads, number).map(|wrong| format!("stored: {wrong}"))
            }
            EventKind::Branch(split) => {
                let Op::If { cond, .. } = self.kernel.insts[step.id].op else { return None };
                let truth = |thread: usize| self.last[cond.index()][thread] == 1;
                parted(split, &threads, truth)
            }
            EventKind::OutOfBounds { .. }
            | EventKind::Return
            | EventKind::Barrier
            | EventKind::SyncGrid
            | EventKind::WarpCollective { .. }
            | EventKind::Fence
            | EventKind::AsyncCommit
            | EventKind::AsyncWait(_) => None,
        }
    }

    fn claimed(&mut self, event: &Event, step: &Step<'_>) {
        let EventKind::Access(access) = &event.kind else { return };
        self.tally.accesses += 1;
        let threads: Vec<usize> =
            (0..step.active.len()).filter(|&thread| step.active[thread]).collect();
        let first = threads[0];
        let all = |value: &SymbolicSum| {
            threads.iter().all(|&thread| value.difference(thread, first).is_some())
        };
        if access.offset.as_ref().is_some_and(all) {
            self.tally.known[usize::from(access.assumed)] += 1;
        }
        if let AccessKind::Store(value) = &access.kind {
            self.tally.stored[0] += 1;
            self.tally.stored[1] += u32::from(value.as_ref().is_some_and(all));
        }
    }

    /// Checks the claims about barriers between this step and earlier ones of this block.
    fn between(&mut self, event: &'c Event, step: &Step<'_>) {
        for (earlier, counts) in &self.met {
            let met = counts.iter().filter(|(thread, _)| step.active[*thread]);
            let apart: Vec<bool> =
                met.map(|&(thread, count)| count != self.barriers[thread]).collect();
            let text = || [*earlier, event].map(|event| self.trace.event_text(self.kernel, event));
            if earlier.interval == event.interval && apart.contains(&true) {
                self.wrong.push(format!("a barrier is between {:?}", text()));
            }
            if earlier.interval < event.unordered_since && apart.contains(&false) {
                self.wrong.push(format!("no barrier is between {:?}", text()));
            }
        }
        if event.loops.is_empty() {
            let on = (0..step.active.len()).filter(|&thread| step.active[thread]);
            self.met.push((event, on.map(|thread| (thread, self.barriers[thread])).collect()));
        }
    }

    fn finish(self) -> Vec<String> {
        for id in self.kernel.insts.ids() {
            if !self.ran[id.index()] {
                continue;
            }
            for (index, group) in [Group::Warp, Group::Block].into_iter().enumerate() {
                if self.uniform[id.index()][index] {
                    self.tally.uniform[index] += 1;
                    self.tally.proved[index] += u32::from(self.trace.is_uniform(id, group));
                }
            }
        }
        self.wrong
    }
}

/// Returns the pointer of an access, and the stored value.
fn pointer(op: &Op) -> Option<(InstId, Option<InstId>)> {
    match op {
        Op::Load { ptr, .. } | Op::AtomicLoad { ptr, .. } | Op::Atomic { ptr, .. } => {
            Some((*ptr, None))
        }
        Op::CompareExchange { ptr, .. } | Op::AtomicStore { ptr, .. } => Some((*ptr, None)),
        Op::Store { ptr, value, .. } => Some((*ptr, Some(*value))),
        _ => None,
    }
}

/// Returns a value as a number; for a float, its bits.
fn number(scalar: Scalar, bits: u64) -> i128 {
    evaluate::integer(scalar, bits).unwrap_or(i128::from(bits))
}

/// Returns a contradiction between `value` and the numbers in `threads`, if there is one.
fn apart(value: &SymbolicSum, threads: &[usize], number: impl Fn(usize) -> i128) -> Option<String> {
    let wrong = |a: usize, b: usize| {
        let claimed = value.difference(a, b)?;
        let found = number(a) - number(b);
        (found != claimed.into()).then(|| format!("{claimed} and not {found} from {b} to {a}"))
    };
    let first = *threads.first()?;
    let from_first = threads.iter().find_map(|&thread| wrong(thread, first));
    let to_next = || threads.windows(2).find_map(|pair| wrong(pair[1], pair[0]));
    let exact = || {
        threads.iter().find_map(|&thread| {
            let claimed = value.number_in(thread)?;
            let found = number(thread);
            (found != claimed.into()).then(|| format!("{claimed} and not {found} in {thread}"))
        })
    };
    from_first.or_else(to_next).or_else(exact)
}

/// Returns a contradiction between `split` and the values of a condition, if there is one.
fn parted(split: &Split, threads: &[usize], truth: impl Fn(usize) -> bool) -> Option<String> {
    let agree = |group: &[usize]| group.windows(2).all(|pair| truth(pair[0]) == truth(pair[1]));
    let count = |which: bool| threads.iter().filter(|&&thread| truth(thread) == which).count();
    let holds = match split {
        Split::Known(yes) => threads.iter().all(|&thread| yes.contains(thread) == truth(thread)),
        Split::Uniform => agree(threads),
        Split::UniformInWarps => threads.chunk_by(|a, b| a / 32 == b / 32).all(agree),
        Split::AtMostOne => count(true) <= 1 || count(false) <= 1,
        Split::OnePerWarp => threads.chunk_by(|a, b| a / 32 == b / 32).all(|warp| {
            let yes = warp.iter().filter(|&&thread| truth(thread)).count();
            yes <= 1 || warp.len() - yes <= 1
        }),
        Split::Guard | Split::Unknown => true,
    };
    let list = || ThreadSet::from_fn(1024, |thread| threads.contains(&thread) && truth(thread));
    (!holds).then(|| format!("{split:?} but true in {:?}", list()))
}
