//! Loops of which is not known when they end: two iterations are run, one after the other.
//!
//! What locals hold at the beginning of the first is what is known of any iteration, as [`super::change`] says.
use super::{
    super::{range::Range, uniformity::Group},
    Active, Run, SymbolId, SymbolKind, Threads, Value, Which,
    known::{Fit, Int, Known, scalar},
    locals::Locals,
    merge::State,
    run::Flow,
    truth::{Part, Spread, Truth},
};
use crate::ir::{Body, CompareOp, InstId, LocalId, Op};
use std::rc::Rc;

/// What decides whether a `for` runs its body.
pub(super) struct Header {
    pub(super) start: Int,
    pub(super) end: Option<Int>,
    pub(super) step: Int,
    pub(super) inclusive: bool,
    /// How far start, end and step together are the same.
    pub(super) spread: Spread,
}

/// A loop whose iterations are being run.
struct Rounds {
    /// Who has come to the loop.
    active: Active,
    /// The locals that it writes.
    written: Vec<LocalId>,
    before: State,
    /// The symbol of the iteration's number.
    number: Value,
    /// Who leaves together.
    parts: Which,
    /// Where threads may leave it.
    ends: Vec<State>,
    /// Who is still there.
    here: Option<Active>,
}

/// The symbol that `number` is.
fn id_of(number: &Value) -> Option<SymbolId> {
    number.symbolic().first()?.of.0.first().copied()
}

