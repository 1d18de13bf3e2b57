//! NVIDIA's `reduction`, step by step, `threadFenceReduction` and `scalarProd`.
use super::noise;
use crate::run::engine::{Check, Engine, cases, launch, same};
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

cases![
    integers: THREADS_MEET, blocks_of_every_size: THREADS_MEET, one_pass: THREADS_MEET,
    scalar_products: THREADS_MEET,
];

/// Interleaved addressing, with divergent branches.
#[kernel(block = 128)]
fn interleaved(x: &[i32], sums: &mut [i32]) {
    let data = shared!([i32; 128]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    data[t] = if i < x.len() { x[i] } else { 0 };
    sync_threads();
    let mut s = 1;
    while s < block_dim_x() {
        if t % (2 * s) == 0 {
            data[t] += data[t + s];
        }
        sync_threads();
        s *= 2;
    }
    if t == 0 {
        sums[block_idx_x()] = data[0];
    }
}

/// Interleaved addressing by neighbouring threads, with bank conflicts.
#[kernel(block = 128)]
fn strided(x: &[i32], sums: &mut [i32]) {
    let data = shared!([i32; 128]);
    let t = thread_idx_x();
    data[t] = x.get(global_idx_x()).map_or(0, |v| *v);
    sync_threads();
    let mut s = 1;
    while s < block_dim_x() {
        let index = 2 * s * t;
        if index < block_dim_x() {
            data[index] += data[index + s];
        }
        sync_threads();
        s *= 2;
    }
    if t == 0 {
        sums[block_idx_x()] = data[0];
    }
}

/// Sequential addressing.
#[kernel(block = 128)]
fn sequential(x: &[i32], sums: &mut [i32]) {
    let data = shared!([i32; 128]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    data[t] = if i < x.len() { x[i] } else { 0 };
    sync_threads();
    for step in (0..7).rev() {
        let s = 1 << step;
        if t < s {
            data[t] += data[t + s];
        }
        sync_threads();
    }
    if t == 0 {
        sums[block_idx_x()] = data[0];
    }
}

/// The first addition happens while loading, and the last warp uses shuffles.
#[kernel(block = 128)]
fn last_warp(x: &[i32], sums: &mut [i32]) {
    let data = shared!([i32; 128]);
    let t = thread_idx_x();
    let first = block_idx_x() * block_dim_x() * 2 + t;
    let load = |i: usize| if i < x.len() { x[i] } else { 0 };
    data[t] = load(first) + load(first + block_dim_x());
    sync_threads();
    let mut s = block_dim_x() / 2;
    while s > 32 {
        if t < s {
            data[t] += data[t + s];
        }
        sync_threads();
        s >>= 1;
    }
    if t < 32 {
        let mut sum = data[t] + data[t + 32];
        for offset in [16, 8, 4, 2, 1] {
            sum += warp::shfl_down(sum, offset);
        }
        if t == 0 {
            sums[block_idx_x()] = sum;
        }
    }
}

fn integers(on: &Engine) -> Check {
    let x: Vec<i32> = noise(5000).iter().map(|v| *v as i32 >> 8).collect();
    let blocks = |chunk: usize| -> Vec<i32> {
        x.chunks(chunk).map(|part| part.iter().fold(0, |sum, v| sum + v)).collect()
    };
    let (single, double) = (blocks(128), blocks(256));
    let mut sums = vec![0; single.len()];
    launch!(on, interleaved(read x, write sums), LaunchConfig::grid(single.len()))?;
    same("interleaved", &sums, &single)?;
    let mut sums = vec![0; single.len()];
    launch!(on, strided(read x, write sums), LaunchConfig::grid(single.len()))?;
    same("strided", &sums, &single)?;
    let mut sums = vec![0; single.len()];
    launch!(on, sequential(read x, write sums), LaunchConfig::grid(single.len()))?;
    same("sequential", &sums, &single)?;
    let mut sums = vec![0; double.len()];
    launch!(on, last_warp(read x, write sums), LaunchConfig::grid(double.len()))?;
    same("last_warp", &sums, &double)
}

#[device]
fn warp_sum<T: Num>(mut value: T) -> T {
    for offset in [16, 8, 4, 2, 1] {
        value += warp::shfl_down(value, offset);
    }
    value
}

/// Several elements a thread, unrolled for the size of the block.
#[kernel(block = BLOCK)]
fn unrolled<T: Num, const BLOCK: usize>(x: &[T], sums: &mut [T]) {
    let data = shared!([T; BLOCK]);
    let t = thread_idx_x();
    let mut sum = T::ZERO;
    for i in (global_idx_x()..x.len()).step_by(BLOCK * grid_dim_x()) {
        sum += x[i];
    }
    data[t] = sum;
    sync_threads();
    if BLOCK >= 512 {
        if t < 256 {
            data[t] += data[t + 256];
        }
        sync_threads();
    }
    if BLOCK >= 256 {
        if t < 128 {
            data[t] += data[t + 128];
        }
        sync_threads();
    }
    if BLOCK >= 128 {
        if t < 64 {
            data[t] += data[t + 64];
        }
        sync_threads();
    }
    if t < 32 {
        let both = if BLOCK >= 64 { data[t] + data[t + 32] } else { data[t] };
        let total = warp_sum(both);
        if t == 0 {
            sums[block_idx_x()] = total;
        }
    }
}

fn blocks_of_every_size(on: &Engine) -> Check {
    macro_rules! each {
        ($($ty:ident $block:literal)*) => {$({
            let x: Vec<$ty> = noise(9000).iter().map(|v| (v % 100) as $ty).collect();
            let mut sums = vec![0 as $ty; 4];
            launch!(on, unrolled::<$ty, $block>(read x, write sums), LaunchConfig::grid(4))?;
            let mut want = vec![0 as $ty; 4];
            for (i, v) in x.iter().enumerate() {
                want[i / $block % 4] += *v;
            }
            same(concat!(stringify!($ty), " ", $block), &sums, &want)?;
        })*};
    }
    each! { i32 32 f32 64 f64 128 u64 256 i32 512 f32 512 }
    Ok(())
}

/// The last block to finish adds the sums of the others.
#[kernel(block = 64)]
fn all_at_once(x: &[f32], sums: &mut [f32], done: &[AtomicU32], total: &mut [f32]) {
    let partial = shared!([f32; 2]);
    let is_last = shared!(bool);
    let t = thread_idx_x();
    let sum = warp_sum(x[global_idx_x()]);
    if warp::lane_id() == 0 {
        partial[warp::warp_id()] = sum;
    }
    sync_threads();
    if t == 0 {
        sums[block_idx_x()] = partial.iter().sum();
        thread_fence();
        let ticket = done[0].fetch_add(1, Ordering::AcqRel);
        *is_last = ticket as usize == grid_dim_x() - 1;
    }
    sync_threads();
    if *is_last && t == 0 {
        thread_fence();
        total[0] = sums.iter().sum();
        done[0].store(0, Ordering::Relaxed);
    }
}

fn one_pass(on: &Engine) -> Check {
    let x: Vec<f32> = (0..64 * 20).map(|i| (i % 37) as f32).collect();
    let (mut sums, mut done, mut total) = (vec![0.0; 20], vec![0], vec![0.0]);
    for _ in 0..3 {
        let config = LaunchConfig::grid(20);
        launch!(on, all_at_once(read x, write sums, atomic done, write total), config)?;
        same("total", &total, &[x.iter().sum()])?;
        same("done", &done, &[0])?;
    }
    Ok(())
}

/// The products of many pairs of vectors: a block takes one pair after the other.
#[kernel(block = 128)]
fn scalar_prod(len: usize, a: &[f32], b: &[f32], products: &mut [f32]) {
    let accumulators = shared!([f32; 256]);
    let t = thread_idx_x();
    for vector in (block_idx_x()..products.len()).step_by(grid_dim_x()) {
        let range = vector * len..(vector + 1) * len;
        let (a, b) = (&a[range.start..range.end], &b[range.start..range.end]);
        for k in (t..accumulators.len()).step_by(block_dim_x()) {
            let mut sum = 0.0;
            for i in (k..len).step_by(accumulators.len()) {
                sum += a[i] * b[i];
            }
            accumulators[k] = sum;
        }
        let mut stride = accumulators.len() / 2;
        while stride > 0 {
            sync_threads();
            for k in (t..stride).step_by(block_dim_x()) {
                accumulators[k] += accumulators[stride + k];
            }
            stride /= 2;
        }
        sync_threads();
        if t == 0 {
            products[vector] = accumulators[0];
        }
    }
}

fn scalar_products(on: &Engine) -> Check {
    let (vectors, len) = (10, 500);
    let small = |v: &u32| (v % 16) as f32;
    let random = noise(2 * vectors * len);
    let a: Vec<f32> = random[..vectors * len].iter().map(small).collect();
    let b: Vec<f32> = random[vectors * len..].iter().map(small).collect();
    let mut products = vec![0.0; vectors];
    let config = LaunchConfig::grid(3);
    launch!(on, scalar_prod(value len, read a, read b, write products), config)?;
    let pairs = a.chunks(len).zip(b.chunks(len));
    let want: Vec<f32> = pairs.map(|(a, b)| a.iter().zip(b).map(|(a, b)| a * b).sum()).collect();
    same("products", &products, &want)
}
