//! Signed distances in the plane: a library whose functions run in kernels and on the host.
//!
//! A distance is negative inside a shape, zero on its edge and positive outside.
use warpwise::prelude::*;

/// Length of the vector `(x, y)`.
#[device]
pub fn length(x: f32, y: f32) -> f32 {
    (x * x + y * y).sqrt()
}

/// Shapes around the origin.
pub mod shape {
    use warpwise::prelude::*;

    /// Distance of `(x, y)` from a disc.
    #[device]
    pub fn disc(x: f32, y: f32, radius: f32) -> f32 {
        super::length(x, y) - radius
    }

    /// Distance of `(x, y)` from a rectangle with these half sides.
    #[device]
    pub fn rectangle(x: f32, y: f32, half_width: f32, half_height: f32) -> f32 {
        let dx = x.abs() - half_width;
        let dy = y.abs() - half_height;
        let outside = super::length(dx.max(0.0), dy.max(0.0));
        let inside = dx.max(dy).min(0.0);
        outside + inside
    }
}

/// What lies in the first shape but not in the second, given the distances from both.
#[device]
pub fn without(first: f32, second: f32) -> f32 {
    first.max(-second)
}
