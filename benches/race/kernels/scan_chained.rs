//! An inclusive scan of all elements in one pass: each block waits for the sum of the blocks before
//! it.
use super::prelude::*;

#[kernel(block = 256)]
fn scan_chained(x: &[u32], ticket: &[AtomicU32], sums: &[AtomicU64], out: &mut [u32]) {
    let shared = shared!([u32; 2]);
    let t = thread_idx_x();
    // Blocks start in any order, so each takes the next tile.
    if t == 0 {
        shared[0] = ticket[0].fetch_add(1, Ordering::Relaxed);
    }
    sync_threads();
    let tile = shared[0] as usize;
    let first = tile * 2048 + t * 8;
    let mut values = [0; 8];
    let mut total = 0;
    for k in 0..8 {
        if first + k < x.len() {
            total += x[first + k];
        }
        values[k] = total;
    }
    let sum = block::inclusive_sum(total);
    if t == 255 {
        let mut before = 0;
        if tile > 0 {
            let mut state = 0;
            while state >> 32 == 0 {
                state = sums[tile - 1].load(Ordering::Relaxed);
            }
            before = state as u32;
        }
        // The flag and the sum are one word, so that they arrive together; nothing else needs an
        // order.
        sums[tile].store(1 << 32 | (before + sum) as u64, Ordering::Relaxed);
        shared[1] = before;
    }
    sync_threads();
    let before = shared[1] + sum - total;
    for k in 0..8 {
        if first + k < out.len() {
            out[first + k] = before + values[k];
        }
    }
}

fn problem(scale: Scale) -> Problem {
    let n: usize = scale.pick(10_000, 1 << 23);
    let tiles = n.div_ceil(2048);
    let x = inputs::below(100, 1, n);
    let expected = || {
        let next = |sum: &mut u32, x: &u32| {
            *sum += x;
            Some(*sum)
        };
        x.iter().scan(0, next).collect()
    };
    let mut buffers = Buffers::new(scale);
    let x_id = buffers.input(&x);
    let (ticket_id, sums_id) = (buffers.input(&[0u32]), buffers.input(&vec![0u64; tiles]));
    let out_id = buffers.output(&vec![0u32; n], Agreement::Exact, expected);
    buffers.restore(ticket_id);
    buffers.restore(sums_id);
    Problem {
        grid: [tiles as u32, 1, 1],
        block: [256, 1, 1],
        rust: args![x_id, ticket_id, sums_id, out_id],
        cuda: args![n as i32, x_id, ticket_id, sums_id, out_id],
        buffers,
        work: Work::Bytes(8 * n),
    }
}

benchmark!(scan_chained, "SHFL");
