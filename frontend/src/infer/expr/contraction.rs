//! Contraction of vector arithmetic: `a * b + c` where the product is a vector.
//!
//! The rule is that of numbers, on the source: in `l + r`, `l - r`, `+=` and `-=`, a side that is a
//! product, through parentheses and unary minus, is not rounded separately; if both are, the left
//! one. Such a sum becomes a call of a library function with a lane's sum and product in one
//! expression, which is then contracted, or not, as for numbers.
use crate::{
    hir::{Call, Expr, ExprKind},
    infer::{
        Infer,
        traits::member::{Member, MemberKind},
    },
    resolve::device_set::Callee,
    syntax::span::SpanRange,
    types::{Ty, vector::Vector},
};
use syn::{BinOp, UnOp};

/// A product of vectors, or of a vector and a number.
struct Product {
    a: Expr,
    b: Expr,
    negated: bool,
}

/// The position of a product in a sum.
#[derive(Clone, Copy)]
enum ProductSide {
    Left,
    Right,
    /// The right side of `+=` or `-=`.
    Assigned,
}

/// Returns true if the source has a product here.
fn is_product(expr: &syn::Expr) -> bool {
    match expr {
        syn::Expr::Paren(expr) => is_product(&expr.expr),
        syn::Expr::Group(expr) => is_product(&expr.expr),
        syn::Expr::Unary(expr) => matches!(expr.op, UnOp::Neg(_)) && is_product(&expr.expr),
        syn::Expr::Binary(expr) => matches!(expr.op, BinOp::Mul(_)),
        _ => false,
    }
}

impl Infer<'_> {
    /// Infers `lhs + rhs` and the like, where a side is a product of vectors; returns both sides if
    /// none is.
    pub(crate) fn try_contract_product(
        &mut self,
        token: &BinOp,
        written: [&syn::Expr; 2],
        [lhs, rhs]: [Expr; 2],
        at: SpanRange,
    ) -> Result<Expr, Box<[Expr; 2]>> {
        let (minus, assigned) = match token {
            BinOp::Add(_) => (false, false),
            BinOp::Sub(_) => (true, false),
            BinOp::AddAssign(_) => (false, true),
            BinOp::SubAssign(_) => (true, true),
            _ => return Err(Box::new([lhs, rhs])),
        };
        let lhs = if !assigned && is_product(written[0]) {
            match self.try_product(lhs) {
                Ok(product) => {
                    return Ok(self.make_product_sum(product, rhs, (ProductSide::Left, minus), at));
                }
                Err(lhs) => lhs,
            }
        } else {
            lhs
        };
        if !is_product(written[1]) || assigned && self.vector_type(lhs.ty).is_none() {
            return Err(Box::new([lhs, rhs]));
        }
        match self.try_product(rhs) {
            Ok(product) => {
                let side = if assigned { ProductSide::Assigned } else { ProductSide::Right };
                Ok(self.make_product_sum(product, lhs, (side, minus), at))
            }
            Err(rhs) => Err(Box::new([lhs, rhs])),
        }
    }

    /// Returns the factors if an expression is a product of float vectors.
    fn try_product(&self, expr: Expr) -> Result<Product, Expr> {
        let contracts = |vector: Vector| vector.lane.is_float() && !vector.lane.is_half();
        if !self.vector_type(expr.ty).is_some_and(contracts) {
            return Err(expr);
        }
        let Expr { kind: ExprKind::Call(call), ty, at } = expr else { return Err(expr) };
        let back = |call: Box<Call>| Err(Expr { kind: ExprKind::Call(call), ty, at });
        if self.is_vector_operator(call.callee, "Neg") {
            let mut args = call.args.into_iter();
            let inner = args.next().expect("a method has a receiver");
            return match self.try_product(inner) {
                Ok(product) => Ok(Product { negated: !product.negated, ..product }),
                Err(inner) => back(Box::new(Call { args: vec![inner], ..*call })),
            };
        }
        if !self.is_vector_operator(call.callee, "Mul") {
            return back(call);
        }
        match <[Expr; 2]>::try_from(call.args) {
            Ok([a, b]) => Ok(Product { a, b, negated: false }),
            Err(args) => back(Box::new(Call { args, ..*call })),
        }
    }

    /// Returns true for the function of a vector's `impl` of an operator.
    fn is_vector_operator(&self, callee: Callee, of_trait: &str) -> bool {
        let Some(syn::Item::Impl(defined)) = self.program().item(callee.item) else { return false };
        let named = defined.trait_.as_ref().and_then(|(path, _)| path.segments.last());
        self.program().is_in_std_lib(callee.item)
            && named.is_some_and(|named| named.ident == of_trait)
    }

    fn make_product_sum(
        &mut self,
        Product { a, b, negated }: Product,
        c: Expr,
        (side, minus): (ProductSide, bool),
        at: SpanRange,
    ) -> Expr {
        let this = if self.vector_type(a.ty).is_some() { a.ty } else { b.ty };
        let [a, b] = [a, b].map(|factor| self.make_splat(factor, this));
        let name = match (side, negated, minus) {
            (ProductSide::Left, false, false) => "product_plus",
            (ProductSide::Left, false, true) => "product_minus",
            (ProductSide::Left, true, false) => "negated_plus",
            (ProductSide::Left, true, true) => "negated_minus",
            (ProductSide::Right, false, false) => "plus_product",
            (ProductSide::Right, false, true) => "minus_product",
            (ProductSide::Right, true, false) => "plus_negated",
            (ProductSide::Right, true, true) => "minus_negated",
            (ProductSide::Assigned, false, false) => "add_product",
            (ProductSide::Assigned, false, true) => "sub_product",
            (ProductSide::Assigned, true, false) => "add_negated",
            (ProductSide::Assigned, true, true) => "sub_negated",
        };
        let args = match side {
            ProductSide::Left => vec![a, b, self.make_splat(c, this)],
            ProductSide::Right => vec![self.make_splat(c, this), a, b],
            ProductSide::Assigned => {
                self.unify(at, c.ty, this);
                let place = self.types.reference(true, c.ty);
                vec![self.make_expr(ExprKind::Borrow(Box::new(c)), place, at), a, b]
            }
        };
        let ret = if matches!(side, ProductSide::Assigned) { self.types.unit() } else { this };
        self.make_vector_call(this, name, args, ret, at)
    }

    /// Makes a vector with equal lanes from a number; returns a vector unchanged.
    fn make_splat(&mut self, value: Expr, this: Ty) -> Expr {
        let at = self.spans[value.at];
        match self.vector_type(value.ty) {
            Some(_) => {
                self.unify(at, value.ty, this);
                value
            }
            None => {
                let lane = self.vector_type(this).map(|vector| self.prim(vector.lane));
                if let Some(lane) = lane {
                    self.unify(at, value.ty, lane);
                }
                self.make_vector_call(this, "splatted", vec![value], this, at)
            }
        }
    }

    fn make_vector_call(
        &mut self,
        this: Ty,
        name: &str,
        args: Vec<Expr>,
        ret: Ty,
        at: SpanRange,
    ) -> Expr {
        let Some(Member { callee, env, kind: MemberKind::Fn(_) }) =
            self.find_member(this, name, None)
        else {
            let reported = self.errors.mistyped(at, "this is no sum of vectors");
            return self.make_reported(reported, at);
        };
        let call = Call { callee, generics: Vec::new(), self_ty: env.self_ty, args };
        self.make_expr(ExprKind::Call(Box::new(call)), ret, at)
    }
}
