//! Parameters of shaders.
#![allow(unused)]
use warpwise::prelude::*;

mod storage_buffer {
    use warpwise::prelude::*;

    #[kernel]
    fn k(#[spirv(storage_buffer, descriptor_set = 0, binding = 0)] y: &mut [f32]) {
        y[0] = 1.0;
    }
}

mod uniform_number {
    use warpwise::prelude::*;

    #[kernel]
    fn k(#[spirv(uniform)] a: f32, y: &mut [f32]) {
        y[0] = a;
    }
}

mod workgroup_array {
    use warpwise::prelude::*;

    #[kernel]
    fn k(#[spirv(workgroup)] tile: &mut [f32; 64], y: &mut [f32]) {
        tile[thread_idx_x()] = 1.0;
        y[0] = tile[0];
    }
}

mod local_index_param {
    use warpwise::prelude::*;

    #[kernel]
    fn k(#[spirv(local_invocation_index)] t: u32, y: &mut [f32]) {
        y[t as usize] = 1.0;
    }
}

mod lane_param {
    use warpwise::prelude::*;

    #[kernel]
    fn k(#[spirv(subgroup_local_invocation_id)] lane: u32, y: &mut [f32]) {
        y[lane as usize] = 1.0;
    }
}

mod metal_position {
    use warpwise::prelude::*;

    #[kernel]
    fn k(#[thread_position_in_grid] i: usize, y: &mut [f32]) {
        y[i] = 1.0;
    }
}

mod fragment_position {
    use warpwise::prelude::*;

    #[kernel]
    fn k(#[spirv(frag_coord)] at: u32, y: &mut [f32]) {
        y[0] = at as f32;
    }
}

fn main() {}
