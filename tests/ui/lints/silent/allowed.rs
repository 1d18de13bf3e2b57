//! `allow` on the kernel, in its arguments and on the statement.
#![deny(warnings)]
use warpwise::prelude::*;

#[kernel(allow(gpu_barriers_in_divergent_flow))]
fn in_arguments() {
    if thread_idx_x() < 16 {
        sync_threads();
    }
}

#[kernel]
#[allow(gpu_barriers_in_divergent_flow)]
fn below() {
    if thread_idx_x() < 16 {
        sync_threads();
    }
}

#[allow(gpu_barriers_in_divergent_flow, unused_variables)]
#[kernel]
fn above() {
    let unused = 1;
    if thread_idx_x() < 16 {
        sync_threads();
    }
}

#[kernel]
fn on_a_statement() {
    #[allow(gpu_barriers_in_divergent_flow)]
    if thread_idx_x() < 16 {
        sync_threads();
    }
}

#[allow(deprecated)]
#[kernel(warn(gpu_barriers_in_divergent_flow))]
fn as_what_rustc_knows() {
    if thread_idx_x() < 16 {
        sync_threads();
    }
}

#[kernel]
fn on_an_arm(n: u32) {
    match n {
        #[allow(gpu_barriers_in_divergent_flow)]
        3 => {
            if thread_idx_x() < 16 {
                sync_threads();
            }
        }
        #[expect(gpu_barriers_in_divergent_flow)]
        4 | 5 if thread_idx_x() < 16 => sync_threads(),
        _ => {}
    }
}

fn main() {}
