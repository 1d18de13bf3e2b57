//! Conversion of counted loops to `for`: loops that were written as
//! `while i < n { …; i += step; }`.
//!
//! The counter of a `for` advances in a known way, so that it can be [affine](super::affine) where
//! a local would be a register of lanes. A loop is counted if it begins by comparing a local with a
//! loop-invariant value, ends by adding a loop-invariant value to the local, and nothing else sets
//! the local. The sum must never wrap, because a `for` ends there. Constants, parameters and
//! lengths are loop-invariant wherever they stand, also in the loop.
//!
//! Counters and checks must not reveal the conversion. A loop that lanes leave one after the other
//! stays as it is if lanes synchronize in it, or if the remaining lanes may spin until another
//! thread writes: lanes that have left may then continue alone. With checks, a loop also stays as
//! it is if its start, end or step may be undefined. A loop that is counted as written and has no
//! other exit ([`runs_to_completion`]) never spins, whatever it reads, neither as a loop nor as a
//! `for`. Where all loops with reads are such loops, lanes that have left always wait for the
//! others.
//!
//! If the local is also read outside of the loop, as in `while i < n && !found(i) { i += 1 }` with
//! `i` used after it, the conversion sets it to its final value before the loop, and to the counter
//! at each earlier exit. It does so where the counter is the same for all lanes and advances by 1;
//! lanes with counters of their own gain nothing by it.
use super::{
    affine::contains_sync,
    guards::make_guards,
    read_cost,
    rewritten::{Head, Rewritten},
    uniformity::Uniformity,
};
use crate::{bytecode::SPIN_ITERATION_COST, translate::Instrumentation};
use warpwise_compiler::{
    analysis::range,
    id::{Facts, Table},
    ir::{BinaryOp, Body, CompareOp, Inst, InstId, Kernel, LocalId, Op, Ty},
};

/// A counted loop and its parts.
struct CountedLoop {
    id: InstId,
    /// The branch that it begins with, and the exit in it.
    head: [InstId; 2],
    /// The instruction that sets the local at the end.
    last: InstId,
    local: LocalId,
    ty: Ty,
    /// The instruction that sets the local before the loop.
    set: InstId,
    start: InstId,
    end: InstId,
    step: InstId,
    /// The sum that the local is set to at the end.
    sum: InstId,
    /// Loop-invariant instructions, which move before the loop.
    outside: Vec<InstId>,
    /// Casts of the counter that precede the comparison; not needed at the exit.
    casts: Vec<InstId>,
    body: Vec<InstId>,
    /// True if the local is read outside of the loop.
    is_read_outside: bool,
}

/// Converts each counted loop to a `for`.
pub(super) fn convert_counted_loops(rewritten: &mut Rewritten<'_>) {
    while let Some(found) = find_counted_loop(rewritten, &rewritten.kernel().body) {
        replace_by_for(rewritten, found);
    }
}

fn find_counted_loop(rewritten: &Rewritten<'_>, body: &Body) -> Option<CountedLoop> {
    let kernel = rewritten.kernel();
    body.0.iter().enumerate().find_map(|(at, &id)| {
        let op = &kernel.insts[id].op;
        let here = if let Op::Loop { body: inner } = op {
            let found = match_counted_loop(rewritten, &body.0[..at], id, &inner.0);
            found.filter(|found| !rewritten.is_observed() || is_unobservable(rewritten, found))
        } else {
            None
        };
        here.or_else(|| op.bodies().find_map(|inner| find_counted_loop(rewritten, inner)))
    })
}

