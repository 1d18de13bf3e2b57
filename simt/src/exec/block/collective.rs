//! Synchronization within a block: waiting strands, barriers, and warp operations across strands.
use super::Block;
use crate::{
    bytecode::{
        Instr, Operand, WarpInputs, WarpInstr, complete_lanes, execute_warp_instr, reduce_barrier,
    },
    exec::strand::Strand,
    observe::sanitizer::misuse::WarpCollective,
    outcome::{Meeting, Waiting},
    vector::mask::Mask,
};

impl Block<'_> {
    /// Suspends a strand at the instruction where it waits for others. At a warp operation or a
    /// named barrier its warps wait separately, and so do lanes with different masks.
    pub(super) fn suspend_strand(&mut self, index: usize) {
        let strand = &mut self.strands[index].1;
        strand.diverged = strand.lanes().without(strand.active());
        self.split_waiting(index);
        self.strands[index].1.waits = true;
        let (number, strand) = &self.strands[index];
        let (number, active) = (*number, strand.active());
        if self.named_barrier(index).is_some() {
            return self.split_warps(index);
        }
        if self.waits_at_mbarrier(&self.strands[index].1) {
            return self.pass_ready_warps(index);
        }
        if self.warp_instr(index).is_none() {
            return;
        }
        let warps = active.warps().flat_map(|(warp, lanes)| {
            let inputs = self.warp_inputs([index].into_iter(), warp, lanes);
            inputs.groups().map(move |lanes| Mask::of_warp(warp, lanes)).collect::<Vec<_>>()
        });
        let parts: Vec<_> = warps.skip(1).collect();
        for part in parts {
            let part = self.strands[index].1.split_active(part);
            self.strands.push((number, Box::new(part)));
        }
    }

    /// Returns the warp operation at which a strand waits.
    pub(super) fn warp_instr(&self, index: usize) -> Option<(WarpInstr, Option<Operand>)> {
        let (_, strand) = &self.strands[index];
        let Instr::Warp { op, mask } = self.code.instrs[strand.pc as usize] else { return None };
        strand.waits.then_some((op, mask))
    }

    /// Collects the operands of a warp operation from strands that wait at it, of those `lanes` of
    /// a warp that belong to them.
    pub(super) fn warp_inputs(
        &self,
        strands: impl Iterator<Item = usize>,
        warp: usize,
        lanes: u32,
    ) -> WarpInputs {
        let mut inputs = WarpInputs::none();
        for index in strands {
            let (number, strand) = &self.strands[index];
            if let Some(op) = self.warp_instr(index) {
                let lanes = (warp, strand.active().0[warp] & lanes);
                let registers = &self.groups[*number].registers;
                inputs.add(op, &self.code.matrix_words, registers, &strand.uniforms, lanes);
            }
        }
        inputs
    }

    /// Executes the warp operations that all their lanes have reached.
    pub(super) fn complete_warp_ops(&mut self) {
        let mut met = false;
        for index in 0..self.strands.len() {
            let Some((op, _)) = self.warp_instr(index) else { continue };
            let (number, strand) = &self.strands[index];
            let (number, at) = (*number, strand.pc);
            let Some((warp, _)) = strand.active().warps().next() else { continue };
            let here = |other: &usize| {
                let (group, strand) = &self.strands[*other];
                *group == number && strand.pc == at && strand.waits && strand.active().0[warp] != 0
            };
            let together: Vec<_> = (index..self.strands.len()).filter(here).collect();
            let inputs = self.warp_inputs(together.iter().copied(), warp, u32::MAX);
            let group = &mut self.groups[number];
            let lanes = complete_lanes(&inputs, group.live.0[warp]);
            let matrix_words = &self.code.matrix_words;
            execute_warp_instr(op, matrix_words, &inputs, &mut group.registers, warp, lanes);
            if let (Some(checks), Some(launch)) = (&mut self.checks, &self.bound.checks) {
                let first_thread = (group.first_thread + warp * 32) as u32;
                let (span, live) = (self.code.spans[at as usize], group.live.0[warp]);
                let inputs = &inputs;
                let diverged = together.iter().map(|other| self.strands[*other].1.diverged.0[warp]);
                let passed = diverged.fold(0, |all, lanes| all | lanes) & !live;
                let met = WarpCollective { op, span, inputs, lanes, live, passed, first_thread };
                checks.check_masks(launch, &met);
                if launch.checks_inits {
                    let (at, step) = ((self.number, group.first_thread), (op, at as usize));
                    let met = (inputs, warp, lanes);
                    checks.undefined.propagate_collective(matrix_words, at, step, met);
                }
                if matches!(op, WarpInstr::Sync) {
                    let warp = (group.first_thread / 32 + warp) as u32;
                    let groups = inputs.groups().filter(|group| group & lanes != 0);
                    groups.for_each(|lanes| checks.sync_warp(self.code, launch, warp, lanes));
                }
            }
            for other in together {
                let strand = &mut self.strands[other].1;
                if strand.active().0[warp] & lanes != 0 {
                    (strand.pc, strand.waits, met) = (at + 1, false, true);
                }
            }
        }
        if met {
            self.merge();
        }
    }

    /// Executes the barrier if all threads have reached one.
    pub(super) fn complete_barrier(&mut self) {
        let code = self.code;
        let at_barrier = |strand: &Strand| {
            let Instr::Barrier { reduce } = code.instrs[strand.pc as usize] else { return None };
            strand.waits.then_some(reduce)
        };
        let (mut all, mut truths) = (0, 0);
        for (number, strand) in &self.strands {
            let Some(reduce) = at_barrier(strand) else { return };
            all += strand.active().count();
            truths += match reduce {
                Some((_, Operand::Lanes(reg), _)) => {
                    self.groups[*number].registers.true_lanes(reg, strand.active()).count()
                }
                Some((_, Operand::Uniform(uniform), _)) if uniform.get(&strand.uniforms) != 0 => {
                    strand.active().count()
                }
                Some((_, Operand::Affine(affine), _)) => {
                    let registers = &self.groups[*number].registers;
                    let value_in = |lane| affine.get(registers, &strand.uniforms, lane);
                    strand.active().lanes().filter(|lane| value_in(*lane) != 0).count() as u32
                }
                Some((_, Operand::Uniform(_), _)) | None => 0,
            };
        }
        self.check_barriers();
        self.track_through_barrier();
        for (_, strand) in &mut self.strands {
            if let Some(Some((op, _, to))) = at_barrier(strand) {
                to.set(&mut strand.uniforms, reduce_barrier(op, truths, all));
            }
            (strand.pc, strand.waits) = (strand.pc + 1, false);
        }
        if let (Some(checks), Some(launch)) = (&mut self.checks, &self.bound.checks)
            && all > 0
        {
            checks.barrier(code, launch);
        }
        self.merge();
    }

    /// Merges strands that are at the same place in the same state.
    pub(super) fn merge(&mut self) {
        let mut index = 0;
        while index < self.strands.len() {
            let (head, tail) = self.strands.split_at_mut(index);
            let (number, strand) = &tail[0];
            let same = |(group, other): &mut (usize, Box<Strand>)| {
                group == number && !strand.waits && !other.waits && other.merge(strand)
            };
            if head.iter_mut().any(same) {
                self.strands.remove(index);
            } else {
                index += 1;
            }
        }
    }

    /// Returns the waiting lanes, warp by warp.
    pub(crate) fn waiting_lanes(&self) -> Vec<Waiting> {
        let mut waiting = Vec::new();
        for (index, (number, strand)) in self.strands.iter().enumerate() {
            if !strand.waits {
                continue;
            }
            let group = &self.groups[*number];
            let at = match self.warp_instr(index) {
                Some((WarpInstr::Sync, _)) => Meeting::SyncWarp,
                Some((WarpInstr::Shuffle { .. }, _)) => Meeting::Shuffle,
                Some((WarpInstr::Vote { .. }, _)) => Meeting::Vote,
                Some((WarpInstr::Match { .. }, _)) => Meeting::Match,
                Some((WarpInstr::Reduce { .. }, _)) => Meeting::Reduce,
                Some((WarpInstr::Matrix { at, .. }, _)) => at,
                None if self.waits_for_grid(strand) => Meeting::Grid,
                None if self.waits_for_cluster(strand) => Meeting::Cluster,
                None if self.waits_for_warpgroup(strand) => Meeting::Warpgroup,
                None if self.named_barrier(index).is_some() => Meeting::NamedBarrier,
                None if self.waits_at_mbarrier(strand) => Meeting::MBarrier,
                None => Meeting::Barrier,
            };
            for (warp, lanes) in strand.active().warps() {
                let here = |(other, there): &&(usize, Box<Strand>)| {
                    other == number && there.pc == strand.pc
                };
                let come = self.strands.iter().filter(here);
                let come = come.fold(0, |all, (_, there)| all | there.active().0[warp]);
                // Lanes that arrived separately are reported once, with the lowest.
                if lanes & come & come.wrapping_neg() == 0 {
                    continue;
                }
                waiting.push(Waiting {
                    at,
                    span: self.code.spans[strand.pc as usize],
                    warp: (group.first_thread / 32 + warp) as u32,
                    lanes: come,
                    missing: group.live.0[warp] & !come,
                });
            }
        }
        waiting.sort_by_key(|waiting| (waiting.warp, waiting.lanes.trailing_zeros()));
        waiting
    }
}
