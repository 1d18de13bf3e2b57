//! User-defined iterators: types with `#[device] impl Iterator` or `#[device] impl IntoIterator`.
//! For the former, all iterator methods call its `next`.
use crate::{
    hir::Expr,
    infer::{
        Infer,
        iterator::consumer::resumes,
        traits::member::{Member, MemberKind},
    },
    syntax::span::SpanRange,
    types::{Ty, Type, chain::Chain},
};

impl<'a> Infer<'a> {
    /// Returns the item type of an iterator type.
    pub(crate) fn item_of(&mut self, ty: Ty) -> Option<Ty> {
        match self.as_chain(ty) {
            Some((_, item)) => Some(item),
            None => self.written_item(ty),
        }
    }

    /// Returns the item type of a type with `#[device] impl Iterator`, from the return type of its
    /// `next`.
    pub(crate) fn written_item(&mut self, ty: Ty) -> Option<Ty> {
        if !matches!(self.types.get(ty), Type::Adt(..)) {
            return None;
        }
        let Member { kind: MemberKind::Fn(sig), env, .. } =
            self.member(ty, "next", Some("Iterator"))?
        else {
            return None;
        };
        let syn::ReturnType::Type(_, option) = &sig.output else { return None };
        let option = self.type_in(option, &env);
        self.types.first_arg(option)
    }

    /// Returns the method that converts an option or a result, or a reference to one, to an
    /// iterator.
    pub(crate) fn option_iterator(&self, ty: Ty) -> Option<&'static str> {
        let Type::Adt(item, _) = self.types.get(self.types.pointee(ty)) else { return None };
        let program = self.program();
        let is_known = ["Option", "Result"].iter().any(|of| program.library(of) == Some(item));
        is_known.then(|| match self.types.get(ty) {
            Type::Ref { mutable: true, .. } => "iter_mut",
            Type::Ref { .. } => "iter",
            _ => "into_iter",
        })
    }

    /// Returns the function of the `impl IntoIterator` for a type.
    pub(crate) fn made_into_iterator(&mut self, ty: Ty) -> Option<Member<'a>> {
        match self.types.get(self.types.pointee(ty)) {
            Type::Adt(..) => self.operator_impl("IntoIterator", "into_iter", ty, None),
            _ => None,
        }
    }

    /// Converts a value with `#[device] impl Iterator` to the receiver of an iterator method: the
    /// value, or its remaining items by reference. Returns the value if it is no iterator or the
    /// method is none of iterators.
    pub(crate) fn as_written_iterator(
        &mut self,
        value: Expr,
        name: &str,
        at: SpanRange,
    ) -> Result<Expr, Expr> {
        if !takes_iterator(name) && !resumes(name) && name != "by_ref" {
            return Err(value);
        }
        let Some(item) = self.written_item(value.ty) else { return Err(value) };
        if value.is_place() && !takes_iterator(name) {
            return Ok(self.by_ref(value, item, at));
        }
        Ok(self.chain(Chain::Written, item, vec![value], at))
    }

    /// Converts a reference to an iterator to the receiver of a method that takes it by value: the
    /// remaining items.
    pub(crate) fn taken_by_reference(
        &mut self,
        value: Expr,
        name: &str,
        at: SpanRange,
    ) -> Result<Expr, Expr> {
        match self.types.get(value.ty) {
            Type::Ref { mutable: true, to }
                if takes_iterator(name) && self.item_of(to).is_some() =>
            {
                Ok(self.iterated(value, at))
            }
            _ => Err(value),
        }
    }
}

/// Returns true for an iterator method that takes `self` by value.
fn takes_iterator(name: &str) -> bool {
    matches!(
        name,
        "chain"
            | "cloned"
            | "cmp"
            | "collect"
            | "copied"
            | "count"
            | "cycle"
            | "enumerate"
            | "eq"
            | "filter"
            | "filter_map"
            | "flat_map"
            | "flatten"
            | "fold"
            | "for_each"
            | "fuse"
            | "ge"
            | "gt"
            | "inspect"
            | "into_iter"
            | "is_sorted"
            | "is_sorted_by"
            | "is_sorted_by_key"
            | "last"
            | "le"
            | "lt"
            | "map"
            | "map_while"
            | "max"
            | "max_by"
            | "max_by_key"
            | "min"
            | "min_by"
            | "min_by_key"
            | "ne"
            | "partial_cmp"
            | "partition"
            | "peekable"
            | "product"
            | "reduce"
            | "rev"
            | "rfold"
            | "scan"
            | "skip"
            | "skip_while"
            | "step_by"
            | "sum"
            | "take"
            | "take_while"
            | "unzip"
            | "zip"
    )
}
