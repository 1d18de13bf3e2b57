//! Mistakes with the levels of textures.
use warpwise::{Texture1, Texture2, Texture3, prelude::*};

#[kernel]
fn integer_level(image: Texture2<f32>, y: &mut [f32]) {
    y[0] = image.sample_level(0.5, 0.5, 1);
}

#[kernel]
fn index_as_level(image: Texture2<f32>, y: &mut [f32]) {
    y[0] = image.sample_level(0.5, 0.5, global_idx_x());
}

#[kernel]
fn wide_level(image: Texture2<f32>, level: f64, y: &mut [f32]) {
    y[0] = image.sample_level(0.5, 0.5, level);
}

#[kernel]
fn level_missing(image: Texture2<f32>, y: &mut [f32]) {
    y[0] = image.sample_level(0.5, 0.5);
}

#[kernel]
fn flat_gradients(image: Texture2<f32>, y: &mut [f32]) {
    y[0] = image.sample_gradient(0.5, 0.5, 0.1, 0.1);
}

#[kernel]
fn one_dimension(table: Texture1<f32>, y: &mut [f32]) {
    y[0] = table.sample_level(0.5, 1.0);
}

#[kernel]
fn three_dimensions(volume: Texture3<f32>, y: &mut [f32]) {
    y[0] = volume.sample_gradient(0.5, 0.5, (0.1, 0.0), (0.0, 0.1));
}

#[kernel]
fn chosen(a: Texture2<f32>, b: Texture2<f32>, y: &mut [f32]) {
    let image = if y.len() > 3 { a } else { b };
    y[0] = image.sample_level(0.5, 0.5, 1.0);
}

fn main() {}
