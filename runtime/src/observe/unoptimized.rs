//! A warning that the interpreter was built without optimization, once in a process, when it has
//! run for long enough to matter.
//!
//! `cargo test` and `cargo run` compile dependencies so, unless a project configures otherwise. The
//! warning is a record of the `log` crate, like those of lints on launches
//! ([`crate::observe::launch_lints`]), and is off with `WARPWISE_LINTS=off`.
use crate::observe::bound_lints;
use std::{
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Duration,
};

/// The total time of launches after which the slow build is reported.
const WARN_AFTER: Duration = Duration::from_secs(1);

/// The total time of launches so far.
static TOTAL: TotalTime = TotalTime(AtomicU64::new(0));

/// A sum of times, in nanoseconds.
struct TotalTime(AtomicU64);

/// Adds the time of a launch on the interpreter.
pub(crate) fn add_time(time: Duration) {
    if !warpwise_simt::OPTIMIZED && TOTAL.reaches_limit(time) && bound_lints::is_enabled() {
        bound_lints::log_warning(&warning());
    }
}

fn warning() -> String {
    format!(
        "launches on the CPU have taken {} s, and the interpreter was built without optimization; help: it is 2 to 5.3 times \
         faster with these lines in the `Cargo.toml` of the workspace:\n\
         [profile.dev.package.warpwise-simt]\n\
         opt-level = 3",
        WARN_AFTER.as_secs()
    )
}

impl TotalTime {
    /// Adds `time`; returns true if the total passes the limit, for the first time.
    fn reaches_limit(&self, time: Duration) -> bool {
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let (more, limit) = (nanoseconds(time), nanoseconds(WARN_AFTER));
        let before = self.0.fetch_add(more.min(limit), Relaxed);
        before < limit && before.saturating_add(more) >= limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_reached_once() {
        let total = TotalTime(AtomicU64::new(0));
        let times = [400, 500, 99, 1, 1, 2000].map(Duration::from_millis);
        let enough = times.map(|time| total.reaches_limit(time));
        assert_eq!(enough, [false, false, false, true, false, false]);
        let total = TotalTime(AtomicU64::new(0));
        assert!(total.reaches_limit(Duration::MAX));
        assert!(!total.reaches_limit(Duration::MAX));
    }

    #[test]
    fn the_lines_can_be_copied() {
        let text = warning();
        let (_, lines) = text.split_once(":\n").unwrap();
        assert_eq!(lines, "[profile.dev.package.warpwise-simt]\nopt-level = 3");
    }
}
