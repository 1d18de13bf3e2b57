//! Lowering of operators on numbers, and the contraction of products into sums.
//!
//! Contraction is a rule on the source: in `l + r` and `l - r`, a side that is itself a product,
//! through parentheses and unary minus, is not rounded on its own; if both are, the left one is
//! not. The same holds for the root in `1.0 / x.sqrt()` and `x.sqrt().recip()` of `f32`, also
//! through an immutable variable that is bound to the root: the inverse root is one hardware
//! operation with a few to correct it, and two roundings would take several times as many.
use crate::{
    hir::{Expr, ExprKind, SpanId},
    lower::{
        Flow, Lowerer, Place, Value,
        arith::check::{Operands, literal_value},
    },
    types::method::Method,
};
use warpwise_compiler::ir::{BinaryOp, Bound, Fault, InstId, MulAddForm, Op, Scalar, UnaryOp};

/// Side of a sum that is a product.
struct Product<'e> {
    a: &'e Expr,
    b: &'e Expr,
    negated: bool,
}

fn as_product(expr: &Expr) -> Option<Product<'_>> {
    match &expr.kind {
        ExprKind::Binary { op: BinaryOp::Mul, lhs, rhs } => {
            Some(Product { a: lhs, b: rhs, negated: false })
        }
        ExprKind::Unary { op: UnaryOp::Neg, value } => {
            as_product(value).map(|product| Product { negated: !product.negated, ..product })
        }
        _ => None,
    }
}

/// Returns true for an expression that is a call of `sqrt`.
pub(crate) fn is_root(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Method { method: Method::Unary(UnaryOp::Sqrt), .. })
}

fn is_float_one(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Float(digits) if digits.parse() == Ok(1.0_f32))
}

