//! Where the arrays of a thread's own are: in registers, or in local memory.
//!
//! Registers have no index. The optimizer makes variables of an array whose every index is a constant; one that is left is
//! in memory, unless the driver's compiler writes out the loops whose numbers are its indices. All of this is read off the
//! kernel that the optimizer leaves.
use super::accesses::memory;
use crate::ir::{Array, InstId, Kernel, Op, Root, Space, Span};

/// Where an array is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placement {
    /// In registers: every index is a constant.
    Registers,
    /// In local memory, because of these indices, which only a run knows.
    Memory(Vec<Span>),
    /// In local memory: which of several arrays an access is to is known at run time only.
    OneOfSeveral,
    /// In registers if the driver's compiler puts it there: its bytes are accessed as numbers of different types.
    Mixed,
    /// In registers if the driver's compiler writes out these loops, whose numbers index it.
    Counted(Vec<Span>),
    /// What generic parameters decide: indices that only a run knows, and loops of a known length.
    Generic(Vec<Span>, Vec<Span>),
}

impl Placement {
    /// Returns where `array` is, given what the optimizer leaves of its kernel, or the kernel itself if that is generic.
    pub fn of(array: &Array, left: &Kernel) -> Self {
        let is_it = |root: Option<Root>| match root {
            Some(Root::Array(other)) => {
                let other = &left.arrays[other];
                (&other.name, other.span) == (&array.name, array.span)
            }
            Some(Root::Param(_) | Root::Shared(_)) | None => false,
        };
        let (mut pointers, mut is_lost) = (Vec::new(), false);
        left.walk(&mut |id| {
            let Some((ptr, ..)) = memory(left, id) else { return };
            if is_it(left.root(ptr)) {
                pointers.push(ptr);
            }
            is_lost |= left.root(ptr).is_none() && left.space(ptr) == Some(Space::Local);
        });
        let is_there = left.arrays.iter().any(|(id, _)| is_it(Some(Root::Array(id))));
        if !is_there || pointers.is_empty() && !is_lost {
            return Self::Registers;
        }
        let (mut of_run, mut counted) = (Vec::new(), Vec::new());
        for index in pointers.iter().filter_map(|&ptr| unknown_index(left, ptr)) {
            let (list, span) = match index {
                Index::OfRun(span) => (&mut of_run, span),
                Index::Counted(span) => (&mut counted, span),
            };
            if !list.contains(&span) {
                list.push(span);
            }
        }
        match (left.is_closed(), of_run.is_empty(), counted.is_empty()) {
            (false, true, true) => Self::Registers,
            (false, _, _) => Self::Generic(of_run, counted),
            (true, false, _) => Self::Memory(of_run),
            (true, true, _) if is_lost => Self::OneOfSeveral,
            (true, true, true) => Self::Mixed,
            (true, true, false) => Self::Counted(counted),
        }
    }
}

/// An index that is no constant.
enum Index {
    /// Only a run knows it: the place where it is used.
    OfRun(Span),
    /// The number of an iteration of this loop, which has as many as is known, or computed from it by constants.
    Counted(Span),
}

/// The index in `ptr` that is no constant.
fn unknown_index(kernel: &Kernel, ptr: InstId) -> Option<Index> {
    let op = &kernel.insts[ptr].op;
    if let Op::Offset { base, .. } = op {
        return unknown_index(kernel, *base);
    }
    let Op::Index { base, index, .. } = op else { return None };
    if let Op::Const(_) = kernel.insts[*index].op {
        return unknown_index(kernel, *base);
    }
    Some(match counted_by(kernel, *index) {
        Some(looped) => Index::Counted(kernel.insts[looped].span),
        None => Index::OfRun(kernel.insts[ptr].span),
    })
}

/// The loop of a known number of iterations that an index is the number of, or computed from by constants.
fn counted_by(kernel: &Kernel, index: InstId) -> Option<InstId> {
    let is_const = |id: InstId| matches!(kernel.insts[id].op, Op::Const(_));
    let op = &kernel.insts[index].op;
    if let Op::For { start, end, step, .. } = op {
        return [*start, *end, *step].into_iter().all(is_const).then_some(index);
    }
    if let Op::Binary { .. } | Op::Cast { .. } | Op::Bounds { .. } = op {
        let mut others = op.operands().filter(|&operand| !is_const(operand));
        let only = others.next()?;
        return if others.next().is_none() { counted_by(kernel, only) } else { None };
    }
    None
}
