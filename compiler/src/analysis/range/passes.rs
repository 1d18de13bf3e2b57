//! The fixed-point iteration over ranges: passes over a kernel until no local grows any more.
//!
//! The work is listed once, as [`RangeStep`]s: most instructions yield no integer. A step is
//! *stable* if it depends on no local, neither by its operands nor by a condition that narrows one
//! of them; later passes skip it. A local whose every `get` follows every `set` in the text is
//! *settled in order*: a `get` yields the range set in the same pass, so that a chain of such
//! locals takes one pass in all, not one for each.
use super::{
    Range, arith,
    floats::{FloatRange, float_type},
    type_limits,
};
use crate::{
    analysis::launch::LaunchRanges,
    id::Facts,
    ir::{
        Axis, BarrierOp, BinaryOp, Body, Builtin, CompareOp, Inst, InstId, Kernel, LocalId,
        MatrixOp, Op, Scalar, SyncOp, Ty, UnaryOp,
    },
};

/// One computation of a pass.
enum RangeStep {
    /// Computes the range of an instruction's result, whose type has these limits.
    Value {
        id: InstId,
        limits: Range,
        stable: bool,
    },
    /// Computes the interval of an instruction's result, a float.
    Float {
        id: InstId,
        scalar: Scalar,
        stable: bool,
    },
    /// Sets a local to the value of an instruction, an integer.
    Set(LocalId, InstId),
    /// Assumes from here on that a condition is true or false.
    Assume(InstId, bool),
    /// Opens a scope of assumptions that ends at the `End` with this number. After the stable steps
    /// have run once, a scope without `moves` is skipped.
    Begin {
        end: usize,
        moves: bool,
    },
    End,
}

/// Lists the steps of a kernel.
struct StepList<'k> {
    kernel: &'k Kernel,
    steps: Vec<RangeStep>,
    /// True if a range may change in the next pass.
    moves: Facts<InstId, bool>,
    /// See [`settled_in_order`].
    in_order: Facts<LocalId, bool>,
    /// True if the value that the local is set to may change in the next pass.
    set_moves: Facts<LocalId, bool>,
    /// Values marked as moving only because of a condition.
    undo: Vec<InstId>,
    /// The number of steps so far that run in each pass.
    moving: usize,
    /// True if floats have intervals, since some are cast to integers.
    with_floats: bool,
}

