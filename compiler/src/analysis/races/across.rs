//! Races between the threads of different blocks.
use super::{
    Among, Doubt, Kind, MemoryRaces, Race, Side, Why,
    accesses::{self, Access},
    block::{add_doubt, is_too_much, kind, pairs},
    guards::Guards,
    order::{self, Between},
    overlap::{Meeting, Parts, Relation, Rest, Side as Of, may_meet, meet},
    rows::rows_may_meet,
    scopes::is_of_block,
    values::Values,
};
use crate::{
    analysis::symbolic::{Monomial, SymbolId, SymbolKind, Trace, What, Which},
    ir::{Axis, Builtin, Effect, InstId, Kernel, Op, Order, Scope, Space},
};
use std::cell::Cell;

/// Looks at pairs of accesses of two blocks.
pub(super) struct Across<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) trace: &'a Trace,
    pub(super) order: &'a order::Order<'a>,
    pub(super) guards: &'a Guards<'a>,
    pub(super) values: &'a Values<'a>,
    /// What looking at accesses has cost.
    work: &'a Cell<u64>,
    /// The axes along which the kernel asks for blocks.
    pub(super) axes: Vec<Axis>,
    /// Whether anything orders blocks but the grid's barrier.
    pub(super) is_ordered: bool,
}

impl<'a> Across<'a> {
    pub(super) fn new(
        kernel: &'a Kernel,
        trace: &'a Trace,
        order: &'a order::Order<'a>,
        guards: &'a Guards<'a>,
        values: &'a Values<'a>,
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
        let is_ordered = kernel.insts.iter().any(|(_, inst)| accesses::orders(&inst.op));
        Self { kernel, trace, order, guards, values, work, axes, is_ordered }
    }

    /// Adds what is known of the accesses of `list`, which are all to one buffer.
    pub(super) fn find(&self, list: &[&Access<'_>], memory: &mut MemoryRaces) {
        memory.doubts.splice(..0, self.unfenced(list));
        for (first, second) in pairs(list) {
            if is_too_much(self.work) {
                memory.doubts.push(super::doubt(first.inst, Why::TooManyAccesses));
                return;
            }
            if first.conflicts(second, true) {
                self.pair(first, second, memory);
            }
        }
        let is_narrow = |race: &Race| race.kind == Kind::BlockScope;
        if !memory.races.iter().any(is_narrow)
            && let Some(doubt) = self.too_narrow(list)
        {
            memory.doubts.insert(0, doubt);
        }
    }

    fn pair(&self, first: &Access<'_>, second: &Access<'_>, memory: &mut MemoryRaces) {
        let waits = self.order.grid_wait_between(first.number, second.number);
        let insts = [first.inst, second.inst];
        let is_known = memory.races.iter().any(|race| race.sides.map(|side| side.inst) == insts);
        if waits == Between::Surely || is_known {
            return;
        }
        if first.offset.is_none() || second.offset.is_none() {
            return add_doubt(memory, first, second, Among::Grid, Why::Index);
        }
        if !self.may_meet(first, second) {
            if first.assumed || second.assumed {
                add_doubt(memory, first, second, Among::Grid, Why::Wraps);
            }
            return;
        }
        let why = match (waits, self.certain(first, second)) {
            (Between::None, Ok(())) => {
                if let Some(found) = self.meeting(first, second) {
                    memory.races.push(self.race(first, second, found));
                    return;
                }
                Why::Numbers
            }
            (Between::None, Err(why)) => why,
            (Between::Perhaps | Between::Surely, _) => Why::Barrier,
        };
        add_doubt(memory, first, second, Among::Grid, why);
    }

    /// Whether both accesses happen for certain in two neighbouring blocks, with nothing to order them.
    fn certain(&self, first: &Access<'_>, second: &Access<'_>) -> Result<(), Why> {
        let certain = |access: &Access<'_>| match access.active.which {
            Which::All | Which::Guarded => self.order.needs_nothing(access.number),
            Which::Warps | Which::Some | Which::One => false,
        };
        if self.axes.is_empty() {
            return Err(Why::OneBlock);
        }
        if !self.is_of_blocks(first) && !self.is_of_blocks(second) {
            return Err(Why::OneBlock);
        }
        if !certain(first) || !certain(second) {
            return Err(Why::Condition);
        }
        let events = [first, second].map(|access| (access.number, access.inst));
        if !self.guards.hold_together(&events, true) {
            return Err(Why::Guards);
        }
        if self.is_ordered { Err(Why::Order) } else { Ok(()) }
    }

