//! What lies in buffers, and what of it is passed to kernels by value.
//!
//! A [`Stored`] type is a number, `bool`, an atomic, or made of such: an array, or a struct or enum
//! that is `#[device]`, which implements the trait. Values travel field by field, so that padding is
//! never read, neither from the host's memory nor from a device's. What is nothing but bytes, as
//! numbers and arrays of them, is copied as a whole. What can be copied is [`Plain`], and travels by value.
use crate::element::{Element, sealed::Bytes};
use half::{bf16, f16};
use std::marker::PhantomData;
use warpwise_compiler::ir::{self, Extent, Scalar};

/// What a [`Buffer`](crate::Buffer) may be a buffer of: the [`Element`]s, the [`Atomic`](crate::Atomic)s,
/// arrays of such types, and the structs and enums marked [`#[device]`](macro@crate::device) whose
/// fields are such. Nobody implements it by hand.
///
/// A kernel changes atomics behind `&`, also those inside of structs:
///
/// ```
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
    note = "numbers, `bool`, atomics, arrays, and `#[device]` structs and enums that are made of such can; in place of a tuple \
            or an `Option`, a struct or an enum of your own"
)]
pub trait Stored: Sized + 'static {
    /// What is uploaded and read back: of atomics, and arrays of them, what they hold; of
    /// everything else, the same.
    type Value: Stored<Value = Self::Value>;
    /// Whether bytes that are all zero are a value.
    #[doc(hidden)]
    const ZEROED: bool;
    /// Whether there are atomics in it.
    #[doc(hidden)]
    const ATOMIC: bool;
    /// What a slice of it is to the compiler.
    #[doc(hidden)]
    const ELEMENT: ir::Element = ir::Element::Plain {
        size: Extent::Const(size_of::<Self>() as u64),
        align: Extent::Const(align_of::<Self>() as u64),
    };
    /// Writes it, all but padding, as it lies in memory.
    #[doc(hidden)]
    fn store(&self, bytes: &mut [u8]);
    /// What was stored there.
    #[doc(hidden)]
    fn load(bytes: &[u8]) -> Self;

    /// What `take` makes of the bytes of `values`; `None` if the host lacks the memory.
    #[doc(hidden)]
    fn with_bytes<R>(values: &[Self], take: impl FnOnce(&[u8]) -> R) -> Option<R> {
        let mut bytes = zeroed(size_of_val(values))?;
        let places = bytes.chunks_exact_mut(size_of::<Self>().max(1));
        values.iter().zip(places).for_each(|(value, place)| value.store(place));
        Some(take(&bytes))
    }

    /// `len` values whose bytes are what `read` writes; `None` if the host lacks the memory.
    #[doc(hidden)]
    fn collect<E>(
        len: usize,
        read: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Option<Result<Vec<Self>, E>> {
        let size = size_of::<Self>();
        let mut bytes = zeroed(len.checked_mul(size)?)?;
        let mut values = Vec::new();
        values.try_reserve_exact(len).ok()?;
        Some(read(&mut bytes).map(|()| {
            values.extend((0..len).map(|index| Self::load(&bytes[index * size..])));
            values
        }))
    }
}

/// A type that kernels take by value, and write in buffers.
///
/// These are the [`Element`]s, arrays of plain types, and the structs and enums marked
/// [`#[device]`](macro@crate::device) that are `Copy` and whose fields are plain. Nobody implements it by
/// hand.
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
    note = "numbers, `bool`, arrays, and `#[device]` structs and enums that are `Copy` and made of \
            such can"
)]
pub trait Plain: Copy + Stored<Value = Self> {
    /// The numbers in it, in order, each with its bits: what it is passed by value as.
    #[doc(hidden)]
    fn scalars(&self, pass: &mut dyn FnMut(Scalar, u64));
}

fn zeroed(len: usize) -> Option<Vec<u8>> {
    bytemuck::allocation::try_zeroed_vec(len).ok()
}

/// [`Stored`], in a form that a bound may have which does not hold: a `#[device]` struct with a
/// field that no buffer holds is in none either, and no error.
pub trait StoredIn<'a>: Stored {}
impl<T: Stored> StoredIn<'_> for T {}

