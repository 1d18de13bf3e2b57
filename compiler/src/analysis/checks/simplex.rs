//! The simplex method over sums of products, in exact integers.
//!
//! A goal is not negative if it is a sum of rows, each times a number that is not negative, plus
//! something whose range is not negative. The rows are facts times products
//! ([`prove`](super::prove) chooses them); every product is a variable of a linear program, with
//! its range as two more rows. The program looks for the multipliers that leave the most:
//!
//! ```text
//! minimize      the constant terms of the rows, times their multipliers
//! such that     the rows, times their multipliers, add up to the goal but for the constant term
//! ```
//! The goal is proved as soon as that minimum is at most its own constant term. The ranges alone
//! are a first solution, so no search for one is needed. In the dual, each solution gives every
//! product a value; a row that is negative for these values enters the basis next, and one whose
//! multiplier reaches 0 leaves it.
//!
//! The inverse of the basis is kept as integers over a common divisor, its determinant, so that
//! nothing is rounded. Numbers that get too large end the search. The user of a solution [verifies
//! it](super::prove).
use super::form::Monomial;
use std::ops::ControlFlow;

/// The largest bound to use: larger ones are mere limits of types, and make numbers large.
const MAX_BOUND: i128 = 1 << 66;
/// Maximum number of pivots of one run, to which one is added for each product.
const MAX_PIVOTS: usize = 24;

/// A sum of products, by their index in the program, that is not negative.
#[derive(Debug)]
struct Row {
    terms: Vec<(usize, i128)>,
    constant: i128,
}

/// The owner of a multiplier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Row(usize),
    /// The lower bound of the product with this index.
    LowerBound(usize),
    /// Its upper bound.
    UpperBound(usize),
}

/// A cost: a multiple of infinity for unbounded columns, and a number. Compared in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Cost {
    unbounded: i128,
    number: i128,
}

impl Cost {
    const fn from_bound(bound: Option<i128>) -> Self {
        match bound {
            Some(number) => Self { unbounded: 0, number },
            None => Self { unbounded: 1, number: 0 },
        }
    }

    /// Returns `self + factor * other`.
    fn checked_add_scaled(self, factor: i128, other: Self) -> Option<Self> {
        if factor == 0 {
            return Some(self);
        }
        let unbounded = match other.unbounded {
            0 => self.unbounded,
            some => self.unbounded.checked_add(some.checked_mul(factor)?)?,
        };
        let number = self.number.checked_add(other.number.checked_mul(factor)?)?;
        Some(Self { unbounded, number })
    }

    fn checked_scale(self, factor: i128) -> Option<Self> {
        Self::default().checked_add_scaled(factor, self)
    }

    /// Divides by `divisor`, which leaves no remainder.
    const fn div_exact(self, divisor: i128) -> Self {
        if divisor == 1 {
            return self;
        }
        Self { unbounded: self.unbounded / divisor, number: self.number / divisor }
    }
}

/// A product for which the program has a value.
#[derive(Debug)]
struct Variable {
    monomial: Monomial,
    least: Option<i128>,
    most: Option<i128>,
    /// Its value, negated and times the divisor.
    price: Cost,
}

/// An element of the basis.
#[derive(Debug)]
struct BasisElement {
    column: Column,
    /// The multiplier times the divisor.
    scaled_multiplier: i128,
    /// A row of the inverse of the basis, times the divisor.
    inverse: Vec<i128>,
}

/// The outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The goal is not negative.
    Proved,
    /// The rows contradict each other.
    Contradiction,
    /// These rows are not sufficient.
    Open,
    /// Numbers became too large, or the work too much.
    TooLarge,
}

/// A linear program with its basis.
#[derive(Debug)]
pub(super) struct Simplex {
    variables: Vec<Variable>,
    rows: Vec<Row>,
    basis: Vec<BasisElement>,
    divisor: i128,
    /// The cost of the current multipliers, times the divisor.
    cost: Cost,
    /// The constant term of the goal.
    allowed: i128,
    /// Multipliers of rows that add up to less than 0, if found.
    contradiction: Vec<(usize, i128)>,
    /// Numbers of the inverse computed so far.
    work: usize,
}

