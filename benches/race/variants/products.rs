//! Products of square matrices, beside those of the race.
use super::prelude::*;

pub(super) const ALL: &[Benchmark] = &[
    variant!(matmul_uncoalesced, |scale| problem(scale, [16, 16], [16, 16])),
    variant!(matmul_four_rows, |scale| problem(scale, [32, 8], [32, 32])),
];

/// Neighbouring threads take neighbouring rows.
#[kernel(block = (16, 16))]
fn matmul_uncoalesced(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (row, column) = (global_idx_x(), global_idx_y());
    if row < n && column < n {
        let mut sum = 0.0;
        for k in 0..n {
            sum += a[row * n + k] * b[k * n + column];
        }
        c[row * n + column] = sum;
    }
}

/// 32x32 tiles of shared memory, of which a thread takes four rows.
#[kernel(block = (32, 8))]
fn matmul_four_rows(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let tile_a = shared!([[f32; 32]; 32]);
    let tile_b = shared!([[f32; 32]; 32]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (column, top) = (block_idx_x() * 32 + tx, block_idx_y() * 32);
    let mut sums = [0.0; 4];
    for first in (0..n).step_by(32) {
        for r in 0..4 {
            tile_a[ty + 8 * r][tx] = a[(top + ty + 8 * r) * n + first + tx];
            tile_b[ty + 8 * r][tx] = b[(first + ty + 8 * r) * n + column];
        }
        sync_threads();
        for k in 0..32 {
            for r in 0..4 {
                sums[r] += tile_a[ty + 8 * r][k] * tile_b[k][tx];
            }
        }
        sync_threads();
    }
    for r in 0..4 {
        c[(top + ty + 8 * r) * n + column] = sums[r];
    }
}

/// A problem with such blocks, each of which computes a tile.
fn problem(scale: Scale, block: [u32; 2], tile: [usize; 2]) -> Problem {
    let n = scale.pick(64, 2048);
    let (a, b) = (inputs::floats(-1.0, 1.0, 1, n * n), inputs::floats(-1.0, 1.0, 2, n * n));
    let mut buffers = Buffers::new(scale);
    let (a_id, b_id) = (buffers.input(&a), buffers.input(&b));
    let expected = || reference::matmul(n, &a, &b);
    let c_id = buffers.output(&vec![0.0; n * n], Agreement::Within(1e-4), expected);
    Problem {
        grid: [(n / tile[0]) as u32, (n / tile[1]) as u32, 1],
        block: [block[0], block[1], 1],
        rust: args![n, a_id, b_id, c_id],
        cuda: Vec::new(),
        buffers,
        work: Work::Flops(2 * n * n * n),
    }
}
