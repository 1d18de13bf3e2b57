//! Matrix products of warpgroups, in all orders of elements.
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::{MBarrier, U32x4, bf16, f16, prelude::*, wgmma};

cases![
    k_major: THREADS_MEET, mn_major_b: THREADS_MEET, mn_major_a: THREADS_MEET,
    mn_major: THREADS_MEET, few_columns: THREADS_MEET, odd_columns: THREADS_MEET,
    many_columns: THREADS_MEET, many_mn_major_columns: THREADS_MEET, replaced_sums: THREADS_MEET,
    factor_in_registers: THREADS_MEET, warpgroups: THREADS_MEET, stages: THREADS_MEET,
    divergent_warpgroups: THREADS_MEET, overlapped: THREADS_MEET,
];

/// A matrix of small integers, row by row.
#[derive(Clone)]
struct Matrix {
    columns: usize,
    elements: Vec<i32>,
}

impl Matrix {
    fn new(rows: usize, columns: usize, seed: usize) -> Self {
        let element = |i: usize| ((i * 31 + i / columns * 7 + seed) % 9) as i32 - 4;
        Self { columns, elements: (0..rows * columns).map(element).collect() }
    }

    fn get(&self, row: usize, column: usize) -> i32 {
        self.elements[row * self.columns + column]
    }

    fn transposed(&self) -> Self {
        let rows = self.elements.len() / self.columns;
        let elements = (0..self.elements.len()).map(|i| self.get(i % rows, i / rows)).collect();
        Self { columns: rows, elements }
    }

    /// Returns the product with another matrix, in `f32`, which is exact.
    fn times(&self, other: &Self) -> Vec<f32> {
        let rows = self.elements.len() / self.columns;
        let element = |row: usize, column: usize| -> i32 {
            (0..self.columns).map(|k| self.get(row, k) * other.get(k, column)).sum()
        };
        let places = (0..rows).flat_map(|row| (0..other.columns).map(move |column| (row, column)));
        places.map(|(row, column)| element(row, column) as f32).collect()
    }

    /// Returns the chunks of tiles with 64 elements in each row: the columns of the matrix in parts
    /// of 64, one after the other; elements that do not exist are zeros.
    fn tiles(&self, bits: fn(f32) -> u16) -> Vec<U32x4> {
        let rows = self.elements.len() / self.columns;
        let half = |row: usize, column: usize| match column < self.columns {
            true => u32::from(bits(self.get(row, column) as f32)),
            false => 0,
        };
        let mut chunks = Vec::new();
        for tile in 0..self.columns.div_ceil(64) {
            for row in 0..rows {
                for chunk in 0..8 {
                    let first = tile * 64 + chunk * 8;
                    let word =
                        |i: usize| half(row, first + 2 * i) | half(row, first + 2 * i + 1) << 16;
                    chunks.push(U32x4::new(word(0), word(1), word(2), word(3)));
                }
            }
        }
        chunks
    }
}

/// Fills a tile from chunks, by all threads of a block.
#[device]
fn fill<const ROWS: usize>(tile: &mut wgmma::Tile<ROWS>, from: &[U32x4], start: usize) {
    for i in (thread_idx_x()..ROWS * 8).step_by(block_dim_x()) {
        tile.set(i / 8, i % 8, from[start + i]);
    }
}

