//! Contents of locals: the value that was last set, or one for each path of control.
//!
//! A value is known from a `set` on, or from the first `get`, until the local is set elsewhere: in
//! a loop, at its start if the local is set anywhere in it. After an `if` whose arms set a local to
//! different values, both are known, each with the facts of its arm ([`cases`](super::cases)). A
//! `bool` that is false on one path tells which one control took:
//!
//! ```text
//! let inside = if i < n { mask[i] != 0 } else { false };
//! if inside { .. }                                        // i < n
//! ```
use super::{Cause, analyzer::CheckAnalyzer, cases::Case, form::Form};
use crate::{
    id::Facts,
    ir::{Body, InstId, Kernel, LocalId, Op, Scalar, Ty},
};
use std::rc::Rc;

/// Maximum number of facts of an arm that are kept with the values it sets.
const MAX_FACTS_PER_ARM: usize = 12;
/// Maximum depth to which joined values are decomposed.
const MAX_JOIN_DEPTH: u32 = 4;

/// The contents of a local.
#[derive(Clone, Debug)]
enum LocalContent {
    Inst(InstId),
    /// The values to which the arms of an `if` set it.
    Joined(Rc<[Arm; 2]>),
}

/// A value, with the facts where it was set.
#[derive(Clone, Debug)]
struct Arm {
    facts: Rc<[(Form, Option<Cause>)]>,
    value: LocalContent,
}

/// The facts of an arm whose end control reaches, and the locals it sets.
pub(super) type ArmOutcome = Option<(Vec<(Form, Option<Cause>)>, LocalsSet)>;

/// The locals that were set, each once.
#[derive(Debug)]
pub(super) struct LocalsSet(Vec<(LocalId, Option<LocalContent>)>);

impl LocalsSet {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The known contents of locals.
#[derive(Debug)]
pub(super) struct Locals {
    values: Facts<LocalId, Option<LocalContent>>,
    /// The contents before each change, and true if a `set` made the change.
    undo: Vec<(LocalId, Option<LocalContent>, bool)>,
    /// The joined arms behind each `get` of a `bool`.
    joined: Vec<(InstId, Rc<[Arm; 2]>)>,
}

impl Locals {
    pub(super) fn new(kernel: &Kernel) -> Self {
        Self { values: kernel.locals.cloned_facts(None), undo: Vec::new(), joined: Vec::new() }
    }

    /// Returns the number of changes so far.
    pub(super) fn mark(&self) -> usize {
        self.undo.len()
    }

    /// Restores the contents at `mark`.
    pub(super) fn forget_since(&mut self, mark: usize) {
        for (local, value, _) in self.undo.drain(mark..).rev() {
            self.values[local] = value;
        }
    }

    /// Returns the locals set since `mark`.
    pub(super) fn set_since(&self, mark: usize) -> LocalsSet {
        let mut set: Vec<(LocalId, Option<LocalContent>)> = Vec::new();
        for &(local, _, is_set) in &self.undo[mark..] {
            if is_set && !set.iter().any(|(other, _)| *other == local) {
                set.push((local, self.values[local].clone()));
            }
        }
        LocalsSet(set)
    }

    /// Records a `set` of `local`.
    pub(super) fn record_set(&mut self, local: LocalId, value: InstId) {
        self.change_content(local, Some(LocalContent::Inst(value)));
    }

    fn change_content(&mut self, local: LocalId, value: Option<LocalContent>) {
        let before = std::mem::replace(&mut self.values[local], value);
        self.undo.push((local, before, true));
    }

    /// Records that `local`, of unknown content, holds the result of this `get`.
    fn name_content(&mut self, local: LocalId, get: InstId) {
        let before = self.values[local].replace(LocalContent::Inst(get));
        self.undo.push((local, before, false));
    }

    /// Forgets every local that is set anywhere in `body`.
    pub(super) fn forget_set_in(&mut self, kernel: &Kernel, body: &Body) {
        for &id in &body.0 {
            let op = &kernel.insts[id].op;
            if let Op::Set { local, .. } = *op {
                if self.values[local].is_some() {
                    self.change_content(local, None);
                }
            } else if !op.is_leaf() {
                op.bodies().for_each(|inner| self.forget_set_in(kernel, inner));
            }
        }
    }

