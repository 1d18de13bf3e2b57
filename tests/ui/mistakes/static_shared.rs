//! Shared memory as a `static`.
#![allow(unused)]
use warpwise::prelude::*;

mod static_tile {
    use warpwise::prelude::*;

    static TILE: [f32; 64] = shared!([f32; 64]);

    #[kernel(block = 64)]
    fn reverse(y: &mut [f32]) {
        y[thread_idx_x()] = TILE[63 - thread_idx_x()];
    }
}

mod open_array {
    use warpwise::prelude::*;

    mod tables {
        pub const EVEN: [f32; 2] = [0.0, 2.0];
    }

    #[kernel(open(tables::EVEN))]
    fn run(y: &mut [f32]) {
        y[0] = tables::EVEN[1];
    }
}

fn main() {}
