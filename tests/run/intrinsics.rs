//! Word instructions, and floats rounded in a direction.
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::prelude::*;

cases![words, carries, directions];

#[kernel]
fn of_words(a: &[u32], b: &[u32], c: &[u32], out: &mut [u32]) {
    let i = global_idx_x();
    if i < a.len() {
        let (a, b, c) = (a[i], b[i], c[i]);
        let at = i * 11;
        out[at] = bits::dot_bytes(a, b, c);
        out[at + 1] = bits::dot_bytes_signed(a as i32, b as i32, c as i32) as u32;
        out[at + 2] = bits::dot_halves_low(a, b, c);
        out[at + 3] = bits::dot_halves_low_signed(a as i32, b as i32, c as i32) as u32;
        out[at + 4] = bits::dot_halves_high(a, b, c);
        out[at + 5] = bits::dot_halves_high_signed(a as i32, b as i32, c as i32) as u32;
        out[at + 6] = bits::permute_bytes(a, b, c);
        out[at + 7] = bits::permute_bytes(a, b, 0x7d3c);
        out[at + 8] = bits::funnel_shl(a, b, c);
        out[at + 9] = bits::funnel_shr(a, b, c);
        out[at + 10] = bits::funnel_shl(a, b, 8) ^ bits::funnel_shr(a, b, 40);
    }
}

/// Computes the expected results by arithmetic in 64 bits.
fn meant(a: u32, b: u32, c: u32) -> [u32; 11] {
    let bytes = |word: u32| word.to_le_bytes().map(i64::from);
    let signed = |word: u32| word.to_le_bytes().map(|byte| i64::from(byte as i8));
    let halves = |word: u32| [word as u16, (word >> 16) as u16];
    let dot = |x: &[i64], y: &[i64]| {
        let products = x.iter().zip(y).map(|(x, y)| x * y);
        (products.sum::<i64>() + i64::from(c)) as u32
    };
    let (wide, narrow) = (halves(a).map(i64::from), halves(a).map(|half| i64::from(half as i16)));
    let all = [a.to_le_bytes(), b.to_le_bytes()].concat();
    let permuted = |selector: u32| {
        u32::from_le_bytes(std::array::from_fn(|at| {
            let choice = selector >> (4 * at);
            let byte = all[choice as usize & 7];
            match choice & 8 {
                0 => byte,
                _ if byte < 128 => 0,
                _ => 255,
            }
        }))
    };
    let both = u64::from(a) << 32 | u64::from(b);
    let up = |by: u32| (both << (by % 32) >> 32) as u32;
    let down = |by: u32| (both >> (by % 32)) as u32;
    [
        dot(&bytes(a), &bytes(b)),
        dot(&signed(a), &signed(b)),
        dot(&wide, &bytes(b)[..2]),
        dot(&narrow, &signed(b)[..2]),
        dot(&wide, &bytes(b)[2..]),
        dot(&narrow, &signed(b)[2..]),
        permuted(c),
        permuted(0x7d3c),
        up(c),
        down(c),
        up(8) ^ down(40),
    ]
}

fn words(on: &Engine) -> Check {
    let mut column = vec![0, 1, 31, 32, 33, 0x8080_8080, 0x7f7f_7f7f, 0x8000_8000, u32::MAX];
    column.extend((1..40_u32).map(|i| i.wrapping_mul(0x9e37_79b9).rotate_left(i)));
    let n = column.len();
    let a: Vec<u32> = (0..n * n).map(|i| column[i / n]).collect();
    let b: Vec<u32> = (0..n * n).map(|i| column[i % n]).collect();
    let c: Vec<u32> = (0..n * n).map(|i| column[(i / n + 3 * i) % n]).collect();
    let mut out = vec![0; a.len() * 11];
    launch!(on, of_words(read a, read b, read c, write out), LaunchConfig::cover(a.len()))?;
    let want: Vec<u32> = (0..a.len()).flat_map(|i| meant(a[i], b[i], c[i])).collect();
    same("out", &out, &want)
}

/// Numbers of 128 bits in four words and in two double words: sum, difference, and product with a
/// word.
#[kernel]
fn of_limbs(a: &[u32], b: &[u32], out: &mut [u32]) {
    let i = global_idx_x();
    if i < a.len() / 4 {
        let (mut carry, mut borrow, mut high) = (false, false, 0u32);
        for k in 0..4 {
            let (x, y) = (a[i * 4 + k], b[i * 4 + k]);
            (out[i * 20 + k], carry) = x.carrying_add(y, carry);
            (out[i * 20 + 4 + k], borrow) = x.borrowing_sub(y, borrow);
            (out[i * 20 + 8 + k], high) = x.carrying_mul(b[i * 4], high);
        }
        let (mut wide_carry, mut wide_borrow) = (carry, borrow);
        for k in 0..2 {
            let at = i * 4 + k * 2;
            let x = (a[at + 1] as u64) << 32 | a[at] as u64;
            let y = (b[at + 1] as u64) << 32 | b[at] as u64;
            let (sum, difference);
            (sum, wide_carry) = x.carrying_add(y, wide_carry);
            (difference, wide_borrow) = x.borrowing_sub(y, wide_borrow);
            let to = i * 20 + 12 + k * 2;
            (out[to], out[to + 1]) = (sum as u32, (sum >> 32) as u32);
            (out[to + 4], out[to + 5]) = (difference as u32, (difference >> 32) as u32);
        }
    }
}

