//! The square of the norm of a vector, as a course writes it five times.
use super::prelude::*;

pub(super) const ALL: &[Benchmark] = &[
    variant!(norm1, |scale| partial_problem(scale, 1, 256, |i, n| i / (n / 256))),
    variant!(norm2, |scale| partial_problem(scale, 1, 256, |i, _| i % 256)),
    variant!(norm3, |scale| partial_problem(scale, 64, 64, |i, _| i / 256 % 64)),
    variant!(norm4, total_problem),
    variant!(norm5, |scale| {
        let blocks = cover(elements(scale), 256)[0];
        float_problem(scale, blocks)
    }),
];

/// One block; each thread adds up a chunk of its own.
#[kernel(block = 256)]
fn norm1(x: &[f32], partial: &mut [f64]) {
    let tid = thread_idx_x();
    let chunk = x.len() / block_dim_x();
    let mut sum = 0.0;
    for i in tid * chunk..(tid + 1) * chunk {
        sum += x[i] as f64 * x[i] as f64;
    }
    partial[tid] = sum;
}

/// One block; neighbouring threads add up neighbouring elements.
#[kernel(block = 256)]
fn norm2(x: &[f32], partial: &mut [f64]) {
    let tid = thread_idx_x();
    let mut sum = 0.0;
    for i in (tid..x.len()).step_by(block_dim_x()) {
        sum += x[i] as f64 * x[i] as f64;
    }
    partial[tid] = sum;
}

/// 64 blocks; the first thread of a block adds up the sums of all of its threads.
#[kernel(block = 256)]
fn norm3(x: &[f32], partial: &mut [f64]) {
    let sums = shared!([f64; 256]);
    let tid = thread_idx_x();
    let mut sum = 0.0;
    for i in (global_idx_x()..x.len()).step_by(block_dim_x() * grid_dim_x()) {
        sum += x[i] as f64 * x[i] as f64;
    }
    sums[tid] = sum;
    sync_threads();
    if tid == 0 {
        let mut all = 0.0;
        for i in 0..256 {
            all += sums[i];
        }
        partial[block_idx_x()] = all;
    }
}

/// A thread for each element: a reduction of the block, and one atomic addition of each block.
#[kernel(block = 256)]
fn norm4(x: &[f32], total: &[AtomicF32]) {
    let i = global_idx_x();
    let value = if i < x.len() { x[i] } else { 0.0 };
    let sum = block::reduce_add(value * value);
    if thread_idx_x() == 0 {
        total[0].fetch_add(sum, Ordering::Relaxed);
    }
}

/// A thread for each element: a reduction of each warp, and a tree over the warps of the block.
#[kernel(block = 256)]
fn norm5(x: &[f32], partial: &mut [f32]) {
    let sums = shared!([f32; 8]);
    let (tid, i) = (thread_idx_x(), global_idx_x());
    let value = if i < x.len() { x[i] } else { 0.0 };
    let sum = warp::reduce_add(value * value);
    if warp::lane_id() == 0 {
        sums[tid / 32] = sum;
    }
    sync_threads();
    let mut half = 4;
    while half > 0 {
        if tid < half {
            sums[tid] += sums[tid + half];
        }
        sync_threads();
        half /= 2;
    }
    if tid == 0 {
        partial[block_idx_x()] = sums[0];
    }
}

fn elements(scale: Scale) -> usize {
    scale.pick(1 << 12, 1 << 21)
}

/// `blocks` blocks with a result of `len` 64-bit floats; `place` returns the one to which element
/// `i` of `n` is added.
fn partial_problem(
    scale: Scale,
    blocks: u32,
    len: usize,
    place: fn(usize, usize) -> usize,
) -> Problem {
    let n = elements(scale);
    let x = inputs::floats(-1.0, 1.0, 1, n);
    let mut buffers = Buffers::new(scale);
    let x_id = buffers.input(&x);
    let expected = || {
        let mut sums = vec![0.0; len];
        x.iter().enumerate().for_each(|(i, x)| sums[place(i, n)] += f64::from(*x).powi(2));
        sums
    };
    let partial_id = buffers.output(&vec![0.0f64; len], Agreement::Within(1e-12), expected);
    with_grid(blocks, n, vec![x_id, partial_id], buffers)
}

fn float_problem(scale: Scale, blocks: u32) -> Problem {
    let n = elements(scale);
    let x = inputs::floats(-1.0, 1.0, 1, n);
    let expected = || {
        let norm = |block: &[f32]| block.iter().map(|x| f64::from(x * x)).sum::<f64>() as f32;
        x.chunks(256).map(norm).collect()
    };
    let mut buffers = Buffers::new(scale);
    let x_id = buffers.input(&x);
    let zeros = vec![0.0; blocks as usize];
    let partial_id = buffers.output(&zeros, Agreement::Within(1e-4), expected);
    with_grid(blocks, n, vec![x_id, partial_id], buffers)
}

fn total_problem(scale: Scale) -> Problem {
    let n = elements(scale);
    let x = inputs::floats(-1.0, 1.0, 1, n);
    let expected = || vec![x.iter().map(|x| f64::from(x * x)).sum::<f64>() as f32];
    let mut buffers = Buffers::new(scale);
    let x_id = buffers.input(&x);
    let total_id = buffers.output(&[0.0f32], Agreement::Within(1e-4), expected);
    with_grid(cover(n, 256)[0], n, vec![x_id, total_id], buffers)
}

fn with_grid(blocks: u32, n: usize, ids: Vec<BufferId>, buffers: Buffers) -> Problem {
    Problem {
        grid: [blocks, 1, 1],
        block: [256, 1, 1],
        rust: ids.into_iter().map(Into::into).collect(),
        cuda: Vec::new(),
        buffers,
        work: Work::Bytes(4 * n),
    }
}
