//! Steps that count, between those that run.
//!
//! Instructions that the same lanes run one behind the other are a *segment*: one step at its
//! beginning counts for all of them. A segment ends where lanes part, leave, wait for others or
//! come from elsewhere. Behind a structure that all lanes come out of, the segment before it goes
//! on. A lane that a failed check ends counts to the end of its segment.
//!
//! Branches are counted as hardware was measured to count them: one for each `if`, and for a `for`
//! one where it is entered, unless it surely has an iteration, and one behind each iteration. An
//! `if` that decides whether threads end is none: they leave by a predicated exit.
use super::Emitter;
use crate::{
    Requests,
    code::{Address, Operand, Step},
};
use warpwise_compiler::{
    analysis::vectors::{self, Vectors},
    hardware::{Kind, global, shared},
    id::{Facts, Id},
    ir::{Body, InstId, Kernel, Op, Space, Ty},
};

/// What steps count, and where to find it.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    /// How many segments there are.
    pub(crate) segments: usize,
    /// How many branches lanes may part at.
    pub(crate) branches: usize,
    /// What accesses ask of memory.
    pub(crate) requests: Vec<Request>,
    /// One for each instruction of the kernel; none if nothing is counted.
    pub(crate) entries: Vec<Entry>,
}

/// Where the counts of an instruction are.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entry {
    /// Who executes it; of a `for`, who comes to it.
    pub(crate) segment: Option<u32>,
    /// Who comes to the end of an iteration of a `for`.
    pub(crate) iteration: Option<u32>,
    /// Whether who comes to it executes a branch.
    pub(crate) is_branch: bool,
    /// Where lanes part.
    pub(crate) branch: Option<u32>,
    /// What it asks of memory.
    pub(crate) request: Option<u32>,
    /// Whether it is a part of a request that another instruction makes.
    pub(crate) is_merged: bool,
}

/// What a warp asks of shared or global memory at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) kind: Kind,
    /// Whether it is shared memory.
    pub(crate) is_shared: bool,
    /// Bytes of a lane.
    pub(crate) bytes: u32,
    pub(crate) at: Address<Operand>,
    /// The same before lowering, but for a constant.
    pub(crate) ptr: InstId,
    /// After how many bytes it asks the same again: a power of two.
    pub(crate) phases: u64,
}

impl Request {
    /// After how many rounds it asks the same again, if it goes on by so many bytes in each.
    pub(crate) fn period(&self, step: u64) -> u64 {
        self.phases >> step.trailing_zeros().min(self.phases.trailing_zeros())
    }

    /// Where a byte is among those after which it asks the same again.
    pub(crate) fn phase(&self, byte: u64) -> u8 {
        (byte & (self.phases - 1)) as u8
    }
}

/// After how many bytes a request asks the same again.
fn phases(is_shared: bool, bytes: u32) -> u64 {
    if !is_shared {
        global::SECTOR
    } else if u64::from(bytes) < shared::WORD {
        shared::WORD
    } else {
        1
    }
}

/// What is known while steps are made.
pub(super) struct Counting {
    vectors: Option<Vectors>,
    /// By instruction.
    exits: Facts<InstId, bool>,
    /// The segment that the next step belongs to, if that is known.
    open: Option<u32>,
    counted: Counted,
}

impl Counting {
    pub(super) fn of(kernel: &Kernel, requests: Requests) -> Self {
        let vectors = match requests {
            Requests::Scalars => None,
            Requests::Vectors => Some(vectors::analyze(kernel)),
        };
        let mut exits = kernel.insts.facts(false);
        find_exits(kernel, &kernel.body, &mut exits);
        let entries = vec![Entry::default(); kernel.insts.len()];
        let counted = Counted { entries, ..Counted::default() };
        Self { vectors, exits, open: None, counted }
    }

    pub(super) fn finish(self) -> Counted {
        self.counted
    }

    /// What is counted so far.
    pub(super) fn counted(&self) -> &Counted {
        &self.counted
    }

    fn entry(&mut self, id: InstId) -> &mut Entry {
        &mut self.counted.entries[id.index()]
    }

    fn new_segment(&mut self) -> u32 {
        self.counted.segments += 1;
        let segment = self.counted.segments as u32 - 1;
        self.open = Some(segment);
        segment
    }
}

