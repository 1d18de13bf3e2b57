//! The kernel's requirements on its launches: conditions as launch-time sizes.
//!
//! The operands of a comparison are lowered like any value, traced back to values that a launch
//! knows, and discarded: the kernel does not compute them. `&&`, `||` and `!` stay as they are, so
//! that the launcher skips a right side that does not matter.
use crate::{
    attr::requires::Condition,
    hir::{Expr, ExprKind, SpanId},
    infer::program::ArrayForm,
    lower::{Diverged, Flow, Lowerer, memory::dynamic::Purpose},
};
use warpwise_compiler::{
    id::Id as _,
    ir::{BinaryOp, Body, CompareOp, Op, ParamId, Requirement, Scalar, Size, Ty, UnaryOp},
};

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

    /// Requires of a launch that the slice of an array parameter has all of its elements. `first`
    /// is the parameter of the slice; those of the extents and the pitch follow.
    pub(crate) fn require_array(
        &mut self,
        form: ArrayForm,
        first: ParamId,
        name: &str,
        at: SpanId,
    ) {
        let field = |index: usize| Box::new(Size::Param(ParamId::new(first.index() + index)));
        let binary =
            |op, lhs: Box<Size>, rhs: Box<Size>| Box::new(Size::Binary(op, Box::new([*lhs, *rhs])));
        let (rows, columns, pitch) = match form {
            ArrayForm::Rows => (field(1), field(2), field(3)),
            // A launch makes textures and tensor maps of what is one. Surfaces have requirements of
            // their own.
            ArrayForm::Texture
            | ArrayForm::Surface(_)
            | ArrayForm::TensorRows
            | ArrayForm::TensorLayers => return,
            ArrayForm::Layers => (binary(BinaryOp::Mul, field(1), field(2)), field(3), field(4)),
        };
        let at_most =
            |lhs: Box<Size>, rhs: Box<Size>| Size::Compare(CompareOp::Le, Box::new([*lhs, *rhs]));
        // The last row may end with its last element. Stated as sums, since there may be no row.
        let pitched_rows = binary(BinaryOp::Mul, rows, pitch.clone());
        let needed = binary(BinaryOp::Add, pitched_rows, columns.clone());
        let len = Box::new(Size::Len(first));
        let conditions =
            [at_most(columns, pitch.clone()), at_most(needed, binary(BinaryOp::Add, len, pitch))];
        let span = self.ir_span(at);
        for cond in conditions {
            let text = format!("the slice of `{name}` has all of its elements");
            self.build.kernel.requires.push(Requirement { text, cond, span });
        }
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
