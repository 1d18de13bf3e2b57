//! Numbers that collectives transfer and combine: [`CollectiveElement`] and [`ReduceOp`].
use super::rendezvous::Part;
use crate::{
    Element, Num,
    elements::{element::sealed::Bytes, num::MinMax},
};
use half::{bf16, f16};
use std::{fmt, ops::Range};

/// The operation by which a reduction combines the elements of all ranks.
///
/// CPU devices combine them in the order of the ranks, NCCL in an order of its own, so that sums
/// and products of floats may differ in the last bits. Integers wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReduceOp {
    /// The sum.
    Sum,
    /// The product.
    Product,
    /// The smallest. If some of them are NaN, the result is unspecified.
    Min,
    /// The largest. If some of them are NaN, the result is unspecified.
    Max,
    /// The sum, divided by the number of ranks; of integers without the fraction.
    Mean,
}

/// The type of the elements of a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DataType {
    I8,
    U8,
    I32,
    U32,
    I64,
    U64,
    F16,
    Bf16,
    F32,
    F64,
}

impl DataType {
    /// Returns the size in bytes.
    #[cfg(feature = "nccl")]
    pub(crate) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::F16 | Self::Bf16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }
}

/// The name of the type in Rust.
impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::I8 => "i8",
            Self::U8 => "u8",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::I64 => "i64",
            Self::U64 => "u64",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
        })
    }
}

/// A number that collectives transfer and combine, on GPUs and on CPU devices: `i8`, `u8`, `i32`,
/// `u32`, `i64`, `u64`, `f16`, `bf16`, `f32` and `f64`, the types that NCCL has.
#[diagnostic::on_unimplemented(
    message = "collectives do not transfer `{Self}`",
    note = "they take i8, u8, i32, u32, i64, u64, f16, bf16, f32 and f64; `as_lanes` borrows vectors as numbers"
)]
pub trait CollectiveElement: Element + sealed::Combine {}

pub(super) mod sealed {
    use super::{DataType, ReduceOp};

    /// The seal of [`CollectiveElement`](super::CollectiveElement), which no other crate
    /// implements.
    pub trait Combine: Copy {
        /// The type as a value.
        #[expect(private_interfaces, reason = "only this crate reads it")]
        const TYPE: DataType;
        /// Combines two elements; `Mean` adds them.
        fn combine(self, other: Self, op: ReduceOp) -> Self;
        /// Divides a sum of `count` elements by their number.
        fn mean(self, count: usize) -> Self;
    }
}

macro_rules! elements {
    ($($ty:ident $variant:ident |$a:ident, $b:ident| $sum:expr, $product:expr; |$value:ident, $count:ident| $mean:expr;)*) => {$(
        impl CollectiveElement for $ty {}
        impl sealed::Combine for $ty {
            #[expect(private_interfaces, reason = "only this crate reads it")]
            const TYPE: DataType = DataType::$variant;
            fn combine(self, other: Self, op: ReduceOp) -> Self {
                let ($a, $b) = (self, other);
                match op {
                    ReduceOp::Sum | ReduceOp::Mean => $sum,
                    ReduceOp::Product => $product,
                    ReduceOp::Min => MinMax::min(self, other),
                    ReduceOp::Max => MinMax::max(self, other),
                }
            }
            fn mean(self, count: usize) -> Self {
                let ($value, $count) = (self, count);
                $mean
            }
        }
    )*};
}
macro_rules! integers {
    ($($ty:ident $variant:ident)*) => {
        elements! {$(
            $ty $variant |a, b| a.wrapping_add(b), a.wrapping_mul(b);
            // The number of ranks may be more than the type holds.
            |sum, count| (i128::from(sum) / count as i128) as $ty;
        )*}
    };
}
macro_rules! floats {
    ($($ty:ident $variant:ident)*) => {
        elements! {$(
            $ty $variant |a, b| a + b, a * b;
            // `f64` has twice the digits of the smaller types, so the second rounding is harmless.
            |sum, count| <$ty as Num>::from_f64(sum.as_f64() / count as f64);
        )*}
    };
}
integers! { i8 I8 u8 U8 i32 I32 u32 U32 i64 I64 u64 U64 }
floats! { f16 F16 bf16 Bf16 f32 F32 f64 F64 }

/// Combines the elements in these bytes of each rank's contribution, in the order of the ranks.
/// `None` if the host lacks the memory.
pub(super) fn reduce<T: CollectiveElement>(
    parts: &[Part],
    bytes: Range<usize>,
    op: ReduceOp,
) -> Option<Vec<T>> {
    let size = size_of::<T>();
    let (first, others) = parts.split_first()?;
    let collected = <T as Bytes>::collect(bytes.len() / size, |to| {
        to.copy_from_slice(&first[bytes.clone()]);
        Ok::<(), std::convert::Infallible>(())
    })?;
    let Ok(mut values) = collected;
    for part in others {
        for (value, other) in values.iter_mut().zip(part[bytes.clone()].chunks_exact(size)) {
            *value = value.combine(T::first(other), op);
        }
    }
    if op == ReduceOp::Mean {
        values.iter_mut().for_each(|value| *value = value.mean(parts.len()));
    }
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reduced<T: CollectiveElement>(ranks: &[&[T]], op: ReduceOp) -> Vec<T> {
        let parts: Vec<_> =
            ranks.iter().map(|values| Part::new(T::bytes(values).to_vec())).collect();
        reduce(&parts, 0..parts[0].len(), op).unwrap()
    }

    #[test]
    fn integers_wrap_and_means_lose_their_fraction() {
        assert_eq!(reduced(&[&[i8::MAX, -1], &[1, -2]], ReduceOp::Sum), [i8::MIN, -3]);
        assert_eq!(reduced(&[&[200u8], &[2]], ReduceOp::Product), [144]);
        assert_eq!(reduced(&[&[-5i32, 5], &[-2, 2]], ReduceOp::Mean), [-3, 3]);
        assert_eq!(reduced(&[&[3u64, 9], &[4, 8]], ReduceOp::Min), [3, 8]);
        assert_eq!(reduced(&[&[3i64, -9], &[4, -8]], ReduceOp::Max), [4, -8]);
        let many = vec![&[1u8][..]; 300];
        assert_eq!(reduced(&many, ReduceOp::Mean), [0]);
    }

    #[test]
    fn floats_are_rounded_in_their_own_type() {
        let tiny = f16::from_f32(0.0004);
        assert_eq!(reduced(&[&[f16::ONE], &[tiny], &[tiny]], ReduceOp::Sum), [f16::ONE]);
        assert_eq!(
            reduced(&[&[bf16::from_f32(3.0)], &[bf16::ONE]], ReduceOp::Mean)[0].to_f32(),
            2.0
        );
        assert_eq!(reduced(&[&[1.5f32], &[2.0], &[4.0]], ReduceOp::Product), [12.0]);
        assert_eq!(reduced(&[&[1.0f64], &[0.0], &[0.0]], ReduceOp::Mean), [1.0 / 3.0]);
        assert_eq!(reduced(&[&[1.0f32], &[0.0], &[0.0]], ReduceOp::Mean), [1.0 / 3.0]);
    }
}
