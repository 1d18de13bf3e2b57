//! A merge of two sorted lists: each thread finds its part of the path through both by binary
//! search and merges eight numbers.
use super::prelude::*;

#[kernel(block = 256)]
fn merge_path(a: &[u32], b: &[u32], out: &mut [u32]) {
    let start = 8 * global_idx_x();
    if start < out.len() {
        let mut low = start.saturating_sub(b.len());
        let mut high = start.min(a.len());
        while low < high {
            let middle = (low + high) / 2;
            if a[middle] <= b[start - 1 - middle] {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let (mut i, mut j) = (low, start - low);
        for k in start..(start + 8).min(out.len()) {
            if j >= b.len() || (i < a.len() && a[i] <= b[j]) {
                out[k] = a[i];
                i += 1;
            } else {
                out[k] = b[j];
                j += 1;
            }
        }
    }
}

fn problem(scale: Scale) -> Problem {
    let (a_len, b_len) = (scale.pick(700, 12_000_000), scale.pick(400, 9_000_001));
    let sorted = |seed, n| {
        let mut words = inputs::words(seed, n);
        words.sort_unstable();
        words
    };
    let (a, b) = (sorted(1, a_len), sorted(2, b_len));
    let n = a.len() + b.len();
    let expected = || {
        let mut all = [a.as_slice(), b.as_slice()].concat();
        all.sort_unstable();
        all
    };
    let mut buffers = Buffers::new(scale);
    let (a_id, b_id) = (buffers.input(&a), buffers.input(&b));
    let out_id = buffers.output(&vec![0u32; n], Agreement::Exact, expected);
    Problem {
        grid: cover(n.div_ceil(8), 256),
        block: [256, 1, 1],
        rust: args![a_id, b_id, out_id],
        cuda: args![a.len() as i32, b.len() as i32, a_id, b_id, out_id],
        buffers,
        work: Work::Bytes(8 * n),
    }
}

benchmark!(merge_path, "LDG");
