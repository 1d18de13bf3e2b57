//! Textures: formats, address modes, filters, gathers.
use crate::run::engine::{Check, Engine, cases, same};
use std::fmt::Debug;
use warpwise::{
    AddressMode, F16x2, F16x4, F32x2, F32x4, I8x2, I8x4, I16x2, I16x4, I32x2, I32x4,
    LayeredTexture1, LayeredTexture2, Normalized, Sampler, Texture1, Texture2, Texture3,
    TextureElement, U8x2, U8x4, U16x2, U16x4, U32x2, U32x4, prelude::*,
};

cases![
    point_samples: TEXTURES,
    address_modes: TEXTURES,
    exact_linear_samples: TEXTURES,
    dense_linear_samples: TEXTURES,
    dense_normalized_linear_samples: TEXTURES,
    one_and_three_dimensions: TEXTURES,
    formats: TEXTURES,
    normalized_formats: TEXTURES,
    linear_bytes: TEXTURES,
    gathers: TEXTURES,
    layers: TEXTURES,
    copies_of_buffers: TEXTURES,
    divergent_reads: TEXTURES,
    refused_textures: TEXTURES,
];

/// Returns the device of an engine; the host's copies of kernels read no textures.
fn device(on: &Engine) -> Result<&Device, Box<dyn std::error::Error>> {
    match on {
        Engine::Device { device, .. } => Ok(device),
        Engine::Host => Err("the host reads no textures".into()),
    }
}

/// Compares floats with a tolerance.
fn close(name: &str, got: &[f32], want: &[f32], tolerance: f32) -> Check {
    let differs = |(got, want): (&f32, &f32)| !((got - want).abs() <= tolerance);
    match got.iter().zip(want).position(differs) {
        Some(i) => Err(format!("{name}[{i}] is {}, and must be {}", got[i], want[i]).into()),
        None => Ok(()),
    }
}

/// Samples at many coordinates.
#[kernel]
fn sampled(image: Texture2<f32>, x: &[F32x2], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        y[i] = image.sample(x[i].x, x[i].y);
    }
}

/// Samples an image of `(rows, columns)` values.
fn sample_all(
    on: &Engine,
    (texels, shape): (&[f32], (usize, usize)),
    sampler: Sampler,
    coords: &[F32x2],
) -> Result<Vec<f32>, Box<dyn std::error::Error>> {
    let device = device(on)?;
    let image = device.texture_2d(texels, shape, sampler)?;
    let x = device.upload(coords)?;
    let mut y = device.zeros::<f32>(coords.len())?;
    sampled::launch(device, LaunchConfig::cover(coords.len()), &image, &x, &mut y)?;
    Ok(y.to_vec()?)
}

/// Returns `rows * columns` different numbers.
fn numbers(rows: usize, columns: usize) -> Vec<f32> {
    (0..rows * columns).map(|i| (i * 37 % 251) as f32 - 60.0).collect()
}

/// Returns the index along a dimension of `len` texels in an address mode; `None` at the border.
fn resolve(index: i64, len: i64, mode: AddressMode) -> Option<usize> {
    let index = match mode {
        AddressMode::Clamp => index.clamp(0, len - 1),
        AddressMode::Wrap => index.rem_euclid(len),
        AddressMode::Mirror => {
            let index = index.rem_euclid(2 * len);
            index.min(2 * len - 1 - index)
        }
        AddressMode::Border if (0..len).contains(&index) => index,
        AddressMode::Border => return None,
    };
    Some(index as usize)
}

fn point_samples(on: &Engine) -> Check {
    let (rows, columns) = (9, 13);
    let texels = numbers(rows, columns);
    let (mut coords, mut want) = (Vec::new(), Vec::new());
    for row in -3..12_i64 {
        for column in -3..16_i64 {
            for (dx, dy) in [(0.5, 0.5), (0.25, 0.875), (0.0, 0.0), (0.996, 0.004)] {
                coords.push(F32x2::new(column as f32 + dx, row as f32 + dy));
                let (row, column) = (row.clamp(0, 8) as usize, column.clamp(0, 12) as usize);
                want.push(texels[row * columns + column]);
            }
        }
    }
    let got = sample_all(on, (&texels, (rows, columns)), Sampler::POINT, &coords)?;
    same("point", &got, &want)
}

