//! Functions of std traits called by path, operators as methods, and user-defined `Sum`.
#![allow(
    clippy::clone_on_copy,
    clippy::unnecessary_fallible_conversions,
    clippy::useless_conversion,
    reason = "these are what is tested"
)]
use crate::run::engine::{Check, Engine, cases, launch, like_rust, same};
use std::{
    iter::{Product, Sum},
    ops::{Add, AddAssign, BitXor, Mul, Neg, Not, Shl, Sub, SubAssign},
};
use warpwise::{F32x2, prelude::*};

cases![integers, beside_vectors, unfused: FUSES, operators_of_types, conversions, methods_of_traits, methods_of_types, sums, traits_of_numbers];

#[kernel]
fn of_integers(x: &[i32], out: &mut [[i32; 12]]) {
    let i = global_idx_x();
    let (a, b) = (x[i], x[(i + 1) % x.len()]);
    let mut sum = a.add(b);
    AddAssign::add_assign(&mut sum, 3);
    sum.sub_assign(b / 2);
    out[i] = [
        Add::add(a, b),
        <i32 as Sub>::sub(a, b),
        i32::mul(a, 3),
        Neg::neg(a),
        a.not(),
        Not::not(b),
        BitXor::bitxor(&a, &b),
        Shl::shl(a, 3),
        sum,
        x.iter().copied().fold(0, Add::add),
        x.iter().fold(0, BitXor::bitxor),
        PartialOrd::lt(&a, &b) as i32 + 2 * PartialEq::eq(&a, &b) as i32,
    ];
}

fn integers(on: &Engine) -> Check {
    let x: Vec<i32> = (0..32).map(|i| i * 37 % 41 - 20).collect();
    let mut out = vec![[0; 12]; 32];
    launch!(on, of_integers(read x, write out), LaunchConfig::grid(1).block(32))?;
    let all: i32 = x.iter().sum();
    let bits = x.iter().fold(0, |a, b| a ^ b);
    let want = x.iter().enumerate().map(|(i, &a)| {
        let b = x[(i + 1) % 32];
        let order = (a < b) as i32 + 2 * (a == b) as i32;
        let sum = a + b + 3 - b / 2;
        [a + b, a - b, 3 * a, -a, !a, !b, a ^ b, a << 3, sum, all, bits, order]
    });
    same("out", &out.concat(), &want.collect::<Vec<_>>().concat())
}

/// Vectors also have operators with a number on the left.
#[kernel]
fn of_numbers(x: &[f32], v: F32x2, out: &mut [[f32; 4]]) {
    let i = global_idx_x();
    let scaled = Mul::mul(x[i], v) + x[i].mul(v);
    out[i] = [f32::mul(x[i], x[i + 1]), Sub::sub(x[i], 1.5), x[i].add(v.x), scaled.y];
}

fn beside_vectors(on: &Engine) -> Check {
    let x: Vec<f32> = (0..33).map(|i| i as f32 / 4.0).collect();
    let (v, mut out) = (F32x2::new(0.5, 3.0), vec![[0.0; 4]; 32]);
    launch!(on, of_numbers(read x, value v, write out), LaunchConfig::grid(1).block(32))?;
    let want = x.array_windows().map(|&[a, b]| [a * b, a - 1.5, a + 0.5, 6.0 * a]);
    same("out", &out.concat(), &want.collect::<Vec<_>>().concat())
}

#[kernel]
fn sums_of_products(x: &[f32], out: &mut [[f32; 4]]) {
    let i = global_idx_x();
    let (a, b, c) = (x[i], x[i + 1], x[i + 2]);
    out[i] = [Add::add(a * b, c), Mul::mul(a, b) + c, (a * b).sub(c), a * b + c];
}

/// A call's arguments and results are rounded.
fn unfused(on: &Engine) -> Check {
    let x: Vec<f32> = (0..34).map(|i| 1.0 + i as f32 / 7.0).collect();
    let mut out = vec![[0.0; 4]; 32];
    launch!(on, sums_of_products(read x, write out), LaunchConfig::grid(1).block(32))?;
    let want = x.array_windows().map(|&[a, b, c]| {
        let product = a * b;
        [product + c, product + c, product - c, a.mul_add(b, c)]
    });
    same("out", &out.concat(), &want.collect::<Vec<_>>().concat())
}

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Point {
    x: i32,
    y: i32,
}

#[device]
impl Add for Point {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y }
    }
}

#[device]
impl Neg for &Point {
    type Output = Point;
    fn neg(self) -> Point {
        Point { x: -self.x, y: -self.y }
    }
}

#[device]
impl From<i32> for Point {
    fn from(x: i32) -> Self {
        Self { x, y: 2 * x }
    }
}

