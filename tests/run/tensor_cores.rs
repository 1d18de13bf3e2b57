//! Products of matrices on tensor cores.
use crate::run::engine::{Check, Engine, cases, equal, fault, launch, same};
use warpwise::{
    bf16, f16,
    mma::{self, E4M3, E5M2, I4, U4},
    prelude::*,
};

cases![
    m16n8k8_f16: THREADS_MEET,
    m16n8k16_f16: THREADS_MEET,
    m16n8k8_f16_sums: THREADS_MEET,
    m16n8k16_f16_sums: THREADS_MEET,
    m16n8k8_bf16: THREADS_MEET,
    m16n8k16_bf16: THREADS_MEET,
    m16n8k4_tf32: THREADS_MEET,
    m16n8k8_tf32: THREADS_MEET,
    m8n8k4_f64: THREADS_MEET,
    m16n8k4_f64: THREADS_MEET,
    m16n8k8_f64: THREADS_MEET,
    m8n8k16_i8: THREADS_MEET,
    m8n8k16_i8_u8: THREADS_MEET,
    m8n8k16_u8_i8: THREADS_MEET,
    m8n8k16_u8: THREADS_MEET,
    m16n8k16_i8: THREADS_MEET,
    m16n8k16_i8_u8: THREADS_MEET,
    m16n8k16_u8_i8: THREADS_MEET,
    m16n8k16_u8: THREADS_MEET,
    m16n8k32_i8: THREADS_MEET,
    m16n8k32_i8_u8: THREADS_MEET,
    m16n8k32_u8_i8: THREADS_MEET,
    m16n8k32_u8: THREADS_MEET,
    m8n8k32_i4: THREADS_MEET,
    m8n8k32_i4_u4: THREADS_MEET,
    m8n8k32_u4_i4: THREADS_MEET,
    m8n8k32_u4: THREADS_MEET,
    m16n8k32_i4: THREADS_MEET,
    m16n8k32_i4_u4: THREADS_MEET,
    m16n8k32_u4_i4: THREADS_MEET,
    m16n8k32_u4: THREADS_MEET,
    m16n8k64_i4: THREADS_MEET,
    m16n8k64_i4_u4: THREADS_MEET,
    m16n8k64_u4_i4: THREADS_MEET,
    m16n8k64_u4: THREADS_MEET,
    m16n8k32_e4m3: THREADS_MEET,
    m16n8k32_e4m3_e5m2: THREADS_MEET,
    m16n8k32_e5m2_e4m3: THREADS_MEET,
    m16n8k32_e5m2: THREADS_MEET,
    wrapping_sums: THREADS_MEET,
    rounding_of_f16: THREADS_MEET,
    rounding_of_bf16: THREADS_MEET,
    rounding_of_tf32: THREADS_MEET,
    rounding_of_f16_sums: THREADS_MEET,
    rounding_of_e4m3: THREADS_MEET,
    rounding_of_e5m2: THREADS_MEET,
    special_numbers_of_8_bits: THREADS_MEET,
    subnormal_numbers_of_8_bits: THREADS_MEET,
    rounding_of_f64: THREADS_MEET,
    shared_tiles: THREADS_MEET,
    matrix_loads_of_f16: THREADS_MEET,
    matrix_loads_of_bf16: THREADS_MEET,
    matrix_loads_of_tf32: THREADS_MEET,
    matrix_loads_of_i8: THREADS_MEET,
    matrix_loads_of_u8: THREADS_MEET,
    matrix_loads_of_e4m3: THREADS_MEET,
    matrix_loads_of_i4: THREADS_MEET,
    transposed_matrix_loads: THREADS_MEET,
    unaligned_matrix_loads: THREADS_MEET,
    epilogue: THREADS_MEET,
    half_epilogue: THREADS_MEET,
    words: THREADS_MEET,
    packed_integers,
    reads_past_the_end: THREADS_MEET,
    writes_past_the_end: THREADS_MEET,
    tf32_numbers,
];

/// An element type of matrices of small integers.
trait Small: Copy {
    /// The smallest number.
    const LEAST: i32;
    fn of(value: i32) -> Self;
}

macro_rules! small {
    ($($ty:ident $least:literal $value:ident $of:expr;)*) => {$(
        impl Small for $ty {
            const LEAST: i32 = $least;
            fn of($value: i32) -> Self {
                $of
            }
        }
    )*};
}
small! {
    f16 -5 value f16::from_f32(value as f32);
    bf16 -5 value bf16::from_f32(value as f32);
    f32 -5 value value as f32;
    f64 -5 value value.into();
    i8 -5 value value as i8;
    u8 0 value value as u8;
    i32 -5 value value;
    E4M3 -5 value E4M3::from_f32(value as f32);
    E5M2 -5 value E5M2::from_f32(value as f32);
}

/// Returns numbers of 11 different values, in no order.
fn small<T: Small>(count: usize, factor: usize) -> (Vec<i32>, Vec<T>) {
    let values: Vec<i32> = (0..count).map(|i| (i * factor % 11) as i32 + T::LEAST).collect();
    let elements = values.iter().map(|value| T::of(*value)).collect();
    (values, elements)
}

/// Returns the product of integer matrices, `m` by `2 * k` and `2 * k` by `n`, plus `c`.
fn exact([m, n, k]: [usize; 3], a: &[i32], b: &[i32], c: &[i32]) -> Vec<i32> {
    let element = |i: usize| {
        let (row, column) = (i / n, i % n);
        (0..2 * k).map(|k2| a[row * 2 * k + k2] * b[k2 * n + column]).sum::<i32>() + c[i]
    };
    (0..m * n).map(element).collect()
}

