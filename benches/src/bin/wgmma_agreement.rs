//! The sums of a GPU's warpgroup products beside the interpreter's model, bit for bit, for all
//! element types; and, where they differ, beside other models: sums of fewer products at a time,
//! and other quanta.
//!
//! `cargo run --release -p warpwise-benches --bin wgmma_agreement` needs a GPU of compute
//! capability 9.0; with `WARPWISE_DEVICE=cpu` the interpreter is compared with its own model. An
//! argument is the number of tiles of each row of the table, of 4096 sums each.
use warpwise::{
    U32x4,
    mma::{E4M3, E5M2, Tf32},
    prelude::*,
    wgmma,
};
use warpwise_compiler::{ir::MmaType, tensor_cores};

/// The number of tiles for each row of the table, without an argument.
const TILES: usize = 512;
/// The number of words in a row of a tile.
const WORDS: usize = 32;
/// The number of words of a row that an instruction multiplies.
const STEP: usize = 8;
/// One sum in this many is compared with the other models.
const SAMPLED: usize = 509;
/// The other models: the number of products that are added at a time, the bits of a term after the
/// point of the largest exponent, and the bits of a sum after its point.
const GROUPS: [usize; 4] = [32, 16, 8, 4];
const FRACTION_BITS: [i32; 8] = [12, 13, 14, 22, 23, 24, 25, 26];
const RESULT_BITS: [u32; 3] = [13, 14, 23];

/// Defines a kernel that multiplies tiles, one pair in each block, and a function that runs it on a
/// device.
macro_rules! kernel {
    ($name:ident, $run:ident: $ty:ty, $sum:ty, $of_bits:expr, $to_bits:expr) => {
        #[kernel(block = 128)]
        fn $name(a: &[U32x4], b: &[U32x4], c: &[$sum], out: &mut [$sum]) {
            let left = shared!(wgmma::Tile<64>);
            let right = shared!(wgmma::Tile<64>);
            let (block, thread) = (block_idx_x(), thread_idx_x());
            for i in (thread..512).step_by(128) {
                left.set(i / 8, i % 8, a[block * 512 + i]);
                right.set(i / 8, i % 8, b[block * 512 + i]);
            }
            fence_proxy_async();
            sync_threads();
            let mut sums = wgmma::Sum::<$ty, 64>::zero();
            for i in 0..32 {
                let (row, column) =
                    (wgmma::Sum::<$ty, 64>::row(i), wgmma::Sum::<$ty, 64>::column(i));
                sums.set(i, c[block * 4096 + row * 64 + column]);
            }
            let mut products = sums.start();
            products.multiply_add(left, right);
            products.finish().store(out, block * 4096, 64);
        }

        fn $run(device: &Device, [a, b]: [&[U32x4]; 2], c: &[u32]) -> warpwise::Result<Vec<u32>> {
            let c: Vec<$sum> = c.iter().map(|bits| $of_bits(*bits)).collect();
            let mut out = device.zeros::<$sum>(c.len())?;
            let (a, b, c) = (device.upload(a)?, device.upload(b)?, device.upload(&c)?);
            let config = LaunchConfig::grid(c.len() / 4096);
            $name::launch(device, config, &a, &b, &c, &mut out)?;
            Ok(out.to_vec()?.into_iter().map($to_bits).collect())
        }
    };
}
kernel!(multiply_bf16, run_bf16: bf16, f32, f32::from_bits, f32::to_bits);
kernel!(multiply_f16, run_f16: f16, f32, f32::from_bits, f32::to_bits);
kernel!(multiply_e4m3, run_e4m3: E4M3, f32, f32::from_bits, f32::to_bits);
kernel!(multiply_e5m2, run_e5m2: E5M2, f32, f32::from_bits, f32::to_bits);
kernel!(multiply_tf32, run_tf32: Tf32, f32, f32::from_bits, f32::to_bits);
kernel!(multiply_i8, run_i8: i8, i32, |bits| bits as i32, |sum| sum as u32);
kernel!(multiply_u8, run_u8: u8, i32, |bits| bits as i32, |sum| sum as u32);

