//! Named barriers: warps arrive, and some of them wait until enough have.
//!
//! The warps of a warpgroup wait for each other at a barrier of their own, which orders no
//! accesses.
use super::Block;
use crate::{
    bytecode::Instr, exec::strand::Strand, observe::sanitizer::release_acquire::ArrivedClock,
    vector::mask::bits,
};
use std::hash::{Hash, Hasher};

/// The number of named barriers of a block, with the one that has no name.
const BARRIERS: usize = 16;

/// The warps of a warpgroup.
const WARPGROUP: usize = 4;
/// The most warpgroups of a block.
const WARPGROUPS: usize = 1024 / 32 / WARPGROUP;

/// The named barriers of a block, and those of its warpgroups.
#[derive(Debug, Default)]
pub(crate) struct NamedBarriers([NamedBarrier; BARRIERS + WARPGROUPS]);

/// The state of a barrier since it was last complete.
#[derive(Debug, Default)]
struct NamedBarrier {
    /// The number of warps that have arrived.
    arrived: u8,
    /// Those of them that wait, each as the number of its group and its number in the group.
    waiting: Vec<(usize, usize)>,
    /// The accesses of the arrived threads, if they are checked.
    clock: ArrivedClock,
}

impl Hash for NamedBarriers {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        for NamedBarrier { arrived, waiting, .. } in &self.0 {
            (arrived, waiting).hash(hasher);
        }
    }
}

/// A named barrier in an instruction: its number, the warps that it is for, and true if those that
/// arrive here wait.
#[derive(Clone, Copy)]
pub(super) struct NamedBarrierOp {
    waits: bool,
    id: usize,
    warps: u8,
}

impl NamedBarrierOp {
    /// Returns true if the barrier has a name.
    const fn orders_accesses(self) -> bool {
        self.id < BARRIERS
    }
}

impl Block<'_> {
    /// Returns the named barrier at which a strand waits.
    pub(super) fn named_barrier(&self, index: usize) -> Option<NamedBarrierOp> {
        let (group, strand) = &self.strands[index];
        let op = match self.code.instrs[strand.pc as usize] {
            Instr::NamedBarrier { waits, id, warps } => {
                NamedBarrierOp { waits, id: usize::from(id) % BARRIERS, warps }
            }
            Instr::WarpgroupSync => {
                let (warp, _) = strand.active().warps().next()?;
                let warp = self.groups[*group].first_thread / 32 + warp;
                let id = BARRIERS + warp / WARPGROUP % WARPGROUPS;
                NamedBarrierOp { waits: true, id, warps: WARPGROUP as u8 }
            }
            _ => return None,
        };
        strand.waits.then_some(op)
    }

    /// Lets whole warps arrive at named barriers, and passes those that are complete.
    pub(super) fn complete_named_barriers(&mut self) {
        if !self.code.has_named_barriers {
            return;
        }
        let mut passes = false;
        for index in 0..self.strands.len() {
            let Some(op) = self.named_barrier(index) else { continue };
            let (group, strand) = &self.strands[index];
            let Some((warp, _)) = strand.active().warps().next() else { continue };
            let (at, warp) = (strand.pc, (*group, warp));
            let has_arrived = self.named_barriers.0[op.id].waiting.contains(&warp);
            if has_arrived || !self.is_whole_warp_at(at, warp) {
                continue;
            }
            self.arrive(op, at, warp);
            passes |= !op.waits;
            passes |= self.pass_if_complete(op);
        }
        if passes {
            self.merge();
        }
    }

    /// Returns true if all lanes of a warp that have not ended wait at an instruction.
    fn is_whole_warp_at(&self, at: u32, (group, warp): (usize, usize)) -> bool {
        let here = self
            .strands
            .iter()
            .filter(|(number, strand)| *number == group && strand.waits && strand.pc == at);
        let lanes = here.fold(0, |lanes, (_, strand)| lanes | strand.active().0[warp]);
        lanes == self.groups[group].live.0[warp]
    }

    fn arrive(&mut self, op: NamedBarrierOp, at: u32, warp: (usize, usize)) {
        let threads = self.live_threads(warp);
        let barrier = &mut self.named_barriers.0[op.id];
        barrier.arrived += 1;
        if let Some(checks) = self.checks.as_mut().filter(|_| op.orders_accesses()) {
            checks.arrive_at_partial_barrier(threads, &mut barrier.clock);
        }
        if op.waits {
            barrier.waiting.push(warp);
        } else {
            self.resume_warp(warp, |strand| strand.pc == at);
        }
    }

    /// Lets the waiting warps of a barrier continue if all warps that it expects have arrived;
    /// returns true if they have.
    fn pass_if_complete(&mut self, op: NamedBarrierOp) -> bool {
        if self.named_barriers.0[op.id].arrived < op.warps {
            return false;
        }
        let NamedBarrier { waiting, clock, .. } = std::mem::take(&mut self.named_barriers.0[op.id]);
        for warp in waiting {
            let threads = self.live_threads(warp);
            if let Some(checks) = self.checks.as_mut().filter(|_| op.orders_accesses()) {
                checks.pass_partial_barrier(threads, &clock);
            }
            self.resume_warp(warp, |_| true);
        }
        true
    }

    /// Lets the strands of a warp that wait, at a place that `is_here` accepts, continue.
    fn resume_warp(&mut self, (group, warp): (usize, usize), is_here: impl Fn(&Strand) -> bool) {
        for (number, strand) in &mut self.strands {
            let is_of_warp = *number == group && strand.active().0[warp] != 0;
            if is_of_warp && strand.waits && is_here(strand) {
                (strand.pc, strand.waits) = (strand.pc + 1, false);
            }
        }
    }

    /// Returns the threads of a warp that have not ended.
    fn live_threads(&self, (group, warp): (usize, usize)) -> impl Iterator<Item = u32> + use<> {
        let Self { groups, .. } = self;
        let first = (groups[group].first_thread + 32 * warp) as u32;
        bits(groups[group].live.0[warp]).map(move |lane| first + lane as u32)
    }
}
