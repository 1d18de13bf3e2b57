//! Checkpoints: a trial run of a loop body is undone without a trace.
use super::{ActiveThreads, Coverage, Executor, abstract_bool::Spread, join::State};
use crate::{id::Facts, ir::InstId};

/// A snapshot of an execution.
pub(super) struct Checkpoint {
    state: State,
    /// Per frame: the number of exits, the number of threads that continue there, and the coverage
    /// of the threads that stay.
    frames: Vec<(usize, usize, Option<Coverage>)>,
    departures: usize,
    events: usize,
    spread: Facts<InstId, Option<Spread>>,
}

impl Executor<'_> {
    /// Takes a snapshot while `active` threads run.
    pub(super) fn take_checkpoint(&self, active: &ActiveThreads) -> Checkpoint {
        let frame = |frame: &super::executor::Frame| {
            (frame.exits.len(), frame.continues.len(), frame.stayed)
        };
        Checkpoint {
            state: self.save_state(active.clone()),
            frames: self.frames.iter().map(frame).collect(),
            departures: self.departures,
            events: self.trace.events.len(),
            spread: self.trace.spread.clone(),
        }
    }

    /// Restores `before`; the frames must be the same. Symbols and steps stay used.
    pub(super) fn restore_checkpoint(&mut self, before: Checkpoint) {
        for (frame, (exits, continues, lost)) in self.frames.iter_mut().zip(before.frames) {
            frame.exits.truncate(exits);
            frame.continues.truncate(continues);
            frame.stayed = lost;
        }
        self.departures = before.departures;
        self.trace.events.truncate(before.events);
        self.trace.spread = before.spread;
        self.resume_state(before.state);
    }
}
