//! Where threads meet: barriers, shuffles, votes, matches, reductions.
//!
//! A strand that brings everybody who is waited for does it on the spot. Otherwise
//! it waits, and [the block](crate::exec::block) does it when the others have come.
use super::{Exec, control::Next};
use crate::{
    bytecode::{Operand, WarpInputs, WarpOp, complete, exchange, reduced},
    observe::sanitizer::misuse::WarpCollective,
    vector::{
        mask::{Mask, bits},
        registers::{Reg, Uniform},
    },
};
use warpwise_compiler::ir::BarrierOp;

impl Exec<'_> {
    /// Goes on if the whole block is here.
    pub(super) fn barrier(&mut self, reduce: Option<(BarrierOp, Operand, Uniform)>) -> Next {
        let active: Mask = self.strand.active();
        if !self.alone || active != *self.live {
            return Next::Wait;
        }
        if let Some((op, value, to)) = reduce {
            let truths = self.truths(value).count();
            to.set(&mut self.strand.uniforms, reduced(op, truths, active.count()));
        }
        if let (Some(checks), Some(launch)) = (&mut self.checks, &self.bound.checks) {
            if let Some((_, value, to)) = reduce {
                let group = self.place.first_thread;
                let brought = checks.undefined.operand(group, value);
                let brought = brought.and_then(|brought| brought.restrict_to(active));
                checks.undefined.set_uniform(group, to, active, brought);
            }
            checks.barrier(self.code, launch);
        }
        Next::On
    }

    /// Tells each lane which ones of its warp run with it.
    pub(super) fn active_mask(&mut self, to: Reg) {
        let active: Mask = self.strand.active();
        for (warp, lanes) in active.warps() {
            bits(lanes).for_each(|lane| self.registers.set(to, warp * 32 + lane, lanes.into()));
        }
    }

    /// Goes on if every lane that one of ours waits for is here.
    pub(super) fn warp(&mut self, op: WarpOp, mask: Option<Operand>) -> Next {
        let active: Mask = self.strand.active();
        let mut all = Vec::new();
        for (warp, lanes) in active.warps() {
            let mut inputs = WarpInputs::none();
            inputs.add((op, mask), self.registers, &self.strand.uniforms, (warp, lanes));
            if complete(&inputs, self.live.0[warp]) != lanes {
                return Next::Wait;
            }
            all.push((warp, lanes, inputs));
        }
        for (warp, lanes, inputs) in all {
            exchange(op, &inputs, self.registers, warp, lanes);
            if let (Some(checks), Some(launch)) = (&mut self.checks, &self.bound.checks) {
                let first_thread = (self.place.first_thread + warp * 32) as u32;
                let span = self.code.spans[self.strand.at as usize - 1];
                let (inputs, live) = (&inputs, self.live.0[warp]);
                let met = WarpCollective { op, span, inputs, lanes, live, passed: 0, first_thread };
                checks.check_masks(launch, &met);
                if launch.checks_inits {
                    let at = (self.place.block, self.place.first_thread);
                    let step = (op, self.strand.at as usize - 1);
                    checks.undefined.propagate_collective(at, step, inputs, (warp, lanes));
                }
                if matches!(op, WarpOp::Sync) {
                    let warp = (self.place.first_thread / 32 + warp) as u32;
                    let groups = inputs.groups();
                    groups.for_each(|lanes| checks.sync_warp(self.code, launch, warp, lanes));
                }
            }
        }
        Next::On
    }
}
