//! Values that are certainly a power of two, or 0.
//!
//! Loops over the distances of a butterfly, a scan or a sort double or halve a number, and mask
//! with one less: for such a number, `t & (d - 1)` is a remainder. A local is a power of two if
//! every value that it is set to is one, given the other locals.
use crate::{
    id::Facts,
    ir::{BinaryOp, InstId, Kernel, LocalId, Op, Scalar, Ty},
};

/// The instructions that yield a power of two, or 0.
#[derive(Debug)]
pub(crate) struct Powers {
    is_power: Facts<InstId, bool>,
}

impl Powers {
    /// Finds the powers of two in `kernel`.
    pub(crate) fn new(kernel: &Kernel) -> Self {
        let mut is_power = kernel.insts.facts(false);
        // The greatest fixed point: a value stays a candidate until a pass excludes it, so each
        // pass may rely on the candidates of the pass before.
        let mut locals = kernel.locals.facts(true);
        loop {
            for id in kernel.insts.ids() {
                is_power[id] = yields_power(kernel, id, &is_power, &locals);
            }
            let mut excluded = false;
            for (_, inst) in kernel.insts.iter() {
                if let Op::Set { local, value } = inst.op
                    && locals[local]
                    && !is_power[value]
                {
                    locals[local] = false;
                    excluded = true;
                }
            }
            if !excluded {
                return Self { is_power };
            }
        }
    }

    /// Returns true if `id` yields a power of two, or 0.
    pub(crate) fn contains(&self, id: InstId) -> bool {
        self.is_power[id]
    }
}

/// Returns true if `id` yields a power of two or 0. A power of two that wraps becomes a smaller
/// one, or 0.
fn yields_power(
    kernel: &Kernel,
    id: InstId,
    is_power: &Facts<InstId, bool>,
    locals: &Facts<LocalId, bool>,
) -> bool {
    let inst = &kernel.insts[id];
    let unsigned = match inst.ty {
        Ty::Scalar(scalar) => {
            matches!(scalar, Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64)
        }
        Ty::Ptr(_) | Ty::Unit => false,
    };
    if !unsigned {
        return false;
    }
    if let Op::Const(bits) = inst.op {
        bits & bits.wrapping_sub(1) == 0
    } else if let Op::Get(local) = inst.op {
        locals[local]
    } else if let Op::Select { then, other, .. } = inst.op {
        is_power[then] && is_power[other]
    } else if let Op::Binary { op, lhs, rhs } = inst.op {
        match op {
            BinaryOp::Shl | BinaryOp::Shr => is_power[lhs],
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Min | BinaryOp::Max => {
                is_power[lhs] && is_power[rhs]
            }
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Rem
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::MulHigh
            | BinaryOp::RotateLeft => false,
        }
    } else if let Op::Cast { value } = inst.op {
        is_power[value]
    } else {
        false
    }
}
