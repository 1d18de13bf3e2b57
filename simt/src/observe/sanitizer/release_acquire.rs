//! The order by releases and acquires, as vector clocks.
//!
//! A release stores the clock of its thread at the place that it writes, an acquire joins the clock
//! at the place that it reads; a fence does the same for the relaxed atomics after and before it.
//! Launches of kernels with releases or acquires have one worker, so that the order of analysis is
//! the order of execution.
use super::happens_before::AccessContext;
use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};
use warpwise_compiler::ir::{Order as Ordering, Scope};

/// A vector clock: the accesses that happened before some point.
#[derive(Debug, Default)]
pub(crate) struct VectorClock {
    /// By block, the number of its intervals that happened before.
    blocks: BTreeMap<u64, u32>,
    /// By block and thread, the epoch of the thread before which its accesses happened before.
    threads: BTreeMap<u64, Vec<u32>>,
    /// The lineage of the clock. Of two clocks of one lineage, the one with the larger number
    /// covers the other. A lock that is passed from thread to thread makes a lineage, so that a
    /// spinning thread takes the next clock without a comparison.
    lineage: Arc<()>,
    number: u32,
    /// True if the lineage has a later clock.
    is_continued: AtomicBool,
}

impl VectorClock {
    /// Copies `before` as its successor in its lineage; in a new lineage, if it has a successor
    /// already.
    fn successor_of(before: &Self) -> Self {
        let Self { blocks, threads, lineage, number, is_continued } = before;
        let (blocks, threads) = (blocks.clone(), threads.clone());
        if is_continued.swap(true, Relaxed) {
            return Self { blocks, threads, ..Self::default() };
        }
        let (lineage, number) = (Arc::clone(lineage), number + 1);
        Self { blocks, threads, lineage, number, is_continued: AtomicBool::new(false) }
    }

    fn join(&mut self, other: &Self) {
        for (block, until) in &other.blocks {
            let clock = self.blocks.entry(*block).or_default();
            *clock = (*clock).max(*until);
        }
        for (block, threads) in &other.threads {
            let clock = self.threads.entry(*block).or_default();
            if clock.len() < threads.len() {
                clock.resize(threads.len(), 0);
            }
            for (clock, until) in clock.iter_mut().zip(threads) {
                *clock = (*clock).max(*until);
            }
        }
    }

    /// Sets the epoch of a thread of a block, before which its accesses are covered.
    fn set_epoch(&mut self, block: u64, thread: u32, epoch: u32) {
        let (threads, thread) = (self.threads.entry(block).or_default(), thread as usize);
        if threads.len() <= thread {
            threads.resize(thread + 1, 0);
        }
        threads[thread] = epoch;
    }

    /// Returns true if an access by a thread happened before.
    pub(crate) fn covers(&self, other: &AccessContext, by: u32) -> bool {
        let of_thread = || self.threads.get(&other.block)?.get(by as usize).copied();
        self.blocks.get(&other.block).copied().unwrap_or(0) > other.interval
            || of_thread().unwrap_or(0) > other.epoch
    }

    /// Returns true if this clock covers the other by their lineage; false proves nothing.
    fn descends_from(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.lineage, &other.lineage) && self.number >= other.number
    }
}

/// The clocks of one thread.
#[derive(Clone, Debug, Default)]
struct ThreadClocks {
    clock: Option<Arc<VectorClock>>,
    /// The number of times that it has published its clock, by releases, fences and `sync_warp`s.
    epoch: u32,
    /// The clock that the last fence releases with each relaxed write, and true if only to the
    /// block.
    fence_release: Option<(Arc<VectorClock>, bool)>,
    /// The clock that relaxed reads have acquired, in effect from the next fence on.
    pending_acquire: Option<Arc<VectorClock>>,
}

/// The clocks of the threads of a block.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockClocks {
    threads: Vec<ThreadClocks>,
}

/// The clocks of the threads that have arrived at a barrier, joined.
#[derive(Clone, Debug, Default)]
pub(crate) struct ArrivedClock(Option<Arc<VectorClock>>);

/// A clock that was released at a place.
#[derive(Clone, Debug)]
struct ReleasedClock {
    clock: Arc<VectorClock>,
    /// The block, if the clock is visible to that only.
    only_block: Option<u64>,
}

/// The clocks at the places of atomics.
#[derive(Debug, Default)]
pub(crate) struct ReleasedClocks(HashMap<(Option<u64>, u16, u64), ReleasedClock>);

