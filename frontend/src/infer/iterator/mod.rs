//! Iterators: ranges, iterators over slices and arrays, and adapters. Consumers are kernel code of
//! the standard library, around a `for` loop.
mod consumer;
mod flatten;
mod iterator_type;
mod user_iterator;

use crate::{
    hir::{Expr, ExprKind},
    infer::{
        Infer, Obligation,
        call::{closure::CallSignature, reject},
        iterator::consumer::keeps_rest,
    },
    syntax::span::SpanRange,
    types::{
        GenericArg, Prim, Ty, Type,
        iterator::{Adapter, IterKind},
    },
};
use syn::{ExprMethodCall, ExprRange, RangeLimits};

impl<'a> Infer<'a> {
    /// Makes an iterator of these parts.
    pub(crate) fn make_iterator(
        &mut self,
        chain: IterKind,
        item: Ty,
        parts: Vec<Expr>,
        at: SpanRange,
    ) -> Expr {
        let types = [item].into_iter().chain(parts.iter().map(|part| part.ty));
        let types = types.collect();
        let ty = self.iterator_type(chain, types);
        let fields = parts.into_iter().enumerate().collect();
        self.make_expr(ExprKind::Aggregate { variant: None, fields, base: None }, ty, at)
    }

    /// Returns the iterator of a type, and its item type.
    pub(crate) fn as_iterator(&self, ty: Ty) -> Option<(IterKind, Ty)> {
        match self.types.get(ty) {
            Type::Iter(chain, list) => self.types.parts(list).first().map(|item| (chain, *item)),
            _ => None,
        }
    }

    /// Infers `a..b`, `a..=b` and `a..` as values.
    pub(crate) fn infer_range(&mut self, range: &ExprRange) -> Expr {
        let at = SpanRange::tokens(range);
        let Some(start) = &range.start else { return self.infer_range_to(range, at) };
        let start = self.infer_expr(start, None);
        let ty = start.ty;
        let Some(end) = &range.end else {
            return self.make_iterator(IterKind::RangeFrom, ty, vec![start], at);
        };
        let end = self.infer_expr_coerce(end, ty);
        let chain = match range.limits {
            RangeLimits::HalfOpen(_) => IterKind::Range,
            RangeLimits::Closed(_) => IterKind::RangeInclusive,
        };
        self.make_iterator(chain, ty, vec![start, end], at)
    }

    /// Infers `..b` and `..=b` as values, which are no iterators.
    fn infer_range_to(&mut self, range: &ExprRange, at: SpanRange) -> Expr {
        let name = match range.limits {
            RangeLimits::HalfOpen(_) => "std::ops::RangeTo",
            RangeLimits::Closed(_) => "std::ops::RangeToInclusive",
        };
        let (Some(end), Some(of)) = (&range.end, self.program().std_item(name)) else {
            let (fact, help) = reject::open_range();
            let reported = self.errors.advise(at, fact, help);
            return self.make_reported(reported, at);
        };
        let end = self.infer_expr(end, None);
        let list = self.types.list(vec![GenericArg::Type(end.ty)]);
        let ty = self.types.add(Type::Adt(of, list));
        self.make_expr(
            ExprKind::Aggregate { variant: None, fields: vec![(0, end)], base: None },
            ty,
            at,
        )
    }

    /// Returns true for the type of `..b` or `..=b`.
    pub(crate) fn is_range_to(&self, ty: Ty) -> bool {
        let Type::Adt(of, _) = self.types.get(ty) else { return false };
        let names = ["std::ops::RangeTo", "std::ops::RangeToInclusive"];
        names.iter().any(|name| self.program().std_item(name) == Some(of))
    }

    /// Makes `x.iter()` of a slice reference.
    pub(crate) fn make_slice_iter(&mut self, slice: Expr, at: SpanRange) -> Expr {
        let item = match self.types.get(slice.ty) {
            Type::Ref { mutable, to } => match self.types.get(to) {
                Type::Slice(elem) => self.types.reference(mutable, elem),
                _ => self.unknown(),
            },
            _ => self.unknown(),
        };
        self.make_iterator(IterKind::Slice, item, vec![slice], at)
    }

