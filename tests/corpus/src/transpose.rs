//! Transposes: naive, through a tile, and through one that is padded or swizzled.
use warpwise::prelude::*;

#[kernel(block = (32, 8))]
fn naive_reads_along_rows(x: &[f32], y: &mut [f32]) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if column < 1024 && row < 1024 {
        y[column * 1024 + row] = x[row * 1024 + column]; //~ gpu_swapped_axes
    }
}

#[kernel(block = (32, 8))]
fn naive_reads_along_columns(x: &[f32], y: &mut [f32]) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if column < 1024 && row < 1024 {
        y[row * 1024 + column] = x[column * 1024 + row]; //~ gpu_swapped_axes
    }
}

#[kernel(block = (32, 32))]
fn through_a_tile(x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 32]; 32]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    tile[ty][tx] = x[(block_idx_y() * 32 + ty) * 1024 + block_idx_x() * 32 + tx];
    sync_threads();
    y[(block_idx_x() * 32 + ty) * 1024 + block_idx_y() * 32 + tx] = tile[tx][ty]; //~ gpu_bank_conflicts "32 wavefronts"
}

#[kernel(block = (32, 32))]
fn through_a_padded_tile(x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 33]; 32]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    tile[ty][tx] = x[(block_idx_y() * 32 + ty) * 1024 + block_idx_x() * 32 + tx];
    sync_threads();
    y[(block_idx_x() * 32 + ty) * 1024 + block_idx_y() * 32 + tx] = tile[tx][ty];
}

#[kernel(block = (32, 32))]
fn through_a_swizzled_tile(x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 32]; 32]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    tile[ty][tx ^ ty] = x[(block_idx_y() * 32 + ty) * 1024 + block_idx_x() * 32 + tx];
    sync_threads();
    y[(block_idx_x() * 32 + ty) * 1024 + block_idx_y() * 32 + tx] = tile[tx][ty ^ tx];
}

#[kernel(block = (32, 32))]
fn written_down_a_column_of_the_tile(x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 32]; 32]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    tile[tx][ty] = x[(block_idx_y() * 32 + ty) * 1024 + block_idx_x() * 32 + tx]; //~ gpu_bank_conflicts "32 wavefronts"
    sync_threads();
    y[(block_idx_x() * 32 + ty) * 1024 + block_idx_y() * 32 + tx] = tile[ty][tx];
}

#[kernel(block = (32, 8))]
fn four_rows_a_thread(x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 33]; 32]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (column, row) = (block_idx_x() * 32 + tx, block_idx_y() * 32 + ty);
    for k in [0, 8, 16, 24] {
        tile[ty + k][tx] = x[(row + k) * 1024 + column];
    }
    sync_threads();
    let (column, row) = (block_idx_y() * 32 + tx, block_idx_x() * 32 + ty);
    for k in [0, 8, 16, 24] {
        y[(row + k) * 1024 + column] = tile[tx][ty + k];
    }
}

#[kernel(block = (32, 8))]
fn four_rows_a_thread_without_padding(x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 32]; 32]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (column, row) = (block_idx_x() * 32 + tx, block_idx_y() * 32 + ty);
    for k in [0, 8, 16, 24] {
        tile[ty + k][tx] = x[(row + k) * 1024 + column];
    }
    sync_threads();
    let (column, row) = (block_idx_y() * 32 + tx, block_idx_x() * 32 + ty);
    for k in [0, 8, 16, 24] {
        y[(row + k) * 1024 + column] = tile[tx][ty + k]; //~ gpu_bank_conflicts "32 wavefronts"
    }
}

#[kernel(block = (16, 16))]
fn a_tile_of_sixteen(x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 16]; 16]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    tile[ty][tx] = x[(block_idx_y() * 16 + ty) * 1024 + block_idx_x() * 16 + tx];
    sync_threads();
    y[(block_idx_x() * 16 + ty) * 1024 + block_idx_y() * 16 + tx] = tile[tx][ty]; //~ gpu_bank_conflicts
}

#[kernel(block = (16, 16))]
fn a_padded_tile_of_sixteen(x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 17]; 16]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    // A warp has two rows of the tile, and they overlap in one bank.
    tile[ty][tx] = x[(block_idx_y() * 16 + ty) * 1024 + block_idx_x() * 16 + tx]; //~ gpu_bank_conflicts "2 wavefronts"
    sync_threads();
    y[(block_idx_x() * 16 + ty) * 1024 + block_idx_y() * 16 + tx] = tile[tx][ty]; //~ gpu_bank_conflicts "2 wavefronts"
}

#[kernel(block = (32, 32))]
fn without_a_barrier(x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 33]; 32]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    tile[ty][tx] = x[(block_idx_y() * 32 + ty) * 1024 + block_idx_x() * 32 + tx];
    y[(block_idx_x() * 32 + ty) * 1024 + block_idx_y() * 32 + tx] = tile[tx][ty]; //~ gpu_missing_barriers
}

#[kernel(block = (32, 32))]
fn of_doubles_through_a_padded_tile(x: &[f64], y: &mut [f64]) {
    let tile = shared!([[f64; 33]; 32]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    tile[ty][tx] = x[(block_idx_y() * 32 + ty) * 1024 + block_idx_x() * 32 + tx];
    sync_threads();
    y[(block_idx_x() * 32 + ty) * 1024 + block_idx_y() * 32 + tx] = tile[tx][ty];
}

#[kernel(block = (32, 32))]
fn of_doubles_through_a_tile(x: &[f64], y: &mut [f64]) {
    let tile = shared!([[f64; 32]; 32]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    tile[ty][tx] = x[(block_idx_y() * 32 + ty) * 1024 + block_idx_x() * 32 + tx];
    sync_threads();
    y[(block_idx_x() * 32 + ty) * 1024 + block_idx_y() * 32 + tx] = tile[tx][ty]; //~ gpu_vector_bank_conflicts "32 wavefronts"
}

crate::corpus![
    naive_reads_along_rows,
    naive_reads_along_columns,
    through_a_tile,
    through_a_padded_tile,
    through_a_swizzled_tile,
    written_down_a_column_of_the_tile,
    four_rows_a_thread,
    four_rows_a_thread_without_padding,
    a_tile_of_sixteen,
    a_padded_tile_of_sixteen,
    without_a_barrier,
    of_doubles_through_a_padded_tile,
    of_doubles_through_a_tile,
];
