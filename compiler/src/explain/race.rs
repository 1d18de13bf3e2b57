//! Verdicts on races, for each buffer and array.
use super::{Answer, FactVerdict, Subject, Verdict};
use crate::{
    analysis::{
        Analyses,
        accesses::memory_operands as memory_of,
        races::{Doubt, DoubtReason, MemoryRaces, Race, RaceKind, RaceSide, ThreadGroup},
        symbolic::{EventKind, SymbolicSum, Trace},
    },
    ir::{InstId, Kernel, Op, Root, Span},
};

/// Returns the verdict on each buffer and shared array that `kernel` may write. If the shape of a
/// block is an assumption, a verdict must hold in another shape as well.
pub(super) fn verdicts(kernel: &Kernel, analyses: &Analyses) -> Vec<FactVerdict> {
    let other = analyses.in_other_shape(kernel);
    let memory = analyses.races.memory.iter();
    let verdicts = memory.map(|memory| {
        let found = verdict(kernel, analyses, memory);
        let again = other.and_then(|other| other.races.for_root(memory.root));
        let again = again.map(|memory| verdict(kernel, analyses, memory));
        let verdict = match again.filter(|again| again.answer != found.answer) {
            Some(_) => Verdict {
                answer: Answer::Unknown,
                why: "it depends on the shape of the block".to_owned(),
                ..found
            },
            None => found,
        };
        FactVerdict { verdict, places: reported_places(kernel, memory) }
    });
    verdicts.collect()
}

/// Returns the places of the accesses at which lints report races, or might, in a buffer or array.
fn reported_places(kernel: &Kernel, memory: &MemoryRaces) -> Vec<Span> {
    let racing = memory.races.iter().flat_map(|race| race.sides.iter().map(|side| side.inst));
    let doubtful = memory.doubts.iter().flat_map(|doubt| doubt.insts);
    let accesses = racing.chain(doubtful).flat_map(|inst| {
        let ptr = memory_of(kernel, inst).map(|(ptr, ..)| ptr);
        [Some(inst), ptr].into_iter().flatten()
    });
    accesses.map(|inst| kernel.insts[inst].span).collect()
}

fn verdict(kernel: &Kernel, analyses: &Analyses, memory: &MemoryRaces) -> Verdict {
    let (answer, why, labels) = match (&memory.races[..], &memory.doubts[..]) {
        ([race, ..], _) => race_reason(kernel, race),
        ([], [doubt, ..]) => doubt_reason(kernel, doubt),
        ([], []) => {
            let why = "race-free: no two threads access the same bytes at one time and write";
            (Answer::Good, why.to_owned(), Vec::new())
        }
    };
    let (name, span) = match memory.root {
        Root::Param(param) => (&kernel.params[param].name, kernel.params[param].span),
        Root::Shared(shared) => (&kernel.shared[shared].name, kernel.shared[shared].span),
        Root::Array(array) => (&kernel.arrays[array].name, kernel.arrays[array].span),
    };
    let what = format!("races in `{name}`");
    let is_doubt = answer == Answer::Unknown;
    let help = memory.doubts.first().filter(|_| is_doubt);
    let help = help.and_then(|doubt| deciding_fact(kernel, &analyses.trace, doubt));
    Verdict { span, subject: Subject::Race, what, answer, why, labels, help, lint: None }
}

