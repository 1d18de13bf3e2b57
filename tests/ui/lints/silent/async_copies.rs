//! Asynchronous copies that are waited for. Silent is `gpu_unwaited_copies`.
#![deny(warnings)]
use warpwise::prelude::*;

#[kernel(block = 128)]
fn own_elements(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 128]);
    async_copy::copy(&mut tile[t], &x[global_idx_x()]);
    async_copy::wait_all();
    y[global_idx_x()] = tile[t];
}

#[kernel(block = 128)]
fn elements_of_others(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 128]);
    async_copy::copy(&mut tile[t], &x[global_idx_x()]);
    async_copy::commit();
    async_copy::wait::<0>();
    sync_threads();
    y[global_idx_x()] = tile[127 - t];
}

/// A stage is filled while the other one is used; two barriers.
#[kernel(block = 128)]
fn two_stages(x: &[f32], rows: usize, y: &mut [f32]) {
    let t = thread_idx_x();
    let stages = shared!([[f32; 128]; 2]);
    async_copy::copy(&mut stages[0][t], &x[t]);
    async_copy::commit();
    let mut sum = 0.0;
    for row in 0..rows {
        if row + 1 < rows {
            async_copy::copy(&mut stages[(row + 1) % 2][t], &x[(row + 1) * 128 + t]);
        }
        async_copy::commit();
        async_copy::wait::<1>();
        sync_threads();
        sum += stages[row % 2][127 - t];
        sync_threads();
    }
    y[global_idx_x()] = sum;
}

/// One barrier, since a stage is not filled before all are done with it.
#[kernel(block = 128)]
fn three_stages(x: &[f32], rows: usize, y: &mut [f32]) {
    let t = thread_idx_x();
    let stages = shared!([[f32; 128]; 3]);
    for row in 0..2 {
        if row < rows {
            async_copy::copy(&mut stages[row][t], &x[row * 128 + t]);
        }
        async_copy::commit();
    }
    let mut sum = 0.0;
    for row in 0..rows {
        async_copy::wait::<1>();
        sync_threads();
        if row + 2 < rows {
            async_copy::copy(&mut stages[(row + 2) % 3][t], &x[(row + 2) * 128 + t]);
        }
        async_copy::commit();
        sum += stages[row % 3][127 - t];
    }
    y[global_idx_x()] = sum;
}

/// The waits of the first iterations cover nothing yet.
#[kernel(block = 128)]
fn waits_that_begin_early(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let stages = shared!([[f32; 128]; 4]);
    for stage in 0..4 {
        async_copy::copy(&mut stages[stage][t], &x[stage * 128 + t]);
        async_copy::commit();
        async_copy::wait::<2>();
        if stage >= 2 {
            y[t] += stages[stage - 2][t];
        }
    }
    async_copy::wait::<0>();
    y[t] += stages[2][t] + stages[3][t];
}


/// By all threads of the block.
#[kernel(block = 128)]
fn by_block(x: &[f32], y: &mut [f32]) {
    let tile = shared!([f32; 300]);
    async_copy::block_copy(&mut tile[..], &x[block_idx_x() * 300..][..300]);
    async_copy::wait_all();
    sync_threads();
    for i in (thread_idx_x()..300).step_by(128) {
        y[block_idx_x() * 300 + i] = tile[299 - i];
    }
}

/// Either a copy or a store.
#[kernel(block = 128)]
fn at_the_edge(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 128]);
    let i = global_idx_x();
    if i < x.len() {
        async_copy::copy(&mut tile[t], &x[i]);
    } else {
        tile[t] = 0.0;
    }
    async_copy::wait_all();
    sync_threads();
    if i < y.len() {
        y[i] = tile[127 - t];
    }
}

fn main() {}
