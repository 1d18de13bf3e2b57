//! `gpu_out_of_bounds_shared`: an index of a shared array that is too large in some threads, in
//! every launch.
//!
//! ```text
//! let cells = shared!([f32; 64]);
//! let v = cells[t + 1];    // of 64 threads the last has index 64
//! ```
//! The thread ends with a fault, and the launch fails. Fires where index and length are numbers in
//! each thread that gets there, also under a condition on launch arguments. Silent if only an
//! unknown part of the threads gets there, under a guard on the thread's index alone (`t < n`: a
//! launch with a small `n` is correct), and in iterations of a loop that may be left before.
use crate::{
    analysis::{
        Analyses,
        symbolic::{Coverage, Event, EventKind, PerThread, Split, ThreadSet, Trace},
    },
    diag::Level,
    hardware::occupancy::MULTIPROCESSORS,
    ir::{Body, InstId, Kernel, Length, Op, Root},
    lint::{Finding, Lint, LintGroup, access},
};

pub(in crate::lint) const LINT: Lint = Lint {
    name: "gpu_out_of_bounds_shared",
    group: LintGroup::Correctness,
    level: Level::Deny,
    check,
};

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let trace = &analyses.trace;
    let mut found = Vec::new();
    for event in &trace.events {
        let EventKind::OutOfBounds { index, is_least, len, threads } = &event.kind else {
            continue;
        };
        let Some(root @ Some(Root::Shared(_))) = indexed_root(kernel, event.inst) else { continue };
        let comes = match event.active.coverage {
            Coverage::All | Coverage::Guarded => !event.active.launch_dependent,
            Coverage::Warps | Coverage::Some | Coverage::One => false,
        };
        if comes && is_sure(kernel, trace, event) {
            let reached = ExcessIndex { index, is_least: *is_least, len: *len, threads };
            let finding = finding(kernel, analyses, event, root, &reached);
            found.push((0, finding));
        }
    }
    access::keep_weightiest(found)
}

/// Returns the object that is indexed by the result of `bounds`.
fn indexed_root(kernel: &Kernel, bounds: InstId) -> Option<Option<Root>> {
    kernel.insts.iter().find_map(|(ptr, inst)| {
        let Op::Index { index, .. } = inst.op else { return None };
        (index == bounds).then(|| kernel.root(ptr))
    })
}

/// An index that is not below a length.
struct ExcessIndex<'a> {
    index: &'a PerThread,
    /// True if the index may be larger.
    is_least: bool,
    len: i64,
    /// The threads in which it is too large.
    threads: &'a ThreadSet,
}

fn finding(
    kernel: &Kernel,
    analyses: &Analyses,
    event: &Event,
    root: Option<Root>,
    &ExcessIndex { index, is_least, len, threads }: &ExcessIndex<'_>,
) -> Finding {
    let array = access::quoted_root(kernel, root);
    let worst = threads.iter().max_by_key(|&thread| index.number_in(thread)).unwrap_or(0);
    let reached = index.number_in(worst);
    let all = event.active.threads.count();
    let note = match threads.count() {
        count if count == all => "in every thread that comes here".to_owned(),
        count => {
            format!(
                "in {count} of the {all} threads that come here, as in the one numbered {worst}"
            )
        }
    };
    let notes =
        [note].into_iter().chain(access::assumed_shape_note(&analyses.trace.shape)).collect();
    Finding {
        message: format!(
            "this index of {array} reaches {}{reached}, where there are {len} elements",
            if is_least { "at least " } else { "" }
        ),
        span: kernel.insts[event.inst].span,
        labels: Vec::new(),
        notes,
        help: index_help(kernel, event.inst, root, (!is_least).then_some(reached), len),
    }
}

/// Returns the remedy for an index of at most `reached`, if that is known, into `len` elements. It
/// suggests a longer array only if a block can have it.
fn index_help(
    kernel: &Kernel,
    bounds: InstId,
    root: Option<Root>,
    reached: Option<i64>,
    len: i64,
) -> String {
    let keep = format!("keep the index below {len}, as by a condition around the access");
    let bytes = match root {
        Some(Root::Shared(array)) => match &kernel.shared[array].len {
            Length::Fixed(all) => all.known().zip(kernel.shared[array].elem.size()),
            Length::Launch(_) => None,
        },
        Some(Root::Param(_) | Root::Array(_)) | None => None,
    };
    let most = MULTIPROCESSORS.iter().map(|row| row.block_shared).max().unwrap_or(0);
    let grown = |(all, size): (u64, u64)| {
        let len = u64::try_from(len).ok()?;
        let wanted = u64::try_from(reached?).ok()?.checked_add(1)?;
        let bytes = all.checked_div(len)?.checked_mul(wanted)?.checked_mul(size)?;
        (bytes <= most).then_some(wanted)
    };
    match bytes.and_then(grown) {
        // No thread writes to the elements that are added.
        Some(wanted) if is_read(kernel, bounds) => {
            format!(
                "{keep}; or give this dimension {wanted} elements, and write to each that is read"
            )
        }
        Some(wanted) => format!("{keep}; or give this dimension {wanted} elements"),
        None => keep,
    }
}

/// Returns true if the element that `bounds` checks the index of is read.
fn is_read(kernel: &Kernel, bounds: InstId) -> bool {
    let is_in = |ptr: InstId| {
        let up = std::iter::successors(Some(ptr), |&ptr| match kernel.insts[ptr].op {
            Op::Index { base, .. } | Op::Offset { base, .. } => Some(base),
            _ => None,
        });
        up.into_iter()
            .any(|ptr| matches!(kernel.insts[ptr].op, Op::Index { index, .. } if index == bounds))
    };
    kernel.insts.iter().any(|(_, inst)| matches!(inst.op, Op::Load { ptr, .. } if is_in(ptr)))
}

/// Returns true if a thread that reaches the loops around an event reaches the event in each of
/// their iterations: no unknown condition in them decides it.
fn is_sure(kernel: &Kernel, trace: &Trace, event: &Event) -> bool {
    let is_known = |branch: InstId| {
        trace
            .events_of(branch)
            .all(|event| matches!(event.kind, EventKind::Branch(Split::Known(_))))
    };
    let Some(&(outermost, _)) = event.loops.first() else { return true };
    let mut deciding = Vec::new();
    for body in kernel.insts[outermost].op.bodies() {
        collect_exits(kernel, body, &mut Vec::new(), &mut deciding);
    }
    deciding.extend(event.arms.iter().map(|(arm, _)| *arm).filter(|&arm| arm > outermost));
    deciding.into_iter().all(is_known)
}

/// Collects the `if`s of `body` in which control leaves a loop, a block or the kernel.
fn collect_exits(kernel: &Kernel, body: &Body, around: &mut Vec<InstId>, found: &mut Vec<InstId>) {
    for &id in &body.0 {
        let op = &kernel.insts[id].op;
        if op.is_exit() {
            found.extend(around.iter().copied());
        }
        let is_branch = matches!(op, Op::If { .. });
        if is_branch {
            around.push(id);
        }
        op.bodies().for_each(|inner| self::collect_exits(kernel, inner, around, found));
        if is_branch {
            around.pop();
        }
    }
}
