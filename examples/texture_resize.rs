//! A photo in another size, by bilinear interpolation, and its edges, by a convolution. Both read a
//! texture: hardware filters it, and answers for coordinates outside of the image.
use warpwise::{AddressMode, F32x4, Normalized, RowsMut, Sampler, Texture2, U8x4, prelude::*};
use warpwise_examples::{report, time, verify};

/// Scales an image of bytes, whose channels are read as 0 to 1, to the size of `out`.
#[kernel(block = (32, 8))]
fn resize(image: Texture2<Normalized<U8x4>>, mut out: RowsMut<F32x4>) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if row < out.rows() && column < out.columns() {
        let x = (column as f32 + 0.5) / out.columns() as f32;
        let y = (row as f32 + 0.5) / out.rows() as f32;
        out[(row, column)] = image.sample(x, y);
    }
}

/// Convolves an image with a filter of 3 by 3: eight times each pixel less its neighbours.
#[kernel(block = (32, 8))]
fn find_edges(image: Texture2<f32>, mut out: RowsMut<f32>) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if row < out.rows() && column < out.columns() {
        let mut sum = 0.0;
        for dy in 0..3 {
            for dx in 0..3 {
                let weight = if dx == 1 && dy == 1 { 8.0 } else { -1.0 };
                // The centers of the texels around this one; outside they are those at the border.
                sum += weight * image.sample((column + dx) as f32 - 0.5, (row + dy) as f32 - 0.5);
            }
        }
        out[(row, column)] = sum;
    }
}

/// The weighted sums of the four pixels around each point, with the weights that hardware has:
/// multiples of 1/256.
fn resized(pixels: &[U8x4], from: [usize; 2], to: [usize; 2]) -> Vec<F32x4> {
    let place = |index: usize, dim: usize| {
        let at = (index as f64 + 0.5) / to[dim] as f64 * from[dim] as f64 - 0.5;
        let steps = (at * 256.0).round() as i64;
        let inside = |texel: i64| texel.clamp(0, from[dim] as i64 - 1) as usize;
        let (first, weight) = (steps >> 8, (steps & 255) as f64 / 256.0);
        [(inside(first), 1.0 - weight), (inside(first + 1), weight)]
    };
    let pixel = |row: usize, column: usize| {
        let mut sum = [0.0; 4];
        for (y, wy) in place(row, 0) {
            for (x, wx) in place(column, 1) {
                let U8x4 { x: r, y: g, z: b, w: a } = pixels[y * from[1] + x];
                for (sum, channel) in sum.iter_mut().zip([r, g, b, a]) {
                    *sum += wx * wy * f64::from(channel) / 255.0;
                }
            }
        }
        let [r, g, b, a] = sum.map(|sum| sum as f32);
        F32x4::new(r, g, b, a)
    };
    (0..to[0])
        .flat_map(|row| (0..to[1]).map(move |column| (row, column)))
        .map(|(row, column)| pixel(row, column))
        .collect()
}

/// The same convolution.
fn edges(image: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    let at = |row: i64, column: i64| {
        let (row, column) = (row.clamp(0, rows as i64 - 1), column.clamp(0, columns as i64 - 1));
        image[row as usize * columns + column as usize]
    };
    let mut out = Vec::with_capacity(image.len());
    for row in 0..rows as i64 {
        for column in 0..columns as i64 {
            let mut sum = 0.0f32;
            for dy in -1..=1 {
                for dx in -1..=1 {
                    let weight = if dx == 0 && dy == 0 { 8.0f32 } else { -1.0 };
                    sum = weight.mul_add(at(row + dy, column + dx), sum);
                }
            }
            out.push(sum);
        }
    }
    out
}

fn main() -> warpwise::Result<()> {
    let (rows, columns) = (120, 160);
    let byte = |i: usize, step: usize| ((i * step + i / 7) % 256) as u8;
    let pixels: Vec<U8x4> =
        (0..rows * columns).map(|i| U8x4::new(byte(i, 3), byte(i, 5), byte(i, 11), 255)).collect();

    let device = Device::auto()?;
    let sampler = Sampler::LINEAR.normalized().address(AddressMode::Clamp);
    let image = device.texture_2d(&pixels, (rows, columns), sampler)?;
    let (height, width) = (256, 384);
    let mut out = device.zeros_2d::<F32x4>((height, width))?;
    let config = LaunchConfig::cover((width, height));
    let took = time(&device, || resize::launch(&device, config, &image, &mut out))?;

    // Hardware rounds its sums in another place than the host.
    let expected = resized(&pixels, [rows, columns], [height, width]);
    let found = out.to_vec()?;
    let differences = found.iter().zip(&expected).map(|(a, b)| {
        let d = *a - *b;
        d.x.abs().max(d.y.abs()).max(d.z.abs()).max(d.w.abs())
    });
    let worst = differences.fold(0.0, f32::max);
    assert!(worst <= 1.0 / 256.0, "a channel differs by {worst}");
    report(
        "texture_resize",
        format_args!("{columns} x {rows} to {width} x {height}"),
        &device,
        took,
    );

    let grey: Vec<f32> = pixels.iter().map(|pixel| f32::from(pixel.x)).collect();
    let image = device.texture_2d(&grey, (rows, columns), Sampler::POINT)?;
    let mut out = device.zeros_2d::<f32>((rows, columns))?;
    let config = LaunchConfig::cover((columns, rows));
    let took = time(&device, || find_edges::launch(&device, config, &image, &mut out))?;
    verify(&out.to_vec()?, edges(&grey, rows, columns));
    report("texture_resize", format_args!("edges of {columns} x {rows}"), &device, took);
    Ok(())
}
