//! The sums of a GPU's warpgroup products beside the interpreter's model, bit for bit, and beside
//! other models: sums of fewer products at a time, and other quanta.
//!
//! `cargo run --release -p warpwise-benches --bin wgmma_agreement` needs a GPU of compute capability
//! 9.0.
use warpwise::{U32x4, prelude::*, wgmma};
use warpwise_compiler::{ir::MmaType, tensor_cores};

/// Tiles of each row of the table, of 4096 sums each.
const TILES: usize = 4096;
/// The products of a sum.
const DEPTH: usize = 64;
/// The products that an instruction adds.
const STEP: usize = 16;
/// Of so many sums one is compared with the other models.
const SAMPLED: usize = 509;
/// The other models: the products that are added at a time, and the bits of a term behind the point of
/// the largest exponent.
const GROUPS: [usize; 3] = [16, 8, 4];
const FRACTION_BITS: [i32; 6] = [22, 23, 24, 25, 26, 27];

/// Defines a kernel that multiplies 64 by 64 tiles, one in each block.
macro_rules! kernel {
    ($name:ident: $ty:ident) => {
        #[kernel(block = 128)]
        fn $name(a: &[U32x4], b: &[U32x4], c: &[f32], out: &mut [f32]) {
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
    };
}
kernel!(multiply_bf16: bf16);
kernel!(multiply_f16: f16);

/// Pseudorandom numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }

    /// Returns a number with one of so many exponents around 0, of which some are 0.
    fn number(&mut self, exponents: u32) -> f32 {
        let significand = 1.0 + (self.next() & 0x7f_ffff) as f32 / 8_388_608.0;
        let sign = if self.next() & 1 == 0 { 1.0 } else { -1.0 };
        let exponent = (self.next() % exponents) as i32 - exponents as i32 / 2;
        if self.next().is_multiple_of(16) { 0.0 } else { sign * significand * 2f32.powi(exponent) }
    }
}

/// Runs a kernel on a device, with the chunks of both factors and the summands.
type Multiply = fn(&Device, &[Vec<U32x4>; 2], &[f32]) -> warpwise::Result<Vec<f32>>;

/// An element type: its name, its type in products, its conversions, and its kernel.
struct Type {
    name: &'static str,
    ty: MmaType,
    bits: fn(f32) -> u16,
    value: fn(u16) -> f32,
    exponents: u32,
    multiply: Multiply,
}

/// Defines a function that runs a kernel on a device.
macro_rules! runner {
    ($name:ident: $kernel:ident) => {
        fn $name(
            device: &Device,
            [a, b]: &[Vec<U32x4>; 2],
            c: &[f32],
        ) -> warpwise::Result<Vec<f32>> {
            let mut out = device.zeros::<f32>(c.len())?;
            let (a, b, c) = (device.upload(a)?, device.upload(b)?, device.upload(c)?);
            let config = LaunchConfig::grid(c.len() / 4096);
            $kernel::launch(device, config, &a, &b, &c, &mut out)?;
            out.to_vec()
        }
    };
}
runner!(run_bf16: multiply_bf16);
runner!(run_f16: multiply_f16);

/// Packs 8 halves into each chunk.
fn chunks(halves: &[u16]) -> Vec<U32x4> {
    let word = |pair: &[u16]| u32::from(pair[0]) | u32::from(pair[1]) << 16;
    let chunk = |eight: &[u16]| {
        U32x4::new(word(&eight[..2]), word(&eight[2..4]), word(&eight[4..6]), word(&eight[6..]))
    };
    halves.chunks_exact(8).map(chunk).collect()
}

/// Returns the exponent of a normal number.
fn exponent(value: f32) -> i32 {
    (value.to_bits() >> 23 & 0xff) as i32 - 127
}

/// Returns a sum of normal numbers by a model.
fn sum_by_model(a: &[f32], b: &[f32], c: f32, group: usize, fraction_bits: i32) -> f32 {
    a.chunks(group).zip(b.chunks(group)).fold(c, |c, (a, b)| {
        let products = a.iter().zip(b).filter(|(a, b)| **a * **b != 0.0);
        let products =
            products.map(|(a, b)| (f64::from(*a) * f64::from(*b), exponent(*a) + exponent(*b)));
        let summand = (c != 0.0).then(|| (f64::from(c), exponent(c)));
        let terms: Vec<(f64, i32)> = products.chain(summand).collect();
        let largest = terms.iter().map(|(_, exponent)| *exponent).max().unwrap_or(0);
        let quantum = 2f64.powi(largest - fraction_bits);
        let sum = terms.iter().map(|(value, _)| (value / quantum).trunc()).sum::<f64>() * quantum;
        let nearest = sum as f32;
        match f64::from(nearest).abs() > sum.abs() {
            true => f32::from_bits(nearest.to_bits() - 1),
            false => nearest,
        }
    })
}

