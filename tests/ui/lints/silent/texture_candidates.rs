//! Images whose elements a kernel does not interpolate, and textures.
#![deny(warnings)]
use warpwise::{Texture2, prelude::*};

/// A texture is what the lint asks for.
#[kernel(block = 256, deny(gpu_texture_candidates))]
fn sampled(image: Texture2<f32>, x: &[f32], y: &[f32], out: &mut [f32]) {
    let i = global_idx_x();
    if i < out.len() && i < x.len() && i < y.len() {
        out[i] = image.sample(x[i] + 0.5, y[i] + 0.5);
    }
}

/// A stencil: the places are integers.
#[kernel(block = (32, 8), deny(gpu_texture_candidates))]
fn blurred(image: &[f32], width: usize, height: usize, out: &mut [f32]) {
    let (x, y) = (global_idx_x(), global_idx_y());
    if x + 1 < width && y + 1 < height && width * height <= image.len() && width * height <= out.len() {
        let at = y * width + x;
        out[at] = (image[at] + image[at + 1] + image[at + width] + image[at + width + 1]) * 0.25;
    }
}

fn main() {}
