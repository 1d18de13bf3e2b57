//! Primitive types: numbers and `bool`, as Rust distinguishes them.
use warpwise_compiler::ir::Scalar;

/// A number type or `bool`, as Rust distinguishes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prim {
    Bool,
    I8,
    I16,
    I32,
    I64,
    Isize,
    U8,
    U16,
    U32,
    U64,
    Usize,
    F16,
    BF16,
    F32,
    F64,
}

impl Prim {
    /// All primitive types, in the order of their discriminants.
    pub(crate) const ALL: [Self; 15] = [
        Self::Bool,
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::Isize,
        Self::U8,
        Self::U16,
        Self::U32,
        Self::U64,
        Self::Usize,
        Self::F16,
        Self::BF16,
        Self::F32,
        Self::F64,
    ];

    /// Returns the name in Rust.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::Isize => "isize",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::Usize => "usize",
            Self::F16 => "f16",
            Self::BF16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// Returns the primitive type with this name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|prim| prim.name() == name)
    }

    /// Returns the scalar type of the IR.
    pub(crate) const fn scalar(self) -> Scalar {
        match self {
            Self::Bool => Scalar::Bool,
            Self::I8 => Scalar::I8,
            Self::I16 => Scalar::I16,
            Self::I32 => Scalar::I32,
            Self::I64 | Self::Isize => Scalar::I64,
            Self::U8 => Scalar::U8,
            Self::U16 => Scalar::U16,
            Self::U32 => Scalar::U32,
            Self::U64 | Self::Usize => Scalar::U64,
            Self::F16 => Scalar::F16,
            Self::BF16 => Scalar::BF16,
            Self::F32 => Scalar::F32,
            Self::F64 => Scalar::F64,
        }
    }

    /// Returns true for `f16`, `bf16`, `f32` and `f64`.
    pub(crate) const fn is_float(self) -> bool {
        self.scalar().is_float()
    }

    /// Returns true for `f16` and `bf16`, which are library types: they have neither literals nor
    /// `as`, and their operators are calls.
    pub(crate) const fn is_half(self) -> bool {
        matches!(self, Self::F16 | Self::BF16)
    }

    /// Returns true for integers.
    pub(crate) const fn is_int(self) -> bool {
        self.scalar().is_int()
    }

    /// Returns the unsigned integer of the same size.
    pub(crate) const fn unsigned(self) -> Self {
        match self {
            Self::Bool | Self::I8 | Self::U8 => Self::U8,
            Self::I16 | Self::U16 | Self::F16 | Self::BF16 => Self::U16,
            Self::I32 | Self::U32 | Self::F32 => Self::U32,
            Self::I64 | Self::U64 | Self::F64 => Self::U64,
            Self::Isize | Self::Usize => Self::Usize,
        }
    }

    /// Returns the signed integer of the same size.
    pub(crate) const fn signed(self) -> Self {
        match self.unsigned() {
            Self::U8 => Self::I8,
            Self::U16 => Self::I16,
            Self::U32 => Self::I32,
            Self::U64 => Self::I64,
            Self::Usize => Self::Isize,
            other => other,
        }
    }
}

/// Returns the name of the atomic type of `prim`; `_` if there is none.
pub(crate) const fn atomic_name(prim: Prim) -> &'static str {
    match prim {
        Prim::I32 => "AtomicI32",
        Prim::I64 => "AtomicI64",
        Prim::Isize => "AtomicIsize",
        Prim::U32 => "AtomicU32",
        Prim::U64 => "AtomicU64",
        Prim::Usize => "AtomicUsize",
        Prim::F32 => "AtomicF32",
        Prim::F64 => "AtomicF64",
        Prim::Bool => "AtomicBool",
        Prim::I8 | Prim::I16 | Prim::U8 | Prim::U16 | Prim::F16 | Prim::BF16 => "_",
    }
}

/// Returns the value type of the atomic type with this name.
pub(crate) fn atomic_from_name(name: &str) -> Option<Prim> {
    Prim::ALL.into_iter().find(|prim| atomic_name(*prim) == name).filter(|_| name != "_")
}
