//! Wrong types, and literals of other languages.
#![allow(unused)]
use warpwise::prelude::*;

mod rows_index_u32 {
    use warpwise::prelude::*;

    use warpwise::RowsMut;
    #[kernel]
    fn k(mut m: RowsMut<f32>, i: u32) {
        m[(i, 0)] = 1.0;
    }
}

mod rows_index_double {
    use warpwise::prelude::*;

    use warpwise::RowsMut;
    #[kernel]
    fn k(mut m: RowsMut<f32>) {
        m[0u32][0] = 1.0;
    }
}

#[kernel]
fn float_int_mix(x: &mut [f32]) {
    let i = global_idx_x();
    x[i] = i * 2.0;
}

#[kernel]
fn int_literal_for_float(x: &mut [f32]) {
    x[0] = 1;
}

#[kernel]
fn f64_f32_mix(x: &mut [f32], a: f64) {
    x[0] = x[0] * a;
}

#[kernel]
fn usize_u32_compare(x: &mut [f32], n: u32) {
    if global_idx_x() < n {
        x[0] = 1.0;
    }
}

#[kernel]
fn global_idx_minus(x: &mut [i32]) {
    x[0] = global_idx_x() - 1;
}

#[kernel]
fn bool_as_float(x: &mut [f32]) {
    x[0] = (x[0] > 0.0) as f32;
}

#[kernel]
fn if_int(x: &mut [u32]) {
    if x[0] {
        x[1] = 1;
    }
}

#[kernel]
fn negate_unsigned(x: &mut [u32]) {
    x[0] = -x[0];
}

#[kernel]
fn char_type(x: &mut [u32]) {
    let c = 'a';
    x[0] = c as u32;
}

#[kernel]
fn str_param(x: &mut [u32], s: &str) {
    x[0] = s.len() as u32;
}

#[kernel]
fn vec_param(x: Vec<f32>, y: &mut [f32]) {
    y[0] = x[0];
}

#[kernel]
fn vec_param_assigned(x: &[f32], y: Vec<f32>) {
    y[0] = x[0];
}

#[kernel]
fn ptr_param_dereferenced(x: &[f32], y: *mut f32) {
    *y.add(0) = x[0];
}

#[kernel]
fn ptr_param(x: *const f32, y: &mut [f32]) {
    y[0] = 1.0;
}

#[kernel]
fn u128_param(x: &mut [u128]) {
    x[0] = 1;
}

#[kernel]
fn tuple_index(x: &mut [(f32, f32)]) {
    x[0][1] = 1.0;
}

#[kernel]
fn missing_deref(x: &mut [f32]) {
    for v in x.iter_mut() {
        v += 1.0;
    }
}

#[kernel]
fn double_literal(x: &mut [f32]) {
    x[0] *= 0.5f64;
}

#[kernel]
fn double_constant(x: &mut [f32]) {
    x[0] = (x[0] * std::f64::consts::PI).sin();
}

fn main() {}
