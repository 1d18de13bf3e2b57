//! Bounds of the integers in a loop, as [terms](super::terms) over values that are known before it.
//!
//! Whenever a check runs, each value that it uses lies between its bounds, provided that the tests
//! hold that were listed for them. Counters lie between the start and the end of their `for`, sums
//! and products between the sums and products of the operands' bounds, and conditions around the
//! check narrow the values that they compare, as does the condition of a `select` in its arms.
//! Where an operation could wrap, a test says that its bounds fit the type. If the bounds of a
//! value exclude each other, the check never runs.
use super::{
    Check,
    terms::{TermId, Terms, Test},
};
use crate::{
    analysis::{
        range::{Range, Ranges, negated_comparison, scalar_limits},
        uniformity::Varying,
    },
    id::Facts,
    ir::{
        BinaryOp, CompareOp, InstId, Kernel, LocalId, Op, ParamKind, Scalar, Ty, UnaryOp, evaluate,
    },
};
use std::collections::HashMap;

/// The largest value that takes part in sums, so that many of them fit `i64`.
const MAX_ADDEND: i128 = 1 << 56;

/// The largest factor of a product that might exceed `i64` otherwise; some addends fit as well.
const MAX_FACTOR: i128 = 1 << 31;

/// The most values of a builtin over the threads of a block for its range to stand for it, where
/// the guard must be uniform: with more, the guard would be false in most launches.
const MAX_THREADS: i128 = 1024;

/// The most `select`s, one in the other, whose conditions narrow their arms. Each doubles the work.
const MAX_ARM_DEPTH: u32 = 3;

/// The smallest and the largest number that a value may be.
#[derive(Clone, Copy)]
struct Interval {
    min: TermId,
    max: TermId,
}

/// A comparison of integers that is true wherever the check runs.
struct Fact {
    op: CompareOp,
    lhs: InstId,
    rhs: InstId,
}

/// A loop that checks are hoisted out of.
pub(super) struct Around<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) ranges: &'a Ranges,
    /// The uniform values, if the guard must be uniform in blocks.
    pub(super) uniform: Option<&'a Varying>,
    /// The loop itself.
    pub(super) id: InstId,
    /// True for the locals that the loop sets.
    pub(super) is_set: &'a Facts<LocalId, bool>,
}

/// Returns tests that imply that `check` does not fail; `None` if it finds none, or if they never
/// hold. Terms keep the relations that hold where `check` runs.
pub(super) fn prove(around: &Around<'_>, terms: &mut Terms, check: &Check) -> Option<Vec<Test>> {
    let Op::Bounds { index, len } = around.kernel.insts[check.id].op else { return None };
    let (known, open) = (HashMap::new(), Vec::new());
    terms.forget_relations();
    let mut walk = Walk {
        around,
        terms,
        facts: Vec::new(),
        known,
        open,
        tests: Vec::new(),
        is_guarded: false,
        facts_around: 0,
        arms: 0,
    };
    for &(condition, truth) in &check.conditions {
        walk.assume(condition, truth);
    }
    walk.facts_around = walk.facts.len();
    walk.relate();
    let max = walk.interval(index)?.max;
    walk.below(max, len)?;
    // Where these decide, the largest index may never be used.
    let may_be_unused = check.may_be_left_out
        || check.conditions.iter().any(|&(condition, _)| walk.is_invariant(condition));
    (walk.is_guarded || !may_be_unused).then_some(walk.tests)
}

struct Walk<'a, 't> {
    around: &'a Around<'a>,
    terms: &'t mut Terms,
    facts: Vec<Fact>,
    known: HashMap<InstId, Option<Interval>>,
    /// Values whose bounds are being computed: a condition may compare a value with one computed
    /// from it.
    open: Vec<InstId>,
    tests: Vec<Test>,
    /// True if a condition around the check narrowed a bound.
    is_guarded: bool,
    /// The number of facts that hold around the check. The others hold in an arm of a `select`
    /// whose bounds are being computed.
    facts_around: usize,
    /// The number of arms of `select`s, one in the other, that bounds are being computed of.
    arms: u32,
}

impl Walk<'_, '_> {
    fn op(&self, id: InstId) -> &Op {
        &self.around.kernel.insts[id].op
    }

    fn scalar(&self, id: InstId) -> Option<Scalar> {
        match self.around.kernel.insts[id].ty {
            Ty::Scalar(scalar) => Some(scalar),
            Ty::Ptr(_) | Ty::Unit => None,
        }
    }

    fn limits(&self, id: InstId) -> Option<Range> {
        scalar_limits(self.scalar(id)?)
    }

