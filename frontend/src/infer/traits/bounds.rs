//! Bounds of type parameters, and the members that they select.
//!
//! A function is inferred for known types, which have more members than the bounds of its type
//! parameters show. Rust goes by the bounds alone: `x.scale()` with `T: Scale` is the method of
//! `Scale`, even if the type of `T` has another `scale`. Every type parameter therefore has an
//! entry of its own in the table of types, distinct from other entries of the same type.
use crate::{
    hir::GenericArg,
    infer::{
        Infer,
        items::{
            scope::Env,
            signature::{GenericParameter, generic_parameters, number_bound, where_bounds},
        },
    },
    syntax::{error::Reported, span::SpanRange, ungroup::peel},
    types::{Ty, Type, method},
};
use quote::ToTokens as _;
use syn::{ExprMethodCall, Item, ItemImpl, TraitItem, TypeParamBound};

/// The greatest number of supertrait steps from a bound to the trait of a member.
const MAX_SUPERTRAIT_DEPTH: usize = 16;

/// The candidates for a member of a type by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MemberCandidates {
    /// All members of the type.
    Any,
    /// Members of this trait, which a bound names; with its path as written, if only one bound
    /// names it.
    OfTrait(String, Option<syn::Path>),
    /// Members of traits that are not kernel code, and members that every type has.
    OfStd,
}

impl<'a> Infer<'a> {
    /// Returns the candidates for a member of a type, which may be the argument of a type
    /// parameter.
    pub(crate) fn member_candidates(&self, ty: Ty, name: &str, env: &Env) -> MemberCandidates {
        // Library code is generic by shape, so all members of the actual type count.
        if env.home.is_some_and(|home| self.program().is_in_std_lib(home)) {
            return MemberCandidates::Any;
        }
        if is_self_type(self, ty, env)
            && let Some(home) = env.home
            && let Some(Item::Trait(_)) = self.program().item(home)
        {
            let Some(found) = self.find_trait_with(home, name, 0) else {
                return MemberCandidates::OfStd;
            };
            let written = self.trait_own_path(home).filter(|path| path.segments[0].ident == found);
            return MemberCandidates::OfTrait(found, written);
        }
        let Some(bounds) = self.parameter_bounds(ty, env) else { return MemberCandidates::Any };
        let find = |bound: &&TypeParamBound| self.find_in_bound(bound, name, env, 0);
        let Some(found) = bounds.iter().find_map(find) else { return MemberCandidates::OfStd };
        // If several bounds name one trait, the call's arguments select the bound.
        let written = bounds.iter().filter_map(|bound| match bound {
            TypeParamBound::Trait(bound) => Some(&bound.path),
            _ => None,
        });
        let mut written =
            written.filter(|path| self.trait_name(path, env).as_ref() == Some(&found));
        let (first, second) = (written.next(), written.next());
        MemberCandidates::OfTrait(found, first.filter(|_| second.is_none()).cloned())
    }

