//! Open kernels: type parameters, const parameters, and constants known to rustc only.
use crate::run::engine::{Check, Engine, cases, launch, same};
use std::{
    iter::{Product, Sum},
    ops::{Add, BitAnd, Mul},
};
use warpwise::prelude::*;

cases![
    every_number, integers_only, floats_only, const_parameter, const_block: THREADS_MEET,
    const_tile: THREADS_MEET, open_constant, several_constants, generic_fusing: FUSES,
    generic_not_fusing, generic_shared: THREADS_MEET, two_types, computed_lengths,
    passed_arrays, bounds_of_std, bounds_of_std_for_integers, constants_of_parameters,
    computed_block: THREADS_MEET, sizes_of_parameters, sums_of_numbers, limits_of_numbers,
];

#[kernel(contract = false)]
fn combine<T: Num>(a: T, x: &[T], y: &mut [T]) {
    let i = global_idx_x();
    if i < y.len() {
        let mut v = a * x[i] + y[i];
        if v > x[i] {
            v -= T::ONE;
        }
        v = v.max(T::ZERO).min(T::from_i32(100));
        y[i] = v + T::from_usize(i % 3);
    }
}

fn every_number(on: &Engine) -> Check {
    macro_rules! each {
        ($($ty:ident)*) => {$({
            let a = 3 as $ty;
            let x: Vec<$ty> = (0..500u32).map(|i| (i % 120) as $ty).collect();
            let start: Vec<$ty> = (0..500u32).map(|i| (i % 50) as $ty).collect();
            let mut y = start.clone();
            launch!(on, combine::<$ty>(value a, read x, write y), LaunchConfig::cover(500))?;
            let want: Vec<$ty> = (0..500)
                .map(|i| {
                    let product = Wrap(a).times(x[i]);
                    let mut v = Wrap(product).plus(start[i]);
                    if v > x[i] {
                        v = v - 1 as $ty;
                    }
                    v.max(0 as $ty).min(100 as $ty) + (i % 3) as $ty
                })
                .collect();
            same(stringify!($ty), &y, &want)?;
        })*};
    }
    each! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64 }
    Ok(())
}

/// Associated constants computed from constant parameters of other types than `usize`.
#[device]
#[derive(Clone, Copy)]
struct Leaky<const P: u32, const Q: i8, const ON: bool>(f32);

#[device]
impl<const P: u32, const Q: i8, const ON: bool> Leaky<P, Q, ON> {
    const NAME: u32 = 100 + P;
    const SHIFT: i8 = Q - 3;
    const OFF: bool = !ON;
    fn value(self) -> u32 {
        Self::NAME + P * 1000 + u32::from(Self::OFF) + Self::SHIFT.unsigned_abs() as u32 * 10_000
    }
}

#[kernel]
fn leak<const K: usize>(y: &mut [u32]) {
    y[0] = Leaky::<5, 2, true>::NAME + K as u32;
    y[1] = Leaky::<6, -4, false>(1.0).value();
    y[2] = u32::from(Leaky::<7, 0, false>::OFF);
}

fn constants_of_parameters(on: &Engine) -> Check {
    let mut y = vec![0; 3];
    launch!(on, leak::<2>(write y), LaunchConfig::grid(1))?;
    same("y", &y, &[107, 106 + 6000 + 1 + 70_000, 1])
}

#[kernel(block = { W * W })]
fn squares<const W: usize>(y: &mut [u32]) {
    let tile = shared_dyn!(u32, W * W);
    let t = thread_idx_x();
    tile[t] = t as u32;
    sync_threads();
    if global_idx_x() < y.len() {
        y[global_idx_x()] = tile[W * W - 1 - t] + block_dim_x() as u32;
    }
}

fn computed_block(on: &Engine) -> Check {
    let mut y = vec![0; 16];
    launch!(on, squares::<4>(write y), LaunchConfig::cover(16))?;
    same("y", &y, &(0..16).map(|t| 15 - t + 16).collect::<Vec<u32>>())
}

