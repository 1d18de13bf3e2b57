//! Addresses of the texels of surfaces.
//!
//! A surface is a slice of texels to every stage but the back ends: rows a pitch apart, and layers
//! a number of rows apart, which launches pass. Hardware has no addresses of texels. A launch on a
//! GPU therefore passes a pitch of [`ROW_BYTES`] and layers of [`LAYER_ROWS`] rows, and the base of
//! the slice is 0 there. The address of a byte is then its coordinates, and a back end takes these
//! out of it by shifts: x in bytes from bit 0, y from bit [`Y_BIT`], and z from bit [`Z_BIT`]. The
//! layer of a [layered](TextureShape::is_layered) surface is its last coordinate.
//!
//! ```
//! use warpwise_compiler::ir::surface::{LAYER_ROWS, ROW_BYTES};
//!
//! // The texel of 4 bytes in column 3 and row 2 of layer 1.
//! let address = ((1 * LAYER_ROWS + 2) * ROW_BYTES / 4 + 3) * 4;
//! assert_eq!(address, 1 << 36 | 2 << 21 | 12);
//! ```
use super::TextureShape;

/// The bit of an address where y begins.
pub const Y_BIT: u32 = 21;
/// The bit of an address where z begins.
pub const Z_BIT: u32 = 36;
/// The bytes from one row to the next on a GPU.
pub const ROW_BYTES: u64 = 1 << Y_BIT;
/// The rows from one layer to the next on a GPU.
pub const LAYER_ROWS: u64 = 1 << (Z_BIT - Y_BIT);
/// The bytes of the largest texel.
pub const MAX_TEXEL_BYTES: u64 = 16;

/// Returns the coordinates of a surface's access in the order of PTX, as indices of x, y and z: the
/// layer of a layered surface comes first, and vectors of three have a fourth element, which is
/// ignored.
pub const fn coordinate_order(shape: TextureShape) -> &'static [usize] {
    match shape {
        TextureShape::D1 => &[0],
        TextureShape::D2 => &[0, 1],
        TextureShape::D3 => &[0, 1, 2, 2],
        TextureShape::D1Layered => &[1, 0],
        TextureShape::D2Layered => &[2, 0, 1, 1],
    }
}
