//! Terms: integers that are known before a loop, over values that are defined there.
//!
//! A term is a mathematical integer, and its range lies within `i64`: no instruction that computes
//! it in `i64` wraps. Operations with a larger range are refused. Equal terms have one id, and
//! constants move outward: `(x + 1) + y` is `(x + y) + 1`.
use crate::{
    analysis::range::Range,
    id::Table,
    ir::{BinaryOp, Body, CompareOp, Inst, InstId, Kernel, Op, Scalar, Span, Ty},
};
use std::collections::HashMap;

crate::id!(
    #[expect(unreachable_pub, reason = "the macro makes ids public")]
    /** A term. */
    TermId,
    "t"
);

/// The depth to which terms are compared.
const MAX_DEPTH: u32 = 5;

/// The numbers that a term may be.
const REPRESENTABLE: Range = Range::new(i64::MIN as i128, i64::MAX as i128);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Term {
    Const(i64),
    /// The value of an instruction that is defined before the loop, or may be repeated there.
    Value(InstId),
    Binary(BinaryOp, TermId, TermId),
    /// The same number, which a test has found to be in the range.
    Within(TermId, Range),
}

/// The terms of one loop.
#[derive(Default)]
pub(super) struct Terms {
    terms: Table<TermId, (Term, Range)>,
    known: HashMap<Term, TermId>,
    relations: Vec<Relation>,
}

/// A number that is at most the sum of another one and a distance, for the check that is being
/// proved.
struct Relation {
    small: TermId,
    large: TermId,
    distance: i128,
}

/// The premises of a comparison of terms.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Given {
    /// The ranges of values.
    Values,
    /// Relations that hold where the check runs, too.
    Relations,
    /// Ranges that tests have found, too.
    Tests,
}

impl Terms {
    fn make(&mut self, term: Term, range: Range) -> Option<TermId> {
        if !REPRESENTABLE.contains(range) {
            return None;
        }
        let terms = &mut self.terms;
        Some(*self.known.entry(term).or_insert_with(|| terms.push((term, range))))
    }

    /// Returns the numbers that a term may be, once the tests that it relies on have passed.
    pub(super) fn range(&self, id: TermId) -> Range {
        self.terms[id].1
    }

    /// Returns the term of a constant.
    pub(super) fn constant(&mut self, number: i128) -> Option<TermId> {
        let term = Term::Const(i64::try_from(number).ok()?);
        self.make(term, Range::new(number, number))
    }

    /// Returns the term of an instruction's value, which lies in `range`. Where that exceeds `i64`,
    /// the caller lists a test that the value does not.
    pub(super) fn value(&mut self, id: InstId, range: Range) -> Option<TermId> {
        self.make(Term::Value(id), range.intersection(REPRESENTABLE))
    }

    /// Returns the term that stands for `id` where a test has found it in `range`.
    pub(super) fn within(&mut self, id: TermId, range: Range) -> Option<TermId> {
        let left = self.range(id).intersection(range);
        if left == self.range(id) {
            return Some(id);
        }
        if left.is_empty() {
            return None;
        }
        self.make(Term::Within(id, left), left)
    }

    fn number(&self, id: TermId) -> Option<i128> {
        let Range { min, max } = self.range(id);
        (min == max).then_some(min)
    }

    /// Returns `id` as the sum of a term and a constant.
    fn split(&self, id: TermId) -> (TermId, i128) {
        if let Term::Binary(BinaryOp::Add, term, number) = self.terms[id].0
            && let Some(number) = self.number(number)
        {
            return (term, number);
        }
        (id, 0)
    }

    /// Returns `id` as the sum of a term and a constant, without the ranges that tests have found.
    pub(super) fn base(&self, mut id: TermId) -> (TermId, i128) {
        let mut offset = 0;
        loop {
            let (term, number) = self.split(id);
            offset += number;
            match self.terms[term].0 {
                Term::Within(inner, _) => id = inner,
                Term::Const(_) | Term::Value(_) | Term::Binary(..) => return (term, offset),
            }
        }
    }