impl Simplex {
    /// Creates a program for a goal with this constant term, and no products yet.
    pub(super) fn new(allowed: i128) -> Self {
        let (variables, rows, basis) = (Vec::new(), Vec::new(), Vec::new());
        let (cost, contradiction) = (Cost::default(), Vec::new());
        Self { variables, rows, basis, divisor: 1, cost, allowed, contradiction, work: 0 }
    }

    /// Returns the numbers of the inverse computed so far.
    pub(super) const fn work(&self) -> usize {
        self.work
    }

    /// Returns the number of products.
    pub(super) const fn len(&self) -> usize {
        self.variables.len()
    }

    /// Returns the index of a product.
    pub(super) fn find_product(&self, monomial: Monomial) -> Option<usize> {
        self.variables.iter().position(|variable| variable.monomial == monomial)
    }

    /// Adds a product that is in no row yet, with its coefficient in the goal and its range. If the
    /// coefficient is 0, its start value is the upper bound if `above`.
    pub(super) fn add_variable(
        &mut self,
        monomial: Monomial,
        coefficient: i128,
        [least, most]: [Option<i128>; 2],
        above: bool,
    ) -> Option<()> {
        let bound = |value: i128| (value.abs() <= MAX_BOUND).then_some(value);
        let (least, most) = (least.and_then(bound), most.and_then(bound));
        let number = self.variables.len();
        let at_most = coefficient < 0 || coefficient == 0 && above;
        let (column, sign, cost) = if at_most {
            (Column::UpperBound(number), -1, Cost::from_bound(most))
        } else {
            (Column::LowerBound(number), 1, Cost::from_bound(least.map(|least| -least)))
        };
        let price = cost.checked_scale(sign * self.divisor)?;
        for basic in &mut self.basis {
            basic.inverse.push(0);
        }
        let mut inverse = vec![0; number + 1];
        inverse[number] = sign * self.divisor;
        let level = coefficient.checked_abs()?.checked_mul(self.divisor)?;
        self.cost = self.cost.checked_add_scaled(level, cost)?;
        self.variables.push(Variable { monomial, least, most, price });
        self.basis.push(BasisElement { column, scaled_multiplier: level, inverse });
        Some(())
    }

    /// Adds a row, all of whose products have been added.
    pub(super) fn add_row(&mut self, terms: Vec<(usize, i128)>, constant: i128) {
        self.rows.push(Row { terms, constant });
    }

    /// Improves the multipliers until the goal is proved or no row helps.
    pub(super) fn minimize(&mut self, max_work: usize) -> Outcome {
        for _ in 0..MAX_PIVOTS + self.len() {
            if self.is_proved() {
                return Outcome::Proved;
            }
            if self.work > max_work {
                return Outcome::TooLarge;
            }
            match self.pivot_step() {
                Some(ControlFlow::Continue(())) => {}
                Some(ControlFlow::Break(outcome)) => return outcome,
                None => return Outcome::TooLarge,
            }
        }
        if self.is_proved() { Outcome::Proved } else { Outcome::Open }
    }

    fn is_proved(&self) -> bool {
        let Some(allowed) = self.allowed.checked_mul(self.divisor) else { return false };
        self.cost <= Cost { unbounded: 0, number: allowed }
    }

    /// Returns the nonzero multipliers of rows, times a number, which is the second result.
    pub(super) fn multipliers(&self) -> (Vec<(usize, i128)>, i128) {
        let row = |basic: &BasisElement| match basic.column {
            Column::Row(row) if basic.scaled_multiplier > 0 => Some((row, basic.scaled_multiplier)),
            Column::Row(_) | Column::LowerBound(_) | Column::UpperBound(_) => None,
        };
        (self.basis.iter().filter_map(row).collect(), self.divisor)
    }

    /// Returns the products for which only a range is used, with true for the upper bound. Those
    /// that contribute to the cost come first.
    pub(super) fn at_bounds(&self) -> Vec<(Monomial, bool)> {
        let mut found = Vec::new();
        for counts in [true, false] {
            for basic in &self.basis {
                let (number, above) = match basic.column {
                    Column::LowerBound(number) => (number, false),
                    Column::UpperBound(number) => (number, true),
                    Column::Row(_) => continue,
                };
                if (basic.scaled_multiplier > 0) == counts {
                    found.push((self.variables[number].monomial, above));
                }
            }
        }
        found
    }

