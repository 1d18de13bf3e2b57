//! Drops what computes or sets something that nothing needs.
//!
//! Needed are effects outside the thread, what can end it, what meets others, and loops
//! that might never end; and whatever those need. A load that nobody uses is dropped;
//! an atomic one is kept, for it orders others.
//!
//! Why: the other passes leave dead instructions behind, and the front end computes addresses
//! and lengths that are not used in the end.
use super::drop_insts;
use crate::{
    id::{Facts, Lists},
    ir::{Body, Effect, InstId, Kernel, LocalId, Op},
};

/// Drops dead instructions of `kernel`.
pub(super) fn eliminate_dead_code(kernel: &mut Kernel) {
    let mut uses = Uses {
        parent: kernel.insts.facts(None),
        exits: kernel.insts.lists(),
        sets: kernel.locals.lists(),
        roots: Vec::new(),
    };
    uses.note(kernel, &kernel.body, None);
    let mut dead = kernel.insts.facts(true);
    let mut needed = std::mem::take(&mut uses.roots);
    while let Some(id) = needed.pop() {
        if !std::mem::replace(&mut dead[id], false) {
            continue;
        }
        let op = &kernel.insts[id].op;
        op.operands().for_each(|operand| {
            if dead[operand] {
                needed.push(operand);
            }
        });
        if let Some(parent) = uses.parent[id]
            && dead[parent]
        {
            needed.push(parent);
        }
        if !op.is_leaf() {
            needed.extend_from_slice(&uses.exits[id]);
        } else if let Op::Get(local) = op {
            needed.extend_from_slice(&uses.sets[*local]);
        }
    }
    drop_insts(kernel, &dead);
}

/// The dependencies of instructions besides their operands.
struct Uses {
    /// The instruction whose body holds it.
    parent: Facts<InstId, Option<InstId>>,
    /// The `break`s and `continue`s of a loop or block.
    exits: Lists<InstId, InstId>,
    /// The instructions that set each local.
    sets: Lists<LocalId, InstId>,
    /// Instructions that are needed in any case.
    roots: Vec<InstId>,
}

impl Uses {
    fn note(&mut self, kernel: &Kernel, list: &Body, parent: Option<InstId>) {
        for &id in &list.0 {
            self.parent[id] = parent;
            let op = &kernel.insts[id].op;
            if let Op::Break(target) | Op::Continue(target) = op {
                self.exits.list_mut(*target).push(id);
            } else if let Op::Set { local, .. } = op {
                self.sets.list_mut(*local).push(id);
            } else if is_root(op) {
                self.roots.push(id);
            }
            if !op.is_leaf() {
                op.bodies().for_each(|inner| self.note(kernel, inner, Some(id)));
            }
        }
    }
}

/// True if it is needed whoever uses it.
fn is_root(op: &Op) -> bool {
    match op.effect() {
        Effect::None | Effect::Read => false,
        Effect::Fault | Effect::Sync => true,
        Effect::Write => !matches!(op, Op::Set { .. }),
        // A `for` ends, and then only what is in it matters.
        Effect::Control => matches!(op, Op::Loop { .. } | Op::Return | Op::Panic { .. }),
    }
}
