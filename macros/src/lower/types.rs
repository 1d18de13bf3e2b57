//! Types of one function while they are inferred: a table of types and a table of array lengths,
//! in which what is not known yet is an entry to be bound by [`Types::unify`].
//!
//! Generic parameters are numbered in the function's own order (its type and constant parameters,
//! then a kernel's open constants); [`Extent`]s of array lengths count in it too.
use super::{
    chain::Chain,
    error::Reported,
    mono::{ClosureMono, Mono, MonoArg},
    vector::Vector,
};
use std::rc::Rc;
use warpwise_compiler::{
    id::{Id as _, Table},
    ir::{Extent, GenericId, Scalar},
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

/// A number type or `bool`, as Rust tells them apart.
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
    /// Every one, in the order of their numbers.
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

    /// Its name in Rust.
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

    /// The one of that name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|prim| prim.name() == name)
    }

    /// What it is in the IR.
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

    /// Whether std has a `From` that makes `other` of this integer.
    pub(crate) const fn always_fits(self, other: Self) -> bool {
        match (self, other) {
            (Self::U8, Self::Usize | Self::Isize)
            | (Self::U16, Self::Usize)
            | (Self::I8 | Self::I16, Self::Isize) => true,
            (_, Self::Usize | Self::Isize) | (Self::Usize | Self::Isize, _) => false,
            _ => {
                let (from, to) = (self.scalar(), other.scalar());
                let (Some(narrow), Some(wide)) = (from.bits(), to.bits()) else { return false };
                from.is_int()
                    && to.is_int()
                    && narrow < wide
                    && (to.is_signed() || !from.is_signed())
            }
        }
    }

    /// True for `f16`, `bf16`, `f32` and `f64`.
    pub(crate) const fn is_float(self) -> bool {
        self.scalar().is_float()
    }

    /// True for `f16` and `bf16`, which are types of a library: they have neither literals nor
    /// `as`, and their operators are calls.
    pub(crate) const fn is_half(self) -> bool {
        matches!(self, Self::F16 | Self::BF16)
    }

    /// True for integers.
    pub(crate) const fn is_int(self) -> bool {
        self.scalar().is_int()
    }

    /// The unsigned integer of the same size.
    pub(crate) const fn unsigned(self) -> Self {
        match self {
            Self::Bool | Self::I8 | Self::U8 => Self::U8,
            Self::I16 | Self::U16 | Self::F16 | Self::BF16 => Self::U16,
            Self::I32 | Self::U32 | Self::F32 => Self::U32,
            Self::I64 | Self::U64 | Self::F64 => Self::U64,
            Self::Isize | Self::Usize => Self::Usize,
        }
    }

    /// The signed integer of the same size.
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

    /// Makes two types the same.
    ///
    /// # Errors
    /// If they cannot be; what they have in common may be bound nevertheless.
    pub(crate) fn unify(&mut self, a: Ty, b: Ty) -> Result<(), Mismatch> {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return Ok(());
        }
        match (self.types[a], self.types[b]) {
            (Type::Reported(_), _) | (_, Type::Reported(_)) => Ok(()),
            (Type::Unknown(class), other) if fits(class, other) => self.bind(a, b),
            (other, Type::Unknown(class)) if fits(class, other) => self.bind(b, a),
            (Type::Ref { mutable: m, to: a }, Type::Ref { mutable: n, to: b }) if m == n => {
                self.unify(a, b)
            }
            (Type::Slice(a), Type::Slice(b)) => self.unify(a, b),
            (Type::Array(a, n), Type::Array(b, m)) => {
                self.unify_len(n, m)?;
                self.unify(a, b)
            }
            (Type::Tuple(a), Type::Tuple(b)) => self.unify_lists(a, b),
            (Type::Adt(a, of_a), Type::Adt(b, of_b)) if a == b => self.unify_lists(of_a, of_b),
            (Type::Iter(a, of_a), Type::Iter(b, of_b)) if a == b => self.unify_lists(of_a, of_b),
            (Type::Closure(a), Type::Closure(b)) => {
                let same = self.closures[a].which == self.closures[b].which;
                if same { Ok(()) } else { Err(Mismatch) }
            }
            (a, b) if a == b => Ok(()),
            _ => Err(Mismatch),
        }
    }

    fn unify_lists(&mut self, a: List, b: List) -> Result<(), Mismatch> {
        let (a, b) = (self.lists[a].clone(), self.lists[b].clone());
        if a.len() != b.len() {
            return Err(Mismatch);
        }
        a.into_iter().zip(b).try_for_each(|pair| match pair {
            (GenericArg::Type(a), GenericArg::Type(b)) => self.unify(a, b),
            (GenericArg::Const(a), GenericArg::Const(b)) => self.unify_len(a, b),
            _ => Err(Mismatch),
        })
    }

    /// Whether two types could be made the same, as far as their shapes tell.
    pub(crate) fn could_unify(&self, a: Ty, b: Ty) -> bool {
        let lists = |a: List, b: List| {
            let (a, b) = (&self.lists[a], &self.lists[b]);
            a.len() == b.len()
                && a.iter().zip(b).all(|pair| match pair {
                    (GenericArg::Type(a), GenericArg::Type(b)) => self.could_unify(*a, *b),
                    (GenericArg::Const(a), GenericArg::Const(b)) => self.same_len(*a, *b),
                    _ => false,
                })
        };
        match (self.get(a), self.get(b)) {
            (Type::Reported(_), _) | (_, Type::Reported(_)) => true,
            (Type::Unknown(class), other) | (other, Type::Unknown(class)) => fits(class, other),
            (Type::Ref { mutable: m, to: a }, Type::Ref { mutable: n, to: b }) => {
                m == n && self.could_unify(a, b)
            }
            (Type::Slice(a), Type::Slice(b)) => self.could_unify(a, b),
            (Type::Array(a, n), Type::Array(b, m)) => self.same_len(n, m) && self.could_unify(a, b),
            (Type::Tuple(a), Type::Tuple(b)) => lists(a, b),
            (Type::Adt(a, of_a), Type::Adt(b, of_b)) => a == b && lists(of_a, of_b),
            (Type::Iter(a, of_a), Type::Iter(b, of_b)) => a == b && lists(of_a, of_b),
            (a, b) => a == b,
        }
    }

    fn same_len(&self, a: Len, b: Len) -> bool {
        match (&self.lens[self.len_root(a)], &self.lens[self.len_root(b)]) {
            (Length::Known(a), Length::Known(b)) => a == b,
            _ => true,
        }
    }

    /// Makes a type that is not known yet, of whatever class, another.
    pub(crate) fn decide(&mut self, unknown: Ty, decided: Ty) {
        let (unknown, decided) = (self.root(unknown), self.root(decided));
        if unknown != decided {
            self.types[unknown] = Type::Same(decided);
        }
    }

    /// Makes two lengths the same.
    ///
    /// # Errors
    /// If they are known to differ.
    pub(crate) fn unify_len(&mut self, a: Len, b: Len) -> Result<(), Mismatch> {
        let (a, b) = (self.len_root(a), self.len_root(b));
        if a == b {
            return Ok(());
        }
        match (&self.lens[a], &self.lens[b]) {
            (Length::Reported, _) | (_, Length::Reported) => Ok(()),
            (Length::Unknown, _) => {
                self.lens[a] = Length::Same(b);
                Ok(())
            }
            (_, Length::Unknown) => {
                self.lens[b] = Length::Same(a);
                Ok(())
            }
            (a, b) if a == b => Ok(()),
            _ => Err(Mismatch),
        }
    }

    fn bind(&mut self, unknown: Ty, to: Ty) -> Result<(), Mismatch> {
        if self.mentions(to, unknown) {
            return Err(Mismatch);
        }
        self.types[unknown] = Type::Same(to);
        Ok(())
    }

    /// True if `ty` holds `part`, which must be a root.
    fn mentions(&self, ty: Ty, part: Ty) -> bool {
        match self.get(ty) {
            Type::Ref { to: inner, .. } | Type::Slice(inner) | Type::Array(inner, _) => {
                self.root(inner) == part || self.mentions(inner, part)
            }
            Type::Tuple(list) | Type::Adt(_, list) | Type::Iter(_, list) => self
                .parts(list)
                .into_iter()
                .any(|inner| self.root(inner) == part || self.mentions(inner, part)),
            _ => false,
        }
    }

    /// The type, once it is known and nothing in it is unknown.
    pub(crate) fn mono(&self, ty: Ty) -> Option<Mono> {
        Some(match self.get(ty) {
            Type::Unknown(_) | Type::Same(_) | Type::Reported(_) => return None,
            Type::Unit => Mono::Unit,
            Type::Never => Mono::Never,
            Type::Prim(prim) => Mono::Prim(prim),
            Type::Generic(id) => Mono::Generic(id),
            Type::Ref { mutable, to } => Mono::Ref { mutable, to: Box::new(self.mono(to)?) },
            Type::Slice(elem) => Mono::Slice(Box::new(self.mono(elem)?)),
            Type::Array(elem, len) => {
                Mono::Array(Box::new(self.mono(elem)?), self.extent(len)?.clone())
            }
            Type::Atomic(prim) => Mono::Atomic(prim),
            Type::Tuple(list) => Mono::Tuple(self.mono_list(list)?),
            Type::Adt(item, list) => Mono::Adt(item, self.mono_list(list)?),
            Type::Iter(chain, list) => {
                let types = self.parts(list).into_iter().map(|part| self.mono(part));
                Mono::Iter(chain, types.collect::<Option<_>>()?)
            }
            Type::Closure(id) => {
                let ClosureType { which, params, ret } = &self.closures[id];
                let params = params.iter().map(|param| self.mono(*param)).collect::<Option<_>>()?;
                Mono::Closure(Rc::new(ClosureMono { which: *which, params, ret: self.mono(*ret)? }))
            }
        })
    }

    fn mono_list(&self, list: List) -> Option<Vec<MonoArg>> {
        self.lists[list].iter().map(|arg| self.mono_arg(*arg)).collect()
    }

    /// A generic argument, once it is known.
    pub(crate) fn mono_arg(&self, arg: GenericArg) -> Option<MonoArg> {
        Some(match arg {
            GenericArg::Type(ty) => MonoArg::Type(self.mono(ty)?),
            GenericArg::Const(len) => MonoArg::Const(self.extent(len)?.clone()),
        })
    }

    /// Adds a type that is known.
    pub(crate) fn of_mono(&mut self, mono: &Mono) -> Ty {
        match mono {
            Mono::Unit => self.unit(),
            Mono::Never => self.never(),
            Mono::Prim(prim) => self.prim(*prim),
            Mono::Generic(id) => self.add(Type::Generic(*id)),
            Mono::Ref { mutable, to } => {
                let to = self.of_mono(to);
                self.reference(*mutable, to)
            }
            Mono::Slice(elem) => {
                let elem = self.of_mono(elem);
                self.add(Type::Slice(elem))
            }
            Mono::Array(elem, len) => {
                let (elem, len) = (self.of_mono(elem), self.len(len.clone()));
                self.add(Type::Array(elem, len))
            }
            Mono::Atomic(prim) => self.add(Type::Atomic(*prim)),
            Mono::Tuple(args) => {
                let list = self.list_of(args);
                self.add(Type::Tuple(list))
            }
            Mono::Adt(item, args) => {
                let list = self.list_of(args);
                self.add(Type::Adt(*item, list))
            }
            Mono::Iter(chain, types) => {
                let args = types.iter().map(|ty| GenericArg::Type(self.of_mono(ty))).collect();
                let list = self.list(args);
                self.add(Type::Iter(*chain, list))
            }
            Mono::Closure(closure) => {
                let params = closure.params.iter().map(|param| self.of_mono(param)).collect();
                let ret = self.of_mono(&closure.ret);
                self.closure(ClosureType { which: closure.which, params, ret })
            }
        }
    }

    fn list_of(&mut self, args: &[MonoArg]) -> List {
        let args = args.iter().map(|arg| self.of_mono_arg(arg)).collect();
        self.list(args)
    }

    /// Adds a generic argument that is known.
    pub(crate) fn of_mono_arg(&mut self, arg: &MonoArg) -> GenericArg {
        match arg {
            MonoArg::Type(mono) => GenericArg::Type(self.of_mono(mono)),
            MonoArg::Const(extent) => GenericArg::Const(self.len(extent.clone())),
        }
    }

    /// The vector that an item is; no other item has the name of one.
    pub(crate) fn vector(&self, item: usize) -> Option<Vector> {
        Vector::named(self.adts.get(item)?)
    }

    /// As Rust writes it; `_` and `{integer}` for what is unknown.
    pub(crate) fn show(&self, ty: Ty) -> String {
        match self.get(ty) {
            Type::Unknown(Class::Any) | Type::Same(_) | Type::Reported(_) => "_".into(),
            Type::Unknown(Class::Int) => "{integer}".into(),
            Type::Unknown(Class::Float) => "{float}".into(),
            Type::Unit => "()".into(),
            Type::Never => "!".into(),
            Type::Prim(prim) => prim.name().into(),
            Type::Generic(id) => self.generic_name(id),
            Type::Ref { mutable: false, to } => format!("&{}", self.show(to)),
            Type::Ref { mutable: true, to } => format!("&mut {}", self.show(to)),
            Type::Slice(elem) => format!("[{}]", self.show(elem)),
            Type::Array(elem, len) => match self.extent(len) {
                Some(extent) => format!("[{}; {}]", self.show(elem), self.show_extent(extent)),
                None => format!("[{}; _]", self.show(elem)),
            },
            Type::Atomic(prim) => atomic_name(prim).into(),
            Type::Tuple(list) => match self.show_list(list).as_slice() {
                [one] => format!("({one},)"),
                parts => format!("({})", parts.join(", ")),
            },
            Type::Adt(item, list) => {
                let name = self.adts.get(item).map_or("_", String::as_str);
                match self.show_list(list).as_slice() {
                    [] => name.into(),
                    args => format!("{name}<{}>", args.join(", ")),
                }
            }
            Type::Closure(_) => "{closure}".into(),
            Type::Iter(chain, list) => match self.parts(list).first() {
                Some(item) => format!("{}<Item = {}>", chain.name(), self.show(*item)),
                None => chain.name().into(),
            },
        }
    }

    fn show_list(&self, list: List) -> Vec<String> {
        let args = self.lists[list].iter();
        args.map(|arg| match arg {
            GenericArg::Type(ty) => self.show(*ty),
            GenericArg::Const(len) => {
                self.extent(*len).map_or_else(|| "_".into(), |extent| self.show_extent(extent))
            }
        })
        .collect()
    }

    /// A length as Rust writes it.
    pub(crate) fn show_extent(&self, extent: &Extent) -> String {
        let binary = |op: &str, a: &Extent, b: &Extent| {
            format!("({} {op} {})", self.show_extent(a), self.show_extent(b))
        };
        match extent {
            Extent::Const(value) => value.to_string(),
            Extent::Generic(id) => self.generic_name(*id),
            Extent::SizeOf(_) => "_".into(),
            Extent::Add(a, b) => binary("+", a, b),
            Extent::Sub(a, b) => binary("-", a, b),
            Extent::Mul(a, b) => binary("*", a, b),
            Extent::Div(a, b) => binary("/", a, b),
            Extent::Max(a, b) => format!("max({}, {})", self.show_extent(a), self.show_extent(b)),
        }
    }

    fn generic_name(&self, id: GenericId) -> String {
        self.generics.get(id.index()).cloned().unwrap_or_else(|| "_".into())
    }
}

/// The atomic type of `prim`; the name of one that there is, for those that are parameters.
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

/// The type of the value in an atomic of this name.
pub(crate) fn atomic_named(name: &str) -> Option<Prim> {
    Prim::ALL.into_iter().find(|prim| atomic_name(*prim) == name).filter(|_| name != "_")
}

/// Whether an unknown of this class may be that type; `!` is coerced, never bound.
fn fits(class: Class, ty: Type) -> bool {
    match (class, ty) {
        (Class::Any, _) => true,
        (_, Type::Unknown(Class::Any)) => false,
        (Class::Int, Type::Prim(prim)) => prim.is_int(),
        (Class::Float, Type::Prim(prim)) => prim.is_float() && !prim.is_half(),
        (Class::Int, Type::Unknown(other)) => other == Class::Int,
        (Class::Float, Type::Unknown(other)) => other == Class::Float,
        (Class::Int | Class::Float, _) => false,
    }
}
