//! What differs between the threads of a warp, or of a block, and why.
//!
//! The analysis runs once for each [`Group`]. `tid / 32` is not known to be
//! uniform in a warp yet: a value is one [`Fact`], not one for each lane.
//!
//! **Values.** A value is *uniform* in a group if, whenever threads of the group
//! run an instruction in the same iteration of every loop around it, they get the
//! same value. It *varies* if it depends on which thread this is, on data that each
//! thread reads for itself, or on the outcome of an atomic update. Otherwise it is
//! *unknown*: all threads read the same place, and another thread may write it in between. Values
//! that the IR calls unspecified (a shuffle from a lane that has ended) are left out.
//!
//! **Control.** The control of an instruction is uniform if all threads of the group that
//! have not ended run it together. Threads *part* at an `if` whose condition differs, at a
//! `for` whose bounds differ, and at a `break` or `continue` that not all of them take. They
//! meet again behind the `if`, behind what a `break` leaves, and at the next iteration for a
//! `continue`. As in WGSL, once some have left a loop, control differs in all of its body.
//!
//! **Ending.** A thread that returns parts from nobody: where threads meet, it no longer
//! counts. [`Varying::ended`] tells where some may be missing for that reason. A failed `bounds` or
//! `check` ends a thread as well and is left out even there: the launch is an error by
//! then, and nearly every instruction stands behind some check.
//!
//! **Locals** have one fact for the whole kernel: a local varies once it is set to a
//! value that varies, or set where control varies.
//!
//! Facts only rise (uniform, unknown, varies) and keep the first cause of their
//! height, so that repeating until nothing changes terminates, and a chain of
//! causes ends at its source.
//!
//! ```text
//! %2 = lt %0, %1 : bool     varies: %0 is thread_idx.x
//! %3 = if %2 {              threads part here, because of %2
//!   %4 = barrier            control varies: they part at %3
//! }
//! ```
use crate::{
    id::Facts,
    ir::{
        Access, Axis, Body, Builtin, Effect, Extent, InstId, Kernel, LocalId, MatchOp, Op,
        ParamKind, ReduceOp, Root, ShuffleOp, VoteOp,
    },
};

/// Threads that a fact is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// The threads of one warp.
    Warp,
    /// The threads of one block.
    Block,
}

/// Whether something differs between the threads of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fact {
    /// It does not.
    #[default]
    Uniform,
    /// It may; nothing in the kernel says either way.
    Unknown(Cause),
    /// It does, or depends on data that do.
    Varies(Cause),
}

/// The next link of the chain from an effect to its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The instruction itself is the source.
    Source,
    /// The value of this instruction, or what this `set` sets.
    Value(InstId),
    /// Threads part at this instruction.
    Parting(InstId),
}

/// The facts about one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uniformity {
    /// Among the threads of a warp.
    pub warp: Varying,
    /// Among the threads of a block.
    pub block: Varying,
}

/// The facts about one kernel and one group of threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Varying {
    /// The value of an instruction; of a `set`, what it sets.
    pub value: Facts<InstId, Fact>,
    /// Whether all threads that have not ended run an instruction together.
    pub control: Facts<InstId, Fact>,
    /// Whether threads part at an `if`, `for`, `break`, `continue` or `return`.
    pub parting: Facts<InstId, Fact>,
    /// Whether, of the threads that would run an instruction together, some have returned before
    /// and others have not. Where control varies, this says nothing.
    pub ended: Facts<InstId, Fact>,
    /// The value of a local.
    pub local: Facts<LocalId, Fact>,
}

/// Computes the facts about `kernel`, which may be generic.
pub fn analyze(kernel: &Kernel) -> Uniformity {
    let [warp, block] = [Group::Warp, Group::Block].map(|group| Walk::new(kernel, group).run());
    Uniformity { warp, block }
}

impl Uniformity {
    /// The facts about `group`.
    pub const fn among(&self, group: Group) -> &Varying {
        match group {
            Group::Warp => &self.warp,
            Group::Block => &self.block,
        }
    }
}

