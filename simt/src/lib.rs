//! The SIMT interpreter: runs a kernel's IR as a GPU would, on the host's cores.
//!
//! ```text
//! Kernel ─Program::new─► Program ─run(Launch over Memory)─► Outcome
//! ```
//!
//! A kernel's fault, a deadlock and a spent step budget are *results*
//! ([`Outcome`]), never errors of the interpreter. What instructions mean is
//! written at [`warpwise_compiler::ir::Op`]; this crate is that meaning, executable.
//!
//! ```
//! use warpwise_compiler::ir::Kernel;
//! use warpwise_simt::{Arg, Launch, Memory, Outcome, Program};
//!
//! let kernel: Kernel = "kernel count {
//!   param arg0 = total: atomic [u32] !0
//!   %0 = param arg0 : ptr global !1
//!   %1 = const 1 : u32 !1
//!   %2 = atomic.add.relaxed.device %0, %1 : u32 !1
//! }"
//! .parse()?;
//! let total = Memory::zeroed(4);
//! let args = [Arg::Slice { memory: &total, offset: 0, len: 1 }];
//! let (grid, block) = ([10, 1, 1], [100, 1, 1]);
//! let launch = Launch { grid, block, args: &args, workers: None, steps: None };
//! assert_eq!(Program::new(&kernel).run(&launch), Outcome::default());
//! let mut bytes = [0; 4];
//! total.read_into(0, &mut bytes);
//! assert_eq!(u32::from_le_bytes(bytes), 1000);
//! # Ok::<(), warpwise_compiler::ir::ParseError>(())
//! ```
//!
//! The layers, from the bottom up; each uses only the ones before it:
//!
//! | | |
//! |---|---|
//! | `vector` | operations on vectors of lanes, registers, masks and shared memory |
//! | `launch`, `outcome` | the inputs and the results of a launch |
//! | `bytecode` | instructions over registers, and the tables that they refer to |
//! | `translate` | the translation of a kernel to bytecode |
//! | `observe` | the sanitizer, the counters and the debugger |
//! | `exec` | execution: the grid, its blocks, their strands, and the replay of uniform rounds |
//! | `program` | [`Program`], [`CountingProgram`], [`CheckedProgram`] and [`TracedProgram`] |
//!
//! `unsafe` is in `vector` only. Whatever the kernel, no access leaves its buffer.
//!
//! `cargo test` compiles dependencies without optimization. On x86-64 with AVX2 this crate then
//! computes lanes in assembly (`vector::lanes::asm`), and is 2 to 5.3 times slower than in release
//! (`benches/dev_profile` measures it); elsewhere it is some 50 times slower. Rounds of 32-bit
//! operations are machine code in both (`vector::lanes::compiled`), under Linux on x86-64 with
//! AVX-512. A project can have it optimized there, too:
//!
//! ```toml
//! [profile.dev.package.warpwise-simt]
//! opt-level = 3
//! ```
mod bytecode;
mod exec;
mod launch;
mod observe;
mod outcome;
mod program;
mod translate;
mod vector;

pub use bytecode::{AccessKind, Requests, Stage};
pub use launch::{Arg, Launch};
pub use observe::caches::CacheModel;
pub use observe::counters::histogram::{ActiveThreads, Trips};
pub use observe::counters::worst::WorstRequest;
pub use observe::counters::{
    BulkCopies, Counters, Counts, Floats, MatrixProducts, Sectors, Wavefronts,
};
pub use observe::debugger::{Moment, WatchFn, WatchedLanes};
pub use observe::sanitizer::{
    checks::{Checks, UnknownCheck},
    finding::{
        Access, EarlyAccess, Finding, Location, Missing, OutOfBounds, Problem, Race, RaceKind,
        Severity, Uninitialized, UnwaitedCopy, Use,
    },
    order_dependence::{Difference, OrderDependence},
    sync_finding::{Arrived, BarrierDivergence, MaskKind, MaskMisuse},
    unused::Unused,
};
pub use outcome::{FaultReport, Meeting, Outcome, Spinning, Stopped, Waiting};
pub use program::compare_orders::Snapshot;
pub use program::traced::TracedProgram;
pub use program::{CheckedProgram, CountingProgram, Program};
pub use vector::memory::Memory;

/// True if this crate was compiled with optimization, at `opt-level = 2` or more, or for size.
pub const OPTIMIZED: bool = cfg!(not(unoptimized));

#[cfg(test)]
mod tests;
