//! Matrix products of warpgroups, of other element types than halves.
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::{
    U32x4,
    mma::{E4M3, E5M2, Tf32},
    prelude::*,
    wgmma,
};

cases![
    signed_bytes: THREADS_MEET, unsigned_bytes: THREADS_MEET, few_columns: THREADS_MEET,
    odd_columns: THREADS_MEET, many_columns: THREADS_MEET, wrapped_sums: THREADS_MEET,
    floats_of_8_bits: THREADS_MEET, floats_of_3_digits: THREADS_MEET,
    many_columns_of_8_bits: THREADS_MEET, floats_of_19_bits: THREADS_MEET,
    odd_columns_of_19_bits: THREADS_MEET, truncated_sums: THREADS_MEET,
    converted_floats: THREADS_MEET, bytes_in_registers: THREADS_MEET,
    floats_in_registers: THREADS_MEET, replaced_bytes: THREADS_MEET, indexed_sums: THREADS_MEET,
];

/// Rows of `a`, or columns of `b`.
type Lines = Vec<Vec<i32>>;

/// Returns lines of numbers in a range.
fn lines(count: usize, depth: usize, range: std::ops::RangeInclusive<i32>, seed: usize) -> Lines {
    let number = |line: usize, k: usize| {
        let mixed = (line * 31 + k * 17 + line * k * 7 + seed) as i32;
        range.start() + mixed % (range.end() - range.start() + 1)
    };
    (0..count).map(|line| (0..depth).map(|k| number(line, k)).collect()).collect()
}

/// Returns the words of lines, of elements as bytes.
fn words<const BYTES: usize>(lines: &Lines, bytes: fn(i32) -> [u8; BYTES]) -> Vec<Vec<u32>> {
    let line = |line: &Vec<i32>| {
        let bytes: Vec<u8> = line.iter().flat_map(|element| bytes(*element)).collect();
        bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
    };
    lines.iter().map(line).collect()
}

/// Returns the chunks of tiles with 32 words of each line: the first words of all lines, then the
/// next.
fn tiles(lines: &[Vec<u32>]) -> Vec<U32x4> {
    let parts = lines[0].len() / 32;
    let part = |part: usize| lines.iter().flat_map(move |line| line[part * 32..][..32].chunks(4));
    (0..parts)
        .flat_map(part)
        .map(|chunk| U32x4::new(chunk[0], chunk[1], chunk[2], chunk[3]))
        .collect()
}

/// Returns the products of all rows and columns, which wrap.
fn products(a: &Lines, b: &Lines) -> Vec<i32> {
    let sum = |row: &Vec<i32>, column: &Vec<i32>| {
        row.iter().zip(column).fold(0_i32, |sum, (a, b)| sum.wrapping_add(a * b))
    };
    a.iter().flat_map(|row| b.iter().map(move |column| sum(row, column))).collect()
}

/// Fills a tile from chunks, by all threads of a block.
#[device]
fn fill<const ROWS: usize>(tile: &mut wgmma::Tile<ROWS>, from: &[U32x4], start: usize) {
    for i in (thread_idx_x()..ROWS * 8).step_by(block_dim_x()) {
        tile.set(i / 8, i % 8, from[start + i]);
    }
}

