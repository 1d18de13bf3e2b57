//! Surfaces: formats, shapes, chains of surfaces and textures, faults.
use crate::run::engine::{Check, Engine, cases, equal, fault, same};
use std::fmt::Debug;
use warpwise::{
    F16x2, F16x4, F32x2, F32x4, I8x2, I8x4, I16x2, I16x4, I32x2, I32x4, LayeredSurface1,
    LayeredSurface1Mut, LayeredSurface2, LayeredSurface2Mut, Normalized, Sampler, Surface1,
    Surface1Mut, Surface2, Surface2Mut, Surface3, Surface3Mut, Texture2, U8x2, U8x4, U16x2, U16x4,
    U32x2, U32x4, prelude::*,
};

cases![
    formats: SURFACES,
    normalized: SURFACES,
    one_dimension: SURFACES,
    three_dimensions: SURFACES,
    layers: SURFACES,
    largest_coordinates: SURFACES,
    filter_chain: SURFACES,
    stencil: SURFACES,
    device_functions: SURFACES,
    chosen_by_branches: SURFACES,
    across_a_barrier: SURFACES,
    across_a_grid_barrier: SURFACES,
    streams: SURFACES,
    overwritten: SURFACES,
    faults: SURFACES,
    refused_surfaces: SURFACES,
];

/// Returns the device of an engine; the host's copies of kernels have no surfaces.
fn device(on: &Engine) -> Result<&Device, Box<dyn std::error::Error>> {
    match on {
        Engine::Device { device, .. } => Ok(device),
        Engine::Host => Err("the host has no surfaces".into()),
    }
}

/// Writes the transposed surface, by one access for each texel.
macro_rules! transposes {
    ($($kernel:ident $ty:ty: $make:expr;)*) => {
        $(
            #[kernel]
            fn $kernel(a: Surface2<$ty>, mut b: Surface2Mut<$ty>) {
                let (x, y) = (global_idx_x(), global_idx_y());
                if x < b.width() && y < b.height() {
                    b.write(x, y, a.read(y, x));
                }
            }
        )*

        /// Transposes a surface of each format.
        fn formats(on: &Engine) -> Check {
            let device = device(on)?;
            let (rows, columns) = (5, 7);
            $({
                let make: fn(usize) -> $ty = $make;
                let texels: Vec<$ty> = (0..rows * columns).map(make).collect();
                let zeros = vec![make(0); rows * columns];
                let a = device.surface_2d(&texels, (rows, columns), Sampler::POINT)?;
                let mut b = device.surface_2d(&zeros, (columns, rows), Sampler::POINT)?;
                $kernel::launch(device, LaunchConfig::cover((rows, columns)), &a, &mut b)?;
                let at = |i: usize| texels[i % rows * columns + i / rows];
                let want: Vec<$ty> = (0..rows * columns).map(at).collect();
                equal(stringify!($ty), &b.to_vec()?, &want)?;
                equal("the source", &a.to_vec()?, &texels)?;
            })*
            Ok(())
        }
    };
}

transposes! {
    transpose_f32 f32: |i| i as f32 - 4.5;
    transpose_f32x2 F32x2: |i| F32x2::new(i as f32, -1.0);
    transpose_f32x4 F32x4: |i| F32x4::new(i as f32, 0.5, -(i as f32), 3.0);
    transpose_f16 f16: |i| f16::from_f32(i as f32 / 4.0);
    transpose_f16x2 F16x2: |i| F16x2::new(f16::from_f32(i as f32), f16::from_f32(0.5));
    transpose_f16x4 F16x4: |i| F16x4::splat(f16::from_f32(-(i as f32)));
    transpose_u8 u8: |i| (i * 7) as u8;
    transpose_u8x2 U8x2: |i| U8x2::new(i as u8, 250);
    transpose_u8x4 U8x4: |i| U8x4::new(i as u8, 250, 3, 255 - i as u8);
    transpose_u16 u16: |i| (i * 1871) as u16;
    transpose_u16x2 U16x2: |i| U16x2::new(i as u16, 65_000);
    transpose_u16x4 U16x4: |i| U16x4::new(i as u16, 65_000, 3, 4);
    transpose_u32 u32: |i| (i as u32).wrapping_mul(0x9e37_79b9);
    transpose_u32x2 U32x2: |i| U32x2::new(i as u32, u32::MAX);
    transpose_u32x4 U32x4: |i| U32x4::new(i as u32, u32::MAX, 2, 1);
    transpose_i8 i8: |i| (i as i8) - 17;
    transpose_i8x2 I8x2: |i| I8x2::new(-(i as i8), 127);
    transpose_i8x4 I8x4: |i| I8x4::new(-(i as i8), 127, -128, 0);
    transpose_i16 i16: |i| (i as i16) * -931;
    transpose_i16x2 I16x2: |i| I16x2::new(-(i as i16), i16::MIN);
    transpose_i16x4 I16x4: |i| I16x4::new(-(i as i16), i16::MIN, 5, 6);
    transpose_i32 i32: |i| (i as i32) * -12_345_678;
    transpose_i32x2 I32x2: |i| I32x2::new(-(i as i32), i32::MIN);
    transpose_i32x4 I32x4: |i| I32x4::new(-(i as i32), i32::MIN, 5, 6);
}

