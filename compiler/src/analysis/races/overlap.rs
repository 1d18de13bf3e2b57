//! Overlap of the bytes that two threads access.
//!
//! An offset is a sum of symbols with a factor in each thread, and a number. The common part of two
//! threads' offsets cancels. If only a number remains, it decides ([`find_collision`]). Otherwise
//! [`may_collide`] searches for a proof that the difference is never small enough, whatever the
//! symbols are: by the common divisor of all factors, by the limits of the symbols, and by sums
//! that the caller knows not to be 0.
use crate::{
    analysis::symbolic::{Monomial, Symbol, SymbolId, SymbolicSum, ThreadSet},
    id::Table,
};
use std::cell::Cell;

/// The work limit for all pairs of accesses of a kernel, in examined threads. Work is counted, not
/// timed, so that results are the same on every machine.
pub(super) const MAX_WORK: u64 = 2_000_000;
/// The fixed work of a pair.
pub(super) const WORK_PER_PAIR: u64 = 20;

/// Maximum number of pairs of threads to compare for two groups; beyond it, they may overlap.
const MAX_THREAD_PAIRS: u32 = 2048;
/// Maximum number of pairs of a thread and an attained sum to compare for two groups; beyond it, no
/// overlap is proved.
const MAX_SUM_PAIRS: u32 = 32_768;
/// Maximum number of groups of an access; beyond it nothing is proved, and two threads may overlap.
const MAX_GROUPS: usize = 64;

/// The offsets of an access's active threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ThreadOffsets {
    /// The threads by symbolic part; `None` if there are too many groups.
    groups: Vec<OffsetGroup>,
    bytes: i64,
}

/// Threads whose offsets have the same symbolic part.
#[derive(Clone, Debug, PartialEq, Eq)]
struct OffsetGroup {
    /// The symbolic part, without factors of 0.
    symbolic_part: Vec<(Monomial, i64)>,
    /// The numeric part of each thread's offset, and the thread number; in order.
    numbers: Vec<(i64, usize)>,
    /// The common divisor of the distances between the numeric parts; 0 if there are none.
    step: u64,
}

/// Two threads that access the same byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Collision {
    pub(super) threads: [usize; 2],
    /// The first byte of the first access.
    pub(super) offset: i64,
    /// True if symbols are added to `at`.
    pub(super) symbolic: bool,
}

/// The assumptions under which two accesses are compared.
pub(super) struct PairAssumptions<'r> {
    /// The symbols of the trace.
    pub(super) symbols: &'r Table<SymbolId, Symbol>,
    /// Returns true for a symbol with an independent number in each access.
    pub(super) is_independent: &'r dyn Fn(SymbolId) -> bool,
    /// Returns true if a sum of such parts is never 0.
    pub(super) is_never_zero: &'r dyn Fn(&Terms) -> bool,
    /// Returns true for a pair of threads to consider.
    pub(super) accept: &'r dyn Fn(usize, usize) -> bool,
    /// The work spent so far.
    pub(super) work: &'r Cell<u64>,
}

/// Terms of a sum, each with its factor.
pub(super) type Terms = [(RemainingTerm, i64)];

/// A symbolic term that remains in the difference of two offsets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RemainingTerm {
    /// The symbols.
    pub(super) monomial: Monomial,
    /// The access that it comes from.
    pub(super) origin: TermOrigin,
}

/// The origin of a remaining term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TermOrigin {
    /// Both accesses, with the same number.
    Both,
    /// The first access.
    First,
    /// The second access.
    Second,
    /// The number of the first access minus that of the second.
    Difference,
}

