//! An image that a kernel interpolates by itself.
use warpwise::prelude::*;

#[kernel(block = 256, deny(gpu_texture_candidates))]
fn warped(image: &[f32], width: usize, x: &[f32], y: &[f32], out: &mut [f32]) {
    let i = global_idx_x();
    if i < out.len() && i < x.len() && i < y.len() {
        let (column, row) = (x[i].floor() as usize, y[i].floor() as usize);
        let (u, v) = (x[i] - x[i].floor(), y[i] - y[i].floor());
        let at = row * width + column;
        let above = image[at] * (1.0 - u) + image[at + 1] * u;
        let below = image[at + width] * (1.0 - u) + image[at + width + 1] * u;
        out[i] = above * (1.0 - v) + below * v;
    }
}

fn main() {}