impl Varying {
    /// The links from `fact` to its source.
    pub fn chain(&self, fact: Fact) -> Vec<Cause> {
        let mut links = Vec::new();
        let mut next = fact.cause();
        while let Some(cause) = next {
            next = match cause {
                Cause::Source => break,
                Cause::Value(id) => self.value[id].cause(),
                Cause::Parting(id) => self.parting[id].cause(),
            };
            links.push(cause);
        }
        links
    }
}

impl Fact {
    /// True if it is the same in all threads.
    pub const fn is_uniform(self) -> bool {
        matches!(self, Self::Uniform)
    }
    /// True if it differs.
    pub const fn varies(self) -> bool {
        matches!(self, Self::Varies(_))
    }
    /// The first link to the source; `None` if uniform.
    pub const fn cause(self) -> Option<Cause> {
        match self {
            Self::Uniform => None,
            Self::Unknown(cause) | Self::Varies(cause) => Some(cause),
        }
    }
    /// As high as `self`, for another reason.
    const fn because(self, cause: Cause) -> Self {
        match self {
            Self::Uniform => Self::Uniform,
            Self::Unknown(_) => Self::Unknown(cause),
            Self::Varies(_) => Self::Varies(cause),
        }
    }
    /// The higher; `self` if they are equally high.
    const fn or(self, other: Self) -> Self {
        if other.height() > self.height() { other } else { self }
    }
    const fn height(self) -> u8 {
        match self {
            Self::Uniform => 0,
            Self::Unknown(_) => 1,
            Self::Varies(_) => 2,
        }
    }
}

/// One walk after the other over a kernel, until no fact rises that was taken for lower before in the walk: of a local, or
/// of a loop. All others are of what comes behind.
struct Walk<'k> {
    kernel: &'k Kernel,
    group: Group,
    facts: Varying,
    /// Of a loop: whether threads leave it in different iterations.
    left: Facts<InstId, Fact>,
    /// Of a loop: whether only some threads return in an iteration.
    returned: Facts<InstId, Fact>,
    here: Here,
    /// The locals that were read.
    read: Facts<LocalId, bool>,
    rose: bool,
}

/// Who is missing at the current instruction.
#[derive(Clone, Default)]
struct Here {
    /// The loops and blocks around it.
    frames: Vec<Frame>,
    /// Whether some threads have returned.
    ended: Fact,
}

/// A `for`, `loop` or `block` that is being walked.
#[derive(Clone)]
struct Frame {
    id: InstId,
    /// Whether some threads skip the rest of its body, this time.
    skipped: Fact,
}

impl<'k> Walk<'k> {
    fn new(kernel: &'k Kernel, group: Group) -> Self {
        let uniform = || kernel.insts.facts(Fact::Uniform);
        let facts = Varying {
            value: uniform(),
            control: uniform(),
            parting: uniform(),
            ended: uniform(),
            local: kernel.locals.facts(Fact::Uniform),
        };
        let (left, returned) = (uniform(), uniform());
        let (here, read) = (Here::default(), kernel.locals.facts(false));
        Self { kernel, group, facts, left, returned, here, read, rose: false }
    }

    fn run(mut self) -> Varying {
        loop {
            (self.rose, self.here) = (false, Here::default());
            self.body(&self.kernel.body, Fact::Uniform);
            if !self.rose {
                return self.facts;
            }
        }
    }

    /// Walks `body`, which threads enter under `control`.
    fn body(&mut self, body: &Body, control: Fact) {
        let kernel = self.kernel;
        let mut here = self.here.control(control);
        for &id in &body.0 {
            let op = &kernel.insts[id].op;
            // Most are uniform, and raise nothing.
            if !here.is_uniform() {
                raise(&mut self.facts.control[id], here);
            }
            if !self.here.ended.is_uniform() {
                raise(&mut self.facts.ended[id], self.here.ended);
            }
            // What varies cannot rise.
            if !self.facts.value[id].varies() {
                let value = self.value(id, op);
                if !value.is_uniform() {
                    raise(&mut self.facts.value[id], value);
                }
            }
            // No other does anything to who is missing, or to locals.
            if let Effect::Control | Effect::Write = op.effect() {
                self.control(id, op);
                here = self.here.control(control);
            }
        }
    }

