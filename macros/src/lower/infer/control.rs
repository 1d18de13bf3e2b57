//! `if`, blocks with labels, and what leaves: `break`, `continue`, `return`.
use super::{
    super::{
        span::SpanRange,
        tree::{Expr, Kind, Label, LabelInfo},
        types::{Prim, Ty},
    },
    Infer, Obligation, Target,
};
use syn::{ExprBlock, ExprBreak, ExprContinue, ExprIf, ExprReturn, Lifetime};

impl Infer<'_> {
    /// A label that `break` and `continue` may name in what is visited until [`Self::leave`].
    pub(super) fn enter(
        &mut self,
        name: Option<&syn::Label>,
        ty: Ty,
        is_loop: bool,
        has_value: bool,
    ) -> Label {
        let label = self.labels.push(LabelInfo { ty, broken: false });
        let name = name.map(|label| label.name.ident.to_string());
        self.targets.push(Target { label, name, is_loop, has_value });
        label
    }

    pub(super) fn leave(&mut self) {
        self.targets.pop();
    }

    pub(super) fn block_expr(&mut self, expr: &ExprBlock, hint: Option<Ty>) -> Expr {
        let at = SpanRange::token(expr.block.brace_token.span.open())
            .to(SpanRange::token(expr.block.brace_token.span.close()));
        let Some(name) = &expr.label else {
            let (block, ty) = self.block(&expr.block, hint);
            return self.make(Kind::Block { label: None, block }, ty, at);
        };
        let ty = self.unknown();
        let label = self.enter(Some(name), ty, false, true);
        let (mut block, end) = self.block(&expr.block, hint);
        self.leave();
        let broken = self.labels[label].broken;
        if let Some(tail) = block.tail.take() {
            block.tail = Some(Box::new(self.coerce(*tail, ty)));
        } else if !self.is_never(end) {
            self.unify(at, end, ty);
        }
        if broken {
            self.diverges = false;
        } else if self.is_never(end) {
            return self.make(Kind::Block { label: None, block }, end, at);
        }
        self.oblige(at, Obligation::Merged(ty));
        self.make(Kind::Block { label: Some(label), block }, ty, at)
    }

    pub(super) fn if_expr(&mut self, expr: &ExprIf, hint: Option<Ty>) -> Expr {
        let at = SpanRange::token(expr.if_token.span).to(SpanRange::expr(&expr.cond));
        let bool = self.prim(Prim::Bool);
        let opened = self.scope.open();
        let cond = Box::new(self.expect(&expr.cond, bool));
        let after_cond = std::mem::replace(&mut self.diverges, false);
        let (mut then, then_ty) = self.block(&expr.then_branch, hint);
        self.scope.close(opened);
        let after_then = std::mem::replace(&mut self.diverges, false);
        let Some((_, other)) = &expr.else_branch else {
            self.diverges = after_cond;
            let unit = self.types.unit();
            if let Some(tail) = then.tail.take() {
                then.tail = Some(Box::new(self.coerce(*tail, unit)));
            }
            return self.make(Kind::If { cond, then, other: None }, unit, at);
        };
        let then_ty = match then.tail.take() {
            Some(tail) => {
                let tail = self.chosen(*tail);
                let ty = tail.ty;
                then.tail = Some(Box::new(tail));
                ty
            }
            None => then_ty,
        };
        let expected = if self.is_never(then_ty) { hint } else { Some(then_ty) };
        let mut other = self.expr(other, expected);
        self.diverges = after_cond || (after_then && self.diverges);
        let ty = if self.is_never(then_ty) {
            other = self.chosen(other);
            other.ty
        } else {
            other = self.coerce(other, then_ty);
            then_ty
        };
        self.oblige(at, Obligation::Merged(ty));
        self.make(Kind::If { cond, then, other: Some(Box::new(other)) }, ty, at)
    }

    pub(super) fn break_expr(&mut self, expr: &ExprBreak) -> Expr {
        let at = SpanRange::token(expr.break_token.span);
        let never = self.types.never();
        let Some(found) = self.target(expr.label.as_ref(), false, at) else {
            if let Some(value) = &expr.expr {
                self.expr(value, None);
            }
            return self.make(Kind::Reported, never, at);
        };
        let (label, has_value) = (self.targets[found].label, self.targets[found].has_value);
        let ty = self.labels[label].ty;
        let value = match &expr.expr {
            Some(value) if has_value => Some(Box::new(self.expect(value, ty))),
            Some(value) => {
                let value_at = SpanRange::expr(value);
                self.expr(value, None);
                self.errors.mistyped(value_at, "`break` with a value from a `while` or `for` loop");
                None
            }
            None => {
                let unit = self.types.unit();
                self.unify(at, unit, ty);
                None
            }
        };
        self.labels[label].broken = true;
        self.make(Kind::Break { label, value }, never, at)
    }

    pub(super) fn continue_expr(&mut self, expr: &ExprContinue) -> Expr {
        let at = SpanRange::token(expr.continue_token.span);
        let never = self.types.never();
        let kind = match self.target(expr.label.as_ref(), true, at) {
            Some(found) => Kind::Continue(self.targets[found].label),
            None => Kind::Reported,
        };
        self.make(kind, never, at)
    }

    /// What a `break` or `continue` leaves: what it names, or the innermost loop.
    fn target(&mut self, name: Option<&Lifetime>, go_on: bool, at: SpanRange) -> Option<usize> {
        let found = match name {
            None => self.targets.iter().rposition(|target| target.is_loop),
            Some(name) => {
                let name = name.ident.to_string();
                self.targets.iter().rposition(|target| target.name.as_ref() == Some(&name))
            }
        };
        let Some(found) = found else {
            self.errors.mistyped(at, "nothing here that this could leave");
            return None;
        };
        if go_on && !self.targets[found].is_loop {
            self.errors.mistyped(at, "`continue` names a block that is no loop");
            return None;
        }
        Some(found)
    }

    pub(super) fn return_expr(&mut self, expr: &ExprReturn) -> Expr {
        let at = SpanRange::token(expr.return_token.span);
        self.returns_early = true;
        let ret = self.ret;
        let value = match &expr.expr {
            Some(value) => Some(Box::new(self.expect(value, ret))),
            None => {
                let unit = self.types.unit();
                self.unify(at, unit, ret);
                None
            }
        };
        let never = self.types.never();
        self.make(Kind::Return(value), never, at)
    }
}
