//! What is allowed in a function of another crate is, and so is what is allowed at its call.
#![deny(warnings)]
use geometry::meeting;
use warpwise::prelude::*;

#[kernel]
fn allowed_there(x: &mut [f32]) {
    meeting::allowed_to_wait_below(x.len());
    meeting::waits_below(x.len());
}

#[kernel]
fn allowed_at_the_call(x: &mut [f32]) {
    #[allow(gpu_barriers_in_divergent_flow)]
    meeting::wait_below(x.len());
    #[allow(gpu_barriers_in_divergent_flow)]
    {
        x[0] = 1.0;
        meeting::wait_below_half(x.len());
    }
}

fn main() {}
