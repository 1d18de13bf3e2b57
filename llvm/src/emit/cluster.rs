//! Clusters: their barrier, and accesses to the shared memory of their blocks, as inline PTX.
//!
//! Every access clobbers memory: the memory may be this block's, which LLVM knows by other
//! addresses, and other blocks write it.
use super::{
    emitter::{Effects, Emitter},
    value::{Type, Value},
};
use warpwise_compiler::{
    back::ptx::{SYNC_CLUSTER, memory, space_name},
    ir::{InstId, Scalar, Space},
};

impl Emitter<'_> {
    /// Waits for every thread of the cluster.
    pub(super) fn sync_cluster(&mut self) {
        let text = SYNC_CLUSTER.map(|instruction| format!("{instruction};")).join("\n");
        self.asm_line(&text, &[], Effects::Sync);
    }

    /// The address in the shared memory of the block of this rank that corresponds to one in the
    /// memory of this block.
    pub(super) fn map_shared(&mut self, ptr: InstId, rank: InstId) -> Value {
        let operands = [self.value(ptr), self.value(rank)];
        let text = "mapa.shared::cluster.u64 $0, $1, $2;";
        self.asm(Type::Ptr(Space::Cluster), text, &operands, Effects::None)
    }

    /// Reads the shared memory of a block of the cluster.
    pub(super) fn load_of_cluster(&mut self, scalar: Scalar, address: Value) -> Value {
        let text = format!("ld.{}.{} $0, [$1];", space_name(Space::Cluster), memory(scalar));
        self.load_by_asm(scalar, &text, address, Effects::Memory)
    }

    /// Writes the shared memory of a block of the cluster.
    pub(super) fn store_to_cluster(&mut self, scalar: Scalar, address: Value, value: Value) {
        let value = match value.ty {
            // No register is as narrow.
            Type::I1 | Type::I8 => self.zero_extend(&value, Type::I16),
            Type::Half => self.bits(&value),
            _ => value,
        };
        let text = format!("st.{}.{} [$0], $1;", space_name(Space::Cluster), memory(scalar));
        self.asm_line(&text, &[address, value], Effects::Memory);
    }
}
