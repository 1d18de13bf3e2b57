//! Computes what is constant and drops operations that do nothing.
//!
//! Every rewrite yields the same bits for every input: nothing is reassociated, and of the
//! float rules only those stand here that hold for NaN, infinities and both zeros (`x + 0.0`
//! is not `x` where `x` is -0.0). Sign and payload of a computed NaN are open in the IR,
//! so `x * 1.0` may become `x`.
//!
//! Why, when `ptxas` folds too: an index that becomes constant lets later passes drop its
//! check, and a double cast would keep arithmetic in 64 bits.
use super::replace::Replacements;
use crate::ir::{
    Axis, BinaryOp, Builtin, CompareOp, InstId, Kernel, Op, Scalar, TernaryOp, Ty, UnaryOp,
    evaluate,
};

/// The replacement of an instruction.
enum Folded {
    /// These bits.
    Const(u64),
    /// Another value, of the same type.
    Same(InstId),
    /// A cheaper operation.
    Op(Op),
}
use Folded::{Const, Same};

/// Folds what the instructions of `kernel` compute. What nothing uses any more stays in place.
pub(super) fn fold_constants(kernel: &mut Kernel) {
    let mut values = Replacements::new(kernel);
    for id in kernel.insts.ids() {
        values.apply(&mut kernel.insts[id].op);
        if let Some(same) = fold_inst(kernel, id) {
            values.replace(id, same);
        }
    }
}

/// Folds what `id` computes; yields the value that is the same, if there is one.
pub(super) fn fold_inst(kernel: &mut Kernel, id: InstId) -> Option<InstId> {
    // What one rule yields may be food for another; each leaves less to do.
    while let Some(folded) = fold(kernel, id) {
        match folded {
            Const(bits) => kernel.insts[id].op = Op::Const(bits),
            Folded::Op(op) => kernel.insts[id].op = op,
            Same(other) => return Some(other),
        }
    }
    None
}

fn fold(kernel: &Kernel, id: InstId) -> Option<Folded> {
    let Ty::Scalar(scalar) = kernel.insts[id].ty else { return None };
    match kernel.insts[id].op {
        Op::Builtin(builtin) => fold_builtin(kernel, builtin),
        Op::Unary { op, value } => fold_unary(kernel, scalar, op, value),
        Op::Binary { op, lhs, rhs } => fold_binary(kernel, scalar, op, lhs, rhs),
        Op::Compare { op, lhs, rhs } => fold_compare(kernel, op, lhs, rhs),
        Op::Cast { value } => fold_cast(kernel, scalar, value),
        Op::Bitcast { value } => fold_bitcast(kernel, scalar, value),
        Op::Select { cond, then, other } => fold_select(kernel, scalar, cond, then, other),
        Op::Ternary { op, a, b, c } => fold_ternary(kernel, op, scalar, [a, b, c]),
        Op::Fma { a, b, c } => fold_fma(kernel, scalar, a, b, c),
        Op::Const(_)
        | Op::Generic(_)
        | Op::Param(_)
        | Op::Len(_)
        | Op::Shared(_)
        | Op::Array(_)
        | Op::MulAdd { .. }
        | Op::Index { .. }
        | Op::Offset { .. }
        | Op::MapShared { .. }
        | Op::Bounds { .. }
        | Op::Check { .. }
        | Op::Get(_)
        | Op::Set { .. }
        | Op::Load { .. }
        | Op::Store { .. }
        | Op::AtomicLoad { .. }
        | Op::AtomicStore { .. }
        | Op::Atomic { .. }
        | Op::CompareExchange { .. }
        | Op::Sync(_)
        | Op::Copy(_)
        | Op::Prefetch { .. }
        | Op::Matrix(_)
        | Op::Warp(_)
        | Op::Texture { .. }
        | Op::Ptx { .. }
        | Op::PtxOutput { .. }
        | Op::Interpreted
        | Op::If { .. }
        | Op::For { .. }
        | Op::Loop { .. }
        | Op::Block { .. }
        | Op::Break(_)
        | Op::Continue(_)
        | Op::Return
        | Op::Print { .. }
        | Op::Panic { .. } => None,
    }
}

fn scalar_of(kernel: &Kernel, id: InstId) -> Option<Scalar> {
    match kernel.insts[id].ty {
        Ty::Scalar(scalar) => Some(scalar),
        Ty::Ptr(_) | Ty::Unit => None,
    }
}

