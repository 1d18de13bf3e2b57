//! Checks that stay where none may.
use warpwise::prelude::*;

#[kernel(deny_checks)]
fn other_length(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = x[i];
    }
}

#[kernel(deny_checks)]
fn unguarded(x: &[f32], y: &mut [f32]) {
    y[global_idx_x()] = x[0];
}

#[kernel(deny_checks)]
fn image(width: usize, height: usize, image: &mut [u8]) {
    let (x, y) = (global_idx_x(), global_idx_y());
    if x < width && y < height {
        image[y * width + x] = 0;
    }
}

#[kernel(deny_checks)]
fn from_memory(at: &[u32], x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && i < at.len() {
        y[i] = x[at[i] as usize];
    }
}

#[kernel(deny_checks)]
fn divided(n: usize, x: &mut [usize]) {
    let i = global_idx_x();
    if i < x.len() {
        x[i] = i / n;
    }
}

#[kernel(deny_checks)]
fn part(n: usize, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = x[..n].iter().sum();
    }
}

#[kernel(deny_checks, overflow_checks)]
fn overflowing(n: u32, x: &mut [u32]) {
    let i = global_idx_x();
    if i < x.len() {
        x[i] = n + 1;
    }
}

fn main() {}
