//! Warps that stay together, or part for little. Silent are `gpu_divergent_branches`, `gpu_divergent_loops`,
//! `gpu_divergent_matches` and `gpu_serial_sections`.
#![deny(warnings)]
use warpwise::prelude::*;

#[device]
fn newton(x: f32) -> f32 {
    let mut root = x + 1.0;
    for _ in 0..12 {
        root = 0.5 * (root + x / (root * root + 1.0));
    }
    root
}

#[kernel(block = 256)]
fn every_other_warp(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let v = x[i];
    if thread_idx_x() / 32 % 2 == 0 {
        y[i] = newton(v);
    } else {
        y[i] = newton(newton(v));
    }
}

#[kernel(block = 256)]
fn roles_of_warps(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let v = x[i];
    match thread_idx_x() / 32 {
        0 => y[i] = newton(v),
        1 => y[i] = newton(newton(v)),
        2 => y[i] = newton(v) + 1.0,
        _ => y[i] = newton(v + 1.0),
    }
}

#[kernel(block = 256, warn(gpu_divergent_loops))]
fn as_often_as_the_warp(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let mut v = x[i];
    for _ in 0..thread_idx_x() / 32 {
        v = newton(v);
    }
    y[i] = v;
}

#[kernel(block = 256)]
fn one_writes_the_sum(x: &[f32], y: &mut [f32]) {
    let sum = block::reduce_add(x[global_idx_x()]);
    if thread_idx_x() == 0 {
        y[block_idx_x()] = sum;
    }
}

fn main() {}