fn transposed<T: Copy>(matrix: &[T], columns: usize) -> Vec<T> {
    let rows = matrix.len() / columns;
    (0..matrix.len()).map(|i| matrix[i % rows * columns + i / rows]).collect()
}

/// Cases that multiply matrices of small integers, in all layouts: two products in a row.
macro_rules! products {
    ($($case:ident: $a:ty, $b:ty, $sum:ty, $a_value:ty, $b_value:ty, $m:literal, $n:literal, $k:literal;)*) => {$(
        fn $case(on: &Engine) -> Check {
            #[kernel(block = 64)]
            fn multiply(
                a: &[$a_value],
                a_transposed: &[$a_value],
                b: &[$b_value],
                b_transposed: &[$b_value],
                c: &[$sum],
                out: &mut [$sum],
            ) {
                let mut sum = mma::Accumulator::<$sum, $m, $n>::load(c, 0, $n);
                if warp::warp_id() == 0 {
                    for k in 0..2 {
                        let left = mma::A::<$a, $m, $k>::load(a, k * $k, 2 * $k);
                        let right = mma::B::<$b, $k, $n>::load(b, k * $k * $n, $n);
                        sum.multiply_add(left, right);
                    }
                } else {
                    for k in 0..2 {
                        let left = mma::A::<$a, $m, $k>::load_transposed(a_transposed, k * $k * $m, $m);
                        let right = mma::B::<$b, $k, $n>::load_transposed(b_transposed, k * $k, 2 * $k);
                        sum.multiply_add(left, right);
                    }
                }
                sum.store(out, warp::warp_id() * $m * $n, $n);
            }
            let (left, a) = small::<$a_value>($m * 2 * $k, 7);
            let (right, b) = small::<$b_value>(2 * $k * $n, 5);
            let (summand, c) = small::<$sum>($m * $n, 3);
            let (a_transposed, b_transposed) = (transposed(&a, 2 * $k), transposed(&b, $n));
            let mut out = vec![<$sum>::of(0); 2 * $m * $n];
            launch!(
                on,
                multiply(read a, read a_transposed, read b, read b_transposed, read c, write out),
                LaunchConfig::grid(1)
            )?;
            let want = exact([$m, $n, $k], &left, &right, &summand);
            let want: Vec<$sum> = want.iter().map(|value| <$sum>::of(*value)).collect();
            same("out", &out, &[&want[..], &want[..]].concat())
        }
    )*};
}

products! {
    m16n8k8_f16: f16, f16, f32, f16, f16, 16, 8, 8;
    m16n8k16_f16: f16, f16, f32, f16, f16, 16, 8, 16;
    m16n8k8_f16_sums: f16, f16, f16, f16, f16, 16, 8, 8;
    m16n8k16_f16_sums: f16, f16, f16, f16, f16, 16, 8, 16;
    m16n8k8_bf16: bf16, bf16, f32, bf16, bf16, 16, 8, 8;
    m16n8k16_bf16: bf16, bf16, f32, bf16, bf16, 16, 8, 16;
    m16n8k4_tf32: mma::Tf32, mma::Tf32, f32, f32, f32, 16, 8, 4;
    m16n8k8_tf32: mma::Tf32, mma::Tf32, f32, f32, f32, 16, 8, 8;
    m8n8k4_f64: f64, f64, f64, f64, f64, 8, 8, 4;
    m16n8k4_f64: f64, f64, f64, f64, f64, 16, 8, 4;
    m16n8k8_f64: f64, f64, f64, f64, f64, 16, 8, 8;
    m8n8k16_i8: i8, i8, i32, i8, i8, 8, 8, 16;
    m8n8k16_i8_u8: i8, u8, i32, i8, u8, 8, 8, 16;
    m8n8k16_u8_i8: u8, i8, i32, u8, i8, 8, 8, 16;
    m8n8k16_u8: u8, u8, i32, u8, u8, 8, 8, 16;
    m16n8k16_i8: i8, i8, i32, i8, i8, 16, 8, 16;
    m16n8k16_i8_u8: i8, u8, i32, i8, u8, 16, 8, 16;
    m16n8k16_u8_i8: u8, i8, i32, u8, i8, 16, 8, 16;
    m16n8k16_u8: u8, u8, i32, u8, u8, 16, 8, 16;
    m16n8k32_i8: i8, i8, i32, i8, i8, 16, 8, 32;
    m16n8k32_i8_u8: i8, u8, i32, i8, u8, 16, 8, 32;
    m16n8k32_u8_i8: u8, i8, i32, u8, i8, 16, 8, 32;
    m16n8k32_u8: u8, u8, i32, u8, u8, 16, 8, 32;
    m16n8k32_e4m3: E4M3, E4M3, f32, E4M3, E4M3, 16, 8, 32;
    m16n8k32_e4m3_e5m2: E4M3, E5M2, f32, E4M3, E5M2, 16, 8, 32;
    m16n8k32_e5m2_e4m3: E5M2, E4M3, f32, E5M2, E4M3, 16, 8, 32;
    m16n8k32_e5m2: E5M2, E5M2, f32, E5M2, E5M2, 16, 8, 32;
}

/// An element type of 4 bits.
trait Packed {
    /// The smallest number.
    const LEAST: i32;
    fn pack(elements: [i32; 8]) -> u32;
}

impl Packed for I4 {
    const LEAST: i32 = -8;
    fn pack(elements: [i32; 8]) -> u32 {
        I4::pack(elements.map(|element| element as i8))
    }
}

