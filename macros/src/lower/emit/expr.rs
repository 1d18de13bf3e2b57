//! Expressions, statements and blocks.
use super::{Binding, Emit, Flow, Place, Value};
use crate::lower::{
    tree::{At, Block, Expr, Kind, Stmt, StmtKind, Var},
    types::Type,
};
use warpwise_compiler::{
    id::Id as _,
    ir::{self, InstId, LocalId, Op, Shared},
};

impl Emit<'_> {
    /// Statements in order, then the value.
    pub(super) fn block(&mut self, block: &Block) -> Flow<Value> {
        for stmt in &block.stmts {
            self.stmt(stmt)?;
        }
        block.tail.as_ref().map_or(Ok(Value::Unit), |tail| self.value(tail))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Flow<()> {
        self.leveled(&stmt.levels, |this| match &stmt.kind {
            StmtKind::Let { var, init } => this.declare(*var, init.as_ref()),
            StmtKind::Expr(expr) => this.value(expr).map(|_| ()),
        })
    }

    fn declare(&mut self, var: Option<Var>, init: Option<&Expr>) -> Flow<()> {
        let value = init.map(|init| self.value(init)).transpose()?;
        match var {
            Some(var) => self.bind(var, value),
            None => Ok(()),
        }
    }

    /// Gives a variable its first value, if it has one.
    pub(super) fn bind(&mut self, var: Var, value: Option<Value>) -> Flow<()> {
        let function = self.frame.function;
        let variable = &function.vars[var];
        let at = variable.at;
        let binding = match (self.scalar_type(variable.ty), value) {
            (Some(scalar), value) if variable.settable => {
                let local = self.local(variable.name.trim_start_matches("r#"), scalar, at);
                if let Some(value) = value {
                    self.set(Place::Local(local), value, at)?;
                }
                Binding::Local(local)
            }
            (_, Some(value)) => Binding::Value(value),
            (_, None) if self.ty(variable.ty) == Type::Unit => Binding::Value(Value::Unit),
            (_, None) => Binding::Unset,
        };
        self.frame.vars[var.index()] = binding;
        Ok(())
    }

    /// The value of an expression that is a number or `bool`.
    pub(super) fn scalar(&mut self, expr: &Expr) -> Flow<InstId> {
        match self.value(expr)? {
            Value::Scalar(inst) => Ok(inst),
            Value::Unit | Value::Ref(_) | Value::Exchange(_) => Err(self.bug(expr.at)),
        }
    }

    pub(super) fn value(&mut self, expr: &Expr) -> Flow<Value> {
        if self.nesting >= super::MAX_NESTING {
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
            Kind::Reported => Err(self.bug(at)),
            Kind::Unit => Ok(Value::Unit),
            Kind::Int(_) | Kind::Float(_) | Kind::Bool(_) | Kind::Constant(_) => {
                self.constant(expr, false).map(Value::Scalar)
            }
            Kind::Generic(id) => self.generic(*id, expr),
            Kind::Var(_) | Kind::Deref(_) | Kind::Index { .. } | Kind::Scoped { .. } => {
                let place = self.place(expr)?;
                self.get(place, expr)
            }
            Kind::Borrow(place) => self.borrow(place, expr),
            Kind::Unsize(array) => self.unsize(array),
            Kind::Unary { op, value } => self.unary(*op, value, expr).map(Value::Scalar),
            Kind::Binary { op, lhs, rhs } => self.binary(*op, lhs, rhs, expr).map(Value::Scalar),
            Kind::Compare { op, lhs, rhs } => {
                let (lhs, rhs) = (self.scalar(lhs)?, self.scalar(rhs)?);
                Ok(Value::Scalar(self.compare(*op, lhs, rhs, at)))
            }
            Kind::Lazy { and, lhs, rhs } => self.lazy(*and, lhs, rhs, at).map(Value::Scalar),
            Kind::Cast(value) => {
                let to = self.scalar_of(expr.ty, at)?;
                let from = self.scalar_of(value.ty, at)?;
                let value = self.scalar(value)?;
                Ok(Value::Scalar(self.convert(value, from, to, at)))
            }
            Kind::Assign { place, value } => self.assign(place.as_deref(), value, at),
            Kind::Update { op, place, value, overloaded } => {
                self.update(*op, [place, value], *overloaded, at)
            }
            Kind::Block { label: None, block } => self.block(block),
            Kind::Block { label: Some(label), block } => self.labeled(*label, block, expr),
            Kind::If { cond, then, other } => self.branch(cond, then, other.as_deref(), expr),
            Kind::While { label, cond, body } => self.while_loop(*label, cond, body, at),
            Kind::Loop { label, body } => self.endless_loop(*label, body, expr),
            Kind::For(for_loop) => self.for_loop(for_loop, at),
            Kind::Break { label, value } => Err(self.leave(*label, value.as_deref(), at)),
            Kind::Continue(label) => Err(self.go_on(*label, at)),
            Kind::Return(value) => Err(self.leave_function(value.as_deref(), at)),
            Kind::Call(call) => self.call(call, expr),
            Kind::Builtin { which, args } => self.builtin(*which, args, expr),
            Kind::Method { which, args } => self.method(*which, args, expr).map(Value::Scalar),
            Kind::Atomic(atomic) => self.atomic(atomic, expr),
            Kind::Length(place) => self.length(place, at).map(Value::Scalar),
            Kind::Exchanged { result, ok } => self.exchanged(result, *ok, at),
            Kind::Shared { name } => self.shared(name, expr),
        }
    }

    fn assign(&mut self, place: Option<&Expr>, value: &Expr, at: At) -> Flow<Value> {
        let value = self.value(value)?;
        if let Some(place) = place {
            let place = self.place(place)?;
            self.set(place, value, at)?;
        }
        Ok(Value::Unit)
    }

    /// A local for what comes out of several ways; `None` if nothing does.
    pub(super) fn result(&mut self, expr: &Expr) -> Flow<Option<LocalId>> {
        match self.ty(expr.ty) {
            Type::Unit | Type::Never => Ok(None),
            _ => {
                let scalar = self.scalar_of(expr.ty, expr.at)?;
                Ok(Some(self.local("", scalar, expr.at)))
            }
        }
    }

    /// Puts a value where [`Self::result`] said, if anywhere.
    pub(super) fn put(&mut self, result: Option<LocalId>, value: Value, at: At) -> Flow<()> {
        match result {
            Some(local) => self.set(Place::Local(local), value, at),
            None => Ok(()),
        }
    }

    /// What is there in the end.
    pub(super) fn take(&mut self, result: Option<LocalId>, at: At) -> Value {
        match result {
            Some(local) => {
                let ty = self.build.kernel.locals[local].ty;
                Value::Scalar(self.inst(at, Op::Get(local), ty))
            }
            None => Value::Unit,
        }
    }

    fn exchanged(&mut self, result: &Expr, ok: bool, at: At) -> Flow<Value> {
        let place = self.place(result)?;
        let Place::Value(Value::Exchange(succeeded)) = place else { return Err(self.bug(at)) };
        Ok(Value::Scalar(if ok { succeeded } else { self.not(succeeded, at) }))
    }

    /// One array for each time that a `shared!` is emitted.
    fn shared(&mut self, name: &str, expr: &Expr) -> Flow<Value> {
        let at = expr.at;
        let Type::Ref { to, .. } = self.ty(expr.ty) else { return Err(self.bug(at)) };
        let mut len = ir::Extent::Const(1);
        let mut elem = to;
        while let Type::Array(inner, each) = self.ty(elem) {
            let each = self.array_len(each, at)?;
            len = self.product(len, each, at)?;
            elem = inner;
        }
        let elem = self.scalar_of(elem, at)?;
        let span = self.span(at);
        let name = name.trim_start_matches("r#").to_owned();
        let (elem, len) = (elem.into(), tidy(len));
        let id = self.build.kernel.shared.push(Shared { name, elem, len, span });
        let memory = super::Memory { ptr: super::Pointer::Shared(id), len: None, scope: None };
        Ok(Value::Ref(Box::new(Place::Memory(memory))))
    }
}

/// `1 * n` as `n`.
fn tidy(extent: ir::Extent) -> ir::Extent {
    match extent {
        ir::Extent::Mul(a, b) => match (tidy(*a), tidy(*b)) {
            (ir::Extent::Const(1), other) | (other, ir::Extent::Const(1)) => other,
            (a, b) => ir::Extent::Mul(Box::new(a), Box::new(b)),
        },
        other => other,
    }
}
