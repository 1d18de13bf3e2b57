//! Instances whose code is embedded.
use warpwise::prelude::*;

#[kernel(precompile((f32, 16), (f64, 0x20), (i8, 1_000)))]
fn right<T: Num, const N: usize>(y: &mut [T]) {
    y[0] = y[N];
}

#[kernel(precompile((true, -1), (false, 7)))]
fn of_constants<const NEGATED: bool, const BY: i32>(y: &mut [i32]) {
    y[0] = if NEGATED { -BY } else { BY };
}

#[kernel(precompile(16))]
fn nothing_to_bind(y: &mut [f32]) {
    y[0] = 1.0;
}

#[kernel(precompile(16, (f32, 16, 4)))]
fn wrong_count<T: Num, const N: usize>(y: &mut [T]) {
    y[0] = y[N];
}

const SIZE: usize = 16;

#[kernel(precompile((16, f32), (String, 16), (f32, SIZE), (f32, -1), (f32, 4 * 4)))]
fn wrong_kind<T: Num, const N: usize>(y: &mut [T]) {
    y[0] = y[N];
}

#[kernel(precompile(256, 1.0, true))]
fn wrong_constant<const N: u8>(y: &mut [u8]) {
    y[0] = N;
}

#[kernel(precompile(f32, u32))]
fn wrong_bound<T: Int>(y: &mut [T]) {
    y[0] = T::ONE;
}

#[kernel(precompile(16, 32, 16))]
fn twice<const N: usize>(y: &mut [f32]) {
    y[0] = y[N];
}

#[kernel(precompile())]
fn empty<const N: usize>(y: &mut [f32]) {
    y[0] = y[N];
}

#[kernel(precompile = 16)]
fn form<const N: usize>(y: &mut [f32]) {
    y[0] = y[N];
}

#[kernel(block = 32, deny_checks, precompile(1, 32))]
fn unproved<const N: usize>(y: &mut [f32; 32]) {
    y[(thread_idx_x() * N) % 48] = 1.0;
}

fn main() {}
