//! What a kernel takes of a multiprocessor: registers and local memory, shared memory, room for warps.
use warpwise::prelude::*;

// Arrays of a thread's own.

#[kernel(block = 128)]
fn the_largest_of_eight_by_its_place(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let mut row = [0.0; 8];
    if 8 * 128 * block_idx_x() + 1024 <= x.len() && i < y.len() {
        let mut best = 0;
        for k in 0..8 {
            row[k] = x[block_idx_x() * 1024 + k * 128 + thread_idx_x()];
            if row[k] > row[best] { //~ gpu_local_arrays "32 bytes"
                best = k;
            }
        }
        y[i] = row[best];
    }
}

#[kernel(block = 128)]
fn a_table_of_bytes(keys: &[u8], y: &mut [u32]) {
    let i = global_idx_x();
    let mut seen = [0u32; 16];
    if i < keys.len() && i < y.len() {
        seen[keys[i] as usize % 16] = 1;
        let mut count = 0;
        for k in 0..16 {
            count += seen[k];
        }
        y[i] = count;
    }
}

#[kernel(block = 128)]
fn a_stack_of_numbers(x: &[u32], y: &mut [u32]) {
    let i = global_idx_x();
    let mut stack = [0u32; 32];
    let mut depth = 0;
    if i < x.len() && i < y.len() {
        let mut rest = x[i];
        while rest > 0 && depth < 32 { //~ gpu_divergent_loops
            stack[depth] = rest & 1; //~ gpu_local_arrays "128 bytes"
            depth += 1;
            rest >>= 1;
        }
        let mut turned = 0;
        while depth > 0 {
            depth -= 1;
            turned = 2 * turned + stack[depth];
        }
        y[i] = turned;
    }
}

#[kernel(block = 128)]
fn eight_sums_in_registers(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let mut sums = [0.0; 8];
    for row in 0..64 {
        for k in 0..8 {
            sums[k] += x[(row * 8 + k) * 128 + t];
        }
    }
    let mut all = 0.0;
    for k in 0..8 {
        all += sums[k] * sums[k];
    }
    let i = global_idx_x();
    if i < y.len() {
        y[i] = all;
    }
}

#[kernel(block = 128)]
fn the_larger_half_in_registers(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        let pair = [x[i], -x[i]];
        y[i] = if pair[0] > pair[1] { pair[0] } else { pair[1] };
    }
}

#[kernel(block = 128)]
fn sums_of_which_one_is_chosen(n: usize, which: &[u32], x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let mut sums = [0.0; 8];
    if i < which.len() && i < y.len() {
        for row in 0..n {
            for k in 0..8 {
                sums[k] += x[row * 8 + k]; //~ gpu_local_arrays "16 times in each iteration"
            }
        }
        y[i] = sums[(which[i] % 8) as usize];
    }
}

#[kernel(block = 128)]
fn sums_of_which_one_of_four_is_chosen(n: usize, which: &[u32], x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let mut sums = [0.0; 4];
    if i < which.len() && i < y.len() {
        for row in 0..n {
            for k in 0..4 {
                sums[k] += x[row * 4 + k];
            }
        }
        y[i] = sums[(which[i] % 4) as usize];
    }
}

#[kernel(block = 128)]
fn sums_of_which_one_is_matched(n: usize, which: &[u32], x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let mut sums = [0.0; 4];
    if i < which.len() && i < y.len() {
        for row in 0..n {
            for k in 0..4 {
                sums[k] += x[row * 4 + k];
            }
        }
        y[i] = match which[i] % 4 {
            0 => sums[0],
            1 => sums[1],
            2 => sums[2],
            _ => sums[3],
        };
    }
}

#[kernel(block = 128)]
fn a_ring_of_eight(n: usize, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let mut last = [0.0; 8];
    let mut sum = 0.0;
    if i < y.len() {
        for row in 0..n {
            sum += x[row * 128 + thread_idx_x()] - last[row % 8]; //~ gpu_local_arrays "2 times in each iteration"
            last[row % 8] = x[row * 128 + thread_idx_x()];
        }
        y[i] = sum;
    }
}

