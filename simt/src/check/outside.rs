//! What an index that failed its check was an index of.
use super::finding::{Finding, OutOfBounds, Problem, Severity};
use crate::FaultReport;
use warpwise_compiler::{
    fault::Reason,
    ir::{Fault, InstId, Kernel, Op, Root},
};

/// What is to be said of a fault, if it is an index out of bounds.
pub(crate) fn report(kernel: &Kernel, fault: &FaultReport) -> Option<Finding> {
    if fault.reason != Reason::Check(Fault::IndexOutOfBounds) {
        return None;
    }
    let [index, len, ..] = fault.values;
    let outside = OutOfBounds {
        buffer: indexed(kernel, fault).map(Into::into),
        index,
        len,
        place: fault.span,
        block: fault.block,
        thread: fault.thread,
    };
    let problem = Problem::OutOfBounds(outside);
    Some(Finding { problem, severity: Severity::Error, count: fault.count })
}

/// The one buffer or array whose length, or whose index, is checked there.
fn indexed<'k>(kernel: &'k Kernel, fault: &FaultReport) -> Option<&'k str> {
    let checked = |id: InstId| {
        let inst = &kernel.insts[id];
        let Op::Bounds { len, .. } = inst.op else { return None };
        (inst.span == fault.span).then_some(len)
    };
    let names = kernel.insts.iter().filter_map(|(id, inst)| {
        let root = if let Some(len) = checked(id) {
            let Op::Len(param) = kernel.insts[len].op else { return None };
            Root::Param(param)
        } else {
            let Op::Index { index, .. } = inst.op else { return None };
            kernel.root(id).filter(|_| checked(index).is_some())?
        };
        Some(name(kernel, root))
    });
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    names.dedup();
    if let [name] = names[..] { Some(name) } else { None }
}

fn name(kernel: &Kernel, root: Root) -> &str {
    match root {
        Root::Param(param) => &kernel.params[param].name,
        Root::Shared(shared) => &kernel.shared[shared].name,
        Root::Array(array) if kernel.arrays[array].name.is_empty() => "an array",
        Root::Array(array) => &kernel.arrays[array].name,
    }
}
