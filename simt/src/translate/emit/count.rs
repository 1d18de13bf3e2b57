//! Steps that count, between those that run.
//!
//! Where a [segment](Segments) begins, a step counts for all its instructions. What is counted are the instructions that were written,
//! so that it does not matter what has become of them: an instruction that another one was made of begins the
//! segment of that, and one that was added none. The head of a loop that has become a `for` is counted where the `for` is
//! entered and behind each of its iterations; so who leaves there is.
use super::{Emitter, MayLeave};
use crate::{
    bytecode::{Address, Counted, Entry, Instr, Operand, Request, Requests, phases},
    translate::{
        rewritten::{Head, Rewritten},
        segments::Segments,
    },
};
use warpwise_compiler::{
    analysis::vectors::{self, Vectors},
    hardware::Kind,
    id::Id,
    ir::{InstId, Kernel, Op, Space, Ty},
};

/// What is known while steps are made.
pub(super) struct Counting<'k> {
    rewritten: &'k Rewritten<'k>,
    vectors: Option<Vectors>,
    segments: Segments,
    /// Which segments have begun.
    begun: Vec<bool>,
    counted: Counted,
}

impl<'k> Counting<'k> {
    pub(super) fn of(rewritten: &'k Rewritten<'k>, requests: Requests) -> Self {
        let written = rewritten.written;
        let vectors = match requests {
            Requests::Scalars => None,
            Requests::Vectors => Some(vectors::analyze(written)),
        };
        let segments = Segments::of(written, rewritten.uniformity());
        let entry = |id| Entry {
            segment: segments.get(id),
            iteration: segments.iteration(id),
            is_branch: segments.is_branch(id),
            branch: segments.branch(id),
            trips: None,
            request: None,
            is_merged: false,
        };
        let mut entries: Vec<Entry> = written.insts.ids().map(entry).collect();
        let (many, branches) = (segments.len(), segments.branches());
        let mut iterations = vec![None; many];
        for (number, (id, first)) in (0..).zip(segments.loops()) {
            entries[id.index()].trips = Some(number);
            if let Some(first) = first {
                iterations[*first as usize] = Some(number);
            }
        }
        let loops = segments.loops().len();
        let requests = Vec::new();
        let counted = Counted { segments: many, iterations, loops, branches, requests, entries };
        Self { rewritten, vectors, segments, begun: vec![false; many], counted }
    }

    pub(super) fn finish(self) -> Counted {
        self.counted
    }

    /// What is counted so far.
    pub(super) fn counted(&self) -> &Counted {
        &self.counted
    }

    /// The segment, if it has not begun. It has then.
    fn begin(&mut self, segment: Option<u32>) -> Option<u32> {
        segment.filter(|segment| !std::mem::replace(&mut self.begun[*segment as usize], true))
    }
}

impl Emitter<'_> {
    /// Has an instruction counted.
    pub(super) fn count_inst(&mut self, id: InstId) {
        let Some(counting) = &mut self.counting else { return };
        let was = counting.rewritten.origin(id);
        let segment = was.and_then(|was| counting.segments.get(was));
        if let Some(segment) = counting.begin(segment) {
            self.step(Instr::CountSegment { segment });
        }
        self.count_come(was);
    }

    /// Has those counted who come to a loop, where it begins.
    fn count_come(&mut self, was: Option<InstId>) {
        let Some(counting) = &self.counting else { return };
        let number = was.and_then(|was| counting.counted.entries[was.index()].trips);
        if let Some(number) = number {
            self.step(Instr::CountLoopEntry { number });
        }
    }

    /// Has the first arm of an `if` counted, right behind [`Instr::If`], and who has parted there; `then` says whether
    /// it is the first one of the `if`, too.
    pub(super) fn count_arm(&mut self, id: InstId, then: bool) {
        let Some(counting) = &mut self.counting else { return };
        let Some(was) = counting.rewritten.origin(id) else { return };
        let Some(branch) = counting.segments.branch(was) else { return };
        let arm = counting.segments.arm(was).filter(|_| then);
        let step = match counting.begin(arm) {
            Some(segment) => Instr::CountArm { segment, branch },
            None => Instr::CountDivergence { branch },
        };
        self.step(step);
    }

    /// What is counted where lanes leave at a branch: an `if` with what leaves, or a `for`.
    pub(super) fn count_leave(&self, id: InstId, exit: Option<InstId>) -> MayLeave {
        let Some(counting) = &self.counting else { return MayLeave::default() };
        let was = |id| counting.rewritten.origin(id);
        let (branch, exit) = match counting.rewritten.head(id) {
            Some(Head { branch, leaves }) => (Some(branch), Some(leaves)),
            None => (was(id), exit.and_then(was)),
        };
        MayLeave {
            branch: branch.and_then(|branch| counting.segments.branch(branch)),
            segment: exit.and_then(|exit| counting.segments.get(exit)),
        }
    }

    /// Has who leaves a `for` that was a loop counted, where all do together; whether that is counted at all.
    pub(super) fn count_left(&mut self, id: InstId) -> bool {
        let Some(counting) = &self.counting else { return false };
        let head = counting.rewritten.head(id);
        let segment = head.and_then(|head| counting.segments.get(head.leaves));
        if let Some(segment) = segment {
            self.step(Instr::CountSegment { segment });
        }
        segment.is_some()
    }

    /// Has who comes to the head of a `for` that was a loop counted.
    pub(super) fn count_head(&mut self, id: InstId) {
        let Some(counting) = &self.counting else { return };
        let head = counting.rewritten.head(id);
        if let Some(segment) = head.and_then(|head| counting.segments.get(head.branch)) {
            self.step(Instr::CountSegment { segment });
        }
    }

    /// Has who comes to the end of an iteration of a `for` counted.
    pub(super) fn count_iteration(&mut self, id: InstId) {
        self.count_head(id);
        let Some(counting) = &mut self.counting else { return };
        let was = counting.rewritten.origin(id);
        let segment = was.and_then(|was| counting.segments.iteration(was));
        if let Some(segment) = counting.begin(segment) {
            self.step(Instr::CountSegment { segment });
        }
    }

    /// Has counted what the access that comes next asks of memory, if it is a request by itself.
    pub(super) fn count_request(&mut self, id: InstId, ptr: InstId, at: Address<Operand>) {
        let kernel = self.kernel;
        let Some(counting) = &mut self.counting else { return };
        let Some(was) = counting.rewritten.origin(id) else { return };
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
        let vector = counting.vectors.as_ref().and_then(|vectors| vectors.get(was));
        if vector.is_some_and(|vector| vector.position != was) {
            counting.counted.entries[was.index()].is_merged = true;
            return;
        }
        let members = vector.map_or(1, |vector| vector.members.len() as u32);
        let at = before(at, vector.map_or(0, |vector| vector.position_offset));
        let request = counting.counted.requests.len() as u32;
        let bytes = scalar * members;
        let phases = phases(is_shared, bytes);
        let asks = Request { kind, is_shared, bytes, at, ptr, phases };
        counting.counted.requests.push(asks);
        counting.counted.entries[was.index()].request = Some(request);
        self.step(Instr::CountRequest { request });
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