    fn number(&self, id: InstId) -> Option<i128> {
        let Op::Const(bits) = self.op(id) else { return None };
        evaluate::integer(self.scalar(id)?, *bits)
    }

    /// Notes what `condition` being `truth` says of integers.
    fn assume(&mut self, condition: InstId, truth: bool) {
        let op = self.op(condition);
        if let Op::Unary { op: UnaryOp::Not, value } = *op {
            self.assume(value, !truth);
        } else if let Op::Binary { op, lhs, rhs } = *op {
            if op == if truth { BinaryOp::And } else { BinaryOp::Or } {
                self.assume(lhs, truth);
                self.assume(rhs, truth);
            }
        } else if let Op::Compare { op, lhs, rhs } = *op
            && self.limits(lhs).is_some()
        {
            let op = if truth { op } else { negated_comparison(op) };
            let (lhs, rhs) = (self.narrowest(lhs), self.narrowest(rhs));
            self.facts.push(Fact { op, lhs, rhs });
        }
    }

    /// The unsigned integer that `id` is a wider copy of, or `id`.
    fn narrowest(&self, mut id: InstId) -> InstId {
        while let Op::Cast { value } = *self.op(id)
            && let (Some(from), Some(to)) = (self.limits(value), self.limits(id))
            && from.min == 0
            && to.contains(from)
        {
            id = value;
        }
        id
    }

    /// Lists the test that `max` is less than `len`.
    fn below(&mut self, max: TermId, len: InstId) -> Option<()> {
        if self.scalar(len) == Some(Scalar::U64) && self.number(len).is_none() && self.is_known(len)
        {
            self.tests.push(Test::Below(max, len));
            return Some(());
        }
        let len = self.interval(len)?.min;
        let (highest, lowest) = (self.terms.range(max), self.terms.range(len));
        if highest.min >= lowest.max {
            return None;
        }
        if highest.max >= lowest.min {
            self.tests.push(Test::Less(max, len));
        }
        Some(())
    }

    /// Returns `id`, and lists the test that it is in `range`; `None` if it never is.
    fn within(&mut self, id: TermId, range: Range) -> Option<TermId> {
        let before = self.terms.range(id);
        let within = self.terms.within(id, range)?;
        let (base, offset) = self.terms.base(id);
        if before.min < range.min {
            self.tests.push(Test::AtLeast(base, range.min - offset));
        }
        if before.max > range.max {
            self.tests.push(Test::AtMost(base, range.max - offset));
        }
        Some(within)
    }

    /// True if a value is the same in all iterations and, where the guard must be uniform, in the
    /// block.
    fn is_known(&self, id: InstId) -> bool {
        let Around { kernel, id: of, is_set, uniform, .. } = *self.around;
        let op = self.op(id);
        let is_same = if let Op::Param(param) = *op {
            matches!(kernel.params[param].kind, ParamKind::Scalar(_))
        } else if let Op::Get(local) = *op {
            !is_set[local]
        } else {
            matches!(op, Op::Len(_) | Op::Builtin(_))
        };
        (is_same || id < of) && uniform.is_none_or(|uniform| uniform.value[id].is_uniform())
    }

    /// Returns the least number that the known value `id` may be in the first version. An unsigned
    /// value that is more than another one, by a condition around the check, is at least 1. Only
    /// arms of `select`s gain by that test: a position before the first of `id` elements, `id - 1`,
    /// is then known to be one.
    fn least(&self, id: InstId) -> i128 {
        let value = self.narrowest(id);
        let is_more = |fact: &Fact| match fact.op {
            CompareOp::Lt => fact.rhs == value,
            CompareOp::Gt => fact.lhs == value,
            CompareOp::Eq | CompareOp::Ne | CompareOp::Le | CompareOp::Ge => false,
        };
        let is_unsigned = self.limits(id).is_some_and(|limits| limits.min == 0);
        let is_positive = self.facts[..self.facts_around].iter().any(is_more);
        if is_unsigned && self.arms > 0 && is_positive { 1 } else { -MAX_ADDEND }
    }