    /// Performs one pivot; `None` if a number gets too large.
    fn pivot_step(&mut self) -> Option<ControlFlow<Outcome>> {
        let Some((entering, reduced)) = self.entering_column()? else {
            return Some(ControlFlow::Break(Outcome::Open));
        };
        let mut column = Vec::with_capacity(self.basis.len());
        for basic in &self.basis {
            column.push(self.multiply_row(&basic.inverse, entering)?);
        }
        let Some(leaving) = self.leaving_element(&column)? else {
            // Unbounded: its multiplier can make the cost arbitrarily small.
            self.contradiction = self.multiplier_changes(entering, &column);
            return Some(ControlFlow::Break(Outcome::Contradiction));
        };
        self.pivot(entering, reduced, &column, leaving)?;
        Some(ControlFlow::Continue(()))
    }

    /// Returns the changes of the multipliers of rows with that of a column.
    fn multiplier_changes(&self, entering: Column, column: &[i128]) -> Vec<(usize, i128)> {
        let others = self.basis.iter().zip(column).map(|(basic, step)| (basic.column, -step));
        let all = std::iter::once((entering, self.divisor)).chain(others);
        let row = |(column, change)| match column {
            Column::Row(row) if change != 0 => Some((row, change)),
            Column::Row(_) | Column::LowerBound(_) | Column::UpperBound(_) => None,
        };
        all.filter_map(row).collect()
    }

    /// Returns multipliers of rows that add up to less than 0, if found.
    pub(super) fn contradiction(&self) -> &[(usize, i128)] {
        &self.contradiction
    }

    /// Returns the product of a row of the inverse and a column.
    fn multiply_row(&self, inverse: &[i128], column: Column) -> Option<i128> {
        match column {
            Column::LowerBound(number) => Some(inverse[number]),
            Column::UpperBound(number) => Some(-inverse[number]),
            Column::Row(row) => {
                let mut sum = 0_i128;
                for &(number, coefficient) in &self.rows[row].terms {
                    if inverse[number] != 0 {
                        sum = sum.checked_add(inverse[number].checked_mul(coefficient)?)?;
                    }
                }
                Some(sum)
            }
        }
    }

    /// Returns the column that lowers the cost most per unit of its multiplier, and by how much,
    /// times the divisor.
    fn entering_column(&self) -> Option<Option<(Column, Cost)>> {
        let mut best: Option<(Column, Cost)> = None;
        let mut offer = |column: Column, reduced: Cost| {
            if reduced < Cost::default() && best.is_none_or(|(_, least)| reduced < least) {
                best = Some((column, reduced));
            }
        };
        for (number, row) in self.rows.iter().enumerate() {
            let mut reduced = Cost::from_bound(Some(row.constant)).checked_scale(self.divisor)?;
            for &(variable, coefficient) in &row.terms {
                reduced =
                    reduced.checked_add_scaled(-coefficient, self.variables[variable].price)?;
            }
            offer(Column::Row(number), reduced);
        }
        for (number, variable) in self.variables.iter().enumerate() {
            if let Some(least) = variable.least {
                let reduced = Cost::from_bound(Some(-least)).checked_scale(self.divisor)?;
                offer(Column::LowerBound(number), reduced.checked_add_scaled(-1, variable.price)?);
            }
            if let Some(most) = variable.most {
                let reduced = Cost::from_bound(Some(most)).checked_scale(self.divisor)?;
                offer(Column::UpperBound(number), reduced.checked_add_scaled(1, variable.price)?);
            }
        }
        Some(best)
    }

    /// Returns the element of the basis whose multiplier is the first to reach 0.
    fn leaving_element(&self, column: &[i128]) -> Option<Option<usize>> {
        let mut found: Option<usize> = None;
        for (place, &step) in column.iter().enumerate() {
            if step <= 0 {
                continue;
            }
            let Some(best) = found else {
                found = Some(place);
                continue;
            };
            let here = self.basis[place].scaled_multiplier.checked_mul(column[best])?;
            let there = self.basis[best].scaled_multiplier.checked_mul(step)?;
            if here < there {
                found = Some(place);
            }
        }
        Some(found)
    }

