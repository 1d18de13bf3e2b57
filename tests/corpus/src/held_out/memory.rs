//! Accesses to memory: strides, layouts, transposes, banks, lengths and indices.
use warpwise::{F32x4, prelude::*};

// Copies with offsets and strides (NVIDIA's blog, "How to Access Global Memory Efficiently").

#[kernel(block = 256)]
fn copy(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        y[i] = x[i];
    }
}

#[kernel(block = 256)]
fn copy_with_a_stride_of_16(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if 16 * i < x.len() && i < y.len() {
        y[i] = x[16 * i]; //~ gpu_uncoalesced_accesses
    }
}

#[kernel(block = 256)]
fn copy_with_a_stride_that_is_passed(stride: usize, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if stride * i < x.len() && i < y.len() {
        y[i] = x[stride * i];
    }
}

#[kernel(block = 256)]
fn scatter_with_a_stride_of_8(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && 8 * i < y.len() {
        y[8 * i] = x[i]; //~ gpu_uncoalesced_accesses
    }
}

#[kernel(block = 256)]
fn copy_with_an_offset_of_1(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i + 1 < x.len() && i < y.len() {
        y[i] = x[i + 1]; //~ gpu_misaligned_accesses
    }
}

#[kernel(block = 256)]
fn four_elements_for_each_thread(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    for k in 0..4 {
        let at = 4 * i + k;
        if at < x.len() && at < y.len() {
            y[at] = x[at]; //~ gpu_uncoalesced_accesses
        }
    }
}

#[kernel(block = 256)]
fn four_elements_for_each_thread_a_block_apart(x: &[f32], y: &mut [f32]) {
    let first = block_idx_x() * 1024 + thread_idx_x();
    for k in 0..4 {
        let at = first + 256 * k;
        if at < x.len() && at < y.len() {
            y[at] = x[at];
        }
    }
}

#[kernel(block = 256)]
fn four_elements_at_once(x: &[F32x4], y: &mut [F32x4]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        y[i] = x[i];
    }
}

#[kernel(block = 256)]
fn reversed_copy(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        y[i] = x[x.len() - 1 - i];
    }
}

#[kernel(block = 128)]
fn every_lane_reads_one_element(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && block_idx_x() < x.len() {
        y[i] = x[block_idx_x()];
    }
}

#[kernel(block = 256)]
fn gather_by_indices(at: &[u32], x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < at.len() && i < y.len() {
        y[i] = x[at[i] as usize];
    }
}

#[kernel(block = 256)]
fn luminance_of_three_planes(r: &[u8], g: &[u8], b: &[u8], y: &mut [u8]) {
    let i = global_idx_x();
    if i < y.len() && i < r.len() && i < g.len() && i < b.len() {
        y[i] = (0.2126 * r[i] as f32 + 0.7152 * g[i] as f32 + 0.0722 * b[i] as f32) as u8;
    }
}

#[kernel(block = 256)]
fn one_channel_of_floats(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if 3 * i + 1 < x.len() && i < y.len() {
        y[i] = x[3 * i + 1]; //~ gpu_uncoalesced_accesses
    }
}

// Rows and columns (Kirk and Hwu, chapter 6).

#[kernel(block = (16, 16))]
fn add_matrices(w: usize, h: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (x, y) = (global_idx_x(), global_idx_y());
    if x < w && y < h {
        c[y * w + x] = a[y * w + x] + b[y * w + x];
    }
}

#[kernel(block = (16, 16))]
fn add_matrices_along_columns(w: usize, h: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (row, column) = (global_idx_x(), global_idx_y());
    if row < h && column < w {
        c[row * w + column] = a[row * w + column] + b[row * w + column]; //~ gpu_swapped_axes
    }
}

#[kernel(block = (32, 8))]
fn naive_product(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if row < n && column < n {
        let mut sum = 0.0;
        for k in 0..n {
            sum += a[row * n + k] * b[k * n + column];
        }
        c[row * n + column] = sum;
    }
}

