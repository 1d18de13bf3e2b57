//! The dictionary of CUDA C++: the names that its programmers write by habit, with the counterparts
//! in Warpwise. `docs/cuda.md` has the same, with programs. [`FOREIGN`] has the most frequent names
//! of other languages.

use std::{collections::HashMap, sync::OnceLock};

/// An entry of the dictionary.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// The names in CUDA C++; a final `*` stands for any ending.
    pub(crate) names: &'static [&'static str],
    /// The counterpart, as the text of a help.
    pub(crate) help: &'static str,
}

const fn entry(names: &'static [&'static str], help: &'static str) -> Entry {
    Entry { names, help }
}

/// Variables.
pub(crate) const VARIABLES: &[Entry] = &[
    entry(&["threadIdx"], "write `thread_idx_x()`, `thread_idx_y()` or `thread_idx_z()`"),
    entry(&["blockIdx"], "write `block_idx_x()`, `block_idx_y()` or `block_idx_z()`"),
    entry(&["blockDim"], "write `block_dim_x()`, `block_dim_y()` or `block_dim_z()`"),
    entry(&["gridDim"], "write `grid_dim_x()`, `grid_dim_y()` or `grid_dim_z()`"),
    entry(&["warpSize", "WARP_SIZE"], "write `32`; the lane of a thread is `warp::lane_id()`"),
];

