//! Lanes that wait for each other, and one that works alone.
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

#[device]
fn polynomial(x: f32) -> f32 {
    let mut sum = 0.0;
    for k in 0..16 {
        sum = sum * x + k as f32;
    }
    sum
}

#[kernel(block = 256)]
fn every_other_lane(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let v = x[i];
    if thread_idx_x() % 2 == 0 {
        y[i] = polynomial(v);
    } else {
        y[i] = newton(v);
    }
}

#[kernel(block = 256)]
fn four_roles_a_warp(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let v = x[i];
    match thread_idx_x() % 4 {
        0 => y[i] = polynomial(v),
        1 => y[i] = newton(v),
        2 => y[i] = newton(polynomial(v)),
        _ => y[i] = polynomial(newton(v)),
    }
}

#[kernel(block = 256, warn(gpu_divergent_loops))]
fn as_often_as_the_lane(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let mut v = x[i];
    for _ in 0..thread_idx_x() & 31 {
        v = newton(v);
    }
    y[i] = v;
}

#[kernel(block = 256)]
fn one_adds_up(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let sums = shared!([f32; 256]);
    sums[t] = x[global_idx_x()];
    sync_threads();
    if t == 0 {
        let mut sum = 0.0;
        for k in 0..256 {
            sum += sums[k];
        }
        y[block_idx_x()] = sum;
    }
}

fn main() {}
