//! Textures with levels: reads at levels of detail and with gradients.
//!
//! All sums are exact, whatever their order and the precision of their parts.
use crate::run::engine::{Check, Engine, cases, equal, same};
use warpwise::{
    F32x2, F32x4, Filter, Normalized, Rows, RowsMut, Sampler, Texel, Texture2, TextureElement,
    TextureObject, U8x4, prelude::*,
};

cases![
    levels: TEXTURES,
    odd_extents: TEXTURES,
    between_levels: TEXTURES,
    gradients: TEXTURES,
    formats: TEXTURES,
    one_level: TEXTURES,
    first_level: TEXTURES,
    made_by_kernels: TEXTURES,
    device_functions: TEXTURES,
    refused_levels: TEXTURES,
];

const POINT: Sampler = Sampler::POINT.normalized();

/// Returns the device of an engine; the host's copies of kernels read no textures.
fn device(on: &Engine) -> Result<&Device, Box<dyn std::error::Error>> {
    match on {
        Engine::Device { device, .. } => Ok(device),
        Engine::Host => Err("the host reads no textures".into()),
    }
}

/// An image with levels, whose texels are different small integers.
struct Pyramid {
    /// `(rows, columns)` of each level, and the texels.
    levels: Vec<((usize, usize), Vec<f32>)>,
}

impl Pyramid {
    fn new((rows, columns): (usize, usize), levels: usize) -> Self {
        let level = |level: usize| {
            let (rows, columns) = ((rows >> level).max(1), (columns >> level).max(1));
            let texel = |i: usize| ((level + 1) * 512 + i * 37 % 509) as f32;
            ((rows, columns), (0..rows * columns).map(texel).collect())
        };
        Self { levels: (0..levels).map(level).collect() }
    }

    fn upload(&self, device: &Device, sampler: Sampler) -> warpwise::Result<TextureObject<f32, 2>> {
        let levels: Vec<&[f32]> = self.levels.iter().map(|(_, texels)| &texels[..]).collect();
        device.mipmapped_texture_2d(&levels, self.levels[0].0, sampler)
    }

    /// Returns the texel of a level that covers normalized coordinates, which are inside.
    fn point(&self, level: usize, [x, y]: [f32; 2]) -> f32 {
        let ((rows, columns), texels) = &self.levels[level];
        let (column, row) = ((x * *columns as f32) as usize, (y * *rows as f32) as usize);
        texels[row * columns + column]
    }

    /// Returns the weighted sum of the texels around normalized coordinates.
    fn linear(&self, level: usize, [x, y]: [f32; 2]) -> f32 {
        let ((rows, columns), texels) = &self.levels[level];
        let (x, y) = (x * *columns as f32 - 0.5, y * *rows as f32 - 0.5);
        let texel = |row: f32, column: f32| {
            let inside = |index: f32, len: usize| index.clamp(0.0, (len - 1) as f32) as usize;
            texels[inside(row, *rows) * columns + inside(column, *columns)]
        };
        let along_x = |row: f32| {
            let weight = x - x.floor();
            texel(row, x.floor()) * (1.0 - weight) + texel(row, x.floor() + 1.0) * weight
        };
        let weight = y - y.floor();
        along_x(y.floor()) * (1.0 - weight) + along_x(y.floor() + 1.0) * weight
    }

    /// Returns the normalized coordinates of the centers of the texels of a level.
    fn centers(&self, level: usize) -> impl Iterator<Item = [f32; 2]> + use<> {
        let (rows, columns) = self.levels[level].0;
        (0..rows * columns).map(move |i| {
            let center = |index: usize, len: usize| (index as f32 + 0.5) / len as f32;
            [center(i % columns, columns), center(i / columns, rows)]
        })
    }
}

/// Samples at coordinates and a level.
#[kernel]
fn sampled_levels(image: Texture2<f32>, at: &[F32x4], y: &mut [f32]) {
    let i = global_idx_x();
    if i < at.len() && i < y.len() {
        y[i] = image.sample_level(at[i].x, at[i].y, at[i].z);
    }
}

