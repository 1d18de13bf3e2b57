//! Says that the interpreter was built without optimisation, once in a process, when it has run for
//! long enough to matter.
//!
//! `cargo test` and `cargo run` compile dependencies so, unless a project says otherwise. What is
//! said is a record of the `log` crate, as what lints say of launches ([`crate::advice`]), and like
//! that is off with `WARPWISE_LINTS=off`.
use crate::lint;
use std::{
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Duration,
};

/// The total time of launches after which the slow build is reported.
const ENOUGH: Duration = Duration::from_secs(1);

/// The total time of launches so far.
static TAKEN: Taken = Taken(AtomicU64::new(0));

/// Nanoseconds.
struct Taken(AtomicU64);

/// Adds what a launch on the interpreter took.
pub(crate) fn took(time: Duration) {
    if !warpwise_simt::OPTIMIZED && TAKEN.comes_to_enough(time) && lint::is_heard() {
        lint::advise(&text());
    }
}

fn text() -> String {
    format!(
        "launches on the CPU have taken {} s, and the interpreter was built without optimisation; help: it is 2 to 5.3 times \
         faster with these lines in the `Cargo.toml` of the workspace:\n\
         [profile.dev.package.warpwise-simt]\n\
         opt-level = 3",
        ENOUGH.as_secs()
    )
}

impl Taken {
    /// Returns true if `time` takes the total past the limit, for the first time.
    fn comes_to_enough(&self, time: Duration) -> bool {
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let (more, enough) = (nanoseconds(time), nanoseconds(ENOUGH));
        let before = self.0.fetch_add(more.min(enough), Relaxed);
        before < enough && before.saturating_add(more) >= enough
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_enough_once() {
        let taken = Taken(AtomicU64::new(0));
        let times = [400, 500, 99, 1, 1, 2000].map(Duration::from_millis);
        let enough = times.map(|time| taken.comes_to_enough(time));
        assert_eq!(enough, [false, false, false, true, false, false]);
        let taken = Taken(AtomicU64::new(0));
        assert!(taken.comes_to_enough(Duration::MAX));
        assert!(!taken.comes_to_enough(Duration::MAX));
    }

    #[test]
    fn the_lines_can_be_copied() {
        let text = text();
        let (_, lines) = text.split_once(":\n").unwrap();
        assert_eq!(lines, "[profile.dev.package.warpwise-simt]\nopt-level = 3");
    }
}
