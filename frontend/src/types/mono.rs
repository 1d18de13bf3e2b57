//! Known types, independent of any function: the arguments of instances of device functions. Only
//! the kernel's own generic parameters are open in them.
use crate::types::{Prim, iterator::IterKind};
use std::rc::Rc;
use warpwise_compiler::ir::{Extent, GenericId};

/// The greatest number of parts of all types for which a function or type is instantiated inside of
/// itself.
pub(crate) const MAX_TYPE_PARTS: usize = 4096;

/// A known type.
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
        /// True for `&mut`.
        mutable: bool,
        /// The target type.
        to: Box<Mono>,
    },
    /// `[T]`
    Slice(Box<Mono>),
    /// `[T; N]`
    Array(Box<Mono>, Extent),
    /// `AtomicU32` and the like, for this number type.
    Atomic(Prim),
    /// A tuple of one or more types.
    Tuple(Vec<MonoArg>),
    /// A struct or enum: its item number and its generic arguments.
    Adt(usize, Vec<MonoArg>),
    /// A closure.
    Closure(Rc<ClosureMono>),
    /// A function pointer: the parameter types, then the return type.
    Pointer(Vec<MonoArg>),
    /// An iterator: its item type, then the types of its parts.
    Iter(IterKind, Vec<Mono>),
}

/// The signature of a closure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClosureMono {
    /// The closure's number in its kernel.
    pub(crate) number: usize,
    /// The parameter types.
    pub(crate) params: Vec<Mono>,
    /// The return type.
    pub(crate) ret: Mono,
}

/// Returns the types among generic arguments.
pub(crate) fn type_args(args: &[MonoArg]) -> Vec<Mono> {
    let types = args.iter().filter_map(|arg| match arg {
        MonoArg::Type(ty) => Some(ty.clone()),
        MonoArg::Const(_) => None,
    });
    types.collect()
}

/// A generic argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MonoArg {
    /// A type.
    Type(Mono),
    /// A constant, as an extent.
    Const(Extent),
}

impl MonoArg {
    /// Returns true if a type has at most `left` parts, and subtracts them.
    pub(crate) fn fits_parts(&self, left: &mut usize) -> bool {
        match self {
            Self::Type(ty) => ty.fits_parts(left),
            Self::Const(_) => true,
        }
    }
}

impl Mono {
    /// Returns true if the type has at most `left` parts, and subtracts them.
    pub(crate) fn fits_parts(&self, left: &mut usize) -> bool {
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
                inner.fits_parts(left)
            }
            Self::Tuple(args) | Self::Adt(_, args) | Self::Pointer(args) => {
                args.iter().all(|arg| arg.fits_parts(left))
            }
            Self::Iter(_, types) => types.iter().all(|ty| ty.fits_parts(left)),
        }
    }
}
