//! Copies of boxes of tensors and stores in bulk, as the inline PTX that the built-in back end emits.
//!
//! A tensor map is a parameter of 128 bytes (`byval`), whose address the inline PTX takes by the name
//! that LLVM gives it: LLVM would copy it to the thread's own memory.
use super::emitter::{Effects, Emitter};
use warpwise_compiler::{
    back::ptx::{
        BULK_COMMIT, bulk_store_instructions, bulk_wait_instruction, tensor_copy_instructions,
        tensor_store_instructions,
    },
    ir::{InstId, ParamId, TensorBox},
};

/// The register with the address of a tensor map.
const MAP: &str = "w_map";

impl Emitter<'_> {
    /// Begins to copy a box of a tensor to the first of two addresses; the second is that of the
    /// mbarrier.
    pub(super) fn tensor_copy(
        &mut self,
        [to, barrier]: [InstId; 2],
        map: ParamId,
        shape: &TensorBox,
        at: &[InstId],
    ) {
        let shape = shape.shape_in(self.kernel, map);
        let bytes = shape.expect("a specialized kernel's boxes are known").bytes();
        let places = places(2, at);
        let copy = tensor_copy_instructions(["$0", MAP, "$1"], &places, bytes);
        self.emit_with_map(map, &copy, [to, barrier].iter().chain(at));
    }

    /// Begins to copy a box of a tensor from an address.
    pub(super) fn tensor_store(&mut self, map: ParamId, from: InstId, at: &[InstId]) {
        let store = tensor_store_instructions([MAP, "$0"], &places(1, at));
        self.emit_with_map(map, &store, [from].iter().chain(at));
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

    fn emit_with_map<'a>(
        &mut self,
        map: ParamId,
        instructions: &[String],
        operands: impl Iterator<Item = &'a InstId>,
    ) {
        let (symbol, text) = (self.param_symbol(map), instructions.join(";\n"));
        let text = format!(
            "{{\n.reg .b64 {MAP};\nmov.b64 {MAP}, {symbol};\ncvta.param.u64 {MAP}, {MAP};\n{text};\n}}"
        );
        let operands: Vec<_> = operands.map(|id| self.value(*id)).collect();
        self.asm_line(&text, &operands, Effects::Sync);
    }
}

/// Returns the places of coordinates among the operands, from the first one on.
fn places(first: usize, at: &[InstId]) -> Vec<String> {
    (first..first + at.len()).map(|place| format!("${place}")).collect()
}
