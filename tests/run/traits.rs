//! User traits: the implementation that a call reaches.
use crate::run::engine::{Check, Engine, cases, launch, per_element, same};
use warpwise::prelude::*;

cases![
    generic_traits,
    associated,
    defaults,
    super_traits,
    several_types,
    const_generics,
    arguments,
    two_levels,
    default_values,
    elsewhere,
];

pub(super) fn numbers() -> Vec<i32> {
    (0..150).map(|i| i * 53 % 97 - 40).collect()
}

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Meters(i32);

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Span {
    low: i32,
    high: i32,
}

/// A conversion of a type to `T`.
#[device]
trait Convert<T> {
    fn convert(&self) -> T;
}

#[device]
impl Convert<i32> for Meters {
    fn convert(&self) -> i32 {
        self.0
    }
}

#[device]
impl Convert<Meters> for Span {
    fn convert(&self) -> Meters {
        Meters(self.low * self.high)
    }
}

#[device]
fn converted<T, C: Convert<T>>(of: C) -> T {
    of.convert()
}

#[kernel]
fn converts(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    let meters = Meters(x[i]);
    let plain: i32 = meters.convert();
    let area: Meters = converted(Span { low: x[i] - 1, high: x[i] + 1 });
    let again = converted::<i32, Meters>(meters);
    out[i] = plain + again * 3 + area.0;
}

fn generic_traits(on: &Engine) -> Check {
    per_element!(on, converts, numbers(), 1, |v: i32| [4 * v + (v - 1) * (v + 1)])
}

/// A trait with a constant, a type, and a method that yields the type.
#[device]
trait Measure {
    const SCALE: i32;
    const TWICE: i32 = 2 * Self::SCALE;
    type Out: Weight;
    fn measure(self) -> Self::Out;
}

#[device]
trait Weight {
    fn weight(&self) -> i32;
}

#[device]
impl Weight for Meters {
    fn weight(&self) -> i32 {
        self.0 * 7
    }
}

#[device]
impl Weight for Span {
    fn weight(&self) -> i32 {
        self.high - self.low
    }
}

#[device]
impl Measure for Meters {
    const SCALE: i32 = 100;
    type Out = Span;
    fn measure(self) -> Self::Out {
        Span { low: self.0, high: self.0 * Self::SCALE }
    }
}

#[device]
impl Measure for Span {
    const SCALE: i32 = 3;
    const TWICE: i32 = 1;
    type Out = Meters;
    fn measure(self) -> Meters {
        Meters(self.high + self.low + Self::SCALE)
    }
}

#[device]
fn measured<M>(m: M) -> i32
where
    M: Measure,
{
    let out: M::Out = m.measure();
    out.weight() + M::SCALE * M::TWICE
}

#[kernel]
fn measures(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    out[2 * i] = measured(Meters(x[i]));
    out[2 * i + 1] = measured(Span { low: x[i], high: 5 }) + <Meters as Measure>::TWICE;
}

fn associated(on: &Engine) -> Check {
    per_element!(on, measures, numbers(), 2, |v: i32| [99 * v + 20_000, (v + 8) * 7 + 3 + 200])
}

#[device]
trait Animal {
    fn legs(&self) -> i32 {
        4
    }
    fn name(&self) -> i32;
    fn describe(&self) -> i32 {
        self.name() * 10 + self.legs()
    }
    fn grow(&mut self, by: i32);
    fn grow_twice(&mut self, by: i32) {
        self.grow(by);
        self.grow(by * 2);
    }
    fn number_of_eyes() -> i32 {
        2
    }
}

#[device]
#[derive(Clone, Copy)]
struct Dog {
    size: i32,
}

#[device]
#[derive(Clone, Copy)]
struct Spider {
    size: i32,
}

#[device]
impl Animal for Dog {
    fn name(&self) -> i32 {
        self.size
    }
    fn grow(&mut self, by: i32) {
        self.size += by;
    }
}

#[device]
impl Animal for Spider {
    fn legs(&self) -> i32 {
        8
    }
    fn name(&self) -> i32 {
        -self.size
    }
    fn grow(&mut self, by: i32) {
        self.size *= by;
    }
    fn number_of_eyes() -> i32 {
        8
    }
}

