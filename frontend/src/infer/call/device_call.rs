//! Calls of device functions: parameter types, generic arguments and closures.
use crate::{
    hir::{Call, Expr, ExprKind, GenericArg},
    infer::{
        Infer, Obligation,
        call::{closure::CallSignature, function_value::calling_closure},
        items::{
            path::callee_path,
            scope::{self, Env},
            signature::{GenericParameter, generic_parameters, receiver_reference},
            written_type::OmittedArgs,
        },
        program::InstanceArgs,
    },
    resolve::device_set::Callee,
    syntax::{error::Reported, span::SpanRange, ungroup::peel},
    types::{Class, Ty, Type},
};
use syn::{
    AngleBracketedGenericArguments, FnArg, GenericArgument, PathArguments, ReturnType, Signature,
};

/// A resolved device function, with the generic arguments of its `impl`.
pub(crate) struct ResolvedFunction<'a> {
    pub(crate) callee: Callee,
    pub(crate) sig: &'a Signature,
    pub(crate) env: Env,
    /// The type that the context expects of the call.
    pub(crate) expected: Option<Ty>,
}

impl<'a> Infer<'a> {
    /// Infers a call of a device function.
    pub(crate) fn infer_function_call(
        &mut self,
        ResolvedFunction { callee, sig, env, expected }: ResolvedFunction<'a>,
        receiver: Option<Expr>,
        turbofish: Option<&AngleBracketedGenericArguments>,
        args: &crate::infer::call::method_call::Args,
        at: SpanRange,
    ) -> Expr {
        let env = self.instantiate_generics(sig, env, turbofish, at);
        let ret = match &sig.output {
            ReturnType::Default => self.types.unit(),
            ReturnType::Type(_, ty) if matches!(peel(ty), syn::Type::ImplTrait(_)) => {
                self.unknown()
            }
            ReturnType::Type(_, ty) => self.resolve_type_in(ty, &env),
        };
        let mut params = Vec::with_capacity(sig.inputs.len());
        for (index, param) in sig.inputs.iter().enumerate() {
            params.push(self.parameter_type(index, param, &env));
        }
        let skipped = usize::from(receiver.is_some());
        if !self.check_arg_count(params.len() - skipped, args, at) {
            return self.make_expr(ExprKind::Reported, ret, at);
        }
        // Bounds go first: they tell the parameters of closures among the arguments.
        let bounds = self.fn_bounds(callee, sig, &env);
        self.unify_associated_bounds(callee, sig, &env, at);
        let receiver = receiver.map(|receiver| self.coerce(receiver, params[0]));
        let values = self.infer_arguments(
            args,
            &params[skipped..],
            &bounds,
            expected.map(|expected| (ret, expected)),
        );
        let args = receiver.into_iter().chain(values).collect();
        let generics = env.args.iter().map(|(_, arg)| *arg).collect();
        let call = Call { callee, generics, self_ty: env.self_ty, args };
        if let ReturnType::Type(_, ty) = &sig.output
            && let syn::Type::ImplTrait(_) = peel(ty)
        {
            if self.has_unknown_types(&call) {
                return self.inline_call(call, env, at);
            }
            self.resolve_impl_trait_return(&call, ret, at);
        }
        self.make_expr(ExprKind::Call(Box::new(call)), ret, at)
    }

    /// Decides the return type of a function that returns `impl Trait`: the type of its body, for
    /// these arguments.
    pub(crate) fn resolve_impl_trait_return(&mut self, call: &Call, ret: Ty, at: SpanRange) {
        let args = call.generics.iter().map(|arg| self.types.arg_to_mono(*arg)).collect();
        let this = call.self_ty.map(|this| self.types.to_mono(this));
        let (Some(args), None | Some(Some(_))) = (args, &this) else {
            let reported = self.report_unknown_types(at);
            let decided = self.types.add(Type::Reported(reported));
            self.types.decide(ret, decided);
            return;
        };
        let given = InstanceArgs { args, self_ty: this.flatten() };
        let generics = self.types.generics.clone();
        let made = self.program().instantiate(call.callee, &given, &generics, self.errors);
        let found = made.and_then(|made| made.types.to_mono(made.ret));
        let ty = match found {
            Some(mono) => self.types.add_mono(&mono),
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
    pub(crate) fn report_unknown_types(&mut self, at: SpanRange) -> Reported {
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
                let this = env.self_ty.unwrap_or_else(|| self.types.unit());
                match receiver_reference(receiver) {
                    Some(mutable) => self.types.reference(mutable, this),
                    None => this,
                }
            }
        }
    }

    /// Infers arguments. Closures go last, because the other arguments decide their parameter
    /// types. Between the two, an unsuffixed number that the call returns takes the expected type;
    /// `returned` has both types.
    pub(crate) fn infer_arguments(
        &mut self,
        args: &crate::infer::call::method_call::Args,
        params: &[Ty],
        bounds: &[(Ty, CallSignature)],
        returned: Option<(Ty, Ty)>,
    ) -> Vec<Expr> {
        let args: Vec<&syn::Expr> = args.iter().collect();
        self.infer_values(&args, params, bounds, returned)
    }

