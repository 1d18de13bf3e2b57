//! `f16` and `bf16`: unary functions on every value, and operators on dense pairs.
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::prelude::*;

cases![
    f16s, bf16s, f16_pairs, bf16_pairs, f16_conversions, bf16_conversions, fused,
    library,
    rounded: ROUNDS_TWICE,
    generic, constants, shared_and_shuffled: THREADS_MEET, not_contracted,
];

/// Every value.
macro_rules! all {
    ($ty:ident) => {
        (0..=u16::MAX).map($ty::from_bits).collect::<Vec<$ty>>()
    };
}

macro_rules! unary {
    ($($ty:ident $case:ident)*) => {$(
        fn $case(on: &Engine) -> Check {
            #[kernel]
            fn functions(x: &[$ty], out: &mut [$ty], wide: &mut [f32], is: &mut [bool]) {
                let i = global_idx_x();
                if i < x.len() {
                    let v = x[i];
                    out[i * 9] = -v;
                    out[i * 9 + 1] = v.abs();
                    out[i * 9 + 2] = v.sqrt();
                    out[i * 9 + 3] = v.floor();
                    out[i * 9 + 4] = v.ceil();
                    out[i * 9 + 5] = v.trunc();
                    out[i * 9 + 6] = v.round_ties_even();
                    out[i * 9 + 7] = v.signum();
                    out[i * 9 + 8] = v.copysign($ty::NEG_ONE);
                    wide[i * 2] = v.to_f32();
                    wide[i * 2 + 1] = (v.to_f64() * 3.0) as f32;
                    // The sign of a NaN is not specified.
                    is[i * 6] = v.is_nan();
                    is[i * 6 + 1] = v.is_finite();
                    is[i * 6 + 2] = v.is_infinite();
                    is[i * 6 + 3] = v.is_normal();
                    is[i * 6 + 4] = v.is_nan() || v.is_sign_negative();
                    is[i * 6 + 5] = v.is_nan() || v.is_sign_positive();
                }
            }
            let x = all!($ty);
            let (mut out, mut wide) = (vec![$ty::ZERO; x.len() * 9], vec![0.0; x.len() * 2]);
            let mut is = vec![false; x.len() * 6];
            let config = LaunchConfig::cover(x.len());
            launch!(on, functions(read x, write out, write wide, write is), config)?;
            let through = |v: &$ty, of: fn(f32) -> f32| $ty::from_f32(of(v.to_f32()));
            let want = x.iter().flat_map(|v| {
                [
                    -*v, through(v, f32::abs), through(v, f32::sqrt), through(v, f32::floor),
                    through(v, f32::ceil), through(v, f32::trunc),
                    through(v, f32::round_ties_even), v.signum(), v.copysign($ty::NEG_ONE),
                ]
            });
            same("out", &out, &want.collect::<Vec<$ty>>())?;
            let want = x.iter().flat_map(|v| [v.to_f32(), (v.to_f64() * 3.0) as f32]);
            same("wide", &wide, &want.collect::<Vec<f32>>())?;
            let want = x.iter().flat_map(|v| {
                [
                    v.is_nan(), v.is_finite(), v.is_infinite(), v.is_normal(),
                    v.is_nan() || v.is_sign_negative(), v.is_nan() || v.is_sign_positive(),
                ]
            });
            same("is", &is, &want.collect::<Vec<bool>>())
        }
    )*};
}
unary! { f16 f16s bf16 bf16s }

/// About every 97th value, edges, and their neighbours.
macro_rules! some {
    ($ty:ident) => {{
        let edges = [
            $ty::ZERO,
            $ty::ONE,
            $ty::MAX,
            $ty::INFINITY,
            $ty::MIN_POSITIVE,
            $ty::MIN_POSITIVE_SUBNORMAL,
            $ty::MAX_SUBNORMAL,
            $ty::EPSILON,
            $ty::PI,
        ];
        let near = |x: $ty| [0, 1, 0xffff].map(|by| x.to_bits().wrapping_add(by));
        let edges = edges.into_iter().flat_map(|x| near(x).into_iter().chain(near(-x)));
        (0..=u16::MAX).step_by(397).chain(edges).map($ty::from_bits).collect::<Vec<$ty>>()
    }};
}

