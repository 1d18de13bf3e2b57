//! Device functions, as a crate that others depend on has them: in modules, calling each
//! other, private where nobody else needs them.
//!
//! They work in documentation too:
//!
//! ```
//! use warpwise::prelude::*;
//!
//! #[device]
//! fn doubled(x: f32) -> f32 {
//!     geometry::scale(x, 2.0)
//! }
//!
//! #[kernel]
//! fn double(x: &mut [f32]) {
//!     let i = global_idx_x();
//!     if i < x.len() {
//!         x[i] = doubled(x[i]);
//!     }
//! }
//!
//! let device = Device::cpu();
//! let mut x = device.upload(&[1.0f32, 2.0, 3.0])?;
//! double::launch(&device, LaunchConfig::cover(3), &mut x)?;
//! assert_eq!(x.to_vec()?, [2.0, 4.0, 6.0]);
//! # Ok::<(), warpwise::Error>(())
//! ```
use warpwise::prelude::*;

pub mod bodies;
pub mod meeting;
pub mod solids;
pub mod vectors;

/// The product.
#[device]
pub fn scale<T: Num>(x: T, by: T) -> T {
    x * by
}

/// A kernel that other crates launch.
#[kernel]
pub fn halve(x: &mut [f32]) {
    if let Some(x) = x.get_mut(global_idx_x()) {
        *x = scale(*x, 0.5);
    }
}

/// Functions and types of the host.
pub mod host {
    /// No device function.
    pub fn plain(x: f32) -> f32 {
        x
    }

    /// No device type.
    #[derive(Clone, Copy, Debug)]
    pub struct Plain(pub f32);

    /// No device constant.
    pub const PLAIN: f32 = 1.0;

    /// A trait of numbers for the host alone.
    pub trait Doubled {
        /// Returns it twice.
        fn doubled(self) -> Self;
    }

    impl Doubled for f32 {
        fn doubled(self) -> Self {
            self + self
        }
    }
}

/// Shapes that lie in a plane.
pub mod shapes {
    use warpwise::device;

    /// Of a rectangle.
    #[device]
    pub fn area(width: f32, height: f32) -> f32 {
        product(width, height)
    }

    /// Of a square: calls what another module defines.
    #[device]
    pub fn square(side: f32) -> f32 {
        area(super::scale(side, 1.0), side)
    }

    /// Nobody else calls this.
    #[device]
    fn product(a: f32, b: f32) -> f32 {
        a * b
    }
}

/// A kernel that other crates launch.
#[kernel]
pub fn squares(sides: &[f32], areas: &mut [f32]) {
    let i = global_idx_x();
    if i < areas.len() {
        areas[i] = shapes::square(sides[i]);
    }
}

/// A generic kernel that other crates launch.
#[kernel]
pub fn scaled<T: Num, const N: usize>(x: &mut [T], by: T) {
    let i = global_idx_x();
    if i < N {
        x[i] = scale(x[i], by);
    }
}
