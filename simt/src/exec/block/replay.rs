//! Blocks that take the same steps, one behind the other along x.
use super::{Block, Group};
use crate::{
    exec::replay::{Counts, Fails, Trace, compile, fuse, run},
    observe::log::LaunchLog,
    vector::mask::Run,
};

impl Block<'_> {
    /// Runs the block of a number and those behind it, at most so many, to their end; yields how many. If it fails nothing
    /// has been done.
    pub(crate) fn run_alike(
        &mut self,
        first: u64,
        most: u64,
        log: &mut LaunchLog,
    ) -> Result<u64, Fails> {
        let Self { code, bound, .. } = *self;
        let (idx, mut rounds) = (bound.block_idx(first), most);
        for (group, (steps, noted)) in self.lane_instrs.iter_mut().zip(&mut self.noted).enumerate()
        {
            let numbers = &mut self.numbers;
            numbers.set(&bound.uniforms, rounds);
            for (uniform, given) in &bound.of_block {
                let at = given.in_block(bound.block, idx);
                numbers.advance(*uniform, at, given.ahead(bound.block));
            }
            let (shared, in_step, is_defined) = (&[], true, false);
            Trace { code, bound, shared, group, numbers, steps, noted, in_step, is_defined }
                .block()?;
            rounds = self.numbers.rounds();
        }
        let mut compiled = Vec::new();
        for (group, steps) in self.groups.iter().zip(&mut self.lane_instrs) {
            let lanes = group.all().len;
            compiled.push(compile(steps, &code.preset, &group.registers, lanes, rounds));
            if let Some(None) = compiled.last() {
                *steps = fuse(steps, lanes, rounds);
            }
        }
        self.did.values.clear();
        let groups = self.groups.len() as u64;
        // A block is done before the next one.
        let at_once = if groups == 1 { rounds } else { 1 };
        for turn in (0..rounds).step_by(at_once as usize) {
            for (group, steps) in self.lane_instrs.iter().enumerate() {
                let (all, rounds) = (self.groups[group].all(), turn..turn + at_once);
                let Group { registers, gone, .. } = &mut self.groups[group];
                if let Some(compiled) = &compiled[group] {
                    compiled.run(registers, rounds, &mut self.did.values);
                    continue;
                }
                let (tally, in_step, block) = (&mut log.tally, true, first);
                let (ahead, batch) = (1, None);
                let mut counts =
                    Counts { code, bound, tally, gone, group, in_step, block, ahead, batch };
                run(steps, registers, all, rounds, &mut self.did.values, &mut counts);
                counts.finish();
            }
        }
        self.look_at_alike(first, rounds, log);
        Ok(rounds)
    }

    /// Counts what so many blocks have done, and notes it for the checks.
    fn look_at_alike(&mut self, first: u64, rounds: u64, log: &mut LaunchLog) {
        let Self { code, bound, .. } = *self;
        for (group, noted) in self.noted.iter().enumerate() {
            let (tally, gone) = (&mut log.tally, &mut self.groups[group].gone);
            let (in_step, block, ahead, batch) = (true, first, 1, None);
            Counts { code, bound, tally, gone, group, in_step, block, ahead, batch }
                .count(noted, rounds);
        }
        if let Some(checks) = bound.checks.as_ref().filter(|checks| !checks.is_eager) {
            self.did.many = rounds;
            self.did.accesses.clear();
            self.noted.iter().for_each(|noted| self.did.accesses.extend(&noted.accesses));
            checks.lock_global().submit_replayed((code, checks), first, &self.did);
        }
    }
}

impl Group {
    /// All lanes that there are.
    pub(super) fn all(&self) -> Run {
        Run { first: 0, len: self.exist.count() as usize, full: true }
    }
}