/// Arithmetic that wraps on integers.
struct Wrap<T>(T);

macro_rules! wrap {
    ($($ty:ident)*) => {$(
        impl Wrap<$ty> {
            fn times(self, other: $ty) -> $ty {
                self.0.wrapping_mul(other)
            }
            fn plus(self, other: $ty) -> $ty {
                self.0.wrapping_add(other)
            }
        }
    )*};
}
wrap! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize }
macro_rules! no_wrap {
    ($($ty:ident)*) => {$(
        impl Wrap<$ty> {
            fn times(self, other: $ty) -> $ty {
                self.0 * other
            }
            fn plus(self, other: $ty) -> $ty {
                self.0 + other
            }
        }
    )*};
}
no_wrap! { f32 f64 }

#[kernel]
fn bits<T: Int>(x: &[T], out: &mut [T]) {
    let i = global_idx_x();
    if i < x.len() {
        let low = x[i] & (T::ONE << 4) - T::ONE;
        out[i] = (low << 2 | x[i] >> 3) ^ !x[i];
    }
}

fn integers_only(on: &Engine) -> Check {
    macro_rules! each {
        ($($ty:ident)*) => {$({
            let x: Vec<$ty> = (0..300u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) as $ty).collect();
            let mut out = vec![0; 300];
            launch!(on, bits::<$ty>(read x, write out), LaunchConfig::cover(300))?;
            let want: Vec<$ty> = x.iter().map(|&x| ((x & 15) << 2 | x >> 3) ^ !x).collect();
            same(stringify!($ty), &out, &want)?;
        })*};
    }
    each! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize }
    Ok(())
}

#[kernel]
fn rooted<T: Float>(x: &[T], out: &mut [T]) {
    let i = global_idx_x();
    if i < x.len() {
        let v = x[i].mul_add(x[i], T::ONE).sqrt();
        out[i] = (v - v.floor()).abs() / T::from_f64(0.5) - v.trunc();
    }
}

fn floats_only(on: &Engine) -> Check {
    macro_rules! each {
        ($($ty:ident)*) => {$({
            let x: Vec<$ty> = (0..300).map(|i| i as $ty / 7.0 - 20.0).collect();
            let mut out = vec![0.0; 300];
            launch!(on, rooted::<$ty>(read x, write out), LaunchConfig::cover(300))?;
            let want: Vec<$ty> = x
                .iter()
                .map(|x| {
                    let v = x.mul_add(*x, 1.0).sqrt();
                    (v - v.floor()).abs() / 0.5 - v.trunc()
                })
                .collect();
            same(stringify!($ty), &out, &want)?;
        })*};
    }
    each! { f32 f64 }
    Ok(())
}

#[kernel]
fn window<const N: usize>(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < out.len() {
        let mut sum = 0;
        for k in 0..N {
            if i + k < x.len() {
                sum += x[i + k];
            }
        }
        out[i] = if N > 4 { sum * N as i32 } else { sum };
    }
}

fn const_parameter(on: &Engine) -> Check {
    let x: Vec<i32> = (0..200).map(|i| i * i - 9000).collect();
    macro_rules! each {
        ($($n:literal)*) => {$({
            let mut out = vec![0; 200];
            launch!(on, window::<$n>(read x, write out), LaunchConfig::cover(200))?;
            let want: Vec<i32> = (0..200)
                .map(|i| {
                    let sum: i32 = x[i..(i + $n).min(200)].iter().sum();
                    if $n > 4 { sum * $n } else { sum }
                })
                .collect();
            same(stringify!($n), &out, &want)?;
        })*};
    }
    each! { 0 1 4 5 33 }
    Ok(())
}

#[kernel(block = N)]
fn rotated<const N: usize>(x: &[u32], out: &mut [u32]) {
    let cells = shared!([u32; N]);
    let t = thread_idx_x();
    cells[t] = x[global_idx_x()];
    sync_threads();
    out[global_idx_x()] = cells[(t + 1) % N];
}