/// Functions.
pub(crate) const FUNCTIONS: &[Entry] = &[
    // Shared memory, barriers and fences.
    entry(&["__shared__"], "write `let tile = shared!([f32; 256]);`"),
    entry(&["__syncthreads"], "write `sync_threads()`"),
    entry(&["__syncthreads_count"], "write `sync_threads_count(p)`"),
    entry(&["__syncthreads_and"], "write `sync_threads_and(p)`"),
    entry(&["__syncthreads_or"], "write `sync_threads_or(p)`"),
    entry(&["__syncwarp"], "write `sync_warp()`, or `warp::sync_warp_mask(mask)`"),
    entry(&["__threadfence"], "write `thread_fence()`"),
    entry(&["__threadfence_block"], "write `thread_fence_block()`"),
    entry(&["__threadfence_system"], "write `thread_fence_system()`"),
    // Warps.
    entry(
        &["__shfl_sync", "__shfl"],
        "write `warp::shfl(v, lane)`, or `warp::shfl_mask(mask, v, lane)`",
    ),
    entry(
        &["__shfl_up_sync", "__shfl_up"],
        "write `warp::shfl_up(v, 1)`, with your distance in the place of 1; its `_mask` and `_width` forms take a mask and a width",
    ),
    entry(
        &["__shfl_down_sync", "__shfl_down"],
        "write `warp::shfl_down(v, 1)`, with your distance in the place of 1; its `_mask` and `_width` forms take a mask and a width",
    ),
    entry(
        &["__shfl_xor_sync", "__shfl_xor"],
        "write `warp::shfl_xor(v, 16)`, with your mask of lanes in the place of 16; its `_mask` and `_width` forms take a mask and a width",
    ),
    entry(&["__all_sync", "__all"], "write `warp::all(p)`"),
    entry(&["__any_sync", "__any"], "write `warp::any(p)`"),
    entry(&["__ballot_sync", "__ballot"], "write `warp::ballot(p)`"),
    entry(&["__match_any_sync"], "write `warp::match_any(v)`"),
    entry(&["__match_all_sync"], "write `warp::match_all(v)`"),
    entry(&["__reduce_add_sync"], "write `warp::reduce_add(v)`"),
    entry(
        &["__reduce_*"],
        "write it as `warp::reduce_add(v)`, with `min`, `max`, `and`, `or` or `xor`",
    ),
    entry(&["__activemask"], "write `warp::active_mask()`"),
    // Atomics.
    entry(
        &["atomicAdd"],
        "take atomics, `a: &[AtomicU32]` or `&[AtomicF32]`, and write `a[i].fetch_add(v, Ordering::Relaxed)`, by `std::sync::atomic::Ordering`",
    ),
    entry(
        &["atomicSub"],
        "take atomics, `a: &[AtomicU32]`, and write `a[i].fetch_sub(v, Ordering::Relaxed)`, by `std::sync::atomic::Ordering`",
    ),
    entry(
        &["atomicMax"],
        "take atomics, `a: &[AtomicU32]`, and write `a[i].fetch_max(v, Ordering::Relaxed)`, by `std::sync::atomic::Ordering`",
    ),
    entry(
        &["atomicMin"],
        "take atomics, `a: &[AtomicU32]`, and write `a[i].fetch_min(v, Ordering::Relaxed)`, by `std::sync::atomic::Ordering`",
    ),
    entry(
        &["atomicAnd"],
        "take atomics, `a: &[AtomicU32]`, and write `a[i].fetch_and(v, Ordering::Relaxed)`, by `std::sync::atomic::Ordering`",
    ),
    entry(
        &["atomicOr"],
        "take atomics, `a: &[AtomicU32]`, and write `a[i].fetch_or(v, Ordering::Relaxed)`, by `std::sync::atomic::Ordering`",
    ),
    entry(
        &["atomicXor"],
        "take atomics, `a: &[AtomicU32]`, and write `a[i].fetch_xor(v, Ordering::Relaxed)`, by `std::sync::atomic::Ordering`",
    ),
    entry(
        &["atomicExch"],
        "take atomics, `a: &[AtomicU32]`, and write `a[i].swap(v, Ordering::Relaxed)`, by `std::sync::atomic::Ordering`",
    ),
    entry(
        &["atomicCAS"],
        "take atomics, `a: &[AtomicU32]`, and write `a[i].compare_exchange(old, new, Ordering::Relaxed, Ordering::Relaxed)`, by `std::sync::atomic::Ordering`",
    ),
    entry(
        &["atomicInc", "atomicDec"],
        "take atomics, `a: &[AtomicU32]`, and write `a[i].fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| ..)`, by `std::sync::atomic::Ordering`",
    ),
    entry(
        &["atomicAdd_block"],
        "take atomics, `a: &[AtomicU32]`, and write `a[i].block().fetch_add(v, Ordering::Relaxed)`, by `std::sync::atomic::Ordering`",
    ),
    entry(
        &["atomicAdd_system"],
        "take atomics, `a: &[AtomicU32]`, and write `a[i].system().fetch_add(v, Ordering::Relaxed)`, by `std::sync::atomic::Ordering`",
    ),
    // Loads and stores.
    entry(
        &["__ldg"],
        "read it: `x[i]`; a buffer that the kernel does not write, `x: &[f32]`, is read through the read-only cache",
    ),
    entry(&["__ldcs"], "write `cache::load_cs(&x[i])`"),
    entry(&["__ldcg"], "write `cache::load_cg(&x[i])`"),
    entry(&["__ldca"], "write `cache::load_ca(&x[i])`"),
    entry(&["__ldlu"], "write `cache::load_lu(&x[i])`"),
    entry(&["__ldcv"], "write `cache::load_cv(&x[i])`"),
    entry(&["__stcs"], "write `cache::store_cs(&mut y[i], v)`"),
    entry(&["__stcg"], "write `cache::store_cg(&mut y[i], v)`"),
    entry(&["__stwb"], "write `cache::store_wb(&mut y[i], v)`"),
    entry(&["__stwt"], "write `cache::store_wt(&mut y[i], v)`"),
    entry(&["__pipeline_memcpy_async"], "write `async_copy::copy(&mut tile[t], &x[i])`"),
    entry(&["__pipeline_commit"], "write `async_copy::commit()`"),
    entry(&["__pipeline_wait_prior"], "write `async_copy::wait::<1>()`"),
    entry(
        &["memcpy_async", "cg::memcpy_async", "cuda::memcpy_async"],
        "write `async_copy::block_copy(&mut tile[..], &x[..n])`",
    ),
    // Cooperative groups and libraries.
    entry(
        &["cg::this_thread_block", "cooperative_groups::this_thread_block", "this_thread_block"],
        "write `sync_threads()` for its `sync()`, and `thread_idx_x()` for its `thread_rank()`",
    ),
    entry(
        &["cg::this_grid", "cooperative_groups::this_grid", "this_grid"],
        "write `grid::sync()`, in a `#[kernel(cooperative)]`; `grid::thread_rank()` and `grid::size()`",
    ),
    entry(
        &["cudaGridDependencySynchronize", "cutlass::arch::wait_on_dependent_grids"],
        "write `grid::wait_for_dependencies()`, in a `#[kernel(dependent_launch)]`",
    ),
    entry(
        &["cudaTriggerProgrammaticLaunchCompletion", "cutlass::arch::launch_dependent_grids"],
        "write `grid::launch_dependents()`",
    ),
    entry(
        &["cg::this_cluster", "cooperative_groups::this_cluster"],
        "write `cluster::sync()`, in a `#[kernel(cluster = 2)]`; `cluster::block_rank()` and `cluster::size()`",
    ),
    entry(
        &["cg::tiled_partition", "cooperative_groups::tiled_partition", "tiled_partition"],
        "the functions of `warp` have forms for groups of lanes: `warp::shfl_xor_width::<8, _>(v, 1)`",
    ),
    entry(
        &["cg::coalesced_threads", "cooperative_groups::coalesced_threads"],
        "the functions of `warp` are for the lanes that reach them; `warp::elect()` elects one",
    ),
    entry(
        &["cg::wait", "cooperative_groups::wait"],
        "write `async_copy::wait_all()`, then `sync_threads()`",
    ),
    entry(&["cg::inclusive_scan"], "write `warp::inclusive_sum(v)`"),
    entry(
        &["cub::*"],
        "write `warp::reduce_add(v)`, `warp::inclusive_sum(v)`, `block::reduce_add(v)` or `block::exclusive_sum(v)`",
    ),
    entry(
        &["wmma::*", "nvcuda::*"],
        "use `warpwise::mma`: `mma::A::<f16, 16, 16>::load(a, at, k)` and its relatives",
    ),
    entry(
        &["tex1D", "tex2D", "tex3D"],
        "take `image: Texture2<f32>`, and write `image.sample(x, y)`",
    ),
    entry(&["tex1Dfetch"], "take `image: Texture1<f32>`, and write `image.sample(i as f32 + 0.5)`"),
    entry(
        &["tex1DLayered", "tex2DLayered"],
        "take `rows: LayeredTexture1<f32>`, and write `rows.sample(layer, x)`",
    ),
    entry(
        &["tex2DLod"],
        "take `image: Texture2<f32>`, and write `image.sample_level(x, y, level)`",
    ),
    entry(
        &["tex2DGrad"],
        "take `image: Texture2<f32>`, and write `image.sample_gradient(x, y, (dxdx, dydx), (dxdy, dydy))`",
    ),
    entry(&["tex2Dgather"], "take `image: Texture2<f32>`, and write `image.gather_r(x, y)`"),
    entry(
        &["surf1Dread", "surf2Dread", "surf3Dread"],
        "take `image: Surface2<f32>`, and write `image.read(x, y)`",
    ),
    entry(
        &["surf1Dwrite", "surf2Dwrite", "surf3Dwrite"],
        "take `mut image: Surface2Mut<f32>`, and write `image.write(x, y, texel)`",
    ),
    entry(
        &["surf1DLayeredread", "surf2DLayeredread"],
        "take `images: LayeredSurface2<f32>`, and write `images.read(layer, x, y)`",
    ),
    entry(
        &["surf1DLayeredwrite", "surf2DLayeredwrite"],
        "take `mut images: LayeredSurface2Mut<f32>`, and write `images.write(layer, x, y, texel)`",
    ),
    entry(
        &["curand*", "rand", "srand"],
        "there is no generator: a counter-based one is a few lines of integers, as in `examples/monte_carlo_pi.rs`",
    ),
    // The host's part.
    entry(
        &["cudaDeviceSynchronize", "cudaStreamSynchronize"],
        "write `sync_threads()`, a barrier of the block; the host waits by `device.synchronize()`",
    ),
    entry(
        &["cudaMalloc*", "cudaMemcpy*", "cudaMemset*", "cudaFree*"],
        "allocate and copy on the host, `device.zeros(n)` and `device.upload(&values)`, and pass buffers: `&[T]`, `&mut [T]`",
    ),
    entry(
        &["cudaGet*", "cudaPeek*", "cudaStream*", "cudaEvent*", "cudaDevice*", "cudaLaunch*"],
        "this is the host's part: `device.synchronize()` and launches return errors as a `Result`, and a `Stream` has the rest",
    ),
    // Output, failures, time.
    entry(
        &["malloc", "free", "alloca"],
        "a kernel cannot allocate: use an array, `[0.0; 16]`, `shared!`, or a buffer that is passed",
    ),
    entry(&["printf"], "write `println!(\"{i}: {:.2}\", x)`"),
    entry(&["__trap"], "write `panic!(\"..\")`, which ends the thread and reports its place"),
    entry(
        &["__builtin_unreachable", "__builtin_assume"],
        "write `unreachable!()`, or `assert!(p)`",
    ),
    entry(
        &["clock", "clock64", "globaltimer"],
        "measure on the host, by `device.time(..)`, or read `%clock64` by `ptx!`",
    ),
    entry(&["__nanosleep"], "write it by `ptx!`, as `nanosleep.u32`"),
    // Integers.
    entry(&["__popc", "__popcll"], "write `x.count_ones()`"),
    entry(&["__clz", "__clzll"], "write `x.leading_zeros()`"),
    entry(&["__ffs", "__ffsll"], "write `x.trailing_zeros()`, which is smaller by 1, and 32 for 0"),
    entry(&["__brev", "__brevll"], "write `x.reverse_bits()`"),
    entry(&["__byte_perm"], "write `bits::permute_bytes(x, y, selector)`, or `x.swap_bytes()`"),
    entry(
        &["__funnelshift_l", "__funnelshift_r"],
        "write `bits::funnel_shl(high, low, 8)` or `bits::funnel_shr(high, low, 8)`; `x.rotate_left(7)` for one word",
    ),
    entry(&["__umulhi", "__umul64hi"], "write `x.carrying_mul(y, 0).1`"),
    entry(&["__mul24", "__umul24"], "write `x * y`"),
    entry(&["__sad", "__usad"], "write `x.abs_diff(y) + z`"),
    entry(&["__dp4a"], "write `bits::dot_bytes(x, y, sum)` or `bits::dot_bytes_signed(x, y, sum)`"),
    entry(
        &["__dp2a_lo", "__dp2a_hi"],
        "write `bits::dot_halves_low(x, y, sum)` or `bits::dot_halves_high(x, y, sum)`",
    ),
    entry(&["min", "umin", "llmin", "ullmin"], "write `a.min(b)`"),
    entry(&["max", "umax", "llmax", "ullmax"], "write `a.max(b)`"),
    entry(&["abs", "labs", "llabs"], "write `a.abs()`"),
    // Conversions.
    entry(&["__float2int_rz", "__double2int_rz"], "write `f as i32`"),
    entry(&["__float2int_rn", "__double2int_rn"], "write `f.round_ties_even() as i32`"),
    entry(&["__float2int_rd", "__float2int_ru"], "write `f.floor() as i32` or `f.ceil() as i32`"),
    entry(
        &["__float_as_int", "__float_as_uint", "__double_as_longlong"],
        "write `f.to_bits()`, and `as i32` for a signed integer",
    ),
    entry(
        &["__int_as_float", "__uint_as_float", "__longlong_as_double"],
        "write `f32::from_bits(bits)` or `f64::from_bits(bits)`",
    ),
    entry(&["__float2half", "__float2half_rn"], "write `f16::from_f32(f)`"),
    entry(&["__half2float", "__bfloat162float"], "write `h.to_f32()`"),
    entry(&["__float2bfloat16"], "write `bf16::from_f32(f)`"),
    entry(
        &["reinterpret_cast"],
        "a buffer may hold vectors, `x: &[F32x4]`, and shared memory be viewed as vectors: `tile.as_vectors::<F32x4>()`",
    ),
    // Arithmetic.
    entry(&["__fmaf_rn", "fmaf", "fma"], "write `f.mul_add(g, h)`"),
    entry(
        &["__fadd_rn", "__fmul_rn"],
        "bind the product with `let`: a value that a `let` binds does not fuse with a sum",
    ),
    entry(
        &["__fadd_rz", "__fadd_ru", "__fadd_rd"],
        "write `directed::add_to_zero(f, g)`, also with `_up` and `_down`",
    ),
    entry(
        &["__fmul_rz", "__fmul_ru", "__fmul_rd"],
        "write `directed::mul_up(f, g)`, also with `_to_zero` and `_down`",
    ),
    entry(&["__fdiv_rn"], "write `f / g`"),
    entry(&["__fsqrt_rn"], "write `g.sqrt()`"),
    entry(&["__frcp_rn"], "write `g.recip()`"),
    entry(&["__saturatef"], "write `f.clamp(0.0, 1.0)`"),
    entry(&["__hadd", "__hmul", "__hsub"], "`f16` and `bf16` have operators: write `a + b`"),
    entry(&["__hfma"], "write `a.mul_add(b, c)`"),
    entry(&["__hadd2", "__hmul2"], "`F16x2` has operators: write `a + b`"),
    entry(&["make_float2"], "write `F32x2::new(x, y)`"),
    entry(&["make_float3"], "write `F32x3::new(x, y, z)`"),
    entry(&["make_float4"], "write `F32x4::new(x, y, z, w)`"),
    entry(&["make_double2"], "write `F64x2::new(x, y)`"),
    entry(&["make_int2"], "write `I32x2::new(x, y)`"),
    entry(&["make_int4"], "write `I32x4::new(x, y, z, w)`"),
    entry(&["make_uint2"], "write `U32x2::new(x, y)`"),
    entry(&["make_uint4"], "write `U32x4::new(x, y, z, w)`"),
    entry(
        &["isnan", "isinf", "isfinite"],
        "write `f.is_nan()`, `f.is_infinite()` or `f.is_finite()`",
    ),
    entry(&["signbit"], "write `f.is_sign_negative()`"),
    // Mathematics.
    entry(&["expf", "exp"], "write `x.exp()`"),
    entry(&["exp2f", "exp2"], "write `x.exp2()`"),
    entry(&["expm1f", "expm1"], "write `x.exp_m1()`"),
    entry(&["logf", "log"], "write `x.ln()`"),
    entry(&["log2f", "log2"], "write `x.log2()`"),
    entry(&["log10f", "log10"], "write `x.log10()`"),
    entry(&["log1pf", "log1p"], "write `x.ln_1p()`"),
    entry(&["powf", "pow"], "write `x.powf(y)`, or `x.powi(2)`"),
    entry(&["powi"], "write `x.powi(3)`"),
    entry(&["sqrtf", "sqrt"], "write `x.sqrt()`"),
    entry(&["cbrtf", "cbrt"], "write `x.cbrt()`"),
    entry(
        &["rsqrtf", "rsqrt"],
        "write `1.0 / x.sqrt()`, or `fast::rsqrt(x)`, which is approximate as CUDA's",
    ),
    entry(&["__frsqrt_rn"], "write `x.sqrt().recip()`"),
    entry(&["hypotf", "hypot"], "write `x.hypot(y)`"),
    entry(&["sinf", "sin"], "write `x.sin()`"),
    entry(&["cosf", "cos"], "write `x.cos()`"),
    entry(&["tanf", "tan"], "write `x.tan()`"),
    entry(&["sincosf", "sincos"], "write `let (s, c) = x.sin_cos();`"),
    entry(&["asinf", "asin"], "write `x.asin()`"),
    entry(&["acosf", "acos"], "write `x.acos()`"),
    entry(&["atanf", "atan"], "write `x.atan()`"),
    entry(&["atan2f", "atan2"], "write `y.atan2(x)`"),
    entry(&["sinhf", "coshf", "tanhf"], "write `x.sinh()`, `x.cosh()` or `x.tanh()`"),
    entry(&["erff", "erfcf"], "write `math::erf(x)` or `math::erfc(x)`"),
    entry(&["floorf", "floor"], "write `x.floor()`"),
    entry(&["ceilf", "ceil"], "write `x.ceil()`"),
    entry(&["truncf", "trunc"], "write `x.trunc()`"),
    entry(&["rintf", "rint"], "write `x.round_ties_even()`"),
    entry(&["roundf", "round"], "write `x.round()`"),
    entry(&["fabsf", "fabs"], "write `x.abs()`"),
    entry(&["copysignf"], "write `x.copysign(y)`"),
    entry(&["fminf", "fmin"], "write `x.min(y)`"),
    entry(&["fmaxf", "fmax"], "write `x.max(y)`"),
    entry(&["fmodf", "fmod"], "write `x % y`"),
    entry(&["modff"], "write `x.trunc()` and `x.fract()`"),
    entry(&["nextafterf"], "write `x.next_up()` or `x.next_down()`"),
    entry(&["__expf"], "write `fast::exp(x)`"),
    entry(&["__powf"], "write `fast::powf(x, y)`"),
    entry(&["__logf"], "write `fast::ln(x)`"),
    entry(&["__log2f", "__log10f"], "write `fast::log2(x)` or `fast::log10(x)`"),
    entry(
        &["__sinf", "__cosf", "__tanf"],
        "write `fast::sin(x)`, `fast::cos(x)` or `fast::tan(x)`",
    ),
    entry(&["__sincosf"], "write `let (s, c) = fast::sin_cos(x);`"),
    entry(&["__tanhf"], "write `fast::tanh(x)`"),
    entry(&["__fdividef", "fdividef"], "write `fast::div(x, y)`"),
];

