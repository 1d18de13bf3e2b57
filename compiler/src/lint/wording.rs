//! Wording of findings: labels from chains of causes, notes about assumptions, and the calls of
//! barriers and warp functions as the user wrote them.
//!
//! A chain of causes becomes one label for each link that the user can see in the source, from the
//! effect to the origin of the difference.
use crate::{
    analysis::{
        Analyses,
        symbolic::{Coverage, Event, Shape},
        uniformity::{Cause, Fact, Varying},
    },
    ir::{
        Axis, BarrierOp, Body, Builtin, Inst, InstId, Kernel, MatchOp, MatrixOp, Op, ReduceOp,
        Root, ShuffleOp, Span, SyncOp, VoteOp, WarpOp,
    },
};
use std::mem::discriminant;

/// Returns the barriers of `kernel`, each as it is written in the source.
pub(crate) fn written_barriers(kernel: &Kernel) -> impl Iterator<Item = (InstId, &'static str)> {
    kernel.insts.iter().filter_map(|(id, inst)| {
        if let Op::Sync(SyncOp::SyncGrid) = inst.op {
            return Some((id, "grid::sync()"));
        }
        if let Op::Sync(SyncOp::SyncCluster) = inst.op {
            return Some((id, "cluster::sync()"));
        }
        let Op::Sync(SyncOp::Barrier { reduce }) = inst.op else { return None };
        let call = match reduce.map(|(op, _)| op) {
            None => "sync_threads()",
            Some(BarrierOp::Count) => "sync_threads_count(..)",
            Some(BarrierOp::And) => "sync_threads_and(..)",
            Some(BarrierOp::Or) => "sync_threads_or(..)",
        };
        Some((id, call))
    })
}

/// Returns a function that synchronizes the lanes of a warp, as it is written in the source, and
/// its mask.
pub(crate) fn warp_sync_call(op: &Op) -> Option<(&'static str, Option<InstId>)> {
    if let Op::Sync(SyncOp::SyncWarp { mask }) = *op {
        Some(("sync_warp()", mask))
    } else if let Op::Sync(SyncOp::NamedBarrier { waits, .. }) = *op {
        let call = if waits { "named_barrier::sync()" } else { "named_barrier::arrive()" };
        Some((call, None))
    } else if let Op::Warp(WarpOp::Shuffle { op, mask, .. }) = *op {
        let call = match op {
            ShuffleOp::Index => "warp::shfl(..)",
            ShuffleOp::Up => "warp::shfl_up(..)",
            ShuffleOp::Down => "warp::shfl_down(..)",
            ShuffleOp::Xor => "warp::shfl_xor(..)",
        };
        Some((call, mask))
    } else if let Op::Warp(WarpOp::Vote { op, mask, .. }) = *op {
        let call = match op {
            VoteOp::All => "warp::all(..)",
            VoteOp::Any => "warp::any(..)",
            VoteOp::Ballot => "warp::ballot(..)",
        };
        Some((call, mask))
    } else if let Op::Warp(WarpOp::Match { op, mask, .. }) = *op {
        let call = match op {
            MatchOp::Any => "warp::match_any(..)",
            MatchOp::All => "warp::match_all(..)",
        };
        Some((call, mask))
    } else if let Op::Warp(WarpOp::Reduce { op, mask, .. }) = *op {
        let call = match op {
            ReduceOp::Add => "warp::reduce_add(..)",
            ReduceOp::Min => "warp::reduce_min(..)",
            ReduceOp::Max => "warp::reduce_max(..)",
            ReduceOp::And => "warp::reduce_and(..)",
            ReduceOp::Or => "warp::reduce_or(..)",
            ReduceOp::Xor => "warp::reduce_xor(..)",
        };
        Some((call, mask))
    } else if let Op::Matrix(MatrixOp::Mma { .. }) = op {
        Some(("multiply_add(..)", None))
    } else if let Op::Matrix(MatrixOp::Wgmma { .. }) = op {
        Some(("multiply_add(..)", None))
    } else if let Op::Matrix(MatrixOp::WgmmaWait { .. }) = op {
        Some(("finish()", None))
    } else if let Op::Matrix(MatrixOp::DistributeRows { .. }) = op {
        Some(("load_matrix(..)", None))
    } else {
        None
    }
}

