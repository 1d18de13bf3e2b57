//! Sanitizer checks where the threads of a block synchronize.
use super::Block;
use crate::{
    bytecode::Instr,
    observe::sanitizer::{
        misuse::BarrierArrival, pending_copies::PendingCopy, undefined::UndefinedLanes,
    },
    vector::lanes,
};

impl Block<'_> {
    /// Records the copies that the threads of a block that has ended have not waited for.
    pub(super) fn check_unwaited_copies(&mut self) {
        let (Some(checks), Some(launch)) = (&mut self.checks, &self.bound.checks) else { return };
        if !launch.checks_races || !self.strands.is_empty() {
            return;
        }
        for group in &self.groups {
            for begun in group.async_copies.pending() {
                let Some([site, _]) = self.code.async_copies[begun.copy as usize].sites else {
                    continue;
                };
                for copy in &begun.lanes {
                    let thread = group.first_thread as u32 + copy.lane;
                    let copied = PendingCopy { thread, site };
                    checks.add_unwaited_copy(self.code, copied, lanes::resolve(copy.to));
                }
            }
        }
        let never_received = self.cluster.as_ref().map(|(cluster, rank)| cluster.receive(*rank));
        let never_received = never_received.iter().flatten().map(|(_, copy)| copy);
        for copy in self.mbarriers.pending_copies().chain(never_received) {
            if let Some(site) = copy.site(self.code) {
                let copied = PendingCopy { thread: copy.thread, site };
                checks.add_unwaited_copy(self.code, copied, lanes::resolve(copy.to));
            }
        }
        for group in &self.groups {
            for begun in group.bulk_stores.pending() {
                let source = self.code.bulk_stores[begun.copy as usize].source();
                let Some(site) = source.site else { continue };
                for copy in &begun.lanes {
                    let thread = group.first_thread as u32 + copy.lane;
                    let copied = PendingCopy { thread, site };
                    checks.add_unwaited_copy(self.code, copied, lanes::resolve(copy.from));
                }
            }
        }
    }

    /// Records a divergence if the threads that have not ended wait at different barriers.
    pub(super) fn check_barriers(&mut self) {
        let asked = self.bound.checks.as_ref().is_some_and(|checks| checks.checks_sync);
        if self.strands.len() < 2 || !asked {
            return;
        }
        let mut arrived: Vec<(u32, BarrierArrival)> = Vec::new();
        let mut reduces = false;
        for (number, strand) in &self.strands {
            let Some(lane) = strand.active().lanes().next() else { continue };
            let first = (self.groups[*number].first_thread + lane) as u32;
            let threads = strand.active().count();
            reduces |=
                matches!(self.code.instrs[strand.pc as usize], Instr::Barrier { reduce: Some(_) });
            match arrived.iter_mut().find(|(at, _)| *at == strand.pc) {
                Some((_, (_, all, lowest))) => {
                    (*all, *lowest) = (*all + threads, first.min(*lowest))
                }
                None => {
                    let span = self.code.spans[strand.pc as usize];
                    arrived.push((strand.pc, (span, threads, first)));
                }
            }
        }
        if let Some(checks) = self.checks.as_mut().filter(|_| arrived.len() > 1) {
            let arrived = arrived.into_iter().map(|(_, arrived)| arrived).collect();
            checks.misuses().add_divergence(self.number, arrived, reduces);
        }
    }

    /// Propagates undefined values through the barrier at which all threads are.
    pub(super) fn track_through_barrier(&mut self) {
        let Some(checks) = self.checks.as_mut().filter(|checks| checks.undefined.has_private())
        else {
            return;
        };
        let mut all = None;
        for is_known in [false, true] {
            for (number, strand) in &self.strands {
                let Instr::Barrier { reduce: Some((_, value, to)) } =
                    self.code.instrs[strand.pc as usize]
                else {
                    continue;
                };
                let (group, active) = (self.groups[*number].first_thread, strand.active());
                if is_known {
                    checks.undefined.set_uniform(group, to, active, all.clone());
                } else {
                    let brought = checks.undefined.operand(group, value);
                    all = UndefinedLanes::union(
                        all,
                        brought.and_then(|brought| brought.restrict_to(active)),
                    );
                }
            }
        }
    }

    /// Records lanes of a deadlocked block that wait for each other with different masks.
    pub(super) fn check_masks(&mut self) {
        if self.checks.is_none() || !self.bound.checks.as_ref().is_some_and(|all| all.checks_sync) {
            return;
        }
        for index in 0..self.strands.len() {
            let Some((op, _)) = self.warp_instr(index) else { continue };
            let (number, at) = (self.strands[index].0, self.strands[index].1.pc);
            let Some((warp, mine)) = self.strands[index].1.active().warps().next() else {
                continue;
            };
            let here = |other: &usize| {
                let (group, strand) = &self.strands[*other];
                *group == number && strand.pc == at && strand.waits && strand.active().0[warp] != 0
            };
            let together = (0..self.strands.len()).filter(here);
            let inputs = self.warp_inputs(together.collect::<Vec<_>>().into_iter(), warp, u32::MAX);
            let first_thread = (self.groups[number].first_thread + warp * 32) as u32;
            let span = self.code.spans[at as usize];
            if let Some(checks) = &mut self.checks {
                checks.misuses().check_stuck_masks(
                    self.number,
                    (op, span),
                    &inputs,
                    (first_thread, mine),
                );
            }
        }
    }
}