#[kernel(block = 128)]
fn a_ring_that_is_shifted(n: usize, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let mut last = [0.0; 8];
    let mut sum = 0.0;
    if i < y.len() {
        for row in 0..n {
            sum += x[row * 128 + thread_idx_x()] - last[7];
            for k in (1..8).rev() {
                last[k] = last[k - 1];
            }
            last[0] = x[row * 128 + thread_idx_x()];
        }
        y[i] = sum;
    }
}

#[kernel(block = 128)]
fn insertions(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let mut row = [0.0; 8];
    for k in 0..8 {
        row[k] = x[k * 4096 + i];
    }
    for k in 1..8 {
        let v = row[k];
        let mut to = k;
        while to > 0 && row[to - 1] > v { //~ gpu_local_arrays "32 bytes"
            row[to] = row[to - 1];
            to -= 1;
        }
        row[to] = v;
    }
    for k in 0..8 {
        y[k * 4096 + i] = row[k];
    }
}

#[kernel(block = 128)]
fn exchanges(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let mut row = [0.0; 8];
    for k in 0..8 {
        row[k] = x[k * 4096 + i];
    }
    for end in 1..8 {
        for k in 0..8 - end {
            let (low, high) = (row[k].min(row[k + 1]), row[k].max(row[k + 1]));
            row[k] = low;
            row[k + 1] = high;
        }
    }
    for k in 0..8 {
        y[k * 4096 + i] = row[k];
    }
}

/// Its factors are constants of the module, which all threads read.
#[kernel(block = 128)]
fn a_polynomial_of_a_run_time_degree(degree: usize, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let factors = [1.0, 0.5, 0.25, 0.125, 0.0625, 0.03125];
    if i < x.len() && i < y.len() && degree <= 6 {
        let mut sum = 0.0;
        for k in 0..degree {
            sum = sum * x[i] + factors[k];
        }
        y[i] = sum;
    }
}

#[kernel(block = 128)]
fn a_polynomial_of_a_known_degree(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let factors = [1.0, 0.5, 0.25, 0.125, 0.0625, 0.03125];
    if i < x.len() && i < y.len() {
        let mut sum = 0.0;
        for k in 0..6 {
            sum = sum * x[i] + factors[k];
        }
        y[i] = sum;
    }
}

#[kernel(block = 128)]
fn one_look_into_a_table(keys: &[u32], y: &mut [u32]) {
    let i = global_idx_x();
    let weights = [1, 4, 6, 4];
    if i < keys.len() && i < y.len() {
        y[i] = weights[(keys[i] % 4) as usize];
    }
}

// Shared memory that nobody needs.

#[kernel(block = 128)]
fn a_tile_that_is_left_over(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let tile = shared!([f32; 128]); //~ gpu_unused_shared "512 bytes"
    if i < x.len() && i < y.len() {
        tile[thread_idx_x()] = x[i];
        y[i] = 2.0 * x[i];
    }
}

#[kernel(block = 32)]
fn sums_of_rows_that_nobody_reads(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([[f32; 33]; 32]);
    let sums = shared!([f32; 32]); //~ gpu_unused_shared "128 bytes"
    for row in 0..32 {
        tile[row][t] = x[row * 32 + t];
    }
    sync_threads();
    let mut sum = 0.0;
    for column in 0..32 {
        sum += tile[t][column];
    }
    sums[t] = sum;
    let i = global_idx_x();
    if i < y.len() {
        y[i] = sum;
    }
}

// Room for warps.

#[kernel(block = 32)]
fn one_warp_with_half_of_the_memory(x: &[f32], y: &mut [f32]) { //~ gpu_low_occupancy "at most 2 blocks"
    let window = shared!([f32; 24000]);
    let first = block_idx_x() * 24000;
    for i in (thread_idx_x()..24000).step_by(32) {
        window[i] = x[first + i];
    }
    sync_threads();
    for i in (thread_idx_x()..24000).step_by(32) {
        y[first + i] = window[i] - window[23999 - i];
    }
}

#[kernel(block = 128)]
fn four_warps_with_nearly_all_of_the_memory(x: &[f32], y: &mut [f32]) { //~ gpu_low_occupancy "at most 1 block"
    let window = shared!([f32; 50000]);
    let first = block_idx_x() * 50000;
    for i in (thread_idx_x()..50000).step_by(128) {
        window[i] = x[first + i];
    }
    sync_threads();
    for i in (thread_idx_x()..50000).step_by(128) {
        y[first + i] = window[i] - window[49999 - i];
    }
}

