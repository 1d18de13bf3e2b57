//! Running sums along each row: a block scans 256 elements at a time and carries the total.
use super::prelude::*;

#[kernel(block = 256)]
fn row_sums(columns: usize, x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let row = block_idx_x() * columns;
    let mut before = 0.0;
    for first in (0..columns).step_by(256) {
        let column = first + t;
        let value = if column < columns { x[row + column] } else { 0.0 };
        let sum = block::inclusive_sum(value);
        if column < columns {
            y[row + column] = before + sum;
        }
        before += block::reduce_add(value);
    }
}

fn problem(scale: Scale) -> Problem {
    let (rows, columns) = (scale.pick(3, 8192), scale.pick(600, 4096));
    let x = inputs::floats(0.0, 1.0, 1, rows * columns);
    let expected = || {
        let sums = |row: &[f32]| -> Vec<f32> {
            let next = |sum: &mut f64, x: &f32| {
                *sum += f64::from(*x);
                Some(*sum as f32)
            };
            row.iter().scan(0.0, next).collect()
        };
        x.chunks_exact(columns).flat_map(sums).collect()
    };
    let mut buffers = Buffers::new(scale);
    let x_id = buffers.input(&x);
    let y_id = buffers.output(&vec![0.0; rows * columns], Agreement::Within(1e-4), expected);
    Problem {
        grid: [rows as u32, 1, 1],
        block: [256, 1, 1],
        rust: args![columns, x_id, y_id],
        cuda: args![columns as i32, x_id, y_id],
        buffers,
        work: Work::Bytes(8 * rows * columns),
    }
}

benchmark!(row_sums, "SHFL");