/// Types.
pub(crate) const TYPES: &[Entry] = &[
    entry(&["float"], "write `f32`"),
    entry(&["double"], "write `f64`"),
    entry(
        &["int", "int32_t", "signed"],
        "write `usize` for a length or an index, and `i32` for other numbers",
    ),
    entry(
        &["uint", "unsigned", "uint32_t"],
        "write `usize` for a length or an index, and `u32` for other numbers",
    ),
    entry(&["long", "int64_t"], "write `i64`"),
    entry(&["ulong", "uint64_t"], "write `u64`"),
    entry(&["short", "int16_t"], "write `i16`"),
    entry(&["ushort", "uint16_t"], "write `u16`"),
    entry(&["int8_t"], "write `i8`"),
    entry(&["uchar", "uint8_t"], "write `u8`"),
    entry(&["size_t"], "write `usize`"),
    entry(&["half", "__half"], "write `f16`"),
    entry(&["__nv_bfloat16", "nv_bfloat16"], "write `bf16`"),
    entry(&["half2", "__half2"], "write `F16x2`"),
    entry(&["float2"], "write `F32x2`"),
    entry(&["float3"], "write `F32x3`"),
    entry(&["float4"], "write `F32x4`"),
    entry(&["double2"], "write `F64x2`"),
    entry(&["int2"], "write `I32x2`"),
    entry(&["int4"], "write `I32x4`"),
    entry(&["uint2"], "write `U32x2`"),
    entry(&["uint4"], "write `U32x4`"),
    entry(&["dim3"], "a launch takes dimensions: `LaunchConfig::cover((w, h)).block((16, 16))`"),
    entry(&["cudaTextureObject_t"], "write `Texture2<f32>`"),
    entry(&["cudaSurfaceObject_t"], "write `Surface2<f32>`, or `Surface2Mut<f32>` to write it"),
];

