//! Whether the bytes overlap that two threads access.
//!
//! An offset is a sum of symbols with a factor in each thread, and a number. Of two threads, what
//! both have cancels. If nothing but a number is left, it decides ([`meet`]). Otherwise [`may_meet`] looks for
//! a proof that whatever the symbols are, the difference is never small enough: by what all factors
//! are multiples of, by the limits of the symbols, and by what the caller knows not to be 0.
use crate::{
    analysis::symbolic::{Monomial, Symbol, SymbolId, Threads, Value},
    id::Table,
};
use std::cell::Cell;

/// What looking at pairs of accesses of a kernel may cost: threads that are looked at. It is counted, and not timed, so
/// that what is found is the same everywhere.
pub(super) const MOST_WORK: u64 = 2_000_000;
/// What a pair costs besides.
pub(super) const PAIR: u64 = 20;

/// After so many pairs of threads of two groups, they may meet.
const MOST_TRIES: u32 = 2048;
/// Two groups are compared for so many pairs of a thread of the one and a place of the other, before it is not known
/// that they meet.
const MAX_TRIED_SUMS: u32 = 32_768;
/// Where threads are in more groups, nothing is proved: then two of them may meet.
const MOST_GROUPS: usize = 64;

/// Where the active threads of an access are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Places {
    /// None if there are too many.
    groups: Vec<Group>,
    bytes: i64,
}

/// Threads whose offsets have the same symbols, each with the same factor.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Group {
    /// The symbols, without factors of 0.
    of: Vec<(Monomial, i64)>,
    /// What each thread adds to them, and its number; in order.
    at: Vec<(i64, usize)>,
    /// What the distances between those are multiples of; 0 if there are none.
    step: u64,
}

/// Two threads that access the same byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meeting {
    pub(super) threads: [usize; 2],
    /// Where the first begins to access.
    pub(super) at: i64,
    /// Whether symbols come on top.
    pub(super) symbolic: bool,
}

/// How two accesses are to each other.
pub(super) struct Relation<'r> {
    /// What the symbols are.
    pub(super) symbols: &'r Table<SymbolId, Symbol>,
    /// Whether each access has a number of its own for a symbol.
    pub(super) own: &'r dyn Fn(SymbolId) -> bool,
    /// Whether a sum of such parts, each times its factor, is never 0.
    pub(super) differs: &'r dyn Fn(&Parts) -> bool,
    /// Whether these two threads count.
    pub(super) accept: &'r dyn Fn(usize, usize) -> bool,
    /// What looking has cost so far.
    pub(super) work: &'r Cell<u64>,
}

/// Parts of a sum, each with its factor.
pub(super) type Parts = [(Rest, i64)];

/// What is left of two offsets besides numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rest {
    /// Which symbols.
    pub(super) of: Monomial,
    /// Of which access.
    pub(super) side: Side,
}

/// Of which of two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Of both: they have the same.
    Both,
    /// Of the first.
    First,
    /// Of the second.
    Second,
    /// Of the first, less the same of the second.
    Difference,
}

impl Places {
    /// Those of an access to `bytes` bytes at `offset` by `threads`.
    pub(super) fn new(offset: &Value, bytes: u32, threads: &Threads) -> Self {
        let symbolic = offset.symbolic();
        let numbers = offset.numbers();
        let mut parts: Vec<Part> = Vec::new();
        // Mostly each symbol has the same factor in all threads.
        let same: Option<Vec<i64>> = symbolic.iter().map(|term| term.factors.same()).collect();
        let is_one = same.is_some() && !threads.is_empty();
        parts.extend(
            same.filter(|_| is_one).map(|same| (same, Vec::with_capacity(threads.count()))),
        );
        for warp in 0..threads.warps() {
            let lanes = threads.warp(warp);
            if lanes == 0 {
                continue;
            }
            let numbers = numbers.of_warp(warp);
            if is_one {
                let (_, at) = parts.first_mut().expect("there is one");
                add(at, lanes, &numbers, warp);
                continue;
            }
            let factors: Vec<[i64; 32]> =
                symbolic.iter().map(|term| term.factors.of_warp(warp)).collect();
            let mut lane = 0;
            while lane < 32 {
                if lanes >> lane & 1 == 1 {
                    let part = part(&mut parts, &factors, lane);
                    parts[part].1.push((numbers[lane], warp * 32 + lane));
                }
                lane += 1;
            }
            if parts.len() > MOST_GROUPS {
                parts.clear();
                break;
            }
        }
        let groups = parts.into_iter().map(|(factors, at)| {
            let of = symbolic.iter().map(|term| &term.of).zip(factors);
            let of = of.filter(|&(_, factor)| factor != 0);
            Group::new(of.map(|(of, factor)| (of.clone(), factor)).collect(), at)
        });
        Self { groups: groups.collect(), bytes: i64::from(bytes) }
    }

