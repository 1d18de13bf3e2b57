//! The numbers that kernels compute with, [`Element`]s, and [`Atomic`]s over them.
//!
//! Both traits are sealed: the elements are the compiler's [`Scalar`]s. `bool` is a byte in memory
//! that is 0 or 1; every other element is plain data.
use crate::{AtomicF32, AtomicF64, Plain, Stored, elements::plain::Layout};
use half::{
    bf16, f16,
    slice::{HalfBitsSliceExt, HalfFloatSliceExt as _},
    vec::HalfBitsVecExt,
};
use std::{
    fmt::Debug,
    sync::atomic::{
        AtomicBool, AtomicI32, AtomicI64, AtomicIsize, AtomicU32, AtomicU64, AtomicUsize,
        Ordering::Relaxed,
    },
};
use warpwise_compiler::ir::{self, Scalar};

pub(crate) mod sealed {
    /// The seal of traits that no other crate implements.
    pub trait Sealed {}

    /// The representation of elements as bytes.
    pub trait Bytes: Sized {
        /// Returns the bytes of `values`.
        fn bytes(values: &[Self]) -> &[u8];
        /// Returns the element at the beginning of `bytes`.
        fn first(bytes: &[u8]) -> Self;
        /// Returns `len` elements whose bytes `read` writes; `None` if the host lacks the memory.
        fn collect<E>(
            len: usize,
            read: impl FnOnce(&mut [u8]) -> Result<(), E>,
        ) -> Option<Result<Vec<Self>, E>>;
        /// Overwrites `values` with the elements whose bytes `read` writes; `None` if the host
        /// lacks the memory.
        fn load_all<E>(
            values: &mut [Self],
            read: impl FnOnce(&mut [u8]) -> Result<(), E>,
        ) -> Option<Result<(), E>>;
    }

    /// An element for which all bytes are a value.
    pub trait CastBytes: Sized {
        /// Returns the elements with these bytes, which are aligned for them.
        fn cast(bytes: &[u8]) -> &[Self];
        /// Returns the elements with these bytes, which are aligned for them.
        fn cast_mut(bytes: &mut [u8]) -> &mut [Self];
    }
}
use sealed::{Bytes, CastBytes, Sealed};

/// A type that buffers hold and kernels compute with: `bool`, `i8` to `i64`, `u8` to `u64`,
/// `usize`, `isize`, `f16`, `bf16`, `f32` and `f64`.
pub trait Element:
    Plain + Sealed + Bytes + Default + PartialEq + PartialOrd + Debug + Send + Sync
{
    /// The same type to the compiler.
    #[doc(hidden)]
    const SCALAR: Scalar;
    /// Returns the bits, zero-extended.
    #[doc(hidden)]
    fn to_bits(self) -> u64;
}

/// An element of a kernel's `&[AtomicU32]` and the like: std's `AtomicU32`, `AtomicI32`,
/// `AtomicU64`, `AtomicI64`, `AtomicUsize`, `AtomicIsize` and `AtomicBool`, this crate's
/// [`AtomicF32`] and [`AtomicF64`], and arrays of them.
pub trait Atomic: Sealed + Stored<Value: AtomicElement<Atomic = Self>> {}

/// An [`Element`] that has an [`Atomic`], or an array of such.
pub trait AtomicElement: Plain + Sealed {
    /// The atomic over it.
    type Atomic: Atomic<Value = Self>;
}

impl<T: Sealed, const N: usize> Sealed for [T; N] {}
impl<A: Atomic, const N: usize> Atomic for [A; N] {}
impl<T: AtomicElement, const N: usize> AtomicElement for [T; N] {
    type Atomic = [T::Atomic; N];
}

macro_rules! plain {
    ($($ty:ident $scalar:ident |$value:ident| $bits:expr;)*) => {$(
        impl Sealed for $ty {}
        impl Element for $ty {
            const SCALAR: Scalar = Scalar::$scalar;
            fn to_bits(self) -> u64 {
                let $value = self;
                $bits
            }
        }
    )*};
}
plain! {
    bool Bool |value| u64::from(value);
    i8 I8 |value| u64::from(value.cast_unsigned());
    i16 I16 |value| u64::from(value.cast_unsigned());
    i32 I32 |value| u64::from(value.cast_unsigned());
    i64 I64 |value| value.cast_unsigned();
    isize I64 |value| value as u64;
    u8 U8 |value| u64::from(value);
    u16 U16 |value| u64::from(value);
    u32 U32 |value| u64::from(value);
    u64 U64 |value| value;
    usize U64 |value| value as u64;
    f16 F16 |value| u64::from(value.to_bits());
    bf16 BF16 |value| u64::from(value.to_bits());
    f32 F32 |value| u64::from(value.to_bits());
    f64 F64 |value| value.to_bits();
}

