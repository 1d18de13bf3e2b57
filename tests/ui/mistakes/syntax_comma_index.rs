//! An index with a comma.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel(block = (8, 8))]
fn shared_comma_index(x: &mut [f32]) {
    let tile = shared!([[f32; 8]; 8]);
    tile[thread_idx_y(), thread_idx_x()] = 1.0;
    x[0] = tile[0][0];
}

fn main() {}
