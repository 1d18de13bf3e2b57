//! Races between the threads of different blocks.
use super::{
    Doubt, DoubtReason, MemoryRaces, Race, RaceKind, RaceSide, ThreadGroup,
    accesses::{self, SharedAccess},
    block::{add_doubt, exceeds_work_limit, pairs, race_kind},
    guards::Guards,
    order::{self, WaitCertainty},
    overlap::{
        Collision, PairAssumptions, RemainingTerm, TermOrigin as Of, Terms, find_collision,
        may_collide,
    },
    rows::rows_may_collide,
    scopes::differs_between_blocks,
    values::StoredValues,
};
use crate::{
    analysis::symbolic::{Coverage, EventKind, Monomial, SymbolId, SymbolKind, Trace},
    ir::{Axis, Builtin, Effect, InstId, Kernel, Op, Order, Scope, Space, SyncOp},
};
use std::cell::Cell;

/// The search for races between two blocks.
pub(super) struct GridRaces<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) trace: &'a Trace,
    pub(super) order: &'a order::EventOrder<'a>,
    pub(super) guards: &'a Guards<'a>,
    pub(super) values: &'a StoredValues<'a>,
    /// The work spent so far.
    work: &'a Cell<u64>,
    /// The axes along which the kernel reads the block's index.
    pub(super) axes: Vec<Axis>,
    /// True if anything but the grid's barrier may order blocks.
    pub(super) is_ordered: bool,
}

impl<'a> GridRaces<'a> {
    pub(super) fn new(
        kernel: &'a Kernel,
        trace: &'a Trace,
        order: &'a order::EventOrder<'a>,
        guards: &'a Guards<'a>,
        values: &'a StoredValues<'a>,
        work: &'a Cell<u64>,
    ) -> Self {
        let asks = |of: Axis| {
            kernel.insts.iter().any(|(_, inst)| {
                let Op::Builtin(builtin) = inst.op else { return false };
                [Builtin::BlockIdx, Builtin::GlobalIdx, Builtin::GridDim]
                    .iter()
                    .any(|asked| builtin == asked(of))
            })
        };
        let axes = [Axis::X, Axis::Y, Axis::Z].into_iter().filter(|&axis| asks(axis)).collect();
        let is_ordered = kernel.insts.iter().any(|(_, inst)| accesses::is_ordering(&inst.op));
        Self { kernel, trace, order, guards, values, work, axes, is_ordered }
    }

