//! The order by releases and acquires, as vector clocks.
//!
//! A release stores the clock of its thread at the place that it writes, an acquire joins the clock
//! at the place that it reads; a fence does the same for the relaxed atomics after and before it.
//! Launches of kernels with releases or acquires have one worker, so that the order of analysis is
//! the order of execution.
use super::happens_before::Context;
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
pub(crate) struct Known {
    /// By block, the number of its intervals that happened before.
    blocks: BTreeMap<u64, u32>,
    /// By block and thread, the epoch of the thread before which its accesses happened before.
    threads: BTreeMap<u64, Vec<u32>>,
    /// The lineage of the clock. Of two clocks of one lineage, the one with the larger number
    /// covers the other. A lock that is passed from thread to thread makes a lineage, so that a
    /// spinning thread takes the next clock without a comparison.
    line: Arc<()>,
    number: u32,
    /// True if the lineage has a later clock.
    is_continued: AtomicBool,
}

impl Known {
    /// Copies `before` as its successor in its lineage; in a new lineage, if it has a successor
    /// already.
    fn after(before: &Self) -> Self {
        let Self { blocks, threads, line, number, is_continued } = before;
        let (blocks, threads) = (blocks.clone(), threads.clone());
        if is_continued.swap(true, Relaxed) {
            return Self { blocks, threads, ..Self::default() };
        }
        let (line, number) = (Arc::clone(line), number + 1);
        Self { blocks, threads, line, number, is_continued: AtomicBool::new(false) }
    }

    fn join(&mut self, other: &Self) {
        for (block, until) in &other.blocks {
            let known = self.blocks.entry(*block).or_default();
            *known = (*known).max(*until);
        }
        for (block, threads) in &other.threads {
            let known = self.threads.entry(*block).or_default();
            if known.len() < threads.len() {
                known.resize(threads.len(), 0);
            }
            for (known, until) in known.iter_mut().zip(threads) {
                *known = (*known).max(*until);
            }
        }
    }

    /// Sets the epoch of a thread of a block, before which its accesses are covered.
    fn learn(&mut self, block: u64, thread: u32, epoch: u32) {
        let (threads, thread) = (self.threads.entry(block).or_default(), thread as usize);
        if threads.len() <= thread {
            threads.resize(thread + 1, 0);
        }
        threads[thread] = epoch;
    }

    fn has(&self, other: &Context, by: u32) -> bool {
        let of_thread = || self.threads.get(&other.block)?.get(by as usize).copied();
        self.blocks.get(&other.block).copied().unwrap_or(0) > other.interval
            || of_thread().unwrap_or(0) > other.epoch
    }

    /// Returns true if this clock covers the other by their lineage; false proves nothing.
    fn continues(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.line, &other.line) && self.number >= other.number
    }
}

/// The clocks of one thread.
#[derive(Clone, Debug, Default)]
struct Thread {
    known: Option<Arc<Known>>,
    /// The number of times that it has published its clock, by releases, fences and `sync_warp`s.
    epoch: u32,
    /// The clock that the last fence releases with each relaxed write, and true if only to the
    /// block.
    fenced: Option<(Arc<Known>, bool)>,
    /// The clock that relaxed reads have acquired, in effect from the next fence on.
    read: Option<Arc<Known>>,
}

/// The clocks of the threads of a block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Knowledge {
    threads: Vec<Thread>,
}

/// A clock that was released at a place.
#[derive(Clone, Debug)]
struct Released {
    known: Arc<Known>,
    /// The block, if the clock is visible to that only.
    only: Option<u64>,
}

/// The clocks at the places of atomics.
#[derive(Debug, Default)]
pub(crate) struct Places(HashMap<(Option<u64>, u16, u64), Released>);

/// An atomic access of one thread.
pub(crate) struct Atomic {
    /// The block if it is shared memory, the memory and the byte.
    pub(crate) place: (Option<u64>, u16, u64),
    pub(crate) reads: bool,
    pub(crate) writes: bool,
    pub(crate) order: Ordering,
    pub(crate) scope: Scope,
}

fn joined(one: Option<&Arc<Known>>, other: &Arc<Known>) -> Arc<Known> {
    match one {
        Some(one) if one.continues(other) => Arc::clone(one),
        Some(one) if !other.continues(one) => {
            let mut all = Known::after(one);
            all.join(other);
            Arc::new(all)
        }
        Some(_) | None => Arc::clone(other),
    }
}

impl Knowledge {
    fn thread(&mut self, thread: u32) -> &mut Thread {
        let thread = thread as usize;
        if self.threads.len() <= thread {
            self.threads.resize(thread + 1, Thread::default());
        }
        &mut self.threads[thread]
    }

    pub(crate) fn epoch(&self, thread: u32) -> u32 {
        self.threads.get(thread as usize).map_or(0, |thread| thread.epoch)
    }

