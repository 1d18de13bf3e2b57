//! Calls of device functions: parameter types, generic arguments and closures.
use crate::{
    hir::{Call, Expr, GenericArg, Kind},
    infer::{
        Infer, Obligation,
        call::closure::Callable,
        items::{
            path::callee,
            scope::{self, Env},
            signature::{Parameter, by_reference, parameters, peel},
            written_type::Omitted,
        },
        program::Given,
    },
    resolve::device_set::Callee,
    syntax::{error::Reported, span::SpanRange},
    types::{Class, Ty, Type},
};
use syn::{
    AngleBracketedGenericArguments, FnArg, GenericArgument, PathArguments, ReturnType, Signature,
};

/// A resolved device function, with the generic arguments of its `impl`.
pub(crate) struct Function<'a> {
    pub(crate) callee: Callee,
    pub(crate) sig: &'a Signature,
    pub(crate) env: Env,
    /// The type that the context expects of the call.
    pub(crate) gives: Option<Ty>,
}

impl<'a> Infer<'a> {
    /// Infers a call of a device function.
    pub(crate) fn call_function(
        &mut self,
        Function { callee, sig, env, gives }: Function<'a>,
        receiver: Option<Expr>,
        turbofish: Option<&AngleBracketedGenericArguments>,
        args: &crate::infer::call::method_call::Args,
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
        // Bounds go first: they tell the parameters of closures among the arguments.
        let bounds = self.callables(callee, sig, &env);
        self.equal_types(callee, sig, &env, at);
        let receiver = receiver.map(|receiver| self.coerce(receiver, params[0]));
        let values =
            self.arguments(args, &params[skipped..], &bounds, gives.map(|gives| (ret, gives)));
        let args = receiver.into_iter().chain(values).collect();
        let generics = env.args.iter().map(|(_, arg)| *arg).collect();
        let call = Call { callee, generics, this: env.this, args };
        if let ReturnType::Type(_, ty) = &sig.output
            && let syn::Type::ImplTrait(_) = peel(ty)
        {
            if self.is_early(&call) {
                return self.in_place(call, env, at);
            }
            self.returned(&call, ret, at);
        }
        self.make(Kind::Call(Box::new(call)), ret, at)
    }

    /// Decides the return type of a function that returns `impl Trait`: the type of its body, for
    /// these arguments.
    pub(crate) fn returned(&mut self, call: &Call, ret: Ty, at: SpanRange) {
        let args = call.generics.iter().map(|arg| self.types.mono_arg(*arg)).collect();
        let this = call.this.map(|this| self.types.mono(this));
        let (Some(args), None | Some(Some(_))) = (args, &this) else {
            let reported = self.unknown_types(at);
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
            // The body is wrong, which was reported, or is still being inferred.
            None => {
                let fact = "what this returns is not known here";
                let help = "let the function return a type, and not an `impl` of a trait";
                let reported = self.errors.advise(at, fact, help);
                self.types.add(Type::Reported(reported))
            }
        };
        self.unify(at, ret, ty);
    }

    /// Reports a call whose instance needs types that are not known yet.
    pub(crate) fn unknown_types(&mut self, at: SpanRange) -> Reported {
        self.errors.advise(
            at,
            "the types that this is called for must be known here, as what it returns depends on \
             them",
            "write them: `name::<f32>(..)`, or give a number a suffix, such as `1.0f32`",
        )
    }

