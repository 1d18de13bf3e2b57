//! The assumed block shape of a kernel that declares none: one assumption per kernel, for all
//! lints.
//!
//! ```text
//! let tile = shared!([[f32; 16]; 16]);
//! tile[thread_idx_y()][thread_idx_x()] = v;    // not in blocks of 32 x 8: index 31 is out of bounds
//! ```
//! The candidates are the usual blocks over the axes that the kernel reads ([`Shape::candidates`]).
//! A block is *implausible* if its threads leave an array, or read shared memory that none of them
//! writes: the author of the kernel launches it otherwise. The first of the most plausible
//! candidates is assumed, so a kernel that is correct in one of them is linted in that one.
use super::{
    range::Ranges,
    symbolic::{self, AccessKind, Coverage, Event, EventKind, Shape, SymbolicSum, Trace},
    uniformity::Uniformity,
};
use crate::ir::{Kernel, Length, Op, Root, SharedId};

/// The number of faults that a wrong shape can explain: fewer are more plausible.
type FaultCount = usize;

/// The largest shared array to examine, in bytes. No GPU gives a block as many.
const MAX_ARRAY_BYTES: usize = 1 << 18;

/// Returns the trace of `kernel` in the shape that every launch has or, without one, in the most
/// plausible candidate.
pub(super) fn plausible_trace(kernel: &Kernel, uniformity: &Uniformity, ranges: &Ranges) -> Trace {
    let shapes = Shape::candidates(kernel);
    most_plausible(kernel, &shapes, |shape| symbolic::analyze_in(kernel, uniformity, ranges, shape))
}

/// Returns the trace in another candidate, as plausible as `assumed`: a fault that occurs in one of
/// the two only depends on the assumption. `None` if the shape is declared, or no other candidate
/// is as plausible.
pub(super) fn equally_plausible_trace(
    kernel: &Kernel,
    uniformity: &Uniformity,
    ranges: &Ranges,
    assumed: &Trace,
) -> Option<Trace> {
    if assumed.shape.declared {
        return None;
    }
    let assumed_faults = count_faults(kernel, assumed);
    let mut shapes = Shape::candidates(kernel);
    // Two warps are the fewest that can race, and reveal most about dependences on the number of
    // warps.
    shapes.retain(|shape| *shape != assumed.shape && shape.warp_count() > 1);
    // The sort is stable: behind shapes of 64 threads, the most usual stays first.
    shapes.sort_by_key(|shape| shape.thread_count() != 64);
    let mut traces =
        shapes.into_iter().map(|shape| symbolic::analyze_in(kernel, uniformity, ranges, shape));
    // Without shared memory few faults depend on the shape: skip the search.
    if assumed_faults == 0 && kernel.shared.ids().next().is_none() {
        return traces.next();
    }
    traces.find(|trace| count_faults(kernel, trace) <= assumed_faults)
}

fn most_plausible(kernel: &Kernel, shapes: &[Shape], trace: impl Fn(Shape) -> Trace) -> Trace {
    let mut best = trace(shapes[0]);
    if shapes.len() == 1 {
        return best;
    }
    let mut fewest = count_faults(kernel, &best);
    for &shape in &shapes[1..] {
        // The candidates are ordered, so the first one without faults wins.
        if fewest == 0 {
            break;
        }
        let next = trace(shape);
        let faults = count_faults(kernel, &next);
        if faults < fewest {
            (best, fewest) = (next, faults);
        }
    }
    best
}

/// Counts the indices of `trace` that are out of bounds, and the shared arrays with reads of bytes
/// that no thread has written.
fn count_faults(kernel: &Kernel, trace: &Trace) -> FaultCount {
    let is_out = |event: &&Event| matches!(event.kind, EventKind::OutOfBounds { .. });
    let mut out: Vec<_> = trace.events.iter().filter(is_out).map(|event| event.inst).collect();
    out.sort_unstable();
    out.dedup();
    let unwritten = kernel.shared.ids().filter(|&array| reads_unwritten(kernel, trace, array));
    out.len() + unwritten.count()
}

/// Returns true if a thread reads a byte of `array` that no thread of the block ever writes.
fn reads_unwritten(kernel: &Kernel, trace: &Trace, array: SharedId) -> bool {
    let shared = &kernel.shared[array];
    let Length::Fixed(len) = &shared.len else { return false };
    let size = len.known().zip(shared.elem.size()).and_then(|(len, size)| len.checked_mul(size));
    let size = size.and_then(|size| usize::try_from(size).ok());
    let Some(size) = size.filter(|&size| size <= MAX_ARRAY_BYTES) else { return false };
    let mut written: Vec<bool> = Vec::new();
    let mut reads = Vec::new();
    for event in &trace.events {
        let EventKind::Access(access) = &event.kind else { continue };
        if access.root.is_some() && access.root != Some(Root::Shared(array)) {
            continue;
        }
        let is_load = matches!(kernel.insts[event.inst].op, Op::Load { .. });
        // An offset that depends on the launch or on data may be any.
        let Some(offset) = access.offset.as_ref().filter(|_| access.root.is_some()) else {
            if is_load {
                continue;
            }
            return false;
        };
        if is_load {
            reads.push((event, offset));
            continue;
        }
        if !matches!(access.kind, AccessKind::Store(_)) || offset.as_numbers().is_none() {
            return false;
        }
        written.resize(size, false);
        for thread in event.active.threads.iter() {
            for byte in accessed_bytes(offset, thread, access.bytes) {
                if let Some(place) = usize::try_from(byte).ok().and_then(|at| written.get_mut(at)) {
                    *place = true;
                }
            }
        }
    }
    if written.is_empty() {
        return false;
    }
    let is_unwritten = |byte: i64| {
        usize::try_from(byte).is_ok_and(|byte| written.get(byte).is_some_and(|&is| !is))
    };
    reads.into_iter().any(|(event, offset)| {
        event.active.coverage == Coverage::All
            && event.active.threads.iter().any(|thread| {
                let at = offset.number_in(thread);
                at.is_some_and(is_unwritten)
            })
    })
}

/// Returns the bytes that `thread` accesses at an offset that is a number.
fn accessed_bytes(offset: &SymbolicSum, thread: usize, width: u32) -> std::ops::Range<i64> {
    let at = offset.number_in(thread).unwrap_or(0);
    at..at.saturating_add(width.into())
}
