//! Positions in rows of an unknown length: `row * width + column`.
//!
//! Whatever `width` is, two such positions are equal only if row and column are, as long as columns
//! are below the width. The facts that hold for the active threads prove this, mostly by a guard
//! such as `column < width`.
use super::{PerThread, SymbolId, SymbolKind, SymbolicSum, executor::Executor};
use crate::ir::{ParamKind, Root};

/// The positions of threads in rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    /// The length of a row, in elements.
    pub width: SymbolId,
    /// The row of each thread.
    pub row: SymbolicSum,
    /// The position in the row: not negative and below the width.
    pub column: SymbolicSum,
}

impl Executor<'_> {
    /// Returns the position in rows of an access to `bytes` bytes at `offset` of `root`; `None` if
    /// no fact proves one.
    pub(super) fn rows_of_access(
        &self,
        root: Option<Root>,
        offset: &SymbolicSum,
        bytes: u32,
    ) -> Option<Rows> {
        let element = self.element_bytes(root?)?;
        self.nonnegative.iter().find_map(|fact| {
            let widths = fact.terms().iter().filter_map(|term| match term.monomial.0[..] {
                [symbol] if term.factors.as_uniform() == Some(1) => Some(symbol),
                _ => None,
            });
            let mut widths = widths.filter(|&of| {
                self.trace.symbols[of].kind == SymbolKind::Launch && offset.contains_symbol(of)
            });
            widths.find_map(|width| self.rows_by_fact(fact, width, offset, [element, bytes.into()]))
        })
    }

    /// Does the same for rows whose length appears in `fact` as a bound: `width - 1 - column` is
    /// not negative.
    fn rows_by_fact(
        &self,
        fact: &SymbolicSum,
        width: SymbolId,
        offset: &SymbolicSum,
        [element, bytes]: [i64; 2],
    ) -> Option<Rows> {
        let (_, rest) = fact.partition(|term| term.monomial.0 == [width]);
        let column = SymbolicSum::from(-1).checked_sub(&rest)?;
        if column.contains_symbol(width) || !self.is_nonnegative(&column) {
            return None;
        }
        let rest = offset.checked_sub(&column.checked_scale(&PerThread::Uniform(element))?)?;
        let (rows, inside) = rest.partition(|term| term.monomial.0.contains(&width));
        let inside = inside.as_numbers()?.as_uniform()?;
        if rows.terms().is_empty() || inside < 0 || inside + bytes > element {
            return None;
        }
        Some(Rows { width, row: rows.div_exact(width, element)?, column })
    }

    /// Returns the size in bytes of an element of a buffer or shared array.
    fn element_bytes(&self, root: Root) -> Option<i64> {
        let size = match root {
            Root::Param(param) => match &self.kernel.params[param].kind {
                ParamKind::Slice { elem, .. } => elem.size(),
                ParamKind::Scalar(_) => None,
            },
            Root::Shared(shared) => self.kernel.shared[shared].elem.size(),
            Root::Array(_) => None,
        };
        i64::try_from(size?).ok().filter(|&size| size > 0)
    }
}