    /// Whether nothing is known of them but the symbols.
    pub(super) const fn is_scattered(&self) -> bool {
        self.groups.is_empty()
    }

    /// The same, with `by` added to the number of each thread for each `symbol` that it has; `None` if it has
    /// that symbol multiplied by others.
    pub(super) fn moved(&self, is: &dyn Fn(SymbolId) -> bool) -> Option<Self> {
        let mut moved = self.clone();
        for group in &mut moved.groups {
            for (of, factor) in &group.of {
                if of.0.len() > 1 && of.0.iter().any(|&symbol| is(symbol)) {
                    return None;
                }
                if of.0.len() == 1 && is(of.0[0]) {
                    for (at, _) in &mut group.at {
                        *at = at.checked_add(*factor)?;
                    }
                }
            }
        }
        Some(moved)
    }
}

/// The factors of the symbols, and what each thread that has them adds, with its number.
type Part = (Vec<i64>, Vec<(i64, usize)>);

/// Adds the numbers of the active `lanes` of a warp, with those of its threads.
fn add(at: &mut Vec<(i64, usize)>, lanes: u32, numbers: &[i64; 32], warp: usize) {
    let mut lane = 0;
    while lane < 32 {
        if lanes >> lane & 1 == 1 {
            at.push((numbers[lane], warp * 32 + lane));
        }
        lane += 1;
    }
}

/// The number of the part with the factors of this lane; a new one if there is none. Neighbours are
/// mostly in the same.
fn part(parts: &mut Vec<Part>, factors: &[[i64; 32]], lane: usize) -> usize {
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

impl Group {
    /// Of what each of some threads adds to the symbols.
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
        Self { of, at, step }
    }
}

/// Two threads, one of each, that `accept` takes and that access the same byte, whatever symbols are; those
/// with the lowest offset.
pub(super) fn meet(
    first: &Places,
    second: &Places,
    accept: &dyn Fn(usize, usize) -> bool,
    work: &Cell<u64>,
) -> Option<Meeting> {
    let bytes = [first.bytes, second.bytes];
    let found = first.groups.iter().filter_map(|group| {
        let mut others = second.groups.iter().filter(|other| other.of == group.of);
        others.find_map(|other| {
            spend(work, group, other);
            meet_in(group, other, bytes, accept)
        })
    });
    found.min_by_key(|meeting| meeting.threads[0])
}

/// The same, in two groups of the same symbols.
fn meet_in(
    first: &Group,
    second: &Group,
    bytes: [i64; 2],
    accept: &dyn Fn(usize, usize) -> bool,
) -> Option<Meeting> {
    if are_apart(first, second, bytes, 0) {
        return None;
    }
    // Plain loops: this is run for many pairs of accesses, in a macro that is built without optimization.
    let (mut from, others) = (0, second.at.as_slice());
    for &(at, a) in &first.at {
        while from < others.len() && others[from].0 <= at - bytes[1] {
            from += 1;
        }
        let mut near = from;
        while near < others.len() && others[near].0 < at + bytes[0] {
            let b = others[near].1;
            if accept(a, b) {
                return Some(Meeting { threads: [a, b], at, symbolic: !first.of.is_empty() });
            }
            near += 1;
        }
    }
    None
}