fn sample_levels(
    on: &Engine,
    (pyramid, sampler): (&Pyramid, Sampler),
    at: &[([f32; 2], f32)],
) -> Result<Vec<f32>, Box<dyn std::error::Error>> {
    let device = device(on)?;
    let image = pyramid.upload(device, sampler)?;
    let at: Vec<F32x4> = at.iter().map(|([x, y], level)| F32x4::new(*x, *y, *level, 0.0)).collect();
    let mut y = device.zeros::<f32>(at.len())?;
    sampled_levels::launch(
        device,
        LaunchConfig::cover(at.len()),
        &image,
        &device.upload(&at)?,
        &mut y,
    )?;
    Ok(y.to_vec()?)
}

/// Reads each texel of each level, and levels outside.
fn levels(on: &Engine) -> Check {
    let pyramid = Pyramid::new((8, 32), 6);
    let (mut at, mut want) = (Vec::new(), Vec::new());
    for level in 0..6 {
        for center in pyramid.centers(level) {
            for offset in [0.0, 0.25, -0.25] {
                at.push((center, level as f32 + offset));
                want.push(pyramid.point(level, center));
            }
        }
    }
    for (level, read) in [(-1.0, 0), (f32::NEG_INFINITY, 0), (6.0, 5), (1e9, 5), (f32::INFINITY, 5)]
    {
        at.push(([0.5, 0.5], level));
        want.push(pyramid.point(read, [0.5, 0.5]));
    }
    same("levels", &sample_levels(on, (&pyramid, POINT), &at)?, &want)?;
    // The filter of levels does not matter at an integer level.
    let at: Vec<_> = pyramid.centers(2).map(|center| (center, 2.0)).collect();
    let want = pyramid.levels[2].1.as_slice();
    let sampler = POINT.mipmap_filter(Filter::Linear);
    same("linear levels", &sample_levels(on, (&pyramid, sampler), &at)?, want)
}

/// Extents that are rounded down, and stay 1.
fn odd_extents(on: &Engine) -> Check {
    for shape in [(2, 9), (9, 2), (7, 5), (1, 13), (1, 1)] {
        let levels = 1 + (shape.0.max(shape.1) as u32).ilog2() as usize;
        let pyramid = Pyramid::new(shape, levels);
        for level in 0..levels {
            let at: Vec<_> = pyramid.centers(level).map(|center| (center, level as f32)).collect();
            let got = sample_levels(on, (&pyramid, POINT), &at)?;
            same(&format!("level {level} of {shape:?}"), &got, &pyramid.levels[level].1)?;
        }
    }
    Ok(())
}

/// Weights that are multiples of a quarter, of texels and of levels.
fn between_levels(on: &Engine) -> Check {
    let pyramid = Pyramid::new((16, 16), 3);
    let mut at = Vec::new();
    for center in pyramid.centers(0) {
        at.extend((0..=8).map(|quarters| (center, quarters as f32 / 4.0)));
    }
    type Read = fn(&Pyramid, usize, [f32; 2]) -> f32;
    let reads: [(Sampler, Read); 2] =
        [(POINT, Pyramid::point), (Sampler::LINEAR.normalized(), Pyramid::linear)];
    for (sampler, read) in reads {
        let sampler = sampler.mipmap_filter(Filter::Linear);
        let want = at.iter().map(|(center, level)| {
            let (first, weight) = (*level as usize, level.fract());
            let second = read(&pyramid, (first + 1).min(2), *center);
            read(&pyramid, first, *center) * (1.0 - weight) + second * weight
        });
        let got = sample_levels(on, (&pyramid, sampler), &at)?;
        same(&format!("{sampler:?}"), &got, &want.collect::<Vec<_>>())?;
    }
    Ok(())
}

#[kernel]
fn sampled_gradients(image: Texture2<f32>, gradients: &[F32x4], y: &mut [f32]) {
    let i = global_idx_x();
    if i < gradients.len() && i < y.len() {
        let g = gradients[i];
        y[i] = image.sample_gradient(0.375, 0.625, (g.x, g.y), (g.z, g.w));
    }
}

