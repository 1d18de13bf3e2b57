//! Addresses, and plain loads and stores through them.
//!
//! An address is a base register and a constant offset, which PTX takes as an immediate:
//! `a[i]` and `a[i + 1]` share the register `a + i * size`. That is exact even where `i + 1`
//! would wrap: global addresses are computed modulo 2^64, as `usize` is. Shared and local addresses
//! are 32-bit registers, and an offset is split off only where the register provably
//! stays below 2^31.
use super::{
    Emitter,
    cache::cached_load,
    emitter::{Derived, Value, ptx},
    facts::{greatest, is_unsigned},
    reg::{Class, Operand, Reg, memory},
};
use crate::{
    analysis::read_only_arrays::Storage,
    ir::{BinaryOp, CacheOp, InstId, Op, Scalar, Space, Ty},
};
use std::fmt;

/// A base register and how many bytes behind it.
#[derive(Clone, Copy)]
pub(super) struct Address {
    pub(super) space: Space,
    base: Reg,
    offset: i32,
}

impl Address {
    /// Returns the address that `base` points to.
    pub(super) const fn of(space: Space, base: Reg) -> Self {
        Self { space, base, offset: 0 }
    }

    /// Returns the register.
    pub(super) const fn base(self) -> Reg {
        self.base
    }

    /// Returns the bytes behind what the register points to.
    pub(super) const fn offset(self) -> i32 {
        self.offset
    }

    /// The address `offset` bytes behind what `base` points to.
    pub(super) const fn at(space: Space, base: Reg, offset: i32) -> Self {
        Self { space, base, offset }
    }
}

impl fmt::Display for Address {
    /// As instructions take it: `[%rd1+16]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.offset {
            0 => write!(f, "[{}]", self.base),
            offset => write!(f, "[{}+{offset}]", self.base),
        }
    }
}

/// The name of a space in instructions.
pub const fn space_name(space: Space) -> &'static str {
    match space {
        Space::Global => "global",
        Space::Shared => "shared",
        Space::Cluster => "shared::cluster",
        Space::Local => "local",
        Space::Constant => "const",
    }
}