/// Defines a kernel for factors of 64 elements along `k` at a time, and a function that runs it.
macro_rules! product {
    ($name:ident, $kernel:ident: $ty:ident, $n:literal, K, $multiply:ident, $a:ident) => {
        #[kernel(block = 128)]
        fn $kernel(a: &[U32x4], b: &[U32x4], c: &mut [f32]) {
            let left = shared!(wgmma::Tile<64>);
            let right = shared!(wgmma::Tile<$n>);
            let mut products = wgmma::Products::<$ty, $n>::zero();
            for k in 0..a.len() / 512 {
                fill(left, a, k * 512);
                fill(right, b, k * $n * 8);
                fence_proxy_async();
                sync_threads();
                products.$multiply(left, right);
                products.wait::<0>();
                sync_threads();
            }
            products.finish().store(c, 0, $n);
        }

        product!(run $name, $kernel: $ty, $n, K, $a);
    };
    ($name:ident, $kernel:ident: $ty:ident, $n:literal, $tiles:literal, $multiply:ident, $a:ident) => {
        #[kernel(block = 128)]
        fn $kernel(a: &[U32x4], b: &[U32x4], c: &mut [f32]) {
            let left = shared!(wgmma::Tile<64>);
            let right = shared!([wgmma::Tile<64>; $tiles]);
            let mut products = wgmma::Products::<$ty, $n>::zero();
            for k in 0..a.len() / 512 {
                fill(left, a, k * 512);
                for tile in 0..$tiles {
                    fill(&mut right[tile], b, (tile * (a.len() / 512) + k) * 512);
                }
                fence_proxy_async();
                sync_threads();
                products.$multiply(left, right);
                products.wait::<0>();
                sync_threads();
            }
            products.finish().store(c, 0, $n);
        }

        product!(run $name, $kernel: $ty, $n, Mn, $a);
    };
    (run $name:ident, $kernel:ident: $ty:ident, $n:literal, $b:ident, $a:ident) => {
        fn $name(on: &Engine) -> Check {
            let bits = |value: f32| $ty::from_f32(value).to_bits();
            let (left, right) = (Matrix::new(64, 128, 3), Matrix::new(128, $n, 5));
            // In the order MN-major, tiles that are neighbours along `k` are the rows of a matrix.
            let a = match stringify!($a) {
                "K" => left.tiles(bits),
                _ => left.transposed().tiles(bits),
            };
            let b = match stringify!($b) {
                "K" => right.transposed().tiles(bits),
                _ => right.tiles(bits),
            };
            let mut c = vec![f32::NAN; 64 * $n];
            launch!(on, $kernel(read a, read b, write c), LaunchConfig::grid(1))?;
            same("c", &c, &left.times(&right))
        }
    };
}

product!(k_major, k_major_kernel: bf16, 64, K, multiply_add, K);
product!(mn_major_b, mn_major_b_kernel: f16, 128, 2, multiply_add_mn, K);
product!(mn_major_a, mn_major_a_kernel: f16, 64, K, multiply_add_mn_k, Mn);
product!(mn_major, mn_major_kernel: bf16, 128, 2, multiply_add_mn_mn, Mn);
product!(few_columns, few_columns_kernel: f16, 8, K, multiply_add, K);
product!(odd_columns, odd_columns_kernel: bf16, 88, 2, multiply_add_mn, K);
product!(many_columns, many_columns_kernel: bf16, 256, K, multiply_add, K);
product!(many_mn_major_columns, many_mn_major_columns_kernel: bf16, 256, 4, multiply_add_mn, K);

/// Only the sums of the last products.
#[kernel(block = 128)]
fn replace(a: &[U32x4], b: &[U32x4], c: &mut [f32]) {
    let left = shared!(wgmma::Tile<64>);
    let right = shared!(wgmma::Tile<64>);
    fill(left, a, 0);
    fill(right, b, 0);
    fence_proxy_async();
    sync_threads();
    let mut sums = wgmma::Sum::<bf16, 64>::zero();
    for i in 0..32 {
        sums.set(i, 100.0);
    }
    let mut products = sums.start();
    products.multiply_add(left, right);
    products.finish().store(c, 0, 64);
    products.multiply(left, right);
    products.multiply_add(left, right);
    products.finish().store(c, 64 * 64, 64);
}

fn replaced_sums(on: &Engine) -> Check {
    let bits = |value: f32| bf16::from_f32(value).to_bits();
    let (left, right) = (Matrix::new(64, 64, 2), Matrix::new(64, 64, 8));
    let (a, b) = (left.tiles(bits), right.transposed().tiles(bits));
    let mut c = vec![f32::NAN; 2 * 64 * 64];
    launch!(on, replace(read a, read b, write c), LaunchConfig::grid(1))?;
    let product = left.times(&right);
    let first: Vec<f32> = product.iter().map(|sum| sum + 100.0).collect();
    let second: Vec<f32> = product.iter().map(|sum| sum * 2.0).collect();
    same("first", &c[..64 * 64], &first)?;
    same("second", &c[64 * 64..], &second)
}

