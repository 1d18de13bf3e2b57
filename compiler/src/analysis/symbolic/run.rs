//! The symbolic run: instruction after instruction, all threads of a block at once.
use super::{
    super::{launch::Launch, range::Ranges, uniformity::Uniformity},
    contracts::{self, Passed},
    known::Known,
    locals::Locals,
    merge::State,
    tables::{Tables, tables},
    truth::{Spread, Truth},
};
use super::{
    AccessKind, Active, Event, Shape, Split, SymbolId, Threads, Trace, Value, What, Which,
};
use crate::{
    id::Facts,
    ir::{self, Body, Builtin, Extent, InstId, Kernel, LocalId, Op},
};

/// A block that is being run.
pub(super) struct Run<'k> {
    pub(super) kernel: &'k Kernel,
    pub(super) uniformity: &'k Uniformity,
    pub(super) ranges: &'k Ranges,
    pub(super) shape: Shape,
    /// Threads in the block, and all of them.
    pub(super) count: usize,
    pub(super) all: Threads,
    pub(super) trace: Trace,
    /// What each instruction has yielded last.
    pub(super) values: Facts<InstId, Option<Known>>,
    pub(super) locals: Locals,
    /// Of the path so far: see [`Event`].
    pub(super) interval: u32,
    pub(super) since: u32,
    pub(super) loops: Vec<(InstId, Option<SymbolId>)>,
    pub(super) rounds: Vec<u32>,
    pub(super) arms: Vec<(InstId, bool)>,
    /// The loops and blocks around.
    pub(super) frames: Vec<Frame>,
    /// How often threads have left a body before its end, not counting what has been merged again.
    pub(super) departures: usize,
    /// How many values there are of which nothing else is known.
    pub(super) opaques: u32,
    /// What is not negative in any active thread.
    pub(super) facts: Vec<Value>,
    /// Symbols that do not depend on where they are asked for.
    pub(super) builtins: Vec<(Builtin, Value)>,
    pub(super) params: Vec<(Passed, Value)>,
    pub(super) extents: Vec<(Extent, Value)>,
    /// What every launch keeps to, and the equalities among it.
    pub(super) launch: Launch,
    pub(super) equalities: Vec<&'k [ir::Size; 2]>,
    /// What equalities are being solved for.
    pub(super) solving: Vec<Passed>,
    pub(super) tables: Tables,
    /// Instructions that may still be run.
    pub(super) steps: usize,
}

/// A loop or block that is being run.
pub(super) struct Frame {
    pub(super) id: InstId,
    /// The departures before it.
    pub(super) departures: usize,
    /// The threads that have come to it.
    pub(super) entry: Threads,
    /// How it was left by those who did so early, and how threads went on to the next iteration.
    pub(super) exits: Vec<State>,
    pub(super) continues: Vec<State>,
    /// Whether threads left it for somewhere else, or ended: who stays each time.
    pub(super) lost: Option<Which>,
}

impl Frame {
    /// `active` threads, of a block of which `all` are the threads, leave it for somewhere else.
    pub(super) fn lose(&mut self, active: &Active, all: &Threads) {
        let stay = match active.which {
            Which::All if self.entry.is_in(&active.threads) => Which::All,
            Which::All | Which::Warps if active.threads.is_of_warps(all) => Which::Warps,
            Which::All | Which::Warps | Which::Guarded | Which::Some | Which::One => Which::Some,
        };
        self.lost = Some(self.lost.unwrap_or(Which::All).weaker(stay));
    }
}

/// Where threads are behind a body.
#[derive(Clone, Debug)]
pub(super) enum Flow {
    /// These go on.
    On(Active),
    /// All have gone elsewhere.
    Gone,
    /// All have ended with a fault.
    Faulted,
}

