//! What faulting threads leave behind on a GPU.
//!
//! The launcher passes every kernel, as its last parameter, the address of one
//! [`FaultRecord`] in device memory, filled with [`FaultRecord::EMPTY`]. A thread
//! whose check fails counts itself, adds its details, and exits. Nothing traps, so the context
//! lives on.
//!
//! Of several faults the lowest thread's is kept, without a lock: the details are cut into pieces
//! of [`PIECE_BITS`] bits, each piece goes into a word below the thread's number, and each word of
//! the record is the minimum of what threads bring. Since no two threads have the same
//! number, all words are those of one thread in the end.

/// Bits of details in each word of a record; the thread's number is in the bits above.
pub const PIECE_BITS: u32 = 24;

/// Threads of a launch at most, so that a number fits above the details.
pub const MOST_THREADS: u64 = 1 << (u64::BITS - PIECE_BITS);

/// The record, as it lies in device memory (72 bytes, little-endian).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultRecord {
    /// How many threads faulted.
    pub count: u64,
    /// The failed check's [`Span`](crate::ir::Span), as a number, cut in two; above the
    /// second piece's 8 bits of it the [`Fault`](crate::ir::Fault), as a number.
    pub check: [u64; 2],
    /// The index, for an index out of bounds, cut in three.
    pub index: [u64; 3],
    /// The length, likewise.
    pub len: [u64; 3],
}

/// What a record says about the lowest thread that faulted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultDetails {
    /// The failed check's [`Span`](crate::ir::Span), as a number.
    pub span: u32,
    /// The [`Fault`](crate::ir::Fault), as a number.
    pub fault: u32,
    /// The index, for an index out of bounds; otherwise 0.
    pub index: u64,
    /// The length, likewise.
    pub len: u64,
    /// Block index.
    pub block: [u32; 3],
    /// Thread index.
    pub thread: [u32; 3],
}

impl FaultRecord {
    /// No thread has faulted.
    pub const EMPTY: Self =
        Self { count: 0, check: [u64::MAX; 2], index: [u64::MAX; 3], len: [u64::MAX; 3] };

    /// What it says after a launch of `grid` blocks of `block` threads; `None` if no thread faulted.
    pub fn details(&self, grid: [u32; 3], block: [u32; 3]) -> Option<FaultDetails> {
        if self.count == 0 {
            return None;
        }
        let number = self.check[0] >> PIECE_BITS;
        let check = join(number, &self.check);
        let threads: u64 = block.iter().map(|&threads| u64::from(threads)).product();
        let threads = threads.max(1);
        Some(FaultDetails {
            span: check as u32,
            fault: (check >> u32::BITS) as u32,
            index: join(number, &self.index),
            len: join(number, &self.len),
            block: place(number / threads, grid),
            thread: place(number % threads, block),
        })
    }
}

/// The pieces that thread `number` left, joined; 0 if it left none.
fn join(number: u64, words: &[u64]) -> u64 {
    let piece = |word: &u64| match word >> PIECE_BITS == number {
        true => word & ((1 << PIECE_BITS) - 1),
        false => 0,
    };
    words.iter().rev().fold(0, |joined, word| joined << PIECE_BITS | piece(word))
}

/// Index of the `number`th along three axes, x fastest.
fn place(number: u64, extents: [u32; 3]) -> [u32; 3] {
    let [width, height] = [extents[0], extents[1]].map(|extent| u64::from(extent.max(1)));
    let index = [number % width, number / width % height, number / width / height];
    index.map(|index| index as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the thread `number` brings, by the description of the record.
    fn bring(record: &mut FaultRecord, number: u64, check: u64, index: Option<[u64; 2]>) {
        let bring = |words: &mut [u64], mut value: u64| {
            for word in words {
                *word = (*word).min(number << PIECE_BITS | value & ((1 << PIECE_BITS) - 1));
                value >>= PIECE_BITS;
            }
        };
        record.count += 1;
        bring(&mut record.check, check);
        if let Some([index, len]) = index {
            bring(&mut record.index, index);
            bring(&mut record.len, len);
        }
    }

    #[test]
    fn the_lowest_thread_is_kept_whole() {
        let (grid, block) = ([3, 5, 2], [4, 2, 8]);
        assert_eq!(FaultRecord::EMPTY.details(grid, block), None);
        let number = (3 * 5 + 3 + 2) * 64 + 4 * 2 * 7 + 4 + 3;
        let mut record = FaultRecord::EMPTY;
        bring(&mut record, number + 1, 7, Some([1, 2]));
        bring(&mut record, number, 0x0b_ffff_fffe, Some([u64::MAX, 1 << 63 | 5]));
        bring(&mut record, number + 5, 3 << 32, None);
        let expected = FaultDetails {
            span: u32::MAX - 1,
            fault: 11,
            index: u64::MAX,
            len: 1 << 63 | 5,
            block: [2, 1, 1],
            thread: [3, 1, 7],
        };
        assert_eq!(record.details(grid, block), Some(expected));
        assert_eq!(record.count, 3);
    }

    #[test]
    fn a_check_without_an_index_does_not_borrow_another_threads() {
        let mut record = FaultRecord::EMPTY;
        bring(&mut record, 9, 1, Some([7, 7]));
        bring(&mut record, 8, 2 << 32 | 5, None);
        let details = record.details([1, 1, 1], [32, 1, 1]).unwrap();
        assert_eq!((details.span, details.fault), (5, 2));
        assert_eq!((details.index, details.len), (0, 0));
        assert_eq!(details.thread, [8, 0, 0]);
    }

    #[test]
    fn the_last_thread_of_the_largest_launch_has_a_number() {
        let mut record = FaultRecord::EMPTY;
        bring(&mut record, MOST_THREADS - 1, (1 << 40) - 1, None);
        let details = record.details([1 << 20, 1 << 15, 1 << 5], [1, 1, 1]).unwrap();
        assert_eq!(details.block, [(1 << 20) - 1, (1 << 15) - 1, 31]);
        assert_eq!((details.span, details.fault), (u32::MAX, 255));
    }
}
