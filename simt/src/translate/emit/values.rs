//! Values of instructions: inputs, computations, and the values of locals.
use super::{Done, Emitter};
use crate::{
    bytecode::{Input, Instr, Malformed, MatrixInstr, MatrixWord, Message, Preset, WarpInstr},
    vector::{
        lanes::{self, LaneFn},
        registers::{Reg, Uniform},
    },
};
use warpwise_compiler::ir::{Builtin, InstId, LocalId, MessageId};

impl Emitter<'_> {
    /// Binds an instruction to an input.
    pub(super) fn bind_input(&mut self, id: InstId, input: Input) -> Done {
        let size = self.size(id)?;
        self.uniforms[id] = Some(self.input(input, size));
        Ok(())
    }

    pub(super) fn emit_builtin(&mut self, id: InstId, builtin: Builtin) -> Done {
        match builtin {
            Builtin::BlockIdx(axis) => self.bind_input(id, Input::BlockIdx(axis)),
            Builtin::BlockDim(axis) => self.bind_input(id, Input::BlockDim(axis)),
            Builtin::GridDim(axis) => self.bind_input(id, Input::GridDim(axis)),
            Builtin::CoarseningFactor => {
                let factor = self.code.coarse_grid.map_or(1, |grid| grid.factor);
                self.bind_input(id, Input::Const(factor.into()))
            }
            Builtin::ThreadIdx(_)
            | Builtin::GlobalIdx(_)
            | Builtin::LaneId
            | Builtin::WarpId
            | Builtin::LaneMask(_) => {
                let size = self.size(id)?;
                let reg = match self.builtins.get(&(builtin, size)) {
                    Some(known) => *known,
                    None => self.registers.allocate_permanent(size),
                };
                if self.builtins.insert((builtin, size), reg).is_none() {
                    self.code.preset.push((reg, Preset::Builtin(builtin)));
                }
                self.lanes[id] = Some(reg);
                Ok(())
            }
        }
    }

    /// Emits the computation of `id` from `values` by `f`, in lanes or uniform.
    pub(super) fn emit_map(&mut self, id: InstId, f: Option<LaneFn>, values: &[InstId]) -> Done {
        let f = f.ok_or_else(|| self.malformed("no such operation on this type"))?;
        let choice = self.choice.take();
        if self.varies(id) {
            let mut regs = [Reg::new(0, 1); 4];
            for (at, value) in values.iter().enumerate() {
                // Operands beyond the last are ignored.
                regs[at + 1..].fill(self.lanes(*value)?);
            }
            // A dead operand can make room for the result.
            self.registers.release_through(self.ranges.position(id));
            regs[0] = self.new_lanes(id)?;
            self.record_choice(choice);
            self.emit(Instr::Map { f, regs });
            return Ok(());
        }
        let mut slots = [Uniform::new(0, 1); 4];
        for (at, value) in values.iter().enumerate() {
            slots[at + 1..].fill(self.uniform(*value)?);
        }
        slots[0] = self.new_uniform(id)?;
        if self.are_launch_constants(&slots[1..=values.len()]) {
            self.compute_at_launch(f, slots);
            return Ok(());
        }
        self.record_choice(choice);
        self.emit(Instr::Uniform { f, slots });
        self.copy_to_lanes(id)
    }

    pub(super) fn emit_get(&mut self, id: InstId, local: LocalId) -> Done {
        if let Some(from) = self.local_lanes[local] {
            if self.locals.is_alias(id) {
                self.lanes[id] = Some(from);
            } else {
                let to = self.new_lanes(id)?;
                let f = lanes::copy(from.size(), self.isa);
                self.emit(Instr::Map { f, regs: [to, from, from, from] });
            }
            return Ok(());
        }
        let from = self.local_uniforms[local].ok_or_else(|| self.malformed("no such local"))?;
        let to = self.new_uniform(id)?;
        self.copy_uniform(to, from);
        self.copy_to_lanes(id)
    }

    pub(super) fn emit_set(&mut self, id: InstId, local: LocalId, value: InstId) -> Done {
        if self.locals.is_elided(id) {
            return Ok(());
        }
        if let Some(to) = self.local_lanes[local] {
            let spares = self.locals.preserves_waiting(id);
            if !self.is_in_lanes(value) {
                let from = self.uniform(value)?;
                let all = if spares { self.new_temporary(id, to.size()) } else { to };
                self.emit(Instr::Splat { to: all, from });
                if spares {
                    self.emit(Instr::Set { local: to, value: all });
                }
                return Ok(());
            }
            let from = self.lanes(value)?;
            if spares {
                self.emit(Instr::Set { local: to, value: from });
            } else {
                let f = lanes::copy(to.size(), self.isa);
                self.emit(Instr::Map { f, regs: [to, from, from, from] });
            }
            return Ok(());
        }
        let to = self.local_uniforms[local].ok_or_else(|| self.malformed("no such local"))?;
        let from = self.uniform(value)?;
        self.copy_uniform(to, from);
        Ok(())
    }

    /// Adds a message with its values; returns its index.
    pub(super) fn add_message(
        &mut self,
        message: MessageId,
        args: &[InstId],
    ) -> Result<u32, Malformed> {
        let values = args.iter().map(|arg| self.operand(*arg)).collect::<Result<_, _>>()?;
        self.code.messages.push(Message { message, values });
        Ok(self.code.messages.len() as u32 - 1)
    }

    /// Adds a word of an operation on matrices; returns its index.
    pub(super) fn add_matrix_word(
        &mut self,
        op: MatrixInstr,
        args: &[InstId],
        word: u8,
    ) -> Result<u32, Malformed> {
        let args = args.iter().map(|arg| self.operand(*arg)).collect::<Result<_, _>>()?;
        self.code.matrix_words.push(MatrixWord { op, args, word });
        Ok(self.code.matrix_words.len() as u32 - 1)
    }

    pub(super) fn emit_warp_instr(&mut self, op: WarpInstr, mask: Option<InstId>) -> Done {
        let mask = match mask {
            Some(mask) => Some(self.operand(mask)?),
            None => None,
        };
        self.emit(Instr::Warp { op, mask });
        Ok(())
    }
}
