//! Structs, tuples and arrays: in slices and parameters, in locals and shared memory, nested and
//! padded, with methods and operators.
use crate::run::engine::{Check, Engine, cases, equal, launch, same};
use std::ops::{Add, AddAssign, Index, IndexMut, Mul, Neg, Sub};
use warpwise::prelude::*;

cases![
    padded, fields_in_place, by_value, methods_on_elements, local_arrays, shared_arrays: THREADS_MEET,
    patterns, const_generic, generic_pairs, operators, references, comparisons, updates, units,
    swapping, indexing, sizes,
];

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Inner {
    flag: bool,
    weight: f64,
}

/// Padding behind `id`, in `inner`, and at the end.
#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Outer {
    id: u8,
    inner: Inner,
    code: i16,
    tail: [u8; 3],
}

#[device]
impl Inner {
    fn grow(&mut self, by: f64) -> f64 {
        let before = self.weight;
        self.weight += by;
        self.flag = !self.flag;
        before
    }
}

#[device]
impl Outer {
    const STEP: u8 = 3;

    fn new(id: u8) -> Self {
        let inner = Inner { flag: id % 2 == 0, weight: id as f64 / 4.0 };
        Self { id, inner, code: -(id as i16) * 100, tail: [id, Self::STEP, 255 - id] }
    }

    fn bump(&mut self) -> &mut Self {
        self.id = self.id.wrapping_add(Self::STEP);
        self
    }

    fn sum(&self) -> i32 {
        self.tail[0] as i32 + self.tail[1] as i32 + self.tail[2] as i32 + self.code as i32
    }
}

fn outers(n: u8) -> Vec<Outer> {
    (0..n).map(Outer::new).collect()
}

#[kernel]
fn padding(x: &[Outer], out: &mut [Outer]) {
    let i = global_idx_x();
    if i < x.len() {
        let mut copy = x[x.len() - 1 - i];
        copy.inner.weight *= 2.0;
        copy.tail[i % 3] += 1;
        out[i] = copy;
    }
}

fn padded(on: &Engine) -> Check {
    let x = outers(100);
    let mut out = vec![Outer::default(); 100];
    launch!(on, padding(read x, write out), LaunchConfig::cover(100))?;
    let want: Vec<Outer> = (0..100)
        .map(|i| {
            let mut copy = x[99 - i];
            copy.inner.weight *= 2.0;
            copy.tail[i % 3] = copy.tail[i % 3].wrapping_add(1);
            copy
        })
        .collect();
    equal("out", &out, &want)
}

#[kernel]
fn in_place(x: &mut [Outer]) {
    let i = global_idx_x();
    if i < x.len() {
        x[i].inner.weight += 0.5;
        x[i].code -= x[i].id as i16;
        x[i].tail[i % 3] ^= 0x55;
        x[i].inner.flag = x[i].inner.flag && i > 5;
        let tail = &mut x[i].tail;
        tail[0] = tail[1];
    }
}

fn fields_in_place(on: &Engine) -> Check {
    let mut x = outers(70);
    launch!(on, in_place(write x), LaunchConfig::cover(70))?;
    let want: Vec<Outer> = outers(70)
        .into_iter()
        .enumerate()
        .map(|(i, mut outer)| {
            outer.inner =
                Inner { flag: outer.inner.flag && i > 5, weight: outer.inner.weight + 0.5 };
            outer.code -= i16::from(outer.id);
            outer.tail[i % 3] ^= 0x55;
            outer.tail[0] = outer.tail[1];
            outer
        })
        .collect();
    equal("x", &x, &want)
}

#[kernel]
fn values(outer: Outer, matrix: [[f32; 2]; 3], scale: f32, out: &mut [f32]) {
    let i = global_idx_x();
    if i < 3 {
        out[2 * i] = matrix[i][0] * scale;
        out[2 * i + 1] = matrix[i][1] * scale + outer.inner.weight as f32;
    } else if i < 6 && outer.inner.flag {
        out[2 * i] = outer.tail[i - 3] as f32;
        out[2 * i + 1] = outer.sum() as f32;
    }
}

fn by_value(on: &Engine) -> Check {
    let (outer, scale) = (Outer::new(40), 2.0);
    let matrix = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
    let mut out = vec![0.0; 12];
    let config = LaunchConfig::cover(12);
    launch!(on, values(value outer, value matrix, value scale, write out), config)?;
    let sum = -3742.0;
    let want = [2.0, 14.0, 6.0, 18.0, 10.0, 22.0, 40.0, sum, 3.0, sum, 215.0, sum];
    same("out", &out, &want)
}

#[device]
fn clear_tail(of: &mut Outer) {
    of.tail = [0; 3];
}

#[kernel]
fn mutating(x: &mut [Outer], before: &mut [f64]) {
    let i = global_idx_x();
    if i < x.len() {
        x[i].bump().bump();
        before[i] = x[i].inner.grow(1.5);
        if i % 2 == 1 {
            clear_tail(&mut x[i]);
        }
        let element = &mut x[i];
        element.code = element.sum() as i16;
        let Outer { inner: Inner { weight, .. }, .. } = element;
        *weight -= 0.25;
    }
}

