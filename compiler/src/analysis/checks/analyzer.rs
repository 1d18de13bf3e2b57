//! The traversal of a kernel with the facts that hold at each instruction.
use super::{
    Cause, Check, CheckFailure, Unproved, Verdict,
    assume::{AssumedCondition, MAX_ASSUME_WORK},
    atom::{AtomKind, Atoms},
    cases::Cases,
    contract::MAX_CONTRACT_WORK,
    facts::FactBase,
    form::{AtomId, Form},
    locals::Locals,
    relevant::find_relevant,
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
use std::{cell::Cell, collections::HashMap};

/// Maximum depth to which conditions are decomposed.
pub(super) const MAX_CONDITION_DEPTH: u32 = 12;
/// Maximum numbers of possibly wrapped results that each condition is tried on: the first ones of
/// requirements, and the latest others.
const MAX_REQUIRED_WRAPS: usize = 8;
const MAX_RECENT_WRAPS: usize = 16;
/// Maximum number of facts that an equality is combined with.
const MAX_TIGHTENED_FACTS: usize = 16;

pub(super) struct CheckAnalyzer<'k> {
    pub(super) kernel: &'k Kernel,
    pub(super) ranges: Ranges,
    pub(super) launch: LaunchRanges,
    pub(super) atoms: Atoms,
    pub(super) known: FactBase,
    /// The result of each instruction, if it is an integer.
    pub(super) forms: Facts<InstId, Option<Form>>,
    /// The definitions of launch arguments by equalities.
    pub(super) definitions: HashMap<AtomId, Form>,
    /// The contents of locals here.
    pub(super) locals: Locals,
    /// The values of some numbers, by case.
    pub(super) cases: Cases,
    pub(super) powers: Powers,
    /// The integers that proofs can need.
    pub(super) relevant: Facts<InstId, bool>,
    /// The results of operations that may have wrapped: the exact result, and the limits of its
    /// type.
    pub(super) wrapped: Vec<(AtomId, Form, Range)>,
    /// The number of results from requirements, which come first.
    required: usize,
    /// The known values of `bool`s here.
    truths: Facts<InstId, Option<(bool, Cause)>>,
    /// The instructions whose `truths` are known, for undoing.
    added: Vec<InstId>,
    /// The treatment of unproved checks.
    unproved: UnprovedChecks,
    /// The remaining work for trying contracts for these messages.
    pub(super) contract_work_left: usize,
    /// The remaining work for finding conditions on the launch.
    pub(super) assume_work_left: Cell<usize>,
    /// The conditions on the launch that were assumed so far.
    pub(super) assumed: Vec<AssumedCondition>,
    checks: Vec<Check>,
}

/// The treatment of checks without a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnprovedChecks {
    /// They stay.
    Keep,
    /// They stay, with a message.
    Explain,
    /// A condition on the launch is assumed that proves them, if there is one.
    Assume,
}

impl<'k> CheckAnalyzer<'k> {
    pub(super) fn new(kernel: &'k Kernel, unproved: UnprovedChecks) -> Self {
        Self {
            kernel,
            ranges: range::analyze(kernel),
            launch: LaunchRanges::for_kernel(kernel),
            atoms: Atoms::default(),
            known: FactBase::default(),
            forms: kernel.insts.cloned_facts(None),
            definitions: HashMap::new(),
            locals: Locals::new(kernel),
            cases: Cases::default(),
            powers: Powers::new(kernel),
            relevant: find_relevant(kernel),
            wrapped: Vec::new(),
            required: 0,
            truths: kernel.insts.facts(None),
            added: Vec::new(),
            unproved,
            contract_work_left: MAX_CONTRACT_WORK,
            assume_work_left: Cell::new(MAX_ASSUME_WORK),
            assumed: Vec::new(),
            checks: Vec::new(),
        }
    }

