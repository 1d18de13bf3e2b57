//! Calls of functions by path.
mod associated;
pub(crate) mod atomic;
mod builtin_call;
pub(crate) mod closure;
mod convert;
pub(crate) mod device_call;
mod function_value;
mod in_place;
pub(crate) mod method_call;
mod pointer;
pub(crate) mod reject;

use crate::{
    hir::{Expr, GenericArg, Kind, measure::Measure},
    infer::{
        Infer, Obligation,
        call::device_call::Function,
        items::{Split, path::callee, scope::Env},
        traits::member::{Member, MemberKind, Told},
    },
    resolve::{device_set::Callee, paths::is_type_name},
    syntax::span::SpanRange,
    types::{
        Ty, atomic_named, builtin,
        collective::{self, Collective, Takes},
        math, method,
    },
};
use syn::{AngleBracketedGenericArguments, ExprCall, Item, PathArguments};
use warpwise_compiler::ir::BinaryOp;

impl<'a> Infer<'a> {
    /// Infers a call.
    ///
    /// The steps below are the name resolution order of the language: the first that knows the path
    /// wins.
    ///
    /// 1. Callees that are no plain path: `<T as Trait>::name`, else any value.
    /// 2. Local variables: closures and function pointers.
    /// 3. Device functions.
    /// 4. Tuple structs and variants.
    /// 5. `size_of` and `align_of`, built-in functions, collectives of `warp` and `block`,
    ///    functions of std modules, functions of `math`.
    /// 6. `From::from` and `TryFrom::try_from`, whose target is the expected type.
    /// 7. Functions of `impl`s: `Type::function`, `Trait::function`.
    /// 8. `default` of numbers and of types that derive it.
    /// 9. Functions of std traits: `Add::add`, `Clone::clone`.
    /// 10. Associated functions of number types.
    pub(crate) fn call(&mut self, call: &ExprCall, hint: Option<Ty>) -> Expr {
        let at = SpanRange::expr(&call.func).to(SpanRange::token(call.paren_token.span.close()));
        let Some(func) = callee(&call.func) else {
            if let Some(found) = self.qualified(&call.func, &call.args) {
                return self.member_call(found, call, at);
            }
            if let Some(result) = self.by_qualified_trait(&call.func, call, at) {
                return result;
            }
            let callee = self.expr(&call.func, None);
            return self.invoke(callee, call, at);
        };
        let path = &*func;
        if let Some(ident) = path.get_ident()
            && let Some(var) = self.scope.find(ident)
        {
            let ty = self.vars[var].ty;
            let callee = self.make(Kind::Var(var), ty, SpanRange::token(ident.span()));
            return self.invoke(callee, call, at);
        }
        let env = self.env.clone();
        if let Some(Split { item, rest, .. }) = self.split(path, &env)
            && rest.is_empty()
            && let Some(Item::Fn(function)) = self.program().item(item)
        {
            let callee = Callee { item, member: None };
            let home = Env { args: [].into(), home: Some(item), this: None };
            let turbofish = Self::turbofish(path);
            let of = Function { callee, sig: &function.sig, env: home, gives: hint };
            if let Some(name) = self.program().of_std(item) {
                self.notes.of_std(path, name);
            }
            return self.call_function(of, None, turbofish, &call.args, at);
        }
        if let Some((ty, shape)) = self.shape(path) {
            return self.shape_call(ty, &shape, &call.args, hint, at);
        }
        let names: Vec<String> =
            path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if let Some(measure) = Measure::named(&names) {
            return self.measure(measure, path, call, at);
        }
        if let Some(found) = builtin::find(&names) {
            return self.builtin_call(found, call, path, at);
        }
        if let Some(result) = self.collective_call(&names, path, call, at) {
            return result;
        }
        if let Some(of) = self.std_function(&names) {
            return self.call_function(of, None, Self::turbofish(path), &call.args, at);
        }
        if let Some(name) = math::called(&names) {
            self.notes.math(path, name);
            return self.trait_call(name, method::math, call, at);
        }
        if is_conversion(&names)
            && let Some(result) = self.by_trait(path, None, call, hint, at)
        {
            return result;
        }
        if let Some(member) = self.path_member(path, call, hint) {
            return self.member_call((member, Self::turbofish(path).cloned()), call, at);
        }
        if let Some(result) = self.default_call(path, call, hint, at) {
            return result;
        }
        let env = self.env.clone();
        let owner = self.owner(path, &env).map(|(owner, _)| owner);
        if let Some(result) = self.by_trait(path, owner, call, hint, at) {
            return result;
        }
        if let Some(result) = self.associated_call(&names, owner, call, at) {
            return result;
        }
        self.discard(&call.args);
        self.no_function(&names, at)
    }

