//! Integers of the threads of a block: sums of symbols with a factor for each thread.
use super::{Factors, Group, SymbolId, Threads};
use std::cmp::Ordering;

/// A product of more symbols is not a [`Value`].
const MOST_SYMBOLS: usize = 4;
/// A sum of more terms is not a [`Value`].
const MOST_TERMS: usize = 24;

/// A product of symbols, in order; empty for the number 1. And whether one of them is the same in each warp only.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Monomial(pub Vec<SymbolId>, bool);

/// A monomial and its factor in each thread of the block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// What is multiplied.
    pub of: Monomial,
    /// By what, for each thread.
    pub factors: Factors,
}

/// An integer of the threads of a block: a number in each and a sum of terms, as a mathematical integer. (What an
/// operation may have wrapped is not a `Value`, unless it is known not to have.)
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    numbers: Factors,
    /// By monomial, in order. No two have the same monomial, which is not 1, and none has the factor 0 in all threads.
    symbolic: Vec<Term>,
}

impl Monomial {
    fn times(&self, other: &Self) -> Option<Self> {
        let mut symbols = self.0.clone();
        symbols.extend(&other.0);
        symbols.sort_unstable();
        (symbols.len() <= MOST_SYMBOLS).then_some(Self(symbols, self.1 || other.1))
    }
    /// What times `symbol`, which is of the block, is this.
    fn over(&self, symbol: SymbolId) -> Option<Self> {
        let mut symbols = self.0.clone();
        symbols.remove(symbols.iter().position(|&of| of == symbol)?);
        Some(Self(symbols, self.1))
    }
    /// Whether it may be another number in another warp.
    pub fn is_of_warps(&self) -> bool {
        self.1
    }
    /// True for the number 1.
    pub fn is_one(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::from(Factors::Same(number))
    }
}

impl From<Factors> for Value {
    fn from(numbers: Factors) -> Self {
        Self { numbers, symbolic: Vec::new() }
    }
}

impl Default for Value {
    fn default() -> Self {
        Self::from(0)
    }
}