    pub(super) fn analyze_kernel(mut self) -> Vec<Check> {
        self.visit_kernel();
        self.checks
    }

    pub(super) fn visit_kernel(&mut self) {
        self.add_requirements();
        self.required = self.wrapped.len();
        self.visit_body(&self.kernel.body);
    }

    fn visit_body(&mut self, list: &Body) {
        self.scoped(|walk| list.0.iter().for_each(|&id| walk.visit_inst(id)));
    }

    /// Runs `inside`, then forgets the facts that it added.
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

    fn visit_inst(&mut self, id: InstId) {
        let kernel = self.kernel;
        let op = &kernel.insts[id].op;
        if let Op::Bounds { index, len } = *op {
            self.visit_bounds(id, index, len);
        } else if let Op::Check { cond, fault } = *op {
            self.visit_check(id, cond, fault);
        } else if let Op::If { cond, then, other } = op {
            if let Some((truth, what)) = self.panicking_arm(then, other) {
                self.visit_assertion(id, *cond, truth, what);
            }
            self.visit_branch(*cond, then, other);
        } else if let Op::For { start, end, inclusive, body, .. } = op {
            self.forms[id] = self.result_form(id);
            self.locals.forget_set_in(kernel, body);
            self.scoped(|walk| {
                walk.assume_loop(id, *start, *end, *inclusive);
                walk.visit_body(body);
            });
        } else if let Op::Loop { body } = op {
            self.locals.forget_set_in(kernel, body);
            self.visit_body(body);
        } else if let Op::Block { body } = op {
            self.visit_body(body);
            self.locals.forget_set_in(kernel, body);
        } else if let Op::Set { local, value } = *op {
            self.locals.record_set(local, value);
        } else if let Op::Get(local) = *op {
            self.record_get(id, local);
        } else {
            self.forms[id] = self.result_form(id);
        }
    }

    fn visit_branch(&mut self, cond: InstId, then: &Body, other: &Body) {
        let arms = [(true, then), (false, other)].map(|(truth, body)| {
            self.scoped(|walk| {
                let (facts, locals) = (walk.known.mark(), walk.locals.mark());
                walk.assume_condition(cond, truth, Cause::Guard(cond, truth), MAX_CONDITION_DEPTH);
                body.0.iter().for_each(|&id| walk.visit_inst(id));
                let set = walk.kernel.falls_through(body).then(|| walk.locals.set_since(locals));
                set.map(|set| {
                    (if set.is_empty() { Vec::new() } else { walk.known.facts_since(facts) }, set)
                })
            })
        });
        self.locals.join_arms(arms);
        for (truth, left) in [(false, then), (true, other)] {
            if !self.kernel.falls_through(left) {
                self.assume_condition(cond, truth, Cause::Guard(cond, truth), MAX_CONDITION_DEPTH);
            }
        }
    }

    fn assume_loop(&mut self, id: InstId, start: InstId, end: InstId, inclusive: bool) {
        let Some(value) = self.forms[id].clone() else { return };
        if let Some(end) = self.forms[end].clone() {
            let least = i128::from(!inclusive);
            self.add_nonnegative(
                end.checked_sub(&value).and_then(|rest| rest.checked_add_number(-least)),
                Cause::Loop(id),
            );
        }
        if let Some(start) = self.forms[start].clone() {
            self.add_nonnegative(value.checked_sub(&start), Cause::Loop(id));
        }
    }

    fn visit_bounds(&mut self, id: InstId, index: InstId, len: InstId) {
        self.forms[id] = self.forms[index].clone();
        let sides = self.forms[index].clone().zip(self.forms[len].clone());
        let goal = sides.and_then(|(index, len)| len.checked_sub(&index)?.checked_add_number(-1));
        let proof = match &goal {
            _ if self.ranges.is_in_bounds(id) => Some(Vec::new()),
            Some(goal) if self.may_assume() => self.assume_for(goal).then(Vec::new),
            Some(goal) => self.prove(goal),
            None => None,
        };
        let is_proved = proof.is_some();
        let verdict = self.verdict_of(proof, |walk| walk.unproved_index(index, len, goal.as_ref()));
        self.record_verdict(id, CheckFailure::Fault(Fault::IndexOutOfBounds), verdict);
        // The index is in bounds from here on; with a proof, that follows from known facts already.
        if !is_proved {
            self.add_nonnegative(goal, Cause::Check(id));
        }
    }

