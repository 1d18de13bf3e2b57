//! Types: small, `Copy`, compared by value. There is no interner.
//!
//! A value is a scalar or a pointer; structs, tuples and slices are taken apart
//! by the front end. `usize` is [`Scalar::U64`] and `isize` is [`Scalar::I64`].
use super::{Extent, GenericId};
use crate::half::Format;

/// The type of the value of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// No value.
    Unit,
    /// A number or `bool`.
    Scalar(Scalar),
    /// An address in `Space`. Loads and stores have the type of the object there.
    Ptr(Space),
}

/// A number or `bool`, named as in Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "named as in Rust")]
pub enum Scalar {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    BF16,
    F32,
    F64,
    /// A type parameter; only before specialization.
    Generic(GenericId),
}

/// The memory that a pointer points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Memory of the device: what slice parameters point to.
    Global,
    /// Memory of one block.
    Shared,
    /// Memory of a block of the cluster, this one's or another's: distributed shared memory.
    Cluster,
    /// Memory of one thread.
    Local,
    /// Memory that all threads read and none writes, one word of a warp at a time.
    Constant,
}

/// The element type of a slice or an array.
///
/// Loads and stores have types of their own, so an element is only a size and an alignment. A
/// [`Scalar`](Self::Scalar) element is accessed as that scalar; a [`Plain`](Self::Plain) element
/// holds several scalars, each at an offset that is a multiple of its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Element {
    /// A number or `bool`.
    Scalar(Scalar),
    /// A struct. Only the front end knows its fields.
    Plain {
        /// Bytes from one element to the next: a multiple of the alignment, and not 0.
        size: Extent,
        /// The alignment of an element: a power of two, at most [`MAX_ALIGN`](Self::MAX_ALIGN), or
        /// [`MAX_SHARED_ALIGN`](Self::MAX_SHARED_ALIGN) in a block.
        align: Extent,
    },
}

impl Element {
    /// The greatest alignment of an element in a buffer: that of every buffer on every device.
    pub const MAX_ALIGN: u64 = 256;
    /// The greatest alignment of an element of an array in a block: that of a swizzled tile.
    pub const MAX_SHARED_ALIGN: u64 = 1024;
    /// The alignment of the first element of a slice in a kernel with
    /// [aligned slices](super::Kernel::aligned_slices), unless that of its elements is greater: the
    /// most bytes that a thread loads at once.
    pub const SLICE_ALIGN: u64 = 16;

    /// Returns the size of an element in bytes, if it is known; once specialized, always `Some`.
    pub fn size(&self) -> Option<u64> {
        match self {
            Self::Scalar(scalar) => scalar.size().map(u64::from),
            Self::Plain { size, .. } => size.known(),
        }
    }

    /// Returns the alignment of an element, if it is known; once specialized, always `Some`.
    pub fn align(&self) -> Option<u64> {
        match self {
            Self::Scalar(scalar) => scalar.size().map(u64::from),
            Self::Plain { align, .. } => align.known(),
        }
    }

    /// Returns the type of an element that is a scalar.
    pub const fn scalar(&self) -> Option<Scalar> {
        match self {
            Self::Scalar(scalar) => Some(*scalar),
            Self::Plain { .. } => None,
        }
    }
}

impl From<Scalar> for Element {
    fn from(scalar: Scalar) -> Self {
        Self::Scalar(scalar)
    }
}

impl Scalar {
    /// Returns the size in bytes (also the alignment); `None` for a type parameter.
    pub const fn size(self) -> Option<u32> {
        match self {
            Self::Bool | Self::I8 | Self::U8 => Some(1),
            Self::I16 | Self::U16 | Self::F16 | Self::BF16 => Some(2),
            Self::I32 | Self::U32 | Self::F32 => Some(4),
            Self::I64 | Self::U64 | Self::F64 => Some(8),
            Self::Generic(_) => None,
        }
    }
    /// Returns the width in bits, 1 for `bool`; `None` for a type parameter.
    pub const fn bits(self) -> Option<u32> {
        match self {
            Self::Bool => Some(1),
            Self::I8 | Self::U8 => Some(8),
            Self::I16 | Self::U16 | Self::F16 | Self::BF16 => Some(16),
            Self::I32 | Self::U32 | Self::F32 => Some(32),
            Self::I64 | Self::U64 | Self::F64 => Some(64),
            Self::Generic(_) => None,
        }
    }
    /// Returns true for `f16`, `bf16`, `f32` and `f64`.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::BF16 | Self::F32 | Self::F64)
    }
    /// Returns the format of `f16` and `bf16`; `None` for anything else.
    pub const fn half(self) -> Option<Format> {
        match self {
            Self::F16 => Some(Format::F16),
            Self::BF16 => Some(Format::BF16),
            Self::Bool
            | Self::I8
            | Self::I16
            | Self::I32
            | Self::I64
            | Self::U8
            | Self::U16
            | Self::U32
            | Self::U64
            | Self::F32
            | Self::F64
            | Self::Generic(_) => None,
        }
    }
    /// Returns true for signed and unsigned integers.
    pub const fn is_int(self) -> bool {
        self.is_signed() || self.is_unsigned()
    }
    /// Returns true for `i8` to `i64`.
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }
    /// Returns true for `u8` to `u64`.
    pub const fn is_unsigned(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::U32 | Self::U64)
    }
}

impl From<Scalar> for Ty {
    fn from(scalar: Scalar) -> Self {
        Self::Scalar(scalar)
    }
}
