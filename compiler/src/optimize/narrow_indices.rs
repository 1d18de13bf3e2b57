//! Computes in 32 bits what the ranges prove to fit, and widens the result.
//!
//! Indices are `usize` in Rust, and a GPU has 32-bit registers: wide arithmetic takes several
//! instructions where narrow takes one, and a wide division is a long sequence. A thread
//! index, and what small constants make of it, fits. `ptxas` narrows sums and products of thread
//! indices by itself; what is measured to be left are quotients and remainders, as in the indices
//! of a padded tile (see the table of [`optimize`](super)).
//!
//! For each `u64` value that fits there is a `u32` value beside it, and the `u64` is a cast of that
//! wherever that costs nothing. A quotient fits if its dividend does, whatever the divisor. A `u64`
//! that has to be computed first, and whose upper half is then cut off, has one outside of loops,
//! and in a loop if it does not grow with the counter: back ends make an address that grows from a
//! wide index, and not from what is left of it. A quotient of the counter, a number that is limited
//! by another one and a loaded one do not grow. Comparisons and checks in loops take the lower half
//! of a size, too. Comparisons, checks, addresses, casts and loops then take the narrow ones, and
//! the wide ones die if nothing else uses them.
//!
//! ```text
//! %2 = builtin thread_idx.x : u64        %5 = builtin thread_idx.x : u32
//! %3 = const 33 : u64               =>   %6 = const 33 : u32
//! %4 = mul %2, %3 : u64                  %7 = mul %5, %6 : u32
//!                                        %4 = cast %7 : u64
//! ```
use super::{narrow_loops::is_simple, replace::Replacements};
use crate::{
    analysis::range::{self, Range, Ranges},
    id::Id,
    ir::{BinaryOp, Body, Inst, InstId, Kernel, LocalId, Op, Scalar, Ty},
};
use std::collections::HashMap;

/// The largest number in a loop that counts in 32 bits around other loops.
const MAX_SHORT_END: i128 = 1 << 20;

/// The most operations that are followed from an index to what makes it irregular.
const MAX_INDEX_STEPS: u32 = 64;

pub(super) const NARROW: Ty = Ty::Scalar(Scalar::U32);
pub(super) const WIDE: Ty = Ty::Scalar(Scalar::U64);

/// Narrows the values of `kernel`, whose instructions are numbered in order; they are no
/// longer afterwards. Narrow values that nothing uses stay behind.
pub(super) fn narrow_indices(kernel: &mut Kernel) {
    let ranges = range::analyze(kernel);
    let narrowed: Vec<LocalId> = kernel
        .locals
        .ids()
        .filter(|&local| kernel.locals[local].ty == WIDE && fits(ranges.local_range(kernel, local)))
        .collect();
    for &local in &narrowed {
        kernel.locals[local].ty = NARROW;
    }
    let list = std::mem::take(&mut kernel.body);
    let values = Replacements::new(kernel);
    let analyzed = kernel.insts.ids().count();
    let mut walk = Walk { kernel, ranges, values, narrow: HashMap::new(), loops: 0, analyzed };
    let list = walk.body(list);
    kernel.body = list;
}

/// Returns true if a number in `range` has at most 32 bits.
pub(super) fn fits(range: Option<Range>) -> bool {
    range.is_some_and(|range| Range::new(0, i128::from(u32::MAX)).contains(range))
}

struct Walk<'k> {
    kernel: &'k mut Kernel,
    ranges: Ranges,
    values: Replacements,
    /// The `u32` value beside a `u64` one.
    narrow: HashMap<InstId, InstId>,
    /// The number of loops around the instruction.
    loops: usize,
    /// The number of instructions that have a range; those made here have none.
    analyzed: usize,
}

