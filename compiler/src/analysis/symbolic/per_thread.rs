//! Known integers, one for each thread of a block.
//!
//! Most are the same in all threads, or affine along the axes of the block; only the others are
//! stored as a table.
use super::{Shape, ThreadSet};
use std::rc::Rc;

/// A known integer for each thread of a block. Two are equal if they are equal in each thread.
#[derive(Clone, Debug)]
pub enum PerThread {
    /// The same number in all threads.
    Uniform(i64),
    /// A number that grows along the axes of the block.
    Affine(Affine),
    /// A number for each thread, by thread number.
    Table(Rc<[i64]>),
}

/// `first + x * step[0] + y * step[1] + z * step[2]`, not the same in all threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Affine {
    /// The number of the first thread.
    pub first: i64,
    /// The step along each axis; 0 along an axis of a single thread.
    pub step: [i64; 3],
    /// Threads along each axis.
    pub dims: [u32; 3],
}

impl Affine {
    /// Plain code, here and below: it runs for every value, in a macro that is built without
    /// optimization.
    fn number_in(&self, thread: usize) -> i64 {
        let (x, y) = (self.dims[0] as usize, self.dims[1] as usize);
        let along_x = self.first + self.step[0] * factor_of_thread(thread % x);
        if self.step[1] == 0 && self.step[2] == 0 {
            return along_x;
        }
        let rows = thread / x;
        along_x
            + self.step[1] * factor_of_thread(rows % y)
            + self.step[2] * factor_of_thread(rows / y)
    }
    /// Fills `list` with the numbers of the threads from `thread` on.
    fn fill_from(&self, thread: usize, list: &mut [i64]) {
        let (dim_x, dim_y) = (self.dims[0] as usize, self.dims[1] as usize);
        let [a, b, c] = self.step;
        let (mut x, mut y) = (thread % dim_x, thread / dim_x % dim_y);
        let mut factor = self.first + a * factor_of_thread(x) + b * factor_of_thread(y);
        factor += c * factor_of_thread(thread / dim_x / dim_y);
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
                factor =
                    factor.wrapping_sub(a.wrapping_mul(factor_of_thread(dim_x))).wrapping_add(b);
                (x, y) = (0, y + 1);
            }
            if y == dim_y {
                factor =
                    factor.wrapping_sub(b.wrapping_mul(factor_of_thread(dim_y))).wrapping_add(c);
                y = 0;
            }
        }
    }
    /// Returns true if the numbers differ only along axes whose stride is a number of whole warps.
    fn is_uniform_in_warps(&self) -> bool {
        let [x, y, _] = self.dims;
        match self.step {
            [0, 0, _] => (x * y).is_multiple_of(32),
            [0, ..] => x.is_multiple_of(32),
            [..] => false,
        }
    }
    fn thread_count(&self) -> usize {
        self.dims.iter().map(|&dim| dim as usize).product()
    }
    /// Returns the smallest and the largest number; `None` if one does not fit.
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

/// Converts a thread number to a factor.
const fn factor_of_thread(thread: usize) -> i64 {
    thread.cast_signed() as i64
}

impl PartialEq for PerThread {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Uniform(a), Self::Uniform(b)) => a == b,
            (Self::Affine(a), Self::Affine(b)) => a == b,
            (Self::Table(a), Self::Table(b)) => Rc::ptr_eq(a, b) || a == b,
            // No table is the same everywhere, and no affine value is.
            (Self::Uniform(_), Self::Affine(_) | Self::Table(_))
            | (Self::Affine(_) | Self::Table(_), Self::Uniform(_)) => false,
            (Self::Affine(affine), Self::Table(each))
            | (Self::Table(each), Self::Affine(affine)) => {
                each.iter().enumerate().all(|(thread, &factor)| affine.number_in(thread) == factor)
            }
        }
    }
}
impl Eq for PerThread {}

