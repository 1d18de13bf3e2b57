//! A dictionary of the metrics of NVIDIA's profilers: the names of `nvprof` and Nsight Compute,
//! with the counter or formula that is the same here.
//!
//! `cargo warpwise explain METRIC` prints a row, `cargo warpwise profile --metrics a,b` the values
//! of a program's kernels, and `docs/metrics.md` the whole table.
//!
//! ```
//! use warpwise::{Simulator, counters::metrics::{self, Measured}, prelude::*};
//! # #[allow(gpu_uncoalesced_accesses)]
//! # #[kernel(block = 64)]
//! # fn gather(x: &[f32], y: &mut [f32]) {
//! #     let i = global_idx_x();
//! #     if i < y.len() && 8 * i < x.len() {
//! #         y[i] = x[8 * i];
//! #     }
//! # }
//! # let simulator = Simulator::new().counters();
//! # let device = simulator.device();
//! # let x = device.upload(&[1.0f32; 8192])?;
//! # let mut y = device.zeros::<f32>(1024)?;
//! # gather::launch(&device, LaunchConfig::cover(1024).block(64), &x, &mut y)?;
//!
//! let launches = simulator.take_counters();
//! let metric = metrics::find("gld_efficiency").expect("nvprof has it");
//! let reading = metric.read(&Measured::of(&launches[0]));
//! assert_eq!(reading.to_string(), "12.50 %");
//! # Ok::<(), warpwise::Error>(())
//! ```
mod table;

use super::{Counts, LaunchCounters};
use crate::occupancy::Occupancy;
use std::fmt;
pub use table::METRICS;

/// One metric of the profilers.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Metric {
    /// Its names: those of `nvprof` first, then those of Nsight Compute.
    pub names: &'static [&'static str],
    /// The quantity, as a noun phrase.
    pub title: &'static str,
    /// The unit of its values.
    pub unit: Unit,
    /// The field or method of this crate that has the value.
    pub field: &'static str,
    /// The definition, as a formula over fields of [`Counts`] where there is one.
    pub formula: &'static str,
    /// The difference from the profiler's value; empty if none is known.
    pub difference: &'static str,
    read: fn(&Measured<'_>) -> Reading,
}

/// The unit of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unit {
    /// A number of events.
    Count,
    /// A ratio of two numbers of events.
    Ratio,
    /// A share of 1, printed in percent.
    Percent,
    /// Bytes.
    Bytes,
    /// Seconds.
    Seconds,
}

/// The value of a metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// The unit.
    pub unit: Unit,
    /// The value, in percent where that is the unit; `None` if it is not known.
    pub value: Option<f64>,
    /// The reason for a value that no event supports, or for its absence.
    pub note: Option<&'static str>,
}

/// The facts about a launch, or several of one shape, that metrics are read from.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Measured<'a> {
    /// The sum over all launches.
    pub counts: &'a Counts,
    /// The number of launches.
    pub launches: u64,
    /// Blocks along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Bytes of shared memory of a block.
    pub shared_memory: u64,
    /// Registers of a thread, if they are known.
    pub registers: Option<u32>,
    /// The theoretical occupancy, if a target is chosen.
    pub occupancy: Option<&'a Occupancy>,
    /// The predictions of a time model.
    pub predicted: Predicted,
}

/// Values that no counter has, because they depend on time or on caches: predictions of a model,
/// all unknown by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Predicted {
    /// Seconds from the start to the end of a launch.
    pub seconds: Option<f64>,
    /// Resident warps over the possible ones, on average over busy multiprocessors.
    pub achieved_occupancy: Option<f64>,
    /// Warps of a scheduler that could issue an instruction, on average over cycles.
    pub eligible_warps: Option<f64>,
    /// The share of cycles in which a scheduler issues an instruction.
    pub issue_utilization: Option<f64>,
    /// Instructions of a multiprocessor per cycle.
    pub instructions_per_cycle: Option<f64>,
    /// Sectors that were in the first-level cache, over all sectors.
    pub l1_hit_rate: Option<f64>,
    /// Sectors that were in the second-level cache, over all sectors that reach it.
    pub l2_hit_rate: Option<f64>,
    /// Bytes that are read from the memory of the device.
    pub dram_read_bytes: Option<f64>,
    /// Bytes that are written to the memory of the device.
    pub dram_written_bytes: Option<f64>,
    /// Blocks of the grid over the blocks that the whole device runs at the same time.
    pub waves: Option<f64>,
}