impl Packed for U4 {
    const LEAST: i32 = 0;
    fn pack(elements: [i32; 8]) -> u32 {
        U4::pack(elements.map(|element| element as u8))
    }
}

/// Returns numbers of all values in no order, and the words that pack them.
fn packed<T: Packed>(count: usize, factor: usize) -> (Vec<i32>, Vec<u32>) {
    let number = |i: usize| (i * factor / 7 % 16) as i32 + T::LEAST;
    let numbers: Vec<i32> = (0..count).map(number).collect();
    let words = numbers.as_chunks().0.iter().map(|eight| T::pack(*eight)).collect();
    (numbers, words)
}

/// Cases that multiply matrices of elements of 4 bits, in all layouts: two products in a row.
macro_rules! packed_products {
    ($($case:ident: $a:ty, $b:ty, $m:literal, $n:literal, $k:literal;)*) => {$(
        fn $case(on: &Engine) -> Check {
            #[kernel(block = 64)]
            fn multiply(
                a: &[u32],
                a_transposed: &[u32],
                b: &[u32],
                b_transposed: &[u32],
                c: &[i32],
                out: &mut [i32],
            ) {
                let mut sum = mma::Accumulator::<i32, $m, $n>::load(c, 0, $n);
                if warp::warp_id() == 0 {
                    for k in 0..2 {
                        let left = mma::A::<$a, $m, $k>::load(a, k * $k / 8, 2 * $k / 8);
                        let right = mma::B::<$b, $k, $n>::load(b_transposed, k * $k / 8 * $n, $n);
                        sum.multiply_add(left, right);
                    }
                } else {
                    for k in 0..2 {
                        let left =
                            mma::A::<$a, $m, $k>::load_transposed(a_transposed, k * $k / 8 * $m, $m);
                        let right = mma::B::<$b, $k, $n>::load_transposed(b, k * $k / 8, 2 * $k / 8);
                        sum.multiply_add(left, right);
                    }
                }
                sum.store(out, warp::warp_id() * $m * $n, $n);
            }
            let (left, a) = packed::<$a>($m * 2 * $k, 25);
            // Column by column.
            let (right, b) = packed::<$b>(2 * $k * $n, 45);
            let (summand, c) = small::<i32>($m * $n, 3);
            let (a_transposed, b_transposed) = (transposed(&a, $k / 4), transposed(&b, $k / 4));
            let mut out = vec![0; 2 * $m * $n];
            launch!(
                on,
                multiply(read a, read a_transposed, read b, read b_transposed, read c, write out),
                LaunchConfig::grid(1)
            )?;
            let want = exact([$m, $n, $k], &left, &transposed(&right, 2 * $k), &summand);
            same("out", &out, &[&want[..], &want[..]].concat())
        }
    )*};
}

packed_products! {
    m8n8k32_i4: I4, I4, 8, 8, 32;
    m8n8k32_i4_u4: I4, U4, 8, 8, 32;
    m8n8k32_u4_i4: U4, I4, 8, 8, 32;
    m8n8k32_u4: U4, U4, 8, 8, 32;
    m16n8k32_i4: I4, I4, 16, 8, 32;
    m16n8k32_i4_u4: I4, U4, 16, 8, 32;
    m16n8k32_u4_i4: U4, I4, 16, 8, 32;
    m16n8k32_u4: U4, U4, 16, 8, 32;
    m16n8k64_i4: I4, I4, 16, 8, 64;
    m16n8k64_i4_u4: I4, U4, 16, 8, 64;
    m16n8k64_u4_i4: U4, I4, 16, 8, 64;
    m16n8k64_u4: U4, U4, 16, 8, 64;
}

fn packed_integers(on: &Engine) -> Check {
    #[kernel]
    fn repack(signed: &[u32], unsigned: &[u32], out: &mut [u32]) {
        let i = global_idx_x();
        if i < out.len() {
            let mut elements = I4::unpack(signed[i]);
            elements[1] -= 16;
            out[i] = I4::pack(elements) ^ U4::pack(U4::unpack(unsigned[i]));
        }
    }
    let signed: Vec<u32> = (0..64).map(|i| i * 0x0931_85f7).collect();
    let unsigned: Vec<u32> = (0..64).map(|i| i * 0x5bd1_e995).collect();
    let mut out = vec![0; 64];
    launch!(on, repack(read signed, read unsigned, write out), LaunchConfig::cover(64))?;
    let want: Vec<u32> = signed.iter().zip(&unsigned).map(|(a, b)| a ^ b).collect();
    same("out", &out, &want)
}

fn wrapping_sums(on: &Engine) -> Check {
    #[kernel(block = 32)]
    fn multiply(a: &[i8], b: &[u8], c: &[i32], out: &mut [i32]) {
        let mut sum = mma::Accumulator::<i32, 16, 8>::load(c, 0, 8);
        sum.multiply_add(mma::A::<i8, 16, 32>::load(a, 0, 32), mma::B::<u8, 32, 8>::load(b, 0, 8));
        sum.store(out, 0, 8);
    }
    let a: Vec<i8> = (0..16 * 32).map(|i| if i % 3 == 0 { -128 } else { i as u8 as i8 }).collect();
    let b: Vec<u8> = (0..32 * 8).map(|i| if i % 2 == 0 { 255 } else { i as u8 }).collect();
    let c: Vec<i32> =
        (0..128).map(|i| if i % 2 == 0 { i32::MIN + i } else { i32::MAX - i }).collect();
    let mut out = vec![0; 128];
    launch!(on, multiply(read a, read b, read c, write out), LaunchConfig::grid(1))?;
    let element = |i: usize| {
        let product = |k: usize| i32::from(a[i / 8 * 32 + k]) * i32::from(b[k * 8 + i % 8]);
        (0..32).fold(c[i], |sum, k| sum.wrapping_add(product(k)))
    };
    same("out", &out, &(0..128).map(element).collect::<Vec<_>>())
}