    /// Infers `x.chunks(n)` and the like.
    pub(crate) fn infer_chunks(
        &mut self,
        chain: IterKind,
        receiver: Expr,
        mutable: bool,
        call: &ExprMethodCall,
        at: SpanRange,
    ) -> Expr {
        let slice = self.make_slice_reference(receiver, mutable);
        let item = slice.ty;
        if !self.check_arg_count(1, &call.args, at) {
            return self.make_expr(ExprKind::Reported, item, at);
        }
        let usize = self.prim(Prim::Usize);
        let size = self.infer_expr_coerce(&call.args[0], usize);
        let state = (chain == IterKind::ChunksExact).then(|| self.make_zero_count(at));
        self.make_iterator(chain, item, [slice, size].into_iter().chain(state).collect(), at)
    }

    /// Registers the obligation that a range can count over its items.
    pub(crate) fn oblige_range_items(&mut self, ty: Ty, at: SpanRange) {
        if let Some((IterKind::Range | IterKind::RangeInclusive | IterKind::RangeFrom, item)) =
            self.as_iterator(ty)
        {
            self.oblige(at, Obligation::Range(item));
        }
    }

    /// Converts the value of a `for` loop or an argument of `zip` to an iterator.
    pub(crate) fn make_into_iter(&mut self, value: Expr, at: SpanRange) -> Expr {
        self.oblige_range_items(value.ty, at);
        // The order follows `IntoIterator`: iterators themselves, references to them before
        // `impl`s, then options and the user's `IntoIterator`, then slices.
        match self.types.get(value.ty) {
            Type::Iter(..) | Type::Reported(_) => return value,
            Type::Array(elem, _) => {
                let taken = [self.make_zero_count(at), self.make_zero_count(at)];
                let parts = [value].into_iter().chain(taken).collect();
                return self.make_iterator(IterKind::Array, elem, parts, at);
            }
            Type::Ref { mutable: true, to } if let Some(item) = self.iterator_item(to) => {
                return self.make_iterator(
                    IterKind::Adapter(Adapter::ByRef),
                    item,
                    vec![value],
                    at,
                );
            }
            _ if let Some(item) = self.user_iterator_item(value.ty) => {
                return self.make_iterator(IterKind::UserDefined, item, vec![value], at);
            }
            _ if let Some(name) = self.option_iterator_method(value.ty) => {
                let value = self.autoderef(value);
                return match self.try_method_by_name(value, name, at) {
                    Ok(iterator) => iterator,
                    Err(value) => self.report_no_iterator(&value, at),
                };
            }
            _ if let Some(member) = self.find_into_iterator(value.ty) => {
                let made = self.make_operator_call(member, value, None, at);
                let is_iterator = self.iterator_item(made.ty).is_some();
                return if is_iterator {
                    self.make_into_iter(made, at)
                } else {
                    self.report_no_iterator(&made, at)
                };
            }
            Type::Ref { mutable, to } => {
                let place_at = self.spans[value.at];
                if let Type::Slice(_) | Type::Array(..) = self.types.get(to) {
                    let place = self.make_expr(ExprKind::Deref(Box::new(value)), to, place_at);
                    let slice = self.make_slice_reference(place, mutable);
                    return self.make_slice_iter(slice, at);
                }
            }
            _ => {}
        }
        self.report_no_iterator(&value, at)
    }

    fn report_no_iterator(&mut self, value: &Expr, at: SpanRange) -> Expr {
        let shown = self.types.show(value.ty);
        let host_impl = ["next", "into_iter"]
            .into_iter()
            .find_map(|function| reject::host_blocks(at, function, &shown));
        if let Some(help) = host_impl {
            let fact = format_args!("kernel code cannot iterate over a value of type `{shown}`");
            let reported = self.errors.advise(at, fact, help);
            return self.make_reported(reported, at);
        }
        let reported = self.errors.advise_unless_rustc(
            at,
            format_args!("kernel code cannot iterate over a value of type `{shown}`"),
            "loop over a range, a slice, an array, an iterator of those, or what has a `#[device] impl Iterator`",
        );
        self.make_reported(reported, at)
    }

