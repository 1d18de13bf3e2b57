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
    /// Statements in a scope of their own.
    Scope(String),
    Label(Label),
    /// File from 1, line and column.
    Loc([usize; 3]),
}

/// Instructions and labels, in order.
#[derive(Default)]
pub(super) struct Code {
    lines: Vec<Line>,
    targets: BTreeSet<Label>,
    /// The place of the instructions that follow.
    loc: Option<[usize; 3]>,
}

impl Code {
    pub(super) fn push(&mut self, inst: String) {
        self.lines.push(Line::Inst(inst));
    }

    pub(super) fn push_scope(&mut self, statements: String) {
        self.lines.push(Line::Scope(statements));
    }

    pub(super) fn label(&mut self, label: Label) {
        self.lines.push(Line::Label(label));
    }

    /// Sets the place of the instructions that follow; returns the one before.
    pub(super) fn set_loc(&mut self, loc: Option<[usize; 3]>) -> Option<[usize; 3]> {
        let before = std::mem::replace(&mut self.loc, loc);
        if let Some(loc) = loc.filter(|_| loc != before) {
            self.lines.push(Line::Loc(loc));
        }
        before
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
                Line::Scope(statements) => {
                    writeln!(f, "\t{{")?;
                    statements.lines().try_for_each(|line| writeln!(f, "\t{line}"))?;
                    writeln!(f, "\t}}")?;
                }
                Line::Label(label) if self.targets.contains(label) => writeln!(f, "{label}:")?,
                Line::Label(_) => {}
                Line::Loc([file, line, column]) => writeln!(f, "\t.loc {file} {line} {column}")?,
            }
        }
        Ok(())
    }
}
