//! Calls of functions by their path.
use super::{
    super::{
        builtin::{self, Builtin, Found},
        collective::{self, Collective, Takes},
        library,
        method::{self, Method, Spec},
        paths::is_type_name,
        program::{Callee, Given},
        span::SpanRange,
        tree::{Call, Expr, GenericArg, Kind},
        types::{Class, Prim, Ty, Type},
    },
    Infer, Obligation,
    closure::Callable,
    items::{Member, MemberKind, Split},
    path::callee,
    reject,
    scope::{self, Env},
    signature::{Parameter, by_reference, parameters, peel},
    size::Measure,
};
use syn::{
    AngleBracketedGenericArguments, ExprCall, FnArg, GenericArgument, Item, PathArguments,
    ReturnType, Signature,
};
use warpwise_compiler::ir::{BinaryOp, ReduceOp};

/// A device function, and what the parameters of its `impl` are.
pub(super) struct Function<'a> {
    pub(super) callee: Callee,
    pub(super) sig: &'a Signature,
    pub(super) env: Env,
}

impl<'a> Infer<'a> {
    pub(super) fn call(&mut self, call: &ExprCall, hint: Option<Ty>) -> Expr {
        let at = SpanRange::expr(&call.func).to(SpanRange::token(call.paren_token.span.close()));
        let Some(func) = callee(&call.func) else {
            if let Some(found) = self.qualified(&call.func, &call.args) {
                return self.member_call(found, call, at);
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
            let of = Function { callee, sig: &function.sig, env: home };
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
        if let Some(name) = library::called(&names) {
            self.notes.math(path, name);
            return self.trait_call(name, method::math, call, at);
        }
        if let Some(member) = self.path_member(path, call, hint) {
            return self.member_call((member, Self::turbofish(path).cloned()), call, at);
        }
        if let Some(result) = self.default_call(path, call, hint, at) {
            return result;
        }
        if let Some(result) = self.associated_call(&names, call, at) {
            return result;
        }
        self.discard(&call.args);
        self.no_function(&names, at)
    }

    /// `std::mem::swap` and the like, which the prelude has.
    fn std_function(&self, names: &[String]) -> Option<Function<'a>> {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (of, name) = match names.as_slice() {
            ["std" | "core", "mem", name] | ["mem", name] => ("Mem", name),
            ["std" | "core", "array", name] | ["array", name] => ("Arrays", name),
            ["std" | "core", "iter", name] | ["iter", name] => ("Iters", name),
            _ => return None,
        };
        let (callee, sig) = self.program().prelude_method(of, name)?;
        let env = Env { args: [].into(), home: Some(callee.item), this: None };
        Some(Function { callee, sig, env })
    }

