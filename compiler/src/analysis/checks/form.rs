//! Integers as sums of products: `4 * block_idx + n * row - 1`.
//!
//! A [`Form`] is exact: what it says of numbers that have no limits. Where an operation of a
//! kernel may wrap, its value is an atom of its own.
use crate::id::Id;
use std::{collections::BTreeMap, fmt};

/// A number that is not taken apart further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct AtomId(u32);

impl Id for AtomId {
    fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("a kernel has fewer than 2^32 of anything"))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for AtomId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a{}", self.0)
    }
}

/// A product of atoms, in order; empty for 1.
pub(super) type Monomial = Vec<AtomId>;

/// A sum of products with coefficients that are not 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Form(BTreeMap<Monomial, i128>);

/// How many products a form may be the sum of, and how many atoms a product may have.
const MOST_TERMS: usize = 24;
const MOST_FACTORS: usize = 4;

/// Coefficients stay below this, so that few of them are ever too large to compute with.
const MOST: i128 = 1 << 100;

impl Form {
    pub(super) fn constant(value: i128) -> Self {
        let mut form = Self(BTreeMap::new());
        if value != 0 {
            form.0.insert(Vec::new(), value);
        }
        form
    }

    pub(super) fn atom(atom: AtomId) -> Self {
        Self(BTreeMap::from([(vec![atom], 1)]))
    }

    /// The number, if there are no atoms in it.
    pub(super) fn known(&self) -> Option<i128> {
        match self.0.first_key_value() {
            None => Some(0),
            Some((monomial, &value)) if self.0.len() == 1 && monomial.is_empty() => Some(value),
            Some(_) => None,
        }
    }

    /// The atom, if it is one and nothing else.
    pub(super) fn as_atom(&self) -> Option<AtomId> {
        match self.0.first_key_value() {
            Some((monomial, 1)) if self.0.len() == 1 => match monomial.as_slice() {
                [atom] => Some(*atom),
                _ => None,
            },
            Some(_) | None => None,
        }
    }

    /// What is added that has no atoms.
    pub(super) fn rest(&self) -> i128 {
        self.0.get([].as_slice()).copied().unwrap_or(0)
    }

    /// Every product with its coefficient, but for the [rest](Self::rest).
    pub(super) fn terms(&self) -> impl Iterator<Item = (&Monomial, i128)> {
        self.0.iter().filter(|(monomial, _)| !monomial.is_empty()).map(|(m, &c)| (m, c))
    }

    /// The coefficient of a product.
    pub(super) fn of(&self, monomial: &[AtomId]) -> i128 {
        self.0.get(monomial).copied().unwrap_or(0)
    }

    /// `self + factor * other`; `None` if it is too large to compute.
    pub(super) fn plus(&self, factor: i128, other: &Self) -> Option<Self> {
        let mut sum = self.clone();
        for (monomial, &coefficient) in &other.0 {
            sum.add(monomial.clone(), coefficient.checked_mul(factor)?)?;
        }
        (sum.0.len() <= MOST_TERMS).then_some(sum)
    }

    pub(super) fn minus(&self, other: &Self) -> Option<Self> {
        self.plus(-1, other)
    }

    /// `self + number`
    pub(super) fn shifted(&self, number: i128) -> Option<Self> {
        self.plus(number, &Self::constant(1))
    }

    pub(super) fn times(&self, other: &Self) -> Option<Self> {
        let mut product = Self::constant(0);
        for (a, &x) in &self.0 {
            for (b, &y) in &other.0 {
                if a.len() + b.len() > MOST_FACTORS {
                    return None;
                }
                product.add(merged(a, b), x.checked_mul(y)?)?;
            }
        }
        (product.0.len() <= MOST_TERMS).then_some(product)
    }

    pub(super) fn scaled(&self, factor: i128) -> Option<Self> {
        Self::constant(0).plus(factor, self)
    }

