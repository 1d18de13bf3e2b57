//! Steps that check accesses, before those that make them.
use super::{Emitter, Request};
use crate::{
    check::{Site, finding::AccessKind},
    code::{Address, Operand, Step},
    registers::Reg,
};
use warpwise_compiler::{
    hardware::Kind,
    ir::{InstId, Op, Space, Ty},
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
        let site = self.code.sites.len() as u32;
        let span = self.span;
        self.code.sites.push(Site { kind, is_shared, bytes, at, value, atomic, span });
        let phases = 1;
        let request = Request { kind: Kind::Load, is_shared, bytes, at, ptr, phases };
        self.code.counted.requests.push(request);
        self.step(Step::Watch { site });
    }
}
