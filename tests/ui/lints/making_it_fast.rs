//! The kernels of `docs/making-it-fast.md` that are slow.
#![deny(warnings)]
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

#[kernel(block = 256)]
fn serial(x: &[u32], total: &[AtomicU32]) {
    if global_idx_x() == 0 {
        let mut sum = 0;
        for i in 0..x.len() {
            sum += x[i];
        }
        total[0].fetch_add(sum, Ordering::Relaxed);
    }
}

#[kernel(block = 256)]
fn chunks(x: &[u32], total: &[AtomicU32]) {
    let first = global_idx_x() * 64;
    let mut sum = 0;
    for k in 0..64 {
        if first + k < x.len() {
            sum += x[first + k];
        }
    }
    total[0].fetch_add(sum, Ordering::Relaxed);
}

fn main() {}
