//! Instructions of the sanitizer: access checks, fence checks and the tracking of undefined values.
use super::{Done, Emitter};
use crate::{
    bytecode::{
        AccessKind, Address, AsyncCopy, Instr, Operand, OperandChoice, Request, Site, When,
    },
    vector::registers::Reg,
};
use warpwise_compiler::{
    hardware::Kind,
    ir::{Extent, InstId, Op, Order, Scope, Space, Ty},
};

impl Emitter<'_> {
    /// Emits the check of the access that comes next, if other threads can access the memory, too.
    /// A store writes `value`.
    pub(super) fn emit_access_check(
        &mut self,
        id: InstId,
        ptr: InstId,
        at: Address<Operand>,
        value: Option<Reg>,
    ) {
        if !self.is_checked {
            return;
        }
        let space = self.kernel.space(ptr).filter(|space| *space != Space::Local);
        let Some(space) = space else { return };
        let is_shared = matches!(space, Space::Shared | Space::Cluster);
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
        let (buffer, span) = (self.root_buffer(ptr), self.span);
        let site = Site { kind, reads, is_shared, bytes, at, buffer, value, atomic, span };
        self.emit_site_check(site, ptr);
        if atomic.is_some_and(|(order, _)| order != Order::Relaxed) {
            self.synchronizes();
        }
        // Threads whose actions depend on the order of an atomic's results, such as the last block
        // to arrive, would be reported differently each time.
        let is_used = |id: InstId| {
            self.kernel.insts.iter().any(|(_, inst)| inst.op.operands().any(|used| used == id))
        };
        self.code.single_worker |= atomic.is_some() && !is_shared && reads && is_used(id);
    }

    /// Emits the checks of the write and the read of the asynchronous copy that comes next; returns
    /// their sites.
    pub(super) fn emit_copy_checks(
        &mut self,
        copy: &AsyncCopy,
        [to, from]: [InstId; 2],
    ) -> Option<[u32; 2]> {
        if !self.is_checked {
            return None;
        }
        let (bytes, span) = (copy.bytes, self.span);
        let (value, atomic) = (None, None);
        let (kind, is_shared, reads) = (AccessKind::Read, false, true);
        let (buffer, at) = (self.root_buffer(from), copy.from);
        let read = Site { kind, reads, is_shared, bytes, at, buffer, value, atomic, span };
        let from = self.emit_site_check(read, from);
        let (kind, is_shared, reads) = (AccessKind::Write, true, false);
        let (buffer, at) = (self.root_buffer(to), copy.to);
        let write = Site { kind, reads, is_shared, bytes, at, buffer, value, atomic, span };
        Some([self.emit_site_check(write, to), from])
    }

    /// Emits the check of a wait for products, which are complete when they have begun.
    pub(super) fn emit_products_check(&mut self, pending: u64) {
        if self.is_checked {
            self.emit(Instr::WgmmaWait { pending: pending as u32 });
        }
    }

    /// Returns the number of the site of a product's read of tiles, if it is checked.
    pub(super) fn tile_site(
        &mut self,
        ptr: InstId,
        at: Address<Operand>,
        bytes: u32,
    ) -> Option<u32> {
        if !self.is_checked {
            return None;
        }
        let (kind, is_shared, reads) = (AccessKind::Read, true, true);
        let (buffer, value, atomic, span) = (self.root_buffer(ptr), None, None, self.span);
        let site = Site { kind, reads, is_shared, bytes, at, buffer, value, atomic, span };
        Some(self.add_site(site, Space::Shared, ptr))
    }

    /// Returns the number of the buffer that an address points into, if it is known.
    pub(super) fn root_buffer(&self, ptr: InstId) -> Option<u16> {
        self.kernel.root(ptr).map(|root| self.buffer_number(root))
    }

    /// Emits the check of an access through `ptr`; returns the number of its site.
    pub(super) fn emit_site_check(&mut self, site: Site, ptr: InstId) -> u32 {
        let is_shared = site.is_shared;
        let other = self.kernel.space(ptr).unwrap_or(Space::Global);
        let space = if is_shared && other != Space::Cluster { Space::Shared } else { other };
        let number = self.add_site(site, space, ptr);
        self.emit(Instr::CheckAccess { site: number });
        number
    }

    /// Adds the site of an access whose check the access itself performs.
    pub(super) fn add_site(&mut self, site: Site, space: Space, ptr: InstId) -> u32 {
        let Site { bytes, at, .. } = site;
        let number = self.code.sites.len() as u32;
        self.code.sites.push(site);
        let request = Request { kind: Kind::Load, space, bytes, at, ptr, phases: 1 };
        self.code.counted.requests.push(request);
        number
    }

    /// Emits the check of the fence that comes next.
    pub(super) fn emit_fence_check(&mut self, scope: Scope) {
        if self.is_checked {
            self.emit(Instr::CheckFence { scope });
            self.synchronizes();
        }
    }

    /// Emits the arrival at a named barrier.
    pub(super) fn emit_named_barrier(&mut self, waits: bool, extents: [&Extent; 2]) -> Done {
        let number = |extent: &Extent| extent.known().and_then(|number| u32::try_from(number).ok());
        let [Some(id), Some(threads)] = extents.map(number) else {
            return Err(self.malformed("a generic number"));
        };
        let (id, warps) = (id as u8, (threads / 32) as u8);
        self.code.has_named_barriers = true;
        self.synchronizes();
        self.emit(Instr::NamedBarrier { waits, id, warps });
        Ok(())
    }

    /// Marks code that is checked as ordering its blocks: one worker runs them all, so that
    /// accesses are checked in the order in which they happen.
    pub(super) fn synchronizes(&mut self) {
        if self.is_checked {
            (self.code.single_worker, self.code.synchronizes) = (true, true);
        }
    }

    /// Tracks undefined values up to an instruction that does more than compute.
    pub(super) fn track_before(&mut self, instr: &Instr) {
        if !self.is_checked {
            return;
        }
        if only_computes(instr) {
            return;
        }
        // Instructions that require a defined value are tracked, too.
        let needs = matches!(
            instr,
            Instr::If { .. }
                | Instr::JumpUnless { .. }
                | Instr::Leave { when: When::If(_) | When::Unless(_), .. }
                | Instr::NextIteration { .. }
                | Instr::Bounds { .. }
                | Instr::Check { .. }
                | Instr::ActiveMask { .. }
                | Instr::MBarrierArrive { .. }
                | Instr::MBarrierWait { .. }
                | Instr::Warp { .. }
                | Instr::LoadLocal { .. }
                | Instr::StoreLocal { .. }
        );
        if needs {
            self.emit_tracking();
        } else {
            self.track_pending();
        }
    }

    /// Records the choice of the next instruction among its operands, if it makes one. Its effect
    /// on undefined values is tracked separately.
    pub(super) fn record_choice(&mut self, choice: Option<OperandChoice>) {
        if let Some(choice) = choice
            && self.is_checked
        {
            self.emit_tracking();
            self.code.choices.push((self.code.instrs.len() as u32, choice));
        }
    }

    /// Restarts the tracking after an instruction that does more than compute.
    pub(super) fn restart_tracking_after(&mut self, instr: &Instr) {
        let computes = only_computes(instr);
        let here = self.code.instrs.len() as u32;
        let chose = self.code.choices.last().is_some_and(|(at, _)| *at == here - 1);
        if !computes || chose {
            self.tracked_to = here;
        }
    }

    /// Tracks undefined values through the last instructions, if these compute something.
    pub(super) fn track_pending(&mut self) {
        if self.is_checked && (self.tracked_to as usize) < self.code.instrs.len() {
            self.emit_tracking();
        }
    }

    fn emit_tracking(&mut self) {
        let from = self.tracked_to;
        self.push(Instr::TrackUndefined { from });
        self.tracked_to = self.code.instrs.len() as u32;
    }
}

/// Returns true if an instruction only computes.
fn only_computes(instr: &Instr) -> bool {
    matches!(
        instr,
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