fn const_block(on: &Engine) -> Check {
    macro_rules! each {
        ($($n:literal)*) => {$({
            let x: Vec<u32> = (0..5 * $n).collect();
            let mut out = vec![0; 5 * $n];
            launch!(on, rotated::<$n>(read x, write out), LaunchConfig::grid(5))?;
            let want: Vec<u32> = x.iter().map(|i| i / $n * $n + (i + 1) % $n).collect();
            same(stringify!($n), &out, &want)?;
        })*};
    }
    each! { 1 32 100 256 }
    Ok(())
}

#[kernel(block = (N, N))]
fn tile_transpose<T: Num, const N: usize>(x: &[T], out: &mut [T]) {
    let tile = shared!([[T; N]; N]);
    let column = thread_idx_x();
    let row = thread_idx_y();
    tile[row][column] = x[row * N + column];
    sync_threads();
    out[row * N + column] = tile[column][row] + T::ONE;
}

fn const_tile(on: &Engine) -> Check {
    macro_rules! each {
        ($($ty:ident $n:literal)*) => {$({
            let x: Vec<$ty> = (0..$n * $n).map(|i| i as u8 as $ty).collect();
            let mut out: Vec<$ty> = vec![Default::default(); $n * $n];
            launch!(on, tile_transpose::<$ty, $n>(read x, write out), LaunchConfig::grid((1, 1)))?;
            let want: Vec<$ty> = (0..$n * $n).map(|i| x[i % $n * $n + i / $n] + 1 as $ty).collect();
            same(stringify!($ty), &out, &want)?;
        })*};
    }
    each! { f32 16 i64 8 u8 10 f64 16 i16 3 }
    Ok(())
}

#[device]
const TABLE: [u32; 6] = [3, 1, 4, 1, 5, 9];
#[device]
const WORDS: usize = (TABLE.len() * 5 % 7 + (1 << 3)).div_ceil(4);

#[kernel]
fn lengths(out: &mut [u32]) {
    const HALF: usize = 2usize.pow(3) >> 1;
    let mut words = [7; WORDS];
    words[WORDS - 1] = TABLE[HALF];
    let twice: [[u32; HALF]; WORDS] = [[2; HALF]; WORDS];
    let i = global_idx_x();
    if i == 0 {
        out[0] = WORDS as u32;
        out[1] = words.iter().sum();
        out[2] = twice.iter().map(|row| row.iter().sum::<u32>()).sum();
        out[3] = HALF as u32;
    }
}

fn computed_lengths(on: &Engine) -> Check {
    let mut out = vec![0u32; 4];
    launch!(on, lengths(write out), LaunchConfig::grid(1))?;
    same("out", &out, &[3, 19, 24, 4])
}

const FACTOR: f32 = 0.1;
const STEPS: usize = 6;

#[kernel(open(STEPS, FACTOR), contract = false)]
fn repeated(x: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        let mut v = x[i];
        for _ in 0usize..STEPS {
            v = v * FACTOR + 1.0;
        }
        x[i] = v;
    }
}

fn open_constant(on: &Engine) -> Check {
    let start: Vec<f32> = (0..100).map(|i| i as f32).collect();
    let mut x = start.clone();
    launch!(on, repeated(write x), LaunchConfig::cover(100))?;
    let want: Vec<f32> =
        start.iter().map(|x| (0..STEPS).fold(*x, |v, _| v * FACTOR + 1.0)).collect();
    same("x", &x, &want)
}

mod tuning {
    pub(super) const BLOCK: usize = 64;
    pub(super) const MASK: u8 = 0x3c;
    pub(super) const OFFSET: i64 = -1_000_000_007;
    pub(super) const NEGATE: bool = true;
}
use tuning::{BLOCK, MASK, NEGATE, OFFSET};