impl<'k> Run<'k> {
    pub(super) fn new(
        kernel: &'k Kernel,
        uniformity: &'k Uniformity,
        ranges: &'k Ranges,
        shape: Shape,
    ) -> Self {
        let count = shape.threads();
        let local = |(_, local): (LocalId, &ir::Local)| match local.ty {
            ir::Ty::Ptr(_) => Known::Ptr(None, None),
            ir::Ty::Unit | ir::Ty::Scalar(_) => Known::VARIES,
        };
        let trace = Trace {
            shape,
            symbols: crate::id::Table::new(),
            events: Vec::new(),
            complete: true,
            spread: kernel.insts.facts(None),
            numbers: kernel.insts.lists(),
            trips: Vec::new(),
            strided: kernel.insts.facts(None),
            visits: kernel.insts.lists(),
        };
        let launch = Launch::of(kernel);
        let equalities =
            if launch.is_contradictory() { Vec::new() } else { contracts::equalities(kernel) };
        Self {
            kernel,
            uniformity,
            ranges,
            shape,
            count,
            all: Threads::all(count),
            trace,
            values: kernel.insts.clones(None),
            locals: Locals::new(kernel.locals.iter().map(local)),
            interval: 0,
            since: 0,
            loops: Vec::new(),
            rounds: Vec::new(),
            arms: Vec::new(),
            frames: Vec::new(),
            departures: 0,
            opaques: 0,
            facts: Vec::new(),
            builtins: Vec::new(),
            params: Vec::new(),
            extents: Vec::new(),
            launch,
            equalities,
            solving: Vec::new(),
            tables: tables(kernel),
            steps: super::MOST_STEPS,
        }
    }

    pub(super) fn run(mut self) -> Trace {
        let all = Active {
            threads: self.all.clone(),
            which: Which::All,
            because: None,
            edge: true,
            cut: false,
        };
        self.body(&self.kernel.body, all);
        for (number, event) in self.trace.events.iter().enumerate() {
            self.trace.numbers.list(event.inst).push(number);
        }
        self.trace
    }

    /// Runs `body` in `active` threads.
    pub(super) fn body(&mut self, body: &Body, active: Active) -> Flow {
        let facts = self.facts.len();
        let mut flow = Flow::On(active);
        for &id in &body.0 {
            let Flow::On(active) = flow else { break };
            if active.threads.is_empty() {
                flow = Flow::Gone;
                break;
            }
            let Some(left) = self.steps.checked_sub(1) else {
                self.trace.complete = false;
                flow = Flow::Gone;
                break;
            };
            self.steps = left;
            flow = self.inst(id, active);
        }
        self.facts.truncate(facts);
        flow
    }

    /// What `id` has yielded.
    pub(super) fn known(&self, id: InstId) -> Known {
        self.values[id].clone().unwrap_or(Known::VARIES)
    }

    pub(super) fn yields(&mut self, id: InstId, known: Known, active: &Threads) {
        let spread = self.spread(&known, active);
        let noted = &mut self.trace.spread[id];
        *noted = Some(noted.map_or(spread, |noted| noted.max(spread)));
        self.values[id] = Some(known);
    }

    pub(super) fn event(&mut self, inst: InstId, active: &Active, what: What) {
        self.trace.events.push(Event {
            inst,
            active: active.clone(),
            interval: self.interval,
            since: self.since,
            loops: self.loops.clone(),
            rounds: self.rounds.clone(),
            arms: self.arms.clone(),
            what,
        });
    }