/// [`Plain`], in the same form.
pub trait PlainIn<'a>: Plain {}
impl<T: Plain> PlainIn<'_> for T {}

/// [`Copy`], in the same form.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not `Copy`",
    note = "what is passed to a kernel by value is `Copy`: `#[derive(Clone, Copy)]` below `#[device]`"
)]
pub trait CopyIn<'a>: Copy {}
impl<T: Copy> CopyIn<'_> for T {}

/// Implements [`Stored`] and [`Plain`] for elements.
macro_rules! elements {
    ($($ty:ident)*) => {$(
        impl Plain for $ty {
            fn scalars(&self, pass: &mut dyn FnMut(Scalar, u64)) {
                pass(Self::SCALAR, Element::to_bits(*self));
            }
        }
        impl Stored for $ty {
            type Value = Self;
            const ZEROED: bool = true;
            const ATOMIC: bool = false;
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
        }
    )*};
}
elements! { bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize f16 bf16 f32 f64 }

impl<T: Plain, const N: usize> Plain for [T; N] {
    fn scalars(&self, pass: &mut dyn FnMut(Scalar, u64)) {
        self.iter().for_each(|elem| elem.scalars(pass));
    }
}

impl<T: Stored, const N: usize> Stored for [T; N] {
    type Value = [T::Value; N];
    const ZEROED: bool = T::ZEROED;
    const ATOMIC: bool = T::ATOMIC;
    fn store(&self, bytes: &mut [u8]) {
        let places = bytes.chunks_exact_mut(size_of::<T>().max(1));
        self.iter().zip(places).for_each(|(elem, place)| elem.store(place));
    }
    fn load(bytes: &[u8]) -> Self {
        std::array::from_fn(|index| T::load(&bytes[index * size_of::<T>()..]))
    }
    fn with_bytes<R>(values: &[Self], take: impl FnOnce(&[u8]) -> R) -> Option<R> {
        T::with_bytes(values.as_flattened(), take)
    }
}

impl Plain for () {
    fn scalars(&self, _: &mut dyn FnMut(Scalar, u64)) {}
}

impl Stored for () {
    type Value = Self;
    const ZEROED: bool = true;
    const ATOMIC: bool = false;
    fn store(&self, _: &mut [u8]) {}
    fn load(_: &[u8]) -> Self {}
}

impl<T: 'static> Plain for PhantomData<T> {
    fn scalars(&self, _: &mut dyn FnMut(Scalar, u64)) {}
}

impl<T: 'static> Stored for PhantomData<T> {
    type Value = Self;
    const ZEROED: bool = true;
    const ATOMIC: bool = false;
    fn store(&self, _: &mut [u8]) {}
    fn load(_: &[u8]) -> Self {
        Self
    }
}

/// Size and alignment of a field.
pub(crate) type Field = (usize, usize);

/// Of a type.
pub const fn field<T>() -> Field {
    (size_of::<T>(), align_of::<T>())
}

/// Where `fields` begin that lie behind `start` bytes, of which `align` is a multiple of their
/// alignments: as in a `repr(C)` struct.
pub const fn offsets<const N: usize>(start: usize, fields: &[Field; N]) -> [usize; N] {
    let (mut offsets, mut end, mut index) = ([0; N], start, 0);
    while index < N {
        let (size, align) = fields[index];
        offsets[index] = end.next_multiple_of(align);
        end = offsets[index] + size;
        index += 1;
    }
    offsets
}

/// Compares a struct with what `repr(C)` says of one with these fields, which is where kernels
/// take them to lie.
///
/// # Panics
/// While the user's crate is compiled, if one of the fields is not `found` there, or the struct is
/// larger or less aligned than that.
pub const fn structure<Struct>(fields: &[Field], found: &[usize]) {
    let (mut end, mut index) = (0usize, 0);
    while index < fields.len() {
        let (size, align) = fields[index];
        let offset = end.next_multiple_of(align);
        assert!(found[index] == offset, "a field does not lie where `#[device]` takes it to");
        end = offset + size;
        index += 1;
    }
    let (size, align) = extent(fields);
    assert!(
        align_of::<Struct>() >= align
            && size_of::<Struct>() == size.next_multiple_of(align_of::<Struct>()),
        "the struct does not lie in memory as `#[device]` takes it to"
    );
}

