//! `gpu_local_arrays`: an array of a thread's own that is indexed by what only the run knows.
//!
//! ```text
//! let mut counts = [0; 8];
//! counts[x[i] as usize % 8] += 1;    // registers have no index: the array goes to local memory
//! ```
//! Fires once an array. Silent where every index is a constant, also one of a loop that runs a known number of
//! times. Allowed unless asked for: local memory is cached, and often the simplest way.
use super::{Finding, Group, Lint, access};
use crate::{
    analysis::{
        Analyses,
        trace::{self, Event, What},
    },
    diag::Level,
    ir::{Kernel, Op, Root},
};

pub(super) const LINT: Lint =
    Lint { name: "gpu_local_arrays", group: Group::Performance, level: Level::Allow, check };

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let mut seen = kernel.arrays.facts(false);
    let mut found = Vec::new();
    for event in &analyses.trace.events {
        let What::Access(access) = &event.what else { continue };
        let Some(Root::Array(array)) = access.root else { continue };
        if seen[array] || kernel.arrays[array].name.is_empty() || is_constant(event, access) {
            continue;
        }
        seen[array] = true;
        found.push(finding(kernel, event, access));
    }
    found
}

/// Whether all threads access one place, and which is known.
fn is_constant(event: &Event, access: &trace::Access) -> bool {
    let threads: Vec<usize> = event.active.threads.iter().collect();
    let is_known = |offset: &trace::Value| {
        offset.symbolic().is_empty() && offset.is_same(threads.iter().copied())
    };
    access.offset.as_ref().is_some_and(is_known)
}

fn finding(kernel: &Kernel, event: &Event, access: &trace::Access) -> Finding {
    let name = access::name(kernel, access.root);
    let bytes = match access.root {
        Some(Root::Array(array)) => {
            let array = &kernel.arrays[array];
            array.len.known().zip(array.elem.size()).map(|(len, size)| len.saturating_mul(size))
        }
        Some(Root::Param(_) | Root::Shared(_)) | None => None,
    };
    let bytes = bytes
        .map_or_else(String::new, |bytes| format!("its {} lie in ", access::count(bytes, "byte")));
    let bytes = if bytes.is_empty() { "it lies in ".to_owned() } else { bytes };
    Finding {
        message: format!(
            "`{name}` is indexed by a value that is known at run time only: {bytes}local memory, not in registers"
        ),
        span: index_span(kernel, event),
        labels: Vec::new(),
        notes: Vec::new(),
        help: format!(
            "index `{name}` by constants, or by loops that run a constant number of times; or keep it in shared memory"
        ),
    }
}

/// The index, or else the access.
fn index_span(kernel: &Kernel, event: &Event) -> crate::ir::Span {
    let ptr = crate::analysis::accesses::memory(kernel, event.inst).map(|(ptr, ..)| ptr);
    match ptr.map(|ptr| (&kernel.insts[ptr].op, kernel.insts[ptr].span)) {
        Some((Op::Index { .. } | Op::Offset { .. }, span)) => span,
        _ => kernel.insts[event.inst].span,
    }
}
