//! What the lanes of one warp want in one access, and what that costs.
use crate::{
    analysis::symbolic::{Factors, SymbolId, Trace, Value},
    hardware::{
        Kind, LANES,
        global::{self, SECTOR},
        shared::{self, BANKS, WORD},
    },
    ir::Space,
};

/// Distances between the beginnings of accesses that no formula sees: a round of all banks, and a line.
pub const WINDOW: u64 = BANKS * WORD;

/// The lanes of a warp, with where they access memory: bytes behind a place that they have in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lanes {
    /// Which are active: bit l is lane l.
    pub active: u32,
    /// The bytes; 0 for lanes that are not active.
    pub offsets: [i64; LANES],
    /// The place is a multiple of this, which is a power of two; 0 if it is the beginning itself.
    pub step: u64,
    /// Groups of lanes, by their bits, that a launch may move further apart than their offsets, in the order of these;
    /// empty if all distances are known.
    pub clusters: Vec<u32>,
}

/// What an access of a warp costs: wavefronts of shared memory, sectors of global.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    /// At least, and at most: over the places where the access can begin.
    pub taken: [u32; 2],
    /// At best.
    pub ideal: u32,
}

impl Price {
    /// Whether more of it is wasted.
    pub fn is_worse_than(&self, other: &Self) -> bool {
        let (this, that) = (self.taken[0] * other.ideal, other.taken[0] * self.ideal);
        (this, self.ideal) > (that, other.ideal)
    }
}

