//! Sets of threads of a block.
use super::MOST_THREADS;

/// Most warps of a block.
const MOST_WARPS: usize = MOST_THREADS / 32;

/// Threads of one block, by number (x fastest): 32 bits for each warp. Of a block that is larger than any, the first of them.
///
/// In place and in plain loops: these are made for every instruction that is run, in a macro that is built without optimization.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Threads {
    /// Those behind the last are 0.
    lanes: [u32; MOST_WARPS],
    warps: usize,
}

impl Threads {
    /// All of a block of `count` threads.
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
    /// None of a block of `count` threads.
    pub fn none(count: usize) -> Self {
        Self { lanes: [0; MOST_WARPS], warps: count.div_ceil(32).min(MOST_WARPS) }
    }
    /// Those of a block of `count` threads for which `of` holds.
    pub fn where_true(count: usize, of: impl Fn(usize) -> bool) -> Self {
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
    pub fn add(&mut self, thread: usize) {
        self.lanes[thread / 32] |= 1 << (thread % 32);
    }
    /// The active lanes of a warp.
    pub fn warp(&self, warp: usize) -> u32 {
        self.lanes[warp]
    }
    /// Number of warps of the block.
    pub fn warps(&self) -> usize {
        self.warps
    }
    /// Whether `thread` is one of them.
    pub fn has(&self, thread: usize) -> bool {
        self.lanes[thread / 32] >> (thread % 32) & 1 == 1
    }
    /// Those of `warp` that are in the set, by number in the block.
    pub fn of_warp(&self, warp: usize) -> impl Iterator<Item = usize> + Clone + use<> {
        let mut lanes = [0; MOST_WARPS];
        lanes[warp] = self.lanes[warp];
        Numbers { lanes, warp, end: warp + 1 }
    }
    /// True if each warp is in the set as a whole, as far as it is in `all`, or not at all.
    pub fn is_of_warps(&self, all: &Self) -> bool {
        self.is_each(all, |some, all| some & all == 0 || some & all == all)
    }
    /// True if the set has at most one thread of each warp.
    pub fn is_one_per_warp(&self) -> bool {
        self.is_each(self, |lanes, _| lanes & lanes.wrapping_sub(1) == 0)
    }
    /// True if some thread is in both sets.
    pub fn meets(&self, other: &Self) -> bool {
        !self.is_each(other, |a, b| a & b == 0)
    }
    /// True if all of them are in `other`.
    pub fn is_in(&self, other: &Self) -> bool {
        self.is_each(other, |a, b| a & !b == 0)
    }
    /// How many.
    pub fn count(&self) -> usize {
        let (mut count, mut warp) = (0, 0);
        while warp < self.warps {
            count += self.lanes[warp].count_ones() as usize;
            warp += 1;
        }
        count
    }
    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.lanes == [0; MOST_WARPS]
    }
    /// Their numbers, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + Clone + use<> {
        Numbers { lanes: self.lanes, warp: 0, end: self.warps }
    }
    /// Those in both sets.
    pub fn and(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & b)
    }
    /// Those in either set.
    pub fn or(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a | b)
    }
    /// Those that are not in `other`.
    pub fn without(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }
    fn zip(&self, other: &Self, with: impl Fn(u32, u32) -> u32) -> Self {
        let mut set = Self { lanes: [0; MOST_WARPS], warps: self.warps.min(other.warps) };
        let mut warp = 0;
        while warp < set.warps {
            set.lanes[warp] = with(self.lanes[warp], other.lanes[warp]);
            warp += 1;
        }
        set
    }
    fn is_each(&self, other: &Self, is: impl Fn(u32, u32) -> bool) -> bool {
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

/// The numbers of the threads of a set, from one warp to another.
#[derive(Clone)]
struct Numbers {
    lanes: [u32; MOST_WARPS],
    warp: usize,
    end: usize,
}

impl Iterator for Numbers {
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
        let all = Threads::all(40);
        assert_eq!([all.warp(0), all.warp(1)], [u32::MAX, 0xff]);
        let odd = Threads::where_true(40, |thread| thread % 2 == 1);
        assert_eq!((odd.count(), odd.iter().next()), (20, Some(1)));
        assert_eq!(all.without(&odd).iter().next(), Some(0));
        assert_eq!((odd.and(&all), odd.or(&all)), (odd.clone(), all.clone()));
        assert!(Threads::none(40).is_empty() && odd.has(39) && !odd.has(38));
        assert_eq!((all.warps(), all.count()), (2, 40));
        assert!(odd.is_in(&all) && !all.is_in(&odd) && all.meets(&odd));
        assert_eq!(odd.of_warp(1).collect::<Vec<_>>(), [33, 35, 37, 39]);
        assert_eq!(Threads::all(4096).count(), 1024);
        let leaders = Threads::where_true(96, |thread| thread % 32 == 7);
        assert!(leaders.is_one_per_warp() && !odd.is_one_per_warp());
    }
}
