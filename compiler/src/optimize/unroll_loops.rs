//! Runs four rounds of a counting loop between two decisions whether to go on.
//!
//! Takes innermost loops over `0..n` whose body is short, that nothing leaves or continues early,
//! and in which threads do not meet; the rounds that are left over when `n` is no multiple of four
//! run in a loop behind.
//!
//! ```text
//! for %i from 0 to %n {         %m = and %n, !3
//!   body(%i)                    for %i from 0 to %m, step 4 {
//! }                       =>      body(%i) body(%i + 1) body(%i + 2) body(%i + 3)
//!                               }
//!                               for %j from %m to %n { body(%j) }
//! ```
//!
//! Why: `ptxas` unrolls loops only if it knows how often they run. A short body otherwise pays for counting,
//! and for constants that do not fit into instructions, in every round, and nothing of a round
//! overlaps with the next.
use crate::ir::{BinaryOp, Body, Effect, Inst, InstId, Kernel, Op, Scalar, Ty};
use std::collections::HashMap;

/// Rounds in one.
const ROUNDS: u64 = 4;

/// Instructions of a body that is short, constants not counted. Four rounds of a longer one take so many
/// registers that fewer threads fit: with 128, logarithms of `f64` in a kernel that waits for memory took half
/// as long again on an H200.
const SHORT: usize = 48;

/// Unrolls the loops of `kernel`, whose instructions are not numbered in order afterwards.
pub(super) fn unroll_loops(kernel: &mut Kernel) {
    let list = std::mem::take(&mut kernel.body);
    kernel.body = body(kernel, list);
}

fn body(kernel: &mut Kernel, list: Body) -> Body {
    let mut kept = Vec::with_capacity(list.0.len());
    for id in list.0 {
        if kernel.insts[id].op.is_leaf() {
            kept.push(id);
            continue;
        }
        // Taken out while its bodies are walked.
        let mut op = std::mem::replace(&mut kernel.insts[id].op, Op::Return);
        for inner in op.bodies_mut() {
            *inner = body(kernel, std::mem::take(inner));
        }
        kernel.insts[id].op = op;
        match range(kernel, id) {
            Some(range) => unroll(kernel, id, range, &mut kept),
            None => kept.push(id),
        }
    }
    Body(kept)
}

/// What a loop runs over.
struct Range {
    scalar: Scalar,
    end: InstId,
    /// The constant 1.
    step: InstId,
}

/// What `id` runs over, if it is a loop to unroll.
fn range(kernel: &Kernel, id: InstId) -> Option<Range> {
    let Op::For { start, end, step, inclusive: false, body } = &kernel.insts[id].op else {
        return None;
    };
    let constant = |id: InstId| {
        let Op::Const(bits) = kernel.insts[id].op else { return None };
        Some(bits)
    };
    let counts = constant(*start) == Some(0) && constant(*step) == Some(1);
    let Ty::Scalar(scalar @ (Scalar::U32 | Scalar::U64)) = kernel.insts[id].ty else {
        return None;
    };
    let unknown = constant(*end).is_none();
    let short = size(kernel, id, body).is_some_and(|size| size <= SHORT);
    // There is no second round where the first never comes to its end.
    let again = kernel.falls_through(body);
    (counts && unknown && short && again).then_some(Range { scalar, end: *end, step: *step })
}

/// How many instructions `list` holds; `None` if it is nothing to repeat in the loop `of`.
fn size(kernel: &Kernel, of: InstId, list: &Body) -> Option<usize> {
    let mut size = 0;
    for &id in &list.0 {
        let op = &kernel.insts[id].op;
        let leaves = matches!(op, Op::Break(target) | Op::Continue(target) if *target == of);
        let loops = matches!(op, Op::For { .. } | Op::Loop { .. });
        if leaves || loops || op.effect() == Effect::Sync {
            return None;
        }
        size += usize::from(!matches!(op, Op::Const(_)));
        for inner in op.bodies() {
            size += self::size(kernel, of, inner)?;
        }
    }
    Some(size)
}

/// Appends to `kept` the loop `id` with more in each round, and another one for what is left.
fn unroll(kernel: &mut Kernel, id: InstId, range: Range, kept: &mut Vec<InstId>) {
    let Range { scalar, end, step } = range;
    let mut copy = Copy { kernel, like: id, scalar };
    let rounds = copy.constant(ROUNDS);
    let mask = copy.constant(if scalar == Scalar::U64 { !(ROUNDS - 1) } else { 0xffff_fffc });
    let middle = copy.binary(BinaryOp::And, end, mask);
    kept.extend([rounds, mask, middle, id]);

    let Op::For { body, .. } = &mut copy.kernel.insts[id].op else {
        unreachable!("`range` found a loop")
    };
    let mut all = std::mem::take(body);
    let round = all.clone();
    for number in 1..ROUNDS {
        let number = copy.constant(number);
        let counter = copy.binary(BinaryOp::Add, id, number);
        all.0.extend([number, counter]);
        all.0.extend(copy.body(&round, &mut HashMap::from([(id, counter)])).0);
    }
    let op = Op::For { start: middle, end, step, inclusive: false, body: Body::default() };
    let rest = copy.push(op);
    let left = copy.body(&round, &mut HashMap::from([(id, rest)]));
    let bodies = copy.kernel.insts[rest].op.bodies_mut();
    bodies.for_each(|body| *body = left.clone());
    kept.push(rest);

    let Op::For { start, .. } = copy.kernel.insts[id].op else {
        unreachable!("`range` found a loop")
    };
    copy.kernel.insts[id].op =
        Op::For { start, end: middle, step: rounds, inclusive: false, body: all };
}

/// Makes instructions for the loop `like`.
struct Copy<'k> {
    kernel: &'k mut Kernel,
    like: InstId,
    scalar: Scalar,
}

impl Copy<'_> {
    /// An instruction of the counter's type.
    fn push(&mut self, op: Op) -> InstId {
        let span = self.kernel.insts[self.like].span;
        self.kernel.insts.push(Inst { op, ty: self.scalar.into(), span })
    }

    fn constant(&mut self, bits: u64) -> InstId {
        self.push(Op::Const(bits))
    }

    fn binary(&mut self, op: BinaryOp, lhs: InstId, rhs: InstId) -> InstId {
        self.push(Op::Binary { op, lhs, rhs })
    }

    /// The instructions of `list` once more. `new` says what stands for others in the copy.
    fn body(&mut self, list: &Body, new: &mut HashMap<InstId, InstId>) -> Body {
        Body(list.0.iter().map(|&id| self.inst(id, new)).collect())
    }

    fn inst(&mut self, id: InstId, new: &mut HashMap<InstId, InstId>) -> InstId {
        let mut inst = self.kernel.insts[id].clone();
        let of = |old: &mut InstId| *old = new.get(old).copied().unwrap_or(*old);
        inst.op.operands_mut().for_each(of);
        if let Op::Break(target) | Op::Continue(target) = &mut inst.op {
            of(target);
        }
        // A block is named by what it holds.
        let copy = self.kernel.insts.push(inst);
        new.insert(id, copy);
        if self.kernel.insts[copy].op.is_leaf() {
            return copy;
        }
        let mut op = std::mem::replace(&mut self.kernel.insts[copy].op, Op::Return);
        for inner in op.bodies_mut() {
            *inner = self.body(inner, new);
        }
        self.kernel.insts[copy].op = op;
        copy
    }
}
