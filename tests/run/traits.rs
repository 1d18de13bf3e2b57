//! Traits of the kernel's author, and std's written by hand: which implementation a call reaches.
#![expect(clippy::op_ref, reason = "operators on references are tested")]
use crate::run::engine::{Check, Engine, cases, launch, same};
use std::{
    iter::{Product, Sum},
    ops::{Add, AddAssign, Mul, Neg, Not, Sub},
};
use warpwise::prelude::*;

cases![
    names_of_std,
    for_types_of_rust,
    generic_traits,
    associated,
    defaults,
    super_traits,
    several_types,
    const_generics,
    operators,
    arguments,
    two_levels,
    default_values,
    comparisons,
    elsewhere,
    of_numbers,
    several_impls_for_one_type,
    parameters_of_the_trait,
    sums,
];

fn numbers() -> Vec<i32> {
    (0..150).map(|i| i * 53 % 97 - 40).collect()
}

/// Launches a kernel of `(x, out)` that has `$per` results for each element.
macro_rules! per_element {
    ($on:ident, $kernel:ident, $per:literal, $want:expr) => {{
        let x = numbers();
        let mut out = vec![0i32; x.len() * $per];
        let config = LaunchConfig::cover(x.len()).block(50);
        launch!($on, $kernel(read x, write out), config)?;
        let want: Vec<i32> = x.iter().flat_map(|&v| $want(v)).collect();
        same(stringify!($kernel), &out, &want)
    }};
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

/// What a type can be made into.
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
    per_element!(on, converts, 1, |v: i32| [4 * v + (v - 1) * (v + 1)])
}

