//! Number types: nested dual numbers, gradients, residues, and semirings.
use super::{close, noise};
use crate::run::engine::{Check, Engine, cases, equal, launch, same};
use std::{
    iter::{Product, Sum},
    ops::{Add, Div, Mul, Neg, Sub},
};
use warpwise::prelude::*;

cases![derivatives_of: STD, gradients_of, residues: THREADS_MEET, semirings: THREADS_MEET];

#[device]
trait Real:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + From<f32>
{
    fn sin(self) -> Self;
    fn exp(self) -> Self;
    fn powi(self, n: i32) -> Self;
}
#[device]
impl Real for f32 {
    fn sin(self) -> f32 {
        f32::sin(self)
    }
    fn exp(self) -> f32 {
        f32::exp(self)
    }
    fn powi(self, n: i32) -> f32 {
        f32::powi(self, n)
    }
}
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Dual<T> {
    v: T,
    d: T,
}
#[device]
impl<T: Real> Dual<T> {
    fn variable(v: T) -> Self {
        Self { v, d: T::from(1.0) }
    }
}
#[device]
impl<T: Real> From<f32> for Dual<T> {
    fn from(v: f32) -> Self {
        Self { v: v.into(), d: T::from(0.0) }
    }
}
#[device]
impl<T: Real> Add for Dual<T> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self { v: self.v + o.v, d: self.d + o.d }
    }
}
#[device]
impl<T: Real> Sub for Dual<T> {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self { v: self.v - o.v, d: self.d - o.d }
    }
}
#[device]
impl<T: Real> Mul for Dual<T> {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Self { v: self.v * o.v, d: self.v * o.d + self.d * o.v }
    }
}
#[device]
impl<T: Real> Div for Dual<T> {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        Self { v: self.v / o.v, d: (self.d * o.v - self.v * o.d) / (o.v * o.v) }
    }
}
#[device]
impl<T: Real> Neg for Dual<T> {
    type Output = Self;
    fn neg(self) -> Self {
        Self { v: -self.v, d: -self.d }
    }
}
#[device]
trait Cosine {
    fn cosine(self) -> Self;
}
#[device]
impl<T: Real> Cosine for T {
    fn cosine(self) -> T {
        (self + T::from(std::f32::consts::FRAC_PI_2)).sin()
    }
}
#[device]
impl<T: Real> Real for Dual<T> {
    fn sin(self) -> Self {
        Self { v: self.v.sin(), d: self.d * self.v.cosine() }
    }
    fn exp(self) -> Self {
        let v = self.v.exp();
        Self { v, d: self.d * v }
    }
    fn powi(self, n: i32) -> Self {
        Self { v: self.v.powi(n), d: T::from(n as f32) * self.v.powi(n - 1) * self.d }
    }
}
#[device]
fn function<R: Real>(x: R) -> R {
    let two: R = 2.0.into();
    (x * two).sin() * (-x).exp() + x.powi(3) / (x + R::from(4.0))
}
#[device]
fn derivative(f: impl Fn(Dual<f32>) -> Dual<f32>, x: f32) -> f32 {
    f(Dual::variable(x)).d
}
#[kernel]
fn derivatives(x: &[f32], first: &mut [f32], second: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        first[i] = derivative(function, x[i]);
        let inner = Dual::variable(x[i]);
        let Dual { d: Dual { d: curvature, .. }, .. } = function(Dual::variable(inner));
        second[i] = curvature;
    }
}

fn derivatives_of(on: &Engine) -> Check {
    let x: Vec<f32> = noise(50).into_iter().map(|v| (v >> 8) as f32 / (1 << 24) as f32).collect();
    let (mut first, mut second) = (vec![0.0; 50], vec![0.0; 50]);
    launch!(on, derivatives(read x, write first, write second), LaunchConfig::cover(50))?;
    let f = |x: f64| (2.0 * x).sin() * (-x).exp() + x.powi(3) / (x + 4.0);
    let differences = |x: &f32| {
        let (x, h) = (f64::from(*x), 1e-4);
        let (less, more) = (f(x - h), f(x + h));
        ((more - less) / (2.0 * h), (more + less - 2.0 * f(x)) / (h * h))
    };
    let (want, curvature): (Vec<f64>, Vec<f64>) = x.iter().map(differences).unzip();
    close("first", &first, &want, 1e-4)?;
    close("second", &second, &curvature, 1e-3)
}

