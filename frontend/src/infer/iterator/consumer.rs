//! Consumers of iterators: library methods, which are kernel code with a `for` loop or with `next`.
use crate::{
    hir::{Expr, ExprKind},
    infer::{
        Infer,
        call::{device_call::ResolvedFunction, reject},
        items::{scope::Env, signature::receiver_reference},
        traits::member::{Member, MemberKind},
    },
    resolve::device_set::Callee,
    syntax::span::SpanRange,
    types::{
        Class, GenericArg, Ty, Type,
        iterator::{Adapter, IterKind},
    },
};
use syn::ExprMethodCall;

impl<'a> Infer<'a> {
    /// Infers a method that consumes an iterator: of the library, or of a trait that all iterators
    /// implement.
    pub(crate) fn infer_consumer(
        &mut self,
        receiver: Expr,
        (chain, item): (IterKind, Ty),
        name: &str,
        call: &ExprMethodCall,
        hint: Option<Ty>,
        at: SpanRange,
    ) -> Expr {
        if let Some(found) = self.find_consumer(chain, item, name) {
            return self.infer_iterator_std_call(receiver, item, found, call, hint, at);
        }
        match self.try_impl_method(receiver, call, hint, at) {
            Ok(called) => called,
            Err(receiver) => self.report_no_iter_method(receiver.ty, name, call, at),
        }
    }

    /// Infers a method of an iterator in a variable, which keeps the remaining items.
    pub(crate) fn infer_partial_consumer(
        &mut self,
        receiver: Expr,
        (chain, item): (IterKind, Ty),
        name: &str,
        call: &ExprMethodCall,
        at: SpanRange,
    ) -> Expr {
        let rest = format!("{name}_of_rest");
        let function = match name {
            "next" | "next_back" => chain.next_function(name == "next_back"),
            "nth" if chain.nth_function().is_some() => chain.nth_function(),
            _ => chain.next_function(takes_from_back(name)).map(|_| rest.as_str()),
        };
        let found = function.and_then(|name| self.program().std_function("Iterator", name));
        let Some(found) = found else {
            self.infer_discarded(&call.args);
            let (fact, help) = reject::partial_consumer(name);
            let reported = self.errors.advise(at, fact, help);
            return self.make_reported(reported, at);
        };
        self.infer_iterator_std_call(receiver, item, found, call, None, at)
    }

