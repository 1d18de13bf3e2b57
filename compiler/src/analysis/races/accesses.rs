//! The accesses of a trace that other threads can see, with the offset of each thread.
use super::overlap::ThreadOffsets;
use crate::{
    analysis::symbolic::{
        AccessKind, ActiveThreads, Dimension, Event, EventKind, Rows, SymbolId, SymbolicSum, Trace,
    },
    ir::{CopyOp, InstId, Kernel, Op, Order, Root, Scope, Space, SyncOp},
};
use std::cell::OnceCell;

/// An access to shared or global memory.
#[derive(Debug)]
pub(super) struct SharedAccess<'a> {
    /// The index of its event.
    pub(super) event_index: usize,
    pub(super) inst: InstId,
    pub(super) root: Option<Root>,
    pub(super) space: Space,
    pub(super) active: &'a ActiveThreads,
    pub(super) interval: u32,
    pub(super) kind: &'a AccessKind,
    pub(super) offset: Option<&'a SymbolicSum>,
    /// The position in rows of an unknown length.
    pub(super) rows: Option<&'a Rows>,
    /// The indices into an array of arrays.
    indices: &'a [Dimension],
    /// The offsets of the threads, computed on demand.
    places: OnceCell<ThreadOffsets>,
    /// The indices of the threads along each dimension of `indices`, computed on demand.
    dimensions: OnceCell<Vec<ThreadOffsets>>,
    bytes: u32,
    /// True if the offset rests on the assumption that nothing wraps.
    pub(super) assumed: bool,
    /// True if it may change memory.
    pub(super) writes: bool,
    /// The scope of an atomic access.
    pub(super) atomic: Option<Scope>,
}

impl SharedAccess<'_> {
    /// Returns the offsets of the threads; `None` if nothing is known of them.
    pub(super) fn offsets(&self) -> Option<&ThreadOffsets> {
        let offset = self.offset?;
        Some(
            self.places
                .get_or_init(|| ThreadOffsets::new(offset, self.bytes, &self.active.threads)),
        )
    }

    /// Returns the indices of the threads along each dimension of an array of arrays, in elements,
    /// for this access and `other`, as far as both have the same dimensions.
    pub(super) fn dimension_indices<'s>(
        &'s self,
        other: &'s Self,
    ) -> impl Iterator<Item = [&'s ThreadOffsets; 2]> + use<'s> {
        let strides = |access: &Self| access.indices.iter().map(|of| of.stride);
        let is_same = strides(self).eq(strides(other));
        let [a, b] = [self, other].map(|access| {
            access.dimensions.get_or_init(|| {
                let places =
                    |of: &Dimension| ThreadOffsets::new(&of.index, 1, &access.active.threads);
                access.indices.iter().map(places).collect()
            })
        });
        a.iter().zip(b).filter(move |_| is_same).map(|(a, b)| [a, b])
    }

    /// Returns false if thread `x` of this access and thread `y` of `other` certainly differ in an
    /// index along a dimension of an array of arrays, or if a known index is out of its dimension.
    /// Dimensions whose symbols differ are skipped if `symbols_may_differ`.
    pub(super) fn may_have_equal_indices(
        &self,
        other: &Self,
        [x, y]: [usize; 2],
        symbols_may_differ: bool,
    ) -> bool {
        let indices = || self.indices.iter().zip(other.indices);
        if self.indices.len() != other.indices.len() || indices().any(|(a, b)| a.stride != b.stride)
        {
            return true;
        }
        let strides: Vec<u64> = self.indices.iter().map(|of| of.stride).collect();
        indices().enumerate().all(|(dimension, (a, b))| {
            let of_both = || a.index.terms().iter().chain(b.index.terms());
            let cancel = of_both().all(|term| {
                a.index.factor_in(&term.monomial, x) == b.index.factor_in(&term.monomial, y)
            });
            let same = if cancel {
                a.index.numbers().number_in(x) == b.index.numbers().number_in(y)
            } else {
                symbols_may_differ
            };
            let around = dimension.checked_sub(1).map(|outer| strides[outer]);
            let len = around.and_then(|around| around.checked_div(strides[dimension]));
            let is_inside =
                |at: i64| u64::try_from(at).is_ok_and(|at| len.is_none_or(|len| at < len));
            same && a.index.number_in(x).is_none_or(is_inside)
        })
    }

    /// Returns true if `is` holds for a symbol of the offsets.
    pub(super) fn contains_symbol(&self, is: &dyn Fn(SymbolId) -> bool) -> bool {
        let terms = self.offset.map_or(&[][..], SymbolicSum::terms);
        terms.iter().any(|term| term.monomial.0.iter().any(|&symbol| is(symbol)))
    }

    /// Returns true if the accesses race when one thread executes this one and another thread
    /// `other`, at the same bytes and unordered. The threads are of one block, or of two blocks if
    /// `across`.
    pub(super) fn conflicts_with(&self, other: &Self, across: bool) -> bool {
        let wide = |scope: Option<Scope>| match scope {
            None => false,
            Some(Scope::Block) => !across,
            Some(Scope::Device | Scope::System) => true,
        };
        (self.writes || other.writes) && !(wide(self.atomic) && wide(other.atomic))
    }
}

