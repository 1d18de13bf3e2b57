//! Takes apart control flow that decides nothing: an `if` on a constant, a `for` that never
//! runs, a `block` that nothing leaves, and what stands behind an exit.
//!
//! Why: the front end wraps each inlined function in a `block`, and a value
//! that is set in one is not forwarded out of it.
use crate::{
    id::Facts,
    ir::{Body, CompareOp, InstId, Kernel, Op, Scalar, Ty, evaluate},
};

/// Simplifies the control flow of `kernel`.
pub(super) fn simplify_control(kernel: &mut Kernel) {
    let list = std::mem::take(&mut kernel.body);
    let breaks = kernel.insts.facts(0);
    kernel.body = Walk { kernel, breaks }.body(list);
}

struct Walk<'k> {
    kernel: &'k mut Kernel,
    /// The number of `break`s out of an instruction, among those walked so far.
    breaks: Facts<InstId, u32>,
}

impl Walk<'_> {
    fn body(&mut self, list: Body) -> Body {
        let mut kept = Vec::with_capacity(list.0.len());
        for id in list.0 {
            self.inst(id, &mut kept);
            if kept.last().is_some_and(|&last| self.kernel.insts[last].op.is_exit()) {
                break;
            }
        }
        Body(kept)
    }

    /// Appends `id`, or what is left of it, to `kept`.
    fn inst(&mut self, id: InstId, kept: &mut Vec<InstId>) {
        let op = &self.kernel.insts[id].op;
        if let Op::Break(target) = *op {
            self.breaks[target] += 1;
        }
        if op.is_leaf() {
            kept.push(id);
            return;
        }
        // Taken out while its bodies are walked.
        let mut op = std::mem::replace(&mut self.kernel.insts[id].op, Op::Return);
        if let Op::If { cond, then, other } = &mut op
            && let Op::Const(cond) = self.kernel.insts[*cond].op
        {
            let taken = std::mem::take(if cond == 1 { then } else { other });
            kept.extend(self.body(taken).0);
            return;
        }
        if self.never_runs(&op) {
            return;
        }
        for inner in op.bodies_mut() {
            *inner = self.body(std::mem::take(inner));
        }
        if let Op::Block { body } = &mut op {
            self.drop_last_break(id, body);
            if self.breaks[id] == 0 {
                kept.append(&mut body.0);
                return;
            }
        }
        self.kernel.insts[id].op = op;
        kept.push(id);
    }

    /// At the end of a block, leaving it is what happens anyway.
    fn drop_last_break(&mut self, id: InstId, body: &mut Body) {
        if let Some(&last) = body.0.last()
            && self.kernel.insts[last].op == Op::Break(id)
        {
            body.0.pop();
            self.breaks[id] -= 1;
        }
    }

    /// True for a loop over a range of constants that is empty.
    fn never_runs(&self, op: &Op) -> bool {
        let Op::For { start, end, inclusive, .. } = op else { return false };
        let (start, end) = (&self.kernel.insts[*start], &self.kernel.insts[*end]);
        let (Op::Const(first), Op::Const(last), Ty::Scalar(scalar)) =
            (&start.op, &end.op, start.ty)
        else {
            return false;
        };
        let past = if *inclusive { CompareOp::Gt } else { CompareOp::Ge };
        is(past, scalar, *first, *last)
    }
}

fn is(op: CompareOp, scalar: Scalar, lhs: u64, rhs: u64) -> bool {
    evaluate::compare(op, scalar, lhs, rhs) == Some(true)
}
