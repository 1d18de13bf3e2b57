//! `gpu_divergent_loops`: a loop that the lanes of a warp leave after different numbers of iterations.
//!
//! ```text
//! for k in starts[row]..starts[row + 1] { .. }    // one row a thread: a warp waits for its longest row
//! ```
//! Silent about loops in which each thread runs as many iterations as the others, or one less: strides over a length. Silent about what
//! waits for other threads, such as a lock. Allowed by default: often there is no better way, or the rows are of one length.
use super::{
    Finding, Lint,
    lanes::{LANES, are_there, number},
    why,
};
use crate::{
    analysis::{
        Analyses,
        trace::{Active, Split, Threads, What},
        uniformity::{Cause, Group},
    },
    diag::Level,
    ir::{BinaryOp, Body, Builtin, InstId, Kernel, Op, Scalar, Ty},
    lint,
};

pub(super) const LINT: Lint = Lint {
    name: "gpu_divergent_loops",
    group: lint::Group::Performance,
    level: Level::Allow,
    check,
};

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for (id, inst) in kernel.insts.iter() {
        let span =
            if let Op::If { cond, .. } = inst.op { kernel.insts[cond].span } else { inst.span };
        let is_loop = matches!(inst.op, Op::For { .. }) || why::is_loop_condition(kernel, &inst.op);
        let known = found.iter().any(|found| found.span == span);
        if !is_loop || known || why::is_of_library(kernel, id) {
            continue;
        }
        // Whether threads meet in it is more than a matter of speed.
        if inst.op.bodies().any(|body| has_barrier(kernel, body)) {
            continue;
        }
        let Some(numbers) = numbers(kernel, analyses, id) else { continue };
        let warp = &analyses.uniformity.warp;
        let mut labels = why::labels(kernel, warp, warp.parting[id]);
        labels.retain(|(at, _)| *at != span);
        found.push(Finding {
            message: format!("{numbers} of this loop, and all wait for the last"),
            span,
            labels,
            notes: why::assumed(&analyses.trace.shape),
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
        matches!(op, Op::Barrier { .. } | Op::SyncGrid)
            || op.bodies().any(|inner| has_barrier(kernel, inner))
    })
}

/// How many iterations the lanes of a warp run, if the numbers differ by more than one.
fn numbers(kernel: &Kernel, analyses: &Analyses, id: InstId) -> Option<String> {
    if analyses.trace.branch(id)? == &Split::Unknown {
        let warp = &analyses.uniformity.warp;
        let even = waits(kernel, analyses, id) || strides(kernel, analyses, &kernel.insts[id].op);
        let varies = warp.parting[id].varies() && !even && is_of_data(kernel, analyses, id);
        return varies
            .then(|| "the lanes of a warp run different numbers of iterations".to_owned());
    }
    let entries = entries(analyses, id)?;
    let warps = entries.iter().flat_map(Entry::warps);
    let (mut all, mut parted, mut worst) = (0, 0, (0, 0));
    for (least, most) in warps {
        all += 1;
        parted += usize::from(most - least > 1);
        if most - least > worst.1 - worst.0 {
            worst = (least, most);
        }
    }
    (2 * parted > all).then(|| {
        let (least, most) = worst;
        format!("some lanes of a warp run {most} iterations, others {least} or fewer,")
    })
}

/// Once that a loop is run, by some threads.
struct Entry {
    threads: Threads,
    /// How many iterations each of them runs.
    runs: Vec<u32>,
}

impl Entry {
    /// The least and the most iterations of each warp.
    fn warps(&self) -> impl Iterator<Item = (u32, u32)> {
        (0..self.threads.warps()).filter_map(|warp| {
            let runs = self.threads.of_warp(warp).map(|thread| self.runs[thread]);
            Some((runs.clone().min()?, runs.max()?))
        })
    }
}

/// Each time that the loop is run; `None` if it is not known by whom and how long.
fn entries(analyses: &Analyses, id: InstId) -> Option<Vec<Entry>> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut last: Option<&Active> = None;
    for event in analyses.trace.of(id) {
        let What::Branch(Split::Known(yes)) = &event.what else { return None };
        let known = event.loops.iter().all(|(_, number)| number.is_none());
        if !known || !are_there(&event.active) {
            return None;
        }
        // Who is not there any more has left this loop, unless it was not entered by them.
        let goes_on = event.active.because == Some(id)
            || last.is_some_and(|last| last.threads == event.active.threads);
        if entries.is_empty() || !goes_on {
            let runs = vec![0; analyses.trace.shape.threads()];
            entries.push(Entry { threads: event.active.threads.clone(), runs });
        }
        if let Some(entry) = entries.last_mut() {
            for thread in yes.and(&event.active.threads).iter() {
                entry.runs[thread] += 1;
            }
        }
        last = Some(&event.active);
    }
    Some(entries)
}

/// Whether the threads of a warp begin next to each other and step by as many as they are or more, so that each runs as many
/// iterations as the others, or one less.
fn strides(kernel: &Kernel, analyses: &Analyses, op: &Op) -> bool {
    let Op::For { start, end, step, .. } = *op else { return false };
    let same = |id| analyses.trace.is_uniform(id, Group::Warp);
    let enough = number(kernel, step).is_some_and(|step| step >= LANES.into());
    enough && same(end) && is_lane(kernel, analyses, start)
}

/// Whether `id` is the lane's number, and something that is the same in the warp.
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

/// Whether what decides comes from an atomic access: from what other threads do meanwhile.
fn waits(kernel: &Kernel, analyses: &Analyses, id: InstId) -> bool {
    let source = source(analyses, id).map(|source| &kernel.insts[source].op);
    matches!(source, Some(Op::AtomicLoad { .. } | Op::Atomic { .. } | Op::CompareExchange { .. }))
}

/// Whether data decide: what is loaded, or computed as floats. Of indices that are cut off at a length, all but a few
/// threads may have as many.
fn is_of_data(kernel: &Kernel, analyses: &Analyses, id: InstId) -> bool {
    let source = source(analyses, id).map(|source| &kernel.insts[source].op);
    let floats = if let Op::If { cond, .. } = kernel.insts[id].op {
        compares_floats(kernel, cond)
    } else {
        false
    };
    floats || matches!(source, Some(Op::Load { .. }))
}

/// Where the difference between the lanes begins.
fn source(analyses: &Analyses, id: InstId) -> Option<InstId> {
    let warp = &analyses.uniformity.warp;
    match warp.chain(warp.parting[id]).pop()? {
        Cause::Value(last) => Some(last),
        Cause::Parting(_) | Cause::Source => None,
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
