//! Loops with an unknown end: two consecutive iterations are run.
//!
//! The locals at the beginning of the first are those of an arbitrary iteration (see
//! [`super::loop_locals`]).
use super::{
    super::{range::Range, uniformity::Group},
    ActiveThreads, Coverage, Executor, SymbolId, SymbolKind, SymbolicSum, ThreadSet,
    abstract_bool::{AbstractBool, PartialThreads, Spread},
    abstract_value::{AbstractInt, AbstractValue, Fit, scalar_type},
    executor::Flow,
    join::State,
    locals::Locals,
};
use crate::ir::{Body, CompareOp, InstId, LocalId, Op};
use std::rc::Rc;

/// The numbers that decide the iterations of a `for`.
pub(super) struct Header {
    pub(super) start: AbstractInt,
    pub(super) end: Option<AbstractInt>,
    pub(super) step: AbstractInt,
    pub(super) inclusive: bool,
    /// The spread of start, end and step together.
    pub(super) spread: Spread,
}

/// A loop whose symbolic iterations are being run.
struct SymbolicLoop {
    /// The threads that reached the loop.
    active: ActiveThreads,
    /// The locals that the loop writes.
    written: Vec<LocalId>,
    before: State,
    /// The symbol of the iteration number.
    number: SymbolicSum,
    /// The coverage of threads that leave together.
    exit_coverage: Coverage,
    /// The states of threads that may leave the loop.
    exit_states: Vec<State>,
    /// The threads still in the loop.
    remaining: Option<ActiveThreads>,
}

/// Returns the symbol that `number` consists of.
fn symbol_of(number: &SymbolicSum) -> Option<SymbolId> {
    number.terms().first()?.monomial.0.first().copied()
}

