//! Control flow: divergence, waiting in frames, and convergence.
use super::{Exec, Slice, Stop};
use crate::{
    bytecode::{Counter, Leave, When},
    exec::strand::Frame,
    vector::mask::Mask,
};

/// The continuation of a strand after an instruction.
pub(super) enum Next {
    /// Continues at the current program counter.
    Continue,
    /// Stops.
    Stop(Stop),
    /// Waits at the same instruction for other threads.
    Wait,
    /// Ends the launch: an access was out of bounds, at this address.
    OutOfBounds(u64),
}

impl Exec<'_> {
    /// Returns the innermost frame. Translation pairs frames, so there is one.
    fn innermost_frame(&mut self) -> &mut Frame {
        self.strand.frames.last_mut().expect("steps that use a frame follow one that pushes it")
    }

    /// Continues with waiting lanes, if none is active.
    fn resume_if_empty(&mut self) -> Next {
        if self.strand.active().is_empty() && !self.strand.resume() {
            return Next::Stop(Stop::Ended);
        }
        Next::Continue
    }

    /// Deactivates `lanes`.
    pub(super) fn deactivate(&mut self, lanes: Mask) -> Next {
        self.strand.activate(self.strand.active().without(lanes));
        self.resume_if_empty()
    }

    /// Jumps back and replays iterations if possible; stops after the jump if the steps or the spin
    /// budget are spent.
    pub(super) fn jump_back(&mut self, to: u32, cost: u32, slice: &mut Slice) -> Next {
        let from = self.strand.pc;
        slice.steps -= i64::from(from - to);
        slice.spin_budget -= i64::from(cost);
        self.strand.pc = to;
        if slice.steps < 0 {
            return Next::Stop(Stop::OutOfSteps);
        }
        if slice.spin_budget < 0 {
            return Next::Stop(Stop::Spun);
        }
        self.replay_iterations_if_due(from - 1, cost, slice);
        Next::Continue
    }

    /// Begins the next iteration of a `for`, if there is one, as [`jump_back`](Self::jump_back)
    /// does.
    #[inline(always)]
    pub(super) fn next_iteration(
        &mut self,
        range: Counter,
        to: u32,
        cost: u32,
        slice: &mut Slice,
    ) -> Next {
        let Counter { counter, end, step, inclusive } = range;
        let uniforms = &mut self.strand.uniforms;
        let limit = counter.max_value();
        let (at, step) = (counter.get(uniforms), step.get(uniforms));
        // The distance to the end is unsigned, so that no step leads beyond the end and wraps.
        let distance = end.get(uniforms).wrapping_sub(at) & limit;
        if step < distance || (inclusive && step == distance) {
            counter.set(uniforms, at.wrapping_add(step));
            return self.jump_back(to, cost, slice);
        }
        // The last iteration costs, too, because a loop that finds out later that it was the last
        // has paid for it.
        slice.spin_budget -= i64::from(cost);
        if slice.spin_budget < 0 { Next::Stop(Stop::Spun) } else { Next::Continue }
    }

    /// Diverges: continues with the lanes of the first arm, if there are any.
    #[inline(always)]
    pub(super) fn diverge(&mut self, then: Mask, other: u32, join: u32) {
        let active = self.strand.active();
        let rest = active.without(then);
        let mut frame = Frame::new(other, join);
        if then.is_empty() {
            // Skips to the second arm; if there is none, to the end.
            self.strand.pc = other + 1;
            if other == join {
                return;
            }
            frame.resume = join;
        } else if other == join {
            frame.done = rest;
        } else {
            frame.pending = rest;
        }
        self.strand.frames.push(frame);
        if !then.is_empty() && !rest.is_empty() {
            self.strand.activate(then);
        }
    }

    /// Ends the first arm: the lanes of the second continue.
    pub(super) fn begin_second_arm(&mut self) -> Next {
        let active = self.strand.active();
        let frame = self.innermost_frame();
        frame.resume = frame.end;
        if frame.pending.is_empty() {
            self.strand.pc = frame.end;
            return Next::Continue;
        }
        frame.done.add(active);
        let pending = std::mem::take(&mut frame.pending);
        self.strand.activate(pending);
        Next::Continue
    }

    pub(super) fn enter_frame(&mut self, resume: u32, join: u32) -> Next {
        self.strand.frames.push(Frame::new(resume, join));
        Next::Continue
    }

    /// Merges the lanes that continue a loop with those at the end of its body.
    pub(super) fn regather(&mut self) -> Next {
        let frame = self.innermost_frame();
        let (pending, end) = (std::mem::take(&mut frame.pending), frame.end);
        if !pending.is_empty() {
            self.strand.activate(self.strand.active() | pending);
        } else if self.strand.active().is_empty() {
            self.strand.pc = end;
        }
        Next::Continue
    }

    /// Pops a frame whose lanes are all at its end.
    pub(super) fn join_frame(&mut self) -> Next {
        let done = self.innermost_frame().done;
        self.strand.frames.pop();
        if !done.is_empty() {
            self.strand.activate(self.strand.active() | done);
        }
        self.resume_if_empty()
    }

    /// Makes some lanes wait in a frame, or end.
    pub(super) fn leave(&mut self, to: Leave, when: When) -> Next {
        let lanes = self.leaving_lanes(when);
        self.leave_lanes(to, lanes)
    }

    /// Returns the lanes that leave.
    pub(super) fn leaving_lanes(&self, when: When) -> Mask {
        let active = self.strand.active();
        match when {
            When::Always => active,
            When::If(cond) => self.registers.true_lanes(cond, active),
            When::Unless(cond) => active.without(self.registers.true_lanes(cond, active)),
        }
    }

    /// Makes `lanes` wait in a frame, or end.
    pub(super) fn leave_lanes(&mut self, to: Leave, lanes: Mask) -> Next {
        if lanes.is_empty() {
            return self.resume_if_empty();
        }
        match to {
            Leave::Break { frame } => self.strand.frames[usize::from(frame)].done.add(lanes),
            Leave::Continue { frame } => self.strand.frames[usize::from(frame)].pending.add(lanes),
            Leave::Return => self.live.remove(lanes),
        }
        self.deactivate(lanes)
    }

    /// Ends the active lanes.
    pub(super) fn end_threads(&mut self) -> Next {
        let active = self.strand.active();
        self.live.remove(active);
        // A strand without lanes is only kept for its allocations.
        if self.strand.frames.is_empty() {
            Next::Stop(Stop::Ended)
        } else {
            self.deactivate(active)
        }
    }
}
