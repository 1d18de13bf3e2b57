//! Branches, matches and loops at which the lanes of a warp part, and those at which they do not.
use warpwise::prelude::*;

/// Too much work to be computed for both sides of a branch.
#[device]
fn polynomial(x: f32) -> f32 {
    let mut sum = 1.0;
    let mut power = x;
    for k in 1..12 {
        sum += power / k as f32;
        power *= x + sum;
    }
    sum
}

/// As much work, of another kind.
#[device]
fn newton(x: f32) -> f32 {
    let mut root = x + 1.0;
    for _ in 0..12 {
        root = 0.5 * (root + x / (root * root + 1.0));
    }
    root
}

// Divergence by thread against divergence by warp.

#[kernel(block = 256)]
fn every_other_thread(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && i < x.len() {
        let v = x[i];
        if thread_idx_x() % 2 == 0 { //~ gpu_divergent_branches "16 of 32 lanes"
            y[i] = polynomial(v);
        } else {
            y[i] = newton(v);
        }
    }
}

#[kernel(block = 256)]
fn every_other_warp(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && i < x.len() {
        let v = x[i];
        if thread_idx_x() / 32 % 2 == 0 {
            y[i] = polynomial(v);
        } else {
            y[i] = newton(v);
        }
    }
}

#[kernel(block = 128)]
fn by_a_bit_of_the_thread(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && i < x.len() {
        let v = x[i];
        y[i] = if thread_idx_x() & 1 == 1 { newton(v) } else { polynomial(v) }; //~ gpu_divergent_branches
    }
}

#[kernel(block = 128)]
fn by_the_warp_id(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && i < x.len() {
        let v = x[i];
        y[i] = if warp::warp_id() & 1 == 1 { newton(v) } else { polynomial(v) };
    }
}

#[kernel(block = 256)]
fn by_half_warps(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let i = global_idx_x();
    if i < y.len() && i < x.len() {
        let v = x[i];
        if (t >> 4) & 1 == 0 { //~ gpu_divergent_branches "16 of 32 lanes"
            y[i] = polynomial(v);
        } else {
            y[i] = newton(v);
        }
    }
}

#[kernel(block = 256)]
fn by_the_lane(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && i < x.len() {
        let v = x[i];
        if warp::lane_id() < 8 { //~ gpu_divergent_branches "8 of 32 lanes"
            y[i] = polynomial(v);
        } else {
            y[i] = newton(v);
        }
    }
}

#[kernel(block = 256)]
fn by_the_parity_of_the_global_index(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && i < x.len() {
        let v = x[i];
        if i % 2 == 0 { //~ gpu_divergent_branches
            y[i] = polynomial(v);
        } else {
            y[i] = newton(v);
        }
    }
}

#[kernel(block = 256)]
fn by_the_block(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && i < x.len() {
        let v = x[i];
        if block_idx_x() % 2 == 0 {
            y[i] = polynomial(v);
        } else {
            y[i] = newton(v);
        }
    }
}

#[kernel(block = 256)]
fn by_a_parameter(mode: u32, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && i < x.len() {
        let v = x[i];
        if mode > 3 {
            y[i] = polynomial(v);
        } else {
            y[i] = newton(v);
        }
    }
}

#[kernel(block = 256)]
fn by_what_one_cell_says(flag: &[u32], x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && i < x.len() && !flag.is_empty() {
        let v = x[i];
        if flag[0] == 1 {
            y[i] = polynomial(v);
        } else {
            y[i] = newton(v);
        }
    }
}

#[kernel(block = 256)]
fn halves_of_the_block(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && i < x.len() {
        let v = x[i];
        if thread_idx_x() < 128 {
            y[i] = polynomial(v);
        } else {
            y[i] = newton(v);
        }
    }
}

#[kernel(block = 256)]
fn a_cut_through_one_warp_of_eight(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && i < x.len() {
        let v = x[i];
        if thread_idx_x() < 100 {
            y[i] = polynomial(v);
        } else {
            y[i] = newton(v);
        }
    }
}

#[kernel(block = 256)]
fn a_choice_that_is_a_select(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && i < x.len() {
        y[i] = if thread_idx_x() % 2 == 0 { x[i] } else { -x[i] };
    }
}

#[kernel(block = 256)]
fn a_sign_by_parity(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && i < x.len() {
        let mut v = x[i];
        if i & 1 == 1 {
            v = -v;
        }
        y[i] = 2.0 * v;
    }
}

#[kernel(block = 256)]
fn the_leader_writes(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let v = if i < x.len() { x[i] } else { 0.0 };
    let sum = warp::reduce_add(v);
    if warp::lane_id() == 0 && i / 32 < y.len() {
        y[i / 32] = sum;
    }
}

