//! Atomic operations, as the inline PTX that the built-in back end emits.
//!
//! LLVM 22 drops the ordering and the scope of `atomicrmw`, so none of them is left to it. Each is
//! opaque to LLVM and clobbers memory, which orders it against every access around it.
use super::{
    emitter::{Effects, Emitter},
    value::{Type, Value},
};
use warpwise_compiler::{
    back::ptx::{
        arithmetic, combining, memory, native, order_name, red_has, scope_name, space_name,
        untyped, update_name,
    },
    ir::{AtomicOp, InstId, Order, Scalar, Scope, Space},
};

impl Emitter<'_> {
    /// The memory that `ptr` points into.
    pub(super) fn space(&self, ptr: InstId) -> Space {
        self.kernel.space(ptr).expect("the verifier saw a pointer here")
    }

    /// An atomic read. Of one whose value nothing uses, the order alone remains, as a fence:
    /// `ptxas` may miscompile such a load (`compiler/src/back/ptx/atomic.rs`).
    pub(super) fn atomic_load(
        &mut self,
        id: InstId,
        ptr: InstId,
        order: Order,
        scope: Scope,
    ) -> Value {
        self.fence_if_sequential(order, scope);
        let scalar = self.scalar(id);
        if !self.facts.used(id) {
            if order == Order::Acquire {
                let text = format!("fence.acq_rel.{};", scope_name(scope));
                self.asm_line(&text, &[], Effects::Memory);
            }
            return Value::constant(scalar, 0);
        }
        let (space, address) = (self.space(ptr), self.value(ptr));
        let how = format!("ld.{}.{}.{}", order_name(order), scope_name(scope), space_name(space));
        match scalar {
            Scalar::Bool => self.load_bool(&how, address),
            _ => {
                let text = format!("{how}.{} $0, [$1];", memory(scalar));
                self.asm(Type::of(scalar), &text, &[address], Effects::Memory)
            }
        }
    }

    /// An atomic write.
    pub(super) fn atomic_store(&mut self, ptr: InstId, value: InstId, order: Order, scope: Scope) {
        self.fence_if_sequential(order, scope);
        let order = if order == Order::SeqCst { Order::Relaxed } else { order };
        let (scalar, space) = (self.scalar(value), self.space(ptr));
        let (address, value) = (self.value(ptr), self.value(value));
        if scalar == Scalar::Bool {
            let how = update_name(order, scope, space);
            self.update_bool(AtomicOp::Swap, &how, address, value);
            return;
        }
        let how = format!("st.{}.{}.{}", order_name(order), scope_name(scope), space_name(space));
        let text = format!("{how}.{} [$0], $1;", memory(scalar));
        self.asm_line(&text, &[address, value], Effects::Memory);
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
        [ptr, value]: [InstId; 2],
        order: Order,
        scope: Scope,
    ) -> Value {
        self.fence_if_sequential(order, scope);
        let (scalar, space) = (self.scalar(id), self.space(ptr));
        let (address, value) = (self.value(ptr), self.value(value));
        if scalar == Scalar::Bool {
            return self.update_bool(op, &update_name(order, scope, space), address, value);
        }
        let Some(instruction) = native(op, scalar, space) else {
            return self.update_loop(op, scalar, space, [address, value], order, scope);
        };
        // PTX has no subtraction: that is the addition of the negative.
        let value = match op {
            AtomicOp::Sub => self.subtracted_from_zero(&value),
            _ => value,
        };
        let place = format!("{}.{}", scope_name(scope), space_name(space));
        let order_text = order_name(order);
        if !self.facts.used(id) && op != AtomicOp::Swap && red_has(order) {
            let text = format!("red.{order_text}.{place}.{instruction} [$0], $1;");
            self.asm_line(&text, &[address, value], Effects::Memory);
            return Value::constant(scalar, 0);
        }
        let text = format!("atom.{order_text}.{place}.{instruction} $0, [$1], $2;");
        self.asm(Type::of(scalar), &text, &[address, value], Effects::Memory)
    }

    /// A compare-and-swap loop that replaces the value in memory by a function of it.
    ///
    /// The lanes that enter the loop together leave it together, as in the built-in back end.
    fn update_loop(
        &mut self,
        op: AtomicOp,
        scalar: Scalar,
        space: Space,
        [address, value]: [Value; 2],
        order: Order,
        scope: Scope,
    ) -> Value {
        let (ty, bits, combine) = (arithmetic(scalar), untyped(scalar), combining(op, scalar));
        let (order, place) =
            (order_name(order), format!("{}.{}", scope_name(scope), space_name(space)));
        let class = if scalar.is_float() { ty } else { bits };
        let text = format!(
            "{{\n.reg .{class} w_old, w_seen, w_new;\n.reg .{bits} w_old_bits, w_seen_bits;\n\
             .reg .b32 w_entered, w_lanes;\n.reg .pred w_failed, w_some_failed;\n\
             activemask.b32 w_entered;\n\
             ld.relaxed.{place}.{ty} w_old, [$1];\n\
             setp.eq.u32 w_failed, 0, 0;\n\
             w_update:\n\
             {combine} w_new, w_old, $2;\n\
             @w_failed atom.{order}.{place}.cas.{bits} w_seen, [$1], w_old, w_new;\n\
             mov.{bits} w_old_bits, w_old;\n\
             mov.{bits} w_seen_bits, w_seen;\n\
             setp.ne.and.{bits} w_failed, w_old_bits, w_seen_bits, w_failed;\n\
             @w_failed mov.{bits} w_old, w_seen;\n\
             vote.sync.ballot.b32 w_lanes, w_failed, w_entered;\n\
             setp.ne.u32 w_some_failed, w_lanes, 0;\n\
             @w_some_failed bra w_update;\n\
             mov.{bits} $0, w_old;\n}}"
        );
        self.asm(Type::of(scalar), &text, &[address, value], Effects::Sync)
    }

    /// An atomic compare-and-swap; compares bits, and yields what was there.
    pub(super) fn compare_exchange(
        &mut self,
        id: InstId,
        [ptr, expected, value]: [InstId; 3],
        order: Order,
        scope: Scope,
    ) -> Value {
        self.fence_if_sequential(order, scope);
        let (scalar, space) = (self.scalar(id), self.space(ptr));
        let operands = [ptr, expected, value].map(|operand| self.value(operand));
        let how = update_name(order, scope, space);
        if scalar == Scalar::Bool {
            return self.exchange_bool(&how, operands);
        }
        let text = format!("{how}.cas.{} $0, [$1], $2, $3;", untyped(scalar));
        self.asm(Type::of(scalar), &text, &operands, Effects::Memory)
    }

    /// `-x`, wrapping.
    fn subtracted_from_zero(&mut self, value: &Value) -> Value {
        super::emitter::inst!(self, value.ty, "sub {} 0, {}", value.ty, value.name)
    }
}
