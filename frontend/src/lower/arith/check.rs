//! Arithmetic faults: division by zero always, overflow where the kernel asks for it.
//!
//! In code that is generic over `Num`, the type may be a float, which never faults: each condition
//! is then true for floats as well, by way of `is_float`, which specialization makes a constant.
use crate::{
    hir::{Expr, ExprKind, SpanId},
    lower::Lowerer,
};
use warpwise_compiler::ir::{
    self, BinaryOp, Bound, CompareOp, Fault, GenericKind, InstId, Op, Scalar, UnaryOp,
};

/// Operands of an operator, with their literal values.
#[derive(Clone, Copy)]
pub(crate) struct Operands {
    pub(crate) lhs: InstId,
    pub(crate) rhs: InstId,
    /// Value of the left side, if it is a literal.
    pub(crate) known_lhs: Option<i128>,
    /// Value of the right side, if it is a literal.
    pub(crate) known_rhs: Option<i128>,
}

/// Returns the value of an integer literal, which may be negated.
pub(crate) fn literal_value(expr: &Expr) -> Option<i128> {
    match &expr.kind {
        ExprKind::Int(value) => i128::try_from(*value).ok(),
        ExprKind::Unary { op: UnaryOp::Neg, value } => match value.kind {
            ExprKind::Int(value) => i128::try_from(value).ok().map(|value| -value),
            _ => None,
        },
        _ => None,
    }
}

