//! Sets of threads of a block.

/// Threads of one block, by number (x fastest): 32 bits for each warp.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Threads {
    warps: Vec<u32>,
}

impl Threads {
    /// All of a block of `count` threads.
    pub fn all(count: usize) -> Self {
        let mut set = Self { warps: vec![u32::MAX; count.div_ceil(32)] };
        if let Some(last) = set.warps.last_mut()
            && !count.is_multiple_of(32)
        {
            *last = (1 << (count % 32)) - 1;
        }
        set
    }
    /// None of a block of `count` threads.
    pub fn none(count: usize) -> Self {
        Self { warps: vec![0; count.div_ceil(32)] }
    }
    /// Those of a block of `count` threads for which `of` holds.
    pub fn where_true(count: usize, of: impl Fn(usize) -> bool) -> Self {
        let mut set = Self::none(count);
        let mut thread = 0;
        while thread < count {
            if of(thread) {
                set.warps[thread / 32] |= 1 << (thread % 32);
            }
            thread += 1;
        }
        set
    }
    /// Adds `thread`.
    pub fn add(&mut self, thread: usize) {
        self.warps[thread / 32] |= 1 << (thread % 32);
    }
    /// The active lanes of a warp.
    pub fn warp(&self, warp: usize) -> u32 {
        self.warps[warp]
    }
    /// Number of warps of the block.
    pub fn warps(&self) -> usize {
        self.warps.len()
    }
    /// Whether `thread` is one of them.
    pub fn has(&self, thread: usize) -> bool {
        self.warps[thread / 32] >> (thread % 32) & 1 == 1
    }
    /// Those of `warp` that are in the set, by number in the block.
    pub fn of_warp(&self, warp: usize) -> impl Iterator<Item = usize> + Clone + use<> {
        let lanes = self.warps[warp];
        (0..32).filter(move |lane| lanes >> lane & 1 == 1).map(move |lane| warp * 32 + lane)
    }
    /// True if each warp is in the set as a whole, as far as it is in `all`, or not at all.
    pub fn is_of_warps(&self, all: &Self) -> bool {
        self.warps.iter().zip(&all.warps).all(|(&some, &all)| some & all == 0 || some & all == all)
    }
    /// True if some thread is in both sets.
    pub fn meets(&self, other: &Self) -> bool {
        self.warps.iter().zip(&other.warps).any(|(&a, &b)| a & b != 0)
    }
    /// How many.
    pub fn count(&self) -> usize {
        self.warps.iter().map(|warp| warp.count_ones() as usize).sum()
    }
    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.warps.iter().all(|&warp| warp == 0)
    }
    /// Their numbers, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        (0..self.warps.len() * 32).filter(|&thread| self.has(thread))
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
        let warps = self.warps.iter().zip(&other.warps);
        Self { warps: warps.map(|(&a, &b)| with(a, b)).collect() }
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
    }
}
