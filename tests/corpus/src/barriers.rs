//! Barriers that not every thread of the block reaches, or not as often as the others.
use warpwise::prelude::*;

#[kernel(block = 256)]
fn only_the_first_half_waits(y: &mut [f32]) {
    let i = thread_idx_x();
    let tile = shared!([f32; 256]);
    tile[i] = 1.0;
    if i < 128 {
        sync_threads(); //~ gpu_barriers_in_divergent_flow "`sync_threads()` is not reached by every thread"
        y[block_idx_x() * 128 + i] = tile[i] + tile[i + 128];
    }
}

#[kernel(block = 256)]
fn everybody_waits_before_the_first_half_goes_on(y: &mut [f32]) {
    let i = thread_idx_x();
    let tile = shared!([f32; 256]);
    tile[i] = 1.0;
    sync_threads();
    if i < 128 {
        y[block_idx_x() * 128 + i] = tile[i] + tile[i + 128];
    }
}

crate::corpus![only_the_first_half_waits, everybody_waits_before_the_first_half_goes_on];