impl ThreadOffsets {
    /// Groups the offsets of an access to `bytes` bytes at `offset` by `threads`.
    pub(super) fn new(offset: &SymbolicSum, bytes: u32, threads: &ThreadSet) -> Self {
        let symbolic = offset.terms();
        let numbers = offset.numbers();
        let mut parts: Vec<LanePart> = Vec::new();
        // Mostly each symbol has the same factor in all threads.
        let same: Option<Vec<i64>> =
            symbolic.iter().map(|term| term.factors.as_uniform()).collect();
        let is_one = same.is_some() && !threads.is_empty();
        parts.extend(
            same.filter(|_| is_one).map(|same| (same, Vec::with_capacity(threads.count()))),
        );
        for warp in 0..threads.warp_count() {
            let lanes = threads.lanes_of_warp(warp);
            if lanes == 0 {
                continue;
            }
            let numbers = numbers.lane_numbers(warp);
            if is_one {
                let (_, at) = parts.first_mut().expect("there is one");
                push_lanes(at, lanes, &numbers, warp);
                continue;
            }
            let factors: Vec<[i64; 32]> =
                symbolic.iter().map(|term| term.factors.lane_numbers(warp)).collect();
            let mut lane = 0;
            while lane < 32 {
                if lanes >> lane & 1 == 1 {
                    let part = part_index(&mut parts, &factors, lane);
                    parts[part].1.push((numbers[lane], warp * 32 + lane));
                }
                lane += 1;
            }
            if parts.len() > MAX_GROUPS {
                parts.clear();
                break;
            }
        }
        let groups = parts.into_iter().map(|(factors, at)| {
            let of = symbolic.iter().map(|term| &term.monomial).zip(factors);
            let of = of.filter(|&(_, factor)| factor != 0);
            OffsetGroup::new(of.map(|(of, factor)| (of.clone(), factor)).collect(), at)
        });
        Self { groups: groups.collect(), bytes: i64::from(bytes) }
    }

    /// Returns true if there are too many groups to know anything but the symbols.
    pub(super) const fn is_scattered(&self) -> bool {
        self.groups.is_empty()
    }

    /// Advances each matching symbol by one: adds its factor to the number of each thread. `None`
    /// if such a symbol is multiplied by others.
    pub(super) fn advanced(&self, is: &dyn Fn(SymbolId) -> bool) -> Option<Self> {
        let mut moved = self.clone();
        for group in &mut moved.groups {
            for (of, factor) in &group.symbolic_part {
                if of.0.len() > 1 && of.0.iter().any(|&symbol| is(symbol)) {
                    return None;
                }
                if of.0.len() == 1 && is(of.0[0]) {
                    for (at, _) in &mut group.numbers {
                        *at = at.checked_add(*factor)?;
                    }
                }
            }
        }
        Some(moved)
    }
}

/// The factors of the symbols, with the numeric part and the number of each thread that has them.
type LanePart = (Vec<i64>, Vec<(i64, usize)>);

/// Adds the numbers of the active `lanes` of a warp, with their threads.
fn push_lanes(at: &mut Vec<(i64, usize)>, lanes: u32, numbers: &[i64; 32], warp: usize) {
    let mut lane = 0;
    while lane < 32 {
        if lanes >> lane & 1 == 1 {
            at.push((numbers[lane], warp * 32 + lane));
        }
        lane += 1;
    }
}

/// Returns the index of the part with this lane's factors, which it adds if necessary. Neighbours
/// are mostly in the same part.
fn part_index(parts: &mut Vec<LanePart>, factors: &[[i64; 32]], lane: usize) -> usize {
    let mut part = parts.len();
    while part > 0 {
        part -= 1;
        let known = &parts[part].0;
        let mut term = 0;
        while term < factors.len() && known[term] == factors[term][lane] {
            term += 1;
        }
        if term == factors.len() {
            return part;
        }
    }
    parts.push((factors.iter().map(|factors| factors[lane]).collect(), Vec::new()));
    parts.len() - 1
}

