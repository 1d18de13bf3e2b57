//! Goes through a kernel with what is known at each instruction.
use super::{
    Cause, Check, Unproved, Verdict, What,
    atom::{Atoms, Kind},
    cases::Cases,
    contract::MAX_CONTRACT_WORK,
    facts::Known,
    form::{AtomId, Form},
    locals::Locals,
    relevant::relevant,
};
use crate::{
    analysis::{
        launch::LaunchRanges,
        powers::Powers,
        range::{self, Range, Ranges},
    },
    id::Facts,
    ir::{BinaryOp, Body, CompareOp, Fault, InstId, Kernel, Op, Scalar, Ty, UnaryOp},
    message::SLICE_TEXTS,
};
use std::collections::HashMap;

/// The depth to which conditions are looked into.
pub(super) const MOST_PARTS: u32 = 12;
/// Numbers that may have wrapped that each condition is tried on: the first ones of requirements, and the latest others.
const MAX_REQUIRED: usize = 8;
const MAX_WRAPPED: usize = 16;
/// Facts that an equality is combined with.
const MAX_TIGHTENED: usize = 16;

pub(super) struct Walk<'k> {
    pub(super) kernel: &'k Kernel,
    pub(super) ranges: Ranges,
    pub(super) launch: LaunchRanges,
    pub(super) atoms: Atoms,
    pub(super) known: Known,
    /// The result of each instruction, if that is an integer.
    pub(super) forms: Facts<InstId, Option<Form>>,
    /// The equals of some of what a launch passes.
    pub(super) same: HashMap<AtomId, Form>,
    /// The contents of locals here.
    pub(super) locals: Locals,
    /// The values of some numbers, case by case.
    pub(super) cases: Cases,
    pub(super) powers: Powers,
    /// The integers that proofs can need.
    pub(super) relevant: Facts<InstId, bool>,
    /// The results of operations that may have wrapped: the exact result, and the limits of its type.
    pub(super) wrapped: Vec<(AtomId, Form, Range)>,
    /// The number of those that requirements have, which come first.
    required: usize,
    /// The values of `bool`s here.
    truths: Facts<InstId, Option<(bool, Cause)>>,
    /// Those that were added.
    added: Vec<InstId>,
    /// True to spell out the missing facts.
    explain: bool,
    /// The work that may still be spent on trying contracts for that.
    pub(super) contract_work_left: usize,
    checks: Vec<Check>,
}

impl<'k> Walk<'k> {
    pub(super) fn new(kernel: &'k Kernel, explain: bool) -> Self {
        Self {
            kernel,
            ranges: range::analyze(kernel),
            launch: LaunchRanges::for_kernel(kernel),
            atoms: Atoms::default(),
            known: Known::default(),
            forms: kernel.insts.clones(None),
            same: HashMap::new(),
            locals: Locals::new(kernel),
            cases: Cases::default(),
            powers: Powers::new(kernel),
            relevant: relevant(kernel),
            wrapped: Vec::new(),
            required: 0,
            truths: kernel.insts.facts(None),
            added: Vec::new(),
            explain,
            contract_work_left: MAX_CONTRACT_WORK,
            checks: Vec::new(),
        }
    }

    pub(super) fn run(mut self) -> Vec<Check> {
        self.requirements();
        self.required = self.wrapped.len();
        self.body(&self.kernel.body);
        self.checks
    }

    fn body(&mut self, list: &Body) {
        self.scoped(|walk| list.0.iter().for_each(|&id| walk.inst(id)));
    }