    fn visit_check(&mut self, id: InstId, cond: InstId, fault: Fault) {
        let what = CheckFailure::Fault(fault);
        let proof = self.prove_check(cond, true);
        let verdict = self.verdict_of(proof, |walk| walk.unproved_condition(cond, true, what));
        self.record_verdict(id, what, verdict);
        self.assume_condition(cond, true, Cause::Check(id), MAX_CONDITION_DEPTH);
    }

    /// Returns the expected value of a condition and the end of the thread otherwise, if one arm
    /// only panics and the other does nothing.
    fn panicking_arm(&self, then: &Body, other: &Body) -> Option<(bool, CheckFailure)> {
        let (truth, failed) = match (then.0.is_empty(), other.0.is_empty()) {
            (true, false) => (true, other),
            (false, true) => (false, then),
            (true, true) | (false, false) => return None,
        };
        Some((truth, self.panic_message(failed)?))
    }

    /// Returns the message of a body that always panics.
    fn panic_message(&self, body: &Body) -> Option<CheckFailure> {
        let op = &self.kernel.insts[*body.0.last()?].op;
        if let Op::Panic { message, .. } = op {
            let text = self.kernel.messages[*message].text.as_str();
            Some(if SLICE_TEXTS.contains(&text) {
                CheckFailure::Slice
            } else {
                CheckFailure::Panic
            })
        } else if let Op::If { then, other, .. } = op {
            self.panic_message(then).and(self.panic_message(other))
        } else {
            None
        }
    }

    fn visit_assertion(&mut self, id: InstId, cond: InstId, truth: bool, what: CheckFailure) {
        let proof = self.prove_check(cond, truth);
        let verdict = self.verdict_of(proof, |walk| walk.unproved_condition(cond, truth, what));
        self.record_verdict(id, what, verdict);
    }

    fn prove_check(&mut self, cond: InstId, truth: bool) -> Option<Vec<Cause>> {
        if self.may_assume() {
            self.assume_for_condition(cond, truth, MAX_CONDITION_DEPTH);
            return None;
        }
        self.prove_condition(cond, truth, MAX_CONDITION_DEPTH)
    }

    /// Returns the unproved part of a conjunction.
    pub(super) fn unproved_part(&mut self, cond: InstId, truth: bool) -> InstId {
        let Op::Binary { op: BinaryOp::And, lhs, rhs } = self.kernel.insts[cond].op else {
            return cond;
        };
        let part =
            if self.prove_condition(lhs, true, MAX_CONDITION_DEPTH).is_none() { lhs } else { rhs };
        if truth { part } else { cond }
    }

    fn verdict_of(
        &mut self,
        proof: Option<Vec<Cause>>,
        unproved: impl FnOnce(&mut Self) -> Unproved,
    ) -> Verdict {
        match proof {
            Some(causes) => Verdict::Proved(causes),
            None if self.unproved == UnprovedChecks::Explain => Verdict::Stays(unproved(self)),
            None => Verdict::Stays(Unproved { message: String::new(), help: String::new() }),
        }
    }

    fn record_verdict(&mut self, inst: InstId, what: CheckFailure, verdict: Verdict) {
        let span = self.kernel.insts[inst].span;
        self.checks.push(Check { inst, failure: what, span, verdict });
    }

