//! Loads and stores of several scalars at once, where [`vectors`](crate::analysis::vectors) finds
//! them: `ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1]`.
//!
//! A vector is emitted where one of its members stands, at an address relative to that one's. The
//! registers of the lanes need not be of one class; then the instruction's type is untyped.
use super::{
    Emitter,
    address::space_name,
    cache::cache_suffix,
    emitter::{Value, ptx},
    reg::{Class, Operand, Reg, memory, untyped},
};
use crate::{
    analysis::{read_only_arrays::Storage, vectors::Vector},
    ir::{InstId, Scalar},
};

impl Emitter<'_> {
    /// A load: alone, with others, or done already with others.
    pub(super) fn load_in_vector(&mut self, id: InstId, ptr: InstId) -> Value {
        // Parameters are aligned to their own sizes only.
        let is_param = matches!(self.read_only_array(ptr), Some(Storage::Params(_)));
        match self.vectors.get(id).filter(|_| !is_param).cloned() {
            None => self.load(id, ptr),
            Some(vector) if vector.position == id => {
                self.load_vector(&vector, ptr);
                self.value(id)
            }
            Some(_) => self.value(id),
        }
    }

    /// A store: alone, with others, or done later with others.
    pub(super) fn store_in_vector(&mut self, id: InstId, ptr: InstId, value: InstId) {
        match self.vectors.get(id).cloned() {
            None => self.store_as(&self.how_to_store(id, ptr), ptr, value),
            Some(vector) if vector.position == id => self.store_vector(&vector, ptr),
            Some(_) => {}
        }
    }

    fn load_vector(&mut self, vector: &Vector, ptr: InstId) {
        let steers = vector.members.iter().any(|member| self.facts.steers(*member));
        let cache = self.kernel.insts[vector.position].op.cache_op();
        let how = self.how_to_load(ptr, steers, cache);
        let address = self.behind(self.address(ptr), -(vector.position_offset as i32));
        let scalars: Vec<Scalar> = vector.members.iter().map(|id| self.scalar(*id)).collect();
        let regs: Vec<Reg> = scalars.iter().map(|scalar| self.lane(*scalar)).collect();
        ptx!(self, "{how}.{} {}, {address}", ty(&scalars), lanes(&regs));
        for (member, reg) in vector.members.iter().zip(regs) {
            let is_bool = self.scalar(*member) == Scalar::Bool;
            let reg = if is_bool { self.byte_to_pred(reg) } else { reg };
            self.define(*member, reg);
        }
    }

    /// A register for a scalar as it lies in memory.
    fn lane(&mut self, scalar: Scalar) -> Reg {
        let class = if scalar == Scalar::Bool { Class::B32 } else { Class::of(scalar) };
        self.regs.fresh(class)
    }

    /// Returns the beginning of a store, up to its type.
    fn how_to_store(&self, id: InstId, ptr: InstId) -> String {
        let space = space_name(self.address(ptr).space);
        format!("st.{space}{}", cache_suffix(self.kernel.insts[id].op.cache_op()))
    }

    fn store_vector(&mut self, vector: &Vector, ptr: InstId) {
        let kernel = self.kernel;
        let address = self.behind(self.address(ptr), -(vector.position_offset as i32));
        let values = vector.members.iter().filter_map(|id| kernel.insts[*id].op.operands().nth(1));
        let values: Vec<InstId> = values.collect();
        let scalars: Vec<Scalar> = values.iter().map(|value| self.scalar(*value)).collect();
        let one_type = are_same(&scalars);
        let values = values.iter().map(|value| match self.stored(*value) {
            // Registers of several types may be in one vector, but no literals beside them.
            Operand::Imm(imm) if !one_type => Operand::Reg(self.materialize(imm)),
            operand => operand,
        });
        let values: Vec<Operand> = values.collect();
        let how = self.how_to_store(vector.position, ptr);
        ptx!(self, "{how}.{} {address}, {}", ty(&scalars), lanes(&values));
    }
}

fn are_same(scalars: &[Scalar]) -> bool {
    scalars.windows(2).all(|pair| pair[0] == pair[1])
}

/// Returns the type of a vector access: `v4.f32`.
fn ty(scalars: &[Scalar]) -> String {
    let one_type = are_same(scalars);
    let of = |scalar: &Scalar| if one_type { memory(*scalar) } else { untyped(*scalar) };
    format!("v{}.{}", scalars.len(), scalars.first().map_or("b32", of))
}

/// As instructions take them: `{%f1, %f2}`.
fn lanes<T: ToString>(lanes: &[T]) -> String {
    let lanes: Vec<String> = lanes.iter().map(ToString::to_string).collect();
    format!("{{{}}}", lanes.join(", "))
}