#[device]
fn raised<A: Animal>(mut animal: A) -> i32 {
    animal.grow_twice(3);
    animal.describe() * 10 + A::number_of_eyes()
}

#[kernel]
fn raises(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    out[2 * i] = raised(Dog { size: x[i] });
    out[2 * i + 1] = raised(Spider { size: x[i] }) + Spider { size: 1 }.describe();
}

fn defaults(on: &Engine) -> Check {
    per_element!(on, raises, numbers(), 2, |v: i32| [
        ((v + 9) * 10 + 4) * 10 + 2,
        (-(v * 18) * 10 + 8) * 10 + 8 - 2,
    ])
}

#[device]
trait Named {
    const ID: i32;
    fn id(&self) -> i32 {
        Self::ID
    }
}

#[device]
trait Ranked: Named + Copy {
    fn rank(self) -> i32;
    fn full(self) -> i32 {
        self.rank() * 100 + self.id()
    }
}

#[device]
impl Named for Meters {
    const ID: i32 = 11;
}

#[device]
impl Named for Span {
    const ID: i32 = 22;
    fn id(&self) -> i32 {
        Self::ID + self.low
    }
}

#[device]
impl Ranked for Meters {
    fn rank(self) -> i32 {
        self.0
    }
}

#[device]
impl Ranked for Span {
    fn rank(self) -> i32 {
        self.high
    }
}

#[device]
fn ranked<R: Ranked>(r: R) -> i32 {
    r.full() + r.id() + R::ID
}

#[kernel]
fn ranks(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    out[i] = ranked(Meters(x[i])) * 2 + ranked(Span { low: 5, high: x[i] });
}

fn super_traits(on: &Engine) -> Check {
    per_element!(on, ranks, numbers(), 1, |v: i32| [(100 * v + 33) * 2 + 100 * v + 27 + 27 + 22])
}

#[device]
trait Bits32 {
    fn bits32(self) -> u32;
}

#[device]
impl Bits32 for f32 {
    fn bits32(self) -> u32 {
        self.to_bits()
    }
}

#[device]
impl Bits32 for i32 {
    fn bits32(self) -> u32 {
        self as u32
    }
}

#[device]
impl Bits32 for bool {
    fn bits32(self) -> u32 {
        if self { u32::MAX } else { 0 }
    }
}

#[device]
impl Bits32 for Meters {
    fn bits32(self) -> u32 {
        Bits32::bits32(self.0)
    }
}

#[device]
fn mixed<A: Bits32, B: Bits32>(a: A, b: B) -> i32 {
    (a.bits32() ^ b.bits32().rotate_left(8)) as i32
}

#[kernel]
fn mixes(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    let v = x[i];
    out[2 * i] = mixed(v, v as f32);
    out[2 * i + 1] = mixed(v > 0, Meters(v));
}

fn several_types(on: &Engine) -> Check {
    per_element!(on, mixes, numbers(), 2, |v: i32| [
        v ^ (v as f32).to_bits().rotate_left(8) as i32,
        -i32::from(v > 0) ^ v.rotate_left(8),
    ])
}

#[device]
#[derive(Clone, Copy)]
struct Row<const N: usize> {
    of: [i32; N],
}

#[device]
trait Total {
    const LEN: usize;
    fn total(&self) -> i32;
}

#[device]
impl<const N: usize> Total for Row<N> {
    const LEN: usize = N;
    fn total(&self) -> i32 {
        let mut sum = 0;
        for k in 0..N {
            sum += self.of[k] * k as i32;
        }
        sum
    }
}

#[device]
fn filled<const N: usize>(start: i32) -> Row<N> {
    let mut row = Row { of: [start; N] };
    row.of[N - 1] = 1;
    row
}

#[device]
fn length_of<T: Total>(of: &T) -> i32 {
    of.total() * 10 + T::LEN as i32
}

#[kernel]
fn rows(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    let four: Row<4> = filled(x[i]);
    out[i] = length_of(&four) + length_of(&filled::<2>(x[i]));
}

