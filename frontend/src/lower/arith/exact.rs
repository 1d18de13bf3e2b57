//! Lowering of `checked_*` and `overflowing_*`: results with a flag for exactness.
use crate::{
    hir::SpanId,
    lower::{
        EnumValue, Flow, Lowerer, Value,
        arith::{
            check::{Operands, max_value, min_value},
            math::MethodCall,
        },
    },
    types::method::{Exact, IntMethod},
};
use std::rc::Rc;
use warpwise_compiler::ir::{self, BinaryOp, CompareOp, InstId, Op, Scalar, UnaryOp};

impl Lowerer<'_> {
    /// Returns an `Option` with the exact result if `checked`, and otherwise the wrapped result
    /// with an overflow flag.
    pub(crate) fn lower_exact_method(
        &mut self,
        method: Exact,
        checked: bool,
        applied: MethodCall,
    ) -> Flow<Value> {
        let (value, fits) = self.lower_exact(method, checked, applied)?;
        let value = Value::Scalar(value);
        if checked {
            let parts = vec![Some(Vec::new()), Some(vec![value])];
            return Ok(Value::Variants(Rc::new(EnumValue { tag: fits, parts })));
        }
        let overflows = self.push_not(fits, applied.at);
        Ok(Value::Parts(Rc::new([value, Value::Scalar(overflows)])))
    }

    /// Returns the wrapped result, and true if it is exact.
    fn lower_exact(
        &mut self,
        method: Exact,
        checked: bool,
        applied: MethodCall,
    ) -> Flow<(InstId, InstId)> {
        let MethodCall { operands, scalar, at, .. } = applied;
        let (x, y) = (operands.lhs, operands.rhs);
        Ok(match method {
            Exact::Add => self.add_exact(BinaryOp::Add, x, y, scalar, at),
            Exact::Sub => self.add_exact(BinaryOp::Sub, x, y, scalar, at),
            Exact::Mul => {
                let product = self.push_binary(BinaryOp::Mul, x, y, scalar, at);
                (product, self.product_fits([x, y], product, scalar, at))
            }
            Exact::Pow => self.power_exact(x, (y, operands.known_rhs), scalar, at)?,
            Exact::Neg => {
                (self.push_unary(UnaryOp::Neg, x, scalar, at), self.is_negatable(x, scalar, at))
            }
            Exact::Abs => {
                (self.push_unary(UnaryOp::Abs, x, scalar, at), self.is_negatable(x, scalar, at))
            }
            Exact::Shl => self.shift_exact(BinaryOp::Shl, x, y, scalar, at),
            Exact::Shr => self.shift_exact(BinaryOp::Shr, x, y, scalar, at),
            Exact::AddOther => self.add_exact_mixed_sign(BinaryOp::Add, x, y, scalar, at),
            Exact::SubOther => self.add_exact_mixed_sign(BinaryOp::Sub, x, y, scalar, at),
            Exact::Div | Exact::Rem | Exact::DivEuclid | Exact::RemEuclid if checked => {
                self.divide_checked(method, x, y, scalar, at)
            }
            Exact::Div => self.divide_overflowing(IntMethod::WrappingDiv, operands, scalar, at),
            Exact::Rem => self.divide_overflowing(IntMethod::WrappingRem, operands, scalar, at),
            Exact::DivEuclid => {
                self.divide_overflowing(IntMethod::WrappingDivEuclid, operands, scalar, at)
            }
            Exact::RemEuclid => {
                self.divide_overflowing(IntMethod::WrappingRemEuclid, operands, scalar, at)
            }
        })
    }

    fn add_exact(
        &mut self,
        op: BinaryOp,
        x: InstId,
        y: InstId,
        scalar: Scalar,
        at: SpanId,
    ) -> (InstId, InstId) {
        let wrapped = self.push_binary(op, x, y, scalar, at);
        let overflows = self.sum_overflows(op, [x, y, wrapped], scalar, at);
        (wrapped, self.push_not(overflows, at))
    }

    /// Returns true if `-x` is in the type; for unsigned integers only for 0.
    fn is_negatable(&mut self, x: InstId, scalar: Scalar, at: SpanId) -> InstId {
        if scalar.is_unsigned() {
            return self.compare_with_zero(CompareOp::Eq, x, scalar, at);
        }
        self.is_not_min(x, scalar, at)
    }

    fn shift_exact(
        &mut self,
        op: BinaryOp,
        x: InstId,
        amount: InstId,
        scalar: Scalar,
        at: SpanId,
    ) -> (InstId, InstId) {
        let width = self.push_int(scalar.bits().unwrap_or(64).into(), Scalar::U32, at);
        let fits = self.push_compare(CompareOp::Lt, amount, width, at);
        (self.push_binary(op, x, amount, scalar, at), fits)
    }

    /// Adds or subtracts an integer of the same size and the opposite signedness.
    fn add_exact_mixed_sign(
        &mut self,
        op: BinaryOp,
        x: InstId,
        y: InstId,
        scalar: Scalar,
        at: SpanId,
    ) -> (InstId, InstId) {
        let y = self.push_inst(at, Op::Bitcast { value: y }, scalar);
        let wrapped = self.push_binary(op, x, y, scalar, at);
        if scalar.is_signed() {
            let order = if op == BinaryOp::Add { CompareOp::Ge } else { CompareOp::Le };
            return (wrapped, self.push_compare(order, wrapped, x, at));
        }
        // As an unsigned integer, `y` is at most half of the range exactly if it is not negative.
        let most = self.push_int(max_value(scalar) >> 1, scalar, at);
        let up = self.push_compare(CompareOp::Le, y, most, at);
        let moved = self.push_compare(CompareOp::Ge, wrapped, x, at);
        (wrapped, self.push_compare(CompareOp::Eq, up, moved, at))
    }

    /// Divides with a check; the divisor is replaced by 1 where there is no quotient.
    fn divide_checked(
        &mut self,
        method: Exact,
        x: InstId,
        y: InstId,
        scalar: Scalar,
        at: SpanId,
    ) -> (InstId, InstId) {
        let some = self.compare_with_zero(CompareOp::Ne, y, scalar, at);
        let inside = self.quotient_fits(x, y, scalar, at);
        let fits = self.push_binary(BinaryOp::And, some, inside, Scalar::Bool, at);
        let one = self.push_int(1, scalar, at);
        let divisor = self.push_select(fits, y, one, scalar, at);
        let value = match method {
            Exact::DivEuclid => self.lower_div_euclid(x, divisor, scalar, at),
            Exact::RemEuclid => self.lower_rem_euclid(x, divisor, scalar, at),
            Exact::Rem => self.push_binary(BinaryOp::Rem, x, divisor, scalar, at),
            Exact::Div
            | Exact::Add
            | Exact::Sub
            | Exact::Mul
            | Exact::Pow
            | Exact::Neg
            | Exact::Abs
            | Exact::Shl
            | Exact::Shr
            | Exact::AddOther
            | Exact::SubOther => self.push_binary(BinaryOp::Div, x, divisor, scalar, at),
        };
        (value, fits)
    }

    fn divide_overflowing(
        &mut self,
        method: IntMethod,
        operands: Operands,
        scalar: Scalar,
        at: SpanId,
    ) -> (InstId, InstId) {
        let value = self.divide_wrapping(method, operands, scalar, at);
        (value, self.quotient_fits(operands.lhs, operands.rhs, scalar, at))
    }

    /// Returns false for `MIN / -1`.
    fn quotient_fits(&mut self, x: InstId, y: InstId, scalar: Scalar, at: SpanId) -> InstId {
        if scalar.is_unsigned() {
            return self.push_bits(1, Scalar::Bool, at);
        }
        let (least, minus_one) =
            (self.push_int(min_value(scalar), scalar, at), self.push_int(-1, scalar, at));
        let other = self.push_compare(CompareOp::Ne, x, least, at);
        let by_other = self.push_compare(CompareOp::Ne, y, minus_one, at);
        self.push_or(other, by_other, at)
    }

    /// Returns a power, and true if all its products are exact.
    pub(crate) fn power_exact(
        &mut self,
        x: InstId,
        exponent: (InstId, Option<i128>),
        scalar: Scalar,
        at: SpanId,
    ) -> Flow<(InstId, InstId)> {
        let exact = self.new_local("", Scalar::Bool, at);
        let value = self.push_bits(1, Scalar::Bool, at);
        self.push_inst(at, Op::Set { local: exact, value }, ir::Ty::Unit);
        let power = self.lower_power(x, exponent, scalar, at, |this, a, b| {
            let product = this.push_binary(BinaryOp::Mul, a, b, scalar, at);
            let fits = this.product_fits([a, b], product, scalar, at);
            let so_far = this.push_inst(at, Op::Get(exact), Scalar::Bool);
            let value = this.push_binary(BinaryOp::And, so_far, fits, Scalar::Bool, at);
            this.push_inst(at, Op::Set { local: exact, value }, ir::Ty::Unit);
            product
        })?;
        Ok((power, self.push_inst(at, Op::Get(exact), Scalar::Bool)))
    }
}
