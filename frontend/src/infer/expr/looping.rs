//! Loops.
use crate::{
    hir::{Block, Expr, ExprKind, ForEach, ForRange},
    infer::{Infer, Obligation},
    syntax::span::SpanRange,
    types::Prim,
};
use syn::{ExprForLoop, ExprLoop, ExprRange, ExprWhile, RangeLimits};

/// The range of a `for` loop, perhaps reversed or with a step.
struct LoopRange<'e> {
    range: &'e ExprRange,
    reverse: bool,
    step: Option<&'e syn::Expr>,
}

impl Infer<'_> {
    /// Infers the body of a loop, a block without a value.
    fn infer_loop_body(&mut self, block: &syn::Block) -> Block {
        let unit = self.types.unit();
        let (mut body, _) = self.infer_block(block, Some(unit));
        if let Some(tail) = body.tail.take() {
            body.tail = Some(Box::new(self.coerce(*tail, unit)));
        }
        body
    }

    pub(crate) fn infer_loop(&mut self, expr: &ExprLoop) -> Expr {
        let at = SpanRange::token(expr.loop_token.span);
        let ty = self.unknown();
        let label = self.push_target(expr.label.as_ref(), ty, true, true);
        let body = self.infer_loop_body(&expr.body);
        self.pop_target();
        if !self.labels[label].broken {
            let never = self.types.never();
            let _ = self.types.unify(ty, never);
            return self.make_expr(ExprKind::Loop { label, body }, never, at);
        }
        self.diverges = false;
        self.oblige(at, Obligation::Merged(ty));
        self.make_expr(ExprKind::Loop { label, body }, ty, at)
    }

    pub(crate) fn infer_while(&mut self, expr: &ExprWhile) -> Expr {
        let at = SpanRange::token(expr.while_token.span).to(SpanRange::expr(&expr.cond));
        let (bool, unit) = (self.prim(Prim::Bool), self.types.unit());
        let label = self.push_target(expr.label.as_ref(), unit, true, false);
        let opened = self.scope.open();
        let cond = Box::new(self.infer_expr_coerce(&expr.cond, bool));
        let body = self.infer_loop_body(&expr.body);
        self.scope.close(opened);
        self.pop_target();
        self.diverges = false;
        self.make_expr(ExprKind::While { label, cond, body }, unit, at)
    }

    pub(crate) fn infer_for(&mut self, expr: &ExprForLoop) -> Expr {
        let at = SpanRange::token(expr.for_token.span).to(SpanRange::expr(&expr.expr));
        let unit = self.types.unit();
        let over = loop_range(&expr.expr);
        let (Some(over), (Some(start), Some(end))) = (&over, range_bounds(over.as_ref())) else {
            return self.infer_for_each(expr, at);
        };
        let start = self.infer_expr(start, None);
        let ty = start.ty;
        let end = self.infer_expr_coerce(end, ty);
        self.oblige(SpanRange::expr(&expr.expr), Obligation::Range(ty));
        let step = over.step.map(|step| {
            let usize = self.prim(Prim::Usize);
            self.infer_expr_coerce(step, usize)
        });
        let after_range = self.diverges;
        let label = self.push_target(expr.label.as_ref(), unit, true, false);
        let opened = self.scope.open();
        let pattern = self.infer_irrefutable(&expr.pat, ty);
        let body = self.infer_loop_body(&expr.body);
        self.scope.close(opened);
        self.pop_target();
        self.diverges = after_range;
        let inclusive = matches!(over.range.limits, RangeLimits::Closed(_));
        let reverse = over.reverse;
        let kind = ForRange { label, pattern, ty, start, end, inclusive, reverse, step, body };
        self.make_expr(ExprKind::ForRange(Box::new(kind)), unit, at)
    }
}

impl Infer<'_> {
    /// Infers a `for` loop over an iterator other than a range.
    fn infer_for_each(&mut self, expr: &ExprForLoop, at: SpanRange) -> Expr {
        let unit = self.types.unit();
        let iterator = self.infer_expr(&expr.expr, None);
        let iterator = self.make_into_iter(iterator, SpanRange::expr(&expr.expr));
        let item = match self.as_iterator(iterator.ty) {
            Some((_, item)) => item,
            None => iterator.ty,
        };
        let after_iter = self.diverges;
        let label = self.push_target(expr.label.as_ref(), unit, true, false);
        let opened = self.scope.open();
        let pattern = self.infer_irrefutable(&expr.pat, item);
        let body = self.infer_loop_body(&expr.body);
        self.scope.close(opened);
        self.pop_target();
        self.diverges = after_iter;
        self.make_expr(
            ExprKind::ForEach(Box::new(ForEach { label, pattern, iterator, body })),
            unit,
            at,
        )
    }
}

fn range_bounds<'e>(
    over: Option<&LoopRange<'e>>,
) -> (Option<&'e syn::Expr>, Option<&'e syn::Expr>) {
    over.map_or((None, None), |over| (over.range.start.as_deref(), over.range.end.as_deref()))
}

/// Returns the range of `a..b`, `(a..b).rev()`, `(a..b).step_by(n)` and `(a..b).rev().step_by(n)`.
fn loop_range(expr: &syn::Expr) -> Option<LoopRange<'_>> {
    match expr {
        syn::Expr::Paren(paren) => loop_range(&paren.expr),
        syn::Expr::Group(group) => loop_range(&group.expr),
        syn::Expr::Range(range) => Some(LoopRange { range, reverse: false, step: None }),
        syn::Expr::MethodCall(call) if call.turbofish.is_none() => {
            let inner = loop_range(&call.receiver)?;
            let args: Vec<&syn::Expr> = call.args.iter().collect();
            match (call.method.to_string().as_str(), args.as_slice(), inner.step) {
                ("rev", [], None) => Some(LoopRange { reverse: !inner.reverse, ..inner }),
                ("step_by", [step], None) => Some(LoopRange { step: Some(step), ..inner }),
                _ => None,
            }
        }
        _ => None,
    }
}
