//! Checks that may end a warp for which others would wait forever.
use warpwise::prelude::*;

#[kernel(block = 64)]
fn unproved(x: &[u32], y: &mut [u32]) {
    let tile = shared!([u32; 32]);
    let lane = warp::lane_id();
    if warp::warp_id() == 0 {
        tile[lane] = x[lane];
        named_barrier::arrive::<1, 64>();
    } else {
        assert!(x.len() > 3);
        named_barrier::sync::<1, 64>();
        // No barrier follows.
        y[lane] = tile[lane];
    }
}

fn main() {}
