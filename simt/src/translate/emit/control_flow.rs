//! Control flow: jumps where all lanes go the same way, frames where they may not.
use super::{Done, Emitter, Label};
use crate::{
    bytecode::{Counter, Instr, Leave, Malformed, SPIN_ITERATION_COST, When},
    translate::rewritten::Rewritten,
    vector::{
        lanes::{self, LaneFn},
        registers::Uniform,
    },
};
use warpwise_compiler::ir::{BinaryOp, Body, CompareOp, InstId, Kernel, Op, Scalar};

/// Where `break` and `continue` lead.
#[derive(Clone, Copy)]
pub(super) struct Target {
    /// Of a framed structure.
    frame: Option<u16>,
    next: Label,
    end: Label,
}

impl Emitter<'_> {
    /// Goes on at an uniform condition's side, or parts.
    pub(super) fn if_(&mut self, id: InstId, cond: InstId, then: &Body, other: &Body) -> Done {
        if !self.varies(cond) {
            return self.if_uniform(cond, then, other);
        }
        if let (Some(exit), true) = (self.lone_leave(then), other.0.is_empty()) {
            return self.leave_by(id, exit, cond, true);
        }
        if let (Some(exit), true) = (self.lone_leave(other), then.0.is_empty()) {
            return self.leave_by(id, exit, cond, false);
        }
        // Without a first arm, the second one stands for it: nothing is to do if no lane goes there. Steps that tell what
        // threads do tell arms apart, and what may be decided knows the first by its condition.
        let when = !then.0.is_empty() || self.traced || self.decisions.terms(cond).is_some();
        let (then, other) = if when { (then, other) } else { (other, then) };
        let (first, middle, join) = (self.label(), self.label(), self.label());
        let has_other = !other.0.is_empty();
        let second = if has_other { middle } else { join };
        self.decide_if(cond, [first, second, join])?;
        let cond = self.lanes(cond)?;
        self.step(Instr::If { cond, when, other: second, join });
        self.bind(first);
        self.frames += 1;
        self.count_arm(id, when);
        self.body(then)?;
        self.span = self.kernel.insts[id].span;
        self.bind(middle);
        if has_other {
            self.step(Instr::Else);
            self.body(other)?;
            self.span = self.kernel.insts[id].span;
        }
        self.bind(join);
        self.step(Instr::Join);
        self.frames -= 1;
        Ok(())
    }

    /// Those lanes leave where a condition is `when`.
    fn leave_by(&mut self, id: InstId, exit: InstId, cond: InstId, when: bool) -> Done {
        let behind = self.label();
        self.decide_leave(cond, !when, behind)?;
        let cond = self.lanes(cond)?;
        let counted = self.count_leave(id, Some(exit));
        self.leave(exit, if when { When::If(cond) } else { When::Unless(cond) }, counted)?;
        self.bind(behind);
        Ok(())
    }

    fn if_uniform(&mut self, cond: InstId, then: &Body, other: &Body) -> Done {
        let (middle, join) = (self.label(), self.label());
        let cond = self.uniform(cond)?;
        self.step(Instr::JumpUnless { cond, to: middle });
        self.body(then)?;
        if !other.0.is_empty() {
            self.step(Instr::Jump { to: join });
        }
        self.bind(middle);
        self.body(other)?;
        self.bind(join);
        Ok(())
    }

    /// The instruction of a body that only leaves, for a framed structure or for good.
    fn lone_leave(&self, body: &Body) -> Option<InstId> {
        let [only] = body.0[..] else { return None };
        // What leaves is to tell it, too.
        if self.traced {
            return None;
        }
        let op = &self.kernel.insts[only].op;
        let frame = |target| self.targets.get(target).and_then(|target: &Target| target.frame);
        let leaves = match op {
            Op::Break(target) | Op::Continue(target) => frame(target).is_some(),
            op => matches!(op, Op::Return),
        };
        leaves.then_some(only)
    }

    /// `break`, `continue` or `return`, for all lanes or those that a branch says.
    pub(super) fn leave(&mut self, exit: InstId, when: When, counted: MayLeave) -> Done {
        let op = &self.kernel.insts[exit].op;
        let (to, otherwise) = if let Op::Break(target) = op {
            let Target { frame, end, .. } = self.target(*target)?;
            (frame.map(|frame| Leave::Break { frame }), end)
        } else if let Op::Continue(target) = op {
            let Target { frame, next, .. } = self.target(*target)?;
            (frame.map(|frame| Leave::Continue { frame }), next)
        } else {
            self.step(leave_for(Leave::Return, when, counted));
            return Ok(());
        };
        let jump = Instr::Jump { to: otherwise };
        self.step(to.map_or(jump, |to| leave_for(to, when, counted)));
        Ok(())
    }

    pub(super) fn target(&self, structure: InstId) -> Result<Target, Malformed> {
        let target = self.targets.get(&structure).copied();
        target.ok_or_else(|| self.malformed(format!("{structure} is no structure around this")))
    }

    /// Enters a loop or block; lanes leave it for `next` and `end`.
    pub(super) fn enter(&mut self, id: InstId, next: Label, end: Label) -> Option<u16> {
        let frame = self.uniformity.framed(id).then_some(self.frames);
        if frame.is_some() {
            self.step(Instr::Enter { resume: next, join: end });
            self.frames += 1;
        }
        self.targets.insert(id, Target { frame, next, end });
        frame
    }

    /// The end of a loop or block.
    pub(super) fn exit(&mut self, frame: Option<u16>, end: Label) {
        self.bind(end);
        if frame.is_some() {
            self.step(Instr::Join);
            self.frames -= 1;
        }
    }

    pub(super) fn block(&mut self, id: InstId, body: &Body) -> Done {
        let end = self.label();
        let frame = self.enter(id, end, end);
        self.body(body)?;
        self.exit(frame, end);
        Ok(())
    }

    pub(super) fn loop_(&mut self, id: InstId, body: &Body) -> Done {
        let first = self.stands.len();
        let (head, next, end) = (self.label(), self.label(), self.label());
        let frame = self.enter(id, next, end);
        self.bind(head);
        self.body(body)?;
        self.span = self.kernel.insts[id].span;
        self.bind(next);
        if frame.is_some() {
            self.step(Instr::Regather);
        }
        self.back(id, body, head);
        self.exit(frame, end);
        self.forget_from(first, frame);
        Ok(())
    }

    /// Behind a loop: what was the same in it for lanes that may have left it at different times is so no more, from a slot on,
    /// and nobody needs it. So strands of them can be merged again. As it is unlike where a loop has become a `for`, nothing of it
    /// stays where that must not be seen.
    pub(super) fn forget_from(&mut self, first: usize, frame: Option<u16>) {
        if frame.is_none() || !self.rewritten.is_observed() {
            return;
        }
        let (copy, zero) = (lanes::copy(8, self.isa), self.constant(0, 8));
        for slot in first..self.stands.len() {
            if self.stands[slot].is_some() {
                continue;
            }
            let slot = Uniform::new(slot as u32, 8);
            self.step(Instr::Uniform { f: copy, slots: [slot, zero, zero, zero] });
        }
    }

    pub(super) fn back(&mut self, id: InstId, body: &Body, head: Label) {
        let cost = cost_of_waiting(self.rewritten, id, body);
        self.step(Instr::BackEdge { to: head, cost });
    }

    /// The unsigned type of the size of an integer.
    pub(super) fn unsigned(&self, scalar: Scalar) -> Result<Scalar, Malformed> {
        match scalar {
            Scalar::I8 | Scalar::U8 => Ok(Scalar::U8),
            Scalar::I16 | Scalar::U16 => Ok(Scalar::U16),
            Scalar::I32 | Scalar::U32 => Ok(Scalar::U32),
            Scalar::I64 | Scalar::U64 => Ok(Scalar::U64),
            Scalar::Bool
            | Scalar::F16
            | Scalar::BF16
            | Scalar::F32
            | Scalar::F64
            | Scalar::Generic(_) => Err(self.malformed("a range of something else than integers")),
        }
    }

    /// The functions that a `for` over `scalar` needs.
    fn range_fns(&self, scalar: Scalar, inclusive: bool) -> Result<RangeFns, Malformed> {
        let unsigned = self.unsigned(scalar)?;
        let below = if inclusive { CompareOp::Le } else { CompareOp::Lt };
        let fns = || {
            Some(RangeFns {
                enter: lanes::compare(below, scalar, self.isa)?,
                distance: lanes::binary(BinaryOp::Sub, unsigned, self.isa)?,
                again: lanes::compare(below, unsigned, self.isa)?,
                advance: lanes::binary(BinaryOp::Add, unsigned, self.isa)?,
                copy: lanes::copy(unsigned.size()? as usize, self.isa),
            })
        };
        fns().ok_or_else(|| self.malformed("a range of something else than integers"))
    }

    /// All lanes that are in an iteration have the same counter.
    pub(super) fn for_uniform(&mut self, id: InstId, range: Range, body: &Body) -> Done {
        let fns = self.range_fns(self.scalar(id)?, range.inclusive)?;
        let (start, end_value) = (self.uniform(range.start)?, self.uniform(range.end)?);
        let step = self.uniform(range.step)?;
        let (head, next, end, behind) = (self.label(), self.label(), self.label(), self.label());
        let counter = self.new_uniform(id)?;
        let cond = self.slot(1);
        self.count_head(id);
        self.step(Instr::Uniform { f: fns.copy, slots: [counter, start, start, start] });
        self.step(Instr::Uniform { f: fns.enter, slots: [cond, counter, end_value, end_value] });
        let through = self.label();
        self.step(Instr::JumpUnless { cond, to: through });
        let first = self.stands.len();
        let frame = self.enter(id, next, end);
        self.bind(head);
        self.spread(id)?;
        self.iteration(id);
        self.body(body)?;
        self.span = self.kernel.insts[id].span;
        self.bind(next);
        if frame.is_some() {
            self.step(Instr::Regather);
        }
        self.count_iteration(id);
        let inclusive = range.inclusive;
        let range = Counter { counter, end: end_value, step, inclusive };
        let cost = cost_of_waiting(self.rewritten, id, body);
        self.step(Instr::NextIteration { range, to: head, cost });
        if frame.is_none() {
            self.sums(range, cost, head, next);
        }
        let is_counted = self.count_left(id);
        self.exit(frame, end);
        self.forget_from(first, frame);
        if is_counted {
            self.step(Instr::Jump { to: behind });
        }
        self.bind(through);
        self.count_left(id);
        self.bind(behind);
        Ok(())
    }

    /// Each lane has its own counter, and leaves when it is through.
    pub(super) fn for_lanes(&mut self, id: InstId, range: Range, body: &Body) -> Done {
        let first = self.stands.len();
        let fns = self.range_fns(self.scalar(id)?, range.inclusive)?;
        let (start, end_value) = (self.lanes(range.start)?, self.lanes(range.end)?);
        let step = self.lanes(range.step)?;
        let counter = self.new_lanes(id)?;
        let (cond, distance) = (self.temporary(id, 1), self.temporary(id, counter.size()));
        self.step(Instr::Map { f: fns.copy, regs: [counter, start, start, start] });
        let (head, next, end) = (self.label(), self.label(), self.label());
        let frame = self.enter(id, next, end);
        let leave = Leave::Break { frame: frame.ok_or_else(|| self.malformed("no frame"))? };
        self.count_head(id);
        self.step(Instr::Map { f: fns.enter, regs: [cond, counter, end_value, end_value] });
        let through = leave_for(leave, When::Unless(cond), self.count_leave(id, None));
        self.step(through);
        self.bind(head);
        self.iteration(id);
        self.body(body)?;
        self.span = self.kernel.insts[id].span;
        self.bind(next);
        self.step(Instr::Regather);
        self.count_iteration(id);
        self.step(Instr::Map { f: fns.distance, regs: [distance, end_value, counter, counter] });
        self.step(Instr::Map { f: fns.again, regs: [cond, step, distance, distance] });
        self.step(through);
        self.step(Instr::Map { f: fns.advance, regs: [counter, counter, step, step] });
        self.back(id, body, head);
        self.exit(frame, end);
        self.forget_from(first, frame);
        Ok(())
    }
}

