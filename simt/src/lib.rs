//! The SIMT interpreter: runs a kernel's IR as a GPU would, on the host's cores.
//!
//! ```text
//! Kernel ─Program::new─► Program ─run(Launch over Memory)─► Outcome
//! ```
//!
//! A kernel's fault, a deadlock and a spent step budget are *results*
//! ([`Outcome`]), never errors of the interpreter. What instructions mean is
//! written at [`warpwise_compiler::ir::Op`]; this crate is that meaning, executable.
mod block;
mod fault;
mod grid;
mod lanes;
mod launch;
mod lower;
mod mask;
mod memory;
mod outcome;
mod program;
mod registers;
mod step;
mod strand;

pub use launch::{Arg, Launch};
pub use memory::Memory;
pub use outcome::{FaultReport, Meeting, Outcome, Stopped, Waiting};
pub use program::Program;

#[cfg(test)]
mod tests;
