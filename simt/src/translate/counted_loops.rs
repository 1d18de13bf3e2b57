//! Loops that count, as `for`: what a kernel's author wrote as `while i < n { …; i += step; }`.
//!
//! Of the counter of a `for` it is known how it goes on, so that it can be [affine](super::affine) where a local is a register
//! of lanes. A loop counts if it begins by comparing a local with what stays the same, ends by adding what stays the same
//! to it, and nothing else sets the local. The sum must never wrap, as a `for` ends there.
//! What is the same wherever it stands, as the length of a slice, stays the same in the loop, too.
//!
//! What is counted and checked must not tell whether a loop is a `for`. Where lanes leave a loop one after the other, it stays what
//! it is if they meet others there, or if what they read may keep them so long that those that have left go on by themselves;
//! checked, if what it counts by may be undefined. What counts as it is written and is left nowhere else is not kept by what
//! it reads ([`runs_through`]), neither as a loop nor as a `for`: where all loops that read are so, those that have left wait.
//!
//! If the local is looked at outside as well, as by `while i < n && !found(i) { i += 1 }` with `i` behind it, it is set to
//! what it is at the end before the loop, and to the counter where lanes leave the loop before that. So it is where the
//! counter is the same for all lanes and goes up by 1; lanes that count for themselves gain nothing by it.
use super::{
    affine::meets,
    cost_of_reading,
    rewritten::{Head, Rewritten},
    uniformity::Uniformity,
};
use crate::{bytecode::SPIN_ITERATION_COST, translate::Instrumentation};
use warpwise_compiler::{
    analysis::range,
    id::{Facts, Table},
    ir::{BinaryOp, Body, CompareOp, Inst, InstId, Kernel, LocalId, Op, Scalar, Ty},
};

/// A loop that counts, and what is left of it.
struct Counting {
    id: InstId,
    /// The branch that it begins with, and what leaves there.
    head: [InstId; 2],
    /// What sets the local at the end.
    last: InstId,
    local: LocalId,
    ty: Ty,
    /// What sets the local before.
    set: InstId,
    start: InstId,
    end: InstId,
    step: InstId,
    /// Their sum, which the local is set to at the end.
    sum: InstId,
    /// What of the loop can stand before it, and is to.
    outside: Vec<InstId>,
    /// Other types of the counter, made before it is compared: not needed where lanes leave.
    casts: Vec<InstId>,
    body: Vec<InstId>,
    /// Whether the local is looked at outside.
    is_seen: bool,
}

/// Makes a `for` of each loop that counts.
pub(super) fn count(rewritten: &mut Rewritten<'_>) {
    while let Some(found) = find_in(rewritten, &rewritten.kernel().body) {
        rewrite(rewritten, found);
    }
}

fn find_in(rewritten: &Rewritten<'_>, body: &Body) -> Option<Counting> {
    let kernel = rewritten.kernel();
    body.0.iter().enumerate().find_map(|(at, &id)| {
        let op = &kernel.insts[id].op;
        let here = if let Op::Loop { body: inner } = op {
            let found = counts(rewritten, &body.0[..at], id, &inner.0);
            found.filter(|found| !rewritten.is_observed() || stays_unseen(rewritten, found))
        } else {
            None
        };
        here.or_else(|| op.bodies().find_map(|inner| find_in(rewritten, inner)))
    })
}

/// Whether the loop `id` of this body, behind these instructions, counts.
fn counts(
    rewritten: &Rewritten<'_>,
    before: &[InstId],
    id: InstId,
    body: &[InstId],
) -> Option<Counting> {
    let kernel = rewritten.kernel();
    let op = |id: InstId| &kernel.insts[id].op;
    let known = |id: &InstId| matches!(op(*id), Op::Const(_) | Op::Param(_) | Op::Len(_));
    let moves = |id: &&InstId| known(id) && !rewritten.is_place(**id);
    let (outside, body): (Vec<InstId>, Vec<InstId>) = body.iter().partition(moves);
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
    walk(kernel, &body, &mut |inner| inside[inner] = true);
    // What the local was before the loop is not what it is in each iteration.
    let goes_on = inside[counter] && !inside[end] && !inside[step];
    let (mut sets, mut stays) = (Vec::new(), goes_on);
    let mut is_seen = false;
    kernel.walk(&mut |other| match op(other) {
        Op::Get(of) if *of == local => is_seen |= !inside[other],
        Op::Set { local: of, .. } if *of == local => sets.push(other),
        Op::Continue(target) if *target == id => stays = false,
        other_op if other != *branch => {
            stays &= !other_op.operands().any(|value| value == *compare)
        }
        _ => {}
    });
    let [first, _] = sets[..] else { return None };
    let Op::Set { value: start, .. } = *op(first) else { return None };
    let in_step = |kernel: &Kernel| {
        let uniformity = Uniformity::of(kernel);
        matches!(op(step), Op::Const(1)) && !uniformity.varies(start) && !uniformity.varies(end)
    };
    let counts = stays
        && before.contains(&first)
        && range::analyze(kernel).is_exact(sum)
        && (!is_seen || in_step(kernel));
    counts.then(|| Counting {
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
        is_seen,
    })
}