macro_rules! pairs {
    ($($ty:ident $case:ident)*) => {$(
        fn $case(on: &Engine) -> Check {
            #[kernel]
            fn operators(x: &[$ty], y: &[$ty], out: &mut [$ty], is: &mut [bool]) {
                let i = global_idx_x();
                if i < x.len() {
                    let a = x[i];
                    let b = y[i];
                    let at = i * 8;
                    out[at] = a + b;
                    out[at + 1] = a - b;
                    out[at + 2] = a * b;
                    out[at + 3] = a / b;
                    out[at + 4] = a % b;
                    let mut c = a;
                    c += b;
                    c *= a;
                    c -= b;
                    c /= $ty::PI;
                    out[at + 5] = c;
                    // Rust does not specify which zero results.
                    out[at + 6] = if a == b { a } else { a.min(b) };
                    out[at + 7] = if a == b { a } else { a.max(b) };
                    is[i * 6] = a == b;
                    is[i * 6 + 1] = a != b;
                    is[i * 6 + 2] = a < b;
                    is[i * 6 + 3] = a <= b;
                    is[i * 6 + 4] = a > b;
                    is[i * 6 + 5] = a >= b;
                }
            }
            let some = some!($ty);
            let x: Vec<$ty> = some.iter().flat_map(|x| some.iter().map(move |_| *x)).collect();
            let y: Vec<$ty> = some.iter().flat_map(|_| some.iter().copied()).collect();
            let (mut out, mut is) = (vec![$ty::ZERO; x.len() * 8], vec![false; x.len() * 6]);
            let config = LaunchConfig::cover(x.len());
            launch!(on, operators(read x, read y, write out, write is), config)?;
            let pairs = || x.iter().copied().zip(y.iter().copied());
            let want = pairs().flat_map(|(a, b)| {
                let (low, high) = if a == b { (a, a) } else { (a.min(b), a.max(b)) };
                let c = ((a + b) * a - b) / $ty::PI;
                [a + b, a - b, a * b, a / b, a % b, c, low, high]
            });
            same("out", &out, &want.collect::<Vec<$ty>>())?;
            let want = pairs().flat_map(|(a, b)| [a == b, a != b, a < b, a <= b, a > b, a >= b]);
            same("is", &is, &want.collect::<Vec<bool>>())
        }
    )*};
}
pairs! { f16 f16_pairs bf16 bf16_pairs }

macro_rules! conversions {
    ($($ty:ident $case:ident)*) => {$(
        fn $case(on: &Engine) -> Check {
            #[kernel]
            fn convert(x: &[f32], out: &mut [$ty], bits: &mut [u16]) {
                let i = global_idx_x();
                if i < x.len() {
                    out[i * 2] = $ty::from_f32(x[i]);
                    out[i * 2 + 1] = $ty::from_bits($ty::from_f32(x[i]).to_bits() ^ 0x8001);
                    bits[i] = if x[i].is_nan() { 0 } else { $ty::from_f32(x[i]).to_bits() };
                }
            }
            // Every value, the middle to the next one, and the neighbours of both.
            let near = |x: f32| [0, 1, u32::MAX].map(|by| f32::from_bits(x.to_bits().wrapping_add(by)));
            let halfway = |bits: u16| {
                let [low, high] = [bits, bits.wrapping_add(1)].map(|bits| $ty::from_bits(bits).to_f64());
                [low as f32, ((low + high) / 2.0) as f32]
            };
            let mut x: Vec<f32> = (0..=u16::MAX).flat_map(halfway).flat_map(near).collect();
            x.extend((0..20_000_u32).map(|i| f32::from_bits(i.wrapping_mul(2_654_435_761))));
            let (mut out, mut bits) = (vec![$ty::ZERO; x.len() * 2], vec![0; x.len()]);
            let config = LaunchConfig::cover(x.len());
            launch!(on, convert(read x, write out, write bits), config)?;
            let of = |x: &f32| $ty::from_f32(*x);
            let want = x.iter().flat_map(|x| [of(x), $ty::from_bits(of(x).to_bits() ^ 0x8001)]);
            same("out", &out, &want.collect::<Vec<$ty>>())?;
            let want = x.iter().map(|x| if x.is_nan() { 0 } else { of(x).to_bits() });
            same("bits", &bits, &want.collect::<Vec<u16>>())
        }
    )*};
}
conversions! { f16 f16_conversions bf16 bf16_conversions }

