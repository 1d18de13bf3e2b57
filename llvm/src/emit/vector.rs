//! Loads of several scalars at once, of which one happens once.
//!
//! LLVM makes one access of neighbouring plain loads, but not of atomic ones, the form of a load
//! that [happens once](super::memory). So a [`Vector`] with such a load is inline PTX, the text of
//! the built-in back end: `ld.shared.v2.b32 {$0, $1}, [$2];`. That reads the memory of its operand,
//! so that LLVM moves neither stores nor barriers past it.
use super::{
    emitter::{Effects, Emitter, inst},
    memory::size,
    value::{Type, Value},
};
use warpwise_compiler::{
    analysis::vectors::Vector,
    ir::{InstId, Space, Ty},
};

impl Emitter<'_> {
    /// A load: alone, with others, or done already with others.
    pub(super) fn load_in_vector(&mut self, id: InstId, ptr: InstId) -> Value {
        let vector = self.vectors.get(id);
        match vector.filter(|vector| self.is_inline_vector(vector, ptr)).cloned() {
            None => self.load(id, ptr),
            Some(vector) => {
                if vector.position == id {
                    self.load_vector(&vector, ptr);
                }
                self.value(id)
            }
        }
    }

    /// Returns true if LLVM would load the members one by one, from memory that `ptr` points to.
    fn is_inline_vector(&self, vector: &Vector, ptr: InstId) -> bool {
        let is_written =
            matches!(self.kernel.insts[ptr].ty, Ty::Ptr(Space::Global | Space::Shared))
                && !self.read_only.contains(self.kernel, ptr);
        is_written
            && vector.members.iter().any(|member| self.loads_once(*member))
            && !vector.members.iter().any(|member| self.matrix_loads.is_absorbed[*member])
    }

    fn load_vector(&mut self, vector: &Vector, ptr: InstId) {
        let mut address = self.value(ptr);
        let space = if address.ty == Type::Ptr(Space::Shared) { "shared" } else { "global" };
        if vector.position_offset != 0 {
            let offset = -(vector.position_offset as i64);
            address = inst!(self, address.ty, "getelementptr i8, {address}, i64 {offset}");
        }
        let (members, count) = (&vector.members, vector.members.len());
        let relaxed = members.iter().any(|member| self.facts.steers(*member));
        let relaxed = if relaxed { ".relaxed.cta" } else { "" };
        let bits = 8 * size(self.scalar(vector.position));
        let registers: Vec<String> = (0..count).map(|register| format!("${register}")).collect();
        let registers = registers.join(", ");
        let text = format!("ld{relaxed}.{space}.v{count}.b{bits} {{{registers}}}, [${count}];");
        let word = Type::int(bits.max(16));
        let words = self.asm_words(word, count, &text, &[address], Effects::Read);
        for (member, word) in members.iter().zip(words) {
            let value = self.of_register(self.scalar(*member), word);
            self.define(*member, value);
        }
    }
}
