//! The array and the box of a tensor map, as a launch passes them.
use crate::memory::Rectangle;
use warpwise_compiler::ir::TensorBoxShape;

/// The bytes at whose multiples an array and its rows begin.
const ALIGN: usize = 16;
/// The most bytes from one row to the next, and from one layer to the next.
const MAX_PITCH_BYTES: usize = (1 << 40) - 1;
/// The most elements along a dimension.
const MAX_EXTENT: usize = 1 << 32;

/// An array in the memory of a device, and the box that copies of it move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TensorLayout {
    /// The number of dimensions: 2 or 3.
    pub(crate) dims: usize,
    /// The number of layers, rows and columns.
    pub(crate) extents: [usize; 3],
    /// The bytes from one row to the next.
    pub(crate) pitch_bytes: usize,
    /// The box.
    pub(crate) shape: TensorBoxShape,
    /// True if boxes are stored.
    pub(crate) is_stored: bool,
}

impl TensorLayout {
    /// Describes `layers` layers of rows, the rows of a rectangle. The box and the swizzle are
    /// those of the kernel's parameter, the layers first. Boxes are copied to shared memory, or
    /// stored.
    pub(crate) fn new(
        rectangle: &Rectangle,
        layers: Option<usize>,
        (shape, swizzle): ([usize; 3], usize),
        is_stored: bool,
    ) -> Self {
        let elem_bytes = rectangle.elem_bytes as u64;
        let shape = TensorBoxShape {
            extents: shape.map(|extent| extent as u64),
            elem_bytes,
            swizzle: swizzle as u64,
        };
        let rows = rectangle.rows / layers.unwrap_or(1).max(1);
        Self {
            dims: if layers.is_some() { 3 } else { 2 },
            extents: [layers.unwrap_or(1), rows, rectangle.columns],
            pitch_bytes: rectangle.pitch.saturating_mul(rectangle.elem_bytes),
            shape,
            is_stored,
        }
    }

    /// Returns the bytes from one layer to the next.
    pub(crate) const fn layer_bytes(&self) -> usize {
        self.pitch_bytes.saturating_mul(self.extents[1])
    }

    /// Returns the alignment of the first element that a tensor map needs, in bytes.
    pub(crate) const fn align(&self) -> u64 {
        ALIGN as u64
    }

    /// Returns the limit of hardware that the array or the box exceeds, if they exceed one.
    pub(crate) fn problem(&self) -> Option<String> {
        let Self { extents, pitch_bytes, .. } = *self;
        if let Some(problem) = self.shape.problem() {
            return Some(problem);
        }
        if extents.contains(&0) {
            return Some("the array has no elements".into());
        }
        if let Some(extent) = extents.into_iter().find(|extent| *extent > MAX_EXTENT) {
            return Some(format!(
                "an array has at most 2^32 elements along a dimension, and not {extent}"
            ));
        }
        if !pitch_bytes.is_multiple_of(ALIGN) {
            return Some(format!(
                "the rows of the array begin {pitch_bytes} bytes apart, and must begin a multiple of 16 \
                 bytes apart, as those of a `Buffer2` do"
            ));
        }
        let row_bytes = extents[2].saturating_mul(self.shape.elem_bytes as usize);
        if self.is_stored && !row_bytes.is_multiple_of(ALIGN) {
            return Some(format!(
                "the rows of the array have {row_bytes} bytes, and stores write multiples of 16 bytes"
            ));
        }
        let strides = [Some(pitch_bytes), (self.dims > 2).then(|| self.layer_bytes())];
        let wide = strides.into_iter().flatten().find(|stride| *stride > MAX_PITCH_BYTES);
        wide.map(|bytes| {
            format!("rows or layers begin {bytes} bytes apart, and may begin less than 2^40")
        })
    }
}
