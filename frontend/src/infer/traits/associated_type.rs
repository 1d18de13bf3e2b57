//! Associated types: `Self::Item`, `T::Output`, `<T as Trait>::Value`.
//!
//! An `impl` defines them. Several `impl`s of one trait may define a type of the same name, such as
//! `Mul<f32>` and `Mul<Vector>`. `Self::Output` in an `impl` is the type of that `impl`;
//! `T::Output` of a parameter `T` is that of the trait among its bounds.
use crate::{
    hir::{ExprKind, GenericArg},
    infer::{
        Infer,
        items::{
            cycles::Definition,
            scope::{self, Env},
            written_type::{non_lifetime_args, with_only_parameter},
        },
        traits::bounds::MemberCandidates,
    },
    resolve::paths::path_key,
    syntax::span::SpanRange,
    types::{Class, Ty, Type},
};
use syn::{
    GenericArgument, GenericParam, ImplItem, Item, TraitItem, TypeParamBound, WherePredicate,
};

/// A use of an associated type that waits until the type of its owner is known.
pub(crate) struct Projection {
    /// The unknown type to unify with the result.
    ty: Ty,
    owner: Ty,
    name: String,
    of_trait: Option<syn::Path>,
    candidates: MemberCandidates,
    env: Env,
    at: SpanRange,
    /// True if a bound determines the type. A type without any source is then left to rustc.
    is_from_bound: bool,
}

impl<'a> Infer<'a> {
    /// Returns the type `Self::Item` or `T::Item` that owns the function or constant of a path.
    pub(crate) fn resolve_projected_owner(&mut self, path: &syn::Path, env: &Env) -> Option<Ty> {
        let [first, name] = path.segments.iter().collect::<Vec<_>>().try_into().ok()?;
        let (first, name) = (first.ident.to_string(), name.ident.to_string());
        let owner = match scope::find_generic(&env.args, &first) {
            Some((_, GenericArg::Type(ty))) => ty,
            _ if first == "Self" => env.self_ty?,
            _ => return None,
        };
        Some(self.resolve_associated_type(owner, &first, &name, env, SpanRange::path(path)))
    }

    /// Returns the type `Self::Name` or `T::Name`, where `owner` is the type of the first name.
    pub(crate) fn resolve_associated_type(
        &mut self,
        owner: Ty,
        first: &str,
        name: &str,
        env: &Env,
        at: SpanRange,
    ) -> Ty {
        if first == "Self"
            && let Some(ty) = self.own_impl_type(name, env)
        {
            return self.resolve_definition_type(&Definition { value: ty, env, constants: 0, at });
        }
        let of_trait = self
            .traits_of_parameter(first, env)
            .into_iter()
            .find(|of_trait| self.declares_type(of_trait, name, env));
        let candidates =
            self.member_candidates(owner, name, &with_only_parameter(env, first, owner));
        self.associated_type_or_defer(owner, name, of_trait, candidates, env, at)
    }

