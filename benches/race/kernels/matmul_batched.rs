//! Products of many small square matrices, a block for each.
use super::prelude::*;

#[kernel(block = (16, 16))]
fn matmul_batched(a: &[f32], b: &[f32], c: &mut [f32]) {
    let tile_a = shared!([[f32; 32]; 32]);
    let tile_b = shared!([[f32; 32]; 32]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let first = block_idx_x() * 1024;
    for row in (ty..32).step_by(16) {
        for column in (tx..32).step_by(16) {
            tile_a[row][column] = a[first + row * 32 + column];
            tile_b[row][column] = b[first + row * 32 + column];
        }
    }
    sync_threads();
    for row in (ty..32).step_by(16) {
        for column in (tx..32).step_by(16) {
            let mut sum = 0.0;
            for k in 0..32 {
                sum += tile_a[row][k] * tile_b[k][column];
            }
            c[first + row * 32 + column] = sum;
        }
    }
}

fn problem(scale: Scale) -> Problem {
    let batch = scale.pick(3, 20_000);
    let n = batch * 1024;
    let (a, b) = (inputs::floats(-1.0, 1.0, 1, n), inputs::floats(-1.0, 1.0, 2, n));
    let mut buffers = Buffers::new(scale);
    let (a_id, b_id) = (buffers.input(&a), buffers.input(&b));
    let expected = || {
        let pairs = a.chunks_exact(1024).zip(b.chunks_exact(1024));
        pairs.flat_map(|(a, b)| reference::matmul(32, a, b)).collect()
    };
    let c_id = buffers.output(&vec![0.0; n], Agreement::Within(1e-4), expected);
    Problem {
        grid: [batch as u32, 1, 1],
        block: [16, 16, 1],
        rust: args![a_id, b_id, c_id],
        cuda: args![a_id, b_id, c_id],
        buffers,
        work: Work::Flops(2 * 32 * n),
    }
}

benchmark!(matmul_batched, "FFMA");
