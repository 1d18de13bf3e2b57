//! A convolution with 17 weights through a tile with a halo in shared memory.
use super::prelude::*;

const RADIUS: usize = 8;

#[kernel(block = 256)]
fn convolution_1d(weights: &[f32], x: &[f32], y: &mut [f32]) {
    let tile = shared!([f32; 272]);
    let (i, t) = (global_idx_x(), thread_idx_x());
    let n = x.len();
    tile[t + 8] = if i < n { x[i] } else { 0.0 };
    if t < 8 {
        tile[t] = if i >= 8 && i - 8 < n { x[i - 8] } else { 0.0 };
        tile[t + 264] = if i + 256 < n { x[i + 256] } else { 0.0 };
    }
    sync_threads();
    if i < n {
        let mut sum = 0.0;
        for k in 0..17 {
            sum += weights[k] * tile[t + k];
        }
        y[i] = sum;
    }
}

fn problem(scale: Scale) -> Problem {
    let n = scale.pick(1000, 1 << 26);
    let (weights, x) = (inputs::floats(-1.0, 1.0, 1, 17), inputs::floats(-1.0, 1.0, 2, n));
    let expected = || {
        let value = |i: usize, k: usize| {
            (i + k).checked_sub(RADIUS).and_then(|place| x.get(place)).copied().unwrap_or(0.0)
        };
        let sum = |i| (0..17).map(|k| weights[k] * value(i, k)).sum();
        (0..n).map(sum).collect()
    };
    let mut buffers = Buffers::new(scale);
    let (weights_id, x_id) = (buffers.input(&weights), buffers.input(&x));
    let y_id = buffers.output(&vec![0.0; n], Agreement::Within(1e-5), expected);
    Problem {
        grid: cover(n, 256),
        block: [256, 1, 1],
        rust: args![weights_id, x_id, y_id],
        cuda: args![n as i32, weights_id, x_id, y_id],
        buffers,
        work: Work::Bytes(8 * n),
    }
}

benchmark!(convolution_1d, "FFMA");
