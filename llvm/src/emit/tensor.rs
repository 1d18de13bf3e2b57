//! Copies of boxes of tensors and stores in bulk, as the inline PTX that the built-in back end
//! emits.
//!
//! A tensor map is a parameter of 128 bytes (`byval`), whose address the inline PTX takes by the
//! name that LLVM gives it: LLVM would copy it to the thread's own memory.
use super::{
    emitter::{Effects, Emitter},
    value::{Type, Value},
};
use warpwise_compiler::{
    back::ptx::{
        BULK_COMMIT, bulk_store_instructions, bulk_wait_instruction, cluster_ranks,
        multicast_instructions, tensor_copy_instructions, tensor_store_instructions,
    },
    ir::{InstId, ParamId, TensorBox, TensorBoxShape},
};

/// The register with the address of a tensor map.
const MAP: &str = "w_map";
/// The register with the first column of a box.
const COLUMN: &str = "w_column";
/// The register with the ranks of the blocks that get a box.
const RANKS: &str = "w_ranks";
/// The predicate that is true if there is such a block.
const ANY_RANK: &str = "w_any_rank";

impl Emitter<'_> {
    /// Begins to copy a box of a tensor to the first of two addresses; the second is that of the
    /// mbarrier.
    pub(super) fn tensor_copy(
        &mut self,
        [to, barrier]: [InstId; 2],
        (map, shape, at): (ParamId, &TensorBox, &[InstId]),
        blocks: Option<InstId>,
    ) {
        let shape = self.box_shape(map, shape);
        if let Some(blocks) = blocks {
            let copy = multicast_instructions(["$0", MAP, "$1"], &places(3, at), [RANKS, ANY_RANK]);
            let ranks = cluster_ranks(self.kernel);
            let prepare = format!(
                ".reg .b32 w_known;\n.reg .b16 {RANKS};\n.reg .pred {ANY_RANK};\n\
                 and.b32 w_known, $2, {ranks};\nsetp.ne.u32 {ANY_RANK}, w_known, 0;\n\
                 cvt.u16.u32 {RANKS}, w_known"
            );
            let instructions: Vec<String> = [prepare].into_iter().chain(copy).collect();
            let coordinates = at.iter().map(|id| self.value(*id)).collect();
            let addresses = [to, barrier, blocks];
            return self.emit_with_map(map, &instructions, &addresses, (&shape, coordinates));
        }
        let copy = tensor_copy_instructions(["$0", MAP, "$1"], &places(2, at), shape.bytes());
        let coordinates = at.iter().map(|id| self.value(*id)).collect();
        self.emit_with_map(map, &copy, &[to, barrier], (&shape, coordinates));
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
        let store = tensor_store_instructions([MAP, "$0"], &places(1, at));
        // A negative coordinate, which hardware lacks, is beyond the array.
        let beyond = Value::new(Type::I32, i32::MAX.to_string());
        let coordinates = at.iter().map(|id| {
            let operands = [self.value(*id), beyond.clone()];
            self.intrinsic(Type::I32, "llvm.umin.i32", &operands)
        });
        let coordinates = coordinates.collect();
        self.emit_with_map(map, &store, &[from], (&shape, coordinates));
    }

    fn box_shape(&self, map: ParamId, shape: &TensorBox) -> TensorBoxShape {
        shape.shape_in(self.kernel, map).expect("a specialized kernel's boxes are known")
    }

    /// Begins to copy bytes from shared to global memory.
    pub(super) fn bulk_store(&mut self, ends: [InstId; 2], bytes: u64) {
        let text = bulk_store_instructions(["$0", "$1"], bytes).join(";\n");
        let operands = ends.map(|id| self.value(id));
        self.asm_line(&format!("{text};"), &operands, Effects::Sync);
    }

    /// Closes the group of stores.
    pub(super) fn bulk_commit(&mut self) {
        self.asm_line(&format!("{BULK_COMMIT};"), &[], Effects::Sync);
    }

    /// Waits for all groups of stores but the last `pending`.
    pub(super) fn bulk_wait(&mut self, pending: u64, reads: bool) {
        let wait = bulk_wait_instruction(pending, reads);
        self.asm_line(&format!("{wait};"), &[], Effects::Sync);
    }

    fn emit_with_map(
        &mut self,
        map: ParamId,
        instructions: &[String],
        first: &[InstId],
        (shape, at): (&TensorBoxShape, Vec<Value>),
    ) {
        let (symbol, text) = (self.param_symbol(map), instructions.join(";\n"));
        let (last, mask) = (first.len() + at.len() - 1, shape.column_mask());
        let text = format!(
            "{{\n.reg .b64 {MAP};\n.reg .b32 {COLUMN};\nmov.b64 {MAP}, {symbol};\n\
             cvta.param.u64 {MAP}, {MAP};\nand.b32 {COLUMN}, ${last}, {mask};\n{text};\n}}"
        );
        let first = first.iter().map(|id| self.value(*id));
        let operands: Vec<Value> = first.chain(at).collect();
        self.asm_line(&text, &operands, Effects::Sync);
    }
}

/// Returns the places of coordinates among the operands, from the first one on; the column is
/// rounded down to a multiple of 16 bytes before.
fn places(first: usize, at: &[InstId]) -> Vec<String> {
    let column = first + at.len() - 1;
    let outer = (first..column).map(|place| format!("${place}"));
    outer.chain([COLUMN.to_owned()]).collect()
}