/// Finds a metric by any of its names. Case does not matter, and a name of Nsight Compute need not
/// have its last part (`.sum`, `.ratio`, `.pct`).
///
/// ```
/// use warpwise::counters::metrics;
/// assert!(metrics::find("branch_efficiency").is_some());
/// assert!(metrics::find("unknown").is_none());
/// ```
pub fn find(name: &str) -> Option<&'static Metric> {
    let is_it = |known: &&str| {
        known.eq_ignore_ascii_case(name)
            || known.split_once('.').is_some_and(|(stem, _)| stem.eq_ignore_ascii_case(name))
    };
    METRICS.iter().find(|metric| metric.names.iter().any(is_it))
}

impl<'a> Measured<'a> {
    /// Returns the facts about a counted launch, without registers and predictions.
    ///
    /// ```
    /// use warpwise::{Simulator, counters::metrics::Measured, prelude::*};
    /// # #[kernel(block = 64)]
    /// # fn increment(x: &mut [u32]) {
    /// #     let i = global_idx_x();
    /// #     if i < x.len() {
    /// #         x[i] += 1;
    /// #     }
    /// # }
    ///
    /// let simulator = Simulator::new().counters();
    /// let device = simulator.device();
    /// let mut x = device.zeros::<u32>(1000)?;
    /// increment::launch(&device, LaunchConfig::cover(1000), &mut x)?;
    /// let launches = simulator.take_counters();
    /// let measured = Measured::of(&launches[0]);
    /// assert_eq!((measured.grid, measured.block), ([16, 1, 1], [64, 1, 1]));
    /// assert_eq!(measured.counts.global_loads.requests, 32);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub const fn of(launch: &'a LaunchCounters) -> Self {
        let LaunchCounters { total, grid, block, shared_memory, .. } = launch;
        Self::new(total, 1, (*grid, *block), *shared_memory)
    }

    /// Returns the facts about `launches` launches of blocks and threads of the same `shape`, whose
    /// counts are added up.
    ///
    /// ```
    /// use warpwise::{Simulator, counters::{Counts, metrics::{self, Measured}}, prelude::*};
    /// # #[kernel(block = 64)]
    /// # fn increment(x: &mut [u32]) {
    /// #     let i = global_idx_x();
    /// #     if i < x.len() {
    /// #         x[i] += 1;
    /// #     }
    /// # }
    ///
    /// let simulator = Simulator::new().counters();
    /// let device = simulator.device();
    /// let mut x = device.zeros::<u32>(1000)?;
    /// for _ in 0..3 {
    ///     increment::launch(&device, LaunchConfig::cover(1000), &mut x)?;
    /// }
    /// // The mean of several launches of the same kernel.
    /// let launches = simulator.take_counters();
    /// let mut total = Counts::default();
    /// for launch in &launches {
    ///     total += launch.total;
    /// }
    /// let shape = (launches[0].grid, launches[0].block);
    /// let measured = Measured::new(&total, 3, shape, launches[0].shared_memory);
    /// let metric = metrics::find("gld_transactions_per_request").expect("nvprof has it");
    /// assert_eq!(metric.read(&measured).value, Some(125.0 / 32.0));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub const fn new(
        counts: &'a Counts,
        launches: u64,
        (grid, block): ([u32; 3], [u32; 3]),
        shared_memory: u64,
    ) -> Self {
        let predicted = Predicted {
            seconds: None,
            achieved_occupancy: None,
            eligible_warps: None,
            issue_utilization: None,
            instructions_per_cycle: None,
            l1_hit_rate: None,
            l2_hit_rate: None,
            dram_read_bytes: None,
            dram_written_bytes: None,
            waves: None,
        };
        let (registers, occupancy) = (None, None);
        Self { counts, launches, grid, block, shared_memory, registers, occupancy, predicted }
    }

    /// Returns the number of warps of all launches.
    fn warps(&self) -> u64 {
        let product = |dims: [u32; 3]| dims.iter().map(|&dim| u64::from(dim)).product::<u64>();
        self.launches * product(self.grid) * product(self.block).div_ceil(32)
    }
}

