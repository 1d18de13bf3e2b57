//! `y = a x + y`, one thread an element.
use super::prelude::*;

#[kernel(block = 256)]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

fn problem(scale: Scale) -> Problem {
    let n = scale.side(1000, 1 << 26, 1);
    let (x, y) = (inputs::floats(-1.0, 1.0, 1, n), inputs::floats(-1.0, 1.0, 2, n));
    let expected = || x.iter().zip(&y).map(|(x, y)| 2.0f32.mul_add(*x, *y)).collect();
    let mut buffers = Buffers::new(scale);
    let x_id = buffers.input(&x);
    let y_id = buffers.output(&y, Agreement::Exact, expected);
    Problem {
        grid: cover(n, 256),
        block: [256, 1, 1],
        rust: args![2.0f32, x_id, y_id],
        cuda: args![n as i32, 2.0f32, x_id, y_id],
        buffers,
        work: Work::Bytes(12 * n),
    }
}

benchmark!(saxpy, "LDG");
