//! Known integers, one for each thread of a block.
//!
//! Most are the same in all threads, or grow along the axes of the block; only what does neither is a table.
use super::{Shape, Threads};
use std::rc::Rc;

/// A known integer for each thread of a block. Two are equal if they are so in each thread.
#[derive(Clone, Debug)]
pub enum Factors {
    /// The same in all.
    Same(i64),
    /// One that grows along the axes of the block.
    Affine(Affine),
    /// One for each thread, by number.
    Each(Rc<[i64]>),
}

/// `first + x * step[0] + y * step[1] + z * step[2]`, not the same everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Affine {
    /// In the first thread.
    pub first: i64,
    /// Along each axis; 0 along one that has a single thread.
    pub step: [i64; 3],
    /// Threads along each axis.
    pub dims: [u32; 3],
}

impl Affine {
    /// Plain code, here and below: it is run for every value, in a macro that is built without optimization.
    fn at(&self, thread: usize) -> i64 {
        let (x, y) = (self.dims[0] as usize, self.dims[1] as usize);
        let along_x = self.first + self.step[0] * small(thread % x);
        if self.step[1] == 0 && self.step[2] == 0 {
            return along_x;
        }
        let rows = thread / x;
        along_x + self.step[1] * small(rows % y) + self.step[2] * small(rows / y)
    }
    /// Those of the threads from `thread` on, as many as `list` has room for.
    fn fill(&self, thread: usize, list: &mut [i64]) {
        let (dim_x, dim_y) = (self.dims[0] as usize, self.dims[1] as usize);
        let [a, b, c] = self.step;
        let (mut x, mut y) = (thread % dim_x, thread / dim_x % dim_y);
        let mut factor = self.first + a * small(x) + b * small(y);
        factor += c * small(thread / dim_x / dim_y);
        let mut place = 0;
        while place < list.len() {
            let end = list.len().min(place + dim_x - x);
            x += end - place;
            while place < end {
                list[place] = factor;
                place += 1;
                factor = factor.wrapping_add(a);
            }
            if x == dim_x {
                factor = factor.wrapping_sub(a.wrapping_mul(small(dim_x))).wrapping_add(b);
                (x, y) = (0, y + 1);
            }
            if y == dim_y {
                factor = factor.wrapping_sub(b.wrapping_mul(small(dim_y))).wrapping_add(c);
                y = 0;
            }
        }
    }
    /// True if it grows along axes only of which each step is a number of whole warps.
    fn is_same_in_rows_of_warps(&self) -> bool {
        let [x, y, _] = self.dims;
        match self.step {
            [0, 0, _] => (x * y).is_multiple_of(32),
            [0, ..] => x.is_multiple_of(32),
            [..] => false,
        }
    }
    fn threads(&self) -> usize {
        self.dims.iter().map(|&dim| dim as usize).product()
    }
    /// The smallest and the largest; `None` if one does not fit.
    fn limits(&self) -> Option<(i64, i64)> {
        let (mut min, mut max) = (self.first, self.first);
        let mut axis = 0;
        while axis < 3 {
            let last = self.step[axis].checked_mul(i64::from(self.dims[axis]) - 1)?;
            if last < 0 {
                min = min.checked_add(last)?;
            } else {
                max = max.checked_add(last)?;
            }
            axis += 1;
        }
        Some((min, max))
    }
}

/// A thread's number as a factor.
const fn small(thread: usize) -> i64 {
    thread.cast_signed() as i64
}

impl PartialEq for Factors {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Same(a), Self::Same(b)) => a == b,
            (Self::Affine(a), Self::Affine(b)) => a == b,
            (Self::Each(a), Self::Each(b)) => Rc::ptr_eq(a, b) || a == b,
            // No table is the same everywhere, and nothing affine is.
            (Self::Same(_), Self::Affine(_) | Self::Each(_))
            | (Self::Affine(_) | Self::Each(_), Self::Same(_)) => false,
            (Self::Affine(affine), Self::Each(each)) | (Self::Each(each), Self::Affine(affine)) => {
                each.iter().enumerate().all(|(thread, &factor)| affine.at(thread) == factor)
            }
        }
    }
}
impl Eq for Factors {}