    /// What the value of `id` is now known to be.
    fn value(&mut self, id: InstId, op: &Op) -> Fact {
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
            | Op::Barrier { .. }
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
            | Op::Panic { .. } => Fact::Uniform,
            Op::Builtin(builtin) => self.builtin(*builtin),
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
            | Op::Offset { .. } => self.any(op.operands()),
            // Threads that fail the check have ended.
            Op::Bounds { index, .. } => self.any([*index]),
            Op::Get(local) => {
                self.read[*local] = true;
                self.facts.local[*local]
            }
            Op::Set { value, .. } => self.any([*value]).or(self.facts.control[id]),
            Op::Load { ptr } => self.load(*ptr),
            Op::AtomicLoad { ptr, .. } => self.shared_read(*ptr),
            Op::Atomic { .. } | Op::CompareExchange { .. } | Op::ActiveMask => {
                Fact::Varies(Cause::Source)
            }
            Op::Shuffle { op, value, lane, width, mask } => {
                self.shuffle(*op, *value, *lane, width, *mask)
            }
            Op::Vote { op, value, mask } => {
                // A warp with fewer lanes answers with fewer bits.
                self.agreed(*value, *mask, matches!(op, VoteOp::Ballot))
            }
            Op::Match { op: MatchOp::All, value, mask } => self.agreed(*value, *mask, false),
            // A warp with fewer lanes answers with fewer bits.
            Op::Match { op: MatchOp::Any, value, mask } => {
                let fact = self.any([*value].into_iter().chain(*mask));
                match self.group {
                    Group::Warp => fact,
                    Group::Block => fact.or(Fact::Unknown(Cause::Source)),
                }
            }
            Op::Reduce { op, value, mask } => {
                let counts = match op {
                    ReduceOp::Add | ReduceOp::Xor => true,
                    ReduceOp::Min | ReduceOp::Max | ReduceOp::And | ReduceOp::Or => false,
                };
                self.agreed(*value, *mask, counts)
            }
            // In one iteration, however many there are.
            Op::For { start, step, .. } => self.any([*start, *step]),
        }
    }

    /// The highest of the facts about `values`.
    fn any(&self, values: impl IntoIterator<Item = InstId>) -> Fact {
        let mut fact = Fact::Uniform;
        values.into_iter().for_each(|value| {
            let of = self.facts.value[value];
            if !of.is_uniform() {
                fact = fact.or(of.because(Cause::Value(value)));
            }
        });
        fact
    }

    /// Threads are numbered with x fastest, and 32 in a row are a warp.
    fn builtin(&self, builtin: Builtin) -> Fact {
        let dim = |axis: usize| self.kernel.block.as_ref().and_then(|block| block[axis].known());
        let product = |axes: usize| (0..axes).try_fold(1_u64, |n, axis| n.checked_mul(dim(axis)?));
        // Among how many threads in a row it stays the same; 0 for all.
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

    fn load(&self, ptr: InstId) -> Fact {
        let constant = match self.kernel.root(ptr) {
            Some(Root::Param(param)) => match self.kernel.params[param].kind {
                ParamKind::Slice { access: Access::Read, .. } => true,
                ParamKind::Slice { access: Access::Write | Access::Atomic, .. }
                | ParamKind::Scalar(_) => false,
            },
            Some(Root::Shared(_) | Root::Array(_)) | None => false,
        };
        if constant && self.facts.value[ptr].is_uniform() {
            return Fact::Uniform;
        }
        self.shared_read(ptr)
    }

    /// A read of memory that other threads may write.
    fn shared_read(&self, ptr: InstId) -> Fact {
        let unknown = Fact::Unknown(Cause::Source);
        unknown.or(self.facts.value[ptr].because(Cause::Source))
    }

    fn shuffle(
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
            && self.any([lane].into_iter().chain(mask)).is_uniform();
        if all_read_one || self.facts.value[value].is_uniform() {
            return Fact::Uniform;
        }
        self.any([value, lane].into_iter().chain(mask))
    }

    /// What the lanes of a warp come to together; `counts` if it depends on how many they are.
    fn agreed(&self, value: InstId, mask: Option<InstId>, counts: bool) -> Fact {
        match self.group {
            // The lanes of one mask get one answer.
            Group::Warp => self.any(mask),
            Group::Block => {
                let partial = if counts { Fact::Unknown(Cause::Source) } else { Fact::Uniform };
                self.any([value]).or(partial)
            }
        }
    }

    /// What `id` does to the control of others, and to locals.
    fn control(&mut self, id: InstId, op: &Op) {
        let control = self.facts.control[id];
        match op {
            Op::Set { local, .. } => {
                let fact = self.facts.value[id].because(Cause::Value(id));
                self.rose |= raise(&mut self.facts.local[*local], fact) && self.read[*local];
            }
            Op::If { cond, then, other } => {
                let inside = control.or(self.part(id, self.any([*cond])));
                let before = self.here.clone();
                self.body(then, inside);
                let after_then = std::mem::replace(&mut self.here, before);
                self.body(other, inside);
                self.here.merge(&after_then);
            }
            Op::For { start, end, step, body, .. } => {
                let inside = control.or(self.part(id, self.any([*start, *end, *step])));
                self.repeated(id, body, inside);
            }
            Op::Loop { body } => self.repeated(id, body, control),
            Op::Block { body } => self.framed(id, body, control),
            Op::Break(target) => {
                let fact = self.part(id, control);
                self.leave(*target, fact);
                self.rose |= raise(&mut self.left[*target], fact);
            }
            Op::Continue(target) => {
                let fact = self.part(id, control);
                self.leave(*target, fact);
            }
            Op::Return => {
                let fact = self.part(id, control);
                for frame in &self.here.frames {
                    self.rose |= raise(&mut self.returned[frame.id], fact);
                }
                self.here.ended = self.here.ended.or(fact);
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
            | Op::Bounds { .. }
            | Op::Check { .. }
            | Op::Get(_)
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. }
            | Op::Atomic { .. }
            | Op::CompareExchange { .. }
            | Op::Barrier { .. }
            | Op::SyncGrid
            | Op::SyncWarp { .. }
            | Op::Fence { .. }
            | Op::Shuffle { .. }
            | Op::Vote { .. }
            | Op::Match { .. }
            | Op::ActiveMask
            | Op::Reduce { .. }
            | Op::Print { .. }
            // As behind a check that fails: who panics is not waited for.
            | Op::Panic { .. } => {}
        }
    }

    /// Notes that threads part at `id` as `fact` says; yields what that does to control.
    fn part(&mut self, id: InstId, fact: Fact) -> Fact {
        raise(&mut self.facts.parting[id], fact);
        fact.because(Cause::Parting(id))
    }

    /// Some threads go from here to the end or the next iteration of `target`.
    fn leave(&mut self, target: InstId, fact: Fact) {
        for frame in self.here.frames.iter_mut().rev() {
            if frame.id == target {
                frame.skipped = frame.skipped.or(fact);
                return;
            }
            self.rose |= raise(&mut self.left[frame.id], fact);
        }
    }

    /// The body of a loop: who has left it, or returned, misses the next iteration.
    fn repeated(&mut self, id: InstId, body: &Body, control: Fact) {
        self.here.ended = self.here.ended.or(self.returned[id]);
        self.framed(id, body, control.or(self.left[id]));
    }

    fn framed(&mut self, id: InstId, body: &Body, control: Fact) {
        self.here.frames.push(Frame { id, skipped: Fact::Uniform });
        self.body(body, control);
        self.here.frames.pop();
    }
}

impl Here {
    /// What decides that threads are missing, in a body that they enter under `control`.
    fn control(&self, mut control: Fact) -> Fact {
        for frame in &self.frames {
            control = control.or(frame.skipped);
        }
        control
    }

    /// Behind an `if`: who is missing at the end of either arm.
    fn merge(&mut self, other: &Self) {
        self.ended = self.ended.or(other.ended);
        for (frame, other) in self.frames.iter_mut().zip(&other.frames) {
            frame.skipped = frame.skipped.or(other.skipped);
        }
    }
}

/// Raises `fact` to at least `to`; whether it was lower.
const fn raise(fact: &mut Fact, to: Fact) -> bool {
    let rises = to.height() > fact.height();
    if rises {
        *fact = to;
    }
    rises
}
