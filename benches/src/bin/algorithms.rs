//! The crate `warpwise-algorithms` on a GPU, beside CUB and cuBLAS where `nvcc` is found.
//!
//! `cargo run --release -p warpwise-benches --bin algorithms [PATH]`: the folder with the CUDA C++
//! program, `benches/cuda` by default, or the program that `nvcc` made of its `algorithms.cu`. Both
//! sides run on the same sizes in the same minute; every result is compared with plain Rust before
//! it is timed.
use std::{collections::HashMap, error::Error, time::Duration};
use warpwise::{mma::E4M3, prelude::*};
use warpwise_algorithms::{
    Attention, Gemm, Operator, RadixSort, Result, bin_count, inclusive_scan, reduce_into,
    select_into, transpose,
};
use warpwise_benches::{measure::median, nvcc::baseline};

/// The length of arrays that are read once or twice.
const ELEMENTS: usize = 1 << 28;
/// The length of sorted arrays.
const SORTED: usize = 1 << 26;
/// The number of rows and columns of matrices.
const SIDE: usize = 8192;

/// Returns a word of the CUDA C++ program's input.
fn word(i: usize) -> u32 {
    let x = (i as u32).wrapping_mul(2_654_435_761);
    x ^ x >> 15
}

struct Table {
    device: Device,
    theirs: HashMap<String, f64>,
}

impl Table {
    /// Times a call and prints its line.
    fn report(
        &self,
        name: &str,
        work: (f64, &str),
        call: impl FnMut() -> Result<()>,
    ) -> Result<()> {
        let seconds = self.seconds(call)?;
        self.print(name, work, seconds);
        Ok(())
    }

    /// Returns the median time of a call.
    fn seconds(&self, mut call: impl FnMut() -> Result<()>) -> Result<f64> {
        let mut row = || -> Result<Duration> {
            let mut result = Ok(());
            let time = self.device.time(|| {
                result = (0..10).try_for_each(|_| call());
                Ok(())
            })?;
            result.map(|()| time / 10)
        };
        row()?;
        Ok(median((0..11).map(|_| row()).collect::<Result<_>>()?).as_secs_f64())
    }

    /// Prints milliseconds, the rate in units of `work`, and the ratio.
    fn print(&self, name: &str, (work, unit): (f64, &str), seconds: f64) {
        let (time, rate) = (seconds * 1e3, work / seconds);
        print!("{name:12} {time:>10.4} {rate:>10.1} {unit:8}");
        match self.theirs.get(name) {
            Some(theirs) => println!(" {theirs:>10.4} {:>8.3}", theirs / time),
            None => println!(),
        }
    }
}

