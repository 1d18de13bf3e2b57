//! `unwrap`, `expect` and their kin: the value of an `Option` or `Result`, or a panic with std's
//! message; and `as_mut`.
use crate::{
    hir::{Arm, Expr, ExprKind, Pattern, PatternKind},
    infer::Infer,
    syntax::span::SpanRange,
    types::{Ty, Type},
};
use syn::{ExprMethodCall, Ident, Lit};

/// The parts of an unwrap: the variant with the value, the other variant, and the panic message.
struct Unwrap {
    good: (usize, Ty),
    bad: (usize, Option<Ty>),
    message: String,
}

impl Infer<'_> {
    /// Infers a call of one of these methods, or returns the receiver.
    pub(crate) fn try_unwrap_method(
        &mut self,
        receiver: Expr,
        call: &ExprMethodCall,
        at: SpanRange,
    ) -> Result<Expr, Expr> {
        let Some(unwrap) = self.resolve_unwrap(receiver.ty, call) else { return Err(receiver) };
        let Unwrap { good: (variant, inner), bad: (other, payload), message } = unwrap;
        let ty = receiver.ty;
        let (pattern, value) = self.make_bound_part(variant, inner, ty, at);
        let good = Arm { pattern, guard: None, levels: Vec::new(), body: value };
        let opened = self.scope.open();
        let place = self.record_span(at);
        let parts = payload.map(|payload| {
            let ident = Ident::new("error", call.method.span());
            let var = self.declare_variable(&ident, payload, false, false);
            let kind = PatternKind::Bind { var, by_ref: false, subpattern: None };
            (0, Pattern { kind, ty: payload, at: place })
        });
        let kind = PatternKind::Parts { variant: Some(other), parts: parts.into_iter().collect() };
        let pattern = Pattern { kind, ty, at: place };
        let diverges = self.diverges;
        let panic: syn::Macro = syn::parse_quote!(panic!(#message));
        let body = self.infer_message_macro("panic", &panic, at);
        self.diverges = diverges;
        self.scope.close(opened);
        let arms = vec![good, Arm { pattern, guard: None, levels: Vec::new(), body }];
        Ok(self.make_expr(ExprKind::Match { scrutinee: Box::new(receiver), arms }, inner, at))
    }

    /// Infers `as_mut` of an `Option`, or returns the receiver.
    pub(crate) fn try_as_mut(
        &mut self,
        receiver: Expr,
        call: &ExprMethodCall,
        at: SpanRange,
    ) -> Result<Expr, Expr> {
        let Type::Adt(item, list) = self.types.get(receiver.ty) else { return Err(receiver) };
        let is_option = self.program().std_item("Option") == Some(item);
        let (true, "as_mut", true) =
            (is_option, call.method.to_string().as_str(), call.args.is_empty())
        else {
            return Err(receiver);
        };
        let Some(inner) = self.types.parts(list).first().copied() else { return Err(receiver) };
        if receiver.is_place() {
            self.require_mutable(&receiver);
        }
        let inner = self.types.reference(true, inner);
        let ty = self.option_type(inner);
        Ok(self.make_expr(ExprKind::OptionAsMut(Box::new(receiver)), ty, at))
    }

    fn resolve_unwrap(&mut self, ty: Ty, call: &ExprMethodCall) -> Option<Unwrap> {
        let name = call.method.to_string();
        let Type::Adt(item, list) = self.types.get(ty) else { return None };
        let parts = self.types.parts(list);
        let expected = match name.as_str() {
            "unwrap" | "unwrap_err" => None,
            "expect" | "expect_err" => Some(self.expect_message(call)),
            _ => return None,
        };
        match parts.as_slice() {
            [inner]
                if Some(item) == self.program().std_item("Option") && !name.ends_with("err") =>
            {
                let message = expected
                    .unwrap_or_else(|| "called `Option::unwrap()` on a `None` value".into());
                Some(Unwrap { good: (1, *inner), bad: (0, None), message })
            }
            [value, error] if Some(item) == self.program().std_item("Result") => {
                let (good, bad, found) = if !name.ends_with("err") {
                    ((0, *value), (1, *error), "Err")
                } else {
                    ((1, *error), (0, *value), "Ok")
                };
                let message = expected
                    .unwrap_or_else(|| format!("called `Result::{name}()` on an `{found}` value"));
                let shown = match self.types.get(bad.1) {
                    Type::Prim(_) | Type::Unit | Type::Tuple(_) | Type::Array(..) => true,
                    Type::Adt(item, _) => self.program().derives_debug(item),
                    _ => false,
                };
                let message = if shown { format!("{message}: {{error:?}}") } else { message };
                Some(Unwrap { good, bad: (bad.0, Some(bad.1)), message })
            }
            _ => None,
        }
    }

    /// Returns the message of `expect` as a format string.
    fn expect_message(&mut self, call: &ExprMethodCall) -> String {
        match call.args.first() {
            Some(syn::Expr::Lit(syn::ExprLit { lit: Lit::Str(message), .. })) => {
                message.value().replace('{', "{{").replace('}', "}}")
            }
            _ => {
                let at = SpanRange::token(call.method.span());
                self.errors.advise(
                    at,
                    "the message of `expect` in kernel code is a string literal",
                    "write it out: `.expect(\"there is one\")`",
                );
                String::new()
            }
        }
    }
}
