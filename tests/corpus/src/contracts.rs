//! Kernels whose contracts say what a launch passes: strides, widths and lengths that are numbers, or at least so large.
use warpwise::prelude::*;

#[kernel(block = 32, requires(stride == 32))]
fn a_column_of_a_required_stride(stride: usize, x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 1024]);
    for row in 0..stride {
        tile[row * stride + t] = x[row * stride + t];
    }
    sync_threads();
    let mut sum = 0.0;
    for column in 0..stride {
        sum += tile[t * stride + column]; //~ gpu_bank_conflicts "32 wavefronts, 1 needed"
    }
    y[global_idx_x()] = sum;
}

#[kernel(block = 32, requires(stride == 33))]
fn a_column_of_a_required_odd_stride(stride: usize, x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 1056]);
    for row in 0..32 {
        tile[row * stride + t] = x[row * 32 + t];
    }
    sync_threads();
    let mut sum = 0.0;
    for column in 0..32 {
        sum += tile[t * stride + column];
    }
    y[global_idx_x()] = sum;
}

#[kernel(block = 256, requires(channels == 2))]
fn the_first_of_two_channels(channels: u32, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = x[i * channels as usize]; //~ gpu_uncoalesced_accesses "8 sectors"
    }
}

#[kernel(block = 256, requires(channels == 1))]
fn the_first_of_one_channel(channels: u32, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = x[i * channels as usize];
    }
}

#[kernel(block = 256, requires(columns >= 32))]
fn the_first_of_each_row(columns: usize, x: &[f32], y: &mut [f32]) {
    let row = global_idx_x();
    if row < y.len() {
        y[row] = x[row * columns]; //~ gpu_uncoalesced_accesses "32 sectors"
    }
}

#[kernel(block = 256, requires(columns >= 1))]
fn the_first_of_each_row_of_any_length(columns: usize, x: &[f32], y: &mut [f32]) {
    let row = global_idx_x();
    if row < y.len() {
        y[row] = x[row * columns];
    }
}

#[kernel(block = (32, 8), requires(columns >= 32))]
fn rows_of_whole_warps(columns: usize, x: &[f32], y: &mut [f32]) {
    let (row, column) = (global_idx_y(), global_idx_x());
    if column < columns {
        y[row * columns + column] = x[row * columns + column] * 2.0;
    }
}

#[kernel(block = 64, requires(halo >= 1, halo <= 8))]
fn a_halo_that_the_tile_has_no_room_for(halo: usize, x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 64]);
    tile[t + halo] = x[global_idx_x()]; //~ gpu_out_of_bounds_shared "at least 64"
    sync_threads();
    if t >= 8 {
        y[global_idx_x()] = tile[t];
    }
}

#[kernel(block = 64, requires(halo >= 1, halo <= 8))]
fn a_halo_that_the_tile_has_room_for(halo: usize, x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 72]);
    tile[t + halo] = x[global_idx_x()];
    sync_threads();
    y[global_idx_x()] = tile[63 - t + halo];
}

#[kernel(block = 64, requires(bins == 16))]
fn as_many_bins_as_required(bins: usize, x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let last = shared!([f32; 64]);
    last[t % bins] = x[global_idx_x()]; //~ gpu_shared_write_races
    sync_threads();
    if t < bins {
        y[block_idx_x() * bins + t] = last[t];
    }
}

#[kernel(block = 64, requires(bins == 64))]
fn a_bin_of_its_own(bins: usize, x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let last = shared!([f32; 64]);
    last[t % bins] = x[global_idx_x()];
    sync_threads();
    y[block_idx_x() * bins + t] = last[bins - 1 - t];
}

#[kernel(block = 128, requires(distance >= 1))]
fn the_difference_at_a_distance(distance: usize, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = x[i] - x[i - distance]; //~ gpu_negative_indices "at most -1"
    }
}

#[kernel(block = 128, requires(distance >= 1))]
fn the_difference_at_a_distance_inside(distance: usize, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i >= distance && i < y.len() {
        y[i] = x[i] - x[i - distance];
    }
}

#[kernel(block = 256, requires(pitch == 2 * width, width == 16))]
fn a_pitch_of_two_widths(pitch: usize, width: usize, x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 8192]);
    tile[t * pitch] = x[global_idx_x()]; //~ gpu_bank_conflicts "32 wavefronts, 1 needed"
    sync_threads();
    y[global_idx_x()] = tile[(255 - t) * pitch + width - 16]; //~ gpu_bank_conflicts "32 wavefronts, 1 needed"
}

#[kernel(block = 128, requires(in_place))]
fn a_barrier_that_is_always_passed(in_place: bool, x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 128]);
    tile[t] = x[global_idx_x()];
    if in_place {
        sync_threads();
    }
    y[global_idx_x()] = tile[127 - t];
}

#[kernel(block = 128, requires(!in_place))]
fn a_barrier_that_is_never_passed(in_place: bool, x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 128]);
    tile[t] = x[global_idx_x()];
    if in_place {
        sync_threads();
    }
    y[global_idx_x()] = tile[127 - t]; //~ gpu_missing_barriers
}

crate::corpus![
    a_column_of_a_required_stride,
    a_column_of_a_required_odd_stride,
    the_first_of_two_channels,
    the_first_of_one_channel,
    the_first_of_each_row,
    the_first_of_each_row_of_any_length,
    rows_of_whole_warps,
    a_halo_that_the_tile_has_no_room_for,
    a_halo_that_the_tile_has_room_for,
    as_many_bins_as_required,
    a_bin_of_its_own,
    the_difference_at_a_distance,
    the_difference_at_a_distance_inside,
    a_pitch_of_two_widths,
    a_barrier_that_is_always_passed,
    a_barrier_that_is_never_passed,
];
