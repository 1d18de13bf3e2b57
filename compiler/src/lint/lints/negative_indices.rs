//! `gpu_negative_indices`: an index that is below 0 in the first thread of the first block, in
//! every launch.
//!
//! ```text
//! y[i] = x[i] - x[i - 1];      // `i` is 0 in the first thread, and 0 - 1 wraps
//! ```
//! The thread ends with a fault in every launch that gets there. The lint follows that one thread
//! as far as the kernel alone and its contracts decide its path, through the first iteration of
//! each loop: with `requires(n >= 1)`, `x[i - n]` is such an index. It assumes that guards such as
//! `i < n` let the thread pass. Silent under all other conditions on loaded values or arguments.
use crate::{
    analysis::{Analyses, launch::LaunchRanges, range::Range},
    diag::Level,
    id::{Facts, Id},
    ir::{
        BinaryOp, Body, Builtin, CompareOp, InstId, Kernel, Op, Root, Scalar, Ty, UnaryOp, evaluate,
    },
    lint::{Finding, Lint, LintGroup},
};

pub(in crate::lint) const LINT: Lint =
    Lint { name: "gpu_negative_indices", group: LintGroup::Correctness, level: Level::Deny, check };

/// The maximum number of instructions to follow.
const MAX_FOLLOWED_INSTRUCTIONS: usize = 20_000;
/// The largest index for which a guard `index < n` is assumed to hold.
const MAX_GUARDED_INDEX: i128 = 1 << 20;

fn check(kernel: &Kernel, _: &Analyses) -> Vec<Finding> {
    let has_subtraction = kernel.insts.iter().any(|(_, inst)| {
        matches!(
            inst.op,
            Op::Binary { op: BinaryOp::Sub | BinaryOp::Add, .. }
                | Op::Unary { op: UnaryOp::Neg | UnaryOp::Not, .. }
        )
    });
    if !has_subtraction {
        return Vec::new();
    }
    let mut thread = FirstThread {
        kernel,
        launch: LaunchRanges::for_kernel(kernel),
        ranges: kernel.insts.facts(None),
        values: kernel.insts.facts(None),
        locals: vec![None; kernel.locals.iter().count()],
        steps_left: MAX_FOLLOWED_INSTRUCTIONS,
        found: Vec::new(),
    };
    thread.run_body(&kernel.body);
    thread.found
}

/// The continuation of the thread after a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    /// The next instruction.
    Next,
    /// The end of this loop or block, or the next iteration of the loop.
    Leaves(InstId),
    /// The end of the thread, or an unknown target.
    Ends,
}

/// The first thread of the first block.
struct FirstThread<'k> {
    kernel: &'k Kernel,
    launch: LaunchRanges,
    /// The limits of sums and differences of launch arguments and numbers, as if they did not wrap.
    ranges: Facts<InstId, Option<Range>>,
    /// The last result of each instruction as bits, if it is known.
    values: Facts<InstId, Option<u64>>,
    locals: Vec<Option<u64>>,
    steps_left: usize,
    found: Vec<Finding>,
}