#[kernel(open(BLOCK, MASK, OFFSET, NEGATE))]
fn constants(x: &[u8], out: &mut [i64]) {
    let i = global_idx_x();
    if i < x.len() {
        let v = (x[i] & MASK) as i64 * OFFSET;
        out[i] = if NEGATE && i % BLOCK != 0 { -v } else { v };
    }
}

fn several_constants(on: &Engine) -> Check {
    let x: Vec<u8> = (0..=255).collect();
    let mut out = vec![0; 256];
    launch!(on, constants(read x, write out), LaunchConfig::cover(256))?;
    let want: Vec<i64> =
        (0..256).map(|i| (i & 0x3c) * -1_000_000_007 * if i % 64 == 0 { 1 } else { -1 }).collect();
    same("out", &out, &want)
}

/// A product and a sum become one operation once the type is a float.
#[kernel]
fn fusing<T: Num>(a: &[T], b: &[T], c: &[T], out: &mut [T]) {
    let i = global_idx_x();
    if i < a.len() {
        out[i * 3] = a[i] * b[i] + c[i];
        out[i * 3 + 1] = c[i] - a[i] * b[i];
        out[i * 3 + 2] = a[i] * b[i] - c[i];
    }
}

fn generic_fusing(on: &Engine) -> Check {
    let value = |i: u32| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / 8_388_608.0 - 1.0;
    let column = |k: u32| (0..300).map(|i| value(3 * i + k)).collect::<Vec<f32>>();
    let (a, b, c) = (column(0), column(1), column(2));
    let mut out = vec![0.0; 900];
    launch!(on, fusing::<f32>(read a, read b, read c, write out), LaunchConfig::cover(300))?;
    let want: Vec<f32> = (0..300)
        .flat_map(|i| {
            [a[i].mul_add(b[i], c[i]), (-a[i]).mul_add(b[i], c[i]), a[i].mul_add(b[i], -c[i])]
        })
        .collect();
    same("f32", &out, &want)
}

fn generic_not_fusing(on: &Engine) -> Check {
    let column = |k: i64| (0..300).map(|i| (i * 7919 + k) << 40).collect::<Vec<i64>>();
    let (a, b, c) = (column(0), column(1), column(2));
    let mut out = vec![0; 900];
    launch!(on, fusing::<i64>(read a, read b, read c, write out), LaunchConfig::cover(300))?;
    let want: Vec<i64> = (0..300)
        .flat_map(|i| {
            let product = a[i].wrapping_mul(b[i]);
            let (sum, difference) = (product.wrapping_add(c[i]), product.wrapping_sub(c[i]));
            [sum, difference.wrapping_neg(), difference]
        })
        .collect();
    same("i64", &out, &want)
}

#[kernel(block = 64)]
fn block_sum<T: Num>(x: &[T], out: &mut [T]) {
    let cells = shared!([T; 64]);
    let t = thread_idx_x();
    cells[t] = x[global_idx_x()];
    sync_threads();
    let mut half = 32;
    while half > 0 {
        if t < half {
            cells[t] += cells[t + half];
        }
        sync_threads();
        half /= 2;
    }
    if t == 0 {
        out[block_idx_x()] = cells[0] + warp_share(cells[0]);
    }
}

#[device]
fn warp_share<T: Num>(sum: T) -> T {
    sum / T::from_usize(2)
}

fn generic_shared(on: &Engine) -> Check {
    macro_rules! each {
        ($($ty:ident)*) => {$({
            let x: Vec<$ty> = (0..640u32).map(|i| (i % 2) as $ty).collect();
            let mut out: Vec<$ty> = vec![Default::default(); 10];
            launch!(on, block_sum::<$ty>(read x, write out), LaunchConfig::grid(10))?;
            same(stringify!($ty), &out, &[48 as $ty; 10])?;
        })*};
    }
    each! { u8 i16 f32 i64 f64 }
    Ok(())
}

