//! Variants: kernels that compute the same in different ways, for the order that the time model
//! predicts. They have no CUDA C++, and take no part in the race itself.
use crate::benchmark::Benchmark;

mod branches;
mod layouts;
mod norms;
mod products;
mod strides;
mod sums;
mod transpositions;
mod updates;

/// The imports of the files with kernels.
mod prelude {
    pub(super) use super::variant;
    pub(super) use crate::{
        benchmark::Benchmark,
        compare::Agreement,
        inputs,
        problem::{BufferId, Buffers, Problem, Work, args, cover},
        reference,
    };
    pub(super) use std::sync::atomic::Ordering;
    pub(super) use warpwise::prelude::*;
    pub(super) use warpwise_benches::Scale;
}

/// Makes a benchmark of a kernel and its problem.
macro_rules! variant {
    ($name:ident, $problem:expr) => {
        Benchmark {
            name: stringify!($name),
            source: $name::__WARPWISE_SOURCE,
            cuda: None,
            unit: "",
            problem: $problem,
        }
    };
}
use variant;

/// Kernels that do the same work in different ways.
pub(crate) struct Group {
    /// The variants that are no kernels of the race.
    pub(crate) own: &'static [Benchmark],
    /// The names of kernels of the race that belong to the group.
    pub(crate) raced: &'static [&'static str],
}

/// All groups.
pub(crate) const GROUPS: &[Group] = &[
    Group { own: products::ALL, raced: &["matmul_naive", "matmul_tiled_16", "matmul_tiled_32"] },
    Group { own: transpositions::ALL, raced: &["transpose"] },
    Group { own: sums::ALL, raced: &["sum"] },
    Group { own: norms::ALL, raced: &[] },
    Group { own: layouts::ALL_FIELDS, raced: &[] },
    Group { own: layouts::ONE_FIELD, raced: &[] },
    Group { own: strides::ALL, raced: &[] },
    Group { own: branches::ALL, raced: &[] },
    Group { own: updates::NEAR, raced: &[] },
    Group { own: updates::FAR, raced: &[] },
    Group { own: &[], raced: &["bitonic_sort", "bitonic_xor"] },
    Group { own: &[], raced: &["saxpy", "grid_stride"] },
    Group { own: &[], raced: &["gelu_f16", "gelu_bf16"] },
];

impl Group {
    /// Iterates over the names of the variants.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.raced.iter().copied().chain(self.own.iter().map(|variant| variant.name))
    }
}
