//! What comes after what: by barriers, by `sync_warp`, and by releases and acquires.
//!
//! A barrier orders all that a block did before it; what is between two of them is an *interval*. In an
//! interval, each lane counts the `sync_warp`s that it takes part in, and knows for each lane of its
//! warp up to which count it has seen what that lane did.
use super::{finding::Missing, release_acquire::Knowledge};
use crate::{bytecode::AccessKind, vector::mask::bits};

/// An access by many lanes at once, as later ones must know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Context {
    /// Number of the instruction.
    pub(crate) site: u32,
    pub(crate) kind: AccessKind,
    /// Whether it is atomic for its block only.
    pub(crate) is_narrow: bool,
    /// Number of the block.
    pub(crate) block: u64,
    /// Number of the interval of the block.
    pub(crate) interval: u32,
    /// How often the grid met before.
    pub(crate) grid: u32,
    /// How many `sync_warp`s its lanes had taken part in, in the interval.
    pub(crate) time: u32,
    /// How often its lanes had let others know what they did.
    pub(crate) epoch: u32,
    /// What tells the executions of one instruction apart.
    pub(crate) event: u32,
}

impl Context {
    /// Whether it matters that nothing orders the two.
    pub(crate) fn conflicts_with(&self, other: &Self) -> bool {
        if self.kind.is_atomic() && other.kind.is_atomic() {
            let writes = self.kind.writes() || other.kind.writes();
            return writes && self.block != other.block && (self.is_narrow || other.is_narrow);
        }
        self.kind.writes() || other.kind.writes()
    }
}

impl Context {
    /// Whether a barrier stands between this and a later one.
    pub(crate) fn is_before(&self, later: &Self) -> bool {
        self.grid != later.grid || (self.block == later.block && self.interval != later.interval)
    }
}

/// What lanes of one warp know of each other.
#[derive(Clone, Debug)]
struct Warp {
    /// Of each lane, how many `sync_warp`s it has taken part in.
    time: [u32; 32],
    /// `seen[l][m]`: what lane m did before that time is known to lane l.
    seen: [[u32; 32]; 32],
}

/// What the threads of a block know of each other in the current interval.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order {
    pub(crate) interval: u32,
    pub(crate) grid: u32,
    warps: Vec<Option<Box<Warp>>>,
    /// Whether there was a `sync_warp` in the interval.
    has_synced: bool,
    /// What its threads know by releases and acquires, if the kernel has such.
    pub(crate) knowledge: Option<Knowledge>,
}

impl Order {
    /// Of a kernel with releases and acquires, with room for what they make known.
    pub(crate) fn new(knowledge: Option<Knowledge>) -> Self {
        Self { knowledge, ..Self::default() }
    }

    /// All that was before is known to all.
    pub(crate) fn barrier(&mut self) {
        self.interval += 1;
        if self.has_synced {
            self.warps.iter_mut().for_each(|warp| *warp = None);
            self.has_synced = false;
        }
        if let Some(knowledge) = &mut self.knowledge {
            knowledge.barrier();
        }
    }

    /// All that was before in the grid is known to all.
    pub(crate) fn sync_grid(&mut self) {
        self.barrier();
        self.grid += 1;
    }

    /// As a new block.
    pub(crate) fn reset(&mut self) {
        self.barrier();
        (self.interval, self.grid) = (0, 0);
        if let Some(knowledge) = &mut self.knowledge {
            knowledge.clear();
        }
    }

    /// `lanes` of a warp wait for each other.
    pub(crate) fn sync_warp(&mut self, block: u64, warp: u32, lanes: u32) {
        if let Some(knowledge) = &mut self.knowledge {
            knowledge.meet(block, bits(lanes).map(|lane| warp * 32 + lane as u32).collect());
        }
        let warp = warp as usize;
        if self.warps.len() <= warp {
            self.warps.resize(warp + 1, None);
        }
        self.has_synced = true;
        let none = || Box::new(Warp { time: [0; 32], seen: [[0; 32]; 32] });
        let Warp { time, seen } = &mut **self.warps[warp].get_or_insert_with(none);
        let mut all = [0; 32];
        for lane in bits(lanes) {
            time[lane] += 1;
            for (all, seen) in all.iter_mut().zip(&seen[lane]) {
                *all = (*all).max(*seen);
            }
        }
        for lane in bits(lanes) {
            all[lane] = all[lane].max(time[lane]);
        }
        for lane in bits(lanes) {
            seen[lane] = all;
        }
    }

