//! Methods of atomics.
use super::{Emit, Flow, Memory, Place, Pointer, Value};
use crate::lower::{
    tree::{At, Atomic, AtomicMethod, Expr},
    types::Type,
};
use warpwise_compiler::ir::{
    self, BinaryOp, Body, CompareOp, InstId, Op, Order, Scalar, Scope, Space, UnaryOp,
};

impl Emit<'_> {
    pub(super) fn atomic(&mut self, atomic: &Atomic, expr: &Expr) -> Flow<Value> {
        let at = expr.at;
        let place = self.place(&atomic.place)?;
        let Place::Memory(memory) = place else { return Err(self.bug(at)) };
        let args: Vec<InstId> =
            atomic.args.iter().map(|arg| self.scalar(arg)).collect::<Flow<_>>()?;
        let Type::Atomic(prim) = self.ty(atomic.place.ty) else { return Err(self.bug(at)) };
        let scalar = prim.scalar();
        let scope = self.scope(&memory);
        let ptr = self.pointer(memory.ptr, at);
        let order = atomic.order;
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
                self.nand((ptr, value), scalar, order, scope, at).map(Value::Scalar)
            }
            (AtomicMethod::CompareExchange, &[expected, value]) => {
                let op = Op::CompareExchange { ptr, expected, value, order, scope };
                let old = self.inst(at, op, scalar);
                Ok(Value::Exchange(self.compare(CompareOp::Eq, old, expected, at)))
            }
            _ => Err(self.bug(at)),
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

    /// `!(old & value)`, by trying until nobody else came in between.
    fn nand(
        &mut self,
        (ptr, value): (InstId, InstId),
        scalar: Scalar,
        order: Order,
        scope: Scope,
        at: At,
    ) -> Flow<InstId> {
        let local = self.local("", scalar, at);
        let load = Op::AtomicLoad { ptr, order: Order::Relaxed, scope };
        let first = self.inst(at, load, scalar);
        self.inst(at, Op::Set { local, value: first }, ir::Ty::Unit);
        let round = self.begin(at, Op::Loop { body: Body::default() }, ir::Ty::Unit)?;
        let expected = self.inst(at, Op::Get(local), scalar);
        let both = self.binary_op(BinaryOp::And, expected, value, scalar, at);
        let new = self.inst(at, Op::Unary { op: UnaryOp::Not, value: both }, scalar);
        let exchange = Op::CompareExchange { ptr, expected, value: new, order, scope };
        let old = self.inst(at, exchange, scalar);
        self.inst(at, Op::Set { local, value: old }, ir::Ty::Unit);
        let cond = self.compare(CompareOp::Eq, old, expected, at);
        let op = Op::If { cond, then: Body::default(), other: Body::default() };
        let branch = self.begin(at, op, ir::Ty::Unit);
        if branch.is_ok() {
            self.inst(at, Op::Break(round), ir::Ty::Unit);
            self.build.end();
        }
        self.build.end();
        branch?;
        Ok(self.inst(at, Op::Get(local), scalar))
    }
}
