//! Counts from 0 in loops over a few numbers from a start that varies.
//!
//! ```text
//! %2 = add %1, 2                            for %4 from 0 to 2, step 1 {
//! for %3 from %1 to %2, step 1 {     =>       %3 = add %1, %4
//!   .. %3 ..                                  .. %3 ..
//! }                                         }
//! ```
//!
//! Takes loops whose start and end are one value plus constants, neither of which wraps, that
//! constants bound to [`MAX_NUMBERS`] numbers.
//!
//! Why: a loop over a constant range has a constant number of iterations, so that this and other
//! compilers unroll it in full: the rows and columns of a square of 2x2 pixels, `2 * y..2 * y + 2`,
//! were unrolled by four, with a loop for what is left.
use super::{constant_sum::constant_sum, replace::Replacements};
use crate::{
    analysis::range::{self, Ranges},
    ir::{BinaryOp, Body, Inst, InstId, Kernel, Op, Ty, evaluate},
};

/// The most numbers of a loop that counts from 0.
const MAX_NUMBERS: i128 = 64;

/// Changes the loops of `kernel`, whose instructions are numbered in order; they are not
/// afterwards. Returns false if there are none.
pub(super) fn count_from_zero(kernel: &mut Kernel) -> bool {
    if !kernel.insts.ids().any(|id| constant_length(kernel, id).is_some()) {
        return false;
    }
    let ranges = range::analyze(kernel);
    let list = std::mem::take(&mut kernel.body);
    let values = Replacements::new(kernel);
    let list = Walk { kernel, ranges, values }.body(list);
    kernel.body = list;
    true
}

/// Returns the constant between start and end of a loop, if only the start varies.
fn constant_length(kernel: &Kernel, id: InstId) -> Option<u64> {
    let Inst { op: Op::For { start, end, step, .. }, ty: Ty::Scalar(scalar), .. } =
        kernel.insts[id]
    else {
        return None;
    };
    let split = |id: InstId| constant_sum(kernel, id).unwrap_or((id, 0));
    let ((base, from), (end_base, to)) = (split(start), split(end));
    let step = evaluate::integer(scalar, kernel.literal(step)?)?;
    let length = to - from;
    (base == end_base && kernel.literal(base).is_none() && step > 0)
        .then(|| u64::try_from(length).ok())?
        .filter(|length| i128::from(*length) <= MAX_NUMBERS)
}

struct Walk<'k> {
    kernel: &'k mut Kernel,
    ranges: Ranges,
    values: Replacements,
}

impl Walk<'_> {
    fn body(&mut self, list: Body) -> Body {
        let mut out = Vec::with_capacity(list.0.len());
        for id in list.0 {
            self.values.apply(&mut self.kernel.insts[id].op);
            let length = constant_length(self.kernel, id).filter(|_| self.is_exact(id));
            let mut op = std::mem::replace(&mut self.kernel.insts[id].op, Op::Return);
            let mut first = None;
            if let (Op::For { start, end, .. }, Some(length)) = (&mut op, length) {
                first = Some(Op::Binary { op: BinaryOp::Add, lhs: *start, rhs: id });
                *start = self.add(id, Op::Const(0), &mut out);
                *end = self.add(id, Op::Const(length), &mut out);
            }
            for inner in op.bodies_mut() {
                let mut list = Vec::new();
                if let Some(sum) = first.take() {
                    let sum = self.add(id, sum, &mut list);
                    self.values.replace(id, sum);
                }
                list.append(&mut self.body(std::mem::take(inner)).0);
                inner.0 = list;
            }
            self.kernel.insts[id].op = op;
            out.push(id);
        }
        Body(out)
    }

    /// Returns true if neither the start nor the end of a loop wraps.
    fn is_exact(&self, id: InstId) -> bool {
        let Op::For { start, end, .. } = self.kernel.insts[id].op else { return false };
        // A value that is no sum with a constant may be new, and has no range then.
        let is_exact =
            |side: InstId| constant_sum(self.kernel, side).is_none() || self.ranges.is_exact(side);
        is_exact(start) && is_exact(end)
    }

    /// Appends a new instruction of the type of `of`.
    fn add(&mut self, of: InstId, op: Op, out: &mut Vec<InstId>) -> InstId {
        let Inst { ty, span, .. } = self.kernel.insts[of];
        let id = self.kernel.insts.push(Inst { op, ty, span });
        out.push(id);
        id
    }
}
