//! Runs four rounds of a counting loop between two decisions whether to go on.
//!
//! Takes innermost loops over unsigned numbers whose body is short, and that nothing leaves or
//! continues early; the rounds that are left over run in a loop behind. Where threads meet in one,
//! they do so in each round and agree on the numbers, so that those that meet are in the same copy
//! of a round; and it loads memory that nobody writes.
//!
//! ```text
//!                                        %m = the least of max(%n, !3s) - !3s and MAX - !4s + 1
//!                                        $next = %a
//! for %i from %a to %n, step !s {        for %i from %a to %m, step !4s {
//!   body(%i)                       =>      body(%i) body(%i + s) body(%i + 2s) body(%i + 3s)
//! }                                        $next = %i + !4s
//!                                        }
//!                                        for %j from $next to %n, step !s { body(%j) }
//! ```
//!
//! [`unroll_by_divisors`](mod@super::unroll_by_divisors) has another number of rounds run so.
//!
//! A step that is no constant may be so large that four of it are not in the type. The loop of four
//! rounds then has no round, and counts by a step that is in the type all the same:
//!
//! ```text
//! %t = min(%s, MAX / 8)     %m = if %t == %s, the least of max(%n, 3%t) - 3%t and MAX - 4%t + 1; else 0
//! ```
//!
//! Loads that decide checks stand ahead of the checks of all four rounds ([`first_loads`]).
//!
//! Why: `ptxas` unrolls loops only if it knows how often they run. A short body otherwise pays for
//! counting, and for constants that do not fit into instructions, in every round, and nothing of a
//! round overlaps with the next. Loads of memory that nobody writes move ahead of barriers.
mod first_loads;

use super::{copy::copy_body, hoist_loads, loop_contents::LoopContents};
use crate::{
    analysis::uniformity::{self, Varying},
    ir::{BinaryOp, Body, CompareOp, Effect, Inst, InstId, Kernel, Local, LocalId, Op, Scalar, Ty},
};
use std::collections::{HashMap, HashSet};

/// Rounds in one.
const ROUNDS: u64 = 4;

/// Instructions of a body that is short, constants not counted. Four rounds of a longer one take so
/// many registers that fewer threads fit: with 128, logarithms of `f64` in a kernel that waits for
/// memory took half as long again on an H200.
const SHORT: usize = 48;

/// Instructions of a body whose loads of several rounds run at once, by
/// [`hoist_loads`](mod@hoist_loads). One branch of a special case comes after the other, so that
/// only what is loaded occupies more registers.
const SHORT_BESIDE_LOADS: usize = 96;

/// Steps that are constants: several of them are in every type.
pub(super) const STRIDES: std::ops::RangeInclusive<u64> = 1..=1 << 24;

/// Unrolls the loops of `kernel`, whose instructions are numbered in order, except `skipped` ones
/// and loops inside them. Loads are hoisted afterwards if `hoists`. The instructions are not
/// numbered in order afterwards.
pub(super) fn unroll_loops(kernel: &mut Kernel, skipped: &HashSet<InstId>, hoists: bool) {
    let meets = kernel.insts.iter().any(|(_, inst)| inst.op.effect() == Effect::Sync);
    let varying = (hoists && meets).then(|| uniformity::analyze_blocks(kernel));
    let list = std::mem::take(&mut kernel.body);
    kernel.body = Walk { kernel, skipped, hoists, varying }.body(list);
}

struct Walk<'w> {
    kernel: &'w mut Kernel,
    skipped: &'w HashSet<InstId>,
    hoists: bool,
    /// Differences between the threads of a block, if loops with barriers may be unrolled.
    varying: Option<Varying>,
}

