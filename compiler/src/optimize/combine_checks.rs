//! One branch for bounds checks that stand together.
//!
//! A row is a sequence of checks with only values, loads and stores in between, and with operands
//! that are known at the first access to memory. One branch there tests all of them. Where one
//! fails, the checks run as they were, with the loads and stores between them, so that the first
//! one ends the thread.
//!
//! ```text
//!                                 %4 = lt %0, %len
//! %2 = bounds %0, %len            %5 = lt %1, %len
//! %3 = bounds %1, %len      =>    %6 = and %4, %5
//!                                 if %6 {} else { bounds %0, %len  bounds %1, %len  return }
//! ```
//!
//! Of indices that are one value plus constants each, below one length, the largest is tested
//! alone, and so is the largest of indices each part of which is at most that of the next one.
//! Indices that may have more than 32 bits, as those from memory, are tested in halves if their
//! lengths have no more: `(%0 | %1) >> 32 == 0`, and the lower half of each below its length.
//! Where the sums may wrap, a second comparison says that from the smallest to the largest none
//! does: the largest is then at least as large as the distance between them.
//!
//! Why: comparisons chain into one predicate, while each branch takes an instruction, and `ptxas`
//! neither combines branches nor moves loads across them. The largest of 64 indices is in one
//! register, or two, where all of them take half of a thread's.
use super::{
    constant_sum::constant_sum,
    copy::copy_body,
    narrow_indices::{NARROW, WIDE, fits},
    replace::Replacements,
};
use crate::{
    analysis::range::{self, Ranges},
    ir::{BinaryOp, Body, CompareOp, Effect, Inst, InstId, Kernel, Op, Scalar, Span, Ty},
};
use std::collections::{HashMap, HashSet};

/// The largest constant that is added to an index, so that no two are farther apart than an index
/// is wide.
const MAX_CONSTANT: i128 = 1 << 30;

/// The most operations on the way to the parts of two indices that are compared.
const MAX_COMPARED_DEPTH: usize = 4;

/// The most instructions that are repeated where a check fails.
const MAX_REPEATED: usize = 512;

/// Combines the checks of `kernel`, whose instructions are numbered in order; they are not
/// afterwards.
pub(super) fn combine_checks(kernel: &mut Kernel) {
    let ranges = range::analyze(kernel);
    let list = std::mem::take(&mut kernel.body);
    let values = Replacements::new(kernel);
    let mut walk = Walk { kernel, ranges, values };
    let combined = walk.body(list);
    kernel.body = combined;
}

struct Walk<'k> {
    kernel: &'k mut Kernel,
    ranges: Ranges,
    values: Replacements,
}

/// Checks of a value plus constants against one length.
struct Group {
    /// The value that constants are added to; `None` if the indices are constants themselves.
    base: Option<InstId>,
    len: InstId,
    ty: Ty,
    /// The check with the smallest constant, and that constant.
    smallest: (InstId, i128),
    /// The same of the largest.
    largest: (InstId, i128),
    /// True if none of the sums wraps.
    is_exact: bool,
    /// True if the largest index is at most that of another group with the same length.
    is_covered: bool,
}

/// A sequence of instructions of one body that begins with a check.
#[derive(Default)]
struct Piece {
    list: Vec<InstId>,
    /// The number of instructions up to the last check that no access to memory stands before:
    /// there, the branch is.
    quiet: usize,
    /// True once an access to memory has come.
    accesses: bool,
    /// Values that the branch cannot use, since they come about behind it.
    late: HashSet<InstId>,
    checks: usize,
}

impl Piece {
    /// False if the piece ends before `op`, or none begins with it.
    fn takes(&self, op: &Op) -> bool {
        if self.accesses && self.list.len() >= self.quiet + MAX_REPEATED {
            return false;
        }
        match op {
            Op::Bounds { .. } => !self.accesses || !op.operands().any(|id| self.late.contains(&id)),
            Op::Load { .. } | Op::Store { .. } | Op::Get(_) | Op::Set { .. } => true,
            _ => op.effect() == Effect::None,
        }
    }

    fn push(&mut self, id: InstId, op: &Op) {
        self.list.push(id);
        if matches!(op, Op::Bounds { .. }) {
            self.checks += 1;
            if !self.accesses {
                self.quiet = self.list.len();
                self.late.clear();
            }
            return;
        }
        self.accesses |= matches!(op, Op::Load { .. } | Op::Store { .. });
        if op.effect() != Effect::None || op.operands().any(|id| self.late.contains(&id)) {
            self.late.insert(id);
        }
    }
}

