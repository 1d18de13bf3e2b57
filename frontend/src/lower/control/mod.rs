//! Lowering of control flow: `if`, `&&` and `||`, labeled blocks, `break`, `continue`, `return`.
mod binding;
pub(crate) mod loops;
pub(crate) mod matching;
mod message;
mod pattern_facts;
mod require;
mod show;
mod slice_patterns;

use crate::{
    hir::{Block, Expr, ExprKind, Label, SpanId},
    lower::{Diverged, Flow, JumpTarget, Lowerer, Value, control::pattern_facts::binds_referent},
};
use warpwise_compiler::{
    id::Id as _,
    ir::{self, BinaryOp, Body, Effect, InstId, Op, Scalar, UnaryOp},
};

/// Limit on the nodes of a right side of `&&` or `||` that is evaluated unconditionally.
const MAX_EAGER_NODES: usize = 16;

impl Lowerer<'_> {
    pub(crate) fn lower_if(
        &mut self,
        cond: &Expr,
        then: &Block,
        other: Option<&Expr>,
        expr: &Expr,
    ) -> Flow<Value> {
        // The forms of `if`, from the special to the general: without `else`, with a long chain of
        // `else if`, with bindings in the condition, with a constant condition.
        let Some(other) = other else { return self.lower_if_without_else(cond, then, expr.at) };
        if is_long_chain(other) {
            return self.lower_long_if_chain(expr);
        }
        if matches!(cond.kind, ExprKind::Lazy { .. }) && has_let(cond) || opens_if(cond) {
            return self.lower_if_with_bindings(cond, then, other, expr);
        }
        let cond = self.lower_scalar(cond)?;
        match self.constant_condition(cond) {
            Some(true) => return self.lower_block(then),
            Some(false) => return self.lower_value(other),
            None => {}
        }
        let result = self.new_result(expr)?;
        let op = Op::If { cond, then: Body::default(), other: Body::default() };
        self.begin_body(expr.at, op, ir::Ty::Unit)?;
        let then =
            self.lower_block(then).and_then(|value| self.set_result(result.as_ref(), value, expr));
        self.build.otherwise();
        let other =
            self.lower_value(other).and_then(|value| self.set_result(result.as_ref(), value, expr));
        self.build.end();
        match (then, other) {
            (Err(Diverged), Err(Diverged)) => Err(Diverged),
            (Ok(()), _) | (_, Ok(())) => self.take_result(result.as_ref(), expr),
        }
    }

    /// Lowers an `if` with `else` whose conditions bind variables: `then` nests inside all of them,
    /// within the variables' scope, and leaves a block that `other` ends.
    fn lower_if_with_bindings(
        &mut self,
        cond: &Expr,
        then: &Block,
        other: &Expr,
        expr: &Expr,
    ) -> Flow<Value> {
        let result = self.new_result(expr)?;
        let block = self.begin_body(expr.at, Op::Block { body: Body::default() }, ir::Ty::Unit)?;
        let mut opened = 0;
        let cond = self.lower_conditions(cond, &mut opened);
        let mut ends = false;
        if let Ok(cond) = cond
            && self.constant_condition(cond) != Some(false)
        {
            opened += self.open_if(cond, expr.at)?;
            let then = self
                .lower_block(then)
                .and_then(|value| self.set_result(result.as_ref(), value, expr));
            if then.is_ok() {
                self.push_inst(expr.at, Op::Break(block), ir::Ty::Unit);
                ends = true;
            }
        }
        self.close_bodies(opened);
        // Control that diverges in the first condition never reaches `other`.
        if cond.is_ok() || opened > 0 {
            let other = self
                .lower_value(other)
                .and_then(|value| self.set_result(result.as_ref(), value, expr));
            ends |= other.is_ok();
        }
        self.build.end();
        if ends { self.take_result(result.as_ref(), expr) } else { Err(Diverged) }
    }

    /// Lowers an `if` with many `else if`, which would nest deeper than bodies may: each leaves a
    /// block that `else` ends.
    fn lower_long_if_chain(&mut self, expr: &Expr) -> Flow<Value> {
        let result = self.new_result(expr)?;
        let block = self.begin_body(expr.at, Op::Block { body: Body::default() }, ir::Ty::Unit)?;
        let (mut ends, mut is_complete) = (false, false);
        let mut rest = Some(expr);
        while let Some(arm) = rest {
            let ExprKind::If { cond, then, else_branch: other } = &arm.kind else {
                let value = self.lower_value(arm);
                ends |=
                    value.and_then(|value| self.set_result(result.as_ref(), value, expr)).is_ok();
                is_complete = true;
                break;
            };
            let mut opened = 0;
            let cond = self.lower_conditions(cond, &mut opened);
            if let Ok(cond) = cond
                && self.constant_condition(cond) != Some(false)
            {
                opened += self.open_if(cond, arm.at)?;
                let then = self
                    .lower_block(then)
                    .and_then(|value| self.set_result(result.as_ref(), value, expr));
                if then.is_ok() {
                    self.push_inst(arm.at, Op::Break(block), ir::Ty::Unit);
                    ends = true;
                }
            }
            self.close_bodies(opened);
            // A branch that always leaves makes all later ones unreachable.
            if opened == 0 && !cond.is_ok_and(|cond| self.constant_condition(cond) == Some(false)) {
                is_complete = true;
                break;
            }
            rest = other.as_deref();
        }
        self.build.end();
        if ends || !is_complete { self.take_result(result.as_ref(), expr) } else { Err(Diverged) }
    }

    /// Returns the constant value of a condition, if it has one: unreachable branches are not
    /// lowered.
    pub(crate) fn constant_condition(&self, cond: InstId) -> Option<bool> {
        match &self.build.kernel.insts[cond].op {
            Op::Const(bits) => Some(*bits != 0),
            _ => None,
        }
    }

    /// Lowers an `if` without `else`.
    fn lower_if_without_else(&mut self, cond: &Expr, then: &Block, at: SpanId) -> Flow<Value> {
        let mut opened = 0;
        let cond = self.lower_conditions(cond, &mut opened);
        let done = cond.and_then(|cond| {
            match self.constant_condition(cond) {
                Some(true) => return self.lower_block(then).map(|_| ()),
                Some(false) => return Ok(()),
                None => {}
            }
            let op = Op::If { cond, then: Body::default(), other: Body::default() };
            self.begin_body(at, op, ir::Ty::Unit)?;
            let _ = self.lower_block(then);
            self.build.end();
            Ok(())
        });
        self.close_bodies(opened);
        // Control that diverges inside an opened `if` does so only where its condition is true.
        if opened == 0 { done.map(|()| Value::Unit) } else { Ok(Value::Unit) }
    }

    /// Lowers all conditions that `&&` joins but the last, each of which opens an `if`, and returns
    /// the last: analyses then see the code in it depend on all of them.
    pub(crate) fn lower_conditions(&mut self, cond: &Expr, opened: &mut usize) -> Flow<InstId> {
        let (lhs, rhs) = match &cond.kind {
            ExprKind::Lazy { is_and: true, lhs, rhs } => (lhs, rhs),
            ExprKind::Matches { scrutinee: of, pattern } => {
                return self.lower_is(of, pattern, opened, cond.at);
            }
            _ => return self.lower_scalar(cond),
        };
        if self.is_cheap(rhs, &mut 0) {
            let lhs = self.lower_conditions(lhs, opened)?;
            if self.constant_condition(lhs) == Some(false) {
                return Ok(lhs);
            }
            let rhs = self.lower_scalar(rhs)?;
            return Ok(self.push_binary(BinaryOp::And, lhs, rhs, Scalar::Bool, cond.at));
        }
        let first = self.lower_conditions(lhs, opened)?;
        // A pattern that never matches binds no variables for the following conditions.
        if self.constant_condition(first) == Some(false) {
            return Ok(first);
        }
        *opened += self.open_if(first, cond.at)?;
        self.lower_conditions(rhs, opened)
    }

    /// Opens an `if` for code that runs where `cond` is true, unless it always is; returns the
    /// number of opened bodies.
    pub(crate) fn open_if(&mut self, cond: InstId, at: SpanId) -> Flow<usize> {
        if self.constant_condition(cond) == Some(true) {
            return Ok(0);
        }
        let op = Op::If { cond, then: Body::default(), other: Body::default() };
        self.begin_body(at, op, ir::Ty::Unit)?;
        Ok(1)
    }

    /// Lowers a condition that [`opens_if`] to a value.
    pub(crate) fn lower_condition_value(&mut self, cond: &Expr) -> Flow<InstId> {
        let local = self.new_local("", Scalar::Bool, cond.at);
        let value = self.push_bits(0, Scalar::Bool, cond.at);
        self.push_inst(cond.at, Op::Set { local, value }, ir::Ty::Unit);
        let mut opened = 0;
        let value = self.lower_conditions(cond, &mut opened);
        if let Ok(value) = value {
            self.push_inst(cond.at, Op::Set { local, value }, ir::Ty::Unit);
        }
        self.close_bodies(opened);
        // Control that diverges inside an opened `if` does so only where its condition is true.
        if opened == 0 {
            return value;
        }
        Ok(self.push_inst(cond.at, Op::Get(local), Scalar::Bool))
    }

    /// Closes the bodies that [`Self::lower_conditions`] opened.
    pub(crate) fn close_bodies(&mut self, opened: usize) {
        for _ in 0..opened {
            self.build.end();
        }
    }

    /// Lowers `&&` or `||`. A cheap right side without effects is evaluated unconditionally: the
    /// result is the same, and analyses of the condition see both sides at once.
    pub(crate) fn lower_lazy(
        &mut self,
        and: bool,
        lhs: &Expr,
        rhs: &Expr,
        at: SpanId,
    ) -> Flow<InstId> {
        // A long chain nests deeply on the left: unroll it instead of recursing.
        let mut rest = vec![(rhs, at)];
        let mut first = lhs;
        while let ExprKind::Lazy { is_and: inner_and, lhs, rhs } = &first.kind
            && *inner_and == and
            && !opens_if(first)
        {
            rest.push((rhs, first.at));
            first = lhs;
        }
        let mut value = self.lower_scalar(first)?;
        for (rhs, at) in rest.into_iter().rev() {
            value = self.lower_lazy_rhs(and, value, rhs, at)?;
        }
        Ok(value)
    }

    fn lower_lazy_rhs(&mut self, and: bool, lhs: InstId, rhs: &Expr, at: SpanId) -> Flow<InstId> {
        if self.constant_condition(lhs) == Some(!and) {
            return Ok(lhs);
        }
        if self.is_cheap(rhs, &mut 0) {
            let rhs = self.lower_scalar(rhs)?;
            let op = if and { BinaryOp::And } else { BinaryOp::Or };
            return Ok(self.push_inst(at, Op::Binary { op, lhs, rhs }, Scalar::Bool));
        }
        // Calls such as `x.rows()` turn out to be cheap only once they are lowered.
        self.begin_body(at, Op::Block { body: Body::default() }, ir::Ty::Unit)?;
        let value = self.lower_scalar(rhs);
        self.build.end();
        let lowered = self.build.take_block();
        if let Ok(rhs) = value
            && self.is_cheap_code(&lowered)
        {
            self.build.append(lowered);
            let op = if and { BinaryOp::And } else { BinaryOp::Or };
            return Ok(self.push_inst(at, Op::Binary { op, lhs, rhs }, Scalar::Bool));
        }
        let local = self.new_local("", Scalar::Bool, at);
        self.push_inst(at, Op::Set { local, value: lhs }, ir::Ty::Unit);
        let op = Op::If { cond: lhs, then: Body::default(), other: Body::default() };
        self.begin_body(at, op, ir::Ty::Unit)?;
        if !and {
            self.build.otherwise();
        }
        self.build.append(lowered);
        // A right side that diverges sets nothing.
        if let Ok(value) = value {
            self.push_inst(rhs.at, Op::Set { local, value }, ir::Ty::Unit);
        }
        if and {
            self.build.otherwise();
        }
        self.build.end();
        Ok(self.push_inst(at, Op::Get(local), Scalar::Bool))
    }

    /// Returns true if lowered code is small, has no effect and cannot fault, as [`Self::is_cheap`]
    /// does for an expression.
    fn is_cheap_code(&self, code: &Body) -> bool {
        let kernel = &self.build.kernel;
        let is_cheap = |inst: &ir::Inst| match inst.op {
            Op::Unary { op: UnaryOp::Sqrt | UnaryOp::Rsqrt | UnaryOp::Approx(_), .. } => false,
            // By a constant, it is a product or a shift.
            Op::Binary { op: BinaryOp::Div | BinaryOp::Rem, rhs, .. } => {
                matches!(inst.ty, ir::Ty::Scalar(ty) if ty.is_int())
                    && kernel.literal(rhs).is_some()
            }
            Op::Get(_) => true,
            ref op => op.effect() == Effect::None,
        };
        code.0.len() <= MAX_EAGER_NODES && code.0.iter().all(|&id| is_cheap(&kernel.insts[id]))
    }

    /// Returns true if an expression is small, has no effect and cannot fault.
    fn is_cheap(&self, expr: &Expr, nodes: &mut usize) -> bool {
        *nodes += 1;
        if *nodes > MAX_EAGER_NODES {
            return false;
        }
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Constant(_)
            | ExprKind::ConstParam(_)
            | ExprKind::Var(_) => true,
            ExprKind::Unary { value, .. } => {
                !self.may_overflow(expr) && self.is_cheap(value, nodes)
            }
            ExprKind::Binary { op, lhs, rhs } => {
                !matches!(op, BinaryOp::Div | BinaryOp::Rem)
                    && !self.may_overflow(expr)
                    && self.is_cheap(lhs, nodes)
                    && self.is_cheap(rhs, nodes)
            }
            ExprKind::Compare { lhs, rhs, .. } | ExprKind::Lazy { lhs, rhs, .. } => {
                self.is_cheap(lhs, nodes) && self.is_cheap(rhs, nodes)
            }
            ExprKind::Cast(value) => self.is_cheap(value, nodes),
            ExprKind::Builtin { builtin: crate::types::builtin::Builtin::Index(_), .. } => true,
            ExprKind::Length(place) => match &place.kind {
                ExprKind::Deref(reference) => matches!(reference.kind, ExprKind::Var(_)),
                _ => false,
            },
            _ => false,
        }
    }

    /// Returns true if the operator of an expression may fault on overflow.
    fn may_overflow(&self, expr: &Expr) -> bool {
        self.has_overflow_checks()
            && self.scalar_type(expr.ty).is_none_or(|scalar| !scalar.is_float())
    }

    pub(crate) fn lower_labeled_block(
        &mut self,
        label: Label,
        block: &Block,
        expr: &Expr,
    ) -> Flow<Value> {
        let result = self.new_result(expr)?;
        let inst = self.begin_body(expr.at, Op::Block { body: Body::default() }, ir::Ty::Unit)?;
        self.frame.labels[label.index()] = Some(JumpTarget::new(inst, result.clone()));
        let ended =
            self.lower_block(block).and_then(|value| self.set_result(result.as_ref(), value, expr));
        self.build.end();
        if ended.is_err() && !self.frame.function.labels[label].broken {
            return Err(Diverged);
        }
        self.take_result(result.as_ref(), expr)
    }

    /// Lowers `break`.
    pub(crate) fn lower_break(
        &mut self,
        label: Label,
        value: Option<&Expr>,
        at: SpanId,
    ) -> Diverged {
        let Some(target) = self.frame.labels[label.index()].clone() else {
            return self.report_bug(at);
        };
        self.break_to(target, value, at)
    }

    /// Lowers `continue`.
    pub(crate) fn lower_continue(&mut self, label: Label, at: SpanId) -> Diverged {
        let Some(target) = self.frame.labels[label.index()].clone() else {
            return self.report_bug(at);
        };
        let op = self.continue_op(target.continue_to);
        self.push_inst(at, op, ir::Ty::Unit);
        Diverged
    }

    /// Lowers `return`: it ends the thread in the kernel, and leaves an inlined body elsewhere.
    pub(crate) fn lower_return(&mut self, value: Option<&Expr>, at: SpanId) -> Diverged {
        if let Some(target) = self.frame.exit.clone() {
            return self.break_to(target, value, at);
        }
        if let Some(Err(left)) = value.map(|value| self.lower_value(value)) {
            return left;
        }
        self.push_inst(at, Op::Return, ir::Ty::Unit);
        Diverged
    }

    fn break_to(&mut self, target: JumpTarget, value: Option<&Expr>, at: SpanId) -> Diverged {
        let put = match (value, &target.result) {
            (Some(expr), Some(_)) => self
                .lower_value(expr)
                .and_then(|value| self.set_result(target.result.as_ref(), value, expr)),
            (Some(expr), None) => self.lower_value(expr).map(|_| ()),
            (None, _) => Ok(()),
        };
        match put {
            Ok(()) => {
                self.push_inst(at, Op::Break(target.inst), ir::Ty::Unit);
                Diverged
            }
            Err(left) => left,
        }
    }
}

