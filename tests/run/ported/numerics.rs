//! Numbers: `eigenvalues` of symmetric tridiagonal matrices, roots by `interval` arithmetic with a
//! stack of its own for each thread, the inverse of the normal distribution
//! (`quasirandomGenerator`), and wavelets (`dwtHaar1D`).
use super::{close, noise};
use crate::run::engine::{Check, Engine, cases, launch};
use std::ops::{Add, Mul, Neg, Sub};
use warpwise::prelude::*;

cases![bisection, interval_roots, inverse_of_normal, wavelets: THREADS_MEET];

#[device]
fn eigenvalues_below(diagonal: &[f32], off: &[f32], x: f32) -> usize {
    let mut delta = diagonal[0] - x;
    let mut count = usize::from(delta < 0.0);
    for (d, e) in diagonal[1..].iter().zip(&off[1..]) {
        delta = d - x - (e * e) / delta;
        count += usize::from(delta < 0.0);
    }
    count
}
#[kernel]
fn bisect(diagonal: &[f32], off: &[f32], bounds: [f32; 2], eigenvalues: &mut [f32]) {
    let k = global_idx_x();
    if k >= diagonal.len() {
        return;
    }
    let [mut low, mut high] = bounds;
    while high - low > 1e-5 {
        let mid = 0.5 * (low + high);
        if mid <= low || mid >= high {
            break;
        }
        if eigenvalues_below(diagonal, off, mid) > k { high = mid } else { low = mid }
    }
    eigenvalues[k] = 0.5 * (low + high);
}

fn bisection(on: &Engine) -> Check {
    let n = 100;
    let (diagonal, off, bounds) = (vec![2.0; n], vec![-1.0; n], [0.0, 4.0]);
    let mut found = vec![0.0; n];
    let config = LaunchConfig::cover(n);
    launch!(on, bisect(read diagonal, read off, value bounds, write found), config)?;
    let angle = |k: usize| (k + 1) as f64 * std::f64::consts::PI / (n + 1) as f64;
    let want: Vec<f64> = (0..n).map(|k| 2.0 - 2.0 * angle(k).cos()).collect();
    close("eigenvalues", &found, &want, 1e-4)
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Default)]
struct Interval {
    lo: f64,
    hi: f64,
}
#[device]
impl Interval {
    const EMPTY: Self = Self { lo: f64::INFINITY, hi: f64::NEG_INFINITY };
    fn new(lo: f64, hi: f64) -> Self {
        Self { lo, hi }
    }
    fn point(x: f64) -> Self {
        Self::new(x, x)
    }
    fn width(&self) -> f64 {
        self.hi - self.lo
    }
    fn mid(&self) -> f64 {
        0.5 * (self.lo + self.hi)
    }
    fn contains(&self, x: f64) -> bool {
        (self.lo..=self.hi).contains(&x)
    }
    fn is_empty(&self) -> bool {
        self.lo > self.hi
    }
    fn intersect(self, other: Self) -> Self {
        let both = Self::new(self.lo.max(other.lo), self.hi.min(other.hi));
        if both.is_empty() { Self::EMPTY } else { both }
    }
}
#[device]
impl Add for Interval {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self::new(self.lo + o.lo, self.hi + o.hi)
    }
}
#[device]
impl Sub for Interval {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self::new(self.lo - o.hi, self.hi - o.lo)
    }
}
#[device]
impl Neg for Interval {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.hi, -self.lo)
    }
}
#[device]
impl Mul for Interval {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        let products = [self.lo * o.lo, self.lo * o.hi, self.hi * o.lo, self.hi * o.hi];
        let lo = products.iter().copied().fold(f64::INFINITY, f64::min);
        let hi = products.into_iter().fold(f64::NEG_INFINITY, f64::max);
        Self { lo, hi }
    }
}
#[device]
struct Stack<T, const N: usize> {
    items: [T; N],
    len: usize,
}
#[device]
impl<T: Copy + Default, const N: usize> Stack<T, N> {
    fn new() -> Self {
        Self { items: [T::default(); N], len: 0 }
    }
    fn push(&mut self, item: T) -> bool {
        if self.len == N {
            return false;
        }
        self.items[self.len] = item;
        self.len += 1;
        true
    }
    fn pop(&mut self) -> Option<T> {
        if self.len == 0 {
            None
        } else {
            self.len -= 1;
            Some(self.items[self.len])
        }
    }
}
#[device]
fn f(x: Interval, a: f64) -> Interval {
    x * x * x + Interval::point(-a) * x - Interval::point(1.0)
}
#[device]
fn df(x: Interval, a: f64) -> Interval {
    Interval::point(3.0) * x * x + Interval::point(-a)
}
#[kernel(contract = false)]
fn newton(a: &[f64], roots: &mut [[Interval; 8]], counts: &mut [u32]) {
    let i = global_idx_x();
    let Some(&a) = a.get(i) else { return };
    let mut stack = Stack::<Interval, 32>::new();
    stack.push(Interval::new(-10.0, 10.0));
    let mut found = 0;
    while let Some(x) = stack.pop() {
        if !f(x, a).contains(0.0) {
            continue;
        }
        if x.width() < 1e-6 {
            if found < 8 {
                roots[i][found] = x;
                found += 1;
            }
            continue;
        }
        let m = x.mid();
        let slope = df(x, a);
        if slope.contains(0.0) {
            stack.push(Interval::new(x.lo, m));
            stack.push(Interval { lo: m, ..x });
        } else {
            let fm = f(Interval::point(m), a);
            let step = fm * Interval::new(1.0 / slope.hi, 1.0 / slope.lo);
            let next = (Interval::point(m) - step).intersect(x);
            if next.is_empty() {
                continue;
            }
            if next.width() > 0.5 * x.width() {
                stack.push(Interval::new(next.lo, next.mid()));
                stack.push(Interval::new(next.mid(), next.hi));
            } else {
                stack.push(next);
            }
        }
    }
    counts[i] = found as u32;
}

