//! The happens-before order of accesses: by barriers, by `sync_warp`, and by releases and acquires.
//!
//! A barrier orders everything that a block did before it; the accesses between two barriers are an
//! *interval*. Within an interval, each lane has a vector clock of its warp: it counts its own
//! `sync_warp`s and knows, for each lane of the warp, the count up to which it has seen that lane's
//! accesses.
use super::{finding::Missing, release_acquire::Knowledge};
use crate::{bytecode::AccessKind, vector::mask::bits};

/// The properties of an access by many lanes that determine its order with later ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Context {
    /// Number of the access site.
    pub(crate) site: u32,
    pub(crate) kind: AccessKind,
    /// True if it is atomic in the scope of its block only.
    pub(crate) is_narrow: bool,
    /// Number of the block.
    pub(crate) block: u64,
    /// Number of the interval of the block.
    pub(crate) interval: u32,
    /// The number of grid barriers before it.
    pub(crate) grid: u32,
    /// The number of `sync_warp`s in the interval that its lanes had executed.
    pub(crate) time: u32,
    /// The epoch of its lanes: the number of times that they had published their clocks, by
    /// releases, fences and `sync_warp`s.
    pub(crate) epoch: u32,
    /// A number that distinguishes the executions of an access site.
    pub(crate) event: u32,
}

impl Context {
    /// Returns true if the two race unless something orders them.
    pub(crate) fn conflicts_with(&self, other: &Self) -> bool {
        if self.kind.is_atomic() && other.kind.is_atomic() {
            let writes = self.kind.writes() || other.kind.writes();
            return writes && self.block != other.block && (self.is_narrow || other.is_narrow);
        }
        self.kind.writes() || other.kind.writes()
    }
}

impl Context {
    /// Returns true if a barrier is between this and the later access.
    pub(crate) fn is_before(&self, later: &Self) -> bool {
        self.grid != later.grid || (self.block == later.block && self.interval != later.interval)
    }
}

/// The vector clocks of the lanes of a warp.
#[derive(Clone, Debug)]
struct Warp {
    /// By lane, the number of executed `sync_warp`s.
    time: [u32; 32],
    /// `seen[l][m]`: the clock of lane m before which lane l knows its accesses.
    seen: [[u32; 32]; 32],
}

/// The order of the accesses of a block in the current interval.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order {
    pub(crate) interval: u32,
    pub(crate) grid: u32,
    warps: Vec<Option<Box<Warp>>>,
    /// True if a `sync_warp` was executed in the interval.
    has_synced: bool,
    /// The clocks of releases and acquires, if the kernel has any.
    pub(crate) knowledge: Option<Knowledge>,
}

impl Order {
    /// Creates the order of a block; with clocks for a kernel with releases and acquires.
    pub(crate) fn new(knowledge: Option<Knowledge>) -> Self {
        Self { knowledge, ..Self::default() }
    }

    /// Orders everything before: all threads of the block have passed a barrier.
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

    /// Orders everything before: all threads of the grid have passed a barrier.
    pub(crate) fn sync_grid(&mut self) {
        self.barrier();
        self.grid += 1;
    }

    /// Resets the order for a new block.
    pub(crate) fn reset(&mut self) {
        self.barrier();
        (self.interval, self.grid) = (0, 0);
        if let Some(knowledge) = &mut self.knowledge {
            knowledge.clear();
        }
    }

    /// Orders the accesses of `lanes` of a warp, which wait for each other.
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

    /// Returns the clock of a thread: the number of its `sync_warp`s in the interval.
    pub(crate) fn time(&self, thread: u32) -> u32 {
        self.warp(thread).map_or(0, |warp| warp.time[thread as usize % 32])
    }

    /// Returns the epoch of a thread: the number of times that it has published its clock.
    pub(crate) fn epoch(&self, thread: u32) -> u32 {
        self.knowledge.as_ref().map_or(0, |knowledge| knowledge.epoch(thread))
    }

    /// Returns true if all threads have equal clocks.
    pub(crate) fn is_even(&self) -> bool {
        !self.has_synced && self.knowledge.is_none()
    }

    /// Returns the synchronization that is missing between an earlier access and a current one by
    /// `thread` in the context `me`; `None` if they are ordered.
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
        // Later accesses of lane 0 are not ordered; and knowledge is transitive.
        let after = context(0, 1, 1);
        assert_eq!(order.missing((&now(&order, 1), 1), (&after, 0)), Some(Missing::WarpSync));
        order.sync_warp(0, 0, 0b1010);
        assert_eq!(order.missing((&now(&order, 3), 3), (&before, 0)), None);
        assert_eq!(order.missing((&now(&order, 3), 3), (&after, 0)), Some(Missing::WarpSync));
    }
}