/// Pseudorandom numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    fn choose(&mut self, all: &[u32]) -> u32 {
        all[self.next() as usize % all.len()]
    }

    /// Returns a number with one of `exponents` exponents around 0; some numbers are 0.
    fn number(&mut self, exponents: u32) -> f32 {
        let significand = 1.0 + (self.next() & 0x7f_ffff) as f32 / 8_388_608.0;
        let sign = if self.next() & 1 == 0 { 1.0 } else { -1.0 };
        let exponent = (self.next() % exponents) as i32 - exponents as i32 / 2;
        if self.next().is_multiple_of(16) { 0.0 } else { sign * significand * 2f32.powi(exponent) }
    }
}

/// The elements of factors.
#[derive(Clone, Copy, Debug)]
enum Fill {
    /// Numbers with this many exponents.
    Exponents(u32),
    /// The same, but each second product cancels the one before, up to its last bits.
    Cancelling(u32),
    /// Random bits: all numbers of the type, including NaN and infinities.
    Bits,
    /// The extreme values of the type.
    Extremes,
}

/// Runs a kernel on a device, with the chunks of both factors and the bits of the summands.
type Multiply = fn(&Device, [&[U32x4]; 2], &[u32]) -> warpwise::Result<Vec<u32>>;

/// An element type, and its kernel.
struct Type {
    ty: MmaType,
    /// The bits of the element nearest to a number, for floats.
    bits: fn(f32) -> u32,
    value: fn(u32) -> f32,
    extremes: &'static [u32],
    fills: &'static [Fill],
    multiply: Multiply,
}

const FLOAT_FILLS: [Fill; 6] = [
    Fill::Exponents(1),
    Fill::Exponents(3),
    Fill::Exponents(12),
    Fill::Cancelling(12),
    Fill::Bits,
    Fill::Extremes,
];
/// Numbers with more exponents than a quantum has bits.
const WIDE_FILLS: [Fill; 7] = [
    Fill::Exponents(1),
    Fill::Exponents(3),
    Fill::Exponents(12),
    Fill::Exponents(30),
    Fill::Cancelling(30),
    Fill::Bits,
    Fill::Extremes,
];
const INTEGER_FILLS: [Fill; 2] = [Fill::Bits, Fill::Extremes];
/// Zeros, the largest and smallest numbers, one, infinities and NaN, if the type has them.
const F32_EXTREMES: [u32; 10] = [
    0,
    0x8000_0000,
    1,
    0x8000_0001,
    0x0080_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
];

const TYPES: [Type; 7] = [
    Type {
        ty: MmaType::BF16,
        bits: |value| bf16::from_f32(value).to_bits().into(),
        value: |bits| bf16::from_bits(bits as u16).to_f32(),
        extremes: &[0, 0x8000, 1, 0x8001, 0x7f, 0x80, 0x3f80, 0xbf80, 0x7f7f, 0xff7f, 0x7f80],
        fills: &WIDE_FILLS,
        multiply: run_bf16,
    },
    Type {
        ty: MmaType::F16,
        bits: |value| f16::from_f32(value).to_bits().into(),
        value: |bits| f16::from_bits(bits as u16).to_f32(),
        extremes: &[0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7c00],
        fills: &FLOAT_FILLS,
        multiply: run_f16,
    },
    Type {
        ty: MmaType::E4M3,
        bits: |value| E4M3::from_f32(value).to_bits().into(),
        value: |bits| E4M3::from_bits(bits as u8).to_f32(),
        extremes: &[0, 0x80, 1, 0x81, 7, 8, 0x38, 0xb8, 0x7e, 0xfe, 0x7f],
        fills: &FLOAT_FILLS,
        multiply: run_e4m3,
    },
    Type {
        ty: MmaType::E5M2,
        bits: |value| E5M2::from_f32(value).to_bits().into(),
        value: |bits| E5M2::from_bits(bits as u8).to_f32(),
        extremes: &[0, 0x80, 1, 0x81, 3, 4, 0x3c, 0xbc, 0x7b, 0xfb, 0x7c],
        fills: &FLOAT_FILLS,
        multiply: run_e5m2,
    },
    Type {
        ty: MmaType::TF32,
        bits: f32::to_bits,
        value: |bits| f32::from_bits(bits & !0x1fff),
        extremes: &F32_EXTREMES,
        fills: &WIDE_FILLS,
        multiply: run_tf32,
    },
    Type {
        ty: MmaType::I8,
        bits: |value| (value as i8 as u8).into(),
        value: |bits| (bits as u8 as i8).into(),
        extremes: &[0, 1, 0x7f, 0x80, 0xff],
        fills: &INTEGER_FILLS,
        multiply: run_i8,
    },
    Type {
        ty: MmaType::U8,
        bits: |value| (value as u8).into(),
        value: |bits| (bits as u8).into(),
        extremes: &[0, 1, 0x7f, 0x80, 0xff],
        fills: &INTEGER_FILLS,
        multiply: run_u8,
    },
];