/// Gradients that are powers of two in texels, each along one axis of the image.
fn gradients(on: &Engine) -> Check {
    let device = device(on)?;
    let (rows, columns) = (8, 32);
    let pyramid = Pyramid::new((rows, columns), 6);
    let (mut gradients, mut want) = (Vec::new(), Vec::new());
    let mut push = |gradient: [f32; 4], level: usize| {
        let [x, y, z, w] = gradient;
        gradients.push(F32x4::new(x, y, z, w));
        want.push(pyramid.point(level.min(5), [0.375, 0.625]));
    };
    for level in 0..8 {
        let (x, y) = ((1 << level) as f32 / columns as f32, (1 << level) as f32 / rows as f32);
        push([x, 0.0, 0.0, 0.0], level);
        push([0.0, 0.0, -x, 0.0], level);
        push([0.0, y, 0.0, 0.0], level);
        push([0.0, 0.0, 0.0, y], level);
        // The longer one decides.
        push([x, 0.0, 0.0, y / 4.0], level);
        push([x / 8.0, 0.0, 0.0, -y], level);
        push([y, 0.0, 0.0, x], level + 2);
    }
    // Changes of less than a texel.
    push([1.0 / 128.0, 0.0, 0.0, 1.0 / 64.0], 0);
    push([0.0; 4], 0);
    let at = device.upload(&gradients)?;
    for sampler in [POINT, POINT.mipmap_filter(Filter::Linear)] {
        let image = pyramid.upload(device, sampler)?;
        let mut y = device.zeros::<f32>(gradients.len())?;
        let config = LaunchConfig::cover(gradients.len());
        sampled_gradients::launch(device, config, &image, &at, &mut y)?;
        same(&format!("{sampler:?}"), &y.to_vec()?, &want)?;
    }
    Ok(())
}

/// A kernel that reads the last level, in both ways.
macro_rules! last_levels {
    ($($kernel:ident: $ty:ty, $value:ty;)*) => {$(
        #[kernel]
        fn $kernel(image: Texture2<$ty>, y: &mut [$value]) {
            let i = global_idx_x();
            if i + 1 < y.len() && i == 0 {
                y[i] = image.sample_level(0.5, 0.5, (image.levels() - 1) as f32);
                y[i + 1] = image.sample_gradient(0.5, 0.5, (1.0, 0.0), (0.0, 1.0));
            }
        }
    )*};
}

last_levels! {
    last_u8: u8, u8;
    last_i16: i16, i16;
    last_u32: u32, u32;
    last_f16: f16, f32;
    last_pair: F32x2, F32x2;
    last_color: Normalized<U8x4>, F32x4;
}

fn formats(on: &Engine) -> Check {
    macro_rules! check {
        ($kernel:ident: $ty:ty, $other:expr, $last:expr, $want:expr) => {{
            let on = device(on)?;
            let (base, middle) = ([$other; 16], [$other; 4]);
            let levels: [&[<$ty as TextureElement>::Element]; 3] = [&base, &middle, &[$last]];
            let image = on.mipmapped_texture_2d::<$ty>(&levels, (4, 4), POINT)?;
            let mut y = on.zeros(2)?;
            $kernel::launch(on, LaunchConfig::cover(1), &image, &mut y)?;
            equal(stringify!($ty), &y.to_vec()?, &[$want; 2])?;
        }};
    }
    check!(last_u8: u8, 7, 200, 200);
    check!(last_i16: i16, 7, -30_000, -30_000);
    check!(last_u32: u32, 7, u32::MAX, u32::MAX);
    check!(last_f16: f16, f16::from_f32(7.0), f16::from_f32(-2.5), -2.5);
    check!(last_pair: F32x2, F32x2::new(7.0, 7.0), F32x2::new(1.5, 2.5), F32x2::new(1.5, 2.5));
    let color = F32x4::new(1.0, 0.0, 1.0, 0.0);
    check!(last_color: Normalized<U8x4>, U8x4::splat(7), U8x4::new(255, 0, 255, 0), color);
    Ok(())
}

