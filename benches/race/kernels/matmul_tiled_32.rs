//! A product of square matrices through 32x32 tiles of shared memory.
use super::prelude::*;

#[kernel(block = (32, 32))]
fn matmul_tiled_32(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let tile_a = shared!([[f32; 32]; 32]);
    let tile_b = shared!([[f32; 32]; 32]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (column, row) = (global_idx_x(), global_idx_y());
    let mut sum = 0.0;
    for first in (0..n).step_by(32) {
        tile_a[ty][tx] = a[row * n + first + tx];
        tile_b[ty][tx] = b[(first + ty) * n + column];
        sync_threads();
        for k in 0..32 {
            sum += tile_a[ty][k] * tile_b[k][tx];
        }
        sync_threads();
    }
    c[row * n + column] = sum;
}

fn problem(scale: Scale) -> Problem {
    let n = scale.pick(64, 2048);
    let (a, b) = (inputs::floats(-1.0, 1.0, 1, n * n), inputs::floats(-1.0, 1.0, 2, n * n));
    let mut buffers = Buffers::new(scale);
    let (a_id, b_id) = (buffers.input(&a), buffers.input(&b));
    let expected = || reference::matmul(n, &a, &b);
    let c_id = buffers.output(&vec![0.0; n * n], Agreement::Within(1e-4), expected);
    Problem {
        grid: [(n / 32) as u32, (n / 32) as u32, 1],
        block: [32, 32, 1],
        rust: args![n, a_id, b_id, c_id],
        cuda: args![n as i32, a_id, b_id, c_id],
        buffers,
        work: Work::Flops(2 * n * n * n),
    }
}

benchmark!(matmul_tiled_32, "FFMA");
