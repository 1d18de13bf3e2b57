//! `gpu_warp_mask_mismatches`: a warp function that a named lane does not reach, or that an unnamed
//! lane reaches.
//!
//! ```text
//! if warp::lane_id() < 16 { v = warp::shfl(v, 0); }       // without a mask all lanes are named
//! warp::reduce_add_mask(0xffff, v)                        // and lanes 16 to 31 get here, too
//! ```
//! Fires where control varies in the warp and all lanes are named; and for a known mask, also one
//! from a vote on a known condition, if an unnamed lane gets there or a named one does not. Lanes
//! that have ended are not waited for.
use crate::{
    analysis::{
        Analyses,
        symbolic::{Coverage, Event, EventKind, Split, ThreadSet},
        uniformity::Fact,
    },
    diag::Level,
    ir::{Inst, InstId, Kernel, MatrixOp, Op, Span, SyncOp},
    lint::{Finding, Lint, LintGroup, lanes::are_certain, wording},
};

pub(in crate::lint) const LINT: Lint = Lint {
    name: "gpu_warp_mask_mismatches",
    group: LintGroup::Correctness,
    level: Level::Deny,
    check,
};

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    let mut barriers: Option<Vec<Span>> = None;
    for (id, inst) in kernel.insts.iter() {
        let Some((call, mask)) = wording::warp_sync_call(&inst.op) else { continue };
        // For a library function that has barriers, too, the barrier lints report.
        let barriers = barriers.get_or_insert_with(|| {
            wording::written_barriers(kernel)
                .map(|(barrier, _)| kernel.insts[barrier].span)
                .collect()
        });
        if barriers.contains(&inst.span) || found.iter().any(|found| found.span == inst.span) {
            continue;
        }
        found.extend(match mask {
            None => check_without_mask(kernel, analyses, id, call),
            Some(_) => check_with_mask(kernel, analyses, id, call),
        });
    }
    found
}

/// Checks a function that all lanes must reach.
fn check_without_mask(
    kernel: &Kernel,
    analyses: &Analyses,
    id: InstId,
    call: &str,
) -> Option<Finding> {
    let warp = &analyses.uniformity.warp;
    let whole = |event: &Event| {
        let all = ThreadSet::all(analyses.trace.shape.thread_count());
        matches!(event.active.coverage, Coverage::All | Coverage::Warps)
            && event.active.threads.is_whole_warps_of(&all)
    };
    if !warp.control[id].varies()
        || analyses.trace.complete && analyses.trace.events_of(id).all(whole)
        || diverges_by_warps(kernel, analyses, id)
    {
        return None;
    }
    Some(Finding {
        message: format!("`{call}` is about all lanes of the warp, and not all of them come here"),
        span: kernel.insts[id].span,
        labels: wording::cause_labels(kernel, warp, warp.control[id]),
        notes: wording::assumption_notes(&analyses.trace.shape),
        help: divergence_help(kernel, id, warp.control[id]).to_owned(),
    })
}

/// Returns the remedy for lanes that `control` keeps away. An operation that each iteration needs
/// cannot be moved out of a loop.
fn divergence_help(kernel: &Kernel, id: InstId, control: Fact) -> &'static str {
    if wording::is_loop_divergence(kernel, control) {
        "let all lanes of the warp run the loop until the last of them is done, as with `while warp::any(condition)`, \
         each with its own work behind an `if condition`"
    } else if let Op::Sync(SyncOp::NamedBarrier { .. }) = kernel.insts[id].op {
        "move it out of the branch, or let the condition be the same in each warp, such as `warp::warp_id() == 0`"
    } else if let Op::Matrix(MatrixOp::Wgmma { .. } | MatrixOp::WgmmaWait { .. }) =
        kernel.insts[id].op
    {
        "move it out of the branch, or let the condition be the same in each warpgroup, such as `warp::warp_id() / 4 == 0`"
    } else if let Op::Matrix(MatrixOp::Mma { .. } | MatrixOp::DistributeRows { .. }) =
        kernel.insts[id].op
    {
        "move it out of the branch, and let lanes without elements of their own bring zeros"
    } else {
        "move it out of the branch, and let lanes without a value bring a neutral one; or use its `_mask` form with the \
         lanes that come, as a vote before the branch has them (`warp::ballot(condition)`)"
    }
}

