//! Functions and constants of types by name: selection of the `impl`.
use crate::{
    infer::{
        Infer,
        items::{ResolvedPrefix, scope::Env, written_type::OmittedArgs},
        traits::{bounds::MemberCandidates, trait_call::is_operator_function},
    },
    resolve::device_set::Callee,
    syntax::span::SpanRange,
    types::Ty,
};
use syn::{ImplItem, Item, Signature, TraitItem};
use warpwise_compiler::ir::Scalar;

/// A function or constant of a type.
#[derive(Clone)]
pub(crate) struct Member<'a> {
    /// The item and its index in the item.
    pub(crate) callee: Callee,
    /// The environment of the definition.
    pub(crate) env: Env,
    /// The kind.
    pub(crate) kind: MemberKind<'a>,
}

/// The kind of a member.
#[derive(Clone, Copy)]
pub(crate) enum MemberKind<'a> {
    /// A function.
    Fn(&'a Signature),
    /// A constant, with its type.
    Const(&'a syn::Expr, &'a syn::Type),
}

/// Facts of a call that select among `impl`s of a generic trait.
#[derive(Clone, Copy, Default)]
pub(crate) struct CallFacts<'e> {
    /// The last arguments; the receiver may be left out.
    pub(crate) args: &'e [&'e syn::Expr],
    /// The expected type of the call.
    pub(crate) expected: Option<Ty>,
    /// The trait as written.
    pub(crate) of_trait: Option<&'e syn::Path>,
}

/// A candidate member.
struct MemberCandidate<'a> {
    callee: Callee,
    home: Option<usize>,
    kind: MemberKind<'a>,
    env: Env,
    self_ty: Ty,
}

