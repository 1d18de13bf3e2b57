//! Types that are known, of no function in particular: what an instance of a device function is
//! made for. What is left open in them are the kernel's own generic parameters.
use crate::types::{Prim, chain::Chain};
use std::rc::Rc;
use warpwise_compiler::ir::{Extent, GenericId};

/// How many parts the types have that a function or a type inside of itself is made for, taken together.
pub(crate) const MAX_TYPE_PARTS: usize = 4096;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mono {
    /// `()`
    Unit,
    /// `!`
    Never,
    /// A number or `bool`.
    Prim(Prim),
    /// A type parameter of the kernel.
    Generic(GenericId),
    /// `&T` or `&mut T`
    Ref {
        /// Whether it is `&mut`.
        mutable: bool,
        /// What it refers to.
        to: Box<Mono>,
    },
    /// `[T]`
    Slice(Box<Mono>),
    /// `[T; N]`
    Array(Box<Mono>, Extent),
    /// `AtomicU32` and the like, of this type.
    Atomic(Prim),
    /// A tuple of one type or more.
    Tuple(Vec<MonoArg>),
    /// A struct or enum: its number among the items, and its generic arguments.
    Adt(usize, Vec<MonoArg>),
    /// A closure.
    Closure(Rc<ClosureMono>),
    /// A function pointer: the types of its parameters, then that of its value.
    Pointer(Vec<MonoArg>),
    /// An iterator: the type of its items, then those of its parts.
    Iter(Chain, Vec<Mono>),
}

/// What is known of a closure from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClosureMono {
    /// Which one it is, among all of a kernel.
    pub(crate) which: usize,
    /// Types of its parameters.
    pub(crate) params: Vec<Mono>,
    /// Type of its value.
    pub(crate) ret: Mono,
}

/// The types among generic arguments.
pub(crate) fn types(args: &[MonoArg]) -> Vec<Mono> {
    let types = args.iter().filter_map(|arg| match arg {
        MonoArg::Type(ty) => Some(ty.clone()),
        MonoArg::Const(_) => None,
    });
    types.collect()
}

/// What a generic parameter is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MonoArg {
    /// A type.
    Type(Mono),
    /// A constant, as an extent.
    Const(Extent),
}

impl MonoArg {
    /// True if a type has no more parts than `left`, from which they are subtracted.
    pub(crate) fn is_within(&self, left: &mut usize) -> bool {
        match self {
            Self::Type(ty) => ty.is_within(left),
            Self::Const(_) => true,
        }
    }
}

impl Mono {
    /// True if the type has no more parts than `left`, from which they are subtracted.
    pub(crate) fn is_within(&self, left: &mut usize) -> bool {
        let Some(rest) = left.checked_sub(1) else { return false };
        *left = rest;
        match self {
            Self::Unit
            | Self::Never
            | Self::Prim(_)
            | Self::Generic(_)
            | Self::Atomic(_)
            | Self::Closure(_) => true,
            Self::Ref { to: inner, .. } | Self::Slice(inner) | Self::Array(inner, _) => {
                inner.is_within(left)
            }
            Self::Tuple(args) | Self::Adt(_, args) | Self::Pointer(args) => {
                args.iter().all(|arg| arg.is_within(left))
            }
            Self::Iter(_, types) => types.iter().all(|ty| ty.is_within(left)),
        }
    }
}
