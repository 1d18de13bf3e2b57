//! Comparisons: in which threads they hold, or how many of them agree.
use super::{
    super::range::Range,
    known::Known,
    truth::{Part, Spread, Truth},
};
use super::{Factors, Run, SymbolKind, Term, Threads, Value, Which};
use crate::ir::{CompareOp, InstId};

impl Run<'_> {
    pub(super) fn compare(
        &mut self,
        op: CompareOp,
        lhs: InstId,
        rhs: InstId,
        active: &Threads,
    ) -> Truth {
        let spread = self.spread_of_all([lhs, rhs], active);
        if let (Known::Int(a), Known::Int(b)) = (self.known(lhs), self.known(rhs))
            && let (Some((x, assumed)), Some((y, also))) = (a.needed(), b.needed())
            && let Some(difference) = x.minus(y)
        {
            let assumed = assumed || also;
            if !(assumed && spread < Spread::Thread) {
                return self.sign(op, &difference, assumed, active);
            }
        }
        self.same_truth(spread)
    }

    /// Whether `op` holds between `difference` and 0.
    pub(super) fn sign(
        &self,
        op: CompareOp,
        difference: &Value,
        assumed: bool,
        active: &Threads,
    ) -> Truth {
        if !assumed {
            if let Some(numbers) = difference.exact() {
                let holds = |number| holds(op, number);
                return Truth::Exact(match numbers.same() {
                    Some(number) if holds(number) => self.all.clone(),
                    Some(_) => Threads::none(self.count),
                    None => Threads::where_true(self.count, |thread| holds(numbers.at(thread))),
                });
            }
            if let Some(known) = self.range(difference).and_then(|range| always(op, range)) {
                let yes = if known { self.all.clone() } else { Threads::none(self.count) };
                return Truth::Exact(yes);
            }
        }
        let spread = if assumed { Spread::Thread } else { self.spread_of(difference, active) };
        if spread == Spread::Block {
            return self.same_truth(spread);
        }
        let varying = || difference.factors().filter(|factors| factors.same().is_none());
        let orders = matches!(op, CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge);
        let grows = varying().all(Factors::is_monotone);
        if spread == Spread::Warp && !(orders && grows && varying().next().is_some()) {
            return self.same_truth(spread);
        }
        match op {
            CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge if grows => {
                // A thread's own number grows with its index: those with small ones are the many.
                let rises = varying().all(rises);
                let small = matches!(op, CompareOp::Lt | CompareOp::Le) == rises;
                // If only the first block has small ones, the others are the many.
                let count = i128::try_from(self.count).unwrap_or(i128::MAX);
                let rare = self.range(difference).is_some_and(|range| range.min > -count);
                let small = small != rare;
                let [many, few] = match spread {
                    Spread::Block | Spread::Warp => [Which::Warps, Which::Warps],
                    Spread::Thread => [Which::Guarded, Which::Some],
                };
                // In blocks before the edge all are the many, if it depends on the block which blocks those are.
                let is_block = |of| self.trace.symbols[of].kind == SymbolKind::BlockIdx;
                let of_block = |term: &Term| term.of.0.iter().any(|&of| is_block(of));
                let cut = !difference.symbolic().iter().any(of_block);
                let [many, few] = [(many, true), (few, false)].map(|(which, edge)| Part {
                    threads: self.all.clone(),
                    which,
                    edge,
                    cut,
                });
                let (yes, no) = if small { (many, few) } else { (few, many) };
                Truth::Parts { yes, no }
            }
            CompareOp::Eq | CompareOp::Ne
                if !assumed
                    && difference.symbolic().iter().all(|term| term.factors.same().is_some())
                    && difference.numbers().is_injective(active) =>
            {
                let warps_agree = difference.symbolic().iter().all(|term| !term.of.is_of_warps());
                let one = if warps_agree { Which::One } else { Which::Some };
                let others = if warps_agree { Which::Guarded } else { Which::Some };
                let [yes, no] = if op == CompareOp::Eq { [one, others] } else { [others, one] };
                Truth::of(&self.all, yes, no)
            }
            CompareOp::Lt
            | CompareOp::Le
            | CompareOp::Gt
            | CompareOp::Ge
            | CompareOp::Eq
            | CompareOp::Ne => self.same_truth(Spread::Thread),
        }
    }
}

/// Whether factors grow from the first thread on.
fn rises(factors: &Factors) -> bool {
    match factors {
        Factors::Same(_) => true,
        Factors::Affine(affine) => affine.step.iter().all(|&step| step >= 0),
        Factors::Each(each) => each.first() <= each.last(),
    }
}

fn holds(op: CompareOp, difference: i64) -> bool {
    match op {
        CompareOp::Eq => difference == 0,
        CompareOp::Ne => difference != 0,
        CompareOp::Lt => difference < 0,
        CompareOp::Le => difference <= 0,
        CompareOp::Gt => difference > 0,
        CompareOp::Ge => difference >= 0,
    }
}

/// Whether it holds for all differences of `range`, or for none.
fn always(op: CompareOp, range: Range) -> Option<bool> {
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
