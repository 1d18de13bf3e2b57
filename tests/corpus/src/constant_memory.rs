//! Words of constant memory that lanes share, and words that they do not.
use warpwise::prelude::*;

#[kernel(block = 256)]
fn a_word_for_each_lane(#[constant] taps: &[f32; 64], x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        y[i] = x[i] * taps[i % 64]; //~ gpu_divergent_constant_reads "32 different words"
    }
}

#[kernel(block = (16, 16))]
fn a_word_for_each_column(#[constant] row: &[f32; 16], y: &mut [f32]) {
    let i = global_idx_y() * 512 + global_idx_x();
    if i < y.len() {
        y[i] = row[thread_idx_x()]; //~ gpu_divergent_constant_reads "16 different words"
    }
}

#[kernel(block = (16, 16))]
fn a_word_for_each_row(#[constant] column: &[f32; 16], y: &mut [f32]) {
    let i = global_idx_y() * 512 + global_idx_x();
    if i < y.len() {
        y[i] = column[thread_idx_y()];
    }
}

#[kernel(block = 256)]
fn a_polynomial(#[constant] factors: &[f32; 16], x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        let mut sum = 0.0;
        for k in 0..16 {
            sum = sum * x[i] + factors[k];
        }
        y[i] = sum;
    }
}

/// Only the data tell which words the lanes read.
#[kernel(block = 256)]
fn colors(#[constant] palette: &[u32; 256], gray: &[u8], y: &mut [u32]) {
    let i = global_idx_x();
    if i < gray.len() && i < y.len() {
        y[i] = palette[gray[i] as usize];
    }
}

#[kernel(block = 256)]
fn a_polynomial_in_a_buffer(
    factors: &[f32; 16], //~ gpu_constant_candidates "64 bytes"
    x: &[f32],
    y: &mut [f32],
) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        let mut sum = 0.0;
        for k in 0..16 {
            sum = sum * x[i] + factors[k];
        }
        y[i] = sum;
    }
}

crate::corpus![
    a_word_for_each_lane,
    a_word_for_each_column,
    a_word_for_each_row,
    a_polynomial,
    colors,
    a_polynomial_in_a_buffer,
];
