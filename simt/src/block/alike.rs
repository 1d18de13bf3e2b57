//! Blocks that take the same steps, one behind the other along x.
use super::{Block, Group};
use crate::{
    alike::{Fails, Trace, fuse, run},
    mask::Run,
};

impl Block<'_> {
    /// Runs the block of a number and those behind it, at most so many, to their end; yields how many. If it fails nothing
    /// has been done.
    pub(crate) fn run_alike(&mut self, first: u64, most: u64) -> Result<u64, Fails> {
        let Self { code, bound, .. } = *self;
        let (idx, mut rounds) = (bound.block_idx(first), most);
        for (group, steps) in self.lane_steps.iter_mut().enumerate() {
            let numbers = &mut self.numbers;
            numbers.set(&bound.uniforms, rounds);
            for (uniform, given) in &bound.of_block {
                let at = given.in_block(bound.block, idx);
                numbers.advance(*uniform, at, given.ahead(bound.block));
            }
            steps.clear();
            Trace { code, bound, shared: &[], group, numbers, steps }.block()?;
            rounds = self.numbers.rounds();
        }
        for (group, steps) in self.groups.iter().zip(&mut self.lane_steps) {
            *steps = fuse(steps, group.all().len, rounds);
        }
        let groups = self.groups.len() as u64;
        // A block is done before the next one.
        let at_once = if groups == 1 { rounds } else { 1 };
        for first in (0..rounds).step_by(at_once as usize) {
            for (group, steps) in self.groups.iter_mut().zip(&self.lane_steps) {
                let all = group.all();
                run(steps, &mut group.registers, all, first..first + at_once);
            }
        }
        Ok(rounds)
    }
}

impl Group {
    /// All lanes that there are.
    pub(super) fn all(&self) -> Run {
        Run { first: 0, len: self.exist.count() as usize, full: true }
    }
}
