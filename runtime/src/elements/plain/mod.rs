//! Types that buffers hold, and types that kernels take by value.
//!
//! A [`Stored`] type is a number, `bool`, an atomic, or made of such: an array, a tuple, an option,
//! or a `#[device]` struct or enum, which implements the trait. Values are copied field by field,
//! so that padding is never read, neither from the host's memory nor from a device's. Types without
//! padding and invalid values, such as numbers and arrays of them, are copied as a whole. A type
//! that is `Copy` is [`Plain`], and can be passed by value.
//!
//! In the memory of devices their layout is that of [`Layout`], which kernels compute, too. Rust
//! does not specify the layout of tuples and options in the memory of the host.
mod layout;
mod of_std;

use crate::elements::element::{Element, sealed::Bytes};
use half::{bf16, f16};
pub use layout::{Layout, offsets};
use std::marker::PhantomData;
use warpwise_compiler::ir::{self, Extent, Scalar};

/// An element type of a [`Buffer`](crate::Buffer): an [`Element`], an [`Atomic`](crate::Atomic), an
/// array, tuple, `Option` or `Result` of such types, or a struct or enum marked
/// [`#[device]`](macro@crate::device) whose fields are such. Do not implement it by hand.
///
/// A kernel changes atomics behind `&`, also those inside of structs:
///
/// ```
/// use std::sync::atomic::Ordering;
/// use warpwise::prelude::*;
///
/// #[device]
/// #[derive(Debug, Default)]
/// struct Slot {
///     key: AtomicU32,
///     count: AtomicU32,
/// }
///
/// #[kernel]
/// fn count(keys: &[u32], slots: &[Slot]) {
///     if let Some(key) = keys.get(global_idx_x()) {
///         let slot = &slots[*key as usize % slots.len()];
///         slot.key.store(*key, Ordering::Relaxed);
///         slot.count.fetch_add(1, Ordering::Relaxed);
///     }
/// }
///
/// let device = Device::cpu();
/// let slots = device.zeros::<Slot>(4)?;
/// let keys = device.upload(&[6u32, 3, 6])?;
/// count::launch(&device, LaunchConfig::cover(3), &keys, &slots)?;
/// let slots: Vec<Slot> = slots.to_vec()?;
/// assert_eq!(slots[2].count.load(Ordering::Relaxed), 2);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be in a buffer",
    note = "numbers, `bool` and atomics can, and arrays, tuples, `Option`s, `Result`s and `#[device]` structs and enums of such",
    note = "put `#[device]` above a struct or an enum of yours"
)]
pub trait Stored: Sized + 'static {
    /// The type of uploaded and downloaded values: for atomics, and arrays, tuples and options of
    /// them, that of the values in them; for everything else, the same type.
    type Value: Stored<Value = Self::Value>;
    /// True if bytes that are all zero are a value.
    #[doc(hidden)]
    const ZEROED: bool;
    /// True if it contains atomics.
    #[doc(hidden)]
    const ATOMIC: bool;
    /// The layout in the memory of a device.
    #[doc(hidden)]
    const LAYOUT: Layout;
    /// The element type of a slice of it, in the IR.
    #[doc(hidden)]
    const ELEMENT: ir::Element = ir::Element::Plain {
        size: Extent::Const(Self::LAYOUT.size as u64),
        align: Extent::Const(Self::LAYOUT.align as u64),
    };
    /// Writes the bytes of the value, except for padding.
    #[doc(hidden)]
    fn store(&self, bytes: &mut [u8]);
    /// Returns the value stored in `bytes`.
    #[doc(hidden)]
    fn load(bytes: &[u8]) -> Self;

    /// Passes the bytes of `values` to `take`; `None` if the host lacks the memory.
    #[doc(hidden)]
    fn with_bytes<R>(values: &[Self], take: impl FnOnce(&[u8]) -> R) -> Option<R> {
        let mut bytes = zeroed(values.len().checked_mul(Self::LAYOUT.size)?)?;
        let places = bytes.chunks_exact_mut(Self::LAYOUT.size.max(1));
        values.iter().zip(places).for_each(|(value, place)| value.store(place));
        Some(take(&bytes))
    }

    /// Returns `len` values whose bytes `read` writes; `None` if the host lacks the memory.
    #[doc(hidden)]
    fn collect<E>(
        len: usize,
        read: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Option<Result<Vec<Self>, E>> {
        let size = Self::LAYOUT.size;
        let mut bytes = zeroed(len.checked_mul(size)?)?;
        let mut values = Vec::new();
        values.try_reserve_exact(len).ok()?;
        Some(read(&mut bytes).map(|()| {
            values.extend((0..len).map(|index| Self::load(&bytes[index * size..])));
            values
        }))
    }

    /// Overwrites `values` with those whose bytes `read` writes; `None` if the host lacks the
    /// memory.
    #[doc(hidden)]
    fn load_all<E>(
        values: &mut [Self],
        read: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Option<Result<(), E>> {
        let loaded = Self::collect(values.len(), read)?;
        Some(loaded.map(|loaded| values.iter_mut().zip(loaded).for_each(|(to, from)| *to = from)))
    }
}

/// A type that kernels take by value, and write in buffers.
///
/// These are the [`Element`]s, arrays, tuples, `Option`s and `Result`s of plain types, and the
/// structs and enums marked [`#[device]`](macro@crate::device) that are `Copy` and whose fields are
/// plain. Do not implement it by hand.
///
/// ```
/// use warpwise::prelude::*;
///
/// #[device]
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct Particle {
///     position: [f32; 3],
///     alive: bool,
/// }
///
/// let particle = Particle { position: [1.0, 2.0, 3.0], alive: true };
/// let buffer: Buffer<Particle> = Device::cpu().upload(&[particle; 5])?;
/// assert_eq!(buffer.to_vec()?, [particle; 5]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a kernel by value",
    note = "numbers and `bool` can, and arrays, tuples, `Option`s, `Result`s, and `#[device]` structs and enums of such with `#[derive(Clone, Copy)]`"
)]
pub trait Plain: Copy + Stored<Value = Self> {
    /// Passes each number of the value to `pass`, in order, with its bits: the parameters for a
    /// value that a kernel takes. For an enum, the discriminant and then the numbers of every
    /// variant.
    #[doc(hidden)]
    fn scalars(&self, pass: &mut dyn FnMut(Scalar, u64));
    /// Passes as many zeros to `pass`, for the other variants of an enum.
    #[doc(hidden)]
    fn zeros(pass: &mut dyn FnMut(Scalar, u64));
}

