//! Device types that no buffer holds and no kernel takes by value.
use warpwise::prelude::*;

#[device]
struct Moves {
    x: f32,
}

#[device]
#[derive(Clone, Copy)]
struct Tuple {
    pair: (f32, u8),
}

#[device]
#[derive(Clone, Copy)]
struct Borrows<'a> {
    values: &'a [f32],
}

#[device]
#[derive(Clone, Copy)]
enum NoZero {
    One = 1,
}

#[device]
#[derive(Clone, Copy)]
enum Shape {
    Circle(f32),
    Nothing,
}

#[kernel]
fn writes(shapes: &mut [Shape]) {
    shapes[0] = Shape::Circle(1.0);
}

#[kernel]
fn takes(shape: Shape, y: &mut [f32]) {
    if let Shape::Circle(radius) = shape {
        y[0] = radius;
    }
}

#[kernel]
fn moves(values: &[Moves], y: &mut [f32]) {
    y[0] = values[0].x;
}

fn main() {
    let device = Device::cpu();
    let _ = device.upload(&[Moves { x: 1.0 }]);
    let _ = device.upload(&[Tuple { pair: (1.0, 2) }]);
    let _ = device.upload(&[Borrows { values: &[] }]);
    let _ = device.upload(&[NoZero::One]);
}
