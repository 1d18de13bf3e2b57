//! Barriers that order nothing.
use super::{
    accesses::{Access, orders},
    block::Block,
};
use crate::{
    analysis::trace::{Event, Threads, Trace, What, Which},
    ir::{InstId, Kernel, Op},
};

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
                let others: Vec<usize> =
                    walls.iter().filter(waits).map(|&(other, _)| other).collect();
                event.active.which == Which::All
                    && event.active.threads == all
                    && orders_nothing(wall, &others, trace, accesses, block)
            });
        if needless {
            redundant.push(inst);
        }
    }
    redundant.sort_unstable();
    redundant
}

/// Whether the barrier at event `wall` is not needed, if those at `others` are there.
fn orders_nothing(
    wall: usize,
    others: &[usize],
    trace: &Trace,
    accesses: &[Access<'_>],
    block: &Block<'_>,
) -> bool {
    let from = others.iter().copied().filter(|&other| other < wall).max().unwrap_or(0);
    let to = others.iter().copied().filter(|&other| other > wall).min();
    let to = to.unwrap_or(trace.events.len());
    let before = || accesses.iter().filter(|access| (from..wall).contains(&access.number));
    let behind = || accesses.iter().filter(|access| (wall..to).contains(&access.number));
    before().all(|first| {
        behind().all(|second| {
            let other_memory =
                first.root.is_some() && second.root.is_some() && first.root != second.root;
            other_memory
                || first.space != second.space
                || !(first.writes || second.writes)
                || !block.may_meet(first, second)
        })
    })
}
