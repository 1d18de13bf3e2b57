//! A depthwise convolution of 3x3 with a bias, of halves: each plane has weights of its own.
use super::prelude::*;

#[kernel(block = (16, 8, 2))]
fn depthwise_f16(
    width: usize,
    height: usize,
    planes: usize,
    x: &[f16],
    weights: &[f16],
    biases: &[f16],
    y: &mut [f16],
) {
    let (column, row) = (global_idx_x(), global_idx_y());
    let plane = block_idx_z() * block_dim_z() + thread_idx_z();
    if column < width && row < height && plane < planes {
        let mut sum = biases[plane].to_f32();
        for dy in 0..3 {
            for dx in 0..3 {
                // A pixel further down and right, so that no number is negative.
                let (below, right) = (row + dy, column + dx);
                if below >= 1 && below <= height && right >= 1 && right <= width {
                    let value = x[(plane * height + below - 1) * width + right - 1];
                    sum += weights[plane * 9 + dy * 3 + dx].to_f32() * value.to_f32();
                }
            }
        }
        y[(plane * height + row) * width + column] = f16::from_f32(sum);
    }
}

fn problem(scale: Scale) -> Problem {
    let (width, height) = (scale.pick(21, 224), scale.pick(13, 220));
    let planes: usize = scale.pick(5, 1001);
    let n = width * height * planes;
    let halves = |seed, n| -> Vec<f16> {
        inputs::floats(-1.0, 1.0, seed, n).into_iter().map(f16::from_f32).collect()
    };
    let (x, weights, biases) = (halves(1, n), halves(2, 9 * planes), halves(3, planes));
    let expected = || {
        let convolve = |i: usize| {
            let (plane, row, column) = (i / width / height, i / width % height, i % width);
            let mut sum = biases[plane].to_f32();
            for k in 0..9 {
                let from_row = (row + k / 3).checked_sub(1).filter(|row| *row < height);
                let from_column = (column + k % 3).checked_sub(1).filter(|c| *c < width);
                if let (Some(row), Some(column)) = (from_row, from_column) {
                    let value = x[(plane * height + row) * width + column].to_f32();
                    sum += weights[plane * 9 + k].to_f32() * value;
                }
            }
            f16::from_f32(sum)
        };
        (0..n).map(convolve).collect()
    };
    let mut buffers = Buffers::new(scale);
    let (x_id, weights_id) = (buffers.input(&x), buffers.input(&weights));
    let biases_id = buffers.input(&biases);
    let y_id = buffers.output(&vec![f16::ZERO; n], Agreement::Within(2e-3), expected);
    Problem {
        grid: [width.div_ceil(16) as u32, height.div_ceil(8) as u32, planes.div_ceil(2) as u32],
        block: [16, 8, 2],
        rust: args![width, height, planes, x_id, weights_id, biases_id, y_id],
        cuda: args![
            width as i32,
            height as i32,
            planes as i32,
            x_id,
            weights_id,
            biases_id,
            y_id
        ],
        buffers,
        work: Work::Bytes(4 * n),
    }
}

benchmark!(depthwise_f16, "LDG");