fn arrays(table: &Table) -> Result<()> {
    let device = &table.device;
    let host: Vec<u32> = (0..ELEMENTS).map(word).collect();
    let x = device.upload(&host)?;
    let gigabytes = |bytes: usize| ((bytes * ELEMENTS) as f64 * 1e-9, "GB/s");

    let host_floats: Vec<f32> = (0..ELEMENTS).map(|i| (word(i) % 16) as f32).collect();
    let floats = device.upload(&host_floats)?;
    let mut sum = device.zeros::<f32>(1)?;
    reduce_into(device, Operator::Sum, &floats, &mut sum)?;
    let exact: f64 = host_floats.iter().copied().map(f64::from).sum();
    assert!((f64::from(sum.to_vec()?[0]) / exact - 1.0).abs() < 1e-5);
    table.report("sum", gigabytes(4), || reduce_into(device, Operator::Sum, &floats, &mut sum))?;

    let mut out = device.zeros::<u32>(ELEMENTS)?;
    inclusive_scan(device, Operator::Sum, &x, &mut out)?;
    let mut before = 0u32;
    let is_prefix = |(x, prefix): (&u32, u32)| {
        before = before.wrapping_add(*x);
        before == prefix
    };
    assert!(host.iter().zip(out.to_vec()?).all(is_prefix));
    table.report("scan", gigabytes(8), || inclusive_scan(device, Operator::Sum, &x, &mut out))?;
    let mut float_out = device.zeros::<f32>(ELEMENTS)?;
    table.report("scan_f32", gigabytes(8), || {
        inclusive_scan(device, Operator::Sum, &floats, &mut float_out)
    })?;

    let host_flags: Vec<bool> =
        (0..ELEMENTS).map(|i| i.wrapping_mul(2_654_435_761) >> 9 & 1 == 1).collect();
    let flags = device.upload(&host_flags)?;
    let mut count = device.zeros::<u32>(1)?;
    select_into(device, &x, &flags, &mut out, &mut count)?;
    let selected: Vec<u32> =
        host.iter().zip(&host_flags).filter(|(_, is)| **is).map(|(x, _)| *x).collect();
    assert!(count.to_vec()? == [selected.len() as u32]);
    assert!(out.slice(..selected.len())?.to_vec()? == selected);
    table
        .report("select", gigabytes(7), || select_into(device, &x, &flags, &mut out, &mut count))?;

    let bytes: Vec<u8> = (0..ELEMENTS).map(|i| word(i) as u8).collect();
    let on_device = device.upload(&bytes)?;
    let mut counts = device.zeros::<u32>(256)?;
    bin_count(device, &on_device, &mut counts)?;
    let mut expected = [0; 256];
    bytes.iter().for_each(|byte| expected[usize::from(*byte)] += 1);
    assert!(counts.to_vec()? == expected);
    table.report("histogram", gigabytes(1), || bin_count(device, &on_device, &mut counts))
}

fn sorts(table: &Table) -> Result<()> {
    let device = &table.device;
    let host: Vec<u32> = (0..SORTED).map(word).collect();
    let unsorted = device.upload(&host)?;
    let mut keys = device.zeros::<u32>(SORTED)?;
    let mut values = device.upload_iter(0..SORTED as u32)?;
    let mut memory = RadixSort::with_values(device, SORTED)?;
    keys.copy_from_device(&unsorted)?;
    memory.sort_by_key(device, &mut keys, &mut values)?;
    let mut pairs: Vec<(u32, u32)> = host.iter().copied().zip(0..).collect();
    pairs.sort_by_key(|(key, _)| *key);
    assert!(values.to_vec()?.into_iter().eq(pairs.iter().map(|(_, value)| *value)));
    assert!(keys.to_vec()?.into_iter().eq(pairs.iter().map(|(key, _)| *key)));

    // Each sort begins with the same keys; the time of the copy is subtracted.
    let work = (SORTED as f64 * 1e-9, "Gkeys/s");
    let copy = table.seconds(|| Ok(keys.copy_from_device(&unsorted)?))?;
    let both = table.seconds(|| {
        keys.copy_from_device(&unsorted)?;
        memory.sort(device, &mut keys)
    })?;
    table.print("sort", work, both - copy);
    let both = table.seconds(|| {
        keys.copy_from_device(&unsorted)?;
        memory.sort_by_key(device, &mut keys, &mut values)
    })?;
    table.print("sort_pairs", work, both - copy);
    let mut wide_values = device.upload_iter(0..SORTED as u64)?;
    let mut memory = RadixSort::with_values(device, SORTED)?;
    keys.copy_from_device(&unsorted)?;
    memory.sort_by_key(device, &mut keys, &mut wide_values)?;
    let is_expected = |(value, (_, expected)): (u64, &(u32, u32))| value == u64::from(*expected);
    assert!(wide_values.to_vec()?.into_iter().zip(&pairs).all(is_expected));
    let both = table.seconds(|| {
        keys.copy_from_device(&unsorted)?;
        memory.sort_by_key(device, &mut keys, &mut wide_values)
    })?;
    table.print("sort_wide", work, both - copy);
    Ok(())
}

