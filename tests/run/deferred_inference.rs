//! Deferred inference: later uses determine the types of constants, numbers and conversions.
use crate::run::engine::{Check, Engine, cases, launch, same};
use std::{
    num::Wrapping,
    ops::{BitXor, Mul, Range, RangeInclusive},
};
use warpwise::prelude::*;

cases![constants, numbers, folds, converted_arguments, sums_in_patterns, ranges, tuples, arrays_as_slices, wrapping, hashes: THREADS_MEET];

#[device]
trait Monoid: Copy {
    const IDENTITY: Self;
    fn combine(self, other: Self) -> Self;
}
#[device]
#[derive(Clone, Copy)]
struct Most(i32);
#[device]
impl Monoid for Most {
    const IDENTITY: Self = Most(i32::MIN);
    fn combine(self, other: Self) -> Self {
        Most(self.0.max(other.0))
    }
}
#[device]
#[derive(Clone, Copy)]
struct Both<A, B>(A, B);
#[device]
impl<A: Monoid, B: Monoid> Monoid for Both<A, B> {
    const IDENTITY: Self = Both(A::IDENTITY, B::IDENTITY);
    fn combine(self, other: Self) -> Self {
        Both(self.0.combine(other.0), self.1.combine(other.1))
    }
}
#[kernel]
fn extremes(x: &[i32], out: &mut [i32]) {
    let pair = |v: &i32| Both(Most(*v), Most(-v));
    let said: Both<Most, Most> = Both::IDENTITY;
    let folded = x.iter().map(pair).fold(Both::IDENTITY, Both::combine);
    let mut later = Both::IDENTITY;
    for v in x {
        later = pair(v).combine(later);
    }
    let chosen = match x.first() {
        Some(v) => pair(v),
        None => Both::IDENTITY,
    };
    let nested = Both(folded, later).combine(Both::IDENTITY);
    let results = [said, folded, later, chosen, nested.0, nested.1];
    for (to, Both(Most(most), Most(least))) in out.chunks_exact_mut(2).zip(results) {
        to.copy_from_slice(&[most, least]);
    }
}

fn constants(on: &Engine) -> Check {
    let (x, mut out) = (vec![3, -5, 8, 1], vec![0; 12]);
    launch!(on, extremes(read x, write out), LaunchConfig::grid(1).block(1))?;
    let none = [i32::MIN; 2];
    same("out", &out, &[none, [8, 5], [8, 5], [3, -3], [8, 5], [8, 5]].concat())
}

#[device]
#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct Metres(f32);
#[device]
impl From<f32> for Metres {
    fn from(v: f32) -> Self {
        Metres(v)
    }
}
#[device]
#[derive(Clone, Copy, PartialEq)]
struct Stretch {
    from: f32,
    to: f32,
}
#[device]
impl From<Range<f32>> for Stretch {
    fn from(Range { start, end }: Range<f32>) -> Self {
        Stretch { from: start, to: end }
    }
}
#[device]
trait Number: Copy + Mul<Output = Self> + From<f32> {}
#[device]
impl Number for f64 {}
#[device]
impl Number for f32 {}
#[device]
fn scaled<T: Number>(x: T) -> T {
    let tenth: T = 0.1.into();
    x * tenth * T::from(0.1)
}
#[kernel]
fn numbers_of(x: f64, out: &mut [f64]) {
    out[0] = scaled(x);
    out[1] = scaled(x as f32).into();
    let length = Metres(x as f32);
    out[2] = if length > 2.5.into() && length != 4.0.into() { 1.0 } else { 0.0 };
    let stretch: Stretch = (1.0f32..x as f32).into();
    out[3] = f64::from(stretch.to - stretch.from);
    // Methods of `Float` and `Num`, before the type of the number is known.
    let (two, negative) = (2.0, -1.5);
    out[4] = f64::from(x as f32 * two.sqrt());
    out[5] = negative.abs();
}

fn numbers(on: &Engine) -> Check {
    let (x, mut out) = (3.0, vec![0.0; 6]);
    launch!(on, numbers_of(value x, write out), LaunchConfig::grid(1).block(1))?;
    let tenth = f64::from(0.1f32);
    let [scaled, root] = [3.0f32 * 0.1 * 0.1, 3.0f32 * 2.0f32.sqrt()].map(f64::from);
    let want = [3.0 * tenth * tenth, scaled, 1.0, 2.0, root, 1.5];
    same("out", &out, &want)
}

