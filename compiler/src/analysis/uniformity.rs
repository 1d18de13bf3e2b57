//! Uniformity: values and control flow that differ between the threads of a warp or of a block,
//! with the causes.
//!
//! The analysis runs once for each [`Group`]. A value has one [`Fact`], not one for each lane, so
//! `tid / 32` counts as varying in a warp.
//!
//! **Values.** A value is *uniform* in a group if, whenever threads of the group run an instruction
//! in the same iteration of every enclosing loop, they get the same value. It *varies* if it
//! depends on the thread's index, on data that each thread reads for itself, or on the outcome of
//! an atomic update. Otherwise it is *unknown*: all threads read the same location, and another
//! thread may write it in between. Values that the IR calls unspecified (a shuffle from a lane that
//! has ended) are left out.
//!
//! **Control.** The control of an instruction is uniform if all threads of the group that have not
//! ended run it together. Threads *diverge* at an `if` with a varying condition, at a `for` with
//! varying bounds, and at a `break` or `continue` that not all of them take. They converge after
//! the `if`, after the target of a `break`, and at the next iteration for a `continue`. As in WGSL,
//! once some threads have left a loop, control varies in its whole body.
//!
//! **Ending.** A thread that returns does not make the others diverge: it no longer counts where
//! threads converge. [`Varying::ended`] tells where threads may be missing for that reason. A
//! failed `bounds` or `check` ends a thread as well and is left out even there: the launch is an
//! error by then, and nearly every instruction follows some check.
//!
//! **Locals** have one fact for the whole kernel: a local varies once it is set to a value that
//! varies, or set where control varies.
//!
//! Facts only rise (uniform, unknown, varies) and keep the first cause of their level, so that
//! iteration reaches a fixed point, and a chain of causes ends at its source.
//!
//! ```text
//! %2 = lt %0, %1 : bool     varies: %0 is thread_idx.x
//! %3 = if %2 {              threads diverge here, because of %2
//! %4 = barrier            control varies: they diverge at %3
//! }
//! ```
use crate::{
    id::Facts,
    ir::{
        Axis, Body, Builtin, Effect, Extent, InstId, Kernel, LocalId, MatchOp, MatrixOp, Op,
        ParamKind, ReduceOp, Root, ShuffleOp, VoteOp, WarpOp,
    },
};

/// The threads that a fact compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// The threads of one warp.
    Warp,
    /// The threads of one block.
    Block,
}

/// The difference of a value, or of control, between the threads of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fact {
    /// No difference.
    #[default]
    Uniform,
    /// Possibly a difference; the kernel does not determine it.
    Unknown(Cause),
    /// A difference, or a dependence on data that differ.
    Varies(Cause),
}

/// The next link of the chain from an effect to its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The instruction itself is the source.
    Source,
    /// The value of this instruction, or the value that this `set` stores.
    Value(InstId),
    /// The divergence at this instruction.
    Divergence(InstId),
}

/// The facts about one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uniformity {
    /// Among the threads of a warp.
    pub warp: Varying,
    /// Among the threads of a block.
    pub block: Varying,
}

/// The facts about one kernel within one group of threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Varying {
    /// The value of an instruction; for a `set`, the stored value.
    pub value: Facts<InstId, Fact>,
    /// The control of an instruction: uniform if all threads that have not ended run it together.
    pub control: Facts<InstId, Fact>,
    /// The divergence at an `if`, `for`, `break`, `continue` or `return`.
    pub divergence: Facts<InstId, Fact>,
    /// The presence of threads that have returned: uniform if, among the threads that would run an
    /// instruction together, all or none have returned before. Meaningless where control varies.
    pub ended: Facts<InstId, Fact>,
    /// The value of a local.
    pub local: Facts<LocalId, Fact>,
}

/// Computes the facts about `kernel`, which may be generic.
pub fn analyze(kernel: &Kernel) -> Uniformity {
    let [warp, block] =
        [Group::Warp, Group::Block].map(|group| UniformityPass::new(kernel, group).run());
    Uniformity { warp, block }
}

