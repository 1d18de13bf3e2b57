//! The interpreter's texture reads beside a GPU's, bit for bit, on dense inputs.
//!
//! `cargo run --release -p warpwise-benches --bin texture_agreement` needs a GPU.
use warpwise::{
    AddressMode, F32x2, F32x4, Filter, Normalized, Sampler, Texture1, Texture2, Texture3,
    TextureObject, prelude::*,
};

/// The number of reads for each row of the table.
const READS: usize = 1 << 19;
const MODES: [AddressMode; 4] =
    [AddressMode::Clamp, AddressMode::Border, AddressMode::Wrap, AddressMode::Mirror];

/// Returns a pseudorandom number.
fn hash(i: usize) -> u32 {
    let mut x = (i as u32).wrapping_mul(0x9e37_79b9) ^ 0x85eb_ca6b;
    x = (x ^ x >> 16).wrapping_mul(0x7feb_352d);
    x = (x ^ x >> 15).wrapping_mul(0x846c_a68b);
    x ^ x >> 16
}

/// Returns a pseudorandom number from 0 to 1.
fn unit(i: usize) -> f32 {
    (hash(i) >> 8) as f32 / (1 << 24) as f32
}

/// Returns a number between -0.5 and 0.5.
fn float(i: usize) -> f32 {
    unit(i + 5) - 0.5
}

/// Returns a number of a pseudorandom power of two.
fn wide(i: usize) -> f32 {
    float(i) * 2f32.powi((hash(i) % 20) as i32 - 10)
}

/// Runs the same reads on both devices, and prints how many results have the same bits.
fn compare(
    name: &str,
    read: impl Fn(&Device) -> warpwise::Result<Vec<f32>>,
) -> warpwise::Result<()> {
    let (ours, gpu) = (read(&Device::cpu())?, read(&Device::cuda(0)?)?);
    let same = |(a, b): &(&f32, &f32)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
    let equal = ours.iter().zip(&gpu).filter(same).count();
    let largest = ours.iter().zip(&gpu).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    let percent = 100.0 * equal as f64 / ours.len() as f64;
    println!("{name:52} {:>9} {percent:>9.4} % {largest:>12.3e}", ours.len());
    Ok(())
}

/// A kernel that reads an image of a type at many coordinates.
macro_rules! read_kernels {
    ($($name:ident: $ty:ty, $method:ident, $value:ty;)*) => {$(
        #[kernel]
        fn $name(image: Texture2<$ty>, at: &[F32x2], y: &mut [$value]) {
            let i = global_idx_x();
            if i < at.len() && i < y.len() {
                y[i] = image.$method(at[i].x, at[i].y);
            }
        }
    )*};
}
read_kernels! {
    read_floats: f32, sample, f32;
    read_halves: f16, sample, f32;
    read_bytes: Normalized<u8>, sample, f32;
    read_signed_bytes: Normalized<i8>, sample, f32;
    read_shorts: Normalized<u16>, sample, f32;
    read_signed_shorts: Normalized<i16>, sample, f32;
    gather_floats: f32, gather_r, [f32; 4];
}

#[kernel]
fn read_1d(table: Texture1<f32>, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        y[i] = table.sample(x[i]);
    }
}

#[kernel]
fn read_3d(volume: Texture3<f32>, at: &[F32x4], y: &mut [f32]) {
    let i = global_idx_x();
    if i < at.len() && i < y.len() {
        y[i] = volume.sample(at[i].x, at[i].y, at[i].z);
    }
}

#[kernel]
fn read_levels(image: Texture2<f32>, at: &[F32x2], levels: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < at.len() && i < levels.len() && i < y.len() {
        y[i] = image.sample_level(at[i].x, at[i].y, levels[i]);
    }
}

#[kernel]
fn read_gradients(image: Texture2<f32>, at: &[F32x2], gradients: &[F32x4], y: &mut [f32]) {
    let i = global_idx_x();
    if i < at.len() && i < gradients.len() && i < y.len() {
        let g = gradients[i];
        y[i] = image.sample_gradient(at[i].x, at[i].y, (g.x, g.y), (g.z, g.w));
    }
}

