//! Replaces remainders of sums that conditions bound by one conditional subtraction.
//!
//! A remainder `v % w` of unsigned integers is `v` where `v < w`, and `v - w` or `v` where `v` is
//! less than `2 * w`. The second holds for each `v` that is the sum of a number less than `w` and
//! one of at most `w`, also where that sum wraps: it is then less than `w`. Of a number less than
//! `w` plus 1, what is left is 0 or that sum.
//!
//! ```text
//! %2 = lt %x, %w                         %2 = lt %x, %w
//! if %2 {                                if %2 {
//!   %4 = sub %w, 1                         %4 = sub %w, 1
//!   %5 = add %x, %4                =>      %5 = add %x, %4
//!   %6 = rem %5, %w                        %7 = ge %5, %w
//! }                                        %8 = sub %5, %w
//!                                          %6 = select %7, %8, %5
//!                                        }
//! ```
//!
//! Bounds of numbers come from conditions around the remainder, checks before it, the ends of
//! loops, and other remainders by the same number.
//!
//! Why: neighbours on a torus and positions in a ring are written this way, and a remainder by a
//! variable takes 20 instructions in 32 bits and 60 in 64.
use super::replace::Replacements;
use crate::{
    analysis::range::{self, Range, Ranges},
    ir::{BinaryOp, Body, CompareOp, Inst, InstId, Kernel, Op, Scalar, Ty, UnaryOp},
};

/// The depth to which sums and conditions are looked into.
const MAX_DEPTH: u32 = 6;

/// Reduces the remainders of `kernel`, whose instructions are numbered in order; they are not
/// afterwards.
pub(super) fn reduce_remainders(kernel: &mut Kernel) {
    let is_remainder = |op: &Op| matches!(op, Op::Binary { op: BinaryOp::Rem, .. });
    if !kernel.insts.iter().any(|(_, inst)| is_remainder(&inst.op)) {
        return;
    }
    let ranges = range::analyze(kernel);
    let list = std::mem::take(&mut kernel.body);
    let values = Replacements::new(kernel);
    let mut walk = Walk { kernel, ranges, values, known: Vec::new() };
    let list = walk.body(list);
    kernel.body = list;
}

/// A comparison of two unsigned integers that holds at a place.
#[derive(Clone, Copy)]
struct Relation {
    small: InstId,
    large: InstId,
    /// True if the two differ.
    is_strict: bool,
}

struct Walk<'k> {
    kernel: &'k mut Kernel,
    ranges: Ranges,
    values: Replacements,
    /// The facts that hold here.
    known: Vec<Relation>,
}

