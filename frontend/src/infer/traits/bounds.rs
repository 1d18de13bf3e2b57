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
            signature::{Parameter, bounds_behind, number_bound, parameters, peel},
        },
    },
    types::{Ty, Type},
};
use syn::{Item, ItemImpl, TraitItem, TypeParamBound};

/// The greatest number of supertrait steps from a bound to the trait of a member.
const MOST_SUPERTRAITS: usize = 16;

/// The candidates for a member of a type by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meant {
    /// All members of the type.
    Any,
    /// Members of this trait, which a bound names; with its path as written, if only one bound
    /// names it.
    Of(String, Option<syn::Path>),
    /// Members of traits that are not kernel code, and members that every type has.
    OfStd,
}

impl<'a> Infer<'a> {
    /// Returns the candidates for a member of a type, which may be the argument of a type
    /// parameter.
    pub(crate) fn meant(&self, of: Ty, name: &str, env: &Env) -> Meant {
        // Library code is generic by shape, so all members of the actual type count.
        if env.home.is_some_and(|home| self.program().is_prelude(home)) {
            return Meant::Any;
        }
        if is_self(self, of, env)
            && let Some(home) = env.home
            && let Some(Item::Trait(_)) = self.program().item(home)
        {
            let Some(found) = self.trait_with(home, name, 0) else { return Meant::OfStd };
            let written = self.own_path(home).filter(|path| path.segments[0].ident == found);
            return Meant::Of(found, written);
        }
        let Some(bounds) = self.bounds_of(of, env) else { return Meant::Any };
        let find = |bound: &&TypeParamBound| self.bound_with(bound, name, env, 0);
        let Some(found) = bounds.iter().find_map(find) else { return Meant::OfStd };
        // If several bounds name one trait, the call's arguments select the bound.
        let written = bounds.iter().filter_map(|bound| match bound {
            TypeParamBound::Trait(bound) => Some(&bound.path),
            _ => None,
        });
        let mut written =
            written.filter(|path| self.trait_name(path, env).as_ref() == Some(&found));
        let (first, second) = (written.next(), written.next());
        Meant::Of(found, first.filter(|_| second.is_none()).cloned())
    }

