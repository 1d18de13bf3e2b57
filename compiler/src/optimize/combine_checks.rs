//! One branch for bounds checks that stand together.
//!
//! A row is a sequence of checks with only values and accesses to locals in between. One branch tests
//! all of them. Where one fails, the checks run as they were, so that the first one ends the thread.
//!
//! ```text
//!                                 %4 = lt %0, %len
//! %2 = bounds %0, %len            %5 = lt %1, %len
//! %3 = bounds %1, %len      =>    %6 = and %4, %5
//!                                 if %6 {} else { bounds %0, %len  bounds %1, %len  return }
//! ```
//!
//! Why: comparisons chain into one predicate, while each branch takes an instruction, and `ptxas`
//! neither combines branches nor moves loads across them.
use super::replace::Replacements;
use crate::ir::{BinaryOp, Body, CompareOp, Effect, Inst, InstId, Kernel, Op, Scalar, Span, Ty};

/// Combines the checks of `kernel`, whose instructions are numbered in order; they are not afterwards.
pub(super) fn combine_checks(kernel: &mut Kernel) {
    let list = std::mem::take(&mut kernel.body);
    let values = Replacements::new(kernel);
    let mut walk = Walk { kernel, values };
    let combined = walk.body(list);
    kernel.body = combined;
}

struct Walk<'k> {
    kernel: &'k mut Kernel,
    values: Replacements,
}

impl Walk<'_> {
    fn body(&mut self, list: Body) -> Body {
        let last = self.last_of_rows(&list);
        let mut kept = Vec::with_capacity(list.0.len());
        let mut row = Vec::new();
        for (id, ends_row) in list.0.into_iter().zip(last) {
            let mut op = std::mem::replace(&mut self.kernel.insts[id].op, Op::Return);
            self.values.apply(&mut op);
            if !op.is_leaf() {
                for inner in op.bodies_mut() {
                    *inner = self.body(std::mem::take(inner));
                }
            }
            let index = if let Op::Bounds { index, .. } = op { Some(index) } else { None };
            self.kernel.insts[id].op = op;
            match (index, ends_row) {
                (Some(index), Some(true)) if !row.is_empty() => {
                    row.push(id);
                    self.values.replace(id, index);
                    self.combine(std::mem::take(&mut row), &mut kept);
                }
                (Some(index), Some(false)) => {
                    row.push(id);
                    self.values.replace(id, index);
                }
                _ => kept.push(id),
            }
        }
        Body(kept)
    }

    /// Marks each check of `list` with true if it is the last of its row.
    fn last_of_rows(&self, list: &Body) -> Vec<Option<bool>> {
        let mut last = vec![None; list.0.len()];
        let mut another_follows = false;
        for (is_last, &id) in last.iter_mut().zip(&list.0).rev() {
            let op = &self.kernel.insts[id].op;
            if matches!(op, Op::Bounds { .. }) {
                *is_last = Some(!another_follows);
                another_follows = true;
            } else if !matches!(op, Op::Get(_) | Op::Set { .. }) && op.effect() != Effect::None {
                another_follows = false;
            }
        }
        last
    }

    /// Appends to `kept` the branch that stands for the checks of `row`.
    fn combine(&mut self, row: Vec<InstId>, kept: &mut Vec<InstId>) {
        let span = self.kernel.insts[row[0]].span;
        let mut all = None;
        for &check in &row {
            let Inst { op: Op::Bounds { index, len }, span, .. } = self.kernel.insts[check] else {
                unreachable!("a row is of checks")
            };
            let op = Op::Compare { op: CompareOp::Lt, lhs: index, rhs: len };
            let passes = self.push(op, Scalar::Bool.into(), span, kept);
            all = Some(match all {
                None => passes,
                Some(lhs) => {
                    let op = Op::Binary { op: BinaryOp::And, lhs, rhs: passes };
                    self.push(op, Scalar::Bool.into(), span, kept)
                }
            });
        }
        let cond = all.expect("a row has checks");
        let mut fails = row;
        fails.push(self.kernel.insts.push(Inst { op: Op::Return, ty: Ty::Unit, span }));
        let op = Op::If { cond, then: Body::default(), other: Body(fails) };
        self.push(op, Ty::Unit, span, kept);
    }

    fn push(&mut self, op: Op, ty: Ty, span: Span, kept: &mut Vec<InstId>) -> InstId {
        let id = self.kernel.insts.push(Inst { op, ty, span });
        kept.push(id);
        id
    }
}
