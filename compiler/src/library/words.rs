//! Operations on 32-bit words as so many bytes or bits: those of
//! [`TernaryOp`](crate::ir::TernaryOp) on integers.

#[inline(always)]
fn signed_byte(word: u32, at: u32) -> u32 {
    i32::from((word >> (8 * at)) as i8) as u32
}

#[inline(always)]
fn byte(word: u32, at: u32) -> u32 {
    word >> (8 * at) & 0xff
}

#[inline(always)]
fn signed_half(word: u32, at: u32) -> u32 {
    i32::from((word >> (16 * at)) as i16) as u32
}

#[inline(always)]
fn half(word: u32, at: u32) -> u32 {
    word >> (16 * at) & 0xffff
}

/// The dot product of four unsigned bytes, plus `c`.
#[inline(always)]
pub fn dot_bytes(a: u32, b: u32, c: u32) -> u32 {
    (0..4).fold(c, |sum, at| sum.wrapping_add(byte(a, at) * byte(b, at)))
}

/// The dot product of four signed bytes, plus `c`.
#[inline(always)]
pub fn dot_bytes_signed(a: u32, b: u32, c: u32) -> u32 {
    let product = |at| signed_byte(a, at).wrapping_mul(signed_byte(b, at));
    (0..4).fold(c, |sum, at| sum.wrapping_add(product(at)))
}

#[inline(always)]
fn dot_halves(a: u32, b: u32, c: u32, first: u32) -> u32 {
    (0..2).fold(c, |sum, at| sum.wrapping_add(half(a, at) * byte(b, first + at)))
}

#[inline(always)]
fn dot_halves_signed(a: u32, b: u32, c: u32, first: u32) -> u32 {
    let product = |at| signed_half(a, at).wrapping_mul(signed_byte(b, first + at));
    (0..2).fold(c, |sum, at| sum.wrapping_add(product(at)))
}

/// The dot product of two unsigned halves and the two lower bytes, plus `c`.
#[inline(always)]
pub fn dot_halves_low(a: u32, b: u32, c: u32) -> u32 {
    dot_halves(a, b, c, 0)
}

/// The dot product of two unsigned halves and the two upper bytes, plus `c`.
#[inline(always)]
pub fn dot_halves_high(a: u32, b: u32, c: u32) -> u32 {
    dot_halves(a, b, c, 2)
}

/// The dot product of two signed halves and the two lower bytes, plus `c`.
#[inline(always)]
pub fn dot_halves_low_signed(a: u32, b: u32, c: u32) -> u32 {
    dot_halves_signed(a, b, c, 0)
}

/// The dot product of two signed halves and the two upper bytes, plus `c`.
#[inline(always)]
pub fn dot_halves_high_signed(a: u32, b: u32, c: u32) -> u32 {
    dot_halves_signed(a, b, c, 2)
}

/// Four of the eight bytes of two words.
#[inline(always)]
pub fn permute_bytes(a: u32, b: u32, selector: u32) -> u32 {
    let all = u64::from(b) << 32 | u64::from(a);
    (0..4).fold(0, |result, at| {
        let choice = selector >> (4 * at);
        let byte = (all >> (8 * (choice & 7))) as u8;
        let byte = if choice & 8 == 0 { byte } else { ((byte as i8) >> 7) as u8 };
        result | u32::from(byte) << (8 * at)
    })
}

/// The upper half of two words, moved up.
#[inline(always)]
pub fn funnel_shl(high: u32, low: u32, amount: u32) -> u32 {
    ((u64::from(high) << 32 | u64::from(low)) << (amount & 31) >> 32) as u32
}

/// The lower half of two words, moved down.
#[inline(always)]
pub fn funnel_shr(high: u32, low: u32, amount: u32) -> u32 {
    ((u64::from(high) << 32 | u64::from(low)) >> (amount & 31)) as u32
}

/// The sum of two words and 1, or of two words if `carry` is 0.
#[inline(always)]
pub fn add_carry(a: u32, b: u32, carry: u32) -> u32 {
    exact_sum(a, b, carry) as u32
}

/// The carry of that sum, 0 or 1.
#[inline(always)]
pub fn carry_out(a: u32, b: u32, carry: u32) -> u32 {
    (exact_sum(a, b, carry) >> 32) as u32
}

#[inline(always)]
fn exact_sum(a: u32, b: u32, carry: u32) -> u64 {
    u64::from(a) + u64::from(b) + u64::from(carry != 0)
}
