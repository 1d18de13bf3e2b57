//! Loads of indices before the first check of an iteration.
//!
//! ```text
//! %2 = load %columns + %i                 %2 = load %columns + %i
//! %3 = bounds %2, %len                    %5 = load %columns + %j
//! %4 = load %x + %3                       %3 = bounds %2, %len
//! %5 = load %columns + %j           =>    %4 = load %x + %3
//! %6 = bounds %5, %len                    %6 = bounds %5, %len
//! %7 = load %x + %6                       %7 = load %x + %6
//! ```
//!
//! No check of the iteration comes before such a load, so its address does not depend on one, and
//! the iteration takes place unless an earlier one ends the thread. In that case the load runs
//! where it would not have, which cannot be observed.
//!
//! Why: the checks of all iterations can then move together, and the loads after them overlap.
//! Otherwise each iteration waits for memory twice.
use super::super::hoist_loads::is_constant_load;
use crate::{
    id::Facts,
    ir::{Body, Effect, InstId, Kernel, Op},
};

/// Splits the iteration `list` into the loads that decide checks, with all that these loads need,
/// and the rest. Later iterations may run their first part ahead of the checks of earlier ones.
pub(super) fn split_iteration(kernel: &Kernel, list: &Body) -> [Body; 2] {
    let movable = find_movable(kernel, list);
    let mut first = kernel.insts.facts(false);
    let needs = |id: InstId| kernel.insts[id].op.operands().filter(|&operand| movable[operand]);
    let decides = find_deciding_loads(kernel, list, &movable);
    for &id in list.0.iter().rev() {
        first[id] |= decides[id];
        if first[id] {
            needs(id).for_each(|operand| first[operand] = true);
        }
    }
    let part = |is_first| list.0.iter().copied().filter(|&id| first[id] == is_first).collect();
    [true, false].map(|is_first| Body(part(is_first)))
}

/// Finds the loads of `list` before its first check whose addresses do not depend on written
/// memory, and the values in those addresses.
fn find_movable(kernel: &Kernel, list: &Body) -> Facts<InstId, bool> {
    let [mut is_inside, mut movable] = [(); 2].map(|()| kernel.insts.facts(false));
    list.0.iter().for_each(|&id| is_inside[id] = true);
    for &id in &list.0 {
        let op = &kernel.insts[id].op;
        let effect = op.effect();
        if !matches!(effect, Effect::None | Effect::Read | Effect::Write) {
            break;
        }
        let is_known = |operand: InstId| !is_inside[operand] || movable[operand];
        let may_move = effect == Effect::None || is_constant_load(kernel, id);
        movable[id] = may_move && op.operands().all(is_known);
    }
    movable
}

/// Finds the loads among `movable` that the indices of checks in `list` depend on.
fn find_deciding_loads(
    kernel: &Kernel,
    list: &Body,
    movable: &Facts<InstId, bool>,
) -> Facts<InstId, bool> {
    let [mut needed, mut decides] = [(); 2].map(|()| kernel.insts.facts(false));
    for &id in list.0.iter().rev() {
        let op = &kernel.insts[id].op;
        if let Op::Bounds { index, .. } = *op {
            needed[index] = true;
        } else if needed[id] && op.effect() == Effect::None {
            op.operands().for_each(|operand| needed[operand] = true);
        }
        decides[id] = needed[id] && movable[id] && matches!(op, Op::Load { .. });
    }
    decides
}
