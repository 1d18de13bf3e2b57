//! The contents of locals: the value that was last set, or one for each way on which control came.
//!
//! A value is known from a `set` on, or from the first `get`, until the local is set elsewhere: in a loop, at its start if
//! it is set anywhere in it. After an `if` whose arms set a local to different values, both are known, each with the facts
//! of its arm ([`cases`](super::cases)). A `bool` that is false on one way tells which one control took:
//!
//! ```text
//! let inside = if i < n { mask[i] != 0 } else { false };
//! if inside { .. }                                        // i < n
//! ```
use super::{Cause, cases::Case, form::Form, walk::Walk};
use crate::{
    id::Facts,
    ir::{Body, InstId, Kernel, LocalId, Op, Scalar, Ty},
};
use std::rc::Rc;

/// Facts of an arm that are kept for what it sets.
const MAX_FACTS: usize = 12;
/// The depth to which joined values are taken apart.
const MAX_DEPTH: u32 = 4;

/// The contents of a local.
#[derive(Clone, Debug)]
enum Value {
    Inst(InstId),
    /// The values that the arms of an `if` set it to.
    Joined(Rc<[Arm; 2]>),
}

/// A value, and what is known where it was set.
#[derive(Clone, Debug)]
struct Arm {
    facts: Rc<[(Form, Option<Cause>)]>,
    value: Value,
}

/// The facts of an arm through which control falls, and what it sets.
pub(super) type Outcome = Option<(Vec<(Form, Option<Cause>)>, Set)>;

/// The locals that were set, each once.
#[derive(Debug)]
pub(super) struct Set(Vec<(LocalId, Option<Value>)>);

impl Set {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The known contents of locals.
#[derive(Debug)]
pub(super) struct Locals {
    values: Facts<LocalId, Option<Value>>,
    /// The contents before each change, and whether a `set` made it.
    undo: Vec<(LocalId, Option<Value>, bool)>,
    /// The arms that a `get` of a `bool` joins.
    joined: Vec<(InstId, Rc<[Arm; 2]>)>,
}

impl Locals {
    pub(super) fn new(kernel: &Kernel) -> Self {
        Self { values: kernel.locals.clones(None), undo: Vec::new(), joined: Vec::new() }
    }

    /// The number of changes so far.
    pub(super) fn mark(&self) -> usize {
        self.undo.len()
    }

    /// Knows what was known at a mark.
    pub(super) fn forget_since(&mut self, mark: usize) {
        for (local, value, _) in self.undo.drain(mark..).rev() {
            self.values[local] = value;
        }
    }

    /// Returns the locals that were set since a mark.
    pub(super) fn since(&self, mark: usize) -> Set {
        let mut set: Vec<(LocalId, Option<Value>)> = Vec::new();
        for &(local, _, is_set) in &self.undo[mark..] {
            if is_set && !set.iter().any(|(other, _)| *other == local) {
                set.push((local, self.values[local].clone()));
            }
        }
        Set(set)
    }

    /// Notes that `local` was set.
    pub(super) fn set(&mut self, local: LocalId, value: InstId) {
        self.learn(local, Some(Value::Inst(value)));
    }

    fn learn(&mut self, local: LocalId, value: Option<Value>) {
        let before = std::mem::replace(&mut self.values[local], value);
        self.undo.push((local, before, true));
    }

    /// Notes that `local`, of which nothing is known, holds what this `get` yields.
    fn name(&mut self, local: LocalId, get: InstId) {
        let before = self.values[local].replace(Value::Inst(get));
        self.undo.push((local, before, false));
    }

    /// Forgets what is set anywhere in `body`.
    pub(super) fn forget_set_in(&mut self, kernel: &Kernel, body: &Body) {
        for &id in &body.0 {
            let op = &kernel.insts[id].op;
            if let Op::Set { local, .. } = *op {
                if self.values[local].is_some() {
                    self.learn(local, None);
                }
            } else if !op.is_leaf() {
                op.bodies().for_each(|inner| self.forget_set_in(kernel, inner));
            }
        }
    }

