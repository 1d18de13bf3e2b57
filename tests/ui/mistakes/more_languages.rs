//! Names of C, shaders and libraries for GPUs.
#![allow(unused)]
use warpwise::prelude::*;

mod gid_builtin_param {
    use warpwise::prelude::*;

    #[kernel]
    fn k(#[spirv(global_invocation_id)] gid: UVec3, y: &mut [f32]) {
        let i = gid.x as usize;
        if i < y.len() {
            y[i] = 1.0;
        }
    }
}

mod gid_undefined {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let i = gid.x as usize;
        if i < y.len() {
            y[i] = 1.0;
        }
    }
}

mod cuda_dot_grid {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let i = cuda.grid(1);
        if i < y.len() {
            y[i] = 1.0;
        }
    }
}

mod workgroup_barrier {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        workgroup_memory_barrier_with_group_sync();
        y[0] = 1.0;
    }
}

mod cubecl_shared_memory {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let mut s = SharedMemory::<f32>::new(32);
        y[0] = 1.0;
    }
}

mod cubecl_plane_sum {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let s = plane_sum(y[0]);
        y[0] = s;
    }
}

mod thread_idx_path {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let i = thread::thread_idx_x() as usize;
        if i < y.len() {
            y[i] = 1.0;
        }
    }
}

mod cubecl_barrier {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        sync_units();
        y[0] = 1.0;
    }
}

mod size_by_c {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = sizeof(f32) as f32;
    }
}

mod null_check {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        if y != null {
            y[0] = 1.0;
        }
    }
}

mod inf {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let mut best = INFINITY;
        y[0] = best;
    }
}

mod flt_max {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let mut best = -FLT_MAX;
        y[0] = best;
    }
}

mod m_pi {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = M_PI * 2.0;
    }
}

mod texture_type {
    use warpwise::prelude::*;

    #[kernel]
    fn k(image: Texture2D<f32>, y: &mut [f32]) {
        y[0] = image.sample(0.5, 0.5);
    }
}

mod grid_sync_no_coop {
    use warpwise::prelude::*;

    #[kernel(block = 64)]
    fn k(y: &mut [f32]) {
        y[global_idx_x()] = 1.0;
        sync_grid();
    }
}

mod this_grid {
    use warpwise::prelude::*;

    #[kernel(block = 64)]
    fn k(y: &mut [f32]) {
        let g = cooperative_groups::this_grid();
        g.sync();
        y[0] = 1.0;
    }
}

mod barrier_object {
    use warpwise::prelude::*;

    #[kernel(block = 64)]
    fn k(y: &mut [f32]) {
        let bar = Barrier::new(64);
        bar.wait();
        y[0] = 1.0;
    }
}

mod named_barrier_lib {
    use warpwise::prelude::*;

    #[kernel(block = 64)]
    fn k(y: &mut [f32]) {
        barrier::sync(1, 64);
        y[0] = 1.0;
    }
}

mod atomic_add_path {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &[f32], y: &[AtomicF32]) {
        let i = global_idx_x();
        if i < x.len() {
            atomic::add(&y[0], x[i]);
        }
    }
}

mod atomic_add_method {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &[f32], y: &[AtomicF32]) {
        let i = global_idx_x();
        if i < x.len() {
            y[0].add(x[i]);
        }
    }
}

mod pragma_unroll {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        #[unroll]
        for j in 0..4 {
            y[j] = 1.0;
        }
    }
}

mod extern_c_kernel {
    use warpwise::prelude::*;

    #[kernel]
    #[no_mangle]
    pub extern "C" fn k(y: &mut [f32]) {
        y[0] = 1.0;
    }
}

mod warp_reduce_sum {
    use warpwise::prelude::*;

    #[kernel(block = 32)]
    fn k(y: &mut [f32]) {
        let v = warp::reduce_sum(y[global_idx_x()]);
        y[global_idx_x()] = v;
    }
}

mod vector_of_ints {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [i32]) {
        let p = make_int2(1, 2);
        y[0] = p.x;
    }
}

mod ulong_types {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [unsigned]) {
        y[0] = 1;
    }
}

mod get_unchecked {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &[f32], y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            unsafe {
                *y.get_unchecked_mut(i) = *x.get_unchecked(i);
            }
        }
    }
}

mod disjoint_slice {
    use warpwise::prelude::*;

    #[kernel]
    fn k(mut y: DisjointSlice<f32>) {
        let i = global_idx_x();
        if let Some(v) = y.get_mut(i) {
            *v = 1.0;
        }
    }
}

mod shfl_xor_names {
    use warpwise::prelude::*;

    #[kernel(block = 32)]
    fn k(y: &mut [f32]) {
        let mut v = y[global_idx_x()];
        v += warp::shuffle_xor(v, 16);
        y[global_idx_x()] = v;
    }
}

mod println_debug_slice {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        println!("{:?}", y);
    }
}

mod string_format {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let s = y[0].to_string();
        y[0] = s.len() as f32;
    }
}

mod dbg {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = dbg!(y[1] * 2.0);
    }
}

mod numba_atomic {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &[AtomicF32]) {
        cuda.atomic.add(y, 0, 1.0);
    }
}

mod metal_param {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32], #[thread_position_in_grid] id: u32) {
        y[id as usize] = 1.0;
    }
}

mod uint3_param {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32], gid: uint3) {
        y[gid.x as usize] = 1.0;
    }
}

mod warp_size_fn {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let lane = thread_idx_x() % warp::size();
        y[global_idx_x()] = lane as f32;
    }
}

mod f32_fn_cast {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let i = f32(global_idx_x());
        y[0] = i;
    }
}

mod block_sum_name {
    use warpwise::prelude::*;

    #[kernel(block = 64)]
    fn k(y: &mut [f32]) {
        let v = block::reduce_sum(y[global_idx_x()]);
        y[global_idx_x()] = v;
    }
}

mod unsafe_no_mangle {
    use warpwise::prelude::*;

    #[kernel]
    #[unsafe(no_mangle)]
    pub fn k(y: &mut [f32]) {
        y[0] = 1.0;
    }
}

mod comparison_to_float {
    use warpwise::prelude::*;

    #[kernel]
    fn k(a: f32, b: f32, y: &mut [f32]) {
        y[0] = float(a < b);
    }
}

mod shared_memory_barrier {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        memoryBarrierShared();
        y[0] = 1.0;
    }
}

mod hip_grid_dim {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [u32]) {
        y[0] = hipGridDim_y as u32;
    }
}

fn main() {}