/// `from_f64` rounds once. The crate's conversion rounds to `f32` first, or truncates digits before
/// it rounds.
#[kernel]
fn from_doubles(x: &[f64], out: &mut [f16], other: &mut [bf16]) {
    let i = global_idx_x();
    if i < x.len() {
        out[i] = f16::from_f64(x[i]);
        other[i] = bf16::from_f64(x[i]);
    }
}

fn rounded(on: &Engine) -> Check {
    let (half, other) = (1.0 + 1.0 / 2048.0, 1.0 + 1.0 / 256.0);
    let mut x: Vec<f64> = [half, other, 65519.99, 65520.0, 3.5e38, 1e-45, 0.1]
        .into_iter()
        .flat_map(|x: f64| [x, x * (1.0 + f64::EPSILON), x * (1.0 - f64::EPSILON), -x])
        .collect();
    // Values around the middle between two neighbours.
    x.extend((0..0x7fff_u16).step_by(7).flat_map(|bits| {
        let [a, b] = [bits, bits + 1].map(|bits| bf16::from_bits(bits).to_f64());
        let middle = ((a + b) / 2.0).to_bits();
        [middle - 1, middle, middle + 1].map(f64::from_bits)
    }));
    let (mut out, mut brain) = (vec![f16::ZERO; x.len()], vec![bf16::ZERO; x.len()]);
    launch!(on, from_doubles(read x, write out, write brain), LaunchConfig::cover(x.len()))?;
    let want: Vec<f16> = x.iter().map(|x| Num::from_f64(*x)).collect();
    same("f16", &out, &want)?;
    let want: Vec<bf16> = x.iter().map(|x| Num::from_f64(*x)).collect();
    same("bf16", &brain, &want)?;
    same("ties", &[out[0], out[1]], &[f16::ONE, f16::ONE + f16::EPSILON])
}

#[kernel]
fn fuses(x: &[f16], y: &[bf16], out: &mut [f16], other: &mut [bf16]) {
    let i = global_idx_x();
    if i < x.len() {
        let at = (i * 7919) % x.len();
        let next = (i * 104_729 + 1) % x.len();
        out[i] = x[i].mul_add(x[at], x[next]);
        other[i] = y[i].mul_add(y[at], y[next]);
    }
}

fn fused(on: &Engine) -> Check {
    let (x, y) = (all!(f16), all!(bf16));
    let (mut out, mut other) = (vec![f16::ZERO; x.len()], vec![bf16::ZERO; y.len()]);
    let config = LaunchConfig::cover(x.len());
    launch!(on, fuses(read x, read y, write out, write other), config)?;
    let at = |i: usize| (i, (i * 7919) % x.len(), (i * 104_729 + 1) % x.len());
    let want = (0..x.len()).map(at).map(|(a, b, c)| Float::mul_add(x[a], x[b], x[c]));
    same("f16", &out, &want.collect::<Vec<f16>>())?;
    let want = (0..y.len()).map(at).map(|(a, b, c)| Float::mul_add(y[a], y[b], y[c]));
    same("bf16", &other, &want.collect::<Vec<bf16>>())
}

#[kernel]
fn scaled<T: Float>(x: &[T], factor: T, out: &mut [T]) {
    let i = global_idx_x();
    if i < x.len() {
        let half = T::from_f64(0.5);
        out[i] = (x[i] * factor + half).max(T::from_i32(-2)).min(T::from_usize(100));
    }
}

/// Sums of products of these types are two operations, in generic code too.
fn generic(on: &Engine) -> Check {
    macro_rules! each {
        ($($ty:ident)*) => {$({
            let x: Vec<$ty> = some!($ty).into_iter().filter(|x| !x.is_nan()).collect();
            let factor = $ty::from_f32(1.3);
            let mut out = vec![$ty::ZERO; x.len()];
            launch!(on, scaled::<$ty>(read x, value factor, write out), LaunchConfig::cover(x.len()))?;
            let of = $ty::from_f32;
            let want = x.iter().map(|x| (*x * factor + of(0.5)).max(of(-2.0)).min(of(100.0)));
            same(stringify!($ty), &out, &want.collect::<Vec<$ty>>())?;
        })*};
    }
    each! { f16 bf16 }
    Ok(())
}

#[kernel]
fn dot(x: &[f16], out: &mut [f16]) {
    let i = global_idx_x();
    if i + 2 < x.len() {
        out[i] = x[i] * x[i + 1] + x[i + 2];
        out[i] -= x[i] * x[i];
    }
}

