//! Vector types: operators, methods, comparisons and conversions.
use crate::run::engine::{Bits, Check, Engine, cases, equal, launch, same};
use warpwise::{
    Bf16x2, Bf16x4, F16x2, F16x3, F16x4, F32x2, F32x3, F32x4, F64x2, F64x3, F64x4, I8x4, I16x2,
    I16x3, I32x2, I32x3, I32x4, I64x2, I64x4, U8x2, U8x3, U8x4, U16x4, U32x2, U32x4, U64x2,
    prelude::*,
};

cases![
    floats,
    integers,
    references,
    halves,
    methods,
    geometry,
    comparisons,
    conversions,
    constants,
    fused: FUSES,
    generated_by_macro,
    traits,
];

/// Operators on pairs of `$x` and `$y`, compared lane by lane; numbers are `y`'s first lane.
macro_rules! operators {
    ($on:ident, $vector:ident $lane:ident $lanes:literal, $x:expr, $y:expr, [$($op:tt $assign:tt)*]) => {{
        #[kernel(contract = false)]
        fn operators(stride: usize, x: &[$vector], y: &[$vector], out: &mut [$vector]) {
            let i = global_idx_x();
            if i < x.len() {
                let a = x[i];
                let b = y[i];
                let mut at = i * stride;
                $(
                    out[at] = a $op b;
                    out[at + 1] = a $op b.x;
                    out[at + 2] = b.x $op a;
                    let mut c = a;
                    c $assign b;
                    out[at + 3] = c;
                    out[at + 4] = a;
                    out[at + 4] $assign b.x;
                    at += 5;
                )*
                assert!(at == (i + 1) * stride);
            }
        }
        let (x, y): (Vec<[$lane; $lanes]>, Vec<[$lane; $lanes]>) = ($x, $y);
        let mut want = Vec::new();
        for (a, b) in x.iter().zip(&y) {
            $(
                let each = |f: &dyn Fn(usize) -> $lane| std::array::from_fn::<$lane, $lanes, _>(f);
                want.push(each(&|k| a[k] $op b[k]));
                want.push(each(&|k| a[k] $op b[0]));
                want.push(each(&|k| b[0] $op a[k]));
                want.push(each(&|k| a[k] $op b[k]));
                want.push(each(&|k| a[k] $op b[0]));
            )*
        }
        let x: Vec<$vector> = x.into_iter().map($vector::from).collect();
        let y: Vec<$vector> = y.into_iter().map($vector::from).collect();
        let mut out = vec![$vector::ZERO; want.len()];
        let stride = out.len() / x.len();
        let config = LaunchConfig::cover(x.len());
        launch!($on, operators(value stride, read x, read y, write out), config)?;
        same(stringify!($vector), &flat(&out), want.as_flattened())?;
    }};
}

/// Returns the lanes of all vectors.
pub(super) fn flat<V: Copy + Into<[T; N]>, T: Copy, const N: usize>(vectors: &[V]) -> Vec<T> {
    vectors.iter().flat_map(|&vector| vector.into()).collect()
}

fn floats(on: &Engine) -> Check {
    macro_rules! each {
        ($($vector:ident $lane:ident $lanes:literal;)*) => {$({
            let edges = [0.0, -0.0, 1.5, -7.25, $lane::MAX, $lane::INFINITY, $lane::NAN, 3e-40];
            let at = |i: usize| std::array::from_fn(|k| edges[(i * (k + 3) + k) % edges.len()]);
            let x = (0..64).map(at).collect();
            let y = (0..64).map(|i| at(i / 3 + 5)).collect();
            operators!(on, $vector $lane $lanes, x, y, [+ += - -= * *= / /= % %=]);
        })*};
    }
    each! { F32x2 f32 2; F32x3 f32 3; F32x4 f32 4; F64x2 f64 2; F64x3 f64 3; F64x4 f64 4; }
    Ok(())
}

