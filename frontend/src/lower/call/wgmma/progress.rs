//! Products in progress: hardware reads their factors in registers and writes their sums at any
//! time until a wait, so nothing else may access these.
//!
//! A walk over the kernel with the products that may be in progress at each instruction. A wait is
//! for all products but the last ones, whichever sums it names.
use std::collections::BTreeMap;
use warpwise_compiler::ir::{ArrayId, Extent, InstId, Kernel, MatrixOp, Op, Root, Span};

/// The mistakes of a kernel.
#[derive(Default)]
pub(super) struct ProgressErrors {
    /// Accesses to sums in progress.
    pub(super) accesses: Vec<Span>,
    /// Products whose factor in registers may still be read by the same product of an earlier
    /// round.
    pub(super) factors: Vec<Span>,
    /// Products that may be in progress when a thread ends.
    pub(super) unwaited: Vec<Span>,
}

/// The products that may be in progress, each with the least number of products that have begun
/// since.
type State = BTreeMap<InstId, u64>;

/// Finds the mistakes of `kernel`, whose own body is `list`.
pub(super) fn check(kernel: &Kernel, list: &[InstId]) -> ProgressErrors {
    let (state, left) = (State::new(), BTreeMap::new());
    let mut walk = Walk { kernel, state, left, errors: ProgressErrors::default() };
    walk.body(list);
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
    fn body(&mut self, list: &[InstId]) {
        list.iter().for_each(|id| self.inst(*id));
    }

    fn inst(&mut self, id: InstId) {
        let inst = &self.kernel.insts[id];
        match &inst.op {
            Op::Matrix(MatrixOp::Wgmma { op, .. }) => {
                if op.a.is_none() && self.state.contains_key(&id) {
                    add(&mut self.errors.factors, inst.span);
                }
                self.state.values_mut().for_each(|followers| *followers += 1);
                self.state.insert(id, 0);
            }
            Op::Matrix(MatrixOp::WgmmaWait { pending: Extent::Const(pending), .. }) => {
                self.state.retain(|_, followers| *followers < *pending);
            }
            Op::Load { ptr, .. } | Op::Store { ptr, .. } => {
                if let Some(Root::Array(array)) = self.kernel.root(*ptr)
                    && self.is_in_progress(array)
                {
                    add(&mut self.errors.accesses, inst.span);
                }
            }
            Op::If { then, other, .. } => {
                let before = self.state.clone();
                self.body(&then.0);
                let after = std::mem::replace(&mut self.state, before);
                self.body(&other.0);
                join(&mut self.state, after);
            }
            Op::For { body, .. } | Op::Loop { body } => {
                // The second round begins with the products of the first one.
                for _ in 0..2 {
                    let before = self.state.clone();
                    self.body(&body.0);
                    join(&mut self.state, before);
                    self.join_left(id);
                }
            }
            Op::Block { body } => {
                self.body(&body.0);
                self.join_left(id);
            }
            Op::Break(target) | Op::Continue(target) => {
                join(self.left.entry(*target).or_default(), self.state.clone());
            }
            Op::Return => self.end(),
            _ => {}
        }
    }

    /// True if a product that writes an array may be in progress.
    fn is_in_progress(&self, array: ArrayId) -> bool {
        self.state.keys().any(|product| match &self.kernel.insts[*product].op {
            Op::Matrix(MatrixOp::Wgmma { args, .. }) => {
                self.kernel.root(args[0]) == Some(Root::Array(array))
            }
            _ => false,
        })
    }

    fn join_left(&mut self, id: InstId) {
        join(&mut self.state, self.left.remove(&id).unwrap_or_default());
    }

    fn end(&mut self) {
        let spans = self.state.keys().map(|product| self.kernel.insts[*product].span);
        spans.for_each(|span| add(&mut self.errors.unwaited, span));
    }
}

fn add(spans: &mut Vec<Span>, span: Span) {
    if !spans.contains(&span) {
        spans.push(span);
    }
}

/// Adds what may be in progress in another state.
fn join(state: &mut State, other: State) {
    for (product, followers) in other {
        let known = state.entry(product).or_insert(followers);
        *known = followers.min(*known);
    }
}
