//! The cross entropy of each row of logits and its label, a block for each.
use super::prelude::*;

#[kernel(block = 256)]
fn cross_entropy(columns: usize, logits: &[f32], labels: &[u32], losses: &mut [f32]) {
    let t = thread_idx_x();
    let row = block_idx_x();
    let start = row * columns;
    let mut largest = f32::NEG_INFINITY;
    for c in (t..columns).step_by(256) {
        largest = largest.max(logits[start + c]);
    }
    let largest = block::reduce_max(largest);
    let mut sum = 0.0;
    for c in (t..columns).step_by(256) {
        sum += (logits[start + c] - largest).exp();
    }
    let sum = block::reduce_add(sum);
    if t == 0 {
        let label = labels[row] as usize;
        losses[row] = sum.ln() + largest - logits[start + label];
    }
}

fn problem(scale: Scale) -> Problem {
    let (rows, columns) = (scale.pick(5, 8192), scale.pick(700, 10_000));
    let logits = inputs::floats(-4.0, 4.0, 1, rows * columns);
    let labels = inputs::below(columns as u32, 2, rows);
    let expected = || {
        let loss = |(row, label): (&[f32], &u32)| {
            let sum: f64 = row.iter().map(|x| f64::from(*x).exp()).sum();
            (sum.ln() - f64::from(row[*label as usize])) as f32
        };
        logits.chunks_exact(columns).zip(&labels).map(loss).collect()
    };
    let mut buffers = Buffers::new(scale);
    let (logits_id, labels_id) = (buffers.input(&logits), buffers.input(&labels));
    let losses_id = buffers.output(&vec![0.0; rows], Agreement::Within(1e-4), expected);
    Problem {
        grid: [rows as u32, 1, 1],
        block: [256, 1, 1],
        rust: args![columns, logits_id, labels_id, losses_id],
        cuda: args![columns as i32, logits_id, labels_id, losses_id],
        buffers,
        work: Work::Bytes(4 * rows * columns),
    }
}

benchmark!(cross_entropy, "LDG");
