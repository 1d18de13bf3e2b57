//! A step of the heat equation; at the border a cell is its own neighbour.
use super::prelude::*;
use crate::problem::Arg;

#[kernel(block = (32, 8))]
fn heat(width: usize, height: usize, dt: f64, k: &[f64], u: &[f64], next: &mut [f64]) {
    let x = global_idx_x();
    let y = global_idx_y();
    if x >= width || y >= height {
        return;
    }
    let i = y * width + x;
    let left = if x > 0 { u[i - 1] } else { u[i] };
    let right = if x + 1 < width { u[i + 1] } else { u[i] };
    let up = if y > 0 { u[i - width] } else { u[i] };
    let down = if y + 1 < height { u[i + width] } else { u[i] };
    next[i] = u[i] + dt * k[i] * (left + right + up + down - 4.0 * u[i]);
}

fn problem(scale: Scale) -> Problem {
    let mut buffers = Buffers::new(scale);
    let (width, height) = (scale.pick(70, 4096), scale.pick(50, 4096));
    let field = |seed| -> Vec<f64> {
        inputs::floats(0.0, 1.0, seed, width * height).into_iter().map(f64::from).collect()
    };
    let (k, u, dt) = (field(1), field(2), 0.1f64);
    let expected = || {
        let next = |i: usize| {
            let (x, y) = (i % width, i / width);
            let at = |x: usize, y: usize| u[y.min(height - 1) * width + x.min(width - 1)];
            let (left, up) = (at(x.saturating_sub(1), y), at(x, y.saturating_sub(1)));
            u[i] + dt * k[i] * (left + at(x + 1, y) + up + at(x, y + 1) - 4.0 * u[i])
        };
        (0..width * height).map(next).collect()
    };
    let (k_id, u_id) = (buffers.input(&k), buffers.input(&u));
    let next_id = buffers.output(&vec![0.0f64; width * height], Agreement::Within(1e-12), expected);
    let dt = Arg::Bits(dt.to_bits());
    Problem {
        grid: [width.div_ceil(32) as u32, height.div_ceil(8) as u32, 1],
        block: [32, 8, 1],
        rust: args![width, height, dt, k_id, u_id, next_id],
        cuda: args![width as i32, height as i32, dt, k_id, u_id, next_id],
        buffers,
        work: Work::Bytes(24 * width * height),
    }
}

benchmark!(heat, "LDG");