    pub(super) fn plus(&mut self, id: TermId, number: i128) -> Option<TermId> {
        if let Some(known) = self.number(id) {
            return self.constant(known + number);
        }
        let (term, before) = self.split(id);
        if before + number == 0 {
            return Some(term);
        }
        let range = self.range(id);
        let range = Range::new(range.min + number, range.max + number);
        let number = self.constant(before + number)?;
        self.make(Term::Binary(BinaryOp::Add, term, number), range)
    }

    pub(super) fn add(&mut self, lhs: TermId, rhs: TermId) -> Option<TermId> {
        let ((left, before), (right, behind)) = (self.split(lhs), self.split(rhs));
        let sum = match (self.number(left), self.number(right)) {
            (_, Some(number)) => return self.plus(lhs, number + behind),
            (Some(number), _) => return self.plus(rhs, number + before),
            (None, None) => {
                let (l, r) = (self.range(left), self.range(right));
                let range = Range::new(l.min + r.min, l.max + r.max);
                self.make(Term::Binary(BinaryOp::Add, left, right), range)?
            }
        };
        self.plus(sum, before + behind)
    }

    pub(super) fn sub(&mut self, lhs: TermId, rhs: TermId) -> Option<TermId> {
        let ((left, before), (right, behind)) = (self.split(lhs), self.split(rhs));
        if left == right {
            return self.constant(before - behind);
        }
        if let Some(number) = self.number(right) {
            return self.plus(lhs, -number - behind);
        }
        if let Some(difference) = self.cancelled(left, right, MAX_DEPTH) {
            return self.plus(difference, before - behind);
        }
        let (l, r) = (self.range(left), self.range(right));
        let range = Range::new(l.min - r.max, l.max - r.min);
        let difference = self.make(Term::Binary(BinaryOp::Sub, left, right), range)?;
        self.plus(difference, before - behind)
    }

    /// Returns the difference of `lhs` and `rhs` if `rhs` is a part of `lhs`, so that it takes no
    /// subtraction.
    fn cancelled(&mut self, lhs: TermId, rhs: TermId, depth: u32) -> Option<TermId> {
        let depth = depth.checked_sub(1)?;
        let (left, right) = (self.base(lhs), self.base(rhs));
        let constant = left.1 - right.1;
        if left.0 == right.0 {
            return self.constant(constant);
        }
        let difference = match self.terms[left.0].0 {
            Term::Binary(BinaryOp::Add, a, b) if self.base(b).0 == right.0 => {
                self.plus(a, self.base(b).1)?
            }
            Term::Binary(BinaryOp::Add, a, b) if self.base(a).0 == right.0 => {
                self.plus(b, self.base(a).1)?
            }
            Term::Binary(op @ (BinaryOp::Min | BinaryOp::Max), a, b) => {
                let (a, b) =
                    (self.cancelled(a, right.0, depth)?, self.cancelled(b, right.0, depth)?);
                if op == BinaryOp::Min { self.min(a, b)? } else { self.max(a, b)? }
            }
            Term::Binary(..) | Term::Const(_) | Term::Value(_) | Term::Within(..) => return None,
        };
        self.plus(difference, constant)
    }

    /// Notes that `small` is at most the sum of `large` and `distance` where the check runs that is
    /// being proved.
    pub(super) fn relate(&mut self, small: TermId, large: TermId, distance: i128) {
        self.relations.push(Relation { small, large, distance });
    }

    /// Forgets all relations.
    pub(super) fn forget_relations(&mut self) {
        self.relations.clear();
    }

    /// True if `lhs` is at most the sum of `rhs` and `distance`, given what is `given`.
    fn is_at_most(&self, lhs: TermId, rhs: TermId, distance: i128, given: Given) -> bool {
        self.is_at_most_within(lhs, rhs, distance, given, MAX_DEPTH)
    }

