//! Methods, functions, variants and iterators that are not there.
#![allow(unused)]
use warpwise::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Point {
    x: f32,
}

#[device]
#[derive(Clone, Copy)]
enum Mode {
    Sum,
}

#[kernel]
fn method_of_type_parameter<T: Float>(x: &mut [T]) {
    x[0] = x[0].squared();
}

#[kernel]
fn float_method_of_num<T: Num>(x: &mut [T]) {
    x[0] = x[0].sqrt();
}

mod method_of_type_parameter_in_device_code {
    use warpwise::prelude::*;

    #[device]
    fn norm<T: Float>(a: T, b: T) -> T {
        (a * a + b * b).square_root()
    }
}

#[kernel]
fn method_of_struct(p: Point, x: &mut [f32]) {
    x[0] = p.total();
}

#[kernel]
fn method_of_option(x: &mut [f32]) {
    x[0] = *x.first().or_zero();
}

#[kernel]
fn method_of_iterator(x: &mut [f32]) {
    x[0] = x.iter().average();
}

#[kernel]
fn constructor(x: &mut [f32]) {
    x[0] = Point::new(1.0).x;
}

#[kernel]
fn variant(x: &mut [f32]) {
    let mode = Mode::Product;
    x[0] = 1.0;
}

#[kernel]
fn constant_of_number(x: &mut [f32]) {
    x[0] = f32::LARGEST;
}

#[kernel]
fn loop_over_length(x: &mut [f32]) {
    for i in x.len() {
        x[i] = 0.0;
    }
}

fn main() {}
