//! Expectations that are fulfilled, and those of which that cannot be told.
#![deny(warnings)]
use warpwise::prelude::*;

#[expect(gpu_barriers_in_divergent_flow, reason = "it is tested")]
#[kernel]
fn above() {
    if thread_idx_x() < 16 {
        sync_threads();
    }
}

#[kernel(expect(gpu_correctness))]
fn in_arguments() {
    if thread_idx_x() < 16 {
        sync_threads();
    }
}

#[kernel]
fn on_statements(x: &mut [f32]) {
    #[expect(gpu_barriers_in_divergent_flow)]
    {
        if thread_idx_x() < 16 {
            sync_threads();
        }
    }
    #[expect(gpu_barriers_in_divergent_flow)]
    wait();
    let closure = |limit| {
        #[expect(gpu_barriers_in_divergent_flow)]
        if thread_idx_x() < limit {
            sync_threads();
        }
    };
    closure(3);
    closure(4);
    #[expect(gpu_barriers_in_divergent_flow)]
    let written_here = || {
        if thread_idx_x() < 16 {
            sync_threads();
        }
    };
    written_here();
    x[0] = 1.0;
}

#[device]
fn wait() {
    if thread_idx_x() < 16 {
        sync_threads();
    }
}

/// Other kernels may do what is expected.
#[device]
#[expect(gpu_barriers_in_divergent_flow)]
fn of_a_device_function() {
    sync_threads();
}

#[kernel]
fn calls() {
    of_a_device_function();
}

/// What it is bound to may do what is expected.
#[kernel]
#[expect(gpu_barriers_in_divergent_flow)]
fn open<const N: usize>(x: &mut [f32]) {
    x[N] = 1.0;
}

#[kernel]
#[allow(unfulfilled_lint_expectations)]
#[expect(gpu_barriers_in_divergent_flow)]
fn allowed_not_to_be() {}

#[kernel]
fn only_with_debug_assertions(x: &mut [f32]) {
    #[expect(gpu_barriers_in_divergent_flow)]
    {
        debug_assert!(x.len() > 4);
        if thread_idx_x() < 16 {
            sync_threads();
        }
    }
}

fn main() {}
