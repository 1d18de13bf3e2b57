//! A dot product: a grid-stride loop, a tree in shared memory, and an atomic addition for each
//! block.
use super::prelude::*;

#[kernel(block = 256)]
fn dot(x: &[f32], y: &[f32], total: &[AtomicF32]) {
    let sums = shared!([f32; 256]);
    let t = thread_idx_x();
    let stride = grid_dim_x() * block_dim_x();
    let mut sum = 0.0;
    for i in (global_idx_x()..x.len()).step_by(stride) {
        sum += x[i] * y[i];
    }
    sums[t] = sum;
    sync_threads();
    let mut half = 128;
    while half > 0 {
        if t < half {
            sums[t] += sums[t + half];
        }
        sync_threads();
        half /= 2;
    }
    if t == 0 {
        total[0].fetch_add(sums[0], Ordering::Relaxed);
    }
}

fn problem(scale: Scale) -> Problem {
    let n = scale.pick(10_000, 1 << 26);
    let (x, y) = (inputs::floats(0.0, 1.0, 1, n), inputs::floats(0.0, 1.0, 2, n));
    let expected = || {
        let products = x.iter().zip(&y).map(|(x, y)| f64::from(*x) * f64::from(*y));
        vec![products.sum::<f64>() as f32]
    };
    let mut buffers = Buffers::new(scale);
    let (x_id, y_id) = (buffers.input(&x), buffers.input(&y));
    let total_id = buffers.output(&[0.0], Agreement::Within(1e-4), expected);
    Problem {
        grid: [scale.pick(4, 2048), 1, 1],
        block: [256, 1, 1],
        rust: args![x_id, y_id, total_id],
        cuda: args![n as i32, x_id, y_id, total_id],
        buffers,
        work: Work::Bytes(8 * n),
    }
}

benchmark!(dot, "LDG");
