//! Integers as sums of products: `4 * block_idx + n * row - 1`.
//!
//! A [`Form`] is exact: what it says of numbers that have no limits. Where an operation of a
//! kernel may wrap, its value is an atom of its own.
use crate::id::Id;
use std::fmt;

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

/// A product of at most [`MOST_FACTORS`] atoms, in order; of none for 1. Each has [`BITS`] bits, the first
/// the highest: its number and 1, so that the order is that of lists of atoms. It is a number, and a [`Form`] a
/// list of those, since forms are made by the thousands, in a macro that is built without optimization.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Monomial(u128);

/// A sum of products with coefficients that are not 0, by product.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Form(Vec<(Monomial, i128)>);

/// The most products of a form, and the most atoms of a product.
const MOST_TERMS: usize = 24;
const MOST_FACTORS: usize = 5;

/// Coefficients stay below this, so that few of them are ever too large to compute with.
const MOST: i128 = 1 << 100;

/// Bits of an atom in a product, and where the first is.
const BITS: u32 = 25;
const FIRST: u32 = 128 - BITS;

impl Monomial {
    /// The product of nothing.
    const ONE: Self = Self(0);

    pub(super) fn atom(atom: AtomId) -> Self {
        Self((u128::from(atom.0) + 1) << FIRST)
    }

    /// Number of atoms.
    pub(super) const fn len(self) -> usize {
        // The lowest bits belong to no factor.
        let unused = self.0.trailing_zeros() - (128 - BITS * MOST_FACTORS as u32);
        MOST_FACTORS - (unused / BITS) as usize
    }

    const fn is_one(self) -> bool {
        self.0 == 0
    }

    /// The first atom, and what it is multiplied by.
    pub(super) const fn split_first(self) -> Option<(AtomId, Self)> {
        if self.is_one() {
            return None;
        }
        // No more than one factor is left.
        let first = (self.0 >> FIRST) as u32;
        Some((AtomId(first - 1), Self(self.0 << BITS)))
    }

    /// The atoms, in order.
    pub(super) fn atoms(self) -> impl Iterator<Item = AtomId> {
        let mut rest = self;
        std::iter::from_fn(move || {
            let (atom, others) = rest.split_first()?;
            rest = others;
            Some(atom)
        })
    }

    /// The first atom.
    pub(super) fn first(self) -> Option<AtomId> {
        self.split_first().map(|(atom, _)| atom)
    }

    /// `None` if it has too many atoms.
    fn times(self, other: Self) -> Option<Self> {
        if self.is_one() || other.is_one() {
            return Some(Self(self.0 | other.0));
        }
        if self.len() + other.len() > MOST_FACTORS {
            return None;
        }
        let (mut a, mut b) = (self.0, other.0);
        let (mut product, mut place) = (0, FIRST);
        while a != 0 || b != 0 {
            let (x, y) = (a >> FIRST, b >> FIRST);
            if y == 0 || (x != 0 && x <= y) {
                product |= x << place;
                a <<= BITS;
            } else {
                product |= y << place;
                b <<= BITS;
            }
            place = place.saturating_sub(BITS);
        }
        Some(Self(product))
    }

    /// Returns the factor by which it is a multiple of `part`; `None` if it is no product of that.
    pub(super) fn divided(self, part: Self) -> Option<Self> {
        let (mut whole, mut part) = (self.0, part.0);
        let (mut rest, mut place) = (0, FIRST);
        while whole != 0 {
            let (x, y) = (whole >> FIRST, part >> FIRST);
            if x == y {
                part <<= BITS;
            } else {
                rest |= x << place;
                place = place.saturating_sub(BITS);
            }
            whole <<= BITS;
        }
        (part == 0).then_some(Self(rest))
    }
}

impl Form {
    pub(super) fn constant(value: i128) -> Self {
        Self(if value == 0 { Vec::new() } else { vec![(Monomial::ONE, value)] })
    }

    pub(super) fn atom(atom: AtomId) -> Self {
        Self::from(Monomial::atom(atom))
    }

    /// The number, if there are no atoms in it.
    pub(super) fn known(&self) -> Option<i128> {
        match self.0.as_slice() {
            [] => Some(0),
            [(Monomial::ONE, value)] => Some(*value),
            _ => None,
        }
    }

    /// The atom, if it is one and nothing else.
    pub(super) fn as_atom(&self) -> Option<AtomId> {
        match self.0.as_slice() {
            [(monomial, 1)] if monomial.len() == 1 => monomial.first(),
            _ => None,
        }
    }

    /// Returns the summand without atoms.
    pub(super) fn rest(&self) -> i128 {
        match self.0.first() {
            Some((Monomial::ONE, rest)) => *rest,
            Some(_) | None => 0,
        }
    }