fn not_contracted(on: &Engine) -> Check {
    let x: Vec<f16> = (0..3000).map(|i| f16::from_f32(i as f32 / 77.0)).collect();
    let mut out = vec![f16::ZERO; x.len()];
    launch!(on, dot(read x, write out), LaunchConfig::cover(x.len()))?;
    let mut want: Vec<f16> = x.windows(3).map(|w| w[0] * w[1] + w[2] - w[0] * w[0]).collect();
    want.resize(x.len(), f16::ZERO);
    same("out", &out, &want)
}

macro_rules! constants {
    ($($name:ident)*) => {
        fn constants(on: &Engine) -> Check {
            #[kernel]
            fn all_of(out: &mut [f16], other: &mut [bf16], count: &mut [usize]) {
                if global_idx_x() == 0 {
                    let mut at = 0;
                    $(
                        out[at] = f16::$name;
                        other[at] = warpwise::bf16::$name;
                        at += 1;
                    )*
                    count[0] = at;
                }
            }
            let (want, brain) = (vec![$(f16::$name),*], vec![$(bf16::$name),*]);
            let (mut out, mut other) = (vec![f16::ZERO; want.len()], vec![bf16::ZERO; want.len()]);
            let mut count = vec![0];
            launch!(on, all_of(write out, write other, write count), LaunchConfig::cover(1))?;
            same("count", &count, &[want.len()])?;
            same("f16", &out, &want)?;
            same("bf16", &other, &brain)
        }
    };
}
constants! {
    ZERO ONE NEG_ZERO NEG_ONE EPSILON INFINITY NEG_INFINITY MAX MIN MIN_POSITIVE
    MIN_POSITIVE_SUBNORMAL MAX_SUBNORMAL NAN E PI FRAC_1_PI FRAC_1_SQRT_2 FRAC_2_PI FRAC_2_SQRT_PI
    FRAC_PI_2 FRAC_PI_3 FRAC_PI_4 FRAC_PI_6 FRAC_PI_8 LN_10 LN_2 LOG10_E LOG10_2 LOG2_E LOG2_10
    SQRT_2
}

#[kernel(block = 64)]
fn moves(x: &[f16], by: bf16, out: &mut [f16], other: &mut [bf16]) {
    let tile = shared!([f16; 64]);
    let t = thread_idx_x();
    tile[t] = x[t];
    sync_threads();
    let mut sum = tile[63 - t];
    sum += warp::shfl_xor(sum, 16);
    sum += warp::shfl_xor(sum, 8);
    out[t] = sum;
    other[t] = warp::shfl_down(bf16::from_f32(t as f32) * by, 3);
}

fn shared_and_shuffled(on: &Engine) -> Check {
    let x: Vec<f16> = (0..64).map(|t| f16::from_f32(t as f32 / 3.0)).collect();
    let by = bf16::from_f32(1.5);
    let (mut out, mut other) = (vec![f16::ZERO; 64], vec![bf16::ZERO; 64]);
    launch!(on, moves(read x, value by, write out, write other), LaunchConfig::grid(1))?;
    let once: Vec<f16> = (0..64).map(|t| x[63 - t] + x[63 - (t ^ 16)]).collect();
    let want: Vec<f16> = (0..64).map(|t| once[t] + once[t ^ 8]).collect();
    same("out", &out, &want)?;
    let of = |t: usize| if t % 32 < 29 { t + 3 } else { t };
    let want: Vec<bf16> = (0..64).map(|t| bf16::from_f32(of(t) as f32) * by).collect();
    same("other", &other, &want)
}

/// Computed by the function of `f32`, whose result is rounded.
fn library(on: &Engine) -> Check {
    #[kernel]
    fn functions(x: &[f16], out: &mut [f16]) {
        let i = global_idx_x();
        if i < x.len() {
            out[i * 2] = x[i].exp();
            out[i * 2 + 1] = x[i].abs().sqrt().atan2(x[i]);
        }
    }
    let x = some!(f16);
    let mut out = vec![f16::ZERO; x.len() * 2];
    launch!(on, functions(read x, write out), LaunchConfig::cover(x.len()))?;
    let want = x.iter().flat_map(|x| {
        let root = f16::from_f32(x.to_f32().abs().sqrt());
        [
            f16::from_f32(Float::exp(x.to_f32())),
            f16::from_f32(Float::atan2(root.to_f32(), x.to_f32())),
        ]
    });
    same("out", &out, &want.collect::<Vec<f16>>())
}
