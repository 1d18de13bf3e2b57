//! `gpu_uninit_shared_reads`: an element of shared memory is read that no thread has written.
//!
//! ```text
//! cells[t] = x[t];         // 64 threads
//! sync_threads();
//! let v = cells[t + 64];   // shared memory is not zeroed
//! ```
//! Fires where no store that may come before the read has the element, and where nothing stores to an array
//! at all that is read or updated. Silent if any store before it is to a place that is not known.
use super::{Finding, Group, Lint, race};
use crate::{
    analysis::{
        Analyses,
        trace::{Access, AccessKind, Event, Trace, What, Which},
    },
    diag::Level,
    ir::{InstId, Kernel, Length, Op, Root, Shared, SharedId, Space},
};
use std::collections::HashSet;

pub(super) const LINT: Lint =
    Lint { name: "gpu_uninit_shared_reads", group: Group::Correctness, level: Level::Warn, check };

pub(super) fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let stored_through_unknown = kernel.insts.iter().any(|(_, inst)| {
        store_to(&inst.op).is_some_and(|ptr| {
            kernel.space(ptr) == Some(Space::Shared) && kernel.root(ptr).is_none()
        })
    });
    if stored_through_unknown || !analyses.trace.complete {
        return Vec::new();
    }
    kernel.shared.ids().filter_map(|shared| of_array(kernel, analyses, shared)).collect()
}

/// What is written without reading it first.
fn store_to(op: &Op) -> Option<InstId> {
    let (Op::Store { ptr, .. } | Op::AtomicStore { ptr, .. }) = op else { return None };
    Some(*ptr)
}

fn of_array(kernel: &Kernel, analyses: &Analyses, shared: SharedId) -> Option<Finding> {
    let trace = &analyses.trace;
    let root = Root::Shared(shared);
    let is_written = kernel
        .insts
        .iter()
        .any(|(_, inst)| store_to(&inst.op).is_some_and(|ptr| kernel.root(ptr) == Some(root)));
    let accesses = || {
        trace.events.iter().filter_map(move |event| {
            let What::Access(access) = &event.what else { return None };
            (access.root == Some(root)).then_some((event, access))
        })
    };
    let mut reads =
        accesses().filter(|(event, _)| store_to(&kernel.insts[event.inst].op).is_none());
    let name = race::name(kernel, root);
    let (event, what) = if is_written {
        let stores = Stores::of(kernel, trace, root)?;
        let size = size(&kernel.shared[shared])?;
        reads.find_map(|(event, access)| {
            let (thread, byte) = stores.missing(event, access, size)?;
            let place = race::element(kernel, root, Some(byte));
            let thread = race::thread(trace.shape.index(thread));
            Some((event, format!("{thread} reads {place} of {name}, which no thread has written")))
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
    Some(Finding {
        message: what,
        span: kernel.insts[event.inst].span,
        labels: vec![(
            kernel.shared[shared].span,
            "shared memory begins with anything in it".to_owned(),
        )],
        notes: race::assumptions(analyses),
        help: format!("write all that is read of {name} first, and wait at `sync_threads()`"),
    })
}

/// What is stored to an array.
struct Stores<'a> {
    /// Each store, with the bytes.
    known: Vec<(&'a Event, HashSet<i64>)>,
}

impl<'a> Stores<'a> {
    /// `None` if it is not known where one stores.
    fn of(kernel: &Kernel, trace: &'a Trace, root: Root) -> Option<Self> {
        let mut known = Vec::new();
        for event in &trace.events {
            let What::Access(access) = &event.what else { continue };
            if access.root != Some(root) || matches!(kernel.insts[event.inst].op, Op::Load { .. }) {
                continue;
            }
            let bytes = event.active.threads.iter().map(|thread| at(access, thread));
            let bytes: Option<Vec<i64>> = bytes.collect();
            let width = i64::from(access.bytes);
            let all = bytes?.into_iter().flat_map(|at| at..at + width);
            known.push((event, all.collect()));
        }
        Some(Self { known })
    }

    /// A thread that reads a byte for certain, below `size`, that nobody can have written.
    fn missing(&self, event: &Event, access: &Access, size: i64) -> Option<(usize, i64)> {
        let certain = match event.active.which {
            Which::All | Which::Guarded => true,
            Which::Warps | Which::Some | Which::One => false,
        };
        if !certain || !matches!(access.kind, AccessKind::Load) {
            return None;
        }
        let repeats = |of: &Event| {
            of.loops
                .iter()
                .any(|of| of.1.is_some() && event.loops.iter().any(|other| other.0 == of.0))
        };
        let earlier: Vec<&HashSet<i64>> = self
            .known
            .iter()
            .filter(|(store, _)| store.interval <= event.interval || repeats(store))
            .map(|(_, bytes)| bytes)
            .collect();
        let mut threads = event.active.threads.iter();
        threads.find_map(|thread| {
            let byte = at(access, thread)?;
            let is_written = earlier.iter().any(|bytes| bytes.contains(&byte));
            (byte < size && !is_written).then_some((thread, byte))
        })
    }
}

/// Bytes of an array, if they are known.
fn size(shared: &Shared) -> Option<i64> {
    let Length::Fixed(len) = &shared.len else { return None };
    i64::try_from(len.known()?.checked_mul(shared.elem.size()?)?).ok()
}

/// Where a thread accesses, if it is known.
fn at(access: &Access, thread: usize) -> Option<i64> {
    access.offset.as_ref()?.at(thread)
}
