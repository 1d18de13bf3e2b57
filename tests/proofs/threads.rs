//! Threads of a grid, counted by hand and otherwise, and what guards them.
use warpwise::prelude::*;

#[kernel(requires(grid_dim_x() * block_dim_x() == x.len()))]
fn every_other_thread(x: &mut [f32]) {
    let tid = block_idx_x() * block_dim_x() + thread_idx_x();
    if tid % 2 == 0 {
        x[tid] = 1.0;
    }
}

#[kernel(requires(grid_dim_x() * block_dim_x() <= x.len(), x.len() == y.len()))]
fn every_other_thread_beside_a_guard(x: &[f32], y: &mut [f32]) {
    let tid = block_idx_x() * block_dim_x() + thread_idx_x();
    let v = if tid % 2 == 0 { x[tid] } else { -x[tid] };
    if tid & 1 == 1 {
        y[tid] = v;
    } else {
        y[tid - tid % 2] = x[tid];
    }
}

#[kernel(requires(grid_dim_x() * block_dim_x() <= x.len()))]
fn the_next_thread(x: &mut [f32]) {
    let tid = block_idx_x() * block_dim_x() + thread_idx_x();
    if tid % 2 == 0 {
        x[tid + 1] = 1.0; //~ stays
    }
}

#[allow(gpu_correctness)]
#[kernel(block = 128, requires(grid_dim_x() * 128 <= x.len()))]
fn the_next_thread_of_an_even_block(x: &mut [f32]) {
    let tid = block_idx_x() * 128 + thread_idx_x();
    if tid % 2 == 0 {
        x[tid + 1] = 1.0;
    }
    if tid % 4 == 0 {
        x[tid + 3] = 1.0;
    }
    if tid % 4 == 1 {
        x[tid + 2] = 1.0;
        x[tid + 3] = 1.0; //~ stays
    }
}

#[kernel(requires(grid_dim_x() * block_dim_x() == x.len()))]
fn a_third_of_the_threads(m: usize, x: &mut [f32]) {
    let tid = block_idx_x() * block_dim_x() + thread_idx_x();
    if m > 0 && tid % m == 0 {
        x[tid] = 1.0;
        x[tid / m] += 1.0;
    }
    if tid % 3 != 1 {
        x[tid] += 2.0;
    }
}

#[kernel(requires(grid_dim_x() * block_dim_x() == n, x.len() >= n))]
fn exact_in_a_parameter(n: usize, x: &mut [f32]) {
    let tid = block_dim_x() * block_idx_x() + thread_idx_x();
    if tid % 2 == 0 {
        x[tid] = 1.0;
    } else if tid % 3 == 0 {
        x[n - 1 - tid] = 1.0;
    }
}

#[kernel(requires(grid_dim_x() * block_dim_x() == x.len()))]
fn narrow_threads(x: &mut [f32]) {
    let tid = (block_idx_x() * block_dim_x() + thread_idx_x()) as u32;
    if tid % 2 == 0 {
        x[tid as usize] = 1.0;
    }
    if tid & 3 == 0 {
        x[tid as usize] = 2.0;
    }
}

#[kernel(requires(grid_dim_x() * block_dim_x() == x.len()))]
fn narrow_parts(x: &mut [f32]) {
    let tid = block_idx_x() as u32 * block_dim_x() as u32 + thread_idx_x() as u32;
    if tid % 2 == 0 {
        x[tid as usize] = 1.0;
    }
}

#[kernel(requires(grid_dim_x() * block_dim_x() * 2 <= x.len()))]
fn two_each(x: &mut [f32]) {
    let tid = block_idx_x() * block_dim_x() + thread_idx_x();
    if tid % 2 == 0 {
        x[2 * tid] = 1.0;
        x[2 * tid + 1] = 1.0;
    }
}

#[kernel(requires(grid_dim_x() * block_dim_x() * 2 <= x.len()))]
fn two_blocks_each(x: &mut [f32]) {
    let i = block_idx_x() * block_dim_x() * 2 + thread_idx_x();
    if i % 2 == 0 {
        x[i] = 1.0;
    }
    x[i + block_dim_x()] = 2.0;
    x[block_idx_x() * (2 * block_dim_x()) + thread_idx_x() + block_dim_x()] += 2.0;
}