/// Returns pseudorandom numbers of many magnitudes, some of them 0.
fn spread(count: usize, seed: u64, magnitudes: i32) -> Vec<f32> {
    let mut state = seed;
    let mut next = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32
    };
    let number = |_| {
        let significand = 1.0 + (next() & 0x7f_ffff) as f32 / 8_388_608.0;
        let sign = if next() & 1 == 0 { 1.0 } else { -1.0 };
        let magnitude = (next() % magnitudes as u32) as i32 - magnitudes / 2;
        if next() % 16 == 0 { 0.0 } else { sign * significand * 2f32.powi(magnitude) }
    };
    (0..count).map(number).collect()
}

/// Returns the exponent of a normal number.
fn exponent(value: f32) -> i32 {
    (value.to_bits() >> 23 & 0xff) as i32 - 127
}

/// Returns the sum that tensor cores of sm_90 compute of normal numbers, before it is rounded.
fn truncated_sum(a: &[f32], b: &[f32], c: f32) -> f64 {
    let products = a.iter().zip(b).filter(|(a, b)| **a * **b != 0.0);
    let products =
        products.map(|(a, b)| (f64::from(*a) * f64::from(*b), exponent(*a) + exponent(*b)));
    let summand = (c != 0.0).then(|| (f64::from(c), exponent(c)));
    let terms: Vec<(f64, i32)> = products.chain(summand).collect();
    let largest = terms.iter().map(|(_, exponent)| *exponent).max().unwrap_or(0);
    let quantum = 2f64.powi(largest - 25);
    terms.iter().map(|(value, _)| (value / quantum).trunc()).sum::<f64>() * quantum
}

fn truncate_to_f32(value: f64) -> f32 {
    let nearest = value as f32;
    match f64::from(nearest).abs() > value.abs() {
        true => f32::from_bits(nearest.to_bits() - 1),
        false => nearest,
    }
}

/// Returns the sum that sm_90 computes of floats of 8 bits: of the lower two of every four products,
/// of the upper two, and of `c`.
fn sum_of_floats_of_8_bits(a: &[f32], b: &[f32], c: f32) -> f64 {
    let half = |all: &[f32], first: usize| -> Vec<f32> {
        all.chunks(4).flat_map(|four| four[first..first + 2].to_vec()).collect()
    };
    let lower = truncate_to_f32(truncated_sum(&half(a, 0), &half(b, 0), 0.0));
    let products = truncate_to_f32(truncated_sum(&half(a, 2), &half(b, 2), lower));
    f64::from(c + products)
}

/// Cases of one product with numbers of many magnitudes.
macro_rules! rounding {
    ($($case:ident: $ty:ty, $sum:ty, $k:literal, $value:ty, $magnitudes:literal, $to:expr, $of:expr, $sum_of:ident, $round:expr;)*) => {$(
        fn $case(on: &Engine) -> Check {
            #[kernel(block = 32)]
            fn multiply(a: &[$value], b: &[$value], c: &[$sum], out: &mut [$sum]) {
                let tile = block_idx_x();
                let mut sum = mma::Accumulator::<$sum, 16, 8>::load(c, tile * 128, 8);
                sum.multiply_add(
                    mma::A::<$ty, 16, $k>::load(a, tile * 16 * $k, $k),
                    mma::B::<$ty, $k, 8>::load_transposed(b, tile * 8 * $k, $k),
                );
                sum.store(out, tile * 128, 8);
            }
            const TILES: usize = 24;
            let (to, of): (fn(f32) -> $value, fn($value) -> f32) = ($to, $of);
            let numbers = |count: usize, seed: u64| -> Vec<$value> {
                let spread = (0..TILES as u64).flat_map(|tile| {
                    let magnitudes = if tile % 2 == 0 { 2 } else { $magnitudes };
                    spread(count, seed + tile, magnitudes)
                });
                spread.map(to).collect()
            };
            let (a, b) = (numbers(16 * $k, 1), numbers(8 * $k, 1000));
            let c: Vec<$sum> = (0..TILES as u64)
                .flat_map(|tile| spread(128, 2000 + tile, if tile % 2 == 0 { 2 } else { 12 }))
                .map(|value| $round(f64::from(value)))
                .collect();
            let mut out = vec![$round(0.0); TILES * 128];
            launch!(on, multiply(read a, read b, read c, write out), LaunchConfig::grid(TILES))?;
            let want: Vec<$sum> = (0..TILES * 128)
                .map(|i| {
                    let (tile, row, column) = (i / 128, i % 128 / 8, i % 8);
                    let row = &a[(tile * 16 + row) * $k..][..$k];
                    let column = &b[(tile * 8 + column) * $k..][..$k];
                    let [row, column] =
                        [row, column].map(|of_all| of_all.iter().map(|x| of(*x)).collect::<Vec<_>>());
                    $round($sum_of(&row, &column, f32::from(c[i])))
                })
                .collect();
            same("out", &out, &want)
        }
    )*};
}