    /// Adds the races and doubts among the accesses of `list`, which are all to one buffer.
    pub(super) fn find_races(&self, list: &[&SharedAccess<'_>], memory: &mut MemoryRaces) {
        memory.doubts.splice(..0, self.unfenced_publication(list));
        for (first, second) in pairs(list) {
            if exceeds_work_limit(self.work) {
                memory
                    .doubts
                    .push(super::unlocated_doubt(first.inst, DoubtReason::TooManyAccesses));
                return;
            }
            if first.conflicts_with(second, true) {
                self.check_pair(first, second, memory);
            }
        }
        let is_narrow = |race: &Race| race.kind == RaceKind::BlockScope;
        if !memory.races.iter().any(is_narrow)
            && let Some(doubt) = self.find_narrow_scope(list)
        {
            memory.doubts.insert(0, doubt);
        }
    }

    fn check_pair(
        &self,
        first: &SharedAccess<'_>,
        second: &SharedAccess<'_>,
        memory: &mut MemoryRaces,
    ) {
        // The order of the steps is that of the search within a block.
        let waits = self.order.find_grid_wait(first.event_index, second.event_index);
        let insts = [first.inst, second.inst];
        let is_known = memory.races.iter().any(|race| race.sides.map(|side| side.inst) == insts);
        if waits == WaitCertainty::Certain || is_known {
            return;
        }
        if first.offset.is_none() || second.offset.is_none() {
            return add_doubt(memory, first, second, ThreadGroup::Grid, DoubtReason::Index);
        }
        if !self.may_meet(first, second) {
            if first.assumed || second.assumed {
                add_doubt(memory, first, second, ThreadGroup::Grid, DoubtReason::Wraps);
            }
            return;
        }
        let why = match (waits, self.is_certain(first, second)) {
            (WaitCertainty::None, Ok(())) => {
                if let Some(found) = self.find_collision(first, second) {
                    memory.races.push(self.new_race(first, second, found));
                    return;
                }
                DoubtReason::Numbers
            }
            (WaitCertainty::None, Err(why)) => why,
            (WaitCertainty::Possible | WaitCertainty::Certain, _) => DoubtReason::Barrier,
        };
        add_doubt(memory, first, second, ThreadGroup::Grid, why);
    }

    /// Succeeds if both accesses certainly happen in two neighbouring blocks, without an order.
    fn is_certain(
        &self,
        first: &SharedAccess<'_>,
        second: &SharedAccess<'_>,
    ) -> Result<(), DoubtReason> {
        let certain = |access: &SharedAccess<'_>| match access.active.coverage {
            Coverage::All | Coverage::Guarded => self.order.is_unconditional(access.event_index),
            Coverage::Warps | Coverage::Some | Coverage::One => false,
        };
        if self.axes.is_empty() {
            return Err(DoubtReason::OneBlock);
        }
        if !self.depends_on_block(first) && !self.depends_on_block(second) {
            return Err(DoubtReason::OneBlock);
        }
        if !certain(first) || !certain(second) {
            return Err(DoubtReason::Condition);
        }
        let events = [first, second].map(|access| (access.event_index, access.inst));
        if !self.guards.hold_together(&events, true) {
            return Err(DoubtReason::Guards);
        }
        if self.is_ordered { Err(DoubtReason::Order) } else { Ok(()) }
    }

    /// Returns true if an access depends on the block's index: by its address, by a guard, or by
    /// the stored value. Otherwise the kernel may be meant for one block.
    fn depends_on_block(&self, access: &SharedAccess<'_>) -> bool {
        let is = |symbol: SymbolId| self.block_idx(symbol).is_some();
        access.contains_symbol(&is)
            || access.active.coverage == Coverage::Guarded
            || self.values.writes_value_from(access.inst, &differs_between_blocks)
    }

    /// Returns two threads of neighbouring blocks that access the same byte, whatever the symbols
    /// are.
    pub(super) fn find_collision(
        &self,
        first: &SharedAccess<'_>,
        second: &SharedAccess<'_>,
    ) -> Option<Collision> {
        let [a, b] = [first.offsets()?, second.offsets()?];
        let differs = |symbol: SymbolId| {
            self.differs_between_blocks(symbol) && self.block_idx(symbol).is_none()
        };
        if first.contains_symbol(&differs) || second.contains_symbol(&differs) {
            return None;
        }
        self.axes.iter().find_map(|&axis| {
            let is = |symbol: SymbolId| self.block_idx(symbol) == Some(axis);
            if axis != Axis::X && !first.contains_symbol(&is) && !second.contains_symbol(&is) {
                return None;
            }
            // The number of threads of a block is an assumption, unless it is declared.
            let all = |x: usize, y: usize| {
                (self.trace.shape.declared || x == y)
                    && first.may_have_equal_indices(second, [x, y], false)
            };
            let [next_a, next_b] = [a.advanced(&is)?, b.advanced(&is)?];
            find_collision(a, &next_b, &all, self.work)
                .or_else(|| find_collision(&next_a, b, &all, self.work))
        })
    }

