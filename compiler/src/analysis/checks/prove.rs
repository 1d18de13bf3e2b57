//! Proofs that a form is not negative: facts times products, added up.
//!
//! ```text
//! to prove      len - 1 - ((k * ny + j) * nx + i) >= 0
//! from          len - nx * ny * nz                            required
//!               nx * ny * (nz - 1 - k)                        guarded by k < nz
//!               nx * (ny - 1 - j)                             guarded by j < ny
//!               nx - 1 - i                                    guarded by i < nx
//! ```
//! [`Simplex`] finds the multiplier of each row. Rows are added step by step: for each product of
//! which so far only the range is used, the facts that bound it, times the missing factor. There
//! are three kinds of rows:
//!
//! - A fact, times a product, that contains the product.
//! - A fact that a number is positive, times the product: `k * ny` is at most `k * ny * nx` where
//!   `nx` is at least 1.
//! - The negation of the goal, times a product: where `i / n >= m`, `n * (i / n) >= n * m`.
//!
//! A proof is added up again before it is accepted, so that its correctness does not depend on the
//! search. All work is counted: a goal and a kernel have a limit each, beyond which nothing is
//! proved by facts.
use super::{
    atom::Atoms,
    facts::FactBase,
    form::{AtomId, Form, Monomial, scale_coefficient},
    simplex::{Outcome, Simplex},
};
use std::collections::BTreeMap;

/// Maximum number of steps for a goal.
const MAX_PROOF_STEPS: usize = 12;
/// Maximum number of rows that one step adds.
const MAX_NEW_ROWS: usize = 48;
/// Maximum number of rows of a program.
const MAX_ROWS: usize = 160;
/// Maximum number of products of a program.
const MAX_PRODUCTS: usize = 56;
/// The work limit of one goal, in computed numbers of the inverse of the basis.
const MAX_GOAL_WORK: usize = 60_000;
/// The work limit of all goals of a kernel.
pub(super) const MAX_KERNEL_WORK: usize = 4_000_000;
/// Coefficient limits: of a row, and of a row that is a fact times a product.
const MAX_COEFFICIENT: i128 = 1 << 40;
const MAX_MULTIPLIED_COEFFICIENT: i128 = 1 << 20;
/// The work of visiting one fact, in the same unit.
const WORK_PER_FACT: usize = 2;

/// The origin of a row, which is a multiple of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowSource {
    /// The fact with this number.
    Fact(usize),
    /// The negation of the goal.
    Negation,
    /// The range of a number that is at least 1.
    Positive(AtomId),
}

/// A row to be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RowCandidate {
    source: RowSource,
    factor: Monomial,
}

/// The search for one proof.
pub(super) struct Prover<'a> {
    known: &'a FactBase,
    atoms: &'a Atoms,
    /// The goal, to be proved not negative.
    goal: &'a Form,
    negated: Form,
    simplex: Simplex,
    /// The rows of the program.
    rows: Vec<(RowCandidate, Form)>,
    /// The products that have been expanded, with the side that was bounded, and whether larger
    /// products were used.
    expanded: Vec<(Monomial, bool, bool)>,
    scanned: usize,
}

impl<'a> Prover<'a> {
    /// Starts a search for a proof of `goal`, whose coefficients have no common divisor; `None` if
    /// numbers are too large.
    pub(super) fn new(known: &'a FactBase, atoms: &'a Atoms, goal: &'a Form) -> Option<Self> {
        let negated = goal.checked_scale(-1)?.checked_add_number(-1)?;
        let mut simplex = Simplex::new(goal.constant_term());
        for &(monomial, coefficient) in goal.terms() {
            simplex.add_variable(monomial, coefficient, product_bounds(atoms, monomial), true)?;
        }
        let (rows, expanded) = (Vec::new(), Vec::new());
        Some(Self { known, atoms, goal, negated, simplex, rows, expanded, scanned: 0 })
    }

    /// Returns the indices of the facts that prove the goal; `None` if there is no proof.
    pub(super) fn find_proof(&mut self) -> Option<Vec<usize>> {
        for _ in 0..MAX_PROOF_STEPS {
            if !self.add_rows() {
                return None;
            }
            match self.simplex.minimize(MAX_GOAL_WORK.saturating_sub(self.scanned)) {
                Outcome::Proved => {
                    let (multipliers, divisor) = self.simplex.multipliers();
                    return self.verify_proof(&multipliers, divisor);
                }
                // Either the goal's negation is part of it, or control never gets here.
                Outcome::Contradiction => {
                    return self.verify_proof(self.simplex.contradiction(), 0);
                }
                Outcome::Open => {}
                Outcome::TooLarge => return None,
            }
        }
        None
    }

