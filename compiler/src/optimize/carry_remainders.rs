//! Keeps remainders of a counter by a constant in a variable, from one iteration to the next.
//!
//! ```text
//!                                         set $r, start % 3
//! for %i from start to end, step 1 {      for %i from start to end, step 1 {
//!   %1 = rem %i, 3                          %1 = get $r
//!   %2 = add %i, 1                          %2 = add %1, 1
//!   %3 = rem %2, 3                   =>     %3 = if %2 < 3: %2, else %2 - 3
//!   ..                                      set $r, %3
//! }                                         ..
//!                                         }
//! ```
//!
//! A remainder of the counter and a constant, whose sum does not wrap, is the variable and the
//! constant, less the divisor where it is reached. Remainders by powers of two are masks, and stay.
//! So do those that run under a condition only.
//!
//! Why: buffers that take turns are chosen so. A remainder of 64-bit integers by a constant takes
//! 12 instructions, and LLVM computes one of 32 bits that an address depends on in 64.
use super::{drop_insts, replace::Replacements};
use crate::{
    analysis::range::{self, Ranges},
    ir::{BinaryOp, Body, CompareOp, Inst, InstId, Kernel, Local, LocalId, Op, Scalar, Span, Ty},
};

const WORD: Ty = Ty::Scalar(Scalar::U32);

/// The largest divisor: twice as much is in 32 bits.
const MAX_DIVISOR: u64 = 1 << 31;

/// Carries the remainders of `kernel`, whose instructions are numbered in order; they are not
/// afterwards.
pub(super) fn carry_remainders(kernel: &mut Kernel) {
    let is_loop = |(_, inst): (InstId, &Inst)| matches!(inst.op, Op::For { .. });
    let is_remainder = |(_, inst): (InstId, &Inst)| match inst.op {
        Op::Binary { op: BinaryOp::Rem, rhs, .. } => divisor(kernel, rhs).is_some(),
        _ => false,
    };
    if !kernel.insts.iter().any(is_loop) || !kernel.insts.iter().any(is_remainder) {
        return;
    }
    let ranges = range::analyze(kernel);
    let list = std::mem::take(&mut kernel.body);
    let mut walk = Walk { kernel, ranges, replaced: Vec::new(), span: Span::KERNEL };
    let list = walk.body(list);
    let replaced = walk.replaced;
    kernel.body = list;
    let (mut values, mut dropped) = (Replacements::new(kernel), kernel.insts.facts(false));
    for (id, by) in replaced {
        values.replace(id, by);
        dropped[id] = true;
    }
    for id in kernel.insts.ids() {
        values.apply(&mut kernel.insts[id].op);
    }
    drop_insts(kernel, &dropped);
}

/// The constant that is worth a variable.
fn divisor(kernel: &Kernel, id: InstId) -> Option<u64> {
    let Op::Const(bits) = kernel.insts[id].op else { return None };
    (bits > 2 && bits <= MAX_DIVISOR && !bits.is_power_of_two()).then_some(bits)
}

/// A remainder of the sum of a counter and a constant.
struct Remainder {
    id: InstId,
    addend: u64,
    divisor: u64,
    /// True if it runs in each iteration.
    always_runs: bool,
}

struct Walk<'k> {
    kernel: &'k mut Kernel,
    ranges: Ranges,
    /// Remainders, each with the value that stands for it.
    replaced: Vec<(InstId, InstId)>,
    /// The place that new instructions stand for.
    span: Span,
}

