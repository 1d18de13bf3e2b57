//! A matrix transpose through a shared tile, so that both loads and stores are coalesced.
//! A row of the tile is 33 elements long: with 32, reading a column would hit one bank 32 times.
use warpwise::prelude::*;
use warpwise_examples::{report, time, verify};

#[kernel(block = (32, 8))]
fn transpose(width: usize, height: usize, input: &[f32], output: &mut [f32]) {
    let tile = shared!([[f32; 33]; 32]);
    let tx = thread_idx_x();
    let ty = thread_idx_y();
    let left = block_idx_x() * 32;
    let top = block_idx_y() * 32;

    for down in (0..32).step_by(8) {
        let x = left + tx;
        let y = top + ty + down;
        if x < width && y < height {
            tile[ty + down][tx] = input[y * width + x];
        }
    }
    sync_threads();
    for down in (0..32).step_by(8) {
        let x = top + tx;
        let y = left + ty + down;
        if x < height && y < width {
            output[y * height + x] = tile[tx][ty + down];
        }
    }
}

fn main() -> warpwise::Result<()> {
    let (width, height) = (2000, 1500);
    let host: Vec<f32> = (0..width * height).map(|i| i as f32).collect();

    let device = Device::auto()?;
    let input = device.upload(&host)?;
    let mut output = device.zeros::<f32>(width * height)?;
    let config = LaunchConfig::grid((width.div_ceil(32), height.div_ceil(32))).block((32, 8));
    let took =
        time(&device, || transpose::launch(&device, config, width, height, &input, &mut output))?;

    let transposed = (0..width * height).map(|i| host[i % height * width + i / height]);
    verify(&output.to_vec()?, transposed);
    report("transpose_padded", format_args!("{width} x {height}"), &device, took);
    Ok(())
}
