//! Complex numbers of `num-complex`: vectors of the real and the imaginary part.
//!
//! ```
//! use num_complex::Complex32;
//! use warpwise::{F32x2, prelude::*};
//!
//! #[kernel]
//! fn square(z: &mut [F32x2]) {
//!     if let Some(z) = z.get_mut(global_idx_x()) {
//!         *z = F32x2::new(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y);
//!     }
//! }
//!
//! let device = Device::cpu();
//! let mut z = device.upload_host(&[Complex32::new(0.0, 1.0), Complex32::new(1.0, 2.0)])?;
//! square::launch(&device, LaunchConfig::cover(2), &mut z)?;
//! assert_eq!(z.to_host_vec::<Complex32>()?, [Complex32::new(-1.0, 0.0), Complex32::new(-3.0, 4.0)]);
//! # Ok::<(), warpwise::Error>(())
//! ```
use super::HostElement;
use crate::{F32x2, F64x2};
use num_complex::{Complex32, Complex64};

impl HostElement for Complex32 {
    type Element = F32x2;
}

impl HostElement for Complex64 {
    type Element = F64x2;
}
