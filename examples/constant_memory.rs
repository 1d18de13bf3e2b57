//! An image filter whose weights are in constant memory. All threads of a warp read the same weight
//! at the same time, which constant memory serves in one turn. The second kernel maps gray values
//! to colors by a palette, of which each thread reads another word: the counters show the turns
//! that this takes.
use warpwise::{Simulator, prelude::*};
use warpwise_examples::{report, time, verify};

#[device]
const SIDE: usize = 7;

/// Filters an image; outside of it is black.
#[kernel(block = (32, 8))]
fn filter(width: usize, #[constant] weights: &[f32; SIDE * SIDE], image: &[f32], out: &mut [f32]) {
    let (x, y) = (global_idx_x(), global_idx_y());
    let height = image.len() / width;
    if x >= width || y >= height {
        return;
    }
    let mut sum = 0.0;
    for v in 0..SIDE {
        for u in 0..SIDE {
            // Left of the image and above it these wrap around, to beyond its other end.
            let (column, row) = ((x + u).wrapping_sub(SIDE / 2), (y + v).wrapping_sub(SIDE / 2));
            if column < width && row < height {
                sum += weights[v * SIDE + u] * image[row * width + column];
            }
        }
    }
    out[y * width + x] = sum;
}

/// Looks colors up by an index that differs from lane to lane: not a use of constant memory.
#[kernel]
fn color(#[constant(max = 256)] palette: &[u32], image: &[f32], out: &mut [u32]) {
    let i = global_idx_x();
    if i < image.len() && i < out.len() {
        out[i] = palette[image[i] as usize % palette.len()];
    }
}

/// The same sums in the same order, each step with one rounding.
fn filtered(width: usize, weights: &[f32], image: &[f32]) -> Vec<f32> {
    let height = image.len() / width;
    let sum = |i: usize| {
        let (x, y) = (i % width, i / width);
        let inside = |(k, weight): (usize, &f32)| {
            let column = (x + k % SIDE).checked_sub(SIDE / 2).filter(|column| *column < width)?;
            let row = (y + k / SIDE).checked_sub(SIDE / 2).filter(|row| *row < height)?;
            Some((*weight, image[row * width + column]))
        };
        let terms = weights.iter().enumerate().filter_map(inside);
        terms.fold(0.0f32, |sum, (weight, pixel)| weight.mul_add(pixel, sum))
    };
    (0..image.len()).map(sum).collect()
}

/// Filters an image by several sets of weights, each of which is copied to constant memory once.
fn run(device: &Device, width: usize, height: usize) -> warpwise::Result<()> {
    let host_image: Vec<f32> = (0..width * height).map(|i| (i * 37 % 256) as f32).collect();
    let blur = [1.0 / (SIDE * SIDE) as f32; SIDE * SIDE];
    let edges = std::array::from_fn(|k| if k == SIDE * SIDE / 2 { 48.0 } else { -1.0 });

    let image = device.upload(&host_image)?;
    let mut out = device.zeros::<f32>(width * height)?;
    let config = LaunchConfig::cover((width, height));
    for (name, weights) in [("blur", blur), ("edges", edges)] {
        let constant = device.constant(&weights)?;
        let took =
            time(device, || filter::launch(device, config, width, &constant, &image, &mut out))?;
        verify(&out.to_vec()?, filtered(width, &weights, &host_image));
        report("constant_memory", format_args!("{name} of {width} x {height}"), device, took);
    }
    Ok(())
}

/// Counts the wavefronts of constant memory of both kernels.
fn count() -> warpwise::Result<()> {
    let simulator = Simulator::new().counters();
    let device = simulator.device();
    let (width, height) = (64, 8);
    let host_image: Vec<f32> = (0..width * height).map(|i| (i * 37 % 256) as f32).collect();
    let image = device.upload(&host_image)?;
    let mut out = device.zeros::<f32>(width * height)?;
    let weights = device.constant(&[1.0; SIDE * SIDE])?;
    filter::launch(
        &device,
        LaunchConfig::cover((width, height)),
        width,
        &weights,
        &image,
        &mut out,
    )?;

    let host_palette: Vec<u32> = (0..256).map(|gray| gray * 0x01_0101).collect();
    let palette = device.constant(&host_palette[..])?;
    let mut colors = device.zeros::<u32>(width * height)?;
    color::launch(&device, LaunchConfig::cover(width * height), &palette, &image, &mut colors)?;
    verify(&colors.to_vec()?, host_image.iter().map(|gray| host_palette[*gray as usize]));

    for launch in simulator.take_counters() {
        let loads = launch.total.constant_loads;
        println!(
            "{}: {} requests to constant memory in {} wavefronts",
            launch.kernel, loads.requests, loads.wavefronts
        );
    }
    Ok(())
}

fn main() -> warpwise::Result<()> {
    run(&Device::auto()?, 640, 480)?;
    count()
}
