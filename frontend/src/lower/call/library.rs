//! Calls of library functions: inlined, as they were written, at the place of the call.
use crate::{
    hir::SpanId,
    infer::program::InstanceArgs,
    lower::{Emit, Flow, Frame, Value},
    types::math::Math,
};
use warpwise_compiler::ir::{self, Body, CompareOp, InstId, LocalId, Op, Scalar};

impl Emit<'_> {
    pub(crate) fn math(
        &mut self,
        math: Math,
        args: &[InstId],
        of: Scalar,
        at: SpanId,
    ) -> Flow<Value> {
        let mut results = match of {
            Scalar::F32 | Scalar::F64 => self.library_call(math, args, of, at)?,
            Scalar::F16 | Scalar::BF16 => self.math_by(math, args, [of, Scalar::F32], at)?,
            _ => self.math_of_any(math, args, of, at)?,
        };
        if results.len() > 1 {
            return Ok(Value::Parts(results.into_iter().map(Value::Scalar).collect()));
        }
        results.pop().map(Value::Scalar).ok_or_else(|| self.bug(at))
    }

    /// For a type parameter both functions, of which specialization leaves one.
    fn math_of_any(
        &mut self,
        math: Math,
        args: &[InstId],
        of: Scalar,
        at: SpanId,
    ) -> Flow<Vec<InstId>> {
        let results: Vec<LocalId> = (0..math.results()).map(|_| self.local("", of, at)).collect();
        // More than 1 where there are more than 24 bits.
        let more = self.float(1.0 + f64::EPSILON, of, at);
        let one = self.int(1, of, at);
        let wide = self.compare(CompareOp::Gt, more, one, at);
        let op = Op::If { cond: wide, then: Body::default(), other: Body::default() };
        self.begin(at, op, ir::Ty::Unit)?;
        let then = self.math_by(math, args, [of, Scalar::F64], at);
        let then = then.map(|values| self.set_all(&results, &values, at));
        self.build.otherwise();
        let other = self.math_by(math, args, [of, Scalar::F32], at);
        let other = other.map(|values| self.set_all(&results, &values, at));
        self.build.end();
        then.and(other)?;
        Ok(results.into_iter().map(|result| self.inst(at, Op::Get(result), of)).collect())
    }

    fn set_all(&mut self, locals: &[LocalId], values: &[InstId], at: SpanId) {
        for (&local, &value) in locals.iter().zip(values) {
            self.inst(at, Op::Set { local, value }, ir::Ty::Unit);
        }
    }

    /// By the function of another type: that of `f32` for a narrower one, or the same one where
    /// that counts.
    fn math_by(
        &mut self,
        math: Math,
        args: &[InstId],
        [of, by]: [Scalar; 2],
        at: SpanId,
    ) -> Flow<Vec<InstId>> {
        let args: Vec<InstId> = args.iter().map(|arg| self.convert(*arg, of, by, at)).collect();
        let values = self.library_call(math, &args, by, at)?;
        Ok(values.into_iter().map(|value| self.convert(value, by, of, at)).collect())
    }

    fn library_call(
        &mut self,
        math: Math,
        args: &[InstId],
        of: Scalar,
        at: SpanId,
    ) -> Flow<Vec<InstId>> {
        let callee = self.program.math_function(math, of == Scalar::F64);
        let given = InstanceArgs { args: Vec::new(), self_ty: None };
        let made = self.program.instantiate(callee, &given, &[], self.errors);
        let Some(function) = made else { return Err(self.bug(at)) };
        let span = self.span(at);
        self.calls += 1;
        let mut frame = Frame::new(function.clone(), self.waiting.len(), self.calls);
        frame.of = Some((callee, given));
        frame.called = Some(span);
        frame.checks_overflow = false;
        frame.contract = false;
        let args: Vec<Value> = args.iter().map(|arg| Value::Scalar(*arg)).collect();
        let caller = self.enter(frame);
        let value = self.inlined(&function, &args);
        self.leave_call(caller);
        self.scalars(value?, at)
    }

    /// The numbers that a value consists of.
    fn scalars(&mut self, value: Value, at: SpanId) -> Flow<Vec<InstId>> {
        match value {
            Value::Scalar(value) => Ok(vec![value]),
            Value::Parts(parts) => {
                let parts = parts.iter().map(|part| self.scalars(part.clone(), at));
                Ok(parts.collect::<Flow<Vec<_>>>()?.concat())
            }
            Value::Unit
            | Value::Ref(_)
            | Value::Variants(_)
            | Value::Array(_)
            | Value::Closure(_) => Err(self.bug(at)),
        }
    }
}
