//! The mbarriers of a block.
//!
//! A phase is complete when as many lanes have arrived as the barrier is for. As on hardware, a
//! token and a wait know a phase by its parity.
use crate::{
    bytecode::{Code, Malformed},
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
    /// True if a phase has ended since waiting strands were last resumed.
    pub(crate) has_completed: bool,
    /// The lanes of the last strand that waits whose phases are complete already.
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
    /// The accesses of the threads that have arrived in the phase, if they are checked.
    pub(crate) arrived: ArrivedClock,
    /// The accesses of the threads that arrived in the phase before.
    pub(crate) completed: ArrivedClock,
}

impl MBarrier {
    fn new(expected: u32) -> Self {
        Self { expected, pending: expected, ..Self::default() }
    }

    /// Returns the parity of the current phase.
    pub(crate) fn parity(&self) -> bool {
        self.parity
    }

    /// Counts an arrival; returns true if it completes the phase.
    pub(crate) fn arrive(&mut self) -> bool {
        self.pending -= 1;
        if self.pending > 0 {
            return false;
        }
        (self.pending, self.parity) = (self.expected, !self.parity);
        self.completed = std::mem::take(&mut self.arrived);
        true
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
        (self.has_completed, self.ready) = (false, Mask::EMPTY);
    }

    /// Returns the mbarrier at an address.
    pub(crate) fn at(&mut self, address: u64, span: Span) -> Result<&mut MBarrier, Malformed> {
        let (buffer, byte) = resolve(address);
        let array = self.arrays.iter_mut().find(|(number, _)| *number == buffer);
        let index = usize::try_from(byte / MBARRIER_BYTES).ok();
        let barrier = array.zip(index).and_then(|((_, barriers), index)| barriers.get_mut(index));
        barrier.ok_or_else(|| Malformed { message: "no mbarrier is here".into(), span })
    }
}

impl Hash for MBarriers {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        for MBarrier { pending, parity, .. } in self.arrays.iter().flat_map(|(_, array)| array) {
            (pending, parity).hash(hasher);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_arrival_completes_a_phase() {
        let mut barrier = MBarrier::new(2);
        for parity in [false, true, false] {
            assert_eq!(barrier.parity(), parity);
            assert!(!barrier.arrive());
            assert_eq!(barrier.parity(), parity);
            assert!(barrier.arrive());
        }
    }
}
