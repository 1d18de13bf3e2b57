//! Gives out registers and takes them back.
use crate::vector::registers::Reg;
use std::collections::BTreeMap;

/// The registers of a program. A place is only reused for values of the same size,
/// so that each lane's bytes stay that lane's.
#[derive(Default)]
pub(super) struct Allocator {
    /// Bytes a lane given out so far.
    bytes: u32,
    /// Registers that nobody needs, by size.
    free: [Vec<Reg>; 4],
    /// Until which number in the text registers are needed.
    until: BTreeMap<u32, Vec<Reg>>,
}

impl Allocator {
    /// A register for the whole kernel.
    pub(super) fn forever(&mut self, size: usize) -> Reg {
        let place = self.bytes.next_multiple_of(size as u32);
        self.bytes = place + size as u32;
        Reg::new(place, size)
    }

    /// Room for an array of `bytes`, of any elements: its place.
    pub(super) fn array(&mut self, bytes: u32) -> u32 {
        let place = self.bytes.next_multiple_of(8);
        self.bytes = place + bytes;
        place
    }

    /// A register that is needed up to `last`, including.
    pub(super) fn until(&mut self, last: u32, size: usize) -> Reg {
        let reused = self.free[size.trailing_zeros() as usize].pop();
        let reg = reused.unwrap_or_else(|| self.forever(size));
        self.until.entry(last).or_default().push(reg);
        reg
    }

    /// Takes back what is needed up to `position`, including.
    pub(super) fn release(&mut self, position: u32) {
        while let Some(entry) = self.until.first_entry().filter(|entry| *entry.key() <= position) {
            for reg in entry.remove() {
                self.free[reg.size().trailing_zeros() as usize].push(reg);
            }
        }
    }

    /// Bytes a lane of all registers.
    pub(super) fn bytes(&self) -> usize {
        self.bytes as usize
    }
}