impl OffsetGroup {
    /// Creates a group from its symbolic part and its threads.
    fn new(of: Vec<(Monomial, i64)>, mut at: Vec<(i64, usize)>) -> Self {
        let mut step = 0;
        let (mut is_sorted, mut last) = (true, at.first().copied().unwrap_or_default());
        for &next in &at {
            is_sorted &= last.0 < next.0 || last.0 == next.0 && last.1 <= next.1;
            let distance = next.0.abs_diff(last.0);
            if distance != 0 && (step == 0 || distance % step != 0) {
                step = gcd(step, distance);
            }
            last = next;
        }
        if !is_sorted {
            at.sort_unstable();
        }
        Self { symbolic_part: of, numbers: at, step }
    }
}

/// Returns two threads, one of each access, that `accept` takes and that access the same byte,
/// whatever the symbols are; those with the lowest offset.
pub(super) fn find_collision(
    first: &ThreadOffsets,
    second: &ThreadOffsets,
    accept: &dyn Fn(usize, usize) -> bool,
    work: &Cell<u64>,
) -> Option<Collision> {
    let bytes = [first.bytes, second.bytes];
    let found = first.groups.iter().filter_map(|group| {
        let mut others =
            second.groups.iter().filter(|other| other.symbolic_part == group.symbolic_part);
        others.find_map(|other| {
            count_work(work, group, other);
            find_collision_in(group, other, bytes, accept)
        })
    });
    found.min_by_key(|meeting| meeting.threads[0])
}

/// Returns such threads of two groups with the same symbols.
fn find_collision_in(
    first: &OffsetGroup,
    second: &OffsetGroup,
    bytes: [i64; 2],
    accept: &dyn Fn(usize, usize) -> bool,
) -> Option<Collision> {
    if are_apart(first, second, bytes, 0) {
        return None;
    }
    // Plain loops: this runs for many pairs of accesses, in a macro that is built without
    // optimization.
    let (mut from, others) = (0, second.numbers.as_slice());
    for &(at, a) in &first.numbers {
        while from < others.len() && others[from].0 <= at - bytes[1] {
            from += 1;
        }
        let mut near = from;
        while near < others.len() && others[near].0 < at + bytes[0] {
            let b = others[near].1;
            if accept(a, b) {
                return Some(Collision {
                    threads: [a, b],
                    offset: at,
                    symbolic: !first.symbolic_part.is_empty(),
                });
            }
            near += 1;
        }
    }
    None
}

/// Returns two threads, one of each access, that `accept` takes and that access the same byte for
/// some numbers in `attained`: per symbol, the first and the last of the numbers that it takes, all
/// of them, independently of the others.
pub(super) fn find_collision_for_some(
    first: &ThreadOffsets,
    second: &ThreadOffsets,
    attained: &[(SymbolId, [i64; 2])],
    accept: &dyn Fn(usize, usize) -> bool,
    work: &Cell<u64>,
) -> Option<Collision> {
    let bytes = [first.bytes, second.bytes];
    let range = |of: &Monomial| {
        let [symbol] = of.0.as_slice() else { return None };
        attained.iter().find(|(known, _)| known == symbol).map(|&(_, range)| range)
    };
    first.groups.iter().find_map(|group| {
        second.groups.iter().find_map(|other| {
            count_work(work, group, other);
            let possible = AttainedSums::difference(group, other, &range)?;
            possible.find_collision(group, other, bytes, accept, work)
        })
    })
}

/// The numbers that a sum of symbols attains: all that are `step` apart, from the first to the
/// last.
struct AttainedSums {
    first: i64,
    last: i64,
    step: i64,
}

