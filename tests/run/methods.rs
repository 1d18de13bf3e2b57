//! Methods, associated functions and constants of numbers.
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::prelude::*;

cases![
    i8s, i16s, i32s, i64s, isizes, u8s, u16s, u32s, u64s, usizes, signed, unsigned, f32s, f64s,
    float_bits, constants,
];

/// Pairs of edge values; the second is never zero.
macro_rules! pairs {
    ($ty:ident) => {{
        let edges = [
            0,
            1,
            2,
            3,
            7,
            100,
            $ty::MAX / 2,
            $ty::MAX - 1,
            $ty::MAX,
            $ty::MIN,
            $ty::MIN + 1,
            $ty::MIN / 2,
            (0 as $ty).wrapping_sub(1),
            (0 as $ty).wrapping_sub(5),
        ];
        let pairs = edges.iter().flat_map(|a| edges.iter().map(move |b| (*a, *b)));
        pairs.filter(|(a, b)| a.checked_div(*b).is_some()).unzip::<$ty, $ty, Vec<$ty>, Vec<$ty>>()
    }};
}

macro_rules! integers {
    ($($ty:ident $case:ident)*) => {$(
        fn $case(on: &Engine) -> Check {
            #[kernel]
            fn methods(a: &[$ty], b: &[$ty], amount: u32, out: &mut [$ty]) {
                let i = global_idx_x();
                if i < a.len() {
                    let x = a[i];
                    let y = b[i];
                    let at = i * 12;
                    out[at] = x.wrapping_add(y);
                    out[at + 1] = x.wrapping_sub(y);
                    out[at + 2] = x.wrapping_mul(y);
                    out[at + 3] = x.wrapping_neg();
                    out[at + 4] = x.wrapping_shl(amount);
                    out[at + 5] = x.wrapping_shr(amount);
                    out[at + 6] = x.saturating_add(y);
                    out[at + 7] = x.saturating_sub(y);
                    out[at + 8] = x.rotate_left(amount);
                    out[at + 9] = x.rotate_right(amount);
                    out[at + 10] = x.rem_euclid(y);
                    out[at + 11] = x.div_euclid(y);
                }
            }
            let (a, b) = pairs!($ty);
            for amount in [0, 1, 7, 13, 64, 77] {
                let mut out = vec![0; a.len() * 12];
                let config = LaunchConfig::cover(a.len());
                launch!(on, methods(read a, read b, value amount, write out), config)?;
                let want: Vec<$ty> = a
                    .iter()
                    .zip(&b)
                    .flat_map(|(&x, &y)| {
                        [
                            x.wrapping_add(y), x.wrapping_sub(y), x.wrapping_mul(y), x.wrapping_neg(),
                            x.wrapping_shl(amount), x.wrapping_shr(amount), x.saturating_add(y),
                            x.saturating_sub(y), x.rotate_left(amount), x.rotate_right(amount),
                            x.rem_euclid(y), x.div_euclid(y),
                        ]
                    })
                    .collect();
                same("out", &out, &want)?;
            }
            Ok(())
        }
    )*};
}
integers! {
    i8 i8s i16 i16s i32 i32s i64 i64s isize isizes u8 u8s u16 u16s u32 u32s u64 u64s usize usizes
}

fn signed(on: &Engine) -> Check {
    macro_rules! each {
        ($($ty:ident $unsigned:ident)*) => {$({
            #[kernel]
            fn methods(a: &[$ty], b: &[$ty], out: &mut [$ty], wide: &mut [$unsigned], is: &mut [bool]) {
                let i = global_idx_x();
                if i < a.len() {
                    out[i * 2] = a[i].wrapping_abs();
                    out[i * 2 + 1] = a[i].signum();
                    wide[i * 2] = a[i].unsigned_abs();
                    wide[i * 2 + 1] = a[i].abs_diff(b[i]);
                    is[i * 2] = a[i].is_positive();
                    is[i * 2 + 1] = a[i].is_negative();
                }
            }
            let (a, b) = pairs!($ty);
            let (mut out, mut wide) = (vec![0; a.len() * 2], vec![0; a.len() * 2]);
            let mut is = vec![false; a.len() * 2];
            let config = LaunchConfig::cover(a.len());
            launch!(on, methods(read a, read b, write out, write wide, write is), config)?;
            let want: Vec<$ty> = a.iter().flat_map(|x| [x.wrapping_abs(), x.signum()]).collect();
            same(stringify!($ty), &out, &want)?;
            let pairs = a.iter().zip(&b);
            let want: Vec<$unsigned> =
                pairs.flat_map(|(x, y)| [x.unsigned_abs(), x.abs_diff(*y)]).collect();
            same(stringify!($ty), &wide, &want)?;
            let want: Vec<bool> =
                a.iter().flat_map(|x| [x.is_positive(), x.is_negative()]).collect();
            same(stringify!($ty), &is, &want)?;
        })*};
    }
    each! { i8 u8 i16 u16 i32 u32 i64 u64 isize usize }
    Ok(())
}

fn unsigned(on: &Engine) -> Check {
    macro_rules! each {
        ($($ty:ident)*) => {$({
            #[kernel]
            fn methods(a: &[$ty], b: &[$ty], out: &mut [$ty], is: &mut [bool]) {
                let i = global_idx_x();
                if i < a.len() {
                    out[i * 2] = a[i].div_ceil(b[i]);
                    out[i * 2 + 1] = a[i].abs_diff(b[i]);
                    is[i] = a[i].is_power_of_two();
                }
            }
            let (a, b) = pairs!($ty);
            let (mut out, mut is) = (vec![0; a.len() * 2], vec![false; a.len()]);
            let config = LaunchConfig::cover(a.len());
            launch!(on, methods(read a, read b, write out, write is), config)?;
            let pairs = a.iter().zip(&b);
            let want: Vec<$ty> = pairs.flat_map(|(x, y)| [x.div_ceil(*y), x.abs_diff(*y)]).collect();
            same(stringify!($ty), &out, &want)?;
            let want: Vec<bool> = a.iter().map(|x| x.is_power_of_two()).collect();
            same(stringify!($ty), &is, &want)?;
        })*};
    }
    each! { u8 u16 u32 u64 usize }
    Ok(())
}