/// A launch with another block than the declared one is refused.
fn fold_builtin(kernel: &Kernel, builtin: Builtin) -> Option<Folded> {
    let dim = |axis| {
        let [x, y, z] = kernel.block.as_ref()?;
        match axis {
            Axis::X => x.known(),
            Axis::Y => y.known(),
            Axis::Z => z.known(),
        }
    };
    match builtin {
        Builtin::BlockDim(axis) => dim(axis).map(Const),
        Builtin::ThreadIdx(axis) => (dim(axis)? == 1).then_some(Const(0)),
        Builtin::BlockIdx(_)
        | Builtin::GridDim(_)
        | Builtin::GlobalIdx(_)
        | Builtin::LaneId
        | Builtin::WarpId
        | Builtin::LaneMask(_)
        | Builtin::CoarseningFactor => None,
    }
}

fn fold_unary(kernel: &Kernel, scalar: Scalar, op: UnaryOp, value: InstId) -> Option<Folded> {
    if let Some(bits) = kernel.literal(value) {
        return evaluate::unary(op, scalar, bits).map(Const);
    }
    if let Op::Unary { op: inner, value: inside } = kernel.insts[value].op {
        if op == inner && matches!(op, UnaryOp::Neg | UnaryOp::Not) {
            return Some(Same(inside));
        }
        // On unsigned integers `abs` is the value itself, and `neg` wraps.
        let sign_only = inner == UnaryOp::Neg && !scalar.is_unsigned();
        if op == UnaryOp::Abs && (inner == UnaryOp::Abs || sign_only) {
            return Some(Folded::Op(Op::Unary { op, value: inside }));
        }
    }
    if let (UnaryOp::Not, Op::Compare { op, lhs, rhs }) = (op, &kernel.insts[value].op) {
        let op = inverse(*op, scalar_of(kernel, *lhs)?)?;
        return Some(Folded::Op(Op::Compare { op, lhs: *lhs, rhs: *rhs }));
    }
    None
}

/// The comparison that is true where `op` is false, if there is one: `!(a < b)` is
/// not `a >= b` where either is NaN.
pub(super) fn inverse(op: CompareOp, scalar: Scalar) -> Option<CompareOp> {
    let ordered = !scalar.is_float();
    match op {
        CompareOp::Eq => Some(CompareOp::Ne),
        CompareOp::Ne => Some(CompareOp::Eq),
        CompareOp::Lt => ordered.then_some(CompareOp::Ge),
        CompareOp::Le => ordered.then_some(CompareOp::Gt),
        CompareOp::Gt => ordered.then_some(CompareOp::Le),
        CompareOp::Ge => ordered.then_some(CompareOp::Lt),
    }
}

fn fold_binary(
    kernel: &Kernel,
    scalar: Scalar,
    op: BinaryOp,
    lhs: InstId,
    rhs: InstId,
) -> Option<Folded> {
    let (left, right) = (kernel.literal(lhs), kernel.literal(rhs));
    if let (Some(left), Some(right)) = (left, right) {
        return evaluate::binary(op, scalar, left, right).map(Const);
    }
    if lhs == rhs
        && let Some(folded) = fold_twice(scalar, op, lhs)
    {
        return Some(folded);
    }
    if scalar.is_float() {
        return fold_float(scalar, op, lhs, rhs, left, right);
    }
    if let Some(right) = right
        && let Some(value) = undone_sum(kernel, scalar, op, lhs, right)
    {
        return Some(Same(value));
    }
    if let Some(right) = right
        && let Some(folded) = fold_int(scalar, op, lhs, right)
    {
        return Some(folded);
    }
    match op {
        BinaryOp::Add
        | BinaryOp::Mul
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::MulHigh => fold_int(scalar, op, rhs, left?),
        BinaryOp::Shl | BinaryOp::Shr | BinaryOp::RotateLeft => (left? == 0).then_some(Const(0)),
        BinaryOp::Sub | BinaryOp::Div | BinaryOp::Rem => None,
    }
}

/// Returns x of `x + n - n` and `x - n + n`, as in `row + 1 - 1`. Integers wrap.
fn undone_sum(
    kernel: &Kernel,
    scalar: Scalar,
    op: BinaryOp,
    value: InstId,
    right: u64,
) -> Option<InstId> {
    let Op::Binary { op: inner, lhs, rhs } = kernel.insts[value].op else { return None };
    let is_undone = match (inner, op) {
        (BinaryOp::Add, BinaryOp::Sub) | (BinaryOp::Sub, BinaryOp::Add) => {
            kernel.literal(rhs) == Some(right)
        }
        (BinaryOp::Add, BinaryOp::Add) | (BinaryOp::Sub, BinaryOp::Sub) => {
            let rest = kernel.literal(rhs)?;
            evaluate::binary(BinaryOp::Add, scalar, rest, right) == Some(0)
        }
        _ => false,
    };
    is_undone.then_some(lhs)
}

