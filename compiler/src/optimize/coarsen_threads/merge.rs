//! Runs several threads side by side in one body.
use super::{
    super::version_loops::OmittedChecks,
    Edit, Threads,
    variance::{Variance, Varies, is_global_store},
};
use crate::ir::{BinaryOp, Body, CompareOp, InstId, Kernel, LocalId, Op, Scalar, Ty, UnaryOp};
use std::collections::HashMap;

/// The most instructions of the merged body.
const MAX_MERGED_INSTRUCTIONS: usize = 1024;

/// Returns a body that runs `body` for all `threads` side by side, and leaves where there are fewer
/// or they disagree; `None` if it becomes too long.
pub(super) fn merge(
    kernel: &mut Kernel,
    threads: &Threads,
    variance: &Variance,
    omitted: &OmittedChecks,
    body: &Body,
) -> Option<Body> {
    let before = kernel.insts.len();
    let locals: Vec<LocalId> = kernel.locals.ids().collect();
    let mut own = HashMap::new();
    for local in locals {
        let copies = if variance.local[local].is_same() { 1 } else { threads.factor };
        let like = kernel.locals[local].clone();
        let copies = (0..copies).map(|_| kernel.locals.push(like.clone())).collect();
        own.insert(local, copies);
    }
    let guard = omitted.guard(kernel, threads.template);
    let mut merge = Merge {
        edit: Edit { kernel, list: Vec::new() },
        variance,
        omitted,
        threads,
        values: HashMap::new(),
        targets: HashMap::new(),
        own,
        agreed: Vec::new(),
    };
    let [factor, counters @ ..] = &merge.constants()[..] else { return None };
    let (factor, counters) = (*factor, counters.to_vec());
    let full = merge.edit.compare(CompareOp::Eq, threads.blocks, factor);
    merge.agreed.push(full);
    merge.values.insert(threads.template, counters);
    if let Some((list, holds)) = guard {
        merge.edit.list.extend(list.0);
        merge.agreed.push(holds);
    }
    merge.list(body);
    let falls_through =
        merge.edit.list.last().is_none_or(|&last| !merge.edit.kernel.insts[last].op.is_exit());
    if falls_through {
        merge.edit.inst(Op::Return, Ty::Unit);
    }
    let body = Body(merge.edit.list);
    (kernel.insts.len() - before <= MAX_MERGED_INSTRUCTIONS).then_some(body)
}

struct Merge<'a> {
    edit: Edit<'a>,
    threads: &'a Threads,
    variance: &'a Variance,
    omitted: &'a OmittedChecks,
    /// The values of each instruction: one that all threads share, or one for each thread.
    values: HashMap<InstId, Vec<InstId>>,
    /// The copy of each loop and block.
    targets: HashMap<InstId, InstId>,
    /// The locals that stand for each, likewise.
    own: HashMap<LocalId, Vec<LocalId>>,
    /// The conditions without which threads leave before anything else runs.
    agreed: Vec<InstId>,
}

