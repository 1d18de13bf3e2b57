//! Attention with an online softmax: a thread for each query of 64 numbers, keys and values in
//! tiles that a block shares.
use super::prelude::*;

#[kernel(block = 64)]
fn attention(n: usize, scale: f32, q: &[f32], k: &[f32], v: &[f32], out: &mut [f32]) {
    let keys = shared!([[f32; 64]; 32]);
    let values = shared!([[f32; 64]; 32]);
    let t = thread_idx_x();
    let head = block_idx_y() * n;
    let row = head + global_idx_x();
    let mut query = [0.0; 64];
    for d in 0..64 {
        query[d] = q[row * 64 + d] * scale;
    }
    let mut sums = [0.0; 64];
    let mut largest = f32::NEG_INFINITY;
    let mut total = 0.0;
    for first in (0..n).step_by(32) {
        for r in 0..32 {
            keys[r][t] = k[(head + first + r) * 64 + t];
            values[r][t] = v[(head + first + r) * 64 + t];
        }
        sync_threads();
        for r in 0..32 {
            let mut score = 0.0;
            for d in 0..64 {
                score += query[d] * keys[r][d];
            }
            let above = largest.max(score);
            let shrink = (largest - above).exp();
            let weight = (score - above).exp();
            total = total * shrink + weight;
            for d in 0..64 {
                sums[d] = sums[d] * shrink + weight * values[r][d];
            }
            largest = above;
        }
        sync_threads();
    }
    for d in 0..64 {
        out[row * 64 + d] = sums[d] / total;
    }
}

fn problem(scale: Scale) -> Problem {
    let (heads, n) = (scale.pick(2, 64), scale.pick(64, 2048));
    let by = 0.125f32;
    let input = |seed| inputs::floats(-1.0, 1.0, seed, heads * n * 64);
    let (q, k, v) = (input(1), input(2), input(3));
    let expected = || {
        let mut out = Vec::new();
        for head in 0..heads {
            let rows = head * n * 64..(head + 1) * n * 64;
            for query in q[rows.clone()].chunks_exact(64) {
                out.extend(attend(by, query, &k[rows.clone()], &v[rows.clone()]));
            }
        }
        out
    };
    let mut buffers = Buffers::new(scale);
    let ids = [&q, &k, &v].map(|values| buffers.input(values));
    let out_id = buffers.output(&vec![0.0; q.len()], Agreement::Within(1e-3), expected);
    Problem {
        grid: [(n / 64) as u32, heads as u32, 1],
        block: [64, 1, 1],
        rust: args![n, by, ids[0], ids[1], ids[2], out_id],
        cuda: args![n as i32, by, ids[0], ids[1], ids[2], out_id],
        buffers,
        work: Work::Flops(4 * 64 * heads * n * n),
    }
}

fn attend(by: f32, query: &[f32], keys: &[f32], values: &[f32]) -> Vec<f32> {
    let dot = |key: &[f32]| query.iter().zip(key).map(|(q, k)| f64::from(q * k)).sum::<f64>();
    let weights: Vec<f64> =
        keys.chunks_exact(64).map(|key| (f64::from(by) * dot(key)).exp()).collect();
    let total: f64 = weights.iter().sum();
    let mut sums = vec![0.0; 64];
    for (weight, value) in weights.iter().zip(values.chunks_exact(64)) {
        for (sum, value) in sums.iter_mut().zip(value) {
            *sum += weight * f64::from(*value);
        }
    }
    sums.into_iter().map(|sum| (sum / total) as f32).collect()
}

benchmark!(attention, "FFMA");