    /// Returns the path of a trait with its own parameters, as its items may write it.
    fn trait_own_path(&self, item: usize) -> Option<syn::Path> {
        let Some(Item::Trait(defined)) = self.program().item(item) else { return None };
        let (name, (_, params, _)) = (&defined.ident, defined.generics.split_for_impl());
        Some(syn::parse_quote!(#name #params))
    }

    /// Returns the trait of kernel code in a bound that has the method called on a type parameter's
    /// value.
    pub(crate) fn bound_trait(&self, ty: Ty, name: &str) -> Option<String> {
        match self.member_candidates(ty, name, &self.env) {
            MemberCandidates::OfTrait(of_trait, _) => Some(of_trait),
            MemberCandidates::Any | MemberCandidates::OfStd => None,
        }
    }

    /// Reports a method call of an instantiated kernel that means the method of a bound where the
    /// receiver has its parameter's type, but another one for other values of the same type. Such
    /// values cannot be told apart, because the type replaces the parameter before inference.
    pub(crate) fn reject_replaced_bound(
        &mut self,
        receiver: Ty,
        call: &ExprMethodCall,
    ) -> Option<Reported> {
        // A function that is inferred in place of its call has other parameters.
        if self.env.home.is_some() {
            return None;
        }
        for bound in &self.input.kernel?.replaced_bounds {
            let (name, env) = (call.method.to_string(), self.env.clone());
            let Some(of_trait) = self
                .resolve_prefix(&bound.of_trait, &env)
                .and_then(|found| self.find_trait_with(found.item, &name, 0))
            else {
                continue;
            };
            let replaced = self.resolve_type_in(&bound.ty, &env);
            if !self.types.could_unify(replaced, receiver)
                || !self.selects_other_method(receiver, &name, &of_trait)
            {
                continue;
            }
            let ty = bound.ty.to_token_stream().to_string();
            let param = &bound.param;
            return Some(self.errors.advise(
                SpanRange::token(call.method.span()),
                format_args!("`{name}` is a method of `{of_trait}`, a bound of `{param}`, and another one of `{ty}`, the type of `{param}` in an instance"),
                format_args!("name the one that is meant: `{of_trait}::{name}(..)` or `{ty}::{name}(..)`"),
            ));
        }
        None
    }

    /// Returns true if a method call on a value of a type does not select the method of `of_trait`.
    fn selects_other_method(&mut self, ty: Ty, name: &str, of_trait: &str) -> bool {
        if method::find_method(name, self.types.get(ty)).is_some() {
            return true;
        }
        let Some(item) = self.find_member(ty, name, None).map(|member| member.callee.item) else {
            return false;
        };
        let own = Env { args: [].into(), home: Some(item), self_ty: None };
        let selected = match self.program().item(item) {
            Some(Item::Impl(found)) => match &found.trait_ {
                Some((path, _)) => self.trait_name(path, &own),
                None => return true,
            },
            Some(Item::Trait(found)) => Some(found.ident.to_string()),
            _ => None,
        };
        selected.is_some_and(|selected| selected != of_trait)
    }

    /// Returns true if an `impl` can contain the selected member.
    pub(crate) fn is_candidate(
        &self,
        candidates: &MemberCandidates,
        item: usize,
        item_impl: &ItemImpl,
    ) -> bool {
        let own = Env { args: [].into(), home: Some(item), self_ty: None };
        match (candidates, &item_impl.trait_) {
            (MemberCandidates::Any, _) => true,
            // Methods of std traits on std types.
            (MemberCandidates::OfStd, None) => self.program().is_in_std_lib(item),
            (MemberCandidates::OfTrait(..), None) => false,
            (MemberCandidates::OfTrait(name, _), Some((path, _))) => {
                self.trait_name(path, &own).as_ref() == Some(name)
            }
            (MemberCandidates::OfStd, Some((path, _))) => {
                let found = self
                    .resolve_prefix(path, &own)
                    .and_then(|split| self.program().item(split.item));
                blanket_parameter(item_impl).is_some() || !matches!(found, Some(Item::Trait(_)))
            }
        }
    }

    /// Returns true if the bounds of a blanket `impl` hold for a type: `impl<F: Fn(f32) -> f32>
    /// Integrand for F`. Other `impl`s match by shape alone.
    pub(crate) fn meets_bounds(&mut self, item: usize, item_impl: &'a ItemImpl, owner: Ty) -> bool {
        self.meets_bounds_within(item, item_impl, owner, 0)
    }

    fn meets_bounds_within(
        &mut self,
        item: usize,
        item_impl: &'a ItemImpl,
        owner: Ty,
        depth: usize,
    ) -> bool {
        let Some(param) = blanket_parameter(item_impl).filter(|_| depth < MAX_SUPERTRAIT_DEPTH)
        else {
            return true;
        };
        let own = Env { args: [].into(), home: Some(item), self_ty: None };
        let behind = where_bounds(Some(&item_impl.generics), None, &param.ident);
        param.bounds.iter().chain(behind).all(|bound| match bound {
            TypeParamBound::Trait(bound) => self.has_trait(owner, &bound.path, &own, depth),
            _ => true,
        })
    }

    /// Returns true if a type may implement the trait of a bound.
    fn has_trait(&mut self, ty: Ty, path: &syn::Path, env: &Env, depth: usize) -> bool {
        let (kind, wanted) =
            (self.types.get(ty), self.resolve_prefix(path, env).map(|split| split.item));
        if let Type::Unknown(_) | Type::Reported(_) = kind {
            return true;
        }
        if let Some(wanted) = wanted {
            let impls = self.program().impls().to_vec();
            return impls.into_iter().any(|item| self.is_impl_for(item, wanted, ty, depth));
        }
        match path.segments.last().map(|last| last.ident.to_string()).as_deref() {
            Some("Fn" | "FnMut" | "FnOnce") => {
                matches!(kind, Type::Closure(_) | Type::Pointer(_))
            }
            Some("Iterator" | "DoubleEndedIterator" | "ExactSizeIterator") => {
                matches!(kind, Type::Iter(..)) || self.user_iterator_item(ty).is_some()
            }
            Some("Num" | "Int" | "Float") => matches!(kind, Type::Prim(_) | Type::Generic(_)),
            _ => true,
        }
    }

    /// Returns true if an item is an `impl` of this trait for a type.
    fn is_impl_for(&mut self, item: usize, of_trait: usize, owner: Ty, depth: usize) -> bool {
        let Some(Item::Impl(defined)) = self.program().item(item) else { return false };
        let own = Env { args: [].into(), home: Some(item), self_ty: None };
        let split = defined.trait_.as_ref().and_then(|(path, _)| self.resolve_prefix(path, &own));
        split.is_some_and(|split| split.item == of_trait)
            && self
                .instantiate_impl(item)
                .is_some_and(|(_, this)| self.types.could_unify(this, owner))
            && self.meets_bounds_within(item, defined, owner, depth + 1)
    }

    /// Returns the type in the only bound `T: Into<f32>` or `T: From<f32>` of a type parameter.
    pub(crate) fn conversion_bound(&mut self, ty: Ty, of_trait: &str) -> Option<Ty> {
        let env = self.env.clone();
        let mut found = Vec::new();
        for bound in self.parameter_bounds(ty, &env)? {
            self.collect_bound_arguments(bound, of_trait, &env, 0, &mut found);
        }
        match found.as_slice() {
            [(only, env)] => Some(self.resolve_type_in(only, env)),
            _ => None,
        }
    }

    /// Collects the type arguments that a bound and its supertraits give to this trait.
    fn collect_bound_arguments(
        &self,
        bound: &'a TypeParamBound,
        of_trait: &str,
        env: &Env,
        depth: usize,
        found: &mut Vec<(&'a syn::Type, Env)>,
    ) {
        let TypeParamBound::Trait(bound) = bound else { return };
        let Some(last) = bound.path.segments.last() else { return };
        if let syn::PathArguments::AngleBracketed(args) = &last.arguments
            && last.ident == of_trait
            && let Some(syn::GenericArgument::Type(ty)) = args.args.first()
        {
            found.push((ty, env.clone()));
        }
        let item = self.resolve_prefix(&bound.path, env).map(|split| split.item);
        let Some(Item::Trait(defined)) = item.and_then(|item| self.program().item(item)) else {
            return;
        };
        let own = Env { args: [].into(), home: item, self_ty: None };
        for below in defined.supertraits.iter().filter(|_| depth < MAX_SUPERTRAIT_DEPTH) {
            self.collect_bound_arguments(below, of_trait, &own, depth + 1, found);
        }
    }

    /// Returns true if a bound makes the type parameter a number.
    pub(crate) fn is_bound_to_numbers(&self, ty: Ty) -> bool {
        self.parameter_bounds(ty, &self.env).into_iter().flatten().any(|bound| match bound {
            TypeParamBound::Trait(bound) => {
                let name = bound.path.segments.last().map(|last| last.ident.to_string());
                name.is_some_and(|name| number_bound(&name).is_some())
            }
            _ => false,
        })
    }

    /// Returns the bounds of the type parameter that a type stands for; `None` if there is no such
    /// parameter.
    fn parameter_bounds(&self, owner: Ty, env: &Env) -> Option<Vec<&'a TypeParamBound>> {
        let item = env.home.and_then(|home| self.program().item(home));
        let name = match item {
            // `impl<T: Num> Scale for T`
            Some(Item::Impl(item)) if is_self_type(self, owner, env) => match peel(&item.self_ty) {
                syn::Type::Path(path) => path.path.get_ident()?.to_string(),
                _ => return None,
            },
            _ => {
                let is_of = |arg: &GenericArg| match arg {
                    GenericArg::Type(ty) => self.types.is_same_entry(*ty, owner),
                    GenericArg::Const(_) => false,
                };
                env.args.iter().find(|(_, arg)| is_of(arg))?.0.clone()
            }
        };
        let written = self.input.function;
        let (outer, sig) = match item {
            _ if env.home == self.input.home => (written.outer, Some(written.sig)),
            Some(Item::Fn(function)) => (None, Some(&function.sig)),
            Some(Item::Impl(item)) => (Some(&item.generics), None),
            Some(Item::Trait(item)) => (Some(&item.generics), None),
            _ => return None,
        };
        let params = generic_parameters(outer, sig);
        match params.into_iter().find(|param| param.name() == name)? {
            GenericParameter::Type(param) => {
                let behind = where_bounds(outer, sig, &param.ident);
                Some(param.bounds.iter().chain(behind).collect())
            }
            GenericParameter::Impl(_, ty) => Some(ty.bounds.iter().collect()),
            GenericParameter::Const(_) => None,
        }
    }

    fn find_in_bound(
        &self,
        bound: &TypeParamBound,
        name: &str,
        env: &Env,
        depth: usize,
    ) -> Option<String> {
        let TypeParamBound::Trait(bound) = bound else { return None };
        self.find_trait_with(self.resolve_prefix(&bound.path, env)?.item, name, depth)
    }

    /// Returns the name of a trait of kernel code that has a member of this name: the trait itself
    /// or a supertrait.
    fn find_trait_with(&self, item: usize, name: &str, depth: usize) -> Option<String> {
        let Item::Trait(defined) = self.program().item(item)? else { return None };
        let has = defined.items.iter().any(|member| match member {
            TraitItem::Fn(function) => function.sig.ident == name,
            TraitItem::Const(constant) => constant.ident == name,
            TraitItem::Type(ty) => ty.ident == name,
            _ => false,
        });
        if has {
            return Some(defined.ident.to_string());
        }
        let own = Env { args: [].into(), home: Some(item), self_ty: None };
        let mut below = defined.supertraits.iter().filter(|_| depth < MAX_SUPERTRAIT_DEPTH);
        below.find_map(|bound| self.find_in_bound(bound, name, &own, depth + 1))
    }
}

/// Returns the type parameter that a blanket `impl` is for: `impl<T: Num> Scale for T`.
fn blanket_parameter(item_impl: &ItemImpl) -> Option<&syn::TypeParam> {
    let syn::Type::Path(this) = peel(&item_impl.self_ty) else { return None };
    let name = this.path.get_ident()?;
    item_impl.generics.type_params().find(|param| param.ident == *name)
}

/// Returns true if a type is the `Self` of the environment.
fn is_self_type(infer: &Infer<'_>, ty: Ty, env: &Env) -> bool {
    env.self_ty.is_some_and(|this| infer.types.is_same_entry(this, ty))
}

#[cfg(test)]
mod tests {
    use crate::source::lower_source;

    /// A function that is inferred in place of its call, for the type of a literal, calls a method
    /// that a bound of the kernel has, too.
    #[test]
    fn bounds_of_an_instance_are_the_kernels_own() {
        let text = "use warpwise::prelude::*;
            #[device]
            trait Named: Copy {
                fn abs(self) -> Self;
            }
            #[device]
            impl Named for i32 {
                fn abs(self) -> i32 {
                    self + 100
                }
            }
            #[device]
            fn steps<T: Num>(x: i32, _of: T) -> impl Iterator<Item = i32> {
                0..x.abs()
            }
            #[kernel(instances(i32))]
            fn k<T: Named>(x: &mut [T], y: &mut [i32]) {
                x[0] = T::abs(x[0]);
                y[0] = steps(y[0], 2.0).sum();
            }";
        let kernels = lower_source(text).unwrap_or_else(|errors| panic!("{errors:?}"));
        assert!(kernels[0].lowered.is_ok(), "{:?}", kernels[0].lowered.as_ref().err());
    }
}
