//! Powers of two: numbers that are one, or 0.
//!
//! Loops over distances of a butterfly, a scan or a sort double a number or halve it, and mask with one less: of such a
//! number, `t & (d - 1)` is a remainder. A local is one if every value that it is set to is one, as far as the
//! others are.
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
    /// Finds them in `kernel`.
    pub(crate) fn new(kernel: &Kernel) -> Self {
        let mut is_power = kernel.insts.facts(false);
        // What is not excluded in any round is one: of each value by those before.
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

    /// True if `id` yields a power of two, or 0.
    pub(crate) fn has(&self, id: InstId) -> bool {
        self.is_power[id]
    }
}

/// Whatever wraps, a power of two becomes one that is smaller, or 0.
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
