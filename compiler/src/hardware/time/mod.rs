//! The time model: predicts from the counts of a launch its time on a GPU, and the resource that
//! bounds it.
//!
//! A launch takes the overhead of launching and the time of its slowest resources. Let a block take
//! its share of all [`Work`], `n` be the blocks of the busiest multiprocessor, and `r` of these be
//! resident at the same time:
//!
//! ```text
//! issue            instructions of n blocks / 4 schedulers
//! pipe             instructions of n blocks on the pipe * 32 / its lanes
//! memory pipe      (shared wavefronts + lines of global accesses + shuffles) of n blocks
//! latency          max(1, n / r) * length of the critical path of a block
//! L2 cache         bytes that miss the first-level caches / bandwidth
//! device memory    bytes that miss the second-level cache / bandwidth
//! atomics          updated sectors of global memory / rate, or updates of one word / their rate
//! time             overhead + (time of the slowest pipe^p + sum over the other resources of time^p)^(1/p)
//! ```
//!
//! The critical path is the chain of dependent instructions of the longest warp of a block, each
//! with its latency. By Little's law, `r` blocks in flight keep a resource busy if `r` times the
//! work of a block on it takes at least that long; else the latency is what bounds the launch. The
//! exponent `p`, [`OVERLAP`], says how well resources work at the same time: infinite for perfect
//! overlap.
//!
//! A prediction is an estimate. It never replaces a measurement, and carries its [uncertainty].
//!
//! ```
//! use warpwise_compiler::{
//!     hardware::{
//!         gpu::Gpu,
//!         occupancy::Block,
//!         time::{BoundBy, Grid, Pipe, Step, Work, predict},
//!     },
//!     target::Target,
//! };
//!
//! // One block of 256 threads; each warp executes 8192 dependent loads of 4 sectors.
//! let mut work = Work::default();
//! work.issued[Pipe::Memory as usize] = 8 * 8192;
//! work.steps[Step::Global as usize] = 8192;
//! work.path_instructions = 8192;
//! (work.lines, work.sectors_read, work.footprint_bytes) = (8 * 8192, 4 * 8 * 8192, 8 << 20);
//!
//! let block = Block { threads: 256, registers: Some(32), shared: 0, barriers: 0 };
//! let grid = Grid { blocks: 1, block };
//! let predicted = predict(&work, grid, Gpu::of(Target::new(90)).expect("sm_90 is known"))?;
//! assert_eq!(predicted.bound_by, BoundBy::Latency);
//! assert_eq!(predicted.achieved_occupancy, 8.0 / 64.0);
//! # Ok::<(), warpwise_compiler::hardware::occupancy::Unlaunchable>(())
//! ```
//!
//! [uncertainty]: Prediction::uncertainty
mod little;
mod predict;
mod work;

pub use little::needed_parallelism;
pub use predict::{BoundBy, Grid, OVERLAP, Prediction, predict};
pub use work::{CacheCounts, Pipe, Step, Work};
