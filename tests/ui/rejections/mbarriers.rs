//! Mbarriers that nothing initializes, or that no number of threads completes.
#![allow(unused)]
use warpwise::{MBarrier, prelude::*};

#[device]
struct Stage {
    full: MBarrier<1>,
    tile: [f32; 32],
}

#[kernel(block = 64)]
fn counts(y: &mut [f32]) {
    let none = shared!([MBarrier<0>; 2]);
    let many = shared!(MBarrier<1048576>);
    none[0].arrive();
    many.arrive();
}

#[kernel(block = 64)]
fn inside_of_others(y: &mut [f32]) {
    let stage = shared!([Stage; 2]);
    let maybe = shared!([Option<MBarrier<1>>; 2]);
    stage[0].full.arrive();
}

#[kernel(block = 64)]
fn of_a_length(n: usize, y: &mut [f32]) {
    let stages = shared_dyn!(MBarrier<64>, n);
    stages[0].arrive();
}

#[kernel(block = 64)]
fn moved(y: &mut [f32]) {
    let stages = shared!([MBarrier<64>; 2]);
    std::mem::swap(&mut stages[0], &mut stages[1]);
}

#[kernel(block = 64, cluster = 2)]
fn of_another_block(y: &mut [f32]) {
    let full = shared!(MBarrier<64>);
    cluster::map_shared_rank(full, 1).arrive();
}

#[kernel(block = 64)]
fn arguments(y: &mut [f32]) {
    let full = shared!(MBarrier<64>);
    full.wait_parity(1u32);
    full.wait(full);
}

#[kernel]
fn buffers(full: &[MBarrier<64>], y: &mut [f32]) {
    full[0].arrive();
}

#[kernel(block = 64)]
fn unproved(x: &[u32], y: &mut [u32]) {
    let full = shared!(MBarrier<64>);
    let tile = shared!([u32; 64]);
    let t = thread_idx_x();
    tile[t] = x[t];
    let token = full.arrive();
    full.wait(token);
    y[t] = tile[63 - t];
}

fn main() {}