impl Walk<'_> {
    fn body(&mut self, list: Body) -> Body {
        let mut out = Vec::with_capacity(list.0.len());
        for id in list.0 {
            self.values.apply(&mut self.kernel.insts[id].op);
            self.inst(id, &mut out);
        }
        Body(out)
    }

    /// Appends `id` to `out`, and what stands beside it.
    fn inst(&mut self, id: InstId, out: &mut Vec<InstId>) {
        self.compare_with_size(id, out);
        self.take_narrow(id);
        self.set_narrow(id, out);
        if self.kernel.insts[id].ty != WIDE || !fits(self.ranges.get(self.kernel, id)) {
            self.nested(id);
            out.push(id);
            return;
        }
        if let Op::For { .. } = self.kernel.insts[id].op {
            if self.is_long(id) && !is_simple(self.kernel, id) {
                self.keep_for(id);
            } else {
                self.narrow_for(id);
            }
            out.push(id);
            return;
        }
        let narrowed = self
            .check_with_size(id, out)
            .or_else(|| self.narrowed(id))
            .or_else(|| self.by_wide_divisor(id, out));
        match narrowed {
            Some(Narrowed::Already(narrow)) => {
                self.narrow.insert(id, narrow);
                out.push(id);
            }
            Some(Narrowed::Op(op)) => {
                let narrow = self.add(id, op, NARROW, out);
                self.kernel.insts[id].op = Op::Cast { value: narrow };
                self.narrow.insert(id, narrow);
                out.push(id);
            }
            None if self.loops > 0 && !self.is_irregular(id, &mut { MAX_INDEX_STEPS }) => {
                out.push(id);
            }
            None => {
                out.push(id);
                let narrow = self.add(id, Op::Cast { value: id }, NARROW, out);
                self.narrow.insert(id, narrow);
            }
        }
    }

    /// Appends a new instruction that stands for the source of `of`.
    fn add(&mut self, of: InstId, op: Op, ty: Ty, out: &mut Vec<InstId>) -> InstId {
        let span = self.kernel.insts[of].span;
        let id = self.kernel.insts.push(Inst { op, ty, span });
        out.push(id);
        id
    }

    fn nested(&mut self, id: InstId) {
        if self.kernel.insts[id].op.is_leaf() {
            return;
        }
        let mut op = std::mem::replace(&mut self.kernel.insts[id].op, Op::Return);
        let loops = usize::from(matches!(op, Op::For { .. } | Op::Loop { .. }));
        self.loops += loops;
        for inner in op.bodies_mut() {
            *inner = self.body(std::mem::take(inner));
        }
        self.kernel.insts[id].op = op;
        self.loops -= loops;
    }
}

/// The origin of the narrow value beside a wide one.
enum Narrowed {
    /// It is there already.
    Already(InstId),
    /// By the same operation on narrow values.
    Op(Op),
}

