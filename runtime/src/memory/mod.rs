//! Arrays in the memory of devices, and page-locked arrays of the host.
//!
//! A [`Buffer`] owns an array. A [`Slice`] is a part of one, as Rust's slices are parts of arrays:
//! buffers dereference to it, and [`View`] and [`ViewMut`] are borrowed parts. Launches and copies
//! take slices. [`Buffer2`] and [`Buffer3`] are arrays of two and three dimensions; [`Slice2`] is a
//! rectangle of such an array. A [`Constant`] is for parameters in constant memory.
/// Defines the shared and the mutable borrowed part of a slice type.
macro_rules! views {
    (
        $slice:ident: $from:ident($memory:ty), $get:ident;
        $(#[$doc:meta])* $view:ident;
        $(#[$doc_mut:meta])* $view_mut:ident;
    ) => {
        views!(@ $slice $from($memory) $(#[$doc])* $view(&'a $memory));
        views!(@ $slice $from($memory) $(#[$doc_mut])* $view_mut(&'a mut $memory));

        impl<T: Stored> Clone for $view<'_, T> {
            fn clone(&self) -> Self {
                Self::new((**self).$get().clone())
            }
        }

        impl<T: Stored> DerefMut for $view_mut<'_, T> {
            fn deref_mut(&mut self) -> &mut $slice<T> {
                &mut self.slice
            }
        }
    };
    (@ $slice:ident $from:ident($memory:ty) $(#[$doc:meta])* $view:ident($borrow:ty)) => {
        $(#[$doc])*
        pub struct $view<'a, T: Stored> {
            slice: $slice<T, [(); 0]>,
            of: PhantomData<$borrow>,
        }

        impl<T: Stored> $view<'_, T> {
            pub(super) fn new(memory: $memory) -> Self {
                Self { slice: $slice::$from(memory), of: PhantomData }
            }
        }

        impl<T: Stored> Deref for $view<'_, T> {
            type Target = $slice<T>;
            fn deref(&self) -> &$slice<T> {
                &self.slice
            }
        }

        impl<T: Stored> fmt::Debug for $view<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&**self, f)
            }
        }
    };
}

pub(crate) mod atomic_buffer;
mod buffer;
mod buffer3;
mod constant;
mod host_access;
mod other_names;
mod pinned;
mod rectangle;
pub(crate) mod rows;
mod slice;
mod slice2;
mod uninit;

use crate::{Device, cpu::CpuMemory, driver::Allocation};
pub use buffer::Buffer;
pub use buffer3::Buffer3;
pub use constant::{Constant, ConstantData};
pub use host_access::{HostAccess, PinnedAccess};
pub use other_names::{
    AllocatedByOtherName, CoveredByOtherName, DownloadedByOtherName, UploadedByOtherName,
};
pub(crate) use pinned::{CpuCopies, PinnedMemory, report_first_fault};
pub use pinned::{PinnedArg, PinnedArgMut, PinnedBuffer, PinnedElement, PinnedView, PinnedViewMut};
pub(crate) use rectangle::Rectangle;
pub use slice::{Slice, View, ViewMut};
pub(crate) use slice::{check_lengths, count_whole, no_host_memory};
pub use slice2::{Buffer2, Slice2, View2, ViewMut2};
use std::{ops::Range, sync::Arc};
pub use uninit::UninitBuffer;

/// The memory of one buffer.
pub(crate) struct Memory {
    /// The device that it was allocated on, in whose order it is allocated, copied and freed.
    pub(crate) device: Device,
    pub(crate) bytes: MemoryBytes,
}

/// The bytes of a [`Memory`].
pub(crate) enum MemoryBytes {
    Cpu(CpuMemory),
    Cuda(Allocation),
}

impl Memory {
    /// Returns the memory of the interpreter; `None` for a GPU's.
    pub(crate) fn cpu(&self) -> Option<&CpuMemory> {
        match &self.bytes {
            MemoryBytes::Cpu(memory) => Some(memory),
            MemoryBytes::Cuda(_) => None,
        }
    }

    /// Returns the memory of a GPU; `None` for the interpreter's.
    pub(crate) fn gpu(&self) -> Option<&Allocation> {
        match &self.bytes {
            MemoryBytes::Cuda(memory) => Some(memory),
            MemoryBytes::Cpu(_) => None,
        }
    }
}

/// A [`Slice`] without its element type.
#[derive(Clone)]
pub struct AnySlice {
    /// Shared by a buffer and its views.
    pub(crate) memory: Arc<Memory>,
    /// The first byte.
    pub(crate) offset: usize,
    /// The number of elements.
    pub(crate) len: usize,
    /// The number of bytes.
    pub(crate) bytes: usize,
}

impl std::fmt::Debug for AnySlice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "AnySlice({} elements on {})", self.len, self.memory.device)
    }
}

impl AnySlice {
    /// Returns the device that the memory was allocated on.
    pub(crate) fn device(&self) -> &Device {
        &self.memory.device
    }

    /// Returns the bytes in the memory that the slice covers.
    pub(crate) fn range(&self) -> Range<usize> {
        self.offset..self.offset + self.bytes
    }

    /// Returns the address of the first byte on a GPU; `None` on the interpreter.
    pub(crate) fn gpu_address(&self) -> Option<u64> {
        self.memory.gpu().map(|memory| memory.address_of(self.offset))
    }

    /// Returns true if the first byte lies at a multiple of `align`, on a GPU by its address there.
    /// Other memory than another library's begins at a multiple of every alignment.
    pub(crate) fn is_aligned(&self, align: u64) -> bool {
        let offset = self.offset as u64;
        let address = self.gpu_address().unwrap_or(offset);
        address.is_multiple_of(align)
    }

    /// Returns the memory of the interpreter. The launcher has checked the devices.
    pub(crate) fn cpu(&self) -> &CpuMemory {
        self.memory.cpu().expect("a buffer of a GPU is refused by the launcher")
    }

    /// Returns the memory of a GPU. The launcher has checked the devices.
    pub(crate) fn gpu(&self) -> &Allocation {
        self.memory.gpu().expect("a buffer of the host is refused by the launcher")
    }
}
