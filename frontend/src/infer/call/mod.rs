//! Calls of functions by path.
mod associated;
pub(crate) mod atomic;
mod builtin_call;
pub(crate) mod closure;
mod convert;
pub(crate) mod device_call;
mod function_value;
mod inline;
pub(crate) mod method_call;
mod pointer;
pub(crate) mod reject;

use crate::{
    hir::{Expr, ExprKind, GenericArg, measure::Measure},
    infer::{
        Infer, Obligation,
        call::device_call::ResolvedFunction,
        items::{ResolvedPrefix, path::callee_path, scope::Env},
        traits::member::{CallFacts, Member, MemberKind},
    },
    resolve::{device_set::Callee, paths::is_type_name, source_map},
    syntax::span::SpanRange,
    types::{
        Ty, atomic_from_name, builtin,
        collective::{self, Collective, CollectiveArgs},
        math, method,
    },
};
use syn::{AngleBracketedGenericArguments, ExprCall, Ident, Item, PathArguments};
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
    pub(crate) fn infer_call(&mut self, call: &ExprCall, hint: Option<Ty>) -> Expr {
        let at = SpanRange::expr(&call.func).to(SpanRange::token(call.paren_token.span.close()));
        // 1. A callee that is no plain path: a qualified path, or any other value.
        let Some(func) = callee_path(&call.func) else {
            if let Some(found) = self.resolve_qualified_member(&call.func, &call.args) {
                return self.infer_member_call(found, call, at);
            }
            if let Some(result) = self.infer_qualified_trait_call(&call.func, call, at) {
                return result;
            }
            let callee = self.infer_expr(&call.func, None);
            return self.infer_value_call(callee, call, at);
        };
        let path = &*func;
        // 2. A local variable shadows every item.
        if let Some(ident) = path.get_ident()
            && let Some(var) = self.scope.find(ident)
        {
            let ty = self.vars[var].ty;
            let callee = self.make_expr(ExprKind::Var(var), ty, SpanRange::token(ident.span()));
            return self.infer_value_call(callee, call, at);
        }
        // 3. A device function, which may stand for one of std.
        let env = self.env.clone();
        if let Some(ResolvedPrefix { item, rest, .. }) = self.resolve_prefix(path, &env)
            && rest.is_empty()
            && let Some(Item::Fn(function)) = self.program().item(item)
        {
            let callee = Callee { item, member: None };
            let home = Env { args: [].into(), home: Some(item), self_ty: None };
            let turbofish = Self::turbofish(path);
            let function =
                ResolvedFunction { callee, sig: &function.sig, env: home, expected: hint };
            if let Some(name) = self.program().std_name(item) {
                self.notes.record_std_path(path, name);
            }
            return self.infer_function_call(function, None, turbofish, &call.args, at);
        }
        // 4. A tuple struct or variant.
        if let Some((ty, shape)) = self.resolve_shape(path) {
            return self.infer_shape_call(ty, &shape, &call.args, hint, at);
        }
        let names: Vec<String> =
            path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        // 5. Functions known by their paths alone. The user's own functions above may have their
        // names.
        if let Some(measure) = Measure::from_path(&names) {
            return self.infer_measure(measure, path, call, at);
        }
        if let Some(found) = builtin::find(&names) {
            return self.infer_builtin_call(found, call, path, at);
        }
        if let Some(result) = self.infer_collective_call(&names, path, call, at) {
            return result;
        }
        if let Some(of) = self.resolve_std_function(&names) {
            return self.infer_function_call(of, None, Self::turbofish(path), &call.args, at);
        }
        if let Some(name) = math::function_in_path(&names) {
            self.notes.record_math(path, name);
            return self.infer_by_first_argument(name, method::find_math_function, call, at);
        }
        // 6. Before functions of `impl`s: the target is the expected type, not that of the
        // argument.
        if is_conversion(&names)
            && let Some(result) = self.infer_trait_call(path, None, call, hint, at)
        {
            return result;
        }
        // 7. Functions of `impl`s override what std derives or defines below.
        if let Some(member) = self.resolve_path_member(path, call, hint) {
            return self.infer_member_call((member, Self::turbofish(path).cloned()), call, at);
        }
        // 8. `default` of numbers and derives.
        if let Some(result) = self.infer_default_call(path, call, hint, at) {
            return result;
        }
        let env = self.env.clone();
        let owner = self.path_owner(path, &env).map(|(owner, _)| owner);
        // 9. Functions of std traits without an `impl` of kernel code.
        if let Some(result) = self.infer_trait_call(path, owner, call, hint, at) {
            return result;
        }
        // 10. Associated functions of number types.
        if let Some(result) = self.infer_associated_call(&names, owner, call, at) {
            return result;
        }
        // The arguments of a function of std go with it.
        if !reject::is_std_function(&names) {
            self.infer_discarded(&call.args);
        }
        self.report_no_function(&names, at)
    }

    /// Returns the library function for `std::mem::swap` and the like.
    fn resolve_std_function(&self, names: &[String]) -> Option<ResolvedFunction<'a>> {
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
        let (callee, sig) = self.program().std_function(of, name)?;
        let env = Env { args: [].into(), home: Some(callee.item), self_ty: None };
        Some(ResolvedFunction { callee, sig, env, expected: None })
    }

    /// Infers `warp::reduce` and other collectives of the library.
    fn infer_collective_call(
        &mut self,
        names: &[String],
        path: &syn::Path,
        call: &ExprCall,
        at: SpanRange,
    ) -> Option<Expr> {
        let [.., module, name] = names else { return None };
        let in_prelude = self.is_in_std_lib();
        let found = collective::find(names);
        if found.is_none() && !in_prelude {
            return None;
        }
        let of_trait = collective::library_trait(module, in_prelude)?;
        let (callee, sig) = self.program().std_function(of_trait, name)?;
        let env = Env { args: [].into(), home: Some(callee.item), self_ty: None };
        let function = ResolvedFunction { callee, sig, env, expected: None };
        let result =
            self.infer_function_call(function, None, Self::turbofish(path), &call.args, at);
        if let (Some(found), false) = (found, in_prelude) {
            self.notes.record_collective(path, found);
            self.oblige_collective(found, &result, at);
        }
        Some(result)
    }

    /// Registers the obligation on the values that threads contribute.
    fn oblige_collective(&mut self, found: Collective, result: &Expr, at: SpanRange) {
        let ExprKind::Call(call) = &result.kind else { return };
        let Some(GenericArg::Type(value)) = call.generics.first().copied() else { return };
        match found.takes {
            CollectiveArgs::Nothing | CollectiveArgs::Copied => {}
            CollectiveArgs::Compared => self.oblige(at, Obligation::Compared(value)),
            CollectiveArgs::Sum => self.oblige(at, Obligation::Operator(BinaryOp::Add, value)),
            CollectiveArgs::Number => self.oblige(at, Obligation::Reduced(value, false)),
            CollectiveArgs::Closure => self.oblige_shuffled(value, at),
        }
    }

    /// Infers `T::default()` of numbers and of types that derive it.
    fn infer_default_call(
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
        let ty = if of.ident == "Default" {
            hint.unwrap_or_else(|| self.unknown())
        } else {
            self.path_owner(path, &env)?.0
        };
        Some(self.make_expr(ExprKind::Default, ty, at))
    }

    /// Resolves `Type::function` and `Trait::function`.
    fn resolve_path_member(
        &mut self,
        path: &syn::Path,
        call: &ExprCall,
        hint: Option<Ty>,
    ) -> Option<Member<'a>> {
        let env = self.env.clone();
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        // Inherent functions of numbers override those of traits.
        if let Some((prim, name)) = self.inherent_number_owner(path, &env)
            && method::is_inherent(&name, prim)
        {
            return None;
        }
        if let Some((owner, name)) = self.path_owner(path, &env) {
            let call_facts = CallFacts { args: &args, expected: hint, of_trait: None };
            return self.find_member_for_call(owner, &name, None, call_facts);
        }
        // For a trait, the first argument or the expected type decides the type.
        let name = path.segments.last()?.ident.to_string();
        let mut of_trait = path.clone();
        of_trait.segments.pop();
        of_trait.segments.pop_punct();
        let named = self.trait_name(&of_trait, &env)?;
        let first = call.args.first().map(|first| self.probe_type(first));
        let owner = match first {
            Some(ty) => self.types.pointee(ty),
            None => hint?,
        };
        let call_facts = CallFacts { args: &args, expected: hint, of_trait: Some(&of_trait) };
        self.find_member_for_call(owner, &name, Some(&named), call_facts)
    }

    /// Returns the type of an expression that is inferred again later. Its errors, obligations and
    /// projections are dropped, because the second visit has them again.
    pub(crate) fn probe_type(&mut self, expr: &syn::Expr) -> Ty {
        let mut errors = crate::syntax::error::Errors::default();
        let kept = std::mem::replace(self.errors, std::mem::take(&mut errors));
        let obligations = self.obligations.len();
        let projections = std::mem::take(&mut self.projections);
        let diverges = self.diverges;
        let ty = self.infer_expr(expr, None).ty;
        self.diverges = diverges;
        self.obligations.truncate(obligations);
        self.projections = projections;
        *self.errors = kept;
        ty
    }

    /// Resolves `<T as Trait>::function` and `<T>::function`.
    fn resolve_qualified_member(
        &mut self,
        func: &syn::Expr,
        args: &crate::infer::call::method_call::Args,
    ) -> Option<(Member<'a>, Option<AngleBracketedGenericArguments>)> {
        let syn::Expr::Path(path) = func else { return None };
        let qself = path.qself.as_ref()?;
        let owner = self.resolve_type(&qself.ty);
        let name = path.path.segments.last()?.ident.to_string();
        let named = self.qualifying_trait(path);
        let segments = path.path.segments.iter().take(qself.position).cloned().collect();
        let of_trait = syn::Path { leading_colon: path.path.leading_colon, segments };
        let args: Vec<&syn::Expr> = args.iter().collect();
        let call_facts = CallFacts { args: &args, expected: None, of_trait: Some(&of_trait) };
        let member = self.find_member_for_call(owner, &name, named.as_deref(), call_facts)?;
        Some((member, Self::turbofish(&path.path).cloned()))
    }

    fn infer_member_call(
        &mut self,
        (member, turbofish): (Member<'a>, Option<AngleBracketedGenericArguments>),
        call: &ExprCall,
        at: SpanRange,
    ) -> Expr {
        let MemberKind::Fn(sig) = member.kind else {
            self.infer_discarded(&call.args);
            let reported = self.errors.mistyped(at, "this is a constant, and is called");
            return self.make_reported(reported, at);
        };
        let Member { callee, env, .. } = member;
        let function = ResolvedFunction { callee, sig, env, expected: None };
        self.infer_function_call(function, None, turbofish.as_ref(), &call.args, at)
    }

    pub(crate) fn report_no_function(&mut self, names: &[String], at: SpanRange) -> Expr {
        let name = names.join("::");
        let fact = format!("kernel code cannot call `{name}`");
        let qualifier = names.iter().rev().nth(1);
        let function = names.last().map_or("", String::as_str);
        let blocks = qualifier.and_then(|qualifier| reject::host_blocks(at, function, qualifier));
        if let Some(help) = blocks {
            let reported = self.errors.advise(at, fact, help);
            return self.make_reported(reported, at);
        }
        // A type that the file imports from std.
        let imported = match names {
            [ty, _] if is_type_name(ty) => source_map::imported_std_path(&Ident::new(ty, at.first)),
            _ => None,
        };
        let imported: Option<Vec<String>> =
            imported.map(|path| path.split("::").chain([function]).map(str::to_owned).collect());
        let names = imported.as_deref().unwrap_or(names);
        let help = match names {
            _ if qualifier.is_some_and(|qualifier| atomic_from_name(qualifier).is_some()) => {
                "atomics are in buffers and in shared memory: take a `&[AtomicU32]`, or declare \
                 `shared!([AtomicU32; N])` and `store` to it"
            }
            names if reject::is_std_function(names) => reject::function(names),
            // The `impl` is in another file, or there is no such function.
            _ if qualifier.is_some_and(|qualifier| is_type_name(qualifier)) => {
                let help = "mark its `impl` `#[device]`";
                let reported = self.errors.advise_unless_rustc(at, fact, help);
                return self.make_reported(reported, at);
            }
            _ => "mark the function `#[device]`",
        };
        let reported = self.errors.advise(at, fact, help);
        self.make_reported(reported, at)
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
