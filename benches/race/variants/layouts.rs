//! The same fields as an array of structs and as arrays.
use super::prelude::*;

pub(super) const ALL_FIELDS: &[Benchmark] = &[
    variant!(fields_of_structs, |scale| problem(scale, |x, _, i| x[8 * i..][..8].iter().sum())),
    variant!(fields_of_arrays, |scale| {
        problem(scale, |x, n, i| x[i..].iter().step_by(n).sum())
    }),
];

pub(super) const ONE_FIELD: &[Benchmark] = &[
    variant!(field_of_structs, |scale| problem(scale, |x, _, i| 2.0 * x[8 * i])),
    variant!(field_of_array, |scale| problem(scale, |x, _, i| 2.0 * x[i])),
];

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

/// `result` returns what thread `i` of `n` makes of the fields.
fn problem(scale: Scale, result: fn(&[f32], usize, usize) -> f32) -> Problem {
    let n = scale.pick(10_000, 1 << 23);
    let x = inputs::floats(0.0, 1.0, 1, 8 * n);
    let mut buffers = Buffers::new(scale);
    let x_id = buffers.input(&x);
    let expected = || (0..n).map(|i| result(&x, n, i)).collect();
    let y_id = buffers.output(&vec![0.0f32; n], Agreement::Within(1e-6), expected);
    Problem {
        grid: cover(n, 256),
        block: [256, 1, 1],
        rust: args![x_id, y_id],
        cuda: Vec::new(),
        buffers,
        work: Work::Items(n),
    }
}
