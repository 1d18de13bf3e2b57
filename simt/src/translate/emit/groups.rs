//! Translation of the groups of operations: copies, synchronization, exchanges between lanes and
//! products of matrices.
use super::{Done, Emitter};
use crate::{
    bytecode::{Change, Instr, MatrixInstr, WarpInstr},
    outcome::Meeting,
    vector::lanes,
};
use warpwise_compiler::ir::{CopyOp, InstId, MatrixOp, SyncOp, WarpOp};

impl Emitter<'_> {
    pub(super) fn emit_copy(&mut self, id: InstId, op: &CopyOp) -> Done {
        match op {
            CopyOp::AsyncCopy { to, from, bytes } => {
                let bytes = bytes.known().ok_or_else(|| self.malformed("a generic size"))?;
                self.emit_async_copy(id, [*to, *from], bytes as u32)
            }
            CopyOp::BulkCopy { to, from, bytes, barrier } => {
                let bytes = bytes.known().ok_or_else(|| self.malformed("a generic size"))?;
                self.emit_bulk_copy(id, [*to, *from, *barrier], bytes as u32)
            }
            CopyOp::TensorCopy { to, map, shape, at, barrier, blocks } => {
                self.emit_tensor_copy(id, [*to, *barrier], (*map, shape), (at, *blocks))
            }
            CopyOp::TensorStore { map, from, shape, at } => {
                self.emit_tensor_store(id, *from, (*map, shape), at)
            }
            CopyOp::BulkStore { to, from, bytes } => {
                let bytes = bytes.known().ok_or_else(|| self.malformed("a generic size"))?;
                self.emit_bulk_store(id, [*to, *from], bytes as u32)
            }
            CopyOp::BulkCommit => {
                self.emit(Instr::BulkCommit);
                Ok(())
            }
            CopyOp::BulkWait { pending, reads: _ } => {
                let pending = pending.known().ok_or_else(|| self.malformed("a generic number"))?;
                let pending = u32::try_from(pending).unwrap_or(u32::MAX);
                self.emit(Instr::BulkWait { pending });
                Ok(())
            }
            CopyOp::AsyncCommit => {
                self.emit(Instr::AsyncCommit);
                Ok(())
            }
            CopyOp::AsyncWait { pending } => {
                let pending = pending.known().ok_or_else(|| self.malformed("a generic number"))?;
                // Memory changes, if copies are done.
                self.announce_change(Change::ActiveLanes);
                let pending = u32::try_from(pending).unwrap_or(u32::MAX);
                self.emit(Instr::AsyncWait { pending });
                Ok(())
            }
        }
    }

    pub(super) fn emit_sync(&mut self, id: InstId, op: &SyncOp) -> Done {
        match op {
            SyncOp::Barrier { reduce: None } => {
                self.emit(Instr::Barrier { reduce: None });
                Ok(())
            }
            SyncOp::Barrier { reduce: Some((op, value)) } => {
                let value = self.operand(*value)?;
                let to = self.new_uniform(id)?;
                self.emit(Instr::Barrier { reduce: Some((*op, value, to)) });
                self.copy_to_lanes(id)
            }
            SyncOp::SyncGrid => {
                self.emit(Instr::SyncGrid);
                self.code.syncs_grid = true;
                Ok(())
            }
            SyncOp::SyncCluster => {
                self.synchronizes();
                self.emit(Instr::SyncCluster);
                Ok(())
            }
            SyncOp::NamedBarrier { waits, id: barrier, threads } => {
                self.emit_named_barrier(*waits, [barrier, threads])
            }
            SyncOp::MBarrierArrive { barrier, bytes } => {
                let barrier = self.access_address(id, *barrier)?;
                let bytes = bytes.map(|bytes| self.operand(bytes)).transpose()?;
                let to = self.new_lanes(id)?;
                self.synchronizes();
                self.announce_change(Change::ActiveLanes);
                self.emit(Instr::MBarrierArrive { barrier, to, bytes });
                Ok(())
            }
            SyncOp::MBarrierWait { barrier, phase } => {
                let barrier = self.access_address(id, *barrier)?;
                let phase = self.operand(*phase)?;
                self.synchronizes();
                // Memory changes, if copies are done.
                self.announce_change(Change::ActiveLanes);
                self.emit(Instr::MBarrierWait { barrier, phase });
                Ok(())
            }
            SyncOp::SyncWarp { mask } => self.emit_warp_instr(WarpInstr::Sync, *mask),
            SyncOp::Fence { scope } => {
                self.emit_fence_check(*scope);
                self.emit(Instr::Fence);
                Ok(())
            }
            SyncOp::ProxyFence | SyncOp::GridDependency(_) => Ok(()),
        }
    }

    pub(super) fn emit_warp(&mut self, id: InstId, op: &WarpOp) -> Done {
        match op {
            WarpOp::Shuffle { op, value, lane, width, mask } => {
                let (value, lane) = (self.operand(*value)?, self.operand(*lane)?);
                let to = self.new_lanes(id)?;
                let width = width.known().ok_or_else(|| self.malformed("a generic width"))? as u32;
                self.emit_warp_instr(WarpInstr::Shuffle { op: *op, to, value, lane, width }, *mask)
            }
            WarpOp::Vote { op, value, mask } => {
                let value = self.operand(*value)?;
                let to = self.new_lanes(id)?;
                self.emit_warp_instr(WarpInstr::Vote { op: *op, to, value }, *mask)
            }
            WarpOp::Match { op, value, mask } => {
                let value = self.operand(*value)?;
                let to = self.new_lanes(id)?;
                self.emit_warp_instr(WarpInstr::Match { op: *op, to, value }, *mask)
            }
            WarpOp::ActiveMask => {
                let to = self.new_lanes(id)?;
                self.announce_change(Change::ActiveLanes);
                self.emit(Instr::ActiveMask { to });
                Ok(())
            }
            WarpOp::Reduce { op, value, mask } => {
                let combine = lanes::atomic(op.update(), self.scalar(id)?, None);
                let combine = combine.ok_or_else(|| self.malformed("no such reduction"))?;
                let value = self.operand(*value)?;
                let to = self.new_lanes(id)?;
                self.emit_warp_instr(WarpInstr::Reduce { combine, to, value }, *mask)
            }
        }
    }

    pub(super) fn emit_matrix(&mut self, id: InstId, op: &MatrixOp) -> Done {
        match op {
            MatrixOp::Mma { op, args, word } => {
                let word = self.add_matrix_word(MatrixInstr::Product(*op), args, *word)?;
                let to = self.new_lanes(id)?;
                self.emit_warp_instr(WarpInstr::Matrix { at: Meeting::Mma, word, to }, None)
            }
            MatrixOp::DistributeRows { transposed, args, word } => {
                let op = MatrixInstr::Rows { transposed: *transposed };
                let word = self.add_matrix_word(op, args, *word)?;
                let to = self.new_lanes(id)?;
                self.emit_warp_instr(
                    WarpInstr::Matrix { at: Meeting::DistributeRows, word, to },
                    None,
                )
            }
            MatrixOp::Wgmma { op, columns, args } => {
                self.emit_warpgroup_product(id, *op, columns, args)
            }
            MatrixOp::WgmmaWait { pending, .. } => {
                let pending = pending.known().ok_or_else(|| self.malformed("a generic number"))?;
                self.emit_products_check(pending);
                Ok(())
            }
        }
    }
}
