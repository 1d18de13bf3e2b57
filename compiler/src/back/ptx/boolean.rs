//! Atomic operations on `bool`s, by those on the 32-bit words that they lie in.
//!
//! PTX has no atomic update of a byte. A `bool` is one bit of its byte, so that `and`, `or` and
//! `xor` of the word change it and nothing beside it, and those suffice: a `bool` is set by `or`
//! and cleared by `and`, and a compare-and-swap is that or nothing. Reads and writes go by the
//! word, too, because the memory model says something of concurrent atomic accesses only if they
//! overlap completely. The word is inside what was allocated: buffers, and shared arrays of `bool`,
//! take whole words ([`layout`](super::layout)).
use super::{
    Emitter,
    address::Address,
    emitter::{Value, ptx},
    reg::{Class, Reg},
};
use crate::ir::{AtomicOp, Space};

/// The storage of a `bool`.
struct Cell {
    word: Address,
    /// Number of its bit in the word.
    shift: Reg,
}

impl Emitter<'_> {
    fn cell(&mut self, address: Address) -> Cell {
        let byte = self.pointer(address);
        let word = self.regs.fresh(Class::of_pointer(address.space));
        let low = match address.space {
            Space::Global | Space::Constant => {
                let low = self.regs.fresh(Class::B32);
                ptx!(self, "and.b64 {word}, {byte}, -4");
                ptx!(self, "cvt.u32.u64 {low}, {byte}");
                low
            }
            Space::Shared | Space::Cluster | Space::Local => {
                ptx!(self, "and.b32 {word}, {byte}, -4");
                byte
            }
        };
        let [bits, shift] = [(); 2].map(|()| self.regs.fresh(Class::B32));
        ptx!(self, "shl.b32 {bits}, {low}, 3");
        ptx!(self, "and.b32 {shift}, {bits}, 24");
        Cell { word: Address::of(address.space, word), shift }
    }

    /// The `bool` in a word that was read.
    fn bool_in(&mut self, word: Reg, cell: &Cell) -> Value {
        let [shifted, bit] = [(); 2].map(|()| self.regs.fresh(Class::B32));
        ptx!(self, "shr.u32 {shifted}, {word}, {}", cell.shift);
        ptx!(self, "and.b32 {bit}, {shifted}, 1");
        self.byte_to_pred(bit).into()
    }

    /// Reads a `bool` with an instruction that `how` begins.
    pub(super) fn load_bool(&mut self, how: &str, address: Address) -> Value {
        let (cell, word) = (self.cell(address), self.regs.fresh(Class::B32));
        ptx!(self, "{how}.b32 {word}, {}", cell.word);
        self.bool_in(word, &cell)
    }

    /// Updates a `bool` with an instruction that `how` begins; yields what was there.
    pub(super) fn update_bool(
        &mut self,
        op: AtomicOp,
        how: &str,
        address: Address,
        value: Reg,
    ) -> Value {
        let cell = self.cell(address);
        let [bit, others] = self.masks(&cell);
        let [old, with] = [(); 2].map(|()| self.regs.fresh(Class::B32));
        match op {
            AtomicOp::Swap => self.set_or_clear(how, &cell, old, value, [bit, others]),
            AtomicOp::And => {
                ptx!(self, "selp.b32 {with}, -1, {others}, {value}");
                ptx!(self, "{how}.and.b32 {old}, {}, {with}", cell.word);
            }
            AtomicOp::Or | AtomicOp::Xor => {
                ptx!(self, "selp.b32 {with}, {bit}, 0, {value}");
                ptx!(self, "{how}.{}.b32 {old}, {}, {with}", op.name(), cell.word);
            }
            AtomicOp::Add | AtomicOp::Sub | AtomicOp::Min | AtomicOp::Max => {
                unreachable!("the verifier accepts none of these on `bool`")
            }
        }
        self.bool_in(old, &cell)
    }

    /// Sets or clears a `bool` if it is what is expected, with an instruction that `how` begins;
    /// yields what was there. Of one that is not, nothing changes, because there is no third value.
    pub(super) fn exchange_bool(
        &mut self,
        how: &str,
        address: Address,
        [expected, value]: [Reg; 2],
    ) -> Value {
        let cell = self.cell(address);
        let [bit, others] = self.masks(&cell);
        let [old, set, clear] = [(); 3].map(|()| self.regs.fresh(Class::B32));
        ptx!(self, "selp.b32 {set}, 0, {bit}, {expected}");
        ptx!(self, "selp.b32 {clear}, {others}, -1, {expected}");
        self.set_or_clear(how, &cell, old, value, [set, clear]);
        self.bool_in(old, &cell)
    }

    /// The bit of the `bool` in its word, and all others.
    fn masks(&mut self, cell: &Cell) -> [Reg; 2] {
        let [one, bit, others] = [(); 3].map(|()| self.regs.fresh(Class::B32));
        ptx!(self, "mov.b32 {one}, 1");
        ptx!(self, "shl.b32 {bit}, {one}, {}", cell.shift);
        ptx!(self, "not.b32 {others}, {bit}");
        [bit, others]
    }

    fn set_or_clear(
        &mut self,
        how: &str,
        cell: &Cell,
        old: Reg,
        value: Reg,
        [set, clear]: [Reg; 2],
    ) {
        ptx!(self, "@{value} {how}.or.b32 {old}, {}, {set}", cell.word);
        ptx!(self, "@!{value} {how}.and.b32 {old}, {}, {clear}", cell.word);
    }
}