/// Compares the sums of factors with so many exponents, of which the first `depth` elements of each row
/// are not zero; returns rows of the table.
fn compare(ty: &Type, exponents: u32, depth: usize) -> warpwise::Result<String> {
    let mut random = Random(u64::from(exponents) * 100 + depth as u64);
    let mut factor = || -> Vec<u16> {
        let half = |i: usize, random: &mut Random| match i % DEPTH < depth {
            true => (ty.bits)(random.number(exponents)),
            false => 0,
        };
        (0..TILES * 64 * DEPTH).map(|i| half(i, &mut random)).collect()
    };
    let (a, b) = (factor(), factor());
    let c: Vec<f32> = (0..TILES * 4096).map(|_| random.number(exponents)).collect();
    let out = (ty.multiply)(&Device::cuda(0)?, &[chunks(&a), chunks(&b)], &c)?;

    let factors = |i: usize| {
        let (tile, row, column) = (i / 4096, i % 4096 / 64, i % 64);
        (&a[(tile * 64 + row) * DEPTH..][..DEPTH], &b[(tile * 64 + column) * DEPTH..][..DEPTH])
    };
    let by_interpreter = |i: usize| {
        let (a, b) = factors(i);
        let steps = a.chunks(STEP).zip(b.chunks(STEP));
        steps.fold(c[i].to_bits(), |c, (a, b)| {
            let words = |halves: &[u16]| -> Vec<u32> {
                let word = |pair: &[u16]| u32::from(pair[0]) | u32::from(pair[1]) << 16;
                halves.chunks_exact(2).map(word).collect()
            };
            tensor_cores::add_products(ty.ty, &words(a), &words(b), c)
        })
    };
    let equal = (0..out.len()).filter(|i| by_interpreter(*i) == out[*i].to_bits()).count();
    let percent = 100.0 * equal as f64 / out.len() as f64;
    let mut rows = format!(
        "{} {exponents:>3} exponents, depth {depth:>2}: {:>9} {percent:>9.4} %\n",
        ty.name,
        out.len()
    );
    if equal == out.len() {
        return Ok(rows);
    }
    let sampled: Vec<usize> = (0..out.len()).step_by(SAMPLED).collect();
    for group in GROUPS {
        for fraction_bits in FRACTION_BITS {
            let equal = sampled.iter().filter(|i| {
                let (a, b) = factors(**i);
                let [a, b] = [a, b].map(|x| x.iter().map(|x| (ty.value)(*x)).collect::<Vec<_>>());
                sum_by_model(&a, &b, c[**i], group, fraction_bits).to_bits() == out[**i].to_bits()
            });
            let percent = 100.0 * equal.count() as f64 / sampled.len() as f64;
            let row = format!("    {group:>2} products, {fraction_bits} bits: {percent:>9.4} %\n");
            rows.push_str(&row);
        }
    }
    Ok(rows)
}

fn main() -> warpwise::Result<()> {
    let types = [
        Type {
            name: "bf16",
            ty: MmaType::BF16,
            bits: |value| bf16::from_f32(value).to_bits(),
            value: |bits| bf16::from_bits(bits).to_f32(),
            exponents: 30,
            multiply: run_bf16,
        },
        Type {
            name: "f16 ",
            ty: MmaType::F16,
            bits: |value| f16::from_f32(value).to_bits(),
            value: |bits| f16::from_bits(bits).to_f32(),
            exponents: 12,
            multiply: run_f16,
        },
    ];
    let cases = types.iter().flat_map(|ty| {
        let exponents = [1, 2, 6, ty.exponents].into_iter();
        exponents.flat_map(move |exponents| {
            [1, 2, 4, 8, STEP, DEPTH].map(|depth| (ty, exponents, depth))
        })
    });
    std::thread::scope(|scope| {
        let threads: Vec<_> = cases
            .map(|(ty, exponents, depth)| scope.spawn(move || compare(ty, exponents, depth)))
            .collect();
        threads.into_iter().try_for_each(|thread| {
            print!("{}", thread.join().expect("no comparison panics")?);
            Ok(())
        })
    })
}