    fn add(&mut self, monomial: Monomial, coefficient: i128) -> Option<()> {
        let sum = self.of(&monomial).checked_add(coefficient)?;
        if sum == 0 {
            self.0.remove(&monomial);
        } else if sum.abs() >= MOST {
            return None;
        } else {
            self.0.insert(monomial, sum);
        }
        Some(())
    }

    /// The form that is not negative exactly if this one is not, with coefficients that have no
    /// divisor in common. The atoms are integers, so what is left over is rounded down.
    pub(super) fn reduced(&self) -> Self {
        let common = self.terms().fold(0, |common, (_, coefficient)| gcd(common, coefficient));
        if common <= 1 {
            return self.clone();
        }
        let mut reduced = Self::constant(self.rest().div_euclid(common));
        for (monomial, coefficient) in self.terms() {
            reduced.0.insert(monomial.clone(), coefficient / common);
        }
        reduced
    }

    /// A `divisor`-th of it, if every coefficient is divided by that.
    pub(super) fn divided(&self, divisor: i128) -> Option<Self> {
        let exact = divisor > 0 && self.0.values().all(|coefficient| coefficient % divisor == 0);
        let parts = self.0.iter().map(|(monomial, c)| (monomial.clone(), c / divisor));
        exact.then(|| Self(parts.collect()))
    }

    /// The same with `atom` replaced.
    pub(super) fn with(&self, atom: AtomId, by: &Self) -> Option<Self> {
        let mut form = Self::constant(self.rest());
        for (monomial, coefficient) in self.terms() {
            let mut product = Self::constant(coefficient);
            for factor in monomial {
                product = match *factor == atom {
                    true => product.times(by)?,
                    false => product.times(&Self::atom(*factor))?,
                };
            }
            form = form.plus(1, &product)?;
        }
        Some(form)
    }

    /// Every atom in it, some more than once.
    pub(super) fn atoms(&self) -> impl Iterator<Item = AtomId> {
        self.0.keys().flatten().copied()
    }
}

fn merged(a: &[AtomId], b: &[AtomId]) -> Monomial {
    let mut merged: Monomial = a.iter().chain(b).copied().collect();
    merged.sort_unstable();
    merged
}

/// What `whole` is `part` times; `None` if it is no product of that.
pub(super) fn quotient(whole: &[AtomId], part: &[AtomId]) -> Option<Monomial> {
    let mut rest = whole.to_vec();
    for factor in part {
        let place = rest.iter().position(|atom| atom == factor)?;
        rest.remove(place);
    }
    Some(rest)
}

/// The product as a form.
pub(super) fn product(monomial: &[AtomId]) -> Form {
    Form(BTreeMap::from([(monomial.to_vec(), 1)]))
}

/// The greatest common divisor.
pub(super) const fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_is_that_of_polynomials() {
        let [x, y] = [0, 1].map(|index| Form::atom(AtomId::new(index)));
        let sum = x.plus(3, &y).unwrap().shifted(-2).unwrap();
        assert_eq!(sum.minus(&sum).unwrap().known(), Some(0));
        let square = sum.times(&sum).unwrap();
        assert_eq!(square.of(&[AtomId::new(0), AtomId::new(1)]), 6);
        assert_eq!((square.rest(), square.of(&[AtomId::new(1); 2])), (4, 9));
        let doubled = sum.scaled(2).unwrap();
        assert_eq!(doubled.divided(2), Some(sum.clone()));
        assert_eq!(doubled.shifted(1).unwrap().reduced(), sum);
        assert_eq!(doubled.shifted(-1).unwrap().reduced(), sum.shifted(-1).unwrap());
        assert_eq!(x.with(AtomId::new(0), &sum), Some(sum.clone()));
        assert_eq!(sum.with(AtomId::new(0), &Form::constant(2)), y.scaled(3));
    }

    #[test]
    fn what_is_too_large_is_no_form() {
        let mut power = Form::constant(1 << 60);
        power = power.shifted(1).unwrap();
        assert_eq!(power.times(&power), None);
        let x = Form::atom(AtomId::new(0));
        let fourth = x.times(&x).and_then(|square| square.times(&square)).unwrap();
        assert_eq!(fourth.times(&x), None);
    }
}
