//! Kernels that one finds in textbooks and samples, written as they should be.
use std::sync::atomic::Ordering;
use warpwise::{F32x4, U8x4, prelude::*};

#[kernel(block = 256)]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

#[kernel(block = 256)]
fn forces(bodies: &[F32x4], forces: &mut [F32x4]) {
    let tile = shared!([F32x4; 256]);
    let (i, t) = (global_idx_x(), thread_idx_x());
    let me = if i < bodies.len() { bodies[i] } else { F32x4::ZERO };
    let (mut fx, mut fy, mut fz) = (0.0, 0.0, 0.0);
    for first in (0..bodies.len()).step_by(256) {
        let other = first + t;
        tile[t] = if other < bodies.len() { bodies[other] } else { F32x4::ZERO };
        sync_threads();
        for k in 0..256 {
            let body = tile[k];
            let (dx, dy, dz) = (body.x - me.x, body.y - me.y, body.z - me.z);
            let r2 = dx * dx + dy * dy + dz * dz + 1e-6;
            let s = body.w / (r2 * r2.sqrt());
            fx += s * dx;
            fy += s * dy;
            fz += s * dz;
        }
        sync_threads();
    }
    if i < forces.len() {
        forces[i] = F32x4::new(fx, fy, fz, 0.0);
    }
}

#[kernel(block = (32, 8))]
fn stencil(width: usize, height: usize, x: &[f32], y: &mut [f32]) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if column > 0 && column + 1 < width && row > 0 && row + 1 < height {
        let i = row * width + column;
        let around = x[i - width] + x[i + width];
        y[i] = 0.25 * around + x[i];
    }
}

#[kernel(block = (32, 8))]
fn stencil_with_a_halo(width: usize, height: usize, x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 34]; 10]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (column, row) = (global_idx_x(), global_idx_y());
    for k in (ty * 32 + tx..34 * 10).step_by(256) {
        let (c, r) = (block_idx_x() * 32 + k % 34, block_idx_y() * 8 + k / 34);
        let is_inside = c > 0 && c <= width && r > 0 && r <= height;
        tile[k / 34][k % 34] = if is_inside { x[(r - 1) * width + c - 1] } else { 0.0 };
    }
    sync_threads();
    if column < width && row < height {
        let vertical = tile[ty][tx + 1] + tile[ty + 2][tx + 1];
        let horizontal = tile[ty + 1][tx] + tile[ty + 1][tx + 2];
        y[row * width + column] = vertical + horizontal - 4.0 * tile[ty + 1][tx + 1];
    }
}

#[kernel(block = 256)]
fn softmax_of_a_row(columns: usize, x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let row = block_idx_x() * columns;
    let mut largest = f32::NEG_INFINITY;
    for k in (t..columns).step_by(256) {
        largest = largest.max(x[row + k]);
    }
    let largest = block::reduce_max(largest);
    let mut sum = 0.0;
    for k in (t..columns).step_by(256) {
        sum += (x[row + k] - largest).exp();
    }
    let sum = block::reduce_add(sum);
    for k in (t..columns).step_by(256) {
        y[row + k] = (x[row + k] - largest).exp() / sum;
    }
}

#[kernel(block = 128)]
fn dot(x: &[f32], y: &[f32], total: &[AtomicF32]) {
    let mut sum = 0.0;
    for i in (global_idx_x()..x.len().min(y.len())).step_by(128 * grid_dim_x()) {
        sum += x[i] * y[i];
    }
    let sum = block::reduce_add(sum);
    if thread_idx_x() == 0 {
        total[0].fetch_add(sum, Ordering::Relaxed);
    }
}

#[kernel(block = 256)]
fn inclusive_scan_of_a_block(x: &[u32], y: &mut [u32]) {
    let i = global_idx_x();
    let v = if i < x.len() { x[i] } else { 0 };
    let sum = block::inclusive_sum(v);
    if i < y.len() {
        y[i] = sum;
    }
}

#[kernel(block = 256)]
fn gray(pixels: &[U8x4], y: &mut [u8]) {
    let i = global_idx_x();
    if i < pixels.len() && i < y.len() {
        let p = pixels[i];
        let sum = 77 * p.x as u32 + 150 * p.y as u32 + 29 * p.z as u32;
        y[i] = (sum >> 8) as u8;
    }
}

#[kernel(block = 256)]
fn one_row_a_block(columns: usize, a: &[f32], x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let mut sum = 0.0;
    for k in (t..columns).step_by(256) {
        sum += a[block_idx_x() * columns + k] * x[k];
    }
    let sum = block::reduce_add(sum);
    if t == 0 && block_idx_x() < y.len() {
        y[block_idx_x()] = sum;
    }
}

#[kernel(block = 64)]
fn random_points(rounds: u32, inside: &[AtomicU32]) {
    let mut state = global_idx_x() as u32 * 747_796_405 + 1;
    let mut count = 0u32;
    for _ in 0..rounds {
        state = state * 1_664_525 + 1_013_904_223;
        let x = (state >> 8) as f32 / 16_777_216.0;
        state = state * 1_664_525 + 1_013_904_223;
        let y = (state >> 8) as f32 / 16_777_216.0;
        count += (x * x + y * y < 1.0) as u32;
    }
    let count = block::reduce_add(count);
    if thread_idx_x() == 0 {
        inside[0].fetch_add(count, Ordering::Relaxed);
    }
}

#[kernel(block = (32, 8))]
fn game_of_life(width: usize, height: usize, x: &[u8], y: &mut [u8]) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if column >= width || row >= height {
        return;
    }
    let mut neighbours = 0;
    for dy in 0..3 {
        for dx in 0..3 {
            let (c, r) = ((column + width + dx - 1) % width, (row + height + dy - 1) % height);
            neighbours += if dx == 1 && dy == 1 { 0 } else { x[r * width + c] };
        }
    }
    let alive = x[row * width + column];
    y[row * width + column] = (neighbours == 3 || alive == 1 && neighbours == 2) as u8;
}

#[kernel(block = 256)]
fn black_scholes(spot: &[f32], strike: &[f32], years: &[f32], call: &mut [f32]) {
    let i = global_idx_x();
    if i >= call.len() || i >= spot.len() || i >= strike.len() || i >= years.len() {
        return;
    }
    let (s, k, t) = (spot[i], strike[i], years[i]);
    let deviation = 0.3 * t.sqrt();
    let d1 = ((s / k).ln() + 0.065 * t) / deviation;
    let normal = |d: f32| 0.5 * (1.0 + math::erf(d * 0.707));
    call[i] = s * normal(d1) - k * (-0.02 * t).exp() * normal(d1 - deviation);
}

crate::corpus![
    saxpy,
    forces,
    stencil,
    stencil_with_a_halo,
    softmax_of_a_row,
    dot,
    inclusive_scan_of_a_block,
    gray,
    one_row_a_block,
    random_points,
    game_of_life,
    black_scholes,
];
