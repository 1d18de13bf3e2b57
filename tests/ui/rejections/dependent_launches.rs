//! Accesses of kernels with a dependent launch before their wait, and kernels that cannot have one.
use std::sync::atomic::{AtomicU32, Ordering};
use warpwise::{Surface1Mut, Texture1, prelude::*};

#[kernel]
fn no_attribute(x: &mut [u32]) {
    grid::wait_for_dependencies();
    x[global_idx_x()] = 1;
}

/// One error is enough for a kernel without a wait.
#[kernel(dependent_launch)]
fn no_wait(x: &[u32], y: &mut [u32]) {
    grid::launch_dependents();
    y[global_idx_x()] = x[global_idx_x()];
}

#[kernel(block = 64, dependent_launch)]
fn early(n: usize, x: &[u32], y: &mut [u32], count: &[AtomicU32]) {
    let (i, t) = (global_idx_x(), thread_idx_x());
    let tile = shared!([u32; 64]);
    tile[t] = x[i];
    async_copy::copy(&mut tile[t], &x[i]);
    count[0].fetch_add(1, Ordering::Relaxed);
    cache::prefetch_l1(&x[i]);
    println!("{i}");
    for _ in 0..n {
        grid::wait_for_dependencies();
        tile[t] += x[i];
    }
    y[i] = tile[t];
}

#[device]
fn first(x: &[u32]) -> u32 {
    x[0]
}

#[kernel(dependent_launch)]
fn one_thread_waits(x: &[u32], y: &mut [u32]) {
    if thread_idx_x() == 0 {
        grid::wait_for_dependencies();
    }
    sync_threads();
    let first = first(x);
    grid::wait_for_dependencies();
    y[global_idx_x()] = first;
}

#[kernel(dependent_launch)]
fn generic<T: Num>(x: &mut [T]) {
    x[global_idx_x()] = T::ZERO;
    grid::wait_for_dependencies();
}

#[kernel(dependent_launch)]
fn images(_image: Texture1<'_, f32>, _out: Surface1Mut<'_, f32>) {
    grid::wait_for_dependencies();
}

#[kernel(cooperative, dependent_launch)]
fn all_at_once() {}

#[kernel(pdl)]
fn abbreviated() {}

fn main() {}