/// A value with its gradient in several variables.
#[device]
#[derive(Clone, Copy)]
struct Jet<const N: usize> {
    value: f32,
    partials: [f32; N],
}
#[device]
impl<const N: usize> Jet<N> {
    fn variables(x: [f32; N]) -> [Self; N] {
        std::array::from_fn(|i| {
            let mut partials = [0.0; N];
            partials[i] = 1.0;
            Jet { value: x[i], partials }
        })
    }
    fn chain(self, value: f32, slope: f32) -> Self {
        Self { value, partials: self.partials.map(|p| slope * p) }
    }
    fn combine(self, other: Self, value: f32, f: impl Fn(f32, f32) -> f32) -> Self {
        let mut partials = self.partials;
        for (p, q) in partials.iter_mut().zip(other.partials) {
            *p = f(*p, q);
        }
        Self { value, partials }
    }
}
#[device]
impl<const N: usize> Add for Jet<N> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        self.combine(o, self.value + o.value, |a, b| a + b)
    }
}
#[device]
impl<const N: usize> Mul for Jet<N> {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        self.combine(o, self.value * o.value, |a, b| a * o.value + b * self.value)
    }
}
#[device]
impl<const N: usize> Sum for Jet<N> {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Jet { value: 0.0, partials: [0.0; N] }, Add::add)
    }
}
#[device]
impl<const N: usize> Product for Jet<N> {
    fn product<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Jet { value: 1.0, partials: [0.0; N] }, Mul::mul)
    }
}
#[kernel]
fn gradients(x: &[[f32; 3]], out: &mut [[f32; 3]]) {
    let Some(x) = x.get(global_idx_x()) else { return };
    let v = Jet::variables(*x);
    let squares: Jet<3> = v.iter().map(|&v| v * v).sum();
    let norm = squares.chain(squares.value.sqrt(), 0.5 / squares.value.sqrt());
    let y = norm + v.into_iter().product();
    out[global_idx_x()] = y.partials;
}

fn gradients_of(on: &Engine) -> Check {
    let part = |v: u32| (v >> 8) as f32 / (1 << 24) as f32 + 0.1;
    let x: Vec<[f32; 3]> =
        noise(90).chunks(3).map(|v| [part(v[0]), part(v[1]), part(v[2])]).collect();
    let mut out = vec![[0.0; 3]; 30];
    launch!(on, gradients(read x, write out), LaunchConfig::cover(30))?;
    let gradient = |x: &[f32; 3]| {
        let [a, b, c] = x.map(f64::from);
        let norm = (a * a + b * b + c * c).sqrt();
        [a / norm + b * c, b / norm + a * c, c / norm + a * b]
    };
    let want: Vec<f64> = x.iter().flat_map(gradient).collect();
    close("out", out.as_flattened(), &want, 1e-5)
}

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Mod<const P: u32>(u32);
#[device]
impl<const P: u32> Mod<P> {
    fn pow(self, mut e: u32) -> Self {
        let (mut base, mut out) = (self, Self(1));
        while e > 0 {
            if e & 1 == 1 {
                out = out * base;
            }
            base = base * base;
            e >>= 1;
        }
        out
    }
    fn inverse(self) -> Option<Self> {
        (self.0 != 0).then(|| self.pow(P - 2))
    }
}
#[device]
impl<const P: u32> Mul for Mod<P> {
    type Output = Self;
    fn mul(self, rhs: Self) -> Self {
        Self((u64::from(self.0) * u64::from(rhs.0) % u64::from(P)) as u32)
    }
}
#[device]
impl<const P: u32> Add for Mod<P> {
    type Output = Self;
    fn add(self, rhs: Self) -> Self {
        let sum = self.0 + rhs.0;
        Self(sum.checked_sub(P).unwrap_or(sum))
    }
}
#[device]
impl<const P: u32> Sub for Mod<P> {
    type Output = Self;
    fn sub(self, rhs: Self) -> Self {
        Self(match self.0.checked_sub(rhs.0) {
            Some(v) => v,
            None => self.0 + P - rhs.0,
        })
    }
}
#[device]
const PRIME: u32 = 998_244_353;
/// Number-theoretic transform of 256 elements of a block
#[kernel(block = 128)]
fn ntt(data: &mut [Mod<PRIME>], inverse: bool) {
    let a = shared!([Mod<PRIME>; 256]);
    let t = thread_idx_x();
    for i in [t, t + 128] {
        a[(i as u8).reverse_bits() as usize] = data[block_idx_x() * 256 + i];
    }
    sync_threads();
    let generator = if inverse { Mod(3).inverse().unwrap() } else { Mod(3) };
    for level in 0..8 {
        let half = 1usize << level;
        let root = generator.pow((PRIME - 1) / (2 * half as u32));
        let k = t & (half - 1);
        let i = 2 * (t - k) + k;
        let w = a[i + half] * root.pow(k as u32);
        let u = a[i];
        a[i] = u + w;
        a[i + half] = u - w;
        sync_threads();
    }
    let scale = if inverse { Mod(256).inverse().unwrap() } else { Mod(1) };
    for i in [t, t + 128] {
        data[block_idx_x() * 256 + i] = a[i] * scale;
    }
}

