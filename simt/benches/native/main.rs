//! Times of the interpreter and of plain Rust, in a table: `cargo bench -p warpwise-simt`.
//!
//! `-- saxpy` prints only rows with this text in their name. Each kernel is optimized IR, as in a
//! launch by the runtime. All times are the least of several runs in turns. The columns:
//!
//! ```text
//! 1 thread    the interpreter with one worker
//! AVX2 Rust   plain Rust whose loops LLVM vectorizes, on one core; then the ratio of `1 thread` to it
//! Rust        straightforward plain Rust, on one core; then the ratio of `1 thread` to it
//! 2 threads   the speedup of two workers
//! counting    the slowdown if everything is counted
//! checked     the slowdown if everything is checked
//! ```
//!
//! Memory bounds the speedup of a kernel that does little else, and the start of a thread that of a
//! short one: two rows show the speedup of plain Rust, for saxpy and for a few milliseconds of
//! arithmetic. A second table has the times of lowering.
#![expect(clippy::print_stdout, reason = "the benchmark prints a table")]
mod kernels;
mod measure;
mod plain;

use kernels::{
    BLACK_SCHOLES, HISTOGRAM, MANDELBROT, MATMUL, N_BODY, REDUCE, SAXPY, TILED, TRANSPOSE,
};
use measure::{
    is_wanted, parse_optimized, print_head, print_lowering, print_plain_speedup, print_row,
};
use plain::Bodies;
use std::hint::black_box;
use warpwise_simt::{Arg, Launch, Memory};

/// The name of a row, and the function that prints it.
type Row = (&'static str, fn(&str));

fn main() {
    print_head();
    let rows: [Row; 11] = [
        ("saxpy 2^24", saxpy),
        ("saxpy 2^24, plain Rust", plain_saxpy),
        ("matmul 512", |name| matmul(name, MATMUL)),
        ("matmul 512, tiled", |name| matmul(name, TILED)),
        ("transpose 2048", transpose),
        ("Mandelbrot 1024, 256", mandelbrot),
        ("arithmetic, plain Rust", plain_arithmetic),
        ("reduce 2^24", reduce),
        ("histogram 2^22", histogram),
        ("n-body 4096", n_body),
        ("Black-Scholes 2^20", black_scholes),
    ];
    for (name, run) in rows {
        if is_wanted(name) {
            run(name);
        }
    }
    if is_wanted("lowering") {
        print_lowering(&kernels::ALL);
    }
}

fn floats(values: impl IntoIterator<Item = f32>) -> Memory {
    Memory::from_bytes(&values.into_iter().flat_map(f32::to_le_bytes).collect::<Vec<_>>())
}

fn slice(memory: &Memory) -> Arg<'_> {
    Arg::Slice { memory, offset: 0, len: memory.len() as u64 / 4 }
}