impl AttainedSums {
    /// Returns the sums of the symbols of `first` minus those of `second`; `None` if they may have
    /// gaps, or if a symbol has no `range` of attained numbers.
    fn difference(
        first: &OffsetGroup,
        second: &OffsetGroup,
        range: &dyn Fn(&Monomial) -> Option<[i64; 2]>,
    ) -> Option<Self> {
        let factor = |of: &Monomial, group: &OffsetGroup| {
            group
                .symbolic_part
                .iter()
                .find(|(other, _)| other == of)
                .map_or(0, |&(_, factor)| factor)
        };
        let symbols = first.symbolic_part.iter().chain(&second.symbolic_part).map(|(of, _)| of);
        let mut parts: Vec<(i64, [i64; 2])> = Vec::new();
        let mut seen: Vec<&Monomial> = Vec::new();
        for of in symbols {
            let factor = factor(of, first).checked_sub(factor(of, second))?;
            if factor != 0 && !seen.contains(&of) {
                seen.push(of);
                parts.push((factor, range(of)?));
            }
        }
        parts.sort_unstable_by_key(|(factor, _)| factor.unsigned_abs());
        let step = i64::try_from(parts.first()?.0.unsigned_abs()).ok()?;
        let (mut least, mut most) = (0_i64, 0_i64);
        for (factor, [from, to]) in parts {
            let [a, b] = [factor.checked_mul(from)?, factor.checked_mul(to)?];
            // A larger step must not leave a gap between copies of the sums of the smaller ones.
            let reach = most.checked_sub(least)?.checked_add(step)?;
            let is_dense = factor % step == 0 && factor.checked_abs()? <= reach || from == to;
            if from > to || !is_dense {
                return None;
            }
            (least, most) = (least.checked_add(a.min(b))?, most.checked_add(a.max(b))?);
        }
        Some(Self { first: least, last: most, step })
    }

    /// Returns two threads of two groups whose bytes overlap for one of the sums.
    fn find_collision(
        &self,
        first: &OffsetGroup,
        second: &OffsetGroup,
        bytes: [i64; 2],
        accept: &dyn Fn(usize, usize) -> bool,
        work: &Cell<u64>,
    ) -> Option<Collision> {
        let mut left_to_try = MAX_SUM_PAIRS;
        for &(at, a) in &first.numbers {
            let mut others = second.numbers.as_slice();
            while let Some(&(other, b)) = others.first() {
                left_to_try = left_to_try.checked_sub(1)?;
                work.set(work.get() + 1);
                if !self.overlaps_at(at.checked_sub(other)?, bytes)? {
                    // The same number has failed already.
                    let skipped = others.partition_point(|&(number, _)| number == other);
                    others = &others[skipped..];
                } else if accept(a, b) {
                    // The offset of a side without symbols is known.
                    let symbolic =
                        !first.symbolic_part.is_empty() && !second.symbolic_part.is_empty();
                    let at = if first.symbolic_part.is_empty() { at } else { other };
                    return Some(Collision { threads: [a, b], offset: at, symbolic });
                } else {
                    others = &others[1..];
                }
            }
        }
        None
    }

    /// Returns true if bytes whose numbers are `distance` apart overlap for one of the sums.
    fn overlaps_at(&self, distance: i64, bytes: [i64; 2]) -> Option<bool> {
        // The smallest sum for which the first ends after the beginning of the second.
        let low = (1 - bytes[0]).checked_sub(distance)?.max(self.first);
        let from_first = low.checked_sub(self.first)?;
        let sum = self.first + from_first.checked_add(self.step - 1)? / self.step * self.step;
        Some(sum <= self.last && sum.checked_add(distance)? < bytes[1])
    }
}

/// Returns true unless the two accesses provably never touch the same byte.
pub(super) fn may_collide(
    first: &ThreadOffsets,
    second: &ThreadOffsets,
    relation: &PairAssumptions<'_>,
) -> bool {
    if first.is_scattered() || second.is_scattered() {
        return true;
    }
    let bytes = [first.bytes, second.bytes];
    first.groups.iter().any(|group| {
        second.groups.iter().any(|other| {
            count_work(relation.work, group, other);
            let rest = subtract_symbols(group, other, relation);
            if rest.is_empty() {
                return find_collision_in(group, other, bytes, relation.accept).is_some();
            }
            may_collide_in(group, other, bytes, &rest, relation)
        })
    })
}

