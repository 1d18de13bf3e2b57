//! Habits of CUDA C++ that are valid syntax.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn pointer_arithmetic(x: &mut [f32]) {
    let p = x + global_idx_x();
    *p = 1.0;
}

#[kernel]
fn shared_scalar(x: &mut [f32]) {
    let total = shared!(f32);
    total = x[0];
}

#[kernel]
fn shared_unsized(x: &mut [f32]) {
    let tile = shared!([f32]);
    tile[0] = 1.0;
    x[0] = tile[0];
}

mod shared_in_plain_fn {
    use warpwise::prelude::*;

    fn first(v: f32) -> f32 {
        let tile = shared!([f32; 32]);
        tile[0] = v;
        tile[0]
    }
    #[kernel]
    fn k(x: &mut [f32]) {
        x[0] = first(x[1]);
    }
}

#[kernel]
fn shuffle_mask_first(x: &mut [f32]) {
    let v = x[0];
    x[1] = warp::shfl_down(0xffff_ffff, v, 1);
}

mod shared_plain_atomic {
    use std::sync::atomic::Ordering;
    use warpwise::prelude::*;

    #[kernel(block = 32)]
    fn k(x: &mut [u32]) {
        let count = shared!([u32; 1]);
        count[0].fetch_add(1, Ordering::Relaxed);
        x[0] = count[0];
    }
}

mod ordering_of_comparisons {
    use std::cmp::Ordering;
    use warpwise::prelude::*;

    #[kernel]
    fn k(a: &[AtomicU32]) {
        a[0].fetch_add(1, Ordering::Relaxed);
    }
}

#[kernel]
fn grid_sync_plain(x: &mut [f32]) {
    grid::sync();
    x[0] = 1.0;
}

#[kernel]
fn malloc_call(x: &mut [f32]) {
    let p = malloc(4);
    x[0] = 1.0;
}

#[kernel]
fn printf_call(x: &mut [f32]) {
    printf("%f\n", x[0]);
}

#[kernel]
fn const_param_term<const N: usize>(x: &mut [f32]) {
    let tile = shared!([f32; N * 2]);
    tile[0] = 1.0;
    x[0] = tile[0];
}

#[kernel]
fn println_text(x: &mut [f32]) {
    let name = "first";
    println!("{name}: {}", x[0]);
}

mod launch_with_stream {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = 1.0;
    }
    fn run(d: &Device, y: &mut Buffer<f32>) -> warpwise::Result<()> {
        let stream = d.stream()?;
        k::launch(d, LaunchConfig::cover(1).stream(&stream), y)
    }
}

mod launch_grid_and_block {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = 1.0;
    }
    fn run(d: &Device, y: &mut Buffer<f32>) -> warpwise::Result<()> {
        k::launch(d, LaunchConfig::grid(4, 256), y)
    }
}

mod launch_atomic_type {
    use warpwise::prelude::*;

    #[kernel]
    fn k(sum: &[AtomicF32]) {}
    fn run(d: &Device, y: &mut Buffer<u32>) -> warpwise::Result<()> {
        k::launch(d, LaunchConfig::cover(1), y)
    }
}

#[kernel]
fn warp_all_int(x: &mut [u32]) {
    if warp::all(x[0]) {
        x[1] = 1;
    }
}

#[kernel]
fn ballot_count(x: &mut [u32]) {
    x[0] = warp::ballot(x[1] > 0).popcount();
}

#[kernel]
fn float_modulo_index(x: &mut [f32]) {
    let i = global_idx_x() * 0.5;
    x[i as usize] = 1.0;
}

#[kernel(block = 32)]
fn shuffle_width_last(x: &mut [f32]) {
    x[1] = warp::shfl_xor(x[0], 1, 8);
}

#[kernel(block = 32)]
fn shuffle_mask_and_width(x: &mut [f32], lanes: u32) {
    let mask = warp::active_mask();
    x[1] = warp::shfl_up(mask, x[0], 1, 32);
}

#[kernel(block = 32)]
fn reduce_mask_first(x: &mut [u32]) {
    x[1] = warp::reduce_max(u32::MAX, x[0]);
}

#[kernel(block = 32)]
fn async_copy_wait_argument(x: &[f32], y: &mut [f32]) {
    let tile = shared!([f32; 32]);
    async_copy::copy(&mut tile[thread_idx_x()], &x[thread_idx_x()]);
    async_copy::commit();
    async_copy::wait(0);
    y[thread_idx_x()] = tile[thread_idx_x()];
}

#[kernel(block = 64)]
fn named_barrier_arguments(x: &mut [f32]) {
    named_barrier::sync(2, 64);
    x[thread_idx_x()] = 1.0;
}

mod mbarrier_new {
    use warpwise::{MBarrier, prelude::*};

    #[kernel(block = 64)]
    fn k(x: &mut [f32]) {
        let barrier = MBarrier::new(128);
        let token = barrier.arrive();
        barrier.wait(token);
        x[thread_idx_x()] = 1.0;
    }
}

mod mma_of_f32 {
    use warpwise::{mma, prelude::*};

    #[kernel(block = 32)]
    fn k(x: &[f32], y: &[f32], out: &mut [f32]) {
        let left = mma::A::<f32, 16, 8>::load(x, 0, 8);
        let right = mma::B::<mma::Tf32, 8, 8>::load(y, 0, 8);
        let mut sum = mma::Accumulator::<f32, 16, 8>::zero();
        sum.multiply_add(left, right);
        sum.store(out, 0, 8);
    }
}

fn main() {}
