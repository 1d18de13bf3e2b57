//! All-pairs n-body: the acceleration of each body by all others, whose tiles a block shares.
use warpwise::{F32x4, prelude::*};

#[device]
const TILE: usize = 256;

/// Computes the accelerations of bodies, with 0 in `w`, from their positions, with the mass in `w`.
/// The number of bodies must be a multiple of 256.
#[kernel(block = 256)]
pub(crate) fn accelerations(softening: f32, bodies: &[F32x4], out: &mut [F32x4]) {
    let tile = shared!([F32x4; TILE]);
    let (i, t) = (global_idx_x(), thread_idx_x());
    let me = bodies[i];
    let (mut ax, mut ay, mut az) = (0.0, 0.0, 0.0);
    for first in (0..bodies.len()).step_by(TILE) {
        tile[t] = bodies[first + t];
        sync_threads();
        for k in 0..TILE {
            let other = tile[k];
            let (x, y, z) = (other.x - me.x, other.y - me.y, other.z - me.z);
            let inverse = 1.0 / (x * x + y * y + z * z + softening).sqrt();
            let pull = other.w * inverse * inverse * inverse;
            ax += x * pull;
            ay += y * pull;
            az += z * pull;
        }
        sync_threads();
    }
    out[i] = F32x4::new(ax, ay, az, 0.0);
}
