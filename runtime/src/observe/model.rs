//! The time model: predictions, without a GPU, of the time of a launch and of the resource that
//! bounds it.
//!
//! ```
//! use warpwise::{Simulator, model::{BoundBy, Gpu}, prelude::*};
//!
//! /// One block adds everything up.
//! #[kernel(block = 256)]
//! fn sums(x: &[f32], out: &mut [f32]) {
//!     let t = thread_idx_x();
//!     let mut sum = 0.0;
//!     for i in (t..x.len()).step_by(256) {
//!         sum += x[i];
//!     }
//!     out[t] = sum;
//! }
//!
//! let simulator = Simulator::new().counters();
//! let device = simulator.device();
//! let x = device.upload(&vec![1.0f32; 1 << 18])?;
//! let mut out = device.zeros::<f32>(256)?;
//! sums::launch(&device, LaunchConfig::grid(1), &x, &mut out)?;
//!
//! let h200 = Gpu::named("H200").expect("it is known");
//! let prediction = simulator.take_counters()[0].predict(h200, Some(32)).expect("a block fits");
//! assert_eq!(prediction.bound_by, BoundBy::Latency);
//! assert_eq!(prediction.busy_multiprocessors, 1);
//! // 8 of the 64 warps that a multiprocessor can hold.
//! assert_eq!(prediction.achieved_occupancy, 0.125);
//! # Ok::<(), warpwise::Error>(())
//! ```
//!
//! [`predict`] has the formulas, [`GPUS`] the parameters with their sources, and
//! `docs/time-model.md` the accuracy. [`Simulator::caches`](crate::Simulator::caches) simulates the
//! caches, too, which makes predictions more accurate and launches slower.
//! `cargo warpwise profile` prints the prediction of every launch of a program.
//!
//! A prediction is an estimate: it carries an [uncertainty](Prediction::uncertainty), and replaces
//! no measurement.
pub use warpwise_compiler::hardware::{
    gpu::{Evidence, GPUS, Gpu, Lanes, Latencies},
    time::{BoundBy, CacheCounts, Grid, Pipe, Prediction, Step, Work, needed_parallelism, predict},
};
