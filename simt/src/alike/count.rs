//! Counts what rounds do that are alike. What a request asks of memory comes again after a few of them: these are looked
//! at, and stand for the others.
use super::noted::{Going, Noted};
use crate::{
    bound::Bound,
    code::Code,
    lower::patterns::Pattern,
    mask::{GROUP, Mask},
    step::asked,
    tally::{Asked, Begin, Gone, Key, Tally},
    worst::At,
};
use warpwise_compiler::hardware::LANES;

/// Counts what all lanes of a group do.
pub(crate) struct Counts<'t, 'a> {
    pub(crate) code: &'a Code,
    pub(crate) bound: &'a Bound<'a>,
    pub(crate) tally: &'t mut Tally,
    /// Iterations of the group's warps.
    pub(crate) gone: &'t mut Gone,
    pub(crate) group: usize,
    /// Whether lanes that run a loop together have gone round as often.
    pub(crate) in_step: bool,
    /// Number of the block of the first round, and how many further on that of each other is.
    pub(crate) block: u64,
    pub(crate) ahead: u64,
}

impl<'a> Counts<'_, 'a> {
    /// Counts so many rounds.
    pub(crate) fn count(&mut self, noted: &Noted, rounds: u64) {
        let lanes = Mask::first(self.bound.lanes(self.group));
        let begin = Begin { active: lanes, rounds };
        for segment in &noted.segments {
            self.tally.begin(*segment, begin);
            match self.code.counted.iterations[*segment as usize] {
                // A loop that is come to in a round is left in it, too.
                Some(number) if noted.loops.contains(&number) => self.tally.go_once(number, begin),
                Some(number) => self.tally.go(number, begin, self.gone),
                None => {}
            }
        }
        for number in &noted.loops {
            self.tally.come(*number, begin, self.gone);
        }
        for going in &noted.requests {
            let period = self.code.counted.requests[going.request as usize].period(going.step);
            let mut all = Asked::default();
            for round in 0..period.min(rounds) {
                all += self.asks(going, round, lanes).times((rounds - round).div_ceil(period));
            }
            self.tally.ask(going.request, all);
        }
    }

    /// What the warps ask in a round.
    fn asks(&mut self, going: &Going, round: u64, lanes: Mask) -> Asked {
        let pattern = self.bound.patterns.get(going.request as usize).and_then(Option::as_ref);
        let pattern = pattern.filter(|pattern| self.in_step || !pattern.in_step);
        if let Some(alike) = pattern.and_then(|pattern| pattern.alike[self.group]) {
            return self.ask(going, round, (0, u32::MAX), pattern).times(alike.warps);
        }
        let mut all = Asked::default();
        for warp in lanes.warps() {
            all += self.ask(going, round, warp, pattern);
        }
        all
    }

    /// What a warp asks in a round.
    fn ask(
        &mut self,
        going: &Going,
        round: u64,
        (warp, active): (usize, u32),
        pattern: Option<&'a Pattern>,
    ) -> Asked {
        let request = &self.code.counted.requests[going.request as usize];
        let first_warp = self.group * (GROUP / LANES);
        let common = going.first.wrapping_add(going.step.wrapping_mul(round));
        let first = common.wrapping_add(self.apart(going, warp * LANES));
        let key = |pattern: &Pattern| {
            let class = pattern.classes[first_warp + warp];
            Key { active, class, phase: request.phase(first) }
        };
        let key = pattern.map(key);
        if let Some(asked) = key.and_then(|key| self.tally.memo(going.request).get(key)) {
            return asked;
        }
        let mut addresses = [first; LANES];
        for lane in (0..LANES).filter(|lane| active >> lane & 1 != 0) {
            addresses[lane] = common.wrapping_add(self.apart(going, warp * LANES + lane));
        }
        let asked = asked(request, active, &addresses);
        if let Some(key) = key {
            self.tally.memo(going.request).put(key, asked);
        }
        let block = self.block + round * self.ahead;
        if self.tally.worst.is_beaten(going.request, asked, block) {
            let at = At { block, warp: (first_warp + warp) as u32, active };
            self.tally.worst.note(going.request, asked, at, addresses);
        }
        asked
    }

    /// How many bytes behind the first lane another one goes.
    fn apart(&self, going: &Going, lane: usize) -> u64 {
        let Some((slope, stride)) = going.apart else { return 0 };
        let own = self.bound.own(slope, self.group * GROUP, lane + 1);
        own[lane].wrapping_sub(own[0]).cast_unsigned().wrapping_mul(stride)
    }
}
