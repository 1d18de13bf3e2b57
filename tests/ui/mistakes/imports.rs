//! Names without an import.
#![allow(unused)]
use warpwise::{kernel, thread_idx_x};

#[kernel]
fn missing_import(x: &mut [f32]) {
    let i = global_idx_x();
    x[i] = 1.0;
}

#[kernel]
fn missing_import_sync(x: &mut [f32]) {
    sync_threads();
    x[0] = 1.0;
}

#[kernel(block = 32)]
fn missing_import_shared(x: &mut [f32]) {
    let t = shared!([f32; 32]);
    t[thread_idx_x()] = 1.0;
    x[0] = t[0];
}

#[kernel]
fn missing_import_warp(x: &mut [f32]) {
    x[0] = warp::sum(1.0f32);
}

fn main() {}
