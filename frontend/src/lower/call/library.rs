//! Calls of mathematical library functions: inlined at the call, without contraction.
use crate::{
    hir::SpanId,
    infer::program::InstanceArgs,
    lower::{Flow, Frame, Lowerer, Value},
    types::math::Math,
};
use warpwise_compiler::ir::{self, Body, CompareOp, InstId, LocalId, Op, Scalar};

impl Lowerer<'_> {
    pub(crate) fn lower_math(
        &mut self,
        math: Math,
        args: &[InstId],
        scalar: Scalar,
        at: SpanId,
    ) -> Flow<Value> {
        let mut results = match scalar {
            Scalar::F32 | Scalar::F64 => self.call_library(math, args, scalar, at)?,
            Scalar::F16 | Scalar::BF16 => {
                self.call_math_as(math, args, [scalar, Scalar::F32], at)?
            }
            _ => self.lower_generic_math(math, args, scalar, at)?,
        };
        if results.len() > 1 {
            return Ok(Value::Parts(results.into_iter().map(Value::Scalar).collect()));
        }
        results.pop().map(Value::Scalar).ok_or_else(|| self.report_bug(at))
    }

    /// Lowers the call for a type parameter: with both the `f32` and the `f64` function, of which
    /// specialization keeps one.
    fn lower_generic_math(
        &mut self,
        math: Math,
        args: &[InstId],
        scalar: Scalar,
        at: SpanId,
    ) -> Flow<Vec<InstId>> {
        let results: Vec<LocalId> =
            (0..math.results()).map(|_| self.new_local("", scalar, at)).collect();
        // The sum exceeds 1 only in types with more than 24 bits of precision.
        let more = self.push_float(1.0 + f64::EPSILON, scalar, at);
        let one = self.push_int(1, scalar, at);
        let wide = self.push_compare(CompareOp::Gt, more, one, at);
        let op = Op::If { cond: wide, then: Body::default(), other: Body::default() };
        self.begin_body(at, op, ir::Ty::Unit)?;
        let then = self.call_math_as(math, args, [scalar, Scalar::F64], at);
        let then = then.map(|values| self.set_locals(&results, &values, at));
        self.build.otherwise();
        let other = self.call_math_as(math, args, [scalar, Scalar::F32], at);
        let other = other.map(|values| self.set_locals(&results, &values, at));
        self.build.end();
        then.and(other)?;
        Ok(results.into_iter().map(|result| self.push_inst(at, Op::Get(result), scalar)).collect())
    }

    fn set_locals(&mut self, locals: &[LocalId], values: &[InstId], at: SpanId) {
        for (&local, &value) in locals.iter().zip(values) {
            self.push_inst(at, Op::Set { local, value }, ir::Ty::Unit);
        }
    }

    /// Calls the function of another type: that of `f32` for a narrower type, or the type itself
    /// where specialization decides.
    fn call_math_as(
        &mut self,
        math: Math,
        args: &[InstId],
        [scalar, callee_type]: [Scalar; 2],
        at: SpanId,
    ) -> Flow<Vec<InstId>> {
        let args: Vec<InstId> =
            args.iter().map(|arg| self.push_convert(*arg, scalar, callee_type, at)).collect();
        let values = self.call_library(math, &args, callee_type, at)?;
        Ok(values
            .into_iter()
            .map(|value| self.push_convert(value, callee_type, scalar, at))
            .collect())
    }

    fn call_library(
        &mut self,
        math: Math,
        args: &[InstId],
        scalar: Scalar,
        at: SpanId,
    ) -> Flow<Vec<InstId>> {
        let callee = self.program.math_function(math, scalar == Scalar::F64);
        let given = InstanceArgs { args: Vec::new(), self_ty: None };
        let made = self.program.instantiate(callee, &given, &[], self.errors);
        let Some(function) = made else { return Err(self.report_bug(at)) };
        let span = self.ir_span(at);
        self.call_count += 1;
        let mut frame = Frame::new(function.clone(), self.callers.len(), self.call_count);
        frame.callee = Some((callee, given));
        frame.call_span = Some(span);
        frame.checks_overflow = false;
        frame.contract = false;
        let args: Vec<Value> = args.iter().map(|arg| Value::Scalar(*arg)).collect();
        let caller = self.enter_frame(frame);
        let value = self.inline_body(&function, &args);
        self.leave_frame(caller);
        self.collect_scalars(value?, at)
    }

    /// Returns the numbers that make up a value.
    fn collect_scalars(&mut self, value: Value, at: SpanId) -> Flow<Vec<InstId>> {
        match value {
            Value::Scalar(value) => Ok(vec![value]),
            Value::Parts(parts) => {
                let parts = parts.iter().map(|part| self.collect_scalars(part.clone(), at));
                Ok(parts.collect::<Flow<Vec<_>>>()?.concat())
            }
            Value::Unit
            | Value::Ref(_)
            | Value::Variants(_)
            | Value::Array(_)
            | Value::Closure(_) => Err(self.report_bug(at)),
        }
    }
}
