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
//! let args = [Arg::Slice { memory: &total, len: 1 }];
//! let (grid, block) = ([10, 1, 1], [100, 1, 1]);
//! let launch = Launch { grid, block, args: &args, workers: None, steps: None };
//! assert_eq!(Program::new(&kernel).run(&launch), Outcome::default());
//! let mut bytes = [0; 4];
//! total.read_into(0, &mut bytes);
//! assert_eq!(u32::from_le_bytes(bytes), 1000);
//! # Ok::<(), warpwise_compiler::ir::ParseError>(())
//! ```
//!
//! From a kernel to its threads, file by file:
//!
//! | | |
//! |---|---|
//! | `lower` | makes the `code` of a kernel: steps over registers, of which most addresses need none |
//! | `bound`, `grid` | fit a launch to its kernel, and hand its blocks to the cores of the host |
//! | `circle` | tells that threads go round loops that nothing ever ends |
//! | `block`, `strand` | a block's threads, in strands of lanes that run together |
//! | `alike` | runs rounds that take the same steps, blocks or iterations, without looking at each step |
//! | `step` | runs a strand: one loop, and a file for each kind of instruction |
//! | `watch`, `order` | who looks on, and who has the next turn, in a [`TracedProgram`] |
//! | `tally`, `worst`, `counters` | what a [`CountingProgram`] counts on the way |
//! | `check` | what a [`CheckedProgram`] finds on the way |
//! | `lanes`, `registers`, `memory` | what instructions compute, on vectors of lanes and on shared bytes |
//!
//! `unsafe` is in the last row only. Whatever the kernel, no access leaves its buffer.
//!
//! `cargo test` compiles dependencies without optimisation. On x86-64 with AVX2 this crate then computes lanes in assembly
//! (`lanes::asm`), and is 2 to 5.3 times slower than in release (`benches/dev_profile` measures it); elsewhere it is some 50 times slower.
//! Rounds of 32-bit operations are machine code in both (`lanes::compiled`), under Linux on x86-64 with AVX-512.
//! A project can have it optimized there, too:
//!
//! ```toml
//! [profile.dev.package.warpwise-simt]
//! opt-level = 3
//! ```
mod alike;
mod block;
mod bound;
mod check;
mod circle;
mod code;
mod counters;
mod grid;
mod histogram;
mod lanes;
mod launch;
mod log;
mod lower;
mod mask;
mod memory;
mod order;
mod outcome;
mod program;
mod registers;
mod step;
mod strand;
mod tally;
mod traced;
mod watch;
mod worst;

pub use check::{
    choice::{Checks, UnknownCheck},
    finding::{
        Access, AccessKind, Finding, Location, Missing, OutOfBounds, Problem, Race, RaceKind,
        Severity, Uninitialized, Use,
    },
    meeting::{Arrived, BarrierDivergence, MaskKind, MaskMisuse},
    orders::{Difference, OrderDependence, Snapshot},
    unused::Unused,
};
pub use code::Stage;
pub use counters::{Counters, Counts, Floats, Sectors, Wavefronts};
pub use histogram::{ActiveThreads, Trips};
pub use launch::{Arg, Launch};
pub use memory::Memory;
pub use outcome::{FaultReport, Meeting, Outcome, Spinning, Stopped, Waiting};
pub use program::{CheckedProgram, CountingProgram, Program, Requests};
pub use traced::TracedProgram;
pub use watch::{Look, Moment, Watched};
pub use worst::WorstRequest;

/// Whether this crate was compiled with optimisation, at `opt-level = 2` or more, or for size.
pub const OPTIMIZED: bool = cfg!(not(unoptimized));

#[cfg(test)]
mod tests;
