//! Drops checks that cannot fail.
//!
//! A check cannot fail if a condition around it says so (`i < y.len()`, also joined by
//! `&&`, also by way of leaving where it is false), or if the same check has run before.
//! Conditions are compared by the ids of their values, so common subexpressions are
//! eliminated first. What numbers alone prove has become constant by then.
//!
//! Why: a check costs a comparison, a branch and the registers of its report, for each access.
use super::{drop_insts, replace::Replacements};
use crate::{
    id::Facts,
    ir::{BinaryOp, Body, CompareOp, InstId, Kernel, Op, Ty, UnaryOp},
};
use std::collections::{HashMap, hash_map::Entry};

/// Drops checks of `kernel`, whose instructions are numbered in order.
pub(super) fn eliminate_checks(kernel: &mut Kernel) {
    let list = std::mem::take(&mut kernel.body);
    let (values, dropped) = (Replacements::new(kernel), kernel.insts.facts(false));
    let known = Known { truths: HashMap::new(), undo: Vec::new() };
    let mut walk = Walk { kernel, values, dropped, known };
    walk.body(&list);
    let dropped = walk.dropped;
    kernel.body = list;
    drop_insts(kernel, &dropped);
}

/// What holds here.
struct Known {
    truths: HashMap<Fact, bool>,
    /// What was added.
    undo: Vec<Fact>,
}

/// Something that is true or false.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Fact {
    /// This `bool`.
    Value(InstId),
    /// The first is less than the second.
    Less(InstId, InstId),
}

impl Known {
    fn add(&mut self, fact: Fact, truth: bool) {
        // What says the opposite of what is known is never run.
        if let Entry::Vacant(place) = self.truths.entry(fact) {
            place.insert(truth);
            self.undo.push(fact);
        }
    }
    fn is(&self, fact: Fact, truth: bool) -> bool {
        self.truths.get(&fact) == Some(&truth)
    }
    fn forget_since(&mut self, before: usize) {
        for fact in self.undo.drain(before..) {
            self.truths.remove(&fact);
        }
    }
}

struct Walk<'k> {
    kernel: &'k mut Kernel,
    values: Replacements,
    dropped: Facts<InstId, bool>,
    known: Known,
}

impl Walk<'_> {
    fn body(&mut self, list: &Body) {
        let before = self.known.undo.len();
        for &id in &list.0 {
            self.inst(id);
        }
        self.known.forget_since(before);
    }

    fn inst(&mut self, id: InstId) {
        self.values.apply(&mut self.kernel.insts[id].op);
        // Taken out while its bodies are walked.
        let op = std::mem::replace(&mut self.kernel.insts[id].op, Op::Return);
        if let Op::Bounds { index, len } = op {
            if self.is_less(index, len) {
                self.values.replace(id, index);
                self.dropped[id] = true;
            } else {
                self.known.add(Fact::Less(index, len), true);
            }
        } else if let Op::Check { cond, .. } = op {
            self.dropped[id] = self.is_true(cond);
            self.assume(cond, true);
        } else if let Op::If { cond, then, other } = &op {
            self.under(*cond, true, then);
            self.under(*cond, false, other);
            if !self.kernel.falls_through(then) {
                self.assume(*cond, false);
            }
            if !self.kernel.falls_through(other) {
                self.assume(*cond, true);
            }
        } else if let Op::For { end, inclusive, body, .. } = &op {
            let before = self.known.undo.len();
            if !inclusive {
                self.known.add(Fact::Less(id, *end), true);
            }
            self.body(body);
            self.known.forget_since(before);
        } else {
            op.bodies().for_each(|inner| self.body(inner));
        }
        self.kernel.insts[id].op = op;
    }

    /// Walks `body`, where `cond` is `truth`.
    fn under(&mut self, cond: InstId, truth: bool, body: &Body) {
        let before = self.known.undo.len();
        self.assume(cond, truth);
        self.body(body);
        self.known.forget_since(before);
    }

    /// Notes what follows from `cond` being `truth`.
    fn assume(&mut self, cond: InstId, truth: bool) {
        self.known.add(Fact::Value(cond), truth);
        let op = &self.kernel.insts[cond].op;
        if let Op::Unary { op: UnaryOp::Not, value } = *op {
            self.assume(value, !truth);
        } else if let Op::Binary { op, lhs, rhs } = *op {
            if op == if truth { BinaryOp::And } else { BinaryOp::Or } {
                self.assume(lhs, truth);
                self.assume(rhs, truth);
            }
        } else if let Op::Compare { op, lhs, rhs } = *op {
            self.assume_compare(op, lhs, rhs, truth);
        }
    }

    fn assume_compare(&mut self, op: CompareOp, lhs: InstId, rhs: InstId, truth: bool) {
        let Ty::Scalar(scalar) = self.kernel.insts[lhs].ty else { return };
        if !scalar.is_int() {
            return;
        }
        match (op, truth) {
            (CompareOp::Lt, true) | (CompareOp::Ge, false) => {
                self.known.add(Fact::Less(lhs, rhs), true);
            }
            (CompareOp::Gt, true) | (CompareOp::Le, false) => {
                self.known.add(Fact::Less(rhs, lhs), true);
            }
            (CompareOp::Lt | CompareOp::Gt, false)
            | (CompareOp::Le | CompareOp::Ge, true)
            | (CompareOp::Eq | CompareOp::Ne, _) => {}
        }
    }

    fn is_less(&self, lhs: InstId, rhs: InstId) -> bool {
        self.known.is(Fact::Less(lhs, rhs), true)
    }

    fn is_true(&self, cond: InstId) -> bool {
        self.known.is(Fact::Value(cond), true) || self.kernel.insts[cond].op == Op::Const(1)
    }
}