impl Walk<'_> {
    fn body(&mut self, list: Body) -> Body {
        let mut kept = Vec::with_capacity(list.0.len());
        let mut piece = Piece::default();
        for id in list.0 {
            if !piece.takes(&self.kernel.insts[id].op) {
                self.close(std::mem::take(&mut piece), &mut kept);
            }
            let mut op = std::mem::replace(&mut self.kernel.insts[id].op, Op::Return);
            self.values.apply(&mut op);
            if !op.is_leaf() {
                for inner in op.bodies_mut() {
                    *inner = self.body(std::mem::take(inner));
                }
            }
            if piece.list.is_empty() && !matches!(op, Op::Bounds { .. }) {
                kept.push(id);
            } else {
                piece.push(id, &op);
            }
            self.kernel.insts[id].op = op;
        }
        self.close(piece, &mut kept);
        Body(kept)
    }

    /// Appends to `kept` what stands for `piece`.
    fn close(&mut self, piece: Piece, kept: &mut Vec<InstId>) {
        let Piece { list, quiet, checks, .. } = piece;
        if checks < 2 {
            kept.extend(list);
            return;
        }
        let is_check =
            |kernel: &Kernel, id: InstId| matches!(kernel.insts[id].op, Op::Bounds { .. });
        let last = list.iter().rposition(|&id| is_check(self.kernel, id)).expect("it has checks");
        let row: Vec<InstId> =
            list[..=last].iter().copied().filter(|&id| is_check(self.kernel, id)).collect();
        for &check in &row {
            let (index, _) = self.operands(check);
            // That may be an earlier check.
            self.values.replace(check, self.values.resolve(index));
        }
        for &id in &list {
            let mut op = std::mem::replace(&mut self.kernel.insts[id].op, Op::Return);
            self.values.apply(&mut op);
            self.kernel.insts[id].op = op;
        }
        let (before, behind) = list.split_at(quiet);
        kept.extend(before.iter().filter(|&&id| !is_check(self.kernel, id)));
        let repeated = &behind[..(last + 1).saturating_sub(quiet)];
        let fails = before.iter().filter(|&&id| is_check(self.kernel, id)).chain(repeated);
        let fails = self.copy(fails.copied().collect());
        let placed = self.combine(&row, fails, behind, kept);
        let is_left = |id: &&InstId| !placed.contains(id) && !is_check(self.kernel, **id);
        kept.extend(behind.iter().filter(is_left));
    }

    /// Returns a copy of `list`, with a copy of each sum that is checked: computed there, it
    /// occupies no register until a check fails.
    fn copy(&mut self, list: Vec<InstId>) -> Vec<InstId> {
        let mut new = HashMap::new();
        let mut copies = Vec::with_capacity(list.len());
        for id in list {
            if let Op::Bounds { index, .. } = self.kernel.insts[id].op {
                self.copy_sum(index, &mut new, &mut copies);
            }
            copies.extend(copy_body(self.kernel, &Body(vec![id]), &mut new).0);
        }
        copies
    }

    fn copy_sum(
        &mut self,
        index: InstId,
        new: &mut HashMap<InstId, InstId>,
        copies: &mut Vec<InstId>,
    ) {
        let value = match self.kernel.insts[index].op {
            Op::Cast { value } if self.kernel.insts[value].ty == Ty::Scalar(Scalar::U32) => value,
            _ => index,
        };
        if self.split(value).1 == 0 {
            return;
        }
        for id in [value, index] {
            if !new.contains_key(&id) {
                copies.extend(copy_body(self.kernel, &Body(vec![id]), new).0);
            }
        }
    }

    /// Appends to `kept` the branch that stands for the checks of `row`, with `fails` where one
    /// fails, and returns the values of `behind` that it needs, which stand before it now.
    fn combine(
        &mut self,
        row: &[InstId],
        mut fails: Vec<InstId>,
        behind: &[InstId],
        kept: &mut Vec<InstId>,
    ) -> HashSet<InstId> {
        let span = self.kernel.insts[row[0]].span;
        let groups = self.groups(row);
        let mut needed: HashSet<InstId> = HashSet::new();
        for group in &groups {
            let (index, len) = self.operands(group.largest.0);
            needed.extend([index, len]);
        }
        let mut placed = HashSet::new();
        // Users stand behind what they use.
        for &id in behind.iter().rev() {
            if needed.contains(&id) {
                needed.extend(self.kernel.insts[id].op.operands());
                placed.insert(id);
            }
        }
        kept.extend(behind.iter().filter(|id| placed.contains(id)));
        let mut conditions = Vec::new();
        let (halved, whole): (Vec<&Group>, Vec<&Group>) =
            groups.iter().partition(|group| self.tests_halves(group));
        if let [single] = halved[..] {
            self.test(single, &mut conditions, kept);
        } else {
            self.test_halves(&halved, &mut conditions, kept);
        }
        for group in whole {
            self.test(group, &mut conditions, kept);
        }
        let mut conditions = conditions.into_iter();
        let first = conditions.next().expect("a row has checks");
        let cond = conditions.fold(first, |lhs, rhs| {
            let op = Op::Binary { op: BinaryOp::And, lhs, rhs };
            self.push(op, Scalar::Bool.into(), span, kept)
        });
        fails.push(self.kernel.insts.push(Inst { op: Op::Return, ty: Ty::Unit, span }));
        let op = Op::If { cond, then: Body::default(), other: Body(fails) };
        self.push(op, Ty::Unit, span, kept);
        placed
    }

    /// Returns the checks of `row` by what their indices and lengths have in common, in the order
    /// of the first of each.
    fn groups(&self, row: &[InstId]) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for &check in row {
            let (index, len) = self.operands(check);
            let ty = self.kernel.insts[index].ty;
            let (base, constant) = self.split(index);
            let is_exact = constant == 0 || self.is_exact_sum(index);
            let sibling = groups.iter_mut().find(|group| (group.base, group.len) == (base, len));
            let Some(group) = sibling else {
                let both = (check, constant);
                groups.push(Group {
                    base,
                    len,
                    ty,
                    smallest: both,
                    largest: both,
                    is_exact,
                    is_covered: false,
                });
                continue;
            };
            group.is_exact &= is_exact;
            if constant < group.smallest.1 {
                group.smallest = (check, constant);
            }
            if constant > group.largest.1 {
                group.largest = (check, constant);
            }
        }
        for at in 0..groups.len() {
            let (index, len) = self.operands(groups[at].largest.0);
            groups[at].is_covered = groups.iter().enumerate().any(|(other, group)| {
                let (larger, other_len) = self.operands(group.largest.0);
                other != at
                    && !group.is_covered
                    && other_len == len
                    && self.is_at_most(index, larger, MAX_COMPARED_DEPTH)
            });
        }
        groups
    }

    /// Returns true if `lesser` is certainly at most `larger`, because every part of it is, and no
    /// sum or product of them wraps: `row * n + column` and `(row + 1) * n + column`.
    fn is_at_most(&self, lesser: InstId, larger: InstId, depth: usize) -> bool {
        if lesser == larger {
            return true;
        }
        let insts = &self.kernel.insts;
        let is_unsigned =
            |id: InstId| matches!(insts[id].ty, Ty::Scalar(Scalar::U32 | Scalar::U64));
        if depth == 0 || !is_unsigned(lesser) || !is_unsigned(larger) {
            return false;
        }
        if let ((Some(base), number), (Some(larger_base), larger_number)) =
            (self.split(lesser), self.split(larger))
            && (base != lesser || larger_base != larger)
            && number <= larger_number
            && self.is_exact_sum(lesser)
            && self.is_exact_sum(larger)
            && self.is_at_most(base, larger_base, depth - 1)
        {
            return true;
        }
        match (&insts[lesser].op, &insts[larger].op) {
            (Op::Cast { value: lesser }, Op::Cast { value: larger }) => {
                insts[*lesser].ty == Ty::Scalar(Scalar::U32)
                    && self.is_at_most(*lesser, *larger, depth - 1)
            }
            (
                Op::Binary { op: BinaryOp::Add, lhs: a, rhs: b },
                Op::Binary { op: BinaryOp::Add, lhs: c, rhs: d },
            )
            | (
                Op::Binary { op: BinaryOp::Mul, lhs: a, rhs: b },
                Op::Binary { op: BinaryOp::Mul, lhs: c, rhs: d },
            ) => {
                let are = |pairs: [(InstId, InstId); 2]| {
                    pairs.into_iter().all(|(x, y)| self.is_at_most(x, y, depth - 1))
                };
                self.ranges.is_exact(lesser)
                    && self.ranges.is_exact(larger)
                    && (are([(*a, *c), (*b, *d)]) || are([(*a, *d), (*b, *c)]))
            }
            _ => false,
        }
    }

    fn operands(&self, check: InstId) -> (InstId, InstId) {
        let Op::Bounds { index, len } = self.kernel.insts[check].op else {
            unreachable!("a row is of checks")
        };
        (index, len)
    }

    /// Returns the value and the [constant](constant_sum) whose sum `index` is.
    fn split(&self, index: InstId) -> (Option<InstId>, i128) {
        let insts = &self.kernel.insts;
        if let Some(bits) = self.kernel.literal(index) {
            return (None, bits.into());
        }
        // What is narrow is a cast, and its sums do not wrap.
        if let Op::Cast { value } = insts[index].op
            && insts[value].ty == Ty::Scalar(Scalar::U32)
        {
            let (base, number) = self.split(value);
            let wraps = number != 0 && !self.is_exact_sum(value);
            return if wraps { (Some(index), 0) } else { (base, number) };
        }
        let is_split = matches!(insts[index].ty, Ty::Scalar(Scalar::U32 | Scalar::U64));
        if let Some((value, number)) = constant_sum(self.kernel, index).filter(|_| is_split)
            && number.abs() <= MAX_CONSTANT
        {
            // A difference of a sum: `x + 2 - 1`.
            let (base, more) = self.split(value);
            let all = number + more;
            let adds = base.is_some() && self.kernel.insts[value].ty == insts[index].ty;
            return if adds && all.abs() <= MAX_CONSTANT {
                (base, all)
            } else {
                (Some(value), number)
            };
        }
        (Some(index), 0)
    }

    /// Returns true if none of the sums with constants that [`split`](Self::split) goes through
    /// wraps.
    fn is_exact_sum(&self, index: InstId) -> bool {
        match self.kernel.insts[index].op {
            // A narrow index is split only where its sums do not wrap.
            Op::Cast { .. } => true,
            Op::Binary { op: BinaryOp::Add | BinaryOp::Sub, lhs, rhs } => {
                let value = if self.kernel.literal(rhs).is_some() { lhs } else { rhs };
                let is_sum =
                    self.kernel.literal(lhs).is_some() || self.kernel.literal(rhs).is_some();
                !is_sum || self.ranges.is_exact(index) && self.is_exact_sum(value)
            }
            _ => true,
        }
    }

    /// Appends to `conditions` those under which all checks of `group` pass.
    fn test(&mut self, group: &Group, conditions: &mut Vec<InstId>, kept: &mut Vec<InstId>) {
        let (largest, span) = (group.largest.0, self.kernel.insts[group.largest.0].span);
        let (index, len) = self.operands(largest);
        if !group.is_covered {
            let op = Op::Compare { op: CompareOp::Lt, lhs: index, rhs: len };
            conditions.push(self.push(op, Scalar::Bool.into(), span, kept));
        }
        let distance = group.largest.1 - group.smallest.1;
        if distance == 0 || group.is_exact || group.base.is_none() {
            return;
        }
        let distance = u64::try_from(distance).expect("it is between two small constants");
        let distance = self.push(Op::Const(distance), group.ty, span, kept);
        let op = Op::Compare { op: CompareOp::Ge, lhs: index, rhs: distance };
        conditions.push(self.push(op, Scalar::Bool.into(), span, kept));
    }

    /// Returns true if the largest index of `group` decides alone, and only its length is known to
    /// have 32 bits.
    fn tests_halves(&self, group: &Group) -> bool {
        let (index, len) = self.operands(group.largest.0);
        let fits = |id: InstId| fits(self.ranges.get(self.kernel, id));
        group.ty == WIDE
            && !group.is_covered
            && (group.is_exact || group.smallest.1 == group.largest.1)
            && fits(len)
            && !fits(index)
    }

    /// Appends to `conditions` those under which the checks of all `groups` pass, if there are any:
    /// LLVM would select the largest of the indices, four instructions for each of 64 bits.
    fn test_halves(
        &mut self,
        groups: &[&Group],
        conditions: &mut Vec<InstId>,
        kept: &mut Vec<InstId>,
    ) {
        let mut any_bits: Option<InstId> = None;
        for group in groups {
            let (index, len) = self.operands(group.largest.0);
            let span = self.kernel.insts[group.largest.0].span;
            let [lhs, rhs] =
                [index, len].map(|value| self.push(Op::Cast { value }, NARROW, span, kept));
            let op = Op::Compare { op: CompareOp::Lt, lhs, rhs };
            conditions.push(self.push(op, Scalar::Bool.into(), span, kept));
            any_bits = Some(match any_bits {
                Some(lhs) => {
                    let op = Op::Binary { op: BinaryOp::Or, lhs, rhs: index };
                    self.push(op, WIDE, span, kept)
                }
                None => index,
            });
        }
        let Some(lhs) = any_bits else { return };
        let span = self.kernel.insts[lhs].span;
        let rhs = self.push(Op::Const(32), NARROW, span, kept);
        let value = self.push(Op::Binary { op: BinaryOp::Shr, lhs, rhs }, WIDE, span, kept);
        let lhs = self.push(Op::Cast { value }, NARROW, span, kept);
        let rhs = self.push(Op::Const(0), NARROW, span, kept);
        let op = Op::Compare { op: CompareOp::Eq, lhs, rhs };
        conditions.push(self.push(op, Scalar::Bool.into(), span, kept));
    }

    fn push(&mut self, op: Op, ty: Ty, span: Span, kept: &mut Vec<InstId>) -> InstId {
        let id = self.kernel.insts.push(Inst { op, ty, span });
        kept.push(id);
        id
    }
}
