//! Strands: converged lanes, and the frames in which their neighbours wait.
//!
//! A *strand* is a set of lanes of one group at one place in the program. A block starts with one
//! strand per group. Where lanes of a strand diverge, one side continues and the other waits in a
//! [`Frame`] of the structure that they are in: for the other arm of an `if`, for the next
//! iteration of a loop, for the end of either. That is as fast as a mask stack, and it is only a
//! matter of order: the waiting lanes of a strand can at any time be [split
//! off](Strand::split_waiting) as strands of their own, because each frame knows where they
//! continue. This happens where other threads wait for them: when lanes reach a barrier, or spin.
//!
//! Registers belong to lanes, so splitting copies nothing but the uniform values. Strands that
//! reach the same place are merged again at the next synchronization.
use crate::vector::mask::{Mask, Run, WARPS, cover_by_runs};
use std::hash::{Hash, Hasher};

/// A set of lanes at one place in the program.
#[derive(Clone, Debug)]
pub(crate) struct Strand {
    /// The program counter: the instruction to execute next.
    pub(crate) pc: u32,
    /// The active lanes.
    active: Mask,
    /// The active lanes as runs, over which instructions loop.
    runs: Vec<Run>,
    /// The frames of the structures around the place, outermost first.
    pub(crate) frames: Vec<Frame>,
    /// The uniform values.
    pub(crate) uniforms: Vec<u64>,
    /// True if it waits for other threads, at the instruction `pc`.
    pub(crate) waits: bool,
    /// Lanes that diverged in the structures around the place where it waits.
    pub(crate) diverged: Mask,
    /// The lanes that exist in the group.
    exist: Mask,
    /// Per warp, true if none of its lanes belongs to another strand.
    exclusive: [bool; WARPS],
}

/// A structure with lanes that wait in it.
#[derive(Clone, Copy, Debug, Hash)]
pub(crate) struct Frame {
    /// The continuation when no lane is active: the instruction that activates `pending`, or `end`.
    pub(crate) resume: u32,
    /// The instruction that pops the frame.
    pub(crate) end: u32,
    /// Lanes that wait for the second arm or for the next iteration.
    pub(crate) pending: Mask,
    /// Lanes that wait at the end.
    pub(crate) done: Mask,
}

impl Frame {
    pub(crate) fn new(resume: u32, end: u32) -> Self {
        Self { resume, end, pending: Mask::EMPTY, done: Mask::EMPTY }
    }
}

impl Strand {
    /// Makes a strand of all of `exist`, to be [reset](Self::reset).
    pub(crate) fn new(exist: Mask) -> Self {
        let mut strand = Self {
            pc: 0,
            active: Mask::EMPTY,
            runs: Vec::new(),
            frames: Vec::new(),
            uniforms: Vec::new(),
            waits: false,
            diverged: Mask::EMPTY,
            exist,
            exclusive: [true; WARPS],
        };
        strand.activate(exist);
        strand
    }

    /// Moves to the first instruction, with all of `exist`.
    pub(crate) fn reset(&mut self, exist: Mask, uniforms: &[u64]) {
        (self.pc, self.waits) = (0, false);
        self.frames.clear();
        self.uniforms.clear();
        self.uniforms.extend_from_slice(uniforms);
        if self.active != exist || self.exist != exist || self.exclusive != [true; WARPS] {
            (self.exist, self.exclusive) = (exist, [true; WARPS]);
            self.activate(exist);
        }
    }

    #[inline(always)]
    pub(crate) fn active(&self) -> Mask {
        self.active
    }

    #[inline(always)]
    pub(crate) fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Makes `active` the active lanes.
    pub(crate) fn activate(&mut self, active: Mask) {
        self.active = active;
        cover_by_runs(active, self.exist, self.exclusive, &mut self.runs);
    }

    /// Returns every lane that belongs to the strand.
    pub(crate) fn lanes(&self) -> Mask {
        self.frames.iter().fold(self.active, |lanes, frame| lanes | frame.pending | frame.done)
    }

    /// Updates which lanes of the group have not ended. Lanes that belong to no strand may be
    /// computed too, but need not be.
    pub(crate) fn update_live(&mut self, live: Mask) {
        if live == self.active && self.exclusive == [true; WARPS] {
            return;
        }
        let others = live.without(self.lanes());
        let exclusive = others.0.map(|lanes| lanes == 0);
        if exclusive != self.exclusive {
            self.exclusive = exclusive;
            self.activate(self.active);
        }
    }

    /// Moves to waiting lanes, once no lane is active; false if there are none.
    pub(crate) fn resume(&mut self) -> bool {
        match self.frames.last() {
            Some(frame) => {
                self.pc = frame.resume;
                true
            }
            None => false,
        }
    }

