//! Quantization of each row to bytes by its largest magnitude, a block for each.
use super::prelude::*;

#[kernel(block = 128)]
fn quantize(columns: usize, x: &[f32], scales: &mut [f32], q: &mut [i8]) {
    let t = thread_idx_x();
    let row = block_idx_x();
    let mut largest: f32 = 0.0;
    for c in (t..columns).step_by(128) {
        largest = largest.max(x[row * columns + c].abs());
    }
    let largest = block::reduce_max(largest);
    let scale = largest / 127.0;
    if t == 0 {
        scales[row] = scale;
    }
    for c in (t..columns).step_by(128) {
        let v = x[row * columns + c] / scale;
        q[row * columns + c] = v.round_ties_even() as i8;
    }
}

fn problem(scale: Scale) -> Problem {
    let mut buffers = Buffers::new(scale);
    let (rows, columns) = (scale.pick(5, 16384), scale.pick(700, 2048));
    let x = inputs::floats(-4.0, 4.0, 1, rows * columns);
    let scale_of = |row: &[f32]| row.iter().fold(0.0, |most: f32, x| most.max(x.abs())) / 127.0;
    let scales = || x.chunks_exact(columns).map(scale_of).collect();
    let quantized = || {
        let quantize = |row: &[f32]| -> Vec<i8> {
            let scale = scale_of(row);
            row.iter().map(|x| (x / scale).round_ties_even() as i8).collect()
        };
        x.chunks_exact(columns).flat_map(quantize).collect()
    };
    let x_id = buffers.input(&x);
    let scales_id = buffers.output(&vec![0.0; rows], Agreement::Exact, scales);
    let q_id = buffers.output(&vec![0i8; rows * columns], Agreement::Exact, quantized);
    Problem {
        grid: [rows as u32, 1, 1],
        block: [128, 1, 1],
        rust: args![columns, x_id, scales_id, q_id],
        cuda: args![columns as i32, x_id, scales_id, q_id],
        buffers,
        work: Work::Bytes(5 * rows * columns),
    }
}

benchmark!(quantize, "LDG");
