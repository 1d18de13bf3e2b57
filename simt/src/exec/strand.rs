//! Lanes that run together, and where their neighbours wait.
//!
//! A *strand* is a set of lanes of one group with one place in the program. A block
//! starts with one strand a group. Where lanes of a strand part ways, one side goes
//! on and the other waits in a [`Frame`] of the structure that they are in: for the
//! other arm of an `if`, for the next iteration of a loop, for the end of either.
//! That is as fast as a mask stack, and it is only a matter of order: the waiting
//! lanes of a strand can at any time be [split off](Strand::split_waiting) as
//! strands of their own, because each frame knows where they go on. This happens
//! where somebody waits for them: when lanes come to a barrier, or spin.
//!
//! Registers belong to lanes, so splitting copies nothing but the uniform values.
//! Strands that come to the same place are merged again where threads meet.
use crate::vector::mask::{Mask, Run, WARPS, cover_by_runs};
use std::hash::{Hash, Hasher};

/// A set of lanes at one place in the program.
#[derive(Clone, Debug)]
pub(crate) struct Strand {
    /// The step to run next.
    pub(crate) at: u32,
    /// Who runs it.
    active: Mask,
    /// How instructions go over them.
    runs: Vec<Run>,
    /// The structures that the place is in and that lanes may wait in, outermost first.
    pub(crate) frames: Vec<Frame>,
    /// The values held once.
    pub(crate) uniforms: Vec<u64>,
    /// Whether it waits for other threads, at the step `at`.
    pub(crate) waits: bool,
    /// Lanes that took another way in the structures around the place where it waits.
    pub(crate) elsewhere: Mask,
    /// The lanes that there are in the group.
    exist: Mask,
    /// Warps no lane of which belongs to another strand.
    exclusive: [bool; WARPS],
}

/// A structure with lanes that wait in it.
#[derive(Clone, Copy, Debug, Hash)]
pub(crate) struct Frame {
    /// Where to go on when no lane is active: the step that activates `pending`, or `end`.
    pub(crate) resume: u32,
    /// The step that pops the frame.
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
    /// All of `exist`, before it [begins](Self::begin).
    pub(crate) fn new(exist: Mask) -> Self {
        let mut strand = Self {
            at: 0,
            active: Mask::EMPTY,
            runs: Vec::new(),
            frames: Vec::new(),
            uniforms: Vec::new(),
            waits: false,
            elsewhere: Mask::EMPTY,
            exist,
            exclusive: [true; WARPS],
        };
        strand.activate(exist);
        strand
    }

    /// Begins at the first step, with all of `exist`.
    pub(crate) fn begin(&mut self, exist: Mask, uniforms: &[u64]) {
        (self.at, self.waits) = (0, false);
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

    /// Makes `active` the lanes that run.
    pub(crate) fn activate(&mut self, active: Mask) {
        self.active = active;
        cover_by_runs(active, self.exist, self.exclusive, &mut self.runs);
    }

    /// Every lane that belongs to the strand.
    pub(crate) fn lanes(&self) -> Mask {
        self.frames.iter().fold(self.active, |lanes, frame| lanes | frame.pending | frame.done)
    }

    /// Learns which lanes of the group have not ended. Lanes that belong to no strand
    /// may be computed too, and need not be.
    pub(crate) fn learn_live(&mut self, live: Mask) {
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

    /// Goes on where lanes wait, once no lane is active; false if none is left.
    pub(crate) fn resume(&mut self) -> bool {
        match self.frames.last() {
            Some(frame) => {
                self.at = frame.resume;
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
                split.push(self.waiting(depth, pending, Mask::EMPTY));
            }
            if !done.is_empty() {
                split.push(self.waiting(depth, Mask::EMPTY, done));
            }
        }
        for frame in &mut self.frames {
            (frame.pending, frame.done) = (Mask::EMPTY, Mask::EMPTY);
        }
        split
    }

    /// A strand of lanes that wait in the frame at `depth`. It has no active lanes at
    /// first, and begins where that frame activates them.
    fn waiting(&self, depth: usize, pending: Mask, done: Mask) -> Self {
        let mut frames: Vec<_> =
            self.frames[..depth].iter().map(|outer| Frame::new(outer.resume, outer.end)).collect();
        let frame = self.frames[depth];
        frames.push(Frame { pending, done, ..frame });
        let mut strand = Self { at: frame.resume, frames, waits: false, ..self.clone() };
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

    /// Takes in `other`, if it is at the same place in the same state.
    pub(crate) fn merge(&mut self, other: &Self) -> bool {
        let same_frames = self.frames.len() == other.frames.len()
            && self
                .frames
                .iter()
                .zip(&other.frames)
                .all(|(a, b)| (a.resume, a.end) == (b.resume, b.end));
        if self.at != other.at || !same_frames || self.uniforms != other.uniforms {
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

/// All that decides where it goes on and with what, but for registers.
impl Hash for Strand {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Self { at, active, frames, uniforms, waits, .. } = self;
        (at, active, frames, uniforms, waits).hash(hasher);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lanes 0..4 run at step 7, 4..6 wait for the second arm of an `if` in a loop
    /// that 6 and 7 have left.
    fn parted() -> Strand {
        let mut strand = Strand::new(Mask::first(8));
        strand.begin(Mask::first(8), &[0]);
        strand.at = 7;
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
        let mut strand = parted();
        assert_eq!(strand.lanes(), Mask::first(8));
        let split = strand.split_waiting();
        assert_eq!(strand.lanes(), Mask::first(4));
        let [left, second_arm] = &split[..] else { panic!("{split:?}") };
        assert_eq!((left.at, left.frames.len()), (20, 1));
        assert_eq!(left.frames[0].done, Mask::of_warp(0, 0b1100_0000));
        assert_eq!((second_arm.at, second_arm.frames.len()), (10, 2));
        assert_eq!(second_arm.frames[1].pending, Mask::of_warp(0, 0b11_0000));
        assert!(second_arm.frames[0].done.is_empty());
    }

    #[test]
    fn strands_merge_in_the_same_place_and_state_only() {
        let mut strand = parted();
        strand.split_waiting();
        let mut other = strand.split_active(Mask::first(1));
        assert_eq!((strand.active().count(), other.active().count()), (3, 1));
        other.at = 8;
        assert!(!strand.merge(&other));
        other.at = 7;
        other.uniforms[0] = 1;
        assert!(!strand.merge(&other));
        other.uniforms[0] = 0;
        assert!(strand.merge(&other));
        assert_eq!(strand.active(), Mask::first(4));
    }

    #[test]
    fn lanes_of_others_are_not_touched() {
        let mut strand = parted();
        let mut others = strand.split_waiting();
        strand.learn_live(Mask::first(8));
        assert_eq!(strand.runs(), [Run { first: 0, len: 4, full: true }]);
        others[0].learn_live(Mask::of_warp(0, 0b1100_0000));
        assert!(others[0].exclusive[0]);
    }
}