/// Defines a kernel that multiplies tiles and sums the products, and a function that runs it for
/// two of them.
macro_rules! product {
    ($name:ident, $kernel:ident: $ty:ty, $sum:ident, $n:literal, $range:expr, $bytes:expr) => {
        #[kernel(block = 128)]
        fn $kernel(a: &[U32x4], b: &[U32x4], c: &mut [$sum]) {
            let left = shared!(wgmma::Tile<64>);
            let right = shared!(wgmma::Tile<$n>);
            let mut products = wgmma::Products::<$ty, $n>::zero();
            for k in 0..a.len() / 512 {
                fill(left, a, k * 512);
                fill(right, b, k * $n * 8);
                fence_proxy_async();
                sync_threads();
                products.multiply_add(left, right);
                products.wait::<0>();
                sync_threads();
            }
            products.finish().store(c, 0, $n);
        }

        fn $name(on: &Engine) -> Check {
            let depth = 256 / $bytes(0).len();
            let (left, right) = (lines(64, depth, $range, 3), lines($n, depth, $range, 5));
            let (a, b) = (tiles(&words(&left, $bytes)), tiles(&words(&right, $bytes)));
            let mut c = vec![0 as $sum; 64 * $n];
            launch!(on, $kernel(read a, read b, write c), LaunchConfig::grid(1))?;
            let want: Vec<$sum> =
                products(&left, &right).into_iter().map(|sum| sum as $sum).collect();
            same("c", &c, &want)
        }
    };
}

fn signed(value: i32) -> [u8; 1] {
    [value as i8 as u8]
}

fn e4m3(value: i32) -> [u8; 1] {
    [E4M3::from_f32(value as f32).to_bits()]
}

fn e5m2(value: i32) -> [u8; 1] {
    [E5M2::from_f32(value as f32).to_bits()]
}

/// The lower bits do not count.
fn tf32(value: i32) -> [u8; 4] {
    ((value as f32).to_bits() | 0x1abc).to_le_bytes()
}

fn unsigned(value: i32) -> [u8; 1] {
    [value as u8]
}

product!(signed_bytes, signed_kernel: i8, i32, 64, -128..=127, signed);
product!(unsigned_bytes, unsigned_kernel: u8, i32, 64, 0..=255, unsigned);
product!(few_columns, few_columns_kernel: i8, i32, 8, -128..=127, signed);
product!(odd_columns, odd_columns_kernel: u8, i32, 24, 0..=255, unsigned);
product!(floats_of_8_bits, e4m3_kernel: E4M3, f32, 64, -15..=15, e4m3);
product!(floats_of_3_digits, e5m2_kernel: E5M2, f32, 40, -3..=4, e5m2);
product!(many_columns_of_8_bits, many_e4m3_kernel: E4M3, f32, 256, -4..=4, e4m3);
product!(floats_of_19_bits, tf32_kernel: Tf32, f32, 64, -500..=500, tf32);
product!(odd_columns_of_19_bits, odd_tf32_kernel: Tf32, f32, 88, -500..=500, tf32);
product!(many_columns, many_columns_kernel: i8, i32, 256, -128..=127, signed);

/// Adds a product in a function of its own.
#[device]
fn add_product<T: wgmma::FactorElement, const N: usize>(
    products: &mut wgmma::Products<T, N>,
    a: &wgmma::Tile<64>,
    b: &wgmma::Tile<N>,
) {
    products.multiply_add(a, b);
}

/// Adds products to large sums.
#[kernel(block = 128, instances(i8, u8))]
fn wrap<T: wgmma::FactorElement<Sum = i32>>(first: i32, a: &[U32x4], c: &mut [i32]) {
    let left = shared!(wgmma::Tile<64>);
    let right = shared!(wgmma::Tile<48>);
    fill(left, a, 0);
    fill(right, a, 0);
    fence_proxy_async();
    sync_threads();
    let mut sums = wgmma::Sum::<T, 48>::zero();
    for i in 0..24 {
        sums.set(i, first);
    }
    let mut products = sums.start();
    add_product(&mut products, left, right);
    products.finish().store(c, 0, 48);
}

fn wrapped_sums(on: &Engine) -> Check {
    let extreme = lines(64, 128, -128..=-128, 0);
    let a = tiles(&words(&extreme, signed));
    let (mut c, largest) = (vec![0; 64 * 48], i32::MAX);
    launch!(on, wrap::<i8>(value largest, read a, write c), LaunchConfig::grid(1))?;
    same("signed", &c, &vec![i32::MAX.wrapping_add(128 * 128 * 128); 64 * 48])?;
    let extreme = lines(64, 128, 255..=255, 0);
    let a = tiles(&words(&extreme, unsigned));
    launch!(on, wrap::<u8>(value largest, read a, write c), LaunchConfig::grid(1))?;
    same("unsigned", &c, &vec![i32::MAX.wrapping_add(128 * 255 * 255); 64 * 48])
}