/// `value op value`
fn fold_twice(scalar: Scalar, op: BinaryOp, value: InstId) -> Option<Folded> {
    let exact = !scalar.is_float();
    match op {
        BinaryOp::And | BinaryOp::Or | BinaryOp::Min | BinaryOp::Max => Some(Same(value)),
        BinaryOp::Xor => Some(Const(0)),
        BinaryOp::Sub => exact.then_some(Const(0)),
        BinaryOp::Add
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::RotateLeft
        | BinaryOp::MulHigh => None,
    }
}

/// `value op right` on integers and `bool`.
fn fold_int(scalar: Scalar, op: BinaryOp, value: InstId, right: u64) -> Option<Folded> {
    let ones = evaluate::wrap(scalar, -1);
    let (min, max) = evaluate::limits(scalar)?;
    let number = evaluate::integer(scalar, right)?;
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Or | BinaryOp::Xor if right == 0 => {
            Some(Same(value))
        }
        BinaryOp::Shl | BinaryOp::Shr | BinaryOp::RotateLeft
            if right.is_multiple_of(u64::from(scalar.bits()?)) =>
        {
            Some(Same(value))
        }
        BinaryOp::Mul | BinaryOp::Div if right == 1 => Some(Same(value)),
        BinaryOp::Mul | BinaryOp::MulHigh | BinaryOp::And if right == 0 => Some(Const(0)),
        BinaryOp::Rem if right == 1 => Some(Const(0)),
        BinaryOp::And if right == ones => Some(Same(value)),
        BinaryOp::Or if right == ones => Some(Const(ones)),
        BinaryOp::Min if number == max => Some(Same(value)),
        BinaryOp::Max if number == min => Some(Same(value)),
        BinaryOp::Min if number == min => Some(Const(right)),
        BinaryOp::Max if number == max => Some(Const(right)),
        BinaryOp::Xor if scalar == Scalar::Bool => {
            Some(Folded::Op(Op::Unary { op: UnaryOp::Not, value }))
        }
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::MulHigh
        | BinaryOp::RotateLeft => None,
    }
}

/// `lhs op rhs` on floats, where one of them may be a constant.
fn fold_float(
    scalar: Scalar,
    op: BinaryOp,
    lhs: InstId,
    rhs: InstId,
    left: Option<u64>,
    right: Option<u64>,
) -> Option<Folded> {
    let one = evaluate::cast(Scalar::U8, scalar, 1);
    let minus_zero = minus_zero(scalar);
    match op {
        BinaryOp::Mul if right == one => Some(Same(lhs)),
        BinaryOp::Mul if left == one => Some(Same(rhs)),
        BinaryOp::Div if right == one => Some(Same(lhs)),
        BinaryOp::Add if right == minus_zero => Some(Same(lhs)),
        BinaryOp::Add if left == minus_zero => Some(Same(rhs)),
        BinaryOp::Sub if right == Some(0) => Some(Same(lhs)),
        BinaryOp::Sub if left == minus_zero => {
            Some(Folded::Op(Op::Unary { op: UnaryOp::Neg, value: rhs }))
        }
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::MulHigh
        | BinaryOp::RotateLeft => None,
    }
}

fn minus_zero(scalar: Scalar) -> Option<u64> {
    scalar.bits().map(|width| 1 << (width - 1))
}

fn fold_ternary(
    kernel: &Kernel,
    op: TernaryOp,
    scalar: Scalar,
    operands: [InstId; 3],
) -> Option<Folded> {
    let [a, b, c] = operands.map(|id| kernel.literal(id));
    evaluate::ternary(op, scalar, [a?, b?, c?]).map(Const)
}

fn fold_fma(kernel: &Kernel, scalar: Scalar, a: InstId, b: InstId, c: InstId) -> Option<Folded> {
    let [left, right, addend] = [a, b, c].map(|id| kernel.literal(id));
    if let (Some(left), Some(right), Some(addend)) = (left, right, addend) {
        return evaluate::fma(scalar, left, right, addend).map(Const);
    }
    let one = evaluate::cast(Scalar::U8, scalar, 1);
    if addend.is_some() && addend == minus_zero(scalar) {
        return Some(Folded::Op(Op::Binary { op: BinaryOp::Mul, lhs: a, rhs: b }));
    }
    let factor = if left.is_some() && left == one {
        b
    } else if right.is_some() && right == one {
        a
    } else {
        return None;
    };
    Some(Folded::Op(Op::Binary { op: BinaryOp::Add, lhs: factor, rhs: c }))
}

