//! Data of asynchronous copies that are used too early.
#![deny(warnings)]
use warpwise::prelude::*;

#[kernel(block = 128)]
fn a_barrier_is_no_wait(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 128]);
    async_copy::copy(&mut tile[t], &x[t]);
    async_copy::commit();
    sync_threads();
    y[global_idx_x()] = tile[127 - t];
    async_copy::wait_all();
}

#[kernel(block = 128)]
fn no_barrier_after_the_wait(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 128]);
    async_copy::copy(&mut tile[t], &x[t]);
    async_copy::commit();
    sync_threads();
    async_copy::wait::<0>();
    y[global_idx_x()] = tile[127 - t];
}

#[kernel(block = 128)]
fn no_barrier(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 128]);
    async_copy::copy(&mut tile[t], &x[t]);
    async_copy::wait_all();
    y[global_idx_x()] = tile[127 - t];
}

#[kernel(block = 128)]
fn the_last_group_may_be_pending(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let stages = shared!([[f32; 128]; 2]);
    async_copy::copy(&mut stages[0][t], &x[t]);
    async_copy::commit();
    async_copy::copy(&mut stages[1][t], &x[t + 128]);
    async_copy::commit();
    async_copy::wait::<1>();
    y[global_idx_x()] = stages[0][t] + stages[1][t];
    async_copy::wait::<0>();
}

#[kernel(block = 128)]
fn the_source_is_written(x: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 128]);
    async_copy::copy(&mut tile[t], &x[t]);
    async_copy::commit();
    x[t] = 0.0;
    async_copy::wait::<0>();
    x[t] += tile[t];
}

#[kernel(block = 128)]
fn no_group_is_closed(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 128]);
    async_copy::copy(&mut tile[t], &x[t]);
    async_copy::wait::<0>();
    y[global_idx_x()] = tile[t];
}

#[kernel(block = 128)]
fn too_few_groups_are_closed(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 128]);
    async_copy::copy(&mut tile[t], &x[t]);
    async_copy::commit();
    async_copy::wait::<1>();
    y[global_idx_x()] = tile[t];
}

#[kernel(block = 128)]
fn nothing_waits(x: &[f32], i: usize, y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 128]);
    async_copy::block_copy(&mut tile[..], &x[..128]);
    sync_threads();
    y[global_idx_x()] = tile[i] + tile[t];
}

fn main() {}