/// A constant, a type, and what they make.
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
    per_element!(on, measures, 2, |v: i32| [99 * v + 20_000, (v + 8) * 7 + 3 + 200])
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
    per_element!(on, raises, 2, |v: i32| [
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
    per_element!(on, ranks, 1, |v: i32| [(100 * v + 33) * 2 + 100 * v + 27 + 27 + 22])
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
    per_element!(on, mixes, 2, |v: i32| [
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
    per_element!(on, rows, 1, |v: i32| [(3 * v + 3) * 10 + 4 + 10 + 2])
}

#[device]
impl Add for Meters {
    type Output = Meters;
    fn add(self, other: Meters) -> Meters {
        Meters(self.0 + other.0)
    }
}

#[device]
impl Add<&Meters> for Meters {
    type Output = Meters;
    fn add(self, other: &Meters) -> Meters {
        Meters(self.0 + other.0 + 1000)
    }
}

#[device]
impl Sub<&Meters> for &Meters {
    type Output = i32;
    fn sub(self, other: &Meters) -> i32 {
        self.0 - 2 * other.0
    }
}

#[device]
impl Mul<i32> for Meters {
    type Output = Span;
    fn mul(self, by: i32) -> Span {
        Span { low: self.0, high: self.0 * by }
    }
}

#[device]
impl Neg for &Meters {
    type Output = Meters;
    fn neg(self) -> Meters {
        Meters(-self.0)
    }
}

#[device]
impl Not for Meters {
    type Output = i32;
    fn not(self) -> i32 {
        self.0 + 7
    }
}

#[device]
impl Not for &Meters {
    type Output = i32;
    fn not(self) -> i32 {
        self.0 - 7
    }
}

#[device]
impl AddAssign<i32> for Meters {
    fn add_assign(&mut self, by: i32) {
        self.0 += by;
    }
}

/// Twice what an operator gives, by the operator's bound.
#[device]
fn doubled<T: Add<Output = T> + Copy>(v: T) -> T {
    v + v
}

#[kernel]
fn operates(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    let (a, b) = (Meters(x[i]), Meters(3));
    let mut c = a + b;
    c += 50;
    let span = a * 4;
    out[4 * i] = c.0 * 10 + (a + &b).0;
    out[4 * i + 1] = (&a - &b) * 100 + !a * 3 + !&a;
    out[4 * i + 2] = (-&a).0 + span.high - span.low;
    out[4 * i + 3] = doubled(a).0 + doubled(x[i]) + doubled(1.5f32) as i32;
}

fn operators(on: &Engine) -> Check {
    per_element!(on, operates, 4, |v: i32| [
        (v + 53) * 10 + v + 1003,
        (v - 6) * 100 + (v + 7) * 3 + v - 7,
        2 * v,
        4 * v + 3,
    ])
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
    per_element!(on, weighs, 1, |v: i32| {
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
    per_element!(on, nested, 1, |v: i32| [45 * 7 * v + 2 + 45 * (v - 1) + 2])
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
    per_element!(on, starts, 1, |v: i32| [80 + 2 * v])
}

/// Equal where the last digits are; ordered by them, and not at all to 9.
#[device]
#[derive(Clone, Copy)]
struct Digit(i32);

#[device]
impl PartialEq for Digit {
    fn eq(&self, other: &Self) -> bool {
        self.0 % 10 == other.0 % 10
    }
}

#[device]
impl PartialOrd for Digit {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        let (a, b) = (self.0 % 10, other.0 % 10);
        if a == 9 || b == 9 { None } else { a.partial_cmp(&b) }
    }
}

#[device]
fn compared<T: PartialOrd + Copy>(a: T, b: T) -> i32 {
    i32::from(a < b) + 10 * i32::from(a >= b) + 100 * i32::from(a == b) + 1000 * i32::from(a != b)
}

#[kernel]
fn compares(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    let v = x[i];
    out[2 * i] = compared(Digit(v), Digit(14));
    out[2 * i + 1] = compared(v, 14) + compared(v as f32, f32::NAN);
}

fn comparisons(on: &Engine) -> Check {
    let flags = |less: bool, more: bool, equal: bool| {
        i32::from(less) + 10 * i32::from(more) + 100 * i32::from(equal) + 1000 * i32::from(!equal)
    };
    per_element!(on, compares, 2, |v: i32| {
        let digit = v % 10;
        [
            flags(digit < 4, digit >= 4 && digit != 9, digit == 4),
            flags(v < 14, v >= 14, v == 14) + 1000,
        ]
    })
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
    per_element!(on, grows, 1, |v: i32| [v + 4 + v + 8 + 27 * v + 3])
}

/// For numbers: methods by a bound, on top of `Num`.
#[device]
trait Step: Num {
    const STEP: Self;
    fn stepped(self) -> Self {
        self + Self::STEP
    }
}

#[device]
impl Step for i32 {
    const STEP: Self = 2;
}

#[device]
impl Step for f64 {
    const STEP: Self = 0.5;
    fn stepped(self) -> Self {
        self * 2.0 + Self::STEP
    }
}

#[device]
fn twice_stepped<T: Step>(v: T) -> T {
    v.stepped().stepped() * T::STEP + T::ONE
}

#[kernel]
fn steps(x: &[i32], y: &mut [f64], out: &mut [i32]) {
    let i = global_idx_x();
    out[i] = twice_stepped(x[i]);
    y[i] = twice_stepped(y[i]);
}

fn of_numbers(on: &Engine) -> Check {
    let x = numbers();
    let start: Vec<f64> = x.iter().map(|v| f64::from(*v) / 4.0).collect();
    let (mut y, mut out) = (start.clone(), vec![0i32; 150]);
    launch!(on, steps(read x, write y, write out), LaunchConfig::cover(150).block(50))?;
    same("i32", &out, &x.iter().map(|v| (v + 4) * 2 + 1).collect::<Vec<_>>())?;
    let twice = |v: &f64| ((v * 2.0 + 0.5) * 2.0 + 0.5) * 0.5 + 1.0;
    same("f64", &y, &start.iter().map(twice).collect::<Vec<_>>())
}

#[device]
#[derive(Clone, Copy, Debug)]
struct Length(f32);

#[device]
impl From<f32> for Length {
    fn from(meters: f32) -> Length {
        Length(meters)
    }
}

#[device]
impl From<(i32, f32)> for Length {
    fn from((kilometers, meters): (i32, f32)) -> Length {
        Length(kilometers as f32 * 1000.0 + meters)
    }
}

#[device]
impl PartialEq<f32> for Length {
    fn eq(&self, other: &f32) -> bool {
        self.0 == *other
    }
}

#[device]
impl PartialEq<Length> for Length {
    fn eq(&self, other: &Length) -> bool {
        (self.0 - other.0).abs() < 0.5
    }
}

#[device]
trait Stretch<By> {
    fn stretch(self, by: By) -> Self;
}

#[device]
impl Stretch<f32> for Length {
    fn stretch(self, by: f32) -> Length {
        Length(self.0 * by)
    }
}

#[device]
impl Stretch<u32> for Length {
    fn stretch(self, by: u32) -> Length {
        Length(self.0 + by as f32)
    }
}

#[kernel]
fn lengths(x: &[f32], bits: &mut [u32], y: &mut [f32]) {
    let i = global_idx_x();
    let (plain, pair) = (Length::from(x[i]), Length::from((1, x[i])));
    let same: Length = (0, x[i]).into();
    let mut found = 0;
    for (bit, holds) in [
        plain == x[i],
        plain != x[i] + 0.25,
        plain == Length(x[i] + 0.25),
        plain != Length(x[i] + 0.75),
        same == plain,
    ]
    .into_iter()
    .enumerate()
    {
        found |= (holds as u32) << bit;
    }
    bits[i] = found;
    y[i] = pair.stretch(2.0).stretch(3u32).0 + Stretch::stretch(plain, 4u32).0;
}

fn several_impls_for_one_type(on: &Engine) -> Check {
    let x = vec![0.0f32, 1.5, -2.25, 1000.0];
    let (mut bits, mut y) = (vec![0u32; 4], vec![0.0f32; 4]);
    launch!(on, lengths(read x, write bits, write y), LaunchConfig::grid(1).block(4))?;
    same("bits", &bits, &[31; 4])?;
    let want = x.iter().map(|x| (1000.0 + x) * 2.0 + 3.0 + (x + 4.0));
    same("y", &y, &want.collect::<Vec<_>>())
}

#[device]
#[derive(Clone, Copy)]
struct Matrix<T, const R: usize, const C: usize>([[T; C]; R]);

/// `C` is a parameter of the trait alone.
#[device]
impl<T, const R: usize, const K: usize, const C: usize> Mul<Matrix<T, K, C>> for Matrix<T, R, K>
where
    T: Num,
{
    type Output = Matrix<T, R, C>;
    fn mul(self, other: Matrix<T, K, C>) -> Matrix<T, R, C> {
        let mut out = [[T::ZERO; C]; R];
        for (row, out) in self.0.iter().zip(&mut out) {
            for (c, out) in out.iter_mut().enumerate() {
                for (a, b) in row.iter().zip(&other.0) {
                    *out = *out + *a * b[c];
                }
            }
        }
        Matrix(out)
    }
}

#[device]
impl<T: Num, const R: usize, const C: usize> Matrix<T, R, C> {
    fn transposed(&self) -> Matrix<T, C, R> {
        Matrix(std::array::from_fn(|c| std::array::from_fn(|r| self.0[r][c])))
    }
}

#[kernel]
fn squared(a: &[Matrix<f32, 2, 3>], out: &mut [Matrix<f32, 2, 2>]) {
    let i = global_idx_x();
    if let (Some(a), Some(out)) = (a.get(i), out.get_mut(i)) {
        *out = *a * a.transposed();
    }
}

fn parameters_of_the_trait(on: &Engine) -> Check {
    let a = vec![Matrix([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]])];
    let mut out = vec![Matrix([[0.0; 2]; 2])];
    launch!(on, squared(read a, write out), LaunchConfig::cover(1))?;
    same("out", &out[0].0.concat(), &[14.0, 32.0, 32.0, 77.0])
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Gauss {
    re: i32,
    im: i32,
}

#[device]
impl Sum for Gauss {
    fn sum<I: Iterator<Item = Self>>(values: I) -> Self {
        values.fold(Self { re: 0, im: 0 }, |a, b| Self { re: a.re + b.re, im: a.im + b.im })
    }
}

#[device]
impl Product for Gauss {
    fn product<I: Iterator<Item = Self>>(values: I) -> Self {
        let one = Self { re: 1, im: 0 };
        values
            .fold(one, |a, b| Self { re: a.re * b.re - a.im * b.im, im: a.re * b.im + a.im * b.re })
    }
}

#[kernel]
fn summed(x: &[Gauss], out: &mut [Gauss]) {
    if global_idx_x() == 0 {
        let all: Gauss = x.iter().copied().sum();
        out[0] = all;
        out[1] = x.iter().filter(|x| x.im > 0).map(|x| *x).sum::<Gauss>();
        out[2] = x.iter().copied().product();
    }
}

fn sums(on: &Engine) -> Check {
    let x: Vec<Gauss> = (1..5).map(|i| Gauss { re: i, im: 2 - i }).collect();
    let mut out = vec![Gauss { re: 0, im: 0 }; 3];
    launch!(on, summed(read x, write out), LaunchConfig::grid(1).block(1))?;
    // (1 + i) 2 (3 - i) (4 - 2i)
    let want = [(10, -2), (1, 1), (40, 0)].map(|(re, im)| Gauss { re, im });
    if out == want { Ok(()) } else { Err(format!("{out:?}, expected {want:?}").into()) }
}

#[device]
trait Brightness {
    fn brightness(&self) -> u32;
    fn is_dark(&self) -> bool {
        self.brightness() < 10
    }
}

#[device]
impl Brightness for u32 {
    fn brightness(&self) -> u32 {
        *self & 15
    }
}

#[device]
impl Brightness for [u32; 3] {
    fn brightness(&self) -> u32 {
        self.iter().sum()
    }
}

#[device]
impl Brightness for [u32] {
    fn brightness(&self) -> u32 {
        self[0].brightness() + self.len() as u32
    }
}

mod blended {
    use warpwise::prelude::*;

    #[device]
    pub(super) trait Blend {
        fn blend(self, other: Self) -> Self;
    }

    #[device]
    impl Blend for u32 {
        fn blend(self, other: u32) -> u32 {
            self.midpoint(other)
        }
    }
}
use blended::Blend;

/// Nothing but its methods leads to a trait here.
#[kernel]
fn methods_of_rust(x: &[u32], out: &mut [u32]) {
    let i = global_idx_x();
    if i < x.len() {
        let pixel = [x[i], 1, 2];
        let dark = pixel.is_dark() as u32 + 2 * x[i].is_dark() as u32;
        let both = x[i].brightness().blend(x[i..].brightness());
        out[i] = both + 1000 * pixel.brightness() + 100_000 * dark;
    }
}

fn for_types_of_rust(on: &Engine) -> Check {
    let x: Vec<u32> = (0..16).map(|i| i * 7).collect();
    let mut out = vec![0; 16];
    launch!(on, methods_of_rust(read x, write out), LaunchConfig::grid(1).block(16))?;
    let want = x.iter().enumerate().map(|(i, &v)| {
        let (own, rest, pixel) = (v % 16, v % 16 + 16 - i as u32, v + 3);
        let dark = (pixel < 10) as u32 + 2 * (own < 10) as u32;
        (own + rest) / 2 + 1000 * pixel + 100_000 * dark
    });
    same("out", &out, &want.collect::<Vec<_>>())
}

#[device]
trait Sized32 {
    const BITS: u32;
    const MAX: u32;
    fn is_whole(self) -> bool;
}

#[device]
impl Sized32 for u64 {
    const BITS: u32 = u64::BITS / 2;
    const MAX: u32 = u32::MAX;
    fn is_whole(self) -> bool {
        self <= u64::from(<u64 as Sized32>::MAX)
    }
}

#[device]
fn bits_of<T: Sized32>(_: T) -> u32 {
    T::BITS
}

/// Constants of a number go before those of the same names that a trait has for it.
#[kernel]
fn both(x: &[u64], out: &mut [u32]) {
    let i = global_idx_x();
    out[i] = u64::BITS
        + 100 * bits_of(x[i])
        + 10_000 * (x[i] == u64::MAX) as u32
        + x[i].is_whole() as u32;
}

fn names_of_std(on: &Engine) -> Check {
    let x = vec![3, u64::MAX, 1 << 40];
    let mut out = vec![0; 3];
    launch!(on, both(read x, write out), LaunchConfig::grid(1).block(3))?;
    same("out", &out, &[3265, 13264, 3264])
}
