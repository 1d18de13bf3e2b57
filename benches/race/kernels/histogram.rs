//! A histogram of bytes: counts of a block in shared memory, then one atomic addition for each bin.
use super::prelude::*;

#[kernel(block = 256)]
fn histogram(x: &[u8], bins: &[AtomicU32]) {
    let counts = shared!([AtomicU32; 256]);
    let t = thread_idx_x();
    counts[t].store(0, Ordering::Relaxed);
    sync_threads();
    let stride = grid_dim_x() * block_dim_x();
    for i in (global_idx_x()..x.len()).step_by(stride) {
        counts[x[i] as usize].fetch_add(1, Ordering::Relaxed);
    }
    sync_threads();
    bins[t].fetch_add(counts[t].load(Ordering::Relaxed), Ordering::Relaxed);
}

fn problem(scale: Scale) -> Problem {
    let n = scale.pick(10_000, 1 << 27);
    let x = inputs::bytes(1, n);
    let expected = || {
        let mut bins = vec![0u32; 256];
        for byte in &x {
            bins[usize::from(*byte)] += 1;
        }
        bins
    };
    let mut buffers = Buffers::new(scale);
    let x_id = buffers.input(&x);
    let bins_id = buffers.output(&[0u32; 256], Agreement::Exact, expected);
    Problem {
        grid: [scale.pick(4, 2048), 1, 1],
        block: [256, 1, 1],
        rust: args![x_id, bins_id],
        cuda: args![n as i32, x_id, bins_id],
        buffers,
        work: Work::Bytes(n),
    }
}

benchmark!(histogram, "LDG");
