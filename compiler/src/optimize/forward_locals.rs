//! Lets a `get` take the value that the local was last set to, where that is known.
//!
//! A value is known from a `set` or `get` on, in the same body and what it holds, until
//! the local is set elsewhere: in a loop, at its start if it is set anywhere in it; behind an
//! `if`, unless both arms agree.
//!
//! Why: the front end makes a local of each `let mut` and of each `if` that yields a
//! value. Other passes look through values only, and would see nothing behind a `get`.
use super::replace::Replacements;
use crate::{
    id::{Facts, Lists},
    ir::{Body, InstId, Kernel, LocalId, Op},
};

/// Forwards what is known. Gets that nothing uses any more, and their sets, stay in place.
pub(super) fn forward_locals(kernel: &mut Kernel) {
    if kernel.locals.is_empty() {
        return;
    }
    let mut sets = kernel.insts.lists();
    set_inside(kernel, &kernel.body, &mut sets);
    let list = std::mem::take(&mut kernel.body);
    let (values, known) = (Replacements::new(kernel), kernel.locals.facts(None));
    Walk { kernel, sets: &sets, values, known, undo: Vec::new() }.body(&list);
    kernel.body = list;
}

/// The locals that `list` sets; notes, for each instruction, those that its bodies set.
fn set_inside(kernel: &Kernel, list: &Body, sets: &mut Lists<InstId, LocalId>) -> Vec<LocalId> {
    let mut here = Vec::new();
    for &id in &list.0 {
        let op = &kernel.insts[id].op;
        if let Op::Set { local, .. } = op {
            here.push(*local);
        }
        if op.is_leaf() {
            continue;
        }
        let mut inside = Vec::new();
        op.bodies().for_each(|inner| inside.extend(set_inside(kernel, inner, sets)));
        inside.sort_unstable();
        inside.dedup();
        here.extend_from_slice(&inside);
        *sets.list(id) = inside;
    }
    here.sort_unstable();
    here.dedup();
    here
}

struct Walk<'k> {
    kernel: &'k mut Kernel,
    sets: &'k Lists<InstId, LocalId>,
    values: Replacements,
    /// The value of a local, if it is known here.
    known: Facts<LocalId, Option<InstId>>,
    /// What `known` was, for each change.
    undo: Vec<(LocalId, Option<InstId>)>,
}

impl Walk<'_> {
    fn body(&mut self, list: &Body) {
        for &id in &list.0 {
            self.inst(id);
        }
    }

    fn inst(&mut self, id: InstId) {
        let op = &mut self.kernel.insts[id].op;
        self.values.apply(op);
        if let Op::Set { local, value } = *op {
            return self.learn(local, Some(value));
        }
        if let Op::Get(local) = *op {
            return match self.known[local] {
                Some(value) => self.values.replace(id, value),
                None => self.learn(local, Some(id)),
            };
        }
        if op.is_leaf() {
            return;
        }
        // Taken out while its bodies are walked.
        let op = std::mem::replace(op, Op::Return);
        if let Op::If { then, other, .. } = &op {
            let arms = [then, other].map(|arm| self.arm(id, arm));
            self.join(id, arms);
        } else if let Op::For { body, .. } | Op::Loop { body } = &op {
            self.forget(id);
            self.scoped(body, |_| ());
        } else if let Op::Block { body } = &op {
            self.scoped(body, |_| ());
            self.forget(id);
        }
        self.kernel.insts[id].op = op;
    }

    fn learn(&mut self, local: LocalId, value: Option<InstId>) {
        self.undo.push((local, self.known[local]));
        self.known[local] = value;
    }

    /// What `id` sets may now be anything.
    fn forget(&mut self, id: InstId) {
        let sets = self.sets;
        for &local in &sets[id] {
            self.learn(local, None);
        }
    }

    /// Walks `body`, asks `end` what is known at its end, and knows what was known before.
    fn scoped<T>(&mut self, body: &Body, end: impl FnOnce(&Self) -> T) -> T {
        let before = self.undo.len();
        self.body(body);
        let result = end(self);
        for (local, value) in self.undo.drain(before..).rev() {
            self.known[local] = value;
        }
        result
    }

    /// What is known at the end of an arm about each local that `id` sets; `None` if control
    /// never gets there.
    fn arm(&mut self, id: InstId, arm: &Body) -> Option<Vec<Option<InstId>>> {
        let known =
            self.scoped(arm, |walk| walk.sets[id].iter().map(|&local| walk.known[local]).collect());
        self.kernel.falls_through(arm).then_some(known)
    }

    fn join(&mut self, id: InstId, arms: [Option<Vec<Option<InstId>>>; 2]) {
        for (i, &local) in self.sets[id].iter().enumerate() {
            let [then, other] = arms.each_ref().map(|arm| arm.as_ref().map(|known| known[i]));
            let agreed = match (then, other) {
                (Some(then), Some(other)) if then == other => then,
                (Some(known), None) | (None, Some(known)) => known,
                (Some(_), Some(_)) | (None, None) => None,
            };
            // What an arm computed is not visible behind it; ids are in order.
            self.learn(local, agreed.filter(|&value| value < id));
        }
    }
}