/// Computes the facts about `kernel`, which may be generic, within a warp only.
pub fn analyze_warps(kernel: &Kernel) -> Varying {
    UniformityPass::new(kernel, Group::Warp).run()
}

/// Computes the facts about `kernel`, which may be generic, within a block only.
pub fn analyze_blocks(kernel: &Kernel) -> Varying {
    UniformityPass::new(kernel, Group::Block).run()
}

impl Uniformity {
    /// Returns the facts about `group`.
    pub const fn for_group(&self, group: Group) -> &Varying {
        match group {
            Group::Warp => &self.warp,
            Group::Block => &self.block,
        }
    }
}

impl Varying {
    /// Returns the links from `fact` to its source.
    pub fn cause_chain(&self, fact: Fact) -> Vec<Cause> {
        let mut links = Vec::new();
        let mut next = fact.cause();
        while let Some(cause) = next {
            next = match cause {
                Cause::Source => break,
                Cause::Value(id) => self.value[id].cause(),
                Cause::Divergence(id) => self.divergence[id].cause(),
            };
            links.push(cause);
        }
        links
    }
}

impl Fact {
    /// Returns true if it is the same in all threads.
    pub const fn is_uniform(self) -> bool {
        matches!(self, Self::Uniform)
    }
    /// Returns true if it differs.
    pub const fn varies(self) -> bool {
        matches!(self, Self::Varies(_))
    }
    /// Returns the first link to the source; `None` if uniform.
    pub const fn cause(self) -> Option<Cause> {
        match self {
            Self::Uniform => None,
            Self::Unknown(cause) | Self::Varies(cause) => Some(cause),
        }
    }
    /// Returns a fact of the same level with another cause.
    const fn with_cause(self, cause: Cause) -> Self {
        match self {
            Self::Uniform => Self::Uniform,
            Self::Unknown(_) => Self::Unknown(cause),
            Self::Varies(_) => Self::Varies(cause),
        }
    }
    /// Returns the higher fact; `self` if both have one level.
    const fn max(self, other: Self) -> Self {
        if other.level() > self.level() { other } else { self }
    }
    const fn level(self) -> u8 {
        match self {
            Self::Uniform => 0,
            Self::Unknown(_) => 1,
            Self::Varies(_) => 2,
        }
    }
}

/// The fixed-point iteration: passes over a kernel until no fact rises that the pass had already
/// used. Only facts about locals and loops are used before they are computed; every other fact
/// flows forward.
struct UniformityPass<'k> {
    kernel: &'k Kernel,
    group: Group,
    facts: Varying,
    /// Per loop: varies if threads leave it in different iterations.
    loop_exits: Facts<InstId, Fact>,
    /// Per loop: varies if only some threads return in an iteration.
    returned: Facts<InstId, Fact>,
    flow: FlowState,
    /// The locals read so far in this pass.
    read: Facts<LocalId, bool>,
    rose: bool,
}

/// The causes of missing threads at the current instruction.
#[derive(Clone, Default)]
struct FlowState {
    /// The enclosing loops and blocks.
    frames: Vec<UniformityFrame>,
    /// Varies if only some threads have returned.
    ended: Fact,
}

/// A `for`, `loop` or `block` in progress.
#[derive(Clone)]
struct UniformityFrame {
    id: InstId,
    /// Varies if some threads skip the rest of its body in this iteration.
    skipped: Fact,
}

impl<'k> UniformityPass<'k> {
    fn new(kernel: &'k Kernel, group: Group) -> Self {
        let uniform = || kernel.insts.facts(Fact::Uniform);
        let facts = Varying {
            value: uniform(),
            control: uniform(),
            divergence: uniform(),
            ended: uniform(),
            local: kernel.locals.facts(Fact::Uniform),
        };
        let (left, returned) = (uniform(), uniform());
        let (here, read) = (FlowState::default(), kernel.locals.facts(false));
        Self { kernel, group, facts, loop_exits: left, returned, flow: here, read, rose: false }
    }

