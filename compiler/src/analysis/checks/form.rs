//! Forms: integers as sums of products, such as `4 * block_idx + n * row - 1`.
//!
//! A [`Form`] is exact: it is about mathematical integers. If an operation of a kernel may wrap,
//! its result is an atom of its own.
use crate::id::Id;
use std::fmt;

/// A number that is not decomposed further.
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

/// A product of at most [`MAX_ATOMS_PER_PRODUCT`] atoms, in order; the empty product is 1. Each
/// atom has [`BITS_PER_ATOM`] bits, the first the highest: its number plus 1, so that the order is
/// that of lists of atoms. It is a plain number, and a [`Form`] a list of those, since thousands of
/// forms are made, in a macro that is built without optimization.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Monomial(u128);

/// A sum of products with nonzero coefficients, ordered by product.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Form(Vec<(Monomial, i128)>);

/// Maximum number of products of a form.
const MAX_TERMS: usize = 24;
/// Maximum number of atoms of a product.
const MAX_ATOMS_PER_PRODUCT: usize = 5;

/// The bound of coefficients. Sums of two such, and products with a number of 2^26, fit in 128
/// bits.
const COEFFICIENT_LIMIT: i128 = 1 << 100;

/// Bits of an atom in a product.
const BITS_PER_ATOM: u32 = 25;
/// The position of the first atom of a product.
const FIRST_ATOM_SHIFT: u32 = 128 - BITS_PER_ATOM;

impl Monomial {
    /// The empty product.
    const ONE: Self = Self(0);

    pub(super) fn atom(atom: AtomId) -> Self {
        Self((u128::from(atom.0) + 1) << FIRST_ATOM_SHIFT)
    }

    /// Returns the number of atoms.
    pub(super) const fn len(self) -> usize {
        // The lowest bits belong to no factor.
        let unused = self.0.trailing_zeros() - (128 - BITS_PER_ATOM * MAX_ATOMS_PER_PRODUCT as u32);
        MAX_ATOMS_PER_PRODUCT - (unused / BITS_PER_ATOM) as usize
    }

    const fn is_one(self) -> bool {
        self.0 == 0
    }

    /// Returns the first atom, and the remaining product.
    pub(super) const fn split_first(self) -> Option<(AtomId, Self)> {
        if self.is_one() {
            return None;
        }
        // No more than one factor is left.
        let first = (self.0 >> FIRST_ATOM_SHIFT) as u32;
        Some((AtomId(first - 1), Self(self.0 << BITS_PER_ATOM)))
    }

    /// Returns the atoms, in order.
    pub(super) fn atoms(self) -> impl Iterator<Item = AtomId> {
        let mut rest = self;
        std::iter::from_fn(move || {
            let (atom, others) = rest.split_first()?;
            rest = others;
            Some(atom)
        })
    }

    /// Returns the first atom.
    pub(super) fn first(self) -> Option<AtomId> {
        self.split_first().map(|(atom, _)| atom)
    }

    /// Returns the product; `None` if it has too many atoms.
    fn checked_mul(self, other: Self) -> Option<Self> {
        if self.is_one() || other.is_one() {
            return Some(Self(self.0 | other.0));
        }
        if self.len() + other.len() > MAX_ATOMS_PER_PRODUCT {
            return None;
        }
        let (mut a, mut b) = (self.0, other.0);
        let (mut product, mut place) = (0, FIRST_ATOM_SHIFT);
        // The merge of two sorted lists. Atoms are not 0, so 0 is the end of one.
        while a != 0 || b != 0 {
            let (x, y) = (a >> FIRST_ATOM_SHIFT, b >> FIRST_ATOM_SHIFT);
            if y == 0 || (x != 0 && x <= y) {
                product |= x << place;
                a <<= BITS_PER_ATOM;
            } else {
                product |= y << place;
                b <<= BITS_PER_ATOM;
            }
            place = place.saturating_sub(BITS_PER_ATOM);
        }
        Some(Self(product))
    }

