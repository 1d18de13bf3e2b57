//! Placement of a thread's own arrays: in registers, or in local memory.
//!
//! Registers have no index. The optimizer turns an array into variables if every index is a
//! constant, or chooses from few elements by comparison. An array that remains is in memory, unless
//! the driver's compiler unrolls the loops that its indices count, or all threads read
//! [one copy](super::read_only_arrays) of it. All of this is derived from the optimized kernel.
use super::{
    accesses::memory_operands,
    read_only_arrays::{Storage, find_read_only_arrays},
};
use crate::ir::{Array, InstId, Kernel, Op, Root, Space, Span};

/// The placement of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placement {
    /// In registers: every index is a constant, or chooses from few elements.
    Registers,
    /// In constant memory, as constants or as parameters, which no thread copies.
    Constant,
    /// In global memory, as constants that no thread copies.
    Global,
    /// In local memory, because of these indices, which are known only at run time.
    Memory(Vec<Span>),
    /// In local memory: an access selects one of several arrays at run time.
    OneOfSeveral,
    /// In registers if the driver's compiler decides so: the bytes are accessed as numbers of
    /// different types.
    Mixed,
    /// In registers if the driver's compiler unrolls these loops, whose counters index it.
    Counted(Vec<Span>),
    /// Dependent on generic parameters: the indices known only at run time, and the loops of a
    /// known length.
    Generic(Vec<Span>, Vec<Span>),
}

impl Placement {
    /// Returns the placement of `array`, from the optimized kernel `left`, or from the kernel
    /// itself if it is generic.
    pub fn in_kernel(array: &Array, left: &Kernel) -> Self {
        let is_it = |root: Option<Root>| match root {
            Some(Root::Array(other)) => {
                let other = &left.arrays[other];
                (&other.name, other.span) == (&array.name, array.span)
            }
            Some(Root::Param(_) | Root::Shared(_)) | None => false,
        };
        let (mut pointers, mut is_lost) = (Vec::new(), false);
        left.walk(&mut |id| {
            let Some((ptr, ..)) = memory_operands(left, id) else { return };
            if is_it(left.root(ptr)) {
                pointers.push(ptr);
            }
            is_lost |= left.root(ptr).is_none() && left.space(ptr) == Some(Space::Local);
        });
        let is_there = left.arrays.iter().any(|(id, _)| is_it(Some(Root::Array(id))));
        if !is_there || pointers.is_empty() && !is_lost {
            return Self::Registers;
        }
        if left.is_closed()
            && let arrays = find_read_only_arrays(left)
            && let Some((_, storage)) = arrays.iter().find(|(id, _)| is_it(Some(Root::Array(**id))))
        {
            return match storage {
                Storage::Constant(_) | Storage::Params(_) => Self::Constant,
                Storage::Global(_) => Self::Global,
            };
        }
        let (mut of_run, mut counted) = (Vec::new(), Vec::new());
        for index in pointers.iter().filter_map(|&ptr| unknown_index(left, ptr)) {
            let (list, span) = match index {
                VariableIndex::RunTime(span) => (&mut of_run, span),
                VariableIndex::Counted(span) => (&mut counted, span),
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

/// An index that is not a constant.
enum VariableIndex {
    /// Known only at run time; with the span of its use.
    RunTime(Span),
    /// The counter of this loop, which has a known trip count, or a number computed from the
    /// counter by constants.
    Counted(Span),
}

/// Returns the index in `ptr` that is no constant.
fn unknown_index(kernel: &Kernel, ptr: InstId) -> Option<VariableIndex> {
    let op = &kernel.insts[ptr].op;
    if let Op::Offset { base, .. } = op {
        return unknown_index(kernel, *base);
    }
    let Op::Index { base, index, .. } = op else { return None };
    if let Op::Const(_) = kernel.insts[*index].op {
        return unknown_index(kernel, *base);
    }
    Some(match counting_loop(kernel, *index) {
        Some(looped) => VariableIndex::Counted(kernel.insts[looped].span),
        None => VariableIndex::RunTime(kernel.insts[ptr].span),
    })
}

/// Returns the loop of a known trip count whose counter an index is, or is computed from by
/// constants.
fn counting_loop(kernel: &Kernel, index: InstId) -> Option<InstId> {
    let is_const = |id: InstId| matches!(kernel.insts[id].op, Op::Const(_));
    let op = &kernel.insts[index].op;
    if let Op::For { start, end, step, .. } = op {
        return [*start, *end, *step].into_iter().all(is_const).then_some(index);
    }
    if let Op::Binary { .. } | Op::Cast { .. } | Op::Bounds { .. } = op {
        let mut others = op.operands().filter(|&operand| !is_const(operand));
        let only = others.next()?;
        return if others.next().is_none() { counting_loop(kernel, only) } else { None };
    }
    None
}