/// Attributes.
pub(crate) const ATTRIBUTES: &[Entry] = &[
    entry(
        &["launch_bounds", "__launch_bounds__"],
        "write `#[kernel(block = 256)]`, and `min_blocks = 4` for the second number",
    ),
    entry(
        &["__forceinline__", "forceinline", "__noinline__"],
        "leave it out: calls in kernels are inlined",
    ),
    entry(&["cluster_dims", "__cluster_dims__"], "write `#[kernel(cluster = 2)]`"),
    entry(&["global", "__global__"], "`#[kernel]` says so already"),
];

/// The names of another language or library for GPUs.
struct Foreign {
    /// The language, as messages name it.
    language: &'static str,
    /// Its functions.
    functions: &'static [Entry],
    /// Its variables and constants; the fields of its vectors are in [`foreign_index`].
    variables: &'static [Entry],
    /// Its types.
    types: &'static [Entry],
    /// Its attributes.
    attributes: &'static [Entry],
}

/// Other languages and libraries for GPUs.
const FOREIGN: &[Foreign] = &[
    Foreign {
        language: "OpenCL",
        functions: &[
            entry(
                &["get_global_id"],
                "write `global_idx_x()`, `global_idx_y()` or `global_idx_z()`",
            ),
            entry(
                &["get_local_id"],
                "write `thread_idx_x()`, `thread_idx_y()` or `thread_idx_z()`",
            ),
            entry(&["get_group_id"], "write `block_idx_x()`, `block_idx_y()` or `block_idx_z()`"),
            entry(&["get_local_size"], "write `block_dim_x()`, `block_dim_y()` or `block_dim_z()`"),
            entry(&["get_num_groups"], "write `grid_dim_x()`, `grid_dim_y()` or `grid_dim_z()`"),
            entry(&["get_global_size"], "write `grid_dim_x() * block_dim_x()`"),
            entry(&["barrier", "work_group_barrier"], "write `sync_threads()`"),
            entry(&["mem_fence"], "write `thread_fence()`"),
            entry(
                &["vload2", "vload3", "vload4"],
                "take vectors, `x: &[F32x4]`, and read one: `x[i]`",
            ),
            entry(
                &["vstore2", "vstore3", "vstore4"],
                "take vectors, `y: &mut [F32x4]`, and write one: `y[i] = v`",
            ),
            entry(&["sub_group_barrier"], "write `sync_warp()`"),
            entry(&["get_sub_group_local_id"], "write `warp::lane_id()`"),
        ],
        variables: &[],
        types: &[],
        attributes: &[],
    },
    Foreign {
        language: "C",
        functions: &[
            entry(&["sizeof"], "write `size_of::<f32>()`, with your type in the place of `f32`"),
            entry(&["memcpy", "memmove"], "write `y[..n].copy_from_slice(&x[..n])`"),
            entry(&["memset"], "write `y[..n].fill(0.0)`"),
        ],
        variables: &[
            entry(
                &["INFINITY", "CUDART_INF", "CUDART_INF_F", "HUGE_VAL", "HUGE_VALF"],
                "write `f32::INFINITY`, or `f64::INFINITY`",
            ),
            entry(&["NAN", "CUDART_NAN", "CUDART_NAN_F"], "write `f32::NAN`, or `f64::NAN`"),
            entry(&["FLT_MAX"], "write `f32::MAX`; the smallest is `f32::MIN`"),
            entry(&["FLT_MIN"], "write `f32::MIN_POSITIVE`"),
            entry(&["FLT_EPSILON"], "write `f32::EPSILON`"),
            entry(&["DBL_MAX"], "write `f64::MAX`; the smallest is `f64::MIN`"),
            entry(&["DBL_MIN"], "write `f64::MIN_POSITIVE`"),
            entry(&["DBL_EPSILON"], "write `f64::EPSILON`"),
            entry(&["INT_MAX"], "write `i32::MAX`"),
            entry(&["INT_MIN"], "write `i32::MIN`"),
            entry(&["UINT_MAX"], "write `u32::MAX`"),
            entry(&["SIZE_MAX"], "write `usize::MAX`"),
            entry(
                &["M_PI", "CUDART_PI", "CUDART_PI_F"],
                "write `std::f32::consts::PI`, or `std::f64::consts::PI`",
            ),
            entry(&["M_E"], "write `std::f32::consts::E`, or `std::f64::consts::E`"),
            entry(&["M_SQRT2"], "write `std::f32::consts::SQRT_2`, or `std::f64::consts::SQRT_2`"),
            entry(
                &["NULL", "nullptr", "null"],
                "a slice is never null: ask for `x.is_empty()`, or take an `Option` of a number",
            ),
        ],
        types: &[],
        attributes: &[],
    },
    Foreign {
        language: "CUDA C++",
        functions: &[
            // Of methods of groups that are no functions of modules here: `block::size` is one.
            entry(&["block::sync"], "write `sync_threads()`"),
            entry(&["block::num_threads"], "write `block_dim_x()`"),
            entry(
                &["block::thread_index"],
                "write `thread_idx_x()`, `thread_idx_y()` or `thread_idx_z()`",
            ),
            entry(
                &["block::group_index"],
                "write `block_idx_x()`, `block_idx_y()` or `block_idx_z()`",
            ),
            entry(&["warp::sync"], "write `sync_warp()`"),
            entry(&["warp::thread_rank"], "write `warp::lane_id()`"),
        ],
        variables: &[],
        types: &[],
        attributes: &[],
    },
    Foreign {
        language: "Python",
        functions: &[
            entry(&["range"], "write `0..n`, or `(0..n).step_by(2)`"),
            entry(&["len"], "write `x.len()`"),
            entry(&["enumerate"], "write `x.iter().enumerate()`"),
            entry(&["zip"], "write `x.iter().zip(y)`"),
            entry(&["sum"], "write `x.iter().sum::<f32>()`"),
            entry(&["np::float32", "np::float64"], "write `v as f32` or `v as f64`"),
            entry(
                &["np::int32", "np::uint32", "np::int64"],
                "write `v as i32`, `v as u32` or `v as i64`",
            ),
            entry(&["np::zeros", "np::empty"], "write `[0.0f32; 16]`"),
        ],
        variables: &[
            entry(
                &["math::pi", "np::pi"],
                "write `std::f32::consts::PI`, or `std::f64::consts::PI`",
            ),
            entry(&["math::inf", "np::inf"], "write `f32::INFINITY`, or `f64::INFINITY`"),
            entry(&["math::nan", "np::nan"], "write `f32::NAN`, or `f64::NAN`"),
        ],
        types: &[],
        attributes: &[],
    },
    Foreign {
        language: "glam",
        functions: &[],
        variables: &[],
        types: &[
            entry(&["Vec2"], "write `F32x2`"),
            entry(&["Vec3", "Vec3A"], "write `F32x3`"),
            entry(&["Vec4"], "write `F32x4`"),
            entry(&["DVec2"], "write `F64x2`"),
            entry(&["DVec3"], "write `F64x3`"),
            entry(&["DVec4"], "write `F64x4`"),
            entry(&["IVec2"], "write `I32x2`"),
            entry(&["IVec3"], "write `I32x3`"),
            entry(&["IVec4"], "write `I32x4`"),
            entry(&["UVec2"], "write `U32x2`"),
            entry(&["UVec3"], "write `U32x3`"),
            entry(&["UVec4"], "write `U32x4`"),
        ],
        attributes: &[],
    },
    Foreign {
        language: "GLSL",
        functions: &[
            entry(
                &["memoryBarrier", "memoryBarrierBuffer", "groupMemoryBarrier"],
                "write `thread_fence()`, or `thread_fence_block()`",
            ),
            entry(&["memoryBarrierShared"], "write `thread_fence_block()`"),
            entry(
                &["texture2D", "textureSample"],
                "take `image: Texture2<f32>`, and write `image.sample(x, y)`",
            ),
            entry(&["subgroupBarrier"], "write `sync_warp()`"),
            entry(&["subgroupAdd"], "write `warp::reduce_add(v)`"),
            entry(&["subgroupMax"], "write `warp::reduce_max(v)`"),
            entry(&["subgroupMin"], "write `warp::reduce_min(v)`"),
            entry(&["subgroupInclusiveAdd"], "write `warp::inclusive_sum(v)`"),
            entry(&["subgroupExclusiveAdd"], "write `warp::exclusive_sum(v)`"),
            entry(&["subgroupElect"], "write `warp::elect()`"),
            entry(&["subgroupBallot"], "write `warp::ballot(p)`"),
            entry(&["subgroupShuffle", "subgroupBroadcast"], "write `warp::shfl(v, lane)`"),
            entry(&["subgroupShuffleXor"], "write `warp::shfl_xor(v, 16)`"),
            entry(&["subgroupShuffleDown"], "write `warp::shfl_down(v, 1)`"),
            entry(&["subgroupShuffleUp"], "write `warp::shfl_up(v, 1)`"),
        ],
        variables: &[
            entry(
                &["gl_SubgroupInvocationID", "subgroup_invocation_id"],
                "write `warp::lane_id()`",
            ),
            entry(&["gl_LocalInvocationIndex", "local_invocation_index"], "write `thread_idx_x()`"),
        ],
        types: &[
            entry(&["vec2"], "write `F32x2`"),
            entry(&["vec3"], "write `F32x3`"),
            entry(&["vec4"], "write `F32x4`"),
            entry(&["ivec2"], "write `I32x2`"),
            entry(&["ivec3"], "write `I32x3`"),
            entry(&["ivec4"], "write `I32x4`"),
            entry(&["uvec2"], "write `U32x2`"),
            entry(&["uvec3"], "write `U32x3`"),
            entry(&["uvec4"], "write `U32x4`"),
            entry(&["sampler2D"], "write `Texture2<f32>`"),
            entry(&["sampler3D"], "write `Texture3<f32>`"),
        ],
        attributes: &[],
    },
    Foreign {
        language: "HLSL",
        functions: &[
            entry(
                &["GroupMemoryBarrierWithGroupSync", "AllMemoryBarrierWithGroupSync"],
                "write `sync_threads()`",
            ),
            entry(&["WaveActiveSum"], "write `warp::reduce_add(v)`"),
            entry(&["WaveActiveMax"], "write `warp::reduce_max(v)`"),
            entry(&["WaveActiveMin"], "write `warp::reduce_min(v)`"),
            entry(&["WavePrefixSum"], "write `warp::exclusive_sum(v)`"),
            entry(&["WaveGetLaneIndex"], "write `warp::lane_id()`"),
            entry(&["WaveReadLaneAt", "WaveReadLaneFirst"], "write `warp::shfl(v, lane)`"),
        ],
        variables: &[],
        types: &[
            entry(&["int3"], "write `I32x3`"),
            entry(&["uint3"], "write `U32x3`"),
            entry(&["Texture1D"], "write `Texture1<f32>`"),
            entry(&["Texture2D", "Texture2d"], "write `Texture2<f32>`"),
            entry(&["Texture3D", "Texture3d"], "write `Texture3<f32>`"),
            entry(&["Texture2DArray"], "write `LayeredTexture2<f32>`"),
        ],
        attributes: &[],
    },
    Foreign {
        language: "Metal",
        functions: &[
            entry(&["threadgroup_barrier"], "write `sync_threads()`"),
            entry(&["simdgroup_barrier"], "write `sync_warp()`"),
            entry(&["simd_sum"], "write `warp::reduce_add(v)`"),
            entry(&["simd_max"], "write `warp::reduce_max(v)`"),
            entry(&["simd_min"], "write `warp::reduce_min(v)`"),
            entry(&["simd_shuffle_xor"], "write `warp::shfl_xor(v, 16)`"),
            entry(&["simd_shuffle_down"], "write `warp::shfl_down(v, 1)`"),
        ],
        variables: &[
            entry(&["thread_position_in_grid"], "write `global_idx_x()`"),
            entry(&["thread_position_in_threadgroup"], "write `thread_idx_x()`"),
            entry(&["threadgroup_position_in_grid"], "write `block_idx_x()`"),
            entry(&["threads_per_threadgroup"], "write `block_dim_x()`"),
            entry(&["threads_per_grid"], "write `grid_dim_x() * block_dim_x()`"),
            entry(&["thread_index_in_simdgroup"], "write `warp::lane_id()`"),
        ],
        types: &[],
        attributes: &[],
    },
    Foreign {
        language: "HIP",
        functions: &[],
        variables: &[
            entry(&["hipThreadIdx_x"], "write `thread_idx_x()`"),
            entry(&["hipThreadIdx_y"], "write `thread_idx_y()`"),
            entry(&["hipThreadIdx_z"], "write `thread_idx_z()`"),
            entry(&["hipBlockIdx_x"], "write `block_idx_x()`"),
            entry(&["hipBlockIdx_y"], "write `block_idx_y()`"),
            entry(&["hipBlockIdx_z"], "write `block_idx_z()`"),
            entry(&["hipBlockDim_x"], "write `block_dim_x()`"),
            entry(&["hipBlockDim_y"], "write `block_dim_y()`"),
            entry(&["hipBlockDim_z"], "write `block_dim_z()`"),
            entry(&["hipGridDim_x"], "write `grid_dim_x()`"),
            entry(&["hipGridDim_y"], "write `grid_dim_y()`"),
            entry(&["hipGridDim_z"], "write `grid_dim_z()`"),
        ],
        types: &[],
        attributes: &[],
    },
    Foreign {
        language: "rust-gpu",
        functions: &[
            entry(
                &[
                    "workgroup_memory_barrier_with_group_sync",
                    "device_memory_barrier_with_group_sync",
                    "all_memory_barrier_with_group_sync",
                    "control_barrier",
                ],
                "write `sync_threads()`",
            ),
            entry(&["workgroup_memory_barrier"], "write `thread_fence_block()`"),
            entry(&["device_memory_barrier", "all_memory_barrier"], "write `thread_fence()`"),
            entry(&["subgroup_i_add", "subgroup_f_add"], "write `warp::reduce_add(v)`"),
            entry(&["subgroup_elect"], "write `warp::elect()`"),
        ],
        variables: &[],
        types: &[],
        attributes: &[entry(
            &["spirv(compute)"],
            "write `#[kernel(block = 64)]` with your number of threads",
        )],
    },
    Foreign {
        language: "WGSL",
        functions: &[
            entry(&["workgroupBarrier"], "write `sync_threads()`"),
            entry(&["storageBarrier"], "write `thread_fence()`"),
        ],
        variables: &[],
        types: &[
            entry(&["texture_2d"], "write `Texture2<f32>`"),
            entry(&["texture_storage_2d"], "write `Surface2<f32>`"),
        ],
        attributes: &[entry(
            &["workgroup_size", "numthreads"],
            "write `#[kernel(block = 64)]` with your number of threads",
        )],
    },
    Foreign {
        language: "Numba",
        functions: &[
            entry(&["cuda::grid"], "write `global_idx_x()`, `global_idx_y()` or `global_idx_z()`"),
            entry(&["cuda::gridsize"], "write `grid_dim_x() * block_dim_x()`"),
            entry(&["cuda::syncthreads"], "write `sync_threads()`"),
            entry(&["cuda::syncwarp"], "write `sync_warp()`"),
            entry(&["cuda::threadfence"], "write `thread_fence()`"),
            entry(&["cuda::shared::array"], "write `shared!([f32; 256])`"),
            entry(&["cuda::local::array"], "write `[0.0f32; 16]`"),
            entry(
                &["cuda::atomic::add"],
                "take atomics, `a: &[AtomicF32]`, and write `a[i].fetch_add(v, Ordering::Relaxed)`",
            ),
            entry(&["cuda::shfl_sync"], "write `warp::shfl(v, lane)`"),
            entry(&["cuda::shfl_down_sync"], "write `warp::shfl_down(v, 1)`"),
            entry(&["cuda::shfl_up_sync"], "write `warp::shfl_up(v, 1)`"),
            entry(&["cuda::shfl_xor_sync"], "write `warp::shfl_xor(v, 16)`"),
            entry(&["cuda::ballot_sync"], "write `warp::ballot(p)`"),
            entry(&["cuda::all_sync"], "write `warp::all(p)`"),
            entry(&["cuda::any_sync"], "write `warp::any(p)`"),
            entry(&["cuda::popc"], "write `x.count_ones()`"),
            entry(&["cuda::clz"], "write `x.leading_zeros()`"),
            entry(&["cuda::fma"], "write `f.mul_add(g, h)`"),
        ],
        variables: &[
            entry(&["cuda::laneid"], "write `warp::lane_id()`"),
            entry(&["cuda::warpsize"], "write `32`"),
        ],
        types: &[],
        attributes: &[],
    },
    Foreign {
        language: "Triton",
        functions: &[
            entry(&["tl::program_id"], "write `block_idx_x()`: a kernel is the code of one thread"),
            entry(&["tl::num_programs"], "write `grid_dim_x()`"),
            entry(&["tl::arange"], "write `thread_idx_x()`: a kernel is the code of one thread"),
            entry(&["tl::load"], "read an element: `x[i]`"),
            entry(&["tl::store"], "write an element: `y[i] = v`"),
        ],
        variables: &[],
        types: &[],
        attributes: &[],
    },
    Foreign {
        language: "Rust-CUDA",
        functions: &[
            entry(&["thread::index_1d", "thread::index"], "write `global_idx_x()`"),
            entry(
                &["thread::index_2d", "thread::index_3d"],
                "write `global_idx_x()`, `global_idx_y()` and `global_idx_z()`",
            ),
            entry(&["thread::thread_idx_x", "_thread_idx_x"], "write `thread_idx_x()`"),
            entry(&["thread::thread_idx_y", "_thread_idx_y"], "write `thread_idx_y()`"),
            entry(&["thread::thread_idx_z", "_thread_idx_z"], "write `thread_idx_z()`"),
            entry(
                &["thread::thread_idx"],
                "write `thread_idx_x()`, `thread_idx_y()` or `thread_idx_z()`",
            ),
            entry(&["thread::block_idx_x", "_block_idx_x"], "write `block_idx_x()`"),
            entry(&["thread::block_idx_y", "_block_idx_y"], "write `block_idx_y()`"),
            entry(&["thread::block_idx_z", "_block_idx_z"], "write `block_idx_z()`"),
            entry(
                &["thread::block_idx"],
                "write `block_idx_x()`, `block_idx_y()` or `block_idx_z()`",
            ),
            entry(&["thread::block_dim_x", "_block_dim_x"], "write `block_dim_x()`"),
            entry(&["thread::block_dim_y", "_block_dim_y"], "write `block_dim_y()`"),
            entry(&["thread::block_dim_z", "_block_dim_z"], "write `block_dim_z()`"),
            entry(
                &["thread::block_dim"],
                "write `block_dim_x()`, `block_dim_y()` or `block_dim_z()`",
            ),
            entry(&["thread::grid_dim_x", "_grid_dim_x"], "write `grid_dim_x()`"),
            entry(&["thread::grid_dim_y", "_grid_dim_y"], "write `grid_dim_y()`"),
            entry(&["thread::grid_dim_z", "_grid_dim_z"], "write `grid_dim_z()`"),
            entry(&["thread::grid_dim"], "write `grid_dim_x()`, `grid_dim_y()` or `grid_dim_z()`"),
            entry(&["thread::sync_threads", "_syncthreads"], "write `sync_threads()`"),
            entry(&["warp::sync_warp"], "write `sync_warp()`, or `warp::sync_warp_mask(mask)`"),
            entry(&["warp::warp_shuffle_down"], "write `warp::shfl_down(v, 1)`"),
            entry(&["warp::warp_shuffle_xor"], "write `warp::shfl_xor(v, 16)`"),
        ],
        variables: &[],
        types: &[],
        attributes: &[],
    },
    Foreign {
        language: "CubeCL",
        functions: &[
            entry(&["sync_units", "sync_cube"], "write `sync_threads()`"),
            entry(&["sync_plane"], "write `sync_warp()`"),
            entry(&["sync_storage"], "write `thread_fence()`"),
            entry(&["plane_sum"], "write `warp::reduce_add(v)`"),
            entry(&["plane_max"], "write `warp::reduce_max(v)`"),
            entry(&["plane_min"], "write `warp::reduce_min(v)`"),
            entry(&["plane_inclusive_sum"], "write `warp::inclusive_sum(v)`"),
            entry(&["plane_exclusive_sum"], "write `warp::exclusive_sum(v)`"),
            entry(&["plane_elect"], "write `warp::elect()`"),
            entry(&["plane_ballot"], "write `warp::ballot(p)`"),
            entry(&["plane_all"], "write `warp::all(p)`"),
            entry(&["plane_any"], "write `warp::any(p)`"),
            entry(&["plane_broadcast", "plane_shuffle"], "write `warp::shfl(v, lane)`"),
            entry(&["plane_shuffle_xor"], "write `warp::shfl_xor(v, 16)`"),
            entry(&["plane_shuffle_down"], "write `warp::shfl_down(v, 1)`"),
            entry(&["plane_shuffle_up"], "write `warp::shfl_up(v, 1)`"),
            entry(&["SharedMemory::new"], "write `shared!([f32; 256])`"),
            entry(&["Array::new"], "write `[0.0f32; 16]`"),
            entry(&["terminate"], "write `return;`"),
            entry(&["comptime"], "write the value as it is, or take it as a const parameter"),
        ],
        variables: &[
            entry(&["ABSOLUTE_POS", "ABSOLUTE_POS_X"], "write `global_idx_x()`"),
            entry(&["ABSOLUTE_POS_Y"], "write `global_idx_y()`"),
            entry(&["ABSOLUTE_POS_Z"], "write `global_idx_z()`"),
            entry(&["UNIT_POS", "UNIT_POS_X"], "write `thread_idx_x()`"),
            entry(&["UNIT_POS_Y"], "write `thread_idx_y()`"),
            entry(&["UNIT_POS_Z"], "write `thread_idx_z()`"),
            entry(&["CUBE_POS", "CUBE_POS_X"], "write `block_idx_x()`"),
            entry(&["CUBE_POS_Y"], "write `block_idx_y()`"),
            entry(&["CUBE_POS_Z"], "write `block_idx_z()`"),
            entry(&["CUBE_DIM", "CUBE_DIM_X"], "write `block_dim_x()`"),
            entry(&["CUBE_DIM_Y"], "write `block_dim_y()`"),
            entry(&["CUBE_DIM_Z"], "write `block_dim_z()`"),
            entry(&["CUBE_COUNT", "CUBE_COUNT_X"], "write `grid_dim_x()`"),
            entry(&["CUBE_COUNT_Y"], "write `grid_dim_y()`"),
            entry(&["CUBE_COUNT_Z"], "write `grid_dim_z()`"),
            entry(&["UNIT_POS_PLANE"], "write `warp::lane_id()`"),
            entry(&["PLANE_DIM"], "write `32`"),
        ],
        types: &[entry(&["Line"], "write `F32x4`, or another vector of numbers")],
        attributes: &[
            entry(
                &["unroll"],
                "leave it out: loops with constant bounds are unrolled where that is faster",
            ),
            entry(
                &["comptime"],
                "take it as a const parameter, `fn k<const N: usize>(..)`, or as any other parameter",
            ),
        ],
    },
];

