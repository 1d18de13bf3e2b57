//! Atomic updates of random words: without a result, with one, and by compare-and-swap, of as many
//! words as fit into the second-level cache and of more.
use super::prelude::*;

/// Of words that the second-level cache has.
pub(super) const NEAR: &[Benchmark] = &[
    variant!(add_near, |scale| problem(scale, 50_000)),
    variant!(fetch_add_near, |scale| problem(scale, 50_000)),
    variant!(swap_near, |scale| problem(scale, 50_000)),
];

/// Of words that it lacks.
pub(super) const FAR: &[Benchmark] = &[
    variant!(add_far, |scale| problem(scale, 1 << 26)),
    variant!(fetch_add_far, |scale| problem(scale, 1 << 26)),
    variant!(swap_far, |scale| problem(scale, 1 << 26)),
];

macro_rules! kernels {
    ($($name:ident: |$word:ident, $i:ident| $old:expr,)*) => {
        $(
            /// A thread updates one word.
            #[kernel(block = 256)]
            fn $name(places: &[u32], words: &[AtomicU32], largest: &mut [u32]) {
                let $i = global_idx_x();
                if $i < places.len() {
                    let $word = &words[places[$i] as usize];
                    let old: u32 = $old;
                    if old == u32::MAX {
                        largest[$i] = old;
                    }
                }
            }
        )*
    };
}

/// Adds and ignores the result.
#[device]
fn add(word: &AtomicU32) -> u32 {
    word.fetch_add(1, Ordering::Relaxed);
    0
}

/// Swaps if the word has a value that it never has.
#[device]
fn swap(word: &AtomicU32) -> u32 {
    match word.compare_exchange(u32::MAX, 1, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(old) => old,
        Err(old) => old,
    }
}

kernels! {
    add_near: |word, i| add(word),
    add_far: |word, i| add(word),
    fetch_add_near: |word, i| word.fetch_add(1, Ordering::Relaxed),
    fetch_add_far: |word, i| word.fetch_add(1, Ordering::Relaxed),
    swap_near: |word, i| swap(word),
    swap_far: |word, i| swap(word),
}

fn problem(scale: Scale, len: usize) -> Problem {
    let (n, len) = (scale.pick(1000, 1 << 25), scale.pick(500, len));
    let places = inputs::below(len as u32, 1, n);
    let mut buffers = Buffers::new(scale);
    let places_id = buffers.input(&places);
    let words_id = buffers.input(&vec![0u32; len]);
    let largest_id = buffers.input(&vec![0u32; n]);
    Problem {
        grid: cover(n, 256),
        block: [256, 1, 1],
        rust: args![places_id, words_id, largest_id],
        cuda: Vec::new(),
        buffers,
        work: Work::Items(n),
    }
}
