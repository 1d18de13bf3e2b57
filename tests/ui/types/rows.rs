//! Arrays of two dimensions: parameters, arguments and indices of the wrong type.
use warpwise::{Rows, RowsMut, prelude::*};

#[kernel]
fn not_mutable(x: Rows<f32>, y: RowsMut<f32>) {
    y[(0, 0)] = x[(0, 0)];
}

#[kernel]
fn only_read(x: Rows<f32>) {
    x[(0, 0)] = 1.0;
}

#[kernel]
fn wrong_index(x: Rows<f32>, mut y: RowsMut<f32>) {
    y[(0, 0)] = x[(0, 0, 0)];
}

/// A struct of one's own with a slice.
#[device]
#[derive(Clone, Copy)]
struct Image<'a, T> {
    pixels: &'a [T],
    width: usize,
}

#[kernel]
fn own_view(image: Image<f32>) {
    assert!(image.pixels.len() == image.width);
}

#[kernel]
fn copy(x: Rows<f32>, mut y: RowsMut<f32>) {
    y[(0, 0)] = x[(0, 0)];
}

fn main() {
    let device = Device::cpu();
    let flat = device.zeros::<f32>(4).unwrap();
    let mut y = device.zeros_2d::<f32>((2, 2)).unwrap();
    copy::launch(&device, LaunchConfig::cover((2, 2)), &flat, &mut y).unwrap();
}
