//! The sum of all elements: a grid-stride loop, shuffles, and an atomic addition for each warp.
use super::prelude::*;

#[kernel(block = 256)]
fn sum(x: &[f32], total: &[AtomicF32]) {
    let stride = grid_dim_x() * block_dim_x();
    let mut sum = 0.0;
    for i in (global_idx_x()..x.len()).step_by(stride) {
        sum += x[i];
    }
    for step in [16, 8, 4, 2, 1] {
        sum += warp::shfl_down(sum, step);
    }
    if warp::lane_id() == 0 {
        total[0].fetch_add(sum, Ordering::Relaxed);
    }
}

fn problem(scale: Scale) -> Problem {
    let n = scale.pick(10_000, 1 << 26);
    let x = inputs::floats(0.0, 1.0, 1, n);
    let expected = || vec![x.iter().copied().map(f64::from).sum::<f64>() as f32];
    let mut buffers = Buffers::new(scale);
    let x_id = buffers.input(&x);
    let total_id = buffers.output(&[0.0], Agreement::Within(1e-4), expected);
    Problem {
        grid: [scale.pick(4, 2048), 1, 1],
        block: [256, 1, 1],
        rust: args![x_id, total_id],
        cuda: args![n as i32, x_id, total_id],
        buffers,
        work: Work::Bytes(4 * n),
    }
}

benchmark!(sum, "LDG");
