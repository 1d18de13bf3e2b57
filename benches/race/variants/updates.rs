//! Atomic updates of random words: without a result, with one, and by compare-and-swap, of as many
//! words as fit into the second-level cache and of more.
use super::prelude::*;

/// Of words that the second-level cache has.
pub(super) const NEAR: &[Benchmark] = &[
    variant!(add_near, |scale| problem(scale, 50_000, 1)),
    variant!(fetch_add_near, |scale| problem(scale, 50_000, 1)),
    variant!(swap_near, |scale| problem(scale, 50_000, 0)),
];

/// Of words that it lacks.
pub(super) const FAR: &[Benchmark] = &[
    variant!(add_far, |scale| problem(scale, 1 << 26, 1)),
    variant!(fetch_add_far, |scale| problem(scale, 1 << 26, 1)),
    variant!(swap_far, |scale| problem(scale, 1 << 26, 0)),
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

/// A thread adds `added` to its word.
fn problem(scale: Scale, len: usize, added: u32) -> Problem {
    let (n, len) = (scale.pick(1000, 1 << 25), scale.pick(500, len));
    let places = inputs::below(len as u32, 1, n);
    let mut buffers = Buffers::new(scale);
    let places_id = buffers.input(&places);
    let expected = || {
        let mut words = vec![0; len];
        places.iter().for_each(|place| words[*place as usize] += added);
        words
    };
    let words_id = buffers.output(&vec![0u32; len], Agreement::Exact, expected);
    let largest_id = buffers.output(&vec![0u32; n], Agreement::Exact, || vec![0; n]);
    Problem {
        grid: cover(n, 256),
        block: [256, 1, 1],
        rust: args![places_id, words_id, largest_id],
        cuda: Vec::new(),
        buffers,
        work: Work::Items(n),
    }
}