    fn inst(&mut self, id: InstId, active: Active) -> Flow {
        let kernel = self.kernel;
        let op = &kernel.insts[id].op;
        match op {
            Op::If { cond, then, other } => return self.branch(id, *cond, [then, other], active),
            Op::For { start, end, step, inclusive, body } => {
                return self.counted(id, [*start, *end, *step], *inclusive, body, active);
            }
            Op::Loop { body } => return self.repeated(id, body, active),
            Op::Block { body } => return self.block(id, body, active),
            Op::Break(target) => return self.leaves(*target, active, true),
            Op::Continue(target) => return self.leaves(*target, active, false),
            Op::Return => return self.returns(id, &active),
            Op::Panic { .. } => return Flow::Faulted,
            Op::Barrier { .. } => self.waits(id, &active, What::Barrier),
            Op::SyncGrid => self.waits(id, &active, What::SyncGrid),
            Op::Set { local, value } => {
                self.sets(id, *local, *value, &active);
                return Flow::On(active);
            }
            Op::Check { cond, .. } => {
                self.assume(*cond, true);
                return Flow::On(active);
            }
            Op::Bounds { index, len } => self.out_of_bounds(id, *index, *len, &active),
            Op::SyncWarp { mask } => self.meeting(id, &active, *mask, None),
            Op::Shuffle { lane, mask, .. } => self.meeting(id, &active, *mask, Some(*lane)),
            Op::Vote { mask, .. } | Op::Match { mask, .. } | Op::Reduce { mask, .. } => {
                self.meeting(id, &active, *mask, None);
            }
            Op::Fence { .. } => self.event(id, &active, What::Fence),
            Op::Load { ptr } => self.access(id, &active, *ptr, AccessKind::Load, id),
            Op::Store { ptr, value } => self.stores(id, &active, *ptr, *value),
            Op::AtomicLoad { ptr, .. } | Op::Atomic { ptr, .. } => {
                self.access(id, &active, *ptr, AccessKind::Atomic, id);
            }
            Op::AtomicStore { ptr, value, .. } | Op::CompareExchange { ptr, value, .. } => {
                self.access(id, &active, *ptr, AccessKind::Atomic, *value);
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
            | Op::Get(_)
            | Op::ActiveMask
            | Op::Print { .. } => {}
        }
        if kernel.insts[id].ty != ir::Ty::Unit {
            self.computes(id, &active);
        }
        Flow::On(active)
    }

    fn returns(&mut self, id: InstId, active: &Active) -> Flow {
        self.event(id, active, What::Return);
        self.departures += 1;
        let all = &self.all;
        self.frames.iter_mut().for_each(|frame| frame.lose(active, all));
        Flow::Gone
    }

    fn waits(&mut self, id: InstId, active: &Active, what: What) {
        self.event(id, active, what);
        self.interval = self.interval.saturating_add(1);
        self.since = self.interval;
    }

    fn sets(&mut self, id: InstId, local: LocalId, value: InstId, active: &Active) {
        let known = self.known(value);
        self.yields(id, known.clone(), &active.threads);
        self.locals.set(local, known);
    }

    fn stores(&mut self, id: InstId, active: &Active, ptr: InstId, value: InstId) {
        let stored = self.stored(value, active);
        self.access(id, active, ptr, AccessKind::Store(stored), value);
    }

    fn computes(&mut self, id: InstId, active: &Active) {
        let vote = match self.kernel.insts[id].op {
            Op::Vote { op, value, mask } => self.vote(op, value, mask, active),
            _ => None,
        };
        let known = vote.unwrap_or_else(|| self.compute(id, &active.threads));
        self.yields(id, known, &active.threads);
    }

    fn meeting(&mut self, id: InstId, active: &Active, mask: Option<InstId>, lane: Option<InstId>) {
        let value = |run: &Self, id: InstId| match run.known(id) {
            Known::Int(int) => {
                int.needed().filter(|(_, assumed)| !assumed).map(|(value, _)| value.clone())
            }
            Known::Truth(_) | Known::Ptr(..) | Known::Opaque(..) => None,
        };
        let [mask, lane] = [mask, lane].map(|id| id.and_then(|id| value(self, id)));
        self.event(id, active, What::Meeting { mask, lane });
    }

    /// The `bool` that `cond` is.
    pub(super) fn truth(&self, cond: InstId) -> Truth {
        match self.known(cond) {
            Known::Truth(truth) => (*truth).clone(),
            Known::Opaque(spread, _) => self.same_truth(spread),
            Known::Int(_) | Known::Ptr(..) => self.same_truth(Spread::Thread),
        }
    }

    pub(super) fn split(&mut self, id: InstId, truth: &Truth, active: &Active) {
        let split: Split = truth.split(active);
        self.event(id, active, What::Branch(split));
    }
}
