//! Lints: read the IR and the facts, report, rewrite nothing.
//!
//! A lint is one file and one line of [`LINTS`]; `docs/adding-a-lint.md` has the
//! steps. It reports what the facts prove bad, and is silent about what they cannot
//! tell. It does not know levels: [`run`] asks [`Levels`], where the innermost wins.
mod barriers_after_divergent_returns;
mod barriers_in_divergent_flow;
mod barriers_in_divergent_loops;
mod why;

use crate::{
    analysis::Analyses,
    diag::{Diagnostic, Diagnostics, Level},
    ir::{Kernel, Span},
};

/// What a lint is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// The kernel does not do what it should, or may not.
    Correctness,
    /// It does, but slower than it could.
    Performance,
    /// It does, but says less, or more, than it could.
    Style,
}

/// A lint.
#[derive(Debug)]
pub struct Lint {
    /// Name, as in `#[allow(..)]`: `gpu_` and the bad thing, in the plural.
    pub name: &'static str,
    /// What it is about.
    pub group: Group,
    /// Level unless the user says otherwise.
    pub level: Level,
    check: fn(&Kernel, &Analyses) -> Vec<Finding>,
}

/// What a lint found at one place.
struct Finding {
    /// The fact, with numbers.
    message: String,
    /// Where it goes wrong.
    span: Span,
    /// Other places that explain why, from the effect to its cause.
    labels: Vec<(Span, String)>,
    /// What else it rests on, such as an assumption.
    notes: Vec<String>,
    /// What to do.
    help: String,
}

/// Every lint, by name.
pub static LINTS: &[Lint] = &[
    barriers_after_divergent_returns::LINT,
    barriers_in_divergent_flow::LINT,
    barriers_in_divergent_loops::LINT,
];

/// The name of every lint.
pub fn names() -> impl Iterator<Item = &'static str> {
    LINTS.iter().map(|lint| lint.name)
}

/// The user's levels; what is not named has the lint's own.
#[derive(Clone, Debug, Default)]
pub struct Levels {
    /// For the whole kernel, later entries over earlier ones.
    pub kernel: Vec<(String, Level)>,
    /// For the statements whose instructions have one of these spans; over the kernel's.
    pub spans: Vec<(Vec<Span>, String, Level)>,
}

impl Levels {
    /// The level of `lint` at `span`. The innermost statement wins, which is the one with
    /// the fewest spans; of two for one statement the later.
    pub fn of(&self, lint: &Lint, span: Span) -> Level {
        let statements = self.spans.iter().rev();
        let statement = statements
            .filter(|(spans, name, _)| name == lint.name && spans.contains(&span))
            .min_by_key(|(spans, ..)| spans.len())
            .map(|&(_, _, level)| level);
        let kernel = self.kernel.iter().rev().find(|(name, _)| name == lint.name);
        statement.or(kernel.map(|&(_, level)| level)).unwrap_or(lint.level)
    }
}

/// Runs every lint.
pub fn run(kernel: &Kernel, analyses: &Analyses, levels: &Levels) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    for lint in LINTS {
        for Finding { message, span, labels, notes, help } in (lint.check)(kernel, analyses) {
            let (code, level) = (lint.name, levels.of(lint, span));
            let help = Some(help);
            diagnostics.push(Diagnostic { code, level, message, span, labels, notes, help });
        }
    }
    diagnostics
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Id;

    #[test]
    fn the_innermost_level_wins_and_the_later_of_two() {
        let lint = &barriers_in_divergent_flow::LINT;
        let [outer, inner, outside] = [1, 2, 3].map(Span::new);
        let named = |name: &str, level| (name.to_owned(), level);
        let mut levels = Levels::default();
        assert_eq!(levels.of(lint, outer), lint.level);
        levels.kernel = vec![
            named("gpu_barriers_in_divergent_loops", Level::Allow),
            named(lint.name, Level::Allow),
            named(lint.name, Level::Warn),
        ];
        assert_eq!(levels.of(lint, outer), Level::Warn);
        let on = |spans: &[Span], level| (spans.to_vec(), lint.name.to_owned(), level);
        levels.spans = vec![
            on(&[inner], Level::Deny),
            on(&[outer, inner], Level::Deny),
            on(&[outer, inner], Level::Allow),
        ];
        let found = [outer, inner, outside].map(|span| levels.of(lint, span));
        assert_eq!(found, [Level::Allow, Level::Deny, Level::Warn]);
    }

    #[test]
    fn lints_are_listed_by_name_and_named_for_the_device() {
        assert!(names().is_sorted());
        assert!(names().all(|name| name.starts_with("gpu_")));
    }
}
