//! The executor: instruction after instruction, all threads of a block at once.
use super::{
    super::{launch::LaunchRanges, range::Ranges, uniformity::Uniformity},
    abstract_bool::{AbstractBool, Spread},
    abstract_value::AbstractValue,
    contracts::{self, Argument},
    join::State,
    locals::Locals,
    tables::{ConstTables, find_const_tables},
};
use super::{
    AccessKind, ActiveThreads, Coverage, Event, EventKind, Shape, Split, SymbolId, SymbolicSum,
    ThreadSet, Trace,
};
use crate::{
    id::Facts,
    ir::{self, Body, Builtin, CopyOp, Extent, InstId, Kernel, LocalId, Op, SyncOp, WarpOp},
};

/// A symbolic execution in progress.
pub(super) struct Executor<'k> {
    pub(super) kernel: &'k Kernel,
    pub(super) uniformity: &'k Uniformity,
    pub(super) ranges: &'k Ranges,
    pub(super) shape: Shape,
    /// Threads in the block, and all of them.
    pub(super) thread_count: usize,
    pub(super) all: ThreadSet,
    pub(super) trace: Trace,
    /// The last value of each instruction.
    pub(super) values: Facts<InstId, Option<AbstractValue>>,
    pub(super) locals: Locals,
    /// The interval on the current path: see [`Event`].
    pub(super) interval: u32,
    pub(super) since: u32,
    pub(super) loops: Vec<(InstId, Option<SymbolId>)>,
    pub(super) rounds: Vec<u32>,
    pub(super) arms: Vec<(InstId, bool)>,
    /// The enclosing loops and blocks.
    pub(super) frames: Vec<Frame>,
    /// The number of early exits from bodies, not counting those that have been merged again.
    pub(super) departures: usize,
    /// The number of unknown values so far: the next identity.
    pub(super) opaques: u32,
    /// Sums that are not negative in any active thread.
    pub(super) nonnegative: Vec<SymbolicSum>,
    /// Symbols of builtins, which are the same everywhere.
    pub(super) builtins: Vec<(Builtin, SymbolicSum)>,
    pub(super) params: Vec<(Argument, SymbolicSum)>,
    pub(super) extents: Vec<(Extent, SymbolicSum)>,
    /// The contract of every launch, with its equalities.
    pub(super) launch: LaunchRanges,
    pub(super) equalities: Vec<&'k [ir::Size; 2]>,
    /// The arguments for which equalities are being solved.
    pub(super) solving_for: Vec<Argument>,
    pub(super) tables: ConstTables,
    /// The remaining step budget.
    pub(super) remaining_steps: usize,
}

/// A loop or block in execution.
pub(super) struct Frame {
    pub(super) id: InstId,
    /// The early exits before it.
    pub(super) departures: usize,
    /// The threads that entered it.
    pub(super) entry: ThreadSet,
    /// The states of early exits and of jumps to the next iteration.
    pub(super) exits: Vec<State>,
    pub(super) continues: Vec<State>,
    /// `Some` if threads left it for an outer target, or ended: the coverage of the threads that
    /// stayed each time.
    pub(super) stayed: Option<Coverage>,
}

impl Frame {
    /// Records that `active` threads, of a block with the threads `all`, leave for an outer target.
    pub(super) fn record_escape(&mut self, active: &ActiveThreads, all: &ThreadSet) {
        let stay = match active.coverage {
            Coverage::All if self.entry.is_subset(&active.threads) => Coverage::All,
            Coverage::All | Coverage::Warps if active.threads.is_whole_warps_of(all) => {
                Coverage::Warps
            }
            Coverage::All
            | Coverage::Warps
            | Coverage::Guarded
            | Coverage::Some
            | Coverage::One => Coverage::Some,
        };
        self.stayed = Some(self.stayed.unwrap_or(Coverage::All).weaker(stay));
    }
}

/// The threads after a body.
#[derive(Clone, Debug)]
pub(super) enum Flow {
    /// These threads go on.
    On(ActiveThreads),
    /// All threads have jumped elsewhere.
    Gone,
    /// All threads have ended with a fault.
    Faulted,
}

