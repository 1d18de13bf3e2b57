//! Branches, loops, warps and serial work.
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

// Branches (Cheng, Grossman and McKercher, "Professional CUDA C Programming", chapter 3).

/// A long computation, which is worth a branch.
#[device]
fn long(mut v: f32) -> f32 {
    for _ in 0..64 {
        v = v * 1.01 + 0.5;
    }
    v
}

#[kernel(block = 256)]
fn even_and_odd_threads(x: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        if i % 2 == 0 { //~ gpu_divergent_branches
            x[i] = long(x[i]).sqrt();
        } else {
            x[i] = long(x[i] + 3.0) * 0.5;
        }
    }
}

#[kernel(block = 256)]
fn even_and_odd_warps(x: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        if (i / 32) % 2 == 0 {
            x[i] = long(x[i]).sqrt();
        } else {
            x[i] = long(x[i] + 3.0) * 0.5;
        }
    }
}

#[kernel(block = 256)]
fn even_and_odd_threads_choose_a_number(x: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        x[i] *= if i % 2 == 0 { 100.0 } else { 200.0 };
    }
}

#[kernel(block = 256)]
fn halves_of_warps(x: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    if i < x.len() {
        if t & 16 != 0 { //~ gpu_divergent_branches
            x[i] = long(x[i]) + 1.0;
        } else {
            x[i] = long(2.0 * x[i]);
        }
    }
}

#[kernel(block = 256)]
fn halves_of_the_block(x: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    if i < x.len() {
        if t < 128 {
            x[i] = long(x[i]) + 1.0;
        } else {
            x[i] = long(2.0 * x[i]);
        }
    }
}

#[kernel(block = 256)]
fn a_parameter_chooses(mode: u32, x: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        x[i] = if mode == 0 { long(x[i]) } else { long(x[i] * 3.0).sqrt() };
    }
}

#[kernel(block = 256)]
fn the_data_choose(x: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        if x[i] > 0.0 {
            x[i] = long(x[i]).sqrt();
        } else {
            x[i] = long(-x[i]) * 0.5;
        }
    }
}

#[kernel(block = 128)]
fn four_kinds_of_threads(x: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        let v = x[i];
        match i % 4 { //~ gpu_divergent_matches
            0 => x[i] = long(v),
            1 => x[i] = long(v + 1.0).sqrt(),
            2 => x[i] = long(v * 2.0) - 1.0,
            _ => x[i] = long(v - 2.0) * v,
        }
    }
}

#[kernel(block = 128)]
fn four_kinds_of_blocks(x: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        let v = x[i];
        match block_idx_x() % 4 {
            0 => x[i] = long(v),
            1 => x[i] = long(v + 1.0).sqrt(),
            2 => x[i] = long(v * 2.0) - 1.0,
            _ => x[i] = long(v - 2.0) * v,
        }
    }
}

#[kernel(block = 256)]
fn leader_of_the_block_reports(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let sum = block::reduce_add(if i < x.len() { x[i] } else { 0.0 });
    if thread_idx_x() == 0 && block_idx_x() < y.len() {
        y[block_idx_x()] = sum;
    }
}

// Loops.

#[kernel(block = 256)]
fn as_many_rounds_as_the_lane_says(y: &mut [f32]) {
    let i = global_idx_x();
    let mut v = 1.0;
    for _ in 0..i % 32 { //~ gpu_divergent_loops
        v = v * 1.5 + 1.0;
    }
    if i < y.len() {
        y[i] = v;
    }
}

#[kernel(block = 256)]
fn as_many_rounds_as_the_warp_says(y: &mut [f32]) {
    let i = global_idx_x();
    let mut v = 1.0;
    for _ in 0..thread_idx_x() / 32 {
        v = v * 1.5 + 1.0;
    }
    if i < y.len() {
        y[i] = v;
    }
}

#[kernel(block = 64)]
fn lower_triangle(n: usize, a: &[f32], y: &mut [f32]) {
    let row = thread_idx_x();
    let mut sum = 0.0;
    for column in 0..row + 1 { //~ gpu_divergent_loops
        if column * n + row < a.len() {
            sum += a[column * n + row];
        }
    }
    if global_idx_x() < y.len() {
        y[global_idx_x()] = sum;
    }
}

#[kernel(block = (32, 8))]
fn escape_times(w: usize, h: usize, y: &mut [u32]) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if column < w && row < h {
        let (cx, cy) = (column as f32 / w as f32 * 3.0 - 2.0, row as f32 / h as f32 * 2.0 - 1.0);
        let (mut zx, mut zy, mut n) = (0.0f32, 0.0f32, 0);
        while n < 256 && zx * zx + zy * zy < 4.0 {
        //~^+ gpu_divergent_loops
            (zx, zy) = (zx * zx - zy * zy + cx, 2.0 * zx * zy + cy);
            n += 1;
        }
        y[row * w + column] = n;
    }
}