fn integers(on: &Engine) -> Check {
    macro_rules! each {
        ($($vector:ident $lane:ident $lanes:literal;)*) => {$({
            // Neither 0 nor -1, by which not every number can be divided.
            let edges = [$lane::MIN | 2, $lane::MAX - 1, 77, 2, 13, 1, $lane::MAX - 9];
            let at = |i: usize| std::array::from_fn(|k| edges[(i * (k + 2) + k) % edges.len()]);
            let x = (0..50).map(at).collect();
            let y = (0..50).map(|i| at(i / 7 + 9)).collect();
            operators!(on, $vector $lane $lanes, x, y, [& &= | |= ^ ^= / /= % %=]);
            #[kernel]
            fn others(x: &[$vector], by: u32, out: &mut [$vector]) {
                let i = global_idx_x();
                if i < x.len() {
                    out[i * 7] = x[i].wrapping_add(x[0]);
                    out[i * 7 + 1] = x[i].wrapping_mul(x[1]);
                    out[i * 7 + 2] = x[i].saturating_sub(x[2]);
                    out[i * 7 + 3] = x[i] << by;
                    out[i * 7 + 4] = x[i] >> 2;
                    out[i * 7 + 5] = !x[i];
                    out[i * 7 + 6] = x[i];
                    out[i * 7 + 6] <<= 1;
                }
            }
            let lanes: Vec<[$lane; $lanes]> = (0..50).map(at).collect();
            let want = lanes.iter().flat_map(|a| {
                let each = |f: &dyn Fn(usize) -> $lane| std::array::from_fn::<$lane, $lanes, _>(f);
                [
                    each(&|k| a[k].wrapping_add(lanes[0][k])),
                    each(&|k| a[k].wrapping_mul(lanes[1][k])),
                    each(&|k| a[k].saturating_sub(lanes[2][k])),
                    each(&|k| a[k] << 3), each(&|k| a[k] >> 2), each(&|k| !a[k]), each(&|k| a[k] << 1),
                ]
            });
            let want: Vec<$lane> = want.flatten().collect();
            let x: Vec<$vector> = lanes.iter().copied().map($vector::from).collect();
            let (mut out, by) = (vec![$vector::ZERO; 350], 3);
            launch!(on, others(read x, value by, write out), LaunchConfig::cover(50))?;
            same(stringify!($vector), &flat(&out), &want)?;
        })*};
    }
    each! {
        I8x4 i8 4; I16x2 i16 2; I32x2 i32 2; I32x3 i32 3; I32x4 i32 4; I64x2 i64 2;
        U8x2 u8 2; U8x3 u8 3; U8x4 u8 4; U16x4 u16 4; U32x2 u32 2; U32x4 u32 4; U64x2 u64 2;
    }
    Ok(())
}

fn halves(on: &Engine) -> Check {
    macro_rules! each {
        ($($vector:ident $lane:ident $lanes:literal;)*) => {$({
            let at = |i: usize| std::array::from_fn(|k| $lane::from_bits((i * 523 + k * 7919) as u16));
            let x = (0..128).map(at).collect();
            let y = (0..128).map(|i| at(i * 31 + 11)).collect();
            operators!(on, $vector $lane $lanes, x, y, [+ += - -= * *= / /=]);
        })*};
    }
    each! { F16x2 f16 2; F16x3 f16 3; F16x4 f16 4; Bf16x2 bf16 2; Bf16x4 bf16 4; }
    Ok(())
}

#[kernel(contract = false)]
fn lane_by_lane(x: &[F32x3], y: &[F32x3], out: &mut [F32x3], sums: &mut [f32], ints: &mut [I32x2]) {
    let i = global_idx_x();
    if i < x.len() {
        let (a, b) = (x[i], y[i]);
        out[i * 13] = a.min(b);
        out[i * 13 + 1] = a.max(b);
        out[i * 13 + 2] = a.clamp(F32x3::splat(-2.0), F32x3::new(2.0, 3.0, 4.0));
        out[i * 13 + 3] = -a.abs();
        out[i * 13 + 4] = a.floor() + a.ceil();
        out[i * 13 + 5] = a.trunc() - a.fract();
        out[i * 13 + 6] = a.round();
        out[i * 13 + 7] = a.round_ties_even();
        out[i * 13 + 8] = b.abs().sqrt();
        out[i * 13 + 9] = a.mul_add(b, F32x3::ONE);
        out[i * 13 + 10] = a.copysign(b).signum();
        out[i * 13 + 11] = b.recip();
        let mut calls = 0.0;
        out[i * 13 + 12] = a.map(|lane| {
            calls += 1.0;
            lane * calls
        });
        sums[i * 4] = a.sum();
        sums[i * 4 + 1] = a.product();
        sums[i * 4 + 2] = a.min_element();
        sums[i * 4 + 3] = a.max_element();
        ints[i] = I32x2::new(-3, i as i32).abs() * I32x2::new(-1, 1).signum();
    }
}