    /// Makes the zero for a count of items taken or skipped.
    fn make_zero_count(&mut self, at: SpanRange) -> Expr {
        let usize = self.prim(Prim::Usize);
        self.make_expr(ExprKind::Int(0), usize, at)
    }

    /// Makes `None` of an option of this type.
    pub(crate) fn make_none(&mut self, ty: Ty, at: SpanRange) -> Expr {
        let option = self.option_type(ty);
        let none = ExprKind::Aggregate { variant: Some(0), fields: Vec::new(), base: None };
        self.make_expr(none, option, at)
    }

    /// Makes `iter.by_ref()`: the remaining items stay in the variable.
    pub(crate) fn make_by_ref(&mut self, receiver: Expr, item: Ty, at: SpanRange) -> Expr {
        if !receiver.is_place() {
            return receiver;
        }
        self.require_mutable(&receiver);
        let ty = self.types.reference(true, receiver.ty);
        let reference = self.make_expr(ExprKind::Borrow(Box::new(receiver)), ty, at);
        self.make_iterator(IterKind::Adapter(Adapter::ByRef), item, vec![reference], at)
    }

    fn make_peekable(&mut self, receiver: Expr, item: Ty, at: SpanRange) -> Expr {
        let seen = self.make_none(item, at);
        let state = self.make_zero_count(at);
        self.make_iterator(
            IterKind::Adapter(Adapter::Peekable),
            item,
            vec![receiver, seen, state],
            at,
        )
    }

    fn make_cycle(&mut self, receiver: Expr, item: Ty, at: SpanRange) -> Expr {
        let left = self.make_none(receiver.ty, at);
        self.make_iterator(IterKind::Adapter(Adapter::Cycle), item, vec![receiver, left], at)
    }

    /// Infers a method of an iterator.
    pub(crate) fn infer_iter_method(
        &mut self,
        receiver: Expr,
        name: &str,
        call: &ExprMethodCall,
        hint: Option<Ty>,
        at: SpanRange,
    ) -> Expr {
        let Some((chain, item)) = self.as_iterator(receiver.ty) else {
            return self.report_no_method(name, receiver.ty, &call.args, at);
        };
        if !matches!(name, "contains" | "is_empty" | "clone" | "start" | "end") {
            self.oblige_range_items(receiver.ty, at);
        }
        if name == "clone" && call.args.is_empty() {
            return self.place_to_value(receiver);
        }
        // An iterator in a variable keeps its remaining items, so it is advanced in place.
        if receiver.is_place() && keeps_rest(name) {
            return self.infer_partial_consumer(receiver, (chain, item), name, call, at);
        }
        match name {
            "into_iter" if call.args.is_empty() => receiver,
            "enumerate" | "rev" | "copied" | "cloned" | "zip" | "chain" | "skip" | "take"
            | "step_by" => self.infer_plain_adapter(receiver, item, name, call, at),
            "by_ref" if self.check_arg_count(0, &call.args, at) => {
                self.make_by_ref(receiver, item, at)
            }
            "peekable" if self.check_arg_count(0, &call.args, at) => {
                self.make_peekable(receiver, item, at)
            }
            "cycle" if self.check_arg_count(0, &call.args, at) => {
                self.make_cycle(receiver, item, at)
            }
            // An iterator that has ended yields nothing more, unless a closure ended it.
            "fuse" if call.args.is_empty() && !self.may_resume_after_none(receiver.ty) => receiver,
            "flatten" => self.infer_flatten(receiver, item, call, at),
            "flat_map" => {
                let mapped = self.infer_closure_adapter(receiver, item, "map", call, at);
                match self.as_iterator(mapped.ty) {
                    Some((_, items)) => self.make_flatten(mapped, items, at),
                    None => mapped,
                }
            }
            "scan" => self.infer_scan(receiver, item, call, at),
            "map" | "filter" | "filter_map" | "map_while" | "take_while" | "skip_while"
            | "inspect" => self.infer_closure_adapter(receiver, item, name, call, at),
            // A temporary iterator: its last item is the first of the reversed one.
            "next_back" if call.args.is_empty() => {
                let last =
                    self.make_iterator(IterKind::Adapter(Adapter::Rev), item, vec![receiver], at);
                self.infer_consumer(
                    last,
                    (IterKind::Adapter(Adapter::Rev), item),
                    "next",
                    call,
                    None,
                    at,
                )
            }
            "len" if self.check_arg_count(0, &call.args, at) => {
                let usize = self.prim(Prim::Usize);
                self.make_expr(ExprKind::IterLen(Box::new(receiver)), usize, at)
            }
            "len" => self.make_expr(ExprKind::Reported, receiver.ty, at),
            "start" | "end" if chain == IterKind::RangeInclusive && call.args.is_empty() => {
                self.make_range_bound(receiver, item, name, at)
            }
            "sum" | "product" => {
                let target = self.fold_target(call, hint);
                if self.folds_wrapped_numbers(name, item) {
                    let result = self.infer_consumer(receiver, (chain, item), name, call, hint, at);
                    if let Some(target) = target {
                        self.unify(at, result.ty, target);
                    }
                    result
                } else if target.is_some_and(|target| self.is_overloaded(target))
                    || self.fold_name(name, item).is_none()
                {
                    self.infer_fold_by_impl(receiver, item, name, target, call, at)
                } else {
                    self.infer_consumer(receiver, (chain, item), name, call, hint, at)
                }
            }
            "collect" => {
                let target = self.fold_target(call, hint);
                if let Some(Type::Reported(proof)) = target.map(|target| self.types.get(target)) {
                    return self.make_reported(proof, at);
                }
                match target.filter(|target| self.is_overloaded(*target)) {
                    Some(_) => self.infer_fold_by_impl(receiver, item, name, target, call, at),
                    None => self.infer_consumer(receiver, (chain, item), name, call, hint, at),
                }
            }
            _ => self.infer_consumer(receiver, (chain, item), name, call, hint, at),
        }
    }

