//! Arithmetic on abstract values.
//!
//! Sums, differences and products are computed on sums of symbols; values that are numbers in every
//! thread, thread by thread. Operations on single bits: [`super::bits`].
use super::{
    super::range::Range,
    abstract_bool::AbstractBool,
    abstract_value::{AbstractInt, AbstractValue, Fit, scalar_type, type_limits},
};
use super::{Executor, PerThread, SymbolicSum, ThreadSet};
use crate::ir::{BinaryOp, InstId, Scalar, UnaryOp, evaluate};
use std::rc::Rc;

impl Executor<'_> {
    pub(super) fn eval_unary(
        &mut self,
        id: InstId,
        op: UnaryOp,
        value: InstId,
        active: &ThreadSet,
    ) -> AbstractValue {
        let known = self.last_value(value);
        let computed = match (op, &known, scalar_type(self.kernel.insts[id].ty)) {
            (UnaryOp::Not, AbstractValue::Bool(truth), _) => return truth.not(&self.all).into(),
            (UnaryOp::Neg, AbstractValue::Int(int), Some(scalar)) => {
                let value = int.value.checked_scale(&PerThread::Uniform(-1));
                value.and_then(|value| {
                    self.typed_int(value, scalar, self.result_range(id), int.assumed)
                })
            }
            // The sum of `x` and `!x` has all bits set, and is -1 up to what wraps.
            (UnaryOp::Not, AbstractValue::Int(int), Some(scalar)) => {
                let value = SymbolicSum::from(-1).checked_sub(&int.value);
                value.and_then(|value| {
                    self.typed_int(value, scalar, self.result_range(id), int.assumed)
                })
            }
            (_, AbstractValue::Int(int), Some(scalar)) => {
                int.value.as_numbers().and_then(|numbers| {
                    let of = |number| {
                        let bits = evaluate::unary(op, scalar, bits_of(scalar, number))?;
                        Some(int_from_bits(scalar, bits))
                    };
                    self.typed_int(numbers.try_map(of)?.into(), scalar, None, int.assumed)
                })
            }
            (
                _,
                AbstractValue::Int(_)
                | AbstractValue::Bool(_)
                | AbstractValue::Ptr(..)
                | AbstractValue::Opaque(..),
                _,
            ) => None,
        };
        match computed {
            Some(int) => AbstractValue::Int(int),
            None => {
                let spread = self.spread_in(&known, active);
                self.new_unknown(id, spread)
            }
        }
    }

    pub(super) fn eval_binary(
        &mut self,
        id: InstId,
        op: BinaryOp,
        lhs: InstId,
        rhs: InstId,
        active: &ThreadSet,
    ) -> AbstractValue {
        let computed = match (self.last_value(lhs), self.last_value(rhs)) {
            (AbstractValue::Bool(a), AbstractValue::Bool(b)) => {
                return self.eval_logic(op, &a, &b, active);
            }
            (AbstractValue::Int(a), AbstractValue::Int(b)) => scalar_type(self.kernel.insts[id].ty)
                .and_then(|scalar| self.eval_ints(id, op, scalar, [&a, &b], active)),
            (
                AbstractValue::Int(_)
                | AbstractValue::Bool(_)
                | AbstractValue::Ptr(..)
                | AbstractValue::Opaque(..),
                _,
            ) => None,
        };
        match computed {
            Some(int) => AbstractValue::Int(int),
            None => {
                let spread = self.spread_of_operands([lhs, rhs], active);
                self.new_unknown(id, spread)
            }
        }
    }

    /// Computes an operation on integers. If the result may wrap in some thread, tries again with
    /// the numbers of the active threads alone: the others do not compute it.
    fn eval_ints(
        &mut self,
        id: InstId,
        op: BinaryOp,
        scalar: Scalar,
        operands: [&AbstractInt; 2],
        active: &ThreadSet,
    ) -> Option<AbstractInt> {
        let of_all = self.eval_int_binary(id, op, scalar, operands);
        if of_all.as_ref().is_some_and(|int| int.fit < Fit::Wraps) {
            return of_all;
        }
        let [Some(a), Some(b)] = operands.map(|int| self.restrict_to(int, active)) else {
            return of_all;
        };
        self.eval_int_binary(id, op, scalar, [&a, &b]).or(of_all)
    }

    /// Returns a number for each thread of `active`. The other threads do not compute with it and
    /// get the number of an active one.
    fn restrict_to(&self, int: &AbstractInt, active: &ThreadSet) -> Option<AbstractInt> {
        let numbers = int.value.as_numbers().filter(|_| int.fit == Fit::Proved)?;
        let anyone = PerThread::Uniform(numbers.number_in(active.iter().next()?));
        let value = numbers.select(&anyone, active, self.thread_count);
        Some(AbstractInt { value: Rc::new(value.into()), ..int.clone() })
    }

    fn eval_logic(
        &self,
        op: BinaryOp,
        a: &AbstractBool,
        b: &AbstractBool,
        active: &ThreadSet,
    ) -> AbstractValue {
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
                self.unknown_bool(a.spread(active).max(b.spread(active))).into()
            }
        }
    }

    fn eval_int_binary(
        &mut self,
        id: InstId,
        op: BinaryOp,
        scalar: Scalar,
        of: [&AbstractInt; 2],
    ) -> Option<AbstractInt> {
        let [a, b] = of;
        let assumed = a.assumed || b.assumed;
        let range = self.result_range(id);
        // Numbers in every thread are computed exactly. The rules below are for symbols.
        if let (Some(x), Some(y)) = (a.value.as_numbers(), b.value.as_numbers()) {
            return self.fold_numbers(op, scalar, [x, y], assumed);
        }
        let ring = |value: Option<SymbolicSum>| self.typed_int(value?, scalar, range, assumed);
        let by = || {
            b.value
                .as_numbers()
                .and_then(|factors| factors.as_uniform())
                .filter(|_| b.fit == Fit::Proved)
        };
        match op {
            BinaryOp::Add => ring(a.value.checked_add(&b.value)),
            BinaryOp::Sub => ring(a.value.checked_sub(&b.value)),
            BinaryOp::Mul => ring(a.value.checked_mul(&b.value)),
            BinaryOp::Shl => {
                let bits = i64::from(scalar.bits()?);
                let by = 1_i64.checked_shl(u32::try_from(by()?.rem_euclid(bits)).ok()?)?;
                ring(a.value.checked_scale(&PerThread::Uniform(by)))
            }
            BinaryOp::Div | BinaryOp::Rem if by().is_none() && self.is_below(a, b) => {
                let value = if op == BinaryOp::Div { 0.into() } else { (*a.value).clone() };
                self.typed_int(value, scalar, range, assumed)
            }
            BinaryOp::Div => {
                let ((value, assumed_value), by) = (a.unwrapped()?, by()?);
                if by <= 0 || !self.is_nonnegative(value) {
                    return None;
                }
                let (quotient, _) = self.div_rem(value, by)?;
                self.typed_int(quotient, scalar, range, assumed || assumed_value)
            }
            BinaryOp::Rem => {
                let by = by()?;
                if by > 0 && by.count_ones() == 1 && scalar.is_unsigned() {
                    return self.low_bits(a, by, scalar, assumed);
                }
                let (value, assumed_value) = a.unwrapped()?;
                if by <= 0 || !self.is_nonnegative(value) {
                    return None;
                }
                let (_, rest) = self.div_rem(value, by)?;
                self.typed_int(rest, scalar, range, assumed || assumed_value)
            }
            BinaryOp::Shr => {
                let (value, assumed_value) = a.unwrapped()?;
                let bits = i64::from(scalar.bits()?);
                let by = 1_i64.checked_shl(u32::try_from(by()?.rem_euclid(bits)).ok()?)?;
                if by <= 0 {
                    return None;
                }
                let (quotient, _) = self.div_rem(value, by)?;
                self.typed_int(quotient, scalar, range, assumed || assumed_value)
            }
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                self.eval_bitwise(op, scalar, of, assumed)
            }
            BinaryOp::Min | BinaryOp::Max => self.min_or_max(op, of),
            BinaryOp::MulHigh | BinaryOp::RotateLeft => None,
        }
    }

    /// Returns true if `value` is negative in no active thread.
    pub(super) fn is_nonnegative(&self, value: &SymbolicSum) -> bool {
        let nonnegative =
            |value: &SymbolicSum| self.sum_range(value).is_some_and(|range| range.min >= 0);
        nonnegative(value)
            || self
                .nonnegative
                .iter()
                .any(|fact| value.checked_sub(fact).is_some_and(|rest| nonnegative(&rest)))
    }

    /// Returns true if `a` is not negative and less than `b`, in all threads.
    fn is_below(&self, a: &AbstractInt, b: &AbstractInt) -> bool {
        let (Some((a, false)), Some((b, false))) = (a.unwrapped(), b.unwrapped()) else {
            return false;
        };
        let difference = b.checked_sub(a).and_then(|rest| rest.checked_sub(&1.into()));
        self.is_nonnegative(a) && difference.is_some_and(|rest| self.is_nonnegative(&rest))
    }

    /// Computes an operation on operands that are numbers in each thread.
    fn fold_numbers(
        &self,
        op: BinaryOp,
        scalar: Scalar,
        [x, y]: [&PerThread; 2],
        assumed: bool,
    ) -> Option<AbstractInt> {
        let quick = match op {
            BinaryOp::Add => x.checked_add(y),
            BinaryOp::Sub => y.checked_mul(&PerThread::Uniform(-1)).and_then(|y| x.checked_add(&y)),
            BinaryOp::Mul => x.checked_mul(y),
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
        let limits = type_limits(scalar)?;
        let fits = |factors: &PerThread| {
            let (min, max) = factors.limits();
            limits.contains(Range::new(min.into(), max.into()))
        };
        if let Some(numbers) = quick.filter(|numbers| fits(numbers)) {
            return Some(AbstractInt { value: Rc::new(numbers.into()), fit: Fit::Proved, assumed });
        }
        let numbers = if x.limits().0 >= 0 && y.limits().0 >= 0 {
            x.try_zip(y, |x, y| fold_nonnegative(op, scalar, x, y))?
        } else {
            x.try_zip(y, |x, y| fold(op, scalar, x, y))?
        };
        self.typed_int(numbers.into(), scalar, None, assumed)
    }

    /// Returns the smaller or the larger operand, if their order is known.
    fn min_or_max(&self, op: BinaryOp, [a, b]: [&AbstractInt; 2]) -> Option<AbstractInt> {
        let ((x, x_assumed), (y, y_assumed)) = (a.unwrapped()?, b.unwrapped()?);
        if x_assumed || y_assumed {
            return None;
        }
        let difference = x.checked_sub(y)?;
        let first = if let Some(numbers) = difference.as_numbers() {
            let below = |n: i64| if op == BinaryOp::Min { n <= 0 } else { n >= 0 };
            let threads =
                ThreadSet::from_fn(self.thread_count, |thread| below(numbers.number_in(thread)));
            let value = x.select(y, &threads, self.thread_count)?;
            return Some(AbstractInt { value: Rc::new(value), ..a.clone() });
        } else {
            let range = self.sum_range(&difference)?;
            match (range.max <= 0, range.min >= 0) {
                (true, _) => op == BinaryOp::Min,
                (_, true) => op == BinaryOp::Max,
                (false, false) => return None,
            }
        };
        Some(if first { a.clone() } else { b.clone() })
    }
}