    /// Infers a call of a library function that is an iterator method.
    pub(crate) fn infer_iterator_std_call(
        &mut self,
        receiver: Expr,
        item: Ty,
        (callee, sig): (Callee, &'a syn::Signature),
        call: &ExprMethodCall,
        hint: Option<Ty>,
        at: SpanRange,
    ) -> Expr {
        let name = call.method.to_string();
        let env = Env {
            args: [("T".to_owned(), GenericArg::Type(item))].into(),
            home: Some(callee.item),
            self_ty: Some(receiver.ty),
        };
        let by = match sig.inputs.first() {
            Some(syn::FnArg::Receiver(by)) => receiver_reference(by),
            _ => None,
        };
        let receiver = match by {
            Some(mutable) => {
                if mutable && receiver.is_place() {
                    self.require_mutable(&receiver);
                }
                let ty = self.types.reference(mutable, receiver.ty);
                self.make_expr(ExprKind::Borrow(Box::new(receiver)), ty, at)
            }
            None => receiver,
        };
        let function = ResolvedFunction { callee, sig, env, expected: hint };
        let folds = matches!(name.as_str(), "sum" | "product");
        let in_other = self.is_overloaded(item);
        let turbofish = call.turbofish.as_ref().filter(|_| !(folds && in_other));
        let result = self.infer_function_call(function, Some(receiver), turbofish, &call.args, at);
        if folds {
            // For options and results, the sum is that of their values.
            let [summed, item] = [result.ty, item].map(|ty| self.types.first_arg(ty).unwrap_or(ty));
            let number = self.types.pointee(item);
            self.unify(at, summed, number);
        }
        result
    }

    /// Returns the written or expected result type of `sum`, `product` or `collect`.
    pub(crate) fn fold_target(&mut self, call: &ExprMethodCall, hint: Option<Ty>) -> Option<Ty> {
        self.turbofish_type(call, 0).or(hint)
    }

    /// Returns the type that is this generic argument of a call.
    pub(crate) fn turbofish_type(&mut self, call: &ExprMethodCall, index: usize) -> Option<Ty> {
        match call.turbofish.as_ref()?.args.get(index)? {
            syn::GenericArgument::Type(ty) => Some(self.resolve_type(ty)),
            _ => None,
        }
    }

    /// Infers `sum`, `product` and `collect` by an `impl` of `Sum`, `Product` or `FromIterator`.
    pub(crate) fn infer_fold_by_impl(
        &mut self,
        receiver: Expr,
        item: Ty,
        name: &str,
        target: Option<Ty>,
        call: &ExprMethodCall,
        at: SpanRange,
    ) -> Expr {
        let this = target.unwrap_or_else(|| self.types.pointee(item));
        let (of_trait, function) = match name {
            "sum" => ("Sum", name),
            "product" => ("Product", name),
            _ => ("FromIterator", "from_iter"),
        };
        match self.find_fold_impl(of_trait, function, this, item) {
            Some(Member { callee, env, kind: MemberKind::Fn(sig) }) if call.args.is_empty() => {
                let function = ResolvedFunction { callee, sig, env, expected: None };
                self.infer_function_call(function, Some(receiver), None, &call.args, at)
            }
            _ => self.report_no_iter_method(receiver.ty, name, call, at),
        }
    }

    /// Returns the function of the `impl` of `Sum` or the like that takes these items: `Sum<&Point>
    /// for Point`.
    fn find_fold_impl(
        &mut self,
        of_trait: &str,
        name: &str,
        this: Ty,
        item: Ty,
    ) -> Option<Member<'a>> {
        for index in self.program().impls_with_member(name) {
            let Some(syn::Item::Impl(defined)) = self.program().item(index) else { continue };
            let last = defined.trait_.as_ref().and_then(|(path, _)| path.segments.last());
            let Some(last) = last.filter(|last| last.ident == of_trait) else { continue };
            let Some((callee, sig)) = self.program().impl_method(index, name) else { continue };
            let Some((env, made)) = self.instantiate_impl(index) else { continue };
            let written = match &last.arguments {
                syn::PathArguments::AngleBracketed(args) => args.args.first(),
                syn::PathArguments::None | syn::PathArguments::Parenthesized(_) => None,
            };
            let taken = match written {
                Some(syn::GenericArgument::Type(ty)) => self.resolve_type_in(ty, &env),
                _ => made,
            };
            if !self.types.could_unify(made, this) || !self.types.could_unify(taken, item) {
                continue;
            }
            self.types.unify(made, this).ok()?;
            self.types.unify(taken, item).ok()?;
            return Some(Member { callee, env, kind: MemberKind::Fn(sig) });
        }
        None
    }

    pub(crate) fn report_no_iter_method(
        &mut self,
        ty: Ty,
        name: &str,
        call: &ExprMethodCall,
        at: SpanRange,
    ) -> Expr {
        self.infer_discarded(&call.args);
        if let Some((_, item)) = self.as_iterator(ty)
            && let Type::Reported(proof) = self.types.get(self.types.pointee(item))
        {
            return self.make_reported(proof, at);
        }
        let shown = self.types.show(ty);
        let fact = format!("kernel code cannot call `{name}` of the iterator `{shown}`");
        let blocks = match (name, self.as_iterator(ty)) {
            ("sum" | "product", Some((_, item))) => {
                reject::host_blocks(at, name, &self.types.show(item))
            }
            _ => None,
        };
        let reported = match reject::iter_method(name) {
            Some(_) if let Some(help) = blocks => self.errors.advise(at, fact, help),
            Some(help) => self.errors.advise(at, fact, help),
            None => self.errors.advise_unless_rustc(at, fact, "write a `for` loop"),
        };
        self.make_reported(reported, at)
    }

