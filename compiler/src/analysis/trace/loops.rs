//! Loops.
//!
//! One that is known to end is run as the kernel would run it. Of any other, two iterations are run: what locals
//! hold at the beginning of the first is what is known of any iteration.
use super::{
    super::{range::Range, uniformity::Group},
    known::{Fit, Int, Known, limits, scalar},
    truth::{Part, Spread, Truth},
};
use super::{
    Active, Factors, Run, SymbolId, SymbolKind, Threads, Value, Which,
    merge::State,
    run::{Flow, Frame},
};
use crate::{
    id::Id,
    ir::{BinaryOp, Body, CompareOp, InstId, LocalId, Op, Scalar},
};
use std::rc::Rc;

/// A loop of more iterations is not run as often as the kernel would.
const MOST_ITERATIONS: i64 = 64;
/// Nor is one that would take more instructions.
const MOST_UNROLLED: usize = 3000;

/// What decides whether a `for` runs its body.
struct Header {
    start: Int,
    end: Option<Int>,
    step: Int,
    inclusive: bool,
    /// How far start, end and step together are the same.
    spread: Spread,
}

/// The symbol that `number` is.
fn id_of(number: &Value) -> Option<SymbolId> {
    number.terms().first()?.of.0.first().copied()
}

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
        let [start, end, step] = of.map(|id| self.known(id));
        let spread = self.spread_of_all(of, &active.threads);
        let (Known::Int(start), Known::Int(step)) = (start, step) else {
            return self.symbolic(id, body, active, None, spread);
        };
        let end = if let Known::Int(end) = end { Some(end) } else { None };
        let header = Header { start, end, step, inclusive, spread };
        let numbers =
            |int: &Int| int.value.exact().filter(|_| int.fit == Fit::Proved && !int.assumed);
        if let (Some(from), Some(to), Some(by)) =
            (numbers(&header.start), header.end.as_ref().and_then(numbers), numbers(&header.step))
            && let Some(most) = self.iterations(&from, &to, &by, inclusive)
            && most <= MOST_ITERATIONS
            && self.size(body).saturating_mul(usize::try_from(most).unwrap_or(usize::MAX))
                <= MOST_UNROLLED.min(self.steps)
        {
            return self.unrolled(id, [&from, &to, &by], inclusive, body, active);
        }
        self.symbolic(id, body, active, Some(&header), spread)
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
        body.0
            .iter()
            .map(|&id| {
                1 + self.kernel.insts[id].op.bodies().map(|body| self.size(body)).sum::<usize>()
            })
            .sum()
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
            let truth = Truth::Exact(runs);
            self.split(id, &truth, &here);
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
    fn iteration(&mut self, id: InstId, body: &Body, active: Active) -> Option<Active> {
        let exits = self.frame().exits.len();
        let flow = self.body(body, active.clone());
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
        let before = self.state(active.clone());
        let marks: Vec<_> = self
            .frames
            .iter()
            .map(|frame| (frame.exits.len(), frame.continues.len(), frame.lost))
            .collect();
        let (events, steps) = (self.trace.events.len(), self.steps);
        let departures = self.departures;
        let noted = self.trace.spread.clone();
        self.open(id, active);
        self.loops.push((id, None));
        self.rounds.push(0);
        let mut next = Some(active.clone());
        let mut left = MOST_ITERATIONS;
        let mut known = true;
        while let Some(here) = next.take() {
            next = self.iteration(id, body, here);
            left -= 1;
            let Some(stays) = &next else { break };
            let overlaps = |state: &State| state.active.threads.meets(&stays.threads);
            let unknown = self.frame().exits.iter().any(overlaps);
            let used = steps - self.steps;
            if unknown || left == 0 || used > MOST_UNROLLED || self.steps == 0 {
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
        for (frame, (exits, continues, lost)) in self.frames.iter_mut().zip(marks) {
            frame.exits.truncate(exits);
            frame.continues.truncate(continues);
            frame.lost = lost;
        }
        self.departures = departures;
        self.trace.events.truncate(events);
        self.trace.spread = noted;
        self.resume(before);
        None
    }

    /// Any iteration, and the one behind it.
    fn symbolic(
        &mut self,
        id: InstId,
        body: &Body,
        active: Active,
        header: Option<&Header>,
        spread: Spread,
    ) -> Flow {
        let mut written = Vec::new();
        self.written(body, &mut written);
        let before = self.state(active.clone());
        let most =
            header.and_then(|header| self.most_iterations(id, header)).unwrap_or(i64::MAX.into());
        let range = Range::new(0, most);
        let number = self.symbol(id, SymbolKind::Iteration, Group::Block, range);
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
            entry.because = stays.because.or(entry.because);
        }
        self.open(id, &active);
        self.loops.push((id, id_of(&number)));
        self.rounds.push(0);
        self.resume(State { locals: first, ..before.clone() });
        let mut ends = vec![before.clone()];
        let mut here = Some(entry);
        for later in 0..2 {
            let Some(start) = here.take() else { break };
            let Some(start) = self.enters(id, header, &number, later, start, parts) else { break };
            here = self.iteration(id, body, start);
            if let Some(active) = &here {
                ends.push(self.state(active.clone()));
            }
        }
        self.loops.pop();
        self.rounds.pop();
        let Some(frame) = self.frames.pop() else { return Flow::Gone };
        if frame.lost.is_none() {
            self.departures = frame.departures;
        }
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
        let interval = ends.iter().map(|end| end.interval).max().unwrap_or(before.interval);
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
        locals: &Rc<Vec<Known>>,
        header: Option<&Header>,
        number: &Value,
    ) -> Option<Active> {
        let leaves = |op: &Op| matches!(op, Op::Break(_) | Op::Return);
        if !self.holds(body, &leaves) {
            return None;
        }
        let before = self.state(active.clone());
        let marks: Vec<_> = self
            .frames
            .iter()
            .map(|frame| (frame.exits.len(), frame.continues.len(), frame.lost))
            .collect();
        let (events, departures) = (self.trace.events.len(), self.departures);
        let noted = self.trace.spread.clone();
        self.open(id, active);
        self.loops.push((id, id_of(number)));
        self.rounds.push(0);
        self.resume(State { locals: locals.clone(), ..before.clone() });
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
        for (frame, (exits, continues, lost)) in self.frames.iter_mut().zip(marks) {
            frame.exits.truncate(exits);
            frame.continues.truncate(continues);
            frame.lost = lost;
        }
        self.departures = departures;
        self.trace.events.truncate(events);
        self.trace.spread = noted;
        self.resume(before);
        stays
    }

    /// Whether `body` has, at any depth, what `is` holds for.
    fn holds(&self, body: &Body, is: &impl Fn(&Op) -> bool) -> bool {
        body.0.iter().any(|&id| {
            let op = &self.kernel.insts[id].op;
            is(op) || op.bodies().any(|body| self.holds(body, is))
        })
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

    /// The locals that `body` sets.
    fn written(&self, body: &Body, locals: &mut Vec<LocalId>) {
        for &id in &body.0 {
            let op = &self.kernel.insts[id].op;
            if let Op::Set { local, .. } = op
                && !locals.contains(local)
            {
                locals.push(*local);
            }
            op.bodies().for_each(|body| self.written(body, locals));
        }
    }

    /// The locals in any iteration of loop `id`, in which they were as `before` in the first.
    fn any_iteration(
        &mut self,
        id: InstId,
        body: &Body,
        before: &State,
        written: &[LocalId],
        number: Option<&Value>,
    ) -> Rc<Vec<Known>> {
        let mut locals = (*before.locals).clone();
        for &local in written {
            let counted = number.and_then(|number| {
                let step = self.increment(id, body, local, &before.active.threads)?;
                let Known::Int(start) = &before.locals[local.index()] else { return None };
                let more = step.value.times(number)?;
                let value = start.value.plus(&more)?;
                let scalar = scalar(self.kernel.locals[local].ty)?;
                let range = self.ranges.local(self.kernel, local).filter(|range| !range.is_empty());
                self.int(value, scalar, range, start.assumed || step.assumed)
            });
            locals[local.index()] = match counted {
                Some(int) => Known::Int(int),
                None => self.any(id, local),
            };
        }
        Rc::new(locals)
    }

    /// Something that `local` may be.
    fn any(&mut self, id: InstId, local: LocalId) -> Known {
        let spread = if self.uniformity.block.local[local].is_uniform() {
            Spread::Block
        } else if self.uniformity.warp.local[local].is_uniform() {
            Spread::Warp
        } else {
            Spread::Thread
        };
        let Some(scalar) = scalar(self.kernel.locals[local].ty) else {
            return Known::Ptr(None, None);
        };
        if scalar == Scalar::Bool {
            return self.same_truth(spread).into();
        }
        let (Some(limits), Some(group)) = (limits(scalar), spread.group()) else {
            return self.opaque(spread);
        };
        let range = self
            .ranges
            .local(self.kernel, local)
            .filter(|range| !range.is_empty())
            .unwrap_or(limits);
        Known::Int(Int::proved(self.symbol(id, SymbolKind::Computed, group, range)))
    }

    /// What loop `id` adds to `local` in each iteration, if that is all that it does to it.
    fn increment(
        &mut self,
        id: InstId,
        body: &Body,
        local: LocalId,
        active: &Threads,
    ) -> Option<Int> {
        let sets = self.count(body, &|op| matches!(op, Op::Set { local: of, .. } if *of == local));
        let skips = |op: &Op| matches!(op, Op::Continue(target) if *target == id);
        if sets != 1 || self.holds(body, &skips) {
            return None;
        }
        let set = self.straight_set(id, body, local)?;
        let Op::Set { value, .. } = self.kernel.insts[set].op else { return None };
        let Op::Binary { op, lhs, rhs } = self.kernel.insts[value].op else { return None };
        let is_get = |id: InstId| self.kernel.insts[id].op == Op::Get(local);
        let (get, by) = if is_get(lhs) { (lhs, rhs) } else { (rhs, lhs) };
        // Both are of this iteration.
        if !is_get(get) || get < id {
            return None;
        }
        let step = self.invariant(id, by, active)?;
        match op {
            BinaryOp::Add => Some(step),
            BinaryOp::Sub if get == lhs => {
                let value = step.value.scaled(&Factors::Same(-1))?;
                Some(Int { value: Rc::new(value), ..step })
            }
            BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::Min
            | BinaryOp::Max
            | BinaryOp::MulHigh
            | BinaryOp::RotateLeft => None,
        }
    }

    fn count(&self, body: &Body, is: &impl Fn(&Op) -> bool) -> usize {
        body.0
            .iter()
            .map(|&id| {
                let op = &self.kernel.insts[id].op;
                usize::from(is(op)) + op.bodies().map(|body| self.count(body, is)).sum::<usize>()
            })
            .sum()
    }

    /// The `set` of `local` that every thread comes by that is still in loop `id` behind `body`.
    fn straight_set(&self, id: InstId, body: &Body, local: LocalId) -> Option<InstId> {
        body.0.iter().find_map(|&inner| {
            let op = &self.kernel.insts[inner].op;
            if let Op::Set { local: of, .. } = op {
                return (*of == local).then_some(inner);
            }
            let Op::If { then, other, .. } = op else { return None };
            let leaves = |body: &Body| {
                body.0.last().is_some_and(|&last| match self.kernel.insts[last].op {
                    Op::Break(target) => target == id,
                    Op::Return => true,
                    _ => false,
                })
            };
            if leaves(other) {
                self.straight_set(id, then, local)
            } else if leaves(then) {
                self.straight_set(id, other, local)
            } else {
                None
            }
        })
    }

    /// The value of `of`, if it is the same in all iterations of loop `id`.
    fn invariant(&mut self, id: InstId, of: InstId, active: &Threads) -> Option<Int> {
        let known = if of < id {
            self.known(of)
        } else if let Op::Const(_) | Op::Builtin(_) | Op::Param(_) | Op::Len(_) =
            self.kernel.insts[of].op
        {
            self.compute(of, active)
        } else {
            return None;
        };
        if let Known::Int(int) = known { Some(int) } else { None }
    }
}