    fn run(mut self) -> Varying {
        loop {
            (self.rose, self.flow) = (false, FlowState::default());
            self.visit_body(&self.kernel.body, Fact::Uniform);
            if !self.rose {
                return self.facts;
            }
        }
    }

    /// Visits `body`, which threads enter under `control`.
    fn visit_body(&mut self, body: &Body, control: Fact) {
        let kernel = self.kernel;
        let mut here = self.flow.control_fact(control);
        for &id in &body.0 {
            let op = &kernel.insts[id].op;
            // Most are uniform, and raise nothing.
            if !here.is_uniform() {
                raise(&mut self.facts.control[id], here);
            }
            if !self.flow.ended.is_uniform() {
                raise(&mut self.facts.ended[id], self.flow.ended);
            }
            // A fact that varies cannot rise.
            if !self.facts.value[id].varies() {
                let value = self.value_fact(id, op);
                if !value.is_uniform() {
                    raise(&mut self.facts.value[id], value);
                }
            }
            // No other operation affects the set of active threads, or locals.
            if let Effect::Control | Effect::Write = op.effect() {
                self.propagate_control(id, op);
                here = self.flow.control_fact(control);
            }
        }
    }

    /// Computes the fact about the value of `id`.
    fn value_fact(&mut self, id: InstId, op: &Op) -> Fact {
        match op {
            Op::Const(_)
            | Op::Generic(_)
            | Op::Param(_)
            | Op::Len(_)
            | Op::Shared(_)
            | Op::Array(_)
            | Op::Check { .. }
            | Op::Store { .. }
            | Op::AtomicStore { .. }
            | Op::Sync(_)
            | Op::Copy(_)
            | Op::Prefetch { .. }
            | Op::Matrix(MatrixOp::Wgmma { .. } | MatrixOp::WgmmaWait { .. })
            | Op::If { .. }
            | Op::Loop { .. }
            | Op::Block { .. }
            | Op::Break(_)
            | Op::Continue(_)
            | Op::Return
            | Op::Print { .. }
            | Op::Panic { .. } => Fact::Uniform,
            Op::Builtin(builtin) => self.builtin_fact(*builtin),
            Op::Unary { .. }
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
            | Op::Ptx { is_pure: true, .. }
            | Op::PtxOutput { .. }
            | Op::Interpreted
            | Op::MapShared { .. } => self.max_fact(op.operands()),
            // Threads that fail the check have ended.
            Op::Bounds { index, .. } => self.max_fact([*index]),
            Op::Get(local) => {
                self.read[*local] = true;
                self.facts.local[*local]
            }
            Op::Set { value, .. } => self.max_fact([*value]).max(self.facts.control[id]),
            Op::Load { ptr, .. } => self.load_fact(*ptr),
            Op::AtomicLoad { ptr, .. } => self.shared_read_fact(*ptr),
            Op::Atomic { .. }
            | Op::CompareExchange { .. }
            | Op::Warp(WarpOp::ActiveMask)
            | Op::Matrix(MatrixOp::Mma { .. } | MatrixOp::DistributeRows { .. })
            | Op::Ptx { is_pure: false, .. } => Fact::Varies(Cause::Source),
            Op::Warp(WarpOp::Shuffle { op, value, lane, width, mask }) => {
                self.shuffle_fact(*op, *value, *lane, width, *mask)
            }
            Op::Warp(WarpOp::Vote { op, value, mask }) => {
                // A warp with fewer lanes answers with fewer bits.
                self.collective_fact(*value, *mask, matches!(op, VoteOp::Ballot))
            }
            Op::Warp(WarpOp::Match { op: MatchOp::All, value, mask }) => {
                self.collective_fact(*value, *mask, false)
            }
            // A warp with fewer lanes answers with fewer bits.
            Op::Warp(WarpOp::Match { op: MatchOp::Any, value, mask }) => {
                let fact = self.max_fact([*value].into_iter().chain(*mask));
                match self.group {
                    Group::Warp => fact,
                    Group::Block => fact.max(Fact::Unknown(Cause::Source)),
                }
            }
            Op::Warp(WarpOp::Reduce { op, value, mask }) => {
                let counts = match op {
                    ReduceOp::Add | ReduceOp::Xor => true,
                    ReduceOp::Min | ReduceOp::Max | ReduceOp::And | ReduceOp::Or => false,
                };
                self.collective_fact(*value, *mask, counts)
            }
            // The value is compared within one iteration, whatever the trip count.
            Op::For { start, step, .. } => self.max_fact([*start, *step]),
        }
    }

