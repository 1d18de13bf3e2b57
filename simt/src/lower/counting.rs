//! Loops that count, as `for`: what a kernel's author wrote as `while i < n { …; i += step; }`.
//!
//! Of the counter of a `for` it is known how it goes on, so that it can be [affine](super::affine) where a local is a register
//! of lanes. A loop counts if it begins by comparing a local with what stays the same, ends by adding what stays the same
//! to it, and nothing else sets the local or looks at it outside. The sum must never wrap, as a `for` ends there.
//! What is the same wherever it stands, as the length of a slice, stays the same in the loop, too.
//! What is counted, checked or told step by step is lowered as it is written.
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
    /// What of the loop can stand before it, and is to.
    outside: Vec<InstId>,
    body: Vec<InstId>,
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
    kernel.walk(&mut |other| match op(other) {
        Op::Get(of) if *of == local => stays &= inside[other],
        Op::Set { local: of, .. } if *of == local => sets.push(other),
        Op::Continue(target) if *target == id => stays = false,
        other_op if other != *branch => {
            stays &= !other_op.operands().any(|value| value == *compare)
        }
        _ => {}
    });
    let [first, _] = sets[..] else { return None };
    let Op::Set { value: start, .. } = *op(first) else { return None };
    let counts = stays && before.contains(&first) && range::analyze(kernel).is_exact(sum);
    counts.then(|| Counting {
        id,
        local,
        ty: kernel.insts[*get].ty,
        set: first,
        start,
        end,
        step,
        body: rest.to_vec(),
        outside,
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
    let Counting { id, local, ty, set, start, end, step, outside, body } = counting;
    let body = Body(body);
    kernel.insts[id].op = Op::For { start, end, step, inclusive: false, body };
    put_before(&mut kernel.insts, &mut kernel.body, id, &outside);
    kernel.insts[id].ty = ty;
    let mut gets = kernel.insts.facts(false);
    for (get, inst) in kernel.insts.iter() {
        gets[get] = matches!(inst.op, Op::Get(of) if of == local);
    }
    let keeps = |inst: &InstId| !gets[*inst] && *inst != set;
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
