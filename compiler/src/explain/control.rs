//! Divergence: verdicts on branches, barriers, and operations that synchronize the lanes of a warp.
use super::{Answer, FactVerdict, Subject, Verdict};
use crate::{
    analysis::{
        Analyses,
        optimized_code::OptimizedCode,
        symbolic::{ActiveThreads, Coverage, EventKind, Split, ThreadSet, Trace},
        trips::{self, Trips},
        uniformity::{Fact, Uniformity, Varying},
    },
    ir::{InstId, Kernel, MatrixOp, Op, Span},
    lint::wording,
};

/// Returns the verdict on `id`, if threads may diverge or synchronize there.
pub(super) fn verdict(kernel: &Kernel, analyses: &Analyses, id: InstId) -> Option<FactVerdict> {
    let about = InstContext { kernel, analyses, id };
    let op = &kernel.insts[id].op;
    if wording::is_loop_condition(kernel, op) {
        return Some(about.judge_loop("condition of a loop"));
    }
    if let Op::For { .. } = op {
        return Some(about.judge_loop("bounds of a loop"));
    }
    if let Op::If { .. } = op {
        return Some(about.judge_branch());
    }
    if let Some((_, call)) = wording::written_barriers(kernel).find(|(barrier, _)| *barrier == id) {
        return Some(about.judge_barrier(call));
    }
    if let Op::Matrix(
        MatrixOp::Mma { word: 1.., .. } | MatrixOp::DistributeRows { word: 1.., .. },
    ) = op
    {
        // The same instruction as the first word.
        return None;
    }
    let (call, mask) = wording::warp_sync_call(op)?;
    Some(about.judge_warp_sync(call, mask))
}

/// An answer, with its explanation.
type Reason = (Answer, String);

fn new_reason(answer: Answer, why: &str) -> Reason {
    (answer, why.to_owned())
}

/// A kernel as it is written, or as it runs.
#[derive(Clone, Copy)]
struct Code<'k> {
    uniformity: &'k Uniformity,
    trace: &'k Trace,
}

/// The behaviour of lanes at an `if`, from the cheapest to the potentially most expensive.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum LaneBehaviour {
    Never,
    Together,
    AtMostOne,
    OnePerWarp,
    Guard,
    OneWarp(usize),
    /// The number of diverging warps and of all warps, and the number of lanes in the first of them
    /// that go one way, and of all its lanes.
    Splits([usize; 2], [u32; 2]),
    Unknown(&'static str),
}

impl LaneBehaviour {
    /// Returns the behaviour at the `if` numbered `id`.
    fn at_branch(code: Code<'_>, id: InstId) -> Self {
        if code.uniformity.warp.divergence[id].is_uniform() {
            return Self::Together;
        }
        if !code.trace.complete {
            return Self::Unknown("the kernel is too long to be run symbolically");
        }
        let partings = code.trace.events_of(id).filter_map(|event| match &event.kind {
            EventKind::Branch(split) => Some(Self::from_split(split, &event.active)),
            EventKind::Access(_)
            | EventKind::OutOfBounds { .. }
            | EventKind::Return
            | EventKind::Barrier
            | EventKind::SyncGrid
            | EventKind::WarpCollective { .. }
            | EventKind::Fence
            | EventKind::AsyncCommit
            | EventKind::AsyncWait(_) => None,
        });
        partings.max().unwrap_or(Self::Never)
    }

    fn from_split(split: &Split, active: &ActiveThreads) -> Self {
        match split {
            Split::Uniform | Split::UniformInWarps => Self::Together,
            Split::Guard => Self::Guard,
            Split::AtMostOne => Self::AtMostOne,
            Split::OnePerWarp => Self::OnePerWarp,
            Split::Known(yes) => Self::from_threads(yes, active),
            Split::Unknown => {
                Self::Unknown("which lanes of a warp go which way depends on data or on the launch")
            }
        }
    }

