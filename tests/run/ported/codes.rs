//! Encodings: packed 4- and 8-bit numbers, run lengths, letters, and modular arithmetic.
use super::{close, noise};
use crate::run::engine::{Check, Engine, cases, equal, launch, same};
use std::{
    cmp,
    iter::Product,
    ops::{Add, Mul, MulAssign, Sub},
};
use warpwise::prelude::*;

cases![four_bits, eight_bits, zigzag, letters, number_theory: THREADS_MEET, montgomery_products];

fn numbers(count: usize) -> Vec<f32> {
    noise(count).into_iter().map(|v| (v % 2001) as f32 / 1000.0 - 1.0).collect()
}

/// 32 numbers, as multiples of `scale` above `zero`.
#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Group {
    scale: f32,
    zero: u8,
    packed: [u32; 4],
}

#[device]
impl Group {
    fn of(x: &[f32; 32]) -> Self {
        let ends = (f32::INFINITY, f32::NEG_INFINITY);
        let (low, high) = x.iter().fold(ends, |(low, high), &v| (low.min(v), high.max(v)));
        let scale = ((high - low) / 15.0).max(f32::MIN_POSITIVE);
        let zero = (-low / scale).round().clamp(0.0, 15.0) as u8;
        let code = |v: &f32| ((v / scale).round() + f32::from(zero)).clamp(0.0, 15.0) as u32;
        let mut packed = [0; 4];
        for (word, eight) in packed.iter_mut().zip(x.chunks_exact(8)) {
            *word = eight.iter().rev().fold(0, |word, v| (word << 4) | code(v));
        }
        Self { scale, zero, packed }
    }

    fn numbers(&self) -> impl Iterator<Item = f32> {
        let Self { scale, zero, packed } = *self;
        let codes = packed.into_iter().flat_map(|word| (0..8).map(move |k| (word >> (4 * k)) & 15));
        codes.map(move |code| scale * (code as i32 - i32::from(zero)) as f32)
    }
}

#[kernel]
fn quantize(x: &[[f32; 32]], groups: &mut [Group]) {
    if let (Some(x), Some(group)) = (x.get(global_idx_x()), groups.get_mut(global_idx_x())) {
        *group = Group::of(x);
    }
}

#[kernel]
fn product(groups: &[Group], x: &[f32], y: &mut [f32]) {
    let width = x.len() / 32;
    if let Some(y) = y.get_mut(global_idx_x()) {
        let row = groups.chunks_exact(width).nth(global_idx_x()).expect("one for each `y`");
        let parts = row.iter().zip(x.chunks_exact(32));
        *y = parts.map(|(a, x)| a.numbers().zip(x).map(|(a, x)| a * x).sum::<f32>()).sum();
    }
}

fn four_bits(on: &Engine) -> Check {
    let given = numbers(12 * 32);
    let x: Vec<[f32; 32]> = given.as_chunks().0.to_vec();
    let mut groups = vec![Group::default(); 12];
    launch!(on, quantize(read x, write groups), LaunchConfig::cover(12))?;
    let back: Vec<f64> = (0..12 * 32)
        .map(|at| {
            let Group { scale, zero, packed } = groups[at / 32];
            let code = packed[at % 32 / 8].to_le_bytes()[at % 8 / 2] >> (4 * (at % 2)) & 15;
            f64::from(scale) * (f64::from(code) - f64::from(zero))
        })
        .collect();
    close("back", &given, &back, 0.07)?;
    let (v, mut y) = (numbers(96), vec![0.0; 4]);
    launch!(on, product(read groups, read v, write y), LaunchConfig::cover(4))?;
    let rows = back.chunks(96).map(|row| row.iter().zip(&v).map(|(a, v)| a * f64::from(*v)).sum());
    close("y", &y, &rows.collect::<Vec<f64>>(), 1e-4)
}

/// A float with four bits of exponent and three of mantissa.
#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct E4M3(u8);

