//! `if`, `&&` and `||`, blocks with labels, and what leaves.
mod binding;
pub(crate) mod looping;
pub(crate) mod matching;
mod message;
mod pattern_facts;
mod require;
mod sequence;
mod show;

use crate::{
    hir::{Block, Expr, ExprKind, Label, SpanId},
    lower::{Emit, Flow, Left, Target, Value, control::pattern_facts::binds_behind},
};
use warpwise_compiler::{
    id::Id as _,
    ir::{self, BinaryOp, Body, InstId, LocalId, Op, Scalar},
};

/// How large the right side of `&&` may be to be evaluated always.
const CHEAP: usize = 16;

impl Emit<'_> {
    pub(crate) fn branch(
        &mut self,
        cond: &Expr,
        then: &Block,
        other: Option<&Expr>,
        expr: &Expr,
    ) -> Flow<Value> {
        let Some(other) = other else { return self.guard(cond, then, expr.at) };
        if is_long(other) {
            return self.long_chain(expr);
        }
        if matches!(cond.kind, ExprKind::Lazy { .. }) && binds(cond) || opens(cond) {
            return self.chain(cond, then, other, expr);
        }
        let cond = self.scalar(cond)?;
        match self.known(cond) {
            Some(true) => return self.block(then),
            Some(false) => return self.value(other),
            None => {}
        }
        let result = self.result(expr)?;
        let op = Op::If { cond, then: Body::default(), other: Body::default() };
        self.begin(expr.at, op, ir::Ty::Unit)?;
        let then = self.block(then).and_then(|value| self.put(result.as_ref(), value, expr));
        self.build.otherwise();
        let other = self.value(other).and_then(|value| self.put(result.as_ref(), value, expr));
        self.build.end();
        match (then, other) {
            (Err(Left), Err(Left)) => Err(Left),
            (Ok(()), _) | (_, Ok(())) => self.take(result.as_ref(), expr),
        }
    }

    /// An `if` with `else` whose conditions bind variables: `then` stands inside all of them, where
    /// the variables are, and leaves a block that `other` ends.
    fn chain(&mut self, cond: &Expr, then: &Block, other: &Expr, expr: &Expr) -> Flow<Value> {
        let result = self.result(expr)?;
        let block = self.begin(expr.at, Op::Block { body: Body::default() }, ir::Ty::Unit)?;
        let mut opened = 0;
        let cond = self.conditions(cond, &mut opened);
        let mut ends = false;
        if let Ok(cond) = cond
            && self.known(cond) != Some(false)
        {
            opened += self.open_if(cond, expr.at)?;
            let then = self.block(then).and_then(|value| self.put(result.as_ref(), value, expr));
            if then.is_ok() {
                self.inst(expr.at, Op::Break(block), ir::Ty::Unit);
                ends = true;
            }
        }
        self.close(opened);
        // What leaves in the first condition leaves all of it.
        if cond.is_ok() || opened > 0 {
            let other = self.value(other).and_then(|value| self.put(result.as_ref(), value, expr));
            ends |= other.is_ok();
        }
        self.build.end();
        if ends { self.take(result.as_ref(), expr) } else { Err(Left) }
    }

    /// An `if` with many `else if`, which would nest deeper than bodies may: each leaves a block that `else` ends.
    fn long_chain(&mut self, expr: &Expr) -> Flow<Value> {
        let result = self.result(expr)?;
        let block = self.begin(expr.at, Op::Block { body: Body::default() }, ir::Ty::Unit)?;
        let (mut ends, mut is_complete) = (false, false);
        let mut rest = Some(expr);
        while let Some(arm) = rest {
            let ExprKind::If { cond, then, else_branch: other } = &arm.kind else {
                let value = self.value(arm);
                ends |= value.and_then(|value| self.put(result.as_ref(), value, expr)).is_ok();
                is_complete = true;
                break;
            };
            let mut opened = 0;
            let cond = self.conditions(cond, &mut opened);
            if let Ok(cond) = cond
                && self.known(cond) != Some(false)
            {
                opened += self.open_if(cond, arm.at)?;
                let then =
                    self.block(then).and_then(|value| self.put(result.as_ref(), value, expr));
                if then.is_ok() {
                    self.inst(arm.at, Op::Break(block), ir::Ty::Unit);
                    ends = true;
                }
            }
            self.close(opened);
            // What always leaves keeps all others from being reached.
            if opened == 0 && !cond.is_ok_and(|cond| self.known(cond) == Some(false)) {
                is_complete = true;
                break;
            }
            rest = other.as_deref();
        }
        self.build.end();
        if ends || !is_complete { self.take(result.as_ref(), expr) } else { Err(Left) }
    }

    /// A condition that is known here: what cannot be is not looked at.
    pub(crate) fn known(&self, cond: InstId) -> Option<bool> {
        match &self.build.kernel.insts[cond].op {
            Op::Const(bits) => Some(*bits != 0),
            _ => None,
        }
    }

    /// An `if` without `else`.
    fn guard(&mut self, cond: &Expr, then: &Block, at: SpanId) -> Flow<Value> {
        let mut opened = 0;
        let cond = self.conditions(cond, &mut opened);
        let done = cond.and_then(|cond| {
            match self.known(cond) {
                Some(true) => return self.block(then).map(|_| ()),
                Some(false) => return Ok(()),
                None => {}
            }
            let op = Op::If { cond, then: Body::default(), other: Body::default() };
            self.begin(at, op, ir::Ty::Unit)?;
            let _ = self.block(then);
            self.build.end();
            Ok(())
        });
        self.close(opened);
        // What leaves inside a condition that is opened leaves only where it is true.
        if opened == 0 { done.map(|()| Value::Unit) } else { Ok(Value::Unit) }
    }

    /// The last of the conditions that `&&` joins, with an `if` opened for those before it: what
    /// comes in it is seen to come where all of them are true.
    pub(crate) fn conditions(&mut self, cond: &Expr, opened: &mut usize) -> Flow<InstId> {
        let (lhs, rhs) = match &cond.kind {
            ExprKind::Lazy { is_and: true, lhs, rhs } => (lhs, rhs),
            ExprKind::Matches { scrutinee: of, pattern } => {
                return self.is(of, pattern, opened, cond.at);
            }
            _ => return self.scalar(cond),
        };
        if self.is_cheap(rhs, &mut 0) {
            let lhs = self.conditions(lhs, opened)?;
            if self.known(lhs) == Some(false) {
                return Ok(lhs);
            }
            let rhs = self.scalar(rhs)?;
            return Ok(self.binary_op(BinaryOp::And, lhs, rhs, Scalar::Bool, cond.at));
        }
        let first = self.conditions(lhs, opened)?;
        // A pattern that never matches has bound nothing for what comes behind it.
        if self.known(first) == Some(false) {
            return Ok(first);
        }
        *opened += self.open_if(first, cond.at)?;
        self.conditions(rhs, opened)
    }

    /// Opens an `if` for what comes where `cond` is true, unless it always is; how many are open.
    pub(crate) fn open_if(&mut self, cond: InstId, at: SpanId) -> Flow<usize> {
        if self.known(cond) == Some(true) {
            return Ok(0);
        }
        let op = Op::If { cond, then: Body::default(), other: Body::default() };
        self.begin(at, op, ir::Ty::Unit)?;
        Ok(1)
    }

    /// A condition that [`opens`], as a value.
    pub(crate) fn condition(&mut self, cond: &Expr) -> Flow<InstId> {
        let local = self.local("", Scalar::Bool, cond.at);
        let value = self.bits(0, Scalar::Bool, cond.at);
        self.inst(cond.at, Op::Set { local, value }, ir::Ty::Unit);
        let mut opened = 0;
        let value = self.conditions(cond, &mut opened);
        if let Ok(value) = value {
            self.inst(cond.at, Op::Set { local, value }, ir::Ty::Unit);
        }
        self.close(opened);
        // What leaves inside a condition that is opened leaves only where it is true.
        if opened == 0 {
            return value;
        }
        Ok(self.inst(cond.at, Op::Get(local), Scalar::Bool))
    }

    /// Closes what [`Self::conditions`] opened.
    pub(crate) fn close(&mut self, opened: usize) {
        for _ in 0..opened {
            self.build.end();
        }
    }

    /// Puts the right side of `&&` or `||` into its local.
    fn arm(&mut self, expr: &Expr, local: LocalId) -> Flow<()> {
        let value = self.scalar(expr)?;
        self.inst(expr.at, Op::Set { local, value }, ir::Ty::Unit);
        Ok(())
    }

    /// `&&` and `||`. A right side that is cheap and has no effect is evaluated always: nobody
    /// can tell, and what reads a condition sees both sides at once.
    pub(crate) fn lazy(&mut self, and: bool, lhs: &Expr, rhs: &Expr, at: SpanId) -> Flow<InstId> {
        // A chain of many nests as deep on the left: it is emitted from there on, without recursion.
        let mut rest = vec![(rhs, at)];
        let mut first = lhs;
        while let ExprKind::Lazy { is_and: of, lhs, rhs } = &first.kind
            && *of == and
            && !opens(first)
        {
            rest.push((rhs, first.at));
            first = lhs;
        }
        let mut value = self.scalar(first)?;
        for (rhs, at) in rest.into_iter().rev() {
            value = self.lazily(and, value, rhs, at)?;
        }
        Ok(value)
    }

    fn lazily(&mut self, and: bool, lhs: InstId, rhs: &Expr, at: SpanId) -> Flow<InstId> {
        if self.known(lhs) == Some(!and) {
            return Ok(lhs);
        }
        if self.is_cheap(rhs, &mut 0) {
            let rhs = self.scalar(rhs)?;
            let op = if and { BinaryOp::And } else { BinaryOp::Or };
            return Ok(self.inst(at, Op::Binary { op, lhs, rhs }, Scalar::Bool));
        }
        let local = self.local("", Scalar::Bool, at);
        self.inst(at, Op::Set { local, value: lhs }, ir::Ty::Unit);
        let op = Op::If { cond: lhs, then: Body::default(), other: Body::default() };
        self.begin(at, op, ir::Ty::Unit)?;
        // A right side that leaves sets nothing.
        if and {
            let _: Flow<()> = self.arm(rhs, local);
            self.build.otherwise();
        } else {
            self.build.otherwise();
            let _: Flow<()> = self.arm(rhs, local);
        }
        self.build.end();
        Ok(self.inst(at, Op::Get(local), Scalar::Bool))
    }

    /// Whether an expression has no effect, cannot fault, and is small.
    fn is_cheap(&self, expr: &Expr, nodes: &mut usize) -> bool {
        *nodes += 1;
        if *nodes > CHEAP {
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
                !self.checks_overflow(expr) && self.is_cheap(value, nodes)
            }
            ExprKind::Binary { op, lhs, rhs } => {
                !matches!(op, BinaryOp::Div | BinaryOp::Rem)
                    && !self.checks_overflow(expr)
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

    /// Whether the operator of an expression may fault because overflow is checked.
    fn checks_overflow(&self, expr: &Expr) -> bool {
        self.overflow_checks() && self.scalar_type(expr.ty).is_none_or(|scalar| !scalar.is_float())
    }

    pub(crate) fn labeled(&mut self, label: Label, block: &Block, expr: &Expr) -> Flow<Value> {
        let result = self.result(expr)?;
        let inst = self.begin(expr.at, Op::Block { body: Body::default() }, ir::Ty::Unit)?;
        self.frame.labels[label.index()] = Some(Target::new(inst, result.clone()));
        let ended = self.block(block).and_then(|value| self.put(result.as_ref(), value, expr));
        self.build.end();
        if ended.is_err() && !self.frame.function.labels[label].broken {
            return Err(Left);
        }
        self.take(result.as_ref(), expr)
    }

    /// `break`
    pub(crate) fn leave(&mut self, label: Label, value: Option<&Expr>, at: SpanId) -> Left {
        let Some(target) = self.frame.labels[label.index()].clone() else { return self.bug(at) };
        self.leave_to(target, value, at)
    }

    /// `continue`
    pub(crate) fn go_on(&mut self, label: Label, at: SpanId) -> Left {
        let Some(target) = self.frame.labels[label.index()].clone() else { return self.bug(at) };
        let op = self.next_item(target.next);
        self.inst(at, op, ir::Ty::Unit);
        Left
    }

    /// `return`: ends the thread in the kernel, and leaves the inlined body elsewhere.
    pub(crate) fn leave_function(&mut self, value: Option<&Expr>, at: SpanId) -> Left {
        if let Some(target) = self.frame.exit.clone() {
            return self.leave_to(target, value, at);
        }
        if let Some(Err(left)) = value.map(|value| self.value(value)) {
            return left;
        }
        self.inst(at, Op::Return, ir::Ty::Unit);
        Left
    }

    fn leave_to(&mut self, target: Target, value: Option<&Expr>, at: SpanId) -> Left {
        let put = match (value, &target.result) {
            (Some(expr), Some(_)) => {
                self.value(expr).and_then(|value| self.put(target.result.as_ref(), value, expr))
            }
            (Some(expr), None) => self.value(expr).map(|_| ()),
            (None, _) => Ok(()),
        };
        match put {
            Ok(()) => {
                self.inst(at, Op::Break(target.inst), ir::Ty::Unit);
                Left
            }
            Err(left) => left,
        }
    }
}

/// How many `else if` nest in each other in the IR.
const MAX_NESTED_ELSE_IFS: usize = 32;

/// True if an `else` begins more `else if`s than may nest in each other.
fn is_long(other: &Expr) -> bool {
    let mut rest = Some(other);
    for _ in 0..MAX_NESTED_ELSE_IFS {
        match rest.map(|arm| &arm.kind) {
            Some(ExprKind::If { else_branch: other, .. }) => rest = other.as_deref(),
            Some(_) | None => return false,
        }
    }
    true
}

/// Whether one of the conditions that `&&` joins is a `let`.
fn binds(cond: &Expr) -> bool {
    match &cond.kind {
        ExprKind::Lazy { is_and: true, lhs, rhs } => binds(lhs) || binds(rhs),
        ExprKind::Matches { .. } => true,
        _ => false,
    }
}

/// Whether one of the conditions that `&&` joins may open an `if` for what comes behind it.
pub(crate) fn opens(cond: &Expr) -> bool {
    match &cond.kind {
        ExprKind::Lazy { is_and: true, lhs, rhs } => opens(lhs) || opens(rhs),
        ExprKind::Matches { pattern, .. } => binds_behind(pattern, false),
        _ => false,
    }
}
