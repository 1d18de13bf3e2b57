//! Reads of locals that need a copy.
//!
//! A local has one register, and the value of a `get` must outlive a later `set`. Most
//! values are used up before the next one, and stand for the register itself: `ptxas` does not
//! always join a register and its copy again, which costs moves in loops.
//!
//! Instructions are numbered in the order of the text. A value is live from its `get` until its
//! last user runs, and through every loop around a user that is not around
//! the `get`. Some users only pass the register on to theirs.
use crate::{
    id::{self, Id},
    ir::{BinaryOp, InstId, Kernel, Op},
};

/// Finds the `get`s that a `set` of the same local comes between and the end of their value's life.
pub(super) fn needed(kernel: &Kernel, ends: &id::Facts<InstId, usize>) -> id::Facts<InstId, bool> {
    let until = lives(kernel, ends);
    let mut sets = kernel.locals.lists();
    for (id, inst) in kernel.insts.iter() {
        if let Op::Set { local, .. } = inst.op {
            sets.list_mut(local).push(id.index());
        }
    }
    let mut needed = kernel.insts.facts(false);
    for (id, inst) in kernel.insts.iter() {
        if let Op::Get(local) = inst.op {
            let next = sets[local].partition_point(|set| *set <= id.index());
            needed[id] = sets[local].get(next).is_some_and(|set| *set < until[id]);
        }
    }
    needed
}

/// The number behind the last instruction inside each.
pub(super) fn ends(kernel: &Kernel) -> id::Facts<InstId, usize> {
    let mut ends = kernel.insts.facts(0);
    for id in kernel.insts.ids().rev() {
        ends[id] = id.index() + 1;
        let op = &kernel.insts[id].op;
        if !op.is_leaf() {
            let last = op.bodies().filter_map(|body| body.0.last()).last();
            ends[id] = last.map_or(ends[id], |last| ends[*last]);
        }
    }
    ends
}

/// The number of the instruction before which each value may be overwritten.
fn lives(kernel: &Kernel, ends: &id::Facts<InstId, usize>) -> id::Facts<InstId, usize> {
    let mut loops: Vec<InstId> = Vec::new();
    // How many of them begin before the end of each instruction's line.
    let mut begun = kernel.insts.facts(0);
    for (id, inst) in kernel.insts.iter() {
        if let Op::For { .. } | Op::Loop { .. } = inst.op {
            loops.push(id);
        }
        begun[id] = loops.len();
    }
    let (mut until, loops) = (kernel.insts.facts(0), loops.as_slice());
    for (user, inst) in kernel.insts.iter().rev() {
        let op = &inst.op;
        let used = if matches!(op, Op::For { .. }) {
            ends[user]
        } else if passes_on(op) {
            until[user].max(user.index())
        } else {
            user.index()
        };
        op.operands().for_each(|value| {
            // A later user, or a loop around it, has all loops around this one, too.
            if until[value] >= used {
                return;
            }
            // The outermost loop around the user, of those behind the value.
            let (mut next, mut used) = (begun[value], used);
            while next < loops.len() && loops[next].index() < used {
                if used <= ends[loops[next]] {
                    used = ends[loops[next]];
                    break;
                }
                next += 1;
            }
            until[value] = until[value].max(used);
        });
    }
    until
}

/// Returns true if a user of `op` may read the register of `op`'s operand: addresses do, and what
/// becomes one instruction with `op`, as [absolute differences](crate::back::find_abs_diff) and
/// [packed halves](crate::back::find_packed_halves) do.
fn passes_on(op: &Op) -> bool {
    matches!(
        op,
        Op::Bounds { .. }
            | Op::Cast { .. }
            | Op::Bitcast { .. }
            | Op::Unary { .. }
            | Op::Binary {
                op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Shl | BinaryOp::Max | BinaryOp::Min,
                ..
            }
    )
}
