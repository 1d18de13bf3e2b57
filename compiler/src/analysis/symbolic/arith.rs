//! Arithmetic on what is known.
//!
//! Sums, differences and products are those of sums of symbols. What is a number in each thread is computed thread
//! by thread. For what looks at single bits, see [`super::bits`].
use super::{
    super::range::Range,
    known::{Fit, Int, Known, limits, scalar},
    truth::Truth,
};
use super::{Factors, Run, Threads, Value};
use crate::ir::{BinaryOp, InstId, Scalar, UnaryOp, evaluate};
use std::rc::Rc;

impl Run<'_> {
    pub(super) fn unary(
        &mut self,
        id: InstId,
        op: UnaryOp,
        value: InstId,
        active: &Threads,
    ) -> Known {
        let known = self.known(value);
        let computed = match (op, &known, scalar(self.kernel.insts[id].ty)) {
            (UnaryOp::Not, Known::Truth(truth), _) => return truth.not(&self.all).into(),
            (UnaryOp::Neg, Known::Int(int), Some(scalar)) => {
                let value = int.value.scaled(&Factors::Same(-1));
                value.and_then(|value| self.int(value, scalar, self.range_of(id), int.assumed))
            }
            // The sum of `x` and `!x` has all bits set, and is -1 up to what wraps.
            (UnaryOp::Not, Known::Int(int), Some(scalar)) => {
                let value = Value::from(-1).minus(&int.value);
                value.and_then(|value| self.int(value, scalar, self.range_of(id), int.assumed))
            }
            (_, Known::Int(int), Some(scalar)) => int.value.exact().and_then(|numbers| {
                let of = |number| {
                    integer_of(scalar, evaluate::unary(op, scalar, bits_of(scalar, number))?)
                };
                self.int(numbers.map(of)?.into(), scalar, None, int.assumed)
            }),
            (_, Known::Int(_) | Known::Truth(_) | Known::Ptr(..) | Known::Opaque(..), _) => None,
        };
        match computed {
            Some(int) => Known::Int(int),
            None => {
                let spread = self.spread(&known, active);
                self.fresh(id, spread)
            }
        }
    }

    pub(super) fn binary(
        &mut self,
        id: InstId,
        op: BinaryOp,
        lhs: InstId,
        rhs: InstId,
        active: &Threads,
    ) -> Known {
        let computed = match (self.known(lhs), self.known(rhs)) {
            (Known::Truth(a), Known::Truth(b)) => return self.logic(op, &a, &b, active),
            (Known::Int(a), Known::Int(b)) => {
                let scalar = scalar(self.kernel.insts[id].ty);
                let result = scalar.and_then(|scalar| self.integers(id, op, scalar, [&a, &b]));
                match result {
                    Some(int) if int.fit < Fit::Wraps => Some(int),
                    other => {
                        let [a, b] = [&a, &b].map(|int| self.only_in(int, active));
                        let again = scalar.zip(a.zip(b));
                        let again = again
                            .and_then(|(scalar, (a, b))| self.integers(id, op, scalar, [&a, &b]));
                        again.or(other)
                    }
                }
            }
            (Known::Int(_) | Known::Truth(_) | Known::Ptr(..) | Known::Opaque(..), _) => None,
        };
        match computed {
            Some(int) => Known::Int(int),
            None => {
                let spread = self.spread_of_all([lhs, rhs], active);
                self.fresh(id, spread)
            }
        }
    }

    /// A number in each of `active`, with one of those in the other threads, which do not compute with it.
    fn only_in(&self, int: &Int, active: &Threads) -> Option<Int> {
        let numbers = int.value.exact().filter(|_| int.fit == Fit::Proved)?;
        let anyone = Factors::Same(numbers.at(active.iter().next()?));
        let value = numbers.select(&anyone, active, self.count);
        Some(Int { value: Rc::new(value.into()), ..int.clone() })
    }

    fn logic(&self, op: BinaryOp, a: &Truth, b: &Truth, active: &Threads) -> Known {
        match op {
            BinaryOp::And => a.and(b, &self.all).into(),
            BinaryOp::Or => a.or(b, &self.all).into(),
            BinaryOp::Xor => a.xor(b, &self.all).into(),
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::Min
            | BinaryOp::Max
            | BinaryOp::MulHigh
            | BinaryOp::RotateLeft => {
                self.same_truth(a.spread(active).max(b.spread(active))).into()
            }
        }
    }

    fn integers(&mut self, id: InstId, op: BinaryOp, scalar: Scalar, of: [&Int; 2]) -> Option<Int> {
        let [a, b] = of;
        let assumed = a.assumed || b.assumed;
        let range = self.range_of(id);
        if let (Some(x), Some(y)) = (a.value.exact(), b.value.exact()) {
            return self.both_exact(op, scalar, [x, y], assumed);
        }
        let ring = |value: Option<Value>| self.int(value?, scalar, range, assumed);
        let by =
            || b.value.exact().and_then(|factors| factors.same()).filter(|_| b.fit == Fit::Proved);
        match op {
            BinaryOp::Add => ring(a.value.plus(&b.value)),
            BinaryOp::Sub => ring(a.value.minus(&b.value)),
            BinaryOp::Mul => ring(a.value.times(&b.value)),
            BinaryOp::Shl => {
                let bits = i64::from(scalar.bits()?);
                let by = 1_i64.checked_shl(u32::try_from(by()?.rem_euclid(bits)).ok()?)?;
                ring(a.value.scaled(&Factors::Same(by)))
            }
            BinaryOp::Div | BinaryOp::Rem if by().is_none() && self.is_below(a, b) => {
                let value = if op == BinaryOp::Div { 0.into() } else { (*a.value).clone() };
                self.int(value, scalar, range, assumed)
            }
            BinaryOp::Div => {
                let ((value, assumed_value), by) = (a.needed()?, by()?);
                if by <= 0 || !self.is_nonnegative(value) {
                    return None;
                }
                let (quotient, _) = self.divided(value, by)?;
                self.int(quotient, scalar, range, assumed || assumed_value)
            }
            BinaryOp::Rem => {
                let by = by()?;
                if by > 0 && by.count_ones() == 1 && scalar.is_unsigned() {
                    return self.low(a, by, scalar, assumed);
                }
                let (value, assumed_value) = a.needed()?;
                if by <= 0 || !self.is_nonnegative(value) {
                    return None;
                }
                let (_, rest) = self.divided(value, by)?;
                self.int(rest, scalar, range, assumed || assumed_value)
            }
            BinaryOp::Shr => {
                let (value, assumed_value) = a.needed()?;
                let bits = i64::from(scalar.bits()?);
                let by = 1_i64.checked_shl(u32::try_from(by()?.rem_euclid(bits)).ok()?)?;
                if by <= 0 {
                    return None;
                }
                let (quotient, _) = self.divided(value, by)?;
                self.int(quotient, scalar, range, assumed || assumed_value)
            }
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => self.bits(op, scalar, of, assumed),
            BinaryOp::Min | BinaryOp::Max => self.ordered(op, of),
            BinaryOp::MulHigh | BinaryOp::RotateLeft => None,
        }
    }

    /// Whether `value` is not negative, in any active thread.
    pub(super) fn is_nonnegative(&self, value: &Value) -> bool {
        let nonnegative = |value: &Value| self.range(value).is_some_and(|range| range.min >= 0);
        nonnegative(value)
            || self
                .facts
                .iter()
                .any(|fact| value.minus(fact).is_some_and(|rest| nonnegative(&rest)))
    }

    /// True if `a` is not negative and less than `b`, in all threads.
    fn is_below(&self, a: &Int, b: &Int) -> bool {
        let (Some((a, false)), Some((b, false))) = (a.needed(), b.needed()) else { return false };
        let difference = b.minus(a).and_then(|rest| rest.minus(&1.into()));
        self.is_nonnegative(a) && difference.is_some_and(|rest| self.is_nonnegative(&rest))
    }

    /// Both are numbers in each thread.
    fn both_exact(
        &self,
        op: BinaryOp,
        scalar: Scalar,
        [x, y]: [&Factors; 2],
        assumed: bool,
    ) -> Option<Int> {
        let quick = match op {
            BinaryOp::Add => x.plus(y),
            BinaryOp::Sub => y.times(&Factors::Same(-1)).and_then(|y| x.plus(&y)),
            BinaryOp::Mul => x.times(y),
            BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::Min
            | BinaryOp::Max
            | BinaryOp::MulHigh
            | BinaryOp::RotateLeft => None,
        };
        let limits = limits(scalar)?;
        let fits = |factors: &Factors| {
            let (min, max) = factors.limits();
            limits.contains(Range::new(min.into(), max.into()))
        };
        if let Some(numbers) = quick.filter(|numbers| fits(numbers)) {
            return Some(Int { value: Rc::new(numbers.into()), fit: Fit::Proved, assumed });
        }
        let amount = if op.is_shift() { Scalar::U32 } else { scalar };
        let numbers = if x.limits().0 >= 0 && y.limits().0 >= 0 {
            x.zip(y, |x, y| small(op, scalar, x, y))?
        } else {
            x.zip(y, |x, y| {
                integer_of(
                    scalar,
                    evaluate::binary(op, scalar, bits_of(scalar, x), bits_of(amount, y))?,
                )
            })?
        };
        self.int(numbers.into(), scalar, None, assumed)
    }

    /// The smaller or the larger, if it is known which that is.
    fn ordered(&self, op: BinaryOp, [a, b]: [&Int; 2]) -> Option<Int> {
        let ((x, assumed), (y, also)) = (a.needed()?, b.needed()?);
        if assumed || also {
            return None;
        }
        let difference = x.minus(y)?;
        let first = if let Some(numbers) = difference.exact() {
            let below = |n: i64| if op == BinaryOp::Min { n <= 0 } else { n >= 0 };
            let threads = Threads::where_true(self.count, |thread| below(numbers.at(thread)));
            let value = x.select(y, &threads, self.count)?;
            return Some(Int { value: Rc::new(value), ..a.clone() });
        } else {
            let range = self.range(&difference)?;
            match (range.max <= 0, range.min >= 0) {
                (true, _) => op == BinaryOp::Min,
                (_, true) => op == BinaryOp::Max,
                (false, false) => return None,
            }
        };
        Some(if first { a.clone() } else { b.clone() })
    }
}

