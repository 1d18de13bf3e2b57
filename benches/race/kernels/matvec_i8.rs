//! A matrix of bytes times a vector of bytes, a warp for each row.
use super::prelude::*;

#[kernel(block = 256)]
fn matvec_i8(columns: usize, weights: &[i8], x: &[i8], out: &mut [i32]) {
    let row = global_idx_x() / 32;
    let lane = thread_idx_x() % 32;
    if row < out.len() {
        let mut sum = 0;
        for column in (lane..columns).step_by(32) {
            sum += weights[row * columns + column] as i32 * x[column] as i32;
        }
        let sum = warp::reduce_add(sum);
        if lane == 0 {
            out[row] = sum;
        }
    }
}

fn problem(scale: Scale) -> Problem {
    let (rows, columns) = (scale.pick(30, 16384), scale.pick(100, 8192));
    let signed = |bytes: Vec<u8>| -> Vec<i8> { bytes.into_iter().map(u8::cast_signed).collect() };
    let weights = signed(inputs::bytes(1, rows * columns));
    let x = signed(inputs::bytes(2, columns));
    let expected = || {
        let dot = |row: &[i8]| {
            row.iter().zip(&x).map(|(w, x)| i32::from(*w) * i32::from(*x)).sum::<i32>()
        };
        weights.chunks_exact(columns).map(dot).collect()
    };
    let mut buffers = Buffers::new(scale);
    let (weights_id, x_id) = (buffers.input(&weights), buffers.input(&x));
    let out_id = buffers.output(&vec![0i32; rows], Agreement::Exact, expected);
    Problem {
        grid: cover(32 * rows, 256),
        block: [256, 1, 1],
        rust: args![columns, weights_id, x_id, out_id],
        cuda: args![rows as i32, columns as i32, weights_id, x_id, out_id],
        buffers,
        work: Work::Bytes(rows * columns),
    }
}

benchmark!(matvec_i8, "LDG");