impl Type {
    /// Returns the elements of a row or column; only the first `depth` are not zero.
    fn line(&self, fill: Fill, depth: usize, is_column: bool, random: &mut Random) -> Vec<u32> {
        let per_row = WORDS * self.ty.per_word();
        let mut line = vec![0; per_row];
        for k in 0..depth.min(per_row) {
            line[k] = match fill {
                Fill::Exponents(exponents) => (self.bits)(random.number(exponents)),
                Fill::Cancelling(exponents) => match (k % 2, is_column) {
                    (0, _) => (self.bits)(random.number(exponents)),
                    (_, false) => line[k - 1],
                    // The negative number, but for the last bit of some.
                    (_, true) => {
                        let negative = (self.bits)(-(self.value)(line[k - 1]));
                        negative ^ u32::from(random.next() & 3 == 0) << self.unused_bits()
                    }
                },
                Fill::Bits => random.next() >> (32 - 32 / self.ty.per_word()),
                Fill::Extremes => random.choose(self.extremes),
            };
        }
        line
    }

    /// Returns the number of lower bits of an element that do not count.
    fn unused_bits(&self) -> u32 {
        if self.ty == MmaType::TF32 { 13 } else { 0 }
    }

    fn is_integer(&self) -> bool {
        matches!(self.ty, MmaType::I8 | MmaType::U8)
    }

    /// Packs elements into words.
    fn words(&self, elements: &[u32]) -> Vec<u32> {
        let (per_word, bits) = (self.ty.per_word(), 32 / self.ty.per_word());
        let word = |all: &[u32]| {
            all.iter().rev().fold(0_u32, |word, e| word.unbounded_shl(bits as u32) | e)
        };
        elements.chunks_exact(per_word).map(word).collect()
    }

    /// Returns the bits of a number to which products are added.
    fn summand(&self, fill: Fill, random: &mut Random) -> u32 {
        match fill {
            _ if self.is_integer() => random.next(),
            Fill::Exponents(exponents) | Fill::Cancelling(exponents) => {
                random.number(exponents).to_bits()
            }
            Fill::Bits => random.next(),
            Fill::Extremes => random.choose(&F32_EXTREMES),
        }
    }
}

/// Packs 4 words into each chunk.
fn chunks(words: &[u32]) -> Vec<U32x4> {
    words.chunks_exact(4).map(|four| U32x4::new(four[0], four[1], four[2], four[3])).collect()
}

/// Returns the exponent of a normal number.
fn exponent(value: f32) -> i32 {
    (value.to_bits() >> 23 & 0xff) as i32 - 127
}

/// A model of sums of normal numbers.
#[derive(Clone, Copy)]
struct Model {
    group: usize,
    fraction_bits: i32,
    result_bits: u32,
}

impl Model {
    fn sum(self, a: &[f32], b: &[f32], c: f32) -> f32 {
        a.chunks(self.group).zip(b.chunks(self.group)).fold(c, |c, (a, b)| {
            let products = a.iter().zip(b).filter(|(a, b)| **a * **b != 0.0);
            let products =
                products.map(|(a, b)| (f64::from(*a) * f64::from(*b), exponent(*a) + exponent(*b)));
            let summand = (c != 0.0).then(|| (f64::from(c), exponent(c)));
            let terms: Vec<(f64, i32)> = products.chain(summand).collect();
            let largest = terms.iter().map(|(_, exponent)| *exponent).max().unwrap_or(0);
            let quantum = 2f64.powi(largest - self.fraction_bits);
            let sum =
                terms.iter().map(|(value, _)| (value / quantum).trunc()).sum::<f64>() * quantum;
            let nearest = sum as f32;
            let truncated = nearest.to_bits() - u32::from(f64::from(nearest).abs() > sum.abs());
            f32::from_bits(truncated >> (23 - self.result_bits) << (23 - self.result_bits))
        })
    }
}