/// The kind of a foreign name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ForeignKind {
    /// A function.
    Function,
    /// A variable or a constant.
    Variable,
    /// A type.
    Type,
    /// An attribute.
    Attribute,
}

/// Returns the language and the help for a name of another language or library.
pub(crate) fn find_foreign(kind: ForeignKind, name: &str) -> Option<(&'static str, &'static str)> {
    type Names = HashMap<&'static str, (&'static str, &'static str)>;
    // Every name of a kernel is looked up, and macros are built without optimization.
    static NAMES: OnceLock<[Names; 4]> = OnceLock::new();
    let names = NAMES.get_or_init(|| {
        let of_kind = |entries: fn(&Foreign) -> &'static [Entry]| {
            let entry = |foreign: &'static Foreign| {
                let named = entries(foreign).iter().flat_map(|entry| {
                    entry.names.iter().map(|name| (*name, (foreign.language, entry.help)))
                });
                named.collect::<Vec<_>>()
            };
            FOREIGN.iter().flat_map(entry).collect()
        };
        [
            of_kind(|foreign| foreign.functions),
            of_kind(|foreign| foreign.variables),
            of_kind(|foreign| foreign.types),
            of_kind(|foreign| foreign.attributes),
        ]
    });
    names[kind as usize].get(name).copied().or_else(|| find_in_python(kind, name))
}

