//! Diagnostics: data first; rendering is the caller's job.
use crate::ir::Span;

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Not shown.
    Allow,
    /// Shown; compilation continues.
    Warn,
    /// Shown; compilation stops.
    Deny,
}

impl Level {
    /// Returns the name in attributes and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Warn => "warn",
            Self::Deny => "deny",
        }
    }
}

/// One message to the user: lower case, no full stop, code in backticks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The lint's name as in `#[allow(..)]`, e.g. `gpu_barriers_in_divergent_flow`.
    pub code: &'static str,
    /// The severity.
    pub level: Level,
    /// The fact, with numbers.
    pub message: String,
    /// The place of the fault.
    pub span: Span,
    /// Places that explain the fault, from the effect to its cause.
    pub labels: Vec<(Span, String)>,
    /// Further premises, such as an assumption.
    pub notes: Vec<String>,
    /// The remedy.
    pub help: Option<String>,
}

/// All diagnostics about one kernel, in the order found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl Diagnostics {
    /// Adds a diagnostic, unless its level is [`Level::Allow`].
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if diagnostic.level > Level::Allow {
            self.0.push(diagnostic);
        }
    }
    /// Returns true if compilation must stop.
    pub fn has_errors(&self) -> bool {
        self.0.iter().any(|diagnostic| diagnostic.level == Level::Deny)
    }
}