    /// Returns the type with this name that the surrounding `impl` defines.
    fn own_impl_type(&self, name: &str, env: &Env) -> Option<&'a syn::Type> {
        let Some(Item::Impl(defined)) = env.home.and_then(|home| self.program().item(home)) else {
            return None;
        };
        defined.items.iter().find_map(|member| match member {
            ImplItem::Type(ty) if ty.ident == name => Some(&ty.ty),
            _ => None,
        })
    }

    /// Returns the traits that bound a type parameter of the surrounding item.
    fn traits_of_parameter(&self, param: &str, env: &Env) -> Vec<&'a syn::Path> {
        let mut found: Vec<&'a syn::Generics> = Vec::new();
        match env.home {
            None => found.push(&self.input.function.sig.generics),
            Some(home) => match self.program().item(home) {
                Some(Item::Fn(defined)) => found.push(&defined.sig.generics),
                Some(Item::Impl(defined)) => {
                    found.push(&defined.generics);
                    found.extend(defined.items.iter().filter_map(|member| match member {
                        ImplItem::Fn(method) => Some(&method.sig.generics),
                        _ => None,
                    }));
                }
                Some(Item::Trait(defined)) => {
                    found.push(&defined.generics);
                    found.extend(defined.items.iter().filter_map(|member| match member {
                        TraitItem::Fn(method) => Some(&method.sig.generics),
                        _ => None,
                    }));
                }
                _ => {}
            },
        }
        let of_trait = |bound: &'a TypeParamBound| match bound {
            TypeParamBound::Trait(bound) => Some(&bound.path),
            _ => None,
        };
        let of_param = found.iter().flat_map(|generics| &generics.params);
        let of_param = of_param.filter_map(|of| match of {
            GenericParam::Type(of) if of.ident == param => Some(&of.bounds),
            _ => None,
        });
        let clauses = found.iter().filter_map(|generics| generics.where_clause.as_ref());
        let behind = clauses.flat_map(|clause| &clause.predicates);
        let behind = behind.filter_map(|predicate| match predicate {
            WherePredicate::Type(predicate) => match &predicate.bounded_ty {
                syn::Type::Path(path) if path.path.is_ident(param) => Some(&predicate.bounds),
                _ => None,
            },
            _ => None,
        });
        of_param.chain(behind).flatten().filter_map(of_trait).collect()
    }

    /// Returns true if a trait has a type of this name. Of std's traits, `Deref`, iterators and
    /// operators have one.
    fn declares_type(&self, of_trait: &syn::Path, name: &str, env: &Env) -> bool {
        let found =
            self.resolve_prefix(of_trait, env).and_then(|split| self.program().item(split.item));
        if let Some(Item::Trait(defined)) = found {
            return defined
                .items
                .iter()
                .any(|member| matches!(member, TraitItem::Type(ty) if ty.ident == name));
        }
        let Some(last) = of_trait.segments.last() else { return false };
        let of_std = match last.ident.to_string().as_str() {
            "Deref" => "Target",
            "Iterator" | "IntoIterator" => "Item",
            _ => "Output",
        };
        of_std == name
    }

    /// Returns the associated type of an owner, in the `impl` of one trait if that is known. If the
    /// owner is unknown, as in a call whose arguments decide it, the lookup is deferred.
    pub(crate) fn associated_type_or_defer(
        &mut self,
        owner: Ty,
        name: &str,
        of_trait: Option<&syn::Path>,
        candidates: MemberCandidates,
        env: &Env,
        at: SpanRange,
    ) -> Ty {
        if self.is_decided(owner, of_trait, env) {
            return self.expect_associated_type(owner, name, of_trait, candidates, env, at);
        }
        let ty = self.unknown();
        let (name, of_trait, env) = (name.to_owned(), of_trait.cloned(), env.clone());
        let is_from_bound = false;
        self.projections.push(Projection {
            ty,
            owner,
            name,
            of_trait,
            candidates,
            env,
            at,
            is_from_bound,
        });
        ty
    }

    /// Looks up deferred associated types: those whose owners are known by now, or `all`.
    pub(crate) fn settle_projections(&mut self, all: bool) {
        let mut index = 0;
        while let Some(Projection { owner, of_trait, env, .. }) = self.projections.get(index) {
            let (owner, of_trait, env) = (*owner, of_trait.clone(), env.clone());
            if !all && !self.is_decided(owner, of_trait.as_ref(), &env) {
                index += 1;
                continue;
            }
            let Projection { ty, owner, name, of_trait, candidates, env, at, is_from_bound } =
                self.projections.remove(index);
            let of_trait = of_trait.as_ref();
            let found = if is_from_bound {
                self.find_associated_type(owner, &name, of_trait, &candidates, &env, at)
            } else {
                Some(self.expect_associated_type(owner, &name, of_trait, candidates, &env, at))
            };
            if let Some(found) = found {
                self.unify(at, found, ty);
            }
        }
    }

    /// Returns true if a type and the generic arguments of the trait are known.
    fn is_decided(&mut self, owner: Ty, of_trait: Option<&syn::Path>, env: &Env) -> bool {
        let is_known =
            |this: &Self, ty: Ty| !matches!(this.types.get(ty), Type::Unknown(Class::Any));
        is_known(self, owner)
            && of_trait.is_none_or(|path| {
                self.trait_arguments(path, env).iter().all(|arg| match arg {
                    GenericArg::Type(ty) => is_known(self, *ty),
                    GenericArg::Const(_) => true,
                })
            })
    }

    fn expect_associated_type(
        &mut self,
        owner: Ty,
        name: &str,
        of_trait: Option<&syn::Path>,
        candidates: MemberCandidates,
        env: &Env,
        at: SpanRange,
    ) -> Ty {
        if let Some(found) = self.find_associated_type(owner, name, of_trait, &candidates, env, at)
        {
            return found;
        }
        let shown = self.types.show(owner);
        let reported = self.errors.advise(
            at,
            format_args!("kernel code does not know the type `{name}` of `{shown}`"),
            "mark the `impl` that says it `#[device]`",
        );
        self.types.add(Type::Reported(reported))
    }

    /// Finds the associated type; `None` if there is no definition of it.
    fn find_associated_type(
        &mut self,
        owner: Ty,
        name: &str,
        of_trait: Option<&syn::Path>,
        candidates: &MemberCandidates,
        env: &Env,
        at: SpanRange,
    ) -> Option<Ty> {
        // The user's `impl`s override std's knowledge only where a trait is named; a plain name of
        // a std type needs no `impl`.
        let of_std = self.std_associated_type(owner, name, at);
        if of_std.is_some() && of_trait.is_none() {
            return of_std;
        }
        let of_bound = match candidates {
            MemberCandidates::OfTrait(_, bound) => bound.as_ref(),
            MemberCandidates::Any | MemberCandidates::OfStd => None,
        };
        let of_trait = of_trait.or(of_bound);
        let mut any = None;
        for &item in self.program().impls() {
            let Some(Item::Impl(defined)) = self.program().item(item) else { continue };
            let found = defined.items.iter().find_map(|member| match member {
                ImplItem::Type(ty) if ty.ident == name => Some(&ty.ty),
                _ => None,
            });
            let Some(found) = found else { continue };
            if !self.is_candidate(candidates, item, defined) {
                continue;
            }
            let Some((own, this)) = self.instantiate_impl(item) else { continue };
            if !self.types.could_unify(this, owner) {
                continue;
            }
            if let (Some(wanted), Some((path, _))) = (of_trait, &defined.trait_)
                && !self.is_same_trait((wanted, env), (path, &own), owner)
            {
                any = any.or(Some((found, own, this)));
                continue;
            }
            if self.types.unify(this, owner).is_ok() {
                return Some(self.resolve_definition_type(&Definition {
                    value: found,
                    env: &own,
                    constants: 0,
                    at,
                }));
            }
        }
        // The trait is used under another name than that of its definition.
        if of_std.is_none()
            && let Some((found, own, this)) = any
            && self.types.unify(this, owner).is_ok()
        {
            return Some(self.resolve_definition_type(&Definition {
                value: found,
                env: &own,
                constants: 0,
                at,
            }));
        }
        of_std
    }

    /// Returns an associated type of a std trait that needs no `impl` of kernel code.
    fn std_associated_type(&mut self, owner: Ty, name: &str, at: SpanRange) -> Option<Ty> {
        match (self.types.get(owner), name) {
            // The output of an operator with a number of the same type.
            (Type::Prim(_) | Type::Unknown(Class::Int | Class::Float), "Output") => Some(owner),
            (Type::Ref { to, .. }, "Output") if self.types.as_prim(to).is_some() => Some(to),
            (Type::Ref { to, .. }, "Target") => Some(to),
            (
                Type::Iter(..) | Type::Array(..) | Type::Ref { .. } | Type::Adt(..),
                "Item" | "IntoIter",
            ) if self.is_iterable(owner) => {
                let value = self.make_expr(ExprKind::Reported, owner, at);
                let iterator = self.make_into_iter(value, at).ty;
                let (_, item) = self.as_iterator(iterator)?;
                Some(if name == "Item" { item } else { iterator })
            }
            _ => None,
        }
    }

    /// Returns true for an iterator and for a type that converts into one without an `impl` of
    /// kernel code.
    fn is_iterable(&mut self, ty: Ty) -> bool {
        match self.types.get(ty) {
            Type::Iter(..) | Type::Array(..) => true,
            Type::Adt(..) => self.option_iterator_method(ty).is_some(),
            Type::Ref { mutable, to } => match self.types.get(to) {
                Type::Slice(_) | Type::Array(..) => true,
                Type::Adt(..) if self.option_iterator_method(ty).is_some() => true,
                _ => mutable && self.iterator_item(to).is_some(),
            },
            _ => false,
        }
    }

    /// Unifies the associated type of `owner` with the type that a bound gives it.
    pub(crate) fn unify_associated_type(
        &mut self,
        owner: Ty,
        of_trait: &syn::Path,
        said: &syn::AssocType,
        env: &Env,
        at: SpanRange,
    ) {
        let ty = self.resolve_type_in(&said.ty, env);
        let (name, of_trait) = (said.ident.to_string(), Some(of_trait.clone()));
        let (candidates, env, is_from_bound) = (MemberCandidates::Any, env.clone(), true);
        self.projections.push(Projection {
            ty,
            owner,
            name,
            of_trait,
            candidates,
            env,
            at,
            is_from_bound,
        });
    }

    /// Returns true if a trait with its generic arguments is the trait of an `impl`, and unifies
    /// the arguments. An omitted argument defaults to the type itself, as for operators.
    fn is_same_trait(
        &mut self,
        (wanted, env): (&syn::Path, &Env),
        (path, own): (&syn::Path, &Env),
        owner: Ty,
    ) -> bool {
        if self.trait_name(wanted, env) != self.trait_name(path, own) {
            return false;
        }
        let wanted = self.trait_arguments(wanted, env);
        let given = self.trait_arguments(path, own);
        let count = wanted.len().max(given.len());
        let owner = GenericArg::Type(owner);
        let at = |list: &[GenericArg], index: usize| list.get(index).copied().unwrap_or(owner);
        let pairs: Vec<(GenericArg, GenericArg)> =
            (0..count).map(|index| (at(&wanted, index), at(&given, index))).collect();
        pairs.iter().all(|(a, b)| self.types.could_unify_arg(*a, *b))
            && pairs.iter().all(|(a, b)| self.types.unify_arg(*a, *b).is_ok())
    }

    /// Returns the types and constants written for a trait.
    pub(crate) fn trait_arguments(&mut self, path: &syn::Path, env: &Env) -> Vec<GenericArg> {
        let Some(last) = path.segments.last() else { return Vec::new() };
        let written = non_lifetime_args(&last.arguments);
        if written.is_empty() {
            return Vec::new();
        }
        let item = self.resolve_prefix(path, env).map(|split| split.item);
        let defined = item.and_then(|item| Some((item, self.program().item(item)?)));
        let (item, params) = match defined {
            Some((item, Item::Trait(defined))) => (Some(item), Some(&defined.generics.params)),
            _ => (None, None),
        };
        let own = Env { args: [].into(), home: item, self_ty: None };
        let is_lifetime = |param: &&GenericParam| matches!(param, GenericParam::Lifetime(_));
        let mut params = params.into_iter().flatten().filter(|param| !is_lifetime(param));
        let arguments = written.into_iter().filter_map(|written| {
            let param = params.next();
            match (written, param) {
                (_, Some(param @ GenericParam::Const(_))) => {
                    let slot = GenericArg::Const(self.types.unknown_len());
                    let prim = self.const_param_prim(param, &own);
                    self.unify_generic_arg(written, slot, prim, env);
                    Some(slot)
                }
                (GenericArgument::Type(ty), _) => Some(self.trait_argument(ty, env)),
                _ => None,
            }
        });
        arguments.collect()
    }

    /// Returns a type written for a trait, or a constant parameter by its name.
    fn trait_argument(&mut self, ty: &syn::Type, env: &Env) -> GenericArg {
        if let syn::Type::Path(path) = ty
            && let Some((_, found @ GenericArg::Const(_))) =
                scope::find_generic(&env.args, &path_key(&path.path))
        {
            return found;
        }
        GenericArg::Type(self.resolve_type_in(ty, env))
    }

    /// Infers `<T as Trait>::Name` and `<T>::Name`.
    pub(crate) fn resolve_projection(
        &mut self,
        qself: &syn::QSelf,
        path: &syn::Path,
        env: &Env,
    ) -> Ty {
        let owner = self.resolve_type_in(&qself.ty, env);
        match path.segments.last() {
            Some(last) if qself.position + 1 == path.segments.len() => {
                let name = last.ident.to_string();
                let of_trait = syn::Path {
                    leading_colon: path.leading_colon,
                    segments: path.segments.iter().take(qself.position).cloned().collect(),
                };
                let of_trait = Some(&of_trait).filter(|path| !path.segments.is_empty());
                let candidates = match of_trait {
                    Some(_) => MemberCandidates::Any,
                    None => self.member_candidates(owner, &name, env),
                };
                self.associated_type_or_defer(
                    owner,
                    &name,
                    of_trait,
                    candidates,
                    env,
                    SpanRange::path(path),
                )
            }
            _ => self.unknown(),
        }
    }
}
