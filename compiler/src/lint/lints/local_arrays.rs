//! `gpu_local_arrays`: an array of a thread's own in local memory that a loop accesses.
//!
//! ```text
//! let mut counts = [0; 8];
//! for k in 0..n {
//!     counts[x[k] as usize % 8] += 1;    // registers have no index: the array goes to local memory
//! }
//! ```
//! Fires once per array, if the optimizer leaves an index that is known only at run time, and a
//! loop accesses memory for it: a loop of unknown length for any element, a loop of known length
//! for at least [`MIN_ACCESSES`] elements by such an index. Silent about arrays that become
//! registers, about arrays of constants or parameters that no thread changes, of which there is one
//! copy, and about a single lookup.
use crate::{
    analysis::{
        Analyses,
        local_arrays::Placement,
        symbolic::{self, Event, EventKind},
    },
    diag::Level,
    ir::{Array, ArrayId, Kernel, Op, Root, Span, SyncOp},
    lint::{Finding, Lint, LintGroup, access},
};
use std::collections::BTreeSet;

pub(in crate::lint) const LINT: Lint =
    Lint { name: "gpu_local_arrays", group: LintGroup::Performance, level: Level::Warn, check };

/// The smallest number of accesses of a thread in loops of known length that is worth a finding.
const MIN_ACCESSES: u64 = 4;

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let named = kernel.arrays.iter().filter(|(_, array)| !array.name.is_empty());
    let mut found: Vec<Finding> =
        named.filter_map(|(id, array)| finding(kernel, analyses, id, array)).collect();
    found.sort_by_key(|found| found.span);
    found
}

/// The accesses of loops to an array.
#[derive(Default)]
struct LoopTraffic {
    /// Accesses per iteration of loops of unknown length.
    per_iteration: u64,
    /// Accesses of a thread in other loops by indices known only at run time.
    counted: u64,
    /// True if a long loop stores the elements of the expression that makes the array, `[0; 256]`.
    is_filled: bool,
    /// The first access in a loop.
    first: Option<Span>,
    /// The first access whose index is not one number for all threads.
    dynamic: Option<Span>,
    /// The first access whose index is data, or differs between threads.
    data_dependent: Option<Span>,
}

impl LoopTraffic {
    /// Counts the accesses of the trace.
    fn for_array(kernel: &Kernel, analyses: &Analyses, array: ArrayId) -> Self {
        let mut traffic = Self::default();
        let mut seen = BTreeSet::new();
        for event in &analyses.trace.events {
            let EventKind::Access(access) = &event.kind else { continue };
            if access.root != Some(Root::Array(array)) || event.loops.is_empty() {
                continue;
            }
            let span = index_span(kernel, event);
            let is_constant = is_constant(event, access);
            let endless = event.loops.iter().position(|(_, iteration)| iteration.is_some());
            if kernel.insts[event.inst].span == kernel.arrays[array].span {
                if endless.is_some() {
                    traffic.is_filled = true;
                    traffic.first = traffic.first.or(Some(span));
                }
                continue;
            }
            if let Some(endless) = endless {
                // Accesses of one iteration: the trace runs two of such a loop, and all iterations
                // of known inner loops.
                let inside = event.loops.iter().zip(&event.iterations).skip(endless);
                let known = inside.filter(|((_, iteration), _)| iteration.is_none());
                let place = (event.inst, known.map(|(_, round)| *round).collect::<Vec<u32>>());
                traffic.per_iteration += u64::from(seen.insert(place));
            } else if is_constant {
                continue;
            } else {
                traffic.counted += 1;
            }
            traffic.first = traffic.first.or(Some(span));
            if !is_constant {
                traffic.dynamic = traffic.dynamic.or(Some(span));
            }
            if is_data_dependent(event, access) {
                traffic.data_dependent = traffic.data_dependent.or(Some(span));
            }
        }
        traffic
    }

