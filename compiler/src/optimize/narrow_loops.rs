//! Versions of loops that count in 32 bits, for ends that fit.
//!
//! ```text
//!                                           if %n <= MAX_END {
//! for %i from 0 to %n, step %s {              for %i from 0 to %n, step %s { .. }
//!   ..                               =>     } else {
//! }                                           for %j from 0 to %n, step %s { .. }
//!                                           }
//! ```
//!
//! [`narrow_indices`](mod@super::narrow_indices) then computes in 32 bits what the first version
//! makes of its counter. The other version is for slices with more elements, and left out where a
//! condition around the loop excludes these.
//!
//! Takes loops over 64-bit numbers that divide in 64 bits or have a step that is not constant,
//! whose starts and steps fit. Where threads meet in one that has versions, all threads of a block
//! agree on the end, so that they run the same version. In other loops a wide counter costs one
//! instruction an iteration, and `ptxas` unrolls them better.
//!
//! Why: indices are `usize` in Rust, and hardly any fills 32 bits. Addresses at multiples of a wide
//! step take several instructions each, and a wide remainder takes 60.
use super::copy::copy_body;
use crate::{
    analysis::{
        range::{self, Range, Ranges},
        uniformity::{self, Varying},
    },
    ir::{BinaryOp, Body, CompareOp, Effect, Inst, InstId, Kernel, Op, Scalar, SyncOp, Ty},
};
use std::collections::{HashMap, HashSet};

/// The largest end of a loop that counts in 32 bits: the counter may pass it by a stride.
const MAX_END: u64 = (1 << 32) - (1 << 27);

/// The most instructions of a loop that is copied.
const MAX_SIZE: usize = 128;

const NARROW: Ty = Ty::Scalar(Scalar::U32);
const WIDE: Ty = Ty::Scalar(Scalar::U64);

/// Versions the loops of `kernel` except `skipped` ones and loops inside them; wide versions join
/// the skipped ones. The instructions are numbered in order; they are not afterwards. Returns true
/// if a loop counts in 32 bits now.
pub(super) fn narrow_loops(kernel: &mut Kernel, skipped: &mut HashSet<InstId>) -> bool {
    if !kernel.insts.ids().any(|id| gains(kernel, id)) {
        return false;
    }
    let (known, before) = (Known::of(kernel), kernel.insts.len());
    let list = std::mem::take(&mut kernel.body);
    kernel.body = body(kernel, &known, list, skipped);
    kernel.insts.len() > before
}

/// True for a loop that is faster in 32 bits.
fn gains(kernel: &Kernel, id: InstId) -> bool {
    let Inst { op: Op::For { step, .. }, ty: WIDE, .. } = kernel.insts[id] else { return false };
    let has_computed_step = !matches!(kernel.insts[step].op, Op::Const(_));
    simple_contents(kernel, id).is_some_and(|found| has_computed_step || found.divides)
}

/// True if the loop `id` is short, and neither has loops inside nor is one where the whole grid
/// meets.
pub(super) fn is_simple(kernel: &Kernel, id: InstId) -> bool {
    simple_contents(kernel, id).is_some()
}

/// Returns the contents of the loop `id` if it is [simple](is_simple).
fn simple_contents(kernel: &Kernel, id: InstId) -> Option<Found> {
    let Op::For { body, inclusive: false, .. } = &kernel.insts[id].op else { return None };
    let found = Found::of(kernel, body);
    (found.size <= MAX_SIZE && !found.excluded).then_some(found)
}

/// The contents of a loop.
struct Found {
    /// The number of instructions.
    size: usize,
    /// True if there are 64-bit divisions.
    divides: bool,
    /// True if there are loops, or if all threads of the grid meet.
    excluded: bool,
    /// True if threads meet.
    meets: bool,
}

impl Found {
    fn of(kernel: &Kernel, list: &Body) -> Self {
        let mut found = Self { size: 0, divides: false, excluded: false, meets: false };
        found.look_at(kernel, list);
        found
    }

    fn look_at(&mut self, kernel: &Kernel, list: &Body) {
        self.size += list.0.len();
        for &id in &list.0 {
            let Inst { op, ty, .. } = &kernel.insts[id];
            self.divides |=
                *ty == WIDE && matches!(op, Op::Binary { op: BinaryOp::Div | BinaryOp::Rem, .. });
            self.excluded |= matches!(
                op,
                Op::For { .. } | Op::Loop { .. } | Op::Sync(SyncOp::SyncGrid | SyncOp::SyncCluster)
            );
            self.meets |= op.effect() == Effect::Sync;
            op.bodies().for_each(|inner| self.look_at(kernel, inner));
        }
    }
}

