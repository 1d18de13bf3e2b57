//! Names of CUDA C++: functions and variables.
#![allow(unused)]
use warpwise::{F32x4, prelude::*};

#[kernel]
fn thread_idx_field(x: &mut [f32]) {
    let i = threadIdx.x;
    x[i] = 0.0;
}

#[kernel]
fn block_idx_field(x: &mut [f32]) {
    x[blockIdx.x] = 0.0;
}

#[kernel]
fn grid_dim_field(x: &mut [u32]) {
    x[0] = gridDim.x;
}

#[kernel]
fn warp_size(x: &mut [usize]) {
    x[0] = global_idx_x() / warpSize;
}

#[kernel]
fn syncthreads_dunder(x: &mut [f32]) {
    __syncthreads();
    x[0] = 1.0;
}

#[kernel]
fn syncwarp_dunder(x: &mut [f32]) {
    __syncwarp();
    x[0] = 1.0;
}

#[kernel]
fn shfl_down_sync(x: &mut [f32]) {
    let v = __shfl_down_sync(0xffffffff, x[0], 16);
    x[0] = v;
}

#[kernel]
fn shfl_xor_sync(x: &mut [f32]) {
    let v = __shfl_xor_sync(0xffffffff, x[0], 16);
    x[0] = v;
}

#[kernel]
fn ballot_sync(x: &mut [u32]) {
    x[0] = __ballot_sync(0xffffffff, x[0] > 1);
}

#[kernel]
fn any_sync(x: &mut [u32]) {
    if __any_sync(0xffffffff, x[0] > 1) {
        x[0] = 1;
    }
}

#[kernel]
fn activemask(x: &mut [u32]) {
    x[0] = __activemask();
}

#[kernel]
fn reduce_add_sync(x: &mut [u32]) {
    x[0] = __reduce_add_sync(0xffffffff, x[0]);
}

#[kernel]
fn atomic_add_fn(x: &mut [u32]) {
    atomicAdd(&mut x[0], 1);
}

#[kernel]
fn atomic_cas_fn(x: &mut [u32]) {
    atomicCAS(&mut x[0], 0, 1);
}

#[kernel]
fn atomic_max_fn(x: &mut [u32]) {
    atomicMax(&x[0], 1);
}

#[kernel]
fn atomic_exch_fn(x: &mut [u32]) {
    atomicExch(&mut x[0], 1);
}

#[kernel]
fn ldg_fn(x: &[f32], y: &mut [f32]) {
    y[0] = __ldg(&x[0]);
}

#[kernel]
fn threadfence(x: &mut [u32]) {
    x[0] = 1;
    __threadfence();
}

#[kernel]
fn sqrtf_fn(x: &mut [f32]) {
    x[0] = sqrtf(x[0]);
}

#[kernel]
fn fmaxf_fn(x: &mut [f32]) {
    x[0] = fmaxf(x[0], 0.0);
}

#[kernel]
fn expf_fast(x: &mut [f32]) {
    x[0] = __expf(x[0]);
}

#[kernel]
fn rsqrtf_fn(x: &mut [f32]) {
    x[0] = rsqrtf(x[0]);
}

#[kernel]
fn fmaf_fn(x: &mut [f32]) {
    x[0] = fmaf(x[0], 2.0, 1.0);
}

#[kernel]
fn powf_fn(x: &mut [f32]) {
    x[0] = powf(x[0], 2.0);
}

#[kernel]
fn popc_fn(x: &mut [u32]) {
    x[0] = __popc(x[0]);
}

#[kernel]
fn clz_fn(x: &mut [i32]) {
    x[0] = __clz(x[0]);
}

#[kernel]
fn ffs_fn(x: &mut [i32]) {
    x[0] = __ffs(x[0]);
}

#[kernel]
fn float_as_int(x: &mut [f32], y: &mut [i32]) {
    y[0] = __float_as_int(x[0]);
}

#[kernel]
fn min_fn(x: &mut [u32]) {
    x[0] = min(x[0], 3);
}

#[kernel]
fn abs_fn(x: &mut [f32]) {
    x[0] = abs(x[0]);
}

#[kernel]
fn make_float4_fn(x: &mut [F32x4]) {
    x[0] = make_float4(1.0, 1.0, 1.0, 1.0);
}

#[kernel]
fn printf_fn(x: &mut [f32]) {
    printf("%f", x[0]);
}

#[kernel]
fn clock_fn(x: &mut [u64]) {
    x[0] = clock64();
}

#[kernel]
fn this_thread_block(x: &mut [f32]) {
    let block = cg::this_thread_block();
    block.sync();
    x[0] = 1.0;
}

#[kernel]
fn nanosleep_fn(x: &mut [f32]) {
    __nanosleep(100);
    x[0] = 1.0;
}

#[kernel]
fn shared_keyword(x: &mut [f32]) {
    let tile = __shared__([f32; 32]);
    x[0] = tile[0];
}

#[kernel]
fn memcpy_async_fn(x: &[f32], y: &mut [f32]) {
    memcpy_async(y, x, 4);
}

mod tex2d_fn {
    use warpwise::prelude::*;

    use warpwise::Texture2;
    #[kernel]
    fn k(t: Texture2<f32>, y: &mut [f32]) {
        y[0] = tex2D(t, 0.0, 0.0);
    }
}

mod tex2d_lod_fn {
    use warpwise::prelude::*;

    use warpwise::Texture2;
    #[kernel]
    fn k(t: Texture2<f32>, y: &mut [f32]) {
        y[0] = tex2DLod(t, 0.0, 0.0, 1.0);
    }
}

mod tex2d_grad_fn {
    use warpwise::prelude::*;

    use warpwise::Texture2;
    #[kernel]
    fn k(t: Texture2<f32>, y: &mut [f32]) {
        y[0] = tex2DGrad(t, 0.0, 0.0, 1.0, 1.0);
    }
}

#[kernel]
fn umulhi_fn(x: &mut [u32]) {
    x[0] = __umulhi(x[0], 3);
}

#[kernel]
fn curand_fn(x: &mut [f32]) {
    x[0] = curand_uniform();
}

#[kernel]
fn assert_trap(x: &mut [f32]) {
    __trap();
}

#[kernel]
fn fdividef(x: &mut [f32]) {
    x[0] = __fdividef(x[0], 3.0);
}

#[kernel]
fn saturatef(x: &mut [f32]) {
    x[0] = __saturatef(x[0]);
}

fn main() {}
