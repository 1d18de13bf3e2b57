//! The sums of products in progress: hardware writes them at any time until a wait, so nothing else may
//! read or write them.
//!
//! A walk over the kernel with the arrays whose products may be in progress at each instruction. Waits
//! are for all products, whichever array they name.
use std::collections::BTreeMap;
use warpwise_compiler::{
    id::Facts,
    ir::{ArrayId, Body, Extent, InstId, Kernel, Op, Root, Span},
};

/// The mistakes of a kernel.
#[derive(Default)]
pub(super) struct ProgressErrors {
    /// Accesses to sums in progress.
    pub(super) accesses: Vec<Span>,
    /// Products that may be in progress when a thread ends.
    pub(super) unwaited: Vec<Span>,
}

/// For each array, a product that may be in progress.
type State = Facts<ArrayId, Option<Span>>;

/// Finds the mistakes of `kernel`.
pub(super) fn check(kernel: &Kernel) -> ProgressErrors {
    let none = kernel.arrays.cloned_facts(None);
    let mut walk =
        Walk { kernel, state: none, left: BTreeMap::new(), errors: ProgressErrors::default() };
    walk.body(&kernel.body);
    walk.end();
    walk.errors
}

struct Walk<'k> {
    kernel: &'k Kernel,
    state: State,
    /// The states at the jumps out of an instruction, or to the next round of it.
    left: BTreeMap<InstId, State>,
    errors: ProgressErrors,
}

impl Walk<'_> {
    fn body(&mut self, Body(list): &Body) {
        list.iter().for_each(|id| self.inst(*id));
    }

    fn inst(&mut self, id: InstId) {
        let inst = &self.kernel.insts[id];
        match &inst.op {
            Op::Wgmma { args, .. } => {
                if let Some(Root::Array(array)) = self.kernel.root(args[0]) {
                    self.state[array] = Some(inst.span);
                }
            }
            Op::WgmmaWait { pending: Extent::Const(0), .. } => {
                self.state = self.kernel.arrays.cloned_facts(None);
            }
            Op::Load { ptr, .. } | Op::Store { ptr, .. } => {
                let is_in_progress = match self.kernel.root(*ptr) {
                    Some(Root::Array(array)) => self.state[array].is_some(),
                    Some(Root::Param(_) | Root::Shared(_)) | None => false,
                };
                if is_in_progress && !self.errors.accesses.contains(&inst.span) {
                    self.errors.accesses.push(inst.span);
                }
            }
            Op::If { then, other, .. } => {
                let before = self.state.clone();
                self.body(then);
                let after = std::mem::replace(&mut self.state, before);
                self.body(other);
                self.join(&after);
            }
            Op::For { body, .. } | Op::Loop { body } => {
                // The second round begins with the products of the first one.
                for _ in 0..2 {
                    let before = self.state.clone();
                    self.body(body);
                    self.join(&before);
                    self.join_left(id);
                }
            }
            Op::Block { body } => {
                self.body(body);
                self.join_left(id);
            }
            Op::Break(target) | Op::Continue(target) => {
                let state = self.state.clone();
                match self.left.get_mut(target) {
                    Some(left) => join(self.kernel, left, &state),
                    None => drop(self.left.insert(*target, state)),
                }
            }
            Op::Return => self.end(),
            _ => {}
        }
    }

    fn join(&mut self, other: &State) {
        join(self.kernel, &mut self.state, other);
    }

    fn join_left(&mut self, id: InstId) {
        if let Some(left) = self.left.remove(&id) {
            self.join(&left);
        }
    }

    fn end(&mut self) {
        for array in self.kernel.arrays.ids() {
            if let Some(span) = self.state[array]
                && !self.errors.unwaited.contains(&span)
            {
                self.errors.unwaited.push(span);
            }
        }
    }
}

/// Adds what may be in progress in another state.
fn join(kernel: &Kernel, state: &mut State, other: &State) {
    for array in kernel.arrays.ids() {
        state[array] = state[array].or(other[array]);
    }
}