/// Returns true if the `if` or `for` `id` belongs to a library function, all of whose spans are
/// that of its call.
pub(super) fn is_library_control(kernel: &Kernel, id: InstId) -> bool {
    let inst = &kernel.insts[id];
    let mut operands = inst.op.operands();
    operands.all(|operand| kernel.insts[operand].span == inst.span)
}

/// Returns true if a barrier belongs to a library function, which has other instructions with the
/// span of its call. Only barriers have the span of a barrier that an unrolled loop repeats.
pub(super) fn is_library_barrier(kernel: &Kernel, barrier: InstId) -> bool {
    let Inst { op, span, .. } = &kernel.insts[barrier];
    let is_other = |inst: &Inst| discriminant(&inst.op) != discriminant(op) && inst.span == *span;
    kernel.insts.iter().any(|(_, inst)| is_other(inst))
}

/// Returns the words for a barrier: `written`, or those for a call of the library that waits at it.
/// The name of the latter is at its place in the source.
pub(super) fn barrier_words(kernel: &Kernel, barrier: InstId, written: String) -> String {
    if is_library_barrier(kernel, barrier) {
        "this call, which waits for the whole block".to_owned()
    } else {
        written
    }
}

/// Returns true if every thread of a block reaches `barrier`, as far as a block of the declared
/// shape shows.
pub(crate) fn all_threads_reach(analyses: &Analyses, barrier: InstId) -> bool {
    let trace = &analyses.trace;
    let whole = |event: &Event| {
        event.active.coverage == Coverage::All
            && event.active.threads.count() == trace.shape.thread_count()
    };
    trace.shape.declared && trace.complete && trace.events_of(barrier).all(whole)
}

/// Returns the note of a finding that rests on an assumed block, if it does.
pub(crate) fn assumption_notes(shape: &Shape) -> Vec<String> {
    let dims = match shape.dims {
        [x, 1, 1] => x.to_string(),
        [x, y, 1] => format!("{x} x {y}"),
        [x, y, z] => format!("{x} x {y} x {z}"),
    };
    let note = || {
        format!(
            "assuming blocks of {dims} threads; declare `#[kernel(block = ..)]` for exact results"
        )
    };
    (!shape.declared).then(note).into_iter().collect()
}

/// Returns true if control varies because the trip counts of a loop differ.
pub(super) fn is_loop_divergence(kernel: &Kernel, control: Fact) -> bool {
    let Some(Cause::Divergence(id)) = control.cause() else { return false };
    let op = &kernel.insts[id].op;
    if let Op::Break(target) = op {
        !is_block(kernel, *target)
    } else {
        matches!(op, Op::For { .. }) || is_loop_condition(kernel, op)
    }
}

/// Returns true for the `if` of a `while`: one arm only leaves a loop.
pub(crate) fn is_loop_condition(kernel: &Kernel, op: &Op) -> bool {
    let leaves = |arm: &Body| {
        let [only] = arm.0[..] else { return false };
        matches!(kernel.insts[only].op, Op::Break(target) if !is_block(kernel, target))
    };
    matches!(op, Op::If { then, other, .. } if leaves(then) || leaves(other))
}

/// Returns labels that explain why `fact`, one of `varying` among the threads of a block, is not
/// uniform.
pub(crate) fn cause_labels(kernel: &Kernel, varying: &Varying, fact: Fact) -> Vec<(Span, String)> {
    let chain = varying.cause_chain(fact);
    let links = chain.iter().enumerate().filter_map(|(i, &link)| match link {
        Cause::Divergence(id) => divergence_label(kernel, varying, id),
        Cause::Value(id) if i + 1 == chain.len() => {
            Some((kernel.insts[id].span, describe_source(kernel, id)))
        }
        Cause::Value(id) => set_label(kernel, varying, id),
        Cause::Source => None,
    });
    let mut labels: Vec<_> = links.collect();
    labels.dedup();
    labels
}

