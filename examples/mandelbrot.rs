//! The Mandelbrot set, written as a PNG: `mandelbrot [PATH]`, by default `target/mandelbrot.png`.
use std::{
    error::Error,
    fs::{File, create_dir_all},
    io::BufWriter,
    path::{Path, PathBuf},
};
use warpwise::prelude::*;
use warpwise_examples::{report, time, verify};

const WIDTH: usize = 1200;
const HEIGHT: usize = 1000;
const LIMIT: u32 = 200;

/// After how many steps of `z = z^2 + c` the point has left the circle of radius 2, at most
/// `limit`.
#[device]
fn escape_time(cx: f32, cy: f32, limit: u32) -> u32 {
    let mut x = 0.0;
    let mut y = 0.0;
    let mut steps = 0;
    while steps < limit && x * x + y * y <= 4.0 {
        let next = x * x - y * y + cx;
        y = 2.0 * x * y + cy;
        x = next;
        steps += 1;
    }
    steps
}

// Without contraction each operation rounds by itself, as in host code, so that the host's
// `escape_time` gives the same counts.
#[kernel(contract = false)]
fn mandelbrot(width: usize, height: usize, limit: u32, steps: &mut [u32]) {
    let column = global_idx_x();
    let row = global_idx_y();
    if column < width && row < height {
        let cx = column as f32 / width as f32 * 3.0 - 2.25;
        let cy = row as f32 / height as f32 * 2.5 - 1.25;
        steps[row * width + column] = escape_time(cx, cy, limit);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::auto()?;
    let mut steps = device.zeros::<u32>(WIDTH * HEIGHT)?;
    let config = LaunchConfig::cover((WIDTH, HEIGHT));
    let took =
        time(&device, || mandelbrot::launch(&device, config, WIDTH, HEIGHT, LIMIT, &mut steps))?;
    let steps = steps.to_vec()?;

    let expected = (0..WIDTH * HEIGHT).map(|i| {
        let cx = (i % WIDTH) as f32 / WIDTH as f32 * 3.0 - 2.25;
        let cy = (i / WIDTH) as f32 / HEIGHT as f32 * 2.5 - 1.25;
        escape_time(cx, cy, LIMIT)
    });
    verify(&steps, expected);
    report("mandelbrot", format_args!("{WIDTH} x {HEIGHT}, {LIMIT} steps"), &device, took);

    let path = std::env::args_os().nth(1).map_or_else(default_path, PathBuf::from);
    write_png(&path, &steps)?;
    println!("wrote {}", path.display());
    Ok(())
}

fn default_path() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../target/mandelbrot.png"))
}

fn write_png(path: &Path, steps: &[u32]) -> Result<(), Box<dyn Error>> {
    if let Some(folder) = path.parent() {
        create_dir_all(folder)?;
    }
    let mut encoder =
        png::Encoder::new(BufWriter::new(File::create(path)?), WIDTH as u32, HEIGHT as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let pixels: Vec<u8> = steps.iter().flat_map(|&steps| color(steps)).collect();
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    writer.finish()?;
    Ok(())
}

/// Black inside the set; outside from blue over white and gold back to dark blue.
fn color(steps: u32) -> [u8; 3] {
    const STOPS: [[f32; 3]; 5] = [
        [0.0, 7.0, 100.0],
        [32.0, 107.0, 203.0],
        [237.0, 255.0, 255.0],
        [255.0, 170.0, 0.0],
        [0.0, 7.0, 100.0],
    ];
    if steps == LIMIT {
        return [0; 3];
    }
    let place = (steps as f32).sqrt() * 0.45 % (STOPS.len() - 1) as f32;
    let (from, to) = (STOPS[place as usize], STOPS[place as usize + 1]);
    std::array::from_fn(|i| (from[i] + (to[i] - from[i]) * place.fract()) as u8)
}