/// An atomic access of one thread.
pub(crate) struct AtomicAccess {
    /// The block if it is shared memory, the memory and the byte.
    pub(crate) place: (Option<u64>, u16, u64),
    pub(crate) reads: bool,
    pub(crate) writes: bool,
    pub(crate) order: Ordering,
    pub(crate) scope: Scope,
}

fn join_clocks(one: Option<&Arc<VectorClock>>, other: &Arc<VectorClock>) -> Arc<VectorClock> {
    match one {
        Some(one) if one.descends_from(other) => Arc::clone(one),
        Some(one) if !other.descends_from(one) => {
            let mut all = VectorClock::successor_of(one);
            all.join(other);
            Arc::new(all)
        }
        Some(_) | None => Arc::clone(other),
    }
}

impl BlockClocks {
    fn thread_mut(&mut self, thread: u32) -> &mut ThreadClocks {
        let thread = thread as usize;
        if self.threads.len() <= thread {
            self.threads.resize(thread + 1, ThreadClocks::default());
        }
        &mut self.threads[thread]
    }

    pub(crate) fn epoch(&self, thread: u32) -> u32 {
        self.threads.get(thread as usize).map_or(0, |thread| thread.epoch)
    }

    /// Returns true if an access of another thread happened before the current point of `thread`.
    pub(crate) fn happened_before(&self, thread: u32, other: &AccessContext, by: u32) -> bool {
        let clock = self.threads.get(thread as usize).and_then(|thread| thread.clock.as_ref());
        clock.is_some_and(|clock| clock.covers(other, by))
    }

    /// Resets the clocks for a new block.
    pub(crate) fn clear(&mut self) {
        self.threads.clear();
    }

    /// Returns the joined clocks of all threads of the block.
    pub(crate) fn join_all(&self) -> Option<Arc<VectorClock>> {
        let clocks = self.threads.iter().filter_map(|thread| thread.clock.as_ref());
        clocks.fold(None, |all, clock| Some(join_clocks(all.as_ref(), clock)))
    }

    /// Gives all threads of the block their joined clocks.
    pub(crate) fn barrier(&mut self) {
        let Some(all) = self.join_all() else { return };
        // The clock holds for every thread, also for one that has no entry yet.
        self.thread_mut(1023);
        self.threads.iter_mut().for_each(|thread| thread.clock = Some(Arc::clone(&all)));
    }

    /// Joins the clock of a block whose threads have passed a barrier, with the intervals before
    /// that, into one of several blocks.
    pub(crate) fn join_into(&self, all: &mut VectorClock, block: u64, intervals: u32) {
        if let Some(clock) = self.threads.first().and_then(|thread| thread.clock.as_ref()) {
            all.join(clock);
        }
        all.blocks.insert(block, intervals);
    }

    /// Sets the clocks of all threads of the block.
    pub(crate) fn set_all(&mut self, clock: &Arc<VectorClock>) {
        self.thread_mut(1023);
        self.threads.iter_mut().for_each(|thread| thread.clock = Some(Arc::clone(clock)));
    }

    /// Joins the clocks of `threads`, including their own accesses.
    pub(crate) fn sync_threads(&mut self, block: u64, threads: Vec<u32>) {
        let mut all = VectorClock::default();
        for &thread in &threads {
            let this = self.thread_mut(thread);
            this.epoch += 1;
            let epoch = this.epoch;
            if let Some(clock) = &this.clock {
                all.join(clock);
            }
            all.set_epoch(block, thread, epoch);
        }
        let all = Arc::new(all);
        for thread in threads {
            self.thread_mut(thread).clock = Some(Arc::clone(&all));
        }
    }

    /// Advances the epoch of a thread, and returns a clock that covers all its accesses.
    fn publish(&mut self, (block, interval): (u64, u32), thread: u32) -> Arc<VectorClock> {
        let this = self.thread_mut(thread);
        this.epoch += 1;
        let mut all =
            this.clock.as_deref().map_or_else(VectorClock::default, VectorClock::successor_of);
        all.set_epoch(block, thread, this.epoch);
        if interval > 0 {
            all.blocks.insert(block, interval);
        }
        Arc::new(all)
    }

