//! The addresses of one warp's lanes in one access, and their cost.
use crate::{
    analysis::symbolic::{PerThread, SymbolId, SymbolicSum, Trace},
    hardware::{
        Kind, LANES, constant,
        global::{self, SECTOR_BYTES},
        shared::{self, BANKS, WORD_BYTES},
    },
    ir::Space,
};

/// A period of the cost formulas in bytes: shifting an access by a round of all banks, or by a
/// line, changes no cost.
pub const COST_PERIOD_BYTES: u64 = BANKS * WORD_BYTES;

/// The lanes of a warp with the offsets that they access, in bytes from a common base.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lanes {
    /// The active lanes: bit l is lane l.
    pub active: u32,
    /// The offset of each lane in bytes; 0 for inactive lanes.
    pub offsets: [i64; LANES],
    /// The alignment of the base, a power of two; 0 if the base is the beginning of the object.
    pub step: u64,
    /// Groups of lanes, as bit masks in ascending order of their offsets, that a launch may move
    /// further apart than their offsets; empty if all distances are known.
    pub clusters: Vec<u32>,
}

/// The cost of a warp's access: wavefronts of shared memory, sectors of global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarpCost {
    /// The minimum and the maximum over the possible bases.
    pub taken: [u32; 2],
    /// The cost of an ideal access.
    pub ideal: u32,
}

impl WarpCost {
    /// Returns true if it wastes more than `other`.
    pub fn is_worse_than(&self, other: &Self) -> bool {
        let (this, that) = (self.taken[0] * other.ideal, other.taken[0] * self.ideal);
        (this, self.ideal) > (that, other.ideal)
    }
}

impl Lanes {
    /// Returns the offsets of the `active` lanes of warp number `warp`.
    ///
    /// # Errors
    /// Returns a symbol that the distances between lanes depend on.
    pub fn exact(offset: &SymbolicSum, warp: usize, active: u32) -> Result<Self, SymbolId> {
        let step = Self::base_alignment(offset, warp, active)?;
        let numbers = offset.numbers().lane_numbers(warp);
        let mut offsets = [0; LANES];
        let mut lane = 0;
        while lane < LANES {
            if active >> lane & 1 == 1 {
                offsets[lane] = numbers[lane];
            }
            lane += 1;
        }
        Ok(Self { active, offsets, step, clusters: Vec::new() })
    }

    /// Returns the offsets of the `active` lanes of warp number `warp` where the launch decides the
    /// distances between lanes: the smallest distances that the ranges of the symbols allow. `None`
    /// if the order of the lanes may change then, or lanes may coincide.
    pub fn with_min_distances(
        trace: &Trace,
        offset: &SymbolicSum,
        warp: usize,
        active: u32,
    ) -> Option<Self> {
        let numbers = offset.numbers().lane_numbers(warp);
        let terms: Vec<_> = offset.terms().iter().collect();
        let factors: Vec<_> = terms.iter().map(|term| term.factors.lane_numbers(warp)).collect();
        let products: Option<Vec<i128>> =
            terms.iter().map(|term| trace.min_product(&term.monomial.0)).collect();
        let products = products?;
        let is_active = |lane: &usize| active >> lane & 1 == 1;
        // The symbols' share, for their minimum.
        let added = |lane: usize| {
            factors.iter().zip(&products).try_fold(0_i64, |sum, (factors, product)| {
                let least = i64::try_from(*product).ok()?;
                sum.checked_add(factors[lane].checked_mul(least)?)
            })
        };
        let mut sorted = Vec::new();
        for lane in (0..LANES).filter(is_active) {
            let symbolic: Vec<i64> = factors.iter().map(|factors| factors[lane]).collect();
            sorted.push((added(lane)?, symbolic, numbers[lane], lane));
        }
        sorted.sort_unstable();
        let mut lanes = Self { active, offsets: [0; LANES], step: 0, clusters: Vec::new() };
        for factor in factors.iter().flat_map(|of| (0..LANES).filter(is_active).map(|l| of[l])) {
            lanes.step = smaller_alignment(lanes.step, largest_power_of_two_divisor(factor));
        }
        let mut before: Option<&(i64, Vec<i64>, i64, usize)> = None;
        for this in &sorted {
            let (_, symbolic, number, lane) = this;
            let (at, is_same) = match before {
                None => (*number, false),
                Some((_, others, other, lane)) => {
                    let mut distance = i128::from(number - other);
                    for ((factor, other), product) in symbolic.iter().zip(others).zip(&products) {
                        // A larger product would move lanes closer.
                        let by = factor.checked_sub(*other).filter(|by| *by >= 0)?;
                        distance = distance.checked_add(product.checked_mul(by.into())?)?;
                    }
                    let distance =
                        i64::try_from(distance).ok().filter(|&distance| distance >= 0)?;
                    (lanes.offsets[*lane].checked_add(distance)?, symbolic == others)
                }
            };
            lanes.offsets[*lane] = at;
            match lanes.clusters.last_mut().filter(|_| is_same) {
                Some(cluster) => *cluster |= 1 << lane,
                None => lanes.clusters.push(1 << lane),
            }
            before = Some(this);
        }
        let is_apart = lanes.min_gap() >= if lanes.has_lone_lanes() { 1 } else { SECTOR_BYTES };
        is_apart.then_some(lanes)
    }