    /// Forgets what is known inside only.
    pub(super) fn scoped<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        let (facts, truths) = (self.known.mark(), self.added.len());
        let locals = self.locals.mark();
        let result = inside(self);
        self.locals.forget_since(locals);
        self.known.forget_since(facts);
        for id in self.added.drain(truths..) {
            self.truths[id] = None;
        }
        result
    }

    fn inst(&mut self, id: InstId) {
        let kernel = self.kernel;
        let op = &kernel.insts[id].op;
        if let Op::Bounds { index, len } = *op {
            self.bounds(id, index, len);
        } else if let Op::Check { cond, fault } = *op {
            self.check(id, cond, fault);
        } else if let Op::If { cond, then, other } = op {
            if let Some((truth, what)) = self.panics(then, other) {
                self.assertion(id, *cond, truth, what);
            }
            self.branch(*cond, then, other);
        } else if let Op::For { start, end, inclusive, body, .. } = op {
            self.forms[id] = self.form(id);
            self.locals.forget_set_in(kernel, body);
            self.scoped(|walk| {
                walk.assume_loop(id, *start, *end, *inclusive);
                walk.body(body);
            });
        } else if let Op::Loop { body } = op {
            self.locals.forget_set_in(kernel, body);
            self.body(body);
        } else if let Op::Block { body } = op {
            self.body(body);
            self.locals.forget_set_in(kernel, body);
        } else if let Op::Set { local, value } = *op {
            self.locals.set(local, value);
        } else if let Op::Get(local) = *op {
            self.get(id, local);
        } else {
            self.forms[id] = self.form(id);
        }
    }

    fn branch(&mut self, cond: InstId, then: &Body, other: &Body) {
        let arms = [(true, then), (false, other)].map(|(truth, body)| {
            self.scoped(|walk| {
                let (facts, locals) = (walk.known.mark(), walk.locals.mark());
                walk.assume(cond, truth, Cause::Guard(cond, truth), MOST_PARTS);
                body.0.iter().for_each(|&id| walk.inst(id));
                let set = walk.kernel.falls_through(body).then(|| walk.locals.since(locals));
                set.map(|set| {
                    (if set.is_empty() { Vec::new() } else { walk.known.since(facts) }, set)
                })
            })
        });
        self.locals.join(arms);
        for (truth, left) in [(false, then), (true, other)] {
            if !self.kernel.falls_through(left) {
                self.assume(cond, truth, Cause::Guard(cond, truth), MOST_PARTS);
            }
        }
    }

    fn assume_loop(&mut self, id: InstId, start: InstId, end: InstId, inclusive: bool) {
        let Some(value) = self.forms[id].clone() else { return };
        if let Some(end) = self.forms[end].clone() {
            let least = i128::from(!inclusive);
            self.add(end.minus(&value).and_then(|rest| rest.shifted(-least)), Cause::Loop(id));
        }
        if let Some(start) = self.forms[start].clone() {
            self.add(value.minus(&start), Cause::Loop(id));
        }
    }

    fn bounds(&mut self, id: InstId, index: InstId, len: InstId) {
        self.forms[id] = self.forms[index].clone();
        let sides = self.forms[index].clone().zip(self.forms[len].clone());
        let goal = sides.and_then(|(index, len)| len.minus(&index)?.shifted(-1));
        let proof = match &goal {
            _ if self.ranges.is_in_bounds(id) => Some(Vec::new()),
            Some(goal) => self.prove(goal),
            None => None,
        };
        let is_proved = proof.is_some();
        let verdict = self.verdict(proof, |walk| walk.unproved_index(index, len, goal.as_ref()));
        self.note(id, What::Fault(Fault::IndexOutOfBounds), verdict);
        // What is proved follows from what is known.
        if !is_proved {
            self.add(goal, Cause::Check(id));
        }
    }

    fn check(&mut self, id: InstId, cond: InstId, fault: Fault) {
        let what = What::Fault(fault);
        let proof = self.proof(cond, true, MOST_PARTS);
        let verdict = self.verdict(proof, |walk| walk.unproved_condition(cond, true, what));
        self.note(id, what, verdict);
        self.assume(cond, true, Cause::Check(id), MOST_PARTS);
    }

    /// Returns the end of the thread where a condition is not what it is to be, if it does nothing
    /// else there, and nothing at all where it is.
    fn panics(&self, then: &Body, other: &Body) -> Option<(bool, What)> {
        let (truth, failed) = match (then.0.is_empty(), other.0.is_empty()) {
            (true, false) => (true, other),
            (false, true) => (false, then),
            (true, true) | (false, false) => return None,
        };
        Some((truth, self.message(failed)?))
    }

    /// Returns the message of a body that always panics.
    fn message(&self, body: &Body) -> Option<What> {
        let op = &self.kernel.insts[*body.0.last()?].op;
        if let Op::Panic { message, .. } = op {
            let text = self.kernel.messages[*message].text.as_str();
            Some(if SLICE_TEXTS.contains(&text) { What::Slice } else { What::Panic })
        } else if let Op::If { then, other, .. } = op {
            self.message(then).and(self.message(other))
        } else {
            None
        }
    }

    fn assertion(&mut self, id: InstId, cond: InstId, truth: bool, what: What) {
        let proof = self.proof(cond, truth, MOST_PARTS);
        let verdict = self.verdict(proof, |walk| walk.unproved_condition(cond, truth, what));
        self.note(id, what, verdict);
    }

    /// The part of a conjunction that is not known.
    pub(super) fn unproved_part(&mut self, cond: InstId, truth: bool) -> InstId {
        let Op::Binary { op: BinaryOp::And, lhs, rhs } = self.kernel.insts[cond].op else {
            return cond;
        };
        let part = if self.proof(lhs, true, MOST_PARTS).is_none() { lhs } else { rhs };
        if truth { part } else { cond }
    }

    fn verdict(
        &mut self,
        proof: Option<Vec<Cause>>,
        unproved: impl FnOnce(&mut Self) -> Unproved,
    ) -> Verdict {
        match proof {
            Some(causes) => Verdict::Proved(causes),
            None if self.explain => Verdict::Stays(unproved(self)),
            None => Verdict::Stays(Unproved { message: String::new(), help: String::new() }),
        }
    }

    fn note(&mut self, inst: InstId, what: What, verdict: Verdict) {
        let span = self.kernel.insts[inst].span;
        self.checks.push(Check { inst, what, span, verdict });
    }

    /// Adds that a form is not negative, if it could be computed.
    pub(super) fn add(&mut self, form: Option<Form>, cause: Cause) {
        if let Some(form) = form {
            self.known.add(&form, Some(cause));
        }
    }

    /// Adds what follows from `cond` being `truth`.
    pub(super) fn assume(&mut self, cond: InstId, truth: bool, cause: Cause, parts: u32) {
        if self.truths[cond].is_none() {
            self.truths[cond] = Some((truth, cause));
            self.added.push(cond);
        }
        let Some(parts) = parts.checked_sub(1) else { return };
        let op = &self.kernel.insts[cond].op;
        if let Op::Unary { op: UnaryOp::Not, value } = *op {
            self.assume(value, !truth, cause, parts);
        } else if let Op::Binary { op, lhs, rhs } = *op {
            if op == if truth { BinaryOp::And } else { BinaryOp::Or } {
                self.assume(lhs, truth, cause, parts);
                self.assume(rhs, truth, cause, parts);
            }
        } else if let Op::Compare { op, lhs, rhs } = *op
            && let Some((lhs, rhs)) = self.forms[lhs].clone().zip(self.forms[rhs].clone())
        {
            let op = if truth { op } else { range::negated_comparison(op) };
            self.assume_overflow(cond, truth, cause);
            self.assume_compare(op, &lhs, &rhs, cause);
            self.link_wrapped(&lhs);
            self.link_wrapped(&rhs);
        } else if let Op::Get(_) = op {
            self.assume_joined(cond, truth, parts);
        }
    }

    /// Adds what follows from `cond` being `truth` where it tells whether a sum or a difference wraps: `a - b > a`, and
    /// `a + b < a`, of numbers without a sign.
    fn assume_overflow(&mut self, cond: InstId, truth: bool, cause: Cause) {
        let Op::Compare { op, lhs, rhs } = self.kernel.insts[cond].op else { return };
        // What is compared as `small < large`, and whether that is so.
        let (small, large, wraps) = match op {
            CompareOp::Lt => (lhs, rhs, truth),
            CompareOp::Gt => (rhs, lhs, truth),
            CompareOp::Ge => (lhs, rhs, !truth),
            CompareOp::Le => (rhs, lhs, !truth),
            CompareOp::Eq | CompareOp::Ne => return,
        };
        let insts = &self.kernel.insts;
        let Ty::Scalar(scalar) = insts[small].ty else { return };
        let Some(limits) = range::scalar_limits(scalar).filter(|limits| limits.min == 0) else {
            return;
        };
        let sides =
            |lhs: InstId, rhs: InstId| self.forms[lhs].as_ref().zip(self.forms[rhs].as_ref());
        // The number if nothing wraps, and what is not negative exactly then.
        let (result, exact, room) = if let Op::Binary { op: BinaryOp::Sub, lhs, rhs } =
            insts[large].op
            && lhs == small
        {
            let exact = sides(lhs, rhs).and_then(|(a, b)| a.minus(b));
            (large, exact.clone(), exact)
        } else if let Op::Binary { op: BinaryOp::Add, lhs, rhs } = insts[small].op
            && [lhs, rhs].contains(&large)
        {
            let exact = sides(lhs, rhs).and_then(|(a, b)| a.plus(1, b));
            let room = exact.as_ref().and_then(|sum| Form::constant(limits.max).minus(sum));
            (small, exact, room)
        } else {
            return;
        };
        let Some((exact, result)) = exact.zip(self.forms[result].clone()) else { return };
        if result == exact {
            return;
        }
        if wraps {
            self.add(room.and_then(|room| room.scaled(-1)?.shifted(-1)), cause);
        } else {
            self.add(room, cause);
            self.add(result.minus(&exact), cause);
            self.add(exact.minus(&result), cause);
        }
    }

    /// Adds that numbers which may have wrapped are exact, where that is known by now: `n - 1` after `n > 1`.
    fn link_wrapped(&mut self, compared: &Form) {
        let latest = self.wrapped.len().saturating_sub(MAX_WRAPPED).max(self.required);
        for index in (0..self.required.min(MAX_REQUIRED)).chain(latest..self.wrapped.len()) {
            let (atom, form, limits) = self.wrapped[index].clone();
            if form.atoms().any(|atom| compared.atoms().any(|other| other == atom))
                && self.is_within(&form, limits)
            {
                self.add_equal(&Form::atom(atom), &form);
            }
        }
    }

    pub(super) fn assume_compare(&mut self, op: CompareOp, lhs: &Form, rhs: &Form, cause: Cause) {
        let less = |a: &Form, b: &Form| b.minus(a).and_then(|rest| rest.shifted(-1));
        match op {
            CompareOp::Lt => self.add(less(lhs, rhs), cause),
            CompareOp::Gt => self.add(less(rhs, lhs), cause),
            CompareOp::Le => self.add(rhs.minus(lhs), cause),
            CompareOp::Ge => self.add(lhs.minus(rhs), cause),
            CompareOp::Eq => {
                self.add(rhs.minus(lhs), cause);
                self.add(lhs.minus(rhs), cause);
                if let Some(difference) = lhs.minus(rhs) {
                    self.tighten(&difference, cause);
                }
            }
            // One of them may be known to be the larger, if they are not the same.
            CompareOp::Ne => {
                for (a, b) in [(lhs, rhs), (rhs, lhs)] {
                    if a.minus(b).is_some_and(|rest| self.implies(&rest)) {
                        self.add(less(b, a), cause);
                        return;
                    }
                }
            }
        }
    }

    /// Adds what facts say of integers if `difference` is 0: of a number that it has once, replaced by the others, where
    /// the coefficients then have a divisor in common.
    fn tighten(&mut self, difference: &Form, cause: Cause) {
        let once = |atom: AtomId| difference.atoms().filter(|&other| other == atom).count() == 1;
        let found = difference.terms().iter().find_map(|&(monomial, coefficient)| {
            let atom =
                monomial.first().filter(|_| monomial.len() == 1 && coefficient.abs() == 1)?;
            once(atom).then_some((atom, monomial, coefficient))
        });
        let Some((atom, monomial, coefficient)) = found else { return };
        let (by_itself, range) = (Form::atom(atom), self.atoms.range(atom));
        let mut facts =
            vec![by_itself.shifted(-range.min), Form::constant(range.max).minus(&by_itself)];
        let known = self.known.mentioning(atom).take(MAX_TIGHTENED);
        facts.extend(known.map(|&fact| Some(self.known.fact(fact).form.clone())));
        for fact in facts.into_iter().flatten() {
            let factor = -fact.of(monomial) * coefficient;
            if factor != 0
                && let Some(replaced) = fact.plus(factor, difference)
                && replaced.primitive().rest() != replaced.reduced().rest()
            {
                self.known.add(&replaced, Some(cause));
            }
        }
    }

    /// Why `cond` is `truth`; `None` if that is not known.
    fn proof(&mut self, cond: InstId, truth: bool, parts: u32) -> Option<Vec<Cause>> {
        if let Some((known, cause)) = self.truths[cond] {
            return (known == truth).then(|| vec![cause]);
        }
        let parts = parts.checked_sub(1)?;
        let inst = &self.kernel.insts[cond];
        if let Op::Const(bits) = inst.op {
            (bits == u64::from(truth)).then(Vec::new)
        } else if let Op::Unary { op: UnaryOp::Not, value } = inst.op {
            self.proof(value, !truth, parts)
        } else if let Op::Binary { op, lhs, rhs } = inst.op
            && matches!(op, BinaryOp::And | BinaryOp::Or)
        {
            let left = self.proof(lhs, truth, parts);
            if (op == BinaryOp::And) == truth {
                let (mut both, right) = (left?, self.proof(rhs, truth, parts)?);
                both.extend(right);
                Some(both)
            } else {
                left.or_else(|| self.proof(rhs, truth, parts))
            }
        } else if let Op::Compare { op, lhs, rhs } = inst.op {
            let op = if truth { op } else { range::negated_comparison(op) };
            self.compare_proof(op, lhs, rhs)
        } else {
            None
        }
    }

    /// Why `lhs op rhs`; `None` if that is not known.
    fn compare_proof(&mut self, op: CompareOp, lhs: InstId, rhs: InstId) -> Option<Vec<Cause>> {
        if self.kernel.insts[lhs].ty == Ty::Scalar(Scalar::Bool) {
            let same = self.linear(lhs).zip(self.linear(rhs)).is_some_and(|(l, r)| l == r);
            return (op == CompareOp::Eq && same).then(Vec::new);
        }
        let (lhs, rhs) = (self.forms[lhs].clone()?, self.forms[rhs].clone()?);
        let less = |a: &Form, b: &Form| b.minus(a)?.shifted(-1);
        match op {
            CompareOp::Lt => self.prove(&less(&lhs, &rhs)?),
            CompareOp::Gt => self.prove(&less(&rhs, &lhs)?),
            CompareOp::Le => self.prove(&rhs.minus(&lhs)?),
            CompareOp::Ge => self.prove(&lhs.minus(&rhs)?),
            CompareOp::Ne => {
                let below = self.prove(&less(&lhs, &rhs)?);
                if below.is_some() { below } else { self.prove(&less(&rhs, &lhs)?) }
            }
            CompareOp::Eq => {
                let mut both = self.prove(&rhs.minus(&lhs)?)?;
                both.extend(self.prove(&lhs.minus(&rhs)?)?);
                Some(both)
            }
        }
    }

    /// The form that is not negative exactly if a `bool` is true, if that is a comparison.
    fn linear(&self, cond: InstId) -> Option<Form> {
        let Op::Compare { op, lhs, rhs } = self.kernel.insts[cond].op else { return None };
        let (lhs, rhs) = (self.forms[lhs].as_ref()?, self.forms[rhs].as_ref()?);
        match op {
            CompareOp::Ge => lhs.minus(rhs),
            CompareOp::Le => rhs.minus(lhs),
            CompareOp::Gt => lhs.minus(rhs)?.shifted(-1),
            CompareOp::Lt => rhs.minus(lhs)?.shifted(-1),
            CompareOp::Eq | CompareOp::Ne => None,
        }
    }

    /// Returns true if a form lies within `limits`.
    pub(super) fn is_within(&mut self, form: &Form, limits: Range) -> bool {
        let (least, most) = self.atoms.bounds(form);
        let above = least.is_some_and(|least| limits.min <= least)
            || form.shifted(-limits.min).is_some_and(|rest| self.implies(&rest));
        above
            && (most.is_some_and(|most| most <= limits.max) || {
                let rest = Form::constant(limits.max).minus(form);
                rest.is_some_and(|rest| self.implies(&rest))
            })
    }

    /// The form of an atom.
    pub(super) fn atom(&mut self, kind: Kind, range: Range) -> Form {
        if range.min == range.max {
            self.atoms.fix(&kind, range.min);
            return Form::constant(range.min);
        }
        let atom = self.atoms.get(kind, range);
        self.same.get(&atom).cloned().unwrap_or_else(|| Form::atom(atom))
    }
}
