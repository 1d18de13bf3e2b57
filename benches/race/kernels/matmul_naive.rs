//! A product of square matrices, one thread an element, from global memory.
use super::prelude::*;

#[kernel(block = (16, 16))]
fn matmul_naive(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if row < n && column < n {
        let mut sum = 0.0;
        for k in 0..n {
            sum += a[row * n + k] * b[k * n + column];
        }
        c[row * n + column] = sum;
    }
}

fn problem(scale: Scale) -> Problem {
    let n = scale.pick(40, 2048);
    let (a, b) = (inputs::floats(-1.0, 1.0, 1, n * n), inputs::floats(-1.0, 1.0, 2, n * n));
    let mut buffers = Buffers::new(scale);
    let (a_id, b_id) = (buffers.input(&a), buffers.input(&b));
    let expected = || reference::matmul(n, &a, &b);
    let c_id = buffers.output(&vec![0.0; n * n], Agreement::Within(1e-4), expected);
    Problem {
        grid: [n.div_ceil(16) as u32, n.div_ceil(16) as u32, 1],
        block: [16, 16, 1],
        rust: args![n, a_id, b_id, c_id],
        cuda: args![n as i32, a_id, b_id, c_id],
        buffers,
        work: Work::Flops(2 * n * n * n),
    }
}

benchmark!(matmul_naive, "FFMA");
