//! Little's law: the parallelism that hides a latency.
//!
//! ```text
//! parallelism in flight = latency * throughput
//! ```
use crate::hardware::{
    gpu::{Gpu, SCHEDULERS},
    occupancy::WARP_THREADS,
};

/// Returns the operations that must be in flight, so that `throughput` of them complete per unit of
/// time although each takes `latency`.
///
/// ```
/// use warpwise_compiler::hardware::time::needed_parallelism;
///
/// // A scheduler that issues an instruction of 6 warps per cycle, with a latency of 5 cycles.
/// assert_eq!(needed_parallelism(5.0, 6.0), 30.0);
/// // A multiprocessor with 32 lanes, and a latency of 20 cycles: 640 threads.
/// assert_eq!(needed_parallelism(20.0, 32.0), 640.0);
/// ```
pub fn needed_parallelism(latency: f64, throughput: f64) -> f64 {
    latency * throughput
}

impl Gpu {
    /// Returns the threads of a multiprocessor that keep its 32-bit float pipe busy, if each
    /// instruction of a thread depends on the one before.
    pub fn threads_for_arithmetic(&self) -> f64 {
        needed_parallelism(self.latencies.arithmetic.into(), self.lanes.single.into())
    }

    /// Returns the warps of a multiprocessor that hide a latency of so many cycles, if a warp
    /// issues `instructions` others before it needs the result.
    pub fn warps_to_hide(&self, latency_cycles: f64, instructions: f64) -> f64 {
        let per_cycle = f64::from(SCHEDULERS) / instructions.max(1.0);
        needed_parallelism(latency_cycles, per_cycle)
    }

    /// Returns the bytes that must be in flight between the device memory and all multiprocessors,
    /// so that it reaches its bandwidth.
    pub fn bytes_in_flight(&self) -> f64 {
        let latency = self.seconds(self.latencies.memory.into());
        needed_parallelism(latency, self.memory_bytes_per_second)
    }

    /// Returns the warps of a multiprocessor that have that many bytes in flight, if each thread
    /// waits for `bytes`.
    pub fn warps_for_bandwidth(&self, bytes: f64) -> f64 {
        let each = f64::from(WARP_THREADS) * bytes * f64::from(self.multiprocessors);
        self.bytes_in_flight() / each.max(f64::MIN_POSITIVE)
    }
}

#[cfg(test)]
mod tests {
    use crate::{hardware::gpu::Gpu, target::Target};

    #[test]
    fn wider_loads_need_fewer_warps() {
        let gpu = Gpu::of(Target::new(90)).unwrap();
        let (narrow, wide) = (gpu.warps_for_bandwidth(4.0), gpu.warps_for_bandwidth(16.0));
        assert!((narrow / wide - 4.0).abs() < 1e-9 && narrow < 64.0, "{narrow} {wide}");
        assert_eq!(gpu.threads_for_arithmetic(), 512.0);
        assert_eq!(gpu.warps_to_hide(400.0, 25.0), 64.0);
    }
}
