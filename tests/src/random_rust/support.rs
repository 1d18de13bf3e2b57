//! Device functions that random kernels call.
use warpwise::prelude::*;

/// Returns the number, or one fixed NaN: Rust does not specify the sign and payload of a computed
/// one.
#[device]
pub(crate) fn nan_f32(x: f32) -> f32 {
    if x.is_nan() { f32::NAN } else { x }
}

/// Does the same as [`nan_f32`].
#[device]
pub(crate) fn nan_f64(x: f64) -> f64 {
    if x.is_nan() { f64::NAN } else { x }
}

/// Returns the bits of the number, the same ones for every NaN.
#[device]
pub(crate) fn bits_f32(x: f32) -> u32 {
    if x.is_nan() { 0x7fc0_0000 } else { x.to_bits() }
}

/// Does the same as [`bits_f32`].
#[device]
pub(crate) fn bits_f64(x: f64) -> u64 {
    if x.is_nan() { 0x7ff8_0000_0000_0000 } else { x.to_bits() }
}

/// Does the same as [`nan_f32`].
#[device]
pub(crate) fn nan_f16(x: f16) -> f16 {
    if x.is_nan() { f16::NAN } else { x }
}

/// Does the same as [`nan_f32`].
#[device]
pub(crate) fn nan_bf16(x: bf16) -> bf16 {
    if x.is_nan() { bf16::NAN } else { x }
}

/// Does the same as [`bits_f32`].
#[device]
pub(crate) fn bits_f16(x: f16) -> u16 {
    if x.is_nan() { 0x7e00 } else { x.to_bits() }
}

/// Does the same as [`bits_f32`].
#[device]
pub(crate) fn bits_bf16(x: bf16) -> u16 {
    if x.is_nan() { 0x7fc0 } else { x.to_bits() }
}

/// Returns a hash of the values so far and a new one.
#[device]
pub(crate) fn mix(seen: u64, now: u64) -> u64 {
    (seen ^ now).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
}

#[device]
pub(crate) fn pick<T: Copy>(first: bool, a: T, b: T) -> T {
    if first { a } else { b }
}

#[device]
pub(crate) fn some_if<T: Copy>(some: bool, value: T) -> Option<T> {
    if some { Some(value) } else { None }
}

#[device]
pub(crate) fn ok_if<T: Copy, E: Copy>(ok: bool, value: T, error: E) -> Result<T, E> {
    if ok { Ok(value) } else { Err(error) }
}

#[device]
pub(crate) fn nth<T: Copy, const N: usize>(of: [T; N], at: u8) -> T {
    of[at as usize % N]
}

#[device]
pub(crate) fn apply<A, B, F: Fn(A) -> B>(f: F, x: A) -> B {
    f(x)
}

#[device]
pub(crate) fn repeat<T: Copy, F: Fn(T) -> T>(count: usize, start: T, f: F) -> T {
    let mut value = start;
    for _ in 0..count {
        value = f(value);
    }
    value
}

/// Calls `f`, which may change its captures, on every element but the last.
#[device]
pub(crate) fn each<T: Copy, F: FnMut(T)>(of: &[T], mut f: F) {
    for at in 1..of.len() {
        f(of[at - 1]);
    }
}
