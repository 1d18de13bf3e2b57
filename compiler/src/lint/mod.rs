//! Lints: they read the IR and the facts, and report; they rewrite nothing.
//!
//! A lint is one file in `lints/` and one line of [`LINTS`]; `docs/adding-a-lint.md` has the steps.
//! It reports faults that the facts prove, and is silent about everything they leave open. It does
//! not know levels: [`run`] asks [`Levels`], where the innermost wins.
mod access;
mod coalescing;
mod conflicts;
mod lanes;
pub mod launch;
mod lints;
mod race;
mod residency;
pub(crate) mod weight;
pub(crate) mod wording;

use crate::{
    analysis::Analyses,
    diag::{Diagnostic, Diagnostics, Level},
    id::Id as _,
    ir::{Kernel, Span},
};
pub use lints::LINTS;
use std::{collections::BTreeSet, ops::Range};

/// The subject of a lint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LintGroup {
    /// The kernel does not do its job, or may not.
    Correctness,
    /// The kernel is slower than necessary.
    Performance,
    /// The code expresses less, or more, than it could.
    Style,
}

/// A lint.
#[derive(Debug)]
pub struct Lint {
    /// The name, as in `#[allow(..)]`: `gpu_` and the fault, in the plural.
    pub name: &'static str,
    /// The subject.
    pub group: LintGroup,
    /// The default level.
    pub level: Level,
    check: fn(&Kernel, &Analyses) -> Vec<Finding>,
}

/// A fault that a lint found at one place.
struct Finding {
    /// The fact, with numbers.
    message: String,
    /// The place of the fault.
    span: Span,
    /// Places that explain the fault, from the effect to its cause.
    labels: Vec<(Span, String)>,
    /// Further premises, such as an assumption.
    notes: Vec<String>,
    /// The remedy.
    help: String,
}

/// Names for several lints: all of a group, or all lints.
pub const GROUPS: [(&str, Option<LintGroup>); 4] = [
    ("gpu_all", None),
    ("gpu_correctness", Some(LintGroup::Correctness)),
    ("gpu_performance", Some(LintGroup::Performance)),
    ("gpu_style", Some(LintGroup::Style)),
];

/// Returns the names of the lints that `name` stands for: itself, if it is a lint's name, or the
/// members of a group. `None` if the name is unknown.
pub fn lints_named(name: &str) -> Option<Vec<&'static str>> {
    if let Some((_, group)) = GROUPS.iter().find(|(known, _)| *known == name) {
        let of_group = |lint: &&Lint| group.is_none_or(|group| lint.group == group);
        return Some(LINTS.iter().filter(of_group).map(|lint| lint.name).collect());
    }
    LINTS.iter().find(|lint| lint.name == name).map(|lint| vec![lint.name])
}

/// Returns the name of every lint.
pub fn names() -> impl Iterator<Item = &'static str> {
    LINTS.iter().map(|lint| lint.name)
}

/// The levels that the user sets; other lints have their default level.
#[derive(Clone, Debug, Default)]
pub struct Levels {
    /// The settings: the outer before the inner, the earlier before the later. The last one that
    /// applies wins.
    pub settings: Vec<Setting>,
}

/// A level that the user sets for a lint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The lint's name.
    pub lint: &'static str,
    /// The level.
    pub level: Level,
    /// The range of span numbers that it applies to: those of a statement. `None` for the whole
    /// kernel.
    pub within: Option<Range<usize>>,
    /// The number of the expectation (`#[expect(..)]`), if it is one. It is fulfilled by findings
    /// for which it decides the level.
    pub expectation: Option<usize>,
}

impl Setting {
    /// Returns a setting for the whole kernel.
    pub fn everywhere(lint: &'static str, level: Level) -> Self {
        Self { lint, level, within: None, expectation: None }
    }

    fn holds_at(&self, span: Span) -> bool {
        self.within.as_ref().is_none_or(|within| within.contains(&span.index()))
    }
}

impl Levels {
    /// Returns the level of `lint` at `span`.
    pub fn level_of(&self, lint: &Lint, span: Span) -> Level {
        self.deciding_setting(lint, span).map_or(lint.level, |setting| setting.level)
    }

    /// Returns the level of a finding of `lint` at `span`. A finding that rests on an assumed block
    /// is at most a warning, unless the user sets a level.
    fn level_of_finding(&self, lint: &Lint, span: Span, basis: Basis) -> Level {
        let most = match basis {
            Basis::Kernel => Level::Deny,
            Basis::AssumedBlock => Level::Warn,
        };
        self.deciding_setting(lint, span).map_or(lint.level.min(most), |setting| setting.level)
    }

    fn deciding_setting(&self, lint: &Lint, span: Span) -> Option<&Setting> {
        self.settings
            .iter()
            .rev()
            .find(|setting| setting.lint == lint.name && setting.holds_at(span))
    }