/// Which loops of a kernel, as it is written, count, as a `for` or otherwise, and are left where they are through and nowhere else,
/// but by threads that fail: whatever is read there keeps nobody for a round more, so that nobody waits for those who write it.
pub(super) fn runs_through(kernel: &Kernel) -> Facts<InstId, bool> {
    let mut all = kernel.insts.facts(false);
    let rewritten = Rewritten::new(kernel, Instrumentation::None);
    mark(&rewritten, &kernel.body, &mut all);
    all
}

fn mark(rewritten: &Rewritten<'_>, body: &Body, all: &mut Facts<InstId, bool>) {
    let kernel = rewritten.kernel();
    for (at, &id) in body.0.iter().enumerate() {
        let op = &kernel.insts[id].op;
        if let Op::Loop { body: inner } = op {
            let found = counts(rewritten, &body.0[..at], id, &inner.0);
            all[id] = found.is_some_and(|Counting { head: [_, through], .. }| {
                !leaves(kernel, inner, &mut vec![], Some(through))
            });
        } else if let Op::For { body: inner, .. } = op {
            all[id] = !leaves(kernel, inner, &mut vec![], None);
        }
        op.bodies().for_each(|inner| mark(rewritten, inner, all));
    }
}

/// Whether lanes leave a body for somewhere outside, but by one instruction; `inside` are the structures in it that they are in.
fn leaves(kernel: &Kernel, body: &Body, inside: &mut Vec<InstId>, but: Option<InstId>) -> bool {
    body.0.iter().filter(|id| Some(**id) != but).any(|&id| match &kernel.insts[id].op {
        Op::Break(target) | Op::Continue(target) => !inside.contains(target),
        Op::Return | Op::Panic { .. } => true,
        op => {
            inside.push(id);
            let any = op.bodies().any(|body| leaves(kernel, body, inside, but));
            inside.pop();
            any
        }
    })
}

/// Whether counters and checks come out the same for a `for`.
fn stays_unseen(rewritten: &Rewritten<'_>, found: &Counting) -> bool {
    let kernel = rewritten.kernel();
    let Op::Loop { body } = &kernel.insts[found.id].op else { return false };
    let was = rewritten.origin(found.id);
    let parts = was.is_none_or(|was| rewritten.uniformity().framed(was));
    let cost = if never_waits(rewritten) { 0 } else { cost_of_reading(kernel, body) };
    let is_defined = |value: InstId| is_defined(kernel, value);
    i64::from(cost) < SPIN_ITERATION_COST
        && !(parts && (cost > 0 || meets(kernel, body)))
        && (!rewritten.is_checked()
            || [found.start, found.end, found.step].iter().all(|value| is_defined(*value)))
}

/// Whether no loop of what was written keeps anybody waiting.
fn never_waits(rewritten: &Rewritten<'_>) -> bool {
    let written = rewritten.written;
    written.insts.iter().all(|(id, inst)| {
        let (Op::Loop { body } | Op::For { body, .. }) = &inst.op else { return true };
        rewritten.ran_through(id) || cost_of_reading(written, body) == 0
    })
}

/// Whether a value is surely made of nothing undefined.
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
        Ty::Scalar(scalar) => {
            matches!(scalar, Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64)
        }
        Ty::Ptr(_) | Ty::Unit => false,
    }
}

/// Every instruction of a body and those inside.
fn walk(kernel: &Kernel, body: &[InstId], visit: &mut impl FnMut(InstId)) {
    for &id in body {
        visit(id);
        kernel.insts[id].op.bodies().for_each(|inner| walk(kernel, &inner.0, visit));
    }
}

