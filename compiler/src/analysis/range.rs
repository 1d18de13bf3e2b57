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
use super::{evaluate, launch::Launch};
use crate::{
    id::Facts,
    ir::{
        Axis, BarrierOp, BinaryOp, Body, Builtin, CompareOp, InstId, Kernel, LocalId, Op, Scalar,
        Ty, UnaryOp,
    },
};

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

/// After so many rounds, what still grows may be anything.
const ROUNDS: u32 = 3;

/// Computes the ranges of `kernel`; where it is generic, less is known.
pub fn analyze(kernel: &Kernel) -> Ranges {
    let mut walk = Walk::new(kernel);
    let mut round = 0;
    walk.run();
    while walk.grow(round >= ROUNDS) {
        walk.run();
        round += 1;
    }
    if walk.local != walk.set {
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

    /// What the hardware and the launcher allow `builtin` to be.
    pub fn builtin(kernel: &Kernel, builtin: Builtin) -> Range {
        Launch::of(kernel).builtin(builtin)
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
    pub(super) fn intersection(self, other: Self) -> Self {
        Self::new(self.min.max(other.min), self.max.min(other.max))
    }
    /// The range of products; `None` if it is too large even to compute.
    pub(super) fn times(self, other: Self) -> Option<Self> {
        product(self, other)
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
pub(super) const fn scalar_limits(scalar: Scalar) -> Option<Range> {
    match evaluate::limits(scalar) {
        Some((min, max)) => Some(Range::new(min, max)),
        None => None,
    }
}

struct Walk<'k> {
    kernel: &'k Kernel,
    launch: Launch,
    value: Facts<InstId, Range>,
    in_bounds: Facts<InstId, bool>,
    exact: Facts<InstId, bool>,
    /// What a `get` yields.
    local: Facts<LocalId, Range>,
    /// What the locals were set to in this round.
    set: Facts<LocalId, Range>,
    /// What `value` was before a condition narrowed it.
    undo: Vec<(InstId, Range)>,
}

impl<'k> Walk<'k> {
    fn new(kernel: &'k Kernel) -> Self {
        let (value, local) = (kernel.insts.facts(Range::EMPTY), kernel.locals.facts(Range::EMPTY));
        let (in_bounds, exact) = (kernel.insts.facts(false), kernel.insts.facts(false));
        let (launch, set) = (Launch::of(kernel), local.clone());
        Self { kernel, launch, value, in_bounds, exact, set, local, undo: Vec::new() }
    }

    /// Computes each value once.
    fn run(&mut self) {
        self.set = self.kernel.locals.facts(Range::EMPTY);
        self.body(&self.kernel.body);
    }

    /// Lets locals hold what they were set to; says whether they did not. Those then grow
    /// as far as they can if `widen`.
    fn grow(&mut self, widen: bool) -> bool {
        let mut grew = false;
        for (id, local) in self.kernel.locals.iter() {
            let (old, limits) = (self.local[id], limits(local.ty).unwrap_or(Range::EMPTY));
            let mut new = old.union(self.set[id]);
            grew |= new != old;
            if widen && new.min < old.min {
                new.min = limits.min;
            }
            if widen && new.max > old.max {
                new.max = limits.max;
            }
            self.local[id] = new;
        }
        grew
    }

    fn body(&mut self, list: &Body) {
        let before = self.undo.len();
        for &id in &list.0 {
            self.inst(id);
        }
        self.forget_since(before);
    }

    fn inst(&mut self, id: InstId) {
        let kernel = self.kernel;
        let inst = &kernel.insts[id];
        if let Some(limits) = limits(inst.ty) {
            self.value[id] = self.range(id, limits);
            self.exact[id] = self.is_exact(id, limits);
        }
        if let Op::Set { local, value } = inst.op {
            self.set[local] = self.set[local].union(self.value[value]);
        } else if let Op::Bounds { index, len } = inst.op {
            self.in_bounds[id] = self.value[index].is_below(self.value[len]) == Some(true);
        } else if let Op::If { cond, then, other } = &inst.op {
            self.under(*cond, true, then);
            self.under(*cond, false, other);
            if !kernel.falls_through(then) {
                self.assume(*cond, false);
            }
            if !kernel.falls_through(other) {
                self.assume(*cond, true);
            }
        } else {
            inst.op.bodies().for_each(|inner| self.body(inner));
        }
    }

    /// Walks `body`, where `cond` is `truth`.
    fn under(&mut self, cond: InstId, truth: bool, body: &Body) {
        let before = self.undo.len();
        self.assume(cond, truth);
        self.body(body);
        self.forget_since(before);
    }

    fn forget_since(&mut self, before: usize) {
        while self.undo.len() > before
            && let Some((id, range)) = self.undo.pop()
        {
            self.value[id] = range;
        }
    }

    /// Narrows what `cond` being `truth` says something about.
    fn assume(&mut self, cond: InstId, truth: bool) {
        let kernel = self.kernel;
        self.narrow(cond, Range::new(truth.into(), truth.into()));
        let op = &kernel.insts[cond].op;
        if let Op::Unary { op: UnaryOp::Not, value } = *op {
            self.assume(value, !truth);
        } else if let Op::Binary { op, lhs, rhs } = *op {
            if op == if truth { BinaryOp::And } else { BinaryOp::Or } {
                self.assume(lhs, truth);
                self.assume(rhs, truth);
            }
        } else if let Op::Compare { op, lhs, rhs } = *op
            && limits(kernel.insts[lhs].ty).is_some()
        {
            self.assume_compare(if truth { op } else { inverse(op) }, lhs, rhs);
        }
    }

    fn assume_compare(&mut self, op: CompareOp, lhs: InstId, rhs: InstId) {
        let (left, right) = (self.value[lhs], self.value[rhs]);
        if left.is_empty() || right.is_empty() {
            return;
        }
        let least = i128::MIN;
        let most = i128::MAX;
        match op {
            CompareOp::Lt => {
                self.narrow(lhs, Range::new(least, right.max - 1));
                self.narrow(rhs, Range::new(left.min + 1, most));
            }
            CompareOp::Le => {
                self.narrow(lhs, Range::new(least, right.max));
                self.narrow(rhs, Range::new(left.min, most));
            }
            CompareOp::Gt => self.assume_compare(CompareOp::Lt, rhs, lhs),
            CompareOp::Ge => self.assume_compare(CompareOp::Le, rhs, lhs),
            CompareOp::Eq => {
                self.narrow(lhs, right);
                self.narrow(rhs, left);
            }
            CompareOp::Ne => {
                self.narrow(lhs, left.without(right));
                self.narrow(rhs, right.without(left));
            }
        }
    }

    fn narrow(&mut self, id: InstId, to: Range) {
        self.undo.push((id, self.value[id]));
        self.value[id] = self.value[id].intersection(to);
    }
}

/// The comparison of integers that is true where `op` is false.
pub(super) const fn inverse(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Eq => CompareOp::Ne,
        CompareOp::Ne => CompareOp::Eq,
        CompareOp::Lt => CompareOp::Ge,
        CompareOp::Le => CompareOp::Gt,
        CompareOp::Gt => CompareOp::Le,
        CompareOp::Ge => CompareOp::Lt,
    }
}

impl Walk<'_> {
    /// The range of `id`, whose type has these `limits`.
    fn range(&self, id: InstId, limits: Range) -> Range {
        let inst = &self.kernel.insts[id];
        match &inst.op {
            Op::Const(bits) => match inst.ty {
                Ty::Scalar(scalar) => constant(scalar, *bits).unwrap_or(limits),
                Ty::Ptr(_) | Ty::Unit => limits,
            },
            Op::Len(param) | Op::Param(param) => self.launch.param(*param),
            Op::Builtin(builtin) => self.launch.builtin(*builtin).or_wrapped(limits),
            Op::Unary { op, value } => unary(*op, self.value[*value], limits),
            Op::Binary { op, lhs, rhs } => self.binary(*op, *lhs, *rhs, limits),
            Op::Compare { op, lhs, rhs } => match self.compare(*op, *lhs, *rhs) {
                Some(truth) => Range::new(truth.into(), truth.into()),
                None => limits,
            },
            Op::Cast { value } => self.cast(*value, limits),
            Op::Select { then, other, .. } => self.value[*then].union(self.value[*other]),
            Op::Bounds { index, len } => {
                let below = Range::new(0, self.value[*len].max - 1);
                self.value[*index].intersection(below)
            }
            Op::Get(local) => self.local[*local],
            Op::Barrier { reduce } => match reduce {
                Some((BarrierOp::Count, _)) => Range::new(0, 1024),
                Some((BarrierOp::And | BarrierOp::Or, _)) | None => limits,
            },
            Op::For { start, end, inclusive, .. } => {
                let last = self.value[*end].max - i128::from(!inclusive);
                Range::new(self.value[*start].min, last)
            }
            Op::Generic(_)
            | Op::MulAdd { .. }
            | Op::Fma { .. }
            | Op::Bitcast { .. }
            | Op::Load { .. }
            | Op::AtomicLoad { .. }
            | Op::Atomic { .. }
            | Op::CompareExchange { .. }
            | Op::Shuffle { .. }
            | Op::Vote { .. }
            | Op::Match { .. }
            | Op::ActiveMask
            | Op::Reduce { .. }
            // These yield no integer.
            | Op::Shared(_)
            | Op::Array(_)
            | Op::Index { .. }
            | Op::Offset { .. }
            | Op::Check { .. }
            | Op::Set { .. }
            | Op::Store { .. }
            | Op::AtomicStore { .. }
            | Op::SyncGrid
            | Op::SyncWarp { .. }
            | Op::Fence { .. }
            | Op::If { .. }
            | Op::Loop { .. }
            | Op::Block { .. }
            | Op::Break(_)
            | Op::Continue(_)
            | Op::Return
            | Op::Print { .. }
            | Op::Panic { .. } => limits,
        }
    }

    fn binary(&self, op: BinaryOp, lhs: InstId, rhs: InstId, limits: Range) -> Range {
        if let Some(range) = self.along_axis(op, lhs, rhs) {
            return range;
        }
        let (l, r) = (self.value[lhs], self.value[rhs]);
        if l.is_empty() || r.is_empty() {
            return Range::EMPTY;
        }
        binary(op, l, r, limits)
    }

    /// Whether `id` is a sum, difference, product or left shift that never wraps.
    fn is_exact(&self, id: InstId, limits: Range) -> bool {
        let Op::Binary { op, lhs, rhs } = self.kernel.insts[id].op else { return false };
        let (l, r) = (self.value[lhs], self.value[rhs]);
        if l.is_empty() || r.is_empty() {
            return false;
        }
        match op {
            BinaryOp::Mul if product(l, r).is_none() => false,
            BinaryOp::Shl if l.min < 0 || r.max >= width(limits) => false,
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl => {
                self.along_axis(op, lhs, rhs).is_some_and(|range| limits.contains(range))
                    || limits.contains(unbounded(op, l, r, limits))
            }
            BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shr
            | BinaryOp::Min
            | BinaryOp::Max
            | BinaryOp::MulHigh
            | BinaryOp::RotateLeft => false,
        }
    }

    /// Threads of the grid along an axis, computed by hand: `block_idx * block_dim`, that plus
    /// `thread_idx`, and `grid_dim * block_dim`.
    fn along_axis(&self, op: BinaryOp, lhs: InstId, rhs: InstId) -> Option<Range> {
        use Builtin::{BlockDim, GridDim, ThreadIdx};
        if let Some(axis) = self.block_start(op, lhs, rhs) {
            return Some(Range::new(0, self.launch.threads(axis) - 1));
        }
        let start = |id: InstId| {
            let Op::Binary { op, lhs, rhs } = self.kernel.insts[id].op else { return None };
            self.block_start(op, lhs, rhs)
        };
        match (op, self.builtin_at(lhs), self.builtin_at(rhs)) {
            (BinaryOp::Mul, Some(GridDim(axis)), Some(BlockDim(of)))
            | (BinaryOp::Mul, Some(BlockDim(of)), Some(GridDim(axis)))
                if of == axis =>
            {
                Some(Range::new(1, self.launch.threads(axis)))
            }
            (BinaryOp::Add, None, Some(ThreadIdx(axis))) if start(lhs) == Some(axis) => {
                Some(Range::new(0, self.launch.threads(axis) - 1))
            }
            (BinaryOp::Add, Some(ThreadIdx(axis)), None) if start(rhs) == Some(axis) => {
                Some(Range::new(0, self.launch.threads(axis) - 1))
            }
            _ => None,
        }
    }

    /// The axis, if `lhs op rhs` is `block_idx * block_dim`.
    fn block_start(&self, op: BinaryOp, lhs: InstId, rhs: InstId) -> Option<Axis> {
        use Builtin::{BlockDim, BlockIdx};
        match (op, self.builtin_at(lhs)?, self.builtin_at(rhs)?) {
            (BinaryOp::Mul, BlockIdx(axis), BlockDim(of))
            | (BinaryOp::Mul, BlockDim(of), BlockIdx(axis)) => (of == axis).then_some(axis),
            _ => None,
        }
    }

    fn builtin_at(&self, id: InstId) -> Option<Builtin> {
        if let Op::Builtin(builtin) = self.kernel.insts[id].op { Some(builtin) } else { None }
    }

    /// What `lhs op rhs` always is, if it is always the same and compares integers.
    fn compare(&self, op: CompareOp, lhs: InstId, rhs: InstId) -> Option<bool> {
        limits(self.kernel.insts[lhs].ty)?;
        let (lhs, rhs) = (self.value[lhs], self.value[rhs]);
        match op {
            CompareOp::Lt => lhs.is_below(rhs),
            CompareOp::Ge => lhs.is_below(rhs).map(|below| !below),
            CompareOp::Gt => rhs.is_below(lhs),
            CompareOp::Le => rhs.is_below(lhs).map(|below| !below),
            CompareOp::Eq => lhs.equals(rhs),
            CompareOp::Ne => lhs.equals(rhs).map(|equal| !equal),
        }
    }

    fn cast(&self, value: InstId, to: Range) -> Range {
        match limits(self.kernel.insts[value].ty) {
            Some(_) => self.value[value].or_wrapped(to),
            None => to,
        }
    }
}

pub(super) fn constant(scalar: Scalar, bits: u64) -> Option<Range> {
    evaluate::integer(scalar, bits).map(|value| Range::new(value, value))
}

pub(super) fn unary(op: UnaryOp, value: Range, limits: Range) -> Range {
    if value.is_empty() {
        return Range::EMPTY;
    }
    let range = match op {
        // The sum of `x` and `!x` is the largest value if unsigned, and -1 if not.
        UnaryOp::Not => {
            let sum = limits.min + limits.max;
            Range::new(sum - value.max, sum - value.min)
        }
        UnaryOp::Neg => Range::new(-value.max, -value.min),
        UnaryOp::Abs if value.min >= 0 => value,
        UnaryOp::Abs => Range::new(0, value.max.max(-value.min)),
        UnaryOp::Sqrt
        | UnaryOp::Floor
        | UnaryOp::Ceil
        | UnaryOp::Trunc
        | UnaryOp::RoundTiesEven
        | UnaryOp::Approx(_)
        | UnaryOp::ReverseBits
        | UnaryOp::SwapBytes => limits,
        UnaryOp::CountOnes | UnaryOp::LeadingZeros => Range::new(0, width(limits)),
    };
    range.or_wrapped(limits)
}

/// `l op r`, neither of which is empty.
pub(super) fn binary(op: BinaryOp, l: Range, r: Range, limits: Range) -> Range {
    unbounded(op, l, r, limits).or_wrapped(limits)
}

/// The same in numbers that have no limits; where the operation is on bits, or the result too
/// large even for these, the limits of the type.
fn unbounded(op: BinaryOp, l: Range, r: Range, limits: Range) -> Range {
    let unsigned = l.min >= 0 && r.min >= 0;
    match op {
        BinaryOp::Add => Range::new(l.min + r.min, l.max + r.max),
        BinaryOp::Sub => Range::new(l.min - r.max, l.max - r.min),
        BinaryOp::Mul => product(l, r).unwrap_or(limits),
        BinaryOp::Min => Range::new(l.min.min(r.min), l.max.min(r.max)),
        BinaryOp::Max => Range::new(l.min.max(r.min), l.max.max(r.max)),
        BinaryOp::And if l.min >= 0 || r.min >= 0 => {
            let most = |range: Range| if range.min >= 0 { range.max } else { limits.max };
            Range::new(0, most(l).min(most(r)))
        }
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Div | BinaryOp::Rem
            if !unsigned =>
        {
            limits
        }
        BinaryOp::And | BinaryOp::Xor => Range::new(0, ones(l.max | r.max)),
        BinaryOp::Or => Range::new(l.min.max(r.min), ones(l.max | r.max)),
        BinaryOp::Div => Range::new(l.min / r.max.max(1), l.max / r.min.max(1)),
        BinaryOp::Rem if l.max < r.min => l,
        BinaryOp::Rem => Range::new(0, l.max.min(r.max.max(1) - 1)),
        BinaryOp::Shl | BinaryOp::Shr => shift(op, l, r, limits),
        BinaryOp::RotateLeft => limits,
        BinaryOp::MulHigh => match product(l, r) {
            Some(whole) => Range::new(whole.min >> width(limits), whole.max >> width(limits)),
            None => limits,
        },
    }
}

/// `None` if it is too large even to compute.
fn product(l: Range, r: Range) -> Option<Range> {
    if 0 <= l.min && l.min <= l.max && 0 <= r.min && r.min <= r.max {
        return Some(Range::new(l.min.checked_mul(r.min)?, l.max.checked_mul(r.max)?));
    }
    let corner = |a: i128, b: i128| a.checked_mul(b);
    let corners = [
        corner(l.min, r.min)?,
        corner(l.min, r.max)?,
        corner(l.max, r.min)?,
        corner(l.max, r.max)?,
    ];
    let [a, b, c, d] = corners;
    Some(Range::new(a.min(b).min(c).min(d), a.max(b).max(c).max(d)))
}

/// The width in bits of the integer type that has these limits.
fn width(limits: Range) -> i128 {
    i128::from(128 - (limits.max - limits.min).leading_zeros())
}

/// The amount counts modulo the width, so that a larger one says nothing.
fn shift(op: BinaryOp, l: Range, r: Range, limits: Range) -> Range {
    let width = width(limits);
    if l.min < 0 || r.max >= width {
        return limits;
    }
    if op == BinaryOp::Shl {
        Range::new(l.min << r.min, l.max << r.max)
    } else {
        Range::new(l.min >> r.max, l.max >> r.min)
    }
}

/// The smallest number of the form `2^n - 1` that is not less than `value`, which is not negative.
fn ones(value: i128) -> i128 {
    (1_i128 << (128 - value.leading_zeros())) - 1
}