impl Emitter<'_> {
    /// The address `index * stride` bytes behind `base`.
    pub(super) fn index(&mut self, base: InstId, index: InstId, stride: u64) -> Address {
        let base = self.address(base);
        let (term, constant) = self.split_index(index);
        let offset = constant.wrapping_mul(stride).wrapping_add(i64::from(base.offset) as u64);
        if let Ok(offset) = i32::try_from(offset as i64)
            && self.may_split(base.space, term, constant, stride)
        {
            let base_reg = term.map_or(base.base, |t| self.element(base, t, stride));
            return Address { space: base.space, base: base_reg, offset };
        }
        Address { base: self.element(base, index, stride), ..base }
    }

    /// The address `offset` bytes behind `base`.
    pub(super) fn offset(&mut self, base: InstId, offset: u64) -> Address {
        let base = self.address(base);
        let sum = offset.wrapping_add(i64::from(base.offset) as u64);
        if let Ok(offset) = i32::try_from(sum as i64) {
            return Address { offset, ..base };
        }
        let reg = self.regs.fresh(Class::of_pointer(base.space));
        match base.space {
            Space::Global | Space::Constant => {
                ptx!(self, "add.s64 {reg}, {}, {offset}", base.base);
            }
            Space::Shared | Space::Cluster | Space::Local => {
                ptx!(self, "add.s32 {reg}, {}, {}", base.base, offset as u32);
            }
        }
        Address { base: reg, ..base }
    }

    /// An unsigned index as a term and a constant, which add up to it modulo 2^64.
    fn split_index(&self, index: InstId) -> (Option<InstId>, u64) {
        let whole = (Some(index), 0);
        let inst = &self.kernel.insts[index];
        let Ty::Scalar(scalar) = inst.ty else { return whole };
        let Some(greatest) = greatest(scalar) else { return whole };
        if let Op::Const(bits) = inst.op {
            (None, bits)
        } else if let Op::Bounds { index, .. } = inst.op {
            self.split_index(index)
        } else if let Op::Cast { value } = inst.op
            // A `bool` is in a predicate register, where no address is computed.
            && self.kernel.insts[value].ty != Scalar::Bool.into()
            && is_unsigned(self.kernel, value)
            && self.facts.max(value) <= greatest
        {
            self.split_index(value)
        } else if let Op::Binary { op, lhs, rhs } = inst.op {
            self.split_sum(scalar, op, lhs, rhs).unwrap_or(whole)
        } else {
            whole
        }
    }

    /// The same for `x + constant`, and for `x - constant`, where that does not wrap
    /// below 64 bits.
    fn split_sum(
        &self,
        scalar: Scalar,
        op: BinaryOp,
        lhs: InstId,
        rhs: InstId,
    ) -> Option<(Option<InstId>, u64)> {
        let (term, constant) = if op == BinaryOp::Add {
            match (self.kernel.literal(lhs), self.kernel.literal(rhs)) {
                (_, Some(constant)) => (lhs, constant),
                (Some(constant), None) => (rhs, constant),
                (None, None) => return None,
            }
        } else if op == BinaryOp::Sub && scalar == Scalar::U64 {
            (lhs, self.kernel.literal(rhs)?.wrapping_neg())
        } else {
            return None;
        };
        let sum = self.facts.max(term).checked_add(constant);
        if scalar != Scalar::U64 && sum > greatest(scalar) {
            return None;
        }
        let (term, more) = self.split_index(term);
        Some((term, more.wrapping_add(constant)))
    }

    /// Returns true if the register for `term` alone is a sound base for an access `constant`
    /// elements after it.
    fn may_split(&self, space: Space, term: Option<InstId>, constant: u64, stride: u64) -> bool {
        match (space, term) {
            (Space::Global, _)
            | (Space::Shared | Space::Cluster | Space::Local | Space::Constant, None) => true,
            (Space::Shared | Space::Cluster | Space::Local | Space::Constant, Some(_))
                if constant == 0 =>
            {
                true
            }
            // `ptxas` computes addresses of constant memory with 32 bits.
            (Space::Shared | Space::Cluster | Space::Local | Space::Constant, Some(term)) => {
                self.facts.max(term).saturating_mul(stride) < 1 << 31
            }
        }
    }

    /// The register `base + index * stride`, without the base's offset.
    fn element(&mut self, base: Address, index: InstId, stride: u64) -> Reg {
        let what = Derived::Element { base: base.base, index, stride };
        self.known(what).unwrap_or_else(|| {
            let reg = match base.space {
                Space::Constant if self.is_choice(index) => {
                    let base = self.hide_address(base.base);
                    self.global_element(base, index, stride)
                }
                Space::Global | Space::Constant => self.global_element(base.base, index, stride),
                Space::Shared | Space::Cluster | Space::Local => {
                    self.narrow_element(base.base, index, stride)
                }
            };
            self.remember(what, reg);
            reg
        })
    }

    /// Returns true if a condition chooses between two values of `index`. Of a byte of a table at
    /// such a place, `ptxas` makes a choice between two constants, and the compiler of driver 580
    /// does not survive some sums of that.
    fn is_choice(&self, mut index: InstId) -> bool {
        loop {
            index = match self.kernel.insts[index].op {
                Op::Select { .. } => return true,
                Op::Cast { value } if self.kernel.insts[value].ty == Scalar::Bool.into() => {
                    return true;
                }
                Op::Cast { value: index } | Op::Bounds { index, .. } => index,
                Op::Binary { lhs, rhs, .. } if self.kernel.literal(rhs).is_some() => lhs,
                _ => return false,
            };
        }
    }

    /// The address in `base`, of which `ptxas` does not know that it is a constant.
    fn hide_address(&mut self, base: Reg) -> Reg {
        let (zero, hidden) = (self.hidden_zero(), self.regs.fresh(Class::B64));
        ptx!(self, "add.s64 {hidden}, {base}, {zero}");
        hidden
    }

    fn narrow_element(&mut self, base: Reg, index: InstId, stride: u64) -> Reg {
        let (index, reg) = (self.low(index), self.regs.fresh(Class::B32));
        ptx!(self, "mad.lo.s32 {reg}, {index}, {}, {base}", stride as u32);
        reg
    }

    /// A widening product and a sum where the index is 32 bits wide: `ptxas` fuses the two, and
    /// makes four instructions of `mad.wide.u32`.
    fn global_element(&mut self, base: Reg, index: InstId, stride: u64) -> Reg {
        let narrow_stride = i32::try_from(stride).is_ok();
        if let Some(signed) = self.sign_extended(index).filter(|_| narrow_stride) {
            let index = self.low(signed);
            return self.wide_element("mul.wide.s32", base, index, stride);
        }
        if self.facts.fits(index) && narrow_stride && stride != 1 {
            let index = self.low(index);
            return self.wide_element("mul.wide.u32", base, index, stride);
        }
        let mut index = self.wide(index);
        let reg = self.regs.fresh(Class::B64);
        if !stride.is_power_of_two() {
            ptx!(self, "mad.lo.s64 {reg}, {index}, {stride}, {base}");
            return reg;
        }
        if stride > 1 {
            let scaled = self.regs.fresh(Class::B64);
            ptx!(self, "shl.b64 {scaled}, {index}, {}", stride.trailing_zeros());
            index = Operand::Reg(scaled);
        }
        ptx!(self, "add.s64 {reg}, {base}, {index}");
        reg
    }

    fn wide_element(&mut self, product: &str, base: Reg, index: Operand, stride: u64) -> Reg {
        let [offset, reg] = [(); 2].map(|()| self.regs.fresh(Class::B64));
        ptx!(self, "{product} {offset}, {index}, {stride}");
        ptx!(self, "add.s64 {reg}, {base}, {offset}");
        reg
    }

    /// Returns the value that `index` is sign-extended from, if it has at most 32 bits.
    fn sign_extended(&self, index: InstId) -> Option<InstId> {
        let inst = &self.kernel.insts[index];
        if let Op::Bounds { index, .. } = inst.op {
            return self.sign_extended(index);
        }
        let Op::Cast { value } = inst.op else { return None };
        let from = self.scalar(value);
        (from.is_signed() && Class::of(from) == Class::B32 && inst.ty == Scalar::U64.into())
            .then_some(value)
    }

    /// An address in one register.
    pub(super) fn pointer(&mut self, address: Address) -> Reg {
        if address.offset == 0 {
            return address.base;
        }
        let class = Class::of_pointer(address.space);
        let reg = self.regs.fresh(class);
        let ty = if class == Class::B64 { "s64" } else { "s32" };
        ptx!(self, "add.{ty} {reg}, {}, {}", address.base, address.offset);
        reg
    }

    /// The address `offset` bytes behind another; back, if that is negative.
    pub(super) fn behind(&mut self, address: Address, offset: i32) -> Address {
        match address.offset.checked_add(offset) {
            Some(offset) => Address { offset, ..address },
            None => Address { base: self.pointer(address), offset, ..address },
        }
    }

    /// Reads memory.
    pub(super) fn load(&mut self, id: InstId, ptr: InstId) -> Value {
        let (scalar, address) = (self.scalar(id), self.address(ptr));
        let cache = self.kernel.insts[id].op.cache_op();
        let how = self.how_to_load(ptr, self.facts.steers(id), cache);
        self.load_as(&how, scalar, address)
    }

    /// Returns the beginning of an instruction that loads from `ptr`. A load that
    /// [steers](super::Facts::steers) an access is read once, which no cache operator goes with.
    pub(super) fn how_to_load(&self, ptr: InstId, steers: bool, cache: Option<CacheOp>) -> String {
        let space = self.address(ptr).space;
        match self.read_only_array(ptr) {
            Some(Storage::Params(_)) => return "ld.param".to_owned(),
            Some(Storage::Global(_)) => return "ld.global.nc".to_owned(),
            Some(Storage::Constant(_)) | None => {}
        }
        match (self.is_read_only(ptr), steers) {
            _ if space == Space::Constant => "ld.const".to_owned(),
            // A wait does not order the read-only path.
            (true, _) => cached_load(cache, !self.kernel.dependent_launch),
            (false, true) if space != Space::Local => {
                format!("ld.relaxed.cta.{}", space_name(space))
            }
            (false, true | false) if cache.is_some() => cached_load(cache, false),
            (false, true | false) => format!("ld.{}", space_name(space)),
        }
    }

    /// Reads a scalar with an instruction that `how` begins.
    pub(super) fn load_as(&mut self, how: &str, scalar: Scalar, address: Address) -> Value {
        let class = if scalar == Scalar::Bool { Class::B32 } else { Class::of(scalar) };
        let reg = self.regs.fresh(class);
        ptx!(self, "{how}.{} {reg}, {address}", memory(scalar));
        if scalar == Scalar::Bool { self.byte_to_pred(reg).into() } else { reg.into() }
    }

    /// Writes memory with an instruction that `how` begins.
    pub(super) fn store(&mut self, how: &str, ptr: InstId, value: InstId) {
        let space = space_name(self.address(ptr).space);
        self.store_as(&format!("{how}.{space}"), ptr, value);
    }

    /// Writes memory with an instruction that `how` begins, up to its type.
    pub(super) fn store_as(&mut self, how: &str, ptr: InstId, value: InstId) {
        let (scalar, address) = (self.scalar(value), self.address(ptr));
        let value = self.stored(value);
        ptx!(self, "{how}.{} {address}, {value}", memory(scalar));
    }

    /// A value as it lies in memory.
    pub(super) fn stored(&mut self, value: InstId) -> Operand {
        match self.operand(value) {
            Operand::Reg(reg) if reg.class == Class::Pred => Operand::Reg(self.pred_to_byte(reg)),
            operand => operand,
        }
    }

    /// True if nobody writes during the launch what `ptr` points into.
    fn is_read_only(&self, ptr: InstId) -> bool {
        self.kernel.root(ptr).is_some_and(|root| self.kernel.is_read_only(root))
    }
}
