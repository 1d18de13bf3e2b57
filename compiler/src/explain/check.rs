//! Verdicts on checks, from the analysis that the optimizer uses: checks that cannot fail are
//! removed before run time.
use super::{Answer, FactVerdict, Subject, Verdict};
use crate::{
    analysis::checks::{CheckFailure, Unproved},
    checks::{self, CheckSite, Outcome},
    ir::{Fault, Kernel},
};

/// Returns the verdict on each check of `kernel`.
pub(super) fn verdicts(kernel: &Kernel) -> impl Iterator<Item = FactVerdict> {
    checks::check_sites(kernel).into_iter().map(|site| {
        let CheckSite { span, failure, outcome } = site;
        let (answer, why, labels, help) = match outcome {
            Outcome::Proved(relations) if relations.is_empty() => {
                let why = "cannot fail, whatever the kernel is given, and costs nothing";
                (Answer::Good, why.to_owned(), relations, None)
            }
            Outcome::Proved(relations) => {
                (Answer::Good, "cannot fail, and costs nothing".to_owned(), relations, None)
            }
            Outcome::Stays(Unproved { message, help }) => {
                (Answer::Unknown, message, Vec::new(), Some(help))
            }
        };
        let what = check_noun(failure).to_owned();
        let (subject, lint) = (Subject::Check, None);
        let verdict = Verdict { span, subject, what, answer, why, labels, help, lint };
        FactVerdict { verdict, places: vec![span] }
    })
}

/// Returns the noun for a check.
const fn check_noun(failure: CheckFailure) -> &'static str {
    let fault = match failure {
        CheckFailure::Fault(fault) => fault,
        CheckFailure::Slice => return "check of a part of a slice",
        CheckFailure::Panic => return "assertion",
    };
    match fault {
        Fault::IndexOutOfBounds => "bounds check",
        Fault::DivideByZero | Fault::RemainderByZero => "check for division by zero",
        Fault::DivideOverflow
        | Fault::RemainderOverflow
        | Fault::NegateOverflow
        | Fault::AddOverflow
        | Fault::SubtractOverflow
        | Fault::MultiplyOverflow
        | Fault::ShiftLeftOverflow
        | Fault::ShiftRightOverflow => "check for overflow",
        Fault::StepByZero => "check of a step",
        Fault::ClampBounds => "check of the bounds of `clamp`",
        Fault::NegativeSquareRoot => "check for a negative number",
        Fault::NonPositiveLogarithm => "check for a number that is not positive",
        Fault::Panic => "panic",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proved_checks_are_good_and_others_have_a_remedy() {
        let text = "kernel k { param arg0 = x: write [u32] !0
            %0 = builtin global_idx.x : u64 !1
            %1 = len arg0 : u64 !2
            %2 = lt %0, %1 : bool !3
            %3 = if %2 !3 { %4 = bounds %0, %1 : u64 !4 }
            %5 = bounds %0, %1 : u64 !5 }";
        let found: Vec<Verdict> =
            verdicts(&text.parse().unwrap()).map(|known| known.verdict).collect();
        assert_eq!(found.len(), 2, "{found:#?}");
        assert_eq!((found[0].answer, found[0].labels.len()), (Answer::Good, 1));
        assert_eq!((found[1].answer, found[1].help.is_some()), (Answer::Unknown, true));
    }
}
