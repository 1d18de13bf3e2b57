//! Where threads part and meet again: `if`s, blocks, and what leaves them.
use super::{
    Active, Run,
    merge::State,
    run::{Flow, Frame},
};
use crate::ir::{Body, InstId};

impl Run<'_> {
    pub(super) fn branch(
        &mut self,
        id: InstId,
        cond: InstId,
        arms: [&Body; 2],
        active: Active,
    ) -> Flow {
        let truth = self.truth(cond);
        self.split(id, &truth, &active);
        let (yes, no) = truth.parts(&self.all);
        let entries = [active.in_part(&yes, id), active.in_part(&no, id)];
        let known = matches!(truth, super::truth::Truth::Exact(_));
        let before = self.state(active.clone());
        let mut ends: [Option<State>; 2] = [None, None];
        let mut faulted = [false; 2];
        let departures = self.departures;
        for (index, (arm, entry)) in arms.into_iter().zip(&entries).enumerate() {
            if entry.threads.is_empty() {
                continue;
            }
            self.resume(before.clone());
            let facts = self.facts.len();
            self.assume(cond, index == 0);
            if !known {
                self.arms.push((id, index == 0));
            }
            let flow = self.body(arm, entry.clone());
            if !known {
                self.arms.pop();
            }
            self.facts.truncate(facts);
            match flow {
                Flow::On(end) => ends[index] = Some(self.state(end)),
                Flow::Gone => {}
                Flow::Faulted => faulted[index] = true,
            }
        }
        // Whether all who have come here are behind it again, but for those who fault.
        let whole = self.departures == departures;
        let gone = [0, 1].map(|index| ends[index].is_none());
        let [then, other] = ends;
        let merged = match (then, other) {
            (Some(then), Some(other)) => self.merge(id, then, other),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) if whole => return Flow::Faulted,
            (None, None) => return Flow::Gone,
        };
        let end = self.resume(merged);
        // Who goes on has not taken the arm that nobody leaves at its end.
        if gone[0] != gone[1] {
            self.assume(cond, gone[1]);
        }
        Flow::On(if whole { active } else { end })
    }

    /// Begins a loop or block.
    pub(super) fn open(&mut self, id: InstId, active: &Active) {
        let (exits, continues, departures) = (Vec::new(), Vec::new(), self.departures);
        let entry = active.threads.clone();
        self.frames.push(Frame { id, departures, entry, exits, continues, lost: None });
    }

    pub(super) fn block(&mut self, id: InstId, body: &Body, active: Active) -> Flow {
        self.open(id, &active);
        let flow = self.body(body, active.clone());
        let Some(frame) = self.frames.pop() else { return flow };
        if frame.lost.is_none() {
            self.departures = frame.departures;
        }
        let mut states = frame.exits;
        match flow {
            Flow::On(active) => states.push(self.state(active)),
            Flow::Faulted if states.is_empty() => return Flow::Faulted,
            Flow::Gone | Flow::Faulted => {}
        }
        match self.merge_all(id, states) {
            Some(state) => {
                let end = self.resume(state);
                Flow::On(if frame.lost.is_some() { end } else { active })
            }
            None => Flow::Gone,
        }
    }

    /// Goes on behind `target`, or with its next iteration.
    pub(super) fn leaves(&mut self, target: InstId, active: Active, breaks: bool) -> Flow {
        let state = self.state(active);
        self.departures += 1;
        for frame in self.frames.iter_mut().rev() {
            if frame.id == target {
                let list = if breaks { &mut frame.exits } else { &mut frame.continues };
                list.push(state);
                break;
            }
            frame.lose(&state.active, &self.all);
        }
        Flow::Gone
    }

    /// All of `states`, behind `id`.
    pub(super) fn merge_all(&mut self, id: InstId, states: Vec<State>) -> Option<State> {
        let mut states = states.into_iter();
        let first = states.next()?;
        Some(states.fold(first, |merged, state| self.merge(id, merged, state)))
    }
}