    /// Returns true if each lane is a cluster of its own.
    fn has_lone_lanes(&self) -> bool {
        self.clusters.len() == self.count() as usize
    }

    /// Returns the smallest distance between the last lane of a cluster and the first of the next
    /// one.
    fn min_gap(&self) -> u64 {
        let offsets = |cluster: u32| {
            let lanes = (0..LANES).filter(move |lane| cluster >> lane & 1 == 1);
            lanes.map(|lane| self.offsets[lane])
        };
        let gaps = self.clusters.windows(2).map(|pair| {
            let (end, start) = (offsets(pair[0]).max(), offsets(pair[1]).min());
            start.zip(end).map_or(0, |(start, end)| start - end)
        });
        gaps.min().map_or(u64::MAX, |gap| u64::try_from(gap).unwrap_or(0))
    }

    /// Returns the alignment of the lanes' common base.
    fn base_alignment(offset: &SymbolicSum, warp: usize, active: u32) -> Result<u64, SymbolId> {
        let mut step = 0;
        for term in offset.terms() {
            let factor = match term.factors.as_uniform() {
                Some(factor) => factor,
                None => uniform_factor(&term.factors.lane_numbers(warp), active)
                    .ok_or(term.monomial.0[0])?,
            };
            step = smaller_alignment(step, largest_power_of_two_divisor(factor));
        }
        Ok(step)
    }

    /// Returns the lanes in normal form: the first lane is moved by multiples of `window` to below
    /// it. Lanes that differ by such a multiple are equal then.
    pub(super) fn normalized(&self, window: u64) -> Self {
        let mut lanes = self.clone();
        let window = i64::try_from(window).unwrap_or(i64::MAX);
        let first = lanes.offsets[lanes.active.trailing_zeros() as usize % LANES];
        let moved = first - first.rem_euclid(window);
        let mut lane = 0;
        while lane < LANES {
            if lanes.active >> lane & 1 == 1 {
                lanes.offsets[lane] -= moved;
            }
            lane += 1;
        }
        lanes
    }

    /// Returns the number of active lanes.
    pub fn count(&self) -> u32 {
        self.active.count_ones()
    }

    /// Returns true if the active lanes are neighbours.
    pub fn is_contiguous(&self) -> bool {
        let run = u64::from(self.active) >> self.active.trailing_zeros();
        (run + 1).is_power_of_two()
    }

    /// Returns the distance in bytes between consecutive active lanes, or its
    /// [minimum](Self::clusters), if it is the same for all; `None` for fewer than two lanes.
    pub fn stride(&self) -> Option<i64> {
        if !self.clusters.is_empty() && !self.has_lone_lanes() {
            return None;
        }
        let mut lanes = (0..LANES).filter(|&lane| self.active >> lane & 1 == 1);
        let (first, second) = (lanes.next()?, lanes.next()?);
        let (from, distance) = (self.offsets[first], self.offsets[second] - self.offsets[first]);
        let step = distance.checked_div(i64::try_from(second - first).ok()?)?;
        let is_on_line = |lane: usize| {
            let behind = i64::try_from(lane - first).ok()?.checked_mul(step)?;
            (self.offsets[lane] == from.checked_add(behind)?).then_some(())
        };
        (first..LANES)
            .filter(|&lane| self.active >> lane & 1 == 1)
            .all(|lane| is_on_line(lane).is_some())
            .then_some(step)
    }

