//! `gpu_divergent_matches`: a `match` of which every warp runs three or more long arms.
//!
//! ```text
//! match thread_idx_x() % 4 { 0 => a(), 1 => b(), 2 => c(), _ => d() }    // four arms, one after the other
//! ```
//! Fires where it is proved that the lanes of most warps take three or more arms that are too large
//! for predication ([`weight`]). Two arms are the subject of `gpu_divergent_branches`.
use super::{
    Finding, Group, Lint,
    lanes::{Cycle, LANES, are_there},
    why,
    work::{HEAVY, weight},
};
use crate::{
    analysis::{
        Analyses,
        symbolic::{Event, EventKind, Split},
    },
    diag::Level,
    ir::{Body, InstId, Kernel, Op},
};

pub(super) const LINT: Lint =
    Lint { name: "gpu_divergent_matches", group: Group::Performance, level: Level::Warn, check };

/// The smallest number of long arms that is worth a finding.
const MANY: usize = 3;

/// A `match`: the `if`s that it became, each in the `else` of the previous one.
struct Chain<'k> {
    /// Each `if`, with its condition and the arm that it guards.
    links: Vec<(InstId, InstId, &'k Body)>,
    /// The last arm.
    rest: &'k Body,
}

/// Returns the `if`s of all matches that this lint reports.
pub(super) fn branches(kernel: &Kernel, analyses: &Analyses) -> Vec<InstId> {
    let chains = chains(kernel);
    let told = chains.iter().filter(|chain| chain.taken(kernel, analyses).is_some());
    told.flat_map(|chain| chain.links.iter().map(|&(id, ..)| id)).collect()
}

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for chain in chains(kernel) {
        let Some(taken) = chain.taken(kernel, analyses) else { continue };
        let id = chain.links[0].0;
        let span = kernel.insts[id].span;
        if found.iter().any(|found| found.span == span) {
            continue;
        }
        let warp = &analyses.uniformity.warp;
        let mut labels = why::labels(kernel, warp, warp.divergence[id]);
        labels.retain(|(at, _)| *at != span);
        found.push(Finding {
            message: format!(
                "the lanes of a warp take {taken} of the {} arms of this `match`, which run one after the other",
                chain.links.len() + 1
            ),
            span,
            labels,
            notes: why::assumed(&analyses.trace.shape),
            help: "match on a value that the lanes of a warp share, such as `warp::warp_id()`, or let the \
                   arms only choose values for one computation behind them"
                .to_owned(),
        });
    }
    found
}

/// Returns the matches of `kernel` with enough arms.
fn chains(kernel: &Kernel) -> Vec<Chain<'_>> {
    let mut inner = Vec::new();
    let mut chains = Vec::new();
    for (id, inst) in kernel.insts.iter() {
        let Op::If { .. } = inst.op else { continue };
        if inner.contains(&id) || why::is_of_library(kernel, id) {
            continue;
        }
        let Some(chain) = chain(kernel, id) else { continue };
        inner.extend(chain.links.iter().map(|&(id, ..)| id));
        if chain.links.len() + 1 >= MANY {
            chains.push(chain);
        }
    }
    chains
}

/// Returns the chain that begins with `id`: `if`s with the same span.
fn chain(kernel: &Kernel, id: InstId) -> Option<Chain<'_>> {
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
    Some(Chain { links, rest: rest? })
}

impl Chain<'_> {
    /// Returns the number of long arms that most warps run, if it is worth a finding.
    fn taken(&self, kernel: &Kernel, analyses: &Analyses) -> Option<usize> {
        let arms = self.links.iter().map(|&(.., arm)| arm).chain([self.rest]);
        let heavy: Vec<bool> = arms.map(|arm| weight(kernel, arm) >= HEAVY).collect();
        if heavy.iter().filter(|&&heavy| heavy).count() < MANY {
            return None;
        }
        let mut counts = self.known(analyses, &heavy);
        if counts.is_empty() {
            counts = self.cycle(kernel, analyses, &heavy)?;
        }
        let many = counts.iter().filter(|&&taken| taken >= MANY).count();
        if 2 * many <= counts.len() {
            return None;
        }
        counts.into_iter().filter(|&taken| taken >= MANY).min()
    }

    /// Returns the number of long arms that each warp takes, if all conditions are known.
    fn known(&self, analyses: &Analyses, heavy: &[bool]) -> Vec<usize> {
        let mut counts = Vec::new();
        for event in analyses.trace.events_of(self.links[0].0) {
            let warps = event.active.threads.warp_count();
            for warp in (0..warps).filter(|&warp| event.active.threads.lanes_of_warp(warp) != 0) {
                if let Some(taken) = self.in_warp(analyses, event, warp, heavy) {
                    counts.push(taken);
                }
            }
        }
        counts
    }

    fn in_warp(
        &self,
        analyses: &Analyses,
        event: &Event,
        warp: usize,
        heavy: &[bool],
    ) -> Option<usize> {
        let mut left =
            are_there(&event.active).then(|| event.active.threads.lanes_of_warp(warp))?;
        let mut taken = 0;
        for (&(id, ..), &heavy) in self.links.iter().zip(heavy) {
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
        Some(taken + usize::from(left != 0 && heavy[self.links.len()]))
    }

    /// Returns the same for remainders of an index, for every start of a warp.
    fn cycle(&self, kernel: &Kernel, analyses: &Analyses, heavy: &[bool]) -> Option<Vec<usize>> {
        let shape = &analyses.trace.shape;
        let cycles = self.links.iter().map(|&(_, cond, _)| Cycle::of(kernel, shape, cond));
        let cycles: Vec<Cycle> = cycles.collect::<Option<_>>()?;
        let comes = analyses.trace.events_of(self.links[0].0).any(|event| {
            are_there(&event.active) && event.active.threads.lanes_of_warp(0) == u32::MAX
        });
        let same = cycles.iter().all(|cycle| cycle.of == cycles[0].of);
        let arm = |first, lane| {
            let found = cycles.iter().position(|cycle| cycle.is_true(first, lane));
            found.unwrap_or(cycles.len())
        };
        let counts = cycles[0].firsts().map(|first| {
            let mut arms: Vec<_> = (0..u64::from(LANES)).map(|lane| arm(first, lane)).collect();
            arms.sort_unstable();
            arms.dedup();
            arms.into_iter().filter(|&arm| heavy[arm]).count()
        });
        (comes && same).then(|| counts.collect())
    }
}