impl<'k> Executor<'k> {
    pub(super) fn new(
        kernel: &'k Kernel,
        uniformity: &'k Uniformity,
        ranges: &'k Ranges,
        shape: Shape,
    ) -> Self {
        let count = shape.thread_count();
        let local = |(_, local): (LocalId, &ir::Local)| match local.ty {
            ir::Ty::Ptr(_) => AbstractValue::Ptr(None, None),
            ir::Ty::Unit | ir::Ty::Scalar(_) => AbstractValue::VARIES,
        };
        let trace = Trace {
            shape,
            symbols: crate::id::Table::new(),
            events: Vec::new(),
            complete: true,
            spread: kernel.insts.facts(None),
            event_indices: kernel.insts.lists(),
            trip_counts: Vec::new(),
            strided: kernel.insts.facts(None),
            long_visits: kernel.insts.lists(),
        };
        let launch = LaunchRanges::for_kernel(kernel);
        let equalities = if launch.is_contradictory() {
            Vec::new()
        } else {
            contracts::required_equalities(kernel)
        };
        Self {
            kernel,
            uniformity,
            ranges,
            shape,
            thread_count: count,
            all: ThreadSet::all(count),
            trace,
            values: kernel.insts.cloned_facts(None),
            locals: Locals::new(kernel.locals.iter().map(local)),
            interval: 0,
            since: 0,
            loops: Vec::new(),
            rounds: Vec::new(),
            arms: Vec::new(),
            frames: Vec::new(),
            departures: 0,
            opaques: 0,
            nonnegative: Vec::new(),
            builtins: Vec::new(),
            params: Vec::new(),
            extents: Vec::new(),
            launch,
            equalities,
            solving_for: Vec::new(),
            tables: find_const_tables(kernel),
            remaining_steps: super::MAX_STEPS,
        }
    }

    pub(super) fn run(mut self) -> Trace {
        let all = ActiveThreads {
            threads: self.all.clone(),
            coverage: Coverage::All,
            cause: None,
            full_except_at_edges: true,
            launch_dependent: false,
        };
        self.run_body(&self.kernel.body, all);
        for (number, event) in self.trace.events.iter().enumerate() {
            self.trace.event_indices.list_mut(event.inst).push(number);
        }
        self.trace
    }

    /// Executes `body` in `active` threads.
    pub(super) fn run_body(&mut self, body: &Body, active: ActiveThreads) -> Flow {
        let facts = self.nonnegative.len();
        let mut flow = Flow::On(active);
        for &id in &body.0 {
            let Flow::On(active) = flow else { break };
            if active.threads.is_empty() {
                flow = Flow::Gone;
                break;
            }
            let Some(left) = self.remaining_steps.checked_sub(1) else {
                self.trace.complete = false;
                flow = Flow::Gone;
                break;
            };
            self.remaining_steps = left;
            flow = self.run_inst(id, active);
        }
        self.nonnegative.truncate(facts);
        flow
    }

    /// Returns the last value of `id`.
    pub(super) fn last_value(&self, id: InstId) -> AbstractValue {
        self.values[id].clone().unwrap_or(AbstractValue::VARIES)
    }

    pub(super) fn record_value(&mut self, id: InstId, known: AbstractValue, active: &ThreadSet) {
        let spread = self.spread_in(&known, active);
        let noted = &mut self.trace.spread[id];
        *noted = Some(noted.map_or(spread, |noted| noted.max(spread)));
        self.values[id] = Some(known);
    }

    pub(super) fn record_event(&mut self, inst: InstId, active: &ActiveThreads, what: EventKind) {
        self.trace.events.push(Event {
            inst,
            active: active.clone(),
            interval: self.interval,
            unordered_since: self.since,
            loops: self.loops.clone(),
            iterations: self.rounds.clone(),
            arms: self.arms.clone(),
            kind: what,
        });
    }

