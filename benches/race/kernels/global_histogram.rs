//! A histogram of many bins: one atomic addition in global memory for each element.
use super::prelude::*;

#[kernel(block = 256)]
fn global_histogram(keys: &[u32], bins: &[AtomicU32]) {
    let i = global_idx_x();
    if i < keys.len() {
        let bin = keys[i] as usize % bins.len();
        bins[bin].fetch_add(1, Ordering::Relaxed);
    }
}

fn problem(scale: Scale) -> Problem {
    let (n, bin_count) = (scale.pick(10_000, 1 << 25), 50_000);
    let keys = inputs::words(1, n);
    let expected = || {
        let mut bins = vec![0u32; bin_count];
        for key in &keys {
            bins[*key as usize % bin_count] += 1;
        }
        bins
    };
    let mut buffers = Buffers::new(scale);
    let keys_id = buffers.input(&keys);
    let bins_id = buffers.output(&vec![0u32; bin_count], Agreement::Exact, expected);
    Problem {
        grid: cover(n, 256),
        block: [256, 1, 1],
        rust: args![keys_id, bins_id],
        cuda: args![n as i32, bin_count as i32, keys_id, bins_id],
        buffers,
        work: Work::Bytes(4 * n),
    }
}

benchmark!(global_histogram, "LDG");