/// A texture with one level, whose coordinates need not be normalized.
#[kernel]
fn sampled_flat(image: Texture2<f32>, y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        let (column, row) = ((i % image.width()) as f32 + 0.5, (i / image.width()) as f32 + 0.5);
        y[i] = image.sample_level(column, row, i as f32) + image.levels() as f32
            - image.sample_gradient(column, row, (i as f32, 0.0), (0.0, 1.0));
    }
}

fn one_level(on: &Engine) -> Check {
    let device = device(on)?;
    let texels: Vec<f32> = (0..12).map(|i| (i * 5 % 7) as f32).collect();
    let image = device.texture_2d(&texels, (3, 4), Sampler::POINT)?;
    let mut y = device.zeros::<f32>(12)?;
    sampled_flat::launch(device, LaunchConfig::cover(12), &image, &mut y)?;
    same("one level", &y.to_vec()?, &[1.0; 12])
}

#[kernel]
fn read_first(image: Texture2<u32>, y: &mut [[u32; 4]]) {
    let i = global_idx_x();
    if i < y.len() {
        let size = [image.width() as u32, image.height() as u32, image.levels() as u32];
        let texels = image.gather_r(0.5, 0.5);
        y[i] = match i {
            0 => [size[0], size[1], size[2], image.sample(0.375, 0.25)],
            _ => texels,
        };
    }
}

/// A read without a level, and a gather, of a texture with levels.
fn first_level(on: &Engine) -> Check {
    let device = device(on)?;
    let levels: [&[u32]; 2] = [&[0, 1, 2, 3, 4, 5, 6, 7], &[100, 200]];
    let image = device.mipmapped_texture_2d(&levels, (2, 4), POINT)?;
    let mut y = device.zeros::<[u32; 4]>(2)?;
    read_first::launch(device, LaunchConfig::cover(2), &image, &mut y)?;
    equal("the first level", &y.to_vec()?, &[[4, 2, 2, 1], [5, 6, 2, 1]])
}

/// Halves both extents of an image, which are even.
#[kernel]
fn halve(image: Rows<f32>, mut half: RowsMut<f32>) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if column < half.columns() && row < half.rows() {
        let pair = |row| image[(row, 2 * column)] + image[(row, 2 * column + 1)];
        half[(row, column)] = (pair(2 * row) + pair(2 * row + 1)) / 4.0;
    }
}

/// Levels that kernels have computed from each other, and parts of buffers.
fn made_by_kernels(on: &Engine) -> Check {
    let device = device(on)?;
    let texels: Vec<f32> = (0..64).map(|i| (i * 16) as f32).collect();
    let base = device.upload_2d(&texels, (8, 8))?;
    let mut half = device.zeros_2d::<f32>((4, 4))?;
    halve::launch(device, LaunchConfig::cover((4, 4)), &base, &mut half)?;
    let mut quarter = device.zeros_2d::<f32>((4, 4))?;
    halve::launch(
        device,
        LaunchConfig::cover((2, 2)),
        &half,
        &mut *quarter.rectangle_mut(1..3, 2..4)?,
    )?;
    let quarter = quarter.rectangle(1..3, 2..4)?;
    let image = device.mipmapped_texture_of::<f32>(&[&base, &half, &quarter], POINT)?;
    drop((base, half));
    let at: Vec<F32x4> = [0.25_f32, 0.75]
        .iter()
        .flat_map(|y| [0.25_f32, 0.75].map(|x| F32x4::new(x, *y, 2.0, 0.0)))
        .chain([F32x4::new(0.0625, 0.0625, 0.0, 0.0), F32x4::new(0.875, 0.875, 1.0, 0.0)])
        .collect();
    let mut y = device.zeros::<f32>(at.len())?;
    let config = LaunchConfig::cover(at.len());
    sampled_levels::launch(device, config, &image, &device.upload(&at)?, &mut y)?;
    let mean = |row: usize, column: usize, len: usize| {
        let texel = |i: usize| texels[(row + i / len) * 8 + column + i % len];
        (0..len * len).map(texel).sum::<f32>() / (len * len) as f32
    };
    let want = [mean(0, 0, 4), mean(0, 4, 4), mean(4, 0, 4), mean(4, 4, 4), 0.0, mean(6, 6, 2)];
    same("levels of buffers", &y.to_vec()?, &want)
}

