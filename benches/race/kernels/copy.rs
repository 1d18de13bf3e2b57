//! `y = x`, one thread an element.
use super::prelude::*;

#[kernel(block = 256)]
fn copy(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = x[i];
    }
}

fn problem(scale: Scale) -> Problem {
    let n = scale.side(1000, 1 << 26, 1);
    let x = inputs::floats(-1.0, 1.0, 1, n);
    let mut buffers = Buffers::new(scale);
    let x_id = buffers.input(&x);
    let y_id = buffers.output(&vec![0.0; n], Agreement::Exact, || x.clone());
    Problem {
        grid: cover(n, 256),
        block: [256, 1, 1],
        rust: args![x_id, y_id],
        cuda: args![n as i32, x_id, y_id],
        buffers,
        work: Work::Bytes(8 * n),
    }
}

benchmark!(copy, "LDG");
