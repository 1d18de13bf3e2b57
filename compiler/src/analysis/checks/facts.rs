//! What is known at a place, and what follows from it.
//!
//! A fact is a [form](super::form) that is not negative. To prove that another one is not, facts
//! are taken from it, each times a product that is not negative, until what is left is not
//! negative for its ranges alone:
//!
//! ```text
//! to prove      len - 1 - (y * w + x) >= 0
//! less          len - w * h                      required
//! less          w * (h - 1 - y)                  guarded by y < h
//! less          w - 1 - x                        guarded by x < w
//! leaves        0
//! ```
//! Each step removes a product that is subtracted, by a fact that bounds it from above; which of
//! several facts serves is tried, up to a limit.
use super::{
    Cause,
    atom::Atoms,
    example::Example,
    form::{AtomId, Form, Monomial, gcd},
};
use crate::id::Id as _;
use std::{cell::RefCell, rc::Rc};

/// A form that is not negative.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub(super) form: Form,
    pub(super) cause: Cause,
}

/// What holds at a place.
#[derive(Debug, Default)]
pub(super) struct Known {
    facts: Vec<Fact>,
    /// The facts that mention an atom, by its number.
    mentions: Vec<Vec<usize>>,
    /// Examples of the first so many facts, where somebody has asked.
    examples: RefCell<Vec<Option<Examples>>>,
}

/// Examples, and for how many atoms they have numbers.
type Examples = (usize, Rc<[Example]>);

/// How many forms are looked at for a proof.
const STEPS: usize = 240;
/// The same where a proof is worth less: whether a sum or product wraps.
const FEW_STEPS: usize = 60;
/// How many facts a proof has.
const DEPTH: usize = 10;
/// Up to this, a bound that is only a number is worth requiring.
const SMALL: i128 = 1 << 20;

impl Known {
    /// How much is known.
    pub(super) fn mark(&self) -> usize {
        self.facts.len()
    }

    /// Forgets what was added since.
    pub(super) fn forget_since(&mut self, mark: usize) {
        self.examples.get_mut().truncate(mark + 1);
        while self.facts.len() > mark {
            let index = self.facts.len() - 1;
            if let Some(fact) = self.facts.pop() {
                for atom in fact.form.atoms() {
                    let list = &mut self.mentions[atom.index()];
                    if list.last() == Some(&index) {
                        list.pop();
                    }
                }
            }
        }
    }

    /// Adds that `form` is not negative.
    pub(super) fn add(&mut self, form: &Form, cause: Cause) {
        let form = form.reduced();
        if form.known().is_some() {
            return;
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
        self.facts.push(Fact { form, cause });
    }

    /// Examples of what is known.
    fn examples(&self, atoms: &Atoms) -> Rc<[Example]> {
        let mut known = self.examples.borrow_mut();
        if known.len() <= self.facts.len() {
            known.resize(self.facts.len() + 1, None);
        }
        let known = &mut known[self.facts.len()];
        let examples: Rc<[Example]> = match known {
            Some((count, examples)) if *count == atoms.len() => return examples.clone(),
            Some((_, examples)) => {
                let more: Option<Vec<_>> =
                    examples.iter().map(|example| example.clone().with(atoms)).collect();
                more.unwrap_or_default().into()
            }
            None => Example::of(atoms, &self.facts).into(),
        };
        *known = Some((atoms.len(), examples.clone()));
        examples
    }

    /// Why `goal` is not negative; `None` if that is not known.
    pub(super) fn prove(&self, atoms: &Atoms, goal: &Form) -> Option<Vec<Cause>> {
        let mut search = Search::new(self, atoms, STEPS);
        search.run(goal, DEPTH, true).then(|| search.causes())
    }

    /// Whether `goal` is not negative, for what that is worth little.
    pub(super) fn implies(&self, atoms: &Atoms, goal: &Form) -> bool {
        if atoms.bounds(goal).0.is_some_and(|least| least >= 0) {
            return true;
        }
        let examples = self.examples(atoms);
        Search { examples, ..Search::new(self, atoms, FEW_STEPS) }.run(goal, DEPTH, true)
    }

    /// What a launch would have to fulfil for `goal` not to be negative: a form of what it knows.
    pub(super) fn missing(&self, atoms: &Atoms, goal: &Form) -> Option<Form> {
        let mut search = Search::new(self, atoms, STEPS);
        let _ = search.run(goal, DEPTH, true);
        search.missing
    }
}

struct Search<'a> {
    known: &'a Known,
    atoms: &'a Atoms,
    /// How many forms may still be looked at.
    steps: usize,
    /// Those that were, with a number that tells most of them apart.
    seen: Vec<(u128, Form)>,
    /// What refutes goals.
    examples: Rc<[Example]>,
    /// Facts of the proof so far.
    used: Vec<usize>,
    /// The simplest form of what a launch knows that would complete a proof.
    missing: Option<Form>,
}

impl<'a> Search<'a> {
    fn new(known: &'a Known, atoms: &'a Atoms, steps: usize) -> Self {
        let (seen, examples, used) = (Vec::new(), Rc::default(), Vec::new());
        Self { known, atoms, steps, seen, examples, used, missing: None }
    }

    fn causes(&self) -> Vec<Cause> {
        let mut causes: Vec<Cause> = Vec::new();
        for &index in &self.used {
            let cause = self.known.facts[index].cause;
            if !causes.contains(&cause) {
                causes.push(cause);
            }
        }
        causes
    }

    /// Whether `goal` is not negative; `plausible` if what is missing would be worth requiring.
    fn run(&mut self, goal: &Form, depth: usize, plausible: bool) -> bool {
        for example in &*self.examples {
            if example.refutes(goal) {
                return false;
            }
        }
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

    /// Whether `goal` was not looked at before; from now on it was.
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
        rest.is_some_and(|rest| self.run(&rest, depth - 1, plausible && most <= SMALL))
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
            self.used.push(index);
            if self.run(&rest, depth - 1, plausible) {
                return true;
            }
            self.used.pop();
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
            for &index in self.known.mentions.get(atom.index()).into_iter().flatten() {
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
        if self.missing.as_ref().is_none_or(|best| size(goal) < size(best)) {
            self.missing = Some(goal.clone());
        }
    }
}