rounding! {
    rounding_of_f16: f16, f32, 16, f16, 12, f16::from_f32, f16::to_f32, truncated_sum,
        truncate_to_f32;
    rounding_of_bf16: bf16, f32, 16, bf16, 30, bf16::from_f32, bf16::to_f32, truncated_sum,
        truncate_to_f32;
    rounding_of_tf32: mma::Tf32, f32, 8, f32, 30, |value| value,
        |value| f32::from_bits(value.to_bits() & !0x1fff), truncated_sum, truncate_to_f32;
    rounding_of_f16_sums: f16, f16, 16, f16, 6, f16::from_f32, f16::to_f32, truncated_sum,
        f16::from_f64;
    rounding_of_e4m3: E4M3, f32, 32, E4M3, 12, E4M3::from_f32, E4M3::to_f32,
        sum_of_floats_of_8_bits, truncate_to_f32;
    rounding_of_e5m2: E5M2, f32, 32, E5M2, 20, E5M2::from_f32, E5M2::to_f32,
        sum_of_floats_of_8_bits, truncate_to_f32;
}

/// Each number of 8 bits by one and by zero: infinities, and NaNs, which both types have.
fn special_numbers_of_8_bits(on: &Engine) -> Check {
    #[kernel(block = 32)]
    fn multiply(a: &[E4M3], b: &[E5M2], out: &mut [f32]) {
        let tile = block_idx_x();
        // Ones at the first elements of words in the upper half of `a`.
        let ones = mma::A::<E4M3, 16, 32> { words: [0x38, 0, 0x38, 0] };
        let mut sum = mma::Accumulator::<f32, 16, 8>::zero();
        sum.multiply_add(ones, mma::B::<E5M2, 32, 8>::load_transposed(b, tile * 256, 32));
        sum.store(out, tile * 256, 8);
        // Ones at the first elements of words in the upper half of `b`.
        let ones = mma::B::<E5M2, 32, 8> { words: [0x3c, 0] };
        let mut sum = mma::Accumulator::<f32, 16, 8>::zero();
        sum.multiply_add(mma::A::<E4M3, 16, 32>::load(a, tile * 512, 32), ones);
        sum.store(out, tile * 256 + 128, 8);
    }
    const TILES: usize = 64;
    // One number in a line of 32 is not zero.
    let bits = |i: usize| if i % 32 == i / 32 % 32 { (i / 32) as u8 } else { 0 };
    let a: Vec<E4M3> = (0..TILES * 512).map(|i| E4M3::from_bits(bits(i))).collect();
    let b: Vec<E5M2> = (0..TILES * 256).map(|i| E5M2::from_bits(bits(i))).collect();
    let mut out = vec![0.0f32; TILES * 256];
    launch!(on, multiply(read a, read b, write out), LaunchConfig::grid(TILES))?;
    let element = |i: usize| {
        let (tile, row, column) = (i / 256, i % 256 / 8, i % 8);
        let sum: f32 = (0..32)
            .map(|k| match row {
                0..16 => {
                    let one = f32::from(u8::from(k % 4 == 0 && row < 8));
                    one * b[tile * 256 + column * 32 + k].to_f32()
                }
                _ => {
                    let one = f32::from(u8::from(k % 4 == 0 && k < 16));
                    one * a[tile * 512 + (row - 16) * 32 + k].to_f32()
                }
            })
            .sum();
        if sum.is_nan() { 0x7fff_ffff } else { (sum + 0.0).to_bits() }
    };
    let got: Vec<u32> = out.iter().map(|value| value.to_bits()).collect();
    same("out", &got, &(0..got.len()).map(element).collect::<Vec<_>>())
}

/// The least `e4m3` by the largest power of two, beside the least `e5m2`, which counts since the first
/// of these is no subnormal `f16`.
fn subnormal_numbers_of_8_bits(on: &Engine) -> Check {
    #[kernel(block = 32)]
    fn multiply(out: &mut [f32]) {
        let least = mma::A::<E4M3, 16, 32> { words: [0x3001, 0x3001, 0, 0] };
        let mut sum = mma::Accumulator::<f32, 16, 8>::zero();
        sum.multiply_add(least, mma::B::<E5M2, 32, 8> { words: [0x0178, 0] });
        sum.store(out, 0, 8);
    }
    let mut out = vec![0.0f32; 128];
    launch!(on, multiply(write out), LaunchConfig::grid(1))?;
    // Of each of the four words of a row.
    same("out", &out, &vec![4.0 * (64.0 + 2f32.powi(-17)); 128])
}

fn rounding_of_f64(on: &Engine) -> Check {
    #[kernel(block = 32)]
    fn multiply(a: &[f64], b: &[f64], c: &[f64], out: &mut [f64]) {
        let mut sum = mma::Accumulator::<f64, 8, 8>::load(c, 0, 8);
        sum.multiply_add(mma::A::<f64, 8, 4>::load(a, 0, 4), mma::B::<f64, 4, 8>::load(b, 0, 8));
        sum.store(out, 0, 8);
    }
    let numbers = |count: usize, seed: u64| -> Vec<f64> {
        let pairs = spread(count, seed, 8).into_iter().zip(spread(count, seed + 1, 8));
        pairs.map(|(a, b)| f64::from(a) + f64::from(b) * 1e-8).collect()
    };
    let (a, b, c) = (numbers(32, 1), numbers(32, 3), numbers(64, 5));
    let mut out = vec![0.0; 64];
    launch!(on, multiply(read a, read b, read c, write out), LaunchConfig::grid(1))?;
    let element =
        |i: usize| (0..4).fold(c[i], |sum, k| a[i / 8 * 4 + k].mul_add(b[k * 8 + i % 8], sum));
    same("out", &out, &(0..64).map(element).collect::<Vec<_>>())
}

