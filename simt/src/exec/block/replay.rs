//! Replay of neighbouring blocks along x with the same control flow.
use super::{Block, Group};
use crate::{
    exec::replay::{Failure, Recorder, ReplayCounter, compile, fuse, run_lane_instrs},
    observe::log::LaunchLog,
    vector::mask::Run,
};

impl Block<'_> {
    /// Replays the block `first` and at most `most - 1` blocks after it, to their end; returns
    /// their number. On failure nothing has happened.
    pub(crate) fn replay_blocks(
        &mut self,
        first: u64,
        most: u64,
        log: &mut LaunchLog,
    ) -> Result<u64, Failure> {
        let Self { code, bound, .. } = *self;
        let (idx, mut rounds) = (bound.block_idx(first), most);
        // Records all groups before anything runs: each may limit the number of rounds, or fail.
        for (group, (instrs, effects)) in
            self.lane_instrs.iter_mut().zip(&mut self.effects).enumerate()
        {
            let values = &mut self.linear;
            values.restart(&bound.uniforms, rounds);
            for (uniform, input) in &bound.block_inputs {
                let at = input.bits_in_block(bound.block, idx);
                values.advance(*uniform, at, input.increment_per_block(bound.block));
            }
            let (shared, equal_trips, is_defined) = (&[], true, false);
            Recorder {
                code,
                bound,
                shared,
                group,
                values,
                instrs,
                effects,
                equal_trips,
                is_defined,
            }
            .record_block()?;
            rounds = self.linear.rounds();
        }
        // Compiled code runs all lane instructions or none, so fusion is for groups that cannot be
        // compiled.
        let mut compiled = Vec::new();
        for (group, instrs) in self.groups.iter().zip(&mut self.lane_instrs) {
            let lanes = group.all_lanes().len;
            compiled.push(compile(instrs, &code.preset, &group.registers, lanes, rounds));
            if let Some(None) = compiled.last() {
                *instrs = fuse(instrs, lanes, rounds);
            }
        }
        self.replayed.values.clear();
        let groups = self.groups.len() as u64;
        // With several groups, a block is done before the next one.
        let at_once = if groups == 1 { rounds } else { 1 };
        for turn in (0..rounds).step_by(at_once as usize) {
            for (group, instrs) in self.lane_instrs.iter().enumerate() {
                let (all, rounds) = (self.groups[group].all_lanes(), turn..turn + at_once);
                let Group { registers, trip_counts, .. } = &mut self.groups[group];
                if let Some(compiled) = &compiled[group] {
                    compiled.run(registers, rounds, &mut self.replayed.values);
                    continue;
                }
                let (tally, equal_trips, block) = (&mut log.tally, true, first);
                let (block_step, batch) = (1, None);
                let mut counts = ReplayCounter {
                    code,
                    bound,
                    tally,
                    trip_counts,
                    group,
                    equal_trips,
                    block,
                    block_step,
                    batch,
                };
                run_lane_instrs(
                    instrs,
                    registers,
                    all,
                    rounds,
                    &mut self.replayed.values,
                    &mut counts,
                );
                counts.flush_batch();
            }
        }
        self.observe_replay(first, rounds, log);
        Ok(rounds)
    }

    /// Counts the replayed blocks, and hands their accesses to the checks.
    fn observe_replay(&mut self, first: u64, rounds: u64, log: &mut LaunchLog) {
        let Self { code, bound, .. } = *self;
        for (group, effects) in self.effects.iter().enumerate() {
            let (tally, trip_counts) = (&mut log.tally, &mut self.groups[group].trip_counts);
            let (equal_trips, block, block_step, batch) = (true, first, 1, None);
            ReplayCounter {
                code,
                bound,
                tally,
                trip_counts,
                group,
                equal_trips,
                block,
                block_step,
                batch,
            }
            .count(effects, rounds);
        }
        if let Some(checks) = bound.checks.as_ref().filter(|checks| !checks.is_eager) {
            self.replayed.many = rounds;
            self.replayed.accesses.clear();
            self.effects
                .iter()
                .for_each(|effects| self.replayed.accesses.extend(&effects.accesses));
            checks.lock_global().submit_replayed((code, checks), first, &self.replayed);
        }
    }
}

impl Group {
    /// Returns the run of all existing lanes.
    pub(super) fn all_lanes(&self) -> Run {
        Run { first: 0, len: self.exist.count() as usize, full: true }
    }
}
