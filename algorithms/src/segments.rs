//! Reductions of segments of an array.
use crate::{
    error::{Result, require_length},
    operator::{Operator, combine, identity, launch_with_operator},
};
use warpwise::{Slice, prelude::*};

/// Reduces each segment by a warp.
#[kernel(block = 256)]
fn reduce_segments<T: Num, const OPERATOR: u32>(x: &[T], offsets: &[u32], out: &mut [T]) {
    let segment = global_idx_x() / 32;
    if segment < out.len() {
        let lane = warp::lane_id();
        let (start, end) = (offsets[segment] as usize, offsets[segment + 1] as usize);
        let mut own = identity::<T, OPERATOR>();
        for i in (start + lane..end).step_by(32) {
            own = combine::<T, OPERATOR>(own, x[i]);
        }
        let all = warp::reduce(own, |a, b| combine::<T, OPERATOR>(a, b));
        if lane == 0 {
            out[segment] = all;
        }
    }
}

/// Combines the elements of each segment: `out[i]` is the result for
/// `x[offsets[i]..offsets[i + 1]]`, without waiting for it. Of an empty segment it is the identity
/// of the operator.
///
/// A warp reduces each segment, so floats are added in an order that depends on the length of the
/// segment only.
///
/// # Errors
/// [`Error::Length`](crate::Error::Length) unless `offsets` has one element more than `out`, a
/// fault of the kernel if an offset is outside of `x`, and those of launches.
///
/// ```
/// use warpwise::prelude::*;
/// use warpwise_algorithms::{Operator, segmented_reduce};
///
/// let device = Device::cpu();
/// let x = device.upload(&[1.0f32, 2.0, 3.0, 4.0])?;
/// let offsets = device.upload(&[0, 1, 1, 4])?;
/// let mut out = device.zeros::<f32>(3)?;
/// segmented_reduce(&device, Operator::Sum, &x, &offsets, &mut out)?;
/// assert_eq!(out.to_vec()?, [1.0, 0.0, 9.0]);
/// # Ok::<(), warpwise_algorithms::Error>(())
/// ```
pub fn segmented_reduce<T: Num>(
    device: &Device,
    operator: Operator,
    x: &Slice<T>,
    offsets: &Slice<u32>,
    out: &mut Slice<T>,
) -> Result<()> {
    require_length("offsets", offsets.len(), out.len() + 1)?;
    if out.is_empty() {
        return Ok(());
    }
    let config = LaunchConfig::cover(out.len() * 32);
    launch_with_operator!(operator, reduce_segments::<T>(device, config, x, offsets, out))?;
    Ok(())
}
