//! Every integer operator on every integer type, at edge values.
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::{f16, prelude::*};

cases![
    i8s,
    i16s,
    i32s,
    i64s,
    isizes,
    u8s,
    u16s,
    u32s,
    u64s,
    usizes,
    negation,
    bools,
    steps,
    short_extremes
];

/// Shift amounts below, at and far beyond every width; the amount counts modulo the width.
const AMOUNTS: [u32; 12] = [0, 1, 7, 8, 15, 16, 31, 32, 33, 63, 64, u32::MAX];

/// The kernels for one type, and the case that runs them.
macro_rules! integers {
    ($($ty:ident $case:ident [$($edge:expr),*])*) => {$(
        mod $case {
            use warpwise::prelude::*;

            #[kernel]
            pub(super) fn binary(a: &[$ty], b: &[$ty], divisor: &[$ty], out: &mut [$ty]) {
                let i = global_idx_x();
                if i >= a.len() {
                    return;
                }
                let x = a[i];
                let y = b[i];
                let at = i * 10;
                out[at] = x + y;
                out[at + 1] = x - y;
                out[at + 2] = x * y;
                out[at + 3] = x / divisor[i];
                out[at + 4] = x % divisor[i];
                out[at + 5] = x & y;
                out[at + 6] = x | y;
                out[at + 7] = x ^ y;
                out[at + 8] = x.min(y);
                out[at + 9] = x.max(y);
            }

            #[kernel]
            pub(super) fn assign(a: &[$ty], b: &[$ty], divisor: &[$ty], out: &mut [$ty]) {
                let i = global_idx_x();
                if i < a.len() {
                    let mut x = a[i];
                    x += b[i];
                    x *= 3;
                    x -= a[i];
                    x /= divisor[i];
                    x ^= b[i];
                    x |= 1;
                    x <<= 2;
                    x &= !b[i];
                    x >>= 1;
                    x %= 100;
                    out[i] = x;
                    out[i] += b[i];
                    out[i] *= out[i];
                }
            }

            #[kernel]
            pub(super) fn compare(a: &[$ty], b: &[$ty], out: &mut [bool]) {
                let i = global_idx_x();
                if i < a.len() {
                    out[i * 6] = a[i] == b[i];
                    out[i * 6 + 1] = a[i] != b[i];
                    out[i * 6 + 2] = a[i] < b[i];
                    out[i * 6 + 3] = a[i] <= b[i];
                    out[i * 6 + 4] = a[i] > b[i];
                    out[i * 6 + 5] = a[i] >= b[i];
                }
            }

            #[kernel]
            pub(super) fn shift(a: &[$ty], amount: &[u32], out: &mut [$ty]) {
                let i = global_idx_x();
                if i < a.len() {
                    let at = i * 5;
                    out[at] = a[i] << amount[i];
                    out[at + 1] = a[i] >> amount[i];
                    out[at + 2] = a[i] << (amount[i] as i8);
                    out[at + 3] = a[i] >> (amount[i] as u64);
                    out[at + 4] = !a[i];
                }
            }
        }

        fn $case(on: &Engine) -> Check {
            let edges: &[$ty] = &[$($edge),*];
            let a: Vec<$ty> = edges.iter().flat_map(|x| edges.iter().map(move |_| *x)).collect();
            let b: Vec<$ty> = edges.iter().flat_map(|_| edges).copied().collect();
            let divides = |x: $ty, y: $ty| x.checked_div(y).is_some();
            let divisor: Vec<$ty> =
                a.iter().zip(&b).map(|(&x, &y)| if divides(x, y) { y } else { 7 }).collect();
            let config = LaunchConfig::cover(a.len());

            let mut out = vec![0; a.len() * 10];
            use $case::binary;
            launch!(on, binary(read a, read b, read divisor, write out), config)?;
            let want: Vec<$ty> = (0..a.len())
                .flat_map(|i| {
                    let (x, y, d) = (a[i], b[i], divisor[i]);
                    [
                        x.wrapping_add(y), x.wrapping_sub(y), x.wrapping_mul(y), x / d, x % d,
                        x & y, x | y, x ^ y, x.min(y), x.max(y),
                    ]
                })
                .collect();
            same("binary", &out, &want)?;

            let mut out = vec![0; a.len()];
            // All divisors are positive, so that the smallest value is never divided by -1.
            let divisor: Vec<$ty> = divisor.iter().map(|d| d & 0x3f | 1).collect();
            use $case::assign;
            launch!(on, assign(read a, read b, read divisor, write out), config)?;
            let want: Vec<$ty> = (0..a.len())
                .map(|i| {
                    let x = a[i].wrapping_add(b[i]).wrapping_mul(3).wrapping_sub(a[i]) / divisor[i];
                    let x = (((x ^ b[i] | 1).wrapping_shl(2) & !b[i]) >> 1) % 100;
                    let x = x.wrapping_add(b[i]);
                    x.wrapping_mul(x)
                })
                .collect();
            same("assign", &out, &want)?;

            let mut out = vec![false; a.len() * 6];
            use $case::compare;
            launch!(on, compare(read a, read b, write out), config)?;
            let want: Vec<bool> = (0..a.len())
                .flat_map(|i| {
                    let order = a[i].cmp(&b[i]);
                    [
                        order.is_eq(), order.is_ne(), order.is_lt(),
                        order.is_le(), order.is_gt(), order.is_ge(),
                    ]
                })
                .collect();
            same("compare", &out, &want)?;

            let a: Vec<$ty> = edges.iter().flat_map(|x| AMOUNTS.map(|_| *x)).collect();
            let amount: Vec<u32> = edges.iter().flat_map(|_| AMOUNTS).collect();
            let mut out = vec![0; a.len() * 5];
            use $case::shift;
            launch!(on, shift(read a, read amount, write out), LaunchConfig::cover(a.len()))?;
            let want: Vec<$ty> = (0..a.len())
                .flat_map(|i| {
                    let (left, right) = (a[i].wrapping_shl(amount[i]), a[i].wrapping_shr(amount[i]));
                    [left, right, left, right, !a[i]]
                })
                .collect();
            same("shift", &out, &want)
        }
    )*};
}
integers! {
    i8 i8s [0, 1, 2, 5, 63, 64, 100, i8::MAX, -1, -2, -7, -64, i8::MIN + 1, i8::MIN]
    i16 i16s [0, 1, 2, 181, 255, 256, 10_000, i16::MAX, -1, -3, -256, i16::MIN + 1, i16::MIN]
    i32 i32s [0, 1, 3, 46_341, 65_535, 65_536, i32::MAX, -1, -2, -65_537, i32::MIN + 1, i32::MIN]
    i64 i64s [0, 1, 3, 0xffff_ffff, 0x1_0000_0000, 3_037_000_500, i64::MAX, -1, -9, -0x1_0000_0001, i64::MIN + 1, i64::MIN]
    isize isizes [0, 1, 1 << 40, isize::MAX, -1, -77, isize::MIN + 1, isize::MIN]
    u8 u8s [0, 1, 2, 15, 16, 127, 128, 200, u8::MAX - 1, u8::MAX]
    u16 u16s [0, 1, 255, 256, 257, 0x7fff, 0x8000, u16::MAX - 1, u16::MAX]
    u32 u32s [0, 1, 7, 65_535, 65_536, 65_537, 0x7fff_ffff, 0x8000_0000, u32::MAX - 1, u32::MAX]
    u64 u64s [0, 1, 0xffff_ffff, 0x1_0000_0000, 0x1_0000_0001, 1 << 63, (1 << 63) - 1, u64::MAX - 1, u64::MAX]
    usize usizes [0, 1, 10, 1 << 33, usize::MAX >> 1, usize::MAX]
}

