//! Detection of barrier divergence and mask misuse, merged by place.
use super::{
    LaunchChecks,
    finding::{Finding, Problem, Severity},
    sync_finding::{Arrived, BarrierDivergence, MaskKind, MaskMisuse},
};
use crate::{
    Launch,
    bytecode::{WarpInputs, WarpInstr},
    launch::unflatten,
    outcome::Meeting,
    vector::mask::bits,
};
use std::{cmp::Ordering, collections::BTreeMap};
use warpwise_compiler::ir::Span;

/// Threads at one barrier: its place, their number, and the number of the first.
pub(crate) type BarrierArrival = (Span, u32, u32);

/// Lanes of a warp that perform an operation together.
pub(crate) struct WarpCollective<'a> {
    pub(crate) op: WarpInstr,
    pub(crate) span: Span,
    pub(crate) inputs: &'a WarpInputs,
    /// The lanes of complete groups.
    pub(crate) lanes: u32,
    /// The lanes of the warp that have not ended.
    pub(crate) live: u32,
    /// The lanes of the warp that took another branch than these lanes, and have ended without
    /// arriving.
    pub(crate) passed: u32,
    /// The number of the warp's first thread.
    pub(crate) first_thread: u32,
}

/// A barrier divergence. Of several between the same barriers, the first one of the lowest block is
/// reported.
#[derive(Clone, Debug)]
struct Divergence {
    block: u64,
    arrived: Vec<BarrierArrival>,
    reduces: bool,
}

/// A mask misuse. Of several at the same place, the lowest is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Misuse {
    block: u64,
    thread: u32,
    mask: u32,
    lanes: u32,
}

/// The misuses in some blocks. [Joining](Self::join) those of all blocks gives the same result in
/// any order.
#[derive(Debug, Default)]
pub(crate) struct Misuses {
    barriers: BTreeMap<Vec<Span>, (Divergence, u64)>,
    masks: BTreeMap<(Span, Meeting, MaskKind), (Misuse, u64)>,
}

impl Misuses {
    /// Adds a divergence: threads at these barriers have released each other.
    pub(crate) fn add_divergence(
        &mut self,
        block: u64,
        mut arrived: Vec<BarrierArrival>,
        reduces: bool,
    ) {
        arrived.sort_by_key(|(_, _, first)| *first);
        let mut places: Vec<_> = arrived.iter().map(|(span, _, _)| *span).collect();
        places.sort_unstable();
        join_lowest(&mut self.barriers, places, Divergence { block, arrived, reduces }, 1);
    }

    /// Checks the masks of lanes that perform a warp operation together.
    pub(crate) fn check_masks(
        &mut self,
        checks: &LaunchChecks<'_>,
        block: u64,
        collective: &WarpCollective<'_>,
    ) {
        if !checks.checks_sync || collective.inputs.is_full_warp() {
            return;
        }
        let WarpCollective { op, span, inputs, lanes, live, passed, first_thread } = *collective;
        for lane in bits(lanes) {
            let mask = inputs.mask(lane);
            let mut misuse = |kind, about: u32| {
                let thread = first_thread + lane as u32;
                let misuse = Misuse { block, thread, mask, lanes: about };
                join_lowest(&mut self.masks, (span, op.meeting(), kind), misuse, 1);
            };
            if mask & (1 << lane) == 0 {
                misuse(MaskKind::CallerNotNamed, 1 << lane);
            }
            // A full mask means all live lanes: lanes that had ended before are no error.
            if mask & passed != 0 {
                misuse(MaskKind::NotReached, mask & passed);
            } else if mask != u32::MAX && mask & !live != 0 {
                misuse(MaskKind::NamedAbsent, mask & !live);
            }
            if let Some(from) = inputs.absent_source(op, lane) {
                misuse(MaskKind::SourceAbsent, 1 << from);
            }
        }
        // The lanes that keep waiting, and have named some of the lanes that continue.
        for lane in bits(inputs.lanes() & !lanes) {
            let (mask, lanes) = (inputs.mask(lane), inputs.mask(lane) & lanes);
            self.add_differing_mask(block, (op, span), first_thread + lane as u32, (mask, lanes));
        }
    }

