//! Steps that check accesses, before those that make them.
use super::Emitter;
use crate::{
    bytecode::{AccessKind, Address, Choice, Operand, Request, Site, Step, When},
    vector::registers::Reg,
};
use warpwise_compiler::{
    hardware::Kind,
    ir::{InstId, Op, Order, Scope, Space, Ty},
};

impl Emitter<'_> {
    /// Has the access that comes next checked, if others may make it, too. A store writes `value`.
    pub(super) fn watch(
        &mut self,
        id: InstId,
        ptr: InstId,
        at: Address<Operand>,
        value: Option<Reg>,
    ) {
        let is_shared = match self.kernel.space(ptr) {
            Some(Space::Shared) => true,
            Some(Space::Global) => false,
            Some(Space::Local) | None => return,
        };
        if !self.watching {
            return;
        }
        let op = &self.kernel.insts[id].op;
        let (kind, atomic, accessed) = if let Op::Store { value, .. } = op {
            (AccessKind::Write, None, *value)
        } else if let Op::AtomicLoad { order, scope, .. } = op {
            (AccessKind::AtomicRead, Some((*order, *scope)), id)
        } else if let Op::AtomicStore { value, order, scope, .. } = op {
            (AccessKind::AtomicWrite, Some((*order, *scope)), *value)
        } else if let Op::Atomic { order, scope, .. } | Op::CompareExchange { order, scope, .. } =
            op
        {
            (AccessKind::AtomicWrite, Some((*order, *scope)), id)
        } else {
            (AccessKind::Read, None, id)
        };
        let bytes = match self.kernel.insts[accessed].ty {
            Ty::Scalar(scalar) => scalar.size().unwrap_or(1),
            Ty::Ptr(_) | Ty::Unit => 8,
        };
        let reads = !matches!(op, Op::Store { .. } | Op::AtomicStore { .. });
        let buffer = self.kernel.root(ptr).map(|root| self.buffer(root));
        let site = self.code.sites.len() as u32;
        let span = self.span;
        self.code.sites.push(Site {
            kind,
            reads,
            is_shared,
            bytes,
            at,
            buffer,
            value,
            atomic,
            span,
        });
        let phases = 1;
        let request = Request { kind: Kind::Load, is_shared, bytes, at, ptr, phases };
        self.code.counted.requests.push(request);
        self.step(Step::Watch { site });
        if atomic.is_some_and(|(order, _)| order != Order::Relaxed) {
            self.synchronizes();
        }
        // What threads do with a value that depends on who comes first, as the last block does that comes, would be reported
        // otherwise each time.
        let is_used = |id: InstId| {
            self.kernel.insts.iter().any(|(_, inst)| inst.op.operands().any(|used| used == id))
        };
        self.code.alone |= atomic.is_some() && !is_shared && reads && is_used(id);
    }

    /// Has the fence that comes next noted.
    pub(super) fn watch_fence(&mut self, scope: Scope) {
        if self.watching {
            self.step(Step::WatchFence { scope });
            self.synchronizes();
        }
    }

    /// One worker runs all blocks of what orders them, so that what happens first is looked at first.
    fn synchronizes(&mut self) {
        (self.code.alone, self.code.synchronizes) = (true, true);
    }

    /// Has undefined values followed up to a step that does something else than computing.
    pub(super) fn follow_before(&mut self, step: &Step) {
        if !self.watching {
            return;
        }
        if computes(step) {
            return;
        }
        // What needs a value to be defined is looked at, too.
        let needs = matches!(
            step,
            Step::If { .. }
                | Step::JumpUnless { .. }
                | Step::Leave { when: When::If(_) | When::Unless(_), .. }
                | Step::Next { .. }
                | Step::Bounds { .. }
                | Step::Check { .. }
                | Step::ActiveMask { .. }
                | Step::Warp { .. }
                | Step::LoadLocal { .. }
                | Step::StoreLocal { .. }
        );
        if needs {
            self.follow();
        } else {
            self.follow_pending();
        }
    }

    /// Notes how the next step chooses among its operands, if it does: what it makes of undefined ones is looked at alone.
    pub(super) fn choose(&mut self, choice: Option<Choice>) {
        if let Some(choice) = choice
            && self.watching
        {
            self.follow();
            self.code.choices.push((self.code.steps.len() as u32, choice));
        }
    }

    /// Behind a step that is no computation, others begin.
    pub(super) fn follow_from(&mut self, step: &Step) {
        let computes = computes(step);
        let here = self.code.steps.len() as u32;
        let chose = self.code.choices.last().is_some_and(|(at, _)| *at == here - 1);
        if !computes || chose {
            self.followed = here;
        }
    }

    /// Has undefined values followed through the last steps, if these compute something.
    pub(super) fn follow_pending(&mut self) {
        if self.watching && (self.followed as usize) < self.code.steps.len() {
            self.follow();
        }
    }

    fn follow(&mut self) {
        let from = self.followed;
        self.push(Step::Follow { from });
        self.followed = self.code.steps.len() as u32;
    }
}

/// Whether a step computes something and does nothing else.
fn computes(step: &Step) -> bool {
    matches!(
        step,
        Step::Map { .. }
            | Step::MapWithOne { .. }
            | Step::Uniform { .. }
            | Step::Integer { .. }
            | Step::Splat { .. }
            | Step::Spread { .. }
            | Step::Compare { .. }
            | Step::Set { .. }
    )
}