    /// Returns the behaviour of `active` threads if the condition is true in `yes`.
    fn from_threads(yes: &ThreadSet, active: &ActiveThreads) -> Self {
        let all = &active.threads;
        let taken = |warp: usize| {
            (yes.lanes_of_warp(warp) & all.lanes_of_warp(warp), all.lanes_of_warp(warp))
        };
        let parts = |&warp: &usize| {
            let (taken, all) = taken(warp);
            taken != 0 && taken != all
        };
        let come = (0..all.warp_count()).filter(|&warp| all.lanes_of_warp(warp) != 0).count();
        let parting: Vec<usize> = (0..all.warp_count()).filter(parts).collect();
        let (yes, no) = (yes.intersection(all), all.difference(yes));
        match parting[..] {
            [] => Self::Together,
            [_, ..] if yes.count() == 1 || no.count() == 1 => Self::AtMostOne,
            [_, ..] if yes.is_one_per_warp() || no.is_one_per_warp() => Self::OnePerWarp,
            [_] if come > 1 => Self::OneWarp(come),
            [_, ..] if matches!(active.coverage, Coverage::Some | Coverage::One) => {
                Self::Unknown("which lanes of a warp come here depends on data or on the launch")
            }
            [first, ..] => {
                let (taken, all) = taken(first);
                Self::Splits([parting.len(), come], [taken.count_ones(), all.count_ones()])
            }
        }
    }

    fn explanation(self) -> Reason {
        match self {
            Self::Never => new_reason(Answer::Good, "no thread of the block comes here"),
            Self::Together => new_reason(Answer::Good, "all threads of a warp go the same way"),
            Self::AtMostOne => {
                new_reason(Answer::Good, "at most one thread goes another way than the others")
            }
            Self::OnePerWarp => {
                new_reason(Answer::Good, "at most one lane of a warp goes another way")
            }
            Self::Guard => new_reason(Answer::Good, "a guard: only warps at its edge split"),
            Self::OneWarp(all) => (Answer::Good, format!("only one of {all} warps splits")),
            Self::Splits([split, all], [taken, lanes]) => {
                let why =
                    format!("{split} of {all} warps split: {taken} of {lanes} lanes go one way");
                (Answer::Bad, why)
            }
            Self::Unknown(why) => new_reason(Answer::Unknown, why),
        }
    }
}

/// The instruction that a verdict is about.
struct InstContext<'k> {
    kernel: &'k Kernel,
    analyses: &'k Analyses,
    id: InstId,
}