/// Inverts the texels, which a surface does not convert.
#[kernel]
fn inverted(mut image: Surface2Mut<Normalized<U8x4>>) {
    let (x, y) = (global_idx_x(), global_idx_y());
    if x < image.width() && y < image.height() {
        let texel = image.read(x, y).texel;
        image.write(x, y, Normalized { texel: U8x4::splat(255) - texel });
    }
}

#[kernel]
fn first_channel(image: Texture2<Normalized<U8x4>>, y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = image.sample((i % 2) as f32 + 0.5, (i / 2) as f32 + 0.5).x;
    }
}

fn normalized(on: &Engine) -> Check {
    let device = device(on)?;
    let texels = [0, 100, 200, 255].map(|i| U8x4::new(i, 1, 2, 3));
    let mut image = device.surface_2d::<Normalized<U8x4>>(&texels, (2, 2), Sampler::POINT)?;
    inverted::launch(device, LaunchConfig::cover((2, 2)), &mut image)?;
    equal("inverted", &image.to_vec()?, &texels.map(|texel| U8x4::splat(255) - texel))?;
    let mut y = device.zeros::<f32>(4)?;
    first_channel::launch(device, LaunchConfig::cover(4), image.as_texture(), &mut y)?;
    same("sampled", &y.to_vec()?, &[255.0, 155.0, 55.0, 0.0].map(|channel: f32| channel / 255.0))
}

#[kernel]
fn reversed(a: Surface1<i16>, mut b: Surface1Mut<i16>) {
    let x = global_idx_x();
    if x < b.width() {
        b.write(x, a.read(a.width() - 1 - x));
    }
}

fn one_dimension(on: &Engine) -> Check {
    let device = device(on)?;
    let texels: Vec<i16> = (0..1000).map(|i| i * 31 - 9000).collect();
    let a = device.surface_1d(&texels, Sampler::POINT)?;
    let mut b = device.surface_1d(&[0_i16; 1000], Sampler::POINT)?;
    reversed::launch(device, LaunchConfig::cover(1000), &a, &mut b)?;
    let want: Vec<i16> = texels.iter().rev().copied().collect();
    same("reversed", &b.to_vec()?, &want)
}

#[kernel]
fn rotated_axes(a: Surface3<F32x2>, mut b: Surface3Mut<F32x2>) {
    let (x, y, z) = (global_idx_x(), global_idx_y(), global_idx_z());
    if x < b.width() && y < b.height() && z < b.depth() {
        b.write(x, y, z, a.read(y, z, x));
    }
}

fn three_dimensions(on: &Engine) -> Check {
    let device = device(on)?;
    let (layers, rows, columns) = (3, 4, 5);
    let texels: Vec<F32x2> = (0..60).map(|i| F32x2::new(i as f32, -(i as f32))).collect();
    let a = device.surface_3d(&texels, (layers, rows, columns), Sampler::POINT)?;
    let zeros = [F32x2::splat(0.0); 60];
    let mut b = device.surface_3d(&zeros, (rows, columns, layers), Sampler::POINT)?;
    let config = LaunchConfig::cover((layers, columns, rows));
    rotated_axes::launch(device, config, &a, &mut b)?;
    let at = |i: usize| {
        let (x, y, z) = (i % layers, i / layers % columns, i / layers / columns);
        texels[(x * rows + z) * columns + y]
    };
    equal("rotated", &b.to_vec()?, &(0..60).map(at).collect::<Vec<_>>())
}