    /// Returns the work of the search so far.
    pub(super) const fn work(&self) -> usize {
        self.simplex.work() + self.scanned
    }

    /// Adds rows that bound the products for which only a range is used; returns false if there are
    /// none. Products that the goal does not contain are enlarged only if nothing else is left.
    fn add_rows(&mut self) -> bool {
        let open = self.simplex.at_bounds();
        // Rows within the goal's products first: larger products make the program grow.
        for larger in [false, true] {
            let mut candidates = Vec::new();
            for &(monomial, above) in &open {
                let here = (monomial, above, larger);
                if self.expanded.contains(&here) {
                    continue;
                }
                self.expanded.push(here);
                if larger {
                    self.positive_factors(monomial, above, &mut candidates);
                } else {
                    self.facts_with(monomial, above, &mut candidates);
                    self.goal_negations(monomial, above, &mut candidates);
                    self.factors_in_goal(monomial, above, &mut candidates);
                }
            }
            if self.add_candidates(candidates) {
                return true;
            }
        }
        false
    }

    fn add_candidates(&mut self, candidates: Vec<RowCandidate>) -> bool {
        // Candidates without new products are the ones that close a proof.
        let mut rows: Vec<(usize, RowCandidate, Form)> = Vec::new();
        for candidate in candidates {
            let same = |(_, other, _): &(usize, RowCandidate, Form)| *other == candidate;
            if rows.iter().any(same) || self.rows.iter().any(|(other, _)| *other == candidate) {
                continue;
            }
            let Some(form) = self
                .candidate_row(candidate)
                .filter(|form| has_small_coefficients(form, candidate.factor))
            else {
                continue;
            };
            let is_new =
                |(monomial, _): &&(Monomial, i128)| self.simplex.find_product(*monomial).is_none();
            let new = form.terms().iter().filter(is_new).count();
            rows.push((new, candidate, form));
        }
        rows.sort_by_key(|(new, candidate, _)| (*new, candidate.factor.len()));
        let mut added = false;
        for (_, candidate, form) in rows.into_iter().take(MAX_NEW_ROWS) {
            added |= self.add_row(candidate, form).is_some();
        }
        added
    }

    fn candidate_row(&self, RowCandidate { source, factor }: RowCandidate) -> Option<Form> {
        match source {
            RowSource::Fact(fact) => self.known.fact(fact).form.checked_mul_product(factor),
            RowSource::Negation => self.negated.checked_mul_product(factor),
            RowSource::Positive(atom) => {
                Form::atom(atom).checked_add_number(-1)?.checked_mul_product(factor)
            }
        }
    }

    fn add_row(&mut self, candidate: RowCandidate, form: Form) -> Option<()> {
        if self.rows.len() >= MAX_ROWS {
            return None;
        }
        let mut terms = Vec::with_capacity(form.terms().len());
        for &(monomial, coefficient) in form.terms() {
            let number = match self.simplex.find_product(monomial) {
                Some(number) => number,
                None if self.simplex.len() >= MAX_PRODUCTS => return None,
                None => {
                    let (number, range) =
                        (self.simplex.len(), product_bounds(self.atoms, monomial));
                    self.simplex.add_variable(monomial, 0, range, coefficient > 0)?;
                    number
                }
            };
            terms.push((number, coefficient));
        }
        self.simplex.add_row(terms, form.constant_term());
        self.rows.push((candidate, form));
        Some(())
    }

    /// Collects facts that contain a part of `monomial`, with a coefficient that bounds it from
    /// this side.
    fn facts_with(&mut self, monomial: Monomial, above: bool, found: &mut Vec<RowCandidate>) {
        let mut last = None;
        for atom in monomial.atoms() {
            if last.replace(atom) == Some(atom) {
                continue;
            }
            for &fact in self.known.facts_mentioning(atom) {
                self.scanned += WORK_PER_FACT;
                for &(part, coefficient) in self.known.fact(fact).form.terms() {
                    // Each part is found once: by its first atom.
                    if part.first() == Some(atom)
                        && (coefficient < 0) == above
                        && let Some(factor) = monomial.checked_div(part)
                        && !self.atoms.is_negative(factor)
                    {
                        found.push(RowCandidate { source: RowSource::Fact(fact), factor });
                    }
                }
            }
        }
    }

