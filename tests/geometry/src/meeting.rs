//! Device functions that wait: what lints find in them, they find in the kernels that call them.
use warpwise::prelude::*;

/// The threads below `limit` wait for the whole block.
#[device]
pub fn wait_below(limit: usize) {
    if thread_idx_x() < limit {
        sync_threads();
    }
}

/// The same, by way of another function.
#[device]
pub fn wait_below_half(limit: usize) {
    wait_below(limit / 2);
}

/// The same, allowed.
#[device]
#[allow(gpu_barriers_in_divergent_flow, reason = "for tests of what that silences")]
pub fn allowed_to_wait_below(limit: usize) {
    wait_below(limit);
}

/// The same, allowed where it is done.
#[device]
pub fn waits_below(limit: usize) -> usize {
    #[allow(gpu_barriers_in_divergent_flow, reason = "for tests of what that silences")]
    if thread_idx_x() < limit {
        sync_threads();
    }
    limit
}
