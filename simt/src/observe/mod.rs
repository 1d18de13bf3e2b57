//! Observers of a launch: the sanitizer, the counters and the debugger.
//!
//! Each has instructions of its own in the bytecode of the programs that ask for it, so that a
//! plain [`Program`](crate::Program) pays for none of them. The simulated caches see the requests
//! that the counters count.
pub(crate) mod caches;
pub(crate) mod counters;
pub(crate) mod debugger;
pub(crate) mod log;
pub(crate) mod sanitizer;
