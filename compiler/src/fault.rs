//! Fault records, which threads that fault leave behind on a GPU.
//!
//! The launcher passes every kernel, as its last parameter, the address of one
//! [`FaultRecord`] in device memory, filled with [`FaultRecord::EMPTY`] and the address of a flag.
//! A thread whose check fails counts itself, adds its details, sets the flag, and exits. Nothing
//! traps, so the context lives on.
//!
//! The flag is a word of host memory that tells the host after a launch whether there is anything
//! to read: each thread that faults or [prints](crate::output) sets it to 1, and only the host
//! resets it. If it is 0 after launches that share it, none of their threads faulted or printed,
//! and the host copies neither their records nor the print buffer.
//!
//! Of several faults the lowest thread's is kept, without a lock: the details are cut into
//! [`Pieces`], each piece goes into a word below the thread's number, and each word of the record
//! is the minimum of what threads bring. Since no two threads have the same number, all words are
//! those of one thread in the end. Pieces that are zero need not be brought, except the first of
//! the check, whose word tells the lowest thread's number.

use crate::{
    id::Id,
    ir::{Fault, Kernel, MessageId, Span},
    message::MAX_VALUES,
};
use std::{fmt, mem::offset_of};

/// The sizes of pieces of details. The thread's number takes the rest of each word, above them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pieces {
    /// Pieces of 32 bits, a register of the GPU.
    Bits32,
    /// Pieces of 24 bits below numbers of 40 bits, for kernels with `wide_index`.
    Bits24,
}

impl Pieces {
    /// Returns the pieces of kernels with and without `wide_index`.
    pub const fn of_kernels(wide_index: bool) -> Self {
        if wide_index { Self::Bits24 } else { Self::Bits32 }
    }

    /// Returns the bits of a piece.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Bits32 => 32,
            Self::Bits24 => 24,
        }
    }

    /// Returns the most threads of a launch: their numbers fit above a piece, and so does their
    /// count.
    pub const fn max_threads(self) -> u64 {
        u64::MAX >> self.bits()
    }

    /// Returns the pieces of a value, the lowest first.
    pub fn of_bits(self, bits: u64) -> [u32; 3] {
        let piece = |place: u32| {
            let shifted = bits.checked_shr(place * self.bits()).unwrap_or(0);
            (shifted & ((1 << self.bits()) - 1)) as u32
        };
        [0, 1, 2].map(piece)
    }

    /// Returns the pieces of the number of a failed check that a thread brings, and the offsets of
    /// their words in bytes: those that are not 0, and the first, whose word tells the lowest
    /// thread's number.
    pub fn of_check(self, reason: Reason, span: Span) -> impl Iterator<Item = (usize, u32)> {
        let pieces = self.of_bits(check_number(reason, span)).into_iter().enumerate();
        let brought = pieces.filter(|(place, piece)| *place == 0 || *piece != 0);
        brought.map(|(place, piece)| (FaultRecord::check_offset(place), piece))
    }

    /// Returns the value whose pieces thread `number` left in `words`; a piece that it did not
    /// leave is 0.
    fn join(self, number: u64, words: &[u64]) -> u64 {
        let piece = |word: &u64| {
            if word >> self.bits() == number { word & ((1 << self.bits()) - 1) } else { 0 }
        };
        words.iter().rev().fold(0, |joined, word| joined << self.bits() | piece(word))
    }
}

/// The record, as it lies in device memory (little-endian).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultRecord {
    /// Number of threads that faulted.
    pub count: u64,
    /// The number of the failed check, in pieces: the reason in the lowest 16 bits, and the span
    /// above them.
    pub check: [u64; 2],
    /// Index and length, for an index out of bounds, or a message's values; each in two or three
    /// pieces.
    pub values: [[u64; 3]; MAX_VALUES],
    /// Device address of the flag, a word of 32 bits, never 0 in a launch: the launcher writes it,
    /// and threads only read it.
    ///
    /// The flag lies in page-locked memory of the host that is mapped for the GPU, or in device
    /// memory if nobody reads it from the host. Threads store to it with the scope of the system,
    /// and the host sees it, the record and the print buffer complete once the kernel has ended,
    /// not before: a thread may set the flag before it adds its details.
    pub flag: u64,
}

/// The reason of a fault, as a record has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A check.
    Check(Fault),
    /// The kernel panicked, with this message.
    Panic(MessageId),
}

impl Reason {
    /// The first number of a message; smaller ones are faults of the IR.
    const MESSAGES: u16 = 0x100;
    /// Messages that records tell apart.
    pub const MOST_MESSAGES: usize = (u16::MAX - Self::MESSAGES) as usize;

    /// Its number; that of the fault itself, for a message that has none.
    pub fn number(self) -> u16 {
        match self {
            Self::Check(fault) => fault as u16,
            Self::Panic(message) if message.index() >= Self::MOST_MESSAGES => Fault::Panic as u16,
            Self::Panic(message) => Self::MESSAGES + message.index() as u16,
        }
    }