fn launch<'a>(grid: [u32; 2], block: [u32; 2], args: &'a [Arg<'a>]) -> Launch<'a> {
    let ([x, y], [width, height]) = (grid, block);
    Launch { grid: [x, y, 1], block: [width, height, 1], args, workers: None, steps: None }
}

/// Returns the words of a memory.
fn read_words(memory: &Memory) -> Vec<u32> {
    let mut bytes = vec![0; memory.len()];
    memory.read_into(0, &mut bytes);
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
    bytes.chunks_exact(4).map(word).collect()
}

fn saxpy(name: &str) {
    let n = 1 << 24;
    let (x, y) = (floats((0..n).map(|i| i as f32)), floats((0..n).map(|_| 1.0)));
    let args = [Arg::Scalar(2.0_f32.to_bits().into()), slice(&x), slice(&y)];
    let xs: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let (mut ys, mut zs) = (vec![1.0; n as usize], vec![1.0; n as usize]);
    print_row(
        name,
        &parse_optimized(SAXPY),
        launch([n / 256, 1], [256, 1], &args),
        || plain::saxpy_vector(&xs, black_box(&mut ys)),
        || plain::saxpy(&xs, black_box(&mut zs)),
    );
}

/// Prints the speedup of a second thread where memory is the bound.
fn plain_saxpy(name: &str) {
    let (n, half) = (1 << 24, 1 << 23);
    let xs: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let (mut ys, mut zs) = (vec![1.0; n], vec![1.0; n]);
    print_plain_speedup(
        name,
        || _ = plain::saxpy_vector(&xs, black_box(&mut ys)),
        || {
            let (low, high) = black_box(&mut zs).split_at_mut(half);
            std::thread::scope(|scope| {
                scope.spawn(|| plain::saxpy_vector(&xs[..half], low));
                plain::saxpy_vector(&xs[half..], high);
            });
        },
    );
}

fn matmul(name: &str, kernel: &str) {
    let n = 512_usize;
    let value = |i: usize| (i % 7) as f32;
    let (a, b) = (floats((0..n * n).map(value)), floats((0..n * n).map(value)));
    let c = floats((0..n * n).map(|_| 0.0));
    let args = [Arg::Scalar(n as u64), slice(&a), slice(&b), slice(&c)];
    let tiles = n as u32 / 16;
    let (a, b): (Vec<_>, Vec<_>) =
        ((0..n * n).map(value).collect(), (0..n * n).map(value).collect());
    let (mut expected, mut tile) = (vec![0.0; n * n], vec![0.0; n * n]);
    print_row(
        name,
        &parse_optimized(kernel),
        launch([tiles, tiles], [16, 16], &args),
        || plain::matmul_vector(n, &a, &b, black_box(&mut tile)),
        || plain::matmul(n, &a, &b, black_box(&mut expected)),
    );
    // Whole numbers below 2^24: the sum is exact in any order.
    assert!(read_words(&c).into_iter().map(f32::from_bits).eq(expected), "{name} is wrong");
}

fn transpose(name: &str) {
    let n = 2048_usize;
    let numbers: Vec<f32> = (0..n * n).map(|i| i as f32).collect();
    let (x, y) = (floats(numbers.iter().copied()), Memory::zeroed(n * n * 4));
    let args = [Arg::Scalar(n as u64), slice(&x), slice(&y)];
    let tiles = n as u32 / 32;
    let mut expected = vec![0.0; n * n];
    print_row(
        name,
        &parse_optimized(TRANSPOSE),
        launch([tiles, tiles], [32, 8], &args),
        || false,
        || plain::transpose(n, &numbers, black_box(&mut expected)),
    );
    assert!(read_words(&y).into_iter().map(f32::from_bits).eq(expected), "{name} is wrong");
}

fn mandelbrot(name: &str) {
    let n = 1024;
    let out = Memory::zeroed(n * n * 4);
    let args = [Arg::Scalar(n as u64), slice(&out)];
    let tiles = n as u32 / 16;
    let (mut counts, mut vector) = (vec![0; n * n], vec![0; n * n]);
    print_row(
        name,
        &parse_optimized(MANDELBROT),
        launch([tiles, tiles], [16, 16], &args),
        || plain::mandelbrot_vector(n, black_box(&mut vector)),
        || plain::mandelbrot(n, black_box(&mut counts)),
    );
    assert!(read_words(&out) == counts, "{name} is wrong");
}

/// Prints the speedup of a second thread that neither waits for memory nor runs long.
fn plain_arithmetic(name: &str) {
    let steps = |n: u32| {
        let next = |x: u32, i| x.wrapping_mul(1_664_525).wrapping_add(i);
        _ = black_box((0..black_box(n)).fold(1, next));
    };
    let (n, half) = (1 << 25, 1 << 24);
    print_plain_speedup(
        name,
        || steps(n),
        || {
            std::thread::scope(|scope| {
                scope.spawn(|| steps(half));
                steps(half);
            });
        },
    );
}

fn reduce(name: &str) {
    let n = 1 << 24;
    let value = |i: u32| i.wrapping_mul(0x9e37_79b9) >> 8;
    let bytes: Vec<u8> = (0..n).flat_map(|i| value(i).to_le_bytes()).collect();
    let (x, sum) = (Memory::from_bytes(&bytes), Memory::zeroed(4));
    let args = [slice(&x), slice(&sum)];
    let values: Vec<u32> = (0..n).map(value).collect();
    let mut total = 0;
    print_row(
        name,
        &parse_optimized(REDUCE),
        launch([256, 1], [256, 1], &args),
        || plain::sum_vector(black_box(&values), &mut total),
        || {
            _ = black_box(
                black_box(&values).iter().fold(0_u32, |sum, value| sum.wrapping_add(*value)),
            )
        },
    );
}

fn histogram(name: &str) {
    let n = 1 << 22;
    let bytes: Vec<u8> = (0..n).map(|i: u32| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect();
    let (x, bins) = (Memory::from_bytes(&bytes), Memory::zeroed(256 * 4));
    let args = [Arg::Slice { memory: &x, offset: 0, len: n.into() }, slice(&bins)];
    let mut counts = [0_u32; 256];
    print_row(
        name,
        &parse_optimized(HISTOGRAM),
        launch([64, 1], [256, 1], &args),
        || false,
        || plain::histogram(&bytes, black_box(&mut counts)),
    );
    // Each launch has added its counts.
    let launches = read_words(&bins)[0] / counts[0];
    let expected: Vec<u32> = counts.iter().map(|count| count * launches).collect();
    assert!(read_words(&bins) == expected, "{name} is wrong");
}

/// Returns pseudorandom numbers between 0 and 1.
fn random_floats(seed: u32, n: usize) -> Vec<f32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / 16_777_216.0
    };
    (0..n).map(|_| next()).collect()
}