#[device]
impl From<f32> for E4M3 {
    fn from(x: f32) -> Self {
        if x.is_nan() {
            return Self(0x7f);
        }
        let (sign, size) = ((x.to_bits() >> 24) as u8 & 0x80, x.abs().min(448.0));
        if size < 2f32.powi(-6) {
            return Self(sign | (size * 512.0).round_ties_even() as u8);
        }
        let bits = size.to_bits();
        let rounded = (bits + 0x7_ffff + ((bits >> 20) & 1)) >> 20;
        Self(sign | (rounded - (120 << 3)) as u8)
    }
}

#[device]
impl From<E4M3> for f32 {
    fn from(E4M3(bits): E4M3) -> f32 {
        let sign = if bits & 0x80 == 0 { 1.0 } else { -1.0 };
        let mantissa = f32::from(bits & 7);
        match (bits >> 3) & 15 {
            15 if bits & 7 == 7 => f32::NAN,
            0 => sign * mantissa / 512.0,
            exponent => sign * (1.0 + mantissa / 8.0) * 2f32.powi(i32::from(exponent) - 7),
        }
    }
}

#[kernel]
fn through_eight_bits(x: &[f32], codes: &mut [E4M3], back: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        codes[i] = x[i].into();
        back[i] = codes[i].into();
    }
}

fn eight_bits(on: &Engine) -> Check {
    let scaled = numbers(600).into_iter().enumerate();
    let mut x: Vec<f32> = scaled.map(|(i, x)| x * 2f32.powi(i as i32 % 22 - 12)).collect();
    x.extend([0.0, -0.0, 448.0, 1e9, -1e9, f32::NAN]);
    let (mut codes, mut back) = (vec![E4M3(0); x.len()], vec![0.0; x.len()]);
    let config = LaunchConfig::cover(x.len());
    launch!(on, through_eight_bits(read x, write codes, write back), config)?;
    let sizes = (0..127u8).map(|code| match (code >> 3, f32::from(code & 7)) {
        (0, mantissa) => mantissa / 512.0,
        (exponent, mantissa) => (8.0 + mantissa) * 2f32.powi(i32::from(exponent) - 10),
    });
    let sizes: Vec<f32> = sizes.collect();
    let off = |x: f32| sizes.iter().map(|size| (size - x.abs()).abs()).fold(f32::MAX, f32::min);
    let near = x.iter().zip(&back).map(|(x, back)| (back.abs() - x.abs()).abs());
    let want: Vec<f32> = x.iter().map(|x| if x.is_nan() { *x } else { off(*x) }).collect();
    same("error", &near.collect::<Vec<_>>(), &want)
}

#[device]
const fn zigzag_order() -> [u8; 64] {
    let mut order = [0; 64];
    let (mut x, mut y, mut i) = (0, 0, 0);
    while i < 64 {
        order[i] = 8 * y + x;
        (x, y) = match ((x + y) % 2, x, y) {
            (0, 7, _) => (x, y + 1),
            (0, _, 0) => (x + 1, y),
            (0, ..) => (x + 1, y - 1),
            (_, _, 7) => (x + 1, y),
            (_, 0, _) => (x, y + 1),
            _ => (x - 1, y + 1),
        };
        i += 1;
    }
    order
}

#[device]
const ZIGZAG: [u8; 64] = zigzag_order();

