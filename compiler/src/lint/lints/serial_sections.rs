//! `gpu_serial_sections`: a long loop that one thread runs for the others.
//!
//! ```text
//! if thread_idx_x() == 0 { for k in 0..256 { sum += tile[k]; } }    // 255 of 256 threads wait
//! ```
//! Fires where one thread of the block, or one lane of each warp, runs 32 iterations or more, or a
//! number that only the launch knows. Silent about short loops, about loops that wait for other
//! threads by atomic accesses, named barriers or mbarriers, about loops that begin bulk copies, and
//! about loops that read the thread's own arrays, which no other thread can. `x.iter().nth(n)` is a
//! loop that its first iteration leaves.
use crate::{
    analysis::{
        Analyses,
        symbolic::{ActiveThreads, Coverage, Event, EventKind, Split},
    },
    diag::Level,
    ir::{Body, CopyOp, InstId, Kernel, Op, Space},
    lint::{Finding, Lint, LintGroup, lanes::const_value, wording},
};

pub(in crate::lint) const LINT: Lint =
    Lint { name: "gpu_serial_sections", group: LintGroup::Performance, level: Level::Warn, check };

/// The smallest trip count worth a finding: as many iterations as a warp could share.
const MIN_ITERATIONS: usize = 32;

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let threads = analyses.trace.shape.thread_count();
    let mut found: Vec<Finding> = Vec::new();
    if threads < 2 * MIN_ITERATIONS {
        return found;
    }
    for (id, inst) in kernel.insts.iter() {
        let (Op::For { body, .. } | Op::Loop { body }) = &inst.op else { continue };
        if is_unshareable(kernel, body) || leaves_at_once(kernel, id, body) {
            continue;
        }
        let Some((because, who)) = single_thread_condition(kernel, analyses, id, body) else {
            continue;
        };
        let Op::If { cond, .. } = kernel.insts[because].op else { continue };
        if wording::is_library_control(kernel, because) {
            continue;
        }
        let Some(iterations) = trip_count_text(kernel, analyses, id) else { continue };
        let span = kernel.insts[cond].span;
        if found.iter().any(|found| found.span == span) {
            continue;
        }
        found.push(Finding {
            message: format!("{who} runs {iterations}, and the others wait"),
            span,
            labels: vec![(inst.span, "this is the loop".to_owned())],
            notes: wording::assumption_notes(&analyses.trace.shape),
            help: "let all threads share the iterations: each begins with its own number, and goes on in steps of \
                   the number of threads; then combine their results, for example by `block::reduce_add(..)`"
                .to_owned(),
        });
    }
    found
}

/// Returns the condition under which one thread of the block, or of each warp, runs loop `id`.
fn single_thread_condition(
    kernel: &Kernel,
    analyses: &Analyses,
    id: InstId,
    body: &Body,
) -> Option<(InstId, String)> {
    let threads = analyses.trace.shape.thread_count();
    let mut events = loop_events(kernel, analyses, id, body).peekable();
    let because = events.peek()?.active.cause?;
    let mut who = format!("one thread of {threads}");
    for event in events {
        match is_alone_in_block(&event.active) {
            Some(true) => {}
            Some(false) => "one lane of each warp".clone_into(&mut who),
            None => return None,
        }
    }
    Some((because, who))
}

/// Returns the events of the condition of loop `id`: its own, or those in its body.
fn loop_events<'a>(
    kernel: &'a Kernel,
    analyses: &'a Analyses,
    id: InstId,
    body: &'a Body,
) -> impl Iterator<Item = &'a Event> {
    let inside = body.0.iter().copied();
    let inside = inside.filter(|&id| wording::is_loop_condition(kernel, &kernel.insts[id].op));
    let events = std::iter::once(id).chain(inside).flat_map(|id| analyses.trace.events_of(id));
    events.filter(|event| matches!(event.kind, EventKind::Branch(_)))
}