/// Defines a kernel with `a` in registers, where word `w` of a thread has the elements of its rows,
/// and a function that runs it.
macro_rules! from_registers {
    ($name:ident, $kernel:ident: $ty:ty, $sum:ident, $range:expr, $bytes:expr) => {
        #[kernel(block = 128)]
        fn $kernel(a: &[u32], b: &[U32x4], c: &mut [$sum]) {
            let right = shared!(wgmma::Tile<64>);
            fill(right, b, 0);
            fence_proxy_async();
            sync_threads();
            let mut words = [0; 16];
            for w in 0..16 {
                let row = warp::warp_id() * 16 + warp::lane_id() / 4 + w % 2 * 8;
                words[w] = a[row * 32 + w / 2 * 4 + warp::lane_id() % 4];
            }
            let mut products = wgmma::Products::<$ty, 64>::zero();
            products.multiply_add_registers(words, right);
            products.multiply_registers(words, right);
            products.finish().store(c, 0, 64);
        }

        fn $name(on: &Engine) -> Check {
            let depth = 128 / $bytes(0).len();
            let (left, right) = (lines(64, depth, $range, 1), lines(64, depth, $range, 2));
            let (a, b) = (words(&left, $bytes).concat(), tiles(&words(&right, $bytes)));
            let mut c = vec![0 as $sum; 64 * 64];
            launch!(on, $kernel(read a, read b, write c), LaunchConfig::grid(1))?;
            let want: Vec<$sum> =
                products(&left, &right).into_iter().map(|sum| sum as $sum).collect();
            same("c", &c, &want)
        }
    };
}

from_registers!(bytes_in_registers, bytes_kernel: i8, i32, -128..=127, signed);
from_registers!(floats_in_registers, floats_kernel: Tf32, f32, -500..=500, tf32);

/// Sums of the same product and other numbers.
#[kernel(block = 128)]
fn truncate(a: &[U32x4], c: &mut [f32]) {
    let (left, right) = (shared!(wgmma::Tile<64>), shared!(wgmma::Tile<8>));
    fill(left, a, 0);
    fill(right, a, 0);
    fence_proxy_async();
    sync_threads();
    let mut sums = wgmma::Sum::<E5M2, 8>::zero();
    for i in 0..4 {
        let (row, column) = (wgmma::Sum::<E5M2, 8>::row(i), wgmma::Sum::<E5M2, 8>::column(i));
        sums.set(i, c[row * 8 + column]);
    }
    let mut products = sums.start();
    products.multiply_add(left, right);
    products.finish().store(c, 0, 8);
}

/// Sums of 8-bit floats have 13 bits after the point, and so have the summands beside the largest.
fn truncated_sums(on: &Engine) -> Check {
    // A one in each line: each product is one.
    let one = |_: &Vec<i32>| {
        let mut line = vec![0; 32];
        line[0] = u32::from(E5M2::from_f32(1.0).to_bits());
        line
    };
    let a = tiles(&lines(64, 1, 0..=0, 0).iter().map(one).collect::<Vec<_>>());
    let place = |bits: i32| 2f32.powi(-bits);
    let cases = [
        (place(13), 1.0 + place(13)),
        (place(14), 1.0),
        (-place(14), 1.0),
        (1.0 + place(13), 2.0),
        (1.0 + 3.0 * place(13), 2.0 + place(12)),
        (-1.0 - place(13), -place(13)),
        (-3.0, -2.0),
        (1e10, 9.999_220_736e9),
    ];
    let mut c: Vec<f32> = (0..64 * 8).map(|i| cases[i % 8].0).collect();
    launch!(on, truncate(read a, write c), LaunchConfig::grid(1))?;
    let want: Vec<f32> = (0..64 * 8).map(|i| cases[i % 8].1).collect();
    same("c", &c, &want)
}

