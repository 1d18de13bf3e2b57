//! Atomic operations: native instructions where PTX has them, a compare-and-swap loop otherwise;
//! those of `bool` are in [`boolean`](super::boolean).
//!
//! `SeqCst` is a `fence.sc` before the operation, which then needs to acquire only; that is the
//! mapping proved for C++ by Lustig, Sahasrabuddhe and Giroux, "A Formal Analysis of the NVIDIA PTX
//! Memory Consistency Model" (ASPLOS 2019).
//!
//! `atom.add.f32` on global memory takes subnormal operands and results to zero, and so does
//! the IR ([`AtomicOp::flushes`]).
use super::{
    Emitter,
    address::{Address, space_name},
    code::Label,
    emitter::{Value, ptx},
    reg::{Class, Operand, arithmetic, untyped},
};
use crate::ir::{AtomicOp, InstId, Order, Scalar, Scope, Space};

/// The name of a scope in instructions.
pub const fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Block => "cta",
        Scope::Device => "gpu",
        Scope::System => "sys",
    }
}

/// Returns the ordering that remains once its fence, if it needs one, is emitted.
pub const fn order_name(order: Order) -> &'static str {
    match order {
        Order::Relaxed => "relaxed",
        Order::Acquire | Order::SeqCst => "acquire",
        Order::Release => "release",
        Order::AcqRel => "acq_rel",
    }
}

/// Returns how an instruction begins that updates memory and yields what was there.
pub fn update_name(order: Order, scope: Scope, space: Space) -> String {
    format!("atom.{}.{}.{}", order_name(order), scope_name(scope), space_name(space))
}

impl Emitter<'_> {
    /// An atomic read. Of one whose value nothing uses, the order alone remains, as a fence: ptxas
    /// takes such a load out itself, and then (release 13.0, for `sm_90` and later) may leave the
    /// kernel's other accesses without the descriptor that they go through, which is an illegal
    /// instruction.
    pub(super) fn atomic_load(
        &mut self,
        id: InstId,
        ptr: InstId,
        order: Order,
        scope: Scope,
    ) -> Value {
        self.fence_if_sequential(order, scope);
        if !self.facts.used(id) {
            if order == Order::Acquire {
                ptx!(self, "fence.acq_rel.{}", scope_name(scope));
            }
            return Value::None;
        }
        let address = self.address(ptr);
        let (order, scope) = (order_name(order), scope_name(scope));
        let how = format!("ld.{order}.{scope}.{}", space_name(address.space));
        match self.scalar(id) {
            Scalar::Bool => self.load_bool(&how, address),
            scalar => self.load_as(&how, scalar, address),
        }
    }

    /// An atomic write.
    pub(super) fn atomic_store(&mut self, ptr: InstId, value: InstId, order: Order, scope: Scope) {
        self.fence_if_sequential(order, scope);
        let order = if order == Order::SeqCst { Order::Relaxed } else { order };
        if self.scalar(value) == Scalar::Bool {
            let (address, value) = (self.address(ptr), self.reg(value));
            let how = update_name(order, scope, address.space);
            self.update_bool(AtomicOp::Swap, &how, address, value);
            return;
        }
        self.store(&format!("st.{}.{}", order_name(order), scope_name(scope)), ptr, value);
    }

    fn fence_if_sequential(&mut self, order: Order, scope: Scope) {
        if order == Order::SeqCst {
            self.fence(scope);
        }
    }

    /// An atomic update; yields what was there.
    pub(super) fn atomic(
        &mut self,
        id: InstId,
        op: AtomicOp,
        ptr: InstId,
        value: InstId,
        order: Order,
        scope: Scope,
    ) -> Value {
        self.fence_if_sequential(order, scope);
        let (scalar, address) = (self.scalar(id), self.address(ptr));
        if scalar == Scalar::Bool {
            let value = self.reg(value);
            return self.update_bool(op, &update_name(order, scope, address.space), address, value);
        }
        let Some(instruction) = native(op, scalar, address.space) else {
            return self.update_loop(id, op, address, value, order, scope);
        };
        let value = self.operand_of_update(op, scalar, value);
        let place = format!("{}.{}", scope_name(scope), space_name(address.space));
        if !self.facts.used(id) && op != AtomicOp::Swap && red_has(order) {
            ptx!(self, "red.{}.{place}.{instruction} {address}, {value}", order_name(order));
            return Value::None;
        }
        let old = self.regs.fresh(Class::of(scalar));
        ptx!(self, "atom.{}.{place}.{instruction} {old}, {address}, {value}", order_name(order));
        old.into()
    }

    /// PTX has no subtraction: that is the addition of the negative.
    fn operand_of_update(&mut self, op: AtomicOp, scalar: Scalar, value: InstId) -> Operand {
        if op != AtomicOp::Sub {
            return if scalar.is_float() {
                Operand::Reg(self.reg(value))
            } else {
                self.operand(value)
            };
        }
        let (value, negative) = (self.operand(value), self.regs.fresh(Class::of(scalar)));
        ptx!(
            self,
            "neg.{} {negative}, {value}",
            if scalar.bits() == Some(64) { "s64" } else { "s32" }
        );
        Operand::Reg(negative)
    }

    /// Emits a compare-and-swap loop that replaces the value in memory by a function of it.
    ///
    /// The lanes that enter the loop together leave it together: the loop goes on while the swap of
    /// one of them failed. `ptxas` lets lanes that have left a loop of compare-and-swap overwrite
    /// uniform registers that the loop still needs, and a barrier of the lanes behind the loop may
    /// never end (`docs/testing.md`). The loop ends: a lane's swap fails only if another's
    /// succeeded.
    fn update_loop(
        &mut self,
        id: InstId,
        op: AtomicOp,
        address: Address,
        value: InstId,
        order: Order,
        scope: Scope,
    ) -> Value {
        let scalar = self.scalar(id);
        let (ty, bits, class) = (arithmetic(scalar), untyped(scalar), Class::of(scalar));
        let (scope, space) = (scope_name(scope), space_name(address.space));
        let value = self.reg(value);
        let [old, seen, new] = [(); 3].map(|()| self.regs.fresh(class));
        let [old_bits, seen_bits] =
            [(); 2].map(|()| self.regs.fresh(if bits == "b64" { Class::B64 } else { Class::B32 }));
        let [failed, some_failed] = [(); 2].map(|()| self.regs.fresh(Class::Pred));
        let [entered, lanes] = [(); 2].map(|()| self.regs.fresh(Class::B32));
        let update = Label::of("update", id);
        ptx!(self, "activemask.b32 {entered}");
        ptx!(self, "ld.relaxed.{scope}.{space}.{ty} {old}, {address}");
        ptx!(self, "setp.eq.u32 {failed}, 0, 0");
        self.code.label(update);
        ptx!(self, "{} {new}, {old}, {value}", combining(op, scalar));
        ptx!(
            self,
            "@{failed} atom.{}.{scope}.{space}.cas.{bits} {seen}, {address}, {old}, {new}",
            order_name(order)
        );
        ptx!(self, "mov.{bits} {old_bits}, {old}");
        ptx!(self, "mov.{bits} {seen_bits}, {seen}");
        ptx!(self, "setp.ne.and.{bits} {failed}, {old_bits}, {seen_bits}, {failed}");
        ptx!(self, "@{failed} mov.{bits} {old}, {seen}");
        ptx!(self, "vote.sync.ballot.b32 {lanes}, {failed}, {entered}");
        ptx!(self, "setp.ne.u32 {some_failed}, {lanes}, 0");
        self.code.branch(some_failed, update);
        old.into()
    }

    /// An atomic compare-and-swap; compares bits, and yields what was there.
    pub(super) fn compare_exchange(
        &mut self,
        id: InstId,
        ptr: InstId,
        [expected, value]: [InstId; 2],
        order: Order,
        scope: Scope,
    ) -> Value {
        self.fence_if_sequential(order, scope);
        let (scalar, address) = (self.scalar(id), self.address(ptr));
        let (expected, value) = (self.reg(expected), self.reg(value));
        let how = update_name(order, scope, address.space);
        if scalar == Scalar::Bool {
            return self.exchange_bool(&how, address, [expected, value]);
        }
        let old = self.regs.fresh(Class::of(scalar));
        let bits = untyped(scalar);
        ptx!(self, "{how}.cas.{bits} {old}, {address}, {expected}, {value}");
        old.into()
    }
}