fn zeroed(len: usize) -> Option<Vec<u8>> {
    bytemuck::allocation::try_zeroed_vec(len).ok()
}

/// Implements [`Stored`] and [`Plain`] for elements.
macro_rules! elements {
    ($($ty:ident)*) => {$(
        impl Plain for $ty {
            fn scalars(&self, pass: &mut dyn FnMut(Scalar, u64)) {
                pass(Self::SCALAR, Element::to_bits(*self));
            }
            fn zeros(pass: &mut dyn FnMut(Scalar, u64)) {
                pass(Self::SCALAR, 0);
            }
        }
        impl Stored for $ty {
            type Value = Self;
            const ZEROED: bool = true;
            const ATOMIC: bool = false;
            const LAYOUT: Layout = Layout::of::<Self>();
            const ELEMENT: ir::Element = ir::Element::Scalar(<Self as Element>::SCALAR);
            fn store(&self, bytes: &mut [u8]) {
                let size = size_of::<Self>();
                bytes[..size].copy_from_slice(&Element::to_bits(*self).to_le_bytes()[..size]);
            }
            fn load(bytes: &[u8]) -> Self {
                Self::first(bytes)
            }
            fn with_bytes<R>(values: &[Self], take: impl FnOnce(&[u8]) -> R) -> Option<R> {
                Some(take(Bytes::bytes(values)))
            }
            fn collect<E>(
                len: usize,
                read: impl FnOnce(&mut [u8]) -> Result<(), E>,
            ) -> Option<Result<Vec<Self>, E>> {
                <Self as Bytes>::collect(len, read)
            }
            fn load_all<E>(
                values: &mut [Self],
                read: impl FnOnce(&mut [u8]) -> Result<(), E>,
            ) -> Option<Result<(), E>> {
                <Self as Bytes>::load_all(values, read)
            }
        }
    )*};
}
elements! { bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize f16 bf16 f32 f64 }

impl<T: Plain, const N: usize> Plain for [T; N] {
    fn scalars(&self, pass: &mut dyn FnMut(Scalar, u64)) {
        self.iter().for_each(|elem| elem.scalars(pass));
    }
    fn zeros(pass: &mut dyn FnMut(Scalar, u64)) {
        (0..N).for_each(|_| T::zeros(pass));
    }
}

impl<T: Stored, const N: usize> Stored for [T; N] {
    type Value = [T::Value; N];
    const ZEROED: bool = T::ZEROED;
    const ATOMIC: bool = T::ATOMIC;
    const LAYOUT: Layout = T::LAYOUT.array(N);
    fn store(&self, bytes: &mut [u8]) {
        let places = bytes.chunks_exact_mut(T::LAYOUT.size.max(1));
        self.iter().zip(places).for_each(|(elem, place)| elem.store(place));
    }
    fn load(bytes: &[u8]) -> Self {
        std::array::from_fn(|index| T::load(&bytes[index * T::LAYOUT.size..]))
    }
    fn with_bytes<R>(values: &[Self], take: impl FnOnce(&[u8]) -> R) -> Option<R> {
        T::with_bytes(values.as_flattened(), take)
    }
}