impl PerThread {
    /// Returns the numbers that `of` computes for the threads of a block of `count`.
    pub fn from_fn(count: usize, of: impl Fn(usize) -> i64) -> Self {
        let mut list = Vec::with_capacity(count);
        let mut thread = 0;
        while thread < count {
            list.push(of(thread));
            thread += 1;
        }
        Self::from_table(list)
    }
    /// Returns a table, unless the numbers are all the same.
    pub(super) fn from_table(list: Vec<i64>) -> Self {
        match list.first() {
            None => Self::Uniform(0),
            Some(&first) if list.iter().all(|&factor| factor == first) => Self::Uniform(first),
            Some(_) => Self::Table(list.into()),
        }
    }
    /// Returns `first` plus `step` times the thread's index along the axes of `shape`.
    pub(super) fn affine_in(first: i64, step: [i64; 3], shape: &Shape) -> Self {
        Self::from_affine(Some(Affine { first, step, dims: shape.dims }))
            .unwrap_or(Self::Uniform(first))
    }
    fn from_affine(affine: Option<Affine>) -> Option<Self> {
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
            return Some(Self::Uniform(affine.first));
        }
        Some(Self::Affine(affine))
    }
    /// Returns the number of `thread`.
    pub fn number_in(&self, thread: usize) -> i64 {
        match self {
            Self::Uniform(factor) => *factor,
            Self::Affine(affine) => affine.number_in(thread),
            Self::Table(factors) => factors[thread],
        }
    }
    /// Returns the numbers of the lanes of a warp; unspecified for lanes that the block does not
    /// have.
    pub fn lane_numbers(&self, warp: usize) -> [i64; 32] {
        let mut list = [0; 32];
        match self {
            Self::Uniform(factor) => list = [*factor; 32],
            Self::Affine(affine) => affine.fill_from(warp * 32, &mut list),
            Self::Table(factors) => {
                let end = factors.len().min(warp * 32 + 32);
                list[..end - warp * 32].copy_from_slice(&factors[warp * 32..end]);
            }
        }
        list
    }
    /// Returns the numbers of all threads of a block of `count`.
    fn to_table(&self, count: usize) -> Vec<i64> {
        let mut list = vec![0; count];
        match self {
            Self::Uniform(factor) => list = vec![*factor; count],
            Self::Affine(affine) => affine.fill_from(0, &mut list),
            Self::Table(factors) => list.copy_from_slice(factors),
        }
        list
    }
    /// Returns the number, if it is the same in all threads.
    pub const fn as_uniform(&self) -> Option<i64> {
        match self {
            Self::Uniform(factor) => Some(*factor),
            Self::Affine(_) | Self::Table(_) => None,
        }
    }
    /// Returns true if the number is the same in all of `threads`.
    pub fn is_same(&self, mut threads: impl Iterator<Item = usize>) -> bool {
        if let Self::Uniform(_) = self {
            return true;
        }
        let Some(first) = threads.next() else { return true };
        let first = self.number_in(first);
        threads.all(|thread| self.number_in(thread) == first)
    }
    /// Returns true if the number is the same in the `active` threads of each warp.
    pub fn is_same_in_warps(&self, active: &ThreadSet) -> bool {
        match self {
            Self::Uniform(_) => true,
            Self::Affine(affine) if affine.is_uniform_in_warps() => true,
            Self::Affine(_) | Self::Table(_) => (0..active.warp_count())
                .all(|warp| self.is_same_in(warp, active.lanes_of_warp(warp))),
        }
    }
    /// Plain loops: this runs for every value, in a macro that is built without optimization.
    fn is_same_in(&self, warp: usize, lanes: u32) -> bool {
        if lanes == 0 {
            return true;
        }
        let list = self.lane_numbers(warp);
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
    /// Returns the smallest and the largest number over all threads.
    pub fn limits(&self) -> (i64, i64) {
        match self {
            Self::Uniform(factor) => (*factor, *factor),
            // The limits were computed when it was made.
            Self::Affine(affine) => affine.limits().unwrap_or((i64::MIN, i64::MAX)),
            Self::Table(factors) => {
                factors.iter().fold((i64::MAX, i64::MIN), |(min, max), &n| (min.min(n), max.max(n)))
            }
        }
    }
    /// Returns the number of threads that a table or affine value covers; `None` if all have the
    /// same number.
    fn thread_count(&self) -> Option<usize> {
        match self {
            Self::Uniform(_) => None,
            Self::Affine(affine) => Some(affine.thread_count()),
            Self::Table(factors) => Some(factors.len()),
        }
    }
    /// Applies `of` to the number of each thread; `None` if a result does not fit.
    pub(super) fn try_map(&self, of: impl Fn(i64) -> Option<i64>) -> Option<Self> {
        let Some(count) = self.thread_count() else {
            return Some(Self::Uniform(of(self.number_in(0))?));
        };
        let mut list = self.to_table(count);
        let mut thread = 0;
        while thread < count {
            list[thread] = of(list[thread])?;
            thread += 1;
        }
        Some(Self::from_table(list))
    }
    /// Applies `of` to both numbers of each thread; `None` if a result does not fit.
    pub(super) fn try_zip(
        &self,
        other: &Self,
        of: impl Fn(i64, i64) -> Option<i64>,
    ) -> Option<Self> {
        let Some(count) = self.thread_count().or(other.thread_count()) else {
            return Some(Self::Uniform(of(self.number_in(0), other.number_in(0))?));
        };
        let (mut list, other) = (self.to_table(count), other.to_table(count));
        let mut thread = 0;
        while thread < count {
            list[thread] = of(list[thread], other[thread])?;
            thread += 1;
        }
        Some(Self::from_table(list))
    }
    /// Returns the sum; `None` if it does not fit.
    pub(super) fn checked_add(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Self::Uniform(0), sum) | (sum, Self::Uniform(0)) => Some(sum.clone()),
            (Self::Uniform(a), Self::Uniform(b)) => a.checked_add(*b).map(Self::Uniform),
            (Self::Uniform(more), Self::Affine(affine))
            | (Self::Affine(affine), Self::Uniform(more)) => {
                let first = affine.first.checked_add(*more)?;
                Self::from_affine(Some(Affine { first, ..*affine }))
            }
            (Self::Affine(a), Self::Affine(b)) => {
                let mut step = a.step;
                for (step, more) in step.iter_mut().zip(b.step) {
                    *step = step.checked_add(more)?;
                }
                let first = a.first.checked_add(b.first)?;
                Self::from_affine(Some(Affine { first, step, dims: a.dims }))
            }
            (Self::Table(_), _) | (_, Self::Table(_)) => self.try_zip(other, i64::checked_add),
        }
    }
    /// Returns the product; `None` if it does not fit.
    pub(super) fn checked_mul(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Self::Uniform(0), _) | (_, Self::Uniform(0)) => Some(Self::Uniform(0)),
            (Self::Uniform(a), Self::Uniform(b)) => a.checked_mul(*b).map(Self::Uniform),
            (Self::Uniform(by), Self::Affine(affine))
            | (Self::Affine(affine), Self::Uniform(by)) => {
                let mut step = affine.step;
                for step in &mut step {
                    *step = step.checked_mul(*by)?;
                }
                let first = affine.first.checked_mul(*by)?;
                Self::from_affine(Some(Affine { first, step, dims: affine.dims }))
            }
            (Self::Affine(_) | Self::Table(_), Self::Affine(_) | Self::Table(_))
            | (Self::Table(_), Self::Uniform(_))
            | (Self::Uniform(_), Self::Table(_)) => self.try_zip(other, i64::checked_mul),
        }
    }
    /// Returns `self` in `threads`, and `other` elsewhere.
    pub(super) fn select(&self, other: &Self, threads: &ThreadSet, count: usize) -> Self {
        if self == other {
            return self.clone();
        }
        Self::from_fn(count, |thread| {
            if threads.contains(thread) { self.number_in(thread) } else { other.number_in(thread) }
        })
    }
    /// Returns `Some(true)` if the numbers never fall from one thread to the next, `Some(false)` if
    /// they never rise.
    pub(super) fn is_monotone(&self) -> bool {
        match self {
            Self::Uniform(_) | Self::Affine(_) => true,
            Self::Table(factors) => {
                factors.windows(2).all(|pair| pair[0] <= pair[1])
                    || factors.windows(2).all(|pair| pair[0] >= pair[1])
            }
        }
    }
    /// Returns true if no two of `threads` have the same number.
    pub(super) fn is_injective(&self, threads: &ThreadSet) -> bool {
        let mut list: Vec<i64> = threads.iter().map(|thread| self.number_in(thread)).collect();
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
            let all = ThreadSet::all(shape.thread_count());
            for step in [[1, 0, 0], [0, 4, 0], [3, -5, 7], [0, 0, 2]] {
                let affine = PerThread::affine_in(-9, step, &shape);
                let each =
                    PerThread::from_fn(shape.thread_count(), |thread| affine.number_in(thread));
                assert_eq!(affine, each);
                for thread in all.iter() {
                    let here = [&affine, &each].map(|of| of.lane_numbers(thread / 32)[thread % 32]);
                    assert_eq!(here, [affine.number_in(thread); 2], "{dims:?} {step:?} {thread}");
                }
                assert_eq!(affine.try_map(Some), Some(each));
            }
        }
    }
}