    /// Infers the fields of a struct or variant of type `ty`, as arguments: the bounds of its type
    /// parameters tell the parameters of closures.
    pub(crate) fn infer_fields(
        &mut self,
        ty: Ty,
        fields: &[&syn::Expr],
        types: &[Ty],
    ) -> Vec<Expr> {
        let generics = match self.types.get(ty) {
            Type::Adt(item, _) => match self.program().item(item) {
                Some(syn::Item::Struct(defined)) => Some(&defined.generics),
                Some(syn::Item::Enum(defined)) => Some(&defined.generics),
                _ => None,
            },
            _ => None,
        };
        let bounds = match (generics, self.definition_env(ty)) {
            (Some(generics), Some(env)) => {
                let traits = bounding_traits(Some(generics), None, &env);
                self.call_signatures(&traits, &env)
            }
            _ => Vec::new(),
        };
        self.infer_values(fields, types, &bounds, None)
    }

    fn infer_values(
        &mut self,
        args: &[&syn::Expr],
        params: &[Ty],
        bounds: &[(Ty, CallSignature)],
        returned: Option<(Ty, Ty)>,
    ) -> Vec<Expr> {
        let mut values: Vec<Option<Expr>> = args.iter().map(|_| None).collect();
        for closures in [false, true] {
            if closures
                && let Some((ret, expected)) = returned
                && let Type::Unknown(Class::Int | Class::Float) = self.types.get(ret)
            {
                self.unify_hint(ret, Some(expected));
            }
            for (index, arg) in args.iter().enumerate() {
                let param = params[index];
                let pointee = self.types.pointee(param);
                let bound = bounds.iter().find(|(ty, _)| self.types.is_same_entry(*ty, pointee));
                let bound = bound.map(|(_, callable)| callable.clone());
                let is_callable = is_closure(arg) || bound.is_some() && self.names_function(arg);
                if is_callable != closures {
                    continue;
                }
                self.settle_projections(false);
                let value = match &bound {
                    Some(bound) => self.infer_callable(arg, bound),
                    None => {
                        let hint = self.argument_hint(param, returned);
                        self.infer_expr(arg, Some(hint))
                    }
                };
                values[index] = Some(self.coerce(value, param));
            }
        }
        self.settle_projections(false);
        values.into_iter().flatten().collect()
    }

    /// Returns the type that a call expects of an argument: that of the parameter, or of the result
    /// if nothing else decides both yet, as in `let sum: Money = x.iter().fold(0.into(), ..)`.
    fn argument_hint(&self, param: Ty, returned: Option<(Ty, Ty)>) -> Ty {
        match (self.types.get(param), returned) {
            (Type::Unknown(Class::Any), Some((ret, expected)))
                if self.types.is_same_entry(param, ret) =>
            {
                expected
            }
            _ => param,
        }
    }

    /// Infers a closure or function with the call signature `bound`.
    pub(crate) fn infer_callable(&mut self, arg: &syn::Expr, bound: &CallSignature) -> Expr {
        if let syn::Expr::Reference(reference) = arg
            && is_closure(&reference.expr)
        {
            let closure = self.infer_callable(&reference.expr, bound);
            return self.make_borrow(closure, reference);
        }
        let value = match as_closure(arg) {
            Some(closure) => self.infer_closure(closure, Some(bound)),
            None if self.names_function(arg) => {
                let closure = calling_closure(arg, bound.params.len());
                self.infer_closure(&closure, Some(bound))
            }
            None => self.infer_expr(arg, None),
        };
        self.unify_signature(&value, bound);
        value
    }

    /// Returns true if an argument names something other than a variable, perhaps as `<T>::name`.
    pub(crate) fn names_function(&self, arg: &syn::Expr) -> bool {
        let Some(path) = callee_path(arg) else {
            return matches!(arg, syn::Expr::Path(path) if path.qself.is_some());
        };
        path.get_ident().is_none_or(|ident| self.scope.find(ident).is_none())
    }

    /// Unifies the signature of a closure with its bound.
    pub(crate) fn unify_signature(&mut self, value: &Expr, bound: &CallSignature) {
        let (ty, at) = (self.types.pointee(value.ty), self.spans[value.at]);
        let called = match self.types.get(ty) {
            Type::Closure(id) => {
                let closure = self.types.closure_type(id);
                CallSignature { params: closure.params.clone(), ret: closure.ret }
            }
            Type::Pointer(list) => self.pointer_signature(list),
            Type::Unknown(_) | Type::Reported(_) => return,
            _ => {
                self.report_not_callable(ty, at);
                return;
            }
        };
        for (param, expected) in called.params.iter().zip(&bound.params) {
            self.unify(at, *param, *expected);
        }
        self.unify(at, called.ret, bound.ret);
    }

