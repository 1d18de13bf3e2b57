//! Warps that move more sectors than they must.
#![deny(warnings)]
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Point {
    x: f32,
    y: f32,
    z: f32,
}

#[kernel(block = 256)]
fn every_eighth(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    y[i] = x[8 * i];
}

#[kernel(block = 256)]
fn stretches(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let mut sum = 0.0;
    for k in 0..64 {
        sum += x[i * 64 + k];
    }
    y[i] = sum;
}

#[kernel(block = (32, 8))]
fn swapped(pitch: usize, x: &mut [f32]) {
    x[global_idx_x() * pitch + global_idx_y()] = 1.0;
}

#[kernel]
fn one_field(points: &[Point], y: &mut [f32]) {
    let i = global_idx_x();
    y[i] = points[i].x;
}

#[kernel(block = 256, warn(gpu_misaligned_accesses))]
fn shifted(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    y[i] = x[i + 1];
}

#[kernel(block = 256)]
fn contended(x: &[u32], total: &[AtomicU32]) {
    total[0].fetch_add(x[global_idx_x()], Ordering::Relaxed);
}

#[kernel(block = 256)]
fn local(x: &[u32], y: &mut [u32]) {
    let mut counts = [0; 8];
    for k in 0..16 {
        counts[(x[k] % 8) as usize] += 1;
    }
    y[global_idx_x()] = counts[0];
}

fn main() {}
