//! Literals in constant memory: those of `f64` that instructions cannot hold, and integers that
//! [`products`](super::products) hides.
//!
//! An instruction has room for the upper 32 bits of an `f64`. Where the lower ones are not 0, as in
//! the coefficients of a polynomial, `ptxas` makes two more instructions of a literal, each time
//! that it is used: three issue slots for a multiply-add that keeps its unit busy for two. So they
//! lie in constant memory, which is read as an operand, or once before a loop.
use super::{
    emitter::{Derived, Emitter, ptx},
    reg::{Class, Imm, Operand, Reg},
};
use crate::ir::{InstId, Scalar};
use std::fmt::{self, Write};

/// The array that holds them.
const NAME: &str = "$constants";

/// The literals of a kernel, in the order of their first use.
#[derive(Default)]
pub(super) struct Constants {
    bits: Vec<u64>,
    /// The number of literals that find room in constant memory; others stay literals.
    most: usize,
}

impl Constants {
    /// No literals, with room for them in so many bytes of constant memory.
    pub(super) fn with_room(bytes: u64) -> Self {
        Self { bits: Vec::new(), most: bytes as usize / size_of::<u64>() }
    }

    /// Returns the offset of `bits` in the array, in bytes.
    fn offset(&mut self, bits: u64) -> Option<usize> {
        let index = self.bits.iter().position(|known| *known == bits).or_else(|| {
            (self.bits.len() < self.most).then(|| {
                self.bits.push(bits);
                self.bits.len() - 1
            })
        })?;
        Some(index * size_of::<u64>())
    }

    /// The declaration of the array, if there is anything in it.
    pub(super) fn declare(&self, f: &mut impl Write) -> fmt::Result {
        let Some((first, rest)) = self.bits.split_first() else { return Ok(()) };
        write!(f, ".const .align 8 .b64 {NAME}[{}] = {{\n\t0x{first:016X}", self.bits.len())?;
        rest.iter().try_for_each(|bits| write!(f, ",\n\t0x{bits:016X}"))?;
        writeln!(f, "\n}};\n")
    }
}

impl Emitter<'_> {
    /// Returns the operand for `id` in arithmetic and comparisons.
    pub(super) fn number(&mut self, id: InstId) -> Operand {
        let operand = self.operand(id);
        let Operand::Imm(Imm { bits, scalar: Scalar::F64 }) = operand else { return operand };
        if bits & u64::from(u32::MAX) == 0 {
            return operand;
        }
        if let Some(reg) = self.known(Derived::Constant { bits }) {
            return Operand::Reg(reg);
        }
        let Some(offset) = self.constants.offset(bits) else { return operand };
        let reg = self.regs.fresh(Class::F64);
        ptx!(self, "ld.const.f64 {reg}, [{NAME}+{offset}]");
        self.remember(Derived::Constant { bits }, reg);
        Operand::Reg(reg)
    }

    /// Emits a read of a 64-bit integer; `None` if there is no room for it.
    pub(super) fn constant_from_memory(&mut self, bits: u64) -> Option<Reg> {
        if let Some(reg) = self.known(Derived::Factor { bits }) {
            return Some(reg);
        }
        let offset = self.constants.offset(bits)?;
        let reg = self.regs.fresh(Class::B64);
        ptx!(self, "ld.const.u64 {reg}, [{NAME}+{offset}]");
        self.remember(Derived::Factor { bits }, reg);
        Some(reg)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lies_in_one_place() {
        let mut constants = Constants::with_room(64);
        let offsets = [5, 7, 5].map(|bits| constants.offset(bits));
        assert_eq!(offsets, [Some(0), Some(8), Some(0)]);
    }

    #[test]
    fn those_that_find_no_room_are_literals() {
        let mut constants = Constants { bits: (0..8).collect(), most: 8 };
        assert_eq!(constants.offset(8), None);
        assert_eq!(constants.offset(3), Some(24));
    }

    #[test]
    fn nothing_is_declared_without_them() {
        let mut text = String::new();
        Constants::default().declare(&mut text).expect("a string takes everything");
        assert_eq!(text, "");
    }
}
