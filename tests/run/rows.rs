//! Arrays of two and three dimensions: as parameters, and made of slices.
use crate::run::engine::{Check, Engine, cases, equal, fault, launch, same};
use std::sync::atomic::Ordering;
use warpwise::{Layers, LayersMut, Rows, RowsMut, prelude::*};

cases![
    transposed, rectangles, volumes, generic, atomics, structs, by_rows, made_of_slices,
    outside: FAULTS, outside_of_a_rectangle: FAULTS, outside_of_a_volume: FAULTS,
];

/// Returns the device of an engine that has one.
fn device(on: &Engine) -> Option<&Device> {
    match on {
        Engine::Host => None,
        Engine::Device { device, .. } => Some(device),
    }
}

#[kernel(deny_checks)]
fn transpose_rows(x: Rows<i32>, mut y: RowsMut<i32>) {
    let (row, column) = (global_idx_y(), global_idx_x());
    if row < y.rows() && column < y.columns() && row < x.columns() && column < x.rows() {
        y[(row, column)] = x[(column, row)];
    }
}

fn transposed(on: &Engine) -> Check {
    let values: Vec<i32> = (0..7 * 5).collect();
    let expected: Vec<i32> = (0..5 * 7).map(|i| (i % 7) * 5 + i / 7).collect();
    let mut result = vec![0; 35];
    let config = LaunchConfig::cover((7, 5));
    match device(on) {
        None => warpwise::host::for_each_thread(config, || {
            transpose_rows(Rows::new(&values, 5), RowsMut::new(&mut result, 7));
        })?,
        Some(device) => {
            let x = device.upload_2d(&values, (7, 5))?;
            let mut y = device.zeros_2d((5, 7))?;
            transpose_rows::launch(device, config, &x, &mut y)?;
            result = y.to_vec()?;
        }
    }
    same("y", &result, &expected)
}

#[kernel(deny_checks)]
fn count_up(first: u8, mut x: RowsMut<u8>) {
    let (row, column) = (global_idx_y(), global_idx_x());
    if row < x.rows() && column < x.columns() {
        x[(row, column)] = first + (row * x.columns() + column) as u8;
    }
}

/// Launches, copies and fills of rectangles leave the elements around them alone.
fn rectangles(on: &Engine) -> Check {
    let Some(device) = device(on) else { return Ok(()) };
    let mut x = device.upload_2d(&[255u8; 24], (4, 6))?;
    let config = LaunchConfig::cover((8, 8));
    count_up::launch(device, config, 10, &mut x.rectangle_mut(1..3, 2..5)?)?;
    let expected = [
        [255, 255, 255, 255, 255, 255],
        [255, 255, 10, 11, 12, 255],
        [255, 255, 13, 14, 15, 255],
        [255, 255, 255, 255, 255, 255],
    ];
    same("launched", &x.to_vec()?, expected.as_flattened())?;
    same("read", &x.rectangle(1..3, 1..3)?.to_vec()?, &[255, 10, 255, 13])?;
    x.rectangle_mut(.., ..1)?.copy_from(&[1, 2, 3, 4])?;
    x.rectangle_mut(..2, 4..)?.fill(9)?;
    let (first, mut second) = x.split_at_row_mut(2)?;
    second.rectangle_mut(.., 3..)?.copy_from_device(&first.rectangle(.., ..3)?)?;
    let expected = [
        [1, 255, 255, 255, 9, 9],
        [2, 255, 10, 11, 9, 9],
        [3, 255, 13, 1, 255, 255],
        [4, 255, 255, 2, 255, 10],
    ];
    same("copied", &x.to_vec()?, expected.as_flattened())?;
    // Elements of 12 bytes have no pitch, and are filled by several calls.
    let mut triples = device.zeros_2d::<[i32; 3]>((3, 3))?;
    triples.rectangle_mut(1.., 1..)?.fill([1, 2, 3])?;
    let (no, yes) = ([0; 3], [1, 2, 3]);
    equal("triples", &triples.to_vec()?, &[no, no, no, no, yes, yes, no, yes, yes])
}