fn address_modes(on: &Engine) -> Check {
    use AddressMode::{Border, Clamp, Mirror, Wrap};
    // Powers of two, so that normalized coordinates are exact.
    let (rows, columns) = (4, 8);
    let texels = numbers(rows, columns);
    for (along_x, along_y) in [
        (Wrap, Wrap),
        (Clamp, Wrap),
        (Mirror, Border),
        (Border, Mirror),
        (Wrap, Mirror),
        (Border, Border),
        (Clamp, Clamp),
    ] {
        let sampler =
            Sampler::POINT.normalized().address_along(0, along_x).address_along(1, along_y);
        let (mut coords, mut want) = (Vec::new(), Vec::new());
        for row in -11..15_i64 {
            for column in -20..29_i64 {
                let center = |index: i64, len: usize| (index as f32 + 0.5) / len as f32;
                coords.push(F32x2::new(center(column, columns), center(row, rows)));
                let column = resolve(column, columns as i64, along_x);
                let row = resolve(row, rows as i64, along_y);
                let texel = row.zip(column).map(|(row, column)| texels[row * columns + column]);
                want.push(texel.unwrap_or(0.0));
            }
        }
        let got = sample_all(on, (&texels, (rows, columns)), sampler, &coords)?;
        same(&format!("{along_x:?}, {along_y:?}"), &got, &want)?;
    }
    Ok(())
}

/// Returns the weighted sum of the texels around coordinates in texels, with weights of 8 bits.
fn linear(
    (texels, (rows, columns)): (&[f32], (usize, usize)),
    mode: AddressMode,
    [x, y]: [f64; 2],
) -> f32 {
    let steps = |coord: f64| ((coord - 0.5) * 256.0 + 0.5).floor() as i64;
    let (x, y) = (steps(x), steps(y));
    let mut sum = 0.0;
    for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        let weight = |steps: i64, second: i64| match second {
            0 => 256 - (steps & 255),
            _ => steps & 255,
        };
        let column = resolve((x >> 8) + dx, columns as i64, mode);
        let row = resolve((y >> 8) + dy, rows as i64, mode);
        let texel = row.zip(column).map_or(0.0, |(row, column)| texels[row * columns + column]);
        sum += (weight(x, dx) * weight(y, dy)) as f64 / 65536.0 * f64::from(texel);
    }
    sum as f32
}

/// Sums of small integers with weights that are multiples of 1/16, which are exact in any order.
fn exact_linear_samples(on: &Engine) -> Check {
    let (rows, columns) = (5, 7);
    let texels = numbers(rows, columns);
    for mode in [AddressMode::Clamp, AddressMode::Border] {
        let coords: Vec<F32x2> = (0..160 * 140)
            .map(|i| F32x2::new((i % 160) as f32 / 16.0 - 1.5, (i / 160) as f32 / 16.0 - 1.5))
            .collect();
        let want: Vec<f32> = coords
            .iter()
            .map(|at| linear((&texels, (rows, columns)), mode, [at.x.into(), at.y.into()]))
            .collect();
        let sampler = Sampler::LINEAR.address(mode);
        let got = sample_all(on, (&texels, (rows, columns)), sampler, &coords)?;
        same(&format!("{mode:?}"), &got, &want)?;
    }
    Ok(())
}

/// Dense inputs: the sum may differ by rounding, and the weights by a step.
fn dense_linear_samples(on: &Engine) -> Check {
    let (rows, columns) = (6, 5);
    let texels: Vec<f32> = (0..30).map(|i| (i * 7 % 11) as f32 / 10.0).collect();
    let coords: Vec<F32x2> = (0..20_000)
        .map(|i| {
            F32x2::new((i * 7919 % 10_007) as f32 / 1700.0, (i * 104_729 % 9973) as f32 / 1500.0)
        })
        .collect();
    let want: Vec<f32> = coords
        .iter()
        .map(|at| {
            linear((&texels, (rows, columns)), AddressMode::Clamp, [at.x.into(), at.y.into()])
        })
        .collect();
    let got = sample_all(on, (&texels, (rows, columns)), Sampler::LINEAR, &coords)?;
    close("dense", &got, &want, 2.0 / 256.0)
}

