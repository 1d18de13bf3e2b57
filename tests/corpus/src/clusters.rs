//! Clusters, whose blocks access each other's shared memory.
use warpwise::prelude::*;

#[kernel(block = 128, cluster = 2)]
fn only_the_own_block_is_waited_for(x: &[f32], y: &mut [f32]) {
    let (i, t) = (global_idx_x(), thread_idx_x());
    let own = shared!([f32; 128]);
    own[t] = x[i];
    sync_threads();
    y[i] = cluster::map_shared_rank(own, 1 - cluster::block_rank())[t]; //~ gpu_missing_cluster_syncs "before any `cluster::sync()`"
    cluster::sync();
}

#[kernel(block = 128, cluster = 2)]
fn the_cluster_is_waited_for(x: &[f32], y: &mut [f32]) {
    let (i, t) = (global_idx_x(), thread_idx_x());
    let own = shared!([f32; 128]);
    own[t] = x[i];
    cluster::sync();
    y[i] = cluster::map_shared_rank(own, 1 - cluster::block_rank())[t];
    cluster::sync();
}

#[kernel(block = 128, cluster = 4)]
fn sums_are_read_after_the_last_barrier(x: &[f32], y: &mut [f32]) {
    let sum = shared!([f32; 1]);
    let own = block::reduce_add(x[global_idx_x()]);
    if thread_idx_x() == 0 {
        sum[0] = own;
    }
    cluster::sync();
    if cluster::block_rank() == 0 && thread_idx_x() == 0 {
        let mut all = 0.0;
        for rank in 0..cluster::size() {
            all += cluster::map_shared_rank(sum, rank)[0]; //~ gpu_missing_cluster_syncs "may have ended"
        }
        y[cluster::idx_x()] = all;
    }
}

#[kernel(block = 128, cluster = 4)]
fn sums_are_read_before_the_last_barrier(x: &[f32], y: &mut [f32]) {
    let sum = shared!([f32; 1]);
    let own = block::reduce_add(x[global_idx_x()]);
    if thread_idx_x() == 0 {
        sum[0] = own;
    }
    cluster::sync();
    if cluster::block_rank() == 0 && thread_idx_x() == 0 {
        let mut all = 0.0;
        for rank in 0..cluster::size() {
            all += cluster::map_shared_rank(sum, rank)[0];
        }
        y[cluster::idx_x()] = all;
    }
    cluster::sync();
}

#[kernel(block = 64, cluster = 2)]
fn halos_go_round(rounds: u32, x: &mut [f32]) {
    let (i, t) = (global_idx_x(), thread_idx_x());
    let cells = shared!([f32; 64]);
    let mut v = x[i];
    for _ in 0..rounds {
        cells[t] = v;
        cluster::sync();
        v = 0.5 * (v + cluster::map_shared_rank(cells, 1 - cluster::block_rank())[63 - t]);
        cluster::sync();
    }
    x[i] = v;
}

corpus![
    only_the_own_block_is_waited_for,
    the_cluster_is_waited_for,
    sums_are_read_after_the_last_barrier,
    sums_are_read_before_the_last_barrier,
    halos_go_round,
];
