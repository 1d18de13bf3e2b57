//! `gpu_uninit_shared_reads`: a read of an element of shared memory that no thread has written.
//!
//! ```text
//! cells[t] = x[t];         // 64 threads
//! sync_threads();
//! let v = cells[t + 64];   // shared memory is not zeroed
//! ```
//! Fires where no store that may precede the read covers the element, and where nothing stores at
//! all to an array that is read or updated. Silent if any earlier store has an unknown address, and
//! in kernels with named barriers. For an element of several scalars, one written scalar is enough:
//! a copy of an enum reads the fields of all variants. Also fires where only the reading thread
//! stores to the element, and does so later: `cells[t] += v`.
use crate::{
    analysis::{
        Analyses,
        symbolic::{Access, AccessKind, Coverage, Event, EventKind, SymbolicSum, Trace},
    },
    diag::Level,
    ir::{CopyOp, InstId, Kernel, Length, Op, Root, Shared, SharedId, Space},
    lint::{Finding, Lint, LintGroup, race, wording},
};
use std::rc::Rc;

pub(in crate::lint) const LINT: Lint = Lint {
    name: "gpu_uninit_shared_reads",
    group: LintGroup::Correctness,
    level: Level::Warn,
    check,
};

pub(super) fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let stored_through_unknown = kernel.insts.iter().any(|(_, inst)| {
        written_pointer(&inst.op).is_some_and(|ptr| {
            matches!(kernel.space(ptr), Some(Space::Shared | Space::Cluster))
                && kernel.root(ptr).is_none()
        })
    });
    // The trace has not the order that named barriers make.
    let is_ordered = analyses.trace.complete && !kernel.has_partial_barriers();
    if stored_through_unknown || !is_ordered {
        return Vec::new();
    }
    kernel.shared.ids().filter_map(|shared| check_array(kernel, analyses, shared)).collect()
}

/// Returns the pointer of an operation that writes without reading first.
fn written_pointer(op: &Op) -> Option<InstId> {
    let (Op::Store { ptr, .. }
    | Op::AtomicStore { ptr, .. }
    | Op::Copy(
        CopyOp::AsyncCopy { to: ptr, .. }
        | CopyOp::BulkCopy { to: ptr, .. }
        | CopyOp::TensorCopy { to: ptr, .. },
    )) = op
    else {
        return None;
    };
    Some(*ptr)
}

fn check_array(kernel: &Kernel, analyses: &Analyses, shared: SharedId) -> Option<Finding> {
    let trace = &analyses.trace;
    let root = Root::Shared(shared);
    let is_written = kernel.insts.iter().any(|(_, inst)| {
        written_pointer(&inst.op).is_some_and(|ptr| kernel.root(ptr) == Some(root))
    });
    let accesses = || {
        trace.events.iter().filter_map(move |event| {
            let EventKind::Access(access) = &event.kind else { return None };
            (access.root == Some(root)).then_some((event, access))
        })
    };
    let mut reads =
        accesses().filter(|(event, _)| written_pointer(&kernel.insts[event.inst].op).is_none());
    let name = race::quoted_name(kernel, root);
    let (event, what) = if is_written {
        let size = array_bytes(&kernel.shared[shared])?;
        let each = usize::try_from(kernel.shared[shared].elem.size()?).ok()?;
        let mut stores = ArrayStores::collect(kernel, trace, root, [size, each])?;
        let mut missing = |(event, access): (&'_ Event, &'_ Access)| {
            let (thread, byte) = stores.unwritten_byte(event, access)?;
            let place = race::element_text(kernel, root, Some(byte));
            let thread = race::thread_text(trace.shape.thread_index(thread));
            Some(format!("{thread} reads {place} of {name}, which no thread has written"))
        };
        let first = reads.find_map(|read| missing(read).map(|what| (read.0, what)));
        first.or_else(|| {
            let (number, [thread, byte]) = before_first_store(kernel, trace, root, [size, each])?;
            let place = race::element_text(kernel, root, i64::try_from(byte).ok());
            let thread = race::thread_text(trace.shape.thread_index(thread));
            let what = format!("{thread} reads {place} of {name} before any thread has written it");
            Some((&trace.events[number], what))
        })?
    } else {
        let (event, _) = reads.next()?;
        let what = match kernel.insts[event.inst].op {
            Op::Load { .. } | Op::AtomicLoad { .. } => {
                format!("{name} is read here, and no thread ever stores to it")
            }
            _ => format!("{name} is updated here, and no thread ever stores a first value"),
        };
        (event, what)
    };
    // An array of the library is written wherever all threads get there; other lints report missing
    // threads.
    if kernel.shared[shared].span == kernel.insts[event.inst].span {
        return None;
    }
    Some(Finding {
        message: what,
        span: kernel.insts[event.inst].span,
        labels: vec![(
            kernel.shared[shared].span,
            "shared memory begins with anything in it".to_owned(),
        )],
        notes: wording::assumption_notes(&analyses.trace.shape),
        help: format!("write all that is read of {name} first, and wait at `sync_threads()`"),
    })
}

