//! The symbolic run: instruction after instruction, all threads of a block at once.
use super::{
    super::{
        range::{Range, Ranges},
        uniformity::{Group, Uniformity},
    },
    known::{Fit, Int, Known, limits, scalar},
    merge::State,
    tables::{Tables, tables},
    truth::{Spread, Truth},
};
use super::{
    Access, AccessKind, Active, Event, Shape, Split, SymbolId, SymbolKind, Threads, Trace, Value,
    What, Which,
};
use crate::{
    id::{Facts, Id},
    ir::{
        self, Body, Builtin, Extent, InstId, Kernel, LocalId, MatchOp, Op, ParamId, ParamKind,
        Root, ShuffleOp, VoteOp,
    },
};
use std::rc::Rc;

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
    pub(super) locals: Rc<Vec<Known>>,
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
    params: Vec<(ParamId, bool, Value)>,
    extents: Vec<(Extent, Value)>,
    tables: Tables,
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
            Which::All if self.entry.without(&active.threads).is_empty() => Which::All,
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
        };
        Self {
            kernel,
            uniformity,
            ranges,
            shape,
            count,
            all: Threads::all(count),
            trace,
            values: kernel.insts.clones(None),
            locals: Rc::new(kernel.locals.iter().map(local).collect()),
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
            tables: tables(kernel),
            steps: super::MOST_STEPS,
        }
    }

    pub(super) fn run(mut self) -> Trace {
        let all =
            Active { threads: self.all.clone(), which: Which::All, because: None, edge: true };
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
            Op::Return => {
                self.event(id, &active, What::Return);
                self.departures += 1;
                let all = &self.all;
                self.frames.iter_mut().for_each(|frame| frame.lose(&active, all));
                return Flow::Gone;
            }
            Op::Panic { .. } => return Flow::Faulted,
            Op::Barrier { .. } | Op::SyncGrid => {
                let what = if *op == Op::SyncGrid { What::SyncGrid } else { What::Barrier };
                self.event(id, &active, what);
                self.interval = self.interval.saturating_add(1);
                self.since = self.interval;
            }
            Op::Set { local, value } => {
                let known = self.known(*value);
                self.yields(id, known.clone(), &active.threads);
                Rc::make_mut(&mut self.locals)[local.index()] = known;
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
            Op::Store { ptr, value } => {
                let stored = self.stored(*value, &active);
                self.access(id, &active, *ptr, AccessKind::Store(stored), *value);
            }
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
            | Op::Fma { .. }
            | Op::MulAdd { .. }
            | Op::Index { .. }
            | Op::Offset { .. }
            | Op::Get(_)
            | Op::ActiveMask
            | Op::Print { .. } => {}
        }
        if kernel.insts[id].ty != ir::Ty::Unit {
            let known = self.compute(id, &active.threads);
            self.yields(id, known, &active.threads);
        }
        Flow::On(active)
    }

    /// What `id` yields in `active` threads.
    pub(super) fn compute(&mut self, id: InstId, active: &Threads) -> Known {
        let kernel = self.kernel;
        let op = &kernel.insts[id].op;
        match op {
            Op::Const(bits) => self.constant(id, *bits),
            Op::Generic(generic) => {
                let extent = Extent::Generic(*generic);
                match self.extent(id, &extent) {
                    Some(value) if limits_of(kernel, id).is_some() => {
                        Known::Int(Int::proved(value))
                    }
                    Some(_) | None => self.fresh(id, Spread::Block),
                }
            }
            Op::Param(param) => self.param(id, *param, false),
            Op::Len(param) => self.param(id, *param, true),
            Op::Shared(shared) => Known::Ptr(Some(Root::Shared(*shared)), Some(Int::proved(0))),
            Op::Array(array) => Known::Ptr(Some(Root::Array(*array)), Some(Int::proved(0))),
            Op::Builtin(builtin) => self.builtin(id, *builtin),
            Op::Unary { op, value } => self.unary(id, *op, *value, active),
            Op::Binary { op, lhs, rhs } => self.binary(id, *op, *lhs, *rhs, active),
            Op::Compare { op, lhs, rhs } => self.compare(*op, *lhs, *rhs, active).into(),
            Op::Cast { value } => self.cast(id, *value, active),
            Op::Bitcast { value } => self.bitcast(id, *value, active),
            Op::Select { cond, then, other } => self.select(id, *cond, [*then, *other], active),
            Op::Index { base, index, stride } => self.index(id, *base, *index, stride),
            Op::Offset { base, offset } => {
                let Known::Ptr(root, from) = self.known(*base) else {
                    return Known::Ptr(None, None);
                };
                let by = self.extent(id, offset);
                let sum = from.zip(by).and_then(|(from, by)| {
                    Some(Int { value: Rc::new(from.value.plus(&by)?), ..from })
                });
                Known::Ptr(root, sum)
            }
            Op::Bounds { index, .. } => self.bounded(id, *index, active),
            Op::Get(local) => self.get(id, *local),
            Op::Load { ptr } => self.load(id, *ptr, active),
            Op::Fma { .. } | Op::MulAdd { .. } => {
                let spread = self.spread_of_all(op.operands(), active);
                self.fresh(id, spread)
            }
            Op::Barrier { .. } => self.fresh(id, Spread::Block),
            Op::Shuffle { op, value, lane, width, mask } => {
                let one = *op == ShuffleOp::Index && *width == 32;
                let by = self.spread_of_all([*lane].into_iter().chain(*mask), active);
                let spread = match self.spread(&self.known(*value), active) {
                    Spread::Block => Spread::Block,
                    Spread::Warp => Spread::Warp,
                    Spread::Thread if one && by < Spread::Thread => Spread::Warp,
                    Spread::Thread => Spread::Thread,
                };
                self.fresh(id, spread)
            }
            Op::Vote { op: VoteOp::All | VoteOp::Any | VoteOp::Ballot, mask, .. }
            | Op::Match { op: MatchOp::All, mask, .. }
            | Op::Reduce { mask, .. } => {
                let spread = self.spread_of_all(*mask, active).max(Spread::Warp);
                self.fresh(id, spread)
            }
            Op::AtomicLoad { .. }
            | Op::Atomic { .. }
            | Op::CompareExchange { .. }
            | Op::Match { op: MatchOp::Any, .. }
            | Op::ActiveMask => self.fresh(id, Spread::Thread),
            // These yield nothing, or are run elsewhere.
            Op::For { .. }
            | Op::Check { .. }
            | Op::Set { .. }
            | Op::Store { .. }
            | Op::AtomicStore { .. }
            | Op::SyncGrid
            | Op::SyncWarp { .. }
            | Op::Fence { .. }
            | Op::If { .. }
            | Op::Loop { .. }
            | Op::Block { .. }
            | Op::Break(_)
            | Op::Continue(_)
            | Op::Return
            | Op::Print { .. }
            | Op::Panic { .. } => Known::VARIES,
        }
    }

    /// What the launch passes as `param`, or its length.
    fn param(&mut self, id: InstId, param: ParamId, length: bool) -> Known {
        if let (ParamKind::Slice { .. }, false) = (&self.kernel.params[param].kind, length) {
            return Known::Ptr(Some(Root::Param(param)), Some(Int::proved(0)));
        }
        let Some(limits) = limits_of(self.kernel, id) else { return self.fresh(id, Spread::Block) };
        let asked = |(known, of_length, _): &&(ParamId, bool, Value)| {
            *known == param && *of_length == length
        };
        if let Some((.., symbol)) = self.params.iter().find(asked) {
            return Known::Int(Int::proved(symbol.clone()));
        }
        let range = self.range_of(id).unwrap_or(limits);
        let symbol = self.symbol(id, SymbolKind::Launch, Group::Block, range);
        self.params.push((param, length, symbol.clone()));
        Known::Int(Int::proved(symbol))
    }

    /// A number that is known once the kernel is specialized.
    pub(super) fn extent(&mut self, id: InstId, extent: &Extent) -> Option<Value> {
        match extent {
            Extent::Const(number) => i64::try_from(*number).ok().map(Value::from),
            Extent::Add(a, b) => self.extent(id, a)?.plus(&self.extent(id, b)?),
            Extent::Sub(a, b) => self.extent(id, a)?.minus(&self.extent(id, b)?),
            Extent::Mul(a, b) => self.extent(id, a)?.times(&self.extent(id, b)?),
            Extent::Generic(_) | Extent::SizeOf(_) | Extent::Div(..) | Extent::Max(..) => {
                if let Some((_, symbol)) = self.extents.iter().find(|(known, _)| known == extent) {
                    return Some(symbol.clone());
                }
                let range = match extent {
                    Extent::SizeOf(_) => Range::new(1, 8),
                    Extent::Generic(generic) => self.generic_range(*generic),
                    Extent::Const(_)
                    | Extent::Add(..)
                    | Extent::Sub(..)
                    | Extent::Mul(..)
                    | Extent::Div(..)
                    | Extent::Max(..) => Range::new(0, u64::MAX.into()),
                };
                let symbol = self.symbol(id, SymbolKind::Launch, Group::Block, range);
                self.extents.push((extent.clone(), symbol.clone()));
                Some(symbol)
            }
        }
    }

    fn generic_range(&self, generic: ir::GenericId) -> Range {
        let kind = self.kernel.generics.get(generic).map(|generic| generic.kind);
        match kind {
            Some(ir::GenericKind::Const(scalar)) => {
                limits(scalar).unwrap_or(Range::new(i64::MIN.into(), u64::MAX.into()))
            }
            Some(ir::GenericKind::Type(_)) | None => Range::new(i64::MIN.into(), u64::MAX.into()),
        }
    }

    fn get(&mut self, id: InstId, local: LocalId) -> Known {
        let known = self.locals[local.index()].clone();
        let Known::Int(int) = &known else { return known };
        let (Some(scalar), true) = (scalar(self.kernel.insts[id].ty), int.fit > Fit::Proved) else {
            return known;
        };
        match self.int((*int.value).clone(), scalar, self.range_of(id), int.assumed) {
            Some(int) => Known::Int(int),
            None => known,
        }
    }

    fn bitcast(&mut self, id: InstId, value: InstId, active: &Threads) -> Known {
        let [from, to] = [value, id].map(|id| limits_of(self.kernel, id));
        if from.is_some() && to.is_some() {
            return self.cast(id, value, active);
        }
        let spread = self.spread(&self.known(value), active);
        self.fresh(id, spread)
    }

    /// An index, in the threads where it is in bounds.
    fn bounded(&mut self, id: InstId, index: InstId, active: &Threads) -> Known {
        let known = self.known(index);
        let (Known::Int(int), Some(scalar)) = (&known, scalar(self.kernel.insts[id].ty)) else {
            let spread = self.spread(&known, active);
            return self.fresh(id, spread);
        };
        match self.int((*int.value).clone(), scalar, self.range_of(id), int.assumed) {
            Some(again) if again.fit < int.fit => Known::Int(again),
            Some(_) | None => known,
        }
    }

    fn index(&mut self, id: InstId, base: InstId, index: InstId, stride: &Extent) -> Known {
        let Known::Ptr(root, from) = self.known(base) else { return Known::Ptr(None, None) };
        let offset = self.offset(id, from.as_ref(), index, stride);
        Known::Ptr(root, offset)
    }

    fn offset(
        &mut self,
        id: InstId,
        from: Option<&Int>,
        index: InstId,
        stride: &Extent,
    ) -> Option<Int> {
        let stride = self.extent(id, stride)?;
        let from = from?;
        let (value, assumed) = match self.known(index) {
            Known::Int(int) => {
                // No object is larger.
                let actual = Some(Range::new(0, i64::MAX.into()));
                let scalar = scalar(self.kernel.insts[index].ty)?;
                let int = if int.fit > Fit::Proved {
                    self.int((*int.value).clone(), scalar, actual, int.assumed)?
                } else {
                    int
                };
                let (value, assumed) = int.needed()?;
                (value.clone(), assumed)
            }
            Known::Truth(_) | Known::Ptr(..) | Known::Opaque(..) => return None,
        };
        let value = from.value.plus(&value.times(&stride)?)?;
        Some(Int { value: Rc::new(value), fit: Fit::Proved, assumed: from.assumed || assumed })
    }

    fn load(&mut self, id: InstId, ptr: InstId, active: &Threads) -> Known {
        let Known::Ptr(root, offset) = self.known(ptr) else {
            return self.fresh(id, Spread::Thread);
        };
        let constant = match root {
            Some(Root::Param(param)) => matches!(
                self.kernel.params[param].kind,
                ParamKind::Slice { access: ir::Access::Read, .. }
            ),
            Some(Root::Array(array)) => {
                let numbers = offset.as_ref().and_then(|offset| offset.value.exact()?.same());
                let table = self.tables[array].as_ref();
                if let Some(&bits) = numbers.and_then(|offset| table?.get(&offset)) {
                    return self.constant(id, bits);
                }
                table.is_some()
            }
            Some(Root::Shared(_)) | None => false,
        };
        let spread = match offset {
            Some(offset) if constant => self.spread_of(&offset.value, active),
            Some(_) | None => Spread::Thread,
        };
        self.fresh(id, spread)
    }

    /// What a store writes: an integer, or anything else that is the same in many threads.
    fn stored(&mut self, value: InstId, active: &Active) -> Option<Value> {
        let known = self.known(value);
        if let Known::Int(int) = &known
            && let Some((value, false)) = int.needed()
        {
            return Some(value.clone());
        }
        let group = self.spread(&known, &active.threads).group()?;
        let range = Range::new(i64::MIN.into(), u64::MAX.into());
        Some(self.symbol(value, SymbolKind::Computed, group, range))
    }

    /// An access to what `ptr` points to, of a value of the type of `value`.
    fn access(
        &mut self,
        id: InstId,
        active: &Active,
        ptr: InstId,
        kind: AccessKind,
        value: InstId,
    ) {
        let (root, offset) = match self.known(ptr) {
            Known::Ptr(root, offset) => (root, offset),
            Known::Int(_) | Known::Truth(_) | Known::Opaque(..) => (None, None),
        };
        let root = root.or_else(|| self.kernel.root(ptr));
        let bytes = scalar(self.kernel.insts[value].ty).and_then(ir::Scalar::size);
        let assumed = offset.as_ref().is_some_and(|offset| offset.assumed);
        let offset = offset.map(|offset| (*offset.value).clone());
        let bytes = bytes.unwrap_or(0);
        let rows = offset.as_ref().and_then(|offset| self.rows(root, offset, bytes));
        let rows = rows.map(Box::new);
        let access = Access { root, kind, bytes, offset, assumed, rows };
        self.event(id, active, What::Access(access));
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

/// The limits of the integer that `id` yields.
fn limits_of(kernel: &Kernel, id: InstId) -> Option<Range> {
    scalar(kernel.insts[id].ty).and_then(limits)
}
