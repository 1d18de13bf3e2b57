//! `gpu_divergent_loops`: a loop with different trip counts in the lanes of a warp.
//!
//! ```text
//! for k in starts[row]..starts[row + 1] { .. }    // one row a thread: a warp waits for its longest row
//! ```
//! Silent about loops in which the trip counts differ by at most one: strides over a length. Silent
//! about loops that wait for other threads, such as a lock. Allowed by default: often there is no
//! better way, or the rows have one length.
use crate::{
    analysis::{
        Analyses,
        symbolic::Split,
        trips::{self, Trips},
        uniformity::{Cause, Group},
    },
    diag::Level,
    ir::{BinaryOp, Body, Builtin, InstId, Kernel, Op, Scalar, SyncOp, Ty},
    lint::{
        Finding, Lint, LintGroup,
        lanes::{LANES, const_value},
        wording,
    },
};

pub(in crate::lint) const LINT: Lint =
    Lint { name: "gpu_divergent_loops", group: LintGroup::Performance, level: Level::Allow, check };

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for (id, inst) in kernel.insts.iter() {
        let span =
            if let Op::If { cond, .. } = inst.op { kernel.insts[cond].span } else { inst.span };
        let is_loop =
            matches!(inst.op, Op::For { .. }) || wording::is_loop_condition(kernel, &inst.op);
        let known = found.iter().any(|found| found.span == span);
        if !is_loop || known || wording::is_library_control(kernel, id) {
            continue;
        }
        // Threads that synchronize in it make it more than a matter of speed.
        if inst.op.bodies().any(|body| has_barrier(kernel, body)) {
            continue;
        }
        let Some(numbers) = trip_count_text(kernel, analyses, id) else { continue };
        let warp = &analyses.uniformity.warp;
        let mut labels = wording::cause_labels(kernel, warp, warp.divergence[id]);
        labels.retain(|(at, _)| *at != span);
        found.push(Finding {
            message: format!("{numbers} of this loop, and all wait for the last"),
            span,
            labels,
            notes: wording::assumption_notes(&analyses.trace.shape),
            help: "let the lanes of a warp share what one of them would do (`warp::lane_id()` first, in steps of \
                   32), or sort the work so that neighbours have as much of it"
                .to_owned(),
        });
    }
    found
}

fn has_barrier(kernel: &Kernel, body: &Body) -> bool {
    body.0.iter().any(|&id| {
        let op = &kernel.insts[id].op;
        matches!(op, Op::Sync(SyncOp::Barrier { .. } | SyncOp::SyncGrid | SyncOp::SyncCluster))
            || op.bodies().any(|inner| has_barrier(kernel, inner))
    })
}

/// Returns the trip counts of a warp's lanes, if they differ by more than one.
fn trip_count_text(kernel: &Kernel, analyses: &Analyses, id: InstId) -> Option<String> {
    let warps = match trips::analyze(kernel, &analyses.uniformity, &analyses.trace, id) {
        Trips::Known(warps) => warps,
        Trips::Unknown => {
            let waits = is_spin_loop(kernel, analyses, id);
            let is_strided = is_strided(kernel, analyses, &kernel.insts[id].op);
            let is_left_by_data =
                matches!(analyses.trace.worst_split(id), Some(Split::Unknown | Split::OnePerWarp));
            let varies =
                is_left_by_data && !waits && !is_strided && depends_on_data(kernel, analyses, id);
            return varies
                .then(|| "the lanes of a warp run different numbers of iterations".to_owned());
        }
        Trips::Same | Trips::OneApart | Trips::Never => return None,
    };
    let parted = warps.iter().filter(|(least, most)| most - least > 1).count();
    let (least, most) = *warps.iter().rev().max_by_key(|(least, most)| most - least)?;
    (2 * parted > warps.len())
        .then(|| format!("the lanes of a warp run {least} to {most} iterations"))
}

/// Returns true if the threads of a warp start next to each other and step by at least their
/// number, so that their trip counts differ by at most one.
fn is_strided(kernel: &Kernel, analyses: &Analyses, op: &Op) -> bool {
    let Op::For { start, end, step, .. } = *op else { return false };
    let same = |id| analyses.trace.is_uniform(id, Group::Warp);
    let enough = const_value(kernel, step).is_some_and(|step| step >= LANES.into());
    enough && same(end) && is_lane(kernel, analyses, start)
}

/// Returns true if `id` is the lane's index plus a warp-uniform value.
fn is_lane(kernel: &Kernel, analyses: &Analyses, id: InstId) -> bool {
    let op = &kernel.insts[id].op;
    if let Op::Cast { value } = *op {
        is_lane(kernel, analyses, value)
    } else if let Op::Binary { op: BinaryOp::Add, lhs, rhs } = *op {
        let same = |id| analyses.trace.is_uniform(id, Group::Warp);
        same(lhs) && is_lane(kernel, analyses, rhs) || same(rhs) && is_lane(kernel, analyses, lhs)
    } else {
        matches!(op, Op::Builtin(Builtin::LaneId))
    }
}

/// Returns true if the condition depends on an atomic access, and so on concurrent actions of other
/// threads.
fn is_spin_loop(kernel: &Kernel, analyses: &Analyses, id: InstId) -> bool {
    let source = divergence_source(analyses, id).map(|source| &kernel.insts[source].op);
    matches!(source, Some(Op::AtomicLoad { .. } | Op::Atomic { .. } | Op::CompareExchange { .. }))
}

/// Returns true if data decide: loads, or computations on floats. For indices that are cut off at a
/// length, all but a few threads may have the same trip count.
fn depends_on_data(kernel: &Kernel, analyses: &Analyses, id: InstId) -> bool {
    let source = divergence_source(analyses, id).map(|source| &kernel.insts[source].op);
    let floats = if let Op::If { cond, .. } = kernel.insts[id].op {
        compares_floats(kernel, cond)
    } else {
        false
    };
    floats || matches!(source, Some(Op::Load { .. }))
}

/// Returns the instruction at which the difference between the lanes begins.
fn divergence_source(analyses: &Analyses, id: InstId) -> Option<InstId> {
    let warp = &analyses.uniformity.warp;
    match warp.cause_chain(warp.divergence[id]).pop()? {
        Cause::Value(last) => Some(last),
        Cause::Divergence(_) | Cause::Source => None,
    }
}

fn compares_floats(kernel: &Kernel, cond: InstId) -> bool {
    let op = &kernel.insts[cond].op;
    if let Op::Compare { lhs, .. } = *op {
        let float = |scalar: Scalar| {
            matches!(scalar, Scalar::F16 | Scalar::BF16 | Scalar::F32 | Scalar::F64)
        };
        matches!(kernel.insts[lhs].ty, Ty::Scalar(scalar) if float(scalar))
    } else {
        matches!(op, Op::Binary { .. } | Op::Unary { .. })
            && op.operands().any(|operand| compares_floats(kernel, operand))
    }
}
