//! User-defined operators, comparisons and indexing, also of generic structs.
use crate::run::engine::{Check, Engine, cases, equal, launch, same};
use std::ops::{Add, AddAssign, Index, IndexMut, Mul, Neg, RangeInclusive, Sub};
use warpwise::prelude::*;

cases![
    const_generic,
    generic_pairs,
    operators,
    references,
    comparisons,
    units,
    indexing,
    intervals
];

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    x: f32,
    y: f32,
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Matrix<const R: usize, const C: usize> {
    rows: [[i32; C]; R],
}

#[device]
impl<const R: usize, const C: usize> Matrix<R, C> {
    const CELLS: usize = R * C;

    fn transposed(&self) -> Matrix<C, R> {
        let mut rows = [[0; R]; C];
        for r in 0..R {
            for c in 0..C {
                rows[c][r] = self.rows[r][c];
            }
        }
        Matrix { rows }
    }

    fn times<const K: usize>(&self, other: &Matrix<C, K>) -> Matrix<R, K> {
        let mut product = Matrix { rows: [[0; K]; R] };
        for r in 0..R {
            for k in 0..K {
                for c in 0..C {
                    product.rows[r][k] += self.rows[r][c] * other.rows[c][k];
                }
            }
        }
        product
    }
}

#[kernel]
fn multiplied(x: &[Matrix<2, 3>], out: &mut [Matrix<2, 2>], cells: &mut [usize]) {
    let i = global_idx_x();
    if i < x.len() {
        out[i] = x[i].times(&x[i].transposed());
        cells[i] = Matrix::<2, 3>::CELLS + x[i].transposed().times::<3>(&x[i]).rows.len();
    }
}

fn const_generic(on: &Engine) -> Check {
    let x: Vec<Matrix<2, 3>> =
        (0..40).map(|i| Matrix { rows: [[i, i + 1, -i], [2, i * i, 3]] }).collect();
    let mut out = vec![Matrix { rows: [[0; 2]; 2] }; 40];
    let mut cells = vec![0; 40];
    launch!(on, multiplied(read x, write out, write cells), LaunchConfig::cover(40))?;
    let dot = |a: [i32; 3], b: [i32; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let want: Vec<Matrix<2, 2>> = x
        .iter()
        .map(|&Matrix { rows: [a, b] }| Matrix {
            rows: [[dot(a, a), dot(a, b)], [dot(a, b), dot(b, b)]],
        })
        .collect();
    equal("out", &out, &want)?;
    same("cells", &cells, &[9; 40])
}

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Pair<A, B>(A, B);

#[device]
impl<A: Copy, B: Copy> Pair<A, B> {
    fn swapped(self) -> Pair<B, A> {
        Pair(self.1, self.0)
    }

    fn with<C>(self, other: C) -> Pair<Self, C> {
        Pair(self, other)
    }
}

#[kernel]
fn paired<T: Num>(x: &[Pair<u8, T>], out: &mut [Pair<T, u8>]) {
    let i = global_idx_x();
    if i < x.len() {
        let Pair(Pair(first, second), third) = x[i].swapped().with(T::ONE);
        out[i] = Pair(first + third, second);
        out[i].1 += 1;
    }
}

fn generic_pairs(on: &Engine) -> Check {
    macro_rules! each {
        ($($ty:ident)*) => {$({
            let x: Vec<Pair<u8, $ty>> = (0..50).map(|i| Pair(i, (i * 2) as $ty)).collect();
            let mut out = vec![Pair(0 as $ty, 0); 50];
            launch!(on, paired::<$ty>(read x, write out), LaunchConfig::cover(50))?;
            let want: Vec<Pair<$ty, u8>> =
                x.iter().map(|Pair(a, b)| Pair(b + 1 as $ty, a + 1)).collect();
            equal(stringify!($ty), &out, &want)?;
        })*};
    }
    each! { u8 i16 u32 f32 f64 i64 }
    Ok(())
}

#[device]
impl Add for Point {
    type Output = Point;
    fn add(self, other: Point) -> Point {
        Point { x: self.x + other.x, y: self.y + other.y }
    }
}
#[device]
impl Sub<&Point> for &Point {
    type Output = Point;
    fn sub(self, other: &Point) -> Point {
        Point { x: self.x - other.x, y: self.y - other.y }
    }
}
#[device]
impl Mul<f32> for Point {
    type Output = Self;
    fn mul(self, by: f32) -> Self {
        Self { x: self.x * by, y: self.y * by }
    }
}
#[device]
impl Mul<Point> for f32 {
    type Output = Point;
    fn mul(self, point: Point) -> Point {
        point * self
    }
}
#[device]
impl Neg for Point {
    type Output = Self;
    fn neg(self) -> Self {
        Self { x: -self.x, y: -self.y }
    }
}
#[device]
impl AddAssign for Point {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

#[kernel(contract = false)]
fn arithmetic(a: &[Point], b: &mut [Point]) {
    let i = global_idx_x();
    if i < a.len() {
        let (p, q) = (a[i], b[i]);
        b[i] += p * 2.0 + -(0.5 * q);
        b[i] += &a[i] - &q;
    }
}

fn points() -> Vec<Point> {
    (0..80).map(|i| Point { x: (i % 9) as f32 - 4.0, y: (i % 7) as f32 }).collect()
}

fn operators(on: &Engine) -> Check {
    let a = points();
    let start: Vec<Point> = a.iter().rev().copied().collect();
    let mut b = start.clone();
    launch!(on, arithmetic(read a, write b), LaunchConfig::cover(80))?;
    let of = |p: f32, q: f32| q + (p * 2.0 - 0.5 * q) + (p - q);
    let want: Vec<Point> =
        a.iter().zip(&start).map(|(p, q)| Point { x: of(p.x, q.x), y: of(p.y, q.y) }).collect();
    equal("b", &b, &want)
}

#[device]
fn greater<'a>(points: &'a [Point], i: usize) -> &'a Point {
    &points[i]
}

