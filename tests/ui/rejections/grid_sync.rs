//! The barrier of the grid in kernels whose blocks need not run together, and where not all come.
use warpwise::prelude::*;

#[kernel]
fn alone(x: &mut [u32]) {
    x[global_idx_x()] = 1;
    grid::sync();
}

#[device]
fn waits() {
    grid::sync();
}

#[kernel(cooperative = false)]
fn by_a_function() {
    waits();
}

#[kernel(cooperative, block = 256)]
fn by_some(x: &mut [u32]) {
    if thread_idx_x() < 7 {
        grid::sync();
    }
    x[global_idx_x()] = 1;
}

#[kernel(cooperativ)]
fn misspelt() {}

fn main() {}