    /// Returns the library function of a method.
    pub(crate) fn find_consumer(
        &self,
        chain: IterKind,
        item: Ty,
        name: &str,
    ) -> Option<(Callee, &'a syn::Signature)> {
        let folded = match name {
            "sum" | "product" => Some(self.wrapped_fold_name(name, item)?),
            _ => None,
        };
        let name = match (name, chain) {
            ("sum" | "product", _) => folded.as_deref()?,
            // std does not visit every item here either.
            (
                "last",
                IterKind::Slice
                | IterKind::Chunks
                | IterKind::ChunksExact
                | IterKind::Windows
                | IterKind::Range
                | IterKind::RangeInclusive,
            ) => "last_from_back",
            (
                "count",
                IterKind::Slice | IterKind::Chunks | IterKind::ChunksExact | IterKind::Windows,
            ) => "count_by_len",
            ("contains" | "is_empty", IterKind::Range) => name,
            ("contains", IterKind::RangeInclusive) => "contains_inclusive",
            ("is_empty", IterKind::RangeInclusive) => "is_empty_inclusive",
            ("contains", IterKind::RangeFrom) => "contains_from",
            ("contains" | "is_empty", _) => return None,
            ("remainder" | "into_remainder", chain) if chain != IterKind::ChunksExact => {
                return None;
            }
            ("peek" | "peek_mut" | "next_if" | "next_if_eq", chain)
                if chain != IterKind::Adapter(Adapter::Peekable) =>
            {
                return None;
            }
            _ => name,
        };
        self.program().std_function("Iterator", name)
    }

    /// Returns true for a `sum` or `product` of options or results of numbers.
    pub(crate) fn folds_wrapped_numbers(&self, name: &str, item: Ty) -> bool {
        self.fold_name(name, item).is_none() && self.wrapped_fold_name(name, item).is_some()
    }

    /// Returns the library's name of `sum` or `product` of these items, including options and
    /// results of numbers.
    fn wrapped_fold_name(&self, name: &str, item: Ty) -> Option<String> {
        let Type::Adt(of, list) = self.types.get(item) else {
            return self.fold_name(name, item).map(str::to_owned);
        };
        let found = self.fold_name(name, *self.types.parts(list).first()?)?;
        let program = self.program();
        if program.std_item("Option") == Some(of) {
            Some(format!("{found}_in_options"))
        } else if program.std_item("Result") == Some(of) {
            Some(format!("{found}_in_results"))
        } else {
            None
        }
    }

    /// Returns the library's name of `sum` or `product` of numbers. Sums of floats and integers
    /// differ in their initial value: -0.0 for floats, as in std. Those of halves are rounded
    /// once, as in the crate `half`.
    pub(crate) fn fold_name(&self, name: &str, item: Ty) -> Option<&'static str> {
        let [integers, floats, halves, generic] = match name {
            "sum" => {
                ["sum_of_integers", "sum_of_floats", "sum_of_halves", "sum_of_generic_numbers"]
            }
            _ => [
                "product_of_integers",
                "product_of_floats",
                "product_of_halves",
                "product_of_generic_numbers",
            ],
        };
        match self.types.get(self.types.pointee(item)) {
            Type::Prim(prim) if prim.is_half() => Some(halves),
            Type::Prim(prim) if prim.is_float() => Some(floats),
            Type::Prim(prim) if prim.is_int() => Some(integers),
            Type::Unknown(Class::Float) => Some(floats),
            Type::Unknown(Class::Int) => Some(integers),
            Type::Generic(_) => Some(generic),
            _ => None,
        }
    }
}

/// Returns true for a method that leaves the remaining items usable.
pub(crate) fn keeps_rest(name: &str) -> bool {
    matches!(
        name,
        "any"
            | "all"
            | "find"
            | "find_map"
            | "next"
            | "next_back"
            | "nth"
            | "position"
            | "try_fold"
            | "try_for_each"
    ) || takes_from_back(name)
}

/// Returns true for a method that takes the last items first.
fn takes_from_back(name: &str) -> bool {
    matches!(name, "nth_back" | "rfind" | "rposition" | "try_rfold")
}
