//! Computes above an `if` what an arm computes and the code after the `if` computes again.
//!
//! ```text
//! if %c {                          %5 = rem %a, %b
//!   %3 = rem %a, %b                if %c {
//!   .. %3 ..                 =>      .. %5 ..
//! }                                }
//! %5 = rem %a, %b                  .. %5 ..
//! ```
//!
//! Takes pure operations whose operands are visible above the `if`, also from an `if` inside an
//! arm, but from no loop: there the value would occupy a register all along.
//!
//! Once the rounds of loops stand one after the other, [`hoist_common_addresses`] does the same
//! with what only arms of later `if`s compute again. Such a value may be computed in vain, so it
//! takes the cheap operations of which addresses consist.
//!
//! Why: common subexpressions are eliminated only where the first stands before the second on every
//! path. Neighbours that are visited under conditions, some of them always, share their rows,
//! columns and remainders. At the border of an image each of them has a condition of its own.
use super::eliminate_common_subexpressions::{Seen, key};
use crate::{
    id::{Facts, Id},
    ir::{BinaryOp, Body, Effect, Inst, InstId, Kernel, Op, Ty},
};

/// Hoists operations of `kernel`, whose instructions are numbered in order; they are not
/// afterwards. The later ones are left to the elimination of common subexpressions.
pub(super) fn hoist_common_expressions(kernel: &mut Kernel) {
    hoist(kernel, Later::Always);
}

/// Hoists what addresses consist of, as [`hoist_common_expressions`] does, also if the later ones
/// are in arms.
pub(super) fn hoist_common_addresses(kernel: &mut Kernel) {
    hoist(kernel, Later::InArms);
}

/// The place after an `if` that computes a value again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Later {
    /// In the same body, whenever that runs.
    Always,
    /// There, or in the arm of another `if`.
    InArms,
}

fn hoist(kernel: &mut Kernel, later: Later) {
    if !kernel.insts.iter().any(|(_, inst)| matches!(inst.op, Op::If { .. })) {
        return;
    }
    let numbers = number_values(kernel);
    let list = std::mem::take(&mut kernel.body);
    let (computed_later, outside) = (kernel.insts.facts(false), kernel.insts.facts(true));
    let list = Walk { kernel, later, numbers, computed_later, outside }.body(list);
    kernel.body = list;
}

/// Returns for each instruction the first that yields the same, wherever that stands.
fn number_values(kernel: &Kernel) -> Facts<InstId, InstId> {
    let mut seen = Seen::new(kernel.insts.len());
    let mut numbers = kernel.insts.facts(InstId::new(0));
    for (id, inst) in kernel.insts.iter() {
        let key = key(kernel, inst, |operand| numbers[operand]);
        numbers[id] = key.and_then(|key| seen.find_or_add(key, id)).unwrap_or(id);
    }
    numbers
}

struct Walk<'k> {
    kernel: &'k mut Kernel,
    later: Later,
    numbers: Facts<InstId, InstId>,
    /// True for the numbers of values that the rest of the body computes.
    computed_later: Facts<InstId, bool>,
    /// False for instructions in the arms of the `if` that is looked at.
    outside: Facts<InstId, bool>,
}

impl Walk<'_> {
    fn body(&mut self, list: Body) -> Body {
        // From the end to the start, and in that order until all are there.
        let mut kept = Vec::with_capacity(list.0.len());
        for id in list.0.into_iter().rev() {
            let first = kept.len();
            kept.push(id);
            if matches!(self.kernel.insts[id].op, Op::If { .. }) {
                self.hoist_from(id, &mut kept);
            }
            self.mark_computed(&kept[first..], true);
        }
        self.mark_computed(&kept, false);
        kept.reverse();
        for &id in &kept {
            self.rewrite(id, |walk, inner| *inner = walk.body(std::mem::take(inner)));
        }
        Body(kept)
    }

    fn mark_computed(&mut self, list: &[InstId], is_computed: bool) {
        for &id in list {
            self.computed_later[self.numbers[id]] = is_computed;
            if self.later == Later::InArms && matches!(self.kernel.insts[id].op, Op::If { .. }) {
                let mut inside = Vec::new();
                self.collect(id, &mut inside);
                for id in inside {
                    self.computed_later[self.numbers[id]] = is_computed;
                }
            }
        }
    }

    /// Calls `rewrite` for each body of `id`.
    fn rewrite(&mut self, id: InstId, mut rewrite: impl FnMut(&mut Self, &mut Body)) {
        if self.kernel.insts[id].op.is_leaf() {
            return;
        }
        // Taken out while its bodies are rewritten.
        let mut op = std::mem::replace(&mut self.kernel.insts[id].op, Op::Return);
        for inner in op.bodies_mut() {
            rewrite(self, inner);
        }
        self.kernel.insts[id].op = op;
    }

    /// Appends to `kept`, in reverse order, what moves from the arms of `id` to before it.
    fn hoist_from(&mut self, id: InstId, kept: &mut Vec<InstId>) {
        let mut inside = Vec::new();
        if !self.collect(id, &mut inside) {
            return;
        }
        inside.iter().for_each(|&id| self.outside[id] = false);
        let hoisted: Vec<InstId> =
            inside.iter().copied().filter(|&id| self.try_hoist(id)).collect();
        if !hoisted.is_empty() {
            self.drop_outside(id);
        }
        inside.iter().for_each(|&id| self.outside[id] = true);
        kept.extend(hoisted.into_iter().rev());
    }

    /// Appends to `inside` the instructions in `id`, in order; false if there is a loop among them.
    fn collect(&self, id: InstId, inside: &mut Vec<InstId>) -> bool {
        let op = &self.kernel.insts[id].op;
        let is_loop = matches!(op, Op::For { .. } | Op::Loop { .. });
        !is_loop
            && (op.is_leaf()
                || op.bodies().flat_map(|body| &body.0).all(|&id| {
                    inside.push(id);
                    self.collect(id, inside)
                }))
    }

    /// Notes that `id` moves before the `if`, where that is possible and its value is computed
    /// after the `if`.
    fn try_hoist(&mut self, id: InstId) -> bool {
        let inst = &self.kernel.insts[id];
        let moves = inst.op.effect() == Effect::None
            && (self.later == Later::Always || is_of_addresses(self.kernel, inst))
            && self.computed_later[self.numbers[id]]
            && inst.op.operands().all(|operand| self.outside[operand]);
        self.outside[id] = moves;
        moves
    }

    /// Drops from the bodies in `id` what has moved.
    fn drop_outside(&mut self, id: InstId) {
        self.rewrite(id, |walk, Body(list)| {
            list.retain(|&id| !walk.outside[id]);
            for &id in list.iter() {
                walk.drop_outside(id);
            }
        });
    }
}

/// True for one of the cheap operations of which addresses consist.
fn is_of_addresses(kernel: &Kernel, inst: &Inst) -> bool {
    let is_int = |ty: Ty| matches!(ty, Ty::Scalar(scalar) if scalar.is_int());
    match inst.op {
        Op::Const(_) | Op::Param(_) | Op::Len(_) | Op::Index { .. } => true,
        Op::Cast { value } => is_int(inst.ty) && is_int(kernel.insts[value].ty),
        Op::Binary {
            op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl, ..
        } => is_int(inst.ty),
        _ => false,
    }
}