    /// Returns the path of a trait with its own parameters, as its items may write it.
    fn own_path(&self, item: usize) -> Option<syn::Path> {
        let Some(Item::Trait(defined)) = self.program().item(item) else { return None };
        let (name, (_, params, _)) = (&defined.ident, defined.generics.split_for_impl());
        Some(syn::parse_quote!(#name #params))
    }

    /// Returns the trait of kernel code in a bound that has the method called on a type parameter's
    /// value.
    pub(crate) fn meant_trait(&self, of: Ty, name: &str) -> Option<String> {
        match self.meant(of, name, &self.env) {
            Meant::Of(of_trait, _) => Some(of_trait),
            Meant::Any | Meant::OfStd => None,
        }
    }

    /// Returns true if an `impl` can contain the selected member.
    pub(crate) fn is_meant(&self, meant: &Meant, item: usize, of: &ItemImpl) -> bool {
        let own = Env { args: [].into(), home: Some(item), this: None };
        match (meant, &of.trait_) {
            (Meant::Any, _) => true,
            // Methods of std traits on std types.
            (Meant::OfStd, None) => self.program().is_prelude(item),
            (Meant::Of(..), None) => false,
            (Meant::Of(name, _), Some((path, _))) => {
                self.trait_name(path, &own).as_ref() == Some(name)
            }
            (Meant::OfStd, Some((path, _))) => {
                let found =
                    self.split(path, &own).and_then(|split| self.program().item(split.item));
                for_all(of).is_some() || !matches!(found, Some(Item::Trait(_)))
            }
        }
    }

    /// Returns true if the bounds of a blanket `impl` hold for a type: `impl<F: Fn(f32) -> f32>
    /// Integrand for F`. Other `impl`s match by shape alone.
    pub(crate) fn is_bound(&mut self, item: usize, of: &'a ItemImpl, owner: Ty) -> bool {
        self.is_bound_within(item, of, owner, 0)
    }

    fn is_bound_within(&mut self, item: usize, of: &'a ItemImpl, owner: Ty, depth: usize) -> bool {
        let Some(param) = for_all(of).filter(|_| depth < MOST_SUPERTRAITS) else { return true };
        let own = Env { args: [].into(), home: Some(item), this: None };
        let behind = bounds_behind(Some(&of.generics), None, &param.ident);
        param.bounds.iter().chain(behind).all(|bound| match bound {
            TypeParamBound::Trait(bound) => self.has_trait(owner, &bound.path, &own, depth),
            _ => true,
        })
    }

    /// Returns true if a type may implement the trait of a bound.
    fn has_trait(&mut self, of: Ty, path: &syn::Path, env: &Env, depth: usize) -> bool {
        let (kind, wanted) = (self.types.get(of), self.split(path, env).map(|split| split.item));
        if let Type::Unknown(_) | Type::Reported(_) = kind {
            return true;
        }
        if let Some(wanted) = wanted {
            let impls = self.program().impls().to_vec();
            return impls.into_iter().any(|item| self.is_impl(item, wanted, of, depth));
        }
        match path.segments.last().map(|last| last.ident.to_string()).as_deref() {
            Some("Fn" | "FnMut" | "FnOnce") => {
                matches!(kind, Type::Closure(_) | Type::Pointer(_))
            }
            Some("Iterator" | "DoubleEndedIterator" | "ExactSizeIterator") => {
                matches!(kind, Type::Iter(..)) || self.written_item(of).is_some()
            }
            Some("Num" | "Int" | "Float") => matches!(kind, Type::Prim(_) | Type::Generic(_)),
            _ => true,
        }
    }

    /// Returns true if an item is an `impl` of this trait for a type.
    fn is_impl(&mut self, item: usize, of_trait: usize, owner: Ty, depth: usize) -> bool {
        let Some(Item::Impl(of)) = self.program().item(item) else { return false };
        let own = Env { args: [].into(), home: Some(item), this: None };
        let split = of.trait_.as_ref().and_then(|(path, _)| self.split(path, &own));
        split.is_some_and(|split| split.item == of_trait)
            && self
                .implementation(item)
                .is_some_and(|(_, this)| self.types.could_unify(this, owner))
            && self.is_bound_within(item, of, owner, depth + 1)
    }

    /// Returns the type in the only bound `T: Into<f32>` or `T: From<f32>` of a type parameter.
    pub(crate) fn made_by_bound(&mut self, of: Ty, of_trait: &str) -> Option<Ty> {
        let env = self.env.clone();
        let mut found = Vec::new();
        for bound in self.bounds_of(of, &env)? {
            self.arguments_of(bound, of_trait, &env, 0, &mut found);
        }
        match found.as_slice() {
            [(only, env)] => Some(self.type_in(only, env)),
            _ => None,
        }
    }

    /// Collects the type arguments that a bound and its supertraits give to this trait.
    fn arguments_of(
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
        let item = self.split(&bound.path, env).map(|split| split.item);
        let Some(Item::Trait(defined)) = item.and_then(|item| self.program().item(item)) else {
            return;
        };
        let own = Env { args: [].into(), home: item, this: None };
        for below in defined.supertraits.iter().filter(|_| depth < MOST_SUPERTRAITS) {
            self.arguments_of(below, of_trait, &own, depth + 1, found);
        }
    }

    /// Returns true if a bound makes the type parameter a number.
    pub(crate) fn is_number(&self, of: Ty) -> bool {
        self.bounds_of(of, &self.env).into_iter().flatten().any(|bound| match bound {
            TypeParamBound::Trait(bound) => {
                let name = bound.path.segments.last().map(|last| last.ident.to_string());
                name.is_some_and(|name| number_bound(&name).is_some())
            }
            _ => false,
        })
    }

    /// Returns the bounds of the type parameter that a type stands for; `None` if there is no such
    /// parameter.
    fn bounds_of(&self, of: Ty, env: &Env) -> Option<Vec<&'a TypeParamBound>> {
        let item = env.home.and_then(|home| self.program().item(home));
        let name = match item {
            // `impl<T: Num> Scale for T`
            Some(Item::Impl(item)) if is_self(self, of, env) => match peel(&item.self_ty) {
                syn::Type::Path(path) => path.path.get_ident()?.to_string(),
                _ => return None,
            },
            _ => {
                let is_of = |arg: &GenericArg| match arg {
                    GenericArg::Type(ty) => self.types.same(*ty, of),
                    GenericArg::Const(_) => false,
                };
                env.args.iter().find(|(_, arg)| is_of(arg))?.0.clone()
            }
        };
        let written = self.context.written;
        let (outer, sig) = match item {
            _ if env.home == self.context.home => (written.outer, Some(written.sig)),
            Some(Item::Fn(function)) => (None, Some(&function.sig)),
            Some(Item::Impl(item)) => (Some(&item.generics), None),
            Some(Item::Trait(item)) => (Some(&item.generics), None),
            _ => return None,
        };
        let params = parameters(outer, sig);
        match params.into_iter().find(|param| param.name() == name)? {
            Parameter::Type(param) => {
                let behind = bounds_behind(outer, sig, &param.ident);
                Some(param.bounds.iter().chain(behind).collect())
            }
            Parameter::Impl(_, ty) => Some(ty.bounds.iter().collect()),
            Parameter::Const(_) => None,
        }
    }

    fn bound_with(
        &self,
        bound: &TypeParamBound,
        name: &str,
        env: &Env,
        depth: usize,
    ) -> Option<String> {
        let TypeParamBound::Trait(bound) = bound else { return None };
        self.trait_with(self.split(&bound.path, env)?.item, name, depth)
    }

    /// Returns the name of a trait of kernel code that has a member of this name: the trait itself
    /// or a supertrait.
    fn trait_with(&self, item: usize, name: &str, depth: usize) -> Option<String> {
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
        let own = Env { args: [].into(), home: Some(item), this: None };
        let mut below = defined.supertraits.iter().filter(|_| depth < MOST_SUPERTRAITS);
        below.find_map(|bound| self.bound_with(bound, name, &own, depth + 1))
    }
}

/// Returns the type parameter that a blanket `impl` is for: `impl<T: Num> Scale for T`.
fn for_all(of: &ItemImpl) -> Option<&syn::TypeParam> {
    let syn::Type::Path(this) = peel(&of.self_ty) else { return None };
    let name = this.path.get_ident()?;
    of.generics.type_params().find(|param| param.ident == *name)
}

/// Returns true if a type is the `Self` of the environment.
fn is_self(infer: &Infer<'_>, of: Ty, env: &Env) -> bool {
    env.this.is_some_and(|this| infer.types.same(this, of))
}
