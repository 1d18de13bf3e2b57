//! Sets of threads of a block.
use super::MAX_BLOCK_THREADS;

/// Maximum number of warps of a block.
const MAX_WARPS: usize = MAX_BLOCK_THREADS / 32;

/// A set of threads of one block, by thread number (x fastest): 32 bits for each warp. Of a block
/// above the size limit it has only the first threads.
///
/// In place and in plain loops: sets are made for every executed instruction, in a macro that is
/// built without optimization.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ThreadSet {
    /// One word per warp. Words after the last warp are 0.
    lanes: [u32; MAX_WARPS],
    warps: usize,
}

impl ThreadSet {
    /// Returns all threads of a block of `count`.
    pub fn all(count: usize) -> Self {
        let mut set = Self::none(count);
        let mut left = count;
        let mut warp = 0;
        while warp < set.warps {
            set.lanes[warp] = if left < 32 { (1 << left) - 1 } else { u32::MAX };
            left = left.saturating_sub(32);
            warp += 1;
        }
        set
    }
    /// Returns the empty set for a block of `count` threads.
    pub fn none(count: usize) -> Self {
        Self { lanes: [0; MAX_WARPS], warps: count.div_ceil(32).min(MAX_WARPS) }
    }
    /// Returns the threads of a block of `count` for which `of` holds.
    pub fn from_fn(count: usize, of: impl Fn(usize) -> bool) -> Self {
        let mut set = Self::none(count);
        let mut warp = 0;
        while warp < set.warps {
            let (first, mut lane, mut lanes) = (warp * 32, 0, 0);
            while lane < 32 && first + lane < count {
                if of(first + lane) {
                    lanes |= 1 << lane;
                }
                lane += 1;
            }
            set.lanes[warp] = lanes;
            warp += 1;
        }
        set
    }
    /// Adds `thread`.
    pub fn insert(&mut self, thread: usize) {
        self.lanes[thread / 32] |= 1 << (thread % 32);
    }
    /// Returns the lanes of `warp` in the set, a bit for each.
    pub fn lanes_of_warp(&self, warp: usize) -> u32 {
        self.lanes[warp]
    }
    /// Returns the number of warps of the block.
    pub fn warp_count(&self) -> usize {
        self.warps
    }
    /// Returns true if `thread` is in the set.
    pub fn contains(&self, thread: usize) -> bool {
        self.lanes[thread / 32] >> (thread % 32) & 1 == 1
    }
    /// Returns the threads of `warp` in the set, by number in the block.
    pub fn iter_warp(&self, warp: usize) -> impl Iterator<Item = usize> + Clone + use<> {
        let mut lanes = [0; MAX_WARPS];
        lanes[warp] = self.lanes[warp];
        ThreadNumbers { lanes, warp, end: warp + 1 }
    }
    /// Returns true if the set contains each warp of `all` as a whole or not at all.
    pub fn is_whole_warps_of(&self, all: &Self) -> bool {
        self.all_words(all, |some, all| some & all == 0 || some & all == all)
    }
    /// Returns true if the set has at most one thread of each warp.
    pub fn is_one_per_warp(&self) -> bool {
        self.all_words(self, |lanes, _| lanes & lanes.wrapping_sub(1) == 0)
    }
    /// Returns true if some thread is in both sets.
    pub fn intersects(&self, other: &Self) -> bool {
        !self.all_words(other, |a, b| a & b == 0)
    }
    /// Returns true if all of its threads are in `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.all_words(other, |a, b| a & !b == 0)
    }
    /// Returns the number of threads in the set.
    pub fn count(&self) -> usize {
        let (mut count, mut warp) = (0, 0);
        while warp < self.warps {
            count += self.lanes[warp].count_ones() as usize;
            warp += 1;
        }
        count
    }
    /// Returns true if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.lanes == [0; MAX_WARPS]
    }
    /// Returns the thread numbers, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + Clone + use<> {
        ThreadNumbers { lanes: self.lanes, warp: 0, end: self.warps }
    }
    /// Returns the threads in both sets.
    pub fn intersection(&self, other: &Self) -> Self {
        self.zip_words(other, |a, b| a & b)
    }
    /// Returns the threads in either set.
    pub fn union(&self, other: &Self) -> Self {
        self.zip_words(other, |a, b| a | b)
    }
    /// Returns the threads that are not in `other`.
    pub fn difference(&self, other: &Self) -> Self {
        self.zip_words(other, |a, b| a & !b)
    }
    fn zip_words(&self, other: &Self, with: impl Fn(u32, u32) -> u32) -> Self {
        let mut set = Self { lanes: [0; MAX_WARPS], warps: self.warps.min(other.warps) };
        let mut warp = 0;
        while warp < set.warps {
            set.lanes[warp] = with(self.lanes[warp], other.lanes[warp]);
            warp += 1;
        }
        set
    }
    fn all_words(&self, other: &Self, is: impl Fn(u32, u32) -> bool) -> bool {
        let warps = self.warps.min(other.warps);
        let mut warp = 0;
        while warp < warps {
            if !is(self.lanes[warp], other.lanes[warp]) {
                return false;
            }
            warp += 1;
        }
        true
    }
}

/// An iterator over the thread numbers of a range of warps.
#[derive(Clone)]
struct ThreadNumbers {
    lanes: [u32; MAX_WARPS],
    warp: usize,
    end: usize,
}

impl Iterator for ThreadNumbers {
    type Item = usize;
    fn next(&mut self) -> Option<usize> {
        while self.warp < self.end {
            let lanes = self.lanes[self.warp];
            if lanes != 0 {
                self.lanes[self.warp] = lanes & (lanes - 1);
                return Some(self.warp * 32 + lanes.trailing_zeros() as usize);
            }
            self.warp += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_of_whole_and_partial_warps() {
        let all = ThreadSet::all(40);
        assert_eq!([all.lanes_of_warp(0), all.lanes_of_warp(1)], [u32::MAX, 0xff]);
        let odd = ThreadSet::from_fn(40, |thread| thread % 2 == 1);
        assert_eq!((odd.count(), odd.iter().next()), (20, Some(1)));
        assert_eq!(all.difference(&odd).iter().next(), Some(0));
        assert_eq!((odd.intersection(&all), odd.union(&all)), (odd.clone(), all.clone()));
        assert!(ThreadSet::none(40).is_empty() && odd.contains(39) && !odd.contains(38));
        assert_eq!((all.warp_count(), all.count()), (2, 40));
        assert!(odd.is_subset(&all) && !all.is_subset(&odd) && all.intersects(&odd));
        assert_eq!(odd.iter_warp(1).collect::<Vec<_>>(), [33, 35, 37, 39]);
        assert_eq!(ThreadSet::all(4096).count(), 1024);
        let leaders = ThreadSet::from_fn(96, |thread| thread % 32 == 7);
        assert!(leaders.is_one_per_warp() && !odd.is_one_per_warp());
    }
}