    fn is_at_most_within(
        &self,
        lhs: TermId,
        rhs: TermId,
        distance: i128,
        given: Given,
        depth: u32,
    ) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        let ((left, before), (right, behind)) = (self.base(lhs), self.base(rhs));
        let distance = distance + behind - before;
        if left == right {
            return distance >= 0;
        }
        let is_related = |known: &Relation| {
            (known.small, known.large) == (left, right) && known.distance <= distance
        };
        if given != Given::Values && self.relations.iter().any(is_related) {
            return true;
        }
        // Other ranges may be known by tests.
        let has_range = |id| {
            given == Given::Tests || matches!(self.terms[id].0, Term::Const(_) | Term::Value(_))
        };
        if has_range(left)
            && has_range(right)
            && self.range(left).max <= self.range(right).min + distance
        {
            return true;
        }
        let at_most = |l, r, distance| self.is_at_most_within(l, r, distance, given, depth);
        let is_natural = |id| self.range(id).min >= 0;
        // First what decides: a maximum is at most what both of its operands are at most. Behind
        // that, one operand may do.
        match (&self.terms[left].0, &self.terms[right].0) {
            (&Term::Binary(BinaryOp::Max, a, b), _) => {
                at_most(a, right, distance) && at_most(b, right, distance)
            }
            (_, &Term::Binary(BinaryOp::Min, a, b)) => {
                at_most(left, a, distance) && at_most(left, b, distance)
            }
            (&Term::Binary(BinaryOp::Min, a, b), _)
                if at_most(a, right, distance) || at_most(b, right, distance) =>
            {
                true
            }
            (_, &Term::Binary(BinaryOp::Max, a, b)) => {
                at_most(left, a, distance) || at_most(left, b, distance)
            }
            (&Term::Binary(BinaryOp::Add, a, b), &Term::Binary(BinaryOp::Add, c, d)) => {
                let both = |c, d| {
                    at_most(a, c, distance) && at_most(b, d, 0)
                        || at_most(a, c, 0) && at_most(b, d, distance)
                };
                both(c, d) || both(d, c)
            }
            (_, &Term::Binary(BinaryOp::Add, a, b)) => {
                let without = |rest, addend| {
                    has_range(addend) && at_most(left, rest, distance + self.range(addend).min)
                };
                without(a, b) || without(b, a)
            }
            (&Term::Binary(BinaryOp::Mul, a, b), &Term::Binary(BinaryOp::Mul, c, d)) => {
                let both = |c, d| at_most(a, c, 0) && at_most(b, d, 0);
                distance >= 0
                    && [a, b, c, d].into_iter().all(is_natural)
                    && (both(c, d) || both(d, c))
            }
            _ => false,
        }
    }

    pub(super) fn mul(&mut self, lhs: TermId, rhs: TermId) -> Option<TermId> {
        match (self.number(lhs), self.number(rhs)) {
            (Some(left), Some(right)) => return self.constant(left.checked_mul(right)?),
            (Some(0), _) | (_, Some(0)) => return self.constant(0),
            (Some(1), _) => return Some(rhs),
            (_, Some(1)) => return Some(lhs),
            _ => {}
        }
        let (l, r) = (self.range(lhs), self.range(rhs));
        let range = l.checked_mul(r)?;
        self.make(Term::Binary(BinaryOp::Mul, lhs, rhs), range)
    }

    /// Returns the quotient of a non-negative term and a positive constant. For a negative term the
    /// result is some number that is not positive.
    pub(super) fn div(&mut self, lhs: TermId, divisor: i128) -> Option<TermId> {
        if let Some(number) = self.number(lhs) {
            return self.constant(number.div_euclid(divisor));
        }
        if divisor == 1 {
            return Some(lhs);
        }
        let Range { min, max } = self.range(lhs);
        let range = Range::new(min.div_euclid(divisor), max / divisor);
        let shift = u64::try_from(divisor).ok().filter(|divisor| divisor.is_power_of_two());
        let (op, rhs) = match shift {
            Some(divisor) => (BinaryOp::Shr, self.constant(divisor.trailing_zeros().into())?),
            None => (BinaryOp::Div, self.constant(divisor)?),
        };
        self.make(Term::Binary(op, lhs, rhs), range)
    }

    pub(super) fn min(&mut self, lhs: TermId, rhs: TermId) -> Option<TermId> {
        let (l, r) = (self.range(lhs), self.range(rhs));
        if l.max <= r.min || self.is_at_most(lhs, rhs, 0, Given::Tests) {
            return Some(lhs);
        }
        if r.max <= l.min || self.is_at_most(rhs, lhs, 0, Given::Tests) {
            return Some(rhs);
        }
        let range = Range::new(l.min.min(r.min), l.max.min(r.max));
        self.make(Term::Binary(BinaryOp::Min, lhs, rhs), range)
    }

    pub(super) fn max(&mut self, lhs: TermId, rhs: TermId) -> Option<TermId> {
        let (l, r) = (self.range(lhs), self.range(rhs));
        if l.min >= r.max || self.is_at_most(rhs, lhs, 0, Given::Tests) {
            return Some(lhs);
        }
        if r.min >= l.max || self.is_at_most(lhs, rhs, 0, Given::Tests) {
            return Some(rhs);
        }
        let range = Range::new(l.min.max(r.min), l.max.max(r.max));
        self.make(Term::Binary(BinaryOp::Max, lhs, rhs), range)
    }
}

