//! `c = a + b`, one thread an element.
use super::prelude::*;

#[kernel(block = 256)]
fn vector_add(a: &[f32], b: &[f32], c: &mut [f32]) {
    let i = global_idx_x();
    if i < c.len() {
        c[i] = a[i] + b[i];
    }
}

fn problem(scale: Scale) -> Problem {
    let n = scale.side(1000, 1 << 26, 1);
    let (a, b) = (inputs::floats(-1.0, 1.0, 1, n), inputs::floats(-1.0, 1.0, 2, n));
    let expected = || a.iter().zip(&b).map(|(a, b)| a + b).collect();
    let mut buffers = Buffers::new(scale);
    let (a_id, b_id) = (buffers.input(&a), buffers.input(&b));
    let c_id = buffers.output(&vec![0.0; n], Agreement::Exact, expected);
    Problem {
        grid: cover(n, 256),
        block: [256, 1, 1],
        rust: args![a_id, b_id, c_id],
        cuda: args![n as i32, a_id, b_id, c_id],
        buffers,
        work: Work::Bytes(12 * n),
    }
}

benchmark!(vector_add, "LDG");