fn methods_on_elements(on: &Engine) -> Check {
    let mut x = outers(60);
    let mut before = vec![0.0; 60];
    launch!(on, mutating(write x, write before), LaunchConfig::cover(60))?;
    let want: Vec<Outer> = outers(60)
        .into_iter()
        .map(|outer| {
            let tail = if outer.id % 2 == 1 { [0; 3] } else { outer.tail };
            let sum: i16 = tail.iter().map(|tail| i16::from(*tail)).sum();
            let inner = Inner { flag: !outer.inner.flag, weight: outer.inner.weight + 1.25 };
            Outer { id: outer.id + 6, inner, code: outer.code + sum, tail }
        })
        .collect();
    equal("x", &x, &want)?;
    let weights: Vec<f64> = (0..60).map(|i| f64::from(i) / 4.0).collect();
    same("before", &before, &weights)
}

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
struct Point {
    x: f32,
    y: f32,
}

#[kernel]
fn locals(places: &[u32], out: &mut [f32]) {
    let i = global_idx_x();
    if i < out.len() {
        let mut points = [Point { x: 1.0, y: -1.0 }; 5];
        let mut grid = [[0u8; 4]; 3];
        for k in 0..5 {
            points[k].x += k as f32;
            grid[k % 3][k % 4] += k as u8;
        }
        let at = places[i] as usize;
        points[at % 5].y = i as f32;
        points[(at + 1) % 5] = Point { x: 0.5, ..points[at % 5] };
        let mut other = points;
        other[0].x = 100.0;
        grid[at % 3] = [7; 4];
        let mut sum = other[0].x + points[0].x;
        for k in 0..5 {
            sum += points[k].x * points[k].y + grid[k % 3][k % 4] as f32;
        }
        out[i] = sum;
    }
}

fn local_arrays(on: &Engine) -> Check {
    let places: Vec<u32> = (0..64).map(|i| i * 7 + 3).collect();
    let mut out = vec![0.0; 64];
    launch!(on, locals(read places, write out), LaunchConfig::cover(64))?;
    let want: Vec<f32> = (0..64)
        .map(|i| {
            let at = places[i] as usize;
            let mut points: Vec<Point> =
                (0..5).map(|k| Point { x: 1.0 + k as f32, y: -1.0 }).collect();
            points[at % 5].y = i as f32;
            points[(at + 1) % 5] = Point { x: 0.5, y: i as f32 };
            let mut grid = [[0, 0, 0, 0], [4, 1, 0, 0], [0, 0, 2, 0]];
            grid[0][3] = 3;
            grid[at % 3] = [7; 4];
            (0..5).fold(100.0 + points[0].x, |sum, k| {
                sum + (points[k].x * points[k].y + grid[k % 3][k % 4] as f32)
            })
        })
        .collect();
    same("out", &out, &want)
}

#[kernel(block = 64)]
fn sharing(x: &[Outer], out: &mut [f64]) {
    let tile = shared!([Outer; 64]);
    let pairs = shared!([(u16, Point); 64]);
    let one = shared!(Point);
    let t = thread_idx_x();
    tile[t] = x[t];
    pairs[t] = (t as u16, Point { x: t as f32, y: 1.0 });
    if t == 5 {
        one.x = 0.25;
        one.y = 8.0;
    }
    sync_threads();
    let other = &tile[63 - t];
    let (number, point) = pairs[(t + 1) % 64];
    out[t] = other.inner.weight + other.tail[2] as f64 + number as f64 + (point.x * one.x) as f64;
    sync_threads();
    tile[t].inner.weight = out[t];
    pairs[t].1.y += one.y;
    sync_threads();
    out[t] += tile[t ^ 1].inner.weight + pairs[t ^ 2].1.y as f64;
}

fn shared_arrays(on: &Engine) -> Check {
    let x = outers(64);
    let mut out = vec![0.0; 64];
    launch!(on, sharing(read x, write out), LaunchConfig::grid(1))?;
    let first = |t: usize| {
        let (other, next) = (x[63 - t], (t + 1) % 64);
        other.inner.weight + f64::from(other.tail[2]) + next as f64 * 1.25
    };
    let want: Vec<f64> = (0..64).map(|t| first(t) + first(t ^ 1) + 9.0).collect();
    same("out", &out, &want)
}

#[kernel]
fn taken_apart(x: &[Outer], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        let Outer { id, inner: Inner { weight: heavy, .. }, tail: [first, .., last], .. } = x[i];
        let (a, (b, [c, d])) = (id as i32, (heavy as i32, [first as i32, last as i32]));
        let Outer { ref code, .. } = x[i];
        let sum = |(a, b): (i32, i32), [c, d]: [i32; 2]| a * 1000 + b * 100 + c * 10 + d;
        let (mut low, mut high);
        (low, high) = (sum((a, b), [c, d]), *code as i32);
        if low > high {
            (low, high) = (high, low);
        }
        [out[2 * i], out[2 * i + 1]] = [low, high];
    }
}

