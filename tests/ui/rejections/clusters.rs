//! Clusters of wrong sizes, what only kernels with clusters have, and references to other memory
//! than shared memory.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel(block = 64)]
fn no_clusters(y: &mut [f32]) {
    let tile = shared!([f32; 64]);
    let t = thread_idx_x();
    tile[t] = cluster::block_rank() as f32;
    cluster::sync();
    y[t] = cluster::map_shared_rank(tile, 0)[t];
}

#[kernel(block = 64, cluster = 16)]
fn too_many(y: &mut [f32]) {}

#[kernel(block = 64, cluster = (2, 0))]
fn none_along_y(y: &mut [f32]) {}

#[kernel(block = 64, cluster = (2, 2, 2, 2))]
fn too_many_axes(y: &mut [f32]) {}

#[kernel(block = 64, cluster)]
fn no_number(y: &mut [f32]) {}

#[kernel(block = 64, cluster = 2, cooperative)]
fn cooperative_too(y: &mut [f32]) {}

#[kernel(block = 64, cluster = 2, cluster = 2)]
fn twice(y: &mut [f32]) {}

#[kernel(block = 64, cluster = 2)]
fn memories(x: &[f32], y: &mut [f32]) {
    let tile = shared!([f32; 64]);
    let mut own = [0.0f32; 4];
    let mut sum = 0.0f32;
    let t = thread_idx_x();
    own[t % 4] = x[t];
    tile[t] = x[t];
    cluster::sync();
    sum += *cluster::map_shared_rank(&x[t], 1);
    sum += cluster::map_shared_rank(&own, 1)[t % 4];
    let theirs = cluster::map_shared_rank(tile, 1);
    sum += cluster::map_shared_rank(theirs, 0)[t];
    y[t] = sum;
    *cluster::map_shared_rank_mut(&mut sum, 1) = 1.0;
}

#[kernel(block = 64, cluster = 2)]
fn mixed(x: &[f32], y: &mut [f32]) {
    let tile = shared!([f32; 64]);
    let t = thread_idx_x();
    tile[t] = x[t];
    cluster::sync();
    let theirs = cluster::map_shared_rank(tile, 1);
    let mut chosen = &tile[..];
    if x[t] > 5.0 {
        chosen = &theirs[..];
    }
    y[t] = chosen[t];
    cluster::sync();
}

#[kernel(block = 64, cluster = 2)]
fn types(y: &mut [f32]) {
    let tile = shared!([f32; 64]);
    let t = thread_idx_x();
    tile[t] = 1.0;
    let rank = 1u32;
    let theirs = cluster::map_shared_rank(tile, rank);
    cluster::map_shared_rank(tile, 1)[t] = 2.0;
    let number = cluster::map_shared_rank(tile[t], 1);
    cluster::sync(1);
    y[t] = cluster::block_idx_w();
}

/// Half of the threads do not reach the barrier.
#[kernel(block = 64, cluster = 2)]
fn divergent(y: &mut [f32]) {
    if thread_idx_x() < 32 {
        cluster::sync();
    }
}

fn main() {}
