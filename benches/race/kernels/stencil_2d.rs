//! A step of Jacobi's iteration, a 5-point stencil on a square; the border stays.
use super::prelude::*;

#[kernel(block = (32, 8))]
fn stencil_2d(n: usize, x: &[f32], y: &mut [f32]) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if column > 0 && column + 1 < n && row > 0 && row + 1 < n {
        let i = row * n + column;
        y[i] = 0.25 * (x[i - 1] + x[i + 1] + x[i - n] + x[i + n]);
    }
}

fn problem(scale: Scale) -> Problem {
    let n = scale.side(60, 8192, 2);
    let x = inputs::floats(-1.0, 1.0, 1, n * n);
    let expected = || {
        let mut y = x.clone();
        for row in 1..n - 1 {
            for column in 1..n - 1 {
                let i = row * n + column;
                y[i] = 0.25 * (x[i - 1] + x[i + 1] + x[i - n] + x[i + n]);
            }
        }
        y
    };
    let mut buffers = Buffers::new(scale);
    let x_id = buffers.input(&x);
    let y_id = buffers.output(&x, Agreement::Within(1e-5), expected);
    Problem {
        grid: [n.div_ceil(32) as u32, n.div_ceil(8) as u32, 1],
        block: [32, 8, 1],
        rust: args![n, x_id, y_id],
        cuda: args![n as i32, x_id, y_id],
        buffers,
        work: Work::Bytes(8 * n * n),
    }
}

benchmark!(stencil_2d, "LDG");