#[kernel(deny_checks)]
fn difference(x: Layers<i16>, mut y: LayersMut<i16>) {
    let (layer, row, column) = (global_idx_z(), global_idx_y(), global_idx_x());
    if layer < y.layers() && row < y.rows() && column < y.columns() {
        let before = if layer > 0 { x.get((layer - 1, row, column)) } else { None };
        let now = x.get((layer, row, column)).copied().unwrap_or(100);
        y[(layer, row, column)] = now - before.copied().unwrap_or(0);
    }
}

fn volumes(on: &Engine) -> Check {
    let values: Vec<i16> = (0..3 * 2 * 5).map(|i| i * i).collect();
    let mut result = vec![0; 30];
    let config = LaunchConfig::cover((5, 2, 3));
    match device(on) {
        None => warpwise::host::for_each_thread(config, || {
            difference(Layers::new(&values, 2, 5), LayersMut::new(&mut result, 2, 5));
        })?,
        Some(device) => {
            let x = device.upload_3d(&values, (3, 2, 5))?;
            let mut y = device.zeros_3d((3, 2, 5))?;
            difference::launch(device, config, &x, &mut y)?;
            result = y.to_vec()?;
            same("layer", &y.layer(1)?.to_vec()?, &result[10..20])?;
        }
    }
    let before = |i: usize| if i < 10 { 0 } else { values[i - 10] };
    let expected: Vec<i16> = (0..30).map(|i| values[i] - before(i)).collect();
    same("y", &result, &expected)
}

#[kernel]
fn scale_all<T: Num>(factor: T, mut x: RowsMut<T>) {
    let (row, column) = (global_idx_y(), global_idx_x());
    if let Some(x) = x.get_mut((row, column)) {
        *x *= factor;
    }
}

fn generic(on: &Engine) -> Check {
    let Some(device) = device(on) else { return Ok(()) };
    let config = LaunchConfig::cover((4, 4));
    let mut x = device.upload_2d(&[1.5f64, 2.5, 3.5, 4.5], (2, 2))?;
    scale_all::<f64>::launch(device, config, 2.0, &mut x)?;
    same("f64", &x.to_vec()?, &[3.0, 5.0, 7.0, 9.0])?;
    let mut x = device.upload_2d(&[1u8, 2, 3], (3, 1))?;
    scale_all::<u8>::launch(device, config, 3, &mut x)?;
    same("u8", &x.to_vec()?, &[3, 6, 9])
}

#[kernel]
fn count_values(x: Rows<u32>, counts: Rows<AtomicU32>) {
    let (row, column) = (global_idx_y(), global_idx_x());
    if let Some(&value) = x.get((row, column)) {
        counts[(row, value as usize)].fetch_add(1, Ordering::Relaxed);
    }
}

