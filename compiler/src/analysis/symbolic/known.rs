//! What is known of a value in each thread of a block.
use super::{
    super::range::Range,
    truth::{Spread, Truth},
};
use super::{Factors, Group, Run, Shape, SymbolKind, Threads, Value, Which};
use crate::ir::{InstId, Kernel, Root, Scalar, Ty, evaluate};
use std::rc::Rc;

/// What is known of what an instruction yields, or of what a local holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Known {
    /// An integer.
    Int(Int),
    /// A `bool`.
    Truth(Rc<Truth>),
    /// A pointer: into what, and how many bytes behind its beginning.
    Ptr(Option<Root>, Option<Int>),
    /// Nothing but how far it is the same, and which it is: two of one number are the same.
    Opaque(Spread, u32),
}

/// An integer, up to multiples of what its type cannot hold.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Int {
    /// What it would be if nothing had wrapped.
    pub(super) value: Rc<Value>,
    /// Whether that is what it is.
    pub(super) fit: Fit,
    /// Whether `value` itself rests on an assumption: that another integer was what it would be.
    pub(super) assumed: bool,
}

/// Whether the value of an integer is in its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// It is.
    Proved,
    /// It is in small launches, and nothing is known of large ones.
    Assumed,
    /// It may not be: only what is left of it in the bits of the type is known.
    Wraps,
}

impl Int {
    pub(super) fn proved(value: impl Into<Value>) -> Self {
        Self { value: Rc::new(value.into()), fit: Fit::Proved, assumed: false }
    }
    /// Its value, and whether that is an assumption; `None` if it may have wrapped.
    pub(super) fn needed(&self) -> Option<(&Value, bool)> {
        match self.fit {
            Fit::Proved => Some((&self.value, self.assumed)),
            Fit::Assumed => Some((&self.value, true)),
            Fit::Wraps => None,
        }
    }
}

impl Known {
    /// Each thread has its own.
    pub(super) const VARIES: Self = Self::Opaque(Spread::Thread, 0);

    /// Whether it is known to be the same as `other`, thread by thread.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Truth(a), Self::Truth(b)) => {
                Rc::ptr_eq(a, b) || matches!(**a, Truth::Exact(_)) && a == b
            }
            (Self::Ptr(root, Some(a)), Self::Ptr(other, Some(b))) => root == other && a == b,
            (Self::Opaque(_, a), Self::Opaque(_, b)) => a == b,
            (Self::Int(_) | Self::Truth(_) | Self::Ptr(..) | Self::Opaque(..), _) => false,
        }
    }
}

impl From<Truth> for Known {
    fn from(truth: Truth) -> Self {
        Self::Truth(Rc::new(truth))
    }
}

/// The limits of an integer type.
pub(super) fn limits(scalar: Scalar) -> Option<Range> {
    if scalar == Scalar::Bool {
        return None;
    }
    evaluate::limits(scalar).map(|(min, max)| Range::new(min, max))
}

/// The scalar that an instruction or local of type `ty` is.
pub(super) const fn scalar(ty: Ty) -> Option<Scalar> {
    match ty {
        Ty::Scalar(scalar) => Some(scalar),
        Ty::Unit | Ty::Ptr(_) => None,
    }
}

/// The limits of the integer that `id` yields.
pub(super) fn limits_of(kernel: &Kernel, id: InstId) -> Option<Range> {
    scalar(kernel.insts[id].ty).and_then(limits)
}