fn methods(on: &Engine) -> Check {
    let lane = |i: usize| ((i * 37) % 41) as f32 * 0.75 - 15.2;
    let at = |i: usize| F32x3::new(lane(i), lane(i + 7), lane(i + 13));
    let (x, y): (Vec<F32x3>, Vec<F32x3>) = (0..40).map(|i| (at(i), at(i * 3 + 1))).unzip();
    let (mut out, mut sums) = (vec![F32x3::ZERO; 40 * 13], vec![0.0; 160]);
    let mut ints = vec![I32x2::ZERO; 40];
    let config = LaunchConfig::cover(40);
    launch!(on, lane_by_lane(read x, read y, write out, write sums, write ints), config)?;
    let each = |a: [f32; 3], b: [f32; 3], f: &dyn Fn(f32, f32) -> f32| {
        std::array::from_fn::<f32, 3, _>(|k| f(a[k], b[k]))
    };
    let mut want: Vec<[f32; 3]> = Vec::new();
    let mut want_sums = Vec::new();
    for (a, b) in x.iter().zip(&y).map(|(a, b)| (a.to_array(), b.to_array())) {
        want.extend([
            each(a, b, &f32::min),
            each(a, b, &f32::max),
            [a[0].clamp(-2.0, 2.0), a[1].clamp(-2.0, 3.0), a[2].clamp(-2.0, 4.0)],
            each(a, b, &|a, _| -a.abs()),
            each(a, b, &|a, _| a.floor() + a.ceil()),
            each(a, b, &|a, _| a.trunc() - a.fract()),
            each(a, b, &|a, _| a.round()),
            each(a, b, &|a, _| a.round_ties_even()),
            each(a, b, &|_, b| b.abs().sqrt()),
            each(a, b, &|a, b| a.mul_add(b, 1.0)),
            each(a, b, &|a, b| a.copysign(b).signum()),
            each(a, b, &|_, b| b.recip()),
            [a[0], a[1] * 2.0, a[2] * 3.0],
        ]);
        want_sums.extend([a[0] + a[1] + a[2], a[0] * a[1] * a[2]]);
        want_sums.extend([a[0].min(a[1]).min(a[2]), a[0].max(a[1]).max(a[2])]);
    }
    same("out", &flat(&out), want.as_flattened())?;
    same("sums", &sums, &want_sums)?;
    let want: Vec<I32x2> = (0..40).map(|i| I32x2::new(-3, i)).collect();
    equal("ints", &ints, &want)
}

#[kernel(contract = false)]
fn geometric(x: &[F64x3], y: &[F64x3], out: &mut [F64x3], lengths: &mut [f64]) {
    let i = global_idx_x();
    if i < x.len() {
        let (a, b) = (x[i], y[i]);
        out[i * 3] = a.cross(b);
        out[i * 3 + 1] = a.normalize();
        out[i * 3 + 2] = a.lerp(b, 0.25);
        lengths[i * 4] = a.dot(b);
        lengths[i * 4 + 1] = a.length();
        lengths[i * 4 + 2] = a.length_squared();
        lengths[i * 4 + 3] = a.distance(b);
    }
}

fn geometry(on: &Engine) -> Check {
    let at = |i: usize| F64x3::new(i as f64 * 0.3 - 4.0, (i % 7) as f64, 2.5 - i as f64);
    let (x, y): (Vec<F64x3>, Vec<F64x3>) = (0..33).map(|i| (at(i), at(i * 5 + 2))).unzip();
    let (mut out, mut lengths) = (vec![F64x3::ZERO; 99], vec![0.0; 132]);
    launch!(on, geometric(read x, read y, write out, write lengths), LaunchConfig::cover(33))?;
    let (mut want, mut want_lengths) = (Vec::new(), Vec::new());
    for (F64x3 { x, y, z }, b) in x.iter().copied().zip(y) {
        want.extend([y * b.z - z * b.y, z * b.x - x * b.z, x * b.y - y * b.x]);
        let length = (x * x + y * y + z * z).sqrt();
        want.extend([x / length, y / length, z / length]);
        want.extend([x + (b.x - x) * 0.25, y + (b.y - y) * 0.25, z + (b.z - z) * 0.25]);
        want_lengths.extend([x * b.x + y * b.y + z * b.z, length, x * x + y * y + z * z]);
        let [p, q, r] = [x - b.x, y - b.y, z - b.z];
        want_lengths.push((p * p + q * q + r * r).sqrt());
    }
    same("out", &flat(&out), &want)?;
    same("lengths", &lengths, &want_lengths)
}

