//! Integers of the threads of a block: sums of symbols with a factor for each thread.
use super::{Factors, Group, SymbolId, Threads};

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

/// An integer of the threads of a block: the sum of its terms, as a mathematical integer. (What an operation
/// may have wrapped is not a `Value`, unless it is known not to have.)
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// By monomial, in order, that of 1 first if there is one. No two have the same monomial, and none has the factor 0 in all threads.
    terms: Vec<Term>,
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
        Self::of(vec![Term { of: Monomial::default(), factors: numbers }])
    }
}

impl Value {
    /// A symbol, which is the same in all threads of `group`.
    pub(super) fn symbol(symbol: SymbolId, group: Group) -> Self {
        let of = Monomial(vec![symbol], group == Group::Warp);
        Self { terms: vec![Term { of, factors: Factors::Same(1) }] }
    }
    /// The sum of `terms`, in order.
    fn of(mut terms: Vec<Term>) -> Self {
        terms.retain(|term| term.factors.same() != Some(0));
        Self { terms }
    }
    /// The terms.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }
    /// The terms that have symbols.
    pub fn symbolic(&self) -> &[Term] {
        match self.terms.split_first() {
            Some((first, rest)) if first.of.is_one() => rest,
            Some(_) | None => &self.terms,
        }
    }
    /// What is added to them: a number in each thread.
    pub fn numbers(&self) -> Factors {
        match self.terms.first() {
            Some(term) if term.of.is_one() => term.factors.clone(),
            Some(_) | None => Factors::Same(0),
        }
    }
    /// The number in each thread, if it has no symbols.
    pub fn exact(&self) -> Option<Factors> {
        self.symbolic().is_empty().then(|| self.numbers())
    }
    /// True if it has the same number in `threads` (of one block, or of one warp if it has symbols of warps).
    pub fn is_same(&self, threads: impl Iterator<Item = usize> + Clone) -> bool {
        self.terms.iter().all(|term| term.factors.is_same(threads.clone()))
    }
    /// How much larger it is in thread `a` than in thread `b`; `None` if that depends on symbols.
    pub fn difference(&self, a: usize, b: usize) -> Option<i64> {
        let mut sum = 0_i64;
        for term in &self.terms {
            let far = term.of.is_of_warps() && a / 32 != b / 32;
            if far && (term.factors.at(a) != 0 || term.factors.at(b) != 0) {
                return None;
            }
            let factor = term.factors.at(a).checked_sub(term.factors.at(b))?;
            match (factor, term.of.is_one()) {
                (0, _) => {}
                (factor, true) => sum = factor,
                (_, false) => return None,
            }
        }
        Some(sum)
    }
    /// Its number in `thread`; `None` if that depends on symbols.
    pub fn at(&self, thread: usize) -> Option<i64> {
        let mut sum = 0_i64;
        for term in &self.terms {
            match (term.factors.at(thread), term.of.is_one()) {
                (0, _) => {}
                (factor, true) => sum = factor,
                (_, false) => return None,
            }
        }
        Some(sum)
    }
    /// The sum; `None` if it is too large to be one.
    pub fn plus(&self, other: &Self) -> Option<Self> {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let term = match (left.peek(), right.peek()) {
                (Some(a), Some(b)) if a.of == b.of => {
                    let factors = a.factors.plus(&b.factors)?;
                    let of = a.of.clone();
                    left.next();
                    right.next();
                    Term { of, factors }
                }
                (Some(a), Some(b)) if a.of < b.of => {
                    let term = (*a).clone();
                    left.next();
                    term
                }
                (_, Some(b)) => {
                    let term = (*b).clone();
                    right.next();
                    term
                }
                (Some(a), None) => {
                    let term = (*a).clone();
                    left.next();
                    term
                }
                (None, None) => break,
            };
            terms.push(term);
        }
        let sum = Self::of(terms);
        (sum.terms.len() <= MOST_TERMS).then_some(sum)
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
        let mut terms = Vec::with_capacity(self.terms.len());
        for term in &self.terms {
            terms.push(Term { of: term.of.clone(), factors: term.factors.times(by)? });
        }
        Some(Self::of(terms))
    }
    /// The product; `None` if it is too large to be one.
    pub fn times(&self, other: &Self) -> Option<Self> {
        if let Some(by) = other.exact() {
            return self.scaled(&by);
        }
        if let Some(by) = self.exact() {
            return other.scaled(&by);
        }
        let mut sum = Self::default();
        for by in &other.terms {
            let mut terms = Vec::with_capacity(self.terms.len());
            for term in &self.terms {
                let factors = term.factors.times(&by.factors)?;
                terms.push(Term { of: term.of.times(&by.of)?, factors });
            }
            terms.sort_unstable_by(|a, b| a.of.cmp(&b.of));
            sum = sum.plus(&Self::of(terms))?;
        }
        Some(sum)
    }
    /// `self` in `threads`, of a block of `count`, and `other` elsewhere.
    pub(super) fn select(&self, other: &Self, threads: &Threads, count: usize) -> Option<Self> {
        let zero = Factors::Same(0);
        let find = |value: &Self, of: &Monomial| {
            value.terms.iter().find(|term| term.of == *of).map(|term| term.factors.clone())
        };
        let mut monomials: Vec<&Monomial> =
            self.terms.iter().chain(&other.terms).map(|term| &term.of).collect();
        monomials.sort_unstable();
        monomials.dedup();
        let terms = monomials.into_iter().map(|of| {
            let [a, b] = [self, other].map(|value| find(value, of).unwrap_or(zero.clone()));
            Term { of: of.clone(), factors: a.select(&b, threads, count) }
        });
        let value = Self::of(terms.collect());
        (value.terms.len() <= MOST_TERMS).then_some(value)
    }
    /// Whether `symbol` is in it.
    pub(super) fn mentions(&self, symbol: SymbolId) -> bool {
        self.terms.iter().any(|term| term.of.0.contains(&symbol))
    }
    /// What times `symbol` and times `by` is this; `None` if nothing is.
    pub(super) fn over(&self, symbol: SymbolId, by: i64) -> Option<Self> {
        let mut terms = Vec::with_capacity(self.terms.len());
        for term in &self.terms {
            let factors = term.factors.map(|factor| (factor % by == 0).then_some(factor / by))?;
            terms.push(Term { of: term.of.over(symbol)?, factors });
        }
        terms.sort_unstable_by(|a, b| a.of.cmp(&b.of));
        Some(Self::of(terms))
    }
    /// The terms that `with` holds for, and the others.
    pub(super) fn part(&self, with: impl Fn(&Term) -> bool) -> (Self, Self) {
        let (yes, no) = self.terms.iter().cloned().partition(with);
        (Self { terms: yes }, Self { terms: no })
    }
    /// With other factors in each term; `None` if one has none.
    pub(super) fn map(&self, of: impl Fn(&Factors) -> Option<Factors>) -> Option<Self> {
        let mut terms = Vec::with_capacity(self.terms.len());
        for term in &self.terms {
            terms.push(Term { of: term.of.clone(), factors: of(&term.factors)? });
        }
        Some(Self::of(terms))
    }
}
