//! Sums of all elements, one thread for each, beside that of the race with a loop over the grid.
use super::prelude::*;

pub(super) const ALL: &[Benchmark] = &[
    variant!(sum_thread_atomics, problem),
    variant!(sum_warp_atomics, problem),
    variant!(sum_divergent_tree, problem),
    variant!(sum_conflicting_tree, problem),
    variant!(sum_tree, problem),
    variant!(sum_shuffles, problem),
];

/// An atomic addition for each thread.
#[kernel(block = 256)]
fn sum_thread_atomics(x: &[f32], total: &[AtomicF32]) {
    let i = global_idx_x();
    if i < x.len() {
        total[0].fetch_add(x[i], Ordering::Relaxed);
    }
}

/// A reduction of each warp, and an atomic addition for each.
#[kernel(block = 256)]
fn sum_warp_atomics(x: &[f32], total: &[AtomicF32]) {
    let i = global_idx_x();
    let value = if i < x.len() { x[i] } else { 0.0 };
    let sum = warp::reduce_add(value);
    if warp::lane_id() == 0 {
        total[0].fetch_add(sum, Ordering::Relaxed);
    }
}

/// A tree in shared memory whose active threads are multiples of a power of two.
#[kernel(block = 256)]
fn sum_divergent_tree(x: &[f32], total: &[AtomicF32]) {
    let sums = shared!([f32; 256]);
    let (tid, i) = (thread_idx_x(), global_idx_x());
    sums[tid] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    let mut step = 1;
    while step < 256 {
        if tid % (2 * step) == 0 {
            sums[tid] += sums[tid + step];
        }
        sync_threads();
        step *= 2;
    }
    if tid == 0 {
        total[0].fetch_add(sums[0], Ordering::Relaxed);
    }
}

/// A tree in shared memory whose active threads are the first ones, which access one bank.
#[kernel(block = 256)]
fn sum_conflicting_tree(x: &[f32], total: &[AtomicF32]) {
    let sums = shared!([f32; 256]);
    let (tid, i) = (thread_idx_x(), global_idx_x());
    sums[tid] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    let mut step = 1;
    while step < 256 {
        let first = 2 * step * tid;
        if first < 256 {
            sums[first] += sums[first + step];
        }
        sync_threads();
        step *= 2;
    }
    if tid == 0 {
        total[0].fetch_add(sums[0], Ordering::Relaxed);
    }
}

/// A tree in shared memory whose active threads are the first ones, in neighbouring banks.
#[kernel(block = 256)]
fn sum_tree(x: &[f32], total: &[AtomicF32]) {
    let sums = shared!([f32; 256]);
    let (tid, i) = (thread_idx_x(), global_idx_x());
    sums[tid] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    let mut half = 128;
    while half > 0 {
        if tid < half {
            sums[tid] += sums[tid + half];
        }
        sync_threads();
        half /= 2;
    }
    if tid == 0 {
        total[0].fetch_add(sums[0], Ordering::Relaxed);
    }
}

/// A reduction of the block by shuffles, and an atomic addition for each.
#[kernel(block = 256)]
fn sum_shuffles(x: &[f32], total: &[AtomicF32]) {
    let i = global_idx_x();
    let value = if i < x.len() { x[i] } else { 0.0 };
    let sum = block::reduce_add(value);
    if thread_idx_x() == 0 {
        total[0].fetch_add(sum, Ordering::Relaxed);
    }
}

fn problem(scale: Scale) -> Problem {
    let n = scale.pick(10_000, 1 << 26);
    let x = inputs::floats(0.0, 1.0, 1, n);
    let expected = || vec![x.iter().copied().map(f64::from).sum::<f64>() as f32];
    let mut buffers = Buffers::new(scale);
    let x_id = buffers.input(&x);
    let total_id = buffers.output(&[0.0f32], Agreement::Within(1e-2), expected);
    Problem {
        grid: cover(n, 256),
        block: [256, 1, 1],
        rust: args![x_id, total_id],
        cuda: Vec::new(),
        buffers,
        work: Work::Bytes(4 * n),
    }
}
