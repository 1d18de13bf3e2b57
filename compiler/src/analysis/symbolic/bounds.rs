//! Indices that are certainly out of bounds.
use super::{
    super::range::Range,
    ActiveThreads, EventKind, PerThread, SymbolId, SymbolKind, SymbolicSum, ThreadSet,
    abstract_value::{AbstractValue, Fit, result_limits},
    executor::Executor,
};
use crate::ir::{InstId, Op};

/// The largest index in each thread.
struct MaxIndex {
    index: PerThread,
    /// True if the index may be larger, depending on the launch or on data.
    is_least: bool,
}

impl Executor<'_> {
    /// Records an event if the index is too large in some threads, in some iteration, whatever a
    /// launch passes.
    pub(super) fn check_out_of_bounds(
        &mut self,
        id: InstId,
        index: InstId,
        len: InstId,
        active: &ActiveThreads,
    ) {
        let int = |id: InstId| match self.last_value(id) {
            AbstractValue::Int(int) if !int.assumed && int.fit < Fit::Wraps => Some(int),
            AbstractValue::Int(_)
            | AbstractValue::Bool(_)
            | AbstractValue::Ptr(..)
            | AbstractValue::Opaque(..) => None,
        };
        let (Some(at), Some(len)) = (int(index), int(len)) else { return };
        let Some(len) = len.value.as_numbers().and_then(PerThread::as_uniform) else { return };
        let Some(MaxIndex { index: reached, is_least }) = self.max_index(&at.value) else { return };
        if reached.limits().1 < len {
            return;
        }
        let limits = result_limits(self.kernel, index);
        let fits = |thread: usize| {
            at.fit == Fit::Proved
                || limits.zip(self.range_at(&at.value, thread)).is_some_and(|(l, r)| l.contains(r))
        };
        let is_out = |thread: usize| {
            active.threads.contains(thread) && reached.number_in(thread) >= len && fits(thread)
        };
        let threads = ThreadSet::from_fn(self.thread_count, is_out);
        if !threads.is_empty() {
            self.record_event(
                id,
                active,
                EventKind::OutOfBounds { index: reached, is_least, len, threads },
            );
        }
    }

    /// Returns the range of `value` in `thread`.
    fn range_at(&self, value: &SymbolicSum, thread: usize) -> Option<Range> {
        let number = i128::from(value.numbers().number_in(thread));
        value.terms().iter().try_fold(Range::new(number, number), |sum, term| {
            let factor = i128::from(term.factors.number_in(thread));
            let product = self
                .trace
                .product_range(&term.monomial.0)?
                .checked_mul(Range::new(factor, factor))?;
            Some(Range::new(sum.min.checked_add(product.min)?, sum.max.checked_add(product.max)?))
        })
    }

    /// Returns the largest `value` in loops of a known trip count, for the least value of
    /// everything else that is not known.
    fn max_index(&self, value: &SymbolicSum) -> Option<MaxIndex> {
        let mut index = value.numbers().clone();
        let mut is_least = false;
        for term in value.terms() {
            let is_iteration =
                |symbol: &SymbolId| self.trace.symbols[*symbol].kind == SymbolKind::Iteration;
            let added = match (term.monomial.0.as_slice(), term.factors.as_uniform()) {
                ([symbol], Some(factor)) if is_iteration(symbol) => {
                    PerThread::Uniform(self.max_iteration(*symbol)?.checked_mul(factor.max(0))?)
                }
                (symbols, _) if symbols.iter().any(is_iteration) => return None,
                (symbols, _) => {
                    is_least = true;
                    let Range { min, max } = self.trace.product_range(symbols)?;
                    let least = |factor: i64| {
                        let by = if factor < 0 { max } else { min };
                        factor.checked_mul(i64::try_from(by).ok()?)
                    };
                    term.factors.try_map(least)?
                }
            };
            index = index.checked_add(&added)?;
        }
        Some(MaxIndex { index, is_least })
    }

    /// Returns the largest iteration number that `symbol` takes. The second iteration that the
    /// analysis runs stands for the one after `symbol`, so this is the number of the last but one.
    fn max_iteration(&self, symbol: SymbolId) -> Option<i64> {
        let symbol = &self.trace.symbols[symbol];
        let is_iteration = symbol.kind == SymbolKind::Iteration;
        let Op::For { start, end, step, inclusive, .. } = &self.kernel.insts[symbol.inst].op else {
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
