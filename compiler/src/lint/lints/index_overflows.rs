//! `gpu_index_overflows`: an index that is computed in 32 bits or fewer, and does not fit.
//!
//! ```text
//! if row < 100_000 && column < 100_000 {
//!     y[(row * 100_000 + column) as usize] = v;    // u32: wraps from row 42,950 on
//! }
//! ```
//! Fires where conditions, declared blocks and constants allow values for which the product or sum
//! exceeds its type, and the result is used as an index. Silent where one of the operands has no
//! such bound: the sizes that a launch passes are unknown.
use crate::{
    analysis::{Analyses, range::Ranges},
    diag::Level,
    id::Facts,
    ir::{BinaryOp, Body, Builtin, CompareOp, InstId, Kernel, Op, Scalar, Ty},
    lint::{Finding, Lint, LintGroup, access},
};

pub(in crate::lint) const LINT: Lint =
    Lint { name: "gpu_index_overflows", group: LintGroup::Correctness, level: Level::Warn, check };

/// A bound from the largest grid alone does not count as a bound.
const MIN_UNBOUNDED: i128 = 1 << 30;
/// The fraction of the largest grid from which on a wrapping index is reported: 2^24 threads.
const MIN_WRAPPING_GRID: i128 = 128;

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let indices = index_insts(kernel);
    let is_candidate = |id: InstId| indices[id] && type_maximum(kernel, id).is_some();
    if !kernel.insts.ids().any(is_candidate) {
        return Vec::new();
    }
    let mut walk = OverflowFinder { kernel, indices, ranges: &analyses.ranges, found: Vec::new() };
    walk.visit_body(&kernel.body, &mut Vec::new());
    walk.found
}

/// Returns the largest value of an integer of at most 32 bits.
fn type_maximum(kernel: &Kernel, id: InstId) -> Option<(Scalar, i128)> {
    let Ty::Scalar(scalar) = kernel.insts[id].ty else { return None };
    let bits = scalar.bits().filter(|&bits| scalar.is_int() && bits <= 32)?;
    let bits = if scalar.is_signed() { bits - 1 } else { bits };
    Some((scalar, (1 << bits) - 1))
}

/// Returns the instructions that indices are computed from.
fn index_insts(kernel: &Kernel) -> Facts<InstId, bool> {
    let mut indices = kernel.insts.facts(false);
    let ids: Vec<InstId> = kernel.insts.ids().collect();
    for id in ids.into_iter().rev() {
        let op = &kernel.insts[id].op;
        if let Op::Index { index, .. } | Op::Bounds { index, .. } = op {
            indices[*index] = true;
        } else if let Op::Cast { value } = op {
            indices[*value] |= indices[id];
        } else if let Op::Binary { op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, lhs, rhs } =
            op
        {
            let is_index = indices[id];
            indices[*lhs] |= is_index;
            indices[*rhs] |= is_index;
        }
    }
    indices
}

struct OverflowFinder<'k> {
    kernel: &'k Kernel,
    indices: Facts<InstId, bool>,
    ranges: &'k Ranges,
    found: Vec<Finding>,
}