#[kernel]
fn compared(x: &[F32x2], y: &[F32x2], out: &mut [bool], chosen: &mut [F32x2]) {
    let i = global_idx_x();
    if i < x.len() {
        let (a, b) = (x[i], y[i]);
        let masks = [
            a.lanes_eq(b),
            a.lanes_ne(b),
            a.lanes_lt(b),
            a.lanes_le(b),
            a.lanes_gt(b),
            a.lanes_ge(b),
        ];
        for k in 0..6 {
            out[i * 14 + k * 2] = masks[k][0];
            out[i * 14 + k * 2 + 1] = masks[k][1];
        }
        out[i * 14 + 12] = a == b;
        out[i * 14 + 13] = a != b;
        chosen[i] = F32x2::select(a.lanes_lt(b), a, -b);
    }
}

fn comparisons(on: &Engine) -> Check {
    let edges = [0.0, -0.0, 1.0, f32::NAN, -3.0];
    let pairs = || (0..25).map(|i| (edges[i % 5], edges[i / 5]));
    let (x, y): (Vec<F32x2>, Vec<F32x2>) =
        pairs().map(|(a, b)| (F32x2::new(a, 2.0), F32x2::new(b, 2.0))).unzip();
    let (mut out, mut chosen) = (vec![false; 25 * 14], vec![F32x2::ZERO; 25]);
    launch!(on, compared(read x, read y, write out, write chosen), LaunchConfig::cover(25))?;
    let want = pairs().flat_map(|(a, b)| {
        [
            a == b,
            true,
            a != b,
            false,
            a < b,
            false,
            a <= b,
            true,
            a > b,
            false,
            a >= b,
            true,
            a == b,
            a != b,
        ]
    });
    same("out", &out, &want.collect::<Vec<bool>>())?;
    let want = pairs().flat_map(|(a, b)| [if a < b { a } else { -b }, -2.0]);
    same("chosen", &flat(&chosen), &want.collect::<Vec<f32>>())
}

#[kernel]
fn converted(
    x: &[F32x4],
    bytes: &mut [U8x4],
    ints: &mut [I64x4],
    halves: &mut [F16x4],
    back: &mut [F32x4],
) {
    let i = global_idx_x();
    if i < x.len() {
        bytes[i] = x[i].as_u8x4();
        ints[i] = x[i].as_i32x4().as_i64x4() + bytes[i].as_i64x4();
        halves[i] = x[i].as_bf16x4().as_f16x4();
        back[i] = halves[i].as_f32x4() + U8x4::from_array([1, 2, 3, 4]).as_f32x4();
    }
}

fn conversions(on: &Engine) -> Check {
    let lanes = |i: usize| [i as f32 * 1.7 - 9.0, i as f32 * 100.0, -1.0 / i as f32, f32::NAN];
    let x: Vec<F32x4> = (0..30).map(|i| F32x4::from(lanes(i))).collect();
    let (mut bytes, mut ints) = (vec![U8x4::ZERO; 30], vec![I64x4::ZERO; 30]);
    let (mut halves, mut back) = (vec![F16x4::ZERO; 30], vec![F32x4::ZERO; 30]);
    let config = LaunchConfig::cover(30);
    launch!(on, converted(read x, write bytes, write ints, write halves, write back), config)?;
    let all: Vec<f32> = (0..30).flat_map(lanes).collect();
    let want: Vec<u8> = all.iter().map(|&lane| lane as u8).collect();
    same("bytes", &flat(&bytes), &want)?;
    let want: Vec<i64> =
        all.iter().map(|&lane| i64::from(lane as i32) + i64::from(lane as u8)).collect();
    same("ints", &flat(&ints), &want)?;
    let rounded = all.iter().map(|&lane| f16::from_f32(bf16::from_f32(lane).to_f32()));
    let rounded: Vec<f16> = rounded.collect();
    same("halves", &flat(&halves), &rounded)?;
    let want = rounded.iter().zip([1.0, 2.0, 3.0, 4.0].into_iter().cycle());
    let want: Vec<f32> = want.map(|(lane, by)| lane.to_f32() + by).collect();
    same("back", &flat(&back), &want)
}