    /// Makes the reference that `start()` or `end()` of an inclusive range returns.
    fn make_range_bound(&mut self, range: Expr, item: Ty, name: &str, at: SpanRange) -> Expr {
        let index = usize::from(name == "end");
        let end = self.make_expr(ExprKind::Field { base: Box::new(range), index }, item, at);
        let ty = self.types.reference(false, item);
        self.make_expr(ExprKind::Borrow(Box::new(end)), ty, at)
    }

    /// Makes an adapter without a closure.
    fn infer_plain_adapter(
        &mut self,
        receiver: Expr,
        item: Ty,
        name: &str,
        call: &ExprMethodCall,
        at: SpanRange,
    ) -> Expr {
        let usize = self.prim(Prim::Usize);
        let expected = usize::from(matches!(name, "zip" | "chain" | "skip" | "take" | "step_by"));
        if !self.check_arg_count(expected, &call.args, at) {
            return self.make_expr(ExprKind::Reported, receiver.ty, at);
        }
        let mut state = None;
        let (adapter, item, second) = match name {
            "enumerate" => {
                let zero = self.make_expr(ExprKind::Int(0), usize, at);
                (Adapter::Enumerate, self.types.tuple(vec![usize, item]), Some(zero))
            }
            "rev" => (Adapter::Rev, item, None),
            "copied" | "cloned" => match self.types.get(item) {
                Type::Ref { to, .. } => (Adapter::Copied, to, None),
                _ if name == "cloned" => return receiver,
                _ => {
                    let shown = self.types.show(item);
                    let fact = format_args!("the items are of type `{shown}`, not references");
                    let reported = self.errors.mistyped(at, fact);
                    return self.make_reported(reported, at);
                }
            },
            "zip" => {
                let arg_at = SpanRange::expr(&call.args[0]);
                let other = self.infer_expr(&call.args[0], None);
                let other = self.make_into_iter(other, arg_at);
                let Some((_, theirs)) = self.as_iterator(other.ty) else { return other };
                (Adapter::Zip, self.types.tuple(vec![item, theirs]), Some(other))
            }
            "chain" => {
                let arg_at = SpanRange::expr(&call.args[0]);
                let other = self.infer_expr(&call.args[0], None);
                let other = self.make_into_iter(other, arg_at);
                let Some((_, theirs)) = self.as_iterator(other.ty) else { return other };
                self.unify(arg_at, theirs, item);
                state = Some(self.make_zero_count(at));
                (Adapter::Chain, item, Some(other))
            }
            _ => {
                let adapter = match name {
                    "skip" => Adapter::Skip,
                    "take" => Adapter::Take,
                    _ => {
                        state = Some(self.make_zero_count(at));
                        Adapter::StepBy
                    }
                };
                (adapter, item, Some(self.infer_expr_coerce(&call.args[0], usize)))
            }
        };
        let parts = [receiver].into_iter().chain(second).chain(state).collect();
        self.make_iterator(IterKind::Adapter(adapter), item, parts, at)
    }