/// Returns a label for the divergence at `id`, placed at its condition or bound, if it has one.
fn divergence_label(kernel: &Kernel, varying: &Varying, id: InstId) -> Option<(Span, String)> {
    let inst = &kernel.insts[id];
    let value = match varying.divergence[id].cause() {
        Some(Cause::Value(value)) => value,
        Some(Cause::Divergence(_) | Cause::Source) | None => id,
    };
    let text = if is_loop_condition(kernel, &inst.op) {
        "the number of iterations depends on this condition"
    } else if let Op::If { .. } = inst.op {
        "control flow depends on this condition"
    } else if let Op::For { .. } = inst.op {
        "the number of iterations depends on this value"
    } else if let Op::Break(target) = inst.op {
        if is_block(kernel, target) {
            "some threads leave the block here"
        } else {
            "some threads leave the loop here"
        }
    } else if let Op::Continue(_) = inst.op {
        "some threads skip the rest of the iteration here"
    } else if let Op::Return = inst.op {
        "some threads return here"
    } else {
        return None;
    };
    Some((kernel.insts[value].span, text.to_owned()))
}

fn is_block(kernel: &Kernel, id: InstId) -> bool {
    matches!(kernel.insts[id].op, Op::Block { .. })
}

/// Returns a label for the `set` of a named variable that makes a value differ.
fn set_label(kernel: &Kernel, varying: &Varying, id: InstId) -> Option<(Span, String)> {
    let inst = &kernel.insts[id];
    let Op::Set { local, .. } = inst.op else { return None };
    let name = &kernel.locals[local].name;
    if name.is_empty() {
        return None;
    }
    let text = match varying.value[id].cause()? {
        Cause::Divergence(_) => format!("`{name}` is set here by some threads only"),
        Cause::Value(_) | Cause::Source => {
            format!("`{name}` is set to a different value by each thread here")
        }
    };
    Some((inst.span, text))
}

/// Describes `id`, at which a difference begins.
fn describe_source(kernel: &Kernel, id: InstId) -> String {
    let inst = &kernel.insts[id];
    if let Op::Builtin(builtin) = inst.op {
        format!("`{}` differs between the threads of a block", builtin_call(builtin))
    } else if let Op::Load { ptr, .. } | Op::AtomicLoad { ptr, .. } = inst.op {
        format!(
            "{} may differ between the threads of a block",
            name_place(kernel, ptr, "what is read from")
        )
    } else if let Op::Atomic { ptr, .. } | Op::CompareExchange { ptr, .. } = inst.op {
        format!(
            "{} differs between the threads of a block",
            name_place(kernel, ptr, "the result of this atomic update of")
        )
    } else if let Op::Warp(WarpOp::ActiveMask) = inst.op {
        "`warp::active_mask()` may differ between the threads of a block".to_owned()
    } else {
        "this differs between the threads of a block".to_owned()
    }
}

/// Returns `what`, and the name of the object that `ptr` points into.
fn name_place(kernel: &Kernel, ptr: InstId, what: &str) -> String {
    let name = match kernel.root(ptr) {
        Some(Root::Param(param)) => &kernel.params[param].name,
        Some(Root::Shared(shared)) => &kernel.shared[shared].name,
        Some(Root::Array(array)) => &kernel.arrays[array].name,
        None => return format!("{what} memory"),
    };
    // The elements of a pattern, for instance, are in an array that has none.
    if name.is_empty() { format!("{what} an array") } else { format!("{what} `{name}`") }
}

/// Returns a builtin as it is written in the source.
pub(super) fn builtin_call(builtin: Builtin) -> String {
    let (name, axis) = match builtin {
        Builtin::ThreadIdx(axis) => ("thread_idx", axis),
        Builtin::BlockIdx(axis) => ("block_idx", axis),
        Builtin::BlockDim(axis) => ("block_dim", axis),
        Builtin::GridDim(axis) => ("grid_dim", axis),
        Builtin::GlobalIdx(axis) => ("global_idx", axis),
        Builtin::LaneId => return "warp::lane_id()".to_owned(),
        Builtin::WarpId => return "warp::warp_id()".to_owned(),
        Builtin::LaneMask(mask) => return format!("warp::{}()", mask.name()),
        Builtin::CoarseningFactor => return "coarsening_factor".to_owned(),
    };
    match axis {
        Axis::X => format!("{name}_x()"),
        Axis::Y => format!("{name}_y()"),
        Axis::Z => format!("{name}_z()"),
    }
}