/// Returns two threads, one of each, that `accept` takes and that access the same byte for some numbers of symbols that
/// `attained` has: for each, the first and the last of the numbers that it is, all of them, independently of the others.
pub(super) fn meet_for_some(
    first: &Places,
    second: &Places,
    attained: &[(SymbolId, [i64; 2])],
    accept: &dyn Fn(usize, usize) -> bool,
    work: &Cell<u64>,
) -> Option<Meeting> {
    let bytes = [first.bytes, second.bytes];
    let range = |of: &Monomial| {
        let [symbol] = of.0.as_slice() else { return None };
        attained.iter().find(|(known, _)| known == symbol).map(|&(_, range)| range)
    };
    first.groups.iter().find_map(|group| {
        second.groups.iter().find_map(|other| {
            spend(work, group, other);
            let possible = Sums::of(group, other, &range)?;
            possible.meet(group, other, bytes, accept, work)
        })
    })
}

/// The numbers that a sum of symbols attains: from the first to the last all that are `step` apart.
struct Sums {
    first: i64,
    last: i64,
    step: i64,
}

impl Sums {
    /// Those of what the symbols of `first` are less those of `second`; `None` if they may leave numbers out, or if
    /// a symbol has no `range` of numbers that it attains.
    fn of(
        first: &Group,
        second: &Group,
        range: &dyn Fn(&Monomial) -> Option<[i64; 2]>,
    ) -> Option<Self> {
        let factor = |of: &Monomial, group: &Group| {
            group.of.iter().find(|(other, _)| other == of).map_or(0, |&(_, factor)| factor)
        };
        let symbols = first.of.iter().chain(&second.of).map(|(of, _)| of);
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
            // A larger step must not leave a gap between copies of what the smaller ones attain.
            let reach = most.checked_sub(least)?.checked_add(step)?;
            let is_dense = factor % step == 0 && factor.checked_abs()? <= reach || from == to;
            if from > to || !is_dense {
                return None;
            }
            (least, most) = (least.checked_add(a.min(b))?, most.checked_add(a.max(b))?);
        }
        Some(Self { first: least, last: most, step })
    }

    /// Two threads of two groups whose bytes overlap for one of the sums.
    fn meet(
        &self,
        first: &Group,
        second: &Group,
        bytes: [i64; 2],
        accept: &dyn Fn(usize, usize) -> bool,
        work: &Cell<u64>,
    ) -> Option<Meeting> {
        let mut left_to_try = MAX_TRIED_SUMS;
        for &(at, a) in &first.at {
            let mut others = second.at.as_slice();
            while let Some(&(other, b)) = others.first() {
                left_to_try = left_to_try.checked_sub(1)?;
                work.set(work.get() + 1);
                if !self.overlap(at.checked_sub(other)?, bytes)? {
                    // Neither do others that are at the same number.
                    let skipped = others.partition_point(|&(number, _)| number == other);
                    others = &others[skipped..];
                } else if accept(a, b) {
                    // Of a side without symbols the place is known.
                    let symbolic = !first.of.is_empty() && !second.of.is_empty();
                    let at = if first.of.is_empty() { at } else { other };
                    return Some(Meeting { threads: [a, b], at, symbolic });
                } else {
                    others = &others[1..];
                }
            }
        }
        None
    }

    /// True if bytes overlap whose numbers are `distance` apart, for one of the sums.
    fn overlap(&self, distance: i64, bytes: [i64; 2]) -> Option<bool> {
        // The smallest sum for which the first ends behind where the second begins.
        let low = (1 - bytes[0]).checked_sub(distance)?.max(self.first);
        let from_first = low.checked_sub(self.first)?;
        let sum = self.first + from_first.checked_add(self.step - 1)? / self.step * self.step;
        Some(sum <= self.last && sum.checked_add(distance)? < bytes[1])
    }
}

/// Whether two threads may access the same byte, for all that is known.
pub(super) fn may_meet(first: &Places, second: &Places, relation: &Relation<'_>) -> bool {
    if first.is_scattered() || second.is_scattered() {
        return true;
    }
    let bytes = [first.bytes, second.bytes];
    first.groups.iter().any(|group| {
        second.groups.iter().any(|other| {
            spend(relation.work, group, other);
            let rest = rest(group, other, relation);
            if rest.is_empty() {
                return meet_in(group, other, bytes, relation.accept).is_some();
            }
            may_meet_in(group, other, bytes, &rest, relation)
        })
    })
}

