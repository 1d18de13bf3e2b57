//! Vectors and matrices of `glam`.
//!
//! ```
//! use glam::Vec3;
//! use warpwise::{F32x3, prelude::*};
//!
//! let points = [Vec3::new(1.0, 2.0, 3.0), Vec3::ONE];
//! let buffer: Buffer<F32x3> = Device::cpu().upload_host(&points)?;
//! assert_eq!(buffer.to_vec()?[1], F32x3::splat(1.0));
//! assert_eq!(buffer.to_host_vec::<Vec3>()?, points);
//! # Ok::<(), warpwise::Error>(())
//! ```
//!
//! A `Vec2`, `Vec3`, `Vec4` and the like is the vector type of its lanes, a `Quat` a vector of
//! four, and a matrix an array of its columns. `Vec3A` has padding, and `BVec3` no bytes of its
//! own: convert them.
use super::HostElement;
use crate::{F32x2, F32x3, F32x4, F64x2, F64x3, F64x4, I32x2, I32x3, I32x4, U32x2, U32x3, U32x4};
use glam::{
    DMat2, DMat3, DMat4, DQuat, DVec2, DVec3, DVec4, IVec2, IVec3, IVec4, Mat2, Mat3, Mat4, Quat,
    UVec2, UVec3, UVec4, Vec2, Vec3, Vec4,
};

macro_rules! host_elements {
    ($($host:ident $elem:ty;)*) => {$(
        impl HostElement for $host {
            type Element = $elem;
        }
    )*};
}
host_elements! {
    Vec2 F32x2;
    Vec3 F32x3;
    Vec4 F32x4;
    Quat F32x4;
    Mat2 [F32x2; 2];
    Mat3 [F32x3; 3];
    Mat4 [F32x4; 4];
    DVec2 F64x2;
    DVec3 F64x3;
    DVec4 F64x4;
    DQuat F64x4;
    DMat2 [F64x2; 2];
    DMat3 [F64x3; 3];
    DMat4 [F64x4; 4];
    IVec2 I32x2;
    IVec3 I32x3;
    IVec4 I32x4;
    UVec2 U32x2;
    UVec3 U32x3;
    UVec4 U32x4;
}
