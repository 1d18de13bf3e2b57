//! Barriers, shuffles, votes, matches, reductions and operations on matrices.
//!
//! A strand that completes such an operation alone executes it on the spot. Otherwise it waits, and
//! [the block](crate::exec::block) executes the operation when the others have arrived.
use super::{Exec, control::Next};
use crate::{
    bytecode::{
        Operand, WarpInputs, WarpInstr, complete_lanes, execute_warp_instr, reduce_barrier,
    },
    observe::sanitizer::misuse::WarpCollective,
    vector::{
        mask::{Mask, bits},
        registers::{Reg, Uniform},
    },
};
use warpwise_compiler::ir::BarrierOp;

impl Exec<'_> {
    /// Executes a barrier if the whole block is here.
    pub(super) fn run_barrier(&mut self, reduce: Option<(BarrierOp, Operand, Uniform)>) -> Next {
        let active: Mask = self.strand.active();
        if !self.is_only_strand || active != *self.live {
            return Next::Wait;
        }
        if let Some((op, value, to)) = reduce {
            let truths = self.true_lanes(value).count();
            to.set(&mut self.strand.uniforms, reduce_barrier(op, truths, active.count()));
        }
        if let (Some(checks), Some(launch)) = (&mut self.checks, &self.bound.checks) {
            if let Some((_, value, to)) = reduce {
                let group = self.position.first_thread;
                let brought = checks.undefined.operand(group, value);
                let brought = brought.and_then(|brought| brought.restrict_to(active));
                checks.undefined.set_uniform(group, to, active, brought);
            }
            checks.barrier(self.code, launch);
        }
        Next::Continue
    }

    /// Sets each lane to the active lanes of its warp.
    pub(super) fn active_mask(&mut self, to: Reg) {
        let active: Mask = self.strand.active();
        for (warp, lanes) in active.warps() {
            bits(lanes).for_each(|lane| self.registers.set(to, warp * 32 + lane, lanes.into()));
        }
    }

    /// Executes a warp operation if every lane that one of ours names is here.
    pub(super) fn run_warp_instr(&mut self, op: WarpInstr, mask: Option<Operand>) -> Next {
        let active: Mask = self.strand.active();
        let matrix_words = &self.code.matrix_words;
        let mut all = Vec::new();
        for (warp, lanes) in active.warps() {
            let mut inputs = WarpInputs::none();
            let (op, uniforms) = ((op, mask), &self.strand.uniforms);
            inputs.add(op, matrix_words, self.registers, uniforms, (warp, lanes));
            if complete_lanes(&inputs, self.live.0[warp]) != lanes {
                return Next::Wait;
            }
            all.push((warp, lanes, inputs));
        }
        for (warp, lanes, inputs) in all {
            execute_warp_instr(op, matrix_words, &inputs, self.registers, warp, lanes);
            if let (Some(checks), Some(launch)) = (&mut self.checks, &self.bound.checks) {
                let first_thread = (self.position.first_thread + warp * 32) as u32;
                let span = self.code.spans[self.strand.pc as usize - 1];
                let (inputs, live) = (&inputs, self.live.0[warp]);
                let met = WarpCollective { op, span, inputs, lanes, live, passed: 0, first_thread };
                checks.check_masks(launch, &met);
                if launch.checks_inits {
                    let at = (self.position.block, self.position.first_thread);
                    let step = (op, self.strand.pc as usize - 1);
                    let met = (inputs, warp, lanes);
                    checks.undefined.propagate_collective(matrix_words, at, step, met);
                }
                if matches!(op, WarpInstr::Sync) {
                    let warp = (self.position.first_thread / 32 + warp) as u32;
                    let groups = inputs.groups();
                    groups.for_each(|lanes| checks.sync_warp(self.code, launch, warp, lanes));
                }
            }
        }
        Next::Continue
    }
}
