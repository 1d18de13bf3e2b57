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

fn main() {}