/// Matches the loop `id`, which follows the instructions `before` in its body, as a counted loop.
fn match_counted_loop(
    rewritten: &Rewritten<'_>,
    before: &[InstId],
    id: InstId,
    body: &[InstId],
) -> Option<CountedLoop> {
    let kernel = rewritten.kernel();
    let op = |id: InstId| &kernel.insts[id].op;
    // Constants, parameters and lengths are loop-invariant, wherever they stand: the `for` needs
    // them before it.
    let known = |id: &InstId| matches!(op(*id), Op::Const(_) | Op::Param(_) | Op::Len(_));
    let moves = |id: &&InstId| known(id) && !rewritten.is_placeholder(**id);
    let (outside, body): (Vec<InstId>, Vec<InstId>) = body.iter().partition(moves);
    // The shape: `get` of the local, casts and a comparison, a guard that leaves the loop, the
    // rest, and `set` of the local to a sum.
    let at = body.iter().position(|id| matches!(op(*id), Op::If { .. }))?;
    let ([get, casts @ ..], [branch, rest @ .., last]) = body.split_at(at) else { return None };
    let Op::Get(local) = *op(*get) else { return None };
    let Op::If { cond: compare, then, other } = op(*branch) else { return None };
    let Op::Compare { op: CompareOp::Lt, lhs, rhs: end } = *op(*compare) else { return None };
    let casts: Vec<InstId> = casts.iter().copied().filter(|id| id != compare).collect();
    let [leaves] = other.0[..] else { return None };
    let is_guard = then.0.is_empty() && matches!(op(leaves), Op::Break(target) if *target == id);
    let Op::Set { local: set, value: sum } = *op(*last) else { return None };
    let Op::Binary { op: BinaryOp::Add, lhs: one, rhs: two } = *op(sum) else { return None };
    let is_counter = |value: InstId| matches!(op(value), Op::Get(of) if *of == local);
    let (counter, step) = if is_counter(one) { (one, two) } else { (two, one) };
    let is_so = lhs == *get
        && casts.iter().all(|id| matches!(op(*id), Op::Cast { .. }))
        && is_guard
        && set == local
        && (is_counter(one) || is_counter(two))
        && is_unsigned(kernel.insts[*get].ty);
    is_so.then_some(())?;
    let mut inside = kernel.insts.facts(false);
    visit_nested(kernel, &body, &mut |inner| inside[inner] = true);
    // The local's value before the loop is not its value in each iteration.
    let goes_on = inside[counter] && !inside[end] && !inside[step];
    // No other `set`, no `continue`, which would skip the sum, and no other use of the comparison.
    let (mut sets, mut stays) = (Vec::new(), goes_on);
    let mut is_read_outside = false;
    kernel.walk(&mut |other| match op(other) {
        Op::Get(of) if *of == local => is_read_outside |= !inside[other],
        Op::Set { local: of, .. } if *of == local => sets.push(other),
        Op::Continue(target) if *target == id => stays = false,
        other_op if other != *branch => {
            stays &= !other_op.operands().any(|value| value == *compare)
        }
        _ => {}
    });
    let [first, _] = sets[..] else { return None };
    let Op::Set { value: start, .. } = *op(first) else { return None };
    let has_uniform_unit_step = |kernel: &Kernel| {
        let uniformity = Uniformity::analyze(kernel);
        matches!(op(step), Op::Const(1)) && !uniformity.varies(start) && !uniformity.varies(end)
    };
    // The analyses come last, because they are expensive.
    let counts = stays
        && before.contains(&first)
        && range::analyze(kernel).is_exact(sum)
        && (!is_read_outside || has_uniform_unit_step(kernel));
    counts.then(|| CountedLoop {
        id,
        head: [*branch, leaves],
        last: *last,
        local,
        ty: kernel.insts[*get].ty,
        set: first,
        start,
        end,
        step,
        sum,
        casts,
        body: rest.to_vec(),
        outside,
        is_read_outside,
    })
}

/// Returns the loops of a kernel, as it is written, that are counted, as a `for` or otherwise, and
/// have no other exit but failing threads. Their number of iterations does not depend on values
/// that they read, so no lane waits in them for another thread's write.
pub(super) fn runs_to_completion(kernel: &Kernel) -> Facts<InstId, bool> {
    let mut all = kernel.insts.facts(false);
    let mut rewritten = Rewritten::new(kernel, Instrumentation::None);
    make_guards(&mut rewritten);
    mark_complete_loops(&rewritten, &rewritten.kernel().body, &mut all);
    all
}

