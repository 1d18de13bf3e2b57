//! Abstract values: knowledge of a value in each thread of a block.
use super::{
    super::range::Range,
    abstract_bool::{AbstractBool, Spread},
};
use super::{Coverage, Executor, Group, PerThread, Shape, SymbolKind, SymbolicSum, ThreadSet};
use crate::ir::{InstId, Kernel, Root, Scalar, Ty, evaluate};
use std::rc::Rc;

/// The abstract value of an instruction or local.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum AbstractValue {
    /// An integer.
    Int(AbstractInt),
    /// A `bool`.
    Bool(Rc<AbstractBool>),
    /// A pointer: the object that it points into, and its offset in bytes.
    Ptr(Option<Root>, Option<AbstractInt>),
    /// An unknown value: its spread, and a number for identity. Two with one number are the same
    /// value.
    Opaque(Spread, u32),
}

/// An integer, up to multiples of the size of its type.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AbstractInt {
    /// The mathematical value, as if no operation had wrapped.
    pub(super) value: Rc<SymbolicSum>,
    /// The relation of `value` to the range of the type.
    pub(super) fit: Fit,
    /// True if `value` rests on the assumption that another integer had not wrapped.
    pub(super) assumed: bool,
}

/// The relation of a mathematical value to its integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// The value is in the type.
    Proved,
    /// The value is in the type in small launches; nothing is known of large ones.
    Assumed,
    /// The value may have wrapped: only its remainder in the bits of the type is known.
    Wraps,
}

impl AbstractInt {
    pub(super) fn proved(value: impl Into<SymbolicSum>) -> Self {
        Self { value: Rc::new(value.into()), fit: Fit::Proved, assumed: false }
    }
    /// Returns the value, and true if it is an assumption; `None` if it may have wrapped.
    pub(super) fn unwrapped(&self) -> Option<(&SymbolicSum, bool)> {
        match self.fit {
            Fit::Proved => Some((&self.value, self.assumed)),
            Fit::Assumed => Some((&self.value, true)),
            Fit::Wraps => None,
        }
    }
}

impl AbstractValue {
    /// An unknown value that may differ between any two threads.
    pub(super) const VARIES: Self = Self::Opaque(Spread::Thread, 0);

    /// Returns true if it is known to be the same as `other`, thread by thread.
    pub(super) fn is_same_value(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Bool(a), Self::Bool(b)) => {
                Rc::ptr_eq(a, b) || matches!(**a, AbstractBool::Exact(_)) && a == b
            }
            (Self::Ptr(root, Some(a)), Self::Ptr(other, Some(b))) => root == other && a == b,
            (Self::Opaque(_, a), Self::Opaque(_, b)) => a == b,
            (Self::Int(_) | Self::Bool(_) | Self::Ptr(..) | Self::Opaque(..), _) => false,
        }
    }
}

impl From<AbstractBool> for AbstractValue {
    fn from(truth: AbstractBool) -> Self {
        Self::Bool(Rc::new(truth))
    }
}

/// Returns the limits of an integer type.
pub(super) fn type_limits(scalar: Scalar) -> Option<Range> {
    if scalar == Scalar::Bool {
        return None;
    }
    evaluate::limits(scalar).map(|(min, max)| Range::new(min, max))
}

/// Returns the scalar type of an instruction or local of type `ty`.
pub(super) const fn scalar_type(ty: Ty) -> Option<Scalar> {
    match ty {
        Ty::Scalar(scalar) => Some(scalar),
        Ty::Unit | Ty::Ptr(_) => None,
    }
}

/// Returns the limits of the integer that `id` yields.
pub(super) fn result_limits(kernel: &Kernel, id: InstId) -> Option<Range> {
    scalar_type(kernel.insts[id].ty).and_then(type_limits)
}

