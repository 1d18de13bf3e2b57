//! Control flow: jumps where all lanes take the same way, frames where they may diverge.
use super::{Done, Emitter, Label};
use crate::{
    bytecode::{Counter, Instr, Leave, Malformed, SPIN_ITERATION_COST, When},
    translate::rewritten::Rewritten,
    vector::{
        lanes::{self, LaneFn},
        registers::Uniform,
    },
};
use warpwise_compiler::ir::{BinaryOp, Body, CompareOp, ForRange, InstId, Kernel, Op, Scalar};

/// The targets of `break` and `continue`.
#[derive(Clone, Copy)]
pub(super) struct ExitTargets {
    /// The frame of a framed structure.
    frame: Option<u16>,
    next: Label,
    end: Label,
}

impl Emitter<'_> {
    /// Emits an `if`: a jump on a uniform condition, a frame on a varying one.
    pub(super) fn emit_if(&mut self, id: InstId, cond: InstId, then: &Body, other: &Body) -> Done {
        if !self.varies(cond) {
            return self.emit_uniform_if(cond, then, other);
        }
        if let (Some(exit), true) = (self.single_exit(then), other.0.is_empty()) {
            return self.emit_conditional_leave(id, exit, cond, true);
        }
        if let (Some(exit), true) = (self.single_exit(other), then.0.is_empty()) {
            return self.emit_conditional_leave(id, exit, cond, false);
        }
        // With an empty first arm, the second arm takes its place, so that nothing executes if no
        // lane takes it. The debugger distinguishes arms, and decisions identify the first arm by
        // its condition.
        let when = !then.0.is_empty() || self.is_debugged || self.decisions.terms(cond).is_some();
        let (then, other) = if when { (then, other) } else { (other, then) };
        let (first, middle, join) = (self.new_label(), self.new_label(), self.new_label());
        let has_other = !other.0.is_empty();
        let second = if has_other { middle } else { join };
        self.emit_if_decision(cond, [first, second, join])?;
        let cond = self.lanes(cond)?;
        self.emit(Instr::If { cond, when, other: second, join });
        self.bind_label(first);
        self.frames += 1;
        self.count_arm(id, when);
        self.emit_body(then)?;
        self.span = self.kernel.insts[id].span;
        self.bind_label(middle);
        if has_other {
            self.emit(Instr::Else);
            self.emit_body(other)?;
            self.span = self.kernel.insts[id].span;
        }
        self.bind_label(join);
        self.emit(Instr::Join);
        self.frames -= 1;
        Ok(())
    }

    /// Emits the exit of the lanes where a condition is `when`.
    fn emit_conditional_leave(
        &mut self,
        id: InstId,
        exit: InstId,
        cond: InstId,
        when: bool,
    ) -> Done {
        let after = self.new_label();
        self.emit_leave_decision(cond, !when, after)?;
        let cond = self.lanes(cond)?;
        let counted = self.count_leave(id, Some(exit));
        self.emit_leave(exit, if when { When::If(cond) } else { When::Unless(cond) }, counted)?;
        self.bind_label(after);
        Ok(())
    }

    fn emit_uniform_if(&mut self, cond: InstId, then: &Body, other: &Body) -> Done {
        let (middle, join) = (self.new_label(), self.new_label());
        let cond = self.uniform(cond)?;
        self.emit(Instr::JumpUnless { cond, to: middle });
        self.emit_body(then)?;
        if !other.0.is_empty() {
            self.emit(Instr::Jump { to: join });
        }
        self.bind_label(middle);
        self.emit_body(other)?;
        self.bind_label(join);
        Ok(())
    }

    /// Returns the only instruction of a body, if it leaves a framed structure or ends the thread.
    fn single_exit(&self, body: &Body) -> Option<InstId> {
        let [only] = body.0[..] else { return None };
        // The debugger reports the exit itself.
        if self.is_debugged {
            return None;
        }
        let op = &self.kernel.insts[only].op;
        let frame = |target| self.targets.get(target).and_then(|target: &ExitTargets| target.frame);
        let leaves = match op {
            Op::Break(target) | Op::Continue(target) => frame(target).is_some(),
            op => matches!(op, Op::Return),
        };
        leaves.then_some(only)
    }

    /// Emits a `break`, `continue` or `return`, for all lanes or under a condition.
    pub(super) fn emit_leave(&mut self, exit: InstId, when: When, counted: ExitCounts) -> Done {
        let op = &self.kernel.insts[exit].op;
        let (to, otherwise) = if let Op::Break(target) = op {
            let ExitTargets { frame, end, .. } = self.targets_of(*target)?;
            (frame.map(|frame| Leave::Break { frame }), end)
        } else if let Op::Continue(target) = op {
            let ExitTargets { frame, next, .. } = self.targets_of(*target)?;
            (frame.map(|frame| Leave::Continue { frame }), next)
        } else {
            self.emit(leave_instr(Leave::Return, when, counted));
            return Ok(());
        };
        let jump = Instr::Jump { to: otherwise };
        self.emit(to.map_or(jump, |to| leave_instr(to, when, counted)));
        Ok(())
    }

    pub(super) fn targets_of(&self, structure: InstId) -> Result<ExitTargets, Malformed> {
        let target = self.targets.get(&structure).copied();
        target.ok_or_else(|| self.malformed(format!("{structure} is no structure around this")))
    }

    /// Enters a loop or block; its exits lead to `next` and `end`.
    pub(super) fn enter_frame(&mut self, id: InstId, next: Label, end: Label) -> Option<u16> {
        let frame = self.uniformity.is_framed(id).then_some(self.frames);
        if frame.is_some() {
            self.emit(Instr::Enter { resume: next, join: end });
            self.frames += 1;
        }
        self.targets.insert(id, ExitTargets { frame, next, end });
        frame
    }

    /// Ends a loop or block.
    pub(super) fn exit_frame(&mut self, frame: Option<u16>, end: Label) {
        self.bind_label(end);
        if frame.is_some() {
            self.emit(Instr::Join);
            self.frames -= 1;
        }
    }

    pub(super) fn emit_block(&mut self, id: InstId, body: &Body) -> Done {
        let end = self.new_label();
        let frame = self.enter_frame(id, end, end);
        self.emit_body(body)?;
        self.exit_frame(frame, end);
        Ok(())
    }

    pub(super) fn emit_loop(&mut self, id: InstId, body: &Body) -> Done {
        let first = self.slot_inputs.len();
        let (head, next, end) = (self.new_label(), self.new_label(), self.new_label());
        let frame = self.enter_frame(id, next, end);
        self.bind_label(head);
        self.emit_body(body)?;
        self.span = self.kernel.insts[id].span;
        self.bind_label(next);
        if frame.is_some() {
            self.emit(Instr::Regather);
        }
        self.emit_back_edge(id, body, head);
        self.exit_frame(frame, end);
        self.clear_uniforms_from(first, frame);
        Ok(())
    }

    /// Clears uniform values after a loop, from a slot on. Lanes that left the loop at different
    /// times have different ones, which are not read after the loop; cleared ones let their strands
    /// merge. A `for` that was a loop has other values, so none may remain where that is
    /// observable.
    pub(super) fn clear_uniforms_from(&mut self, first: usize, frame: Option<u16>) {
        if frame.is_none() || !self.rewritten.is_observed() {
            return;
        }
        let (copy, zero) = (lanes::copy(8, self.isa), self.constant(0, 8));
        for slot in first..self.slot_inputs.len() {
            if self.slot_inputs[slot].is_some() {
                continue;
            }
            let slot = Uniform::new(slot as u32, 8);
            self.emit(Instr::Uniform { f: copy, slots: [slot, zero, zero, zero] });
        }
    }

    pub(super) fn emit_back_edge(&mut self, id: InstId, body: &Body, head: Label) {
        let cost = spin_cost(self.rewritten, id, body);
        self.emit(Instr::BackEdge { to: head, cost });
    }

    /// Returns the unsigned type of the size of an integer.
    pub(super) fn unsigned_type(&self, scalar: Scalar) -> Result<Scalar, Malformed> {
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

    /// Returns the functions of a `for` over `scalar`.
    fn range_fns(&self, scalar: Scalar, inclusive: bool) -> Result<RangeFns, Malformed> {
        let unsigned = self.unsigned_type(scalar)?;
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

    /// Emits a `for` with a uniform counter: all lanes in an iteration have the same one.
    pub(super) fn emit_uniform_for(&mut self, id: InstId, range: ForRange, body: &Body) -> Done {
        let fns = self.range_fns(self.scalar(id)?, range.inclusive)?;
        let (start, end_value) = (self.uniform(range.start)?, self.uniform(range.end)?);
        let step = self.uniform(range.step)?;
        let (head, next, end, after) =
            (self.new_label(), self.new_label(), self.new_label(), self.new_label());
        let counter = self.new_uniform(id)?;
        let cond = self.new_slot(1);
        self.count_head(id);
        self.emit(Instr::Uniform { f: fns.copy, slots: [counter, start, start, start] });
        self.emit(Instr::Uniform { f: fns.enter, slots: [cond, counter, end_value, end_value] });
        let through = self.new_label();
        self.emit(Instr::JumpUnless { cond, to: through });
        let first = self.slot_inputs.len();
        let frame = self.enter_frame(id, next, end);
        self.bind_label(head);
        self.copy_to_lanes(id)?;
        self.emit_iteration_point(id);
        self.emit_body(body)?;
        self.span = self.kernel.insts[id].span;
        self.bind_label(next);
        if frame.is_some() {
            self.emit(Instr::Regather);
        }
        self.count_iteration(id);
        let inclusive = range.inclusive;
        let range = Counter { counter, end: end_value, step, inclusive };
        let cost = spin_cost(self.rewritten, id, body);
        self.emit(Instr::NextIteration { range, to: head, cost });
        if frame.is_none() {
            self.batch_dot_products(range, cost, head, next);
        }
        let is_counted = self.count_exit(id);
        self.exit_frame(frame, end);
        self.clear_uniforms_from(first, frame);
        if is_counted {
            self.emit(Instr::Jump { to: after });
        }
        self.bind_label(through);
        self.count_exit(id);
        self.bind_label(after);
        Ok(())
    }

    /// Emits a `for` with a counter in each lane, which leaves after its last iteration.
    pub(super) fn emit_varying_for(&mut self, id: InstId, range: ForRange, body: &Body) -> Done {
        let first = self.slot_inputs.len();
        let fns = self.range_fns(self.scalar(id)?, range.inclusive)?;
        let (start, end_value) = (self.lanes(range.start)?, self.lanes(range.end)?);
        let step = self.lanes(range.step)?;
        let counter = self.new_lanes(id)?;
        let (cond, distance) = (self.new_temporary(id, 1), self.new_temporary(id, counter.size()));
        self.emit(Instr::Map { f: fns.copy, regs: [counter, start, start, start] });
        let (head, next, end) = (self.new_label(), self.new_label(), self.new_label());
        let frame = self.enter_frame(id, next, end);
        let leave = Leave::Break { frame: frame.ok_or_else(|| self.malformed("no frame"))? };
        self.count_head(id);
        self.emit(Instr::Map { f: fns.enter, regs: [cond, counter, end_value, end_value] });
        let through = leave_instr(leave, When::Unless(cond), self.count_leave(id, None));
        self.emit(through);
        self.bind_label(head);
        self.emit_iteration_point(id);
        self.emit_body(body)?;
        self.span = self.kernel.insts[id].span;
        self.bind_label(next);
        self.emit(Instr::Regather);
        self.count_iteration(id);
        self.emit(Instr::Map { f: fns.distance, regs: [distance, end_value, counter, counter] });
        self.emit(Instr::Map { f: fns.again, regs: [cond, step, distance, distance] });
        self.emit(through);
        self.emit(Instr::Map { f: fns.advance, regs: [counter, counter, step, step] });
        self.emit_back_edge(id, body, head);
        self.exit_frame(frame, end);
        self.clear_uniforms_from(first, frame);
        Ok(())
    }
}

/// The counters of leaving lanes.
#[derive(Clone, Copy, Default)]
pub(super) struct ExitCounts {
    /// The branch at which they diverge.
    pub(super) branch: Option<u32>,
    /// The segment of the lanes that leave.
    pub(super) segment: Option<u32>,
}

/// Returns the instruction by which lanes leave, which counts them if asked to.
pub(super) fn leave_instr(to: Leave, when: When, counted: ExitCounts) -> Instr {
    match counted {
        ExitCounts { branch: None, segment: None } => Instr::Leave { to, when },
        ExitCounts { branch, segment } => Instr::CountedLeave { to, when, branch, segment },
    }
}

/// The functions of a `for`.
pub(super) struct RangeFns {
    /// Compares the first value with the end.
    enter: LaneFn,
    /// Subtracts the counter from the end, unsigned.
    distance: LaneFn,
    /// Compares the step with the distance: true if there is another value in the range.
    again: LaneFn,
    advance: LaneFn,
    copy: LaneFn,
}

/// Returns the [`SPIN_BUDGET`](crate::bytecode::SPIN_BUDGET) that an iteration of a loop costs:
/// nothing if it cannot wait for another thread, because it reads nothing that others write or [has
/// no early exit](Rewritten::runs_to_completion); much if it reads atomically, as loops that wait
/// do.
pub(super) fn spin_cost(rewritten: &Rewritten<'_>, id: InstId, body: &Body) -> u32 {
    let cost = read_cost(rewritten.kernel(), body);
    if cost > 0 && rewritten.runs_to_completion(id) { 0 } else { cost }
}

/// Returns the cost of a body, whatever the loop.
pub(in crate::translate) fn read_cost(kernel: &Kernel, body: &Body) -> u32 {
    let cost = |id: &InstId| {
        let op = &kernel.insts[*id].op;
        let inner = op.bodies().map(|inner| read_cost(kernel, inner)).max().unwrap_or(0);
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