impl InstContext<'_> {
    /// Judges a loop: the behaviour of its lanes over all iterations.
    fn judge_loop(&self, what: &str) -> FactVerdict {
        let Analyses { uniformity, trace, .. } = self.analyses;
        let known = match trips::analyze(self.kernel, uniformity, trace, self.id) {
            Trips::Same => new_reason(Answer::Good, "all threads of a warp go the same way"),
            Trips::OneApart => new_reason(
                Answer::Good,
                "each lane runs as many iterations as the others of its warp, or one fewer",
            ),
            Trips::Known(warps) => {
                let apart = |(least, most): &&(u32, u32)| most - least;
                let (least, most) =
                    warps.iter().rev().max_by_key(apart).copied().unwrap_or_default();
                (Answer::Bad, format!("the lanes of a warp run {least} to {most} iterations"))
            }
            Trips::Never => new_reason(Answer::Good, "no thread of the block comes here"),
            Trips::Unknown if !trace.complete => {
                new_reason(Answer::Unknown, "the kernel is too long to be run symbolically")
            }
            Trips::Unknown => new_reason(
                Answer::Unknown,
                "how many iterations each lane of a warp runs is not known",
            ),
        };
        let fact = uniformity.warp.divergence[self.id];
        self.new_verdict(Subject::Branch, what, known, (&uniformity.warp, fact))
    }

    /// Judges an `if`: the behaviour of its lanes at the branches that the optimizer leaves of it.
    fn judge_branch(&self) -> FactVerdict {
        let warp = &self.analyses.uniformity.warp;
        let span = self.kernel.insts[self.id].span;
        let written = LaneBehaviour::at_branch(self.written_code(), self.id);
        // Unrolled, such a loop has lanes in different iterations at once.
        let is_uneven = self.is_in_uneven_loop();
        let reason = match self.analyses.optimized_code(self.kernel) {
            _ if written <= LaneBehaviour::Together && !is_uneven => written.explanation(),
            None => written.explanation(),
            Some(running) => {
                let code = Code { uniformity: &running.uniformity, trace: &running.trace };
                let left = running.machine_branches_at(span);
                match left.map(|id| LaneBehaviour::at_branch(code, id)).max() {
                    // A property of the source holds for each branch that it becomes.
                    Some(run) if !is_uneven => run.min(written).explanation(),
                    Some(run) => run.explanation(),
                    None => Self::branchless_reason(running, span, &written),
                }
            }
        };
        let fact = warp.divergence[self.id];
        self.new_verdict(Subject::Branch, "branch", reason, (warp, fact))
    }

    /// Returns the reason for an `if` that is no branch of the optimized kernel.
    fn branchless_reason(running: &OptimizedCode, span: Span, written: &LaneBehaviour) -> Reason {
        let why = if running.branches_at(span).next().is_some() {
            let (answer, why) = written.clone().explanation();
            if answer == Answer::Good {
                return (answer, why);
            }
            "no branch: its instructions run under a predicate"
        } else if running.has_select_at(span) {
            "no branch: both sides are computed, and one is selected"
        } else {
            "no branch is left of it"
        };
        new_reason(Answer::Good, why)
    }

    /// Returns true if lanes of a warp leave an enclosing loop after different iterations.
    fn is_in_uneven_loop(&self) -> bool {
        let parents = self.kernel.parents();
        let around = std::iter::successors(parents[self.id], |&(of, _)| parents[of]);
        let parting = &self.analyses.uniformity.warp.divergence;
        let mut loops =
            around.filter(|&(of, _)| matches!(self.kernel.insts[of].op, Op::For { .. }));
        loops.any(|(of, _)| parting[of].varies())
    }

    /// Returns the kernel as it is written.
    const fn written_code(&self) -> Code<'_> {
        let Analyses { uniformity, trace, .. } = self.analyses;
        Code { uniformity, trace }
    }

    fn judge_barrier(&self, call: &str) -> FactVerdict {
        let block = &self.analyses.uniformity.block;
        let (control, ended) = (block.control[self.id], block.ended[self.id]);
        let everybody = new_reason(Answer::Good, "every thread of the block gets here");
        let (fact, known) = match (control, ended) {
            _ if wording::all_threads_reach(self.analyses, self.id) => (Fact::Uniform, everybody),
            (Fact::Uniform, Fact::Uniform) => (control, everybody),
            (Fact::Varies(_), _) => {
                (control, new_reason(Answer::Bad, "not every thread of the block gets here"))
            }
            (Fact::Unknown(_), _) => (
                control,
                new_reason(
                    Answer::Unknown,
                    "every thread of the block gets here if all of them read the same value from \
                     one place, which another thread may write meanwhile",
                ),
            ),
            (Fact::Uniform, Fact::Varies(_)) => {
                (ended, new_reason(Answer::Bad, "some threads of the block have returned before"))
            }
            (Fact::Uniform, Fact::Unknown(_)) => {
                let why = "some threads of the block may have returned before";
                (ended, new_reason(Answer::Unknown, why))
            }
        };
        self.new_verdict(Subject::Barrier, &format!("`{call}`"), known, (block, fact))
    }

    fn judge_warp_sync(&self, call: &str, mask: Option<InstId>) -> FactVerdict {
        let warp = &self.analyses.uniformity.warp;
        let fact = warp.control[self.id];
        let is_full = |mask| matches!(self.kernel.insts[mask].op, Op::Const(bits) if bits == u64::from(u32::MAX));
        let all = ThreadSet::all(self.analyses.trace.shape.thread_count());
        let by_warps = |active: &ActiveThreads| {
            let whole =
                |warp| [0, all.lanes_of_warp(warp)].contains(&active.threads.lanes_of_warp(warp));
            matches!(active.coverage, Coverage::All | Coverage::Warps)
                && (0..all.warp_count()).all(whole)
        };
        let together = "all lanes of the warp that have not returned get here together";
        let known = match (fact, mask.is_none_or(is_full)) {
            (_, false) => new_reason(
                Answer::Unknown,
                "whether the lanes that the mask names get here is not known",
            ),
            (Fact::Uniform, true) => new_reason(Answer::Good, together),
            (_, true) if self.holds_always(by_warps) => new_reason(Answer::Good, together),
            (Fact::Varies(_), true) => new_reason(
                Answer::Bad,
                "lanes of the warp that it waits for do not get here with the others",
            ),
            (Fact::Unknown(_), true) => new_reason(
                Answer::Unknown,
                "all lanes get here together if they read the same value from one place, which \
                 another thread may write meanwhile",
            ),
        };
        self.new_verdict(Subject::Meeting, &format!("`{call}`"), known, (warp, fact))
    }

    /// Returns true if the instruction runs in the block, whose shape is no assumption, and `are`
    /// holds for its active threads each time.
    fn holds_always(&self, are: impl Fn(&ActiveThreads) -> bool) -> bool {
        let trace: &Trace = &self.analyses.trace;
        let mut events = trace.events_of(self.id).peekable();
        trace.shape.declared
            && trace.complete
            && events.peek().is_some()
            && events.all(|event| are(&event.active))
    }

    /// Creates the verdict, with the causes of varying control unless that is harmless.
    fn new_verdict(
        &self,
        subject: Subject,
        what: &str,
        (answer, why): Reason,
        (varying, fact): (&Varying, Fact),
    ) -> FactVerdict {
        let Self { kernel, id, .. } = *self;
        let labels = match answer {
            Answer::Good => Vec::new(),
            Answer::Bad | Answer::Unknown => wording::cause_labels(kernel, varying, fact),
        };
        let (span, what) = (kernel.insts[id].span, what.to_owned());
        let mut places = vec![span];
        if let Op::If { cond, .. } = kernel.insts[id].op {
            places.push(kernel.insts[cond].span);
        }
        let lint = None;
        let verdict = Verdict { span, subject, what, answer, why, labels, help: None, lint };
        FactVerdict { verdict, places }
    }
}