/// A comparison that has to be true before the loop.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Test {
    AtLeast(TermId, i128),
    AtMost(TermId, i128),
    /// One term is less than another.
    Less(TermId, TermId),
    /// A term, which is not negative, is less than the value of an instruction of type `u64`.
    Below(TermId, InstId),
}

impl Test {
    /// True if this test implies `other`, which it may stand for. `Below` and `Less` may do so by
    /// what is `given`.
    ///
    /// Larger terms rely on a term being in its range: without that test, they may wrap, and so may
    /// not imply it. Values are compared in their own type and rely on nothing.
    pub(super) fn implies(self, other: Self, terms: &Terms, given: Given) -> bool {
        let is_at_most = |l, r, distance| terms.is_at_most(l, r, distance, given);
        let relies_on_nothing = |by, on| {
            let ((by, _), (on, _)) = (terms.base(by), terms.base(on));
            by == on || matches!(terms.terms[by].0, Term::Value(_))
        };
        let is_range = |l, r, distance| terms.is_at_most(l, r, distance, Given::Values);
        match (self, other) {
            (Self::AtLeast(left, l), Self::AtLeast(right, r)) => {
                relies_on_nothing(left, right) && is_range(left, right, l - r)
            }
            (Self::AtMost(left, l), Self::AtMost(right, r)) => {
                relies_on_nothing(left, right) && is_range(right, left, r - l)
            }
            (Self::Less(left, l), Self::Less(right, r)) => l == r && is_at_most(right, left, 0),
            (Self::Below(left, l), Self::Below(right, r)) => l == r && is_at_most(right, left, 0),
            _ => false,
        }
    }
}

/// Emitter of the guard before a loop.
pub(super) struct Emitter<'k> {
    pub(super) kernel: &'k mut Kernel,
    pub(super) terms: &'k Terms,
    /// Values of instructions with lower ids are visible.
    pub(super) before: InstId,
    pub(super) span: Span,
    /// The instructions, in order.
    pub(super) list: Vec<InstId>,
    made: HashMap<TermId, InstId>,
    repeated: HashMap<InstId, InstId>,
}

const WIDE: Ty = Ty::Scalar(Scalar::I64);

impl<'k> Emitter<'k> {
    pub(super) fn new(kernel: &'k mut Kernel, terms: &'k Terms, before: InstId) -> Self {
        let span = kernel.insts[before].span;
        let (list, made, repeated) = (Vec::new(), HashMap::new(), HashMap::new());
        Self { kernel, terms, before, span, list, made, repeated }
    }

    fn push(&mut self, op: Op, ty: impl Into<Ty>) -> InstId {
        let id = self.kernel.insts.push(Inst { op, ty: ty.into(), span: self.span });
        self.list.push(id);
        id
    }

    /// Returns an instruction before the loop with the value of `id`.
    fn value(&mut self, id: InstId) -> InstId {
        if id < self.before {
            return id;
        }
        if let Some(&repeated) = self.repeated.get(&id) {
            return repeated;
        }
        let Inst { op, ty, .. } = self.kernel.insts[id].clone();
        let repeated = self.push(op, ty);
        self.repeated.insert(id, repeated);
        repeated
    }

