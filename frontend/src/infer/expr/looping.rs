//! Loops.
use crate::{
    hir::{Block, Each, Expr, For, Kind},
    infer::{Infer, Obligation},
    syntax::span::SpanRange,
    types::Prim,
};
use syn::{ExprForLoop, ExprLoop, ExprRange, ExprWhile, RangeLimits};

/// The range of a `for` loop, perhaps reversed or with a step.
struct Over<'e> {
    range: &'e ExprRange,
    reverse: bool,
    step: Option<&'e syn::Expr>,
}

impl Infer<'_> {
    /// Infers the body of a loop, a block without a value.
    fn loop_body(&mut self, block: &syn::Block) -> Block {
        let unit = self.types.unit();
        let (mut body, _) = self.block(block, Some(unit));
        if let Some(tail) = body.tail.take() {
            body.tail = Some(Box::new(self.coerce(*tail, unit)));
        }
        body
    }

    pub(crate) fn endless_loop(&mut self, expr: &ExprLoop) -> Expr {
        let at = SpanRange::token(expr.loop_token.span);
        let ty = self.unknown();
        let label = self.enter(expr.label.as_ref(), ty, true, true);
        let body = self.loop_body(&expr.body);
        self.leave();
        if !self.labels[label].broken {
            let never = self.types.never();
            let _ = self.types.unify(ty, never);
            return self.make(Kind::Loop { label, body }, never, at);
        }
        self.diverges = false;
        self.oblige(at, Obligation::Merged(ty));
        self.make(Kind::Loop { label, body }, ty, at)
    }

    pub(crate) fn while_loop(&mut self, expr: &ExprWhile) -> Expr {
        let at = SpanRange::token(expr.while_token.span).to(SpanRange::expr(&expr.cond));
        let (bool, unit) = (self.prim(Prim::Bool), self.types.unit());
        let label = self.enter(expr.label.as_ref(), unit, true, false);
        let opened = self.scope.open();
        let cond = Box::new(self.expect(&expr.cond, bool));
        let body = self.loop_body(&expr.body);
        self.scope.close(opened);
        self.leave();
        self.diverges = false;
        self.make(Kind::While { label, cond, body }, unit, at)
    }

    pub(crate) fn for_loop(&mut self, expr: &ExprForLoop) -> Expr {
        let at = SpanRange::token(expr.for_token.span).to(SpanRange::expr(&expr.expr));
        let unit = self.types.unit();
        let over = over(&expr.expr);
        let (Some(over), (Some(start), Some(end))) = (&over, ends(over.as_ref())) else {
            return self.for_each(expr, at);
        };
        let start = self.expr(start, None);
        let ty = start.ty;
        let end = self.expect(end, ty);
        self.oblige(SpanRange::expr(&expr.expr), Obligation::Range(ty));
        let step = over.step.map(|step| {
            let usize = self.prim(Prim::Usize);
            self.expect(step, usize)
        });
        let after_range = self.diverges;
        let label = self.enter(expr.label.as_ref(), unit, true, false);
        let opened = self.scope.open();
        let pattern = self.irrefutable(&expr.pat, ty);
        let body = self.loop_body(&expr.body);
        self.scope.close(opened);
        self.leave();
        self.diverges = after_range;
        let inclusive = matches!(over.range.limits, RangeLimits::Closed(_));
        let reverse = over.reverse;
        let kind = For { label, pattern, ty, start, end, inclusive, reverse, step, body };
        self.make(Kind::For(Box::new(kind)), unit, at)
    }
}

impl Infer<'_> {
    /// Infers a `for` loop over an iterator other than a range.
    fn for_each(&mut self, expr: &ExprForLoop, at: SpanRange) -> Expr {
        let unit = self.types.unit();
        let of = self.expr(&expr.expr, None);
        let of = self.iterated(of, SpanRange::expr(&expr.expr));
        let item = match self.as_chain(of.ty) {
            Some((_, item)) => item,
            None => of.ty,
        };
        let after_iter = self.diverges;
        let label = self.enter(expr.label.as_ref(), unit, true, false);
        let opened = self.scope.open();
        let pattern = self.irrefutable(&expr.pat, item);
        let body = self.loop_body(&expr.body);
        self.scope.close(opened);
        self.leave();
        self.diverges = after_iter;
        self.make(Kind::Each(Box::new(Each { label, pattern, of, body })), unit, at)
    }
}

fn ends<'e>(over: Option<&Over<'e>>) -> (Option<&'e syn::Expr>, Option<&'e syn::Expr>) {
    over.map_or((None, None), |over| (over.range.start.as_deref(), over.range.end.as_deref()))
}

/// Returns the range of `a..b`, `(a..b).rev()`, `(a..b).step_by(n)` and `(a..b).rev().step_by(n)`.
fn over(expr: &syn::Expr) -> Option<Over<'_>> {
    match expr {
        syn::Expr::Paren(paren) => over(&paren.expr),
        syn::Expr::Group(group) => over(&group.expr),
        syn::Expr::Range(range) => Some(Over { range, reverse: false, step: None }),
        syn::Expr::MethodCall(call) if call.turbofish.is_none() => {
            let inner = over(&call.receiver)?;
            let args: Vec<&syn::Expr> = call.args.iter().collect();
            match (call.method.to_string().as_str(), args.as_slice(), inner.step) {
                ("rev", [], None) => Some(Over { reverse: !inner.reverse, ..inner }),
                ("step_by", [step], None) => Some(Over { step: Some(step), ..inner }),
                _ => None,
            }
        }
        _ => None,
    }
}