/// `x op y`, neither of them negative; `None` if nothing is computed or it does not fit.
pub(super) fn small(op: BinaryOp, scalar: Scalar, x: i64, y: i64) -> Option<i64> {
    match op {
        BinaryOp::Div => x.checked_div(y),
        BinaryOp::Rem => x.checked_rem(y),
        BinaryOp::And => Some(x & y),
        BinaryOp::Or => Some(x | y),
        BinaryOp::Xor => Some(x ^ y),
        BinaryOp::Min => Some(x.min(y)),
        BinaryOp::Max => Some(x.max(y)),
        BinaryOp::Shr => Some(x >> (y % i64::from(scalar.bits()?))),
        BinaryOp::Shl
        | BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::MulHigh
        | BinaryOp::RotateLeft => {
            let amount = if op.is_shift() { Scalar::U32 } else { scalar };
            integer_of(
                scalar,
                evaluate::binary(op, scalar, bits_of(scalar, x), bits_of(amount, y))?,
            )
        }
    }
}

/// The bits of a number of type `scalar`.
fn bits_of(scalar: Scalar, number: i64) -> u64 {
    evaluate::wrap(scalar, number.into())
}

/// The number that bits of type `scalar` are; what is too large for an `i64` has wrapped once.
#[expect(clippy::unnecessary_wraps, reason = "used where a number may be missing")]
fn integer_of(scalar: Scalar, bits: u64) -> Option<i64> {
    let number = evaluate::integer(scalar, bits).and_then(|number| i64::try_from(number).ok());
    Some(number.unwrap_or_else(|| bits.cast_signed()))
}