/// The factors of 64 by 64 tiles, four warps that multiply two by four fragments each.
fn shared_tiles(on: &Engine) -> Check {
    #[kernel(block = 128)]
    fn multiply(n: usize, a: &[bf16], b: &[bf16], c: &mut [f32]) {
        let left = shared!([[bf16; 40]; 64]);
        let right = shared!([[bf16; 40]; 64]);
        let (thread, warp) = (thread_idx_x(), warp::warp_id());
        let (first_row, first_column) = (block_idx_y() * 64, block_idx_x() * 64);
        let (row, column) = (warp / 2 * 32, warp % 2 * 32);
        let mut sums = [[mma::Accumulator::<f32, 16, 8>::zero(); 4]; 2];
        for at in (0..n).step_by(32) {
            for round in 0..16 {
                let (i, k) = ((round * 128 + thread) / 32, thread % 32);
                left[i][k] = a[(first_row + i) * n + at + k];
                right[i][k] = b[(first_column + i) * n + at + k];
            }
            sync_threads();
            for k in (0..32).step_by(16) {
                let rows = [
                    mma::A::<bf16, 16, 16>::load(left.as_flattened(), row * 40 + k, 40),
                    mma::A::<bf16, 16, 16>::load(left.as_flattened(), (row + 16) * 40 + k, 40),
                ];
                for j in 0..4 {
                    let start = (column + j * 8) * 40 + k;
                    let columns =
                        mma::B::<bf16, 16, 8>::load_transposed(right.as_flattened(), start, 40);
                    for i in 0..2 {
                        sums[i][j].multiply_add(rows[i], columns);
                    }
                }
            }
            sync_threads();
        }
        for i in 0..2 {
            for j in 0..4 {
                let start = (first_row + row + i * 16) * n + first_column + column + j * 8;
                sums[i][j].store(c, start, n);
            }
        }
    }
    let n = 128;
    let (left, a) = small::<bf16>(n * n, 7);
    let (right, b) = small::<bf16>(n * n, 5);
    let mut c = vec![0.0; n * n];
    launch!(on, multiply(value n, read a, read b, write c), LaunchConfig::grid((2, 2)))?;
    let zeros = vec![0; n * n];
    let want = exact([n, n, n / 2], &left, &transposed(&right, n), &zeros);
    same("c", &c, &want.iter().map(|value| *value as f32).collect::<Vec<_>>())
}

/// Cases that compare loads of whole rows from shared memory, in which rows are 16 bytes apart,
/// with loads of elements.
macro_rules! matrix_loads {
    ($($case:ident: $ty:ty, $value:ty, $k:literal, $of:expr;)*) => {$(
        fn $case(on: &Engine) -> Check {
            #[kernel(block = 64)]
            fn compare(x: &[$value], out: &mut [u32]) {
                let tile = shared!([[$value; $k + $k / 2]; 32]);
                for i in 0..$k / 2 {
                    let at = i * 64 + thread_idx_x();
                    tile[at / $k][at % $k] = x[at];
                }
                sync_threads();
                let tile = tile.as_flattened();
                let (first, pitch) = (warp::warp_id() * 16, $k + $k / 2);
                let start = first * pitch;
                let left = mma::A::<$ty, 16, $k>::load(tile, start, pitch);
                let loaded = mma::A::<$ty, 16, $k>::load_matrix(tile, start, pitch);
                let right = mma::B::<$ty, $k, 8>::load_transposed(tile, start, pitch);
                let next = mma::B::<$ty, $k, 8>::load_transposed(tile, start + 8 * pitch, pitch);
                let both = mma::B::<$ty, $k, 8>::load_matrices_transposed(tile, start, pitch);
                let thread = thread_idx_x() * 16;
                for i in 0..4 {
                    out[thread + i] = left.words[i];
                    out[thread + 4 + i] = loaded.words[i];
                }
                for i in 0..2 {
                    out[thread + 8 + i] = right.words[i];
                    out[thread + 10 + i] = next.words[i];
                    out[thread + 12 + i] = both[0].words[i];
                    out[thread + 14 + i] = both[1].words[i];
                }
            }
            let of: fn(u32) -> $value = $of;
            let x: Vec<$value> = (0..32 * $k).map(|i| of(i * 40_503)).collect();
            let mut out = vec![0; 64 * 16];
            launch!(on, compare(read x, write out), LaunchConfig::grid(1))?;
            for words in out.chunks_exact(16) {
                same("a", &words[4..8], &words[..4])?;
                same("b", &words[12..], &words[8..12])?;
            }
            Ok(())
        }
    )*};
}

matrix_loads! {
    matrix_loads_of_f16: f16, f16, 16, |i| f16::from_bits(i as u16);
    matrix_loads_of_bf16: bf16, bf16, 16, |i| bf16::from_bits(i as u16);
    matrix_loads_of_tf32: mma::Tf32, f32, 8, |i| i as f32;
    matrix_loads_of_i8: i8, i8, 32, |i| (i >> 5) as i8;
    matrix_loads_of_u8: u8, u8, 32, |i| (i >> 5) as u8;
    matrix_loads_of_e4m3: E4M3, E4M3, 32, |i| E4M3::from_bits((i >> 5) as u8);
}

