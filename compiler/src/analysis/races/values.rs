//! Whether two threads store the same value.
use super::{accesses::Access, across::is_of_launch};
use crate::{
    analysis::{
        symbolic::{AccessKind, Trace, Value, What},
        uniformity::Uniformity,
    },
    ir::{Builtin, Effect, InstId, Kernel, Op, Root},
};

/// How deep an expression is looked at.
const MOST_DEPTH: u32 = 12;

/// Compares what threads of a block compute.
pub(super) struct Values<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) uniformity: &'a Uniformity,
    pub(super) trace: &'a Trace,
}

impl Values<'_> {
    /// Whether two stores, one of each thread, are known to store the same bits.
    pub(super) fn stored_same(&self, stores: [&Access<'_>; 2], threads: [usize; 2]) -> bool {
        let [a, b] = stores;
        if let [AccessKind::Store(Some(a)), AccessKind::Store(Some(b))] = [&a.kind, &b.kind]
            && a == b
            && a.difference(threads[0], threads[1]) == Some(0)
            && a.exact().is_some()
        {
            return true;
        }
        match [self.stored(a.inst), self.stored(b.inst)] {
            [Some(x), Some(y)] if a.number == b.number => x == y && self.same(x, threads, 0),
            [Some(x), Some(y)] => {
                self.kernel.literal(x).is_some() && self.kernel.literal(x) == self.kernel.literal(y)
            }
            [None, _] | [_, None] => false,
        }
    }

    /// Whether two stores, each of a block of its own, are known to store the same bits.
    pub(super) fn stored_same_by_blocks(&self, stores: [&Access<'_>; 2]) -> bool {
        let [Some(a), Some(b)] = stores.map(|of| self.stored(of.inst)) else { return false };
        let constant = self.kernel.literal(a);
        constant.is_some() && constant == self.kernel.literal(b)
            || a == b && is_of_launch(self.kernel, a)
    }

    /// Whether what an instruction writes is computed from a builtin that `is` holds for, also by way of memory
    /// that is read at a place that depends on it.
    pub(super) fn writes_function_of(&self, write: InstId, is: &dyn Fn(Builtin) -> bool) -> bool {
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
        self.are_function_of(values, is)
    }

    /// Whether any of these values is computed from a builtin that `is` holds for, likewise.
    pub(super) fn are_function_of(
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
            if let Op::Load { ptr } = op {
                open.extend(self.stored_in(self.kernel.root(*ptr)));
            }
            open.extend(op.operands());
        }
        false
    }

    /// What is stored in an array or buffer; nothing if it is not known which is meant.
    fn stored_in(&self, root: Option<Root>) -> impl Iterator<Item = InstId> {
        let stores = self.kernel.insts.iter().filter_map(|(_, inst)| {
            let Op::Store { ptr, value } = inst.op else { return None };
            Some((self.kernel.root(ptr), value))
        });
        stores.filter(move |(of, _)| root.is_some() && *of == root).map(|(_, value)| value)
    }

    /// What an instruction stores, if it is a plain store.
    fn stored(&self, inst: InstId) -> Option<InstId> {
        let Op::Store { value, .. } = self.kernel.insts[inst].op else { return None };
        Some(value)
    }

    /// Whether `id` yields the same in two threads that run it together.
    fn same(&self, id: InstId, threads: [usize; 2], depth: u32) -> bool {
        let warps = threads.map(|thread| thread / 32);
        if self.uniformity.block.value[id].is_uniform()
            || warps[0] == warps[1] && self.uniformity.warp.value[id].is_uniform()
        {
            return true;
        }
        let inst = &self.kernel.insts[id];
        if depth == MOST_DEPTH {
            return false;
        }
        if let Op::Load { ptr } = inst.op {
            return self.is_constant_memory(ptr) && self.reads_same(id, threads);
        }
        let is_function = inst.op.effect() == Effect::None && !matches!(inst.op, Op::Builtin(_));
        let mut operands = inst.op.operands().peekable();
        is_function
            && operands.peek().is_some()
            && operands.all(|operand| self.same(operand, threads, depth + 1))
    }

    /// Whether nobody writes what `ptr` points to while the kernel runs.
    fn is_constant_memory(&self, ptr: InstId) -> bool {
        self.kernel.root(ptr).is_some_and(|root| self.kernel.is_read_only(root))
    }

    /// Whether two threads always load from the same place.
    fn reads_same(&self, load: InstId, threads: [usize; 2]) -> bool {
        let mut events = self.trace.events.iter().filter(|event| event.inst == load).peekable();
        events.peek().is_some()
            && events.all(|event| {
                let What::Access(access) = &event.what else { return false };
                let difference = |of: &Value| of.difference(threads[0], threads[1]);
                access.offset.as_ref().and_then(difference) == Some(0)
            })
    }
}