/// Returns the event in which a thread reads an element of `root`, an array of `size` bytes with
/// `each` bytes per element, that only the same thread ever writes, and writes later:
/// `cells[t] += v`. With the thread, and the byte.
///
/// In a loop this is about the first iteration. Other threads may be ahead as far as the next
/// barrier.
fn before_first_store(
    kernel: &Kernel,
    trace: &Trace,
    root: Root,
    [size, each]: [usize; 2],
) -> Option<(usize, [usize; 2])> {
    let mut before = ByteSet::empty(size);
    for (number, event) in trace.events.iter().enumerate() {
        let EventKind::Access(access) = &event.kind else { continue };
        if access.root != Some(root) {
            continue;
        }
        if !matches!(kernel.insts[event.inst].op, Op::Load { .. }) {
            for (_, at) in thread_offsets(access, event) {
                before.insert(at?, access.bytes);
            }
            if before.is_all() {
                return None;
            }
            continue;
        }
        let is_certain = matches!(event.active.coverage, Coverage::All | Coverage::Guarded)
            && !event.active.launch_dependent;
        if !is_certain || !is_in_first_iteration(event) {
            continue;
        }
        let is_new = |byte: usize| {
            let first = byte / each * each;
            (first..first + each)
                .all(|byte| before.contains(i64::try_from(byte).unwrap_or(-1)) == Some(false))
        };
        let found = thread_offsets(access, event).into_iter().find_map(|(thread, at)| {
            let byte = before.index_inside(at?).filter(|&byte| is_new(byte))?;
            let ahead =
                may_be_written_ahead(kernel, trace, number, [thread, byte / each * each], each);
            (!ahead).then_some([thread, byte])
        });
        if let Some(found) = found {
            return Some((number, found));
        }
    }
    None
}

/// Returns true if each symbolic loop around an event is in its first iteration there, and no
/// unknown condition in such a loop decides the event.
fn is_in_first_iteration(event: &Event) -> bool {
    let mut symbolic =
        event.loops.iter().zip(&event.iterations).filter(|((_, of), _)| of.is_some());
    let outermost = symbolic.clone().next().map(|((of, _), _)| *of);
    symbolic.all(|(_, &round)| round == 0)
        && outermost.is_none_or(|of| event.arms.iter().all(|&(arm, _)| arm < of))
}

/// Returns true if another thread than `thread` may have written the element at `byte` when that
/// thread reaches event `number`: by a store without a barrier before it.
fn may_be_written_ahead(
    kernel: &Kernel,
    trace: &Trace,
    number: usize,
    [thread, byte]: [usize; 2],
    each: usize,
) -> bool {
    let read = &trace.events[number];
    let EventKind::Access(of) = &read.kind else { return true };
    let later =
        trace.events[number..].iter().take_while(|event| event.unordered_since <= read.interval);
    later.into_iter().any(|event| {
        let EventKind::Access(access) = &event.kind else { return false };
        let is_store =
            access.root == of.root && !matches!(kernel.insts[event.inst].op, Op::Load { .. });
        is_store
            && thread_offsets(access, event).into_iter().any(|(other, at)| {
                let Some(at) = at else { return true };
                let overlaps =
                    at < (byte + each) as i64 && at + i64::from(access.bytes) > byte as i64;
                other != thread && overlaps
            })
    })
}

/// The stores to an array.
struct ArrayStores<'a> {
    /// Each store, with the bytes that it writes.
    known: Vec<(&'a Event, Rc<ByteSet>)>,
    /// The union of the bytes of the stores with these indices, cached for the latest read.
    union: (Vec<usize>, ByteSet),
    /// Bytes per element.
    each: usize,
}

impl<'a> ArrayStores<'a> {
    /// Collects the stores to an array of `size` bytes, with `each` bytes per element; `None` if a
    /// store has an unknown address.
    fn collect(
        kernel: &Kernel,
        trace: &'a Trace,
        root: Root,
        [size, each]: [usize; 2],
    ) -> Option<Self> {
        let mut known: Vec<(&Event, Rc<ByteSet>)> = Vec::new();
        let mut distinct: Vec<(&Event, &Access, Rc<ByteSet>)> = Vec::new();
        for event in &trace.events {
            let EventKind::Access(access) = &event.kind else { continue };
            if access.root != Some(root) || matches!(kernel.insts[event.inst].op, Op::Load { .. }) {
                continue;
            }
            // Most stores write the same bytes as others.
            let same = distinct.iter().find(|(of, other, _)| {
                other.offset == access.offset
                    && other.bytes == access.bytes
                    && of.active.threads == event.active.threads
            });
            let bytes = match same {
                Some((_, _, bytes)) => Rc::clone(bytes),
                None => {
                    let mut bytes = ByteSet::empty(size);
                    for (_, at) in thread_offsets(access, event) {
                        bytes.insert(at?, access.bytes);
                    }
                    let bytes = Rc::new(bytes);
                    distinct.push((event, access, Rc::clone(&bytes)));
                    bytes
                }
            };
            known.push((event, bytes));
        }
        Some(Self { known, union: (Vec::new(), ByteSet::empty(size)), each })
    }