/// Counts what looking at two groups costs.
fn spend(work: &Cell<u64>, first: &Group, second: &Group) {
    work.set(work.get() + (first.at.len() + second.at.len()) as u64);
}

/// What the symbols of `first` are less those of `second`.
fn rest(first: &Group, second: &Group, relation: &Relation<'_>) -> Vec<(Rest, i64)> {
    let is_own = |of: &Monomial| of.0.iter().any(|&symbol| (relation.own)(symbol));
    let factor = |of: &Monomial, group: &Group| {
        group.of.iter().find(|(other, _)| other == of).map_or(0, |&(_, factor)| factor)
    };
    let mut left = Vec::new();
    let mut push = |of: &Monomial, side, factor: i64| {
        if factor != 0 {
            left.push((Rest { of: of.clone(), side }, factor));
        }
    };
    for (of, mine) in &first.of {
        let theirs = factor(of, second);
        if !is_own(of) {
            push(of, Side::Both, mine.saturating_sub(theirs));
        } else if *mine == theirs {
            push(of, Side::Difference, *mine);
        } else {
            push(of, Side::First, *mine);
            push(of, Side::Second, theirs.saturating_neg());
        }
    }
    for (of, theirs) in &second.of {
        if factor(of, first) == 0 {
            let side = if is_own(of) { Side::Second } else { Side::Both };
            push(of, side, theirs.saturating_neg());
        }
    }
    left
}

/// Whether threads of two groups may meet, given what is left of their symbols.
fn may_meet_in(
    first: &Group,
    second: &Group,
    bytes: [i64; 2],
    rest: &Parts,
    relation: &Relation<'_>,
) -> bool {
    let step = rest.iter().fold(0, |step, &(_, factor)| gcd(step, factor.unsigned_abs()));
    if are_apart(first, second, bytes, step) {
        return false;
    }
    let step = i64::try_from(step).unwrap_or(1);
    let possible = Possible {
        bytes,
        step,
        limits: limits(rest, relation.symbols),
        never_zero: (relation.differs)(rest),
    };
    if !possible.in_some(first, second) {
        return false;
    }
    // The second's numbers, by what is left of them when divided by `step`. Plain loops, as above.
    let mut by_rest: Vec<(i64, i64, usize)> = Vec::with_capacity(second.at.len());
    for &(at, b) in &second.at {
        by_rest.push((at.rem_euclid(step), at, b));
    }
    by_rest.sort_unstable();
    let mut left_to_try = MOST_TRIES;
    for &(at, a) in &first.at {
        for [low, high] in windows(at.rem_euclid(step), step, bytes) {
            let mut near = by_rest.partition_point(|&(left, ..)| left < low);
            while near < by_rest.len() && by_rest[near].0 < high {
                let (_, other, b) = by_rest[near];
                left_to_try -= 1;
                relation.work.set(relation.work.get() + 1);
                if left_to_try == 0
                    || possible.at(at - other, at - other) && (relation.accept)(a, b)
                {
                    return true;
                }
                near += 1;
            }
        }
    }
    false
}

