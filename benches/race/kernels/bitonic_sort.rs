//! A bitonic sort of 1024 keys a block in shared memory, a thread for each pair.
use super::prelude::*;

#[kernel(block = 512)]
fn bitonic_sort(keys: &[u32], sorted: &mut [u32]) {
    let tile = shared!([u32; 1024]);
    let t = thread_idx_x();
    let first = block_idx_x() * 1024;
    tile[t] = keys[first + t];
    tile[t + 512] = keys[first + t + 512];
    sync_threads();
    let mut run = 2;
    while run <= 1024 {
        let mut distance = run / 2;
        while distance > 0 {
            let low = t / distance * (2 * distance) + t % distance;
            let high = low + distance;
            let upwards = low / run % 2 == 0;
            if (tile[low] > tile[high]) == upwards {
                tile.swap(low, high);
            }
            sync_threads();
            distance /= 2;
        }
        run *= 2;
    }
    sorted[first + t] = tile[t];
    sorted[first + t + 512] = tile[t + 512];
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
        block: [512, 1, 1],
        rust: args![keys_id, sorted_id],
        cuda: args![keys_id, sorted_id],
        buffers,
        work: Work::Items(n),
    }
}

benchmark!(bitonic_sort, "LDS");
