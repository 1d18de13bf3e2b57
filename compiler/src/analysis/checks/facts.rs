//! The facts that hold at a point of the kernel, and proofs by them.
//!
//! A fact is a [form](super::form) that is not negative. [`Prover`] adds up facts, each times a
//! product that is not negative, so that the rest of the goal is not negative by its ranges alone.
//!
//! To find the condition that a launch would have to fulfil for a goal, [`ConditionSearch`]
//! subtracts facts from the goal, one by one. Each removes a product that is subtracted in the
//! goal; alternatives are tried up to a limit.
use super::{
    Cause,
    atom::Atoms,
    counterexample::Examples,
    form::{AtomId, Form, Monomial, gcd},
    prove::{MAX_KERNEL_WORK, Prover},
};
use crate::id::Id as _;
use std::cell::{Cell, RefCell};

/// A form that is not negative.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub(super) form: Form,
    /// The reason; `None` if messages need not mention it.
    pub(super) cause: Option<Cause>,
    /// True if a later fact is stronger: the same form with a smaller constant term.
    superseded: bool,
}

impl Fact {
    pub(super) const fn new(form: Form, cause: Option<Cause>) -> Self {
        Self { form, cause, superseded: false }
    }
}

/// The facts that hold at a point of the kernel.
#[derive(Debug, Default)]
pub(super) struct FactBase {
    facts: Vec<Fact>,
    /// Per fact, the changes to undo when it is forgotten.
    added: Vec<FactUndo>,
    /// Per atom, the indices of the facts that mention it.
    mentions: Vec<Vec<usize>>,
    /// The products of several atoms in facts.
    products: Vec<Monomial>,
    /// Examples, each with the number of facts that hold in it.
    examples: RefCell<Vec<(usize, Examples)>>,
    /// The work of proofs so far.
    work: Cell<usize>,
}

/// Changes made when a fact was added: the facts that it superseded, and the products that it was
/// the first to have.
#[derive(Debug)]
struct FactUndo {
    superseded: Option<usize>,
    products: usize,
}

/// Maximum number of forms examined in the search for a missing condition.
const MAX_SEARCH_STEPS: usize = 240;
/// Maximum number of facts subtracted in that search.
const MAX_SEARCH_DEPTH: usize = 10;
/// Maximum number of missing conditions to keep, each of which would complete a proof.
const MAX_MISSING_CONDITIONS: usize = 6;
/// The largest bound by a plain number that is worth requiring.
const MAX_REQUIRED_NUMBER: i128 = 1 << 20;

impl FactBase {
    /// Returns the number of facts.
    pub(super) fn mark(&self) -> usize {
        self.facts.len()
    }

    /// Forgets the facts added since `mark`.
    pub(super) fn forget_since(&mut self, mark: usize) {
        let examples = self.examples.get_mut();
        while examples.last().is_some_and(|(count, _)| *count > mark) {
            examples.pop();
        }
        while self.facts.len() > mark {
            let index = self.facts.len() - 1;
            if let (Some(fact), Some(added)) = (self.facts.pop(), self.added.pop()) {
                for atom in fact.form.atoms() {
                    let list = &mut self.mentions[atom.index()];
                    if list.last() == Some(&index) {
                        list.pop();
                    }
                }
                self.products.truncate(added.products);
                if let Some(superseded) = added.superseded {
                    self.facts[superseded].superseded = false;
                }
            }
        }
    }

    /// Adds the fact that `form` is not negative.
    pub(super) fn add_fact(&mut self, form: &Form, cause: Option<Cause>) {
        let form = form.normalized();
        let Some(first) = form.atoms().next() else { return };
        let mut superseded = None;
        for &other in self.mentions.get(first.index()).into_iter().flatten() {
            let fact = &self.facts[other];
            if !fact.superseded && fact.form.terms() == form.terms() {
                if fact.form.constant_term() <= form.constant_term() {
                    return;
                }
                superseded = Some(other);
            }
        }
        if let Some(other) = superseded {
            self.facts[other].superseded = true;
        }
        let index = self.facts.len();
        for atom in form.atoms() {
            if self.mentions.len() <= atom.index() {
                self.mentions.resize(atom.index() + 1, Vec::new());
            }
            let list = &mut self.mentions[atom.index()];
            if list.last() != Some(&index) {
                list.push(index);
            }
        }
        self.added.push(FactUndo { superseded, products: self.products.len() });
        for &(monomial, _) in form.terms() {
            if monomial.len() > 1 && !self.products.contains(&monomial) {
                self.products.push(monomial);
            }
        }
        self.facts.push(Fact::new(form, cause));
    }

    /// Returns the facts added since `mark`.
    pub(super) fn facts_since(&self, mark: usize) -> Vec<(Form, Option<Cause>)> {
        self.facts[mark..].iter().map(|fact| (fact.form.clone(), fact.cause)).collect()
    }

    /// Returns the fact with this index.
    pub(super) fn fact(&self, number: usize) -> &Fact {
        &self.facts[number]
    }