#[kernel]
fn convert<A: Num, B: Num>(x: &[A], out: &mut [B]) {
    let i = global_idx_x();
    if i < x.len() {
        out[i] = B::from_f64(x[i].as_f64()) + B::from_usize(x[i].as_usize());
    }
}

fn two_types(on: &Engine) -> Check {
    let x: Vec<f32> = vec![0.0, 1.75, 99.5, 120.0, 3.999];
    let mut out = vec![0u8; 5];
    launch!(on, convert::<f32, u8>(read x, write out), LaunchConfig::cover(5))?;
    same("u8", &out, &[0, 2, 198, 240, 6])?;
    let mut out = vec![0f64; 5];
    launch!(on, convert::<f32, f64>(read x, write out), LaunchConfig::cover(5))?;
    let want: Vec<f64> = x.iter().map(|x| f64::from(*x) + f64::from(x.trunc())).collect();
    same("f64", &out, &want)
}

const TAPS: usize = 3;

#[device]
#[derive(Clone, Copy, Debug)]
struct Filter<const N: usize> {
    first: u8,
    weights: [i32; N],
}

/// Arrays by value, with lengths that only a launch determines, between other parameters.
#[kernel(open(TAPS))]
fn by_value<T: Num, const N: usize>(
    bias: T,
    mut rows: [[T; N]; 2],
    on: [bool; TAPS],
    filter: Filter<N>,
    out: &mut [T],
) {
    let i = global_idx_x();
    if i < out.len() {
        rows[1][i % N] = rows[1][i % N] + bias;
        let weight = filter.weights[i % N] + filter.first as i32;
        let sum = rows[0][i % N] * T::from_i32(weight) + rows[1][0];
        out[i] = if on[i % TAPS] { sum } else { T::ZERO };
    }
}

fn passed_arrays(on: &Engine) -> Check {
    fn check<const N: usize>(on: &Engine, rows: [[i64; N]; 2], weights: [i32; N]) -> Check {
        let (mut out, bias, flags) = (vec![0; 70], 7, [true, false, true]);
        let filter = Filter { first: 200, weights };
        launch!(
            on,
            by_value::<i64, N>(value bias, value rows, value flags, value filter, write out),
            LaunchConfig::cover(70)
        )?;
        let want: Vec<i64> = (0..70)
            .map(|i| {
                let first = rows[1][0] + if i % N == 0 { bias } else { 0 };
                let sum = rows[0][i % N] * i64::from(weights[i % N] + 200) + first;
                if flags[i % TAPS] { sum } else { 0 }
            })
            .collect();
        same("out", &out, &want)
    }
    check(on, [[3], [4]], [5])?;
    check(on, [[1, -2, 3, 1 << 40], [5, 6, 7, 8]], [-9, 10, 11, i32::MAX / 2])
}

#[device]
fn mixed<T: Copy + Add<Output = T> + Mul<Output = T>>(a: T, x: T, y: T) -> T {
    a * x + y
}

#[kernel(contract = false)]
fn axpy<T: Copy + PartialOrd + Add<Output = T> + Mul<Output = T>>(a: T, x: &[T], y: &mut [T]) {
    let i = global_idx_x();
    if i < y.len() && x[i] < y[i] {
        y[i] = mixed(a, x[i], y[i]);
    }
}

fn bounds_of_std(on: &Engine) -> Check {
    let x: Vec<f64> = (0..100).map(|i| f64::from(i) * 0.7).collect();
    let start: Vec<f64> = (0..100).map(|i| f64::from(99 - i) * 0.3).collect();
    let mut y = start.clone();
    let a = 1.5;
    launch!(on, axpy::<f64>(value a, read x, write y), LaunchConfig::cover(100))?;
    let want: Vec<f64> =
        x.iter().zip(&start).map(|(&x, &y)| if x < y { 1.5 * x + y } else { y }).collect();
    same("f64", &want, &y)?;
    let mut y = vec![90i16; 100];
    let x: Vec<i16> = (0..100).collect();
    let a = -3;
    launch!(on, axpy::<i16>(value a, read x, write y), LaunchConfig::cover(100))?;
    let want: Vec<i16> = x.iter().map(|&x| if x < 90 { 90 - 3 * x } else { 90 }).collect();
    same("i16", &want, &y)
}