impl Run<'_> {
    /// A number that is the same in all threads of `group`.
    pub(super) fn symbol(
        &mut self,
        of: InstId,
        kind: SymbolKind,
        group: Group,
        range: Range,
    ) -> Value {
        let id = self.trace.symbols.push(super::Symbol { of, kind, group, range });
        Value::symbol(id, group)
    }

    /// Something of which only is known how far it is the same.
    pub(super) fn opaque(&mut self, spread: Spread) -> Known {
        self.opaques = self.opaques.saturating_add(1);
        Known::Opaque(spread, self.opaques)
    }

    /// What `id` yields, of which nothing is known but how far it is the same.
    pub(super) fn fresh(&mut self, id: InstId, spread: Spread) -> Known {
        let Some(scalar) = scalar(self.kernel.insts[id].ty) else { return Known::Ptr(None, None) };
        if scalar == Scalar::Bool {
            return self.same_truth(spread).into();
        }
        let (Some(limits), Some(group)) = (limits(scalar), spread.group()) else {
            return self.opaque(spread);
        };
        let range = self.range_of(id).unwrap_or(limits);
        let symbol = self.symbol(id, SymbolKind::Computed, group, range);
        Known::Int(Int::proved(symbol))
    }

    /// A `bool` that is the same so far, and not known.
    pub(super) fn same_truth(&self, spread: Spread) -> Truth {
        let which = match spread {
            Spread::Block => Which::All,
            Spread::Warp => Which::Warps,
            Spread::Thread => Which::Some,
        };
        Truth::of(&self.all, which, which)
    }

    /// The range of what `id` yields, wherever it runs.
    pub(super) fn range_of(&self, id: InstId) -> Option<Range> {
        self.ranges.get(self.kernel, id).filter(|range| !range.is_empty())
    }

    /// How far `known` is the same in the threads of `active`.
    pub(super) fn spread(&self, known: &Known, active: &Threads) -> Spread {
        match known {
            // What rests on an assumption may differ between threads where that fails.
            Known::Int(int) | Known::Ptr(Some(_), Some(int)) if int.assumed => Spread::Thread,
            Known::Int(int) | Known::Ptr(Some(_), Some(int)) => self.spread_of(&int.value, active),
            Known::Truth(truth) => truth.spread(active),
            Known::Ptr(_, _) => Spread::Thread,
            Known::Opaque(spread, _) => *spread,
        }
    }

    /// How far what `operands` say is the same.
    pub(super) fn spread_of_all(
        &self,
        operands: impl IntoIterator<Item = InstId>,
        active: &Threads,
    ) -> Spread {
        operands
            .into_iter()
            .map(|id| self.spread(&self.known(id), active))
            .max()
            .unwrap_or(Spread::Block)
    }

    /// The same of a sum.
    pub(super) fn spread_of(&self, value: &Value, active: &Threads) -> Spread {
        let mut spread = Spread::Block;
        let add = |spread: Spread, factors: &Factors| {
            if spread == Spread::Thread || factors.same().is_some() {
                return spread;
            }
            if spread == Spread::Block && factors.is_same(active.iter()) {
                return spread;
            }
            if factors.is_same_in_warps(active) { Spread::Warp } else { Spread::Thread }
        };
        spread = add(spread, value.numbers());
        for term in value.symbolic() {
            if term.of.is_of_warps() {
                spread = spread.max(Spread::Warp);
            }
            spread = add(spread, &term.factors);
        }
        spread
    }

    /// Between which limits `value` lies, in all threads; `None` if they are too far apart to say.
    pub(super) fn range(&self, value: &Value) -> Option<Range> {
        let (min, max) = value.numbers().limits();
        let mut sum = Range::new(min.into(), max.into());
        for term in value.symbolic() {
            let (min, max) = term.factors.limits();
            let factors = Range::new(min.into(), max.into());
            let product = times(factors, self.trace.product_range(&term.of.0)?)?;
            sum.min = sum.min.checked_add(product.min)?;
            sum.max = sum.max.checked_add(product.max)?;
        }
        Some(sum)
    }

    /// An integer of type `scalar` that is `value` but for what has wrapped, and that lies in `actual`.
    pub(super) fn int(
        &self,
        value: Value,
        scalar: Scalar,
        actual: Option<Range>,
        assumed: bool,
    ) -> Option<Int> {
        let limits = limits(scalar)?;
        if let Some(numbers) = value.exact() {
            let (min, max) = numbers.limits();
            if !limits.contains(Range::new(min.into(), max.into())) {
                return Some(wrapped(numbers, scalar, assumed));
            }
            return Some(Int { value: Rc::new(value), fit: Fit::Proved, assumed });
        }
        let fit = self.fit(&value, limits, actual.unwrap_or(limits));
        Some(Int { value: Rc::new(value), fit, assumed })
    }

    fn fit(&self, value: &Value, limits: Range, actual: Range) -> Fit {
        if let Some(range) = self.range(value) {
            let modulus = limits.max - limits.min + 1;
            let only = range.max < actual.min.saturating_add(modulus)
                && range.min > actual.max.saturating_sub(modulus);
            if limits.contains(range) || only {
                return Fit::Proved;
            }
        }
        if self.proves(value, limits) {
            return Fit::Proved;
        }
        // With symbols that are 0 or 1.
        let mut most = 0_i128;
        for factors in value.factors() {
            let (min, max) = factors.limits();
            most += i128::from(min).abs().max(i128::from(max).abs());
        }
        if most <= limits.max { Fit::Assumed } else { Fit::Wraps }
    }

    /// Whether what holds here proves that `value` is in `limits`.
    fn proves(&self, value: &Value, limits: Range) -> bool {
        let within = |value: &Value| self.range(value);
        let (mut above, mut below) = (false, false);
        let mut note = |range: Range| {
            above |= range.min >= limits.min;
            below |= range.max <= limits.max;
        };
        if let Some(range) = within(value) {
            note(range);
        }
        for fact in &self.facts {
            // `value` is at least what is left without what is not negative, and at most what is left with it.
            if let Some(range) = value.minus(fact).as_ref().and_then(within) {
                note(Range::new(range.min, i128::MAX));
            }
            if let Some(range) = value.plus(fact).as_ref().and_then(within) {
                note(Range::new(i128::MIN, range.max));
            }
        }
        above && below
    }
}

/// The integer of type `scalar` that each thread's number, which does not fit, is when it has wrapped.
fn wrapped(numbers: &Factors, scalar: Scalar, assumed: bool) -> Int {
    let wrapped = numbers.map(|number| {
        let number = evaluate::integer(scalar, evaluate::wrap(scalar, number.into()))?;
        i64::try_from(number).ok()
    });
    let fit = if wrapped.is_some() { Fit::Proved } else { Fit::Wraps };
    let numbers = wrapped.unwrap_or_else(|| numbers.clone());
    Int { value: Rc::new(numbers.into()), fit, assumed }
}

/// The range of a product.
pub(super) fn times(a: Range, b: Range) -> Option<Range> {
    let corners = [
        a.min.checked_mul(b.min)?,
        a.min.checked_mul(b.max)?,
        a.max.checked_mul(b.min)?,
        a.max.checked_mul(b.max)?,
    ];
    let [a, b, c, d] = corners;
    Some(Range::new(a.min(b).min(c).min(d), a.max(b).max(c).max(d)))
}

impl Spread {
    /// The threads that have the same; `None` if each has its own.
    pub(super) const fn group(self) -> Option<Group> {
        match self {
            Self::Block => Some(Group::Block),
            Self::Warp => Some(Group::Warp),
            Self::Thread => None,
        }
    }
}

impl Shape {
    /// How far each builtin index grows along the axes.
    pub(super) const fn axis(axis: usize) -> [i64; 3] {
        let mut step = [0; 3];
        step[axis] = 1;
        step
    }
}
