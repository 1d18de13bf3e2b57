//! Instructions that count, between those of the kernel.
//!
//! At the beginning of a [segment](Segments), one instruction counts for all instructions of the
//! segment. The counters refer to the kernel as it was written: a rewritten instruction begins the
//! segment of the written one from which it came, and an added one begins none. The head of a loop
//! that has become a `for` is counted where the `for` is entered and after each of its iterations;
//! so are the lanes that leave there.
use super::{Emitter, ExitCounts};
use crate::{
    bytecode::{
        Address, AsyncCopy, Counted, Entry, Instr, Operand, Request, Requests, cost_period,
    },
    translate::{
        rewritten::{Head, Rewritten},
        segments::Segments,
    },
};
use warpwise_compiler::{
    analysis::{
        local_arrays::Placement,
        mma, predication,
        vectors::{self, Vectors},
    },
    hardware::Kind,
    id::{Facts, Id},
    ir::{Array, ArrayId, InstId, Kernel, Op, Root, Space, Ty},
};

/// The counters, while code is emitted.
pub(super) struct Counting<'k> {
    rewritten: &'k Rewritten<'k>,
    vectors: Option<Vectors>,
    /// The arrays in local memory; the others are in registers, or are constants.
    local_arrays: Vec<ArrayId>,
    /// The first word of the instruction that each word belongs to.
    leaders: Facts<InstId, Option<InstId>>,
    segments: Segments,
    /// True for segments that have begun.
    begun: Vec<bool>,
    counted: Counted,
}

impl<'k> Counting<'k> {
    pub(super) fn new(rewritten: &'k Rewritten<'k>, requests: Requests) -> Self {
        let written = rewritten.written;
        let (vectors, predicated) = match requests {
            Requests::Scalars => (None, written.insts.facts(false)),
            Requests::Vectors => (Some(vectors::analyze(written)), predication::analyze(written)),
        };
        let is_local = |array: &Array| match requests {
            Requests::Scalars => true,
            Requests::Vectors => matches!(
                Placement::in_kernel(array, written),
                Placement::Memory(_) | Placement::OneOfSeveral
            ),
        };
        let local_arrays = written.arrays.iter().filter(|(_, array)| is_local(array));
        let local_arrays = local_arrays.map(|(id, _)| id).collect();
        let segments = Segments::analyze(written, rewritten.uniformity(), &predicated);
        let entry = |id| Entry {
            segment: segments.get(id),
            iteration: segments.iteration(id),
            is_branch: segments.is_branch(id),
            branch: segments.branch(id),
            trips: None,
            request: None,
            destination: None,
            texture_read: None,
            local_access: None,
            bulk_copy: None,
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
        let counted = Counted {
            segments: many,
            iterations,
            loops,
            branches,
            requests: Vec::new(),
            texture_reads: 0,
            local_accesses: 0,
            bulk_copies: 0,
            entries,
        };
        let leaders = mma::find_leaders(written);
        Self {
            rewritten,
            vectors,
            local_arrays,
            leaders,
            segments,
            begun: vec![false; many],
            counted,
        }
    }

    pub(super) fn finish(self) -> Counted {
        self.counted
    }

    /// Returns the counters so far.
    pub(super) fn counted(&self) -> &Counted {
        &self.counted
    }

    /// Returns the segment if this begins it.
    fn begin_segment(&mut self, segment: Option<u32>) -> Option<u32> {
        segment.filter(|segment| !std::mem::replace(&mut self.begun[*segment as usize], true))
    }
}

impl Emitter<'_> {
    /// Emits the counter of an instruction that begins a segment or is a loop.
    pub(super) fn count_inst(&mut self, id: InstId) {
        let Some(counting) = &mut self.counting else { return };
        let was = counting.rewritten.origin(id);
        let segment = was.and_then(|was| counting.segments.get(was));
        if let Some(segment) = counting.begin_segment(segment) {
            self.emit(Instr::CountSegment { segment });
        }
        self.count_loop_entry(was);
    }

