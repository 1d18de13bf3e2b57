//! Access sites: the static properties of the accesses that the sanitizer checks.
use crate::{
    bytecode::{Address, Operand},
    vector::registers::Reg,
};
use warpwise_compiler::ir::{Order, Scope, Span};

/// An instruction that accesses shared or global memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    pub(crate) kind: AccessKind,
    /// True if it reads memory.
    pub(crate) reads: bool,
    pub(crate) is_shared: bool,
    /// Bytes per lane.
    pub(crate) bytes: u32,
    /// The address.
    pub(crate) at: Address<Operand>,
    /// The buffer, where it is known.
    pub(crate) buffer: Option<u16>,
    /// The value of a store.
    pub(crate) value: Option<Reg>,
    /// The order and scope of an atomic access.
    pub(crate) atomic: Option<(Order, Scope)>,
    pub(crate) span: Span,
}

impl Site {
    /// Returns true if it is atomic within its block only.
    pub(crate) fn is_narrow(&self) -> bool {
        matches!(self.atomic, Some((_, Scope::Block)))
    }
}

/// The kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessKind {
    /// A load.
    Read,
    /// A store.
    Write,
    /// An atomic load.
    AtomicRead,
    /// An atomic store or update.
    AtomicWrite,
}

impl AccessKind {
    /// Returns true if it may change memory.
    pub const fn writes(self) -> bool {
        matches!(self, Self::Write | Self::AtomicWrite)
    }

    /// Returns true if it is atomic.
    pub const fn is_atomic(self) -> bool {
        matches!(self, Self::AtomicRead | Self::AtomicWrite)
    }

    pub(crate) const fn participle(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "written",
            Self::AtomicRead => "read atomically",
            Self::AtomicWrite => "changed atomically",
        }
    }
}
