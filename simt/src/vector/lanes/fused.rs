//! Pairs of float operations in one loop: the first result stays in a register of the host.
#[cfg(all(target_arch = "x86_64", not(miri)))]
use super::in_memory;
use super::{
    C, Formula, Isa, LaneFn, LaneOp, float::Float, pick, pick_loop, select_float, with_memory,
};
use std::marker::PhantomData;
use warpwise_compiler::ir::{BinaryOp, CompareOp, Scalar};

/// An operation on two floats.
trait Arithmetic<T> {
    fn of(a: T, b: T) -> T;
}

/// An operation on the result of the first operation and a third operand.
trait Outer<T> {
    type Result: Copy + Default;
    fn of(inner: T, c: T) -> Self::Result;
}

macro_rules! arithmetic {
    ($($name:ident($a:ident, $b:ident) $value:expr;)*) => {$(
        struct $name;
        impl<T: Float> Arithmetic<T> for $name {
            #[inline(always)]
            fn of($a: T, $b: T) -> T { $value }
        }
        impl<T: Float> Outer<T> for $name {
            type Result = T;
            #[inline(always)]
            fn of($a: T, $b: T) -> T { $value }
        }
    )*};
}
arithmetic! {
    Add(a, b) a.add(b);
    Sub(a, b) a.sub(b);
    Mul(a, b) a.mul(b);
}

macro_rules! outer {
    ($($name:ident($inner:ident, $c:ident) -> $result:ty: $value:expr;)*) => {$(
        struct $name;
        impl<T: Float> Outer<T> for $name {
            type Result = $result;
            #[inline(always)]
            fn of($inner: T, $c: T) -> $result { $value }
        }
    )*};
}
outer! {
    SubFrom(inner, c) -> T: c.sub(inner);
    Eq(inner, c) -> u8: u8::from(inner == c);
    Ne(inner, c) -> u8: u8::from(inner != c);
    Lt(inner, c) -> u8: u8::from(inner < c);
    Le(inner, c) -> u8: u8::from(inner <= c);
    Gt(inner, c) -> u8: u8::from(inner > c);
    Ge(inner, c) -> u8: u8::from(inner >= c);
}

struct Fused<T, F, G>(PhantomData<(T, F, G)>);
impl<T: Float, F: Arithmetic<T>, G: Outer<T>> LaneOp for Fused<T, F, G> {
    type A = T;
    type B = T;
    type C = T;
    type D = G::Result;
    #[inline(always)]
    fn eval(a: T, b: T, c: T) -> G::Result {
        G::of(F::of(a, b), c)
    }
}

/// The requirements on a loop: the instruction set of the host, and true if `c` is a uniform value.
#[derive(Clone, Copy)]
pub(crate) struct LoopSpec {
    pub(crate) isa: Isa,
    pub(crate) one: bool,
}

/// Two operations: `outer(inner(a, b), c)`, or with the operands of the outer one exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) inner: BinaryOp,
    pub(crate) outer: BinaryOp,
    /// True if the inner result is the left operand of the outer operation.
    pub(crate) is_left: bool,
}

/// Returns `outer(inner(a, b), c)`, or with the operands of the outer one exchanged.
pub(crate) fn binary(
    inner: BinaryOp,
    outer: BinaryOp,
    is_left: bool,
    scalar: Scalar,
    how: LoopSpec,
) -> Option<LaneFn> {
    let pair = Pair { inner, outer, is_left };
    let found = pair_loop(pair, scalar, how);
    let found = found.map(|f| f.with_formula(Formula::Pair(pair, scalar), how.isa));
    if how.one { found } else { with_memory!(how.isa, found, in_memory::pair(pair, scalar)) }
}

fn pair_loop(pair: Pair, scalar: Scalar, how: LoopSpec) -> Option<LaneFn> {
    select_float(scalar, || arithmetic_of::<f32>(pair, how), || arithmetic_of::<f64>(pair, how))
}

/// Returns `outer(inner(a, b), c)`, for a comparison.
pub(crate) fn compare(
    inner: BinaryOp,
    outer: CompareOp,
    scalar: Scalar,
    how: LoopSpec,
) -> Option<LaneFn> {
    select_float(
        scalar,
        || comparison_of::<f32>(inner, outer, how),
        || comparison_of::<f64>(inner, outer, how),
    )
}

fn arithmetic_of<T: Float>(Pair { inner, outer, is_left }: Pair, how: LoopSpec) -> Option<LaneFn> {
    match outer {
        // Both orders give the same result, except for the choice among two NaNs.
        BinaryOp::Add => with_inner::<T, Add>(inner, how),
        BinaryOp::Mul => with_inner::<T, Mul>(inner, how),
        BinaryOp::Sub if is_left => with_inner::<T, Sub>(inner, how),
        BinaryOp::Sub => with_inner::<T, SubFrom>(inner, how),
        BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::MulHigh
        | BinaryOp::RotateLeft => None,
    }
}

fn comparison_of<T: Float>(inner: BinaryOp, outer: CompareOp, how: LoopSpec) -> Option<LaneFn> {
    match outer {
        CompareOp::Eq => with_inner::<T, Eq>(inner, how),
        CompareOp::Ne => with_inner::<T, Ne>(inner, how),
        CompareOp::Lt => with_inner::<T, Lt>(inner, how),
        CompareOp::Le => with_inner::<T, Le>(inner, how),
        CompareOp::Gt => with_inner::<T, Gt>(inner, how),
        CompareOp::Ge => with_inner::<T, Ge>(inner, how),
    }
}

fn pick_loop_for<O: LaneOp>(LoopSpec { isa, one }: LoopSpec) -> LaneFn {
    if one { pick_loop::<O, C>(isa) } else { pick::<O>(isa) }
}

fn with_inner<T: Float, G: Outer<T>>(inner: BinaryOp, how: LoopSpec) -> Option<LaneFn> {
    match inner {
        BinaryOp::Add => Some(pick_loop_for::<Fused<T, Add, G>>(how)),
        BinaryOp::Sub => Some(pick_loop_for::<Fused<T, Sub, G>>(how)),
        BinaryOp::Mul => Some(pick_loop_for::<Fused<T, Mul, G>>(how)),
        BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::MulHigh
        | BinaryOp::RotateLeft => None,
    }
}