fn body(kernel: &mut Kernel, known: &Known, list: Body, skipped: &mut HashSet<InstId>) -> Body {
    let mut kept = Vec::with_capacity(list.0.len());
    for id in list.0 {
        if kernel.insts[id].op.is_leaf() || skipped.contains(&id) {
            kept.push(id);
        } else if gains(kernel, id)
            && let Some(fit) = fit(kernel, known, id)
        {
            match fit {
                Fit::Always => count_narrow(kernel, id, &mut kept),
                Fit::Sometimes => make_versions(kernel, id, &mut kept, skipped),
            }
        } else {
            // Taken out while its bodies are walked.
            let mut op = std::mem::replace(&mut kernel.insts[id].op, Op::Return);
            for inner in op.bodies_mut() {
                *inner = body(kernel, known, std::mem::take(inner), skipped);
            }
            kernel.insts[id].op = op;
            kept.push(id);
        }
    }
    Body(kept)
}

/// Facts about the kernel before any loop is versioned.
struct Known {
    ranges: Ranges,
    /// Differences between the threads of a block.
    uniform: Varying,
}

impl Known {
    fn of(kernel: &Kernel) -> Self {
        Self { ranges: range::analyze(kernel), uniform: uniformity::analyze_blocks(kernel) }
    }
}

/// The launches in which a loop can count in 32 bits.
enum Fit {
    Always,
    Sometimes,
}

/// Returns the launches in which the loop `id` can count in 32 bits; `None` if there may be none.
fn fit(kernel: &Kernel, known: &Known, id: InstId) -> Option<Fit> {
    let Op::For { start, end, step, ref body, .. } = kernel.insts[id].op else { return None };
    let ranges = &known.ranges;
    // Threads that meet have to run the same version.
    let may_differ = Found::of(kernel, body).meets && !known.uniform.value[end].is_uniform();
    let narrow = Range::new(0, u32::MAX.into());
    let fits = |id| ranges.get(kernel, id).is_some_and(|range| narrow.contains(range));
    if !fits(start) || !fits(step) {
        return None;
    }
    // The end, where control reaches the loop, is at most 1 more than the largest number in it.
    let (counter, end) = (ranges.get(kernel, id)?, ranges.get(kernel, end)?);
    if counter.max < MAX_END.into() {
        Some(Fit::Always)
    } else {
        (end.min <= MAX_END.into() && !may_differ).then_some(Fit::Sometimes)
    }
}

/// Appends the loop `id` to `kept`, with a counter of 32 bits.
fn count_narrow(kernel: &mut Kernel, id: InstId, kept: &mut Vec<InstId>) {
    let span = kernel.insts[id].span;
    let mut op = std::mem::replace(&mut kernel.insts[id].op, Op::Return);
    for operand in op.operands_mut() {
        let op = Op::Cast { value: *operand };
        *operand = kernel.insts.push(Inst { op, ty: NARROW, span });
        kept.push(*operand);
    }
    let wide = kernel.insts.push(Inst { op: Op::Cast { value: id }, ty: WIDE, span });
    for inner in op.bodies_mut() {
        replace_in(kernel, inner, id, wide);
        inner.0.insert(0, wide);
    }
    kernel.insts[id] = Inst { op, ty: NARROW, span };
    kept.push(id);
}

/// Lets the instructions of `list` use `by` instead of `value`.
fn replace_in(kernel: &mut Kernel, list: &Body, value: InstId, by: InstId) {
    for &id in &list.0 {
        let mut op = std::mem::replace(&mut kernel.insts[id].op, Op::Return);
        op.operands_mut().filter(|operand| **operand == value).for_each(|operand| *operand = by);
        op.bodies().for_each(|inner| replace_in(kernel, inner, value, by));
        kernel.insts[id].op = op;
    }
}

/// Appends to `kept` the condition for the narrow version of the loop `id`, and both versions.
fn make_versions(
    kernel: &mut Kernel,
    id: InstId,
    kept: &mut Vec<InstId>,
    skipped: &mut HashSet<InstId>,
) {
    let Inst { op: Op::For { end, .. }, span, .. } = kernel.insts[id] else {
        unreachable!("it is a loop")
    };
    let wide = copy_body(kernel, &Body(vec![id]), &mut HashMap::new());
    skipped.extend(&wide.0);
    let mut narrow = Vec::new();
    count_narrow(kernel, id, &mut narrow);
    let mut push = |op, ty| {
        let id = kernel.insts.push(Inst { op, ty, span });
        kept.push(id);
        id
    };
    let rhs = push(Op::Const(MAX_END), WIDE);
    let cond = push(Op::Compare { op: CompareOp::Le, lhs: end, rhs }, Scalar::Bool.into());
    push(Op::If { cond, then: Body(narrow), other: wide }, Ty::Unit);
}
