//! Binary search of each key in a sorted slice.
use super::prelude::*;

#[kernel(block = 256)]
fn lower_bound(sorted: &[u32], keys: &[u32], out: &mut [u32]) {
    let i = global_idx_x();
    if i < keys.len() {
        let key = keys[i];
        let (mut low, mut high) = (0, sorted.len());
        while low < high {
            let middle = (low + high) / 2;
            if sorted[middle] < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        out[i] = low as u32;
    }
}

fn problem(scale: Scale) -> Problem {
    let mut buffers = Buffers::new(scale);
    let (m, n) = (scale.pick(100, 1 << 16), scale.pick(1000, 1 << 24));
    let mut sorted = inputs::words(1, m);
    sorted.sort_unstable();
    let keys = inputs::words(2, n);
    let expected =
        || keys.iter().map(|key| sorted.partition_point(|number| number < key) as u32).collect();
    let (sorted_id, keys_id) = (buffers.input(&sorted), buffers.input(&keys));
    let out_id = buffers.output(&vec![0u32; n], Agreement::Exact, expected);
    Problem {
        grid: [n.div_ceil(256) as u32, 1, 1],
        block: [256, 1, 1],
        rust: args![sorted_id, keys_id, out_id],
        cuda: args![m as i32, n as i32, sorted_id, keys_id, out_id],
        buffers,
        work: Work::Items(n),
    }
}

benchmark!(lower_bound, "LDG");
