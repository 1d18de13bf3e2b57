//! Faults of arithmetic: division by zero always, overflow where the kernel asks for it.
//!
//! In code that is generic over `Num`, the type may turn out to be a float, which faults never:
//! each condition is then true for floats as well, by way of `is_float`, which specialization
//! makes a constant.
use crate::{
    hir::{Expr, ExprKind, SpanId},
    lower::Emit,
};
use warpwise_compiler::ir::{
    self, BinaryOp, Bound, CompareOp, Fault, GenericKind, InstId, Op, Scalar, UnaryOp,
};

/// The operands of an operator, with what is known of them.
#[derive(Clone, Copy)]
pub(crate) struct Operands {
    pub(crate) lhs: InstId,
    pub(crate) rhs: InstId,
    /// The value of the left side, if it is a literal.
    pub(crate) known_lhs: Option<i128>,
    /// The value of the right side, if it is a literal.
    pub(crate) known_rhs: Option<i128>,
}

/// The value of an integer literal, perhaps negated.
pub(crate) fn known(expr: &Expr) -> Option<i128> {
    match &expr.kind {
        ExprKind::Int(value) => i128::try_from(*value).ok(),
        ExprKind::Unary { op: UnaryOp::Neg, value } => match value.kind {
            ExprKind::Int(value) => i128::try_from(value).ok().map(|value| -value),
            _ => None,
        },
        _ => None,
    }
}