impl Lowerer<'_> {
    /// Ends the thread with `fault` where `cond` is false.
    pub(crate) fn push_check(&mut self, cond: InstId, fault: Fault, at: SpanId) {
        self.push_inst(at, Op::Check { cond, fault }, ir::Ty::Unit);
    }

    pub(crate) fn push_compare(
        &mut self,
        op: CompareOp,
        lhs: InstId,
        rhs: InstId,
        at: SpanId,
    ) -> InstId {
        self.push_inst(at, Op::Compare { op, lhs, rhs }, Scalar::Bool)
    }

    pub(crate) fn push_not(&mut self, value: InstId, at: SpanId) -> InstId {
        self.push_inst(at, Op::Unary { op: UnaryOp::Not, value }, Scalar::Bool)
    }

    pub(crate) fn push_or(&mut self, lhs: InstId, rhs: InstId, at: SpanId) -> InstId {
        self.push_binary(BinaryOp::Or, lhs, rhs, Scalar::Bool, at)
    }

    /// Returns the bound of a type parameter; `None` for a concrete type.
    pub(crate) fn generic_bound(&self, scalar: Scalar) -> Option<Bound> {
        let Scalar::Generic(id) = scalar else { return None };
        match self.build.kernel.generics.get(id).map(|generic| generic.kind) {
            Some(GenericKind::Type(bound)) => Some(bound),
            Some(GenericKind::Const(_)) | None => None,
        }
    }

    /// Returns true if a type is an integer, or a type parameter that may be one.
    pub(crate) fn may_be_int(&self, scalar: Scalar) -> bool {
        match self.generic_bound(scalar) {
            None => scalar.is_int(),
            Some(Bound::Num | Bound::Int) => true,
            Some(Bound::Float) => false,
        }
    }

    fn may_be_signed(&self, scalar: Scalar) -> bool {
        scalar.is_signed() || self.generic_bound(scalar).is_some_and(|bound| bound != Bound::Float)
    }

    /// Does the same as [`Self::push_check`], but only if the type is an integer.
    fn check_int(&mut self, cond: InstId, fault: Fault, scalar: Scalar, at: SpanId) {
        let cond = if self.generic_bound(scalar) == Some(Bound::Num) {
            // 0.5 converts to zero exactly in integer types.
            let half = self.push_float(0.5, scalar, at);
            let zero = self.push_int(0, scalar, at);
            let is_float = self.push_compare(CompareOp::Ne, half, zero, at);
            self.push_or(cond, is_float, at)
        } else {
            cond
        };
        self.push_check(cond, fault, at);
    }

    /// Checks the operands of `/` and `%`, as Rust does.
    pub(crate) fn check_division(
        &mut self,
        operands: Operands,
        [zero_fault, overflow_fault]: [Fault; 2],
        scalar: Scalar,
        at: SpanId,
    ) {
        let Operands { lhs, rhs, known_lhs, known_rhs } = operands;
        if !self.may_be_int(scalar) {
            return;
        }
        self.check_divisor(rhs, known_rhs, zero_fault, scalar, at);
        let possible = self.may_be_signed(scalar)
            && known_rhs.is_none_or(|value| value == -1)
            && known_lhs.is_none_or(|value| value == min_value(scalar));
        if possible {
            let mut cond = self.is_not_min(lhs, scalar, at);
            if known_rhs.is_none() {
                let minus_one = self.push_int(-1, scalar, at);
                let other = self.push_compare(CompareOp::Ne, rhs, minus_one, at);
                cond = self.push_or(other, cond, at);
            }
            self.check_int(cond, overflow_fault, scalar, at);
        }
    }

    /// Checks that a divisor is not zero.
    pub(crate) fn check_divisor(
        &mut self,
        divisor: InstId,
        known: Option<i128>,
        fault: Fault,
        scalar: Scalar,
        at: SpanId,
    ) {
        if known.is_none_or(|value| value == 0) {
            let zero = self.push_int(0, scalar, at);
            let cond = self.push_compare(CompareOp::Ne, divisor, zero, at);
            self.check_int(cond, fault, scalar, at);
        }
    }

    /// Returns false for the least value of a signed integer type, and true for any other value.
    pub(crate) fn is_not_min(&mut self, value: InstId, scalar: Scalar, at: SpanId) -> InstId {
        if !matches!(scalar, Scalar::Generic(_)) {
            let min = self.push_int(min_value(scalar), scalar, at);
            return self.push_compare(CompareOp::Ne, value, min, at);
        }
        // The least value is the only negative one that equals its negation.
        let zero = self.push_int(0, scalar, at);
        let negated = self.push_binary(BinaryOp::Sub, zero, value, scalar, at);
        let positive = self.push_compare(CompareOp::Ge, value, zero, at);
        let changes = self.push_compare(CompareOp::Ne, negated, value, at);
        self.push_or(positive, changes, at)
    }

    /// Checks the operand of `-x`, as Rust's debug builds do.
    pub(crate) fn check_negation(&mut self, value: InstId, scalar: Scalar, at: SpanId) {
        if self.has_overflow_checks() && self.may_be_signed(scalar) {
            let cond = self.is_not_min(value, scalar, at);
            self.check_int(cond, Fault::NegateOverflow, scalar, at);
        }
    }

    /// Checks the wrapped `result` of `+`, `-` or `*`, as Rust's debug builds do.
    pub(crate) fn check_overflow(
        &mut self,
        op: BinaryOp,
        [lhs, rhs]: [InstId; 2],
        result: InstId,
        scalar: Scalar,
        at: SpanId,
    ) {
        if !self.has_overflow_checks() || !self.may_be_int(scalar) {
            return;
        }
        let (cond, fault) = match op {
            // A sum is at least its left side exactly if the right side is not negative.
            BinaryOp::Add => (
                self.moves_with_sign(rhs, CompareOp::Ge, [result, lhs], scalar, at),
                Fault::AddOverflow,
            ),
            BinaryOp::Sub => (
                self.moves_with_sign(rhs, CompareOp::Le, [result, lhs], scalar, at),
                Fault::SubtractOverflow,
            ),
            BinaryOp::Mul => {
                (self.product_fits([lhs, rhs], result, scalar, at), Fault::MultiplyOverflow)
            }
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
            | BinaryOp::RotateLeft => return,
        };
        self.check_int(cond, fault, scalar, at);
    }

    /// Returns true if `a order b` holds exactly if `by` is not negative.
    fn moves_with_sign(
        &mut self,
        by: InstId,
        order: CompareOp,
        [a, b]: [InstId; 2],
        scalar: Scalar,
        at: SpanId,
    ) -> InstId {
        let zero = self.push_int(0, scalar, at);
        let up = self.push_compare(CompareOp::Ge, by, zero, at);
        let moved = self.push_compare(order, a, b, at);
        self.push_compare(CompareOp::Eq, up, moved, at)
    }

    /// Returns true if a wrapped product is exact: computed in 64 bits for narrower types, by its
    /// upper half for 64-bit types, and by division for a type parameter.
    pub(crate) fn product_fits(
        &mut self,
        [lhs, rhs]: [InstId; 2],
        product: InstId,
        scalar: Scalar,
        at: SpanId,
    ) -> InstId {
        if scalar.bits().is_some_and(|bits| bits < 64) {
            let wide = if scalar.is_signed() { Scalar::I64 } else { Scalar::U64 };
            let [lhs, rhs, product] =
                [lhs, rhs, product].map(|value| self.push_convert(value, scalar, wide, at));
            let exact = self.push_binary(BinaryOp::Mul, lhs, rhs, wide, at);
            return self.push_compare(CompareOp::Eq, exact, product, at);
        }
        if scalar.is_unsigned() {
            let high = self.push_binary(BinaryOp::MulHigh, lhs, rhs, scalar, at);
            let zero = self.push_int(0, scalar, at);
            return self.push_compare(CompareOp::Eq, high, zero, at);
        }
        if scalar.is_signed() {
            // The upper half repeats the sign of the lower one.
            let high = self.push_binary(BinaryOp::MulHigh, lhs, rhs, scalar, at);
            let all = self.push_int(63, Scalar::U32, at);
            let sign = self.push_binary(BinaryOp::Shr, product, all, scalar, at);
            return self.push_compare(CompareOp::Eq, high, sign, at);
        }
        // The division excludes the divisors 0 and -1, which are checked separately.
        let zero = self.push_int(0, scalar, at);
        let one = self.push_int(1, scalar, at);
        let minus_one = self.push_int(-1, scalar, at);
        let is_zero = self.push_compare(CompareOp::Eq, rhs, zero, at);
        let is_minus_one = self.push_compare(CompareOp::Eq, rhs, minus_one, at);
        let signed = self.push_compare(CompareOp::Lt, minus_one, zero, at);
        let negates = self.push_binary(BinaryOp::And, is_minus_one, signed, Scalar::Bool, at);
        let special = self.push_or(is_zero, negates, at);
        let divisor = Op::Select { cond: special, then: one, other: rhs };
        let divisor = self.push_inst(at, divisor, scalar);
        let quotient = self.push_binary(BinaryOp::Div, product, divisor, scalar, at);
        let exact = self.push_compare(CompareOp::Eq, quotient, lhs, at);
        let exact = self.push_or(exact, special, at);
        let not_min = if self.may_be_signed(scalar) {
            self.is_not_min(lhs, scalar, at)
        } else {
            self.push_bits(1, Scalar::Bool, at)
        };
        let stays = self.push_not(negates, at);
        let fits = self.push_or(stays, not_min, at);
        self.push_binary(BinaryOp::And, exact, fits, Scalar::Bool, at)
    }

    /// Checks the amount of `<<` and `>>`, in its own type, against the width, as Rust's debug
    /// builds do.
    pub(crate) fn check_shift(
        &mut self,
        op: BinaryOp,
        (amount, amount_type): (InstId, Scalar),
        known: Option<i128>,
        scalar: Scalar,
        at: SpanId,
    ) {
        let in_range =
            |bits: u32| known.is_some_and(|amount| (0..i128::from(bits)).contains(&amount));
        if !self.has_overflow_checks() || scalar.bits().is_some_and(in_range) {
            return;
        }
        let amount = self.push_convert(amount, amount_type, Scalar::U64, at);
        let width = self.lower_width(scalar, at);
        let cond = self.push_compare(CompareOp::Lt, amount, width, at);
        let left = matches!(op, BinaryOp::Shl);
        let fault = if left { Fault::ShiftLeftOverflow } else { Fault::ShiftRightOverflow };
        self.push_check(cond, fault, at);
    }

    /// Returns the width of an integer type as a `u64`. That of a type parameter is found by
    /// shifts, since their amounts are taken modulo the width.
    fn lower_width(&mut self, scalar: Scalar, at: SpanId) -> InstId {
        if let Some(bits) = scalar.bits() {
            return self.push_int(i128::from(bits), Scalar::U64, at);
        }
        let one = self.push_int(1, scalar, at);
        let mut width = self.push_int(8, Scalar::U64, at);
        for bits in [8, 16, 32] {
            let amount = self.push_int(bits, Scalar::U32, at);
            let shifted = self.push_binary(BinaryOp::Shl, one, amount, scalar, at);
            let cond = self.push_compare(CompareOp::Ne, shifted, one, at);
            let then = self.push_int(2 * bits, Scalar::U64, at);
            width = self.push_inst(at, Op::Select { cond, then, other: width }, Scalar::U64);
        }
        width
    }
}

/// Returns the greatest value of an integer type.
pub(crate) fn max_value(scalar: Scalar) -> i128 {
    scalar.bits().map_or(0, |bits| (1i128 << (bits - u32::from(scalar.is_signed()))) - 1)
}

/// Returns the least value of a signed integer type, and 0 for any other type.
pub(crate) fn min_value(scalar: Scalar) -> i128 {
    match scalar.bits() {
        Some(bits) if scalar.is_signed() => -(1i128 << (bits - 1)),
        _ => 0,
    }
}
