//! Heat in a plate: a 5-point stencil, many steps between two buffers.
use warpwise::prelude::*;
use warpwise_examples::{report, time, verify};

/// One step; the border keeps its temperature. `rate` is that of the exchange between neighbours.
#[kernel(block = (32, 8))]
fn diffuse(width: usize, rate: f32, now: &[f32], next: &mut [f32]) {
    let (x, y) = (global_idx_x(), global_idx_y());
    let height = now.len() / width;
    if x >= width || y >= height {
        return;
    }
    let i = y * width + x;
    let here = now[i];
    let border = x == 0 || y == 0 || x == width - 1 || y == height - 1;
    next[i] = if border {
        here
    } else {
        let around = now[i - 1] + now[i + 1] + now[i - width] + now[i + width];
        here + rate * (around - 4.0 * here)
    };
}

/// The same, with the same roundings.
fn reference(width: usize, rate: f32, now: &[f32]) -> Vec<f32> {
    let height = now.len() / width;
    let mut next = now.to_vec();
    for y in 1..height - 1 {
        for i in y * width + 1..y * width + width - 1 {
            let around = now[i - 1] + now[i + 1] + now[i - width] + now[i + width];
            next[i] = rate.mul_add((-4.0f32).mul_add(now[i], around), now[i]);
        }
    }
    next
}

fn main() -> warpwise::Result<()> {
    let (width, height, steps, rate) = (1000usize, 700usize, 10, 0.2);
    // A hot upper edge, a warm disc, cold elsewhere.
    let mut host: Vec<f32> = (0..width * height)
        .map(|i| {
            let (x, y) = (i % width, i / width);
            match x.abs_diff(400).pow(2) + y.abs_diff(300).pow(2) {
                _ if y == 0 => 100.0,
                0..10_000 => 60.0,
                _ => 0.0,
            }
        })
        .collect();

    let device = Device::auto()?;
    let mut now = device.upload(&host)?;
    let mut next = device.zeros::<f32>(host.len())?;
    let config = LaunchConfig::cover((width, height));
    let took = time(&device, || {
        for _ in 0..steps {
            diffuse::launch(&device, config, width, rate, &now, &mut next)?;
            std::mem::swap(&mut now, &mut next);
        }
        Ok(())
    })?;

    for _ in 0..steps {
        host = reference(width, rate, &host);
    }
    verify(&now.to_vec()?, host);
    report("stencil", format_args!("{width} x {height}, {steps} steps"), &device, took);
    Ok(())
}
