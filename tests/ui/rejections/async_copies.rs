//! Asynchronous copies between other memories than global and shared, of small values, and waits for
//! nothing.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel(block = 64)]
fn memories(x: &[f32], y: &mut [f32]) {
    let (tile, other) = (shared!([f32; 64]), shared!([f32; 64]));
    let mut own = [0.0f32; 4];
    let mut sum = 0.0f32;
    let t = thread_idx_x();
    async_copy::copy(&mut y[t], &x[t]);
    async_copy::copy(&mut own[t % 4], &x[t]);
    async_copy::copy(&mut sum, &x[t]);
    async_copy::copy(&mut tile[t], &other[t]);
    async_copy::copy(&mut tile[t], &own[t % 4]);
    async_copy::copy(&mut tile[t], &1.5);
    async_copy::block_copy(&mut y[..64], &x[..64]);
    async_copy::wait_all();
}

#[kernel(block = 64)]
fn sizes(bytes: &[u8], halves: &[f16], flags: &[bool], pairs: &[[u16; 2]]) {
    let (small, half) = (shared!([u8; 64]), shared!([f16; 64]));
    let (flag, pair) = (shared!([bool; 64]), shared!([[u16; 2]; 64]));
    let t = thread_idx_x();
    async_copy::copy(&mut small[t], &bytes[t]);
    async_copy::copy(&mut half[t], &halves[t]);
    async_copy::copy(&mut flag[t], &flags[t]);
    async_copy::copy(&mut pair[t], &pairs[t]);
    async_copy::block_copy(&mut small[..], &bytes[..64]);
    async_copy::wait_all();
}

#[kernel(block = 64, instances(f32, f16))]
fn generic<T: Num>(x: &[T], y: &mut [T]) {
    let tile = shared!([T; 64]);
    let t = thread_idx_x();
    async_copy::copy(&mut tile[t], &x[t]);
    async_copy::wait_all();
    y[t] = tile[t];
}

#[kernel(block = 64)]
fn types(x: &[f32], z: &[u32], y: &mut [f32]) {
    let tile = shared!([f32; 64]);
    let t = thread_idx_x();
    async_copy::copy(tile[t], x[t]);
    async_copy::copy(&mut tile[t], &z[t]);
    async_copy::copy(&tile[t], &x[t]);
    async_copy::copy(&mut tile[t]);
    async_copy::commit(1);
    async_copy::wait();
    async_copy::wait::<f32>();
    async_copy::begin();
}

mod ours {
    pub mod async_copy {
        pub fn commit() {}
        pub fn copy<T: Copy>(to: &mut T, from: &T) {}
        pub fn wait<const N: usize>() {}
    }
}

mod not_ours {
    use super::ours::async_copy;
    use warpwise::prelude::{kernel, shared, thread_idx_x};

    #[kernel(block = 64)]
    fn another(x: &[f32], y: &mut [f32]) {
        let tile = shared!([f32; 64]);
        let t = thread_idx_x();
        async_copy::copy(&mut tile[t], &x[t]);
        async_copy::commit();
        async_copy::wait::<0>();
        y[t] = tile[t];
    }
}

fn main() {}
