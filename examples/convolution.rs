//! 2-D convolution with a mask of any radius. The 32 by 32 threads of a block load as many pixels,
//! and the inner ones, for which the tile has all neighbours, compute a result.
use warpwise::prelude::*;
use warpwise_examples::{report, time, verify};

#[kernel(block = (32, 32))]
fn convolve<const RADIUS: usize>(width: usize, mask: &[f32], image: &[f32], out: &mut [f32]) {
    let tile = shared!([[f32; 32]; 32]);
    let height = image.len() / width;
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let inner = 32 - 2 * RADIUS;

    // Left of the image and above it these wrap around, to beyond its other end. Outside it is
    // black.
    let x = (block_idx_x() * inner + tx).wrapping_sub(RADIUS);
    let y = (block_idx_y() * inner + ty).wrapping_sub(RADIUS);
    let inside = x < width && y < height;
    tile[ty][tx] = if inside { image[y * width + x] } else { 0.0 };
    sync_threads();

    let is_inner = tx.wrapping_sub(RADIUS) < inner && ty.wrapping_sub(RADIUS) < inner;
    if inside && is_inner {
        let mut sum = 0.0;
        for v in 0..2 * RADIUS + 1 {
            for u in 0..2 * RADIUS + 1 {
                sum += mask[v * (2 * RADIUS + 1) + u] * tile[ty + v - RADIUS][tx + u - RADIUS];
            }
        }
        out[y * width + x] = sum;
    }
}

/// The same sums in the same order, each step with one rounding.
fn reference(radius: usize, width: usize, mask: &[f32], image: &[f32]) -> Vec<f32> {
    let (side, height) = (2 * radius + 1, image.len() / width);
    let pixel = |x: usize, y: usize| {
        let inside = x >= radius && y >= radius && x < width + radius && y < height + radius;
        if inside { image[(y - radius) * width + x - radius] } else { 0.0 }
    };
    let sum = |i: usize| {
        let (x, y) = (i % width, i / width);
        mask.iter()
            .enumerate()
            .fold(0.0f32, |sum, (k, weight)| weight.mul_add(pixel(x + k % side, y + k / side), sum))
    };
    (0..image.len()).map(sum).collect()
}

/// Convolves an image with a mask of this radius, and verifies the result.
fn run<const RADIUS: usize>(device: &Device, width: usize, height: usize) -> warpwise::Result<()> {
    let side = 2 * RADIUS + 1;
    let host_image: Vec<f32> = (0..width * height).map(|i| (i * 37 % 256) as f32).collect();
    let host_mask: Vec<f32> = (0..side * side).map(|k| (k % 5) as f32 / 10.0 - 0.15).collect();

    let image = device.upload(&host_image)?;
    let mask = device.upload(&host_mask)?;
    let mut out = device.zeros::<f32>(width * height)?;
    let inner = 32 - 2 * RADIUS;
    let config = LaunchConfig::grid((width.div_ceil(inner), height.div_ceil(inner)));
    let took = time(device, || {
        convolve::<RADIUS>::launch(device, config, width, &mask, &image, &mut out)
    })?;

    verify(&out.to_vec()?, reference(RADIUS, width, &host_mask, &host_image));
    let size = format_args!("{width} x {height} by {side} x {side}");
    report("convolution", size, device, took);
    Ok(())
}

fn main() -> warpwise::Result<()> {
    let device = Device::auto()?;
    run::<1>(&device, 640, 480)?;
    run::<3>(&device, 640, 480)
}