/// Returns true if the results of a kernel equal those of plain Rust, except for rounding.
fn is_near(memory: &Memory, expected: &[f32]) -> bool {
    let near = |(got, want): (f32, &f32)| (got - want).abs() <= 1e-3 * want.abs().max(1.0);
    read_words(memory).into_iter().map(f32::from_bits).zip(expected).all(near)
}

fn n_body(name: &str) {
    let n = 4096;
    let [x, y, z, m] = [1, 2, 3, 4].map(|seed| random_floats(seed, n));
    let [mx, my, mz, mm] = [&x, &y, &z, &m].map(|values| floats(values.iter().copied()));
    let out = [0, 1, 2].map(|_| Memory::zeroed(n * 4));
    let mut args: Vec<_> = [&mx, &my, &mz, &mm].map(slice).into();
    args.extend(out.iter().map(slice));
    let bodies = Bodies { x, y, z, m };
    let empty = || [0, 1, 2].map(|_| vec![0.0; n]);
    let (mut vector, mut scalar) = (empty(), empty());
    print_row(
        name,
        &parse_optimized(N_BODY),
        launch([n as u32 / 256, 1], [256, 1], &args),
        || plain::n_body_vector(&bodies, black_box(&mut vector)),
        || plain::n_body(&bodies, black_box(&mut scalar)),
    );
    let near = |(out, vector): (&Memory, &Vec<f32>)| vector[0] == 0.0 || is_near(out, vector);
    assert!(out.iter().zip(&vector).all(near), "{name} is wrong");
}

fn black_scholes(name: &str) {
    let n = 1 << 20;
    let between = |seed, low: f32, high: f32| -> Vec<f32> {
        random_floats(seed, n).into_iter().map(|at| low + at * (high - low)).collect()
    };
    let (spot, strike, years) =
        (between(1, 5.0, 30.0), between(2, 1.0, 100.0), between(3, 0.25, 10.0));
    let [ms, mk, mt] = [&spot, &strike, &years].map(|values| floats(values.iter().copied()));
    let call = Memory::zeroed(n * 4);
    let args = [slice(&ms), slice(&mk), slice(&mt), slice(&call)];
    let mut prices = vec![0.0; n];
    print_row(
        name,
        &parse_optimized(BLACK_SCHOLES),
        launch([n as u32 / 256, 1], [256, 1], &args),
        || false,
        || plain::black_scholes(&spot, &strike, &years, black_box(&mut prices)),
    );
    assert!(is_near(&call, &prices), "{name} is wrong");
}
