//! Tests of linear values against each round by itself.
use super::*;
use crate::vector::{
    lanes::{self, Isa},
    registers::Reg,
};
use warpwise_compiler::ir::Scalar;

/// The most rounds.
const MOST: u64 = 400;

struct Random(u64);

impl Random {
    fn one<T: Copy>(&mut self, items: &[T]) -> T {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        items[(self.0 >> 33) as usize % items.len()]
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 20) % limit
    }

    fn value(&mut self) -> Value {
        let size = self.one(&[1, 1, 2, 4, 8]);
        let limit = u64::MAX >> (64 - 8 * size);
        let near = self.below(300);
        let at = self.one(&[near, near, limit - near.min(limit), limit / 2 + near]) & limit;
        let step = self.one(&[0, 0, 1, 1, 2, 3, 7, 100, -1, -2, -5]);
        Value { size, at, step }
    }

    fn reach(&mut self) -> OffsetBounds {
        let min = self.one(&[0, 0, 0, 1, 5, -3]);
        OffsetBounds { min, max: min + self.one(&[0, 1, 31, 31, 90]) }
    }
}

/// A value of `size` bytes with its increment per round.
#[derive(Clone, Copy, Debug)]
struct Value {
    size: usize,
    at: u64,
    step: i64,
}

impl Value {
    fn limit(self) -> i128 {
        (u64::MAX >> (64 - 8 * self.size)).into()
    }

    /// Returns the value in a round, unless it has wrapped before.
    fn exact(self, round: u64) -> Option<i128> {
        let exact = i128::from(self.at) + i128::from(self.step) * i128::from(round);
        (0..=self.limit()).contains(&exact).then_some(exact)
    }

    /// Returns the same for a signed value.
    fn signed(self, round: u64) -> Option<i128> {
        let half = (self.limit() + 1) / 2;
        let first = if i128::from(self.at) < half { 0 } else { self.limit() + 1 };
        let exact = self.exact(round)?;
        let is_there = (exact < half) == (i128::from(self.at) < half);
        is_there.then_some(exact - first)
    }

    /// Returns its bits, wrapped or not.
    fn bits(self, round: u64) -> u64 {
        let bits = self.at.wrapping_add(self.step.cast_unsigned().wrapping_mul(round));
        bits & (u64::MAX >> (64 - 8 * self.size))
    }
}

/// Makes linear values, and a last one of this size.
fn linear_values(values: &[Value], size: usize) -> (LinearValues, Vec<Uniform>) {
    let mut linear = LinearValues::new(&vec![0; values.len() + 1], MOST);
    let sizes = values.iter().map(|value| value.size).chain([size]);
    let slots: Vec<_> = (0..).zip(sizes).map(|(slot, size)| Uniform::new(slot, size)).collect();
    for (value, slot) in values.iter().zip(&slots) {
        linear.advance(*slot, value.at, value.step.cast_unsigned());
    }
    (linear, slots)
}

fn affine(base: Uniform) -> Affine {
    Affine { base, slope: 0, lanes: Reg::new(0, base.size()) }
}

/// Returns the first round in which a condition fails.
fn until(is_so: impl Fn(u64) -> bool) -> u64 {
    (0..MOST).find(|round| !is_so(*round)).unwrap_or(MOST)
}

#[test]
fn integers_are_what_each_round_computes() {
    use IntegerOp::{Add, Common, Mul, Offset, Sub};
    let (mut random, mut known) = (Random(1), 0);
    for _ in 0..4000 {
        let values: [Value; 3] = std::array::from_fn(|_| random.value());
        let (op, size) = (random.one(&[Add, Sub, Mul, Common, Offset]), random.one(&[1, 2, 4, 8]));
        let (mut linear, slots) = linear_values(&values, size);
        let [a, b, c] = values;
        let (used, changes): (&[Value], bool) = match op {
            Add | Sub => (&[a, b], false),
            Mul => (&[a, b], a.step != 0 && b.step != 0),
            Common => (&[a, b, c], b.step != 0 && c.step != 0),
            Offset => (&[], true),
        };
        let done = linear.compute_integer(op, [slots[3], slots[0], slots[1], slots[2]]);
        assert_eq!(done.is_none(), changes, "{op:?} of {values:?}");
        if changes {
            continue;
        }
        let rounds = linear.rounds();
        assert_eq!(rounds, until(|round| used.iter().all(|of| of.exact(round).is_some())));
        known += 1;
        for round in 0..rounds {
            let [a, b, c] = values.map(|value| value.bits(round));
            let want = op.apply(a, b, c) & (u64::MAX >> (64 - 8 * size));
            let bits: Vec<u64> = linear.bits_in_round(round).collect();
            assert_eq!(slots[3].get(&bits), want, "{op:?} of {values:?} in round {round}");
        }
    }
    assert!(known > 2000, "{known}");
}

#[test]
fn indices_are_below_as_long_as_each_lane_is() {
    let (mut random, mut ends) = (Random(2), 0);
    for _ in 0..4000 {
        let (index, len, reach) = (random.value(), random.value(), random.reach());
        let (mut linear, slots) = linear_values(&[index, len], 8);
        let is_below = linear
            .lane_range(affine(slots[0]), reach)
            .and_then(|(_, greatest)| linear.is_below(greatest, slots[1]));
        let want = until(|round| {
            let (Some(base), Some(len)) = (index.exact(round), len.exact(round)) else {
                return false;
            };
            let [least, greatest] = [reach.min, reach.max].map(|own| base + i128::from(own));
            least >= 0 && greatest <= index.limit() && greatest < len
        });
        assert_eq!(is_below.is_none(), want == 0, "{index:?} {reach:?} {len:?}");
        if want > 0 {
            assert_eq!(linear.rounds(), want, "{index:?} {reach:?} {len:?}");
        }
        ends += usize::from(want > 0 && want < MOST);
    }
    assert!(ends > 300, "{ends}");
}