/// Rounds numbers to both types, and adds the values and the bits.
#[kernel]
fn convert(x: &[f32], values: &mut [f32], bits: &mut [u32]) {
    let i = global_idx_x();
    if i < x.len() && i < values.len() && i < bits.len() {
        let (one, other) = (E4M3::from_f32(x[i]), E5M2::from_f32(x[i]));
        values[i] = one.to_f32() + other.to_f32();
        bits[i] = one.to_bits() as u32 | (other.to_bits() as u32) << 8;
    }
}

fn converted_floats(on: &Engine) -> Check {
    let x: Vec<f32> = (0..4096u32)
        .map(|i| f32::from_bits((i << 20).wrapping_add(i.wrapping_mul(40_503) & 0xf_ffff)))
        .filter(|x| !x.is_nan())
        .collect();
    let (mut values, mut bits) = (vec![0.0; x.len()], vec![0; x.len()]);
    launch!(on, convert(read x, write values, write bits), LaunchConfig::cover(x.len()))?;
    let both = |x: &f32| (E4M3::from_f32(*x), E5M2::from_f32(*x));
    let want: Vec<f32> = x.iter().map(both).map(|(a, b)| a.to_f32() + b.to_f32()).collect();
    same("values", &values, &want)?;
    let want: Vec<u32> = x
        .iter()
        .map(both)
        .map(|(a, b)| u32::from(a.to_bits()) | u32::from(b.to_bits()) << 8)
        .collect();
    same("bits", &bits, &want)
}

/// Sums that a product replaces, and another doubles.
#[kernel(block = 128)]
fn replace(a: &[U32x4], c: &mut [i32]) {
    let tile = shared!(wgmma::Tile<64>);
    fill(tile, a, 0);
    fence_proxy_async();
    sync_threads();
    let mut products = wgmma::Products::<i8, 64>::zero();
    products.multiply_add(tile, tile);
    products.multiply(tile, tile);
    products.multiply_add(tile, tile);
    products.finish().store(c, 0, 64);
}

fn replaced_bytes(on: &Engine) -> Check {
    let all = lines(64, 128, -128..=127, 6);
    let a = tiles(&words(&all, signed));
    let mut c = vec![0; 64 * 64];
    launch!(on, replace(read a, write c), LaunchConfig::grid(1))?;
    let want: Vec<i32> = products(&all, &all).into_iter().map(|sum| 2 * sum).collect();
    same("c", &c, &want)
}

/// One sum of each thread, whose index is not a constant.
#[kernel(block = 128)]
fn choose(number: usize, a: &[U32x4], c: &mut [i32]) {
    let tile = shared!(wgmma::Tile<64>);
    fill(tile, a, 0);
    fence_proxy_async();
    sync_threads();
    let mut products = wgmma::Products::<u8, 64>::zero();
    products.multiply_add(tile, tile);
    let sums = products.finish();
    let (row, column) = (wgmma::Sum::<u8, 64>::row(number), wgmma::Sum::<u8, 64>::column(number));
    c[row * 64 + column] = sums.get(number);
}

fn indexed_sums(on: &Engine) -> Check {
    let all = lines(64, 128, 0..=255, 6);
    let a = tiles(&words(&all, unsigned));
    let (mut c, number) = (vec![-1; 64 * 64], 13);
    launch!(on, choose(value number, read a, write c), LaunchConfig::grid(1))?;
    let mut want = products(&all, &all);
    for (i, sum) in want.iter_mut().enumerate() {
        let (row, column) = (i / 64, i % 64);
        // Element 13 is in the third row of columns, the lower half, and the second column of a
        // pair.
        let is_chosen = row / 8 % 2 == 0 && column / 8 == 3 && column % 2 == 1;
        *sum = if is_chosen { *sum } else { -1 };
    }
    same("c", &c, &want)
}