    pub(crate) fn parameter_type(&mut self, index: usize, param: &FnArg, env: &Env) -> Ty {
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

    /// Infers arguments. Closures go last, because the other arguments decide their parameter
    /// types. Between the two, an unsuffixed number that the call returns (`gives`: the return type
    /// and the expected type) takes the expected type.
    pub(crate) fn arguments(
        &mut self,
        args: &crate::infer::call::method_call::Args,
        params: &[Ty],
        bounds: &[(Ty, Callable)],
        gives: Option<(Ty, Ty)>,
    ) -> Vec<Expr> {
        let mut values: Vec<Option<Expr>> = args.iter().map(|_| None).collect();
        for closures in [false, true] {
            if closures
                && let Some((ret, expected)) = gives
                && let Type::Unknown(Class::Int | Class::Float) = self.types.get(ret)
            {
                self.hint(ret, Some(expected));
            }
            for (index, arg) in args.iter().enumerate() {
                let param = params[index];
                let of = self.types.pointee(param);
                let bound = bounds.iter().find(|(ty, _)| self.types.same(*ty, of));
                let bound = bound.map(|(_, callable)| callable.clone());
                let is_callable = is_closure(arg) || bound.is_some() && self.is_function(arg);
                if is_callable != closures {
                    continue;
                }
                self.settle_projections(false);
                let value = match (&bound, as_closure(arg)) {
                    (Some(bound), _) => self.callable(arg, bound),
                    (None, Some(closure)) => self.closure(closure, None),
                    (None, None) => self.expr(arg, Some(param)),
                };
                values[index] = Some(self.coerce(value, param));
            }
        }
        self.settle_projections(false);
        values.into_iter().flatten().collect()
    }

    /// Infers a closure or function with the call signature `bound`.
    pub(crate) fn callable(&mut self, arg: &syn::Expr, bound: &Callable) -> Expr {
        if let syn::Expr::Reference(reference) = arg
            && is_closure(&reference.expr)
        {
            let closure = self.callable(&reference.expr, bound);
            return self.borrowed(closure, reference);
        }
        let value = match as_closure(arg) {
            // A function becomes a closure that calls it: `|arg0, arg1| name(arg0, arg1)`.
            Some(closure) => self.closure(closure, Some(bound)),
            None if self.is_function(arg) => {
                let names = (0..bound.params.len()).map(|index| quote::format_ident!("arg{index}"));
                let names: Vec<syn::Ident> = names.collect();
                let at = syn::spanned::Spanned::span(arg);
                let closure = syn::parse_quote_spanned!(at=> |#(#names),*| #arg(#(#names),*));
                self.closure(&closure, Some(bound))
            }
            None => self.expr(arg, None),
        };
        self.called_as(&value, bound);
        value
    }

    /// Returns true if an argument names something other than a variable, perhaps as `<T>::name`.
    pub(crate) fn is_function(&self, arg: &syn::Expr) -> bool {
        let Some(path) = callee(arg) else {
            return matches!(arg, syn::Expr::Path(path) if path.qself.is_some());
        };
        path.get_ident().is_none_or(|ident| self.scope.find(ident).is_none())
    }

    /// Unifies the signature of a closure with its bound.
    pub(crate) fn called_as(&mut self, value: &Expr, bound: &Callable) {
        let (ty, at) = (self.types.pointee(value.ty), self.places[value.at]);
        let called = match self.types.get(ty) {
            Type::Closure(id) => {
                let closure = self.types.closure_type(id);
                Callable { params: closure.params.clone(), ret: closure.ret }
            }
            Type::Pointer(list) => self.signature_of(list),
            Type::Unknown(_) | Type::Reported(_) => return,
            _ => {
                self.cannot_be_called(ty, at);
                return;
            }
        };
        for (param, expected) in called.params.iter().zip(&bound.params) {
            self.unify(at, *param, *expected);
        }
        self.unify(at, called.ret, bound.ret);
    }

    /// Returns the call signatures that `Fn(..)` bounds give to the type parameters of a function.
    pub(crate) fn callables(
        &mut self,
        callee: Callee,
        sig: &'a Signature,
        env: &Env,
    ) -> Vec<(Ty, Callable)> {
        let mut callables = Vec::new();
        for (ty, bound) in self.traits_of_parameters(callee, sig, env) {
            if let Some(last) = bound.segments.last()
                && let PathArguments::Parenthesized(written) = &last.arguments
            {
                let params = written.inputs.iter().map(|arg| self.type_in(&arg.ty, env)).collect();
                let ret = match &written.output {
                    ReturnType::Default => self.types.unit(),
                    ReturnType::Type(_, ty) => self.type_in(ty, env),
                };
                callables.push((ty, Callable { params, ret }));
            }
        }
        callables
    }

    /// Unifies associated types with the types in bounds: `I: Iterator<Item = T>`.
    fn equal_types(&mut self, callee: Callee, sig: &'a Signature, env: &Env, at: SpanRange) {
        for (owner, of_trait) in self.traits_of_parameters(callee, sig, env) {
            let Some(last) = of_trait.segments.last() else { continue };
            let PathArguments::AngleBracketed(args) = &last.arguments else { continue };
            for arg in &args.args {
                match arg {
                    GenericArgument::AssocType(said) => {
                        self.equal_type(owner, of_trait, said, env, at);
                    }
                    GenericArgument::Type(into) if last.ident == "Into" => {
                        let into = self.type_in(into, env);
                        self.conversions.push((owner, into));
                    }
                    _ => {}
                }
            }
        }
        self.settle_projections(false);
    }

    /// Returns the traits that bound the type parameters of a function, each with the parameter's
    /// type.
    fn traits_of_parameters(
        &self,
        callee: Callee,
        sig: &'a Signature,
        env: &Env,
    ) -> Vec<(Ty, &'a syn::Path)> {
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
        let mut traits = Vec::new();
        for (name, bounds) in found {
            if let Some((_, GenericArg::Type(ty))) = scope::generic(&env.args, &name) {
                traits.extend(bounds.iter().filter_map(|bound| match bound {
                    syn::TypeParamBound::Trait(bound) => Some((ty, &bound.path)),
                    _ => None,
                }));
            }
        }
        traits
    }

    /// Returns the environment of a called function: the generic arguments of its `impl`, then its
    /// own, written or unknown.
    pub(crate) fn instantiate(
        &mut self,
        sig: &'a Signature,
        env: Env,
        turbofish: Option<&AngleBracketedGenericArguments>,
        at: SpanRange,
    ) -> Env {
        let here = self.env.clone();
        let own = self.written_args(&sig.generics, turbofish, &here, &env, Omitted::Inferred);
        self.oblige_known(&own, at);
        let impls = parameters(None, sig).into_iter().filter_map(|param| match param {
            Parameter::Impl(..) => Some(param.name()),
            Parameter::Type(_) | Parameter::Const(_) => None,
        });
        let impls: Vec<(String, GenericArg)> =
            impls.map(|name| (name, GenericArg::Type(self.unknown()))).collect();
        let args = env.args.iter().cloned().chain(own).chain(impls).collect();
        Env { args, ..env }
    }

    /// Registers the obligation that generic arguments are known in the end.
    pub(crate) fn oblige_known(&mut self, args: &[(String, GenericArg)], at: SpanRange) {
        for (_, arg) in args {
            match arg {
                GenericArg::Type(ty) => self.oblige(at, Obligation::TypeArg(*ty)),
                GenericArg::Const(len) => self.oblige(at, Obligation::ConstArg(*len)),
            }
        }
    }
}

/// Returns the closure in an argument, through parentheses.
fn as_closure(expr: &syn::Expr) -> Option<&syn::ExprClosure> {
    match expr {
        syn::Expr::Closure(closure) => Some(closure),
        syn::Expr::Paren(paren) => as_closure(&paren.expr),
        syn::Expr::Group(group) => as_closure(&group.expr),
        _ => None,
    }
}

/// Returns true if an argument is a closure, perhaps after `&` or `&mut`.
fn is_closure(expr: &syn::Expr) -> bool {
    match expr {
        syn::Expr::Reference(reference) => is_closure(&reference.expr),
        expr => as_closure(expr).is_some(),
    }
}
