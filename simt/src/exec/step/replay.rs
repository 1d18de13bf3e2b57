//! Iterations of a loop that take the same steps, run without looking at each.
//!
//! Which values an iteration leaves for the next one is not looked for. One is gone through as if nothing changed; what
//! each value has more behind it is taken for what it has more behind every other. Then it is gone through with that. If
//! all of them come out so, then they do in the next iteration, too, and so on.
use super::{Exec, Slice, sums::affordable};
use crate::{
    exec::replay::{Counts, Fails, LaneInstr, Noted, Numbers, Trace, compile, fuse, run},
    observe::sanitizer::replayed_accesses::ReplayedAccesses,
};

/// Fewer iterations are not worth the trouble.
const FEWEST: u64 = 4;

/// The most iterations that pass between two tries.
const RARELY: u32 = 1 << 10;

impl Exec<'_> {
    /// Runs as many iterations of a loop as are alike, at its head, to which the step `back` has jumped.
    #[inline(always)]
    pub(super) fn iterate(&mut self, back: u32, cost: u32, slice: &mut Slice) {
        if self.tries[back as usize].is_time() {
            let tried = self.iterate_alike(back, cost, slice);
            self.tries[back as usize] = self.tries[back as usize].after(&tried, RARELY);
        }
    }

    fn iterate_alike(&mut self, back: u32, cost: u32, slice: &mut Slice) -> Result<(), Fails> {
        let (head, group) = (self.strand.at, self.group());
        let [lanes] = *self.strand.runs() else { return Err(Fails::Here) };
        let all = lanes.full && lanes.len == self.bound.lanes(group);
        let price = i64::from(back + 1 - head);
        let most = affordable(slice.steps, price).min(affordable(slice.patience, cost.into()));
        if !all || most < FEWEST || self.follows() {
            return Err(Fails::Here);
        }
        let (code, bound, shared) = (self.code, self.bound, self.shared);
        let (mut steps, mut noted) = (Vec::<LaneInstr<'_>>::new(), Noted::default());
        let in_step = self.place.in_step;
        let undefined = self.checks.as_ref().map(|checks| &checks.undefined);
        let is_defined = undefined.is_none_or(|undefined| !undefined.must_track(true));
        let before = &self.strand.uniforms;
        let mut numbers = Numbers::new(before, 1);
        let mut trace = |numbers: &mut Numbers| {
            let (steps, noted) = (&mut steps, &mut noted);
            let mut trace =
                Trace { code, bound, shared, group, numbers, steps, noted, in_step, is_defined };
            trace.iteration(head, back)
        };
        trace(&mut numbers)?;
        let more: Vec<u64> = numbers
            .in_round(0)
            .zip(before)
            .map(|(after, before)| after.wrapping_sub(*before))
            .collect();
        numbers.set_again(before, most);
        numbers.advance_all(&more);
        trace(&mut numbers)?;
        let rounds = numbers.rounds();
        if rounds < FEWEST || !numbers.go_on(before, &more) {
            return Err(Fails::Here);
        }
        // The last one leaves all registers as they are behind an iteration.
        let compiled = compile(&steps, &code.preset, self.registers, lanes.len, rounds);
        let mut values = Vec::new();
        let (tally, gone, block) = (&mut self.log.tally, &mut *self.gone, self.place.block);
        let (ahead, batch) = (0, None);
        let mut counts = Counts { code, bound, tally, gone, group, in_step, block, ahead, batch };
        if let Some(compiled) = compiled {
            compiled.run(self.registers, 0..rounds - 1, &mut values);
        } else {
            let fused = fuse(&steps, lanes.len, rounds);
            run(&fused, self.registers, lanes, 0..rounds - 1, &mut values, &mut counts);
        }
        let last = rounds - 1..rounds;
        let loaded = run(&steps, self.registers, lanes, last, &mut values, &mut counts);
        counts.finish();
        counts.count(&noted, rounds);
        for (uniform, bits) in self.strand.uniforms.iter_mut().zip(numbers.in_round(rounds - 1)) {
            *uniform = bits;
        }
        for (slot, bits) in numbers.loaded_slots().zip(loaded) {
            self.strand.uniforms[slot] = bits;
        }
        slice.steps -= rounds as i64 * price;
        slice.patience -= rounds as i64 * i64::from(cost);
        if let (Some(checks), Some(launch)) = (&mut self.checks, &bound.checks) {
            let rounds = ReplayedAccesses { accesses: noted.accesses, values, many: rounds };
            checks.log_replayed((code, launch), &rounds);
        }
        Ok(())
    }
}
