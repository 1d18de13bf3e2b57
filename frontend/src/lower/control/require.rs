//! What the kernel requires of its launches: conditions as sizes.
//!
//! What a condition compares is emitted like any value, followed back to what a launch knows, and
//! thrown away: the kernel does not compute it. `&&`, `||` and `!` are kept as they are, so that
//! the launcher computes no right side that does not count.
use crate::{
    attr::requires::Condition,
    hir::{Expr, ExprKind},
    lower::{Emit, Flow, Left, memory::dynamic::Purpose},
};
use warpwise_compiler::ir::{Body, Op, Requirement, Scalar, Size, Ty, UnaryOp};

impl Emit<'_> {
    /// Declares the requirements of the kernel, which were written as `conditions`.
    pub(crate) fn requirements(&mut self, conditions: &[Condition]) -> Flow<()> {
        let function = self.frame.function.clone();
        for (expr, condition) in function.requires.iter().zip(conditions) {
            let cond = self.required(expr)?;
            let (text, span) = (condition.text.clone(), self.span(expr.at));
            self.build.kernel.requires.push(Requirement { text, cond, span });
        }
        Ok(())
    }

    fn required(&mut self, expr: &Expr) -> Flow<Size> {
        let constant = |truth: bool| Size::Const(Scalar::Bool, truth.into());
        match &expr.kind {
            ExprKind::Bool(truth) => Ok(constant(*truth)),
            ExprKind::Unary { op: UnaryOp::Not, value } => {
                Ok(Size::Unary(UnaryOp::Not, Box::new(self.required(value)?)))
            }
            ExprKind::Lazy { is_and: true, lhs, rhs } => {
                let parts = [self.required(lhs)?, self.required(rhs)?, constant(false)];
                Ok(Size::Select(Box::new(parts)))
            }
            ExprKind::Lazy { is_and: false, lhs, rhs } => {
                let parts = [self.required(lhs)?, constant(true), self.required(rhs)?];
                Ok(Size::Select(Box::new(parts)))
            }
            _ => self.comparison(expr),
        }
    }

    fn comparison(&mut self, expr: &Expr) -> Flow<Size> {
        self.begin(expr.at, Op::Block { body: Body::default() }, Ty::Unit)?;
        let value = self.scalar(expr);
        self.build.end();
        self.build.discard();
        let size = self.known_size(value?, Purpose::Requirement)?;
        if self.errors.is_empty() { Ok(size) } else { Err(Left) }
    }
}
