//! Redundant barriers: they order no accesses.
use super::{
    accesses::{SharedAccess, is_ordering},
    block::{BlockRaces, exceeds_work_limit},
};
use crate::{
    analysis::symbolic::{Coverage, Event, EventKind, ThreadSet, Trace},
    ir::{InstId, Kernel, Op, SyncOp},
};
use std::ops::Range;

/// Returns the barriers that order no accesses: no access before the barrier conflicts with one
/// after it (two threads, the same bytes, one writes), in any execution. The accesses considered
/// reach to the nearest barriers on both sides that surely run. Barriers are examined from the last
/// to the first; one already found redundant no longer bounds the others. Atomic operations that
/// collide need the order, too.
pub(super) fn find_redundant_barriers(
    kernel: &Kernel,
    trace: &Trace,
    accesses: &[SharedAccess<'_>],
    block: &BlockRaces<'_>,
) -> Vec<InstId> {
    let mut redundant: Vec<InstId> = Vec::new();
    // A barrier may be there for the end of a copy, or for accesses by other blocks of the cluster,
    // of which the trace has no access.
    let is_followed =
        |op: &Op| !is_ordering(op) && !op.is_async_copy() && !matches!(op, Op::MapShared { .. });
    if !trace.complete || !kernel.insts.iter().all(|(_, inst)| is_followed(&inst.op)) {
        return redundant;
    }
    let is_barrier = |event: &Event| matches!(event.kind, EventKind::Barrier | EventKind::SyncGrid);
    let events = trace.events.iter().enumerate();
    let barriers: Vec<(usize, &Event)> = events.filter(|(_, event)| is_barrier(event)).collect();
    let mut candidates: Vec<InstId> = barriers.iter().map(|(_, event)| event.inst).collect();
    candidates.sort_unstable();
    candidates.dedup();
    candidates.retain(|&inst| kernel.insts[inst].op == Op::Sync(SyncOp::Barrier { reduce: None }));
    for inst in candidates.into_iter().rev() {
        let mut own = barriers.iter().enumerate().filter(|(_, (_, event))| event.inst == inst);
        if own.all(|(position, _)| {
            is_needless(&barriers, position, &redundant, trace, accesses, block)
        }) {
            redundant.push(inst);
        }
    }
    redundant.sort_unstable();
    redundant
}

/// Returns true if the barrier at `position` of `barriers` is reached by all threads and orders no
/// accesses, when those in `redundant` are removed.
fn is_needless(
    barriers: &[(usize, &Event)],
    position: usize,
    redundant: &[InstId],
    trace: &Trace,
    accesses: &[SharedAccess<'_>],
    block: &BlockRaces<'_>,
) -> bool {
    let (index, event) = barriers[position];
    let bounds = |&&(other, barrier): &&(usize, &Event)| {
        barrier.inst != event.inst
            && !redundant.contains(&barrier.inst)
            && block.order.implies(index, other)
    };
    let start = || barriers[..position].iter().rev().find(bounds).map_or(0, |&(at, _)| at);
    let end = || barriers[position..].iter().find(bounds).map_or(trace.events.len(), |&(at, _)| at);
    event.active.coverage == Coverage::All
        && event.active.threads == ThreadSet::all(trace.shape.thread_count())
        && orders_nothing(index, start()..end(), accesses, block)
}

/// Returns true if no access between the start of `around` and event `barrier` conflicts with one
/// between `barrier` and the end of `around`.
fn orders_nothing(
    barrier: usize,
    around: Range<usize>,
    accesses: &[SharedAccess<'_>],
    block: &BlockRaces<'_>,
) -> bool {
    let at = |number: usize| accesses.partition_point(|access| access.event_index < number);
    let [from, here, to] = [around.start, barrier, around.end].map(at);
    let (before, behind) = (&accesses[from..here], &accesses[here..to]);
    for first in before {
        for second in behind {
            let other_memory =
                first.root.is_some() && second.root.is_some() && first.root != second.root;
            let needs_order = || {
                !other_memory
                    && first.space == second.space
                    && (first.writes || second.writes)
                    && block.may_meet(first, second)
            };
            if exceeds_work_limit(block.work) || needs_order() {
                return false;
            }
        }
    }
    true
}
