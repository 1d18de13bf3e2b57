//! `y = a x + y` in a grid-stride loop.
use super::prelude::*;

#[kernel(block = 256)]
fn grid_stride(a: f32, x: &[f32], y: &mut [f32]) {
    let stride = grid_dim_x() * block_dim_x();
    for i in (global_idx_x()..y.len()).step_by(stride) {
        y[i] = a * x[i] + y[i];
    }
}

fn problem(scale: Scale) -> Problem {
    let n = scale.pick(10_000, 1 << 26);
    let (x, y) = (inputs::floats(-1.0, 1.0, 1, n), inputs::floats(-1.0, 1.0, 2, n));
    let expected = || x.iter().zip(&y).map(|(x, y)| 2.0f32.mul_add(*x, *y)).collect();
    let mut buffers = Buffers::new(scale);
    let x_id = buffers.input(&x);
    let y_id = buffers.output(&y, Agreement::Exact, expected);
    Problem {
        grid: [scale.pick(4, 2048), 1, 1],
        block: [256, 1, 1],
        rust: args![2.0f32, x_id, y_id],
        cuda: args![n as i32, 2.0f32, x_id, y_id],
        buffers,
        work: Work::Bytes(12 * n),
    }
}

benchmark!(grid_stride, "LDG");
