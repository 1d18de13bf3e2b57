//! The mbarriers of a block, and the bulk copies that they expect.
//!
//! A phase is complete when as many lanes have arrived as the barrier is for, and the bytes of all
//! copies, too. As on hardware, a token and a wait know a phase by its parity.
//!
//! A copy may take place at any time before the phase is complete. Here it takes place when a lane
//! waits for a phase that lacks nothing else, so that a kernel that reads the destination too early
//! does not find the copied value by accident.
use crate::{
    bytecode::{Code, Malformed},
    exec::step::tensor::BoxPlace,
    observe::sanitizer::release_acquire::ArrivedClock,
    vector::{lanes::resolve, mask::Mask},
};
use std::hash::{Hash, Hasher};
use warpwise_compiler::ir::Span;

/// Bytes of an mbarrier.
const MBARRIER_BYTES: u64 = 8;

/// The mbarriers of a block.
#[derive(Debug, Default)]
pub(crate) struct MBarriers {
    /// By array, the number of its buffer and its elements.
    arrays: Vec<(u16, Vec<MBarrier>)>,
    /// True if the last arrival of a phase has come since waiting strands were last resumed.
    pub(crate) has_all_arrivals: bool,
    /// The warps of the last strand that waits whose phases are complete already.
    pub(crate) ready: Mask,
}

/// The state of an mbarrier.
#[derive(Debug, Default)]
pub(crate) struct MBarrier {
    /// The number of arrivals that complete a phase.
    expected: u32,
    /// The number of arrivals that the phase lacks.
    pending: u32,
    /// The parity of the number of the phase.
    parity: bool,
    /// The bytes that arrivals have expected, less those of the copies from several blocks.
    expected_bytes: i64,
    /// The copies that the phase lacks, in order.
    copies: Vec<BulkCopy>,
    /// The accesses of the threads that have arrived in the phase or copied, if they are checked.
    pub(crate) arrived: ArrivedClock,
    /// Those of the phase before.
    pub(crate) completed: ArrivedClock,
}

/// A bulk copy of one thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BulkCopy {
    /// The index of the instruction's [copy](crate::bytecode::AsyncCopy), or its
    /// [copy of a tensor](crate::bytecode::TensorCopy).
    pub(crate) copy: u32,
    /// Number in the block.
    pub(crate) thread: u32,
    /// The address of the destination.
    pub(crate) to: u64,
    pub(crate) from: CopySource,
    /// True for a copy to several blocks of a cluster.
    pub(crate) is_multicast: bool,
}

/// The source of a bulk copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum CopySource {
    /// Bytes from this address on.
    Bytes(u64),
    /// A box of a tensor.
    Tensor(BoxPlace),
}

impl BulkCopy {
    /// Returns the access site of the destination, if accesses are checked.
    pub(crate) fn site(&self, code: &Code) -> Option<u32> {
        match self.from {
            CopySource::Bytes(_) => code.async_copies[self.copy as usize].sites.map(|[to, _]| to),
            CopySource::Tensor(_) => code.tensor_copies[self.copy as usize].shared.site,
        }
    }
}

impl MBarrier {
    fn new(expected: u32) -> Self {
        Self { expected, pending: expected, ..Self::default() }
    }

    /// Returns the parity of the current phase.
    pub(crate) fn parity(&self) -> bool {
        self.parity
    }

    /// Counts an arrival that expects bytes, in a phase that lacks some; returns true if it is the
    /// last one.
    pub(crate) fn arrive(&mut self, bytes: u32) -> bool {
        self.pending = self.pending.saturating_sub(1);
        self.expected_bytes += i64::from(bytes);
        if self.lacks_only_copies() && self.copies.is_empty() {
            self.complete();
            return true;
        }
        self.pending == 0
    }

    /// Adds a copy that the phase lacks.
    pub(crate) fn expect(&mut self, copy: BulkCopy) {
        self.copies.push(copy);
    }

    /// Adds a copy to several blocks, whose bytes arrivals expect.
    pub(crate) fn receive(&mut self, copy: BulkCopy, bytes: u32) {
        self.copies.push(copy);
        self.expected_bytes -= i64::from(bytes);
    }

