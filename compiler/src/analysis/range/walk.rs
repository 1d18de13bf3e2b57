//! The walk over a kernel: range after range, round after round, until no local grows any more.
//!
//! What is computed is listed once, as [`Step`]s: most instructions yield no integer. A step is *stable* if nothing
//! that it depends on comes from a local, by its operands or by a condition that narrows one of
//! them; after the first round it is passed over. A local that is read only after the last place that sets it is *settled
//! in order*: a `get` yields what was set in the same round, so that a row of such locals takes one round, and not one
//! each.
use super::{Range, arith, limits};
use crate::{
    analysis::launch::Launch,
    id::Facts,
    ir::{
        Axis, BarrierOp, BinaryOp, Body, Builtin, CompareOp, Inst, InstId, Kernel, LocalId, Op, Ty,
        UnaryOp,
    },
};

/// What is computed, one after the other.
enum Step {
    /// The range of what an instruction yields, whose type has these limits.
    Value {
        id: InstId,
        limits: Range,
        stable: bool,
    },
    /// A local is set to a value, an integer.
    Set(LocalId, InstId),
    /// From here on, a condition is true or false.
    Assume(InstId, bool),
    /// What is assumed from here on holds until the `End` of this one, which has this number. Once stable steps were
    /// made, nothing is left to do before it if none `moves`.
    Begin {
        end: usize,
        moves: bool,
    },
    End,
}

/// Lists the steps of a kernel.
struct Listing<'k> {
    kernel: &'k Kernel,
    steps: Vec<Step>,
    /// Whether a range may be another one in the next round.
    moves: Facts<InstId, bool>,
    /// See [`settled_in_order`].
    in_order: Facts<LocalId, bool>,
    /// Of these locals, whether what one is set to may be another range in the next round.
    set_moves: Facts<LocalId, bool>,
    /// What moves for a condition only.
    undo: Vec<InstId>,
    /// How many steps so far do something in each round.
    moving: usize,
}

impl Listing<'_> {
    fn body(&mut self, list: &Body) {
        for &id in &list.0 {
            self.inst(id);
        }
    }

    fn inst(&mut self, id: InstId) {
        let kernel = self.kernel;
        let inst = &kernel.insts[id];
        if let Some(limits) = limits(inst.ty) {
            let mut moves = if let Op::Get(local) = inst.op {
                !self.in_order[local] || self.set_moves[local]
            } else {
                false
            };
            inst.op.operands().for_each(|operand| moves |= self.moves[operand]);
            self.moves[id] = moves;
            self.moving += usize::from(moves);
            self.steps.push(Step::Value { id, limits, stable: !moves });
        } else if let Op::Set { local, value } = inst.op
            && limits(kernel.insts[value].ty).is_some()
        {
            self.moving += 1;
            self.set_moves[local] |= self.moves[value];
            self.steps.push(Step::Set(local, value));
        }
        if let Op::If { cond, then, other } = &inst.op {
            self.scoped(Some((*cond, true)), then);
            self.scoped(Some((*cond, false)), other);
            if !kernel.falls_through(then) {
                self.assume(*cond, false);
            }
            if !kernel.falls_through(other) {
                self.assume(*cond, true);
            }
        } else if !inst.op.is_leaf() {
            inst.op.bodies().for_each(|inner| self.scoped(None, inner));
        }
    }

    /// A body, where a condition may be known to be true or false.
    fn scoped(&mut self, known: Option<(InstId, bool)>, body: &Body) {
        if body.0.is_empty() {
            return;
        }
        let (before, begin, moving) = (self.undo.len(), self.steps.len(), self.moving);
        self.steps.push(Step::Begin { end: 0, moves: true });
        if let Some((cond, truth)) = known {
            self.assume(cond, truth);
        }
        self.body(body);
        self.steps[begin] = Step::Begin { end: self.steps.len(), moves: self.moving > moving };
        self.steps.push(Step::End);
        while self.undo.len() > before
            && let Some(id) = self.undo.pop()
        {
            self.moves[id] = false;
        }
    }

    fn assume(&mut self, cond: InstId, truth: bool) {
        self.steps.push(Step::Assume(cond, truth));
        self.narrow(cond);
    }

    /// What `cond` may narrow moves if what it is narrowed by does.
    fn narrow(&mut self, cond: InstId) {
        if let Op::Unary { op: UnaryOp::Not, value } = self.kernel.insts[cond].op {
            self.narrow(value);
        } else if let Op::Binary { lhs, rhs, .. } = self.kernel.insts[cond].op {
            self.narrow(lhs);
            self.narrow(rhs);
        } else if let Op::Compare { lhs, rhs, .. } = self.kernel.insts[cond].op
            && self.moves[lhs] != self.moves[rhs]
        {
            let other = if self.moves[lhs] { rhs } else { lhs };
            self.moves[other] = true;
            self.undo.push(other);
        }
    }
}