impl OverflowFinder<'_> {
    /// Visits `body`; `below` has values that conditions keep below numbers.
    fn visit_body(&mut self, body: &Body, below: &mut Vec<(InstId, i128)>) {
        let outside = below.len();
        for &id in &body.0 {
            let op = &self.kernel.insts[id].op;
            if let Op::If { cond, then, other } = op {
                let before = below.len();
                self.add_bounds(*cond, below);
                self.visit_body(then, below);
                below.truncate(before);
                self.visit_body(other, below);
            } else if let Op::Binary { op, lhs, rhs } = op {
                self.visit_binary(id, *op, *lhs, *rhs, below);
            } else {
                op.bodies().for_each(|inner| self.visit_body(inner, below));
            }
        }
        below.truncate(outside);
    }

    /// Adds the bounds that follow from `cond` being true.
    fn add_bounds(&self, cond: InstId, below: &mut Vec<(InstId, i128)>) {
        let op = &self.kernel.insts[cond].op;
        let constant = |id: InstId| self.ranges.get(self.kernel, id).map(|range| range.max);
        if let Op::Binary { op: BinaryOp::And, lhs, rhs } = op {
            self.add_bounds(*lhs, below);
            self.add_bounds(*rhs, below);
        } else if let Op::Compare { op, lhs, rhs } = op {
            let (value, end, more) = match op {
                CompareOp::Lt => (lhs, rhs, 0),
                CompareOp::Le => (lhs, rhs, 1),
                CompareOp::Gt => (rhs, lhs, 0),
                CompareOp::Ge => (rhs, lhs, 1),
                CompareOp::Eq | CompareOp::Ne => return,
            };
            below.extend(constant(*end).map(|end| (*value, end + more)));
        }
    }

    fn visit_binary(
        &mut self,
        id: InstId,
        op: BinaryOp,
        lhs: InstId,
        rhs: InstId,
        below: &[(InstId, i128)],
    ) {
        let Some((scalar, limit)) = type_maximum(self.kernel, id).filter(|_| self.indices[id])
        else {
            return;
        };
        let (Some(a), Some(b)) = (self.upper_bound(lhs, below), self.upper_bound(rhs, below))
        else {
            if op == BinaryOp::Mul {
                self.visit_grid_product(id, [lhs, rhs], scalar, limit, below);
            }
            return;
        };
        let largest = if op == BinaryOp::Mul {
            a * b
        } else if op == BinaryOp::Add {
            a + b
        } else {
            return;
        };
        if largest > limit {
            self.found.push(finding(self.kernel, id, scalar, largest, limit));
        }
    }

    /// Reports a thread's or block's index times a constant, if the product wraps in grids of a
    /// usual size.
    fn visit_grid_product(
        &mut self,
        id: InstId,
        factors: [InstId; 2],
        scalar: Scalar,
        limit: i128,
        below: &[(InstId, i128)],
    ) {
        let constant = |id: InstId| {
            let is_constant = matches!(self.kernel.insts[id].op, Op::Const(_));
            self.ranges.get(self.kernel, id).filter(|range| is_constant && range.min > 0)
        };
        let [lhs, rhs] = factors;
        let (number, factor) = match (constant(lhs), constant(rhs)) {
            (None, Some(factor)) => (lhs, factor.max),
            (Some(factor), None) => (rhs, factor.max),
            _ => return,
        };
        let Some(number) = grid_index(self.kernel, number) else { return };
        let Some(range) = self.ranges.get(self.kernel, number) else { return };
        let first = limit / factor + 1;
        let is_number = |id: InstId| {
            grid_index(self.kernel, id)
                .is_some_and(|other| self.kernel.insts[other].op == self.kernel.insts[number].op)
        };
        let is_bounded = below.iter().any(|&(value, end)| end <= first && is_number(value));
        if !is_bounded && first <= range.max / MIN_WRAPPING_GRID {
            self.found.push(grid_finding(self.kernel, id, number, scalar, first));
        }
    }

    /// Returns the upper bound of `id`, if it has one.
    fn upper_bound(&self, id: InstId, below: &[(InstId, i128)]) -> Option<i128> {
        let range = self.ranges.get(self.kernel, id)?;
        let here = below.iter().filter(|(value, _)| *value == id).map(|(_, end)| end - 1);
        let most = here.chain([range.max]).min()?;
        let own = type_maximum(self.kernel, id).map_or(i128::MAX, |(_, limit)| limit);
        let is_constant = matches!(self.kernel.insts[id].op, Op::Const(_));
        (range.min >= 0 && (is_constant || most < MIN_UNBOUNDED.min(own))).then_some(most)
    }
}

/// Returns the index of a thread or block in the grid that `id` is, in any type.
fn grid_index(kernel: &Kernel, id: InstId) -> Option<InstId> {
    match kernel.insts[id].op {
        Op::Cast { value } => grid_index(kernel, value),
        Op::Builtin(Builtin::GlobalIdx(_) | Builtin::BlockIdx(_)) => Some(id),
        _ => None,
    }
}

fn grid_finding(
    kernel: &Kernel,
    id: InstId,
    number: InstId,
    scalar: Scalar,
    first: i128,
) -> Finding {
    let name = access::scalar_name(scalar).unwrap_or("integer");
    let what = match kernel.insts[number].op {
        Op::Builtin(Builtin::BlockIdx(_)) => "block",
        _ => "thread",
    };
    Finding {
        message: format!("this index is computed in `{name}`, and wraps from {what} {first} on"),
        span: kernel.insts[id].span,
        labels: Vec::new(),
        notes: Vec::new(),
        help: "make its operands `usize` before they are multiplied: `a as usize * b as usize`"
            .to_owned(),
    }
}

fn finding(kernel: &Kernel, id: InstId, scalar: Scalar, largest: i128, limit: i128) -> Finding {
    let name = access::scalar_name(scalar).unwrap_or("integer");
    Finding {
        message: format!(
            "this index can be {largest}, and is computed in `{name}`, which ends at {limit}"
        ),
        span: kernel.insts[id].span,
        labels: Vec::new(),
        notes: Vec::new(),
        help: "make its operands `usize` before they are multiplied: `a as usize * b as usize`"
            .to_owned(),
    }
}