    /// Divides by `part`; `None` if it is not a multiple of it.
    pub(super) fn checked_div(self, part: Self) -> Option<Self> {
        let (mut whole, mut part) = (self.0, part.0);
        let (mut rest, mut place) = (0, FIRST_ATOM_SHIFT);
        while whole != 0 {
            let (x, y) = (whole >> FIRST_ATOM_SHIFT, part >> FIRST_ATOM_SHIFT);
            if x == y {
                part <<= BITS_PER_ATOM;
            } else {
                rest |= x << place;
                place = place.saturating_sub(BITS_PER_ATOM);
            }
            whole <<= BITS_PER_ATOM;
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

    /// Returns the number, if it has no atoms.
    pub(super) fn as_number(&self) -> Option<i128> {
        match self.0.as_slice() {
            [] => Some(0),
            [(Monomial::ONE, value)] => Some(*value),
            _ => None,
        }
    }

    /// Returns the atom, if it is a single one.
    pub(super) fn as_atom(&self) -> Option<AtomId> {
        match self.0.as_slice() {
            [(monomial, 1)] if monomial.len() == 1 => monomial.first(),
            _ => None,
        }
    }

    /// Returns the constant term.
    pub(super) fn constant_term(&self) -> i128 {
        match self.0.first() {
            Some((Monomial::ONE, rest)) => *rest,
            Some(_) | None => 0,
        }
    }

    /// Returns every product with its coefficient, without the [constant
    /// term](Self::constant_term).
    pub(super) fn terms(&self) -> &[(Monomial, i128)] {
        match self.0.split_first() {
            Some(((Monomial::ONE, _), terms)) => terms,
            Some(_) | None => &self.0,
        }
    }

    /// Returns the coefficient of a product.
    pub(super) fn coefficient(&self, monomial: Monomial) -> i128 {
        self.find_term(monomial).map_or(0, |place| self.0[place].1)
    }

    /// Returns the index of a product, or `Err` with the index at which to insert it.
    fn find_term(&self, monomial: Monomial) -> Result<usize, usize> {
        // Not a binary search: forms have few products, and the macro is built without
        // optimization.
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

    /// Returns `self + factor * other`; `None` if it does not fit.
    pub(super) fn checked_add_scaled(&self, factor: i128, other: &Self) -> Option<Self> {
        let (a, b) = (&self.0, &other.0);
        let mut sum = Vec::with_capacity(a.len() + b.len());
        let (mut i, mut j) = (0, 0);
        while j < b.len() {
            let (monomial, coefficient) = b[j];
            while i < a.len() && a[i].0 < monomial {
                sum.push(a[i]);
                i += 1;
            }
            let mut coefficient = scale_coefficient(coefficient, factor)?;
            if i < a.len() && a[i].0 == monomial {
                coefficient = coefficient.checked_add(a[i].1)?;
                i += 1;
            }
            push_term(&mut sum, monomial, coefficient)?;
            j += 1;
        }
        sum.extend_from_slice(&a[i..]);
        (sum.len() <= MAX_TERMS).then_some(Self(sum))
    }

    pub(super) fn checked_sub(&self, other: &Self) -> Option<Self> {
        self.checked_add_scaled(-1, other)
    }

    /// Returns `self + number`.
    pub(super) fn checked_add_number(&self, number: i128) -> Option<Self> {
        self.checked_add_scaled(number, &Self::constant(1))
    }

    pub(super) fn checked_mul(&self, other: &Self) -> Option<Self> {
        let mut product = Self(Vec::with_capacity(self.0.len() * other.0.len()));
        for &(a, x) in &self.0 {
            for &(b, y) in &other.0 {
                product.add_term(a.checked_mul(b)?, scale_coefficient(x, y)?)?;
            }
        }
        (product.0.len() <= MAX_TERMS).then_some(product)
    }

    /// Multiplies by a product.
    pub(super) fn checked_mul_product(&self, by: Monomial) -> Option<Self> {
        if by.is_one() { Some(self.clone()) } else { self.checked_mul(&Self::from(by)) }
    }

    pub(super) fn checked_scale(&self, factor: i128) -> Option<Self> {
        if factor == 1 {
            Some(self.clone())
        } else {
            Self::constant(0).checked_add_scaled(factor, self)
        }
    }

    fn add_term(&mut self, monomial: Monomial, coefficient: i128) -> Option<()> {
        match self.find_term(monomial) {
            Ok(place) => {
                let sum = self.0[place].1.checked_add(coefficient)?;
                if sum == 0 {
                    self.0.remove(place);
                } else if sum.abs() >= COEFFICIENT_LIMIT {
                    return None;
                } else {
                    self.0[place].1 = sum;
                }
            }
            Err(_) if coefficient.abs() >= COEFFICIENT_LIMIT => return None,
            Err(place) => self.0.insert(place, (monomial, coefficient)),
        }
        Some(())
    }

    /// Returns the form that is not negative exactly if this one is not, with coefficients without
    /// a common divisor. The atoms are integers, so the constant term is rounded down.
    pub(super) fn normalized(&self) -> Self {
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
        let mut reduced = Self::constant(self.constant_term().div_euclid(common));
        reduced.0.extend(self.terms().iter().map(|(monomial, c)| (*monomial, c / common)));
        reduced
    }

    /// Divides by the common divisor of all coefficients.
    pub(super) fn primitive(&self) -> Self {
        let common = self.0.iter().fold(0, |common, &(_, coefficient)| gcd(common, coefficient));
        self.div_exact(common).unwrap_or_else(|| self.clone())
    }

    /// Divides by `divisor`, if it divides every coefficient.
    pub(super) fn div_exact(&self, divisor: i128) -> Option<Self> {
        let exact = divisor > 0 && self.0.iter().all(|(_, coefficient)| coefficient % divisor == 0);
        let parts = self.0.iter().map(|(monomial, c)| (*monomial, c / divisor));
        exact.then(|| Self(parts.collect()))
    }

    /// Splits off the multiples of `divisor`, a number or a product: returns the quotient and the
    /// rest; `None` if `divisor` is neither.
    pub(super) fn div_rem(&self, divisor: &Self) -> Option<(Self, Self)> {
        let mut whole = Self::constant(0);
        if let Some(number) = divisor.as_number().filter(|&number| number > 0) {
            whole = Self::constant(self.constant_term().div_euclid(number));
            for &(monomial, coefficient) in self.terms() {
                if coefficient % number == 0 {
                    whole.add_term(monomial, coefficient / number)?;
                }
            }
        } else if let [(by, 1)] = *divisor.0.as_slice() {
            for &(monomial, coefficient) in self.terms() {
                if let Some(others) = monomial.checked_div(by) {
                    whole.add_term(others, coefficient)?;
                }
            }
        } else {
            return None;
        }
        let rest = self.checked_sub(&whole.checked_mul(divisor)?)?;
        Some((whole, rest))
    }

    /// Replaces `atom` by a form.
    pub(super) fn substitute(&self, atom: AtomId, by: &Self) -> Option<Self> {
        let mut form = Self::constant(self.constant_term());
        for &(monomial, coefficient) in self.terms() {
            let mut product = Self::constant(coefficient);
            for factor in monomial.atoms() {
                product = if factor == atom {
                    product.checked_mul(by)?
                } else {
                    product.checked_mul(&Self::atom(factor))?
                };
            }
            form = form.checked_add_scaled(1, &product)?;
        }
        Some(form)
    }

    /// Returns every atom in it, some more than once.
    pub(super) fn atoms(&self) -> impl Iterator<Item = AtomId> {
        self.0.iter().flat_map(|(monomial, _)| monomial.atoms())
    }

    /// Returns a hash that tells most forms apart.
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

/// Converts a product to a form.
impl From<Monomial> for Form {
    fn from(monomial: Monomial) -> Self {
        Self(vec![(monomial, 1)])
    }
}

/// Returns `coefficient * factor`; most are 1 or -1.
pub(super) const fn scale_coefficient(coefficient: i128, factor: i128) -> Option<i128> {
    match factor {
        1 => Some(coefficient),
        -1 => coefficient.checked_neg(),
        _ => coefficient.checked_mul(factor),
    }
}

/// Appends a product that is greater than all others; `None` if the coefficient is too large.
fn push_term(sum: &mut Vec<(Monomial, i128)>, monomial: Monomial, coefficient: i128) -> Option<()> {
    if coefficient != 0 {
        (coefficient.abs() < COEFFICIENT_LIMIT).then(|| sum.push((monomial, coefficient)))?;
    }
    Some(())
}

/// Returns the greatest common divisor.
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
        let sum = x.checked_add_scaled(3, &y).unwrap().checked_add_number(-2).unwrap();
        assert_eq!(sum.checked_sub(&sum).unwrap().as_number(), Some(0));
        let square = sum.checked_mul(&sum).unwrap();
        let [a, b] = [0, 1].map(|index| Monomial::atom(AtomId::new(index)));
        assert_eq!(square.coefficient(a.checked_mul(b).unwrap()), 6);
        assert_eq!((square.constant_term(), square.coefficient(b.checked_mul(b).unwrap())), (4, 9));
        let doubled = sum.checked_scale(2).unwrap();
        assert_eq!(doubled.div_exact(2), Some(sum.clone()));
        assert_eq!(doubled.checked_add_number(1).unwrap().normalized(), sum);
        assert_eq!(
            doubled.checked_add_number(-1).unwrap().normalized(),
            sum.checked_add_number(-1).unwrap()
        );
        assert_eq!(x.substitute(AtomId::new(0), &sum), Some(sum.clone()));
        assert_eq!(sum.substitute(AtomId::new(0), &Form::constant(2)), y.checked_scale(3));
    }

    #[test]
    fn what_is_too_large_is_no_form() {
        let mut power = Form::constant(1 << 60);
        power = power.checked_add_number(1).unwrap();
        assert_eq!(power.checked_mul(&power), None);
        let x = Form::atom(AtomId::new(0));
        let fourth = x.checked_mul(&x).and_then(|square| square.checked_mul(&square)).unwrap();
        assert_eq!(fourth.checked_mul(&x).unwrap().checked_mul(&x), None);
        assert_eq!(fourth.checked_mul(&fourth), None);
    }

    #[test]
    fn products_are_ordered_lists_of_atoms() {
        let product = |atoms: &[usize]| {
            let atoms = atoms.iter().map(|&index| Monomial::atom(AtomId::new(index)));
            atoms.fold(Monomial::ONE, |product, atom| product.checked_mul(atom).unwrap())
        };
        let list = |product: Monomial| product.atoms().map(Id::index).collect::<Vec<_>>();
        let all = [&[][..], &[0], &[0, 0], &[0, 1, 7], &[0, 7], &[1], &[1, 1, 1, 2], &[7]];
        assert!(all.windows(2).all(|pair| product(pair[0]) < product(pair[1])));
        for atoms in all {
            let (whole, turned) = (product(atoms), atoms.iter().rev().copied().collect::<Vec<_>>());
            assert_eq!((list(whole), whole.len()), (atoms.to_vec(), atoms.len()));
            assert_eq!(product(&turned), whole);
            assert_eq!(whole.first().map(Id::index), atoms.first().copied());
            assert_eq!(whole.checked_div(whole), Some(Monomial::ONE));
        }
        let whole = product(&[0, 0, 1, 7]);
        assert_eq!(whole.checked_div(product(&[0, 7])), Some(product(&[0, 1])));
        assert_eq!(whole.checked_div(product(&[1, 1])), None);
        let longest = whole.checked_mul(product(&[3])).unwrap();
        assert_eq!((list(longest), longest.len()), (vec![0, 0, 1, 3, 7], 5));
        assert_eq!(longest.checked_mul(product(&[0])), None);
    }
}
