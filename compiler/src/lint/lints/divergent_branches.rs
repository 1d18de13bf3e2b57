//! `gpu_divergent_branches`: a branch at which the lanes of most warps diverge, with two long arms.
//!
//! ```text
//! if thread_idx_x() % 2 == 0 { long } else { longer }    // every warp runs both, with 16 of 32 lanes each
//! ```
//! A warp runs the two arms one after the other, each with the lanes that take it. Fires where that
//! is proved for more than half of the warps, and both arms are too large for
//! [predication](crate::analysis::predication). An `if` without an `else` wastes lanes as well,
//! also under a predicate: it fires if its body has a loop, or if it is in a loop whose iterations
//! take fewer and fewer lanes, in more warps than they would fill, and on average less than half of
//! a warp enters.
//!
//! Silent about guards, about lanes that exchange values among themselves, about conditions that
//! are uniform in each warp, about one lane that works for its warp, and about conditions on data.
use super::divergent_matches;
use crate::{
    analysis::{Analyses, uniformity::Cause},
    diag::Level,
    ir::{Body, Builtin, InstId, Kernel, Op},
    lint::{
        Finding, Lint, LintGroup,
        lanes::{LANES, WarpDivergence, range_text},
        weight::{self, MIN_BRANCH_WEIGHT, body_weight},
        wording,
    },
};

pub(in crate::lint) const LINT: Lint = Lint {
    name: "gpu_divergent_branches",
    group: LintGroup::Performance,
    level: Level::Warn,
    check,
};

/// The minimum weight of the body of an `if` in a loop.
const MIN_WEIGHT_IN_LOOP: u32 = MIN_BRANCH_WEIGHT / 2;

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let of_matches = divergent_matches::reported_branches(kernel, analyses);
    let mut found: Vec<Finding> = Vec::new();
    for (id, inst) in kernel.insts.iter() {
        let Op::If { cond, then, other } = &inst.op else { continue };
        // The lint of matches reports a `match` as a whole.
        if of_matches.contains(&id) || wording::is_library_control(kernel, id) {
            continue;
        }
        let span = kernel.insts[*cond].span;
        if found.iter().any(|found| found.span == span) {
            continue;
        }
        found.extend(check_branch(kernel, analyses, id, *cond, [then, other]));
    }
    found
}

fn check_branch(
    kernel: &Kernel,
    analyses: &Analyses,
    id: InstId,
    cond: InstId,
    arms: [&Body; 2],
) -> Option<Finding> {
    let weights = arms.map(|arm| body_weight(kernel, arm));
    // Lanes that exchange values among themselves have diverged on purpose.
    let meet = arms.iter().any(|arm| weight::has_warp_sync(kernel, arm));
    if meet || weights.iter().all(|&weight| weight < MIN_WEIGHT_IN_LOOP) {
        return None;
    }
    let parting = WarpDivergence::for_condition(kernel, analyses, id, cond);
    if !parting.affects_most_warps() {
        return None;
    }
    let (all, yes, no) = (parting.lanes_active(), parting.lanes_true(), parting.lanes_false());
    let message = if weights.iter().all(|&weight| weight >= MIN_BRANCH_WEIGHT) {
        if is_branchless(kernel, analyses, id) {
            return None;
        }
        let sides = match (range_text(&yes), range_text(&no)) {
            (yes, no) if yes == no => format!("{yes} of {all} lanes take each side"),
            (yes, no) => format!("{yes} of {all} lanes take one side, {no} the other"),
        };
        format!("this branch splits {}: {sides}", parting.warps_text())
    } else {
        let (arm, go) = if weights[0] >= weights[1] { (0, &yes) } else { (1, &no) };
        if !is_wasteful(kernel, &parting, arms[arm], weights[arm], arm == 0) {
            return None;
        }
        let go = range_text(go);
        format!(
            "this branch splits {}: {go} of {all} lanes go in, and the others wait",
            parting.warps_text()
        )
    };
    let span = kernel.insts[cond].span;
    let warp = &analyses.uniformity.warp;
    let mut labels = wording::cause_labels(kernel, warp, warp.divergence[id]);
    labels.retain(|(at, _)| *at != span);
    let notes = wording::assumption_notes(&analyses.trace.shape);
    Some(Finding {
        message,
        span,
        labels,
        notes,
        help: divergence_help(kernel, analyses, id, &parting),
    })
}

