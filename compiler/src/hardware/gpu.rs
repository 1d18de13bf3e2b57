//! Speeds of whole GPUs: clocks, throughputs, bandwidths and latencies, the parameters of the
//! [time model](super::time).
//!
//! ```
//! use warpwise_compiler::{hardware::gpu::{Evidence, Gpu}, target::Target};
//!
//! let h200 = Gpu::of(Target::new(90)).expect("sm_90 is known");
//! assert_eq!((h200.name, h200.multiprocessors, h200.evidence), ("H200", 132, Evidence::Measured));
//! ```
//!
//! Clocks, multiprocessors, cache sizes and memory bandwidths are those of NVIDIA's data sheets.
//! [`Lanes`] is the table of arithmetic throughputs in the CUDA programming guide. Latencies of
//! shared memory, caches and device memory are those of W. Luo et al., *Benchmarking and Dissecting
//! the Nvidia Hopper GPU Architecture via Microbenchmarking* (arXiv:2402.13499), which measured an
//! H100, an A100 and an RTX 4090; other GPUs take those of the most similar one. Latencies of
//! arithmetic, shuffles and barriers are estimates.
//!
//! Of the H200, [`Evidence::Measured`], the attainable memory bandwidth, the rates of atomic
//! updates and the launch overhead are measurements, and the bandwidth of the second-level cache is
//! fitted to measured kernels (`docs/time-model.md`). Other GPUs are assumed to attain 88 to 90 %
//! of the published memory bandwidth, and the H200's rate of atomic updates and bytes per cycle of
//! the second-level cache.
use crate::target::Target;

/// Parameters of a GPU. A copy of one can be changed, to ask what a faster memory would gain.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Gpu {
    /// Name of the product.
    pub name: &'static str,
    /// The architecture.
    pub target: Target,
    /// Number of multiprocessors.
    pub multiprocessors: u32,
    /// Cycles per second of a multiprocessor.
    pub clock_hz: f64,
    /// Attainable bytes per second of the device memory.
    pub memory_bytes_per_second: f64,
    /// Attainable bytes per second between the second-level cache and all multiprocessors.
    pub l2_bytes_per_second: f64,
    /// Packets per second from all multiprocessors to the second-level cache. A request of a line
    /// is one, and so is each sector that it writes.
    pub l2_packets_per_second: f64,
    /// Bytes of the second-level cache.
    pub l2_bytes: u64,
    /// Partitions of the second-level cache. A multiprocessor reaches data of another partition
    /// through its own, which then looks it up, too.
    pub l2_partitions: u32,
    /// Bytes of the first-level cache and the shared memory of a multiprocessor together.
    pub l1_bytes: u64,
    /// Threads per cycle of each pipe of a multiprocessor.
    pub lanes: Lanes,
    /// Multiply-adds of 16-bit floats per cycle of a multiprocessor, by products of warpgroups
    /// (`wgmma`); 0 if it has none.
    pub warpgroup_multiply_adds_per_cycle: u32,
    /// Latencies.
    pub latencies: Latencies,
    /// Atomic updates of global memory.
    pub atomics: AtomicRates,
    /// Seconds from one launch of an empty kernel to the next, of many in a row.
    pub launch_seconds: f64,
    /// The source of these numbers.
    pub evidence: Evidence,
}

/// The source of the parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Memory bandwidth, atomic updates and launch overhead were measured; the rest is published.
    Measured,
    /// Every number is published.
    Published,
}

/// Atomic updates of global memory per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AtomicRates {
    /// Of sectors in the second-level cache, without results.
    pub reduced: f64,
    /// Of sectors in the second-level cache whose results are used, also by compare-and-swap.
    pub fetched: f64,
    /// Of sectors that the second-level cache lacks.
    pub missed: f64,
    /// Of one word, an integer.
    pub same_word: f64,
    /// Of one word, a float.
    pub same_word_floats: f64,
}

/// Threads whose instruction a pipe of a multiprocessor accepts in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes {
    /// Sums and products of 32-bit floats.
    pub single: u32,
    /// Sums and products of 64-bit floats.
    pub double: u32,
    /// Integer arithmetic, comparisons, selects and bitwise operations of 32 bits.
    pub integer: u32,
    /// Approximated functions and conversions.
    pub special: u32,
    /// Accesses to memory, shuffles.
    pub memory: u32,
    /// Multiplications of matrices, as 32 threads of one `mma` of 16 x 8 x 16 halves.
    pub tensor: u32,
}

/// Cycles until a dependent instruction can use the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latencies {
    /// A 32-bit sum or product.
    pub arithmetic: u32,
    /// A 64-bit float sum or product.
    pub double: u32,
    /// An approximated function or a conversion.
    pub special: u32,
    /// A shuffle.
    pub shuffle: u32,
    /// A load from shared memory.
    pub shared: u32,
    /// A load that the first-level cache serves.
    pub l1: u32,
    /// A load that the second-level cache serves.
    pub l2: u32,
    /// A load that the device memory serves.
    pub memory: u32,
    /// A barrier of a block that all warps have reached.
    pub barrier: u32,
}

