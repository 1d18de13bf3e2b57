//! Diagnostics: data first; rendering is the caller's job.
use crate::ir::Span;

/// How serious a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Not shown.
    Allow,
    /// Shown; compilation goes on.
    Warn,
    /// Shown; compilation stops.
    Deny,
}

/// One message to the user: lower case, no full stop, code in backticks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Lint name as in `#[allow(..)]`, e.g. `gpu_barriers_in_divergent_flow`.
    pub code: &'static str,
    /// How serious.
    pub level: Level,
    /// The fact, with numbers.
    pub message: String,
    /// Where it goes wrong.
    pub span: Span,
    /// Other places that explain why, from the effect to its cause.
    pub labels: Vec<(Span, String)>,
    /// What else it rests on, such as an assumption.
    pub notes: Vec<String>,
    /// What to do.
    pub help: Option<String>,
}

/// Every message about one kernel, in the order found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl Diagnostics {
    /// Adds one, unless its level is [`Level::Allow`].
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if diagnostic.level > Level::Allow {
            self.0.push(diagnostic);
        }
    }
    /// True if compilation must stop.
    pub fn has_errors(&self) -> bool {
        self.0.iter().any(|diagnostic| diagnostic.level == Level::Deny)
    }
}
