//! Warp functions and the lanes that come to them; blocks, and how many of them run.
use warpwise::prelude::*;

#[kernel(block = 64)]
fn half_of_the_lanes_shuffle(x: &[u32], y: &mut [u32]) {
    let t = thread_idx_x();
    let mut v = x[t];
    if warp::lane_id() < 16 {
        v = warp::shfl(v, 0); //~ gpu_warp_mask_mismatches "`warp::shfl(..)` is about all lanes"
    }
    y[t] = v;
}

#[kernel(block = 64)]
fn all_lanes_shuffle(x: &[u32], y: &mut [u32]) {
    let t = thread_idx_x();
    let v = x[t];
    let first = warp::shfl(v, 0);
    y[t] = if warp::lane_id() < 16 { first } else { v };
}

#[kernel(block = 64)]
fn the_first_warp_reduces(x: &[u32], y: &mut [u32]) {
    let t = thread_idx_x();
    if t < 32 {
        let sum = warp::reduce_add(x[t]);
        if t == 0 {
            y[block_idx_x()] = sum;
        }
    }
}

#[kernel(block = 128)]
fn the_guard_is_around_the_reduction(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        let sum = warp::reduce_add(x[i]); //~ gpu_warp_mask_mismatches
        if warp::lane_id() == 0 && i / 32 < y.len() {
            y[i / 32] = sum;
        }
    }
}

#[kernel(block = 128)]
fn the_guard_is_around_the_load(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let sum = warp::reduce_add(if i < x.len() { x[i] } else { 0.0 });
    if warp::lane_id() == 0 && i / 32 < y.len() {
        y[i / 32] = sum;
    }
}

#[kernel(block = 64)]
fn the_mask_names_too_few(x: &[u32], y: &mut [u32]) {
    let t = thread_idx_x();
    y[t] = warp::reduce_add_mask(0xffff, x[t]); //~ gpu_warp_mask_mismatches "lane 16 comes"
}

#[kernel(block = 64)]
fn the_mask_names_too_many(x: &[u32], y: &mut [u32]) {
    let t = thread_idx_x();
    if warp::lane_id() % 2 == 0 {
        y[t] = warp::reduce_add_mask(0xffff_ffff, x[t]); //~ gpu_warp_mask_mismatches "names lane 1,"
    }
}

#[kernel(block = 64)]
fn the_mask_names_the_even_lanes(x: &[u32], y: &mut [u32]) {
    let t = thread_idx_x();
    if warp::lane_id() % 2 == 0 {
        y[t] = warp::reduce_add_mask(0x5555_5555, x[t]);
    }
}

#[kernel(block = 64)]
fn a_vote_makes_the_mask(x: &[u32], y: &mut [u32]) {
    let t = thread_idx_x();
    let v = x[t];
    let large = warp::ballot(v > 10);
    if v > 10 {
        y[t] = warp::reduce_min_mask(large, v);
    }
}

#[kernel(block = 256)]
fn a_vote_of_even_lanes_for_odd_ones(x: &[u32], y: &mut [u32]) {
    let i = global_idx_x();
    let lane = warp::lane_id();
    let even = warp::ballot(lane % 2 == 0);
    if lane % 2 == 1 {
        y[i] = warp::reduce_add_mask(even, x[i]); //~ gpu_warp_mask_mismatches "lane 1 comes to this"
    }
}

#[kernel(block = 256)]
fn a_vote_of_even_lanes_for_even_ones(x: &[u32], y: &mut [u32]) {
    let i = global_idx_x();
    let lane = warp::lane_id();
    let even = warp::ballot(lane % 2 == 0);
    if lane % 2 == 0 {
        y[i] = warp::reduce_add_mask(even, x[i]);
    }
}

#[kernel(block = 64)]
fn the_lanes_of_a_vote_and_the_others(x: &[u32], y: &mut [u32]) {
    let t = thread_idx_x();
    let first = warp::ballot(t % 32 < 8);
    if t % 32 < 8 {
        y[t] = warp::shfl_mask(first, x[t], 0);
    } else {
        y[t] = warp::shfl_mask(!first, x[t], 8);
    }
}

#[kernel(block = 64)]
fn a_vote_that_leaves_lanes_out(x: &[u32], y: &mut [u32]) {
    let t = thread_idx_x();
    let first = warp::ballot(t < 48);
    y[t] = warp::shfl_mask(first, x[t], 0); //~ gpu_warp_mask_mismatches "the mask 0x0000ffff does not name it"
}

#[kernel(block = 64)]
fn a_sum_of_the_lanes_of_a_vote(x: &[u32], y: &mut [u32]) {
    let t = thread_idx_x();
    let first = warp::ballot(t % 32 < 8);
    if t % 32 < 8 {
        let mut v = x[t];
        v += warp::shfl_down_mask(first, v, 4);
        v += warp::shfl_down_mask(first, v, 2);
        v += warp::shfl_down_mask(first, v, 1);
        if t % 32 == 0 {
            y[t / 32] = v;
        }
    }
}

#[kernel(block = 64)]
fn a_vote_in_a_vote(x: &[u32], y: &mut [u32]) {
    let t = thread_idx_x();
    let first = warp::ballot(t % 32 < 16);
    if t % 32 < 16 {
        let fewer = warp::ballot_mask(first, t % 32 < 4);
        if t % 32 < 8 {
            y[t] = warp::reduce_max_mask(fewer, x[t]); //~ gpu_warp_mask_mismatches "lane 4 comes to this"
        }
    }
}

#[kernel(block = 64)]
fn a_vote_of_those_who_stay(x: &[u32], y: &mut [u32]) {
    let t = thread_idx_x();
    let stay = warp::ballot(t % 32 >= 4);
    if t % 32 < 4 {
        return;
    }
    y[t] = warp::reduce_add_mask(stay, x[t]);
}