/// Returns the language and the help for a name in a module of Python: those of `math` and NumPy are
/// C's, and Triton's are about the elements of all threads of a block.
fn find_in_python(kind: ForeignKind, name: &str) -> Option<(&'static str, &'static str)> {
    let (module, name) = name.split_once("::")?;
    match (kind, module) {
        (ForeignKind::Function, "math" | "np") => Some(("Python", find(FUNCTIONS, name)?)),
        (ForeignKind::Function | ForeignKind::Variable, "tl") => Some((
            "Triton",
            "a kernel is the code of one thread: it reads and writes elements, `y[i] = f(x[i])`, and \
             `block::reduce_add(v)`, `warp::reduce_add(v)` and `warpwise::mma` are of several threads",
        )),
        _ => None,
    }
}

/// Returns the language and the function of Warpwise, without its axis, for a vector of indices.
pub(crate) fn foreign_index(name: &str) -> Option<(&'static str, &'static str)> {
    Some(match name {
        "global_invocation_id" | "global_id" | "gid" => ("WGSL", "global_idx"),
        "local_invocation_id" | "local_id" | "lid" => ("WGSL", "thread_idx"),
        "workgroup_id" | "group_id" => ("WGSL", "block_idx"),
        "num_workgroups" => ("WGSL", "grid_dim"),
        "gl_GlobalInvocationID" => ("GLSL", "global_idx"),
        "gl_LocalInvocationID" => ("GLSL", "thread_idx"),
        "gl_WorkGroupID" => ("GLSL", "block_idx"),
        "gl_WorkGroupSize" => ("GLSL", "block_dim"),
        "gl_NumWorkGroups" => ("GLSL", "grid_dim"),
        _ => return None,
    })
}

