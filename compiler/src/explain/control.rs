//! Whether threads stay together: branches, barriers, and where the lanes of a warp meet.
use super::{Answer, Subject, Verdict};
use crate::{
    analysis::{
        Analyses,
        trace::{Active, Event, Split, Threads, Trace, What, Which},
        uniformity::{Fact, Varying},
    },
    ir::{InstId, Kernel, Op},
    lint::why,
};

/// What is known of `id`, if threads may part or meet there.
pub(super) fn verdict(kernel: &Kernel, analyses: &Analyses, id: InstId) -> Option<Verdict> {
    let about = About { kernel, analyses, id };
    if let Some(what) = branch(kernel, id) {
        return Some(about.branch(what));
    }
    if let Some((_, call)) = why::barriers(kernel).find(|(barrier, _)| *barrier == id) {
        return Some(about.barrier(call));
    }
    let (call, mask) = why::meeting(&kernel.insts[id].op)?;
    Some(about.meeting(call, mask))
}

/// What a branch is called; `None` if this is none.
fn branch(kernel: &Kernel, id: InstId) -> Option<&'static str> {
    let op = &kernel.insts[id].op;
    if why::is_loop_condition(kernel, op) {
        Some("condition of a loop")
    } else if let Op::If { .. } = op {
        Some("branch")
    } else if let Op::For { .. } = op {
        Some("bounds of a loop")
    } else {
        None
    }
}

/// What is known, and why.
type Known = (Answer, String);

fn known(answer: Answer, why: &str) -> Known {
    (answer, why.to_owned())
}

/// An instruction.
struct About<'k> {
    kernel: &'k Kernel,
    analyses: &'k Analyses,
    id: InstId,
}

impl About<'_> {
    fn branch(&self, what: &str) -> Verdict {
        let warp = &self.analyses.uniformity.warp;
        let fact = warp.parting[self.id];
        let known = match (fact, self.analyses.trace.branch(self.id)) {
            (Fact::Uniform, _) => known(Answer::Good, "all threads of a warp go the same way"),
            (_, Some(split)) => self.split(split),
            (_, None) if self.analyses.trace.complete => {
                known(Answer::Good, "no thread of the block comes here")
            }
            (_, None) => known(Answer::Unknown, "the kernel is too long to be run symbolically"),
        };
        self.verdict(Subject::Branch, what, known, (warp, fact))
    }

    /// What is known of a branch at which threads part like this.
    fn split(&self, split: &Split) -> Known {
        match split {
            Split::Uniform => known(Answer::Good, "all threads of the block go the same way"),
            Split::UniformInWarps => known(Answer::Good, "all threads of a warp go the same way"),
            Split::Guard => {
                known(Answer::Good, "a guard: all warps but the one at its edge go one way")
            }
            Split::AtMostOne => known(Answer::Good, "at most one thread goes another way"),
            Split::Known(yes) => self.known_split(yes),
            Split::Unknown => {
                known(Answer::Unknown, "which threads of a warp go which way depends on data")
            }
        }
    }

    /// What is known of a branch that these threads take.
    fn known_split(&self, yes: &Threads) -> Known {
        let trace = &self.analyses.trace;
        let splits = |event: &&Event| matches!(&event.what, What::Branch(Split::Known(found)) if found == yes);
        let Some(event) = trace.of(self.id).find(splits) else {
            return known(Answer::Unknown, "no thread of the block comes here");
        };
        let active = &event.active.threads;
        let taken = |warp: usize| (yes.and(active).warp(warp), active.warp(warp));
        let parts = |&warp: &usize| {
            let (taken, active) = taken(warp);
            taken != 0 && taken != active
        };
        let parting: Vec<usize> = (0..active.warps()).filter(parts).collect();
        let others = active.without(yes).count();
        match parting[..] {
            [] => known(Answer::Good, "all threads of a warp go the same way"),
            [_] if yes.and(active).count() == 1 || others == 1 => {
                known(Answer::Good, "one thread goes another way than the others")
            }
            [_] if active.warps() > 1 => {
                let why = format!("only one of {} warps splits", active.warps());
                (Answer::Good, why)
            }
            [first, ..] => {
                let (taken, active_lanes) = taken(first);
                let why = format!(
                    "{} of {} warps split: {} of {} lanes go one way",
                    parting.len(),
                    active.warps(),
                    taken.count_ones(),
                    active_lanes.count_ones(),
                );
                (Answer::Bad, why)
            }
        }
    }

    fn barrier(&self, call: &str) -> Verdict {
        let block = &self.analyses.uniformity.block;
        let (control, ended) = (block.control[self.id], block.ended[self.id]);
        let everybody = known(Answer::Good, "every thread of the block gets here");
        let (fact, known) = match (control, ended) {
            _ if why::all_come(self.analyses, self.id) => (Fact::Uniform, everybody),
            (Fact::Uniform, Fact::Uniform) => (control, everybody),
            (Fact::Varies(_), _) => {
                (control, known(Answer::Bad, "not every thread of the block gets here"))
            }
            (Fact::Unknown(_), _) => (
                control,
                known(
                    Answer::Unknown,
                    "every thread of the block gets here if all of them read the same value from \
                     one place, which another thread may write meanwhile",
                ),
            ),
            (Fact::Uniform, Fact::Varies(_)) => {
                (ended, known(Answer::Bad, "some threads of the block have returned before"))
            }
            (Fact::Uniform, Fact::Unknown(_)) => {
                let why = "some threads of the block may have returned before";
                (ended, known(Answer::Unknown, why))
            }
        };
        self.verdict(Subject::Barrier, &format!("`{call}`"), known, (block, fact))
    }

    fn meeting(&self, call: &str, mask: Option<InstId>) -> Verdict {
        let warp = &self.analyses.uniformity.warp;
        let fact = warp.control[self.id];
        let is_full = |mask| matches!(self.kernel.insts[mask].op, Op::Const(bits) if bits == u64::from(u32::MAX));
        let all = Threads::all(self.analyses.trace.shape.threads());
        let by_warps = |active: &Active| {
            let whole = |warp| [0, all.warp(warp)].contains(&active.threads.warp(warp));
            matches!(active.which, Which::All | Which::Warps) && (0..all.warps()).all(whole)
        };
        let together = "all lanes of the warp that have not returned get here together";
        let known = match (fact, mask.is_none_or(is_full)) {
            (_, false) => known(
                Answer::Unknown,
                "whether the lanes that the mask names get here is not known",
            ),
            (Fact::Uniform, true) => known(Answer::Good, together),
            (_, true) if self.always(by_warps) => known(Answer::Good, together),
            (Fact::Varies(_), true) => known(
                Answer::Bad,
                "lanes of the warp that it waits for do not get here with the others",
            ),
            (Fact::Unknown(_), true) => known(
                Answer::Unknown,
                "all lanes get here together if they read the same value from one place, which \
                 another thread may write meanwhile",
            ),
        };
        self.verdict(Subject::Meeting, &format!("`{call}`"), known, (warp, fact))
    }

    /// True if the instruction runs in the block, whose shape is no assumption, and whenever it does for
    /// threads that `are` such.
    fn always(&self, are: impl Fn(&Active) -> bool) -> bool {
        let trace: &Trace = &self.analyses.trace;
        let mut events = trace.of(self.id).peekable();
        trace.shape.declared
            && trace.complete
            && events.peek().is_some()
            && events.all(|event| are(&event.active))
    }

    /// The verdict; with why control differs, unless that does no harm.
    fn verdict(
        &self,
        subject: Subject,
        what: &str,
        (answer, why): Known,
        (varying, fact): (&Varying, Fact),
    ) -> Verdict {
        let Self { kernel, id, .. } = *self;
        let labels = match answer {
            Answer::Good => Vec::new(),
            Answer::Bad | Answer::Unknown => why::labels(kernel, varying, fact),
        };
        let (span, what) = (kernel.insts[id].span, what.to_owned());
        Verdict { span, subject, what, answer, why, labels, help: None }
    }
}

