//! Bodies and control flow: one match over the instructions, and structured control flow as blocks.
use super::{
    emitter::{Effects, Emitter, Label, Targets, inst, line},
    memory::known,
    rare::{KeptLoop, is_rare_arm},
    value::{Type, Value},
};
use warpwise_compiler::{
    id::Id,
    ir::{BinaryOp, Body, CopyOp, Effect, ForRange, InstId, MatrixOp, Op, Scalar, SyncOp, WarpOp},
};

/// The metadata node of branches that are nearly always taken.
const LIKELY: usize = 1;

impl Emitter<'_> {
    /// Everything in `body`, to the first instruction that leaves it.
    pub(super) fn body(&mut self, body: &Body) {
        for &id in &body.0 {
            self.inst(id);
            if !self.open || self.kernel.insts[id].op.is_exit() {
                return;
            }
        }
    }

    /// Ends the thread at the end of the kernel's body, and what failing checks share.
    pub(super) fn end(&mut self) {
        if self.open {
            self.leave_kernel();
        }
        self.failed();
    }

    fn inst(&mut self, id: InstId) {
        let kernel = self.kernel;
        let inst = &kernel.insts[id];
        let outer = self.debug_info.as_mut().map(|info| info.enter(inst.span));
        let value = match &inst.op {
            Op::Const(bits) => Some(Value::constant(self.scalar(id), *bits)),
            Op::Param(param) => Some(self.param(*param)),
            Op::Len(param) => Some(Value::new(Type::I64, format!("%{param}_len"))),
            Op::Shared(shared) => Some(self.shared(*shared)),
            Op::Array(array) => Some(self.array(*array)),
            Op::Builtin(builtin) => Some(self.provided(id, *builtin)),
            Op::Unary { op, value } => Some(self.unary(id, *op, *value)),
            Op::Binary { op, lhs, rhs } => Some(self.binary(id, *op, *lhs, *rhs)),
            Op::Ternary { op, a, b, c } => Some(self.ternary(id, *op, [*a, *b, *c])),
            Op::Compare { op, lhs, rhs } => Some(self.compare(*op, *lhs, *rhs)),
            Op::Cast { value } => Some(self.cast(id, *value)),
            Op::Bitcast { value } => Some(self.bitcast(id, *value)),
            Op::Select { cond, then, other } => Some(self.select(*cond, *then, *other)),
            Op::Fma { a, b, c } => Some(self.fma(id, [*a, *b, *c])),
            Op::Index { base, index, stride } => Some(self.index(*base, *index, known(stride))),
            Op::Offset { base, offset } => Some(self.offset(*base, known(offset))),
            Op::MapShared { ptr, rank } => Some(self.map_shared(*ptr, *rank)),
            Op::Bounds { index, len } => Some(self.bounds(id, *index, *len)),
            Op::Check { cond, fault } => self.unit(|this| this.check(id, *cond, *fault)),
            Op::Get(local) => Some(self.get(id, *local)),
            Op::Set { local, value } => self.unit(|this| this.set(*local, *value)),
            Op::Load { .. } if self.matrix_loads.is_absorbed[id] => None,
            Op::Load { ptr, .. } if let Some(surface) = kernel.surface(*ptr) => {
                Some(self.load_surface(id, *ptr, surface))
            }
            Op::Store { ptr, .. } if let Some(surface) = kernel.surface(*ptr) => {
                self.unit(|this| this.store_surface(id, *ptr, surface))
            }
            Op::Load { ptr, cache: Some(cache) } if !self.facts.steers(id) => {
                Some(self.load_cached(id, *ptr, *cache))
            }
            Op::Load { ptr, cache: None } => Some(self.load_in_vector(id, *ptr)),
            Op::Load { ptr, cache: Some(_) } => Some(self.load(id, *ptr)),
            Op::Store { ptr, value, .. } if self.is_constant_sum(*ptr, *value) => {
                self.unit(|this| this.store_constant_sum(*ptr, *value))
            }
            Op::Store { ptr, value, cache: None } => self.unit(|this| this.store(*ptr, *value)),
            Op::Store { ptr, value, cache: Some(cache) } => {
                self.unit(|this| this.store_cached(*ptr, *value, *cache))
            }
            Op::Prefetch { ptr, level } => self.unit(|this| this.prefetch(*ptr, *level)),
            Op::AtomicLoad { ptr, order, scope } => {
                Some(self.atomic_load(id, *ptr, *order, *scope))
            }
            Op::AtomicStore { ptr, value, order, scope } => {
                self.unit(|this| this.atomic_store(*ptr, *value, *order, *scope))
            }
            Op::Atomic { op, ptr, value, order, scope } => {
                Some(self.atomic(id, *op, [*ptr, *value], *order, *scope))
            }
            Op::CompareExchange { ptr, expected, value, order, scope } => {
                Some(self.compare_exchange(id, [*ptr, *expected, *value], *order, *scope))
            }
            Op::Copy(CopyOp::AsyncCopy { to, from, bytes }) => {
                self.unit(|this| this.async_copy(*to, *from, known(bytes)))
            }
            Op::Copy(CopyOp::BulkCopy { to, from, bytes, barrier }) => {
                self.unit(|this| this.bulk_copy([*to, *from, *barrier], known(bytes)))
            }
            Op::Copy(CopyOp::TensorCopy { to, map, shape, at, barrier, blocks }) => {
                self.unit(|this| this.tensor_copy([*to, *barrier], (*map, shape, at), *blocks))
            }
            Op::Copy(CopyOp::TensorStore { map, from, shape, at }) => {
                self.unit(|this| this.tensor_store(*map, shape, *from, at))
            }
            Op::Copy(CopyOp::BulkStore { to, from, bytes }) => {
                self.unit(|this| this.bulk_store([*to, *from], known(bytes)))
            }
            Op::Copy(CopyOp::BulkCommit) => self.unit(Self::bulk_commit),
            Op::Copy(CopyOp::BulkWait { pending, reads }) => {
                self.unit(|this| this.bulk_wait(known(pending), *reads))
            }
            Op::Copy(CopyOp::AsyncCommit) => self.unit(Self::async_commit),
            Op::Copy(CopyOp::AsyncWait { pending }) => {
                self.unit(|this| this.async_wait(known(pending)))
            }
            Op::Sync(SyncOp::Barrier { reduce }) => self.barrier(*reduce),
            Op::Sync(SyncOp::SyncGrid) => self.unit(|this| this.sync_grid()),
            Op::Sync(SyncOp::SyncCluster) => self.unit(Self::sync_cluster),
            Op::Sync(SyncOp::SyncWarp { mask }) => self.unit(|this| this.sync_warp(*mask)),
            Op::Sync(SyncOp::NamedBarrier { waits, id, threads }) => {
                self.unit(|this| this.named_barrier(*waits, known(id), known(threads)))
            }
            Op::Sync(SyncOp::MBarrierArrive { barrier, bytes }) => {
                Some(self.mbarrier_arrive(*barrier, *bytes))
            }
            Op::Sync(SyncOp::MBarrierWait { barrier, phase }) => {
                self.unit(|this| this.mbarrier_wait(*barrier, *phase))
            }
            Op::Sync(SyncOp::Fence { scope }) => self.unit(|this| this.fence(*scope)),
            Op::Warp(WarpOp::Shuffle { op, value, lane, width, mask }) => {
                Some(self.shuffle(*op, [*value, *lane], known(width) as u32, *mask))
            }
            Op::Warp(WarpOp::Vote { op, value, mask }) => Some(self.vote(*op, *value, *mask)),
            Op::Warp(WarpOp::Match { op, value, mask }) => {
                Some(self.match_lanes(*op, *value, *mask))
            }
            Op::Warp(WarpOp::ActiveMask) => Some(self.active_mask()),
            Op::Warp(WarpOp::Reduce { op, value, mask }) => {
                Some(self.reduce(id, *op, *value, *mask))
            }
            Op::Matrix(MatrixOp::Mma { op, args, word }) => Some(self.mma(id, *op, args, *word)),
            Op::Matrix(MatrixOp::Wgmma { op, columns, args }) => {
                self.unit(|this| this.wgmma(*op, known(columns), args))
            }
            Op::Matrix(MatrixOp::WgmmaWait { sums, pending }) => {
                self.unit(|this| this.wgmma_wait(*sums, known(pending)))
            }
            Op::Sync(SyncOp::ProxyFence) => self.unit(Self::proxy_fence),
            Op::Sync(SyncOp::GridDependency(op)) => self.unit(|this| this.grid_dependency(*op)),
            Op::Texture { op, texture, args, word } => {
                Some(self.texture(id, *op, *texture, args, *word))
            }
            Op::Matrix(MatrixOp::DistributeRows { transposed, word, .. }) => {
                Some(self.load_matrix(id, *transposed, *word))
            }
            Op::Ptx { is_pure, ptx, args } => self.inline_ptx(id, *is_pure, ptx, args),
            Op::PtxOutput { of, output } => Some(self.products[of][usize::from(*output)].clone()),
            Op::Interpreted => Some(Value::constant(Scalar::Bool, 0)),
            Op::If { cond, then, other } => self.unit(|this| this.choose(id, *cond, then, other)),
            Op::For { start, end, step, inclusive, body } => {
                let range =
                    ForRange { start: *start, end: *end, step: *step, inclusive: *inclusive };
                self.unit(|this| this.count(id, &range, body))
            }
            Op::Loop { body } => self.unit(|this| this.repeat(id, body)),
            Op::Block { body } => self.unit(|this| this.block(id, body)),
            Op::Break(of) => self.unit(|this| this.leave(*of, |targets| targets.end)),
            Op::Continue(of) => self.unit(|this| this.leave(*of, |targets| targets.next)),
            Op::Return => self.unit(|this| this.end_thread(id)),
            Op::Print { message, args } => self.unit(|this| this.print(*message, args)),
            Op::Panic { message, args } => self.unit(|this| this.panic(id, *message, args)),
            Op::Generic(_) | Op::MulAdd { .. } => {
                unreachable!("a specialized kernel has neither")
            }
        };
        if let Some((info, outer)) = self.debug_info.as_mut().zip(outer) {
            info.leave(outer);
        }
        if let Some(value) = value {
            self.define(id, value);
        }
    }

    /// For instructions that yield nothing.
    fn unit(&mut self, emit: impl FnOnce(&mut Self)) -> Option<Value> {
        emit(self);
        None
    }

    fn choose(&mut self, id: InstId, cond: InstId, then: &Body, other: &Body) {
        let is_rare = is_rare_arm(self.kernel, cond, then, other);
        let cond = self.value(cond);
        let [yes, no, end] = ["then", "else", "end"].map(|what| Label::of(what, id));
        if is_rare || self.only_fails(then, other) || self.leaves_block(then, other) {
            let likely = self.likely();
            line!(self, "br {cond}, label %{yes}, label %{no}, !prof !{likely}");
            self.open = false;
        } else {
            self.branch(&cond, yes, if other.0.is_empty() { end } else { no });
        }
        self.label(yes);
        self.body(then);
        let mut reaches_end = self.open || other.0.is_empty();
        if self.open {
            self.jump(end);
        }
        if !other.0.is_empty() {
            self.label(no);
            let hidden = self.hide_from_checks(then, other);
            let around = self.is_rare;
            self.is_rare |= is_rare;
            if self.only_fails(then, other) && self.is_straight(other) {
                self.failing_arm(other, end)
            } else {
                self.body(other)
            }
            self.is_rare = around;
            for (id, value) in hidden {
                self.define(id, value);
            }
            reaches_end |= self.open;
        }
        if reaches_end {
            self.label(end);
        }
    }

    /// True if `other`, the arm of an `if`, runs checks of which one fails, and `then` does
    /// nothing.
    fn only_fails(&self, then: &Body, other: &Body) -> bool {
        let is_check = |id: &InstId| matches!(self.kernel.insts[*id].op, Op::Bounds { .. });
        let returns = |id: &InstId| matches!(self.kernel.insts[*id].op, Op::Return);
        then.0.is_empty() && other.0.last().is_some_and(returns) && other.0.iter().any(is_check)
    }

    /// True if nothing in `list` branches or meets other threads.
    fn is_straight(&self, list: &Body) -> bool {
        let op = |id: &InstId| &self.kernel.insts[*id].op;
        list.0.iter().all(|id| op(id).is_leaf() && op(id).effect() != Effect::Sync)
    }

    /// True if `other` does nothing but leave a block, which is there for what is rare.
    fn leaves_block(&self, then: &Body, other: &Body) -> bool {
        let is_block = |id: InstId| matches!(self.kernel.insts[id].op, Op::Block { .. });
        let leaves = |id: InstId| matches!(self.kernel.insts[id].op, Op::Break(of) if is_block(of));
        then.0.is_empty() && matches!(*other.0, [only] if leaves(only))
    }

    /// Hides what the indices in `other` are computed from, if that is what runs where one of
    /// several checks fails, and returns the values to define again behind it.
    ///
    /// LLVM would take the sums for those that are computed ahead of it, and keep as many registers
    /// occupied to its end as there are checks: up to half of a thread's, through loops between the
    /// first access to a row and the next.
    fn hide_from_checks(&mut self, then: &Body, other: &Body) -> Vec<(InstId, Value)> {
        if !self.only_fails(then, other) {
            return Vec::new();
        }
        let first = other.0[0];
        let mut hidden: Vec<(InstId, Value)> = Vec::new();
        for &id in &other.0 {
            let op = &self.kernel.insts[id].op;
            if !matches!(op, Op::Binary { op: BinaryOp::Add | BinaryOp::Sub, .. }) {
                continue;
            }
            for operand in op.operands() {
                let is_constant = matches!(self.kernel.insts[operand].op, Op::Const(_));
                let is_known = hidden.iter().any(|(id, _)| *id == operand);
                if is_constant || is_known || operand >= first {
                    continue;
                }
                let value = self.value(operand);
                if is_word(value.ty) {
                    let copy = self.opaque_copy(&value);
                    self.define(operand, copy);
                    hidden.push((operand, value));
                }
            }
        }
        hidden
    }

    fn repeat(&mut self, id: InstId, body: &Body) {
        let [next, end] = ["loop", "end"].map(|what| Label::of(what, id));
        self.targets[id] = Some(Targets { end, next });
        self.label(next);
        self.body(body);
        match self.kept_loop(id) {
            Some(kind) if self.open => {
                self.end_kept_loop(kind, &format!("br label %{next}"));
            }
            None if self.open => self.jump(next),
            Some(_) | None => {}
        }
        self.label_behind(id, end);
    }

    fn block(&mut self, id: InstId, body: &Body) {
        let end = Label::of("end", id);
        self.targets[id] = Some(Targets { end, next: end });
        self.body(body);
        self.label_behind(id, end);
    }

    /// The label behind a loop or block, and the [instruction](super::reconvergence) that keeps
    /// lanes together there.
    fn label_behind(&mut self, id: InstId, end: Label) {
        self.label(end);
        if self.reconverges[id] {
            self.asm_line("", &[], Effects::Lanes);
        }
    }

    fn leave(&mut self, of: InstId, to: fn(Targets) -> Label) {
        let targets = self.targets[of].expect("what is left encloses this");
        self.jump(to(targets));
    }

    /// A counting loop, with its test at the end and a test that guards the first round.
    fn count(&mut self, id: InstId, range: &ForRange, body: &Body) {
        let scalar = self.scalar(id);
        let [start, end] = [range.start, range.end].map(|value| self.value(value));
        let [head, next, behind] = ["loop", "next", "end"].map(|what| Label::of(what, id));
        self.targets[id] = Some(Targets { end: behind, next });
        let (ty, sign) = (start.ty, if scalar.is_signed() { "s" } else { "u" });
        let counter = self.alloca(&format!("%counter{}", id.index()), ty);
        let inside = if range.inclusive { "le" } else { "lt" };
        let some = inst!(self, Type::I1, "icmp {sign}{inside} {start}, {}", end.name);
        line!(self, "store {start}, {counter}");
        self.branch(&some, head, behind);
        self.label(head);
        let current = inst!(self, ty, "load {ty}, {counter}");
        self.define(id, current.clone());
        self.body(body);
        self.label(next);
        let kind = self.kept_loop(id);
        let (more, following) = match kind {
            Some(KeptLoop::Rare) => self.next_rare_round(id, range, &current),
            Some(KeptLoop::Products) | None => self.next_round(id, range, &current),
        };
        line!(self, "store {following}, {counter}");
        match kind {
            Some(kind) => {
                self.end_kept_loop(kind, &format!("br {more}, label %{head}, label %{behind}"));
            }
            None => self.branch(&more, head, behind),
        }
        self.label_behind(id, behind);
    }

    /// Emits whether an iteration follows the one of `current`, and its value. Where a step could
    /// overflow the type, the distance to the end decides.
    pub(super) fn next_round(
        &mut self,
        id: InstId,
        range: &ForRange,
        current: &Value,
    ) -> (Value, Value) {
        let (ty, signed) = (current.ty, self.scalar(id).is_signed());
        let [end, step] = [range.end, range.step].map(|value| self.value(value));
        if self.cannot_overflow(id, range) {
            let (flag, sign) = if signed { ("nsw", "s") } else { ("nuw", "u") };
            let inside = if range.inclusive { "le" } else { "lt" };
            let following = inst!(self, ty, "add {flag} {current}, {}", step.name);
            let more = inst!(self, Type::I1, "icmp {sign}{inside} {following}, {}", end.name);
            return (more, following);
        }
        let is_constant = |value: InstId| matches!(self.kernel.insts[value].op, Op::Const(_));
        if is_constant(range.end) && is_constant(range.step) {
            let more = self.has_room(signed, range.inclusive, &end, &step, current);
            return (more, inst!(self, ty, "add {current}, {}", step.name));
        }
        // Not negative, so it is a number of the unsigned type.
        let distance = inst!(self, ty, "sub {end}, {}", current.name);
        let room = if range.inclusive { "uge" } else { "ugt" };
        let more = inst!(self, Type::I1, "icmp {room} {distance}, {}", step.name);
        (more, inst!(self, ty, "add {current}, {}", step.name))
    }

    /// Compares the distance to a constant end with the step in a way that LLVM cannot see through.
    /// LLVM would compare `current` with `end - step` before the step is added, of which `ptxas`
    /// 12.8 to 13.5 makes a single round where the end is the last number of the type: to get the
    /// number of rounds it adds the step to that number.
    fn has_room(
        &mut self,
        signed: bool,
        inclusive: bool,
        end: &Value,
        step: &Value,
        current: &Value,
    ) -> Value {
        let (ty, relation) = (end.ty, if inclusive { "ge" } else { "gt" });
        let class = if ty == Type::I64 { Type::I64 } else { Type::I32 };
        let mut operands = [end, current, step].map(Clone::clone);
        if ty != class {
            let extend = if signed { "sext" } else { "zext" };
            operands = operands.map(|value| inst!(self, class, "{extend} {value} to {class}"));
        }
        let bits = class.bits();
        let text = format!(
            "{{\n.reg .b{bits} w_distance;\n.reg .pred w_more;\n\
             sub.s{bits} w_distance, $1, $2;\nsetp.{relation}.u{bits} w_more, w_distance, $3;\n\
             selp.b32 $0, 1, 0, w_more;\n}}"
        );
        let more = self.asm(Type::I32, &text, &operands, Effects::None);
        inst!(self, Type::I1, "icmp ne {more}, 0")
    }

    /// True if a step from any value in the range stays inside the type, and is no negative number
    /// to `ptxas`, which unrolls loops with such a step as if they counted down.
    fn cannot_overflow(&self, id: InstId, range: &ForRange) -> bool {
        let most = |value| self.ranges.get(self.kernel, value).map(|range| range.max);
        let scalar = self.scalar(id);
        let bits = value_bits(scalar);
        let by_one = !range.inclusive && most(range.step) == Some(1);
        let fits = most(range.end).zip(most(range.step)).is_some_and(|(end, step)| {
            end + step < 1 << bits && step < 1 << (Type::of(scalar).bits() - 1)
        });
        by_one || fits
    }

    /// The metadata node of branches that are nearly always taken.
    pub(super) const fn likely(&self) -> usize {
        LIKELY
    }

    /// The metadata nodes.
    pub(super) fn metadata(&self) -> String {
        format!(
            "!{} = !{{}}\n\
             !{LIKELY} = !{{!\"branch_weights\", i32 2000, i32 1}}\n{}",
            super::memory::INVARIANT,
            self.loop_metadata()
        )
    }
}

/// Returns the bits of an integer type that hold its value, without the sign.
fn value_bits(scalar: Scalar) -> u32 {
    Type::of(scalar).bits() - u32::from(scalar.is_signed())
}

/// True for the integers that registers of their own hold.
const fn is_word(ty: Type) -> bool {
    matches!(ty, Type::I32 | Type::I64)
}
