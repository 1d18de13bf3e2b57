//! Accesses to the arrays of a thread's own: in registers, or in local memory ([`Placement`]).
use super::{Answer, FactVerdict, Subject, Verdict};
use crate::{
    analysis::{accesses::memory_operands, local_arrays::Placement},
    hardware::Kind,
    ir::{Array, InstId, Kernel, Root, Scalar, Span, Ty},
    optimize::optimize,
};
use std::borrow::Cow;

/// Returns the verdict on each access to a named array of the threads of `kernel`, which may be
/// generic.
pub(super) fn verdicts(kernel: &Kernel) -> Vec<FactVerdict> {
    if kernel.arrays.is_empty() {
        return Vec::new();
    }
    let left = if kernel.is_closed() {
        Cow::Owned(optimize(kernel.clone()))
    } else {
        Cow::Borrowed(kernel)
    };
    let mut verdicts = Vec::new();
    kernel.walk(&mut |id| verdicts.extend(verdict(kernel, &left, id)));
    verdicts
}

fn verdict(kernel: &Kernel, left: &Kernel, id: InstId) -> Option<FactVerdict> {
    let (ptr, kind, ty) = memory_operands(kernel, id)?;
    let Some(Root::Array(array)) = kernel.root(ptr) else { return None };
    let array = &kernel.arrays[array];
    if array.name.is_empty() {
        return None;
    }
    let at = if kind == Kind::Load { id } else { ptr };
    let (answer, why, labels) = placement_reason(array, left);
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
    let verdict = Verdict { span, subject, what, answer, why, labels, help: None, lint };
    Some(FactVerdict { verdict, places: vec![span, kernel.insts[ptr].span] })
}

type Reason = (Answer, String, Vec<(Span, String)>);

/// Returns the verdict on an array, from the optimized kernel.
fn placement_reason(array: &Array, left: &Kernel) -> Reason {
    let of_run = |indices: Vec<Span>| {
        indices.into_iter().map(|at| (at, "this index is known at run time only".to_owned()))
    };
    let counted = |loops: Vec<Span>| {
        let label = "this loop has a constant number of iterations";
        loops.into_iter().map(move |at| (at, label.to_owned()))
    };
    let (answer, why, labels) = match Placement::in_kernel(array, left) {
        Placement::Registers => {
            let why = "in registers: every index is a constant, or chooses from few elements";
            (Answer::Good, why, Vec::new())
        }
        Placement::Constant => {
            (Answer::Good, "in constant memory: no thread changes it, nor needs a copy", Vec::new())
        }
        Placement::Global => {
            let why = "in global memory, cached: no thread changes it, nor needs a copy, and lanes read \
                       different elements";
            (Answer::Good, why, Vec::new())
        }
        Placement::Memory(indices) => {
            let why = "in local memory: registers have no index that only a run knows";
            (Answer::Bad, why, of_run(indices).collect())
        }
        Placement::OneOfSeveral => {
            let why = "in local memory: which of several arrays is meant is known at run time only";
            (Answer::Bad, why, Vec::new())
        }
        Placement::Mixed => {
            let why = "in registers only if the driver's compiler puts it there: its bytes are accessed as \
                       numbers of different types or sizes";
            (Answer::Unknown, why, Vec::new())
        }
        Placement::Counted(loops) => {
            let why =
                "in registers only if the driver's compiler writes out the loops that index it";
            (Answer::Unknown, why, counted(loops).collect())
        }
        Placement::Generic(indices, loops) => {
            let why = "generic parameters decide whether every index is a constant";
            (Answer::Unknown, why, of_run(indices).chain(counted(loops)).collect())
        }
    };
    (answer, why.to_owned(), labels)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the verdicts on the accesses in `body` to an array of eight numbers.
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
            .map(|FactVerdict { verdict: found, .. }| {
                let labels = found.labels.iter().map(|(_, label)| format!(", because {label}"));
                let labels: String = labels.collect();
                format!("{}: {} {}{labels}", found.what, found.answer.name(), found.why)
            })
            .collect()
    }

    /// Returns the same for `body`, followed by a store of `%load`, its last instruction, so that
    /// the load is used.
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
        let why = "good in registers: every index is a constant, or chooses from few elements";
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
    fn indices_of_loops_that_are_unrolled_are_registers() {
        let body = "%5 = const 8 : u64 !2
            %6 = for %2, %5, step %3 : u64 !2 {
                %7 = index %0, %6, 8 : ptr local !2
                %8 = store %7, %1 !2
            }
            %9 = offset %0, 8 : ptr local !3
            %10 = load %9 : u64 !3";
        let found = said_of(body, 10);
        assert!(found.iter().all(|found| found.ends_with(
            "good in registers: every index is a constant, or chooses from few elements"
        )));
    }

    #[test]
    fn loops_of_many_iterations_are_the_drivers_to_write_out() {
        let body = "%5 = const 100000 : u64 !2
            %6 = for %2, %5, step %3 : u64 !2 {
                %7 = rem %6, %4 : u64 !2
                %8 = index %0, %7, 8 : ptr local !2
                %9 = store %8, %1 !2
            }
            %10 = offset %0, 8 : ptr local !3
            %11 = load %10 : u64 !3";
        let found = said_of(body, 11);
        let why = "unknown in registers only if the driver's compiler writes out the loops that index it, \
                   because this loop has a constant number of iterations";
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|found| found.ends_with(why)), "{found:?}");
    }
}
