//! Calls of library functions: inlined, as they were written, at the place of the call.
use super::{Emit, Flow, Frame, Value};
use crate::lower::{library::Math, program::Given, tree::At};
use warpwise_compiler::ir::{self, Body, CompareOp, InstId, Op, Scalar};

impl Emit<'_> {
    pub(super) fn math(&mut self, math: Math, args: &[InstId], of: Scalar, at: At) -> Flow<InstId> {
        match of {
            Scalar::F32 | Scalar::F64 => self.library_call(math, args, of, at),
            Scalar::F16 | Scalar::BF16 => self.math_by(math, args, [of, Scalar::F32], at),
            _ => self.math_of_any(math, args, of, at),
        }
    }

    /// For a type parameter both functions, of which specialization leaves one.
    fn math_of_any(&mut self, math: Math, args: &[InstId], of: Scalar, at: At) -> Flow<InstId> {
        let result = self.local("", of, at);
        // More than 1 where there are more than 24 bits.
        let more = self.float(1.0 + f64::EPSILON, of, at);
        let one = self.int(1, of, at);
        let wide = self.compare(CompareOp::Gt, more, one, at);
        let op = Op::If { cond: wide, then: Body::default(), other: Body::default() };
        self.begin(at, op, ir::Ty::Unit)?;
        let then = self.math_by(math, args, [of, Scalar::F64], at).map(|value| {
            self.inst(at, Op::Set { local: result, value }, ir::Ty::Unit);
        });
        self.build.otherwise();
        let other = self.math_by(math, args, [of, Scalar::F32], at).map(|value| {
            self.inst(at, Op::Set { local: result, value }, ir::Ty::Unit);
        });
        self.build.end();
        then.and(other)?;
        Ok(self.inst(at, Op::Get(result), of))
    }

    /// By the function of another type: that of `f32` for a narrower one, or the same one where
    /// that counts.
    fn math_by(
        &mut self,
        math: Math,
        args: &[InstId],
        [of, by]: [Scalar; 2],
        at: At,
    ) -> Flow<InstId> {
        let args: Vec<InstId> = args.iter().map(|arg| self.convert(*arg, of, by, at)).collect();
        let value = self.library_call(math, &args, by, at)?;
        Ok(self.convert(value, by, of, at))
    }

    fn library_call(&mut self, math: Math, args: &[InstId], of: Scalar, at: At) -> Flow<InstId> {
        let callee = self.program.math(math, of == Scalar::F64);
        let given = Given { args: Vec::new(), this: None };
        let made = self.program.instance(callee, &given, &[], self.errors);
        let Some(function) = made else { return Err(self.bug(at)) };
        let span = self.span(at);
        self.calls += 1;
        let mut frame = Frame::new(function.clone(), self.waiting.len(), self.calls);
        frame.of = Some((callee, given));
        frame.called = Some(span);
        frame.contract = false;
        let args: Vec<Value> = args.iter().map(|arg| Value::Scalar(*arg)).collect();
        let caller = self.enter(frame);
        let value = self.inlined(&function, &args);
        self.leave_call(caller);
        match value? {
            Value::Scalar(value) => Ok(value),
            Value::Unit
            | Value::Ref(_)
            | Value::Exchange(_)
            | Value::Parts(_)
            | Value::Variants(_)
            | Value::Array(_)
            | Value::Closure(_) => Err(self.bug(at)),
        }
    }
}
