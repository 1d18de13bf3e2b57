//! The table of types of a function during inference. Unknown types and array lengths are entries
//! that [`Types::unify`] binds.
//!
//! Generic parameters are numbered in the function's own order (its type and constant parameters,
//! then a kernel's open constants). The [`Extent`]s of array lengths use the same numbers.
pub(crate) mod builtin;
pub(crate) mod collective;
pub(crate) mod constant;
pub(crate) mod iterator;
pub(crate) mod math;
pub(crate) mod method;
pub(crate) mod mono;
mod mono_conversion;
pub(crate) mod ordering;
mod prim;
mod show;
mod unify;
pub(crate) mod vector;

pub(crate) use crate::types::prim::{Prim, atomic_from_name, atomic_name};
use crate::{syntax::error::Reported, types::iterator::IterKind};
use std::rc::Rc;
use warpwise_compiler::{
    id::{Id as _, Table},
    ir::{Extent, GenericId},
};

warpwise_compiler::id!(/** A type. */ Ty, "?");
warpwise_compiler::id!(/** A length of arrays. */ Len, "#");
warpwise_compiler::id!(/** Types and constants in order. */ List, "list");
warpwise_compiler::id!(/** A closure. */ ClosureId, "closure");

/// A generic argument.
#[derive(Clone, Copy, Debug)]
pub(crate) enum GenericArg {
    /// A type.
    Type(Ty),
    /// A constant, as an extent.
    Const(Len),
}

/// The signature of a closure.
#[derive(Clone, Debug)]
pub(crate) struct ClosureType {
    /// The closure's number in its kernel.
    pub(crate) number: usize,
    /// The parameter types.
    pub(crate) params: Vec<Ty>,
    /// The return type.
    pub(crate) ret: Ty,
}

/// The types that an unknown type may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Any type.
    Any,
    /// The type of an integer literal.
    Int,
    /// The type of a float literal.
    Float,
}

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// A type that is not known yet.
    Unknown(Class),
    /// An alias of another entry, bound by unification.
    Same(Ty),
    /// A type with a reported error.
    Reported(Reported),
    /// `()`
    Unit,
    /// `!`
    Never,
    /// A number or `bool`.
    Prim(Prim),
    /// A type parameter.
    Generic(GenericId),
    /// `&T` or `&mut T`
    Ref {
        /// True for `&mut`.
        mutable: bool,
        /// The target type.
        to: Ty,
    },
    /// `[T]`
    Slice(Ty),
    /// `[T; N]`
    Array(Ty, Len),
    /// `AtomicU32` and the like, for this number type.
    Atomic(Prim),
    /// A tuple of one or more types.
    Tuple(List),
    /// A struct or enum: its item number and its generic arguments.
    Adt(usize, List),
    /// A closure.
    Closure(ClosureId),
    /// A function pointer: the parameter types, then the return type.
    Pointer(List),
    /// An iterator: its item type, then the types of its parts.
    Iter(IterKind, List),
}

/// An array length.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Length {
    Unknown,
    Same(Len),
    Known(Extent),
    Reported,
}

/// The error of [`Types::unify`]: two types cannot be equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mismatch;

/// The types of a function.
#[derive(Debug)]
pub(crate) struct Types {
    types: Table<Ty, Type>,
    lens: Table<Len, Length>,
    lists: Table<List, Vec<GenericArg>>,
    closures: Table<ClosureId, ClosureType>,
    /// Names of the generic parameters, for messages.
    pub(crate) generics: Vec<String>,
    /// Names of the items, for messages.
    adts: Rc<[String]>,
}

impl Types {
    /// Makes a table with the primitive types, which every function may need.
    pub(crate) fn new(generics: Vec<String>, adts: Rc<[String]>) -> Self {
        let mut types = Table::new();
        for prim in Prim::ALL {
            types.push(Type::Prim(prim));
        }
        types.push(Type::Unit);
        types.push(Type::Never);
        Self {
            types,
            lens: Table::new(),
            lists: Table::new(),
            closures: Table::new(),
            generics,
            adts,
        }
    }

    /// Returns a number type or `bool`.
    pub(crate) fn prim(&self, prim: Prim) -> Ty {
        Ty::new(prim as usize)
    }

    /// Returns `()`.
    pub(crate) fn unit(&self) -> Ty {
        Ty::new(Prim::ALL.len())
    }

    /// Returns `!`.
    pub(crate) fn never(&self) -> Ty {
        Ty::new(Prim::ALL.len() + 1)
    }

    /// Adds a type.
    pub(crate) fn add(&mut self, ty: Type) -> Ty {
        self.types.push(ty)
    }

    /// Adds an unknown type.
    pub(crate) fn unknown(&mut self, class: Class) -> Ty {
        self.add(Type::Unknown(class))
    }

    /// Adds a reference.
    pub(crate) fn reference(&mut self, mutable: bool, to: Ty) -> Ty {
        self.add(Type::Ref { mutable, to })
    }