/// Moves each layer to the next one.
#[kernel]
fn shifted(
    rows: LayeredSurface1<u8>,
    mut shifted_rows: LayeredSurface1Mut<u8>,
    images: LayeredSurface2<U16x2>,
    mut shifted_images: LayeredSurface2Mut<U16x2>,
) {
    let (x, y) = (global_idx_x(), global_idx_y());
    for layer in 0..rows.layers() {
        let next = (layer + 1) % rows.layers();
        if x < rows.width() && y == 0 {
            shifted_rows.write(next, x, rows.read(layer, x));
        }
        if let Some(texel) = images.get(layer, x, y) {
            shifted_images.write(next, x, y, texel);
        }
    }
}

fn layers(on: &Engine) -> Check {
    let device = device(on)?;
    let rows: Vec<u8> = (0..15).map(|i| i * 9).collect();
    let images: Vec<U16x2> = (0..45).map(|i| U16x2::new(i, 7)).collect();
    let a = device.layered_surface_1d(&rows, (3, 5), Sampler::POINT)?;
    let mut b = device.layered_surface_1d(&[0_u8; 15], (3, 5), Sampler::POINT)?;
    let c = device.layered_surface_2d(&images, (3, 3, 5), Sampler::POINT)?;
    let zeros = [U16x2::splat(0); 45];
    let mut d = device.layered_surface_2d(&zeros, (3, 3, 5), Sampler::POINT)?;
    shifted::launch(device, LaunchConfig::cover((5, 3)), &a, &mut b, &c, &mut d)?;
    equal("rows", &b.to_vec()?, &[&rows[10..], &rows[..10]].concat())?;
    equal("images", &d.to_vec()?, &[&images[30..], &images[..30]].concat())
}

/// Marks the last texel of each surface.
#[kernel]
fn marked_last(
    mut line: Surface1Mut<F32x4>,
    mut wide: Surface2Mut<U32x4>,
    mut high: Surface2Mut<u8>,
    mut deep: Surface3Mut<u8>,
    mut tables: LayeredSurface1Mut<u8>,
    mut images: LayeredSurface2Mut<u8>,
) {
    if global_idx_x() == 0 {
        let x = line.width() - 1;
        line.write(x, line.read(x) + F32x4::new(1.0, 2.0, 3.0, 4.0));
        let x = wide.width() - 1;
        wide.write(x, 0, U32x4::new(1, 2, 3, 4));
        let y = high.height() - 1;
        high.write(0, y, high.read(0, y) + 2);
        let z = deep.depth() - 1;
        deep.write(0, 0, z, 3);
        let layer = tables.layers() - 1;
        tables.write(layer, 0, 4);
        let layer = images.layers() - 1;
        images.write(layer, 0, 1, 5);
    }
}

fn largest_coordinates(on: &Engine) -> Check {
    let device = device(on)?;
    let sampler = Sampler::POINT;
    let mut line = device.surface_1d(&vec![F32x4::splat(0.5); 32_768], sampler)?;
    let mut wide = device.surface_2d(&vec![U32x4::splat(9); 32_768], (1, 32_768), sampler)?;
    let mut high = device.surface_2d(&vec![1_u8; 32_768], (32_768, 1), sampler)?;
    let mut deep = device.surface_3d(&vec![1_u8; 16_384], (16_384, 1, 1), sampler)?;
    let mut tables = device.layered_surface_1d(&vec![1_u8; 2048], (2048, 1), sampler)?;
    let mut images = device.layered_surface_2d(&vec![1_u8; 4096], (2048, 2, 1), sampler)?;
    let config = LaunchConfig::grid(1).block(32);
    marked_last::launch(
        device,
        config,
        &mut line,
        &mut wide,
        &mut high,
        &mut deep,
        &mut tables,
        &mut images,
    )?;
    let last = F32x4::new(1.5, 2.5, 3.5, 4.5);
    only_last_differs("line", &line.to_vec()?, F32x4::splat(0.5), last)?;
    only_last_differs("wide", &wide.to_vec()?, U32x4::splat(9), U32x4::new(1, 2, 3, 4))?;
    only_last_differs("high", &high.to_vec()?, 1, 3)?;
    only_last_differs("deep", &deep.to_vec()?, 1, 3)?;
    only_last_differs("tables", &tables.to_vec()?, 1, 4)?;
    only_last_differs("images", &images.to_vec()?, 1, 5)
}

