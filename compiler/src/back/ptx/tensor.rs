//! Copies of boxes of tensors by tensor maps, `cp.async.bulk.tensor`, and stores in bulk.
//!
//! A tensor map is a parameter of 128 bytes, and copies take its generic address. The copies access
//! shared memory by the asynchronous proxy, so that a fence comes before each, as before a
//! [bulk copy](super::bulk_copy); no thread accesses global memory that a map is of.
use super::{
    Emitter,
    emitter::ptx,
    reg::{Class, Reg},
};
use crate::ir::{InstId, Kernel, ParamId, TensorBox, TensorBoxShape};

/// The fence before copies of shared memory.
const PROXY_FENCE: &str = "fence.proxy.async.shared::cta";

/// Returns the instructions that copy a box of `bytes` bytes to an address in shared memory. The
/// coordinates are the outermost first.
pub fn tensor_copy_instructions(
    [to, map, barrier]: [&str; 3],
    at: &[String],
    bytes: u64,
) -> [String; 3] {
    let (dims, at) = (at.len(), coordinates(at));
    let copy = "shared::cluster.global.mbarrier::complete_tx::bytes";
    [
        format!("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [{barrier}], {bytes}"),
        PROXY_FENCE.to_owned(),
        format!("cp.async.bulk.tensor.{dims}d.{copy} [{to}], [{map}, {at}], [{barrier}]"),
    ]
}

/// Returns the instructions that copy a box to the same address in shared memory of several blocks
/// of the cluster, whose mbarriers expect the bytes already. `blocks` are the bits of their ranks,
/// of 16 bits, and `any` a predicate that is true if there are some.
pub fn multicast_instructions(
    [to, map, barrier]: [&str; 3],
    at: &[String],
    [blocks, any]: [&str; 2],
) -> [String; 2] {
    let (dims, at) = (at.len(), coordinates(at));
    let copy = "shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster";
    [
        "fence.proxy.async".to_owned(),
        format!(
            "@{any} cp.async.bulk.tensor.{dims}d.{copy} [{to}], [{map}, {at}], [{barrier}], {blocks}"
        ),
    ]
}

/// Returns the bits of the ranks of all blocks of a cluster.
pub fn cluster_ranks(kernel: &Kernel) -> u32 {
    (1 << kernel.cluster_blocks()) - 1
}

/// Returns the instructions that copy a box from an address in shared memory. The coordinates are
/// the outermost first.
pub fn tensor_store_instructions([map, from]: [&str; 2], at: &[String]) -> [String; 2] {
    let (dims, at) = (at.len(), coordinates(at));
    let store = "global.shared::cta.bulk_group";
    [
        PROXY_FENCE.to_owned(),
        format!("cp.async.bulk.tensor.{dims}d.{store} [{map}, {at}], [{from}]"),
    ]
}

/// Returns the instructions that copy `bytes` bytes from shared to global memory. Threads access
/// both by other proxies.
pub fn bulk_store_instructions([to, from]: [&str; 2], bytes: u64) -> [String; 2] {
    let store = "cp.async.bulk.global.shared::cta.bulk_group";
    ["fence.proxy.async".to_owned(), format!("{store} [{to}], [{from}], {bytes}")]
}

/// The instruction that closes a group of stores.
pub const BULK_COMMIT: &str = "cp.async.bulk.commit_group";

/// Returns the instruction that waits for all groups of stores but the last `pending`.
pub fn bulk_wait_instruction(pending: u64, reads: bool) -> String {
    let read = if reads { ".read" } else { "" };
    format!("cp.async.bulk.wait_group{read} {pending}")
}

/// Returns coordinates as an operand, the innermost first.
fn coordinates(at: &[String]) -> String {
    let innermost_first: Vec<&str> = at.iter().rev().map(String::as_str).collect();
    format!("{{{}}}", innermost_first.join(", "))
}