#[device]
fn add_to(x: &mut f32, by: &f32) {
    *x += *by;
}

#[kernel]
fn referring(a: &[Point], b: &mut [Point]) {
    let i = global_idx_x();
    if i < a.len() {
        let point = greater(a, i);
        let Point { x, y } = point;
        let mut sum = *x;
        add_to(&mut sum, y);
        add_to(&mut b[i].x, &sum);
        let to = &mut b[i];
        add_to(&mut to.y, &point.x);
        let inner = &mut to.y;
        *inner *= 2.0;
    }
}

fn references(on: &Engine) -> Check {
    let a = points();
    let mut b = a.clone();
    launch!(on, referring(read a, write b), LaunchConfig::cover(80))?;
    let want: Vec<Point> =
        a.iter().map(|p| Point { x: p.x + (p.x + p.y), y: (p.y + p.x) * 2.0 }).collect();
    equal("b", &b, &want)
}

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    major: u8,
    minor: i16,
    pre: bool,
}

#[kernel]
fn comparing(a: &[Version], out: &mut [u32], sums: &mut [Version]) {
    let i = global_idx_x();
    if i + 1 < a.len() {
        let (p, q) = (a[i], a[i + 1]);
        let bits =
            [p == q, p != q, p < q, p <= q, p > q, p >= q, (p.major, q.pre) < (q.major, p.pre)];
        for k in 0..bits.len() {
            out[i] |= (bits[k] as u32) << k;
        }
        sums[i] = if (p > q) == (p == Version::default()) { p } else { q };
    }
}

fn comparisons(on: &Engine) -> Check {
    let a: Vec<Version> = (0..120i16)
        .map(|i| Version { major: (i / 7 % 2) as u8, minor: i % 5 / 2 - 1, pre: i % 3 == 0 })
        .chain([Version::default(), Version::default()])
        .collect();
    let mut out = vec![0; a.len()];
    let mut sums = vec![Version::default(); a.len()];
    launch!(on, comparing(read a, write out, write sums), LaunchConfig::cover(a.len()))?;
    let mut want = vec![0; a.len()];
    let mut want_sums = vec![Version::default(); a.len()];
    for (i, pair) in a.windows(2).enumerate() {
        let key = |v: Version| (v.major, v.minor, v.pre);
        let (p, q) = (pair[0], pair[1]);
        let order = key(p).cmp(&key(q));
        let bits = [
            order.is_eq(),
            order.is_ne(),
            order.is_lt(),
            order.is_le(),
            order.is_gt(),
            order.is_ge(),
            p.major < q.major || p.major == q.major && !q.pre && p.pre,
        ];
        want[i] = bits.iter().rev().fold(0, |all, bit| all << 1 | u32::from(*bit));
        let is_default = p.major == 0 && p.minor == 0 && !p.pre;
        want_sums[i] = if order.is_gt() == is_default { p } else { q };
    }
    same("out", &out, &want)?;
    equal("sums", &sums, &want_sums)
}

/// A type without bytes.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Unit;

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Tagged<T> {
    unit: Unit,
    empty: [u64; 0],
    value: T,
}

