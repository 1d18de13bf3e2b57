//! Asynchronous copies to shared memory: their groups, their waits, and the barriers after them.
use warpwise::prelude::*;

#[kernel(block = 128)]
fn a_tile_is_read_before_the_wait(x: &[f32], y: &mut [f32]) {
    let tile = shared!([f32; 128]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    if i < x.len() {
        async_copy::copy(&mut tile[t], &x[i]);
    } else {
        tile[t] = 0.0;
    }
    async_copy::commit();
    sync_threads();
    let left = if t > 0 { tile[t - 1] } else { 0.0 }; //~ gpu_unwaited_copies
    async_copy::wait::<0>();
    if i < y.len() {
        y[i] = left;
    }
}

#[kernel(block = 128)]
fn a_tile_is_read_after_wait_and_barrier(x: &[f32], y: &mut [f32]) {
    let tile = shared!([f32; 128]);
    let (t, i) = (thread_idx_x(), global_idx_x());
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

#[kernel(block = 128)]
fn the_barrier_precedes_the_wait(x: &[f32], y: &mut [f32]) {
    let tile = shared!([f32; 128]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    if i < x.len() && i < y.len() {
        async_copy::copy(&mut tile[t], &x[i]);
        async_copy::commit();
    }
    sync_threads();
    async_copy::wait_all();
    if i < x.len() && i < y.len() {
        y[i] = tile[t ^ 64]; //~ gpu_unwaited_copies
    }
}

#[kernel(block = 128)]
fn threads_read_their_own_elements(x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 128]; 2]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    if i < x.len() && i < y.len() {
        async_copy::copy(&mut tile[0][t], &x[i]);
        async_copy::commit();
        async_copy::copy(&mut tile[1][t], &y[i]);
        async_copy::commit();
        async_copy::wait::<1>();
        let value = tile[0][t];
        async_copy::wait::<0>();
        y[i] = value * tile[1][t];
    }
}

#[kernel(block = 128)]
fn the_second_group_is_read_too_early(x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 128]; 2]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    if i < x.len() && i < y.len() {
        async_copy::copy(&mut tile[0][t], &x[i]);
        async_copy::commit();
        async_copy::copy(&mut tile[1][t], &y[i]);
        async_copy::commit();
        async_copy::wait::<1>();
        let value = tile[0][t] * tile[1][t]; //~ gpu_unwaited_copies
        async_copy::wait::<0>();
        y[i] = value;
    }
}

#[kernel(block = 128)]
fn a_buffer_is_updated_while_it_is_copied(x: &mut [f32]) {
    let tile = shared!([f32; 128]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    if i < x.len() {
        async_copy::copy(&mut tile[t], &x[i]);
        async_copy::commit();
        x[i] = 0.0; //~ gpu_unwaited_copies
        async_copy::wait::<0>();
        x[i] = tile[t] * 2.0;
    }
}

#[kernel(block = 128)]
fn a_wait_without_a_group(x: &[f32], y: &mut [f32]) {
    let tile = shared!([f32; 128]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    if i < x.len() && i < y.len() {
        async_copy::copy(&mut tile[t], &x[i]);
        async_copy::wait::<0>(); //~ gpu_unwaited_copies
        y[i] = tile[t];
    }
}

/// Two stages and two barriers in each round.
#[kernel(block = 64)]
fn rows_in_two_stages(x: &[f32], y: &mut [f32]) {
    let stages = shared!([[f32; 64]; 2]);
    let (t, rows) = (thread_idx_x(), x.len() / 64);
    if rows > 0 {
        async_copy::copy(&mut stages[0][t], &x[t]);
    }
    async_copy::commit();
    let mut sum = 0.0;
    for row in 0..rows {
        if row + 1 < rows {
            async_copy::copy(&mut stages[(row + 1) % 2][t], &x[(row + 1) * 64 + t]);
        }
        async_copy::commit();
        async_copy::wait::<1>();
        sync_threads();
        sum += stages[row % 2][63 - t];
        sync_threads();
    }
    if block_idx_x() == 0 && t < y.len() {
        y[t] = sum;
    }
}

/// Three stages, and one barrier in each round.
#[kernel(block = 64)]
fn rows_in_three_stages(x: &[f32], y: &mut [f32]) {
    let stages = shared!([[f32; 64]; 3]);
    let (t, rows) = (thread_idx_x(), x.len() / 64);
    for row in 0..2 {
        if row < rows {
            async_copy::copy(&mut stages[row][t], &x[row * 64 + t]);
        }
        async_copy::commit();
    }
    let mut sum = 0.0;
    for row in 0..rows {
        async_copy::wait::<1>();
        sync_threads();
        if row + 2 < rows {
            async_copy::copy(&mut stages[(row + 2) % 3][t], &x[(row + 2) * 64 + t]);
        }
        async_copy::commit();
        sum += stages[row % 3][63 - t];
    }
    if block_idx_x() == 0 && t < y.len() {
        y[t] = sum;
    }
}

corpus![
    a_tile_is_read_before_the_wait,
    a_tile_is_read_after_wait_and_barrier,
    the_barrier_precedes_the_wait,
    threads_read_their_own_elements,
    the_second_group_is_read_too_early,
    a_buffer_is_updated_while_it_is_copied,
    a_wait_without_a_group,
    rows_in_two_stages,
    rows_in_three_stages,
];