/// Compares elements of a product with sums in `f64`.
fn verify(a: &[f32], b: &[f32], c: &[f32], tolerance: f64) {
    for i in (0..SIDE * SIDE).step_by(SIDE * SIDE / 61) {
        let (row, column) = (i / SIDE, i % SIDE);
        let products =
            (0..SIDE).map(|k| f64::from(a[row * SIDE + k]) * f64::from(b[k * SIDE + column]));
        let exact: f64 = products.sum();
        assert!((f64::from(c[i]) - exact).abs() < tolerance, "{} for {exact} at {i}", c[i]);
    }
}

fn matrices(table: &Table) -> Result<()> {
    let device = &table.device;
    let numbers = |seed: usize| -> Vec<f32> {
        (0..SIDE * SIDE).map(|i| (word(i + seed) % 256) as f32 / 256.0 - 0.5).collect()
    };
    let (host_a, host_b) = (numbers(1), numbers(77));
    let (a, b) = (device.upload(&host_a)?, device.upload(&host_b)?);
    let mut c = device.zeros::<f32>(SIDE * SIDE)?;

    let x = a.as_rows(SIDE)?;
    transpose(device, &x, &mut c.as_rows_mut(SIDE)?)?;
    let transposed = c.to_vec()?;
    assert!((0..SIDE * SIDE).all(|i| transposed[i] == host_a[i % SIDE * SIDE + i / SIDE]));
    let gigabytes = ((SIDE * SIDE * 8) as f64 * 1e-9, "GB/s");
    table.report("transpose", gigabytes, || transpose(device, &x, &mut c.as_rows_mut(SIDE)?))?;

    let gemm = Gemm::new(SIDE, SIDE, SIDE);
    let work = (2.0 * (SIDE as f64).powi(3) * 1e-12, "TFLOP/s");
    gemm.run(device, &a, &b, &mut c)?;
    verify(&host_a, &host_b, &c.to_vec()?, 1e-2);
    table.report("gemm_f32", work, || gemm.run(device, &a, &b, &mut c))?;

    gemm.run_tf32(device, &a, &b, &mut c)?;
    // The numbers have eight bits, so tf32 holds them exactly.
    verify(&host_a, &host_b, &c.to_vec()?, 1e-1);
    table.report("gemm_tf32", work, || gemm.run_tf32(device, &a, &b, &mut c))?;

    let halves = |x: &[f32]| -> Vec<bf16> { x.iter().map(|x| bf16::from_f32(*x)).collect() };
    let (a, b) = (device.upload(&halves(&host_a))?, device.upload(&halves(&host_b))?);
    gemm.run_halves(device, &a, &b, &mut c)?;
    // So do halves.
    verify(&host_a, &host_b, &c.to_vec()?, 1e-1);
    table.report("gemm_bf16", work, || gemm.run_halves(device, &a, &b, &mut c))?;

    let bytes = |x: &[f32]| -> Vec<E4M3> { x.iter().map(|x| E4M3::from_f32(*x)).collect() };
    let rounded = |x: &[E4M3]| -> Vec<f32> { x.iter().map(|x| x.to_f32()).collect() };
    let (bytes_a, bytes_b) = (bytes(&host_a), bytes(&host_b));
    let (a, b) = (device.upload(&bytes_a)?, device.upload(&bytes_b)?);
    gemm.run_float8(device, &a, &b, &mut c)?;
    verify(&rounded(&bytes_a), &rounded(&bytes_b), &c.to_vec()?, 1e-1);
    // cuBLAS has no such product, but for cuBLASLt.
    table.report("gemm_e4m3", work, || gemm.run_float8(device, &a, &b, &mut c))?;

    let doubles = |x: &[f32]| x.iter().copied().map(f64::from).collect::<Vec<_>>();
    let (a, b) = (device.upload(&doubles(&host_a))?, device.upload(&doubles(&host_b))?);
    let mut double_c = device.zeros::<f64>(SIDE * SIDE)?;
    gemm.run_doubles(device, &a, &b, &mut double_c)?;
    let rounded: Vec<f32> = double_c.to_vec()?.into_iter().map(|x| x as f32).collect();
    verify(&host_a, &host_b, &rounded, 1e-4);
    table.report("gemm_f64", work, || gemm.run_doubles(device, &a, &b, &mut double_c))?;

    // Whole numbers of the same eight bits.
    let integers = |x: &[f32]| x.iter().map(|x| (x * 256.0) as i8).collect::<Vec<_>>();
    let (a, b) = (device.upload(&integers(&host_a))?, device.upload(&integers(&host_b))?);
    let mut integer_c = device.zeros::<i32>(SIDE * SIDE)?;
    gemm.run_integers(device, &a, &b, &mut integer_c)?;
    let scaled: Vec<f32> = integer_c.to_vec()?.into_iter().map(|x| x as f32 / 65536.0).collect();
    verify(&host_a, &host_b, &scaled, 1e-3);
    let work = (work.0, "TOP/s");
    table.report("gemm_i8", work, || gemm.run_integers(device, &a, &b, &mut integer_c))
}

