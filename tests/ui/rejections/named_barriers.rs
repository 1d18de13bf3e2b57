//! Named barriers that a block does not have, or that lanes of a warp miss.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel(block = 64)]
fn numbers(y: &mut [f32]) {
    named_barrier::sync::<0, 64>();
    named_barrier::sync::<16, 64>();
    named_barrier::arrive::<1, 0>();
    named_barrier::arrive::<2, 48>();
    named_barrier::sync::<3, 2048>();
}

#[kernel(block = 64)]
fn arguments(y: &mut [f32]) {
    named_barrier::sync();
    named_barrier::arrive::<1>();
}

#[kernel(block = 72)]
fn larger_than_the_block(y: &mut [f32]) {
    named_barrier::arrive::<1, 96>();
    named_barrier::sync::<2, 128>();
}

#[kernel(block = 64)]
fn sizes(y: &mut [f32]) {
    if warp::warp_id() == 0 {
        named_barrier::arrive::<1, 64>();
    } else {
        named_barrier::sync::<1, 32>();
    }
}

#[kernel(block = 64)]
fn lanes(y: &mut [f32]) {
    if thread_idx_x() < 16 {
        named_barrier::sync::<1, 32>();
    }
    for _ in 0..thread_idx_x() {
        named_barrier::arrive::<2, 32>();
    }
}

#[kernel(block = N)]
fn of_its_block<const N: usize>(y: &mut [f32]) {
    named_barrier::sync::<1, N>();
}

fn main() {
    named_barrier::sync::<1, 64>();
}