fn fold_compare(kernel: &Kernel, op: CompareOp, lhs: InstId, rhs: InstId) -> Option<Folded> {
    let scalar = scalar_of(kernel, lhs)?;
    let (left, right) = (kernel.literal(lhs), kernel.literal(rhs));
    if let (Some(left), Some(right)) = (left, right) {
        return evaluate::compare(op, scalar, left, right).map(truth);
    }
    if lhs == rhs && !scalar.is_float() {
        let equal = matches!(op, CompareOp::Eq | CompareOp::Le | CompareOp::Ge);
        return Some(truth(equal));
    }
    if scalar == Scalar::Bool {
        return fold_bool_compare(op, lhs, right).or_else(|| fold_bool_compare(op, rhs, left));
    }
    if !scalar.is_unsigned() {
        return None;
    }
    // Nothing is below zero.
    match op {
        CompareOp::Lt if right == Some(0) => Some(truth(false)),
        CompareOp::Ge if right == Some(0) => Some(truth(true)),
        CompareOp::Gt if left == Some(0) => Some(truth(false)),
        CompareOp::Le if left == Some(0) => Some(truth(true)),
        CompareOp::Lt
        | CompareOp::Ge
        | CompareOp::Gt
        | CompareOp::Le
        | CompareOp::Eq
        | CompareOp::Ne => None,
    }
}

fn truth(value: bool) -> Folded {
    Const(u64::from(value))
}

/// `value == right` or `value != right`, of `bool`s.
fn fold_bool_compare(op: CompareOp, value: InstId, right: Option<u64>) -> Option<Folded> {
    let right = right? == 1;
    match op {
        CompareOp::Eq if right => Some(Same(value)),
        CompareOp::Ne if !right => Some(Same(value)),
        CompareOp::Eq | CompareOp::Ne => Some(Folded::Op(Op::Unary { op: UnaryOp::Not, value })),
        CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge => None,
    }
}

fn fold_cast(kernel: &Kernel, to: Scalar, value: InstId) -> Option<Folded> {
    let from = scalar_of(kernel, value)?;
    if from == to {
        return Some(Same(value));
    }
    if let Some(bits) = kernel.literal(value) {
        return evaluate::cast(from, to, bits).map(Const);
    }
    let Op::Cast { value: inside } = kernel.insts[value].op else { return None };
    let origin = scalar_of(kernel, inside)?;
    one_cast_will_do(origin, from, to).then_some(Folded::Op(Op::Cast { value: inside }))
}

/// True if `x as middle as to` is `x as to` for every `x: from`.
fn one_cast_will_do(from: Scalar, middle: Scalar, to: Scalar) -> bool {
    if from.half().is_some() && matches!(middle, Scalar::F32 | Scalar::F64)
        || from == Scalar::F32 && middle == Scalar::F64
    {
        return true;
    }
    if from == Scalar::Bool && to.is_float() {
        // Rust has no such cast, and so the engines need none.
        return false;
    }
    let (Some(from_limits), Some(middle_limits)) =
        (evaluate::limits(from), evaluate::limits(middle))
    else {
        return false;
    };
    let keeps_value = middle_limits.0 <= from_limits.0 && from_limits.1 <= middle_limits.1;
    let keeps_bits = to.is_int() && to.bits() <= middle.bits();
    keeps_value || keeps_bits
}

fn fold_bitcast(kernel: &Kernel, to: Scalar, value: InstId) -> Option<Folded> {
    if scalar_of(kernel, value)? == to {
        return Some(Same(value));
    }
    if let Some(bits) = kernel.literal(value) {
        return Some(Const(bits));
    }
    let Op::Bitcast { value: inside } = kernel.insts[value].op else { return None };
    Some(Folded::Op(Op::Bitcast { value: inside }))
}

fn fold_select(
    kernel: &Kernel,
    scalar: Scalar,
    cond: InstId,
    then: InstId,
    other: InstId,
) -> Option<Folded> {
    if let Some(cond) = kernel.literal(cond) {
        return Some(Same(if cond == 1 { then } else { other }));
    }
    if then == other {
        return Some(Same(then));
    }
    if scalar != Scalar::Bool {
        return None;
    }
    let binary = |op, rhs| Some(Folded::Op(Op::Binary { op, lhs: cond, rhs }));
    match (kernel.literal(then), kernel.literal(other)) {
        (Some(a), Some(b)) if a == b => Some(Same(then)),
        (Some(1), Some(_)) => Some(Same(cond)),
        (Some(_), Some(_)) => Some(Folded::Op(Op::Unary { op: UnaryOp::Not, value: cond })),
        (Some(1), None) => binary(BinaryOp::Or, other),
        (None, Some(0)) => binary(BinaryOp::And, then),
        (Some(_), None) | (None, Some(_) | None) => None,
    }
}
