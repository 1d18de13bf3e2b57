//! `flatten` and `flat_map`: the items of items.
use crate::{
    hir::{Expr, Kind},
    infer::{
        Infer,
        call::{device_call::Function, method_call::Args},
        traits::member::{Member, MemberKind},
    },
    syntax::span::SpanRange,
    types::{
        Ty, Type,
        chain::{Adapter, Chain},
    },
};
use syn::ExprMethodCall;

impl Infer<'_> {
    pub(crate) fn flattened(
        &mut self,
        receiver: Expr,
        item: Ty,
        call: &ExprMethodCall,
        at: SpanRange,
    ) -> Expr {
        if !self.count(0, &call.args, at) {
            return self.make(Kind::Reported, receiver.ty, at);
        }
        self.items_of(receiver, item, at)
    }

    /// Flattens an iterator over items of type `item`.
    pub(crate) fn items_of(&mut self, receiver: Expr, item: Ty, at: SpanRange) -> Expr {
        if let Type::Reported(proof) = self.types.get(item) {
            return self.reported(proof, at);
        }
        if self.is_option(item) {
            return self.some_of(receiver, item, at);
        }
        if let Some(inner) = self.iterator_over(item, at) {
            return self.those_of(receiver, inner, at);
        }
        if self.option_iterator(item).is_some() {
            let options = self.each_as(receiver, item, at, |this, item| this.as_option(item, at));
            return match self.as_chain(options.ty) {
                Some((_, option)) if self.is_option(option) => self.some_of(options, option, at),
                _ => options,
            };
        }
        if self.made_into_iterator(item).is_some() {
            let made = self.each_as(receiver, item, at, |this, item| this.iterated(item, at));
            let inner = self.as_chain(made.ty).map(|(_, inner)| inner);
            return match inner {
                Some(inner) if self.as_chain(inner).is_some() => self.those_of(made, inner, at),
                _ => made,
            };
        }
        let shown = self.types.show(item);
        let reported = self.errors.advise(
            at,
            format_args!("kernel code cannot iterate over items of type `{shown}`"),
            "items are ranges, slices, arrays, options, results, iterators, or what has a `#[device] impl IntoIterator`",
        );
        self.reported(reported, at)
    }

    fn is_option(&self, ty: Ty) -> bool {
        matches!(self.types.get(ty), Type::Adt(of, _) if self.program().library("Option") == Some(of))
    }

    /// Flattens options of type `option`.
    fn some_of(&mut self, receiver: Expr, option: Ty, at: SpanRange) -> Expr {
        let Some(inner) = self.types.first_arg(option) else { return receiver };
        self.chain(Chain::Of(Adapter::Options), inner, vec![receiver], at)
    }

    /// Flattens items that an iterator of type `inner` iterates over.
    fn those_of(&mut self, receiver: Expr, inner: Ty, at: SpanRange) -> Expr {
        let Some((_, item)) = self.as_chain(inner) else { return receiver };
        let at_hand = self.none_of(inner, at);
        self.chain(Chain::Of(Adapter::Flatten), item, vec![receiver, at_hand], at)
    }

    /// Returns the type of the iterator over an item, if the loop itself makes the iterator.
    fn iterator_over(&mut self, item: Ty, at: SpanRange) -> Option<Ty> {
        let written = self.written_item(item);
        match self.types.get(item) {
            Type::Iter(..) => {
                self.counts(item, at);
                Some(item)
            }
            _ if let Some(inner) = written => {
                Some(self.iterator_type(Chain::Written, vec![inner, item]))
            }
            Type::Array(elem, _) => {
                let taken = self.prim(crate::infer::Prim::Usize);
                Some(self.iterator_type(Chain::Array, vec![elem, item, taken, taken]))
            }
            Type::Ref { mutable, to } => match self.types.get(to) {
                Type::Slice(elem) | Type::Array(elem, _) => {
                    let slice = self.types.add(Type::Slice(elem));
                    let slice = self.types.reference(mutable, slice);
                    let elem = self.types.reference(mutable, elem);
                    Some(self.iterator_type(Chain::Slice, vec![elem, slice]))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Maps each item by `make`.
    fn each_as(
        &mut self,
        receiver: Expr,
        item: Ty,
        at: SpanRange,
        make: impl FnOnce(&mut Self, Expr) -> Expr,
    ) -> Expr {
        let (params, args) = self.argument_variables(&[item], at);
        let Some(arg) = args.into_iter().next() else { return receiver };
        let made = make(self, arg);
        let yields = made.ty;
        let closure = self.made_closure(params, vec![item], made, at);
        self.chain(Chain::Of(Adapter::Map), yields, vec![receiver, closure], at)
    }

    /// Converts a result, or a reference to an option or result, to an option.
    fn as_option(&mut self, value: Expr, at: SpanRange) -> Expr {
        let by_mut = matches!(self.types.get(value.ty), Type::Ref { mutable: true, .. });
        let is_reference = matches!(self.types.get(value.ty), Type::Ref { .. });
        let value = self.autoderef(value);
        if by_mut
            && let Some(inner) = self.types.first_arg(value.ty).filter(|_| self.is_option(value.ty))
        {
            let inner = self.types.reference(true, inner);
            let ty = self.option_of(inner);
            return self.make(Kind::Inside(Box::new(value)), ty, at);
        }
        let mut value = value;
        for (name, needed) in
            [("as_ref", is_reference && !by_mut), ("ok", !self.is_option(value.ty))]
        {
            if needed {
                value = match self.called_by_name(value, name, at) {
                    Ok(value) | Err(value) => value,
                };
            }
        }
        value
    }

    /// Calls a library method without arguments, or returns the receiver.
    pub(crate) fn called_by_name(
        &mut self,
        receiver: Expr,
        name: &str,
        at: SpanRange,
    ) -> Result<Expr, Expr> {
        let Some(Member { callee, env, kind: MemberKind::Fn(sig) }) =
            self.member(receiver.ty, name, None)
        else {
            return Err(receiver);
        };
        let receiver = self.adjusted(receiver, sig);
        let of = Function { callee, sig, env, gives: None };
        Ok(self.call_function(of, receiver, None, &Args::new(), at))
    }
}
