//! Accesses that come too early: to the destination, or writes to the source, of an asynchronous
//! copy that is pending.
//!
//! A copy may take place at any time until its thread has waited for it. So it is recorded as an
//! access twice, where it begins and where it is waited for; an access that nothing orders with one
//! of these is a race. What other threads, or the thread itself, do in between is found here, since
//! all accesses of the block to memory with pending copies pass by.
use super::{LaunchChecks, launch::SlicePlace, raw_findings::RacingAccess};
use crate::{bytecode::AccessKind, vector::lanes};
use std::collections::HashMap;

/// Bytes in a word: copies are made of whole ones.
const WORD_BYTES: u64 = 4;

/// A pending copy: its thread, and the access site of its destination or source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PendingCopy {
    pub(crate) thread: u32,
    pub(crate) site: u32,
}

/// An access that comes before a copy is waited for. The lowest one of several is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EarlyRecord {
    /// Number of the block.
    pub(crate) block: u64,
    /// Number of the buffer, and the byte in it.
    pub(crate) at: (u16, u64),
    pub(crate) access: RacingAccess,
    pub(crate) copy: RacingAccess,
}

/// A copy that nothing waits for. The lowest one of several is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct UnwaitedRecord {
    /// Number of the block.
    pub(crate) block: u64,
    /// Number of the buffer, and the byte in it.
    pub(crate) at: (u16, u64),
    pub(crate) copy: RacingAccess,
}

/// The memory of a block's pending copies.
#[derive(Debug, Default)]
pub(crate) struct PendingCopies {
    /// By cell of shared memory, the copy that writes it; empty before the first copy.
    destinations: Vec<Option<PendingCopy>>,
    /// By memory and word, the number of copies that read it, and the first of them.
    sources: HashMap<(usize, u64), (u32, PendingCopy)>,
    /// Number of pending copies.
    count: u64,
}

impl PendingCopies {
    /// Returns true if no copy is pending.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Forgets all copies, at the start of a block.
    pub(crate) fn reset(&mut self) {
        self.destinations.fill(None);
        self.sources.clear();
        self.count = 0;
    }

    /// Adds a copy of `bytes` bytes by a thread, with the addresses and sites of its destination
    /// and its source.
    pub(crate) fn insert(
        &mut self,
        launch: &LaunchChecks<'_>,
        thread: u32,
        ends: [(u64, u32); 2],
        bytes: u32,
    ) {
        self.count += 1;
        self.destinations.resize(launch.cells as usize, None);
        let [(to, site), (from, source_site)] = ends;
        let (buffer, first) = lanes::resolve(to);
        for (cell, _) in launch.touched_cells(buffer, first, bytes) {
            if let Some(pending) = self.destinations.get_mut(cell as usize) {
                *pending = Some(PendingCopy { thread, site });
            }
        }
        for word in source_words(launch, from, bytes) {
            let copy = PendingCopy { thread, site: source_site };
            self.sources.entry(word).or_insert((0, copy)).0 += 1;
        }
    }

    /// Removes a copy that has been waited for.
    pub(crate) fn remove(&mut self, launch: &LaunchChecks<'_>, [to, from]: [u64; 2], bytes: u32) {
        self.count -= 1;
        let (buffer, first) = lanes::resolve(to);
        for (cell, _) in launch.touched_cells(buffer, first, bytes) {
            if let Some(pending) = self.destinations.get_mut(cell as usize) {
                *pending = None;
            }
        }
        for word in source_words(launch, from, bytes) {
            if let Some((count, _)) = self.sources.get_mut(&word) {
                *count -= 1;
                if *count == 0 {
                    self.sources.remove(&word);
                }
            }
        }
    }

    /// Returns the pending copy with which an access interferes, with the first such byte of the
    /// accessed buffer.
    pub(crate) fn find(
        &self,
        launch: &LaunchChecks<'_>,
        (is_shared, kind): (bool, AccessKind),
        address: u64,
        bytes: u32,
    ) -> Option<(PendingCopy, u64)> {
        let (buffer, first) = lanes::resolve(address);
        if is_shared {
            let mut cells = launch.touched_cells(buffer, first, bytes);
            return cells
                .find_map(|(cell, byte)| Some(((*self.destinations.get(cell as usize)?)?, byte)));
        }
        if !kind.writes() {
            return None;
        }
        let copy = source_words(launch, address, bytes).find_map(|word| self.sources.get(&word))?;
        Some((copy.1, first))
    }
}

/// Returns the words of a slice that an access touches, each with the number of the memory; none
/// if no thread writes the memory.
fn source_words(
    launch: &LaunchChecks<'_>,
    address: u64,
    bytes: u32,
) -> impl Iterator<Item = (usize, u64)> {
    let (buffer, first) = lanes::resolve(address);
    let words = launch.slice_place(buffer).map(|SlicePlace { memory, offset, .. }| {
        let first = offset + first;
        let last = first + u64::from(bytes) - 1;
        (first / WORD_BYTES..=last / WORD_BYTES).map(move |word| (memory, word))
    });
    words.into_iter().flatten()
}
