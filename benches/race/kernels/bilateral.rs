//! A bilateral filter of 5x5 pixels: weights by distance and by difference.
use super::prelude::*;

#[kernel(block = (16, 16))]
fn bilateral(width: usize, height: usize, image: &[f32], out: &mut [f32]) {
    let (x, y) = (global_idx_x(), global_idx_y());
    if x >= 2 && x + 2 < width && y >= 2 && y + 2 < height {
        let centre = image[y * width + x];
        let (mut sum, mut total) = (0.0, 0.0);
        for dy in 0..5 {
            for dx in 0..5 {
                let value = image[(y + dy - 2) * width + x + dx - 2];
                let (right, down) = (dx as f32 - 2.0, dy as f32 - 2.0);
                let away = value - centre;
                let weight = (-0.125 * (right * right + down * down) - 8.0 * away * away).exp();
                sum += weight * value;
                total += weight;
            }
        }
        out[y * width + x] = sum / total;
    }
}

fn problem(scale: Scale) -> Problem {
    let (width, height) = (scale.pick(50, 4096), scale.pick(40, 4096));
    let image = inputs::floats(0.0, 1.0, 1, width * height);
    let expected = || {
        let mut out = vec![0.0; width * height];
        for y in 2..height - 2 {
            for x in 2..width - 2 {
                out[y * width + x] = filter_pixel(width, &image, x, y);
            }
        }
        out
    };
    let mut buffers = Buffers::new(scale);
    let image_id = buffers.input(&image);
    let out_id = buffers.output(&vec![0.0; width * height], Agreement::Within(1e-4), expected);
    Problem {
        grid: [width.div_ceil(16) as u32, height.div_ceil(16) as u32, 1],
        block: [16, 16, 1],
        rust: args![width, height, image_id, out_id],
        cuda: args![width as i32, height as i32, image_id, out_id],
        buffers,
        work: Work::Items(width * height),
    }
}

fn filter_pixel(width: usize, image: &[f32], x: usize, y: usize) -> f32 {
    let centre = f64::from(image[y * width + x]);
    let (mut sum, mut total) = (0.0, 0.0);
    for (dy, row) in (y - 2..=y + 2).enumerate() {
        for (dx, column) in (x - 2..=x + 2).enumerate() {
            let value = f64::from(image[row * width + column]);
            let square = (dx as f64 - 2.0).powi(2) + (dy as f64 - 2.0).powi(2);
            let weight = (-0.125 * square - 8.0 * (value - centre).powi(2)).exp();
            sum += weight * value;
            total += weight;
        }
    }
    (sum / total) as f32
}

benchmark!(bilateral, "LDG");