    /// Returns the call signatures that `Fn(..)` bounds give to the type parameters of a function.
    pub(crate) fn fn_bounds(
        &mut self,
        callee: Callee,
        sig: &'a Signature,
        env: &Env,
    ) -> Vec<(Ty, CallSignature)> {
        let traits = self.parameter_traits(callee, sig, env);
        self.call_signatures(&traits, env)
    }

    /// Returns the call signatures among bounds.
    fn call_signatures(
        &mut self,
        traits: &[(Ty, &syn::Path)],
        env: &Env,
    ) -> Vec<(Ty, CallSignature)> {
        let mut callables = Vec::new();
        for (ty, bound) in traits {
            if let Some(last) = bound.segments.last()
                && let PathArguments::Parenthesized(written) = &last.arguments
            {
                let params =
                    written.inputs.iter().map(|arg| self.resolve_type_in(&arg.ty, env)).collect();
                let ret = match &written.output {
                    ReturnType::Default => self.types.unit(),
                    ReturnType::Type(_, ty) => self.resolve_type_in(ty, env),
                };
                callables.push((*ty, CallSignature { params, ret }));
            }
        }
        callables
    }

    /// Unifies associated types with the types in bounds: `I: Iterator<Item = T>`.
    fn unify_associated_bounds(
        &mut self,
        callee: Callee,
        sig: &'a Signature,
        env: &Env,
        at: SpanRange,
    ) {
        for (owner, of_trait) in self.parameter_traits(callee, sig, env) {
            let Some(last) = of_trait.segments.last() else { continue };
            let PathArguments::AngleBracketed(args) = &last.arguments else { continue };
            for arg in &args.args {
                match arg {
                    GenericArgument::AssocType(said) => {
                        self.unify_associated_type(owner, of_trait, said, env, at);
                    }
                    GenericArgument::Type(into) if last.ident == "Into" => {
                        let into = self.resolve_type_in(into, env);
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
    fn parameter_traits(
        &self,
        callee: Callee,
        sig: &'a Signature,
        env: &Env,
    ) -> Vec<(Ty, &'a syn::Path)> {
        bounding_traits(self.program().outer_generics(callee), Some(sig), env)
    }

    /// Returns the environment of a called function: the generic arguments of its `impl`, then its
    /// own, written or unknown.
    pub(crate) fn instantiate_generics(
        &mut self,
        sig: &'a Signature,
        env: Env,
        turbofish: Option<&AngleBracketedGenericArguments>,
        at: SpanRange,
    ) -> Env {
        let here = self.env.clone();
        let own =
            self.resolve_generic_args(&sig.generics, turbofish, &here, &env, OmittedArgs::Inferred);
        self.oblige_known_args(&own, at);
        let impls = generic_parameters(None, sig).into_iter().filter_map(|param| match param {
            GenericParameter::Impl(..) => Some(param.name()),
            GenericParameter::Type(_) | GenericParameter::Const(_) => None,
        });
        let impls: Vec<(String, GenericArg)> =
            impls.map(|name| (name, GenericArg::Type(self.unknown()))).collect();
        let args = env.args.iter().cloned().chain(own).chain(impls).collect();
        Env { args, ..env }
    }

    /// Registers the obligation that generic arguments are known in the end.
    pub(crate) fn oblige_known_args(&mut self, args: &[(String, GenericArg)], at: SpanRange) {
        for (_, arg) in args {
            match arg {
                GenericArg::Type(ty) => self.oblige(at, Obligation::TypeArg(*ty)),
                GenericArg::Const(len) => self.oblige(at, Obligation::ConstArg(*len)),
            }
        }
    }
}

/// Returns the traits that bound type parameters, those of an `impl`, a struct or the like and
/// those of a function, each with the parameter's type.
fn bounding_traits<'a>(
    outer: Option<&'a syn::Generics>,
    sig: Option<&'a Signature>,
    env: &Env,
) -> Vec<(Ty, &'a syn::Path)> {
    let mut found = Vec::new();
    for param in generic_parameters(outer, sig) {
        match param {
            GenericParameter::Type(param) => found.push((param.ident.to_string(), &param.bounds)),
            GenericParameter::Impl(index, ty) => found.push((format!("impl#{index}"), &ty.bounds)),
            GenericParameter::Const(_) => {}
        }
    }
    let generics = outer.into_iter().chain(sig.map(|sig| &sig.generics));
    let clauses = generics.filter_map(|generics| generics.where_clause.as_ref());
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
        if let Some((_, GenericArg::Type(ty))) = scope::find_generic(&env.args, &name) {
            traits.extend(bounds.iter().filter_map(|bound| match bound {
                syn::TypeParamBound::Trait(bound) => Some((ty, &bound.path)),
                _ => None,
            }));
        }
    }
    traits
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