    /// Returns true if some finding of `lint` may be shown.
    fn may_show(&self, lint: &Lint) -> bool {
        let mut settings = self.settings.iter().filter(|setting| setting.lint == lint.name);
        lint.level > Level::Allow || settings.any(|setting| setting.level > Level::Allow)
    }
}

/// Runs the lints, and returns the diagnostics to show.
pub fn run(kernel: &Kernel, analyses: &Analyses, levels: &Levels) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    for lint in LINTS.iter().filter(|lint| levels.may_show(lint)) {
        find_diagnostics(lint, kernel, analyses, levels).for_each(|found| diagnostics.push(found));
    }
    diagnostics
}

/// Returns the findings of all lints, of every level.
pub fn run_all(kernel: &Kernel, analyses: &Analyses, levels: &Levels) -> Vec<Diagnostic> {
    LINTS.iter().flat_map(|lint| find_diagnostics(lint, kernel, analyses, levels)).collect()
}

/// Returns the expectations among `levels` that the findings fulfil, or that launches may fulfil.
pub fn fulfilled_expectations(
    kernel: &Kernel,
    analyses: &Analyses,
    levels: &Levels,
) -> BTreeSet<usize> {
    let expected =
        |lint: &Lint, setting: &Setting| setting.lint == lint.name && setting.expectation.is_some();
    let lints =
        LINTS.iter().filter(|lint| levels.settings.iter().any(|setting| expected(lint, setting)));
    let expectations = lints.flat_map(|lint| {
        let findings = run_lint(lint, kernel, analyses).into_iter();
        findings.filter_map(|(finding, _)| levels.deciding_setting(lint, finding.span)?.expectation)
    });
    let of_launches = levels
        .settings
        .iter()
        .filter(|setting| launch::launch_lint_names().any(|name| name == setting.lint))
        .filter_map(|setting| setting.expectation);
    expectations.chain(of_launches).collect()
}

/// The premise of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Basis {
    /// The kernel alone.
    Kernel,
    /// An assumed block: a launch with another block may not have the fault.
    AssumedBlock,
}

/// Returns the findings of `lint`. If the block is an assumption, a fault must also occur in
/// another plausible block: nobody should fix a fault that occurs only in blocks that are never
/// launched. A fault that does not occur in a single thread rests on the assumption, and its notes
/// state it.
fn run_lint(lint: &Lint, kernel: &Kernel, analyses: &Analyses) -> Vec<(Finding, Basis)> {
    let mut findings = (lint.check)(kernel, analyses);
    let shape = &analyses.trace.shape;
    let is_checked =
        lint.group == LintGroup::Correctness && !findings.is_empty() && !shape.declared;
    if !is_checked {
        return findings.into_iter().map(|finding| (finding, Basis::Kernel)).collect();
    }
    if let Some(other) = analyses.in_other_shape(kernel) {
        let again = (lint.check)(kernel, other);
        findings.retain(|found| again.iter().any(|other| other.span == found.span));
    }
    let alone = spans_in_one_thread(lint, kernel);
    let assumption = wording::assumption_notes(shape);
    let based = findings.into_iter().map(|mut finding| {
        // Lints state the assumption themselves; here it is known whether the finding needs it.
        finding.notes.retain(|note| !assumption.contains(note));
        if alone.contains(&finding.span) {
            return (finding, Basis::Kernel);
        }
        finding.notes.extend(assumption.clone());
        (finding, Basis::AssumedBlock)
    });
    based.collect()
}

/// Returns the places of findings of `lint` in a block of one thread, and so in every launch.
fn spans_in_one_thread(lint: &Lint, kernel: &Kernel) -> Vec<Span> {
    let mut alone = kernel.clone();
    alone.block = Some([1_u64; 3].map(Into::into));
    (lint.check)(&alone, &Analyses::for_kernel(&alone))
        .into_iter()
        .map(|found| found.span)
        .collect()
}