impl Merge<'_> {
    /// The number of threads, and the distance of each from the first.
    fn constants(&mut self) -> Vec<InstId> {
        let factor = self.threads.factor;
        let numbers = [factor].into_iter().chain(0..factor);
        numbers.map(|number| self.edit.constant(Scalar::U32, number.into())).collect()
    }

    fn list(&mut self, list: &Body) {
        list.0.iter().for_each(|&id| self.inst(id));
        self.leave_unless_agreed();
    }

    /// Runs `list` on a list of its own.
    fn body(&mut self, list: &Body) -> Body {
        self.scoped(|this| this.list(list))
    }

    fn scoped(&mut self, run: impl FnOnce(&mut Self)) -> Body {
        let around = std::mem::take(&mut self.edit.list);
        run(self);
        Body(std::mem::replace(&mut self.edit.list, around))
    }

    /// The value of `id` in `thread`.
    fn of(&self, id: InstId, thread: usize) -> InstId {
        match self.values.get(&id) {
            Some(values) => *values.get(thread).unwrap_or(&values[0]),
            None => id,
        }
    }

    fn copies(&self, varies: Varies) -> usize {
        if varies.is_same() { 1 } else { self.threads.factor as usize }
    }

    fn inst(&mut self, id: InstId) {
        let op = self.edit.kernel.insts[id].op.clone();
        let varies = self.variance.value[id];
        match &op {
            Op::Bounds { index, len } => {
                let is_omitted = self.omitted.contains(id);
                for thread in 0..if is_omitted { 0 } else { self.copies(varies) } {
                    let [index, len] = [*index, *len].map(|value| self.of(value, thread));
                    let inside = self.edit.compare(CompareOp::Lt, index, len);
                    self.agreed.push(inside);
                }
                let values = (0..self.copies(varies)).map(|thread| self.of(*index, thread));
                let values = values.collect();
                self.values.insert(id, values);
            }
            Op::Check { cond, .. } => {
                let conds = (0..self.copies(varies)).map(|thread| self.of(*cond, thread));
                self.agreed.extend(conds.collect::<Vec<_>>());
            }
            Op::Break(target) | Op::Continue(target) => {
                self.leave_unless_agreed();
                if *target == self.threads.template {
                    // All threads come to their end.
                    self.edit.inst(Op::Return, Ty::Unit);
                    return;
                }
                let target = self.targets.get(target).copied().unwrap_or(*target);
                let op = match op {
                    Op::Break(_) => Op::Break(target),
                    _ => Op::Continue(target),
                };
                self.edit.inst(op, Ty::Unit);
            }
            Op::If { cond, then, other } => self.choose(id, *cond, then, other),
            Op::For { .. } | Op::Loop { .. } | Op::Block { .. } => self.repeat(id, op),
            _ => {
                if is_only_for_agreed(&op) {
                    self.leave_unless_agreed();
                }
                let copies = match &op {
                    Op::Set { local, .. } => self.own[local].len(),
                    op if is_global_store(self.edit.kernel, op) => self.threads.factor as usize,
                    _ => self.copies(varies),
                };
                let values = (0..copies).map(|thread| self.copy(id, thread)).collect();
                self.values.insert(id, values);
            }
        }
    }

    /// Appends `id`, which has no bodies, for `thread`.
    fn copy(&mut self, id: InstId, thread: usize) -> InstId {
        let mut inst = self.edit.kernel.insts[id].clone();
        inst.op.operands_mut().for_each(|operand| *operand = self.of(*operand, thread));
        if let Op::Get(local) | Op::Set { local, .. } = &mut inst.op {
            let own = &self.own[local];
            *local = *own.get(thread).unwrap_or(&own[0]);
        }
        let copy = self.edit.kernel.insts.push(inst);
        self.edit.list.push(copy);
        copy
    }

    /// Appends the `if` by which threads leave where something of `agreed` does not hold.
    fn leave_unless_agreed(&mut self) {
        let agreed = std::mem::take(&mut self.agreed);
        if let Some(all) = self.all(agreed, BinaryOp::And) {
            self.leave_unless(all);
        }
    }

    fn all(&mut self, conds: Vec<InstId>, op: BinaryOp) -> Option<InstId> {
        conds.into_iter().reduce(|all, cond| self.edit.binary(op, all, cond))
    }

    fn leave_unless(&mut self, cond: InstId) {
        let leave = self.scoped(|this| {
            this.edit.inst(Op::Break(this.threads.side_by_side), Ty::Unit);
        });
        self.edit.inst(Op::If { cond, then: Body::default(), other: leave }, Ty::Unit);
    }

    fn choose(&mut self, id: InstId, cond: InstId, then: &Body, other: &Body) {
        let varies = self.variance.value[id];
        let conds: Vec<InstId> =
            (0..self.copies(varies)).map(|thread| self.of(cond, thread)).collect();
        if self.leaves(other) && then.0.is_empty() {
            return self.agreed.extend(conds);
        }
        self.leave_unless_agreed();
        if let [cond] = *conds {
            let [then, other] = [then, other].map(|body| self.body(body));
            self.edit.inst(Op::If { cond, then, other }, Ty::Unit);
        } else if self.variance.is_apart[id] {
            for (thread, cond) in conds.into_iter().enumerate() {
                let [then, other] = [then, other].map(|body| self.apart(body, thread));
                self.edit.inst(Op::If { cond, then, other }, Ty::Unit);
            }
        } else {
            let any = self.all(conds.clone(), BinaryOp::Or);
            let all = self.all(conds, BinaryOp::And);
            let (Some(any), Some(all)) = (any, all) else { return };
            let then = self.body(then);
            let other = self.scoped(|this| {
                let none =
                    this.edit.inst(Op::Unary { op: UnaryOp::Not, value: any }, Scalar::Bool.into());
                this.leave_unless(none);
                this.list(other);
            });
            self.edit.inst(Op::If { cond: all, then, other }, Ty::Unit);
        }
    }

    /// True if `body` is nothing but the way to the loop.
    fn leaves(&self, body: &Body) -> bool {
        let leaves = |id: InstId| matches!(self.edit.kernel.insts[id].op, Op::Break(target) if target == self.threads.side_by_side);
        matches!(*body.0, [only] if leaves(only))
    }

    fn repeat(&mut self, id: InstId, mut op: Op) {
        self.leave_unless_agreed();
        op.operands_mut().for_each(|operand| *operand = self.of(*operand, 0));
        let ty = self.edit.kernel.insts[id].ty;
        let body = op.bodies_mut().next().map(std::mem::take).unwrap_or_default();
        let copy = super::inst(self.edit.kernel, op, ty, id);
        self.values.insert(id, vec![copy]);
        self.targets.insert(id, copy);
        let body = self.body(&body);
        self.edit.kernel.insts[copy].op.bodies_mut().for_each(|inner| *inner = body.clone());
        self.edit.list.push(copy);
    }

    /// Runs `list`, in which nothing leaves, for one thread.
    fn apart(&mut self, list: &Body, thread: usize) -> Body {
        self.scoped(|this| {
            for &id in &list.0 {
                if let Op::Bounds { index, .. } = this.edit.kernel.insts[id].op {
                    // Omitted, or lifted: variance leaves no other here.
                    this.values.insert(id, vec![this.of(index, thread)]);
                    continue;
                }
                let copy = this.copy(id, thread);
                let mut op = std::mem::replace(&mut this.edit.kernel.insts[copy].op, Op::Return);
                // Users are in the same body.
                this.values.insert(id, vec![copy]);
                for inner in op.bodies_mut() {
                    let body = std::mem::take(inner);
                    *inner = this.apart(&body, thread);
                }
                this.edit.kernel.insts[copy].op = op;
            }
        })
    }
}

/// True if `op` does harm where threads leave instead.
const fn is_only_for_agreed(op: &Op) -> bool {
    matches!(
        op,
        Op::Load { .. } | Op::Store { .. } | Op::Binary { op: BinaryOp::Div | BinaryOp::Rem, .. }
    )
}