impl Value {
    /// A symbol, which is the same in all threads of `group`.
    pub(super) fn symbol(symbol: SymbolId, group: Group) -> Self {
        let of = Monomial(vec![symbol], group == Group::Warp);
        Self { numbers: Factors::Same(0), symbolic: vec![Term { of, factors: Factors::Same(1) }] }
    }
    /// The terms that have symbols.
    pub fn symbolic(&self) -> &[Term] {
        &self.symbolic
    }
    /// What is added to them: a number in each thread.
    pub const fn numbers(&self) -> &Factors {
        &self.numbers
    }
    /// The number in each thread, if it has no symbols.
    pub fn exact(&self) -> Option<&Factors> {
        if self.symbolic.is_empty() { Some(&self.numbers) } else { None }
    }
    /// The number in each thread, and the factors of all terms.
    pub fn factors(&self) -> impl Iterator<Item = &Factors> {
        std::iter::once(&self.numbers).chain(self.symbolic.iter().map(|term| &term.factors))
    }
    /// `None` if it has too many terms to be one.
    fn if_small(self) -> Option<Self> {
        let has_numbers = self.numbers.same() != Some(0);
        (self.symbolic.len() + usize::from(has_numbers) <= MOST_TERMS).then_some(self)
    }
    /// True if it has the same number in `threads` (of one block, or of one warp if it has symbols of warps).
    pub fn is_same(&self, threads: impl Iterator<Item = usize> + Clone) -> bool {
        self.factors().all(|factors| factors.is_same(threads.clone()))
    }
    /// How much larger it is in thread `a` than in thread `b`; `None` if that depends on symbols.
    pub fn difference(&self, a: usize, b: usize) -> Option<i64> {
        for term in &self.symbolic {
            let [of_a, of_b] = [a, b].map(|thread| term.factors.at(thread));
            let far = term.of.is_of_warps() && a / 32 != b / 32;
            if of_a != of_b || far && of_a != 0 {
                return None;
            }
        }
        self.numbers.at(a).checked_sub(self.numbers.at(b))
    }
    /// Its number in `thread`; `None` if that depends on symbols.
    pub fn at(&self, thread: usize) -> Option<i64> {
        let is_number = self.symbolic.iter().all(|term| term.factors.at(thread) == 0);
        is_number.then(|| self.numbers.at(thread))
    }
    /// Returns the factor that `of` has in `thread`.
    pub fn factor(&self, of: &Monomial, thread: usize) -> i64 {
        let term = self.symbolic.iter().find(|term| term.of == *of);
        term.map_or(0, |term| term.factors.at(thread))
    }
    /// The sum; `None` if it is too large to be one.
    pub fn plus(&self, other: &Self) -> Option<Self> {
        let numbers = self.numbers.plus(&other.numbers)?;
        let symbolic = match (self.symbolic.is_empty(), other.symbolic.is_empty()) {
            (_, true) => self.symbolic.clone(),
            (true, false) => other.symbolic.clone(),
            (false, false) => merged(&self.symbolic, &other.symbolic)?,
        };
        Self { numbers, symbolic }.if_small()
    }
    /// The difference.
    pub fn minus(&self, other: &Self) -> Option<Self> {
        self.plus(&other.scaled(&Factors::Same(-1))?)
    }
    /// So many times as much, in each thread.
    pub fn scaled(&self, by: &Factors) -> Option<Self> {
        if by.same() == Some(1) {
            return Some(self.clone());
        }
        self.map(|factors| factors.times(by))
    }
    /// The product; `None` if it is too large to be one.
    pub fn times(&self, other: &Self) -> Option<Self> {
        if let Some(by) = other.exact() {
            return self.scaled(by);
        }
        if let Some(by) = self.exact() {
            return other.scaled(by);
        }
        let mut sum = self.scaled(&other.numbers)?;
        for by in &other.symbolic {
            let mut symbolic = Vec::with_capacity(self.symbolic.len() + 1);
            symbolic.push(Term { of: by.of.clone(), factors: self.numbers.times(&by.factors)? });
            for term in &self.symbolic {
                let factors = term.factors.times(&by.factors)?;
                symbolic.push(Term { of: term.of.times(&by.of)?, factors });
            }
            symbolic.retain(is_some);
            symbolic.sort_unstable_by(|a, b| a.of.cmp(&b.of));
            sum = sum.plus(&Self { numbers: Factors::Same(0), symbolic })?;
        }
        Some(sum)
    }
    /// `self` in `threads`, of a block of `count`, and `other` elsewhere.
    pub(super) fn select(&self, other: &Self, threads: &Threads, count: usize) -> Option<Self> {
        let zero = Factors::Same(0);
        let find = |value: &Self, of: &Monomial| {
            let found = value.symbolic.iter().find(|term| term.of == *of);
            found.map_or(zero.clone(), |term| term.factors.clone())
        };
        let mut monomials: Vec<&Monomial> =
            self.symbolic.iter().chain(&other.symbolic).map(|term| &term.of).collect();
        monomials.sort_unstable();
        monomials.dedup();
        let terms = monomials.into_iter().map(|of| {
            let [a, b] = [self, other].map(|value| find(value, of));
            Term { of: of.clone(), factors: a.select(&b, threads, count) }
        });
        let numbers = self.numbers.select(&other.numbers, threads, count);
        Self { numbers, symbolic: terms.filter(is_some).collect() }.if_small()
    }
    /// Whether `symbol` is in it.
    pub(super) fn mentions(&self, symbol: SymbolId) -> bool {
        self.symbolic.iter().any(|term| term.of.0.contains(&symbol))
    }
    /// What times `symbol` and times `by` is this; `None` if nothing is.
    pub(super) fn over(&self, symbol: SymbolId, by: i64) -> Option<Self> {
        let mut quotient = Self::default();
        if self.numbers != quotient.numbers {
            return None;
        }
        for term in &self.symbolic {
            let factors = term.factors.map(|factor| (factor % by == 0).then_some(factor / by))?;
            let of = term.of.over(symbol)?;
            if of.is_one() {
                quotient.numbers = factors;
            } else {
                quotient.symbolic.push(Term { of, factors });
            }
        }
        quotient.symbolic.sort_unstable_by(|a, b| a.of.cmp(&b.of));
        Some(quotient)
    }
    /// The terms with symbols that `with` holds for, and all the rest.
    pub(super) fn part(&self, with: impl Fn(&Term) -> bool) -> (Self, Self) {
        let (yes, symbolic) = self.symbolic.iter().cloned().partition(with);
        let numbers = self.numbers.clone();
        (Self { numbers: Factors::Same(0), symbolic: yes }, Self { numbers, symbolic })
    }
    /// With other factors in each term; `None` if one has none.
    pub(super) fn map(&self, of: impl Fn(&Factors) -> Option<Factors>) -> Option<Self> {
        let mut symbolic = Vec::with_capacity(self.symbolic.len());
        for term in &self.symbolic {
            let factors = of(&term.factors)?;
            if factors.same() != Some(0) {
                symbolic.push(Term { of: term.of.clone(), factors });
            }
        }
        Some(Self { numbers: of(&self.numbers)?, symbolic })
    }
}

/// Whether a term is not 0 in all threads.
fn is_some(term: &Term) -> bool {
    term.factors.same() != Some(0)
}

/// The sum of terms that are in order; `None` if a factor does not fit.
fn merged(left: &[Term], right: &[Term]) -> Option<Vec<Term>> {
    let mut sum = Vec::with_capacity(left.len() + right.len());
    let (mut a, mut b) = (0, 0);
    while a < left.len() && b < right.len() {
        match left[a].of.cmp(&right[b].of) {
            Ordering::Less => {
                sum.push(left[a].clone());
                a += 1;
            }
            Ordering::Greater => {
                sum.push(right[b].clone());
                b += 1;
            }
            Ordering::Equal => {
                let factors = left[a].factors.plus(&right[b].factors)?;
                if factors.same() != Some(0) {
                    sum.push(Term { of: left[a].of.clone(), factors });
                }
                (a, b) = (a + 1, b + 1);
            }
        }
    }
    sum.extend_from_slice(&left[a..]);
    sum.extend_from_slice(&right[b..]);
    Some(sum)
}