/// Returns the help for `name`.
pub(crate) fn find(entries: &[Entry], name: &str) -> Option<&'static str> {
    let is_name = |known: &&str| match known.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == *known,
    };
    entries.iter().find(|entry| entry.names.iter().any(&is_name)).map(|it| it.help)
}

/// Returns true for a name that is unusual in Rust, such as `__ldg` and `threadIdx`.
pub(crate) fn is_unmistakable(name: &str) -> bool {
    let is_in_camel_case =
        name.starts_with(char::is_lowercase) && name.chars().any(char::is_uppercase);
    name.starts_with("__") || is_in_camel_case
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_cuda_has_every_name_and_its_counterpart() {
        let page = include_str!("../../../docs/cuda.md");
        let rows: String = page.lines().filter(|line| line.starts_with('|')).collect();
        let mut missing = Vec::new();
        for entry in [VARIABLES, FUNCTIONS, TYPES, ATTRIBUTES].concat() {
            let is_known =
                |name: &&str| rows.contains(name.trim_end_matches('*').trim_end_matches("::"));
            if !entry.names.iter().any(is_known) {
                missing.push(entry.names[0]);
            }
            // Names of functions and of types, such as `sync_threads` and `F32x4`.
            let words =
                entry.help.split('`').skip(1).step_by(2).flat_map(|code| {
                    code.split(|char: char| !char.is_alphanumeric() && char != '_')
                });
            let is_telling = |word: &&str| {
                !word.starts_with('_') && (word.contains('_') || word.contains(char::is_uppercase))
            };
            let stem = |word: &'static str| word.trim_end_matches(['x', 'y', 'z']);
            missing.extend(words.filter(is_telling).filter(|word| !rows.contains(stem(word))));
        }
        assert!(missing.is_empty(), "no row has {missing:?}");
    }

    #[test]
    fn a_name_is_in_one_entry() {
        let all = |own: &[Entry], foreign: fn(&Foreign) -> &'static [Entry]| -> Vec<Entry> {
            let of_others = FOREIGN.iter().flat_map(foreign).copied();
            own.iter().copied().chain(of_others).collect()
        };
        let functions = all(FUNCTIONS, |foreign| foreign.functions);
        let variables = all(VARIABLES, |foreign| foreign.variables);
        let types = all(TYPES, |foreign| foreign.types);
        let attributes = all(ATTRIBUTES, |foreign| foreign.attributes);
        for table in [&*variables, &functions, &types, &attributes] {
            let mut names: Vec<&str> =
                table.iter().flat_map(|entry| entry.names).copied().collect();
            names.sort_unstable();
            let all = names.len();
            names.dedup();
            assert_eq!(names.len(), all);
        }
    }
}