    /// Every product with its coefficient, but for the [rest](Self::rest).
    pub(super) fn terms(&self) -> &[(Monomial, i128)] {
        match self.0.split_first() {
            Some(((Monomial::ONE, _), terms)) => terms,
            Some(_) | None => &self.0,
        }
    }

    /// The coefficient of a product.
    pub(super) fn of(&self, monomial: Monomial) -> i128 {
        self.place(monomial).map_or(0, |place| self.0[place].1)
    }

    /// Returns the place of a product, or the one where it belongs.
    fn place(&self, monomial: Monomial) -> Result<usize, usize> {
        let mut place = 0;
        while place < self.0.len() {
            let here = self.0[place].0;
            if here == monomial {
                return Ok(place);
            }
            if here > monomial {
                break;
            }
            place += 1;
        }
        Err(place)
    }

    /// `self + factor * other`; `None` if it is too large to compute.
    pub(super) fn plus(&self, factor: i128, other: &Self) -> Option<Self> {
        let (a, b) = (&self.0, &other.0);
        let mut sum = Vec::with_capacity(a.len() + b.len());
        let (mut i, mut j) = (0, 0);
        while j < b.len() {
            let (monomial, coefficient) = b[j];
            while i < a.len() && a[i].0 < monomial {
                sum.push(a[i]);
                i += 1;
            }
            let mut coefficient = scaled(coefficient, factor)?;
            if i < a.len() && a[i].0 == monomial {
                coefficient = coefficient.checked_add(a[i].1)?;
                i += 1;
            }
            push(&mut sum, monomial, coefficient)?;
            j += 1;
        }
        sum.extend_from_slice(&a[i..]);
        (sum.len() <= MOST_TERMS).then_some(Self(sum))
    }

    pub(super) fn minus(&self, other: &Self) -> Option<Self> {
        self.plus(-1, other)
    }

    /// `self + number`
    pub(super) fn shifted(&self, number: i128) -> Option<Self> {
        self.plus(number, &Self::constant(1))
    }

    pub(super) fn times(&self, other: &Self) -> Option<Self> {
        let mut product = Self(Vec::with_capacity(self.0.len() * other.0.len()));
        for &(a, x) in &self.0 {
            for &(b, y) in &other.0 {
                product.add(a.times(b)?, scaled(x, y)?)?;
            }
        }
        (product.0.len() <= MOST_TERMS).then_some(product)
    }

    /// The same times a product.
    pub(super) fn times_product(&self, by: Monomial) -> Option<Self> {
        if by.is_one() { Some(self.clone()) } else { self.times(&Self::from(by)) }
    }

    pub(super) fn scaled(&self, factor: i128) -> Option<Self> {
        if factor == 1 { Some(self.clone()) } else { Self::constant(0).plus(factor, self) }
    }

    fn add(&mut self, monomial: Monomial, coefficient: i128) -> Option<()> {
        match self.place(monomial) {
            Ok(place) => {
                let sum = self.0[place].1.checked_add(coefficient)?;
                if sum == 0 {
                    self.0.remove(place);
                } else if sum.abs() >= MOST {
                    return None;
                } else {
                    self.0[place].1 = sum;
                }
            }
            Err(_) if coefficient.abs() >= MOST => return None,
            Err(place) => self.0.insert(place, (monomial, coefficient)),
        }
        Some(())
    }

    /// The form that is not negative exactly if this one is not, with coefficients that have no
    /// divisor in common. The atoms are integers, so what is left over is rounded down.
    pub(super) fn reduced(&self) -> Self {
        let mut common = 0;
        for &(_, coefficient) in self.terms() {
            common = gcd(common, coefficient);
            if common == 1 {
                break;
            }
        }
        if common <= 1 {
            return self.clone();
        }
        let mut reduced = Self::constant(self.rest().div_euclid(common));
        reduced.0.extend(self.terms().iter().map(|(monomial, c)| (*monomial, c / common)));
        reduced
    }

    /// The form without what all its coefficients have in common.
    pub(super) fn primitive(&self) -> Self {
        let common = self.0.iter().fold(0, |common, &(_, coefficient)| gcd(common, coefficient));
        self.divided(common).unwrap_or_else(|| self.clone())
    }

    /// A `divisor`-th of it, if every coefficient is divided by that.
    pub(super) fn divided(&self, divisor: i128) -> Option<Self> {
        let exact = divisor > 0 && self.0.iter().all(|(_, coefficient)| coefficient % divisor == 0);
        let parts = self.0.iter().map(|(monomial, c)| (*monomial, c / divisor));
        exact.then(|| Self(parts.collect()))
    }

