//! Methods of floats, bit by bit.
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::prelude::*;

cases![f32s, f64s, f32_pairs, f64_pairs, powers: ZEROS, float_bits];

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
                    is[i * 7] = v.is_nan();
                    is[i * 7 + 1] = v.is_finite();
                    is[i * 7 + 2] = v.is_infinite();
                    is[i * 7 + 5] = v.is_normal();
                    is[i * 7 + 6] = v.is_subnormal();
                    // The sign of a NaN is not specified.
                    is[i * 7 + 3] = v.is_nan() || v.is_sign_negative();
                    is[i * 7 + 4] = v.is_nan() || v.is_sign_positive();
                }
            }
            let x = edges!($ty);
            let (mut out, mut is) = (vec![0.0; x.len() * 7], vec![false; x.len() * 7]);
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
                        nan || v.is_sign_positive(), v.is_normal(), v.is_subnormal(),
                    ]
                })
                .collect();
            same("is", &is, &want)
        }
    )*};
}
floats! { f32 f32s f64 f64s }

macro_rules! pairs {
    ($($ty:ident $case:ident)*) => {$(
        fn $case(on: &Engine) -> Check {
            #[kernel]
            fn methods(x: &[$ty], y: &[$ty], out: &mut [$ty]) {
                let i = global_idx_x();
                if i < x.len() {
                    let at = i * 5;
                    out[at] = x[i].rem_euclid(y[i]);
                    out[at + 1] = x[i].div_euclid(y[i]);
                    out[at + 2] = x[i].clamp(-1.5, 2.5);
                    out[at + 3] = x[i].clamp(y[i].abs(), 1e30);
                    out[at + 4] = x[i].copysign(y[i]);
                }
            }
            let edges = edges!($ty);
            let fits = |y: $ty| y.abs() <= 1e30;
            let signed = |y: $ty| if fits(y) { y } else { 1.0 };
            let x: Vec<$ty> = edges.iter().flat_map(|x| edges.iter().map(|_| *x)).collect();
            let y: Vec<$ty> = edges.iter().flat_map(|_| edges.iter().map(|y| signed(*y))).collect();
            let mut out = vec![0.0; x.len() * 5];
            launch!(on, methods(read x, read y, write out), LaunchConfig::cover(x.len()))?;
            let want: Vec<$ty> = x
                .iter()
                .zip(&y)
                .flat_map(|(x, y)| {
                    [
                        x.rem_euclid(*y), x.div_euclid(*y), x.clamp(-1.5, 2.5),
                        x.clamp(y.abs(), 1e30), x.copysign(*y),
                    ]
                })
                .collect();
            same("out", &out, &want)
        }
    )*};
}
pairs! { f32 f32_pairs f64 f64_pairs }

#[kernel]
fn to_powers(x: &[f32], n: &[i32], out: &mut [f32], constant: &mut [f64]) {
    let i = global_idx_x();
    if i < x.len() {
        out[i] = x[i].powi(n[i]);
        constant[i * 3] = (x[i] as f64).powi(3);
        constant[i * 3 + 1] = (x[i] as f64).powi(-2);
        constant[i * 3 + 2] = (x[i] as f64).powi(0);
    }
}

/// Computes powers by squaring, from the lowest bit of the exponent on; Rust does not specify the
/// order.
fn powi(base: f32, exponent: i32) -> f32 {
    let (mut result, mut square, mut left) = (1.0, base, exponent.unsigned_abs());
    while left > 0 {
        if left % 2 == 1 {
            result *= square;
        }
        square *= square;
        left /= 2;
    }
    if exponent < 0 { 1.0 / result } else { result }
}

fn powers(on: &Engine) -> Check {
    let exponents = [0, 1, 2, 3, 5, 10, 31, -1, -2, -7, i32::MAX, i32::MIN];
    let edges = edges!(f32);
    let x: Vec<f32> = edges.iter().flat_map(|x| exponents.map(|_| *x)).collect();
    let n: Vec<i32> = edges.iter().flat_map(|_| exponents).collect();
    let (mut out, mut constant) = (vec![0.0; x.len()], vec![0.0; x.len() * 3]);
    let config = LaunchConfig::cover(x.len());
    launch!(on, to_powers(read x, read n, write out, write constant), config)?;
    let want: Vec<f32> = x.iter().zip(&n).map(|(x, n)| powi(*x, *n)).collect();
    same("out", &out, &want)?;
    let want = x.iter().map(|x| f64::from(*x)).flat_map(|x| [x * (x * x), 1.0 / (x * x), 1.0]);
    same("constant", &constant, &want.collect::<Vec<f64>>())
}

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