fn dense_normalized_linear_samples(on: &Engine) -> Check {
    let (rows, columns) = (6, 5);
    let texels: Vec<f32> = (0..30).map(|i| (i * 7 % 11) as f32 / 10.0).collect();
    for mode in [AddressMode::Wrap, AddressMode::Mirror, AddressMode::Clamp, AddressMode::Border] {
        let coords: Vec<F32x2> = (0..10_000)
            .map(|i| {
                let (x, y) = (i * 7919 % 10_007, i * 104_729 % 9973);
                F32x2::new(x as f32 / 3300.0 - 1.0, y as f32 / 3300.0 - 1.0)
            })
            .collect();
        let want: Vec<f32> = coords
            .iter()
            .map(|at| {
                let at = [f64::from(at.x) * columns as f64, f64::from(at.y) * rows as f64];
                linear((&texels, (rows, columns)), mode, at)
            })
            .collect();
        let sampler = Sampler::LINEAR.normalized().address(mode);
        let got = sample_all(on, (&texels, (rows, columns)), sampler, &coords)?;
        close(&format!("{mode:?}"), &got, &want, 2.0 / 256.0)?;
    }
    Ok(())
}

#[kernel]
fn sampled_1d(table: Texture1<F32x2>, y: &mut [F32x2]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = table.sample(i as f32 * 0.25) + F32x2::splat(table.width() as f32);
    }
}

#[kernel]
fn sampled_3d(volume: Texture3<f32>, y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        let (x, rest) = (i % volume.width(), i / volume.width());
        let (row, layer) = (rest % volume.height(), rest / volume.height());
        y[i] = volume.sample(x as f32 + 0.5, row as f32 + 0.75, layer as f32 + 1.0);
    }
}

fn one_and_three_dimensions(on: &Engine) -> Check {
    let device = device(on)?;
    let texels: Vec<F32x2> = (0..10).map(|i| F32x2::new(i as f32, -2.0 * i as f32)).collect();
    let table = device.texture_1d(&texels, Sampler::LINEAR)?;
    let mut y = device.zeros::<F32x2>(48)?;
    sampled_1d::launch(device, LaunchConfig::cover(48), &table, &mut y)?;
    let want = |i: usize| {
        let x = (i as f32 * 0.25 - 0.5).clamp(0.0, 9.0);
        F32x2::new(x + 10.0, 10.0 - 2.0 * x)
    };
    check("1d", &y.to_vec()?, &(0..48).map(want).collect::<Vec<_>>())?;

    let (layers, rows, columns) = (3, 4, 5);
    let texels: Vec<f32> = (0..60).map(|i| (i * 13 % 64) as f32).collect();
    let volume = device.texture_3d(&texels, (layers, rows, columns), Sampler::LINEAR)?;
    let mut y = device.zeros::<f32>(60)?;
    sampled_3d::launch(device, LaunchConfig::cover(60), &volume, &mut y)?;
    let want = |i: usize| {
        let (x, row, layer) = (i % columns, i / columns % rows, i / (columns * rows));
        let at = |row: usize, layer: usize| {
            texels[(layer.min(layers - 1) * rows + row.min(rows - 1)) * columns + x]
        };
        let in_layer = |layer: usize| 0.75 * at(row, layer) + 0.25 * at(row + 1, layer);
        0.5 * in_layer(layer) + 0.5 * in_layer(layer + 1)
    };
    same("3d", &y.to_vec()?, &(0..60).map(want).collect::<Vec<_>>())
}

/// A module with a kernel that reads each texel of one type.
macro_rules! formats {
    ($on:ident: $($name:ident: $ty:ty, $value:ty, |$i:ident| $texel:expr, $want:expr;)*) => {$({
        mod $name {
            use super::*;

            #[kernel]
            pub(super) fn copied(image: Texture2<$ty>, y: &mut [$value]) {
                let i = global_idx_x();
                if i < y.len() {
                    let (x, row) = (i % image.width(), i / image.width());
                    y[i] = image.sample(x as f32 + 0.5, row as f32 + 0.5);
                }
            }
        }
        let $on = device($on)?;
        let texels: Vec<<$ty as TextureElement>::Element> = (0..15_usize).map(|$i| $texel).collect();
        let image = $on.texture_2d(&texels, (3, 5), Sampler::POINT)?;
        let mut y = $on.zeros::<$value>(15)?;
        $name::copied::launch($on, LaunchConfig::cover(15), &image, &mut y)?;
        let want: Vec<$value> = (0..15_usize).map(|$i| $want).collect();
        check(stringify!($ty), &y.to_vec()?, &want)?;
    })*};
}

fn check<T: PartialEq + Debug>(name: &str, got: &[T], want: &[T]) -> Check {
    match got == want {
        true => Ok(()),
        false => Err(format!("{name}: {got:?}, and must be {want:?}").into()),
    }
}

