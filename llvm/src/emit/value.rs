//! LLVM's types and values, as text.
//!
//! | IR | LLVM | note |
//! |---|---|---|
//! | `bool` | `i1` | `i8` in memory and parameters, where any bit makes it true |
//! | integers | `i8` to `i64` | signedness is in the operations |
//! | `f16` | `half` | `i16` in parameters and inline PTX |
//! | `bf16` | `i16` | LLVM's `bfloat` rounds twice in some conversions |
//! | `f32`, `f64` | `float`, `double` | |
//! | pointers | `ptr addrspace(1)`, `ptr addrspace(3)`, `ptr` | global, shared, local |
use std::fmt;
use warpwise_compiler::{
    half::Format,
    ir::{Scalar, Space, Ty},
};

/// An LLVM type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    I1,
    I8,
    I16,
    I32,
    I64,
    Half,
    Float,
    Double,
    Ptr(Space),
}

impl Type {
    /// The type of values of `scalar`.
    pub(super) fn of(scalar: Scalar) -> Self {
        match scalar {
            Scalar::Bool => Self::I1,
            Scalar::I8 | Scalar::U8 => Self::I8,
            Scalar::I16 | Scalar::U16 | Scalar::BF16 => Self::I16,
            Scalar::I32 | Scalar::U32 => Self::I32,
            Scalar::I64 | Scalar::U64 => Self::I64,
            Scalar::F16 => Self::Half,
            Scalar::F32 => Self::Float,
            Scalar::F64 => Self::Double,
            Scalar::Generic(_) => unreachable!("a specialized kernel has no type parameters"),
        }
    }

    /// The type of values of `ty`, which is not `Unit`.
    pub(super) fn of_ty(ty: Ty) -> Self {
        match ty {
            Ty::Scalar(scalar) => Self::of(scalar),
            Ty::Ptr(space) => Self::Ptr(space),
            Ty::Unit => unreachable!("the verifier saw a value here"),
        }
    }

    /// The integer type of `bits` bits.
    pub(super) const fn int(bits: u32) -> Self {
        match bits {
            1 => Self::I1,
            8 => Self::I8,
            16 => Self::I16,
            32 => Self::I32,
            _ => Self::I64,
        }
    }

    /// The width in bits.
    pub(super) const fn bits(self) -> u32 {
        match self {
            Self::I1 => 1,
            Self::I8 => 8,
            Self::I16 | Self::Half => 16,
            Self::I32 | Self::Float => 32,
            Self::I64 | Self::Double | Self::Ptr(_) => 64,
        }
    }

    /// True for `half`, `float` and `double`.
    pub(super) const fn is_float(self) -> bool {
        match self {
            Self::Half | Self::Float | Self::Double => true,
            Self::I1 | Self::I8 | Self::I16 | Self::I32 | Self::I64 | Self::Ptr(_) => false,
        }
    }

    /// The letter for a register of this type in inline PTX; none takes `i8` or `half`.
    pub(super) const fn constraint(self) -> char {
        match self {
            Self::I1 => 'b',
            Self::I8 | Self::I16 | Self::Half => 'h',
            Self::I32 => 'r',
            Self::I64 | Self::Ptr(_) => 'l',
            Self::Float => 'f',
            Self::Double => 'd',
        }
    }

    /// The ending of the names of overloaded intrinsics.
    pub(super) const fn suffix(self) -> &'static str {
        match self {
            Self::I1 => "i1",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::Half => "f16",
            Self::Float => "f32",
            Self::Double => "f64",
            Self::Ptr(_) => "p",
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::I1 | Self::I8 | Self::I16 | Self::I32 | Self::I64 => self.suffix(),
            Self::Half => "half",
            Self::Float => "float",
            Self::Double => "double",
            Self::Ptr(space) => match space {
                Space::Global => "ptr addrspace(1)",
                Space::Shared => "ptr addrspace(3)",
                // Only inline PTX accesses the memory of a cluster.
                Space::Local | Space::Cluster => "ptr",
                Space::Constant => "ptr addrspace(4)",
            },
        })
    }
}

/// An operand and its type. Prints as `i32 %t5`; [`name`](Self::name) is the operand alone.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) ty: Type,
    pub(super) name: String,
}

impl Value {
    pub(super) fn new(ty: Type, name: impl Into<String>) -> Self {
        Self { ty, name: name.into() }
    }

    /// An `i32`.
    pub(super) fn i32(value: u32) -> Self {
        Self::new(Type::I32, (value as i32).to_string())
    }

    /// The scalar with these bits (zero-extended).
    pub(super) fn constant(scalar: Scalar, bits: u64) -> Self {
        let ty = Type::of(scalar);
        let name = match ty {
            Type::I1 => (bits & 1 == 1).to_string(),
            Type::I8 => (bits as i8).to_string(),
            Type::I16 => (bits as i16).to_string(),
            Type::I32 => (bits as i32).to_string(),
            Type::I64 => (bits as i64).to_string(),
            Type::Half => format!("0xH{:04X}", bits as u16),
            Type::Float => {
                let value = f32::from_bits(bits as u32);
                // LLVM writes an `f32` as the `f64` of the same value, which has no room for which
                // NaN it is.
                if value.is_nan() {
                    format!("bitcast (i32 {} to float)", bits as i32)
                } else {
                    format!("0x{:016X}", f64::from(value).to_bits())
                }
            }
            Type::Double => format!("0x{bits:016X}"),
            Type::Ptr(_) => unreachable!("a scalar is no pointer"),
        };
        Self { ty, name }
    }

    /// The `float` with the value of the 16-bit float that `bits` are.
    pub(super) fn widened(format: Format, bits: u16) -> Self {
        Self::constant(Scalar::F32, format.to_f32(bits).to_bits().into())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.ty, self.name)
    }
}
