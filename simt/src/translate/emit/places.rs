//! Locations of values: registers, uniform slots, and inputs that are known before the first
//! instruction.
use super::{
    super::access_words::AccessWords,
    Done, Emitter,
    program::{MAX_LOCAL_ARRAY_BYTES, array_bytes},
};
use crate::{
    bytecode::{Input, Instr, Malformed, Operand, Preset},
    vector::registers::{Array, Reg, Uniform},
};
use warpwise_compiler::ir::{InstId, Root, Scalar, Ty};

impl Emitter<'_> {
    pub(super) fn scalar(&self, value: InstId) -> Result<Scalar, Malformed> {
        match self.kernel.insts[value].ty {
            Ty::Scalar(scalar) => Ok(scalar),
            Ty::Ptr(_) => Ok(Scalar::U64),
            Ty::Unit => Err(self.malformed(format!("{value} has no value"))),
        }
    }

    pub(super) fn size(&self, value: InstId) -> Result<usize, Malformed> {
        self.size_of(self.scalar(value)?)
    }

    fn size_of(&self, scalar: Scalar) -> Result<usize, Malformed> {
        let size = scalar.size().ok_or_else(|| self.malformed("a generic type"))?;
        Ok(size as usize)
    }

    pub(super) fn varies(&self, value: InstId) -> bool {
        self.uniformity.varies(value)
    }

    /// Allocates a slot for a uniform value.
    pub(super) fn new_slot(&mut self, size: usize) -> Uniform {
        self.slot_inputs.push(None);
        Uniform::new(self.slot_inputs.len() as u32 - 1, size)
    }

    /// Returns the slot of an input.
    pub(super) fn input(&mut self, input: Input, size: usize) -> Uniform {
        if let Some(known) = self.input_slots.get(&(input, size)) {
            return *known;
        }
        let slot = self.new_slot(size);
        self.slot_inputs[slot.slot()] = Some(input);
        self.code.inputs.push((slot, input));
        self.input_slots.insert((input, size), slot);
        slot
    }

    pub(super) fn constant(&mut self, bits: u64, size: usize) -> Uniform {
        self.input(Input::Const(bits), size)
    }

    /// Returns a register with an input in each lane; `None` if the value is not an input.
    pub(super) fn input_lanes(&mut self, from: Uniform) -> Option<Reg> {
        if let Some(known) = self.splats.get(&from) {
            return Some(*known);
        }
        let input = self.slot_inputs[from.slot()]?;
        let reg = self.registers.allocate_permanent(from.size());
        self.code.preset.push((reg, Preset::Splat(from, input)));
        self.splats.insert(from, reg);
        Some(reg)
    }

    /// Returns a register with a constant in each lane.
    pub(super) fn constant_lanes(&mut self, bits: u64, size: usize) -> Result<Reg, Malformed> {
        let constant = self.constant(bits, size);
        self.input_lanes(constant).ok_or_else(|| self.malformed("no constant"))
    }

    /// Returns the register of a value.
    pub(super) fn lanes(&mut self, value: InstId) -> Result<Reg, Malformed> {
        let root = self.ranges.root(value);
        if let Some(reg) = self.lanes[root] {
            return Ok(reg);
        }
        let missing = self.malformed(format!("{value} is used where it is not visible"));
        let uniform = self.uniforms[root].ok_or(missing.clone())?;
        self.input_lanes(uniform).ok_or(missing)
    }

    /// Returns true if a value is in lanes, or is an input.
    pub(super) fn is_in_lanes(&self, value: InstId) -> bool {
        let root = self.ranges.root(value);
        let stands = |uniform: Uniform| self.slot_inputs[uniform.slot()].is_some();
        self.lanes[root].is_some() || self.uniforms[root].is_some_and(stands)
    }

    /// Returns the slot of a uniform value.
    pub(super) fn uniform(&self, value: InstId) -> Result<Uniform, Malformed> {
        let missing = || self.malformed(format!("{value} is used where it is not visible"));
        self.uniforms[self.ranges.root(value)].ok_or_else(missing)
    }

    /// Returns a value wherever it is.
    pub(super) fn operand(&mut self, value: InstId) -> Result<Operand, Malformed> {
        if let Some(affine) = self.affines[self.ranges.root(value)] {
            Ok(Operand::Affine(affine))
        } else if self.varies(value) {
            self.lanes(value).map(Operand::Lanes)
        } else {
            self.uniform(value).map(Operand::Uniform)
        }
    }

    /// Allocates a register for the varying value of `id`.
    pub(super) fn new_lanes(&mut self, id: InstId) -> Result<Reg, Malformed> {
        let reg = match self.locals.target(id).and_then(|local| self.local_lanes[local]) {
            Some(local) => local,
            None => self.registers.allocate_until(self.ranges.last_use(id), self.size(id)?),
        };
        self.lanes[id] = Some(reg);
        Ok(reg)
    }

    /// Allocates a register until the end of the current instruction.
    pub(super) fn new_temporary(&mut self, id: InstId, size: usize) -> Reg {
        self.registers.allocate_until(self.ranges.end(id), size)
    }

    /// Allocates a slot for the uniform value of `id`.
    pub(super) fn new_uniform(&mut self, id: InstId) -> Result<Uniform, Malformed> {
        let slot = self.new_slot(self.size(id)?);
        self.uniforms[id] = Some(slot);
        Ok(slot)
    }

    /// Copies a uniform value to lanes, if it is needed there.
    pub(super) fn copy_to_lanes(&mut self, id: InstId) -> Done {
        if self.ranges.needs_lanes(id) {
            let (from, size) = (self.uniform(id)?, self.size(id)?);
            let to = self.registers.allocate_until(self.ranges.last_use(id), size);
            self.lanes[id] = Some(to);
            self.emit(Instr::Splat { to, from });
        }
        Ok(())
    }

    pub(super) fn declare_arrays(&mut self, words: &AccessWords) -> Done {
        let mut room = MAX_LOCAL_ARRAY_BYTES;
        for (id, array) in self.kernel.arrays.iter() {
            self.span = array.span;
            let bytes = array_bytes(&array.elem, &array.len, room)
                .ok_or_else(|| self.malformed("arrays of generic size, or more than 512 KiB"))?;
            room -= bytes;
            let bytes = bytes.next_multiple_of(8) as u32;
            let is_word_major = !words.are_mixed(Root::Array(id));
            self.code.arrays.push(Array {
                place: self.registers.allocate_array(bytes),
                bytes,
                is_word_major,
            });
        }
        Ok(())
    }

    pub(super) fn declare_locals(&mut self) -> Done {
        for (id, local) in self.kernel.locals.iter() {
            self.span = local.span;
            let size = match local.ty {
                Ty::Scalar(scalar) => self.size_of(scalar)?,
                Ty::Ptr(_) => 8,
                Ty::Unit => return Err(self.malformed(format!("{id} has no value"))),
            };
            if self.uniformity.local_varies(id) {
                let reg = self.registers.allocate_permanent(size);
                self.local_lanes[id] = Some(reg);
                if self.locals.may_be_unset(id) {
                    self.code.preset.push((reg, Preset::Zero));
                }
            } else {
                self.local_uniforms[id] = Some(self.new_slot(size));
            }
        }
        Ok(())
    }
}
