//! Names that are not there.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn thread_idx_camel(x: &mut [f32]) {
    let i = threadIdx_x();
    x[i] = 1.0;
}

#[kernel]
fn thread_idx_method(x: &mut [f32]) {
    let i = thread_idx().x;
    x[i] = 1.0;
}

#[kernel]
fn laneid_fn(x: &mut [usize]) {
    x[0] = lane_id();
}

#[kernel]
fn mutex_param(m: &Mutex<f32>, y: &mut [f32]) {
    y[0] = 1.0;
}

#[kernel]
fn rand_call(x: &mut [f32]) {
    x[0] = rand::random();
}

#[kernel]
fn unknown_fn(x: &mut [f32]) {
    x[0] = frobnicate(x[0]);
}

#[kernel]
fn unknown_fn_typo(x: &mut [f32]) {
    let i = global_idx();
    x[i] = 1.0;
}

#[kernel]
fn unknown_fn_typo2(x: &mut [f32]) {
    let i = thread_idx_X();
    x[i] = 1.0;
}

#[kernel]
fn unknown_type(x: &mut [f32], p: Parms) {
    x[0] = p.a;
}

#[kernel]
fn unknown_var(x: &mut [f32]) {
    x[0] = alpha;
}

#[kernel]
fn sync_typo(x: &mut [f32]) {
    syncthreads();
    x[0] = 1.0;
}

#[kernel]
fn rows_not_imported(mut m: LayersMut<f32>) {
    m[(0, 0, 0)] = 1.0;
}

#[kernel]
fn mma_not_imported(y: &mut [f32]) {
    let a = mma::Accumulator::<f32, 16, 8>::zero();
    y[0] = a.get(0);
}

#[kernel]
fn function_of_two_modules(x: &mut [f32]) {
    x[0] = reduce_add(x[0]);
}

fn main() {}
