//! Two-dimensional arrays and their rectangles: a picture of two panels, each blurred by a launch
//! within its own borders, and a copy of a part. No kernel computes `row * width + column`, and
//! none of their indices needs a check.
use std::time::Instant;
use warpwise::{Rows, RowsMut, prelude::*};
use warpwise_examples::{report, verify};

const HEIGHT: usize = 240;
const WIDTH: usize = 641;
const PANEL: usize = 320;

/// The mean of a pixel and those of its eight neighbours that exist.
#[device]
fn mean_around(image: &Rows<u8>, row: usize, column: usize) -> u8 {
    let (mut sum, mut count) = (0, 0);
    for y in row.saturating_sub(1)..=row + 1 {
        for x in column.saturating_sub(1)..=column + 1 {
            if let Some(&pixel) = image.get((y, x)) {
                sum += pixel as u32;
                count += 1;
            }
        }
    }
    (sum / count) as u8
}

#[kernel]
fn blur(image: Rows<u8>, mut blurred: RowsMut<u8>) {
    let (row, column) = (global_idx_y(), global_idx_x());
    if row < blurred.rows() && column < blurred.columns() {
        blurred[(row, column)] = mean_around(&image, row, column);
    }
}

fn main() -> warpwise::Result<()> {
    let device = Device::auto()?;
    let pixels: Vec<u8> =
        (0..HEIGHT * WIDTH).map(|i| (i % WIDTH * 7 + i / WIDTH * 13) as u8).collect();
    let start = Instant::now();
    let image = device.upload_2d(&pixels, (HEIGHT, WIDTH))?;
    let mut blurred = device.zeros_2d((HEIGHT, WIDTH))?;
    let mut part = device.zeros_2d((50, 100))?;

    // The column between the panels stays black.
    for columns in [0..PANEL, PANEL + 1..WIDTH] {
        let panel = image.rectangle(.., columns.clone())?;
        let mut result = blurred.rectangle_mut(.., columns)?;
        blur::launch(&device, LaunchConfig::cover((PANEL, HEIGHT)), &panel, &mut result)?;
    }
    part.copy_from_device(&image.rectangle(100..150, 200..300)?)?;
    let (blurred, part) = (blurred.to_vec()?, part.to_vec()?);
    let took = start.elapsed();

    // Kernels and device functions run on the host, too.
    let image = Rows::new(&pixels, WIDTH);
    let left: Vec<u8> = pixels.chunks(WIDTH).flat_map(|row| &row[..PANEL]).copied().collect();
    let right: Vec<u8> = pixels.chunks(WIDTH).flat_map(|row| &row[PANEL + 1..]).copied().collect();
    let (left, right) = (Rows::new(&left, PANEL), Rows::new(&right, PANEL));
    let expected = (0..HEIGHT * WIDTH).map(|i| match (i / WIDTH, i % WIDTH) {
        (_, PANEL) => 0,
        (row, column) if column < PANEL => mean_around(&left, row, column),
        (row, column) => mean_around(&right, row, column - PANEL - 1),
    });
    verify(&blurred, expected);
    verify(&part, (100..150).flat_map(|row| &image[row][200..300]).copied());
    report("image_views", format_args!("{HEIGHT} x {WIDTH} pixels"), &device, took);
    Ok(())
}