impl Executor<'_> {
    /// Runs an arbitrary iteration, and the next one.
    ///
    /// The code before and after them is in functions of its own: loops nest deep, and the stack
    /// holds this function's variables for each of them.
    pub(super) fn run_symbolic_loop(
        &mut self,
        id: InstId,
        body: &Body,
        active: ActiveThreads,
        header: Option<&Header>,
        spread: Spread,
    ) -> Flow {
        let mut rounds = self.enter_symbolic_loop(id, body, active, header, spread);
        for later in 0..2 {
            let Some(start) = self.begin_iteration(id, header, later, &mut rounds) else { break };
            let here = self.run_iteration(id, body, start);
            self.finish_iteration(&mut rounds, here);
        }
        self.exit_symbolic_loop(id, body, rounds)
    }

    fn enter_symbolic_loop(
        &mut self,
        id: InstId,
        body: &Body,
        active: ActiveThreads,
        header: Option<&Header>,
        spread: Spread,
    ) -> Box<SymbolicLoop> {
        let mut written = Vec::new();
        self.collect_written_locals(body, &mut written);
        self.record_stride(id, body, header, &active);
        let before = self.save_state(active.clone());
        let most = header
            .and_then(|header| self.max_last_iteration(id, header))
            .unwrap_or(i64::MAX.into());
        let range = Range::new(0, most);
        let number = self.new_symbol(id, SymbolKind::Iteration, Group::Block, range);
        let trips = header.and_then(|header| self.trip_count(id, header, body, &active.threads));
        self.trace.trip_counts.extend(symbol_of(&number).zip(trips));
        let first = self.locals_in_any_iteration(id, body, &before, &written, Some(&number));
        // The threads still in the loop in a later iteration.
        let probe = self.probe_iteration(id, body, &active, &first, header, &number);
        let mut entry = active.clone();
        let parts = match spread {
            Spread::Block => Coverage::All,
            Spread::Warp => Coverage::Warps,
            Spread::Thread => Coverage::Some,
        };
        if let Some(stays) = &probe {
            let gone = active.threads.difference(&stays.threads);
            let which = match stays.coverage {
                which if gone.is_empty() => which,
                Coverage::All | Coverage::Warps if gone.is_whole_warps_of(&self.all) => {
                    Coverage::Warps
                }
                Coverage::All
                | Coverage::Warps
                | Coverage::Guarded
                | Coverage::Some
                | Coverage::One => Coverage::Some,
            };
            // The iteration stands for the first one, with all threads, and for any later one.
            entry.coverage = entry.coverage.weaker(which);
            entry.full_except_at_edges &= stays.full_except_at_edges && gone.is_empty();
            entry.launch_dependent |= stays.launch_dependent;
            entry.cause = stays.cause.or(entry.cause);
        }
        self.push_frame(id, &active);
        self.loops.push((id, symbol_of(&number)));
        self.rounds.push(0);
        self.resume_state(State { locals: first, ..before.clone() });
        let ends = vec![before.clone()];
        Box::new(SymbolicLoop {
            active,
            written,
            before,
            number,
            exit_coverage: parts,
            exit_states: ends,
            remaining: Some(entry),
        })
    }

    /// Returns the threads that begin an iteration.
    fn begin_iteration(
        &mut self,
        id: InstId,
        header: Option<&Header>,
        later: i64,
        rounds: &mut SymbolicLoop,
    ) -> Option<ActiveThreads> {
        let here = rounds.remaining.take()?;
        self.enter_iteration(id, header, &rounds.number, later, here, rounds.exit_coverage)
    }

    /// Records the threads that are still in the loop after an iteration.
    fn finish_iteration(&self, rounds: &mut SymbolicLoop, here: Option<ActiveThreads>) {
        rounds.exit_states.extend(here.clone().map(|active| self.save_state(active)));
        rounds.remaining = here;
    }

    fn exit_symbolic_loop(&mut self, id: InstId, body: &Body, rounds: Box<SymbolicLoop>) -> Flow {
        let SymbolicLoop { active, written, before, exit_coverage, mut exit_states, .. } = *rounds;
        self.loops.pop();
        self.rounds.pop();
        let Some(frame) = self.frames.pop() else { return Flow::Gone };
        if frame.stayed.is_none() {
            self.departures = frame.departures;
        }
        // Threads that leave in a later iteration have passed the barriers of these two.
        let passed = exit_states.iter().map(|end| end.interval).max();
        let counts = matches!(self.kernel.insts[id].op, Op::For { .. });
        let endless = !counts && frame.exits.is_empty();
        if counts {
            exit_states.extend(frame.exits);
        } else {
            exit_states = frame.exits;
        }
        if endless {
            return Flow::Gone;
        }
        let uniform = exit_states.iter().all(|end| end.active.coverage == Coverage::All)
            && exit_coverage == Coverage::All;
        let left = exit_states.iter().map(|end| end.interval).max();
        let interval = passed.max(left).unwrap_or(before.interval);
        let since = exit_states.iter().map(|end| end.since).min().unwrap_or(before.since);
        let trips = uniform.then(|| {
            self.new_symbol(id, SymbolKind::Computed, Group::Block, Range::new(0, i64::MAX.into()))
        });
        let locals = self.locals_in_any_iteration(id, body, &before, &written, trips.as_ref());
        let end = match frame.stayed {
            None => active,
            Some(stay) => active.in_part(&PartialThreads::new(self.all.clone(), stay), id),
        };
        self.resume_state(State { active: end.clone(), locals, interval, since });
        Flow::On(end)
    }

    /// Runs an iteration on trial: returns the threads that are still in the loop after `active`
    /// threads began it.
    fn probe_iteration(
        &mut self,
        id: InstId,
        body: &Body,
        active: &ActiveThreads,
        locals: &Locals,
        header: Option<&Header>,
        number: &SymbolicSum,
    ) -> Option<ActiveThreads> {
        let leaves = |op: &Op| matches!(op, Op::Break(_) | Op::Return);
        if !self.contains_op(body, &leaves) {
            return None;
        }
        let before = self.take_checkpoint(active);
        self.push_frame(id, active);
        self.loops.push((id, symbol_of(number)));
        self.rounds.push(0);
        self.locals = locals.clone();
        let mut stays = Some(active.clone());
        // A second run, as the state that the first leaves behind can make it worse.
        for _ in 0..2 {
            if let Some(here) = stays.take()
                && let Some(here) = self.enter_iteration(id, header, number, 0, here, Coverage::All)
            {
                stays = self.run_iteration(id, body, here);
            }
        }
        self.loops.pop();
        self.rounds.pop();
        self.frames.pop();
        self.restore_checkpoint(before);
        stays
    }

    /// Returns an upper bound of the last iteration number of a `for`.
    fn max_last_iteration(&self, id: InstId, header: &Header) -> Option<i128> {
        let range = self.result_range(id)?;
        let step = header
            .step
            .unwrapped()
            .and_then(|(step, _)| self.sum_range(step))
            .map_or(1, |range| range.min.max(1));
        Some((range.max - range.min).max(0) / step)
    }

    /// Returns the trip count of `for` loop `id`, if it is the same in all `active` threads and
    /// none of them leaves the loop early.
    fn trip_count(
        &self,
        id: InstId,
        header: &Header,
        body: &Body,
        active: &ThreadSet,
    ) -> Option<i64> {
        // Loops inside of the body follow `id`.
        let leaves = |op: &Op| match op {
            Op::Break(target) => *target <= id,
            Op::Continue(target) => *target < id,
            other => matches!(other, Op::Return),
        };
        let numbers = |int: &AbstractInt| {
            let known = int.fit == Fit::Proved && !int.assumed;
            int.value.as_numbers().filter(|_| known).cloned()
        };
        let [from, to, by] =
            [numbers(&header.start)?, numbers(header.end.as_ref()?)?, numbers(&header.step)?];
        let trips = |thread: usize| {
            let distance = to.number_in(thread).checked_sub(from.number_in(thread))?;
            let distance = distance.checked_add(i64::from(header.inclusive))?.max(0);
            let step = Some(by.number_in(thread)).filter(|&step| step > 0)?;
            Some(distance / step + i64::from(distance % step != 0))
        };
        let trip_count = trips(active.iter().next()?)?;
        let is_same = active.iter().all(|thread| trips(thread) == Some(trip_count));
        (is_same && !self.contains_op(body, &leaves)).then_some(trip_count)
    }

    /// Computes the counter of a `for` in iteration `number + later`, and returns the threads that
    /// run the iteration.
    fn enter_iteration(
        &mut self,
        id: InstId,
        header: Option<&Header>,
        number: &SymbolicSum,
        later: i64,
        active: ActiveThreads,
        parts: Coverage,
    ) -> Option<ActiveThreads> {
        let Some(header) = header else {
            if scalar_type(self.kernel.insts[id].ty).is_some() {
                let known = self.new_unknown(id, Spread::Thread);
                self.record_value(id, known, &active.threads);
                self.record_split(id, &self.unknown_bool(Spread::Thread), &active);
                let part = PartialThreads::new(self.all.clone(), Coverage::Some);
                return Some(active.in_part(&part, id));
            }
            return Some(active);
        };
        let value = self.header_value(header, number, later);
        let known = match value {
            Some(int) => AbstractValue::Int(int),
            None => {
                let own = [&header.start, &header.step]
                    .map(|int| self.spread_in(&AbstractValue::Int(int.clone()), &active.threads));
                self.new_unknown(id, own[0].max(own[1]))
            }
        };
        self.record_value(id, known.clone(), &active.threads);
        let truth = self.header_condition(header, &known, &active, parts);
        self.record_split(id, &truth, &active);
        let (yes, _) = truth.parts(&self.all);
        let inside = active.in_part(&yes, id);
        (!inside.threads.is_empty()).then_some(inside)
    }

    fn header_value(
        &self,
        header: &Header,
        number: &SymbolicSum,
        later: i64,
    ) -> Option<AbstractInt> {
        let ((start, assumed), (step, also)) =
            (header.start.unwrapped()?, header.step.unwrapped()?);
        let rounds = number.checked_add(&SymbolicSum::from(later))?;
        let value = start.checked_add(&step.checked_mul(&rounds)?)?;
        // The counter never wraps.
        Some(AbstractInt { value: Rc::new(value), fit: Fit::Proved, assumed: assumed || also })
    }

    /// Returns the condition of an iteration with the counter `known`.
    fn header_condition(
        &self,
        header: &Header,
        known: &AbstractValue,
        active: &ActiveThreads,
        parts: Coverage,
    ) -> AbstractBool {
        let by = || AbstractBool::unknown(&self.all, parts, parts);
        let (AbstractValue::Int(now), Some(end)) = (known, &header.end) else { return by() };
        let (Some((now, assumed)), Some((end, also))) = (now.unwrapped(), end.unwrapped()) else {
            return by();
        };
        let op = if header.inclusive { CompareOp::Le } else { CompareOp::Lt };
        match now.checked_sub(end) {
            Some(difference) => {
                let truth =
                    self.compare_with_zero(op, &difference, assumed || also, &active.threads);
                match (&truth, header.spread) {
                    (AbstractBool::Parts { .. }, Spread::Block) => self.unknown_bool(Spread::Block),
                    // Every iteration that runs has at least one thread.
                    (AbstractBool::Exact(yes), _) if yes.is_empty() => by(),
                    _ => truth,
                }
            }
            None => by(),
        }
    }
}
