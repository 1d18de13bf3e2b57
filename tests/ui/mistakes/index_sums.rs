//! The index of a thread in the grid, and indices of several dimensions.
#![allow(unused)]
use warpwise::prelude::*;

mod global_index {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let i = blockIdx.x * blockDim.x + threadIdx.x;
        if i < y.len() {
            y[i] = 1.0;
        }
    }
}

mod thread_first {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32], first: usize) {
        let i = (threadIdx.x + blockIdx.x * blockDim.x) as usize + first;
        y[i] = 1.0;
    }
}

mod numba_index {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let i = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y;
        y[i] = 1.0;
    }
}

mod sum_of_fields {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let i = block_idx.x * block_dim.x + thread_idx.x;
        y[i] = 1.0;
    }
}

mod stride {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let stride = gridDim.x * blockDim.x;
        y[stride] = 1.0;
    }
}

mod pair_as_index {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let (row, col) = (global_idx_y(), global_idx_x());
        y[(row, col)] = 1.0;
    }
}

mod pair_in_array_of_rows {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let tile = shared!([[f32; 8]; 8]);
        tile[(thread_idx_y(), thread_idx_x())] = 1.0;
        sync_threads();
        y[0] = tile[0][0];
    }
}

mod two_subscripts {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let tile = shared!([f32; 256]);
        tile[thread_idx_y()][thread_idx_x()] = 1.0;
        sync_threads();
        y[0] = tile[0];
    }
}

mod error_code {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        if y.len() < 4 {
            return -1;
        }
        y[0] = 1.0;
    }
}

fn main() {}
