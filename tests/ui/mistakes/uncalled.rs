//! Functions of Warpwise without the parentheses of a call.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel(block = 64)]
fn barrier_uncalled(y: &mut [f32]) {
    let tile = shared!([f32; 64]);
    tile[thread_idx_x()] = y[thread_idx_x()];
    sync_threads;
    y[thread_idx_x()] = tile[63 - thread_idx_x()];
}

#[kernel(block = 32)]
fn sync_warp_uncalled(y: &mut [f32]) {
    y[thread_idx_x()] = 1.0;
    sync_warp;
}

#[kernel(block = 32)]
fn barrier_in_variable(y: &mut [f32]) {
    let sync = sync_threads;
    y[thread_idx_x()] = 1.0;
    sync();
}

#[kernel]
fn index_in_variable(y: &mut [u32]) {
    let i = thread_idx_x;
    y[i] = 1;
}

#[kernel]
fn index_compared(y: &mut [u32]) {
    if thread_idx_x == 0 {
        y[0] = 1;
    }
}

#[kernel(cooperative, block = 32)]
fn grid_sync_uncalled(y: &mut [f32]) {
    y[global_idx_x()] = 1.0;
    grid::sync;
}

fn main() {}
