//! The lines of a kernel's body, as they are emitted.
use crate::{id::Id, ir::InstId};
use std::{collections::BTreeSet, fmt};

/// A place to branch to: what it is, and the instruction that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Label {
    what: &'static str,
    of: InstId,
}

impl Label {
    /// The `what` of instruction `of`.
    pub(super) const fn of(what: &'static str, of: InstId) -> Self {
        Self { what, of }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}{}", self.what, self.of.index())
    }
}

enum Line {
    Inst(String),
    Label(Label),
}

/// Instructions and labels, in order.
#[derive(Default)]
pub(super) struct Code {
    lines: Vec<Line>,
    targets: BTreeSet<Label>,
}

impl Code {
    pub(super) fn push(&mut self, inst: String) {
        self.lines.push(Line::Inst(inst));
    }

    pub(super) fn label(&mut self, label: Label) {
        self.lines.push(Line::Label(label));
    }

    /// A branch to `to` by every thread that gets here.
    pub(super) fn jump(&mut self, to: Label) {
        self.targets.insert(to);
        self.push(format!("bra.uni {to}"));
    }

    /// A branch to `to` where `guard` (`%p1`, `!%p1`) holds.
    pub(super) fn branch(&mut self, guard: impl fmt::Display, to: Label) {
        self.targets.insert(to);
        self.push(format!("@{guard} bra {to}"));
    }
}

impl fmt::Display for Code {
    /// Labels that nothing branches to are left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.lines {
            match line {
                Line::Inst(inst) => writeln!(f, "\t{inst};")?,
                Line::Label(label) if self.targets.contains(label) => writeln!(f, "{label}:")?,
                Line::Label(_) => {}
            }
        }
        Ok(())
    }
}
