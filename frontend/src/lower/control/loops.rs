//! Lowering of loops.
use crate::{
    hir::{Block, Expr, ExprKind, ForRange, Label, PatternKind, SpanId},
    lower::{Diverged, Flow, JumpTarget, Lowerer, Place, Value},
};
use warpwise_compiler::{
    id::Id as _,
    ir::{self, BinaryOp, Body, CompareOp, Fault, InstId, Op, Scalar},
};

/// Range that a loop counts through.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CountedRange {
    pub(crate) start: InstId,
    pub(crate) end: InstId,
    /// A `u64` that is not zero.
    pub(crate) step: Option<InstId>,
    pub(crate) inclusive: bool,
    /// True if the loop counts from the end.
    pub(crate) reverse: bool,
    /// Type of the bounds.
    pub(crate) scalar: Scalar,
}

/// Loop body: takes the loop, and a function that computes the current value.
pub(crate) type CountedBody<'r, E> =
    dyn FnMut(&mut E, InstId, &mut dyn FnMut(&mut E) -> InstId) -> Flow<()> + 'r;

impl Lowerer<'_> {
    pub(crate) fn lower_loop(&mut self, label: Label, body: &Block, expr: &Expr) -> Flow<Value> {
        let result = self.new_result(expr)?;
        let inst = self.begin_body(expr.at, Op::Loop { body: Body::default() }, ir::Ty::Unit)?;
        self.frame.labels[label.index()] = Some(JumpTarget::new(inst, result.clone()));
        // The end of the body starts the next iteration, reachable or not.
        let _ = self.lower_block(body);
        self.build.end();
        if self.frame.function.labels[label].broken {
            self.take_result(result.as_ref(), expr)
        } else {
            Err(Diverged)
        }
    }

    /// Lowers `while`. The body stands in the branch where the condition is true, so that analyses
    /// see the condition hold in it.
    pub(crate) fn lower_while(
        &mut self,
        label: Label,
        cond: &Expr,
        body: &Block,
        at: SpanId,
    ) -> Flow<Value> {
        let inst = self.begin_body(at, Op::Loop { body: Body::default() }, ir::Ty::Unit)?;
        self.frame.labels[label.index()] = Some(JumpTarget::new(inst, None));
        let body = self.lower_while_iteration(inst, cond, body, at);
        self.build.end();
        body.map(|()| Value::Unit)
    }

    fn lower_while_iteration(
        &mut self,
        inst: InstId,
        cond: &Expr,
        body: &Block,
        at: SpanId,
    ) -> Flow<()> {
        let mut opened = 0;
        let cond = self.lower_conditions(cond, &mut opened);
        let done = cond.and_then(|cond| self.lower_while_body(inst, cond, body, opened > 0, at));
        self.close_bodies(opened);
        if opened > 0 {
            self.push_inst(at, Op::Break(inst), ir::Ty::Unit);
            return Ok(());
        }
        done
    }

    /// Lowers the body for a true `cond`. Inside other conditions, the code after them leaves the
    /// loop, and so the body ends with a `continue`.
    fn lower_while_body(
        &mut self,
        inst: InstId,
        cond: InstId,
        body: &Block,
        inside: bool,
        at: SpanId,
    ) -> Flow<()> {
        if self.constant_condition(cond) == Some(false) {
            if !inside {
                self.push_inst(at, Op::Break(inst), ir::Ty::Unit);
            }
            return Ok(());
        }
        if inside {
            let opened = self.open_if(cond, at)?;
            if self.lower_block(body).is_ok() {
                self.push_inst(at, Op::Continue(inst), ir::Ty::Unit);
            }
            self.close_bodies(opened);
            return Ok(());
        }
        let op = Op::If { cond, then: Body::default(), other: Body::default() };
        self.begin_body(at, op, ir::Ty::Unit)?;
        let _ = self.lower_block(body);
        self.build.otherwise();
        self.push_inst(at, Op::Break(inst), ir::Ty::Unit);
        self.build.end();
        Ok(())
    }

    pub(crate) fn lower_for(&mut self, for_loop: &ForRange, at: SpanId) -> Flow<Value> {
        let scalar = self.expect_scalar_type(for_loop.ty, at)?;
        let start = self.lower_scalar(&for_loop.start)?;
        let end = self.lower_scalar(&for_loop.end)?;
        let step = for_loop.step.as_ref().map(|step| self.lower_step(step)).transpose()?;
        let (inclusive, reverse) = (for_loop.inclusive, for_loop.reverse);
        let counted = CountedRange { start, end, step, inclusive, reverse, scalar };
        self.lower_counted_loop(&counted, at, &mut |this, inst, variable| {
            this.lower_for_body(for_loop, inst, variable)
        })?;
        Ok(Value::Unit)
    }

    /// Lowers a loop over a range.
    pub(crate) fn lower_counted_loop(
        &mut self,
        range: &CountedRange,
        at: SpanId,
        body: &mut CountedBody<'_, Self>,
    ) -> Flow<()> {
        match range.step {
            None => self.lower_range_loop(range, at, body),
            // The step may not fit into the type, or starts from the other end: the loop counts the
            // distance from its start instead, in 64 bits.
            Some(step) if range.reverse || range.scalar != Scalar::U64 => {
                self.lower_distance_loop(range, step, at, body)
            }
            Some(_) => self.lower_range_loop(range, at, body),
        }
    }

    /// Lowers the step: a `u64` that is not zero.
    fn lower_step(&mut self, step: &Expr) -> Flow<InstId> {
        let value = self.lower_scalar(step)?;
        if !matches!(step.kind, ExprKind::Int(1..)) {
            let zero = self.push_int(0, Scalar::U64, step.at);
            let cond = self.push_compare(CompareOp::Ne, value, zero, step.at);
            self.push_check(cond, Fault::StepByZero, step.at);
        }
        Ok(value)
    }

    /// Lowers the loop over the range itself; in reverse, the variable counts down from the end.
    fn lower_range_loop(
        &mut self,
        range: &CountedRange,
        at: SpanId,
        body: &mut CountedBody<'_, Self>,
    ) -> Flow<()> {
        let CountedRange { start, end, step, inclusive, reverse, scalar } = *range;
        let step = step.unwrap_or_else(|| self.push_int(1, scalar, at));
        let op = Op::For { start, end, step, inclusive, body: Body::default() };
        let inst = self.begin_body(at, op, scalar)?;
        let result = body(self, inst, &mut |this| {
            if !reverse {
                return inst;
            }
            let distance = this.push_binary(BinaryOp::Sub, inst, start, scalar, at);
            this.value_before_end(end, distance, inclusive, scalar, at)
        });
        self.build.end();
        result
    }

    /// Lowers the loop over the distance from the start of the range.
    fn lower_distance_loop(
        &mut self,
        range: &CountedRange,
        step: InstId,
        at: SpanId,
        body: &mut CountedBody<'_, Self>,
    ) -> Flow<()> {
        let order = if range.inclusive { CompareOp::Le } else { CompareOp::Lt };
        let cond = self.push_compare(order, range.start, range.end, at);
        let op = Op::If { cond, then: Body::default(), other: Body::default() };
        self.begin_body(at, op, ir::Ty::Unit)?;
        let result = self.lower_nonempty_distance_loop(range, step, at, body);
        self.build.end();
        result
    }

    /// Lowers the loop over the distance, given that the range is not empty.
    fn lower_nonempty_distance_loop(
        &mut self,
        range: &CountedRange,
        step: InstId,
        at: SpanId,
        body: &mut CountedBody<'_, Self>,
    ) -> Flow<()> {
        let CountedRange { start, end, inclusive, reverse, scalar, .. } = *range;
        let whole = self.push_binary(BinaryOp::Sub, end, start, scalar, at);
        let unsigned = unsigned_of_same_size(scalar);
        let whole = self.push_convert(whole, scalar, unsigned, at);
        let whole = self.push_convert(whole, unsigned, Scalar::U64, at);
        let zero = self.push_int(0, Scalar::U64, at);
        let op = Op::For { start: zero, end: whole, step, inclusive, body: Body::default() };
        let inst = self.begin_body(at, op, Scalar::U64)?;
        let result = body(self, inst, &mut |this| {
            let distance = this.push_convert(inst, Scalar::U64, scalar, at);
            if reverse {
                this.value_before_end(end, distance, inclusive, scalar, at)
            } else {
                this.push_binary(BinaryOp::Add, start, distance, scalar, at)
            }
        });
        self.build.end();
        result
    }

    /// Returns the value at this distance before the last one of the range.
    fn value_before_end(
        &mut self,
        end: InstId,
        distance: InstId,
        inclusive: bool,
        scalar: Scalar,
        at: SpanId,
    ) -> InstId {
        let last = if inclusive {
            end
        } else {
            let one = self.push_int(1, scalar, at);
            self.push_binary(BinaryOp::Sub, end, one, scalar, at)
        };
        self.push_binary(BinaryOp::Sub, last, distance, scalar, at)
    }

    fn lower_for_body(
        &mut self,
        for_loop: &ForRange,
        inst: InstId,
        variable: &mut dyn FnMut(&mut Self) -> InstId,
    ) -> Flow<()> {
        self.frame.labels[for_loop.label.index()] = Some(JumpTarget::new(inst, None));
        if !matches!(for_loop.pattern.kind, PatternKind::Wild) {
            let place = Place::Value(Value::Scalar(variable(self)));
            let mono = self.mono_type(for_loop.ty, for_loop.pattern.at)?;
            self.bind_pattern(&for_loop.pattern, &place, &mono)?;
        }
        let _ = self.lower_block(&for_loop.body);
        Ok(())
    }
}

/// Returns the unsigned integer of the same size.
pub(crate) const fn unsigned_of_same_size(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::I8 => Scalar::U8,
        Scalar::I16 => Scalar::U16,
        Scalar::I32 => Scalar::U32,
        Scalar::I64 => Scalar::U64,
        Scalar::Bool
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::U64
        | Scalar::F16
        | Scalar::BF16
        | Scalar::F32
        | Scalar::F64
        | Scalar::Generic(_) => scalar,
    }
}