    /// `warp::reduce` and the like, which the prelude has.
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
        let of = Function { callee, sig, env };
        let result = self.call_function(of, None, Self::turbofish(path), &call.args, at);
        if let (Some(found), false) = (found, in_prelude) {
            self.notes.collective(path, found);
            self.oblige_collective(found, &result, at);
        }
        Some(result)
    }

    /// What must hold of the values that the threads bring.
    fn oblige_collective(&mut self, found: Collective, result: &Expr, at: SpanRange) {
        let Kind::Call(call) = &result.kind else { return };
        let Some(GenericArg::Type(value)) = call.generics.first().copied() else { return };
        match found.takes {
            Takes::Nothing => {}
            Takes::Sum => self.oblige(at, Obligation::Operator(BinaryOp::Add, value)),
            Takes::Number => self.oblige(at, Obligation::Reduced(value, false)),
            Takes::Closure => self.shuffled(value, at),
        }
    }

    /// `T::default()` of what derives it, and of numbers.
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

    /// `Type::function` and `Trait::function`.
    fn path_member(
        &mut self,
        path: &syn::Path,
        call: &ExprCall,
        hint: Option<Ty>,
    ) -> Option<Member<'a>> {
        let env = self.env.clone();
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        if let Some((owner, name)) = self.owner(path, &env) {
            return self.member_taking(owner, &name, None, &args);
        }
        // A trait: the type is that of the first argument, or what is expected.
        let name = path.segments.last()?.ident.to_string();
        let mut of_trait = path.clone();
        of_trait.segments.pop();
        of_trait.segments.pop_punct();
        let of_trait = self.trait_name(&of_trait, &env)?;
        let first = call.args.first().map(|first| self.probe(first));
        let owner = match first {
            Some(ty) => self.types.pointee(ty),
            None => hint?,
        };
        self.member_taking(owner, &name, Some(&of_trait), &args)
    }

    /// The type of an expression that is inferred again later: what is wrong with it is reported
    /// then.
    pub(super) fn probe(&mut self, expr: &syn::Expr) -> Ty {
        let mut errors = crate::lower::error::Errors::default();
        let kept = std::mem::replace(self.errors, std::mem::take(&mut errors));
        let obligations = self.obligations.len();
        let diverges = self.diverges;
        let ty = self.expr(expr, None).ty;
        self.diverges = diverges;
        self.obligations.truncate(obligations);
        *self.errors = kept;
        ty
    }

    /// `<T as Trait>::function` and `<T>::function` of types that are no plain paths.
    fn qualified(
        &mut self,
        func: &syn::Expr,
        args: &super::method::Args,
    ) -> Option<(Member<'a>, Option<AngleBracketedGenericArguments>)> {
        let syn::Expr::Path(path) = func else { return None };
        let qself = path.qself.as_ref()?;
        let owner = self.ty(&qself.ty);
        let name = path.path.segments.last()?.ident.to_string();
        let of_trait = self.qualifying_trait(path);
        let args: Vec<&syn::Expr> = args.iter().collect();
        let member = self.member_taking(owner, &name, of_trait.as_deref(), &args)?;
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
        let of = Function { callee, sig, env };
        self.call_function(of, None, turbofish.as_ref(), &call.args, at)
    }

    /// A call of a device function.
    pub(super) fn call_function(
        &mut self,
        Function { callee, sig, env }: Function<'a>,
        receiver: Option<Expr>,
        turbofish: Option<&AngleBracketedGenericArguments>,
        args: &super::method::Args,
        at: SpanRange,
    ) -> Expr {
        let env = self.instantiate(sig, env, turbofish, at);
        let ret = match &sig.output {
            ReturnType::Default => self.types.unit(),
            ReturnType::Type(_, ty) if matches!(peel(ty), syn::Type::ImplTrait(_)) => {
                self.unknown()
            }
            ReturnType::Type(_, ty) => self.type_in(ty, &env),
        };
        let mut params = Vec::with_capacity(sig.inputs.len());
        for (index, param) in sig.inputs.iter().enumerate() {
            params.push(self.parameter_type(index, param, &env));
        }
        let skipped = usize::from(receiver.is_some());
        if !self.count(params.len() - skipped, args, at) {
            return self.make(Kind::Reported, ret, at);
        }
        let bounds = self.callables(callee, sig, &env);
        let receiver = receiver.map(|receiver| self.coerce(receiver, params[0]));
        let values = self.arguments(args, &params[skipped..], &bounds);
        let args = receiver.into_iter().chain(values).collect();
        let generics = env.args.iter().map(|(_, arg)| *arg).collect();
        let call = Call { callee, generics, this: env.this, args };
        if let ReturnType::Type(_, ty) = &sig.output
            && let syn::Type::ImplTrait(_) = peel(ty)
        {
            self.returned(&call, ret, at);
        }
        self.make(Kind::Call(Box::new(call)), ret, at)
    }

    /// What a function returns that says only which traits it has: what its body gives, for these
    /// arguments.
    fn returned(&mut self, call: &Call, ret: Ty, at: SpanRange) {
        let args = call.generics.iter().map(|arg| self.types.mono_arg(*arg)).collect();
        let this = call.this.map(|this| self.types.mono(this));
        let (Some(args), None | Some(Some(_))) = (args, &this) else {
            let reported = self.errors.advise(
                at,
                "the types that this is called for must be known here, as what it returns depends on \
                 them",
                "write them: `name::<f32>(..)`, or give a number a suffix, such as `1.0f32`",
            );
            let decided = self.types.add(Type::Reported(reported));
            self.types.decide(ret, decided);
            return;
        };
        let given = Given { args, this: this.flatten() };
        let generics = self.types.generics.clone();
        let made = self.program().instance(call.callee, &given, &generics, self.errors);
        let found = made.and_then(|made| made.types.mono(made.ret));
        let ty = match found {
            Some(mono) => self.types.of_mono(&mono),
            // Its body is wrong, which was reported, or is at hand.
            None => {
                let fact = "what this returns is not known here";
                let help = "let the function return a type, and not an `impl` of a trait";
                let reported = self.errors.advise(at, fact, help);
                self.types.add(Type::Reported(reported))
            }
        };
        self.unify(at, ret, ty);
    }

    pub(super) fn parameter_type(&mut self, index: usize, param: &FnArg, env: &Env) -> Ty {
        match param {
            FnArg::Typed(param) => self.argument_type(index, &param.ty, env),
            FnArg::Receiver(receiver) => {
                let this = env.this.unwrap_or_else(|| self.types.unit());
                match by_reference(receiver) {
                    Some(mutable) => self.types.reference(mutable, this),
                    None => this,
                }
            }
        }
    }

    /// Arguments: closures last, when the others have told what they are called with.
    fn arguments(
        &mut self,
        args: &super::method::Args,
        params: &[Ty],
        bounds: &[(Ty, Callable)],
    ) -> Vec<Expr> {
        let mut values: Vec<Option<Expr>> = args.iter().map(|_| None).collect();
        for closures in [false, true] {
            for (index, arg) in args.iter().enumerate() {
                let param = params[index];
                let of = self.types.pointee(param);
                let bound = bounds.iter().find(|(ty, _)| self.types.same(*ty, of));
                let bound = bound.map(|(_, callable)| callable.clone());
                let is_callable = is_closure(arg) || bound.is_some() && self.is_function(arg);
                if is_callable != closures {
                    continue;
                }
                let value = match (&bound, as_closure(arg)) {
                    (Some(bound), _) => self.callable(arg, bound),
                    (None, Some(closure)) => self.closure(closure, None),
                    (None, None) => self.expr(arg, Some(param)),
                };
                values[index] = Some(self.coerce(value, param));
            }
        }
        values.into_iter().flatten().collect()
    }

    /// A closure or function that is called as `bound` says.
    pub(super) fn callable(&mut self, arg: &syn::Expr, bound: &Callable) -> Expr {
        if let syn::Expr::Reference(reference) = arg
            && is_closure(&reference.expr)
        {
            let closure = self.callable(&reference.expr, bound);
            return self.borrowed(closure, reference);
        }
        let value = match as_closure(arg) {
            Some(closure) => self.closure(closure, Some(bound)),
            None if self.is_function(arg) => {
                let names = (0..bound.params.len()).map(|index| quote::format_ident!("arg{index}"));
                let names: Vec<syn::Ident> = names.collect();
                let closure = syn::parse_quote!(|#(#names),*| #arg(#(#names),*));
                self.closure(&closure, Some(bound))
            }
            None => self.expr(arg, None),
        };
        self.called_as(&value, bound);
        value
    }

    /// Whether an argument names something other than a variable.
    fn is_function(&self, arg: &syn::Expr) -> bool {
        let Some(path) = callee(arg) else { return false };
        path.get_ident().is_none_or(|ident| self.scope.find(ident).is_none())
    }

    /// Makes the signature of a closure what its bound says.
    fn called_as(&mut self, value: &Expr, bound: &Callable) {
        let mut ty = value.ty;
        while let Type::Ref { to, .. } = self.types.get(ty) {
            ty = to;
        }
        let Type::Closure(id) = self.types.get(ty) else { return };
        let closure = self.types.closure_type(id).clone();
        let at = self.places[value.at];
        for (param, expected) in closure.params.iter().zip(&bound.params) {
            self.unify(at, *param, *expected);
        }
        self.unify(at, closure.ret, bound.ret);
    }

    /// What the bounds `Fn(..)` of a function say of its type parameters.
    fn callables(&mut self, callee: Callee, sig: &'a Signature, env: &Env) -> Vec<(Ty, Callable)> {
        let outer = self.program().generics_of(callee);
        let mut found = Vec::new();
        for param in parameters(outer, sig) {
            match param {
                Parameter::Type(param) => found.push((param.ident.to_string(), &param.bounds)),
                Parameter::Impl(index, ty) => found.push((format!("impl#{index}"), &ty.bounds)),
                Parameter::Const(_) => {}
            }
        }
        let clauses = [outer.and_then(|outer| outer.where_clause.as_ref())];
        let clauses = clauses.into_iter().chain([sig.generics.where_clause.as_ref()]).flatten();
        for predicate in clauses.flat_map(|clause| &clause.predicates) {
            if let syn::WherePredicate::Type(predicate) = predicate
                && let syn::Type::Path(path) = &predicate.bounded_ty
                && let Some(ident) = path.path.get_ident()
            {
                found.push((ident.to_string(), &predicate.bounds));
            }
        }
        let mut callables = Vec::new();
        for (name, bounds) in found {
            let Some((_, GenericArg::Type(ty))) = scope::generic(&env.args, &name) else {
                continue;
            };
            for bound in bounds {
                if let syn::TypeParamBound::Trait(bound) = bound
                    && let Some(last) = bound.path.segments.last()
                    && let PathArguments::Parenthesized(written) = &last.arguments
                {
                    let params =
                        written.inputs.iter().map(|arg| self.type_in(&arg.ty, env)).collect();
                    let ret = match &written.output {
                        ReturnType::Default => self.types.unit(),
                        ReturnType::Type(_, ty) => self.type_in(ty, env),
                    };
                    callables.push((ty, Callable { params, ret }));
                }
            }
        }
        callables
    }

    fn no_function(&mut self, names: &[String], at: SpanRange) -> Expr {
        let name = names.join("::");
        let fact = format!("kernel code cannot call `{name}`");
        let of = names.iter().rev().nth(1);
        let help = match names.first().map(String::as_str) {
            Some("std" | "core" | "alloc") => reject::function(names),
            _ if of.is_some_and(|of| reject::is_heap(of)) => reject::function(names),
            _ if of.is_some_and(|of| is_type_name(of)) => "mark its `impl` `#[device]`",
            _ => "mark the function `#[device]`",
        };
        let reported = self.errors.advise(at, fact, help);
        self.reported(reported, at)
    }

    pub(super) fn turbofish(path: &syn::Path) -> Option<&AngleBracketedGenericArguments> {
        match &path.segments.last()?.arguments {
            PathArguments::AngleBracketed(args) => Some(args),
            PathArguments::None | PathArguments::Parenthesized(_) => None,
        }
    }

    /// What the generic parameters of a called function are: those of its `impl`, then its own,
    /// unknown or as written.
    pub(super) fn instantiate(
        &mut self,
        sig: &'a Signature,
        env: Env,
        turbofish: Option<&AngleBracketedGenericArguments>,
        at: SpanRange,
    ) -> Env {
        let here = self.env.clone();
        let own = self.written_args(&sig.generics, turbofish, &here, &env, false);
        for (_, arg) in &own {
            match arg {
                GenericArg::Type(ty) => self.oblige(at, Obligation::TypeArg(*ty)),
                GenericArg::Const(len) => self.oblige(at, Obligation::ConstArg(*len)),
            }
        }
        let impls = parameters(None, sig).into_iter().filter_map(|param| match param {
            Parameter::Impl(..) => Some(param.name()),
            Parameter::Type(_) | Parameter::Const(_) => None,
        });
        let impls: Vec<(String, GenericArg)> =
            impls.map(|name| (name, GenericArg::Type(self.unknown()))).collect();
        let args = env.args.iter().cloned().chain(own).chain(impls).collect();
        Env { args, ..env }
    }

    fn builtin_call(
        &mut self,
        mut found: Found,
        call: &ExprCall,
        path: &syn::Path,
        at: SpanRange,
    ) -> Expr {
        self.notes.builtin(path, &found);
        let value = self.unknown();
        if found.width {
            self.width(&mut found, path, at);
        }
        let ret = self.builtin_part(found.ret, value);
        if !self.count(found.params.len(), &call.args, at) {
            return self.make(Kind::Reported, ret, at);
        }
        let mut args = Vec::with_capacity(call.args.len());
        for (arg, part) in call.args.iter().zip(&found.params) {
            let ty = self.builtin_part(*part, value);
            args.push(self.expect(arg, ty));
        }
        match found.which {
            Builtin::Match { .. } => self.oblige(at, Obligation::Compared(value)),
            Builtin::Reduce { op, .. } => {
                let bitwise = matches!(op, ReduceOp::And | ReduceOp::Or | ReduceOp::Xor);
                self.oblige(at, Obligation::Reduced(value, bitwise));
            }
            Builtin::Shuffle { .. } => self.shuffled(value, at),
            Builtin::Index(_)
            | Builtin::Barrier(_)
            | Builtin::SyncWarp { .. }
            | Builtin::Fence(_)
            | Builtin::Vote { .. }
            | Builtin::SyncGrid
            | Builtin::ActiveMask
            | Builtin::Fast(_)
            | Builtin::Elect { .. } => {}
        }
        if found.params.contains(&builtin::Part::Value)
            && let Some(GenericArgument::Type(ty)) = Self::turbofish(path)
                .and_then(|args| args.args.iter().find(|arg| is_value_type(arg)))
        {
            let ty = self.ty(ty);
            self.unify(at, value, ty);
        }
        self.make(Kind::Builtin { which: found.which, args }, ret, at)
    }

    fn builtin_part(&mut self, part: builtin::Part, value: Ty) -> Ty {
        match part {
            builtin::Part::Prim(prim) => self.prim(prim),
            builtin::Part::Value => value,
            builtin::Part::Pair(prim) => {
                let of = self.prim(prim);
                self.types.tuple(vec![of, of])
            }
            builtin::Part::Unit => self.types.unit(),
        }
    }

    /// The width of a shuffle, from its constant argument.
    fn width(&mut self, found: &mut Found, path: &syn::Path, at: SpanRange) {
        let consts = Self::turbofish(path).into_iter().flat_map(|turbofish| &turbofish.args);
        let written = consts.into_iter().find_map(|arg| match arg {
            GenericArgument::Const(expr) => Some(expr),
            _ => None,
        });
        let extent = written.map(|expr| self.extent(expr));
        let known = match &extent {
            Some(Ok(extent)) => extent.simplified().and_then(|extent| extent.known()),
            Some(Err(_)) => return,
            None => None,
        };
        match (&mut found.which, known) {
            (Builtin::Shuffle { width, .. }, Some(lanes @ (2 | 4 | 8 | 16 | 32))) => {
                *width = lanes as u32;
            }
            _ => {
                self.errors.advise(
                    at,
                    "the width of a shuffle is 2, 4, 8, 16 or 32",
                    "write it as a number: `warp::shfl_xor_width::<8, _>(value, 1)`",
                );
            }
        }
    }

    /// `f32::from_bits(x)`, `u64::from(x)`, `f32::max(a, b)`, `T::from_i32(3)`, `Num::min(a, b)`;
    /// `None` if it is none of them.
    fn associated_call(
        &mut self,
        names: &[String],
        call: &ExprCall,
        at: SpanRange,
    ) -> Option<Expr> {
        let (name, of) = names.split_last()?;
        let of: Vec<&str> = of.iter().map(String::as_str).collect();
        let this = match of.as_slice() {
            ["std" | "core", "cmp"] if matches!(name.as_str(), "min" | "max") => None,
            ["Num" | "Int" | "Float" | "Ord"] => None,
            [ty] | ["std" | "core", "primitive", ty] | ["half" | "warpwise", ty] => {
                if let Some(ty) = self.stands_for(ty) {
                    Some(ty)
                } else {
                    Some(self.prim(Prim::named(ty)?))
                }
            }
            _ => return None,
        };
        let Some(this) = this else { return Some(self.trait_call(name, method::method, call, at)) };
        let ty = self.types.get(this);
        if let "from" | "try_from" = name.as_str() {
            return Some(self.converted_from(this, name, call, at));
        }
        if let Some(spec) = method::associated(name, ty) {
            return Some(self.apply(spec, this, None, &call.args, at));
        }
        let Some(spec) = method::method(name, ty) else {
            if let Some(compared) = self.comparison_call(this, name, call, at) {
                return Some(compared);
            }
            return Some(self.no_method(name, this, &call.args, at));
        };
        Some(self.written_out(spec, this, call, at))
    }

    /// A method that is called as a function: its receiver is its first argument.
    fn written_out(&mut self, spec: Spec, this: Ty, call: &ExprCall, at: SpanRange) -> Expr {
        let Some(receiver) = call.args.first() else {
            self.wrong_count(spec.params.len() + 1, 0, at);
            return self.make(Kind::Reported, this, at);
        };
        let receiver = self.expect(receiver, this);
        let rest: Vec<&syn::Expr> = call.args.iter().skip(1).collect();
        if rest.len() != spec.params.len() {
            self.wrong_count(spec.params.len() + 1, call.args.len(), at);
            return self.make(Kind::Reported, this, at);
        }
        self.apply_to(spec, this, Some(receiver), &rest, at)
    }

    /// `Num::min(a, b)` and `std::cmp::min(a, b)`: the type is that of the first argument.
    /// A function of a trait, or of the module `math`, of which the type of its first argument tells
    /// which one it is.
    fn trait_call(
        &mut self,
        name: &str,
        find: fn(&str, Type) -> Option<Spec>,
        call: &ExprCall,
        at: SpanRange,
    ) -> Expr {
        let Some(first) = call.args.first() else {
            return self.no_function(&[name.to_owned()], at);
        };
        let receiver = self.expr(first, None);
        let receiver = self.autoderef(receiver);
        let this = receiver.ty;
        let spec = match self.types.get(this) {
            // Not decided yet: what all numbers have will do.
            Type::Unknown(Class::Int | Class::Float) => method::method(name, Type::Prim(Prim::I32))
                .filter(|spec| matches!(spec.which, Method::Binary(_))),
            ty => find(name, ty),
        };
        let rest: Vec<&syn::Expr> = call.args.iter().skip(1).collect();
        match spec {
            Some(spec) if spec.params.len() == rest.len() => {
                self.apply_to(spec, this, Some(receiver), &rest, at)
            }
            _ => {
                if let Some(compared) =
                    self.comparison_call(self.types.pointee(this), name, call, at)
                {
                    return compared;
                }
                for arg in rest {
                    self.expr(arg, None);
                }
                let fact = format!("kernel code cannot call `{name}` like this");
                let reported = self.errors.advise(at, fact, "call it as a method of a number");
                self.reported(reported, at)
            }
        }
    }
}

/// The closure that an argument is.
fn as_closure(expr: &syn::Expr) -> Option<&syn::ExprClosure> {
    match expr {
        syn::Expr::Closure(closure) => Some(closure),
        syn::Expr::Paren(paren) => as_closure(&paren.expr),
        syn::Expr::Group(group) => as_closure(&group.expr),
        _ => None,
    }
}

/// Whether an argument is a closure, perhaps behind `&` or `&mut`.
fn is_closure(expr: &syn::Expr) -> bool {
    match expr {
        syn::Expr::Reference(reference) => is_closure(&reference.expr),
        expr => as_closure(expr).is_some(),
    }
}

/// Whether a generic argument of a shuffle is the type of what is shuffled.
fn is_value_type(arg: &GenericArgument) -> bool {
    match arg {
        GenericArgument::Type(syn::Type::Infer(_)) => false,
        GenericArgument::Type(_) => true,
        _ => false,
    }
}