impl Lowerer<'_> {
    pub(crate) fn lower_binary(
        &mut self,
        op: BinaryOp,
        lhs: &Expr,
        rhs: &Expr,
        expr: &Expr,
    ) -> Flow<InstId> {
        // A sum of many terms nests deeply on the left: unroll it instead of recursing.
        let mut rest = Vec::new();
        let (mut op, mut lhs, mut rhs, mut expr) = (op, lhs, rhs, expr);
        let mut left = loop {
            let scalar = self.expect_scalar_type(expr.ty, expr.at)?;
            if self.may_contract(op, scalar)
                && let Some(left) = as_product(lhs)
            {
                let (a, b) = self.lower_factors(&left)?;
                let c = self.lower_scalar(rhs)?;
                break self.push_mul_add(left_form(op, left.negated), [a, b, c], scalar, expr.at);
            }
            if op == BinaryOp::Div
                && is_float_one(lhs)
                && let Some(inverse) = self.inverse_root(rhs, scalar, expr.at)?
            {
                break inverse;
            }
            rest.push((op, lhs, rhs, scalar, expr.at));
            match &lhs.kind {
                ExprKind::Binary { op: inner, lhs: left, rhs: right } => {
                    (expr, op, lhs, rhs) = (lhs, *inner, left, right);
                }
                _ => break self.lower_scalar(lhs)?,
            }
        };
        for (op, lhs, rhs, scalar, at) in rest.into_iter().rev() {
            left = if self.may_contract(op, scalar)
                && let Some(right) = as_product(rhs)
            {
                let (a, b) = self.lower_factors(&right)?;
                self.push_mul_add(right_form(op, right.negated), [a, b, left], scalar, at)
            } else {
                let right = self.lower_scalar(rhs)?;
                let operands = Operands {
                    lhs: left,
                    rhs: right,
                    known_lhs: literal_value(lhs),
                    known_rhs: literal_value(rhs),
                };
                self.lower_checked_binary(op, operands, rhs, scalar, at)?
            };
        }
        Ok(left)
    }

    /// Lowers `place op= value`: the right side first, unless `place_first`.
    pub(crate) fn lower_update(
        &mut self,
        op: BinaryOp,
        [place, value]: [&Expr; 2],
        place_first: bool,
        at: SpanId,
    ) -> Flow<Value> {
        let scalar = self.expect_scalar_type(place.ty, place.at)?;
        let early = if place_first { Some(self.lower_place(place)?) } else { None };
        let contracted = if self.may_contract(op, scalar) { as_product(value) } else { None };
        let (found, result) = if let Some(right) = contracted {
            let (a, b) = self.lower_factors(&right)?;
            let found = early.map_or_else(|| self.lower_place(place), Ok)?;
            let c = self.read_old_value(found.clone(), place)?;
            (found, self.push_mul_add(right_form(op, right.negated), [a, b, c], scalar, at))
        } else {
            let rhs = self.lower_scalar(value)?;
            let found = early.map_or_else(|| self.lower_place(place), Ok)?;
            let lhs = self.read_old_value(found.clone(), place)?;
            let operands = Operands { lhs, rhs, known_lhs: None, known_rhs: literal_value(value) };
            (found, self.lower_checked_binary(op, operands, value, scalar, at)?)
        };
        let mono = self.mono_type(place.ty, place.at)?;
        self.write_place(&found, Value::Scalar(result), &mono, at)?;
        Ok(Value::Unit)
    }

    fn read_old_value(&mut self, found: Place, place: &Expr) -> Flow<InstId> {
        let mono = self.mono_type(place.ty, place.at)?;
        match self.read_place(&found, &mono, place.at)? {
            Value::Scalar(value) => Ok(value),
            _ => Err(self.report_bug(place.at)),
        }
    }

    fn lower_factors(&mut self, product: &Product<'_>) -> Flow<(InstId, InstId)> {
        let a = self.lower_scalar(product.a)?;
        Ok((a, self.lower_scalar(product.b)?))
    }

    /// Returns true if sums of this type contract: floats, and type parameters that may be floats.
    fn may_contract(&self, op: BinaryOp, scalar: Scalar) -> bool {
        let may_be_float = match self.generic_bound(scalar) {
            // Operations of `f16` and `bf16` are calls, each of which rounds.
            None => scalar.is_float() && scalar.half().is_none(),
            Some(Bound::Num | Bound::Float) => true,
            Some(Bound::Int) => false,
        };
        self.frame.contract && may_be_float && matches!(op, BinaryOp::Add | BinaryOp::Sub)
    }

    /// Lowers `1.0 / divisor` if it contracts: the divisor is a root, or a variable that a `let`
    /// binds to one for good.
    pub(crate) fn inverse_root(
        &mut self,
        divisor: &Expr,
        scalar: Scalar,
        at: SpanId,
    ) -> Flow<Option<InstId>> {
        if !self.frame.contract || scalar != Scalar::F32 {
            return Ok(None);
        }
        let value = match &divisor.kind {
            ExprKind::Method { args, .. } if is_root(divisor) => {
                let [radicand] = args.as_slice() else { return Err(self.report_bug(divisor.at)) };
                self.lower_scalar(radicand)?
            }
            ExprKind::Var(var) if self.frame.roots.contains(var) => {
                let root = self.lower_scalar(divisor)?;
                let Op::Unary { value, .. } = self.build.kernel.insts[root].op else {
                    return Err(self.report_bug(divisor.at));
                };
                value
            }
            _ => return Ok(None),
        };
        Ok(Some(self.push_unary(UnaryOp::Rsqrt, value, scalar, at)))
    }

    fn push_mul_add(
        &mut self,
        form: MulAddForm,
        [a, b, c]: [InstId; 3],
        scalar: Scalar,
        at: SpanId,
    ) -> InstId {
        if let Scalar::Generic(_) = scalar {
            self.check_mul_add(form, [a, b, c], scalar, at);
            return self.push_inst(at, Op::MulAdd { form, a, b, c }, scalar);
        }
        let mut negated = |value| self.push_inst(at, Op::Unary { op: UnaryOp::Neg, value }, scalar);
        let (a, c) = match form {
            MulAddForm::Add => (a, c),
            MulAddForm::Sub => (a, negated(c)),
            MulAddForm::From => (negated(a), c),
            MulAddForm::Neg => (negated(a), negated(c)),
        };
        self.push_inst(at, Op::Fma { a, b, c }, scalar)
    }

    /// Checks for overflow in the steps of a multiply-add whose type parameter may be an integer.
    fn check_mul_add(
        &mut self,
        form: MulAddForm,
        [a, b, c]: [InstId; 3],
        scalar: Scalar,
        at: SpanId,
    ) {
        if !self.has_overflow_checks() || !self.may_be_int(scalar) {
            return;
        }
        let product = self.push_checked(BinaryOp::Mul, a, b, scalar, at);
        match form {
            MulAddForm::Add => self.push_checked(BinaryOp::Add, product, c, scalar, at),
            MulAddForm::Sub => self.push_checked(BinaryOp::Sub, product, c, scalar, at),
            MulAddForm::From => self.push_checked(BinaryOp::Sub, c, product, scalar, at),
            MulAddForm::Neg => {
                self.check_negation(product, scalar, at);
                let value = product;
                let negated = self.push_inst(at, Op::Unary { op: UnaryOp::Neg, value }, scalar);
                self.push_checked(BinaryOp::Sub, negated, c, scalar, at)
            }
        };
    }

    pub(crate) fn push_checked(
        &mut self,
        op: BinaryOp,
        lhs: InstId,
        rhs: InstId,
        scalar: Scalar,
        at: SpanId,
    ) -> InstId {
        let result = self.push_binary(op, lhs, rhs, scalar, at);
        self.check_overflow(op, [lhs, rhs], result, scalar, at);
        result
    }

    /// Lowers an operator with Rust's checks.
    fn lower_checked_binary(
        &mut self,
        op: BinaryOp,
        operands: Operands,
        rhs: &Expr,
        scalar: Scalar,
        at: SpanId,
    ) -> Flow<InstId> {
        let Operands { lhs, rhs: right, known_rhs, .. } = operands;
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
                Ok(self.push_checked(op, lhs, right, scalar, at))
            }
            BinaryOp::Div => {
                let faults = [Fault::DivideByZero, Fault::DivideOverflow];
                self.check_division(operands, faults, scalar, at);
                Ok(self.push_binary(op, lhs, right, scalar, at))
            }
            BinaryOp::Rem => {
                let faults = [Fault::RemainderByZero, Fault::RemainderOverflow];
                self.check_division(operands, faults, scalar, at);
                Ok(self.push_binary(op, lhs, right, scalar, at))
            }
            BinaryOp::Shl | BinaryOp::Shr => {
                let amount_type = self.expect_scalar_type(rhs.ty, rhs.at)?;
                self.check_shift(op, (right, amount_type), known_rhs, scalar, at);
                // Truncation to 32 bits preserves an amount modulo any width.
                let amount = self.push_convert(right, amount_type, Scalar::U32, rhs.at);
                Ok(self.push_binary(op, lhs, amount, scalar, at))
            }
            BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Min
            | BinaryOp::Max
            | BinaryOp::MulHigh
            | BinaryOp::RotateLeft => Ok(self.push_binary(op, lhs, right, scalar, at)),
        }
    }

    pub(crate) fn lower_unary(&mut self, op: UnaryOp, value: &Expr, expr: &Expr) -> Flow<InstId> {
        let at = expr.at;
        let negates = op == UnaryOp::Neg;
        if negates && matches!(value.kind, ExprKind::Int(_) | ExprKind::Float(_)) {
            return self.lower_constant(value, true);
        }
        let scalar = self.expect_scalar_type(expr.ty, at)?;
        let value = self.lower_scalar(value)?;
        if negates {
            self.check_negation(value, scalar, at);
        }
        Ok(self.push_inst(at, Op::Unary { op, value }, scalar))
    }
}

/// Returns the form of a sum whose left side is the product.
fn left_form(op: BinaryOp, negated: bool) -> MulAddForm {
    match (op == BinaryOp::Add, negated) {
        (true, false) => MulAddForm::Add,
        (true, true) => MulAddForm::From,
        (false, false) => MulAddForm::Sub,
        (false, true) => MulAddForm::Neg,
    }
}

/// Returns the form of a sum whose right side is the product.
fn right_form(op: BinaryOp, negated: bool) -> MulAddForm {
    if (op == BinaryOp::Add) == negated { MulAddForm::From } else { MulAddForm::Add }
}
