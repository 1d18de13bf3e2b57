//! User implementations of std traits: operators, comparisons, conversions and sums.
#![expect(clippy::op_ref, reason = "operators on references are tested")]
use crate::run::{
    engine::{Check, Engine, cases, launch, like_rust, per_element, same},
    traits::numbers,
};
use std::{
    iter::{Product, Sum},
    ops::{Add, AddAssign, Mul, Neg, Not, Sub},
};
use warpwise::prelude::*;

cases![
    operators,
    comparisons,
    several_impls_for_one_type,
    parameters_of_the_trait,
    sums,
    comparisons_with_other_types,
    conversions_decided_by_a_later_use,
    defaults_and_clones,
    clones_that_are_copies,
    derives_above_the_attribute,
    parts_without_the_trait,
];

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Meters(i32);

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Span {
    low: i32,
    high: i32,
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

/// Returns twice a number, by the bound of an operator.
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
    per_element!(on, operates, numbers(), 4, |v: i32| [
        (v + 53) * 10 + v + 1003,
        (v - 6) * 100 + (v + 7) * 3 + v - 7,
        2 * v,
        4 * v + 3,
    ])
}

/// A digit that is compared by its last digit, with no order relative to 9.
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
    per_element!(on, compares, numbers(), 2, |v: i32| {
        let digit = v % 10;
        [
            flags(digit < 4, digit >= 4 && digit != 9, digit == 4),
            flags(v < 14, v >= 14, v == 14) + 1000,
        ]
    })
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
struct Seven(i32);

#[device]
impl Default for Seven {
    fn default() -> Self {
        Seven(7)
    }
}

#[device]
impl Clone for Seven {
    fn clone(&self) -> Self {
        Seven(self.0 + 100)
    }
}

#[device]
#[derive(Clone, Default)]
struct Pair {
    seven: Seven,
    zero: i32,
}

#[device]
#[derive(Clone)]
enum Content {
    One(Seven),
    Many([Pair; 3], i32),
}

#[device]
fn copied<T: Clone>(of: &T) -> T {
    of.clone()
}

/// A user-defined `impl` runs, also inside a derive.
fn defaults_and_clones(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let n = (x.len() + y.len()) as i32;
        let Pair { seven, zero } = Pair::default();
        out[0] = seven.0 * 10 + zero;
        let (of_tuple, of_array): (Seven, [Seven; 2]) = Default::default();
        out[1] = of_tuple.0 + of_array[1].0;
        out[2] = Some(Seven(n)).filter(|_| n > 100).unwrap_or_default().0;
        out[3] = Seven(n).clone().0;
        out[4] = copied(&Seven(n)).0 + copied(&n);
        let pair = Pair { seven: Seven(n), zero: n };
        out[5] = pair.clone().seven.0 + 1000 * pair.clone().zero;
        let many = [n, n + 1, n + 2].map(|n| Pair { seven: Seven(n), zero: n });
        let content = if n % 2 == 0 { Content::One(Seven(n)) } else { Content::Many(many, n) };
        match content.clone() {
            Content::One(seven) => out[6] = seven.0,
            Content::Many(pairs, n) => out[7] = pairs[1].seven.0 + pairs[2].zero + n,
        }
        out[8] = (Seven(n), n).clone().0.0 + Some(Seven(n)).clone().map_or(0, |seven| seven.0);
    });
    Ok(())
}

#[device]
#[derive(Copy)]
struct Counted(i32);

#[device]
impl Clone for Counted {
    fn clone(&self) -> Self {
        Counted(self.0 + 1)
    }
}

#[device]
#[derive(Clone, Copy)]
struct Simple {
    counted: Counted,
}

#[device]
#[derive(Clone, Copy)]
struct Wrapped<T>(T);

