//! Reports of indices out of bounds, with the buffer that is indexed.
use super::finding::{Finding, OutOfBounds, Problem, Severity};
use crate::FaultReport;
use warpwise_compiler::{
    fault::Reason,
    ir::{Fault, InstId, Kernel, Length, Op, Root},
};

/// Returns the finding for a fault, if it is an index out of bounds.
pub(crate) fn report_fault(kernel: &Kernel, fault: &FaultReport) -> Option<Finding> {
    if fault.reason != Reason::Check(Fault::IndexOutOfBounds) {
        return None;
    }
    let [index, len, ..] = fault.values;
    let outside = OutOfBounds {
        buffer: find_indexed_buffer(kernel, fault).map(Into::into),
        index,
        len,
        place: fault.span,
        block: fault.block,
        thread: fault.thread,
    };
    let problem = Problem::OutOfBounds(outside);
    Some(Finding { problem, severity: Severity::Error, count: fault.count })
}

/// Returns the name of the buffer or array whose index is checked at the fault, if it is a single
/// one.
fn find_indexed_buffer<'k>(kernel: &'k Kernel, fault: &FaultReport) -> Option<&'k str> {
    let mut order = Vec::new();
    kernel.walk(&mut |id| order.push(id));
    let checked = |(at, id): (usize, &InstId)| {
        let inst = &kernel.insts[*id];
        let Op::Bounds { index, len } = inst.op else { return None };
        if inst.span != fault.span {
            return None;
        }
        if let Op::Len(param) = kernel.insts[len].op {
            return Some(Root::Param(param));
        }
        let number = strip_checks(kernel, index);
        let behind = order[at..].iter().filter_map(|id| indexed_by(kernel, *id, number));
        // The optimizer puts checks of several arrays before the accesses to any.
        let fits = |root: &Root| has_length(kernel, *root, len);
        behind.clone().find(fits).or_else(|| behind.clone().next())
    };
    let names = order.iter().enumerate().filter_map(checked).map(|root| root_name(kernel, root));
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    names.dedup();
    if let [name] = names[..] { Some(name) } else { None }
}

/// Returns the buffer or array that an instruction indexes, if it does so by this number.
fn indexed_by(kernel: &Kernel, id: InstId, number: InstId) -> Option<Root> {
    let Op::Index { index, .. } = kernel.insts[id].op else { return None };
    kernel.root(id).filter(|_| strip_checks(kernel, index) == number)
}

/// Returns true for an array with the constant number of elements `len`.
fn has_length(kernel: &Kernel, root: Root, len: InstId) -> bool {
    let Op::Const(len) = kernel.insts[len].op else { return false };
    match root {
        Root::Param(_) => false,
        Root::Shared(shared) => match &kernel.shared[shared].len {
            Length::Fixed(extent) => extent.known() == Some(len),
            Length::Launch(_) => false,
        },
        Root::Array(array) => kernel.arrays[array].len.known() == Some(len),
    }
}

/// Returns an index without its checks and casts: an index may be checked as `usize` and used in
/// its original type.
fn strip_checks(kernel: &Kernel, index: InstId) -> InstId {
    let mut number = index;
    while let Op::Bounds { index, .. } | Op::Cast { value: index, .. } = kernel.insts[number].op {
        number = index;
    }
    number
}

fn root_name(kernel: &Kernel, root: Root) -> &str {
    match kernel.root_name(root) {
        "" => "an array",
        name => name,
    }
}