    fn run_inst(&mut self, id: InstId, active: ActiveThreads) -> Flow {
        let kernel = self.kernel;
        // Control flow and effects first; what yields a value falls through to its evaluation.
        let op = &kernel.insts[id].op;
        match op {
            Op::If { cond, then, other } => return self.run_if(id, *cond, [then, other], active),
            Op::For { start, end, step, inclusive, body } => {
                return self.run_for(id, [*start, *end, *step], *inclusive, body, active);
            }
            Op::Loop { body } => return self.run_loop(id, body, active),
            Op::Block { body } => return self.run_block(id, body, active),
            Op::Break(target) => return self.leave_frame(*target, active, true),
            Op::Continue(target) => return self.leave_frame(*target, active, false),
            Op::Return => return self.run_return(id, &active),
            Op::Panic { .. } => return Flow::Faulted,
            Op::Sync(SyncOp::Barrier { .. }) => self.run_barrier(id, &active, EventKind::Barrier),
            Op::Sync(SyncOp::SyncGrid | SyncOp::SyncCluster) => {
                self.run_barrier(id, &active, EventKind::SyncGrid)
            }
            Op::Set { local, value } => {
                self.run_set(id, *local, *value, &active);
                return Flow::On(active);
            }
            Op::Check { cond, .. } => {
                self.assume_condition(*cond, true);
                return Flow::On(active);
            }
            Op::Bounds { index, len } => self.check_out_of_bounds(id, *index, *len, &active),
            Op::Sync(SyncOp::SyncWarp { mask }) => {
                self.run_warp_collective(id, &active, *mask, None)
            }
            Op::Warp(WarpOp::Shuffle { lane, mask, .. }) => {
                self.run_warp_collective(id, &active, *mask, Some(*lane))
            }
            Op::Warp(
                WarpOp::Vote { mask, .. }
                | WarpOp::Match { mask, .. }
                | WarpOp::Reduce { mask, .. },
            ) => {
                self.run_warp_collective(id, &active, *mask, None);
            }
            Op::Sync(SyncOp::NamedBarrier { .. }) | Op::Matrix(_) => {
                self.run_warp_collective(id, &active, None, None);
            }
            Op::Sync(SyncOp::Fence { .. }) => self.record_event(id, &active, EventKind::Fence),
            Op::Copy(CopyOp::AsyncCopy { to, from, bytes }) => {
                self.record_copy(id, &active, [*to, *from], bytes)
            }
            Op::Copy(CopyOp::AsyncCommit) => self.record_event(id, &active, EventKind::AsyncCommit),
            Op::Copy(CopyOp::AsyncWait { pending }) => {
                self.record_event(id, &active, EventKind::AsyncWait(pending.known()));
            }
            Op::Load { ptr, .. } => self.record_access(id, &active, *ptr, AccessKind::Load, id),
            Op::Store { ptr, value, .. } => self.run_store(id, &active, *ptr, *value),
            Op::AtomicLoad { ptr, .. } | Op::Atomic { ptr, .. } => {
                self.record_access(id, &active, *ptr, AccessKind::Atomic, id);
            }
            Op::AtomicStore { ptr, value, .. } | Op::CompareExchange { ptr, value, .. } => {
                self.record_access(id, &active, *ptr, AccessKind::Atomic, *value);
            }
            Op::Const(_)
            | Op::Generic(_)
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
            | Op::MulAdd { .. }
            | Op::Index { .. }
            | Op::Offset { .. }
            | Op::Texture { .. }
            | Op::Ptx { .. }
            | Op::PtxOutput { .. }
            | Op::Interpreted
            | Op::MapShared { .. }
            | Op::Get(_)
            | Op::Prefetch { .. }
            | Op::Warp(WarpOp::ActiveMask)
            | Op::Sync(_)
            | Op::Copy(_)
            | Op::Print { .. } => {}
        }
        if kernel.insts[id].ty != ir::Ty::Unit {
            self.run_computation(id, &active);
        }
        Flow::On(active)
    }

    fn run_return(&mut self, id: InstId, active: &ActiveThreads) -> Flow {
        self.record_event(id, active, EventKind::Return);
        self.departures += 1;
        let all = &self.all;
        self.frames.iter_mut().for_each(|frame| frame.record_escape(active, all));
        Flow::Gone
    }

    fn run_barrier(&mut self, id: InstId, active: &ActiveThreads, what: EventKind) {
        self.record_event(id, active, what);
        self.interval = self.interval.saturating_add(1);
        self.since = self.interval;
    }

    fn run_set(&mut self, id: InstId, local: LocalId, value: InstId, active: &ActiveThreads) {
        let known = self.last_value(value);
        self.record_value(id, known.clone(), &active.threads);
        self.locals.set(local, known);
    }

    fn run_store(&mut self, id: InstId, active: &ActiveThreads, ptr: InstId, value: InstId) {
        let stored = self.stored_value(value, active);
        self.record_access(id, active, ptr, AccessKind::Store(stored), value);
    }

    fn run_computation(&mut self, id: InstId, active: &ActiveThreads) {
        let vote = match self.kernel.insts[id].op {
            Op::Warp(WarpOp::Vote { op, value, mask }) => self.eval_vote(op, value, mask, active),
            _ => None,
        };
        let known = vote.unwrap_or_else(|| self.eval_inst(id, &active.threads));
        self.record_value(id, known, &active.threads);
    }

    fn run_warp_collective(
        &mut self,
        id: InstId,
        active: &ActiveThreads,
        mask: Option<InstId>,
        lane: Option<InstId>,
    ) {
        let value = |run: &Self, id: InstId| match run.last_value(id) {
            AbstractValue::Int(int) => {
                int.unwrapped().filter(|(_, assumed)| !assumed).map(|(value, _)| value.clone())
            }
            AbstractValue::Bool(_) | AbstractValue::Ptr(..) | AbstractValue::Opaque(..) => None,
        };
        let [mask, lane] = [mask, lane].map(|id| id.and_then(|id| value(self, id)));
        self.record_event(id, active, EventKind::WarpCollective { mask, lane });
    }

    /// Returns `cond` as an abstract `bool`.
    pub(super) fn condition_of(&self, cond: InstId) -> AbstractBool {
        match self.last_value(cond) {
            AbstractValue::Bool(truth) => (*truth).clone(),
            AbstractValue::Opaque(spread, _) => self.unknown_bool(spread),
            AbstractValue::Int(_) | AbstractValue::Ptr(..) => self.unknown_bool(Spread::Thread),
        }
    }

    pub(super) fn record_split(
        &mut self,
        id: InstId,
        truth: &AbstractBool,
        active: &ActiveThreads,
    ) {
        let split: Split = truth.split(active);
        self.record_event(id, active, EventKind::Branch(split));
    }
}
