//! Types of one function while they are inferred: a table of types and a table of array lengths,
//! in which what is not known yet is an entry to be bound by [`Types::unify`].
//!
//! Generic parameters are numbered in the function's own order (its type and constant parameters,
//! then a kernel's open constants); [`Extent`]s of array lengths count in it too.
pub(crate) mod builtin;
pub(crate) mod chain;
pub(crate) mod collective;
pub(crate) mod constant;
mod known;
pub(crate) mod math;
pub(crate) mod method;
pub(crate) mod mono;
pub(crate) mod ordering;
mod prim;
mod show;
mod unify;
pub(crate) mod vector;

pub(crate) use crate::types::prim::{Prim, atomic_name, atomic_named};
use crate::{syntax::error::Reported, types::chain::Chain};
use std::rc::Rc;
use warpwise_compiler::{
    id::{Id as _, Table},
    ir::{Extent, GenericId},
};

warpwise_compiler::id!(/** A type. */ Ty, "?");
warpwise_compiler::id!(/** A length of arrays. */ Len, "#");
warpwise_compiler::id!(/** Types and constants in order. */ List, "list");
warpwise_compiler::id!(/** A closure. */ ClosureId, "closure");

/// What a generic parameter is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum GenericArg {
    /// A type.
    Type(Ty),
    /// A constant, as an extent.
    Const(Len),
}

/// What is known of a closure from outside.
#[derive(Clone, Debug)]
pub(crate) struct ClosureType {
    /// Which one it is, among all of a kernel.
    pub(crate) which: usize,
    /// Types of its parameters.
    pub(crate) params: Vec<Ty>,
    /// Type of its value.
    pub(crate) ret: Ty,
}

/// What may stand for an unknown type.
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
    /// Not known yet.
    Unknown(Class),
    /// The same as another.
    Same(Ty),
    /// Something is wrong with it, and was reported.
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
        /// Whether it is `&mut`.
        mutable: bool,
        /// What it refers to.
        to: Ty,
    },
    /// `[T]`
    Slice(Ty),
    /// `[T; N]`
    Array(Ty, Len),
    /// `AtomicU32` and the like, of this type.
    Atomic(Prim),
    /// A tuple of one type or more.
    Tuple(List),
    /// A struct or enum: its number among the items, and its generic arguments.
    Adt(usize, List),
    /// A closure.
    Closure(ClosureId),
    /// A function pointer: the types of its parameters, then that of its value.
    Pointer(List),
    /// An iterator: the type of its items, then those of its parts.
    Iter(Chain, List),
}

/// A length of arrays.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Length {
    Unknown,
    Same(Len),
    Known(Extent),
    Reported,
}

/// Two types that were to be the same are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mismatch;

/// The types of one function.
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
    /// A table that holds the types every function may need.
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

    /// A number type or `bool`.
    pub(crate) fn prim(&self, prim: Prim) -> Ty {
        Ty::new(prim as usize)
    }

    /// `()`
    pub(crate) fn unit(&self) -> Ty {
        Ty::new(Prim::ALL.len())
    }

    /// `!`
    pub(crate) fn never(&self) -> Ty {
        Ty::new(Prim::ALL.len() + 1)
    }

    /// Adds a type.
    pub(crate) fn add(&mut self, ty: Type) -> Ty {
        self.types.push(ty)
    }

    /// Adds a type that is not known yet.
    pub(crate) fn unknown(&mut self, class: Class) -> Ty {
        self.add(Type::Unknown(class))
    }

    /// Adds a reference.
    pub(crate) fn reference(&mut self, mutable: bool, to: Ty) -> Ty {
        self.add(Type::Ref { mutable, to })
    }

    /// Adds a tuple; `()` if there is nothing in it.
    pub(crate) fn tuple(&mut self, parts: Vec<Ty>) -> Ty {
        if parts.is_empty() {
            return self.unit();
        }
        let list = self.list(parts.into_iter().map(GenericArg::Type).collect());
        self.add(Type::Tuple(list))
    }

    /// Adds a function pointer: the types of its parameters, then that of its value.
    pub(crate) fn pointer(&mut self, parts: Vec<Ty>) -> Ty {
        let list = self.list(parts.into_iter().map(GenericArg::Type).collect());
        self.add(Type::Pointer(list))
    }

    /// Adds a list.
    pub(crate) fn list(&mut self, args: Vec<GenericArg>) -> List {
        self.lists.push(args)
    }

    /// What is in a list.
    pub(crate) fn args(&self, list: List) -> &[GenericArg] {
        &self.lists[list]
    }

    /// The types in a list.
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

    /// What is known of a closure.
    pub(crate) fn closure_type(&self, id: ClosureId) -> &ClosureType {
        &self.closures[id]
    }

    /// Adds a length that is known.
    pub(crate) fn len(&mut self, extent: Extent) -> Len {
        self.lens.push(Length::Known(extent.simplified().unwrap_or(extent)))
    }

    /// Adds a length that is not known yet.
    pub(crate) fn unknown_len(&mut self) -> Len {
        self.lens.push(Length::Unknown)
    }

    /// Adds a length that is wrong.
    pub(crate) fn reported_len(&mut self, _: Reported) -> Len {
        self.lens.push(Length::Reported)
    }

    /// What `ty` is, as far as it is known; never [`Type::Same`].
    pub(crate) fn get(&self, ty: Ty) -> Type {
        self.types[self.root(ty)]
    }

    /// The length, if it is known.
    pub(crate) fn extent(&self, len: Len) -> Option<&Extent> {
        match &self.lens[self.len_root(len)] {
            Length::Known(extent) => Some(extent),
            Length::Unknown | Length::Same(_) | Length::Reported => None,
        }
    }

    /// The first generic argument of a struct or enum.
    pub(crate) fn first_arg(&self, ty: Ty) -> Option<Ty> {
        match self.get(ty) {
            Type::Adt(_, list) => self.parts(list).first().copied(),
            _ => None,
        }
    }

    /// The number type or `bool` that `ty` is, if it is known to be one.
    pub(crate) fn as_prim(&self, ty: Ty) -> Option<Prim> {
        match self.get(ty) {
            Type::Prim(prim) => Some(prim),
            _ => None,
        }
    }

    /// True if errors about `ty` were reported already.
    pub(crate) fn is_reported(&self, ty: Ty) -> bool {
        matches!(self.get(ty), Type::Reported(_))
    }

    /// True if errors about `len` were reported already.
    pub(crate) fn is_reported_len(&self, len: Len) -> bool {
        self.lens[self.len_root(len)] == Length::Reported
    }

    /// Decides what is still unknown: integers are `i32` and floats `f64`, as in Rust.
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

    /// Adds a type that is the same as another and yet told from it by [`Types::same`].
    pub(crate) fn of_its_own(&mut self, ty: Ty) -> Ty {
        self.add(self.get(ty))
    }

    /// Whether two types are one.
    pub(crate) fn same(&self, a: Ty, b: Ty) -> bool {
        self.root(a) == self.root(b)
    }

    /// What a type refers to, through any references.
    pub(crate) fn pointee(&self, mut ty: Ty) -> Ty {
        while let Type::Ref { to, .. } = self.get(ty) {
            ty = to;
        }
        ty
    }
}
