//! Unrolls loops of few iterations that access memory under conditions.
//!
//! Takes innermost loops over constant ranges whose bodies are short, that nothing leaves or
//! continues early, and in which threads do not meet.
//!
//! ```text
//! for %i from 0 to 2, step 1 {            if f(0) { x = load g(0)  store h(0), x }
//!   if f(%i) {                       =>   if f(1) { x = load g(1)  store h(1), x }
//!     x = load g(%i)
//!     store h(%i), x
//!   }
//! }
//! ```
//!
//! Why: neither LLVM nor `ptxas` unrolls these, so each iteration waits for its load. In straight
//! code `ptxas` makes predicated instructions of short arms, and starts all loads ahead of the
//! first store. Loops without conditions are left to `ptxas`, which unrolls them better.
use super::{copy::copy_body, loop_contents::LoopContents};
use crate::ir::{Body, Inst, InstId, Kernel, Op, Ty, evaluate};
use std::collections::{HashMap, HashSet};

/// The loops that are short.
pub(super) struct Limits {
    /// The most iterations.
    iterations: i128,
    /// The most instructions that a loop becomes, constants not counted.
    instructions: usize,
    /// True if they access memory under conditions.
    has_guarded_access: bool,
}

impl Limits {
    /// Those that no back end unrolls.
    pub(super) const GUARDED: Self =
        Self { iterations: 8, instructions: 192, has_guarded_access: true };
    /// Those that LLVM or `ptxas` unrolls completely.
    pub(super) const UNROLLED_BY_BACK_ENDS: Self =
        Self { iterations: 64, instructions: 1024, has_guarded_access: false };
}

/// Unrolls loops of `kernel` within the limits, except `skipped` ones and loops inside them.
/// Returns false if there are none. Instructions are not numbered in order afterwards.
pub(super) fn unroll_short_loops(
    kernel: &mut Kernel,
    limits: &Limits,
    skipped: &HashSet<InstId>,
) -> bool {
    let before = kernel.insts.len();
    let list = std::mem::take(&mut kernel.body);
    kernel.body = body(kernel, list, limits, skipped);
    kernel.insts.len() > before
}

fn body(kernel: &mut Kernel, list: Body, limits: &Limits, skipped: &HashSet<InstId>) -> Body {
    let mut kept = Vec::with_capacity(list.0.len());
    for id in list.0 {
        if kernel.insts[id].op.is_leaf() || skipped.contains(&id) {
            kept.push(id);
            continue;
        }
        if let Some(numbers) = numbers(kernel, id, limits) {
            unroll(kernel, id, numbers, &mut kept);
            continue;
        }
        // Taken out while its bodies are walked.
        let mut op = std::mem::replace(&mut kernel.insts[id].op, Op::Return);
        for inner in op.bodies_mut() {
            *inner = body(kernel, std::mem::take(inner), limits, skipped);
        }
        kernel.insts[id].op = op;
        kept.push(id);
    }
    Body(kept)
}

/// Returns the counter's values in each iteration of a loop to unroll.
fn numbers(kernel: &Kernel, id: InstId, limits: &Limits) -> Option<Vec<u64>> {
    let Inst { op: Op::For { start, end, step, inclusive, body }, ty: Ty::Scalar(scalar), .. } =
        &kernel.insts[id]
    else {
        return None;
    };
    let number = |id: InstId| match kernel.insts[id].op {
        Op::Const(bits) => evaluate::integer(*scalar, bits),
        _ => None,
    };
    let (start, end, step) = (number(*start)?, number(*end)?, number(*step)?);
    let iterations = (end - start + i128::from(*inclusive) + step - 1).checked_div(step)?;
    if step < 0 || !(1..=limits.iterations).contains(&iterations) {
        return None;
    }
    let contents = LoopContents::of(kernel, id, body)?;
    let is_unrolled = (contents.has_guarded_access || !limits.has_guarded_access)
        && !contents.meets
        && contents.size * iterations as usize <= limits.instructions
        && kernel.falls_through(body);
    let counter = |iteration| evaluate::wrap(*scalar, start + iteration * step);
    is_unrolled.then(|| (0..iterations).map(counter).collect())
}

/// Appends all iterations of the loop `id` to `kept`.
fn unroll(kernel: &mut Kernel, id: InstId, numbers: Vec<u64>, kept: &mut Vec<InstId>) {
    let Inst { op, ty, span } = kernel.insts[id].clone();
    for bits in numbers {
        let counter = kernel.insts.push(Inst { op: Op::Const(bits), ty, span });
        kept.push(counter);
        for body in op.bodies() {
            kept.extend(copy_body(kernel, body, &mut HashMap::from([(id, counter)])).0);
        }
    }
}
