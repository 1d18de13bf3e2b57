//! Unification of types and array lengths.
use crate::types::{Class, GenericArg, Len, Length, List, Mismatch, Ty, Type, Types};

impl Types {
    /// Unifies two types.
    ///
    /// # Errors
    /// If they cannot be equal. Their common parts may be bound nevertheless.
    pub(crate) fn unify(&mut self, a: Ty, b: Ty) -> Result<(), Mismatch> {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return Ok(());
        }
        match (self.types[a], self.types[b]) {
            (Type::Reported(_), _) => {
                self.bind_reported(b, a);
                Ok(())
            }
            (_, Type::Reported(_)) => {
                self.bind_reported(a, b);
                Ok(())
            }
            (Type::Unknown(class), other) if class_allows(class, other) => self.bind(a, b),
            (other, Type::Unknown(class)) if class_allows(class, other) => self.bind(b, a),
            (Type::Ref { mutable: m, to: a }, Type::Ref { mutable: n, to: b }) if m == n => {
                self.unify(a, b)
            }
            (Type::Slice(a), Type::Slice(b)) => self.unify(a, b),
            (Type::Array(a, n), Type::Array(b, m)) => {
                self.unify_len(n, m)?;
                self.unify(a, b)
            }
            (Type::Tuple(a), Type::Tuple(b)) | (Type::Pointer(a), Type::Pointer(b)) => {
                self.unify_lists(a, b)
            }
            (Type::Adt(a, of_a), Type::Adt(b, of_b)) if a == b => self.unify_lists(of_a, of_b),
            (Type::Iter(a, of_a), Type::Iter(b, of_b)) if a == b => self.unify_lists(of_a, of_b),
            (Type::Closure(a), Type::Closure(b)) => {
                let same = self.closures[a].number == self.closures[b].number;
                if same { Ok(()) } else { Err(Mismatch) }
            }
            (a, b) if a == b => Ok(()),
            _ => Err(Mismatch),
        }
    }

    /// Binds the unknown parts of a type to `reported`, so that no further error is reported about
    /// them.
    pub(crate) fn bind_reported(&mut self, ty: Ty, reported: Ty) {
        let ty = self.root(ty);
        match self.types[ty] {
            Type::Unknown(_) => self.types[ty] = Type::Same(reported),
            Type::Ref { to: inner, .. } | Type::Slice(inner) => self.bind_reported(inner, reported),
            Type::Array(elem, len) => {
                let len = self.len_root(len);
                if self.lens[len] == Length::Unknown {
                    self.lens[len] = Length::Reported;
                }
                self.bind_reported(elem, reported);
            }
            Type::Tuple(list) | Type::Adt(_, list) | Type::Pointer(list) | Type::Iter(_, list) => {
                self.parts(list).into_iter().for_each(|part| self.bind_reported(part, reported));
            }
            _ => {}
        }
    }

    fn unify_lists(&mut self, a: List, b: List) -> Result<(), Mismatch> {
        let (a, b) = (self.lists[a].clone(), self.lists[b].clone());
        if a.len() != b.len() {
            return Err(Mismatch);
        }
        a.into_iter().zip(b).try_for_each(|(a, b)| self.unify_arg(a, b))
    }

    /// Returns true if two types could be equal, as far as their shapes are known.
    pub(crate) fn could_unify(&self, a: Ty, b: Ty) -> bool {
        let lists = |a: List, b: List| {
            let (a, b) = (&self.lists[a], &self.lists[b]);
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.could_unify_arg(*a, *b))
        };
        match (self.get(a), self.get(b)) {
            (Type::Reported(_), _) | (_, Type::Reported(_)) => true,
            (Type::Unknown(class), other) | (other, Type::Unknown(class)) => {
                class_allows(class, other)
            }
            (Type::Ref { mutable: m, to: a }, Type::Ref { mutable: n, to: b }) => {
                m == n && self.could_unify(a, b)
            }
            (Type::Slice(a), Type::Slice(b)) => self.could_unify(a, b),
            (Type::Array(a, n), Type::Array(b, m)) => self.same_len(n, m) && self.could_unify(a, b),
            (Type::Tuple(a), Type::Tuple(b)) | (Type::Pointer(a), Type::Pointer(b)) => lists(a, b),
            (Type::Adt(a, of_a), Type::Adt(b, of_b)) => a == b && lists(of_a, of_b),
            (Type::Iter(a, of_a), Type::Iter(b, of_b)) => a == b && lists(of_a, of_b),
            (a, b) => a == b,
        }
    }

    /// As [`Self::could_unify`], for generic arguments.
    pub(crate) fn could_unify_arg(&self, a: GenericArg, b: GenericArg) -> bool {
        match (a, b) {
            (GenericArg::Type(a), GenericArg::Type(b)) => self.could_unify(a, b),
            (GenericArg::Const(a), GenericArg::Const(b)) => self.same_len(a, b),
            (GenericArg::Type(_), GenericArg::Const(_))
            | (GenericArg::Const(_), GenericArg::Type(_)) => false,
        }
    }

    /// Unifies two generic arguments.
    ///
    /// # Errors
    /// If they are known to differ.
    pub(crate) fn unify_arg(&mut self, a: GenericArg, b: GenericArg) -> Result<(), Mismatch> {
        match (a, b) {
            (GenericArg::Type(a), GenericArg::Type(b)) => self.unify(a, b),
            (GenericArg::Const(a), GenericArg::Const(b)) => self.unify_len(a, b),
            (GenericArg::Type(_), GenericArg::Const(_))
            | (GenericArg::Const(_), GenericArg::Type(_)) => Err(Mismatch),
        }
    }

    fn same_len(&self, a: Len, b: Len) -> bool {
        match (&self.lens[self.len_root(a)], &self.lens[self.len_root(b)]) {
            (Length::Known(a), Length::Known(b)) => a == b,
            _ => true,
        }
    }

    /// Binds an unknown type of any class to another type.
    pub(crate) fn decide(&mut self, unknown: Ty, decided: Ty) {
        let (unknown, decided) = (self.root(unknown), self.root(decided));
        if unknown != decided {
            self.types[unknown] = Type::Same(decided);
        }
    }

    /// Unifies two lengths.
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
        if self.contains(to, unknown) {
            return Err(Mismatch);
        }
        self.types[unknown] = Type::Same(to);
        Ok(())
    }

    /// Returns true if `ty` contains `part`, which must be a root.
    fn contains(&self, ty: Ty, part: Ty) -> bool {
        match self.get(ty) {
            Type::Ref { to: inner, .. } | Type::Slice(inner) | Type::Array(inner, _) => {
                self.root(inner) == part || self.contains(inner, part)
            }
            Type::Tuple(list) | Type::Adt(_, list) | Type::Pointer(list) | Type::Iter(_, list) => {
                self.parts(list)
                    .into_iter()
                    .any(|inner| self.root(inner) == part || self.contains(inner, part))
            }
            _ => false,
        }
    }
}

/// Returns true if an unknown type of this class may become that type. `!` is coerced, never bound.
fn class_allows(class: Class, ty: Type) -> bool {
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