/// Counts the work of comparing two groups.
fn count_work(work: &Cell<u64>, first: &OffsetGroup, second: &OffsetGroup) {
    work.set(work.get() + (first.numbers.len() + second.numbers.len()) as u64);
}

/// Returns the symbols of `first` minus those of `second`.
fn subtract_symbols(
    first: &OffsetGroup,
    second: &OffsetGroup,
    relation: &PairAssumptions<'_>,
) -> Vec<(RemainingTerm, i64)> {
    let is_own = |of: &Monomial| of.0.iter().any(|&symbol| (relation.is_independent)(symbol));
    let factor = |of: &Monomial, group: &OffsetGroup| {
        group.symbolic_part.iter().find(|(other, _)| other == of).map_or(0, |&(_, factor)| factor)
    };
    let mut left = Vec::new();
    let mut push = |of: &Monomial, side, factor: i64| {
        if factor != 0 {
            left.push((RemainingTerm { monomial: of.clone(), origin: side }, factor));
        }
    };
    for (of, mine) in &first.symbolic_part {
        let theirs = factor(of, second);
        if !is_own(of) {
            push(of, TermOrigin::Both, mine.saturating_sub(theirs));
        } else if *mine == theirs {
            push(of, TermOrigin::Difference, *mine);
        } else {
            push(of, TermOrigin::First, *mine);
            push(of, TermOrigin::Second, theirs.saturating_neg());
        }
    }
    for (of, theirs) in &second.symbolic_part {
        if factor(of, first) == 0 {
            let side = if is_own(of) { TermOrigin::Second } else { TermOrigin::Both };
            push(of, side, theirs.saturating_neg());
        }
    }
    left
}

/// Returns true if threads of two groups may overlap, given the remaining symbols.
fn may_collide_in(
    first: &OffsetGroup,
    second: &OffsetGroup,
    bytes: [i64; 2],
    rest: &Terms,
    relation: &PairAssumptions<'_>,
) -> bool {
    let step = rest.iter().fold(0, |step, &(_, factor)| gcd(step, factor.unsigned_abs()));
    if are_apart(first, second, bytes, step) {
        return false;
    }
    let step = i64::try_from(step).unwrap_or(1);
    let possible = PossibleDifferences {
        bytes,
        step,
        limits: sum_limits(rest, relation.symbols),
        never_zero: (relation.is_never_zero)(rest),
    };
    if !possible.may_overlap_in(first, second) {
        return false;
    }
    // Index the second group's numbers by their remainder modulo `step`. Plain loops, as above.
    let mut by_rest: Vec<(i64, i64, usize)> = Vec::with_capacity(second.numbers.len());
    for &(at, b) in &second.numbers {
        by_rest.push((at.rem_euclid(step), at, b));
    }
    by_rest.sort_unstable();
    let mut left_to_try = MAX_THREAD_PAIRS;
    for &(at, a) in &first.numbers {
        for [low, high] in remainder_windows(at.rem_euclid(step), step, bytes) {
            let mut near = by_rest.partition_point(|&(left, ..)| left < low);
            while near < by_rest.len() && by_rest[near].0 < high {
                let (_, other, b) = by_rest[near];
                left_to_try -= 1;
                relation.work.set(relation.work.get() + 1);
                if left_to_try == 0
                    || possible.may_overlap_at(at - other, at - other) && (relation.accept)(a, b)
                {
                    return true;
                }
                near += 1;
            }
        }
    }
    false
}

/// Returns true if no numbers of the two groups are close enough, plus or minus any multiple of
/// `step`: their remainders modulo the common divisor of all distances are compared.
fn are_apart(first: &OffsetGroup, second: &OffsetGroup, bytes: [i64; 2], step: u64) -> bool {
    let step = gcd(step, gcd(first.step, second.step));
    let (Ok(step), Some((a, _)), Some((b, _))) =
        (i64::try_from(step), first.numbers.first(), second.numbers.first())
    else {
        return false;
    };
    let distance = a.saturating_sub(*b);
    if step == 0 {
        return distance <= -bytes[0] || distance >= bytes[1];
    }
    let left = distance.rem_euclid(step);
    left >= bytes[1] && left <= step - bytes[0]
}

