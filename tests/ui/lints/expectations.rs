//! An expectation that nothing fulfils is rustc's lint `unfulfilled_lint_expectations`.
#![deny(warnings)]
use warpwise::prelude::*;

#[expect(gpu_barriers_in_divergent_flow, reason = "there was one")]
#[kernel]
fn on_the_kernel() {
    sync_threads();
}

#[kernel(expect(gpu_correctness))]
fn in_arguments() {
    sync_threads();
}

#[kernel]
fn on_statements(x: &mut [f32]) {
    #[expect(gpu_barriers_in_divergent_loops, gpu_barriers_in_divergent_flow)]
    if thread_idx_x() < 16 {
        sync_threads();
    }
    #[expect(gpu_barriers_after_divergent_returns)]
    {
        x[0] = 1.0;
    }
}

#[kernel]
#[expect(gpu_barriers_in_divergent_flow)]
fn the_inner_one_decides() {
    #[expect(gpu_barriers_in_divergent_flow)]
    if thread_idx_x() < 16 {
        sync_threads();
    }
}

#[kernel]
#[expect(gpu_barriers_in_divergent_flow)]
fn once_for_both_variants(x: &mut [f32]) {
    debug_assert!(x.len() > 4);
    sync_threads();
}

fn main() {}