/// What is counted where some lanes leave.
#[derive(Clone, Copy, Default)]
pub(super) struct MayLeave {
    /// The branch that they part at.
    pub(super) branch: Option<u32>,
    /// The segment of those that leave.
    pub(super) segment: Option<u32>,
}

/// The step by which lanes leave, which counts if it is to.
pub(super) fn leave_for(to: Leave, when: When, counted: MayLeave) -> Instr {
    match counted {
        MayLeave { branch: None, segment: None } => Instr::Leave { to, when },
        MayLeave { branch, segment } => Instr::CountedLeave { to, when, branch, segment },
    }
}

/// The bounds of a `for`.
pub(super) struct Range {
    pub(super) start: InstId,
    pub(super) end: InstId,
    pub(super) step: InstId,
    pub(super) inclusive: bool,
}

/// What a `for` computes with.
pub(super) struct RangeFns {
    /// Whether the first value is in the range.
    enter: LaneFn,
    /// From the counter to the end, unsigned.
    distance: LaneFn,
    /// Whether a step leads to another value of the range, by the distance.
    again: LaneFn,
    advance: LaneFn,
    copy: LaneFn,
}

/// What an iteration of a loop with this body takes of the [`SPIN_BUDGET`](crate::bytecode::SPIN_BUDGET) with it: nothing, if it cannot wait
/// for another thread, because it reads nothing that others write or [nobody leaves it early](Rewritten::runs_to_completion); much, if
/// it reads atomically, as those do that wait.
pub(super) fn cost_of_waiting(rewritten: &Rewritten<'_>, id: InstId, body: &Body) -> u32 {
    let cost = cost_of_reading(rewritten.kernel(), body);
    if cost > 0 && rewritten.runs_to_completion(id) { 0 } else { cost }
}

/// The same of a body, whatever the loop.
pub(in crate::translate) fn cost_of_reading(kernel: &Kernel, body: &Body) -> u32 {
    let cost = |id: &InstId| {
        let op = &kernel.insts[*id].op;
        let inner = op.bodies().map(|inner| cost_of_reading(kernel, inner)).max().unwrap_or(0);
        if let Op::AtomicLoad { .. } | Op::Atomic { .. } | Op::CompareExchange { .. } = op {
            SPIN_ITERATION_COST as u32
        } else if let Op::Load { .. } = op {
            1
        } else {
            inner
        }
    };
    body.0.iter().map(cost).max().unwrap_or(0)
}