macro_rules! every_bit_pattern_is_a_value {
    ($($ty:ident)*) => {$(
        impl Bytes for $ty {
            fn bytes(values: &[Self]) -> &[u8] {
                bytemuck::cast_slice(values)
            }
            fn first(bytes: &[u8]) -> Self {
                bytemuck::pod_read_unaligned(&bytes[..size_of::<Self>()])
            }
            fn collect<E>(
                len: usize,
                read: impl FnOnce(&mut [u8]) -> Result<(), E>,
            ) -> Option<Result<Vec<Self>, E>> {
                let mut values = bytemuck::allocation::try_zeroed_vec(len).ok()?;
                Some(read(bytemuck::cast_slice_mut(&mut values)).map(|()| values))
            }
            fn load_all<E>(
                values: &mut [Self],
                read: impl FnOnce(&mut [u8]) -> Result<(), E>,
            ) -> Option<Result<(), E>> {
                Some(read(bytemuck::cast_slice_mut(values)))
            }
        }
        impl CastBytes for $ty {
            fn cast(bytes: &[u8]) -> &[Self] {
                bytemuck::cast_slice(bytes)
            }
            fn cast_mut(bytes: &mut [u8]) -> &mut [Self] {
                bytemuck::cast_slice_mut(bytes)
            }
        }
    )*};
}
every_bit_pattern_is_a_value! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64 }

macro_rules! every_u16_is_a_value {
    ($($ty:ident)*) => {$(
        impl Bytes for $ty {
            fn bytes(values: &[Self]) -> &[u8] {
                bytemuck::cast_slice::<u16, u8>(values.reinterpret_cast())
            }
            fn first(bytes: &[u8]) -> Self {
                Self::from_bits(u16::first(bytes))
            }
            fn collect<E>(
                len: usize,
                read: impl FnOnce(&mut [u8]) -> Result<(), E>,
            ) -> Option<Result<Vec<Self>, E>> {
                <u16 as Bytes>::collect(len, read)
                    .map(|bits| bits.map(HalfBitsVecExt::reinterpret_into))
            }
            fn load_all<E>(
                values: &mut [Self],
                read: impl FnOnce(&mut [u8]) -> Result<(), E>,
            ) -> Option<Result<(), E>> {
                <u16 as Bytes>::load_all(values.reinterpret_cast_mut(), read)
            }
        }
        impl CastBytes for $ty {
            fn cast(bytes: &[u8]) -> &[Self] {
                HalfBitsSliceExt::reinterpret_cast(u16::cast(bytes))
            }
            fn cast_mut(bytes: &mut [u8]) -> &mut [Self] {
                HalfBitsSliceExt::reinterpret_cast_mut(u16::cast_mut(bytes))
            }
        }
    )*};
}
every_u16_is_a_value! { f16 bf16 }

impl Bytes for bool {
    fn bytes(values: &[Self]) -> &[u8] {
        bytemuck::cast_slice(values)
    }
    fn first(bytes: &[u8]) -> Self {
        bytes[0] != 0
    }
    fn collect<E>(
        len: usize,
        read: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Option<Result<Vec<Self>, E>> {
        let bytes = <u8 as Bytes>::collect(len, read)?;
        Some(bytes.map(|bytes| bytes.into_iter().map(|byte| byte != 0).collect()))
    }
    fn load_all<E>(
        values: &mut [Self],
        read: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Option<Result<(), E>> {
        let bytes = <Self as Bytes>::collect(values.len(), read)?;
        Some(bytes.map(|bytes| values.copy_from_slice(&bytes)))
    }
}

macro_rules! atomic {
    ($($atomic:ident $value:ident;)*) => {$(
        impl Sealed for $atomic {}
        impl Atomic for $atomic {}
        impl Stored for $atomic {
            type Value = $value;
            const ZEROED: bool = true;
            const ATOMIC: bool = true;
            const LAYOUT: Layout = Layout::of::<Self>();
            const ELEMENT: ir::Element = <$value as Stored>::ELEMENT;
            fn store(&self, bytes: &mut [u8]) {
                self.load(Relaxed).store(bytes);
            }
            fn load(bytes: &[u8]) -> Self {
                Self::new(<$value as Stored>::load(bytes))
            }
        }
        impl AtomicElement for $value {
            type Atomic = $atomic;
        }
    )*};
}
atomic! {
    AtomicBool bool;
    AtomicU32 u32;
    AtomicI32 i32;
    AtomicU64 u64;
    AtomicI64 i64;
    AtomicUsize usize;
    AtomicIsize isize;
    AtomicF32 f32;
    AtomicF64 f64;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_zero_extended() {
        assert_eq!((-1i8).to_bits(), 0xff);
        assert_eq!((-2i64).to_bits(), u64::MAX - 1);
        assert_eq!(Element::to_bits(1.0f32), 0x3f80_0000);
        assert_eq!(true.to_bits(), 1);
        assert_eq!((-1isize).to_bits(), u64::MAX);
    }

    #[test]
    fn any_nonzero_byte_reads_as_true() {
        let read = |bytes: &mut [u8]| {
            bytes.copy_from_slice(&[0, 1, 255]);
            Ok::<(), ()>(())
        };
        assert_eq!(<bool as Bytes>::collect(3, read), Some(Ok(vec![false, true, true])));
    }

    #[test]
    fn an_impossible_length_is_none() {
        let collected = <u64 as Bytes>::collect(usize::MAX / 4, |_| Ok::<(), ()>(()));
        assert_eq!(collected, None);
    }
}