    /// Adds the fact that a form is not negative, if it could be computed.
    pub(super) fn add_nonnegative(&mut self, form: Option<Form>, cause: Cause) {
        if let Some(form) = form {
            self.known.add_fact(&form, Some(cause));
        }
    }

    /// Adds the consequences of `cond` being `truth`.
    pub(super) fn assume_condition(&mut self, cond: InstId, truth: bool, cause: Cause, parts: u32) {
        if self.truths[cond].is_none() {
            self.truths[cond] = Some((truth, cause));
            self.added.push(cond);
        }
        let Some(parts) = parts.checked_sub(1) else { return };
        let op = &self.kernel.insts[cond].op;
        if let Op::Unary { op: UnaryOp::Not, value } = *op {
            self.assume_condition(value, !truth, cause, parts);
        } else if let Op::Binary { op, lhs, rhs } = *op {
            if op == if truth { BinaryOp::And } else { BinaryOp::Or } {
                self.assume_condition(lhs, truth, cause, parts);
                self.assume_condition(rhs, truth, cause, parts);
            }
        } else if let Op::Compare { op, lhs, rhs } = *op
            && let Some((lhs, rhs)) = self.forms[lhs].clone().zip(self.forms[rhs].clone())
        {
            let op = if truth { op } else { range::negated_comparison(op) };
            // Overflow first: an exact sum lets the comparison below say more.
            self.assume_overflow(cond, truth, cause);
            self.assume_compare(op, &lhs, &rhs, cause);
            self.link_wrapped(&lhs);
            self.link_wrapped(&rhs);
            self.assume_unwrapped(op, [&lhs, &rhs], cause);
        } else if let Op::Get(_) = op {
            self.assume_joined(cond, truth, parts);
        }
    }

    /// Adds the consequences of `cond` being `truth` if it tests a sum or a difference for
    /// wrapping: `a - b > a`, and `a + b < a`, of unsigned numbers.
    fn assume_overflow(&mut self, cond: InstId, truth: bool, cause: Cause) {
        let Op::Compare { op, lhs, rhs } = self.kernel.insts[cond].op else { return };
        // The comparison in the form `small < large`, and its truth.
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
        // The exact number, and a form that is not negative exactly if nothing wraps.
        let (result, exact, room) = if let Op::Binary { op: BinaryOp::Sub, lhs, rhs } =
            insts[large].op
            && lhs == small
        {
            let exact = sides(lhs, rhs).and_then(|(a, b)| a.checked_sub(b));
            (large, exact.clone(), exact)
        } else if let Op::Binary { op: BinaryOp::Add, lhs, rhs } = insts[small].op
            && [lhs, rhs].contains(&large)
        {
            let exact = sides(lhs, rhs).and_then(|(a, b)| a.checked_add_scaled(1, b));
            let room = exact.as_ref().and_then(|sum| Form::constant(limits.max).checked_sub(sum));
            (small, exact, room)
        } else {
            return;
        };
        let Some((exact, result)) = exact.zip(self.forms[result].clone()) else { return };
        if result == exact {
            return;
        }
        if wraps {
            self.add_nonnegative(
                room.and_then(|room| room.checked_scale(-1)?.checked_add_number(-1)),
                cause,
            );
        } else {
            self.add_nonnegative(room, cause);
            self.add_nonnegative(result.checked_sub(&exact), cause);
            self.add_nonnegative(exact.checked_sub(&result), cause);
        }
    }

    /// Adds that possibly wrapped results are exact, if that is known by now: `n - 1` after
    /// `n > 1`.
    fn link_wrapped(&mut self, compared: &Form) {
        // The first results of requirements, and the most recent of the others.
        let latest = self.wrapped.len().saturating_sub(MAX_RECENT_WRAPS).max(self.required);
        for index in (0..self.required.min(MAX_REQUIRED_WRAPS)).chain(latest..self.wrapped.len()) {
            let (atom, form, limits) = self.wrapped[index].clone();
            if form.atoms().any(|atom| compared.atoms().any(|other| other == atom))
                && self.is_within(&form, limits)
            {
                self.add_equal(&Form::atom(atom), &form);
            }
        }
    }