/// Warp schedulers of a multiprocessor. Each issues at most one instruction per cycle.
pub const SCHEDULERS: u32 = 4;

/// Every known GPU. The first one of an architecture represents it.
pub const GPUS: &[Gpu] = &[
    Gpu {
        name: "T4",
        target: Target::new(75),
        multiprocessors: 40,
        clock_hz: 1.59e9,
        memory_bytes_per_second: 0.88 * 320e9,
        l2_bytes_per_second: L2_BYTES_PER_CYCLE * 40.0 * 1.59e9,
        l2_packets_per_second: L2_PACKETS_PER_CYCLE * 40.0 * 1.59e9,
        l2_bytes: 4 << 20,
        l2_partitions: 1,
        l1_bytes: 96 << 10,
        lanes: Lanes { single: 64, double: 2, integer: 64, special: 16, memory: 32, tensor: 8 },
        warpgroup_multiply_adds_per_cycle: 0,
        latencies: AMPERE,
        atomics: MEASURED_ATOMICS,
        launch_seconds: LAUNCH_SECONDS,
        evidence: Evidence::Published,
    },
    Gpu {
        name: "A100",
        target: Target::new(80),
        multiprocessors: 108,
        clock_hz: 1.41e9,
        memory_bytes_per_second: 0.88 * 2.039e12,
        l2_bytes_per_second: L2_BYTES_PER_CYCLE * 108.0 * 1.41e9,
        l2_packets_per_second: L2_PACKETS_PER_CYCLE * 108.0 * 1.41e9,
        l2_bytes: 40 << 20,
        l2_partitions: 2,
        l1_bytes: 192 << 10,
        lanes: Lanes { single: 64, double: 32, integer: 64, special: 16, memory: 32, tensor: 16 },
        warpgroup_multiply_adds_per_cycle: 0,
        latencies: AMPERE,
        atomics: MEASURED_ATOMICS,
        launch_seconds: LAUNCH_SECONDS,
        evidence: Evidence::Published,
    },
    Gpu {
        name: "RTX 3090",
        target: Target::new(86),
        multiprocessors: 82,
        clock_hz: 1.695e9,
        memory_bytes_per_second: 0.88 * 936e9,
        l2_bytes_per_second: L2_BYTES_PER_CYCLE * 82.0 * 1.695e9,
        l2_packets_per_second: L2_PACKETS_PER_CYCLE * 82.0 * 1.695e9,
        l2_bytes: 6 << 20,
        l2_partitions: 1,
        l1_bytes: 128 << 10,
        lanes: Lanes { single: 128, double: 2, integer: 64, special: 16, memory: 32, tensor: 8 },
        warpgroup_multiply_adds_per_cycle: 0,
        latencies: AMPERE,
        atomics: MEASURED_ATOMICS,
        launch_seconds: LAUNCH_SECONDS,
        evidence: Evidence::Published,
    },
    Gpu {
        name: "RTX 4090",
        target: Target::new(89),
        multiprocessors: 128,
        clock_hz: 2.52e9,
        memory_bytes_per_second: 0.88 * 1.008e12,
        l2_bytes_per_second: L2_BYTES_PER_CYCLE * 128.0 * 2.52e9,
        l2_packets_per_second: L2_PACKETS_PER_CYCLE * 128.0 * 2.52e9,
        l2_bytes: 72 << 20,
        l2_partitions: 1,
        l1_bytes: 128 << 10,
        lanes: Lanes { single: 128, double: 2, integer: 64, special: 16, memory: 32, tensor: 8 },
        warpgroup_multiply_adds_per_cycle: 0,
        latencies: ADA,
        atomics: MEASURED_ATOMICS,
        launch_seconds: LAUNCH_SECONDS,
        evidence: Evidence::Published,
    },
    Gpu {
        name: "L4",
        target: Target::new(89),
        multiprocessors: 58,
        clock_hz: 2.04e9,
        memory_bytes_per_second: 0.88 * 300e9,
        l2_bytes_per_second: L2_BYTES_PER_CYCLE * 58.0 * 2.04e9,
        l2_packets_per_second: L2_PACKETS_PER_CYCLE * 58.0 * 2.04e9,
        l2_bytes: 48 << 20,
        l2_partitions: 1,
        l1_bytes: 128 << 10,
        lanes: Lanes { single: 128, double: 2, integer: 64, special: 16, memory: 32, tensor: 8 },
        warpgroup_multiply_adds_per_cycle: 0,
        latencies: ADA,
        atomics: MEASURED_ATOMICS,
        launch_seconds: LAUNCH_SECONDS,
        evidence: Evidence::Published,
    },
    Gpu {
        name: "H200",
        target: Target::new(90),
        multiprocessors: 132,
        clock_hz: 1.98e9,
        memory_bytes_per_second: 4.4e12,
        l2_bytes_per_second: L2_BYTES_PER_CYCLE * 132.0 * 1.98e9,
        l2_packets_per_second: L2_PACKETS_PER_CYCLE * 132.0 * 1.98e9,
        l2_bytes: 50 << 20,
        l2_partitions: 2,
        l1_bytes: 256 << 10,
        lanes: HOPPER_LANES,
        warpgroup_multiply_adds_per_cycle: HOPPER_WARPGROUP_MULTIPLY_ADDS,
        latencies: HOPPER,
        atomics: MEASURED_ATOMICS,
        launch_seconds: LAUNCH_SECONDS,
        evidence: Evidence::Measured,
    },
    Gpu {
        name: "H100",
        target: Target::new(90),
        multiprocessors: 132,
        clock_hz: 1.98e9,
        memory_bytes_per_second: 0.9 * 3.35e12,
        l2_bytes_per_second: L2_BYTES_PER_CYCLE * 132.0 * 1.98e9,
        l2_packets_per_second: L2_PACKETS_PER_CYCLE * 132.0 * 1.98e9,
        l2_bytes: 50 << 20,
        l2_partitions: 2,
        l1_bytes: 256 << 10,
        lanes: HOPPER_LANES,
        warpgroup_multiply_adds_per_cycle: HOPPER_WARPGROUP_MULTIPLY_ADDS,
        latencies: HOPPER,
        atomics: MEASURED_ATOMICS,
        launch_seconds: LAUNCH_SECONDS,
        evidence: Evidence::Published,
    },
];