/// Returns coordinates from `-margin` to `extent + margin`, divided by the extent if they are
/// normalized.
fn coordinates(seed: usize, extent: usize, is_normalized: bool) -> impl Fn(usize) -> f32 {
    let margin = extent as f32;
    move |i| {
        let x = unit(i * 8 + seed) * (extent as f32 + 2.0 * margin) - margin;
        if is_normalized { x / extent as f32 } else { x }
    }
}

fn one_dimension(
    name: &str,
    texels: &[f32],
    sampler: Sampler,
    coordinate: impl Fn(usize) -> f32,
) -> warpwise::Result<()> {
    let x: Vec<f32> = (0..READS).map(coordinate).collect();
    compare(name, |device| {
        let table = device.texture_1d(texels, sampler)?;
        let mut y = device.zeros::<f32>(READS)?;
        read_1d::launch(device, LaunchConfig::cover(READS), &table, &device.upload(&x)?, &mut y)?;
        y.to_vec()
    })
}

/// Compares reads of an image by one of the kernels above.
macro_rules! compare_2d {
    ($name:expr, $kernel:ident, $texel:expr, $shape:expr, $sampler:expr, $normalized:literal) => {{
        let (shape, sampler): ((usize, usize), Sampler) = ($shape, $sampler);
        let texels: Vec<_> = (0..shape.0 * shape.1).map($texel).collect();
        let x = coordinates(1, shape.1, $normalized);
        let y = coordinates(2, shape.0, $normalized);
        let at: Vec<F32x2> = (0..READS).map(|i| F32x2::new(x(i), y(i))).collect();
        compare(&$name, |device| {
            let image = device.texture_2d(&texels, shape, sampler)?;
            let mut y = device.zeros(READS)?;
            let config = LaunchConfig::cover(READS);
            $kernel::launch(device, config, &image, &device.upload(&at)?, &mut y)?;
            Ok(y.to_vec()?.into_iter().flat_map(Words::words).collect())
        })?;
    }};
}

fn compare_3d(
    name: &str,
    texel: impl Fn(usize) -> f32,
    (sampler, is_normalized): (Sampler, bool),
) -> warpwise::Result<()> {
    let shape = (7, 8, 11);
    let texels: Vec<f32> = (0..shape.0 * shape.1 * shape.2).map(texel).collect();
    let coordinate = |seed, extent| coordinates(seed, extent, is_normalized);
    let (x, y, z) = (coordinate(1, shape.2), coordinate(2, shape.1), coordinate(3, shape.0));
    let at: Vec<F32x4> = (0..READS).map(|i| F32x4::new(x(i), y(i), z(i), 0.0)).collect();
    compare(name, |device| {
        let volume = device.texture_3d(&texels, shape, sampler)?;
        let mut y = device.zeros::<f32>(READS)?;
        read_3d::launch(device, LaunchConfig::cover(READS), &volume, &device.upload(&at)?, &mut y)?;
        y.to_vec()
    })
}

/// `(rows, columns)` of the first level of an image, and the number of its levels.
const LEVELS_SHAPE: (usize, usize) = (37, 64);
const LEVELS: usize = 7;

/// Makes an image whose levels have pseudorandom texels.
fn upload_levels(
    device: &Device,
    texel: impl Fn(usize) -> f32,
    sampler: Sampler,
) -> warpwise::Result<TextureObject<f32, 2>> {
    let level = |level: usize| -> Vec<f32> {
        let texels = (LEVELS_SHAPE.0 >> level).max(1) * (LEVELS_SHAPE.1 >> level).max(1);
        (0..texels).map(|i| texel(i + (level << 16))).collect()
    };
    let levels: Vec<_> = (0..LEVELS).map(level).collect();
    let levels: Vec<_> = levels.iter().map(Vec::as_slice).collect();
    device.mipmapped_texture_2d(&levels, LEVELS_SHAPE, sampler)
}