    /// Adds a misuse if the mask of a thread names lanes that passed other masks or none.
    fn add_differing_mask(
        &mut self,
        block: u64,
        (op, span): (WarpInstr, Span),
        thread: u32,
        about: (u32, u32),
    ) {
        let (mask, lanes) = about;
        if lanes != 0 {
            let misuse = Misuse { block, thread, mask, lanes };
            join_lowest(&mut self.masks, (span, op.meeting(), MaskKind::Differs), misuse, 1);
        }
    }

    /// Checks the masks of `lanes` of a warp that wait forever, together with the other lanes that
    /// wait here.
    pub(crate) fn check_stuck_masks(
        &mut self,
        block: u64,
        (op, span): (WarpInstr, Span),
        inputs: &WarpInputs,
        (first_thread, lanes): (u32, u32),
    ) {
        for lane in bits(lanes & inputs.lanes()) {
            let about = (inputs.mask(lane), inputs.named_with_other_masks(lane));
            self.add_differing_mask(block, (op, span), first_thread + lane as u32, about);
        }
    }

    /// Adds the misuses of other blocks.
    pub(crate) fn join(&mut self, other: Self) {
        for (places, (divergence, count)) in other.barriers {
            join_lowest(&mut self.barriers, places, divergence, count);
        }
        for (place, (misuse, count)) in other.masks {
            join_lowest(&mut self.masks, place, misuse, count);
        }
    }

    /// Returns true if there is no misuse.
    pub(crate) fn is_empty(&self) -> bool {
        self.barriers.is_empty() && self.masks.is_empty()
    }

    /// Returns the findings: errors first, then by place.
    pub(crate) fn report(self, launch: &Launch<'_>) -> Vec<Finding> {
        let block = |number| unflatten(number, launch.grid);
        let thread = |number: u32| unflatten(number.into(), launch.block);
        let mut all = Vec::new();
        for (Divergence { block: number, arrived, reduces }, count) in self.barriers.into_values() {
            let arrived = arrived.into_iter().map(|(place, threads, first)| Arrived {
                place,
                threads,
                thread: thread(first),
            });
            let (block, barriers) = (block(number), arrived.collect());
            let problem = Problem::Barrier(BarrierDivergence { block, barriers, reduces });
            let severity = if reduces { Severity::Error } else { Severity::Warning };
            all.push(Finding { problem, severity, count });
        }
        for ((place, at, kind), (misuse, count)) in self.masks {
            let Misuse { block: number, thread: of, mask, lanes } = misuse;
            let (block, thread) = (block(number), thread(of));
            let used = None;
            let misuse = MaskMisuse { kind, at, place, block, thread, mask, lanes, used };
            let severity = match kind {
                MaskKind::CallerNotNamed | MaskKind::Differs | MaskKind::NotReached => {
                    Severity::Error
                }
                MaskKind::NamedAbsent | MaskKind::SourceAbsent => Severity::Info,
            };
            all.push(Finding { problem: Problem::Mask(misuse), severity, count });
        }
        all.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        all
    }
}

/// Divergences compare by block only, since those of one block arrive in the order in which they
/// occur.
impl Ord for Divergence {
    fn cmp(&self, other: &Self) -> Ordering {
        self.block.cmp(&other.block)
    }
}

impl PartialOrd for Divergence {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Divergence {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Divergence {}

/// Keeps the lowest value of a key, the first of equal ones, and adds up the counts.
pub(super) fn join_lowest<K: Ord, T: Ord>(
    all: &mut BTreeMap<K, (T, u64)>,
    key: K,
    new: T,
    count: u64,
) {
    match all.get_mut(&key) {
        Some((lowest, counted)) => {
            *counted += count;
            if new < *lowest {
                *lowest = new;
            }
        }
        None => {
            all.insert(key, (new, count));
        }
    }
}