impl FirstThread<'_> {
    fn run_body(&mut self, body: &Body) -> Flow {
        for &id in &body.0 {
            let Some(left) = self.steps_left.checked_sub(1) else { return Flow::Ends };
            self.steps_left = left;
            let flow = self.run_inst(id);
            if flow != Flow::Next {
                return flow;
            }
        }
        Flow::Next
    }

    fn run_inst(&mut self, id: InstId) -> Flow {
        let op = &self.kernel.insts[id].op;
        if let Op::If { cond, then, other } = op {
            return match self.truth_of(*cond) {
                Some(true) => self.run_body(then),
                Some(false) => self.run_body(other),
                None => self.run_either([then, other]),
            };
        }
        if let Op::For { start, end, inclusive, body, .. } = op {
            return self.run_for(id, [*start, *end], *inclusive, body);
        }
        if let Op::Loop { body } = op {
            let flow = self.run_body(body);
            return self.after_first_iteration(id, body, flow);
        }
        if let Op::Block { body } = op {
            let flow = self.run_body(body);
            return if flow == Flow::Leaves(id) { Flow::Next } else { flow };
        }
        if let Op::Break(target) | Op::Continue(target) = op {
            return Flow::Leaves(*target);
        }
        if matches!(op, Op::Return | Op::Panic { .. }) {
            return Flow::Ends;
        }
        if let Op::Set { local, value } = op {
            self.locals[local.index()] = self.values[*value];
        } else if let Op::Bounds { index, len } = op {
            self.check_bounds(id, *index, *len);
        }
        self.values[id] = self.eval_inst(id);
        self.ranges[id] = self.sum_range(id);
        Flow::Next
    }

    /// Runs the first iteration of a `for`.
    fn run_for(&mut self, id: InstId, ends: [InstId; 2], inclusive: bool, body: &Body) -> Flow {
        let op = if inclusive { CompareOp::Le } else { CompareOp::Lt };
        let runs = self.compare_values(op, ends[0], ends[1]);
        self.values[id] = self.values[ends[0]];
        let flow = match runs {
            Some(true) => self.run_body(body),
            Some(false) => return Flow::Next,
            None => self.run_either([body, &Body::default()]),
        };
        self.after_first_iteration(id, body, flow)
    }

    /// Continues after loop `id`, whose first iteration ended with `flow`. Later iterations are not
    /// followed.
    fn after_first_iteration(&mut self, id: InstId, body: &Body, flow: Flow) -> Flow {
        self.forget_locals(body);
        match flow {
            Flow::Next if self.may_end(body, id) => Flow::Ends,
            Flow::Leaves(target) if target != id => flow,
            Flow::Ends => Flow::Ends,
            Flow::Next | Flow::Leaves(_) => Flow::Next,
        }
    }

    /// Returns true if an instruction in the body of loop `id` ends the thread or leaves a loop or
    /// block around `id`.
    fn may_end(&self, body: &Body, id: InstId) -> bool {
        body.0.iter().any(|&inner| {
            let op = &self.kernel.insts[inner].op;
            // Loops inside of the body follow it.
            let leaves = matches!(op, Op::Break(target) | Op::Continue(target) if *target < id);
            let ends = leaves || matches!(op, Op::Return);
            ends || op.bodies().any(|inner| self.may_end(inner, id))
        })
    }

    /// Continues after one of two bodies, without knowing which one runs.
    fn run_either(&mut self, bodies: [&Body; 2]) -> Flow {
        for body in bodies {
            self.forget_locals(body);
            if self.may_leave(body) {
                return Flow::Ends;
            }
        }
        Flow::Next
    }

    fn may_leave(&self, body: &Body) -> bool {
        body.0.iter().any(|&id| {
            let op = &self.kernel.insts[id].op;
            op.is_exit() || op.bodies().any(|inner| self.may_leave(inner))
        })
    }

    /// Forgets the values of locals that `body` sets.
    fn forget_locals(&mut self, body: &Body) {
        for &id in &body.0 {
            let op = &self.kernel.insts[id].op;
            if let Op::Set { local, .. } = op {
                self.locals[local.index()] = None;
            }
            op.bodies().for_each(|inner| self.forget_locals(inner));
        }
    }

    /// Returns the truth of `cond`, if the kernel alone decides it, or if it is a guard.
    fn truth_of(&self, cond: InstId) -> Option<bool> {
        if let Some(bits) = self.values[cond] {
            return Some(bits != 0);
        }
        let op = &self.kernel.insts[cond].op;
        if let Op::Unary { op: UnaryOp::Not, value } = op {
            return self.truth_of(*value).map(|truth| !truth);
        }
        if let Op::Binary { op, lhs, rhs } = op {
            let both = [self.truth_of(*lhs), self.truth_of(*rhs)];
            let decides = match op {
                BinaryOp::And => false,
                BinaryOp::Or => true,
                _ => return None,
            };
            return match both {
                [Some(a), Some(b)] => Some(if decides { a || b } else { a && b }),
                [Some(one), None] | [None, Some(one)] => (one == decides).then_some(decides),
                [None, None] => None,
            };
        }
        let Op::Compare { op, lhs, rhs } = op else { return None };
        self.compare_values(*op, *lhs, *rhs)
    }

    /// Returns the truth of a comparison of numbers, or of a small number with a size that the
    /// launch passes.
    fn compare_values(&self, op: CompareOp, lhs: InstId, rhs: InstId) -> Option<bool> {
        let scalar = self.scalar_type(lhs)?;
        if let (Some(a), Some(b)) = (self.values[lhs], self.values[rhs]) {
            return evaluate::compare(op, scalar, a, b);
        }
        let is_small = |id: InstId| {
            let number = self.values[id].and_then(|bits| evaluate::integer(scalar, bits));
            number.is_some_and(|number| (0..=MAX_GUARDED_INDEX).contains(&number))
        };
        let below = match op {
            CompareOp::Lt | CompareOp::Le => true,
            CompareOp::Gt | CompareOp::Ge => false,
            CompareOp::Eq | CompareOp::Ne => return None,
        };
        if is_small(lhs) && self.is_size(rhs) {
            Some(below)
        } else if is_small(rhs) && self.is_size(lhs) {
            Some(!below)
        } else {
            None
        }
    }

    /// Returns true for a size that a launch passes: a length or parameter, or a sum or product of
    /// them.
    fn is_size(&self, id: InstId) -> bool {
        let op = &self.kernel.insts[id].op;
        if let Op::Binary { op: BinaryOp::Add | BinaryOp::Mul, lhs, rhs } = op {
            let is_part = |id: InstId| self.values[id].is_some() || self.is_size(id);
            return is_part(*lhs) && is_part(*rhs) && (self.is_size(*lhs) || self.is_size(*rhs));
        }
        if let Op::Cast { value } = op {
            return self.is_size(*value);
        }
        let is_number =
            self.scalar_type(id).is_some_and(|scalar| evaluate::limits(scalar).is_some());
        is_number && matches!(op, Op::Len(_) | Op::Param(_) | Op::Generic(_))
    }

    fn scalar_type(&self, id: InstId) -> Option<Scalar> {
        match self.kernel.insts[id].ty {
            Ty::Scalar(scalar) => Some(scalar),
            Ty::Unit | Ty::Ptr(_) => None,
        }
    }

    /// Returns the bits that an instruction yields, if they are known.
    fn eval_inst(&self, id: InstId) -> Option<u64> {
        let scalar = self.scalar_type(id)?;
        let value_of = |id: InstId| self.values[id];
        let op = &self.kernel.insts[id].op;
        if let Op::Const(bits) = op {
            Some(*bits)
        } else if let Op::Builtin(builtin) = op {
            self.builtin_value(*builtin)
        } else if let Op::Param(param) | Op::Len(param) = op {
            single_value(scalar, self.launch.param(*param))
        } else if let Op::Generic(generic) = op {
            single_value(scalar, self.launch.generic(*generic))
        } else if let Op::Get(local) = op {
            self.locals[local.index()]
        } else if let Op::Bounds { index, .. } = op {
            value_of(*index)
        } else if let Op::Cast { value } = op {
            evaluate::cast(self.scalar_type(*value)?, scalar, value_of(*value)?)
        } else if let Op::Unary { op, value } = op {
            evaluate::unary(*op, scalar, value_of(*value)?)
        } else if let Op::Binary { op: BinaryOp::Mul, lhs, rhs } = op
            && evaluate::limits(scalar).is_some()
            && [value_of(*lhs), value_of(*rhs)].contains(&Some(0))
        {
            Some(0)
        } else if let Op::Binary { op, lhs, rhs } = op {
            evaluate::binary(*op, scalar, value_of(*lhs)?, value_of(*rhs)?)
        } else if let Op::Compare { op, lhs, rhs } = op {
            let result =
                evaluate::compare(*op, self.scalar_type(*lhs)?, value_of(*lhs)?, value_of(*rhs)?);
            result.map(u64::from)
        } else if let Op::Select { cond, then, other } = op {
            if value_of(*cond)? != 0 { value_of(*then) } else { value_of(*other) }
        } else {
            None
        }
    }

    fn builtin_value(&self, builtin: Builtin) -> Option<u64> {
        match builtin {
            Builtin::ThreadIdx(_)
            | Builtin::BlockIdx(_)
            | Builtin::GlobalIdx(_)
            | Builtin::LaneId
            | Builtin::WarpId => Some(0),
            Builtin::LaneMask(mask) => Some(mask.bits(0).into()),
            Builtin::CoarseningFactor => Some(1),
            Builtin::BlockDim(_) | Builtin::GridDim(_) => {
                single_value(Scalar::U64, self.launch.builtin(builtin))
            }
        }
    }

    /// Returns the limits of a `usize` for [`Self::ranges`]. Launch arguments are assumed to be
    /// below 2^63.
    fn sum_range(&self, id: InstId) -> Option<Range> {
        self.scalar_type(id).filter(|&scalar| scalar == Scalar::U64)?;
        if let Some(bits) = self.values[id] {
            let number = i128::from(bits.cast_signed());
            return Some(Range::new(number, number));
        }
        let op = &self.kernel.insts[id].op;
        let range = if let Op::Param(param) | Op::Len(param) = op {
            self.launch.param(*param).intersection(Range::new(0, i64::MAX.into()))
        } else if let Op::Bounds { index, .. } = op {
            self.ranges[*index]?
        } else if let Op::Cast { value } = op
            && let Op::Param(param) = self.kernel.insts[*value].op
        {
            self.launch.param(param)
        } else if let Op::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), lhs, rhs } = op {
            let (Range { min, max }, other) = (self.ranges[*lhs]?, self.ranges[*rhs]?);
            if *op == BinaryOp::Add {
                Range::new(min + other.min, max + other.max)
            } else {
                Range::new(min - other.max, max - other.min)
            }
        } else {
            return None;
        };
        // A negative `usize` is larger than any length.
        let wraps = Range::new(i64::MIN.into(), i64::MAX.into());
        (!range.is_empty() && wraps.contains(range)).then_some(range)
    }

    /// Records a negative index, which as a `usize` is larger than any length.
    fn check_bounds(&mut self, id: InstId, index: InstId, len: InstId) {
        let Some(Range { min, max: reached }) = self.sum_range(index) else { return };
        if reached >= 0 {
            return;
        }
        let (name, is_of_block) = match indexed_root(self.kernel, id) {
            Some(root @ Root::Shared(_)) => (self.kernel.root_name(root), true),
            Some(root @ Root::Param(_)) => (self.kernel.root_name(root), false),
            Some(Root::Array(_)) | None => return,
        };
        let span = self.kernel.insts[id].span;
        if self.found.iter().any(|found| found.span == span) {
            return;
        }
        let len = match self.values[len] {
            Some(len) => format!("{len} elements"),
            None => format!("`{name}.len()` elements"),
        };
        let place = if is_of_block { "a block" } else { "the grid" };
        let is_number = min == reached;
        let (most, becomes) = match evaluate::wrap(Scalar::U64, reached) {
            bits if is_number => ("", format!("{bits}")),
            _ => (" at most", "larger than any length".to_owned()),
        };
        let guard = if is_number {
            format!("such as `if a >= {0}` before `a - {0}`", -reached)
        } else {
            "such as `if a >= b` before `a - b`".to_owned()
        };
        self.found.push(Finding {
            message: format!(
                "this index of `{name}` is{most} {reached} in the first thread of {place}"
            ),
            span,
            labels: Vec::new(),
            notes: vec![format!(
                "a `usize` wraps: the index becomes {becomes}, where there are {len}, and the launch fails"
            )],
            help: format!(
                "let the thread pass a guard first, {guard}, or clamp the index with `saturating_sub`"
            ),
        });
    }
}

/// Returns the array or buffer that is indexed by the result of `bounds`.
fn indexed_root(kernel: &Kernel, bounds: InstId) -> Option<Root> {
    kernel.insts.iter().find_map(|(ptr, inst)| {
        let Op::Index { index, .. } = inst.op else { return None };
        (index == bounds).then(|| kernel.root(ptr)).flatten()
    })
}

/// Returns the bits of the only integer of a range.
fn single_value(scalar: Scalar, range: Range) -> Option<u64> {
    (range.min == range.max).then(|| evaluate::wrap(scalar, range.min))
}
