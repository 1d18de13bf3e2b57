//! Finds what differs between the threads that one thread does the work of.
use super::{super::version_loops::OmittedChecks, Threads};
use crate::{
    analysis::tables::{self, Tables},
    id::Facts,
    ir::{Axis, Body, Inst, InstId, Kernel, LocalId, Op, Root, Space, Ty},
};
use std::collections::HashSet;

/// The difference between the values of such threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Varies {
    /// None: it is one value.
    No,
    /// None, and it is computed from what a loop around it loads: threads that compare their own
    /// indices with it decide differently in one iteration or another.
    NoLoaded,
    /// It is computed from their indices, and threads of neighbouring blocks mostly decide alike by
    /// it.
    ByIndex,
    /// It is computed from what is in memory, or in several iterations of a loop.
    ByData,
}

impl Varies {
    /// True for one value.
    pub(super) const fn is_same(self) -> bool {
        matches!(self, Self::No | Self::NoLoaded)
    }

    /// Returns the difference between values that are computed from two that differ so.
    fn join(self, other: Self) -> Self {
        match self.max(other) {
            Self::ByIndex if self.min(other) == Self::NoLoaded => Self::ByData,
            more => more,
        }
    }
}

/// The differences between threads in a body.
pub(super) struct Variance {
    pub(super) value: Facts<InstId, Varies>,
    pub(super) local: Facts<LocalId, Varies>,
    /// The number of loads from parameters that each thread does by itself.
    pub(super) own_loads: usize,
    /// True if one of them is from a parameter that the kernel stores to.
    pub(super) loads_what_is_stored: bool,
    /// Of an `if`: true if it is run for each thread by itself.
    pub(super) is_apart: Facts<InstId, bool>,
}

/// True if `kernel` has only instructions that may run for several threads at once.
pub(super) fn is_supported(kernel: &Kernel) -> bool {
    let tables = tables::find_tables(kernel);
    kernel.shared.is_empty()
        && kernel.arrays.ids().all(|array| tables.contains_key(&array))
        && kernel.insts.iter().all(|(_, inst)| match inst.op {
            Op::AtomicLoad { .. }
            | Op::AtomicStore { .. }
            | Op::Atomic { .. }
            | Op::CompareExchange { .. }
            | Op::Sync(_)
            | Op::Copy(_)
            | Op::Prefetch { .. }
            | Op::Matrix(_)
            | Op::Warp(_)
            | Op::Texture { .. }
            | Op::Ptx { .. }
            | Op::PtxOutput { .. }
            | Op::Interpreted
            | Op::Print { .. }
            | Op::Panic { .. }
            | Op::Generic(_)
            | Op::MulAdd { .. } => false,
            Op::Const(_)
            | Op::Param(_)
            | Op::Len(_)
            | Op::Shared(_)
            | Op::Array(_)
            | Op::Builtin(_)
            | Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Compare { .. }
            | Op::Cast { .. }
            | Op::Bitcast { .. }
            | Op::Select { .. }
            | Op::Ternary { .. }
            | Op::Fma { .. }
            | Op::Index { .. }
            | Op::Offset { .. }
            | Op::MapShared { .. }
            | Op::Bounds { .. }
            | Op::Check { .. }
            | Op::Get(_)
            | Op::Set { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::If { .. }
            | Op::For { .. }
            | Op::Loop { .. }
            | Op::Block { .. }
            | Op::Break(_)
            | Op::Continue(_)
            | Op::Return => true,
        })
}

impl Variance {
    /// Finds what differs in `body` between `threads`, and whether these can run side by side. They
    /// may leave as long as nothing is stored.
    pub(super) fn of(
        kernel: &Kernel,
        threads: &Threads,
        omitted: &OmittedChecks,
        body: &Body,
    ) -> (Self, bool) {
        let mut walk = Walk {
            kernel,
            threads,
            omitted,
            tables: tables::find_tables(kernel),
            stored: kernel.insts.iter().filter_map(|(_, inst)| stored_root(kernel, inst)).collect(),
            found: Self {
                value: kernel.insts.facts(Varies::No),
                local: kernel.locals.facts(Varies::No),
                own_loads: 0,
                loads_what_is_stored: false,
                is_apart: kernel.insts.facts(false),
            },
            grew: true,
            has_stored: false,
            loops: 0,
            long_loops: 0,
        };
        walk.found.value[threads.template] = Varies::ByIndex;
        let mut fits = true;
        while std::mem::take(&mut walk.grew) {
            walk.has_stored = false;
            walk.found.own_loads = 0;
            fits = walk.body(body, Varies::No);
        }
        (walk.found, fits)
    }
}

struct Walk<'k> {
    kernel: &'k Kernel,
    threads: &'k Threads,
    omitted: &'k OmittedChecks,
    tables: Tables,
    /// The memory that the kernel stores to.
    stored: Vec<Root>,
    found: Variance,
    /// True if a local differs more than was known before.
    grew: bool,
    /// True if a thread may have stored something.
    has_stored: bool,
    /// The number of loops around.
    loops: usize,
    /// The number of these whose length is unknown.
    long_loops: usize,
}

