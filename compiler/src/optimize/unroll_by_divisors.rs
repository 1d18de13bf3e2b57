//! Unrolls loops that take remainders of their counter by a small constant, so that each round
//! knows its remainders.
//!
//! ```text
//!                                         for %i from 0 to %m, step 2 {
//! for %i from 0 to %n, step 1 {             use 0
//!   %1 = rem %i, 2                 =>       use 1
//!   use %1                                }
//! }                                       for %j from .. to %n, step 1 {
//!                                           %2 = rem %j, 2
//!                                           use %2
//!                                         }
//! ```
//!
//! The number of rounds is a multiple of the divisor, and the start and the step are constants, so
//! a remainder is the same constant each time. Takes innermost loops that nothing leaves or
//! continues early. Where threads meet in one, they do so in each iteration, and agree on the end
//! of the loop: those that meet are in the same copy of a round.
//!
//! Why: buffers that take turns are chosen by such remainders. Addresses in them are then computed
//! once before the loop instead of in each iteration.
use super::{
    carry_remainders::distance,
    loop_contents::LoopContents,
    unroll_loops::{self, STRIDES, Stride, Unrolled},
};
use crate::{
    analysis::{
        range::{self, Ranges},
        uniformity::{self, Varying},
    },
    ir::{BinaryOp, Body, Inst, InstId, Kernel, Op, Scalar, Ty},
};
use std::collections::HashSet;

/// The divisors that loops are unrolled for.
const DIVISORS: std::ops::RangeInclusive<u64> = 2..=8;

/// The fewest rounds that become one.
const MIN_ROUNDS: u64 = 3;

/// The most instructions of the rounds that become one, constants not counted.
const MAX_UNROLLED_INSTRUCTIONS: u64 = 256;

/// Unrolls loops of `kernel`, whose instructions are numbered in order, except `skipped` ones and
/// loops inside them. What becomes of loops joins the skipped ones. Returns false if there are
/// none. The instructions are not numbered in order afterwards.
pub(super) fn unroll_by_divisors(kernel: &mut Kernel, skipped: &mut HashSet<InstId>) -> bool {
    let divides = |(_, inst): (InstId, &Inst)| match inst.op {
        Op::Binary { op: BinaryOp::Rem, rhs, .. } => divisor(kernel, rhs).is_some(),
        _ => false,
    };
    if !kernel.insts.iter().any(divides) {
        return false;
    }
    let before = kernel.insts.len();
    let (ranges, uniform) = (range::analyze(kernel), uniformity::analyze_blocks(kernel));
    let list = std::mem::take(&mut kernel.body);
    let mut walk = Walk { kernel, ranges, uniform, skipped };
    let list = walk.body(list);
    kernel.body = list;
    kernel.insts.len() > before
}

fn divisor(kernel: &Kernel, id: InstId) -> Option<u64> {
    kernel.literal(id).filter(|bits| DIVISORS.contains(bits))
}

/// A remainder of the sum of a counter and a constant.
struct Remainder {
    id: InstId,
    addend: u64,
    divisor: u64,
}

struct Walk<'k> {
    kernel: &'k mut Kernel,
    ranges: Ranges,
    /// Differences between the threads of a block.
    uniform: Varying,
    skipped: &'k mut HashSet<InstId>,
}

impl Walk<'_> {
    fn body(&mut self, list: Body) -> Body {
        let mut kept = Vec::with_capacity(list.0.len());
        for id in list.0 {
            if self.kernel.insts[id].op.is_leaf() || self.skipped.contains(&id) {
                kept.push(id);
            } else if !self.unroll(id, &mut kept) {
                // Taken out while its bodies are walked.
                let mut op = std::mem::replace(&mut self.kernel.insts[id].op, Op::Return);
                for inner in op.bodies_mut() {
                    *inner = self.body(std::mem::take(inner));
                }
                self.kernel.insts[id].op = op;
                kept.push(id);
            }
        }
        Body(kept)
    }

    /// Appends to `kept` what becomes of `id`. Returns false if that is no loop to unroll.
    fn unroll(&mut self, id: InstId, kept: &mut Vec<InstId>) -> bool {
        let Inst { op: Op::For { start, end, step, inclusive: false, ref body }, ty, .. } =
            self.kernel.insts[id]
        else {
            return false;
        };
        let Ty::Scalar(scalar @ (Scalar::U32 | Scalar::U64)) = ty else { return false };
        let [first, stride] = [start, step].map(|id| self.kernel.literal(id));
        let (Some(first), Some(stride)) = (first, stride) else { return false };
        let Some(contents) = LoopContents::of(self.kernel, id, body) else { return false };
        let mut remainders = Vec::new();
        self.find_remainders(id, body, &mut remainders);
        let largest = remainders.iter().map(|found| found.divisor).max();
        let Some(largest) = largest.filter(|_| self.kernel.falls_through(body)) else {
            return false;
        };
        let rounds = largest * MIN_ROUNDS.div_ceil(largest);
        let divides = |found: &Remainder| rounds.is_multiple_of(found.divisor);
        if self.kernel.literal(end).is_some()
            || !STRIDES.contains(&stride)
            || contents.meets && !contents.runs_together(&self.uniform, id, &[end])
            || contents.size as u64 * rounds > MAX_UNROLLED_INSTRUCTIONS
            || !remainders.iter().all(divides)
        {
            return false;
        }
        let stride_of = Stride::Constant(stride);
        let range = unroll_loops::Range { scalar, start, end, step, stride: stride_of };
        let Unrolled { copies, rest } = unroll_loops::unroll(self.kernel, id, &range, rounds, kept);
        for Remainder { id, addend, divisor } in remainders {
            let copied = copies.iter().map(|copies| copies[&id]);
            for (round, copy) in (0..).zip([id].into_iter().chain(copied)) {
                let remainder = (first % divisor + round * stride + addend % divisor) % divisor;
                self.kernel.insts[copy].op = Op::Const(remainder);
            }
        }
        self.skipped.extend([id, rest]);
        true
    }

    /// Adds the remainders in `list` that are of the counter of the loop `of`.
    fn find_remainders(&self, of: InstId, list: &Body, found: &mut Vec<Remainder>) {
        for &id in &list.0 {
            let op = &self.kernel.insts[id].op;
            if let Op::Binary { op: BinaryOp::Rem, lhs, rhs } = *op
                && let Some(divisor) = divisor(self.kernel, rhs)
                && let Some(addend) = distance(self.kernel, &self.ranges, of, lhs)
            {
                found.push(Remainder { id, addend, divisor });
            }
            op.bodies().for_each(|inner| self.find_remainders(of, inner, found));
        }
    }
}