#[cfg(test)]
mod tests {
    use super::super::verdicts;

    /// Returns each verdict as `subject answer: why`.
    fn said(head: &str, body: &str) -> Vec<String> {
        let kernel = format!("kernel k {{ {head} param arg0 = x: read [u64] !0\n{body} }}");
        let verdicts = verdicts(&kernel.parse().unwrap());
        let line =
            |v: &super::Verdict| format!("{} {}: {}", v.subject.name(), v.answer.name(), v.why);
        verdicts.iter().map(line).collect()
    }

    /// Returns the verdicts on a barrier under the condition `thread_idx.x OP NUMBER`.
    fn behind(head: &str, op: &str, number: u32) -> Vec<String> {
        let body = format!(
            "%0 = builtin thread_idx.x : u64 !0
            %1 = const {number} : u64 !0
            %2 = {op} %0, %1 : bool !0
            %3 = if %2 !1 {{ %4 = barrier !2 }}"
        );
        said(head, &body)
    }

    #[test]
    fn branches_are_good_where_warps_agree() {
        let body = "%0 = builtin block_idx.x : u64 !1
            %1 = const 16 : u64 !2
            %2 = lt %0, %1 : bool !3
            %3 = if %2 !4 { %4 = barrier !5 }";
        let expected = [
            "branch good: all threads of a warp go the same way",
            "barrier good: every thread of the block gets here",
        ];
        assert_eq!(said("block 64, 1, 1", body)[..2], expected);
        let bad = "barrier bad: `sync_threads()` is not reached by every thread of the block";
        assert_eq!(behind("block 128, 1, 1", "lt", 64)[1], bad);
        let same = "branch good: all threads of a warp go the same way";
        assert_eq!(behind("block 128, 1, 1", "lt", 64)[0], same);
    }