/// Returns true if all divergence around an instruction separates whole warps: the trace knows that
/// of the conditions, or nothing makes them differ, such as a flag in shared memory.
fn diverges_by_warps(kernel: &Kernel, analyses: &Analyses, id: InstId) -> bool {
    let (trace, parting) = (&analyses.trace, &analyses.uniformity.warp.divergence);
    let parents = kernel.parents();
    let parts_warps = |event: &Event| match &event.kind {
        EventKind::Branch(Split::Known(yes)) => yes.is_whole_warps_of(&event.active.threads),
        EventKind::Branch(Split::Uniform | Split::UniformInWarps) => true,
        _ => false,
    };
    let around: Vec<InstId> =
        std::iter::successors(parents[id], |&(of, _)| parents[of]).map(|(of, _)| of).collect();
    let fine = |of: InstId| {
        let known = matches!(kernel.insts[of].op, Op::If { .. })
            && trace.events_of(of).next().is_some()
            && trace.events_of(of).all(parts_warps);
        !parting[of].varies() || known
    };
    // A thread that leaves a loop around it leaves with its warp.
    let leaves = |(id, inst): (InstId, &Inst)| match inst.op {
        Op::Break(to) | Op::Continue(to) if around.contains(&to) => {
            let up = std::iter::successors(parents[id], |&(of, _)| parents[of]);
            !up.map(|(of, _)| of).take_while(|&of| of != to).all(fine)
        }
        _ => false,
    };
    trace.complete && !kernel.insts.iter().any(leaves) && around.iter().all(|&of| fine(of))
}

/// Checks a function with a known mask.
fn check_with_mask(
    kernel: &Kernel,
    analyses: &Analyses,
    id: InstId,
    call: &str,
) -> Option<Finding> {
    let trace = &analyses.trace;
    let mut came = ThreadSet::none(trace.shape.thread_count());
    for event in trace.events_of(id) {
        came = came.union(&event.active.threads);
    }
    let mut ended = ThreadSet::none(trace.shape.thread_count());
    for event in trace.events.iter().filter(|event| matches!(event.kind, EventKind::Return)) {
        ended = ended.union(&event.active.threads);
    }
    // Under an unknown condition, the mask may be another one whenever the condition holds.
    let reached = |event: &&Event| {
        event.arms.iter().all(|&(arm, _)| trace.worst_split(arm) == Some(&Split::Guard))
    };
    let problem = trace.events_of(id).filter(reached).find_map(|event| {
        let EventKind::WarpCollective { mask: Some(mask), .. } = &event.kind else { return None };
        event.active.threads.iter().find_map(|thread| {
            let mask = mask.number_in(thread).and_then(|mask| u32::try_from(mask).ok())?;
            let named = |lane: usize| mask >> lane & 1 == 1;
            let (warp, lane) = (thread / 32, thread % 32);
            if !named(lane) && are_certain(&event.active) {
                return Some(format!(
                    "lane {lane} comes to this `{call}`, and the mask {mask:#010x} does not name it"
                ));
            }
            let missing = (0..32).filter(|&lane| named(lane)).map(|lane| (lane, 32 * warp + lane));
            let mut missing = missing.filter(|&(_, other)| {
                other < trace.shape.thread_count()
                    && !came.contains(other)
                    && !ended.contains(other)
            });
            let (lane, _) =
                missing.next().filter(|_| trace.complete && are_certain(&event.active))?;
            Some(format!(
                "the mask {mask:#010x} names lane {lane}, which does not come to this `{call}`"
            ))
        })
    })?;
    let warp = &analyses.uniformity.warp;
    Some(Finding {
        message: problem,
        span: kernel.insts[id].span,
        labels: wording::cause_labels(kernel, warp, warp.control[id]),
        notes: wording::assumption_notes(&trace.shape),
        help: "name the lanes that come here, and no others: as a vote before the branch has them \
               (`warp::ballot(condition)`)"
            .to_owned(),
    })
}