/// Returns true if `red`, which yields nothing, has the ordering.
pub const fn red_has(order: Order) -> bool {
    match order {
        Order::Relaxed | Order::Release => true,
        Order::Acquire | Order::AcqRel | Order::SeqCst => false,
    }
}

/// The instruction for `op`, if there is one: its name and type.
///
/// In shared memory the hardware has no 64-bit update but `exch` and `cas`, and no `add.f32`.
/// `ptxas` makes loops of those instructions after it has decided which values are uniform in a
/// warp, and may keep the counter of a loop around it in a uniform register although lanes leave
/// its own loop one after the other (seen with 13.0 and driver 580: such a kernel never ended). The
/// loop of [`Emitter::update_loop`] is there from the start.
pub fn native(op: AtomicOp, scalar: Scalar, space: Space) -> Option<String> {
    let looped = scalar.bits() == Some(64) || scalar.is_float();
    if matches!(space, Space::Shared | Space::Cluster) && looped && op != AtomicOp::Swap {
        return None;
    }
    let bits = untyped(scalar);
    let unsigned = format!("u{}", &bits[1..]);
    match op {
        AtomicOp::Swap => Some(format!("exch.{bits}")),
        AtomicOp::Add | AtomicOp::Sub if scalar.is_float() => {
            Some(format!("add.{}", arithmetic(scalar)))
        }
        AtomicOp::Add | AtomicOp::Sub => Some(format!("add.{unsigned}")),
        AtomicOp::And => Some(format!("and.{bits}")),
        AtomicOp::Or => Some(format!("or.{bits}")),
        AtomicOp::Xor => Some(format!("xor.{bits}")),
        AtomicOp::Min | AtomicOp::Max if scalar.is_float() => None,
        AtomicOp::Min => Some(format!("min.{}", arithmetic(scalar))),
        AtomicOp::Max => Some(format!("max.{}", arithmetic(scalar))),
    }
}

/// The instruction that computes what `op` writes, from what is there and its operand.
pub fn combining(op: AtomicOp, scalar: Scalar) -> String {
    let (ty, bits) = (arithmetic(scalar), untyped(scalar));
    let rounding = if scalar.is_float() { ".rn" } else { "" };
    match op {
        AtomicOp::Swap => format!("mov.{bits}"),
        AtomicOp::Add => format!("add{rounding}.{ty}"),
        AtomicOp::Sub => format!("sub{rounding}.{ty}"),
        AtomicOp::And => format!("and.{bits}"),
        AtomicOp::Or => format!("or.{bits}"),
        AtomicOp::Xor => format!("xor.{bits}"),
        AtomicOp::Min => format!("min.{ty}"),
        AtomicOp::Max => format!("max.{ty}"),
    }
}
