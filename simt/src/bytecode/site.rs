//! What is known of an access before it is made.
use crate::{
    bytecode::{Address, Operand},
    vector::registers::Reg,
};
use warpwise_compiler::ir::{Order, Scope, Span};

/// An instruction that accesses shared or global memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    pub(crate) kind: AccessKind,
    /// Whether what was there is read.
    pub(crate) reads: bool,
    pub(crate) is_shared: bool,
    /// Bytes of a lane.
    pub(crate) bytes: u32,
    /// Where.
    pub(crate) at: Address<Operand>,
    /// The buffer, where it is known.
    pub(crate) buffer: Option<u16>,
    /// What a store writes.
    pub(crate) value: Option<Reg>,
    /// Of an atomic access.
    pub(crate) atomic: Option<(Order, Scope)>,
    pub(crate) span: Span,
}

impl Site {
    /// Whether it is atomic for its block only.
    pub(crate) fn is_narrow(&self) -> bool {
        matches!(self.atomic, Some((_, Scope::Block)))
    }
}

/// What an access does.
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
    /// Whether it may change what is there.
    pub const fn writes(self) -> bool {
        matches!(self, Self::Write | Self::AtomicWrite)
    }

    /// Whether it is atomic.
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
