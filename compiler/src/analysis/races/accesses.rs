//! The accesses of a trace that other threads can see, with where each thread is.
use super::overlap::Places;
use crate::{
    analysis::symbolic::{
        AccessKind, Active, Dimension, Event, Rows, SymbolId, Trace, Value, What,
    },
    ir::{InstId, Kernel, Op, Order, Root, Scope, Space},
};
use std::cell::OnceCell;

/// An access to shared or global memory.
#[derive(Debug)]
pub(super) struct Access<'a> {
    /// The number of its event.
    pub(super) number: usize,
    pub(super) inst: InstId,
    pub(super) root: Option<Root>,
    pub(super) space: Space,
    pub(super) active: &'a Active,
    pub(super) interval: u32,
    pub(super) kind: &'a AccessKind,
    pub(super) offset: Option<&'a Value>,
    /// How it lies in rows of a length that is not known.
    pub(super) rows: Option<&'a Rows>,
    /// The indices of an array of arrays.
    indices: &'a [Dimension],
    /// Where each thread is, when it has been asked for.
    places: OnceCell<Places>,
    /// Where each is along each dimension of `indices`, when it has been asked for.
    dimensions: OnceCell<Vec<Places>>,
    bytes: u32,
    /// Whether the offset takes for granted that nothing wraps.
    pub(super) assumed: bool,
    /// Whether it may change anything.
    pub(super) writes: bool,
    /// Among which threads it is atomic, if it is.
    pub(super) atomic: Option<Scope>,
}

impl Access<'_> {
    /// Where each thread is; `None` if nothing is known of that.
    pub(super) fn places(&self) -> Option<&Places> {
        let offset = self.offset?;
        Some(self.places.get_or_init(|| Places::new(offset, self.bytes, &self.active.threads)))
    }

    /// Returns where each thread is along each dimension of an array of arrays, in elements: of this access and of
    /// `other`, as far as both are of the same dimensions.
    pub(super) fn dimensions<'s>(
        &'s self,
        other: &'s Self,
    ) -> impl Iterator<Item = [&'s Places; 2]> + use<'s> {
        let strides = |access: &Self| access.indices.iter().map(|of| of.stride);
        let is_same = strides(self).eq(strides(other));
        let [a, b] = [self, other].map(|access| {
            access.dimensions.get_or_init(|| {
                let places = |of: &Dimension| Places::new(&of.index, 1, &access.active.threads);
                access.indices.iter().map(places).collect()
            })
        });
        a.iter().zip(b).filter(move |_| is_same).map(|(a, b)| [a, b])
    }

    /// True if thread `x` of this access and thread `y` of `other` have the same index along each dimension of an
    /// array of arrays, and each is inside of its dimension as far as it is a number. A dimension along which their
    /// symbols differ decides nothing if `symbols_may_differ`.
    pub(super) fn is_in_one_place(
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
            let of_both = || a.index.symbolic().iter().chain(b.index.symbolic());
            let cancel =
                of_both().all(|term| a.index.factor(&term.of, x) == b.index.factor(&term.of, y));
            let same = if cancel {
                a.index.numbers().at(x) == b.index.numbers().at(y)
            } else {
                symbols_may_differ
            };
            let around = dimension.checked_sub(1).map(|outer| strides[outer]);
            let len = around.and_then(|around| around.checked_div(strides[dimension]));
            let is_inside =
                |at: i64| u64::try_from(at).is_ok_and(|at| len.is_none_or(|len| at < len));
            same && a.index.at(x).is_none_or(is_inside)
        })
    }

    /// True if a symbol that `is` is in where they are.
    pub(super) fn mentions(&self, is: &dyn Fn(SymbolId) -> bool) -> bool {
        let terms = self.offset.map_or(&[][..], Value::symbolic);
        terms.iter().any(|term| term.of.0.iter().any(|&symbol| is(symbol)))
    }

    /// Whether the two are a race if two threads of one block (or of two, if `across`) do them at the same
    /// bytes, one each, and nothing orders them.
    pub(super) fn conflicts(&self, other: &Self, across: bool) -> bool {
        let wide = |scope: Option<Scope>| match scope {
            None => false,
            Some(Scope::Block) => !across,
            Some(Scope::Device | Scope::System) => true,
        };
        (self.writes || other.writes) && !(wide(self.atomic) && wide(other.atomic))
    }
}

/// Every access of `trace` to memory that threads share and that is written at all, in order. Those that
/// repeat an earlier one, with nothing between at which threads wait, are left out.
pub(super) fn accesses<'a>(kernel: &Kernel, trace: &'a Trace) -> Vec<Access<'a>> {
    let mut list: Vec<Access<'a>> = Vec::new();
    let mut met = 0;
    for (number, event) in trace.events.iter().enumerate() {
        let Some(access) = access(kernel, number, event) else {
            if matches!(event.what, What::Meeting { .. }) {
                met = number;
            }
            continue;
        };
        let earlier = list
            .iter()
            .rev()
            .take_while(|other| other.interval == access.interval && other.number >= met);
        let mut same = earlier.filter(|other| other.inst == access.inst);
        let repeats = same.any(|other| {
            other.offset == access.offset
                && other.active == access.active
                && trace.events[other.number].loops == event.loops
                && symbolic_rounds(&trace.events[other.number]) == symbolic_rounds(event)
        });
        if !repeats {
            list.push(access);
        }
    }
    list
}

/// In which iterations an event is, of the loops of which it is not known how often they run.
fn symbolic_rounds(event: &Event) -> Vec<u32> {
    let rounds = event.loops.iter().zip(&event.rounds);
    rounds.filter(|((_, symbol), _)| symbol.is_some()).map(|(_, &round)| round).collect()
}

fn access<'a>(kernel: &Kernel, number: usize, event: &'a Event) -> Option<Access<'a>> {
    let What::Access(access) = &event.what else { return None };
    let op = &kernel.insts[event.inst].op;
    let space = kernel.space(op.operands().next()?)?;
    if space == Space::Local || event.active.threads.is_empty() || is_constant(kernel, access.root)
    {
        return None;
    }
    let atomic = atomic(op).map(|(_, scope)| scope);
    Some(Access {
        number,
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
        writes: !matches!(op, Op::Load { .. } | Op::AtomicLoad { .. }),
        atomic,
    })
}

/// Whether nobody writes to it while the kernel runs.
fn is_constant(kernel: &Kernel, root: Option<Root>) -> bool {
    root.is_some_and(|root| kernel.is_read_only(root))
}

/// What an atomic operation orders, and among which threads it is atomic.
pub(super) fn atomic(op: &Op) -> Option<(Order, Scope)> {
    if let Op::AtomicLoad { order, scope, .. }
    | Op::AtomicStore { order, scope, .. }
    | Op::Atomic { order, scope, .. }
    | Op::CompareExchange { order, scope, .. } = op
    {
        return Some((*order, *scope));
    }
    None
}

/// Whether an instruction may order accesses of other threads to its own: a fence, or an atomic operation that is
/// more than relaxed.
pub(super) fn orders(op: &Op) -> bool {
    matches!(op, Op::Fence { .. }) || atomic(op).is_some_and(|(order, _)| order != Order::Relaxed)
}