impl Walk<'_> {
    fn body(&mut self, list: Body) -> Body {
        let before = self.known.len();
        let mut kept = Vec::with_capacity(list.0.len());
        for id in list.0 {
            self.values.apply(&mut self.kernel.insts[id].op);
            self.inst(id, &mut kept);
        }
        self.known.truncate(before);
        Body(kept)
    }

    fn inst(&mut self, id: InstId, kept: &mut Vec<InstId>) {
        if let Op::Binary { op: BinaryOp::Rem, lhs, rhs } = self.kernel.insts[id].op
            && self.is_unsigned(id)
        {
            if self.is_less(lhs, rhs) {
                self.values.replace(id, lhs);
                return;
            }
            if self.is_next(lhs, rhs) {
                let none = Op::Const(0);
                self.choose(id, lhs, rhs, none, kept);
            } else if self.is_less_than_twice(lhs, rhs) {
                let difference = Op::Binary { op: BinaryOp::Sub, lhs, rhs };
                self.choose(id, lhs, rhs, difference, kept);
            }
            self.add(id, rhs, true);
        } else if let Op::Bounds { index, len } = self.kernel.insts[id].op {
            self.add(index, len, true);
            self.add(id, len, true);
        } else if let Op::Check { cond, .. } = self.kernel.insts[id].op {
            self.assume(cond, true, MAX_DEPTH);
        }
        kept.push(id);
        if !self.kernel.insts[id].op.is_leaf() {
            self.nested(id);
        }
    }

    fn nested(&mut self, id: InstId) {
        // Taken out while its bodies are walked.
        let mut op = std::mem::replace(&mut self.kernel.insts[id].op, Op::Return);
        let before = self.known.len();
        if let Op::If { cond, then, other } = &mut op {
            for (body, truth) in [(&mut *then, true), (&mut *other, false)] {
                self.assume(*cond, truth, MAX_DEPTH);
                *body = self.body(std::mem::take(body));
                self.known.truncate(before);
            }
            for (left, truth) in [(&*then, false), (&*other, true)] {
                if !self.kernel.falls_through(left) {
                    self.assume(*cond, truth, MAX_DEPTH);
                }
            }
        } else {
            if let Op::For { end, inclusive, .. } = op {
                self.add(id, end, !inclusive);
            }
            for inner in op.bodies_mut() {
                *inner = self.body(std::mem::take(inner));
            }
            self.known.truncate(before);
        }
        self.kernel.insts[id].op = op;
    }

    /// Makes `id` what `then` computes where `value` is at least `by`, and `value` elsewhere.
    fn choose(&mut self, id: InstId, value: InstId, by: InstId, then: Op, kept: &mut Vec<InstId>) {
        let Inst { ty, span, .. } = self.kernel.insts[id];
        let mut push = |op, ty| {
            let new = self.kernel.insts.push(Inst { op, ty, span });
            kept.push(new);
            new
        };
        let op = Op::Compare { op: CompareOp::Ge, lhs: value, rhs: by };
        let cond = push(op, Ty::Scalar(Scalar::Bool));
        let then = push(then, ty);
        self.kernel.insts[id].op = Op::Select { cond, then, other: value };
    }

    fn is_unsigned(&self, id: InstId) -> bool {
        matches!(self.kernel.insts[id].ty, Ty::Scalar(scalar) if scalar.is_unsigned())
    }

    fn add(&mut self, small: InstId, large: InstId, is_strict: bool) {
        if self.is_unsigned(small) {
            self.known.push(Relation { small, large, is_strict });
        }
    }

    /// Adds what follows from `cond` being `truth`.
    fn assume(&mut self, cond: InstId, truth: bool, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let op = &self.kernel.insts[cond].op;
        if let Op::Unary { op: UnaryOp::Not, value } = *op {
            self.assume(value, !truth, depth);
        } else if let Op::Binary { op, lhs, rhs } = *op {
            if op == if truth { BinaryOp::And } else { BinaryOp::Or } {
                self.assume(lhs, truth, depth);
                self.assume(rhs, truth, depth);
            }
        } else if let Op::Compare { op, lhs, rhs } = *op {
            match if truth { op } else { range::negated_comparison(op) } {
                CompareOp::Lt => self.add(lhs, rhs, true),
                CompareOp::Le => self.add(lhs, rhs, false),
                CompareOp::Gt => self.add(rhs, lhs, true),
                CompareOp::Ge => self.add(rhs, lhs, false),
                CompareOp::Eq => {
                    self.add(lhs, rhs, false);
                    self.add(rhs, lhs, false);
                }
                CompareOp::Ne => {}
            }
        }
    }

    fn range(&self, id: InstId) -> Option<Range> {
        self.ranges.get(self.kernel, self.values.resolve(id)).filter(|range| !range.is_empty())
    }

    /// True if `small` is less than `large`.
    fn is_less(&self, small: InstId, large: InstId) -> bool {
        let relates = |known: &Relation| {
            known.is_strict && self.is_same(known.small, small) && self.is_same(known.large, large)
        };
        let ranges = self.range(small).zip(self.range(large));
        self.known.iter().any(relates) || ranges.is_some_and(|(small, large)| small.max < large.min)
    }

    /// True if `small` is at most `large`.
    fn is_at_most(&self, small: InstId, large: InstId) -> bool {
        let relates =
            |known: &Relation| self.is_same(known.small, small) && self.is_same(known.large, large);
        self.known.iter().any(relates)
            || self.range(small).is_some_and(|range| range.max <= self.least(large))
    }

    /// The least number that `id` may be.
    fn least(&self, id: InstId) -> i128 {
        let is_positive = self.known.iter().any(|known| known.is_strict && known.large == id);
        self.range(id).map_or(0, |range| range.min).max(i128::from(is_positive))
    }

    fn is_same(&self, a: InstId, b: InstId) -> bool {
        a == b || matches!(self.kernel.insts[a].op, Op::Bounds { index, .. } if index == b)
    }

    /// True if `value` is 1 more than a number less than `by`.
    fn is_next(&self, value: InstId, by: InstId) -> bool {
        let mut sum = Sum { plus: Vec::new(), minus: Vec::new(), constant: 0 };
        self.split(value, false, MAX_DEPTH, &mut sum);
        let Sum { plus, minus, constant } = sum;
        matches!((&*plus, &*minus, constant), ([small], [], 1) if self.is_less(*small, by))
    }

    /// True if `value` is less than `2 * by`: up to multiples of 2 to its width, the sum of a
    /// number less than `by` and one of at most `by`.
    fn is_less_than_twice(&self, value: InstId, by: InstId) -> bool {
        let mut sum = Sum { plus: Vec::new(), minus: Vec::new(), constant: 0 };
        self.split(value, false, MAX_DEPTH, &mut sum);
        let Sum { mut plus, minus, constant } = sum;
        let has_divisor = match plus.iter().position(|&term| self.is_same(term, by)) {
            Some(at) => {
                plus.remove(at);
                true
            }
            None => false,
        };
        match (has_divisor, &*plus, &*minus) {
            (true, [], []) => self.least(by) > 0 && (-self.least(by)..=0).contains(&constant),
            (true, [small], []) => {
                self.is_less(*small, by) && (-self.least(by)..=0).contains(&constant)
            }
            (true, [], [less]) => constant == 0 && self.least(by) > 0 && self.is_at_most(*less, by),
            (true, [small], [less]) => {
                constant == 0 && self.is_less(*small, by) && self.is_at_most(*less, by)
            }
            (false, [small], []) => {
                self.is_less(*small, by) && (0..=self.least(by)).contains(&constant)
            }
            (false, [a, b], []) => {
                let fits = |a, b| self.is_less(a, by) && self.is_at_most(b, by);
                constant == 0 && (fits(*a, *b) || fits(*b, *a))
            }
            _ => false,
        }
    }

    /// Adds the terms of `id` to `sum`, or subtracts them.
    fn split(&self, id: InstId, subtracts: bool, depth: u32, sum: &mut Sum) {
        let inst = &self.kernel.insts[id];
        if let (Op::Const(bits), Ty::Scalar(scalar)) = (&inst.op, inst.ty)
            && let Some(width) = scalar.bits()
        {
            // The half of the numbers with the highest bit set are those that a difference adds.
            let unused = u64::BITS - width;
            let number = i128::from(((bits << unused) as i64) >> unused);
            sum.constant += if subtracts { -number } else { number };
        } else if let Op::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), lhs, rhs } = inst.op
            && depth > 0
        {
            self.split(lhs, subtracts, depth - 1, sum);
            self.split(rhs, subtracts != (op == BinaryOp::Sub), depth - 1, sum);
        } else if subtracts {
            sum.minus.push(id);
        } else {
            sum.plus.push(id);
        }
    }
}

/// A sum of terms, each with a sign, and a constant.
struct Sum {
    plus: Vec<InstId>,
    minus: Vec<InstId>,
    constant: i128,
}
