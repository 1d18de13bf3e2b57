//! Replacements of values, which a pass applies to the users of a dropped instruction when it
//! reaches them.
use crate::{
    id::Facts,
    ir::{InstId, Kernel, Op},
};

/// The replacements of the values of a kernel.
///
/// Replacements are not followed: the value that users take instead must have no replacement.
pub(super) struct Replacements {
    /// For each instruction, the one that its users take instead.
    by: Facts<InstId, Option<InstId>>,
    /// True if there are no replacements, as is usual, so that [`Self::apply`] has nothing to do.
    is_empty: bool,
}

impl Replacements {
    /// Creates an empty set of replacements.
    pub(super) fn new(kernel: &Kernel) -> Self {
        Self { by: kernel.insts.facts(None), is_empty: true }
    }

    /// Makes users of `id` take `by`, which is visible wherever `id` is.
    pub(super) fn replace(&mut self, id: InstId, by: InstId) {
        self.by[id] = Some(by);
        self.is_empty = false;
    }

    /// Returns the replacement of `id`, or `id` itself.
    pub(super) fn resolve(&self, id: InstId) -> InstId {
        self.by[id].unwrap_or(id)
    }

    /// Replaces the operands of `op`.
    pub(super) fn apply(&self, op: &mut Op) {
        if !self.is_empty {
            op.operands_mut().for_each(|operand| *operand = self.resolve(*operand));
        }
    }
}