impl StepList<'_> {
    fn list_body(&mut self, list: &Body) {
        for &id in &list.0 {
            self.list_inst(id);
        }
    }

    fn list_inst(&mut self, id: InstId) {
        let kernel = self.kernel;
        let inst = &kernel.insts[id];
        if let Some(limits) = type_limits(inst.ty) {
            let mut moves = if let Op::Get(local) = inst.op {
                !self.in_order[local] || self.set_moves[local]
            } else {
                false
            };
            inst.op.operands().for_each(|operand| moves |= self.moves[operand]);
            self.moves[id] = moves;
            self.moving += usize::from(moves);
            self.steps.push(RangeStep::Value { id, limits, stable: !moves });
        } else if let Some(scalar) = float_type(inst.ty).filter(|_| self.with_floats) {
            let mut moves = inst.op.operands().any(|operand| self.moves[operand]);
            // The condition narrows the intervals of what it compares.
            if let Op::Select { cond, .. } = inst.op {
                moves |= kernel.insts[cond].op.operands().any(|side| self.moves[side]);
            }
            self.moves[id] = moves;
            self.moving += usize::from(moves);
            self.steps.push(RangeStep::Float { id, scalar, stable: !moves });
        } else if let Op::Set { local, value } = inst.op
            && type_limits(kernel.insts[value].ty).is_some()
        {
            self.moving += 1;
            self.set_moves[local] |= self.moves[value];
            self.steps.push(RangeStep::Set(local, value));
        }
        if let Op::If { cond, then, other } = &inst.op {
            self.list_scoped(Some((*cond, true)), then);
            self.list_scoped(Some((*cond, false)), other);
            if !kernel.falls_through(then) {
                self.list_assumption(*cond, false);
            }
            if !kernel.falls_through(other) {
                self.list_assumption(*cond, true);
            }
        } else if !inst.op.is_leaf() {
            inst.op.bodies().for_each(|inner| self.list_scoped(None, inner));
        }
    }

    /// Lists a body, in which a condition may be known to be true or false.
    fn list_scoped(&mut self, known: Option<(InstId, bool)>, body: &Body) {
        if body.0.is_empty() {
            return;
        }
        let (before, begin, moving) = (self.undo.len(), self.steps.len(), self.moving);
        self.steps.push(RangeStep::Begin { end: 0, moves: true });
        if let Some((cond, truth)) = known {
            self.list_assumption(cond, truth);
        }
        self.list_body(body);
        self.steps[begin] = RangeStep::Begin { end: self.steps.len(), moves: self.moving > moving };
        self.steps.push(RangeStep::End);
        while self.undo.len() > before
            && let Some(id) = self.undo.pop()
        {
            self.moves[id] = false;
        }
    }

    fn list_assumption(&mut self, cond: InstId, truth: bool) {
        self.steps.push(RangeStep::Assume(cond, truth));
        self.mark_narrowed(cond);
    }

    /// Marks a value that `cond` narrows as moving, if the other operand moves.
    fn mark_narrowed(&mut self, cond: InstId) {
        if let Op::Unary { op: UnaryOp::Not, value } = self.kernel.insts[cond].op {
            self.mark_narrowed(value);
        } else if let Op::Binary { lhs, rhs, .. } = self.kernel.insts[cond].op {
            self.mark_narrowed(lhs);
            self.mark_narrowed(rhs);
        } else if let Op::Compare { lhs, rhs, .. } = self.kernel.insts[cond].op
            && self.moves[lhs] != self.moves[rhs]
        {
            let other = if self.moves[lhs] { rhs } else { lhs };
            self.moves[other] = true;
            self.undo.push(other);
        }
    }
}

/// Returns the locals whose every `get` follows every `set` in the text. In a loop, too, a `get`
/// then yields a value from among those set before it in the text.
fn settled_in_order(kernel: &Kernel) -> Facts<LocalId, bool> {
    let mut is_read = kernel.locals.facts(false);
    let mut in_order = kernel.locals.facts(true);
    let mut open: Vec<_> = kernel.body.0.iter().rev().copied().collect();
    while let Some(id) = open.pop() {
        let op = &kernel.insts[id].op;
        if let Op::Get(local) = op {
            is_read[*local] = true;
        } else if let Op::Set { local, .. } = op {
            in_order[*local] &= !is_read[*local];
        }
        if !op.is_leaf() {
            let inner: Vec<_> = op.bodies().flat_map(|body| body.0.iter().copied()).collect();
            open.extend(inner.into_iter().rev());
        }
    }
    in_order
}

/// The growth of a local's range when it is set to values outside of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Growth {
    /// To the union of both ranges.
    Exact,
    /// To the union, rounded up to the next threshold: a loop that doubles a number up to 1024 ends
    /// there.
    ToThreshold,
    /// To the limits of the type.
    ToLimits,
}

