//! Proofs that a form is not negative: facts times products, added up.
//!
//! ```text
//! to prove      len - 1 - ((k * ny + j) * nx + i) >= 0
//! from          len - nx * ny * nz                            required
//!               nx * ny * (nz - 1 - k)                        guarded by k < nz
//!               nx * (ny - 1 - j)                             guarded by j < ny
//!               nx - 1 - i                                    guarded by i < nx
//! ```
//! [`Simplex`] finds how much of each row is needed. The rows are chosen step by step: of each product for which so
//! far only its range is used, those facts that bound it, times what is missing. Three kinds of rows do:
//!
//! - A fact, times a product, that has the product in it.
//! - A fact that says that a number is positive, times the product: `k * ny` is at most `k * ny * nx` where `nx` is
//!   at least 1.
//! - That the goal is wrong, times a product: where `i / n >= m`, `n * (i / n) >= n * m`.
//!
//! A proof is added up again before it is believed, so that nothing rests on how it was found. All work is counted: a
//! goal and a kernel have a limit each, beyond which nothing is proved by facts.
use super::{
    atom::Atoms,
    facts::Known,
    form::{AtomId, Form, Monomial, scaled},
    simplex::{Outcome, Simplex},
};
use std::collections::BTreeMap;

/// The most rounds in which rows are added for a goal.
const MAX_STEPS: usize = 12;
/// Rows that one step adds.
const MAX_NEW_ROWS: usize = 48;
/// Rows of a program.
const MAX_ROWS: usize = 160;
/// Products of a program.
const MAX_PRODUCTS: usize = 56;
/// Numbers of the inverse of the basis that one goal may take to compute.
const MAX_GOAL_WORK: usize = 60_000;
/// The same for all goals of a kernel.
pub(super) const MAX_KERNEL_WORK: usize = 4_000_000;
/// Coefficients of the products of a row, and of one that is a fact times a product.
const MAX_COEFFICIENT: i128 = 1 << 40;
const MAX_MULTIPLIED: i128 = 1 << 20;
/// The work of going through one fact, in the same unit.
const FACT_WORK: usize = 2;

/// The origin of a row, which is a multiple of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// The fact with this number.
    Fact(usize),
    /// That the goal is wrong.
    Negation,
    /// That a number is at least 1, which is its range.
    Positive(AtomId),
}

/// A row to be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Candidate {
    source: Source,
    factor: Monomial,
}

/// A search for one proof.
pub(super) struct Prover<'a> {
    known: &'a Known,
    atoms: &'a Atoms,
    /// The goal, and what is not negative if it is.
    goal: &'a Form,
    negated: Form,
    simplex: Simplex,
    /// The rows of the program.
    rows: Vec<(Candidate, Form)>,
    /// The products that rows were added for, whether those bound them from above, and by larger products.
    expanded: Vec<(Monomial, bool, bool)>,
    scanned: usize,
}

impl<'a> Prover<'a> {
    /// A search for a proof of `goal`, whose coefficients have no common divisor; `None` if numbers are too large.
    pub(super) fn new(known: &'a Known, atoms: &'a Atoms, goal: &'a Form) -> Option<Self> {
        let negated = goal.scaled(-1)?.shifted(-1)?;
        let mut simplex = Simplex::new(goal.rest());
        for &(monomial, coefficient) in goal.terms() {
            simplex.add_variable(monomial, coefficient, bounds(atoms, monomial), true)?;
        }
        let (rows, expanded) = (Vec::new(), Vec::new());
        Some(Self { known, atoms, goal, negated, simplex, rows, expanded, scanned: 0 })
    }

    /// The numbers of the facts that prove the goal; `None` if none do.
    pub(super) fn run(&mut self) -> Option<Vec<usize>> {
        for _ in 0..MAX_STEPS {
            if !self.add_rows() {
                return None;
            }
            match self.simplex.run(MAX_GOAL_WORK.saturating_sub(self.scanned)) {
                Outcome::Proved => {
                    let (multipliers, divisor) = self.simplex.multipliers();
                    return self.verified(&multipliers, divisor);
                }
                // Either the goal's negation is part of it, or control never gets here.
                Outcome::Contradiction => return self.verified(self.simplex.contradiction(), 0),
                Outcome::Open => {}
                Outcome::TooLarge => return None,
            }
        }
        None
    }