fn atomics(on: &Engine) -> Check {
    let Some(device) = device(on) else { return Ok(()) };
    let x = device.upload_2d(&[0u32, 1, 1, 2, 2, 2], (2, 3))?;
    let counts = device.zeros_2d::<AtomicU32>((2, 3))?;
    count_values::launch(device, LaunchConfig::cover((3, 2)), &x, &counts)?;
    same("counts", &counts.to_vec()?, &[1, 2, 0, 0, 0, 3])
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pixel {
    red: u8,
    alpha: f32,
}

#[kernel]
fn fade(mut image: RowsMut<Pixel>) {
    let (row, column) = (global_idx_y(), global_idx_x());
    if row < image.rows() && column < image.columns() {
        image[(row, column)].alpha *= 0.5;
        image[row][column].red += 1;
    }
}

fn structs(on: &Engine) -> Check {
    let Some(device) = device(on) else { return Ok(()) };
    let pixel = |red, alpha| Pixel { red, alpha };
    let mut image = device.upload_2d(&[pixel(1, 1.0), pixel(2, 0.5)], (1, 2))?;
    fade::launch(device, LaunchConfig::cover((2, 1)), &mut image)?;
    equal("image", &image.to_vec()?, &[pixel(2, 0.5), pixel(3, 0.25)])
}

#[kernel]
fn sum_rows(x: Rows<i32>, sums: &mut [i32]) {
    let row = global_idx_x();
    if row < x.rows() && row < sums.len() {
        sums[row] = x[row].iter().sum();
    }
}

fn by_rows(on: &Engine) -> Check {
    let values: Vec<i32> = (0..4 * 33).collect();
    let expected: Vec<i32> = values.chunks(33).map(|row| row.iter().sum()).collect();
    let mut sums = vec![0; 4];
    let config = LaunchConfig::cover(4);
    match device(on) {
        None => warpwise::host::for_each_thread(config, || {
            sum_rows(Rows::new(&values, 33), &mut sums);
        })?,
        Some(device) => {
            let (x, mut result) = (device.upload_2d(&values, (4, 33))?, device.zeros(4)?);
            sum_rows::launch(device, config, &x, &mut result)?;
            sums = result.to_vec()?;
            // The same elements without a pitch.
            let x = device.upload(&values)?;
            result.fill(0)?;
            sum_rows::launch(device, config, &x.as_rows(33)?, &mut result)?;
            same("without pitch", &result.to_vec()?, &expected)?;
        }
    }
    same("sums", &sums, &expected)
}

#[kernel]
fn flip(columns: usize, x: &[i32], y: &mut [i32]) {
    let (x, mut y) = (Rows::new(x, columns), RowsMut::new(y, columns));
    let (row, column) = (global_idx_y(), global_idx_x());
    if row < x.rows() && column < x.columns() {
        y[(row, column)] = x[(x.rows() - 1 - row, column)];
    }
}

fn made_of_slices(on: &Engine) -> Check {
    // The last element does not belong to a whole row.
    let (columns, x) = (3, (0..10).collect::<Vec<i32>>());
    let mut y = vec![-1; 10];
    launch!(on, flip(value columns, read x, write y), LaunchConfig::cover((4, 4)))?;
    same("y", &y, &[6, 7, 8, 3, 4, 5, 0, 1, 2, -1])
}

#[kernel]
fn read_outside(row: usize, column: usize, x: Rows<i32>, y: &mut i32) {
    *y = x[(row, column)];
}

/// Expects the fault of a read at `(row, column)` of 2 x 3 elements, at the index in the kernel.
fn outside(on: &Engine) -> Check {
    let Some(device) = device(on) else { return Ok(()) };
    let x = device.zeros_2d::<i32>((2, 3))?;
    let mut y = device.zeros(1)?;
    for (place, message) in [
        ((2, 0), "row 2 of an array of 2 rows"),
        ((usize::MAX, 0), "row 18446744073709551615 of an array of 2 rows"),
        ((0, 3), "column 3 of an array of 3 columns"),
    ] {
        read_outside::launch(device, LaunchConfig::grid(1).block(1), place.0, place.1, &x, &mut y)?;
        let panic = fault(device.synchronize())?;
        if panic.message != message || !panic.file.ends_with("rows.rs") || panic.column != 10 {
            return Err(format!("{panic}, expected {message}").into());
        }
    }
    Ok(())
}

/// The gaps between the rows of a rectangle, and the elements around it, cannot be reached.
fn outside_of_a_rectangle(on: &Engine) -> Check {
    let Some(device) = device(on) else { return Ok(()) };
    let x = device.zeros_2d::<i32>((4, 4))?;
    let mut y = device.zeros(1)?;
    let part = x.rectangle(1..3, 1..2)?;
    for (place, message) in
        [((0, 1), "column 1 of an array of 1 columns"), ((2, 0), "row 2 of an array of 2 rows")]
    {
        let config = LaunchConfig::grid(1).block(1);
        read_outside::launch(device, config, place.0, place.1, &part, &mut y)?;
        same("message", fault(device.synchronize())?.message.as_bytes(), message.as_bytes())?;
    }
    Ok(())
}

#[kernel]
fn write_outside(layer: usize, mut x: LayersMut<u8>) {
    x[(layer, 0, 0)] = 1;
}

fn outside_of_a_volume(on: &Engine) -> Check {
    let Some(device) = device(on) else { return Ok(()) };
    let mut x = device.zeros_3d::<u8>((2, 2, 2))?;
    write_outside::launch(device, LaunchConfig::grid(1).block(1), 2, &mut x)?;
    let message = fault(device.synchronize())?.message;
    same("message", message.as_bytes(), b"layer 2 of an array of 2 layers")
}
