//! Solids, in a file of their own; a function has the name of one in another module.
use crate::shapes::area as base;
use warpwise::device;

/// Of a box: the volume, for which `shapes::area` is the base.
#[device]
pub fn volume(width: f32, height: f32, depth: f32) -> f32 {
    base(width, height) * depth
}

/// Of a cube: the surface.
#[device]
pub fn area(side: f32) -> f32 {
    6.0 * crate::shapes::area(side, side)
}
