//! What runs next: lanes part, wait in frames and come together.
use super::{Exec, Slice, Stop};
use crate::{
    bytecode::{Counter, Leave, When},
    exec::strand::Frame,
    vector::mask::Mask,
};

/// How a strand goes on after a step.
pub(super) enum Next {
    /// At the step that is next now.
    On,
    /// Not now.
    Stop(Stop),
    /// With the same step, once others have come.
    Wait,
    /// Not at all: an access went to this address.
    Outside(u64),
}

impl Exec<'_> {
    /// The innermost frame. Lowering pairs frames, so one is there.
    fn frame(&mut self) -> &mut Frame {
        self.strand.frames.last_mut().expect("steps that use a frame follow one that pushes it")
    }

    /// Goes on where lanes wait, if none is active.
    fn go_on(&mut self) -> Next {
        if self.strand.active().is_empty() && !self.strand.resume() {
            return Next::Stop(Stop::Ended);
        }
        Next::On
    }

    /// `lanes` do not go on here.
    pub(super) fn lose(&mut self, lanes: Mask) -> Next {
        self.strand.activate(self.strand.active().without(lanes));
        self.go_on()
    }

    /// Jumps back, unless others should run first; then the jump is done already. Iterations that are alike are done, too.
    pub(super) fn back(&mut self, to: u32, cost: u32, slice: &mut Slice) -> Next {
        let from = self.strand.at;
        slice.steps -= i64::from(from - to);
        slice.patience -= i64::from(cost);
        self.strand.at = to;
        if slice.steps < 0 {
            return Next::Stop(Stop::Spent);
        }
        if slice.patience < 0 {
            return Next::Stop(Stop::Spun);
        }
        self.iterate(from - 1, cost, slice);
        Next::On
    }

    /// Goes on with the next iteration of a `for`, if there is one, as [`back`](Self::back).
    #[inline(always)]
    pub(super) fn next(&mut self, range: Counter, to: u32, cost: u32, slice: &mut Slice) -> Next {
        let Counter { counter, end, step, inclusive } = range;
        let uniforms = &mut self.strand.uniforms;
        let limit = counter.max_value();
        let (at, step) = (counter.get(uniforms), step.get(uniforms));
        // The distance to the end, unsigned: no step leads beyond it and wraps.
        let distance = end.get(uniforms).wrapping_sub(at) & limit;
        if step < distance || (inclusive && step == distance) {
            counter.set(uniforms, at.wrapping_add(step));
            return self.back(to, cost, slice);
        }
        // Behind the last one, too, as a loop has it that finds out later that it was.
        slice.patience -= i64::from(cost);
        if slice.patience < 0 { Next::Stop(Stop::Spun) } else { Next::On }
    }

    /// Goes on with the lanes of the first arm, if there are any.
    #[inline(always)]
    pub(super) fn part_by(&mut self, then: Mask, other: u32, join: u32) {
        let active = self.strand.active();
        let rest = active.without(then);
        let mut frame = Frame::new(other, join);
        if then.is_empty() {
            // Straight to the second arm; if there is none, behind it all.
            self.strand.at = other + 1;
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

    /// The first arm is done: the lanes of the second go on.
    pub(super) fn other_arm(&mut self) -> Next {
        let active = self.strand.active();
        let frame = self.frame();
        frame.resume = frame.end;
        if frame.pending.is_empty() {
            self.strand.at = frame.end;
            return Next::On;
        }
        frame.done.add(active);
        let pending = std::mem::take(&mut frame.pending);
        self.strand.activate(pending);
        Next::On
    }

    pub(super) fn enter(&mut self, resume: u32, join: u32) -> Next {
        self.strand.frames.push(Frame::new(resume, join));
        Next::On
    }

    /// The lanes that continue a loop join those at the end of its body.
    pub(super) fn regather(&mut self) -> Next {
        let frame = self.frame();
        let (pending, end) = (std::mem::take(&mut frame.pending), frame.end);
        if !pending.is_empty() {
            self.strand.activate(self.strand.active() | pending);
        } else if self.strand.active().is_empty() {
            self.strand.at = end;
        }
        Next::On
    }

    /// Everybody is behind a structure.
    pub(super) fn join(&mut self) -> Next {
        let done = self.frame().done;
        self.strand.frames.pop();
        if !done.is_empty() {
            self.strand.activate(self.strand.active() | done);
        }
        self.go_on()
    }

    /// Some lanes go where they wait for the others, or end.
    pub(super) fn leave(&mut self, to: Leave, when: When) -> Next {
        let lanes = self.leaving(when);
        self.leave_by(to, lanes)
    }

    /// The lanes that leave.
    pub(super) fn leaving(&self, when: When) -> Mask {
        let active = self.strand.active();
        match when {
            When::Always => active,
            When::If(cond) => self.registers.true_lanes(cond, active),
            When::Unless(cond) => active.without(self.registers.true_lanes(cond, active)),
        }
    }

    /// `lanes` leave.
    pub(super) fn leave_by(&mut self, to: Leave, lanes: Mask) -> Next {
        if lanes.is_empty() {
            return self.go_on();
        }
        match to {
            Leave::Break { frame } => self.strand.frames[usize::from(frame)].done.add(lanes),
            Leave::Continue { frame } => self.strand.frames[usize::from(frame)].pending.add(lanes),
            Leave::Return => self.live.remove(lanes),
        }
        self.lose(lanes)
    }

    /// The end of the kernel.
    pub(super) fn end(&mut self) -> Next {
        let active = self.strand.active();
        self.live.remove(active);
        // What is left of a strand without lanes is only used again for its room.
        if self.strand.frames.is_empty() { Next::Stop(Stop::Ended) } else { self.lose(active) }
    }
}
