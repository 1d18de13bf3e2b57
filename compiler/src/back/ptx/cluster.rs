//! Clusters: their barrier, and addresses in the shared memory of their blocks.
//!
//! The barrier is not of the aligned form, so that the lanes of a warp may reach it separately. It
//! does not wait for threads that have exited, as the IR wants.
use super::{Emitter, address::Address, emitter::ptx, reg::Class};
use crate::{
    ir::{InstId, Kernel, Space},
    target::Target,
};

/// The PTX version that introduced clusters.
pub(super) const VERSION: &str = super::VERSION_WITH_SUMS;

/// The oldest target with clusters.
pub const HAS_CLUSTERS: Target = Target::new(90);

/// The instructions of the barrier of a cluster: by default, a release and an acquire.
pub const SYNC_CLUSTER: [&str; 2] = ["barrier.cluster.arrive", "barrier.cluster.wait"];

/// Returns the oldest target that `kernel` needs for its clusters, if it has any.
pub(super) fn oldest_target(kernel: &Kernel) -> Option<Target> {
    kernel.cluster.map(|_| HAS_CLUSTERS)
}

impl Emitter<'_> {
    /// Waits for every thread of the cluster.
    pub(super) fn sync_cluster(&mut self) {
        for instruction in SYNC_CLUSTER {
            ptx!(self, "{instruction}");
        }
    }

    /// Returns the address in the shared memory of the block of this rank that corresponds to one
    /// in the memory of this block.
    pub(super) fn map_shared(&mut self, ptr: InstId, rank: InstId) -> Address {
        let address = self.address(ptr);
        let rank = self.operand(rank);
        let mapped = self.regs.fresh(Class::of_pointer(Space::Cluster));
        ptx!(self, "mapa.shared::cluster.u32 {mapped}, {}, {rank}", address.base());
        Address::at(Space::Cluster, mapped, address.offset())
    }
}
