//! Contents of locals in an arbitrary iteration of a loop.
//!
//! A local that the loop does not change keeps its earlier content. One that grows by the same
//! number in each iteration is a multiple of the iteration number.
use super::{
    Executor, PerThread, SymbolKind, SymbolicSum, ThreadSet,
    abstract_bool::Spread,
    abstract_value::{AbstractInt, AbstractValue, scalar_type, type_limits},
    join::State,
    locals::Locals,
};
use crate::ir::{BinaryOp, Body, InstId, LocalId, Op, Scalar};
use std::rc::Rc;

impl Executor<'_> {
    /// Collects the locals that `body` sets.
    pub(super) fn collect_written_locals(&self, body: &Body, locals: &mut Vec<LocalId>) {
        for &id in &body.0 {
            let op = &self.kernel.insts[id].op;
            if let Op::Set { local, .. } = op
                && !locals.contains(local)
            {
                locals.push(*local);
            }
            op.bodies().for_each(|body| self.collect_written_locals(body, locals));
        }
    }

    /// Returns the locals in an arbitrary iteration of loop `id`; `before` has them for the first
    /// iteration.
    pub(super) fn locals_in_any_iteration(
        &mut self,
        id: InstId,
        body: &Body,
        before: &State,
        written: &[LocalId],
        number: Option<&SymbolicSum>,
    ) -> Locals {
        let mut locals = before.locals.clone();
        for &local in written {
            let counted = number.and_then(|number| {
                let step = self.loop_increment(id, body, local, &before.active.threads)?;
                let AbstractValue::Int(start) = &before.locals[local] else { return None };
                let more = step.value.checked_mul(number)?;
                let value = start.value.checked_add(&more)?;
                let scalar = scalar_type(self.kernel.locals[local].ty)?;
                let range =
                    self.ranges.local_range(self.kernel, local).filter(|range| !range.is_empty());
                self.typed_int(value, scalar, range, start.assumed || step.assumed)
            });
            let known = match counted {
                Some(int) => AbstractValue::Int(int),
                None => self.unknown_local(id, local),
            };
            locals.set(local, known);
        }
        locals
    }

    /// Returns an unknown value of the type of `local`.
    fn unknown_local(&mut self, id: InstId, local: LocalId) -> AbstractValue {
        let spread = if self.uniformity.block.local[local].is_uniform() {
            Spread::Block
        } else if self.uniformity.warp.local[local].is_uniform() {
            Spread::Warp
        } else {
            Spread::Thread
        };
        let Some(scalar) = scalar_type(self.kernel.locals[local].ty) else {
            return AbstractValue::Ptr(None, None);
        };
        if scalar == Scalar::Bool {
            return self.unknown_bool(spread).into();
        }
        let (Some(limits), Some(group)) = (type_limits(scalar), spread.group()) else {
            return self.new_opaque(spread);
        };
        let range = self
            .ranges
            .local_range(self.kernel, local)
            .filter(|range| !range.is_empty())
            .unwrap_or(limits);
        AbstractValue::Int(AbstractInt::proved(self.new_symbol(
            id,
            SymbolKind::Computed,
            group,
            range,
        )))
    }

    /// Returns the increment of `local` in each iteration of loop `id`, if the loop changes it in
    /// no other way.
    pub(super) fn loop_increment(
        &mut self,
        id: InstId,
        body: &Body,
        local: LocalId,
        active: &ThreadSet,
    ) -> Option<AbstractInt> {
        let sets =
            self.count_ops(body, &|op| matches!(op, Op::Set { local: of, .. } if *of == local));
        let skips = |op: &Op| matches!(op, Op::Continue(target) if *target == id);
        if sets != 1 || self.contains_op(body, &skips) {
            return None;
        }
        let set = self.unconditional_set(id, body, local)?;
        let Op::Set { value, .. } = self.kernel.insts[set].op else { return None };
        let Op::Binary { op, lhs, rhs } = self.kernel.insts[value].op else { return None };
        let is_get = |id: InstId| self.kernel.insts[id].op == Op::Get(local);
        let (get, by) = if is_get(lhs) { (lhs, rhs) } else { (rhs, lhs) };
        // Both operands belong to this iteration.
        if !is_get(get) || get < id {
            return None;
        }
        let step = self.loop_invariant(id, by, active)?;
        match op {
            BinaryOp::Add => Some(step),
            BinaryOp::Sub if get == lhs => {
                let value = step.value.checked_scale(&PerThread::Uniform(-1))?;
                Some(AbstractInt { value: Rc::new(value), ..step })
            }
            BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::Min
            | BinaryOp::Max
            | BinaryOp::MulHigh
            | BinaryOp::RotateLeft => None,
        }
    }

    /// Returns true if `is` holds for an instruction of `body`, at any depth.
    pub(super) fn contains_op(&self, body: &Body, is: &impl Fn(&Op) -> bool) -> bool {
        body.0.iter().any(|&id| {
            let op = &self.kernel.insts[id].op;
            is(op) || op.bodies().any(|body| self.contains_op(body, is))
        })
    }

    fn count_ops(&self, body: &Body, is: &impl Fn(&Op) -> bool) -> usize {
        body.0
            .iter()
            .map(|&id| {
                let op = &self.kernel.insts[id].op;
                usize::from(is(op))
                    + op.bodies().map(|body| self.count_ops(body, is)).sum::<usize>()
            })
            .sum()
    }

    /// Returns the `set` of `local` that every thread executes that is still in loop `id` after
    /// `body`.
    fn unconditional_set(&self, id: InstId, body: &Body, local: LocalId) -> Option<InstId> {
        body.0.iter().find_map(|&inner| {
            let op = &self.kernel.insts[inner].op;
            if let Op::Set { local: of, .. } = op {
                return (*of == local).then_some(inner);
            }
            let Op::If { then, other, .. } = op else { return None };
            let leaves = |body: &Body| {
                body.0.last().is_some_and(|&last| match self.kernel.insts[last].op {
                    Op::Break(target) => target == id,
                    Op::Return => true,
                    _ => false,
                })
            };
            if leaves(other) {
                self.unconditional_set(id, then, local)
            } else if leaves(then) {
                self.unconditional_set(id, other, local)
            } else {
                None
            }
        })
    }

    /// Returns the value of `of`, if it is the same in all iterations of loop `id`.
    fn loop_invariant(
        &mut self,
        id: InstId,
        of: InstId,
        active: &ThreadSet,
    ) -> Option<AbstractInt> {
        let known = if of < id {
            self.last_value(of)
        } else if let Op::Const(_) | Op::Builtin(_) | Op::Param(_) | Op::Len(_) =
            self.kernel.insts[of].op
        {
            self.eval_inst(of, active)
        } else {
            return None;
        };
        if let AbstractValue::Int(int) = known { Some(int) } else { None }
    }
}