#[kernel(block = (32, 8))]
fn naive_product_with_swapped_axes(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (row, column) = (global_idx_x(), global_idx_y());
    if row < n && column < n {
        let mut sum = 0.0;
        for k in 0..n {
            sum += a[row * n + k] * b[k * n + column]; //~ gpu_swapped_axes
        }
        c[row * n + column] = sum; //~ gpu_swapped_axes
        //~^= gpu_swapped_axes for gpu_swapped_axes
    }
}

#[kernel(block = 256)]
fn sums_of_rows_of_1024(x: &[f32], y: &mut [f32]) {
    let row = global_idx_x();
    if row < y.len() {
        let mut sum = 0.0;
        for column in 0..1024 {
            sum += x[row * 1024 + column]; //~ gpu_uncoalesced_accesses
        }
        y[row] = sum;
    }
}

#[kernel(block = 256)]
fn sums_of_columns_of_1024(rows: usize, x: &[f32], y: &mut [f32]) {
    let column = global_idx_x();
    if column < 1024 && column < y.len() {
        let mut sum = 0.0;
        for row in 0..rows {
            sum += x[row * 1024 + column];
        }
        y[column] = sum;
    }
}

#[kernel(block = 128)]
fn sums_of_rows_by_warps(columns: usize, x: &[f32], y: &mut [f32]) {
    let row = global_idx_x() / 32;
    let lane = warp::lane_id();
    if row < y.len() {
        let mut sum = 0.0;
        for column in (lane..columns).step_by(32) {
            sum += x[row * columns + column];
        }
        let sum = warp::reduce_add(sum);
        if lane == 0 {
            y[row] = sum;
        }
    }
}

// Transposes (the CUDA sample `transpose`).

#[kernel(block = (32, 8))]
fn transpose_naively(x: &[f32], y: &mut [f32]) {
    let (column, row) = (global_idx_x(), block_idx_y() * 32 + thread_idx_y());
    for j in 0..4 {
        let r = row + 8 * j;
        if column < 1024 && r < 1024 {
            y[column * 1024 + r] = x[r * 1024 + column]; //~ gpu_uncoalesced_accesses
            //~^= gpu_swapped_axes for gpu_uncoalesced_accesses
        }
    }
}

#[kernel(block = (32, 8))]
fn transpose_in_a_tile(x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 32]; 32]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (left, top) = (block_idx_x() * 32, block_idx_y() * 32);
    for j in 0..4 {
        let at = (top + ty + 8 * j) * 1024 + left + tx;
        tile[ty + 8 * j][tx] = if at < x.len() { x[at] } else { 0.0 };
    }
    sync_threads();
    for j in 0..4 {
        let at = (left + ty + 8 * j) * 1024 + top + tx;
        if at < y.len() {
            y[at] = tile[tx][ty + 8 * j]; //~ gpu_bank_conflicts "32"
        }
    }
}

#[kernel(block = (32, 8))]
fn transpose_in_a_padded_tile(x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 33]; 32]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (left, top) = (block_idx_x() * 32, block_idx_y() * 32);
    for j in 0..4 {
        let at = (top + ty + 8 * j) * 1024 + left + tx;
        tile[ty + 8 * j][tx] = if at < x.len() { x[at] } else { 0.0 };
    }
    sync_threads();
    for j in 0..4 {
        let at = (left + ty + 8 * j) * 1024 + top + tx;
        if at < y.len() {
            y[at] = tile[tx][ty + 8 * j];
        }
    }
}

#[kernel(block = (32, 8))]
fn transpose_in_a_swizzled_tile(x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 32]; 32]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (left, top) = (block_idx_x() * 32, block_idx_y() * 32);
    for j in 0..4 {
        let row = ty + 8 * j;
        let at = (top + row) * 1024 + left + tx;
        tile[row][tx ^ row] = if at < x.len() { x[at] } else { 0.0 };
    }
    sync_threads();
    for j in 0..4 {
        let row = ty + 8 * j;
        let at = (left + row) * 1024 + top + tx;
        if at < y.len() {
            y[at] = tile[tx][row ^ tx];
        }
    }
}

#[kernel(block = (16, 16))]
fn transpose_of_16_with_one_column_more(x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 17]; 16]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (left, top) = (block_idx_x() * 16, block_idx_y() * 16);
    let from = (top + ty) * 1024 + left + tx;
    tile[ty][tx] = if from < x.len() { x[from] } else { 0.0 }; //~ gpu_bank_conflicts "2"
    sync_threads();
    let to = (left + ty) * 1024 + top + tx;
    if to < y.len() {
        y[to] = tile[tx][ty]; //~ gpu_bank_conflicts "2"
    }
}