impl Lanes {
    /// What the `active` lanes of the warp numbered `warp` access at `offset`.
    ///
    /// # Errors
    /// A symbol that the distances between them depend on.
    pub fn of(offset: &Value, warp: usize, active: u32) -> Result<Self, SymbolId> {
        let step = Self::step(offset, warp, active)?;
        let numbers = offset.numbers().of_warp(warp);
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

    /// What the `active` lanes of the warp numbered `warp` access at `offset`, where a launch decides how far they are
    /// apart: at the least distances that the ranges of its symbols allow. `None` if lanes may then be in another order,
    /// or meet.
    pub fn at_least(trace: &Trace, offset: &Value, warp: usize, active: u32) -> Option<Self> {
        let numbers = offset.numbers().of_warp(warp);
        let terms: Vec<_> = offset.symbolic().iter().collect();
        let factors: Vec<_> = terms.iter().map(|term| term.factors.of_warp(warp)).collect();
        let products: Option<Vec<i128>> =
            terms.iter().map(|term| trace.least_product(&term.of.0)).collect();
        let products = products?;
        let is_active = |lane: &usize| active >> lane & 1 == 1;
        // What the symbols add, for the least that they are.
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
            lanes.step = lower(lanes.step, power_of_two(factor));
        }
        let mut before: Option<&(i64, Vec<i64>, i64, usize)> = None;
        for this in &sorted {
            let (_, symbolic, number, lane) = this;
            let (at, is_same) = match before {
                None => (*number, false),
                Some((_, others, other, lane)) => {
                    let mut distance = i128::from(number - other);
                    for ((factor, other), product) in symbolic.iter().zip(others).zip(&products) {
                        // With a larger product, lanes would be closer.
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
        let is_apart = lanes.gap() >= if lanes.has_lone_lanes() { 1 } else { SECTOR };
        is_apart.then_some(lanes)
    }

    /// True if each lane is a cluster of its own.
    fn has_lone_lanes(&self) -> bool {
        self.clusters.len() == self.count() as usize
    }

    /// The least distance between the last lane of a cluster and the first of the next one.
    fn gap(&self) -> u64 {
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

    /// What the place that the lanes have in common is a multiple of.
    fn step(offset: &Value, warp: usize, active: u32) -> Result<u64, SymbolId> {
        let mut step = 0;
        for term in offset.symbolic() {
            let factor = match term.factors.same() {
                Some(factor) => factor,
                None => same(&term.factors.of_warp(warp), active).ok_or(term.of.0[0])?,
            };
            step = lower(step, power_of_two(factor));
        }
        Ok(step)
    }

    /// The same, with the first lane moved by multiples of `window` to below it. Lanes that
    /// are a multiple of it apart are equal then.
    pub(super) fn normal(&self, window: u64) -> Self {
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

    /// Number of active lanes.
    pub fn count(&self) -> u32 {
        self.active.count_ones()
    }

    /// Whether the active lanes are neighbours.
    pub fn is_run(&self) -> bool {
        let run = u64::from(self.active) >> self.active.trailing_zeros();
        (run + 1).is_power_of_two()
    }

    /// How many bytes each active lane is behind the one before, or [at least](Self::clusters), if all are as far; `None`
    /// of fewer than two.
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

    /// The addresses, if the place is `base`.
    pub fn addresses(&self, base: u64) -> [u64; LANES] {
        // High enough that nothing is below 0, and a multiple of all that counts.
        const BEGIN: u64 = 1 << 48;
        self.offsets.map(|offset| BEGIN.wrapping_add(base).wrapping_add_signed(offset))
    }

    /// Where the place can be, modulo `window`, for accesses to multiples of `align` bytes.
    pub fn bases(&self, window: u64, align: u64) -> impl Iterator<Item = u64> + '_ {
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

    /// What an access of `bytes` costs.
    pub fn price(&self, space: Space, kind: Kind, bytes: u32) -> Price {
        if !self.clusters.is_empty() {
            return self.price_of_clusters(space, kind, bytes);
        }
        let align = u64::from(bytes.max(1));
        // Where an array of shared memory lies, and where a word is, decides which bank it is in,
        // and not how many lanes want one.
        let window = if space == Space::Shared { WORD } else { SECTOR };
        let mut price = Price { taken: [u32::MAX, 0], ideal: 0 };
        for base in self.bases(window, align) {
            let (taken, ideal) = self.cost(space, kind, bytes, base);
            price.taken = [price.taken[0].min(taken), price.taken[1].max(taken)];
            price.ideal = price.ideal.max(ideal);
        }
        price
    }

    /// The same where distances are the least ones: of global memory the sum over the clusters, if no two share a sector;
    /// if they may, as many as the lanes fill at least.
    fn price_of_clusters(&self, space: Space, kind: Kind, bytes: u32) -> Price {
        let (_, ideal) = self.cost(space, kind, bytes, 0);
        let mut price = Price { taken: [0, 0], ideal };
        for &active in &self.clusters {
            let lanes = Self { active, clusters: Vec::new(), ..self.clone() };
            let part = lanes.price(space, kind, bytes);
            price.taken = [price.taken[0] + part.taken[0], price.taken[1] + part.taken[1]];
        }
        let gap = self.gap();
        if gap < SECTOR {
            let in_sector = SECTOR.div_ceil(gap.max(1));
            let least = u64::from(self.count()).div_ceil(in_sector);
            price.taken[0] = u32::try_from(least).unwrap_or(u32::MAX).min(price.taken[0]);
        }
        price
    }

    fn cost(&self, space: Space, kind: Kind, bytes: u32, base: u64) -> (u32, u32) {
        let addresses = self.addresses(base);
        if space == Space::Shared {
            let cost = shared::wavefronts(kind, bytes, self.active, &addresses);
            (cost.taken, cost.ideal)
        } else {
            let cost = global::sectors(kind, bytes, self.active, &addresses);
            (cost.taken, cost.ideal)
        }
    }
}

/// What decides what the lanes of a warp want whose offsets grow along the axes of the block: two warps with the same have
/// the same [normal](Lanes::normal) lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    active: u32,
    step: u64,
    /// The offset of the first active lane, within [`WINDOW`].
    first: i64,
    /// Along each axis.
    slope: [i64; 3],
    /// The indices of the first lane along x, and along y if it matters where a plane ends.
    from: [usize; 2],
}

impl Pattern {
    /// A number that tells most patterns apart.
    pub(super) fn fingerprint(&self) -> u64 {
        let [a, b, c] = self.slope;
        let slope = a ^ b.rotate_left(20) ^ c.rotate_left(40);
        let from = (self.from[0] ^ self.from[1] << 8) as u64;
        (slope ^ self.first.rotate_left(50)).cast_unsigned() ^ from << 32 ^ u64::from(self.active)
    }

    /// That of a warp; `None` if there is none.
    ///
    /// # Errors
    /// A symbol that the distances between lanes depend on.
    pub(super) fn of(offset: &Value, warp: usize, active: u32) -> Result<Option<Self>, SymbolId> {
        let numbers = offset.numbers();
        let (slope, [x, y]) = match &numbers {
            Factors::Same(_) => ([0; 3], [1, 1]),
            Factors::Affine(affine) => (affine.step, [affine.dims[0], affine.dims[1]]),
            Factors::Each(_) => return Ok(None),
        };
        let (x, y) = (x as usize, y as usize);
        let step = Lanes::step(offset, warp, active)?;
        let begin = warp * LANES;
        let first = numbers.at(begin + active.trailing_zeros() as usize % LANES);
        let window = i64::try_from(WINDOW).unwrap_or(i64::MAX);
        let from = if slope == [0; 3] { [0, 0] } else { [begin % x, begin / x % y] };
        let in_plane = from[1] + (from[0] + LANES - 1) / x < y;
        let from = if in_plane { [from[0], 0] } else { from };
        Ok(Some(Self { active, step, first: first.rem_euclid(window), slope, from }))
    }
}

/// What all active lanes have.
fn same(factors: &[i64; LANES], active: u32) -> Option<i64> {
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

/// The largest power of two that divides `number`; 0 for 0.
fn power_of_two(number: i64) -> u64 {
    let magnitude = number.unsigned_abs();
    magnitude & magnitude.wrapping_neg()
}

/// The smaller of two powers of two, of which 0 is the largest.
fn lower(a: u64, b: u64) -> u64 {
    if a == 0 || (b != 0 && b < a) { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::symbolic;

    #[test]
    fn warps_of_one_pattern_want_the_same() {
        let mut known: Vec<(Pattern, Lanes)> = Vec::new();
        let mut shared = 0;
        for dims in [[256, 1, 1], [16, 16, 1], [12, 9, 2], [33, 3, 2]] {
            known.clear();
            let warps = dims.iter().product::<u32>() as usize / LANES;
            for step in [[4, 0, 0], [0, 4, 0], [4, 64, 0], [132, 4, -8]] {
                for first in [0, 4, 128, 132] {
                    let affine = symbolic::Affine { first, step, dims };
                    let offset = Value::from(Factors::Affine(affine));
                    for (warp, active) in (0..warps).flat_map(|w| [(w, u32::MAX), (w, 0xf0f0)]) {
                        let pattern = Pattern::of(&offset, warp, active).unwrap().unwrap();
                        let lanes = Lanes::of(&offset, warp, active).unwrap().normal(WINDOW);
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