    #[test]
    fn warps_that_split_are_counted() {
        let said = |op, number| behind("block 128, 1, 1", op, number).swap_remove(0);
        assert_eq!(said("lt", 48), "branch good: only one of 4 warps splits");
        let one = "branch good: at most one thread goes another way than the others";
        assert_eq!(said("eq", 7), one);
        let odd = "%0 = builtin thread_idx.x : u64 !1
            %1 = const 2 : u64 !2
            %2 = rem %0, %1 : u64 !3
            %3 = const 0 : u64 !4
            %4 = eq %2, %3 : bool !5
            %5 = if %4 !6 { %6 = sync_warp !7 }";
        let expected = [
            "branch unknown: 4 of 4 warps split: 16 of 32 lanes go one way",
            "meeting bad: `sync_warp()` is about all lanes of the warp, and not all of them come here",
        ];
        assert_eq!(self::said("block 128, 1, 1", odd), expected);
    }

    #[test]
    fn short_bodies_run_under_a_predicate() {
        let body = "%0 = builtin thread_idx.x : u64 !1
            %1 = const 2 : u64 !2
            %2 = rem %0, %1 : u64 !3
            %3 = const 0 : u64 !4
            %4 = eq %2, %3 : bool !5
            %5 = shared @0 : ptr shared !5
            %6 = if %4 !6 { %7 = store %5, %0 !7 }
            %8 = barrier !8";
        let found = said("block 128, 1, 1 shared @0 = s: [u64; 1]", body);
        assert!(
            found.contains(
                &"branch good: no branch: its instructions run under a predicate".to_owned()
            ),
            "{found:?}"
        );
    }

    #[test]
    fn a_lane_that_works_for_its_warp_is_no_fault() {
        let body = "%0 = builtin lane_id : u64 !1
            %1 = const 0 : u64 !2
            %2 = eq %0, %1 : bool !3
            %3 = if %2 !4 { %4 = fence.block !5 }";
        let found = said("block 128, 1, 1", body);
        assert_eq!(found[0], "branch good: at most one lane of a warp goes another way");
    }

    #[test]
    fn what_every_thread_fulfils_keeps_nobody_from_a_barrier() {
        let said = behind("block 128, 1, 1", "lt", 128);
        assert_eq!(said[1], "barrier good: every thread of the block gets here");
        // Unless the number of threads is only assumed.
        let said = behind("", "lt", 256);
        let bad = "barrier bad: `sync_threads()` is not reached by every thread of the block";
        assert_eq!(said[1], bad);
    }

    #[test]
    fn a_loop_is_judged_by_all_of_its_iterations() {
        let trips = |end: &str| {
            let body = format!(
                "%0 = builtin thread_idx.x : u64 !1
                %1 = const 4 : u64 !2
                %2 = const 0 : u64 !3
                %3 = const 1 : u64 !4
                {end}
                %5 = for %2, %4, step %3 : u64 !8 {{ %6 = fence.block !9 }}"
            );
            said("block 256, 1, 1", &body).swap_remove(0)
        };
        let bad = |from, to| {
            format!(
                "branch bad: the lanes of a warp run {from} to {to} iterations of this loop, and all wait for \
                 the last"
            )
        };
        // At most one lane of the block leaves in each iteration.
        assert_eq!(trips("%4 = cast %0 : u64 !5"), bad(0, 31));
        assert_eq!(trips("%4 = rem %0, %1 : u64 !5"), bad(0, 3));
        let same = "branch good: all threads of a warp go the same way";
        assert_eq!(trips("%4 = cast %1 : u64 !5"), same);
    }

    #[test]
    fn data_may_be_anything() {
        let body = "%0 = builtin thread_idx.x : u64 !1
            %1 = param arg0 : ptr global !2
            %2 = index %1, %0, 8 : ptr global !3
            %3 = load %2 : u64 !4
            %4 = lt %3, %0 : bool !5
            %5 = if %4 !6 { %6 = fence.block !7 }";
        let expected =
            "branch unknown: which lanes of a warp go which way depends on data or on the launch";
        assert_eq!(said("", body)[0], expected);
    }
}