/// Whether no numbers of the two groups are near enough, plus or minus any multiple of `step`: for what is left of
/// them when divided by what all their distances are multiples of.
fn are_apart(first: &Group, second: &Group, bytes: [i64; 2], step: u64) -> bool {
    let step = gcd(step, gcd(first.step, second.step));
    let (Ok(step), Some((a, _)), Some((b, _))) =
        (i64::try_from(step), first.at.first(), second.at.first())
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

/// Which remainders of the second's numbers are near enough to `left`: half-open ranges, of which one may be empty.
const fn windows(left: i64, step: i64, bytes: [i64; 2]) -> [[i64; 2]; 2] {
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

/// What is left of the symbols of two offsets may be: any multiple of `step` within `limits`.
struct Possible {
    /// What the two access.
    bytes: [i64; 2],
    step: i64,
    limits: [i128; 2],
    /// Whether it is not 0.
    never_zero: bool,
}

impl Possible {
    /// Whether the sum of it and a difference of numbers, from `least` to `most`, can be so small that the bytes
    /// overlap. For a single difference this is exact.
    fn at(&self, least: i64, most: i64) -> bool {
        let step = i128::from(self.step);
        let low = self.limits[0].max(1 - i128::from(self.bytes[0]) - i128::from(most));
        let high = self.limits[1].min(i128::from(self.bytes[1]) - 1 - i128::from(least));
        let first = low.div_euclid(step) * step + if low.rem_euclid(step) == 0 { 0 } else { step };
        let after_zero = if first == 0 && self.never_zero { step } else { first };
        after_zero <= high
    }

    /// The same for all numbers of two groups.
    fn in_some(&self, first: &Group, second: &Group) -> bool {
        let ends = |group: &Group| Some((group.at.first()?.0, group.at.last()?.0));
        let Some((a, b)) = ends(first).zip(ends(second)) else { return false };
        self.at(a.0.saturating_sub(b.1), a.1.saturating_sub(b.0))
    }
}

/// Between which numbers the sum of `rest` lies.
fn limits(rest: &Parts, symbols: &Table<SymbolId, Symbol>) -> [i128; 2] {
    let mut sum = [0_i128; 2];
    for (Rest { of, side }, factor) in rest {
        let mut product = [1_i128, 1];
        for &symbol in &of.0 {
            let range = symbols[symbol].range;
            product = corners(product, [range.min, range.max]);
        }
        if *side == Side::Difference {
            let width = product[1].saturating_sub(product[0]);
            product = [width.saturating_neg(), width];
        }
        let [low, high] = corners(product, [i128::from(*factor); 2]);
        sum = [sum[0].saturating_add(low), sum[1].saturating_add(high)];
    }
    sum
}

/// The limits of a product.
fn corners(a: [i128; 2], b: [i128; 2]) -> [i128; 2] {
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

    fn group(of: &[(usize, i64)], at: &[i64]) -> Group {
        let of = of.iter().map(|&(symbol, factor)| {
            let mut of = Monomial::default();
            of.0.push(SymbolId::new(symbol));
            (of, factor)
        });
        let at = at.iter().enumerate().map(|(thread, &number)| (number, thread)).collect();
        Group::new(of.collect(), at)
    }

    fn places(group: Group, bytes: i64) -> Places {
        Places { groups: vec![group], bytes }
    }

    /// Two symbols, each from 0 to a number.
    fn symbols(most: [i128; 2]) -> Table<SymbolId, Symbol> {
        let symbol = |most| Symbol {
            of: InstId::new(0),
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
        let found = meet(&row(0), &row(4), &others, &work).unwrap();
        assert_eq!((found.threads, found.at, found.symbolic), ([1, 0], 4, true));
        assert!(meet(&row(0), &row(0), &others, &work).is_none());
        assert!(meet(&row(0), &places(group(&[(1, 4)], &[0]), 4), &others, &work).is_none());
    }

    /// Every number that the symbols may be is tried: whoever meets then, may meet.
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
            let relation = Relation {
                symbols: &table,
                own: &own,
                differs: &|_| false,
                accept: &|a, b| a != b,
                work: &Cell::new(0),
            };
            let said = may_meet(&first, &second, &relation);
            let really = really_meet(&first, &second, most, own_first);
            assert!(said || !really, "{first:?} {second:?} {most:?} {own_first}");
            apart += u32::from(!said);
            meets += u32::from(really);
        }
        assert!(apart > 1000 && meets > 1000, "{apart} {meets}");
    }

    fn really_meet(first: &Places, second: &Places, most: [i128; 2], own: bool) -> bool {
        let all = |most: i128| 0..=i64::try_from(most).unwrap();
        let sum = |of: &Group, numbers: [i64; 2]| -> i64 {
            of.of.iter().map(|(of, factor)| factor * numbers[of.0[0].index()]).sum()
        };
        let (a, b) = (&first.groups[0], &second.groups[0]);
        all(most[0]).any(|x| {
            all(most[0]).filter(|&other| own || other == x).any(|other| {
                all(most[1]).any(|y| {
                    let distance = sum(a, [x, y]) - sum(b, [other, y]);
                    a.at.iter().any(|&(p, thread)| {
                        b.at.iter().any(|&(q, of)| {
                            let d = distance + p - q;
                            thread != of && -first.bytes < d && d < second.bytes
                        })
                    })
                })
            })
        })
    }
}