fn mark_complete_loops(rewritten: &Rewritten<'_>, body: &Body, all: &mut Facts<InstId, bool>) {
    let kernel = rewritten.kernel();
    for (at, &id) in body.0.iter().enumerate() {
        let op = &kernel.insts[id].op;
        let is_complete = if let Op::Loop { body: inner } = op {
            let found = match_counted_loop(rewritten, &body.0[..at], id, &inner.0);
            found.is_some_and(|CountedLoop { head: [_, through], .. }| {
                !has_exit_except(kernel, inner, &mut vec![], Some(through))
            })
        } else if let Op::For { body: inner, .. } = op {
            !has_exit_except(kernel, inner, &mut vec![], None)
        } else {
            false
        };
        if let Some(was) = rewritten.origin(id) {
            all[was] = is_complete;
        }
        op.bodies().for_each(|inner| mark_complete_loops(rewritten, inner, all));
    }
}

/// Returns true if lanes leave a body by an instruction other than `except`; `inside` are the
/// structures around the body within the loop.
fn has_exit_except(
    kernel: &Kernel,
    body: &Body,
    inside: &mut Vec<InstId>,
    except: Option<InstId>,
) -> bool {
    body.0.iter().filter(|id| Some(**id) != except).any(|&id| match &kernel.insts[id].op {
        Op::Break(target) | Op::Continue(target) => !inside.contains(target),
        Op::Return | Op::Panic { .. } => true,
        op => {
            inside.push(id);
            let any = op.bodies().any(|body| has_exit_except(kernel, body, inside, except));
            inside.pop();
            any
        }
    })
}

/// Returns true if counters and checks have the same results for a `for`.
fn is_unobservable(rewritten: &Rewritten<'_>, found: &CountedLoop) -> bool {
    let kernel = rewritten.kernel();
    let Op::Loop { body } = &kernel.insts[found.id].op else { return false };
    let was = rewritten.origin(found.id);
    let parts = was.is_none_or(|was| rewritten.uniformity().is_framed(was));
    let cost = if no_loop_waits(rewritten) { 0 } else { read_cost(kernel, body) };
    let is_defined = |value: InstId| is_defined(kernel, value);
    i64::from(cost) < SPIN_ITERATION_COST
        && !(parts && (cost > 0 || contains_sync(kernel, body)))
        && (!rewritten.is_checked()
            || [found.start, found.end, found.step].iter().all(|value| is_defined(*value)))
}

/// Returns true if in no loop of the kernel, as it was written, a lane can wait for another
/// thread's write.
fn no_loop_waits(rewritten: &Rewritten<'_>) -> bool {
    let written = rewritten.written;
    written.insts.iter().all(|(id, inst)| {
        let (Op::Loop { body } | Op::For { body, .. }) = &inst.op else { return true };
        rewritten.written_runs_to_completion(id) || read_cost(written, body) == 0
    })
}

/// Returns true if a value cannot depend on anything undefined.
fn is_defined(kernel: &Kernel, value: InstId) -> bool {
    let op = &kernel.insts[value].op;
    let computes = matches!(
        op,
        Op::Const(_)
            | Op::Param(_)
            | Op::Len(_)
            | Op::Builtin(_)
            | Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Cast { .. }
            | Op::Bounds { .. }
            | Op::For { .. }
    );
    computes && op.operands().all(|operand| is_defined(kernel, operand))
}

fn is_unsigned(ty: Ty) -> bool {
    match ty {
        Ty::Scalar(scalar) => scalar.is_unsigned(),
        Ty::Ptr(_) | Ty::Unit => false,
    }
}

/// Visits every instruction of a body and of the bodies inside.
fn visit_nested(kernel: &Kernel, body: &[InstId], visit: &mut impl FnMut(InstId)) {
    for &id in body {
        visit(id);
        kernel.insts[id].op.bodies().for_each(|inner| visit_nested(kernel, &inner.0, visit));
    }
}