/// Where the fields of the variants of an enum begin, behind a discriminant of type `Tag`: as in
/// a `repr(C)` enum.
///
/// # Panics
/// While the user's crate is compiled, if `Enum` is not as large as that.
pub const fn payload<Enum, Tag>(variants: &[&[Field]]) -> usize {
    let (mut align, mut index) = (1, 0);
    while index < variants.len() {
        align = max(align, extent(variants[index]).1);
        index += 1;
    }
    let start = size_of::<Tag>().next_multiple_of(align);
    let (mut size, mut index) = (0, 0);
    while index < variants.len() {
        size = max(size, extent(variants[index]).0);
        index += 1;
    }
    let all = max(align, align_of::<Tag>());
    let size = start + size.next_multiple_of(align);
    assert!(
        align_of::<Enum>() >= all && size_of::<Enum>() == size.next_multiple_of(align_of::<Enum>()),
        "the enum does not lie in memory as `#[device]` takes it to"
    );
    start
}

/// Size and alignment of a `repr(C)` struct.
const fn extent(fields: &[Field]) -> Field {
    let (mut end, mut most, mut index) = (0usize, 1, 0);
    while index < fields.len() {
        let (size, align) = fields[index];
        end = end.next_multiple_of(align) + size;
        most = max(most, align);
        index += 1;
    }
    (end.next_multiple_of(most), most)
}

const fn max(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn what_was_stored_is_loaded() {
        fn travels<T: Plain + PartialEq + std::fmt::Debug>(values: &[T]) {
            let stored = T::with_bytes(values, <[u8]>::to_vec).unwrap();
            assert_eq!(stored.len(), size_of_val(values));
            let read = |bytes: &mut [u8]| {
                bytes.copy_from_slice(&stored);
                Ok::<(), ()>(())
            };
            assert_eq!(T::collect(values.len(), read).unwrap().unwrap(), values);
            let loaded = stored.chunks_exact(size_of::<T>().max(1)).map(T::load);
            assert!(size_of::<T>() == 0 || loaded.eq(values.iter().copied()));
        }
        travels(&[1.5f32, -0.0]);
        travels(&[[true, false], [false, true]]);
        travels(&[[1i16, -2, 3], [4, 5, 6]]);
        travels(&[u64::MAX, 1]);
        travels(&[(), ()]);
    }

    #[test]
    fn layouts_are_those_of_repr_c() {
        #[repr(C)]
        struct Mixed(u8, u64, u16);
        let fields = [field::<u8>(), field::<u64>(), field::<u16>()];
        let expected = [0, std::mem::offset_of!(Mixed, 1), std::mem::offset_of!(Mixed, 2)];
        assert_eq!(offsets(0, &fields), expected);
        assert_eq!(extent(&fields), field::<Mixed>());
        structure::<Mixed>(&fields, &expected);
        #[repr(C, align(32))]
        struct Aligned(u16, f32);
        let fields = [field::<u16>(), field::<f32>()];
        structure::<Aligned>(&fields, &[0, std::mem::offset_of!(Aligned, 1)]);
        #[expect(dead_code, reason = "only its size is looked at")]
        #[repr(C)]
        enum Either {
            Small(u8),
            Large { wide: f64, narrow: u8 },
            Empty,
        }
        let variants: [&[Field]; 3] = [&[field::<u8>()], &[field::<f64>(), field::<u8>()], &[]];
        assert_eq!(payload::<Either, i32>(&variants), 8);
    }

    #[test]
    #[should_panic(expected = "a field does not lie where `#[device]` takes it to")]
    fn fields_elsewhere_are_found() {
        structure::<(u32, u32)>(&[field::<u32>(), field::<u32>()], &[4, 0]);
    }

    #[test]
    #[should_panic(expected = "the struct does not lie in memory as `#[device]` takes it to")]
    fn structs_of_other_sizes_are_found() {
        structure::<[u32; 3]>(&[field::<u32>(), field::<u32>()], &[0, 4]);
    }
}
