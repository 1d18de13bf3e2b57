//! Cryptography: hashes and finite fields, with user-defined operators and iterators.
use super::noise;
use crate::run::engine::{Check, Engine, cases, equal, launch, same};
use std::ops::{Add, BitXorAssign, Mul, Sub};
use warpwise::prelude::*;

cases![sha3_256, sip_hashes, field_25519];

/// A state of five rows of five lanes.
#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct State([[u64; 5]; 5]);
#[device]
const fn rotations() -> [[u32; 5]; 5] {
    let mut all = [[0; 5]; 5];
    let (mut x, mut y, mut t) = (1, 0, 0);
    while t < 24 {
        all[y][x] = ((t + 1) * (t + 2) / 2) % 64;
        (x, y) = (y, (2 * x + 3 * y) % 5);
        t += 1;
    }
    all
}
#[device]
const ROTATIONS: [[u32; 5]; 5] = rotations();
#[device]
struct Lfsr(u8);
#[device]
impl Iterator for Lfsr {
    type Item = bool;
    fn next(&mut self) -> Option<bool> {
        let bit = self.0 & 1 == 1;
        self.0 = if self.0 & 0x80 != 0 { self.0 << 1 ^ 0x71 } else { self.0 << 1 };
        Some(bit)
    }
}
#[device]
impl State {
    fn theta(&mut self) {
        let c: [u64; 5] = std::array::from_fn(|x| self.0.iter().fold(0, |sum, row| sum ^ row[x]));
        for row in self.0.iter_mut() {
            for (x, lane) in row.iter_mut().enumerate() {
                *lane ^= c[(x + 4) % 5] ^ c[(x + 1) % 5].rotate_left(1);
            }
        }
    }
    fn rho_pi(&self) -> Self {
        let mut to = Self::default();
        for (y, row) in self.0.iter().enumerate() {
            for (x, &lane) in row.iter().enumerate() {
                to.0[(2 * x + 3 * y) % 5][y] = lane.rotate_left(ROTATIONS[y][x]);
            }
        }
        to
    }
    fn chi(self) -> Self {
        Self(
            self.0
                .map(|row| std::array::from_fn(|x| row[x] ^ !row[(x + 1) % 5] & row[(x + 2) % 5])),
        )
    }
    fn permute(&mut self) {
        let mut bits = Lfsr(1);
        for _ in 0..24 {
            self.theta();
            *self = self.rho_pi().chi();
            self.0[0][0] ^= (0..7)
                .zip(bits.by_ref())
                .filter(|(_, bit)| *bit)
                .fold(0, |all, (j, _)| all | 1 << ((1u32 << j) - 1));
        }
    }
}
#[kernel]
fn sha3(messages: &[[u8; 32]], out: &mut [[u64; 4]]) {
    let (Some(message), Some(out)) = (messages.get(global_idx_x()), out.get_mut(global_idx_x()))
    else {
        return;
    };
    let mut state = State::default();
    for (lane, bytes) in state.0.as_flattened_mut().iter_mut().zip(message.as_chunks::<8>().0) {
        *lane ^= u64::from_le_bytes(*bytes);
    }
    state.0[0][4] ^= 6;
    state.0[3][1] ^= 1 << 63;
    state.permute();
    let [[a, b, c, d, _], ..] = state.0;
    *out = [a, b, c, d];
}