    /// Describes the accesses of loops; `None` if they are not worth a finding.
    fn describe(&self) -> Option<String> {
        if self.per_iteration > 0 {
            let times = access::count_of(self.per_iteration, "time");
            return Some(format!("a loop accesses them {times} in each iteration"));
        }
        if self.counted >= MIN_ACCESSES {
            let times = access::count_of(self.counted, "time");
            return Some(format!("loops access them {times}"));
        }
        self.is_filled.then(|| "each thread fills its own".to_owned())
    }
}

/// Returns true if all threads access one known element.
fn is_constant(event: &Event, access: &symbolic::Access) -> bool {
    let threads: Vec<usize> = event.active.threads.iter().collect();
    let is_known = |offset: &symbolic::SymbolicSum| {
        offset.terms().is_empty() && offset.is_same(threads.iter().copied())
    };
    access.offset.as_ref().is_some_and(is_known)
}

/// Returns true if an index is data, or differs between threads: it is no constant, whatever
/// generic parameters are.
fn is_data_dependent(event: &Event, access: &symbolic::Access) -> bool {
    let threads: Vec<usize> = event.active.threads.iter().collect();
    let varies = |offset: &symbolic::SymbolicSum| {
        offset.factors().any(|of| !of.is_same(threads.iter().copied()))
    };
    access.offset.as_ref().is_none_or(varies)
}

fn finding(kernel: &Kernel, analyses: &Analyses, id: ArrayId, array: &Array) -> Option<Finding> {
    let traffic = LoopTraffic::for_array(kernel, analyses, id);
    let (first, words) = (traffic.first?, traffic.describe()?);
    let running = analyses.optimized_code(kernel);
    let indices = match running {
        Some(running) => match Placement::in_kernel(array, &running.kernel) {
            Placement::Memory(indices) => indices,
            Placement::OneOfSeveral => Vec::new(),
            Placement::Registers
            | Placement::Constant
            | Placement::Global
            | Placement::Mixed
            | Placement::Counted(_)
            | Placement::Generic(..) => return None,
        },
        // A generic kernel is not optimized yet.
        None => vec![traffic.data_dependent?],
    };
    let name = &array.name;
    let bytes =
        array.len.known().zip(array.elem.size()).map(|(len, size)| len.saturating_mul(size));
    let bytes = match bytes {
        Some(bytes) => format!("its {} lie", access::count_of(bytes, "byte")),
        None => "its bytes lie".to_owned(),
    };
    let has_barrier =
        kernel.insts.iter().any(|(_, inst)| matches!(inst.op, Op::Sync(SyncOp::Barrier { .. })));
    let shared = if has_barrier {
        format!(
            ". Each thread has its own `{name}`: declare it by `shared!(..)` if the block shares it"
        )
    } else {
        String::new()
    };
    let own = if running.is_some() { traffic.dynamic } else { traffic.data_dependent };
    let span = own.unwrap_or(first);
    let others = indices.iter().filter(|index| **index != span);
    let label =
        |index: &Span| (*index, format!("this index of `{name}` is known at run time only"));
    Some(Finding {
        message: format!(
            "`{name}` is indexed by a value that is known at run time only: {bytes} in local memory, not in \
             registers, and {words}"
        ),
        span,
        labels: if traffic.dynamic.is_some() { Vec::new() } else { others.map(label).collect() },
        notes: Vec::new(),
        help: format!(
            "index `{name}` by constants, or by loops that run a constant number of times; select among a few \
             elements by `match`; or keep it in shared memory, a column for each thread{shared}"
        ),
    })
}

/// Returns the span of the index, or else of the access.
fn index_span(kernel: &Kernel, event: &Event) -> Span {
    let ptr = crate::analysis::accesses::memory_operands(kernel, event.inst).map(|(ptr, ..)| ptr);
    match ptr.map(|ptr| (&kernel.insts[ptr].op, kernel.insts[ptr].span)) {
        Some((Op::Index { .. } | Op::Offset { .. }, span)) => span,
        _ => kernel.insts[event.inst].span,
    }
}
