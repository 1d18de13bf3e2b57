//! Register allocation: registers are handed out as values are defined and reused after their last
//! use.
use crate::vector::registers::Reg;
use std::collections::BTreeMap;

/// The registers of a program. The bytes of a register are only reused for values of the same size,
/// so that each lane's bytes remain that lane's.
#[derive(Default)]
pub(super) struct Allocator {
    /// Bytes per lane handed out so far.
    bytes: u32,
    /// Free registers, by size.
    free: [Vec<Reg>; 4],
    /// Registers in use, by the position of their last use.
    in_use: BTreeMap<u32, Vec<Reg>>,
}

impl Allocator {
    /// Allocates a register for the whole kernel.
    pub(super) fn allocate_permanent(&mut self, size: usize) -> Reg {
        let place = self.bytes.next_multiple_of(size as u32);
        self.bytes = place + size as u32;
        Reg::new(place, size)
    }

    /// Allocates `bytes` for an array of any elements; returns its place.
    pub(super) fn allocate_array(&mut self, bytes: u32) -> u32 {
        let place = self.bytes.next_multiple_of(8);
        self.bytes = place + bytes;
        place
    }

    /// Allocates a register that is needed through `last`.
    pub(super) fn allocate_until(&mut self, last: u32, size: usize) -> Reg {
        let reused = self.free[size.trailing_zeros() as usize].pop();
        let reg = reused.unwrap_or_else(|| self.allocate_permanent(size));
        self.in_use.entry(last).or_default().push(reg);
        reg
    }

    /// Frees the registers that are needed through `position`.
    pub(super) fn release_through(&mut self, position: u32) {
        while let Some(entry) = self.in_use.first_entry().filter(|entry| *entry.key() <= position) {
            for reg in entry.remove() {
                self.free[reg.size().trailing_zeros() as usize].push(reg);
            }
        }
    }

    /// Returns the bytes per lane of all registers.
    pub(super) fn bytes(&self) -> usize {
        self.bytes as usize
    }
}