fn patterns(on: &Engine) -> Check {
    let x = outers(50);
    let mut out = vec![0; 100];
    launch!(on, taken_apart(read x, write out), LaunchConfig::cover(50))?;
    let want: Vec<i32> = (0..50)
        .flat_map(|id| {
            let pair = (id * 1000 + id / 4 * 100 + id * 10 + 255 - id, -id * 100);
            [pair.0.min(pair.1), pair.0.max(pair.1)]
        })
        .collect();
    same("out", &out, &want)
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

#[kernel]
fn updating(x: &[Outer], out: &mut [Outer]) {
    let i = global_idx_x();
    if i < x.len() {
        let base = Outer { code: 5, ..Outer::new(9) };
        let id = x[i].id;
        let nested = Outer { id, inner: Inner { flag: true, ..base.inner }, ..base };
        out[i] = match i % 3 {
            0 => nested,
            1 => Outer { tail: x[i].tail, ..nested },
            _ => Outer::default(),
        };
    }
}

fn updates(on: &Engine) -> Check {
    let x = outers(30);
    let mut out = x.clone();
    launch!(on, updating(read x, write out), LaunchConfig::cover(30))?;
    let want: Vec<Outer> = (0..30)
        .map(|id: u8| {
            let inner = Inner { flag: true, weight: 2.25 };
            let tail = if id % 3 == 0 { [9, 3, 246] } else { [id, 3, 255 - id] };
            if id % 3 == 2 { Outer::default() } else { Outer { id, inner, code: 5, tail } }
        })
        .collect();
    equal("out", &out, &want)
}

/// No bytes at all.
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

#[kernel]
fn swapped(x: &mut [Outer]) {
    let i = global_idx_x();
    if 2 * i + 1 < x.len() {
        let (a, b) = (2 * i, 2 * i + 1);
        (x[a], x[b]) = (x[b], x[a]);
        let Outer { mut id, .. } = x[a];
        (id, x[b].id) = (x[b].id, id);
        (x[a].inner, _, x[a].tail) = (Inner { weight: id as f64, ..x[b].inner }, 0, x[b].tail);
    }
}

fn swapping(on: &Engine) -> Check {
    let start = outers(40);
    let mut x = start.clone();
    launch!(on, swapped(write x), LaunchConfig::cover(20))?;
    let want: Vec<Outer> = start
        .chunks(2)
        .flat_map(|pair| {
            let (mut a, mut b) = (pair[1], pair[0]);
            let id = b.id;
            b.id = a.id;
            a.inner = Inner { weight: f64::from(id), flag: b.inner.flag };
            a.tail = b.tail;
            [a, b]
        })
        .collect();
    equal("x", &x, &want)
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
#[repr(u8)]
enum Step {
    Stay = 1,
    Go = 2,
}

#[device]
#[derive(Clone, Copy)]
enum Shape {
    Disc(f64),
    Block { level: u8, sides: [u16; 2] },
}

#[device]
const WORDS: usize = size_of::<[f64; 3]>() / size_of::<u32>();

#[device]
fn measures<T: Copy>(_: T) -> [usize; 3] {
    [size_of::<T>(), align_of::<T>(), std::mem::size_of::<[T; 5]>()]
}

#[kernel]
fn measured(out: &mut [[usize; 3]]) {
    let words = [1u32; WORDS];
    let bytes = [1u8; core::mem::size_of::<u64>() + align_of::<i16>()];
    let all = [
        measures(1u8),
        measures(-1i16),
        measures(1.0f32),
        measures(1usize),
        measures(true),
        measures([1.0f64; 3]),
        measures(Inner { flag: true, weight: 1.0 }),
        measures(Shape::Disc(1.0)),
        measures(Shape::Block { level: 1, sides: [2, 3] }),
        measures(Step::Stay),
        measures(Step::Go),
        [size_of::<Outer>(), std::mem::align_of::<Outer>(), size_of::<[Outer; 3]>()],
        [size_of::<F32x3>(), align_of::<F32x4>(), size_of::<[U16x4; 2]>()],
        [words.len(), bytes.len(), WORDS],
        [size_of::<f16>(), size_of::<()>(), align_of::<[[i32; 3]; 2]>()],
    ];
    let i = global_idx_x();
    if i < all.len() {
        out[i] = all[i];
    }
}

fn sizes(on: &Engine) -> Check {
    let mut out = vec![[0; 3]; 15];
    launch!(on, measured(write out), LaunchConfig::cover(15))?;
    let outer = size_of::<Outer>();
    equal("structs", &out[11], &[outer, align_of::<Outer>(), 3 * outer])?;
    equal("constants", &out[13], &[6, 10, 6])?;
    let mut want = vec![[0; 3]; 15];
    warpwise::host::for_each_thread(LaunchConfig::cover(15), || measured(&mut want))?;
    equal("all", &out, &want)
}
