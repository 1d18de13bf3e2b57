//! Lints that there are not, and a level that ours do not have.
use warpwise::prelude::*;

#[kernel(allow(gpu_barrier_in_divergent_flow))]
fn argument() {}

#[kernel]
#[warn(gpu_zebras)]
fn attribute() {}

#[kernel]
fn statement() {
    #[forbid(gpu_barriers_in_divergent_flow)]
    {
        sync_threads();
    }
}

#[kernel(deny(dead_code))]
fn of_rustc() {}

fn main() {}