/// Permutes lanes in one array, with the tables of rotations and places written out.
fn permuted(a: &mut [u64; 25]) {
    const TURNS: [u32; 24] =
        [1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44];
    const PLACES: [usize; 24] =
        [10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1];
    let mut bits = 1u8;
    for _ in 0..24 {
        let c: Vec<u64> = (0..5).map(|x| (0..5).fold(0, |sum, y| sum ^ a[x + 5 * y])).collect();
        (0..25).for_each(|at| a[at] ^= c[(at + 4) % 5] ^ c[(at + 1) % 5].rotate_left(1));
        let mut lane = a[1];
        for (turn, place) in TURNS.into_iter().zip(PLACES) {
            lane = std::mem::replace(&mut a[place], lane.rotate_left(turn));
        }
        for row in a.chunks_mut(5) {
            let old = row.to_vec();
            (0..5).for_each(|x| row[x] ^= !old[(x + 1) % 5] & old[(x + 2) % 5]);
        }
        for j in 0..7 {
            a[0] ^= u64::from(bits & 1) << ((1 << j) - 1);
            bits = bits << 1 ^ if bits >> 7 == 1 { 0x71 } else { 0 };
        }
    }
}

fn sha3_256(on: &Engine) -> Check {
    let bytes: Vec<u8> = noise(20 * 32).into_iter().map(|v| (v >> 9) as u8).collect();
    let messages: Vec<[u8; 32]> = bytes.as_chunks().0.to_vec();
    let mut out = vec![[0u64; 4]; 20];
    launch!(on, sha3(read messages, write out), LaunchConfig::cover(20))?;
    let want = |message: &[u8; 32]| {
        let mut lanes = [0u64; 25];
        for (lane, bytes) in lanes.iter_mut().zip(message.as_chunks::<8>().0) {
            *lane = u64::from_le_bytes(*bytes);
        }
        (lanes[4], lanes[16]) = (6, 1 << 63);
        permuted(&mut lanes);
        [lanes[0], lanes[1], lanes[2], lanes[3]]
    };
    equal("out", &out, &messages.iter().map(want).collect::<Vec<_>>())
}

/// SipHash with `C` rounds per word, and `D` at the end.
#[device]
#[derive(Clone, Copy)]
struct Sip<const C: u32, const D: u32> {
    v0: u64,
    v1: u64,
    v2: u64,
    v3: u64,
}
#[device]
impl<const C: u32, const D: u32> Sip<C, D> {
    fn new((k0, k1): (u64, u64)) -> Self {
        Self {
            v0: k0 ^ 0x736f_6d65_7073_6575,
            v1: k1 ^ 0x646f_7261_6e64_6f6d,
            v2: k0 ^ 0x6c79_6765_6e65_7261,
            v3: k1 ^ 0x7465_6462_7974_6573,
        }
    }
    fn round(&mut self) {
        let Self { v0, v1, v2, v3 } = self;
        *v0 = v0.wrapping_add(*v1);
        *v2 = v2.wrapping_add(*v3);
        *v1 = v1.rotate_left(13) ^ *v0;
        *v3 = v3.rotate_left(16) ^ *v2;
        *v0 = v0.rotate_left(32);
        *v2 = v2.wrapping_add(*v1);
        *v0 = v0.wrapping_add(*v3);
        *v1 = v1.rotate_left(17) ^ *v2;
        *v3 = v3.rotate_left(21) ^ *v0;
        *v2 = v2.rotate_left(32);
    }
    fn finish(mut self) -> u64 {
        self.v2 ^= 0xff;
        (0..D).for_each(|_| self.round());
        self.v0 ^ self.v1 ^ self.v2 ^ self.v3
    }
}
#[device]
impl<const C: u32, const D: u32> BitXorAssign<u64> for Sip<C, D> {
    fn bitxor_assign(&mut self, word: u64) {
        self.v3 ^= word;
        for _ in 0..C {
            self.round();
        }
        self.v0 ^= word;
    }
}
#[device]
fn sip_hash<const C: u32, const D: u32>(key: (u64, u64), data: &[u8]) -> u64 {
    let mut state = Sip::<C, D>::new(key);
    let (words, rest) = data.as_chunks::<8>();
    for word in words {
        state ^= u64::from_le_bytes(*word);
    }
    let tail = rest.iter().zip((0..).step_by(8)).map(|(byte, at)| u64::from(*byte) << at);
    state ^= tail.sum::<u64>() | (data.len() as u64) << 56;
    state.finish()
}
#[kernel]
fn sip(key: [u64; 2], data: &[u8], out: &mut [u64]) {
    let [low, high] = key;
    let key = (low, high);
    if let Some(out) = out.get_mut(global_idx_x()) {
        *out = sip_hash::<2, 4>(key, &data[..global_idx_x()]);
    }
}