    fn pivot(
        &mut self,
        entering: Column,
        reduced: Cost,
        column: &[i128],
        leaving: usize,
    ) -> Option<()> {
        let (old, pivot) = (self.divisor, column[leaving]);
        // The pivot is positive, so the inverse's row keeps its sign.
        let row = std::mem::take(&mut self.basis[leaving].inverse);
        let level = self.basis[leaving].scaled_multiplier;
        let combine = |value: i128, factor: i128, by: i128| {
            if value == 0 && (factor == 0 || by == 0) {
                return Some(0);
            }
            let difference = value.checked_mul(pivot)?.checked_sub(factor.checked_mul(by)?)?;
            Some(if old == 1 { difference } else { difference / old })
        };
        self.work += row.len() * self.basis.len();
        for (place, basic) in self.basis.iter_mut().enumerate() {
            if place == leaving {
                continue;
            }
            let factor = column[place];
            if factor == 0 && pivot == old {
                continue;
            }
            for (value, &by) in basic.inverse.iter_mut().zip(&row) {
                *value = combine(*value, factor, by)?;
            }
            basic.scaled_multiplier = combine(basic.scaled_multiplier, factor, level)?;
        }
        for (variable, &by) in self.variables.iter_mut().zip(&row) {
            variable.price = variable
                .price
                .checked_scale(pivot)?
                .checked_add_scaled(by, reduced)?
                .div_exact(old);
        }
        self.cost =
            self.cost.checked_scale(pivot)?.checked_add_scaled(level, reduced)?.div_exact(old);
        self.basis[leaving] =
            BasisElement { column: entering, scaled_multiplier: level, inverse: row };
        self.divisor = pivot;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        analysis::checks::form::{AtomId, Form},
        id::Id as _,
    };

    fn product(number: usize) -> Monomial {
        Form::atom(AtomId::new(number)).terms()[0].0
    }

    /// Solves for a goal in variables that are not negative and have no limits.
    fn outcome(goal: &[i128], constant: i128, rows: &[(&[i128], i128)]) -> (Outcome, Simplex) {
        let mut simplex = Simplex::new(constant);
        for (number, &coefficient) in goal.iter().enumerate() {
            let range = [Some(0), None];
            simplex.add_variable(product(number), coefficient, range, true).unwrap();
        }
        for (terms, constant) in rows {
            let terms = terms.iter().copied().enumerate().filter(|(_, c)| *c != 0);
            simplex.add_row(terms.collect(), *constant);
        }
        (simplex.minimize(usize::MAX), simplex)
    }

    #[test]
    fn a_chain_of_rows_proves_a_goal() {
        // c - a >= 0, from b - a >= 0 and c - b >= 0.
        let rows: [(&[i128], i128); 2] = [(&[-1, 1, 0], 0), (&[0, -1, 1], 0)];
        let (outcome, simplex) = outcome(&[-1, 0, 1], 0, &rows);
        assert_eq!(outcome, Outcome::Proved);
        assert_eq!(simplex.multipliers(), (vec![(0, 1), (1, 1)], 1));
    }

    #[test]
    fn one_too_many_is_not_proved() {
        let rows: [(&[i128], i128); 2] = [(&[-1, 1, 0], 0), (&[0, -1, 1], 0)];
        assert_eq!(outcome(&[-1, 0, 1], -1, &rows).0, Outcome::Open);
        assert_eq!(outcome(&[-1, 0, 1], 0, &rows[..1]).0, Outcome::Open);
    }

    #[test]
    fn a_contradiction_proves_everything() {
        // b - a - 1 >= 0 and a - b >= 0.
        let rows: [(&[i128], i128); 2] = [(&[-1, 1, 0], -1), (&[1, -1, 0], 0)];
        let (outcome, simplex) = outcome(&[-1, 0, 0], 0, &rows);
        assert_eq!(outcome, Outcome::Contradiction);
        let sum: i128 = simplex.contradiction().iter().map(|&(row, by)| rows[row].1 * by).sum();
        assert!(sum < 0, "{simplex:?}");
    }

    #[test]
    fn multipliers_are_fractions() {
        // x <= 3, from 2 x + y <= 6 and 2 x - y <= 6.
        let rows: [(&[i128], i128); 2] = [(&[-2, -1], 6), (&[-2, 1], 6)];
        let (outcome_of_three, simplex) = outcome(&[-1, 0], 3, &rows);
        assert_eq!(outcome_of_three, Outcome::Proved);
        let (multipliers, divisor) = simplex.multipliers();
        assert!(multipliers.iter().map(|(_, by)| by).sum::<i128>() <= divisor);
        assert_eq!(outcome(&[-1, 0], 2, &rows).0, Outcome::Open);
    }
}