fn formats(on: &Engine) -> Check {
    formats! { on:
        f32_1: f32, f32, |i| i as f32 / 3.0, i as f32 / 3.0;
        f32_2: F32x2, F32x2, |i| F32x2::new(i as f32, 0.5), F32x2::new(i as f32, 0.5);
        f32_4: F32x4, F32x4, |i| F32x4::new(i as f32, -1.0, 2.5, 1e30), F32x4::new(i as f32, -1.0, 2.5, 1e30);
        f16_1: f16, f32, |i| f16::from_f32(i as f32 / 4.0), i as f32 / 4.0;
        f16_2: F16x2, F32x2, |i| F16x2::new(f16::from_f32(i as f32), f16::from_f32(-0.5)), F32x2::new(i as f32, -0.5);
        f16_4: F16x4, F32x4, |i| F16x4::splat(f16::from_f32(i as f32)), F32x4::splat(i as f32);
        u8_1: u8, u8, |i| i as u8 * 17, i as u8 * 17;
        u8_2: U8x2, U8x2, |i| U8x2::new(i as u8, 255), U8x2::new(i as u8, 255);
        u8_4: U8x4, U8x4, |i| U8x4::new(1, 2, 3, i as u8), U8x4::new(1, 2, 3, i as u8);
        i8_1: i8, i8, |i| -100 - i as i8, -100 - i as i8;
        i8_2: I8x2, I8x2, |i| I8x2::new(i as i8, -128), I8x2::new(i as i8, -128);
        i8_4: I8x4, I8x4, |i| I8x4::new(-1, 2, -3, i as i8), I8x4::new(-1, 2, -3, i as i8);
        u16_1: u16, u16, |i| 65_535 - i as u16, 65_535 - i as u16;
        u16_2: U16x2, U16x2, |i| U16x2::new(i as u16, 40_000), U16x2::new(i as u16, 40_000);
        u16_4: U16x4, U16x4, |i| U16x4::new(1, 2, 3, i as u16), U16x4::new(1, 2, 3, i as u16);
        i16_1: i16, i16, |i| -32_768 + i as i16, -32_768 + i as i16;
        i16_2: I16x2, I16x2, |i| I16x2::new(i as i16, -7), I16x2::new(i as i16, -7);
        i16_4: I16x4, I16x4, |i| I16x4::new(-1, 2, -3, i as i16), I16x4::new(-1, 2, -3, i as i16);
        u32_1: u32, u32, |i| u32::MAX - i as u32, u32::MAX - i as u32;
        u32_2: U32x2, U32x2, |i| U32x2::new(i as u32, 9), U32x2::new(i as u32, 9);
        u32_4: U32x4, U32x4, |i| U32x4::new(1, 2, 3, i as u32), U32x4::new(1, 2, 3, i as u32);
        i32_1: i32, i32, |i| i32::MIN + i as i32, i32::MIN + i as i32;
        i32_2: I32x2, I32x2, |i| I32x2::new(i as i32, -9), I32x2::new(i as i32, -9);
        i32_4: I32x4, I32x4, |i| I32x4::new(-1, 2, -3, i as i32), I32x4::new(-1, 2, -3, i as i32);
    }
    Ok(())
}

#[kernel]
fn normalized_bytes(image: Texture1<Normalized<u8>>, y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = image.sample(i as f32 + 0.5);
    }
}

#[kernel]
fn normalized_shorts(image: Texture1<Normalized<I16x2>>, y: &mut [F32x2]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = image.sample(i as f32 + 0.5);
    }
}

fn normalized_formats(on: &Engine) -> Check {
    let device = device(on)?;
    let bytes: Vec<u8> = (0..=255).collect();
    let image = device.texture_1d(&bytes, Sampler::POINT)?;
    let mut y = device.zeros::<f32>(256)?;
    normalized_bytes::launch(device, LaunchConfig::cover(256), &image, &mut y)?;
    let want: Vec<f32> = bytes.iter().map(|byte| f32::from(*byte) / 255.0).collect();
    close("bytes", &y.to_vec()?, &want, 1e-7)?;

    let shorts: Vec<I16x2> =
        (0..64).map(|i: i16| I16x2::new(i * 511, i16::MIN + i * 1000)).collect();
    let image = device.texture_1d(&shorts, Sampler::POINT)?;
    let mut y = device.zeros::<F32x2>(64)?;
    normalized_shorts::launch(device, LaunchConfig::cover(64), &image, &mut y)?;
    let floats = |pair: F32x2| [pair.x, pair.y];
    let got: Vec<f32> = y.to_vec()?.into_iter().flat_map(floats).collect();
    let want: Vec<f32> = shorts
        .iter()
        .flat_map(|pair| [pair.x, pair.y].map(|short| (f32::from(short) / 32767.0).max(-1.0)))
        .collect();
    close("shorts", &got, &want, 1e-6)
}