impl Executor<'_> {
    /// Creates a symbol for a number that is the same in all threads of `group`.
    pub(super) fn new_symbol(
        &mut self,
        of: InstId,
        kind: SymbolKind,
        group: Group,
        range: Range,
    ) -> SymbolicSum {
        let id = self.trace.symbols.push(super::Symbol { inst: of, kind, group, range });
        SymbolicSum::from_symbol(id, group)
    }

    /// Creates an unknown value of which only the spread is known.
    pub(super) fn new_opaque(&mut self, spread: Spread) -> AbstractValue {
        self.opaques = self.opaques.saturating_add(1);
        AbstractValue::Opaque(spread, self.opaques)
    }

    /// Creates the value of `id`, of which nothing but the type and the spread is known.
    pub(super) fn new_unknown(&mut self, id: InstId, spread: Spread) -> AbstractValue {
        let Some(scalar) = scalar_type(self.kernel.insts[id].ty) else {
            return AbstractValue::Ptr(None, None);
        };
        if scalar == Scalar::Bool {
            return self.unknown_bool(spread).into();
        }
        let (Some(limits), Some(group)) = (type_limits(scalar), spread.group()) else {
            return self.new_opaque(spread);
        };
        let range = self.result_range(id).unwrap_or(limits);
        let symbol = self.new_symbol(id, SymbolKind::Computed, group, range);
        AbstractValue::Int(AbstractInt::proved(symbol))
    }

    /// Returns an unknown `bool` of the given spread.
    pub(super) fn unknown_bool(&self, spread: Spread) -> AbstractBool {
        let which = match spread {
            Spread::Block => Coverage::All,
            Spread::Warp => Coverage::Warps,
            Spread::Thread => Coverage::Some,
        };
        AbstractBool::unknown(&self.all, which, which)
    }

    /// Returns the range of the result of `id`, wherever it runs.
    pub(super) fn result_range(&self, id: InstId) -> Option<Range> {
        self.ranges.get(self.kernel, id).filter(|range| !range.is_empty())
    }

    /// Returns the spread of `known` over the threads of `active`.
    pub(super) fn spread_in(&self, known: &AbstractValue, active: &ThreadSet) -> Spread {
        match known {
            // A value that rests on an assumption may differ between threads where the assumption
            // fails.
            AbstractValue::Int(int) | AbstractValue::Ptr(Some(_), Some(int)) if int.assumed => {
                Spread::Thread
            }
            AbstractValue::Int(int) | AbstractValue::Ptr(Some(_), Some(int)) => {
                self.spread_of_sum(&int.value, active)
            }
            AbstractValue::Bool(truth) => truth.spread(active),
            AbstractValue::Ptr(_, _) => Spread::Thread,
            AbstractValue::Opaque(spread, _) => *spread,
        }
    }

    /// Returns the spread of a result that depends on all of `operands`.
    pub(super) fn spread_of_operands(
        &self,
        operands: impl IntoIterator<Item = InstId>,
        active: &ThreadSet,
    ) -> Spread {
        operands
            .into_iter()
            .map(|id| self.spread_in(&self.last_value(id), active))
            .max()
            .unwrap_or(Spread::Block)
    }

    /// Returns the spread of a sum.
    pub(super) fn spread_of_sum(&self, value: &SymbolicSum, active: &ThreadSet) -> Spread {
        let mut spread = Spread::Block;
        let add = |spread: Spread, factors: &PerThread| {
            if spread == Spread::Thread || factors.as_uniform().is_some() {
                return spread;
            }
            if spread == Spread::Block && factors.is_same(active.iter()) {
                return spread;
            }
            if factors.is_same_in_warps(active) { Spread::Warp } else { Spread::Thread }
        };
        spread = add(spread, value.numbers());
        for term in value.terms() {
            if term.monomial.is_per_warp() {
                spread = spread.max(Spread::Warp);
            }
            spread = add(spread, &term.factors);
        }
        spread
    }

    /// Returns the range of `value` over all threads; `None` if its limits do not fit.
    pub(super) fn sum_range(&self, value: &SymbolicSum) -> Option<Range> {
        let (min, max) = value.numbers().limits();
        let mut sum = Range::new(min.into(), max.into());
        for term in value.terms() {
            let (min, max) = term.factors.limits();
            let factors = Range::new(min.into(), max.into());
            let product = mul_ranges(factors, self.trace.product_range(&term.monomial.0)?)?;
            sum.min = sum.min.checked_add(product.min)?;
            sum.max = sum.max.checked_add(product.max)?;
        }
        Some(sum)
    }

    /// Returns the integer of type `scalar` with the mathematical value `value`, which lies in
    /// `actual`.
    pub(super) fn typed_int(
        &self,
        value: SymbolicSum,
        scalar: Scalar,
        actual: Option<Range>,
        assumed: bool,
    ) -> Option<AbstractInt> {
        let limits = type_limits(scalar)?;
        if let Some(numbers) = value.as_numbers() {
            let (min, max) = numbers.limits();
            if !limits.contains(Range::new(min.into(), max.into())) {
                return Some(wrap_numbers(numbers, scalar, assumed));
            }
            return Some(AbstractInt { value: Rc::new(value), fit: Fit::Proved, assumed });
        }
        let fit = self.fit_in(&value, limits, actual.unwrap_or(limits));
        Some(AbstractInt { value: Rc::new(value), fit, assumed })
    }

    fn fit_in(&self, value: &SymbolicSum, limits: Range, actual: Range) -> Fit {
        if let Some(range) = self.sum_range(value) {
            let modulus = limits.max - limits.min + 1;
            let only = range.max < actual.min.saturating_add(modulus)
                && range.min > actual.max.saturating_sub(modulus);
            if limits.contains(range) || only {
                return Fit::Proved;
            }
        }
        if self.proves_in(value, limits) {
            return Fit::Proved;
        }
        // Second attempt: with symbols that are 0 or 1.
        let mut most = 0_i128;
        for factors in value.factors() {
            let (min, max) = factors.limits();
            most += i128::from(min).abs().max(i128::from(max).abs());
        }
        if most <= limits.max { Fit::Assumed } else { Fit::Wraps }
    }

    /// Returns true if the facts that hold here prove that `value` is in `limits`.
    fn proves_in(&self, value: &SymbolicSum, limits: Range) -> bool {
        let within = |value: &SymbolicSum| self.sum_range(value);
        let (mut above, mut below) = (false, false);
        let mut note = |range: Range| {
            above |= range.min >= limits.min;
            below |= range.max <= limits.max;
        };
        if let Some(range) = within(value) {
            note(range);
        }
        for fact in &self.nonnegative {
            // Without its nonnegative part, `value` is bounded from below; with it, from above.
            if let Some(range) = value.checked_sub(fact).as_ref().and_then(within) {
                note(Range::new(range.min, i128::MAX));
            }
            if let Some(range) = value.checked_add(fact).as_ref().and_then(within) {
                note(Range::new(i128::MIN, range.max));
            }
        }
        above && below
    }
}

/// Wraps each thread's number, which does not fit, to an integer of type `scalar`.
fn wrap_numbers(numbers: &PerThread, scalar: Scalar, assumed: bool) -> AbstractInt {
    let wrapped = numbers.try_map(|number| {
        let number = evaluate::integer(scalar, evaluate::wrap(scalar, number.into()))?;
        i64::try_from(number).ok()
    });
    let fit = if wrapped.is_some() { Fit::Proved } else { Fit::Wraps };
    let numbers = wrapped.unwrap_or_else(|| numbers.clone());
    AbstractInt { value: Rc::new(numbers.into()), fit, assumed }
}

/// Returns the range of a product.
pub(super) fn mul_ranges(a: Range, b: Range) -> Option<Range> {
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
    /// Returns the group whose threads have the same value; `None` if each thread has its own.
    pub(super) const fn group(self) -> Option<Group> {
        match self {
            Self::Block => Some(Group::Block),
            Self::Warp => Some(Group::Warp),
            Self::Thread => None,
        }
    }
}

impl Shape {
    /// Returns the step of a builtin index along each axis.
    pub(super) const fn unit_step(axis: usize) -> [i64; 3] {
        let mut step = [0; 3];
        step[axis] = 1;
        step
    }
}