/// Floats at the edges.
macro_rules! edges {
    ($ty:ident) => {{
        let mut edges: Vec<$ty> = vec![
            0.0,
            0.25,
            0.49999997,
            0.5,
            1.0,
            1.5,
            2.5,
            3.7,
            90.0,
            1234.5678,
            8388607.5,
            1e30,
            $ty::MAX,
            $ty::MIN_POSITIVE,
            $ty::from_bits(1),
            $ty::INFINITY,
        ];
        edges.extend(edges.clone().iter().map(|x| -x));
        edges.push($ty::NAN);
        edges
    }};
}

macro_rules! floats {
    ($($ty:ident $case:ident)*) => {$(
        fn $case(on: &Engine) -> Check {
            #[kernel]
            fn methods(x: &[$ty], out: &mut [$ty], is: &mut [bool]) {
                let i = global_idx_x();
                if i < x.len() {
                    let v = x[i];
                    out[i * 7] = v.round();
                    out[i * 7 + 1] = v.fract();
                    out[i * 7 + 2] = v.recip();
                    out[i * 7 + 3] = v.copysign(x[x.len() - 2]);
                    out[i * 7 + 4] = v.signum();
                    out[i * 7 + 5] = v.to_radians();
                    out[i * 7 + 6] = v.to_degrees();
                    is[i * 5] = v.is_nan();
                    is[i * 5 + 1] = v.is_finite();
                    is[i * 5 + 2] = v.is_infinite();
                    // The sign of a NaN says nothing.
                    is[i * 5 + 3] = v.is_nan() || v.is_sign_negative();
                    is[i * 5 + 4] = v.is_nan() || v.is_sign_positive();
                }
            }
            let x = edges!($ty);
            let (mut out, mut is) = (vec![0.0; x.len() * 7], vec![false; x.len() * 5]);
            let config = LaunchConfig::cover(x.len());
            launch!(on, methods(read x, write out, write is), config)?;
            let want: Vec<$ty> = x
                .iter()
                .flat_map(|v| {
                    [
                        v.round(), v.fract(), v.recip(), v.copysign(x[x.len() - 2]), v.signum(),
                        v.to_radians(), v.to_degrees(),
                    ]
                })
                .collect();
            same("out", &out, &want)?;
            let want: Vec<bool> = x
                .iter()
                .flat_map(|v| {
                    let nan = v.is_nan();
                    [
                        nan, v.is_finite(), v.is_infinite(), nan || v.is_sign_negative(),
                        nan || v.is_sign_positive(),
                    ]
                })
                .collect();
            same("is", &is, &want)
        }
    )*};
}
floats! { f32 f32s f64 f64s }

#[kernel]
fn through_bits(x: &[f32], y: &[f64], a: &mut [u32], b: &mut [u64], back: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        a[i] = x[i].to_bits();
        b[i] = y[i].to_bits() >> 1;
        back[i] = f32::from_bits(x[i].to_bits() ^ 0x8000_0001);
    }
}

fn float_bits(on: &Engine) -> Check {
    let x: Vec<f32> = edges!(f32).into_iter().filter(|x| !x.is_nan()).collect();
    let y: Vec<f64> = edges!(f64).into_iter().filter(|x| !x.is_nan()).collect();
    let (mut a, mut b, mut back) = (vec![0; x.len()], vec![0; x.len()], vec![0.0; x.len()]);
    let config = LaunchConfig::cover(x.len());
    launch!(on, through_bits(read x, read y, write a, write b, write back), config)?;
    same("a", &a, &x.iter().map(|x| x.to_bits()).collect::<Vec<u32>>())?;
    same("b", &b, &y.iter().map(|y| y.to_bits() >> 1).collect::<Vec<u64>>())?;
    let flipped = x.iter().map(|x| f32::from_bits(x.to_bits() ^ 0x8000_0001));
    same("back", &back, &flipped.collect::<Vec<f32>>())
}

#[kernel]
fn of_std(ints: &mut [i64], floats: &mut [f64]) {
    if global_idx_x() == 0 {
        ints[0] = i8::MIN as i64;
        ints[1] = u16::MAX as i64;
        ints[2] = i64::MAX;
        ints[3] = u32::BITS as i64;
        ints[4] = usize::BITS as i64;
        floats[0] = f32::MAX as f64;
        floats[1] = f64::EPSILON;
        floats[2] = std::f64::consts::PI;
        floats[3] = std::f32::consts::SQRT_2 as f64;
        floats[4] = f64::NEG_INFINITY;
        floats[5] = f64::NAN;
    }
}

fn constants(on: &Engine) -> Check {
    let (mut ints, mut floats) = (vec![0; 5], vec![0.0; 6]);
    launch!(on, of_std(write ints, write floats), LaunchConfig::cover(1))?;
    same("ints", &ints, &[-128, 65_535, i64::MAX, 32, 64])?;
    let want = [
        f64::from(f32::MAX),
        f64::EPSILON,
        std::f64::consts::PI,
        f64::from(std::f32::consts::SQRT_2),
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    same("floats", &floats, &want)
}
