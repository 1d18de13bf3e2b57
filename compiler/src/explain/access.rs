//! Costs of accesses to shared, global and constant memory: wavefronts and sectors, by the formulas
//! of [`hardware`](crate::hardware).
use super::{Answer, FactVerdict, Subject, Verdict};
use crate::{
    analysis::{
        Analyses,
        accesses::{Cost, Request, UnknownCost, Verdict as Price, memory_operands},
    },
    hardware::Kind,
    ir::{Kernel, Op, Space, Span},
};

/// Returns the verdict on each access of `kernel`.
pub(super) fn verdicts(kernel: &Kernel, analyses: &Analyses) -> Vec<FactVerdict> {
    let requests = analyses.accesses.requests.iter();
    requests.filter_map(|request| verdict(kernel, analyses, request)).collect()
}

fn verdict(kernel: &Kernel, analyses: &Analyses, request: &Request) -> Option<FactVerdict> {
    let span = written_span(kernel, request)?;
    let mut labels = Vec::new();
    let run = analyses.at_run_time(kernel, request);
    let (answer, why) = match &run.verdict {
        Price::Known(cost) => known_cost_reason(run, cost),
        // The optimized code counts only if its cost is known; `request` is that of the source.
        Price::Unknown(why) => {
            if let UnknownCost::Stride(id) = why {
                labels.push((kernel.insts[*id].span, "it depends on this value".to_owned()));
            }
            (Answer::Unknown, missing_fact(*why).to_owned())
        }
    };
    let what = access_noun(kernel, request);
    let subject = Subject::Access;
    let verdict = Verdict { span, subject, what, answer, why, labels, help: None, lint: None };
    let index =
        memory_operands(kernel, *request.members.first()?).map(|(ptr, ..)| kernel.insts[ptr].span);
    Some(FactVerdict { verdict, places: [span].into_iter().chain(index).collect() })
}

/// Returns the span of the user's code for the access: for a store, that of its target.
fn written_span(kernel: &Kernel, request: &Request) -> Option<Span> {
    let first = *request.members.first()?;
    let at = if let Op::Store { ptr, .. } = kernel.insts[first].op { ptr } else { first };
    Some(kernel.insts[at].span)
}

/// Returns the noun for an access.
fn access_noun(kernel: &Kernel, request: &Request) -> String {
    let does = match request.kind {
        Kind::Load => "load",
        Kind::Store => "store",
        Kind::Atomic => "atomic update",
    };
    let size = match request.bytes {
        0 => String::new(),
        1 => " of 1 byte".to_owned(),
        bytes => format!(" of {bytes} bytes"),
    };
    let place = match request.root {
        Some(root) => format!(" in `{}`", kernel.root_name(root)),
        None => match request.space {
            Space::Shared => " in shared memory".to_owned(),
            Space::Cluster => " in the shared memory of another block".to_owned(),
            Space::Constant => " in constant memory".to_owned(),
            Space::Global | Space::Local => " in global memory".to_owned(),
        },
    };
    does.to_owned() + &size + &place
}

/// Returns the verdict on a known cost, and the reason: good if it is the ideal for every possible
/// base, bad if it is more for each of them, unknown otherwise.
fn known_cost_reason(request: &Request, cost: &Cost) -> (Answer, String) {
    let answer = if cost.is_good() {
        Answer::Good
    } else if cost.taken[0] > cost.ideal {
        Answer::Bad
    } else {
        Answer::Unknown
    };
    let unit = match request.space {
        Space::Shared | Space::Cluster | Space::Constant => "wavefront",
        Space::Global | Space::Local => "sector",
    };
    let (_, price) = &cost.worst;
    let taken = match price.taken {
        [1, 1] => format!("1 {unit}"),
        [least, most] if least == most => format!("{least} {unit}s"),
        [least, most] => format!("{least} to {most} {unit}s"),
    };
    let who = if cost.is_even { "a warp takes" } else { "the worst warp takes" };
    let with = match request.members.len() {
        1 => String::new(),
        members => format!(" for {members} neighbouring elements of each lane"),
    };
    (answer, format!("{who} {taken}{with}, {} needed", price.ideal))
}

/// Describes the fact that is missing for a verdict.
const fn missing_fact(why: UnknownCost) -> &'static str {
    match why {
        UnknownCost::Address => {
            "the address depends on data, or on an operation that is not analysed"
        }
        UnknownCost::Stride(_) => "the distance between lanes is not known",
        UnknownCost::Lanes => "which lanes are active is not known",
        UnknownCost::Size => "how many bytes a lane accesses depends on a generic parameter",
        UnknownCost::NotRun => {
            "no thread comes here, or the kernel is too long to be run symbolically"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the verdict on a load of `x[thread_idx.x]` with elements `stride` bytes apart.
    fn load(stride: u32) -> (Answer, String) {
        let text = format!(
            "kernel k {{ block 128, 1, 1
            param arg0 = x: read [u32] !0
            %0 = builtin thread_idx.x : u64 !1
            %1 = param arg0 : ptr global !1
            %2 = index %1, %0, {stride} : ptr global !1
            %3 = load %2 : u32 !1 }}"
        );
        let kernel = text.parse().unwrap();
        let mut found = verdicts(&kernel, &Analyses::for_kernel(&kernel));
        let verdict = found.pop().unwrap().verdict;
        assert_eq!((found.len(), &*verdict.what), (0, "load of 4 bytes in `x`"));
        (verdict.answer, verdict.why)
    }

    #[test]
    fn sectors_are_counted() {
        let good = (Answer::Good, "a warp takes 4 sectors, 4 needed".to_owned());
        assert_eq!(load(4), good);
        let bad = (Answer::Bad, "a warp takes 32 sectors, 4 needed".to_owned());
        assert_eq!(load(128), bad);
    }
}
