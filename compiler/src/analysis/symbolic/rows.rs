//! Places in rows of a length that nobody knows: `row * width + column`.
//!
//! Whatever `width` is, two such places are the same only if row and column are, as long as columns are below it. What
//! holds for the active threads says so, mostly a guard such as `column < width`.
use super::{Factors, SymbolId, SymbolKind, Value, run::Run};
use crate::ir::{ParamKind, Root};

/// Where threads are in rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    /// How long rows are, in elements.
    pub width: SymbolId,
    /// The row of each thread.
    pub row: Value,
    /// Its place in the row, which is not negative and below the width.
    pub column: Value,
}

impl Run<'_> {
    /// How an access to `bytes` bytes, so many bytes behind the beginning of `root`, lies in rows; `None` if nothing says
    /// that it does.
    pub(super) fn rows(&self, root: Option<Root>, offset: &Value, bytes: u32) -> Option<Rows> {
        let element = self.element(root?)?;
        self.facts.iter().find_map(|fact| {
            let widths = fact.symbolic().iter().filter_map(|term| match term.of.0[..] {
                [symbol] if term.factors.same() == Some(1) => Some(symbol),
                _ => None,
            });
            let mut widths = widths.filter(|&of| {
                self.trace.symbols[of].kind == SymbolKind::Launch && offset.mentions(of)
            });
            widths.find_map(|width| self.in_rows(fact, width, offset, [element, bytes.into()]))
        })
    }

    /// The same for rows of a length that `fact` bounds something by: `width - 1 - column` is not negative.
    fn in_rows(
        &self,
        fact: &Value,
        width: SymbolId,
        offset: &Value,
        [element, bytes]: [i64; 2],
    ) -> Option<Rows> {
        let (_, rest) = fact.part(|term| term.of.0 == [width]);
        let column = Value::from(-1).minus(&rest)?;
        if column.mentions(width) || !self.is_nonnegative(&column) {
            return None;
        }
        let rest = offset.minus(&column.scaled(&Factors::Same(element))?)?;
        let (rows, inside) = rest.part(|term| term.of.0.contains(&width));
        let inside = inside.exact()?.same()?;
        if rows.symbolic().is_empty() || inside < 0 || inside + bytes > element {
            return None;
        }
        Some(Rows { width, row: rows.over(width, element)?, column })
    }

    /// Bytes of an element of a buffer or shared array.
    fn element(&self, root: Root) -> Option<i64> {
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
