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

/// Returns the barriers without a conflict across them: in no execution does an access before the
/// barrier collide with one after it (two threads, the same bytes, one writes). Accesses count up
/// to the adjacent barriers that certainly run, leaving out barriers already found redundant, the
/// last first. Atomic operations need an order as well, if they collide.
pub(super) fn find_redundant_barriers(
    kernel: &Kernel,
    trace: &Trace,
    accesses: &[SharedAccess<'_>],
    block: &BlockRaces<'_>,
) -> Vec<InstId> {
    let waits = |what: &EventKind| matches!(what, EventKind::Barrier | EventKind::SyncGrid);
    let events = trace.events.iter().enumerate();
    let walls: Vec<(usize, &Event)> = events.filter(|(_, event)| waits(&event.kind)).collect();
    let mut candidates: Vec<InstId> = walls.iter().map(|(_, event)| event.inst).collect();
    candidates.sort_unstable();
    candidates.dedup();
    let mut redundant: Vec<InstId> = Vec::new();
    // A barrier may be there for the end of a copy, or for accesses by other blocks of the cluster,
    // of which the trace has no access.
    let is_followed =
        |op: &Op| !is_ordering(op) && !op.is_async_copy() && !matches!(op, Op::MapShared { .. });
    if !trace.complete || !kernel.insts.iter().all(|(_, inst)| is_followed(&inst.op)) {
        return redundant;
    }
    for inst in candidates.into_iter().rev() {
        if kernel.insts[inst].op != (Op::Sync(SyncOp::Barrier { reduce: None })) {
            continue;
        }
        let all = ThreadSet::all(trace.shape.thread_count());
        let needless =
            walls.iter().filter(|(_, event)| event.inst == inst).all(|&(wall, event)| {
                let waits = |&&(other, event): &&(usize, &Event)| {
                    event.inst != inst
                        && !redundant.contains(&event.inst)
                        && block.order.implies(wall, other)
                };
                let here = walls.partition_point(|&(other, _)| other < wall);
                let before = || walls[..here].iter().rev().find(waits).map_or(0, |&(at, _)| at);
                let behind = || walls[here..].iter().find(waits);
                let behind = || behind().map_or(trace.events.len(), |&(at, _)| at);
                event.active.coverage == Coverage::All
                    && event.active.threads == all
                    && orders_nothing(wall, before()..behind(), accesses, block)
            });
        if needless {
            redundant.push(inst);
        }
    }
    redundant.sort_unstable();
    redundant
}

/// Returns true if the barrier at event `wall` is not needed, given the barriers at both ends of
/// `around`.
fn orders_nothing(
    wall: usize,
    around: Range<usize>,
    accesses: &[SharedAccess<'_>],
    block: &BlockRaces<'_>,
) -> bool {
    let at = |number: usize| accesses.partition_point(|access| access.event_index < number);
    let [from, here, to] = [around.start, wall, around.end].map(at);
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