#[kernel(block = 256)]
fn the_first_thread_of_the_block_writes(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let v = if i < x.len() { x[i] } else { 0.0 };
    let sum = block::reduce_add(v);
    if thread_idx_x() == 0 && block_idx_x() < y.len() {
        y[block_idx_x()] = sum;
    }
}

#[kernel(block = 256)]
fn a_guard_by_return(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i >= y.len() || i >= x.len() {
        return;
    }
    y[i] = polynomial(x[i]);
}

#[kernel(block = (32, 8))]
fn a_guard_in_two_dimensions(width: usize, height: usize, x: &[f32], y: &mut [f32]) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if column < width && row < height {
        let i = row * width + column;
        y[i] = newton(x[i]);
    }
}

#[kernel(block = 256)]
fn data_decides_the_side(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && i < x.len() {
        let v = x[i];
        y[i] = if v > 0.0 { v } else { 0.01 * v };
    }
}

#[kernel(block = 256)]
fn warps_have_roles(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i >= y.len() || i >= x.len() {
        return;
    }
    let v = x[i];
    match thread_idx_x() / 32 {
        0 => y[i] = polynomial(v),
        1 => y[i] = newton(v),
        2 => y[i] = newton(polynomial(v)),
        _ => y[i] = polynomial(newton(v)),
    }
}

#[kernel(block = 256)]
fn lanes_have_roles(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i >= y.len() || i >= x.len() {
        return;
    }
    let v = x[i];
    match thread_idx_x() % 4 { //~ gpu_divergent_matches
        0 => y[i] = polynomial(v),
        1 => y[i] = newton(v),
        2 => y[i] = newton(polynomial(v)),
        _ => y[i] = polynomial(newton(v)),
    }
}

#[kernel(block = 128)]
fn three_kinds_side_by_side(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i >= y.len() || i >= x.len() {
        return;
    }
    let v = x[i];
    y[i] = match i % 3 { //~ gpu_divergent_matches
        0 => polynomial(v),
        1 => newton(v),
        _ => polynomial(newton(v)),
    };
}

#[kernel(block = 128)]
fn light_arms(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i >= y.len() || i >= x.len() {
        return;
    }
    let v = x[i];
    y[i] = match i % 3 {
        0 => v,
        1 => v + 1.0,
        _ => -v,
    };
}

#[kernel(block = 256)]
fn nested_by_bits(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i >= y.len() || i >= x.len() {
        return;
    }
    let (t, v) = (thread_idx_x(), x[i]);
    if t & 1 == 0 { //~ gpu_divergent_branches "16 of 32 lanes"
        if t & 2 == 0 { //~ gpu_divergent_branches
            y[i] = polynomial(v);
        } else {
            y[i] = newton(v);
        }
    } else if t & 4 == 0 { //~ gpu_divergent_branches
        y[i] = polynomial(newton(v));
    } else {
        y[i] = newton(polynomial(v));
    }
}

// Loops.

#[kernel(block = 256)]
fn as_many_rounds_as_the_lane(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i >= y.len() || i >= x.len() {
        return;
    }
    let mut v = x[i];
    for _ in 0..thread_idx_x() & 31 { //~ gpu_divergent_loops
        v = newton(v);
    }
    y[i] = v;
}

#[kernel(block = 256)]
fn as_many_rounds_as_the_warp(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i >= y.len() || i >= x.len() {
        return;
    }
    let mut v = x[i];
    for _ in 0..thread_idx_x() >> 5 {
        v = newton(v);
    }
    y[i] = v;
}

#[kernel(block = 256)]
fn one_thread_a_row(starts: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32]) {
    let row = global_idx_x();
    if row >= y.len() || row + 1 >= starts.len() {
        return;
    }
    let mut sum = 0.0;
    for k in starts[row] as usize..starts[row + 1] as usize { //~ gpu_divergent_loops
        //~^ gpu_misaligned_accesses
        sum += values[k] * x[columns[k] as usize];
    }
    y[row] = sum;
}

#[kernel(block = 256)]
fn one_warp_a_row(starts: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32]) {
    let row = global_idx_x() / 32;
    if row >= y.len() || row + 1 >= starts.len() {
        return;
    }
    let mut sum = 0.0;
    for k in (starts[row] as usize + warp::lane_id()..starts[row + 1] as usize).step_by(32) {
        sum += values[k] * x[columns[k] as usize];
    }
    let sum = warp::reduce_add(sum);
    if warp::lane_id() == 0 {
        y[row] = sum;
    }
}

#[kernel(block = 256)]
fn a_grid_stride_loop(a: f32, x: &[f32], y: &mut [f32]) {
    let n = x.len().min(y.len());
    for i in (global_idx_x()..n).step_by(block_dim_x() * grid_dim_x()) {
        y[i] = a * x[i] + y[i];
    }
}