    /// Returns the indices of the facts that mention `atom`, the latest first, without superseded
    /// ones.
    pub(super) fn facts_mentioning(&self, atom: AtomId) -> impl Iterator<Item = &usize> {
        let all = self.mentions.get(atom.index()).map_or(&[][..], Vec::as_slice);
        all.iter().rev().filter(|&&fact| !self.facts[fact].superseded)
    }

    /// Returns the products of several atoms in facts.
    pub(super) fn products(&self) -> &[Monomial] {
        &self.products
    }

    /// Returns a single fact that proves `atom` positive.
    pub(super) fn positivity_fact(&self, atoms: &Atoms, atom: AtomId) -> Option<usize> {
        let by_itself = Form::atom(atom);
        let says = |fact: &&usize| {
            let form = &self.facts[**fact].form;
            let coefficient =
                by_itself.terms().first().map_or(0, |&(atom, _)| form.coefficient(atom));
            let others = (coefficient > 0)
                .then(|| form.checked_add_scaled(-coefficient, &by_itself))
                .flatten();
            others.is_some_and(|rest| atoms.bounds(&rest).1.is_some_and(|most| most < 0))
        };
        self.facts_mentioning(atom).find(says).copied()
    }

    /// Returns true if an example shows that `goal` may be negative.
    fn is_refuted(&self, atoms: &Atoms, goal: &Form) -> bool {
        let mut stack = self.examples.borrow_mut();
        let count = self.facts.len();
        let found = match stack.last() {
            Some((of, examples)) if *of == count => None,
            Some((of, examples)) => Some((*of, examples.clone())),
            None => Some((0, Examples::default())),
        };
        if let Some((of, mut examples)) = found {
            examples.extend_all(atoms, &self.facts, of);
            stack.push((count, examples));
        }
        stack.last_mut().is_some_and(|(_, examples)| {
            examples.extend_all(atoms, &self.facts, count);
            examples.refutes_any(goal)
        })
    }

    /// Returns the causes that prove `goal` not negative; `None` if there is no proof.
    pub(super) fn prove(&self, atoms: &Atoms, goal: &Form) -> Option<Vec<Cause>> {
        let goal = goal.normalized();
        // From cheap to expensive: the ranges alone, then a counterexample, then the simplex
        // method.
        if atoms.bounds(&goal).0.is_some_and(|least| least >= 0) {
            return Some(Vec::new());
        }
        if goal.as_number().is_some()
            || self.work.get() > MAX_KERNEL_WORK
            || self.is_refuted(atoms, &goal)
        {
            return None;
        }
        let mut prover = Prover::new(self, atoms, &goal)?;
        let facts = prover.find_proof();
        self.work.set(self.work.get() + prover.work());
        let mut causes: Vec<Cause> = Vec::new();
        for fact in facts? {
            causes.extend(self.facts[fact].cause.filter(|cause| !causes.contains(cause)));
        }
        Some(causes)
    }

    /// Returns the facts, each with its reason if messages mention it.
    pub(super) fn facts(&self) -> impl Iterator<Item = (&Form, Option<Cause>)> {
        self.facts.iter().map(|fact| (&fact.form, fact.cause))
    }

    /// Returns sufficient conditions on a launch for `goal` to be not negative: forms that the
    /// launch determines, the simplest first.
    pub(super) fn missing_conditions(&self, atoms: &Atoms, goal: &Form) -> Vec<Form> {
        let (seen, missing) = (Vec::new(), Vec::new());
        let mut search =
            ConditionSearch { known: self, atoms, steps_left: MAX_SEARCH_STEPS, seen, missing };
        let _ = search.search(goal, MAX_SEARCH_DEPTH, true);
        search.missing
    }
}

struct ConditionSearch<'a> {
    known: &'a FactBase,
    atoms: &'a Atoms,
    /// The number of forms that may still be examined.
    steps_left: usize,
    /// The examined forms, with their fingerprints.
    seen: Vec<(u128, Form)>,
    /// Forms determined by the launch that would complete a proof, the simplest first.
    missing: Vec<Form>,
}

