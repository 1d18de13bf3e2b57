//! Copies of rectangles: rows of bytes at equal distances in the memory of a device.
use super::AnySlice;
use crate::{
    Device, Result,
    device::Engine,
    driver::RectangleBytes,
    observe::spans::{self, Direction},
};
use std::ops::Range;

/// Rows of elements at equal distances: the memory of a [`Slice2`](super::Slice2).
#[derive(Clone)]
pub(crate) struct Rectangle {
    /// The elements from the first to the last, with those between the rows.
    pub(crate) slice: AnySlice,
    /// The number of rows.
    pub(crate) rows: usize,
    /// The number of elements in a row.
    pub(crate) columns: usize,
    /// The number of elements from the start of one row to the next.
    pub(crate) pitch: usize,
    /// The size of an element in bytes.
    pub(crate) elem_bytes: usize,
}

impl Rectangle {
    /// Returns the elements of these rows and columns, which are part of the rectangle.
    pub(super) fn part(&self, rows: Range<usize>, columns: Range<usize>) -> Self {
        let (height, width) = (rows.len(), columns.len());
        let is_empty = height == 0 || width == 0;
        let first = if is_empty { 0 } else { rows.start * self.pitch + columns.start };
        let len = if is_empty { 0 } else { (height - 1) * self.pitch + width };
        let slice = AnySlice {
            offset: self.slice.offset + first * self.elem_bytes,
            len,
            bytes: len * self.elem_bytes,
            ..self.slice.clone()
        };
        Self { slice, rows: height, columns: width, ..*self }
    }

    /// Returns the number of elements.
    pub(super) const fn len(&self) -> usize {
        self.rows * self.columns
    }

    /// Returns true if no elements lie between the rows.
    pub(super) const fn is_contiguous(&self) -> bool {
        self.pitch == self.columns || self.rows <= 1
    }

    const fn row_bytes(&self) -> usize {
        self.columns * self.elem_bytes
    }

    fn bytes(&self) -> RectangleBytes {
        RectangleBytes {
            part: self.slice.range(),
            row_bytes: self.row_bytes(),
            pitch_bytes: self.pitch * self.elem_bytes,
            rows: self.rows,
        }
    }

    /// Returns the offset in the memory of each row.
    fn row_offsets(&self) -> impl Iterator<Item = usize> + use<> {
        let (first, pitch) = (self.slice.offset, self.pitch * self.elem_bytes);
        (0..self.rows).map(move |row| first + row * pitch)
    }
}

impl Device {
    /// Waits for the work that writes a rectangle in memory of this device, and copies its rows to
    /// `bytes`, one after the other.
    pub(super) fn read_rectangle(&self, from: &Rectangle, bytes: &mut [u8]) -> Result<()> {
        if from.is_contiguous() || bytes.is_empty() {
            return self.read(&from.slice, bytes);
        }
        let _scope = spans::copy(Direction::ToHost, bytes.len());
        match &self.engine {
            Engine::Cpu(interpreter) => {
                let mut rows = from.row_offsets().zip(bytes.chunks_mut(from.row_bytes()));
                rows.try_for_each(|(offset, row)| interpreter.read(from.slice.cpu(), offset, row))
            }
            Engine::Cuda(stream) => stream.read_rectangle(from.slice.gpu(), &from.bytes(), bytes),
        }
    }

    /// Overwrites a rectangle in memory of this device with rows that follow each other in `bytes`.
    pub(super) fn write_rectangle(&self, to: &Rectangle, bytes: &[u8]) -> Result<()> {
        if to.is_contiguous() || bytes.is_empty() {
            return self.write(&to.slice, bytes);
        }
        let _scope = spans::copy(Direction::ToDevice, bytes.len());
        match &self.engine {
            Engine::Cpu(_) => {
                let rows = to.row_offsets().zip(bytes.chunks(to.row_bytes()));
                rows.for_each(|(offset, row)| to.slice.cpu().bytes.write(offset, row));
                Ok(())
            }
            Engine::Cuda(stream) => stream.write_rectangle(to.slice.gpu(), &to.bytes(), bytes),
        }
    }

    /// Copies a rectangle to one of this device with as many rows and columns.
    pub(super) fn copy_rectangle(&self, from: &Rectangle, to: &Rectangle) -> Result<()> {
        if from.is_contiguous() && to.is_contiguous() || from.len() == 0 {
            return self.copy_bytes(&from.slice, &to.slice);
        }
        if let (Engine::Cuda(stream), Some(source)) = (&self.engine, from.slice.memory.gpu())
            && source.is_on_the_gpu_of(stream)
        {
            let _scope = spans::copy(Direction::OnDevice, from.rows * from.row_bytes());
            return stream.copy_rectangle((source, &from.bytes()), (to.slice.gpu(), &to.bytes()));
        }
        // Between devices, rows travel through the host.
        let mut bytes = vec![0; from.rows * from.row_bytes()];
        from.slice.device().read_rectangle(from, &mut bytes)?;
        self.write_rectangle(to, &bytes)
    }

    /// Gives all elements of a rectangle in memory of this device the bytes of `element`.
    pub(super) fn fill_rectangle(&self, to: &Rectangle, element: &[u8]) -> Result<()> {
        if to.is_contiguous() || to.len() == 0 {
            return self.fill_bytes(&to.slice, element);
        }
        match &self.engine {
            Engine::Cpu(_) => {
                let rows = (0..to.rows).map(|row| to.part(row..row + 1, 0..to.columns));
                rows.map(|row| row.slice).try_for_each(|row| self.fill_bytes(&row, element))
            }
            Engine::Cuda(stream) => stream.fill_rectangle(to.slice.gpu(), &to.bytes(), element),
        }
    }
}
