//! Method calls.
use crate::{
    hir::{Expr, ExprKind, GenericArg, GenericKind},
    infer::{
        Infer, Obligation,
        call::{device_call::ResolvedFunction, reject},
        items::signature::receiver_reference,
        traits::member::{CallFacts, Member, MemberKind},
    },
    syntax::span::SpanRange,
    types::{
        Class, Prim, Ty, Type,
        method::{self, MethodPart, MethodSpec},
    },
};
use syn::{ExprMethodCall, punctuated::Punctuated};
use warpwise_compiler::{id::Id as _, ir::Extent};

/// Arguments as written.
pub(crate) type Args = Punctuated<syn::Expr, syn::Token![,]>;

impl Infer<'_> {
    /// Infers a method call: the receiver, then its method.
    pub(crate) fn infer_method_call(&mut self, call: &ExprMethodCall, hint: Option<Ty>) -> Expr {
        let at =
            SpanRange::expr(&call.receiver).to(SpanRange::token(call.paren_token.span.close()));
        let name = call.method.to_string();
        let through = self.hint_through_result(&name, &call.receiver, hint);
        let receiver = self.infer_expr(&call.receiver, through);
        self.infer_method_on(receiver, call, hint, at)
    }

    /// Infers a method of a receiver that is not dereferenced yet.
    pub(crate) fn infer_method_on(
        &mut self,
        receiver: Expr,
        call: &ExprMethodCall,
        hint: Option<Ty>,
        at: SpanRange,
    ) -> Expr {
        let name = call.method.to_string();
        // Methods of the receiver as it is go first: `into_iter` of `&array` and iterator methods
        // of `&mut iterator` see the reference, and iterator methods take a value before an own
        // method borrows it. All others see the value after all references.
        if name == "into_iter" && self.is_sequence(receiver.ty) {
            return self.make_into_iter(receiver, at);
        }
        let receiver = match self.try_consumed_iterator(receiver, &name, at) {
            Ok(iterator) => return self.infer_iter_method(iterator, &name, call, hint, at),
            Err(receiver) => self.autoderef(receiver),
        };
        self.resolve_method(receiver, call, hint, at)
    }

    /// Resolves a method of a dereferenced receiver.
    ///
    /// The steps below are the method resolution order of the language: the first that knows the
    /// method wins. Each returns the receiver as `Err` if it does not apply.
    ///
    /// 1. Errors, receivers of unknown type, iterators: their types alone decide.
    /// 2. Inherent methods of numbers, unless a trait bound has the method.
    /// 3. `into` and `try_into`.
    /// 4. `unwrap` and its kin, which end the thread.
    /// 5. `as_mut` of options.
    /// 6. Methods of `impl`s, of the user and of the library.
    /// 7. Iterator methods of types with `impl Iterator`.
    /// 8. The same steps for the target of the receiver's `Deref`.
    /// 9. Comparisons, derived or by `impl`.
    /// 10. Operator methods: `x.add(y)`.
    /// 11. `clone` of arrays; methods of slices; methods of atomics; `clone` of other types.
    fn resolve_method(
        &mut self,
        receiver: Expr,
        call: &ExprMethodCall,
        hint: Option<Ty>,
        at: SpanRange,
    ) -> Expr {
        let name = call.method.to_string();
        let this = receiver.ty;
        // 1. Receivers whose type alone decides.
        match self.types.get(this) {
            Type::Reported(proof) => return self.make_reported(proof, at),
            Type::Unknown(class) => {
                if let Some(source) = self.literal_type_of_into(this, class, call, hint) {
                    self.unify_hint(this, Some(source));
                    return self.resolve_method(receiver, call, hint, at);
                }
                return self.infer_undecided_receiver(receiver, class, call, at);
            }
            Type::Iter(..) => {
                return match self.try_conversion_method(receiver, call, hint, at) {
                    Ok(converted) => converted,
                    Err(iterator) => self.infer_iter_method(iterator, &name, call, hint, at),
                };
            }
            _ => {}
        }
        if let Some(proof) = self.reject_replaced_bound(this, call) {
            return self.make_reported(proof, at);
        }
        // A method of a bound overrides the method of the number that a type parameter stands for.
        if let Some(spec) = method::find_method(&name, self.types.get(this))
            && self.bound_trait(this, &name).is_none()
        {
            self.reject_turbofish(call);
            return self.apply_method(spec, this, Some(receiver), &call.args, at);
        }
        // 3. Conversions depend on the expected type, so they precede the search of `impl`s.
        let receiver = match self.try_conversion_method(receiver, call, hint, at) {
            Ok(converted) => return converted,
            Err(receiver) => receiver,
        };
        // 4. and 5. Not library code: the panic message has the caller's text, and `as_mut` yields
        // a reference into a place.
        let receiver = match self.try_unwrap_method(receiver, call, at) {
            Ok(unwrapped) => return unwrapped,
            Err(receiver) => receiver,
        };
        let receiver = match self.try_as_mut(receiver, call, at) {
            Ok(inside) => return inside,
            Err(receiver) => receiver,
        };
        // 6. Own methods override those of iterators, and both override the target of `Deref`.
        let receiver = match self.try_impl_method(receiver, call, hint, at) {
            Ok(called) => return called,
            Err(receiver) => receiver,
        };
        let receiver = match self.try_user_iterator(receiver, &name, at) {
            Ok(iterator) => return self.infer_iter_method(iterator, &name, call, hint, at),
            Err(receiver) => receiver,
        };
        let receiver = match self.try_deref_receiver(receiver, &name, at) {
            Ok(place) => {
                let place = self.autoderef(place);
                return self.with_deref_depth(|this| this.resolve_method(place, call, hint, at));
            }
            Err(receiver) => receiver,
        };
        // None of the methods below is generic, except those of slices.
        let is_slice = matches!(self.types.get(this), Type::Slice(_) | Type::Array(..));
        if !is_slice {
            self.reject_turbofish(call);
        }
        // 9. and 10. Methods of std traits without an `impl` of kernel code.
        let receiver = match self.try_comparison_method(receiver, &name, call, at) {
            Ok(compared) => return compared,
            Err(receiver) => receiver,
        };
        let receiver = match self.try_operator_method(receiver, &name, &call.args, at) {
            Ok(result) => return result,
            Err(receiver) => receiver,
        };
        // 11. Built-in types; `clone` of an array precedes the methods of its slice.
        let is_array = matches!(self.types.get(this), Type::Array(..));
        match self.types.get(this) {
            _ if is_array && name == "clone" && call.args.is_empty() => {
                self.make_clone(receiver, at)
            }
            _ if is_slice => self.infer_slice_method(receiver, &name, call, at),
            Type::Atomic(prim) => self.infer_atomic_method(receiver, prim, call, at),
            _ if name == "clone" && call.args.is_empty() => self.make_clone(receiver, at),
            _ => self.report_no_method(&name, this, &call.args, at),
        }
    }

    /// Calls a method of an `impl`, or returns the receiver.
    pub(crate) fn try_impl_method(
        &mut self,
        receiver: Expr,
        call: &ExprMethodCall,
        hint: Option<Ty>,
        at: SpanRange,
    ) -> Result<Expr, Expr> {
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        let call_facts = CallFacts { args: &args, expected: hint, of_trait: None };
        let member =
            self.find_member_for_call(receiver.ty, &call.method.to_string(), None, call_facts);
        let Some(Member { callee, env, kind: MemberKind::Fn(sig) }) = member else {
            return Err(receiver);
        };
        let receiver = self.adjust_receiver(receiver, sig);
        let function = ResolvedFunction { callee, sig, env, expected: hint };
        Ok(self.infer_function_call(function, receiver, call.turbofish.as_ref(), &call.args, at))
    }

    /// Returns the expected type of `x.try_into()`, given that the method `name` of its `Result` is
    /// expected to return `hint`.
    fn hint_through_result(
        &mut self,
        name: &str,
        receiver: &syn::Expr,
        hint: Option<Ty>,
    ) -> Option<Ty> {
        let syn::Expr::MethodCall(inner) = receiver else { return None };
        if inner.method != "try_into" {
            return None;
        }
        let value = match name {
            "unwrap" | "expect" | "unwrap_or" | "unwrap_or_else" | "unwrap_or_default" => hint?,
            "ok" => self.types.first_arg(hint?)?,
            _ => return None,
        };
        Some(self.result_type(value))
    }

    /// Returns the type `Result<value, _>`, whose error is not known yet.
    pub(crate) fn result_type(&mut self, value: Ty) -> Ty {
        let result = self.program().std_item("Result").expect("the prelude has it");
        let parts = [value, self.unknown()].map(GenericArg::Type);
        let list = self.types.list(parts.into());
        self.types.add(Type::Adt(result, list))
    }

    /// Returns true for an array, an option or a result, and for a reference to one or to a slice.
    fn is_sequence(&self, ty: Ty) -> bool {
        match self.types.get(ty) {
            Type::Array(..) => true,
            Type::Ref { to, .. } if let Type::Slice(_) | Type::Array(..) = self.types.get(to) => {
                true
            }
            _ => self.option_iterator_method(ty).is_some(),
        }
    }

    fn reject_turbofish(&mut self, call: &ExprMethodCall) {
        if let Some(turbofish) = &call.turbofish {
            self.errors.report(
                SpanRange::tokens(turbofish),
                "this method of kernel code has no generic arguments",
            );
        }
    }

    /// Adjusts the receiver to the method's `self`: by value, or by a reference to its place.
    pub(crate) fn adjust_receiver(&mut self, receiver: Expr, sig: &syn::Signature) -> Option<Expr> {
        let at = self.spans[receiver.at];
        match sig.inputs.first() {
            Some(syn::FnArg::Receiver(by)) => match receiver_reference(by) {
                Some(mutable) => {
                    if mutable && receiver.is_place() {
                        self.require_mutable(&receiver);
                    }
                    let ty = self.types.reference(mutable, receiver.ty);
                    Some(self.make_expr(ExprKind::Borrow(Box::new(receiver)), ty, at))
                }
                None => Some(receiver),
            },
            _ => Some(receiver),
        }
    }

    /// Visits the arguments of a wrong call to report their own errors. Closures are left out,
    /// since the call decides their types.
    pub(crate) fn infer_discarded(&mut self, args: &Args) {
        for arg in args {
            if !matches!(arg, syn::Expr::Closure(_)) {
                self.infer_expr(arg, None);
            }
        }
    }

    /// Infers a method of a number whose type is undecided: a method of a trait that all numbers of
    /// its kind implement, as in Rust.
    fn infer_undecided_receiver(
        &mut self,
        receiver: Expr,
        class: Class,
        call: &ExprMethodCall,
        at: SpanRange,
    ) -> Expr {
        let (name, this) = (call.method.to_string(), receiver.ty);
        match (class, name.as_str()) {
            (Class::Int | Class::Float, "clone") if call.args.is_empty() => {
                return self.place_to_value(receiver);
            }
            (Class::Int, "max" | "min") => {
                if let Some(spec) = method::find_method(&name, Type::Prim(Prim::I32)) {
                    return self.apply_method(spec, this, Some(receiver), &call.args, at);
                }
            }
            _ => {
                let of_prelude = || method::find_prelude_method(&name, class);
                let spec = method::find_method(&name, self.number_method_type(this));
                if let Some(spec) = spec.or_else(of_prelude) {
                    return self.apply_method(spec, this, Some(receiver), &call.args, at);
                }
            }
        }
        match self.try_comparison_method(receiver, &name, call, at) {
            Ok(compared) => compared,
            Err(receiver) => self.report_unknown_receiver(&receiver, class, call, at),
        }
    }

    /// Returns the type of an unsuffixed number that `into` converts to the expected type: `x >
    /// 4.0.into()`.
    fn literal_type_of_into(
        &mut self,
        this: Ty,
        class: Class,
        call: &ExprMethodCall,
        hint: Option<Ty>,
    ) -> Option<Ty> {
        let (Class::Int | Class::Float, Some(into)) = (class, hint) else { return None };
        if call.method != "into" || !call.args.is_empty() {
            return None;
        }
        let source = match self.conversion_bound(into, "From") {
            Some(source) => source,
            None if self.is_overloaded(into) => self.only_conversion_source(this, into)?,
            None => return None,
        };
        // Any other type would recurse without end.
        self.types.as_prim(source).is_some().then_some(source)
    }

    /// Reports a receiver of unknown type. rustc needs the type at this point, too.
    fn report_unknown_receiver(
        &mut self,
        receiver: &Expr,
        class: Class,
        call: &ExprMethodCall,
        at: SpanRange,
    ) -> Expr {
        self.infer_discarded(&call.args);
        let open = match receiver.kind {
            ExprKind::ConstParam(len) => match self.types.extent(len) {
                Some(Extent::Generic(id)) => self
                    .names
                    .generics
                    .get(id.index())
                    .filter(|generic| matches!(generic.kind, GenericKind::Open(_))),
                _ => None,
            },
            _ => None,
        };
        let reported = if let Some(name) = open.map(|generic| generic.name.clone()) {
            crate::infer::report_unknown_open_constant(self.errors, &name, self.spans[receiver.at])
        } else {
            let help = match class {
                Class::Any => "declare the variable with its type",
                Class::Int => "give the number a suffix such as `u32`, or the variable a type",
                Class::Float => "give the number a suffix such as `f32`, or the variable a type",
            };
            let fact = format!("the type must be known before `{}` is called", call.method);
            let at = self.spans[receiver.at];
            // rustc's error has a suggestion.
            match class {
                Class::Any => self.errors.advise(at, fact, help),
                Class::Int | Class::Float => self.errors.advise_unless_rustc(at, fact, help),
            }
        };
        let decided = self.types.add(Type::Reported(reported));
        self.types.decide(receiver.ty, decided);
        self.make_reported(reported, at)
    }

    pub(crate) fn report_no_method(
        &mut self,
        name: &str,
        ty: Ty,
        args: &Args,
        at: SpanRange,
    ) -> Expr {
        self.infer_discarded(args);
        let shown = self.types.show(ty);
        let fact = format!("kernel code cannot call the method `{name}` of `{shown}`");
        // The type does not implement the trait, or a bound on the way here would fail.
        if self.program().is_function_of_foreign_trait(name) {
            let reported = self.errors.mistyped(at, fact);
            return self.make_reported(reported, at);
        }
        let host_impl = [name, "deref"]
            .into_iter()
            .find_map(|function| reject::host_blocks(at, function, &shown));
        if let Some(help) = host_impl {
            let reported = self.errors.advise(at, fact, help);
            return self.make_reported(reported, at);
        }
        let reported = match method::replacement(name) {
            Some(help) => self.errors.advise(at, fact, help),
            None => {
                let help = format!(
                    "write it out, or as a `#[device]` function, with operators; one of a \
                     `#[device]` trait in another file is called by the trait: `Trait::{name}(..)`"
                );
                if method::is_of_std(name) {
                    self.errors.advise(at, fact, help)
                } else {
                    self.errors.advise_unless_rustc(at, fact, help)
                }
            }
        };
        self.make_reported(reported, at)
    }

    /// Infers the arguments of a method or associated function of the number type `this`;
    /// `receiver` is `None` if it has none.
    pub(crate) fn apply_method(
        &mut self,
        spec: MethodSpec,
        this: Ty,
        receiver: Option<Expr>,
        args: &Args,
        at: SpanRange,
    ) -> Expr {
        if !self.check_arg_count(spec.params.len(), args, at) {
            let ty = self.method_part_type(spec.ret, this);
            return self.make_expr(ExprKind::Reported, ty, at);
        }
        let args: Vec<&syn::Expr> = args.iter().collect();
        self.apply_method_to(spec, this, receiver, &args, at)
    }

    /// As [`Self::apply_method`], with the right number of arguments.
    pub(crate) fn apply_method_to(
        &mut self,
        spec: MethodSpec,
        this: Ty,
        receiver: Option<Expr>,
        args: &[&syn::Expr],
        at: SpanRange,
    ) -> Expr {
        let mut all: Vec<Expr> = receiver.into_iter().collect();
        for (arg, part) in args.iter().zip(spec.params) {
            let ty = self.method_part_type(*part, this);
            all.push(self.infer_expr_coerce(arg, ty));
        }
        let ty = self.method_part_type(spec.ret, this);
        self.make_expr(ExprKind::Method { method: spec.method, args: all }, ty, at)
    }

    fn method_part_type(&mut self, part: MethodPart, this: Ty) -> Ty {
        match part {
            MethodPart::This => this,
            MethodPart::Is(prim) => self.prim(prim),
            MethodPart::Unsigned => self.map_prim(this, Prim::unsigned),
            MethodPart::Signed => self.map_prim(this, Prim::signed),
            MethodPart::Option => self.option_type(this),
            MethodPart::WithBool => {
                let bool = self.prim(Prim::Bool);
                self.types.tuple(vec![this, bool])
            }
            MethodPart::Pair => self.types.tuple(vec![this, this]),
        }
    }

    fn map_prim(&mut self, this: Ty, change: impl Fn(Prim) -> Prim) -> Ty {
        self.types.as_prim(this).map_or(this, |prim| self.prim(change(prim)))
    }

    /// Returns true if the number of arguments is right; otherwise reports it and visits the
    /// arguments.
    pub(crate) fn check_arg_count(&mut self, expected: usize, args: &Args, at: SpanRange) -> bool {
        if args.len() == expected {
            return true;
        }
        self.infer_discarded(args);
        self.report_arg_count(expected, args.len(), at);
        false
    }

    pub(crate) fn report_arg_count(&mut self, expected: usize, found: usize, at: SpanRange) {
        self.errors
            .mistyped(at, format_args!("this takes {expected} arguments, and {found} are given"));
    }

    /// Registers the obligation of a shuffled value.
    pub(crate) fn oblige_shuffled(&mut self, ty: Ty, at: SpanRange) {
        self.oblige(at, Obligation::Shuffled(ty));
    }
}
