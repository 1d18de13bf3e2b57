//! Copies of rectangles on a GPU: rows of bytes at equal distances, which one call of the driver
//! moves.
use super::{
    api::{Address, CopyRows, Driver},
    memory::{self, Allocation},
    stream::Stream,
};
use crate::Result;
use std::{ffi::c_void, ops::Range, ptr, sync::Arc};

/// Rows of bytes at equal distances in an allocation.
pub(crate) struct RectangleBytes {
    /// The bytes from the first to the last, with those between the rows.
    pub(crate) part: Range<usize>,
    pub(crate) row_bytes: usize,
    pub(crate) pitch_bytes: usize,
    pub(crate) rows: usize,
}

/// One side of a copy.
enum Side {
    /// Rows that follow each other in the memory of the host.
    Host(*mut c_void),
    /// The first row, and the distance of rows in bytes.
    Device(Address, usize),
}

impl RectangleBytes {
    fn in_memory(&self, memory: &Allocation) -> Side {
        Side::Device(memory.address_of(self.part.start), self.pitch_bytes)
    }

    fn assert_bytes(&self, bytes: &[u8]) {
        assert_eq!(
            bytes.len(),
            self.rows * self.row_bytes,
            "a copy has as many bytes on both sides"
        );
    }

    /// Enqueues a copy of this rectangle's extent.
    ///
    /// # Safety
    /// `from` and `to` have this extent, and live until the copy is done.
    unsafe fn copy(&self, driver: &Driver, stream: &Stream, from: Side, to: Side) -> Result<()> {
        /// `CU_MEMORYTYPE_HOST`
        const HOST: u32 = 1;
        /// `CU_MEMORYTYPE_DEVICE`
        const DEVICE: u32 = 2;
        let side = |side| match side {
            Side::Host(host) => (HOST, host, 0, self.row_bytes),
            Side::Device(address, pitch) => (DEVICE, ptr::null_mut(), address, pitch),
        };
        let (from_type, from_host, from_device, from_pitch) = side(from);
        let (to_type, to_host, to_device, to_pitch) = side(to);
        let copy = CopyRows {
            from_start: [0; 2],
            from_type,
            from_host,
            from_device,
            from_array: ptr::null_mut(),
            from_pitch,
            to_start: [0; 2],
            to_type,
            to_host,
            to_device,
            to_array: ptr::null_mut(),
            to_pitch,
            width_bytes: self.row_bytes,
            height: self.rows,
        };
        // SAFETY: the caller's promise; the driver copies the description.
        unsafe { driver.cuMemcpy2DAsync_v2(&copy, stream.handle) }
    }
}

impl Stream {
    /// Does the same as [`Self::read`], for the rows of a rectangle, one after the other.
    pub(crate) fn read_rectangle(
        &self,
        memory: &Allocation,
        rectangle: &RectangleBytes,
        bytes: &mut [u8],
    ) -> Result<()> {
        rectangle.assert_bytes(bytes);
        self.read_with(memory, &rectangle.part, |driver| {
            let to = Side::Host(bytes.as_mut_ptr().cast());
            // SAFETY: as many bytes on both sides, which are waited for.
            unsafe { rectangle.copy(driver, self, rectangle.in_memory(memory), to) }
        })
    }

    /// Does the same as [`Self::write`], for the rows of a rectangle, one after the other.
    pub(crate) fn write_rectangle(
        &self,
        memory: &Allocation,
        rectangle: &RectangleBytes,
        bytes: &[u8],
    ) -> Result<()> {
        rectangle.assert_bytes(bytes);
        self.write_with(memory, &rectangle.part, |driver| {
            let from = Side::Host(bytes.as_ptr().cast_mut().cast());
            // SAFETY: as many bytes on both sides, which are waited for; the driver only reads
            // those of the host.
            unsafe { rectangle.copy(driver, self, from, rectangle.in_memory(memory)) }
        })
    }

    /// Copies a rectangle to another, of this stream, with as many rows of as many bytes. Both are
    /// memory of one GPU.
    pub(crate) fn copy_rectangle(
        self: &Arc<Self>,
        (from, source): (&Allocation, &RectangleBytes),
        (to, destination): (&Allocation, &RectangleBytes),
    ) -> Result<()> {
        let extent = |rectangle: &RectangleBytes| (rectangle.rows, rectangle.row_bytes);
        assert_eq!(extent(source), extent(destination), "a copy has as many bytes on both sides");
        let operands = [(from, source.part.clone(), false), (to, destination.part.clone(), true)];
        self.submit(operands, |driver, _| {
            let (from, to) = (source.in_memory(from), destination.in_memory(to));
            // SAFETY: as many bytes on both sides, of live allocations, which are freed after this
            // work.
            unsafe { source.copy(driver, self, from, to) }
        })
    }

    /// Does the same as [`Self::fill`], for the rows of a rectangle.
    pub(crate) fn fill_rectangle(
        self: &Arc<Self>,
        memory: &Allocation,
        rectangle: &RectangleBytes,
        element: &[u8],
    ) -> Result<()> {
        let to = memory.address_of(rectangle.part.start);
        self.submit([(memory, rectangle.part.clone(), true)], |driver, _| {
            let RectangleBytes { row_bytes, pitch_bytes, rows, .. } = *rectangle;
            let columns = memory::fill_rows(to, row_bytes, pitch_bytes, rows, element);
            // SAFETY: the rows are inside of the rectangle.
            columns.into_iter().try_for_each(|column| unsafe { column.set(driver, self.handle) })
        })
    }
}