    /// Returns the reason with this number.
    pub fn of(number: u16) -> Option<Self> {
        match number.checked_sub(Self::MESSAGES) {
            Some(message) => Some(Self::Panic(MessageId::new(message.into()))),
            None => Fault::ALL.get(usize::from(number)).copied().map(Self::Check),
        }
    }

    /// Returns the message of a fault of `kernel` with these values.
    pub fn text(self, kernel: &Kernel, values: &[u64]) -> String {
        match (self, values) {
            (Self::Check(fault @ Fault::IndexOutOfBounds), [index, len, ..]) => {
                let index = IndexText(*index);
                format!("{}: the len is {len} but the index is {index}", fault.message())
            }
            (Self::Check(fault), _) => fault.message().to_owned(),
            (Self::Panic(message), _) => kernel.message_text(message, values),
        }
    }
}

/// The text of an index in messages, with the negative number that it probably was before it
/// wrapped.
#[derive(Clone, Copy, Debug)]
pub struct IndexText(pub u64);

impl fmt::Display for IndexText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// The largest distance from 2^32 at which a number is taken for a negative `u32`.
        const MAX_DISTANCE: u64 = 1 << 24;
        let Self(index) = *self;
        if index.cast_signed() < 0 {
            return write!(f, "{} ({index} as usize)", index.cast_signed());
        }
        match (1u64 << 32).checked_sub(index) {
            Some(distance @ 1..=MAX_DISTANCE) => write!(f, "{index} (-{distance} as u32)"),
            Some(_) | None => write!(f, "{index}"),
        }
    }
}

/// The details of a record about the lowest thread that faulted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultDetails {
    /// The failed check's [`Span`], as a number.
    pub span: u32,
    /// The reason; `None` for a number without one.
    pub reason: Option<Reason>,
    /// Index and length, for an index out of bounds, or a message's values; the others are 0.
    pub values: [u64; MAX_VALUES],
    /// Block index.
    pub block: [u32; 3],
    /// Thread index.
    pub thread: [u32; 3],
}

impl FaultRecord {
    /// No thread has faulted. The launcher adds the address of a flag.
    pub const EMPTY: Self =
        Self { count: 0, check: [u64::MAX; 2], values: [[u64::MAX; 3]; MAX_VALUES], flag: 0 };
    /// Offset in bytes of [the flag's address](Self::flag).
    pub const FLAG_OFFSET: usize = offset_of!(Self, flag);