#[kernel(block = (16, 16))]
fn transpose_of_16_without_a_barrier(x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 18]; 16]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (left, top) = (block_idx_x() * 16, block_idx_y() * 16);
    let from = (top + ty) * 1024 + left + tx;
    tile[ty][tx] = if from < x.len() { x[from] } else { 0.0 }; //~ gpu_bank_conflicts "2"
    let to = (left + ty) * 1024 + top + tx;
    if to < y.len() {
        y[to] = tile[tx][ty]; //~ gpu_missing_barriers
    }
}

// Banks.

#[kernel(block = 128)]
fn words_two_apart(x: &[f32], y: &mut [f32]) {
    let s = shared!([f32; 256]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    s[2 * t] = if i < x.len() { x[i] } else { 0.0 }; //~ gpu_bank_conflicts "2"
    //~^- gpu_bank_conflicts the two stores of a thread are one of 8 bytes, which takes 2 wavefronts and needs 2
    s[2 * t + 1] = 0.0; //~ gpu_bank_conflicts "2"
    //~^- gpu_bank_conflicts the two stores of a thread are one of 8 bytes, which takes 2 wavefronts and needs 2
    sync_threads();
    if i < y.len() {
        y[i] = s[t] + s[t + 128];
    }
}

#[kernel(block = 128)]
fn words_three_apart(x: &[f32], y: &mut [f32]) {
    let s = shared!([f32; 384]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    let v = if i < x.len() { x[i] } else { 0.0 };
    s[3 * t] = v;
    s[3 * t + 1] = v + 1.0;
    s[3 * t + 2] = v + 2.0;
    sync_threads();
    if i < y.len() {
        y[i] = s[t] + s[t + 128] + s[t + 256];
    }
}

#[kernel(block = 64)]
fn words_a_row_apart(x: &[u32], y: &mut [u32]) {
    //~^+ gpu_moderate_occupancy
    let s = shared!([[u32; 64]; 64]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    for k in 0..64 {
        s[k][t] = if i + k < x.len() { x[i + k] } else { 0 };
        //~^+ gpu_misaligned_accesses
    }
    sync_threads();
    let mut sum = 0;
    for k in 0..64 {
        sum += s[t][k]; //~ gpu_bank_conflicts "32"
    }
    if i < y.len() {
        y[i] = sum;
    }
}

#[kernel(block = 64)]
fn words_a_row_apart_in_a_diagonal_order(x: &[u32], y: &mut [u32]) {
    //~^+ gpu_moderate_occupancy
    let s = shared!([[u32; 64]; 64]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    for k in 0..64 {
        s[k][t] = if i + k < x.len() { x[i + k] } else { 0 };
        //~^+ gpu_misaligned_accesses
    }
    sync_threads();
    let mut sum = 0;
    for k in 0..64 {
        sum += s[t][(k + t) % 64];
    }
    if i < y.len() {
        y[i] = sum;
    }
}

#[kernel(block = 128)]
fn one_word_for_all_lanes(x: &[f32], y: &mut [f32]) {
    let s = shared!([f32; 128]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    s[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    let mut sum = 0.0;
    for k in 0..128 {
        sum += s[k];
    }
    if i < y.len() {
        y[i] = sum;
    }
}

#[kernel(block = 128)]
fn doubles_next_to_each_other(x: &[f64], y: &mut [f64]) {
    let s = shared!([f64; 128]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    s[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    if i < y.len() {
        y[i] = s[127 - t];
    }
}

#[kernel(block = 128)]
fn table_of_the_data(x: &[u32], y: &mut [u32]) {
    let s = shared!([u32; 128]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    s[t] = (t * t) as u32;
    sync_threads();
    if i < x.len() && i < y.len() {
        y[i] = s[(x[i] % 128) as usize];
    }
}

// Structs.

/// A particle as one writes it first.
#[device]
#[derive(Clone, Copy)]
pub struct Particle {
    position: [f32; 4],
    velocity: [f32; 4],
}

#[kernel(block = 256)]
fn heights_of_particles(p: &[Particle], y: &mut [f32]) {
    let i = global_idx_x();
    if i < p.len() && i < y.len() {
        y[i] = p[i].position[1]; //~ gpu_aos_accesses
    }
}

#[kernel(block = 256)]
fn heights_in_an_array_of_their_own(height: &[f32], speed: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < height.len() && i < speed.len() && i < y.len() {
        y[i] = height[i] + 0.1 * speed[i];
    }
}

// Lengths.

#[kernel(block = 256)]
fn add_without_a_guard(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    y[i] = x[i] + 1.0; //~ gpu_unguarded_indices
    //~^! gpu_unguarded_indices no guard at all may be a launch that fits, which the kernel cannot tell
}

#[kernel(block = 256)]
fn add_up_to_a_number_that_is_passed(n: usize, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < n {
        y[i] = x[i] + 1.0;
    }
}

#[kernel(block = 256)]
fn guard_that_lets_the_end_pass(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i <= y.len() {
        y[i] = if i < x.len() { x[i] } else { 0.0 }; //~ gpu_unguarded_indices
    }
}

#[kernel(block = 256)]
fn neighbour_past_the_end(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        y[i] = x[i + 1] - x[i]; //~ gpu_unguarded_indices
        //~^+ gpu_misaligned_accesses
        //~^^! gpu_unguarded_indices `x` may be longer than `y`, and then `i + 1` is in bounds
    }
}

#[kernel(block = 256)]
fn neighbour_before_the_start(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        y[i] = x[i] - x[i - 1]; //~ gpu_unguarded_indices
        //~^= gpu_negative_indices for gpu_unguarded_indices
        //~^^+ gpu_misaligned_accesses
    }
}

#[kernel(block = 256)]
fn difference_within_the_bounds(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i >= 1 && i < x.len() && i < y.len() {
        y[i] = x[i] - x[i - 1];
        //~^+ gpu_misaligned_accesses
    }
}

#[kernel(block = 256)]
fn neighbour_before_the_start_of_a_tile(x: &[f32], y: &mut [f32]) {
    let s = shared!([f32; 256]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    s[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    if i < y.len() {
        y[i] = s[t] - s[t - 1]; //~ gpu_out_of_bounds_shared
        //~^= gpu_negative_indices for gpu_out_of_bounds_shared
    }
}

#[kernel(block = 512)]
fn tile_of_another_size_than_the_block(x: &[f32], y: &mut [f32]) {
    let s = shared!([f32; 256]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    s[t] = if i < x.len() { x[i] } else { 0.0 }; //~ gpu_out_of_bounds_shared
    sync_threads();
    if i < y.len() {
        y[i] = s[(t + 1) % 256];
    }
}

#[kernel(block = 512)]
fn tile_of_half_the_block(x: &[f32], y: &mut [f32]) {
    let s = shared!([f32; 256]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    if t < 256 {
        s[t] = if i < x.len() { x[i] } else { 0.0 };
    }
    sync_threads();
    if i < y.len() {
        y[i] = s[(t + 1) % 256];
    }
}

#[kernel(block = 8)]
fn few_taps_in_a_shared_array(taps: &[f32], y: &mut [f32]) {
    let s = shared!([f32; 5]);
    let (t, i) = (thread_idx_x(), global_idx_x()); //~^^^ gpu_partial_warps
    //~^^^= gpu_partial_warps for gpu_partial_warps
    if t < taps.len() && t < 5 {
        s[t] = taps[t];
    }
    sync_threads();
    if i < y.len() && taps.len() >= 5 {
        y[i] = s[i % 5];
    }
}

#[kernel(block = 256)]
fn byte_offset_in_32_bits(x: &[u8], y: &mut [u8]) {
    let i = global_idx_x();
    let at = ((i as u32) * 4096) as usize; //~ gpu_index_overflows
    if at < x.len() && i < y.len() {
        y[i] = x[at]; //~ gpu_uncoalesced_accesses
    }
}

#[kernel(block = 256)]
fn index_in_32_bits(n: u32, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x() as u32;
    if i < n {
        y[i as usize] = x[i as usize] * 2.0;
    }
}

#[kernel(block = 128)]
fn histogram_of_a_threads_own(x: &[u32], y: &mut [u32]) {
    let i = global_idx_x();
    let mut h = [0u32; 16];
    for k in (i..x.len()).step_by(128 * grid_dim_x()) {
        h[(x[k] % 16) as usize] += 1; //~ gpu_local_arrays
    }
    for bin in 0..16 {
        let at = bin * 128 * grid_dim_x() + i;
        if at < y.len() {
            y[at] = h[bin];
        }
    }
}

#[kernel(block = 128)]
fn small_product_in_registers(a: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let mut v = [0.0f32; 4];
    for k in 0..4 {
        v[k] = if i + 128 * k < a.len() { a[i + 128 * k] } else { 0.0 };
    }
    let mut sum = 0.0;
    for k in 0..4 {
        sum += v[k] * v[3 - k];
    }
    if i < y.len() {
        y[i] = sum;
    }
}

#[kernel(block = 64)]
fn large_tile_for_few_threads(x: &[f32], y: &mut [f32]) { //~ gpu_low_occupancy
    let s = shared!([f32; 11776]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    for k in (t..11776).step_by(64) {
        s[k] = if k < x.len() { x[k] } else { 0.0 };
    }
    sync_threads();
    let mut sum = 0.0;
    for k in 0..184 {
        sum += s[k * 64 + 63 - t];
    }
    if i < y.len() {
        y[i] = sum;
    }
}

#[kernel(block = 100)]
fn block_of_100(x: &mut [f32]) { //~ gpu_partial_warps
    let i = global_idx_x();
    if i < x.len() {
        x[i] += 1.0;
    }
}

#[kernel(block = (10, 10))]
fn block_of_10_by_10(w: usize, h: usize, x: &mut [f32]) { //~ gpu_partial_warps
    let (column, row) = (global_idx_x(), global_idx_y());
    if column < w && row < h {
        x[row * w + column] += 1.0;
    }
}

#[kernel(block = 128)]
fn array_that_nobody_reads(x: &[f32], y: &mut [f32]) {
    let s = shared!([f32; 128]); //~ gpu_unused_shared
    let (t, i) = (thread_idx_x(), global_idx_x());
    s[t] = if i < x.len() { x[i] } else { 0.0 };
    if i < y.len() {
        y[i] = 1.0;
    }
}

crate::corpus![
    copy,
    copy_with_a_stride_of_16,
    copy_with_a_stride_that_is_passed,
    scatter_with_a_stride_of_8,
    copy_with_an_offset_of_1,
    four_elements_for_each_thread,
    four_elements_for_each_thread_a_block_apart,
    four_elements_at_once,
    reversed_copy,
    every_lane_reads_one_element,
    gather_by_indices,
    luminance_of_three_planes,
    one_channel_of_floats,
    add_matrices,
    add_matrices_along_columns,
    naive_product,
    naive_product_with_swapped_axes,
    sums_of_rows_of_1024,
    sums_of_columns_of_1024,
    sums_of_rows_by_warps,
    transpose_naively,
    transpose_in_a_tile,
    transpose_in_a_padded_tile,
    transpose_in_a_swizzled_tile,
    transpose_of_16_with_one_column_more,
    transpose_of_16_without_a_barrier,
    words_two_apart,
    words_three_apart,
    words_a_row_apart,
    words_a_row_apart_in_a_diagonal_order,
    one_word_for_all_lanes,
    doubles_next_to_each_other,
    table_of_the_data,
    heights_of_particles,
    heights_in_an_array_of_their_own,
    add_without_a_guard,
    add_up_to_a_number_that_is_passed,
    guard_that_lets_the_end_pass,
    neighbour_past_the_end,
    neighbour_before_the_start,
    difference_within_the_bounds,
    neighbour_before_the_start_of_a_tile,
    tile_of_another_size_than_the_block,
    tile_of_half_the_block,
    few_taps_in_a_shared_array,
    byte_offset_in_32_bits,
    index_in_32_bits,
    histogram_of_a_threads_own,
    small_product_in_registers,
    large_tile_for_few_threads,
    block_of_100,
    block_of_10_by_10,
    array_that_nobody_reads,
];
