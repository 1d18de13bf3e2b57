//! Kernels whose counted loops are written as `while` loops.
use warpwise_compiler::{
    id::Id,
    ir::{BinaryOp, Body, CompareOp, Inst, InstId, Kernel, Local, Op, Scalar, Ty},
};

/// Returns `kernel` with a `loop` and a counting local in place of each `for` that excludes its end
/// and has no `continue`. The iterations are the same, also where the counter would exceed its
/// type.
pub fn with_while_loops(kernel: &Kernel) -> Kernel {
    let mut kernel = kernel.clone();
    let list = std::mem::take(&mut kernel.body);
    kernel.body = rewrite(&mut kernel, list);
    kernel.renumber();
    kernel
}

fn rewrite(kernel: &mut Kernel, list: Body) -> Body {
    let mut rewritten = Vec::new();
    for id in list.0 {
        let mut op = std::mem::replace(&mut kernel.insts[id].op, Op::Return);
        for inner in op.bodies_mut() {
            *inner = rewrite(kernel, std::mem::take(inner));
        }
        match op {
            Op::For { start, end, step, inclusive: false, body }
                if !continues(kernel, &body, id) =>
            {
                let start = count(kernel, id, [start, end, step], body);
                rewritten.push(start);
            }
            op => kernel.insts[id].op = op,
        }
        rewritten.push(id);
    }
    Body(rewritten)
}

/// Turns the `for` `id` into a `loop`, and returns the instruction that sets its counter before it.
fn count(kernel: &mut Kernel, id: InstId, [start, end, step]: [InstId; 3], body: Body) -> InstId {
    let Inst { ty, span, .. } = kernel.insts[id];
    let local = kernel.locals.push(Local { name: String::new(), ty, span });
    let mut push = |op, ty| kernel.insts.push(Inst { op, ty, span });
    let set_start = push(Op::Set { local, value: start }, Ty::Unit);
    let read = push(Op::Get(local), ty);
    let more = push(Op::Compare { op: CompareOp::Lt, lhs: read, rhs: end }, Scalar::Bool.into());
    let leave = push(Op::Break(id), Ty::Unit);
    let next = push(Op::Binary { op: BinaryOp::Add, lhs: read, rhs: step }, ty);
    let wraps = push(Op::Compare { op: CompareOp::Lt, lhs: next, rhs: read }, Scalar::Bool.into());
    let leave_last = push(Op::Break(id), Ty::Unit);
    let (then, other) = (Body(vec![leave_last]), Body::default());
    let last = push(Op::If { cond: wraps, then, other }, Ty::Unit);
    let set = push(Op::Set { local, value: next }, Ty::Unit);
    let at_head = local.index().is_multiple_of(2);
    let mut rest = body.0;
    rest.extend([next, wraps, last, set]);
    // Both forms that `while` and `loop` have.
    let (then, behind) = if at_head { (Vec::new(), rest) } else { (rest, Vec::new()) };
    let branch = push(Op::If { cond: more, then: Body(then), other: Body(vec![leave]) }, Ty::Unit);
    let list = [vec![read, more, branch], behind].concat();
    replace_operands(kernel, &list, id, read);
    kernel.insts[id] = Inst { op: Op::Loop { body: Body(list) }, ty: Ty::Unit, span };
    set_start
}

/// Replaces the operand `old` by `new` in the instructions of `list` and those inside them.
fn replace_operands(kernel: &mut Kernel, list: &[InstId], old: InstId, new: InstId) {
    for &id in list {
        let mut op = std::mem::replace(&mut kernel.insts[id].op, Op::Return);
        op.operands_mut().filter(|operand| **operand == old).for_each(|operand| *operand = new);
        for inner in op.bodies_mut() {
            replace_operands(kernel, &inner.0, old, new);
        }
        kernel.insts[id].op = op;
    }
}

/// Returns true if an instruction in `list` continues with the next iteration of `of`.
fn continues(kernel: &Kernel, list: &Body, of: InstId) -> bool {
    list.0.iter().any(|&id| {
        let op = &kernel.insts[id].op;
        matches!(op, Op::Continue(target) if *target == of)
            || op.bodies().any(|inner| continues(kernel, inner, of))
    })
}
