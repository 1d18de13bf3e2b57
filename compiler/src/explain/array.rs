//! Where the arrays of a thread's own are: in registers, or in local memory.
//!
//! Registers have no index. The optimizer makes variables of an array whose every index is a constant; one that is left is
//! in memory, unless the driver's compiler writes out the loops whose numbers are its indices. What is said here is
//! read off the kernel that the optimizer leaves.
use super::{Answer, Known, Subject, Verdict};
use crate::{
    analysis::accesses::memory,
    hardware::Kind,
    ir::{Array, InstId, Kernel, Op, Root, Scalar, Space, Span, Ty},
    optimize::optimize,
};
use std::borrow::Cow;

/// What is known of each access to a named array of the threads of `kernel`, which may be generic.
pub(super) fn verdicts(kernel: &Kernel) -> Vec<Known> {
    if kernel.arrays.is_empty() {
        return Vec::new();
    }
    let left = match kernel.is_closed() {
        true => Cow::Owned(optimize(kernel.clone())),
        false => Cow::Borrowed(kernel),
    };
    let mut verdicts = Vec::new();
    kernel.walk(&mut |id| verdicts.extend(verdict(kernel, &left, id)));
    verdicts
}

fn verdict(kernel: &Kernel, left: &Kernel, id: InstId) -> Option<Known> {
    let (ptr, kind, ty) = memory(kernel, id)?;
    let Some(Root::Array(array)) = kernel.root(ptr) else { return None };
    let array = &kernel.arrays[array];
    if array.name.is_empty() {
        return None;
    }
    let at = if kind == Kind::Load { id } else { ptr };
    let (answer, why, labels) = known(array, left);
    let does = if kind == Kind::Load { "load" } else { "store" };
    let bytes = if let Ty::Scalar(scalar) = ty { Scalar::size(scalar) } else { None };
    let size = match bytes {
        None => String::new(),
        Some(1) => " of 1 byte".to_owned(),
        Some(bytes) => format!(" of {bytes} bytes"),
    };
    let what = format!("{does}{size} in `{}`", array.name);
    let span = kernel.insts[at].span;
    let (subject, lint) = (Subject::Access, None);
    let verdict =
        Verdict { span, subject, what, answer, why, labels, help: None, lint, is_short: false };
    Some(Known { verdict, places: vec![span, kernel.insts[ptr].span] })
}

type Reason = (Answer, String, Vec<(Span, String)>);

/// What is known of an array, for what the optimizer leaves of it.
fn known(array: &Array, left: &Kernel) -> Reason {
    let is_it = |root: Option<Root>| match root {
        Some(Root::Array(other)) => {
            let other = &left.arrays[other];
            (&other.name, other.span) == (&array.name, array.span)
        }
        Some(Root::Param(_) | Root::Shared(_)) => false,
        None => false,
    };
    let mut pointers = Vec::new();
    let mut is_lost = false;
    left.walk(&mut |id| {
        let Some((ptr, ..)) = memory(left, id) else { return };
        if is_it(left.root(ptr)) {
            pointers.push(ptr);
        }
        is_lost |= left.root(ptr).is_none() && left.space(ptr) == Some(Space::Local);
    });
    let is_there = left.arrays.iter().any(|(id, _)| is_it(Some(Root::Array(id))));
    if !is_there || pointers.is_empty() && !is_lost {
        let why = "in registers: every index is a constant";
        return (Answer::Good, why.to_owned(), Vec::new());
    }
    let indices: Vec<Index> = pointers.iter().filter_map(|&ptr| unknown_index(left, ptr)).collect();
    let labels = |of_run: bool| {
        let mut labels: Vec<(Span, String)> = Vec::new();
        for index in indices.iter().filter(|index| index.of_run == of_run) {
            if !labels.contains(&index.label) {
                labels.push(index.label.clone());
            }
        }
        labels
    };
    if !left.is_closed() {
        let (answer, why) = match indices.is_empty() {
            true => (Answer::Good, "in registers: every index is a constant"),
            false => {
                (Answer::Unknown, "generic parameters decide whether every index is a constant")
            }
        };
        return (answer, why.to_owned(), [labels(true), labels(false)].concat());
    }
    let (answer, why, labels) = if indices.iter().any(|index| index.of_run) {
        let why = "in local memory: registers have no index that only a run knows";
        (Answer::Bad, why, labels(true))
    } else if is_lost {
        let why = "in local memory: which of several arrays is meant is known at run time only";
        (Answer::Bad, why, Vec::new())
    } else if indices.is_empty() {
        let why = "in registers only if the driver's compiler puts it there: its bytes are accessed as \
                   numbers of different types or sizes";
        (Answer::Unknown, why, Vec::new())
    } else {
        let why = "in registers only if the driver's compiler writes out the loops that index it";
        (Answer::Unknown, why, labels(false))
    };
    (answer, why.to_owned(), labels)
}