    /// Joins the contents after both arms of an `if`.
    pub(super) fn join_arms(&mut self, arms: [ArmOutcome; 2]) {
        match arms {
            [None, None] => {}
            [Some((_, set)), None] | [None, Some((_, set))] => {
                for (local, value) in set.0 {
                    self.change_content(local, value);
                }
            }
            [Some((first_facts, first)), Some((second_facts, second))] => {
                let [first_facts, second_facts]: [Rc<[_]>; 2] = [first_facts, second_facts]
                    .map(|facts| facts.into_iter().take(MAX_FACTS_PER_ARM).collect());
                let mut locals: Vec<LocalId> = first.0.iter().map(|(local, _)| *local).collect();
                locals.extend(second.0.iter().map(|(local, _)| *local));
                locals.sort_unstable();
                locals.dedup();
                for local in locals {
                    let value =
                        |set: &LocalsSet| match set.0.iter().find(|(other, _)| *other == local) {
                            Some((_, value)) => value.clone(),
                            None => self.values[local].clone(),
                        };
                    let joined = match (value(&first), value(&second)) {
                        (Some(LocalContent::Inst(a)), Some(LocalContent::Inst(b))) if a == b => {
                            Some(LocalContent::Inst(a))
                        }
                        (Some(a), Some(b)) => Some(LocalContent::Joined(Rc::new([
                            Arm { facts: first_facts.clone(), value: a },
                            Arm { facts: second_facts.clone(), value: b },
                        ]))),
                        (Some(_) | None, None) | (None, Some(_)) => None,
                    };
                    self.change_content(local, joined);
                }
            }
        }
    }
}

impl CheckAnalyzer<'_> {
    /// Records the result of a `get`.
    pub(super) fn record_get(&mut self, id: InstId, local: LocalId) {
        self.forms[id] = self.result_form(id);
        match self.locals.values[local].clone() {
            Some(LocalContent::Inst(value)) if self.forms[value].is_some() => {
                self.forms[id] = self.forms[value].clone();
            }
            Some(LocalContent::Joined(arms)) => {
                if self.kernel.insts[id].ty == Ty::Scalar(Scalar::Bool) {
                    self.locals.joined.push((id, arms));
                } else if let Some(atom) = self.forms[id].as_ref().and_then(Form::as_atom) {
                    let mut cases = Vec::new();
                    if self.cases_of(&arms, &[], MAX_JOIN_DEPTH, &mut cases).is_some() {
                        self.cases.add_cases(atom, cases);
                    }
                }
            }
            Some(LocalContent::Inst(_)) => {}
            None => self.locals.name_content(local, id),
        }
    }

    fn cases_of(
        &self,
        arms: &[Arm; 2],
        known: &[(Form, Option<Cause>)],
        depth: u32,
        cases: &mut Vec<Case>,
    ) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        for Arm { facts, value } in arms {
            let facts: Vec<_> = known.iter().chain(&**facts).cloned().collect();
            match value {
                LocalContent::Inst(value) => {
                    cases.push(Case { facts, value: self.forms[*value].clone()? });
                }
                LocalContent::Joined(arms) => self.cases_of(arms, &facts, depth, cases)?,
            }
        }
        Some(())
    }

    /// Adds the consequences of `get`, a joined `bool`, being `truth`: if only one arm sets it so,
    /// control went through that one.
    pub(super) fn assume_joined(&mut self, get: InstId, truth: bool, parts: u32) {
        let found = self.locals.joined.iter().find(|(id, _)| *id == get);
        let Some((_, arms)) = found.cloned() else { return };
        let cause = Cause::Guard(get, truth);
        self.assume_arms(&arms, truth, cause, parts);
    }

    fn assume_arms(&mut self, arms: &[Arm; 2], truth: bool, cause: Cause, parts: u32) {
        let Some(parts) = parts.checked_sub(1) else { return };
        let is_possible = |arm: &&Arm| match arm.value {
            LocalContent::Inst(value) => {
                !matches!(self.kernel.insts[value].op, Op::Const(bits) if bits != u64::from(truth))
            }
            LocalContent::Joined(_) => true,
        };
        let mut possible = arms.iter().filter(is_possible);
        let (Some(Arm { facts, value }), None) = (possible.next(), possible.next()) else { return };
        for (form, cause) in &**facts {
            self.known.add_fact(form, *cause);
        }
        match value {
            LocalContent::Inst(value) => self.assume_condition(*value, truth, cause, parts),
            LocalContent::Joined(arms) => self.assume_arms(arms, truth, cause, parts),
        }
    }
}