impl Walk<'_> {
    /// Walks a body that runs under conditions that vary like `around`. Returns false if it cannot
    /// run for several threads.
    fn body(&mut self, list: &Body, around: Varies) -> bool {
        let mut fits = true;
        for &id in &list.0 {
            // Whatever came before, so that every value is known after a round.
            fits &= self.inst(id, around);
        }
        fits
    }

    fn inst(&mut self, id: InstId, around: Varies) -> bool {
        let op = &self.kernel.insts[id].op;
        let is_apart = around == Varies::ByData;
        let operands = op.operands().map(|operand| self.found.value[operand]).reduce(Varies::join);
        let varies = operands.unwrap_or(Varies::No);
        self.found.value[id] = varies;
        match op {
            Op::Get(local) => {
                self.found.value[id] = self.found.local[*local];
                true
            }
            Op::Set { local, .. } => {
                self.set(*local, varies, around);
                true
            }
            Op::Load { ptr, .. } => {
                self.found.value[id] = self.loaded(*ptr);
                // In a loop, a thread has loads of several iterations in flight already. What it
                // reads of a row in one brings what it reads in the next into the cache, unless the
                // rows of several threads each are too much for it: Hamming distances of codes of
                // 64 bytes take 119 us instead of 83 then, on an H200.
                let is_shared = self.found.value[*ptr].is_same();
                if !is_shared && let Some(root @ Root::Param(_)) = self.kernel.root(*ptr) {
                    self.found.own_loads += 1;
                    self.found.loads_what_is_stored |= self.stored.contains(&root);
                }
                self.loops == 0 || is_shared || self.threads.axis != Axis::X
            }
            Op::Store { .. } => {
                self.has_stored |= is_global_store(self.kernel, op);
                true
            }
            Op::Bounds { .. } if self.omitted.contains(id) => true,
            // Leaves for the loop, which starts from the beginning.
            Op::Bounds { .. } | Op::Check { .. } => !is_apart && !self.has_stored,
            Op::Break(target) if *target == self.threads.side_by_side => {
                !is_apart && !self.has_stored
            }
            Op::Break(_) | Op::Continue(_) | Op::Return => !is_apart,
            Op::If { then, other, .. } => {
                let fits = self.choose(id, varies, [then, other], around);
                // The conditions of all threads would be in predicates through the loop, of which
                // there are seven: a convolution over the channels of images takes 980 us instead
                // of 661 then, on an H200. In a loop that is unrolled, each of them selects each
                // thread's value of each local: the largest of 3x3 pixels and its place take 207 us
                // instead of 119.
                let mut set = HashSet::new();
                [then, other]
                    .into_iter()
                    .for_each(|arm| find_set_locals(self.kernel, arm, &mut set));
                let is_costly = self.long_loops > 0 || self.loops > 0 && set.len() > 1;
                fits && !(is_costly && varies == Varies::ByIndex)
            }
            Op::For { start, end, step, body, .. } => {
                let numbers = [start, end, step].map(|id| self.kernel.literal(*id));
                let is_long = numbers.contains(&None);
                varies.is_same() && self.repeat(is_long, body, around)
            }
            Op::Loop { body } => self.repeat(true, body, around),
            Op::Block { body } => self.body(body, around),
            _ => true,
        }
    }

    fn set(&mut self, local: LocalId, value: Varies, around: Varies) {
        let several = self.loops > 0 && !value.is_same();
        let apart = around == Varies::ByData;
        let varies = if several || apart { Varies::ByData } else { value };
        if varies > self.found.local[local] {
            self.found.local[local] = varies;
            self.grew = true;
        }
    }

    /// The variance of what is loaded from `ptr`.
    fn loaded(&self, ptr: InstId) -> Varies {
        let never_written = match self.kernel.root(ptr) {
            Some(Root::Array(_)) => {
                tables::table_of_pointer(&self.tables, self.kernel, ptr).is_some()
            }
            Some(root @ (Root::Param(_) | Root::Shared(_))) => self.kernel.is_read_only(root),
            None => false,
        };
        let is_same = self.found.value[ptr].is_same();
        if !is_same || !never_written && self.has_stored {
            Varies::ByData
        } else if self.loops > 0 {
            Varies::NoLoaded
        } else {
            Varies::No
        }
    }

    fn choose(&mut self, id: InstId, cond: Varies, arms: [&Body; 2], around: Varies) -> bool {
        let apart = match cond {
            Varies::No | Varies::NoLoaded => false,
            Varies::ByIndex => self.has_stored || around == Varies::ByData,
            Varies::ByData => true,
        };
        self.found.is_apart[id] = apart;
        let around = if apart { Varies::ByData } else { around };
        let before = self.has_stored;
        let mut stored = before;
        let mut fits = true;
        for arm in arms {
            self.has_stored = before;
            fits &= self.body(arm, around);
            stored |= self.has_stored;
        }
        self.has_stored = stored;
        fits
    }

    fn repeat(&mut self, is_long: bool, body: &Body, around: Varies) -> bool {
        self.has_stored |= stores(self.kernel, body);
        self.loops += 1;
        self.long_loops += usize::from(is_long);
        let fits = self.body(body, around);
        self.long_loops -= usize::from(is_long);
        self.loops -= 1;
        fits
    }
}