/// Returns true if the optimized kernel has no branch for the `if` numbered `id`: it selects, or
/// runs under a predicate.
fn is_branchless(kernel: &Kernel, analyses: &Analyses, id: InstId) -> bool {
    let span = kernel.insts[id].span;
    let running = analyses.optimized_code(kernel);
    running.is_some_and(|running| running.machine_branches_at(span).next().is_none())
}

/// Returns true if entering `arm` alone leaves more than half of a warp idle, for long or
/// repeatedly.
fn is_wasteful(
    kernel: &Kernel,
    parting: &WarpDivergence,
    arm: &Body,
    weight: u32,
    is_then: bool,
) -> bool {
    let go = |&(lanes, yes): &(u32, u32)| if is_then { yes } else { lanes - yes };
    let sum: u32 = parting.lanes.iter().map(go).sum();
    let count = u32::try_from(parting.lanes.len()).unwrap_or(u32::MAX);
    let most = parting.lanes.iter().map(go).max().unwrap_or(0);
    let in_fewer = parting.changes && (!is_then || parting.is_spread);
    let is_long = weight::has_loop(kernel, arm) || in_fewer && weight >= MIN_WEIGHT_IN_LOOP;
    // A lane that works for its warp is alone every time.
    is_long && most > 1 && sum * 2 < count * LANES
}

/// Returns the remedy, with numbers if they are known.
fn divergence_help(
    kernel: &Kernel,
    analyses: &Analyses,
    id: InstId,
    parting: &WarpDivergence,
) -> String {
    let shape = analyses.trace.shape;
    let Some((name, by_warp)) = divergence_source(kernel, analyses, id) else {
        return "let whole warps take the same side: a condition on the number of the warp, or on values that its \
                lanes share"
            .to_owned();
    };
    let warps = shape.warp_count();
    let taken = parting
        .true_threads
        .as_ref()
        .filter(|_| !parting.changes && shape.dims[1] * shape.dims[2] == 1);
    let taken = taken.map(|yes| (0..warps).filter(|&warp| yes.contains(warp)).count());
    match taken {
        Some(taken) if 0 < taken && taken < warps => format!(
            "let whole warps take the same side: with `{by_warp}` in place of `{name}`, {taken} of {warps} \
             warps take one side and {} the other",
            warps - taken
        ),
        Some(_) | None if parting.changes => format!(
            "let the threads that have something to do be neighbours: compare `{name}` with how many they \
             are, and compute from it which elements each of them takes"
        ),
        Some(_) | None => format!(
            "let whole warps take the same side: a condition on `{by_warp}` in place of `{name}`"
        ),
    }
}

/// Returns the source of the difference between lanes, and a warp-uniform replacement.
fn divergence_source(kernel: &Kernel, analyses: &Analyses, id: InstId) -> Option<(String, String)> {
    let warp = &analyses.uniformity.warp;
    let Some(Cause::Value(last)) = warp.cause_chain(warp.divergence[id]).pop() else { return None };
    let Op::Builtin(builtin) = kernel.insts[last].op else { return None };
    let name = wording::builtin_call(builtin);
    let by_warp = match builtin {
        Builtin::LaneId | Builtin::LaneMask(_) => wording::builtin_call(Builtin::WarpId),
        Builtin::ThreadIdx(_)
        | Builtin::BlockIdx(_)
        | Builtin::BlockDim(_)
        | Builtin::GridDim(_)
        | Builtin::GlobalIdx(_)
        | Builtin::WarpId
        | Builtin::CoarseningFactor => format!("{name} / {LANES}"),
    };
    Some((name, by_warp))
}