/// Returns the numbers at which a local may stop growing, in order: those that the kernel compares
/// with, and their neighbours.
fn thresholds(kernel: &Kernel) -> Vec<i128> {
    let mut found = Vec::new();
    for (_, inst) in kernel.insts.iter() {
        if let Op::Compare { lhs, rhs, .. } = inst.op {
            for side in [lhs, rhs] {
                if let Inst { op: Op::Const(bits), ty: Ty::Scalar(scalar), .. } = kernel.insts[side]
                    && let Some(Range { min: number, .. }) = arith::const_range(scalar, bits)
                {
                    found.extend([number - 1, number, number + 1, 2 * number]);
                }
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The ranges so far, and the steps that compute them.
pub(super) struct RangePass<'k> {
    kernel: &'k Kernel,
    steps: Vec<RangeStep>,
    /// See [`settled_in_order`].
    in_order: Facts<LocalId, bool>,
    /// True once the stable steps have run.
    settled: bool,
    launch: LaunchRanges,
    pub(super) value: Facts<InstId, Range>,
    /// The intervals of floats, if some are cast to integers.
    floats: Option<Facts<InstId, FloatRange>>,
    /// True if an `Op::Bounds` cannot fail.
    pub(super) in_bounds: Facts<InstId, bool>,
    /// True if a sum, difference, product or left shift never wraps.
    pub(super) exact: Facts<InstId, bool>,
    /// The range that a `get` yields.
    pub(super) local: Facts<LocalId, Range>,
    /// See [`thresholds`].
    thresholds: Vec<i128>,
    /// The values that locals were set to in this pass.
    pub(super) set: Facts<LocalId, Range>,
    /// The ranges of values before conditions narrowed them.
    undo: Vec<(InstId, Range)>,
    /// The same of intervals.
    undo_floats: Vec<(InstId, FloatRange)>,
    /// The numbers of assumptions, about integers and about floats, at each open `Begin`.
    begun: Vec<[usize; 2]>,
}

impl<'k> RangePass<'k> {
    pub(super) fn new(kernel: &'k Kernel) -> Self {
        let moves = kernel.insts.facts(false);
        let in_order = settled_in_order(kernel);
        let set_moves = kernel.locals.facts(false);
        let (steps, undo, moving) = (Vec::new(), Vec::new(), 0);
        let with_floats = casts_floats(kernel);
        let mut listing =
            StepList { kernel, steps, moves, in_order, set_moves, undo, moving, with_floats };
        listing.list_body(&kernel.body);
        let range = kernel.insts.facts(Range::EMPTY);
        let local = kernel.locals.facts(Range::EMPTY);
        Self {
            kernel,
            steps: listing.steps,
            in_order: listing.in_order,
            settled: false,
            launch: LaunchRanges::for_kernel(kernel),
            value: range,
            floats: with_floats.then(|| kernel.insts.facts(FloatRange::ANY)),
            in_bounds: kernel.insts.facts(false),
            exact: kernel.insts.facts(false),
            set: local.clone(),
            local,
            thresholds: thresholds(kernel),
            undo: Vec::new(),
            undo_floats: Vec::new(),
            begun: Vec::new(),
        }
    }

    /// Runs one pass.
    pub(super) fn run_pass(&mut self) {
        self.set = self.kernel.locals.facts(Range::EMPTY);
        let taken = std::mem::take(&mut self.steps);
        let (mut next, steps) = (0, taken.as_slice());
        while next < steps.len() {
            let step = &steps[next];
            next += 1;
            if self.settled {
                match *step {
                    RangeStep::Value { stable: true, .. }
                    | RangeStep::Float { stable: true, .. } => continue,
                    RangeStep::Begin { end, moves: false } => {
                        next = end + 1;
                        continue;
                    }
                    _ => {}
                }
            }
            self.run_step(step);
        }
        self.steps = taken;
        self.settled = true;
        self.undo_assumptions([0; 2]);
    }

    /// Grows the locals to the values that they were set to; returns true if one grew.
    pub(super) fn grow_locals(&mut self, growth: Growth) -> bool {
        let mut grew = false;
        for (id, local) in self.kernel.locals.iter() {
            if self.in_order[id] {
                self.local[id] = self.set[id];
                continue;
            }
            let old = self.local[id];
            let mut new = old.union(self.set[id]);
            if new != old {
                grew = true;
                let limits = type_limits(local.ty).unwrap_or(Range::EMPTY);
                let widened = match growth {
                    Growth::Exact => new,
                    Growth::ToThreshold => {
                        let above = self.thresholds.partition_point(|&number| number < new.max);
                        let not_above =
                            self.thresholds.partition_point(|&number| number <= new.min);
                        let max = self.thresholds.get(above).map_or(limits.max, |&max| max);
                        let min =
                            (self.thresholds[..not_above].last()).map_or(limits.min, |&min| min);
                        Range::new(min, max).intersection(limits)
                    }
                    Growth::ToLimits => limits,
                };
                if new.min < old.min {
                    new.min = widened.min;
                }
                if new.max > old.max {
                    new.max = widened.max;
                }
            }
            self.local[id] = new;
        }
        grew
    }

    fn run_step(&mut self, step: &RangeStep) {
        match *step {
            RangeStep::Value { id, limits, .. } => self.compute_range(id, limits),
            RangeStep::Float { id, scalar, .. } => {
                let range = self.float_range(id, scalar);
                self.set_float(id, range);
            }
            RangeStep::Set(local, value) => {
                self.set[local] = self.set[local].union(self.value[value])
            }
            RangeStep::Assume(cond, truth) => self.assume_condition(cond, truth),
            RangeStep::Begin { .. } => {
                self.begun.push([self.undo.len(), self.undo_floats.len()]);
            }
            RangeStep::End => {
                let before = self.begun.pop().expect("an `End` has a `Begin`");
                self.undo_assumptions(before);
            }
        }
    }

    fn compute_range(&mut self, id: InstId, limits: Range) {
        let inst = &self.kernel.insts[id];
        self.value[id] = self.inst_range(inst, limits);
        if let Op::Bounds { index, len } = inst.op {
            self.in_bounds[id] = self.value[index].is_below(self.value[len]) == Some(true);
        } else if let Op::Binary { op, lhs, rhs } = inst.op {
            self.exact[id] = self.is_exact(op, lhs, rhs, limits);
        }
    }

    fn undo_assumptions(&mut self, [integers, floats]: [usize; 2]) {
        while self.undo.len() > integers
            && let Some((id, range)) = self.undo.pop()
        {
            self.value[id] = range;
        }
        while self.undo_floats.len() > floats
            && let Some((id, range)) = self.undo_floats.pop()
        {
            self.set_float(id, range);
        }
    }

    /// Narrows the operands that `cond` being `truth` constrains.
    fn assume_condition(&mut self, cond: InstId, truth: bool) {
        let kernel = self.kernel;
        self.narrow_value(cond, Range::new(truth.into(), truth.into()));
        let op = &kernel.insts[cond].op;
        if let Op::Unary { op: UnaryOp::Not, value } = *op {
            self.assume_condition(value, !truth);
        } else if let Op::Binary { op, lhs, rhs } = *op {
            if op == if truth { BinaryOp::And } else { BinaryOp::Or } {
                self.assume_condition(lhs, truth);
                self.assume_condition(rhs, truth);
            }
        } else if let Op::Compare { op, lhs, rhs } = *op {
            if type_limits(kernel.insts[lhs].ty).is_some() {
                let op = if truth { op } else { arith::negated_comparison(op) };
                self.assume_compare(op, lhs, rhs);
            } else if let Some(scalar) = float_type(kernel.insts[lhs].ty)
                && self.floats.is_some()
            {
                let narrowed = self.float(lhs).narrowed_by(op, self.float(rhs), truth, scalar);
                for (id, range) in [lhs, rhs].into_iter().zip(narrowed) {
                    self.undo_floats.push((id, self.float(id)));
                    self.set_float(id, range);
                }
            }
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
                self.narrow_value(lhs, Range::new(least, right.max - 1));
                self.narrow_value(rhs, Range::new(left.min + 1, most));
            }
            CompareOp::Le => {
                self.narrow_value(lhs, Range::new(least, right.max));
                self.narrow_value(rhs, Range::new(left.min, most));
            }
            CompareOp::Gt => self.assume_compare(CompareOp::Lt, rhs, lhs),
            CompareOp::Ge => self.assume_compare(CompareOp::Le, rhs, lhs),
            CompareOp::Eq => {
                self.narrow_value(lhs, right);
                self.narrow_value(rhs, left);
            }
            CompareOp::Ne => {
                self.narrow_value(lhs, left.exclude(right));
                self.narrow_value(rhs, right.exclude(left));
            }
        }
    }

    fn narrow_value(&mut self, id: InstId, to: Range) {
        self.undo.push((id, self.value[id]));
        self.value[id] = self.value[id].intersection(to);
    }
}

impl RangePass<'_> {
    /// Returns the range of the result of `inst`, whose type has these `limits`.
    fn inst_range(&self, inst: &Inst, limits: Range) -> Range {
        match &inst.op {
            Op::Const(bits) => match inst.ty {
                Ty::Scalar(scalar) => arith::const_range(scalar, *bits).unwrap_or(limits),
                Ty::Ptr(_) | Ty::Unit => limits,
            },
            Op::Len(param) | Op::Param(param) => self.launch.param(*param),
            Op::Builtin(builtin) => self.launch.builtin(*builtin).or_limits(limits),
            Op::Unary { op, value } => arith::unary_range(*op, self.value[*value], limits),
            Op::Binary { op, lhs, rhs } => self.binary_inst_range(*op, *lhs, *rhs, limits),
            Op::Compare { op, lhs, rhs } => match self.decide_comparison(*op, *lhs, *rhs) {
                Some(truth) => Range::new(truth.into(), truth.into()),
                None => limits,
            },
            Op::Cast { value } => self.cast_range(*value, limits),
            Op::Select { then, other, .. } => self.value[*then].union(self.value[*other]),
            Op::Bounds { index, len } => {
                let below = Range::new(0, self.value[*len].max - 1);
                self.value[*index].intersection(below)
            }
            Op::Get(local) if self.in_order[*local] => self.set[*local],
            Op::Get(local) => self.local[*local],
            Op::Sync(SyncOp::Barrier { reduce }) => match reduce {
                Some((BarrierOp::Count, _)) => Range::new(0, 1024),
                Some((BarrierOp::And | BarrierOp::Or, _)) | None => limits,
            },
            Op::Generic(generic) => self.launch.generic(*generic).or_limits(limits),
            Op::For { start, end, step, inclusive, .. } => {
                let (start, step) = (self.value[*start], self.value[*step]);
                let last = self.value[*end].max - i128::from(!inclusive);
                // The last counter is a whole number of steps from the start, if both are known.
                let has_one_step = start.min == start.max && step.min == step.max && step.min > 0;
                let rest =
                    if has_one_step { (last - start.min).max(0) % step.min } else { 0 };
                Range::new(start.min, last - rest)
            }
            Op::MulAdd { .. }
            | Op::Ternary { .. }
            | Op::Fma { .. }
            | Op::Bitcast { .. }
            | Op::Load { .. }
            | Op::AtomicLoad { .. }
            | Op::Atomic { .. }
            | Op::CompareExchange { .. }
            | Op::Warp(_)
            | Op::Matrix(MatrixOp::Mma { .. } | MatrixOp::DistributeRows { .. })
            | Op::Sync(SyncOp::MBarrierArrive { .. })
            | Op::Texture { .. }
            | Op::Ptx { .. }
            | Op::PtxOutput { .. }
            | Op::Interpreted
            // These yield no integer.
            | Op::Shared(_)
            | Op::Array(_)
            | Op::Index { .. }
            | Op::Offset { .. }
            | Op::MapShared { .. }
            | Op::Check { .. }
            | Op::Set { .. }
            | Op::Store { .. }
            | Op::AtomicStore { .. }
            | Op::Copy(_)
            | Op::Prefetch { .. }
            | Op::Sync(_)
            | Op::Matrix(_)
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

    fn binary_inst_range(&self, op: BinaryOp, lhs: InstId, rhs: InstId, limits: Range) -> Range {
        if let Some(range) = self.axis_position_range(op, lhs, rhs) {
            return range;
        }
        let (l, r) = (self.value[lhs], self.value[rhs]);
        if l.is_empty() || r.is_empty() {
            return Range::EMPTY;
        }
        arith::binary_range(op, l, r, limits)
    }

    /// Returns true if `lhs op rhs` is a sum, difference, product or left shift that never wraps.
    fn is_exact(&self, op: BinaryOp, lhs: InstId, rhs: InstId, limits: Range) -> bool {
        let (l, r) = (self.value[lhs], self.value[rhs]);
        if l.is_empty() || r.is_empty() {
            return false;
        }
        match op {
            BinaryOp::Mul if arith::checked_product(l, r).is_none() => false,
            BinaryOp::Shl if l.min < 0 || r.max >= arith::bit_width(limits) => false,
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl => {
                self.axis_position_range(op, lhs, rhs).is_some_and(|range| limits.contains(range))
                    || limits.contains(arith::unwrapped_range(op, l, r, limits))
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

    /// Returns the range of a thread's position along an axis that is computed by hand:
    /// `block_idx * block_dim`, that plus `thread_idx`, and `grid_dim * block_dim`.
    fn axis_position_range(&self, op: BinaryOp, lhs: InstId, rhs: InstId) -> Option<Range> {
        use Builtin::{BlockDim, BlockIdx, GridDim, ThreadIdx};
        if op == BinaryOp::Mul {
            return match (self.builtin_at(lhs)?, self.builtin_at(rhs)?) {
                (GridDim(axis), BlockDim(of)) | (BlockDim(of), GridDim(axis)) if of == axis => {
                    Some(Range::new(1, self.launch.max_threads(axis)))
                }
                (BlockIdx(axis), BlockDim(of)) | (BlockDim(of), BlockIdx(axis)) if of == axis => {
                    Some(Range::new(0, self.launch.max_threads(axis) - 1))
                }
                _ => None,
            };
        }
        if op != BinaryOp::Add {
            return None;
        }
        let (axis, start) = match (self.builtin_at(lhs), self.builtin_at(rhs)) {
            (None, Some(ThreadIdx(axis))) => (axis, lhs),
            (Some(ThreadIdx(axis)), None) => (axis, rhs),
            _ => return None,
        };
        (self.block_start(start)? == axis).then(|| Range::new(0, self.launch.max_threads(axis) - 1))
    }

    /// Returns the axis, if `id` is `block_idx * block_dim`.
    fn block_start(&self, id: InstId) -> Option<Axis> {
        use Builtin::{BlockDim, BlockIdx};
        let Op::Binary { op: BinaryOp::Mul, lhs, rhs } = self.kernel.insts[id].op else {
            return None;
        };
        match (self.builtin_at(lhs)?, self.builtin_at(rhs)?) {
            (BlockIdx(axis), BlockDim(of)) | (BlockDim(of), BlockIdx(axis)) => {
                (of == axis).then_some(axis)
            }
            _ => None,
        }
    }

    fn builtin_at(&self, id: InstId) -> Option<Builtin> {
        if let Op::Builtin(builtin) = self.kernel.insts[id].op { Some(builtin) } else { None }
    }

    /// Returns the result of `lhs op rhs`, if it is always the same and compares integers.
    fn decide_comparison(&self, op: CompareOp, lhs: InstId, rhs: InstId) -> Option<bool> {
        type_limits(self.kernel.insts[lhs].ty)?;
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

    fn cast_range(&self, value: InstId, to: Range) -> Range {
        let ty = self.kernel.insts[value].ty;
        match type_limits(ty) {
            Some(_) => self.value[value].or_limits(to),
            None if float_type(ty).is_some() => self.float(value).integer_range(to),
            None => to,
        }
    }

    /// Returns the interval of a float; any, if floats have none.
    fn float(&self, id: InstId) -> FloatRange {
        self.floats.as_ref().map_or(FloatRange::ANY, |floats| floats[id])
    }

    fn set_float(&mut self, id: InstId, range: FloatRange) {
        if let Some(floats) = &mut self.floats {
            floats[id] = range;
        }
    }

    /// Computes the interval of the result of `id`, a float of type `scalar`.
    fn float_range(&self, id: InstId, scalar: Scalar) -> FloatRange {
        let float = |id: InstId| self.float(id);
        match self.kernel.insts[id].op {
            Op::Const(bits) => FloatRange::of_bits(scalar, bits),
            Op::Cast { value } => {
                let ty = self.kernel.insts[value].ty;
                match (type_limits(ty), float_type(ty)) {
                    (Some(_), _) => FloatRange::of_integers(scalar, self.value[value]),
                    (None, Some(_)) => float(value).cast(scalar),
                    (None, None) => FloatRange::ANY,
                }
            }
            Op::Unary { op, value } => float(value).unary(op, scalar),
            Op::Binary { op, lhs, rhs } => float(lhs).binary(op, float(rhs), scalar),
            Op::Fma { a, b, c } => float(a).fma(float(b), float(c), scalar),
            Op::Select { cond, then, other } => {
                self.float_where(cond, then, true).union(self.float_where(cond, other, false))
            }
            _ => FloatRange::ANY,
        }
    }

    /// Returns the interval of `value`, a float, if `cond` is `truth`.
    fn float_where(&self, cond: InstId, value: InstId, truth: bool) -> FloatRange {
        if let Op::Compare { op, lhs, rhs } = self.kernel.insts[cond].op
            && let Some(scalar) = float_type(self.kernel.insts[lhs].ty)
            && (value == lhs || value == rhs)
        {
            let [left, right] = self.float(lhs).narrowed_by(op, self.float(rhs), truth, scalar);
            return if value == lhs { left } else { right };
        }
        self.float(value)
    }
}

/// Returns true if a float is cast to an integer.
fn casts_floats(kernel: &Kernel) -> bool {
    kernel.insts.iter().any(|(_, inst)| match inst.op {
        Op::Cast { value } => {
            type_limits(inst.ty).is_some() && float_type(kernel.insts[value].ty).is_some()
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Id as _;
    use std::fmt::Write as _;

    /// Builds a chain of locals, each set to one more than the previous one; with `read_early`,
    /// each is read before it is set. Returns the number of passes and the last range.
    fn passes(read_early: bool) -> (u32, Range) {
        const LOCALS: usize = 100;
        let mut text = "kernel chain {\n".to_owned();
        for local in 0..=LOCALS {
            writeln!(text, "local ${local} = v{local}: u64 !0").unwrap();
        }
        let mut id = 2;
        text += "%0 = const 1 : u64 !0\n%1 = set $0, %0 !0\n";
        for local in 1..=LOCALS {
            if read_early {
                writeln!(text, "%{id} = get ${local} : u64 !0").unwrap();
                id += 1;
            }
            writeln!(text, "%{id} = get ${} : u64 !0", local - 1).unwrap();
            writeln!(text, "%{} = add %{id}, %0 : u64 !0", id + 1).unwrap();
            writeln!(text, "%{} = set ${local}, %{} !0", id + 2, id + 1).unwrap();
            id += 3;
        }
        let kernel: Kernel = (text + "}").parse().unwrap();
        let mut state = RangePass::new(&kernel);
        state.run_pass();
        let mut passes = 1;
        while state.grow_locals(Growth::Exact) {
            state.run_pass();
            passes += 1;
        }
        (passes, state.local[kernel.locals.ids().last().unwrap()])
    }

    /// `b` is below `n`, which grows, and `a` below `b` by a comparison before the loop.
    #[test]
    fn a_selected_float_grows_with_what_bounds_the_condition() {
        let text = "kernel k {
            param arg0 = a: f32
            param arg1 = b: f32
            param arg2 = q: u32
            local $0 = n: u32
            %0 = param arg0 : f32
            %1 = param arg1 : f32
            %2 = param arg2 : u32
            %3 = const 0 : u32
            %4 = const 0.0 : f32
            %5 = const 1 : u32
            %6 = const 5 : u32
            %7 = set $0, %6
            %8 = lt %0, %1 : bool
            %9 = for %3, %2, step %5 : u32 {
              %10 = get $0 : u32
              %11 = eq %9, %2 : bool
              %12 = select %11, %6, %10 : u32
              %13 = cast %12 : f32
              %14 = lt %1, %13 : bool
              %15 = if %14 {
                %16 = select %8, %0, %4 : f32
                %17 = cast %16 : u64
              }
              %18 = add %10, %5 : u32
              %19 = set $0, %18
            }
        }";
        let kernel: Kernel = text.parse().unwrap();
        let range = crate::analysis::range::analyze(&kernel).get(&kernel, InstId::new(17));
        assert!(range.unwrap().max > 1000, "{range:?}");
    }

    #[test]
    fn a_chain_of_locals_takes_one_pass() {
        assert_eq!(passes(false), (1, Range::new(101, 101)));
        assert_eq!(passes(true), (101, Range::new(101, 101)));
    }
}