impl Run<'_> {
    /// Any iteration, and the one behind it.
    ///
    /// What comes before and behind them has functions of its own: loops nest deep, and the stack holds what this one holds
    /// for each of them.
    pub(super) fn symbolic(
        &mut self,
        id: InstId,
        body: &Body,
        active: Active,
        header: Option<&Header>,
        spread: Spread,
    ) -> Flow {
        let mut rounds = self.before_rounds(id, body, active, header, spread);
        for later in 0..2 {
            let Some(start) = self.begin_round(id, header, later, &mut rounds) else { break };
            let here = self.iteration(id, body, start);
            self.end_round(&mut rounds, here);
        }
        self.behind_rounds(id, body, rounds)
    }

    fn before_rounds(
        &mut self,
        id: InstId,
        body: &Body,
        active: Active,
        header: Option<&Header>,
        spread: Spread,
    ) -> Box<Rounds> {
        let mut written = Vec::new();
        self.written(body, &mut written);
        self.note_stride(id, body, header, &active);
        let before = self.state(active.clone());
        let most =
            header.and_then(|header| self.most_iterations(id, header)).unwrap_or(i64::MAX.into());
        let range = Range::new(0, most);
        let number = self.symbol(id, SymbolKind::Iteration, Group::Block, range);
        let trips = header.and_then(|header| self.trip_count(id, header, body, &active.threads));
        self.trace.trips.extend(id_of(&number).zip(trips));
        let first = self.any_iteration(id, body, &before, &written, Some(&number));
        // Who is still there in a later iteration.
        let probe = self.probe(id, body, &active, &first, header, &number);
        let mut entry = active.clone();
        let parts = match spread {
            Spread::Block => Which::All,
            Spread::Warp => Which::Warps,
            Spread::Thread => Which::Some,
        };
        if let Some(stays) = &probe {
            let gone = active.threads.without(&stays.threads);
            let which = match stays.which {
                which if gone.is_empty() => which,
                Which::All | Which::Warps if gone.is_of_warps(&self.all) => Which::Warps,
                Which::All | Which::Warps | Which::Guarded | Which::Some | Which::One => {
                    Which::Some
                }
            };
            entry.which = entry.which.weaker(which);
            entry.edge &= stays.edge && gone.is_empty();
            entry.cut |= stays.cut;
            entry.because = stays.because.or(entry.because);
        }
        self.open(id, &active);
        self.loops.push((id, id_of(&number)));
        self.rounds.push(0);
        self.resume(State { locals: first, ..before.clone() });
        let ends = vec![before.clone()];
        Box::new(Rounds { active, written, before, number, parts, ends, here: Some(entry) })
    }

    /// Who begins an iteration, of those who are still there.
    fn begin_round(
        &mut self,
        id: InstId,
        header: Option<&Header>,
        later: i64,
        rounds: &mut Rounds,
    ) -> Option<Active> {
        let here = rounds.here.take()?;
        self.enters(id, header, &rounds.number, later, here, rounds.parts)
    }

    /// Notes who goes on behind an iteration.
    fn end_round(&self, rounds: &mut Rounds, here: Option<Active>) {
        rounds.ends.extend(here.clone().map(|active| self.state(active)));
        rounds.here = here;
    }

    fn behind_rounds(&mut self, id: InstId, body: &Body, rounds: Box<Rounds>) -> Flow {
        let Rounds { active, written, before, parts, mut ends, .. } = *rounds;
        self.loops.pop();
        self.rounds.pop();
        let Some(frame) = self.frames.pop() else { return Flow::Gone };
        if frame.lost.is_none() {
            self.departures = frame.departures;
        }
        // Those who leave in a later iteration have passed the barriers of these.
        let passed = ends.iter().map(|end| end.interval).max();
        let counts = matches!(self.kernel.insts[id].op, Op::For { .. });
        let endless = !counts && frame.exits.is_empty();
        if counts {
            ends.extend(frame.exits);
        } else {
            ends = frame.exits;
        }
        if endless {
            return Flow::Gone;
        }
        let uniform = ends.iter().all(|end| end.active.which == Which::All) && parts == Which::All;
        let left = ends.iter().map(|end| end.interval).max();
        let interval = passed.max(left).unwrap_or(before.interval);
        let since = ends.iter().map(|end| end.since).min().unwrap_or(before.since);
        let trips = uniform.then(|| {
            self.symbol(id, SymbolKind::Computed, Group::Block, Range::new(0, i64::MAX.into()))
        });
        let locals = self.any_iteration(id, body, &before, &written, trips.as_ref());
        let end = match frame.lost {
            None => active,
            Some(stay) => active.in_part(&Part::new(self.all.clone(), stay), id),
        };
        self.resume(State { active: end.clone(), locals, interval, since });
        Flow::On(end)
    }

    /// Who is still there behind an iteration that `active` threads begin.
    fn probe(
        &mut self,
        id: InstId,
        body: &Body,
        active: &Active,
        locals: &Locals,
        header: Option<&Header>,
        number: &Value,
    ) -> Option<Active> {
        let leaves = |op: &Op| matches!(op, Op::Break(_) | Op::Return);
        if !self.holds(body, &leaves) {
            return None;
        }
        let before = self.checkpoint(active);
        self.open(id, active);
        self.loops.push((id, id_of(number)));
        self.rounds.push(0);
        self.locals = locals.clone();
        let mut stays = Some(active.clone());
        // The second time for what becomes worse with what the first leaves.
        for _ in 0..2 {
            if let Some(here) = stays.take()
                && let Some(here) = self.enters(id, header, number, 0, here, Which::All)
            {
                stays = self.iteration(id, body, here);
            }
        }
        self.loops.pop();
        self.rounds.pop();
        self.frames.pop();
        self.undo(before);
        stays
    }

    /// The number of the last iteration of a `for`, at most.
    fn most_iterations(&self, id: InstId, header: &Header) -> Option<i128> {
        let range = self.range_of(id)?;
        let step = header
            .step
            .needed()
            .and_then(|(step, _)| self.range(step))
            .map_or(1, |range| range.min.max(1));
        Some((range.max - range.min).max(0) / step)
    }

    /// Returns the trip count of `for` loop `id`, if it is the same in all `active` threads and none of them leaves
    /// the loop early.
    fn trip_count(
        &self,
        id: InstId,
        header: &Header,
        body: &Body,
        active: &Threads,
    ) -> Option<i64> {
        // Loops inside of the body come after `id`.
        let leaves = |op: &Op| match op {
            Op::Break(target) => *target <= id,
            Op::Continue(target) => *target < id,
            other => matches!(other, Op::Return),
        };
        let numbers = |int: &Int| {
            let known = int.fit == Fit::Proved && !int.assumed;
            int.value.exact().filter(|_| known).cloned()
        };
        let [from, to, by] =
            [numbers(&header.start)?, numbers(header.end.as_ref()?)?, numbers(&header.step)?];
        let trips = |thread: usize| {
            let distance = to.at(thread).checked_sub(from.at(thread))?;
            let distance = distance.checked_add(i64::from(header.inclusive))?.max(0);
            let step = Some(by.at(thread)).filter(|&step| step > 0)?;
            Some(distance / step + i64::from(distance % step != 0))
        };
        let trip_count = trips(active.iter().next()?)?;
        let is_same = active.iter().all(|thread| trips(thread) == Some(trip_count));
        (is_same && !self.holds(body, &leaves)).then_some(trip_count)
    }

    /// The value of a `for` in iteration `number + later`, and who runs it.
    fn enters(
        &mut self,
        id: InstId,
        header: Option<&Header>,
        number: &Value,
        later: i64,
        active: Active,
        parts: Which,
    ) -> Option<Active> {
        let Some(header) = header else {
            if scalar(self.kernel.insts[id].ty).is_some() {
                let known = self.fresh(id, Spread::Thread);
                self.yields(id, known, &active.threads);
                self.split(id, &self.same_truth(Spread::Thread), &active);
                let part = Part::new(self.all.clone(), Which::Some);
                return Some(active.in_part(&part, id));
            }
            return Some(active);
        };
        let value = self.header_value(header, number, later);
        let known = match value {
            Some(int) => Known::Int(int),
            None => {
                let own = [&header.start, &header.step]
                    .map(|int| self.spread(&Known::Int(int.clone()), &active.threads));
                self.fresh(id, own[0].max(own[1]))
            }
        };
        self.yields(id, known.clone(), &active.threads);
        let truth = self.header_truth(header, &known, &active, parts);
        self.split(id, &truth, &active);
        let (yes, _) = truth.parts(&self.all);
        let inside = active.in_part(&yes, id);
        (!inside.threads.is_empty()).then_some(inside)
    }

    fn header_value(&self, header: &Header, number: &Value, later: i64) -> Option<Int> {
        let ((start, assumed), (step, also)) = (header.start.needed()?, header.step.needed()?);
        let rounds = number.plus(&Value::from(later))?;
        let value = start.plus(&step.times(&rounds)?)?;
        // It never wraps.
        Some(Int { value: Rc::new(value), fit: Fit::Proved, assumed: assumed || also })
    }

    /// Who runs an iteration in which the value is `known`.
    fn header_truth(&self, header: &Header, known: &Known, active: &Active, parts: Which) -> Truth {
        let by = || Truth::of(&self.all, parts, parts);
        let (Known::Int(now), Some(end)) = (known, &header.end) else { return by() };
        let (Some((now, assumed)), Some((end, also))) = (now.needed(), end.needed()) else {
            return by();
        };
        let op = if header.inclusive { CompareOp::Le } else { CompareOp::Lt };
        match now.minus(end) {
            Some(difference) => {
                let truth = self.sign(op, &difference, assumed || also, &active.threads);
                match (&truth, header.spread) {
                    (Truth::Parts { .. }, Spread::Block) => self.same_truth(Spread::Block),
                    // In every iteration that there is, somebody is in it.
                    (Truth::Exact(yes), _) if yes.is_empty() => by(),
                    _ => truth,
                }
            }
            None => by(),
        }
    }
}