/// Computes `(q * k) * v`, in which the first product is a factor in registers.
#[kernel(block = 128)]
fn attend(q: &[U32x4], k: &[U32x4], v: &[U32x4], out: &mut [f32]) {
    let queries = shared!(wgmma::Tile<64>);
    let keys = shared!(wgmma::Tile<128>);
    let values = shared!([[wgmma::Tile<64>; 1]; 2]);
    let values_by_column = shared!([wgmma::Tile<64>; 2]);
    fill(queries, q, 0);
    fill(keys, k, 0);
    for tile in 0..2 {
        fill(&mut values[tile][0], v, tile * 512);
        fill(&mut values_by_column[tile], v, (2 + tile) * 512);
    }
    fence_proxy_async();
    sync_threads();
    let mut scores = wgmma::Products::<bf16, 128>::zero();
    scores.multiply(queries, keys);
    let scores = scores.finish();
    let (low, high) = (scores.to_factor(0), scores.to_factor(1));
    let mut products = wgmma::Products::<bf16, 64>::zero();
    products.multiply_registers(low, &values_by_column[0]);
    products.multiply_add_registers(high, &values_by_column[1]);
    products.finish().store(out, 0, 64);
    let mut products = wgmma::Products::<bf16, 64>::zero();
    products.multiply_add_registers_mn(low, &values[0]);
    products.multiply_add_registers_mn(high, &values[1]);
    products.finish().store(out, 64 * 64, 64);
}

fn factor_in_registers(on: &Engine) -> Check {
    let bits = |value: f32| bf16::from_f32(value).to_bits();
    let small = |rows: usize, columns: usize, seed: usize| {
        let mut matrix = Matrix::new(rows, columns, seed);
        // Few are not zero, so that products have 8 bits.
        matrix.elements.iter_mut().enumerate().for_each(|(i, it)| *it *= i32::from(i % 5 == 0));
        matrix
    };
    let (queries, keys) = (small(64, 64, 2), small(64, 128, 8));
    let values = Matrix::new(128, 64, 1);
    let (q, k) = (queries.tiles(bits), keys.transposed().tiles(bits));
    let v: Vec<U32x4> =
        values.tiles(bits).into_iter().chain(values.transposed().tiles(bits)).collect();
    let mut out = vec![f32::NAN; 2 * 64 * 64];
    launch!(on, attend(read q, read k, read v, write out), LaunchConfig::grid(1))?;
    let scores = Matrix {
        columns: 128,
        elements: queries.times(&keys).iter().map(|sum| *sum as i32).collect(),
    };
    let want = scores.times(&values);
    same("K-major", &out[..64 * 64], &want)?;
    same("MN-major", &out[64 * 64..], &want)
}

/// Sums that are used while other products are in progress.
#[kernel(block = 128)]
fn overlap(a: &[U32x4], b: &[U32x4], first: &mut [f32], last: &mut [f32]) {
    let left = shared!([wgmma::Tile<64>; 2]);
    let right = shared!([wgmma::Tile<64>; 2]);
    for tile in 0..2 {
        fill(&mut left[tile], a, tile * 512);
        fill(&mut right[tile], b, tile * 512);
    }
    fence_proxy_async();
    sync_threads();
    let mut one = wgmma::Products::<bf16, 64>::zero();
    let mut other = wgmma::Products::<bf16, 64>::zero();
    one.multiply_add(&left[0], &right[0]);
    for _ in 0..3 {
        other.multiply_add(&left[1], &right[1]);
        let sums = one.finish_pending::<1>();
        sums.store(first, 0, 64);
        one.multiply_add(&left[0], &right[0]);
    }
    other.finish_pending::<1>().store(last, 0, 64);
    one.finish();
}

fn overlapped(on: &Engine) -> Check {
    let bits = |value: f32| bf16::from_f32(value).to_bits();
    let (left, right) = (Matrix::new(64, 128, 3), Matrix::new(128, 64, 1));
    let (a, b) = (left.tiles(bits), right.transposed().tiles(bits));
    let (mut first, mut last) = (vec![f32::NAN; 64 * 64], vec![f32::NAN; 64 * 64]);
    launch!(on, overlap(read a, read b, write first, write last), LaunchConfig::grid(1))?;
    let thrice = |half: usize| -> Vec<f32> {
        let rows = left.elements.chunks(128).flat_map(|row| &row[half * 64..][..64]);
        let left = Matrix { columns: 64, elements: rows.copied().collect() };
        let right =
            Matrix { columns: 64, elements: right.elements[half * 4096..][..4096].to_vec() };
        left.times(&right).iter().map(|sum| 3.0 * sum).collect()
    };
    same("first", &first, &thrice(0))?;
    same("last", &last, &thrice(1))
}

