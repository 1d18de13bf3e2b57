//! Accesses to the shared memory of other blocks of a cluster that no barrier of the cluster orders:
//! `gpu_missing_cluster_syncs`.
#![deny(warnings)]
use warpwise::prelude::*;

#[kernel(block = 64, cluster = 2)]
fn before(x: &[f32], y: &mut [f32]) {
    let own = shared!([f32; 64]);
    let (i, t) = (global_idx_x(), thread_idx_x());
    own[t] = x[i];
    sync_threads();
    y[i] = cluster::map_shared_rank(own, 1 - cluster::block_rank())[63 - t];
    cluster::sync();
}

#[device]
fn read(of: &[f32; 64], rank: usize, t: usize) -> f32 {
    cluster::map_shared_rank(of, rank)[t]
}

#[kernel(block = 64, cluster = 2)]
fn after<const STEPS: usize>(x: &[f32], y: &mut [f32]) {
    let own = shared!([f32; 64]);
    let (i, t) = (global_idx_x(), thread_idx_x());
    own[t] = x[i];
    cluster::sync();
    for step in 0..STEPS {
        y[i] += read(own, 1 - cluster::block_rank(), (t + step) % 64);
    }
}

fn main() {}
