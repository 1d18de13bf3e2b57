//! Loops that count, as `for`: what a kernel's author wrote as `while i < n { …; i += step; }`.
//!
//! Of the counter of a `for` it is known how it goes on, so that it can be [affine](super::affine) where a local is a register
//! of lanes. A loop counts if it begins by comparing a local with what stays the same, ends by adding what stays the same
//! to it, and nothing else sets the local. The sum must never wrap, as a `for` ends there.
//! What is the same wherever it stands, as the length of a slice, stays the same in the loop, too.
//! What is counted, checked or told step by step is lowered as it is written.
//!
//! If the local is looked at outside as well, as by `while i < n && !found(i) { i += 1 }` with `i` behind it, it is set to
//! what it is at the end before the loop, and to the counter where lanes leave the loop before that. So it is where the
//! counter is the same for all lanes and goes up by 1; lanes that count for themselves gain nothing by it.
use super::uniformity::Uniformity;
use warpwise_compiler::{
    analysis::range,
    id::Table,
    ir::{BinaryOp, Body, CompareOp, Inst, InstId, Kernel, LocalId, Op, Scalar, Ty},
};

/// A loop that counts, and what is left of it.
struct Counting {
    id: InstId,
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
    body: Vec<InstId>,
    /// Whether the local is looked at outside.
    is_seen: bool,
}

/// The kernel with a `for` for each loop that counts; nothing if there is none.
pub(super) fn count(kernel: &Kernel) -> Option<Kernel> {
    let mut counted = None;
    while let Some(found) = find(counted.as_ref().unwrap_or(kernel)) {
        rewrite(counted.get_or_insert_with(|| kernel.clone()), found);
    }
    counted
}

fn find(kernel: &Kernel) -> Option<Counting> {
    find_in(kernel, &kernel.body)
}

fn find_in(kernel: &Kernel, body: &Body) -> Option<Counting> {
    body.0.iter().enumerate().find_map(|(at, &id)| {
        let op = &kernel.insts[id].op;
        let here = if let Op::Loop { body: inner } = op {
            counts(kernel, &body.0[..at], id, &inner.0)
        } else {
            None
        };
        here.or_else(|| op.bodies().find_map(|inner| find_in(kernel, inner)))
    })
}

/// Whether the loop `id` of this body, behind these instructions, counts.
fn counts(kernel: &Kernel, before: &[InstId], id: InstId, body: &[InstId]) -> Option<Counting> {
    let op = |id: InstId| &kernel.insts[id].op;
    let known = |id: &InstId| matches!(op(*id), Op::Const(_) | Op::Param(_) | Op::Len(_));
    let (outside, body): (Vec<InstId>, Vec<InstId>) = body.iter().partition(|id| known(id));
    let [get, compare, branch, rest @ .., last] = &body[..] else { return None };
    let Op::Get(local) = *op(*get) else { return None };
    let Op::Compare { op: CompareOp::Lt, lhs, rhs: end } = *op(*compare) else { return None };
    let Op::If { cond, then, other } = op(*branch) else { return None };
    let leaves = then.0.is_empty()
        && matches!(other.0[..], [only] if matches!(op(only), Op::Break(target) if *target == id));
    let Op::Set { local: set, value: sum } = *op(*last) else { return None };
    let Op::Binary { op: BinaryOp::Add, lhs: one, rhs: two } = *op(sum) else { return None };
    let is_counter = |value: InstId| matches!(op(value), Op::Get(of) if *of == local);
    let step = if is_counter(one) { two } else { one };
    let is_so = lhs == *get
        && cond == compare
        && leaves
        && set == local
        && (is_counter(one) || is_counter(two))
        && is_unsigned(kernel.insts[*get].ty);
    is_so.then_some(())?;
    let mut inside = kernel.insts.facts(false);
    walk(kernel, &body, &mut |inner| inside[inner] = true);
    let (mut sets, mut stays) = (Vec::new(), !inside[end] && !inside[step]);
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
        local,
        ty: kernel.insts[*get].ty,
        set: first,
        start,
        end,
        step,
        sum,
        body: rest.to_vec(),
        outside,
        is_seen,
    })
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
fn rewrite(kernel: &mut Kernel, counting: Counting) {
    let Counting { id, local, ty, set, start, end, step, sum, .. } = counting;
    let Counting { mut outside, body, is_seen, .. } = counting;
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
    let mut gets = kernel.insts.facts(false);
    for inner in inside {
        gets[inner] = matches!(kernel.insts[inner].op, Op::Get(of) if of == local);
    }
    kernel.insts[id].op = Op::For { start, end, step, inclusive: false, body };
    put_before(&mut kernel.insts, &mut kernel.body, id, &outside);
    kernel.insts[id].ty = ty;
    let keeps =
        |inst: &InstId| !gets[*inst] && (*inst != set || is_seen) && (*inst != sum || !is_only_set);
    kernel.body.0.retain(keeps);
    for inst in kernel.insts.ids().collect::<Vec<_>>() {
        let op = &mut kernel.insts[inst].op;
        op.bodies_mut().for_each(|body| body.0.retain(keeps));
        for operand in op.operands_mut().filter(|operand| gets[**operand]) {
            *operand = id;
        }
    }
    kernel.renumber();
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
