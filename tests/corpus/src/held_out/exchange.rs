//! Threads that exchange through memory: sums, scans, tiles, halos, sorts and protocols of textbooks.
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

// Sums over a block (CUDA by Example 5.3; the CUDA sample `reduction`).

#[kernel(block = 256)]
fn dot_product(a: &[f32], b: &[f32], c: &mut [f32]) {
    let cache = shared!([f32; 256]);
    let t = thread_idx_x();
    let mut sum = 0.0;
    let mut i = global_idx_x();
    while i < a.len() && i < b.len() {
        sum += a[i] * b[i];
        i += block_dim_x() * grid_dim_x();
    }
    cache[t] = sum;
    sync_threads();
    let mut half = 128;
    while half != 0 {
        if t < half {
            cache[t] += cache[t + half];
        }
        sync_threads();
        half /= 2;
    }
    if t == 0 && block_idx_x() < c.len() {
        c[block_idx_x()] = cache[0];
    }
}

#[kernel(block = 256)]
fn dot_product_without_the_barrier_of_its_loop(a: &[f32], b: &[f32], c: &mut [f32]) {
    let cache = shared!([f32; 256]);
    let t = thread_idx_x();
    let mut sum = 0.0;
    let mut i = global_idx_x();
    while i < a.len() && i < b.len() {
        sum += a[i] * b[i];
        i += block_dim_x() * grid_dim_x();
    }
    cache[t] = sum;
    sync_threads();
    let mut half = 128;
    while half != 0 {
        if t < half {
            cache[t] += cache[t + half]; //~ gpu_missing_barriers
        }
        half /= 2;
    }
    if t == 0 && block_idx_x() < c.len() {
        c[block_idx_x()] = cache[0];
    }
}

#[kernel(block = 256)]
fn dot_product_with_the_barrier_in_the_branch(a: &[f32], b: &[f32], c: &mut [f32]) {
    let cache = shared!([f32; 256]);
    let t = thread_idx_x();
    let i = global_idx_x();
    cache[t] = if i < a.len() && i < b.len() { a[i] * b[i] } else { 0.0 };
    sync_threads();
    let mut half = 128;
    while half != 0 {
        if t < half {
            cache[t] += cache[t + half];
            sync_threads(); //~ gpu_barriers_in_divergent_flow
        }
        half /= 2;
    }
    if t == 0 && block_idx_x() < c.len() {
        c[block_idx_x()] = cache[0];
    }
}