impl Walk<'_> {
    fn body(&mut self, list: Body) -> Body {
        let mut kept = Vec::with_capacity(list.0.len());
        for id in list.0 {
            if self.kernel.insts[id].op.is_leaf() || self.skipped.contains(&id) {
                kept.push(id);
                continue;
            }
            // Taken out while its bodies are walked.
            let mut op = std::mem::replace(&mut self.kernel.insts[id].op, Op::Return);
            for inner in op.bodies_mut() {
                *inner = self.body(std::mem::take(inner));
            }
            self.kernel.insts[id].op = op;
            match self.range(id) {
                Some(range) => _ = unroll(self.kernel, id, &range, ROUNDS, &mut kept),
                None => kept.push(id),
            }
        }
        Body(kept)
    }

    /// Returns the range of `id`, if it is a loop to unroll.
    fn range(&self, id: InstId) -> Option<Range> {
        let kernel = &*self.kernel;
        let Op::For { start, end, step, inclusive: false, body } = &kernel.insts[id].op else {
            return None;
        };
        let is_constant = |id: InstId| matches!(kernel.insts[id].op, Op::Const(_));
        let Ty::Scalar(scalar @ (Scalar::U32 | Scalar::U64)) = kernel.insts[id].ty else {
            return None;
        };
        let stride = if let Op::Const(number) = kernel.insts[*step].op {
            Stride::Constant(Some(number).filter(|number| STRIDES.contains(number))?)
        } else if let Op::Cast { value } = kernel.insts[*step].op
            && scalar == Scalar::U64
            && kernel.insts[value].ty == Scalar::U32.into()
        {
            Stride::Small
        } else {
            Stride::Unknown
        };
        let unknown = !is_constant(*start) || !is_constant(*end) || !is_constant(*step);
        let waits = self.hoists && hoist_loads::has_loads_to_hoist(kernel, body);
        let most = if waits { SHORT_BESIDE_LOADS } else { SHORT };
        let contents = LoopContents::of(kernel, id, body)?;
        let together = || {
            let numbers = [*start, *end, *step];
            let varying = self.varying.as_ref();
            varying.is_some_and(|varying| contents.runs_together(varying, id, &numbers))
        };
        let short = contents.size <= most;
        let overlaps = contents.has_constant_load && !contents.meets_elsewhere;
        if contents.meets && !(overlaps && together()) {
            return None;
        }
        // There is no second round where the first never comes to its end.
        let again = kernel.falls_through(body);
        let range = Range { scalar, start: *start, end: *end, step: *step, stride };
        (unknown && short && again).then_some(range)
    }
}

/// The iteration space of a loop.
pub(super) struct Range {
    pub(super) scalar: Scalar,
    pub(super) start: InstId,
    pub(super) end: InstId,
    pub(super) step: InstId,
    pub(super) stride: Stride,
}

/// The distance between the numbers of a loop.
#[derive(Clone, Copy)]
pub(super) enum Stride {
    /// This number.
    Constant(u64),
    /// A number of which four are in the type.
    Small,
    /// Any number.
    Unknown,
}

impl Range {
    /// The largest number of its type.
    const fn max(&self) -> u64 {
        if matches!(self.scalar, Scalar::U64) { u64::MAX } else { u32::MAX as u64 }
    }
}

/// The two loops that stand for an unrolled one.
pub(super) struct Unrolled {
    /// The copies of its instructions in each round behind the first.
    pub(super) copies: Vec<HashMap<InstId, InstId>>,
    /// The loop for what is left.
    pub(super) rest: InstId,
}

/// Appends to `kept` the loop `id` with so many `rounds` in each, and another one for what is left.
/// Only a constant stride may be taken more often than [`ROUNDS`] times.
pub(super) fn unroll(
    kernel: &mut Kernel,
    id: InstId,
    range: &Range,
    rounds: u64,
    kept: &mut Vec<InstId>,
) -> Unrolled {
    let Range { scalar, start, end, step, .. } = *range;
    let span = kernel.insts[id].span;
    let next = kernel.locals.push(Local { name: String::new(), ty: scalar.into(), span });
    let mut copy = Copy { kernel, like: id, scalar };
    let multiples = copy.multiples(range, kept);
    let middle = copy.middle(range, &multiples, rounds, kept);
    let stride = copy.multiple(&multiples, rounds, kept);
    let begin = copy.set(next, start);
    kept.extend([begin, id]);

    let Op::For { body, .. } = &mut copy.kernel.insts[id].op else {
        unreachable!("`range` found a loop")
    };
    let round = std::mem::take(body);
    let [first, others] = first_loads::split_iteration(copy.kernel, &round);
    let mut all = first.clone();
    let mut later = others.clone();
    let mut copies = Vec::new();
    for number in 1..rounds {
        let list = if first.0.is_empty() { &mut later } else { &mut all };
        let distance = copy.multiple(&multiples, number, &mut list.0);
        let counter = copy.binary(BinaryOp::Add, id, distance);
        list.0.push(counter);
        let mut new = HashMap::from([(id, counter)]);
        all.0.extend(copy_body(copy.kernel, &first, &mut new).0);
        later.0.extend(copy_body(copy.kernel, &others, &mut new).0);
        copies.push(new);
    }
    all.0.append(&mut later.0);
    let following = copy.binary(BinaryOp::Add, id, stride);
    let advance = copy.set(next, following);
    all.0.extend([following, advance]);

    let left = copy.push(Op::Get(next));
    let remainder =
        copy.push(Op::For { start: left, end, step, inclusive: false, body: Body::default() });
    let last_rounds = copy_body(copy.kernel, &round, &mut HashMap::from([(id, remainder)]));
    let bodies = copy.kernel.insts[remainder].op.bodies_mut();
    bodies.for_each(|body| *body = last_rounds.clone());
    kept.extend([left, remainder]);

    copy.kernel.insts[id].op =
        Op::For { start, end: middle, step: stride, inclusive: false, body: all };
    Unrolled { copies, rest: remainder }
}