#[kernel]
fn blended(image: Texture2<Normalized<U8x4>>, y: &mut [F32x4]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = image.sample(1.0, 0.5 + i as f32 / 16.0);
    }
}

fn linear_bytes(on: &Engine) -> Check {
    let device = device(on)?;
    let pixels = [
        U8x4::new(0, 255, 100, 7),
        U8x4::new(255, 0, 50, 9),
        U8x4::new(200, 100, 0, 255),
        U8x4::new(100, 200, 255, 1),
    ];
    let image = device.texture_2d(&pixels, (2, 2), Sampler::LINEAR)?;
    let mut y = device.zeros::<F32x4>(17)?;
    blended::launch(device, LaunchConfig::cover(17), &image, &mut y)?;
    let channels = |pixel: U8x4| [pixel.x, pixel.y, pixel.z, pixel.w].map(f32::from);
    let [a, b, c, d] = pixels.map(channels);
    let mut want = Vec::new();
    for i in 0..17 {
        let below = i as f32 / 16.0;
        for k in 0..4 {
            let (above, under) = ((a[k] + b[k]) / 2.0, (c[k] + d[k]) / 2.0);
            want.push((above * (1.0 - below) + under * below) / 255.0);
        }
    }
    let got: Vec<f32> = y.to_vec()?.iter().flat_map(|v| [v.x, v.y, v.z, v.w]).collect();
    close("blended", &got, &want, 1.0 / 256.0)
}

#[kernel]
fn gathered(image: Texture2<U8x4>, y: &mut [[u32; 4]]) {
    let i = global_idx_x();
    if i + 3 < y.len() && i % 4 == 0 {
        let (x, row) = ((i / 4 % 4) as f32 + 1.0, (i / 16) as f32 + 1.0);
        y[i] = image.gather_r(x, row);
        y[i + 1] = image.gather_g(x, row);
        y[i + 2] = image.gather_b(x, row);
        y[i + 3] = image.gather_a(x, row);
    }
}

fn gathers(on: &Engine) -> Check {
    let device = device(on)?;
    let (rows, columns) = (4, 5);
    let pixel = |i: u8| U8x4::new(i, i + 50, i + 100, i + 150);
    let pixels: Vec<U8x4> = (0..20).map(pixel).collect();
    let image = device.texture_2d(&pixels, (rows, columns), Sampler::POINT)?;
    let mut y = device.zeros::<[u32; 4]>(48)?;
    gathered::launch(device, LaunchConfig::cover(48), &image, &mut y)?;
    let mut want = Vec::new();
    for i in 0..12_usize {
        let (x, row) = (i % 4, i / 4);
        let at = |row: usize, x: usize| (row * columns + x) as u32;
        let texels = [at(row + 1, x), at(row + 1, x + 1), at(row, x + 1), at(row, x)];
        want.extend((0..4_u32).map(|channel| texels.map(|texel| texel + 50 * channel)));
    }
    check("gathered", &y.to_vec()?, &want)
}

#[kernel]
fn layered(rows: LayeredTexture1<i16>, images: LayeredTexture2<f32>, y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        let (x, layer) = ((i % 4) as f32, i / 4);
        let row = rows.sample(layer, x + 0.5) as f32;
        let size =
            rows.width() * 1000 + images.height() * 100 + images.layers() * 10 + rows.layers();
        y[i] = row + images.sample(layer, x + 0.5, 1.0) + size as f32;
    }
}

/// Reads of each layer, and of layers that do not exist.
fn layers(on: &Engine) -> Check {
    let device = device(on)?;
    let numbers: Vec<i16> = (0..12).map(|i| i * 100 - 300).collect();
    let rows = device.layered_texture_1d(&numbers, (3, 4), Sampler::POINT)?;
    let texels: Vec<f32> = (0..24).map(|i| (i * 7 % 32) as f32).collect();
    let images = device.layered_texture_2d(&texels, (3, 2, 4), Sampler::LINEAR)?;
    let mut y = device.zeros::<f32>(24)?;
    layered::launch(device, LaunchConfig::cover(24), &rows, &images, &mut y)?;
    let want = |i: usize| {
        let (x, layer) = (i % 4, (i / 4).min(2));
        let image = (texels[layer * 8 + x] + texels[layer * 8 + 4 + x]) / 2.0;
        f32::from(numbers[layer * 4 + x]) + image + 4233.0
    };
    same("layers", &y.to_vec()?, &(0..24).map(want).collect::<Vec<_>>())
}

