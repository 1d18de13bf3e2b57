//! Sums of warpgroup products that stay in registers.
//!
//! A [`MatrixOp::Wgmma`] names an array of the thread's own, which hardware keeps in registers that
//! it writes at any time until the product is waited for. A back end makes registers of the array
//! if each access is of one element at a constant place. Otherwise the array is in memory: then the
//! sums are loaded before each product, and stored after it, so that each product is waited for at
//! once.
use super::tables::constant_offset;
use crate::{
    id::Facts,
    ir::{ArrayId, Element, Inst, InstId, Kernel, MatrixOp, Op, Root, Scalar, Space, Ty, WgmmaOp},
};

/// The size of a sum in bytes.
const SUM_BYTES: u64 = 4;

/// The sums in an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sums {
    /// The type of a sum: `f32` or `i32`.
    pub ty: Scalar,
    /// The number of sums that products write.
    pub count: u64,
    /// True if each access is at a constant place.
    pub in_registers: bool,
}

/// Returns the sums in each array, if products write it. `kernel` is specialized.
pub fn find_sums(kernel: &Kernel) -> Facts<ArrayId, Option<Sums>> {
    let mut sums: Facts<ArrayId, Option<Sums>> = kernel.arrays.facts(None);
    for (_, inst) in kernel.insts.iter() {
        if let Op::Matrix(MatrixOp::Wgmma { op, columns, args }) = &inst.op
            && let Some(Root::Array(array)) = kernel.root(args[0])
        {
            let count = WgmmaOp::sums(columns.known().unwrap_or(WgmmaOp::MAX_COLUMNS));
            let before = sums[array].map_or(0, |sums| sums.count);
            let count = before.max(count);
            sums[array] = Some(Sums { ty: op.sum(), count, in_registers: true });
        }
    }
    if kernel.arrays.ids().all(|array| sums[array].is_none()) {
        return sums;
    }
    for (_, inst) in kernel.insts.iter() {
        for operand in inst.op.operands() {
            if kernel.insts[operand].ty == Ty::Ptr(Space::Local)
                && let Some(Root::Array(array)) = kernel.root(operand)
                && let Some(sums) = &mut sums[array]
            {
                sums.in_registers &= keeps_registers(kernel, inst, operand, array);
            }
        }
    }
    sums
}

/// Returns the number of the sum at `ptr`, if its place is a constant.
pub fn sum_number(kernel: &Kernel, ptr: InstId) -> Option<usize> {
    let offset = constant_offset(kernel, ptr)?;
    offset.is_multiple_of(SUM_BYTES).then_some((offset / SUM_BYTES) as usize)
}

/// True if an instruction that has an address in an array as an operand leaves it in registers.
fn keeps_registers(kernel: &Kernel, inst: &Inst, ptr: InstId, array: ArrayId) -> bool {
    let is_sum = |ty: Ty| {
        let len = kernel.arrays[array].len.known().unwrap_or(0);
        let number = sum_number(kernel, ptr);
        let is_whole =
            matches!(kernel.arrays[array].elem, Element::Scalar(sum) if ty == sum.into());
        is_whole && number.is_some_and(|number| (number as u64) < len)
    };
    match inst.op {
        Op::Load { .. } => is_sum(inst.ty),
        Op::Store { value, .. } => value != ptr && is_sum(kernel.insts[value].ty),
        _ => matches!(
            inst.op,
            Op::Index { .. }
                | Op::Offset { .. }
                | Op::Matrix(MatrixOp::Wgmma { .. } | MatrixOp::WgmmaWait { .. })
        ),
    }
}