/// Returns the remainders of the second group's numbers that are close enough to `left`: half-open
/// ranges, one of which may be empty.
const fn remainder_windows(left: i64, step: i64, bytes: [i64; 2]) -> [[i64; 2]; 2] {
    let [low, high] = [left - bytes[1] + 1, left + bytes[0]];
    if high - low >= step {
        [[0, step], [0, 0]]
    } else if low < 0 {
        [[0, high], [low + step, step]]
    } else if high > step {
        [[low, step], [0, high - step]]
    } else {
        [[low, high], [0, 0]]
    }
}

/// The possible differences of two symbolic parts: any multiple of `step` within `limits`.
struct PossibleDifferences {
    /// The sizes of the two accesses.
    bytes: [i64; 2],
    step: i64,
    limits: [i128; 2],
    /// True if the difference is not 0.
    never_zero: bool,
}

impl PossibleDifferences {
    /// Returns true if the difference plus a number from `least` to `most` can be small enough for
    /// the bytes to overlap. For a single number this is exact.
    fn may_overlap_at(&self, least: i64, most: i64) -> bool {
        let step = i128::from(self.step);
        let low = self.limits[0].max(1 - i128::from(self.bytes[0]) - i128::from(most));
        let high = self.limits[1].min(i128::from(self.bytes[1]) - 1 - i128::from(least));
        let first = low.div_euclid(step) * step + if low.rem_euclid(step) == 0 { 0 } else { step };
        let after_zero = if first == 0 && self.never_zero { step } else { first };
        after_zero <= high
    }

    /// Checks all numbers of two groups at once.
    fn may_overlap_in(&self, first: &OffsetGroup, second: &OffsetGroup) -> bool {
        let ends = |group: &OffsetGroup| Some((group.numbers.first()?.0, group.numbers.last()?.0));
        let Some((a, b)) = ends(first).zip(ends(second)) else { return false };
        self.may_overlap_at(a.0.saturating_sub(b.1), a.1.saturating_sub(b.0))
    }
}

/// Returns the limits of the sum of `rest`.
fn sum_limits(rest: &Terms, symbols: &Table<SymbolId, Symbol>) -> [i128; 2] {
    let mut sum = [0_i128; 2];
    for (RemainingTerm { monomial: of, origin: side }, factor) in rest {
        let mut product = [1_i128, 1];
        for &symbol in &of.0 {
            let range = symbols[symbol].range;
            product = product_limits(product, [range.min, range.max]);
        }
        if *side == TermOrigin::Difference {
            let width = product[1].saturating_sub(product[0]);
            product = [width.saturating_neg(), width];
        }
        let [low, high] = product_limits(product, [i128::from(*factor); 2]);
        sum = [sum[0].saturating_add(low), sum[1].saturating_add(high)];
    }
    sum
}