    /// Returns the cost of the search so far.
    pub(super) const fn work(&self) -> usize {
        self.simplex.work() + self.scanned
    }

    /// Adds rows that bound the products for which a range is used; false if there are none. Products that the goal does not
    /// have get larger only where nothing else is left.
    fn add_rows(&mut self) -> bool {
        let open = self.simplex.at_bounds();
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
                    self.negations(monomial, above, &mut candidates);
                    self.factors_in_goal(monomial, above, &mut candidates);
                }
            }
            if self.add_candidates(candidates) {
                return true;
            }
        }
        false
    }

    fn add_candidates(&mut self, candidates: Vec<Candidate>) -> bool {
        // Those that bring no new products are the ones that close a proof.
        let mut rows: Vec<(usize, Candidate, Form)> = Vec::new();
        for candidate in candidates {
            let same = |(_, other, _): &(usize, Candidate, Form)| *other == candidate;
            if rows.iter().any(same) || self.rows.iter().any(|(other, _)| *other == candidate) {
                continue;
            }
            let Some(form) =
                self.row(candidate).filter(|form| has_small_coefficients(form, candidate.factor))
            else {
                continue;
            };
            let is_new =
                |(monomial, _): &&(Monomial, i128)| self.simplex.number(*monomial).is_none();
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

    fn row(&self, Candidate { source, factor }: Candidate) -> Option<Form> {
        match source {
            Source::Fact(fact) => self.known.fact(fact).form.times_product(factor),
            Source::Negation => self.negated.times_product(factor),
            Source::Positive(atom) => Form::atom(atom).shifted(-1)?.times_product(factor),
        }
    }

    fn add_row(&mut self, candidate: Candidate, form: Form) -> Option<()> {
        if self.rows.len() >= MAX_ROWS {
            return None;
        }
        let mut terms = Vec::with_capacity(form.terms().len());
        for &(monomial, coefficient) in form.terms() {
            let number = match self.simplex.number(monomial) {
                Some(number) => number,
                None if self.simplex.len() >= MAX_PRODUCTS => return None,
                None => {
                    let (number, range) = (self.simplex.len(), bounds(self.atoms, monomial));
                    self.simplex.add_variable(monomial, 0, range, coefficient > 0)?;
                    number
                }
            };
            terms.push((number, coefficient));
        }
        self.simplex.add_row(terms, form.rest());
        self.rows.push((candidate, form));
        Some(())
    }

    /// Facts that have a part of `monomial`, with a coefficient that bounds it from this side.
    fn facts_with(&mut self, monomial: Monomial, above: bool, found: &mut Vec<Candidate>) {
        let mut last = None;
        for atom in monomial.atoms() {
            if last.replace(atom) == Some(atom) {
                continue;
            }
            for &fact in self.known.mentioning(atom) {
                self.scanned += FACT_WORK;
                for &(part, coefficient) in self.known.fact(fact).form.terms() {
                    // Each part is found once: by its first atom.
                    if part.first() == Some(atom)
                        && (coefficient < 0) == above
                        && let Some(factor) = monomial.divided(part)
                        && !self.atoms.is_negative(factor)
                    {
                        found.push(Candidate { source: Source::Fact(fact), factor });
                    }
                }
            }
        }
    }

    /// Facts that a number is positive, times `monomial`: of numbers that it is multiplied by in a product that
    /// shares a number with it.
    fn positive_factors(&mut self, monomial: Monomial, above: bool, found: &mut Vec<Candidate>) {
        if !above || self.atoms.is_negative(monomial) {
            return;
        }
        let mut others = Vec::new();
        for product in self.known.products() {
            self.scanned += FACT_WORK;
            let mut rest = monomial;
            let mut missing = Vec::new();
            for atom in product.atoms() {
                match rest.divided(Monomial::atom(atom)) {
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
        found.extend(others.into_iter().filter_map(|atom| self.by_positive(atom, monomial)));
    }

    /// The same for the numbers by which `monomial` is multiplied in the goal.
    fn factors_in_goal(&self, monomial: Monomial, above: bool, found: &mut Vec<Candidate>) {
        if !above || self.atoms.is_negative(monomial) {
            return;
        }
        for (product, _) in self.goal.terms() {
            if let Some(others) = product.divided(monomial)
                && others.len() == 1
                && let Some(atom) = others.first()
            {
                found.extend(self.by_positive(atom, monomial));
            }
        }
    }

    /// That `atom` is positive, times `monomial`.
    fn by_positive(&self, atom: AtomId, factor: Monomial) -> Option<Candidate> {
        if self.atoms.range(atom).min >= 1 {
            return Some(Candidate { source: Source::Positive(atom), factor });
        }
        let fact = self.known.positive(self.atoms, atom)?;
        Some(Candidate { source: Source::Fact(fact), factor })
    }

    /// The goal's negation times what makes a product of the goal one that a fact bounds.
    fn negations(&mut self, monomial: Monomial, above: bool, found: &mut Vec<Candidate>) {
        if self.goal.of(monomial) == 0 {
            return;
        }
        for atom in monomial.atoms() {
            for &fact in self.known.mentioning(atom) {
                self.scanned += FACT_WORK;
                for &(product, coefficient) in self.known.fact(fact).form.terms() {
                    if (coefficient < 0) == above
                        && let Some(factor) = product.divided(monomial)
                        && factor.len() > 0
                        && !self.atoms.is_negative(factor)
                    {
                        found.push(Candidate { source: Source::Negation, factor });
                    }
                }
            }
        }
    }

    /// The facts of a proof, if it adds up: `goal_by` times the goal, less the rows, is not negative. Where that is 0, the rows must
    /// be less than 0.
    fn verified(&self, multipliers: &[(usize, i128)], goal_by: i128) -> Option<Vec<usize>> {
        let mut rest: BTreeMap<Monomial, i128> = BTreeMap::new();
        let mut constant = self.goal.rest().checked_mul(goal_by)?;
        for &(monomial, coefficient) in self.goal.terms() {
            rest.insert(monomial, coefficient.checked_mul(goal_by)?);
        }
        let mut facts = Vec::new();
        for &(row, multiplier) in multipliers {
            let (Candidate { source, .. }, form) = &self.rows[row];
            if multiplier < 0 {
                return None;
            }
            constant = constant.checked_sub(scaled(form.rest(), multiplier)?)?;
            for &(monomial, coefficient) in form.terms() {
                let left = rest.entry(monomial).or_default();
                *left = left.checked_sub(scaled(coefficient, multiplier)?)?;
            }
            if let Source::Fact(fact) = source
                && !facts.contains(fact)
            {
                facts.push(*fact);
            }
        }
        for (monomial, coefficient) in rest {
            if coefficient != 0 {
                constant = constant.checked_add(self.atoms.least_term(monomial, coefficient)?)?;
            }
        }
        facts.sort_unstable();
        let least = i128::from(goal_by == 0);
        (goal_by >= 0 && constant >= least).then_some(facts)
    }
}

/// True if a row that has been multiplied by `factor` has no large coefficient: a limit of a type times a size is of no
/// use, and makes numbers large.
fn has_small_coefficients(form: &Form, factor: Monomial) -> bool {
    let most = if factor.len() == 0 { MAX_COEFFICIENT } else { MAX_MULTIPLIED };
    form.terms().iter().all(|(_, coefficient)| coefficient.abs() <= most)
}

/// Between which numbers a product lies, as far as that can be computed.
fn bounds(atoms: &Atoms, monomial: Monomial) -> [Option<i128>; 2] {
    match atoms.product(monomial) {
        Some(range) => [Some(range.min), Some(range.max)],
        None => [(!atoms.is_negative(monomial)).then(|| atoms.least_product(monomial)), None],
    }
}