#[kernel(requires(grid_dim_x() * block_dim_x() == x.len(), y.len() == grid_dim_x()))]
fn one_a_block(x: &[f32], y: &mut [f32]) {
    let tid = block_idx_x() * block_dim_x() + thread_idx_x();
    if thread_idx_x() == 0 {
        y[block_idx_x()] = x[tid];
    }
    if thread_idx_x() % 32 == 0 {
        y[tid / block_dim_x()] += x[tid];
    }
}

#[kernel(requires(x.len() >= grid_dim_x() * block_dim_x() * grid_dim_y() * block_dim_y()))]
fn a_grid_of_two_axes(x: &mut [f32]) {
    let c = block_idx_x() * block_dim_x() + thread_idx_x();
    let r = block_idx_y() * block_dim_y() + thread_idx_y();
    let w = grid_dim_x() * block_dim_x();
    x[r * w + c] = 1.0;
    if c % 2 == 0 {
        x[r * w + c] = 2.0;
    }
    x[r * (grid_dim_x() * block_dim_x()) + global_idx_x()] = 3.0;
}

#[kernel(requires(w >= grid_dim_x() * block_dim_x(), h >= grid_dim_y() * block_dim_y(),
    w * h <= x.len()))]
fn rows_and_columns_of_a_grid(w: usize, h: usize, x: &mut [f32]) {
    let c = block_idx_x() * block_dim_x() + thread_idx_x();
    let r = block_idx_y() * block_dim_y() + thread_idx_y();
    x[r * w + c] = 1.0;
    if (r + c) % 2 == 0 {
        x[r * w + c] = 2.0;
    }
}

#[kernel(requires(x.len() >= n, y.len() >= n))]
fn a_grid_stride(n: usize, x: &[f32], y: &mut [f32]) {
    let mut i = block_idx_x() * block_dim_x() + thread_idx_x();
    let stride = grid_dim_x() * block_dim_x();
    while i < n {
        y[i] = x[i];
        i += stride;
    }
    for i in (global_idx_x()..n).step_by(stride) {
        y[i] += x[i];
    }
}

#[kernel(requires(x.len() >= n, y.len() >= n))]
fn early_return(n: usize, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if !(i < n) {
        return;
    }
    y[i] = x[i];
    if i + 1 >= n {
        return;
    }
    y[i + 1] = x[i + 1];
}

#[kernel(requires(x.len() >= n, y.len() >= n))]
fn early_return_one_off(n: usize, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i > n {
        return;
    }
    y[i] = x[i]; //~ stays
}

#[kernel(requires(x.len() == y.len()))]
fn the_smaller_index(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if x.len() == 0 {
        return;
    }
    let last = x.len() - 1;
    y[i.min(last)] = x[i.min(x.len() - 1)];
    y[i.clamp(0, last)] = x[if i > last { last } else { i }];
    y[i % x.len()] = x[(i + 1) % y.len()];
}

#[kernel]
fn checked_arithmetic(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if let Some(before) = i.checked_sub(1) {
        if i < y.len() && i < x.len() {
            y[i] = x[before];
        }
    }
    if let Some(at) = i.checked_mul(4) {
        if at + 3 < x.len() && i < y.len() {
            y[i] += x[at] + x[at + 3];
        }
    }
}

#[kernel(requires(x.len() % 4 == 0, x.len() / 4 <= y.len()))]
fn four_for_one(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() / 4 {
        y[i] = x[4 * i] + x[4 * i + 1] + x[4 * i + 2] + x[4 * i + 3];
    }
}

#[kernel(requires(stride >= 1, n * stride <= x.len(), n <= y.len()))]
fn a_stride(n: usize, stride: usize, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < n {
        y[i] = x[i * stride] + x[i * stride + stride - 1] + x[i * stride + (stride - 1)];
    }
}

#[kernel(requires(n * stride <= x.len(), n <= y.len()))]
fn a_stride_one_too_far(n: usize, stride: usize, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < n {
        y[i] = x[i * stride]; //~ stays
        y[i] += x[i * stride + stride]; //~ stays
    }
}

