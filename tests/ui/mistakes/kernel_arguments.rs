//! Arguments of `#[kernel]` in the forms of others.
#![allow(unused)]
use warpwise::prelude::*;

mod launch_bounds_arg {
    use warpwise::prelude::*;

    #[kernel(launch_bounds(256, 2))]
    fn k(y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = 1.0;
        }
    }
}

mod block_three_axes_array {
    use warpwise::prelude::*;

    #[kernel(block = [16, 16, 1])]
    fn k(y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = 1.0;
        }
    }
}

mod block_too_many_axes {
    use warpwise::prelude::*;

    #[kernel(block = (64, 64))]
    fn k(y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = 1.0;
        }
    }
}

mod block_zero {
    use warpwise::prelude::*;

    #[kernel(block = 0)]
    fn k(y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = 1.0;
        }
    }
}

mod grid_attr {
    use warpwise::prelude::*;

    #[kernel(grid = 4, block = 256)]
    fn k(y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = 1.0;
        }
    }
}

mod block_u32_const {
    use warpwise::prelude::*;

    const B: u32 = 256;
    #[kernel(block = B)]
    fn k(y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = 1.0;
        }
    }
}

fn main() {}