/// Limit on `else if`s that nest in each other in the IR.
const MAX_NESTED_ELSE_IFS: usize = 32;

/// Returns true if an `else` begins more `else if`s than may nest in each other.
fn is_long_chain(other: &Expr) -> bool {
    let mut rest = Some(other);
    for _ in 0..MAX_NESTED_ELSE_IFS {
        match rest.map(|arm| &arm.kind) {
            Some(ExprKind::If { else_branch: other, .. }) => rest = other.as_deref(),
            Some(_) | None => return false,
        }
    }
    true
}

/// Returns true if one of the conditions that `&&` joins is a `let`.
fn has_let(cond: &Expr) -> bool {
    match &cond.kind {
        ExprKind::Lazy { is_and: true, lhs, rhs } => has_let(lhs) || has_let(rhs),
        ExprKind::Matches { .. } => true,
        _ => false,
    }
}

/// Returns true if one of the conditions that `&&` joins may open an `if` for the code after it.
pub(crate) fn opens_if(cond: &Expr) -> bool {
    match &cond.kind {
        ExprKind::Lazy { is_and: true, lhs, rhs } => opens_if(lhs) || opens_if(rhs),
        ExprKind::Matches { pattern, .. } => binds_referent(pattern, false),
        _ => false,
    }
}
