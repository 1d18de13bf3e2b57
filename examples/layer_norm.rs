//! Layer normalization: each row gets mean 0 and variance 1, and then a scale and an offset for
//! each column. A block for each row.
use warpwise::prelude::*;
use warpwise_examples::{report, time, verify_close};

#[kernel(block = 256)]
fn layer_norm(columns: usize, epsilon: f32, scale: &[f32], offset: &[f32], x: &mut [f32]) {
    let row = block_idx_x() * columns;
    let mut sum = 0.0;
    for column in (thread_idx_x()..columns).step_by(256) {
        sum += x[row + column];
    }
    let mean = block::reduce_add(sum) / columns as f32;

    let mut squares = 0.0;
    for column in (thread_idx_x()..columns).step_by(256) {
        let away = x[row + column] - mean;
        squares += away * away;
    }
    let variance = block::reduce_add(squares) / columns as f32;
    let by = 1.0 / (variance + epsilon).sqrt();

    for column in (thread_idx_x()..columns).step_by(256) {
        let normal = (x[row + column] - mean) * by;
        x[row + column] = normal * scale[column] + offset[column];
    }
}

/// The same in `f64`.
fn reference(epsilon: f64, scale: &[f32], offset: &[f32], row: &[f32]) -> Vec<f64> {
    let row: Vec<f64> = row.iter().copied().map(f64::from).collect();
    let mean = row.iter().sum::<f64>() / row.len() as f64;
    let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / row.len() as f64;
    let by = 1.0 / (variance + epsilon).sqrt();
    row.iter()
        .zip(scale.iter().zip(offset))
        .map(|(x, (scale, offset))| (x - mean) * by * f64::from(*scale) + f64::from(*offset))
        .collect()
}

fn main() -> warpwise::Result<()> {
    let (rows, columns, epsilon) = (2048, 768, 1e-5);
    let host: Vec<f32> = (0..rows * columns).map(|i| (i * 7919 % 1009) as f32 / 100.0).collect();
    let host_scale: Vec<f32> = (0..columns).map(|i| 0.5 + (i % 8) as f32 / 8.0).collect();
    let host_offset: Vec<f32> = (0..columns).map(|i| (i % 5) as f32 / 5.0 - 0.4).collect();

    let device = Device::auto()?;
    let scale = device.upload(&host_scale)?;
    let offset = device.upload(&host_offset)?;
    let mut x = device.upload(&host)?;
    let config = LaunchConfig::grid(rows);
    let took = time(&device, || {
        layer_norm::launch(&device, config, columns, epsilon, &scale, &offset, &mut x)
    })?;

    // Values are below 10.1 and each is rounded 11 times on its way into the mean: 3 additions in a
    // thread, 5 and 3 in warps. So the mean is off by at most 11 * 2^-24 * 10.1, 7e-6, and the
    // variance, which is about 8.5, by as many parts of itself. Divided by the deviation, 2.9, and
    // times at most 1.75 deviations and a scale of 1.375, that is below 1e-5 with all roundings.
    let expected = host
        .chunks_exact(columns)
        .flat_map(|row| reference(epsilon.into(), &host_scale, &host_offset, row));
    verify_close(&x.to_vec()?, expected, |_| 1e-5);
    report("layer_norm", format_args!("{rows} x {columns}"), &device, took);
    Ok(())
}
