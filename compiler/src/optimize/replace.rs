//! Replacements of values: a pass drops an instruction without touching its users before it reaches
//! them.
use crate::{
    id::Facts,
    ir::{InstId, Kernel, Op},
};

/// For each instruction, the one that its users take instead; and whether there are any.
pub(super) struct Replacements(Facts<InstId, Option<InstId>>, bool);

impl Replacements {
    /// Nothing is replaced yet.
    pub(super) fn new(kernel: &Kernel) -> Self {
        Self(kernel.insts.facts(None), false)
    }
    /// From now on, users of `id` take `by`, which is visible wherever `id` is.
    pub(super) fn replace(&mut self, id: InstId, by: InstId) {
        self.0[id] = Some(by);
        self.1 = true;
    }
    /// Returns the replacement of `id`.
    pub(super) fn of(&self, id: InstId) -> InstId {
        self.0[id].unwrap_or(id)
    }
    /// Lets `op` use what stands for its operands.
    pub(super) fn apply(&self, op: &mut Op) {
        if self.1 {
            op.operands_mut().for_each(|operand| *operand = self.of(*operand));
        }
    }
}