#[kernel]
fn constant(out: &mut [F32x4]) {
    const UP: F32x4 = F32x4::new(0.0, 1.0, 0.0, 0.0);
    if global_idx_x() == 0 {
        out[0] = F32x4::ZERO + UP;
        out[1] = F32x4::ONE;
        out[2] = warpwise::F32x4::splat(F32x4::LANES as f32);
        out[3] = F32x4::from([1.0, 2.0, 3.0, 4.0]);
        let [a, b, c, d] = out[3].to_array();
        out[4] = F32x4::new(d, c, b, a);
    }
}

fn constants(on: &Engine) -> Check {
    let mut out = vec![F32x4::splat(9.0); 5];
    launch!(on, constant(write out), LaunchConfig::cover(1))?;
    let want =
        [[0.0, 1.0, 0.0, 0.0], [1.0; 4], [4.0; 4], [1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0]];
    same("out", &flat(&out), want.as_flattened())
}

#[kernel]
fn contracted(a: &[F32x2], b: &[F32x2], s: f32, out: &mut [F32x2]) {
    let i = global_idx_x();
    if i < a.len() {
        let (a, b) = (a[i], b[i]);
        let c = b.yx();
        out[i * 12] = a * b + c;
        out[i * 12 + 1] = a * b - c;
        out[i * 12 + 2] = c + s * a;
        out[i * 12 + 3] = c - a * s;
        out[i * 12 + 4] = -(a * b) + c;
        out[i * 12 + 5] = a * b + c * a;
        out[i * 12 + 6] = c;
        out[i * 12 + 6] += a * b;
        let mut d = c;
        d -= s * b;
        out[i * 12 + 7] = d;
        // A product with a name is rounded.
        let product = a * b;
        out[i * 12 + 8] = product + c;
        out[i * 12 + 9] = 1.5 - (a * b);
        out[i * 12 + 10] = F32x2::splat(a.dot(b));
        out[i * 12 + 11] = c - -(a * b);
    }
}

fn fused(on: &Engine) -> Check {
    let at = |i: usize| [1.0 + i as f32 * 1e-3, -1.0 / (3.0 + i as f32)];
    let (x, y): (Vec<[f32; 2]>, Vec<[f32; 2]>) = (0..64).map(|i| (at(i), at(i * 7 + 1))).unzip();
    let [a, b] = [&x, &y].map(|all| all.iter().copied().map(F32x2::from).collect::<Vec<_>>());
    let (mut out, s) = (vec![F32x2::ZERO; 64 * 12], 1.000_1);
    launch!(on, contracted(read a, read b, value s, write out), LaunchConfig::cover(64))?;
    let mut want = Vec::new();
    for (a, b) in x.into_iter().zip(y) {
        let c = [b[1], b[0]];
        let fma = |f: &dyn Fn(usize) -> f32| [f(0), f(1)];
        want.extend([
            fma(&|k| a[k].mul_add(b[k], c[k])),
            fma(&|k| a[k].mul_add(b[k], -c[k])),
            fma(&|k| s.mul_add(a[k], c[k])),
            fma(&|k| (-a[k]).mul_add(s, c[k])),
            fma(&|k| (-a[k]).mul_add(b[k], c[k])),
            fma(&|k| a[k].mul_add(b[k], c[k] * a[k])),
            fma(&|k| a[k].mul_add(b[k], c[k])),
            fma(&|k| (-s).mul_add(b[k], c[k])),
            fma(&|k| a[k] * b[k] + c[k]),
            fma(&|k| (-a[k]).mul_add(b[k], 1.5)),
            fma(&|_| a[0].mul_add(b[0], a[1] * b[1])),
            fma(&|k| a[k].mul_add(b[k], c[k])),
        ]);
    }
    same("out", &flat(&out), want.as_flattened())
}

macro_rules! summed {
    ($($name:ident $vector:ident $lane:ident;)*) => {$(
        #[kernel]
        fn $name(x: &[$vector], out: &mut [$lane]) {
            let i = global_idx_x();
            if i < x.len() {
                out[i] = x[i].sum();
            }
        }
    )*};
}
summed! { sum_i32 I32x4 i32; sum_f64 F64x2 f64; }

