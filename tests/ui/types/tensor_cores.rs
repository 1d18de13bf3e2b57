//! Fragments that do not fit, and are no device types of the user's.
use warpwise::{mma, prelude::*};

/// Factors of different types.
#[kernel(block = 32)]
fn types(a: &[f16], b: &[bf16], c: &mut [f32]) {
    let mut sum = mma::Accumulator::<f32, 16, 8>::zero();
    let left = mma::A::<f16, 16, 16>::load(a, 0, 16);
    let right = mma::B::<bf16, 16, 8>::load(b, 0, 8);
    sum.multiply_add(left, right);
    sum.store(c, 0, 8);
}

/// Factors that no target multiplies in this shape.
#[kernel(block = 32)]
fn shapes(a: &[f16], b: &[f16], c: &mut [f32]) {
    let mut sum = mma::Accumulator::<f32, 16, 8>::zero();
    let left = mma::A::<f16, 16, 32>::load(a, 0, 32);
    let right = mma::B::<f16, 32, 8>::load(b, 0, 8);
    sum.multiply_add(left, right);
    sum.store(c, 0, 8);
}

/// Elements of another type than the fragment's.
#[kernel(block = 32)]
fn elements(a: &[f32], c: &mut [u32]) {
    let left = mma::A::<f16, 16, 16>::load(a, 0, 16);
    c[thread_idx_x()] = left.words[0];
}

/// A product that only some lanes come to.
#[kernel(block = 64)]
fn some_lanes(a: &[i8], b: &[i8], c: &mut [i32]) {
    let mut sum = mma::Accumulator::<i32, 8, 8>::zero();
    if warp::lane_id() < 16 {
        let left = mma::A::<i8, 8, 16>::load(a, 0, 16);
        let right = mma::B::<i8, 16, 8>::load_transposed(b, 0, 16);
        sum.multiply_add(left, right);
    }
    sum.store(c, warp::warp_id() * 64, 8);
}

/// Fewer lanes than a warp has.
#[kernel(block = 48)]
fn partial_warps(a: &[i8], b: &[i8], c: &mut [i32]) {
    let mut sum = mma::Accumulator::<i32, 8, 8>::zero();
    let left = mma::A::<i8, 8, 16>::load(a, 0, 16);
    let right = mma::B::<i8, 16, 8>::load_transposed(b, 0, 16);
    sum.multiply_add(left, right);
    sum.store(c, warp::warp_id() * 64, 8);
}

fn main() {}