    /// Collects positivity facts, times `monomial`: for the numbers that it is multiplied by in a
    /// product that shares a number with it.
    fn positive_factors(&mut self, monomial: Monomial, above: bool, found: &mut Vec<RowCandidate>) {
        if !above || self.atoms.is_negative(monomial) {
            return;
        }
        let mut others = Vec::new();
        for product in self.known.products() {
            self.scanned += WORK_PER_FACT;
            let mut rest = monomial;
            let mut missing = Vec::new();
            for atom in product.atoms() {
                match rest.checked_div(Monomial::atom(atom)) {
                    Some(left) => rest = left,
                    None => missing.push(atom),
                }
            }
            if rest != monomial {
                others.extend(missing);
            }
        }
        others.sort_unstable();
        others.dedup();
        found.extend(others.into_iter().filter_map(|atom| self.positivity_row(atom, monomial)));
    }

    /// Collects positivity facts for the numbers by which `monomial` is multiplied in the goal.
    fn factors_in_goal(&self, monomial: Monomial, above: bool, found: &mut Vec<RowCandidate>) {
        if !above || self.atoms.is_negative(monomial) {
            return;
        }
        for (product, _) in self.goal.terms() {
            if let Some(others) = product.checked_div(monomial)
                && others.len() == 1
                && let Some(atom) = others.first()
            {
                found.extend(self.positivity_row(atom, monomial));
            }
        }
    }

    /// Returns the fact that `atom` is positive, times `factor`.
    fn positivity_row(&self, atom: AtomId, factor: Monomial) -> Option<RowCandidate> {
        if self.atoms.range(atom).min >= 1 {
            return Some(RowCandidate { source: RowSource::Positive(atom), factor });
        }
        let fact = self.known.positivity_fact(self.atoms, atom)?;
        Some(RowCandidate { source: RowSource::Fact(fact), factor })
    }

    /// Collects the goal's negation times the factors that turn a product of the goal into one that
    /// a fact bounds.
    fn goal_negations(&mut self, monomial: Monomial, above: bool, found: &mut Vec<RowCandidate>) {
        if self.goal.coefficient(monomial) == 0 {
            return;
        }
        for atom in monomial.atoms() {
            for &fact in self.known.facts_mentioning(atom) {
                self.scanned += WORK_PER_FACT;
                for &(product, coefficient) in self.known.fact(fact).form.terms() {
                    if (coefficient < 0) == above
                        && let Some(factor) = product.checked_div(monomial)
                        && factor.len() > 0
                        && !self.atoms.is_negative(factor)
                    {
                        found.push(RowCandidate { source: RowSource::Negation, factor });
                    }
                }
            }
        }
    }

    /// Returns the facts of a proof, if it adds up: `goal_by` times the goal, minus the rows, is
    /// not negative. If `goal_by` is 0, the rows must sum to less than 0.
    fn verify_proof(&self, multipliers: &[(usize, i128)], goal_by: i128) -> Option<Vec<usize>> {
        let mut rest: BTreeMap<Monomial, i128> = BTreeMap::new();
        let mut constant = self.goal.constant_term().checked_mul(goal_by)?;
        for &(monomial, coefficient) in self.goal.terms() {
            rest.insert(monomial, coefficient.checked_mul(goal_by)?);
        }
        let mut facts = Vec::new();
        for &(row, multiplier) in multipliers {
            let (RowCandidate { source, .. }, form) = &self.rows[row];
            if multiplier < 0 {
                return None;
            }
            constant =
                constant.checked_sub(scale_coefficient(form.constant_term(), multiplier)?)?;
            for &(monomial, coefficient) in form.terms() {
                let left = rest.entry(monomial).or_default();
                *left = left.checked_sub(scale_coefficient(coefficient, multiplier)?)?;
            }
            if let RowSource::Fact(fact) = source
                && !facts.contains(fact)
            {
                facts.push(*fact);
            }
        }
        for (monomial, coefficient) in rest {
            if coefficient != 0 {
                constant = constant.checked_add(self.atoms.min_term(monomial, coefficient)?)?;
            }
        }
        facts.sort_unstable();
        let least = i128::from(goal_by == 0);
        (goal_by >= 0 && constant >= least).then_some(facts)
    }
}

/// Returns true if a row that has been multiplied by `factor` has no large coefficient: a type's
/// limit times a size proves nothing, and makes numbers large.
fn has_small_coefficients(form: &Form, factor: Monomial) -> bool {
    let most = if factor.len() == 0 { MAX_COEFFICIENT } else { MAX_MULTIPLIED_COEFFICIENT };
    form.terms().iter().all(|(_, coefficient)| coefficient.abs() <= most)
}

/// Returns the bounds of a product, as far as they fit.
fn product_bounds(atoms: &Atoms, monomial: Monomial) -> [Option<i128>; 2] {
    match atoms.product_range(monomial) {
        Some(range) => [Some(range.min), Some(range.max)],
        None => [(!atoms.is_negative(monomial)).then(|| atoms.min_product(monomial)), None],
    }
}
