//! Findings of checked launches: races, uninitialized reads and other mistakes, as messages and as
//! data.
//!
//! ```
//! use warpwise::{Error, Simulator, check::{Problem, RaceKind}, prelude::*};
//!
//! #[allow(gpu_missing_barriers)] // Without it, the build warns of the same mistake.
//! #[kernel(block = 64)]
//! fn rotate(x: &mut [u32]) {
//!     let tile = shared!([u32; 64]);
//!     let t = thread_idx_x();
//!     tile[t] = x[t];
//!     // A `sync_threads()` is missing here.
//!     x[t] = tile[(t + 1) % 64];
//! }
//!
//! let simulator = Simulator::new().checked();
//! let device = simulator.device();
//! let mut x = device.upload(&[7u32; 64])?;
//! let error = rotate::launch(&device, LaunchConfig::grid(1), &mut x).unwrap_err();
//! println!("{error}");
//!
//! let found = simulator.take_findings();
//! let Problem::Race(race) = &found[0].problem else { panic!("{}", found[0]) };
//! assert_eq!((race.kind, race.location.to_string()), (RaceKind::ReadWrite, "tile[0]".into()));
//! # Ok::<(), Error>(())
//! ```
//!
//! `docs/sanitizer.md` describes the checks.
//! [`Simulator::checked`](crate::Simulator::checked) switches all checks on for one device, the
//! environment variable `WARPWISE_CHECK` for every launch on the interpreter.
pub use crate::launch::source::Place;
use crate::launch::source::Source;
use std::fmt;
use warpwise_compiler::id::Id;
pub use warpwise_simt::{
    Access, AccessKind, Arrived, BarrierDivergence, Checks, Difference, EarlyAccess, Location,
    MaskKind, MaskMisuse, Meeting, Missing, OrderDependence, OutOfBounds, Problem, Race, RaceKind,
    Severity, Uninitialized, Unused, UnwaitedCopy, Use,
};

/// Something that a checked launch has found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// Name of the kernel.
    pub kernel: &'static str,
    /// The mistake.
    pub problem: Problem<Place>,
    /// The severity. Errors make the launch fail, and so do warnings with [`Checks::DENY`].
    pub severity: Severity,
    /// The number of occurrences in the launch. The details are those of the first: in the lowest
    /// block, at the lowest address, by the lowest threads.
    pub count: u64,
}

impl Finding {
    pub(crate) fn new(source: &Source, found: warpwise_simt::Finding) -> Self {
        let found = found.map_places(|span| source.place(span.index()));
        let warpwise_simt::Finding { problem, severity, count, .. } = found;
        Self { kernel: source.name, problem, severity, count }
    }
}

/// `error: read-write race on ..`, with the number of occurrences if there are several.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { problem, severity, count, .. } = self;
        write!(f, "{}: {problem}", severity.name())?;
        if *count > 1 { write!(f, " [{count} times]") } else { Ok(()) }
    }
}

/// The lines of a report.
pub(crate) struct Lines<'a>(pub(crate) &'a [Finding]);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|finding| write!(f, "\n  {finding}"))
    }
}