    pub(super) fn assume_compare(&mut self, op: CompareOp, lhs: &Form, rhs: &Form, cause: Cause) {
        let less =
            |a: &Form, b: &Form| b.checked_sub(a).and_then(|rest| rest.checked_add_number(-1));
        match op {
            CompareOp::Lt => self.add_nonnegative(less(lhs, rhs), cause),
            CompareOp::Gt => self.add_nonnegative(less(rhs, lhs), cause),
            CompareOp::Le => self.add_nonnegative(rhs.checked_sub(lhs), cause),
            CompareOp::Ge => self.add_nonnegative(lhs.checked_sub(rhs), cause),
            CompareOp::Eq => {
                self.add_nonnegative(rhs.checked_sub(lhs), cause);
                self.add_nonnegative(lhs.checked_sub(rhs), cause);
                if let Some(difference) = lhs.checked_sub(rhs) {
                    self.tighten_facts(&difference, cause);
                }
            }
            // Facts may prove an order of the two, if they differ.
            CompareOp::Ne => {
                for (a, b) in [(lhs, rhs), (rhs, lhs)] {
                    if a.checked_sub(b).is_some_and(|rest| self.implies(&rest)) {
                        self.add_nonnegative(less(b, a), cause);
                        return;
                    }
                }
            }
        }
    }

    /// Adds the consequences of `difference` being 0 for facts: an atom that occurs once in it is
    /// replaced in facts whose coefficients then have a common divisor.
    fn tighten_facts(&mut self, difference: &Form, cause: Cause) {
        let once = |atom: AtomId| difference.atoms().filter(|&other| other == atom).count() == 1;
        let found = difference.terms().iter().find_map(|&(monomial, coefficient)| {
            let atom =
                monomial.first().filter(|_| monomial.len() == 1 && coefficient.abs() == 1)?;
            once(atom).then_some((atom, monomial, coefficient))
        });
        let Some((atom, monomial, coefficient)) = found else { return };
        let (by_itself, range) = (Form::atom(atom), self.atoms.range(atom));
        let mut facts = vec![
            by_itself.checked_add_number(-range.min),
            Form::constant(range.max).checked_sub(&by_itself),
        ];
        let known = self.known.facts_mentioning(atom).take(MAX_TIGHTENED_FACTS);
        facts.extend(known.map(|&fact| Some(self.known.fact(fact).form.clone())));
        for fact in facts.into_iter().flatten() {
            let factor = -fact.coefficient(monomial) * coefficient;
            if factor != 0
                && let Some(replaced) = fact.checked_add_scaled(factor, difference)
                && replaced.primitive().constant_term() != replaced.normalized().constant_term()
            {
                self.known.add_fact(&replaced, Some(cause));
            }
        }
    }

    /// Returns true if conditions on the launch are assumed.
    pub(super) fn may_assume(&self) -> bool {
        self.unproved == UnprovedChecks::Assume
    }

    /// Returns the causes that prove `cond` to be `truth`; `None` if there is no proof.
    pub(super) fn prove_condition(
        &mut self,
        cond: InstId,
        truth: bool,
        parts: u32,
    ) -> Option<Vec<Cause>> {
        if let Some((known, cause)) = self.truths[cond] {
            return (known == truth).then(|| vec![cause]);
        }
        let parts = parts.checked_sub(1)?;
        let inst = &self.kernel.insts[cond];
        if let Op::Const(bits) = inst.op {
            (bits == u64::from(truth)).then(Vec::new)
        } else if let Op::Unary { op: UnaryOp::Not, value } = inst.op {
            self.prove_condition(value, !truth, parts)
        } else if let Op::Binary { op, lhs, rhs } = inst.op
            && matches!(op, BinaryOp::And | BinaryOp::Or)
        {
            let left = self.prove_condition(lhs, truth, parts);
            if (op == BinaryOp::And) == truth {
                let (mut both, right) = (left?, self.prove_condition(rhs, truth, parts)?);
                both.extend(right);
                Some(both)
            } else {
                left.or_else(|| self.prove_condition(rhs, truth, parts))
            }
        } else if let Op::Compare { op, lhs, rhs } = inst.op {
            let op = if truth { op } else { range::negated_comparison(op) };
            self.prove_comparison(op, lhs, rhs)
        } else {
            None
        }
    }

