//! GELU of brain floats, by `tanh` in single precision.
use super::prelude::*;

#[device]
fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + (0.797_884_6 * (x + 0.044_715 * x * x * x)).tanh())
}

#[kernel(block = 256)]
fn gelu_bf16(x: &[bf16], y: &mut [bf16]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = bf16::from_f32(gelu(x[i].to_f32()));
    }
}

fn problem(scale: Scale) -> Problem {
    let n = scale.pick(1000, 1 << 26);
    let x: Vec<bf16> = inputs::floats(-4.0, 4.0, 1, n).into_iter().map(bf16::from_f32).collect();
    let expected = || x.iter().map(|x| bf16::from_f32(gelu(x.to_f32()))).collect();
    let mut buffers = Buffers::new(scale);
    let x_id = buffers.input(&x);
    let y_id = buffers.output(&vec![bf16::ZERO; n], Agreement::Within(1e-2), expected);
    Problem {
        grid: cover(n, 256),
        block: [256, 1, 1],
        rust: args![x_id, y_id],
        cuda: args![n as i32, x_id, y_id],
        buffers,
        work: Work::Bytes(4 * n),
    }
}

benchmark!(gelu_bf16, "LDG");
