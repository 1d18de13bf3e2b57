//! Affine values: what all lanes have in common is computed once, and what each has of its own
//! before the first step.
use super::{
    Done, Emitter,
    control_flow::{Range, leave_for},
    fused::mirrored,
};
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
use warpwise_compiler::ir::{Axis, BinaryOp, Body, Builtin, CompareOp, InstId, Op, Scalar};

/// A value's parts: what is the same in all lanes, and the slope along each axis.
#[derive(Clone, Copy)]
struct Parts {
    base: Uniform,
    by: [Option<Uniform>; 3],
}

/// What is computed once for each launch, to find it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Launched {
    Binary(BinaryOp, Uniform, Uniform),
    Cast(Scalar, Scalar, Uniform),
}

impl Emitter<'_> {
    /// Computes an affine value that is no other one under a new name.
    pub(super) fn affine(&mut self, id: InstId) -> Done {
        let Some(parts) = self.parts_of_inst(id)? else { return Ok(()) };
        self.hold(id, parts)
    }

    /// Notes where the parts of an affine value are; in lanes, too, if somebody wants it there.
    fn hold(&mut self, id: InstId, Parts { base, by }: Parts) -> Done {
        let value = self.affine_of(base, by)?;
        self.affines[id] = Some(value);
        if self.ranges.needs_lanes(id) {
            self.registers.release_through(self.ranges.position(id));
            let to = self.new_lanes(id)?;
            self.step(Instr::Spread { to, from: value });
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
                self.code.preset.push((lanes, Preset::Slope(self.number(slope)?)));
                slope
            }
        };
        let lanes = self.code.slopes[slope].lanes;
        Ok(Affine { base, slope: self.number(slope)?, lanes })
    }

    fn number(&self, number: usize) -> Result<u16, Malformed> {
        u16::try_from(number).map_err(|_| self.malformed("more than 65536 affine values"))
    }

    /// The parts of what an instruction computes; nothing if it is an address that only accesses need.
    fn parts_of_inst(&mut self, id: InstId) -> Result<Option<Parts>, Malformed> {
        let kernel = self.kernel;
        let op = &kernel.insts[id].op;
        let parts = if let Op::Builtin(builtin) = op {
            self.builtin_parts(id, *builtin)?
        } else if let Op::Binary { op, lhs, rhs } = op {
            self.binary_parts(*op, self.scalar(id)?, *lhs, *rhs)?
        } else if let Op::Cast { value } = op {
            let parts = self.parts(*value)?;
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
            let Parts { base, by } = self.parts(*base)?;
            let (one, offset) = (self.constant(1, 8), self.constant(offset, 8));
            let to = self.slot(8);
            let slots = [to, base, one, offset];
            self.step(Instr::Integer { op: IntegerOp::Common, slots });
            Parts { base: to, by }
        } else {
            return Err(self.malformed("a value that is not affine"));
        };
        Ok(Some(parts))
    }

    /// The parts of an operand.
    fn parts(&mut self, value: InstId) -> Result<Parts, Malformed> {
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
        Ok(Parts { base: self.given(base, size), by })
    }

    fn binary_parts(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        lhs: InstId,
        rhs: InstId,
    ) -> Result<Parts, Malformed> {
        let (lhs, rhs) = (self.parts(lhs)?, self.parts(rhs)?);
        let base = self.once(op, scalar, lhs.base, rhs.base)?;
        let mut by = [None; 3];
        for (axis, by) in by.iter_mut().enumerate() {
            *by = match op {
                BinaryOp::Add | BinaryOp::Sub => {
                    self.sum(op, scalar, lhs.by[axis], rhs.by[axis])?
                }
                _ => match (lhs.by[axis], rhs.by[axis]) {
                    (Some(by), _) => Some(self.once(op, scalar, by, rhs.base)?),
                    (None, Some(by)) => Some(self.once(op, scalar, lhs.base, by)?),
                    (None, None) => None,
                },
            };
        }
        Ok(Parts { base, by })
    }

    fn sum(
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
                Some(self.once(op, scalar, zero, rhs)?)
            }
            (Some(lhs), Some(rhs)) => Some(self.once(op, scalar, lhs, rhs)?),
        })
    }

    fn cast_parts(&mut self, parts: Parts, from: Scalar, to: Scalar) -> Result<Parts, Malformed> {
        if from.size() == to.size() {
            return Ok(parts);
        }
        let mut by = [None; 3];
        for (by, part) in by.iter_mut().zip(parts.by) {
            *by = match part {
                Some(part) => Some(self.cast_once(from, to, part)?),
                None => None,
            };
        }
        Ok(Parts { base: self.cast_once(from, to, parts.base)?, by })
    }

    /// An address, `index` times `stride` bytes behind another one.
    fn index_parts(&mut self, ptr: InstId, index: InstId, stride: u64) -> Result<Parts, Malformed> {
        let scalar = self.scalar(index)?;
        let (ptr, index) = (self.parts(ptr)?, self.parts(index)?);
        let index = self.cast_parts(index, scalar, Scalar::U64)?;
        let stride = self.constant(stride, 8);
        let base = if self.is_zero(index.base) {
            ptr.base
        } else {
            let to = self.slot(8);
            let slots = [to, ptr.base, index.base, stride];
            self.step(Instr::Integer { op: IntegerOp::Common, slots });
            to
        };
        let mut by = [None; 3];
        for (axis, by) in by.iter_mut().enumerate() {
            let more = match index.by[axis] {
                Some(more) => Some(self.once(BinaryOp::Mul, Scalar::U64, more, stride)?),
                None => None,
            };
            *by = self.sum(BinaryOp::Add, Scalar::U64, ptr.by[axis], more)?;
        }
        Ok(Parts { base, by })
    }

    fn is_zero(&self, value: Uniform) -> bool {
        self.stands[value.slot()] == Some(Input::Const(0))
    }

    /// Computes a uniform value of two others.
    fn once(
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
        Ok(self.uniform_of(f, Launched::Binary(op, lhs, rhs), &[lhs, rhs], lhs.size()))
    }

    fn cast_once(
        &mut self,
        from: Scalar,
        to: Scalar,
        value: Uniform,
    ) -> Result<Uniform, Malformed> {
        let f = lanes::cast(from, to, self.isa);
        let f = f.ok_or_else(|| self.malformed("a cast of something else than integers"))?;
        let size = to.size().ok_or_else(|| self.malformed("a generic type"))?;
        if keeps_bits(from, to) && !self.launches(&[value]) {
            return Ok(self.widened(value, size as usize));
        }
        Ok(self.uniform_of(f, Launched::Cast(from, to, value), &[value], size as usize))
    }

    /// A cast of a uniform integer that keeps its bits.
    pub(super) fn widen(&mut self, id: InstId, value: InstId) -> Done {
        let value = self.uniform(value)?;
        let to = self.widened(value, self.size(id)?);
        self.uniforms[id] = Some(to);
        self.spread(id)
    }

    /// The low bytes of a uniform integer, or zeros before it.
    pub(super) fn widened(&mut self, value: Uniform, size: usize) -> Uniform {
        let to = self.slot(size);
        self.copy_uniform(to, value);
        to
    }

    /// Copies a uniform value of any type: as the sum with 0, which is in proportion to the number of the round
    /// if the value is.
    pub(super) fn copy_uniform(&mut self, to: Uniform, from: Uniform) {
        let zero = self.constant(0, to.size());
        self.step(Instr::Integer { op: IntegerOp::Add, slots: [to, from, zero, zero] });
    }

    /// A new uniform value; one that stands for the launch is computed once only.
    fn uniform_of(
        &mut self,
        f: LaneFn,
        launched: Launched,
        values: &[Uniform],
        size: usize,
    ) -> Uniform {
        if let Some(known) = self.launched.get(&launched) {
            return *known;
        }
        let to = self.slot(size);
        let mut slots = [to; 4];
        for (at, value) in values.iter().enumerate() {
            // The operands behind the last are not looked at.
            slots[at + 1..].fill(*value);
        }
        if self.launches(values) {
            self.launch(f, slots);
            self.launched.insert(launched, to);
        } else if let Launched::Binary(op, ..) = launched
            && let Some(op) = integer_op(op)
        {
            self.step(Instr::Integer { op, slots });
        } else {
            self.step(Instr::Uniform { f, slots });
        }
        to
    }

    /// A sum, difference or product of uniform integers.
    pub(super) fn integer(&mut self, id: InstId, op: BinaryOp, lhs: InstId, rhs: InstId) -> Done {
        let (scalar, lhs, rhs) = (self.scalar(id)?, self.uniform(lhs)?, self.uniform(rhs)?);
        let to = self.once(op, scalar, lhs, rhs)?;
        self.uniforms[id] = Some(to);
        if self.stands[to.slot()].is_some() { Ok(()) } else { self.spread(id) }
    }

    /// Whether a value is a uniform integer that needs no call.
    pub(super) fn is_integer(&self, id: InstId, op: BinaryOp) -> Result<bool, Malformed> {
        Ok(!self.varies(id) && self.scalar(id)?.is_int() && integer_op(op).is_some())
    }

    /// Whether all of these stand for the launch.
    pub(super) fn launches(&self, values: &[Uniform]) -> bool {
        let stands = |value: &Uniform| self.stands[value.slot()];
        values.iter().all(|value| stands(value).is_some_and(|given| !given.depends_on_block()))
    }

    /// Whether a uniform value stands for the launch.
    pub(super) fn is_launched(&self, value: InstId) -> Result<bool, Malformed> {
        Ok(self.launches(&[self.uniform(value)?]))
    }

    /// Computes a value before the first step, once for each launch.
    pub(super) fn launch(&mut self, f: LaneFn, slots: [Uniform; 4]) {
        self.stands[slots[0].slot()] = Some(Input::Launch);
        self.code.launch.push((f, slots));
    }

    /// How an access by an affine address goes over the lanes, of words of `word` bytes.
    pub(super) fn walk(&mut self, at: Address<Affine>, word: usize) -> Result<u16, Malformed> {
        let stride = match at {
            Address::Element { stride, .. } => stride,
            Address::Pointer { .. } => 1,
        };
        let walk = WalkSpec { slope: at.index().slope, stride, word };
        let known = self.code.walks.iter().position(|known| *known == walk);
        if known.is_none() {
            self.code.walks.push(walk);
        }
        self.number(known.unwrap_or(self.code.walks.len() - 1))
    }

    pub(super) fn copy_words(&self, size: usize) -> CopyWords {
        CopyWords::pick(size, self.isa)
    }

    /// Compares an affine value with a uniform one.
    pub(super) fn compare(&mut self, id: InstId, op: CompareOp, lhs: InstId, rhs: InstId) -> Done {
        let scalar = self.scalar(lhs)?;
        let (op, value, with) = match (self.operand(lhs)?, self.operand(rhs)?) {
            (Operand::Affine(value), Operand::Uniform(with)) => (op, value, with),
            (Operand::Uniform(with), Operand::Affine(value)) => (mirrored(op), value, with),
            _ => return Err(self.malformed("a comparison that is not of an affine value")),
        };
        self.registers.release_through(self.ranges.position(id));
        let to = self.new_lanes(id)?;
        let compare = self.comparison(id, (op, scalar), to, value, with)?;
        self.compared.insert(id, compare);
        self.step(Instr::Compare { compare });
        Ok(())
    }

    /// The number of a new comparison of an affine value with a uniform one.
    fn comparison(
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
        let lanes = [self.temporary(id, size), self.temporary(id, size)];
        let signed = scalar.is_signed();
        self.code.compares.push(Compare { op, signed, to, value, with, f, lanes });
        Ok(self.code.compares.len() as u32 - 1)
    }

    /// Each lane begins somewhere else and leaves when it is through; all go on by the same steps.
    pub(super) fn for_affine(&mut self, id: InstId, range: Range, body: &Body) -> Done {
        let first = self.stands.len();
        let scalar = self.scalar(id)?;
        let unsigned = self.unsigned(scalar)?;
        let start = self.parts(range.start)?;
        let (end_value, step) = (self.uniform(range.end)?, self.uniform(range.step)?);
        let below = if range.inclusive { CompareOp::Le } else { CompareOp::Lt };
        let copy = lanes::copy(start.base.size(), self.isa);
        let [base, distance] = [self.slot(start.base.size()), self.slot(start.base.size())];
        self.step(Instr::Uniform { f: copy, slots: [base, start.base, start.base, start.base] });
        let mut left = [None; 3];
        for (left, by) in left.iter_mut().zip(start.by) {
            *left = self.sum(BinaryOp::Sub, unsigned, None, by)?;
        }
        let counter = self.affine_of(base, start.by)?;
        let distance = self.affine_of(distance, left)?;
        let cond = self.temporary(id, 1);
        let (head, next, end) = (self.label(), self.label(), self.label());
        let frame = self.enter(id, next, end);
        let leave = Leave::Break { frame: frame.ok_or_else(|| self.malformed("no frame"))? };
        self.count_head(id);
        let enters = self.comparison(id, (below, scalar), cond, counter, end_value)?;
        let through = leave_for(leave, When::Unless(cond), self.count_leave(id, None));
        self.stay_by(enters, head);
        self.step(through);
        self.bind(head);
        self.hold(id, Parts { base, by: start.by })?;
        self.iteration(id);
        self.body(body)?;
        self.span = self.kernel.insts[id].span;
        self.bind(next);
        self.step(Instr::Regather);
        self.count_iteration(id);
        let slots = [distance.base, end_value, base, base];
        self.step(Instr::Integer { op: IntegerOp::Sub, slots });
        let again = self.comparison(id, (mirrored(below), unsigned), cond, distance, step)?;
        let advance = self.label();
        self.stay_by(again, advance);
        self.step(through);
        self.bind(advance);
        self.step(Instr::Integer { op: IntegerOp::Add, slots: [base, base, step, step] });
        self.back(id, body, head);
        self.exit(frame, end);
        if self.rewritten.is_observed() {
            self.forget_from(first, frame);
            return Ok(());
        }
        // Where nobody looks on, the same for those that are different in any case.
        let zero = self.constant(0, base.size());
        for slot in [base, distance.base] {
            self.step(Instr::Uniform { f: copy, slots: [slot, zero, zero, zero] });
        }
        Ok(())
    }
}

/// Whether a cast drops high bits, or puts zeros before them.
pub(super) fn keeps_bits(from: Scalar, to: Scalar) -> bool {
    from.is_int() && to.is_int() && (!from.is_signed() || to.size() <= from.size())
}

/// The operation, if it needs no call.
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
