//! Transposition and norms of rows beside plain Rust.
use warpwise::prelude::*;
use warpwise_algorithms::{Error, Result, layer_norm, softmax, transpose};

/// Rows and columns: whole tiles, parts of them, and single lines.
const SHAPES: [(usize, usize); 5] = [(64, 128), (1, 1), (65, 130), (3, 700), (300, 2)];

fn number(i: usize) -> f32 {
    (i * 37 % 101) as f32 / 16.0 - 3.0
}

#[test]
fn every_element_is_transposed() -> Result<()> {
    let device = Device::auto()?;
    for (rows, columns) in SHAPES {
        let x: Vec<u16> = (0..rows * columns).map(|i| i as u16).collect();
        let mut out = device.zeros_2d::<u16>((columns, rows))?;
        transpose(&device, &device.upload_2d(&x, (rows, columns))?, &mut out)?;
        let expected = (0..rows * columns).map(|i| x[i % rows * columns + i / rows]);
        assert!(out.to_vec()?.into_iter().eq(expected), "{rows} by {columns}");
    }
    Ok(())
}

#[test]
fn a_part_of_a_matrix_is_transposed_into_another() -> Result<()> {
    let device = Device::auto()?;
    let x: Vec<i32> = (0..100 * 90).collect();
    let x = device.upload_2d(&x, (100, 90))?;
    let mut out = device.zeros_2d::<i32>((90, 200))?;
    let part = x.rectangle(10..90, 5..75)?;
    transpose(&device, &part, &mut out.rectangle_mut(20..90, 7..87)?)?;
    let out = out.to_vec()?;
    for (row, column) in [(20, 7), (21, 7), (89, 86), (50, 30)] {
        assert_eq!(out[row * 200 + column], ((column - 7 + 10) * 90 + row - 20 + 5) as i32);
    }
    assert_eq!((out[19 * 200 + 7], out[20 * 200 + 6], out[20 * 200 + 87]), (0, 0, 0));
    Ok(())
}

#[test]
fn rows_are_normalized() -> Result<()> {
    let device = Device::auto()?;
    for (rows, columns) in SHAPES {
        let x: Vec<f32> = (0..rows * columns).map(number).collect();
        let on_device = device.upload_2d(&x, (rows, columns))?;
        let mut out = device.zeros_2d::<f32>((rows, columns))?;
        softmax(&device, &on_device, &mut out)?;
        let softmax_of_row = |row: &[f32]| {
            let exps: Vec<f64> = row.iter().map(|x| f64::from(*x).exp()).collect();
            let sum: f64 = exps.iter().sum();
            exps.into_iter().map(move |exp| exp / sum).collect::<Vec<_>>()
        };
        compare(&out.to_vec()?, x.chunks_exact(columns).flat_map(softmax_of_row));

        let gamma: Vec<f32> = (0..columns).map(|i| number(i + 3)).collect();
        let beta: Vec<f32> = (0..columns).map(|i| number(i + 50)).collect();
        let (on_gamma, on_beta) = (device.upload(&gamma)?, device.upload(&beta)?);
        layer_norm(&device, &on_device, &on_gamma, &on_beta, 0.5, &mut out)?;
        let norm_of_row = |row: &[f32]| {
            let n = row.len() as f64;
            let mean = row.iter().copied().map(f64::from).sum::<f64>() / n;
            let variance = row.iter().map(|x| (f64::from(*x) - mean).powi(2)).sum::<f64>() / n;
            let scaled = row.iter().zip(gamma.iter().zip(&beta)).map(|(x, (gamma, beta))| {
                let value = (f64::from(*x) - mean) / (variance + 0.5).sqrt();
                value * f64::from(*gamma) + f64::from(*beta)
            });
            scaled.collect::<Vec<_>>()
        };
        compare(&out.to_vec()?, x.chunks_exact(columns).flat_map(norm_of_row));
    }
    Ok(())
}

fn compare(found: &[f32], expected: impl Iterator<Item = f64>) {
    for (found, expected) in found.iter().zip(expected) {
        assert!((f64::from(*found) - expected).abs() < 2e-5, "{found} for {expected}");
    }
}

#[test]
fn softmax_of_masked_and_large_numbers_is_finite() -> Result<()> {
    let device = Device::auto()?;
    // Of each thread, the first number is negative infinity.
    let mut x = vec![f32::NEG_INFINITY; 600];
    (x[300], x[599]) = (3e38, 3e38);
    let mut out = device.zeros_2d::<f32>((1, 600))?;
    softmax(&device, &device.upload_2d(&x, (1, 600))?, &mut out)?;
    let out = out.to_vec()?;
    assert_eq!((out[0], out[300], out[599]), (0.0, 0.5, 0.5));
    assert_eq!(out.iter().sum::<f32>(), 1.0);
    Ok(())
}

#[test]
fn halves_are_normalized_in_f32() -> Result<()> {
    let device = Device::auto()?;
    let x: Vec<f16> = (0..512).map(|i| f16::from_f32(number(i))).collect();
    let mut out = device.zeros_2d::<f16>((1, 512))?;
    softmax(&device, &device.upload_2d(&x, (1, 512))?, &mut out)?;
    let sum: f32 = out.to_vec()?.iter().map(|x| x.to_f32()).sum();
    assert!((sum - 1.0).abs() < 1e-3);
    Ok(())
}

#[test]
fn matrices_of_other_shapes_are_an_error() -> Result<()> {
    let device = Device::auto()?;
    let x = device.zeros_2d::<f32>((2, 3))?;
    let mut out = device.zeros_2d::<f32>((2, 3))?;
    let error = transpose(&device, &x, &mut out).unwrap_err();
    let message = "`out` has 2 rows and 3 columns, and 3 rows and 2 columns are needed";
    assert_eq!(error.to_string(), message);
    let (gamma, beta) = (device.zeros(3)?, device.zeros(2)?);
    let result = layer_norm(&device, &x, &gamma, &beta, 0.0, &mut out);
    assert!(matches!(result, Err(Error::Length { argument: "beta", expected: 3, found: 2 })));
    Ok(())
}
