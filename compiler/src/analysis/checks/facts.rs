//! The facts that hold at a place, and proofs by them.
//!
//! A fact is a [form](super::form) that is not negative. [`Prover`] adds facts up, each times a product that
//! is not negative, so that what is left of another form is not negative for its ranges alone.
//!
//! The condition that a launch would have to fulfil for a goal to hold is found by taking facts from the goal, one by one, each
//! of which removes a product that is subtracted; which of several facts serves is tried, up to a limit.
use super::{
    Cause,
    atom::Atoms,
    example::Examples,
    form::{AtomId, Form, Monomial, gcd},
    prove::{MAX_KERNEL_WORK, Prover},
};
use crate::id::Id as _;
use std::cell::{Cell, RefCell};

/// A form that is not negative.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub(super) form: Form,
    /// `None` if it needs no words.
    pub(super) cause: Option<Cause>,
    /// A later fact says more: the same with a smaller constant term.
    superseded: bool,
}

impl Fact {
    pub(super) const fn new(form: Form, cause: Option<Cause>) -> Self {
        Self { form, cause, superseded: false }
    }
}

/// The facts that hold at a place.
#[derive(Debug, Default)]
pub(super) struct Known {
    facts: Vec<Fact>,
    /// The fact that each of these superseded, and each product of several numbers that it was the first to have.
    added: Vec<Added>,
    /// The facts that mention an atom, by its number.
    mentions: Vec<Vec<usize>>,
    /// The products of several numbers in facts.
    products: Vec<Monomial>,
    /// Examples, each with the number of facts that hold in it.
    examples: RefCell<Vec<(usize, Examples)>>,
    /// The cost of proofs so far.
    work: Cell<usize>,
}

/// The other changes when a fact was added.
#[derive(Debug)]
struct Added {
    superseded: Option<usize>,
    products: usize,
}

/// The most forms that are looked at for what is missing.
const MAX_STEPS: usize = 240;
/// The most facts that are taken from a form for that.
const MAX_DEPTH: usize = 10;
/// The most conditions that are kept of those that would each complete a proof.
const MAX_MISSING: usize = 6;
/// Up to this, a bound that is only a number is worth requiring.
const SMALL: i128 = 1 << 20;

impl Known {
    /// The number of facts.
    pub(super) fn mark(&self) -> usize {
        self.facts.len()
    }

    /// Forgets what was added since.
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