/// Returns normalized coordinates inside and outside of an image.
fn level_coordinates() -> Vec<F32x2> {
    let (x, y) = (coordinates(1, LEVELS_SHAPE.1, true), coordinates(2, LEVELS_SHAPE.0, true));
    (0..READS).map(|i| F32x2::new(x(i), y(i))).collect()
}

fn compare_levels(
    name: &str,
    texel: impl Fn(usize) -> f32,
    sampler: Sampler,
    level: impl Fn(usize) -> f32,
) -> warpwise::Result<()> {
    let (at, levels) = (level_coordinates(), (0..READS).map(level).collect::<Vec<_>>());
    compare(name, |device| {
        let image = upload_levels(device, &texel, sampler)?;
        let (at, levels) = (device.upload(&at)?, device.upload(&levels)?);
        let mut y = device.zeros::<f32>(READS)?;
        read_levels::launch(device, LaunchConfig::cover(READS), &image, &at, &levels, &mut y)?;
        y.to_vec()
    })
}

fn compare_gradients(
    name: &str,
    sampler: Sampler,
    gradient: impl Fn(usize) -> F32x4,
) -> warpwise::Result<()> {
    let (at, gradients) = (level_coordinates(), (0..READS).map(gradient).collect::<Vec<_>>());
    compare(name, |device| {
        let image = upload_levels(device, float, sampler)?;
        let (at, gradients) = (device.upload(&at)?, device.upload(&gradients)?);
        let mut y = device.zeros::<f32>(READS)?;
        let config = LaunchConfig::cover(READS);
        read_gradients::launch(device, config, &image, &at, &gradients, &mut y)?;
        y.to_vec()
    })
}

/// A result that consists of words.
trait Words {
    fn words(self) -> Vec<f32>;
}
impl Words for f32 {
    fn words(self) -> Vec<f32> {
        vec![self]
    }
}
impl Words for [f32; 4] {
    fn words(self) -> Vec<f32> {
        self.to_vec()
    }
}

fn one_dimension_rows() -> warpwise::Result<()> {
    let step = [0.0, 1.0, 1.0, 1.0];
    let weight = |i: usize| 0.5 + i as f32 / READS as f32;
    one_dimension("1d linear, all weights", &step, Sampler::LINEAR, weight)?;
    let noise: Vec<f32> = (0..37).map(float).collect();
    one_dimension("1d point, near borders", &noise, Sampler::POINT, |i| {
        let texel = (i / 64 % 37) as f32;
        f32::from_bits(texel.to_bits().wrapping_add((i % 64) as u32).wrapping_sub(32))
    })?;
    for extent in [3, 32, 37, 300, 5000, 12_000, 17_000, 30_000, 35_000, 70_000, 131_072] {
        let noise: Vec<f32> = (0..extent).map(float).collect();
        for (filter, sampler) in [("point", Sampler::POINT), ("linear", Sampler::LINEAR)] {
            let name = format!("1d {filter}, {extent} texels");
            one_dimension(&name, &noise, sampler, coordinates(1, extent, false))?;
            for mode in MODES {
                let name = format!("{name}, {mode:?}, normalized");
                let sampler = sampler.normalized().address(mode);
                one_dimension(&name, &noise, sampler, coordinates(1, extent, true))?;
            }
        }
    }
    let coordinate = |i: usize| (i % 4096) as f32 / 256.0 - 4.0;
    let infinite = [1.0, f32::INFINITY, 2.0, f32::NAN, 3.0, -f32::INFINITY, f32::MAX, f32::MAX];
    one_dimension("1d linear, infinite texels", &infinite, Sampler::LINEAR, coordinate)?;
    let tiny = [1e-40, 3e-39, 1e-45, -2e-38, 1e-38];
    one_dimension("1d linear, subnormal texels", &tiny, Sampler::LINEAR, coordinate)
}

