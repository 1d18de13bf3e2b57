//! Operations that are fused with some of their operands.
use super::{Done, Emitter};
use crate::{
    bytecode::{AffineLoad, Instr, Malformed, Product},
    vector::{
        lanes::{self, LaneFn, OperandPosition, fused, with_uniform},
        registers::Reg,
    },
};
use warpwise_compiler::ir::{CompareOp, InstId, Op};

impl Emitter<'_> {
    /// Emits the operation `id` with its operand `inner` fused into it.
    pub(super) fn emit_fused(&mut self, id: InstId, inner: InstId) -> Done {
        let Op::Binary { op: first, lhs: a, rhs: b } = self.kernel.insts[inner].op else {
            return Err(self.malformed("an operand that is no operation"));
        };
        let scalar = self.scalar(inner)?;
        let one = self.fusion.uniform_operand(id);
        let how = fused::LoopSpec { isa: self.isa, one: one.is_some() };
        let op = &self.kernel.insts[id].op;
        let (f, c) = if let Op::Binary { op, lhs, rhs } = *op {
            let is_left = lhs == inner;
            let f = fused::binary(first, op, is_left, scalar, how);
            (f, if is_left { rhs } else { lhs })
        } else if let Op::Compare { op, lhs, rhs } = *op {
            let is_left = lhs == inner;
            let op = if is_left { op } else { mirror(op) };
            (fused::compare(first, op, scalar, how), if is_left { rhs } else { lhs })
        } else {
            (None, inner)
        };
        let f: LaneFn = f.ok_or_else(|| self.cannot_fuse())?;
        let operands = [(OperandPosition::A, a), (OperandPosition::B, b), (OperandPosition::C, c)];
        self.emit_map_with(id, f, &operands, one.map(|_| OperandPosition::C))
    }

    /// Emits the operation `id` on lanes and one uniform operand.
    pub(super) fn emit_with_uniform_operand(&mut self, id: InstId, one: InstId) -> Done {
        let scalar = self.scalar(id)?;
        let op = &self.kernel.insts[id].op;
        if let Op::Binary { op, lhs, rhs } = *op {
            let place = if lhs == one { OperandPosition::A } else { OperandPosition::B };
            let f = with_uniform::binary(op, scalar, place, self.isa);
            let f = f.ok_or_else(|| self.cannot_fuse())?;
            self.emit_map_with(
                id,
                f,
                &[(OperandPosition::A, lhs), (OperandPosition::B, rhs)],
                Some(place),
            )
        } else if let Op::Fma { a, b, c } = *op {
            let operands =
                [(OperandPosition::A, a), (OperandPosition::B, b), (OperandPosition::C, c)];
            let place = operands.into_iter().find(|(_, operand)| *operand == one);
            let (place, _) = place.ok_or_else(|| self.cannot_fuse())?;
            let f = with_uniform::fma(scalar, place, self.isa).ok_or_else(|| self.cannot_fuse())?;
            self.emit_map_with(id, f, &operands, Some(place))
        } else {
            Err(self.cannot_fuse())
        }
    }

    /// Emits the operation `id` on `operands`, of which one may be uniform.
    fn emit_map_with(
        &mut self,
        id: InstId,
        f: LaneFn,
        operands: &[(OperandPosition, InstId)],
        one: Option<OperandPosition>,
    ) -> Done {
        let (mut lanes, mut single) = ([None; 3], None);
        for (place, value) in operands {
            if one == Some(*place) {
                single = Some((*place, self.uniform(*value)?));
            } else {
                lanes[*place as usize] = Some(self.lanes(*value)?);
            }
        }
        // The tracking of undefined values reads all operands; a missing one repeats another.
        let any = lanes.into_iter().flatten().next().ok_or_else(|| self.cannot_fuse())?;
        let [a, b, c] = lanes.map(|reg| reg.unwrap_or(any));
        // A dead operand can make room for the result.
        self.registers.release_through(self.ranges.position(id));
        let regs = [self.new_lanes(id)?, a, b, c];
        self.emit(match single {
            Some((place, one)) => Instr::MapWithOne { f, regs, place, one },
            None => Instr::Map { f, regs },
        });
        Ok(())
    }

    /// Emits two loads and the multiply-add of their values with `c`.
    pub(super) fn emit_fma_of_loads(
        &mut self,
        id: InstId,
        factors: [InstId; 2],
        c: InstId,
    ) -> Done {
        let f = lanes::fma(self.scalar(id)?, self.isa).ok_or_else(|| self.cannot_fuse())?;
        let c = self.lanes(c)?;
        let [a, b] = factors;
        let factors = [self.temporary_load(id, a)?, self.temporary_load(id, b)?];
        let to = self.new_lanes(id)?;
        self.code.products.push(Product { to, c, factors, f });
        self.emit(Instr::FmaOfLoads { product: self.code.products.len() as u32 - 1 });
        Ok(())
    }

    /// Emits the multiply-add with `c` of two values that earlier instructions have loaded, so that
    /// undefined factors can be tracked.
    pub(super) fn emit_fma_of_loaded(
        &mut self,
        id: InstId,
        factors: [InstId; 2],
        c: InstId,
    ) -> Done {
        let f = lanes::fma(self.scalar(id)?, self.isa).ok_or_else(|| self.cannot_fuse())?;
        let [a, b] = factors;
        let lanes = [self.lanes(a)?, self.lanes(b)?, self.lanes(c)?];
        let factors = [self.load_to(lanes[0], a)?, self.load_to(lanes[1], b)?];
        self.emit_map(id, Some(f), &[a, b, c])?;
        if let Some(Instr::Map { regs: [to, ..], .. }) = self.code.instrs.last() {
            let product = self.code.products.len() as u32;
            self.code.products.push(Product { to: *to, c: lanes[2], factors, f });
            self.multiplied.insert(self.code.instrs.len() - 1, product);
        }
        Ok(())
    }

    fn temporary_load(&mut self, id: InstId, load: InstId) -> Result<AffineLoad, Malformed> {
        let to = self.new_temporary(id, self.size(load)?);
        self.load_to(to, load)
    }

    fn load_to(&mut self, to: Reg, load: InstId) -> Result<AffineLoad, Malformed> {
        let from = self.loaded.get(&load).copied().ok_or_else(|| self.cannot_fuse())?;
        let (walk, copy) = (self.walk_index(from, to.size())?, self.copy_words(to.size()));
        Ok(AffineLoad { to, from, walk, copy })
    }

    fn cannot_fuse(&self) -> Malformed {
        self.malformed("operations that are not computed together")
    }
}

/// Returns the comparison with its operands exchanged.
pub(super) const fn mirror(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Eq => CompareOp::Eq,
        CompareOp::Ne => CompareOp::Ne,
        CompareOp::Lt => CompareOp::Gt,
        CompareOp::Le => CompareOp::Ge,
        CompareOp::Gt => CompareOp::Lt,
        CompareOp::Ge => CompareOp::Le,
    }
}
