//! What looks like a mistake and is none: each of these must compile without a word.
#![deny(warnings)]
use warpwise::{F32x4, prelude::*};

/// Too long to be computed for both sides of a branch.
#[device]
fn long(x: f32) -> f32 {
    let mut v = x;
    for _ in 0..20 {
        v = v * v + 0.5;
    }
    v
}

// 1. Guards.
#[kernel(block = 256)]
fn guard(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        y[i] = long(x[i]);
    }
}

#[kernel(block = 256)]
fn guard_by_return(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i >= x.len() || i >= y.len() {
        return;
    }
    y[i] = long(x[i]);
}

// 2. Grid-stride loops.
#[kernel(block = 256)]
fn grid_stride(x: &[f32], y: &mut [f32]) {
    let n = x.len().min(y.len());
    for i in (global_idx_x()..n).step_by(block_dim_x() * grid_dim_x()) {
        y[i] = long(x[i]);
    }
}

// 3. One thread that does a little.
#[kernel(block = 256)]
fn leaders(x: &[f32], y: &mut [f32], z: &mut [f32]) {
    let i = global_idx_x();
    let v = if i < x.len() { x[i] } else { 0.0 };
    let of_warp = warp::reduce_add(v);
    if warp::lane_id() == 0 && i / 32 < y.len() {
        y[i / 32] = of_warp;
    }
    let of_block = block::reduce_add(v);
    if thread_idx_x() == 0 && block_idx_x() < z.len() {
        z[block_idx_x()] = of_block;
    }
}

// 4. Roles of warps.
#[kernel(block = 256)]
fn roles(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        if warp::warp_id() == 0 {
            y[i] = long(x[i]);
        } else {
            y[i] = long(x[i] + 1.0);
        }
    }
}

// 5. Conditions that are constant in a warp.
#[kernel(block = 256)]
fn first_warps(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        if thread_idx_x() < 64 {
            y[i] = long(x[i]);
        } else {
            y[i] = long(x[i] + 1.0);
        }
    }
}

// 6. Arms that are selects.
#[kernel(block = 256)]
fn select(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        y[i] = if i % 2 == 0 { x[i] } else { -x[i] };
    }
}

// 7. Values that a warp shares.
#[kernel(block = 256)]
fn shared_values(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let v = if i < x.len() { x[i] } else { 0.0 };
    let first = warp::shfl(v, 0);
    let large = warp::ballot(v > 1.0);
    if i < y.len() {
        if first > 0.5 {
            y[i] = long(v);
        } else if large.count_ones() > 7 {
            y[i] = long(v + 1.0);
        } else {
            y[i] = long(v - 1.0);
        }
    }
}

// 8. All lanes read one cell.
#[kernel(block = 256)]
fn broadcast(factors: &[f32], y: &mut [f32]) {
    let tile = shared!([f32; 256]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    tile[t] = if t < factors.len() { factors[t] } else { 0.0 };
    sync_threads();
    if i < y.len() {
        let mut sum = 0.0;
        for k in 0..256 {
            sum += tile[k];
        }
        y[i] = sum;
    }
}

// 9. The other way round, within what a warp reads anyway.
#[kernel(block = 256)]
fn reversed(x: &[f32], y: &mut [f32]) {
    let (i, n) = (global_idx_x(), x.len());
    if i < n && i < y.len() {
        y[i] = x[n - 1 - i];
    }
}

// 10. An odd stride in shared memory.
#[kernel(block = 64)]
fn odd_stride(x: &[f32], y: &mut [f32]) {
    let tile = shared!([f32; 192]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    for k in 0..3 {
        tile[t + 64 * k] = if i < x.len() { x[i] } else { 0.0 };
    }
    sync_threads();
    if i < y.len() {
        y[i] = tile[3 * t] + tile[3 * t + 1];
    }
}

// 11. A padded tile.
#[kernel(block = (32, 8))]
fn padded(width: usize, height: usize, x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 33]; 32]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (column, row) = (block_idx_x() * 32 + tx, block_idx_y() * 32 + ty);
    for k in 0..4 {
        let inside = column < width && row + 8 * k < height;
        tile[ty + 8 * k][tx] = if inside { x[(row + 8 * k) * width + column] } else { 0.0 };
    }
    sync_threads();
    let (column, row) = (block_idx_y() * 32 + tx, block_idx_x() * 32 + ty);
    for k in 0..4 {
        if column < height && row + 8 * k < width {
            y[(row + 8 * k) * height + column] = tile[tx][ty + 8 * k];
        }
    }
}

// 12. Bytes side by side in shared memory.
#[kernel(block = 256)]
fn bytes(x: &[u8], y: &mut [u8]) {
    let tile = shared!([u8; 256]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    tile[t] = if i < x.len() { x[i] } else { 0 };
    sync_threads();
    if i < y.len() {
        y[i] = tile[255 - t];
    }
}

// 13. Sixteen bytes a lane.
#[kernel(block = 128)]
fn wide(x: &[F32x4], y: &mut [F32x4]) {
    let tile = shared!([F32x4; 128]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    tile[t] = if i < x.len() { x[i] } else { F32x4::splat(0.0) };
    sync_threads();
    if i < y.len() {
        y[i] = tile[127 - t];
    }
}

// 15. What only one lane does.
#[kernel(block = 256)]
fn one_lane(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    if t == 0 && 100 * block_idx_x() < x.len() && block_idx_x() < y.len() {
        y[block_idx_x()] = x[100 * block_idx_x()];
    }
}

// 16. What only the launch's one block may do.
#[kernel(block = 256)]
fn one_block(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    if block_idx_x() == 0 && t < x.len() && t < y.len() {
        y[t] = x[t];
    }
}

fn main() {}
