//! Hoisting of checks above earlier loads, so that the loads of a straight piece stand together.
//!
//! A piece is a run of instructions in one body that no other thread can observe: values, loads,
//! checks, and writes to locals and to the thread's own arrays. In a piece each check moves up,
//! with the pure operations that its operands need, until it stands
//!
//! - behind the check before it, so that the first check that fails stays the same;
//! - behind the last load or `get` that its operands depend on;
//! - behind loads that later checks depend on;
//! - at the start of its batch of [`MAX_BATCHED_LOADS`] loads.
//!
//! Nothing else moves, so loads keep their order, and each stays behind every check that it was
//! behind.
//!
//! ```text
//! %2 = bounds %0, %len            %2 = bounds %0, %len
//! %3 = index %x, %2, 4            %5 = add %0, %one
//! %4 = load %3                    %6 = bounds %5, %len
//! %5 = add %0, %one         =>    %3 = index %x, %2, 4
//! %6 = bounds %5, %len            %4 = load %3
//! %7 = index %x, %6, 4            %7 = index %x, %6, 4
//! %8 = load %7                    %8 = load %7
//! ```
//!
//! A thread whose check fails no longer runs the loads that the check has moved above. That cannot
//! be observed: a load has no effect, and the thread ends before it uses the value. Only the
//! sanitizer tells: a thread that fails a check reads nothing that it would have found fault with
//! just before.
//!
//! Why: a check is a branch, which `ptxas` moves no load above. Between loads, checks make a thread
//! wait for memory once per load; ahead of the loads, once. Neighbouring loads without a check in
//! between also become one request.
use crate::{
    id::Facts,
    ir::{Body, Effect, InstId, Kernel, Op, Space},
};
use std::collections::VecDeque;

/// The most loads that checks make room for at a time. What they load occupies registers all at
/// once, and so do their addresses; 512 threads of a multiprocessor with 16 loads of 4 bytes each
/// already have 32 KiB in flight, which is more than an H100's memory delivers in the time of one
/// load.
const MAX_BATCHED_LOADS: usize = 16;

/// Hoists the checks of `kernel`, whose ids ascend in the order of the text; they do not
/// afterwards.
pub(super) fn hoist_checks(kernel: &mut Kernel) {
    let list = std::mem::take(&mut kernel.body);
    let (fixed, placed) = (last_fixed_operands(kernel), kernel.insts.facts(false));
    let hoisted = Walk { kernel, fixed, placed }.body(&list);
    kernel.body = hoisted;
}

/// Returns for each instruction the last that it depends on, itself included, among those that
/// never move.
fn last_fixed_operands(kernel: &Kernel) -> Facts<InstId, Option<InstId>> {
    let mut fixed = kernel.insts.facts(None);
    for (id, inst) in kernel.insts.iter() {
        fixed[id] = match inst.op.effect() {
            Effect::None | Effect::Fault => {
                inst.op.operands().map(|operand| fixed[operand]).max().flatten()
            }
            Effect::Read | Effect::Write | Effect::Sync | Effect::Control => Some(id),
        };
    }
    fixed
}

/// True if only the thread itself can tell that `id` has run, so that a check may move above it.
fn is_private(kernel: &Kernel, id: InstId) -> bool {
    let op = &kernel.insts[id].op;
    match op.effect() {
        Effect::None | Effect::Read | Effect::Fault => true,
        Effect::Write => {
            let own = |ptr: InstId| kernel.space(ptr) == Some(Space::Local);
            matches!(op, Op::Set { .. }) || matches!(op, Op::Store { ptr, .. } if own(*ptr))
        }
        Effect::Sync | Effect::Control => false,
    }
}

struct Walk<'k> {
    kernel: &'k mut Kernel,
    /// For each instruction, the last that it depends on among those that never move.
    fixed: Facts<InstId, Option<InstId>>,
    /// True for instructions that stand in the new text already.
    placed: Facts<InstId, bool>,
}

impl Walk<'_> {
    fn body(&mut self, list: &Body) -> Body {
        let mut kept = Vec::with_capacity(list.0.len());
        let mut piece = Vec::new();
        for &id in &list.0 {
            if is_private(self.kernel, id) {
                piece.push(id);
                continue;
            }
            self.piece(&piece, &mut kept);
            piece.clear();
            self.place(id, &mut kept);
            if self.kernel.insts[id].op.is_leaf() {
                continue;
            }
            // Taken out while its bodies are walked.
            let mut op = std::mem::replace(&mut self.kernel.insts[id].op, Op::Return);
            for inner in op.bodies_mut() {
                *inner = self.body(inner);
            }
            self.kernel.insts[id].op = op;
        }
        self.piece(&piece, &mut kept);
        Body(kept)
    }

    /// Appends `piece` to `kept`, with each check as far up as it may stand.
    fn piece(&mut self, piece: &[InstId], kept: &mut Vec<InstId>) {
        let mut waiting = self.checks(piece);
        let (mut loads, mut batch_end) = (0, 0);
        for &id in piece {
            if matches!(self.kernel.insts[id].op, Op::Load { .. }) {
                if loads == batch_end {
                    batch_end += MAX_BATCHED_LOADS;
                }
                // A later check waits for this load anyway, so an earlier one may as well.
                let decides = waiting.iter().any(|&(check, _)| self.fixed[check] == Some(id));
                while let Some(&(check, before)) = waiting.front()
                    && !decides
                    && before < batch_end
                    && self.fixed[check] < Some(id)
                {
                    self.place_with_operands(check, kept);
                    waiting.pop_front();
                }
                loads += 1;
            }
            if waiting.front().is_some_and(|&(check, _)| check == id) {
                waiting.pop_front();
            }
            self.place(id, kept);
        }
    }

    /// Returns the checks of `piece`, each with the number of loads before it.
    fn checks(&self, piece: &[InstId]) -> VecDeque<(InstId, usize)> {
        let (mut checks, mut loads) = (VecDeque::new(), 0);
        for &id in piece {
            let op = &self.kernel.insts[id].op;
            loads += usize::from(matches!(op, Op::Load { .. }));
            if op.effect() == Effect::Fault {
                checks.push_back((id, loads));
            }
        }
        checks
    }

    /// Appends `check` to `kept`, behind the pure operations that it needs and that have not been
    /// placed yet.
    fn place_with_operands(&mut self, check: InstId, kept: &mut Vec<InstId>) {
        let first = kept.len();
        self.place(check, kept);
        let mut next = first;
        while let Some(&id) = kept.get(next) {
            let op = &self.kernel.insts[id].op;
            for operand in op.operands() {
                if !std::mem::replace(&mut self.placed[operand], true) {
                    kept.push(operand);
                }
            }
            next += 1;
        }
        // Operands have lower ids than their users.
        kept[first..].sort_unstable();
    }

    /// Appends `id` to `kept`, unless it has been placed.
    fn place(&mut self, id: InstId, kept: &mut Vec<InstId>) {
        if !std::mem::replace(&mut self.placed[id], true) {
            kept.push(id);
        }
    }
}
