//! Method calls.
use crate::{
    hir::{Expr, GenericArg, GenericKind, Kind},
    infer::{
        Infer, Obligation,
        call::device_call::Function,
        items::signature::by_reference,
        traits::member::{Member, MemberKind, Told},
    },
    syntax::span::SpanRange,
    types::{
        Class, Prim, Ty, Type,
        method::{self, Part, Spec},
    },
};
use syn::{ExprMethodCall, punctuated::Punctuated};
use warpwise_compiler::{id::Id as _, ir::Extent};

/// Arguments as written.
pub(crate) type Args = Punctuated<syn::Expr, syn::Token![,]>;

impl Infer<'_> {
    pub(crate) fn method_call(&mut self, call: &ExprMethodCall, hint: Option<Ty>) -> Expr {
        let at =
            SpanRange::expr(&call.receiver).to(SpanRange::token(call.paren_token.span.close()));
        /// Infers a method call: the receiver, then its method.
        let name = call.method.to_string();
        let through = self.through_result(&name, &call.receiver, hint);
        let receiver = self.expr(&call.receiver, through);
        self.method_on(receiver, call, hint, at)
    }

    /// Infers a method of a receiver that is not dereferenced yet.
    pub(crate) fn method_on(
        &mut self,
        receiver: Expr,
        call: &ExprMethodCall,
        hint: Option<Ty>,
        at: SpanRange,
    ) -> Expr {
        let name = call.method.to_string();
        // Methods of the reference itself go first: `into_iter` of `&array` and iterator methods of
        // `&mut iterator` see the reference. All others see the value after all references.
        if name == "into_iter" && self.is_sequence(receiver.ty) {
            return self.iterated(receiver, at);
        }
        let receiver = match self.taken_by_reference(receiver, &name, at) {
            Ok(iterator) => return self.iter_method(iterator, &name, call, hint, at),
            Err(receiver) => self.autoderef(receiver),
        };
        self.method_of(receiver, call, hint, at)
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
    fn method_of(
        &mut self,
        receiver: Expr,
        call: &ExprMethodCall,
        hint: Option<Ty>,
        at: SpanRange,
    ) -> Expr {
        let name = call.method.to_string();
        let this = receiver.ty;
        match self.types.get(this) {
            Type::Reported(proof) => {
                self.discard(&call.args);
                return self.reported(proof, at);
            }
            Type::Unknown(class) => {
                if let Some(source) = self.converted_number(this, class, call, hint) {
                    self.hint(this, Some(source));
                    return self.method_of(receiver, call, hint, at);
                }
                return self.undecided_receiver(receiver, class, call, at);
            }
            Type::Iter(..) => {
                return match self.converted(receiver, call, hint, at) {
                    Ok(converted) => converted,
                    Err(iterator) => self.iter_method(iterator, &name, call, hint, at),
                };
            }
            _ => {}
        }
        // A method of a bound overrides the method of the number that a type parameter stands for.
        if let Some(spec) = method::method(&name, self.types.get(this))
            && self.meant_trait(this, &name).is_none()
        {
            self.no_turbofish(call);
            return self.apply(spec, this, Some(receiver), &call.args, at);
        }
        let receiver = match self.converted(receiver, call, hint, at) {
            Ok(converted) => return converted,
            Err(receiver) => receiver,
        };
        let receiver = match self.unwrapped(receiver, call, at) {
            Ok(unwrapped) => return unwrapped,
            Err(receiver) => receiver,
        };
        let receiver = match self.inside(receiver, call, at) {
            Ok(inside) => return inside,
            Err(receiver) => receiver,
        };
        let receiver = match self.method_of_impl(receiver, call, hint, at) {
            Ok(called) => return called,
            Err(receiver) => receiver,
        };
        let receiver = match self.as_written_iterator(receiver, &name, at) {
            Ok(iterator) => return self.iter_method(iterator, &name, call, hint, at),
            Err(receiver) => receiver,
        };
        let receiver = match self.referred_receiver(receiver, &name, at) {
            Ok(place) => {
                let place = self.autoderef(place);
                return self.behind_reference(|this| this.method_of(place, call, hint, at));
            }
            Err(receiver) => receiver,
        };
        let is_slice = matches!(self.types.get(this), Type::Slice(_) | Type::Array(..));
        if !is_slice {
            self.no_turbofish(call);
        }
        let receiver = match self.comparison_method(receiver, &name, call, at) {
            Ok(compared) => return compared,
            Err(receiver) => receiver,
        };
        let receiver = match self.operator_method(receiver, &name, &call.args, at) {
            Ok(result) => return result,
            Err(receiver) => receiver,
        };
        let is_array = matches!(self.types.get(this), Type::Array(..));
        match self.types.get(this) {
            _ if is_array && name == "clone" && call.args.is_empty() => self.taken(receiver),
            _ if is_slice => self.slice_method(receiver, &name, call, at),
            Type::Atomic(prim) => self.atomic_method(receiver, prim, call, at),
            _ if name == "clone" && call.args.is_empty() => self.taken(receiver),
            _ => self.no_method(&name, this, &call.args, at),
        }
    }

    /// Calls a method of an `impl`, or returns the receiver.
    pub(crate) fn method_of_impl(
        &mut self,
        receiver: Expr,
        call: &ExprMethodCall,
        hint: Option<Ty>,
        at: SpanRange,
    ) -> Result<Expr, Expr> {
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        let told = Told { args: &args, gives: hint, of_trait: None };
        let member = self.member_told(receiver.ty, &call.method.to_string(), None, told);
        let Some(Member { callee, env, kind: MemberKind::Fn(sig) }) = member else {
            return Err(receiver);
        };
        let receiver = self.adjusted(receiver, sig);
        let of = Function { callee, sig, env, gives: hint };
        Ok(self.call_function(of, receiver, call.turbofish.as_ref(), &call.args, at))
    }

    /// Returns the expected type of `x.try_into()`, given that the method `name` of its `Result` is
    /// expected to return `hint`.
    fn through_result(&mut self, name: &str, receiver: &syn::Expr, hint: Option<Ty>) -> Option<Ty> {
        let syn::Expr::MethodCall(inner) = receiver else { return None };
        if inner.method != "try_into" {
            return None;
        }
        let value = match name {
            "unwrap" | "expect" | "unwrap_or" | "unwrap_or_else" | "unwrap_or_default" => hint?,
            "ok" => self.types.first_arg(hint?)?,
            _ => return None,
        };
        Some(self.result_of(value))
    }

    /// Returns the type `Result<value, _>`, whose error is not known yet.
    pub(crate) fn result_of(&mut self, value: Ty) -> Ty {
        let result = self.program().library("Result").expect("the prelude has it");
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
            _ => self.option_iterator(ty).is_some(),
        }
    }

    fn no_turbofish(&mut self, call: &ExprMethodCall) {
        if let Some(turbofish) = &call.turbofish {
            self.errors.report(
                SpanRange::tokens(turbofish),
                "this method of kernel code has no generic arguments",
            );
        }
    }

    /// Adjusts the receiver to the method's `self`: by value, or by a reference to its place.
    pub(crate) fn adjusted(&mut self, receiver: Expr, sig: &syn::Signature) -> Option<Expr> {
        let at = self.places[receiver.at];
        match sig.inputs.first() {
            Some(syn::FnArg::Receiver(by)) => match by_reference(by) {
                Some(mutable) => {
                    if mutable && receiver.is_place() {
                        self.require_mutable(&receiver);
                    }
                    let ty = self.types.reference(mutable, receiver.ty);
                    Some(self.make(Kind::Borrow(Box::new(receiver)), ty, at))
                }
                None => Some(receiver),
            },
            _ => Some(receiver),
        }
    }

    /// Visits the arguments of a wrong call to report their own errors. Closures are left out,
    /// since the call decides their types.
    pub(crate) fn discard(&mut self, args: &Args) {
        for arg in args {
            if !matches!(arg, syn::Expr::Closure(_)) {
                self.expr(arg, None);
            }
        }
    }

    /// Infers a method of a number whose type is undecided: a method of a trait that all numbers of
    /// its kind implement, as in Rust.
    fn undecided_receiver(
        &mut self,
        receiver: Expr,
        class: Class,
        call: &ExprMethodCall,
        at: SpanRange,
    ) -> Expr {
        let (name, this) = (call.method.to_string(), receiver.ty);
        match (class, name.as_str()) {
            (Class::Int | Class::Float, "clone") if call.args.is_empty() => {
                return self.taken(receiver);
            }
            (Class::Int, "max" | "min") => {
                if let Some(spec) = method::method(&name, Type::Prim(Prim::I32)) {
                    return self.apply(spec, this, Some(receiver), &call.args, at);
                }
            }
            _ => {
                if let Some(spec) = method::method(&name, self.number_of_bounds(this)) {
                    return self.apply(spec, this, Some(receiver), &call.args, at);
                }
            }
        }
        match self.comparison_method(receiver, &name, call, at) {
            Ok(compared) => compared,
            Err(receiver) => self.unknown_receiver(&receiver, class, call, at),
        }
    }

    /// Returns the type of an unsuffixed number that `into` converts to the expected type: `x >
    /// 4.0.into()`.
    fn converted_number(
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
        let source = match self.made_by_bound(into, "From") {
            Some(source) => source,
            None if self.is_overloaded(into) => self.only_source(this, into)?,
            None => return None,
        };
        // Any other type would recurse without end.
        self.types.as_prim(source).is_some().then_some(source)
    }

    /// Reports a receiver of unknown type. rustc needs the type at this point, too.
    fn unknown_receiver(
        &mut self,
        receiver: &Expr,
        class: Class,
        call: &ExprMethodCall,
        at: SpanRange,
    ) -> Expr {
        self.discard(&call.args);
        let open = match receiver.kind {
            Kind::Param(len) => match self.types.extent(len) {
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
            crate::infer::unknown_open(self.errors, &name, self.places[receiver.at])
        } else {
            let help = match class {
                Class::Any => "declare the variable with its type",
                Class::Int => "give the number a suffix such as `u32`, or the variable a type",
                Class::Float => "give the number a suffix such as `f32`, or the variable a type",
            };
            let fact = format!("the type must be known before `{}` is called", call.method);
            self.errors.advise(self.places[receiver.at], fact, help)
        };
        let decided = self.types.add(Type::Reported(reported));
        self.types.decide(receiver.ty, decided);
        self.reported(reported, at)
    }

    pub(crate) fn no_method(&mut self, name: &str, ty: Ty, args: &Args, at: SpanRange) -> Expr {
        self.discard(args);
        let shown = self.types.show(ty);
        let fact = format!("kernel code cannot call the method `{name}` of `{shown}`");
        let reported = match method::advice(name) {
            Some(help) => self.errors.advise(at, fact, help),
            None => self.errors.advise(
                at,
                fact,
                format_args!(
                    "write it out, or as a `#[device]` function, with operators; one of a \
                     `#[device]` trait in another file is called by the trait: `Trait::{name}(..)`"
                ),
            ),
        };
        self.reported(reported, at)
    }

    /// Infers the arguments of a method or associated function of the number type `this`;
    /// `receiver` is `None` if it has none.
    pub(crate) fn apply(
        &mut self,
        spec: Spec,
        this: Ty,
        receiver: Option<Expr>,
        args: &Args,
        at: SpanRange,
    ) -> Expr {
        if !self.count(spec.params.len(), args, at) {
            let ty = self.part(spec.ret, this);
            return self.make(Kind::Reported, ty, at);
        }
        let args: Vec<&syn::Expr> = args.iter().collect();
        self.apply_to(spec, this, receiver, &args, at)
    }

    /// As [`Self::apply`], with the right number of arguments.
    pub(crate) fn apply_to(
        &mut self,
        spec: Spec,
        this: Ty,
        receiver: Option<Expr>,
        args: &[&syn::Expr],
        at: SpanRange,
    ) -> Expr {
        let mut all: Vec<Expr> = receiver.into_iter().collect();
        for (arg, part) in args.iter().zip(spec.params) {
            let ty = self.part(*part, this);
            all.push(self.expect(arg, ty));
        }
        let ty = self.part(spec.ret, this);
        self.make(Kind::Method { which: spec.which, args: all }, ty, at)
    }

    fn part(&mut self, part: Part, this: Ty) -> Ty {
        match part {
            Part::This => this,
            Part::Is(prim) => self.prim(prim),
            Part::Unsigned => self.sized_as(this, Prim::unsigned),
            Part::Signed => self.sized_as(this, Prim::signed),
            Part::Option => self.option(this),
            Part::WithBool => {
                let bool = self.prim(Prim::Bool);
                self.types.tuple(vec![this, bool])
            }
            Part::Pair => self.types.tuple(vec![this, this]),
        }
    }

    fn option(&mut self, of: Ty) -> Ty {
        let option = self.program().library("Option").expect("the prelude has it");
        let list = self.types.list(vec![GenericArg::Type(of)]);
        self.types.add(Type::Adt(option, list))
    }

    fn sized_as(&mut self, this: Ty, of: impl Fn(Prim) -> Prim) -> Ty {
        self.types.as_prim(this).map_or(this, |prim| self.prim(of(prim)))
    }

    /// Returns true if the number of arguments is right; otherwise reports it and visits the
    /// arguments.
    pub(crate) fn count(&mut self, expected: usize, args: &Args, at: SpanRange) -> bool {
        if args.len() == expected {
            return true;
        }
        self.discard(args);
        self.wrong_count(expected, args.len(), at);
        false
    }

    pub(crate) fn wrong_count(&mut self, expected: usize, found: usize, at: SpanRange) {
        self.errors
            .mistyped(at, format_args!("this takes {expected} arguments, and {found} are given"));
    }

    /// Registers the obligation of a shuffled value.
    pub(crate) fn shuffled(&mut self, ty: Ty, at: SpanRange) {
        self.oblige(at, Obligation::Shuffled(ty));
    }
}