/// Returns the limits of a product.
fn product_limits(a: [i128; 2], b: [i128; 2]) -> [i128; 2] {
    let all = [[0, 0], [0, 1], [1, 0], [1, 1]].map(|[i, j]| a[i].saturating_mul(b[j]));
    all.iter()
        .fold([i128::MAX, i128::MIN], |[low, high], &product| [low.min(product), high.max(product)])
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        analysis::{range::Range, symbolic::SymbolKind, uniformity},
        id::Id,
        ir::InstId,
    };

    fn group(of: &[(usize, i64)], at: &[i64]) -> OffsetGroup {
        let of = of.iter().map(|&(symbol, factor)| {
            let mut of = Monomial::default();
            of.0.push(SymbolId::new(symbol));
            (of, factor)
        });
        let at = at.iter().enumerate().map(|(thread, &number)| (number, thread)).collect();
        OffsetGroup::new(of.collect(), at)
    }

    fn places(group: OffsetGroup, bytes: i64) -> ThreadOffsets {
        ThreadOffsets { groups: vec![group], bytes }
    }

    /// Creates two symbols, each from 0 to a number.
    fn symbols(most: [i128; 2]) -> Table<SymbolId, Symbol> {
        let symbol = |most| Symbol {
            inst: InstId::new(0),
            kind: SymbolKind::Computed,
            group: uniformity::Group::Block,
            range: Range::new(0, most),
        };
        most.into_iter().map(symbol).collect()
    }

    #[test]
    fn what_cancels_leaves_a_number() {
        let row = |first: i64| places(group(&[(0, 4)], &[0, 4, 8, 12].map(|at| at + first)), 4);
        let (others, work) = (|a: usize, b: usize| a != b, Cell::new(0));
        let found = find_collision(&row(0), &row(4), &others, &work).unwrap();
        assert_eq!((found.threads, found.offset, found.symbolic), ([1, 0], 4, true));
        assert!(find_collision(&row(0), &row(0), &others, &work).is_none());
        assert!(
            find_collision(&row(0), &places(group(&[(1, 4)], &[0]), 4), &others, &work).is_none()
        );
    }

    /// Tries every number that the symbols may take: threads that overlap then must be reported.
    #[test]
    fn nobody_meets_of_whom_it_is_said_that_they_never_do() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut draw = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        let (mut apart, mut meets) = (0, 0);
        for _ in 0..20_000 {
            let most = [draw(4), draw(4)].map(i128::from);
            let table = symbols(most);
            let mut side = || {
                let of: Vec<(usize, i64)> = (0..2)
                    .map(|symbol| (symbol, draw(7) as i64 * 4 - 8))
                    .filter(|&(_, factor)| factor != 0)
                    .collect();
                let (first, step) = (draw(16) as i64, draw(5) as i64 * 4);
                places(group(&of, &[0, 1, 2].map(|at| first + at * step)), 1 << draw(4))
            };
            let (first, second) = (side(), side());
            let own_first = draw(2) == 1;
            let own = move |symbol: SymbolId| own_first && symbol.index() == 0;
            let relation = PairAssumptions {
                symbols: &table,
                is_independent: &own,
                is_never_zero: &|_| false,
                accept: &|a, b| a != b,
                work: &Cell::new(0),
            };
            let said = may_collide(&first, &second, &relation);
            let really = really_meet(&first, &second, most, own_first);
            assert!(said || !really, "{first:?} {second:?} {most:?} {own_first}");
            apart += u32::from(!said);
            meets += u32::from(really);
        }
        assert!(apart > 1000 && meets > 1000, "{apart} {meets}");
    }

    fn really_meet(
        first: &ThreadOffsets,
        second: &ThreadOffsets,
        most: [i128; 2],
        own: bool,
    ) -> bool {
        let all = |most: i128| 0..=i64::try_from(most).unwrap();
        let sum = |of: &OffsetGroup, numbers: [i64; 2]| -> i64 {
            of.symbolic_part.iter().map(|(of, factor)| factor * numbers[of.0[0].index()]).sum()
        };
        let (a, b) = (&first.groups[0], &second.groups[0]);
        all(most[0]).any(|x| {
            all(most[0]).filter(|&other| own || other == x).any(|other| {
                all(most[1]).any(|y| {
                    let distance = sum(a, [x, y]) - sum(b, [other, y]);
                    a.numbers.iter().any(|&(p, thread)| {
                        b.numbers.iter().any(|&(q, of)| {
                            let d = distance + p - q;
                            thread != of && -first.bytes < d && d < second.bytes
                        })
                    })
                })
            })
        })
    }
}