    /// Emits the counter of the lanes that enter a loop.
    fn count_loop_entry(&mut self, was: Option<InstId>) {
        let Some(counting) = &self.counting else { return };
        let number = was.and_then(|was| counting.counted.entries[was.index()].trips);
        if let Some(number) = number {
            self.emit(Instr::CountLoopEntry { number });
        }
    }

    /// Emits the counter of the first arm of an `if`, right after [`Instr::If`], and of the
    /// divergence there; `then` is true if it is also the first arm of the kernel's `if`.
    pub(super) fn count_arm(&mut self, id: InstId, then: bool) {
        let Some(counting) = &mut self.counting else { return };
        let Some(was) = counting.rewritten.origin(id) else { return };
        let Some(branch) = counting.segments.branch(was) else { return };
        let arm = counting.segments.arm(was).filter(|_| then);
        let instr = match counting.begin_segment(arm) {
            Some(segment) => Instr::CountArm { segment, branch },
            None => Instr::CountDivergence { branch },
        };
        self.emit(instr);
    }

    /// Returns the counters of lanes that leave at a branch: an `if` with an exit, or a `for`.
    pub(super) fn count_leave(&self, id: InstId, exit: Option<InstId>) -> ExitCounts {
        let Some(counting) = &self.counting else { return ExitCounts::default() };
        let was = |id| counting.rewritten.origin(id);
        let (branch, exit) = match counting.rewritten.head(id) {
            Some(Head { branch, leaves }) => (Some(branch), Some(leaves)),
            None => (was(id), exit.and_then(was)),
        };
        ExitCounts {
            branch: branch.and_then(|branch| counting.segments.branch(branch)),
            segment: exit.and_then(|exit| counting.segments.get(exit)),
        }
    }

    /// Emits the counter of lanes that leave a `for` that was a loop, where all leave together;
    /// returns true if there is one.
    pub(super) fn count_exit(&mut self, id: InstId) -> bool {
        let Some(counting) = &self.counting else { return false };
        let head = counting.rewritten.head(id);
        let segment = head.and_then(|head| counting.segments.get(head.leaves));
        if let Some(segment) = segment {
            self.emit(Instr::CountSegment { segment });
        }
        segment.is_some()
    }

    /// Emits the counter of the head of a `for` that was a loop.
    pub(super) fn count_head(&mut self, id: InstId) {
        let Some(counting) = &self.counting else { return };
        let head = counting.rewritten.head(id);
        if let Some(segment) = head.and_then(|head| counting.segments.get(head.branch)) {
            self.emit(Instr::CountSegment { segment });
        }
    }

    /// Emits the counter of the end of an iteration of a `for`.
    pub(super) fn count_iteration(&mut self, id: InstId) {
        self.count_head(id);
        let Some(counting) = &mut self.counting else { return };
        let was = counting.rewritten.origin(id);
        let segment = was.and_then(|was| counting.segments.iteration(was));
        if let Some(segment) = counting.begin_segment(segment) {
            self.emit(Instr::CountSegment { segment });
        }
    }

    /// Emits the counter of the access that comes next, if it is a request of its own.
    pub(super) fn count_request(&mut self, id: InstId, ptr: InstId, at: Address<Operand>) {
        let kernel = self.kernel;
        let Some(counting) = &mut self.counting else { return };
        let Some(was) = counting.rewritten.origin(id) else { return };
        // The costs of accesses to other blocks' shared memory are not known.
        let is_counted = |space: &Space| !matches!(space, Space::Local | Space::Cluster);
        let Some(space) = kernel.space(ptr).filter(is_counted) else { return };
        let (kind, value) = kind_and_value(kernel, id);
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
        let at = subtract_offset(at, vector.map_or(0, |vector| vector.position_offset));
        let request = counting.counted.requests.len() as u32;
        let bytes = scalar * members;
        let phases = cost_period(space, bytes);
        let asks = Request { kind, space, bytes, at, ptr, phases };
        counting.counted.requests.push(asks);
        counting.counted.entries[was.index()].request = Some(request);
        self.emit(Instr::CountRequest { request });
    }

