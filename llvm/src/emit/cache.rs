//! Loads and stores with a cache operator, and prefetches, as the inline PTX that the built-in back
//! end emits for one scalar. LLVM has no such accesses, and makes no vectors of them.
use super::{
    emitter::{Effects, Emitter},
    value::{Type, Value},
};
use warpwise_compiler::{
    back::ptx::{cache_suffix, cached_load, memory, prefetch_instruction},
    ir::{CacheLevel, CacheOp, InstId},
};

impl Emitter<'_> {
    /// Reads global memory.
    pub(super) fn load_cached(&mut self, id: InstId, ptr: InstId, cache: CacheOp) -> Value {
        let (scalar, address) = (self.scalar(id), self.value(ptr));
        let is_constant =
            self.read_only.contains(self.kernel, ptr) && !self.kernel.dependent_launch;
        let how = cached_load(Some(cache), is_constant);
        let text = format!("{how}.{} $0, [$1];", memory(scalar));
        self.load_by_asm(scalar, &text, address, Effects::Memory)
    }

    /// Writes global memory.
    pub(super) fn store_cached(&mut self, ptr: InstId, value: InstId, cache: CacheOp) {
        let (scalar, address, value) = (self.scalar(value), self.value(ptr), self.value(value));
        let value = match value.ty {
            Type::I1 | Type::I8 => self.zero_extend(&value, Type::I16),
            Type::Half => self.of_bits(&value, Type::I16),
            _ => value,
        };
        let suffix = cache_suffix(Some(cache));
        let text = format!("st.global{suffix}.{} [$0], $1;", memory(scalar));
        self.asm_line(&text, &[address, value], Effects::Memory);
    }

    /// Fetches a cache line.
    pub(super) fn prefetch(&mut self, ptr: InstId, level: CacheLevel) {
        let address = self.value(ptr);
        let text = format!("{} [$0];", prefetch_instruction(level));
        self.asm_line(&text, &[address], Effects::Memory);
    }
}
