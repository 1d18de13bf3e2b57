//! Accesses that come too early: to the destination, or writes to the source, of an asynchronous
//! copy that is pending.
//!
//! A copy may take place at any time until its thread has waited for it. So it is recorded as an
//! access twice, where it begins and where it is waited for; an access that nothing orders with one
//! of these is a race. What other threads, or the thread itself, do in between is found here, since
//! all accesses of the block to memory with pending copies pass by.
use super::{LaunchChecks, launch::SlicePlace, raw_findings::RacingAccess};
use crate::{bytecode::AccessKind, vector::lanes};
use std::{
    collections::{HashMap, hash_map::Entry},
    hash::Hash,
};

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
    /// By cell of shared memory, the number of stores in bulk that read it, and the first of them.
    shared_sources: HashMap<u64, (u32, PendingCopy)>,
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
        self.shared_sources.clear();
        self.count = 0;
    }

    /// Adds a copy of `bytes` bytes by a thread to shared memory, with the addresses and sites of
    /// its destination, and of its source if threads may write that.
    pub(crate) fn insert(
        &mut self,
        launch: &LaunchChecks<'_>,
        thread: u32,
        ((to, site), from): ((u64, u32), Option<(u64, u32)>),
        bytes: u32,
    ) {
        self.count += 1;
        self.destinations.resize(launch.cells as usize, None);
        let (buffer, first) = lanes::resolve(to);
        for (cell, _) in launch.touched_cells(buffer, first, bytes) {
            if let Some(pending) = self.destinations.get_mut(cell as usize) {
                *pending = Some(PendingCopy { thread, site });
            }
        }
        let Some((from, site)) = from else { return };
        for word in source_words(launch, from, bytes) {
            self.sources.entry(word).or_insert((0, PendingCopy { thread, site })).0 += 1;
        }
    }

    /// Removes a copy to shared memory that has been waited for.
    pub(crate) fn remove(
        &mut self,
        launch: &LaunchChecks<'_>,
        (to, from): (u64, Option<u64>),
        bytes: u32,
    ) {
        self.count -= 1;
        let (buffer, first) = lanes::resolve(to);
        for (cell, _) in launch.touched_cells(buffer, first, bytes) {
            if let Some(pending) = self.destinations.get_mut(cell as usize) {
                *pending = None;
            }
        }
        let words = from.map(|from| source_words(launch, from, bytes));
        words.into_iter().flatten().for_each(|word| remove_one(&mut self.sources, word));
    }

    /// Adds a store of `bytes` bytes by a thread, with the address and the site of its source.
    pub(crate) fn insert_store(
        &mut self,
        launch: &LaunchChecks<'_>,
        thread: u32,
        (from, site): (u64, u32),
        bytes: u32,
    ) {
        self.count += 1;
        let (buffer, first) = lanes::resolve(from);
        for (cell, _) in launch.touched_cells(buffer, first, bytes) {
            self.shared_sources.entry(cell).or_insert((0, PendingCopy { thread, site })).0 += 1;
        }
    }

    /// Removes a store that has been waited for.
    pub(crate) fn remove_store(&mut self, launch: &LaunchChecks<'_>, from: u64, bytes: u32) {
        self.count -= 1;
        let (buffer, first) = lanes::resolve(from);
        let cells = launch.touched_cells(buffer, first, bytes);
        cells.for_each(|(cell, _)| remove_one(&mut self.shared_sources, cell));
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
            let pending = |cell: u64| {
                let copied = self.destinations.get(cell as usize).copied().flatten();
                let stored = self.shared_sources.get(&cell).filter(|_| kind.writes());
                copied.or_else(|| stored.map(|(_, store)| *store))
            };
            let mut cells = launch.touched_cells(buffer, first, bytes);
            return cells.find_map(|(cell, byte)| Some((pending(cell)?, byte)));
        }
        if !kind.writes() {
            return None;
        }
        let copy = source_words(launch, address, bytes).find_map(|word| self.sources.get(&word))?;
        Some((copy.1, first))
    }
}

/// Counts one copy less that reads a place.
fn remove_one<K: Eq + Hash>(sources: &mut HashMap<K, (u32, PendingCopy)>, place: K) {
    if let Entry::Occupied(mut source) = sources.entry(place) {
        source.get_mut().0 -= 1;
        if source.get().0 == 0 {
            source.remove();
        }
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
