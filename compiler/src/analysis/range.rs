//! Between which limits the integers of a kernel lie.
//!
//! A [`Range`] bounds the mathematical value, whatever the type; where an operation may wrap,
//! all that is left are the limits of the type. It holds whenever the instruction runs, and
//! knows the conditions under which that is: in `if %0 < 256 { .. }` what is computed from
//! `%0` takes it for less than 256. A local has one range for the whole kernel.
//!
//! What is known without looking at data:
//!
//! - A thread index is below the declared block, or 1024 (64 along z). A launch has
//!   at most 2^31 - 1 blocks along x, 65535 along y and z, and, unless the kernel says
//!   `wide_index`, at most 2^31 threads along each axis.
//! - A slice has at most `i64::MAX` bytes, as in Rust.
//! - A launch keeps to what the kernel [requires](crate::ir::Requirement).
//! - The value of a `for` lies between its start and its end.
//! - A divisor is not zero: a check stands before.
mod arith;
mod walk;

use crate::ir::evaluate;
use crate::{
    id::Facts,
    ir::{InstId, Kernel, LocalId, Scalar, Ty},
};
pub(crate) use arith::inverse;
pub(super) use arith::{binary, constant, unary};
use walk::{Growth, Walk};

/// All integers from `min` to `max`; none if `min` is the larger.
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

/// Rounds after which a local that still grows is widened to the next number that the kernel compares with.
const EXACT_ROUNDS: u32 = 3;
/// Rounds after which it may hold any number of its type.
const WIDENED_ROUNDS: u32 = 8;
/// Rounds after that in which locals may shrink to what they are set to.
const NARROWED_ROUNDS: u32 = 4;

/// Computes the ranges of `kernel`; where it is generic, less is known.
pub fn analyze(kernel: &Kernel) -> Ranges {
    let mut walk = Walk::new(kernel);
    let mut round = 0;
    walk.run();
    while walk.grow(match round {
        0..EXACT_ROUNDS => Growth::Exact,
        EXACT_ROUNDS..WIDENED_ROUNDS => Growth::ToThreshold,
        WIDENED_ROUNDS.. => Growth::ToLimits,
    }) {
        walk.run();
        round += 1;
    }
    for _ in 0..NARROWED_ROUNDS {
        if walk.local == walk.set {
            break;
        }
        // Some grew too far. What is set while that holds holds as well, and is closer.
        walk.local = walk.set.clone();
        walk.run();
    }
    let Walk { value, local, in_bounds, exact, .. } = walk;
    Ranges { value, local, in_bounds, exact }
}

impl Ranges {
    /// The range of `id` where it is defined; empty if it never runs. `None` if it yields no integer.
    pub fn get(&self, kernel: &Kernel, id: InstId) -> Option<Range> {
        limits(kernel.insts[id].ty).map(|_| self.value[id])
    }

    /// The range of what `local` is set to; empty if it never is. `None` if that is no integer.
    pub fn local(&self, kernel: &Kernel, local: LocalId) -> Option<Range> {
        limits(kernel.locals[local].ty).map(|_| self.local[local])
    }

    /// True if the index of this `bounds` is always less than its length.
    pub fn is_in_bounds(&self, bounds: InstId) -> bool {
        self.in_bounds[bounds]
    }

    /// True if this sum, difference, product or left shift of integers never wraps.
    pub fn is_exact(&self, id: InstId) -> bool {
        self.exact[id]
    }
}

impl Range {
    /// No integer.
    pub const EMPTY: Self = Self { min: 0, max: -1 };

    /// The integers from `min` to `max`.
    pub const fn new(min: i128, max: i128) -> Self {
        Self { min, max }
    }
    /// True if it has no integer.
    pub const fn is_empty(self) -> bool {
        self.min > self.max
    }
    /// True if it has every integer of `other`.
    pub const fn contains(self, other: Self) -> bool {
        other.is_empty() || self.min <= other.min && other.max <= self.max
    }
    /// Whether each is less than each of `other`, or none is.
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
    /// The range of products; `None` if it is too large even to compute.
    pub(crate) fn times(self, other: Self) -> Option<Self> {
        arith::product(self, other)
    }
    /// What is left if the one integer of `other`, should it be only one, is left out.
    pub(super) fn without(self, other: Self) -> Self {
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
    /// `self` if a type with these `limits` holds it, else the limits.
    pub(super) fn or_wrapped(self, limits: Self) -> Self {
        if limits.contains(self) { self } else { limits }
    }
}

/// The limits of a type; `None` if it is no integer.
const fn limits(ty: Ty) -> Option<Range> {
    match ty {
        Ty::Scalar(scalar) => scalar_limits(scalar),
        Ty::Unit | Ty::Ptr(_) => None,
    }
}

/// The limits of a type; `None` if it is no integer.
pub(crate) const fn scalar_limits(scalar: Scalar) -> Option<Range> {
    match evaluate::limits(scalar) {
        Some((min, max)) => Some(Range::new(min, max)),
        None => None,
    }
}