#[test]
fn accesses_are_inside_as_long_as_each_word_is() {
    let mut random = Random(3);
    for _ in 0..4000 {
        let word = random.one(&[1, 2, 4, 8]);
        let [at, step] = [(); 2].map(|()| i128::from(random.below(600)) - 100);
        let (len, reach) = (random.below(20_000), random.reach());
        let mut linear = LinearValues::new(&[], MOST);
        let is_inside = linear.is_inside(Linear { at, step }, reach, word, len);
        let want = until(|round| {
            let at = at + step * i128::from(round);
            let [first, last] = [reach.min, reach.max].map(|far| at + i128::from(far));
            at % word as i128 == 0 && first >= 0 && last + word as i128 <= len.into()
        });
        let aligned = step % word as i128 == 0;
        assert_eq!(is_inside.is_none(), want == 0 || !aligned, "{at} {step} {word} {len}");
        if is_inside.is_some() {
            assert_eq!(linear.rounds(), want, "{at} {step} {word} {len}");
        }
    }
}

/// Returns the result of a comparison in a round, if it is the same in each lane and nothing wraps.
fn compared(
    op: CompareOp,
    signed: bool,
    [value, with]: [Value; 2],
    reach: OffsetBounds,
    round: u64,
) -> Option<bool> {
    let of = |value: Value| if signed { value.signed(round) } else { value.exact(round) };
    let (base, with, size) = (of(value)?, of(with)?, value.limit() + 1);
    let (low, high) = if signed { (-size / 2, size / 2) } else { (0, size) };
    let mut lanes = (reach.min..=reach.max).map(|own| base + i128::from(own));
    let all = lanes.clone().all(|lane| (low..high).contains(&lane));
    let is_so = |lane: i128| match op {
        CompareOp::Lt => lane < with,
        CompareOp::Le => lane <= with,
        CompareOp::Gt => lane > with,
        CompareOp::Ge => lane >= with,
        CompareOp::Eq => lane == with,
        CompareOp::Ne => lane != with,
    };
    let first = is_so(lanes.next()?);
    (all && lanes.all(|lane| is_so(lane) == first)).then_some(first)
}

#[test]
fn comparisons_of_ranges_equal_those_of_lanes() {
    use CompareOp::{Eq, Ge, Gt, Le, Lt, Ne};
    let (mut random, mut ends) = (Random(4), 0);
    for _ in 0..6000 {
        let (value, reach, signed) = (random.value(), random.reach(), random.one(&[true, false]));
        let with = Value { size: value.size, ..random.value() };
        let with = Value { at: with.bits(0), ..with };
        let op = random.one(&[Lt, Le, Gt, Ge, Eq, Ne]);
        let (mut linear, slots) = linear_values(&[value, with], 1);
        let f = lanes::compare(Lt, Scalar::U8, Isa::Baseline).unwrap();
        let (to, both) = (Reg::new(0, 1), [Reg::new(8, value.size); 2]);
        let of = affine(slots[0]);
        let compare = Compare { op, signed, to, value: of, with: slots[1], f, lanes: both };
        let verdict = linear.decide_compare(&compare, reach);
        let want = |round| compared(op, signed, [value, with], reach, round);
        // That all lanes are equal to something is left to lanes.
        let open = matches!((op, want(0)), (Eq, Some(true)) | (Ne, Some(false)));
        let told = format!("{value:?} + {reach:?} {op:?} {with:?}, signed {signed}");
        assert_eq!(verdict, want(0).filter(|_| !open), "{told}");
        if verdict.is_some() {
            let rounds = linear.rounds();
            let same = until(|round| want(round) == verdict);
            // What leaps over a number without being equal to it is taken for what comes to it.
            let leaps = matches!(op, Eq | Ne);
            assert!(rounds == same || leaps && 0 < rounds && rounds < same, "{told}: {rounds}");
            ends += usize::from(rounds < MOST);
        }
    }
    assert!(ends > 500, "{ends}");
}

#[test]
fn ranges_end_with_their_last_round() {
    let (mut random, mut ends) = (Random(5), 0);
    for _ in 0..4000 {
        let (counter, inclusive) = (random.value(), random.one(&[true, false]));
        let counter = Value { step: counter.step.abs().min(100), ..counter };
        let [end, step] = [random.below(3000), counter.step.cast_unsigned()]
            .map(|at| Value { size: counter.size, at, step: 0 })
            .map(|value| Value { at: value.bits(0), ..value });
        let (mut linear, slots) = linear_values(&[counter, end, step], 8);
        let range = Counter { counter: slots[0], end: slots[1], step: slots[2], inclusive };
        let goes_on = linear.next_iteration(range);
        let want = until(|round| {
            let Some(at) = counter.exact(round) else { return false };
            let distance = i128::from(end.at) - at;
            let step = i128::from(step.at);
            step < distance || inclusive && step == distance
        });
        assert_eq!(goes_on.is_none(), want == 0, "{counter:?} {end:?} {inclusive}");
        if want > 0 {
            assert_eq!(linear.rounds(), want, "{counter:?} {end:?} {inclusive}");
            let bits: Vec<u64> = linear.bits_in_round(0).collect();
            assert_eq!(slots[0].get(&bits), counter.bits(1), "{counter:?}");
        }
        ends += usize::from(want > 0 && want < MOST);
    }
    assert!(ends > 300, "{ends}");
}