    /// Joins the clocks of threads that arrive at a barrier with those of others that have.
    pub(crate) fn arrive(
        &mut self,
        at: (u64, u32),
        threads: impl Iterator<Item = u32>,
        arrived: &mut ArrivedClock,
    ) {
        for thread in threads {
            let published = self.publish(at, thread);
            arrived.0 = Some(join_clocks(arrived.0.as_ref(), &published));
        }
    }

    /// Acquires the clocks of all threads that have arrived.
    pub(crate) fn pass(&mut self, threads: impl Iterator<Item = u32>, arrived: &ArrivedClock) {
        let Some(arrived) = &arrived.0 else { return };
        for thread in threads {
            let this = self.thread_mut(thread);
            this.clock = Some(join_clocks(this.clock.as_ref(), arrived));
        }
    }

    /// Executes a fence of a thread.
    pub(crate) fn fence(&mut self, at: (u64, u32), thread: u32, scope: Scope) {
        let this = self.thread_mut(thread);
        if let Some(pending_acquire) = this.pending_acquire.take() {
            this.clock = Some(join_clocks(this.clock.as_ref(), &pending_acquire));
        }
        let released = self.publish(at, thread);
        self.thread_mut(thread).fence_release = Some((released, scope == Scope::Block));
    }

    /// Executes an atomic access of a thread.
    pub(crate) fn access_atomic(
        &mut self,
        (block, interval): (u64, u32),
        thread: u32,
        places: &mut ReleasedClocks,
        atomic: &AtomicAccess,
    ) {
        let AtomicAccess { place, reads, writes, order, scope } = *atomic;
        let narrow = scope == Scope::Block;
        let (acquires, releases) = match order {
            Ordering::Relaxed => (false, false),
            Ordering::Acquire => (true, false),
            Ordering::Release => (false, true),
            Ordering::AcqRel | Ordering::SeqCst => (true, true),
        };
        // The read comes first: an update acquires the clock that it then replaces.
        let there = places.0.get(&place).cloned();
        let visible = there
            .as_ref()
            .filter(|there| there.only_block.is_none_or(|only_block| only_block == block));
        if let (true, Some(there)) = (reads, visible) {
            let this = self.thread_mut(thread);
            let to = if acquires { &mut this.clock } else { &mut this.pending_acquire };
            *to = Some(join_clocks(to.as_ref(), &there.clock));
        }
        if !writes {
            return;
        }
        // A relaxed write after a fence releases the clock of the fence.
        let released = if releases {
            Some((self.publish((block, interval), thread), narrow))
        } else {
            self.thread_mut(thread)
                .fence_release
                .clone()
                .map(|(released, only_block)| (released, only_block || narrow))
        };
        match (released, there.filter(|_| reads)) {
            (Some((released, narrow)), there) => {
                let clock = join_clocks(there.as_ref().map(|there| &there.clock), &released);
                let only_block = narrow.then_some(block);
                places.0.insert(place, ReleasedClock { clock, only_block });
            }
            // An update keeps an earlier release, a store ends it.
            (None, Some(_)) => {}
            (None, None) => {
                places.0.remove(&place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the clock that a thread has released with an epoch.
    fn released_clock(
        before: Option<&Arc<VectorClock>>,
        thread: u32,
        epoch: u32,
    ) -> Arc<VectorClock> {
        let mut clock =
            before.map_or_else(VectorClock::default, |before| VectorClock::successor_of(before));
        clock.set_epoch(0, thread, epoch);
        Arc::new(clock)
    }

    fn epochs(clock: &VectorClock) -> &[u32] {
        &clock.threads[&0]
    }

    #[test]
    fn the_next_of_a_line_has_all_before_it() {
        let first = released_clock(None, 0, 1);
        let second = released_clock(Some(&first), 1, 1);
        assert!(second.descends_from(&first) && !first.descends_from(&second));
        assert!(Arc::ptr_eq(&join_clocks(Some(&first), &second), &second));
        assert!(Arc::ptr_eq(&join_clocks(Some(&second), &first), &second));
        assert_eq!(epochs(&second), [1, 1]);
    }

    #[test]
    fn a_joined_clock_descends_from_its_first_part_only() {
        let first = released_clock(None, 0, 1);
        let (one, other) = (released_clock(Some(&first), 1, 1), released_clock(Some(&first), 2, 1));
        assert!(!one.descends_from(&other) && !other.descends_from(&one));
        let both = join_clocks(Some(&one), &other);
        assert_eq!(epochs(&both), [1, 1, 1]);
        assert!(both.descends_from(&one) && !both.descends_from(&other));
    }
}
