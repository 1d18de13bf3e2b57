//! User-defined iterators: types with `#[device] impl Iterator` or `#[device] impl IntoIterator`.
//! For the former, all iterator methods call its `next`.
use crate::{
    hir::Expr,
    infer::{
        Infer,
        items::signature::receiver_reference,
        iterator::consumer::keeps_rest,
        traits::member::{Member, MemberKind},
    },
    syntax::span::SpanRange,
    types::{Ty, Type, iterator::IterKind},
};

impl<'a> Infer<'a> {
    /// Returns the item type of an iterator type.
    pub(crate) fn iterator_item(&mut self, ty: Ty) -> Option<Ty> {
        match self.as_iterator(ty) {
            Some((_, item)) => Some(item),
            None => self.user_iterator_item(ty),
        }
    }

    /// Returns the item type of a type with `#[device] impl Iterator`, from the return type of its
    /// `next`.
    pub(crate) fn user_iterator_item(&mut self, ty: Ty) -> Option<Ty> {
        if !matches!(self.types.get(ty), Type::Adt(..)) {
            return None;
        }
        let Member { kind: MemberKind::Fn(sig), env, .. } =
            self.find_member(ty, "next", Some("Iterator"))?
        else {
            return None;
        };
        let syn::ReturnType::Type(_, option) = &sig.output else { return None };
        let option = self.resolve_type_in(option, &env);
        self.types.first_arg(option)
    }

    /// Returns the method that converts an option or a result, or a reference to one, to an
    /// iterator.
    pub(crate) fn option_iterator_method(&self, ty: Ty) -> Option<&'static str> {
        let Type::Adt(item, _) = self.types.get(self.types.pointee(ty)) else { return None };
        let program = self.program();
        let is_known = ["Option", "Result"].iter().any(|of| program.std_item(of) == Some(item));
        is_known.then(|| match self.types.get(ty) {
            Type::Ref { mutable: true, .. } => "iter_mut",
            Type::Ref { .. } => "iter",
            _ => "into_iter",
        })
    }

    /// Returns the function of the `impl IntoIterator` for a type.
    pub(crate) fn find_into_iterator(&mut self, ty: Ty) -> Option<Member<'a>> {
        match self.types.get(self.types.pointee(ty)) {
            Type::Adt(..) => self.find_operator_impl("IntoIterator", "into_iter", ty, None),
            _ => None,
        }
    }

    /// Converts a value with `#[device] impl Iterator` to the receiver of an iterator method: the
    /// value, or its remaining items by reference. Returns the value if it is no iterator or the
    /// method is none of iterators.
    pub(crate) fn try_user_iterator(
        &mut self,
        value: Expr,
        name: &str,
        at: SpanRange,
    ) -> Result<Expr, Expr> {
        if !takes_iterator(name) && !keeps_rest(name) && name != "by_ref" {
            return Err(value);
        }
        let Some(item) = self.user_iterator_item(value.ty) else { return Err(value) };
        if value.is_place() && !takes_iterator(name) {
            return Ok(self.make_by_ref(value, item, at));
        }
        Ok(self.make_iterator(IterKind::UserDefined, item, vec![value], at))
    }

    /// Converts an iterator, or a `&mut` of one, to the receiver of an iterator method that takes
    /// `self` by value. Returns it as it is if the method is none of these or an own method of the
    /// type comes first: one that takes `self` as the receiver is, without another reference.
    pub(crate) fn try_consumed_iterator(
        &mut self,
        value: Expr,
        name: &str,
        at: SpanRange,
    ) -> Result<Expr, Expr> {
        if !takes_iterator(name) {
            return Err(value);
        }
        match self.types.get(value.ty) {
            Type::Ref { mutable: true, to }
                if self.iterator_item(to).is_some()
                    && self.own_receiver_reference(to, name) != Some(Some(true)) =>
            {
                Ok(self.make_into_iter(value, at))
            }
            Type::Adt(..)
                if matches!(self.own_receiver_reference(value.ty, name), Some(Some(_)))
                    && self.user_iterator_item(value.ty).is_some() =>
            {
                Ok(self.make_into_iter(value, at))
            }
            _ => Err(value),
        }
    }

    /// Returns how the method `name` of an `impl` for this type takes `self`: by value, or by a
    /// reference, which may be mutable. `None` if there is no such method.
    fn own_receiver_reference(&mut self, ty: Ty, name: &str) -> Option<Option<bool>> {
        let Type::Adt(..) = self.types.get(ty) else { return None };
        match self.find_member(ty, name, None)?.kind {
            MemberKind::Fn(sig) => match sig.inputs.first()? {
                syn::FnArg::Receiver(receiver) => Some(receiver_reference(receiver)),
                syn::FnArg::Typed(_) => None,
            },
            _ => None,
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