    /// Lets terms know how known values compare wherever the check runs.
    fn relate(&mut self) {
        for number in 0..self.facts_around {
            let Fact { op, lhs, rhs } = self.facts[number];
            let (small, large, distance) = match op {
                CompareOp::Lt => (lhs, rhs, -1),
                CompareOp::Le => (lhs, rhs, 0),
                CompareOp::Gt => (rhs, lhs, -1),
                CompareOp::Ge => (rhs, lhs, 0),
                CompareOp::Eq | CompareOp::Ne => continue,
            };
            let value = |id| {
                let range = self.around.ranges.get(self.around.kernel, id);
                range.filter(|_| self.is_known(id)).map(|range| (id, range))
            };
            if let (Some((small, s)), Some((large, l))) = (value(small), value(large))
                && let (Some(small), Some(large)) =
                    (self.terms.value(small, s), self.terms.value(large, l))
            {
                self.terms.relate(small, large, distance);
            }
        }
    }

    /// True if a condition is computed from values that are the same in all iterations.
    fn is_invariant(&self, id: InstId) -> bool {
        let op = self.op(id);
        let is_computed = matches!(
            op,
            Op::Unary { .. } | Op::Binary { .. } | Op::Compare { .. } | Op::Cast { .. }
        );
        let is_const = matches!(op, Op::Const(_));
        is_const
            || self.is_known(id)
            || is_computed && op.operands().all(|operand| self.is_invariant(operand))
    }

    fn interval(&mut self, id: InstId) -> Option<Interval> {
        if let Some(&known) = self.known.get(&id) {
            return known;
        }
        if self.open.contains(&id) {
            return None;
        }
        self.open.push(id);
        let computed = self.computed(id);
        let narrowed = self.narrowed(id, computed);
        self.open.pop();
        self.known.insert(id, narrowed);
        narrowed
    }

    fn single(&self, id: Option<TermId>) -> Option<Interval> {
        id.map(|id| Interval { min: id, max: id })
    }

    fn constants(&mut self, range: Range) -> Option<Interval> {
        Some(Interval {
            min: self.terms.constant(range.min)?,
            max: self.terms.constant(range.max)?,
        })
    }

    /// The bounds of `id` by what computes it.
    fn computed(&mut self, id: InstId) -> Option<Interval> {
        let limits = self.limits(id)?;
        if let Some(number) = self.number(id) {
            let number = self.terms.constant(number);
            return self.single(number);
        }
        let range = self.around.ranges.get(self.around.kernel, id)?;
        if self.is_known(id) {
            // As conditions have it.
            let same = Some(self.narrowest(id)).filter(|&same| self.is_known(same)).unwrap_or(id);
            let value = self.terms.value(same, range)?;
            let value = self.within(value, Range::new(self.least(id), MAX_ADDEND));
            return self.single(value);
        }
        let by_parts = if let Op::Bounds { index, .. } = *self.op(id) {
            return self.interval(index);
        } else if let Op::Select { cond, then, other } = *self.op(id) {
            let (then, other) = (self.arm(cond, true, then)?, self.arm(cond, false, other)?);
            return self.hull(then, other);
        } else if let Op::For { start, end, step, inclusive, .. } = *self.op(id) {
            return self.counter([start, end, step], inclusive);
        } else if let Op::Cast { value } = *self.op(id) {
            self.interval(value)
        } else if let Op::Binary { op, lhs, rhs } = *self.op(id) {
            self.binary(op, lhs, rhs)
        } else {
            None
        };
        if let Some(Interval { min, max }) = by_parts {
            // Inside these limits nothing wraps.
            let min = self.within(min, Range::new(limits.min, i128::MAX))?;
            let max = self.within(max, Range::new(i128::MIN, limits.max))?;
            return Some(Interval { min, max });
        }
        let of_threads = self.around.uniform.is_some() && matches!(self.op(id), Op::Builtin(_));
        (of_threads && range.max - range.min < MAX_THREADS).then(|| self.constants(range))?
    }

    /// The bounds of an arm of a `select`, which counts where `cond` is `truth`.
    fn arm(&mut self, cond: InstId, truth: bool, value: InstId) -> Option<Interval> {
        if self.arms == MAX_ARM_DEPTH {
            return self.interval(value);
        }
        let before = self.facts.len();
        // What is known holds for both arms, but what becomes known here does not.
        let known = std::mem::take(&mut self.known);
        self.assume(cond, truth);
        self.arms += 1;
        let interval = self.interval(value);
        self.arms -= 1;
        self.facts.truncate(before);
        self.known = known;
        interval
    }

    fn hull(&mut self, left: Interval, right: Interval) -> Option<Interval> {
        let min = self.terms.min(left.min, right.min)?;
        Some(Interval { min, max: self.terms.max(left.max, right.max)? })
    }

