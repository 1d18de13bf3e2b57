//! Kernels that get their functions from the module around them.
use super::*;
use warpwise::{U32x2, kernel};

#[kernel]
pub(crate) fn conversions(x: &[f32], y: &mut [f32]) {
    y[0] = double(x[0]) + float(x[0]);
}

#[kernel]
pub(crate) fn fields_of_calls(x: &[U32x2], y: &mut [u32]) {
    y[0] = global_id(x[0]).x + gid().y;
    y[1] = atomic_max(y[0], 7) + warp::size();
    barrier::wait();
    grid_sync();
    y[2] = Barrier::new(1).count;
}
