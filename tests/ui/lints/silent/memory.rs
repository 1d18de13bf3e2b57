//! Accesses that cost what they must, and what is not known.
#![deny(warnings)]
use std::sync::atomic::Ordering;
use warpwise::{F32x4, U32x2, prelude::*};

#[device]
#[derive(Clone, Copy)]
struct Point {
    x: f32,
    y: f32,
    z: f32,
}

#[kernel(block = (32, 32))]
fn padded_and_swizzled(x: &[f32], y: &mut [f32]) {
    let padded = shared!([[f32; 33]; 32]);
    let swizzled = shared!([[f32; 32]; 32]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let i = (block_idx_y() * 32 + ty) * 1024 + block_idx_x() * 32 + tx;
    padded[ty][tx] = x[i];
    swizzled[ty][tx ^ ty] = x[i];
    sync_threads();
    y[i] = padded[tx][ty] + swizzled[tx][ty ^ tx];
}

#[kernel(block = 64)]
fn shared_rows(n: usize, x: &[F32x4], y: &mut [f32]) {
    let quads = shared!([F32x4; 64]);
    let words = shared!([f32; 192]);
    let bytes = shared!([u8; 64]);
    let t = thread_idx_x();
    quads[t] = x[t];
    words[t * 3] = 1.0;
    bytes[t] = 1;
    sync_threads();
    let broadcast = words[6] + quads[3].x;
    let unknown = words[t * n % 192];
    let quad = quads[63 - t];
    let whole = quad.x + quad.y + quad.z + quad.w;
    y[global_idx_x()] = broadcast + unknown + whole + bytes[t ^ 1] as f32;
}

#[kernel(block = 256)]
fn global_rows(n: usize, x: &[f32], points: &[Point], places: &[u32], y: &mut [f32]) {
    let i = global_idx_x();
    if i >= y.len() {
        return;
    }
    let p = points[i];
    let mut sum = p.x + p.y + p.z;
    sum += x[x.len() - 1 - i] + x[i ^ 1] + x[0] + x[i / 32];
    sum += x[places[i] as usize] + x[i * n];
    if warp::lane_id() == 0 {
        sum += x[i * 64];
    }
    y[i] = sum;
}

#[kernel(block = 256)]
fn strided(x: &[f32], sums: &[AtomicF32]) {
    let mut sum = 0.0;
    let mut i = global_idx_x();
    while i < x.len() {
        sum += x[i];
        i += grid_dim_x() * 256;
    }
    let sum = warp::reduce_add(sum);
    if warp::lane_id() == 0 {
        sums[0].fetch_add(sum, Ordering::Relaxed);
    }
}

/// A pair of loads is one request, which takes a wavefront for each half of the warp. So does a view.
#[kernel(block = 32)]
fn pairs(out: &mut [U32x2]) {
    let smem = shared!([u32; 128]);
    let t = thread_idx_x();
    for i in 0..4 {
        smem[i * 32 + t] = t as u32;
    }
    sync_threads();
    let pair = if t < 16 { t / 2 } else { t / 4 * 4 + t % 4 % 2 };
    if t < out.len() {
        out[t] = U32x2::new(smem[2 * pair], smem[2 * pair + 1]);
        out[t] += smem.as_vectors::<U32x2>()[pair];
    }
}

fn main() {}