fn sip_hashes(on: &Engine) -> Check {
    let data: Vec<u8> = (0..40).collect();
    let mut out = vec![0u64; 40];
    let key = [0x0706_0504_0302_0100_u64, 0x0f0e_0d0c_0b0a_0908];
    launch!(on, sip(value key, read data, write out), LaunchConfig::cover(40))?;
    // The values that the authors publish for these keys and this data.
    let known = [0x726f_db47_dd0e_0e31_u64, 0x74f8_39c5_93dc_67fd, 0x0d6c_8009_d9a9_4f5a];
    same("out", &out[..3], &known)?;
    same("of 15", &out[15..16], &[0xa129_ca61_49be_45e5])
}

/// A number modulo 2^255 - 19, as five limbs of 51 bits; the top limb may exceed them.
#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fe([u64; 5]);
#[device]
#[derive(Clone, Copy, Default)]
struct Wide {
    low: u64,
    high: u64,
}
#[device]
impl Wide {
    fn product(a: u64, b: u64) -> Self {
        let (low, high) = a.carrying_mul(b, 0);
        Self { low, high }
    }
    fn shr51(self) -> u64 {
        self.low >> 51 | self.high << 13
    }
}
#[device]
impl Add for Wide {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        let (low, carry) = self.low.overflowing_add(o.low);
        Self { low, high: self.high + o.high + u64::from(carry) }
    }
}
#[device]
impl std::iter::Sum for Wide {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |a, b| a + b)
    }
}
#[device]
impl Fe {
    const MASK: u64 = (1 << 51) - 1;
    const ONE: Self = Self([1, 0, 0, 0, 0]);
    fn carried(mut self) -> Self {
        let first = self.0[0] >> 51;
        let carry = self.0[1..].iter_mut().fold(first, |carry, limb| {
            *limb += carry;
            let next = *limb >> 51;
            *limb &= Fe::MASK;
            next
        });
        self.0[0] = (self.0[0] & Self::MASK) + 19 * carry;
        self
    }
    fn square(self) -> Self {
        self * self
    }
    fn pow(self, exponent: &[u64; 4]) -> Self {
        let bits =
            exponent.iter().rev().flat_map(|word| (0..64).rev().map(move |k| word >> k & 1 == 1));
        bits.fold(Self::ONE, |power, bit| {
            let square = power.square();
            if bit { square * self } else { square }
        })
    }
    fn invert(self) -> Self {
        self.pow(&[u64::MAX - 20, u64::MAX, u64::MAX, u64::MAX >> 1])
    }
}
#[device]
impl Mul for Fe {
    type Output = Self;
    fn mul(self, Self(b): Self) -> Self {
        let Self(a) = self;
        let mut columns: [Wide; 5] = std::array::from_fn(|k| {
            (0..5)
                .map(|i| {
                    let j = (k + 5 - i) % 5;
                    Wide::product(a[i], if i > k { 19 * b[j] } else { b[j] })
                })
                .sum()
        });
        for k in 0..4 {
            let carry = columns[k].shr51();
            columns[k + 1] = columns[k + 1] + Wide { low: carry, high: 0 };
        }
        let mut limbs = columns.map(|c| c.low & Self::MASK);
        limbs[0] += 19 * columns[4].shr51();
        Self(limbs).carried()
    }
}
#[device]
impl Sub for Fe {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        let mut limbs = self.0;
        limbs.iter_mut().zip(o.0).enumerate().for_each(|(i, (a, b))| {
            *a += if i == 0 { 0xf_ffff_ffff_ffda } else { 0xf_ffff_ffff_fffe } - b
        });
        Self(limbs).carried()
    }
}
#[kernel]
fn fields(a: &[Fe], b: &[Fe], products: &mut [Fe], ones: &mut [Fe], differences: &mut [Fe]) {
    let i = global_idx_x();
    if i >= a.len() {
        return;
    }
    products[i] = a[i] * b[i];
    ones[i] = a[i] * a[i].invert();
    differences[i] = a[i] - b[i];
}

