//! Normalization of each row by the root of its mean square, a block for each; threads stride by
//! `while`.
use super::prelude::*;

#[kernel(block = 256)]
fn rms_norm(columns: usize, epsilon: f32, x: &[f32], weight: &[f32], y: &mut [f32]) {
    let partial = shared!([f32; 256]);
    let t = thread_idx_x();
    let row = block_idx_x() * columns;
    let mut sum = 0.0;
    let mut c = t;
    while c < columns {
        let v = x[row + c];
        sum += v * v;
        c += 256;
    }
    partial[t] = sum;
    sync_threads();
    let mut half = 128;
    while half > 0 {
        if t < half {
            partial[t] += partial[t + half];
        }
        sync_threads();
        half /= 2;
    }
    let inverse = 1.0 / (partial[0] / columns as f32 + epsilon).sqrt();
    let mut c = t;
    while c < columns {
        y[row + c] = x[row + c] * inverse * weight[c];
        c += 256;
    }
}

fn problem(scale: Scale) -> Problem {
    let mut buffers = Buffers::new(scale);
    let (rows, columns) = (scale.pick(5, 8192), scale.pick(700, 4096));
    let epsilon = 1e-5f32;
    let x = inputs::floats(-4.0, 4.0, 1, rows * columns);
    let weights = inputs::floats(0.5, 1.5, 2, columns);
    let expected = || {
        let normalized = |row: &[f32]| -> Vec<f32> {
            let squares: f64 = row.iter().map(|x| f64::from(*x).powi(2)).sum();
            let by = 1.0 / (squares / columns as f64 + f64::from(epsilon)).sqrt();
            let value = |(x, weight): (&f32, &f32)| (f64::from(*x) * by * f64::from(*weight)) as f32;
            row.iter().zip(&weights).map(value).collect()
        };
        x.chunks_exact(columns).flat_map(normalized).collect()
    };
    let (x_id, weight_id) = (buffers.input(&x), buffers.input(&weights));
    let y_id = buffers.output(&vec![0.0; rows * columns], Agreement::Within(1e-4), expected);
    Problem {
        grid: [rows as u32, 1, 1],
        block: [256, 1, 1],
        rust: args![columns, epsilon, x_id, weight_id, y_id],
        cuda: args![columns as i32, epsilon, x_id, weight_id, y_id],
        buffers,
        work: Work::Bytes(8 * rows * columns),
    }
}

benchmark!(rms_norm, "LDG");
