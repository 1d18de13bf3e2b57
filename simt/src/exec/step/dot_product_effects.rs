//! Counters and checks of a dot-product loop whose rounds run [at once](super::dot_products).
//!
//! The address of a request advances by a constant in each round, so its cost repeats after a few
//! rounds: these are computed, and stand for the others.
//!
//! Accesses are logged together, and checked one by one where the sanitizer checks the accesses
//! between two barriers. Rounds whose accesses must be checked earlier run one by one.
use super::{Exec, dot_products::Round};
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
    /// Counts `rounds` rounds, of which the last has just been examined.
    pub(super) fn count_rounds(&mut self, sums: &DotProductLoop, two: [&Round; 2], rounds: u64) {
        for segment in &sums.segments {
            self.begin_segment(*segment, Executions { active: self.strand.active(), rounds });
        }
        if !sums.segments.is_empty() {
            for factor in &sums.requests {
                self.count_requests(factor.request, bytes_per_round(factor, two), rounds);
            }
        }
    }

    /// Counts a request that advances by `step` bytes in each round.
    fn count_requests(&mut self, number: u32, step: u64, rounds: u64) {
        let period = self.code.counted.requests[number as usize].period(step);
        if period == 1
            && let Some(asked) = self.known_cost(number)
        {
            self.log.tally.add_request(number, asked.times(rounds));
            return;
        }
        let first = step.wrapping_mul(rounds - 1).wrapping_neg();
        let mut all = RequestCost::default();
        for round in 0..period.min(rounds) {
            let asked = self.shifted_cost(number, first.wrapping_add(step.wrapping_mul(round)));
            all += asked.times((rounds - round).div_ceil(period));
        }
        self.log.tally.add_request(number, all);
    }

    /// Records the accesses of `rounds` rounds, of which the last has just been examined; false,
    /// without effect, if they must be checked one by one.
    pub(super) fn check_rounds(
        &mut self,
        sums: &DotProductLoop,
        two: [&Round; 2],
        rounds: u64,
    ) -> bool {
        let (Some(launch), Some(checks)) = (&self.bound.checks, self.checks.take()) else {
            return true;
        };
        let is_done = self.check_all_rounds(sums, two, rounds, (launch, checks));
        self.checks = Some(checks);
        is_done
    }

    fn check_all_rounds(
        &self,
        sums: &DotProductLoop,
        two: [&Round; 2],
        rounds: u64,
        (launch, checks): (&LaunchChecks<'_>, &mut BlockChecks),
    ) -> bool {
        if checks.undefined.has_private() || !checks.pending_copies.is_empty() {
            return false;
        }
        checks.pending_rounds.clear();
        for factor in &sums.requests {
            let site = &self.code.sites[factor.request as usize];
            let may_race = launch.may_race_at(factor.request);
            let may_be_undefined =
                launch.checks_inits && checks.undefined.must_track(site.is_shared);
            let is_used = launch.used.is_some() && site.is_shared;
            if is_used || may_race && (!site.is_shared || launch.is_eager) {
                return false;
            }
            if !may_race && !may_be_undefined {
                continue;
            }
            let step = bytes_per_round(factor, two);
            let places = self.access_places(factor.request, &mut Vec::new());
            let Some(places) = places.advance(step.wrapping_mul(rounds - 1).wrapping_neg()) else {
                return false;
            };
            let (first_thread, lanes) = (self.position.first_thread as u32, self.strand.active());
            let access = Access { site: factor.request, first_thread, lanes, places, value: None };
            if may_be_undefined && !self.are_defined(checks, (access, step, rounds), launch) {
                return false;
            }
            if may_race {
                checks.pending_rounds.push((access, step));
            }
        }
        checks.log_pending_rounds(rounds)
    }

    /// Returns true if the shared memory that some rounds read was written before.
    fn are_defined(
        &self,
        checks: &mut BlockChecks,
        rounds @ (access, step, many): RepeatedAccess,
        launch: &LaunchChecks<'_>,
    ) -> bool {
        if self.repeats_accesses(&mut checks.undefined, &rounds, launch) {
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

/// Returns the bytes by which a request advances in each round.
fn bytes_per_round(
    FactorRequest { with: (product, side), .. }: &FactorRequest,
    [first, second]: [&Round; 2],
) -> u64 {
    let [first, second] = [first, second].map(|round| round.factors[*product][*side]);
    second.wrapping_sub(first).cast_unsigned()
}
