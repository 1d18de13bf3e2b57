//! Literals of numbers and bytes.
use crate::{
    hir::{Expr, ExprKind},
    infer::{Infer, Obligation},
    syntax::span::SpanRange,
    types::{Class, Prim, Ty, Type},
};
use syn::{Lit, LitInt};
use warpwise_compiler::ir::{Extent, UnaryOp};

impl Infer<'_> {
    /// Infers `b"text"`, a reference to an array.
    pub(crate) fn infer_byte_string(&mut self, bytes: &[u8], at: SpanRange) -> Expr {
        let elem = self.prim(Prim::U8);
        let values = bytes
            .iter()
            .map(|&byte| self.make_expr(ExprKind::Int(byte.into()), elem, at))
            .collect();
        let len = self.types.len(Extent::Const(bytes.len() as u64));
        let array = self.types.add(Type::Array(elem, len));
        let values = self.make_expr(ExprKind::Array(values), array, at);
        let ty = self.types.reference(false, array);
        self.make_expr(ExprKind::Borrow(Box::new(values)), ty, at)
    }

    pub(crate) fn infer_int_literal(
        &mut self,
        int: &LitInt,
        lit: &Lit,
        hint: Option<Ty>,
        at: SpanRange,
    ) -> Expr {
        if matches!(int.suffix(), "f32" | "f64") {
            return self.infer_float_literal(int.base10_digits(), int.suffix(), lit, hint, at);
        }
        // Literals in patterns include their sign.
        let digits = int.base10_digits();
        let (negative, digits) = match digits.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, digits),
        };
        let Ok(value) = digits.parse::<u128>() else {
            let reported = self.errors.mistyped(at, "integer literal is too large");
            return self.make_reported(reported, at);
        };
        let Some(ty) = self.literal_type(int.suffix(), Class::Int, lit, hint) else {
            let help = "use integers of at most 64 bits";
            let fact = format!("kernel code cannot use the type `{}`", int.suffix());
            let reported = self.errors.advise(at, fact, help);
            return self.make_reported(reported, at);
        };
        let value = self.make_expr(ExprKind::Int(value), ty, at);
        if !negative {
            return value;
        }
        self.oblige(at, Obligation::Negated(ty));
        self.make_expr(ExprKind::Unary { op: UnaryOp::Neg, value: Box::new(value) }, ty, at)
    }

    pub(crate) fn infer_float_literal(
        &mut self,
        digits: &str,
        suffix: &str,
        lit: &Lit,
        hint: Option<Ty>,
        at: SpanRange,
    ) -> Expr {
        let Some(ty) = self.literal_type(suffix, Class::Float, lit, hint) else {
            let fact = format!("kernel code cannot use the type `{suffix}`");
            let reported = match Prim::from_name(suffix) {
                Some(_) => {
                    let fact = format!("there are no literals of type `{suffix}`");
                    self.errors.advise(at, fact, "write for example `f16::from_f32(1.5)`")
                }
                None if matches!(suffix, "f16" | "f128") => {
                    self.errors.advise(at, fact, "use `f32` or `f64`")
                }
                None => self.errors.mistyped(at, fact),
            };
            return self.make_reported(reported, at);
        };
        self.make_expr(ExprKind::Float(digits.into()), ty, at)
    }

    /// Returns the type of the suffix, or the hint if it suits the literal, or an unknown type,
    /// which the witness annotates.
    fn literal_type(
        &mut self,
        suffix: &str,
        class: Class,
        lit: &Lit,
        hint: Option<Ty>,
    ) -> Option<Ty> {
        if !suffix.is_empty() {
            let prim = Prim::from_name(suffix).filter(|prim| !prim.is_half());
            return prim.map(|prim| self.prim(prim));
        }
        let fits = |prim: Prim| match class {
            Class::Int => prim.is_int(),
            Class::Float => prim.is_float() && !prim.is_half(),
            Class::Any => true,
        };
        let hinted = hint.and_then(|hint| self.types.as_prim(hint)).filter(|prim| fits(*prim));
        let ty = match hinted {
            Some(prim) => self.prim(prim),
            None => self.types.unknown(class),
        };
        self.notes.record_literal(lit, ty);
        Some(ty)
    }
}