/// A step, taken up to four times.
enum Multiples {
    /// Of this constant.
    Constant(u64),
    /// Of a step that is in the type four times: that step, and its multiples, which are computed
    /// before the loop.
    Computed([InstId; ROUNDS as usize]),
}

/// Makes instructions for the loop `like`.
struct Copy<'k> {
    kernel: &'k mut Kernel,
    like: InstId,
    scalar: Scalar,
}

impl Copy<'_> {
    /// An instruction of the counter's type.
    fn push(&mut self, op: Op) -> InstId {
        let span = self.kernel.insts[self.like].span;
        self.kernel.insts.push(Inst { op, ty: self.scalar.into(), span })
    }

    fn set(&mut self, local: LocalId, value: InstId) -> InstId {
        let span = self.kernel.insts[self.like].span;
        self.kernel.insts.push(Inst { op: Op::Set { local, value }, ty: Ty::Unit, span })
    }

    fn constant(&mut self, bits: u64) -> InstId {
        self.push(Op::Const(bits))
    }

    fn binary(&mut self, op: BinaryOp, lhs: InstId, rhs: InstId) -> InstId {
        self.push(Op::Binary { op, lhs, rhs })
    }

    /// Appends to `list` what computes the multiples of the step, or of the widest step of which
    /// four are in the type.
    fn multiples(&mut self, range: &Range, list: &mut Vec<InstId>) -> Multiples {
        let first = match range.stride {
            Stride::Constant(stride) => return Multiples::Constant(stride),
            Stride::Small => range.step,
            Stride::Unknown => {
                let most = self.constant(range.max() / (2 * ROUNDS));
                let first = self.binary(BinaryOp::Min, range.step, most);
                list.extend([most, first]);
                first
            }
        };
        let mut multiples = [first; ROUNDS as usize];
        for (multiple, number) in multiples.iter_mut().zip(1..=ROUNDS).skip(1) {
            let number = self.constant(number);
            *multiple = self.binary(BinaryOp::Mul, first, number);
            list.extend([number, *multiple]);
        }
        Multiples::Computed(multiples)
    }

    /// Returns the step times `number`, and appends it to `list` if that is a constant.
    fn multiple(&mut self, of: &Multiples, number: u64, list: &mut Vec<InstId>) -> InstId {
        match of {
            Multiples::Constant(stride) => {
                let multiple = self.constant(number * stride);
                list.push(multiple);
                multiple
            }
            Multiples::Computed(multiples) => multiples[number as usize - 1],
        }
    }

    /// Appends to `list` what computes where the loop of several rounds ends: where the last of
    /// them begins, and where the next ones do, is in the type and in the range.
    fn middle(
        &mut self,
        range: &Range,
        multiples: &Multiples,
        rounds: u64,
        list: &mut Vec<InstId>,
    ) -> InstId {
        let last = self.multiple(multiples, rounds - 1, list);
        let enough = self.binary(BinaryOp::Max, range.end, last);
        let room = self.binary(BinaryOp::Sub, enough, last);
        list.extend([enough, room]);
        let [first, .., all] = match *multiples {
            Multiples::Computed(multiples) => multiples,
            Multiples::Constant(stride) => {
                let most = self.constant(range.max() - rounds * stride + 1);
                let middle = self.binary(BinaryOp::Min, room, most);
                list.extend([most, middle]);
                return middle;
            }
        };
        // The same, MAX + 1 being 0.
        let zero = self.constant(0);
        let most = self.binary(BinaryOp::Sub, zero, all);
        let middle = self.binary(BinaryOp::Min, room, most);
        list.extend([zero, most, middle]);
        if first == range.step {
            return middle;
        }
        let span = self.kernel.insts[self.like].span;
        let op = Op::Compare { op: CompareOp::Eq, lhs: first, rhs: range.step };
        let fits = self.kernel.insts.push(Inst { op, ty: Scalar::Bool.into(), span });
        let end = self.push(Op::Select { cond: fits, then: middle, other: zero });
        list.extend([fits, end]);
        end
    }
}
