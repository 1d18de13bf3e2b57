//! A step of a 7-point stencil on a cube; the border stays.
use super::prelude::*;

#[kernel(block = (32, 8))]
fn stencil_3d(n: usize, x: &[f32], y: &mut [f32]) {
    let (column, row, plane) = (global_idx_x(), global_idx_y(), global_idx_z());
    if column > 0
        && column + 1 < n
        && row > 0
        && row + 1 < n
        && plane > 0
        && plane + 1 < n
    {
        let i = (plane * n + row) * n + column;
        let around = x[i - 1] + x[i + 1] + x[i - n] + x[i + n] + x[i - n * n] + x[i + n * n];
        y[i] = 0.5 * x[i] + 0.125 * around;
    }
}

fn problem(scale: Scale) -> Problem {
    let n = scale.side(20, 512, 3);
    let x = inputs::floats(-1.0, 1.0, 1, n * n * n);
    let expected = || {
        let mut y = x.clone();
        let inner = 1..n - 1;
        for plane in inner.clone() {
            for row in inner.clone() {
                for column in inner.clone() {
                    let i = (plane * n + row) * n + column;
                    let around =
                        x[i - 1] + x[i + 1] + x[i - n] + x[i + n] + x[i - n * n] + x[i + n * n];
                    y[i] = 0.5 * x[i] + 0.125 * around;
                }
            }
        }
        y
    };
    let mut buffers = Buffers::new(scale);
    let x_id = buffers.input(&x);
    let y_id = buffers.output(&x, Agreement::Within(1e-5), expected);
    Problem {
        grid: [n.div_ceil(32) as u32, n.div_ceil(8) as u32, n as u32],
        block: [32, 8, 1],
        rust: args![n, x_id, y_id],
        cuda: args![n as i32, x_id, y_id],
        buffers,
        work: Work::Bytes(8 * n * n * n),
    }
}

benchmark!(stencil_3d, "LDG");