    /// Returns a doubt for an unfenced publication: a block writes at an address of its own and
    /// announces the write by an atomic operation that orders nothing; another block reads at an
    /// address that does not depend on the block, if data say so; and nothing in the kernel orders
    /// blocks.
    fn unfenced_publication(&self, list: &[&SharedAccess<'_>]) -> Option<Doubt> {
        let of_block = |access: &SharedAccess<'_>| {
            access.offset?;
            let by_data = |symbol: SymbolId| {
                self.trace.symbols[symbol].kind == SymbolKind::Computed
                    && self.differs_between_blocks(symbol)
            };
            (!access.contains_symbol(&by_data))
                .then(|| access.contains_symbol(&|symbol| self.block_idx(symbol).is_some()))
        };
        let fences = self.trace.events.iter().any(|event| {
            matches!(event.kind, EventKind::SyncGrid)
                || orders_blocks(&self.kernel.insts[event.inst].op)
        });
        if fences || self.axes.is_empty() {
            return None;
        }
        let plain = |writes: bool| {
            list.iter().filter(move |access| access.atomic.is_none() && access.writes == writes)
        };
        plain(true).filter(|write| of_block(write) == Some(true)).find_map(|write| {
            let reads = plain(false).filter(|read| of_block(read) == Some(false));
            reads.into_iter().find_map(|read| {
                let between = self.trace.events.get(write.event_index..read.event_index)?;
                let announces =
                    between.iter().find(|event| is_announcement(self.kernel, event.inst))?;
                let is_told = !self.order.is_unconditional_but_loops(read.event_index)
                    || between.iter().any(|event| self.order.may_spin_before(event, read.inst));
                (is_told && self.may_meet(write, read)).then_some(Doubt {
                    insts: [write.inst, read.inst],
                    among: ThreadGroup::Grid,
                    reason: DoubtReason::Unfenced(announces.inst),
                })
            })
        })
    }

    fn race_side(&self, access: &SharedAccess<'_>, thread: usize) -> RaceSide {
        RaceSide {
            inst: access.inst,
            event: access.event_index,
            thread: self.trace.shape.thread_index(thread),
            writes: access.writes,
        }
    }

    fn new_race(
        &self,
        first: &SharedAccess<'_>,
        second: &SharedAccess<'_>,
        found: Collision,
    ) -> Race {
        let [a, b] = found.threads;
        let same = self.values.store_equal_values_across_blocks([first, second]);
        Race {
            sides: [self.race_side(first, a), self.race_side(second, b)],
            offset: (!found.symbolic).then_some(found.offset),
            among: ThreadGroup::Grid,
            kind: race_kind(first, second, same),
            iteration_of: None,
        }
    }

    /// Returns true unless threads of two blocks provably never access the same byte.
    fn may_meet(&self, first: &SharedAccess<'_>, second: &SharedAccess<'_>) -> bool {
        let (Some(a), Some(b)) = (first.offsets(), second.offsets()) else { return true };
        let relation = PairAssumptions {
            symbols: &self.trace.symbols,
            is_independent: &|symbol| self.differs_between_blocks(symbol),
            is_never_zero: &|rest| self.separates_blocks(rest),
            accept: &|_, _| true,
            work: self.work,
        };
        may_collide(a, b, &relation)
            && self.axes.iter().any(|&axis| {
                // Two blocks with different indices along this axis.
                let differs = |rest: &Terms| self.separates_along(rest, axis);
                rows_may_collide(
                    first,
                    second,
                    &PairAssumptions { is_never_zero: &differs, ..relation },
                )
            })
    }

    /// Returns true if `rest` is a multiple of the distance between two blocks along `axis`.
    fn separates_along(&self, rest: &Terms, axis: Axis) -> bool {
        let [(RemainingTerm { monomial: of, origin: Of::Difference }, _)] = rest else {
            return false;
        };
        matches!(of.0[..], [symbol] if self.block_idx(symbol) == Some(axis))
    }

