//! Ranges of the integers of a kernel.
//!
//! A [`Range`] bounds the mathematical value, whatever the type; after an operation that may wrap,
//! only the limits of the type remain. A range holds whenever the instruction runs, and takes
//! account of the conditions on the way: in `if %0 < 256 { .. }`, results computed from `%0` take
//! it for less than 256. A local has one range for the whole kernel.
//!
//! Sources of ranges:
//!
//! - A thread index is below the declared block, or 1024 (64 along z). A launch has at most 2^31 -
//!   1 blocks along x, 65535 along y and z, and, unless the kernel says `wide_index`, at most 2^31
//!   threads along each axis.
//! - A slice has at most `i64::MAX` bytes, as in Rust.
//! - A launch fulfils the kernel's [requirements](crate::ir::Requirement).
//! - The value of a `for` lies between its start and its end.
//! - A float that is cast lies in an [interval](floats).
//! - A divisor is not zero: a check precedes it.
mod arith;
mod floats;
mod passes;

use crate::ir::evaluate;
use crate::{
    id::Facts,
    ir::{InstId, Kernel, LocalId, Scalar, Ty},
};
pub(crate) use arith::negated_comparison;
pub(super) use arith::{binary_range, const_range, unary_range};
use passes::{Growth, RangePass};

/// All integers from `min` to `max`; none if `min` is larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    /// The smallest.
    pub min: i128,
    /// The largest.
    pub max: i128,
}

/// The range of each integer (and `bool`, as 0 and 1) of a kernel.
#[derive(Clone, Debug)]
pub struct Ranges {
    value: Facts<InstId, Range>,
    local: Facts<LocalId, Range>,
    in_bounds: Facts<InstId, bool>,
    exact: Facts<InstId, bool>,
}

/// Passes before a local that still grows is widened to the next number that the kernel compares
/// with.
const EXACT_PASSES: u32 = 3;
/// Passes before a local that still grows is widened to the limits of its type.
const MAX_THRESHOLD_PASSES: u32 = 8;
/// Passes after widening in which locals may shrink to the values that they are set to.
const MAX_NARROWING_PASSES: u32 = 4;

/// Computes the ranges of `kernel`; where it is generic, they are wider.
pub fn analyze(kernel: &Kernel) -> Ranges {
    let mut walk = RangePass::new(kernel);
    let mut round = 0;
    walk.run_pass();
    while walk.grow_locals(match round {
        0..EXACT_PASSES => Growth::Exact,
        EXACT_PASSES..MAX_THRESHOLD_PASSES => Growth::ToThreshold,
        MAX_THRESHOLD_PASSES.. => Growth::ToLimits,
    }) {
        walk.run_pass();
        round += 1;
    }
    for _ in 0..MAX_NARROWING_PASSES {
        if walk.local == walk.set {
            break;
        }
        // Some locals were widened too far. The values that are set while the wide ranges hold are
        // valid ranges, too, and narrower.
        walk.local = walk.set.clone();
        walk.run_pass();
    }
    let RangePass { value, local, in_bounds, exact, .. } = walk;
    Ranges { value, local, in_bounds, exact }
}

impl Ranges {
    /// Returns the range of `id` at its definition; empty if it never runs. `None` if it yields no
    /// integer.
    pub fn get(&self, kernel: &Kernel, id: InstId) -> Option<Range> {
        type_limits(kernel.insts[id].ty).map(|_| self.value[id])
    }

    /// Returns the range of the values that `local` is set to; empty if it never is. `None` if it
    /// holds no integer.
    pub fn local_range(&self, kernel: &Kernel, local: LocalId) -> Option<Range> {
        type_limits(kernel.locals[local].ty).map(|_| self.local[local])
    }

    /// Returns true if the index of this `bounds` is always less than its length.
    pub fn is_in_bounds(&self, bounds: InstId) -> bool {
        self.in_bounds[bounds]
    }

    /// Returns true if this sum, difference, product or left shift of integers never wraps.
    pub fn is_exact(&self, id: InstId) -> bool {
        self.exact[id]
    }
}

impl Range {
    /// The empty range.
    pub const EMPTY: Self = Self { min: 0, max: -1 };

    /// Returns the integers from `min` to `max`.
    pub const fn new(min: i128, max: i128) -> Self {
        Self { min, max }
    }
    /// Returns true if it has no integer.
    pub const fn is_empty(self) -> bool {
        self.min > self.max
    }
    /// Returns true if it has every integer of `other`.
    pub const fn contains(self, other: Self) -> bool {
        other.is_empty() || self.min <= other.min && other.max <= self.max
    }
    /// Returns `Some(true)` if each integer is less than each of `other`, `Some(false)` if none is.
    fn is_below(self, other: Self) -> Option<bool> {
        if self.is_empty() || other.is_empty() {
            None
        } else if self.max < other.min {
            Some(true)
        } else {
            (self.min >= other.max).then_some(false)
        }
    }
    fn equals(self, other: Self) -> Option<bool> {
        if self.is_empty() || other.is_empty() {
            return None;
        }
        if self.max < other.min || other.max < self.min {
            return Some(false);
        }
        (self.min == self.max && self == other).then_some(true)
    }
    pub(super) fn union(self, other: Self) -> Self {
        if self.is_empty() {
            other
        } else if other.is_empty() {
            self
        } else {
            Self::new(self.min.min(other.min), self.max.max(other.max))
        }
    }
    pub(crate) fn intersection(self, other: Self) -> Self {
        Self::new(self.min.max(other.min), self.max.min(other.max))
    }
    /// Returns the range of products; `None` if it does not fit an `i128`.
    pub(crate) fn checked_mul(self, other: Self) -> Option<Self> {
        arith::checked_product(self, other)
    }
    /// Removes the integer of `other`, if `other` has exactly one and it is at an end of the range.
    pub(super) fn exclude(self, other: Self) -> Self {
        if other.min != other.max {
            self
        } else if self.min == other.min {
            Self::new(self.min + 1, self.max)
        } else if self.max == other.max {
            Self::new(self.min, self.max - 1)
        } else {
            self
        }
    }
    /// Returns `self` if a type with these `limits` holds it, else the limits.
    pub(super) fn or_limits(self, limits: Self) -> Self {
        if limits.contains(self) { self } else { limits }
    }
}

/// Returns the limits of a type; `None` if it is no integer.
const fn type_limits(ty: Ty) -> Option<Range> {
    match ty {
        Ty::Scalar(scalar) => scalar_limits(scalar),
        Ty::Unit | Ty::Ptr(_) => None,
    }
}

/// Returns the limits of a type; `None` if it is no integer.
pub(crate) const fn scalar_limits(scalar: Scalar) -> Option<Range> {
    match evaluate::limits(scalar) {
        Some((min, max)) => Some(Range::new(min, max)),
        None => None,
    }
}
