//! Where values are: in registers, held once, or known before the first step.
use super::{
    super::access_words::Words,
    Done, Emitter,
    program::{MAX_LOCAL_ARRAY_BYTES, bytes_of},
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

    /// A slot for a uniform value.
    pub(super) fn slot(&mut self, size: usize) -> Uniform {
        self.stands.push(None);
        Uniform::new(self.stands.len() as u32 - 1, size)
    }

    /// A uniform value that stands before the first step.
    pub(super) fn given(&mut self, given: Input, size: usize) -> Uniform {
        if let Some(known) = self.given.get(&(given, size)) {
            return *known;
        }
        let slot = self.slot(size);
        self.stands[slot.slot()] = Some(given);
        self.code.inputs.push((slot, given));
        self.given.insert((given, size), slot);
        slot
    }

    pub(super) fn constant(&mut self, bits: u64, size: usize) -> Uniform {
        self.given(Input::Const(bits), size)
    }

    /// A register that holds a given value in each lane; `None` if it is not given.
    pub(super) fn given_lanes(&mut self, from: Uniform) -> Option<Reg> {
        if let Some(known) = self.splats.get(&from) {
            return Some(*known);
        }
        let given = self.stands[from.slot()]?;
        let reg = self.registers.forever(from.size());
        self.code.preset.push((reg, Preset::Splat(from, given)));
        self.splats.insert(from, reg);
        Some(reg)
    }

    /// A register that holds a constant in each lane.
    pub(super) fn constant_lanes(&mut self, bits: u64, size: usize) -> Result<Reg, Malformed> {
        let constant = self.constant(bits, size);
        self.given_lanes(constant).ok_or_else(|| self.malformed("no constant"))
    }

    /// A value in lanes.
    pub(super) fn lanes(&mut self, value: InstId) -> Result<Reg, Malformed> {
        let root = self.ranges.root(value);
        if let Some(reg) = self.lanes[root] {
            return Ok(reg);
        }
        let missing = self.malformed(format!("{value} is used where it is not visible"));
        let uniform = self.uniforms[root].ok_or(missing.clone())?;
        self.given_lanes(uniform).ok_or(missing)
    }

    /// Whether a value is in lanes, or was before the first step.
    pub(super) fn has_lanes(&self, value: InstId) -> bool {
        let root = self.ranges.root(value);
        let stands = |uniform: Uniform| self.stands[uniform.slot()].is_some();
        self.lanes[root].is_some() || self.uniforms[root].is_some_and(stands)
    }

    /// A value that is uniform.
    pub(super) fn uniform(&self, value: InstId) -> Result<Uniform, Malformed> {
        let missing = || self.malformed(format!("{value} is used where it is not visible"));
        self.uniforms[self.ranges.root(value)].ok_or_else(missing)
    }

    /// A value wherever it is.
    pub(super) fn operand(&mut self, value: InstId) -> Result<Operand, Malformed> {
        if let Some(affine) = self.affines[self.ranges.root(value)] {
            Ok(Operand::Affine(affine))
        } else if self.varies(value) {
            self.lanes(value).map(Operand::Lanes)
        } else {
            self.uniform(value).map(Operand::Uniform)
        }
    }

    /// A register for the value of `id`, which varies.
    pub(super) fn new_lanes(&mut self, id: InstId) -> Result<Reg, Malformed> {
        let reg = match self.locals.target(id).and_then(|local| self.local_lanes[local]) {
            Some(local) => local,
            None => self.registers.until(self.ranges.last(id), self.size(id)?),
        };
        self.lanes[id] = Some(reg);
        Ok(reg)
    }

    /// A register until the current instruction is done.
    pub(super) fn temporary(&mut self, id: InstId, size: usize) -> Reg {
        self.registers.until(self.ranges.end(id), size)
    }

    /// A slot for the value of `id`, which is uniform.
    pub(super) fn new_uniform(&mut self, id: InstId) -> Result<Uniform, Malformed> {
        let slot = self.slot(self.size(id)?);
        self.uniforms[id] = Some(slot);
        Ok(slot)
    }

    /// Copies a uniform value to lanes, if somebody wants it there.
    pub(super) fn spread(&mut self, id: InstId) -> Done {
        if self.ranges.needs_lanes(id) {
            let (from, size) = (self.uniform(id)?, self.size(id)?);
            let to = self.registers.until(self.ranges.last(id), size);
            self.lanes[id] = Some(to);
            self.step(Instr::Splat { to, from });
        }
        Ok(())
    }

    pub(super) fn declare_arrays(&mut self, words: &Words) -> Done {
        let mut room = MAX_LOCAL_ARRAY_BYTES;
        for (id, array) in self.kernel.arrays.iter() {
            self.span = array.span;
            let bytes = bytes_of(&array.elem, &array.len, room)
                .ok_or_else(|| self.malformed("arrays of generic size, or more than 512 KiB"))?;
            room -= bytes;
            let bytes = bytes.next_multiple_of(8) as u32;
            let is_word_major = !words.are_mixed(Root::Array(id));
            self.code.arrays.push(Array {
                place: self.registers.array(bytes),
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
                let reg = self.registers.forever(size);
                self.local_lanes[id] = Some(reg);
                if self.locals.may_be_unset(id) {
                    self.code.preset.push((reg, Preset::Zero));
                }
            } else {
                self.local_uniforms[id] = Some(self.slot(size));
            }
        }
        Ok(())
    }
}
