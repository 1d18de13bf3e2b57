//! Operands of instructions, and the addresses that accesses are made of.
use crate::vector::registers::{Affine, Reg, Uniform};

/// A value: in a register, uniform (stored once for all lanes), or affine in the index of each
/// thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    Lanes(Reg),
    Uniform(Uniform),
    Affine(Affine),
}

/// The address of an access.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Address<R> {
    /// `index * stride + offset` bytes into a buffer.
    Element { buffer: u16, index: R, stride: u64, offset: u64 },
    /// `offset` bytes after an address (`u64`, see [`crate::vector::lanes::resolve`]).
    Pointer { ptr: R, offset: u64 },
}

impl Address<Operand> {
    /// Returns the address if it is the same in all lanes.
    pub(crate) fn uniform(self) -> Option<Address<Uniform>> {
        match self {
            Self::Element { buffer, index: Operand::Uniform(index), stride, offset } => {
                Some(Address::Element { buffer, index, stride, offset })
            }
            Self::Pointer { ptr: Operand::Uniform(ptr), offset } => {
                Some(Address::Pointer { ptr, offset })
            }
            Self::Element { index: Operand::Lanes(_) | Operand::Affine(_), .. }
            | Self::Pointer { ptr: Operand::Lanes(_) | Operand::Affine(_), .. } => None,
        }
    }

    /// Returns the address if it is affine.
    pub(crate) fn affine(self) -> Option<Address<Affine>> {
        match self {
            Self::Element { buffer, index: Operand::Affine(index), stride, offset } => {
                Some(Address::Element { buffer, index, stride, offset })
            }
            Self::Pointer { ptr: Operand::Affine(ptr), offset } => {
                Some(Address::Pointer { ptr, offset })
            }
            Self::Element { index: Operand::Lanes(_) | Operand::Uniform(_), .. }
            | Self::Pointer { ptr: Operand::Lanes(_) | Operand::Uniform(_), .. } => None,
        }
    }

    /// Returns the address if each lane has its own, in a register.
    pub(crate) fn lanes(self) -> Option<Address<Reg>> {
        match self {
            Self::Element { buffer, index: Operand::Lanes(index), stride, offset } => {
                Some(Address::Element { buffer, index, stride, offset })
            }
            Self::Pointer { ptr: Operand::Lanes(ptr), offset } => {
                Some(Address::Pointer { ptr, offset })
            }
            Self::Element { index: Operand::Uniform(_) | Operand::Affine(_), .. }
            | Self::Pointer { ptr: Operand::Uniform(_) | Operand::Affine(_), .. } => None,
        }
    }
}

impl<R: Copy> Address<R> {
    /// Returns the index or the pointer.
    pub(crate) fn index(self) -> R {
        match self {
            Self::Element { index, .. } | Self::Pointer { ptr: index, .. } => index,
        }
    }
}

impl Address<Reg> {
    /// Returns the same address over operands.
    pub(crate) fn operand(self) -> Address<Operand> {
        match self {
            Self::Element { buffer, index, stride, offset } => {
                Address::Element { buffer, index: Operand::Lanes(index), stride, offset }
            }
            Self::Pointer { ptr, offset } => Address::Pointer { ptr: Operand::Lanes(ptr), offset },
        }
    }
}

impl Address<Affine> {
    /// Returns the same address over operands.
    pub(crate) fn operand(self) -> Address<Operand> {
        match self {
            Self::Element { buffer, index, stride, offset } => {
                Address::Element { buffer, index: Operand::Affine(index), stride, offset }
            }
            Self::Pointer { ptr, offset } => Address::Pointer { ptr: Operand::Affine(ptr), offset },
        }
    }
}

impl Address<Uniform> {
    /// Returns the same address over operands.
    pub(crate) fn operand(self) -> Address<Operand> {
        match self {
            Self::Element { buffer, index, stride, offset } => {
                Address::Element { buffer, index: Operand::Uniform(index), stride, offset }
            }
            Self::Pointer { ptr, offset } => {
                Address::Pointer { ptr: Operand::Uniform(ptr), offset }
            }
        }
    }
}
