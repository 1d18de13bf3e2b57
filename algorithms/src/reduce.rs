//! Reductions of all elements to one.
use crate::{
    error::Result,
    operator::{Operator, combine, identity, launch_with_operator},
};
use warpwise::{Slice, prelude::*};

/// Elements that a block takes from each tile.
#[device]
const TILE: usize = 4096;
/// Blocks of a grid. The number does not depend on the GPU, so the sums of floats do not, either.
const MAX_BLOCKS: usize = 1024;

/// Reduces the elements of every `grid_dim_x()`th tile to one of each block.
#[kernel(block = 256)]
fn reduce_tiles<T: Num, const OPERATOR: u32>(x: &[T], out: &mut [T]) {
    let t = thread_idx_x();
    let mut all = [identity::<T, OPERATOR>(); 4];
    let tiles = x.len() / TILE;
    for tile in (block_idx_x()..tiles).step_by(grid_dim_x()) {
        for row in 0..4 {
            let first = tile * TILE + row * 1024 + t * 4;
            for k in 0..4 {
                all[k] = combine::<T, OPERATOR>(all[k], x[first + k]);
            }
        }
    }
    let rest = tiles * TILE + global_idx_x();
    for i in (rest..x.len()).step_by(grid_dim_x() * 256) {
        all[0] = combine::<T, OPERATOR>(all[0], x[i]);
    }
    let left = combine::<T, OPERATOR>(all[0], all[1]);
    let right = combine::<T, OPERATOR>(all[2], all[3]);
    let own = combine::<T, OPERATOR>(left, right);
    let all = block::reduce(own, |a, b| combine::<T, OPERATOR>(a, b));
    if t == 0 {
        out[block_idx_x()] = all;
    }
}

/// Combines all elements of `x`, and the [identity](Operator) of none, on the device of the launch.
///
/// Floats are added in an order that depends on the number of elements only: every device, the
/// interpreter included, gets the same bits.
///
/// # Errors
/// Those of launches and copies.
///
/// ```
/// use warpwise::prelude::*;
/// use warpwise_algorithms::{Operator, reduce};
///
/// let device = Device::cpu();
/// let x = device.upload(&[3, 9, 4])?;
/// assert_eq!(reduce(&device, Operator::Sum, &x)?, 16);
/// assert_eq!(reduce(&device, Operator::Max, &x)?, 9);
/// # Ok::<(), warpwise_algorithms::Error>(())
/// ```
pub fn reduce<T: Num>(device: &Device, operator: Operator, x: &Slice<T>) -> Result<T> {
    let mut out = device.zeros::<T>(1)?;
    reduce_into(device, operator, x, &mut out)?;
    Ok(out.to_vec()?[0])
}

/// Writes the result of [`reduce`] to the first element of `out`, without waiting for it.
///
/// ```
/// use warpwise::prelude::*;
/// use warpwise_algorithms::{Operator, reduce_into};
///
/// #[kernel]
/// fn divide(x: &mut [f32], divisor: &[f32; 1]) {
///     let i = global_idx_x();
///     if i < x.len() {
///         x[i] /= divisor[0];
///     }
/// }
///
/// // The largest element never leaves the device.
/// let device = Device::cpu();
/// let mut x = device.upload(&[1.0f32, 4.0, 2.0])?;
/// let mut most = device.zeros::<f32>(1)?;
/// reduce_into(&device, Operator::Max, &x, &mut most)?;
/// divide::launch(&device, LaunchConfig::cover(3), &mut x, &most.into_structs()?)?;
/// assert_eq!(x.to_vec()?, [0.25, 1.0, 0.5]);
/// # Ok::<(), warpwise_algorithms::Error>(())
/// ```
///
/// # Errors
/// Those of launches, and a fault of the kernel if `out` is empty.
pub fn reduce_into<T: Num>(
    device: &Device,
    operator: Operator,
    x: &Slice<T>,
    out: &mut Slice<T>,
) -> Result<()> {
    let blocks = x.len().div_ceil(TILE).clamp(1, MAX_BLOCKS);
    let last = LaunchConfig::grid(1);
    if blocks == 1 {
        launch_with_operator!(operator, reduce_tiles::<T>(device, last, x, out))?;
        return Ok(());
    }
    let mut parts = device.zeros::<T>(blocks)?;
    let config = LaunchConfig::grid(blocks);
    launch_with_operator!(operator, reduce_tiles::<T>(device, config, x, &mut parts))?;
    launch_with_operator!(operator, reduce_tiles::<T>(device, last, &parts, out))?;
    Ok(())
}