#[kernel]
fn kept_bits<T>(mask: T, x: &[T], y: &mut [T])
where
    T: Copy + Ord + Default + BitAnd<Output = T>,
{
    let i = global_idx_x();
    if i < y.len() && y[i] != T::default() {
        y[i] = (x[i] & mask).max(y[i]);
    }
}

fn bounds_of_std_for_integers(on: &Engine) -> Check {
    let x: Vec<u8> = (0..=255).collect();
    let start: Vec<u8> = (0..=255).map(|i: u8| i % 3 * 40).collect();
    let mut y = start.clone();
    let mask = 0xAA;
    launch!(on, kept_bits::<u8>(value mask, read x, write y), LaunchConfig::cover(256))?;
    let each = x.iter().zip(&start);
    let want: Vec<u8> = each.map(|(&x, &y)| if y == 0 { 0 } else { (x & 0xAA).max(y) }).collect();
    same("u8", &want, &y)
}

#[device]
#[derive(Clone, Copy)]
struct Tagged<T> {
    tag: u8,
    value: T,
}

#[kernel]
fn write_sizes<T: Num, const N: usize>(x: &[T], sizes: &mut [usize]) {
    sizes[0] = size_of::<T>() * x.len();
    sizes[1] = align_of::<T>();
    sizes[2] = size_of::<[T; N]>();
    sizes[3] = size_of::<Tagged<T>>();
    sizes[4] = align_of::<Tagged<T>>();
    for byte in 0..size_of::<T>() {
        sizes[5] += byte;
    }
    sizes[6] = size_of_val(&x[0]);
}

fn sizes_of_parameters(on: &Engine) -> Check {
    macro_rules! each {
        ($($ty:ident)*) => {$({
            let (x, mut sizes) = (vec![1 as $ty; 5], vec![0usize; 7]);
            launch!(on, write_sizes::<$ty, 3>(read x, write sizes), LaunchConfig::cover(1).block(1))?;
            let [size, align] = [size_of::<$ty>(), align_of::<$ty>()];
            let bytes = (0..size).sum();
            same(stringify!($ty), &sizes, &[5 * size, align, 3 * size, 2 * align, align, bytes, size])?;
        })*};
    }
    each! { u8 i16 f32 u64 f64 }
    Ok(())
}

#[device]
fn dot<T: Num>(x: &[T], y: &[T]) -> T {
    x.iter().zip(y).map(|(a, b)| *a * *b).sum()
}

#[kernel]
fn sum_up<T: Num + Sum + Product>(x: &[T], out: &mut [T]) {
    out[0] = x.iter().sum();
    out[1] = x.iter().copied().product::<T>();
    out[2] = dot(x, x);
    out[3] = x[..0].iter().copied().sum();
}

#[kernel]
fn sum_up_halves(x: &[f16], out: &mut [f16]) {
    out[0] = x.iter().sum();
    out[1] = x.iter().copied().product::<f16>();
    let options = x.iter().map(|&v| if v.is_nan() { None } else { Some(v) });
    out[2] = options.sum::<Option<f16>>().unwrap_or(f16::ZERO);
    let results = x.iter().map(|&v| if v.is_nan() { Err(v) } else { Ok(v) });
    out[3] = results.product::<Result<f16, f16>>().unwrap_or(f16::ZERO);
}