/// The outcome of a row of the table.
struct Row {
    text: String,
    sums: usize,
    equal: usize,
}

/// Compares the sums of factors; only the first `depth` elements of each row are not zero.
fn compare(ty: &Type, fill: Fill, depth: usize, tiles: usize) -> warpwise::Result<Row> {
    let mut random = Random(depth as u64);
    let mut factor = |is_column: bool| -> Vec<u32> {
        let mut line = || ty.line(fill, depth, is_column, &mut random);
        (0..tiles * 64).flat_map(|_| line()).collect()
    };
    let (a, b) = (factor(false), factor(true));
    let c: Vec<u32> = (0..tiles * 4096).map(|_| ty.summand(fill, &mut random)).collect();
    let (a_words, b_words) = (ty.words(&a), ty.words(&b));
    let out = (ty.multiply)(&Device::auto()?, [&chunks(&a_words), &chunks(&b_words)], &c)?;

    let places = |i: usize| (i / 4096 * 64 + i % 4096 / 64, i / 4096 * 64 + i % 64);
    let by_interpreter = |i: usize| {
        let (row, column) = places(i);
        let steps = a_words[row * WORDS..][..WORDS]
            .chunks(STEP)
            .zip(b_words[column * WORDS..][..WORDS].chunks(STEP));
        steps.fold(c[i], |c, (a, b)| tensor_cores::add_products(ty.ty, a, b, c))
    };
    let equal = (0..out.len()).filter(|i| by_interpreter(*i) == out[*i]).count();
    let percent = 100.0 * equal as f64 / out.len() as f64;
    let mut text = format!(
        "{:<4} {:<14} depth {depth:>3}: {equal:>9} of {:>9} {percent:>9.4} %\n",
        ty.ty.name(),
        format!("{fill:?}"),
        out.len()
    );
    let is_finite = matches!(fill, Fill::Exponents(_) | Fill::Cancelling(_));
    if equal < out.len() && is_finite && !ty.is_integer() {
        let per_row = WORDS * ty.ty.per_word();
        let values = |elements: &[u32], line: usize| -> Vec<f32> {
            elements[line * per_row..][..per_row].iter().map(|bits| (ty.value)(*bits)).collect()
        };
        let sampled: Vec<usize> = (0..out.len()).step_by(SAMPLED).collect();
        let models = GROUPS.iter().flat_map(|group| {
            FRACTION_BITS
                .iter()
                .flat_map(move |bits| RESULT_BITS.map(|result| (*group, *bits, result)))
        });
        for (group, fraction_bits, result_bits) in models {
            let model = Model { group, fraction_bits, result_bits };
            let equal = sampled.iter().filter(|i| {
                let (row, column) = places(**i);
                let (a, b) = (values(&a, row), values(&b, column));
                model.sum(&a, &b, f32::from_bits(c[**i])).to_bits() == out[**i]
            });
            let percent = 100.0 * equal.count() as f64 / sampled.len() as f64;
            if percent > 50.0 {
                text.push_str(&format!(
                    "    {group:>2} products, {fraction_bits} bits of terms, {result_bits} of sums: \
                     {percent:>9.4} %\n"
                ));
            }
        }
    }
    Ok(Row { text, sums: out.len(), equal })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tiles = std::env::args().nth(1).map_or(Ok(TILES), |tiles| tiles.parse())?;
    for ty in &TYPES {
        let per_step = STEP * ty.ty.per_word();
        let depths = [1, 2, 4, per_step, 4 * per_step];
        let cases = ty.fills.iter().flat_map(|fill| depths.map(|depth| (*fill, depth)));
        let rows: Vec<warpwise::Result<Row>> = std::thread::scope(|scope| {
            let threads: Vec<_> = cases
                .map(|(fill, depth)| scope.spawn(move || compare(ty, fill, depth, tiles)))
                .collect();
            let joined = threads.into_iter().map(|thread| thread.join());
            joined.map(|row| row.expect("no comparison panics")).collect()
        });
        let (mut sums, mut equal) = (0, 0);
        for row in rows {
            let row = row?;
            print!("{}", row.text);
            sums += row.sums;
            equal += row.equal;
        }
        println!("{:<4} all: {equal} of {sums} sums have the same bits\n", ty.ty.name());
    }
    Ok(())
}