    /// Divides the multiples of `divisor`, a number or a product, by it, and returns the rest as well; `None` if it is neither.
    pub(super) fn split(&self, divisor: &Self) -> Option<(Self, Self)> {
        let mut whole = Self::constant(0);
        if let Some(number) = divisor.known().filter(|&number| number > 0) {
            whole = Self::constant(self.rest().div_euclid(number));
            for &(monomial, coefficient) in self.terms() {
                if coefficient % number == 0 {
                    whole.add(monomial, coefficient / number)?;
                }
            }
        } else if let [(by, 1)] = *divisor.0.as_slice() {
            for &(monomial, coefficient) in self.terms() {
                if let Some(others) = monomial.divided(by) {
                    whole.add(others, coefficient)?;
                }
            }
        } else {
            return None;
        }
        let rest = self.minus(&whole.times(divisor)?)?;
        Some((whole, rest))
    }

    /// The same with `atom` replaced.
    pub(super) fn with(&self, atom: AtomId, by: &Self) -> Option<Self> {
        let mut form = Self::constant(self.rest());
        for &(monomial, coefficient) in self.terms() {
            let mut product = Self::constant(coefficient);
            for factor in monomial.atoms() {
                product = match factor == atom {
                    true => product.times(by)?,
                    false => product.times(&Self::atom(factor))?,
                };
            }
            form = form.plus(1, &product)?;
        }
        Some(form)
    }

    /// Every atom in it, some more than once.
    pub(super) fn atoms(&self) -> impl Iterator<Item = AtomId> {
        self.0.iter().flat_map(|(monomial, _)| monomial.atoms())
    }

    /// A number that tells most forms apart.
    pub(super) fn fingerprint(&self) -> u128 {
        let mut hash = 0_u128;
        for (monomial, coefficient) in &self.0 {
            // An odd number with many bits: that of the golden ratio.
            hash = (hash.rotate_left(29) ^ monomial.0 ^ coefficient.cast_unsigned())
                .wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        }
        hash
    }
}

/// The product as a form.
impl From<Monomial> for Form {
    fn from(monomial: Monomial) -> Self {
        Self(vec![(monomial, 1)])
    }
}

/// `coefficient * factor`, of which most are 1 or -1.
pub(super) const fn scaled(coefficient: i128, factor: i128) -> Option<i128> {
    match factor {
        1 => Some(coefficient),
        -1 => coefficient.checked_neg(),
        _ => coefficient.checked_mul(factor),
    }
}

/// Adds a product behind all others; `None` if the coefficient is too large.
fn push(sum: &mut Vec<(Monomial, i128)>, monomial: Monomial, coefficient: i128) -> Option<()> {
    if coefficient != 0 {
        (coefficient.abs() < MOST).then(|| sum.push((monomial, coefficient)))?;
    }
    Some(())
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
        let [a, b] = [0, 1].map(|index| Monomial::atom(AtomId::new(index)));
        assert_eq!(square.of(a.times(b).unwrap()), 6);
        assert_eq!((square.rest(), square.of(b.times(b).unwrap())), (4, 9));
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
        assert_eq!(fourth.times(&x).unwrap().times(&x), None);
        assert_eq!(fourth.times(&fourth), None);
    }

    #[test]
    fn products_are_ordered_lists_of_atoms() {
        let product = |atoms: &[usize]| {
            let atoms = atoms.iter().map(|&index| Monomial::atom(AtomId::new(index)));
            atoms.fold(Monomial::ONE, |product, atom| product.times(atom).unwrap())
        };
        let list = |product: Monomial| product.atoms().map(Id::index).collect::<Vec<_>>();
        let all = [&[][..], &[0], &[0, 0], &[0, 1, 7], &[0, 7], &[1], &[1, 1, 1, 2], &[7]];
        assert!(all.windows(2).all(|pair| product(pair[0]) < product(pair[1])));
        for atoms in all {
            let (whole, turned) = (product(atoms), atoms.iter().rev().copied().collect::<Vec<_>>());
            assert_eq!((list(whole), whole.len()), (atoms.to_vec(), atoms.len()));
            assert_eq!(product(&turned), whole);
            assert_eq!(whole.first().map(Id::index), atoms.first().copied());
            assert_eq!(whole.divided(whole), Some(Monomial::ONE));
        }
        let whole = product(&[0, 0, 1, 7]);
        assert_eq!(whole.divided(product(&[0, 7])), Some(product(&[0, 1])));
        assert_eq!(whole.divided(product(&[1, 1])), None);
        let longest = whole.times(product(&[3])).unwrap();
        assert_eq!((list(longest), longest.len()), (vec![0, 0, 1, 3, 7], 5));
        assert_eq!(longest.times(product(&[0])), None);
    }
}