fn only_last_differs<T: Copy + PartialEq + Debug>(
    name: &str,
    got: &[T],
    others: T,
    last: T,
) -> Check {
    let mut want = vec![others; got.len()];
    want[got.len() - 1] = last;
    equal(name, got, &want)
}

#[kernel]
fn ramp(mut image: Surface2Mut<f32>, slope: f32) {
    let (x, y) = (global_idx_x(), global_idx_y());
    if x < image.width() && y < image.height() {
        image.write(x, y, slope * (x + 10 * y) as f32);
    }
}

/// Writes the mean of each 2 x 2 texels.
#[kernel]
fn halved(image: Texture2<f32>, mut small: Surface2Mut<f32>) {
    let (x, y) = (global_idx_x(), global_idx_y());
    if x < small.width() && y < small.height() {
        small.write(x, y, image.sample((2 * x + 1) as f32, (2 * y + 1) as f32));
    }
}

/// Each surface of a pyramid is written, and sampled for the next.
fn filter_chain(on: &Engine) -> Check {
    let device = device(on)?;
    let surface = |size: usize| {
        device.surface_2d::<f32>(&vec![0.0; size * size], (size, size), Sampler::LINEAR)
    };
    let mut levels = [surface(8)?, surface(4)?, surface(2)?, surface(1)?];
    ramp::launch(device, LaunchConfig::cover((8, 8)), &mut levels[0], 1.0)?;
    for level in 1..4 {
        let (above, below) = levels.split_at_mut(level);
        let size = 8 >> level;
        let config = LaunchConfig::cover((size, size));
        halved::launch(device, config, above[level - 1].as_texture(), &mut below[0])?;
    }
    same("the second level", &levels[1].to_vec()?[..4], &[5.5, 7.5, 9.5, 11.5])?;
    same("the last level", &levels[3].to_vec()?, &[38.5])?;
    // The texture of a surface that was written again has the new texels.
    ramp::launch(device, LaunchConfig::cover((8, 8)), &mut levels[0], 2.0)?;
    let [first, second, ..] = &mut levels;
    halved::launch(device, LaunchConfig::cover((4, 4)), first.as_texture(), second)?;
    same("written again", &second.to_vec()?[..4], &[11.0, 15.0, 19.0, 23.0])
}

/// Adds the existing neighbours.
#[kernel]
fn summed_neighbours(a: Surface2<u32>, mut b: Surface2Mut<u32>) {
    let (x, y) = (global_idx_x(), global_idx_y());
    if x < b.width() && y < b.height() {
        let mut sum = 0;
        for (dx, dy) in [(0, 1), (2, 1), (1, 0), (1, 2)] {
            sum += a.get((x + dx).wrapping_sub(1), (y + dy).wrapping_sub(1)).unwrap_or(1000);
        }
        b.write(x, y, sum);
    }
}

fn stencil(on: &Engine) -> Check {
    let device = device(on)?;
    let (rows, columns) = (6, 11);
    let texels: Vec<u32> = (0..66).map(|i| i * i % 89).collect();
    let a = device.surface_2d(&texels, (rows, columns), Sampler::POINT)?;
    let mut b = device.surface_2d(&[0_u32; 66], (rows, columns), Sampler::POINT)?;
    summed_neighbours::launch(device, LaunchConfig::cover((columns, rows)), &a, &mut b)?;
    let at = |x: usize, y: usize| {
        if x < columns && y < rows { texels[y * columns + x] } else { 1000 }
    };
    let sum = |i: usize| {
        let (x, y) = (i % columns, i / columns);
        let (left, above) = (x.wrapping_sub(1), y.wrapping_sub(1));
        at(left, y) + at(x + 1, y) + at(x, above) + at(x, y + 1)
    };
    same("sums", &b.to_vec()?, &(0..66).map(sum).collect::<Vec<_>>())
}

#[device]
fn add_to(image: &mut Surface2Mut<u32>, (x, y): (usize, usize), value: u32) {
    image.write(x, y, image.read(x, y) + value);
}