#[device]
fn hash(x: &[u8]) -> u8 {
    x.iter().fold(7, |h, v| h.rotate_left(3).wrapping_mul(31) ^ v)
}
#[device]
fn applied<T: Copy, F: Fn(T) -> T>(first: T, f: F) -> T {
    f(f(first))
}
#[kernel]
fn folded(x: &[u8], out: &mut [u8]) {
    out[0] = hash(x);
    out[1] = applied(200, |v| v.wrapping_add(100));
    let wide: u64 = x.iter().rev().copied().rfold(0, |sum, v| sum.rotate_left(9) + u64::from(v));
    out[2] = (wide >> 20) as u8;
    out[3] = x.iter().fold(0, |sum, v| sum + i32::from(*v)) as u8;
}

fn folds(on: &Engine) -> Check {
    let (x, mut out) = (vec![9, 200, 31, 44], vec![0; 4]);
    launch!(on, folded(read x, write out), LaunchConfig::grid(1).block(1))?;
    let mut hash = 7u8;
    for v in &x {
        hash = hash.rotate_left(3).wrapping_mul(31) ^ v;
    }
    let wide = x.iter().fold(0u64, |sum, v| (sum << 9) + u64::from(*v));
    same("out", &out, &[hash, 144, (wide >> 20) as u8, 28])
}

#[device]
#[derive(Clone, Copy, Default)]
struct Cents(i32);
#[device]
impl From<i32> for Cents {
    fn from(euros: i32) -> Self {
        Cents(100 * euros)
    }
}
#[device]
impl std::iter::Sum<i32> for Cents {
    fn sum<I: Iterator<Item = i32>>(euros: I) -> Self {
        euros.fold(Cents(0), |sum, v| Cents(sum.0 + 100 * v))
    }
}
#[device]
fn total(x: &[i32]) -> Cents {
    x.iter().fold(1.into(), |sum: Cents, v| Cents(sum.0 + v))
}

/// The result of a call determines the type of an argument.
fn converted_arguments(on: &Engine) -> Check {
    crate::run::engine::like_rust!(on, |x, y, out| {
        out[0] = total(x).0;
        let more: Cents = y.iter().fold(Default::default(), |sum: Cents, v| Cents(sum.0 - v));
        out[1] = more.0;
        let applied: Cents = applied((x.len() as i32).into(), |cents| Cents(cents.0 + 1));
        out[2] = applied.0;
    });
    Ok(())
}

/// A pattern determines the type of a sum.
fn sums_in_patterns(on: &Engine) -> Check {
    crate::run::engine::like_rust!(on, |x, y, out| {
        let Cents(sum) = x.iter().copied().sum();
        out[0] = sum;
        if let Cents(sum @ 1..) = y.iter().map(|v| v + 1).sum() {
            out[1] = sum;
        }
    });
    Ok(())
}

#[device]
#[derive(Clone, Copy)]
struct Span {
    from: usize,
    to: usize,
}
#[device]
impl Span {
    fn open(&self) -> Range<usize> {
        self.from..self.to
    }
    fn closed(&self) -> RangeInclusive<usize> {
        self.from..=self.to
    }
}
#[kernel]
fn parts_of(span: Span, x: &[u32], out: &mut [u32]) {
    out[0] = x.get(span.open()).map_or(90, |part| part.len() as u32);
    let closed = span.closed();
    out[1] = x.get(closed.clone()).map_or(91, |part| part.iter().sum());
    let (tail, past) = (span.to.., span.from + 50..);
    out[2] = x.get(tail).map_or(92, |part| part.len() as u32);
    out[3] = x.get(past).map_or(93, |part| part.len() as u32);
    let backwards = span.to..span.from;
    out[4] = x.get(backwards).map_or(94, |part| part.len() as u32);
    if let Some(part) = out.get_mut(span.from + 5..=span.to + 5) {
        part.fill(3);
    }
    out.copy_within(closed, 12);
}

fn ranges(on: &Engine) -> Check {
    let x: Vec<u32> = (0..10).collect();
    let (span, mut out) = (Span { from: 2, to: 5 }, vec![0; 17]);
    launch!(on, parts_of(value span, read x, write out), LaunchConfig::grid(1).block(1))?;
    same("out", &out, &[3, 14, 5, 93, 94, 0, 0, 3, 3, 3, 3, 0, 5, 93, 94, 0, 0])
}

#[kernel]
fn as_tuples(x: &[u32], out: &mut [u32]) {
    let (a, b, c): (u32, u32, u32) = [x[0], x[1], 7].into();
    let pair: (f32, f32) = [0.5, x[2] as f32].into();
    out[0] = 100 * a + 10 * b + c;
    out[1] = (pair.1 - pair.0) as u32;
}