fn two_dimension_rows() -> warpwise::Result<()> {
    let shape = (29, 31);
    for (filter, sampler) in [("point", Sampler::POINT), ("linear", Sampler::LINEAR)] {
        let name = |texels: &str| format!("2d {filter}, {texels}");
        compare_2d!(name("floats"), read_floats, float, shape, sampler, false);
        compare_2d!(name("floats of all sizes"), read_floats, wide, shape, sampler, false);
        compare_2d!(
            name("all floats"),
            read_floats,
            |i| f32::from_bits(hash(i)),
            shape,
            sampler,
            false
        );
        compare_2d!(
            name("all halves"),
            read_halves,
            |i| f16::from_bits(hash(i) as u16),
            shape,
            sampler,
            false
        );
        compare_2d!(name("bytes"), read_bytes, |i| hash(i) as u8, shape, sampler, false);
        compare_2d!(
            name("signed bytes"),
            read_signed_bytes,
            |i| hash(i) as i8,
            shape,
            sampler,
            false
        );
        compare_2d!(name("shorts"), read_shorts, |i| hash(i) as u16, shape, sampler, false);
        compare_2d!(
            name("signed shorts"),
            read_signed_shorts,
            |i| hash(i) as i16,
            shape,
            sampler,
            false
        );
        for mode in MODES {
            let name = name(&format!("{mode:?}, normalized"));
            let sampler = sampler.normalized().address(mode);
            compare_2d!(name, read_floats, float, (64, 37), sampler, true);
            compare_2d!(format!("{name}, gather"), gather_floats, float, (64, 37), sampler, true);
        }
    }
    Ok(())
}

fn three_dimension_rows() -> warpwise::Result<()> {
    for mode in MODES {
        let sampler = Sampler::LINEAR.normalized().address(mode);
        compare_3d(&format!("3d linear, {mode:?}, normalized"), float, (sampler, true))?;
    }
    compare_3d("3d point", float, (Sampler::POINT, false))?;
    compare_3d("3d linear, floats of all sizes", wide, (Sampler::LINEAR, false))
}

fn level_rows() -> warpwise::Result<()> {
    // From one level before the first to one after the last.
    let any = |i: usize| unit(i * 8 + 3) * (LEVELS + 1) as f32 - 1.0;
    let halves = |i: usize| (i % (2 * LEVELS)) as f32 / 2.0;
    // In steps of a sixteenth of a weight, around each border between two levels.
    let steps = |i: usize| (i % LEVELS) as f32 + 0.5 + ((i / LEVELS % 512) as f32 - 256.0) / 4096.0;
    for (filter, sampler) in [("point", Sampler::POINT), ("linear", Sampler::LINEAR)] {
        for levels in [Filter::Point, Filter::Linear] {
            let sampler = sampler.normalized().mipmap_filter(levels);
            let name = |row: &str| format!("levels, {filter} in {levels:?}, {row}");
            compare_levels(&name("any"), float, sampler, any)?;
            compare_levels(&name("halves"), float, sampler, halves)?;
            compare_levels(&name("near borders"), float, sampler, steps)?;
            compare_levels(&name("floats of all sizes"), wide, sampler, any)?;
            // Lengths from a quarter of a texel to four times the image.
            let length = |i: usize| (unit(i * 8 + 4) * 10.0 - 2.0).exp2();
            let along_x = |i: usize| F32x4::new(length(i) / LEVELS_SHAPE.1 as f32, 0.0, 0.0, 0.0);
            compare_gradients(&name("gradients along x"), sampler, along_x)?;
            let along_both = |i: usize| {
                let [(a, b), (c, d)] = [2 * i, 2 * i + 1].map(|i| {
                    let (sin, cos) = (unit(i * 8 + 5) * std::f32::consts::TAU).sin_cos();
                    let (width, height) = (LEVELS_SHAPE.1 as f32, LEVELS_SHAPE.0 as f32);
                    (length(i) * cos / width, length(i) * sin / height)
                });
                F32x4::new(a, b, c, d)
            };
            compare_gradients(&name("gradients"), sampler, along_both)?;
        }
    }
    Ok(())
}

fn main() -> warpwise::Result<()> {
    println!("{:52} {:>9} {:>11} {:>12}", "reads", "", "same bits", "difference");
    one_dimension_rows()?;
    two_dimension_rows()?;
    three_dimension_rows()?;
    level_rows()
}
