//! GELU of halves, by `tanh` in single precision.
use super::prelude::*;

#[device]
fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + (0.797_884_6 * (x + 0.044_715 * x * x * x)).tanh())
}

#[kernel(block = 256)]
fn gelu_f16(x: &[f16], y: &mut [f16]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = f16::from_f32(gelu(x[i].to_f32()));
    }
}

fn problem(scale: Scale) -> Problem {
    let n = scale.pick(1000, 1 << 26);
    let x: Vec<f16> = inputs::floats(-4.0, 4.0, 1, n).into_iter().map(f16::from_f32).collect();
    let expected = || x.iter().map(|x| f16::from_f32(gelu(x.to_f32()))).collect();
    let mut buffers = Buffers::new(scale);
    let x_id = buffers.input(&x);
    let y_id = buffers.output(&vec![f16::ZERO; n], Agreement::Within(2e-3), expected);
    Problem {
        grid: cover(n, 256),
        block: [256, 1, 1],
        rust: args![x_id, y_id],
        cuda: args![n as i32, x_id, y_id],
        buffers,
        work: Work::Bytes(4 * n),
    }
}

benchmark!(gelu_f16, "LDG");
