//! Steps that check accesses, before those that make them.
use super::Emitter;
use crate::{
    bytecode::{AccessKind, Address, Instr, Operand, OperandChoice, Request, Site, When},
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
        self.step(Instr::CheckAccess { site });
        if atomic.is_some_and(|(order, _)| order != Order::Relaxed) {
            self.synchronizes();
        }
        // What threads do with a value that depends on who comes first, as the last block does that comes, would be reported
        // otherwise each time.
        let is_used = |id: InstId| {
            self.kernel.insts.iter().any(|(_, inst)| inst.op.operands().any(|used| used == id))
        };
        self.code.single_worker |= atomic.is_some() && !is_shared && reads && is_used(id);
    }

    /// Has the fence that comes next noted.
    pub(super) fn watch_fence(&mut self, scope: Scope) {
        if self.watching {
            self.step(Instr::CheckFence { scope });
            self.synchronizes();
        }
    }

    /// One worker runs all blocks of what orders them, so that what happens first is looked at first.
    fn synchronizes(&mut self) {
        (self.code.single_worker, self.code.synchronizes) = (true, true);
    }

    /// Has undefined values followed up to a step that does something else than computing.
    pub(super) fn follow_before(&mut self, step: &Instr) {
        if !self.watching {
            return;
        }
        if computes(step) {
            return;
        }
        // What needs a value to be defined is looked at, too.
        let needs = matches!(
            step,
            Instr::If { .. }
                | Instr::JumpUnless { .. }
                | Instr::Leave { when: When::If(_) | When::Unless(_), .. }
                | Instr::NextIteration { .. }
                | Instr::Bounds { .. }
                | Instr::Check { .. }
                | Instr::ActiveMask { .. }
                | Instr::Warp { .. }
                | Instr::LoadLocal { .. }
                | Instr::StoreLocal { .. }
        );
        if needs {
            self.follow();
        } else {
            self.follow_pending();
        }
    }

    /// Notes how the next step chooses among its operands, if it does: what it makes of undefined ones is looked at alone.
    pub(super) fn choose(&mut self, choice: Option<OperandChoice>) {
        if let Some(choice) = choice
            && self.watching
        {
            self.follow();
            self.code.choices.push((self.code.instrs.len() as u32, choice));
        }
    }

    /// Behind a step that is no computation, others begin.
    pub(super) fn follow_from(&mut self, step: &Instr) {
        let computes = computes(step);
        let here = self.code.instrs.len() as u32;
        let chose = self.code.choices.last().is_some_and(|(at, _)| *at == here - 1);
        if !computes || chose {
            self.followed = here;
        }
    }

    /// Has undefined values followed through the last steps, if these compute something.
    pub(super) fn follow_pending(&mut self) {
        if self.watching && (self.followed as usize) < self.code.instrs.len() {
            self.follow();
        }
    }

    fn follow(&mut self) {
        let from = self.followed;
        self.push(Instr::TrackUndefined { from });
        self.followed = self.code.instrs.len() as u32;
    }
}

/// Whether a step computes something and does nothing else.
fn computes(step: &Instr) -> bool {
    matches!(
        step,
        Instr::Map { .. }
            | Instr::MapWithOne { .. }
            | Instr::Uniform { .. }
            | Instr::Integer { .. }
            | Instr::Splat { .. }
            | Instr::Spread { .. }
            | Instr::Compare { .. }
            | Instr::Set { .. }
    )
}
