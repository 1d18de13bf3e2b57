//! Concrete loops: known to end, and run iteration by iteration as the kernel would run them.
//!
//! [`super::symbolic_loops`] runs two iterations of any other loop.
use super::{
    ActiveThreads, Executor, PerThread, ThreadSet,
    abstract_bool::{AbstractBool, Spread},
    abstract_value::{AbstractInt, AbstractValue, Fit},
    executor::{Flow, Frame},
    join::State,
    symbolic_loops::Header,
};
use crate::ir::{Body, InstId};

/// Maximum trip count of a `for` that is run concretely.
const MAX_FOR_ITERATIONS: i64 = 64;
/// Maximum number of instructions over all iterations of a `for` that is run concretely.
const MAX_FOR_INSTS: usize = 3000;
/// Maximum trip count of a `loop` that is run concretely. It is higher than for a `for`, as less is
/// known of a `loop` that is not run to its end.
const MAX_LOOP_ITERATIONS: u32 = 1024;
const MAX_LOOP_INSTS: usize = 8000;

impl Executor<'_> {
    /// Runs a `for`.
    pub(super) fn run_for(
        &mut self,
        id: InstId,
        of: [InstId; 3],
        inclusive: bool,
        body: &Body,
        active: ActiveThreads,
    ) -> Flow {
        let spread = self.spread_of_operands(of, &active.threads);
        let header = self.loop_header(of, inclusive, spread);
        if let Some(numbers) = header.as_ref().and_then(|header| self.concrete_header(header, body))
        {
            let [from, to, by] = &*numbers;
            return self.run_concrete_for(id, [from, to, by], inclusive, body, active);
        }
        self.run_symbolic_loop(id, body, active, header.as_deref(), spread)
    }

    /// Returns the numbers that decide the iterations of a `for`; `None` if too little is known of
    /// them.
    fn loop_header(&self, of: [InstId; 3], inclusive: bool, spread: Spread) -> Option<Box<Header>> {
        let [start, end, step] = of.map(|id| self.last_value(id));
        let (AbstractValue::Int(start), AbstractValue::Int(step)) = (start, step) else {
            return None;
        };
        let end = if let AbstractValue::Int(end) = end { Some(end) } else { None };
        Some(Box::new(Header { start, end, step, inclusive, spread }))
    }

    /// Returns start, end and step for each thread, if they are known and the iterations are few.
    fn concrete_header(&self, header: &Header, body: &Body) -> Option<Box<[PerThread; 3]>> {
        let numbers = |int: &AbstractInt| {
            let numbers = int.value.as_numbers().filter(|_| int.fit == Fit::Proved && !int.assumed);
            numbers.cloned()
        };
        let [from, to, by] = [
            numbers(&header.start)?,
            header.end.as_ref().and_then(numbers)?,
            numbers(&header.step)?,
        ];
        let most = self.max_trip_count(&from, &to, &by, header.inclusive)?;
        let steps =
            || self.count_insts(body).saturating_mul(usize::try_from(most).unwrap_or(usize::MAX));
        (most <= MAX_FOR_ITERATIONS && steps() <= MAX_FOR_INSTS.min(self.remaining_steps))
            .then(|| Box::new([from, to, by]))
    }

    /// Returns the largest trip count of a thread.
    fn max_trip_count(
        &self,
        from: &PerThread,
        to: &PerThread,
        by: &PerThread,
        inclusive: bool,
    ) -> Option<i64> {
        let (low, _) = from.limits();
        let (_, high) = to.limits();
        let ((least, largest), (_, far)) = (by.limits(), from.limits());
        // The number after the last iteration is computed as well.
        high.max(far).checked_add(largest)?;
        let distance = high.checked_sub(low)?.checked_add(i64::from(inclusive))?;
        (least > 0).then(|| distance.max(0).checked_add(least - 1).map(|sum| sum / least))?
    }

    /// Returns the number of instructions in `body`, at any depth.
    fn count_insts(&self, body: &Body) -> usize {
        let mut size = body.0.len();
        for &id in &body.0 {
            for inner in self.kernel.insts[id].op.bodies() {
                size += self.count_insts(inner);
            }
        }
        size
    }

    /// Runs a `for` whose numbers are known.
    fn run_concrete_for(
        &mut self,
        id: InstId,
        [from, to, by]: [&PerThread; 3],
        inclusive: bool,
        body: &Body,
        active: ActiveThreads,
    ) -> Flow {
        self.push_frame(id, &active);
        self.loops.push((id, None));
        self.rounds.push(0);
        let entry = active.clone();
        let mut now = from.clone();
        let mut next = Some(active);
        while let Some(here) = next.take() {
            let last = i64::from(!inclusive);
            let below = |now: i64, end: i64| now <= end.saturating_sub(last);
            // Uniform numbers are the usual case, and need no loop over threads.
            let runs = match (now.as_uniform(), to.as_uniform()) {
                (Some(now), Some(end)) if below(now, end) => self.all.clone(),
                (Some(_), Some(_)) => ThreadSet::none(self.thread_count),
                _ => ThreadSet::from_fn(self.thread_count, |thread| {
                    below(now.number_in(thread), to.number_in(thread))
                }),
            };
            let truth = AbstractBool::Exact(runs.clone());
            self.record_split(id, &truth, &here);
            let done = here.threads.difference(&runs);
            if !done.is_empty() {
                let done = ActiveThreads { threads: done, ..here.clone() };
                let state = self.save_state(done);
                self.innermost_frame().exits.push(state);
            }
            let threads = here.threads.intersection(&runs);
            if threads.is_empty() {
                break;
            }
            let because = if threads == here.threads { here.cause } else { Some(id) };
            let here = ActiveThreads { threads, cause: because, ..here };
            self.record_value(
                id,
                AbstractValue::Int(AbstractInt::proved(now.clone())),
                &here.threads,
            );
            next = self.run_iteration(id, body, here);
            match now.checked_add(by) {
                Some(more) => now = more,
                None => break,
            }
        }
        self.loops.pop();
        self.rounds.pop();
        self.leave_loop(id, entry)
    }

    /// Runs `body` once; returns the threads that start the next iteration.
    pub(super) fn run_iteration(
        &mut self,
        id: InstId,
        body: &Body,
        active: ActiveThreads,
    ) -> Option<ActiveThreads> {
        let exits = self.innermost_frame().exits.len();
        let flow = self.run_body(body, active.clone());
        self.end_iteration(id, active, exits, flow)
    }

    /// Ends an iteration that began with `exits` exits.
    fn end_iteration(
        &mut self,
        id: InstId,
        active: ActiveThreads,
        exits: usize,
        flow: Flow,
    ) -> Option<ActiveThreads> {
        let mut states = std::mem::take(&mut self.innermost_frame().continues);
        if let Flow::On(active) = flow {
            states.push(self.save_state(active));
        }
        if let Some(round) = self.rounds.last_mut() {
            *round += 1;
        }
        let whole =
            self.innermost_frame().exits.len() == exits && self.innermost_frame().stayed.is_none();
        let state = self.merge_states(id, states)?;
        let end = self.resume_state(state);
        Some(if whole { active } else { end })
    }

    /// Returns the innermost loop or block.
    fn innermost_frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("it was pushed by who asks, who pops it in the end")
    }

    /// Merges the exits of loop `id`, which the threads of `entry` entered.
    fn leave_loop(&mut self, id: InstId, entry: ActiveThreads) -> Flow {
        let Some(frame) = self.frames.pop() else { return Flow::Gone };
        if frame.stayed.is_none() {
            self.departures = frame.departures;
        }
        match self.merge_states(id, frame.exits) {
            Some(state) => {
                let end = self.resume_state(state);
                Flow::On(if frame.stayed.is_some() { end } else { entry })
            }
            None => Flow::Gone,
        }
    }

    /// Runs a `loop`.
    pub(super) fn run_loop(&mut self, id: InstId, body: &Body, active: ActiveThreads) -> Flow {
        match self.try_run_concrete_loop(id, body, &active) {
            Some(flow) => flow,
            None => self.run_symbolic_loop(id, body, active, None, Spread::Block),
        }
    }

    /// Runs a `loop` that is known to end; otherwise changes nothing and returns `None`.
    fn try_run_concrete_loop(
        &mut self,
        id: InstId,
        body: &Body,
        active: &ActiveThreads,
    ) -> Option<Flow> {
        let before = self.take_checkpoint(active);
        let steps = self.remaining_steps;
        self.push_frame(id, active);
        self.loops.push((id, None));
        self.rounds.push(0);
        let mut next = Some(active.clone());
        let mut left = MAX_LOOP_ITERATIONS;
        let mut known = true;
        while let Some(here) = next.take() {
            next = self.run_iteration(id, body, here);
            left -= 1;
            let Some(stays) = &next else { break };
            // If a thread both leaves and stays, the condition is unknown, and the loop may not
            // end.
            let overlaps = |state: &State| state.active.threads.intersects(&stays.threads);
            let unknown = self.innermost_frame().exits.iter().any(overlaps);
            let used = steps - self.remaining_steps;
            if unknown || left == 0 || used > MAX_LOOP_INSTS || self.remaining_steps == 0 {
                known = false;
                break;
            }
        }
        self.loops.pop();
        self.rounds.pop();
        if known
            && (self.innermost_frame().stayed.is_some() || !self.innermost_frame().exits.is_empty())
        {
            return Some(self.leave_loop(id, active.clone()));
        }
        self.frames.pop();
        self.restore_checkpoint(before);
        None
    }
}