#[kernel(block = 512)]
fn half_of_the_warps(x: &[f32], y: &mut [f32]) { //~ gpu_moderate_occupancy "at most 2 blocks"
    let window = shared!([f32; 24576]);
    let first = block_idx_x() * 24576;
    for i in (thread_idx_x()..24576).step_by(512) {
        window[i] = x[first + i];
    }
    sync_threads();
    for i in (thread_idx_x()..24576).step_by(512) {
        y[first + i] = window[i] - window[24575 - i];
    }
}

#[kernel(block = 512)]
fn all_of_the_warps(x: &[f32], y: &mut [f32]) {
    let window = shared!([f32; 4096]);
    let first = block_idx_x() * 4096;
    for i in (thread_idx_x()..4096).step_by(512) {
        window[i] = x[first + i];
    }
    sync_threads();
    for i in (thread_idx_x()..4096).step_by(512) {
        y[first + i] = window[i] - window[4095 - i];
    }
}

// Blocks that nobody declares.

#[kernel]
fn any_number_of_rows(width: usize, x: &mut [f32]) { //~ gpu_unknown_block_shape
    let i = global_idx_x();
    if i < width && i < x.len() {
        x[i] *= 0.5;
    }
}

#[kernel]
fn a_block_for_each_number(x: &[f32], y: &mut [f32]) {
    let b = block_idx_x();
    if b < x.len() && b < y.len() {
        y[b] = 2.0 * x[b];
    }
}

// Barriers that some do not come to, or not to the same one.

#[kernel(block = 128)]
fn those_without_work_have_returned(rows: usize, x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 128]);
    if t >= rows {
        return;
    }
    tile[t] = x[t];
    sync_threads(); //~ gpu_barriers_after_divergent_returns
    if t < 64 && t < y.len() {
        y[t] = tile[t] * 2.0;
    }
}

#[kernel(block = 128)]
fn one_half_has_returned(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let sums = shared!([f32; 64]);
    if t >= 64 {
        return;
    }
    sums[t] = x[t] + x[t + 64];
    sync_threads(); //~ gpu_barriers_after_divergent_returns
    if t < y.len() {
        y[t] = sums[63 - t];
    }
}

#[kernel(block = 128)]
fn whole_blocks_have_returned(blocks: usize, x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 128]);
    if block_idx_x() >= blocks {
        return;
    }
    tile[t] = x[t];
    sync_threads();
    let i = global_idx_x();
    if i < y.len() {
        y[i] = tile[127 - t];
    }
}

#[kernel(block = 128)]
fn odd_and_even_wait_apart(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 128]);
    tile[t] = x[t];
    if t % 2 == 0 { //~ gpu_divergent_branches
        sync_threads(); //~ gpu_mismatched_barriers
    } else {
        sync_threads();
    }
    let i = global_idx_x();
    if i < y.len() {
        y[i] = tile[127 - t];
    }
}

#[kernel(block = 128)]
fn the_first_warp_waits_elsewhere(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 128]);
    if t / 32 == 0 {
        tile[t] = 2.0 * x[t];
        sync_threads(); //~ gpu_mismatched_barriers
    } else {
        tile[t] = x[t];
        sync_threads();
    }
    let i = global_idx_x();
    if i < y.len() {
        y[i] = tile[127 - t];
    }
}

crate::corpus![
    the_largest_of_eight_by_its_place,
    a_table_of_bytes,
    a_stack_of_numbers,
    eight_sums_in_registers,
    the_larger_half_in_registers,
    sums_of_which_one_is_chosen,
    sums_of_which_one_of_four_is_chosen,
    sums_of_which_one_is_matched,
    a_ring_of_eight,
    a_ring_that_is_shifted,
    insertions,
    exchanges,
    a_polynomial_of_a_run_time_degree,
    a_polynomial_of_a_known_degree,
    one_look_into_a_table,
    a_tile_that_is_left_over,
    sums_of_rows_that_nobody_reads,
    one_warp_with_half_of_the_memory,
    four_warps_with_nearly_all_of_the_memory,
    half_of_the_warps,
    all_of_the_warps,
    any_number_of_rows,
    a_block_for_each_number,
    those_without_work_have_returned,
    one_half_has_returned,
    whole_blocks_have_returned,
    odd_and_even_wait_apart,
    the_first_warp_waits_elsewhere,
];