impl Emitter<'_> {
    /// The generic address of a tensor map.
    pub(super) fn tensor_map(&mut self, param: ParamId) -> Reg {
        if let Some(reg) = self.params[param] {
            return reg;
        }
        let (place, reg) = (self.regs.fresh(Class::B64), self.regs.fresh(Class::B64));
        ptx!(self, "mov.b64 {place}, {param}");
        ptx!(self, "cvta.param.u64 {reg}, {place}");
        self.params[param] = Some(reg);
        reg
    }

    /// Begins to copy a box of a tensor to the first of two addresses; the second is that of the
    /// mbarrier.
    pub(super) fn tensor_copy(
        &mut self,
        [to, barrier]: [InstId; 2],
        (map, shape, at): (ParamId, &TensorBox, &[InstId]),
        blocks: Option<InstId>,
    ) {
        let shape = self.box_shape(map, shape);
        let [to, barrier] = [to, barrier].map(|id| self.address_text(id));
        let map = self.tensor_map(map).to_string();
        let at: Vec<Reg> = at.iter().map(|value| self.reg(*value)).collect();
        let at = self.rounded_column(&shape, at);
        if let Some(blocks) = blocks {
            let (blocks, ranks) = (self.operand(blocks), cluster_ranks(self.kernel));
            let [known, short] = [Class::B32, Class::B16].map(|class| self.regs.fresh(class));
            ptx!(self, "and.b32 {known}, {blocks}, {ranks}");
            let any = self.pred(format_args!("setp.ne.u32"), format_args!("{known}, 0"));
            ptx!(self, "cvt.u16.u32 {short}, {known}");
            let blocks = [short.to_string(), any.to_string()];
            let blocks = blocks.each_ref().map(String::as_str);
            for instruction in multicast_instructions([&to, &map, &barrier], &at, blocks) {
                ptx!(self, "{instruction}");
            }
            return;
        }
        for instruction in tensor_copy_instructions([&to, &map, &barrier], &at, shape.bytes()) {
            ptx!(self, "{instruction}");
        }
    }

    /// Begins to copy a box of a tensor from an address.
    pub(super) fn tensor_store(
        &mut self,
        map: ParamId,
        shape: &TensorBox,
        from: InstId,
        at: &[InstId],
    ) {
        let shape = self.box_shape(map, shape);
        let from = self.address_text(from);
        let map = self.tensor_map(map).to_string();
        let at: Vec<Reg> = at.iter().map(|value| self.stored_coordinate(*value)).collect();
        let at = self.rounded_column(&shape, at);
        for instruction in tensor_store_instructions([&map, &from], &at) {
            ptx!(self, "{instruction}");
        }
    }

    /// Begins to copy bytes from shared to global memory.
    pub(super) fn bulk_store(&mut self, [to, from]: [InstId; 2], bytes: u64) {
        let [to, from] = [to, from].map(|id| self.address_text(id));
        for instruction in bulk_store_instructions([&to, &from], bytes) {
            ptx!(self, "{instruction}");
        }
    }

    fn box_shape(&self, map: ParamId, shape: &TensorBox) -> TensorBoxShape {
        shape.shape_in(self.kernel, map).expect("a specialized kernel's boxes are known")
    }

    /// Returns a coordinate of a store: a negative one, which hardware lacks, is beyond the array.
    fn stored_coordinate(&mut self, value: InstId) -> Reg {
        let (at, known) = (self.reg(value), self.regs.fresh(Class::B32));
        ptx!(self, "min.u32 {known}, {at}, {}", i32::MAX);
        known
    }

    /// Returns the coordinates of a box, the column rounded down to a multiple of 16 bytes.
    fn rounded_column(&mut self, shape: &TensorBoxShape, mut at: Vec<Reg>) -> Vec<String> {
        if let Some(column) = at.last_mut() {
            let rounded = self.regs.fresh(Class::B32);
            ptx!(self, "and.b32 {rounded}, {column}, {}", shape.column_mask());
            *column = rounded;
        }
        at.iter().map(ToString::to_string).collect()
    }

    /// Returns an address without its brackets.
    fn address_text(&self, id: InstId) -> String {
        self.address(id).to_string().trim_matches(['[', ']']).to_owned()
    }
}