    /// Returns the highest of the facts about `values`.
    fn max_fact(&self, values: impl IntoIterator<Item = InstId>) -> Fact {
        let mut fact = Fact::Uniform;
        values.into_iter().for_each(|value| {
            let of = self.facts.value[value];
            if !of.is_uniform() {
                fact = fact.max(of.with_cause(Cause::Value(value)));
            }
        });
        fact
    }

    /// Returns the fact about a builtin. Threads are numbered with x fastest, and 32 consecutive
    /// ones are a warp.
    fn builtin_fact(&self, builtin: Builtin) -> Fact {
        let dim = |axis: usize| self.kernel.block.as_ref().and_then(|block| block[axis].known());
        let product = |axes: usize| (0..axes).try_fold(1_u64, |n, axis| n.checked_mul(dim(axis)?));
        // The number of consecutive threads with the same value; 0 for all.
        let run = match builtin {
            Builtin::ThreadIdx(axis) | Builtin::GlobalIdx(axis) => {
                let axis = match axis {
                    Axis::X => 0,
                    Axis::Y => 1,
                    Axis::Z => 2,
                };
                if dim(axis) == Some(1) { Some(0) } else { product(axis) }
            }
            Builtin::BlockIdx(_)
            | Builtin::BlockDim(_)
            | Builtin::GridDim(_)
            | Builtin::CoarseningFactor => Some(0),
            Builtin::LaneId | Builtin::LaneMask(_) => Some(1),
            Builtin::WarpId => Some(32),
        };
        let uniform = product(3) == Some(1)
            || match (self.group, run) {
                (_, Some(0)) => true,
                (_, None) => false,
                (Group::Warp, Some(run)) => run % 32 == 0,
                (Group::Block, Some(run)) => product(3).is_some_and(|threads| threads <= run),
            };
        if uniform { Fact::Uniform } else { Fact::Varies(Cause::Source) }
    }

    fn load_fact(&self, ptr: InstId) -> Fact {
        let constant = match self.kernel.root(ptr) {
            Some(Root::Param(param)) => match self.kernel.params[param].kind {
                ParamKind::Slice { access, .. } => access.is_read_only(),
                ParamKind::Scalar(_) => false,
            },
            Some(Root::Shared(_) | Root::Array(_)) | None => false,
        };
        if constant && self.facts.value[ptr].is_uniform() {
            return Fact::Uniform;
        }
        self.shared_read_fact(ptr)
    }

    /// Returns the fact about a read of memory that other threads may write.
    fn shared_read_fact(&self, ptr: InstId) -> Fact {
        let unknown = Fact::Unknown(Cause::Source);
        unknown.max(self.facts.value[ptr].with_cause(Cause::Source))
    }

    fn shuffle_fact(
        &self,
        op: ShuffleOp,
        value: InstId,
        lane: InstId,
        width: &Extent,
        mask: Option<InstId>,
    ) -> Fact {
        let all_read_one = self.group == Group::Warp
            && op == ShuffleOp::Index
            && width.known() == Some(32)
            && self.max_fact([lane].into_iter().chain(mask)).is_uniform();
        if all_read_one || self.facts.value[value].is_uniform() {
            return Fact::Uniform;
        }
        self.max_fact([value, lane].into_iter().chain(mask))
    }

    /// Returns the fact about a collective result of a warp; `counts` if it depends on the number
    /// of lanes.
    fn collective_fact(&self, value: InstId, mask: Option<InstId>, counts: bool) -> Fact {
        match self.group {
            // The lanes of one mask get one answer.
            Group::Warp => self.max_fact(mask),
            Group::Block => {
                let partial = if counts { Fact::Unknown(Cause::Source) } else { Fact::Uniform };
                self.max_fact([value]).max(partial)
            }
        }
    }