    /// Adds a tuple; `()` if it has no parts.
    pub(crate) fn tuple(&mut self, parts: Vec<Ty>) -> Ty {
        if parts.is_empty() {
            return self.unit();
        }
        let list = self.list(parts.into_iter().map(GenericArg::Type).collect());
        self.add(Type::Tuple(list))
    }

    /// Adds a function pointer: the parameter types, then the return type.
    pub(crate) fn pointer(&mut self, parts: Vec<Ty>) -> Ty {
        let list = self.list(parts.into_iter().map(GenericArg::Type).collect());
        self.add(Type::Pointer(list))
    }

    /// Adds a list.
    pub(crate) fn list(&mut self, args: Vec<GenericArg>) -> List {
        self.lists.push(args)
    }

    /// Returns the generic arguments in a list.
    pub(crate) fn args(&self, list: List) -> &[GenericArg] {
        &self.lists[list]
    }

    /// Returns the types in a list.
    pub(crate) fn parts(&self, list: List) -> Vec<Ty> {
        let types = self.lists[list].iter();
        types
            .filter_map(|arg| match arg {
                GenericArg::Type(ty) => Some(*ty),
                GenericArg::Const(_) => None,
            })
            .collect()
    }

    /// Adds a closure.
    pub(crate) fn closure(&mut self, closure: ClosureType) -> Ty {
        let id = self.closures.push(closure);
        self.add(Type::Closure(id))
    }

    /// Returns the signature of a closure.
    pub(crate) fn closure_type(&self, id: ClosureId) -> &ClosureType {
        &self.closures[id]
    }

    /// Adds a known length.
    pub(crate) fn len(&mut self, extent: Extent) -> Len {
        self.lens.push(Length::Known(extent.simplified().unwrap_or(extent)))
    }

    /// Adds an unknown length.
    pub(crate) fn unknown_len(&mut self) -> Len {
        self.lens.push(Length::Unknown)
    }

    /// Adds a length with a reported error.
    pub(crate) fn reported_len(&mut self, _: Reported) -> Len {
        self.lens.push(Length::Reported)
    }

    /// Returns the type as far as it is known; never [`Type::Same`].
    pub(crate) fn get(&self, ty: Ty) -> Type {
        self.types[self.root(ty)]
    }

    /// Returns the length, if it is known.
    pub(crate) fn extent(&self, len: Len) -> Option<&Extent> {
        match &self.lens[self.len_root(len)] {
            Length::Known(extent) => Some(extent),
            Length::Unknown | Length::Same(_) | Length::Reported => None,
        }
    }

    /// Returns the first generic argument of a struct or enum.
    pub(crate) fn first_arg(&self, ty: Ty) -> Option<Ty> {
        match self.get(ty) {
            Type::Adt(_, list) => self.parts(list).first().copied(),
            _ => None,
        }
    }

    /// Returns the number type or `bool`, if the type is known to be one.
    pub(crate) fn as_prim(&self, ty: Ty) -> Option<Prim> {
        match self.get(ty) {
            Type::Prim(prim) => Some(prim),
            _ => None,
        }
    }

    /// Returns true for a number, a `bool` and a type parameter, and for a literal of unknown type.
    pub(crate) fn is_number_like(&self, ty: Ty) -> bool {
        matches!(
            self.get(ty),
            Type::Prim(_) | Type::Generic(_) | Type::Unknown(Class::Int | Class::Float)
        )
    }

    /// Returns true if an error about `ty` was reported.
    pub(crate) fn is_reported(&self, ty: Ty) -> bool {
        matches!(self.get(ty), Type::Reported(_))
    }

    /// Returns true if an error about `len` was reported.
    pub(crate) fn is_reported_len(&self, len: Len) -> bool {
        self.lens[self.len_root(len)] == Length::Reported
    }

    /// Decides unknown types of literals: `i32` for integers and `f64` for floats, as in Rust.
    pub(crate) fn fall_back(&mut self) {
        for ty in self.types.iter_mut() {
            match ty {
                Type::Unknown(Class::Int) => *ty = Type::Prim(Prim::I32),
                Type::Unknown(Class::Float) => *ty = Type::Prim(Prim::F64),
                _ => {}
            }
        }
    }

    fn root(&self, mut ty: Ty) -> Ty {
        while let Type::Same(other) = self.types[ty] {
            ty = other;
        }
        ty
    }

    fn len_root(&self, mut len: Len) -> Len {
        while let Length::Same(other) = self.lens[len] {
            len = other;
        }
        len
    }

    /// Adds an equal type as an entry of its own, which [`Types::is_same_entry`] distinguishes.
    pub(crate) fn add_distinct(&mut self, ty: Ty) -> Ty {
        self.add(self.get(ty))
    }

    /// Returns true if two types are the same entry.
    pub(crate) fn is_same_entry(&self, a: Ty, b: Ty) -> bool {
        self.root(a) == self.root(b)
    }

    /// Returns the target of a type through all of its references.
    pub(crate) fn pointee(&self, mut ty: Ty) -> Ty {
        while let Type::Ref { to, .. } = self.get(ty) {
            ty = to;
        }
        ty
    }
}
