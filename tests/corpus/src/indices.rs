//! Indices that leave their array: past its end, past the guard, past 32 bits.
use warpwise::prelude::*;

#[kernel(block = 128)]
fn the_tile_is_one_too_short(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 127]);
    tile[t] = x[global_idx_x()]; //~ gpu_out_of_bounds_shared "127"
    sync_threads();
    if t < 127 {
        y[global_idx_x()] = tile[126 - t];
    }
}

#[kernel(block = 64)]
fn a_round_too_many(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 64]);
    tile[t] = x[global_idx_x()];
    sync_threads();
    let mut sum = 0.0;
    for k in 0..=64 {
        sum += tile[k]; //~ gpu_out_of_bounds_shared "64"
    }
    y[global_idx_x()] = sum;
}

#[kernel(block = 64)]
fn as_many_rounds_as_cells(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 64]);
    tile[t] = x[global_idx_x()];
    sync_threads();
    let mut sum = 0.0;
    for k in 0..64 {
        sum += tile[k];
    }
    y[global_idx_x()] = sum;
}

#[kernel(block = (32, 8))]
fn rows_and_columns_mixed_up(x: &[f32], y: &mut [f32]) {
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let tile = shared!([[f32; 33]; 8]);
    let i = (block_idx_x() * 8 + ty) * 32 + tx;
    tile[tx][ty] = x[i]; //~ gpu_out_of_bounds_shared "31"
    sync_threads();
    y[i] = tile[ty][31 - tx]; //~ gpu_uninit_shared_reads
}

#[kernel(block = (32, 8))]
fn rows_and_columns(x: &[f32], y: &mut [f32]) {
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let tile = shared!([[f32; 33]; 8]);
    let i = (block_idx_x() * 8 + ty) * 32 + tx;
    tile[ty][tx] = x[i];
    sync_threads();
    y[i] = tile[ty][31 - tx];
}

#[kernel(block = 64)]
fn halo_without_room(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 64]);
    let i = global_idx_x();
    if i < x.len() {
        tile[t] = x[i];
    }
    sync_threads();
    if i < y.len() {
        y[i] = tile[t + 2]; //~ gpu_out_of_bounds_shared "65"
    }
}

#[kernel(block = 64)]
fn the_neighbour_wraps_around(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 64]);
    tile[t] = x[global_idx_x()];
    sync_threads();
    y[global_idx_x()] = tile[(t + 1) % 64];
}

#[kernel(block = 64)]
fn left_before_the_end(n: usize, x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 64]);
    tile[t] = x[global_idx_x()];
    sync_threads();
    let mut sum = 0.0;
    for k in 0..100 {
        if k >= n {
            break;
        }
        sum += tile[k];
    }
    y[global_idx_x()] = sum;
}

#[kernel(block = 256)]
fn read_before_the_guard(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let v = x[i]; //~ gpu_unguarded_indices "`x.len()`"
    if i < x.len() {
        y[i] = 2.0 * v;
    }
}

#[kernel(block = 256)]
fn one_further_than_the_guard(x: &mut [f32]) {
    let i = global_idx_x();
    if i >= x.len() {
        return;
    }
    x[i] = x[i] + x[i + 2048]; //~ gpu_unguarded_indices
}

#[kernel(block = 256)]
fn less_or_equal(y: &mut [f32]) {
    let i = global_idx_x();
    if i <= y.len() {
        y[i] = 1.0; //~ gpu_unguarded_indices "`y.len()`"
    }
}

#[kernel(block = 256)]
fn guarded(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        y[i] = x[i];
    }
}

#[kernel(block = 256)]
fn guarded_by_a_return(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i >= x.len() {
        return;
    }
    y[i] = x[i];
}

#[kernel(block = 256)]
fn for_grids_that_fit(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    y[i] = x[i];
}

#[kernel(block = 256)]
fn the_last_takes_the_first(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i + 8 < x.len() {
        y[i] = x[i + 8];
    } else {
        y[i] = x[0];
    }
}

#[kernel(block = 256)]
fn by_the_hand(n: usize, x: &[f32], y: &mut [f32]) {
    let i = block_idx_x() * block_dim_x() + thread_idx_x();
    if i < n {
        y[i] = x[i];
    }
}

#[kernel(block = (32, 8))]
fn large_rows_in_32_bits(y: &mut [f32]) {
    let (column, row) = (global_idx_x() as u32, global_idx_y() as u32);
    if column < 70_000 && row < 70_000 {
        y[(row * 70_000 + column) as usize] = 0.0; //~ gpu_index_overflows "4899930000"
    }
}

#[kernel(block = (32, 8))]
fn large_rows_in_signed_32_bits(y: &mut [f32]) {
    let (column, row) = (global_idx_x() as i32, global_idx_y() as i32);
    if column < 50_000 && row < 50_000 {
        y[(row * 50_000 + column) as usize] = 0.0; //~ gpu_index_overflows "2499950000"
    }
}

#[kernel(block = (32, 8))]
fn large_rows(y: &mut [f32]) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if column < 70_000 && row < 70_000 {
        y[row * 70_000 + column] = 0.0;
    }
}

#[kernel(block = (32, 8))]
fn small_rows_in_32_bits(y: &mut [f32]) {
    let (column, row) = (global_idx_x() as u32, global_idx_y() as u32);
    if column < 8192 && row < 8192 {
        y[(row * 8192 + column) as usize] = 0.0;
    }
}

#[kernel(block = (32, 8))]
fn passed_rows_in_32_bits(width: u32, height: u32, y: &mut [f32]) {
    let (column, row) = (global_idx_x() as u32, global_idx_y() as u32);
    if column < width && row < height {
        y[(row * width + column) as usize] = 0.0;
    }
}

crate::corpus![
    the_tile_is_one_too_short,
    a_round_too_many,
    as_many_rounds_as_cells,
    rows_and_columns_mixed_up,
    rows_and_columns,
    halo_without_room,
    the_neighbour_wraps_around,
    left_before_the_end,
    read_before_the_guard,
    one_further_than_the_guard,
    less_or_equal,
    guarded,
    guarded_by_a_return,
    for_grids_that_fit,
    the_last_takes_the_first,
    by_the_hand,
    large_rows_in_32_bits,
    large_rows_in_signed_32_bits,
    large_rows,
    small_rows_in_32_bits,
    passed_rows_in_32_bits,
];
