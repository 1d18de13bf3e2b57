//! Division, shifts and masks of sums of symbols.
//!
//! A sum is divided, shifted or masked term by term. The symbols' share must be a multiple of the
//! divisor, or lie within one multiple, so that it carries nothing into the threads' own numbers.
use super::{
    Executor, PerThread, SymbolicSum, abstract_value::AbstractInt, arith::fold_nonnegative,
    per_thread::Affine,
};
use crate::ir::{BinaryOp, Scalar};

impl Executor<'_> {
    /// Returns `value / by` and `value % by`, rounded down; `by` is positive.
    pub(super) fn div_rem(
        &self,
        value: &SymbolicSum,
        by: i64,
    ) -> Option<(SymbolicSum, SymbolicSum)> {
        let multiple = |factors: &PerThread| match factors {
            PerThread::Uniform(factor) => factor % by == 0,
            PerThread::Affine(affine) => {
                affine.first % by == 0 && affine.step.iter().all(|step| step % by == 0)
            }
            PerThread::Table(each) => each.iter().all(|factor| factor % by == 0),
        };
        let (whole, rest) = value.partition(|term| multiple(&term.factors));
        let low = rest.numbers().try_map(|number| Some(number.rem_euclid(by)))?;
        let high = rest.numbers().try_map(|number| Some(number.div_euclid(by)))?;
        // The symbols' share must not carry.
        let (symbols, _) = rest.partition(|_| true);
        let rest = symbols.checked_add(&low.into())?;
        let within = symbols.terms().is_empty()
            || self.sum_range(&rest).is_some_and(|range| range.min >= 0 && range.max < by.into());
        if !within {
            return None;
        }
        let quotient =
            whole.try_map_factors(|factors| div_exact(factors, by))?.checked_add(&high.into())?;
        Some((quotient, rest))
    }

    /// Returns the remainder modulo `by`, a power of two: the lowest bits, also of an integer that
    /// may have wrapped.
    pub(super) fn low_bits(
        &self,
        of: &AbstractInt,
        by: i64,
        scalar: Scalar,
        assumed: bool,
    ) -> Option<AbstractInt> {
        let (_, rest) = self.div_rem(&of.value, by)?;
        self.typed_int(rest, scalar, None, assumed)
    }

    /// Computes `&`, `|` and `^` of integers, at least one of which has symbols.
    pub(super) fn eval_bitwise(
        &self,
        op: BinaryOp,
        scalar: Scalar,
        [a, b]: [&AbstractInt; 2],
        assumed: bool,
    ) -> Option<AbstractInt> {
        if a.value.as_numbers().is_some() {
            return self.eval_bitwise(op, scalar, [b, a], assumed);
        }
        if a.value == b.value && op != BinaryOp::Xor {
            return Some(a.clone());
        }
        let mask = b.value.as_numbers()?;
        if let Some(same) = mask.as_uniform().filter(|_| op == BinaryOp::And) {
            if same >= 0 && same.checked_add(1)?.count_ones() == 1 {
                return self.low_bits(a, same + 1, scalar, assumed);
            }
            // The mask clears only the lowest bits.
            let width = scalar.bits()?;
            let lowest = same.trailing_zeros();
            let high = if width == 64 { -1 } else { (1_i64 << width) - 1 };
            let signed = same >> lowest == -1;
            let by = 1_i64.checked_shl(lowest).filter(|&by| by > 0);
            if let (Some(by), true) = (by, signed || same >> lowest == high >> lowest) {
                let rest = self.low_bits(a, by, scalar, assumed)?;
                let value = a.value.checked_sub(&rest.value)?;
                return self
                    .typed_int(value, scalar, None, assumed)
                    .map(|int| AbstractInt { fit: a.fit.min(int.fit), ..int });
            }
        }
        // The mask keeps only bits below those that symbols may set.
        let zeros = a.value.terms().iter().map(|term| trailing_zeros(&term.factors)).min()?;
        let by = 1_i64.checked_shl(zeros.min(62)).filter(|&by| by > 1)?;
        let (min, max) = mask.limits();
        if min < 0 || max >= by {
            return None;
        }
        let low = a.value.numbers().try_map(|number| Some(number.rem_euclid(by)))?;
        let computed = low.try_zip(mask, |x, y| fold_nonnegative(op, Scalar::I64, x, y))?;
        if op == BinaryOp::And {
            return self.typed_int(computed.into(), scalar, None, assumed);
        }
        let change = computed.checked_add(&low.checked_mul(&PerThread::Uniform(-1))?)?;
        let int = self.typed_int(a.value.checked_add(&change.into())?, scalar, None, assumed)?;
        Some(AbstractInt { fit: int.fit.min(a.fit), ..int })
    }
}

/// Returns `factors / by`; all factors are multiples of `by`.
fn div_exact(factors: &PerThread, by: i64) -> Option<PerThread> {
    match factors {
        PerThread::Affine(affine) => {
            let step = affine.step.map(|step| step / by);
            let first = affine.first / by;
            Some(PerThread::Affine(Affine { first, step, ..*affine }))
        }
        PerThread::Uniform(_) | PerThread::Table(_) => factors.try_map(|factor| Some(factor / by)),
    }
}

/// Returns the number of lowest bits that are 0 in all threads.
fn trailing_zeros(factors: &PerThread) -> u32 {
    match factors {
        PerThread::Uniform(factor) => factor.trailing_zeros(),
        PerThread::Affine(affine) => affine
            .step
            .iter()
            .fold(affine.first.trailing_zeros(), |zeros, step| zeros.min(step.trailing_zeros())),
        PerThread::Table(each) => {
            each.iter().map(|factor| factor.trailing_zeros()).min().unwrap_or(0)
        }
    }
}
