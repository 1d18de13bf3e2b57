//! Going back: what is run only to see what comes of it leaves nothing behind.
use super::{Active, Run, Which, merge::State, truth::Spread};
use crate::{id::Facts, ir::InstId};

/// What a run was at some point.
pub(super) struct Checkpoint {
    state: State,
    /// Of each frame, how many exits and how many threads that continue there were, and who stays.
    frames: Vec<(usize, usize, Option<Which>)>,
    departures: usize,
    events: usize,
    spread: Facts<InstId, Option<Spread>>,
}

impl Run<'_> {
    /// The run as it is, `active` threads being here.
    pub(super) fn checkpoint(&self, active: &Active) -> Checkpoint {
        let frame =
            |frame: &super::run::Frame| (frame.exits.len(), frame.continues.len(), frame.lost);
        Checkpoint {
            state: self.state(active.clone()),
            frames: self.frames.iter().map(frame).collect(),
            departures: self.departures,
            events: self.trace.events.len(),
            spread: self.trace.spread.clone(),
        }
    }

    /// Goes back to `before`, to which no frame must have been added since. Symbols and steps stay used.
    pub(super) fn undo(&mut self, before: Checkpoint) {
        for (frame, (exits, continues, lost)) in self.frames.iter_mut().zip(before.frames) {
            frame.exits.truncate(exits);
            frame.continues.truncate(continues);
            frame.lost = lost;
        }
        self.departures = before.departures;
        self.trace.events.truncate(before.events);
        self.trace.spread = before.spread;
        self.resume(before.state);
    }
}
