//! Asynchronous copies between their beginning and the wait that performs them.
//!
//! A copy may take place at any time in between. Here it takes place at the end, so that a kernel
//! that reads the destination too early does not find the copied value by accident. A copy that no
//! wait covers never takes place: no other thread can tell when it has. If a thread waits for none
//! of very many copies, the oldest take place earlier, which limits the memory that they need.
use crate::vector::mask::Mask;
use std::{
    collections::VecDeque,
    hash::{Hash, Hasher},
};

/// The maximum number of executions of copy instructions with pending copies.
const MAX_PENDING: usize = 1 << 12;

/// The pending copies of a group's threads.
#[derive(Debug, Default)]
pub(crate) struct AsyncCopies {
    /// The executions of copy instructions with pending copies, in order.
    begun: VecDeque<BegunCopies>,
    /// Per lane, the number of closed groups of copies.
    closed: Vec<u64>,
}

/// The copies that one execution of an instruction has begun.
#[derive(Debug)]
pub(crate) struct BegunCopies {
    /// The index of the instruction's [copy](crate::bytecode::AsyncCopy).
    pub(crate) copy: u32,
    pub(crate) lanes: Vec<LaneCopy>,
}

/// The copy of one lane, with its addresses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaneCopy {
    pub(crate) lane: u32,
    /// The number of the lane's group of copies.
    group: u64,
    pub(crate) to: u64,
    pub(crate) from: u64,
}

impl AsyncCopies {
    /// Starts a block of `lanes` lanes, without copies.
    pub(crate) fn reset(&mut self, lanes: usize) {
        self.begun.clear();
        self.closed.clear();
        self.closed.resize(lanes, 0);
    }

    /// Adds copies to the lanes' open groups, each from the last to the first of two addresses.
    /// Returns the copies that can no longer be pending.
    pub(crate) fn begin(
        &mut self,
        copy: u32,
        lanes: impl Iterator<Item = (usize, [u64; 2])>,
    ) -> Option<BegunCopies> {
        let lane_copy = |(lane, [to, from]): (usize, [u64; 2])| {
            let group = self.closed[lane];
            LaneCopy { lane: lane as u32, group, to, from }
        };
        self.begun.push_back(BegunCopies { copy, lanes: lanes.map(lane_copy).collect() });
        if self.begun.len() > MAX_PENDING { self.begun.pop_front() } else { None }
    }

    /// Closes the lanes' open groups.
    pub(crate) fn commit(&mut self, lanes: Mask) {
        lanes.lanes().for_each(|lane| self.closed[lane] += 1);
    }

    /// Removes the copies of the lanes' closed groups, but for the last `pending` of each lane, and
    /// returns them in order.
    pub(crate) fn take_closed(&mut self, lanes: Mask, pending: u64) -> Vec<BegunCopies> {
        let mut taken = Vec::new();
        let closed = &self.closed;
        let is_done = |copy: &LaneCopy| {
            let lane = copy.lane as usize;
            let waits = lanes.contains(lane);
            waits && copy.group < closed[lane].saturating_sub(pending)
        };
        self.begun.retain_mut(|begun| {
            if begun.lanes.iter().all(is_done) {
                let (copy, lanes) = (begun.copy, std::mem::take(&mut begun.lanes));
                taken.push(BegunCopies { copy, lanes });
                return false;
            }
            let (done, rest): (Vec<_>, Vec<_>) = begun.lanes.drain(..).partition(is_done);
            begun.lanes = rest;
            if !done.is_empty() {
                taken.push(BegunCopies { copy: begun.copy, lanes: done });
            }
            true
        });
        taken
    }

    /// Removes the copies of threads that a fault has ended.
    pub(crate) fn abandon(&mut self, lanes: Mask) {
        self.begun.iter_mut().for_each(|begun| {
            begun.lanes.retain(|copy| {
                let lane = copy.lane as usize;
                !lanes.contains(lane)
            });
        });
        self.begun.retain(|begun| !begun.lanes.is_empty());
    }

    /// Returns the pending copies, in order.
    pub(crate) fn pending(&self) -> impl Iterator<Item = &BegunCopies> {
        self.begun.iter()
    }
}

/// Hashes the pending copies, whatever the number of groups before.
impl Hash for AsyncCopies {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        for BegunCopies { copy, lanes } in &self.begun {
            copy.hash(hasher);
            for LaneCopy { lane, group, to, from } in lanes {
                let since = self.closed[*lane as usize] - group;
                (lane, since, to, from).hash(hasher);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the lanes of each execution whose copies a wait performs.
    fn wait(copies: &mut AsyncCopies, lanes: Mask, pending: u64) -> Vec<Vec<u32>> {
        let taken = copies.take_closed(lanes, pending);
        taken.iter().map(|begun| begun.lanes.iter().map(|copy| copy.lane).collect()).collect()
    }

    #[test]
    fn a_wait_performs_all_groups_but_the_last() {
        let mut copies = AsyncCopies::default();
        copies.reset(4);
        let all = Mask::first(2);
        for _ in 0..3 {
            assert!(copies.begin(0, (0..2).map(|lane| (lane, [0, 0]))).is_none());
            copies.commit(all);
        }
        assert_eq!(wait(&mut copies, all, 3), [[0; 0]; 0]);
        assert_eq!(wait(&mut copies, all, 2), [[0, 1]]);
        assert_eq!(wait(&mut copies, Mask::first(1), 0), [[0], [0]]);
        assert_eq!(wait(&mut copies, all, 1), [[1]]);
        assert_eq!(wait(&mut copies, all, 0), [[1]]);
        assert_eq!(copies.pending().count(), 0);
    }

    #[test]
    fn only_so_many_copies_are_pending() {
        let mut copies = AsyncCopies::default();
        copies.reset(1);
        let mut begin = |copy| copies.begin(copy, [(0, [0, 0])].into_iter());
        assert!((0..MAX_PENDING as u32).all(|copy| begin(copy).is_none()));
        assert_eq!(begin(0).map(|begun| begun.copy), Some(0));
        assert_eq!(begin(0).map(|begun| begun.copy), Some(1));
    }

    #[test]
    fn a_wait_leaves_the_open_group() {
        let mut copies = AsyncCopies::default();
        copies.reset(1);
        assert!(copies.begin(0, [(0, [0, 0])].into_iter()).is_none());
        assert_eq!(wait(&mut copies, Mask::first(1), 0), [[0; 0]; 0]);
        copies.commit(Mask::first(1));
        assert_eq!(wait(&mut copies, Mask::first(1), 0), [[0]]);
    }
}