    /// Whether an access depends on the block's index: by its place, by a guard, or by what is stored. If not, one
    /// block may be meant.
    fn is_of_blocks(&self, access: &Access<'_>) -> bool {
        let is = |symbol: SymbolId| self.block_idx(symbol).is_some();
        access.mentions(&is)
            || access.active.which == Which::Guarded
            || self.values.writes_function_of(access.inst, &is_of_block)
    }

    /// Two threads of neighbouring blocks that meet, whatever symbols are.
    pub(super) fn meeting(&self, first: &Access<'_>, second: &Access<'_>) -> Option<Meeting> {
        let [a, b] = [first.places()?, second.places()?];
        let differs = |symbol: SymbolId| self.differs(symbol) && self.block_idx(symbol).is_none();
        if first.mentions(&differs) || second.mentions(&differs) {
            return None;
        }
        self.axes.iter().find_map(|&axis| {
            let is = |symbol: SymbolId| self.block_idx(symbol) == Some(axis);
            if axis != Axis::X && !first.mentions(&is) && !second.mentions(&is) {
                return None;
            }
            // How many threads a block has is assumed, unless it is declared.
            let all = |x: usize, y: usize| {
                (self.trace.shape.declared || x == y)
                    && first.is_in_one_place(second, [x, y], false)
            };
            let [next_a, next_b] = [a.moved(&is)?, b.moved(&is)?];
            meet(a, &next_b, &all, self.work).or_else(|| meet(&next_a, b, &all, self.work))
        })
    }