    /// Returns the bytes of an empty record with this flag, as they lie in device memory.
    pub fn empty_bytes(flag: u64) -> [u8; size_of::<Self>()] {
        let Self { count, check, values, flag } = Self { flag, ..Self::EMPTY };
        let words = [count].into_iter().chain(check).chain(values.into_iter().flatten());
        let mut bytes = [0; size_of::<Self>()];
        for (place, word) in bytes.chunks_exact_mut(size_of::<u64>()).zip(words.chain([flag])) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// Returns the offset in bytes of a piece of the failed check's number.
    pub const fn check_offset(piece: usize) -> usize {
        offset_of!(Self, check) + piece * size_of::<u64>()
    }

    /// Returns the offset in bytes of a piece of a value.
    pub const fn value_offset(value: usize, piece: usize) -> usize {
        offset_of!(Self, values) + value * size_of::<[u64; 3]>() + piece * size_of::<u64>()
    }

    /// Returns the details after a launch of `grid` blocks of `block` threads; `None` if no thread
    /// faulted.
    pub fn details(&self, pieces: Pieces, grid: [u32; 3], block: [u32; 3]) -> Option<FaultDetails> {
        if self.count == 0 {
            return None;
        }
        let number = self.check[0] >> pieces.bits();
        let check = pieces.join(number, &self.check);
        let threads: u64 = block.iter().map(|&threads| u64::from(threads)).product();
        let threads = threads.max(1);
        Some(FaultDetails {
            span: (check >> u16::BITS) as u32,
            reason: Reason::of(check as u16),
            values: self.values.map(|value| pieces.join(number, &value)),
            block: place(number / threads, grid),
            thread: place(number % threads, block),
        })
    }
}

/// Returns the [number of a check](FaultRecord::check).
fn check_number(reason: Reason, span: Span) -> u64 {
    (span.index() as u64) << u16::BITS | u64::from(reason.number())
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

    /// Merges the fault of thread `number` into the record, as the description of the record says.
    fn bring(pieces: Pieces, record: &mut FaultRecord, number: u64, check: u64, values: &[u64]) {
        let bring = |words: &mut [u64], value: u64, is_check: bool| {
            for (place, (word, piece)) in words.iter_mut().zip(pieces.of_bits(value)).enumerate() {
                if piece != 0 || is_check && place == 0 {
                    *word = (*word).min(number << pieces.bits() | u64::from(piece));
                }
            }
        };
        record.count += 1;
        bring(&mut record.check, check, true);
        for (words, value) in record.values.iter_mut().zip(values) {
            bring(words, *value, false);
        }
    }

    fn check(reason: Reason, span: usize) -> u64 {
        check_number(reason, Span::new(span))
    }

    #[test]
    fn reasons_have_numbers_of_their_own() {
        for reason in
            Fault::ALL.into_iter().map(Reason::Check).chain([Reason::Panic(MessageId::new(7))])
        {
            assert_eq!(Reason::of(reason.number()), Some(reason));
        }
        assert_eq!(Reason::of(0xff), None);
        let beyond = Reason::Panic(MessageId::new(Reason::MOST_MESSAGES));
        assert_eq!(Reason::of(beyond.number()), Some(Reason::Check(Fault::Panic)));
    }

    #[test]
    fn the_lowest_thread_is_kept_whole() {
        let (grid, block) = ([3, 5, 2], [4, 2, 8]);
        let number = (3 * 5 + 3 + 2) * 64 + 4 * 2 * 7 + 4 + 3;
        let reason = Reason::Check(Fault::StepByZero);
        for pieces in [Pieces::Bits32, Pieces::Bits24] {
            assert_eq!(FaultRecord::EMPTY.details(pieces, grid, block), None);
            let mut record = FaultRecord::EMPTY;
            bring(pieces, &mut record, number + 1, 7, &[1, 2]);
            let lowest = check(reason, 0xffff_fffe);
            bring(pieces, &mut record, number, lowest, &[u64::MAX, 1 << 63 | 5]);
            bring(pieces, &mut record, number + 5, 3, &[]);
            let values = [u64::MAX, 1 << 63 | 5];
            let expected = FaultDetails {
                span: u32::MAX - 1,
                reason: Some(reason),
                values: std::array::from_fn(|i| values.get(i).copied().unwrap_or(0)),
                block: [2, 1, 1],
                thread: [3, 1, 7],
            };
            assert_eq!(record.details(pieces, grid, block), Some(expected));
            assert_eq!(record.count, 3);
        }
    }

    #[test]
    fn a_check_without_an_index_does_not_borrow_another_threads() {
        let reason = Reason::Check(Fault::RemainderByZero);
        for pieces in [Pieces::Bits32, Pieces::Bits24] {
            let mut record = FaultRecord::EMPTY;
            bring(pieces, &mut record, 9, 1 << 40 | 1, &[7, 7]);
            bring(pieces, &mut record, 8, check(reason, 5), &[]);
            let details = record.details(pieces, [1, 1, 1], [32, 1, 1]).unwrap();
            assert_eq!((details.span, details.reason), (5, Some(reason)));
            assert_eq!(details.values, [0; MAX_VALUES]);
            assert_eq!(details.thread, [8, 0, 0]);
        }
    }

    #[test]
    fn the_last_thread_of_the_largest_launch_has_a_number() {
        let last = Reason::Panic(MessageId::new(Reason::MOST_MESSAGES));
        let grids =
            [(Pieces::Bits32, [1 << 16, 1 << 15, 2]), (Pieces::Bits24, [1 << 20, 1 << 15, 32])];
        for (pieces, grid) in grids {
            let blocks: u64 = grid.iter().map(|&blocks| u64::from(blocks)).product();
            assert_eq!(blocks, pieces.max_threads() + 1);
            let mut record = FaultRecord::EMPTY;
            let number = pieces.max_threads() - 1;
            bring(pieces, &mut record, number, (1 << 48) - 1, &[]);
            let details = record.details(pieces, grid, [1, 1, 1]).unwrap();
            assert_eq!(details.block, [grid[0] - 2, grid[1] - 1, grid[2] - 1]);
            assert_eq!((details.span, details.reason), (u32::MAX, Some(last)));
        }
    }

    #[test]
    fn messages_are_formatted_with_their_types() {
        let kernel: Kernel =
            "kernel k { message msg0 = \"{0:?} {1}\": (f32, i8) }".parse().unwrap();
        let values = [1.0f32.to_bits().into(), 0xff];
        assert_eq!(Reason::Panic(MessageId::new(0)).text(&kernel, &values), "1.0 -1");
        assert_eq!(Reason::Panic(MessageId::new(1)).text(&kernel, &values), "");
        let outside = Reason::Check(Fault::IndexOutOfBounds).text(&kernel, &[7, 5, 0]);
        assert!(outside.ends_with(": the len is 5 but the index is 7"), "{outside}");
        let wrapped = Reason::Check(Fault::IndexOutOfBounds).text(&kernel, &[u64::MAX - 1, 5, 0]);
        let text = ": the len is 5 but the index is -2 (18446744073709551614 as usize)";
        assert!(wrapped.ends_with(text), "{wrapped}");
    }
}
