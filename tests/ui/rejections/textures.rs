//! Mistakes with textures.
use warpwise::{Texture2, prelude::*};

#[kernel]
fn chosen(a: Texture2<f32>, b: Texture2<f32>, y: &mut [f32]) {
    let i = global_idx_x();
    let image = if i % 2 == 0 { a } else { b };
    y[i] = image.sample(0.5, 0.5);
}

#[kernel]
fn assigned(a: Texture2<f32>, b: Texture2<f32>, y: &mut [f32]) {
    let mut image = a;
    for i in 0..y.len() {
        y[i] = image.sample(0.5, 0.5);
        image = b;
    }
}

#[kernel]
fn wide(image: Texture2<f64>, y: &mut [f64]) {
    y[0] = image.sample(0.5, 0.5);
}

#[kernel]
fn indexed(image: Texture2<f32>, y: &mut [f32]) {
    y[0] = image[(0, 0)];
}

#[kernel]
fn integers(image: Texture2<f32>, y: &mut [f32]) {
    let (column, row) = (global_idx_x(), global_idx_y());
    y[0] = image.sample(column, row);
}

#[kernel]
fn inside(images: [Texture2<f32>; 2], y: &mut [f32]) {
    y[0] = images[0].sample(0.5, 0.5);
}

#[kernel]
fn borrowed(image: &Texture2<f32>, y: &mut [f32]) {
    y[0] = image.sample(0.5, 0.5);
}

fn main() {}