    /// Returns the library function for `std::mem::swap` and the like.
    fn std_function(&self, names: &[String]) -> Option<Function<'a>> {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (of, name) = match names.as_slice() {
            ["std" | "core", "mem", name] | ["mem", name] => ("Mem", name),
            [name @ ("drop" | "size_of_val" | "align_of_val")] => ("Mem", name),
            ["std" | "core", "convert", name] | ["convert", name] => ("Convert", name),
            ["std" | "core", "hint", name] | ["hint", name] => ("Hint", name),
            ["std" | "core", "cmp", name] | ["cmp", name] => ("Choose", name),
            ["std" | "core", "array", name] | ["array", name] => ("Arrays", name),
            ["std" | "core", "iter", name] | ["iter", name] => ("Iters", name),
            _ => return None,
        };
        let (callee, sig) = self.program().prelude_method(of, name)?;
        let env = Env { args: [].into(), home: Some(callee.item), this: None };
        Some(Function { callee, sig, env, gives: None })
    }

    /// Infers `warp::reduce` and other collectives of the library.
    fn collective_call(
        &mut self,
        names: &[String],
        path: &syn::Path,
        call: &ExprCall,
        at: SpanRange,
    ) -> Option<Expr> {
        let [.., module, name] = names else { return None };
        let in_prelude = self.is_in_prelude();
        let found = collective::find(names);
        if found.is_none() && !in_prelude {
            return None;
        }
        let of_trait = collective::of_trait(module, in_prelude)?;
        let (callee, sig) = self.program().prelude_method(of_trait, name)?;
        let env = Env { args: [].into(), home: Some(callee.item), this: None };
        let of = Function { callee, sig, env, gives: None };
        let result = self.call_function(of, None, Self::turbofish(path), &call.args, at);
        if let (Some(found), false) = (found, in_prelude) {
            self.notes.collective(path, found);
            self.oblige_collective(found, &result, at);
        }
        Some(result)
    }

    /// Registers the obligation on the values that threads contribute.
    fn oblige_collective(&mut self, found: Collective, result: &Expr, at: SpanRange) {
        let Kind::Call(call) = &result.kind else { return };
        let Some(GenericArg::Type(value)) = call.generics.first().copied() else { return };
        match found.takes {
            Takes::Nothing => {}
            Takes::Compared => self.oblige(at, Obligation::Compared(value)),
            Takes::Sum => self.oblige(at, Obligation::Operator(BinaryOp::Add, value)),
            Takes::Number => self.oblige(at, Obligation::Reduced(value, false)),
            Takes::Closure => self.shuffled(value, at),
        }
    }

    /// Infers `T::default()` of numbers and of types that derive it.
    fn default_call(
        &mut self,
        path: &syn::Path,
        call: &ExprCall,
        hint: Option<Ty>,
        at: SpanRange,
    ) -> Option<Expr> {
        let (last, of) = (path.segments.last()?, path.segments.iter().rev().nth(1)?);
        if last.ident != "default" || !call.args.is_empty() {
            return None;
        }
        let env = self.env.clone();
        let ty = match of.ident == "Default" {
            true => hint.unwrap_or_else(|| self.unknown()),
            false => self.owner(path, &env)?.0,
        };
        Some(self.make(Kind::Default, ty, at))
    }

    /// Resolves `Type::function` and `Trait::function`.
    fn path_member(
        &mut self,
        path: &syn::Path,
        call: &ExprCall,
        hint: Option<Ty>,
    ) -> Option<Member<'a>> {
        let env = self.env.clone();
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        // Inherent functions of numbers override those of traits.
        if let Some((prim, name)) = self.number_named(path, &env)
            && method::is_inherent(&name, prim)
        {
            return None;
        }
        if let Some((owner, name)) = self.owner(path, &env) {
            let told = Told { args: &args, gives: hint, of_trait: None };
            return self.member_told(owner, &name, None, told);
        }
        // For a trait, the first argument or the expected type decides the type.
        let name = path.segments.last()?.ident.to_string();
        let mut of_trait = path.clone();
        of_trait.segments.pop();
        of_trait.segments.pop_punct();
        let named = self.trait_name(&of_trait, &env)?;
        let first = call.args.first().map(|first| self.probe(first));
        let owner = match first {
            Some(ty) => self.types.pointee(ty),
            None => hint?,
        };
        let told = Told { args: &args, gives: hint, of_trait: Some(&of_trait) };
        self.member_told(owner, &name, Some(&named), told)
    }

    /// Returns the type of an expression that is inferred again later. Its errors, obligations and
    /// projections are dropped, because the second visit has them again.
    pub(crate) fn probe(&mut self, expr: &syn::Expr) -> Ty {
        let mut errors = crate::syntax::error::Errors::default();
        let kept = std::mem::replace(self.errors, std::mem::take(&mut errors));
        let obligations = self.obligations.len();
        let projections = std::mem::take(&mut self.projections);
        let diverges = self.diverges;
        let ty = self.expr(expr, None).ty;
        self.diverges = diverges;
        self.obligations.truncate(obligations);
        self.projections = projections;
        *self.errors = kept;
        ty
    }

    /// Resolves `<T as Trait>::function` and `<T>::function`.
    fn qualified(
        &mut self,
        func: &syn::Expr,
        args: &crate::infer::call::method_call::Args,
    ) -> Option<(Member<'a>, Option<AngleBracketedGenericArguments>)> {
        let syn::Expr::Path(path) = func else { return None };
        let qself = path.qself.as_ref()?;
        let owner = self.ty(&qself.ty);
        let name = path.path.segments.last()?.ident.to_string();
        let named = self.qualifying_trait(path);
        let segments = path.path.segments.iter().take(qself.position).cloned().collect();
        let of_trait = syn::Path { leading_colon: path.path.leading_colon, segments };
        let args: Vec<&syn::Expr> = args.iter().collect();
        let told = Told { args: &args, gives: None, of_trait: Some(&of_trait) };
        let member = self.member_told(owner, &name, named.as_deref(), told)?;
        Some((member, Self::turbofish(&path.path).cloned()))
    }

    fn member_call(
        &mut self,
        (member, turbofish): (Member<'a>, Option<AngleBracketedGenericArguments>),
        call: &ExprCall,
        at: SpanRange,
    ) -> Expr {
        let MemberKind::Fn(sig) = member.kind else {
            self.discard(&call.args);
            let reported = self.errors.mistyped(at, "this is a constant, and is called");
            return self.reported(reported, at);
        };
        let Member { callee, env, .. } = member;
        let of = Function { callee, sig, env, gives: None };
        self.call_function(of, None, turbofish.as_ref(), &call.args, at)
    }

    pub(crate) fn no_function(&mut self, names: &[String], at: SpanRange) -> Expr {
        let name = names.join("::");
        let fact = format!("kernel code cannot call `{name}`");
        let of = names.iter().rev().nth(1);
        let help = match names.first().map(String::as_str) {
            Some("std" | "core" | "alloc") => reject::function(names),
            _ if of.is_some_and(|of| reject::is_heap(of)) => reject::function(names),
            _ if of.is_some_and(|of| atomic_named(of).is_some()) => {
                "atomics are in buffers and in shared memory: take a `&[AtomicU32]`, or declare \
                 `shared!([AtomicU32; N])` and `store` to it"
            }
            _ if of.is_some_and(|of| is_type_name(of)) => "mark its `impl` `#[device]`",
            _ => "mark the function `#[device]`",
        };
        let reported = self.errors.advise(at, fact, help);
        self.reported(reported, at)
    }

    pub(crate) fn turbofish(path: &syn::Path) -> Option<&AngleBracketedGenericArguments> {
        match &path.segments.last()?.arguments {
            PathArguments::AngleBracketed(args) => Some(args),
            PathArguments::None | PathArguments::Parenthesized(_) => None,
        }
    }
}

/// Returns true for `From::from` and `TryFrom::try_from`, which convert to the expected type.
fn is_conversion(names: &[String]) -> bool {
    let last: Vec<&str> = names.iter().rev().take(2).map(String::as_str).collect();
    matches!(last.as_slice(), ["from", "From"] | ["try_from", "TryFrom"])
}
