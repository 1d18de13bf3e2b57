//! Lowering of the methods of atomics.
use crate::{
    hir::{Atomic, AtomicMethod, Expr, OrderingArg, SpanId, stronger_ordering},
    infer::{NO_ORDERING, ORDERING_HELP},
    lower::{Diverged, EnumValue, Flow, Lowerer, Memory, Place, Pointer, Value},
    types::{Type, ordering::ORDERS},
};
use std::rc::Rc;
use warpwise_compiler::ir::{
    self, BinaryOp, Body, CompareOp, InstId, Op, Order, Scalar, Scope, Space, UnaryOp,
};

/// Atomic with the ordering and scope of its update.
struct AtomicCell {
    ptr: InstId,
    scalar: Scalar,
    order: Order,
    scope: Scope,
}

/// Computes the new value from the loop and the old value; `None` if it always leaves the loop.
type UpdateFn<'f, E> = dyn FnMut(&mut E, InstId, InstId) -> Flow<Option<InstId>> + 'f;

impl Lowerer<'_> {
    pub(crate) fn lower_atomic(&mut self, atomic: &Atomic, expr: &Expr) -> Flow<Value> {
        let at = expr.at;
        let place = self.lower_place(&atomic.place)?;
        let Place::Memory(memory) = place else { return Err(self.report_bug(at)) };
        let Type::Atomic(prim) = self.type_of(atomic.place.ty) else {
            return Err(self.report_bug(at));
        };
        let (scalar, scope) = (prim.scalar(), self.atomic_scope(&memory));
        if let (AtomicMethod::FetchUpdate, [closure]) = (atomic.method, atomic.args.as_slice()) {
            let (order, load) = self.lower_orders(atomic, at)?;
            let ptr = self.pointer_inst(memory.ptr, at);
            let cell = AtomicCell { ptr, scalar, order, scope };
            return self.lower_fetch_update(&cell, load, closure, at);
        }
        let args: Vec<InstId> =
            atomic.args.iter().map(|arg| self.lower_scalar(arg)).collect::<Flow<_>>()?;
        let (order, _) = self.lower_orders(atomic, at)?;
        let ptr = self.pointer_inst(memory.ptr, at);
        match (atomic.method, args.as_slice()) {
            (AtomicMethod::Load, []) => {
                let op = Op::AtomicLoad { ptr, order, scope };
                Ok(Value::Scalar(self.push_inst(at, op, scalar)))
            }
            (AtomicMethod::Store, &[value]) => {
                self.push_inst(at, Op::AtomicStore { ptr, value, order, scope }, ir::Ty::Unit);
                Ok(Value::Unit)
            }
            (AtomicMethod::Update(op), &[value]) => {
                let op = Op::Atomic { op, ptr, value, order, scope };
                Ok(Value::Scalar(self.push_inst(at, op, scalar)))
            }
            (AtomicMethod::Nand, &[value]) => self
                .lower_nand(&AtomicCell { ptr, scalar, order, scope }, value, at)
                .map(Value::Scalar),
            (AtomicMethod::CompareExchange, &[expected, value]) => {
                let op = Op::CompareExchange { ptr, expected, value, order, scope };
                let old = self.push_inst(at, op, scalar);
                let failed = self.push_compare(CompareOp::Ne, old, expected, at);
                Ok(self.exchange_result(old, failed))
            }
            _ => Err(self.report_bug(at)),
        }
    }

    /// Returns the ordering of the whole method, and that of its last read.
    fn lower_orders(&mut self, atomic: &Atomic, at: SpanId) -> Flow<(Order, Order)> {
        let orders = atomic.orders.iter().map(|order| match order {
            OrderingArg::Known(order) => Ok(*order),
            OrderingArg::Value(value) => self.constant_order(value),
        });
        let orders = orders.collect::<Flow<Vec<_>>>()?;
        if let Some(wrong) = atomic.method.ordering_error(&atomic.name, &orders) {
            self.errors.report(self.source_range(at), wrong);
            return Err(Diverged);
        }
        let (all, last) = (orders.iter().copied().reduce(stronger_ordering), orders.last());
        all.zip(last.copied()).ok_or_else(|| self.report_bug(at))
    }

    /// Returns the constant ordering that an expression evaluates to.
    fn constant_order(&mut self, value: &Expr) -> Flow<Order> {
        let known = match self.lower_value(value)? {
            Value::Variants(variants) => match self.build.kernel.insts[variants.tag].op {
                Op::Const(variant) => usize::try_from(variant).ok(),
                _ => None,
            },
            _ => None,
        };
        match known.and_then(|variant| ORDERS.get(variant)) {
            Some((_, order)) => Ok(*order),
            None => {
                self.errors.advise(self.source_range(value.at), NO_ORDERING, ORDERING_HELP);
                Err(Diverged)
            }
        }
    }

    /// Returns the scope of an atomic: the threads that can see the memory, unless the source
    /// chooses another.
    fn atomic_scope(&self, memory: &Memory) -> Scope {
        let shared = match memory.ptr {
            Pointer::Param(_) => false,
            Pointer::Array(_) => false,
            Pointer::Shared(_) => true,
            Pointer::Inst(inst) => self.build.kernel.insts[inst].ty == ir::Ty::Ptr(Space::Shared),
        };
        // Other blocks of a cluster may update the same.
        let is_private = shared && self.options.cluster.is_none();
        memory.scope.unwrap_or(if is_private { Scope::Block } else { Scope::Device })
    }

    /// Returns the old value as a `Result<T, T>`: `Ok` if it was the expected one.
    fn exchange_result(&mut self, old: InstId, failed: InstId) -> Value {
        let part = || Some(vec![Value::Scalar(old)]);
        Value::Variants(Rc::new(EnumValue { tag: failed, parts: vec![part(), part()] }))
    }

    /// Computes `!(old & value)` by compare-exchange.
    fn lower_nand(&mut self, cell: &AtomicCell, value: InstId, at: SpanId) -> Flow<InstId> {
        self.compare_exchange_loop(cell, Order::Relaxed, at, &mut |this, _, old| {
            let both = this.push_binary(BinaryOp::And, old, value, cell.scalar, at);
            let inverted = Op::Unary { op: UnaryOp::Not, value: both };
            Ok(Some(this.push_inst(at, inverted, cell.scalar)))
        })
    }

    /// Lowers `fetch_update`: the closure returns the new value, or `None` to change nothing.
    fn lower_fetch_update(
        &mut self,
        cell: &AtomicCell,
        load: Order,
        closure: &Expr,
        at: SpanId,
    ) -> Flow<Value> {
        let mono = self.mono_type(closure.ty, closure.at)?;
        let closure = self.lower_value(closure)?;
        let refused = self.new_local("", Scalar::Bool, at);
        let no = self.push_bits(0, Scalar::Bool, at);
        self.push_inst(at, Op::Set { local: refused, value: no }, ir::Ty::Unit);
        let old = self.compare_exchange_loop(cell, load, at, &mut |this, loop_inst, old| {
            let option = this.call_value(&closure, &mono, &[Value::Scalar(old)], at)?;
            let Value::Variants(option) = option else { return Err(this.report_bug(at)) };
            let none = this.push_not(option.tag, at);
            this.push_inst(at, Op::Set { local: refused, value: none }, ir::Ty::Unit);
            let Some(Some([Value::Scalar(new)])) = option.parts.get(1).map(Option::as_deref) else {
                this.push_inst(at, Op::Break(loop_inst), ir::Ty::Unit);
                return Ok(None);
            };
            this.leave_unless(option.tag, Op::Break(loop_inst), at)?;
            Ok(Some(*new))
        })?;
        let refused = self.push_inst(at, Op::Get(refused), Scalar::Bool);
        Ok(self.exchange_result(old, refused))
    }

    /// Replaces the value by the result of `new`, and retries if another thread changed it in
    /// between; returns the last value read. `new` may leave the loop, which it is given, and
    /// returns `None` if it always does.
    fn compare_exchange_loop(
        &mut self,
        cell: &AtomicCell,
        load: Order,
        at: SpanId,
        new: &mut UpdateFn<'_, Self>,
    ) -> Flow<InstId> {
        let &AtomicCell { ptr, scalar, order, scope } = cell;
        let local = self.new_local("", scalar, at);
        let first = self.push_inst(at, Op::AtomicLoad { ptr, order: load, scope }, scalar);
        self.push_inst(at, Op::Set { local, value: first }, ir::Ty::Unit);
        let loop_inst = self.begin_body(at, Op::Loop { body: Body::default() }, ir::Ty::Unit)?;
        let expected = self.push_inst(at, Op::Get(local), scalar);
        let tried = new(self, loop_inst, expected).and_then(|new| {
            let Some(value) = new else { return Ok(()) };
            let op = Op::CompareExchange { ptr, expected, value, order, scope };
            let old = self.push_inst(at, op, scalar);
            self.push_inst(at, Op::Set { local, value: old }, ir::Ty::Unit);
            let failed = self.push_compare(CompareOp::Ne, old, expected, at);
            self.leave_unless(failed, Op::Break(loop_inst), at)
        });
        self.build.end();
        tried?;
        Ok(self.push_inst(at, Op::Get(local), scalar))
    }
}