    /// Joins the contents after both arms of an `if`.
    pub(super) fn join(&mut self, arms: [Outcome; 2]) {
        match arms {
            [None, None] => {}
            [Some((_, set)), None] | [None, Some((_, set))] => {
                for (local, value) in set.0 {
                    self.learn(local, value);
                }
            }
            [Some((first_facts, first)), Some((second_facts, second))] => {
                let [first_facts, second_facts]: [Rc<[_]>; 2] = [first_facts, second_facts]
                    .map(|facts| facts.into_iter().take(MAX_FACTS).collect());
                let mut locals: Vec<LocalId> = first.0.iter().map(|(local, _)| *local).collect();
                locals.extend(second.0.iter().map(|(local, _)| *local));
                locals.sort_unstable();
                locals.dedup();
                for local in locals {
                    let value = |set: &Set| match set.0.iter().find(|(other, _)| *other == local) {
                        Some((_, value)) => value.clone(),
                        None => self.values[local].clone(),
                    };
                    let joined = match (value(&first), value(&second)) {
                        (Some(Value::Inst(a)), Some(Value::Inst(b))) if a == b => {
                            Some(Value::Inst(a))
                        }
                        (Some(a), Some(b)) => Some(Value::Joined(Rc::new([
                            Arm { facts: first_facts.clone(), value: a },
                            Arm { facts: second_facts.clone(), value: b },
                        ]))),
                        (Some(_) | None, None) | (None, Some(_)) => None,
                    };
                    self.learn(local, joined);
                }
            }
        }
    }
}

impl Walk<'_> {
    /// Notes what a `get` yields.
    pub(super) fn get(&mut self, id: InstId, local: LocalId) {
        self.forms[id] = self.form(id);
        match self.locals.values[local].clone() {
            Some(Value::Inst(value)) if self.forms[value].is_some() => {
                self.forms[id] = self.forms[value].clone();
            }
            Some(Value::Joined(arms)) => {
                if self.kernel.insts[id].ty == Ty::Scalar(Scalar::Bool) {
                    self.locals.joined.push((id, arms));
                } else if let Some(atom) = self.forms[id].as_ref().and_then(Form::as_atom) {
                    let mut cases = Vec::new();
                    if self.cases_of(&arms, &[], MAX_DEPTH, &mut cases).is_some() {
                        self.cases.add(atom, cases);
                    }
                }
            }
            Some(Value::Inst(_)) => {}
            None => self.locals.name(local, id),
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
                Value::Inst(value) => {
                    cases.push(Case { facts, value: self.forms[*value].clone()? });
                }
                Value::Joined(arms) => self.cases_of(arms, &facts, depth, cases)?,
            }
        }
        Some(())
    }

    /// Adds what follows from `get`, a joined `bool`, being `truth`: if only one arm sets it to that, control went through
    /// that one.
    pub(super) fn assume_joined(&mut self, get: InstId, truth: bool, parts: u32) {
        let found = self.locals.joined.iter().find(|(id, _)| *id == get);
        let Some((_, arms)) = found.cloned() else { return };
        let cause = Cause::Guard(get, truth);
        self.assume_arms(&arms, truth, cause, parts);
    }

    fn assume_arms(&mut self, arms: &[Arm; 2], truth: bool, cause: Cause, parts: u32) {
        let Some(parts) = parts.checked_sub(1) else { return };
        let is_possible = |arm: &&Arm| match arm.value {
            Value::Inst(value) => {
                !matches!(self.kernel.insts[value].op, Op::Const(bits) if bits != u64::from(truth))
            }
            Value::Joined(_) => true,
        };
        let mut possible = arms.iter().filter(is_possible);
        let (Some(Arm { facts, value }), None) = (possible.next(), possible.next()) else { return };
        for (form, cause) in &**facts {
            self.known.add(form, *cause);
        }
        match value {
            Value::Inst(value) => self.assume(*value, truth, cause, parts),
            Value::Joined(arms) => self.assume_arms(arms, truth, cause, parts),
        }
    }
}
