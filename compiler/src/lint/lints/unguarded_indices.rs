//! `gpu_unguarded_indices`: a global index that the kernel itself treats as possibly too large,
//! used where no condition excludes that.
//!
//! ```text
//! let v = x[i];                          // the last block may have threads past the end of `x`
//! if i < x.len() { y[i] = v; }           // as this knows
//!
//! if i < x.len() { y[i] = x[i + 1]; }    // `i` may be the last
//! ```
//! A thread with such an index ends with a fault, and the launch fails. A kernel that never
//! compares the index with the length is meant for grids that fit: silent. Also silent under any
//! condition that the lint does not understand, and where another slice's length may bound this
//! one's.
use crate::{
    analysis::{
        Analyses,
        checks::{self, Verdict},
    },
    diag::Level,
    ir::{BinaryOp, Body, Builtin, CompareOp, InstId, Kernel, Op, ParamId},
    lint::{Finding, Lint, LintGroup},
};

pub(in crate::lint) const LINT: Lint = Lint {
    name: "gpu_unguarded_indices",
    group: LintGroup::Correctness,
    level: Level::Warn,
    check,
};

fn check(kernel: &Kernel, _: &Analyses) -> Vec<Finding> {
    let guards = all_guards(kernel);
    let mut walk = UnguardedFinder { kernel, guards: &guards, found: Vec::new() };
    walk.visit_body(&kernel.body, &PathConditions::default());
    if walk.found.is_empty() {
        return Vec::new();
    }
    let checks = checks::analyze(kernel);
    let unproved = |(id, finding): (InstId, Finding)| {
        let check = checks.iter().find(|check| check.inst == id)?;
        match &check.verdict {
            Verdict::Proved(_) => None,
            Verdict::Stays(why) => Some(Finding { help: why.help.clone(), ..finding }),
        }
    };
    walk.found.into_iter().filter_map(unproved).collect()
}

/// `position + offset`, for a position computed from thread and block indices and constants.
#[derive(Clone, Debug, PartialEq, Eq)]
struct GridIndex {
    position: String,
    offset: i64,
}

/// `index < length of slice`, or its negation.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Guard {
    index: GridIndex,
    slice: ParamId,
    holds: bool,
    compare: InstId,
}

/// The conditions on the path.
#[derive(Clone, Debug, Default)]
struct PathConditions {
    guards: Vec<Guard>,
    /// True if one of them is not understood.
    unclear: bool,
}

impl PathConditions {
    /// Returns the conditions with `cond` being true or false added.
    fn with_condition(&self, kernel: &Kernel, cond: InstId, is_true: bool) -> Self {
        let mut known = self.clone();
        known.add_condition(kernel, cond, is_true);
        known
    }

    fn add_condition(&mut self, kernel: &Kernel, cond: InstId, is_true: bool) {
        let op = &kernel.insts[cond].op;
        if let Op::Binary { op: BinaryOp::And, lhs, rhs } = op
            && is_true
        {
            self.add_condition(kernel, *lhs, true);
            self.add_condition(kernel, *rhs, true);
        } else if let Op::Binary { op: BinaryOp::Or, lhs, rhs } = op
            && !is_true
        {
            self.add_condition(kernel, *lhs, false);
            self.add_condition(kernel, *rhs, false);
        } else if let Some(guard) = guard_of(kernel, cond) {
            self.guards.push(Guard { holds: guard.holds == is_true, ..guard });
        } else {
            self.unclear = true;
        }
    }
}

struct UnguardedFinder<'k> {
    kernel: &'k Kernel,
    /// All comparisons of the kernel with lengths.
    guards: &'k [Guard],
    /// The findings by check.
    found: Vec<(InstId, Finding)>,
}

impl UnguardedFinder<'_> {
    fn visit_body(&mut self, body: &Body, known: &PathConditions) {
        let mut known = known.clone();
        for &id in &body.0 {
            let op = &self.kernel.insts[id].op;
            if let Op::If { cond, then, other } = op {
                self.visit_body(then, &known.with_condition(self.kernel, *cond, true));
                self.visit_body(other, &known.with_condition(self.kernel, *cond, false));
                let goes_on = [then, other].map(|arm| self.kernel.falls_through(arm));
                match goes_on {
                    [false, true] => known.add_condition(self.kernel, *cond, false),
                    [true, false] => known.add_condition(self.kernel, *cond, true),
                    [true, true] | [false, false] => {}
                }
            } else if let Op::Bounds { index, len } = op {
                self.visit_bounds(id, *index, *len, &known);
            } else {
                op.bodies().for_each(|inner| self.visit_body(inner, &known));
            }
        }
    }

    fn visit_bounds(&mut self, id: InstId, index: InstId, len: InstId, known: &PathConditions) {
        let kernel = self.kernel;
        let Op::Len(slice) = kernel.insts[len].op else { return };
        let Some(index) = self::grid_index(kernel, index) else { return };
        let is_about =
            |guard: &&Guard| guard.slice == slice && guard.index.position == index.position;
        // A comparison of the place itself shows that there may be too many threads.
        let evidence = |guard: &&Guard| is_about(guard) && guard.index.offset <= 0;
        let Some(guard) = self.guards.iter().find(evidence) else { return };
        let is_guarded = |guard: &Guard| guard.holds && guard.index.offset >= index.offset;
        let is_other =
            |guard: &Guard| guard.slice != slice || guard.index.position != index.position;
        if known.unclear || known.guards.iter().any(|guard| is_other(guard) || is_guarded(guard)) {
            return;
        }
        self.found.push((id, finding(kernel, id, slice, guard, &index, known)));
    }
}

