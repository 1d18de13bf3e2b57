//! Copies of instructions, for passes that repeat code.
use crate::ir::{Body, InstId, Kernel, Op};
use std::collections::HashMap;

/// Returns a copy of `list`. `new` maps instructions to their replacements in the copy, and gains
/// an entry for each that is copied.
pub(super) fn copy_body(
    kernel: &mut Kernel,
    list: &Body,
    new: &mut HashMap<InstId, InstId>,
) -> Body {
    Body(list.0.iter().map(|&id| copy_inst(kernel, id, new)).collect())
}

fn copy_inst(kernel: &mut Kernel, id: InstId, new: &mut HashMap<InstId, InstId>) -> InstId {
    let mut inst = kernel.insts[id].clone();
    let of = |old: &mut InstId| *old = new.get(old).copied().unwrap_or(*old);
    inst.op.operands_mut().for_each(of);
    if let Op::Break(target) | Op::Continue(target) = &mut inst.op {
        of(target);
    }
    // A block is named by what it holds.
    let copy = kernel.insts.push(inst);
    new.insert(id, copy);
    if kernel.insts[copy].op.is_leaf() {
        return copy;
    }
    let mut op = std::mem::replace(&mut kernel.insts[copy].op, Op::Return);
    for inner in op.bodies_mut() {
        *inner = copy_body(kernel, inner, new);
    }
    kernel.insts[copy].op = op;
    copy
}