#[device]
fn fill_column(mut image: Surface2Mut<u32>, x: usize, value: u32) {
    for y in 0..image.height() {
        image.write(x, y, value);
        add_to(&mut image, (x, y), y as u32);
    }
}

#[kernel]
fn by_functions(mut a: Surface2Mut<u32>, b: Surface2Mut<u32>) {
    let x = global_idx_x();
    if x < a.width() {
        for round in 0..3 {
            let y = round % a.height();
            add_to(&mut a, (x, y), round as u32 + 1);
        }
        let c = b;
        fill_column(c, x, 50);
    }
}

fn device_functions(on: &Engine) -> Check {
    let device = device(on)?;
    let mut a = device.surface_2d(&[10_u32; 8], (2, 4), Sampler::POINT)?;
    let mut b = device.surface_2d(&[0_u32; 12], (3, 4), Sampler::POINT)?;
    by_functions::launch(device, LaunchConfig::cover(4), &mut a, &mut b)?;
    same("a", &a.to_vec()?, &[14, 14, 14, 14, 12, 12, 12, 12])?;
    same("b", &b.to_vec()?, &[50, 50, 50, 50, 51, 51, 51, 51, 52, 52, 52, 52])
}

#[kernel]
fn scattered(mut even: Surface1Mut<i8>, mut odd: Surface1Mut<i8>, other: Surface1<i8>) {
    let x = global_idx_x();
    if x < even.width() && x < odd.width() && x < other.width() {
        if x % 2 == 0 {
            even.write(x, -1);
        } else {
            odd.write(x, other.read(x) - even.read(x));
        }
    }
}

fn chosen_by_branches(on: &Engine) -> Check {
    let device = device(on)?;
    let mut even = device.surface_1d(&[2_i8; 6], Sampler::POINT)?;
    let mut odd = device.surface_1d(&[0_i8; 6], Sampler::POINT)?;
    let other = device.surface_1d(&[5_i8, 6, 7, 8, 9, -100], Sampler::POINT)?;
    scattered::launch(device, LaunchConfig::cover(6), &mut even, &mut odd, &other)?;
    same("even", &even.to_vec()?, &[-1, 2, -1, 2, -1, 2])?;
    same("odd", &odd.to_vec()?, &[0, 4, 0, 6, 0, -102])
}

/// Writes a row, and reads texels that the other threads of the block have written.
#[kernel(block = 64)]
fn turned_rows(mut image: Surface2Mut<u32>) {
    let (x, y) = (thread_idx_x(), block_idx_x());
    image.write(x, y, (100 * y + x) as u32);
    sync_threads();
    let other = image.read(63 - x, y);
    sync_threads();
    image.write(x, y, other);
}

fn across_a_barrier(on: &Engine) -> Check {
    let device = device(on)?;
    let mut image = device.surface_2d(&[0_u32; 256], (4, 64), Sampler::POINT)?;
    turned_rows::launch(device, LaunchConfig::grid(4), &mut image)?;
    let want: Vec<u32> = (0..256).map(|i| 100 * (i / 64) + 63 - i % 64).collect();
    same("rows", &image.to_vec()?, &want)
}

/// Reads texels that other blocks have written.
#[kernel(block = 32, cooperative)]
fn exchanged_rows(mut image: Surface2Mut<u32>) {
    let (x, y) = (thread_idx_x(), block_idx_x());
    let before = image.read(x, y);
    image.write(x, y, before + (100 * y + x) as u32);
    grid::sync();
    let other = image.read(x, (y + 1) % image.height());
    grid::sync();
    image.write(x, y, other);
}

fn across_a_grid_barrier(on: &Engine) -> Check {
    let device = device(on)?;
    let mut image = device.surface_2d(&[7_u32; 128], (4, 32), Sampler::POINT)?;
    exchanged_rows::launch(device, LaunchConfig::grid(4), &mut image)?;
    let want: Vec<u32> = (0..128).map(|i| 7 + 100 * ((i / 32 + 1) % 4) + i % 32).collect();
    same("rows", &image.to_vec()?, &want)
}

#[kernel]
fn doubled(mut image: Surface2Mut<u32>) {
    let (x, y) = (global_idx_x(), global_idx_y());
    if x < image.width() && y < image.height() {
        image.write(x, y, 2 * image.read(x, y));
    }
}

