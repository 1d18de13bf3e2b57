//! Copies of boxes of tensors, and stores in bulk.
use super::{Done, Emitter};
use crate::bytecode::{
    AccessKind, BulkStore, Change, Input, Instr, Malformed, Operand, SharedEnd, Site, TensorCopy,
};
use warpwise_compiler::{
    id::Id as _,
    ir::{InstId, ParamId, Root, Space, TensorBox},
};

impl Emitter<'_> {
    /// Emits a copy of a box of a tensor to the first of two addresses; the second is that of the
    /// mbarrier.
    pub(super) fn emit_tensor_copy(
        &mut self,
        id: InstId,
        [to, barrier]: [InstId; 2],
        map: (ParamId, &TensorBox),
        (at, blocks): (&[InstId], Option<InstId>),
    ) -> Done {
        let copy = self.tensor_copy(id, (to, AccessKind::Write), map, (at, blocks))?;
        let barrier = self.access_address(id, barrier)?;
        self.synchronizes();
        if blocks.is_some() {
            self.announce_change(Change::ActiveLanes);
        }
        self.code.tensor_copies.push(copy);
        let copy = self.code.tensor_copies.len() as u32 - 1;
        self.emit(Instr::TensorCopy { copy, barrier });
        Ok(())
    }

    /// Emits a copy of a box of a tensor from an address.
    pub(super) fn emit_tensor_store(
        &mut self,
        id: InstId,
        from: InstId,
        map: (ParamId, &TensorBox),
        at: &[InstId],
    ) -> Done {
        let copy = self.tensor_copy(id, (from, AccessKind::Read), map, (at, None))?;
        self.push_bulk_store(BulkStore::Tensor(copy));
        Ok(())
    }

    /// Emits a copy from shared to global memory, from the second address to the first.
    pub(super) fn emit_bulk_store(
        &mut self,
        id: InstId,
        [to, from]: [InstId; 2],
        bytes: u32,
    ) -> Done {
        let to_at = self.access_address(id, to)?;
        let from = self.shared_end(id, (from, AccessKind::Read), bytes)?;
        if self.is_checked {
            let site = Site {
                kind: AccessKind::Write,
                reads: false,
                is_shared: false,
                bytes,
                at: to_at,
                buffer: self.root_buffer(to),
                value: None,
                atomic: None,
                span: self.span,
            };
            self.emit_site_check(site, to);
        }
        self.push_bulk_store(BulkStore::Bytes { to: to_at, from });
        Ok(())
    }

    fn push_bulk_store(&mut self, store: BulkStore) {
        self.announce_change(Change::ActiveLanes);
        self.code.bulk_stores.push(store);
        let store = self.code.bulk_stores.len() as u32 - 1;
        self.emit(Instr::BulkStore { store });
    }

    /// Returns a copy of a box of a tensor, and emits the check of its access to shared memory.
    fn tensor_copy(
        &mut self,
        id: InstId,
        shared: (InstId, AccessKind),
        (map, shape): (ParamId, &TensorBox),
        (at, blocks): (&[InstId], Option<InstId>),
    ) -> Result<TensorCopy, Malformed> {
        let is_sound = shape.problem_in(self.kernel, map).is_none();
        let known = shape.shape_in(self.kernel, map).filter(|_| is_sound);
        let shape = known.ok_or_else(|| self.malformed("a box that cannot be"))?;
        let bytes = u32::try_from(shape.bytes()).map_err(|_| self.malformed("a large box"))?;
        let one = self.constant(1, 8);
        let mut extents = [one; 4];
        let absent = 3 - at.len().min(3);
        for (number, extent) in extents.iter_mut().skip(absent).enumerate() {
            *extent = self.input(Input::Param(map.index() + 1 + number), 8);
        }
        let mut coordinates = [Operand::Uniform(self.constant(0, 8)); 3];
        for (coordinate, at) in coordinates.iter_mut().skip(absent).zip(at) {
            *coordinate = self.operand(*at)?;
        }
        let tensor = self.buffer_number(Root::Param(map));
        let blocks = blocks.map(|blocks| self.operand(blocks)).transpose()?;
        let shared = match blocks {
            None => self.shared_end(id, shared, bytes)?,
            Some(_) => self.multicast_end(id, shared.0, bytes)?,
        };
        Ok(TensorCopy { tensor, extents, shape, at: coordinates, shared, blocks })
    }

    /// Returns the end in shared memory of a copy to several blocks, which check its accesses when
    /// they wait for it.
    fn multicast_end(
        &mut self,
        id: InstId,
        ptr: InstId,
        bytes: u32,
    ) -> Result<SharedEnd, Malformed> {
        let at = self.access_address(id, ptr)?;
        let site = self.is_checked.then(|| {
            let (kind, reads, is_shared) = (AccessKind::Write, false, true);
            let (buffer, value, atomic, span) = (self.root_buffer(ptr), None, None, self.span);
            let site = Site { kind, reads, is_shared, bytes, at, buffer, value, atomic, span };
            self.add_site(site, Space::Shared, ptr)
        });
        let counter = self.count_bulk_copy(id);
        Ok(SharedEnd { at, bytes, site, counter })
    }

    /// Returns the end of a copy in shared memory, and emits the check of its access.
    fn shared_end(
        &mut self,
        id: InstId,
        (ptr, kind): (InstId, AccessKind),
        bytes: u32,
    ) -> Result<SharedEnd, Malformed> {
        let at = self.access_address(id, ptr)?;
        let site = self.is_checked.then(|| {
            let (buffer, reads) = (self.root_buffer(ptr), matches!(kind, AccessKind::Read));
            let (is_shared, value, atomic, span) = (true, None, None, self.span);
            let site = Site { kind, reads, is_shared, bytes, at, buffer, value, atomic, span };
            self.emit_site_check(site, ptr)
        });
        let counter = self.count_bulk_copy(id);
        Ok(SharedEnd { at, bytes, site, counter })
    }
}