/// Finds runs of zeros and the number after each, in the order of frequencies.
#[kernel]
fn runs(
    table: [[u16; 8]; 8],
    blocks: &[[[f32; 8]; 8]],
    found: &mut [[[i16; 2]; 64]],
    counts: &mut [u32],
) {
    let i = global_idx_x();
    let Some(block) = blocks.get(i) else { return };
    let cells = block.as_flattened().iter().zip(table.as_flattened());
    let mut quantized = [0i16; 64];
    quantized
        .iter_mut()
        .zip(cells)
        .for_each(|(q, (x, by))| *q = (x / f32::from(*by)).round() as i16);
    let ordered = ZIGZAG.map(|at| quantized[usize::from(at)]);
    let end = ordered.iter().rposition(|&q| q != 0).map_or(0, |last| last + 1);
    let mut count = 0;
    let mut emit = |run| {
        found[i][count] = run;
        count += 1;
    };
    let mut zeros = 0;
    for &q in &ordered[..end] {
        if q == 0 {
            zeros += 1;
        } else {
            emit([std::mem::take(&mut zeros), q]);
        }
    }
    counts[i] = count as u32;
}

fn zigzag(on: &Engine) -> Check {
    let cell = |x: &[f32], at: usize| x[at] * 60.0 / (1 + (at / 8) * (at % 8)) as f32;
    let given = numbers(64 * 5);
    let flat: Vec<f32> =
        given.chunks(64).flat_map(|x| (0..64).map(move |at| cell(x, at))).collect();
    let blocks: Vec<[[f32; 8]; 8]> = flat.as_chunks().0.as_chunks().0.to_vec();
    let table = std::array::from_fn(|y| std::array::from_fn(|x| (4 + 3 * x + 2 * y) as u16));
    let (mut found, mut counts) = (vec![[[0i16; 2]; 64]; 5], vec![0u32; 5]);
    let config = LaunchConfig::cover(5);
    launch!(on, runs(value table, read blocks, write found, write counts), config)?;
    for (block, (found, count)) in blocks.iter().zip(found.iter().zip(&counts)) {
        let mut numbers = found[..*count as usize]
            .iter()
            .flat_map(|[zeros, q]| std::iter::repeat_n(0, *zeros as usize).chain([*q]));
        // Along the diagonals, up and down in turn.
        let mut places: Vec<(usize, usize)> = (0..64).map(|at| (at % 8, at / 8)).collect();
        places.sort_by_key(|(x, y)| (x + y, if (x + y) % 2 == 0 { *x } else { *y }));
        for (x, y) in places {
            let want = (block[y][x] / f32::from(table[y][x])).round() as i16;
            equal("number", &[numbers.next().unwrap_or(0)], &[want])?;
        }
    }
    Ok(())
}

#[device]
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes in Base64 the combination of data with a repeated key.
#[kernel]
fn encode(key: &[u8], x: &[u8], y: &mut [[u8; 4]]) {
    let i = global_idx_x();
    let Some(part) = x.chunks(3).nth(i) else { return };
    let keys = key.iter().cycle().skip(3 * i);
    let masked = part.iter().zip(keys).map(|(x, key)| x ^ key);
    let bits = masked.chain(std::iter::repeat(0)).take(3).fold(0u32, |w, b| w << 8 | u32::from(b));
    let mut four = [18, 12, 6, 0].map(|shift| LETTERS[(bits >> shift) as usize & 63]);
    four[part.len() + 1..].fill(b'=');
    y[i] = four;
}

fn letters(on: &Engine) -> Check {
    let (key, x) = (b"key!?".to_vec(), b"Many hands make light work.!".to_vec());
    let mut y = vec![[0u8; 4]; x.len().div_ceil(3)];
    launch!(on, encode(read key, read x, write y), LaunchConfig::cover(y.len()))?;
    let text = y.as_flattened().iter().take_while(|letter| **letter != b'=');
    let value = |letter: &u8| LETTERS.iter().position(|known| known == letter).unwrap();
    let bits: String = text.map(|letter| format!("{:06b}", value(letter))).collect();
    let bytes = bits
        .as_bytes()
        .chunks_exact(8)
        .map(|byte| u8::from_str_radix(std::str::from_utf8(byte).unwrap(), 2).unwrap());
    let back: Vec<u8> = bytes.enumerate().map(|(i, byte)| byte ^ key[i % 5]).collect();
    equal("back", &back, &x)
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
struct Modulo<const P: u32>(u32);

#[device]
impl<const P: u32> Modulo<P> {
    const ONE: Self = Self(1);

    fn pow(self, exponent: u32) -> Self {
        let squares = std::iter::successors(Some(self), |x| Some(*x * *x)).enumerate();
        let bits = 32 - exponent.leading_zeros();
        squares
            .take(bits as usize)
            .filter_map(|(bit, x)| ((exponent >> bit) & 1 == 1).then_some(x))
            .product()
    }

    fn inverse(self) -> Option<Self> {
        (self.0 != 0).then(|| self.pow(P - 2))
    }
}

#[device]
impl<const P: u32> Add for Modulo<P> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let sum = self.0 + other.0;
        Self(sum.checked_sub(P).unwrap_or(sum))
    }
}