impl Metric {
    /// Reads the value of the metric.
    ///
    /// ```
    /// use warpwise::counters::{Counts, metrics::{self, Measured}};
    ///
    /// let mut counts = Counts::default();
    /// counts.branches = 4;
    /// counts.divergent_branches = 1;
    /// let measured = Measured::new(&counts, 1, ([1; 3], [32, 1, 1]), 0);
    /// let metric = metrics::find("branch_efficiency").expect("nvprof has it");
    /// let reading = metric.read(&measured);
    /// assert_eq!((reading.value, reading.to_string().as_str()), (Some(75.0), "75.00 %"));
    /// ```
    pub fn read(&self, measured: &Measured<'_>) -> Reading {
        let mut reading = (self.read)(measured);
        reading.unit = self.unit;
        if self.unit == Unit::Percent {
            reading.value = reading.value.map(|share| 100.0 * share);
        }
        reading
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Count => "events",
            Self::Ratio => "a ratio",
            Self::Percent => "%",
            Self::Bytes => "bytes",
            Self::Seconds => "seconds",
        })
    }
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { unit, value, note } = *self;
        match (value, unit) {
            (None, _) => return write!(f, "not known: {}", note.unwrap_or("no event")),
            (Some(value), Unit::Count) => write!(f, "{value:.0}"),
            (Some(value), Unit::Ratio) => write!(f, "{value:.2}"),
            (Some(value), Unit::Percent) => write!(f, "{value:.2} %"),
            (Some(value), Unit::Bytes) => write!(f, "{value:.0} bytes"),
            (Some(value), Unit::Seconds) => write!(f, "{value:.3e} s"),
        }?;
        note.map_or(Ok(()), |note| write!(f, " ({note})"))
    }
}

/// Returns a row of the dictionary.
impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.names.join(", "))?;
        writeln!(f, "{}, in {}", self.title, self.unit)?;
        writeln!(f, "here:       {}", self.field)?;
        writeln!(f, "definition: {}", self.formula)?;
        if self.difference.is_empty() {
            return Ok(());
        }
        writeln!(f, "difference: {}", self.difference)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_name_means_one_metric() {
        let mut known = BTreeSet::new();
        for name in METRICS.iter().flat_map(|metric| metric.names) {
            assert!(known.insert(name), "{name}");
            assert!(find(name).is_some_and(|metric| metric.names.contains(name)), "{name}");
        }
        assert!(find("L1TEX__T_SECTORS_PIPE_LSU_MEM_GLOBAL_OP_LD").is_some());
        assert!(find("gld").is_none());
    }

    #[test]
    fn ratios_with_a_zero_divisor_are_explained() {
        let counts = Counts::default();
        let measured = Measured::new(&counts, 1, ([1; 3], [32, 1, 1]), 0);
        let read = |name| find(name).unwrap().read(&measured).to_string();
        assert_eq!(read("branch_efficiency"), "100.00 % (no branches)");
        assert_eq!(read("gld_efficiency"), "not known: no requests");
        assert_eq!(read("inst_executed"), "0");
        assert_eq!(read("achieved_occupancy"), "not known: only a time model has it");
    }

    #[test]
    fn every_row_is_complete() {
        for Metric { names, title, field, formula, .. } in METRICS {
            assert!(!names.is_empty() && !title.is_empty(), "{names:?}");
            assert!(!field.is_empty() && !formula.is_empty(), "{names:?}");
        }
    }
}