/// True for the locals that every `get` of which comes after every `set`, in the text: also in a loop, what a `get` yields
/// is then among what is set before it in the text.
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

/// The range that a local takes where what it is set to has outgrown the one it had.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Growth {
    /// The union of both.
    Exact,
    /// That, up to the next threshold: a loop that doubles a number up to 1024 ends there.
    ToThreshold,
    /// All numbers of its type.
    ToLimits,
}

/// Numbers at which a local may stop growing, in order: those that the kernel compares with, and near ones.
fn thresholds(kernel: &Kernel) -> Vec<i128> {
    let mut found = Vec::new();
    for (_, inst) in kernel.insts.iter() {
        if let Op::Compare { lhs, rhs, .. } = inst.op {
            for side in [lhs, rhs] {
                if let Inst { op: Op::Const(bits), ty: Ty::Scalar(scalar), .. } = kernel.insts[side]
                    && let Some(Range { min: number, .. }) = arith::constant(scalar, bits)
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

/// One walk after the other.
pub(super) struct Walk<'k> {
    kernel: &'k Kernel,
    steps: Vec<Step>,
    /// See [`settled_in_order`].
    in_order: Facts<LocalId, bool>,
    /// Whether stable steps were made.
    settled: bool,
    launch: Launch,
    pub(super) value: Facts<InstId, Range>,
    pub(super) in_bounds: Facts<InstId, bool>,
    pub(super) exact: Facts<InstId, bool>,
    /// What a `get` yields.
    pub(super) local: Facts<LocalId, Range>,
    /// See [`thresholds`].
    thresholds: Vec<i128>,
    /// What the locals were set to in this round.
    pub(super) set: Facts<LocalId, Range>,
    /// What `value` was before a condition narrowed it.
    undo: Vec<(InstId, Range)>,
    /// How much was known at each `Begin` whose `End` is ahead.
    begun: Vec<usize>,
}

impl<'k> Walk<'k> {
    pub(super) fn new(kernel: &'k Kernel) -> Self {
        let moves = kernel.insts.facts(false);
        let in_order = settled_in_order(kernel);
        let set_moves = kernel.locals.facts(false);
        let (steps, undo, moving) = (Vec::new(), Vec::new(), 0);
        let mut listing = Listing { kernel, steps, moves, in_order, set_moves, undo, moving };
        listing.body(&kernel.body);
        let range = kernel.insts.facts(Range::EMPTY);
        let local = kernel.locals.facts(Range::EMPTY);
        Self {
            kernel,
            steps: listing.steps,
            in_order: listing.in_order,
            settled: false,
            launch: Launch::of(kernel),
            value: range,
            in_bounds: kernel.insts.facts(false),
            exact: kernel.insts.facts(false),
            set: local.clone(),
            local,
            thresholds: thresholds(kernel),
            undo: Vec::new(),
            begun: Vec::new(),
        }
    }

    /// Computes each value once.
    pub(super) fn run(&mut self) {
        self.set = self.kernel.locals.facts(Range::EMPTY);
        let taken = std::mem::take(&mut self.steps);
        let (mut next, steps) = (0, taken.as_slice());
        while next < steps.len() {
            let step = &steps[next];
            next += 1;
            if self.settled {
                match *step {
                    Step::Value { stable: true, .. } => continue,
                    Step::Begin { end, moves: false } => {
                        next = end + 1;
                        continue;
                    }
                    _ => {}
                }
            }
            self.step(step);
        }
        self.steps = taken;
        self.settled = true;
        self.forget_since(0);
    }

    /// Lets locals hold what they were set to; returns whether some did not.
    pub(super) fn grow(&mut self, growth: Growth) -> bool {
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
                let limits = limits(local.ty).unwrap_or(Range::EMPTY);
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

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Value { id, limits, .. } => self.compute(id, limits),
            Step::Set(local, value) => self.set[local] = self.set[local].union(self.value[value]),
            Step::Assume(cond, truth) => self.assume(cond, truth),
            Step::Begin { .. } => self.begun.push(self.undo.len()),
            Step::End => {
                let before = self.begun.pop().expect("an `End` has a `Begin`");
                self.forget_since(before);
            }
        }
    }

    fn compute(&mut self, id: InstId, limits: Range) {
        let inst = &self.kernel.insts[id];
        self.value[id] = self.range(inst, limits);
        if let Op::Bounds { index, len } = inst.op {
            self.in_bounds[id] = self.value[index].is_below(self.value[len]) == Some(true);
        } else if let Op::Binary { op, lhs, rhs } = inst.op {
            self.exact[id] = self.is_exact(op, lhs, rhs, limits);
        }
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
            self.assume_compare(if truth { op } else { arith::inverse(op) }, lhs, rhs);
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

impl Walk<'_> {
    /// The range of what `inst` yields, whose type has these `limits`.
    fn range(&self, inst: &Inst, limits: Range) -> Range {
        match &inst.op {
            Op::Const(bits) => match inst.ty {
                Ty::Scalar(scalar) => arith::constant(scalar, *bits).unwrap_or(limits),
                Ty::Ptr(_) | Ty::Unit => limits,
            },
            Op::Len(param) | Op::Param(param) => self.launch.param(*param),
            Op::Builtin(builtin) => self.launch.builtin(*builtin).or_wrapped(limits),
            Op::Unary { op, value } => arith::unary(*op, self.value[*value], limits),
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
            Op::Get(local) if self.in_order[*local] => self.set[*local],
            Op::Get(local) => self.local[*local],
            Op::Barrier { reduce } => match reduce {
                Some((BarrierOp::Count, _)) => Range::new(0, 1024),
                Some((BarrierOp::And | BarrierOp::Or, _)) | None => limits,
            },
            Op::Generic(generic) => self.launch.generic(*generic).or_wrapped(limits),
            Op::For { start, end, inclusive, .. } => {
                let last = self.value[*end].max - i128::from(!inclusive);
                Range::new(self.value[*start].min, last)
            }
            Op::MulAdd { .. }
            | Op::Ternary { .. }
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
        arith::binary(op, l, r, limits)
    }

    /// Whether `lhs op rhs` is a sum, difference, product or left shift that never wraps.
    fn is_exact(&self, op: BinaryOp, lhs: InstId, rhs: InstId, limits: Range) -> bool {
        let (l, r) = (self.value[lhs], self.value[rhs]);
        if l.is_empty() || r.is_empty() {
            return false;
        }
        match op {
            BinaryOp::Mul if arith::product(l, r).is_none() => false,
            BinaryOp::Shl if l.min < 0 || r.max >= arith::width(limits) => false,
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl => {
                self.along_axis(op, lhs, rhs).is_some_and(|range| limits.contains(range))
                    || limits.contains(arith::unbounded(op, l, r, limits))
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
        use Builtin::{BlockDim, BlockIdx, GridDim, ThreadIdx};
        if op == BinaryOp::Mul {
            return match (self.builtin_at(lhs)?, self.builtin_at(rhs)?) {
                (GridDim(axis), BlockDim(of)) | (BlockDim(of), GridDim(axis)) if of == axis => {
                    Some(Range::new(1, self.launch.threads(axis)))
                }
                (BlockIdx(axis), BlockDim(of)) | (BlockDim(of), BlockIdx(axis)) if of == axis => {
                    Some(Range::new(0, self.launch.threads(axis) - 1))
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
        (self.block_start(start)? == axis).then(|| Range::new(0, self.launch.threads(axis) - 1))
    }

    /// The axis, if `id` is `block_idx * block_dim`.
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    /// A row of locals, each of which is set to one more than the one before, where `read_early` reads each before it is set.
    fn rounds(read_early: bool) -> (u32, Range) {
        const LOCALS: usize = 100;
        let mut text = "kernel row {\n".to_owned();
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
        let mut walk = Walk::new(&kernel);
        walk.run();
        let mut rounds = 1;
        while walk.grow(Growth::Exact) {
            walk.run();
            rounds += 1;
        }
        (rounds, walk.local[kernel.locals.ids().last().unwrap()])
    }

    #[test]
    fn a_row_of_locals_takes_one_round() {
        assert_eq!(rounds(false), (1, Range::new(101, 101)));
        assert_eq!(rounds(true), (101, Range::new(101, 101)));
    }
}
