//! What locals hold in any iteration of a loop: what they held before it, unless the loop changes them; and a
//! number that grows by the same in each iteration is a multiple of how many there have been.
use super::{
    Factors, Run, SymbolKind, Threads, Value,
    known::{Int, Known, limits, scalar},
    locals::Locals,
    merge::State,
    truth::Spread,
};
use crate::ir::{BinaryOp, Body, InstId, LocalId, Op, Scalar};
use std::rc::Rc;

impl Run<'_> {
    /// The locals that `body` sets.
    pub(super) fn written(&self, body: &Body, locals: &mut Vec<LocalId>) {
        for &id in &body.0 {
            let op = &self.kernel.insts[id].op;
            if let Op::Set { local, .. } = op
                && !locals.contains(local)
            {
                locals.push(*local);
            }
            op.bodies().for_each(|body| self.written(body, locals));
        }
    }

    /// The locals in any iteration of loop `id`, in which they were as `before` in the first.
    pub(super) fn any_iteration(
        &mut self,
        id: InstId,
        body: &Body,
        before: &State,
        written: &[LocalId],
        number: Option<&Value>,
    ) -> Locals {
        let mut locals = before.locals.clone();
        for &local in written {
            let counted = number.and_then(|number| {
                let step = self.increment(id, body, local, &before.active.threads)?;
                let Known::Int(start) = &before.locals[local] else { return None };
                let more = step.value.times(number)?;
                let value = start.value.plus(&more)?;
                let scalar = scalar(self.kernel.locals[local].ty)?;
                let range = self.ranges.local(self.kernel, local).filter(|range| !range.is_empty());
                self.int(value, scalar, range, start.assumed || step.assumed)
            });
            let known = match counted {
                Some(int) => Known::Int(int),
                None => self.any(id, local),
            };
            locals.set(local, known);
        }
        locals
    }

    /// Something that `local` may be.
    fn any(&mut self, id: InstId, local: LocalId) -> Known {
        let spread = if self.uniformity.block.local[local].is_uniform() {
            Spread::Block
        } else if self.uniformity.warp.local[local].is_uniform() {
            Spread::Warp
        } else {
            Spread::Thread
        };
        let Some(scalar) = scalar(self.kernel.locals[local].ty) else {
            return Known::Ptr(None, None);
        };
        if scalar == Scalar::Bool {
            return self.same_truth(spread).into();
        }
        let (Some(limits), Some(group)) = (limits(scalar), spread.group()) else {
            return self.opaque(spread);
        };
        let range = self
            .ranges
            .local(self.kernel, local)
            .filter(|range| !range.is_empty())
            .unwrap_or(limits);
        Known::Int(Int::proved(self.symbol(id, SymbolKind::Computed, group, range)))
    }

    /// What loop `id` adds to `local` in each iteration, if that is all that it does to it.
    pub(super) fn increment(
        &mut self,
        id: InstId,
        body: &Body,
        local: LocalId,
        active: &Threads,
    ) -> Option<Int> {
        let sets = self.count(body, &|op| matches!(op, Op::Set { local: of, .. } if *of == local));
        let skips = |op: &Op| matches!(op, Op::Continue(target) if *target == id);
        if sets != 1 || self.holds(body, &skips) {
            return None;
        }
        let set = self.straight_set(id, body, local)?;
        let Op::Set { value, .. } = self.kernel.insts[set].op else { return None };
        let Op::Binary { op, lhs, rhs } = self.kernel.insts[value].op else { return None };
        let is_get = |id: InstId| self.kernel.insts[id].op == Op::Get(local);
        let (get, by) = if is_get(lhs) { (lhs, rhs) } else { (rhs, lhs) };
        // Both are of this iteration.
        if !is_get(get) || get < id {
            return None;
        }
        let step = self.invariant(id, by, active)?;
        match op {
            BinaryOp::Add => Some(step),
            BinaryOp::Sub if get == lhs => {
                let value = step.value.scaled(&Factors::Same(-1))?;
                Some(Int { value: Rc::new(value), ..step })
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

    /// Whether `body` has, at any depth, what `is` holds for.
    pub(super) fn holds(&self, body: &Body, is: &impl Fn(&Op) -> bool) -> bool {
        body.0.iter().any(|&id| {
            let op = &self.kernel.insts[id].op;
            is(op) || op.bodies().any(|body| self.holds(body, is))
        })
    }

    fn count(&self, body: &Body, is: &impl Fn(&Op) -> bool) -> usize {
        body.0
            .iter()
            .map(|&id| {
                let op = &self.kernel.insts[id].op;
                usize::from(is(op)) + op.bodies().map(|body| self.count(body, is)).sum::<usize>()
            })
            .sum()
    }

    /// The `set` of `local` that every thread comes by that is still in loop `id` behind `body`.
    fn straight_set(&self, id: InstId, body: &Body, local: LocalId) -> Option<InstId> {
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
                self.straight_set(id, then, local)
            } else if leaves(then) {
                self.straight_set(id, other, local)
            } else {
                None
            }
        })
    }

    /// The value of `of`, if it is the same in all iterations of loop `id`.
    fn invariant(&mut self, id: InstId, of: InstId, active: &Threads) -> Option<Int> {
        let known = if of < id {
            self.known(of)
        } else if let Op::Const(_) | Op::Builtin(_) | Op::Param(_) | Op::Len(_) =
            self.kernel.insts[of].op
        {
            self.compute(of, active)
        } else {
            return None;
        };
        if let Known::Int(int) = known { Some(int) } else { None }
    }
}
