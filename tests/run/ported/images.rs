//! Images: `SobelFilter`, `boxFilter`, `bilateralFilter`, `bicubicTexture` from a buffer,
//! `recursiveGaussian` and `convolutionSeparable`.
use super::noise;
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::prelude::*;

cases![sobel: THREADS_MEET, box_filter, sampling, bilateral: STD, separable: THREADS_MEET, recursive];

#[device]
#[derive(Clone, Copy)]
struct Size {
    width: usize,
    height: usize,
}

#[device]
impl Size {
    /// Returns the pixel at a place, or the nearest one inside.
    fn nearest(&self, x: isize, y: isize) -> usize {
        let x = x.clamp(0, self.width as isize - 1) as usize;
        let y = y.clamp(0, self.height as isize - 1) as usize;
        y * self.width + x
    }
}

fn grays(size: Size) -> Vec<u8> {
    noise(size.width * size.height).iter().map(|v| (v >> 24) as u8).collect()
}

/// Finds edges from a tile with a border of one pixel.
#[kernel(block = (16, 16))]
fn edges(size: Size, scale: f32, image: &[u8], out: &mut [u8]) {
    let tile = shared!([[u8; 18]; 18]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (left, top) = (block_idx_x() * 16, block_idx_y() * 16);
    for k in (ty * 16 + tx..18 * 18).step_by(256) {
        let (row, column) = (k / 18, k % 18);
        let (x, y) = (left as isize + column as isize - 1, top as isize + row as isize - 1);
        tile[row][column] = image[size.nearest(x, y)];
    }
    sync_threads();
    let (x, y) = (left + tx, top + ty);
    if x >= size.width || y >= size.height {
        return;
    }
    let pixel = |row: usize, column: usize| tile[ty + row][tx + column] as i32;
    let horizontal =
        pixel(0, 2) + 2 * pixel(1, 2) + pixel(2, 2) - pixel(0, 0) - 2 * pixel(1, 0) - pixel(2, 0);
    let vertical =
        pixel(0, 0) + 2 * pixel(0, 1) + pixel(0, 2) - pixel(2, 0) - 2 * pixel(2, 1) - pixel(2, 2);
    let sum = scale * (horizontal.abs() + vertical.abs()) as f32;
    out[y * size.width + x] = sum as u8;
}

fn sobel(on: &Engine) -> Check {
    let (size, scale) = (Size { width: 50, height: 37 }, 0.5);
    let image = grays(size);
    let mut out = vec![0; image.len()];
    let config = LaunchConfig::cover((50, 37));
    launch!(on, edges(value size, value scale, read image, write out), config)?;
    let mut want = Vec::new();
    for y in 0..37 {
        for x in 0..50 {
            let pixel = |dx: isize, dy: isize| i32::from(image[size.nearest(x + dx, y + dy)]);
            let (mut h, mut v) = (0, 0);
            for (k, weight) in [(-1, 1), (0, 2), (1, 1)] {
                h += weight * (pixel(1, k) - pixel(-1, k));
                v += weight * (pixel(k, -1) - pixel(k, 1));
            }
            want.push((0.5 * (h.abs() + v.abs()) as f32) as u8);
        }
    }
    same("out", &out, &want)
}

/// One row per thread, with a sum that slides along it.
#[kernel]
fn slide(size: Size, radius: usize, image: &[u8], out: &mut [u8]) {
    let y = global_idx_y();
    if y >= size.height || global_idx_x() > 0 {
        return;
    }
    let row = &image[y * size.width..(y + 1) * size.width];
    let out = &mut out[y * size.width..(y + 1) * size.width];
    let count = 2 * radius as u32 + 1;
    let at = |x: isize| row[x.clamp(0, row.len() as isize - 1) as usize] as u32;
    let mut sum = 0;
    for x in 0..count {
        sum += at(x as isize - radius as isize);
    }
    for (x, pixel) in out.iter_mut().enumerate() {
        *pixel = (sum / count) as u8;
        let x = x as isize;
        sum += at(x + radius as isize + 1);
        sum -= at(x - radius as isize);
    }
}

fn box_filter(on: &Engine) -> Check {
    let (size, radius) = (Size { width: 40, height: 20 }, 3);
    let image = grays(size);
    let mut out = vec![0; image.len()];
    let config = LaunchConfig::cover((1, 20)).block((1, 32));
    launch!(on, slide(value size, value radius, read image, write out), config)?;
    let want: Vec<u8> = (0..800)
        .map(|i| {
            let pixels = (-3..=3).map(|k| u32::from(image[size.nearest(i % 40 + k, i / 40)]));
            (pixels.sum::<u32>() / 7) as u8
        })
        .collect();
    same("out", &out, &want)
}

/// Samples like `tex2D` with linear filtering: the surrounding pixels, weighted by their distance.
#[device]
fn bilinear(size: &Size, image: &[f32], x: f32, y: f32) -> f32 {
    let (left, top) = (x.floor(), y.floor());
    let (right, below) = (x - left, y - top);
    let pixel = |dx, dy| image[size.nearest(left as isize + dx, top as isize + dy)];
    let upper = pixel(0, 0) * (1.0 - right) + pixel(1, 0) * right;
    let lower = pixel(0, 1) * (1.0 - right) + pixel(1, 1) * right;
    upper * (1.0 - below) + lower * below
}

/// Returns the weights of four pixels in a row, by Catmull and Rom.
#[device]
fn catmull_rom(t: f32) -> [f32; 4] {
    [
        t * (-0.5 + t * (1.0 - 0.5 * t)),
        1.0 + t * t * (1.5 * t - 2.5),
        t * (0.5 + t * (2.0 - 1.5 * t)),
        t * t * (0.5 * t - 0.5),
    ]
}

#[device]
fn bicubic(size: &Size, image: &[f32], x: f32, y: f32) -> f32 {
    let (left, top) = (x.floor(), y.floor());
    let (across, down) = (catmull_rom(x - left), catmull_rom(y - top));
    let mut sum = 0.0;
    for (j, v) in down.into_iter().enumerate() {
        for (i, w) in across.iter().enumerate() {
            let (x, y) = (left as isize + i as isize - 1, top as isize + j as isize - 1);
            sum += v * w * image[size.nearest(x, y)];
        }
    }
    sum
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Filter {
    Nearest,
    Linear,
    Cubic,
}

/// Rotates and shrinks an image.
#[kernel(contract = false)]
fn resampled(size: Size, filter: Filter, turn: [f32; 2], image: &[f32], out: &mut [f32]) {
    let (x, y) = (global_idx_x(), global_idx_y());
    if x < size.width && y < size.height {
        let (dx, dy) = (x as f32 - size.width as f32 / 2.0, y as f32 - size.height as f32 / 2.0);
        let u = turn[0] * dx - turn[1] * dy + size.width as f32 / 2.0;
        let v = turn[1] * dx + turn[0] * dy + size.height as f32 / 2.0;
        out[y * size.width + x] = match filter {
            Filter::Nearest => image[size.nearest(u.round() as isize, v.round() as isize)],
            Filter::Linear => bilinear(&size, image, u, v),
            Filter::Cubic => bicubic(&size, image, u, v),
        };
    }
}

fn sampling(on: &Engine) -> Check {
    let (size, turn) = (Size { width: 30, height: 25 }, [1.2f32, 0.5]);
    let image: Vec<f32> = grays(size).into_iter().map(f32::from).collect();
    for filter in [Filter::Nearest, Filter::Linear, Filter::Cubic] {
        let mut out = vec![0.0; image.len()];
        let config = LaunchConfig::cover((30, 25));
        launch!(on, resampled(value size, value filter, value turn, read image, write out), config)?;
        let want: Vec<f32> = (0..750)
            .map(|i| {
                let (dx, dy) = ((i % 30) as f32 - 15.0, (i / 30) as f32 - 12.5);
                let u = turn[0] * dx - turn[1] * dy + 15.0;
                let v = turn[1] * dx + turn[0] * dy + 12.5;
                let (left, top) = (u.floor(), v.floor());
                let (a, b) = (u - left, v - top);
                let pixel = |dx, dy| image[size.nearest(left as isize + dx, top as isize + dy)];
                match filter {
                    Filter::Nearest => image[size.nearest(u.round() as isize, v.round() as isize)],
                    Filter::Linear => {
                        (pixel(0, 0) * (1.0 - a) + pixel(1, 0) * a) * (1.0 - b)
                            + (pixel(0, 1) * (1.0 - a) + pixel(1, 1) * a) * b
                    }
                    Filter::Cubic => {
                        let (mut sum, across, down) = (0.0, catmull_rom(a), catmull_rom(b));
                        for j in 0..4 {
                            for i in 0..4 {
                                let pixel = pixel(i as isize - 1, j as isize - 1);
                                sum += down[j] * across[i] * pixel;
                            }
                        }
                        sum
                    }
                }
            })
            .collect();
        same(&format!("{filter:?}"), &out, &want)?;
    }
    Ok(())
}

#[kernel(contract = false)]
fn smoothed(size: Size, near: f32, alike: f32, image: &[f32], out: &mut [f32]) {
    let (x, y) = (global_idx_x() as isize, global_idx_y() as isize);
    if x >= size.width as isize || y >= size.height as isize {
        return;
    }
    let center = image[size.nearest(x, y)];
    let (mut sum, mut weights) = (0.0, 0.0);
    for dy in -2..=2 {
        for dx in -2..=2 {
            let pixel = image[size.nearest(x + dx, y + dy)];
            let distance = (dx * dx + dy * dy) as f32;
            let weight = (-distance * near - (pixel - center).powi(2) * alike).exp();
            sum += weight * pixel;
            weights += weight;
        }
    }
    out[size.nearest(x, y)] = sum / weights;
}

fn bilateral(on: &Engine) -> Check {
    let (size, near, alike) = (Size { width: 20, height: 18 }, 0.1, 0.0005);
    let image: Vec<f32> = grays(size).into_iter().map(f32::from).collect();
    let mut out = vec![0.0; image.len()];
    let config = LaunchConfig::cover((20, 18));
    launch!(on, smoothed(value size, value near, value alike, read image, write out), config)?;
    let want: Vec<f32> = (0..360)
        .map(|i| {
            let (x, y) = (i % 20, i / 20);
            let center = image[size.nearest(x, y)];
            let (mut sum, mut weights) = (0.0, 0.0);
            for dy in -2..=2 {
                for dx in -2..=2 {
                    let pixel = image[size.nearest(x + dx, y + dy)];
                    let (distance, off) = ((dx * dx + dy * dy) as f32, pixel - center);
                    let weight = math::exp(-distance * near - off * off * alike);
                    sum += weight * pixel;
                    weights += weight;
                }
            }
            sum / weights
        })
        .collect();
    same("out", &out, &want)
}

/// Filters rows by a tile with `R` more pixels on both sides, `TILE` in all; columns are rows of
/// the transposed image.
#[kernel(block = 64, contract = false)]
fn rows<const R: usize, const TILE: usize>(
    width: usize,
    weights: &[f32],
    image: &[f32],
    transposed: &mut [f32],
) {
    let tile = shared!([f32; TILE]);
    let (t, y) = (thread_idx_x(), block_idx_y());
    let (first, height) = (block_idx_x() * 64, grid_dim_y());
    let row = &image[y * width..][..width];
    for k in (t..tile.len()).step_by(64) {
        tile[k] = if first + k >= R && first + k - R < width { row[first + k - R] } else { 0.0 };
    }
    sync_threads();
    let x = first + t;
    if x < width {
        let around = &tile[t..t + weights.len()];
        let sum = around.iter().zip(weights).map(|(pixel, weight)| pixel * weight).sum::<f32>();
        transposed[x * height + y] = sum;
    }
}

fn separable(on: &Engine) -> Check {
    let (width, height) = (70, 30);
    let weights = vec![0.0625, 0.25, 0.375, 0.25, 0.0625];
    let image: Vec<f32> = grays(Size { width, height }).into_iter().map(f32::from).collect();
    let (mut middle, mut out) = (vec![0.0; image.len()], vec![0.0; image.len()]);
    let config = LaunchConfig::grid((2, height));
    launch!(on, rows::<2, 68>(value width, read weights, read image, write middle), config)?;
    let config = LaunchConfig::grid((1, width));
    launch!(on, rows::<2, 68>(value height, read weights, read middle, write out), config)?;
    let along = |image: &dyn Fn(isize) -> f32, x: isize| -> f32 {
        (-2..=2).zip(&weights).map(|(k, weight)| image(x + k) * weight).sum()
    };
    let inside = |at: isize, len: usize| (0..len as isize).contains(&at);
    let blurred: Vec<f32> = (0..(width * height) as isize)
        .map(|i| {
            let (x, y) = (i % 70, i / 70);
            along(&|x| if inside(x, width) { image[(y * 70 + x) as usize] } else { 0.0 }, x)
        })
        .collect();
    let want: Vec<f32> = (0..(width * height) as isize)
        .map(|i| {
            let (x, y) = (i % 70, i / 70);
            along(&|y| if inside(y, height) { blurred[(y * 70 + x) as usize] } else { 0.0 }, y)
        })
        .collect();
    same("out", &out, &want)
}

/// A first-order filter along columns, forward and back.
#[kernel(contract = false)]
fn smoothed_columns(width: usize, a: f32, image: &[f32], out: &mut [f32]) {
    let x = global_idx_x();
    if x >= width {
        return;
    }
    let height = image.len() / width;
    let mut last = image[x];
    for y in 0..height {
        last = image[y * width + x] * (1.0 - a) + last * a;
        out[y * width + x] = last;
    }
    for y in (0..height).rev() {
        let at = y * width + x;
        last = out[at] * (1.0 - a) + last * a;
        out[at] = last;
    }
}

fn recursive(on: &Engine) -> Check {
    let (width, a) = (33, 0.75);
    let image: Vec<f32> = grays(Size { width, height: 21 }).into_iter().map(f32::from).collect();
    let mut out = vec![0.0; image.len()];
    let config = LaunchConfig::cover(width);
    launch!(on, smoothed_columns(value width, value a, read image, write out), config)?;
    let mut want = image.clone();
    for x in 0..width {
        let mut last = image[x];
        for at in (x..image.len()).step_by(width) {
            last = want[at] * (1.0 - a) + last * a;
            want[at] = last;
        }
        for at in (x..image.len()).step_by(width).rev() {
            last = want[at] * (1.0 - a) + last * a;
            want[at] = last;
        }
    }
    same("out", &out, &want)
}
