//! Releases and acquires: what a thread knows of what others did.
//!
//! A release hands what its thread knows to the place that it writes, an acquire takes what stands at the place that it
//! reads; a fence does the same for the relaxed atomics behind and before it. Launches of kernels with either are run
//! by one worker, so that what is known is what happened.
use super::happens_before::Context;
use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};
use warpwise_compiler::ir::{Order as Ordering, Scope};

/// What happened before something.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// Of each block, the intervals below this number.
    blocks: BTreeMap<u64, u32>,
    /// Of each thread of a block, what it did before it had let others know so often.
    threads: BTreeMap<u64, Vec<u32>>,
    /// Values of one line are made of each other: the one with the larger number has all that the others have. A lock that
    /// goes from thread to thread makes a line, so that whoever spins learns the next value without a look at it.
    line: Arc<()>,
    number: u32,
    /// Whether the line goes on with another value.
    is_continued: AtomicBool,
}

impl Known {
    /// All of `before`, as the next of its line, if that does not go on yet.
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

    /// Adds what a thread of a block did before it had let others know so often.
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

    /// Whether this surely has all that another has.
    fn continues(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.line, &other.line) && self.number >= other.number
    }
}

/// What one thread knows and has to say.
#[derive(Clone, Debug, Default)]
struct Thread {
    known: Option<Arc<Known>>,
    /// How often it has let others know.
    epoch: u32,
    /// What a fence has it say with each relaxed write, and whether only to its block.
    fenced: Option<(Arc<Known>, bool)>,
    /// What it has read relaxed, and knows once it is at a fence.
    read: Option<Arc<Known>>,
}

/// What the threads of a block know of others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Knowledge {
    threads: Vec<Thread>,
}

/// What stands at a place.
#[derive(Clone, Debug)]
struct Released {
    known: Arc<Known>,
    /// The block, if it is for that only.
    only: Option<u64>,
}

/// What stands at the places of atomics: of shared memory, with the block.
#[derive(Debug, Default)]
pub(crate) struct Places(HashMap<(Option<u64>, u16, u64), Released>);

/// An atomic access of one thread.
pub(crate) struct Atomic {
    /// The block of shared memory, the memory and the byte.
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

    /// Whether `thread` knows of what another did.
    pub(crate) fn has(&self, thread: u32, other: &Context, by: u32) -> bool {
        let known = self.threads.get(thread as usize).and_then(|thread| thread.known.as_ref());
        known.is_some_and(|known| known.has(other, by))
    }

    /// As a new block.
    pub(crate) fn clear(&mut self) {
        self.threads.clear();
    }

    /// All threads of the block know what each knows.
    pub(crate) fn barrier(&mut self) {
        let mut all: Option<Arc<Known>> = None;
        for known in self.threads.iter().filter_map(|thread| thread.known.as_ref()) {
            all = Some(joined(all.as_ref(), known));
        }
        let Some(all) = all else { return };
        // Any thread may look at it next.
        self.thread(1023);
        self.threads.iter_mut().for_each(|thread| thread.known = Some(Arc::clone(&all)));
    }

    /// `threads` know what each of them knows and did.
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

    /// All that a thread knows and did.
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

    /// A thread is at a fence.
    pub(crate) fn fence(&mut self, at: (u64, u32), thread: u32, scope: Scope) {
        let this = self.thread(thread);
        if let Some(read) = this.read.take() {
            this.known = Some(joined(this.known.as_ref(), &read));
        }
        let said = self.say(at, thread);
        self.thread(thread).fenced = Some((said, scope == Scope::Block));
    }

    /// A thread makes an atomic access.
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
            // An update keeps what was released before it, a store does not.
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

    /// What a thread has let others know so often.
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
