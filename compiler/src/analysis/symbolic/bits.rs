//! Division, shifts and masks of sums of symbols.
//!
//! A sum is divided, shifted or masked part by part: what the symbols add must be a multiple of the divisor (or lie
//! within one), so that it carries nothing into what the threads' own numbers make.
use super::{Factors, Run, Value, arith::small, factors::Affine, known::Int};
use crate::ir::{BinaryOp, Scalar};

impl Run<'_> {
    /// `value / by` and `value % by`, rounded down, `by` being positive.
    pub(super) fn divided(&self, value: &Value, by: i64) -> Option<(Value, Value)> {
        let multiple = |factors: &Factors| match factors {
            Factors::Same(factor) => factor % by == 0,
            Factors::Affine(affine) => {
                affine.first % by == 0 && affine.step.iter().all(|step| step % by == 0)
            }
            Factors::Each(each) => each.iter().all(|factor| factor % by == 0),
        };
        let (whole, rest) = value.part(|term| multiple(&term.factors));
        let low = rest.numbers().map(|number| Some(number.rem_euclid(by)))?;
        let high = rest.numbers().map(|number| Some(number.div_euclid(by)))?;
        // What the symbols add must not carry.
        let (symbols, _) = rest.part(|_| true);
        let rest = symbols.plus(&low.into())?;
        let within = symbols.symbolic().is_empty()
            || self.range(&rest).is_some_and(|range| range.min >= 0 && range.max < by.into());
        if !within {
            return None;
        }
        let quotient = whole.map(|factors| exactly(factors, by))?.plus(&high.into())?;
        Some((quotient, rest))
    }

    /// The lowest bits of an integer, also of one that may have wrapped: its remainder modulo `by`, a power of two.
    pub(super) fn low(&self, of: &Int, by: i64, scalar: Scalar, assumed: bool) -> Option<Int> {
        let (_, rest) = self.divided(&of.value, by)?;
        self.int(rest, scalar, None, assumed)
    }

    /// `&`, `|` and `^` of integers of which one, at least, has symbols.
    pub(super) fn bits(
        &self,
        op: BinaryOp,
        scalar: Scalar,
        [a, b]: [&Int; 2],
        assumed: bool,
    ) -> Option<Int> {
        if a.value.exact().is_some() {
            return self.bits(op, scalar, [b, a], assumed);
        }
        if a.value == b.value && op != BinaryOp::Xor {
            return Some(a.clone());
        }
        let mask = b.value.exact()?;
        if let Some(same) = mask.same().filter(|_| op == BinaryOp::And) {
            if same >= 0 && same.checked_add(1)?.count_ones() == 1 {
                return self.low(a, same + 1, scalar, assumed);
            }
            // All but the lowest bits.
            let width = scalar.bits()?;
            let lowest = same.trailing_zeros();
            let high = if width == 64 { -1 } else { (1_i64 << width) - 1 };
            let signed = same >> lowest == -1;
            let by = 1_i64.checked_shl(lowest).filter(|&by| by > 0);
            if let (Some(by), true) = (by, signed || same >> lowest == high >> lowest) {
                let rest = self.low(a, by, scalar, assumed)?;
                let value = a.value.minus(&rest.value)?;
                return self
                    .int(value, scalar, None, assumed)
                    .map(|int| Int { fit: a.fit.min(int.fit), ..int });
            }
        }
        // Bits below those that symbols may set.
        let zeros = a.value.symbolic().iter().map(|term| trailing_zeros(&term.factors)).min()?;
        let by = 1_i64.checked_shl(zeros.min(62)).filter(|&by| by > 1)?;
        let (min, max) = mask.limits();
        if min < 0 || max >= by {
            return None;
        }
        let low = a.value.numbers().map(|number| Some(number.rem_euclid(by)))?;
        let computed = low.zip(mask, |x, y| small(op, Scalar::I64, x, y))?;
        if op == BinaryOp::And {
            return self.int(computed.into(), scalar, None, assumed);
        }
        let change = computed.plus(&low.times(&Factors::Same(-1))?)?;
        let int = self.int(a.value.plus(&change.into())?, scalar, None, assumed)?;
        Some(Int { fit: int.fit.min(a.fit), ..int })
    }
}

/// `factors / by`, which they are multiples of.
fn exactly(factors: &Factors, by: i64) -> Option<Factors> {
    match factors {
        Factors::Affine(affine) => {
            let step = affine.step.map(|step| step / by);
            let first = affine.first / by;
            Some(Factors::Affine(Affine { first, step, ..*affine }))
        }
        Factors::Same(_) | Factors::Each(_) => factors.map(|factor| Some(factor / by)),
    }
}

/// How many of the lowest bits are 0 in all threads.
fn trailing_zeros(factors: &Factors) -> u32 {
    match factors {
        Factors::Same(factor) => factor.trailing_zeros(),
        Factors::Affine(affine) => affine
            .step
            .iter()
            .fold(affine.first.trailing_zeros(), |zeros, step| zeros.min(step.trailing_zeros())),
        Factors::Each(each) => each.iter().map(|factor| factor.trailing_zeros()).min().unwrap_or(0),
    }
}
