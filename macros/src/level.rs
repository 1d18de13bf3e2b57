//! Which levels lints have in this build, beyond what the source says.
//!
//! `WARPWISE_LINTS=off` shows none, `warn` makes errors warnings and `deny` warnings errors.
//! In a dependency a lint never stops the build: whoever builds it cannot change it.
use std::env;
use warpwise_compiler::{
    diag::Level,
    lint::{LINTS, Levels},
};

/// How a build changes what the source says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    /// Not at all.
    AsWritten,
    /// No lints.
    Off,
    /// No errors.
    Warn,
    /// No warnings: errors.
    Deny,
}

impl Policy {
    /// What this build asks for. In a test of this crate, nothing.
    pub(crate) fn of_build() -> Self {
        if !proc_macro::is_available() {
            return Self::AsWritten;
        }
        // Without cargo, what is compiled is what is worked on.
        let is_set = |name| env::var_os(name).is_some();
        let dependency = is_set("CARGO") && !is_set("CARGO_PRIMARY_PACKAGE");
        Self::new(env::var("WARPWISE_LINTS").ok().as_deref(), dependency)
    }

    fn new(variable: Option<&str>, dependency: bool) -> Self {
        match (variable, dependency) {
            (Some("off"), _) => Self::Off,
            (Some("warn"), _) | (_, true) => Self::Warn,
            (Some("deny"), false) => Self::Deny,
            (_, false) => Self::AsWritten,
        }
    }

    fn apply(self, level: Level) -> Level {
        match (self, level) {
            (Self::AsWritten, level) => level,
            (Self::Off, _) => Level::Allow,
            (Self::Warn, level) => level.min(Level::Warn),
            (Self::Deny, Level::Warn) => Level::Deny,
            (Self::Deny, level @ (Level::Allow | Level::Deny)) => level,
        }
    }

    /// `levels`, changed.
    pub(crate) fn levels(self, levels: &Levels) -> Levels {
        let own = LINTS.iter().map(|lint| (lint.name.to_owned(), self.apply(lint.level)));
        let kernel = levels.kernel.iter().map(|(name, level)| (name.clone(), self.apply(*level)));
        let spans = levels.spans.iter();
        let spans = spans.map(|(at, name, level)| (at.clone(), name.clone(), self.apply(*level)));
        Levels { kernel: own.chain(kernel).collect(), spans: spans.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_only_warn() {
        assert_eq!(Policy::new(None, false), Policy::AsWritten);
        assert_eq!(Policy::new(None, true), Policy::Warn);
        assert_eq!(Policy::new(Some("deny"), true), Policy::Warn);
        assert_eq!(Policy::new(Some("off"), true), Policy::Off);
        assert_eq!(Policy::new(Some("deny"), false), Policy::Deny);
    }

    #[test]
    fn a_policy_changes_every_level() {
        use Level::{Allow, Deny, Warn};
        let change = |policy: Policy| [Allow, Warn, Deny].map(|level| policy.apply(level));
        assert_eq!(change(Policy::AsWritten), [Allow, Warn, Deny]);
        assert_eq!(change(Policy::Off), [Allow, Allow, Allow]);
        assert_eq!(change(Policy::Warn), [Allow, Warn, Warn]);
        assert_eq!(change(Policy::Deny), [Allow, Deny, Deny]);
    }

    #[test]
    fn levels_in_the_source_are_capped_too() {
        let name = LINTS[0].name.to_owned();
        let span = <warpwise_compiler::ir::Span as warpwise_compiler::id::Id>::new(0);
        let written = Levels {
            kernel: vec![(name.clone(), Level::Deny)],
            spans: vec![(vec![span], name, Level::Deny)],
        };
        let capped = Policy::Warn.levels(&written);
        for lint in LINTS {
            assert!(capped.of(lint, span) <= Level::Warn, "{}", lint.name);
        }
    }
}
