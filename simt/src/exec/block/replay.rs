//! Replay of neighbouring blocks along x with the same control flow.
use super::{Block, Group};
use crate::{
    exec::replay::{
        CompiledRounds, Failure, Recorder, ReplayCounter, compile, compile_clipped, fuse,
        run_lane_instrs,
    },
    observe::log::LaunchLog,
    vector::{lanes::compiled::ClippedRounds, mask::Run},
};

/// The form in which the rounds of a group run.
enum GroupRounds<'a> {
    Compiled(Box<CompiledRounds<'a>>),
    /// Compiled, for the lanes that take part.
    Clipped(ClippedRounds<'a>),
    /// As lane instructions.
    Interpreted,
}

impl<'a> Block<'a> {
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
        for (group, instrs) in self.lane_instrs.iter_mut().enumerate() {
            let (effects, clips) = (&mut self.effects[group], Some(&mut self.clips[group]));
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
                clips,
                equal_trips,
                is_defined,
            }
            .record_block()?;
            rounds = self.linear.rounds();
        }
        let mut forms = Vec::new();
        for group in 0..self.groups.len() {
            forms.push(self.choose_form(group, rounds)?);
        }
        self.replayed.values.clear();
        let groups = self.groups.len() as u64;
        // With several groups, a block is done before the next one.
        let at_once = if groups == 1 { rounds } else { 1 };
        for turn in (0..rounds).step_by(at_once as usize) {
            for (group, instrs) in self.lane_instrs.iter().enumerate() {
                let (all, rounds) = (self.groups[group].all_lanes(), turn..turn + at_once);
                let Group { registers, trip_counts, .. } = &mut self.groups[group];
                match &forms[group] {
                    GroupRounds::Compiled(compiled) => {
                        compiled.run(registers, rounds, &mut self.replayed.values);
                        continue;
                    }
                    GroupRounds::Clipped(clipped) => {
                        clipped.run(rounds);
                        continue;
                    }
                    GroupRounds::Interpreted => {}
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

    /// Chooses the form of the recorded rounds of a group.
    fn choose_form(&mut self, group: usize, rounds: u64) -> Result<GroupRounds<'a>, Failure> {
        let Self { code, bound, .. } = *self;
        let (instrs, clips) = (&mut self.lane_instrs[group], &mut self.clips[group]);
        let (lanes, registers) =
            (self.groups[group].all_lanes().len, &self.groups[group].registers);
        let presets = &code.preset;
        if !clips.is_empty() {
            let at = (bound, group);
            let clipped = compile_clipped(instrs, clips, at, (presets, registers), rounds);
            clips.is_early = clipped.is_some();
            return clipped.map(GroupRounds::Clipped).ok_or(Failure::ThisRound);
        }
        if let Some(compiled) = compile(instrs, presets, registers, lanes, rounds) {
            return Ok(GroupRounds::Compiled(Box::new(compiled)));
        }
        // Compiled code runs all lane instructions or none, so fusion is for groups that cannot be
        // compiled.
        *instrs = fuse(instrs, lanes, rounds);
        Ok(GroupRounds::Interpreted)
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
