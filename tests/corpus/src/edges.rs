//! Indices of the first threads, and of the last.
use warpwise::prelude::*;

#[kernel(block = 256)]
fn the_element_before(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        y[i] = x[i] - x[i - 1]; //~ gpu_negative_indices "is -1 in the first thread of the grid"
        //~^ gpu_misaligned_accesses
    }
}

#[kernel(block = 128)]
fn the_cell_before(x: &[f32], y: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([f32; 128]);
    s[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    let v = s[t] - s[t - 1]; //~ gpu_negative_indices "is -1 in the first thread of a block"
    if i < y.len() {
        y[i] = v;
    }
}

#[kernel(block = 128)]
fn eight_cells_before(x: &[f32], y: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([f32; 128]);
    s[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    let v = s[t - 8]; //~ gpu_negative_indices "is -8"
    if i < y.len() {
        y[i] = v;
    }
}

#[kernel(block = 128)]
fn the_first_iteration(x: &[f32], y: &mut [f32], n: usize) {
    let i = global_idx_x();
    let mut acc = 0.0;
    for q in 0..n {
        acc += x[i + q - 1]; //~ gpu_negative_indices
    }
    if i < y.len() {
        y[i] = acc;
    }
}

#[kernel(block = (32, 8))]
fn a_guard_for_each_axis(x: &[f32], y: &mut [f32], width: usize, height: usize) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if column < width && row < height {
        y[row * width + column] = x[row * width + column];
    }
}

#[kernel(block = 256)]
fn signed_and_wrapped(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let before = i as i32 - 2;
    if i < y.len() {
        y[i] = x[before as usize]; //~ gpu_negative_indices "is -2"
        //~^ gpu_misaligned_accesses
    }
}

#[kernel(block = 256)]
fn guarded(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i > 0 && i < x.len() && i < y.len() {
        y[i] = x[i] - x[i - 1]; //~ gpu_misaligned_accesses
    }
}

#[kernel(block = 256)]
fn left_before(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < 4 || i >= x.len() || i >= y.len() {
        return;
    }
    y[i] = x[i] - x[i - 4]; //~ gpu_misaligned_accesses
}

#[kernel(block = 256)]
fn clamped(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        y[i] = x[i] - x[i.saturating_sub(1)];
    }
}

#[kernel(block = 256)]
fn chosen(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        let before = if i == 0 { 0 } else { i - 1 };
        y[i] = x[i] - x[before];
    }
}

#[kernel(block = 256)]
fn around_the_end(x: &[f32], y: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([f32; 256]);
    s[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    let v = s[(t - 1) & 255] + s[(t + 255) % 256];
    if i < y.len() {
        y[i] = v;
    }
}

#[kernel(block = 256)]
fn compared_as_it_is(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let before = i.wrapping_sub(1);
    if before < x.len() && i < y.len() {
        y[i] = x[before]; //~ gpu_misaligned_accesses
    }
}

#[kernel(block = 256)]
fn not_in_the_first_iteration(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let mut acc = 0.0;
    for q in 0..16 {
        if q > 0 {
            acc += x[q - 1];
        }
    }
    if i < y.len() {
        y[i] = acc;
    }
}

#[kernel(block = 256)]
fn an_offset_of_the_launch(x: &[f32], y: &mut [f32], behind: usize) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = x[i + behind - 1];
    }
}

#[kernel(block = 256)]
fn not_in_the_first_block(x: &[f32], y: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    if block_idx_x() > 0 && i < y.len() {
        y[i] = x[i - 1 - t];
    }
}

#[kernel(block = 256)]
fn rows_of_four_thousand(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = x[((i as u32) * 4096) as usize]; //~ gpu_index_overflows "from thread 1048576 on"
        //~^ gpu_uncoalesced_accesses
    }
}

#[kernel(block = 256)]
fn rows_in_usize(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = x[i * 4096]; //~ gpu_uncoalesced_accesses
    }
}

#[kernel(block = 256)]
fn elements_in_u32(x: &[f32], y: &mut [f32]) {
    let i = (block_idx_x() as u32 * 256 + thread_idx_x() as u32) as usize;
    if i < x.len() && i < y.len() {
        y[i] = x[i];
    }
}

#[kernel(block = 256)]
fn few_rows(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < 1_000_000 && i < y.len() {
        y[i] = x[((i as u32) * 4096) as usize]; //~ gpu_uncoalesced_accesses
    }
}

crate::corpus![
    the_element_before,
    the_cell_before,
    eight_cells_before,
    the_first_iteration,
    a_guard_for_each_axis,
    signed_and_wrapped,
    guarded,
    left_before,
    clamped,
    chosen,
    around_the_end,
    compared_as_it_is,
    not_in_the_first_iteration,
    an_offset_of_the_launch,
    not_in_the_first_block,
    rows_of_four_thousand,
    rows_in_usize,
    elements_in_u32,
    few_rows,
];