fn carries(on: &Engine) -> Check {
    let limb = |i: u32| match i.wrapping_mul(0x9e37_79b9) >> 30 {
        0 => 0,
        1 => u32::MAX,
        _ => i.wrapping_mul(0x85eb_ca6b),
    };
    let a: Vec<u32> = (0..2000).map(limb).collect();
    let b: Vec<u32> = (5000..7000).map(limb).collect();
    let mut out = vec![0; a.len() * 5];
    launch!(on, of_limbs(read a, read b, write out), LaunchConfig::cover(a.len() / 4))?;
    let number =
        |limbs: &[u32]| limbs.iter().rev().fold(0, |all, limb| all << 32 | u128::from(*limb));
    let limbs = |number: u128| [0, 1, 2, 3].map(|k| (number >> (32 * k)) as u32);
    let want: Vec<u32> = (0..a.len() / 4)
        .flat_map(|i| {
            let (x, y) = (number(&a[i * 4..][..4]), number(&b[i * 4..][..4]));
            let (sum, carry) = x.overflowing_add(y);
            let (difference, borrow) = x.overflowing_sub(y);
            [
                sum,
                difference,
                x.wrapping_mul(y & 0xffff_ffff),
                sum.wrapping_add(carry.into()),
                difference.wrapping_sub(borrow.into()),
            ]
            .map(limbs)
        })
        .flatten()
        .collect();
    same("out", &out, &want)
}

#[kernel]
fn in_directions(x: &[f32], y: &[f32], z: &[f32], out: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        let (x, y, z) = (x[i], y[i], z[i]);
        let at = i * 12;
        out[at] = directed::add_to_zero(x, y);
        out[at + 1] = directed::add_up(x, y);
        out[at + 2] = directed::add_down(x, y);
        out[at + 3] = directed::sub_to_zero(x, y);
        out[at + 4] = directed::sub_up(x, y);
        out[at + 5] = directed::sub_down(x, y);
        out[at + 6] = directed::mul_to_zero(x, y);
        out[at + 7] = directed::mul_up(x, y);
        out[at + 8] = directed::mul_down(x, y);
        out[at + 9] = directed::mul_add_to_zero(x, y, z);
        out[at + 10] = directed::mul_add_up(x, y, z);
        out[at + 11] = directed::mul_add_down(x, y, z);
    }
}

/// Returns a number as a multiple of 2^-100, which it must be.
fn integer(x: f32) -> i128 {
    (f64::from(x) * 2f64.powi(100)) as i128
}

/// Rounds a multiple of 2^-100 to 24 bits: toward zero, up and down. A zero sum is -0 only when
/// rounded down.
fn rounded(exact: i128) -> [f32; 3] {
    let magnitude = exact.unsigned_abs();
    let unused = (128 - magnitude.leading_zeros()).saturating_sub(24);
    let kept = magnitude >> unused;
    let number = |kept: u128| {
        let magnitude = (kept as f64 * 2f64.powi(unused as i32 - 100)) as f32;
        if exact < 0 { -magnitude } else { magnitude }
    };
    let inward = number(kept);
    let outward = number(kept + u128::from(kept << unused != magnitude));
    match exact {
        0 => [0.0, 0.0, -0.0],
        1.. => [inward, outward, inward],
        _ => [inward, inward, outward],
    }
}

fn directions(on: &Engine) -> Check {
    // Magnitudes from 2^-8 to 2^8: all sums and products are multiples of 2^-100.
    let number = |i: u32| {
        let bits = i.wrapping_mul(0x9e37_79b9);
        f32::from_bits(bits & 0x807f_ffff | (119 + (bits >> 8) % 16) << 23)
    };
    let column = |first: u32| -> Vec<f32> { (0..2000).map(|i| number(3 * i + first)).collect() };
    let (mut x, mut y, z) = (column(0), column(1), column(2));
    for i in 0..100 {
        (x[i], y[i]) = (y[i + 100], y[i + 100] * if i % 2 == 0 { 1.0 } else { -1.0 });
    }
    let mut out = vec![0.0; x.len() * 12];
    launch!(on, in_directions(read x, read y, read z, write out), LaunchConfig::cover(x.len()))?;
    let want: Vec<f32> = (0..x.len())
        .flat_map(|i| {
            let [a, b, c] = [x[i], y[i], z[i]].map(integer);
            // A factor of 2^-50 each.
            let product = (a >> 50) * (b >> 50);
            [a + b, a - b, product, product + c].map(rounded)
        })
        .flatten()
        .collect();
    same("out", &out, &want)?;

    let mut edges = vec![0.0, 1.0, f32::MAX, f32::MIN_POSITIVE, 1e-45, 3e-39, f32::INFINITY, 0.5];
    edges.extend(edges.clone().iter().map(|x| -x));
    edges.push(f32::NAN);
    let n = edges.len();
    let x: Vec<f32> = (0..n * n * n).map(|i| edges[i % n]).collect();
    let y: Vec<f32> = (0..n * n * n).map(|i| edges[i / n % n]).collect();
    let z: Vec<f32> = (0..n * n * n).map(|i| edges[i / n / n]).collect();
    let mut out = vec![0.0; x.len() * 12];
    launch!(on, in_directions(read x, read y, read z, write out), LaunchConfig::cover(x.len()))?;
    let want: Vec<f32> = (0..x.len())
        .flat_map(|i| {
            let (x, y, z) = (x[i], y[i], z[i]);
            [
                directed::add_to_zero(x, y),
                directed::add_up(x, y),
                directed::add_down(x, y),
                directed::sub_to_zero(x, y),
                directed::sub_up(x, y),
                directed::sub_down(x, y),
                directed::mul_to_zero(x, y),
                directed::mul_up(x, y),
                directed::mul_down(x, y),
                directed::mul_add_to_zero(x, y, z),
                directed::mul_add_up(x, y, z),
                directed::mul_add_down(x, y, z),
            ]
        })
        .collect();
    same("edges", &out, &want)
}