impl Emitter<'_> {
    /// Has whoever comes here counted, unless they are already.
    fn count_here(&mut self) -> Option<u32> {
        let counting = self.counting.as_mut()?;
        if counting.open.is_none() {
            let segment = counting.new_segment();
            self.step(Step::Count { segment });
        }
        self.segment()
    }

    /// The segment that we are in, if that is known.
    pub(super) fn segment(&self) -> Option<u32> {
        self.counting.as_ref()?.open
    }

    /// Others than before may come here; yields the segment that ends.
    pub(super) fn end_segment(&mut self) -> Option<u32> {
        self.counting.as_mut()?.open.take()
    }

    /// Goes on with the segment before a structure, if the same lanes come out of it together.
    pub(super) fn resume_segment(&mut self, structure: InstId, before: Option<u32>) {
        let all = comes_out(self.kernel, structure, &mut Vec::new());
        if let Some(counting) = &mut self.counting {
            counting.open = before.filter(|_| all);
        }
    }

    /// Has an instruction counted.
    pub(super) fn count_inst(&mut self, id: InstId) {
        let segment = self.count_here();
        let kernel = self.kernel;
        let Some(counting) = &mut self.counting else { return };
        let is_exit = counting.exits[id];
        let entry = counting.entry(id);
        entry.segment = segment;
        let op = &kernel.insts[id].op;
        entry.is_branch = if let Op::If { then, other, .. } = op {
            !is_exit && !decides_to_end(kernel, then, other)
        } else {
            matches!(op, Op::For { .. }) && !has_iterations(kernel, op)
        };
    }

    /// The branch of an `if` or `for`, if it is one that lanes may part at.
    pub(super) fn branch(&mut self, id: InstId) -> Option<u32> {
        let is_for = matches!(self.kernel.insts[id].op, Op::For { .. });
        let counting = self.counting.as_mut()?;
        let next = counting.counted.branches as u32;
        let entry = counting.entry(id);
        if entry.branch.is_none() && (is_for || entry.is_branch) {
            entry.branch = Some(next);
            counting.counted.branches += 1;
        }
        counting.entry(id).branch
    }

    /// Has the first arm of an `if` counted, right behind [`Step::If`], and who has parted there.
    pub(super) fn count_arm(&mut self, id: InstId) {
        self.end_segment();
        let branch = self.branch(id);
        if let (Some(branch), Some(counting)) = (branch, &mut self.counting) {
            let segment = counting.new_segment();
            self.step(Step::CountArm { segment, branch });
        }
    }

    /// Has who comes to the end of an iteration of a `for` counted.
    pub(super) fn count_iteration(&mut self, id: InstId) {
        if continues(self.kernel, id) {
            self.end_segment();
        }
        let iteration = self.count_here();
        if let Some(counting) = &mut self.counting {
            counting.entry(id).iteration = iteration;
        }
    }

    /// Has counted what the access that comes next asks of memory, if it is a request by itself.
    pub(super) fn count_request(&mut self, id: InstId, ptr: InstId, at: Address<Operand>) {
        let kernel = self.kernel;
        let Some(counting) = &mut self.counting else { return };
        let is_shared = match kernel.space(ptr) {
            Some(Space::Shared) => true,
            Some(Space::Global) => false,
            Some(Space::Local) | None => return,
        };
        let (kind, value) = kind_of(kernel, id);
        let scalar = match kernel.insts[value].ty {
            Ty::Scalar(scalar) => scalar.size().unwrap_or(0),
            Ty::Ptr(_) | Ty::Unit => 8,
        };
        let vector = counting.vectors.as_ref().and_then(|vectors| vectors.get(id));
        if vector.is_some_and(|vector| vector.at != id) {
            counting.entry(id).is_merged = true;
            return;
        }
        let members = vector.map_or(1, |vector| vector.members.len() as u32);
        let at = before(at, vector.map_or(0, |vector| vector.behind));
        let request = counting.counted.requests.len() as u32;
        let bytes = scalar * members;
        let phases = phases(is_shared, bytes);
        let asks = Request { kind, is_shared, bytes, at, ptr, phases };
        counting.counted.requests.push(asks);
        counting.entry(id).request = Some(request);
        self.step(Step::CountRequest { request });
    }
}

