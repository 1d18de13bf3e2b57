//! Indices that are surely too large.
use super::{Active, Factors, SymbolId, SymbolKind, Threads, Value, What, known::Known, run::Run};
use crate::ir::{InstId, Op};

impl Run<'_> {
    /// Says so if an index that is a number in each thread, and each iteration, is too large.
    pub(super) fn out_of_bounds(
        &mut self,
        id: InstId,
        index: InstId,
        len: InstId,
        active: &Active,
    ) {
        let largest = |id: InstId| {
            let Known::Int(int) = self.known(id) else { return None };
            let (value, assumed) = int.needed()?;
            self.largest(value).filter(|_| !assumed)
        };
        let (Some(index), Some(len)) = (largest(index), largest(len)) else { return };
        let Some(len) = len.same() else { return };
        if index.limits().1 < len {
            return;
        }
        let is_out = |thread: usize| active.threads.has(thread) && index.at(thread) >= len;
        let threads = Threads::where_true(self.count, is_out);
        if !threads.is_empty() {
            self.event(id, active, What::OutOfBounds { index, len, threads });
        }
    }

    /// The largest that `value` is in loops of a known number of iterations.
    fn largest(&self, value: &Value) -> Option<Factors> {
        let mut sum = value.numbers().clone();
        for term in value.symbolic() {
            let ([symbol], Some(factor)) = (term.of.0.as_slice(), term.factors.same()) else {
                return None;
            };
            let most = self.last_but_one(*symbol)?.checked_mul(factor.max(0))?;
            sum = sum.plus(&Factors::Same(most))?;
        }
        Some(sum)
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
