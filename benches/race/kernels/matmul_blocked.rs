//! A product of square matrices by 128x128 tiles in steps of 8, with 8x8 sums a thread in
//! registers.
use super::prelude::*;

#[kernel(block = 256)]
fn matmul_blocked(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let tile_a = shared!([[f32; 128]; 8]);
    let tile_b = shared!([[f32; 128]; 8]);
    let t = thread_idx_x();
    let (tx, ty) = (t % 16 * 8, t / 16 * 8);
    let (column, row) = (block_idx_x() * 128, block_idx_y() * 128);
    let mut sums = [[0.0; 8]; 8];
    for first in (0..n).step_by(8) {
        for load in 0..4 {
            let i = load * 256 + t;
            tile_a[i % 8][i / 8] = a[(row + i / 8) * n + first + i % 8];
            tile_b[i / 128][i % 128] = b[(first + i / 128) * n + column + i % 128];
        }
        sync_threads();
        for k in 0..8 {
            let mut from_a = [0.0; 8];
            let mut from_b = [0.0; 8];
            for i in 0..8 {
                from_a[i] = tile_a[k][ty + i];
                from_b[i] = tile_b[k][tx + i];
            }
            for i in 0..8 {
                for j in 0..8 {
                    sums[i][j] += from_a[i] * from_b[j];
                }
            }
        }
        sync_threads();
    }
    for i in 0..8 {
        for j in 0..8 {
            c[(row + ty + i) * n + column + tx + j] = sums[i][j];
        }
    }
}

fn problem(scale: Scale) -> Problem {
    let n = scale.pick(128, 4096);
    let (a, b) = (inputs::floats(-1.0, 1.0, 1, n * n), inputs::floats(-1.0, 1.0, 2, n * n));
    let mut buffers = Buffers::new(scale);
    let (a_id, b_id) = (buffers.input(&a), buffers.input(&b));
    let expected = || reference::matmul(n, &a, &b);
    let c_id = buffers.output(&vec![0.0; n * n], Agreement::Within(1e-4), expected);
    Problem {
        grid: [(n / 128) as u32, (n / 128) as u32, 1],
        block: [256, 1, 1],
        rust: args![n, a_id, b_id, c_id],
        cuda: args![n as i32, a_id, b_id, c_id],
        buffers,
        work: Work::Flops(2 * n * n * n),
    }
}

benchmark!(matmul_blocked, "FFMA");