#[device]
impl From<[i32; 2]> for Point {
    fn from([x, y]: [i32; 2]) -> Self {
        Self { x, y }
    }
}

/// The numbers of points.
fn numbers(points: &[Point]) -> Vec<i32> {
    points.iter().flat_map(|point| [point.x, point.y]).collect()
}

#[kernel]
fn of_points(x: &[Point], out: &mut [[Point; 4]]) {
    let i = global_idx_x();
    let (a, b) = (x[i], x[(i + 1) % x.len()]);
    out[i] = [
        Add::add(a, b),
        <Point as Add>::add(a, a),
        Neg::neg(&a),
        x.iter().copied().reduce(Add::add).unwrap(),
    ];
}

fn operators_of_types(on: &Engine) -> Check {
    let x: Vec<Point> = (0..32).map(|i| Point { x: i * 5 % 7, y: -i }).collect();
    let mut out = vec![[Point::default(); 4]; 32];
    launch!(on, of_points(read x, write out), LaunchConfig::grid(1).block(32))?;
    let all = x.iter().fold(Point::default(), |a, b| a + *b);
    let want = x.iter().enumerate().map(|(i, a)| [*a + x[(i + 1) % 32], *a + *a, -a, all]);
    same("out", &numbers(out.as_flattened()), &numbers(want.collect::<Vec<_>>().as_flattened()))
}

#[device]
#[derive(Clone, Copy)]
struct Pair(u8, u8);

#[device]
impl From<[u8; 2]> for Pair {
    fn from([a, b]: [u8; 2]) -> Self {
        Self(a, b)
    }
}

#[device]
impl From<Pair> for i64 {
    fn from(pair: Pair) -> Self {
        i64::from(pair.0) * i64::from(pair.1)
    }
}

#[device]
fn widened<T: Into<i64>>(value: T) -> i64 {
    value.into()
}

#[kernel]
fn converted(x: &[u8], out: &mut [[i64; 9]]) {
    let i = global_idx_x();
    let point: Point = From::from(x[i] as i32);
    let other: Point = Into::into([1, x[i] as i32]);
    let small: i8 = TryFrom::try_from(x[i]).unwrap_or(-1);
    let wide: Result<u64, _> = x[i].try_into();
    let both = [u8::try_from(x[i]).unwrap_or(7), wide.map_or(7, |wide| wide as u8)];
    let Pair(one, two) = if i % 2 == 0 { Pair(x[i], 1) } else { both.clone().into() };
    out[i] = [
        From::from(x[i]),
        Into::<i64>::into(x[i]),
        <i64 as From<u8>>::from(200),
        widened(x[i]),
        widened(point.y),
        (other.y - point.x) as i64,
        x.iter().copied().map(i64::from).sum(),
        small.into(),
        i64::from(one) + i64::from(two),
    ];
}

fn conversions(on: &Engine) -> Check {
    let x: Vec<u8> = (0..32).map(|i| i * 7).collect();
    let mut out = vec![[0; 9]; 32];
    launch!(on, converted(read x, write out), LaunchConfig::grid(1).block(32))?;
    let all = x.iter().map(|&v| i64::from(v)).sum();
    let want = x.iter().enumerate().map(|(i, &v)| {
        let wide = i64::from(v);
        let both = if i % 2 == 0 { wide + 1 } else { 2 * wide };
        [wide, wide, 200, wide, 2 * wide, 0, all, i8::try_from(v).map_or(-1, i64::from), both]
    });
    same("out", &out.concat(), &want.collect::<Vec<_>>().concat())
}

#[kernel]
fn by_methods(x: &[u32], p: &[Point], out: &mut [u32]) {
    let first = Clone::clone(&p[0]);
    out[0] = Iterator::sum::<u32>(x.iter());
    out[1] = Iterator::max(x.iter().copied()).unwrap_or_default();
    out[2] = Option::map(x.get(2), |v| v + 1).unwrap_or_default();
    out[3] = u32::clone(&x[1]) + Point::clone(&first).x as u32;
    out[4] = Ord::cmp(&x[0], &x[1]) as u32;
    out[5] = <u32 as Ord>::max(x[0], x[1]);
    out[6] = <Point as Default>::default().x as u32 + u32::default();
    out[7] = IntoIterator::into_iter([1, 2, x[3]]).sum();
}

fn methods_of_traits(on: &Engine) -> Check {
    let (x, p) = (vec![3u32, 9, 4, 1], vec![Point { x: 6, y: 1 }]);
    let mut out = vec![0; 8];
    launch!(on, by_methods(read x, read p, write out), LaunchConfig::grid(1))?;
    same("out", &out, &[17, 9, 5, 15, u32::MAX, 9, 0, 4])
}

#[device]
impl Sum for Point {
    fn sum<I: Iterator<Item = Self>>(points: I) -> Self {
        points.fold(Self::default(), Add::add)
    }
}