/// Reads an image at a level that is not known in any instance.
#[device]
fn center<T: Texel>(image: Texture2<T>, level: f32) -> T::Value {
    image.sample_level(0.5, 0.5, level)
}

/// Reads in a loop, in branches, and at levels that differ between lanes.
#[kernel]
fn sum_levels(a: Texture2<f32>, b: Texture2<u32>, y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        let mut sum = 0.0;
        for level in 0..i % 4 {
            sum +=
                if i % 2 == 0 { center(a, level as f32) } else { center(b, level as f32) as f32 };
        }
        y[i] = sum;
    }
}

fn device_functions(on: &Engine) -> Check {
    let device = device(on)?;
    let a: [&[f32]; 3] = [&[1.0; 16], &[20.0; 4], &[300.0]];
    let b: [&[u32]; 2] = [&[5; 4], &[70]];
    let a = device.mipmapped_texture_2d(&a, (4, 4), POINT)?;
    let b = device.mipmapped_texture_2d(&b, (2, 2), POINT)?;
    let mut y = device.zeros::<f32>(64)?;
    sum_levels::launch(device, LaunchConfig::cover(64), &a, &b, &mut y)?;
    let want = |i: usize| match i % 4 {
        0 => 0.0,
        1 => 5.0,
        2 => 21.0,
        _ => 145.0,
    };
    same("sums", &y.to_vec()?, &(0..64).map(want).collect::<Vec<_>>())
}

fn refused_levels(on: &Engine) -> Check {
    let device = device(on)?;
    let text = |made: warpwise::Result<TextureObject<f32, 2>>| {
        made.map(drop).map_err(|error| error.to_string())
    };
    let made = |levels: &[&[f32]], shape, sampler| {
        text(device.mipmapped_texture_2d::<f32>(levels, shape, sampler))
    };
    let [base, half] = [[0.0; 8], [0.0; 8]];
    let copied = {
        let [base, other] = [(2, 4), (2, 1)].map(|shape| device.zeros_2d::<f32>(shape));
        let (base, other) = (base?, other?);
        [
            text(device.mipmapped_texture_of(&[&base, &other], POINT)),
            text(device.mipmapped_texture_of(&[], POINT)),
        ]
    };
    let bytes = device.mipmapped_texture_2d::<u8>(
        &[&[1, 2], &[3]],
        (1, 2),
        POINT.mipmap_filter(Filter::Linear),
    );
    let bytes = bytes.map(drop).map_err(|error| error.to_string());
    let [by_shape, none_of_buffers] = copied;
    let got = [
        made(&[&base, &half[..3]], (2, 4), POINT),
        made(&[&base[..7], &half[..2]], (2, 4), POINT),
        made(&[&base, &half[..2], &half[..1], &half[..1]], (2, 4), POINT),
        made(&[], (2, 4), POINT),
        made(&[&base, &half[..2]], (2, 4), Sampler::POINT),
        made(&[&[], &[]], (0, 4), POINT),
        by_shape,
        none_of_buffers,
        bytes,
    ];
    let want = [
        "level 1 has 3 texels, and its shape (1, 2) has 2",
        "level 0 has 7 texels, and its shape (2, 4) has 8",
        "it has 4 levels, and its extents have 3 at most",
        "it has no level",
        "levels need normalized coordinates",
        "its extent along y is 0, and must be 1 to 32768 with 2 dimensions",
        "level 1 has the shape (2, 1), and must have (1, 2)",
        "it has no level",
        "a linear filter reads floats, and its texels are integers: read them as `Normalized`",
    ];
    let want = want.map(|text| Err(format!("there is no such texture: {text}")));
    equal("refusals", &got, &want)
}