/// Returns the memory that `inst` stores to.
fn stored_root(kernel: &Kernel, inst: &Inst) -> Option<Root> {
    let Op::Store { ptr, .. } = inst.op else { return None };
    kernel.root(ptr)
}

/// Adds the locals that `list` sets to `found`.
fn find_set_locals(kernel: &Kernel, list: &Body, found: &mut HashSet<LocalId>) {
    for &id in &list.0 {
        let op = &kernel.insts[id].op;
        if let Op::Set { local, .. } = op {
            found.insert(*local);
        }
        op.bodies().for_each(|inner| find_set_locals(kernel, inner, found));
    }
}

/// Returns the number of stores to global memory that a thread does in `list`, those of a loop
/// counted once, without those in `fallbacks`.
pub(super) fn count_stores(kernel: &Kernel, list: &Body, fallbacks: &HashSet<InstId>) -> usize {
    let count = |id: &InstId| {
        let op = &kernel.insts[*id].op;
        // A thread runs one arm of an `if`.
        let inside = op.bodies().map(|inner| count_stores(kernel, inner, fallbacks)).max();
        usize::from(is_global_store(kernel, op)) + inside.unwrap_or(0)
    };
    list.0.iter().filter(|id| !fallbacks.contains(id)).map(count).sum()
}

/// True if something in `list` stores to global memory.
pub(super) fn stores(kernel: &Kernel, list: &Body) -> bool {
    count_stores(kernel, list, &HashSet::new()) > 0
}

/// True if `op` stores to global memory. Any other store fills a table, which all threads share.
pub(super) fn is_global_store(kernel: &Kernel, op: &Op) -> bool {
    matches!(op, Op::Store { ptr, .. } if kernel.insts[*ptr].ty != Ty::Ptr(Space::Local))
}
