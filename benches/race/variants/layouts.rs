//! The same fields as an array of structs and as arrays.
use super::prelude::*;

pub(super) const ALL_FIELDS: &[Benchmark] =
    &[variant!(fields_of_structs, problem), variant!(fields_of_arrays, problem)];

pub(super) const ONE_FIELD: &[Benchmark] =
    &[variant!(field_of_structs, problem), variant!(field_of_array, problem)];

/// The sum of eight neighbouring fields, loaded one by one.
#[kernel(block = 256)]
fn fields_of_structs(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        let mut sum = 0.0;
        for field in 0..8 {
            sum += x[8 * i + field];
        }
        y[i] = sum;
    }
}

/// The sum of eight fields that are in arrays of their own.
#[kernel(block = 256)]
fn fields_of_arrays(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let n = y.len();
    if i < n {
        let mut sum = 0.0;
        for field in 0..8 {
            sum += x[field * n + i];
        }
        y[i] = sum;
    }
}

/// One field of eight.
#[kernel(block = 256)]
fn field_of_structs(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = 2.0 * x[8 * i];
    }
}

/// One field, which is in an array of its own.
#[kernel(block = 256)]
fn field_of_array(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = 2.0 * x[i];
    }
}

fn problem(scale: Scale) -> Problem {
    let n = scale.pick(10_000, 1 << 23);
    let x = inputs::floats(0.0, 1.0, 1, 8 * n);
    let mut buffers = Buffers::new(scale);
    let x_id = buffers.input(&x);
    let y_id = buffers.input(&vec![0.0f32; n]);
    Problem {
        grid: cover(n, 256),
        block: [256, 1, 1],
        rust: args![x_id, y_id],
        cuda: Vec::new(),
        buffers,
        work: Work::Items(n),
    }
}
