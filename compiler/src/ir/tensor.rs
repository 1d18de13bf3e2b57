//! Boxes of tensors, which one copy of a tensor map moves: their limits, and their layout in shared
//! memory.
use super::{Extent, Kernel, ParamId, ParamKind};
use std::fmt;

/// The box of a tensor that a copy moves, as an instruction has it: its extents may depend on
/// generic parameters. Its text form is
/// `box 8, 32, swizzle 128, bytes 1024`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorBox {
    /// The number of elements along each dimension, the outermost first: two or three.
    pub extents: Vec<Extent>,
    /// The bytes of a row within which 16-byte chunks are permuted: 0, 32, 64 or 128.
    pub swizzle: Extent,
    /// The bytes of the box in shared memory.
    pub bytes: Extent,
}

impl TensorBox {
    /// Returns all numbers of the box.
    pub fn numbers(&self) -> impl Iterator<Item = &Extent> {
        self.extents.iter().chain([&self.swizzle, &self.bytes])
    }

    /// Returns all numbers of the box, to replace.
    pub fn numbers_mut(&mut self) -> impl Iterator<Item = &mut Extent> {
        self.extents.iter_mut().chain([&mut self.swizzle, &mut self.bytes])
    }

    /// Returns the problem of a copy of the tensor of `map`; `None` if there is none, or the copy
    /// depends on generic parameters.
    pub fn problem_in(&self, kernel: &Kernel, map: ParamId) -> Option<String> {
        let shape = self.shape_in(kernel, map)?;
        shape.problem().or_else(|| {
            let (bytes, needed) = (self.bytes.known()?, shape.bytes());
            (bytes != needed)
                .then(|| format!("the box has {needed} bytes, and the tile has {bytes} bytes"))
        })
    }

    /// Returns the shape of the box, with elements of `elem_bytes` bytes; `None` if it depends on
    /// generic parameters.
    pub fn shape(&self, elem_bytes: u64) -> Option<TensorBoxShape> {
        let mut extents = [1; 3];
        let outer = extents.len().checked_sub(self.extents.len())?;
        for (extent, bound) in extents[outer..].iter_mut().zip(&self.extents) {
            *extent = bound.known()?;
        }
        Some(TensorBoxShape { extents, elem_bytes, swizzle: self.swizzle.known()? })
    }

    /// Returns the shape of a box of the tensor of `map`; `None` if it depends on generic
    /// parameters.
    pub fn shape_in(&self, kernel: &Kernel, map: ParamId) -> Option<TensorBoxShape> {
        match &kernel.params.get(map)?.kind {
            ParamKind::Slice { elem, .. } => self.shape(elem.size()?),
            ParamKind::Scalar(_) => None,
        }
    }
}

impl fmt::Display for TensorBox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("box ")?;
        self.extents.iter().try_for_each(|extent| write!(f, "{extent}, "))?;
        write!(f, "swizzle {}, bytes {}", self.swizzle, self.bytes)
    }
}

/// The shape of a box of a tensor.
///
/// In shared memory its elements lie one after the other, the innermost dimension first, without
/// gaps. With a swizzle of 128 bytes, each row has 128 bytes, in 8 chunks of 16, and chunk `c` of
/// row `r` is in the place of chunk `c ^ (r % 8)`. Narrower swizzles are alike:
/// [`swizzled`](Self::swizzled) has the formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorBoxShape {
    /// The number of elements along the layers, the rows and the columns; 1 layer if there are
    /// none.
    pub extents: [u64; 3],
    /// The size of an element.
    pub elem_bytes: u64,
    /// The bytes of a row within which 16-byte chunks are permuted: 0, 32, 64 or 128.
    pub swizzle: u64,
}

impl TensorBoxShape {
    /// The most elements along a dimension.
    pub const MAX_EXTENT: u64 = 256;
    /// Returns the mask of the bits of a column at which a copy begins: hardware copies boxes whose
    /// rows begin at multiples of 16 bytes, and ends with an illegal instruction at others.
    pub fn column_mask(&self) -> i32 {
        let elements = Self::CHUNK_BYTES / self.elem_bytes;
        -i32::try_from(elements).unwrap_or(1)
    }

    /// The bytes of a chunk, which a swizzle moves as a whole.
    pub const CHUNK_BYTES: u64 = 16;
    /// The most bytes of a swizzle.
    pub const MAX_SWIZZLE: u64 = 128;
    /// The alignment of a box without a swizzle in shared memory, in bytes.
    const MIN_ALIGN: u64 = 128;