    /// Returns the addresses for the base `base`.
    pub fn addresses_from(&self, base: u64) -> [u64; LANES] {
        // A start address high enough that no address is negative, and a multiple of every period.
        const BEGIN: u64 = 1 << 48;
        self.offsets.map(|offset| BEGIN.wrapping_add(base).wrapping_add_signed(offset))
    }

    /// Returns the possible bases modulo `window`, for accesses aligned to `align` bytes.
    pub fn possible_bases(&self, window: u64, align: u64) -> impl Iterator<Item = u64> + '_ {
        let whole = window & window.wrapping_neg();
        let step = if self.step == 0 { window } else { self.step.min(whole) };
        let lane = self.active.trailing_zeros() as usize % LANES;
        let is_aligned = move |base: u64| {
            let at = self.offsets[lane].rem_euclid(i64::try_from(align).unwrap_or(1));
            (base + at.unsigned_abs()).is_multiple_of(align)
        };
        let bases = move || (0..window).step_by(usize::try_from(step).unwrap_or(1));
        let some = bases().any(is_aligned);
        bases().filter(move |&base| !some || is_aligned(base))
    }

    /// Returns the cost of an access to `bytes` bytes per lane.
    pub fn warp_cost(&self, space: Space, kind: Kind, bytes: u32) -> WarpCost {
        if !self.clusters.is_empty() {
            return self.cluster_cost(space, kind, bytes);
        }
        let align = u64::from(bytes.max(1));
        // The position of a shared array, and of a word in it, decides the bank,
        let window = match space {
            Space::Shared | Space::Cluster | Space::Constant => WORD_BYTES,
            Space::Global | Space::Local => SECTOR_BYTES,
        };
        let mut price = WarpCost { taken: [u32::MAX, 0], ideal: 0 };
        for base in self.possible_bases(window, align) {
            let (taken, ideal) = self.cost_at(space, kind, bytes, base);
            price.taken = [price.taken[0].min(taken), price.taken[1].max(taken)];
            price.ideal = price.ideal.max(ideal);
        }
        price
    }

    /// Returns the cost for minimal distances: in global memory the sum over the clusters, if no
    /// two share a sector; otherwise at least the number of sectors that the lanes fill.
    fn cluster_cost(&self, space: Space, kind: Kind, bytes: u32) -> WarpCost {
        let (_, ideal) = self.cost_at(space, kind, bytes, 0);
        let mut price = WarpCost { taken: [0, 0], ideal };
        for &active in &self.clusters {
            let lanes = Self { active, clusters: Vec::new(), ..self.clone() };
            let part = lanes.warp_cost(space, kind, bytes);
            price.taken = [price.taken[0] + part.taken[0], price.taken[1] + part.taken[1]];
        }
        let gap = self.min_gap();
        if gap < SECTOR_BYTES {
            let in_sector = SECTOR_BYTES.div_ceil(gap.max(1));
            let least = u64::from(self.count()).div_ceil(in_sector);
            price.taken[0] = u32::try_from(least).unwrap_or(u32::MAX).min(price.taken[0]);
        }
        price
    }

    fn cost_at(&self, space: Space, kind: Kind, bytes: u32, base: u64) -> (u32, u32) {
        let addresses = self.addresses_from(base);
        match space {
            Space::Shared | Space::Cluster => {
                let cost = shared::count_wavefronts(kind, bytes, self.active, &addresses);
                (cost.taken, cost.ideal)
            }
            Space::Constant => {
                let cost = constant::count_wavefronts(bytes, self.active, &addresses);
                (cost.taken, cost.ideal)
            }
            Space::Global | Space::Local => {
                let cost = global::count_sectors(kind, bytes, self.active, &addresses);
                (cost.taken, cost.ideal)
            }
        }
    }
}

