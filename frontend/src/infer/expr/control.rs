//! Control flow: `if`, labelled blocks, `break`, `continue`, `return`.
use crate::{
    hir::{Block, Expr, ExprKind, Label, LabelInfo},
    infer::{Infer, Obligation, Target},
    syntax::span::SpanRange,
    types::{Prim, Ty},
};
use syn::{ExprBlock, ExprBreak, ExprContinue, ExprIf, ExprReturn, Lifetime};

/// An `if` without its `else`.
struct IfArm {
    at: SpanRange,
    cond: Box<Expr>,
    then: Block,
    /// The type of the branch.
    ty: Ty,
    /// True if the condition diverges.
    cond_diverges: bool,
    /// True if the branch diverges.
    then_diverges: bool,
}

impl Infer<'_> {
    /// Pushes a target for `break` and `continue`, valid until [`Self::pop_target`].
    pub(crate) fn push_target(
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

    pub(crate) fn pop_target(&mut self) {
        self.targets.pop();
    }

    pub(crate) fn infer_block_expr(&mut self, expr: &ExprBlock, hint: Option<Ty>) -> Expr {
        let at = SpanRange::token(expr.block.brace_token.span.open())
            .to(SpanRange::token(expr.block.brace_token.span.close()));
        let Some(name) = &expr.label else {
            let (block, ty) = self.infer_block(&expr.block, hint);
            return self.make_expr(ExprKind::Block { label: None, block }, ty, at);
        };
        let ty = self.unknown();
        let label = self.push_target(Some(name), ty, false, true);
        let (mut block, end) = self.infer_block(&expr.block, hint);
        self.pop_target();
        let broken = self.labels[label].broken;
        if let Some(tail) = block.tail.take() {
            block.tail = Some(Box::new(self.coerce(*tail, ty)));
        } else if !self.is_never(end) {
            self.unify(at, end, ty);
        }
        if broken {
            self.diverges = false;
        } else if self.is_never(end) {
            return self.make_expr(ExprKind::Block { label: None, block }, end, at);
        }
        self.oblige(at, Obligation::Merged(ty));
        self.make_expr(ExprKind::Block { label: Some(label), block }, ty, at)
    }

    /// Infers an `if` with any number of `else if`. They nest in each other, so a loop replaces
    /// recursion.
    pub(crate) fn infer_if(&mut self, expr: &ExprIf, hint: Option<Ty>) -> Expr {
        let (mut expr, mut hint) = (expr, hint);
        let mut arms = Vec::new();
        let mut value = loop {
            let arm = self.infer_if_arm(expr, hint);
            let Some((_, other)) = &expr.else_branch else { break self.make_if_without_else(arm) };
            let arm = self.erase_arm_closure(arm);
            hint = if self.is_never(arm.ty) { hint } else { Some(arm.ty) };
            arms.push(arm);
            match &**other {
                syn::Expr::If(next) => expr = next,
                other => break self.infer_expr(other, hint),
            }
        };
        // From the innermost `else` outwards, as recursion would return.
        while let Some(arm) = arms.pop() {
            self.diverges |= self.is_never(value.ty);
            value = self.make_if_else(arm, value);
        }
        value
    }

    /// Infers a condition and its branch.
    fn infer_if_arm(&mut self, expr: &ExprIf, hint: Option<Ty>) -> IfArm {
        let at = SpanRange::token(expr.if_token.span).to(SpanRange::expr(&expr.cond));
        let bool = self.prim(Prim::Bool);
        let opened = self.scope.open();
        let cond = Box::new(self.infer_expr_coerce(&expr.cond, bool));
        let cond_diverges = std::mem::replace(&mut self.diverges, false);
        let (then, ty) = self.infer_block(&expr.then_branch, hint);
        self.scope.close(opened);
        let then_diverges = std::mem::replace(&mut self.diverges, false);
        IfArm { at, cond, then, ty, cond_diverges, then_diverges }
    }

    /// Makes an `if` without `else`.
    fn make_if_without_else(&mut self, arm: IfArm) -> Expr {
        let IfArm { at, cond, mut then, cond_diverges, .. } = arm;
        self.diverges = cond_diverges;
        let unit = self.types.unit();
        if let Some(tail) = then.tail.take() {
            then.tail = Some(Box::new(self.coerce(*tail, unit)));
        }
        self.make_expr(ExprKind::If { cond, then, else_branch: None }, unit, at)
    }

    /// Makes the value of an arm a function pointer, if it is a closure.
    fn erase_arm_closure(&mut self, mut arm: IfArm) -> IfArm {
        if let Some(tail) = arm.then.tail.take() {
            let tail = self.erase_closure_type(*tail);
            arm.ty = tail.ty;
            arm.then.tail = Some(Box::new(tail));
        }
        arm
    }

    fn make_if_else(&mut self, arm: IfArm, mut other: Expr) -> Expr {
        let IfArm { at, cond, then, ty, cond_diverges, then_diverges } = arm;
        self.diverges = cond_diverges || (then_diverges && self.diverges);
        let ty = if self.is_never(ty) {
            other = self.erase_closure_type(other);
            other.ty
        } else {
            other = self.coerce(other, ty);
            ty
        };
        self.oblige(at, Obligation::Merged(ty));
        self.make_expr(ExprKind::If { cond, then, else_branch: Some(Box::new(other)) }, ty, at)
    }

    pub(crate) fn infer_break(&mut self, expr: &ExprBreak) -> Expr {
        let at = SpanRange::token(expr.break_token.span);
        let never = self.types.never();
        let Some(found) = self.find_target(expr.label.as_ref(), false, at) else {
            if let Some(value) = &expr.expr {
                self.infer_expr(value, None);
            }
            return self.make_expr(ExprKind::Reported, never, at);
        };
        let (label, has_value) = (self.targets[found].label, self.targets[found].has_value);
        let ty = self.labels[label].ty;
        let value = match &expr.expr {
            Some(value) if has_value => Some(Box::new(self.infer_expr_coerce(value, ty))),
            Some(value) => {
                let value_at = SpanRange::expr(value);
                self.infer_expr(value, None);
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
        self.make_expr(ExprKind::Break { label, value }, never, at)
    }

    pub(crate) fn infer_continue(&mut self, expr: &ExprContinue) -> Expr {
        let at = SpanRange::token(expr.continue_token.span);
        let never = self.types.never();
        let kind = match self.find_target(expr.label.as_ref(), true, at) {
            Some(found) => ExprKind::Continue(self.targets[found].label),
            None => ExprKind::Reported,
        };
        self.make_expr(kind, never, at)
    }

    /// Returns the target of a `break` or `continue`: the named one, or the innermost loop.
    fn find_target(
        &mut self,
        name: Option<&Lifetime>,
        go_on: bool,
        at: SpanRange,
    ) -> Option<usize> {
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

    pub(crate) fn infer_return(&mut self, expr: &ExprReturn) -> Expr {
        let at = SpanRange::token(expr.return_token.span);
        self.returns_early = true;
        let ret = self.ret;
        let value = match &expr.expr {
            Some(value) => Some(Box::new(self.infer_expr_coerce(value, ret))),
            None => {
                let unit = self.types.unit();
                self.unify(at, unit, ret);
                None
            }
        };
        let never = self.types.never();
        self.make_expr(ExprKind::Return(value), never, at)
    }
}
