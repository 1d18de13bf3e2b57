//! The sort of `bitonic_sort` without divisions: a thread for each key, whose partner is at
//! `t ^ distance`.
use super::prelude::*;

#[kernel(block = 1024)]
fn bitonic_xor(keys: &[u32], sorted: &mut [u32]) {
    let tile = shared!([u32; 1024]);
    let t = thread_idx_x();
    let first = block_idx_x() * 1024;
    tile[t] = keys[first + t];
    sync_threads();
    let mut run = 2;
    while run <= 1024 {
        let mut distance = run / 2;
        while distance > 0 {
            let other = t ^ distance;
            if other > t && (tile[t] > tile[other]) == (t & run == 0) {
                tile.swap(t, other);
            }
            sync_threads();
            distance /= 2;
        }
        run *= 2;
    }
    sorted[first + t] = tile[t];
}

fn problem(scale: Scale) -> Problem {
    let n = scale.pick(2048, 1 << 23);
    let keys = inputs::words(1, n);
    let expected = || {
        let mut sorted = keys.clone();
        sorted.chunks_exact_mut(1024).for_each(<[u32]>::sort_unstable);
        sorted
    };
    let mut buffers = Buffers::new(scale);
    let keys_id = buffers.input(&keys);
    let sorted_id = buffers.output(&vec![0u32; n], Agreement::Exact, expected);
    Problem {
        grid: [(n / 1024) as u32, 1, 1],
        block: [1024, 1, 1],
        rust: args![keys_id, sorted_id],
        cuda: args![keys_id, sorted_id],
        buffers,
        work: Work::Items(n),
    }
}

benchmark!(bitonic_xor, "LDS");
