//! A convolution of an image with 7x7 weights, from global memory; outside the image it is black.
use super::prelude::*;

#[kernel(block = (32, 8))]
fn convolution_2d(width: usize, height: usize, weights: &[f32], image: &[f32], out: &mut [f32]) {
    let (x, y) = (global_idx_x(), global_idx_y());
    if x < width && y < height {
        let mut sum = 0.0;
        for v in 0..7 {
            for u in 0..7 {
                let (column, row) = (x + u, y + v);
                if column >= 3 && column - 3 < width && row >= 3 && row - 3 < height {
                    sum += weights[v * 7 + u] * image[(row - 3) * width + column - 3];
                }
            }
        }
        out[y * width + x] = sum;
    }
}

fn problem(scale: Scale) -> Problem {
    let (width, height) = (scale.pick(50, 4096), scale.pick(30, 4096));
    let weights = inputs::floats(-1.0, 1.0, 1, 49);
    let image = inputs::floats(0.0, 1.0, 2, width * height);
    let expected = || {
        let pixel = |column: usize, row: usize| {
            let inside = column >= 3 && column - 3 < width && row >= 3 && row - 3 < height;
            if inside { image[(row - 3) * width + column - 3] } else { 0.0 }
        };
        let sum = |i: usize| {
            let (x, y) = (i % width, i / width);
            (0..49).map(|k| weights[k] * pixel(x + k % 7, y + k / 7)).sum()
        };
        (0..width * height).map(sum).collect()
    };
    let mut buffers = Buffers::new(scale);
    let (weights_id, image_id) = (buffers.input(&weights), buffers.input(&image));
    let out_id = buffers.output(&vec![0.0; width * height], Agreement::Within(1e-4), expected);
    Problem {
        grid: [width.div_ceil(32) as u32, height.div_ceil(8) as u32, 1],
        block: [32, 8, 1],
        rust: args![width, height, weights_id, image_id, out_id],
        cuda: args![width as i32, height as i32, weights_id, image_id, out_id],
        buffers,
        work: Work::Flops(2 * 49 * width * height),
    }
}

benchmark!(convolution_2d, "FFMA");