/// What an access does, and the value that is as large as what it accesses.
fn kind_of(kernel: &Kernel, access: InstId) -> (Kind, InstId) {
    let op = &kernel.insts[access].op;
    if let Op::Store { value, .. } | Op::AtomicStore { value, .. } = op {
        (Kind::Store, *value)
    } else if let Op::Atomic { .. } | Op::CompareExchange { .. } = op {
        (Kind::Atomic, access)
    } else {
        (Kind::Load, access)
    }
}

/// `bytes` before an address; counting computes modulo 2^64.
fn before(at: Address<Operand>, bytes: u64) -> Address<Operand> {
    match at {
        Address::Element { buffer, index, stride, offset } => {
            Address::Element { buffer, index, stride, offset: offset.wrapping_sub(bytes) }
        }
        Address::Pointer { ptr, offset } => {
            Address::Pointer { ptr, offset: offset.wrapping_sub(bytes) }
        }
    }
}

/// Finds the `if`s behind which a thread that skips them has nothing left to do.
fn find_exits(kernel: &Kernel, body: &Body, exits: &mut Facts<InstId, bool>) {
    let Some(&last) = body.0.last() else { return };
    if let Op::If { then, other, .. } = &kernel.insts[last].op {
        exits[last] = then.0.is_empty() || other.0.is_empty();
        find_exits(kernel, then, exits);
        find_exits(kernel, other, exits);
    }
}

/// Whether the lanes of one arm end there and do nothing before.
fn decides_to_end(kernel: &Kernel, then: &Body, other: &Body) -> bool {
    let ends = |body: &Body| {
        let [only] = body.0[..] else { return false };
        matches!(kernel.insts[only].op, Op::Return)
    };
    (ends(then) && other.0.is_empty()) || (ends(other) && then.0.is_empty())
}

/// Whether a `for` over constants is entered whatever happens.
fn has_iterations(kernel: &Kernel, op: &Op) -> bool {
    let Op::For { start, end, .. } = op else { return false };
    let bounds = (&kernel.insts[*start].op, &kernel.insts[*end].op);
    let (Op::Const(start), Op::Const(end)) = bounds else { return false };
    // So small that it does not matter whether the type has a sign.
    start < end && *end < 1 << 7
}

/// Whether some lane goes on with the next iteration of a loop from inside its body.
fn continues(kernel: &Kernel, of: InstId) -> bool {
    fn any(kernel: &Kernel, body: &Body, of: InstId) -> bool {
        body.0.iter().any(|&id| {
            let op = &kernel.insts[id].op;
            matches!(op, Op::Continue(target) if *target == of)
                || op.bodies().any(|body| any(kernel, body, of))
        })
    }
    kernel.insts[of].op.bodies().any(|body| any(kernel, body, of))
}

/// Whether all lanes that come to a structure come out of it, unless they fail, and none has met
/// another in it.
fn comes_out(kernel: &Kernel, structure: InstId, inside: &mut Vec<InstId>) -> bool {
    inside.push(structure);
    let all = kernel.insts[structure].op.bodies().flat_map(|body| &body.0).all(|&id| match &kernel
        .insts[id]
        .op
    {
        Op::Return
        | Op::Barrier { .. }
        | Op::SyncGrid
        | Op::SyncWarp { .. }
        | Op::Shuffle { .. }
        | Op::Vote { .. }
        | Op::Match { .. }
        | Op::Reduce { .. } => false,
        Op::Break(target) | Op::Continue(target) => inside.contains(target),
        Op::If { .. } | Op::For { .. } | Op::Loop { .. } | Op::Block { .. } => {
            comes_out(kernel, id, inside)
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
        | Op::Bounds { .. }
        | Op::Check { .. }
        | Op::Get(_)
        | Op::Set { .. }
        | Op::Load { .. }
        | Op::Store { .. }
        | Op::AtomicLoad { .. }
        | Op::AtomicStore { .. }
        | Op::Atomic { .. }
        | Op::CompareExchange { .. }
        | Op::Fence { .. }
        | Op::ActiveMask
        | Op::Print { .. }
        | Op::Panic { .. } => true,
    });
    inside.pop();
    all
}
