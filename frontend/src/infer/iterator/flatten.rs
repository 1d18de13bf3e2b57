//! `flatten` and `flat_map`: the items of items.
use crate::{
    hir::{Expr, ExprKind},
    infer::{
        Infer,
        call::{device_call::ResolvedFunction, method_call::Args},
        traits::member::{Member, MemberKind},
    },
    syntax::span::SpanRange,
    types::{
        Ty, Type,
        iterator::{Adapter, IterKind},
    },
};
use syn::ExprMethodCall;

impl Infer<'_> {
    pub(crate) fn infer_flatten(
        &mut self,
        receiver: Expr,
        item: Ty,
        call: &ExprMethodCall,
        at: SpanRange,
    ) -> Expr {
        if !self.check_arg_count(0, &call.args, at) {
            return self.make_expr(ExprKind::Reported, receiver.ty, at);
        }
        self.make_flatten(receiver, item, at)
    }

    /// Flattens an iterator over items of type `item`.
    pub(crate) fn make_flatten(&mut self, receiver: Expr, item: Ty, at: SpanRange) -> Expr {
        if let Type::Reported(proof) = self.types.get(item) {
            return self.make_reported(proof, at);
        }
        if self.is_option(item) {
            return self.flatten_options(receiver, item, at);
        }
        if let Some(inner) = self.inner_iterator_type(item, at) {
            return self.flatten_iterators(receiver, inner, at);
        }
        if self.option_iterator_method(item).is_some() {
            let options =
                self.map_items(receiver, item, at, |this, item| this.convert_to_option(item, at));
            return match self.as_iterator(options.ty) {
                Some((_, option)) if self.is_option(option) => {
                    self.flatten_options(options, option, at)
                }
                _ => options,
            };
        }
        if self.find_into_iterator(item).is_some() {
            let made =
                self.map_items(receiver, item, at, |this, item| this.make_into_iter(item, at));
            let inner = self.as_iterator(made.ty).map(|(_, inner)| inner);
            return match inner {
                Some(inner) if self.as_iterator(inner).is_some() => {
                    self.flatten_iterators(made, inner, at)
                }
                _ => made,
            };
        }
        let shown = self.types.show(item);
        let reported = self.errors.advise(
            at,
            format_args!("kernel code cannot iterate over items of type `{shown}`"),
            "items are ranges, slices, arrays, options, results, iterators, or what has a `#[device] impl IntoIterator`",
        );
        self.make_reported(reported, at)
    }

    fn is_option(&self, ty: Ty) -> bool {
        matches!(self.types.get(ty), Type::Adt(of, _) if self.program().std_item("Option") == Some(of))
    }

    /// Flattens options of type `option`.
    fn flatten_options(&mut self, receiver: Expr, option: Ty, at: SpanRange) -> Expr {
        let Some(inner) = self.types.first_arg(option) else { return receiver };
        self.make_iterator(IterKind::Adapter(Adapter::Options), inner, vec![receiver], at)
    }

    /// Flattens items that an iterator of type `inner` iterates over.
    fn flatten_iterators(&mut self, receiver: Expr, inner: Ty, at: SpanRange) -> Expr {
        let Some((_, item)) = self.as_iterator(inner) else { return receiver };
        let at_hand = self.make_none(inner, at);
        self.make_iterator(IterKind::Adapter(Adapter::Flatten), item, vec![receiver, at_hand], at)
    }

    /// Returns the type of the iterator over an item, if the loop itself makes the iterator.
    fn inner_iterator_type(&mut self, item: Ty, at: SpanRange) -> Option<Ty> {
        let written = self.user_iterator_item(item);
        match self.types.get(item) {
            Type::Iter(..) => {
                self.oblige_range_items(item, at);
                Some(item)
            }
            _ if let Some(inner) = written => {
                Some(self.iterator_type(IterKind::UserDefined, vec![inner, item]))
            }
            Type::Array(elem, _) => {
                let taken = self.prim(crate::infer::Prim::Usize);
                Some(self.iterator_type(IterKind::Array, vec![elem, item, taken, taken]))
            }
            Type::Ref { mutable, to } => match self.types.get(to) {
                Type::Slice(elem) | Type::Array(elem, _) => {
                    let slice = self.types.add(Type::Slice(elem));
                    let slice = self.types.reference(mutable, slice);
                    let elem = self.types.reference(mutable, elem);
                    Some(self.iterator_type(IterKind::Slice, vec![elem, slice]))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Maps each item by `make`.
    fn map_items(
        &mut self,
        receiver: Expr,
        item: Ty,
        at: SpanRange,
        make: impl FnOnce(&mut Self, Expr) -> Expr,
    ) -> Expr {
        let (params, args) = self.make_argument_variables(&[item], at);
        let Some(arg) = args.into_iter().next() else { return receiver };
        let made = make(self, arg);
        let yields = made.ty;
        let closure = self.make_closure(params, vec![item], made, at);
        self.make_iterator(IterKind::Adapter(Adapter::Map), yields, vec![receiver, closure], at)
    }

    /// Converts a result, or a reference to an option or result, to an option.
    fn convert_to_option(&mut self, value: Expr, at: SpanRange) -> Expr {
        let by_mut = matches!(self.types.get(value.ty), Type::Ref { mutable: true, .. });
        let is_reference = matches!(self.types.get(value.ty), Type::Ref { .. });
        let value = self.autoderef(value);
        if by_mut
            && let Some(inner) = self.types.first_arg(value.ty).filter(|_| self.is_option(value.ty))
        {
            let inner = self.types.reference(true, inner);
            let ty = self.option_type(inner);
            return self.make_expr(ExprKind::OptionAsMut(Box::new(value)), ty, at);
        }
        let mut value = value;
        for (name, needed) in
            [("as_ref", is_reference && !by_mut), ("ok", !self.is_option(value.ty))]
        {
            if needed {
                value = match self.try_method_by_name(value, name, at) {
                    Ok(value) | Err(value) => value,
                };
            }
        }
        value
    }

    /// Calls a library method without arguments, or returns the receiver.
    pub(crate) fn try_method_by_name(
        &mut self,
        receiver: Expr,
        name: &str,
        at: SpanRange,
    ) -> Result<Expr, Expr> {
        let Some(Member { callee, env, kind: MemberKind::Fn(sig) }) =
            self.find_member(receiver.ty, name, None)
        else {
            return Err(receiver);
        };
        let receiver = self.adjust_receiver(receiver, sig);
        let function = ResolvedFunction { callee, sig, env, expected: None };
        Ok(self.infer_function_call(function, receiver, None, &Args::new(), at))
    }
}
