//! Slices, atomics, statics and parameters.
#![allow(unused)]
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

#[kernel]
fn slice_range_assign(x: &[f32], y: &mut [f32], i: usize) {
    y[i..i + 4] = x[i..i + 4];
}

#[kernel]
fn slice_ref_assign(x: &[f32], y: &mut [f32]) {
    y = x;
}

#[kernel]
fn fetch_add_on_mut(x: &mut [u32]) {
    x[0].fetch_add(1, Ordering::Relaxed);
}

#[kernel]
fn atomic_ref_plain(x: &[u32]) {
    x[0].fetch_add(1);
}

#[kernel]
fn atomic_mut_slice(x: &mut [AtomicU32]) {
    x[0].fetch_add(1, Ordering::Relaxed);
}

#[kernel]
fn atomic_read(x: &[AtomicU32], y: &mut [u32]) {
    y[0] = x[0];
}

#[kernel]
fn atomic_add_assign(x: &[u32], total: &[AtomicU32]) {
    total[0] += x[global_idx_x()];
}

#[kernel]
fn atomic_assign(total: &[AtomicU32]) {
    total[0] = total[0] + 1;
}

#[kernel]
fn atomic_compare(limit: u32, flags: &[AtomicU32], y: &mut [u32]) {
    if flags[0] < limit {
        y[0] = 1;
    }
}

#[kernel]
fn shared_atomic_update(y: &mut [f32]) {
    let sum = shared!([AtomicF32; 1]);
    sum[0] -= y[thread_idx_x()];
}

mod static_mut {
    use warpwise::prelude::*;

    static mut COUNT: u32 = 0;
    #[kernel]
    fn k(x: &mut [u32]) {
        unsafe {
            COUNT += 1;
        }
        x[0] = 1;
    }
}

mod static_item {
    use warpwise::prelude::*;

    static TABLE: [u32; 4] = [1, 2, 3, 4];
    #[kernel]
    fn k(x: &mut [u32]) {
        x[0] = TABLE[1];
    }
}

mod static_atomic {
    use std::sync::atomic::Ordering;
    use warpwise::prelude::*;

    use std::sync::atomic::AtomicU32 as A;
    static N: A = A::new(0);
    #[kernel]
    fn k(x: &mut [u32]) {
        N.fetch_add(1, Ordering::Relaxed);
        x[0] = 1;
    }
}

mod param_no_copy {
    use warpwise::prelude::*;

    #[device]
    struct Params {
        a: f32,
    }
    #[kernel]
    fn k(p: Params, x: &mut [f32]) {
        x[0] = p.a;
    }
}

mod param_not_device {
    use warpwise::prelude::*;

    #[derive(Clone, Copy)]
    struct Params {
        a: f32,
    }
    #[kernel]
    fn k(p: Params, x: &mut [f32]) {
        x[0] = p.a;
    }
}

mod returns_value {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &[f32]) -> f32 {
        x[0]
    }
}

#[kernel]
fn mut_scalar_param(n: &mut u32) {
    n += 1;
}

#[kernel]
fn update_of_a_slice(count: &[AtomicU32]) {
    count.fetch_add(1, Ordering::Relaxed);
}

fn main() {}