    fn warp(&self, thread: u32) -> Option<&Warp> {
        self.warps.get(thread as usize / 32)?.as_deref()
    }

    /// The time of a thread.
    pub(crate) fn time(&self, thread: u32) -> u32 {
        self.warp(thread).map_or(0, |warp| warp.time[thread as usize % 32])
    }

    /// How often a thread has let others know what it did.
    pub(crate) fn epoch(&self, thread: u32) -> u32 {
        self.knowledge.as_ref().map_or(0, |knowledge| knowledge.epoch(thread))
    }

    /// Whether all threads are at the same time.
    pub(crate) fn is_even(&self) -> bool {
        !self.has_synced && self.knowledge.is_none()
    }

    /// What is missing for an access now, by `thread` of the block and like `me`, to come after an
    /// earlier one; `None` if it does.
    pub(crate) fn missing(
        &self,
        (me, thread): (&Context, u32),
        (other, by): (&Context, u32),
    ) -> Option<Missing> {
        let knows = |knowledge: &Knowledge| knowledge.has(thread, other, by);
        if other.grid != me.grid || self.knowledge.as_ref().is_some_and(knows) {
            return None;
        }
        if other.block != me.block {
            return Some(Missing::Release);
        }
        if other.interval != me.interval || thread == by {
            return None;
        }
        if thread / 32 != by / 32 {
            return Some(Missing::Barrier);
        }
        if other.event == me.event {
            return Some(Missing::Instruction);
        }
        let lanes = (thread as usize % 32, by as usize % 32);
        let seen = self.warp(thread).map_or(0, |warp| warp.seen[lanes.0][lanes.1]);
        (seen <= other.time).then_some(Missing::WarpSync)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(interval: u32, time: u32, event: u32) -> Context {
        Context {
            site: 0,
            kind: AccessKind::Write,
            is_narrow: false,
            block: 0,
            interval,
            grid: 0,
            time,
            epoch: 0,
            event,
        }
    }

    #[test]
    fn barriers_order_blocks_and_nothing_else() {
        let mut order = Order::default();
        let (before, same) = (context(0, 0, 0), context(0, 0, 1));
        assert_eq!(order.missing((&same, 40), (&before, 3)), Some(Missing::Barrier));
        assert_eq!(order.missing((&same, 3), (&before, 3)), None);
        order.barrier();
        assert_eq!(order.missing((&context(1, 0, 2), 40), (&before, 3)), None);
        let other = Context { block: 1, ..before };
        assert_eq!(order.missing((&context(1, 0, 2), 40), (&other, 40)), Some(Missing::Release));
    }

    #[test]
    fn sync_warp_orders_the_lanes_that_it_names() {
        let mut order = Order::default();
        order.sync_warp(0, 0, 0b0111);
        let before = context(0, 0, 0);
        let now = |order: &Order, thread| context(0, order.time(thread), 2);
        assert_eq!(order.missing((&now(&order, 1), 1), (&before, 0)), None);
        let missing = order.missing((&now(&order, 3), 3), (&before, 0));
        assert_eq!(missing, Some(Missing::WarpSync), "lane 3 was not named");
        // What lane 0 does after it is not ordered; and what is known is passed on.
        let after = context(0, 1, 1);
        assert_eq!(order.missing((&now(&order, 1), 1), (&after, 0)), Some(Missing::WarpSync));
        order.sync_warp(0, 0, 0b1010);
        assert_eq!(order.missing((&now(&order, 3), 3), (&before, 0)), None);
        assert_eq!(order.missing((&now(&order, 3), 3), (&after, 0)), Some(Missing::WarpSync));
    }
}
