//! Bulk copies to shared memory: `cp.async.bulk`.
//!
//! A copy accesses memory by the asynchronous proxy, so that a fence comes before it: what threads
//! have read and written before, and the initialization of mbarriers, is then before the copy, if
//! it is before the instruction of the copying thread. A wait at the mbarrier needs no fence.
use super::{Emitter, emitter::ptx};
use crate::{
    ir::{CopyOp, Inst, InstId, Kernel, Op, Param, ParamKind, SyncOp},
    target::Target,
};

/// The PTX version that introduced bulk copies.
pub(super) const VERSION: &str = "8.0";
/// The oldest target with bulk copies.
pub(super) const HAS_BULK_COPIES: Target = Target::new(90);

/// Returns the instructions that copy `bytes` bytes between addresses, with an mbarrier.
pub fn bulk_copy_instructions([to, from, barrier]: [&str; 3], bytes: u64) -> [String; 3] {
    let copy = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes";
    [
        format!("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 {barrier}, {bytes}"),
        "fence.proxy.async".to_owned(),
        format!("{copy} {to}, {from}, {bytes}, {barrier}"),
    ]
}

const fn is_bulk_copy(inst: &Inst) -> bool {
    matches!(
        inst.op,
        Op::Copy(
            CopyOp::BulkCopy { .. }
                | CopyOp::TensorCopy { .. }
                | CopyOp::TensorStore { .. }
                | CopyOp::BulkStore { .. }
                | CopyOp::BulkCommit
                | CopyOp::BulkWait { .. }
        ) | Op::Sync(SyncOp::MBarrierArrive { bytes: Some(_), .. })
    )
}

const fn is_tensor_map(param: &Param) -> bool {
    matches!(param.kind, ParamKind::Slice { access, .. } if access.is_tensor_map())
}

/// Returns the oldest target that `kernel` needs for its bulk copies and tensor maps, if it has
/// any.
pub(super) fn oldest_target(kernel: &Kernel) -> Option<Target> {
    let copies = kernel.insts.iter().any(|(_, inst)| is_bulk_copy(inst));
    let has_maps = kernel.params.iter().any(|(_, param)| is_tensor_map(param));
    (copies || has_maps).then_some(HAS_BULK_COPIES)
}

impl Emitter<'_> {
    /// Begins to copy `bytes` bytes to the first of three addresses from the second; the third is
    /// that of the mbarrier.
    pub(super) fn bulk_copy(&mut self, addresses: [InstId; 3], bytes: u64) {
        let addresses = addresses.map(|id| self.address(id).to_string());
        for instruction in bulk_copy_instructions(addresses.each_ref().map(String::as_str), bytes) {
            ptx!(self, "{instruction}");
        }
    }
}