/// Two warpgroups, each with rows of its own.
#[kernel(block = 256)]
fn two_warpgroups(a: &[U32x4], b: &[U32x4], c: &mut [f32]) {
    let left = shared!([wgmma::Tile<64>; 2]);
    let right = shared!(wgmma::Tile<64>);
    fill(&mut left[0], a, 0);
    fill(&mut left[1], a, 512);
    fill(right, b, 0);
    fence_proxy_async();
    sync_threads();
    let group = warp::warp_id() / 4;
    let mut products = wgmma::Products::<f16, 64>::zero();
    products.multiply_add(&left[group], right);
    products.finish().store(c, group * 64 * 64, 64);
}

fn warpgroups(on: &Engine) -> Check {
    let bits = |value: f32| f16::from_f32(value).to_bits();
    let (left, right) = (Matrix::new(128, 64, 4), Matrix::new(64, 64, 7));
    let (a, b) = (left.tiles(bits), right.transposed().tiles(bits));
    let mut c = vec![f32::NAN; 128 * 64];
    launch!(on, two_warpgroups(read a, read b, write c), LaunchConfig::grid(1))?;
    same("c", &c, &left.times(&right))
}

/// One warpgroup loads tiles for the next products while another multiplies.
#[kernel(block = 256)]
fn staged(a: &[U32x4], b: &[U32x4], c: &mut [f32]) {
    let full = shared!([MBarrier<128>; 3]);
    let empty = shared!([MBarrier<128>; 3]);
    let left = shared!([wgmma::Tile<64>; 3]);
    let right = shared!([wgmma::Tile<64>; 3]);
    let (t, steps) = (thread_idx_x() % 128, a.len() / 512);
    if warp::warp_id() >= 4 {
        for k in 0..steps {
            let (stage, round) = (k % 3, k / 3);
            empty[stage].wait_parity(round % 2 == 0);
            for i in (0..4).map(|part| part * 128 + t) {
                if k * 512 + i < a.len() && k * 512 + i < b.len() {
                    left[stage].set(i / 8, i % 8, a[k * 512 + i]);
                    right[stage].set(i / 8, i % 8, b[k * 512 + i]);
                }
            }
            fence_proxy_async();
            full[stage].arrive();
        }
    } else {
        let mut products = wgmma::Products::<bf16, 64>::zero();
        for k in 0..steps {
            full[k % 3].wait_parity(k / 3 % 2 == 1);
            products.multiply_add(&left[k % 3], &right[k % 3]);
            products.wait::<1>();
            if k > 0 {
                empty[(k + 2) % 3].arrive();
            }
        }
        let sums = products.finish();
        if c.len() == 64 * 64 {
            sums.store(c, 0, 64);
        }
    }
}

fn stages(on: &Engine) -> Check {
    let bits = |value: f32| bf16::from_f32(value).to_bits();
    for depth in [64, 128, 192, 512] {
        let (left, right) = (Matrix::new(64, depth, 4), Matrix::new(depth, 64, 6));
        let (a, b) = (left.tiles(bits), right.transposed().tiles(bits));
        let mut c = vec![f32::NAN; 64 * 64];
        launch!(on, staged(read a, read b, write c), LaunchConfig::grid(1))?;
        same("c", &c, &left.times(&right))?;
    }
    Ok(())
}

/// Warpgroups that run different numbers of products.
#[kernel(block = 256)]
fn divergent(a: &[U32x4], b: &[U32x4], c: &mut [f32]) {
    let left = shared!(wgmma::Tile<64>);
    let right = shared!(wgmma::Tile<16>);
    fill(left, a, 0);
    fill(right, b, 0);
    fence_proxy_async();
    sync_threads();
    let group = warp::warp_id() / 4;
    let mut products = wgmma::Products::<f16, 16>::zero();
    products.multiply_add(left, right);
    if group == 1 {
        products.multiply_add(left, right);
        products.multiply_add(left, right);
    }
    products.finish().store(c, group * 64 * 16, 16);
}

fn divergent_warpgroups(on: &Engine) -> Check {
    let bits = |value: f32| f16::from_f32(value).to_bits();
    let (left, right) = (Matrix::new(64, 64, 4), Matrix::new(64, 16, 7));
    let (a, b) = (left.tiles(bits), right.transposed().tiles(bits));
    let mut c = vec![f32::NAN; 2 * 64 * 16];
    launch!(on, divergent(read a, read b, write c), LaunchConfig::grid(1))?;
    let product = left.times(&right);
    let thrice: Vec<f32> = product.iter().map(|sum| sum * 3.0).collect();
    same("first", &c[..64 * 16], &product)?;
    same("second", &c[64 * 16..], &thrice)
}