/// The same for words of eight elements, in rows that are 48 bytes apart.
fn matrix_loads_of_i4(on: &Engine) -> Check {
    #[kernel(block = 32)]
    fn compare(x: &[u32], out: &mut [u32]) {
        let tile = shared!([[u32; 12]; 16]);
        for i in 0..4 {
            let at = i * 32 + thread_idx_x();
            tile[at / 8][at % 8] = x[at];
        }
        sync_threads();
        let tile = tile.as_flattened();
        let left = mma::A::<I4, 16, 64>::load(tile, 0, 12);
        let loaded = mma::A::<I4, 16, 64>::load_matrix(tile, 0, 12);
        let right = mma::B::<U4, 64, 8>::load_transposed(tile, 0, 12);
        let next = mma::B::<U4, 64, 8>::load_transposed(tile, 8 * 12, 12);
        let both = mma::B::<U4, 64, 8>::load_matrices_transposed(tile, 0, 12);
        let thread = thread_idx_x() * 16;
        for i in 0..4 {
            out[thread + i] = left.words[i];
            out[thread + 4 + i] = loaded.words[i];
        }
        for i in 0..2 {
            out[thread + 8 + i] = right.words[i];
            out[thread + 10 + i] = next.words[i];
            out[thread + 12 + i] = both[0].words[i];
            out[thread + 14 + i] = both[1].words[i];
        }
    }
    let x: Vec<u32> = (0..128).map(|i| i * 0x0931_85f7).collect();
    let mut out = vec![0; 32 * 16];
    launch!(on, compare(read x, write out), LaunchConfig::grid(1))?;
    for words in out.chunks_exact(16) {
        same("a", &words[4..8], &words[..4])?;
        same("b", &words[12..], &words[8..12])?;
    }
    Ok(())
}

fn transposed_matrix_loads(on: &Engine) -> Check {
    #[kernel(block = 32)]
    fn compare(x: &[f16], out: &mut [u32]) {
        let tile = shared!([[f16; 24]; 16]);
        for i in 0..8 {
            let at = i * 32 + thread_idx_x();
            tile[at / 16][at % 16] = x[at];
        }
        sync_threads();
        let tile = tile.as_flattened();
        let left = mma::A::<f16, 16, 16>::load_transposed(tile, 0, 24);
        let loaded = mma::A::<f16, 16, 16>::load_matrix_transposed(tile, 0, 24);
        let right = mma::B::<f16, 16, 8>::load(tile, 0, 24);
        let next = mma::B::<f16, 16, 8>::load(tile, 8, 24);
        let both = mma::B::<f16, 16, 8>::load_matrices(tile, 0, 24);
        let thread = thread_idx_x() * 16;
        for i in 0..4 {
            out[thread + i] = left.words[i];
            out[thread + 4 + i] = loaded.words[i];
        }
        for i in 0..2 {
            out[thread + 8 + i] = right.words[i];
            out[thread + 10 + i] = next.words[i];
            out[thread + 12 + i] = both[0].words[i];
            out[thread + 14 + i] = both[1].words[i];
        }
    }
    let x: Vec<f16> = (0..256).map(|i| f16::from_bits(i * 129)).collect();
    let mut out = vec![0; 32 * 16];
    launch!(on, compare(read x, write out), LaunchConfig::grid(1))?;
    for words in out.chunks_exact(16) {
        same("a", &words[4..8], &words[..4])?;
        same("b", &words[12..], &words[8..12])?;
    }
    Ok(())
}

/// Loads of matrices in global memory, and at addresses that are not multiples of 16 bytes.
fn unaligned_matrix_loads(on: &Engine) -> Check {
    #[kernel(block = 32)]
    fn compare(start: usize, x: &[f16], out: &mut [u32]) {
        let left = mma::A::<f16, 16, 16>::load(x, start, 17);
        let loaded = mma::A::<f16, 16, 16>::load_matrix(x, start, 17);
        let transposed = mma::A::<f16, 16, 16>::load_transposed(x, start, 17);
        let distributed = mma::A::<f16, 16, 16>::load_matrix_transposed(x, start, 17);
        let thread = thread_idx_x() * 16;
        for i in 0..4 {
            out[thread + i] = left.words[i];
            out[thread + 4 + i] = loaded.words[i];
            out[thread + 8 + i] = transposed.words[i];
            out[thread + 12 + i] = distributed.words[i];
        }
    }
    let start = 3;
    let x: Vec<f16> = (0..17 * 16 + 3).map(|i| f16::from_bits(i * 129)).collect();
    let mut out = vec![0; 32 * 16];
    launch!(on, compare(value start, read x, write out), LaunchConfig::grid(1))?;
    for words in out.chunks_exact(16) {
        same("rows", &words[4..8], &words[..4])?;
        same("columns", &words[12..], &words[8..12])?;
    }
    Ok(())
}

/// A bias for each column and `max(0)`, and the places of elements.
fn epilogue(on: &Engine) -> Check {
    #[kernel(block = 32)]
    fn multiply(a: &[f16], b: &[f16], bias: &[f32], out: &mut [f32], places: &mut [u32]) {
        let mut sum = mma::Accumulator::<f32, 16, 8>::splat(1.0);
        sum.multiply_add(mma::A::<f16, 16, 8>::load(a, 0, 8), mma::B::<f16, 8, 8>::load(b, 0, 8));
        for i in 0..mma::Accumulator::<f32, 16, 8>::LEN {
            sum.set(i, sum.get(i) + bias[mma::Accumulator::<f32, 16, 8>::column(i)]);
            let (row, column) =
                (mma::Accumulator::<f32, 16, 8>::row(i), mma::Accumulator::<f32, 16, 8>::column(i));
            places[row * 8 + column] = (warp::lane_id() * 4 + i) as u32;
        }
        let scale = 0.5;
        sum.map(|x| x.max(0.0) * scale).store(out, 0, 8);
    }
    let (left, a) = small::<f16>(128, 7);
    let (right, b) = small::<f16>(64, 5);
    let bias: Vec<f32> = (0..8).map(|i| i as f32 * 10.0 - 40.0).collect();
    let (mut out, mut places) = (vec![0.0; 128], vec![0; 128]);
    launch!(
        on,
        multiply(read a, read b, read bias, write out, write places),
        LaunchConfig::grid(1)
    )?;
    let element = |i: usize| {
        let product: i32 = (0..8).map(|k| left[i / 8 * 8 + k] * right[k * 8 + i % 8]).sum();
        (product as f32 + 1.0 + bias[i % 8]).max(0.0) * 0.5
    };
    same("out", &out, &(0..128).map(element).collect::<Vec<_>>())?;
    let place = |i: usize| {
        let (row, column) = (i as u32 / 8, i as u32 % 8);
        (row % 8 * 4 + column / 2) * 4 + row / 8 * 2 + column % 2
    };
    same("places", &places, &(0..128).map(place).collect::<Vec<_>>())
}

