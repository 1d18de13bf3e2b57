//! Operations on the bytes and bits of words, each of which is one instruction of a GPU and has no
//! name in std.
//!
//! ```
//! use warpwise::prelude::*;
//!
//! /// The dot product of each row of signed bytes, four in a word, with `x`.
//! #[kernel]
//! fn products(rows: &[i32], x: &[i32], y: &mut [i32]) {
//!     let i = global_idx_x();
//!     if i < y.len() {
//!         let mut sum = 0;
//!         for k in 0..x.len() {
//!             sum = bits::dot_bytes_signed(rows[i * x.len() + k], x[k], sum);
//!         }
//!         y[i] = sum;
//!     }
//! }
//!
//! # fn main() -> warpwise::Result<()> {
//! let device = Device::auto()?;
//! let word = |bytes: [i8; 4]| i32::from_le_bytes(bytes.map(|byte| byte as u8));
//! let rows = device.upload(&[word([1, 2, 3, 4]), word([-1, -1, 0, 0])])?;
//! let x = device.upload(&[word([10, -20, 30, -40])])?;
//! let mut y = device.zeros::<i32>(2)?;
//! products::launch(&device, LaunchConfig::cover(2), &rows, &x, &mut y)?;
//! assert_eq!(y.to_vec()?, [10 - 40 + 90 - 160, -10 + 20]);
//! # Ok(())
//! # }
//! ```
//!
//! Rotations, byte swaps, counts of bits, upper halves of products, sums with a carry and the like
//! are std's methods.
use warpwise_compiler::library::words;

/// Adds the products of the four unsigned bytes of `a` and `b` to `c`, wrapping: `dp4a.u32.u32`.
///
/// ```
/// use warpwise::bits;
///
/// assert_eq!(bits::dot_bytes(0x0403_0201, 0x0101_0101, 5), 15);
/// ```
pub fn dot_bytes(a: u32, b: u32, c: u32) -> u32 {
    words::dot_bytes(a, b, c)
}

/// Adds the products of the four signed bytes of `a` and `b` to `c`, wrapping: `dp4a.s32.s32`.
///
/// ```
/// use warpwise::bits;
///
/// assert_eq!(bits::dot_bytes_signed(-1, 0x0101_0101, 5), 1);
/// ```
pub fn dot_bytes_signed(a: i32, b: i32, c: i32) -> i32 {
    words::dot_bytes_signed(a as u32, b as u32, c as u32) as i32
}

/// Adds the products of the two unsigned halves of `a` and the two lower bytes of `b` to `c`,
/// wrapping: `dp2a.lo.u32.u32`.
///
/// ```
/// use warpwise::bits;
///
/// assert_eq!(bits::dot_halves_low(0x0003_0002, 0x6060_0101, 5), 10);
/// ```
pub fn dot_halves_low(a: u32, b: u32, c: u32) -> u32 {
    words::dot_halves_low(a, b, c)
}

/// Adds the products of the two signed halves of `a` and the two lower bytes of `b` to `c`,
/// wrapping: `dp2a.lo.s32.s32`.
///
/// ```
/// use warpwise::bits;
///
/// assert_eq!(bits::dot_halves_low_signed(-1, 0x6060_0101, 5), 3);
/// ```
pub fn dot_halves_low_signed(a: i32, b: i32, c: i32) -> i32 {
    words::dot_halves_low_signed(a as u32, b as u32, c as u32) as i32
}

/// Adds the products of the two unsigned halves of `a` and the two upper bytes of `b` to `c`,
/// wrapping: `dp2a.hi.u32.u32`.
///
/// ```
/// use warpwise::bits;
///
/// assert_eq!(bits::dot_halves_high(0x0003_0002, 0x0101_6060, 5), 10);
/// ```
pub fn dot_halves_high(a: u32, b: u32, c: u32) -> u32 {
    words::dot_halves_high(a, b, c)
}

/// Adds the products of the two signed halves of `a` and the two upper bytes of `b` to `c`,
/// wrapping: `dp2a.hi.s32.s32`.
///
/// ```
/// use warpwise::bits;
///
/// assert_eq!(bits::dot_halves_high_signed(-1, 0x0101_6060, 5), 3);
/// ```
pub fn dot_halves_high_signed(a: i32, b: i32, c: i32) -> i32 {
    words::dot_halves_high_signed(a as u32, b as u32, c as u32) as i32
}

/// Selects four of the eight bytes of `a` and `b`: `prmt.b32`.
///
/// Byte `i` of the result is chosen by bits `4 * i` to `4 * i + 3` of `selector`. The lower three
/// are the number of the byte, 0 to 3 for those of `a` and 4 to 7 for those of `b`; where the
/// fourth is set, the result's byte is filled with the highest bit of that byte.
///
/// ```
/// use warpwise::bits;
///
/// let (a, b) = (0x3322_1100, 0x7766_5544);
/// assert_eq!(bits::permute_bytes(a, b, 0x7250), 0x7722_5500);
/// ```
pub fn permute_bytes(a: u32, b: u32, selector: u32) -> u32 {
    words::permute_bytes(a, b, selector)
}

/// Returns the upper word of `high` and `low` side by side, shifted left by `amount` modulo 32
/// bits: `shf.l.wrap.b32`.
///
/// ```
/// use warpwise::bits;
///
/// assert_eq!(bits::funnel_shl(0x0123_4567, 0x89ab_cdef, 8), 0x2345_6789);
/// ```
pub fn funnel_shl(high: u32, low: u32, amount: u32) -> u32 {
    words::funnel_shl(high, low, amount)
}

/// Returns the lower word of `high` and `low` side by side, shifted right by `amount` modulo 32
/// bits: `shf.r.wrap.b32`.
///
/// ```
/// use warpwise::bits;
///
/// assert_eq!(bits::funnel_shr(0x0123_4567, 0x89ab_cdef, 8), 0x6789_abcd);
/// ```
pub fn funnel_shr(high: u32, low: u32, amount: u32) -> u32 {
    words::funnel_shr(high, low, amount)
}