/// A key for the lanes of a warp whose offsets grow along the axes of the block: two warps with the
/// same key have the same [normal](Lanes::normalized) lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LanePattern {
    active: u32,
    step: u64,
    /// The offset of the first active lane, within [`COST_PERIOD_BYTES`].
    first: i64,
    /// The step along each axis.
    slope: [i64; 3],
    /// The indices of the first lane along x, and along y if the end of a plane matters.
    from: [usize; 2],
}

impl LanePattern {
    /// Returns a hash that tells most patterns apart.
    pub(super) fn fingerprint(&self) -> u64 {
        let [a, b, c] = self.slope;
        let slope = a ^ b.rotate_left(20) ^ c.rotate_left(40);
        let from = (self.from[0] ^ self.from[1] << 8) as u64;
        (slope ^ self.first.rotate_left(50)).cast_unsigned() ^ from << 32 ^ u64::from(self.active)
    }

    /// Returns the pattern of a warp; `None` if there is none.
    ///
    /// # Errors
    /// Returns a symbol that the distances between lanes depend on.
    pub(super) fn for_warp(
        offset: &SymbolicSum,
        warp: usize,
        active: u32,
    ) -> Result<Option<Self>, SymbolId> {
        let numbers = offset.numbers();
        let (slope, [x, y]) = match &numbers {
            PerThread::Uniform(_) => ([0; 3], [1, 1]),
            PerThread::Affine(affine) => (affine.step, [affine.dims[0], affine.dims[1]]),
            PerThread::Table(_) => return Ok(None),
        };
        let (x, y) = (x as usize, y as usize);
        let step = Lanes::base_alignment(offset, warp, active)?;
        let begin = warp * LANES;
        let first = numbers.number_in(begin + active.trailing_zeros() as usize % LANES);
        let window = i64::try_from(COST_PERIOD_BYTES).unwrap_or(i64::MAX);
        let from = if slope == [0; 3] { [0, 0] } else { [begin % x, begin / x % y] };
        let in_plane = from[1] + (from[0] + LANES - 1) / x < y;
        let from = if in_plane { [from[0], 0] } else { from };
        Ok(Some(Self { active, step, first: first.rem_euclid(window), slope, from }))
    }
}

/// Returns the factor, if it is the same in all active lanes.
fn uniform_factor(factors: &[i64; LANES], active: u32) -> Option<i64> {
    let first = factors[active.trailing_zeros() as usize % LANES];
    let mut lane = 0;
    while lane < LANES {
        if active >> lane & 1 == 1 && factors[lane] != first {
            return None;
        }
        lane += 1;
    }
    Some(first)
}

/// Returns the largest power of two that divides `number`; 0 for 0.
fn largest_power_of_two_divisor(number: i64) -> u64 {
    let magnitude = number.unsigned_abs();
    magnitude & magnitude.wrapping_neg()
}

/// Returns the smaller of two powers of two, where 0 counts as the largest.
fn smaller_alignment(a: u64, b: u64) -> u64 {
    if a == 0 || (b != 0 && b < a) { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::symbolic;

    #[test]
    fn warps_of_one_pattern_want_the_same() {
        let mut known: Vec<(LanePattern, Lanes)> = Vec::new();
        let mut shared = 0;
        for dims in [[256, 1, 1], [16, 16, 1], [12, 9, 2], [33, 3, 2]] {
            known.clear();
            let warps = dims.iter().product::<u32>() as usize / LANES;
            for step in [[4, 0, 0], [0, 4, 0], [4, 64, 0], [132, 4, -8]] {
                for first in [0, 4, 128, 132] {
                    let affine = symbolic::Affine { first, step, dims };
                    let offset = SymbolicSum::from(PerThread::Affine(affine));
                    for (warp, active) in (0..warps).flat_map(|w| [(w, u32::MAX), (w, 0xf0f0)]) {
                        let pattern =
                            LanePattern::for_warp(&offset, warp, active).unwrap().unwrap();
                        let lanes = Lanes::exact(&offset, warp, active)
                            .unwrap()
                            .normalized(COST_PERIOD_BYTES);
                        match known.iter().find(|(other, _)| *other == pattern) {
                            Some((_, other)) => {
                                assert_eq!(*other, lanes, "{dims:?} {step:?} {first} {warp}");
                                shared += 1;
                            }
                            None => known.push((pattern, lanes)),
                        }
                    }
                }
            }
        }
        assert!(shared > 100, "{shared}");
    }
}
