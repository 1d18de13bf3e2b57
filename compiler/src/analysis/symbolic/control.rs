//! Control flow: threads diverge at an `if`, converge after it, and leave blocks and loops early.
use super::{
    ActiveThreads, Executor,
    executor::{Flow, Frame},
    join::State,
};
use crate::ir::{Body, InstId};

impl Executor<'_> {
    pub(super) fn run_if(
        &mut self,
        id: InstId,
        cond: InstId,
        arms: [&Body; 2],
        active: ActiveThreads,
    ) -> Flow {
        let truth = self.condition_of(cond);
        self.record_split(id, &truth, &active);
        let (yes, no) = truth.parts(&self.all);
        let entries = [active.in_part(&yes, id), active.in_part(&no, id)];
        let known = matches!(truth, super::abstract_bool::AbstractBool::Exact(_));
        let before = self.save_state(active.clone());
        let mut ends: [Option<State>; 2] = [None, None];
        let mut faulted = [false; 2];
        let departures = self.departures;
        for (index, (arm, entry)) in arms.into_iter().zip(&entries).enumerate() {
            if entry.threads.is_empty() {
                continue;
            }
            // Each arm starts from the state before the `if`.
            self.resume_state(before.clone());
            let facts = self.nonnegative.len();
            self.assume_condition(cond, index == 0);
            // Arms of a known condition have disjoint threads, so events need not name them.
            if !known {
                self.arms.push((id, index == 0));
            }
            let flow = self.run_body(arm, entry.clone());
            if !known {
                self.arms.pop();
            }
            self.nonnegative.truncate(facts);
            match flow {
                Flow::On(end) => ends[index] = Some(self.save_state(end)),
                Flow::Gone => {}
                Flow::Faulted => faulted[index] = true,
            }
        }
        // Do all threads that entered the `if` arrive after it, except faulting ones?
        let whole = self.departures == departures;
        let gone = [0, 1].map(|index| ends[index].is_none());
        let [then, other] = ends;
        let merged = match (then, other) {
            (Some(then), Some(other)) => self.merge_pair(id, then, other),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) if whole => return Flow::Faulted,
            (None, None) => return Flow::Gone,
        };
        let end = self.resume_state(merged);
        // The threads that go on have not taken the arm that never reaches its end.
        if gone[0] != gone[1] {
            self.assume_condition(cond, gone[1]);
        }
        Flow::On(if whole { active } else { end })
    }

    /// Opens a frame for a loop or block.
    pub(super) fn push_frame(&mut self, id: InstId, active: &ActiveThreads) {
        let (exits, continues, departures) = (Vec::new(), Vec::new(), self.departures);
        let entry = active.threads.clone();
        self.frames.push(Frame { id, departures, entry, exits, continues, stayed: None });
    }

    pub(super) fn run_block(&mut self, id: InstId, body: &Body, active: ActiveThreads) -> Flow {
        self.push_frame(id, &active);
        let flow = self.run_body(body, active.clone());
        let Some(frame) = self.frames.pop() else { return flow };
        if frame.stayed.is_none() {
            self.departures = frame.departures;
        }
        let mut states = frame.exits;
        match flow {
            Flow::On(active) => states.push(self.save_state(active)),
            Flow::Faulted if states.is_empty() => return Flow::Faulted,
            Flow::Gone | Flow::Faulted => {}
        }
        match self.merge_states(id, states) {
            Some(state) => {
                let end = self.resume_state(state);
                Flow::On(if frame.stayed.is_some() { end } else { active })
            }
            None => Flow::Gone,
        }
    }

    /// Records a jump to the end of `target`, or to its next iteration.
    pub(super) fn leave_frame(
        &mut self,
        target: InstId,
        active: ActiveThreads,
        breaks: bool,
    ) -> Flow {
        let state = self.save_state(active);
        self.departures += 1;
        // Every frame between here and the target loses these threads.
        for frame in self.frames.iter_mut().rev() {
            if frame.id == target {
                let list = if breaks { &mut frame.exits } else { &mut frame.continues };
                list.push(state);
                break;
            }
            frame.record_escape(&state.active, &self.all);
        }
        Flow::Gone
    }

    /// Merges all `states` after `id`.
    pub(super) fn merge_states(&mut self, id: InstId, states: Vec<State>) -> Option<State> {
        let mut states = states.into_iter();
        let first = states.next()?;
        Some(states.fold(first, |merged, state| self.merge_pair(id, merged, state)))
    }
}