impl Emit<'_> {
    /// Ends the thread where `cond` is false.
    pub(crate) fn check(&mut self, cond: InstId, fault: Fault, at: SpanId) {
        self.inst(at, Op::Check { cond, fault }, ir::Ty::Unit);
    }

    pub(crate) fn compare(
        &mut self,
        op: CompareOp,
        lhs: InstId,
        rhs: InstId,
        at: SpanId,
    ) -> InstId {
        self.inst(at, Op::Compare { op, lhs, rhs }, Scalar::Bool)
    }

    pub(crate) fn not(&mut self, value: InstId, at: SpanId) -> InstId {
        self.inst(at, Op::Unary { op: UnaryOp::Not, value }, Scalar::Bool)
    }

    pub(crate) fn or(&mut self, lhs: InstId, rhs: InstId, at: SpanId) -> InstId {
        self.binary_op(BinaryOp::Or, lhs, rhs, Scalar::Bool, at)
    }

    /// Which types a type parameter may be; `None` for a type that is known.
    pub(crate) fn bound(&self, scalar: Scalar) -> Option<Bound> {
        let Scalar::Generic(id) = scalar else { return None };
        match self.build.kernel.generics.get(id).map(|generic| generic.kind) {
            Some(GenericKind::Type(bound)) => Some(bound),
            Some(GenericKind::Const(_)) | None => None,
        }
    }

    /// Whether the type is, or may turn out to be, an integer.
    pub(crate) fn may_be_int(&self, scalar: Scalar) -> bool {
        match self.bound(scalar) {
            None => scalar.is_int(),
            Some(Bound::Num | Bound::Int) => true,
            Some(Bound::Float) => false,
        }
    }

    fn may_be_signed(&self, scalar: Scalar) -> bool {
        scalar.is_signed() || self.bound(scalar).is_some_and(|bound| bound != Bound::Float)
    }

    /// As [`Self::check`], where the type turns out to be an integer.
    fn check_int(&mut self, cond: InstId, fault: Fault, scalar: Scalar, at: SpanId) {
        let cond = if self.bound(scalar) == Some(Bound::Num) {
            let half = self.float(0.5, scalar, at);
            let zero = self.int(0, scalar, at);
            let is_float = self.compare(CompareOp::Ne, half, zero, at);
            self.or(cond, is_float, at)
        } else {
            cond
        };
        self.check(cond, fault, at);
    }

    /// What Rust checks before `/` and `%`.
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
            && known_lhs.is_none_or(|value| value == min(scalar));
        if possible {
            let mut cond = self.is_not_min(lhs, scalar, at);
            if known_rhs.is_none() {
                let minus_one = self.int(-1, scalar, at);
                let other = self.compare(CompareOp::Ne, rhs, minus_one, at);
                cond = self.or(other, cond, at);
            }
            self.check_int(cond, overflow_fault, scalar, at);
        }
    }

    /// That a divisor is not zero.
    pub(crate) fn check_divisor(
        &mut self,
        divisor: InstId,
        known: Option<i128>,
        fault: Fault,
        scalar: Scalar,
        at: SpanId,
    ) {
        if known.is_none_or(|value| value == 0) {
            let zero = self.int(0, scalar, at);
            let cond = self.compare(CompareOp::Ne, divisor, zero, at);
            self.check_int(cond, fault, scalar, at);
        }
    }

    /// Whether a value is other than the least of its type, if that is a signed integer; true if
    /// it is not.
    pub(crate) fn is_not_min(&mut self, value: InstId, scalar: Scalar, at: SpanId) -> InstId {
        if !matches!(scalar, Scalar::Generic(_)) {
            let min = self.int(min(scalar), scalar, at);
            return self.compare(CompareOp::Ne, value, min, at);
        }
        // The least value is the one that is negative, and so is its negation.
        let zero = self.int(0, scalar, at);
        let negated = self.binary_op(BinaryOp::Sub, zero, value, scalar, at);
        let positive = self.compare(CompareOp::Ge, value, zero, at);
        let changes = self.compare(CompareOp::Ne, negated, value, at);
        self.or(positive, changes, at)
    }

    /// What Rust's debug build checks before `-x`.
    pub(crate) fn check_negation(&mut self, value: InstId, scalar: Scalar, at: SpanId) {
        if self.overflow_checks() && self.may_be_signed(scalar) {
            let cond = self.is_not_min(value, scalar, at);
            self.check_int(cond, Fault::NegateOverflow, scalar, at);
        }
    }

    /// What Rust's debug build checks after `+ - *`, whose wrapped result is `result`.
    pub(crate) fn check_overflow(
        &mut self,
        op: BinaryOp,
        [lhs, rhs]: [InstId; 2],
        result: InstId,
        scalar: Scalar,
        at: SpanId,
    ) {
        if !self.overflow_checks() || !self.may_be_int(scalar) {
            return;
        }
        let (cond, fault) = match op {
            // A sum is not below one side exactly if the other is not negative.
            BinaryOp::Add => {
                (self.moves(rhs, CompareOp::Ge, [result, lhs], scalar, at), Fault::AddOverflow)
            }
            BinaryOp::Sub => {
                (self.moves(rhs, CompareOp::Le, [result, lhs], scalar, at), Fault::SubtractOverflow)
            }
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

    /// Whether `a order b` exactly if `by` is not negative.
    fn moves(
        &mut self,
        by: InstId,
        order: CompareOp,
        [a, b]: [InstId; 2],
        scalar: Scalar,
        at: SpanId,
    ) -> InstId {
        let zero = self.int(0, scalar, at);
        let up = self.compare(CompareOp::Ge, by, zero, at);
        let moved = self.compare(order, a, b, at);
        self.compare(CompareOp::Eq, up, moved, at)
    }

    /// Whether a wrapped product is the product: in 64 bits if there is room, by the upper half
    /// if not, and by dividing where the type is not known.
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
                [lhs, rhs, product].map(|value| self.convert(value, scalar, wide, at));
            let exact = self.binary_op(BinaryOp::Mul, lhs, rhs, wide, at);
            return self.compare(CompareOp::Eq, exact, product, at);
        }
        if scalar.is_unsigned() {
            let high = self.binary_op(BinaryOp::MulHigh, lhs, rhs, scalar, at);
            let zero = self.int(0, scalar, at);
            return self.compare(CompareOp::Eq, high, zero, at);
        }
        if scalar.is_signed() {
            // The upper half is nothing but the sign of the lower one.
            let high = self.binary_op(BinaryOp::MulHigh, lhs, rhs, scalar, at);
            let all = self.int(63, Scalar::U32, at);
            let sign = self.binary_op(BinaryOp::Shr, product, all, scalar, at);
            return self.compare(CompareOp::Eq, high, sign, at);
        }
        // Divided by something that is neither 0 nor -1, and those judged apart.
        let zero = self.int(0, scalar, at);
        let one = self.int(1, scalar, at);
        let minus_one = self.int(-1, scalar, at);
        let is_zero = self.compare(CompareOp::Eq, rhs, zero, at);
        let is_minus_one = self.compare(CompareOp::Eq, rhs, minus_one, at);
        let signed = self.compare(CompareOp::Lt, minus_one, zero, at);
        let negates = self.binary_op(BinaryOp::And, is_minus_one, signed, Scalar::Bool, at);
        let special = self.or(is_zero, negates, at);
        let divisor = Op::Select { cond: special, then: one, other: rhs };
        let divisor = self.inst(at, divisor, scalar);
        let quotient = self.binary_op(BinaryOp::Div, product, divisor, scalar, at);
        let exact = self.compare(CompareOp::Eq, quotient, lhs, at);
        let exact = self.or(exact, special, at);
        let not_min = if self.may_be_signed(scalar) {
            self.is_not_min(lhs, scalar, at)
        } else {
            self.bits(1, Scalar::Bool, at)
        };
        let stays = self.not(negates, at);
        let fits = self.or(stays, not_min, at);
        self.binary_op(BinaryOp::And, exact, fits, Scalar::Bool, at)
    }

    /// What Rust's debug build checks before `<<` and `>>`: that the amount, of its own type, is
    /// less than the width.
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
        if !self.overflow_checks() || scalar.bits().is_some_and(in_range) {
            return;
        }
        let amount = self.convert(amount, amount_type, Scalar::U64, at);
        let width = self.width(scalar, at);
        let cond = self.compare(CompareOp::Lt, amount, width, at);
        let left = matches!(op, BinaryOp::Shl);
        let fault = if left { Fault::ShiftLeftOverflow } else { Fault::ShiftRightOverflow };
        self.check(cond, fault, at);
    }

    /// Bits of an integer type, as a `u64`. Those of a type parameter are found by shifting:
    /// amounts are taken modulo the width.
    fn width(&mut self, scalar: Scalar, at: SpanId) -> InstId {
        if let Some(bits) = scalar.bits() {
            return self.int(i128::from(bits), Scalar::U64, at);
        }
        let one = self.int(1, scalar, at);
        let mut width = self.int(8, Scalar::U64, at);
        for bits in [8, 16, 32] {
            let amount = self.int(bits, Scalar::U32, at);
            let shifted = self.binary_op(BinaryOp::Shl, one, amount, scalar, at);
            let cond = self.compare(CompareOp::Ne, shifted, one, at);
            let then = self.int(2 * bits, Scalar::U64, at);
            width = self.inst(at, Op::Select { cond, then, other: width }, Scalar::U64);
        }
        width
    }
}

/// The greatest value of an integer type.
pub(crate) fn max(scalar: Scalar) -> i128 {
    scalar.bits().map_or(0, |bits| (1i128 << (bits - u32::from(scalar.is_signed()))) - 1)
}

/// The least value of a signed integer type; 0 of any other.
pub(crate) fn min(scalar: Scalar) -> i128 {
    match scalar.bits() {
        Some(bits) if scalar.is_signed() => -(1i128 << (bits - 1)),
        _ => 0,
    }
}
