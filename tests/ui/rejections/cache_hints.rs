//! Cache operators and prefetches for other memory than buffers, and of wrong types.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel(block = 64)]
fn memories(x: &[f32], #[constant] table: &[f32; 4], y: &mut [f32]) {
    let tile = shared!([f32; 64]);
    let mut own = [0.0f32; 64];
    let mut sum = 0.0f32;
    let t = thread_idx_x();
    own[t] = cache::load_cs(&tile[t]);
    cache::store_cs(&mut tile[t], 1.0);
    cache::store_cs(&mut own[t], 1.0);
    sum += cache::load_ca(&own[t]);
    cache::store_wt(&mut sum, 2.0);
    cache::prefetch_l1(&tile[t]);
    cache::prefetch_l2(&sum);
    sum += cache::load_cg(&table[t % 4]);
    y[t] = sum + cache::load_cs(&x[t]);
}

#[kernel(block = 64)]
fn types(x: &[f32], y: &mut [f32], counts: &[AtomicU32]) {
    let t = thread_idx_x();
    cache::store_cs(&mut y[t], 1);
    let wrong: u32 = cache::load_cs(&x[t]);
    let value: f32 = cache::load_cs(x[t]);
    cache::store_cs(&y[t], 1.0);
    cache::load_cs(&counts[t]);
    cache::load_cs();
}

#[kernel(block = 64)]
fn operators(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    y[t] = cache::load_wt(&x[t]);
    cache::store_lu(&mut y[t], 1.0);
    cache::prefetch_l3(&x[t]);
}

fn main() {}
