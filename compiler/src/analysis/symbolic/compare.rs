//! Comparisons: the threads in which they hold, or how many of the threads agree.
use super::{
    super::range::Range,
    abstract_bool::{AbstractBool, PartialThreads, Spread},
    abstract_value::AbstractValue,
};
use super::{Coverage, Executor, PerThread, SymbolKind, SymbolicSum, Term, ThreadSet};
use crate::ir::{CompareOp, InstId};

impl Executor<'_> {
    pub(super) fn eval_compare(
        &mut self,
        op: CompareOp,
        lhs: InstId,
        rhs: InstId,
        active: &ThreadSet,
    ) -> AbstractBool {
        let spread = self.spread_of_operands([lhs, rhs], active);
        if let (AbstractValue::Int(a), AbstractValue::Int(b)) =
            (self.last_value(lhs), self.last_value(rhs))
            && let (Some((x, x_assumed)), Some((y, y_assumed))) = (a.unwrapped(), b.unwrapped())
            && let Some(difference) = x.checked_sub(y)
        {
            let assumed = x_assumed || y_assumed;
            if !(assumed && spread < Spread::Thread) {
                return self.compare_with_zero(op, &difference, assumed, active);
            }
        }
        self.unknown_bool(spread)
    }

    /// Compares `difference` with 0.
    pub(super) fn compare_with_zero(
        &self,
        op: CompareOp,
        difference: &SymbolicSum,
        assumed: bool,
        active: &ThreadSet,
    ) -> AbstractBool {
        if !assumed {
            if let Some(numbers) = difference.as_numbers() {
                let holds = |number| sign_satisfies(op, number);
                return AbstractBool::Exact(match numbers.as_uniform() {
                    Some(number) if holds(number) => self.all.clone(),
                    Some(_) => ThreadSet::none(self.thread_count),
                    None => ThreadSet::from_fn(self.thread_count, |thread| {
                        holds(numbers.number_in(thread))
                    }),
                });
            }
            if let Some(known) =
                self.sum_range(difference).and_then(|range| decide_by_range(op, range))
            {
                let yes = if known { self.all.clone() } else { ThreadSet::none(self.thread_count) };
                return AbstractBool::Exact(yes);
            }
        }
        let spread = if assumed { Spread::Thread } else { self.spread_of_sum(difference, active) };
        if spread == Spread::Block {
            return self.unknown_bool(spread);
        }
        let varying: Vec<&PerThread> =
            difference.factors().filter(|factors| factors.as_uniform().is_none()).collect();
        let is_order = matches!(op, CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge);
        let is_monotone_order = is_order && varying.iter().all(|factors| factors.is_monotone());
        if spread == Spread::Warp && (varying.is_empty() || !is_monotone_order) {
            return self.unknown_bool(spread);
        }
        if is_monotone_order {
            return self.order_with_zero(op, difference, spread);
        }
        let is_own_number = !is_order
            && !assumed
            && difference.terms().iter().all(|term| term.factors.as_uniform().is_some())
            && difference.numbers().is_injective(active);
        if is_own_number {
            return self.equality_with_zero(op, difference);
        }
        self.unknown_bool(Spread::Thread)
    }

    /// Compares a `difference` that is monotone in the index of a thread with 0, by `<`, `<=`, `>`
    /// or `>=`. The threads on one side are the majority.
    fn order_with_zero(
        &self,
        op: CompareOp,
        difference: &SymbolicSum,
        spread: Spread,
    ) -> AbstractBool {
        // If the difference grows with the index, it is small in the first threads.
        let rises = difference.factors().all(is_rising);
        let holds_for_first = matches!(op, CompareOp::Lt | CompareOp::Le) == rises;
        // The first threads are the majority, unless only the first block has small numbers.
        let count = i128::try_from(self.thread_count).unwrap_or(i128::MAX);
        let majority_is_last = self.sum_range(difference).is_some_and(|range| range.min > -count);
        let majority_holds = holds_for_first != majority_is_last;
        let [many, few] = match spread {
            Spread::Block | Spread::Warp => [Coverage::Warps, Coverage::Warps],
            Spread::Thread => [Coverage::Guarded, Coverage::Some],
        };
        // In blocks before the edge all threads are the majority, if the block decides on which
        // side of the edge it is.
        let is_block = |of| self.trace.symbols[of].kind == SymbolKind::BlockIdx;
        let of_block = |term: &Term| term.monomial.0.iter().any(|&of| is_block(of));
        let launch_dependent = !difference.terms().iter().any(of_block);
        let [many, few] =
            [(many, true), (few, false)].map(|(coverage, full_except_at_edges)| PartialThreads {
                threads: self.all.clone(),
                coverage,
                full_except_at_edges,
                launch_dependent,
            });
        let (yes, no) = if majority_holds { (many, few) } else { (few, many) };
        AbstractBool::Parts { yes, no }
    }

    /// Compares a `difference` that is another number in each thread with 0, by `==` or `!=`: it is
    /// 0 in at most one.
    fn equality_with_zero(&self, op: CompareOp, difference: &SymbolicSum) -> AbstractBool {
        let warps_agree = difference.terms().iter().all(|term| !term.monomial.is_per_warp());
        let [one, others] = if warps_agree {
            [Coverage::One, Coverage::Guarded]
        } else {
            [Coverage::Some, Coverage::Some]
        };
        let [yes, no] = if op == CompareOp::Eq { [one, others] } else { [others, one] };
        AbstractBool::unknown(&self.all, yes, no)
    }
}

/// Returns true if the factors grow from the first thread on.
fn is_rising(factors: &PerThread) -> bool {
    match factors {
        PerThread::Uniform(_) => true,
        PerThread::Affine(affine) => affine.step.iter().all(|&step| step >= 0),
        PerThread::Table(each) => each.first() <= each.last(),
    }
}

fn sign_satisfies(op: CompareOp, difference: i64) -> bool {
    match op {
        CompareOp::Eq => difference == 0,
        CompareOp::Ne => difference != 0,
        CompareOp::Lt => difference < 0,
        CompareOp::Le => difference <= 0,
        CompareOp::Gt => difference > 0,
        CompareOp::Ge => difference >= 0,
    }
}

/// Returns the result of `op` if it is the same for all differences of `range`.
fn decide_by_range(op: CompareOp, range: Range) -> Option<bool> {
    let (yes, no) = match op {
        CompareOp::Eq => (range.min == 0 && range.max == 0, range.min > 0 || range.max < 0),
        CompareOp::Ne => (range.min > 0 || range.max < 0, range.min == 0 && range.max == 0),
        CompareOp::Lt => (range.max < 0, range.min >= 0),
        CompareOp::Le => (range.max <= 0, range.min > 0),
        CompareOp::Gt => (range.min > 0, range.max <= 0),
        CompareOp::Ge => (range.min >= 0, range.max < 0),
    };
    if yes { Some(true) } else { no.then_some(false) }
}
