//! Operators, compound assignments and casts.
use crate::{
    hir::{Expr, ExprKind},
    infer::{Infer, Obligation, pattern::pattern_hint::depends_on_expected},
    syntax::span::SpanRange,
    types::{Prim, Ty, Type},
};
use syn::{BinOp, ExprBinary, ExprCast, ExprUnary, UnOp};
use warpwise_compiler::ir::{BinaryOp, CompareOp, UnaryOp};

/// The operation of a binary operator.
#[derive(Clone, Copy)]
enum Operator {
    Value(BinaryOp),
    Compare(CompareOp),
    Lazy { and: bool },
    Update(BinaryOp),
}

fn classify_operator(op: &BinOp) -> Option<Operator> {
    use Operator::{Compare, Lazy, Update, Value};
    Some(match op {
        BinOp::Add(_) => Value(BinaryOp::Add),
        BinOp::Sub(_) => Value(BinaryOp::Sub),
        BinOp::Mul(_) => Value(BinaryOp::Mul),
        BinOp::Div(_) => Value(BinaryOp::Div),
        BinOp::Rem(_) => Value(BinaryOp::Rem),
        BinOp::BitXor(_) => Value(BinaryOp::Xor),
        BinOp::BitAnd(_) => Value(BinaryOp::And),
        BinOp::BitOr(_) => Value(BinaryOp::Or),
        BinOp::Shl(_) => Value(BinaryOp::Shl),
        BinOp::Shr(_) => Value(BinaryOp::Shr),
        BinOp::And(_) => Lazy { and: true },
        BinOp::Or(_) => Lazy { and: false },
        BinOp::Eq(_) => Compare(CompareOp::Eq),
        BinOp::Ne(_) => Compare(CompareOp::Ne),
        BinOp::Lt(_) => Compare(CompareOp::Lt),
        BinOp::Le(_) => Compare(CompareOp::Le),
        BinOp::Gt(_) => Compare(CompareOp::Gt),
        BinOp::Ge(_) => Compare(CompareOp::Ge),
        BinOp::AddAssign(_) => Update(BinaryOp::Add),
        BinOp::SubAssign(_) => Update(BinaryOp::Sub),
        BinOp::MulAssign(_) => Update(BinaryOp::Mul),
        BinOp::DivAssign(_) => Update(BinaryOp::Div),
        BinOp::RemAssign(_) => Update(BinaryOp::Rem),
        BinOp::BitXorAssign(_) => Update(BinaryOp::Xor),
        BinOp::BitAndAssign(_) => Update(BinaryOp::And),
        BinOp::BitOrAssign(_) => Update(BinaryOp::Or),
        BinOp::ShlAssign(_) => Update(BinaryOp::Shl),
        BinOp::ShrAssign(_) => Update(BinaryOp::Shr),
        _ => return None,
    })
}

/// Returns the left operand of an operator on values, if it is such an operator itself.
fn left_chain(expr: &ExprBinary) -> Option<&ExprBinary> {
    let yields_value =
        |op| matches!(classify_operator(op), Some(Operator::Value(_) | Operator::Lazy { .. }));
    match &*expr.left {
        syn::Expr::Binary(left) if yields_value(&expr.op) && yields_value(&left.op) => Some(left),
        _ => None,
    }
}