/// Runs attention of 64 heads of 128 numbers, with 4096 queries and keys.
fn attention(table: &Table) -> Result<()> {
    const HEADS: usize = 64;
    const ROWS: usize = 4096;
    const SIZE: usize = 128;
    let device = &table.device;
    let numbers = |seed: usize| -> Vec<bf16> {
        let number = |i: usize| bf16::from_f32((word(i + seed) % 256) as f32 / 128.0 - 1.0);
        (0..HEADS * ROWS * SIZE).map(number).collect()
    };
    let [host_q, host_k, host_v] = [1, 77, 99].map(numbers);
    let upload = |x: &[bf16]| device.upload_3d(x, (HEADS, ROWS, SIZE));
    let (q, k, v) = (upload(&host_q)?, upload(&host_k)?, upload(&host_v)?);
    let mut out = device.zeros_3d((HEADS, ROWS, SIZE))?;
    let attention = Attention::new(1.0 / (SIZE as f32).sqrt());
    attention.run(device, &q, &k, &v, &mut out)?;

    let found = out.to_vec()?;
    let row = |x: &[bf16], row: usize| -> Vec<f64> {
        x[row * SIZE..][..SIZE].iter().map(|x| f64::from(x.to_f32())).collect()
    };
    for query in (0..HEADS * ROWS).step_by(HEADS * ROWS / 7) {
        let (first_key, q) = (query / ROWS * ROWS, row(&host_q, query));
        let weight = |key: usize| -> f64 {
            let products = q.iter().zip(row(&host_k, first_key + key)).map(|(a, b)| a * b);
            (f64::from(attention.scale) * products.sum::<f64>()).exp()
        };
        let weights: Vec<f64> = (0..ROWS).map(weight).collect();
        let total: f64 = weights.iter().sum();
        for column in 0..SIZE {
            let value = |key: usize| host_v[(first_key + key) * SIZE + column].to_f32();
            let exact =
                (0..ROWS).map(|key| weights[key] * f64::from(value(key))).sum::<f64>() / total;
            let found = f64::from(found[query * SIZE + column].to_f32());
            assert!((found - exact).abs() < 4e-3, "{found} for {exact} at {query}, {column}");
        }
    }
    let work = (4.0 * (ROWS * ROWS * SIZE * HEADS) as f64 * 1e-12, "TFLOP/s");
    table.report("attention", work, || attention.run(device, &q, &k, &v, &mut out))
}

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let device = Device::cuda(0)?;
    println!("{}; medians; every result was verified before it was timed", device.name());
    let theirs = baseline(std::env::args_os().nth(1), "algorithms.cu", &["cublas"]);
    println!("{:12} {:>10} {:>19} {:>10} {:>8}", "algorithm", "ms", "rate", "CUDA ms", "ratio");
    let table = Table { device, theirs };
    arrays(&table)?;
    sorts(&table)?;
    matrices(&table)?;
    attention(&table)?;
    Ok(())
}
