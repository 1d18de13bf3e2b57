//! The kernel's requirements on its launches: conditions as launch-time sizes.
//!
//! The operands of a comparison are lowered like any value, traced back to values that a launch
//! knows, and discarded: the kernel does not compute them. `&&`, `||` and `!` stay as they are, so
//! that the launcher skips a right side that does not matter.
use crate::{
    attr::requires::Condition,
    hir::{Expr, ExprKind},
    lower::{Diverged, Flow, Lowerer, memory::dynamic::Purpose},
};
use warpwise_compiler::ir::{Body, Op, Requirement, Scalar, Size, Ty, UnaryOp};

impl Lowerer<'_> {
    /// Declares the kernel's requirements, whose source text is in `conditions`.
    pub(crate) fn lower_requirements(&mut self, conditions: &[Condition]) -> Flow<()> {
        let function = self.frame.function.clone();
        for (expr, condition) in function.requires.iter().zip(conditions) {
            let cond = self.lower_requirement(expr)?;
            let (text, span) = (condition.text.clone(), self.ir_span(expr.at));
            self.build.kernel.requires.push(Requirement { text, cond, span });
        }
        Ok(())
    }

    fn lower_requirement(&mut self, expr: &Expr) -> Flow<Size> {
        let constant = |truth: bool| Size::Const(Scalar::Bool, truth.into());
        match &expr.kind {
            ExprKind::Bool(truth) => Ok(constant(*truth)),
            ExprKind::Unary { op: UnaryOp::Not, value } => {
                Ok(Size::Unary(UnaryOp::Not, Box::new(self.lower_requirement(value)?)))
            }
            ExprKind::Lazy { is_and: true, lhs, rhs } => {
                let parts =
                    [self.lower_requirement(lhs)?, self.lower_requirement(rhs)?, constant(false)];
                Ok(Size::Select(Box::new(parts)))
            }
            ExprKind::Lazy { is_and: false, lhs, rhs } => {
                let parts =
                    [self.lower_requirement(lhs)?, constant(true), self.lower_requirement(rhs)?];
                Ok(Size::Select(Box::new(parts)))
            }
            _ => self.lower_comparison(expr),
        }
    }

    fn lower_comparison(&mut self, expr: &Expr) -> Flow<Size> {
        self.begin_body(expr.at, Op::Block { body: Body::default() }, Ty::Unit)?;
        let value = self.lower_scalar(expr);
        self.build.end();
        self.build.discard();
        let size = self.launch_size(value?, Purpose::Requirement)?;
        if self.errors.is_empty() { Ok(size) } else { Err(Diverged) }
    }
}
