//! Barriers that order nothing.
use super::{
    accesses::{Access, orders},
    block::{Block, is_too_much},
};
use crate::{
    analysis::symbolic::{Event, Threads, Trace, What, Which},
    ir::{InstId, Kernel, Op},
};
use std::ops::Range;

/// The barriers of which each time they are run no access before them meets one behind them: of two
/// threads, at the same bytes, one writing. Only as far as the next barriers before and behind that are run as
/// well, those left out that are found redundant already, the last first. Atomic operations need an order as well, if they
/// meet.
pub(super) fn find(
    kernel: &Kernel,
    trace: &Trace,
    accesses: &[Access<'_>],
    block: &Block<'_>,
) -> Vec<InstId> {
    let waits = |what: &What| matches!(what, What::Barrier | What::SyncGrid);
    let events = trace.events.iter().enumerate();
    let walls: Vec<(usize, &Event)> = events.filter(|(_, event)| waits(&event.what)).collect();
    let mut candidates: Vec<InstId> = walls.iter().map(|(_, event)| event.inst).collect();
    candidates.sort_unstable();
    candidates.dedup();
    let mut redundant: Vec<InstId> = Vec::new();
    let chains = kernel.insts.iter().any(|(_, inst)| orders(&inst.op));
    if !trace.complete || chains {
        return redundant;
    }
    for inst in candidates.into_iter().rev() {
        if kernel.insts[inst].op != (Op::Barrier { reduce: None }) {
            continue;
        }
        let all = Threads::all(trace.shape.threads());
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
                event.active.which == Which::All
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

/// Whether the barrier at event `wall` is not needed, if those at both ends of `around` are there.
fn orders_nothing(
    wall: usize,
    around: Range<usize>,
    accesses: &[Access<'_>],
    block: &Block<'_>,
) -> bool {
    let at = |number: usize| accesses.partition_point(|access| access.number < number);
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
            if is_too_much(block.work) || needs_order() {
                return false;
            }
        }
    }
    true
}
