//! `gpu_divergent_matches`: a `match` of which every warp runs three or more long arms.
//!
//! ```text
//! match thread_idx_x() % 4 { 0 => a(), 1 => b(), 2 => c(), _ => d() }    // four arms, one after the other
//! ```
//! Fires where it is proved that the lanes of most warps take three or more arms that are too large
//! for predication ([`body_weight`]). Two arms are the subject of `gpu_divergent_branches`.
use crate::{
    analysis::{
        Analyses,
        symbolic::{Event, EventKind, Split},
    },
    diag::Level,
    ir::{Body, InstId, Kernel, Op},
    lint::{
        Finding, Lint, LintGroup,
        lanes::{LANES, RemainderTest, are_certain},
        weight::{MIN_BRANCH_WEIGHT, body_weight},
        wording,
    },
};

pub(in crate::lint) const LINT: Lint = Lint {
    name: "gpu_divergent_matches",
    group: LintGroup::Performance,
    level: Level::Warn,
    check,
};

/// The smallest number of long arms that is worth a finding.
const MIN_LONG_ARMS: usize = 3;

/// A `match`: the `if`s that it became, each in the `else` of the previous one.
struct MatchChain<'k> {
    /// Each `if`, with its condition and the arm that it guards.
    arms: Vec<(InstId, InstId, &'k Body)>,
    /// The last arm.
    last_arm: &'k Body,
}

/// Returns the `if`s of all matches that this lint reports.
pub(super) fn reported_branches(kernel: &Kernel, analyses: &Analyses) -> Vec<InstId> {
    let chains = find_matches(kernel);
    let told = chains.iter().filter(|chain| chain.long_arms_taken(kernel, analyses).is_some());
    told.flat_map(|chain| chain.arms.iter().map(|&(id, ..)| id)).collect()
}

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for chain in find_matches(kernel) {
        let Some(taken) = chain.long_arms_taken(kernel, analyses) else { continue };
        let id = chain.arms[0].0;
        let span = kernel.insts[id].span;
        if found.iter().any(|found| found.span == span) {
            continue;
        }
        let warp = &analyses.uniformity.warp;
        let mut labels = wording::cause_labels(kernel, warp, warp.divergence[id]);
        labels.retain(|(at, _)| *at != span);
        found.push(Finding {
            message: format!(
                "the lanes of a warp take {taken} of the {} arms of this `match`, which run one after the other",
                chain.arms.len() + 1
            ),
            span,
            labels,
            notes: wording::assumption_notes(&analyses.trace.shape),
            help: "match on a value that the lanes of a warp share, such as `warp::warp_id()`, or let the \
                   arms only choose values for one computation after them"
                .to_owned(),
        });
    }
    found
}

/// Returns the matches of `kernel` with enough arms.
fn find_matches(kernel: &Kernel) -> Vec<MatchChain<'_>> {
    let mut inner = Vec::new();
    let mut chains = Vec::new();
    for (id, inst) in kernel.insts.iter() {
        let Op::If { .. } = inst.op else { continue };
        if inner.contains(&id) || wording::is_library_control(kernel, id) {
            continue;
        }
        let Some(chain) = match_at(kernel, id) else { continue };
        inner.extend(chain.arms.iter().map(|&(id, ..)| id));
        if chain.arms.len() + 1 >= MIN_LONG_ARMS {
            chains.push(chain);
        }
    }
    chains
}

/// Returns the chain that begins with `id`: `if`s with the same span.
fn match_at(kernel: &Kernel, id: InstId) -> Option<MatchChain<'_>> {
    let span = kernel.insts[id].span;
    let mut links = Vec::new();
    let mut next = Some(id);
    let mut rest = None;
    while let Some(id) = next {
        let Op::If { cond, then, other } = &kernel.insts[id].op else { break };
        links.push((id, *cond, then));
        rest = Some(other);
        let last = other.0.last().copied();
        next = last.filter(|&last| {
            kernel.insts[last].span == span && matches!(kernel.insts[last].op, Op::If { .. })
        });
    }
    Some(MatchChain { arms: links, last_arm: rest? })
}