#[device]
impl<'a> Sum<&'a Point> for Point {
    fn sum<I: Iterator<Item = &'a Point>>(points: I) -> Self {
        points.fold(Self { x: 100, y: 0 }, |sum, point| sum + *point)
    }
}

#[device]
impl Product<i32> for Point {
    fn product<I: Iterator<Item = i32>>(factors: I) -> Self {
        Self { x: factors.fold(1, |product, x| product * x), y: 0 }
    }
}

#[device]
fn total<'a, T: Copy + Sum<&'a T>>(values: &'a [T]) -> T {
    values.iter().sum()
}

#[device]
fn total_by_value<T: Copy + Sum>(values: &[T]) -> T {
    values.iter().copied().sum()
}

#[kernel]
fn summed(x: &[Point], out: &mut [Point]) {
    out[0] = x.iter().sum();
    out[1] = x.iter().copied().sum();
    out[2] = x.iter().map(|point| point.x + 1).product();
    out[3] = total(x);
    out[4] = total_by_value(x);
    out[5].x = total(&[1, 2, 3]) + total_by_value(&[4, 5]);
    let own = x.iter().filter(|point| point.x > 1).sum::<Point>();
    out[6] = own;
}

fn sums(on: &Engine) -> Check {
    let x: Vec<Point> = (0..5).map(|i| Point { x: i, y: 3 - i }).collect();
    let mut out = vec![Point::default(); 7];
    launch!(on, summed(read x, write out), LaunchConfig::grid(1))?;
    let point = |x, y| Point { x, y };
    let (by_reference, by_value) = (point(110, 5), point(10, 5));
    let product = point(120, 0);
    let some = point(109, 0);
    let want = [by_reference, by_value, product, by_reference, by_value, point(15, 0), some];
    same("out", &numbers(&out), &numbers(&want))
}

fn methods_of_types(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let n = x.len() as i32;
        let pair = <(i32, u8)>::clone(&(n, 3));
        out[0] = pair.0 + pair.1 as i32;
        let array = <[i32; 3]>::clone(&[n, 2, 3]);
        out[1] = array[0] + array[2];
        let some = <Option<i32>>::clone(&Some(n));
        out[2] = some.unwrap_or(0) + Option::<i32>::clone(&some).unwrap_or(1);
        out[3] = <[i32]>::len(x) as i32 + <[i32]>::len(&array) as i32;
        for v in <[i32]>::iter(y) {
            out[4] += v;
        }
        out[5] = <[_]>::first(x).copied().unwrap_or(8);
        out[6] = <[i32]>::chunks(x, 2).map(<[i32]>::len).map(|len| len as i32 * 3).sum();
        out[7] = <(i32, i32)>::max((1, n), (2, 3)).1;
        out[8] = <[i32; 3]>::map(array, |v| v * 2)[0];
        out[9] = <[i32; 4]>::default()[2] + <(i32, u8)>::default().0;
        let mut sorted = [3, n, 1];
        <[i32]>::sort(&mut sorted);
        <[i32]>::swap(&mut sorted, 0, 1);
        out[10] = sorted[0] * 100 + sorted[1] * 10 + sorted[2];
        out[11] = <[i32]>::contains(&sorted, &3) as i32;
        out[12] = <Option<i32>>::map(some, |v| v + 1).unwrap_or(0);
        out[13] = <Option<_>>::is_some(&some) as i32;
        out[14] = <Result<i32, i32>>::ok(Ok(n)).unwrap_or(2);
        out[15] = <(i32, i32) as PartialEq>::eq(&(1, n), &(1, 3)) as i32;
        out[16] = <(i32, i32)>::lt(&(1, n), &(1, 3)) as i32;
        out[17] = [(1, 2), (3, n)].iter().map(<(i32, i32)>::clone).map(|(a, b)| a * b).sum();
        let wide = <(i64, u8)>::clone(&(3_000_000_000, 2));
        out[18] = (wide.0 / 1000) as i32;
    });
    Ok(())
}

#[device]
trait Parsed {
    fn parsed(text: &[u8]) -> Self;
}

#[device]
impl Parsed for u64 {
    fn parsed(text: &[u8]) -> Self {
        text.iter().fold(0, |sum, digit| sum * 10 + Self::from(digit - b'0'))
    }
}

#[device]
impl Parsed for i32 {
    fn parsed(text: &[u8]) -> Self {
        match text {
            [b'-', digits @ ..] => -(u64::parsed(digits) as i32),
            digits => u64::parsed(digits) as i32,
        }
    }
}

fn traits_of_numbers(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        out[0] = u64::parsed(b"1234") as i32 + x.len() as i32;
        out[1] = i32::parsed(b"-56") + y.len() as i32;
    });
    Ok(())
}
