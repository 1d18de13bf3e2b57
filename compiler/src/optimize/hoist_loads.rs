//! Hoists loads of memory that nobody writes above branches ahead of them, so that threads wait
//! once for several.
//!
//! Takes loads from slices that a launch only reads, in the same body behind an `if` without exits,
//! checks and loops, or behind a quotient or a root of floats, which have branches in machine code.
//! With the pure operations that its operands need, each moves ahead of the first of these that
//! they do not depend on, behind every check.
//!
//! ```text
//! %2 = load %1                            %2 = load %1
//! if f(%2) { .. } else { .. }             %4 = load %3
//! store ..                         =>     if f(%2) { .. } else { .. }
//! %4 = load %3                            store ..
//! if f(%4) { .. } else { .. }             if f(%4) { .. } else { .. }
//! ```
//!
//! The loads run in any case, and find the same numbers wherever they run.
//!
//! Why: special cases of mathematical functions, quotients and roots are branches, which neither
//! LLVM nor `ptxas` moves a load above. Iterations of an unrolled loop would wait for memory one
//! after the other.
use crate::{
    id::Facts,
    ir::{BinaryOp, Body, Effect, Inst, InstId, Kernel, Op, Ty, UnaryOp},
};

/// The most loads that wait ahead of their place, each in registers of its own.
const MAX_WAITING_LOADS: usize = 8;

/// Hoists the loads of `kernel`, whose instructions are numbered in order; they are not afterwards.
pub(super) fn hoist_loads(kernel: &mut Kernel) {
    let list = std::mem::take(&mut kernel.body);
    let (fixed, placed) = (last_fixed_operands(kernel), kernel.insts.facts(false));
    let hoisted = Walk { kernel, fixed, placed, waiting: 0 }.body(&list);
    kernel.body = hoisted;
}

/// True if the loads of consecutive copies of `list` are separated by branches, and can be hoisted.
pub(super) fn has_loads_to_hoist(kernel: &Kernel, list: &Body) -> bool {
    let is_branch = |id: &InstId| is_branch(kernel, *id);
    list.0.iter().all(|&id| is_passable(kernel, id))
        && list.0.iter().any(|&id| is_constant_load(kernel, id))
        && list.0.iter().any(is_branch)
}

/// Returns for each instruction the last that it depends on, itself included, among those that do
/// not move.
fn last_fixed_operands(kernel: &Kernel) -> Facts<InstId, Option<InstId>> {
    let mut fixed = kernel.insts.facts(None);
    for (id, inst) in kernel.insts.iter() {
        // A branch that a load depends on stays ahead of it, even where it is a pure operation.
        let is_pure = inst.op.effect() == Effect::None && !is_branch(kernel, id);
        let is_movable = is_pure || is_constant_load(kernel, id);
        fixed[id] = if is_movable {
            inst.op.operands().map(|operand| fixed[operand]).max().flatten()
        } else {
            Some(id)
        };
    }
    fixed
}

/// True for loads of memory that nobody writes during the launch.
pub(super) fn is_constant_load(kernel: &Kernel, id: InstId) -> bool {
    let Op::Load { ptr, .. } = kernel.insts[id].op else { return false };
    kernel.root(ptr).is_some_and(|root| kernel.is_read_only(root))
}

/// True for what `ptxas` moves no load above.
fn is_branch(kernel: &Kernel, id: InstId) -> bool {
    let Inst { op, ty, .. } = &kernel.insts[id];
    let is_float = matches!(ty, Ty::Scalar(scalar) if scalar.is_float());
    match op {
        Op::If { .. } => true,
        Op::Binary { op: BinaryOp::Div, .. } | Op::Unary { op: UnaryOp::Sqrt, .. } => is_float,
        _ => false,
    }
}

/// True if control always reaches the end of `id`, and no check in it guards a later load.
fn is_passable(kernel: &Kernel, id: InstId) -> bool {
    let op = &kernel.insts[id].op;
    match op {
        Op::Load { .. } | Op::Store { .. } | Op::Get(_) | Op::Set { .. } => true,
        Op::If { then, other, .. } => {
            [then, other].into_iter().flat_map(|arm| &arm.0).all(|&id| is_passable(kernel, id))
        }
        _ => op.effect() == Effect::None,
    }
}

struct Walk<'k> {
    kernel: &'k mut Kernel,
    /// For each instruction, the last that it depends on among those that do not move.
    fixed: Facts<InstId, Option<InstId>>,
    /// True for instructions that stand in the new text already.
    placed: Facts<InstId, bool>,
    /// The number of loads that have been placed and whose place has not come yet.
    waiting: usize,
}

impl Walk<'_> {
    fn body(&mut self, list: &Body) -> Body {
        let mut kept = Vec::with_capacity(list.0.len());
        for (number, &id) in list.0.iter().enumerate() {
            if self.placed[id] {
                self.waiting -= usize::from(is_constant_load(self.kernel, id));
                continue;
            }
            if is_branch(self.kernel, id) && is_passable(self.kernel, id) {
                self.hoist(id, &list.0[number + 1..], &mut kept);
            }
            self.place(id, &mut kept);
            if self.kernel.insts[id].op.is_leaf() {
                continue;
            }
            // Taken out while its bodies are walked.
            let mut op = std::mem::replace(&mut self.kernel.insts[id].op, Op::Return);
            for inner in op.bodies_mut() {
                *inner = self.body(inner);
            }
            self.kernel.insts[id].op = op;
        }
        Body(kept)
    }

    /// Appends to `kept` the loads of `behind` that do not depend on `branch` or anything after it.
    fn hoist(&mut self, branch: InstId, behind: &[InstId], kept: &mut Vec<InstId>) {
        for &id in behind {
            if self.waiting == MAX_WAITING_LOADS || !is_passable(self.kernel, id) {
                return;
            }
            let is_ready = self.fixed[id] < Some(branch);
            if !self.placed[id] && is_ready && is_constant_load(self.kernel, id) {
                self.place_with_operands(id, kept);
            }
        }
    }

    /// Appends `load` to `kept`, behind the operations that it needs and that have not been placed
    /// yet.
    fn place_with_operands(&mut self, load: InstId, kept: &mut Vec<InstId>) {
        let first = kept.len();
        self.place(load, kept);
        let mut next = first;
        while let Some(&id) = kept.get(next) {
            self.waiting += usize::from(is_constant_load(self.kernel, id));
            for operand in self.kernel.insts[id].op.operands() {
                if !std::mem::replace(&mut self.placed[operand], true) {
                    kept.push(operand);
                }
            }
            next += 1;
        }
        // Operands have lower ids than their users.
        kept[first..].sort_unstable();
    }

    /// Appends `id` to `kept`.
    fn place(&mut self, id: InstId, kept: &mut Vec<InstId>) {
        self.placed[id] = true;
        kept.push(id);
    }
}
