//! A convolution of images of several channels with 3x3 weights, a thread for each result.
use super::prelude::*;

#[kernel(block = (32, 8))]
fn conv2d_channels(
    width: usize,
    height: usize,
    in_channels: usize,
    out_channels: usize,
    weights: &[f32],
    x: &[f32],
    out: &mut [f32],
) {
    let (column, row) = (global_idx_x(), global_idx_y());
    let image = block_idx_z() / out_channels;
    let to = block_idx_z() % out_channels;
    if column < width && row < height {
        let mut sum = 0.0;
        for from in 0..in_channels {
            let plane = image * in_channels + from;
            let filter = to * in_channels + from;
            for v in 0..3 {
                for u in 0..3 {
                    let (i, j) = (column + u, row + v);
                    if i >= 1 && i - 1 < width && j >= 1 && j - 1 < height {
                        let pixel = x[(plane * height + j - 1) * width + i - 1];
                        sum += weights[filter * 9 + v * 3 + u] * pixel;
                    }
                }
            }
        }
        out[((image * out_channels + to) * height + row) * width + column] = sum;
    }
}

fn problem(scale: Scale) -> Problem {
    let (width, height) = (scale.pick(37, 224), scale.pick(10, 224));
    let (images, in_channels, out_channels) =
        (scale.pick(2, 8usize), 16usize, scale.pick(2, 32usize));
    let area = width * height;
    let weights = inputs::floats(-1.0, 1.0, 1, out_channels * in_channels * 9);
    let x = inputs::floats(-1.0, 1.0, 2, images * in_channels * area);
    let expected = || {
        let pixel = |plane: usize, i: usize, j: usize| {
            let inside = (1..=width).contains(&i) && (1..=height).contains(&j);
            if inside { f64::from(x[plane * area + (j - 1) * width + i - 1]) } else { 0.0 }
        };
        let sum = |place: usize| {
            let (column, row) = (place % width, place / width % height);
            let (image, to) = (place / area / out_channels, place / area % out_channels);
            let term = |k: usize| {
                let (from, v, u) = (k / 9, k / 3 % 3, k % 3);
                let weight = f64::from(weights[to * in_channels * 9 + k]);
                weight * pixel(image * in_channels + from, column + u, row + v)
            };
            (0..in_channels * 9).map(term).sum::<f64>() as f32
        };
        (0..images * out_channels * area).map(sum).collect()
    };
    let outputs = images * out_channels * area;
    let mut buffers = Buffers::new(scale);
    let (weights_id, x_id) = (buffers.input(&weights), buffers.input(&x));
    let out_id = buffers.output(&vec![0.0; outputs], Agreement::Within(1e-4), expected);
    let (ins, outs) = (in_channels as i32, out_channels as i32);
    Problem {
        grid: [
            width.div_ceil(32) as u32,
            height.div_ceil(8) as u32,
            (images * out_channels) as u32,
        ],
        block: [32, 8, 1],
        rust: args![width, height, in_channels, out_channels, weights_id, x_id, out_id],
        cuda: args![width as i32, height as i32, ins, outs, weights_id, x_id, out_id],
        buffers,
        work: Work::Flops(2 * 9 * in_channels * outputs),
    }
}

benchmark!(conv2d_channels, "FFMA");