    /// Returns a thread that certainly reads a byte inside the array of an element that no thread
    /// can have written.
    fn unwritten_byte(&mut self, event: &Event, access: &Access) -> Option<(usize, i64)> {
        let certain = match event.active.coverage {
            Coverage::All | Coverage::Guarded => !event.active.launch_dependent,
            Coverage::Warps | Coverage::Some | Coverage::One => false,
        };
        if !certain || !matches!(access.kind, AccessKind::Load) {
            return None;
        }
        self.unite_before(event);
        let (written, each) = (&self.union.1, self.each as i64);
        if written.is_all() {
            return None;
        }
        let has_none = |byte: i64| {
            let first = byte / each * each;
            (first..first + each).all(|byte| written.contains(byte) == Some(false))
        };
        thread_offsets(access, event).into_iter().find_map(|(thread, at)| {
            let byte =
                at.filter(|&byte| written.contains(byte) == Some(false) && has_none(byte))?;
            Some((thread, byte))
        })
    }

    /// Computes the union of the bytes that may be written before an event.
    fn unite_before(&mut self, event: &Event) {
        let repeats = |of: &Event| {
            of.loops
                .iter()
                .any(|of| of.1.is_some() && event.loops.iter().any(|other| other.0 == of.0))
        };
        let stores = self.known.iter().enumerate();
        let earlier = stores.filter(|(_, (of, _))| of.interval <= event.interval || repeats(of));
        let numbers: Vec<usize> = earlier.map(|(number, _)| number).collect();
        if numbers != self.union.0 {
            let mut union = ByteSet::empty(self.union.1.size);
            numbers.iter().for_each(|&number| union.union_with(&self.known[number].1));
            self.union = (numbers, union);
        }
    }
}

/// A set of bytes of an array.
#[derive(Clone, Debug)]
struct ByteSet {
    /// A bit for each byte, as far as there are any.
    words: Vec<u64>,
    /// The size of the array.
    size: usize,
}

impl ByteSet {
    const fn empty(size: usize) -> Self {
        Self { words: Vec::new(), size }
    }

    /// Adds `width` bytes from `at` on, as far as they are in the array.
    fn insert(&mut self, at: i64, width: u32) {
        if let Some(from) = self.index_inside(at)
            && (from % 64 + width as usize) < 64
            && from / 64 < self.words.len()
            && from + width as usize <= self.size
        {
            self.words[from / 64] |= ((1 << width) - 1) << (from % 64);
            return;
        }
        for byte in at..at.saturating_add(width.into()) {
            let Some(byte) = self.index_inside(byte) else { continue };
            if byte / 64 >= self.words.len() {
                self.words.resize(byte / 64 + 1, 0);
            }
            self.words[byte / 64] |= 1 << (byte % 64);
        }
    }

    fn union_with(&mut self, other: &Self) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    /// Returns true if `byte` is in the set; `None` if it is not in the array.
    fn contains(&self, byte: i64) -> Option<bool> {
        let byte = self.index_inside(byte)?;
        Some(self.words.get(byte / 64).is_some_and(|word| word >> (byte % 64) & 1 == 1))
    }

    fn index_inside(&self, byte: i64) -> Option<usize> {
        usize::try_from(byte).ok().filter(|&byte| byte < self.size)
    }

    /// Returns true if it has all bytes of the array.
    fn is_all(&self) -> bool {
        let count: u32 = self.words.iter().map(|word| word.count_ones()).sum();
        count as usize == self.size
    }
}

/// The size of the largest array to track, in bytes: a larger one fits no block, which is reported
/// elsewhere.
const MAX_TRACKED_BYTES: usize = 1 << 20;

/// Returns the size of an array in bytes, if it is known.
fn array_bytes(shared: &Shared) -> Option<usize> {
    let Length::Fixed(len) = &shared.len else { return None };
    let bytes = usize::try_from(len.known()?.checked_mul(shared.elem.size()?)?).ok()?;
    (bytes <= MAX_TRACKED_BYTES).then_some(bytes)
}

/// Returns the threads of an event, with the offset that each accesses, if it is known.
fn thread_offsets(access: &Access, event: &Event) -> Vec<(usize, Option<i64>)> {
    let threads = &event.active.threads;
    let exact = access.offset.as_ref().and_then(SymbolicSum::as_numbers);
    let mut places = Vec::with_capacity(threads.count());
    for warp in 0..threads.warp_count() {
        let lanes = threads.lanes_of_warp(warp);
        let numbers = exact.as_ref().map(|numbers| numbers.lane_numbers(warp));
        let mut lane = 0;
        while lane < 32 {
            if lanes >> lane & 1 == 1 {
                let thread = warp * 32 + lane;
                let at = match (&numbers, &access.offset) {
                    (Some(numbers), _) => Some(numbers[lane]),
                    (None, Some(offset)) => offset.number_in(thread),
                    (None, None) => None,
                };
                places.push((thread, at));
            }
            lane += 1;
        }
    }
    places
}
