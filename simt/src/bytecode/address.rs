//! Values as operands of steps, and where accesses go by them.
use crate::vector::registers::{Affine, Reg, Uniform};

/// A value in a register, held once, or computed from the index of each thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    Lanes(Reg),
    Uniform(Uniform),
    Affine(Affine),
}

/// Where an access goes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Address<R> {
    /// To `index * stride + offset` in a buffer.
    Element { buffer: u16, index: R, stride: u64, offset: u64 },
    /// To `offset` bytes behind where an address (`u64`, see [`crate::vector::lanes::resolve`]) points.
    Pointer { ptr: R, offset: u64 },
}

impl Address<Operand> {
    /// If it is the same in all lanes.
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

    /// If it is affine.
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

    /// If each lane has its own, in a register.
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
    /// What it is computed from.
    pub(crate) fn index(self) -> R {
        match self {
            Self::Element { index, .. } | Self::Pointer { ptr: index, .. } => index,
        }
    }
}

impl Address<Reg> {
    /// The same, as one that may be of either kind.
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
    /// The same, as one that may be of either kind.
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
    /// The same, as one that may be of either kind.
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