impl Plain for () {
    fn scalars(&self, _: &mut dyn FnMut(Scalar, u64)) {}
    fn zeros(_: &mut dyn FnMut(Scalar, u64)) {}
}

impl Stored for () {
    type Value = Self;
    const ZEROED: bool = true;
    const ATOMIC: bool = false;
    const LAYOUT: Layout = Layout::of::<Self>();
    fn store(&self, _: &mut [u8]) {}
    fn load(_: &[u8]) -> Self {}
}

impl<T: 'static> Plain for PhantomData<T> {
    fn scalars(&self, _: &mut dyn FnMut(Scalar, u64)) {}
    fn zeros(_: &mut dyn FnMut(Scalar, u64)) {}
}

impl<T: 'static> Stored for PhantomData<T> {
    type Value = Self;
    const ZEROED: bool = true;
    const ATOMIC: bool = false;
    const LAYOUT: Layout = Layout::of::<Self>();
    fn store(&self, _: &mut [u8]) {}
    fn load(_: &[u8]) -> Self {
        Self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        cmp::{Ordering, Reverse},
        ops::ControlFlow,
    };

    fn scalars(value: impl Plain) -> Vec<(Scalar, u64)> {
        let mut all = Vec::new();
        value.scalars(&mut |ty, bits| all.push((ty, bits)));
        all
    }

    #[test]
    fn arrays_are_taken_apart() {
        let numbers = [[1u8, 2], [3, 4]];
        let expected = [1, 2, 3, 4].map(|bits| (Scalar::U8, bits));
        assert_eq!(scalars(numbers), expected);
        assert_eq!(scalars(((), true).1), [(Scalar::Bool, 1)]);
        assert_eq!(scalars(()), []);
    }

    #[test]
    fn every_variant_is_passed() {
        type Both = Result<(u8, bool), [i16; 2]>;
        let passed = |tag, bits: [u64; 4]| {
            let types = [Scalar::U8, Scalar::Bool, Scalar::I16, Scalar::I16];
            let mut all = vec![(Scalar::Bool, tag)];
            all.extend(types.into_iter().zip(bits));
            all
        };
        assert_eq!(scalars(Both::Ok((7, true))), passed(0, [7, 1, 0, 0]));
        assert_eq!(scalars(Both::Err([1, 2])), passed(1, [0, 0, 1, 2]));
        assert_eq!(scalars(Some(3u32)), [(Scalar::Bool, 1), (Scalar::U32, 3)]);
        assert_eq!(scalars(None::<u32>), [(Scalar::Bool, 0), (Scalar::U32, 0)]);
        assert_eq!(
            scalars(Some(None::<Both>))[1..],
            passed(0, [0; 4])[..].iter().fold(vec![(Scalar::Bool, 0)], |mut all, it| {
                all.push(*it);
                all
            })[..]
        );
    }

    #[test]
    fn stored_values_are_loaded() {
        fn travels<T: Plain + PartialEq + std::fmt::Debug>(values: &[T]) {
            let stored = T::with_bytes(values, <[u8]>::to_vec).unwrap();
            assert_eq!(stored.len(), values.len() * T::LAYOUT.size);
            let read = |bytes: &mut [u8]| {
                bytes.copy_from_slice(&stored);
                Ok::<(), ()>(())
            };
            assert_eq!(T::collect(values.len(), read).unwrap().unwrap(), values);
            let loaded = stored.chunks_exact(T::LAYOUT.size.max(1)).map(T::load);
            assert!(T::LAYOUT.size == 0 || loaded.eq(values.iter().copied()));
        }
        travels(&[1.5f32, -0.0]);
        travels(&[[true, false], [false, true]]);
        travels(&[[1i16, -2, 3], [4, 5, 6]]);
        travels(&[u64::MAX, 1]);
        travels(&[(), ()]);
        travels(&[(1u8, 2u64, true), (3, 4, false)]);
        travels(&[((), 1u16), ((), 2)]);
        travels(&[None, Some(1.5f64)]);
        travels(&[[Some((1u8, 2u32)), None], [None, Some((3, 4))]]);
        travels(&[Ok((1u8, [2u16, 3])), Err(Some(4u64)), Err(None)]);
        travels(&[ControlFlow::Break(1u8), ControlFlow::Continue(Reverse(2u32))]);
        travels(&[(Ordering::Less, 1u8), (Ordering::Greater, 2), (Ordering::Equal, 3)]);
    }
}