/// Sums in `f16`, two in a word.
fn half_epilogue(on: &Engine) -> Check {
    #[kernel(block = 32)]
    fn change(c: &[f16], out: &mut [f16]) {
        let mut sum = mma::Accumulator::<f16, 16, 8>::load(c, 1, 9);
        sum.set(2, sum.get(1));
        sum.map(|x| x + x).store(out, 0, 8);
        if warp::lane_id() == 0 {
            out[128] = mma::Accumulator::<f16, 16, 8>::splat(out[0]).get(3);
        }
    }
    let c: Vec<f16> = (0..16 * 9 + 1).map(|i| f16::from_f32(i as f32)).collect();
    let mut out = vec![f16::ZERO; 129];
    launch!(on, change(read c, write out), LaunchConfig::grid(1))?;
    let element = |i: usize| {
        let (row, column) = match (i / 8, i % 8) {
            (row, column) if row >= 8 && column % 2 == 0 => (row - 8, column + 1),
            place => place,
        };
        f16::from_f32(2.0 * (1 + row * 9 + column) as f32)
    };
    let want: Vec<f16> = (0..128).map(element).chain([element(0)]).collect();
    same("out", &out, &want)
}

/// Fragments that the kernel creates from words.
fn words(on: &Engine) -> Check {
    #[kernel(block = 32)]
    fn multiply(out: &mut [i32]) {
        let lane = warp::lane_id() as u32;
        let left = mma::A::<u8, 8, 16> { words: [lane * 0x0101_0101, 0, 0, 0] };
        let right = warpwise::mma::B::<i8, 16, 8> { words: [0xff_ff_ff_ff, 0] };
        let mut sum = mma::Accumulator::<i32, 8, 8>::zero();
        sum.multiply_add(left, right);
        out[warp::lane_id()] = sum.words[0];
    }
    let mut out = vec![0; 32];
    launch!(on, multiply(write out), LaunchConfig::grid(1))?;
    let sum = |lane: i32| -4 * (4 * (lane / 4 * 4) + 6);
    same("out", &out, &(0..32).map(sum).collect::<Vec<_>>())
}

#[kernel(block = 32)]
fn load_and_store(x: &[f32], pitch: usize, out: &mut [f32]) {
    let mut sum = mma::Accumulator::<f32, 16, 8>::zero();
    let ones = mma::B::<mma::Tf32, 4, 8> { words: [0x3f80_0000, 0] };
    sum.multiply_add(mma::A::<mma::Tf32, 16, 4>::load(x, 0, pitch), ones);
    sum.store(out, 0, 8);
}

fn reads_past_the_end(on: &Engine) -> Check {
    let x = vec![1.0; 16 * 4];
    let mut out = vec![0.0; 128];
    let pitch = 5;
    let result = launch!(on, load_and_store(read x, value pitch, write out), LaunchConfig::grid(1));
    let panic = fault(result)?;
    equal("fault", &[(panic.index, panic.len)], &[(Some(65), Some(64))])
}

fn writes_past_the_end(on: &Engine) -> Check {
    let x = vec![1.0; 16 * 4];
    let mut out = vec![0.0; 127];
    let pitch = 4;
    let result = launch!(on, load_and_store(read x, value pitch, write out), LaunchConfig::grid(1));
    fault(result)?;
    // The last pair is stored at once or not at all.
    let want: Vec<f32> = (0..127).map(|i| if i < 126 { 4.0 } else { 0.0 }).collect();
    same("out", &out, &want)
}

fn tf32_numbers(on: &Engine) -> Check {
    #[kernel]
    fn round(x: &[f32], out: &mut [f32]) {
        let i = global_idx_x();
        if i < out.len() {
            out[i] = mma::round_to_tf32(x[i]);
        }
    }
    let bits = [
        0x3f80_0000,
        0x3f80_0fff,
        0x3f80_1000,
        0xbf80_1000,
        0x3f80_2fff,
        0x7f7f_ffff,
        0x0000_1000,
        0x0000_0fff,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0001,
        0x7f80_0001,
        0x8000_0000,
    ];
    let want = [
        0x3f80_0000,
        0x3f80_0000,
        0x3f80_2000,
        0xbf80_2000,
        0x3f80_2000,
        0x7f80_0000,
        0x0000_2000,
        0x0000_0000,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0001,
        0x7f80_0001,
        0x8000_0000,
    ];
    let [x, want] = [bits, want].map(|bits| bits.map(f32::from_bits).to_vec());
    let mut out = vec![0.0; x.len()];
    launch!(on, round(read x, write out), LaunchConfig::cover(x.len()))?;
    same("out", &out, &want)
}
