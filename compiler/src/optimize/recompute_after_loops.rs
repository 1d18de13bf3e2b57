//! Computes sums with constants again after a loop, instead of keeping them in registers through
//! it.
//!
//! ```text
//! %1 = add %0, 1                 %1 = add %0, 1
//! .. %1 ..                       .. %1 ..
//! for .. { .. }            =>    for .. { .. }
//! .. %1 ..                       %2 = add %0, 1
//!                                .. %2 ..
//! ```
//!
//! Takes sums and differences of a value and a constant, and casts between integers, if many of
//! them are needed again after a loop.
//!
//! Why: common subexpressions are eliminated across loops, and `ptxas` computes nothing again. The
//! 64 indices of a row that a thread reads before a loop and writes after it would occupy 128
//! registers in the loop.
use crate::{
    id::{Facts, Id},
    ir::{BinaryOp, Body, InstId, Kernel, Op, Ty},
};

/// Fewer values are left in their registers.
const MIN_RECOMPUTED_VALUES: usize = 8;

/// Recomputes values of `kernel`, whose instructions are numbered in order, but not afterwards.
pub(super) fn recompute_after_loops(kernel: &mut Kernel) {
    let list = std::mem::take(&mut kernel.body);
    let mut walk = Walk {
        made: kernel.insts.facts(None),
        originals: kernel.insts.len(),
        kernel,
        here: Place { finished_loops: 0, depth: 0 },
        again: Vec::new(),
        needed: 0,
        recomputes: false,
    };
    let list = walk.body(list);
    walk.recomputes = walk.needed >= MIN_RECOMPUTED_VALUES;
    let list = if walk.recomputes {
        walk.here.finished_loops = 0;
        walk.body(list)
    } else {
        list
    };
    kernel.body = list;
}

/// A place in the text.
#[derive(Clone, Copy)]
struct Place {
    /// The loops that end before it.
    finished_loops: usize,
    /// The loops around it.
    depth: usize,
}

struct Walk<'k> {
    kernel: &'k mut Kernel,
    /// The place where each instruction stands.
    made: Facts<InstId, Option<Place>>,
    /// The number of instructions before any is computed again.
    originals: usize,
    here: Place,
    /// Values that are computed again here: the old one, the new one, and how many loops had
    /// finished.
    again: Vec<(InstId, InstId, usize)>,
    /// The values that are needed after a loop, as often as they are.
    needed: usize,
    /// False while values are counted only.
    recomputes: bool,
}

impl Walk<'_> {
    fn body(&mut self, list: Body) -> Body {
        let visible = self.again.len();
        let mut kept = Vec::with_capacity(list.0.len());
        for id in list.0 {
            self.made[id] = Some(self.here);
            // Taken out while its operands and bodies are walked.
            let mut op = std::mem::replace(&mut self.kernel.insts[id].op, Op::Return);
            op.operands_mut().for_each(|operand| *operand = self.operand(*operand, &mut kept));
            let repeats = usize::from(matches!(op, Op::For { .. } | Op::Loop { .. }));
            if !op.is_leaf() {
                self.here.depth += repeats;
                for inner in op.bodies_mut() {
                    *inner = self.body(std::mem::take(inner));
                }
                self.here.depth -= repeats;
                self.here.finished_loops += repeats;
            }
            self.kernel.insts[id].op = op;
            kept.push(id);
        }
        self.again.truncate(visible);
        Body(kept)
    }

    /// Returns what stands for an operand here, and appends it to `kept` if it is computed again.
    fn operand(&mut self, id: InstId, kept: &mut Vec<InstId>) -> InstId {
        if id.index() >= self.originals {
            return id;
        }
        let finished = self.here.finished_loops;
        let outlives_loop = self.made[id].is_some_and(|made| {
            // In a loop, it would be computed in each iteration.
            made.depth == self.here.depth && made.finished_loops < finished
        });
        if !outlives_loop || !self.is_cheap(id) {
            return id;
        }
        if !self.recomputes {
            self.needed += 1;
            return id;
        }
        let known = self.again.iter().rev().find(|(old, _, when)| *old == id && *when == finished);
        if let Some((_, new, _)) = known {
            return *new;
        }
        let mut inst = self.kernel.insts[id].clone();
        inst.op.operands_mut().for_each(|operand| *operand = self.operand(*operand, kept));
        let new = self.kernel.insts.push(inst);
        kept.push(new);
        self.again.push((id, new, finished));
        new
    }

    /// True for a value that one instruction computes of one other value.
    fn is_cheap(&self, id: InstId) -> bool {
        let inst = &self.kernel.insts[id];
        let is_constant = |id: InstId| matches!(self.kernel.insts[id].op, Op::Const(_));
        let is_int = |ty: Ty| matches!(ty, Ty::Scalar(scalar) if scalar.is_int());
        if let Op::Binary { op: BinaryOp::Add | BinaryOp::Sub, lhs, rhs } = inst.op {
            is_int(inst.ty) && (is_constant(lhs) || is_constant(rhs))
        } else if let Op::Cast { value } = inst.op {
            is_int(inst.ty) && is_int(self.kernel.insts[value].ty)
        } else {
            false
        }
    }
}