    /// Returns true if blocks may have different numbers for `symbol`.
    fn differs_between_blocks(&self, symbol: SymbolId) -> bool {
        let symbol = &self.trace.symbols[symbol];
        match symbol.kind {
            SymbolKind::Launch => false,
            SymbolKind::BlockIdx | SymbolKind::Iteration => true,
            SymbolKind::Computed => !is_launch_constant(self.kernel, symbol.inst),
        }
    }

    fn block_idx(&self, symbol: SymbolId) -> Option<Axis> {
        let symbol = &self.trace.symbols[symbol];
        if symbol.kind != SymbolKind::BlockIdx {
            return None;
        }
        let op = &self.kernel.insts[symbol.inst].op;
        if let Op::Builtin(Builtin::BlockIdx(axis) | Builtin::GlobalIdx(axis)) = op {
            return Some(*axis);
        }
        None
    }

    fn is_grid_dim(&self, symbol: SymbolId, axis: Axis) -> bool {
        let of = self.trace.symbols[symbol].inst;
        self.kernel.insts[of].op == Op::Builtin(Builtin::GridDim(axis))
    }

    /// Returns true if `rest` is not 0 for two different blocks: their indices are digits of a
    /// number, as in `block_idx_y * grid_dim_x + block_idx_x`. Further terms are multiples of the
    /// whole grid, as in a grid-stride loop.
    fn separates_blocks(&self, rest: &Terms) -> bool {
        let Some(unit) = rest.iter().map(|(_, factor)| factor.unsigned_abs()).min() else {
            return false;
        };
        if rest.iter().any(|(_, factor)| factor.unsigned_abs() % unit != 0) {
            return false;
        }
        let mut left: Vec<(Monomial, Of, u64)> = rest
            .iter()
            .map(|(rest, factor)| {
                (rest.monomial.clone(), rest.origin, factor.unsigned_abs() / unit)
            })
            .collect();
        let mut axes = self.axes.clone();
        while !axes.is_empty() {
            let digit = |(of, side, factor): &(Monomial, Of, u64)| {
                let &[symbol] = of.0.as_slice() else { return None };
                self.block_idx(symbol).filter(|_| *side == Of::Difference && *factor == 1)
            };
            let Some(at) =
                left.iter().position(|part| digit(part).is_some_and(|axis| axes.contains(&axis)))
            else {
                return false;
            };
            let Some(axis) = digit(&left.swap_remove(at)) else { return false };
            axes.retain(|&other| other != axis);
            for (of, ..) in &mut left {
                let Some(at) = of.0.iter().position(|&symbol| self.is_grid_dim(symbol, axis))
                else {
                    return false;
                };
                of.0.remove(at);
            }
        }
        true
    }
}

/// Returns true if an atomic operation in global memory may announce something to other blocks: it
/// writes.
fn is_announcement(kernel: &Kernel, id: InstId) -> bool {
    let op = &kernel.insts[id].op;
    let (Op::Atomic { ptr, .. } | Op::AtomicStore { ptr, .. } | Op::CompareExchange { ptr, .. }) =
        op
    else {
        return false;
    };
    kernel.space(*ptr) == Some(Space::Global)
}

/// Returns true if an instruction may order accesses of different blocks.
fn orders_blocks(op: &Op) -> bool {
    let wide = |scope: Scope| scope != Scope::Block;
    match accesses::atomic_order(op) {
        Some((order, scope)) => order != Order::Relaxed && wide(scope),
        None => matches!(op, Op::Sync(SyncOp::Fence { scope }) if wide(*scope)),
    }
}

/// Returns true if `id` yields the same value in every thread of the grid: it is computed from
/// launch arguments.
pub(super) fn is_launch_constant(kernel: &Kernel, id: InstId) -> bool {
    let op = &kernel.insts[id].op;
    if let Op::Builtin(builtin) = op {
        return builtin.is_known_at_launch();
    }
    op.effect() == Effect::None
        && !matches!(op, Op::Shared(_) | Op::Array(_))
        && op.operands().all(|operand| is_launch_constant(kernel, operand))
}