    /// Returns the bytes of a row.
    pub const fn row_bytes(&self) -> u64 {
        self.extents[2] * self.elem_bytes
    }

    /// Returns the bytes of the box.
    pub const fn bytes(&self) -> u64 {
        self.extents[0] * self.extents[1] * self.row_bytes()
    }

    /// Returns the alignment in shared memory of boxes with a swizzle, in bytes: it repeats after
    /// so many.
    pub const fn align(swizzle: u64) -> u64 {
        if swizzle == 0 { Self::MIN_ALIGN } else { 8 * swizzle }
    }

    /// Returns the place of a byte in shared memory, of which `offset` is the place without a
    /// swizzle. Hardware permutes chunks by the bits of the address above the lowest seven.
    pub const fn swizzled(&self, offset: u64) -> u64 {
        let permuted = self.swizzle.saturating_sub(1) & !(Self::CHUNK_BYTES - 1);
        offset ^ (offset >> 3 & permuted)
    }

    /// Returns the limit of hardware that the box exceeds, if it exceeds one.
    pub fn problem(&self) -> Option<String> {
        let Self { extents, elem_bytes, swizzle } = *self;
        if !matches!(elem_bytes, 1 | 2 | 4 | 8) {
            return Some(format!("elements have 1, 2, 4 or 8 bytes, and these have {elem_bytes}"));
        }
        if let Some(extent) =
            extents.into_iter().find(|extent| *extent == 0 || *extent > Self::MAX_EXTENT)
        {
            let most = Self::MAX_EXTENT;
            return Some(format!(
                "a box has 1 to {most} elements along a dimension, and not {extent}"
            ));
        }
        if !matches!(swizzle, 0 | 32 | 64 | 128) {
            return Some(format!("a swizzle has 0, 32, 64 or 128 bytes, and not {swizzle}"));
        }
        let row = self.row_bytes();
        if !row.is_multiple_of(Self::CHUNK_BYTES) {
            return Some(format!("a row of a box has a multiple of 16 bytes, and not {row}"));
        }
        (swizzle > 0 && row != swizzle).then(|| {
            format!("a row of a box has as many bytes as its swizzle, {swizzle}, and not {row}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SWIZZLED: TensorBoxShape =
        TensorBoxShape { extents: [1, 64, 32], elem_bytes: 4, swizzle: 128 };

    #[test]
    fn a_swizzle_moves_chunks_within_rows() {
        for (row, chunk) in (0..64).flat_map(|row| (0..8).map(move |chunk| (row, chunk))) {
            let moved = SWIZZLED.swizzled(row * 128 + chunk * 16 + 5);
            assert_eq!(moved, row * 128 + (chunk ^ (row % 8)) * 16 + 5);
        }
    }

    #[test]
    fn narrow_swizzles_repeat_after_eight_rows() {
        for (swizzle, rows_per_step) in [(64, 2), (32, 4)] {
            let shape = TensorBoxShape { swizzle, ..SWIZZLED };
            assert_eq!(TensorBoxShape::align(swizzle), 8 * swizzle);
            for row in 0..32 {
                let flipped = row / rows_per_step % (swizzle / 16);
                let moved = shape.swizzled(row * swizzle);
                assert_eq!(moved, row * swizzle + flipped * 16, "{swizzle}, row {row}");
            }
        }
    }

    #[test]
    fn a_box_without_a_swizzle_stays_as_it_is() {
        let shape = TensorBoxShape { swizzle: 0, ..SWIZZLED };
        assert!((0..shape.bytes()).all(|offset| shape.swizzled(offset) == offset));
    }

    #[test]
    fn limits_are_reported() {
        let problem = |shape: TensorBoxShape| shape.problem().unwrap_or_default();
        assert_eq!(problem(SWIZZLED), "");
        assert!(problem(TensorBoxShape { extents: [1, 257, 32], ..SWIZZLED }).contains("not 257"));
        assert!(problem(TensorBoxShape { extents: [1, 0, 32], ..SWIZZLED }).contains("not 0"));
        assert!(problem(TensorBoxShape { elem_bytes: 16, ..SWIZZLED }).contains("have 16"));
        assert!(problem(TensorBoxShape { swizzle: 16, ..SWIZZLED }).contains("not 16"));
        assert!(problem(TensorBoxShape { swizzle: 64, ..SWIZZLED }).contains("not 128"));
        let narrow = TensorBoxShape { extents: [1, 64, 3], swizzle: 0, ..SWIZZLED };
        assert!(problem(narrow).contains("not 12"));
    }
}