/// Bytes per cycle and multiprocessor between a multiprocessor and the second-level cache, of the
/// 64 that are possible: fitted on an H200, and assumed of other GPUs.
const L2_BYTES_PER_CYCLE: f64 = 30.6;

/// Packets per cycle and multiprocessor to the second-level cache: measured on an H200, and assumed
/// of other GPUs. Nsight Compute's `lts__xbar2lts_cycles_active` is 51 % for a copy that takes 129
/// us for 8.4 million written sectors in a quarter as many lines, and 87 % for a transposition that
/// takes 966 us for 67 million in lines of their own: 159 * 10^9 packets per second.
const L2_PACKETS_PER_CYCLE: f64 = 0.608;

/// Measured on an H200 with empty kernels; other GPUs are assumed to take as long.
const LAUNCH_SECONDS: f64 = 3.1e-6;

/// Measured on an H200, of which other GPUs are assumed to do as many: 2^25 updates of random words
/// of 50,000 take 445 us without results and 560 us with them, and of 2^26 words 1799 us; of one
/// word, 2^25 updates of integers take 24,564 us and 2^26 of floats 117,900 us.
const MEASURED_ATOMICS: AtomicRates = AtomicRates {
    reduced: 75.4e9,
    fetched: 59.9e9,
    missed: 18.7e9,
    same_word: 1.366e9,
    same_word_floats: 0.569e9,
};

/// 989.4e12 operations per second of the data sheet, two for each multiply-add, by 132
/// multiprocessors at 1.83 GHz.
const HOPPER_WARPGROUP_MULTIPLY_ADDS: u32 = 2048;
const HOPPER_LANES: Lanes =
    Lanes { single: 128, double: 64, integer: 64, special: 16, memory: 32, tensor: 16 };

const AMPERE: Latencies = Latencies {
    arithmetic: 4,
    double: 8,
    special: 20,
    shuffle: 23,
    shared: 29,
    l1: 38,
    l2: 262,
    memory: 466,
    barrier: 25,
};

const ADA: Latencies = Latencies {
    arithmetic: 4,
    double: 40,
    special: 20,
    shuffle: 23,
    shared: 30,
    l1: 43,
    l2: 273,
    memory: 542,
    barrier: 25,
};

const HOPPER: Latencies = Latencies {
    arithmetic: 4,
    double: 8,
    special: 20,
    shuffle: 23,
    shared: 29,
    l1: 41,
    l2: 263,
    memory: 479,
    barrier: 25,
};

impl Gpu {
    /// Returns the GPU that represents an architecture, if there is one.
    pub fn of(target: Target) -> Option<&'static Self> {
        GPUS.iter().find(|gpu| gpu.target == target)
    }

    /// Returns the GPU of this name, regardless of case: `H200`, `rtx 4090`.
    pub fn named(name: &str) -> Option<&'static Self> {
        GPUS.iter().find(|gpu| gpu.name.eq_ignore_ascii_case(name))
    }

    /// Returns the seconds of so many cycles of a multiprocessor.
    pub fn seconds(&self, cycles: f64) -> f64 {
        cycles / self.clock_hz
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware::occupancy::Multiprocessor;

    #[test]
    fn every_gpu_has_a_known_architecture_and_a_name_of_its_own() {
        for (number, gpu) in GPUS.iter().enumerate() {
            assert!(Multiprocessor::of(gpu.target).is_some(), "{}", gpu.name);
            let first = GPUS.iter().position(|other| other.name == gpu.name);
            assert_eq!(first, Some(number), "{}", gpu.name);
            assert_eq!(Gpu::named(&gpu.name.to_lowercase()), Some(gpu));
        }
    }
}