/// Launches of several streams that use one surface follow each other.
fn streams(on: &Engine) -> Check {
    let device = device(on)?;
    let stream = device.stream()?;
    let mut image = device.surface_2d(&[1_u32; 4096], (64, 64), Sampler::POINT)?;
    for _ in 0..8 {
        doubled::launch(&stream, LaunchConfig::cover((64, 64)), &mut image)?;
        doubled::launch(device, LaunchConfig::cover((64, 64)), &mut image)?;
    }
    same("doubled", &image.to_vec()?, &[65_536; 4096])
}

fn overwritten(on: &Engine) -> Check {
    let device = device(on)?;
    let mut volume = device.surface_3d::<u16>(&[0; 24], (2, 3, 4), Sampler::POINT)?;
    let texels: Vec<u16> = (0..24).collect();
    volume.copy_from(&texels)?;
    same("texels", &volume.to_vec()?, &texels)?;
    equal("a short slice", &[volume.copy_from(&texels[1..]).is_err()], &[true])?;
    equal("extents", &[(volume.extents(), volume.layers())], &[([4, 3, 2], 1)])
}

#[kernel]
fn written_at(mut image: Surface2Mut<F32x4>, x: usize, y: usize) {
    if global_idx_x() == 0 {
        image.write(x, y, F32x4::splat(1.0));
    }
}

#[kernel]
fn read_at(image: LayeredSurface2<u8>, layer: usize, out: &mut [u8]) {
    if global_idx_x() == 0 {
        out[0] = image.read(layer, 0, 0);
    }
}

/// Accesses outside a surface end the thread, and change nothing.
fn faults(on: &Engine) -> Check {
    let device = device(on)?;
    let mut image = device.surface_2d(&[F32x4::splat(0.0); 6], (2, 3), Sampler::POINT)?;
    let mut messages = Vec::new();
    for (x, y) in [(3, 0), (0, 2), (1 << 21, 0), (usize::MAX, usize::MAX)] {
        written_at::launch(device, LaunchConfig::cover(1), &mut image, x, y)?;
        messages.push(fault(device.synchronize())?.to_string());
    }
    equal("texels", &image.to_vec()?, &[F32x4::splat(0.0); 6])?;
    let images = device.layered_surface_2d(&[1_u8; 4], (4, 1, 1), Sampler::POINT)?;
    let mut out = device.zeros::<u8>(1)?;
    read_at::launch(device, LaunchConfig::cover(1), &images, 4, &mut out)?;
    messages.push(fault(device.synchronize())?.to_string());
    same("out", &out.to_vec()?, &[0])?;
    let expected = [
        "x is 3 in a surface of 3 columns",
        "y is 2 in a surface of 2 rows",
        "x is 2097152 in a surface of 3 columns",
        "x is 18446744073709551615 in a surface of 3 columns",
        "layer is 4 in a surface of 4 layers",
    ];
    for (message, expected) in messages.iter().zip(expected) {
        if !message.contains(expected) {
            return Err(format!("the fault is {message:?}, expected {expected:?}").into());
        }
    }
    Ok(())
}

fn refused_surfaces(on: &Engine) -> Check {
    let device = device(on)?;
    let text = |error: warpwise::Error| error.to_string();
    let long = device.surface_1d::<u8>(&[0; 32_769], Sampler::POINT).map(drop).map_err(text);
    let empty = device.surface_2d::<f32>(&[], (0, 4), Sampler::POINT).map(drop).map_err(text);
    let linear = device.surface_1d::<u8>(&[1, 2], Sampler::LINEAR).map(drop).map_err(text);
    let refused = |text: &str| Err(format!("there is no such texture: {text}"));
    equal(
        "refusals",
        &[long, empty, linear],
        &[
            refused(
                "its extent along x is 32769, and a surface's must be 1 to 32768 with 1 dimensions",
            ),
            refused("its extent along y is 0, and must be 1 to 32768 with 2 dimensions"),
            refused(
                "a linear filter reads floats, and its texels are integers: read them as `Normalized`",
            ),
        ],
    )?;
    let short = device.surface_2d::<u8>(&[1; 5], (2, 3), Sampler::POINT);
    equal("a short slice", &[short.is_err()], &[true])
}