#[kernel]
fn unit_fields(unit: Unit, tag: Tagged<u16>, out: &mut [Tagged<u16>]) {
    let i = global_idx_x();
    if i < out.len() {
        let Tagged { unit: Unit, empty, value } = tag;
        out[i] = Tagged { unit, empty, value: value + i as u16 + empty.len() as u16 };
    }
}

fn units(on: &Engine) -> Check {
    let (unit, tag) = (Unit, Tagged { unit: Unit, empty: [], value: 1000 });
    let mut out = vec![tag; 20];
    launch!(on, unit_fields(value unit, value tag, write out), LaunchConfig::cover(20))?;
    let want: Vec<_> = (0..20).map(|i| Tagged { value: 1000 + i, ..tag }).collect();
    equal("out", &out, &want)
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Grid {
    cells: [[i16; 3]; 2],
}

#[device]
impl Index<(usize, usize)> for Grid {
    type Output = i16;
    fn index(&self, (row, column): (usize, usize)) -> &i16 {
        &self.cells[row][column]
    }
}
#[device]
impl IndexMut<(usize, usize)> for Grid {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut i16 {
        &mut self.cells[row][column]
    }
}

#[kernel]
fn indexed(x: &mut [Grid]) {
    let i = global_idx_x();
    if i < x.len() {
        x[i][(1, i % 3)] += 10;
        let sum = x[i][(0, 0)] + x[i][(1, i % 3)];
        x[i][(0, 2)] = sum;
    }
}

fn indexing(on: &Engine) -> Check {
    let start: Vec<Grid> = (0..30).map(|i| Grid { cells: [[i, 1, 2], [3, 4, 5]] }).collect();
    let mut x = start.clone();
    launch!(on, indexed(write x), LaunchConfig::cover(30))?;
    let want: Vec<Grid> = start
        .iter()
        .enumerate()
        .map(|(i, &Grid { cells: [mut first, mut second] })| {
            second[i % 3] += 10;
            first[2] = first[0] + second[i % 3];
            Grid { cells: [first, second] }
        })
        .collect();
    equal("x", &x, &want)
}

#[device]
#[derive(Clone, Copy)]
struct Interval {
    low: f64,
    high: f64,
}

#[device]
impl Interval {
    fn of(bounds: RangeInclusive<f64>) -> Self {
        Self { low: *bounds.start(), high: *bounds.end() }
    }
}

#[device]
impl Add for Interval {
    type Output = Self;
    fn add(self, other: Self) -> Self::Output {
        Self { low: self.low + other.low, high: self.high + other.high }
    }
}

#[device]
impl Mul for Interval {
    type Output = Self;
    fn mul(self, other: Self) -> Self::Output {
        let [a, b, c, d] = [
            (self.low, other.low),
            (self.low, other.high),
            (self.high, other.low),
            (self.high, other.high),
        ]
        .map(|(a, b)| a * b);
        Self { low: a.min(b).min(c).min(d), high: a.max(b).max(c).max(d) }
    }
}

#[device]
impl From<f64> for Interval {
    fn from(v: f64) -> Self {
        Self::of(v..=v)
    }
}

/// The right operand of an operator determines the target of the conversion.
#[device]
fn polynomial<T: Copy + From<f64> + Add<Output = T> + Mul<Output = T>>(c: &[f64], x: T) -> T {
    c.iter().rev().fold(T::from(0.0), |sum, c| sum * x + (*c).into())
}

#[kernel(contract = false)]
fn bounds(c: &[f64], x: &[f64], out: &mut [[f64; 3]]) {
    let i = global_idx_x();
    if i < x.len() {
        let Interval { low, high } = polynomial(c, Interval::of(x[i]..=x[i] + 0.5));
        out[i] = [low, high, polynomial(c, x[i])];
    }
}

fn intervals(on: &Engine) -> Check {
    let c = vec![1.0, -2.0, 0.5];
    let x: Vec<f64> = (0..20).map(|i| f64::from(i) / 4.0 - 2.0).collect();
    let mut out = vec![[0.0; 3]; 20];
    launch!(on, bounds(read c, read x, write out), LaunchConfig::cover(20))?;
    let want = x.iter().map(|&x: &f64| {
        let inner = [(0.5 * x - 2.0), 0.5 * (x + 0.5) - 2.0];
        let ends = [inner[0] * x, inner[0] * (x + 0.5), inner[1] * x, inner[1] * (x + 0.5)];
        let (low, high) =
            ends.iter().fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(*v), b.max(*v)));
        [low + 1.0, high + 1.0, (0.5 * x - 2.0) * x + 1.0]
    });
    same("out", &out.concat(), &want.flatten().collect::<Vec<f64>>())
}
