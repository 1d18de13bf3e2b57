//! Tickets: block numbers that are handed out to workers in order, each once.
use std::{
    ops::Range,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

/// The most tickets that a worker takes at once: enough to make the cost of a
/// [replay](crate::exec::replay) small.
pub(super) const MAX_BATCH: u64 = 1 << 14;

/// The most tickets as long as the first worker checks between them whether it needs help.
pub(super) const FIRST_BATCH: u64 = 128;

/// The number of batches in a worker's share of the remaining tickets.
const SHARES_PER_WORKER: u64 = 8;

/// The tickets that have not been taken.
pub(super) struct Tickets {
    blocks: u64,
    workers: u64,
    /// True if a block may wait for another, so that no worker may hold the ticket of a block that
    /// it does not start.
    one_by_one: bool,
    next: NextTicket,
}

/// A number that all workers change, in a cache line of its own.
#[derive(Default)]
#[repr(align(128))]
struct NextTicket(AtomicU64);

impl Tickets {
    pub(super) fn new(blocks: u64, workers: u64, one_by_one: bool) -> Self {
        Self { blocks, workers, one_by_one, next: NextTicket::default() }
    }

    /// Returns the number of tickets left.
    pub(super) fn left(&self) -> u64 {
        self.blocks.saturating_sub(self.next.0.load(Relaxed))
    }

    /// Takes the next ticket, or several up to `most`, so that workers rarely contend here; none if
    /// none is left.
    pub(super) fn take(&self, most: u64) -> Range<u64> {
        let end = |next| next + self.batch_size(self.blocks - next).min(most);
        let taken = self
            .next
            .0
            .fetch_update(Relaxed, Relaxed, |next| (next < self.blocks).then(|| end(next)));
        taken.map_or(0..0, |next| next..end(next))
    }

    /// Returns the number of tickets to take of those left. A single worker needs to leave none for
    /// others.
    fn batch_size(&self, left: u64) -> u64 {
        let shares = if self.workers == 1 { 1 } else { self.workers * SHARES_PER_WORKER };
        if self.one_by_one { 1 } else { (left / shares).clamp(1, MAX_BATCH) }
    }

    /// Drops all tickets.
    pub(super) fn drop_all(&self) {
        self.next.0.store(self.blocks, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{sync::Barrier, thread};

    #[test]
    fn each_block_is_taken_once_however_many_workers_want_it() {
        for (blocks, one_by_one) in [(1, false), (7, false), (9, true), (3000, false)] {
            for _ in 0..100 {
                let tickets = Tickets::new(blocks, 8, one_by_one);
                let start = Barrier::new(8);
                let work = || {
                    start.wait();
                    let mut taken = Vec::new();
                    loop {
                        let range = tickets.take(MAX_BATCH);
                        if range.is_empty() {
                            return taken;
                        }
                        taken.extend(range);
                    }
                };
                let mut taken: Vec<u64> = thread::scope(|scope| {
                    let workers: Vec<_> = (0..8).map(|_| scope.spawn(work)).collect();
                    workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
                });
                taken.sort_unstable();
                assert_eq!(taken, (0..blocks).collect::<Vec<_>>());
            }
        }
    }
}
