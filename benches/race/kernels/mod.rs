//! The kernels of the race: one file in Rust and one in CUDA C++ for each.
//!
//! The Rust is what a user writes first: slices, indices of `usize`, bounds checks, `for` loops, no
//! contracts and no changes that come from reading machine code. The CUDA C++ is the same algorithm
//! with the same block and grid, with indices of `int` and `__restrict__` pointers.
use crate::{Result, benchmark::Benchmark, variants};

/// The imports of the files with kernels.
mod prelude {
    pub(super) use crate::{
        benchmark::benchmark,
        compare::Agreement,
        inputs,
        problem::{Buffers, Problem, Work, args, cover},
        reference,
    };
    pub(super) use std::sync::atomic::Ordering;
    pub(super) use warpwise::{F32x2, F32x4, U8x4, prelude::*};
    pub(super) use warpwise_benches::Scale;
}

macro_rules! benchmarks {
    ($($name:ident)*) => {
        $(mod $name;)*

        /// All benchmarks, in the order of the table.
        const ALL: &[Benchmark] = &[$($name::BENCHMARK),*];
    };
}

benchmarks! {
    saxpy vector_add copy grid_stride
    sum dot histogram global_histogram
    chacha20 sha256 matvec_i8 mandelbrot
    transpose matmul_naive matmul_tiled_16 matmul_tiled_32 matmul_blocked matmul_batched
    nbody scan particles bitonic_sort bitonic_xor
    stencil_3d stencil_2d convolution_1d
    softmax layer_norm black_scholes spmv kmeans gelu_f16 fft
    radix_count radix_scatter attention floyd_warshall
    smith_waterman lattice_boltzmann hash_insert aes bilateral row_sums convolution_2d
    monte_carlo_pi life matvec gray gelu_bf16 integrate_f64 scan_chained
    rms_norm quantize lower_bound blur_shared heat hamming matvec_transposed upsample
    conv2d_channels pathfinder cross_entropy knn_brute srad median3x3
    depthwise_f16 lavamd binomial_option max_pool merge_path adam
    fdtd3d block_matching bicubic dilate_shared triangle_count ising
    moe_gate blake2b bayer_demosaic asian_option hmm_forward thomas
    kdtree_nearest backproject surface_nets clahe_apply spmm_csr jacobi_residual
    voxel_dda sph_density ycbcr420 homography group_norm segmented_scan
}

/// Returns the position of a benchmark in the table.
pub(crate) fn position(name: &str) -> Option<usize> {
    ALL.iter().position(|benchmark| benchmark.name == name)
}

/// True if a command is about [variants], too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variants {
    /// It is.
    Included,
    /// It is about what races with CUDA C++.
    Excluded,
}

/// Returns the benchmarks with these names, or all if there are none.
///
/// # Errors
/// Fails if a name is unknown.
pub(crate) fn select(names: &[String], variants: Variants) -> Result<Vec<&'static Benchmark>> {
    let mut all: Vec<&Benchmark> = ALL.iter().collect();
    if variants == Variants::Included {
        all.extend(variants::GROUPS.iter().flat_map(|group| group.own));
    }
    if names.is_empty() {
        return Ok(all);
    }
    let find = |name: &String| {
        let found = all.iter().find(|benchmark| benchmark.name == name);
        found.copied().ok_or_else(|| format!("there is no kernel `{name}`").into())
    };
    names.iter().map(find).collect()
}