/// The empty sum is -0.0 for floats, as in std. Sums of halves are rounded once.
fn sums_of_numbers(on: &Engine) -> Check {
    let (x, mut out) = (vec![1.0f32, 2.0, 4.0], vec![0.0f32; 4]);
    launch!(on, sum_up::<f32>(read x, write out), LaunchConfig::cover(1).block(1))?;
    let bits: Vec<u32> = out.iter().map(|v| v.to_bits()).collect();
    same("f32", &bits, &[7.0f32, 8.0, 21.0, -0.0].map(f32::to_bits))?;
    let (x, mut out) = (vec![1u16, 2, 4], vec![0u16; 4]);
    launch!(on, sum_up::<u16>(read x, write out), LaunchConfig::cover(1).block(1))?;
    same("u16", &out, &[7, 8, 21, 0])?;
    macro_rules! of_halves {
        ($($ty:ident $first:literal)*) => {$({
            let x = [$first, 1.0, 1.0, 0.3].map($ty::from_f32).to_vec();
            let mut out = vec![$ty::ZERO; 4];
            launch!(on, sum_up::<$ty>(read x, write out), LaunchConfig::cover(1).block(1))?;
            let (sum, product): ($ty, $ty) = (x.iter().sum(), x.iter().product());
            let squares = x.iter().map(|&v| v * v).sum();
            same(stringify!($ty), &out, &[sum, product, squares, $ty::NEG_ZERO])?;
        })*};
    }
    of_halves! { f16 2048.0 bf16 256.0 }
    let x = [2048.0, 1.0, 1.0, 0.3].map(f16::from_f32).to_vec();
    let mut out = vec![f16::ZERO; 4];
    launch!(on, sum_up_halves(read x, write out), LaunchConfig::cover(1).block(1))?;
    same("f16 by name", &out, &[2050.0, 614.5, 2050.0, 614.5].map(f16::from_f32))
}

#[device]
fn span_of<T: Num>() -> [T; 2] {
    [T::MIN, T::MAX]
}

#[kernel]
fn limits<T: Num>(out: &mut [T]) {
    (out[0], out[1]) = (T::MIN, T::MAX);
    [out[2], out[3]] = span_of::<T>();
}

#[kernel]
fn limits_of_integers<T: Int>(out: &mut [T]) {
    (out[0], out[1]) = (T::MIN, T::MAX);
    [out[2], out[3]] = span_of::<T>();
}

#[kernel]
fn limits_of_floats<T: Float>(out: &mut [T]) {
    (out[0], out[1]) = (T::MIN, T::MAX);
    [out[2], out[3]] = span_of::<T>();
    (out[4], out[5], out[6], out[7]) = (T::INFINITY, T::NEG_INFINITY, T::NAN, T::EPSILON);
}

fn limits_of_numbers(on: &Engine) -> Check {
    macro_rules! each {
        ($($ty:ident $kernel:ident)*) => {$({
            let (mut out, mut of_bound) = (vec![$ty::ONE; 4], vec![$ty::ONE; 8]);
            launch!(on, limits::<$ty>(write out), LaunchConfig::grid(1).block(1))?;
            launch!(on, $kernel::<$ty>(write of_bound), LaunchConfig::grid(1).block(1))?;
            let want = [$ty::MIN, $ty::MAX, $ty::MIN, $ty::MAX];
            same(stringify!($ty), &out, &want)?;
            same(stringify!($kernel), &of_bound[..4], &want)?;
        })*};
    }
    each! {
        i8 limits_of_integers i16 limits_of_integers i32 limits_of_integers i64 limits_of_integers
        u8 limits_of_integers u16 limits_of_integers u32 limits_of_integers u64 limits_of_integers
        usize limits_of_integers isize limits_of_integers
        f16 limits_of_floats bf16 limits_of_floats f32 limits_of_floats f64 limits_of_floats
    }
    macro_rules! floats {
        ($($ty:ident)*) => {$({
            let mut out = vec![$ty::ONE; 8];
            launch!(on, limits_of_floats::<$ty>(write out), LaunchConfig::grid(1).block(1))?;
            let want = [$ty::INFINITY, $ty::NEG_INFINITY, $ty::NAN, $ty::EPSILON];
            same(stringify!($ty), &out[4..], &want)?;
        })*};
    }
    floats! { f16 bf16 f32 f64 }
    Ok(())
}