fn const_generics(on: &Engine) -> Check {
    per_element!(on, rows, numbers(), 1, |v: i32| [(3 * v + 3) * 10 + 4 + 10 + 2])
}

#[device]
fn heavier(a: &impl Weight, b: impl Weight) -> i32 {
    if a.weight() > b.weight() { 1 } else { 2 }
}

#[device]
fn heavy<A, B>(a: A, b: &B) -> i32
where
    A: Weight + Copy,
    B: Ranked + Weight,
{
    heavier(&a, a) * 10 + heavier(b, a) + b.full()
}

#[kernel]
fn weighs(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    let (meters, span) = (Meters(x[i]), Span { low: -1, high: x[i] * 2 });
    out[i] = heavy(meters, &span) * 3 + heavier(&span, meters);
}

fn arguments(on: &Engine) -> Check {
    per_element!(on, weighs, numbers(), 1, |v: i32| {
        let more = if 2 * v + 1 > 7 * v { 1 } else { 2 };
        [(20 + more + 200 * v + 21) * 3 + more]
    })
}

#[device]
#[derive(Clone, Copy)]
struct Scaled<M> {
    inner: M,
    by: i32,
}

#[device]
impl<M: Weight> Weight for Scaled<M> {
    fn weight(&self) -> i32 {
        self.inner.weight() * self.by
    }
}

#[device]
fn outer<M: Weight + Copy>(m: M) -> i32 {
    inner(Scaled { inner: m, by: 2 }) + inner(m)
}

#[device]
fn inner<M: Weight + Copy>(m: M) -> i32 {
    innermost(&Scaled { inner: Scaled { inner: m, by: 3 }, by: 5 })
}

#[device]
fn innermost(of: &impl Weight) -> i32 {
    of.weight() + 1
}

#[kernel]
fn nested(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    out[i] = outer(Meters(x[i])) + outer(Span { low: 1, high: x[i] });
}

fn two_levels(on: &Engine) -> Check {
    per_element!(on, nested, numbers(), 1, |v: i32| [45 * 7 * v + 2 + 45 * (v - 1) + 2])
}

#[device]
#[derive(Clone, Copy)]
struct Counter {
    from: i32,
    seen: i32,
}

#[device]
impl Default for Counter {
    fn default() -> Self {
        Self { from: 40, seen: i32::default() }
    }
}

#[device]
impl Weight for Counter {
    fn weight(&self) -> i32 {
        self.from + self.seen
    }
}

#[device]
fn fresh<T: Default + Weight>() -> i32 {
    T::default().weight()
}

#[kernel]
fn starts(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    let counter = Counter { seen: x[i], ..Default::default() };
    let span = Span { high: x[i], ..Span::default() };
    out[i] = fresh::<Counter>() + fresh::<Meters>() + counter.weight() + span.weight();
}

fn default_values(on: &Engine) -> Check {
    per_element!(on, starts, numbers(), 1, |v: i32| [80 + 2 * v])
}

mod shapes {
    use warpwise::prelude::*;

    #[device]
    pub(super) trait Grow {
        const BY: i32;
        fn grow(self) -> Self;
    }

    #[device]
    impl Grow for i32 {
        const BY: i32 = 4;
        fn grow(self) -> Self {
            self + Self::BY
        }
    }

    #[device]
    #[derive(Clone, Copy)]
    pub(super) struct Seed(pub(super) i32);

    #[device]
    impl Grow for Seed {
        const BY: i32 = 3;
        fn grow(self) -> Self {
            Seed(self.0 * Self::BY)
        }
    }

    pub(super) mod deep {
        #[warpwise::device]
        pub(in super::super) fn grown<T: super::Grow>(v: T) -> T {
            v.grow().grow()
        }
    }
}

use shapes::{Grow as Growing, Seed, deep::grown as grown_twice};

#[kernel]
fn grows(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    let once = Growing::grow(x[i]);
    let seed = grown_twice(Seed(x[i])).grow();
    out[i] = once + shapes::deep::grown(x[i]) + seed.0 + <Seed as Growing>::BY;
}

fn elsewhere(on: &Engine) -> Check {
    per_element!(on, grows, numbers(), 1, |v: i32| [v + 4 + v + 8 + 27 * v + 3])
}