#[device]
impl<const P: u32> Sub for Modulo<P> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.checked_sub(other.0).unwrap_or_else(|| self.0 + P - other.0))
    }
}

#[device]
impl<const P: u32> Mul for Modulo<P> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self((u64::from(self.0) * u64::from(other.0) % u64::from(P)) as u32)
    }
}

#[device]
impl<const P: u32> MulAssign for Modulo<P> {
    fn mul_assign(&mut self, other: Self) {
        *self = *self * other;
    }
}

#[device]
impl<const P: u32> Product for Modulo<P> {
    fn product<I: Iterator<Item = Self>>(factors: I) -> Self {
        factors.fold(Self::ONE, Mul::mul)
    }
}

#[device]
const PRIME: u32 = 998_244_353;

#[device]
type Field = Modulo<PRIME>;

/// A Fourier transform modulo a prime.
#[kernel(block = 64)]
fn transform(x: &mut [Field], inverses: &mut [u32]) {
    const LOG: u32 = 7;
    let data = shared!([Field; 128]);
    let t = thread_idx_x();
    for i in [t, t + 64] {
        data[i.reverse_bits() >> (usize::BITS - LOG)] = x[i];
    }
    sync_threads();
    for stage in 0..LOG {
        let half = 1 << stage;
        let (first, j) = (t / half * 2 * half, t % half);
        let mut turn = Modulo(3).pow((PRIME - 1) >> (stage + 1));
        turn = turn.pow(j as u32);
        turn *= data[first + j + half];
        let sum = data[first + j] + turn;
        let difference = data[first + j] - turn;
        sync_threads();
        (data[first + j], data[first + j + half]) = (sum, difference);
        sync_threads();
    }
    for i in [t, t + 64] {
        x[i] = data[i];
        inverses[i] = data[i].inverse().map_or(0, |inverse| (inverse * data[i]).0);
    }
}

fn number_theory(on: &Engine) -> Check {
    let mut x: Vec<Field> = noise(128).into_iter().map(|v| Modulo(v % PRIME)).collect();
    let (given, mut inverses) = (x.clone(), vec![0; 128]);
    launch!(on, transform(write x, write inverses), LaunchConfig::grid(1))?;
    let modulus = u64::from(PRIME);
    let powers = |base: u64| std::iter::successors(Some(1), move |x| Some(x * base % modulus));
    let root = powers(3).nth((PRIME as usize - 1) / 128).unwrap();
    let turns: Vec<u64> = powers(root).take(128).collect();
    let want = (0..128).map(|k| {
        let terms = (0..128).map(|j| u64::from(given[j].0) * turns[j * k % 128] % modulus);
        Modulo((terms.sum::<u64>() % modulus) as u32)
    });
    equal("x", &x, &want.collect::<Vec<_>>())?;
    equal("inverses", &inverses, &[1; 128])
}

/// A number of 32 bits per element, the lowest first.
#[device]
#[derive(Clone, Copy, PartialEq, Eq)]
struct Big<const N: usize>([u32; N]);