impl Walk<'_> {
    fn body(&mut self, list: Body) -> Body {
        let mut kept = Vec::with_capacity(list.0.len());
        for id in list.0 {
            if !self.kernel.insts[id].op.is_leaf() {
                // Taken out while its bodies are walked.
                let mut op = std::mem::replace(&mut self.kernel.insts[id].op, Op::Return);
                for inner in op.bodies_mut() {
                    *inner = self.body(std::mem::take(inner));
                }
                self.kernel.insts[id].op = op;
                self.counter(id, &mut kept);
            }
            kept.push(id);
        }
        Body(kept)
    }

    /// Carries the remainders of `id`, if that is a loop with any; appends to `kept` what stands
    /// before it.
    fn counter(&mut self, id: InstId, kept: &mut Vec<InstId>) {
        let Inst { op: Op::For { start, step, ref body, .. }, ty, span } = self.kernel.insts[id]
        else {
            return;
        };
        let is_unsigned = matches!(ty, Ty::Scalar(Scalar::U32 | Scalar::U64));
        let Op::Const(step) = self.kernel.insts[step].op else { return };
        if !is_unsigned {
            return;
        }
        let mut found = Vec::new();
        self.find(id, body, true, &mut found);
        let mut divisors: Vec<u64> =
            found.iter().filter(|found| found.always_runs).map(|found| found.divisor).collect();
        divisors.sort_unstable();
        divisors.dedup();
        self.span = span;
        let mut first = Vec::new();
        for divisor in divisors {
            let local = self.kernel.locals.push(Local { name: String::new(), ty: WORD, span });
            self.set_to_start(local, start, divisor, kept);
            let current = self.push(Op::Get(local), WORD, &mut first);
            let next = self.sum(current, step % divisor, divisor, &mut first);
            self.push(Op::Set { local, value: next }, Ty::Unit, &mut first);
            let mut known = vec![(0, current), (step % divisor, next)];
            for found in found.iter().filter(|found| found.divisor == divisor) {
                let addend = found.addend % divisor;
                let sum = match known.iter().find(|(known, _)| *known == addend) {
                    Some(&(_, sum)) => sum,
                    None => {
                        let sum = self.sum(current, addend, divisor, &mut first);
                        known.push((addend, sum));
                        sum
                    }
                };
                self.replace(found.id, sum);
            }
        }
        if let Op::For { body, .. } = &mut self.kernel.insts[id].op {
            first.append(&mut body.0);
            body.0 = first;
        }
    }

    /// Appends to `found` the remainders of the counter `of` in `list`.
    fn find(&self, of: InstId, list: &Body, always_runs: bool, found: &mut Vec<Remainder>) {
        for &id in &list.0 {
            let op = &self.kernel.insts[id].op;
            if let Op::Binary { op: BinaryOp::Rem, lhs, rhs } = *op
                && let Some(divisor) = divisor(self.kernel, rhs)
                && let Some(addend) = distance(self.kernel, &self.ranges, of, lhs)
            {
                found.push(Remainder { id, addend, divisor, always_runs });
            }
            let inside = always_runs && !matches!(op, Op::If { .. });
            op.bodies().for_each(|inner| self.find(of, inner, inside, found));
        }
    }

    fn push(&mut self, op: Op, ty: Ty, list: &mut Vec<InstId>) -> InstId {
        let id = self.kernel.insts.push(Inst { op, ty, span: self.span });
        list.push(id);
        id
    }

    /// Appends to `list` the start of the variable.
    fn set_to_start(
        &mut self,
        local: LocalId,
        start: InstId,
        divisor: u64,
        list: &mut Vec<InstId>,
    ) {
        let Inst { ref op, ty, .. } = self.kernel.insts[start];
        let value = if let Op::Const(bits) = *op {
            self.push(Op::Const(bits % divisor), WORD, list)
        } else {
            let rhs = self.push(Op::Const(divisor), ty, list);
            let rest = Op::Binary { op: BinaryOp::Rem, lhs: start, rhs };
            let rest = self.push(rest, ty, list);
            if ty == WORD { rest } else { self.push(Op::Cast { value: rest }, WORD, list) }
        };
        self.push(Op::Set { local, value }, Ty::Unit, list);
    }

    /// Appends to `list` the remainder of the sum of `value` and `addend`, both less than
    /// `divisor`.
    fn sum(&mut self, value: InstId, addend: u64, divisor: u64, list: &mut Vec<InstId>) -> InstId {
        let rhs = self.push(Op::Const(addend), WORD, list);
        let sum = self.push(Op::Binary { op: BinaryOp::Add, lhs: value, rhs }, WORD, list);
        let rhs = self.push(Op::Const(divisor), WORD, list);
        let reaches = Op::Compare { op: CompareOp::Ge, lhs: sum, rhs };
        let cond = self.push(reaches, Scalar::Bool.into(), list);
        let then = self.push(Op::Binary { op: BinaryOp::Sub, lhs: sum, rhs }, WORD, list);
        self.push(Op::Select { cond, then, other: sum }, WORD, list)
    }

    /// Lets `value` stand for the remainder `id`.
    fn replace(&mut self, id: InstId, value: InstId) {
        if self.kernel.insts[id].ty == WORD {
            self.replaced.push((id, value));
        } else {
            self.kernel.insts[id].op = Op::Cast { value };
        }
    }
}

/// Returns the constant that `id` is larger by than `counter`.
pub(super) fn distance(
    kernel: &Kernel,
    ranges: &Ranges,
    counter: InstId,
    id: InstId,
) -> Option<u64> {
    if id == counter {
        return Some(0);
    }
    if let Op::Binary { op: BinaryOp::Add, lhs, rhs } = kernel.insts[id].op {
        let (value, number) = match (kernel.literal(lhs), kernel.literal(rhs)) {
            (None, Some(number)) => (lhs, number),
            (Some(number), None) => (rhs, number),
            (None, None) | (Some(_), Some(_)) => return None,
        };
        let is_exact = ranges.is_exact(id);
        return distance(kernel, ranges, counter, value)?.checked_add(number).filter(|_| is_exact);
    }
    let Op::Cast { value } = kernel.insts[id].op else { return None };
    let limits = |ty: Ty| match ty {
        Ty::Scalar(scalar) if scalar.is_unsigned() => range::scalar_limits(scalar),
        Ty::Scalar(_) | Ty::Ptr(_) | Ty::Unit => None,
    };
    let [from, to] = [value, id].map(|id| limits(kernel.insts[id].ty));
    let range = ranges.get(kernel, value)?.intersection(from?);
    to?.contains(range).then(|| distance(kernel, ranges, counter, value))?
}