fn generated_by_macro(on: &Engine) -> Check {
    let x: Vec<I32x4> = (0..5).map(|i| I32x4::new(i, 2, 3, 4)).collect();
    let y: Vec<F64x2> = (0..5).map(|i| F64x2::new(f64::from(i), 0.5)).collect();
    let (mut ints, mut floats) = (vec![0; 5], vec![0.0; 5]);
    launch!(on, sum_i32(read x, write ints), LaunchConfig::cover(5))?;
    launch!(on, sum_f64(read y, write floats), LaunchConfig::cover(5))?;
    check("ints", &ints, |i| i as i32 + 9)?;
    check("floats", &floats, |i| i as f64 + 0.5)
}

fn check<T: Bits>(what: &str, got: &[T], want: impl Fn(usize) -> T) -> Check {
    same(what, got, &(0..got.len()).map(want).collect::<Vec<T>>())
}

#[device]
trait Luma {
    const SCALE: f32;
    fn luma(self) -> f32;
}

#[device]
impl Luma for F32x4 {
    const SCALE: f32 = 2.0;
    fn luma(self) -> f32 {
        let weights = Self::new(0.25, 0.5, 0.125, 0.0);
        (self * weights).sum() * Self::SCALE
    }
}

#[device]
impl Luma for warpwise::U8x4 {
    const SCALE: f32 = 1.0 / 256.0;
    fn luma(self) -> f32 {
        self.as_f32x4().luma() * Self::SCALE
    }
}

#[device]
fn brightest<T: Luma + Copy>(pixels: &[T]) -> f32 {
    let mut most = 0.0f32;
    for pixel in pixels {
        most = most.max(pixel.luma());
    }
    most
}

#[kernel]
fn lights(floats: &[F32x4], bytes: &[U8x4], out: &mut [f32]) {
    if global_idx_x() == 0 {
        out[0] = brightest(floats);
        out[1] = brightest(bytes);
        out[2] = Luma::luma(floats[0]);
    }
}

fn traits(on: &Engine) -> Check {
    let floats: Vec<F32x4> = (0..9).map(|i| F32x4::splat(i as f32)).collect();
    let bytes: Vec<U8x4> = (0..9).map(|i| U8x4::new(i, 0, 0, 255)).collect();
    let mut out = vec![0.0; 3];
    launch!(on, lights(read floats, read bytes, write out), LaunchConfig::cover(1))?;
    same("out", &out, &[14.0, 4.0 / 256.0, 0.0])
}

#[kernel(block = 1, contract = false, allow(gpu_partial_warps))]
fn by_reference(x: &[F32x4], n: &[I16x3], out: &mut [F32x4], whole: &mut [I16x3]) {
    let (a, b, by) = (&x[0], &x[1], &x[1].y);
    out[0] = a + b;
    out[1] = a * x[1] - &x[0] / *b;
    out[2] = -a;
    out[3] = by * a + a * by + 0.5 * a + b % 2.0;
    out[4] -= b;
    out[4] *= by;
    out[5] = x.iter().fold(F32x4::ZERO, |sum, v| sum + v);
    let (k, m) = (&n[0], &n[1]);
    whole[0] = !k & m | &(k ^ &n[1]);
    whole[1] = (k << 3 >> &1) + m;
    whole[2] <<= &2;
    whole[2] |= m;
}

fn references(on: &Engine) -> Check {
    let x = [F32x4::new(1.5, -2.0, 3.25, 0.1), F32x4::new(0.3, 7.0, -5.5, 1e10)];
    let n = [I16x3::new(5, -300, 31), I16x3::new(-7, 12, 3)];
    let (mut out, mut whole) = (vec![F32x4::splat(2.0); 6], vec![I16x3::splat(9); 3]);
    launch!(on, by_reference(read x, read n, write out, write whole), LaunchConfig::grid(1).block(1))?;
    let [a, b] = x;
    let want = vec![
        a + b,
        a * b - a / b,
        -a,
        b.y * a + a * b.y + 0.5 * a + b % 2.0,
        (F32x4::splat(2.0) - b) * b.y,
        F32x4::ZERO + a + b,
    ];
    let lanes = |all: &[F32x4]| all.iter().flat_map(|v| v.to_array()).collect::<Vec<_>>();
    same("out", &lanes(&out), &lanes(&want))?;
    let [k, m] = n;
    let want = vec![!k & m | (k ^ m), (k << 3 >> 1) + m, I16x3::splat(36) | m];
    let lanes = |all: &[I16x3]| all.iter().flat_map(|v| v.to_array()).collect::<Vec<_>>();
    same("whole", &lanes(&whole), &lanes(&want))
}
