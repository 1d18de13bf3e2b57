//! Replay of iterations of a loop with the same control flow.
//!
//! The recorder does not analyze which values an iteration passes to the next one. It records an
//! iteration as if nothing changed, and takes the increment of each uniform value for its increment
//! in every iteration. Then it records the iteration again with these increments. If each value has
//! its assumed increment, then it has it in the next iteration, too, and so on.
use super::{Exec, Slice, dot_products::max_affordable};
use crate::{
    exec::replay::{
        Effects, Failure, LaneInstr, LinearValues, Recorder, ReplayCounter, compile, fuse,
        run_lane_instrs,
    },
    observe::sanitizer::replayed_accesses::ReplayedAccesses,
};

/// The least iterations that are worth a replay.
const MIN_ITERATIONS: u64 = 4;

/// The longest backoff between two attempts, in iterations.
const MAX_BACKOFF_ITERATIONS: u32 = 1 << 10;

impl Exec<'_> {
    /// Replays as many iterations of a loop as possible, at its head, to which the instruction
    /// `back` has jumped.
    #[inline(always)]
    pub(super) fn replay_iterations_if_due(&mut self, back: u32, cost: u32, slice: &mut Slice) {
        if self.backoffs[back as usize].is_due() {
            let tried = self.replay_iterations(back, cost, slice);
            self.backoffs[back as usize] =
                self.backoffs[back as usize].after_attempt(&tried, MAX_BACKOFF_ITERATIONS);
        }
    }

    fn replay_iterations(
        &mut self,
        back: u32,
        cost: u32,
        slice: &mut Slice,
    ) -> Result<(), Failure> {
        let (head, group) = (self.strand.pc, self.group_number());
        let [lanes] = *self.strand.runs() else { return Err(Failure::ThisRound) };
        let all = lanes.full && lanes.len == self.bound.lanes_in_group(group);
        let price = i64::from(back + 1 - head);
        let most =
            max_affordable(slice.steps, price).min(max_affordable(slice.spin_budget, cost.into()));
        let checks_copies =
            self.checks.as_ref().is_some_and(|checks| !checks.pending_copies.is_empty());
        if !all || most < MIN_ITERATIONS || self.tracks_undefined() || checks_copies {
            return Err(Failure::ThisRound);
        }
        let (code, bound, shared) = (self.code, self.bound, self.shared);
        let (mut instrs, mut effects) = (Vec::<LaneInstr<'_>>::new(), Effects::default());
        let equal_trips = self.position.equal_trips;
        let undefined = self.checks.as_ref().map(|checks| &checks.undefined);
        let is_defined = undefined.is_none_or(|undefined| !undefined.must_track(true));
        let before = &self.strand.uniforms;
        let mut values = LinearValues::new(before, 1);
        let mut record = |values: &mut LinearValues| {
            let (instrs, effects) = (&mut instrs, &mut effects);
            let mut recorder = Recorder {
                code,
                bound,
                shared,
                group,
                values,
                instrs,
                effects,
                clips: None,
                equal_trips,
                is_defined,
            };
            recorder.record_iteration(head, back)
        };
        // The first recording finds the increments, the second verifies them.
        record(&mut values)?;
        let more: Vec<u64> = values
            .bits_in_round(0)
            .zip(before)
            .map(|(after, before)| after.wrapping_sub(*before))
            .collect();
        values.restart_recording(before, most);
        values.advance_all(&more);
        record(&mut values)?;
        let rounds = values.rounds();
        if rounds < MIN_ITERATIONS || !values.continues(before, &more) {
            return Err(Failure::ThisRound);
        }
        let compiled = compile(&instrs, &code.preset, self.registers, lanes.len, rounds);
        let mut stored = Vec::new();
        let (tally, trip_counts) = (&mut self.log.tally, &mut *self.trip_counts);
        let (block, block_step, batch) = (self.position.block, 0, None);
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
        if let Some(compiled) = compiled {
            compiled.run(self.registers, 0..rounds - 1, &mut stored);
        } else {
            let fused = fuse(&instrs, lanes.len, rounds);
            let all_but_last = 0..rounds - 1;
            run_lane_instrs(&fused, self.registers, lanes, all_but_last, &mut stored, &mut counts);
        }
        // The last iteration runs separately, neither compiled nor fused: so it leaves all
        // registers as an iteration does.
        let last = rounds - 1..rounds;
        let loaded =
            run_lane_instrs(&instrs, self.registers, lanes, last, &mut stored, &mut counts);
        counts.flush_batch();
        counts.count(&effects, rounds);
        for (uniform, bits) in self.strand.uniforms.iter_mut().zip(values.bits_in_round(rounds - 1))
        {
            *uniform = bits;
        }
        for (slot, bits) in values.loaded_slots().zip(loaded) {
            self.strand.uniforms[slot] = bits;
        }
        slice.steps -= rounds as i64 * price;
        slice.spin_budget -= rounds as i64 * i64::from(cost);
        if let (Some(checks), Some(launch)) = (&mut self.checks, &bound.checks) {
            let rounds =
                ReplayedAccesses { accesses: effects.accesses, values: stored, many: rounds };
            checks.log_replayed((code, launch), &rounds);
        }
        Ok(())
    }
}
