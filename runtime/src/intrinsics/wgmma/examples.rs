//! Factors of the examples in the documentation.
use crate::{U32x4, bf16, device};

/// Returns 8 halves of a row of the unit matrix.
#[device]
pub fn unit(row: usize, chunk: usize) -> U32x4 {
    let one = (chunk == row / 8) as u32 * (0x3f80 << (16 * (row % 2)));
    let word = |i: usize| (row % 8 / 2 == i) as u32 * one;
    U32x4::new(word(0), word(1), word(2), word(3))
}

/// Returns 8 halves with the value of a row's number.
#[device]
pub fn number(row: usize) -> U32x4 {
    U32x4::splat(bf16::from_f32(row as f32).to_bits() as u32 * 0x1_0001)
}