    /// Adds that `form` is not negative.
    pub(super) fn add(&mut self, form: &Form, cause: Option<Cause>) {
        let form = form.reduced();
        let Some(first) = form.atoms().next() else { return };
        let mut superseded = None;
        for &other in self.mentions.get(first.index()).into_iter().flatten() {
            let fact = &self.facts[other];
            if !fact.superseded && fact.form.terms() == form.terms() {
                if fact.form.rest() <= form.rest() {
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
        self.added.push(Added { superseded, products: self.products.len() });
        for &(monomial, _) in form.terms() {
            if monomial.len() > 1 && !self.products.contains(&monomial) {
                self.products.push(monomial);
            }
        }
        self.facts.push(Fact::new(form, cause));
    }

    /// The facts since a mark.
    pub(super) fn since(&self, mark: usize) -> Vec<(Form, Option<Cause>)> {
        self.facts[mark..].iter().map(|fact| (fact.form.clone(), fact.cause)).collect()
    }

    /// The fact with this number.
    pub(super) fn fact(&self, number: usize) -> &Fact {
        &self.facts[number]
    }

    /// The numbers of the facts that mention `atom`, the latest first, without those that others make superfluous.
    pub(super) fn mentioning(&self, atom: AtomId) -> impl Iterator<Item = &usize> {
        let all = self.mentions.get(atom.index()).map_or(&[][..], Vec::as_slice);
        all.iter().rev().filter(|&&fact| !self.facts[fact].superseded)
    }

    /// The products of several numbers in facts.
    pub(super) fn products(&self) -> &[Monomial] {
        &self.products
    }

    /// A fact that alone says that `atom` is positive.
    pub(super) fn positive(&self, atoms: &Atoms, atom: AtomId) -> Option<usize> {
        let by_itself = Form::atom(atom);
        let says = |fact: &&usize| {
            let form = &self.facts[**fact].form;
            let coefficient = by_itself.terms().first().map_or(0, |&(atom, _)| form.of(atom));
            let others = (coefficient > 0).then(|| form.plus(-coefficient, &by_itself)).flatten();
            others.is_some_and(|rest| atoms.bounds(&rest).1.is_some_and(|most| most < 0))
        };
        self.mentioning(atom).find(says).copied()
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
            examples.extend(atoms, &self.facts, of);
            stack.push((count, examples));
        }
        stack.last_mut().is_some_and(|(_, examples)| {
            examples.extend(atoms, &self.facts, count);
            examples.refute(goal)
        })
    }

    /// Why `goal` is not negative; `None` if that is not known.
    pub(super) fn prove(&self, atoms: &Atoms, goal: &Form) -> Option<Vec<Cause>> {
        let goal = goal.reduced();
        if atoms.bounds(&goal).0.is_some_and(|least| least >= 0) {
            return Some(Vec::new());
        }
        if goal.known().is_some()
            || self.work.get() > MAX_KERNEL_WORK
            || self.is_refuted(atoms, &goal)
        {
            return None;
        }
        let mut prover = Prover::new(self, atoms, &goal)?;
        let facts = prover.run();
        self.work.set(self.work.get() + prover.work());
        let mut causes: Vec<Cause> = Vec::new();
        for fact in facts? {
            causes.extend(self.facts[fact].cause.filter(|cause| !causes.contains(cause)));
        }
        Some(causes)
    }

    /// Returns the facts, each with the reason, if that needs words.
    pub(super) fn facts(&self) -> impl Iterator<Item = (&Form, Option<Cause>)> {
        self.facts.iter().map(|fact| (&fact.form, fact.cause))
    }

    /// Returns the conditions on a launch for `goal` not to be negative: forms of what it knows, each of which
    /// suffices, the simplest first.
    pub(super) fn missing(&self, atoms: &Atoms, goal: &Form) -> Vec<Form> {
        let (seen, missing) = (Vec::new(), Vec::new());
        let mut search = Search { known: self, atoms, steps: MAX_STEPS, seen, missing };
        let _ = search.run(goal, MAX_DEPTH, true);
        search.missing
    }
}

struct Search<'a> {
    known: &'a Known,
    atoms: &'a Atoms,
    /// The forms that may still be looked at.
    steps: usize,
    /// Those that were, with a number that tells most of them apart.
    seen: Vec<(u128, Form)>,
    /// Forms of what a launch knows that would complete a proof, the simplest first.
    missing: Vec<Form>,
}

impl Search<'_> {
    /// Returns true if `goal` is not negative; `plausible` if what is missing would be worth requiring.
    fn run(&mut self, goal: &Form, depth: usize, plausible: bool) -> bool {
        let goal = goal.reduced();
        if self.atoms.bounds(&goal).0.is_some_and(|least| least >= 0) {
            return true;
        }
        if depth == 0 || self.steps == 0 || goal.known().is_some() || !self.is_new(&goal) {
            return false;
        }
        self.steps -= 1;
        if plausible {
            self.note_missing(&goal);
        }
        match self.subtracted(&goal) {
            Some((monomial, coefficient)) => {
                self.remove(&goal, monomial, coefficient, depth, plausible)
            }
            None => goal.terms().iter().any(|&(m, c)| self.by_facts(&goal, m, c, depth, plausible)),
        }
    }

    /// Returns true if `goal` was not looked at before; from now on it was.
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