impl MatchChain<'_> {
    /// Returns the number of long arms that most warps run, if it is worth a finding.
    fn long_arms_taken(&self, kernel: &Kernel, analyses: &Analyses) -> Option<usize> {
        let arms = self.arms.iter().map(|&(.., arm)| arm).chain([self.last_arm]);
        let heavy: Vec<bool> =
            arms.map(|arm| body_weight(kernel, arm) >= MIN_BRANCH_WEIGHT).collect();
        if heavy.iter().filter(|&&heavy| heavy).count() < MIN_LONG_ARMS {
            return None;
        }
        let mut counts = self.arms_per_warp(analyses, &heavy);
        if counts.is_empty() {
            counts = self.arms_by_remainder(kernel, analyses, &heavy)?;
        }
        let many = counts.iter().filter(|&&taken| taken >= MIN_LONG_ARMS).count();
        if 2 * many <= counts.len() {
            return None;
        }
        counts.into_iter().filter(|&taken| taken >= MIN_LONG_ARMS).min()
    }

    /// Returns the number of long arms that each warp takes, if all conditions are known.
    fn arms_per_warp(&self, analyses: &Analyses, heavy: &[bool]) -> Vec<usize> {
        let mut counts = Vec::new();
        for event in analyses.trace.events_of(self.arms[0].0) {
            let warps = event.active.threads.warp_count();
            for warp in (0..warps).filter(|&warp| event.active.threads.lanes_of_warp(warp) != 0) {
                if let Some(taken) = self.arms_in_warp(analyses, event, warp, heavy) {
                    counts.push(taken);
                }
            }
        }
        counts
    }

    fn arms_in_warp(
        &self,
        analyses: &Analyses,
        event: &Event,
        warp: usize,
        heavy: &[bool],
    ) -> Option<usize> {
        let mut left =
            are_certain(&event.active).then(|| event.active.threads.lanes_of_warp(warp))?;
        let mut taken = 0;
        for (&(id, ..), &heavy) in self.arms.iter().zip(heavy) {
            if left == 0 {
                break;
            }
            let EventKind::Branch(Split::Known(yes)) = &analyses.trace.events_of(id).next()?.kind
            else {
                return None;
            };
            taken += usize::from(heavy && yes.lanes_of_warp(warp) & left != 0);
            left &= !yes.lanes_of_warp(warp);
        }
        Some(taken + usize::from(left != 0 && heavy[self.arms.len()]))
    }

    /// Returns the same for remainders of an index, for every start of a warp.
    fn arms_by_remainder(
        &self,
        kernel: &Kernel,
        analyses: &Analyses,
        heavy: &[bool],
    ) -> Option<Vec<usize>> {
        let shape = &analyses.trace.shape;
        let cycles = self
            .arms
            .iter()
            .map(|&(_, cond, _)| RemainderTest::from_condition(kernel, shape, cond));
        let cycles: Vec<RemainderTest> = cycles.collect::<Option<_>>()?;
        let comes = analyses.trace.events_of(self.arms[0].0).any(|event| {
            are_certain(&event.active) && event.active.threads.lanes_of_warp(0) == u32::MAX
        });
        let same = cycles.iter().all(|cycle| cycle.remainder == cycles[0].remainder);
        let arm = |first, lane| {
            let found = cycles.iter().position(|cycle| cycle.is_true(first, lane));
            found.unwrap_or(cycles.len())
        };
        let counts = cycles[0].first_remainders().map(|first| {
            let mut arms: Vec<_> = (0..u64::from(LANES)).map(|lane| arm(first, lane)).collect();
            arms.sort_unstable();
            arms.dedup();
            arms.into_iter().filter(|&arm| heavy[arm]).count()
        });
        (comes && same).then(|| counts.collect())
    }
}
