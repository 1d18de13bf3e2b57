//! Arithmetic of `f32` that rounds in a direction, and not to the nearest number: for bounds that
//! are certain.
//!
//! ```
//! use warpwise::prelude::*;
//!
//! /// Bounds between which the exact sum of `x` is.
//! #[kernel]
//! fn bounds(x: &[f32], out: &mut [f32]) {
//!     let (mut low, mut high) = (0.0, 0.0);
//!     for &x in x {
//!         low = directed::add_down(low, x);
//!         high = directed::add_up(high, x);
//!     }
//!     out[0] = low;
//!     out[1] = high;
//! }
//!
//! # fn main() -> warpwise::Result<()> {
//! let device = Device::auto()?;
//! let x = device.upload(&[0.1f32; 10])?;
//! let mut out = device.zeros::<f32>(2)?;
//! bounds::launch(&device, LaunchConfig::grid(1).block(1), &x, &mut out)?;
//! let (bounds, exact) = (out.to_vec()?, 10.0 * f64::from(0.1f32));
//! assert!(f64::from(bounds[0]) <= exact && exact <= f64::from(bounds[1]));
//! assert!(bounds[1] - bounds[0] < 2e-6);
//! # Ok(())
//! # }
//! ```
//!
//! Each is one instruction of a GPU, with the same bits on every device. A result too large is
//! infinite only where it is rounded away from zero. A sum that is exactly zero is -0.0 where it is
//! rounded down, unless both terms are +0.0.
use warpwise_compiler::{ir::Direction, library::directed::fma};

/// Returns `x + y`, rounded toward zero.
///
/// ```
/// use warpwise::directed;
///
/// assert!(directed::add_to_zero(1.0, 1e-10) == 1.0);
/// ```
pub fn add_to_zero(x: f32, y: f32) -> f32 {
    fma(Direction::Zero, x, 1.0, y)
}

/// Returns `x - y`, rounded toward zero.
///
/// ```
/// use warpwise::directed;
///
/// assert!(directed::sub_to_zero(1.0, 1e-10) < 1.0);
/// ```
pub fn sub_to_zero(x: f32, y: f32) -> f32 {
    fma(Direction::Zero, x, 1.0, -y)
}

/// Returns `x * y`, rounded toward zero.
///
/// ```
/// use warpwise::directed;
///
/// assert!(directed::mul_to_zero(1.0 + f32::EPSILON, 1.0 + f32::EPSILON) == 1.0 + 2.0 * f32::EPSILON);
/// ```
pub fn mul_to_zero(x: f32, y: f32) -> f32 {
    fma(Direction::Zero, x, y, -0.0)
}

/// Returns `x * y + z`, rounded once, toward zero.
///
/// ```
/// use warpwise::directed;
///
/// assert!(directed::mul_add_to_zero(1.0, 1.0, 1e-10) == 1.0);
/// ```
pub fn mul_add_to_zero(x: f32, y: f32, z: f32) -> f32 {
    fma(Direction::Zero, x, y, z)
}

/// Returns `x + y`, rounded up.
///
/// ```
/// use warpwise::directed;
///
/// assert!(directed::add_up(1.0, 1e-10) > 1.0);
/// ```
pub fn add_up(x: f32, y: f32) -> f32 {
    fma(Direction::Up, x, 1.0, y)
}

/// Returns `x - y`, rounded up.
///
/// ```
/// use warpwise::directed;
///
/// assert!(directed::sub_up(1.0, 1e-10) == 1.0);
/// ```
pub fn sub_up(x: f32, y: f32) -> f32 {
    fma(Direction::Up, x, 1.0, -y)
}

/// Returns `x * y`, rounded up.
///
/// ```
/// use warpwise::directed;
///
/// assert!(directed::mul_up(1.0 + f32::EPSILON, 1.0 + f32::EPSILON) > 1.0 + 2.0 * f32::EPSILON);
/// ```
pub fn mul_up(x: f32, y: f32) -> f32 {
    fma(Direction::Up, x, y, -0.0)
}

/// Returns `x * y + z`, rounded once, up.
///
/// ```
/// use warpwise::directed;
///
/// assert!(directed::mul_add_up(1.0, 1.0, 1e-10) > 1.0);
/// ```
pub fn mul_add_up(x: f32, y: f32, z: f32) -> f32 {
    fma(Direction::Up, x, y, z)
}

/// Returns `x + y`, rounded down.
///
/// ```
/// use warpwise::directed;
///
/// assert!(directed::add_down(1.0, 1e-10) == 1.0);
/// ```
pub fn add_down(x: f32, y: f32) -> f32 {
    fma(Direction::Down, x, 1.0, y)
}

/// Returns `x - y`, rounded down.
///
/// ```
/// use warpwise::directed;
///
/// assert!(directed::sub_down(1.0, 1e-10) < 1.0);
/// ```
pub fn sub_down(x: f32, y: f32) -> f32 {
    fma(Direction::Down, x, 1.0, -y)
}

/// Returns `x * y`, rounded down.
///
/// ```
/// use warpwise::directed;
///
/// assert!(directed::mul_down(1.0 + f32::EPSILON, 1.0 + f32::EPSILON) == 1.0 + 2.0 * f32::EPSILON);
/// ```
pub fn mul_down(x: f32, y: f32) -> f32 {
    fma(Direction::Down, x, y, 0.0)
}

/// Returns `x * y + z`, rounded once, down.
///
/// ```
/// use warpwise::directed;
///
/// assert!(directed::mul_add_down(1.0, 1.0, 1e-10) == 1.0);
/// ```
pub fn mul_add_down(x: f32, y: f32, z: f32) -> f32 {
    fma(Direction::Down, x, y, z)
}