    /// Returns true if the phase lacks only the copies that have begun.
    pub(crate) fn lacks_only_copies(&self) -> bool {
        self.pending == 0 && self.expected_bytes == 0
    }

    /// Returns the access sites and the destinations of the copies to several blocks, if accesses
    /// are checked.
    pub(crate) fn multicasts(&self, code: &Code) -> Vec<(u32, u64)> {
        let multicasts = self.copies.iter().filter(|copy| copy.is_multicast);
        multicasts.filter_map(|copy| Some((copy.site(code)?, copy.to))).collect()
    }

    /// Ends a phase that lacks copies only, and returns them.
    pub(crate) fn take_copies(&mut self) -> Vec<BulkCopy> {
        let copies = std::mem::take(&mut self.copies);
        self.complete();
        copies
    }

    fn complete(&mut self) {
        (self.pending, self.parity) = (self.expected, !self.parity);
        self.completed = std::mem::take(&mut self.arrived);
    }
}

impl MBarriers {
    /// Starts the first phases, of the mbarriers of `code`.
    pub(crate) fn reset(&mut self, code: &Code) {
        self.arrays.clear();
        self.arrays.extend(code.mbarriers.iter().map(|array| {
            let barriers = (0..array.len).map(|_| MBarrier::new(array.arrivals));
            (array.buffer, barriers.collect())
        }));
        (self.has_all_arrivals, self.ready) = (false, Mask::EMPTY);
    }

    /// Returns the mbarrier at an address.
    pub(crate) fn at(&mut self, address: u64, span: Span) -> Result<&mut MBarrier, Malformed> {
        let (buffer, byte) = resolve(address);
        let array = self.arrays.iter_mut().find(|(number, _)| *number == buffer);
        let index = usize::try_from(byte / MBARRIER_BYTES).ok();
        let barrier = array.zip(index).and_then(|((_, barriers), index)| barriers.get_mut(index));
        barrier.ok_or_else(|| Malformed { message: "no mbarrier is here".into(), span })
    }

    /// Returns the copies that have not taken place.
    pub(crate) fn pending_copies(&self) -> impl Iterator<Item = &BulkCopy> {
        self.all().flat_map(|barrier| &barrier.copies)
    }

    fn all(&self) -> impl Iterator<Item = &MBarrier> {
        self.arrays.iter().flat_map(|(_, barriers)| barriers)
    }
}

impl Hash for MBarriers {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        for MBarrier { pending, parity, copies, expected_bytes, .. } in self.all() {
            (pending, parity, expected_bytes).hash(hasher);
            copies
                .iter()
                .for_each(|copy| (copy.copy, copy.thread, copy.to, copy.from).hash(hasher));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COPY: BulkCopy =
        BulkCopy { copy: 7, thread: 0, to: 0, from: CopySource::Bytes(0), is_multicast: false };

    #[test]
    fn a_phase_waits_for_the_expected_bytes() {
        let mut barrier = MBarrier::new(1);
        // Copies of other blocks may come before the arrival that expects them.
        barrier.receive(COPY, 64);
        assert!(barrier.arrive(128) && !barrier.lacks_only_copies());
        barrier.receive(COPY, 64);
        assert!(barrier.lacks_only_copies());
        assert_eq!(barrier.take_copies().len(), 2);
        assert!(barrier.parity());
    }

    #[test]
    fn the_last_arrival_completes_a_phase() {
        let mut barrier = MBarrier::new(2);
        for parity in [false, true, false] {
            assert_eq!(barrier.parity(), parity);
            assert!(!barrier.arrive(0));
            assert_eq!(barrier.parity(), parity);
            assert!(barrier.arrive(0));
        }
    }

    #[test]
    fn a_phase_waits_for_its_copies() {
        let mut barrier = MBarrier::new(1);
        barrier.expect(COPY);
        assert!(!barrier.lacks_only_copies());
        assert!(barrier.arrive(0) && !barrier.parity());
        assert!(barrier.lacks_only_copies());
        assert_eq!(barrier.take_copies().len(), 1);
        assert!(barrier.parity() && barrier.arrive(0) && !barrier.parity());
    }
}
