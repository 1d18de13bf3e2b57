//! What is found in a function of another crate is shown at the call that leads there.
use geometry::meeting;
use warpwise::prelude::*;

#[kernel]
fn direct(x: &mut [f32]) {
    meeting::wait_below(x.len());
}

#[kernel]
fn by_way_of_two(x: &mut [f32]) {
    let i = thread_idx_x();
    x[i] = 1.0;
    here(x.len());
}

#[device]
fn here(limit: usize) {
    meeting::wait_below_half(2 * limit);
}

#[kernel(warn(gpu_barriers_in_divergent_flow))]
fn below_denied_by_rustc(x: &mut [f32]) {
    #[deny(gpu_barriers_in_divergent_flow)]
    meeting::wait_below(x.len());
    meeting::waits_below(x.len());
}

fn main() {}
