//! Divides by variables that hold powers of two with shifts and masks.
//!
//! ```text
//! %1 = div %t, %d                     %1 = shr %t, 31 - leading_zeros(%d)
//! %2 = rem %t, %d              =>     %2 = and %t, %d - 1
//! ```
//!
//! Takes divisors of which [`Powers`] knows that they are powers of two or 0; a check that they are
//! not 0 stands before.
//!
//! Why: the distances of a butterfly, a scan or a sort are variables that double or halve, and a
//! division of 32-bit integers takes 20 instructions.
use crate::{
    analysis::powers::Powers,
    ir::{BinaryOp, Body, Inst, InstId, Kernel, Op, Scalar, Ty, UnaryOp},
};

/// Rewrites divisions of `kernel`. Its instructions are not numbered in order afterwards.
pub(super) fn divide_by_powers(kernel: &mut Kernel) {
    let is_computed = |id: InstId| !matches!(kernel.insts[id].op, Op::Const(_));
    let is_division = |(_, inst): (InstId, &Inst)| matches!(inst.op, Op::Binary { op: BinaryOp::Div | BinaryOp::Rem, rhs, .. } if is_computed(rhs));
    if !kernel.insts.iter().any(is_division) {
        return;
    }
    let powers = Powers::new(kernel);
    let list = std::mem::take(&mut kernel.body);
    kernel.body = body(kernel, &powers, list);
}

fn body(kernel: &mut Kernel, powers: &Powers, list: Body) -> Body {
    let mut kept = Vec::with_capacity(list.0.len());
    for id in list.0 {
        divide(kernel, powers, id, &mut kept);
        if !kernel.insts[id].op.is_leaf() {
            // Taken out while its bodies are walked.
            let mut op = std::mem::replace(&mut kernel.insts[id].op, Op::Return);
            for inner in op.bodies_mut() {
                *inner = body(kernel, powers, std::mem::take(inner));
            }
            kernel.insts[id].op = op;
        }
        kept.push(id);
    }
    Body(kept)
}

/// Makes `id` a shift or a mask, if it divides by a power of two, and appends to `kept` what that
/// needs.
fn divide(kernel: &mut Kernel, powers: &Powers, id: InstId, kept: &mut Vec<InstId>) {
    let Inst { op: Op::Binary { op, lhs, rhs }, ty, span } = kernel.insts[id] else { return };
    let Ty::Scalar(scalar @ (Scalar::U32 | Scalar::U64)) = ty else { return };
    let divides = matches!(op, BinaryOp::Div | BinaryOp::Rem);
    if !divides || matches!(kernel.insts[rhs].op, Op::Const(_)) || !powers.contains(rhs) {
        return;
    }
    let mut push = |op, ty| {
        let id = kernel.insts.push(Inst { op, ty, span });
        kept.push(id);
        id
    };
    let (op, rhs) = if op == BinaryOp::Rem {
        let one = push(Op::Const(1), ty);
        (BinaryOp::And, push(Op::Binary { op: BinaryOp::Sub, lhs: rhs, rhs: one }, ty))
    } else {
        let zeros = push(Op::Unary { op: UnaryOp::LeadingZeros, value: rhs }, ty);
        let word = Ty::Scalar(Scalar::U32);
        let zeros = if ty == word { zeros } else { push(Op::Cast { value: zeros }, word) };
        let last = push(Op::Const(if scalar == Scalar::U64 { 63 } else { 31 }), word);
        (BinaryOp::Shr, push(Op::Binary { op: BinaryOp::Sub, lhs: last, rhs: zeros }, word))
    };
    kernel.insts[id].op = Op::Binary { op, lhs, rhs };
}