    /// Makes the type of an iterator from its item type and its part types.
    pub(crate) fn iterator_type(&mut self, chain: IterKind, types: Vec<Ty>) -> Ty {
        let list = self.types.list(types.into_iter().map(GenericArg::Type).collect());
        self.types.add(Type::Iter(chain, list))
    }

    /// Infers `scan(first, |state, item| ..)`.
    fn infer_scan(
        &mut self,
        receiver: Expr,
        item: Ty,
        call: &ExprMethodCall,
        at: SpanRange,
    ) -> Expr {
        if !self.check_arg_count(2, &call.args, at) {
            return self.make_expr(ExprKind::Reported, receiver.ty, at);
        }
        let first = self.infer_expr(&call.args[0], None);
        let state = self.types.reference(true, first.ty);
        let yields = self.turbofish_type(call, 1).unwrap_or_else(|| self.unknown());
        let ret = self.option_type(yields);
        let callable = CallSignature { params: vec![state, item], ret };
        let closure = self.infer_callable(&call.args[1], &callable);
        self.make_iterator(
            IterKind::Adapter(Adapter::Scan),
            yields,
            vec![receiver, closure, first],
            at,
        )
    }

    /// Makes an adapter with a closure.
    fn infer_closure_adapter(
        &mut self,
        receiver: Expr,
        item: Ty,
        name: &str,
        call: &ExprMethodCall,
        at: SpanRange,
    ) -> Expr {
        if !self.check_arg_count(1, &call.args, at) {
            return self.make_expr(ExprKind::Reported, receiver.ty, at);
        }
        let bool = self.prim(Prim::Bool);
        let by_reference = self.types.reference(false, item);
        let is_map = name.contains("map");
        let written = is_map.then(|| self.turbofish_type(call, 0)).flatten();
        let mapped = written.unwrap_or_else(|| self.unknown());
        let (adapter, param, ret, yields) = match name {
            "map" => (Adapter::Map, item, mapped, mapped),
            "filter_map" => (Adapter::FilterMap, item, self.option_type(mapped), mapped),
            "map_while" => (Adapter::MapWhile, item, self.option_type(mapped), mapped),
            "filter" => (Adapter::Filter, by_reference, bool, item),
            "take_while" => (Adapter::TakeWhile, by_reference, bool, item),
            "skip_while" => (Adapter::SkipWhile, by_reference, bool, item),
            _ => (Adapter::Inspect, by_reference, self.types.unit(), item),
        };
        let closure =
            self.infer_callable(&call.args[0], &CallSignature { params: vec![param], ret });
        let state = adapter.state_part().map(|_| self.make_zero_count(at));
        let parts = [receiver, closure].into_iter().chain(state).collect();
        self.make_iterator(IterKind::Adapter(adapter), yields, parts, at)
    }

    /// Returns true if an iterator, or one inside it, may yield items again after `None`.
    fn may_resume_after_none(&self, ty: Ty) -> bool {
        match self.types.get(ty) {
            Type::Iter(chain, list) => {
                matches!(
                    chain,
                    IterKind::UserDefined
                        | IterKind::Adapter(Adapter::MapWhile | Adapter::Scan | Adapter::ByRef)
                ) || self
                    .types
                    .parts(list)
                    .into_iter()
                    .skip(1)
                    .any(|part| self.may_resume_after_none(part))
            }
            _ => false,
        }
    }
}
