//! A matrix times a vector in single precision, a warp for each row.
use super::prelude::*;

#[kernel(block = 256)]
fn matvec(columns: usize, a: &[f32], x: &[f32], y: &mut [f32]) {
    let row = global_idx_x() / 32;
    let lane = thread_idx_x() % 32;
    if row < y.len() {
        let mut sum = 0.0;
        for column in (lane..columns).step_by(32) {
            sum += a[row * columns + column] * x[column];
        }
        let sum = warp::reduce_add(sum);
        if lane == 0 {
            y[row] = sum;
        }
    }
}

fn problem(scale: Scale) -> Problem {
    let (rows, columns) = (scale.pick(30, 8192), scale.pick(100, 8192));
    let a = inputs::floats(0.0, 1.0, 1, rows * columns);
    let x = inputs::floats(0.0, 1.0, 2, columns);
    let expected = || {
        let dot = |row: &[f32]| {
            row.iter().zip(&x).map(|(a, x)| f64::from(*a) * f64::from(*x)).sum::<f64>() as f32
        };
        a.chunks_exact(columns).map(dot).collect()
    };
    let mut buffers = Buffers::new(scale);
    let (a_id, x_id) = (buffers.input(&a), buffers.input(&x));
    let y_id = buffers.output(&vec![0.0; rows], Agreement::Within(1e-4), expected);
    Problem {
        grid: cover(32 * rows, 256),
        block: [256, 1, 1],
        rust: args![columns, a_id, x_id, y_id],
        cuda: args![rows as i32, columns as i32, a_id, x_id, y_id],
        buffers,
        work: Work::Bytes(4 * rows * columns),
    }
}

benchmark!(matvec, "FFMA");