#[device]
impl<const N: usize> PartialOrd for Big<N> {
    fn partial_cmp(&self, other: &Self) -> Option<cmp::Ordering> {
        Some(self.cmp(other))
    }
}

#[device]
impl<const N: usize> Ord for Big<N> {
    fn cmp(&self, other: &Self) -> cmp::Ordering {
        self.0.iter().rev().cmp(other.0.iter().rev())
    }
}

#[device]
impl<const N: usize> Big<N> {
    fn wrapping_sub(self, other: Self) -> Self {
        let mut borrow = 0;
        Self(std::array::from_fn(|i| {
            let (rest, first) = self.0[i].overflowing_sub(other.0[i]);
            let (rest, second) = rest.overflowing_sub(std::mem::take(&mut borrow));
            borrow = u32::from(first || second);
            rest
        }))
    }

    /// Returns `self * other / 2^(32 * N)` modulo an odd number.
    fn montgomery(self, other: Self, modulus: &Self, inverse: u32) -> Self {
        let (mut sum, mut high) = ([0u32; N], 0u64);
        for &digit in &other.0 {
            let mut carry = 0;
            for (sum, &x) in sum.iter_mut().zip(&self.0) {
                let wide = u64::from(x) * u64::from(digit) + u64::from(*sum) + carry;
                (*sum, carry) = (wide as u32, wide >> 32);
            }
            high += carry;
            let factor = u64::from(sum[0].wrapping_mul(inverse));
            let mut carry = (u64::from(sum[0]) + factor * u64::from(modulus.0[0])) >> 32;
            for i in 1..N {
                let wide = u64::from(sum[i]) + factor * u64::from(modulus.0[i]) + carry;
                (sum[i - 1], carry) = (wide as u32, wide >> 32);
            }
            high += carry;
            sum[N - 1] = high as u32;
            high >>= 32;
        }
        let sum = Self(sum);
        if high > 0 || sum >= *modulus { sum.wrapping_sub(*modulus) } else { sum }
    }
}

#[kernel]
fn multiply<const N: usize>(
    modulus: [u32; N],
    inverse: u32,
    a: &[[u32; N]],
    b: &[[u32; N]],
    out: &mut [[u32; N]],
) {
    let i = global_idx_x();
    if i < out.len() {
        out[i] = Big(a[i]).montgomery(Big(b[i]), &Big(modulus), inverse).0;
    }
}

fn montgomery_products(on: &Engine) -> Check {
    let modulus_of_all = 0xffff_ffff_0000_01c5_u64;
    let modulus = [modulus_of_all as u32, (modulus_of_all >> 32) as u32];
    // Each step doubles the number of correct bits.
    let mut inverse = 1u32;
    (0..5).for_each(|_| {
        inverse = inverse.wrapping_mul(2u32.wrapping_sub(modulus[0].wrapping_mul(inverse)));
    });
    inverse = inverse.wrapping_neg();
    let digits: Vec<[u32; 2]> = noise(400).as_chunks().0.to_vec();
    let below = digits.into_iter().map(|[low, high]| [low, high % 0xffff_ffff]);
    let (a, b): (Vec<_>, Vec<_>) = below.enumerate().partition(|(i, _)| i % 2 == 0);
    let [a, b] = [a, b].map(|list| list.into_iter().map(|(_, x)| x).collect::<Vec<_>>());
    let mut out = vec![[0; 2]; 100];
    let config = LaunchConfig::cover(100);
    launch!(on, multiply(value modulus, value inverse, read a, read b, write out), config)?;
    let whole = |[low, high]: [u32; 2]| u128::from(low) | u128::from(high) << 32;
    let all = u128::from(modulus_of_all);
    let got: Vec<u128> = out.iter().map(|x| (whole(*x) << 64) % all).collect();
    let want: Vec<u128> = a.iter().zip(&b).map(|(a, b)| whole(*a) * whole(*b) % all).collect();
    equal("products", &got, &want)
}
