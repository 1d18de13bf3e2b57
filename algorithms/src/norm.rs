//! Softmax and layer normalization of the rows of a matrix.
use crate::error::{Result, require_length, require_shape};
use warpwise::{Rows, RowsMut, Slice, Slice2, prelude::*};

/// Divides the exponentials of each row, a block for each, by their sum.
#[kernel(block = 256)]
fn softmax_rows<T: Float>(x: Rows<T>, mut out: RowsMut<T>) {
    let (t, row) = (thread_idx_x(), block_idx_x());
    if row < x.rows() && row < out.rows() && x.columns() == out.columns() {
        let mut largest = f32::NEG_INFINITY;
        let mut sum = 0.0;
        for column in (t..x.columns()).step_by(256) {
            let value = x[(row, column)].as_f32();
            let larger = largest.max(value);
            // A thread without larger numbers has nothing to scale.
            sum = if larger == largest { sum } else { sum * (largest - larger).exp() };
            // The distance of two negative infinities is 0, not NaN.
            sum += if value == larger { 1.0 } else { (value - larger).exp() };
            largest = larger;
        }
        let all = block::reduce_max(largest);
        let scale = if largest == all { 1.0 } else { (largest - all).exp() };
        let sum = block::reduce_add(sum * scale);
        for column in (t..x.columns()).step_by(256) {
            let value = (x[(row, column)].as_f32() - all).exp() / sum;
            out[(row, column)] = T::from_f64(value as f64);
        }
    }
}

/// Writes the softmax of each row of `x` to `out`, without waiting for it:
/// `exp(x[i]) / sum(exp(x))`, computed with the largest element of the row subtracted, in `f32`.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) unless both have the same shape, and those of launches.
///
/// ```
/// use warpwise::prelude::*;
/// use warpwise_algorithms::softmax;
///
/// let device = Device::cpu();
/// let x = device.upload_2d(&[7.0f32, 7.0, 1.0, 1.0], (2, 2))?;
/// let mut out = device.zeros_2d((2, 2))?;
/// softmax(&device, &x, &mut out)?;
/// assert_eq!(out.to_vec()?, [0.5; 4]);
/// # Ok::<(), warpwise_algorithms::Error>(())
/// ```
pub fn softmax<T: Float>(device: &Device, x: &Slice2<T>, out: &mut Slice2<T>) -> Result<()> {
    require_shape("out", out, (x.rows(), x.columns()))?;
    if x.rows() > 0 && x.columns() > 0 {
        softmax_rows::launch(device, LaunchConfig::grid(x.rows()), x, out)?;
    }
    Ok(())
}

/// Normalizes each row, a block for each.
#[kernel(block = 256)]
fn layer_norm_rows<T: Float>(
    x: Rows<T>,
    gamma: &[T],
    beta: &[T],
    epsilon: f32,
    mut out: RowsMut<T>,
) {
    let (t, row, columns) = (thread_idx_x(), block_idx_x(), x.columns());
    if row < x.rows() && row < out.rows() && columns == out.columns() {
        let mut sum = 0.0;
        for column in (t..columns).step_by(256) {
            sum += x[(row, column)].as_f32();
        }
        let mean = block::reduce_add(sum) / columns as f32;
        let mut squares = 0.0;
        for column in (t..columns).step_by(256) {
            let distance = x[(row, column)].as_f32() - mean;
            squares += distance * distance;
        }
        let variance = block::reduce_add(squares) / columns as f32;
        let scale = 1.0 / (variance + epsilon).sqrt();
        for column in (t..columns).step_by(256) {
            let value = (x[(row, column)].as_f32() - mean) * scale;
            let scaled = value * gamma[column].as_f32() + beta[column].as_f32();
            out[(row, column)] = T::from_f64(scaled as f64);
        }
    }
}

/// Writes the layer normalization of each row of `x` to `out`, without waiting for it:
/// `(x[i] - mean) / sqrt(variance + epsilon) * gamma[i] + beta[i]`, computed in `f32`. The variance
/// is that of the row, divided by its length.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) unless `x` and `out` have the same shape,
/// [`Error::Length`](crate::Error::Length) unless `gamma` and `beta` have an element for each
/// column, and those of launches.
///
/// ```
/// use warpwise::prelude::*;
/// use warpwise_algorithms::layer_norm;
///
/// let device = Device::cpu();
/// let x = device.upload_2d(&[1.0f32, 3.0, -5.0, 5.0], (2, 2))?;
/// let (gamma, beta) = (device.upload(&[1.0f32, 1.0])?, device.upload(&[0.0f32, 10.0])?);
/// let mut out = device.zeros_2d((2, 2))?;
/// layer_norm(&device, &x, &gamma, &beta, 0.0, &mut out)?;
/// assert_eq!(out.to_vec()?, [-1.0, 11.0, -1.0, 11.0]);
/// # Ok::<(), warpwise_algorithms::Error>(())
/// ```
pub fn layer_norm<T: Float>(
    device: &Device,
    x: &Slice2<T>,
    gamma: &Slice<T>,
    beta: &Slice<T>,
    epsilon: f32,
    out: &mut Slice2<T>,
) -> Result<()> {
    require_shape("out", out, (x.rows(), x.columns()))?;
    require_length("gamma", gamma.len(), x.columns())?;
    require_length("beta", beta.len(), x.columns())?;
    if x.rows() > 0 && x.columns() > 0 {
        let config = LaunchConfig::grid(x.rows());
        layer_norm_rows::launch(device, config, x, gamma, beta, epsilon, out)?;
    }
    Ok(())
}
