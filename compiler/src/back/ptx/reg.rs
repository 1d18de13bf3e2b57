//! Virtual registers, literals, and which PTX types IR scalars become.
//!
//! | IR | register | note |
//! |---|---|---|
//! | `bool` | `.pred` | a byte, 0 or 1, in memory, parameters and shuffles |
//! | 8- and 16-bit integers | `.b32` | always sign- or zero-extended |
//! | 32-bit integers | `.b32` | |
//! | 64-bit integers | `.b64` | a `u64` that fits 32 bits is kept in a `.b32`, see [`facts`](super::facts) |
//! | `f16`, `bf16` | `.b16` | literals are in registers, too |
//! | other floats | `.f32`, `.f64` | |
//! | pointers | `.b64` global, `.b32` shared and local | |
use crate::ir::{Scalar, Space};
use std::fmt;

/// A kind of register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Class {
    Pred,
    B16,
    B32,
    B64,
    F32,
    F64,
}

impl Class {
    pub(super) const ALL: [Self; 6] =
        [Self::Pred, Self::B16, Self::B32, Self::B64, Self::F32, Self::F64];

    /// The class that holds every value of `scalar`.
    pub(super) fn of(scalar: Scalar) -> Self {
        match scalar {
            Scalar::Bool => Self::Pred,
            Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::U8 | Scalar::U16 | Scalar::U32 => {
                Self::B32
            }
            Scalar::I64 | Scalar::U64 => Self::B64,
            Scalar::F16 | Scalar::BF16 => Self::B16,
            Scalar::F32 => Self::F32,
            Scalar::F64 => Self::F64,
            Scalar::Generic(_) => unreachable!("a specialized kernel has no type parameters"),
        }
    }

    /// The class of pointers into `space`.
    pub(super) const fn of_pointer(space: Space) -> Self {
        match space {
            Space::Global | Space::Constant => Self::B64,
            Space::Shared | Space::Cluster | Space::Local => Self::B32,
        }
    }

    /// Returns the type that its registers are declared, copied and selected by.
    pub(super) const fn ty(self) -> &'static str {
        match self {
            Self::Pred => "pred",
            Self::B16 => "b16",
            Self::B32 => "b32",
            Self::B64 => "b64",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// Returns the prefix of its registers' names.
    pub(super) const fn prefix(self) -> &'static str {
        match self {
            Self::Pred => "%p",
            Self::B16 => "%h",
            Self::B32 => "%r",
            Self::B64 => "%rd",
            Self::F32 => "%f",
            Self::F64 => "%fd",
        }
    }
}

/// A virtual register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Reg {
    pub(super) class: Class,
    number: u32,
}

impl fmt::Display for Reg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.class.prefix(), self.number)
    }
}

/// Hands out registers, numbered from 1 in each class.
#[derive(Default)]
pub(super) struct Regs {
    used: [u32; Class::ALL.len()],
}

impl Regs {
    pub(super) fn fresh(&mut self, class: Class) -> Reg {
        let used = &mut self.used[class as usize];
        *used += 1;
        Reg { class, number: *used }
    }

    /// The declarations of everything handed out.
    pub(super) fn declarations(&self) -> impl Iterator<Item = String> {
        Class::ALL
            .into_iter()
            .zip(self.used)
            .filter(|(_, used)| *used > 0)
            .map(|(class, used)| format!(".reg .{} {}<{}>;", class.ty(), class.prefix(), used + 1))
    }
}

/// A literal: the bits of a scalar, zero-extended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Imm {
    pub(super) bits: u64,
    pub(super) scalar: Scalar,
}

impl Imm {
    /// True if instructions do not take it as a literal.
    pub(super) fn needs_register(self) -> bool {
        matches!(self.scalar, Scalar::Bool | Scalar::F16 | Scalar::BF16)
    }
}

impl fmt::Display for Imm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = self.bits;
        match self.scalar {
            Scalar::I8 => write!(f, "{}", bits as i8),
            Scalar::I16 => write!(f, "{}", bits as i16),
            Scalar::I32 => write!(f, "{}", bits as i32),
            Scalar::I64 => write!(f, "{}", bits as i64),
            Scalar::Bool | Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => {
                write!(f, "{bits}")
            }
            Scalar::F16 | Scalar::BF16 => write!(f, "0x{bits:04X}"),
            Scalar::F32 => write!(f, "0f{bits:08X}"),
            Scalar::F64 => write!(f, "0d{bits:016X}"),
            Scalar::Generic(_) => unreachable!("a specialized kernel has no type parameters"),
        }
    }
}

/// An operand of a PTX instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    Reg(Reg),
    Imm(Imm),
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reg(reg) => reg.fmt(f),
            Self::Imm(imm) => imm.fmt(f),
        }
    }
}

/// The type suffix for arithmetic on `scalar`, as wide as its registers.
pub fn arithmetic(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::I8 | Scalar::I16 | Scalar::I32 => "s32",
        Scalar::Bool | Scalar::U8 | Scalar::U16 | Scalar::U32 => "u32",
        Scalar::I64 => "s64",
        Scalar::U64 => "u64",
        Scalar::F16 => "f16",
        Scalar::BF16 => "bf16",
        Scalar::F32 => "f32",
        Scalar::F64 => "f64",
        Scalar::Generic(_) => unreachable!("a specialized kernel has no type parameters"),
    }
}

/// The type suffix for `scalar` as it lies in memory.
pub fn memory(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::I8 => "s8",
        Scalar::I16 => "s16",
        Scalar::I32 => "s32",
        Scalar::I64 => "s64",
        Scalar::Bool | Scalar::U8 => "u8",
        Scalar::U16 => "u16",
        Scalar::U32 => "u32",
        Scalar::U64 => "u64",
        Scalar::F16 | Scalar::BF16 => "b16",
        Scalar::F32 => "f32",
        Scalar::F64 => "f64",
        Scalar::Generic(_) => unreachable!("a specialized kernel has no type parameters"),
    }
}

/// The untyped suffix for what a register of `scalar` holds.
pub fn untyped(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool
        | Scalar::I8
        | Scalar::I16
        | Scalar::I32
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::F32 => "b32",
        Scalar::F16 | Scalar::BF16 => "b16",
        Scalar::I64 | Scalar::U64 | Scalar::F64 => "b64",
        Scalar::Generic(_) => unreachable!("a specialized kernel has no type parameters"),
    }
}
