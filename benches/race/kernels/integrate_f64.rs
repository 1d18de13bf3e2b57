//! Integrals in double precision: Simpson's rule with 64 pieces, one integral a thread.
use super::prelude::*;

/// Returns the integral of `exp(-x) * x * x` from 0 to `end`.
#[device]
fn integral(end: f64) -> f64 {
    let width = end / 64.0;
    let mut sum = 0.0;
    for k in 0..65 {
        let x = k as f64 * width;
        let weight = if k == 0 || k == 64 {
            1.0
        } else if k % 2 == 1 {
            4.0
        } else {
            2.0
        };
        sum += weight * (-x).exp() * x * x;
    }
    sum * width / 3.0
}

#[kernel(block = 256)]
fn integrate_f64(ends: &[f64], integrals: &mut [f64]) {
    let i = global_idx_x();
    if i < integrals.len() {
        integrals[i] = integral(ends[i]);
    }
}

fn problem(scale: Scale) -> Problem {
    let n = scale.pick(500, 1 << 21);
    let ends: Vec<f64> = inputs::floats(0.5, 8.0, 1, n).into_iter().map(f64::from).collect();
    let expected = || ends.iter().map(|end| integral(*end)).collect();
    let mut buffers = Buffers::new(scale);
    let ends_id = buffers.input(&ends);
    let integrals_id = buffers.output(&vec![0.0; n], Agreement::Within(1e-12), expected);
    Problem {
        grid: cover(n, 256),
        block: [256, 1, 1],
        rust: args![ends_id, integrals_id],
        cuda: args![n as i32, ends_id, integrals_id],
        buffers,
        work: Work::Items(65 * n),
    }
}

benchmark!(integrate_f64, "DFMA");