#[kernel(block = 256)]
fn a_block_stride_loop(x: &[f32], y: &mut [f32]) {
    let mut sum = 0.0;
    let mut i = thread_idx_x();
    while i < x.len() {
        sum += x[i];
        i += 256;
    }
    let sum = block::reduce_add(sum);
    if thread_idx_x() == 0 && block_idx_x() < y.len() {
        y[block_idx_x()] = sum;
    }
}

#[kernel(block = (16, 16))]
fn until_it_escapes(width: usize, height: usize, counts: &mut [u32]) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if column >= width || row >= height {
        return;
    }
    let (a, b) = (column as f32 / width as f32 - 0.5, row as f32 / height as f32 - 0.5);
    let (mut x, mut y, mut n) = (0.0f32, 0.0f32, 0u32);
    while x * x + y * y < 4.0 && n < 256 { //~ gpu_divergent_loops
        (x, y) = (x * x - y * y + a, 2.0 * x * y + b);
        n += 1;
    }
    counts[row * width + column] = n;
}

// One thread works while the others wait.

#[kernel(block = 256)]
fn the_first_thread_adds_up(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let sums = shared!([f32; 256]);
    let i = global_idx_x();
    sums[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    if t == 0 && block_idx_x() < y.len() { //~ gpu_serial_sections
        let mut sum = 0.0;
        for k in 0..256 {
            sum += sums[k];
        }
        y[block_idx_x()] = sum;
    }
}

#[kernel(block = 256)]
fn one_thread_fills_the_table(table: &[f32], x: &[f32], y: &mut [f32]) {
    let weights = shared!([f32; 64]);
    if thread_idx_x() == 0 { //~ gpu_serial_sections
        for k in 0..64 {
            weights[k] = table[k];
        }
    }
    sync_threads();
    let i = global_idx_x();
    if i < y.len() && i < x.len() {
        y[i] = x[i] * weights[i % 64];
    }
}

#[kernel(block = 256)]
fn all_threads_fill_the_table(table: &[f32], x: &[f32], y: &mut [f32]) {
    let weights = shared!([f32; 64]);
    let t = thread_idx_x();
    if t < 64 {
        weights[t] = table[t];
    }
    sync_threads();
    let i = global_idx_x();
    if i < y.len() && i < x.len() {
        y[i] = x[i] * weights[i % 64];
    }
}

#[kernel(block = 256)]
fn the_first_thread_finds_the_nth(n: usize, x: &[f32], y: &mut [f32]) {
    let found = shared!([f32; 2]);
    if thread_idx_x() == 0 {
        found[0] = x.iter().rev().nth(n).copied().unwrap_or(0.0);
        found[1] = x.chunks_exact(4).rev().nth(n).map_or(0.0, |chunk| chunk[1]);
    }
    sync_threads();
    let i = global_idx_x();
    if i < y.len() && i < x.len() {
        y[i] = x[i] * found[0] + found[1];
    }
}

#[kernel(block = 256)]
fn the_first_thread_sets_one_value(scale: f32, x: &[f32], y: &mut [f32]) {
    let factor = shared!([f32; 1]);
    if thread_idx_x() == 0 {
        factor[0] = scale * 0.5 + 1.0;
    }
    sync_threads();
    let i = global_idx_x();
    if i < y.len() && i < x.len() {
        y[i] = x[i] * factor[0];
    }
}

#[kernel(block = 32)]
fn fewer_and_fewer_lanes_of_one_warp(x: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 32]);
    tile[t] = x[global_idx_x()];
    sync_threads();
    let mut stride = 16;
    while stride > 0 {
        if t < stride {
            let above = tile[t + stride];
            tile[t] = (tile[t] + above).sqrt() + above / (tile[t] + 1.0);
        }
        sync_threads();
        stride /= 2;
    }
    x[global_idx_x()] = tile[t];
}

crate::corpus![
    every_other_thread,
    every_other_warp,
    by_a_bit_of_the_thread,
    by_the_warp_id,
    by_half_warps,
    by_the_lane,
    by_the_parity_of_the_global_index,
    by_the_block,
    by_a_parameter,
    by_what_one_cell_says,
    halves_of_the_block,
    a_cut_through_one_warp_of_eight,
    a_choice_that_is_a_select,
    a_sign_by_parity,
    the_leader_writes,
    the_first_thread_of_the_block_writes,
    a_guard_by_return,
    a_guard_in_two_dimensions,
    data_decides_the_side,
    warps_have_roles,
    lanes_have_roles,
    three_kinds_side_by_side,
    light_arms,
    nested_by_bits,
    as_many_rounds_as_the_lane,
    as_many_rounds_as_the_warp,
    one_thread_a_row,
    one_warp_a_row,
    a_grid_stride_loop,
    a_block_stride_loop,
    until_it_escapes,
    the_first_thread_adds_up,
    one_thread_fills_the_table,
    all_threads_fill_the_table,
    the_first_thread_finds_the_nth,
    the_first_thread_sets_one_value,
    fewer_and_fewer_lanes_of_one_warp,
];
