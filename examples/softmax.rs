//! Softmax of each row: `exp(x) / sum(exp(x))`, with the row's maximum subtracted first, so that
//! nothing overflows. A block for each row, whose threads reduce together.
use warpwise::prelude::*;
use warpwise_examples::{report, time, verify_close};

#[kernel(block = 256)]
fn softmax(columns: usize, x: &mut [f32]) {
    let row = block_idx_x() * columns;
    let mut largest = f32::NEG_INFINITY;
    for column in (thread_idx_x()..columns).step_by(256) {
        largest = largest.max(x[row + column]);
    }
    largest = block::reduce_max(largest);

    let mut sum = 0.0;
    for column in (thread_idx_x()..columns).step_by(256) {
        let value = (x[row + column] - largest).exp();
        x[row + column] = value;
        sum += value;
    }
    let by = 1.0 / block::reduce_add(sum);

    for column in (thread_idx_x()..columns).step_by(256) {
        x[row + column] *= by;
    }
}

/// The same in `f64`.
fn reference(row: &[f32]) -> Vec<f64> {
    let exps: Vec<f64> = row.iter().map(|x| f64::from(*x).exp()).collect();
    let sum: f64 = exps.iter().sum();
    exps.into_iter().map(|exp| exp / sum).collect()
}

fn main() -> warpwise::Result<()> {
    let (rows, columns) = (1000, 1000);
    let host: Vec<f32> =
        (0..rows * columns).map(|i: usize| (i * 7919 % 1009) as f32 / 50.0 - 10.0).collect();

    let device = Device::auto()?;
    let mut x = device.upload(&host)?;
    let config = LaunchConfig::grid(rows);
    let took = time(&device, || softmax::launch(&device, config, columns, &mut x))?;

    // The difference to the maximum, at most 20.2, is off by half a unit in the last place, 2^-20,
    // and so is each exponential by as many parts of itself. Those of the sum are no further off,
    // and all else, with 11 additions, a division and `exp` itself, by 20 * 2^-24 at most.
    let tolerance = (2.0 + 20.0 / 16.0) * 2f64.powi(-20);
    let expected = host.chunks_exact(columns).flat_map(reference);
    verify_close(&x.to_vec()?, expected, |value| value * tolerance);
    report("softmax", format_args!("{rows} x {columns}"), &device, took);
    Ok(())
}