impl ConditionSearch<'_> {
    /// Returns true if `goal` is not negative; `plausible` if a missing condition would be worth
    /// requiring.
    fn search(&mut self, goal: &Form, depth: usize, plausible: bool) -> bool {
        let goal = goal.normalized();
        if self.atoms.bounds(&goal).0.is_some_and(|least| least >= 0) {
            return true;
        }
        if depth == 0 || self.steps_left == 0 || goal.as_number().is_some() || !self.is_new(&goal) {
            return false;
        }
        self.steps_left -= 1;
        if plausible {
            self.record_missing(&goal);
        }
        match self.product_to_remove(&goal) {
            Some((monomial, coefficient)) => {
                self.remove_product(&goal, monomial, coefficient, depth, plausible)
            }
            None => goal
                .terms()
                .iter()
                .any(|&(m, c)| self.remove_by_facts(&goal, m, c, depth, plausible)),
        }
    }

    /// Marks `goal` as examined; returns true if it was new.
    fn is_new(&mut self, goal: &Form) -> bool {
        let number = goal.fingerprint();
        for (other, seen) in &self.seen {
            if *other == number && seen == goal {
                return false;
            }
        }
        self.seen.push((number, goal.clone()));
        true
    }

    /// Returns the subtracted product to remove first: the largest. Products determined by the
    /// launch come last, for they may belong to the missing condition.
    fn product_to_remove(&self, goal: &Form) -> Option<(Monomial, i128)> {
        let mut found = None;
        let mut rank = (false, 0);
        for &(monomial, coefficient) in goal.terms() {
            if coefficient < 0 {
                let here = (!self.atoms.is_product_launch_constant(monomial), monomial.len());
                if found.is_none() || here >= rank {
                    (found, rank) = (Some((monomial, coefficient)), here);
                }
            }
        }
        found
    }

    /// Continues the search without a subtracted product, in each possible way.
    fn remove_product(
        &mut self,
        goal: &Form,
        monomial: Monomial,
        coefficient: i128,
        depth: usize,
        plausible: bool,
    ) -> bool {
        if self.remove_by_facts(goal, monomial, coefficient, depth, plausible) {
            return true;
        }
        let Some(most) = self.atoms.product_range(monomial).map(|range| range.max) else {
            return false;
        };
        let bounded = Form::constant(most).checked_sub(&Form::from(monomial));
        let Some(bounded) = bounded else { return false };
        let rest = goal.checked_add_scaled(coefficient, &bounded);
        let plausible =
            plausible && most <= MAX_REQUIRED_NUMBER && self.atoms.attains_maximum(monomial);
        rest.is_some_and(|rest| self.search(&rest, depth - 1, plausible))
    }

    /// Subtracts facts from `goal` that remove `coefficient * monomial`.
    fn remove_by_facts(
        &mut self,
        goal: &Form,
        monomial: Monomial,
        coefficient: i128,
        depth: usize,
        plausible: bool,
    ) -> bool {
        for (index, factor) in self.removal_candidates(monomial, coefficient) {
            let form = &self.known.facts[index].form;
            let Some(fact) = form.checked_mul_product(factor) else { continue };
            let of_fact = fact.coefficient(monomial);
            let common = gcd(of_fact, coefficient);
            let scaled = goal.checked_scale(of_fact.abs() / common);
            let rest = scaled
                .and_then(|goal| goal.checked_add_scaled(-(coefficient.abs() / common), &fact));
            let Some(rest) = rest else { continue };
            if self.search(&rest, depth - 1, plausible) {
                return true;
            }
        }
        false
    }

    /// Returns facts with the multipliers that give them the monomial with a coefficient of this
    /// sign; the simplest first, and the latest first among those.
    fn removal_candidates(&self, monomial: Monomial, coefficient: i128) -> Vec<(usize, Monomial)> {
        let mut found = Vec::new();
        let mut last: Option<AtomId> = None;
        for atom in monomial.atoms() {
            if last.replace(atom) == Some(atom) {
                continue;
            }
            for &index in self.known.facts_mentioning(atom) {
                for &(part, of_part) in self.known.facts[index].form.terms() {
                    // Each part is found once: by its first atom.
                    if part.first() == Some(atom)
                        && of_part.signum() == coefficient.signum()
                        && let Some(factor) = monomial.checked_div(part)
                        && !self.atoms.is_negative(factor)
                    {
                        found.push((index, factor));
                    }
                }
            }
        }
        found.sort_by_key(|(index, factor)| (factor.len(), std::cmp::Reverse(*index)));
        found
    }

    /// Records `goal` as a missing condition if a launch may be required to fulfil it.
    fn record_missing(&mut self, goal: &Form) {
        let some_added = goal.terms().iter().any(|&(_, coefficient)| coefficient > 0);
        if !some_added || !self.atoms.is_launch_constant(goal) {
            return;
        }
        let size = |form: &Form| form.terms().iter().map(|(m, _)| m.len()).sum::<usize>();
        let place = self.missing.partition_point(|other| size(other) <= size(goal));
        self.missing.insert(place, goal.clone());
        self.missing.truncate(MAX_MISSING_CONDITIONS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        analysis::{checks::atom::AtomKind, range::Range},
        ir::InstId,
    };

    #[test]
    fn nothing_is_proved_after_too_much_work() {
        let (mut atoms, most) = (Atoms::default(), i128::from(u32::MAX));
        let [i, n, len] = [0, 1, 2].map(|number| {
            Form::atom(atoms.intern(AtomKind::Inst(InstId::new(number)), Range::new(0, most)))
        });
        let mut known = FactBase::default();
        known.add_fact(&n.checked_sub(&i).unwrap(), None);
        known.add_fact(&len.checked_sub(&n).unwrap(), None);
        let goal = len.checked_sub(&i).unwrap();
        assert!(known.prove(&atoms, &goal).is_some());
        known.work.set(MAX_KERNEL_WORK + 1);
        assert!(known.prove(&atoms, &goal).is_none());
    }
}
