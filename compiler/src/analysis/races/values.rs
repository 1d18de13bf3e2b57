//! Equality of the values that two threads store.
use super::{accesses::SharedAccess, grid::is_launch_constant};
use crate::{
    analysis::{
        symbolic::{AccessKind, EventKind, SymbolicSum, Trace},
        uniformity::Uniformity,
    },
    ir::{Builtin, CopyOp, Effect, InstId, Kernel, Op, Root},
};

/// Maximum depth of a compared expression.
const MAX_DEPTH: u32 = 12;

/// The comparison of values that threads of a block compute.
pub(super) struct StoredValues<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) uniformity: &'a Uniformity,
    pub(super) trace: &'a Trace,
}

impl StoredValues<'_> {
    /// Returns true if two stores, one of each thread, certainly store the same bits.
    pub(super) fn store_equal_values(
        &self,
        stores: [&SharedAccess<'_>; 2],
        threads: [usize; 2],
    ) -> bool {
        let [a, b] = stores;
        if let [AccessKind::Store(Some(a)), AccessKind::Store(Some(b))] = [&a.kind, &b.kind]
            && a == b
            && a.difference(threads[0], threads[1]) == Some(0)
            && a.as_numbers().is_some()
        {
            return true;
        }
        match [self.stored_value(a.inst), self.stored_value(b.inst)] {
            [Some(x), Some(y)] if a.event_index == b.event_index => {
                x == y && self.is_equal(x, threads, 0)
            }
            [Some(x), Some(y)] => {
                self.kernel.literal(x).is_some() && self.kernel.literal(x) == self.kernel.literal(y)
            }
            [None, _] | [_, None] => false,
        }
    }

    /// Returns true if two stores, each of a different block, certainly store the same bits.
    pub(super) fn store_equal_values_across_blocks(&self, stores: [&SharedAccess<'_>; 2]) -> bool {
        let [Some(a), Some(b)] = stores.map(|of| self.stored_value(of.inst)) else { return false };
        let constant = self.kernel.literal(a);
        constant.is_some() && constant == self.kernel.literal(b)
            || a == b && is_launch_constant(self.kernel, a)
    }

    /// Returns true if a written value is computed from a builtin for which `is` holds, also
    /// through memory that is read at an address computed from it.
    pub(super) fn writes_value_from(&self, write: InstId, is: &dyn Fn(Builtin) -> bool) -> bool {
        let op = &self.kernel.insts[write].op;
        let values = if let Op::Store { value, .. }
        | Op::AtomicStore { value, .. }
        | Op::Atomic { value, .. } = op
        {
            vec![*value]
        } else if let Op::CompareExchange { expected, value, .. } = op {
            vec![*expected, *value]
        } else {
            Vec::new()
        };
        self.are_computed_from(values, is)
    }

    /// Returns true if any of these values is computed from a builtin for which `is` holds, in the
    /// same sense.
    pub(super) fn are_computed_from(
        &self,
        mut open: Vec<InstId>,
        is: &dyn Fn(Builtin) -> bool,
    ) -> bool {
        let mut seen = self.kernel.insts.facts(false);
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut seen[id], true) {
                continue;
            }
            let op = &self.kernel.insts[id].op;
            if matches!(op, Op::Builtin(builtin) if is(*builtin)) {
                return true;
            }
            if let Op::Get(local) = op {
                open.extend(self.kernel.insts.iter().filter_map(|(_, inst)| {
                    let Op::Set { local: of, value } = inst.op else { return None };
                    (of == *local).then_some(value)
                }));
            }
            if let Op::Load { ptr, .. } = op {
                open.extend(self.values_stored_in(self.kernel.root(*ptr)));
            }
            open.extend(op.operands());
        }
        false
    }

    /// Returns the values stored in an array or buffer, and the addresses that are copied to it;
    /// none if the object is unknown.
    fn values_stored_in(&self, root: Option<Root>) -> impl Iterator<Item = InstId> {
        let stores = self.kernel.insts.iter().filter_map(|(_, inst)| {
            let (Op::Store { ptr, value, .. }
            | Op::Copy(
                CopyOp::AsyncCopy { to: ptr, from: value, .. }
                | CopyOp::BulkCopy { to: ptr, from: value, .. }
                | CopyOp::BulkStore { to: ptr, from: value, .. },
            )) = inst.op
            else {
                return None;
            };
            Some((self.kernel.root(ptr), value))
        });
        stores.filter(move |(of, _)| root.is_some() && *of == root).map(|(_, value)| value)
    }

    /// Returns the value of a plain store.
    fn stored_value(&self, inst: InstId) -> Option<InstId> {
        let Op::Store { value, .. } = self.kernel.insts[inst].op else { return None };
        Some(value)
    }

    /// Returns true if `id` yields the same value in two threads that run it together.
    fn is_equal(&self, id: InstId, threads: [usize; 2], depth: u32) -> bool {
        let warps = threads.map(|thread| thread / 32);
        if self.uniformity.block.value[id].is_uniform()
            || warps[0] == warps[1] && self.uniformity.warp.value[id].is_uniform()
        {
            return true;
        }
        let inst = &self.kernel.insts[id];
        if depth == MAX_DEPTH {
            return false;
        }
        if let Op::Load { ptr, .. } = inst.op {
            return self.is_constant_memory(ptr) && self.load_equal_values(id, threads);
        }
        let is_function = inst.op.effect() == Effect::None && !matches!(inst.op, Op::Builtin(_));
        let mut operands = inst.op.operands().peekable();
        is_function
            && operands.peek().is_some()
            && operands.all(|operand| self.is_equal(operand, threads, depth + 1))
    }

    /// Returns true if no thread writes to the target of `ptr` while the kernel runs.
    fn is_constant_memory(&self, ptr: InstId) -> bool {
        self.kernel.root(ptr).is_some_and(|root| self.kernel.is_read_only(root))
    }

    /// Returns true if two threads always load from the same address.
    fn load_equal_values(&self, load: InstId, threads: [usize; 2]) -> bool {
        let mut events = self.trace.events.iter().filter(|event| event.inst == load).peekable();
        events.peek().is_some()
            && events.all(|event| {
                let EventKind::Access(access) = &event.kind else { return false };
                let difference = |of: &SymbolicSum| of.difference(threads[0], threads[1]);
                access.offset.as_ref().and_then(difference) == Some(0)
            })
    }
}
