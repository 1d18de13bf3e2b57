//! Layer normalization of each row, a block for each.
use super::prelude::*;

#[kernel(block = 256)]
fn layer_norm(columns: usize, epsilon: f32, scale: &[f32], offset: &[f32], x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let row = block_idx_x() * columns;
    let mut sum = 0.0;
    for column in (t..columns).step_by(256) {
        sum += x[row + column];
    }
    let mean = block::reduce_add(sum) / columns as f32;
    let mut squares = 0.0;
    for column in (t..columns).step_by(256) {
        let away = x[row + column] - mean;
        squares += away * away;
    }
    let variance = block::reduce_add(squares) / columns as f32;
    let by = 1.0 / (variance + epsilon).sqrt();
    for column in (t..columns).step_by(256) {
        let normal = (x[row + column] - mean) * by;
        y[row + column] = normal * scale[column] + offset[column];
    }
}

fn problem(scale: Scale) -> Problem {
    let (rows, columns) = (scale.pick(5, 16384), scale.pick(700, 2048));
    let epsilon = 1e-5f32;
    let x = inputs::floats(-4.0, 4.0, 1, rows * columns);
    let (scales, offsets) =
        (inputs::floats(0.5, 1.5, 2, columns), inputs::floats(-1.0, 1.0, 3, columns));
    let expected = || {
        let normalized = |row: &[f32]| -> Vec<f32> {
            let row: Vec<f64> = row.iter().copied().map(f64::from).collect();
            let mean = row.iter().sum::<f64>() / row.len() as f64;
            let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / row.len() as f64;
            let by = 1.0 / (variance + f64::from(epsilon)).sqrt();
            let weights = scales.iter().zip(&offsets);
            let value = |(x, (scale, offset)): (&f64, (&f32, &f32))| {
                ((x - mean) * by * f64::from(*scale) + f64::from(*offset)) as f32
            };
            row.iter().zip(weights).map(value).collect()
        };
        x.chunks_exact(columns).flat_map(normalized).collect()
    };
    let mut buffers = Buffers::new(scale);
    let (scale_id, offset_id) = (buffers.input(&scales), buffers.input(&offsets));
    let x_id = buffers.input(&x);
    let y_id = buffers.output(&vec![0.0; rows * columns], Agreement::Within(1e-4), expected);
    Problem {
        grid: [rows as u32, 1, 1],
        block: [256, 1, 1],
        rust: args![columns, epsilon, scale_id, offset_id, x_id, y_id],
        cuda: args![columns as i32, epsilon, scale_id, offset_id, x_id, y_id],
        buffers,
        work: Work::Bytes(8 * rows * columns),
    }
}

benchmark!(layer_norm, "LDG");
