//! Integers of the threads of a block: sums of symbols with a factor for each thread.
use super::SymbolId;
use std::rc::Rc;

/// A product of symbols, in order; empty for the number 1.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Monomial(pub Vec<SymbolId>);

/// A monomial and its factor in each thread of the block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// What is multiplied.
    pub of: Monomial,
    /// By what, for each thread.
    pub factors: Factors,
}

/// A known integer for each thread of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Factors {
    /// The same in all.
    Same(i64),
    /// One for each thread, by number.
    Each(Rc<[i64]>),
}

/// An integer of the threads of a block: the sum of its terms, as a mathematical integer. (What an operation
/// may have wrapped is not a `Value`, unless it is known not to have.)
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// By monomial, in order, that of 1 first if there is one. No two have the same monomial, and none has the factor 0 in all threads.
    terms: Vec<Term>,
}

impl Factors {
    /// That of `thread`.
    pub fn at(&self, thread: usize) -> i64 {
        match self {
            Self::Same(factor) => *factor,
            Self::Each(factors) => factors[thread],
        }
    }
    /// True if it is the same in `threads`.
    pub fn is_same(&self, mut threads: impl Iterator<Item = usize>) -> bool {
        let Some(first) = threads.next() else { return true };
        threads.all(|thread| self.at(thread) == self.at(first))
    }
}

impl Value {
    /// The terms.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }
    /// True if it has the same number in `threads` (of one block, or of one warp if it has symbols of warps).
    pub fn is_same(&self, threads: impl Iterator<Item = usize> + Clone) -> bool {
        self.terms.iter().all(|term| term.factors.is_same(threads.clone()))
    }
    /// How much larger it is in thread `a` than in thread `b`; `None` if that depends on symbols.
    pub fn difference(&self, a: usize, b: usize) -> Option<i64> {
        let mut sum = 0_i64;
        for term in &self.terms {
            let factor = term.factors.at(a).checked_sub(term.factors.at(b))?;
            match (factor, term.of.0.is_empty()) {
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
            match (term.factors.at(thread), term.of.0.is_empty()) {
                (0, _) => {}
                (factor, true) => sum = factor,
                (_, false) => return None,
            }
        }
        Some(sum)
    }
}
