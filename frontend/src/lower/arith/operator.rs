//! Operators on numbers, and the contraction of products into sums.
//!
//! Contraction is a rule on the source: in `l + r` and `l - r` a side that is itself a product,
//! through parentheses and unary minus, is not rounded on its own; the left one if both are. So is the root in
//! `1.0 / x.sqrt()` and `x.sqrt().recip()` of `f32`, also where an immutable variable is bound to the root: the inverse
//! root is one operation of the hardware's with a few to correct it, and its two roundings would take several times as many.
use crate::{
    hir::{Expr, ExprKind, SpanId},
    lower::{
        Emit, Flow, Place, Value,
        arith::check::{Operands, known},
    },
    types::method::Method,
};
use warpwise_compiler::ir::{BinaryOp, Bound, Fault, InstId, MulAddForm, Op, Scalar, UnaryOp};

/// A side of a sum that is a product.
struct Product<'e> {
    a: &'e Expr,
    b: &'e Expr,
    negated: bool,
}

fn product(expr: &Expr) -> Option<Product<'_>> {
    match &expr.kind {
        ExprKind::Binary { op: BinaryOp::Mul, lhs, rhs } => {
            Some(Product { a: lhs, b: rhs, negated: false })
        }
        ExprKind::Unary { op: UnaryOp::Neg, value } => {
            product(value).map(|product| Product { negated: !product.negated, ..product })
        }
        _ => None,
    }
}

/// Returns true for an expression that is a call of `sqrt`.
pub(crate) fn is_root(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Method { method: Method::Unary(UnaryOp::Sqrt), .. })
}

fn is_one(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Float(digits) if digits.parse() == Ok(1.0_f32))
}