/// Returns a fact that would decide the doubt: about a number that the launch passes and that
/// indices are multiplied by.
fn deciding_fact(kernel: &Kernel, trace: &Trace, doubt: &Doubt) -> Option<String> {
    let offsets = doubt.insts.iter().flat_map(|&inst| trace.events_of(inst)).filter_map(|event| {
        let EventKind::Access(access) = &event.kind else { return None };
        access.offset.as_ref()
    });
    let mut terms = offsets.flat_map(SymbolicSum::terms);
    let name = terms.find_map(|term| {
        let is_factor = term.monomial.0.len() > 1 || term.factors.as_uniform().is_none();
        let mut symbols = term.monomial.0.iter().filter(|_| is_factor);
        symbols.find_map(|&symbol| param_name(kernel, trace.symbols[symbol].inst))
    })?;
    match doubt.reason {
        DoubtReason::Wraps => Some(format!(
            "say how large `{name}` is at most, as by `#[kernel(requires({name} <= 1 << 20))]`, or take it as a \
             `u32`"
        )),
        DoubtReason::Numbers => Some(format!(
            "if `{name}` is the length of a row, keep columns below it, as by `if column < {name}`"
        )),
        DoubtReason::Pointer
        | DoubtReason::Index
        | DoubtReason::Condition
        | DoubtReason::Guards
        | DoubtReason::Barrier
        | DoubtReason::Order
        | DoubtReason::PartialBarrier
        | DoubtReason::OneBlock
        | DoubtReason::Scope
        | DoubtReason::Unfenced(_)
        | DoubtReason::TooLong
        | DoubtReason::TooManyAccesses => None,
    }
}

/// Returns the name of the parameter that `id` yields.
fn param_name(kernel: &Kernel, id: InstId) -> Option<&str> {
    let Op::Param(param) = kernel.insts[id].op else { return None };
    Some(&kernel.params[param].name)
}

type Reason = (Answer, String, Vec<(Span, String)>);

fn race_reason(kernel: &Kernel, race: &Race) -> Reason {
    let why = match race.kind {
        RaceKind::ReadWrite => "one thread reads what another writes, and nothing orders the two",
        RaceKind::WriteWrite => "two threads write to the same place, and nothing orders them",
        RaceKind::SameValue => "two threads write the same value to the same place",
        RaceKind::AtomicAndPlain => "one access is atomic and the other is not",
        RaceKind::BlockScope => "an atomic operation of a block's scope meets one of another block",
    };
    let blocks = match race.among {
        ThreadGroup::Warp | ThreadGroup::Block => ["", ""],
        ThreadGroup::Grid => [" of one block", " of another block"],
    };
    let label = |(side, block): (&RaceSide, &str)| {
        let does = if side.writes { "written" } else { "read" };
        let [x, y, z] = side.thread;
        let text = format!("it is {does} here by thread ({x}, {y}, {z}){block}");
        (kernel.insts[side.inst].span, text)
    };
    (Answer::Bad, why.to_owned(), race.sides.iter().zip(blocks).map(label).collect())
}

fn doubt_reason(kernel: &Kernel, doubt: &Doubt) -> Reason {
    let mut labels: Vec<(Span, String)> = Vec::new();
    for inst in doubt.insts {
        let label = (kernel.insts[inst].span, "it is accessed here".to_owned());
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    (Answer::Unknown, doubt.reason.clause().to_owned(), labels)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the verdicts on `x[INDEX] = thread_idx.x`, where the index is this builtin.
    fn store(index: &str) -> Vec<Answer> {
        let text = format!(
            "kernel k {{ block 128, 1, 1
            param arg0 = x: write [u64] !0
            %0 = builtin {index} : u64 !1
            %1 = len arg0 : u64 !2
            %2 = bounds %0, %1 : u64 !2
            %3 = param arg0 : ptr global !2
            %4 = index %3, %2, 8 : ptr global !2
            %5 = builtin thread_idx.x : u64 !1
            %6 = store %4, %5 !2 }}"
        );
        let kernel = text.parse().unwrap();
        let found = verdicts(&kernel, &Analyses::for_kernel(&kernel));
        found.iter().map(|known| known.verdict.answer).collect()
    }

    #[test]
    fn threads_that_write_to_places_of_their_own_do_not_race() {
        assert_eq!(store("global_idx.x"), [Answer::Good]);
        assert_eq!(store("block_idx.x"), [Answer::Bad]);
    }
}