/// An index that is no constant.
struct Index {
    /// Whether only a run knows it. Otherwise it is the number of an iteration, of as many as is known.
    of_run: bool,
    label: (Span, String),
}

/// The index in `ptr` that is no constant, with why it is none.
fn unknown_index(kernel: &Kernel, ptr: InstId) -> Option<Index> {
    let op = &kernel.insts[ptr].op;
    if let Op::Offset { base, .. } = op {
        return unknown_index(kernel, *base);
    }
    let Op::Index { base, index, .. } = op else { return None };
    if let Op::Const(_) = kernel.insts[*index].op {
        return unknown_index(kernel, *base);
    }
    let counted = counted_by(kernel, *index);
    let label = match counted {
        Some(looped) => {
            (kernel.insts[looped].span, "this loop has a constant number of iterations".to_owned())
        }
        None => (kernel.insts[ptr].span, "this index is known at run time only".to_owned()),
    };
    Some(Index { of_run: counted.is_none(), label })
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of the accesses in `body`, to an array of eight numbers.
    fn said(body: &str) -> Vec<String> {
        let text = format!(
            "kernel k {{ block 128, 1, 1
            param arg0 = y: write [u64] !0
            array #0 = own: [u64; 8] !1
            %0 = array #0 : ptr local !1
            %1 = builtin thread_idx.x : u64 !1
            %2 = const 0 : u64 !1
            %3 = const 1 : u64 !1
            %4 = const 4 : u64 !1
            {body} }}"
        );
        let kernel = text.parse().unwrap();
        let found = verdicts(&kernel).into_iter();
        found
            .map(|Known { verdict: found, .. }| {
                let labels = found.labels.iter().map(|(_, label)| format!(", because {label}"));
                let labels: String = labels.collect();
                format!("{}: {} {}{labels}", found.what, found.answer.name(), found.why)
            })
            .collect()
    }

    /// The same of `body`, and stores what `%load`, its last instruction, loads, so that it counts.
    fn said_of(body: &str, load: u32) -> Vec<String> {
        let [base, place, store] = [load + 1, load + 2, load + 3];
        said(&format!(
            "{body}
            %{base} = param arg0 : ptr global !9
            %{place} = index %{base}, %1, 8 : ptr global !9
            %{store} = store %{place}, %{load} !9"
        ))
    }

    #[test]
    fn constant_places_are_registers() {
        let body = "%5 = offset %0, 8 : ptr local !2
            %6 = store %5, %1 !2
            %7 = load %5 : u64 !3";
        let why = "good in registers: every index is a constant";
        let expected = [
            format!("store of 8 bytes in `own`: {why}"),
            format!("load of 8 bytes in `own`: {why}"),
        ];
        assert_eq!(said_of(body, 7), expected);
    }

    #[test]
    fn an_index_of_the_run_puts_all_of_an_array_into_memory() {
        let body = "%5 = index %0, %2, 8 : ptr local !2
            %6 = store %5, %1 !2
            %7 = rem %1, %4 : u64 !3
            %8 = index %0, %7, 8 : ptr local !3
            %9 = load %8 : u64 !3";
        let found = said_of(body, 9);
        let why = "bad in local memory: registers have no index that only a run knows, because this index \
                   is known at run time only";
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|found| found.ends_with(why)), "{found:?}");
    }

    #[test]
    fn loops_of_known_length_are_the_drivers_to_write_out() {
        let body = "%5 = const 8 : u64 !2
            %6 = for %2, %5, step %3 : u64 !2 {
                %7 = index %0, %6, 8 : ptr local !2
                %8 = store %7, %1 !2
            }
            %9 = offset %0, 8 : ptr local !3
            %10 = load %9 : u64 !3";
        let found = said_of(body, 10);
        let why = "unknown in registers only if the driver's compiler writes out the loops that index it, \
                   because this loop has a constant number of iterations";
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|found| found.ends_with(why)), "{found:?}");
    }
}