/// Replaces a counted loop by a `for`.
fn replace_by_for(rewritten: &mut Rewritten<'_>, counted: CountedLoop) {
    let CountedLoop {
        id, head: [branch, leaves], last, local, ty, set, start, end, step, sum, ..
    } = counted;
    let CountedLoop { mut outside, casts, body: rest, is_read_outside, .. } = counted;
    let keeps_placeholders = rewritten.keeps_placeholders();
    let head = rewritten.origin(branch).zip(rewritten.origin(leaves));
    rewritten.set_head(id, head.map(|(branch, leaves)| Head { branch, leaves }));
    outside.iter().chain(&casts).for_each(|inst| rewritten.drop_origin(*inst));
    // Counters count the `set` where it was: it remains in the body as a placeholder.
    let mut body = [casts, rest].concat();
    body.extend(keeps_placeholders.then_some(last));
    let kernel = rewritten.kernel_mut();
    let mut inside = Vec::new();
    visit_nested(kernel, &[id], &mut |inner| inside.push(inner));
    let operands = kernel.insts.iter().flat_map(|(_, inst)| inst.op.operands());
    let is_only_set = operands.filter(|operand| *operand == sum).count() == 1;
    let mut body = Body(body);
    if is_read_outside {
        body = set_local_at_exits(kernel, body, (id, local));
        let span = kernel.insts[set].span;
        // After all iterations the local is the end, or the start if there is none.
        let op = Op::Binary { op: BinaryOp::Max, lhs: start, rhs: end };
        let last = kernel.insts.push(Inst { op, ty, span });
        let op = Op::Set { local, value: last };
        outside.extend([last, kernel.insts.push(Inst { op, ty: Ty::Unit, span })]);
    }
    // Uses of a `get` of the local become uses of the counter. The `get`s are removed, and so are
    // the `set`s and the sum if they have no other use.
    let (mut gets, mut goes) = (kernel.insts.facts(false), kernel.insts.facts(false));
    for inner in inside {
        gets[inner] = matches!(kernel.insts[inner].op, Op::Get(of) if of == local);
        goes[inner] = gets[inner];
    }
    (goes[set], goes[sum], goes[last]) = (!is_read_outside, is_only_set, true);
    kernel.insts[id].op = Op::For { start, end, step, inclusive: false, body };
    insert_before(&mut kernel.insts, &mut kernel.body, id, &outside);
    kernel.insts[id].ty = ty;
    if !keeps_placeholders {
        kernel.body.0.retain(|inst| !goes[*inst]);
    }
    for inst in kernel.insts.ids().collect::<Vec<_>>() {
        let op = &mut kernel.insts[inst].op;
        if !keeps_placeholders {
            op.bodies_mut().for_each(|body| body.0.retain(|inst| !goes[*inst]));
        }
        for operand in op.operands_mut().filter(|operand| gets[**operand]) {
            *operand = id;
        }
    }
    if keeps_placeholders {
        let ids = rewritten.kernel().insts.ids().filter(|inst| goes[*inst]);
        ids.collect::<Vec<_>>().into_iter().for_each(|inst| rewritten.leave_placeholder(inst));
    }
    rewritten.renumber();
}

/// Returns a body of the loop `id`, or in it, with the local set to the counter at each exit from
/// the loop.
fn set_local_at_exits(kernel: &mut Kernel, body: Body, (id, local): (InstId, LocalId)) -> Body {
    let mut done = Vec::with_capacity(body.0.len());
    for inst in body.0 {
        let mut op = std::mem::replace(&mut kernel.insts[inst].op, Op::Return);
        if let Op::Break(target) | Op::Continue(target) = op
            // Instructions in the loop have higher numbers than the loop.
            && target <= id
        {
            let span = kernel.insts[inst].span;
            let op = Op::Set { local, value: id };
            done.push(kernel.insts.push(Inst { op, ty: Ty::Unit, span }));
        }
        for inner in op.bodies_mut() {
            *inner = set_local_at_exits(kernel, std::mem::take(inner), (id, local));
        }
        kernel.insts[inst].op = op;
        done.push(inst);
    }
    Body(done)
}

/// Inserts instructions before another one, in whichever body that is.
fn insert_before(insts: &mut Table<InstId, Inst>, body: &mut Body, id: InstId, before: &[InstId]) {
    if let Some(at) = body.0.iter().position(|inst| *inst == id) {
        body.0.splice(at..at, before.iter().copied());
        return;
    }
    for inner in body.0.clone() {
        let mut op = std::mem::replace(&mut insts[inner].op, Op::Return);
        op.bodies_mut().for_each(|body| insert_before(insts, body, id, before));
        insts[inner].op = op;
    }
}
