//! Indices that are surely too large.
use super::{
    super::range::Range,
    Active, Factors, SymbolId, SymbolKind, Threads, Value, What,
    known::{Fit, Known, limits_of},
    run::Run,
};
use crate::ir::{InstId, Op};

/// What an index reaches in each thread.
struct Reached {
    index: Factors,
    /// True if it may be more: a launch decides, or data do.
    is_least: bool,
}

impl Run<'_> {
    /// Says so if an index is too large in some threads, in some iteration of loops, whatever a launch passes.
    pub(super) fn out_of_bounds(
        &mut self,
        id: InstId,
        index: InstId,
        len: InstId,
        active: &Active,
    ) {
        let int = |id: InstId| match self.known(id) {
            Known::Int(int) if !int.assumed && int.fit < Fit::Wraps => Some(int),
            Known::Int(_) | Known::Truth(_) | Known::Ptr(..) | Known::Opaque(..) => None,
        };
        let (Some(at), Some(len)) = (int(index), int(len)) else { return };
        let Some(len) = len.value.exact().and_then(Factors::same) else { return };
        let Some(Reached { index: reached, is_least }) = self.reached(&at.value) else { return };
        if reached.limits().1 < len {
            return;
        }
        let limits = limits_of(self.kernel, index);
        let fits = |thread: usize| {
            at.fit == Fit::Proved
                || limits.zip(self.range_at(&at.value, thread)).is_some_and(|(l, r)| l.contains(r))
        };
        let is_out =
            |thread: usize| active.threads.has(thread) && reached.at(thread) >= len && fits(thread);
        let threads = Threads::where_true(self.count, is_out);
        if !threads.is_empty() {
            self.event(id, active, What::OutOfBounds { index: reached, is_least, len, threads });
        }
    }

    /// Between which limits `value` lies in `thread`.
    fn range_at(&self, value: &Value, thread: usize) -> Option<Range> {
        let number = i128::from(value.numbers().at(thread));
        value.symbolic().iter().try_fold(Range::new(number, number), |sum, term| {
            let factor = i128::from(term.factors.at(thread));
            let product =
                self.trace.product_range(&term.of.0)?.times(Range::new(factor, factor))?;
            Some(Range::new(sum.min.checked_add(product.min)?, sum.max.checked_add(product.max)?))
        })
    }

    /// The largest that `value` is in loops of a known number of iterations, for the least of what else is not known.
    fn reached(&self, value: &Value) -> Option<Reached> {
        let mut index = value.numbers().clone();
        let mut is_least = false;
        for term in value.symbolic() {
            let is_iteration =
                |symbol: &SymbolId| self.trace.symbols[*symbol].kind == SymbolKind::Iteration;
            let added = match (term.of.0.as_slice(), term.factors.same()) {
                ([symbol], Some(factor)) if is_iteration(symbol) => {
                    Factors::Same(self.last_but_one(*symbol)?.checked_mul(factor.max(0))?)
                }
                (symbols, _) if symbols.iter().any(is_iteration) => return None,
                (symbols, _) => {
                    is_least = true;
                    let Range { min, max } = self.trace.product_range(symbols)?;
                    let least = |factor: i64| {
                        let by = if factor < 0 { max } else { min };
                        factor.checked_mul(i64::try_from(by).ok()?)
                    };
                    term.factors.map(least)?
                }
            };
            index = index.plus(&added)?;
        }
        Some(Reached { index, is_least })
    }

    /// The largest that `symbol` is, which counts iterations: the second that is run is the one behind, so
    /// that is the number of the last but one.
    fn last_but_one(&self, symbol: SymbolId) -> Option<i64> {
        let symbol = &self.trace.symbols[symbol];
        let is_iteration = symbol.kind == SymbolKind::Iteration;
        let Op::For { start, end, step, inclusive, .. } = &self.kernel.insts[symbol.of].op else {
            return None;
        };
        let number = |id: InstId| {
            let Op::Const(bits) = self.kernel.insts[id].op else { return None };
            Some(i64::from(u32::try_from(bits).ok()?))
        };
        let (start, end, step) = (number(*start)?, number(*end)?, number(*step)?);
        let distance = end - start - i64::from(!inclusive);
        let last = distance.checked_div(step).filter(|_| is_iteration && distance >= 0)?;
        last.checked_sub(1).filter(|&last| last >= 0)
    }
}