impl Infer<'_> {
    pub(crate) fn infer_binary(&mut self, expr: &ExprBinary) -> Expr {
        // A sum of many terms nests deeply on the left, so a loop replaces recursion.
        let (mut first, mut rest) = (expr, Vec::new());
        while let Some(left) = left_chain(first) {
            rest.push(first);
            first = left;
        }
        let (left, right) = (&*first.left, &*first.right);
        let mut at = SpanRange::expr(left).to(SpanRange::expr(right));
        let mut value = match classify_operator(&first.op) {
            Some(Operator::Value(op)) => {
                let lhs = self.infer_expr(left, None);
                self.infer_arithmetic(op, first, lhs, at)
            }
            Some(Operator::Lazy { and }) => {
                let bool = self.prim(Prim::Bool);
                let lhs = self.infer_expr(left, Some(bool));
                self.infer_lazy(and, lhs, right, at)
            }
            Some(Operator::Compare(op)) => self.infer_comparison(op, left, right, at),
            Some(Operator::Update(op)) => self.infer_update(op, &first.op, left, right, at),
            None => {
                let reported = self.errors.report(at, "kernel code does not know this operator");
                self.make_reported(reported, at)
            }
        };
        for expr in rest.into_iter().rev() {
            self.diverges |= self.is_never(value.ty);
            at = at.to(SpanRange::expr(&expr.right));
            value = match classify_operator(&expr.op) {
                Some(Operator::Value(op)) => self.infer_arithmetic(op, expr, value, at),
                Some(Operator::Lazy { and }) => self.infer_lazy(and, value, &expr.right, at),
                Some(Operator::Compare(_) | Operator::Update(_)) | None => value,
            };
        }
        value
    }

    /// Infers an operand, dereferenced once: `&f32 + f32` is an `f32`.
    fn infer_operand(&mut self, expr: &syn::Expr, hint: Option<Ty>) -> Expr {
        let value = self.infer_expr(expr, hint);
        self.deref_once(value)
    }

    pub(crate) fn deref_once(&mut self, value: Expr) -> Expr {
        match self.types.get(value.ty) {
            Type::Ref { to, .. } => {
                let at = self.spans[value.at];
                self.make_expr(ExprKind::Deref(Box::new(value)), to, at)
            }
            _ => value,
        }
    }

    /// Dereferences the operands of an operator on vectors, or on vectors and numbers, once each;
    /// returns others unchanged.
    fn deref_vector_operands<const N: usize>(&mut self, operands: [Expr; N]) -> [Expr; N] {
        let is_vector = |operand: &Expr| self.vector_type(self.types.pointee(operand.ty)).is_some();
        let is_of_vectors = operands.iter().any(is_vector)
            && operands.iter().all(|operand| self.is_vector_operand(operand.ty));
        if is_of_vectors { operands.map(|operand| self.deref_once(operand)) } else { operands }
    }

    /// Returns true for a vector or a number, perhaps after a reference.
    fn is_vector_operand(&self, ty: Ty) -> bool {
        !self.is_overloaded(ty) || self.vector_type(self.types.pointee(ty)).is_some()
    }

    fn infer_arithmetic(
        &mut self,
        op: BinaryOp,
        expr: &ExprBinary,
        lhs: Expr,
        at: SpanRange,
    ) -> Expr {
        let (token, left, right) = (&expr.op, &*expr.left, &*expr.right);
        let rhs = self.infer_right_operand(token, lhs.ty, right);
        let [lhs, rhs] = self.deref_vector_operands([lhs, rhs]);
        if self.is_overloaded(lhs.ty) || self.is_overloaded(rhs.ty) {
            return match self.try_contract_product(token, [left, right], [lhs, rhs], at) {
                Ok(sum) => sum,
                Err(sides) => {
                    let [lhs, rhs] = *sides;
                    self.infer_overloaded(token, lhs, rhs, at)
                }
            };
        }
        let (lhs, rhs) = (self.deref_once(lhs), self.deref_once(rhs));
        self.unify_operands(op, &lhs, &rhs, at);
        let ty = lhs.ty;
        self.make_expr(ExprKind::Binary { op, lhs: Box::new(lhs), rhs: Box::new(rhs) }, ty, at)
    }

    /// Infers the right operand, with the only type that the operator takes as its hint.
    fn infer_right_operand(&mut self, token: &BinOp, lhs: Ty, right: &syn::Expr) -> Expr {
        let hint = match right {
            syn::Expr::MethodCall(_) => self.only_right_operand_type(token, lhs),
            right if depends_on_expected(right) => self.only_right_operand_type(token, lhs),
            _ => None,
        };
        self.infer_expr(right, hint)
    }

    /// Unifies the operand types of an operator on numbers, and registers its obligation.
    pub(crate) fn unify_operands(&mut self, op: BinaryOp, lhs: &Expr, rhs: &Expr, at: SpanRange) {
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            if let Type::Generic(_) = self.types.get(lhs.ty) {
                let u32 = self.prim(Prim::U32);
                self.unify(self.spans[rhs.at], rhs.ty, u32);
            }
            self.oblige(at, Obligation::Shift(lhs.ty, rhs.ty));
            return;
        }
        self.unify(self.spans[rhs.at], rhs.ty, lhs.ty);
        self.oblige(at, Obligation::Operator(op, lhs.ty));
    }

    fn infer_comparison(
        &mut self,
        op: CompareOp,
        left: &syn::Expr,
        right: &syn::Expr,
        at: SpanRange,
    ) -> Expr {
        let lhs = self.infer_operand(left, None);
        let rhs = self.infer_operand(right, Some(lhs.ty));
        self.make_comparison(op, lhs, rhs, at)
    }

    /// Makes a comparison of two values.
    pub(crate) fn make_comparison(
        &mut self,
        op: CompareOp,
        lhs: Expr,
        rhs: Expr,
        at: SpanRange,
    ) -> Expr {
        if self.is_slice(lhs.ty) || self.is_slice(rhs.ty) {
            return self.make_slice_comparison(op, lhs, rhs, at);
        }
        if self.is_compound(lhs.ty) || self.is_overloaded(rhs.ty) {
            return self.make_compound_comparison(op, lhs, rhs, at);
        }
        self.unify(self.spans[rhs.at], rhs.ty, lhs.ty);
        self.oblige(at, Obligation::Compared(lhs.ty));
        let bool = self.prim(Prim::Bool);
        self.make_expr(ExprKind::Compare { op, lhs: Box::new(lhs), rhs: Box::new(rhs) }, bool, at)
    }

    fn infer_lazy(&mut self, and: bool, lhs: Expr, right: &syn::Expr, at: SpanRange) -> Expr {
        let bool = self.prim(Prim::Bool);
        let lhs = Box::new(self.coerce(lhs, bool));
        // The right side may not run, so its divergence does not count.
        let diverges = self.diverges;
        let rhs = Box::new(self.infer_expr_coerce(right, bool));
        self.diverges = diverges;
        self.make_expr(ExprKind::Lazy { is_and: and, lhs, rhs }, bool, at)
    }

    fn infer_update(
        &mut self,
        op: BinaryOp,
        token: &BinOp,
        left: &syn::Expr,
        right: &syn::Expr,
        at: SpanRange,
    ) -> Expr {
        let place = self.infer_expr(left, None);
        self.require_settable(&place);
        let value = self.infer_right_operand(token, place.ty, right);
        let value = if self.is_vector_operand(place.ty) && self.is_vector_operand(value.ty) {
            self.deref_once(value)
        } else {
            value
        };
        if self.is_overloaded(place.ty) {
            return match self.try_contract_product(token, [left, right], [place, value], at) {
                Ok(sum) => sum,
                Err(sides) => {
                    let [place, value] = *sides;
                    self.infer_overloaded(token, place, value, at)
                }
            };
        }
        let by_reference = matches!(self.types.get(value.ty), Type::Ref { .. });
        let value = self.deref_once(value);
        self.unify_operands(op, &place, &value, at);
        let overloaded = by_reference
            || match self.types.get(place.ty) {
                Type::Prim(prim) => prim.is_half(),
                Type::Generic(_) => true,
                _ => false,
            };
        let unit = self.types.unit();
        let (place, value) = (Box::new(place), Box::new(value));
        self.make_expr(ExprKind::Update { op, place, value, overloaded }, unit, at)
    }

    pub(crate) fn infer_unary(&mut self, expr: &ExprUnary, hint: Option<Ty>) -> Expr {
        let at = SpanRange::expr(&expr.expr);
        let at = SpanRange { first: syn::spanned::Spanned::span(&expr.op), ..at };
        match expr.op {
            UnOp::Deref(_) => self.infer_deref(&expr.expr, at),
            UnOp::Neg(_) => {
                let value = self.infer_expr(&expr.expr, hint);
                let [value] = self.deref_vector_operands([value]);
                if self.is_overloaded(value.ty) {
                    return self.infer_overloaded_unary("Neg", "neg", value, at);
                }
                let value = self.deref_once(value);
                let ty = value.ty;
                self.oblige(at, Obligation::Negated(ty));
                self.make_expr(ExprKind::Unary { op: UnaryOp::Neg, value: Box::new(value) }, ty, at)
            }
            UnOp::Not(_) => {
                let value = self.infer_expr(&expr.expr, hint);
                let [value] = self.deref_vector_operands([value]);
                if self.is_overloaded(value.ty) {
                    return self.infer_overloaded_unary("Not", "not", value, at);
                }
                let value = self.deref_once(value);
                let ty = value.ty;
                self.oblige(at, Obligation::Inverted(ty));
                self.make_expr(ExprKind::Unary { op: UnaryOp::Not, value: Box::new(value) }, ty, at)
            }
            _ => {
                let reported = self.errors.report(at, "kernel code does not know this operator");
                self.make_reported(reported, at)
            }
        }
    }

    pub(crate) fn infer_cast(&mut self, expr: &ExprCast) -> Expr {
        let ty = self.resolve_type(&expr.ty);
        // A call does not take its type from a cast.
        let hint = match &*expr.expr {
            syn::Expr::Call(_) | syn::Expr::MethodCall(_) => None,
            _ => Some(ty),
        };
        let value = self.infer_expr(&expr.expr, hint);
        let at = SpanRange::expr(&expr.expr).to(SpanRange::tokens(&expr.ty));
        // `number as _` becomes what its use expects.
        if let Type::Unknown(_) = self.types.get(ty)
            && !self.types.is_number_like(value.ty)
        {
            self.unify(at, value.ty, ty);
        }
        if let Type::Pointer(_) = self.types.get(ty) {
            return self.coerce(value, ty);
        }
        self.oblige(at, Obligation::Cast(value.ty, ty));
        self.make_expr(ExprKind::Cast(Box::new(value)), ty, at)
    }
}
