//! Loops that are run as the kernel would run them, because they are known to end.
//!
//! Of any other, [`super::rounds`] runs two iterations.
use super::{
    Active, Factors, Run, Threads,
    known::{Fit, Int, Known},
    merge::State,
    rounds::Header,
    run::{Flow, Frame},
    truth::{Spread, Truth},
};
use crate::ir::{Body, InstId};

/// A loop of more iterations is not run as often as the kernel would.
const MOST_ITERATIONS: i64 = 64;
/// Nor is one that would take more instructions.
const MOST_UNROLLED: usize = 3000;
/// The same for a `loop`, of which less is known where it is not run to its end.
const MOST_REPEATS: u32 = 1024;
const MOST_REPEATED: usize = 8000;

impl Run<'_> {
    /// A `for`.
    pub(super) fn counted(
        &mut self,
        id: InstId,
        of: [InstId; 3],
        inclusive: bool,
        body: &Body,
        active: Active,
    ) -> Flow {
        let spread = self.spread_of_all(of, &active.threads);
        let header = self.header(of, inclusive, spread);
        if let Some(numbers) = header.as_ref().and_then(|header| self.unrolls(header, body)) {
            let [from, to, by] = &*numbers;
            return self.unrolled(id, [from, to, by], inclusive, body, active);
        }
        self.symbolic(id, body, active, header.as_deref(), spread)
    }

    /// What decides whether a `for` of these numbers runs its body; `None` if they are too little known.
    fn header(&self, of: [InstId; 3], inclusive: bool, spread: Spread) -> Option<Box<Header>> {
        let [start, end, step] = of.map(|id| self.known(id));
        let (Known::Int(start), Known::Int(step)) = (start, step) else { return None };
        let end = if let Known::Int(end) = end { Some(end) } else { None };
        Some(Box::new(Header { start, end, step, inclusive, spread }))
    }

    /// From where to where and by what each thread goes, if that is known and a few iterations.
    fn unrolls(&self, header: &Header, body: &Body) -> Option<Box<[Factors; 3]>> {
        let numbers = |int: &Int| {
            let numbers = int.value.exact().filter(|_| int.fit == Fit::Proved && !int.assumed);
            numbers.cloned()
        };
        let [from, to, by] = [
            numbers(&header.start)?,
            header.end.as_ref().and_then(numbers)?,
            numbers(&header.step)?,
        ];
        let most = self.iterations(&from, &to, &by, header.inclusive)?;
        let steps = || self.size(body).saturating_mul(usize::try_from(most).unwrap_or(usize::MAX));
        (most <= MOST_ITERATIONS && steps() <= MOST_UNROLLED.min(self.steps))
            .then(|| Box::new([from, to, by]))
    }

    /// The most iterations that a thread runs.
    fn iterations(
        &self,
        from: &Factors,
        to: &Factors,
        by: &Factors,
        inclusive: bool,
    ) -> Option<i64> {
        let (low, _) = from.limits();
        let (_, high) = to.limits();
        let ((least, largest), (_, far)) = (by.limits(), from.limits());
        // The number behind the last one is computed as well.
        high.max(far).checked_add(largest)?;
        let distance = high.checked_sub(low)?.checked_add(i64::from(inclusive))?;
        (least > 0).then(|| distance.max(0).checked_add(least - 1).map(|sum| sum / least))?
    }

    /// How many instructions there are in `body`, at any depth.
    fn size(&self, body: &Body) -> usize {
        let mut size = body.0.len();
        for &id in &body.0 {
            for inner in self.kernel.insts[id].op.bodies() {
                size += self.size(inner);
            }
        }
        size
    }

    /// A `for` whose numbers are known.
    fn unrolled(
        &mut self,
        id: InstId,
        [from, to, by]: [&Factors; 3],
        inclusive: bool,
        body: &Body,
        active: Active,
    ) -> Flow {
        self.open(id, &active);
        self.loops.push((id, None));
        self.rounds.push(0);
        let entry = active.clone();
        let mut now = from.clone();
        let mut next = Some(active);
        while let Some(here) = next.take() {
            let last = i64::from(!inclusive);
            let below = |now: i64, end: i64| now <= end.saturating_sub(last);
            let runs = match (now.same(), to.same()) {
                (Some(now), Some(end)) if below(now, end) => self.all.clone(),
                (Some(_), Some(_)) => Threads::none(self.count),
                _ => Threads::where_true(self.count, |thread| below(now.at(thread), to.at(thread))),
            };
            let truth = Truth::Exact(runs.clone());
            self.split(id, &truth, &here);
            let done = here.threads.without(&runs);
            if !done.is_empty() {
                let done = Active { threads: done, ..here.clone() };
                let state = self.state(done);
                self.frame().exits.push(state);
            }
            let threads = here.threads.and(&runs);
            if threads.is_empty() {
                break;
            }
            let because = if threads == here.threads { here.because } else { Some(id) };
            let here = Active { threads, because, ..here };
            self.yields(id, Known::Int(Int::proved(now.clone())), &here.threads);
            next = self.iteration(id, body, here);
            match now.plus(by) {
                Some(more) => now = more,
                None => break,
            }
        }
        self.loops.pop();
        self.rounds.pop();
        self.after(id, entry)
    }

    /// Runs `body` once; who goes on with the next iteration.
    pub(super) fn iteration(&mut self, id: InstId, body: &Body, active: Active) -> Option<Active> {
        let exits = self.frame().exits.len();
        let flow = self.body(body, active.clone());
        self.end_iteration(id, active, exits, flow)
    }

    /// Behind an iteration that began with so many exits.
    fn end_iteration(
        &mut self,
        id: InstId,
        active: Active,
        exits: usize,
        flow: Flow,
    ) -> Option<Active> {
        let mut states = std::mem::take(&mut self.frame().continues);
        if let Flow::On(active) = flow {
            states.push(self.state(active));
        }
        if let Some(round) = self.rounds.last_mut() {
            *round += 1;
        }
        let whole = self.frame().exits.len() == exits && self.frame().lost.is_none();
        let state = self.merge_all(id, states)?;
        let end = self.resume(state);
        Some(if whole { active } else { end })
    }

    /// The innermost loop or block.
    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("it was pushed by who asks, who pops it in the end")
    }

    /// Behind loop `id`, which threads have entered as `entry`.
    fn after(&mut self, id: InstId, entry: Active) -> Flow {
        let Some(frame) = self.frames.pop() else { return Flow::Gone };
        if frame.lost.is_none() {
            self.departures = frame.departures;
        }
        match self.merge_all(id, frame.exits) {
            Some(state) => {
                let end = self.resume(state);
                Flow::On(if frame.lost.is_some() { end } else { entry })
            }
            None => Flow::Gone,
        }
    }

    /// A `loop`.
    pub(super) fn repeated(&mut self, id: InstId, body: &Body, active: Active) -> Flow {
        match self.concrete(id, body, &active) {
            Some(flow) => flow,
            None => self.symbolic(id, body, active, None, Spread::Block),
        }
    }

    /// A `loop` that is known to end; `None`, with nothing changed, if it is not.
    fn concrete(&mut self, id: InstId, body: &Body, active: &Active) -> Option<Flow> {
        let before = self.checkpoint(active);
        let steps = self.steps;
        self.open(id, active);
        self.loops.push((id, None));
        self.rounds.push(0);
        let mut next = Some(active.clone());
        let mut left = MOST_REPEATS;
        let mut known = true;
        while let Some(here) = next.take() {
            next = self.iteration(id, body, here);
            left -= 1;
            let Some(stays) = &next else { break };
            let overlaps = |state: &State| state.active.threads.meets(&stays.threads);
            let unknown = self.frame().exits.iter().any(overlaps);
            let used = steps - self.steps;
            if unknown || left == 0 || used > MOST_REPEATED || self.steps == 0 {
                known = false;
                break;
            }
        }
        self.loops.pop();
        self.rounds.pop();
        if known && (self.frame().lost.is_some() || !self.frame().exits.is_empty()) {
            return Some(self.after(id, active.clone()));
        }
        self.frames.pop();
        self.undo(before);
        None
    }
}
