//! Names of other languages for GPUs.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn opencl_global_id(y: &mut [f32]) {
    let i = get_global_id(0);
    y[i] = 1.0;
}

#[kernel(block = 32)]
fn opencl_barrier(y: &mut [f32]) {
    y[0] = 1.0;
    barrier(CLK_LOCAL_MEM_FENCE);
}

#[kernel]
fn numba_grid(y: &mut [f32]) {
    let i = cuda::grid(1);
    y[i] = 1.0;
}

#[kernel]
fn triton_program_id(y: &mut [f32]) {
    let pid = tl::program_id(0);
    y[pid] = 1.0;
}

#[kernel]
fn wgsl_invocation_id(y: &mut [f32]) {
    let i = global_invocation_id.x;
    y[i as usize] = 1.0;
}

#[kernel(block = 32)]
fn wgsl_barrier(y: &mut [f32]) {
    y[0] = 1.0;
    workgroupBarrier();
}

#[kernel]
fn cubecl_position(y: &mut [f32]) {
    y[ABSOLUTE_POS] = 1.0;
}

#[kernel]
fn cubecl_array<F: Float>(x: &Array<F>, y: &mut [F]) {
    y[0] = x[0];
}

#[kernel]
fn rust_cuda_index(y: &mut [f32]) {
    let i = thread::index_1d() as usize;
    y[i] = 1.0;
}

fn main() {}