/// Textures of values that a kernel has written, from a whole buffer and from a part.
fn copies_of_buffers(on: &Engine) -> Check {
    let device = device(on)?;
    let texels = numbers(6, 9);
    let buffer = device.upload_2d(&texels, (6, 9))?;
    let coords: Vec<F32x2> =
        (0..20).map(|i| F32x2::new((i % 5) as f32 + 0.5, (i / 5) as f32 + 0.5)).collect();
    let x = device.upload(&coords)?;
    let mut y = device.zeros::<f32>(20)?;
    let whole = device.texture_of::<f32>(&buffer, Sampler::POINT)?;
    sampled::launch(device, LaunchConfig::cover(20), &whole, &x, &mut y)?;
    let want: Vec<f32> = (0..20).map(|i| texels[i / 5 * 9 + i % 5]).collect();
    same("whole", &y.to_vec()?, &want)?;

    let part = buffer.rectangle(2.., 3..)?;
    let part = device.texture_of::<f32>(&part, Sampler::POINT)?;
    drop(buffer);
    sampled::launch(device, LaunchConfig::cover(20), &part, &x, &mut y)?;
    let want: Vec<f32> = (0..20).map(|i| texels[(i / 5 + 2) * 9 + i % 5 + 3]).collect();
    same("part", &y.to_vec()?, &want)
}

/// Sums texels along a diagonal.
#[device]
fn diagonal(image: Texture2<f32>, from: usize, len: usize) -> f32 {
    let mut sum = 0.0;
    for k in from..from + len {
        sum += image.sample(k as f32 + 0.5, k as f32 + 0.5);
    }
    sum
}

#[kernel]
fn divergent(a: Texture2<f32>, b: Texture2<f32>, y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = if i % 3 == 0 { diagonal(a, i % 4, i % 5) } else { diagonal(b, i % 2, i % 7) };
    }
}

fn divergent_reads(on: &Engine) -> Check {
    let device = device(on)?;
    let (a, b) = (numbers(8, 8), numbers(10, 10));
    let image_a = device.texture_2d(&a, (8, 8), Sampler::POINT)?;
    let image_b = device.texture_2d(&b, (10, 10), Sampler::POINT)?;
    let mut y = device.zeros::<f32>(100)?;
    divergent::launch(device, LaunchConfig::cover(100).block(64), &image_a, &image_b, &mut y)?;
    let diagonal = |texels: &[f32], n: usize, from: usize, len: usize| {
        (from..from + len).map(|k| texels[k * n + k]).sum::<f32>() + 0.0
    };
    let want = |i: usize| match i % 3 {
        0 => diagonal(&a, 8, i % 4, i % 5),
        _ => diagonal(&b, 10, i % 2, i % 7),
    };
    same("divergent", &y.to_vec()?, &(0..100).map(want).collect::<Vec<_>>())
}

fn refused_textures(on: &Engine) -> Check {
    let device = device(on)?;
    let text = |error: warpwise::Error| error.to_string();
    let linear = device.texture_1d::<u8>(&[1, 2], Sampler::LINEAR).map(drop).map_err(text);
    let wrapped = Sampler::POINT.address(AddressMode::Wrap);
    let wrapped = device.texture_1d::<f32>(&[1.0], wrapped).map(drop).map_err(text);
    let empty = device.texture_2d::<f32>(&[], (0, 4), Sampler::POINT).map(drop).map_err(text);
    let large = device.texture_2d::<u8>(&[], (1 << 40, 1 << 40), Sampler::POINT);
    let large = large.map(drop).map_err(text);
    let short = device.texture_2d::<u8>(&[1; 5], (2, 3), Sampler::POINT).map(drop).map_err(text);
    let refused = |text: &str| Err(format!("there is no such texture: {text}"));
    check(
        "refusals",
        &[linear, wrapped, empty, large],
        &[
            refused(
                "a linear filter reads floats, and its texels are integers: read them as `Normalized`",
            ),
            refused("`Wrap` and `Mirror` need normalized coordinates"),
            refused("its extent along y is 0, and must be 1 to 32768 with 2 dimensions"),
            refused(
                "its extent along x is 1099511627776, and must be 1 to 32768 with 2 dimensions",
            ),
        ],
    )?;
    check("a short slice", &[short.is_err()], &[true])
}