/// Negation and absolute value, which unsigned types lack, and the literals at the edge.
macro_rules! signed {
    ($($ty:ident $case:ident)*) => {$(
        mod $case {
            use super::*;

            #[kernel]
            fn signed(a: &[$ty], out: &mut [$ty]) {
                let i = global_idx_x();
                if i < a.len() {
                    out[i * 4] = -a[i];
                    out[i * 4 + 1] = -(-a[i] + 1);
                    out[i * 4 + 2] = $ty::MIN;
                    out[i * 4 + 3] = -0x7f;
                }
            }

            pub(super) fn run(on: &Engine) -> Check {
                let a: Vec<$ty> = vec![0, 1, -1, 100, $ty::MAX, $ty::MIN, $ty::MIN + 1];
                let mut out = vec![0; a.len() * 4];
                launch!(on, signed(read a, write out), LaunchConfig::cover(a.len()))?;
                let want: Vec<$ty> = a
                    .iter()
                    .flat_map(|x| [x.wrapping_neg(), x.wrapping_sub(1), $ty::MIN, -127])
                    .collect();
                same("signed", &out, &want)
            }
        }
    )*};
}
signed! { i8 negated_i8 i16 negated_i16 i32 negated_i32 i64 negated_i64 isize negated_isize }

fn negation(on: &Engine) -> Check {
    negated_i8::run(on)?;
    negated_i16::run(on)?;
    negated_i32::run(on)?;
    negated_i64::run(on)?;
    negated_isize::run(on)
}

#[kernel]
fn truth(a: &[bool], b: &[bool], out: &mut [bool]) {
    let i = global_idx_x();
    if i < a.len() {
        let at = i * 10;
        out[at] = a[i] & b[i];
        out[at + 1] = a[i] | b[i];
        out[at + 2] = a[i] ^ b[i];
        out[at + 3] = !a[i];
        out[at + 4] = a[i] && b[i];
        out[at + 5] = a[i] || b[i];
        out[at + 6] = a[i] == b[i];
        out[at + 7] = a[i] < b[i];
        out[at + 8] = a[i] >= b[i];
        let mut c = true;
        c &= a[i];
        c ^= b[i];
        c |= a[i];
        out[at + 9] = c;
    }
}

