//! The first pass of a radix sort: the number of a block's keys with each digit.
use super::prelude::*;

#[kernel(block = 256)]
fn radix_count(shift: u32, keys: &[u32], counts: &mut [u32]) {
    let bins = shared!([AtomicU32; 16]);
    let t = thread_idx_x();
    if t < 16 {
        bins[t].store(0, Ordering::Relaxed);
    }
    sync_threads();
    let first = block_idx_x() * 2048;
    for k in 0..8 {
        let i = first + k * 256 + t;
        if i < keys.len() {
            let digit = (keys[i] >> shift) as usize % 16;
            bins[digit].fetch_add(1, Ordering::Relaxed);
        }
    }
    sync_threads();
    if t < 16 {
        counts[t * grid_dim_x() + block_idx_x()] = bins[t].load(Ordering::Relaxed);
    }
}

fn problem(scale: Scale) -> Problem {
    let n: usize = scale.pick(5000, 1 << 26);
    let blocks = n.div_ceil(2048);
    let shift = 8u32;
    let keys = inputs::words(1, n);
    let expected = || {
        let mut counts = vec![0u32; 16 * blocks];
        for (i, key) in keys.iter().enumerate() {
            counts[(key >> shift) as usize % 16 * blocks + i / 2048] += 1;
        }
        counts
    };
    let mut buffers = Buffers::new(scale);
    let keys_id = buffers.input(&keys);
    let counts_id = buffers.output(&vec![0u32; 16 * blocks], Agreement::Exact, expected);
    Problem {
        grid: [blocks as u32, 1, 1],
        block: [256, 1, 1],
        rust: args![shift, keys_id, counts_id],
        cuda: args![n as i32, shift, keys_id, counts_id],
        buffers,
        work: Work::Bytes(4 * n),
    }
}

benchmark!(radix_count, "LDG");