    /// The product that is subtracted and to be removed first: the largest, but what a launch knows comes
    /// last, for it may be what is missing.
    fn subtracted(&self, goal: &Form) -> Option<(Monomial, i128)> {
        let mut found = None;
        let mut rank = (false, 0);
        for &(monomial, coefficient) in goal.terms() {
            if coefficient < 0 {
                let here = (!self.atoms.is_product_of_launch(monomial), monomial.len());
                if found.is_none() || here >= rank {
                    (found, rank) = (Some((monomial, coefficient)), here);
                }
            }
        }
        found
    }

    /// Goes on without a product that is subtracted, in each way that there is.
    fn remove(
        &mut self,
        goal: &Form,
        monomial: Monomial,
        coefficient: i128,
        depth: usize,
        plausible: bool,
    ) -> bool {
        if self.by_facts(goal, monomial, coefficient, depth, plausible) {
            return true;
        }
        let Some(most) = self.atoms.product(monomial).map(|range| range.max) else { return false };
        let bounded = Form::constant(most).minus(&Form::from(monomial));
        let Some(bounded) = bounded else { return false };
        let rest = goal.plus(coefficient, &bounded);
        let plausible = plausible && most <= SMALL && self.atoms.is_reached(monomial);
        rest.is_some_and(|rest| self.run(&rest, depth - 1, plausible))
    }

    /// Takes facts from `goal` that remove `coefficient * monomial` from it.
    fn by_facts(
        &mut self,
        goal: &Form,
        monomial: Monomial,
        coefficient: i128,
        depth: usize,
        plausible: bool,
    ) -> bool {
        for (index, factor) in self.candidates(monomial, coefficient) {
            let form = &self.known.facts[index].form;
            let Some(fact) = form.times_product(factor) else { continue };
            let of_fact = fact.of(monomial);
            let common = gcd(of_fact, coefficient);
            let scaled = goal.scaled(of_fact.abs() / common);
            let rest = scaled.and_then(|goal| goal.plus(-(coefficient.abs() / common), &fact));
            let Some(rest) = rest else { continue };
            if self.run(&rest, depth - 1, plausible) {
                return true;
            }
        }
        false
    }

    /// Facts, each with what to multiply it by so that it has the monomial, with a coefficient of
    /// this sign; the plainest first, of those the latest.
    fn candidates(&self, monomial: Monomial, coefficient: i128) -> Vec<(usize, Monomial)> {
        let mut found = Vec::new();
        let mut last: Option<AtomId> = None;
        for atom in monomial.atoms() {
            if last.replace(atom) == Some(atom) {
                continue;
            }
            for &index in self.known.mentioning(atom) {
                for &(part, of_part) in self.known.facts[index].form.terms() {
                    // Each part is found once: by its first atom.
                    if part.first() == Some(atom)
                        && of_part.signum() == coefficient.signum()
                        && let Some(factor) = monomial.divided(part)
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

    /// Remembers `goal` if a launch may be required to fulfil it.
    fn note_missing(&mut self, goal: &Form) {
        let some_added = goal.terms().iter().any(|&(_, coefficient)| coefficient > 0);
        if !some_added || !self.atoms.is_of_launch(goal) {
            return;
        }
        let size = |form: &Form| form.terms().iter().map(|(m, _)| m.len()).sum::<usize>();
        let place = self.missing.partition_point(|other| size(other) <= size(goal));
        self.missing.insert(place, goal.clone());
        self.missing.truncate(MAX_MISSING);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        analysis::{checks::atom::Kind, range::Range},
        ir::InstId,
    };

    #[test]
    fn nothing_is_proved_after_too_much_work() {
        let (mut atoms, most) = (Atoms::default(), i128::from(u32::MAX));
        let [i, n, len] = [0, 1, 2].map(|number| {
            Form::atom(atoms.get(Kind::Inst(InstId::new(number)), Range::new(0, most)))
        });
        let mut known = Known::default();
        known.add(&n.minus(&i).unwrap(), None);
        known.add(&len.minus(&n).unwrap(), None);
        let goal = len.minus(&i).unwrap();
        assert!(known.prove(&atoms, &goal).is_some());
        known.work.set(MAX_KERNEL_WORK + 1);
        assert!(known.prove(&atoms, &goal).is_none());
    }
}
