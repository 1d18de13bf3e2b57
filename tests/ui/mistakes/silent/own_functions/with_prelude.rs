//! A kernel that gets its functions from a prelude of the user's own.
use crate::prelude::*;
use warpwise::F32x2;

#[kernel]
pub(crate) fn names_of_prelude(y: &mut [f32]) {
    let v: vec3 = vec3 { x: y[0], y: y[1] };
    let pair = F32x2::new(double(v.x), plane_sum(v.y, NAN));
    y[0] = pair.x + pair.y;
}
