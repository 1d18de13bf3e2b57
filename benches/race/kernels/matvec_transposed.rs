//! A transposed matrix times a vector, a thread for each column: few threads, and long loops.
use super::prelude::*;

#[kernel(block = 128)]
fn matvec_transposed(rows: usize, columns: usize, a: &[f32], x: &[f32], y: &mut [f32]) {
    let j = global_idx_x();
    if j < columns {
        let mut sum = 0.0;
        for i in 0..rows {
            sum += a[i * columns + j] * x[i];
        }
        y[j] = sum;
    }
}

fn problem(scale: Scale) -> Problem {
    let mut buffers = Buffers::new(scale);
    let (rows, columns) = (scale.pick(50, 1024), scale.pick(300, 65536));
    let (a, x) = (inputs::floats(-1.0, 1.0, 1, rows * columns), inputs::floats(-1.0, 1.0, 2, rows));
    let expected = || {
        let sum = |j| (0..rows).map(|i| f64::from(a[i * columns + j]) * f64::from(x[i])).sum::<f64>();
        (0..columns).map(|j| sum(j) as f32).collect()
    };
    let (a_id, x_id) = (buffers.input(&a), buffers.input(&x));
    let y_id = buffers.output(&vec![0.0; columns], Agreement::Within(1e-4), expected);
    Problem {
        grid: [columns.div_ceil(128) as u32, 1, 1],
        block: [128, 1, 1],
        rust: args![rows, columns, a_id, x_id, y_id],
        cuda: args![rows as i32, columns as i32, a_id, x_id, y_id],
        buffers,
        work: Work::Bytes(4 * rows * columns),
    }
}

benchmark!(matvec_transposed, "FFMA");