fn find_diagnostics(
    lint: &Lint,
    kernel: &Kernel,
    analyses: &Analyses,
    levels: &Levels,
) -> impl Iterator<Item = Diagnostic> {
    let code = lint.name;
    run_lint(lint, kernel, analyses).into_iter().map(move |(finding, basis)| {
        let Finding { message, span, labels, notes, help } = finding;
        let level = levels.level_of_finding(lint, span, basis);
        Diagnostic { code, level, message, span, labels, notes, help: Some(help) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_level_wins_and_the_later_of_two() {
        let lint = &lints::barriers_in_divergent_flow::LINT;
        let [outer, inner, outside] = [1, 2, 3].map(Span::new);
        let mut levels = Levels::default();
        assert_eq!(levels.level_of(lint, outer), lint.level);
        levels.settings = vec![
            Setting::everywhere("gpu_barriers_in_divergent_loops", Level::Allow),
            Setting::everywhere(lint.name, Level::Allow),
            Setting::everywhere(lint.name, Level::Warn),
        ];
        assert_eq!(levels.level_of(lint, outer), Level::Warn);
        let on = |within, level| Setting {
            within: Some(within),
            ..Setting::everywhere(lint.name, level)
        };
        levels.settings.extend([
            on(1..3, Level::Deny),
            on(1..3, Level::Allow),
            on(2..3, Level::Deny),
        ]);
        let found = [outer, inner, outside].map(|span| levels.level_of(lint, span));
        assert_eq!(found, [Level::Allow, Level::Deny, Level::Warn]);
    }

    #[test]
    fn an_expectation_that_decides_a_finding_is_fulfilled() {
        let text = "kernel half {
            block 64, 1, 1
            %0 = builtin thread_idx.x : u64 !0
            %1 = const 16 : u64 !0
            %2 = lt %0, %1 : bool !0
            %3 = if %2 !0 {
                %4 = barrier !1
            }
        }";
        let kernel: Kernel = text.parse().unwrap();
        let expects = |lint, within, expectation| Setting {
            lint,
            level: Level::Allow,
            within,
            expectation: Some(expectation),
        };
        let (flow, loops) =
            (lints::barriers_in_divergent_flow::LINT, lints::barriers_in_divergent_loops::LINT);
        let settings = vec![
            expects(flow.name, None, 0),
            expects(flow.name, Some(0..2), 1),
            expects(flow.name, Some(0..1), 2),
            expects(loops.name, None, 3),
        ];
        let (levels, analyses) = (Levels { settings }, Analyses::for_kernel(&kernel));
        assert_eq!(fulfilled_expectations(&kernel, &analyses, &levels), BTreeSet::from([1]));
        assert_eq!(run(&kernel, &analyses, &levels), Diagnostics::default());
        let all = run_all(&kernel, &analyses, &levels);
        assert_eq!(all.len(), 1);
        assert_eq!((all[0].code, all[0].level), (flow.name, Level::Allow));
    }

    #[test]
    fn lints_are_listed_by_name_and_named_for_the_device() {
        assert!(names().is_sorted());
        assert!(names().all(|name| name.starts_with("gpu_")));
    }

    #[test]
    fn groups_stand_for_their_members() {
        assert_eq!(lints_named("gpu_all").unwrap(), names().collect::<Vec<_>>());
        let members = |name| lints_named(name).unwrap().len();
        let groups = ["gpu_correctness", "gpu_performance", "gpu_style"];
        assert_eq!(groups.into_iter().map(members).sum::<usize>(), LINTS.len());
        let flow = lints::barriers_in_divergent_flow::LINT.name;
        assert_eq!(lints_named(flow), Some(vec![flow]));
        assert!(lints_named("gpu_correctness").unwrap().contains(&flow));
        assert_eq!(lints_named("gpu_what"), None);
        assert!(GROUPS.iter().all(|(group, _)| names().all(|lint| lint != *group)));
    }

    #[test]
    fn a_fault_is_one_in_every_plausible_block_and_certain_in_one_thread() {
        fn at(span: usize) -> Finding {
            let (labels, notes) = (Vec::new(), Vec::new());
            let [message, help] = [const { String::new() }; 2];
            Finding { message, span: Span::new(span), labels, notes, help }
        }
        fn by_threads(_: &Kernel, analyses: &Analyses) -> Vec<Finding> {
            let threads = analyses.trace.shape.thread_count();
            (1..=3).filter(|&span| threads > [0, 1, 64][span - 1]).map(at).collect()
        }
        let found = |group, kernel: &str| {
            let kernel: Kernel = kernel.parse().unwrap();
            let lint = Lint { group, level: Level::Deny, check: by_threads, ..LINTS[0] };
            let (levels, analyses) = (Levels::default(), Analyses::for_kernel(&kernel));
            let found = find_diagnostics(&lint, &kernel, &analyses, &levels);
            let said = found.map(|found| (found.span.index(), found.level, found.notes.len()));
            said.collect::<Vec<_>>()
        };
        let (open, declared) = ("kernel k { }", "kernel k { block 128, 1, 1 }");
        let sure = |span| (span, Level::Deny, 0);
        assert_eq!(found(LintGroup::Correctness, open), [sure(1), (2, Level::Warn, 1)]);
        assert_eq!(found(LintGroup::Correctness, declared), [1, 2, 3].map(sure));
        assert_eq!(found(LintGroup::Performance, open), [1, 2, 3].map(sure));
    }

    #[test]
    fn a_level_that_the_user_gives_holds_for_assumptions_too() {
        let lint = &lints::barriers_in_divergent_flow::LINT;
        let level_with =
            |levels: &Levels| levels.level_of_finding(lint, Span::KERNEL, Basis::AssumedBlock);
        let mut levels = Levels::default();
        assert_eq!(level_with(&levels), Level::Warn);
        levels.settings = vec![Setting::everywhere(lint.name, Level::Deny)];
        assert_eq!(level_with(&levels), Level::Deny);
    }
}
