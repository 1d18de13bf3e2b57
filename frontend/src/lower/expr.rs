//! Lowering of expressions, statements and blocks.
use crate::{
    hir::{Block, Expr, ExprKind, Pattern, PatternKind, SpanId, Stmt, StmtKind},
    infer,
    lower::{Diverged, Flow, Lowerer, Place, Value, arith::operator::is_root, control::opens_if},
    types::mono::Mono,
};
use warpwise_compiler::ir::{InstId, Op, Scalar};

impl Lowerer<'_> {
    /// Lowers the statements in order, then the tail expression.
    pub(crate) fn lower_block(&mut self, block: &Block) -> Flow<Value> {
        for stmt in &block.stmts {
            self.lower_stmt(stmt)?;
        }
        block.tail.as_ref().map_or(Ok(Value::Unit), |tail| self.lower_value(tail))
    }

    fn lower_stmt(&mut self, stmt: &Stmt) -> Flow<()> {
        self.with_lint_levels(&stmt.levels, |this| match &stmt.kind {
            StmtKind::Let { pattern, init, else_block: other } => {
                this.lower_let(pattern, init.as_ref(), other.as_ref())
            }
            StmtKind::Expr(expr) => this.lower_value(expr).map(|_| ()),
        })
    }

    fn lower_let(
        &mut self,
        pattern: &Pattern,
        init: Option<&Expr>,
        other: Option<&Block>,
    ) -> Flow<()> {
        // The order of these cases matters: `let _ = place;` reads nothing, `let .. else` tests its
        // pattern, and a plain binding takes its value without a detour through a place.
        let Some(init) = init else { return self.declare_vars(pattern) };
        if let PatternKind::Wild = pattern.kind
            && other.is_none()
        {
            return if init.is_place() {
                self.lower_place(init).map(|_| ())
            } else {
                self.lower_value(init).map(|_| ())
            };
        }
        if let Some(other) = other {
            return self.lower_let_else(pattern, init, other);
        }
        if let PatternKind::Bind { var, by_ref: false, subpattern: None } = pattern.kind {
            let value = self.lower_value(init)?;
            if is_root(init) && !self.frame.function.vars[var].settable {
                self.frame.roots.push(var);
            }
            return self.bind_value(pattern, value);
        }
        let mono = self.mono_type(init.ty, init.at)?;
        let place = self.lower_scrutinee(init, &mono)?;
        self.bind_pattern(pattern, &place, &mono)
    }

    /// Lowers an expression whose value is a number or `bool`.
    pub(crate) fn lower_scalar(&mut self, expr: &Expr) -> Flow<InstId> {
        let value = self.lower_value(expr)?;
        self.expect_scalar(&value, expr.at)
    }

    /// Returns the instruction of a value that is a number or `bool`.
    pub(crate) fn expect_scalar(&mut self, value: &Value, at: SpanId) -> Flow<InstId> {
        match value {
            Value::Scalar(inst) => Ok(*inst),
            Value::Unit
            | Value::Ref(_)
            | Value::Parts(_)
            | Value::Variants(_)
            | Value::Array(_)
            | Value::Closure(_) => Err(self.report_bug(at)),
        }
    }

    /// Lowers an expression to its value, within the nesting limit.
    pub(crate) fn lower_value(&mut self, expr: &Expr) -> Flow<Value> {
        if self.nesting >= crate::lower::MAX_NESTING {
            return Err(self.report_too_deep(expr.at));
        }
        self.nesting += 1;
        let value = self.lower_expr_kind(expr);
        self.nesting -= 1;
        value
    }

    fn lower_expr_kind(&mut self, expr: &Expr) -> Flow<Value> {
        let at = expr.at;
        match &expr.kind {
            ExprKind::Reported => Err(self.report_bug(at)),
            ExprKind::Unit => Ok(Value::Unit),
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Constant(_) => {
                self.lower_constant(expr, false).map(Value::Scalar)
            }
            ExprKind::ConstParam(len) => self.lower_const_param(*len, expr),
            ExprKind::Measure(measure, of) => {
                self.lower_measure(*measure, *of, expr).map(Value::Scalar)
            }
            ExprKind::Var(_)
            | ExprKind::Deref(_)
            | ExprKind::Index { .. }
            | ExprKind::Slice { .. }
            | ExprKind::Field { .. }
            | ExprKind::Scoped { .. } => {
                let place = self.lower_place(expr)?;
                let mono = self.mono_type(expr.ty, at)?;
                self.read_place(&place, &mono, at)
            }
            ExprKind::Aggregate { variant, fields, base } => {
                self.lower_aggregate(*variant, fields, base.as_deref(), expr)
            }
            ExprKind::Default => {
                let mono = self.mono_type(expr.ty, at)?;
                self.default_value(&mono, at)
            }
            ExprKind::Clone(of) => self.lower_clone(of, at),
            ExprKind::Array(values) => self.lower_array(values, expr),
            ExprKind::Repeat(value) => self.lower_repeat(value, expr),
            ExprKind::Match { scrutinee: of, arms } => self.lower_match(of, arms, expr),
            // Before the other conditions: one that opens an `if` needs a local for its value.
            ExprKind::Matches { .. } | ExprKind::Lazy { is_and: true, .. } if opens_if(expr) => {
                self.lower_condition_value(expr).map(Value::Scalar)
            }
            ExprKind::Matches { scrutinee: of, pattern } => {
                self.lower_is(of, pattern, &mut 0, at).map(Value::Scalar)
            }
            ExprKind::Equality { negated, lhs, rhs } => {
                let (a, b) = (self.lower_value(lhs)?, self.lower_value(rhs)?);
                let mono = self.mono_type(lhs.ty, at)?;
                let same = self.lower_eq(&a, &b, &mono, at)?;
                Ok(Value::Scalar(if *negated { self.push_not(same, at) } else { same }))
            }
            ExprKind::OrderingCall { total, lhs, rhs } => self.lower_cmp(*total, lhs, rhs, expr),
            ExprKind::OrderedCompare { op, lhs, rhs } => {
                let (a, b) = (self.lower_value(lhs)?, self.lower_value(rhs)?);
                let mono = self.mono_type(lhs.ty, at)?;
                self.require_comparison("PartialOrd", &mono, at)?;
                self.lower_ordered(*op, &a, &b, &mono, at).map(Value::Scalar)
            }
            ExprKind::Closure(closure) => Ok(self.create_closure(closure)),
            ExprKind::Pointer(closure) => self.lower_function_pointer(closure, expr),
            ExprKind::CallValue { callee, args } => self.lower_invoke(callee, args, expr),
            ExprKind::Get { base, index } => self.lower_get(base, index, at),
            ExprKind::OptionAsMut(option) => self.lower_option_as_mut(option),
            ExprKind::Borrow(place) => self.lower_borrow(place, expr),
            ExprKind::Unsize(array) => self.lower_unsize(array),
            ExprKind::Reshape { slice, len } => self.lower_reshape(slice, len.as_deref()),
            ExprKind::VectorView(slice) => self.lower_vector_view(slice, expr),
            ExprKind::Unary { op, value } => self.lower_unary(*op, value, expr).map(Value::Scalar),
            ExprKind::Binary { op, lhs, rhs } => {
                self.lower_binary(*op, lhs, rhs, expr).map(Value::Scalar)
            }
            ExprKind::Compare { op, lhs, rhs } => {
                let (lhs, rhs) = (self.lower_scalar(lhs)?, self.lower_scalar(rhs)?);
                Ok(Value::Scalar(self.push_compare(*op, lhs, rhs, at)))
            }
            ExprKind::Lazy { is_and: and, lhs, rhs } => {
                self.lower_lazy(*and, lhs, rhs, at).map(Value::Scalar)
            }
            ExprKind::Cast(value) if self.scalar_type(expr.ty).is_none() => {
                self.lower_conversion(value, expr)
            }
            ExprKind::Cast(value) => {
                let to = self.expect_scalar_type(expr.ty, at)?;
                let (from, value) = self.lower_cast_operand(value)?;
                Ok(Value::Scalar(self.push_convert(value, from, to, at)))
            }
            ExprKind::Assign { place, value } => self.lower_assign(place.as_deref(), value, at),
            ExprKind::Update { op, place, value, overloaded } => {
                self.lower_update(*op, [place, value], *overloaded, at)
            }
            ExprKind::DeclaredConstant(value) => self.lower_declared_constant(value),
            ExprKind::Block { label: None, block } => self.lower_block(block),
            ExprKind::Block { label: Some(label), block } => {
                self.lower_labeled_block(*label, block, expr)
            }
            ExprKind::If { cond, then, else_branch: other } => {
                self.lower_if(cond, then, other.as_deref(), expr)
            }
            ExprKind::While { label, cond, body } => self.lower_while(*label, cond, body, at),
            ExprKind::Loop { label, body } => self.lower_loop(*label, body, expr),
            ExprKind::ForRange(for_loop) => self.lower_for(for_loop, at),
            ExprKind::ForEach(each) => self.lower_for_each(each, at),
            ExprKind::Break { label, value } => Err(self.lower_break(*label, value.as_deref(), at)),
            ExprKind::Continue(label) => Err(self.lower_continue(*label, at)),
            ExprKind::Return(value) => Err(self.lower_return(value.as_deref(), at)),
            ExprKind::Call(call) => self.lower_call(call, expr),
            ExprKind::Builtin { builtin: which, args } => self.lower_builtin(*which, args, expr),
            ExprKind::Method { method: which, args } => self.lower_method(*which, args, expr),
            ExprKind::Atomic(atomic) => self.lower_atomic(atomic, expr),
            ExprKind::IterLen(iter) => self.lower_iter_len(iter, at).map(Value::Scalar),
            ExprKind::Length(place) => self.lower_length(place, at).map(Value::Scalar),
            ExprKind::Shared { name } => self.lower_shared(name, expr),
            ExprKind::SharedDyn { name, len } => self.lower_shared_dyn(name, len, expr),
            ExprKind::InlinePtx { is_pure, ptx, args } => {
                self.lower_inline_ptx(*is_pure, ptx, args, at)
            }
            ExprKind::Interpreted => {
                Ok(Value::Scalar(self.push_inst(at, Op::Interpreted, Scalar::Bool)))
            }
            ExprKind::Message(say) => self.lower_say(say, at),
            ExprKind::DebugOnly(check) => self.lower_debug_check(check),
        }
    }

    fn lower_assign(&mut self, place: Option<&Expr>, value: &Expr, at: SpanId) -> Flow<Value> {
        // The value is evaluated before the place, as Rust does it.
        let from = value;
        let value = self.lower_value(from)?;
        if let Some(place) = place {
            let mono = self.mono_type(place.ty, place.at)?;
            let place = self.lower_place(place)?;
            self.write_place(&place, value, &mono, at)?;
        }
        Ok(Value::Unit)
    }

    /// Lowers `value.into()` of a user's `impl`, whose target was decided after the call.
    fn lower_conversion(&mut self, value: &Expr, expr: &Expr) -> Flow<Value> {
        let at = expr.at;
        let (from, to) = (self.mono_type(value.ty, at)?, self.mono_type(expr.ty, at)?);
        let generics = self.frame.function.types.generics.clone();
        let found = infer::find_conversion_impl(self.program, [&from, &to], &generics, self.errors);
        let Some((callee, given, ret)) = found else { return Err(self.report_bug(at)) };
        let value = self.lower_value(value)?;
        self.call_instance(callee, given, &ret, at, |_| Ok(vec![value]))
    }

    /// Lowers the operand of a cast; the operand of an enum is its discriminant.
    fn lower_cast_operand(&mut self, expr: &Expr) -> Flow<(Scalar, InstId)> {
        if let Some(scalar) = self.scalar_type(expr.ty) {
            return Ok((scalar, self.lower_scalar(expr)?));
        }
        let mono = self.mono_type(expr.ty, expr.at)?;
        let adt = self.adt_of(&mono, expr.at)?;
        match (self.lower_value(expr)?, adt.tag) {
            (Value::Variants(variants), Some(scalar)) => Ok((scalar, variants.tag)),
            _ => {
                let fact = "only numbers and enums without data can be cast";
                self.errors.mistyped(self.source_range(expr.at), fact);
                Err(Diverged)
            }
        }
    }

    /// Allocates a place for the result of several branches; `None` if there is no value.
    pub(crate) fn new_result(&mut self, expr: &Expr) -> Flow<Option<Place>> {
        let mono = self.mono_type(expr.ty, expr.at)?;
        self.new_result_of_type(&mono, expr.at)
    }

    /// Allocates a result place for a type.
    pub(crate) fn new_result_of_type(&mut self, mono: &Mono, at: SpanId) -> Flow<Option<Place>> {
        match mono {
            Mono::Unit | Mono::Never => Ok(None),
            _ => self.allocate(mono, "", at).map(Some),
        }
    }

    /// Stores a value into the place of [`Self::new_result`], if there is one.
    pub(crate) fn set_result(
        &mut self,
        result: Option<&Place>,
        value: Value,
        expr: &Expr,
    ) -> Flow<()> {
        match result {
            Some(place) => {
                let mono = self.mono_type(expr.ty, expr.at)?;
                self.write_place(place, value, &mono, expr.at)
            }
            None => Ok(()),
        }
    }

    /// Reads the result after all branches.
    pub(crate) fn take_result(&mut self, result: Option<&Place>, expr: &Expr) -> Flow<Value> {
        let mono = self.mono_type(expr.ty, expr.at)?;
        self.take_result_of_type(result, &mono, expr.at)
    }

    /// Reads a result of this type.
    pub(crate) fn take_result_of_type(
        &mut self,
        result: Option<&Place>,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<Value> {
        match result {
            // Nothing else refers to this memory.
            Some(Place::Memory(memory)) => Ok(Value::Array(memory.clone())),
            Some(place) => self.read_place(place, mono, at),
            None => Ok(Value::Unit),
        }
    }
}
