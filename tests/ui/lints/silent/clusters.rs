//! Clusters whose accesses are ordered. Silent is `gpu_missing_cluster_syncs`.
#![deny(warnings)]
use std::sync::atomic::{AtomicU32, Ordering};
use warpwise::prelude::*;

#[kernel(block = 64, cluster = 2)]
fn exchange(x: &[f32], y: &mut [f32]) {
    let own = shared!([f32; 64]);
    let (i, t) = (global_idx_x(), thread_idx_x());
    own[t] = x[i];
    cluster::sync();
    y[i] = cluster::map_shared_rank(own, 1 - cluster::block_rank())[63 - t];
    cluster::sync();
}

/// The barrier at the end of an iteration is before the next one.
#[kernel(block = 64, cluster = 2)]
fn rounds(rounds: u32, x: &mut [f32]) {
    let (own, next) = (shared!([f32; 64]), 1 - cluster::block_rank());
    let (i, t) = (global_idx_x(), thread_idx_x());
    // The other block has started.
    cluster::sync();
    for _ in 0..rounds {
        cluster::map_shared_rank_mut(own, next)[t] = x[i];
        cluster::sync();
        x[i] = own[63 - t];
        cluster::sync();
    }
}

/// The flag of another block says that it has started, and written.
#[kernel(block = 32, cluster = 2)]
fn flags(y: &mut [u32]) {
    let (ready, done) = (shared!([AtomicU32; 1]), shared!([AtomicU32; 1]));
    let number = shared!([u32; 1]);
    if thread_idx_x() == 0 {
        number[0] = block_idx_x() as u32;
        ready[0].store(1, Ordering::Release);
    }
    cluster::sync();
    if thread_idx_x() == 0 {
        let next = 1 - cluster::block_rank();
        if cluster::map_shared_rank(ready, next)[0].load(Ordering::Acquire) == 1 {
            y[block_idx_x()] = cluster::map_shared_rank(number, next)[0];
        }
        cluster::map_shared_rank(done, next)[0].store(1, Ordering::Release);
    }
    cluster::sync();
}

/// The programmer knows better.
#[allow(gpu_missing_cluster_syncs)]
#[kernel(block = 32, cluster = 2)]
fn allowed(y: &mut [u32]) {
    let own = shared!([u32; 32]);
    own[thread_idx_x()] = 1;
    y[global_idx_x()] = cluster::map_shared_rank(own, cluster::block_rank())[thread_idx_x()];
}

fn main() {}