    /// Emits the counter of the access to a thread-local array that comes next, if the array is in
    /// local memory.
    pub(super) fn count_local(&mut self, id: InstId, ptr: InstId, at: Address<Operand>) {
        let kernel = self.kernel;
        let Some(counting) = &mut self.counting else { return };
        let Some(was) = counting.rewritten.origin(id) else { return };
        let (_, value) = kind_and_value(kernel, id);
        let Ty::Scalar(scalar) = kernel.insts[value].ty else { return };
        let is_local = match kernel.root(ptr) {
            Some(Root::Array(array)) => counting.local_arrays.contains(&array),
            Some(Root::Param(_) | Root::Shared(_)) => false,
            None => !counting.local_arrays.is_empty(),
        };
        if !is_local {
            return;
        }
        let counter = counting.counted.local_accesses as u32;
        counting.counted.local_accesses += 1;
        counting.counted.entries[was.index()].local_access = Some(counter);
        self.emit(Instr::CountLocal { at, bytes: scalar.size().unwrap_or(0), counter });
    }

    /// Returns the counter of a read of a texture, if it is the first word of the read.
    pub(super) fn count_texture_read(&mut self, id: InstId) -> Option<u32> {
        let counting = self.counting.as_mut()?;
        let was = counting.rewritten.origin(id)?;
        if counting.leaders[was] != Some(was) {
            counting.counted.entries[was.index()].is_merged = true;
            return None;
        }
        let counter = counting.counted.texture_reads as u32;
        counting.counted.texture_reads += 1;
        counting.counted.entries[was.index()].texture_read = Some(counter);
        Some(counter)
    }

    /// Returns the counter of an instruction that copies in bulk.
    pub(super) fn count_bulk_copy(&mut self, id: InstId) -> Option<u32> {
        let counting = self.counting.as_mut()?;
        let was = counting.rewritten.origin(id)?;
        let counter = counting.counted.bulk_copies as u32;
        counting.counted.bulk_copies += 1;
        counting.counted.entries[was.index()].bulk_copy = Some(counter);
        Some(counter)
    }

    /// Emits the counters of the read and the write of the asynchronous copy that comes next.
    pub(super) fn count_copy(&mut self, id: InstId, copy: &AsyncCopy, [to, from]: [InstId; 2]) {
        let Some(counting) = &mut self.counting else { return };
        let Some(was) = counting.rewritten.origin(id) else { return };
        let bytes = copy.bytes;
        let mut push = |kind, space, at, ptr| {
            let phases = cost_period(space, bytes);
            counting.counted.requests.push(Request { kind, space, bytes, at, ptr, phases });
            counting.counted.requests.len() as u32 - 1
        };
        let read = push(Kind::Load, Space::Global, copy.from, from);
        let write = push(Kind::Store, Space::Shared, copy.to, to);
        let entry = &mut counting.counted.entries[was.index()];
        (entry.request, entry.destination) = (Some(read), Some(write));
        self.emit(Instr::CountRequest { request: read });
        self.emit(Instr::CountRequest { request: write });
    }
}

/// Returns the kind of an access, and a value of the size that it accesses.
fn kind_and_value(kernel: &Kernel, access: InstId) -> (Kind, InstId) {
    let op = &kernel.insts[access].op;
    if let Op::Store { value, .. } | Op::AtomicStore { value, .. } = op {
        (Kind::Store, *value)
    } else if let Op::Atomic { .. } | Op::CompareExchange { .. } = op {
        (Kind::Atomic, access)
    } else {
        (Kind::Load, access)
    }
}

/// Returns the address `bytes` before another one, modulo 2^64 as all counting.
fn subtract_offset(at: Address<Operand>, bytes: u64) -> Address<Operand> {
    match at {
        Address::Element { buffer, index, stride, offset } => {
            Address::Element { buffer, index, stride, offset: offset.wrapping_sub(bytes) }
        }
        Address::Pointer { ptr, offset } => {
            Address::Pointer { ptr, offset: offset.wrapping_sub(bytes) }
        }
    }
}
