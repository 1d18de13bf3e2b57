//! Loops.
use crate::{
    hir::{Block, Expr, ExprKind, ForRange, Label, PatternKind, SpanId},
    lower::{Emit, Flow, Left, Place, Target, Value},
};
use warpwise_compiler::{
    id::Id as _,
    ir::{self, BinaryOp, Body, CompareOp, Fault, InstId, Op, Scalar},
};

/// A range that is counted through.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted {
    pub(crate) start: InstId,
    pub(crate) end: InstId,
    /// A `u64` that is not zero.
    pub(crate) step: Option<InstId>,
    pub(crate) inclusive: bool,
    /// Whether it is counted through from its end.
    pub(crate) reverse: bool,
    /// Type of the ends.
    pub(crate) scalar: Scalar,
}

/// What is repeated: it gets the loop, and what computes the value at hand.
pub(crate) type Round<'r, E> =
    dyn FnMut(&mut E, InstId, &mut dyn FnMut(&mut E) -> InstId) -> Flow<()> + 'r;

impl Emit<'_> {
    pub(crate) fn endless_loop(&mut self, label: Label, body: &Block, expr: &Expr) -> Flow<Value> {
        let result = self.result(expr)?;
        let inst = self.begin(expr.at, Op::Loop { body: Body::default() }, ir::Ty::Unit)?;
        self.frame.labels[label.index()] = Some(Target::new(inst, result.clone()));
        // Its end is the start of the next iteration, whether or not control gets there.
        let _ = self.block(body);
        self.build.end();
        if self.frame.function.labels[label].broken {
            self.take(result.as_ref(), expr)
        } else {
            Err(Left)
        }
    }

    /// The body stands where the condition is true, for those who ask what holds in it.
    pub(crate) fn while_loop(
        &mut self,
        label: Label,
        cond: &Expr,
        body: &Block,
        at: SpanId,
    ) -> Flow<Value> {
        let inst = self.begin(at, Op::Loop { body: Body::default() }, ir::Ty::Unit)?;
        self.frame.labels[label.index()] = Some(Target::new(inst, None));
        let round = self.while_round(inst, cond, body, at);
        self.build.end();
        round.map(|()| Value::Unit)
    }

    fn while_round(&mut self, inst: InstId, cond: &Expr, body: &Block, at: SpanId) -> Flow<()> {
        let mut opened = 0;
        let cond = self.conditions(cond, &mut opened);
        let done = cond.and_then(|cond| self.while_body(inst, cond, body, opened > 0, at));
        self.close(opened);
        if opened > 0 {
            self.inst(at, Op::Break(inst), ir::Ty::Unit);
            return Ok(());
        }
        done
    }

    /// The body where `cond` is true. If that is inside other conditions, what is behind them
    /// leaves the loop, and the body goes on with it.
    fn while_body(
        &mut self,
        inst: InstId,
        cond: InstId,
        body: &Block,
        inside: bool,
        at: SpanId,
    ) -> Flow<()> {
        if self.known(cond) == Some(false) {
            if !inside {
                self.inst(at, Op::Break(inst), ir::Ty::Unit);
            }
            return Ok(());
        }
        if inside {
            let opened = self.open_if(cond, at)?;
            if self.block(body).is_ok() {
                self.inst(at, Op::Continue(inst), ir::Ty::Unit);
            }
            self.close(opened);
            return Ok(());
        }
        let op = Op::If { cond, then: Body::default(), other: Body::default() };
        self.begin(at, op, ir::Ty::Unit)?;
        let _ = self.block(body);
        self.build.otherwise();
        self.inst(at, Op::Break(inst), ir::Ty::Unit);
        self.build.end();
        Ok(())
    }

    pub(crate) fn for_loop(&mut self, of: &ForRange, at: SpanId) -> Flow<Value> {
        let scalar = self.scalar_of(of.ty, at)?;
        let start = self.scalar(&of.start)?;
        let end = self.scalar(&of.end)?;
        let step = of.step.as_ref().map(|step| self.step(step)).transpose()?;
        let (inclusive, reverse) = (of.inclusive, of.reverse);
        let counted = Counted { start, end, step, inclusive, reverse, scalar };
        self.run_counted(&counted, at, &mut |this, inst, variable| {
            this.for_body(of, inst, variable)
        })?;
        Ok(Value::Unit)
    }

    /// A loop over a range.
    pub(crate) fn run_counted(
        &mut self,
        of: &Counted,
        at: SpanId,
        round: &mut Round<'_, Self>,
    ) -> Flow<()> {
        match of.step {
            None => self.plain_for(of, at, round),
            // A step that may not be within the type, or that starts from the other end: the
            // distance from where it starts is counted instead, in 64 bits.
            Some(step) if of.reverse || of.scalar != Scalar::U64 => {
                self.counted_for(of, step, at, round)
            }
            Some(_) => self.plain_for(of, at, round),
        }
    }

    /// The step, a `u64` that is not zero.
    fn step(&mut self, step: &Expr) -> Flow<InstId> {
        let value = self.scalar(step)?;
        if !matches!(step.kind, ExprKind::Int(1..)) {
            let zero = self.int(0, Scalar::U64, step.at);
            let cond = self.compare(CompareOp::Ne, value, zero, step.at);
            self.check(cond, Fault::StepByZero, step.at);
        }
        Ok(value)
    }

    /// The loop over the range itself; backwards, the variable counts down from the end.
    fn plain_for(&mut self, of: &Counted, at: SpanId, round: &mut Round<'_, Self>) -> Flow<()> {
        let Counted { start, end, step, inclusive, reverse, scalar } = *of;
        let step = step.unwrap_or_else(|| self.int(1, scalar, at));
        let op = Op::For { start, end, step, inclusive, body: Body::default() };
        let inst = self.begin(at, op, scalar)?;
        let result = round(self, inst, &mut |this| {
            if !reverse {
                return inst;
            }
            let distance = this.binary_op(BinaryOp::Sub, inst, start, scalar, at);
            this.back_from(end, distance, inclusive, scalar, at)
        });
        self.build.end();
        result
    }

    /// The loop over the distance from where the range starts.
    fn counted_for(
        &mut self,
        of: &Counted,
        step: InstId,
        at: SpanId,
        round: &mut Round<'_, Self>,
    ) -> Flow<()> {
        let order = if of.inclusive { CompareOp::Le } else { CompareOp::Lt };
        let cond = self.compare(order, of.start, of.end, at);
        let op = Op::If { cond, then: Body::default(), other: Body::default() };
        self.begin(at, op, ir::Ty::Unit)?;
        let result = self.distances(of, step, at, round);
        self.build.end();
        result
    }

    /// The same, where the range is not empty.
    fn distances(
        &mut self,
        of: &Counted,
        step: InstId,
        at: SpanId,
        round: &mut Round<'_, Self>,
    ) -> Flow<()> {
        let Counted { start, end, inclusive, reverse, scalar, .. } = *of;
        let whole = self.binary_op(BinaryOp::Sub, end, start, scalar, at);
        let unsigned = unsigned(scalar);
        let whole = self.convert(whole, scalar, unsigned, at);
        let whole = self.convert(whole, unsigned, Scalar::U64, at);
        let zero = self.int(0, Scalar::U64, at);
        let op = Op::For { start: zero, end: whole, step, inclusive, body: Body::default() };
        let inst = self.begin(at, op, Scalar::U64)?;
        let result = round(self, inst, &mut |this| {
            let distance = this.convert(inst, Scalar::U64, scalar, at);
            if reverse {
                this.back_from(end, distance, inclusive, scalar, at)
            } else {
                this.binary_op(BinaryOp::Add, start, distance, scalar, at)
            }
        });
        self.build.end();
        result
    }

    /// The value so far behind the last one of the range.
    fn back_from(
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
            let one = self.int(1, scalar, at);
            self.binary_op(BinaryOp::Sub, end, one, scalar, at)
        };
        self.binary_op(BinaryOp::Sub, last, distance, scalar, at)
    }

    fn for_body(
        &mut self,
        of: &ForRange,
        inst: InstId,
        variable: &mut dyn FnMut(&mut Self) -> InstId,
    ) -> Flow<()> {
        self.frame.labels[of.label.index()] = Some(Target::new(inst, None));
        if !matches!(of.pattern.kind, PatternKind::Wild) {
            let place = Place::Value(Value::Scalar(variable(self)));
            let mono = self.mono(of.ty, of.pattern.at)?;
            self.bind_pattern(&of.pattern, &place, &mono)?;
        }
        let _ = self.block(&of.body);
        Ok(())
    }
}

/// The unsigned integer of the same size.
pub(crate) const fn unsigned(scalar: Scalar) -> Scalar {
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
