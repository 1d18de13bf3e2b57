//! Fourier transforms of 1024 points, radix 2 in shared memory, a block for each.
use super::prelude::*;

#[kernel(block = 512)]
fn fft(twiddles: &[F32x2], x: &[F32x2], y: &mut [F32x2]) {
    let tile = shared!([F32x2; 1024]);
    let t = thread_idx_x();
    let first = block_idx_x() * 1024;
    for k in [t, t + 512] {
        tile[(k as u32).reverse_bits() as usize >> 22] = x[first + k];
    }
    sync_threads();
    let mut half = 1;
    while half < 1024 {
        let k = t % half;
        let low = t / half * (2 * half) + k;
        let w = twiddles[k * (512 / half)];
        let (a, b) = (tile[low], tile[low + half]);
        let turned = F32x2::new(w.x * b.x - w.y * b.y, w.x * b.y + w.y * b.x);
        tile[low] = a + turned;
        tile[low + half] = a - turned;
        sync_threads();
        half *= 2;
    }
    y[first + t] = tile[t];
    y[first + t + 512] = tile[t + 512];
}

fn problem(scale: Scale) -> Problem {
    let batch = scale.pick(2, 8192);
    let n = 1024 * batch;
    let angle = |k: usize| -std::f64::consts::TAU * k as f64 / 1024.0;
    let turn = |k: usize| [angle(k).cos(), angle(k).sin()];
    let twiddles: Vec<[f32; 2]> = (0..512).map(|k| turn(k).map(|part| part as f32)).collect();
    let x: Vec<[f32; 2]> = inputs::floats(-1.0, 1.0, 1, 2 * n).as_chunks().0.to_vec();
    let expected = || {
        let turns: Vec<[f64; 2]> = (0..1024).map(turn).collect();
        x.chunks_exact(1024).flat_map(|x| transform(x, &turns)).collect()
    };
    let mut buffers = Buffers::new(scale);
    let (twiddles_id, x_id) = (buffers.input(&twiddles), buffers.input(&x));
    let y_id = buffers.output(&vec![[0.0; 2]; n], Agreement::Within(1e-4), expected);
    Problem {
        grid: [batch as u32, 1, 1],
        block: [512, 1, 1],
        rust: args![twiddles_id, x_id, y_id],
        cuda: args![twiddles_id, x_id, y_id],
        buffers,
        work: Work::Flops(5 * 10 * n),
    }
}

/// Returns the discrete Fourier transform, from its definition.
fn transform(x: &[[f32; 2]], turns: &[[f64; 2]]) -> Vec<[f32; 2]> {
    let frequency = |f: usize| {
        let mut sum = [0.0; 2];
        for (k, value) in x.iter().enumerate() {
            let ([c, s], [re, im]) = (turns[f * k % x.len()], value.map(f64::from));
            sum[0] += re * c - im * s;
            sum[1] += re * s + im * c;
        }
        sum.map(|part| part as f32)
    };
    (0..x.len()).map(frequency).collect()
}

benchmark!(fft, "FFMA");