fn residues(on: &Engine) -> Check {
    let numbers: Vec<Mod<PRIME>> = noise(512).into_iter().map(|v| Mod(v % PRIME)).collect();
    let (mut data, config, mut inverse) = (numbers.clone(), LaunchConfig::grid(2), false);
    launch!(on, ntt(write data, value inverse), config)?;
    let prime = u64::from(PRIME);
    let power = |base: u64, exponent: usize| (0..exponent).fold(1, |p, _| p * base % prime);
    let root = power(3, (PRIME as usize - 1) / 256 % (PRIME as usize - 1));
    let powers: Vec<u64> = (0..256).map(|k| power(root, k)).collect();
    let element = |part: &[Mod<PRIME>], k: usize| {
        let terms =
            part.iter().enumerate().map(|(j, v)| u64::from(v.0) * powers[j * k % 256] % prime);
        Mod((terms.sum::<u64>() % prime) as u32)
    };
    let of_part = |part: &[Mod<PRIME>]| (0..256).map(|k| element(part, k)).collect::<Vec<_>>();
    let want: Vec<Mod<PRIME>> = numbers.chunks(256).flat_map(of_part).collect();
    equal("data", &data, &want)?;
    inverse = true;
    launch!(on, ntt(write data, value inverse), config)?;
    equal("back", &data, &numbers)
}

#[device]
trait Semiring: Copy {
    const ZERO: Self;
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
}
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
struct Tropical(f32);
#[device]
impl Semiring for Tropical {
    const ZERO: Self = Tropical(f32::INFINITY);
    fn plus(self, Self(b): Self) -> Self {
        Self(self.0.min(b))
    }
    fn times(self, Self(b): Self) -> Self {
        Self(self.0 + b)
    }
}
#[device]
impl Semiring for bool {
    const ZERO: bool = false;
    fn plus(self, b: bool) -> bool {
        self | b
    }
    fn times(self, b: bool) -> bool {
        self & b
    }
}
#[kernel(block = (8, 8), instances(Tropical, bool))]
fn semiring_product<S: Semiring>(n: usize, a: &[S], b: &[S], c: &mut [S]) {
    let (ta, tb) = (shared!([[S; 8]; 8]), shared!([[S; 8]; 8]));
    let (x, y) = (thread_idx_x(), thread_idx_y());
    let (column, row) = (global_idx_x(), global_idx_y());
    let at = |m: &[S], row: usize, column: usize| {
        if row < n && column < n { m[row * n + column] } else { S::ZERO }
    };
    let mut sum = S::ZERO;
    for tile in 0..n.div_ceil(8) {
        ta[y][x] = at(a, row, tile * 8 + x);
        tb[y][x] = at(b, tile * 8 + y, column);
        sync_threads();
        sum = (0..8).map(|k| ta[y][k].times(tb[k][x])).fold(sum, S::plus);
        sync_threads();
    }
    if row < n && column < n {
        c[row * n + column] = sum;
    }
}

fn semirings(on: &Engine) -> Check {
    let (n, config) = (13, LaunchConfig::cover((13, 13)));
    let a: Vec<Tropical> = noise(n * n).into_iter().map(|v| Tropical((v >> 20) as f32)).collect();
    let (b, mut c) = (a.clone(), a.clone());
    launch!(on, semiring_product(value n, read a, read b, write c), config)?;
    let shortest =
        |i: usize| (0..n).map(|k| a[i / n * n + k].0 + a[k * n + i % n].0).fold(f32::MAX, f32::min);
    let want: Vec<Tropical> = (0..n * n).map(|i| Tropical(shortest(i))).collect();
    equal("lengths", &c, &want)?;
    let a: Vec<bool> = noise(n * n).into_iter().map(|v| v % 4 == 0).collect();
    let (b, mut c) = (a.clone(), a.clone());
    launch!(on, semiring_product(value n, read a, read b, write c), config)?;
    let reached = |i: usize| (0..n).any(|k| a[i / n * n + k] && a[k * n + i % n]);
    let want: Vec<bool> = (0..n * n).map(reached).collect();
    same("reached", &c, &want)
}