    /// The bounds of the value of a `for`, which is empty if it runs no iteration.
    fn counter(&mut self, [start, end, step]: [InstId; 3], inclusive: bool) -> Option<Interval> {
        let step = self.number(step);
        let (start, end) = (self.interval(start)?, self.interval(end)?);
        let last = self.terms.plus(end.max, -i128::from(!inclusive))?;
        let max = match step {
            Some(step) if step > 1 && start.min == start.max && end.min == end.max => {
                let distance = self.terms.sub(last, start.min)?;
                let rounds = self.terms.div(distance, step)?;
                let step = self.terms.constant(step)?;
                let distance = self.terms.mul(rounds, step)?;
                self.terms.add(start.min, distance)?
            }
            _ => last,
        };
        Some(Interval { min: start.min, max })
    }

    fn binary(&mut self, op: BinaryOp, lhs: InstId, rhs: InstId) -> Option<Interval> {
        match op {
            BinaryOp::Add => {
                let (left, right) = (self.interval(lhs)?, self.interval(rhs)?);
                let min = self.terms.add(left.min, right.min)?;
                Some(Interval { min, max: self.terms.add(left.max, right.max)? })
            }
            BinaryOp::Sub => {
                let (left, right) = (self.interval(lhs)?, self.interval(rhs)?);
                let min = self.terms.sub(left.min, right.max)?;
                Some(Interval { min, max: self.terms.sub(left.max, right.min)? })
            }
            BinaryOp::Mul => {
                let (left, right) = (self.interval(lhs)?, self.interval(rhs)?);
                self.product(left, right)
            }
            BinaryOp::Shl => {
                let amount = self.number(rhs).filter(|amount| (0..=31).contains(amount))?;
                let left = self.interval(lhs)?;
                let factor = self.constants(Range::new(1 << amount, 1 << amount))?;
                self.product(left, factor)
            }
            BinaryOp::Shr => {
                let amount = self.number(rhs).filter(|amount| (0..=31).contains(amount))?;
                self.quotient(lhs, 1 << amount)
            }
            BinaryOp::Div => {
                let divisor = self.number(rhs).filter(|&divisor| divisor > 0)?;
                self.quotient(lhs, divisor)
            }
            BinaryOp::Rem => {
                self.limits(lhs).filter(|limits| limits.min == 0)?;
                let min = self.terms.constant(0)?;
                let divisor = self.interval(rhs)?.max;
                Some(Interval { min, max: self.terms.plus(divisor, -1)? })
            }
            BinaryOp::And => {
                let mask = self.number(lhs).or_else(|| self.number(rhs))?;
                (mask >= 0).then(|| self.constants(Range::new(0, mask)))?
            }
            BinaryOp::Min => {
                let (left, right) = (self.interval(lhs), self.interval(rhs));
                let (Some(left), Some(right)) = (left, right) else {
                    // The smaller of two unsigned numbers, one of which may be any.
                    self.limits(lhs).filter(|limits| limits.min == 0)?;
                    let min = self.terms.constant(0)?;
                    return Some(Interval { min, max: left.or(right)?.max });
                };
                let min = self.terms.min(left.min, right.min)?;
                Some(Interval { min, max: self.terms.min(left.max, right.max)? })
            }
            BinaryOp::Max => {
                let (left, right) = (self.interval(lhs)?, self.interval(rhs)?);
                let min = self.terms.max(left.min, right.min)?;
                Some(Interval { min, max: self.terms.max(left.max, right.max)? })
            }
            BinaryOp::Or | BinaryOp::Xor | BinaryOp::MulHigh | BinaryOp::RotateLeft => None,
        }
    }

    /// The bounds of a product, no factor of which is negative.
    fn product(&mut self, left: Interval, right: Interval) -> Option<Interval> {
        let is_natural = |of: Interval| self.terms.range(of.min).min >= 0;
        if !is_natural(left) || !is_natural(right) {
            return None;
        }
        Some(Interval {
            min: self.factors(left.min, right.min)?,
            max: self.factors(left.max, right.max)?,
        })
    }

    fn factors(&mut self, lhs: TermId, rhs: TermId) -> Option<TermId> {
        let most = |id| self.terms.range(id).max;
        if most(lhs)
            .checked_mul(most(rhs))
            .is_some_and(|product| product <= MAX_FACTOR * MAX_FACTOR)
        {
            return self.terms.mul(lhs, rhs);
        }
        let lhs = self.within(lhs, Range::new(i128::MIN, MAX_FACTOR))?;
        let rhs = self.within(rhs, Range::new(i128::MIN, MAX_FACTOR))?;
        self.terms.mul(lhs, rhs)
    }

