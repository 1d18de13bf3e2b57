//! How many threads of the host run a launch, and when they begin.
//!
//! The caller's thread begins alone. To start a thread takes tens of microseconds, so it asks for help only where what is
//! left, at the pace so far, takes longer. Those that come start others in turn, so that many begin nearly at once.
use super::{Grid, Worker};
use std::{
    thread::{Builder, Scope, scope},
    time::{Duration, Instant},
};

/// How long the caller's thread runs blocks before it asks how much is left.
const SOON: Duration = Duration::from_micros(20);

/// What is worth help.
const WORTH: Duration = Duration::from_micros(80);

impl Grid<'_> {
    /// Runs all blocks.
    pub(super) fn run(&self) {
        scope(|scope| {
            self.come();
            let mut worker = Worker::new(self);
            if self.workers > 1 {
                let start = Instant::now();
                self.guard(
                    || {
                        while !self.is_worth_help(start.elapsed(), &worker) && worker.turn() {}
                    },
                );
                self.call(scope, (self.workers - 1).min(self.tickets.left()));
            }
            self.guard(|| worker.work());
            self.join(worker.log);
        });
    }

    /// Whether what is left takes long, after what was done in so much time by the only worker.
    fn is_worth_help(&self, elapsed: Duration, worker: &Worker<'_, '_>) -> bool {
        if elapsed < SOON {
            return false;
        }
        let left = self.tickets.left().saturating_add(worker.untouched());
        let done = self.blocks.saturating_sub(left).max(1);
        elapsed.as_secs_f64() * left as f64 >= WORTH.as_secs_f64() * done as f64
    }

    /// Starts so many more workers, each of which starts half of those that are left. Where the system gives no more threads,
    /// those that there are do the work.
    fn call<'s>(&'s self, scope: &'s Scope<'s, '_>, count: u64) {
        let mut left = count;
        while left > 0 {
            let others = (left - 1) / 2;
            self.come();
            let work = move || {
                self.call(scope, others);
                let mut worker = Worker::new(self);
                self.guard(|| worker.work());
                self.join(worker.log);
            };
            if Builder::new().spawn_scoped(scope, work).is_err() {
                return self.go();
            }
            left -= 1 + others;
        }
    }
}