impl Emit<'_> {
    pub(crate) fn binary(
        &mut self,
        op: BinaryOp,
        lhs: &Expr,
        rhs: &Expr,
        expr: &Expr,
    ) -> Flow<InstId> {
        // A sum of many terms nests as deep on the left: it is emitted from there on, without recursion.
        let mut rest = Vec::new();
        let (mut op, mut lhs, mut rhs, mut expr) = (op, lhs, rhs, expr);
        let mut left = loop {
            let scalar = self.scalar_of(expr.ty, expr.at)?;
            if self.contracts(op, scalar)
                && let Some(left) = product(lhs)
            {
                let (a, b) = self.factors(&left)?;
                let c = self.scalar(rhs)?;
                break self.mul_add(left_form(op, left.negated), [a, b, c], scalar, expr.at);
            }
            if op == BinaryOp::Div
                && is_one(lhs)
                && let Some(inverse) = self.inverse_root(rhs, scalar, expr.at)?
            {
                break inverse;
            }
            rest.push((op, lhs, rhs, scalar, expr.at));
            match &lhs.kind {
                ExprKind::Binary { op: inner, lhs: left, rhs: right } => {
                    (expr, op, lhs, rhs) = (lhs, *inner, left, right);
                }
                _ => break self.scalar(lhs)?,
            }
        };
        for (op, lhs, rhs, scalar, at) in rest.into_iter().rev() {
            left = if self.contracts(op, scalar)
                && let Some(right) = product(rhs)
            {
                let (a, b) = self.factors(&right)?;
                self.mul_add(right_form(op, right.negated), [a, b, left], scalar, at)
            } else {
                let right = self.scalar(rhs)?;
                let operands = Operands {
                    lhs: left,
                    rhs: right,
                    known_lhs: known(lhs),
                    known_rhs: known(rhs),
                };
                self.arithmetic(op, operands, rhs, scalar, at)?
            };
        }
        Ok(left)
    }

    /// `place op= value`: the right side first, unless `place_first`.
    pub(crate) fn update(
        &mut self,
        op: BinaryOp,
        [place, value]: [&Expr; 2],
        place_first: bool,
        at: SpanId,
    ) -> Flow<Value> {
        let scalar = self.scalar_of(place.ty, place.at)?;
        let early = if place_first { Some(self.place(place)?) } else { None };
        let contracted = if self.contracts(op, scalar) { product(value) } else { None };
        let (found, result) = if let Some(right) = contracted {
            let (a, b) = self.factors(&right)?;
            let found = early.map_or_else(|| self.place(place), Ok)?;
            let c = self.old(found.clone(), place)?;
            (found, self.mul_add(right_form(op, right.negated), [a, b, c], scalar, at))
        } else {
            let rhs = self.scalar(value)?;
            let found = early.map_or_else(|| self.place(place), Ok)?;
            let lhs = self.old(found.clone(), place)?;
            let operands = Operands { lhs, rhs, known_lhs: None, known_rhs: known(value) };
            (found, self.arithmetic(op, operands, value, scalar, at)?)
        };
        let mono = self.mono(place.ty, place.at)?;
        self.set(&found, Value::Scalar(result), &mono, at)?;
        Ok(Value::Unit)
    }

    fn old(&mut self, found: Place, place: &Expr) -> Flow<InstId> {
        let mono = self.mono(place.ty, place.at)?;
        match self.get(&found, &mono, place.at)? {
            Value::Scalar(value) => Ok(value),
            _ => Err(self.bug(place.at)),
        }
    }

    fn factors(&mut self, product: &Product<'_>) -> Flow<(InstId, InstId)> {
        let a = self.scalar(product.a)?;
        Ok((a, self.scalar(product.b)?))
    }

    /// Whether sums of this type contract: floats, and what may turn out to be one.
    fn contracts(&self, op: BinaryOp, scalar: Scalar) -> bool {
        let may_be_float = match self.bound(scalar) {
            // Those of `f16` and `bf16` are calls, each of which rounds.
            None => scalar.is_float() && scalar.half().is_none(),
            Some(Bound::Num | Bound::Float) => true,
            Some(Bound::Int) => false,
        };
        self.frame.contract && may_be_float && matches!(op, BinaryOp::Add | BinaryOp::Sub)
    }

    /// `1.0 / divisor` if that contracts: the divisor is a root, or a variable that a `let` binds to one for good.
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
                let [radicand] = args.as_slice() else { return Err(self.bug(divisor.at)) };
                self.scalar(radicand)?
            }
            ExprKind::Var(var) if self.frame.roots.contains(var) => {
                let root = self.scalar(divisor)?;
                let Op::Unary { value, .. } = self.build.kernel.insts[root].op else {
                    return Err(self.bug(divisor.at));
                };
                value
            }
            _ => return Ok(None),
        };
        Ok(Some(self.one(UnaryOp::Rsqrt, value, scalar, at)))
    }

    fn mul_add(
        &mut self,
        form: MulAddForm,
        [a, b, c]: [InstId; 3],
        scalar: Scalar,
        at: SpanId,
    ) -> InstId {
        if let Scalar::Generic(_) = scalar {
            self.check_mul_add(form, [a, b, c], scalar, at);
            return self.inst(at, Op::MulAdd { form, a, b, c }, scalar);
        }
        let mut negated = |value| self.inst(at, Op::Unary { op: UnaryOp::Neg, value }, scalar);
        let (a, c) = match form {
            MulAddForm::Add => (a, c),
            MulAddForm::Sub => (a, negated(c)),
            MulAddForm::From => (negated(a), c),
            MulAddForm::Neg => (negated(a), negated(c)),
        };
        self.inst(at, Op::Fma { a, b, c }, scalar)
    }

    /// Where overflow is checked, the steps of a sum of a product that may be one of integers.
    fn check_mul_add(
        &mut self,
        form: MulAddForm,
        [a, b, c]: [InstId; 3],
        scalar: Scalar,
        at: SpanId,
    ) {
        if !self.overflow_checks() || !self.may_be_int(scalar) {
            return;
        }
        let product = self.checked(BinaryOp::Mul, a, b, scalar, at);
        match form {
            MulAddForm::Add => self.checked(BinaryOp::Add, product, c, scalar, at),
            MulAddForm::Sub => self.checked(BinaryOp::Sub, product, c, scalar, at),
            MulAddForm::From => self.checked(BinaryOp::Sub, c, product, scalar, at),
            MulAddForm::Neg => {
                self.check_negation(product, scalar, at);
                let value = product;
                let negated = self.inst(at, Op::Unary { op: UnaryOp::Neg, value }, scalar);
                self.checked(BinaryOp::Sub, negated, c, scalar, at)
            }
        };
    }

    pub(crate) fn checked(
        &mut self,
        op: BinaryOp,
        lhs: InstId,
        rhs: InstId,
        scalar: Scalar,
        at: SpanId,
    ) -> InstId {
        let result = self.binary_op(op, lhs, rhs, scalar, at);
        self.check_overflow(op, [lhs, rhs], result, scalar, at);
        result
    }

    /// An operator with what Rust checks of it.
    fn arithmetic(
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
                Ok(self.checked(op, lhs, right, scalar, at))
            }
            BinaryOp::Div => {
                let faults = [Fault::DivideByZero, Fault::DivideOverflow];
                self.check_division(operands, faults, scalar, at);
                Ok(self.binary_op(op, lhs, right, scalar, at))
            }
            BinaryOp::Rem => {
                let faults = [Fault::RemainderByZero, Fault::RemainderOverflow];
                self.check_division(operands, faults, scalar, at);
                Ok(self.binary_op(op, lhs, right, scalar, at))
            }
            BinaryOp::Shl | BinaryOp::Shr => {
                let amount_type = self.scalar_of(rhs.ty, rhs.at)?;
                self.check_shift(op, (right, amount_type), known_rhs, scalar, at);
                // Cut to 32 bits an amount is the same modulo any width.
                let amount = self.convert(right, amount_type, Scalar::U32, rhs.at);
                Ok(self.binary_op(op, lhs, amount, scalar, at))
            }
            BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Min
            | BinaryOp::Max
            | BinaryOp::MulHigh
            | BinaryOp::RotateLeft => Ok(self.binary_op(op, lhs, right, scalar, at)),
        }
    }

    pub(crate) fn unary(&mut self, op: UnaryOp, value: &Expr, expr: &Expr) -> Flow<InstId> {
        let at = expr.at;
        let negates = op == UnaryOp::Neg;
        if negates && matches!(value.kind, ExprKind::Int(_) | ExprKind::Float(_)) {
            return self.constant(value, true);
        }
        let scalar = self.scalar_of(expr.ty, at)?;
        let value = self.scalar(value)?;
        if negates {
            self.check_negation(value, scalar, at);
        }
        Ok(self.inst(at, Op::Unary { op, value }, scalar))
    }
}

/// The form of a sum whose left side is the product.
fn left_form(op: BinaryOp, negated: bool) -> MulAddForm {
    match (op == BinaryOp::Add, negated) {
        (true, false) => MulAddForm::Add,
        (true, true) => MulAddForm::From,
        (false, false) => MulAddForm::Sub,
        (false, true) => MulAddForm::Neg,
    }
}

/// The form of a sum whose right side is the product.
fn right_form(op: BinaryOp, negated: bool) -> MulAddForm {
    if (op == BinaryOp::Add) == negated { MulAddForm::From } else { MulAddForm::Add }
}