    fn constant(&mut self, number: i128, scalar: Scalar) -> InstId {
        self.push(Op::Const(crate::ir::evaluate::wrap(scalar, number)), scalar)
    }

    fn term(&mut self, id: TermId) -> InstId {
        if let Some(&made) = self.made.get(&id) {
            return made;
        }
        let made = match self.terms.terms[id].0 {
            Term::Const(number) => self.constant(number.into(), Scalar::I64),
            Term::Within(term, _) => self.term(term),
            Term::Value(value) => {
                let value = self.value(value);
                match self.kernel.insts[value].ty {
                    WIDE => value,
                    _ => self.push(Op::Cast { value }, WIDE),
                }
            }
            Term::Binary(BinaryOp::Shr, lhs, amount) => {
                let lhs = self.term(lhs);
                let amount = self.terms.number(amount).expect("shifts are by constants");
                let rhs = self.constant(amount, Scalar::U32);
                self.push(Op::Binary { op: BinaryOp::Shr, lhs, rhs }, WIDE)
            }
            Term::Binary(op, lhs, rhs) => {
                let (lhs, rhs) = (self.term(lhs), self.term(rhs));
                self.push(Op::Binary { op, lhs, rhs }, WIDE)
            }
        };
        self.made.insert(id, made);
        made
    }

    fn compare(&mut self, op: CompareOp, lhs: InstId, rhs: InstId) -> InstId {
        self.push(Op::Compare { op, lhs, rhs }, Scalar::Bool)
    }

    /// Compares a term with a constant. A value is compared in its own type, so that range analysis
    /// narrows it in the first version, and sums and products of it do not wrap there.
    fn compare_with(&mut self, op: CompareOp, id: TermId, number: i128) -> InstId {
        if let Term::Value(value) = self.terms.terms[id].0 {
            let lhs = self.value(value);
            if let Ty::Scalar(scalar) = self.kernel.insts[lhs].ty
                && let Some((min, max)) = crate::ir::evaluate::limits(scalar)
                && Range::new(min, max).contains(Range::new(number, number))
            {
                let rhs = self.constant(number, scalar);
                return self.compare(op, lhs, rhs);
            }
        }
        let lhs = self.term(id);
        let rhs = self.constant(number, Scalar::I64);
        self.compare(op, lhs, rhs)
    }

    /// Returns a `bool` that is true if `test` holds.
    fn test(&mut self, test: Test) -> InstId {
        match test {
            Test::AtLeast(term, least) => self.compare_with(CompareOp::Ge, term, least),
            Test::AtMost(term, most) => self.compare_with(CompareOp::Le, term, most),
            Test::Less(lhs, rhs) => {
                let (lhs, rhs) = (self.term(lhs), self.term(rhs));
                self.compare(CompareOp::Lt, lhs, rhs)
            }
            Test::Below(term, len) => {
                let lhs = match self.terms.number(term).filter(|&number| number >= 0) {
                    Some(number) => self.constant(number, Scalar::U64),
                    None => {
                        let value = self.term(term);
                        self.push(Op::Cast { value }, Scalar::U64)
                    }
                };
                let rhs = self.value(len);
                self.compare(CompareOp::Lt, lhs, rhs)
            }
        }
    }

    /// Returns a `bool` that is true if all `tests` hold.
    pub(super) fn all(&mut self, tests: &[Test]) -> InstId {
        let mut all = None;
        for &test in tests {
            let holds = self.test(test);
            all = Some(match all {
                Some(lhs) => {
                    self.push(Op::Binary { op: BinaryOp::And, lhs, rhs: holds }, Scalar::Bool)
                }
                None => holds,
            });
        }
        all.unwrap_or_else(|| self.push(Op::Const(1), Scalar::Bool))
    }

    /// Returns the instructions that were made.
    pub(super) fn finish(self) -> Body {
        Body(self.list)
    }
}