fn tuples(on: &Engine) -> Check {
    let (x, mut out) = (vec![5, 6, 9], vec![0; 2]);
    launch!(on, as_tuples(read x, write out), LaunchConfig::grid(1).block(1))?;
    same("out", &out, &[567, 8])
}

#[device]
#[derive(Clone, Copy)]
struct Block([u8; 4]);
#[device]
impl BitXor<&[u8]> for Block {
    type Output = Self;
    fn bitxor(mut self, key: &[u8]) -> Self {
        for (byte, key) in self.0.iter_mut().zip(key) {
            *byte ^= key;
        }
        self
    }
}
#[kernel]
fn sealed(keys: &[[u8; 4]], out: &mut [u8]) {
    let once = Block([1, 2, 3, 4]) ^ &[7, 7, 7, 7];
    let block = keys.iter().fold(once, |block, key| block ^ key);
    out.copy_from_slice(&block.0);
}

fn arrays_as_slices(on: &Engine) -> Check {
    let (keys, mut out) = (vec![[16, 32, 64, 128], [1, 0, 1, 0]], vec![0; 4]);
    launch!(on, sealed(read keys, write out), LaunchConfig::grid(1).block(1))?;
    same("out", &out, &[1 ^ 7 ^ 16 ^ 1, 2 ^ 7 ^ 32, 3 ^ 7 ^ 64 ^ 1, 4 ^ 7 ^ 128])
}

#[kernel(overflow_checks)]
fn wrapped(x: &[i16], out: &mut [i16]) {
    let [a, b] = [Wrapping(x[0]), Wrapping(x[1])];
    let mut c = a + b * a - -b;
    c += 300;
    c *= Wrapping(7);
    c -= a / Wrapping(3) + b % Wrapping(11);
    c /= 2;
    c %= Wrapping(9999);
    let mut d = !c & a | b ^ c << 3;
    d ^= d >> 17;
    d |= Wrapping(1);
    d &= 0x7fff;
    d <<= 2;
    d >>= 1;
    let most = c.max(d);
    let in_order = c < d && a != b || c == Wrapping::default();
    for (to, Wrapping(v)) in out.iter_mut().zip([c, d, most]) {
        *to = v;
    }
    out[3] = in_order.into();
}

fn wrapping(on: &Engine) -> Check {
    for (a, b) in [(31000i16, 29000i16), (-32768, -1), (5, 0)] {
        let (x, mut out) = (vec![a, b], vec![0; 4]);
        launch!(on, wrapped(read x, write out), LaunchConfig::grid(1).block(1))?;
        let c = a.wrapping_add(b.wrapping_mul(a)).wrapping_sub(b.wrapping_neg());
        let c = c.wrapping_add(300).wrapping_mul(7).wrapping_sub((a / 3).wrapping_add(b % 11));
        let c = c / 2 % 9999;
        let d = !c & a | b ^ c << 3;
        let d = (((d ^ d >> 1) | 1) & 0x7fff) << 2 >> 1;
        let in_order = c < d && a != b || c == 0;
        same("out", &out, &[c, d, c.max(d), in_order.into()])?;
    }
    Ok(())
}

#[device]
#[derive(Clone, Copy)]
struct Random {
    state: Wrapping<u64>,
}
#[device]
impl Random {
    fn next(&mut self) -> u32 {
        self.state = self.state * Wrapping(0x5851_f42d_4c95_7f2d) + Wrapping(0x1405_7b7e_f767_814f);
        (self.state >> 33).0 as u32
    }
}
#[kernel]
fn hashed(x: &[u32], out: &mut [u32]) {
    let shared = shared!([Wrapping<u32>; 2]);
    shared[0] = x.iter().map(|v| Wrapping(*v)).fold(Wrapping(0), |a, b| a * Wrapping(31) + b);
    let mut random = Random { state: Wrapping(shared[0].0.into()) };
    out[0] = random.next() ^ random.next();
    out[1] = shared[0].0;
}

fn hashes(on: &Engine) -> Check {
    let (x, mut out) = (vec![0xdead_beef, 7, 0x8000_0001], vec![0; 2]);
    launch!(on, hashed(read x, write out), LaunchConfig::grid(1).block(1))?;
    let hash = x.iter().fold(0u32, |a, b| a.wrapping_mul(31).wrapping_add(*b));
    let step = |s: u64| s.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
    let first = step(hash.into());
    let want = (first >> 33) as u32 ^ (step(first) >> 33) as u32;
    same("out", &out, &[want, hash])
}
