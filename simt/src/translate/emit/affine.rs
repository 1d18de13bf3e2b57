//! Affine values: the part that all lanes share is computed once, and the part of each lane before
//! the first instruction.
use super::{Done, Emitter, control_flow::leave_instr, fused::mirror};
use crate::{
    bytecode::{
        Address, Compare, Input, Instr, IntegerOp, Leave, Malformed, Operand, Preset, Slope,
        WalkSpec, When,
    },
    vector::{
        lanes::{self, LaneFn, copy::CopyWords},
        registers::{Affine, Reg, Uniform},
    },
};
use warpwise_compiler::ir::{
    Axis, BinaryOp, Body, Builtin, CompareOp, ForRange, InstId, Op, Scalar,
};

/// The parts of a value: the part that lanes share, and the slope along each axis.
#[derive(Clone, Copy)]
struct Parts {
    base: Uniform,
    by: [Option<Uniform>; 3],
}

/// The computation of a launch constant, as a key for its reuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum LaunchValue {
    Binary(BinaryOp, Uniform, Uniform),
    Cast(Scalar, Scalar, Uniform),
}

impl Emitter<'_> {
    /// Emits an affine value that does not rename another one.
    pub(super) fn emit_affine(&mut self, id: InstId) -> Done {
        let Some(parts) = self.parts_of_inst(id)? else { return Ok(()) };
        self.place_affine(id, parts)
    }

    /// Records the parts of an affine value, and copies it to lanes if it is needed there.
    fn place_affine(&mut self, id: InstId, Parts { base, by }: Parts) -> Done {
        let value = self.affine_of(base, by)?;
        self.affines[id] = Some(value);
        if self.ranges.needs_lanes(id) {
            self.registers.release_through(self.ranges.position(id));
            let to = self.new_lanes(id)?;
            self.emit(Instr::Spread { to, from: value });
        }
        Ok(())
    }

    fn affine_of(&mut self, base: Uniform, by: [Option<Uniform>; 3]) -> Result<Affine, Malformed> {
        let size = base.size();
        let known = |slope: &Slope| slope.by == by && slope.lanes.size() == size;
        let slope = match self.code.slopes.iter().position(known) {
            Some(slope) => slope,
            None => {
                let lanes = self.registers.allocate_permanent(size);
                self.code.slopes.push(Slope { by, lanes });
                let slope = self.code.slopes.len() - 1;
                self.code.preset.push((lanes, Preset::Slope(self.table_index(slope)?)));
                slope
            }
        };
        let lanes = self.code.slopes[slope].lanes;
        Ok(Affine { base, slope: self.table_index(slope)?, lanes })
    }

    fn table_index(&self, number: usize) -> Result<u16, Malformed> {
        u16::try_from(number).map_err(|_| self.malformed("more than 65536 affine values"))
    }

    /// Returns the parts of an instruction's value; `None` for an address that only accesses need.
    fn parts_of_inst(&mut self, id: InstId) -> Result<Option<Parts>, Malformed> {
        let kernel = self.kernel;
        let op = &kernel.insts[id].op;
        let parts = if let Op::Builtin(builtin) = op {
            self.builtin_parts(id, *builtin)?
        } else if let Op::Binary { op, lhs, rhs } = op {
            self.binary_parts(*op, self.scalar(id)?, *lhs, *rhs)?
        } else if let Op::Cast { value } = op {
            let parts = self.operand_parts(*value)?;
            self.cast_parts(parts, self.scalar(*value)?, self.scalar(id)?)?
        } else if let Op::Index { base, index, stride } = op {
            if !self.ranges.needs_address(id) {
                return Ok(None);
            }
            let stride = stride.known().ok_or_else(|| self.malformed("a generic stride"))?;
            self.index_parts(*base, *index, stride)?
        } else if let Op::Offset { base, offset } = op {
            if !self.ranges.needs_address(id) {
                return Ok(None);
            }
            let offset = offset.known().ok_or_else(|| self.malformed("a generic offset"))?;
            let Parts { base, by } = self.operand_parts(*base)?;
            let (one, offset) = (self.constant(1, 8), self.constant(offset, 8));
            let to = self.new_slot(8);
            let slots = [to, base, one, offset];
            self.emit(Instr::Integer { op: IntegerOp::Common, slots });
            Parts { base: to, by }
        } else {
            return Err(self.malformed("a value that is not affine"));
        };
        Ok(Some(parts))
    }

    /// Returns the parts of an operand.
    fn operand_parts(&mut self, value: InstId) -> Result<Parts, Malformed> {
        match self.operand(value)? {
            Operand::Affine(Affine { base, slope, .. }) => {
                Ok(Parts { base, by: self.code.slopes[usize::from(slope)].by })
            }
            Operand::Uniform(base) => Ok(Parts { base, by: [None; 3] }),
            Operand::Lanes(_) => Err(self.malformed("a part that is not affine")),
        }
    }

    fn builtin_parts(&mut self, id: InstId, builtin: Builtin) -> Result<Parts, Malformed> {
        let size = self.size(id)?;
        let (axis, base) = match builtin {
            Builtin::ThreadIdx(axis) => (axis, Input::Const(0)),
            Builtin::GlobalIdx(axis) => (axis, Input::GlobalIdx(axis)),
            Builtin::LaneId
            | Builtin::WarpId
            | Builtin::LaneMask(_)
            | Builtin::BlockIdx(_)
            | Builtin::BlockDim(_)
            | Builtin::GridDim(_)
            | Builtin::CoarseningFactor => {
                return Err(self.malformed("a builtin that is not affine"));
            }
        };
        let mut by = [None; 3];
        by[match axis {
            Axis::X => 0,
            Axis::Y => 1,
            Axis::Z => 2,
        }] = Some(self.constant(1, size));
        Ok(Parts { base: self.input(base, size), by })
    }

    fn binary_parts(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        lhs: InstId,
        rhs: InstId,
    ) -> Result<Parts, Malformed> {
        let (lhs, rhs) = (self.operand_parts(lhs)?, self.operand_parts(rhs)?);
        let base = self.compute_uniform(op, scalar, lhs.base, rhs.base)?;
        let mut by = [None; 3];
        for (axis, by) in by.iter_mut().enumerate() {
            *by = match op {
                BinaryOp::Add | BinaryOp::Sub => {
                    self.add_slopes(op, scalar, lhs.by[axis], rhs.by[axis])?
                }
                _ => match (lhs.by[axis], rhs.by[axis]) {
                    (Some(by), _) => Some(self.compute_uniform(op, scalar, by, rhs.base)?),
                    (None, Some(by)) => Some(self.compute_uniform(op, scalar, lhs.base, by)?),
                    (None, None) => None,
                },
            };
        }
        Ok(Parts { base, by })
    }

    fn add_slopes(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        lhs: Option<Uniform>,
        rhs: Option<Uniform>,
    ) -> Result<Option<Uniform>, Malformed> {
        Ok(match (lhs, rhs) {
            (lhs, None) => lhs,
            (None, Some(rhs)) if op == BinaryOp::Add => Some(rhs),
            (None, Some(rhs)) => {
                let zero = self.constant(0, rhs.size());
                Some(self.compute_uniform(op, scalar, zero, rhs)?)
            }
            (Some(lhs), Some(rhs)) => Some(self.compute_uniform(op, scalar, lhs, rhs)?),
        })
    }

    fn cast_parts(&mut self, parts: Parts, from: Scalar, to: Scalar) -> Result<Parts, Malformed> {
        if from.size() == to.size() {
            return Ok(parts);
        }
        let mut by = [None; 3];
        for (by, part) in by.iter_mut().zip(parts.by) {
            *by = match part {
                Some(part) => Some(self.cast_uniform(from, to, part)?),
                None => None,
            };
        }
        Ok(Parts { base: self.cast_uniform(from, to, parts.base)?, by })
    }

    /// Returns an address `index` times `stride` bytes after another one.
    fn index_parts(&mut self, ptr: InstId, index: InstId, stride: u64) -> Result<Parts, Malformed> {
        let scalar = self.scalar(index)?;
        let (ptr, index) = (self.operand_parts(ptr)?, self.operand_parts(index)?);
        let index = self.cast_parts(index, scalar, Scalar::U64)?;
        let stride = self.constant(stride, 8);
        let base = if self.is_zero(index.base) {
            ptr.base
        } else {
            let to = self.new_slot(8);
            let slots = [to, ptr.base, index.base, stride];
            self.emit(Instr::Integer { op: IntegerOp::Common, slots });
            to
        };
        let mut by = [None; 3];
        for (axis, by) in by.iter_mut().enumerate() {
            let more = match index.by[axis] {
                Some(more) => {
                    Some(self.compute_uniform(BinaryOp::Mul, Scalar::U64, more, stride)?)
                }
                None => None,
            };
            *by = self.add_slopes(BinaryOp::Add, Scalar::U64, ptr.by[axis], more)?;
        }
        Ok(Parts { base, by })
    }

    fn is_zero(&self, value: Uniform) -> bool {
        self.slot_inputs[value.slot()] == Some(Input::Const(0))
    }

    /// Computes a uniform value from two others.
    fn compute_uniform(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        lhs: Uniform,
        rhs: Uniform,
    ) -> Result<Uniform, Malformed> {
        match op {
            BinaryOp::Add if self.is_zero(lhs) => return Ok(rhs),
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Shl if self.is_zero(rhs) => return Ok(lhs),
            BinaryOp::Mul | BinaryOp::Shl if self.is_zero(lhs) => return Ok(lhs),
            _ => {}
        }
        let f = lanes::binary(op, scalar, self.isa);
        let f = f.ok_or_else(|| self.malformed("no such operation on this type"))?;
        Ok(self.uniform_result(f, LaunchValue::Binary(op, lhs, rhs), &[lhs, rhs], lhs.size()))
    }

    fn cast_uniform(
        &mut self,
        from: Scalar,
        to: Scalar,
        value: Uniform,
    ) -> Result<Uniform, Malformed> {
        let f = lanes::cast(from, to, self.isa);
        let f = f.ok_or_else(|| self.malformed("a cast of something else than integers"))?;
        let size = to.size().ok_or_else(|| self.malformed("a generic type"))?;
        if keeps_bits(from, to) && !self.are_launch_constants(&[value]) {
            return Ok(self.widen(value, size as usize));
        }
        Ok(self.uniform_result(f, LaunchValue::Cast(from, to, value), &[value], size as usize))
    }

    /// Emits a cast of a uniform integer that keeps its bits.
    pub(super) fn emit_widening(&mut self, id: InstId, value: InstId) -> Done {
        let value = self.uniform(value)?;
        let to = self.widen(value, self.size(id)?);
        self.uniforms[id] = Some(to);
        self.copy_to_lanes(id)
    }

    /// Returns the low bytes of a uniform integer, or the integer extended with zeros.
    pub(super) fn widen(&mut self, value: Uniform, size: usize) -> Uniform {
        let to = self.new_slot(size);
        self.copy_uniform(to, value);
        to
    }

    /// Copies a uniform value of any type: as the sum with 0, which is linear in the number of the
    /// round if the value is.
    pub(super) fn copy_uniform(&mut self, to: Uniform, from: Uniform) {
        let zero = self.constant(0, to.size());
        self.emit(Instr::Integer { op: IntegerOp::Add, slots: [to, from, zero, zero] });
    }

    /// Returns a new uniform value; a launch constant is computed once only.
    fn uniform_result(
        &mut self,
        f: LaneFn,
        computation: LaunchValue,
        values: &[Uniform],
        size: usize,
    ) -> Uniform {
        if let Some(known) = self.launch_values.get(&computation) {
            return *known;
        }
        let to = self.new_slot(size);
        let mut slots = [to; 4];
        for (at, value) in values.iter().enumerate() {
            // Operands beyond the last are ignored.
            slots[at + 1..].fill(*value);
        }
        if self.are_launch_constants(values) {
            self.compute_at_launch(f, slots);
            self.launch_values.insert(computation, to);
        } else if let LaunchValue::Binary(op, ..) = computation
            && let Some(op) = integer_op(op)
        {
            self.emit(Instr::Integer { op, slots });
        } else {
            self.emit(Instr::Uniform { f, slots });
        }
        to
    }

    /// Emits a sum, difference or product of uniform integers.
    pub(super) fn emit_integer(
        &mut self,
        id: InstId,
        op: BinaryOp,
        lhs: InstId,
        rhs: InstId,
    ) -> Done {
        let (scalar, lhs, rhs) = (self.scalar(id)?, self.uniform(lhs)?, self.uniform(rhs)?);
        let to = self.compute_uniform(op, scalar, lhs, rhs)?;
        self.uniforms[id] = Some(to);
        if self.slot_inputs[to.slot()].is_some() { Ok(()) } else { self.copy_to_lanes(id) }
    }

    /// Returns true for a uniform integer operation that needs no call.
    pub(super) fn is_integer(&self, id: InstId, op: BinaryOp) -> Result<bool, Malformed> {
        Ok(!self.varies(id) && self.scalar(id)?.is_int() && integer_op(op).is_some())
    }

    /// Returns true if all values are launch constants.
    pub(super) fn are_launch_constants(&self, values: &[Uniform]) -> bool {
        let stands = |value: &Uniform| self.slot_inputs[value.slot()];
        values.iter().all(|value| stands(value).is_some_and(|input| !input.depends_on_block()))
    }

    /// Returns true if a uniform value is a launch constant.
    pub(super) fn is_launch_constant(&self, value: InstId) -> Result<bool, Malformed> {
        Ok(self.are_launch_constants(&[self.uniform(value)?]))
    }

    /// Computes a value once per launch, before the first instruction.
    pub(super) fn compute_at_launch(&mut self, f: LaneFn, slots: [Uniform; 4]) {
        self.slot_inputs[slots[0].slot()] = Some(Input::Launch);
        self.code.launch.push((f, slots));
    }

    /// Returns the index of the walk of an access by an affine address, of words of `word` bytes.
    pub(super) fn walk_index(
        &mut self,
        at: Address<Affine>,
        word: usize,
    ) -> Result<u16, Malformed> {
        let stride = match at {
            Address::Element { stride, .. } => stride,
            Address::Pointer { .. } => 1,
        };
        let walk = WalkSpec { slope: at.index().slope, stride, word };
        let known = self.code.walks.iter().position(|known| *known == walk);
        if known.is_none() {
            self.code.walks.push(walk);
        }
        self.table_index(known.unwrap_or(self.code.walks.len() - 1))
    }

    pub(super) fn copy_words(&self, size: usize) -> CopyWords {
        CopyWords::pick(size, self.isa)
    }

    /// Emits a comparison of an affine value with a uniform one.
    pub(super) fn emit_compare(
        &mut self,
        id: InstId,
        op: CompareOp,
        lhs: InstId,
        rhs: InstId,
    ) -> Done {
        let scalar = self.scalar(lhs)?;
        let (op, value, with) = match (self.operand(lhs)?, self.operand(rhs)?) {
            (Operand::Affine(value), Operand::Uniform(with)) => (op, value, with),
            (Operand::Uniform(with), Operand::Affine(value)) => (mirror(op), value, with),
            _ => return Err(self.malformed("a comparison that is not of an affine value")),
        };
        self.registers.release_through(self.ranges.position(id));
        let to = self.new_lanes(id)?;
        let compare = self.new_comparison(id, (op, scalar), to, value, with)?;
        self.compared.insert(id, compare);
        self.emit(Instr::Compare { compare });
        Ok(())
    }

    /// Returns the index of a new comparison of an affine value with a uniform one.
    fn new_comparison(
        &mut self,
        id: InstId,
        (op, scalar): (CompareOp, Scalar),
        to: Reg,
        value: Affine,
        with: Uniform,
    ) -> Result<u32, Malformed> {
        let f = lanes::compare(op, scalar, self.isa);
        let f = f.ok_or_else(|| self.malformed("a comparison of something else than integers"))?;
        let size = with.size();
        let lanes = [self.new_temporary(id, size), self.new_temporary(id, size)];
        let signed = scalar.is_signed();
        self.code.compares.push(Compare { op, signed, to, value, with, f, lanes });
        Ok(self.code.compares.len() as u32 - 1)
    }

    /// Emits a `for` with an affine counter: each lane starts elsewhere and leaves after its last
    /// iteration; all advance by the same step.
    pub(super) fn emit_affine_for(&mut self, id: InstId, range: ForRange, body: &Body) -> Done {
        let first = self.slot_inputs.len();
        let scalar = self.scalar(id)?;
        let unsigned = self.unsigned_type(scalar)?;
        let start = self.operand_parts(range.start)?;
        let (end_value, step) = (self.uniform(range.end)?, self.uniform(range.step)?);
        let below = if range.inclusive { CompareOp::Le } else { CompareOp::Lt };
        let copy = lanes::copy(start.base.size(), self.isa);
        let [base, distance] = [self.new_slot(start.base.size()), self.new_slot(start.base.size())];
        self.emit(Instr::Uniform { f: copy, slots: [base, start.base, start.base, start.base] });
        let mut left = [None; 3];
        for (left, by) in left.iter_mut().zip(start.by) {
            *left = self.add_slopes(BinaryOp::Sub, unsigned, None, by)?;
        }
        let counter = self.affine_of(base, start.by)?;
        let distance = self.affine_of(distance, left)?;
        let cond = self.new_temporary(id, 1);
        let (head, next, end) = (self.new_label(), self.new_label(), self.new_label());
        let frame = self.enter_frame(id, next, end);
        let leave = Leave::Break { frame: frame.ok_or_else(|| self.malformed("no frame"))? };
        self.count_head(id);
        let enters = self.new_comparison(id, (below, scalar), cond, counter, end_value)?;
        let through = leave_instr(leave, When::Unless(cond), self.count_leave(id, None));
        self.emit_stay_decision(enters, head);
        self.emit(through);
        self.bind_label(head);
        self.place_affine(id, Parts { base, by: start.by })?;
        self.emit_iteration_point(id);
        self.emit_body(body)?;
        self.span = self.kernel.insts[id].span;
        self.bind_label(next);
        self.emit(Instr::Regather);
        self.count_iteration(id);
        let slots = [distance.base, end_value, base, base];
        self.emit(Instr::Integer { op: IntegerOp::Sub, slots });
        let again = self.new_comparison(id, (mirror(below), unsigned), cond, distance, step)?;
        let advance = self.new_label();
        self.emit_stay_decision(again, advance);
        self.emit(through);
        self.bind_label(advance);
        self.emit(Instr::Integer { op: IntegerOp::Add, slots: [base, base, step, step] });
        self.emit_back_edge(id, body, head);
        self.exit_frame(frame, end);
        if self.rewritten.is_observed() {
            self.clear_uniforms_from(first, frame);
            return Ok(());
        }
        // In a launch that is not observed, only uniform values that may differ between lanes are
        // cleared after the loop, so that their strands can merge.
        let zero = self.constant(0, base.size());
        for slot in [base, distance.base] {
            self.emit(Instr::Uniform { f: copy, slots: [slot, zero, zero, zero] });
        }
        Ok(())
    }
}

/// Returns true if a cast drops high bits, or extends with zeros.
pub(super) fn keeps_bits(from: Scalar, to: Scalar) -> bool {
    from.is_int() && to.is_int() && (!from.is_signed() || to.size() <= from.size())
}

/// Returns the operation, if it needs no call.
const fn integer_op(op: BinaryOp) -> Option<IntegerOp> {
    match op {
        BinaryOp::Add => Some(IntegerOp::Add),
        BinaryOp::Sub => Some(IntegerOp::Sub),
        BinaryOp::Mul => Some(IntegerOp::Mul),
        BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::MulHigh
        | BinaryOp::RotateLeft => None,
    }
}