    /// Returns true if an access of another thread happened before the current point of `thread`.
    pub(crate) fn has(&self, thread: u32, other: &Context, by: u32) -> bool {
        let known = self.threads.get(thread as usize).and_then(|thread| thread.known.as_ref());
        known.is_some_and(|known| known.has(other, by))
    }

    /// Resets the clocks for a new block.
    pub(crate) fn clear(&mut self) {
        self.threads.clear();
    }

    /// Joins the clocks of all threads of the block.
    pub(crate) fn barrier(&mut self) {
        let mut all: Option<Arc<Known>> = None;
        for known in self.threads.iter().filter_map(|thread| thread.known.as_ref()) {
            all = Some(joined(all.as_ref(), known));
        }
        let Some(all) = all else { return };
        // The clock holds for every thread, also for one that has no entry yet.
        self.thread(1023);
        self.threads.iter_mut().for_each(|thread| thread.known = Some(Arc::clone(&all)));
    }

    /// Joins the clocks of `threads`, including their own accesses.
    pub(crate) fn meet(&mut self, block: u64, threads: Vec<u32>) {
        let mut all = Known::default();
        for &thread in &threads {
            let this = self.thread(thread);
            this.epoch += 1;
            let epoch = this.epoch;
            if let Some(known) = &this.known {
                all.join(known);
            }
            all.learn(block, thread, epoch);
        }
        let all = Arc::new(all);
        for thread in threads {
            self.thread(thread).known = Some(Arc::clone(&all));
        }
    }

    /// Advances the epoch of a thread, and returns a clock that covers all its accesses.
    fn say(&mut self, (block, interval): (u64, u32), thread: u32) -> Arc<Known> {
        let this = self.thread(thread);
        this.epoch += 1;
        let mut all = this.known.as_deref().map_or_else(Known::default, Known::after);
        all.learn(block, thread, this.epoch);
        if interval > 0 {
            all.blocks.insert(block, interval);
        }
        Arc::new(all)
    }

    /// Executes a fence of a thread.
    pub(crate) fn fence(&mut self, at: (u64, u32), thread: u32, scope: Scope) {
        let this = self.thread(thread);
        if let Some(read) = this.read.take() {
            this.known = Some(joined(this.known.as_ref(), &read));
        }
        let said = self.say(at, thread);
        self.thread(thread).fenced = Some((said, scope == Scope::Block));
    }

    /// Executes an atomic access of a thread.
    pub(crate) fn atomic(
        &mut self,
        (block, interval): (u64, u32),
        thread: u32,
        places: &mut Places,
        atomic: &Atomic,
    ) {
        let Atomic { place, reads, writes, order, scope } = *atomic;
        let narrow = scope == Scope::Block;
        let (acquires, releases) = match order {
            Ordering::Relaxed => (false, false),
            Ordering::Acquire => (true, false),
            Ordering::Release => (false, true),
            Ordering::AcqRel | Ordering::SeqCst => (true, true),
        };
        let there = places.0.get(&place).cloned();
        let visible = there.as_ref().filter(|there| there.only.is_none_or(|only| only == block));
        if let (true, Some(there)) = (reads, visible) {
            let this = self.thread(thread);
            let to = if acquires { &mut this.known } else { &mut this.read };
            *to = Some(joined(to.as_ref(), &there.known));
        }
        if !writes {
            return;
        }
        let said = if releases {
            Some((self.say((block, interval), thread), narrow))
        } else {
            self.thread(thread).fenced.clone().map(|(said, only)| (said, only || narrow))
        };
        match (said, there.filter(|_| reads)) {
            (Some((said, narrow)), there) => {
                let known = joined(there.as_ref().map(|there| &there.known), &said);
                let only = narrow.then_some(block);
                places.0.insert(place, Released { known, only });
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
    fn said(before: Option<&Arc<Known>>, thread: u32, epoch: u32) -> Arc<Known> {
        let mut known = before.map_or_else(Known::default, |before| Known::after(before));
        known.learn(0, thread, epoch);
        Arc::new(known)
    }

    fn epochs(known: &Known) -> &[u32] {
        &known.threads[&0]
    }

    #[test]
    fn the_next_of_a_line_has_all_before_it() {
        let first = said(None, 0, 1);
        let second = said(Some(&first), 1, 1);
        assert!(second.continues(&first) && !first.continues(&second));
        assert!(Arc::ptr_eq(&joined(Some(&first), &second), &second));
        assert!(Arc::ptr_eq(&joined(Some(&second), &first), &second));
        assert_eq!(epochs(&second), [1, 1]);
    }

    #[test]
    fn a_line_goes_on_once() {
        let first = said(None, 0, 1);
        let (one, other) = (said(Some(&first), 1, 1), said(Some(&first), 2, 1));
        assert!(!one.continues(&other) && !other.continues(&one));
        let both = joined(Some(&one), &other);
        assert_eq!(epochs(&both), [1, 1, 1]);
        assert!(both.continues(&one) && !both.continues(&other));
    }
}