impl<'a> Infer<'a> {
    /// Returns the function or constant of a type with this name: an inherent one, or that of a
    /// trait.
    pub(crate) fn find_member(
        &mut self,
        owner: Ty,
        name: &str,
        of_trait: Option<&str>,
    ) -> Option<Member<'a>> {
        self.find_member_for_call(owner, name, of_trait, CallFacts::default())
    }

    /// As [`Self::find_member`]; among several `impl`s of a generic trait, `call_facts` selects the
    /// one that fits the call.
    pub(crate) fn find_member_for_call(
        &mut self,
        owner: Ty,
        name: &str,
        of_trait: Option<&str>,
        call_facts: CallFacts<'_>,
    ) -> Option<Member<'a>> {
        let candidates = if of_trait.is_none() {
            self.member_candidates(owner, name, &self.env)
        } else {
            MemberCandidates::Any
        };
        let of_bound = match &candidates {
            MemberCandidates::OfTrait(_, bound) => bound.clone(),
            MemberCandidates::Any | MemberCandidates::OfStd => None,
        };
        let written = call_facts.of_trait.or(of_bound.as_ref());
        // The order is Rust's: inherent functions first (of numbers, then of `impl`s), traits after
        // them.
        let may_be_its_own =
            of_trait.is_none() && !matches!(candidates, MemberCandidates::OfTrait(..));
        if may_be_its_own && let Some(of_number) = self.number_member(owner, name) {
            return Some(of_number);
        }
        // What is between numbers is built in, whatever `impl From<..> for u64` the user has.
        if self.is_between_numbers(owner, name, call_facts.args) {
            return None;
        }
        let mut of_traits = Vec::new();
        for item in self.program().impls_with_member(name) {
            let Some(Item::Impl(defined)) = self.program().item(item) else { continue };
            let traits = defined.trait_.as_ref().map(|(path, _)| path);
            let own = Env { args: [].into(), home: Some(item), self_ty: None };
            let named = traits.and_then(|path| self.trait_name(path, &own));
            if of_trait.is_some_and(|wanted| named.is_none_or(|named| named != wanted))
                || !self.is_candidate(&candidates, item, defined)
            {
                continue;
            }
            let Some((callee, home, kind)) = self.find_in_impl(item, traits, name) else {
                continue;
            };
            let Some((env, this)) = self.instantiate_impl(item) else { continue };
            if !self.types.could_unify(this, owner)
                || !self.meets_bounds(item, defined, owner)
                || !self.fits_trait_args(written, traits, &env)
            {
                continue;
            }
            let found = MemberCandidate { callee, home, kind, env, self_ty: this };
            if traits.is_none() {
                return self.make_member(found, owner, item);
            }
            of_traits.push((found, item));
        }
        // The built-in operators of a number may take these arguments, even if no `impl` does.
        let is_number = self.types.as_prim(owner).is_some() && is_operator_function(name);
        let fitting = match of_traits.len() {
            0 => return None,
            1 if !is_number => 0,
            _ if is_number => self.select_candidate(&of_traits, call_facts)?,
            _ => self.select_candidate(&of_traits, call_facts).unwrap_or(0),
        };
        let (found, item) = of_traits.swap_remove(fitting);
        self.unify_trait_args(written, item, &found.env);
        self.make_member(found, owner, item)
    }

    /// Returns true for a conversion between numbers or a comparison of two, which are built in.
    fn is_between_numbers(&mut self, owner: Ty, name: &str, args: &[&syn::Expr]) -> bool {
        let (
            "from" | "try_from" | "eq" | "ne" | "partial_cmp" | "lt" | "le" | "gt" | "ge",
            &[other],
        ) = (name, args)
        else {
            return false;
        };
        if self.types.as_prim(owner).is_none() {
            return false;
        }
        let other = self.probe_type(other);
        self.types.is_number_like(self.types.pointee(other))
    }

    /// Returns true if the written arguments of a trait can be those of an `impl`:
    /// `Convert::<f32>`.
    fn fits_trait_args(
        &mut self,
        written: Option<&syn::Path>,
        of_trait: Option<&syn::Path>,
        env: &Env,
    ) -> bool {
        let (Some(written), Some(of_trait)) = (written, of_trait) else { return true };
        let here = self.env.clone();
        let written = self.trait_arguments(written, &here);
        let given = self.trait_arguments(of_trait, env);
        written
            .iter()
            .zip(given)
            .all(|(written, given)| self.types.could_unify_arg(*written, given))
    }

    /// Unifies the arguments of the trait of an `impl` with the written ones.
    fn unify_trait_args(&mut self, written: Option<&syn::Path>, item: usize, env: &Env) {
        let Some(Item::Impl(defined)) = self.program().item(item) else { return };
        let (Some(written), Some((of_trait, _))) = (written, &defined.trait_) else { return };
        let here = self.env.clone();
        let written = self.trait_arguments(written, &here);
        for (written, given) in written.into_iter().zip(self.trait_arguments(of_trait, env)) {
            // They unify, or another `impl` would have been selected.
            let _ = self.types.unify_arg(written, given);
        }
    }

    /// Returns the index of the candidate that takes the arguments of a call and returns the
    /// expected type, if there is one.
    fn select_candidate(
        &mut self,
        found: &[(MemberCandidate<'a>, usize)],
        call_facts: CallFacts<'_>,
    ) -> Option<usize> {
        let is_closure = |arg: &&&syn::Expr| matches!(arg, syn::Expr::Closure(_));
        if call_facts.args.iter().any(|arg| is_closure(&arg)) {
            return Some(0);
        }
        let gives = |this: &mut Self, (found, item): &(MemberCandidate<'a>, usize)| {
            let (Some(wanted), MemberKind::Fn(sig)) = (call_facts.expected, found.kind) else {
                return true;
            };
            match &sig.output {
                syn::ReturnType::Type(_, ty) if found.home == Some(*item) => {
                    let given = this.resolve_type_in(ty, &found.env);
                    this.types.could_unify(given, wanted)
                }
                _ => true,
            }
        };
        let types: Vec<Ty> = call_facts.args.iter().map(|arg| self.probe_type(arg)).collect();
        let takes = |this: &mut Self, found: &MemberCandidate<'a>| {
            let MemberKind::Fn(sig) = found.kind else { return true };
            // The types of its own generic parameters are only known in the call.
            if !sig.generics.params.is_empty() || sig.inputs.len() < types.len() {
                return !sig.generics.params.is_empty();
            }
            let params = sig.inputs.iter().skip(sig.inputs.len() - types.len());
            params.zip(&types).all(|(param, &ty)| match param {
                syn::FnArg::Typed(param) => {
                    let param = this.resolve_type_in(&param.ty, &found.env);
                    this.types.could_unify(param, ty)
                }
                syn::FnArg::Receiver(_) => true,
            })
        };
        let fits = |this: &mut Self, of: &(MemberCandidate<'a>, usize)| takes(this, &of.0);
        found
            .iter()
            .position(|of| fits(self, of) && gives(self, of))
            .or_else(|| found.iter().position(|of| fits(self, of)))
    }

    /// Returns the library's function for numbers of this kind.
    fn number_member(&self, owner: Ty, name: &str) -> Option<Member<'a>> {
        let scalar = self.types.as_prim(owner)?.scalar();
        let kinds = [
            // A shorter implementation for one size overrides the general one.
            ("Word", scalar == Scalar::U32),
            ("DoubleWord", scalar == Scalar::U64),
            ("Int", scalar.is_int()),
            ("Signed", scalar.is_signed()),
            ("Unsigned", scalar.is_unsigned()),
            ("Wide", scalar.is_float() && scalar.half().is_none()),
        ];
        let mut kinds = kinds.into_iter().filter(|(_, of)| *of);
        let (callee, sig) =
            kinds.find_map(|(of_trait, _)| self.program().std_function(of_trait, name))?;
        let env = Env { args: [].into(), home: Some(callee.item), self_ty: Some(owner) };
        Some(Member { callee, env, kind: MemberKind::Fn(sig) })
    }

    fn make_member(
        &mut self,
        found: MemberCandidate<'a>,
        owner: Ty,
        item: usize,
    ) -> Option<Member<'a>> {
        let MemberCandidate { callee, home, kind, env, self_ty: this } = found;
        self.types.unify(this, owner).ok()?;
        if home == Some(item) {
            return Some(Member { callee, env, kind });
        }
        // A default of the trait: the `impl` gives the trait's generic arguments.
        let env = self.trait_env(item, home?, &env, owner)?;
        Some(Member { callee, env, kind })
    }

    /// Returns the environment of a trait's own items for the `impl` that is `item`.
    fn trait_env(&mut self, item: usize, home: usize, env: &Env, owner: Ty) -> Option<Env> {
        let (Some(Item::Impl(implementation)), Some(Item::Trait(defined))) =
            (self.program().item(item), self.program().item(home))
        else {
            return None;
        };
        let (path, _) = implementation.trait_.as_ref()?;
        let written = match &path.segments.last()?.arguments {
            syn::PathArguments::AngleBracketed(args) => Some(args),
            syn::PathArguments::None | syn::PathArguments::Parenthesized(_) => None,
        };
        let own = Env { args: [].into(), home: Some(home), self_ty: Some(owner) };
        let omitted = OmittedArgs::Defaults(SpanRange::path(path));
        let args = self.resolve_generic_args(&defined.generics, written, env, &own, omitted);
        Some(Env { args: args.into(), ..own })
    }

    /// Returns the member of an `impl` with this name, or its trait's default; with the item that
    /// defines it.
    fn find_in_impl(
        &self,
        item: usize,
        of_trait: Option<&'a syn::Path>,
        name: &str,
    ) -> Option<(Callee, Option<usize>, MemberKind<'a>)> {
        let Some(Item::Impl(defined)) = self.program().item(item) else { return None };
        for (index, member) in defined.items.iter().enumerate() {
            let callee = Callee { item, member: Some(index) };
            match member {
                ImplItem::Fn(method) if method.sig.ident == name => {
                    return Some((callee, Some(item), MemberKind::Fn(&method.sig)));
                }
                ImplItem::Const(constant) if constant.ident == name => {
                    let kind = MemberKind::Const(&constant.expr, &constant.ty);
                    return Some((callee, Some(item), kind));
                }
                _ => {}
            }
        }
        let env = Env { args: [].into(), home: Some(item), self_ty: None };
        let ResolvedPrefix { item: trait_item, .. } = self.resolve_prefix(of_trait?, &env)?;
        let Some(Item::Trait(defined)) = self.program().item(trait_item) else { return None };
        for (index, member) in defined.items.iter().enumerate() {
            let callee = Callee { item: trait_item, member: Some(index) };
            match member {
                TraitItem::Fn(method) if method.sig.ident == name && method.default.is_some() => {
                    return Some((callee, Some(trait_item), MemberKind::Fn(&method.sig)));
                }
                TraitItem::Const(constant) if constant.ident == name => {
                    let (_, default) = constant.default.as_ref()?;
                    let kind = MemberKind::Const(default, &constant.ty);
                    return Some((callee, Some(trait_item), kind));
                }
                _ => {}
            }
        }
        None
    }
}