#[kernel(block = 64)]
fn a_vote_of_half_of_the_lanes(x: &[u32], y: &mut [u32]) {
    let t = thread_idx_x();
    if t & 16 == 0 {
        y[t] = warp::ballot(x[t] > 3); //~ gpu_warp_mask_mismatches "`warp::ballot(..)`"
    }
}

#[kernel(block = 64)]
fn data_decide_who_waits(x: &[u32], y: &mut [u32]) {
    let t = thread_idx_x();
    let tile = shared!([u32; 64]);
    tile[t] = x[t];
    if x[t] > 7 {
        sync_warp(); //~ gpu_warp_mask_mismatches "`sync_warp()`"
    }
    y[t] = tile[t];
}

#[kernel(block = 64)]
fn a_lane_that_is_not_there(x: &[u32], y: &mut [u32]) {
    let t = thread_idx_x();
    let mut v = x[t];
    if warp::lane_id() < 16 {
        v = warp::shfl_mask(0xffff, v, 20); //~ gpu_inactive_lane_shuffles "lane 20"
    }
    y[t] = v;
}

#[kernel(block = 64)]
fn a_lane_that_is_there(x: &[u32], y: &mut [u32]) {
    let t = thread_idx_x();
    let mut v = x[t];
    if warp::lane_id() < 16 {
        v = warp::shfl_mask(0xffff, v, 15);
    }
    y[t] = v;
}

#[kernel(block = 64)]
fn the_other_half(x: &[u32], y: &mut [u32]) {
    let t = thread_idx_x();
    let mut v = x[t];
    if warp::lane_id() < 16 {
        v += warp::shfl_xor_mask(0xffff, v, 16); //~ gpu_inactive_lane_shuffles
    }
    y[t] = v;
}

#[kernel(block = 64)]
fn a_reduction_of_half_a_warp(x: &[u32], y: &mut [u32]) {
    let t = thread_idx_x();
    let mut v = x[t];
    if warp::lane_id() < 16 {
        v += warp::shfl_down_mask(0xffff, v, 8);
        v += warp::shfl_down_mask(0xffff, v, 4);
        v += warp::shfl_down_mask(0xffff, v, 2);
        v += warp::shfl_down_mask(0xffff, v, 1);
    }
    if t == 0 {
        y[0] = v;
    }
}

// Blocks.

#[kernel(block = 100)]
fn a_hundred_threads(x: &mut [f32]) { //~ gpu_partial_warps
    let i = global_idx_x();
    if i < x.len() {
        x[i] *= 2.0;
    }
}

#[kernel(block = (10, 10))]
fn ten_by_ten(width: usize, x: &mut [f32]) { //~ gpu_partial_warps "28 lanes"
    let (column, row) = (global_idx_x(), global_idx_y());
    if column < width && row * width + column < x.len() {
        x[row * width + column] *= 2.0;
    }
}

#[kernel(block = 96)]
fn three_warps(x: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        x[i] *= 2.0;
    }
}

#[kernel]
fn nobody_knows_how_many(x: &mut [f32]) { //~ gpu_unknown_block_shape
    let i = global_idx_x();
    if i < x.len() {
        x[i] *= 2.0;
    }
}

#[kernel(block = 64)]
fn much_for_few(x: &[f32], y: &mut [f32]) { //~ gpu_low_occupancy "at most 2 blocks"
    let window = shared!([f32; 25600]);
    let first = block_idx_x() * 25600;
    for i in (thread_idx_x()..25600).step_by(64) {
        window[i] = x[first + i];
    }
    sync_threads();
    for i in (thread_idx_x()..25600).step_by(64) {
        y[first + i] = window[i] - window[25599 - i];
    }
}

#[kernel(block = 256)]
fn enough_for_half(x: &[f32], y: &mut [f32]) { //~ gpu_moderate_occupancy "at most 4 blocks"
    let window = shared!([f32; 12288]);
    let first = block_idx_x() * 12288;
    for i in (thread_idx_x()..12288).step_by(256) {
        window[i] = x[first + i];
    }
    sync_threads();
    for i in (thread_idx_x()..12288).step_by(256) {
        y[first + i] = window[i] - window[12287 - i];
    }
}

#[kernel(block = 256)]
fn little_for_many(x: &[f32], y: &mut [f32]) {
    let window = shared!([f32; 4096]);
    let first = block_idx_x() * 4096;
    for i in (thread_idx_x()..4096).step_by(256) {
        window[i] = x[first + i];
    }
    sync_threads();
    for i in (thread_idx_x()..4096).step_by(256) {
        y[first + i] = window[i] - window[4095 - i];
    }
}

crate::corpus![
    half_of_the_lanes_shuffle,
    all_lanes_shuffle,
    the_first_warp_reduces,
    the_guard_is_around_the_reduction,
    the_guard_is_around_the_load,
    the_mask_names_too_few,
    the_mask_names_too_many,
    the_mask_names_the_even_lanes,
    a_vote_makes_the_mask,
    a_vote_of_even_lanes_for_odd_ones,
    a_vote_of_even_lanes_for_even_ones,
    the_lanes_of_a_vote_and_the_others,
    a_vote_that_leaves_lanes_out,
    a_sum_of_the_lanes_of_a_vote,
    a_vote_in_a_vote,
    a_vote_of_those_who_stay,
    a_vote_of_half_of_the_lanes,
    data_decide_who_waits,
    a_lane_that_is_not_there,
    a_lane_that_is_there,
    the_other_half,
    a_reduction_of_half_a_warp,
    a_hundred_threads,
    ten_by_ten,
    three_warps,
    nobody_knows_how_many,
    much_for_few,
    enough_for_half,
    little_for_many,
];