/// Returns `x op y` of two numbers that are not negative; `None` for an operation that is not
/// computed, or if the result does not fit.
pub(super) fn fold_nonnegative(op: BinaryOp, scalar: Scalar, x: i64, y: i64) -> Option<i64> {
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
        | BinaryOp::RotateLeft => fold(op, scalar, x, y),
    }
}

/// Returns `x op y`; `None` for a division by zero and the like.
fn fold(op: BinaryOp, scalar: Scalar, x: i64, y: i64) -> Option<i64> {
    let rhs = if op.is_shift() { Scalar::U32 } else { scalar };
    let bits = evaluate::binary(op, scalar, bits_of(scalar, x), bits_of(rhs, y))?;
    Some(int_from_bits(scalar, bits))
}

/// Returns the bits of `number` as a value of type `scalar`.
fn bits_of(scalar: Scalar, number: i64) -> u64 {
    evaluate::wrap(scalar, number.into())
}

/// Returns the number that `bits` of type `scalar` stand for; one too large for an `i64` is reduced
/// modulo 2^64.
fn int_from_bits(scalar: Scalar, bits: u64) -> i64 {
    let number = evaluate::integer(scalar, bits).and_then(|number| i64::try_from(number).ok());
    number.unwrap_or_else(|| bits.cast_signed())
}