/// The derived clone of a type that is `Copy` is a copy, unless the type has type parameters.
fn clones_that_are_copies(on: &Engine) -> Check {
    like_rust!(on, |x, _y, out| {
        let n = x.len() as i32;
        let simple = Simple { counted: Counted(n) };
        out[0] = simple.clone().counted.0;
        out[1] = Wrapped(Counted(n)).clone().0.0 + 100 * Wrapped(simple).clone().0.counted.0;
        out[2] = [simple; 2].clone()[1].counted.0 + 100 * [Counted(n); 2].clone()[1].0;
        let (mut all, mut counted) = ([simple; 2], [Counted(0); 2]);
        all.clone_from_slice(&[Simple { counted: Counted(n + 5) }; 2]);
        counted.clone_from_slice(&[Counted(n); 2]);
        out[3] = all[1].counted.0 + 100 * counted[1].0;
    });
    Ok(())
}

#[device]
struct Uncloned(i32);

#[device]
#[derive(Clone)]
struct Borrowed<'a> {
    uncloned: &'a Uncloned,
    seven: &'a Seven,
}

#[device]
#[derive(Default)]
enum Kept {
    #[default]
    Nothing,
    One(Uncloned),
}

/// `Default` of an enum requires nothing of its parts, and a clone of a reference is a copy.
fn parts_without_the_trait(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let n = (x.len() + y.len()) as i32;
        let option: Option<Uncloned> = Default::default();
        out[0] = i32::from(option.is_none());
        out[1] = match Kept::default() {
            Kept::Nothing => 1,
            Kept::One(uncloned) => uncloned.0,
        };
        let (uncloned, seven) = (Uncloned(n), Seven(n));
        let both = Borrowed { uncloned: &uncloned, seven: &seven }.clone();
        out[2] = both.uncloned.0 + both.seven.0;
        out[3] = [&uncloned, &uncloned].clone()[1].0;
    });
    Ok(())
}

#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
// An attribute macro does not get the attributes above it.
#[device]
enum Level {
    #[default]
    Low,
    High(i32),
}

fn derives_above_the_attribute(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let (low, high) = (Level::default(), Level::High(x.len() as i32));
        out[0] = i32::from(low < high.clone());
        out[1] = i32::from(high.max(low) == Level::High(y.len() as i32));
    });
    Ok(())
}

#[device]
#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct Degrees(i32);

#[device]
impl PartialEq<i32> for Degrees {
    fn eq(&self, other: &i32) -> bool {
        self.0 == *other
    }
}

#[device]
impl PartialOrd<i32> for Degrees {
    fn partial_cmp(&self, other: &i32) -> Option<std::cmp::Ordering> {
        self.0.partial_cmp(other)
    }
}

#[device]
impl PartialEq<Degrees> for i32 {
    fn eq(&self, other: &Degrees) -> bool {
        self.eq(&other.0)
    }
}

#[device]
impl PartialOrd<Degrees> for i32 {
    fn partial_cmp(&self, other: &Degrees) -> Option<std::cmp::Ordering> {
        self.partial_cmp(&other.0)
    }
}

fn comparisons_with_other_types(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let (n, m) = (x.len() as i32, y.len() as i32);
        let (a, b) = (Degrees(n), Degrees(m));
        out[0] = i32::from(a < b) + 2 * i32::from(a == b) + 4 * i32::from(a >= b);
        out[1] = i32::from(a < 3) + 2 * i32::from(a == 3) + 4 * i32::from(a >= m);
        out[2] = i32::from(3 > b) + 2 * i32::from(3 == b) + 4 * i32::from(n <= b);
        out[3] = i32::from(n < m) + 2 * i32::from(n.eq(&3)) + 4 * i32::from(n.lt(&m));
    });
    Ok(())
}

#[device]
#[derive(Clone, Copy)]
struct Half(f32);

#[device]
impl From<i32> for Half {
    fn from(of: i32) -> Self {
        Half(of as f32 / 2.0)
    }
}

#[device]
fn quarters(half: Half) -> i32 {
    (half.0 * 4.0) as i32
}

fn conversions_decided_by_a_later_use(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let (n, m) = (x.len() as i32, y.len() as i32);
        let passed = n.into();
        out[0] = quarters(passed);
        let assigned = m.into();
        let typed: Half = assigned;
        out[1] = quarters(typed);
        let mut kept = None;
        let late = (n + m).into();
        if n < 100 {
            kept = Some(late);
        }
        out[2] = kept.map_or(0, quarters);
    });
    Ok(())
}
