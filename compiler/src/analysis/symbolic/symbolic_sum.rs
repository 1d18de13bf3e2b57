//! Sums of symbols: integers with a factor for each thread.
use super::{Group, PerThread, SymbolId, ThreadSet};
use std::cmp::Ordering;

/// Maximum number of symbols in a product; larger products are unknown.
const MAX_SYMBOLS: usize = 4;
/// Maximum number of terms in a sum; larger sums are unknown.
const MAX_TERMS: usize = 24;

/// A product of symbols, in order; empty for the number 1. The flag tells that one of the symbols
/// is uniform in each warp only.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Monomial(pub Vec<SymbolId>, bool);

/// A monomial and its factor in each thread of the block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The product of symbols.
    pub monomial: Monomial,
    /// Its factor in each thread.
    pub factors: PerThread,
}

/// An integer of each thread of a block: a number plus a sum of terms, as a mathematical integer.
/// The result of an operation that may wrap is no `SymbolicSum` unless it is known not to wrap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolicSum {
    numbers: PerThread,
    /// The terms by monomial, in order. No two have the same monomial, none has the monomial 1, and
    /// none has the factor 0 in all threads.
    symbolic: Vec<Term>,
}

impl Monomial {
    fn checked_mul(&self, other: &Self) -> Option<Self> {
        let mut symbols = self.0.clone();
        symbols.extend(&other.0);
        symbols.sort_unstable();
        (symbols.len() <= MAX_SYMBOLS).then_some(Self(symbols, self.1 || other.1))
    }
    /// Divides by `symbol`, which is block-uniform.
    fn div_symbol(&self, symbol: SymbolId) -> Option<Self> {
        let mut symbols = self.0.clone();
        symbols.remove(symbols.iter().position(|&of| of == symbol)?);
        Some(Self(symbols, self.1))
    }
    /// Returns true if it may differ between warps.
    pub fn is_per_warp(&self) -> bool {
        self.1
    }
    /// Returns true for the number 1.
    pub fn is_one(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<i64> for SymbolicSum {
    fn from(number: i64) -> Self {
        Self::from(PerThread::Uniform(number))
    }
}

impl From<PerThread> for SymbolicSum {
    fn from(numbers: PerThread) -> Self {
        Self { numbers, symbolic: Vec::new() }
    }
}

impl Default for SymbolicSum {
    fn default() -> Self {
        Self::from(0)
    }
}

impl SymbolicSum {
    /// Returns the sum of one symbol, which is the same in all threads of `group`.
    pub(super) fn from_symbol(symbol: SymbolId, group: Group) -> Self {
        let of = Monomial(vec![symbol], group == Group::Warp);
        Self {
            numbers: PerThread::Uniform(0),
            symbolic: vec![Term { monomial: of, factors: PerThread::Uniform(1) }],
        }
    }
    /// Returns the terms that have symbols.
    pub fn terms(&self) -> &[Term] {
        &self.symbolic
    }
    /// Returns the number without symbols in each thread.
    pub const fn numbers(&self) -> &PerThread {
        &self.numbers
    }
    /// Returns the number in each thread, if it has no symbols.
    pub fn as_numbers(&self) -> Option<&PerThread> {
        if self.symbolic.is_empty() { Some(&self.numbers) } else { None }
    }
    /// Returns the number in each thread, and the factors of all terms.
    pub fn factors(&self) -> impl Iterator<Item = &PerThread> {
        std::iter::once(&self.numbers).chain(self.symbolic.iter().map(|term| &term.factors))
    }
    /// Returns `None` if it has too many terms.
    fn limit_terms(self) -> Option<Self> {
        let has_numbers = self.numbers.as_uniform() != Some(0);
        (self.symbolic.len() + usize::from(has_numbers) <= MAX_TERMS).then_some(self)
    }
    /// Returns true if it has the same number in `threads` (of one block, or of one warp if it has
    /// symbols of warps).
    pub fn is_same(&self, threads: impl Iterator<Item = usize> + Clone) -> bool {
        self.factors().all(|factors| factors.is_same(threads.clone()))
    }
    /// Returns the value in thread `a` minus that in thread `b`; `None` if it depends on symbols.
    pub fn difference(&self, a: usize, b: usize) -> Option<i64> {
        for term in &self.symbolic {
            let [of_a, of_b] = [a, b].map(|thread| term.factors.number_in(thread));
            let far = term.monomial.is_per_warp() && a / 32 != b / 32;
            if of_a != of_b || far && of_a != 0 {
                return None;
            }
        }
        self.numbers.number_in(a).checked_sub(self.numbers.number_in(b))
    }
    /// Returns the number in `thread`; `None` if it depends on symbols.
    pub fn number_in(&self, thread: usize) -> Option<i64> {
        let is_number = self.symbolic.iter().all(|term| term.factors.number_in(thread) == 0);
        is_number.then(|| self.numbers.number_in(thread))
    }
    /// Returns the factor that `of` has in `thread`.
    pub fn factor_in(&self, of: &Monomial, thread: usize) -> i64 {
        let term = self.symbolic.iter().find(|term| term.monomial == *of);
        term.map_or(0, |term| term.factors.number_in(thread))
    }
    /// Returns the sum; `None` if it is too large.
    pub fn checked_add(&self, other: &Self) -> Option<Self> {
        let numbers = self.numbers.checked_add(&other.numbers)?;
        let symbolic = match (self.symbolic.is_empty(), other.symbolic.is_empty()) {
            (_, true) => self.symbolic.clone(),
            (true, false) => other.symbolic.clone(),
            (false, false) => merge_terms(&self.symbolic, &other.symbolic)?,
        };
        Self { numbers, symbolic }.limit_terms()
    }
    /// Returns the difference; `None` if it is too large.
    pub fn checked_sub(&self, other: &Self) -> Option<Self> {
        self.checked_add(&other.checked_scale(&PerThread::Uniform(-1))?)
    }
    /// Multiplies by a number for each thread.
    pub fn checked_scale(&self, by: &PerThread) -> Option<Self> {
        if by.as_uniform() == Some(1) {
            return Some(self.clone());
        }
        self.try_map_factors(|factors| factors.checked_mul(by))
    }
    /// Returns the product; `None` if it is too large.
    pub fn checked_mul(&self, other: &Self) -> Option<Self> {
        if let Some(by) = other.as_numbers() {
            return self.checked_scale(by);
        }
        if let Some(by) = self.as_numbers() {
            return other.checked_scale(by);
        }
        let mut sum = self.checked_scale(&other.numbers)?;
        for by in &other.symbolic {
            let mut symbolic = Vec::with_capacity(self.symbolic.len() + 1);
            symbolic.push(Term {
                monomial: by.monomial.clone(),
                factors: self.numbers.checked_mul(&by.factors)?,
            });
            for term in &self.symbolic {
                let factors = term.factors.checked_mul(&by.factors)?;
                symbolic.push(Term { monomial: term.monomial.checked_mul(&by.monomial)?, factors });
            }
            symbolic.retain(is_nonzero);
            symbolic.sort_unstable_by(|a, b| a.monomial.cmp(&b.monomial));
            sum = sum.checked_add(&Self { numbers: PerThread::Uniform(0), symbolic })?;
        }
        Some(sum)
    }
    /// Returns `self` in `threads`, of a block of `count`, and `other` elsewhere.
    pub(super) fn select(&self, other: &Self, threads: &ThreadSet, count: usize) -> Option<Self> {
        let zero = PerThread::Uniform(0);
        let find = |value: &Self, of: &Monomial| {
            let found = value.symbolic.iter().find(|term| term.monomial == *of);
            found.map_or(zero.clone(), |term| term.factors.clone())
        };
        let mut monomials: Vec<&Monomial> =
            self.symbolic.iter().chain(&other.symbolic).map(|term| &term.monomial).collect();
        monomials.sort_unstable();
        monomials.dedup();
        let terms = monomials.into_iter().map(|of| {
            let [a, b] = [self, other].map(|value| find(value, of));
            Term { monomial: of.clone(), factors: a.select(&b, threads, count) }
        });
        let numbers = self.numbers.select(&other.numbers, threads, count);
        Self { numbers, symbolic: terms.filter(is_nonzero).collect() }.limit_terms()
    }
    /// Returns true if `symbol` appears in it.
    pub(super) fn contains_symbol(&self, symbol: SymbolId) -> bool {
        self.symbolic.iter().any(|term| term.monomial.0.contains(&symbol))
    }
    /// Divides by `symbol` and by `by`; `None` if the division leaves a remainder.
    pub(super) fn div_exact(&self, symbol: SymbolId, by: i64) -> Option<Self> {
        let mut quotient = Self::default();
        if self.numbers != quotient.numbers {
            return None;
        }
        for term in &self.symbolic {
            let factors =
                term.factors.try_map(|factor| (factor % by == 0).then_some(factor / by))?;
            let of = term.monomial.div_symbol(symbol)?;
            if of.is_one() {
                quotient.numbers = factors;
            } else {
                quotient.symbolic.push(Term { monomial: of, factors });
            }
        }
        quotient.symbolic.sort_unstable_by(|a, b| a.monomial.cmp(&b.monomial));
        Some(quotient)
    }
    /// Splits the sum: the symbolic terms for which `with` holds, and all the rest.
    pub(super) fn partition(&self, with: impl Fn(&Term) -> bool) -> (Self, Self) {
        let (yes, symbolic) = self.symbolic.iter().cloned().partition(with);
        let numbers = self.numbers.clone();
        (Self { numbers: PerThread::Uniform(0), symbolic: yes }, Self { numbers, symbolic })
    }
    /// Maps the factors of each term; `None` if `of` fails for one.
    pub(super) fn try_map_factors(
        &self,
        of: impl Fn(&PerThread) -> Option<PerThread>,
    ) -> Option<Self> {
        let mut symbolic = Vec::with_capacity(self.symbolic.len());
        for term in &self.symbolic {
            let factors = of(&term.factors)?;
            if factors.as_uniform() != Some(0) {
                symbolic.push(Term { monomial: term.monomial.clone(), factors });
            }
        }
        Some(Self { numbers: of(&self.numbers)?, symbolic })
    }
}

/// Returns true if a term is not 0 in all threads.
fn is_nonzero(term: &Term) -> bool {
    term.factors.as_uniform() != Some(0)
}

/// Adds two ordered lists of terms; `None` if a factor does not fit.
fn merge_terms(left: &[Term], right: &[Term]) -> Option<Vec<Term>> {
    let mut sum = Vec::with_capacity(left.len() + right.len());
    let (mut a, mut b) = (0, 0);
    while a < left.len() && b < right.len() {
        match left[a].monomial.cmp(&right[b].monomial) {
            Ordering::Less => {
                sum.push(left[a].clone());
                a += 1;
            }
            Ordering::Greater => {
                sum.push(right[b].clone());
                b += 1;
            }
            Ordering::Equal => {
                let factors = left[a].factors.checked_add(&right[b].factors)?;
                if factors.as_uniform() != Some(0) {
                    sum.push(Term { monomial: left[a].monomial.clone(), factors });
                }
                (a, b) = (a + 1, b + 1);
            }
        }
    }
    sum.extend_from_slice(&left[a..]);
    sum.extend_from_slice(&right[b..]);
    Some(sum)
}
