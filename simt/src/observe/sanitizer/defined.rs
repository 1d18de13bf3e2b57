//! The defined cells of a block's shared memory, and replay of the accesses that defined them.
//!
//! Most blocks access shared memory exactly as an earlier block did. A *history* keeps the accesses
//! of that block, as long as each of them read defined cells only and wrote defined values. While a
//! block repeats the history, its accesses are known to do the same, and the cells stay as they
//! were: they are computed from the history only when an access differs.
use super::access_log::{Access, LaneAddresses};
use std::ops::Range;

/// The maximum number of accesses in a history.
const MAX_HISTORY: usize = 1 << 12;

/// An access, its advance in bytes per round, and the number of rounds.
pub(crate) type RepeatedAccess = (Access, u64, u64);

/// The defined cells of shared memory.
#[derive(Debug, Default)]
pub(crate) struct Defined {
    /// True for each cell that is defined, of the accesses that are not replayed.
    cells: Vec<bool>,
    /// The number of undefined cells.
    missing: usize,
    /// Accesses from the start of a block, none of which read or wrote something undefined.
    history: Vec<RepeatedAccess>,
    /// True if all cells are defined after the history.
    defines_all: bool,
    state: HistoryState,
}

/// The use of the history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum HistoryState {
    /// So many of its accesses are those of the block, which are not in `cells`.
    Replayed(usize),
    /// It is extended by the accesses of the block.
    Recorded,
    /// Nothing, until the next block.
    #[default]
    Unused,
}

impl Defined {
    /// Creates the state of `cells` undefined cells.
    pub(crate) fn new(cells: usize) -> Self {
        Self { cells: vec![false; cells], missing: cells, ..Self::default() }
    }

    /// Makes all cells undefined, as at the start of a block.
    pub(crate) fn reset(&mut self) {
        self.cells.fill(false);
        self.missing = self.cells.len();
        self.state = HistoryState::Replayed(0);
    }

    /// Returns true if some cells may be undefined.
    #[inline(always)]
    pub(crate) fn may_lack_cells(&self) -> bool {
        self.missing > 0
    }

    pub(crate) fn contains(&self, cell: u64) -> bool {
        self.cells.get(cell as usize).copied().unwrap_or(true)
    }

    pub(crate) fn contains_all(&self, cells: Range<u64>) -> bool {
        let cells = self.cells.get(cells.start as usize..cells.end as usize);
        cells.is_none_or(|cells| cells.iter().all(|defined| *defined))
    }

    pub(crate) fn insert(&mut self, cells: Range<u64>) {
        let cells = self.cells.get_mut(cells.start as usize..cells.end as usize);
        let Some(cells) = cells else { return };
        let were = cells.iter().filter(|defined| **defined).count();
        cells.fill(true);
        self.missing = self.missing + were - cells.len();
    }

    /// Makes a cell undefined; returns false if there is no such cell.
    pub(crate) fn remove(&mut self, cell: u64) -> bool {
        let Some(defined) = self.cells.get_mut(cell as usize) else { return false };
        self.missing += usize::from(*defined);
        *defined = false;
        true
    }

    /// Returns true if an access is the next one of the history: it reads defined cells only, and
    /// needs no analysis.
    #[inline(always)]
    pub(crate) fn replay(&mut self, access: &RepeatedAccess) -> bool {
        let HistoryState::Replayed(number) = self.state else { return false };
        if self.history.get(number) != Some(access) {
            return false;
        }
        self.state = HistoryState::Replayed(number + 1);
        if number + 1 == self.history.len() && self.defines_all {
            self.cells.fill(true);
            (self.missing, self.state) = (0, HistoryState::Unused);
        }
        true
    }

    /// Begins to record, if accesses were replayed; returns these, whose writes are not in the
    /// cells.
    pub(crate) fn end_replay(&mut self) -> Vec<RepeatedAccess> {
        let HistoryState::Replayed(number) = self.state else { return Vec::new() };
        self.history.truncate(number);
        (self.defines_all, self.state) = (false, HistoryState::Recorded);
        self.history.clone()
    }

    /// Extends the history by an access, if it `is_clean`: it has read defined cells only, and
    /// written defined values.
    pub(crate) fn record(&mut self, access: &RepeatedAccess, is_clean: bool) {
        if self.state != HistoryState::Recorded {
            return;
        }
        let has_place = !matches!(access.0.places, LaneAddresses::Each(_));
        if !is_clean || !has_place || self.history.len() == MAX_HISTORY {
            self.state = HistoryState::Unused;
            return;
        }
        self.history.push(*access);
        if self.missing == 0 {
            (self.defines_all, self.state) = (true, HistoryState::Unused);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::mask::Mask;

    fn access(site: u32) -> RepeatedAccess {
        let (lanes, places) = (Mask::first(32), LaneAddresses::Same(0));
        (Access { site, first_thread: 0, lanes, places, value: None }, 0, 1)
    }

    /// Starts a block; returns true for each site whose access is replayed, up to the first that is
    /// not.
    fn replayed(defined: &mut Defined, sites: &[u32]) -> Vec<bool> {
        defined.reset();
        let mut all = sites.iter().map(|site| defined.replay(&access(*site))).collect::<Vec<_>>();
        all.truncate(1 + all.iter().take_while(|is_replayed| **is_replayed).count());
        all
    }

    #[test]
    fn a_block_replays_what_an_earlier_one_recorded() {
        let mut defined = Defined::new(4);
        assert_eq!(replayed(&mut defined, &[0]), [false]);
        assert_eq!(defined.end_replay(), []);
        defined.insert(0..2);
        defined.record(&access(0), true);
        defined.record(&access(1), true);
        // Accesses after one that is not clean are not recorded.
        defined.record(&access(2), false);
        defined.record(&access(3), true);
        assert_eq!(replayed(&mut defined, &[0, 1, 2]), [true, true, false]);
        assert_eq!(defined.end_replay(), [access(0), access(1)]);
        // The caller applies the writes of the replayed accesses.
        assert!(!defined.contains(0) && defined.may_lack_cells());
    }

    #[test]
    fn all_cells_are_defined_after_a_history_that_defines_all() {
        let mut defined = Defined::new(4);
        defined.reset();
        defined.end_replay();
        defined.record(&access(0), true);
        defined.insert(0..4);
        defined.record(&access(1), true);
        assert_eq!(replayed(&mut defined, &[0]), [true]);
        assert!(defined.may_lack_cells());
        assert_eq!(replayed(&mut defined, &[0, 1]), [true, true]);
        assert!(!defined.may_lack_cells() && defined.contains_all(0..4));
        // A block that differs makes the history its own.
        assert_eq!(replayed(&mut defined, &[0, 2]), [true, false]);
        assert_eq!(defined.end_replay(), [access(0)]);
        defined.record(&access(2), true);
        assert_eq!(replayed(&mut defined, &[0, 1]), [true, false]);
    }

    #[test]
    fn addresses_of_each_lane_are_not_recorded() {
        let mut defined = Defined::new(4);
        defined.reset();
        defined.end_replay();
        let (mut each, _, _) = access(0);
        each.places = LaneAddresses::Each(0);
        defined.record(&(each, 0, 1), true);
        assert_eq!(replayed(&mut defined, &[0]), [false]);
    }
}