/// Makes a `for` of a loop.
fn rewrite(rewritten: &mut Rewritten<'_>, counting: Counting) {
    let Counting {
        id, head: [branch, leaves], last, local, ty, set, start, end, step, sum, ..
    } = counting;
    let Counting { mut outside, casts, body: rest, is_seen, .. } = counting;
    let keeps_places = rewritten.keeps_places();
    let head = rewritten.origin(branch).zip(rewritten.origin(leaves));
    rewritten.set_head(id, head.map(|(branch, leaves)| Head { branch, leaves }));
    outside.iter().chain(&casts).for_each(|inst| rewritten.forget_place(*inst));
    let mut body = [casts, rest].concat();
    body.extend(keeps_places.then_some(last));
    let kernel = rewritten.edit();
    let mut inside = Vec::new();
    walk(kernel, &[id], &mut |inner| inside.push(inner));
    let operands = kernel.insts.iter().flat_map(|(_, inst)| inst.op.operands());
    let is_only_set = operands.filter(|operand| *operand == sum).count() == 1;
    let mut body = Body(body);
    if is_seen {
        body = set_where_left(kernel, body, (id, local));
        let span = kernel.insts[set].span;
        let op = Op::Binary { op: BinaryOp::Max, lhs: start, rhs: end };
        let last = kernel.insts.push(Inst { op, ty, span });
        let op = Op::Set { local, value: last };
        outside.extend([last, kernel.insts.push(Inst { op, ty: Ty::Unit, span })]);
    }
    let (mut gets, mut goes) = (kernel.insts.facts(false), kernel.insts.facts(false));
    for inner in inside {
        gets[inner] = matches!(kernel.insts[inner].op, Op::Get(of) if of == local);
        goes[inner] = gets[inner];
    }
    (goes[set], goes[sum], goes[last]) = (!is_seen, is_only_set, true);
    kernel.insts[id].op = Op::For { start, end, step, inclusive: false, body };
    put_before(&mut kernel.insts, &mut kernel.body, id, &outside);
    kernel.insts[id].ty = ty;
    if !keeps_places {
        kernel.body.0.retain(|inst| !goes[*inst]);
    }
    for inst in kernel.insts.ids().collect::<Vec<_>>() {
        let op = &mut kernel.insts[inst].op;
        if !keeps_places {
            op.bodies_mut().for_each(|body| body.0.retain(|inst| !goes[*inst]));
        }
        for operand in op.operands_mut().filter(|operand| gets[**operand]) {
            *operand = id;
        }
    }
    if keeps_places {
        let ids = rewritten.kernel().insts.ids().filter(|inst| goes[*inst]);
        ids.collect::<Vec<_>>().into_iter().for_each(|inst| rewritten.leave_place(inst));
    }
    rewritten.renumber();
}

/// A body of a loop `id`, or in it, that sets the local to the counter where lanes leave the loop.
fn set_where_left(kernel: &mut Kernel, body: Body, (id, local): (InstId, LocalId)) -> Body {
    let mut done = Vec::with_capacity(body.0.len());
    for inst in body.0 {
        let mut op = std::mem::replace(&mut kernel.insts[inst].op, Op::Return);
        if let Op::Break(target) | Op::Continue(target) = op
            // What is in the loop comes behind it in the text.
            && target <= id
        {
            let span = kernel.insts[inst].span;
            let op = Op::Set { local, value: id };
            done.push(kernel.insts.push(Inst { op, ty: Ty::Unit, span }));
        }
        for inner in op.bodies_mut() {
            *inner = set_where_left(kernel, std::mem::take(inner), (id, local));
        }
        kernel.insts[inst].op = op;
        done.push(inst);
    }
    Body(done)
}

/// Puts instructions before another one, wherever that is.
fn put_before(insts: &mut Table<InstId, Inst>, body: &mut Body, id: InstId, before: &[InstId]) {
    if let Some(at) = body.0.iter().position(|inst| *inst == id) {
        body.0.splice(at..at, before.iter().copied());
        return;
    }
    for inner in body.0.clone() {
        let mut op = std::mem::replace(&mut insts[inner].op, Op::Return);
        op.bodies_mut().for_each(|body| put_before(insts, body, id, before));
        insts[inner].op = op;
    }
}
