//! Expressions, statements and blocks.
use crate::{
    hir::{Block, Expr, ExprKind, Pattern, PatternKind, SpanId, Stmt, StmtKind},
    lower::{Emit, Flow, Left, Place, Value, arith::operator::is_root, control::opens},
    types::mono::Mono,
};
use warpwise_compiler::ir::{InstId, Scalar};

impl Emit<'_> {
    /// Statements in order, then the value.
    pub(crate) fn block(&mut self, block: &Block) -> Flow<Value> {
        for stmt in &block.stmts {
            self.stmt(stmt)?;
        }
        block.tail.as_ref().map_or(Ok(Value::Unit), |tail| self.value(tail))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Flow<()> {
        self.leveled(&stmt.levels, |this| match &stmt.kind {
            StmtKind::Let { pattern, init, else_block: other } => {
                this.let_stmt(pattern, init.as_ref(), other.as_ref())
            }
            StmtKind::Expr(expr) => this.value(expr).map(|_| ()),
        })
    }

    fn let_stmt(
        &mut self,
        pattern: &Pattern,
        init: Option<&Expr>,
        other: Option<&Block>,
    ) -> Flow<()> {
        let Some(init) = init else { return self.declare(pattern) };
        if let PatternKind::Wild = pattern.kind
            && other.is_none()
        {
            return if init.is_place() {
                self.place(init).map(|_| ())
            } else {
                self.value(init).map(|_| ())
            };
        }
        if let Some(other) = other {
            return self.let_else(pattern, init, other);
        }
        if let PatternKind::Bind { var, by_ref: false, subpattern: None } = pattern.kind {
            let value = self.value(init)?;
            if is_root(init) && !self.frame.function.vars[var].settable {
                self.frame.roots.push(var);
            }
            return self.bind_value(pattern, value);
        }
        let mono = self.mono(init.ty, init.at)?;
        let place = self.scrutinee(init, &mono)?;
        self.bind_pattern(pattern, &place, &mono)
    }

    /// The value of an expression that is a number or `bool`.
    pub(crate) fn scalar(&mut self, expr: &Expr) -> Flow<InstId> {
        let value = self.value(expr)?;
        self.as_scalar(&value, expr.at)
    }

    /// The instruction of a value that is a number or `bool`.
    pub(crate) fn as_scalar(&mut self, value: &Value, at: SpanId) -> Flow<InstId> {
        match value {
            Value::Scalar(inst) => Ok(*inst),
            Value::Unit
            | Value::Ref(_)
            | Value::Parts(_)
            | Value::Variants(_)
            | Value::Array(_)
            | Value::Closure(_) => Err(self.bug(at)),
        }
    }

    pub(crate) fn value(&mut self, expr: &Expr) -> Flow<Value> {
        if self.nesting >= crate::lower::MAX_NESTING {
            return Err(self.too_deep(expr.at));
        }
        self.nesting += 1;
        let value = self.kind(expr);
        self.nesting -= 1;
        value
    }

    fn kind(&mut self, expr: &Expr) -> Flow<Value> {
        let at = expr.at;
        match &expr.kind {
            ExprKind::Reported => Err(self.bug(at)),
            ExprKind::Unit => Ok(Value::Unit),
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Constant(_) => {
                self.constant(expr, false).map(Value::Scalar)
            }
            ExprKind::ConstParam(len) => self.parameter(*len, expr),
            ExprKind::Measure(measure, of) => self.measure(*measure, *of, expr).map(Value::Scalar),
            ExprKind::Var(_)
            | ExprKind::Deref(_)
            | ExprKind::Index { .. }
            | ExprKind::Slice { .. }
            | ExprKind::Field { .. }
            | ExprKind::Scoped { .. } => {
                let place = self.place(expr)?;
                let mono = self.mono(expr.ty, at)?;
                self.get(&place, &mono, at)
            }
            ExprKind::Aggregate { variant, fields, base } => {
                self.aggregate(*variant, fields, base.as_deref(), expr)
            }
            ExprKind::Default => {
                let mono = self.mono(expr.ty, at)?;
                self.default_value(&mono, at)
            }
            ExprKind::Array(values) => self.array_of(values, expr),
            ExprKind::Repeat(value) => self.repeated(value, expr),
            ExprKind::Match { scrutinee: of, arms } => self.match_expr(of, arms, expr),
            ExprKind::Matches { .. } | ExprKind::Lazy { is_and: true, .. } if opens(expr) => {
                self.condition(expr).map(Value::Scalar)
            }
            ExprKind::Matches { scrutinee: of, pattern } => {
                self.is(of, pattern, &mut 0, at).map(Value::Scalar)
            }
            ExprKind::Equality { negated, lhs, rhs } => {
                let (a, b) = (self.value(lhs)?, self.value(rhs)?);
                let mono = self.mono(lhs.ty, at)?;
                let same = self.same(&a, &b, &mono, at)?;
                Ok(Value::Scalar(if *negated { self.not(same, at) } else { same }))
            }
            ExprKind::OrderingCall { total, lhs, rhs } => self.order_of(*total, lhs, rhs, expr),
            ExprKind::OrderedCompare { op, lhs, rhs } => {
                let (a, b) = (self.value(lhs)?, self.value(rhs)?);
                let mono = self.mono(lhs.ty, at)?;
                self.ordered(*op, &a, &b, &mono, at).map(Value::Scalar)
            }
            ExprKind::Closure(closure) => Ok(self.closure(closure)),
            ExprKind::Pointer(closure) => self.pointer_to(closure, expr),
            ExprKind::CallValue { callee, args } => self.invoke(callee, args, expr),
            ExprKind::Get { base, index } => self.get_element(base, index, at),
            ExprKind::OptionAsMut(option) => self.inside(option),
            ExprKind::Borrow(place) => self.borrow(place, expr),
            ExprKind::Unsize(array) => self.unsize(array),
            ExprKind::Reshape { slice, len } => self.reshape(slice, len.as_deref()),
            ExprKind::Unary { op, value } => self.unary(*op, value, expr).map(Value::Scalar),
            ExprKind::Binary { op, lhs, rhs } => {
                self.binary(*op, lhs, rhs, expr).map(Value::Scalar)
            }
            ExprKind::Compare { op, lhs, rhs } => {
                let (lhs, rhs) = (self.scalar(lhs)?, self.scalar(rhs)?);
                Ok(Value::Scalar(self.compare(*op, lhs, rhs, at)))
            }
            ExprKind::Lazy { is_and: and, lhs, rhs } => {
                self.lazy(*and, lhs, rhs, at).map(Value::Scalar)
            }
            ExprKind::Cast(value) => {
                let to = self.scalar_of(expr.ty, at)?;
                let (from, value) = self.number(value)?;
                Ok(Value::Scalar(self.convert(value, from, to, at)))
            }
            ExprKind::Assign { place, value } => self.assign(place.as_deref(), value, at),
            ExprKind::Update { op, place, value, overloaded } => {
                self.update(*op, [place, value], *overloaded, at)
            }
            ExprKind::Block { label: None, block } => self.block(block),
            ExprKind::Block { label: Some(label), block } => self.labeled(*label, block, expr),
            ExprKind::If { cond, then, else_branch: other } => {
                self.branch(cond, then, other.as_deref(), expr)
            }
            ExprKind::While { label, cond, body } => self.while_loop(*label, cond, body, at),
            ExprKind::Loop { label, body } => self.endless_loop(*label, body, expr),
            ExprKind::ForRange(for_loop) => self.for_loop(for_loop, at),
            ExprKind::ForEach(each) => self.each_loop(each, at),
            ExprKind::Break { label, value } => Err(self.leave(*label, value.as_deref(), at)),
            ExprKind::Continue(label) => Err(self.go_on(*label, at)),
            ExprKind::Return(value) => Err(self.leave_function(value.as_deref(), at)),
            ExprKind::Call(call) => self.call(call, expr),
            ExprKind::Builtin { builtin: which, args } => self.builtin(*which, args, expr),
            ExprKind::Method { method: which, args } => self.method(*which, args, expr),
            ExprKind::Atomic(atomic) => self.atomic(atomic, expr),
            ExprKind::IterLen(iter) => self.remaining(iter, at).map(Value::Scalar),
            ExprKind::Length(place) => self.length(place, at).map(Value::Scalar),
            ExprKind::Shared { name } => self.shared(name, expr),
            ExprKind::SharedDyn { name, len } => self.shared_dyn(name, len, expr),
            ExprKind::Message(say) => self.say(say, at),
            ExprKind::DebugOnly(check) => self.in_debug(check),
        }
    }

    fn assign(&mut self, place: Option<&Expr>, value: &Expr, at: SpanId) -> Flow<Value> {
        let from = value;
        let value = self.value(from)?;
        if let Some(place) = place {
            let mono = self.mono(place.ty, place.at)?;
            let place = self.place(place)?;
            self.set(&place, value, &mono, at)?;
        }
        Ok(Value::Unit)
    }

    /// A number to be cast; of an enum, its discriminant.
    fn number(&mut self, expr: &Expr) -> Flow<(Scalar, InstId)> {
        if let Some(scalar) = self.scalar_type(expr.ty) {
            return Ok((scalar, self.scalar(expr)?));
        }
        let mono = self.mono(expr.ty, expr.at)?;
        let adt = self.adt(&mono, expr.at)?;
        match (self.value(expr)?, adt.tag) {
            (Value::Variants(variants), Some(scalar)) => Ok((scalar, variants.tag)),
            _ => {
                let fact = "only numbers and enums without data can be cast";
                self.errors.mistyped(self.range(expr.at), fact);
                Err(Left)
            }
        }
    }

    /// Room for what comes out of several ways; `None` if nothing does.
    pub(crate) fn result(&mut self, expr: &Expr) -> Flow<Option<Place>> {
        let mono = self.mono(expr.ty, expr.at)?;
        self.result_of(&mono, expr.at)
    }

    /// The same, for a type.
    pub(crate) fn result_of(&mut self, mono: &Mono, at: SpanId) -> Flow<Option<Place>> {
        match mono {
            Mono::Unit | Mono::Never => Ok(None),
            _ => self.room(mono, "", at).map(Some),
        }
    }

    /// Puts a value where [`Self::result`] said, if anywhere.
    pub(crate) fn put(&mut self, result: Option<&Place>, value: Value, expr: &Expr) -> Flow<()> {
        match result {
            Some(place) => {
                let mono = self.mono(expr.ty, expr.at)?;
                self.set(place, value, &mono, expr.at)
            }
            None => Ok(()),
        }
    }

    /// What is there in the end.
    pub(crate) fn take(&mut self, result: Option<&Place>, expr: &Expr) -> Flow<Value> {
        let mono = self.mono(expr.ty, expr.at)?;
        self.take_of(result, &mono, expr.at)
    }

    /// The same, for a type.
    pub(crate) fn take_of(
        &mut self,
        result: Option<&Place>,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<Value> {
        match result {
            // Nothing else will ever refer to it.
            Some(Place::Memory(memory)) => Ok(Value::Array(memory.clone())),
            Some(place) => self.get(place, mono, at),
            None => Ok(Value::Unit),
        }
    }
}