    fn quotient(&mut self, lhs: InstId, divisor: i128) -> Option<Interval> {
        let Interval { min, max } = self.interval(lhs)?;
        if self.terms.range(min).min < 0 {
            return None;
        }
        let min = self.terms.div(min, divisor)?;
        Some(Interval { min, max: self.terms.div(max, divisor)? })
    }

    /// The bounds of `id`, narrowed to what conditions say.
    ///
    /// Bounds that are one number are exact where the check runs, and stay, but for arms of
    /// `select`s: their conditions may hold for other numbers only.
    fn narrowed(&mut self, id: InstId, computed: Option<Interval>) -> Option<Interval> {
        let Some(limits) = self.limits(id) else { return computed };
        let is_exact =
            computed.is_some_and(|of| self.terms.base(of.min) == self.terms.base(of.max));
        let mut min = computed.map(|of| of.min);
        if min.is_none() && limits.min == 0 {
            min = self.terms.constant(0);
        }
        let mut max = computed.map(|of| of.max);
        let value = self.narrowest(id);
        for number in if is_exact { self.facts_around } else { 0 }..self.facts.len() {
            let Fact { op, lhs, rhs } = self.facts[number];
            let (op, other, offset) = if let Some(offset) = self.offset_to(value, lhs) {
                (op, rhs, offset)
            } else if let Some(offset) = self.offset_to(value, rhs) {
                (swapped(op), lhs, offset)
            } else {
                continue;
            };
            let narrows = self.narrow(op, other, offset, limits, [&mut min, &mut max]);
            self.is_guarded |= narrows && number < self.facts_around;
        }
        Some(Interval { min: min?, max: max? })
    }

    /// Returns what is to be added to `side` of a comparison for `value`, if `side` is the value minus
    /// a constant, or a counter plus one. Only an unsigned difference may have wrapped.
    ///
    /// Of other values, such a bound is rarely the one that is needed, and takes longer to compute.
    fn offset_to(&self, value: InstId, side: InstId) -> Option<i128> {
        if side == value {
            return Some(0);
        }
        let Op::Binary { op, lhs, rhs } = *self.op(side) else { return None };
        let constant = self.number(rhs).filter(|_| self.narrowest(lhs) == value)?;
        let is_exact = self.around.ranges.is_exact(side);
        match op {
            BinaryOp::Sub if is_exact || self.limits(side)?.min == 0 => Some(constant),
            BinaryOp::Add if is_exact && self.is_counter(value) => Some(-constant),
            _ => None,
        }
    }

    /// True for the value of a `for`, in 32 or 64 bits.
    fn is_counter(&self, mut id: InstId) -> bool {
        while let Op::Cast { value } = *self.op(id) {
            id = value;
        }
        matches!(self.op(id), Op::For { .. })
    }

    /// Narrows the bounds of a value by what it compares to, once `offset` was subtracted from it.
    /// Returns true if it does.
    fn narrow(
        &mut self,
        op: CompareOp,
        other: InstId,
        offset: i128,
        limits: Range,
        [min, max]: [&mut Option<TermId>; 2],
    ) -> bool {
        let Some(other) = self.interval(other) else { return false };
        let below = match op {
            CompareOp::Lt => self.terms.plus(other.max, offset - 1),
            CompareOp::Le | CompareOp::Eq => self.terms.plus(other.max, offset),
            CompareOp::Gt | CompareOp::Ge | CompareOp::Ne => None,
        };
        // Where the difference has wrapped, the value is less than the offset, which is not above
        // this bound.
        if let Some(below) = below {
            *max = match *max {
                Some(known) => self.terms.min(known, below),
                None => Some(below),
            };
        }
        let is_least = self.terms.range(other.max) == Range::new(limits.min, limits.min);
        let above = match op {
            CompareOp::Gt => self.terms.plus(other.min, 1),
            CompareOp::Ge | CompareOp::Eq => Some(other.min),
            CompareOp::Ne if is_least => self.terms.plus(other.max, 1),
            CompareOp::Lt | CompareOp::Le | CompareOp::Ne => None,
        };
        let above = above.filter(|_| offset == 0);
        if let Some(above) = above {
            *min = match *min {
                Some(known) => self.terms.max(known, above),
                None => Some(above),
            };
        }
        below.or(above).is_some()
    }
}

/// The comparison with its sides swapped.
const fn swapped(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Lt => CompareOp::Gt,
        CompareOp::Le => CompareOp::Ge,
        CompareOp::Gt => CompareOp::Lt,
        CompareOp::Ge => CompareOp::Le,
        CompareOp::Eq | CompareOp::Ne => op,
    }
}