impl Factors {
    /// What `of` says of each thread of a block of `count`.
    pub fn each(count: usize, of: impl Fn(usize) -> i64) -> Self {
        let mut list = Vec::with_capacity(count);
        let mut thread = 0;
        while thread < count {
            list.push(of(thread));
            thread += 1;
        }
        Self::table(list)
    }
    /// A table, unless it is the same everywhere.
    pub(super) fn table(list: Vec<i64>) -> Self {
        match list.first() {
            None => Self::Same(0),
            Some(&first) if list.iter().all(|&factor| factor == first) => Self::Same(first),
            Some(_) => Self::Each(list.into()),
        }
    }
    /// `first`, and so much more with each step along the axes of `shape`.
    pub(super) fn affine(first: i64, step: [i64; 3], shape: &Shape) -> Self {
        Self::of_affine(Some(Affine { first, step, dims: shape.dims })).unwrap_or(Self::Same(first))
    }
    fn of_affine(affine: Option<Affine>) -> Option<Self> {
        let mut affine = affine?;
        let mut axis = 0;
        while axis < 3 {
            if affine.dims[axis] == 1 {
                affine.step[axis] = 0;
            }
            axis += 1;
        }
        affine.limits()?;
        if affine.step == [0; 3] {
            return Some(Self::Same(affine.first));
        }
        Some(Self::Affine(affine))
    }
    /// That of `thread`.
    pub fn at(&self, thread: usize) -> i64 {
        match self {
            Self::Same(factor) => *factor,
            Self::Affine(affine) => affine.at(thread),
            Self::Each(factors) => factors[thread],
        }
    }
    /// Those of the lanes of a warp; of lanes that the block does not have, anything.
    pub fn of_warp(&self, warp: usize) -> [i64; 32] {
        let mut list = [0; 32];
        match self {
            Self::Same(factor) => list = [*factor; 32],
            Self::Affine(affine) => affine.fill(warp * 32, &mut list),
            Self::Each(factors) => {
                let end = factors.len().min(warp * 32 + 32);
                list[..end - warp * 32].copy_from_slice(&factors[warp * 32..end]);
            }
        }
        list
    }
    /// Those of all threads of a block of `count`.
    fn list(&self, count: usize) -> Vec<i64> {
        let mut list = vec![0; count];
        match self {
            Self::Same(factor) => list = vec![*factor; count],
            Self::Affine(affine) => affine.fill(0, &mut list),
            Self::Each(factors) => list.copy_from_slice(factors),
        }
        list
    }
    /// The one of all threads, if it is the same in all.
    pub const fn same(&self) -> Option<i64> {
        match self {
            Self::Same(factor) => Some(*factor),
            Self::Affine(_) | Self::Each(_) => None,
        }
    }
    /// True if it is the same in `threads`.
    pub fn is_same(&self, mut threads: impl Iterator<Item = usize>) -> bool {
        if let Self::Same(_) = self {
            return true;
        }
        let Some(first) = threads.next() else { return true };
        let first = self.at(first);
        threads.all(|thread| self.at(thread) == first)
    }
    /// True if it is the same in those of each warp that are in `active`.
    pub fn is_same_in_warps(&self, active: &Threads) -> bool {
        match self {
            Self::Same(_) => true,
            Self::Affine(affine) if affine.is_same_in_rows_of_warps() => true,
            Self::Affine(_) | Self::Each(_) => {
                (0..active.warps()).all(|warp| self.is_same_in(warp, active.warp(warp)))
            }
        }
    }
    /// Plain loops: this is run for every value, in a macro that is built without optimization.
    fn is_same_in(&self, warp: usize, lanes: u32) -> bool {
        if lanes == 0 {
            return true;
        }
        let list = self.of_warp(warp);
        let mut lane = lanes.trailing_zeros() as usize;
        let first = list[lane];
        while lane < 32 {
            if lanes >> lane & 1 == 1 && list[lane] != first {
                return false;
            }
            lane += 1;
        }
        true
    }
    /// The smallest and the largest, over all threads.
    pub fn limits(&self) -> (i64, i64) {
        match self {
            Self::Same(factor) => (*factor, *factor),
            // It was computed when it was made.
            Self::Affine(affine) => affine.limits().unwrap_or((i64::MIN, i64::MAX)),
            Self::Each(factors) => {
                factors.iter().fold((i64::MAX, i64::MIN), |(min, max), &n| (min.min(n), max.max(n)))
            }
        }
    }
    /// How many threads it tells apart; `None` if it is the same in all.
    fn len(&self) -> Option<usize> {
        match self {
            Self::Same(_) => None,
            Self::Affine(affine) => Some(affine.threads()),
            Self::Each(factors) => Some(factors.len()),
        }
    }
    /// `of` what it is in each thread; `None` if that does not fit.
    pub(super) fn map(&self, of: impl Fn(i64) -> Option<i64>) -> Option<Self> {
        let Some(count) = self.len() else { return Some(Self::Same(of(self.at(0))?)) };
        let mut list = self.list(count);
        let mut thread = 0;
        while thread < count {
            list[thread] = of(list[thread])?;
            thread += 1;
        }
        Some(Self::table(list))
    }
    /// `of` both, thread by thread.
    pub(super) fn zip(&self, other: &Self, of: impl Fn(i64, i64) -> Option<i64>) -> Option<Self> {
        let Some(count) = self.len().or(other.len()) else {
            return Some(Self::Same(of(self.at(0), other.at(0))?));
        };
        let (mut list, other) = (self.list(count), other.list(count));
        let mut thread = 0;
        while thread < count {
            list[thread] = of(list[thread], other[thread])?;
            thread += 1;
        }
        Some(Self::table(list))
    }
    /// The sum; `None` if it does not fit.
    pub(super) fn plus(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Self::Same(0), sum) | (sum, Self::Same(0)) => Some(sum.clone()),
            (Self::Same(a), Self::Same(b)) => a.checked_add(*b).map(Self::Same),
            (Self::Same(more), Self::Affine(affine)) | (Self::Affine(affine), Self::Same(more)) => {
                let first = affine.first.checked_add(*more)?;
                Self::of_affine(Some(Affine { first, ..*affine }))
            }
            (Self::Affine(a), Self::Affine(b)) => {
                let mut step = a.step;
                for (step, more) in step.iter_mut().zip(b.step) {
                    *step = step.checked_add(more)?;
                }
                let first = a.first.checked_add(b.first)?;
                Self::of_affine(Some(Affine { first, step, dims: a.dims }))
            }
            (Self::Each(_), _) | (_, Self::Each(_)) => self.zip(other, i64::checked_add),
        }
    }
    /// The product; `None` if it does not fit.
    pub(super) fn times(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Self::Same(0), _) | (_, Self::Same(0)) => Some(Self::Same(0)),
            (Self::Same(a), Self::Same(b)) => a.checked_mul(*b).map(Self::Same),
            (Self::Same(by), Self::Affine(affine)) | (Self::Affine(affine), Self::Same(by)) => {
                let mut step = affine.step;
                for step in &mut step {
                    *step = step.checked_mul(*by)?;
                }
                let first = affine.first.checked_mul(*by)?;
                Self::of_affine(Some(Affine { first, step, dims: affine.dims }))
            }
            (Self::Affine(_) | Self::Each(_), Self::Affine(_) | Self::Each(_))
            | (Self::Each(_), Self::Same(_))
            | (Self::Same(_), Self::Each(_)) => self.zip(other, i64::checked_mul),
        }
    }
    /// `self` in `threads`, and `other` elsewhere.
    pub(super) fn select(&self, other: &Self, threads: &Threads, count: usize) -> Self {
        if self == other {
            return self.clone();
        }
        Self::each(
            count,
            |thread| {
                if threads.has(thread) { self.at(thread) } else { other.at(thread) }
            },
        )
    }
    /// Whether it never falls from one thread to the next (`Some(true)`), or never rises.
    pub(super) fn is_monotone(&self) -> bool {
        match self {
            Self::Same(_) | Self::Affine(_) => true,
            Self::Each(factors) => {
                factors.windows(2).all(|pair| pair[0] <= pair[1])
                    || factors.windows(2).all(|pair| pair[0] >= pair[1])
            }
        }
    }
    /// True if no two of `threads` have the same.
    pub(super) fn is_injective(&self, threads: &Threads) -> bool {
        let mut list: Vec<i64> = threads.iter().map(|thread| self.at(thread)).collect();
        list.sort_unstable();
        list.windows(2).all(|pair| pair[0] != pair[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factors_of_a_warp_are_those_of_its_threads() {
        for dims in [[256, 1, 1], [16, 16, 1], [7, 5, 3], [33, 3, 2], [1, 40, 1]] {
            let shape = Shape { dims, declared: true };
            let all = Threads::all(shape.threads());
            for step in [[1, 0, 0], [0, 4, 0], [3, -5, 7], [0, 0, 2]] {
                let affine = Factors::affine(-9, step, &shape);
                let each = Factors::each(shape.threads(), |thread| affine.at(thread));
                assert_eq!(affine, each);
                for thread in all.iter() {
                    let here = [&affine, &each].map(|of| of.of_warp(thread / 32)[thread % 32]);
                    assert_eq!(here, [affine.at(thread); 2], "{dims:?} {step:?} {thread}");
                }
                assert_eq!(affine.map(Some), Some(each));
            }
        }
    }
}