    /// Returns the causes that prove `lhs op rhs`; `None` if there is no proof.
    fn prove_comparison(&mut self, op: CompareOp, lhs: InstId, rhs: InstId) -> Option<Vec<Cause>> {
        if self.kernel.insts[lhs].ty == Ty::Scalar(Scalar::Bool) {
            let same = self
                .comparison_form(lhs)
                .zip(self.comparison_form(rhs))
                .is_some_and(|(l, r)| l == r);
            return (op == CompareOp::Eq && same).then(Vec::new);
        }
        let (lhs, rhs) = (self.forms[lhs].clone()?, self.forms[rhs].clone()?);
        let less = |a: &Form, b: &Form| b.checked_sub(a)?.checked_add_number(-1);
        match op {
            CompareOp::Lt => self.prove(&less(&lhs, &rhs)?),
            CompareOp::Gt => self.prove(&less(&rhs, &lhs)?),
            CompareOp::Le => self.prove(&rhs.checked_sub(&lhs)?),
            CompareOp::Ge => self.prove(&lhs.checked_sub(&rhs)?),
            CompareOp::Ne => {
                let below = self.prove(&less(&lhs, &rhs)?);
                if below.is_some() { below } else { self.prove(&less(&rhs, &lhs)?) }
            }
            CompareOp::Eq => {
                let mut both = self.prove(&rhs.checked_sub(&lhs)?)?;
                both.extend(self.prove(&lhs.checked_sub(&rhs)?)?);
                Some(both)
            }
        }
    }

    /// Returns the form that is not negative exactly if a `bool` is true, if the `bool` is a
    /// comparison.
    fn comparison_form(&self, cond: InstId) -> Option<Form> {
        let Op::Compare { op, lhs, rhs } = self.kernel.insts[cond].op else { return None };
        let (lhs, rhs) = (self.forms[lhs].as_ref()?, self.forms[rhs].as_ref()?);
        match op {
            CompareOp::Ge => lhs.checked_sub(rhs),
            CompareOp::Le => rhs.checked_sub(lhs),
            CompareOp::Gt => lhs.checked_sub(rhs)?.checked_add_number(-1),
            CompareOp::Lt => rhs.checked_sub(lhs)?.checked_add_number(-1),
            CompareOp::Eq | CompareOp::Ne => None,
        }
    }

    /// Returns true if a form lies within `limits`.
    pub(super) fn is_within(&mut self, form: &Form, limits: Range) -> bool {
        let (least, most) = self.atoms.bounds(form);
        let above = least.is_some_and(|least| limits.min <= least)
            || form.checked_add_number(-limits.min).is_some_and(|rest| self.implies(&rest));
        above
            && (most.is_some_and(|most| most <= limits.max) || {
                let rest = Form::constant(limits.max).checked_sub(form);
                rest.is_some_and(|rest| self.implies(&rest))
            })
    }

    /// Returns the form of an atom.
    pub(super) fn atom_form(&mut self, kind: AtomKind, range: Range) -> Form {
        if range.min == range.max {
            self.atoms.set_fixed(&kind, range.min);
            return Form::constant(range.min);
        }
        let atom = self.atoms.intern(kind, range);
        self.definitions.get(&atom).cloned().unwrap_or_else(|| Form::atom(atom))
    }
}