#[cfg(test)]
mod tests {
    use super::super::verdicts;

    /// Each verdict as `subject answer: why`.
    fn said(head: &str, body: &str) -> Vec<String> {
        let kernel = format!("kernel k {{ {head} param arg0 = x: read [u64] !0\n{body} }}");
        let verdicts = verdicts(&kernel.parse().unwrap());
        let line =
            |v: &super::Verdict| format!("{} {}: {}", v.subject.name(), v.answer.name(), v.why);
        verdicts.iter().map(line).collect()
    }

    /// A barrier behind `thread_idx.x OP NUMBER`.
    fn behind(head: &str, op: &str, number: u32) -> Vec<String> {
        let body = format!(
            "%0 = builtin thread_idx.x : u64 !0
            %1 = const {number} : u64 !0
            %2 = {op} %0, %1 : bool !0
            %3 = if %2 !0 {{ %4 = barrier !1 }}"
        );
        said(head, &body)
    }

    #[test]
    fn branches_are_good_where_warps_agree() {
        let body = "%0 = builtin block_idx.x : u64 !0
            %1 = const 16 : u64 !0
            %2 = lt %0, %1 : bool !0
            %3 = if %2 !0 { %4 = barrier !1 }";
        let expected = [
            "branch good: all threads of a warp go the same way",
            "barrier good: every thread of the block gets here",
        ];
        assert_eq!(said("", body), expected);
        let bad = "barrier bad: not every thread of the block gets here";
        assert_eq!(behind("block 128, 1, 1", "lt", 64)[1], bad);
        let same = "branch good: all threads of a warp go the same way";
        assert_eq!(behind("block 128, 1, 1", "lt", 64)[0], same);
    }

    #[test]
    fn warps_that_split_are_counted() {
        let said = |op, number| behind("block 128, 1, 1", op, number).swap_remove(0);
        assert_eq!(said("lt", 48), "branch good: only one of 4 warps splits");
        assert_eq!(said("eq", 7), "branch good: one thread goes another way than the others");
        let odd = "%0 = builtin thread_idx.x : u64 !0
            %1 = const 2 : u64 !0
            %2 = rem %0, %1 : u64 !0
            %3 = const 0 : u64 !0
            %4 = eq %2, %3 : bool !0
            %5 = if %4 !0 { %6 = sync_warp !1 }";
        let expected = [
            "branch bad: 4 of 4 warps split: 16 of 32 lanes go one way",
            "meeting bad: lanes of the warp that it waits for do not get here with the others",
        ];
        assert_eq!(self::said("block 128, 1, 1", odd), expected);
    }

    #[test]
    fn what_every_thread_fulfils_keeps_nobody_from_a_barrier() {
        let said = behind("block 128, 1, 1", "lt", 128);
        assert_eq!(said[1], "barrier good: every thread of the block gets here");
        // Unless it is only assumed how many there are.
        let said = behind("", "lt", 256);
        assert_eq!(said[1], "barrier bad: not every thread of the block gets here");
    }

    #[test]
    fn data_may_be_anything() {
        let body = "%0 = builtin thread_idx.x : u64 !0
            %1 = param arg0 : ptr global !0
            %2 = index %1, %0, 8 : ptr global !0
            %3 = load %2 : u64 !0
            %4 = lt %3, %0 : bool !0
            %5 = if %4 !0 { %6 = return !1 }";
        let expected = "branch unknown: which threads of a warp go which way depends on data";
        assert_eq!(said("", body)[0], expected);
    }
}
