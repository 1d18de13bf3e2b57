//! Methods of atomics.
use crate::{
    hir::{Atomic, AtomicMethod, Expr, OrderingArg, SpanId, stronger_ordering},
    infer::{NO_ORDERING, ORDERING_HELP},
    lower::{Emit, Flow, Left, Memory, Place, Pointer, Value, Variants},
    types::{Type, ordering::ORDERS},
};
use std::rc::Rc;
use warpwise_compiler::ir::{
    self, BinaryOp, Body, CompareOp, InstId, Op, Order, Scalar, Scope, Space, UnaryOp,
};

/// An atomic that is changed: where it is, of what type, and what orders it for whom.
struct Cell {
    ptr: InstId,
    scalar: Scalar,
    order: Order,
    scope: Scope,
}

/// What is made of what an atomic held, in the loop that tries it; `None` if the loop is left.
type Update<'f, E> = dyn FnMut(&mut E, InstId, InstId) -> Flow<Option<InstId>> + 'f;

impl Emit<'_> {
    pub(crate) fn atomic(&mut self, atomic: &Atomic, expr: &Expr) -> Flow<Value> {
        let at = expr.at;
        let place = self.place(&atomic.place)?;
        let Place::Memory(memory) = place else { return Err(self.bug(at)) };
        let Type::Atomic(prim) = self.ty(atomic.place.ty) else { return Err(self.bug(at)) };
        let (scalar, scope) = (prim.scalar(), self.scope(&memory));
        if let (AtomicMethod::FetchUpdate, [closure]) = (atomic.method, atomic.args.as_slice()) {
            let (order, load) = self.orders(atomic, at)?;
            let ptr = self.pointer(memory.ptr, at);
            let cell = Cell { ptr, scalar, order, scope };
            return self.fetch_update(&cell, load, closure, at);
        }
        let args: Vec<InstId> =
            atomic.args.iter().map(|arg| self.scalar(arg)).collect::<Flow<_>>()?;
        let (order, _) = self.orders(atomic, at)?;
        let ptr = self.pointer(memory.ptr, at);
        match (atomic.method, args.as_slice()) {
            (AtomicMethod::Load, []) => {
                let op = Op::AtomicLoad { ptr, order, scope };
                Ok(Value::Scalar(self.inst(at, op, scalar)))
            }
            (AtomicMethod::Store, &[value]) => {
                self.inst(at, Op::AtomicStore { ptr, value, order, scope }, ir::Ty::Unit);
                Ok(Value::Unit)
            }
            (AtomicMethod::Update(op), &[value]) => {
                let op = Op::Atomic { op, ptr, value, order, scope };
                Ok(Value::Scalar(self.inst(at, op, scalar)))
            }
            (AtomicMethod::Nand, &[value]) => {
                self.nand(&Cell { ptr, scalar, order, scope }, value, at).map(Value::Scalar)
            }
            (AtomicMethod::CompareExchange, &[expected, value]) => {
                let op = Op::CompareExchange { ptr, expected, value, order, scope };
                let old = self.inst(at, op, scalar);
                let failed = self.compare(CompareOp::Ne, old, expected, at);
                Ok(self.exchanged(old, failed))
            }
            _ => Err(self.bug(at)),
        }
    }

    /// The ordering of all that a method does, and that of what it reads at last.
    fn orders(&mut self, atomic: &Atomic, at: SpanId) -> Flow<(Order, Order)> {
        let orders = atomic.orders.iter().map(|order| match order {
            OrderingArg::Known(order) => Ok(*order),
            OrderingArg::Value(value) => self.order_of_value(value),
        });
        let orders = orders.collect::<Flow<Vec<_>>>()?;
        if let Some(wrong) = atomic.method.ordering_error(&atomic.name, &orders) {
            self.errors.report(self.range(at), wrong);
            return Err(Left);
        }
        let (all, last) = (orders.iter().copied().reduce(stronger_ordering), orders.last());
        all.zip(last.copied()).ok_or_else(|| self.bug(at))
    }

    /// The ordering that a value is, which must be known here.
    fn order_of_value(&mut self, value: &Expr) -> Flow<Order> {
        let known = match self.value(value)? {
            Value::Variants(variants) => match self.build.kernel.insts[variants.tag].op {
                Op::Const(variant) => usize::try_from(variant).ok(),
                _ => None,
            },
            _ => None,
        };
        match known.and_then(|variant| ORDERS.get(variant)) {
            Some((_, order)) => Ok(*order),
            None => {
                self.errors.advise(self.range(value.at), NO_ORDERING, ORDERING_HELP);
                Err(Left)
            }
        }
    }

    /// Among which threads: those that can see the memory, unless the source says otherwise.
    fn scope(&self, memory: &Memory) -> Scope {
        let shared = match memory.ptr {
            Pointer::Param(_) => false,
            Pointer::Array(_) => false,
            Pointer::Shared(_) => true,
            Pointer::Inst(inst) => self.build.kernel.insts[inst].ty == ir::Ty::Ptr(Space::Shared),
        };
        memory.scope.unwrap_or(if shared { Scope::Block } else { Scope::Device })
    }

    /// Whether what was there is what was expected, and what it was: `Result<T, T>`.
    fn exchanged(&mut self, old: InstId, failed: InstId) -> Value {
        let part = || Some(vec![Value::Scalar(old)]);
        Value::Variants(Rc::new(Variants { tag: failed, parts: vec![part(), part()] }))
    }

    /// `!(old & value)`, by trying.
    fn nand(&mut self, cell: &Cell, value: InstId, at: SpanId) -> Flow<InstId> {
        self.until_exchanged(cell, Order::Relaxed, at, &mut |this, _, old| {
            let both = this.binary_op(BinaryOp::And, old, value, cell.scalar, at);
            let inverted = Op::Unary { op: UnaryOp::Not, value: both };
            Ok(Some(this.inst(at, inverted, cell.scalar)))
        })
    }

    /// What a closure makes of what is there, unless it says that nothing is to be changed.
    fn fetch_update(
        &mut self,
        cell: &Cell,
        load: Order,
        closure: &Expr,
        at: SpanId,
    ) -> Flow<Value> {
        let mono = self.mono(closure.ty, closure.at)?;
        let closure = self.value(closure)?;
        let refused = self.local("", Scalar::Bool, at);
        let no = self.bits(0, Scalar::Bool, at);
        self.inst(at, Op::Set { local: refused, value: no }, ir::Ty::Unit);
        let old = self.until_exchanged(cell, load, at, &mut |this, round, old| {
            let option = this.call_value(&closure, &mono, &[Value::Scalar(old)], at)?;
            let Value::Variants(option) = option else { return Err(this.bug(at)) };
            let none = this.not(option.tag, at);
            this.inst(at, Op::Set { local: refused, value: none }, ir::Ty::Unit);
            let Some(Some([Value::Scalar(new)])) = option.parts.get(1).map(Option::as_deref) else {
                this.inst(at, Op::Break(round), ir::Ty::Unit);
                return Ok(None);
            };
            this.leave_unless(option.tag, Op::Break(round), at)?;
            Ok(Some(*new))
        })?;
        let refused = self.inst(at, Op::Get(refused), Scalar::Bool);
        Ok(self.exchanged(old, refused))
    }

    /// Replaces what is there by what `new` makes of it, again where somebody else came in between;
    /// yields what was there last. `new` may leave the loop, which it is told, and yields `None` if
    /// it always does.
    fn until_exchanged(
        &mut self,
        cell: &Cell,
        load: Order,
        at: SpanId,
        new: &mut Update<'_, Self>,
    ) -> Flow<InstId> {
        let &Cell { ptr, scalar, order, scope } = cell;
        let local = self.local("", scalar, at);
        let first = self.inst(at, Op::AtomicLoad { ptr, order: load, scope }, scalar);
        self.inst(at, Op::Set { local, value: first }, ir::Ty::Unit);
        let round = self.begin(at, Op::Loop { body: Body::default() }, ir::Ty::Unit)?;
        let expected = self.inst(at, Op::Get(local), scalar);
        let tried = new(self, round, expected).and_then(|new| {
            let Some(value) = new else { return Ok(()) };
            let op = Op::CompareExchange { ptr, expected, value, order, scope };
            let old = self.inst(at, op, scalar);
            self.inst(at, Op::Set { local, value: old }, ir::Ty::Unit);
            let failed = self.compare(CompareOp::Ne, old, expected, at);
            self.leave_unless(failed, Op::Break(round), at)
        });
        self.build.end();
        tried?;
        Ok(self.inst(at, Op::Get(local), scalar))
    }
}