fn finding(
    kernel: &Kernel,
    id: InstId,
    slice: ParamId,
    guard: &Guard,
    index: &GridIndex,
    known: &PathConditions,
) -> Finding {
    let name = &kernel.params[slice].name;
    let behind =
        known.guards.iter().filter(|guard| guard.holds).map(|guard| guard.index.offset).max();
    let message = match behind {
        Some(guarded) if index.offset == guarded + 1 => {
            format!("this index is `{name}.len()` in the last thread that its guard lets through")
        }
        Some(guarded) => format!(
            "this index is up to `{name}.len() + {}` under its guard",
            index.offset - guarded - 1
        ),
        None => format!("nothing keeps this index below `{name}.len()` in the last block"),
    };
    Finding {
        message,
        span: kernel.insts[id].span,
        labels: vec![(
            kernel.insts[guard.compare].span,
            format!("here the kernel asks whether there are elements of `{name}` for all threads"),
        )],
        notes: Vec::new(),
        // The check's help has a proof.
        help: String::new(),
    }
}

/// Returns all comparisons with lengths.
fn all_guards(kernel: &Kernel) -> Vec<Guard> {
    kernel.insts.ids().filter_map(|id| guard_of(kernel, id)).collect()
}

/// Returns the bound on an index that holds where `id` is true.
fn guard_of(kernel: &Kernel, id: InstId) -> Option<Guard> {
    let Op::Compare { op, lhs, rhs } = kernel.insts[id].op else { return None };
    let guard_for = |index: InstId, len: InstId, more: i64, holds: bool| {
        let (slice, less) = length_of_slice(kernel, len)?;
        let mut index = self::grid_index(kernel, index)?;
        // `i <= len` bounds `i - 1`.
        index.offset = index.offset.checked_add(less)?.checked_sub(more)?;
        Some(Guard { index, slice, holds, compare: id })
    };
    match op {
        CompareOp::Lt => guard_for(lhs, rhs, 0, true).or_else(|| guard_for(rhs, lhs, 1, false)),
        CompareOp::Le => guard_for(lhs, rhs, 1, true).or_else(|| guard_for(rhs, lhs, 0, false)),
        CompareOp::Gt => guard_for(rhs, lhs, 0, true).or_else(|| guard_for(lhs, rhs, 1, false)),
        CompareOp::Ge => guard_for(rhs, lhs, 1, true).or_else(|| guard_for(lhs, rhs, 0, false)),
        CompareOp::Eq | CompareOp::Ne => None,
    }
}

/// Returns the slice whose length `id` is, and the number subtracted from it.
fn length_of_slice(kernel: &Kernel, id: InstId) -> Option<(ParamId, i64)> {
    let op = &kernel.insts[id].op;
    if let Op::Len(slice) = op {
        Some((*slice, 0))
    } else if let Op::Binary { op: BinaryOp::Sub, lhs, rhs } = op {
        let (slice, less) = length_of_slice(kernel, *lhs)?;
        let more = i64::from(u32::try_from(const_value(kernel, *rhs)?).ok()?);
        Some((slice, less.checked_add(more)?))
    } else {
        None
    }
}

fn const_value(kernel: &Kernel, id: InstId) -> Option<u64> {
    if let Op::Const(bits) = kernel.insts[id].op { Some(bits) } else { None }
}

/// Returns `id` as an index of a thread of the grid.
fn grid_index(kernel: &Kernel, id: InstId) -> Option<GridIndex> {
    if let Op::Binary { op: BinaryOp::Add, lhs, rhs } = kernel.insts[id].op {
        let sum = |of: InstId, by: InstId| {
            let by = i64::from(u32::try_from(const_value(kernel, by)?).ok()?);
            let GridIndex { position: place, offset: behind } = grid_index(kernel, of)?;
            Some(GridIndex { position: place, offset: behind.checked_add(by)? })
        };
        if let Some(found) = sum(lhs, rhs).or_else(|| sum(rhs, lhs)) {
            return Some(found);
        }
    }
    let place = position_text(kernel, id, 0)?;
    let is_global =
        place.contains("global") || (place.contains("block_idx") && place.contains("thread"));
    is_global.then_some(GridIndex { position: place, offset: 0 })
}

/// Returns sums and products of thread and block indices, dimensions and constants as text.
fn position_text(kernel: &Kernel, id: InstId, depth: usize) -> Option<String> {
    const DEEP: usize = 8;
    let op = &kernel.insts[id].op;
    if depth > DEEP {
        None
    } else if let Op::Const(bits) = op {
        Some(bits.to_string())
    } else if let Op::Builtin(builtin) = op {
        Some(match builtin {
            Builtin::GlobalIdx(axis) => format!("global.{axis:?}"),
            Builtin::BlockIdx(axis) => format!("block_idx.{axis:?}"),
            Builtin::ThreadIdx(axis) => format!("thread.{axis:?}"),
            Builtin::BlockDim(axis) => format!("block_dim.{axis:?}"),
            Builtin::GridDim(_)
            | Builtin::LaneId
            | Builtin::WarpId
            | Builtin::LaneMask(_)
            | Builtin::CoarseningFactor => {
                return None;
            }
        })
    } else if let Op::Binary { op: op @ (BinaryOp::Add | BinaryOp::Mul), lhs, rhs } = op {
        let (lhs, rhs) =
            (position_text(kernel, *lhs, depth + 1)?, position_text(kernel, *rhs, depth + 1)?);
        Some(format!("({lhs} {op:?} {rhs})"))
    } else if let Op::Cast { value } = op {
        position_text(kernel, *value, depth + 1)
    } else if let Op::Bounds { index, .. } = op {
        position_text(kernel, *index, depth + 1)
    } else {
        None
    }
}
