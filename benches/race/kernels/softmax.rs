//! Softmax of each row, a block for each.
use super::prelude::*;

#[kernel(block = 256)]
fn softmax(columns: usize, x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let row = block_idx_x() * columns;
    let mut largest = f32::NEG_INFINITY;
    for column in (t..columns).step_by(256) {
        largest = largest.max(x[row + column]);
    }
    let largest = block::reduce_max(largest);
    let mut sum = 0.0;
    for column in (t..columns).step_by(256) {
        let value = (x[row + column] - largest).exp();
        y[row + column] = value;
        sum += value;
    }
    let sum = block::reduce_add(sum);
    for column in (t..columns).step_by(256) {
        y[row + column] /= sum;
    }
}

fn problem(scale: Scale) -> Problem {
    let (rows, columns) = (scale.pick(5, 16384), scale.pick(700, 2048));
    let x = inputs::floats(-4.0, 4.0, 1, rows * columns);
    let expected = || {
        let softmax = |row: &[f32]| -> Vec<f32> {
            let exps: Vec<f64> = row.iter().map(|x| f64::from(*x).exp()).collect();
            let sum: f64 = exps.iter().sum();
            exps.iter().map(|exp| (exp / sum) as f32).collect()
        };
        x.chunks_exact(columns).flat_map(softmax).collect()
    };
    let mut buffers = Buffers::new(scale);
    let x_id = buffers.input(&x);
    let y_id = buffers.output(&vec![0.0; rows * columns], Agreement::Within(1e-5), expected);
    Problem {
        grid: [rows as u32, 1, 1],
        block: [256, 1, 1],
        rust: args![columns, x_id, y_id],
        cuda: args![columns as i32, x_id, y_id],
        buffers,
        work: Work::Bytes(8 * rows * columns),
    }
}

benchmark!(softmax, "LDG");
