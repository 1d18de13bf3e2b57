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
            && let (Some((x, assumed)), Some((y, also))) = (a.unwrapped(), b.unwrapped())
            && let Some(difference) = x.checked_sub(y)
        {
            let assumed = assumed || also;
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
        let varying = || difference.factors().filter(|factors| factors.as_uniform().is_none());
        let orders = matches!(op, CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge);
        let grows = varying().all(PerThread::is_monotone);
        if spread == Spread::Warp && !(orders && grows && varying().next().is_some()) {
            return self.unknown_bool(spread);
        }
        match op {
            CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge if grows => {
                // A thread's own number grows with its index: the threads with small numbers are
                // the majority.
                let rises = varying().all(is_rising);
                let small = matches!(op, CompareOp::Lt | CompareOp::Le) == rises;
                // If only the first block has small numbers, the other threads are the majority.
                let count = i128::try_from(self.thread_count).unwrap_or(i128::MAX);
                let rare = self.sum_range(difference).is_some_and(|range| range.min > -count);
                let small = small != rare;
                let [many, few] = match spread {
                    Spread::Block | Spread::Warp => [Coverage::Warps, Coverage::Warps],
                    Spread::Thread => [Coverage::Guarded, Coverage::Some],
                };
                // In blocks before the edge all threads are the majority, if the block decides on
                // which side of the edge it is.
                let is_block = |of| self.trace.symbols[of].kind == SymbolKind::BlockIdx;
                let of_block = |term: &Term| term.monomial.0.iter().any(|&of| is_block(of));
                let cut = !difference.terms().iter().any(of_block);
                let [many, few] =
                    [(many, true), (few, false)].map(|(which, edge)| PartialThreads {
                        threads: self.all.clone(),
                        coverage: which,
                        full_except_at_edges: edge,
                        launch_dependent: cut,
                    });
                let (yes, no) = if small { (many, few) } else { (few, many) };
                AbstractBool::Parts { yes, no }
            }
            CompareOp::Eq | CompareOp::Ne
                if !assumed
                    && difference
                        .terms()
                        .iter()
                        .all(|term| term.factors.as_uniform().is_some())
                    && difference.numbers().is_injective(active) =>
            {
                let warps_agree =
                    difference.terms().iter().all(|term| !term.monomial.is_per_warp());
                let one = if warps_agree { Coverage::One } else { Coverage::Some };
                let others = if warps_agree { Coverage::Guarded } else { Coverage::Some };
                let [yes, no] = if op == CompareOp::Eq { [one, others] } else { [others, one] };
                AbstractBool::unknown(&self.all, yes, no)
            }
            CompareOp::Lt
            | CompareOp::Le
            | CompareOp::Gt
            | CompareOp::Ge
            | CompareOp::Eq
            | CompareOp::Ne => self.unknown_bool(Spread::Thread),
        }
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