    /// A write that another block may read, announced to it by an atomic operation that orders nothing: the place of
    /// the write depends on the block, that of the read does not, whether it reads is for data to say, and nothing in the
    /// kernel orders blocks.
    fn unfenced(&self, list: &[&Access<'_>]) -> Option<Doubt> {
        let of_block = |access: &Access<'_>| {
            access.offset?;
            let by_data = |symbol: SymbolId| {
                self.trace.symbols[symbol].kind == SymbolKind::Computed && self.differs(symbol)
            };
            (!access.mentions(&by_data))
                .then(|| access.mentions(&|symbol| self.block_idx(symbol).is_some()))
        };
        let fences = self.trace.events.iter().any(|event| {
            matches!(event.what, What::SyncGrid) || orders_blocks(&self.kernel.insts[event.inst].op)
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
                let between = self.trace.events.get(write.number..read.number)?;
                let announces = between.iter().find(|event| announces(self.kernel, event.inst))?;
                let is_told = !self.order.is_decided(read.number)
                    || between.iter().any(|event| self.order.waits(event, read.inst));
                (is_told && self.may_meet(write, read)).then_some(Doubt {
                    insts: [write.inst, read.inst],
                    among: Among::Grid,
                    why: Why::Unfenced(announces.inst),
                })
            })
        })
    }

    fn side(&self, access: &Access<'_>, thread: usize) -> Side {
        Side {
            inst: access.inst,
            event: access.number,
            thread: self.trace.shape.index(thread),
            writes: access.writes,
        }
    }

    fn race(&self, first: &Access<'_>, second: &Access<'_>, found: Meeting) -> Race {
        let [a, b] = found.threads;
        let same = self.values.stored_same_by_blocks([first, second]);
        Race {
            sides: [self.side(first, a), self.side(second, b)],
            at: (!found.symbolic).then_some(found.at),
            among: Among::Grid,
            kind: kind(first, second, same),
            iteration_of: None,
        }
    }

    /// Whether threads of two blocks may meet, for all that is known.
    fn may_meet(&self, first: &Access<'_>, second: &Access<'_>) -> bool {
        let (Some(a), Some(b)) = (first.places(), second.places()) else { return true };
        let relation = Relation {
            symbols: &self.trace.symbols,
            own: &|symbol| self.differs(symbol),
            differs: &|rest| self.names_blocks(rest),
            accept: &|_, _| true,
            work: self.work,
        };
        may_meet(a, b, &relation)
            && self.axes.iter().any(|&axis| {
                // Two blocks that are at different places along this axis.
                let differs = |rest: &Parts| self.names_block(rest, axis);
                rows_may_meet(first, second, &Relation { differs: &differs, ..relation })
            })
    }

    /// Whether `rest` is how far two blocks are apart along `axis`, some times.
    fn names_block(&self, rest: &Parts, axis: Axis) -> bool {
        let [(Rest { of, side: Of::Difference }, _)] = rest else { return false };
        matches!(of.0[..], [symbol] if self.block_idx(symbol) == Some(axis))
    }

    /// Whether blocks may have different numbers for `symbol`.
    fn differs(&self, symbol: SymbolId) -> bool {
        let symbol = &self.trace.symbols[symbol];
        match symbol.kind {
            SymbolKind::Launch => false,
            SymbolKind::BlockIdx | SymbolKind::Iteration => true,
            SymbolKind::Computed => !is_of_launch(self.kernel, symbol.of),
        }
    }

    fn block_idx(&self, symbol: SymbolId) -> Option<Axis> {
        let symbol = &self.trace.symbols[symbol];
        if symbol.kind != SymbolKind::BlockIdx {
            return None;
        }
        let op = &self.kernel.insts[symbol.of].op;
        if let Op::Builtin(Builtin::BlockIdx(axis) | Builtin::GlobalIdx(axis)) = op {
            return Some(*axis);
        }
        None
    }

    fn is_grid_dim(&self, symbol: SymbolId, axis: Axis) -> bool {
        let of = self.trace.symbols[symbol].of;
        self.kernel.insts[of].op == Op::Builtin(Builtin::GridDim(axis))
    }

    /// Whether `rest` is not 0 for two different blocks: they count with the dimensions of the grid as digits, as in
    /// `block_idx_y * grid_dim_x + block_idx_x`. What is more is a multiple of all those dimensions, as in a
    /// grid-stride loop.
    fn names_blocks(&self, rest: &Parts) -> bool {
        let Some(unit) = rest.iter().map(|(_, factor)| factor.unsigned_abs()).min() else {
            return false;
        };
        if rest.iter().any(|(_, factor)| factor.unsigned_abs() % unit != 0) {
            return false;
        }
        let mut left: Vec<(Monomial, Of, u64)> = rest
            .iter()
            .map(|(rest, factor)| (rest.of.clone(), rest.side, factor.unsigned_abs() / unit))
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

/// Whether an atomic operation in global memory may tell other blocks of something: it writes.
fn announces(kernel: &Kernel, id: InstId) -> bool {
    let op = &kernel.insts[id].op;
    let (Op::Atomic { ptr, .. } | Op::AtomicStore { ptr, .. } | Op::CompareExchange { ptr, .. }) =
        op
    else {
        return false;
    };
    kernel.space(*ptr) == Some(Space::Global)
}

/// Whether an instruction may order accesses of different blocks.
fn orders_blocks(op: &Op) -> bool {
    let wide = |scope: Scope| scope != Scope::Block;
    match accesses::atomic(op) {
        Some((order, scope)) => order != Order::Relaxed && wide(scope),
        None => matches!(op, Op::Fence { scope } if wide(*scope)),
    }
}

/// Whether `id` yields the same in every thread of the grid: it is computed from what the launch gives.
pub(super) fn is_of_launch(kernel: &Kernel, id: InstId) -> bool {
    let op = &kernel.insts[id].op;
    if let Op::Builtin(builtin) = op {
        return builtin.is_known_at_launch();
    }
    op.effect() == Effect::None
        && !matches!(op, Op::Shared(_) | Op::Array(_))
        && op.operands().all(|operand| is_of_launch(kernel, operand))
}