    /// Makes strands of the lanes that wait in frames.
    pub(crate) fn split_waiting(&mut self) -> Vec<Self> {
        let mut split = Vec::new();
        for depth in 0..self.frames.len() {
            let Frame { pending, done, .. } = self.frames[depth];
            if !pending.is_empty() {
                split.push(self.waiting_strand(depth, pending, Mask::EMPTY));
            }
            if !done.is_empty() {
                split.push(self.waiting_strand(depth, Mask::EMPTY, done));
            }
        }
        for frame in &mut self.frames {
            (frame.pending, frame.done) = (Mask::EMPTY, Mask::EMPTY);
        }
        split
    }

    /// Returns a strand of lanes that wait in the frame at `depth`. It has no active lanes at
    /// first, and begins where that frame activates them.
    fn waiting_strand(&self, depth: usize, pending: Mask, done: Mask) -> Self {
        let mut frames: Vec<_> =
            self.frames[..depth].iter().map(|outer| Frame::new(outer.resume, outer.end)).collect();
        let frame = self.frames[depth];
        frames.push(Frame { pending, done, ..frame });
        let mut strand = Self { pc: frame.resume, frames, waits: false, ..self.clone() };
        strand.activate(Mask::EMPTY);
        strand
    }

    /// Splits `lanes` off a strand whose lanes are all active.
    pub(crate) fn split_active(&mut self, lanes: Mask) -> Self {
        let mut strand = self.clone();
        strand.activate(self.active & lanes);
        self.activate(self.active.without(lanes));
        strand
    }

    /// Merges `other` into this strand, if it is at the same place in the same state.
    pub(crate) fn merge(&mut self, other: &Self) -> bool {
        let same_frames = self.frames.len() == other.frames.len()
            && self
                .frames
                .iter()
                .zip(&other.frames)
                .all(|(a, b)| (a.resume, a.end) == (b.resume, b.end));
        if self.pc != other.pc || !same_frames || self.uniforms != other.uniforms {
            return false;
        }
        for (frame, taken) in self.frames.iter_mut().zip(&other.frames) {
            frame.pending.add(taken.pending);
            frame.done.add(taken.done);
        }
        self.activate(self.active | other.active);
        true
    }
}

/// Hashes everything that decides the strand's future, but for registers.
impl Hash for Strand {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Self { pc, active, frames, uniforms, waits, .. } = self;
        (pc, active, frames, uniforms, waits).hash(hasher);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lanes 0..4 run at instruction 7, 4..6 wait for the second arm of an `if` in a loop that 6
    /// and 7 have left.
    fn diverged_strand() -> Strand {
        let mut strand = Strand::new(Mask::first(8));
        strand.reset(Mask::first(8), &[0]);
        strand.pc = 7;
        strand.activate(Mask::first(4));
        let mut outer = Frame::new(20, 22);
        outer.done = Mask::of_warp(0, 0b1100_0000);
        let mut inner = Frame::new(10, 12);
        inner.pending = Mask::of_warp(0, 0b11_0000);
        strand.frames = vec![outer, inner];
        strand
    }

    #[test]
    fn lanes_that_wait_go_on_by_themselves() {
        let mut strand = diverged_strand();
        assert_eq!(strand.lanes(), Mask::first(8));
        let split = strand.split_waiting();
        assert_eq!(strand.lanes(), Mask::first(4));
        let [left, second_arm] = &split[..] else { panic!("{split:?}") };
        assert_eq!((left.pc, left.frames.len()), (20, 1));
        assert_eq!(left.frames[0].done, Mask::of_warp(0, 0b1100_0000));
        assert_eq!((second_arm.pc, second_arm.frames.len()), (10, 2));
        assert_eq!(second_arm.frames[1].pending, Mask::of_warp(0, 0b11_0000));
        assert!(second_arm.frames[0].done.is_empty());
    }

    #[test]
    fn strands_merge_in_the_same_place_and_state_only() {
        let mut strand = diverged_strand();
        strand.split_waiting();
        let mut other = strand.split_active(Mask::first(1));
        assert_eq!((strand.active().count(), other.active().count()), (3, 1));
        other.pc = 8;
        assert!(!strand.merge(&other));
        other.pc = 7;
        other.uniforms[0] = 1;
        assert!(!strand.merge(&other));
        other.uniforms[0] = 0;
        assert!(strand.merge(&other));
        assert_eq!(strand.active(), Mask::first(4));
    }

    #[test]
    fn lanes_of_others_are_not_touched() {
        let mut strand = diverged_strand();
        let mut others = strand.split_waiting();
        strand.update_live(Mask::first(8));
        assert_eq!(strand.runs(), [Run { first: 0, len: 4, full: true }]);
        others[0].update_live(Mask::of_warp(0, 0b1100_0000));
        assert!(others[0].exclusive[0]);
    }
}