fn bools(on: &Engine) -> Check {
    let a = vec![false, false, true, true];
    let b = vec![false, true, false, true];
    let mut out = vec![false; 40];
    launch!(on, truth(read a, read b, write out), LaunchConfig::cover(4))?;
    let want: Vec<bool> = a
        .iter()
        .zip(&b)
        .flat_map(|(&a, &b)| {
            [a & b, a | b, a ^ b, !a, a & b, a | b, a == b, !a & b, a | !b, (a ^ b) | a]
        })
        .collect();
    same("out", &out, &want)
}

/// Differences and words of a variable that is set before they are used, with which they become one
/// instruction.
#[kernel]
fn steps_and_pairs(
    bytes: &[u8],
    words: &[i32],
    halves: &[f16],
    sums: &mut [[u32; 2]],
    pairs: &mut [u32],
) {
    let i = global_idx_x();
    if i < sums.len() {
        let (mut byte, mut word, mut half) = (0u8, i32::MIN, f16::ZERO);
        let (mut byte_sum, mut word_sum, mut pair) = (0u32, 0u32, 0u32);
        for k in i * 8..i * 8 + 8 {
            let (byte_step, word_step) = (byte.abs_diff(bytes[k]), word.abs_diff(words[k]));
            let high = (half.to_bits() as u32) << 16;
            byte = bytes[k];
            word = words[k];
            half = halves[k];
            byte_sum += byte_step as u32;
            word_sum += word_step;
            pair = pair.rotate_left(5) ^ (half.to_bits() as u32 | high);
        }
        sums[i] = [byte_sum, word_sum];
        pairs[i] = pair;
    }
}

fn steps(on: &Engine) -> Check {
    let bytes: Vec<u8> = (0..40u8).map(|k| k.wrapping_mul(89)).collect();
    let words: Vec<i32> = (0..40i32)
        .map(|k| if k % 5 == 0 { i32::MAX } else { k.wrapping_mul(0x4321_8765) })
        .collect();
    let halves: Vec<f16> = (0..40u16).map(|k| f16::from_bits(k * 641)).collect();
    let (mut sums, mut pairs) = (vec![[0; 2]; 5], vec![0; 5]);
    launch!(
        on,
        steps_and_pairs(read bytes, read words, read halves, write sums, write pairs),
        LaunchConfig::cover(5)
    )?;
    let (mut want_sums, mut want_pairs) = (Vec::new(), Vec::new());
    for row in 0..5 {
        let of = |k: usize| (bytes[row * 8 + k], words[row * 8 + k], halves[row * 8 + k].to_bits());
        let (mut sum, mut pair) = ([0u32; 2], 0u32);
        for k in 0..8 {
            let before = if k == 0 { (0, i32::MIN, 0) } else { of(k - 1) };
            sum[0] += u32::from(before.0.abs_diff(of(k).0));
            sum[1] = sum[1].wrapping_add(before.1.abs_diff(of(k).1));
            pair = pair.rotate_left(5) ^ (u32::from(of(k).2) | u32::from(before.2) << 16);
        }
        want_sums.push(sum);
        want_pairs.push(pair);
    }
    same("sums", sums.as_flattened(), want_sums.as_flattened())?;
    same("pairs", &pairs, &want_pairs)
}

/// Constants whose highest bit is set, and magnitudes of differences of bytes.
fn short_extremes(on: &Engine) -> Check {
    #[kernel]
    fn clamp(x: &[u16], y: &[i16], out: &mut [u16], signed: &mut [i16], apart: &mut [u32]) {
        let i = global_idx_x();
        if i < out.len() {
            out[i] = x[i].min(50_000).max(40_000);
            signed[i] = y[i].max(-30_000).min(-7);
            let (low, high) = (x[i] as u8, (x[i] >> 8) as u8);
            apart[i] = (low as i32 - high as i32).unsigned_abs()
                + (y[i] as i32 - x[i] as i32).abs() as u32;
        }
    }
    let x: Vec<u16> = (0..256).map(|i: u16| i.wrapping_mul(0x2f1d)).collect();
    let y: Vec<i16> = x.iter().map(|x| (x ^ 0x5555) as i16).collect();
    let (mut out, mut signed, mut apart) = (vec![0; 256], vec![0; 256], vec![0; 256]);
    launch!(
        on,
        clamp(read x, read y, write out, write signed, write apart),
        LaunchConfig::cover(256)
    )?;
    same("out", &out, &x.iter().map(|x| (*x).clamp(40_000, 50_000)).collect::<Vec<_>>())?;
    same("signed", &signed, &y.iter().map(|y| (*y).clamp(-30_000, -7)).collect::<Vec<_>>())?;
    let distance = |(x, y): (&u16, &i16)| {
        let bytes = u32::from((x & 0xff).abs_diff(x >> 8));
        bytes + i32::from(*y).abs_diff(i32::from(*x))
    };
    same("apart", &apart, &x.iter().zip(&y).map(distance).collect::<Vec<_>>())
}