#[kernel(block = 128)]
fn sum_without_the_first_barrier(x: &[u32], y: &mut [u32]) {
    let s = shared!([u32; 128]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    s[t] = if i < x.len() { x[i] } else { 0 };
    let mut half = 64;
    while half > 0 {
        if t < half {
            s[t] += s[t + half]; //~ gpu_missing_barriers
        }
        sync_threads();
        half /= 2;
    }
    if t == 0 && block_idx_x() < y.len() {
        y[block_idx_x()] = s[0];
    }
}

#[kernel(block = 128)]
fn sum_by_interleaved_addressing(x: &[u32], y: &mut [u32]) {
    let s = shared!([u32; 128]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    s[t] = if i < x.len() { x[i] } else { 0 };
    sync_threads();
    let mut stride = 1;
    while stride < 128 {
        let at = 2 * stride * t;
        if at < 128 {
            s[at] += s[at + stride]; //~ gpu_bank_conflicts
        }
        sync_threads();
        stride *= 2;
    }
    if t == 0 && block_idx_x() < y.len() {
        y[block_idx_x()] = s[0];
    }
}

#[kernel(block = 256)]
fn sum_whose_last_warp_relies_on_lockstep(x: &[u32], y: &mut [u32]) {
    let s = shared!([u32; 256]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    s[t] = if i < x.len() { x[i] } else { 0 };
    sync_threads();
    if t < 128 {
        s[t] += s[t + 128];
    }
    sync_threads();
    if t < 64 {
        s[t] += s[t + 64];
    }
    sync_threads();
    if t < 32 {
        s[t] += s[t + 32];
        s[t] += s[t + 16]; //~ gpu_missing_warp_syncs
        s[t] += s[t + 8]; //~ gpu_missing_warp_syncs
        s[t] += s[t + 4]; //~ gpu_missing_warp_syncs
        s[t] += s[t + 2]; //~ gpu_missing_warp_syncs
        s[t] += s[t + 1]; //~ gpu_missing_warp_syncs
    }
    if t == 0 && block_idx_x() < y.len() {
        y[block_idx_x()] = s[0];
    }
}

#[kernel(block = 256)]
fn sum_whose_last_warp_shuffles(x: &[u32], y: &mut [u32]) {
    let s = shared!([u32; 8]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    let mut v = if i < x.len() { x[i] } else { 0 };
    v += warp::shfl_down(v, 16);
    v += warp::shfl_down(v, 8);
    v += warp::shfl_down(v, 4);
    v += warp::shfl_down(v, 2);
    v += warp::shfl_down(v, 1);
    if warp::lane_id() == 0 {
        s[t / 32] = v;
    }
    sync_threads();
    if t == 0 && block_idx_x() < y.len() {
        let mut sum = 0;
        for k in 0..8 {
            sum += s[k];
        }
        y[block_idx_x()] = sum;
    }
}

#[kernel(block = 256)]
fn sum_of_warps_without_a_barrier(x: &[u32], y: &mut [u32]) {
    let s = shared!([u32; 8]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    let v = warp::reduce_add(if i < x.len() { x[i] } else { 0 });
    if warp::lane_id() == 0 {
        s[t / 32] = v;
    }
    if t == 0 && block_idx_x() < y.len() {
        let mut sum = 0;
        for k in 0..8 {
            sum += s[k]; //~ gpu_missing_barriers
        }
        y[block_idx_x()] = sum;
    }
}

// Reversal in shared memory (NVIDIA's blog, "Using Shared Memory in CUDA C/C++").

#[kernel(block = 64)]
fn static_reverse(d: &mut [i32]) {
    let s = shared!([i32; 64]);
    let t = thread_idx_x();
    s[t] = if t < d.len() { d[t] } else { 0 };
    sync_threads();
    if t < d.len() && block_idx_x() == 0 {
        d[t] = s[63 - t];
    }
}

#[kernel(block = 64)]
fn static_reverse_without_a_barrier(d: &[i32], r: &mut [i32]) {
    let s = shared!([i32; 64]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    s[t] = if i < d.len() { d[i] } else { 0 };
    if i < r.len() {
        r[i] = s[63 - t]; //~ gpu_missing_barriers
    }
}

#[kernel(block = 64)]
fn dynamic_reverse(d: &[i32], r: &mut [i32]) {
    let s = shared_dyn!(i32, block_dim_x());
    let (t, i) = (thread_idx_x(), global_idx_x());
    s[t] = if i < d.len() { d[i] } else { 0 };
    sync_threads();
    if i < r.len() {
        r[i] = s[63 - t];
    }
}

// Matrix products in tiles (CUDA C++ Programming Guide 3.2.4; Kirk and Hwu, chapter 5).

#[kernel(block = (16, 16), requires(a.len() >= n * n, b.len() >= n * n, c.len() >= n * n))]
fn tiled_product(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (ta, tb) = (shared!([[f32; 16]; 16]), shared!([[f32; 16]; 16]));
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (row, column) = (global_idx_y(), global_idx_x());
    let mut sum = 0.0;
    for m in 0..n.div_ceil(16) {
        let (k, l) = (m * 16 + tx, m * 16 + ty);
        ta[ty][tx] = if row < n && k < n { a[row * n + k] } else { 0.0 };
        tb[ty][tx] = if l < n && column < n { b[l * n + column] } else { 0.0 };
        sync_threads();
        for k in 0..16 {
            sum += ta[ty][k] * tb[k][tx];
        }
        sync_threads();
    }
    if row < n && column < n {
        c[row * n + column] = sum;
    }
}

#[kernel(block = (16, 16), requires(a.len() >= n * n, b.len() >= n * n, c.len() >= n * n))]
fn tiled_product_without_the_second_barrier(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (ta, tb) = (shared!([[f32; 16]; 16]), shared!([[f32; 16]; 16]));
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (row, column) = (global_idx_y(), global_idx_x());
    let mut sum = 0.0;
    for m in 0..n.div_ceil(16) {
        let (k, l) = (m * 16 + tx, m * 16 + ty);
        ta[ty][tx] = if row < n && k < n { a[row * n + k] } else { 0.0 };
        tb[ty][tx] = if l < n && column < n { b[l * n + column] } else { 0.0 };
        //~^= gpu_missing_barriers for gpu_missing_barriers
        sync_threads();
        for k in 0..16 {
            sum += ta[ty][k] * tb[k][tx]; //~ gpu_missing_barriers
        }
    }
    if row < n && column < n {
        c[row * n + column] = sum;
    }
}

#[kernel(block = (16, 16), requires(a.len() >= n * n, b.len() >= n * n, c.len() >= n * n))]
fn tiled_product_without_the_first_barrier(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (ta, tb) = (shared!([[f32; 16]; 16]), shared!([[f32; 16]; 16]));
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (row, column) = (global_idx_y(), global_idx_x());
    let mut sum = 0.0;
    for m in 0..n.div_ceil(16) {
        let (k, l) = (m * 16 + tx, m * 16 + ty);
        ta[ty][tx] = if row < n && k < n { a[row * n + k] } else { 0.0 };
        tb[ty][tx] = if l < n && column < n { b[l * n + column] } else { 0.0 };
        for k in 0..16 {
            sum += ta[ty][k] * tb[k][tx]; //~ gpu_missing_barriers
        }
        sync_threads();
    }
    if row < n && column < n {
        c[row * n + column] = sum;
    }
}

// All pairs of bodies (GPU Gems 3, chapter 31).

#[kernel(block = 128)]
fn forces_of_all_bodies(x: &[f32], force: &mut [f32]) {
    let tile = shared!([f32; 128]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    let here = if i < x.len() { x[i] } else { 0.0 };
    let mut sum = 0.0;
    for m in 0..x.len().div_ceil(128) {
        let j = m * 128 + t;
        tile[t] = if j < x.len() { x[j] } else { 0.0 };
        sync_threads();
        for k in 0..128 {
            let d = tile[k] - here;
            sum += d / (d * d + 0.01);
        }
        sync_threads();
    }
    if i < force.len() {
        force[i] = sum;
    }
}

#[kernel(block = 128)]
fn forces_of_all_bodies_without_the_second_barrier(x: &[f32], force: &mut [f32]) {
    let tile = shared!([f32; 128]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    let here = if i < x.len() { x[i] } else { 0.0 };
    let mut sum = 0.0;
    for m in 0..x.len().div_ceil(128) {
        let j = m * 128 + t;
        tile[t] = if j < x.len() { x[j] } else { 0.0 };
        //~^= gpu_missing_barriers for gpu_missing_barriers
        sync_threads();
        for k in 0..128 {
            let d = tile[k] - here; //~ gpu_missing_barriers
            sum += d / (d * d + 0.01);
        }
    }
    if i < force.len() {
        force[i] = sum;
    }
}

#[kernel(block = 128)]
fn forces_of_all_bodies_without_the_first_barrier(x: &[f32], force: &mut [f32]) {
    let tile = shared!([f32; 128]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    let here = if i < x.len() { x[i] } else { 0.0 };
    let mut sum = 0.0;
    for m in 0..x.len().div_ceil(128) {
        let j = m * 128 + t;
        tile[t] = if j < x.len() { x[j] } else { 0.0 };
        for k in 0..128 {
            let d = tile[k] - here; //~ gpu_missing_barriers
            sum += d / (d * d + 0.01);
        }
        sync_threads();
    }
    if i < force.len() {
        force[i] = sum;
    }
}

// Scans (Hillis and Steele; Blelloch; GPU Gems 3, chapter 39).

#[kernel(block = 256)]
fn scan_in_place_with_one_barrier(x: &[u32], y: &mut [u32]) {
    let s = shared!([u32; 256]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    s[t] = if i < x.len() { x[i] } else { 0 };
    sync_threads();
    let mut d = 1;
    while d < 256 {
        if t >= d {
            s[t] += s[t - d]; //~ gpu_missing_barriers
        }
        sync_threads();
        d *= 2;
    }
    if i < y.len() {
        y[i] = s[t];
    }
}

#[kernel(block = 256)]
fn scan_in_place_with_two_barriers(x: &[u32], y: &mut [u32]) {
    let s = shared!([u32; 256]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    s[t] = if i < x.len() { x[i] } else { 0 };
    sync_threads();
    let mut d = 1;
    while d < 256 {
        let before = if t >= d { s[t - d] } else { 0 };
        sync_threads();
        s[t] += before;
        sync_threads();
        d *= 2;
    }
    if i < y.len() {
        y[i] = s[t];
    }
}

#[kernel(block = 256)]
fn scan_between_two_buffers(x: &[u32], y: &mut [u32]) {
    let s = shared!([[u32; 256]; 2]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    let mut now = 0;
    s[0][t] = if i < x.len() { x[i] } else { 0 };
    sync_threads();
    let mut d = 1;
    while d < 256 {
        s[1 - now][t] = s[now][t] + if t >= d { s[now][t - d] } else { 0 };
        now = 1 - now;
        sync_threads();
        d *= 2;
    }
    if i < y.len() {
        y[i] = s[now][t];
    }
}

#[kernel(block = 128)]
fn up_sweep_without_a_barrier(x: &[u32], y: &mut [u32]) {
    let s = shared!([u32; 256]);
    let t = thread_idx_x();
    let i = block_idx_x() * 256 + t;
    s[t] = if i < x.len() { x[i] } else { 0 };
    s[t + 128] = if i + 128 < x.len() { x[i + 128] } else { 0 };
    sync_threads();
    for level in 0..4 {
        let d = 1 << level;
        if t < 128 >> level {
            s[d * (2 * t + 2) - 1] += s[d * (2 * t + 1) - 1]; //~ gpu_missing_barriers
            //~^ gpu_bank_conflicts
            //~^^+ gpu_shared_write_races
        }
    }
    sync_threads();
    if i < y.len() {
        y[i] = s[t];
    }
}

// Stencils with halos (NVIDIA's introduction to CUDA C, "1D stencil").

#[kernel(block = 256)]
fn stencil_of_radius_3(x: &[i32], y: &mut [i32]) {
    let s = shared!([i32; 262]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    let g = t + 3;
    s[g] = if i < x.len() { x[i] } else { 0 };
    if t < 3 {
        s[g - 3] = if i >= 3 && i - 3 < x.len() { x[i - 3] } else { 0 };
        s[g + 256] = if i + 256 < x.len() { x[i + 256] } else { 0 };
    }
    sync_threads();
    let mut sum = 0;
    for offset in 0..7 {
        sum += s[t + offset];
    }
    if i < y.len() {
        y[i] = sum;
    }
}

#[kernel(block = 256)]
fn stencil_of_radius_3_without_a_barrier(x: &[i32], y: &mut [i32]) {
    let s = shared!([i32; 262]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    let g = t + 3;
    s[g] = if i < x.len() { x[i] } else { 0 };
    if t < 3 {
        s[g - 3] = if i >= 3 && i - 3 < x.len() { x[i - 3] } else { 0 };
        s[g + 256] = if i + 256 < x.len() { x[i + 256] } else { 0 };
    }
    let mut sum = 0;
    for offset in 0..7 {
        sum += s[t + offset]; //~ gpu_missing_barriers
    }
    if i < y.len() {
        y[i] = sum;
    }
}

#[kernel(block = 256)]
fn stencil_whose_right_halo_is_missing(x: &[i32], y: &mut [i32]) {
    let s = shared!([i32; 258]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    s[t + 1] = if i < x.len() { x[i] } else { 0 };
    if t == 0 {
        s[0] = if i >= 1 && i - 1 < x.len() { x[i - 1] } else { 0 };
    }
    sync_threads();
    if i < y.len() {
        y[i] = s[t] + s[t + 1] + s[t + 2]; //~ gpu_uninit_shared_reads
    }
}

#[kernel(block = 256)]
fn stencil_whose_tile_is_too_short(x: &[i32], y: &mut [i32]) {
    let s = shared!([i32; 257]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    s[t] = if i < x.len() { x[i] } else { 0 };
    if t == 255 {
        s[256] = if i + 1 < x.len() { x[i + 1] } else { 0 };
    }
    sync_threads();
    if i < y.len() {
        y[i] = s[t] + s[t + 2]; //~ gpu_out_of_bounds_shared
    }
}

#[kernel(block = (16, 16))]
fn box_filter_with_a_halo(width: usize, height: usize, x: &[f32], y: &mut [f32]) {
    let s = shared!([[f32; 18]; 18]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (column, row) = (global_idx_x(), global_idx_y());
    let (left, top) = (block_idx_x() * 16, block_idx_y() * 16);
    for r in (ty..18).step_by(16) {
        for c in (tx..18).step_by(16) {
            let (gx, gy) = (left + c, top + r);
            let inside = gx >= 1 && gy >= 1 && gx <= width && gy <= height;
            s[r][c] = if inside { x[(gy - 1) * width + gx - 1] } else { 0.0 };
        }
    }
    sync_threads();
    if column < width && row < height {
        let mut sum = 0.0;
        for r in 0..3 {
            for c in 0..3 {
                sum += s[ty + r][tx + c];
                //~^+ gpu_bank_conflicts
            }
        }
        y[row * width + column] = sum / 9.0;
    }
}

// Values for the whole block.

#[kernel(block = 256)]
fn scale_by_a_shared_factor(factor: &[f32], x: &mut [f32]) {
    let s = shared!([f32; 1]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    if t == 0 {
        s[0] = if factor.len() > 0 { factor[0] } else { 1.0 };
    }
    sync_threads();
    if i < x.len() {
        x[i] *= s[0];
    }
}

#[kernel(block = 256)]
fn scale_by_a_shared_factor_without_a_barrier(factor: &[f32], x: &mut [f32]) {
    let s = shared!([f32; 1]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    if t == 0 {
        s[0] = if factor.len() > 0 { factor[0] } else { 1.0 };
    }
    if i < x.len() {
        x[i] *= s[0]; //~ gpu_missing_barriers
    }
}

#[kernel(block = 256)]
fn shared_factor_of_each_round_with_one_barrier(factors: &[f32], x: &mut [f32]) {
    let s = shared!([f32; 1]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    let mut v = if i < x.len() { x[i] } else { 0.0 };
    for round in 0..factors.len() {
        if t == 0 {
            s[0] = factors[round];
            //~^= gpu_missing_barriers for gpu_missing_barriers
        }
        sync_threads();
        v = v * s[0] + 1.0; //~ gpu_missing_barriers
    }
    if i < x.len() {
        x[i] = v;
    }
}

#[kernel(block = 256)]
fn shared_factor_of_each_round(factors: &[f32], x: &mut [f32]) {
    let s = shared!([f32; 1]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    let mut v = if i < x.len() { x[i] } else { 0.0 };
    for round in 0..factors.len() {
        if t == 0 {
            s[0] = factors[round];
        }
        sync_threads();
        v = v * s[0] + 1.0;
        sync_threads();
    }
    if i < x.len() {
        x[i] = v;
    }
}

#[kernel(block = 128)]
fn barrier_in_one_mode_only(mode: u32, x: &[f32], y: &mut [f32]) {
    let s = shared!([f32; 128]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    s[t] = if i < x.len() { x[i] } else { 0.0 };
    if mode > 1 {
        sync_threads();
    }
    if i < y.len() {
        y[i] = s[127 - t]; //~ gpu_missing_barriers
        //~^= gpu_skipped_barriers for gpu_missing_barriers
    }
}

#[kernel(block = 128)]
fn barrier_in_even_rounds_only(rounds: u32, x: &[f32], y: &mut [f32]) {
    let s = shared!([f32; 128]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    let mut v = if i < x.len() { x[i] } else { 0.0 };
    for round in 0..rounds {
        sync_threads();
        s[t] = v;
        if round % 2 == 0 {
            sync_threads();
        }
        v += s[127 - t]; //~ gpu_missing_barriers
        //~^= gpu_skipped_barriers for gpu_missing_barriers
    }
    if i < y.len() {
        y[i] = v;
    }
}

#[kernel(block = 256)]
fn smallest_so_far_in_an_array_that_nobody_filled(x: &[f32], y: &mut [f32]) {
    let s = shared!([f32; 256]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    if i < x.len() {
        s[t] = s[t].min(x[i]); //~ gpu_uninit_shared_reads
    }
    sync_threads();
    if i < y.len() {
        y[i] = s[255 - t];
    }
}

#[kernel(block = 256)]
fn accumulation_over_tiles_that_starts_nowhere(tiles: usize, x: &[f32], y: &mut [f32]) {
    let s = shared!([f32; 256]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    for tile in 0..tiles {
        let at = tile * 256 + t;
        if at < x.len() {
            s[t] += x[at]; //~ gpu_uninit_shared_reads
            //~^! gpu_uninit_shared_reads the launch decides whether the loop runs and its guard lets a thread pass
        }
    }
    sync_threads();
    if i < y.len() {
        y[i] = s[(t + 1) % 256];
    }
}

#[kernel(block = 256)]
fn accumulation_over_tiles(tiles: usize, x: &[f32], y: &mut [f32]) {
    let s = shared!([f32; 256]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    s[t] = 0.0;
    for tile in 0..tiles {
        let at = tile * 256 + t;
        if at < x.len() {
            s[t] += x[at];
        }
    }
    sync_threads();
    if i < y.len() {
        y[i] = s[(t + 1) % 256];
    }
}

// Barriers that not all threads reach.

#[kernel(block = 256)]
fn guard_by_return_before_a_barrier(x: &[f32], y: &mut [f32]) {
    let s = shared!([f32; 256]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    if i >= x.len() || i >= y.len() {
        return;
    }
    s[t] = x[i];
    sync_threads(); //~ gpu_barriers_after_divergent_returns
    y[i] = s[t ^ 1];
}

#[kernel(block = 128)]
fn barrier_in_a_loop_over_own_elements(x: &[f32], y: &mut [f32]) {
    let s = shared!([f32; 128]);
    let t = thread_idx_x();
    let mut sum = 0.0;
    for i in (t..x.len()).step_by(128) {
        s[t] = x[i];
        sync_threads(); //~ gpu_barriers_in_divergent_loops
        sum += s[127 - t];
        sync_threads(); //~ gpu_barriers_in_divergent_loops
    }
    if global_idx_x() < y.len() {
        y[global_idx_x()] = sum;
    }
}

#[kernel(block = 64)]
fn barrier_in_a_triangular_loop(y: &mut [f32]) {
    let s = shared!([f32; 64]);
    let t = thread_idx_x();
    s[t] = t as f32;
    for _ in 0..t {
        sync_threads(); //~ gpu_barriers_in_divergent_loops
    }
    if global_idx_x() < y.len() {
        y[global_idx_x()] = s[t];
    }
}

#[kernel(block = 64)]
fn leader_waits_alone(x: &[f32], y: &mut [f32]) {
    let s = shared!([f32; 64]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    s[t] = if i < x.len() { x[i] } else { 0.0 };
    if t == 0 {
        sync_threads(); //~ gpu_barriers_in_divergent_flow
    }
    if i < y.len() {
        y[i] = s[t];
    }
}

#[kernel(block = 64)]
fn all_vote_before_they_leave(x: &mut [f32]) {
    let i = global_idx_x();
    let mut v = if i < x.len() { x[i] } else { 0.0 };
    loop {
        v *= 0.5;
        if !sync_threads_or(v > 1.0) {
            break;
        }
    }
    if i < x.len() {
        x[i] = v;
    }
}

// Sorting networks.

#[kernel(block = 256)]
fn bitonic_sort_of_a_block(x: &mut [u32]) {
    let s = shared!([u32; 256]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    s[t] = if i < x.len() { x[i] } else { u32::MAX };
    sync_threads();
    let mut k = 2;
    while k <= 256 {
        let mut j = k / 2;
        while j > 0 {
            let other = t ^ j;
            if other > t {
                let (a, b) = (s[t], s[other]);
                if (t & k == 0) == (a > b) {
                    s[t] = b;
                    s[other] = a;
                }
            }
            sync_threads();
            j /= 2;
        }
        k *= 2;
    }
    if i < x.len() {
        x[i] = s[t];
    }
}

#[kernel(block = 256)]
fn bitonic_sort_of_a_block_without_the_inner_barrier(x: &mut [u32]) {
    let s = shared!([u32; 256]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    s[t] = if i < x.len() { x[i] } else { u32::MAX };
    sync_threads();
    let mut k = 2;
    while k <= 256 {
        let mut j = k / 2;
        while j > 0 {
            let other = t ^ j;
            if other > t {
                let (a, b) = (s[t], s[other]); //~ gpu_missing_barriers
                //~^! gpu_missing_barriers which element is the partner depends on variables of two loops of lengths that are doubled and halved
                if (t & k == 0) == (a > b) {
                    s[t] = b;
                    s[other] = a;
                }
            }
            j /= 2;
        }
        sync_threads();
        k *= 2;
    }
    if i < x.len() {
        x[i] = s[t];
    }
}

#[kernel(block = 128)]
fn odd_even_sort_with_one_barrier(x: &mut [u32]) {
    let s = shared!([u32; 256]);
    let t = thread_idx_x();
    let i = block_idx_x() * 256 + t;
    s[t] = if i < x.len() { x[i] } else { u32::MAX };
    s[t + 128] = if i + 128 < x.len() { x[i + 128] } else { u32::MAX };
    for round in 0..256 {
        sync_threads();
        let at = 2 * t + round % 2;
        if at < 255 && s[at] > s[at + 1] { //~ gpu_bank_conflicts
            let kept = s[at];
            s[at] = s[at + 1];
            s[at + 1] = kept;
        }
    }
    sync_threads();
    if i < x.len() {
        x[i] = s[t];
    }
}

// Global memory between threads of a launch.

#[kernel(block = 256)]
fn shift_left_in_place(x: &mut [u32]) {
    let i = global_idx_x();
    if i + 1 < x.len() {
        x[i] = x[i + 1]; //~ gpu_global_races
        //~^+ gpu_misaligned_accesses
    }
}

#[kernel(block = 256)]
fn shift_left_into_another_buffer(x: &[u32], y: &mut [u32]) {
    let i = global_idx_x();
    if i + 1 < x.len() && i < y.len() {
        y[i] = x[i + 1];
        //~^+ gpu_misaligned_accesses
    }
}

#[kernel(block = 256)]
fn smooth_in_place(x: &mut [f32]) {
    let i = global_idx_x();
    if i >= 1 && i + 1 < x.len() {
        x[i] = (x[i - 1] + x[i] + x[i + 1]) / 3.0; //~ gpu_global_races
        //~^+ gpu_misaligned_accesses
    }
}

#[kernel(block = 256)]
fn reverse_in_place_by_all_threads(x: &mut [u32]) {
    let i = global_idx_x();
    if i < x.len() {
        x[i] = x[x.len() - 1 - i]; //~ gpu_global_races
        //~^! gpu_global_races the mirrored index depends on a length that only a launch knows
    }
}

#[kernel(block = 256)]
fn reverse_in_place_by_half_of_the_threads(x: &mut [u32]) {
    let i = global_idx_x();
    if i < x.len() / 2 {
        x.swap(i, x.len() - 1 - i);
    }
}

#[kernel(block = 256)]
fn pairs_are_summed_by_both(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i / 2 < y.len() {
        y[i / 2] = x[i]; //~ gpu_global_races
    }
}

#[kernel(block = 256)]
fn every_thread_leaves_its_number(y: &mut [u32]) {
    if y.len() > 0 {
        y[0] = global_idx_x() as u32; //~ gpu_global_races
    }
}

#[kernel(block = 256)]
fn whoever_finds_it_sets_the_flag(needle: u32, x: &[u32], found: &mut [u32]) {
    let i = global_idx_x();
    if i < x.len() && x[i] == needle {
        found[0] = 1; //~ gpu_same_value_races
        //~^! gpu_same_value_races which threads store depends on data
    }
}

#[kernel(block = 256)]
fn whoever_finds_it_sets_an_atomic_flag(needle: u32, x: &[u32], found: &[AtomicU32]) {
    let i = global_idx_x();
    if i < x.len() && x[i] == needle {
        found[0].store(1, Ordering::Relaxed);
    }
}

#[kernel(block = 256)]
fn every_block_writes_the_first_256(x: &[f32], y: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    if i < x.len() && t < y.len() {
        y[t] = x[i]; //~ gpu_block_races
    }
}

#[kernel(block = 256)]
fn neighbour_in_global_memory_without_a_barrier(x: &[f32], y: &mut [f32], z: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    if i < x.len() && i < y.len() {
        y[i] = x[i] * 2.0;
    }
    if t > 0 && i < y.len() && i < z.len() {
        z[i] = y[i - 1]; //~ gpu_global_races
        //~^+ gpu_misaligned_accesses
    }
}

#[kernel(block = 256)]
fn neighbour_in_global_memory_behind_a_barrier(x: &[f32], y: &mut [f32], z: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    if i < x.len() && i < y.len() {
        y[i] = x[i] * 2.0;
    }
    sync_threads();
    if t > 0 && i < y.len() && i < z.len() {
        z[i] = y[i - 1];
        //~^+ gpu_misaligned_accesses
    }
}

#[kernel(block = 256)]
fn running_total_in_one_cell(x: &[u32], total: &mut [u32]) {
    let i = global_idx_x();
    if i < x.len() {
        total[0] += x[i]; //~ gpu_global_races
    }
}

// The last block adds up (the CUDA sample `threadFenceReduction`).

#[kernel(block = 128)]
fn last_block_adds_up(x: &[u32], part: &mut [u32], done: &[AtomicU32], y: &mut [u32]) {
    let last = shared!([u32; 1]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    let sum = block::reduce_add(if i < x.len() { x[i] } else { 0 });
    if t == 0 {
        part[block_idx_x()] = sum;
        thread_fence();
        last[0] = done[0].fetch_add(1, Ordering::Relaxed) + 1;
        thread_fence();
    }
    sync_threads();
    if last[0] as usize == grid_dim_x() && t == 0 {
        let mut all = 0;
        for b in 0..grid_dim_x() {
            all += part[b];
        }
        y[0] = all;
    }
}

#[kernel(block = 128)]
fn last_block_adds_up_without_a_fence(
    x: &[u32],
    part: &mut [u32],
    done: &[AtomicU32],
    y: &mut [u32],
) {
    let last = shared!([u32; 1]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    let sum = block::reduce_add(if i < x.len() { x[i] } else { 0 });
    if t == 0 {
        part[block_idx_x()] = sum;
        last[0] = done[0].fetch_add(1, Ordering::Relaxed) + 1; //~ gpu_missing_fences
    }
    sync_threads();
    if last[0] as usize == grid_dim_x() && t == 0 {
        let mut all = 0;
        for b in 0..grid_dim_x() {
            all += part[b];
            //~^= gpu_missing_fences for gpu_missing_fences
        }
        y[0] = all;
    }
}

// Histograms (CUDA by Example 9.4; the CUDA sample `histogram`).

#[kernel(block = 256)]
fn histogram_in_shared_memory(x: &[u32], bins: &[AtomicU32]) {
    let s = shared!([AtomicU32; 256]);
    let t = thread_idx_x();
    s[t].store(0, Ordering::Relaxed);
    sync_threads();
    for i in (global_idx_x()..x.len()).step_by(256 * grid_dim_x()) {
        s[(x[i] & 255) as usize].fetch_add(1, Ordering::Relaxed);
    }
    sync_threads();
    if t < bins.len() {
        bins[t].fetch_add(s[t].load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

#[kernel(block = 256)]
fn histogram_in_plain_global_memory(x: &[u32], bins: &mut [u32]) {
    let i = global_idx_x();
    if i < x.len() {
        let bin = (x[i] % 64) as usize;
        bins[bin] += 1; //~ gpu_nonatomic_updates
    }
}

#[kernel(block = 256)]
fn histogram_in_plain_shared_memory(x: &[u32], bins: &[AtomicU32]) {
    let s = shared!([u32; 256]);
    let t = thread_idx_x();
    s[t] = 0;
    sync_threads();
    for i in (global_idx_x()..x.len()).step_by(256 * grid_dim_x()) {
        s[(x[i] & 255) as usize] += 1; //~ gpu_nonatomic_updates
    }
    sync_threads();
    if t < bins.len() {
        bins[t].fetch_add(s[t], Ordering::Relaxed);
    }
}

#[kernel(block = 256)]
fn degrees_of_vertices(from: &[u32], degree: &mut [f32]) {
    let i = global_idx_x();
    if i < from.len() {
        let v = from[i] as usize;
        if v < degree.len() {
            degree[v] = degree[v] + 1.0; //~ gpu_nonatomic_updates
        }
    }
}

#[kernel(block = 256)]
fn scatter_by_a_permutation(to: &[u32], x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < to.len() && i < x.len() {
        y[to[i] as usize] = x[i];
    }
}

#[kernel(block = 64, requires(bins.len() >= 64 * 16 * grid_dim_x()))]
fn histogram_with_rows_of_the_threads(x: &[u32], bins: &mut [u32]) {
    let i = global_idx_x();
    let threads = 64 * grid_dim_x();
    for k in (i..x.len()).step_by(threads) {
        bins[(x[k] & 15) as usize * threads + i] += 1;
    }
}

#[kernel(block = 256)]
fn counts_of_one_cell_by_all(x: &[f32], count: &[AtomicU32]) {
    let i = global_idx_x();
    if i < x.len() {
        count[0].fetch_add(1, Ordering::Relaxed); //~ gpu_contended_atomics
    }
}

#[kernel(block = 256)]
fn counts_of_one_cell_by_leaders(x: &[f32], count: &[AtomicU32]) {
    let i = global_idx_x();
    let mine = warp::reduce_add(u32::from(i < x.len() && x[i] > 0.0));
    if warp::lane_id() == 0 {
        count[0].fetch_add(mine, Ordering::Relaxed);
    }
}

#[kernel(block = 256)]
fn counts_of_a_block_in_one_shared_cell(x: &[f32], y: &mut [u32]) {
    let s = shared!([AtomicU32; 1]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    if t == 0 {
        s[0].store(0, Ordering::Relaxed);
    }
    sync_threads();
    if i < x.len() {
        s[0].fetch_add(x[i] as u32, Ordering::Relaxed); //~ gpu_contended_atomics
    }
    sync_threads();
    if t == 0 && block_idx_x() < y.len() {
        y[block_idx_x()] = s[0].load(Ordering::Relaxed);
    }
}

// Two writers of one cell of shared memory.

#[kernel(block = 64)]
fn two_threads_write_each_cell(x: &[u32], y: &mut [u32]) {
    let s = shared!([u32; 32]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    s[t / 2] = if i < x.len() { x[i] } else { 0 }; //~ gpu_shared_write_races
    sync_threads();
    if i < y.len() {
        y[i] = s[t % 32];
    }
}

#[kernel(block = 64)]
fn even_threads_write_their_cell(x: &[u32], y: &mut [u32]) {
    let s = shared!([u32; 32]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    if t % 2 == 0 {
        s[t / 2] = if i < x.len() { x[i] } else { 0 };
    }
    sync_threads();
    if i < y.len() {
        y[i] = s[t % 32];
    }
}

#[kernel(block = (8, 8))]
fn rows_of_a_tile_overlap(x: &[u32], y: &mut [u32]) {
    let s = shared!([u32; 64]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let i = block_idx_x() * 64 + ty * 8 + tx;
    s[ty * 4 + tx] = if i < x.len() { x[i] } else { 0 }; //~ gpu_shared_write_races
    sync_threads();
    if i < y.len() {
        y[i] = s[tx];
    }
}

#[kernel(block = 256)]
fn two_barriers_in_a_row(x: &[f32], y: &mut [f32]) {
    let s = shared!([f32; 256]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    s[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    sync_threads(); //~ gpu_redundant_barriers
    if i < y.len() {
        y[i] = s[255 - t];
    }
}

#[kernel(block = 256)]
fn each_thread_reads_its_own_cell(x: &[f32], y: &mut [f32]) {
    let s = shared!([f32; 256]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    s[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads(); //~ gpu_redundant_barriers
    if i < y.len() {
        y[i] = s[t] * 2.0;
    }
}

crate::corpus![
    dot_product,
    dot_product_without_the_barrier_of_its_loop,
    dot_product_with_the_barrier_in_the_branch,
    sum_without_the_first_barrier,
    sum_by_interleaved_addressing,
    sum_whose_last_warp_relies_on_lockstep,
    sum_whose_last_warp_shuffles,
    sum_of_warps_without_a_barrier,
    static_reverse,
    static_reverse_without_a_barrier,
    dynamic_reverse,
    tiled_product,
    tiled_product_without_the_second_barrier,
    tiled_product_without_the_first_barrier,
    forces_of_all_bodies,
    forces_of_all_bodies_without_the_second_barrier,
    forces_of_all_bodies_without_the_first_barrier,
    scan_in_place_with_one_barrier,
    scan_in_place_with_two_barriers,
    scan_between_two_buffers,
    up_sweep_without_a_barrier,
    stencil_of_radius_3,
    stencil_of_radius_3_without_a_barrier,
    stencil_whose_right_halo_is_missing,
    stencil_whose_tile_is_too_short,
    box_filter_with_a_halo,
    scale_by_a_shared_factor,
    scale_by_a_shared_factor_without_a_barrier,
    shared_factor_of_each_round_with_one_barrier,
    shared_factor_of_each_round,
    barrier_in_one_mode_only,
    barrier_in_even_rounds_only,
    smallest_so_far_in_an_array_that_nobody_filled,
    accumulation_over_tiles_that_starts_nowhere,
    accumulation_over_tiles,
    guard_by_return_before_a_barrier,
    barrier_in_a_loop_over_own_elements,
    barrier_in_a_triangular_loop,
    leader_waits_alone,
    all_vote_before_they_leave,
    bitonic_sort_of_a_block,
    bitonic_sort_of_a_block_without_the_inner_barrier,
    odd_even_sort_with_one_barrier,
    shift_left_in_place,
    shift_left_into_another_buffer,
    smooth_in_place,
    reverse_in_place_by_all_threads,
    reverse_in_place_by_half_of_the_threads,
    pairs_are_summed_by_both,
    every_thread_leaves_its_number,
    whoever_finds_it_sets_the_flag,
    whoever_finds_it_sets_an_atomic_flag,
    every_block_writes_the_first_256,
    neighbour_in_global_memory_without_a_barrier,
    neighbour_in_global_memory_behind_a_barrier,
    running_total_in_one_cell,
    last_block_adds_up,
    last_block_adds_up_without_a_fence,
    histogram_in_shared_memory,
    histogram_in_plain_global_memory,
    histogram_in_plain_shared_memory,
    degrees_of_vertices,
    scatter_by_a_permutation,
    histogram_with_rows_of_the_threads,
    counts_of_one_cell_by_all,
    counts_of_one_cell_by_leaders,
    counts_of_a_block_in_one_shared_cell,
    two_threads_write_each_cell,
    even_threads_write_their_cell,
    rows_of_a_tile_overlap,
    two_barriers_in_a_row,
    each_thread_reads_its_own_cell,
];