fn interval_roots(on: &Engine) -> Check {
    let a: Vec<f64> = (0..50).map(|i| 3.0 + f64::from(i) * 0.9).collect();
    let mut roots = vec![[Interval::EMPTY; 8]; a.len()];
    let mut counts = vec![0; a.len()];
    launch!(on, newton(read a, write roots, write counts), LaunchConfig::cover(50))?;
    for ((a, roots), count) in a.iter().zip(&roots).zip(counts) {
        let third = (1.5 / a * (3.0 / a).sqrt()).acos() / 3.0;
        let turn = 2.0 * std::f64::consts::FRAC_PI_3;
        let want: Vec<f64> =
            (0..3).map(|k| 2.0 * (a / 3.0).sqrt() * (third - turn * f64::from(k)).cos()).collect();
        let found = &roots[..count as usize];
        let is_near = |root: &f64, x: &Interval| (root - x.mid()).abs() < 1e-5;
        let all = want.iter().all(|root| found.iter().any(|x| is_near(root, x)));
        if !all || !found.iter().all(|x| want.iter().any(|root| is_near(root, x))) {
            return Err(format!("the roots for {a} are {found:?}, expected {want:?}").into());
        }
    }
    Ok(())
}

#[device]
const A: [f32; 4] = [2.50662823884, -18.61500062529, 41.39119773534, -25.44106049637];
#[device]
const B: [f32; 4] = [-8.4735109309, 23.08336743743, -21.06224101826, 3.13082909833];
#[device]
const C: [f32; 9] = [
    0.3374754822726147,
    0.9761690190917186,
    0.1607979714918209,
    0.0276438810333863,
    0.0038405729373609,
    0.0003951896511919,
    0.0000321767881768,
    0.0000002888167364,
    0.0000003960315187,
];
#[device]
fn horner(c: &[f32], x: f32) -> f32 {
    c.iter().rev().fold(0.0, |sum, c| sum * x + c)
}
#[device]
fn moro(p: f32) -> f32 {
    let y = p - 0.5;
    if y.abs() < 0.42 {
        let z = y * y;
        y * horner(&A, z) / (horner(&B, z) * z + 1.0)
    } else {
        let tail = if y > 0.0 { 1.0 - p } else { p };
        let z = (-tail.ln()).ln();
        horner(&C, z).copysign(y)
    }
}
#[kernel]
fn inverse_normal(distance: u32, out: &mut [f32]) {
    let stride = grid_dim_x() * block_dim_x();
    for i in (global_idx_x()..out.len()).step_by(stride) {
        out[i] = moro(((i as u32 + 1).wrapping_mul(distance)) as f32 * 2.0f32.powi(-32));
    }
}

fn inverse_of_normal(on: &Engine) -> Check {
    let distance = 1 << 24;
    let mut out = vec![0.0; 255];
    let config = LaunchConfig::grid(2).block(64);
    launch!(on, inverse_normal(value distance, write out), config)?;
    // The distribution, by the error function of its numbers.
    for (i, x) in out.iter().enumerate() {
        let back = 0.5 + 0.5 * math::erf(f64::from(*x) / std::f64::consts::SQRT_2);
        let p = (i + 1) as f64 / 256.0;
        if (back - p).abs() > 1e-6 {
            return Err(format!("{x} is that of {back}, expected {p}").into());
        }
    }
    Ok(())
}

#[kernel(block = 128)]
fn haar(levels: u32, signal: &[f32], approx: &mut [f32], details: &mut [f32]) {
    let shared = shared!([f32; 256]);
    let (t, b) = (thread_idx_x(), block_idx_x());
    let base = 256 * b;
    shared[t] = signal[base + t];
    shared[t + 128] = signal[base + t + 128];
    sync_threads();
    let inv_sqrt2 = std::f32::consts::FRAC_1_SQRT_2;
    let mut active = 128;
    for _ in 0..levels {
        let pair = (t < active).then(|| (shared[2 * t], shared[2 * t + 1]));
        sync_threads();
        if let Some((a, c)) = pair {
            details[base + active + t] = (a - c) * inv_sqrt2;
            shared[t] = (a + c) * inv_sqrt2;
        }
        sync_threads();
        active >>= 1;
    }
    if t == 0 {
        approx[b] = shared[0];
    }
}

fn wavelets(on: &Engine) -> Check {
    let signal: Vec<f32> = noise(1024).iter().map(|x| *x as f32 * 2.0f32.powi(-32)).collect();
    let (mut approx, mut details) = (vec![0.0; 4], vec![0.0; 1024]);
    let levels = 8;
    launch!(on, haar(value levels, read signal, write approx, write details), LaunchConfig::grid(4))?;
    let (mut sums, mut want) = (Vec::new(), vec![0.0; 1024]);
    for (block, signal) in signal.chunks(256).enumerate() {
        let mut level: Vec<f64> = signal.iter().map(|x| f64::from(*x)).collect();
        while level.len() > 1 {
            let half = level.len() / 2;
            for (t, pair) in level.chunks(2).enumerate() {
                want[256 * block + half + t] = (pair[0] - pair[1]) * 0.5f64.sqrt();
            }
            level = level.chunks(2).map(|pair| (pair[0] + pair[1]) * 0.5f64.sqrt()).collect();
        }
        sums.push(level[0]);
    }
    close("approx", &approx, &sums, 1e-5)?;
    close("details", &details, &want, 1e-6)
}
