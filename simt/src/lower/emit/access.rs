//! Addresses, loads, stores and atomics.
use super::{Done, Emitter};
use crate::{
    code::{Address, Atomic, AtomicKind, Malformed, Operand, Step},
    lanes::{self, LaneFn, scan::Transfer},
    registers::{Reg, Uniform},
};
use warpwise_compiler::{
    id::Id,
    ir::{CompareOp, InstId, Op, Order, Scalar},
};

impl Emitter<'_> {
    /// The address of an element, as a value; not at all if only accesses need it.
    pub(super) fn index(&mut self, id: InstId, base: InstId, index: InstId, stride: u64) -> Done {
        if !self.ranges.needs_address(id) {
            return Ok(());
        }
        let f = lanes::offset(self.isa);
        if self.varies(id) {
            let base = self.lanes(base)?;
            let index = self.wide_lanes(id, index)?;
            let stride = self.constant_lanes(stride, 8)?;
            self.registers.release(self.ranges.position(id));
            let to = self.new_lanes(id)?;
            self.step(Step::Map { f, regs: [to, base, index, stride] });
            return Ok(());
        }
        let base = self.uniform(base)?;
        let index = self.wide_uniform(index)?;
        let stride = self.constant(stride, 8);
        let to = self.new_uniform(id)?;
        self.step(Step::Uniform { f, slots: [to, base, index, stride] });
        self.spread(id)
    }

    /// An index, as `u64` in lanes.
    fn wide_lanes(&mut self, id: InstId, index: InstId) -> Result<Reg, Malformed> {
        let (from, scalar) = (self.lanes(index)?, self.scalar(index)?);
        if from.size() == 8 {
            return Ok(from);
        }
        let cast = lanes::cast(scalar, Scalar::U64, self.isa);
        let f = cast.ok_or_else(|| self.malformed("an index that is no integer"))?;
        let to = self.temporary(id, 8);
        self.step(Step::Map { f, regs: [to, from, from, from] });
        Ok(to)
    }

    /// An index, as `u64`, once.
    fn wide_uniform(&mut self, index: InstId) -> Result<Uniform, Malformed> {
        let (from, scalar) = (self.uniform(index)?, self.scalar(index)?);
        if from.size() == 8 {
            return Ok(from);
        }
        let cast = lanes::cast(scalar, Scalar::U64, self.isa);
        let f = cast.ok_or_else(|| self.malformed("an index that is no integer"))?;
        let to = self.slot(8);
        self.step(Step::Uniform { f, slots: [to, from, from, from] });
        Ok(to)
    }

    /// Where an access through `ptr` goes. Indices in lanes are of 4 or 8 bytes.
    pub(super) fn address(
        &mut self,
        id: InstId,
        ptr: InstId,
    ) -> Result<Address<Operand>, Malformed> {
        let kernel = self.kernel;
        let Op::Index { base, index, stride } = &kernel.insts[ptr].op else {
            return self.operand(ptr).map(Address::Pointer);
        };
        let buffer = if let Op::Param(param) = kernel.insts[*base].op {
            param.index()
        } else if let Op::Shared(shared) = kernel.insts[*base].op {
            kernel.params.len() + shared.index()
        } else {
            return self.operand(ptr).map(Address::Pointer);
        };
        let stride = stride.known().ok_or_else(|| self.malformed("a generic stride"))?;
        let index = match self.operand(*index)? {
            Operand::Lanes(reg) if reg.size() < 4 => Operand::Lanes(self.wide_lanes(id, *index)?),
            Operand::Lanes(reg) => Operand::Lanes(reg),
            Operand::Uniform(slot) => Operand::Uniform(slot),
        };
        Ok(Address::Element { buffer: buffer as u16, index, stride })
    }

    pub(super) fn load(&mut self, id: InstId, ptr: InstId) -> Done {
        let at = self.address(id, ptr)?;
        if let Some(from) = at.uniform() {
            let to = self.new_uniform(id)?;
            self.step(Step::LoadUniform { to, from });
            if self.scalar(id)? == Scalar::Bool {
                let f = self.is_not_zero()?;
                let zero = self.constant(0, 1);
                self.step(Step::Uniform { f, slots: [to, to, zero, zero] });
            }
            return self.spread(id);
        }
        let from = at.lanes().ok_or_else(|| self.malformed("an address that is no address"))?;
        let to = self.new_lanes(id)?;
        let transfer = Transfer::pick(to.size(), from.index().size(), self.isa);
        self.step(Step::Load { to, from, transfer });
        if self.scalar(id)? == Scalar::Bool {
            let f = self.is_not_zero()?;
            let zero = self.constant_lanes(0, 1)?;
            self.step(Step::Map { f, regs: [to, to, zero, zero] });
        }
        Ok(())
    }

    /// What makes a `bool` of whatever was in memory.
    fn is_not_zero(&self) -> Result<LaneFn, Malformed> {
        let f = lanes::compare(CompareOp::Ne, Scalar::U8, self.isa);
        f.ok_or_else(|| self.malformed("no comparison"))
    }

    pub(super) fn store(&mut self, id: InstId, ptr: InstId, value: InstId) -> Done {
        let to = self.address(id, ptr)?;
        let value = self.lanes(value)?;
        let index = to.lanes().map_or(8, |to| to.index().size());
        let transfer = Transfer::pick(value.size(), index, self.isa);
        self.step(Step::Store { value, to, transfer });
        Ok(())
    }

    pub(super) fn atomic(
        &mut self,
        what: AtomicKind,
        at: Address<Operand>,
        value: InstId,
        order: Order,
    ) -> Done {
        let size = self.size(value)?;
        let ordered = match order {
            Order::Relaxed => false,
            Order::Acquire | Order::Release | Order::AcqRel | Order::SeqCst => true,
        };
        let access = self.code.atomics.len() as u32;
        self.code.atomics.push(Atomic { what, at, size, ordered });
        self.step(Step::Atomic { access });
        Ok(())
    }
}