/// Returns true if one thread of the block is active, false if one of each warp.
fn is_alone_in_block(active: &ActiveThreads) -> Option<bool> {
    match active.coverage {
        Coverage::One => return Some(true),
        Coverage::Some => return None,
        Coverage::All | Coverage::Guarded | Coverage::Warps => {}
    }
    let most = (0..active.threads.warp_count())
        .map(|warp| active.threads.lanes_of_warp(warp).count_ones())
        .max();
    match (active.threads.count(), most) {
        (1, _) => Some(true),
        (_, Some(1)) => Some(false),
        (_, Some(_) | None) => None,
    }
}

/// Returns the trip count of loop `id`, if it is worth a finding.
fn trip_count_text(kernel: &Kernel, analyses: &Analyses, id: InstId) -> Option<String> {
    if let Some(number) = const_trip_count(kernel, id) {
        return (number >= MIN_ITERATIONS as u64).then(|| format!("{number} iterations of a loop"));
    }
    let mut numbers = analyses.trace.events.iter().flat_map(|event| &event.loops);
    let (_, number) = numbers.find(|(of, _)| *of == id)?;
    match number {
        None => {
            let goes_on = |event: &&Event| match &event.kind {
                EventKind::Branch(Split::Known(yes)) => !yes.is_empty(),
                what => matches!(what, EventKind::Branch(_)),
            };
            let runs = analyses.trace.events_of(id).filter(goes_on).count();
            (runs >= MIN_ITERATIONS).then(|| format!("{runs} iterations of a loop"))
        }
        Some(number) => {
            let most = analyses.trace.symbols[*number].range.max;
            (most >= MIN_ITERATIONS as i128)
                .then(|| "a loop whose length only the launch knows".to_owned())
        }
    }
}

/// Returns the trip count of a `for` over constants.
fn const_trip_count(kernel: &Kernel, id: InstId) -> Option<u64> {
    let Op::For { start, end, step, inclusive, .. } = kernel.insts[id].op else { return None };
    let [start, end, step] = [start, end, step].map(|id| const_value(kernel, id));
    let last = end?.checked_add(inclusive.into())?;
    last.checked_sub(start?)?.div_ceil(step?.max(1)).into()
}

/// Returns true if threads cannot share a loop, or need not: it waits for others, begins copies for
/// all of them, runs inline PTX, or reads arrays of the thread's own.
fn is_unshareable(kernel: &Kernel, body: &Body) -> bool {
    body.0.iter().any(|&id| match &kernel.insts[id].op {
        Op::AtomicLoad { .. } | Op::Atomic { .. } | Op::CompareExchange { .. } => true,
        Op::Copy(
            CopyOp::BulkCopy { .. }
            | CopyOp::BulkStore { .. }
            | CopyOp::TensorCopy { .. }
            | CopyOp::TensorStore { .. },
        )
        | Op::Ptx { .. } => true,
        op if op.is_partial_barrier() => true,
        Op::Load { ptr, .. } => kernel.space(*ptr) == Some(Space::Local),
        op => op.bodies().any(|inner| is_unshareable(kernel, inner)),
    })
}

/// Returns true if the first iteration of loop `id` leaves it.
fn leaves_at_once(kernel: &Kernel, id: InstId, body: &Body) -> bool {
    let leaves = |&of: &InstId| match kernel.insts[of].op {
        Op::Continue(to) => to != id,
        ref op => op.is_exit(),
    };
    body.0.iter().any(leaves) && !has_continue(kernel, id, body)
}

/// Returns true if `body` has a `continue` of loop `id`.
fn has_continue(kernel: &Kernel, id: InstId, body: &Body) -> bool {
    body.0.iter().any(|&of| match kernel.insts[of].op {
        Op::Continue(to) => to == id,
        ref op => op.bodies().any(|inner| has_continue(kernel, id, inner)),
    })
}
