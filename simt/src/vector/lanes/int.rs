//! Integer operations: two's complement, wrapping.
use super::{Isa, LaneFn, lane_ops, pick};
use warpwise_compiler::ir::{AtomicOp, BinaryOp, CompareOp, UnaryOp};

/// The requirements of the operations on an integer type.
pub(super) trait Int: Copy + Default + Ord {
    /// The unsigned type of the same size, for operations that do not depend on the sign.
    type Unsigned: Int;
    fn neg(self) -> Self;
    fn abs(self) -> Self;
    fn not(self) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// Divides; a division by zero gives 0.
    fn div(self, other: Self) -> Self;
    /// Returns the remainder; a division by zero gives 0.
    fn rem(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn shl(self, by: u32) -> Self;
    fn shr(self, by: u32) -> Self;
    fn rotate_left(self, by: u32) -> Self;
    /// Returns the upper half of the exact product.
    fn mul_high(self, other: Self) -> Self;
    fn count_ones(self) -> Self;
    fn leading_zeros(self) -> Self;
    fn reverse_bits(self) -> Self;
    fn swap_bytes(self) -> Self;
    /// Returns the bits, zero-extended from the size of the type.
    fn bits(self) -> u64;
    fn of_bits(bits: u64) -> Self;
}

macro_rules! ints {
    ($($int:ty, $unsigned:ty, $wide:ty, $abs:ident;)*) => {$(
        impl Int for $int {
            type Unsigned = $unsigned;
            #[inline(always)]
            fn neg(self) -> Self { self.wrapping_neg() }
            #[inline(always)]
            fn abs(self) -> Self { $abs!(self) }
            #[inline(always)]
            fn not(self) -> Self { !self }
            #[inline(always)]
            fn add(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline(always)]
            fn sub(self, other: Self) -> Self { self.wrapping_sub(other) }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { self.wrapping_mul(other) }
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                if other == 0 { 0 } else { self.wrapping_div(other) }
            }
            #[inline(always)]
            fn rem(self, other: Self) -> Self {
                if other == 0 { 0 } else { self.wrapping_rem(other) }
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self { self & other }
            #[inline(always)]
            fn or(self, other: Self) -> Self { self | other }
            #[inline(always)]
            fn xor(self, other: Self) -> Self { self ^ other }
            #[inline(always)]
            fn shl(self, by: u32) -> Self { self.wrapping_shl(by) }
            #[inline(always)]
            fn shr(self, by: u32) -> Self { self.wrapping_shr(by) }
            #[inline(always)]
            fn rotate_left(self, by: u32) -> Self { self.rotate_left(by % <$int>::BITS) }
            #[inline(always)]
            fn mul_high(self, other: Self) -> Self {
                (<$wide>::from(self) * <$wide>::from(other) >> <$int>::BITS) as $int
            }
            #[inline(always)]
            fn count_ones(self) -> Self { self.count_ones() as $int }
            #[inline(always)]
            fn leading_zeros(self) -> Self { self.leading_zeros() as $int }
            #[inline(always)]
            fn reverse_bits(self) -> Self { self.reverse_bits() }
            #[inline(always)]
            fn swap_bytes(self) -> Self { self.swap_bytes() }
            #[inline(always)]
            fn bits(self) -> u64 { self as $unsigned as u64 }
            #[inline(always)]
            fn of_bits(bits: u64) -> Self { bits as $int }
        }
    )*};
}
macro_rules! signed {
    ($value:expr) => {
        $value.wrapping_abs()
    };
}
macro_rules! unsigned {
    ($value:expr) => {
        $value
    };
}
ints! {
    i8, u8, i16, signed;
    i16, u16, i32, signed;
    i32, u32, i64, signed;
    i64, u64, i128, signed;
    u8, u8, u16, unsigned;
    u16, u16, u32, unsigned;
    u32, u32, u64, unsigned;
    u64, u64, u128, unsigned;
}

lane_ops! {
    Neg<T: Int>(a: T, _b: (), _c: ()) -> T { a.neg() }
    Abs<T: Int>(a: T, _b: (), _c: ()) -> T { a.abs() }
    Not<T: Int>(a: T, _b: (), _c: ()) -> T { a.not() }
    Add<T: Int>(a: T, b: T, _c: ()) -> T { a.add(b) }
    Sub<T: Int>(a: T, b: T, _c: ()) -> T { a.sub(b) }
    Mul<T: Int>(a: T, b: T, _c: ()) -> T { a.mul(b) }
    Div<T: Int>(a: T, b: T, _c: ()) -> T { a.div(b) }
    Rem<T: Int>(a: T, b: T, _c: ()) -> T { a.rem(b) }
    And<T: Int>(a: T, b: T, _c: ()) -> T { a.and(b) }
    Or<T: Int>(a: T, b: T, _c: ()) -> T { a.or(b) }
    Xor<T: Int>(a: T, b: T, _c: ()) -> T { a.xor(b) }
    Shl<T: Int>(a: T, b: u32, _c: ()) -> T { a.shl(b) }
    Shr<T: Int>(a: T, b: u32, _c: ()) -> T { a.shr(b) }
    RotateLeft<T: Int>(a: T, b: u32, _c: ()) -> T { a.rotate_left(b) }
    MulHigh<T: Int>(a: T, b: T, _c: ()) -> T { a.mul_high(b) }
    CountOnes<T: Int>(a: T, _b: (), _c: ()) -> T { a.count_ones() }
    LeadingZeros<T: Int>(a: T, _b: (), _c: ()) -> T { a.leading_zeros() }
    ReverseBits<T: Int>(a: T, _b: (), _c: ()) -> T { a.reverse_bits() }
    SwapBytes<T: Int>(a: T, _b: (), _c: ()) -> T { a.swap_bytes() }
    Min<T: Int>(a: T, b: T, _c: ()) -> T { if b < a { b } else { a } }
    Max<T: Int>(a: T, b: T, _c: ()) -> T { if b > a { b } else { a } }
    Eq<T: Int>(a: T, b: T, _c: ()) -> u8 { u8::from(a == b) }
    Ne<T: Int>(a: T, b: T, _c: ()) -> u8 { u8::from(a != b) }
    Lt<T: Int>(a: T, b: T, _c: ()) -> u8 { u8::from(a < b) }
    Le<T: Int>(a: T, b: T, _c: ()) -> u8 { u8::from(a <= b) }
    Gt<T: Int>(a: T, b: T, _c: ()) -> u8 { u8::from(a > b) }
    Ge<T: Int>(a: T, b: T, _c: ()) -> u8 { u8::from(a >= b) }
}

pub(super) fn unary<T: Int>(op: UnaryOp, isa: Isa) -> Option<LaneFn> {
    match op {
        UnaryOp::Neg => Some(pick::<Neg<T::Unsigned>>(isa)),
        UnaryOp::Not => Some(pick::<Not<T::Unsigned>>(isa)),
        UnaryOp::Abs => Some(pick::<Abs<T>>(isa)),
        UnaryOp::CountOnes => Some(pick::<CountOnes<T::Unsigned>>(isa)),
        UnaryOp::LeadingZeros => Some(pick::<LeadingZeros<T::Unsigned>>(isa)),
        UnaryOp::ReverseBits => Some(pick::<ReverseBits<T::Unsigned>>(isa)),
        UnaryOp::SwapBytes => Some(pick::<SwapBytes<T::Unsigned>>(isa)),
        UnaryOp::Sqrt
        | UnaryOp::Rsqrt
        | UnaryOp::Floor
        | UnaryOp::Ceil
        | UnaryOp::Trunc
        | UnaryOp::RoundTiesEven
        | UnaryOp::Approx(_) => None,
    }
}

pub(super) fn binary<T: Int>(op: BinaryOp, isa: Isa) -> Option<LaneFn> {
    Some(match op {
        BinaryOp::Add => pick::<Add<T::Unsigned>>(isa),
        BinaryOp::Sub => pick::<Sub<T::Unsigned>>(isa),
        BinaryOp::Mul => pick::<Mul<T::Unsigned>>(isa),
        BinaryOp::Div => pick::<Div<T>>(isa),
        BinaryOp::Rem => pick::<Rem<T>>(isa),
        BinaryOp::And => pick::<And<T::Unsigned>>(isa),
        BinaryOp::Or => pick::<Or<T::Unsigned>>(isa),
        BinaryOp::Xor => pick::<Xor<T::Unsigned>>(isa),
        BinaryOp::Shl => pick::<Shl<T::Unsigned>>(isa),
        BinaryOp::Shr => pick::<Shr<T>>(isa),
        BinaryOp::Min => pick::<Min<T>>(isa),
        BinaryOp::Max => pick::<Max<T>>(isa),
        BinaryOp::MulHigh => pick::<MulHigh<T>>(isa),
        BinaryOp::RotateLeft => pick::<RotateLeft<T::Unsigned>>(isa),
    })
}

pub(super) fn compare<T: Int>(op: CompareOp, isa: Isa) -> LaneFn {
    match op {
        CompareOp::Eq => pick::<Eq<T::Unsigned>>(isa),
        CompareOp::Ne => pick::<Ne<T::Unsigned>>(isa),
        CompareOp::Lt => pick::<Lt<T>>(isa),
        CompareOp::Le => pick::<Le<T>>(isa),
        CompareOp::Gt => pick::<Gt<T>>(isa),
        CompareOp::Ge => pick::<Ge<T>>(isa),
    }
}

pub(super) fn atomic<T: Int>(op: AtomicOp) -> fn(u64, u64) -> u64 {
    match op {
        AtomicOp::Swap => |_, new| new,
        AtomicOp::Add => |old, by| T::of_bits(old).add(T::of_bits(by)).bits(),
        AtomicOp::Sub => |old, by| T::of_bits(old).sub(T::of_bits(by)).bits(),
        AtomicOp::And => |old, with| old & with,
        AtomicOp::Or => |old, with| old | with,
        AtomicOp::Xor => |old, with| old ^ with,
        AtomicOp::Min => |old, with| T::of_bits(old).min(T::of_bits(with)).bits(),
        AtomicOp::Max => |old, with| T::of_bits(old).max(T::of_bits(with)).bits(),
    }
}