    /// Propagates the effect of `id` on the control of other instructions, and on locals.
    fn propagate_control(&mut self, id: InstId, op: &Op) {
        let control = self.facts.control[id];
        match op {
            Op::Set { local, .. } => {
                let fact = self.facts.value[id].with_cause(Cause::Value(id));
                self.rose |= raise(&mut self.facts.local[*local], fact) && self.read[*local];
            }
            Op::If { cond, then, other } => {
                let inside = control.max(self.record_divergence(id, self.max_fact([*cond])));
                let before = self.flow.clone();
                self.visit_body(then, inside);
                let after_then = std::mem::replace(&mut self.flow, before);
                self.visit_body(other, inside);
                self.flow.merge_arms(&after_then);
            }
            Op::For { start, end, step, body, .. } => {
                let inside = control.max(self.record_divergence(id, self.max_fact([*start, *end, *step])));
                self.visit_loop(id, body, inside);
            }
            Op::Loop { body } => self.visit_loop(id, body, control),
            Op::Block { body } => self.visit_framed(id, body, control),
            Op::Break(target) => {
                let fact = self.record_divergence(id, control);
                self.record_jump(*target, fact);
                self.rose |= raise(&mut self.loop_exits[*target], fact);
            }
            Op::Continue(target) => {
                let fact = self.record_divergence(id, control);
                self.record_jump(*target, fact);
            }
            Op::Return => {
                let fact = self.record_divergence(id, control);
                for frame in &self.flow.frames {
                    self.rose |= raise(&mut self.returned[frame.id], fact);
                }
                self.flow.ended = self.flow.ended.max(fact);
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
            | Op::MapShared { .. }
            | Op::Bounds { .. }
            | Op::Check { .. }
            | Op::Get(_)
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::AtomicLoad { .. }
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
            // As after a check that fails: no thread waits for one that panics.
            | Op::Panic { .. } => {}
        }
    }

    /// Records the divergence `fact` at `id`, and returns its effect on control.
    fn record_divergence(&mut self, id: InstId, fact: Fact) -> Fact {
        raise(&mut self.facts.divergence[id], fact);
        fact.with_cause(Cause::Divergence(id))
    }

    /// Records that some threads jump to the end or the next iteration of `target`.
    fn record_jump(&mut self, target: InstId, fact: Fact) {
        for frame in self.flow.frames.iter_mut().rev() {
            if frame.id == target {
                frame.skipped = frame.skipped.max(fact);
                return;
            }
            self.rose |= raise(&mut self.loop_exits[frame.id], fact);
        }
    }

    /// Visits the body of a loop: threads that have left it, or returned, miss the next iteration.
    fn visit_loop(&mut self, id: InstId, body: &Body, control: Fact) {
        self.flow.ended = self.flow.ended.max(self.returned[id]);
        self.visit_framed(id, body, control.max(self.loop_exits[id]));
    }

    fn visit_framed(&mut self, id: InstId, body: &Body, control: Fact) {
        self.flow.frames.push(UniformityFrame { id, skipped: Fact::Uniform });
        self.visit_body(body, control);
        self.flow.frames.pop();
    }
}

impl FlowState {
    /// Returns the fact about control in a body that threads enter under `control`.
    fn control_fact(&self, mut control: Fact) -> Fact {
        for frame in &self.frames {
            control = control.max(frame.skipped);
        }
        control
    }

    /// Joins the two arms after an `if`: threads may be missing at the end of either.
    fn merge_arms(&mut self, other: &Self) {
        self.ended = self.ended.max(other.ended);
        for (frame, other) in self.frames.iter_mut().zip(&other.frames) {
            frame.skipped = frame.skipped.max(other.skipped);
        }
    }
}

/// Raises `fact` to at least `to`; returns true if it was lower.
const fn raise(fact: &mut Fact, to: Fact) -> bool {
    let rises = to.level() > fact.level();
    if rises {
        *fact = to;
    }
    rises
}