impl Walk<'_> {
    /// Lets `id` use narrow values where it yields the same from those.
    fn take_narrow(&mut self, id: InstId) {
        let narrow = &self.narrow;
        let inst = &mut self.kernel.insts[id];
        if let Op::Compare { lhs, rhs, .. } = &mut inst.op {
            if let (Some(&left), Some(&right)) = (narrow.get(lhs), narrow.get(rhs)) {
                (*lhs, *rhs) = (left, right);
            }
        } else if let Op::Index { index: value, .. } = &mut inst.op {
            *value = *narrow.get(value).unwrap_or(value);
        } else if let Op::Cast { value } = &mut inst.op {
            *value = *narrow.get(value).unwrap_or(value);
        }
    }

    /// Lets a comparison in a loop of a value that is narrow with a size that fits take the narrow
    /// size. Other uses of the size there take the wide one, from which addresses grow.
    fn compare_with_size(&mut self, id: InstId, out: &mut Vec<InstId>) {
        let Op::Compare { lhs, rhs, .. } = self.kernel.insts[id].op else { return };
        let [left, right] = [lhs, rhs].map(|value| self.narrow.get(&value).copied());
        let sides = match (left, right) {
            (Some(left), None) if self.is_narrow_size(rhs) => {
                [left, self.add(id, Op::Cast { value: rhs }, NARROW, out)]
            }
            (None, Some(right)) if self.is_narrow_size(lhs) => {
                [self.add(id, Op::Cast { value: lhs }, NARROW, out), right]
            }
            _ => return,
        };
        if let Op::Compare { lhs, rhs, .. } = &mut self.kernel.insts[id].op {
            [*lhs, *rhs] = sides;
        }
    }

    /// Returns the check of a narrow index against a size that fits and is wide, as in a loop.
    fn check_with_size(&mut self, id: InstId, out: &mut Vec<InstId>) -> Option<Narrowed> {
        let Op::Bounds { index, len } = self.kernel.insts[id].op else { return None };
        let index = *self.narrow.get(&index)?;
        if self.narrow.contains_key(&len) || !self.is_narrow_size(len) {
            return None;
        }
        let len = self.add(id, Op::Cast { value: len }, NARROW, out);
        Some(Narrowed::Op(Op::Bounds { index, len }))
    }

    fn is_narrow_size(&self, id: InstId) -> bool {
        let Inst { op, ty, .. } = &self.kernel.insts[id];
        matches!(op, Op::Param(_) | Op::Len(_))
            && *ty == WIDE
            && fits(self.ranges.get(self.kernel, id))
    }

    /// Lets a `set` of a narrowed local set a narrow value. Where only a condition around it says
    /// that the value fits, that has to be cut off here.
    fn set_narrow(&mut self, id: InstId, out: &mut Vec<InstId>) {
        let Op::Set { local, value } = self.kernel.insts[id].op else { return };
        if self.kernel.locals[local].ty != NARROW || self.kernel.insts[value].ty != WIDE {
            return;
        }
        let narrow = match self.narrow.get(&value) {
            Some(&narrow) => narrow,
            None => self.add(id, Op::Cast { value }, NARROW, out),
        };
        self.kernel.insts[id].op = Op::Set { local, value: narrow };
    }

    /// Returns the computation of `id`, which fits, in 32 bits; `None` if it has to be truncated.
    fn narrowed(&self, id: InstId) -> Option<Narrowed> {
        let narrow = |value: InstId| self.narrow.get(&value).copied();
        let op = match &self.kernel.insts[id].op {
            Op::Const(bits) => Op::Const(*bits),
            Op::Builtin(builtin) => Op::Builtin(*builtin),
            Op::Get(local) if self.kernel.locals[*local].ty == NARROW => Op::Get(*local),
            Op::Cast { value } if self.kernel.insts[*value].ty == NARROW => {
                return Some(Narrowed::Already(*value));
            }
            Op::Cast { value } if self.is_number(*value) => Op::Cast { value: *value },
            Op::Binary { op: op @ (BinaryOp::Shl | BinaryOp::Shr), lhs, rhs } => {
                let amount = self.ranges.get(self.kernel, *rhs)?;
                if !Range::new(0, 31).contains(amount) {
                    return None;
                }
                Op::Binary { op: *op, lhs: narrow(*lhs)?, rhs: *rhs }
            }
            // Of these the upper half counts.
            Op::Binary { op: BinaryOp::MulHigh | BinaryOp::RotateLeft, .. } => return None,
            Op::Binary { op, lhs, rhs } => {
                Op::Binary { op: *op, lhs: narrow(*lhs)?, rhs: narrow(*rhs)? }
            }
            Op::Select { cond, then, other } => {
                Op::Select { cond: *cond, then: narrow(*then)?, other: narrow(*other)? }
            }
            Op::Bounds { index, len } => match narrow(*len) {
                Some(len) => Op::Bounds { index: narrow(*index)?, len },
                // It yields the index, or nothing.
                None => return narrow(*index).map(Narrowed::Already),
            },
            Op::Generic(_)
            | Op::Param(_)
            | Op::Len(_)
            | Op::Shared(_)
            | Op::Array(_)
            | Op::Unary { .. }
            | Op::Compare { .. }
            | Op::Cast { .. }
            | Op::Bitcast { .. }
            | Op::Ternary { .. }
            | Op::Fma { .. }
            | Op::MulAdd { .. }
            | Op::Index { .. }
            | Op::Offset { .. }
            | Op::MapShared { .. }
            | Op::Check { .. }
            | Op::Get(_)
            | Op::Set { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. }
            | Op::Atomic { .. }
            | Op::CompareExchange { .. }
            | Op::Sync(_)
            | Op::Copy(_)
            | Op::Prefetch { .. }
            | Op::Matrix(_)
            | Op::Warp(_)
            | Op::Texture { .. }
            | Op::Ptx { .. }
            | Op::PtxOutput { .. }
            | Op::Interpreted
            | Op::If { .. }
            | Op::For { .. }
            | Op::Loop { .. }
            | Op::Block { .. }
            | Op::Break(_)
            | Op::Continue(_)
            | Op::Return
            | Op::Print { .. }
            | Op::Panic { .. } => return None,
        };
        Some(Narrowed::Op(op))
    }

    /// Returns the narrow quotient or remainder by a divisor that may not fit, such as a product of
    /// sizes: a divisor above the dividend is as good as any other.
    fn by_wide_divisor(&mut self, id: InstId, out: &mut Vec<InstId>) -> Option<Narrowed> {
        let Op::Binary { op: op @ (BinaryOp::Div | BinaryOp::Rem), lhs, rhs } =
            self.kernel.insts[id].op
        else {
            return None;
        };
        let dividend = *self.narrow.get(&lhs)?;
        // A wide counter made here has the range of the loop.
        let analyzed = if lhs.index() < self.analyzed { lhs } else { dividend };
        let largest = u32::MAX;
        if self.ranges.get(self.kernel, analyzed)?.max >= i128::from(largest) {
            return None;
        }
        let largest = self.add(id, Op::Const(largest.into()), WIDE, out);
        let limited = Op::Binary { op: BinaryOp::Min, lhs: rhs, rhs: largest };
        let limited = self.add(id, limited, WIDE, out);
        let divisor = self.add(id, Op::Cast { value: limited }, NARROW, out);
        Some(Narrowed::Op(Op::Binary { op, lhs: dividend, rhs: divisor }))
    }

    /// Returns true for what casts convert: those of floats saturate, which a number that fits
    /// does not reach.
    fn is_number(&self, id: InstId) -> bool {
        match self.kernel.insts[id].ty {
            Ty::Scalar(scalar) => !matches!(scalar, Scalar::Generic(_)),
            Ty::Ptr(_) | Ty::Unit => false,
        }
    }

    /// Returns true if a back end cannot make the number from the one of the iteration before by an
    /// addition: it depends on the iteration by other than sums and products.
    fn is_irregular(&self, id: InstId, steps: &mut u32) -> bool {
        let Some(left) = steps.checked_sub(1) else { return false };
        *steps = left;
        match self.kernel.insts[id].op {
            Op::Load { .. } => true,
            Op::Cast { value } => self.is_irregular(value, steps),
            Op::Bounds { index, .. } => self.is_irregular(index, steps),
            Op::Binary { op, lhs, rhs } => match op {
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl => {
                    self.is_irregular(lhs, steps) || self.is_irregular(rhs, steps)
                }
                _ => self.depends_on_iteration(id, steps),
            },
            Op::Unary { .. } | Op::Select { .. } => self.depends_on_iteration(id, steps),
            _ => false,
        }
    }

    /// Returns true if the value is found to depend on a counter, a local or memory.
    fn depends_on_iteration(&self, id: InstId, steps: &mut u32) -> bool {
        let Some(left) = steps.checked_sub(1) else { return false };
        *steps = left;
        let op = &self.kernel.insts[id].op;
        matches!(op, Op::For { .. } | Op::Get(_) | Op::Load { .. })
            || op.is_leaf() && op.operands().any(|id| self.depends_on_iteration(id, steps))
    }

    /// True for a loop that may have many iterations: no constant and no dimension bounds it.
    fn is_long(&self, id: InstId) -> bool {
        let most = self.ranges.get(self.kernel, id).map_or(i128::MAX, |range| range.max);
        most > MAX_SHORT_END
    }

    /// Goes on counting in 64 bits, around other loops: addresses in those grow from the counter,
    /// and are sums of pointers then. Tiled matrix products take 1.14 times as long with 32 bits,
    /// by LLVM on an H200.
    fn keep_for(&mut self, id: InstId) {
        let mut op = std::mem::replace(&mut self.kernel.insts[id].op, Op::Return);
        let mut out = Vec::new();
        let narrow = self.add(id, Op::Cast { value: id }, NARROW, &mut out);
        self.narrow.insert(id, narrow);
        self.body_of_for(&mut op, out);
        self.kernel.insts[id].op = op;
    }

    /// Counts in 32 bits if the bounds and the step are there in 32; in its body, the wide value
    /// is then a cast, and else the narrow one.
    fn narrow_for(&mut self, id: InstId) {
        let mut op = std::mem::replace(&mut self.kernel.insts[id].op, Op::Return);
        let bounds: Option<Vec<InstId>> =
            op.operands().map(|bound| self.narrow.get(&bound).copied()).collect();
        let mut out = Vec::new();
        if let Some(bounds) = bounds {
            op.operands_mut().zip(bounds).for_each(|(bound, narrow)| *bound = narrow);
            self.kernel.insts[id].ty = NARROW;
            let wide = self.add(id, Op::Cast { value: id }, WIDE, &mut out);
            self.values.replace(id, wide);
            self.narrow.insert(wide, id);
        } else {
            let narrow = self.add(id, Op::Cast { value: id }, NARROW, &mut out);
            self.narrow.insert(id, narrow);
        }
        self.body_of_for(&mut op, out);
        self.kernel.insts[id].op = op;
    }

    /// Walks the body of the loop `op`, with `first` at its beginning.
    fn body_of_for(&mut self, op: &mut Op, mut first: Vec<InstId>) {
        self.loops += 1;
        for inner in op.bodies_mut() {
            first.append(&mut self.body(std::mem::take(inner)).0);
            inner.0 = std::mem::take(&mut first);
        }
        self.loops -= 1;
    }
}