#[kernel(block = 256)]
fn rows_of_a_sparse_matrix(start: &[u32], column: &[u32], value: &[f32], x: &[f32], y: &mut [f32]) {
    let row = global_idx_x();
    if row < y.len() && row + 1 < start.len() {
        let mut sum = 0.0;
        for k in start[row] as usize..start[row + 1] as usize {
        //~^+ gpu_divergent_loops
        //~^^+ gpu_misaligned_accesses
            sum += value[k] * x[column[k] as usize];
        }
        y[row] = sum;
    }
}

#[kernel(block = 256)]
fn grid_stride_loop(x: &mut [f32]) {
    let mut i = global_idx_x();
    while i < x.len() {
        x[i] = long(x[i]);
        i += block_dim_x() * grid_dim_x();
    }
}

// Serial work.

#[kernel(block = 256)]
fn one_thread_adds_up(x: &[f32], y: &mut [f32]) {
    let s = shared!([f32; 256]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    s[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    if t == 0 && block_idx_x() < y.len() {
    //~^= gpu_serial_sections for gpu_serial_sections
        let mut sum = 0.0;
        for k in 0..256 { //~ gpu_serial_sections
            sum += s[k];
        }
        y[block_idx_x()] = sum;
    }
}

#[kernel(block = 256)]
fn one_thread_clears_the_bins(x: &[u32], bins: &[AtomicU32]) {
    let s = shared!([AtomicU32; 256]);
    let t = thread_idx_x();
    if t == 0 {
    //~^= gpu_serial_sections for gpu_serial_sections
        for k in 0..256 { //~ gpu_serial_sections
            s[k].store(0, Ordering::Relaxed);
        }
    }
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
fn each_warp_adds_up_its_part(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let sum = warp::reduce_add(if i < x.len() { x[i] } else { 0.0 });
    if warp::lane_id() == 0 && i / 32 < y.len() {
        y[i / 32] = sum;
    }
}

// Warps (NVIDIA's blog, "Using CUDA Warp-Level Primitives" and "Faster Parallel Reductions on Kepler").

#[kernel(block = 256)]
fn shuffle_down_in_the_lower_half_alone(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let mut v = if i < x.len() { x[i] } else { 0.0 };
    if warp::lane_id() < 16 {
        v += warp::shfl_down(v, 8); //~ gpu_warp_mask_mismatches
    }
    if i < y.len() {
        y[i] = v;
    }
}

#[kernel(block = 256)]
fn shuffle_down_with_the_mask_of_the_lower_half(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let mut v = if i < x.len() { x[i] } else { 0.0 };
    if warp::lane_id() < 16 {
        v += warp::shfl_xor_mask(0x0000_ffff, v, 8);
    }
    if i < y.len() {
        y[i] = v;
    }
}

#[kernel(block = 256)]
fn shuffle_with_a_full_mask_in_a_branch(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let mut v = if i < x.len() { x[i] } else { 0.0 };
    if thread_idx_x() % 2 == 0 {
        v += warp::shfl_xor_mask(0xffff_ffff, v, 2); //~ gpu_warp_mask_mismatches
    }
    if i < y.len() {
        y[i] = v;
    }
}

#[kernel(block = 256)]
fn shuffle_from_lanes_outside_of_the_mask(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let mut v = if i < x.len() { x[i] } else { 0.0 };
    if warp::lane_id() < 16 {
        v += warp::shfl_xor_mask(0x0000_ffff, v, 16); //~ gpu_inactive_lane_shuffles
    }
    if i < y.len() {
        y[i] = v;
    }
}

#[kernel(block = 256)]
fn ballot_before_a_branch(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let v = if i < x.len() { x[i] } else { 0.0 };
    let mask = warp::ballot(v > 0.0);
    if v > 0.0 {
        let sum = warp::reduce_add_mask(mask, v as u32);
        if i < y.len() {
            y[i] = sum as f32;
        }
    }
}

#[kernel(block = 256)]
fn ballot_of_even_lanes_used_by_odd_ones(x: &[u32], y: &mut [u32]) {
    let i = global_idx_x();
    let v = if i < x.len() { x[i] } else { 0 };
    let lane = warp::lane_id();
    let mask = warp::ballot(lane % 2 == 0);
    let mut sum = 0;
    if lane % 2 == 1 {
        sum = warp::reduce_add_mask(mask, v); //~ gpu_warp_mask_mismatches
    }
    if i < y.len() {
        y[i] = sum;
    }
}

#[kernel(block = 256)]
fn vote_in_a_divergent_loop(x: &[u32], y: &mut [u32]) {
    let i = global_idx_x();
    let lane = warp::lane_id();
    let mut rounds = 0;
    let mut k = 0;
    while k < lane { //~ gpu_divergent_loops
        if warp::any(i < x.len() && x[i] > k as u32) { //~ gpu_warp_mask_mismatches
            rounds += 1;
        }
        k += 1;
    }
    if i < y.len() {
        y[i] = rounds;
    }
}

#[kernel(block = 256)]
fn guarded_threads_return_before_a_warp_sum(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i >= x.len() {
        return;
    }
    let sum = warp::reduce_add(x[i]);
    if warp::lane_id() == 0 && i / 32 < y.len() {
        y[i / 32] = sum;
    }
}

#[kernel(block = 128)]
fn warp_sum_of_values_in_range(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        let sum = warp::reduce_add(x[i]); //~ gpu_warp_mask_mismatches
        if warp::lane_id() == 0 && i / 32 < y.len() {
            y[i / 32] = sum;
        }
    }
}

#[kernel(block = 128)]
fn compaction_by_ballots(x: &[u32], y: &mut [u32], count: &[AtomicU32]) {
    let i = global_idx_x();
    let keep = i < x.len() && x[i] % 3 == 0;
    let mask = warp::ballot(keep);
    let lane = warp::lane_id();
    let mut base = 0;
    if lane == 0 {
        base = count[0].fetch_add(mask.count_ones(), Ordering::Relaxed);
    }
    base = warp::shfl(base, 0);
    let before = (mask & ((1u32 << lane) - 1)).count_ones();
    let at = (base + before) as usize;
    if keep && at < y.len() {
        y[at] = x[i];
    }
}

#[kernel(block = 128)]
fn compaction_by_one_counter(x: &[u32], y: &mut [u32], count: &[AtomicU32]) {
    let i = global_idx_x();
    if i < x.len() && x[i] % 3 == 0 {
        let at = count[0].fetch_add(1, Ordering::Relaxed) as usize;
        if at < y.len() {
            y[at] = x[i];
        }
    }
}

#[kernel(block = 64)]
fn lanes_hand_over_in_shared_memory(x: &[u32], y: &mut [u32]) {
    let s = shared!([[u32; 32]; 2]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    let (warp, lane) = (t / 32, t % 32);
    s[warp][lane] = if i < x.len() { x[i] } else { 0 };
    sync_warp();
    if i < y.len() {
        y[i] = s[warp][31 - lane];
    }
}

#[kernel(block = 64)]
fn lanes_hand_over_in_shared_memory_without_a_fence(x: &[u32], y: &mut [u32]) {
    let s = shared!([[u32; 32]; 2]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    let (warp, lane) = (t / 32, t % 32);
    s[warp][lane] = if i < x.len() { x[i] } else { 0 };
    if i < y.len() {
        y[i] = s[warp][31 - lane]; //~ gpu_missing_warp_syncs
    }
}

#[kernel(block = 64)]
fn warps_hand_over_in_shared_memory_with_a_warp_barrier(x: &[u32], y: &mut [u32]) {
    let s = shared!([u32; 64]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    s[t] = if i < x.len() { x[i] } else { 0 };
    sync_warp();
    if i < y.len() {
        y[i] = s[63 - t]; //~ gpu_missing_barriers
    }
}

#[kernel(block = 256)]
fn broadcast_of_the_first_lane(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let v = if i < x.len() { x[i] } else { 0.0 };
    let first = warp::shfl(v, 0);
    if i < y.len() {
        y[i] = v - first;
    }
}

crate::corpus![
    even_and_odd_threads,
    even_and_odd_warps,
    even_and_odd_threads_choose_a_number,
    halves_of_warps,
    halves_of_the_block,
    a_parameter_chooses,
    the_data_choose,
    four_kinds_of_threads,
    four_kinds_of_blocks,
    leader_of_the_block_reports,
    as_many_rounds_as_the_lane_says,
    as_many_rounds_as_the_warp_says,
    lower_triangle,
    escape_times,
    rows_of_a_sparse_matrix,
    grid_stride_loop,
    one_thread_adds_up,
    one_thread_clears_the_bins,
    each_warp_adds_up_its_part,
    shuffle_down_in_the_lower_half_alone,
    shuffle_down_with_the_mask_of_the_lower_half,
    shuffle_with_a_full_mask_in_a_branch,
    shuffle_from_lanes_outside_of_the_mask,
    ballot_before_a_branch,
    ballot_of_even_lanes_used_by_odd_ones,
    vote_in_a_divergent_loop,
    guarded_threads_return_before_a_warp_sum,
    warp_sum_of_values_in_range,
    compaction_by_ballots,
    compaction_by_one_counter,
    lanes_hand_over_in_shared_memory,
    lanes_hand_over_in_shared_memory_without_a_fence,
    warps_hand_over_in_shared_memory_with_a_warp_barrier,
    broadcast_of_the_first_lane,
];