/// Returns every access of `trace` to memory that threads share and that is written at all, in
/// order. Accesses that repeat an earlier one, with no wait in between, are left out.
pub(super) fn shared_accesses<'a>(kernel: &Kernel, trace: &'a Trace) -> Vec<SharedAccess<'a>> {
    let mut list: Vec<SharedAccess<'a>> = Vec::new();
    let mut met = 0;
    for (number, event) in trace.events.iter().enumerate() {
        let Some(access) = shared_access(kernel, number, event) else {
            if matches!(event.kind, EventKind::WarpCollective { .. }) {
                met = number;
            }
            continue;
        };
        let earlier = list
            .iter()
            .rev()
            .take_while(|other| other.interval == access.interval && other.event_index >= met);
        let mut same = earlier.filter(|other| other.inst == access.inst);
        let repeats = same.any(|other| {
            other.space == access.space
                && other.offset == access.offset
                && other.active == access.active
                && trace.events[other.event_index].loops == event.loops
                && symbolic_iterations(&trace.events[other.event_index])
                    == symbolic_iterations(event)
        });
        if !repeats {
            list.push(access);
        }
    }
    list
}

/// Returns the iterations of an event, in the enclosing loops with an unknown trip count.
fn symbolic_iterations(event: &Event) -> Vec<u32> {
    let rounds = event.loops.iter().zip(&event.iterations);
    rounds.filter(|((_, symbol), _)| symbol.is_some()).map(|(_, &round)| round).collect()
}

fn shared_access<'a>(kernel: &Kernel, number: usize, event: &'a Event) -> Option<SharedAccess<'a>> {
    let EventKind::Access(access) = &event.kind else { return None };
    let op = &kernel.insts[event.inst].op;
    let (ptr, writes) = match (op, &access.kind) {
        (Op::Copy(CopyOp::AsyncCopy { from, .. }), AccessKind::Load) => (*from, false),
        (Op::Load { ptr, .. } | Op::AtomicLoad { ptr, .. }, _) => (*ptr, false),
        (_, _) => (op.operands().next()?, true),
    };
    let space = kernel.space(ptr)?;
    if matches!(space, Space::Local | Space::Constant)
        || event.active.threads.is_empty()
        || is_constant(kernel, access.root)
    {
        return None;
    }
    // It may be the memory of this block.
    let space = if space == Space::Cluster { Space::Shared } else { space };
    let atomic = atomic_order(op).map(|(_, scope)| scope);
    Some(SharedAccess {
        event_index: number,
        inst: event.inst,
        root: access.root,
        space,
        active: &event.active,
        interval: event.interval,
        kind: &access.kind,
        offset: access.offset.as_ref(),
        rows: access.rows.as_deref(),
        indices: &access.indices,
        places: OnceCell::new(),
        dimensions: OnceCell::new(),
        bytes: access.bytes,
        assumed: access.assumed,
        writes,
        atomic,
    })
}

/// Returns true if no thread writes to it while the kernel runs.
fn is_constant(kernel: &Kernel, root: Option<Root>) -> bool {
    root.is_some_and(|root| kernel.is_read_only(root))
}

/// Returns the memory order and the scope of an atomic operation.
pub(super) fn atomic_order(op: &Op) -> Option<(Order, Scope)> {
    if let Op::AtomicLoad { order, scope, .. }
    | Op::AtomicStore { order, scope, .. }
    | Op::Atomic { order, scope, .. }
    | Op::CompareExchange { order, scope, .. } = op
    {
        return Some((*order, *scope));
    }
    None
}

/// Returns true if an instruction may order accesses of other threads relative to its own: a fence,
/// or an atomic operation that is more than relaxed.
pub(super) fn is_ordering(op: &Op) -> bool {
    matches!(op, Op::Sync(SyncOp::Fence { .. }))
        || atomic_order(op).is_some_and(|(order, _)| order != Order::Relaxed)
}
