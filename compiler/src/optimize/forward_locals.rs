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
    id::Facts,
    ir::{Body, InstId, Kernel, LocalId, Op},
};

/// Forwards what is known. Gets that nothing uses any more, and their sets, stay in place.
pub(super) fn forward_locals(kernel: &mut Kernel) {
    if kernel.locals.is_empty() {
        return;
    }
    let sets = Sets::of(kernel);
    let list = std::mem::take(&mut kernel.body);
    let (values, known) = (Replacements::new(kernel), kernel.locals.facts(None));
    Walk { kernel, sets: &sets, values, known, undo: Vec::new() }.body(&list);
    kernel.body = list;
}

/// The locals set in the bodies of each instruction: a part of one list, in which a local may occur
/// more than once.
struct Sets {
    all: Vec<LocalId>,
    inside: Facts<InstId, (usize, usize)>,
}

impl Sets {
    fn of(kernel: &Kernel) -> Self {
        let mut sets = Self { all: Vec::new(), inside: kernel.insts.facts((0, 0)) };
        sets.note(kernel, &kernel.body);
        sets
    }

    fn note(&mut self, kernel: &Kernel, list: &Body) {
        for &id in &list.0 {
            let op = &kernel.insts[id].op;
            if let Op::Set { local, .. } = op {
                self.all.push(*local);
            } else if !op.is_leaf() {
                let from = self.all.len();
                op.bodies().for_each(|inner| self.note(kernel, inner));
                self.inside[id] = (from, self.all.len());
            }
        }
    }

    fn inside(&self, id: InstId) -> &[LocalId] {
        let (from, end) = self.inside[id];
        &self.all[from..end]
    }
}

struct Walk<'k> {
    kernel: &'k mut Kernel,
    sets: &'k Sets,
    values: Replacements,
    /// The value of a local, if it is known here.
    known: Facts<LocalId, Option<InstId>>,
    /// The old value in `known` of each change.
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

    /// Forgets the values of the locals that `id` sets.
    fn forget(&mut self, id: InstId) {
        let sets = self.sets;
        for &local in sets.inside(id) {
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

    /// Returns the known values at the end of an arm of the locals that `id` sets; `None` if
    /// control never reaches it.
    fn arm(&mut self, id: InstId, arm: &Body) -> Option<Vec<Option<InstId>>> {
        let sets = self.sets.inside(id);
        let known = self.scoped(arm, |walk| sets.iter().map(|&local| walk.known[local]).collect());
        self.kernel.falls_through(arm).then_some(known)
    }

    fn join(&mut self, id: InstId, arms: [Option<Vec<Option<InstId>>>; 2]) {
        for (i, &local) in self.sets.inside(id).iter().enumerate() {
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
