//! The convolution of `convolution_1d` over a number of elements that is a parameter, so that no
//! index is proved.
use super::prelude::*;

#[kernel(block = 256)]
fn blur_shared(n: usize, weights: &[f32], x: &[f32], out: &mut [f32]) {
    let tile = shared!([f32; 272]);
    let t = thread_idx_x();
    let i = global_idx_x();
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
        out[i] = sum;
    }
}

fn problem(scale: Scale) -> Problem {
    let mut buffers = Buffers::new(scale);
    let n = scale.pick(1000, 1 << 25);
    let (weights, x) = (inputs::floats(0.0, 0.1, 1, 17), inputs::floats(-1.0, 1.0, 2, n));
    let expected = || {
        let at = |i: usize| i.checked_sub(8).and_then(|i| x.get(i)).copied().unwrap_or(0.0);
        let filtered = |i: usize| weights.iter().enumerate().map(|(k, w)| w * at(i + k)).sum();
        (0..n).map(filtered).collect()
    };
    let (weights_id, x_id) = (buffers.input(&weights), buffers.input(&x));
    let out_id = buffers.output(&vec![0.0; n], Agreement::Within(1e-4), expected);
    Problem {
        grid: [n.div_ceil(256) as u32, 1, 1],
        block: [256, 1, 1],
        rust: args![n, weights_id, x_id, out_id],
        cuda: args![n as i32, weights_id, x_id, out_id],
        buffers,
        work: Work::Bytes(8 * n),
    }
}

benchmark!(blur_shared, "FFMA");