/// Returns the value modulo 2^255 - 19, bit by bit: limbs of 32 bits, the lowest first.
fn reduced(limbs: impl Iterator<Item = (usize, u64)>) -> [u32; 8] {
    const MODULUS: [u32; 8] = [0xffff_ffed, !0, !0, !0, !0, !0, !0, 0x7fff_ffff];
    let mut value = [0u32; 9];
    let mut all: Vec<(usize, u64)> = limbs.collect();
    all.sort_unstable();
    let top = all.iter().map(|(shift, _)| shift + 64).max().unwrap_or(0);
    // From the highest bit on: double, add the bits that start here, subtract the modulus.
    let mut wide = vec![0u64; top / 32 + 4];
    for (shift, limb) in all {
        let shifted = u128::from(limb) << (shift % 32);
        let mut carry = 0;
        for (k, word) in wide[shift / 32..].iter_mut().enumerate() {
            let part = if k < 4 { (shifted >> (32 * k)) as u64 & 0xffff_ffff } else { 0 };
            let sum = *word + part + carry;
            (*word, carry) = (sum & 0xffff_ffff, sum >> 32);
        }
    }
    for word in wide.into_iter().rev() {
        for bit in (0..32).rev() {
            let mut carry = (word >> bit & 1) as u32;
            for limb in &mut value {
                (*limb, carry) = (*limb << 1 | carry, *limb >> 31);
            }
            let mut less = value;
            let mut borrow = false;
            for (limb, by) in less.iter_mut().zip(MODULUS.into_iter().chain([0])) {
                let (once, first) = limb.overflowing_sub(by);
                let (twice, second) = once.overflowing_sub(u32::from(borrow));
                (*limb, borrow) = (twice, first | second);
            }
            if !borrow {
                value = less;
            }
        }
    }
    std::array::from_fn(|i| value[i])
}

fn field_25519(on: &Engine) -> Check {
    let words = noise(16 * 20);
    let limb = |at: usize| (u64::from(words[at]) << 32 | u64::from(words[at + 1])) & Fe::MASK;
    let element = |at: usize| Fe(std::array::from_fn(|k| limb(at + 2 * k)));
    let a: Vec<Fe> = (0..16).map(|i| element(20 * i)).collect();
    let b: Vec<Fe> = (0..16).map(|i| element(20 * i + 10)).collect();
    let zero = vec![Fe([0; 5]); 16];
    let (mut products, mut ones, mut differences) = (zero.clone(), zero.clone(), zero);
    launch!(
        on,
        fields(read a, read b, write products, write ones, write differences),
        LaunchConfig::cover(16).block(32)
    )?;
    let limbs = |of: &Fe| of.0.into_iter().enumerate().map(|(i, limb)| (51 * i, limb));
    for i in 0..16 {
        let of_two = limbs(&a[i]).flat_map(|(at, x)| {
            limbs(&b[i]).flat_map(move |(to, y)| {
                let product = u128::from(x) * u128::from(y);
                [(at + to, product as u64), (at + to + 64, (product >> 64) as u64)]
            })
        });
        same("product", &reduced(limbs(&products[i])), &reduced(of_two))?;
        same("one", &reduced(limbs(&ones[i])), &[1, 0, 0, 0, 0, 0, 0, 0])?;
        let sum = limbs(&differences[i]).chain(limbs(&b[i]));
        same("difference", &reduced(sum), &reduced(limbs(&a[i])))?;
    }
    Ok(())
}
