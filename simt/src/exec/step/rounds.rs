//! What all rounds of a loop that run [at once](super::sums) count, and what they are checked for.
//!
//! What a request goes to moves on by as many bytes in each round. So what it asks of memory comes again after a few
//! rounds: these are looked at, and stand for the others.
//!
//! Accesses are logged all together, and looked at one by one where what a block does between two barriers is. What
//! could be found of one of them before that is left to the steps of the rounds.
use super::{Exec, sums::Round};
use crate::{
    bytecode::{DotProductLoop, FactorRequest},
    observe::{
        counters::tally::{Executions, RequestCost},
        sanitizer::{
            BlockChecks, LaunchChecks,
            access_log::{Access, AccessLog},
            defined::RepeatedAccess,
        },
    },
};

impl Exec<'_> {
    /// Counts so many rounds, of which the last has just been looked at.
    pub(super) fn count_rounds(&mut self, sums: &DotProductLoop, two: [&Round; 2], rounds: u64) {
        for segment in &sums.segments {
            self.begin(*segment, Executions { active: self.strand.active(), rounds });
        }
        if !sums.segments.is_empty() {
            for going in &sums.requests {
                self.count_requests(going.request, step(going, two), rounds);
            }
        }
    }

    /// Counts what is asked by a request that goes on by so many bytes in each round.
    fn count_requests(&mut self, number: u32, step: u64, rounds: u64) {
        let period = self.code.counted.requests[number as usize].period(step);
        if period == 1
            && let Some(asked) = self.asked_before(number)
        {
            self.log.tally.add_request(number, asked.times(rounds));
            return;
        }
        let first = step.wrapping_mul(rounds - 1).wrapping_neg();
        let mut all = RequestCost::default();
        for round in 0..period.min(rounds) {
            let asked = self.asks(number, first.wrapping_add(step.wrapping_mul(round)));
            all += asked.times((rounds - round).div_ceil(period));
        }
        self.log.tally.add_request(number, all);
    }

    /// Logs the accesses of so many rounds, of which the last has just been looked at; false, and nothing has
    /// happened, if they have to be looked at one by one.
    pub(super) fn watch_rounds(
        &mut self,
        sums: &DotProductLoop,
        two: [&Round; 2],
        rounds: u64,
    ) -> bool {
        let (Some(launch), Some(checks)) = (&self.bound.checks, self.checks.take()) else {
            return true;
        };
        let is_done = self.watch_all(sums, two, rounds, (launch, checks));
        self.checks = Some(checks);
        is_done
    }

    fn watch_all(
        &self,
        sums: &DotProductLoop,
        two: [&Round; 2],
        rounds: u64,
        (launch, checks): (&LaunchChecks<'_>, &mut BlockChecks),
    ) -> bool {
        if checks.undefined.has_private() {
            return false;
        }
        checks.pending_rounds.clear();
        for going in &sums.requests {
            let site = &self.code.sites[going.request as usize];
            let may_race = launch.may_race_at(going.request);
            let may_be_undefined =
                launch.checks_inits && checks.undefined.must_track(site.is_shared);
            let is_used = launch.used.is_some() && site.is_shared;
            if is_used || may_race && (!site.is_shared || launch.is_eager) {
                return false;
            }
            if !may_race && !may_be_undefined {
                continue;
            }
            let step = step(going, two);
            let places = self.places(going.request, &mut Vec::new());
            let Some(places) = places.advance(step.wrapping_mul(rounds - 1).wrapping_neg()) else {
                return false;
            };
            let (first_thread, lanes) = (self.place.first_thread as u32, self.strand.active());
            let access = Access { site: going.request, first_thread, lanes, places, value: None };
            if may_be_undefined && !self.are_defined(checks, (access, step, rounds), launch) {
                return false;
            }
            if may_race {
                checks.pending_rounds.push((access, step));
            }
        }
        checks.log_pending_rounds(rounds)
    }

    /// Whether what is read of shared memory in some rounds was written before.
    fn are_defined(
        &self,
        checks: &mut BlockChecks,
        rounds @ (access, step, many): RepeatedAccess,
        launch: &LaunchChecks<'_>,
    ) -> bool {
        if self.replay(&mut checks.undefined, &rounds, launch) {
            return true;
        }
        if checks.undefined.is_clean(&rounds) {
            checks.undefined.defined.record(&rounds, true);
            return true;
        }
        let (site, none) = (&self.code.sites[access.site as usize], AccessLog::default());
        let are_defined = (0..many).all(|round| {
            access.advance(step.wrapping_mul(round)).is_some_and(|access| {
                launch.all_run_cells(site, &none, &access, |cells| {
                    checks.undefined.defined.contains_all(cells)
                })
            })
        });
        checks.undefined.defined.record(&rounds, are_defined);
        if are_defined {
            checks.undefined.remember_clean(rounds);
        }
        are_defined
    }
}

/// By how many bytes a request goes on in each round.
fn step(
    FactorRequest { with: (product, side), .. }: &FactorRequest,
    [first, second]: [&Round; 2],
) -> u64 {
    let [first, second] = [first, second].map(|round| round.factors[*product][*side]);
    second.wrapping_sub(first).cast_unsigned()
}