#[kernel(requires(rows * pitch <= x.len(), columns <= pitch, rows * columns <= y.len()))]
fn a_pitch(rows: usize, columns: usize, pitch: usize, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < rows * columns {
        let (r, c) = (i / columns, i % columns);
        y[i] = x[r * pitch + c];
    }
}

#[kernel(requires(w * h * 3 <= x.len(), w * h <= y.len()))]
fn three_channels(w: usize, h: usize, x: &[u8], y: &mut [u8]) {
    let (c, r) = (global_idx_x(), global_idx_y());
    if c < w && r < h {
        let at = (r * w + c) * 3;
        y[r * w + c] = x[at] / 3 + x[at + 1] / 3 + x[at + 2] / 3;
    }
}

#[kernel(requires(w as usize * h as usize * channels as usize <= x.len()))]
fn any_channels(w: u32, h: u32, channels: u32, x: &mut [u8]) {
    let (c, r) = (global_idx_x() as u32, global_idx_y() as u32);
    if c < w && r < h {
        for channel in 0..channels {
            let at = (r as usize * w as usize + c as usize) * channels as usize + channel as usize;
            x[at] = 0;
        }
    }
}

#[kernel(requires(w * h * 3 <= x.len()))]
fn four_channels_of_three(w: usize, h: usize, x: &mut [u8]) {
    let (c, r) = (global_idx_x(), global_idx_y());
    if c < w && r < h {
        x[(r * w + c) * 3 + 3] = 1; //~ stays
        x[(r * w + c) * 4] = 1; //~ stays
    }
}

#[kernel(requires(n * n <= x.len(), n * n <= y.len()))]
fn lower_triangle(n: usize, x: &[f32], y: &mut [f32]) {
    let r = global_idx_x();
    if r < n {
        for c in 0..=r {
            y[r * n + c] = x[c * n + r];
        }
        for c in r + 1..n {
            y[r * n + c] = x[c * n + r];
        }
    }
}

#[kernel(requires(k <= n, x.len() >= n, y.len() >= n - k))]
fn a_window(n: usize, k: usize, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < n - k {
        let mut sum = 0.0;
        for j in 0..k {
            sum += x[i + j];
        }
        y[i] = sum + x[i + k];
    }
}

#[kernel(requires(taps % 2 == 1, x.len() == n, y.len() == n, w.len() >= taps))]
fn a_filter(n: usize, taps: usize, x: &[f32], w: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let half = taps / 2;
    if i < n {
        let mut sum = 0.0;
        for j in 0..taps {
            let at = i + j;
            if at >= half && at - half < n {
                sum += w[j] * x[at - half];
            }
        }
        y[i] = sum;
    }
}

#[kernel(requires(rows + 1 <= start.len(), rows <= y.len()))]
fn rows_of_a_sparse_matrix(rows: usize, start: &[u32], x: &[f32], y: &mut [f32]) {
    let r = global_idx_x();
    if r < rows {
        let mut sum = 0.0;
        for k in start[r]..start[r + 1] {
            sum += x[k as usize]; //~ stays
        }
        y[r] = sum;
    }
}

#[kernel(requires(batch * n * m <= x.len(), batch * m <= y.len()))]
fn batches(batch: usize, n: usize, m: usize, x: &[f32], y: &mut [f32]) {
    let (c, b) = (global_idx_x(), block_idx_y());
    if c < m && b < batch {
        let mut sum = 0.0;
        for r in 0..n {
            sum += x[b * n * m + r * m + c];
            sum += x[(b * n + r) * m + c];
        }
        y[b * m + c] = sum;
    }
}

crate::kernels![
    every_other_thread,
    every_other_thread_beside_a_guard,
    the_next_thread,
    the_next_thread_of_an_even_block,
    a_third_of_the_threads,
    exact_in_a_parameter,
    narrow_threads,
    narrow_parts,
    two_each,
    two_blocks_each,
    one_a_block,
    a_grid_of_two_axes,
    rows_and_columns_of_a_grid,
    a_grid_stride,
    early_return,
    early_return_one_off,
    the_smaller_index,
    checked_arithmetic,
    four_for_one,
    a_stride,
    a_stride_one_too_far,
    a_pitch,
    three_channels,
    any_channels,
    four_channels_of_three,
    lower_triangle,
    a_window,
    a_filter,
    rows_of_a_sparse_matrix,
    batches,
];
